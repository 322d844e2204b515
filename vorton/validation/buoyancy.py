"""Buoyancy: weight becomes impulse, balls of light fluid start, waves of dense layers."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..definitions.ambient import Air, Gas
from ..definitions.ambient import Liquid as LiquidFluid
from ..definitions.method import Method
from ..scenes.scene import Scene
from ..simulations.simulation import Simulation
from .case import Result, both, case, farthest, product

GRAVITY = 9.81
AIR = 1.2041  # kg/m^3
PLAIN = {"buoyancy": "boussinesq", "cleaning": 0.0, "exchange": 0.0}


def ball(
    radius: float,
    deviation: float,
    halo: float = 0.3,
    jitter: float = 0.25,
    smooth: bool = False,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Vortons of a ball with neutral ones around it: position, deviation of density, volume."""
    random = np.random.default_rng(seed)
    spacing = 0.94
    n = int(radius * (1 + halo) / spacing) + 2
    axis = np.arange(-n, n + 1)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    x = spacing * (x + random.uniform(-jitter, jitter, x.shape))
    r = np.linalg.norm(x, axis=1)
    x, r = x[r < radius * (1 + halo)], r[r < radius * (1 + halo)]
    density = np.exp(-((2.5 * r / radius) ** 2)) if smooth else r < radius
    return x, deviation * density, spacing**3


def simulate(
    position: Any, density: Any, volume: float, gravity: Any = (0, 0, -GRAVITY), **method: Any
) -> Simulation:
    """Vortons of such a ball at rest, in a gas of the density of air; cells of 1 m."""
    scene = Scene(
        spacing=1.0,
        gravity=gravity,
        ambient=Gas(density=AIR),
        method=Method(**{**PLAIN, **method}),
    )
    sim = Simulation(scene, fps=10)
    sim.vortons.add(position, 0 * position, core=1.5, volume=volume, density=density)
    return sim


def force(density: Any, volume: float, gravity: Any = (0, 0, -GRAVITY)) -> np.ndarray:
    """The integral of rho' / rho0 g, m^4/s^2."""
    return (density * volume).sum() / AIR * np.array(gravity)


TILTED = (3.0, -6.0, 2.0)


@functools.cache
def _first_impulse(smooth: bool, radius: float, jitter: float, tilted: bool) -> tuple[Any, Any]:
    gravity = TILTED if tilted else (0, 0, -GRAVITY)
    x, density, volume = ball(radius, -0.05, jitter=jitter, smooth=smooth)
    sim = simulate(x, density, volume, gravity)
    sim.advance(0.001)
    return np.array(sim.health["impulse"]) / 0.001, force(density, volume, gravity)


@case(
    "dI/dt = integral of rho' / rho0 g",
    *product(
        smooth=[False, True],
        radius=[8.0, 12.0],
        jitter=[0.0, 0.25],
        tilted=[False, True],
        quantity=["size", "vector"],
    ),
)
def impulse_that_weight_gives(
    smooth: bool, radius: float, jitter: float, tilted: bool, quantity: str
) -> Result:
    """In the first millisecond, of a sharp or a smooth ball of light fluid."""
    grown, wanted = _first_impulse(smooth, radius, jitter, tilted)
    size = float(np.linalg.norm(wanted))
    if quantity == "vector":
        off = float(np.linalg.norm(grown - wanted))
        return Result("distance from the exact vector", 0.0, off, 0.03, "m^4/s^2", size)
    return Result("impulse a second against gravity", size, float(grown @ wanted / size), 0.02,
                  "m^4/s^2")  # fmt: skip


@case("I = F t")
def run_of_a_thermal() -> Result:
    """A light ball that rises and rolls up: impulse where it is farthest from weight x time."""
    radius, deviation = 10.0, -0.02
    x, density, volume = ball(radius, deviation, halo=0.5)
    sim = simulate(x, density, volume, cleaning=0.8, exchange=0.3)
    weight, fall = force(density, volume)[2], -deviation / AIR * GRAVITY
    until = 2 * np.sqrt(radius / fall)
    rows = []
    while sim.time < until:
        sim.advance(0.1 * np.sqrt(radius / fall))
        rows.append((sim.time, sim.health["impulse"][2]))
    time, impulse = np.array(rows).T
    axes = ("time, s", "impulse, m^4/s")
    return farthest("impulse", (time, weight * time, impulse), 0.03, "m^4/s", axes)


@case("added mass of a sphere: 2/3 g'", {"radius": 10.0}, {"radius": 12.0})
def start_of_a_light_ball(radius: float) -> Result:
    """Acceleration of its middle, of a small contrast."""
    deviation = -0.02
    sim = simulate(*ball(radius, deviation))
    fall = -deviation / AIR * GRAVITY
    dt = 0.05 * np.sqrt(radius / fall)
    sim.advance(dt)
    found = float(sim.velocity_at(np.zeros((1, 3)))[0, 2]) / dt
    return Result("acceleration", 2 / 3 * fall, found, 0.03, "m/s^2")


def acceleration_of_a_ball(share: float, form: str) -> tuple[float, float]:
    """Of the middle of a ball of that share of the density, found and exact, m/s^2."""
    unit = np.sqrt(10.0 / ((1 - share) * GRAVITY))
    sim = simulate(*ball(10.0, (share - 1) * AIR), buoyancy=form)
    speed = []
    for _ in range(8):
        sim.advance(0.02 * unit)
        speed.append(float(sim.velocity_at(np.zeros((1, 3)))[0, 2]))
    return (speed[7] - speed[3]) / (0.08 * unit), GRAVITY * (1 - share) / (share + 0.5)


@case("g (rho0 - rho) / (rho + rho0 / 2)", *product(share=[0.6, 0.3, 0.15]))
def start_of_a_ball_of_another_density(share: float) -> Result:
    """By Method.buoyancy full, which knows the inertia of the light fluid itself."""
    found, exact = acceleration_of_a_ball(share, "full")
    return Result("acceleration", exact, found, 0.02, "m/s^2")


# ---- stratified fluid ----


def lifted_share(time: float, width: float, core: float) -> float:
    """Of the displacement of a Gaussian parcel what is left after a time, in units of 1 / N.

    Linear theory: each wave of the displacement turns at N sin(angle of its wave vector with the
    vertical) exp(-(k core)^2 / 4), the last as the cores blur the velocity that it makes.
    """
    k = (np.arange(400) + 0.5) * 5 / 400 / width
    cosine = (np.arange(200) + 0.5) / 200
    weight = (k**2 * np.exp(-((k * width) ** 2)))[:, None]
    turning = np.sqrt(1 - cosine**2) * np.exp(-((k[:, None] * core) ** 2) / 4)
    return float((weight * np.cos(turning * time)).sum() / (weight.sum() * len(cosine)))


@case("linear internal waves", {"fluid": "air"}, {"fluid": "liquid"})
def lifted_parcel(fluid: str) -> Result:
    """In stratified fluid, about the height where it is at home, past the first half turn: its
    displacement, over that at the start, where it is farthest from the exact one."""
    radius, stratification, lift = 12.0, 0.5, 0.5
    kind = Air if fluid == "air" else LiquidFluid
    x, share, volume = ball(radius, 1.0, jitter=0.0, smooth=True)
    ambient = kind(stratification=stratification)
    method = Method(**PLAIN, halo=0, expansion=0)
    sim = Simulation(Scene(spacing=1.0, ambient=ambient, method=method))
    carried = ambient.temperature + stratification * (x[:, 2] - lift * share)
    ids = sim.vortons.add(x, 0 * x, core=1.5, volume=volume, temperature=carried)
    expansion = 1 / ambient.temperature if fluid == "air" else ambient.expansion
    frequency = np.sqrt(GRAVITY * expansion * stratification)  # of Brunt and Vaisala
    turned, found = np.arange(1, 16) * 0.2, []
    for _ in turned:
        sim.advance(0.2 / frequency)
        at = sim.vortons.position[sim.vortons.rows(ids)][:, 2]
        found.append((share * (lift * share + at - x[:, 2])).sum() / (lift * (share**2).sum()))
    exact = np.array([lifted_share(t, radius / 2.5 / 2**0.5, 1.5) for t in turned])
    axes = ("time x N", "displacement")
    return farthest("displacement", (turned, exact, np.array(found)), 0.02, "", axes, 1.0)


# ---- Rayleigh and Taylor ----

ATWOOD = 0.01
THICKNESS = 1.5  # k d
HEIGHT = 0.3  # of the wave, cells
APART = 0.94  # vortons, cells
CORE = math.hypot(1.5, math.sqrt(2 / 3))


def coupling(k: float, d: float, core: float) -> tuple[float, float]:
    """S and s of the two faces of a slab for a wavenumber, a thickness and a core radius.

    On both sides of the slab the ambient fluid goes on for ever. A wave of wavenumber k on one face
    of a slab as thick as d is a vortex sheet, which moves that face and, weaker by s = exp(-k d),
    the other. Displacements a of the unstable face and b of the stable one obey, in units of the
    rate sqrt(A g k),

        a'' = S a - s b,   b'' = s a - S b   =>   rate^4 = S^2 - s^2,   S = 1

    (from the vertical velocity of a sheet, exp(-k |z|) / 2 a unit of strength k). Vortons have
    Gaussian cores of radius c: the sum over the sheet's Fourier components across, q, of
    exp(-c^2 (k^2 + q^2) / 2) gives S = erfc(k c / sqrt 2), and s changes likewise. The grid finds
    the gradient of density by a mean over a cell (twice) and a difference over two: variances 1/6 +
    1/6 + 1/3 cells^2, which `CORE` has with the cores.
    """
    if core == 0:
        return 1.0, math.exp(-k * d)
    near, far = k * core / math.sqrt(2), d / core / math.sqrt(2)
    across = math.exp(-k * d) * math.erfc(near - far) + math.exp(k * d) * math.erfc(near + far)
    return math.erfc(near), across / 2


class Slab:
    """Vortons of a slab of fluid, of the ambient fluid around it, and the wave on its faces.

    The wave is J0(k r): a single wavenumber, which decays outward. It ends at the third extremum of
    J0, with the slab, which as a whole sinks a little. Half the difference between runs with
    opposite waves is free of that. The first displacement keeps volumes: else vortons lie thinner
    where it stretches, and the ambient ones that then fill the gaps are a wave of their own.
    """

    def __init__(self, wavelength: float, jitter: float = 0.0) -> None:
        from scipy.special import j0, jn_zeros

        self.k = 2 * math.pi / wavelength
        layers = round(THICKNESS / self.k / APART)
        self.thickness = layers * APART
        radius = jn_zeros(1, 2)[1] / self.k
        reach = int(radius / APART) + 5
        flat = APART * np.arange(-reach, reach + 1)
        up = APART * (np.arange(-5, layers + 5) + 0.5)
        x = np.stack(np.meshgrid(flat, flat, up, indexing="ij"), axis=-1).reshape(-1, 3)
        self.x = x[np.hypot(x[:, 0], x[:, 1]) < radius + 3.5 * APART]
        r, z = np.hypot(self.x[:, 0], self.x[:, 1]), self.x[:, 2]
        self.inside = (r < radius) & (z > 0) & (z < self.thickness)
        self.wave = j0(self.k * np.minimum(r, radius))
        self.noise = APART * np.random.default_rng(1).uniform(-jitter, jitter, self.x.shape)
        self.watched = (np.abs(z) < APART) & (r < 0.6 * radius)

    def displacement(self) -> np.ndarray:
        """The eigenmode led by the lower face, 1 at its crest; free of divergence."""
        from scipy.special import j1, jn_zeros

        own, other = coupling(self.k, self.thickness, CORE)
        upper = (own - math.sqrt(own**2 - other**2)) / other
        (x, y, z), d, k = self.x.T, self.thickness, self.k
        below, above = np.exp(k * z), upper * np.exp(k * (d - z))
        within = 1 + (upper - 1) * z / d
        up = np.where(z < 0, below, np.where(z > d, above, within))
        slope = np.where(z < 0, k * below, np.where(z > d, -k * above, (upper - 1) / d))
        r = np.maximum(np.hypot(x, y), 1e-9)
        out = -slope / k * j1(np.minimum(k * r, jn_zeros(1, 2)[1])) / r
        return np.stack([out * x, out * y, up * self.wave], axis=1)

    def heights(self, deviation: float, times: np.ndarray) -> np.ndarray:
        """Of the wave on the lower face, over that at the start; runs for both of its signs."""
        found = []
        for sign in (1, -1):
            x = self.x + self.noise + sign * HEIGHT * self.displacement()
            sim = Simulation(Scene(spacing=1.0, ambient=Gas(density=1.0)))
            density = np.where(self.inside, deviation, 0)
            ids = sim.vortons.add(x, 0 * x, core=1.5, volume=APART**3, density=density)
            heights = [x[self.watched, 2]]
            for now, after in zip(times[:-1], times[1:], strict=True):
                sim.advance(after - now)
                rows = sim.vortons.rows(ids[self.watched])
                heights.append(sim.vortons.position[rows, 2].astype(float))
            found.append(np.array(heights))
        heights = (found[0] - found[1]) @ self.wave[self.watched]
        return heights / heights[0]

    def exact_rate(self, core: float) -> float:
        """In units of sqrt(A g k), with cores as wide."""
        own, other = coupling(self.k, self.thickness, core)
        return (own**2 - other**2) ** 0.25


@functools.cache
def _wave(wavelength: float, jitter: float, grows: bool) -> tuple[Any, Any, float, Slab]:
    """Times and heights, the rate that fits them, in units of sqrt(A g k), and the slab."""
    from scipy.optimize import curve_fit

    slab = Slab(wavelength, jitter)
    unit = math.sqrt(ATWOOD * GRAVITY * slab.k)
    time = np.linspace(0, 2, 11)
    heights = slab.heights((2 if grows else -2) * ATWOOD, time / unit)
    form = np.cosh if grows else np.cos
    (rate,), _ = curve_fit(lambda t, rate: form(rate * t), time, heights, p0=[1.0])
    return time, heights, float(rate), slab


@case(
    "Rayleigh and Taylor: sqrt(A g k), for the thickness of the slab and the width of the cores",
    *product(quantity=["rate", "form"], grows=[True, False], wavelength=[24.0], jitter=[0.0]),
    *product(
        quantity=["rate", "form"], grows=[True, False], wavelength=[24.0, 48.0], jitter=[0.25]
    ),
    quick=4,
    needs=("scipy",),
)
def wave_on_a_slab(quantity: str, grows: bool, wavelength: float, jitter: float) -> Result:
    """A wave of so many cells on a face of a slab that is denser or lighter by 2 %: heavy fluid on
    light grows as cosh, light on heavy swings as cos."""
    time, heights, rate, slab = _wave(wavelength, jitter, grows)
    exact = slab.exact_rate(CORE)
    form = np.cosh if grows else np.cos
    if quantity == "rate":
        lines = both(time, form(exact * time), heights)
        axes = ("time, 1 / sqrt(A g k)", "height, of that at the start")
        tolerance = 0.05 if grows else 0.1
        return Result("rate, in sqrt(A g k)", exact, rate, tolerance, "", axes=axes, lines=lines)
    worst = np.abs(form(rate * time) - heights).argmax()
    fitted = float(form(rate * time)[worst])
    return Result("height, where it is farthest from the fit", fitted, float(heights[worst]), 0.06,
                  "", 1.0)  # fmt: skip


@case(
    "Rayleigh and Taylor without cores: sqrt(A g k)",
    {"grows": True},
    {"grows": False},
    quick=0,
    needs=("scipy",),
)
def long_wave_on_a_slab(grows: bool) -> Result:
    """48 cells, slowed by a tenth by the cores: against the law that knows of no cores."""
    time, heights, rate, slab = _wave(48.0, 0.25, grows)
    return Result("rate, in sqrt(A g k)", slab.exact_rate(0), rate, 0.15 if grows else 0.1, "")
