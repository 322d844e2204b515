"""How fluid that carries fuel burns, and how hot fluid cools."""

from __future__ import annotations

import dataclasses
from typing import Any

from .fields import Definition
from .tables import Table

__all__ = ["Combustion"]

RATES = {"simple": 10.0, "arrhenius": 5e4}
"""Default of `Combustion.rate` for each law, 1/s."""

_LAW = Table("combustion")

_LAWS = _LAW.rows["law"]["doc"].partition("; none")[0]
"""Without the one of the core that does nothing: a scene without combustion has none."""


@dataclasses.dataclass(frozen=True, eq=False)
class Combustion(Definition):
    """A law of combustion: fuel becomes flame, flame becomes smoke and clear products.

    Fuel, flame and smoke are shares of the mass of a vorton; together with air and clear products
    they are 1. Burning heats the fluid by heat / heat_capacity x the share of fuel that burns; hot
    fluid cools, and so does the smoke of emitters without fuel.

    Raises
    ------
    ValueError, TypeError
        A value out of range or of the wrong kind.

    Examples
    --------
    >>> Combustion().burn_rate
    10.0
    >>> Combustion("arrhenius", activation=12000).burn_rate
    50000.0
    """

    law: str = _LAW("law", choices=tuple(RATES), default="simple", doc=_LAWS)
    rate: float | None = _LAW("rate")
    ignition: float = _LAW("ignition")
    activation: float = _LAW("activation")
    flame_time: float = _LAW("flame_time")
    heat: float = _LAW("heat")
    heat_capacity: float = _LAW("heat_capacity")
    soot: float = _LAW("soot")
    radiation: float = _LAW("radiation")
    mixing: float = _LAW("mixing")

    @property
    def burn_rate(self) -> float:
        """`rate`, or what it is by default, 1/s."""
        return RATES[self.law] if self.rate is None else self.rate

    def _core_combustion(self) -> dict[str, Any]:
        """Arguments of `_core.Simulation`."""
        return {**_LAW.values(self), "rate": self.burn_rate}
