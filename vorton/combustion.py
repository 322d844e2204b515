"""How fluid that carries fuel burns, and how hot fluid cools."""

from __future__ import annotations

import dataclasses
from typing import Any

from .fields import Definition, choice, number

__all__ = ["Combustion"]

RATES = {"simple": 10.0, "arrhenius": 5e4}
"""Default of `Combustion.rate` for each law, 1/s."""


@dataclasses.dataclass(frozen=True, eq=False)
class Combustion(Definition):
    """A law of combustion: fuel becomes flame, flame becomes smoke and clear products.

    Fuel, flame and smoke are shares of the mass of a vorton; together with air and clear products
    they are 1. Burning heats the fluid by heat / heat_capacity x the share of fuel that burns; hot
    fluid cools, and so does the smoke of emitters without fuel.

    Parameters
    ----------
    law : "simple" or "arrhenius"
        simple (default): fuel burns at `rate` wherever it is hotter than `ignition`. arrhenius: at
        `rate` x exp(-`activation` / temperature), slowly at first and then ever faster.
    rate : number, 1/s, optional
        1e-9 to 1e15; default 10 (simple) or 5e4 (arrhenius). With 10 half of the fuel has burnt
        after 0.07 s: a smaller one makes the flame longer.
    ignition : number, K
        Of the simple law, 0 to 1e6, default 500.
    activation : number, K
        Activation temperature of the Arrhenius law, 0 to 1e6, default 9000.
    flame_time : number, s
        Mean life of flame, 1e-6 to 1e9, default 0.1: what is seen to glow. Longer makes the flame
        longer.
    heat : number, J/kg
        Heat of combustion of the fuel as it is emitted, with the air in which it burns, 0 to 1e9,
        default 1.3e6: with the default heat capacity fuel 1 burns 1180 K hotter. Pure gas has some
        5e7, mixed with just enough air 2.8e6, and much of that is lost at once.
    heat_capacity : number, J/(kg K)
        Of the fluid, 1 to 1e6, default 1100.
    soot : number
        Share of the flame that becomes smoke, 0 to 1, default 0.6; the rest becomes clear products.
    radiation : number, K/s
        How fast fluid of 1500 K cools by radiation, 0 to 1e9, default 400; other temperatures as
        T^4 less that of the ambient fluid. 4 k s 1500^4 / (density x heat_capacity) of gas with the
        absorption coefficient k, s = 5.67e-8 W/(m^2 K^4).
    mixing : number, 1/s
        Rate m of cooling by mixing with the fluid around, dT/dt = -m (T - ambient), 0 to 1e9,
        default 1; `health.heat_mixed` sums it up. The plume above a fire D metres wide takes in
        so much air that it cools at about 3 / sqrt(D) (McCaffrey 1979). It takes heat alone: fuel,
        flame and smoke are not thinned out, for the fluid that would take them over is not
        followed, and with them the heat that the fuel has yet to release would be lost. Smoke
        thins out as its tracers spread.

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

    law: str = choice("simple", RATES, "how the rate depends on the temperature")
    rate: float | None = number(None, "1/s", "rate", least=1e-9, most=1e15, optional=True)
    ignition: float = number(500.0, "K", "temperature above which fuel burns", least=0, most=1e6)
    activation: float = number(9000.0, "K", "activation temperature", least=0, most=1e6)
    flame_time: float = number(0.1, "s", "mean life of flame", least=1e-6, most=1e9)
    heat: float = number(1.3e6, "J/kg", "heat of combustion", least=0, most=1e9)
    heat_capacity: float = number(1100.0, "J/(kg K)", "heat capacity", least=1, most=1e6)
    soot: float = number(0.6, "", "share of the flame that becomes smoke", least=0, most=1)
    radiation: float = number(400.0, "K/s", "cooling by radiation at 1500 K", least=0, most=1e9)
    mixing: float = number(1.0, "1/s", "rate of cooling by mixing", least=0, most=1e9)

    @property
    def burn_rate(self) -> float:
        """`rate`, or what it is by default, 1/s."""
        return RATES[self.law] if self.rate is None else self.rate

    def _core_combustion(self) -> dict[str, Any]:
        """Arguments of `_core.Simulation`."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**values, "rate": self.burn_rate}
