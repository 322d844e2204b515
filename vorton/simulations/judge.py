"""The float64 judge: velocity by the sum over all vortons, with the cores that the method sees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from ..definitions.method import Method


def effective_cores(core: _core.Simulation, method: Method) -> np.ndarray:
    """Radius of the core of each vorton as the method sees it, m, float64.

    On the grid all are alike; health knows them by the overlap.
    """
    own = core.column("vortons", "core").astype(float)
    overlap = core.health()["overlap"] if method.velocity == "poisson" else 0.0
    if overlap == 0:
        return own
    edge = np.cbrt(core.column("vortons", "volume").astype(float)).mean()
    return np.full(len(own), edge / overlap)


def induced_velocity(core: _core.Simulation, method: Method, points: Any) -> np.ndarray:
    """Velocity that the vortons induce at points, (n, 3) float64, m/s: the direct sum."""
    strength = core.column("vortons", "strength").astype(float)
    position = core.column("vortons", "position").astype(float)
    carries = strength.any(axis=1)
    kernel = method.kernel if method.velocity != "poisson" else "gaussian"
    cores = effective_cores(core, method)
    filters = core.health()["core_order"] // 2 if method.velocity == "poisson" else 1
    velocity = np.zeros(np.shape(points))
    for k in range(1, max(filters, 1) + 1):  # 1 - (1 - g)^n in powers of g
        share = -((-1) ** k) * math.comb(max(filters, 1), k)
        own = math.sqrt(k) * cores[carries]
        found, *_ = _core.direct_sum(points, position[carries], strength[carries], own, kernel)
        velocity += share * found
    return velocity


def wind_velocity(core: _core.Simulation, method: Method, points: Any) -> np.ndarray:
    """What the winds alone blow at points, (n, 3) float32, m/s."""
    winds = core.copy()
    winds.set_method(method.replace(velocity="direct").to_dict())
    winds.remove("vortons", np.ones(winds.count("vortons"), bool))
    return winds.velocity_at(points)
