"""Velocity of vortons: by the sum over all, the tree and the grid, against float64 and formulas."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import _core
from ..definitions.method import Method
from ..scenes.scene import Scene
from ..simulations.simulation import Simulation
from .case import Line, Result, both, case, farthest, product
from .rings import share_within

KERNELS = ["gaussian", "wl", "ball"]


def circle(count: int, radius: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """A ring one vorton thick: positions and strengths for circulation 1."""
    angle = 2 * np.pi * np.arange(count) / count
    zero = np.zeros(count)
    position = radius * np.stack([np.cos(angle), np.sin(angle), zero], axis=1)
    tangent = np.stack([-np.sin(angle), np.cos(angle), zero], axis=1)
    return position, tangent * 2 * np.pi * radius / count


def simulation_of(position: Any, strength: Any, core: Any, **options: Any) -> _core.Simulation:
    """Vortons with one core radius for all, or one for each; volumes of its cube."""
    sim = _core.Simulation(**options)
    cores = core * np.ones(len(position))
    sim.add_vortons(np.float32(position), np.float32(strength), cores, cores**3)
    return sim


def direct(
    targets: Any, positions: Any, strengths: Any, core: Any, kernel: str = "gaussian"
) -> np.ndarray:
    """Velocity by the float64 sum."""
    positions = np.asarray(positions, float)
    cores = core * np.ones(len(positions))
    strengths = np.asarray(strengths, float)
    return _core.direct_sum(np.asarray(targets, float), positions, strengths, cores, kernel)[0]


@case("q(r / s) alpha / (4 pi r^2)", *product(kernel=KERNELS))
def one_vorton(kernel: str) -> Result:
    """Speed beside a vorton, from a hundredth to a hundred core radii away."""
    core, strength = 0.25, 1.7
    p = np.geomspace(0.01, 100, 400)
    targets = np.zeros((len(p), 3), np.float32)
    targets[:, 0] = p * core
    method = {"velocity": "direct", "kernel": kernel}
    sim = simulation_of([[0, 0, 0]], [[0, 0, strength]], core, method=method)
    found = sim.velocity_at(targets)[:, 1].astype(float)
    r = targets[:, 0].astype(float)
    alpha = float(np.float32(strength))
    exact = np.array([share_within(kernel, d / core) * alpha / (4 * np.pi * d**2) for d in r])
    if kernel == "gaussian":  # where the difference of the two terms cancels: their series
        near = r < 0.1 * core
        series = math.sqrt(2 / math.pi) * (1 / 3 - (r / core) ** 2 / 10 + (r / core) ** 4 / 56)
        exact[near] = (series * alpha * r / (4 * np.pi * core**3))[near]
    axes = ("distance / core", "speed, m/s")
    return farthest("speed, where it is farthest off", (p, exact, found), 1e-6, "m/s", axes)


@case(
    "the sum over all vortons in float64",
    *product(velocity=["direct", "tree"], kernel=KERNELS),
)
def cloud_of_vortons(velocity: str, kernel: str) -> Result:
    """1500 vortons without order: rms error of the velocity at them and farther out."""
    random = np.random.default_rng(3)
    position, strength = (np.float32(random.normal(size=(1500, 3))).astype(float) for _ in range(2))
    cores = np.float32(random.uniform(0.05, 0.4, 1500)).astype(float)
    targets = np.float32(np.concatenate([position[:300], 3 * position[300:400]]))
    method = {"velocity": velocity, "kernel": kernel}
    found = simulation_of(position, strength, cores, method=method).velocity_at(targets)
    exact = direct(targets, position, strength, cores, kernel)
    rms = [float(np.sqrt((v.astype(float) ** 2).sum(axis=1).mean())) for v in (found, exact)]
    error = np.sqrt(((found - exact) ** 2).sum(axis=1).mean())
    tolerance = 2e-6 if velocity == "direct" else 0.015
    return Result("rms error of the velocity", 0.0, float(error), tolerance, "m/s", rms[1])


@case(
    "the sum over all vortons in float64 with the core of the grid",
    *product(quantity=["speed", "spread", "jitter"], cells=[10, 15, 20]),
)
def ring_anywhere_in_its_cells(quantity: str, cells: int) -> Result:
    """A ring of 128 on a grid at six places in its cells: mean speed, how much it differs between
    them, and along the ring."""
    exact, mean, spread, jitter = _anywhere(cells)
    if quantity == "speed":
        return Result("mean speed", exact, mean, 0.02, "m/s")
    if quantity == "spread":
        return Result("largest less least speed", 0.0, spread, 0.025, "m/s", exact)
    return Result("standard deviation along the ring", 0.0, jitter, 0.03, "m/s", exact)


@functools.cache
def _anywhere(cells: int) -> tuple[float, float, float, float]:
    spacing, offsets = 1 / cells, np.random.default_rng(3).uniform(-0.5, 0.5, (6, 3)) / cells
    position, strength = circle(128)
    exact = float(direct(position, position, strength, 1.5 * spacing)[:, 2].mean())
    means, jitters = [], []
    for offset in offsets:
        sim = simulation_of(position + offset, strength, 1.5 * spacing, spacing=spacing)
        axial = sim.velocity_at(np.float32(position + offset))[:, 2].astype(float)
        means.append(axial.mean())
        jitters.append(axial.std())
    return exact, float(np.mean(means)), float(np.ptp(means)), float(max(jitters))


def on_a_grid(position: Any, strength: Any, core: float, spacing: float) -> Simulation:
    """A simulation of vortons with a spacing of the grid, not yet stepped."""
    sim = Simulation(Scene(spacing=spacing, method=Method()))
    sim.vortons.add(position, strength, core=core, volume=spacing**3)
    return sim


@case("the curl of exp(-r^2) e_z", {"quantity": "error"}, {"quantity": "order"})
def smooth_field_on_the_grid(quantity: str) -> Result:
    """Largest error of the velocity with 4, 6 and 9 vortons to the width of the field, whose cores
    are as wide as they are apart; and the order at which it falls."""
    errors, cells = _smooth_field()
    if quantity == "error":
        return Result("largest error, of the largest speed", 0.0, errors[-1], 0.06, "", 1.0)
    order = -np.polyfit(np.log(cells), np.log(errors), 1)[0]
    return Result(
        "order",
        2.0,
        float(order),
        0.4,
        scale=1.0,
        axes=("vortons to the width", "error"),
        lines=(Line("vorton", np.array(cells), np.array(errors)),),
    )


@functools.cache
def _smooth_field() -> tuple[list[float], list[int]]:
    errors, cells = [], [4, 6, 9]
    points = np.random.default_rng(5).uniform(-1.5, 1.5, (60, 3))
    points[:8, 2] = 0  # where the velocity is largest
    points[:8, :2] *= (0.5**0.5 / np.linalg.norm(points[:8, :2], axis=1))[:, None]
    bell = np.exp(-(points**2).sum(axis=1))[:, None]
    exact = 2 * bell * np.stack([-points[:, 1], points[:, 0], 0 * points[:, 0]], axis=1)
    for n in cells:
        axis = (np.arange(-int(3.5 * n), int(3.5 * n)) + 0.5) / n
        p = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
        p = p[(p**2).sum(axis=1) < 3.5**2]
        x, y, z = p.T
        vorticity = np.stack([4 * x * z, 4 * y * z, 4 * (1 - (x * x + y * y))], axis=1)
        vorticity *= np.exp(-(p**2).sum(axis=1))[:, None]
        sim = on_a_grid(p, vorticity / n**3, 1 / n, 1 / n / 1.5)
        error = np.linalg.norm(sim.velocity_at(points) - exact, axis=1).max()
        errors.append(float(error / np.linalg.norm(exact, axis=1).max()))
    return errors, cells


@case("Biot and Savart's integral over a line of length L", {"apart": 1.0}, {"apart": 1.5})
def straight_tube(apart: float) -> Result:
    """Speed around a tube one vorton thick, whose vortons are up to 1.5 core radii apart."""
    length, core, circulation = 20.0, 0.1, 2.0
    count = round(length / (apart * core))
    z = (np.arange(count) + 0.5) * length / count - length / 2
    position = np.stack([0 * z, 0 * z, z], axis=1)
    strength = np.tile([0, 0, circulation * length / count], (count, 1))
    sim = simulation_of(position, strength, core, method={"velocity": "direct"})
    distance = np.linspace(0.2, 30, 40) * core
    inside = 1 - np.exp(-(distance**2) / (2 * core**2))
    exact = circulation / (2 * np.pi * distance) * inside
    exact *= length / np.sqrt(length**2 + 4 * distance**2)
    found = []
    for along in (0, 0.25, 0.5):  # beside a vorton and between two
        middle = 0.0 if count % 2 else apart * core / 2
        points = np.stack([distance, 0 * distance, 0 * distance + middle], axis=1)
        points[:, 2] += along * apart * core
        found.append(sim.velocity_at(np.float32(points))[:, 1].astype(float))
    off = np.abs(np.array(found) - exact)
    worst = np.unravel_index(off.argmax(), off.shape)
    return Result(
        "speed, where it is farthest off",
        float(exact[worst[1]]),
        float(found[worst[0]][worst[1]]),
        1e-3,
        "m/s",
        float(exact.max()),
        ("distance, m", "speed, m/s"),
        both(distance, exact, found[0]),
    )


@case("incompressible fluid: 0", {"method": "default"}, {"method": "article"})
def divergence_of_the_velocity(method: str) -> Result:
    """Of a wavy ring by the grid, by the differences of its nodes that make the velocity."""
    ring = _core.Simulation()
    ring.add("ring", core=0.15, wobble=0.05)
    made = Method.article() if method == "article" else Method()
    sim = Simulation(Scene(spacing=0.1, method=made))
    position, strength = ring.column("vortons", "position"), ring.column("vortons", "strength")
    sim.vortons.add(position, strength, core=0.15, volume=1e-3)
    velocity = sim.grids.velocity.astype(float)
    weights = (1 / 2,) if made.order == "second" else (3 / 4, -3 / 20, 1 / 60)
    flow = np.zeros(velocity.shape[:3])
    for c in range(3):
        for reach, weight in enumerate(weights, 1):
            u = velocity[..., c] * weight / sim.grids.spacing
            flow += np.roll(u, -reach, axis=2 - c) - np.roll(u, reach, axis=2 - c)
    divergence = np.abs(flow)[(slice(7, -7),) * 3].max()
    scale = np.abs(velocity).max() / sim.grids.spacing
    return Result("largest divergence", 0.0, float(divergence), 1e-5, "1/s", float(scale))


@case("nothing moves itself: 0", {"method": "default"}, {"method": "article"})
def lone_vorton(method: str) -> Result:
    """Its own speed on the grid, at twenty places; over alpha / (4 pi spacing^2)."""
    spacing, largest = 0.1, 0.0
    strength = np.array([[0.3, -0.5, 0.8]])
    made = Method.article() if method == "article" else Method()
    for place in np.random.default_rng(5).uniform(-1, 1, (20, 3)):
        sim = Simulation(Scene(spacing=spacing, method=made))
        sim.vortons.add(place[None], strength, core=0.15, volume=spacing**3)
        largest = max(largest, float(np.linalg.norm(sim.velocity_at(place[None]))))
    scale = float(np.linalg.norm(strength) / (4 * np.pi * spacing**2))
    return Result("largest speed", 0.0, largest, 1e-3, "m/s", scale)
