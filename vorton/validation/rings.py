"""Vortex rings: how fast they fly, alone and through each other."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import _core
from ..definitions.method import Method
from ..scenes.scene import Scene
from ..simulations.simulation import Simulation
from ..sources.ring_and_tracers import VortexRing
from .case import Line, Result, case, product

CONSTANTS = {
    "gaussian": 1 + (math.log(2) - np.euler_gamma) / 2,
    "wl": 0.5,
    "ball": math.log(2) - 1 / 3,
}
"""C in the speed G / (4 pi R) (ln 8 R / core - C) of a ring one vorton thick, by its kernel."""

FILAMENT = {"bound": 0.0, "cleaning": 0.0, "exchange": 0.0}
"""Of Method: only what moves vortons and stretches them."""


def share_within(kernel: str, p: float) -> float:
    """Share of a vorton's circulation within p core radii of it."""
    if kernel == "gaussian":
        return math.erf(p / 2**0.5) - (2 / math.pi) ** 0.5 * p * math.exp(-(p**2) / 2)
    return p**3 * (p**2 + 2.5) / (p**2 + 1) ** 2.5 if kernel == "wl" else min(p, 1.0) ** 3


def filament_speed(kernel: str, radius: float, core: float) -> float:
    """Speed of a circular filament of circulation 1: Biot and Savart's integral over it.

    Gauss-Legendre points on intervals that grow from the point itself, the edge of the ball among
    their ends.
    """
    corner = 2 * math.asin(core / (2 * radius))
    ends = [0.0, *corner * 2.0 ** np.arange(-12, 1), *np.geomspace(2 * corner, math.pi, 24)]
    nodes, weights = np.polynomial.legendre.leggauss(24)
    total = 0.0
    for low, high in zip(ends, ends[1:]):
        for node, weight in zip(nodes, weights, strict=True):
            turn = low + (high - low) * (node + 1) / 2
            distance = 2 * radius * math.sin(turn / 2)
            part = radius**2 * (1 - math.cos(turn)) * share_within(kernel, distance / core)
            total += weight * (high - low) / 2 * part / distance**3
    return total / (2 * math.pi)


def speed_one_vorton_thick(core: float, sections: int | None, **method: Any) -> float:
    """Of a ring of radius 1 m and circulation 1 m^2/s."""
    scene = Scene(method=Method(**method))
    scene.add(VortexRing(radius=1.0, core=core, layers=0, sections=sections))
    sim = Simulation(scene, fps=1000)
    before = sim.vortons.position[:, 2].astype(float).mean()
    sim.step(2)
    return (sim.vortons.position[:, 2].astype(float).mean() - before) / sim.time


@case(
    "Biot and Savart's integral over the filament; Saffman 1992, 10.2",
    *product(kernel=list(CONSTANTS), core=[0.1, 0.05]),
)
def ring_one_vorton_thick(kernel: str, core: float) -> Result:
    """Speed of a ring of 3000 vortons by the direct sum, for each core function."""
    speed = speed_one_vorton_thick(core, 3000, velocity="direct", kernel=kernel)
    return Result("speed", filament_speed(kernel, 1.0, core), speed, 1e-3, "m/s")


@case("Biot and Savart's integral over the filament", {"core": 0.1}, {"core": 0.05})
def ring_one_vorton_thick_on_the_grid(core: float) -> Result:
    """Speed of such a ring by the grid, of Gaussian cores: 1 to 2 % above."""
    speed = speed_one_vorton_thick(core, None)
    return Result("speed", filament_speed("gaussian", 1.0, core), speed, 0.025, "m/s")


def travelled(sim: _core.Simulation, time: float, steps: int = 10) -> float:
    """Mean speed of the centroid of vorticity times radius over a time, m/s."""

    def centroid() -> float:
        position = sim.column("vortons", "position").astype(float)
        strength = sim.column("vortons", "strength").astype(float)
        weight = np.cross(position, strength)[:, 2]
        return (weight * position[:, 2]).sum() / weight.sum()

    start = centroid()
    for _ in range(steps):
        sim.step(time / steps)
    return (centroid() - start) / time


def saffman(core: float) -> float:
    """Speed of a ring of radius and circulation 1 with a Gaussian core exp(-d^2 / core^2), m/s."""
    return (math.log(8 / core) - 0.55797) / (4 * math.pi)


@case(
    "Saffman 1970: ln(8 R / a) - .558",
    *product(velocity=["poisson"], core=[0.1, 0.15, 0.2]),
    *product(velocity=["tree"], core=[0.1, 0.15]),
    quick=3,
)
def ring_with_a_gaussian_core(velocity: str, core: float) -> Result:
    """Speed of a ring whose cross-section several vortons resolve."""
    sim = _core.Simulation(method={"velocity": velocity})
    sim.add("ring", core=core)
    return Result("speed", saffman(core), travelled(sim, 1.0), 0.02, "m/s")


def columns(sim: _core.Simulation) -> tuple[np.ndarray, np.ndarray]:
    """Position and strength in the order of the ids, float64."""
    order = np.argsort(sim.column("vortons", "id"))
    return (
        sim.column("vortons", "position")[order].astype(float),
        sim.column("vortons", "strength")[order].astype(float),
    )


def thin_ring(core: float = 0.15, sections: int = 100, **options: Any) -> _core.Simulation:
    """A ring one vorton thick, radius 1, circulation 1, moving along +z."""
    sim = _core.Simulation(**options)
    sim.add("ring", core=core, layers=0, sections=sections)
    return sim


def mean_height(sim: _core.Simulation) -> float:
    """Of the vortons, m."""
    return columns(sim)[0][:, 2].mean()


WITHOUT_A_GRID = {
    "as it is": {"kernel": "wl"},
    "no bound": {"kernel": "wl", **FILAMENT},
    "bound alone": {"kernel": "wl", **FILAMENT, "bound": 1.5},
}


@case(
    "Saffman 1992 with the constant of the WL core: .27666 m/s",
    *product(velocity=["direct", "tree"], method=list(WITHOUT_A_GRID), quantity=["speed", "round"]),
)
def ring_that_flies_two_radii(velocity: str, method: str, quantity: str) -> Result:
    """100 vortons, core .15, by the direct sum and by the tree, in 60 steps."""
    speed, radii = _two_radii(velocity, method)
    if quantity == "speed":
        return Result("speed", 0.27666, speed, 0.005, "m/s")
    return Result("radius that is farthest from 1", 1.0, radii, 1e-4, "m")


@functools.cache
def _two_radii(velocity: str, method: str) -> tuple[float, float]:
    sim = thin_ring(method=WITHOUT_A_GRID[method] | {"velocity": velocity})
    time = 2 / 0.27666
    sim.step(time / 60, 60)
    position, _ = columns(sim)
    radii = np.hypot(position[:, 0], position[:, 1])
    return position[:, 2].mean() / time, float(radii[np.abs(radii - 1).argmax()])


@case(
    "direct sum of the same vortons with the core of the grid",
    *product(method=["filament", "default"], quantity=["way", "radius"]),
)
def ring_that_flies_two_radii_on_the_grid(method: str, quantity: str) -> Result:
    """The same way by the grid, and how round the ring stays."""
    way, exact, radii = _two_radii_on_the_grid(method)
    if quantity == "way":
        return Result("way", exact, way, 0.03, "m")
    return Result("radius that is farthest from 1", 1.0, radii, 0.03, "m")


@functools.cache
def _two_radii_on_the_grid(method: str) -> tuple[float, float, float]:
    time, steps = 2 / 0.25, 60
    by_grid = thin_ring(method=FILAMENT if method == "filament" else {})
    by_sum = thin_ring(method={"velocity": "direct", **FILAMENT})
    by_grid.step(time / steps, steps)
    by_sum.step(time / steps, steps)
    position, _ = columns(by_grid)
    radii = np.hypot(position[:, 0], position[:, 1])
    return (
        mean_height(by_grid),
        mean_height(by_sum),
        float(radii[np.abs(radii - 1).argmax()]),
    )


# ---- two rings that leapfrog ----

RADIUS = DISTANCE = 0.7906
CORE = 0.1 * RADIUS
COUNT = 100


def velocity_of_filament(r: float, z: float, radius: float) -> tuple[float, float]:
    """(u_r, u_z) of a circular filament of circulation 1 at the distance z from its plane."""
    from scipy.special import ellipe, ellipk

    far, near = (radius + r) ** 2 + z**2, (radius - r) ** 2 + z**2
    k, e = ellipk(4 * radius * r / far), ellipe(4 * radius * r / far)
    scale = 1 / (2 * np.pi * np.sqrt(far))
    along = scale * (k + (radius**2 - r**2 - z**2) / near * e)
    outward = scale * z / r * (-k + (radius**2 + r**2 + z**2) / near * e)
    return outward, along


def coaxial(_: float, state: Any, constant: float, core: float = CORE) -> list[float]:
    """Borisov, Kilin and Mamaev (2013), for rings that move by themselves as such cores do."""
    r1, z1, r2, z2 = state
    first, second = velocity_of_filament(r1, z1 - z2, r2), velocity_of_filament(r2, z2 - z1, r1)
    own = [(np.log(8 * r / core) - constant) / (4 * np.pi * r) for r in (r1, r2)]
    return [first[0], first[1] + own[0], second[0], second[1] + own[1]]


def exact_rings(times: Any, constant: float, core: float = CORE) -> np.ndarray:
    """(r, z) of the two at each of the times."""
    from scipy.integrate import solve_ivp

    state, most = [RADIUS, 0, RADIUS, -DISTANCE], max(times)
    found = solve_ivp(
        coaxial, (0, most), state, rtol=1e-9, atol=1e-9, t_eval=times, args=(constant, core)
    )
    return found.y.T.reshape(len(times), 2, 2)


def leapfrogging(method: dict[str, Any], **options: Any) -> _core.Simulation:
    """Two equal rings one vorton thick, a radius apart."""
    sim = _core.Simulation(method=method, threads=1, **options)
    for z in (0.0, -DISTANCE):
        sim.add("ring", center=(0, 0, z), radius=RADIUS, core=CORE, layers=0, sections=COUNT)
    return sim


def radii_and_heights(sim: _core.Simulation) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of the vortons of each ring."""
    position, _ = columns(sim)
    radius, height = np.hypot(position[:, 0], position[:, 1]), position[:, 2]
    return [(radius[own], height[own]) for own in (slice(0, COUNT), slice(COUNT, None))]


DIRECT = {"velocity": "direct", "kernel": "wl"}
WAYS: dict[str, tuple[dict[str, Any], float, float]] = {
    "rk2": (DIRECT, CONSTANTS["wl"], 1e-3),
    "rk3": (DIRECT | {"time": "rk3"}, CONSTANTS["wl"], 1e-3),
    "rk2 without bound": (DIRECT | {"bound": 0.0}, CONSTANTS["wl"], 1e-3),
    "rk3 without bound": (DIRECT | {"time": "rk3", "bound": 0.0}, CONSTANTS["wl"], 1e-3),
    "default": ({}, CONSTANTS["gaussian"], 0.02),
}
"""Method, the constant of its core, and how far radii of one ring may spread."""
MOMENTS = np.linspace(0, 2, 21)


@functools.cache
def _leapfrog(way: str) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Radius and height of both rings at all moments, found and exact; spread of the radii at most;
    what of the impulse is lost."""
    method, constant, _ = WAYS[way]
    # in wider cells the grid shows in such thin rings: radii spread by 4 % where they are of a core
    sim = leapfrogging(method, **({"spacing": 0.75 * CORE} if way == "default" else {}))
    found, spread = [], 0.0
    start = np.cross(*columns(sim)).sum(axis=0)
    for n in range(len(MOMENTS)):
        if n:
            sim.step(0.02, 5)
        rings = radii_and_heights(sim)
        found.append([[radius.mean(), height.mean()] for radius, height in rings])
        spread = max(spread, *(np.ptp(radius) / radius.mean() for radius, _ in rings))
    lost = np.linalg.norm(np.cross(*columns(sim)).sum(axis=0) - start) / np.linalg.norm(start)
    return np.array(found), exact_rings(MOMENTS, constant), float(spread), float(lost)


@case(
    "coaxial filaments: Borisov, Kilin and Mamaev 2013",
    *product(way=list(WAYS), quantity=["radius", "place", "round", "impulse"]),
    needs=("scipy",),
)
def leapfrogging_rings(way: str, quantity: str) -> Result:
    """Two rings slip through each other in two seconds; the number that is farthest off."""
    found, exact, spread, lost = _leapfrog(way)
    if quantity == "round":
        return Result("spread of the radii of a ring", 0.0, spread, WAYS[way][2], "", 1.0)
    if quantity == "impulse":
        return Result("share of the impulse that is lost", 0.0, lost, 1e-5, "", 1.0)
    column = 0 if quantity == "radius" else 1
    scale = exact[..., 0] if quantity == "radius" else np.full(exact.shape[:2], RADIUS)
    off = np.abs(found[..., column] - exact[..., column]) / scale
    worst = np.unravel_index(off.argmax(), off.shape)
    lines = [
        Line(f"{label}, ring {n + 1}", MOMENTS, values[:, n, column])
        for label, values in (("exact", exact), ("vorton", found))
        for n in (0, 1)
    ]
    return Result(
        f"{quantity} of a ring",
        exact[(*worst, column)],
        found[(*worst, column)],
        0.01,
        "m",
        float(scale[worst]),
        ("time, s", f"{quantity}, m"),
        tuple(lines),
    )
