"""Long runs of the default method (VALIDATION 2b): those that are short enough here.

`python tests/long_runs.py` follows them for more seeds, at both sizes.
"""

import long_runs
import numpy as np
import pytest

from vorton import _core


@pytest.mark.slow
def test_l1_turbulent_ball_over_35_turnovers():
    _, figures = long_runs.run_ball(seed=1, scale=1)
    assert not long_runs.outside("ball", figures)


@pytest.mark.slow
@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_l1_turbulence_by_sums_gains_no_energy(velocity):
    """At half the size, by the energy of all pairs; cleaning is what holds it down."""

    def energies(**method):
        sim = long_runs.simulate(
            *long_runs.turbulent_ball(1, scale=0.5), fps=0.2, velocity=velocity, **method
        )
        found = []
        for _ in range(6):
            x, strength, core = (
                np.array(getattr(sim.vortons, name), float)
                for name in ("position", "strength", "core")
            )
            arguments = (x, x, strength, np.sqrt(2) * core)
            potential = _core.direct_sum(*arguments, kernel="gaussian", potential=True)[2]
            found.append((strength * potential).sum() / 2)
            sim.step()
        return np.array(found)

    energy = energies()
    assert (np.diff(energy) < 0).all() and energy[-1] < 0.8 * energy[0]
    assert energies(cleaning=0.0)[-1] > energy[0]


@pytest.mark.slow
def test_l2_thick_ring_with_a_wobble_over_twenty_radii():
    """Stays one ring and keeps its way; for eight radii its speed, for six its impulse."""
    _, figures = long_runs.run_ring(seed=7, scale=1)
    assert not long_runs.outside("ring", figures)


@pytest.mark.slow
def test_l3_rings_that_meet_head_on():
    """They press each other three radii wide and break up; nothing is gained by it."""
    _, figures = long_runs.run_heads(seed=2, scale=1)
    assert not long_runs.outside("heads", figures)
    assert figures["E at 7, 13, 27 s"][2] < 0.9


@pytest.mark.slow
def test_l4_plume_over_1100_steps():
    """At half the size: steady once it fills its box, straight up, never falling back."""
    _, figures = long_runs.run_plume(seed=1, scale=0.5)
    assert figures["vortons"] > 9_000
    assert not long_runs.outside("plume", figures)


def test_figures_outside_their_ranges_are_named():
    figures = {"radii": 3.5, "largest rise of E": 1.5}
    assert long_runs.outside("heads", figures) == ["largest rise of E 1.5 is not within 1 to 1.02"]
    assert len(long_runs.outside("heads", {**figures, "radii": np.nan})) == 2
