"""The tracers of a bake as points of Alembic."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...archive.manifest import Manifest
from ...files import tracer_files
from ..usd.points import CARRIED
from .samples import imath_array


class Points:
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
            imath_array(imath.V3fArray, columns[name]) for name in ("position", "velocity")
        )
        ids, widths = (
            imath_array(imath.IntArray, columns["id"]),
            imath_array(imath.FloatArray, columns["size"]),
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
        values = imath_array(imath.FloatArray, column)
        self._parameters[name].set(AbcGeom.OFloatGeomParamSample(values, scope))
