"""The demo: two dyed vortex rings run into each other, baked and rendered.

The folder keeps the volumes, for a host, and the film. The tracers are not written, which would be
most of the bytes: the film simulates the scene again, which costs less than reading them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .bake import bake
from .film import make_film
from .preview import load_images
from .progress import Callback
from .scene import Scene
from .shapes import Torus
from .sources import Tracers, VortexRing

FRAMES = (1, 60)
EYE, TARGET = (8.2, -9.0, 3.4), (0.0, 0.0, 0.0)


def make_scene() -> Scene:
    """The scene of `vorton demo`: two rings, head on.

    The rings widen each other, and their waviness grows until they break up into small ones.
    """
    scene = Scene("demo", seed=5, voxel=0.045)
    for side in (-1.0, 1.0):
        centre = (0.9 * side, 0.0, 0.0)
        axis = (-side, 0.0, 0.0)
        ring = VortexRing(
            centre,
            axis,
            radius=0.7,
            circulation=3.0,
            core=0.13,
            wobble=0.03,
            seed=5 + int(side),
            sections=300,  # the rings grow to five times their length
        )
        scene.add(ring)
        scene.add(Tracers(Torus(centre, axis, radius=0.7, thickness=0.10), count=110_000))
    return scene


def run(
    out: str | os.PathLike[str], *, threads: int = 0, progress: bool | Callback = True
) -> Iterator[Path]:
    """Bake the demo into a folder and render it; gives the paths as they are there."""
    load_images()  # what is missing is said before the bake
    out, scene = Path(out), make_scene()
    how = {"frames": FRAMES, "threads": threads, "progress": progress}
    bake(scene, out, tracers=False, **how)
    yield out
    yield make_film(scene, out / "demo.webp", eye=EYE, target=TARGET, **how)
