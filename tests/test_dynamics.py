"""Motion of vortons and tracers (VALIDATION D1, D4, D5, D7, D8, D9)."""

import re

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import erf

import vorton as vt
from vorton import _core

FILAMENT = {"bound": 0.0, "cleaning": 0.0, "exchange": 0.0}
DIRECT = {"velocity": "direct", "kernel": "wl", **FILAMENT}


def columns(sim):
    """Position and strength in the order of the ids, float64."""
    order = np.argsort(sim.column("vortons", "id"))
    return (
        sim.column("vortons", "position")[order].astype(float),
        sim.column("vortons", "strength")[order].astype(float),
    )


def thin_ring(core=0.15, sections=100, **options):
    """A ring one vorton thick, radius 1, circulation 1, moving along +z."""
    sim = _core.Simulation(**options)
    sim.add("ring", core=core, layers=0, sections=sections)
    return sim


def mean_height(sim):
    return columns(sim)[0][:, 2].mean()


def impulse(sim):
    position, strength = columns(sim)
    return 0.5 * np.cross(position, strength).sum(axis=0)


# ---- D1 ----


@pytest.mark.parametrize("method", [DIRECT, DIRECT | {"bound": 1.5}, {"kernel": "wl"}])
@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_d1_l5_ring_without_a_grid(velocity, method):
    """A ring of 100 sections, core .15, WL kernel, travels two radii at .27666."""
    sim = thin_ring(method=method | {"velocity": velocity})
    speed, steps = 0.27666, 60
    time = 2 / speed
    for _ in range(steps):
        sim.step(time / steps)
    position, _ = columns(sim)
    assert position[:, 2].mean() / time == pytest.approx(speed, rel=0.005)
    assert np.hypot(position[:, 0], position[:, 1]) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("method", [FILAMENT, {}])
def test_d1_l5_ring_by_the_grid(method):
    """The same way by the grid, against the direct sum with the grid's core."""
    time, steps, core = 2 / 0.25, 60, 0.15
    by_grid = thin_ring(core=core, method=method)
    by_sum = thin_ring(core=core, method={"velocity": "direct", **FILAMENT})
    for _ in range(steps):
        by_grid.step(time / steps)
        by_sum.step(time / steps)
    assert mean_height(by_grid) == pytest.approx(mean_height(by_sum), rel=0.03)
    position, _ = columns(by_grid)
    assert np.hypot(position[:, 0], position[:, 1]) == pytest.approx(1, abs=0.03)


def test_l5_bound_and_exchange_leave_a_thin_ring_alone():
    """The default method keeps a filament one vorton thick: speed and impulse as without it."""
    default, plain = thin_ring(), thin_ring(method=FILAMENT)
    before = impulse(default)
    for _ in range(40):
        default.step(0.1)
        plain.step(0.1)
    assert mean_height(default) == pytest.approx(mean_height(plain), rel=0.02)
    assert impulse(default) == pytest.approx(before, abs=0.02 * np.abs(before).max())


# ---- D4 ----


def orbit(scheme, steps, velocity="direct", **options):
    """Two parallel vortons half a turn on: how far they are from where they should be, by how much
    their orbit has grown, where a tracer is that they stir, and where the first of them is."""
    sim = _core.Simulation(
        **options,
        method={
            "velocity": velocity,
            "kernel": "wl",
            "stretching": "none",
            "turn": 2.0,
            "time": scheme,
        },
    )
    radius, alpha, core = 0.5, 1.0, 0.8  # a wide core, so that each step is one substep
    position = np.float32([[radius, 0, 0], [-radius, 0, 0]])
    strength = np.float32([[0, 0, alpha]] * 2)
    sim.add_vortons(position, strength, np.full(2, core), np.full(2, core**3))
    sim.add_tracers(np.float32([[0.9, 0.2, 0.1]]), np.ones(1), np.full(1, 0.1))
    speed = np.linalg.norm(sim.velocity_at(position[:1]))
    half_turn = np.pi * radius / speed
    for _ in range(steps):
        sim.step(half_turn / steps)
    moved, _ = columns(sim)
    error, growth = np.linalg.norm(moved[0] + position[0]), np.linalg.norm(moved[0]) / radius - 1
    return error, growth, sim.column("tracers", "position")[0].astype(float), moved[0]


@pytest.mark.parametrize("scheme, order", [("euler", 0.8), ("rk2", 1.9), ("rk3", 1.9)])
def test_d4_on_the_grid(scheme, order):
    """Cells half as wide as the cores. The gradient jumps from cell to cell, and the error of one
    halving with it: the order is that of four. Heun's rule has the least error, not more order."""
    counts = (4, 64) if scheme != "euler" else (32, 512)
    exact = orbit(scheme if scheme != "euler" else "rk2", 1024, "poisson", spacing=0.4)
    coarse, fine = (orbit(scheme, count, "poisson", spacing=0.4) for count in counts)
    errors = [np.linalg.norm(found[3] - exact[3]) for found in (coarse, fine)]
    assert order < np.log2(errors[0] / errors[1]) / 4 < order + 0.4
    assert abs(fine[1]) < (1e-3 if scheme != "euler" else 0.03)


# (scheme, steps in half a turn, least and largest order, largest growth at the last)
SCHEMES = [
    ("euler", (64, 128, 256), 0.8, 1.2, 0.03),
    ("rk2", (16, 32, 64), 1.9, 2.5, 1e-3),
    ("rk3", (8, 16, 32), 2.9, 3.5, 1e-3),
]


def orbit_in_one_step(scheme, turn):
    """The same orbit in substeps of one step: distance from its end, substeps and field solves."""
    sim = _core.Simulation(
        method={
            "velocity": "direct",
            "turn": turn,
            "time": scheme,
            "kernel": "wl",
            "stretching": "none",
        }
    )
    radius, core = 0.5, 0.8
    position = np.float32([[radius, 0, 0], [-radius, 0, 0]])
    sim.add_vortons(position, np.float32([[0, 0, 1.0]] * 2), np.full(2, core), np.full(2, core**3))
    speed = np.linalg.norm(sim.velocity_at(position[:1]))
    sim.step(np.pi * radius / speed)
    error = np.linalg.norm(sim.column("vortons", "position")[0] + position[0])
    solves = {row["name"]: row["calls"] for row in sim.timings()}["direct"]
    return error, sim.health()["substeps"], solves


def test_d4_extrapolated_midpoints_halve_the_solves_and_the_error():
    """One solve a substep but for the first; order 2 with less error than the midpoint rule has."""
    turns = 0.1, 0.05, 0.025
    found = [orbit_in_one_step("extrapolated", turn) for turn in turns]
    other = [orbit_in_one_step("rk2", turn) for turn in turns]
    for (error, substeps, solves), (most, same, twice) in zip(found, other, strict=True):
        assert substeps == same > 10
        assert (solves, twice) == (substeps + 1, 2 * substeps)
        assert error < 0.6 * most
    orders = [
        np.log(a[0] / b[0]) / np.log(b[1] / a[1]) for a, b in zip(found, found[1:], strict=False)
    ]
    assert min(orders) > 1.9


@pytest.mark.parametrize("velocity", ["direct", "tree"])
@pytest.mark.parametrize("scheme, steps, least, most, largest", SCHEMES)
def test_d4_order_of_the_vortons(velocity, scheme, steps, least, most, largest):
    coarse, middle, fine = (orbit(scheme, count, velocity) for count in steps)
    assert least < np.log2(coarse[0] / middle[0]) < most
    assert least < np.log2(middle[0] / fine[0]) < most
    assert abs(fine[1]) < largest


@pytest.mark.parametrize("scheme, steps, least, most, largest", SCHEMES)
def test_d4_order_of_tracers_that_vortons_stir(scheme, steps, least, most, largest):
    """In a flow that changes with time: every stage must see the field of its time."""
    exact = orbit("rk3", 512)[2]
    errors = [np.linalg.norm(orbit(scheme, 2 * count)[2] - exact) for count in steps[-2:]]
    assert least < np.log2(errors[0] / errors[1]) < most


@pytest.mark.parametrize("scheme, steps, least, most, largest", SCHEMES)
def test_d4_tracers_in_a_steady_vortex(scheme, steps, least, most, largest):
    """One vorton, which stays: a tracer circles around it at constant speed."""
    radius, core = 0.6, 0.8

    def circle(count):
        sim = _core.Simulation(
            method={"velocity": "direct", "turn": 2.0, "time": scheme, "stretching": "none"}
        )
        sim.add_vortons(np.zeros((1, 3)), np.float32([[0, 0, 1]]), np.full(1, core), np.ones(1))
        start = np.float32([[radius, 0, 0]])
        sim.add_tracers(start, np.ones(1), np.full(1, 0.1))
        half_turn = np.pi * radius / np.linalg.norm(sim.velocity_at(start))
        for _ in range(count):
            sim.step(half_turn / count)
        end = sim.column("tracers", "position")[0].astype(float)
        return np.linalg.norm(end + start[0]), np.linalg.norm(end) / radius - 1

    coarse, middle, fine = (circle(count) for count in steps)
    assert least < np.log2(coarse[0] / middle[0]) < most
    assert least < np.log2(middle[0] / fine[0]) < most
    assert abs(fine[1]) < largest


# ---- D5 ----


def wobbly_ring(method):
    """A resolved ring of 476 vortons whose centreline waves by 1 %."""
    sim = _core.Simulation(method=method, spacing=0.1)
    sim.add("ring", core=0.3, vorton_core=0.15, sections=68, layers=1, wobble=0.01, seed=4)
    return sim


def energy(position, strength, core):
    """Of Gaussian cores (VALIDATION 0), by SciPy's error function."""
    from scipy.special import erf

    distance = np.linalg.norm(position[:, None] - position[None], axis=2)
    safe = np.where(distance > 1e-9, distance, 1)
    kernel = np.where(distance > 1e-9, erf(safe / (2 * core)) / safe, 1 / (np.sqrt(np.pi) * core))
    return 0.5 * ((strength @ strength.T) * kernel).sum() / (4 * np.pi)


@pytest.mark.parametrize("bound", [0.0, 1.5])
@pytest.mark.parametrize(
    "velocity, most, angle", [("direct", 1e-3, 0.5), ("tree", 1e-3, 0.3), ("poisson", 1e-2, 0.5)]
)
def test_d5_l5_invariants(velocity, most, angle, bound):
    """Without cleaning and exchange, which may lose some (their balance gives it back: below)."""
    sim = wobbly_ring({"velocity": velocity, "opening_angle": angle, **FILAMENT, "bound": bound})
    before_position, before_strength = columns(sim)
    before = impulse(sim)
    assert 400 < len(before_position) < 600
    for _ in range(40):
        sim.step(0.05)
    position, strength = columns(sim)
    total = np.linalg.norm(strength.sum(axis=0)) / np.linalg.norm(strength, axis=1).sum()
    if velocity != "poisson":
        assert total < 1e-5
        core = float(sim.column("vortons", "core")[0])
        start = energy(before_position, before_strength, core)
        assert energy(position, strength, core) == pytest.approx(start, rel=0.01)
    assert np.linalg.norm(impulse(sim) - before) < most * np.linalg.norm(before)


def test_d5_by_default():
    """With all that the default method does: the balance holds impulse a hundred times better."""
    sim = wobbly_ring({})
    before = impulse(sim)
    sim.step(0.05, 40)
    assert np.linalg.norm(impulse(sim) - before) < 1e-4 * np.linalg.norm(before)
    assert sim.health()["strength_share"] < 1e-5


def test_d5_with_heat():
    """Fluid of the ring that is warmer and burns, and heat that diffuses: without gravity that
    makes no vorticity, and without expansion nothing pushes it apart."""
    sim = _core.Simulation(
        spacing=0.1,
        gravity=(0, 0, 0),
        thermal_diffusivity=1e-3,
        combustion={"law": "simple"},
        method={"expansion": 0.0},
    )
    sim.add("ring", core=0.3, vorton_core=0.15, sections=68, layers=1, wobble=0.01, seed=4)
    count = len(sim.column("vortons", "core"))
    sim.column("vortons", "temperature")[:] = np.linspace(300, 900, count)
    sim.column("vortons", "fuel")[:] = 0.1
    before = impulse(sim)
    sim.step(0.05, 40)
    assert np.linalg.norm(impulse(sim) - before) < 1e-3 * np.linalg.norm(before)
    assert sim.health()["strength_share"] < 1e-5 and sim.health()["heat_released"] > 0


# ---- D7, D8, D9 ----


@pytest.mark.parametrize("velocity, most", [("direct", 1e-5), ("tree", 1e-3), ("poisson", 0.02)])
def test_d7_free_stream_only_shifts(velocity, most):
    wind = np.array([0.7, -0.4, 0.2])
    still = thin_ring(method={"velocity": velocity})
    blown = thin_ring(method={"velocity": velocity}, wind=tuple(wind))
    tracer = np.float32([[0.2, 0.1, 0.05]])
    for sim in (still, blown):
        sim.add_tracers(tracer, np.ones(1), np.full(1, 0.1))
        for _ in range(20):
            sim.step(0.05)
    way = mean_height(still)
    shift = columns(blown)[0] - columns(still)[0] - wind
    assert np.abs(shift).max() < max(most * way, 1e-5)
    shift = blown.column("tracers", "position") - still.column("tracers", "position") - wind
    assert np.abs(shift).max() < max(most * way, 1e-5)


def test_d8_no_time_changes_no_bit():
    sim = thin_ring()
    sim.step(0.1)
    names = [row["name"] for row in _core.VORTON_COLUMNS]
    before = {name: sim.column("vortons", name).copy() for name in names}
    sim.step(0.0)
    for name in names:
        assert np.array_equal(sim.column("vortons", name), before[name])


@pytest.mark.parametrize("turn, dt", [(0.4, 0.05), (2.0, 0.2)])
def test_d8_half_the_step(turn, dt):
    """Steps of one substep each, so that a half is a half."""
    full, half = (thin_ring(method={"turn": turn}) for _ in range(2))
    full.step(dt, round(2 / dt))
    assert full.health()["substeps"] == 1
    half.step(dt / 2, round(4 / dt))
    assert mean_height(half) == pytest.approx(mean_height(full), rel=0.002)
    assert not np.array_equal(columns(half)[0], columns(full)[0])


def test_d9_distant_tracer_changes_nothing():
    alone, watched = thin_ring(), thin_ring()
    watched.add_tracers(np.float32([[40, 0, 0]]), np.ones(1), np.full(1, 0.1))
    for _ in range(10):
        alone.step(0.1)
        watched.step(0.1)
    assert mean_height(watched) == pytest.approx(mean_height(alone), rel=0.01)
    assert watched.health()["grid"] == alone.health()["grid"]


def test_tracers_follow_the_fluid():
    """Tracers inside the grid and outside take the way that another route to second order gives."""
    sim = thin_ring()
    points = np.float32([[0.3, 0.2, 0.1], [0, 0, 0.4], [2.9, 0, 0.1], [0.1, 0.2, 5.0]])
    sim.add_tracers(points, np.ones(4), np.full(4, 0.1))
    reference = points.astype(float)
    for _ in range(40):
        # Heun's rule with the velocity of the particles of now: another route to second order
        start = sim.velocity_at(np.float32(reference)).astype(float)
        sim.step(0.025)
        end = sim.velocity_at(np.float32(reference + 0.025 * start)).astype(float)
        reference += 0.0125 * (start + end)
    order = np.argsort(sim.column("tracers", "id"))
    moved = sim.column("tracers", "position")[order]
    assert np.abs(moved - reference).max() < 5e-3
    assert np.linalg.norm(moved[0] - points[0]) > 0.1


def test_tracers_move_alike_in_sets_of_any_size():
    """Rows past the last whole vector take the same way, to the last bit."""
    points = np.random.default_rng(3).uniform(-1.5, 1.5, (150, 3)).astype(np.float32)
    points[::7] *= 3  # some outside the grid

    def moved(count):
        sim = thin_ring(threads=1)
        sim.add_tracers(points[:count], np.ones(count), np.full(count, 0.1))
        sim.column("tracers", "velocity")
        for _ in range(2):
            sim.step(0.05)
        order = np.argsort(sim.column("tracers", "id"))
        names = "position", "velocity", "age"
        return [sim.column("tracers", name)[order] for name in names]

    everything = moved(len(points))
    for count in (1, 5, 13, 17, 29, 31, 33, 45, 63, 65, 77, 111):
        for part, whole in zip(moved(count), everything, strict=True):
            assert part.tobytes() == whole[:count].tobytes(), count


# ---- rings one vorton thick ----

CORES = {
    "gaussian": lambda p: erf(p / 2**0.5) - (2 / np.pi) ** 0.5 * p * np.exp(-(p**2) / 2),
    "wl": lambda p: p**3 * (p**2 + 2.5) / (p**2 + 1) ** 2.5,
    "ball": lambda p: min(p, 1.0) ** 3,
}
"""Share of the circulation within p core radii, q of kernels/sums/regularization.h."""


def filament_speed(kernel, radius, core):
    """Of a circular filament of circulation 1: the integral over it, by adaptive quadrature."""

    def integrand(turn):
        distance = 2 * radius * np.sin(turn / 2)
        return radius**2 * (1 - np.cos(turn)) * CORES[kernel](distance / core) / distance**3

    corner = 2 * np.arcsin(core / (2 * radius))  # where the ball has its edge
    value, _ = quad(integrand, 1e-9, np.pi, points=[corner], epsrel=1e-10, limit=200)
    return 2 * value / (4 * np.pi)


def speed_one_vorton_thick(core, sections, **method):
    scene = vt.Scene(method=vt.Method(**method))
    scene.add(vt.VortexRing(radius=1.0, core=core, layers=0, sections=sections))
    sim = vt.Simulation(scene, fps=1000, threads=2)
    before = sim.vortons.position[:, 2].astype(float).mean()
    sim.step(2)
    return (sim.vortons.position[:, 2].astype(float).mean() - before) / sim.time


@pytest.mark.parametrize("kernel", CORES)
@pytest.mark.parametrize("core", [0.1, 0.05])
def test_speed_of_a_ring_one_vorton_thick(kernel, core):
    """Of the simulation, of the law in the docstring of VortexRing, and of the integral."""
    speed = speed_one_vorton_thick(core, 3000, velocity="direct", kernel=kernel)
    exact = filament_speed(kernel, 1.0, core)
    assert speed == pytest.approx(exact, rel=1e-3)
    words = {"gaussian": r"C is ([\d.]+) for Gaussian", "wl": r"([\d.]+) for wl",
             "ball": r"([\d.]+) for ball"}  # fmt: skip
    text = " ".join(vt.VortexRing.__doc__.split())
    constant = float(re.search(words[kernel], text)[1])
    law = (np.log(8 / core) - constant) / (4 * np.pi)
    assert law == pytest.approx(exact, rel=3e-3)


@pytest.mark.parametrize("core", [0.1, 0.05])
def test_speed_of_such_a_ring_on_the_grid(core):
    """1 to 2 % above that of Gaussian cores; the law for it is in the docstring, too."""
    speed = speed_one_vorton_thick(core, None)
    assert 1.0 < speed / filament_speed("gaussian", 1.0, core) < 1.025
    constant = float(re.search(r"about ([\d.]+) on the grid", vt.VortexRing.__doc__)[1])
    assert speed == pytest.approx((np.log(8 / core) - constant) / (4 * np.pi), rel=0.01)
