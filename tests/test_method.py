"""Every row of method.def has the effect that it describes, on the routes that it names."""

import numpy as np
import pytest

import vorton as vt
from vorton import _core

PLAIN = {"time": "euler", "bound": 0.0, "cleaning": 0.0, "exchange": 0.0, "turn": 2.0}


def run(frames=1, dt=0.02, **method):
    """Positions and strengths, in the order of ids, of a wavy ring; and the simulation."""
    sim = _core.Simulation(threads=1, method=method)
    sim.add_ring(radius=0.5, core=0.15, wobble=0.1, wobble_seed=3)
    sim.step(dt, frames)
    order = np.argsort(sim.column("vortons", "id"))
    columns = (
        sim.column("vortons", name)[order].astype(float) for name in ("position", "strength")
    )
    return *columns, sim


def test_all_rows_are_tried_here():
    assert [row["name"] for row in _core.METHOD_FIELDS] == [
        "velocity", "kernel", "stretching", "time", "bound", "cleaning", "exchange",
        "buoyancy", "buoyancy_scale", "opening_angle", "turn",
    ]  # fmt: skip


def test_velocity_and_kernel():
    grid, gauss = run()[0], run(velocity="direct")[0]
    moved = np.abs(grid - run(dt=0.0)[0]).max()
    assert 0 < np.abs(grid - gauss).max() < 0.1 * moved
    for kernel in ("wl", "ball"):
        other = run(velocity="direct", kernel=kernel)[0]
        assert 1e-4 * moved < np.abs(other - gauss).max() < moved
        assert np.array_equal(run(kernel=kernel)[0], grid)  # "the grid's core is Gaussian"


@pytest.mark.parametrize("velocity", ["poisson", "direct"])
def test_stretching(velocity):
    start = run(dt=0.0)[1]
    change = {
        form: run(velocity=velocity, stretching=form, **PLAIN)[1] - start
        for form in ("transpose", "classical", "mixed", "none")
    }
    size = np.abs(change["transpose"]).max()
    assert size > 1e-3 * np.abs(start).max()
    assert np.abs(change["classical"] - change["transpose"]).max() > 0.1 * size
    mean = (change["transpose"] + change["classical"]) / 2
    assert np.abs(change["mixed"] - mean).max() < 1e-3 * size
    assert np.abs(change["none"]).max() == 0
    total = np.abs(change["transpose"].sum(axis=0)).max()  # this form keeps the sum
    assert total < 0.02 * np.abs(change["transpose"]).sum()


@pytest.mark.parametrize("velocity", ["poisson", "direct"])
def test_time(velocity):
    """With half the step Euler's error is a half, that of the midpoint rule a quarter."""
    exact = run(velocity=velocity, frames=32, dt=0.2 / 32, turn=2.0, stretching="none")[0]
    for scheme, least, most in (("euler", 1.6, 2.6), ("rk2", 3.0, 6.0)):
        method = {"velocity": velocity, "time": scheme, "turn": 2.0, "stretching": "none"}
        coarse, fine = (
            np.abs(run(frames=n, dt=0.2 / n, **method)[0] - exact).max() for n in (2, 4)
        )
        assert least < coarse / fine < most, scheme


@pytest.mark.parametrize("velocity", ["poisson", "direct"])
def test_bound(velocity):
    tight, loose = (run(velocity=velocity, bound=bound)[2].health() for bound in (0.01, 100.0))
    assert tight["bounded_share"] > 0.9 and loose["bounded_share"] < 0.1


@pytest.mark.parametrize("name", ["cleaning", "exchange"])
def test_cleaning_and_exchange_act_on_the_grid_alone(name):
    def difference(velocity):
        strengths = [run(frames=4, velocity=velocity, **{name: rate})[1] for rate in (0.0, 10.0)]
        return np.abs(strengths[1] - strengths[0]).max() / np.abs(strengths[0]).max()

    assert difference("poisson") > 1e-3
    assert difference("direct") == 0


def test_opening_angle():
    exact, near, far = (run(opening_angle=angle)[2] for angle in (0.0, 0.3, 1.0))
    point = [[0, 0, 3.0]]
    u = exact.velocity_at(point)
    errors = [np.abs(sim.velocity_at(point) - u).max() for sim in (near, far)]
    assert 0 < errors[1] < 0.2 * np.abs(u).max() and errors[0] < errors[1]


def test_turn():
    substeps = [run(dt=0.2, turn=turn)[2].health()["substeps"] for turn in (2.0, 0.4, 0.1)]
    assert substeps[0] < substeps[1] < substeps[2]
    assert substeps[2] == pytest.approx(4 * substeps[1], rel=0.3)
    assert vt.Method().turn == 0.4


def test_article_takes_the_values_of_the_articles():
    article = vt.Method.article()
    assert {row["name"]: row["article"] for row in _core.METHOD_FIELDS} == article.to_dict()
    assert article.time == "euler" and article.kernel == "ball" and article.bound == 0
    assert article != vt.Method()
