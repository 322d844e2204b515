"""The camera of a preview.

>>> camera = Camera.frame((-1, -1, 0), (1, 1, 3))       # bounds of the whole shot, m
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np

from ..base.checks import check_number, check_vector, shown
from ..definitions.tables import Table, check_row

_PREVIEW = Table("preview")
AZIMUTH = -65.0
"""Degrees around Z from which a camera looks that is not told: from in front, a little aside."""

_FIELD_OF_VIEW: float = _PREVIEW.default("field_of_view")


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


@dataclasses.dataclass(frozen=True)
class Camera:
    """A perspective camera.

    Parameters
    ----------
    eye, target : 3 numbers, m
        Where it is and what it looks at; they differ, and lie within 1e9.
    up : 3 numbers
        What is up in the picture, not along the view; default Z.
    field_of_view : number, degrees
        Vertical, 5 to 120, default 35.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, its value and what is allowed.
    """

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    up: tuple[float, float, float] = _PREVIEW.default("up")
    field_of_view: float = _FIELD_OF_VIEW

    def __post_init__(self) -> None:
        for name in ("eye", "target", "up", "field_of_view"):
            check = check_row(_PREVIEW.rows[name])
            object.__setattr__(self, name, check(f"Camera.{name}", getattr(self, name)))
        if self.eye == self.target:
            raise ValueError(f"Camera.target = {self.target}: must differ from eye")
        view = _unit(np.subtract(self.target, self.eye))
        if np.linalg.norm(np.cross(view, _unit(np.array(self.up)))) < 1e-5:
            raise ValueError(
                f"Camera.up = {self.up}: must not be along the view from eye to "
                f"target, {tuple(view.tolist())}"
            )

    @classmethod
    def frame(
        cls,
        lower: Any,
        upper: Any,
        size: tuple[int, int] = (640, 480),
        *,
        azimuth: float = AZIMUTH,
        elevation: float = -5.0,
        margin: float = 0.08,
        field_of_view: float = _FIELD_OF_VIEW,
    ) -> Camera:
        """The camera that sees a whole box, from in front, a little aside and from below.

        Frame the bounds of a whole shot, not those of a frame: a camera that follows the smoke
        takes its motion away.

        Parameters
        ----------
        lower, upper : 3 numbers, m
            Corners of the box.
        size : 2 whole numbers
            Width and height of the picture in pixels: their ratio counts.
        azimuth : number, degrees
            Where the eye is around Z: 0 along +X, -90 (in front) along -Y; default -65.
        elevation : number, degrees
            How high the eye is, -80 to 80; default -5, from below, as one looks up at smoke.
        margin : number
            Free share of the picture on each side, 0 to .4, default .08.
        field_of_view : number, degrees
            Default 35.

        Returns
        -------
        Camera

        Examples
        --------
        >>> Camera.frame((-1, -1, 0), (1, 1, 2), azimuth=-90, elevation=0).target
        (0.0, 0.0, 1.0)
        """
        low = np.array(check_vector("lower", lower, unit="m"))
        high = np.array(check_vector("upper", upper, unit="m"))
        if np.any(low > high):
            raise ValueError(f"upper = {shown(upper)}: must not be below lower = {shown(lower)}")
        width, height = check_size(size)
        around = math.radians(check_number("azimuth", azimuth))
        above = math.radians(check_number("elevation", elevation, least=-80, most=80))
        free = 1 - 2 * check_number("margin", margin, least=0, most=0.4)
        angle = check_row(_PREVIEW.rows["field_of_view"])("field_of_view", field_of_view)
        level = math.cos(above)
        back = np.array(
            [level * math.cos(around), level * math.sin(around), math.sin(above)],
        )
        right = _unit(np.cross((0.0, 0.0, 1.0), back))
        axes = np.stack([right, np.cross(back, right), back])
        half_height = free * math.tan(math.radians(angle) / 2)
        centre, distance = _fit(low, high, axes, half_height * width / height, half_height)
        return cls(tuple(centre + distance * back), tuple(centre), field_of_view=angle)


def _fit(
    low: np.ndarray, high: np.ndarray, axes: np.ndarray, half_width: float, half_height: float
) -> tuple[np.ndarray, float]:
    """Target and distance at which the corners of a box just fit a view along -axes[2].

    half_width and half_height are those of the view at distance 1.
    """
    half = np.array([half_width, half_height])
    centre = (low + high) / 2
    corners = np.array(list(itertools.product(*zip(low, high, strict=True)))) - centre
    across, towards = corners @ axes[:2].T, corners @ axes[2]
    # Left and right (bottom and top) corners lie at different depths: each wants its own shift.
    reach = towards[:, None]
    shift = ((across + reach * half).max(0) + (across - reach * half).min(0)) / 2
    distance = float((np.abs(across - shift) / half + reach).max())
    smallest = 1e-3 * max(1.0, float(np.abs(centre).max()))
    return centre + shift @ axes[:2], max(distance, smallest)


def check_size(size: Any) -> tuple[int, int]:
    """Width and height of a picture, pixels."""
    try:
        width, height = size
    except (TypeError, ValueError):
        raise TypeError(f"size = {shown(size)}: must be (width, height) in pixels") from None
    sides = enumerate({"width": width, "height": height}.items())
    width, height = (check_row(_PREVIEW.rows[name])(f"size[{i}]", n) for i, (name, n) in sides)
    return width, height
