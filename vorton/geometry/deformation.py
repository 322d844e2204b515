"""Meshes that deform: where the vertices of a body are, frame after frame."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.checks import check_array, decode_floats, encode_floats, freeze_floats
from ..definitions.fields import Definition, field
from ..definitions.tables import Table

FARTHEST = 1e9
"""m, of any vertex."""

MOST = 2**24
"""Frames, and vertices of one."""

_BODY = Table("body")


def _check_vertices(name: str, value: Any) -> np.ndarray:
    what = f"finite numbers of shape (frames, vertices, 3), m, within {FARTHEST:g}"
    if isinstance(value, Mapping):
        value = decode_floats(name, value, 3, "the frames, the vertices and 3", MOST)
    array = check_array(name, value, "fiu", what)
    if array.ndim != 3 or array.shape[2] != 3 or array.size == 0 or max(array.shape) > MOST:
        raise ValueError(f"{name} of shape {array.shape}: must be {what}")
    return freeze_floats(name, array, FARTHEST, what)


@dataclasses.dataclass(frozen=True, eq=False)
class Deformation(Definition):
    """Where the vertices of a mesh are, frame after frame: a character, a flag, a membrane.

    In between they run in straight lines; before the first frame and after the last they stand
    still. The flow meets the walls where they are, and gets their own velocity: a body that swells
    pushes fluid away, one that shrinks draws it in.

    Raises
    ------
    ValueError, TypeError
        Not finite, wrong shape or dtype. `Simulation` refuses frames in which the mesh is flat or
        inside out.

    Examples
    --------
    >>> rest = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    >>> Deformation([rest, 1.5 * rest], fps=2.0).vertices.shape
    (2, 4, 3)
    """

    vertices: np.ndarray = field(
        dataclasses.MISSING, _check_vertices,
        "as many in each frame as the mesh has, in the space of the body; within 1e9", "m",
        form="(frames, n, 3) numbers",
    )  # fmt: skip
    fps: float = _BODY("deformed_rate", doc="frames a second")
    start: float = _BODY("deformed_start", doc="time of the first frame")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, the vertices as base64 of floats."""
        vertices = encode_floats(self.vertices)
        return {"type": "Deformation", "vertices": vertices, "fps": self.fps, "start": self.start}

    def _core_rows(self) -> dict[str, Any]:
        """What the core takes of it."""
        return {"deformed_vertices": self.vertices.reshape(-1, 3), **_BODY.values(self)}
