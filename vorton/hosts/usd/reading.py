"""Bodies and cameras from USD stages, in metres with Z up, frame by frame.

Frame 1, the time 0 of vorton, is the first time code of the stage. Frames come at its
`framesPerSecond`; where it does not say, each time code is one. A stage that does not say where it
begins and ends does so with the samples of its transforms and meshes.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...base.checks import check_number, shown
from ...geometry.deformation import Deformation
from ...geometry.shapes import Box, Capsule, Cylinder, Shape, Sphere
from ...preview.rendering import Camera
from ...scenes.bodies import Body
from .. import meshes
from ..poses import pose_of, short, transform_of
from ..shape_meshes import mesh_of
from .points import load_usd

Z_FROM_Y = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], float)
"""What a Y up axis makes Z up."""

SIMPLE = ("Sphere", "Cube", "Cylinder", "Capsule")
"""Schemas of prims that are shapes without a mesh."""

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}

LEAST_VIEW = 1e-3
"""Nearest that a target lies before a camera, m."""


@dataclasses.dataclass
class _Shot:
    """An open stage with the time codes of its frames."""

    stage: Any
    times: list[float]
    fps: float
    length: float
    turn: np.ndarray

    def matrix(self, prim: Any, time: float) -> np.ndarray:
        """From the space of a prim to the world, columns as vorton has them; lengths as the stage
        has them."""
        from pxr import UsdGeom

        world = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time)
        return self.turn @ np.array(world).T


def _open(path: str | os.PathLike[str], start: float | None) -> _Shot:
    load_usd()
    from pxr import Tf, Usd, UsdGeom

    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: no such file")
    try:
        stage = Usd.Stage.Open(os.fspath(path))
    except Tf.ErrorException as error:
        raise ValueError(f"{path}: is not a USD stage: {error}") from error
    codes = stage.GetTimeCodesPerSecond()
    fps = stage.GetFramesPerSecond() if stage.HasAuthoredMetadata("framesPerSecond") else codes
    first, last = _range(stage)
    first = first if start is None else check_number("start", start)
    step = codes / fps
    count = max(math.floor((last - first) / step + 1e-6), 0) + 1
    up = UsdGeom.GetStageUpAxis(stage)
    turn = Z_FROM_Y if up == UsdGeom.Tokens.y else np.eye(4)
    times = [first + step * i for i in range(count)]
    return _Shot(stage, times, fps, UsdGeom.GetStageMetersPerUnit(stage), turn)


def _range(stage: Any) -> tuple[float, float]:
    """The time codes of the first frame and of the last."""
    from pxr import Usd, UsdGeom

    if stage.HasAuthoredTimeCodeRange():
        return stage.GetStartTimeCode(), stage.GetEndTimeCode()
    found: list[float] = []
    for prim in Usd.PrimRange(
        stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)
    ):
        if prim.IsA(UsdGeom.Xformable):
            found += UsdGeom.Xformable(prim).GetTimeSamples()
        if prim.IsA(UsdGeom.Mesh):
            found += UsdGeom.Mesh(prim).GetPointsAttr().GetTimeSamples()
    return (min(found), max(found)) if found else (0.0, 0.0)


def _prims(shot: _Shot, kind: Any, where: Sequence[str] | None) -> Iterator[Any]:
    """Visible prims of a schema at these paths and below, None: anywhere."""
    from pxr import Sdf, Usd, UsdGeom

    for name in where if where is not None else ["/"]:
        if not isinstance(name, str):
            raise TypeError(f"prims: {shown(name)} is not the path of a prim: must be a text")
        if not Sdf.Path.IsValidPathString(name) or not shot.stage.GetPrimAtPath(name):
            raise ValueError(f"prims: {name!r} is not the path of a prim of the stage")
        everything = Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)
        for prim in Usd.PrimRange(shot.stage.GetPrimAtPath(name), everything):
            seen = UsdGeom.Imageable(prim)
            if not prim.IsA(kind):
                continue
            if seen.ComputeVisibility(shot.times[0]) != UsdGeom.Tokens.invisible:
                yield prim


def read_bodies(
    path: str | os.PathLike[str],
    *,
    prims: Sequence[str] | None = None,
    start: float | None = None,
) -> list[Body]:
    """The meshes of a USD stage as bodies, which move as their prims do.

    Prims of the schemas Mesh, Sphere, Cube, Cylinder and Capsule are taken. Balls, boxes,
    cylinders, capsules and tori become such shapes, flat meshes planes without end; any other mesh
    stays as it is, in triangles. One whose points move deforms, with as many of them in all frames.
    Invisible prims, and those whose purpose is `guide` or `proxy`, are left out.

    Parameters
    ----------
    path : path
        A .usda, .usdc, .usd or .usdz file.
    prims : sequence of str, optional
        Paths of prims: what they are and what lies below them; default: everything.
    start : number, optional
        Time code that becomes time 0; default: the first of the stage.

    Returns
    -------
    list of Body
        In the order of the stage, each named after its prim, or after the Xform that it lies in
        alone. Give them to a scene by `Scene.add`;
        `dataclasses.replace(body, temperature=600)` sets what USD does not say.

    Raises
    ------
    ValueError
        A mesh that is open, or has another number of points in other frames, a prim that is
        sheared, or scaled differently along its axes in the course of time: its path. No mesh at
        all; a path without a prim; a file that is not a stage.
    TypeError
        `prims` is no sequence of texts.
    FileNotFoundError, ModuleNotFoundError
        No such file; without usd-core.

    Examples
    --------
    >>> for body in read_bodies("set.usda", prims=["/set/rocks"]):     # doctest: +SKIP
    ...     scene.add(body)
    """
    if isinstance(prims, (str, bytes)) or not isinstance(prims, (Sequence, type(None))):
        raise TypeError(f"prims = {shown(prims)}: must be a list of paths, as ['/set/rocks']")
    shot = _open(path, start)
    from pxr import UsdGeom

    bodies: list[Body] = []
    names: set[str] = set()
    for prim in _prims(shot, UsdGeom.Gprim, prims):
        if not prim.IsA(UsdGeom.Mesh) and prim.GetTypeName() not in SIMPLE:
            continue
        if UsdGeom.Imageable(prim).ComputePurpose() in ("guide", "proxy"):
            continue
        name = _free_name(prim, names)
        try:
            bodies.append(_body(shot, prim, name))
        except (TypeError, ValueError) as error:
            text = str(error).removeprefix(f"body {name!r}: ")
            raise ValueError(f"{path}: {prim.GetPath()}: {text}") from error
    if not bodies:
        raise ValueError(f"{path}: holds no visible mesh" + (f" in {list(prims)}" if prims else ""))
    return bodies


def _free_name(prim: Any, taken: set[str]) -> str:
    """The end of a prim's path, as long as it takes, and allowed, to be the only one.

    A mesh that lies alone in an Xform, and is placed by that, has its name: that of the object.
    """
    from pxr import UsdGeom

    parent = prim.GetParent()
    alone = [child for child in parent.GetChildren() if child.IsA(UsdGeom.Gprim)] == [prim]
    if alone and parent.IsA(UsdGeom.Xform) and not UsdGeom.Xformable(prim).GetOrderedXformOps():
        prim = parent
    parts = str(prim.GetPath()).strip("/").split("/")
    names = ("/".join(parts[-n:])[-63:] for n in range(1, len(parts) + 1))
    name = next((name for name in names if name not in taken), f"mesh {len(taken)}")
    taken.add(name)
    return name


def _body(shot: _Shot, prim: Any, name: str) -> Body:
    poses = [pose_of(shot.matrix(prim, time), shot.length) for time in shot.times]
    parent = transform_of(poses, shot.fps, grows=False)
    pose = poses[0]
    if prim.GetTypeName() in SIMPLE:
        shape = _simple_shape(prim, shot.times[0])
        sheared = pose.scale is None
        scaled = None if sheared else _scaled(shape, np.abs(pose.scale) * shot.length)
        if scaled is not None:
            return Body(scaled, name=name, parent=parent)
        made = mesh_of(shape)
        vertices, faces, frames = made.placed(), _split(made.faces), None
    else:
        vertices, faces, frames = _triangles(shot, prim)
    if pose.is_mirrored:
        faces = faces[:, ::-1]
    vertices = pose.stretched(vertices, shot.length)
    if frames is None:
        return Body(meshes.solid(vertices, faces), name=name, parent=parent)
    mesh, kept = meshes.deforming(pose.stretched(frames, shot.length), faces)
    return Body(mesh, name=name, parent=parent, deformation=Deformation(kept, fps=shot.fps))


def _scaled(shape: Shape, scale: np.ndarray) -> Shape | None:
    """A round shape with an axis of its own along x, y or z, scaled; None: a mesh must say it."""
    if isinstance(shape, Cylinder):
        along = int(np.argmax(np.abs(shape.axis)))
        across = np.delete(scale, along)
        if np.ptp(across) <= meshes.CLOSE * across.max():
            radius, length = short(shape.radius * across[0]), short(shape.length * scale[along])
            return Cylinder(radius=radius, length=length, axis=shape.axis)
    if isinstance(shape, Capsule) and np.ptp(scale) <= meshes.CLOSE * scale.max():
        ends = (tuple(short(x * scale[0]) for x in end) for end in (shape.start, shape.end))
        return Capsule(*ends, radius=short(shape.radius * scale[0]))
    return None


def _triangles(shot: _Shot, prim: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Vertices in the prim's own space at the first frame, triangles, counter-clockwise seen from
    outside, and the vertices of all frames where they move.
    """
    from pxr import UsdGeom

    mesh = UsdGeom.Mesh(prim)
    first = shot.times[0]
    points, counts, index = (
        attribute.Get(first)
        for attribute in (
            mesh.GetPointsAttr(),
            mesh.GetFaceVertexCountsAttr(),
            mesh.GetFaceVertexIndicesAttr(),
        )
    )
    if not points or not counts or not index:
        raise ValueError("its mesh has no faces")
    vertices = np.array(points, float)
    frames = []
    for time in shot.times if mesh.GetPointsAttr().ValueMightBeTimeVarying() else ():
        frames.append(np.array(mesh.GetPointsAttr().Get(time), float))
        if len(frames[-1]) != len(vertices):
            text = (
                f"it has {len(frames[-1])} points at time code {time:g}, {len(vertices)} at first"
            )
            raise ValueError(f"{text}: a body has as many in all frames")
    faces = _split(np.split(np.array(index), np.cumsum(counts)[:-1]))
    if faces.size and not 0 <= faces.min() <= faces.max() < len(vertices):
        raise ValueError(f"its faces have corners that are not among its {len(vertices)} points")
    if mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
        faces = faces[:, ::-1]
    moves = any(not np.array_equal(vertices, now) for now in frames)
    return vertices, faces, np.array(frames) if moves else None


def _split(polygons: Iterable[Any]) -> np.ndarray:
    """The triangles of polygons, (n, 3)."""
    triangles = [(f[0], f[i], f[i + 1]) for f in polygons for i in range(1, len(f) - 1)]
    return np.array(triangles, np.int64).reshape(-1, 3)


def _simple_shape(prim: Any, time: float) -> Shape:
    """What a prim of one of the schemas `SIMPLE` is, about its origin."""

    def number(name: str) -> float:
        attribute = prim.GetAttribute(name)
        if attribute.ValueMightBeTimeVarying():
            raise ValueError(f"its {name} changes in time: a body is rigid")
        return float(attribute.Get(time))

    kind = prim.GetTypeName()
    if kind == "Sphere":
        return Sphere(radius=number("radius"))
    if kind == "Cube":
        half = number("size") / 2
        return Box((-half,) * 3, (half,) * 3)
    axis = AXES[prim.GetAttribute("axis").Get()]
    radius, height = number("radius"), number("height")
    if kind == "Cylinder":
        return Cylinder(radius=radius, length=height, axis=axis)
    x, y, z = (height / 2 * part for part in axis)
    return Capsule((-x, -y, -z), (x, y, z), radius)


def read_camera(
    path: str | os.PathLike[str], *, prim: str | None = None, start: float | None = None
) -> list[Camera]:
    """A camera of a USD stage as one of `vorton.preview`, for each frame.

    Parameters
    ----------
    path : path
        A .usda, .usdc, .usd or .usdz file.
    prim : str, optional
        Path of the camera; default: the only one that is visible.
    start : number, optional
        As of `read_bodies`.

    Returns
    -------
    list of Camera
        One a frame, the first at time 0. It looks at the distance of focus, where the stage gives
        one. Of its film only the height counts; a shift of the film is left out.

    Raises
    ------
    ValueError
        None or several cameras; one that is not in perspective, or sees less than 5 degrees of the
        height, or more than 120; a file that is not a stage.
    FileNotFoundError, ModuleNotFoundError
        No such file; without usd-core.

    Examples
    --------
    >>> cameras = read_camera("set.usda", prim="/set/camera")         # doctest: +SKIP
    >>> picture = vorton.preview.render(volume, cameras[0])            # doctest: +SKIP
    """
    shot = _open(path, start)
    from pxr import UsdGeom

    found = list(_prims(shot, UsdGeom.Camera, None if prim is None else [prim]))
    if len(found) != 1:
        has = ", ".join(str(one.GetPath()) for one in found) or "none"
        raise ValueError(f"{path}: must hold one camera, or name one with prim=...; it has {has}")
    return [_camera(shot, found[0], time) for time in shot.times]


def _camera(shot: _Shot, prim: Any, time: float) -> Camera:
    from pxr import Gf, UsdGeom

    camera = UsdGeom.Camera(prim).GetCamera(time)
    if camera.projection != Gf.Camera.Perspective:
        raise ValueError(f"{prim.GetPath()}: its projection is not perspective")
    turn, frustum = shot.turn[:3, :3], camera.frustum
    eye, view, up = (
        turn @ np.array(found)
        for found in (frustum.position, frustum.ComputeViewDirection(), frustum.ComputeUpVector())
    )
    eye = shot.length * eye
    away = max(shot.length * camera.focusDistance, LEAST_VIEW) if camera.focusDistance else 1.0
    target = eye + away * view
    angle = camera.GetFieldOfView(Gf.Camera.FOVVertical)
    try:
        return Camera(tuple(eye), tuple(target), tuple(up), angle)
    except ValueError as error:
        raise ValueError(f"{prim.GetPath()}: {error}") from error
