"""vorton: a vortex-particle fluid solver for smoke and fire.

>>> import vorton as vt
>>> scene = vt.Scene("ring")
>>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1))
>>> smoke = scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.1), count=10_000))
>>> sim = vt.Simulation(scene, fps=24)
>>> for frame in sim.frames(2):
...     sim.vortons.position, sim.tracers.position      # NumPy views of the live memory
"""

import os as _os
from importlib import import_module as _import_module
from typing import Any as _Any

try:
    from . import first_moments as _first_moments  # noqa: F401  # before all that takes time
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
    "ambient": ("Air", "Gas", "Liquid", "Water"),
    "animation": ("Keys", "Samples"),
    "bake_branch": ("branch", "rewind"),
    "bake_folders": ("copy_bake", "move_bake", "prune_bake"),
    "baking": ("Volumes", "bake"),
    "bodies": ("Body", "Container"),
    "combustion": ("Combustion",),
    "deformation": ("Deformation",),
    "deriving": ("derive",),
    "effects": ("Kill", "Wind", "WindGrid"),
    "emitter": ("Emitter",),
    "forces": (
        "Attractor",
        "Drag",
        "ForceGrid",
        "ForcePoints",
        "Turbulence",
        "UniformForce",
        "Vortex",
    ),
    "manifest": ("Manifest",),
    "method": ("Method",),
    "points": ("Points", "VortonPoints"),
    "scene": ("Scene",),
    "scene_advice": ("SceneWarning",),
    "sdk": ("get_include", "get_library"),
    "shapes": (
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
    "simulation": ("Simulation",),
    "sources": ("Tracers", "VortexRing"),
    "transform": ("Transform",),
    "views": ("VortonFlag",),
    "vortices": ("Filament", "Jet", "RandomCloud", "VortexTube"),
}
_MODULES = ("archive", "film", "hosts", "preview", "records", "shares", "testing", "validation")
"""Those that are used by their own names."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> _Any:
    if name in _NAMES or name in _MODULES:
        return _import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    value = getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES, *_MODULES, *__all__})
