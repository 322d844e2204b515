"""A bake as an Alembic archive (Ogawa), frame after frame, through alembic3d.

    ring                  Xform: Y up and the unit of the host, against Z up and metres inside
    ring/tracers          Points
    ring/NAME, NAME_mesh  Xform and PolyMesh of each body

Frame n is at n / fps seconds, which hosts show at their frame n.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ...archive.manifest import Manifest
from ...base.checks import check_choice, check_flag
from ...base.extras import load_extra
from ...base.progress import Callback, Progress
from ...files import tracer_files
from ...files.disk import replaced
from ...scenes.scene import Scene
from ..body_meshes import BodyMesh, body_meshes, matrix_of
from ..usd.points import CARRIED
from ..usd.stage import PRESETS, UPS
from ..usd.text import free_identifier, identifier

SUFFIX = ".abc"


def write_alembic(
    place: str | os.PathLike[str],
    *,
    preset: str = "usd",
    up: str = "y",
    points: bool = True,
    progress: bool | Callback = True,
) -> Path:
    """Write the tracers and the bodies of a bake into its folder: `name.abc`.

    Parameters
    ----------
    place : path
        Bake folder, or its manifest.
    preset : "usd", "houdini", "karma", "maya" or "unreal"
        Its unit, as of `vorton.hosts.usd.make_stage`; default "usd": metres.
    up : "y" or "z"
        Up axis, default "y", which all hosts expect of Alembic.
    points : bool
        The tracers, too, where the bake has them; default True.
    progress : bool or function
        As for `bake`.

    Returns
    -------
    Path
        Of the archive.

    Raises
    ------
    ValueError, TypeError, OSError
        A bad argument; no bake there, one that lacks frames, or has nothing that Alembic can hold;
        a file that cannot be read or written.
    ModuleNotFoundError
        Without alembic3d; a body that is a Polytope without SciPy.
    """
    unit = PRESETS[check_choice("preset", preset, tuple(PRESETS))].unit
    up = check_choice("up", up, UPS)
    manifest = Manifest.find(place)
    manifest.check_complete()
    scene = Scene.from_dict(manifest.data["scene"], manifest.folder)
    bodies = body_meshes(manifest, scene, manifest.frames)
    has_points = check_flag("points", points) and manifest.data["tracers"]
    if not bodies and not has_points:
        raise ValueError(f"{manifest.path}: has neither tracers nor bodies; Alembic has no volumes")
    load_extra("alembic3d", "Alembic archives need alembic3d: pip install alembic3d")
    name = manifest.data["name"]
    path = manifest.folder / f"{name}{SUFFIX}"
    with replaced(path) as part, Progress(len(manifest.frames), f"stage {name}", progress) as steps:
        _write(part, manifest, bodies, has_points, (up, unit), steps)
    return path


def _write(
    path: Path,
    manifest: Manifest,
    bodies: list[BodyMesh],
    has_points: bool,
    placed: tuple[str, float],
    steps: Progress,
) -> None:
    from alembic3d import Abc, AbcCoreAbstract, AbcGeom

    fps, first = manifest.data["fps"], manifest.frames[0]
    try:
        archive = Abc.OArchive(str(path))
    except RuntimeError as error:
        raise OSError(f"cannot write {path}: {error}") from error
    times = archive.addTimeSampling(AbcCoreAbstract.TimeSampling(1 / fps, first / fps))
    root = AbcGeom.OXform(archive.getTop(), identifier(manifest.data["name"]))
    root.getSchema().set(_xform(_root_matrix(*placed)))
    writers: list[Any] = []
    if has_points:
        writers.append(_Points(root, times, manifest))
    names = {"tracers"} if has_points else set()
    for body in bodies:
        if not body.container:
            sometimes = len(body.places) < len(manifest.frames)
            writers.append(_Body(root, times, body, names, sometimes))
    for number in manifest.frames:
        for writer in writers:
            writer.write(number)
        steps.advance()


def _root_matrix(up: str, unit: float) -> np.ndarray:
    """From metres and Z up, rows of coordinates times the matrix."""
    turn = np.eye(4)
    if up == "y":
        turn[1:3, 1:3] = [(0, -1), (1, 0)]
    turn[:3] /= unit
    return turn


def _xform(matrix: np.ndarray) -> Any:
    import imath
    from alembic3d import AbcGeom

    sample = AbcGeom.XformSample()
    sample.setMatrix(imath.M44d(*(tuple(row) for row in matrix.tolist())))
    return sample


def _array(kind: Any, values: np.ndarray) -> Any:
    """An array of Imath. Samples do not keep it: it must have a name until they are written."""
    made = kind(len(values))
    if len(values):
        np.asarray(made)[...] = values
    return made


class _Points:
    """The tracers, a sample a frame."""

    def __init__(self, root: Any, times: int, manifest: Manifest) -> None:
        from alembic3d import AbcGeom

        self._manifest, self._times = manifest, times
        self._schema = AbcGeom.OPoints(root, "tracers", times).getSchema()
        self._parameters: dict[str, Any] = {}

    def write(self, number: int) -> None:
        import imath
        from alembic3d import AbcGeom

        columns = tracer_files.read(self._manifest.file(number, ".npz"))
        position, velocity = (
            _array(imath.V3fArray, columns[name]) for name in ("position", "velocity")
        )
        ids, widths = (
            _array(imath.IntArray, columns["id"]),
            _array(imath.FloatArray, columns["size"]),
        )
        each = AbcGeom.OFloatGeomParamSample(widths, AbcGeom.GeometryScope.kVaryingScope)
        self._schema.set(AbcGeom.OPointsSchemaSample(position, ids, velocity, each))
        for name in CARRIED:
            if name in columns:
                self._write_parameter(name, columns[name])

    def _write_parameter(self, name: str, column: np.ndarray) -> None:
        import imath
        from alembic3d import AbcGeom

        scope = AbcGeom.GeometryScope.kVaryingScope
        if name not in self._parameters:
            where = self._schema.getArbGeomParams()
            made = AbcGeom.OFloatGeomParam(where, name, False, scope, 1, self._times)
            self._parameters[name] = made
        values = _array(imath.FloatArray, column)
        self._parameters[name].set(AbcGeom.OFloatGeomParamSample(values, scope))


class _Body:
    """A body: its mesh once, and where it is in each frame, hidden where it is not there."""

    def __init__(
        self, root: Any, times: int, body: BodyMesh, taken: set[str], sometimes: bool
    ) -> None:
        import imath
        from alembic3d import AbcGeom

        name = free_identifier(body.name, taken)
        self._body = body
        self._place = next(iter(body.places.values()))
        xform = AbcGeom.OXform(root, name, times)
        self._visible = AbcGeom.CreateVisibilityProperty(xform, times) if sometimes else None
        self._schema = xform.getSchema()
        mesh = AbcGeom.OPolyMesh(xform, f"{name}_mesh", times if body.forms else 0)
        # Polygons of Alembic are clockwise seen from outside.
        corners = np.array([i for face in body.faces for i in reversed(face)])
        self._mesh, self._form = mesh.getSchema(), body.vertices
        if body.forms:
            self._form = next(iter(body.forms.values()))
        index = _array(imath.IntArray, corners)
        counts = _array(imath.IntArray, np.array([len(face) for face in body.faces]))
        self._sample = lambda form: AbcGeom.OPolyMeshSchemaSample(
            _array(imath.V3fArray, form), index, counts
        )
        if not body.forms:
            self._mesh.set(self._sample(body.vertices))

    def write(self, number: int) -> None:
        self._place = place, rotation = self._body.places.get(number, self._place)
        if self._visible is not None:
            self._visible.setValue(int(number in self._body.places))  # 1 visible, 0 hidden
        if self._body.forms:
            self._form = self._body.forms.get(number, self._form)
            self._mesh.set(self._sample(self._form))
        matrix = np.eye(4)
        matrix[:3, :3], matrix[3, :3] = matrix_of(rotation).T, place
        self._schema.set(_xform(matrix))
