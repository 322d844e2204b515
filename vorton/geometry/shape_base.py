"""What all shapes share."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .. import _core
from ..base.checks import shown
from ..definitions.animation import Animation, mapped, value_at
from ..definitions.fields import Definition


@dataclasses.dataclass(frozen=True, eq=False)
class Shape(Definition):
    """Base of all shapes."""

    @property
    def volume(self) -> float:
        """Volume in m^3, infinite of a plane; where the numbers change in time, the largest."""
        return _core.shape_volume(**self._core_shape())

    def _core_shape(self) -> dict[str, Any]:
        """Fields of vt_shape; `kind` by its name in lower case."""
        raise NotImplementedError

    def _surface_shape(self) -> dict[str, Any]:
        """The same where its surface alone matters, which may be open."""
        return self._core_shape()

    def _span(self) -> tuple[np.ndarray, np.ndarray]:
        """Opposite corners of a box around it at its largest, m."""
        data = self._surface_shape()
        if "vertices" in data:
            return np.min(data["vertices"], axis=0), np.max(data["vertices"], axis=0)
        radius, half = data.get("radius", 0.0), 0.5 * np.array(data.get("size", (0.0, 0.0, 0.0)))
        if "axis" in data:  # a slab
            normal = np.abs(data["axis"]) / np.linalg.norm(data["axis"])
            half = radius * np.sqrt(np.maximum(0.0, 1 - normal**2)) + half[2] * normal
            half += radius * normal * (data["kind"] == "capsule")
        elif "radius" in data:
            half = np.full(3, radius)
        return data["center"] - half, data["center"] + half

    def _grown(self, rim: float) -> dict[str, Any]:
        """Fields of vt_shape for the body with a rim of that width around it, m."""
        own = self._core_shape()
        return own | {key: widened(own[key], rim) for key in ("radius", "size") if key in own}

    def _moving(self) -> dict[str, Animation]:
        """Which fields of vt_shape, `radius` or `size`, change in time; `_core_shape` has the
        largest.
        """
        return {}

    def _animations(self, name: str = "shape") -> dict[str, Animation]:
        """The same by the names that the core gives them."""
        return {f"{name}.{key}": value for key, value in self._moving().items()}

    def _animations_around(self, rim: Any) -> dict[str, Animation]:
        """Those of the body with a rim of a width that may change, too."""
        if not self._moving() and not isinstance(rim, Animation):
            return {}
        values = {k: v for k, v in self._grown(0.0).items() if k in ("radius", "size")}
        grown = {
            f"around.{key}": mapped(widened, self._moving().get(key, value), rim)
            for key, value in values.items()
        }
        return {key: value for key, value in grown.items() if isinstance(value, Animation)}

    def _at(self, time: float) -> Any:
        """The shape as it is at a time, s."""
        if not self._moving():
            return self
        names = [item.name for item in dataclasses.fields(self)]
        return type(self)(**{name: value_at(getattr(self, name), time) for name in names})


def refuse_moving(name: str, shape: Shape, what: str) -> None:
    """Raise TypeError for a shape whose numbers change in time."""
    if shape._moving():
        text = f"the numbers of {what} cannot change in time; a moving parent can scale it"
        raise TypeError(f"{name} = {shown(shape)}: {text}")


def widened(length: Any, rim: float) -> Any:
    """A radius, or the edges of a box, with a rim around."""
    if isinstance(length, tuple):
        return tuple(edge + 2 * rim for edge in length)
    return length + rim
