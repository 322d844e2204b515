"""vorton: a vortex-particle fluid solver for smoke and fire.

>>> import vorton as vt
>>> scene = vt.Scene("ring")
>>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1))
>>> smoke = scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.1), count=10_000))
>>> sim = vt.Simulation(scene, fps=24)
>>> for frame in sim.frames(2):
...     sim.vortons.position, sim.tracers.position      # NumPy views of the live memory
"""

from . import first_moments as _first_moments  # noqa: F401, I001  # before all that takes time

import os as _os
from importlib import import_module as _import_module
from typing import Any as _Any

try:
    from ._core import version as _version
except ModuleNotFoundError as _error:
    if _error.name != f"{__name__}._core":
        raise
    raise ModuleNotFoundError(
        f"no module {_error.name}: {_os.path.dirname(__file__)} holds sources of vorton that are "
        "not built. Python looks first in its working folder, or in that of the script: run it "
        "from another folder, or build these by pip install -e",
        name=_error.name,
    ) from None

__version__ = _version()

# Modules are imported when they, or what they define, are asked for: `import vorton` alone costs
# hardly more than NumPy. __init__.pyi tells editors and type checkers the same.
_NAMES = {
    "_core": ("BlowUpError", "BusyError", "CapacityError"),
    "archive.manifest": ("Manifest",),
    "bakes.bake_branch": ("branch", "rewind"),
    "bakes.bake_folders": ("copy_bake", "move_bake", "prune_bake"),
    "bakes.baking": ("Volumes", "bake"),
    "bakes.deriving": ("derive",),
    "bakes.gathering": ("gather",),
    "definitions.ambient": ("Air", "Gas", "Liquid", "Water"),
    "definitions.animation": ("Keys", "Samples"),
    "definitions.combustion": ("Combustion",),
    "definitions.method": ("Method",),
    "definitions.transform": ("Transform",),
    "geometry.deformation": ("Deformation",),
    "geometry.shapes": (
        "Box",
        "Capsule",
        "Cylinder",
        "Disk",
        "Mesh",
        "Plane",
        "Polytope",
        "Sphere",
        "Surface",
        "Torus",
    ),
    "scenes.bodies": ("Body", "Container"),
    "scenes.effects": ("Kill", "Wind", "WindGrid"),
    "scenes.forces": (
        "Attractor",
        "Drag",
        "ForceGrid",
        "ForcePoints",
        "Turbulence",
        "UniformForce",
        "Vortex",
    ),
    "scenes.scene": ("Scene",),
    "scenes.scene_warning": ("SceneWarning",),
    "sdk": ("get_include", "get_library"),
    "simulations.simulation": ("Simulation",),
    "simulations.views": ("VortonFlag",),
    "sources.emitter": ("Emitter",),
    "sources.points": ("Points", "VortonPoints"),
    "sources.ring_and_tracers": ("Tracers", "VortexRing"),
    "sources.vortices": ("Filament", "Jet", "RandomCloud", "VortexTube"),
}
_MODULES = (
    "archive", "bench", "film", "hosts", "preview", "records", "sdk", "shares", "testing",
    "validation",
)  # fmt: skip
"""Those that are used by their own names."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    value = getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def _new(name: str) -> _Any:
    """An object that pickle fills: in pickles classes have their names in this package."""
    cls = __getattr__(name)
    return cls.__new__(cls)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *__all__})
