"""Where an object of a host is: its matrices as transforms of vorton."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..animation import Samples, Transform

SKEW = 1e-3
"""Cosine between axes of an object above which it is sheared; also relative change of scales."""


@dataclasses.dataclass(frozen=True)
class Pose:
    """Place (m), quaternion (w, x, y, z) and scale along the object's own axes of a matrix."""

    place: tuple[float, ...]
    rotation: tuple[float, ...]
    scale: tuple[float, ...]


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
        The object is sheared, or flat.
    """
    columns = np.asarray(matrix, float)[:3, :3]
    scale = np.linalg.norm(columns, axis=0)
    if not scale.min() > 1e-9:
        raise ValueError(f"its scale is {scale.round(6).tolist()}; none may be 0")
    axes = columns / scale
    if np.linalg.det(axes) < 0:  # mirrored
        axes[:, 0], scale[0] = -axes[:, 0], -scale[0]
    if np.abs(axes.T @ axes - np.eye(3)).max() > SKEW:
        raise ValueError(
            "it is sheared: a parent that is turned against it is scaled differently along its "
            "axes; apply the scale of the parent"
        )
    place = tuple(short(x * length) for x in np.asarray(matrix, float)[:3, 3])
    return Pose(place, _quaternion(axes), tuple(short(x) for x in scale))


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
        True: all of its scale is that of the transform. False: the scale of the first frame is in
        the shape already, that of the others relative to it is the transform's.

    Raises
    ------
    ValueError
        A scale that is not the same along all axes where it must be.
    """
    first = np.array(poses[0].scale)
    scales = []
    for pose in poses:
        scale = np.array(pose.scale) / (1.0 if grows else first)
        if np.ptp(scale) > SKEW * np.abs(scale).max() or not scale.min() > 0:
            when = "" if grows else " against that of the first frame"
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
