"""Eddies of emitters that go on: as fast in their fluid as `swirl` says."""

import numpy as np
import pytest
from marks import slow_but

import vorton as vt

BALL = vt.Sphere(radius=0.4)
DISK = vt.Disk(radius=0.3, thickness=0.15)


def points_in(shape):
    half = 0.8 * np.array([0.4, 0.4, 0.4 if shape is BALL else 0.075])
    points = np.random.default_rng(1).uniform(-half, half, (2000, 3))
    return np.float32(points[np.linalg.norm(points[:, : 3 if shape is BALL else 2], axis=1) < 0.32])


def simulation(shape, swirl, seed=1, **fluid):
    burns = vt.Combustion() if "fuel" in fluid else None
    scene = vt.Scene("swirl", seed=seed, combustion=burns)
    fluid = {"core": 0.075, "lifetime": 1, "smoke": 0, **fluid}
    scene.add(vt.Emitter(shape, swirl=swirl, **fluid))
    return vt.Simulation(scene, fps=24, threads=1)


def of_a_filling(shape):
    """Rms speed in a shape that has just been filled, of a swirl of 1 m/s: what the eddies are
    worth that end with it."""
    squares = []
    for seed in range(6):
        sim = simulation(shape, 1.0, seed, temperature=320, renew=0)
        sim.advance(1e-4)
        squares.append((sim.velocity_at(points_in(shape)) ** 2).sum(axis=1).mean())
    return np.sqrt(np.mean(squares))


def unrest(shape, swirl, seconds=(0.75, 2.0), **fluid):
    """Rms speed of the fluid in the shape less its mean in time, m/s."""
    sim = simulation(shape, swirl, **fluid)
    points, found = points_in(shape), []
    while sim.time < seconds[1]:
        sim.step()
        if sim.time > seconds[0]:
            found.append(sim.velocity_at(points))
    found -= np.mean(found, axis=0)
    assert sim.health.vorticity_divergence < 0.4
    return np.sqrt((found**2).sum(axis=2).mean())


@pytest.mark.parametrize(
    ("shape", "swirl", "fluid"),
    slow_but(
        [(DISK, 1.0, {"temperature": 600})],
        [
            (BALL, 1.5, {"temperature": 320}),
            (BALL, 0.5, {"temperature": 320, "renew": 8}),
            (BALL, 3.0, {"density": 0.3}),
            (DISK, 1.0, {"temperature": 600}),
            (DISK, 1.5, {"temperature": 700, "fuel": 0.9, "renew": 3}),
            (DISK, 1.0, {"temperature": 600, "renew": 20}),
        ],
    ),
)
def test_the_fluid_in_a_shape_swirls_as_it_says(shape, swirl, fluid):
    """As fast as in one that has just been filled, for as long as it goes on, and a little more by
    what the plume does without: .05 to .25. It was .1 to .3 of it."""
    assert 0.8 < unrest(shape, swirl, **fluid) / (swirl * of_a_filling(shape)) < 1.6


def test_swirl_that_ends_leaves_the_fluid_of_the_shape():
    """It follows the keys of swirl, and takes along what it has on its way out."""
    keys = vt.Keys([(0, 1.0), (0.5, 1.0), (0.6, 0.0)])
    sims = []
    for swirl in (keys, 0.0):
        scene = vt.Scene("swirl", seed=1)
        scene.add(vt.Emitter(BALL, temperature=320, swirl=swirl, core=0.08, lifetime=1, smoke=0))
        sims.append(vt.Simulation(scene, fps=24, threads=1))
        sims[-1].step(24)
    points = points_in(BALL)
    apart = sims[0].velocity_at(points) - sims[1].velocity_at(points)
    assert np.sqrt((apart**2).sum(axis=1).mean()) < 0.5
    stirred = sims[0].vortons.flags & vt.VortonFlag.STIRRED != 0
    outside = np.linalg.norm(sims[0].vortons.position, axis=1) > 0.45
    assert (stirred & outside).sum() > 100
