"""What each operator of the method takes: against what physics says that it does."""

import numpy as np
import pytest

import vorton as vt
from vorton.shares import OPERATORS, method_shares

NAMES = ("impulse", "angular_impulse", "energy", "enstrophy")


def ring(method=None, **values):
    scene = vt.Scene(method=method or vt.Method(), seed=2, **values)
    scene.add(vt.VortexRing(radius=0.5, core=0.15, circulation=1.0, wobble=0.1, seed=3))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(4)
    return sim


def test_the_books_close():
    """The shares, of one copy each, are the change of a simulation that goes on by itself."""
    sim = ring(viscosity=1e-3)
    books = method_shares(sim, 0.05)
    before = sim.health
    sim.advance(0.05)
    after = sim.health
    for name in NAMES:
        change = np.array(after[name]) - np.array(before[name])
        parts = sum(getattr(books[n], name) for n in (*OPERATORS, "rest"))
        largest = max(np.abs(getattr(books[n], name)).max() for n in books)
        np.testing.assert_allclose(parts, change, atol=1e-3 * largest)
        np.testing.assert_allclose(getattr(books["change"], name), change, atol=1e-3 * largest)


@pytest.mark.slow
def test_diffusion_takes_the_energy_that_viscosity_takes():
    """dE/dt = -2 nu x enstrophy, whatever the flow (Saffman 1992, section 3.11)."""
    sim = ring(viscosity=2e-3)
    time, before = 0.05, sim.health
    share = method_shares(sim, time)["diffusion"]
    sim.advance(time)
    exact = -2 * 2e-3 * time * (before.enstrophy + sim.health.enstrophy) / 2
    assert share.energy == pytest.approx(exact, rel=0.05)
    assert np.abs(share.impulse).max() < 1e-3 * np.abs(before.impulse).max()


def test_who_does_nothing_has_no_share():
    sim = ring(vt.Method(exchange=0, balance="none", bound=0))
    state = sim.vortons.position.copy()
    books = method_shares(sim, 0.02)
    for name in ("exchange", "balance", "bound", "diffusion"):
        assert books[name].energy == 0 and not books[name].impulse.any()
    assert abs(books["stretching"].enstrophy) > 0
    assert np.array_equal(state, sim.vortons.position) and sim.time == pytest.approx(4 / 24)


@pytest.mark.slow
def test_without_a_grid_energy_is_not_known_and_bad_input_is_named():
    books = method_shares(ring(vt.Method(velocity="direct")), 0.02)
    assert np.isnan(books["stretching"].energy) and np.isfinite(books["change"].impulse).all()
    with pytest.raises(ValueError, match="time = 0"):
        method_shares(ring(), 0)
    with pytest.raises(TypeError, match="must be a Simulation"):
        method_shares(3)
