"""Samples of alembic3d from NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def xform_sample(matrix: np.ndarray) -> Any:
    import imath
    from alembic3d import AbcGeom

    sample = AbcGeom.XformSample()
    sample.setMatrix(imath.M44d(*(tuple(row) for row in matrix.tolist())))
    return sample


def imath_array(kind: Any, values: np.ndarray) -> Any:
    """An array of Imath. Samples do not keep it: it must have a name until they are written."""
    made = kind(len(values))
    if len(values):
        np.asarray(made)[...] = values
    return made
