"""Long runs of the default method (VALIDATION 2b): those that are short enough here.

`python tests/long_runs.py` follows them for more seeds, at both sizes.
"""

import long_runs
import numpy as np
import pytest


@pytest.mark.parametrize("seed", [1, 2])
def test_l1_turbulent_ball_over_35_turnovers(seed):
    _, figures = long_runs.run_ball(seed, scale=1)
    assert not long_runs.outside("ball", figures)


def test_l2_thick_ring_with_a_wobble_over_twenty_radii():
    """Stays one ring and keeps its way; for eight radii its speed, for six its impulse."""
    _, figures = long_runs.run_ring(seed=7, scale=1)
    assert not long_runs.outside("ring", figures)


@pytest.mark.parametrize("seed", [1, 2])
def test_l3_rings_that_meet_head_on(seed):
    """They press each other three radii wide and break up; nothing is gained by it."""
    _, figures = long_runs.run_heads(seed, scale=1)
    assert not long_runs.outside("heads", figures)
    assert figures["E at 7, 13, 27 s"][2] < 0.9


def test_l4_plume_over_1100_steps():
    """At half the size: steady once it fills its box, straight up, never falling back."""
    _, figures = long_runs.run_plume(seed=1, scale=0.5)
    assert figures["vortons"] > 10_000
    assert not long_runs.outside("plume", figures)


def test_figures_outside_their_ranges_are_named():
    figures = {"radii": 3.5, "largest rise of E": 1.5}
    assert long_runs.outside("heads", figures) == ["largest rise of E 1.5 is not within 1 to 1.02"]
    assert len(long_runs.outside("heads", {**figures, "radii": np.nan})) == 2
