"""Books: what an inviscid flow keeps - impulse, angular impulse, energy, the sum of strengths."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import _core
from .case import Result, case, product
from .rings import FILAMENT, columns


def impulse(sim: _core.Simulation) -> np.ndarray:
    """1/2 sum x cross alpha, m^4/s."""
    position, strength = columns(sim)
    return 0.5 * np.cross(position, strength).sum(axis=0)


def angular_impulse(sim: _core.Simulation) -> np.ndarray:
    """1/3 sum x cross (x cross alpha), m^5/s."""
    position, strength = columns(sim)
    return np.cross(position, np.cross(position, strength)).sum(axis=0) / 3


def wobbly_ring(method: dict[str, Any]) -> _core.Simulation:
    """A resolved ring of 476 vortons whose centreline waves by 1 %."""
    sim = _core.Simulation(method=method, spacing=0.1)
    sim.add("ring", core=0.3, vorton_core=0.15, sections=68, layers=1, wobble=0.01, seed=4)
    return sim


def energy(position: np.ndarray, strength: np.ndarray, core: float) -> float:
    """Of Gaussian cores: 1/2 sum_i sum_j alpha_i . alpha_j G(r), in float64."""
    distance = np.linalg.norm(position[:, None] - position[None], axis=2)
    safe = np.where(distance > 1e-9, distance, 1)
    erf = np.vectorize(math.erf)
    kernel = np.where(distance > 1e-9, erf(safe / (2 * core)) / safe, 1 / (np.sqrt(np.pi) * core))
    return float(0.5 * ((strength @ strength.T) * kernel).sum() / (4 * np.pi))


ROUTES: dict[str, tuple[dict[str, Any], float]] = {
    "direct": ({"velocity": "direct", "opening_angle": 0.5, **FILAMENT}, 1e-3),
    "direct, bound": ({"velocity": "direct", **FILAMENT, "bound": 1.5}, 1e-3),
    "tree": ({"velocity": "tree", "opening_angle": 0.3, **FILAMENT}, 1e-3),
    "tree, bound": ({"velocity": "tree", "opening_angle": 0.3, **FILAMENT, "bound": 1.5}, 1e-3),
    "grid": (FILAMENT, 1e-2),
    "grid, bound": ({**FILAMENT, "bound": 1.5}, 1e-2),
    "default": ({}, 1e-4),
}
"""Method, and how much of the impulse may be lost."""


@functools.cache
def _kept(route: str) -> dict[str, tuple[float, float]]:
    """What was and what is after two seconds."""
    method, _ = ROUTES[route]
    sim = wobbly_ring(method)
    (position, strength), before = columns(sim), impulse(sim)
    turned = angular_impulse(sim)
    size = float(np.linalg.norm(before))
    sim.step(0.05, 40)
    after, ended = columns(sim)
    total = float(np.linalg.norm(ended.sum(axis=0)) / np.linalg.norm(ended, axis=1).sum())
    found = {
        "impulse": (0.0, float(np.linalg.norm(impulse(sim) - before)) / size),
        "angular impulse": (0.0, float(np.linalg.norm(angular_impulse(sim) - turned)) / size),
        "strength": (0.0, total),
    }
    if method.get("velocity") in ("direct", "tree"):
        core = float(sim.column("vortons", "core")[0])
        found["energy"] = energy(position, strength, core), energy(after, ended, core)
    return found


@case(
    "kept in free space",
    *product(route=list(ROUTES), quantity=["impulse", "angular impulse"]),
    *product(route=["direct", "direct, bound", "tree", "tree, bound"], quantity=["energy"]),
    *product(
        route=["direct", "direct, bound", "tree", "tree, bound", "default"], quantity=["strength"]
    ),
)
def books_of_a_wavy_ring(route: str, quantity: str) -> Result:
    """A ring of radius and circulation 1, for two seconds."""
    start, found = _kept(route)[quantity]
    if quantity == "energy":
        return Result("energy", start, found, 0.01, "m^5/s^2")
    if quantity == "strength":
        return Result("|sum of strengths| over sum of |strengths|", start, found, 1e-5, "", 1.0)
    over = "the impulse x 1 m" if "angular" in quantity else "the impulse"
    what = f"change of the {quantity}, over {over}"
    return Result(what, start, found, ROUTES[route][1], "", 1.0)
