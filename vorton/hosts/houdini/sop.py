"""What Python SOPs of Houdini call: each function fills a `hou.Geometry` with a frame of a bake.

    from vorton.hosts.houdini import sop
    node = hou.pwd()
    sop.load_volumes(node.geometry(), "/shots/campfire", hou.intFrame())

A frame that is not baked gives empty geometry, as an end of a shot does.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from . import frames

if TYPE_CHECKING:
    import hou


def load_volumes(geometry: hou.Geometry, place: str | os.PathLike[str], number: int) -> None:
    """The VDBs of a frame, named density, vel, temperature, flame, fuel; Y up.

    Houdini turns vel with the grid, since the file says that it is a velocity.

    Parameters
    ----------
    geometry : hou.Geometry
        Of the SOP; what it holds is replaced.
    place : path
        Bake folder, or its manifest.
    number : int
        Frame of the bake, 1 is the start.

    Raises
    ------
    ValueError, OSError
        No bake there; one without volumes.
    """
    import hou

    geometry.clear()
    found = frames.frame_volume(place, number)
    if found is None:
        return
    path, names = found
    geometry.loadFromFile(str(path))
    for prim in geometry.prims():
        name = str(prim.attribValue("name"))
        prim.setAttribValue("name", names.get(name, name))
    geometry.transform(hou.Matrix4(frames.Y_UP))


def load_points(geometry: hou.Geometry, place: str | os.PathLike[str], number: int) -> None:
    """The tracers of a frame as points with id, v, pscale, Cd, age, mass, and those of fire; Y up.

    Parameters, errors: as of `load_volumes`, of a bake without tracers.
    """
    import hou

    geometry.clear()
    points = frames.frame_points(place, number)
    if points is None:
        return
    count = len(points.position)
    if count:
        geometry.createPoints(points.position.tolist())
    for name, values in points.floats.items():
        vector = values.ndim == 2
        default = (0.0, 0.0, 0.0) if vector else 0.0
        attribute = geometry.addAttrib(hou.attribType.Point, name, default)
        if name == "v":
            attribute.setOption("type", "vector")
        if count:
            geometry.setPointFloatAttribValuesFromString(name, _bytes(values))
    geometry.addAttrib(hou.attribType.Point, "id", -1)
    if count:
        geometry.setPointIntAttribValuesFromString("id", _bytes(points.id), hou.numericData.Int32)


def load_bodies(geometry: hou.Geometry, place: str | os.PathLike[str], number: int) -> None:
    """The bodies of a frame as polygons, with the primitive attribute name; Y up.

    Parameters, errors: as of `load_volumes`. A Polytope needs SciPy.
    """
    import hou

    geometry.clear()
    bodies = frames.frame_bodies(place, number)
    if not bodies:
        return
    geometry.addAttrib(hou.attribType.Prim, "name", "")
    for name, vertices, faces in bodies:
        first = geometry.createPoints(vertices.tolist())[0].number()
        # Houdini's polygons are clockwise seen from outside.
        corners = [[first + i for i in reversed(face)] for face in faces]
        for prim in geometry.createPolygons(corners):
            prim.setAttribValue("name", name)


def _bytes(values: np.ndarray) -> bytes:
    return np.ascontiguousarray(values).tobytes()
