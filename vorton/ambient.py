"""The fluid at rest around everything: what warm smoke rises in and heavy dye sinks in."""

from __future__ import annotations

import dataclasses
from typing import Any

from .fields import Definition, number

__all__ = ["Air", "Gas", "Liquid", "Water"]

GAS_CONSTANT_OF_AIR = 287.05  # J/(kg K)


@dataclasses.dataclass(frozen=True, eq=False)
class Ambient(Definition):
    """Base of all ambient fluids."""

    def _core_ambient(self) -> dict[str, Any]:
        """Arguments of `_core.Simulation`."""
        raise NotImplementedError


_STRATIFICATION = "how much warmer a metre higher"


@dataclasses.dataclass(frozen=True, eq=False)
class Air(Ambient):
    """Air: an ideal gas whose density follows from its temperature and pressure.

    Parameters
    ----------
    temperature : number, K
        At height 0, > 0, default 293.15.
    pressure : number, Pa
        > 0, default 101325.
    stratification : number, K/m
        How much warmer a metre higher, 0 to 1000, default 0.

    Examples
    --------
    >>> round(Air().density, 3)
    1.204
    """

    temperature: float = number(293.15, "K", "temperature at height 0", above=0)
    pressure: float = number(101325.0, "Pa", "pressure", above=0)
    stratification: float = number(0.0, "K/m", _STRATIFICATION, least=0, most=1e3)

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
    """An ideal gas of a given density: density x temperature is constant.

    Parameters
    ----------
    density : number, kg/m^3
        At height 0, > 0.
    temperature : number, K
        At height 0, > 0, default 293.15.
    stratification : number, K/m
        How much warmer a metre higher, 0 to 1000, default 0.
    """

    density: float = number(1.2041, "kg/m^3", "density at height 0", above=0)
    temperature: float = number(293.15, "K", "temperature at height 0", above=0)
    stratification: float = number(0.0, "K/m", _STRATIFICATION, least=0, most=1e3)

    def _core_ambient(self) -> dict[str, Any]:
        return {"kind": "gas", **dataclasses.asdict(self)}


@dataclasses.dataclass(frozen=True, eq=False)
class Liquid(Ambient):
    """A liquid: its density falls by `expansion` of itself with every kelvin.

    Where that would leave less than a twentieth of the density, temperatures are refused.

    Parameters
    ----------
    density : number, kg/m^3
        At height 0, > 0, default 998.2.
    temperature : number, K
        At height 0, > 0, default 293.15.
    expansion : number, 1/K
        > 0 to 0.1, default 2.07e-4.
    stratification : number, K/m
        How much warmer a metre higher, 0 to 1000, default 0.
    """

    density: float = number(998.2, "kg/m^3", "density at height 0", above=0)
    temperature: float = number(293.15, "K", "temperature at height 0", above=0)
    expansion: float = number(2.07e-4, "1/K", "thermal expansion", above=0, most=0.1)
    stratification: float = number(0.0, "K/m", _STRATIFICATION, least=0, most=1e3)

    def _core_ambient(self) -> dict[str, Any]:
        return {"kind": "liquid", **dataclasses.asdict(self)}


Water = Liquid
"""Water is the liquid of the defaults."""

AMBIENTS: tuple[type[Ambient], ...] = (Air, Gas, Liquid)
