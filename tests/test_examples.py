"""The examples of rings and the jet, short and with little smoke: what they are there to show."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import vorton as vt

EXAMPLES = Path(__file__).parents[1] / "examples"


def simulate(name, voxel=0.06):
    """The simulation of an example, at its start, and the names in it."""
    names = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    scene = vt.Scene.from_dict({**names["scene"].to_dict(), "voxel": voxel})
    return vt.Simulation(scene), names


def vortons_of_first(sim):
    """Mask of the vortons of the first ring: those of the lowest ids."""
    alone = vt.Scene()
    alone.add(sim.scene.sources[0])
    return sim.vortons.id < vt.Simulation(alone).vortons.count


def place_and_radius(sim, mask, axis):
    """Of a ring: centre along the axis and rms distance from it, m, weighted with strength."""
    axis = np.array(axis) / np.linalg.norm(axis)
    x = sim.vortons.position[mask].astype(float)
    weight = np.linalg.norm(sim.vortons.strength[mask].astype(float), axis=1)
    center = weight @ x / weight.sum()
    away = x - center
    square = (away**2).sum(axis=1) - (away @ axis) ** 2
    return center @ axis, np.sqrt(weight @ square / weight.sum())


def both(sim, axis):
    first = vortons_of_first(sim)
    return place_and_radius(sim, first, axis), place_and_radius(sim, ~first, axis)


@pytest.mark.slow
def test_leapfrogging_rings_pass_through_each_other():
    """The one behind shrinks and comes first, while the other widens; impulse stays."""
    sim, names = simulate("leapfrog")
    impulse = np.array(sim.health.impulse)
    # two rings of pi R^2 circulation each, and somewhat more for the core
    exact = 2 * np.pi * names["RADIUS"] ** 2 * 1.5
    assert np.linalg.norm(impulse) == pytest.approx(exact, rel=0.02)
    behind, ahead = both(sim, names["AXIS"])
    assert ahead[0] - behind[0] > 0.4 and ahead[1] == pytest.approx(behind[1], rel=1e-3)
    sim.step(14)
    behind, ahead = both(sim, names["AXIS"])
    assert behind[0] > ahead[0] + 0.1 and behind[1] < 0.8 * ahead[1]
    assert np.allclose(sim.health.impulse, impulse, atol=0.01 * exact)


@pytest.mark.slow
def test_a_small_ring_flies_through_a_large_one():
    sim, names = simulate("ring_through_ring")
    large, small = both(sim, names["AXIS"])
    assert small[0] < large[0] - 0.6 and small[1] < 0.55 * large[1]
    radius = small[1]
    sim.step(12)
    large, small = both(sim, names["AXIS"])
    assert abs(small[0] - large[0]) < 0.2
    assert small[1] < 0.8 * radius and small[1] < 0.4 * large[1]  # it squeezes through
    sim.step(8)
    large, small = both(sim, names["AXIS"])
    assert small[0] > large[0] + 0.3
    assert sim.health.strength_share < 1e-3


@pytest.mark.slow
def test_linked_rings_are_linked():
    """Vorticity of the one times velocity of the other: circulations times the linking number."""
    sim, names = simulate("linked_rings")
    # each ring has pi R^2 along its axis
    axes = np.array([(0, 0.25, 1), (0, 1, -0.25)]) / np.hypot(0.25, 1)
    exact = np.pi * names["RADIUS"] ** 2 * axes.sum(axis=0)
    assert np.allclose(sim.health.impulse, exact, atol=0.02)
    sim.step(8)
    first = vortons_of_first(sim)
    x, alpha = sim.vortons.position.astype(float), sim.vortons.strength.astype(float)
    core = sim.vortons.core.astype(float)
    velocity, _, _ = vt._core.direct_sum(x[first], x[~first], alpha[~first], core[~first])
    assert abs((alpha[first] * velocity).sum()) == pytest.approx(1.0, rel=0.03)
    assert np.allclose(sim.health.impulse, exact, atol=0.02)


def test_a_jet_carries_the_impulse_of_its_slugs():
    sim, names = simulate("jet")
    jet = names["jet"]
    sim.step(12)
    exact = np.pi * jet.radius**2 * jet.speed**2 / 2 * sim.time
    assert sim.health.impulse[2] == pytest.approx(exact, rel=0.08)
    # smoke moves at about half the speed of the jet
    top = np.quantile(sim.tracers.position[:, 2], 0.98)
    assert 0.3 < top / (jet.speed * sim.time) < 0.7
    assert len(np.unique(np.round(sim.vortons.age, 4))) == np.ceil(20 * sim.time)


@pytest.mark.slow
def test_a_tornado_spins_the_air_and_lifts_the_dust():
    sim, _ = simulate("tornado")
    sim.step(30)
    angle = np.arange(64) * (2 * np.pi / 64)
    radius = 0.35
    middle = sim.scene.effects[0].parent.position.at(sim.time)
    way = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    out = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    swirl = np.sum(sim.velocity_at(np.array(middle) + radius * out + (0, 0, 1)) * way, axis=1)
    assert 2 * np.pi * radius * swirl.mean() == pytest.approx(3.0, rel=0.1)
    near = sim.velocity_at(np.array(middle) + 0.5 * out + (0, 0, 0.15))
    assert np.sum(near * out, axis=1).mean() < -0.05
    assert sim.velocity_at([np.array(middle) + (0, 0, 1.5)])[0, 2] > 1
    dust = sim.tracers.position[sim.tracers.lifetime == np.float32(2.4)]
    assert dust[:, 2].max() > 1.0 and len(dust) > 1000
