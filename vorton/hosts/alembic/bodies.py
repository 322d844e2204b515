"""The bodies of a bake as meshes of Alembic."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..body_meshes import BodyMesh, matrix_of
from ..usd.text import free_identifier
from .samples import imath_array, xform_sample


class Body:
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
        index = imath_array(imath.IntArray, corners)
        counts = imath_array(imath.IntArray, np.array([len(face) for face in body.faces]))
        self._sample = lambda form: AbcGeom.OPolyMeshSchemaSample(
            imath_array(imath.V3fArray, form), index, counts
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
        self._schema.set(xform_sample(matrix))
