"""Nothing prefers a direction (VALIDATION D6): a rotated run is the rotation of the run.

Positions are compared one by one, strengths as a whole: on the grid the velocity gradient jumps at
cell faces, so that a vorton on a face may be stretched by either side's for one substep.
"""

import numpy as np
import pytest

from vorton import _core

STEPS, DT = 80, 0.025
QUARTERS = {
    "x": np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "y": np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    "z": np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
}


def start():
    """A resolved ring with a strong wave on it: position, strength, volume."""
    sim = _core.Simulation(threads=1)
    sim.add_ring(core=0.3, vorton_core=0.15, sections=60, layers=1, wobble=0.1, wobble_seed=2)
    position, strength, volume = (
        sim.column("vortons", name).copy() for name in ("position", "strength", "volume")
    )
    return position + np.float32([0.013, 0.027, 0.041]), strength, volume


def difference(strength, expected):
    return np.linalg.norm(strength - expected) / np.linalg.norm(expected)


def run(turn, velocity, shift=0.0):
    """Positions and strengths after two seconds, and how far the vortons went."""
    position, strength, volume = start()
    position = position + np.float32(shift)
    sim = _core.Simulation(method={"velocity": velocity}, spacing=0.1, threads=1)
    began = np.float32(position @ turn.T)
    sim.add_vortons(began, np.float32(strength @ turn.T), np.full(len(volume), 0.15), volume)
    sim.step(DT, STEPS)
    order = np.argsort(sim.column("vortons", "id"))
    ended = sim.column("vortons", "position")[order].astype(float)
    way = np.abs(ended - began).max()
    return ended, sim.column("vortons", "strength")[order].astype(float), way


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("velocity, most", [("direct", 1e-5), ("poisson", 1e-3)])
def test_d6_quarter_turn(velocity, most, axis):
    """The middle one of five starts that differ in where they lie: where a vorton crosses a plane
    of nodes, at which the gradient jumps, rounding decides in which step it does."""
    turn, moved, changed = QUARTERS[axis], [], []
    for shift in (0.0, 0.01, 0.02, 0.03, 0.04):
        position, strength, way = run(np.eye(3), velocity, shift)
        turned_position, turned_strength, _ = run(turn, velocity, shift)
        moved.append(np.abs(turned_position - position @ turn.T).max() / way)
        changed.append(difference(turned_strength, strength @ turn.T))
    assert np.median(moved) < most
    assert np.median(changed) < most


@pytest.mark.parametrize("velocity, most", [("direct", 1e-4), ("poisson", 0.03)])
def test_d6_by_30_degrees(velocity, most):
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    turn = QUARTERS["x"] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    tilt = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ turn
    position, strength, way = run(np.eye(3), velocity)
    turned_position, turned_strength, _ = run(tilt, velocity)
    assert np.abs(turned_position - position @ tilt.T).max() < most * way
    assert difference(turned_strength, strength @ tilt.T) < most
