"""The demo: two dyed vortex rings run into each other, baked and rendered."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .bake import Volumes, bake
from .film import make_film
from .progress import Callback
from .scene import Scene
from .shapes import Torus
from .sources import Tracers, VortexRing

FRAMES = (1, 72)


def make_scene() -> Scene:
    """The scene of `vorton demo`: two rings, head on, with a little waviness."""
    scene = Scene("demo", seed=5, voxel=0.04)
    for side in (-1.0, 1.0):
        centre = (0.0, 0.0, 1.1 * side)
        scene.add(
            VortexRing(
                centre,
                axis=(0.0, 0.0, -side),
                radius=0.8,
                circulation=2.0,
                core=0.12,
                wobble=0.02,
                seed=3 + int(side),
            )
        )
        scene.add(Tracers(Torus(centre, radius=0.8, thickness=0.2), count=150_000))
    return scene


def run(
    out: str | os.PathLike[str], *, threads: int = 0, progress: bool | Callback = True
) -> Iterator[Path]:
    """Bake the demo into a folder and render it; gives the paths as they are there."""
    from . import _core

    out = Path(out)
    volumes = Volumes(compress=_core.has_compression())
    bake(make_scene(), out, frames=FRAMES, volumes=volumes, threads=threads, progress=progress)
    yield out
    film = make_film(out, out / "demo.webp", threads=threads, progress=progress)
    yield film
