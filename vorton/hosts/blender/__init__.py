"""Blender: bake what is in a Blender scene, and load a bake as a volume of smoke and fire.

The functions here are for scripts that run in Blender 4.2 or later, or with the module bpy. The
extension for those who write no scripts lies in the folder `extension`, and README.md beside this
file tells how to use it. Nothing here changes the scene's render settings, but for `set_filmic`
and the functions of `stage`, which are there to be asked.

>>> from vorton.hosts import blender
>>> smoke = blender.add_bake("cache/campfire")              # doctest: +SKIP
>>> blender.set_filmic()                                    # doctest: +SKIP
"""

from .export import export_scene
from .looks import GRIDS, Look, measure_look
from .materials import make_material, set_filmic
from .objects import build_scene
from .sequences import Sequence, find_sequence
from .volumes import add_bake, load_sequence, show_sequence

__all__ = [
    "GRIDS",
    "Look",
    "Sequence",
    "add_bake",
    "build_scene",
    "export_scene",
    "find_sequence",
    "load_sequence",
    "make_material",
    "measure_look",
    "set_filmic",
    "show_sequence",
]
