"""vorton: a vortex-particle fluid solver for smoke and fire.

>>> import vorton as vt
>>> scene = vt.Scene("ring")
>>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1))
>>> smoke = scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.1), count=10_000))
>>> sim = vt.Simulation(scene, fps=24)
>>> for frame in sim.frames(2):
...     sim.vortons.position, sim.tracers.position      # NumPy views of the live memory
"""

from pathlib import Path as _Path

from ._core import BusyError, CapacityError
from ._core import version as _version
from .animation import Keys, Samples, Transform
from .bake import Volumes, bake
from .effects import Attractor, Drag, Kill, Vortex, Wind, WindGrid
from .manifest import Manifest
from .method import Method
from .scene import Scene
from .shapes import Box, Disk, Mesh, Sphere, Torus
from .simulation import Simulation
from .sources import Tracers, VortexRing

__version__ = _version()

__all__ = [
    "Attractor",
    "Box",
    "BusyError",
    "CapacityError",
    "Disk",
    "Drag",
    "Keys",
    "Kill",
    "Manifest",
    "Mesh",
    "Method",
    "Samples",
    "Scene",
    "Simulation",
    "Sphere",
    "Torus",
    "Tracers",
    "Transform",
    "Volumes",
    "Vortex",
    "VortexRing",
    "Wind",
    "WindGrid",
    "bake",
    "get_include",
    "get_library",
]


def get_include() -> str:
    """Folder of vorton.h, for C programs that link the library; vorton.pc lies beside it."""
    return str(_Path(__file__).parent / "include")


def get_library() -> str:
    """Path of libvorton.so."""
    return str(_Path(__file__).parent / "libvorton.so")
