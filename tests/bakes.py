"""A small bake for the tests of bakes."""

import hashlib
from pathlib import Path

from vorton.baking import Volumes, bake
from vorton.manifest import Manifest
from vorton.scene import Scene
from vorton.shapes import Torus
from vorton.sources import Tracers, VortexRing

FRAMES = (1, 4)
VOLUMES = Volumes(voxel=0.1)


def small_scene(name: str = "ring", seed: int = 3) -> Scene:
    scene = Scene(name, seed=seed, voxel=0.1, max_tracers=10000)
    scene.add(VortexRing(core=0.2, wobble=0.1, sections=48, layers=1))
    scene.add(Tracers(Torus(thickness=0.2), count=2000))
    scene.add(Tracers(Torus(thickness=0.1), rate=5000, start=0.05, lifetime=0.06))
    return scene


def quiet(scene: Scene, out: Path, **values) -> Manifest:
    values = {"frames": FRAMES, "volumes": VOLUMES, "progress": False, "threads": 1, **values}
    return bake(scene, out, **values)


def content(folder: Path) -> dict[str, str]:
    """Digest of every file in a folder, hidden ones too."""
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}
