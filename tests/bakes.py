"""A small bake for the tests of bakes."""

import copy
import hashlib
from pathlib import Path

import vorton as vt
from vorton import Manifest, Scene, Torus, Tracers, Volumes, VortexRing, bake
from vorton.archive import Archive

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


def spoil(path: Path, frame: int) -> None:
    """Flip a bit near the end of a frame of an archive."""
    with Archive(path) as archive:
        end = sum(archive._places[frame])
    raw = bytearray(path.read_bytes())
    raw[end - 100] ^= 1
    path.write_bytes(raw)


def branch_with_other_bodies(folder: Path) -> Manifest:
    """Two balls fall, the first is removed after frame 2; a third body then stands elsewhere."""
    both = Scene("balls", voxel=0.1)
    both.add(vt.Tracers(vt.Sphere((0, 0, 3), 0.2), count=20))
    rest = copy.copy(both)
    for n, density in enumerate((300.0, 500.0)):
        both.add(vt.Body(vt.Sphere((n, 0, 0), 0.2), density=density, name=f"ball {n}"))
    rest.add(both.bodies[1])
    rest.add(vt.Body(vt.Box((-3, 0, 0), (-2.5, 0.5, 0.5)), name="box"))
    quiet(both, folder / "both", frames=(1, 3), volumes=None)
    return vt.branch(rest, folder / "both", folder / "rest", frame=2, progress=False, threads=1)
