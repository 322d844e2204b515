"""Spaces that move, turn and grow: parents of sources, winds, forces and kills.

>>> import vorton as vt
>>> spin = vt.Transform(position=(0, 0, 1), angle=vt.Keys([(0, 0), (2, 720)]))
>>> arm = vt.Transform(position=(1, 0, 0), parent=spin)
>>> smoke = vt.Tracers(vt.Sphere(radius=0.1), rate=vt.Keys([(0, 0), (1, 5000)], "smooth"),
...                    parent=arm)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..base.checks import Vector, shown
from .animation import Animation, largest, split, value_at
from .fields import Definition, field, from_dict
from .tables import Table, check_row

MOST_PARENTS = 100
"""Longest chain of parents, so that what follows it by recursion comes to its end."""

_TRANSFORM = Table("transform")


def _check_rotation(name: str, value: Any) -> Any:
    try:
        return check_row(_TRANSFORM.rows["rotation"])(name, value)
    except (TypeError, ValueError) as error:
        what = "a quaternion (w, x, y, z); a turn in degrees about an axis is `axis` and `angle`"
        raise type(error)(f"{error}, {what}") from error


def _check_parent(name: str, value: Any) -> Transform:
    if isinstance(value, Mapping):
        value = from_dict(value, (Transform,), name)
    if not isinstance(value, Transform):
        raise TypeError(f"{name} = {shown(value)}: must be a Transform")
    above, count = value.parent, 1
    while above is not None:
        above, count = above.parent, count + 1
    if count > MOST_PARENTS:
        raise ValueError(f"{name}: {count} transforms above each other: at most {MOST_PARENTS}")
    return value


def parent_field(text: str) -> Any:
    """Field `parent` of a definition: a Transform or None, by keyword alone."""
    made = field(None, _check_parent, text, optional=True, form="Transform")
    return dataclasses.field(default=None, metadata=made.metadata, kw_only=True)


@dataclasses.dataclass(frozen=True, eq=False)
class Transform(Definition):
    """A space that moves, turns and grows: sources with `parent=` a transform live in it.

    A point p of the space lies at position + scale x rotation x turn(axis, angle) x p in the space
    of the transform's own parent, or in the scene. Every particle is placed by where the transform
    is at the particle's own time of birth, also between frames.

    Examples
    --------
    >>> from vorton import Keys
    >>> Transform(angle=Keys([(0, 0), (1, 360)])).angle.at(0.25)
    90.0
    """

    position: Any = _TRANSFORM("position")
    rotation: Any = _TRANSFORM("rotation", check=_check_rotation)
    axis: Vector = _TRANSFORM("axis")
    angle: Any = _TRANSFORM("angle")
    scale: Any = _TRANSFORM("scale")
    parent: Transform | None = parent_field("it lies in its space, and moves with it")

    def largest_scale(self) -> float:
        """Largest product of the scales, its parents' included, that may ever be."""
        return largest(self.scale) * (self.parent.largest_scale() if self.parent else 1.0)

    def scale_at(self, time: float) -> float:
        """Product of the scales, its parents' included, at a time, s."""
        return value_at(self.scale, time) * (self.parent.scale_at(time) if self.parent else 1.0)

    def is_animated(self) -> bool:
        """Whether it, or one of its parents, changes in time."""
        values = (self.position, self.rotation, self.angle, self.scale)
        above = self.parent is not None and self.parent.is_animated()
        return above or any(isinstance(value, Animation) for value in values)

    def _add_to(self, core: Any) -> int:
        """Add it, and its parents, to a `_core.Simulation`; its id there."""
        parent = add_parent(self.parent, core)
        return core.add("transform", parent=parent, **split(**_TRANSFORM.values(self)))


def add_parent(parent: Transform | None, core: Any) -> int:
    """Id of the transform in a `_core.Simulation`; 0 for None."""
    return parent._add_to(core) if parent else 0
