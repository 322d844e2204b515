"""Houdini: a bake as VDBs, points and polygons of a Python SOP, metres and Y up.

README.md beside this file tells every step. `python -m vorton.hosts.houdini` installs the package
file and the shelf. In Houdini the functions of `sop` fill a `hou.Geometry`, and `scene.load_bake`
makes the nodes that call them; what they put there comes from `frames`, which needs no Houdini.
"""

from .frames import Y_UP, FramePoints, frame_bodies, frame_points, frame_volume
from .package import install

__all__ = ["Y_UP", "FramePoints", "frame_bodies", "frame_points", "frame_volume", "install"]
