"""The fluid at rest around everything: what warm smoke rises in and heavy dye sinks in."""

from __future__ import annotations

import dataclasses
from typing import Any

from .fields import Definition, number
from .tables import Table

__all__ = ["Air", "Gas", "Liquid", "Water"]

GAS_CONSTANT_OF_AIR = 287.05  # J/(kg K)


@dataclasses.dataclass(frozen=True, eq=False)
class Ambient(Definition):
    """Base of all ambient fluids."""

    def _core_ambient(self) -> dict[str, Any]:
        """Arguments of `_core.Simulation`."""
        raise NotImplementedError


_AMBIENT = Table("ambient")


@dataclasses.dataclass(frozen=True, eq=False)
class Air(Ambient):
    """Air: an ideal gas whose density follows from its temperature and pressure.

    Parameters
    ----------
    pressure : number, Pa
        > 0, default 101325.

    Examples
    --------
    >>> round(Air().density, 3)
    1.204
    """

    temperature: float = _AMBIENT("temperature")
    pressure: float = number(101325.0, "Pa", "pressure", above=0)
    stratification: float = _AMBIENT("stratification")

    @property
    def density(self) -> float:
        """kg/m^3."""
        return self.pressure / (GAS_CONSTANT_OF_AIR * self.temperature)

    def _core_ambient(self) -> dict[str, Any]:
        return {
            "kind": "gas",
            "density": self.density,
            "temperature": self.temperature,
            "stratification": self.stratification,
        }


@dataclasses.dataclass(frozen=True, eq=False)
class Gas(Ambient):
    """An ideal gas of a given density: density x temperature is constant."""

    density: float = _AMBIENT("density")
    temperature: float = _AMBIENT("temperature")
    stratification: float = _AMBIENT("stratification")

    def _core_ambient(self) -> dict[str, Any]:
        return {"kind": "gas", **dataclasses.asdict(self)}


@dataclasses.dataclass(frozen=True, eq=False)
class Liquid(Ambient):
    """A liquid: its density falls by `expansion` of itself with every kelvin.

    Where that would leave less than a twentieth of the density, temperatures are refused.
    """

    density: float = _AMBIENT("density", default=998.2)
    temperature: float = _AMBIENT("temperature")
    expansion: float = _AMBIENT("expansion")
    stratification: float = _AMBIENT("stratification")

    def _core_ambient(self) -> dict[str, Any]:
        return {"kind": "liquid", **dataclasses.asdict(self)}


Water = Liquid
"""Water is the liquid of the defaults."""

AMBIENTS: tuple[type[Ambient], ...] = (Air, Gas, Liquid)
