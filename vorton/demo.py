"""The demo: a cloud of fuel explodes, baked and rendered.

The folder keeps the volumes, for a host, the film, and the archive, from which `vorton derive` and
`vorton preview` make others. Tracer files are not written: the archive has them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .baking import bake
from .combustion import Combustion
from .emitter import Emitter
from .film import make_film
from .film_files import load_images
from .progress import Callback
from .scene import Scene
from .shapes import Sphere

FRAMES = (1, 56)
SIZE = (480, 480)
EYE, TARGET = (0.0, -9.6, 2.2), (0.0, 0.0, 1.5)


def make_scene() -> Scene:
    """The scene of `vorton demo`: that of examples/explosion.py.

    A ball of fuel, just hot enough, that burns in half a second, swells and rises.
    """
    burns = Combustion(rate=4.5, flame_time=0.5, heat=2.3e6, soot=0.8, radiation=300)
    scene = Scene("explosion", seed=5, voxel=0.028, combustion=burns, spacing=0.06)
    fuel = {"temperature": 650, "fuel": 1.0, "swirl": 6.0, "flicker": 0.4, "renew": 0}
    scene.add(Emitter(Sphere((0, 0, 0.5), radius=0.45), **fuel, core=0.06, lifetime=6))
    return scene


def run(
    out: str | os.PathLike[str], *, threads: int = 0, progress: bool | Callback = True
) -> Iterator[Path]:
    """Bake the demo into a folder and render it; gives the paths as they are there."""
    load_images()  # what is missing is said before the bake
    out, scene = Path(out), make_scene()
    how = {"frames": FRAMES, "threads": threads, "progress": progress}
    manifest = bake(scene, out, tracers=False, **how)
    yield out
    yield make_film(manifest.path, out / "demo.webp", size=SIZE, eye=EYE, target=TARGET, **how)
