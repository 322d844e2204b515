"""Potential flow: spheres in streams, released bodies, added mass, walls, Hill's vortex."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..definitions.ambient import Air, Liquid
from ..definitions.animation import Keys
from ..definitions.method import Method
from ..definitions.transform import Transform
from ..geometry.shapes import Box, Capsule, Cylinder, Polytope, Sphere
from ..scenes.bodies import Body, Container
from ..scenes.effects import Wind
from ..scenes.scene import Scene
from ..simulations.simulation import Simulation
from ..sources.ring_and_tracers import VortexRing
from .case import Result, both, case, product

WIND = np.array((1.0, 0.3, -0.2))
U = float(np.linalg.norm(WIND))
CENTER, R = np.array((0.1, 0.2, 0.03)), 0.5
H = R / 8  # of the grid around a sphere of 320 panels without vortons
AIR = Air().density
GRAVITY = 9.81


def directions(count: int = 200) -> np.ndarray:
    """Unit vectors."""
    d = np.random.default_rng(8).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1)[:, None]


def rms(v: Any) -> float:
    """Of vectors."""
    return float(np.sqrt((np.asarray(v, float) ** 2).sum(axis=-1).mean()))


def simulation(*items: Any, fps: float = 24, threads: int = 1, **scene: Any) -> Simulation:
    """Of things without gravity."""
    made = Scene("panels", **{"voxel": 0.1, "gravity": (0, 0, 0), **scene})
    for item in items:
        made.add(item)
    return Simulation(made, fps=fps, threads=threads)


def sphere(panels: int = 320, **options: Any) -> Body:
    """Radius R about CENTER."""
    return Body(Sphere(CENTER, R), panels=panels, **options)


def around_sphere(x: np.ndarray, wind: np.ndarray = WIND) -> np.ndarray:
    """The exact potential flow at x from the middle of the sphere."""
    r = np.linalg.norm(x, axis=1)[:, None]
    along = (x @ wind)[:, None]
    return wind - R**3 / 2 * (3 * along * x / r**5 - wind / r**3)


@case("no fluid flows through a wall: 0", {"beside": "stream"}, {"beside": "ring"})
def flow_through_a_sphere(beside: str) -> Result:
    """Normal velocity on 200 points of a sphere of 320 panels: in a stream, or before a ring that
    blows at it, over its largest speed there without the sphere."""
    d = directions()
    x = np.float32(CENTER + 1.0001 * R * d)
    if beside == "stream":
        flow = simulation(sphere(), wind=tuple(WIND)).velocity_at(x)
        return Result("rms flow", 0.0, rms((flow * d).sum(axis=1)[:, None]), 0.02, "m/s", U)
    ring = VortexRing(center=(0.1, 0.2, -0.7), radius=0.4, core=0.1, circulation=1.0)
    with_body, alone = simulation(ring, sphere()), simulation(ring)
    for sim in (with_body, alone):
        sim.step()
    largest = float(np.linalg.norm(alone.velocity_at(x), axis=1).max())
    after = rms((with_body.velocity_at(x) * d).sum(axis=1)[:, None])
    return Result("rms flow", 0.0, after, 0.02, "m/s", largest)


@case("3/2 U sin(angle)")
def speed_along_a_sphere() -> Result:
    """On its surface, in a stream: rms error."""
    d = directions()
    u = simulation(sphere(), wind=tuple(WIND)).velocity_at(np.float32(CENTER + 1.0001 * R * d))
    speed = np.linalg.norm(u, axis=1)
    sine = np.sqrt(1 - (d @ WIND / U) ** 2)
    order = np.argsort(sine)
    return Result(
        "rms error of the speed",
        0.0,
        rms((speed - 1.5 * U * sine)[:, None]),
        0.06,
        "m/s",
        U,
        ("sine of the angle with the stream", "speed, m/s"),
        both(sine[order], 1.5 * U * sine[order], speed[order]),
    )


NEAR = {1: 0.02, 2: 0.01, 3: 0.005, 5: 0.003, 9: 0.002}
"""Largest error at a distance from the surface, in cells of the grid."""


@case("dipole in a stream", *product(cells=list(NEAR)))
def flow_around_a_sphere(cells: int) -> Result:
    """So many cells of the grid from the surface: rms error; the last lies outside the grid."""
    sim, d = simulation(sphere(), wind=tuple(WIND)), directions()
    x = np.float32(CENTER + (R + cells * H) * d)
    error = rms(sim.velocity_at(x) - around_sphere(x - CENTER))
    return Result("rms error of the velocity", 0.0, error, NEAR[cells], "m/s", U)


# ---- forces and added mass ----


@case("half of the mass of the fluid in its place", {"panels": 80}, {"panels": 320})
def added_mass_of_a_sphere(panels: int) -> Result:
    """By its panels, in the direction that is farthest off."""
    mass = simulation(sphere(panels))._core.panels(0)["added_mass"] / (4 / 3 * np.pi * R**3)
    own = np.diag(mass)[:3]
    worst = float(own[np.abs(own - 0.5).argmax()])
    return Result("added mass over displaced mass", 0.5, worst, 0.02 if panels < 320 else 0.01,
                  "", 1.0)  # fmt: skip


def lamb(a: float, b: float, c: float) -> float:
    """Added mass of an ellipsoid along a, as a share of the displaced mass, by quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x = (nodes + 1) / 2
    way = x / (1 - x)
    root = np.sqrt((a * a + way) * (b * b + way) * (c * c + way))
    alpha = a * b * c * float((weights / 2 / ((a * a + way) * root) / (1 - x) ** 2).sum())
    return alpha / (2 - alpha)


WATER = Liquid(density=1000.0)


def in_water(*items: Any, gravity: Any = (0, 0, -GRAVITY), fps: float = 24, bodies: str = "none"):
    """Bodies in water of 1000 kg/m^3."""
    return simulation(
        *items, fps=fps, gravity=gravity, ambient=WATER, method=Method(bodies=bodies), voxel=0.1
    )


@case("Lamb 1932, article 114", {"axis": "long"}, {"axis": "middle"}, {"axis": "short"})
def added_mass_of_an_ellipsoid(axis: str) -> Result:
    """A polytope in the form of an ellipsoid, .9, .5 and .3 m, that is pushed along an axis."""
    axes, n = np.array([0.9, 0.5, 0.3]), ["long", "middle", "short"].index(axis)
    v = np.random.default_rng(2).normal(size=(600, 3))
    shape = Polytope(axes * v / np.linalg.norm(v, axis=1)[:, None])
    sim = in_water(Body(shape, density=700.0), gravity=(0, 0, 0))
    sim.apply_impulse(0, 5.0 * np.eye(3)[n])
    inertia = 5.0 / sim.bodies[0].velocity[n] / sim.bodies[0].mass
    exact = 1 + lamb(*np.roll(axes, -n)) / 0.7
    return Result("inertia over mass", float(exact), float(inertia), 0.01)


@case(
    "g (s - 1) / (s + 1/2)",
    *product(bodies=["none"], share=[0.05, 0.5, 0.99, 2.0, 8.0]),
    *product(bodies=["panels"], share=[0.05, 0.5, 3.0]),
)
def released_sphere(bodies: str, share: float) -> Result:
    """Acceleration of a sphere of s times the density of the water: with the added mass that
    is known of spheres, in steps of 1/3 s; and in the flow that its panels make, without a wake."""
    body = Body(Sphere((0, 0, 5), 0.5), density=1000 * share, shedding=0.0)
    fps, frames = (3, 4) if bodies == "none" else (48, 4)
    sim = in_water(body, fps=fps, bodies=bodies)
    heights, times = [5.0], [0.0]
    for _ in range(frames):
        sim.step()
        heights.append(sim.bodies[0].position[2])
        times.append(sim.time)
    exact, time = -GRAVITY * (share - 1) / (share + 0.5), np.array(times)
    found = sim.bodies[0].velocity[2] / sim.time
    return Result(
        "acceleration",
        exact,
        float(found),
        1e-6 if bodies == "none" else 0.01,
        "m/s^2",
        axes=("time, s", "height, m"),
        lines=both(time, 5 + exact / 2 * time**2, heights),
    )


def _in_the_flow(*items: Any, **scene: Any) -> Simulation:
    return simulation(*items, spacing=R / 8, **scene)


@case("d'Alembert: 0")
def drag_without_vorticity() -> Result:
    """Of a sphere that sheds nothing, in a steady wind; over rho V U / s."""
    ball = Body(Sphere((0, 0, 0), R), shedding=0)
    sim = _in_the_flow(ball, wind=(1, 0.3, 0))
    sim.step(12)
    drag = float(np.abs(sim.bodies[0].flow_impulse).max())
    scale = AIR * 4 / 3 * np.pi * R**3 * math.hypot(1, 0.3)
    return Result("impulse in half a second", 0.0, drag, 1e-6, "N s", scale)


@case("3/2 rho V dU/dt")
def wind_that_grows() -> Result:
    """It takes a sphere with it: half as much again as the fluid that the sphere displaces."""
    ball = Body(Sphere((0, 0, 0), R), shedding=0)
    sim = _in_the_flow(ball, Wind(Keys([(0, (0, 0, 0)), (1, (2, 0, 0))])))
    sim.step(4)
    start = sim.bodies[0].flow_impulse[0]
    sim.step(12)
    force = (sim.bodies[0].flow_impulse[0] - start) / 0.5
    return Result("force", 1.5 * AIR * 4 / 3 * np.pi * R**3 * 2, float(force), 0.02, "N")


# ---- walls of containers ----

TURNED = Transform(axis=(1, 2, 3), angle=20)
CONTAINERS: dict[str, Any] = {
    "box": Box((-1, -0.8, -0.7), (1, 0.8, 0.7)),
    "sphere": Sphere((0, 0, 0), 0.9),
    "cylinder": Cylinder((0, 0, 0), radius=0.8, length=1.6),
    "capsule": Capsule((-0.3, 0, 0), (0.3, 0, 0), 0.8),
    "polytope": Polytope(
        [(1.4, 0, 0), (-1.4, 0, 0), (0, 1.4, 0), (0, -1.4, 0), (0, 0, 1.4), (0, 0, -1.4)]
    ),
    "box and sphere": (Box((-1, -0.8, -0.7), (1, 0.8, 0.7)), Sphere((0, 0, 0), 1.05)),
    "lens": (Sphere((0, 0, -0.5), 1.3), Sphere((0, 0.1, 0.5), 1.3)),
    "boxes": (Box((-1, -0.8, -0.7), (1, 0.9, 0.9)), Box((-0.9, -0.8, -1), (2, 0.8, 0.7))),
}


def ring_inside(z: float, circulation: float = 1.0, radius: float = 0.4, core: float = 0.2):
    """A ring about the z axis."""
    return VortexRing(center=(0, 0, z), radius=radius, core=core, circulation=circulation)


@case("no fluid flows through a wall: 0", *product(shape=list(CONTAINERS)))
def flow_through_the_walls_of_a_container(shape: str) -> Result:
    """Around a ring inside it: rms normal velocity at 200 points, over the largest speed there."""
    sim = simulation(ring_inside(-0.1), Container(CONTAINERS[shape], parent=TURNED, panels=320))
    within = np.random.default_rng(3).uniform(0.2, 0.7, (200, 1)) * directions()
    _, wall, inwards = sim.body_distance(0, within)
    x = np.float32(wall + 1e-4 * inwards)
    sim.step()
    flow = sim.velocity_at(x)
    largest = float(np.linalg.norm(flow, axis=1).max())
    through = rms((flow * inwards).sum(axis=1)[:, None])
    return Result("rms flow through the walls", 0.0, through, 0.02, "m/s", largest)


def circle_flow(x: np.ndarray, radius: Any, z: Any, circulation: Any, count: int = 256):
    """Of thin circles around the z axis (arrays), by Biot and Savart's law."""
    turn = (np.arange(count) + 0.5) * 2 * np.pi / count
    around = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    along = np.stack([-np.sin(turn), np.cos(turn), 0 * turn], axis=1) * 2 * np.pi / count
    u = np.zeros_like(x)
    for r, height, gamma in zip(radius, z, circulation, strict=True):
        way = x[:, None] - r * around - (0, 0, height)
        part = np.cross(r * along, way) / np.linalg.norm(way, axis=2)[..., None] ** 3
        u += gamma / (4 * np.pi) * part.sum(axis=1)
    return u


@case("its image: Lewis 1879", {"panels": 80}, {"panels": 320}, quick=0)
def ring_in_a_sphere(panels: int) -> Result:
    """Of a circle of radius r at z inside a sphere of radius a, coaxial: a^2 / (r^2 + z^2) times
    both, circulation - sqrt(r^2 + z^2) / a. What the wall does to the flow: rms error."""
    a, z = 1.0, -0.25
    items = ring_inside(z, radius=0.45), Container(Sphere((0, 0, 0), a), panels=panels)
    inside, alone = simulation(*items, fps=10_000), simulation(items[0], fps=10_000)
    for sim in (inside, alone):
        sim.step()
    p, strength = (v.astype(float) for v in (inside.vortons.position, inside.vortons.strength))
    rho, far = np.hypot(p[:, 0], p[:, 1]), np.linalg.norm(p, axis=1)
    turning = (strength[:, 1] * p[:, 0] - strength[:, 0] * p[:, 1]) / rho
    gamma = turning / (2 * np.pi * rho)
    x = directions(40) * np.linspace(0.3, 0.85, 40)[:, None]
    image = circle_flow(x, rho / far**2, p[:, 2] / far**2, -gamma * far, count=64)
    found = inside.velocity_at(np.float32(x)) - alone.velocity_at(np.float32(x))
    tolerance = 0.04 if panels < 320 else 0.02
    return Result("rms error", 0.0, rms(found - image), tolerance, "m/s", rms(image))


# ---- Hill's vortex ----


@functools.cache
def _hill(cells: int) -> dict[str, float]:
    """A ball of radius 1 of vorticity A r, A = 15/2: it flies at 1 m/s."""
    h, slope = 1 / cells, 7.5
    axis = h * (np.arange(-cells - 1, cells + 1) + 0.5)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    x = x[(x**2).sum(axis=1) < 1]
    strength = slope * h**3 * np.stack([-x[:, 1], x[:, 0], 0 * x[:, 0]], axis=1)
    sim = Simulation(Scene(spacing=h, gravity=(0, 0, 0)), fps=40)
    sim.vortons.add(x, strength, core=1.5 * h, volume=h**3)
    health = sim.health
    middle = float(sim.velocity_at(np.zeros((1, 3)))[0, 2])
    outside = float(sim.velocity_at(np.float32([[0, 0, 2.0]]))[0, 2])

    def place() -> float:
        p, s = sim.vortons.position.astype(float), sim.vortons.strength.astype(float)
        weight = np.cross(p, s)[:, 2]
        return float(weight @ p[:, 2] / weight.sum())

    start = place()
    sim.step(8)
    return {
        "speed": (place() - start) / sim.time,
        "speed in the middle": middle,
        "speed a radius ahead": outside,
        "impulse": health.impulse[2],
        "energy": health.energy,
    }


HILL = {
    "speed": (1.0, 0.03, "m/s"),
    "speed in the middle": (2.5, 0.02, "m/s"),
    "speed a radius ahead": (1 / 8, 0.02, "m/s"),
    "impulse": (2 * np.pi, 0.02, "m^4/s"),
    "energy": (10 / 7 * np.pi, 0.03, "m^5/s^2"),
}
"""Exact: of radius 1 and speed 1 (Lamb 1932, article 165); tolerance; unit."""


@case("Hill 1894; Lamb 1932, article 165", *product(quantity=list(HILL)))
def vortex_of_hill(quantity: str) -> Result:
    """A ball of vorticity, proportional to the distance from its axis, that flies unchanged."""
    exact, tolerance, unit = HILL[quantity]
    return Result(quantity, exact, _hill(32)[quantity], tolerance, unit)
