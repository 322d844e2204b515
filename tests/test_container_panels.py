"""Source panels on the walls of containers (S8): the fluid inside flows along them."""

import math

import numpy as np
import pytest
from beside_walls import directions, rms, track
from scipy.optimize import curve_fit

import vorton as vt
from vorton.validation.potential_flow import CONTAINERS as SHAPES
from vorton.validation.potential_flow import ring_inside as ring

GRAVITY = 9.81


def simulation(*items, fps=24, **scene):
    scene = vt.Scene("inside", voxel=0.1, **{"gravity": (0, 0, 0), **scene})
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, fps=fps, threads=1)


# ---- S8 ----


@pytest.mark.slow
def test_s8_walls_that_shapes_have_in_common():
    """Of two boxes the flow is that in the box which they share; a shape around it all changes
    nothing."""
    first = ring(-0.1, radius=0.3)
    whole = vt.Box((-0.9, -0.8, -0.7), (1, 0.8, 0.7))
    shared = SHAPES["boxes"], (vt.Sphere((0, 0, 0), 3), whole)
    x = np.float32(np.random.default_rng(5).uniform(-0.6, 0.6, (200, 3)))
    one, *others, none = (
        simulation(first, vt.Container(shape, panels=panels))
        for shape, panels in ((whole, 1000), *((several, 1000) for several in shared), (whole, 0))
    )
    for sim in (one, *others, none):
        sim.step()
    effect = rms(none.velocity_at(x) - one.velocity_at(x))
    for sim in others:
        assert rms(sim.velocity_at(x) - one.velocity_at(x)) < 0.02 * effect


def test_nothing_is_felt_far_away_from_a_container():
    sim = simulation(ring(0), vt.Container(vt.Box((-20, -20, -20), (20, 20, 20))))
    sim.step()
    x = np.float32(np.outer(10.0 ** np.arange(4, 38), (1, -2, 3)))
    assert np.abs(sim.velocity_at(x)).max() < 1e-9


def test_fluid_goes_with_a_container_and_knows_nothing_of_the_wind():
    moving = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (10, (10, 3, -2))]))
    box = vt.Container(SHAPES["box"], parent=moving)
    sim = simulation(box, wind=(0.5, -1.0, 0.3), spacing=0.1)
    u = sim.velocity_at(np.float32(0.6 * directions()))
    assert rms(u - (1, 0.3, -0.2)) < 0.03 * np.sqrt(1.13)


@pytest.mark.slow
def test_s8_a_ring_that_comes_up_against_a_wall_does_as_with_its_image():
    """It stays off the wall and grows; the other walls are three radii away. What of its core lies
    behind the wall the fluid does not feel."""
    box, method = vt.Box((-1.2, -1.2, 0), (1.2, 1.2, 1.8)), vt.Method(halo=0)
    first = ring(0.7, -1.0, core=0.15)
    frames = 14
    inside = track(simulation(first, vt.Container(box, panels=700), method=method), frames)
    image = track(simulation(first, ring(-0.7, 1.0, core=0.15), method=method), frames)
    alone = track(simulation(first, method=method), frames)
    effect, error = (np.abs(way - image).max(axis=0) for way in (alone, inside))
    assert effect.min() > 0.06
    assert (error < np.array((0.1, 0.25)) * effect).all()


# ---- waves ----


def standing_wave(side, contrast, width, core=0.0, spacing=0.0, count=200):
    """Rate of the standing wave of two fluids whose interface is the integral of a Gaussian, and
    how far it lifts each height, by differences: (rho w')' = k^2 (rho + g rho' / omega^2) w with
    k = pi / side.

    With cores w is that of the vorticity that Gaussians smear, mirrored at the top and the bottom;
    with a grid the interface is as wide as deposit, differences and sampling make it: variances of
    1/6, 1/3 and 1/6 of its spacing squared.
    """
    k, dz = np.pi / side, side / count
    z = (np.arange(1, count) - count / 2) * dz
    width = np.hypot(width, np.sqrt(2 / 3) * spacing)
    slope = contrast * np.exp(-((z / width) ** 2) / 2) / (np.sqrt(2 * np.pi) * width)
    between = (np.arange(count) + 0.5 - count / 2) * dz
    rho = 1 + contrast * np.array([0.5 - 0.5 * math.erf(a / width / 2**0.5) for a in between])
    stiff = np.diag((rho[1:] + rho[:-1]) * (1 / dz**2 + k**2 / 2))
    stiff -= (np.diag(rho[1:-1], 1) + np.diag(rho[1:-1], -1)) / dz**2
    force = np.diag(slope)
    if core > 0:
        smear = [np.exp(-(((z[:, None] - a) / core) ** 2) / 2) for a in (z, side - z, -side - z)]
        force = (smear[0] - smear[1] - smear[2]) @ force * dz / (np.sqrt(2 * np.pi) * core)
    values, vectors = np.linalg.eig(np.linalg.solve(stiff, force))
    first = values.real.argmax()
    lift = vectors[:, first].real
    rate = k * np.sqrt(GRAVITY * values[first].real) * np.exp(-((k * core) ** 2) / 4)
    return rate, z, lift / lift[np.abs(lift).argmax()]


def test_the_rate_of_a_standing_wave_between_thin_layers_is_that_of_the_formula():
    """omega^2 = g k (rho_1 - rho_2) / (rho_1 + rho_2) tanh(k h)."""
    k = np.pi / 0.3
    for contrast in (0.06, 1.0):
        exact = np.sqrt(GRAVITY * k * contrast / (2 + contrast) * np.tanh(0.15 * k))
        assert standing_wave(0.3, contrast, 0.002)[0] == pytest.approx(exact, rel=0.015)


def slosh(panels, until, side=0.3, spacing=0.0125, contrast=0.06, width=0.045):
    """Times and how far the heavy fluid leans, of a wave of 5 mm, and room at the walls."""
    lift = standing_wave(side, contrast, width)[1:]
    scene = {"ambient": vt.Water(), "spacing": spacing / 0.75, "gravity": (0, 0, -GRAVITY)}
    box = vt.Box((-side / 2,) * 3, (side / 2,) * 3)
    sim = simulation(vt.Container(box, panels=panels), **scene)
    n = round(side / spacing)
    lattice = (np.indices((n // 2, n, n)).reshape(3, -1).T + 0.5) * spacing - side / 2
    lattice += np.random.default_rng(2).uniform(-0.25, 0.25, lattice.shape) * spacing
    x = np.concatenate([lattice, lattice * (-1, 1, 1)])  # level but for the wave
    above = x[:, 2] + 0.005 * np.sin(np.pi * x[:, 0] / side) * np.interp(x[:, 2], *lift)
    share = np.array([0.5 - 0.5 * math.erf(a / width / math.sqrt(2)) for a in above])
    density = contrast * vt.Water().density * share
    sim.vortons.add(x, 0 * x, core=2 * spacing, volume=spacing**3, density=density)
    ids, times, lean = sim.vortons.id.copy(), [], []
    while sim.time < until:
        rows = sim.vortons.rows(ids)
        lean.append((sim.vortons.density[rows] * sim.vortons.position[rows, 0]).mean())
        times.append(sim.time)
        sim.step(2)
    room = side / 2 - np.abs(sim.vortons.position).max(axis=1)
    return np.array(times), np.array(lean) / lean[0], room / side


def fit_swing(times, lean, rate):
    """Rate, how fast it fades (1/s), and where its middle is."""

    def swing(t, size, rate, fading, middle):
        return size * np.cos(rate * t) * np.exp(-fading * t) + middle

    return curve_fit(swing, times, lean, (1, rate, 0, 0))[0][1:]


@pytest.mark.slow
def test_a_box_of_two_fluids_swings_at_the_rate_of_its_standing_wave():
    """Cores a twelfth as wide as the box and the grid widen the interface, which costs 5 %: what
    the wave of such an interface has. Finer ones cost less: see below."""
    times, lean, room = slosh(320, 4.0)
    exact = standing_wave(0.3, 0.06, 0.045)[0]
    smeared = standing_wave(0.3, 0.06, 0.045, core=0.025, spacing=0.0125 / 0.75)[0]
    rate, fading, middle = fit_swing(times, lean, exact)
    assert 0.94 * exact < smeared < 0.96 * exact
    assert rate == pytest.approx(smeared, rel=0.015)
    assert rate == pytest.approx(exact, rel=0.06)
    assert abs(fading) < 0.03 and abs(middle) < 0.02
    assert (room > 0).all() and (room < 1e-4).mean() < 0.02


# ---- which containers have them ----


def test_containers_without_panels():
    def count(shape, panels=320):
        return len(simulation(vt.Container(shape, panels=panels))._core.panels(0)["area"])

    box = SHAPES["box"]
    assert 200 < count(box) < 500
    assert count(box, panels=0) == 0
    assert 200 < count((box, vt.Sphere((0, 0, 0), 0.9))) < 450
    assert 200 < count((box, vt.Plane((0, 0, 0), (0, 0, -1)))) < 500
    assert count((box, vt.Box((-1, -1, 0.68), (1, 1, 1)))) == 0
    assert 200 < count(vt.Plane()) < 400
    assert count(vt.Plane(), panels=0) == 0
    assert count(vt.Box((-1, -1, -0.02), (1, 1, 0.02))) == 0
    scene = vt.Scene("c")
    scene.add(vt.Container(box, panels=80))
    assert vt.Scene.from_dict(scene.to_dict()).bodies[0].panels == 80


if __name__ == "__main__":  # python tests/test_container_panels.py: finer boxes, some minutes
    for n in (24, 36, 48):
        exact = standing_wave(0.3, 0.06, 0.045)[0]
        rate, fading, _ = fit_swing(*slosh(1280, 4.0, spacing=0.3 / n)[:2], exact)
        print(f"{n} vortons a side: {rate / exact - 1:+.1%} of the rate, fading {fading:.3f} / s")
