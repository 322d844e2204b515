"""What is known of the nodes beside bodies at rest is kept from field solve to field solve.

A copy knows nothing of it: it finds all anew, pair by pair, and must have the same bits.
"""

import numpy as np
import pytest

import vorton as vt

BALL = vt.Body(vt.Sphere((0.3, 0.0, 0.1), 0.25), name="ball")
SLAB = vt.Body(vt.Box((-0.8, -0.7, -0.6), (0.7, 0.8, -0.4)), name="slab")
RING = vt.VortexRing((-0.4, 0.0, 0.0), (1, 0, 0), radius=0.3, core=0.1, circulation=2)


def ring_and(*bodies, **options):
    scene = vt.Scene("kept", seed=1, spacing=0.1)
    scene.add(RING)
    for body in bodies:
        scene.add(body)
    return vt.Simulation(scene, **options)


def assert_like_its_copy(sim, steps=1):
    """The nodes of now, and those of frames to come."""
    copy = sim.copy()
    for _ in range(steps):
        np.testing.assert_array_equal(sim.grids.velocity, copy.grids.velocity)
        sim.step()
        copy.step()
    assert sim.same_state(copy)


@pytest.mark.parametrize("threads", [1, 2])
def test_nodes_beside_bodies_at_rest(threads):
    sim = ring_and(BALL, SLAB, vt.Body(vt.Plane((0, 0, -0.9))), threads=threads)
    for _ in range(2):
        sim.step()
        assert_like_its_copy(sim, 2)


def test_a_body_that_stops_and_goes_on():
    way = [(0, (0, 0, 0)), (0.08, (0, 0, 0.1)), (0.2, (0, 0, 0.1)), (0.3, (0, 0.1, 0.1))]
    scene = vt.Scene("kept", seed=1, spacing=0.1)
    scene.add(RING)
    carrier = vt.Transform(position=vt.Keys(way))
    scene.add(vt.Body(vt.Sphere((0.3, 0, 0), 0.2), parent=carrier))
    scene.add(SLAB)
    sim = vt.Simulation(scene)
    for _ in range(9):
        sim.step()
        assert_like_its_copy(sim)


def test_bodies_that_are_added_and_removed():
    sim = ring_and(SLAB)
    sim.step(2)
    ball = sim.add(BALL)
    sim.step()
    assert_like_its_copy(sim)
    sim.remove(ball)
    ball = sim.add(BALL.replace(shape=vt.Sphere((0.3, 0.05, 0.1), 0.25)))
    assert_like_its_copy(sim, 2)
    sim.remove(ball)
    sim.add(BALL.replace(shape=vt.Sphere((0.3, 0.05, 0.1), 0.25), shedding=0))
    assert_like_its_copy(sim, 2)
    sim.remove(SLAB)
    assert_like_its_copy(sim, 2)
