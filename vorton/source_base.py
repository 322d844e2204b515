"""What all sources share."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import _core
from .animation import (
    Animation,
    Transform,
    add_parent,
    animatable,
    largest,
    parent_field,
    split,
    without_no_parent,
)
from .fields import Definition, number


@dataclasses.dataclass(frozen=True, eq=False)
class Source(Definition):
    """Base of all sources: each may have a `parent`, a `Transform` in whose space it lies.

    A vortex structure is placed by where the parent is at its birth; the parent's scale acts on all
    lengths, the circulation stays.
    """

    parent: Transform | None = parent_field()

    def to_dict(self) -> dict[str, Any]:
        """Plain data, a transform inside."""
        return without_no_parent(super().to_dict())

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

    def _add_to(self, core: Any, voxel: float) -> None:
        """Add to a `_core.Simulation`; `voxel` is the scene's nominal voxel, m."""
        raise NotImplementedError


def check_section(definition: Any, core: float) -> None:
    """vorton_core must fit into the core, unless the line is one vorton thick."""
    vorton_core = definition.vorton_core
    if vorton_core is None or definition.layers == 0:
        return
    if 1.5 * vorton_core > core * (1 + 1e-9):
        text = f"must be <= core / 1.5, {core / 1.5:g} (m)"
        raise ValueError(f"{type(definition).__name__}.vorton_core = {vorton_core}: {text}")


FLUID = {{"smoke": "soot"}.get(name, name): name for name in _core.CARRIED}
"""What the fluid of vortons carries: names of the arguments, and of the columns."""

SHARES = tuple(FLUID)[2:]


def _by_keyword(made: Any) -> Any:
    return dataclasses.field(default=made.default, metadata=made.metadata, kw_only=True)


_DENSITY = number(0.0, "kg/m^3", "deviation", least=-1e6, most=1e6)
_TEMPERATURE = number(None, "K", "temperature", above=0, most=1e6, optional=True)
_TEMPERATURE_KEY = number(None, "K", "temperature", above=0, most=1e6)
_FUEL = number(0.0, "", "share of fuel", least=0, most=1)
_FLAME = number(0.0, "", "share of what burns", least=0, most=1)
_SOOT = number(0.0, "", "share of smoke", least=0, most=1)


@dataclasses.dataclass(frozen=True, eq=False)
class Carrier(Source):
    """Base of all that is born with a fluid of its own."""

    temperature: Any = _by_keyword(_TEMPERATURE)
    fuel: Any = _by_keyword(_FUEL)
    flame: Any = _by_keyword(_FLAME)
    soot: Any = _by_keyword(_SOOT)

    def __post_init__(self) -> None:
        super().__post_init__()
        most = [largest(getattr(self, name)) for name in SHARES]
        if sum(most) > 1 + 1e-9:
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

    temperature: Any = _by_keyword(animatable(_TEMPERATURE, keys=_TEMPERATURE_KEY))
    fuel: Any = _by_keyword(animatable(_FUEL))
    flame: Any = _by_keyword(animatable(_FLAME))
    soot: Any = _by_keyword(animatable(_SOOT))


@dataclasses.dataclass(frozen=True, eq=False)
class FluidSource(Carrier):
    """Base of the sources of vortons: what their fluid carries at birth.

    With all of it left out the vortons of a vortex take up the fluid that is there already. Else
    what is not said is as in the ambient fluid.

    Parameters
    ----------
    temperature : number, K, optional
        > 0 to 1e6; default: that of the ambient fluid. Warmer fluid rises.
    density : number, kg/m^3
        Deviation of the density that is not due to temperature (salt, dust), more than minus that
        of the ambient fluid: below 0 it rises; default 0.
    fuel : number
        Share of the mass that is fuel, 0 to 1, default 0: needs `Scene(combustion=...)`. It burns
        once it is hot enough: give a `temperature` that ignites it.
    flame : number
        Share of the mass that burns, 0 to 1, default 0: it glows, and becomes smoke.
    soot : number
        Share of the mass that is smoke, 0 to 1, default 0: column `smoke` of the vortons. Together
        fuel, flame and soot are at most 1.
    """

    density: Any = _by_keyword(_DENSITY)

    def _members(self) -> list[str]:
        return list(FLUID)


@dataclasses.dataclass(frozen=True, eq=False)
class ChangingFluidSource(ChangingCarrier, FluidSource):
    """A `FluidSource` that goes on: what its fluid carries is animatable, and counts at birth."""

    density: Any = _by_keyword(animatable(_DENSITY))
