"""Long runs of the default method (VALIDATION 2b): the pieces of them that are short enough here.

`python tests/long_runs.py` follows them to their ends.
"""

import itertools

import long_runs
import numpy as np


def energies(rows):
    energy = np.array([row["energy"] for row in rows])
    return energy / energy[0]


def test_l1_turbulent_ball_over_35_turnovers():
    position, strength = long_runs.turbulent_ball(seed=1)
    sim = long_runs.simulate(position, strength, fps=1.0)
    rows = list(long_runs.books(sim, 120, box=29.0))
    assert long_runs.largest_rise(rows) < 1.02
    assert 0.2 < energies(rows)[21] < 0.35
    assert 0.02 < energies(rows)[120] < 0.08
    assert max(row["divergence"] for row in rows) < 0.4
    assert max(row["strength"] for row in rows) < 0.05


def test_l2_thick_ring_with_a_wobble_over_twenty_radii():
    """Stays one ring and keeps its way; for eight radii its speed, for six its impulse."""
    radius = 14.0
    sim = long_runs.simulate(*long_runs.thick_ring(seed=7), fps=1 / 2.75)
    whole = long_runs.sectors(sim, radius).mean()
    rows = []
    for row in long_runs.books(sim, 130):
        rows.append(row)
        if row["centre"][2] > 20 * radius:
            break
    way = np.array([row["centre"][2] for row in rows])
    assert way[-1] > 20 * radius
    impulse = np.array([np.linalg.norm(row["impulse"]) for row in rows])
    eight = np.searchsorted(way, 8 * radius)
    at_start, at_end = way[22] / 22, (way[eight] - way[22]) / (eight - 22)
    assert abs(at_end / at_start - 1) < 0.07
    assert max(np.hypot(*row["centre"][:2]) for row in rows) < 2 * radius
    assert abs(impulse[np.searchsorted(way, 6 * radius)] / impulse[0] - 1) < 0.10
    share = long_runs.sectors(sim, radius) / whole
    assert share.min() > 0.7 and share.max() < 1.1
    assert long_runs.largest_rise(rows) < 1.02


def test_l3_rings_that_meet_head_on():
    """They press each other wide and break up; nothing is gained by it."""
    position, strength = long_runs.head_on_rings(seed=2)
    sim = long_runs.simulate(position, strength, fps=1.0)
    apart = position[:, 2].std()
    rows = list(itertools.islice(long_runs.books(sim, 40), 41))
    assert long_runs.largest_rise(rows) < 1.02
    assert energies(rows)[27] < 0.9
    x = sim.vortons.position.astype(float)
    assert x[:, 2].std() < apart and np.hypot(x[:, 0], x[:, 1]).mean() > 18


def test_l4_plume_over_1100_steps():
    """At half the size: steady once it fills its box, straight up, never falling back."""
    rows, figures = long_runs.run_plume(seed=1, scale=0.5)
    assert figures["vortons"] > 10_000
    assert figures["E, least to most"] < 2
    assert figures["axis"] < 2
    assert figures["divergence"] < 0.4
    height = np.array([row["centre"][2] for row in rows])
    filling = height[: np.argmax(height > 0.75 * 22)]  # most of the way to the top of its box
    assert len(filling) > 10
    assert (np.diff(filling) > 0).all() and filling[-1] > 4 * filling[0]
