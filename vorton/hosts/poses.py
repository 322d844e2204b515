"""Where an object of a host is: its matrices as transforms of vorton."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..definitions.animation import Samples
from ..definitions.transform import Transform

SKEW = 1e-3
"""Cosine between axes of an object above which it is sheared; also relative change of scales."""

FLAT = 1e-6
"""Volume between the axes of an object, of length 1 each, below which it is flat."""


@dataclasses.dataclass(frozen=True)
class Pose:
    """Place (m), quaternion (w, x, y, z), and what comes before that rotation: the scale along the
    object's own axes as a diagonal matrix, by rows; a parent that is turned against the object and
    scaled differently along its axes shears it, too.
    """

    place: tuple[float, ...]
    rotation: tuple[float, ...]
    stretch: tuple[tuple[float, ...], ...]

    @property
    def is_mirrored(self) -> bool:
        """Whether faces turn inside out."""
        return bool(np.linalg.det(self.stretch) < 0)

    @property
    def scale(self) -> np.ndarray | None:
        """Along the object's own axes; None where it is sheared."""
        scale = np.diagonal(self.stretch)
        return scale if np.array_equal(self.stretch, np.diag(scale)) else None

    def stretched(self, points: np.ndarray, length: float = 1.0) -> np.ndarray:
        """Points of the object, in units of `length`, before the rotation."""
        return points @ (np.array(self.stretch) * length).T


def pose_of(matrix: np.ndarray, length: float = 1.0) -> Pose:
    """The pose of an object.

    Parameters
    ----------
    matrix : (4, 4) float
        Of the world.
    length : float
        Metres of a unit of the host; the place is multiplied by it.

    Raises
    ------
    ValueError
        The object is flat.
    """
    columns = np.asarray(matrix, float)[:3, :3]
    scale = np.linalg.norm(columns, axis=0)
    if not scale.min() > 1e-9:
        raise ValueError(f"its scale is {scale.round(6).tolist()}; none may be 0")
    axes, stretch = columns / scale, np.diag(scale)
    if np.abs(axes.T @ axes - np.eye(3)).max() > SKEW:  # sheared: by its polar decomposition
        if abs(np.linalg.det(axes)) < FLAT:
            raise ValueError("it is sheared until it is flat")
        left, _, right = np.linalg.svd(columns)
        axes = left @ right
        stretch = axes.T @ columns
    if np.linalg.det(axes) < 0:  # mirrored
        axes[:, 0], stretch[0] = -axes[:, 0], -stretch[0]
    place = tuple(short(x * length) for x in np.asarray(matrix, float)[:3, 3])
    rows = tuple(tuple(short(x) + 0.0 for x in row) for row in stretch)
    return Pose(place, _quaternion(axes), rows)


def _quaternion(axes: np.ndarray) -> tuple[float, ...]:
    """Unit quaternion of a rotation matrix, w >= 0: by the largest of its four numbers."""
    squares = np.array([1, *axes.diagonal()]) @ np.array(
        [[1, 1, 1, 1], [1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]
    )
    i = int(squares.argmax())
    (a, b, c), (d, e, f), (g, h, k) = axes
    rows = [
        (squares[0], h - f, c - g, d - b),
        (h - f, squares[1], b + d, c + g),
        (c - g, b + d, squares[2], f + h),
        (d - b, c + g, f + h, squares[3]),
    ]
    q = np.array(rows[i]) / np.linalg.norm(rows[i])
    q = -q if q[0] < 0 else q
    return tuple(short(x) + 0.0 for x in np.where(np.abs(q) < 1e-7, 0, q))


def transform_of(poses: Sequence[Pose], fps: float, grows: bool) -> Transform | None:
    """The transform that an object is, frame by frame, or None where it is none.

    Parameters
    ----------
    poses : sequence of Pose
        Of each frame.
    fps : float, 1/s
    grows : bool
        True: all of its scale is that of the transform. False: the stretch of the first frame is in
        the shape already, that of the others relative to it is the transform's.

    Raises
    ------
    ValueError
        A scale that is not the same along all axes where it must be.
    """
    first = np.eye(3) if grows else np.linalg.inv(poses[0].stretch)
    when = "" if grows else " against that of the first frame"
    scales = []
    for pose in poses:
        stretch = np.array(pose.stretch) @ first
        scale = stretch.diagonal()
        most = SKEW * np.abs(scale).max()
        if np.abs(stretch - np.diag(scale)).max() > most:
            raise ValueError(
                f"it is sheared{when and ' another way than at the first frame'}: a parent that is "
                "turned against it is scaled differently along its axes; apply the scale of the "
                "parent"
            )
        if np.ptp(scale) > most or not scale.min() > 0:
            raise ValueError(
                f"its scale{when} is {scale.round(4).tolist()}; it must be the same along all axes"
            )
        scales.append(short(float(f"{scale.mean():.6g}")))
    rotations = [poses[0].rotation]
    for pose in poses[1:]:  # q and -q are the same: keep to the nearer one
        near = np.dot(pose.rotation, rotations[-1]) >= 0
        rotations.append(pose.rotation if near else tuple(-x + 0.0 for x in pose.rotation))
    place = over_time([pose.place for pose in poses], fps)
    rotation, scale = over_time(rotations, fps), over_time(scales, fps)
    if (place, rotation, scale) == ((0.0,) * 3, (1.0, 0.0, 0.0, 0.0), 1.0):
        return None
    return Transform(position=place, rotation=rotation, scale=scale)


def over_time(values: list[Any], fps: float) -> Any:
    """A constant where all values are the same, else `Samples`, less those at the end that repeat.

    Parameters
    ----------
    values : list
        Of each frame, the first at time 0.
    fps : float, 1/s
    """
    last = len(values)
    while last > 1 and values[last - 1] == values[last - 2]:
        last -= 1
    return values[0] if last == 1 else Samples(values[:last], fps=fps)


@functools.lru_cache(maxsize=2**16)
def short(number: float) -> float:
    """The float64 of the fewest digits that is this float32: 0.1, not 0.10000000149011612."""
    return float(np.format_float_positional(np.float32(number), unique=True, trim="0"))
