"""Shapes: where tracers are born, and what bodies are made of. SI units, Z up.

A shape is immutable plain data. `volume` is in m^3; `_core_shape` gives the fields of `vt_shape`
(csrc/include/vorton.h), from which the core samples.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ..base.checks import names_of
from ..definitions.animation import Animation, animatable, largest, mapped
from ..definitions.fields import field, number, one_of, vector
from .mesh_shapes import Mesh, Polytope, Torus
from .shape_base import Shape, refuse_moving


def _length(default: float, text: str) -> Any:
    """Field for a length, m, > 0, that may change in time."""
    return animatable(number(default, "m", text, above=0), keys=number(default, "m", text, least=0))


def _thick(thickness: float) -> tuple[float, float, float]:
    """`size` of a disk."""
    return 1.0, 1.0, thickness


def _only_moving(**values: Any) -> dict[str, Animation]:
    return {key: value for key, value in values.items() if isinstance(value, Animation)}


@dataclasses.dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball.

    Examples
    --------
    >>> Sphere((0, 0, 0.2), radius=0.25).radius
    0.25
    """

    center: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "centre")
    radius: Any = _length(1.0, "radius, constant of a body")

    def _core_shape(self) -> dict[str, Any]:
        return {"kind": "sphere", "center": self.center, "radius": largest(self.radius)}

    def _moving(self) -> dict[str, Animation]:
        return _only_moving(radius=self.radius)


@dataclasses.dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box with edges along x, y and z."""

    lower: tuple[float, float, float] = vector(
        (-0.5, -0.5, -0.5), "m", "corner below the other along each axis"
    )
    upper: tuple[float, float, float] = vector((0.5, 0.5, 0.5), "m", "opposite corner, above it")

    def _check(self) -> None:
        if not all(a < b for a, b in zip(self.lower, self.upper, strict=True)):
            raise ValueError(
                f"Box.upper = {self.upper}: must be greater than lower = {self.lower} along x, y, z"
            )

    @property
    def size(self) -> tuple[float, float, float]:
        """Edge lengths in m."""
        x, y, z = (b - a for a, b in zip(self.lower, self.upper, strict=True))
        return x, y, z

    def _core_shape(self) -> dict[str, Any]:
        center = tuple((a + b) / 2 for a, b in zip(self.lower, self.upper, strict=True))
        return {"kind": "box", "center": center, "size": self.size}


@dataclasses.dataclass(frozen=True, eq=False)
class Disk(Shape):
    """A flat round slab, centred on `center`."""

    center: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "centre")
    radius: Any = _length(1.0, "radius, constant of a body")
    axis: tuple[float, float, float] = vector(
        (0.0, 0.0, 1.0), "", "normal of the slab", nonzero=True
    )
    thickness: Any = _length(0.1, "thickness, constant of a body")

    def _core_shape(self) -> dict[str, Any]:
        return {
            "kind": "disk",
            "center": self.center,
            "axis": self.axis,
            "radius": largest(self.radius),
            "size": _thick(largest(self.thickness)),
        }

    def _moving(self) -> dict[str, Animation]:
        return _only_moving(radius=self.radius, size=mapped(_thick, self.thickness))


@dataclasses.dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """A solid cylinder, centred on `center`: a `Disk` of any length."""

    center: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "centre")
    radius: Any = _length(1.0, "radius, constant of a body")
    length: Any = _length(1.0, "length, constant of a body")
    axis: tuple[float, float, float] = vector((0.0, 0.0, 1.0), "", "axis", nonzero=True)

    def _disk(self) -> Disk:
        return Disk(self.center, self.radius, self.axis, self.length)

    def _core_shape(self) -> dict[str, Any]:
        return self._disk()._core_shape()

    def _moving(self) -> dict[str, Animation]:
        return self._disk()._moving()


@dataclasses.dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """All points nearer than `radius` to the straight line from `start` to `end`. For bodies."""

    start: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "middle of one round end")
    end: tuple[float, float, float] = vector(
        (0.0, 0.0, 1.0), "m", "middle of the other end, not the same"
    )
    radius: float = number(0.1, "m", "radius", above=0)

    def _check(self) -> None:
        if self.start == self.end:
            raise ValueError(f"Capsule.end = {self.end}: must differ from start")

    def _core_shape(self) -> dict[str, Any]:
        ends = list(zip(self.start, self.end, strict=True))
        return {
            "kind": "capsule",
            "center": tuple((a + b) / 2 for a, b in ends),
            "axis": tuple(b - a for a, b in ends),
            "radius": self.radius,
            "size": (1.0, 1.0, math.dist(self.start, self.end)),
        }


@dataclasses.dataclass(frozen=True, eq=False)
class Plane(Shape):
    """Half of space: all that lies behind a plane. For bodies: a floor, a wall, a ceiling."""

    point: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "any point of the plane")
    normal: tuple[float, float, float] = vector(
        (0.0, 0.0, 1.0), "", "away from the solid half; by default that of a floor", nonzero=True
    )

    def _core_shape(self) -> dict[str, Any]:
        return {"kind": "plane", "center": self.point, "axis": self.normal}


# ---- surfaces ----


BODIES: tuple[type[Shape], ...] = (Sphere, Box, Disk, Cylinder, Torus, Mesh)


@dataclasses.dataclass(frozen=True, eq=False)
class Surface(Shape):
    """A layer on the surface of a body: smoke that comes off its skin. `volume` is its area times
    its thickness.

    Births are spread evenly over the surface (a disk's is that of the whole slab) and over the
    layer's thickness. A mesh goes with its `parent`, not with the `Deformation` of a body.

    Examples
    --------
    >>> round(Surface(Sphere(radius=1), thickness=0.01).volume, 4)
    0.1257
    """

    shape: Shape = field(
        dataclasses.MISSING, one_of(BODIES, "a body"), "the body; a mesh may be open",
        form=names_of(BODIES),
    )  # fmt: skip
    thickness: float = number(dataclasses.MISSING, "m", "of the layer", above=0)  # type: ignore[arg-type]
    offset: float = number(0.0, "m", "from the surface to the middle of the layer, outward")

    def _check(self) -> None:
        refuse_moving("Surface.shape", self.shape, "the body of a layer")

    def _core_shape(self) -> dict[str, Any]:
        return {**self.shape._surface_shape(), "layer": self.thickness, "offset": self.offset}


SHAPES: tuple[type[Shape], ...] = (*BODIES, Surface)
SOLIDS: tuple[type[Shape], ...] = (*BODIES, Capsule, Plane, Polytope)


check_shape = one_of(SHAPES, "a shape")
check_filled = one_of(BODIES, "a filled shape")
"""Of a shape that fills its inside, which a Surface does not."""
