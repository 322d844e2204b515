"""Diffusion of vorticity and heat: Gaussians that widen at 4 nu."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import _core
from ..definitions.ambient import Water
from ..definitions.method import Method
from ..scenes.scene import Scene
from ..simulations.simulation import Simulation
from .case import Result, both, case, farthest, product
from .rings import saffman

A0 = 0.25  # m; exp(-r^2 / a^2), a^2 grows at 4 nu
NU = 0.01  # m^2/s
WARMTH = 100.0  # K
AMBIENT = float(np.float32(293.15))  # K
ALONG = np.array([0.6, 0.0, 0.8])
TURN = np.pi / 6


def lattice(h: float, radius: float, turn: float = 0.0, jitter: float = 0.0) -> np.ndarray:
    """Points of a cubic lattice in a ball, the lattice rotated about (1, 1, 1)."""
    g = (np.arange(-int(radius / h) - 2, int(radius / h) + 3) + 0.37) * h
    x = np.stack(np.meshgrid(g, g, g, indexing="ij"), -1).reshape(-1, 3)
    x += np.random.default_rng(1).uniform(-0.5, 0.5, x.shape) * jitter * h
    axis = np.ones(3) / np.sqrt(3)
    k = np.cross(np.eye(3), axis)
    x = x @ (np.eye(3) + np.sin(turn) * k + (1 - np.cos(turn)) * k @ k)
    return x[(x**2).sum(axis=1) < radius**2]


def blob_of_vorticity(
    h: float = 0.1,
    radius: float = 0.75,
    turn: float = 0.0,
    jitter: float = 0.0,
    viscosity: float = NU,
    **method: Any,
) -> _core.Simulation:
    """A Gaussian blob of vorticity, too weak to move anything."""
    x = lattice(h, radius, turn, jitter)
    strength = 1e-6 * h**3 * np.exp(-(x**2).sum(axis=1) / A0**2)[:, None] * ALONG
    sim = _core.Simulation(viscosity=viscosity, threads=1, method=method)
    sim.add_vortons(x, strength, np.full(len(x), 1.2 * h), np.full(len(x), h**3))
    return sim


def core_columns(sim: _core.Simulation, *names: str) -> list[np.ndarray]:
    """Columns of the vortons, float64."""
    return [sim.column("vortons", name).astype(float) for name in names]


def blob_of_heat(
    h: float = 0.1,
    radius: float = 0.75,
    turn: float = 0.0,
    jitter: float = 0.0,
    kappa: float = NU,
    warmth: float = WARMTH,
    threads: int = 1,
    **scene: Any,
) -> Simulation:
    """A Gaussian blob of warm fluid at rest, without gravity; volumes stay, so that the sum of
    volume times temperature is kept."""
    x = lattice(h, radius, turn, jitter)
    method = Method(**{"expansion": 0.0, **scene.pop("method", {})})
    made = Scene(thermal_diffusivity=kappa, gravity=(0, 0, 0), spacing=h, method=method, **scene)
    sim = Simulation(made, threads=threads)
    temperature = AMBIENT + warmth * np.exp(-(x**2).sum(axis=1) / A0**2)
    sim.vortons.add(x, 0 * x, core=1.5 * h, volume=h**3, temperature=temperature)
    return sim


def moment_of(x: np.ndarray, amount: np.ndarray) -> tuple[float, float]:
    """a^2 of the Gaussian with this second moment, m^2, and the sum."""
    middle = amount @ x / amount.sum()
    square = 2 / 3 * (amount @ ((x - middle) ** 2).sum(axis=1)) / amount.sum()
    return float(square), float(amount.sum())


def moment_of_vorticity(sim: _core.Simulation) -> tuple[float, float]:
    """That of the strengths."""
    x, strength = core_columns(sim, "position", "strength")
    return moment_of(x, strength @ ALONG)


def heat_of(sim: Simulation) -> np.ndarray:
    """Volume times how much warmer than the ambient fluid, m^3 K."""
    return sim.vortons.volume.astype(float) * (sim.vortons.temperature.astype(float) - AMBIENT)


def moment_of_heat(sim: Simulation) -> tuple[float, float]:
    """That of the heat."""
    return moment_of(sim.vortons.position.astype(float), heat_of(sim))


KINDS: dict[str, dict[str, Any]] = {
    "lattice": {},
    "fine": {"h": 0.05, "radius": 0.65},
    "turned": {"turn": TURN},
    "cut off": {"radius": 0.5},  # the halo takes over where the blob was cut off
    "jittered": {"jitter": 0.5, "turn": TURN},
    "direct": {"velocity": "direct", "h": 0.125},
}


SCHEMES = ("pse", "implicit")


@functools.cache
def _grown(what: str, kind: str, scheme: str) -> tuple[float, float]:
    """Growth of a^2 in a second, m^2, and drift of the sum."""
    options = dict(KINDS.get(kind, {}))
    if what == "vorticity":
        sim = blob_of_vorticity(**options, diffusion=scheme)
        square, total = moment_of_vorticity(sim)
        sim.step(1.0)
        later, kept = moment_of_vorticity(sim)
    else:
        if kind == "water":
            options["ambient"] = Water()
        options["method"] = {"diffusion": scheme}
        if "velocity" in options:
            options["method"]["velocity"] = options.pop("velocity")
        warm = blob_of_heat(**options)
        square, total = moment_of_heat(warm)
        warm.advance(1.0)
        later, kept = moment_of_heat(warm)
    return later - square, kept / total - 1


@case(
    "heat equation: a^2 grows at 4 nu",
    *product(
        what=["vorticity", "heat"],
        blob=["lattice", "cut off", "jittered", "direct", "turned"],
        scheme=SCHEMES,
    ),
    *product(what=["heat"], blob=["water"], scheme=SCHEMES),
    *product(what=["vorticity", "heat"], blob=["fine"], scheme=SCHEMES),
)
def spreading_of_a_gaussian(what: str, blob: str, scheme: str) -> Result:
    """Second moment of a blob of vorticity or heat, by each scheme of diffusion, in a second."""
    return Result("growth of a^2", 4 * NU, _grown(what, blob, scheme)[0], 0.02, "m^2")


@case(
    "diffusion creates nothing",
    *product(
        what=["vorticity", "heat"],
        blob=["lattice", "cut off", "jittered", "direct"],
        scheme=SCHEMES,
    ),
)
def sum_that_diffuses(what: str, blob: str, scheme: str) -> Result:
    """Of the same: what the whole has lost or gained."""
    drift = _grown(what, blob, scheme)[1]
    return Result("share of the sum that is lost", 0.0, drift, 1e-6, "", 1.0)


@case("heat equation", {"what": "vorticity"}, {"what": "heat"})
def shape_of_a_gaussian(what: str) -> Result:
    """Not the moment alone: rms error at the vortons after half a second."""
    time = 0.5
    if what == "vorticity":
        sim = blob_of_vorticity(h=0.05, radius=0.6)
        sim.step(time)
        x, strength, volume = core_columns(sim, "position", "strength", "volume")
        found, height = strength @ ALONG / volume, 1e-6
    else:
        warm = blob_of_heat(h=0.05, radius=0.6)
        warm.advance(time)
        x, volume = warm.vortons.position.astype(float), warm.vortons.volume.astype(float)
        found, height = warm.vortons.temperature.astype(float) - AMBIENT, WARMTH
    square, r2 = A0**2 + 4 * NU * time, (x**2).sum(axis=1)
    exact = height * (A0**2 / square) ** 1.5 * np.exp(-r2 / square)
    error = np.sqrt(volume @ (found - exact) ** 2 / (volume @ exact**2))
    order = np.argsort(r2)
    return Result(
        "rms error over rms",
        0.0,
        float(error),
        0.02,
        "",
        1.0,
        ("distance from the middle, m", what),
        both(np.sqrt(r2)[order], exact[order], found[order]),
    )


# ---- Lamb and Oseen ----

TUBE, RADIUS = 1.2, 0.1  # m; half the length of the vortex, and a at first


@functools.cache
def _lamb_oseen() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times and a^2 of the middle of a straight vortex; distances and its swirl at the end."""
    h = 0.025
    flat = h * (np.arange(-16, 17) + 0.3)
    up = h * (np.arange(-int(TUBE / h), int(TUBE / h)) + 0.5)
    x = np.stack(np.meshgrid(flat, flat, up, indexing="ij"), -1).reshape(-1, 3)
    r2 = (x[:, :2] ** 2).sum(axis=1)
    x, r2 = x[r2 < 0.4**2], r2[r2 < 0.4**2]
    own = RADIUS**2 - 2 * h**2  # the cores widen what they carry
    strength = h**3 / (np.pi * own) * np.exp(-r2 / own)
    sim = Simulation(Scene(viscosity=NU, spacing=h / 1.5, gravity=(0, 0, 0)))
    sim.vortons.add(x, strength[:, None] * [0.0, 0.0, 1.0], core=h, volume=h**3)
    times, squares = [0.0], []

    def measure() -> None:
        p, s = sim.vortons.position.astype(float), sim.vortons.strength[:, 2].astype(float)
        near = np.abs(p[:, 2]) < TUBE / 3
        p, s = p[near], s[near]
        middle = s @ p[:, :2] / s.sum()
        squares.append(s @ ((p[:, :2] - middle) ** 2).sum(axis=1) / s.sum() + 2 * h**2)

    measure()
    for _ in range(4):
        sim.advance(0.05)
        times.append(sim.time)
        measure()
    distance = np.linspace(0.02, 0.4, 20)
    points = np.stack([distance, 0 * distance, 0 * distance], axis=1)
    swirl = sim.velocity_at(np.float32(points))[:, 1].astype(float)
    return np.array([times, squares]), distance, swirl


@case("Lamb and Oseen: a^2 + 4 nu t")
def core_of_a_straight_vortex() -> Result:
    """Circulation 1 m^2/s, 2.4 m long: second moment of the middle third after .2 s."""
    (times, squares), _, _ = _lamb_oseen()
    exact = squares[0] + 4 * NU * times
    return Result(
        "growth of a^2",
        float(exact[-1] - exact[0]),
        float(squares[-1] - squares[0]),
        0.02,
        "m^2",
        axes=("time, s", "a^2, m^2"),
        lines=both(times, exact, squares),
    )


@case("Lamb and Oseen: G / (2 pi r) (1 - exp(-r^2 / (a^2 + 4 nu t)))")
def swirl_of_a_straight_vortex() -> Result:
    """Of the same, after .2 s, in its middle plane, for its length."""
    (times, squares), distance, found = _lamb_oseen()
    square = RADIUS**2 + 4 * NU * times[-1]
    exact = (1 - np.exp(-(distance**2) / square)) / (2 * np.pi * distance)
    exact *= TUBE / np.sqrt(TUBE**2 + distance**2)
    axes = ("distance from the axis, m", "speed, m/s")
    curves = distance, exact, found
    top = float(exact.max())
    return farthest("speed, where it is farthest off", curves, 0.03, "m/s", axes, top)


# ---- a viscous ring ----


def ring_numbers(sim: _core.Simulation) -> tuple[float, float, float]:
    """Mean square core radius, position and impulse of a ring about the z axis."""
    x, strength, core = core_columns(sim, "position", "strength", "core")
    rho = np.hypot(x[:, 0], x[:, 1])
    along = (x[:, 0] * strength[:, 1] - x[:, 1] * strength[:, 0]) / rho
    w = along / rho  # circulation of each
    middle = [w @ rho / w.sum(), w @ x[:, 2] / w.sum()]
    square = w @ ((rho - middle[0]) ** 2 + (x[:, 2] - middle[1]) ** 2) / w.sum()
    return float(square + 2 * core[0] ** 2), float(middle[1]), float(0.5 * rho @ along)


@functools.cache
def _viscous_ring() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, mean square core radii, heights and impulses."""
    viscosity, parts = 0.05, 16
    time = (0.15**2 - 0.10**2) / (4 * viscosity)
    sim = _core.Simulation(viscosity=viscosity)
    sim.add("ring", radius=1.0, core=0.1)
    records = [ring_numbers(sim)]
    for _ in range(parts):
        sim.step(time / parts)
        records.append(ring_numbers(sim))
    square, z, impulse = np.array(records).T
    return np.linspace(0, time, parts + 1), square, z, impulse


@case(
    "a^2 + 4 nu t; Saffman 1970",
    *product(quantity=["core", "speed at first", "speed at last", "impulse"]),
)
def viscous_ring(quantity: str) -> Result:
    """A ring whose core widens from .10 to .15 m."""
    times, square, z, impulse = _viscous_ring()
    if quantity == "core":
        line = both(times, 0.01 + 0.2 * times, square)
        axes = ("time, s", "a^2, m^2")
        return Result("a^2", 0.15**2, float(square[-1]), 0.05, "m^2", axes=axes, lines=line)
    if quantity == "impulse":
        return Result("impulse", float(impulse[0]), float(impulse[-1]), 1e-3, "m^4/s")
    slope = np.polyder(np.polyfit(times, z, 3))
    first = quantity == "speed at first"
    found = float(np.polyval(slope, times[0] if first else times[-1]))
    return Result("speed", saffman(0.10 if first else 0.15), found, 0.03, "m/s")
