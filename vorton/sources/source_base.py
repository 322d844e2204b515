"""What all sources share."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .. import _core
from ..definitions.animation import Animation, largest, split
from ..definitions.fields import Definition
from ..definitions.tables import Table, by_keyword
from ..definitions.transform import Transform, add_parent, parent_field


@dataclasses.dataclass(frozen=True, eq=False)
class Source(Definition):
    """Base of all sources: each may have a `parent`, a `Transform` in whose space it lies.

    A vortex structure is placed by where the parent is at its birth; the parent's scale acts on all
    lengths, the circulation stays.
    """

    _may_be_changed = True

    parent: Transform | None = parent_field(
        "what places it, where that is at its birth; its scale acts on all lengths"
    )

    def _goes_on(self) -> bool:
        """Whether it bears for some time, until its `end`, and not at once."""
        return False

    def _parent_id(self, core: Any) -> int:
        return add_parent(self.parent, core)

    def _placed_core(self) -> float | None:
        """`_core_radius` as the parent scales it at the first birth, m."""
        core = self._core_radius()
        if core is None or self.parent is None:
            return core
        born = getattr(self, "time", getattr(self, "start", 0.0))
        return core * self.parent.scale_at(born if isinstance(born, float) else 0.0)

    def _core_radius(self) -> float | None:
        """Radius of the thinnest vortex core that it makes, m: what a voxel should resolve."""
        return None

    def _least_core(self) -> float | None:
        """Core radius of its narrowest vortons, m, in the space of its parent; None: it bears none.

        The cells of the grid are as wide.
        """
        return None

    def _span(self) -> tuple[Any, Any]:
        """Opposite corners of a box, m, in the space of its parent, in which its vortons begin."""
        raise NotImplementedError

    def _add_to(self, core: Any, voxel: float) -> None:
        """Add to a `_core.Simulation`; `voxel` is the scene's nominal voxel, m."""
        raise NotImplementedError


class Sectioned:
    """What vortex lines with a cross-section share; `core`, `vorton_core` and `layers` say it."""

    core: Any
    vorton_core: float | None
    layers: int | None

    def _core_radius(self) -> float:
        return self.core

    def _least_core(self) -> float:
        """Core radius of the vortons: half that of the vortex by default."""
        core = self._core_radius()
        if self.layers == 0:
            return core
        return core / 2 if self.vorton_core is None else self.vorton_core

    def _check_section(self) -> None:
        """`vorton_core` must fit into the core, unless the line is one vorton thick."""
        if self.vorton_core is None or self.layers == 0:
            return
        core = self._core_radius()
        if 1.5 * self.vorton_core > core * (1 + 1e-9):
            text = f"must be <= core / 1.5, {core / 1.5:g} (m)"
            raise ValueError(f"{type(self).__name__}.vorton_core = {self.vorton_core}: {text}")


def around(center: Any, radius: float) -> tuple[Any, Any]:
    """Opposite corners of the cube about a centre that reaches as far as a radius, m."""
    return np.subtract(center, radius), np.add(center, radius)


FLUID = {{"smoke": "soot"}.get(name, name): name for name in _core.CARRIED}
"""What the fluid of vortons carries: names of the arguments, and of the columns."""

SHARES = tuple(FLUID)[2:]


_FLUID = Table("fluid")


def _constant(name: str) -> Any:
    """The field, by keyword alone, that does not change."""
    return by_keyword(_FLUID(name, animatable=False))


def _changing(name: str) -> Any:
    return by_keyword(_FLUID(name, keys_from_0=False))


@dataclasses.dataclass(frozen=True, eq=False)
class Carrier(Source):
    """Base of all that is born with a fluid of its own."""

    temperature: Any = _constant("temperature")
    fuel: Any = _constant("fuel")
    flame: Any = _constant("flame")
    soot: Any = _constant("smoke")

    def __post_init__(self) -> None:
        super().__post_init__()
        most = [largest(getattr(self, name)) for name in SHARES]
        if sum(most) > 1 + 1e-6:  # three numbers of float32, as the core has it
            text = " + ".join(f"{share:g}" for share in most)
            what = f"{type(self).__name__}: {' + '.join(SHARES)}"
            raise ValueError(f"{what} are up to {text} of the mass; allowed is 1 in all")

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what the fluid carries only where it was said."""
        data = super().to_dict()
        for name in self._unsaid():
            del data[name]
        return data

    def _members(self) -> list[str]:
        """Arguments that say what the fluid carries."""
        return [name for name in FLUID if name != "density"]

    def _unsaid(self) -> list[str]:
        """Those that say nothing."""
        return [name for name in self._members() if getattr(self, name) in (None, 0.0)]

    def _fluid(self, **moving: Any) -> dict[str, Any]:
        """Arguments of the core: what it carries, and others that may be animated."""
        said = [name for name in self._members() if name not in self._unsaid()]
        carried = {FLUID[name]: getattr(self, name) for name in said}
        fixed = {k: v for k, v in carried.items() if not isinstance(v, Animation)}
        keyed = {k: v for k, v in carried.items() if k not in fixed}
        return {"fluid": fixed, **split(**moving, **keyed)}


@dataclasses.dataclass(frozen=True, eq=False)
class ChangingCarrier(Carrier):
    """A `Carrier` that goes on: what its fluid carries is animatable, and counts at birth."""

    temperature: Any = _changing("temperature")
    fuel: Any = _changing("fuel")
    flame: Any = _changing("flame")
    soot: Any = _changing("smoke")


@dataclasses.dataclass(frozen=True, eq=False)
class FluidSource(Carrier):
    """Base of the sources of vortons: what their fluid carries at birth.

    With all of it left out the vortons of a vortex take up the fluid that is there already. Else
    what is not said is as in the ambient fluid.
    """

    density: Any = _constant("density")

    def _members(self) -> list[str]:
        return list(FLUID)

    def _add(self, core: Any, table: Table, /, **values: Any) -> Any:
        """Add the definition of a table, with what else it says or says instead."""
        moving = table.values(self) | values
        return core.add(table.definition, parent=self._parent_id(core), **self._fluid(**moving))


@dataclasses.dataclass(frozen=True, eq=False)
class ChangingFluidSource(ChangingCarrier, FluidSource):
    """A `FluidSource` that goes on: what its fluid carries is animatable, and counts at birth."""

    density: Any = _changing("density")
