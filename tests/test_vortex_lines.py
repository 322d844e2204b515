"""Vortex lines one vorton thick move as filaments do."""

import numpy as np
import pytest
from marks import slow_but
from scipy.special import erf

import vorton as vt

ELLIPSE = {"radius": (1.2, 0.83), "sections": 96, "layers": 0, "core": 0.1}


def impulse(sim):
    v = sim.vortons
    return 0.5 * np.cross(v.position, v.strength).sum(axis=0)


def are_lines(sim):
    return bool(np.all(sim.vortons.flags & vt.VortonFlag.LINE))


def start(*rings, threads=1, **method):
    scene = vt.Scene("lines", method=vt.Method(**method))
    for ring in rings:
        scene.add(ring)
    return vt.Simulation(scene, threads=threads)


def filament_velocity(x, core):
    """Of a closed line of circulation 1 with Gaussian cores, by the ways between its points."""
    way = (np.roll(x, -1, 0) - np.roll(x, 1, 0)) / 2
    apart = x[:, None] - x[None]
    r = np.sqrt((apart**2).sum(axis=2)) + 1e-9
    s = r / core
    inside = erf(s / 2**0.5) - (2 / np.pi) ** 0.5 * s * np.exp(-s * s / 2)
    share = np.where(s > 1e-3, inside / r**3, (2 / np.pi) ** 0.5 / 3 / core**3)
    return (share[..., None] * np.cross(way[None], apart)).sum(axis=1) / (4 * np.pi)


def imbalance(x):
    """Of a closed curve, each part of which counts by its length, however points lie along it."""
    length = np.linalg.norm(np.roll(x, -1, 0) - np.roll(x, 1, 0), axis=1)
    share = length / length.sum()
    x = x - share @ x
    return float(np.sqrt(share @ x[:, 0] ** 2) - np.sqrt(share @ x[:, 1] ** 2))


def curve_of(sim):
    return sim.vortons.position[np.argsort(sim.vortons.id)].astype(float)


def filament_crossing(x, core, dt=0.05):
    """When the two axes are first as long as each other, by Runge and Kutta's fourth order."""
    before = imbalance(x)
    for k in range(200):
        a = filament_velocity(x, core)
        b = filament_velocity(x + dt / 2 * a, core)
        c = filament_velocity(x + dt / 2 * b, core)
        d = filament_velocity(x + dt * c, core)
        x = x + dt / 6 * (a + 2 * b + 2 * c + d)
        now = imbalance(x)
        if before * now < 0:
            return dt * (k + before / (before - now))
        before = now
    raise AssertionError("the axes did not switch")


@pytest.mark.parametrize(
    ("velocity", "tolerance"), slow_but([("direct", 0.003)], [("poisson", 0.02), ("direct", 0.003)])
)
def test_an_ellipse_switches_its_axes_as_a_filament_does(velocity, tolerance):
    """By the gradients of the field it did so in three quarters of the time."""
    sim = start(vt.VortexRing(**ELLIPSE), velocity=velocity)
    sim.step(0)
    exact = filament_crossing(curve_of(sim), 0.1)
    before = imbalance(curve_of(sim))
    now = before
    while before * now >= 0 and sim.time < 6:
        before = now
        sim.step()
        now = imbalance(curve_of(sim))
    assert are_lines(sim)
    crossing = sim.time - now / (now - before) / sim.fps
    assert crossing == pytest.approx(exact, rel=tolerance)


def test_thin_rings_that_leapfrog_lose_neither_impulse_nor_energy():
    """They lost a seventh and a quarter of them."""
    ring = {"layers": 0, "core": 0.05}
    sim = start(vt.VortexRing(**ring), vt.VortexRing((0, 0, 0.3), **ring))
    sim.step(0)
    first, energy = impulse(sim), sim.health.energy
    sim.step(72)
    assert are_lines(sim)
    np.testing.assert_allclose(impulse(sim), first, rtol=0, atol=1e-3 * np.linalg.norm(first))
    assert sim.health.energy == pytest.approx(energy, rel=0.01)


@pytest.mark.parametrize("closed", [False, True])
def test_strengths_are_the_circulation_times_the_ways_between_neighbours(closed):
    points = [(0, 0, 0), (0.5, 0.2, 0), (1, 0, 0.1), (1.5, 0.4, 0.2), (1, 1, 0), (0.3, 0.8, 0)]
    filament = vt.Filament(points, circulation=0.7, closed=closed, core=0.04, layers=0)
    sim = start(filament)
    sim.step(5)
    assert are_lines(sim)
    order = np.argsort(sim.vortons.id)
    x = np.array(sim.vortons.position, float)[order]
    way = (np.roll(x, -1, 0) - np.roll(x, 1, 0)) / 2
    if not closed:
        way[0], way[-1] = x[1] - x[0], x[-1] - x[-2]
    np.testing.assert_allclose(sim.vortons.strength[order], 0.7 * way, atol=2e-2 * 0.7 * 0.04)


def test_an_open_line_keeps_its_circulation():
    """Its ends go to and fro, and its sum with them, of which the balance took what grew: .93 of
    the circulation was left after 3 s."""
    sim = start(vt.Filament([(0, 0, 0), (1, 0.1, 0), (2, -0.1, 0.1), (3, 0, 0)], layers=0))
    sim.step(72)
    assert are_lines(sim)
    order = np.argsort(sim.vortons.id)
    x = np.array(sim.vortons.position, float)[order]
    way = np.linalg.norm(x[2:] - x[:-2], axis=1) / 2
    circulation = np.linalg.norm(sim.vortons.strength[order][1:-1], axis=1) / way
    np.testing.assert_allclose(circulation, 1, atol=0.005)


def test_a_line_among_other_vortons_keeps_impulse():
    """It gave them strength by the exchange, and had it again: 1.16 of the impulse after 1 s."""
    sim = start(vt.VortexRing(**ELLIPSE), exchange=1)
    sim.step(1)
    pick = np.random.default_rng(3)
    x = np.repeat(sim.vortons.position, 3, axis=0)
    x += pick.normal(scale=0.03, size=x.shape).astype("f4")
    strength = 0.3 * np.repeat(sim.vortons.strength, 3, axis=0)
    sizes = np.float32([0.1, 0.002])[:, None].repeat(len(x), axis=1)
    sim.vortons.add(position=x, strength=strength, core=sizes[0], volume=sizes[1])
    first = impulse(sim)[2]
    sim.step(24)
    assert (sim.vortons.flags & vt.VortonFlag.LINE).any()
    assert impulse(sim)[2] == pytest.approx(first, rel=0.005)


def test_a_ring_with_waves_of_few_pieces_keeps_impulse_and_energy():
    """Fitted piece by piece its circulation, and its impulse, were 5 % too much, its energy 9 %."""
    sim = start(vt.VortexRing(layers=0, core=0.1, wobble=0.1, seed=1))
    sim.step(0)
    first, energy = impulse(sim), sim.health.energy
    sim.step(1)
    assert are_lines(sim)
    assert impulse(sim)[2] == pytest.approx(first[2], rel=0.01)
    assert sim.health.energy == pytest.approx(energy, rel=0.01)


@pytest.mark.parametrize("wobble", [0.03, 0.06])
def test_all_wobbly_rings_of_a_jet_are_lines(wobble):
    """Of some a strength is off by .7 of it: with .03 some of them were none, with .06 all."""
    jet = vt.Jet(layers=0, radius=0.3, speed=2, rate=12, core=0.08, end=0.5, wobble=wobble)
    sim = start(jet)
    sim.step(12)
    assert sim.vortons.count > 100
    assert are_lines(sim)


@pytest.mark.parametrize("stretching", ["classical", "none"])
def test_what_was_no_line_for_a_while_stays_none(stretching):
    """Strengths changed by .4 and .7 of themselves in a frame when these went on as a line."""
    sim = start(vt.VortexRing(**ELLIPSE), stretching=stretching)
    sim.step(24)
    before = np.array(sim.vortons.strength)[np.argsort(sim.vortons.id)]
    sim.method = vt.Method()
    sim.step(1)
    after = sim.vortons.strength[np.argsort(sim.vortons.id)]
    assert not (sim.vortons.flags & vt.VortonFlag.LINE).any()
    assert np.linalg.norm(after - before) < 0.1 * np.linalg.norm(before)


def test_a_line_that_lacks_a_piece_is_none():
    sim = start(vt.VortexRing(**ELLIPSE), vt.VortexRing((0, 0, 3), **ELLIPSE))
    sim.step(2)
    piece = sim.vortons.position[sim.vortons.id.argmin()]
    sim.add(vt.Kill("vortons", vt.Sphere(piece.tolist(), radius=0.04)))
    count = sim.vortons.count
    sim.step(2)
    assert sim.vortons.count < count
    line = (sim.vortons.flags & vt.VortonFlag.LINE) != 0
    assert not line[sim.vortons.position[:, 2] < 1.5].any()
    assert line[sim.vortons.position[:, 2] > 1.5].all()


def test_strengths_that_are_no_line_are_kept():
    """Who writes strengths across the line gets what they wrote."""
    sim = start(vt.VortexRing(**ELLIPSE))
    sim.step(2)
    sim.vortons.strength[:] = (0, 0, 0.01)
    sim.step(1)
    assert not are_lines(sim)
    np.testing.assert_allclose(sim.vortons.strength.mean(axis=0), (0, 0, 0.01), atol=1e-3)


@pytest.mark.parametrize(
    "scene", [{"viscosity": 0.01}, {"gravity": (0, 0, -9.8)}], ids=["viscosity", "gravity"]
)
def test_what_makes_vorticity_keeps_its_say(scene):
    """In a viscous fluid a line spreads; one that is warm gets vorticity from its own weight."""
    states = []
    for layers in (scene, {}):
        made = vt.Scene("lines", **layers)
        warm = {"temperature": 600} if "gravity" in scene and layers else {}
        made.add(vt.VortexRing(**ELLIPSE, **warm))
        sim = vt.Simulation(made, threads=1)
        sim.step(4)
        states.append(float(np.linalg.norm(sim.vortons.strength, axis=1).max()))
    assert abs(states[0] - states[1]) > 0.01 * states[1]


def test_same_bits_for_threads_copies_and_saves(tmp_path):
    sims = [start(vt.VortexRing(**ELLIPSE), threads=threads) for threads in (1, 3)]
    for sim in sims:
        sim.step(3)
    sims[1].save(tmp_path / "line.vta")
    loaded = vt.Simulation.load(tmp_path / "line.vta", threads=2)
    for sim in (*sims, loaded):
        sim.step(3)
    assert are_lines(loaded)
    for sim in (sims[1], loaded):
        np.testing.assert_array_equal(sim.vortons.position, sims[0].vortons.position)
        np.testing.assert_array_equal(sim.vortons.strength, sims[0].vortons.strength)
