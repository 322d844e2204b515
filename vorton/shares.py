"""What each operator of the method takes from a flow: shares of impulse, energy and enstrophy.

>>> import vorton as vt
>>> scene = vt.Scene()
>>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1))
>>> books = method_shares(vt.Simulation(scene))
>>> sorted(books)[:3]
['balance', 'bound', 'change']
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from .base.checks import check_number, shown
from .simulations.simulation import Simulation

OPERATORS: dict[str, dict[str, Any]] = {
    "balance": {"balance": "none"},
    "exchange": {"exchange": 0},
    "cleaning": {"cleaning": 0, "relaxation": 0},
    "bound": {"bound": 0},
    "diffusion": {"diffusion": "none"},
    "population": {"merge": 0, "merge_emitted": 0, "prune": 0, "split": 0},
    "stretching": {"stretching": "none"},
}
"""By name what leaves an operator out, in the order in which `method_shares` does: what acts last
on strengths first; stretching, without which nothing is left to mend, last. `population`: vortons
that merge, split and go."""


@dataclasses.dataclass(frozen=True)
class Share:
    """What something has changed.

    Attributes
    ----------
    impulse, angular_impulse : (3,) float64, m^4/s and m^5/s
    energy, enstrophy : float, m^5/s^2 and m^3/s^2
        NaN where Method.velocity is direct or tree, as in `sim.health`.
    """

    impulse: np.ndarray
    angular_impulse: np.ndarray
    energy: float
    enstrophy: float

    def __sub__(self, other: Share) -> Share:
        return Share(*(getattr(self, name) - getattr(other, name) for name in _NAMES))


_NAMES = tuple(field.name for field in dataclasses.fields(Share))


def _state(sim: Simulation) -> Share:
    health = sim.health
    vectors = (np.array(health.impulse), np.array(health.angular_impulse))
    return Share(*vectors, float(health.energy), float(health.enstrophy))


def method_shares(sim: Simulation, time: float | None = None) -> Mapping[str, Share]:
    """What each operator of the method would take from the flow, or give it, from now on.

    Copies of the simulation go on: one by its method, the next without its balance, the next
    without exchange either, and so on through `OPERATORS`; the share of an operator is the
    difference that leaving it out makes. So the shares and the rest are all of the change, and over
    a short time their order does not matter. The simulation itself stays as it is.

    Parameters
    ----------
    sim : Simulation
    time : number, s, optional
        Over which, > 0; default: a frame.

    Returns
    -------
    dict of Share
        One for each of `OPERATORS`, 0 where the method has none; "rest": motion along the flow,
        buoyancy, births, forces and bodies; "change": the sum of all, what the flow changes by.

    Raises
    ------
    TypeError, ValueError
        Not a Simulation; a time that is not > 0.
    vorton.BlowUpError
        The flow blows up within the time without an operator that holds it down; take a shorter
        time.

    Examples
    --------
    >>> import vorton as vt
    >>> scene = vt.Scene()
    >>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1))
    >>> books = method_shares(vt.Simulation(scene), time=0.02)
    >>> abs(books["exchange"].energy) < 1e-2 * vt.Simulation(scene).health.energy
    True
    """
    if not isinstance(sim, Simulation):
        raise TypeError(f"sim = {shown(sim)}: must be a Simulation")
    if time is None:
        time = 1 / sim.fps
    time = check_number("time", time, above=0, unit="s")
    before, method = _state(sim), sim.method
    ends = [_after(sim, method, time)]
    for without in OPERATORS.values():
        changed = method.replace(**without)
        ends.append(ends[-1] if changed == method else _after(sim, changed, time))
        method = changed
    shares = {name: ends[n] - ends[n + 1] for n, name in enumerate(OPERATORS)}
    return {**shares, "rest": ends[-1] - before, "change": ends[0] - before}


def _after(sim: Simulation, method: Any, time: float) -> Share:
    with warnings.catch_warnings():  # they were given to the simulation itself
        warnings.simplefilter("ignore")
        other = sim.copy(method=method)
        other.advance(time)
    return _state(other)
