"""vorton: a vortex-particle fluid solver for smoke and fire.

>>> import vorton as vt
>>> scene = vt.Scene("ring")
>>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1))
>>> smoke = scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.1), count=10_000))
>>> sim = vt.Simulation(scene, fps=24)
>>> for frame in sim.frames(2):
...     sim.vortons.position, sim.tracers.position      # NumPy views of the live memory
"""

import sys as _sys
from pathlib import Path as _Path

try:
    from . import first_moments as _first_moments  # noqa: F401  # before all that takes time
    from ._core import BlowUpError, BusyError, CapacityError
    from ._core import version as _version
except ModuleNotFoundError as _error:
    if _error.name != f"{__name__}._core":
        raise
    raise ModuleNotFoundError(
        f"no module {_error.name}: {_Path(__file__).parent} holds sources of vorton that are not "
        "built. Python looks first in its working folder, or in that of the script: run it from "
        "another folder, or build these by pip install -e",
        name=_error.name,
    ) from None
from .ambient import Air, Gas, Liquid, Water
from .animation import Keys, Samples, Transform
from .bake import Volumes, bake, derive
from .bake_branch import branch, rewind
from .bake_folders import copy_bake, move_bake, prune_bake
from .bodies import Body, Container
from .combustion import Combustion
from .effects import Kill, Wind, WindGrid
from .emitter import Emitter
from .forces import (
    Attractor,
    Drag,
    ForceGrid,
    ForcePoints,
    Turbulence,
    UniformForce,
    Vortex,
)
from .manifest import Manifest
from .method import Method
from .opening import SceneWarning
from .points import Points, VortonPoints
from .scene import Scene
from .shapes import (
    Box,
    Capsule,
    Cylinder,
    Disk,
    Mesh,
    Plane,
    Polytope,
    Sphere,
    Surface,
    Torus,
)
from .simulation import Simulation
from .sources import Tracers, VortexRing
from .views import VortonFlag
from .vortices import Filament, Jet, RandomCloud, VortexTube

__version__ = _version()

__all__ = [
    "Air",
    "Attractor",
    "BlowUpError",
    "Body",
    "Box",
    "BusyError",
    "CapacityError",
    "Capsule",
    "Combustion",
    "Container",
    "Cylinder",
    "Disk",
    "Drag",
    "Emitter",
    "Filament",
    "ForceGrid",
    "ForcePoints",
    "Gas",
    "Jet",
    "Keys",
    "Kill",
    "Liquid",
    "Manifest",
    "Mesh",
    "Method",
    "Plane",
    "Points",
    "Polytope",
    "RandomCloud",
    "Samples",
    "Scene",
    "SceneWarning",
    "Simulation",
    "Sphere",
    "Surface",
    "Torus",
    "Tracers",
    "Transform",
    "Turbulence",
    "UniformForce",
    "Volumes",
    "Vortex",
    "VortexRing",
    "VortexTube",
    "VortonFlag",
    "VortonPoints",
    "Water",
    "Wind",
    "WindGrid",
    "bake",
    "branch",
    "copy_bake",
    "derive",
    "get_include",
    "get_library",
    "move_bake",
    "prune_bake",
    "rewind",
]


def get_include() -> str:
    """Folder of vorton.h, for C programs that link the library; vorton.pc lies beside it."""
    return str(_Path(__file__).parent / "include")


def get_library() -> str:
    """Path of the C library, which is named after its major version (see setup.py)."""
    names = {"darwin": "libvorton.{}.dylib", "win32": "vorton-{}.dll"}
    name = names.get(_sys.platform, "libvorton.so.{}").format(__version__.split(".")[0])
    return str(_Path(__file__).parent / name)
