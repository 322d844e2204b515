"""Fire: fuel that burns, books of heat, fluid that expands."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..definitions.ambient import Air, Liquid
from ..definitions.combustion import Combustion
from ..definitions.method import Method
from ..geometry.shapes import Disk
from ..scenes.scene import Scene
from ..simulations.simulation import Simulation
from ..sources.emitter import Emitter
from .case import Result, both, case, product

AMBIENT = float(np.float32(293.15))  # K
STILL = {"heat": 0.0, "radiation": 0.0, "mixing": 0.0}
SHARES = ("fuel", "flame", "smoke")


def burning(
    law: str, temperature: Any, fuel: Any, flame: Any = 0.0, smoke: Any = 0.0,
    volume: float = 1e-3, **changes: Any,
) -> Simulation:  # fmt: skip
    """Vortons far apart that do nothing but burn."""
    scene = Scene(method=Method(velocity="direct"), combustion=Combustion(law, **changes))
    sim = Simulation(scene, threads=1)
    temperature = np.asarray(temperature, float)
    x = np.zeros((len(temperature), 3))
    x[:, 0] = np.arange(len(x))
    carried = {"temperature": temperature, "fuel": fuel, "flame": flame, "smoke": smoke}
    sim.vortons.add(x, 0 * x, core=0.1, volume=volume, **carried)
    return sim


def shares_of(sim: Simulation) -> list[np.ndarray]:
    """Fuel, flame and smoke of the vortons, float64."""
    return [getattr(sim.vortons, name).astype(float) for name in SHARES]


def chain(k: float, w: float, soot: float, start: Any, time: float) -> np.ndarray:
    """Fuel, flame, smoke after a time at constant rates k != w (Bateman 1910)."""
    fuel, flame, smoke = start
    left, dying = np.exp(-k * time), np.exp(-w * time)
    made = k * fuel * (left - dying) / (w - k)
    burnt = flame * dying + made
    gone = fuel * (1 - left) + flame - burnt
    return np.array([fuel * left, burnt, smoke + soot * gone])


@case(
    "Bateman 1910",
    *product(law=["simple", "arrhenius"], time=[1e-4, 0.03, 0.25, 1.0, 20.0]),
)
def fuel_that_burns_in_one_step(law: str, time: float) -> Result:
    """Fuel, flame and smoke at ten constant temperatures, in one step however long."""
    temperature = np.array([250, 450, 700, 900, 1117.7, 1300, 1700, 2500, 300, 1500], np.float32)
    start = np.array([[0.9, 0.4, 1, 0.7, 0.5, 0.3, 0.2, 0.05, 0, 0]]).T * [1, 0, 0] + [0, 0.05, 0]
    start[2] = 1, 0, 0
    start = start.astype(np.float32)
    sim = burning(law, temperature, *start.T, **STILL, flame_time=1 / 3)
    sim.advance(time)
    c = sim.scene.combustion
    rate = c.rate or c.burn_rate
    exact = []
    for row, t in enumerate(temperature.astype(float)):
        k = rate * (np.exp(-c.activation / t) if law == "arrhenius" else float(t >= c.ignition))
        exact.append(chain(k, 3.0, c.soot, start[row].astype(float), time))
    wanted, found = np.array(exact), np.array(shares_of(sim)).T
    worst = np.unravel_index(np.abs(found - wanted).argmax(), wanted.shape)
    return Result("worst share", float(wanted[worst]), float(found[worst]), 1e-6,
                  "", 1.0)  # fmt: skip


@case("T + G Y / c is kept", *product(law=["simple", "arrhenius"], dt=[0.01, 0.2, 50.0]))
def heat_of_what_has_burnt(law: str, dt: float) -> Result:
    """Temperature of 50 vortons and what their fuel will add, after five steps."""
    start, fuel = np.linspace(600, 1500, 50), np.linspace(1, 0.1, 50)
    sim = burning(law, start, fuel, heat=1.1e6, heat_capacity=1000.0, radiation=0, mixing=0)
    end = start + 1100 * fuel
    for _ in range(5):
        sim.advance(dt)
    found = sim.vortons.temperature.astype(float) + 1100 * sim.vortons.fuel.astype(float)
    worst = np.abs(found / end - 1).argmax()
    return Result("temperature at the end", float(end[worst]), float(found[worst]), 1e-6, "K")


@functools.cache
def _fire(population: bool) -> tuple[float, float, float]:
    """Heat of a fire by its vortons, by health, and by its books; J."""
    method = Method(split=1.5, merge=5, prune=0.02) if population else Method()
    scene = Scene("fire", seed=3, voxel=0.1, combustion=Combustion(), method=method)
    bed = Disk(radius=0.25, thickness=0.2)
    scene.add(Emitter(bed, temperature=850, fuel=0.9, core=0.12, lifetime=0.5, renew=10))
    sim = Simulation(scene, fps=24, threads=1)
    sim.step(16)
    sim.vortons.temperature[:5] += 100.0
    sim.step(4)
    h, v = sim.health, sim.vortons
    mass = scene.ambient.density * v.volume.astype(float) * AMBIENT / v.volume_temperature
    heat = 1100 * np.dot(mass, v.temperature.astype(float) - AMBIENT)
    books = h.heat_released - h.heat_radiated - h.heat_mixed + h.heat_brought
    return float(heat), h.heat, books


@case(
    "released - radiated - mixed + brought",
    *product(population=[False, True], quantity=["sum", "books"]),
)
def books_of_a_fire(population: bool, quantity: str) -> Result:
    """A fire of 20 frames that a program warms, too; also while vortons split and merge."""
    heat, said, books = _fire(population)
    if quantity == "sum":
        return Result("heat that health says, by the vortons", heat, said, 1e-5, "J")
    return Result("heat", books, said, 1e-4, "J")


@case("heat of combustion x fuel that is gone")
def heat_that_is_released() -> Result:
    """A hundred vortons of different fuel, in .3 s."""
    sim = burning("simple", np.full(100, 900.0), np.linspace(0, 1, 100), heat=2e6)
    before = sim.vortons.fuel.astype(float)
    sim.advance(0.3)
    burnt = 1e-3 * sim.scene.ambient.density * (before - sim.vortons.fuel).sum()
    return Result("heat", float(2e6 * burnt), sim.health.heat_released, 1e-5, "J")


# ---- expansion ----

COLD, HOT = 300.0, 600.0  # K


def warm_ball(radius: float = 5.0, apart: float = 0.8, jitter: float = 0.1, seed: int = 0):
    """Points of a lattice in a ball, off the lattice of the grid."""
    n = int(radius / apart) + 2
    axis = apart * (np.arange(-n, n + 1) + 0.23)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    x += np.random.default_rng(seed).uniform(-jitter, jitter, x.shape) * apart
    return x[np.linalg.norm(x, axis=1) < radius]


def expanding(
    x: Any, volume: float, strength: float = 0.0, threads: int = 1, ambient: Any = None,
    method: Any = None, **scene: Any,
) -> Simulation:  # fmt: skip
    """A grid of spacing 1 m without gravity; vortons at the temperature of the ambient fluid."""
    made = Scene(
        spacing=1.0,
        gravity=scene.pop("gravity", (0, 0, 0)),
        ambient=ambient or Air(temperature=COLD),
        method=Method(**{"halo": 0, **(method or {})}),
        **scene,
    )
    sim = Simulation(made, threads=threads)
    temperature = made.ambient.temperature
    sim.vortons.add(x, strength * np.ones_like(x), core=1.5, volume=volume, temperature=temperature)
    return sim


def heat(sim: Simulation, ids: Any, last: float, steps: int = 25, dt: float = 0.04) -> None:
    """Warms the vortons of these ids evenly, a step at a time, and lets the last of it act."""
    sim.advance(1e-3 * dt)  # the volumes belong to the temperatures of now
    first = sim.vortons.temperature[sim.vortons.rows(ids)].astype(float)
    for n in range(1, steps + 1):
        warmed = first + (last - first) * n / steps
        sim.vortons.temperature[sim.vortons.rows(ids)] = warmed
        sim.advance(dt)
    sim.advance(dt)


def in_order(sim: Simulation, name: str, kind: str = "vortons") -> np.ndarray:
    """A column in the order of the ids, float64."""
    particles = getattr(sim, kind)
    return getattr(particles, name)[np.argsort(particles.id)].astype(float)


DISTANCES = (10.0, 14.0, 30.0)  # m


@functools.cache
def _heated(last: float) -> tuple[float, float, dict[float, float]]:
    """Volume at first and gained, and what tracers around the ball were pushed for, m^3."""
    x = warm_ball()
    sim = expanding(x, 0.8**3)
    d = np.random.default_rng(3).normal(size=(600, 3))
    d /= np.linalg.norm(d, axis=1)[:, None]
    start = np.repeat(DISTANCES, 200)
    sim.tracers.add(start[:, None] * d, density=1.0, size=1.0)
    before = float(sim.vortons.volume.astype(float).sum())
    heat(sim, sim.vortons.id.copy(), last)
    gained = float(sim.vortons.volume.astype(float).sum()) - before
    r = np.linalg.norm(in_order(sim, "position", "tracers"), axis=1)
    pushed = 4 / 3 * np.pi * (r**3 - start**3)
    return before, gained, {far: float(pushed[start == far].mean()) for far in DISTANCES}


@case("law of Gay-Lussac: V ~ T", {"last": HOT}, {"last": 200.0})
def volume_of_a_gas(last: float) -> Result:
    """Of a ball that is heated from 300 K, or cooled."""
    before, gained, _ = _heated(last)
    return Result("volume gained", (last / COLD - 1) * before, gained, 1e-5, "m^3")


@case("fluid is pushed away for what is gained", *product(last=[HOT, 200.0], far=list(DISTANCES)))
def fluid_around_a_heated_ball(last: float, far: float) -> Result:
    """Volume of the sphere that tracers at a distance stand on, after the ball was heated."""
    _, gained, pushed = _heated(last)
    return Result("volume that tracers give way for", gained, pushed[far], 0.015, "m^3")


@case("V = V0 / (1 - beta (T - T0))")
def volume_of_a_liquid() -> Result:
    """Heated by 100 K."""
    x = warm_ball(3.0)
    sim = expanding(x, 0.8**3, ambient=Liquid(temperature=COLD, expansion=2e-3))
    heat(sim, sim.vortons.id.copy(), 400.0)
    found = float(sim.vortons.volume.astype(float).sum())
    return Result("volume", len(x) * 0.8**3 / (1 - 2e-3 * 100), found, 1e-5, "m^3")


@functools.cache
def _wider() -> tuple[np.ndarray, np.ndarray]:
    """Distances of the vortons from the middle of a ball, before and after it is heated."""
    x = warm_ball(jitter=0.0)
    sim = expanding(x, 0.8**3)
    heat(sim, sim.vortons.id.copy(), HOT)
    r = np.linalg.norm(x, axis=1)
    grown = np.linalg.norm(in_order(sim, "position")[: len(x)], axis=1)
    inside = np.flatnonzero((r > 1) & (r < 3.5))
    order = inside[np.argsort(r[inside])]
    return r[order], grown[order]


@case("twice the volume: 2^(1/3) the width", *product(quantity=["mean", "spread"]))
def width_of_a_heated_ball(quantity: str) -> Result:
    """The vortons inside it make room for each other, evenly."""
    before, after = _wider()
    growth = 2 ** (1 / 3)
    if quantity == "spread":
        spread = float((after / before).std())
        return Result("standard deviation of the growth", 0.0, spread, 0.03, "", 1.0)
    return Result(
        "growth of the distance from the middle",
        growth,
        float((after / before).mean()),
        0.01,
        axes=("distance before, m", "distance after, m"),
        lines=both(before, growth * before, after),
    )
