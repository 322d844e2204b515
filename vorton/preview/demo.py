"""The demo: a cloud of fuel explodes among standing stones at night, baked and rendered.

The folder keeps the volumes, for a host, the film, and the archive, from which `vorton derive` and
`vorton preview` make others. Tracer files are not written: the archive has them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

from ..bakes.baking import bake
from ..base.checks import check_place
from ..base.progress import Callback
from ..definitions.combustion import Combustion
from ..files.film_files import load_images
from ..geometry.shapes import Box, Plane, Sphere
from ..scenes.bodies import Body
from ..scenes.scene import Scene
from ..sources.emitter import Emitter
from .film import make_film

FRAMES = (1, 52)
SIZE = (480, 400)
EYE, TARGET = (1.1, -7.4, 1.4), (0.0, 0.0, 1.45)


def make_scene() -> Scene:
    """That of examples/explosion.py, which says what each number does.

    An installed package has no examples/; tests/test_bench.py holds the two together.
    """
    burns = Combustion(rate=4.5, flame_time=0.6, heat=2.6e6, soot=0.8, radiation=300)
    scene = Scene("explosion", seed=5, voxel=0.028, combustion=burns, spacing=0.06)
    lively = {"swirl": 6.0, "flicker": 0.9, "taper": 0.6}
    fuel = {"temperature": 650, "fuel": 1.0, "renew": 0, "core": 0.06, "lifetime": 6}
    scene.add(Emitter(Sphere((0, 0, 0.5), radius=0.45), **fuel, **lively))
    scene.add(Body(Plane((0, 0, 0), (0, 0, 1)), "ground"))
    for stone, height in enumerate((1.25, 1.1, 1.4, 1.2, 1.35, 1.05, 1.3)):
        angle = math.radians(36 * stone - 18)
        x, y = 2.1 * math.cos(angle), 2.1 * math.sin(angle)
        scene.add(Body(Box((x - 0.15, y - 0.12, 0), (x + 0.15, y + 0.12, height)), panels=0))
    return scene


def run(
    out: str | os.PathLike[str], *, threads: int = 0, progress: bool | Callback = True
) -> Iterator[Path]:
    """Bake the demo into a folder and render it; gives the paths as they are there."""
    load_images()  # what is missing is said before the bake
    out, scene = check_place("out", out), make_scene()
    how = {"frames": FRAMES, "threads": threads, "progress": progress}
    manifest = bake(scene, out, tracers=False, **how)
    yield out
    yield make_film(manifest.path, out / "demo.webp", size=SIZE, eye=EYE, target=TARGET, **how)
