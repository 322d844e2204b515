"""Motion in time: orders of the time schemes, tracers, strain, uniform winds."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import _core
from ..definitions.method import Method
from ..scenes.effects import WindGrid
from ..scenes.scene import Scene
from ..simulations.simulation import Simulation
from .case import Line, Result, case, product
from .rings import columns, mean_height, thin_ring

STEPS = {"euler": (64, 128, 256), "rk2": (16, 32, 64), "rk3": (8, 16, 32)}
"""In half a turn, for each time scheme."""
ORDERS = {"euler": 1.0, "rk2": 2.0, "rk3": 3.0}


def orbit(
    scheme: str, steps: int, velocity: str = "direct", **options: Any
) -> tuple[float, float, np.ndarray, np.ndarray]:
    """Two parallel vortons half a turn on.

    Returns how far they are from where they should be, by how much their orbit has grown, where a
    tracer is that they stir, and where the first of them is.
    """
    method = {
        "velocity": velocity,
        "kernel": "wl",
        "stretching": "none",
        "turn": 2.0,
        "time": scheme,
        "rounding": 0.0,
    }
    sim = _core.Simulation(method=method, **options)
    radius, alpha, core = 0.5, 1.0, 0.8  # a wide core, so that each step is one substep
    position = np.float32([[radius, 0, 0], [-radius, 0, 0]])
    strength = np.float32([[0, 0, alpha]] * 2)
    sim.add_vortons(position, strength, np.full(2, core), np.full(2, core**3))
    sim.add_tracers(np.float32([[0.9, 0.2, 0.1]]), np.ones(1), np.full(1, 0.1))
    half_turn = np.pi * radius / np.linalg.norm(sim.velocity_at(position[:1]))
    for _ in range(steps):
        sim.step(half_turn / steps)
    moved, _ = columns(sim)
    error, growth = np.linalg.norm(moved[0] + position[0]), np.linalg.norm(moved[0]) / radius - 1
    return (
        float(error),
        float(growth),
        sim.column("tracers", "position")[0].astype(float),
        moved[0],
    )


def order_of(steps: Any, errors: Any, scheme: str, most: float = 0.1) -> Result:
    """Of errors that belong to numbers of steps: from the last two, counted up to that of the
    scheme. On bent ways rk2 converges faster than it promises, as little of its leading error is
    left."""
    order = np.log(errors[-2] / errors[-1]) / np.log(steps[-1] / steps[-2])
    line = Line(scheme, np.array(steps), np.array(errors))
    return Result(
        "order, at most that of the scheme",
        ORDERS[scheme],
        min(float(order), ORDERS[scheme]),
        most,
        scale=1.0,
        axes=("steps", "distance from the exact place, m"),
        lines=(line,),
    )


@case(
    "half a turn brings each to the place of the other",
    *product(velocity=["direct", "tree"], scheme=list(STEPS)),
)
def order_of_two_vortons(velocity: str, scheme: str) -> Result:
    """Two parallel vortons orbit each other."""
    errors = [orbit(scheme, count, velocity)[0] for count in STEPS[scheme]]
    return order_of(STEPS[scheme], errors, scheme)


@case("two vortons keep their distance", *product(scheme=["euler", "rk2", "rk3"]))
def growth_of_an_orbit(scheme: str) -> Result:
    """Of the same, in half a turn of as many steps as the last for the order."""
    growth = orbit(scheme, STEPS[scheme][-1])[1]
    most = 0.03 if scheme == "euler" else 1e-3
    return Result("radius over that at the start, less 1", 0.0, growth, most, scale=1.0)


@case("512 steps of rk3", *product(scheme=list(STEPS)))
def order_of_a_tracer_that_vortons_stir(scheme: str) -> Result:
    """In a flow that changes in time every stage must see the field of its time."""
    exact = orbit("rk3", 512)[2]
    steps = [4 * count for count in STEPS[scheme][-2:]]
    errors = [float(np.linalg.norm(orbit(scheme, count)[2] - exact)) for count in steps]
    return order_of(steps, errors, scheme, 0.15)  # that of rk2 comes from above


@case("half a turn on a circle", *product(scheme=list(STEPS)))
def order_of_a_tracer_around_a_vorton(scheme: str) -> Result:
    """One vorton, which stays: a tracer circles around it."""
    radius, core = 0.6, 0.8

    def off(count: int) -> float:
        method = {"velocity": "direct", "turn": 2.0, "time": scheme, "stretching": "none"}
        sim = _core.Simulation(method=method)
        sim.add_vortons(np.zeros((1, 3)), np.float32([[0, 0, 1]]), np.full(1, core), np.ones(1))
        start = np.float32([[radius, 0, 0]])
        sim.add_tracers(start, np.ones(1), np.full(1, 0.1))
        half_turn = np.pi * radius / np.linalg.norm(sim.velocity_at(start))
        for _ in range(count):
            sim.step(half_turn / count)
        return float(np.linalg.norm(sim.column("tracers", "position")[0].astype(float) + start[0]))

    return order_of(STEPS[scheme], [off(count) for count in STEPS[scheme]], scheme)


# ---- strain ----

STRAIN = np.diag([1.0, -0.5, -0.5])


def in_strain(strain: np.ndarray, spacing: float, method: Any) -> Simulation:
    """Nothing yet, in a wind that strains; 30 steps a second."""
    corners = np.stack(np.meshgrid([-20, 20], [-20, 20], [-20, 20], indexing="ij"), -1)
    scene = Scene("strain", method=method, spacing=spacing)
    wind = corners.transpose(2, 1, 0, 3) @ strain.T
    scene.add(WindGrid(wind, origin=(-20, -20, -20), spacing=40))
    return Simulation(scene, 30, threads=1)


SCHEMES = {"rk2": ("transpose", "rk2"), "rk3": ("transpose", "rk3"), "rvpm": ("rvpm", "rk2")}
"""Form of stretching and time scheme."""


@functools.cache
def _strained(velocity: str, scheme: str, bound: float, axis: str) -> tuple[float, float]:
    """Strength and core of a vorton along an axis, of strength 1 and core .5 at first."""
    n, (form, time) = "xyz".index(axis), SCHEMES[scheme]
    method = Method(
        velocity=velocity, kernel="wl", stretching=form, time=time, bound=bound,
        cleaning=0, exchange=0,
    )  # fmt: skip
    sim = in_strain(STRAIN, 0.3, method)
    sim.vortons.add(np.zeros((1, 3)), np.eye(3)[n : n + 1], core=0.5, volume=0.01)
    sim.step(30)
    return float(sim.vortons.strength[0, n]), float(sim.vortons.core[0])


@case(
    "e^(g t) along the strain, e^(-g t / 2) across; rVPM: to the power 2 / 5",
    *product(
        velocity=["direct", "poisson"],
        scheme=list(SCHEMES),
        bound=[0.0, 1.5],
        axis=["x", "y", "z"],
    ),
)
def strength_in_a_strain(velocity: str, scheme: str, bound: float, axis: str) -> Result:
    """A lone vorton in a wind that strains at 1/s, after 30 steps of a second."""
    rate = np.diag(STRAIN)["xyz".index(axis)] * (0.4 if scheme == "rvpm" else 1)
    found, _ = _strained(velocity, scheme, bound, axis)
    return Result("strength", math.exp(rate), found, 1e-3, "m^3/s")


@case(
    "rVPM: e^(-g t / 5) along the strain, e^(g t / 10) across",
    *product(velocity=["direct", "poisson"], axis=["x", "y", "z"]),
)
def core_in_a_strain(velocity: str, axis: str) -> Result:
    """Of the same."""
    rate = -0.2 * np.diag(STRAIN)["xyz".index(axis)]
    _, found = _strained(velocity, "rvpm", 1.5, axis)
    return Result("core radius", 0.5 * math.exp(rate), found, 1e-3, "m")


@case("x e^(g t), y e^(-g t / 2), z e^(-g t / 2)")
def tracers_in_a_strain() -> Result:
    """A hundred tracers in the same wind: the one that is farthest off after a second."""
    sim = in_strain(STRAIN, 0.3, Method())
    x = np.float32(np.random.default_rng(1).uniform(-3, 3, (100, 3)))
    sim.tracers.add(x, density=1.0, size=0.1)
    sim.step(30)
    found = sim.tracers.position[np.argsort(sim.tracers.id)].astype(float)
    exact = x.astype(float) * np.exp(np.diag(STRAIN))
    off = np.linalg.norm(found - exact, axis=1)
    return Result("distance from the exact place", 0.0, float(off.max()), 1e-3, "m", 3.0)


@case(
    "a uniform wind shifts everything",
    {"velocity": "direct"},
    {"velocity": "tree"},
    {"velocity": "poisson"},
)
def ring_in_a_wind(velocity: str) -> Result:
    """A ring in a wind and one in still air: how far particles are from where it takes them."""
    most = {"direct": 1e-5, "tree": 1e-3, "poisson": 0.02}[velocity]
    wind = np.array([0.7, -0.4, 0.2])
    still = thin_ring(method={"velocity": velocity})
    blown = thin_ring(method={"velocity": velocity}, wind=tuple(wind))
    for sim in (still, blown):
        sim.add_tracers(np.float32([[0.2, 0.1, 0.05]]), np.ones(1), np.full(1, 0.1))
        sim.step(0.05, 20)
    both = [
        np.concatenate([columns(sim)[0], sim.column("tracers", "position").astype(float)])
        for sim in (blown, still)
    ]
    shift = float(np.abs(both[0] - both[1] - wind).max())
    scale = max(mean_height(still), 1e-5 / most)
    return Result("distance from the shifted ring", 0.0, shift, most, "m", scale)
