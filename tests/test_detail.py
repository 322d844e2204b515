"""Eddies below the grid, which stir tracers (Scene.detail)."""

import numpy as np
import pytest
from marks import slow_but

import vorton as vt
from vorton import _core

CORE = 0.1


def cloud(detail, threads=1, per_voxel=1, strength=1.0, seed=3, **scene):
    """A turbulent cloud full of tracers that lie at random."""
    made = vt.Scene(voxel=0.04, seed=seed, detail=detail, detail_strength=strength, **scene)
    made.add(vt.RandomCloud(vt.Box((-0.5,) * 3, (0.5,) * 3), speed=1.0, core=CORE, count=4000))
    made.add(vt.Tracers(vt.Box((-0.8,) * 3, (0.8,) * 3), per_voxel=per_voxel))
    return vt.Simulation(made, fps=24, threads=threads)


def strain_at(sim, points):
    """sqrt(2 S_ij S_ij) from velocities of the flow around the points: by NumPy in float64."""
    h = sim.grids.spacing / 4
    gradient = np.zeros((len(points), 3, 3))  # [p, i, j] = d u_j / d x_i
    for a in range(3):
        step = np.zeros(3)
        step[a] = h
        gradient[:, a] = sim.velocity_at(points + step) - sim.velocity_at(points - step)
    both = (gradient + gradient.transpose(0, 2, 1)) / (4 * h)
    return np.sqrt(2 * (both**2).sum((1, 2)))


def test_eddies_move_tracers_with_the_strain_and_all_ways_alike():
    """One octave: the mean square of what a short step moves is (share x core x S x time)^2."""
    sim = cloud(1, per_voxel=4)
    sim.advance(0.05)
    dt, number = 1e-3, np.arange(sim.tracers.count)
    before = sim.tracers.position[sim.tracers.rows(number)].copy()
    sim.advance(dt)
    after = sim.tracers.position[sim.tracers.rows(number)]
    moved = after - before - dt * sim.velocity_at((before + after) / 2)
    inner = np.all(np.abs(before) < 0.4, axis=1)
    expected = 0.4 * sim.grids.spacing * strain_at(sim, before[inner]) * dt
    share = (moved[inner] ** 2).mean(0) / (expected**2).mean()
    # what the slope of the speed adds is a tenth: sqrt(mean b^2) is a tenth of a wave
    assert share.sum() == pytest.approx(1.1, abs=0.1)
    assert share.min() > 0.23 * share.sum()


@pytest.mark.slow
@pytest.mark.parametrize("detail", [3, 4])
def test_tracers_stay_spread_as_evenly_as_places_at_random(detail):
    """After two turns of the flow, counts in voxels vary by less than twice their mean: what the
    eddies add is less than the noise of eight tracers a voxel."""
    sim = cloud(detail, per_voxel=8)
    for _ in range(24):
        sim.step()
    x = sim.tracers.position
    inside = x[np.all(np.abs(x) < 0.4, axis=1)]
    counts = np.histogramdd(inside, bins=[20] * 3, range=[(-0.4, 0.4)] * 3)[0]
    assert counts.mean() == pytest.approx(8, rel=0.05)
    assert counts.var() / counts.mean() < 2


def test_the_flow_knows_nothing_of_it():
    sim, still = cloud(3), cloud(0)
    for each in (sim, still):
        each.step(5)
    for column in ("position", "strength", "velocity"):
        np.testing.assert_array_equal(getattr(sim.vortons, column), getattr(still.vortons, column))
    rows = sim.tracers.rows(still.tracers.id)
    way = np.linalg.norm(sim.tracers.position[rows] - still.tracers.position, axis=1)
    assert np.median(way) > 0.02 * CORE


def test_no_strength_is_no_detail():
    sim, still = cloud(2, strength=0.0), cloud(0)
    for each in (sim, still):
        each.step(3)
    np.testing.assert_array_equal(
        sim.tracers.position[sim.tracers.rows(still.tracers.id)], still.tracers.position
    )


@pytest.mark.parametrize("threads", slow_but([2], [2, 3]))
def test_the_same_bits_for_every_number_of_threads(threads):
    one, more = cloud(2, 1), cloud(2, threads)
    for each in (one, more):
        each.step(4)
    np.testing.assert_array_equal(one.tracers.position, more.tracers.position)


@pytest.mark.slow
def test_a_copy_goes_on_with_the_same_bits_across_a_renewal():
    sim = cloud(2)
    sim.step(10)
    twin = sim.copy()
    for each in (sim, twin):
        each.step(15)
    np.testing.assert_array_equal(sim.tracers.position, twin.tracers.position)


def test_smoke_has_three_octaves_and_scenes_keep_what_they_say():
    rings, smoke = vt.Scene(), vt.Scene()
    rings.add(vt.VortexRing())
    smoke.add(vt.Emitter(vt.Disk(radius=0.2, thickness=0.1), temperature=600, core=0.1))
    assert rings._octaves == 0 and smoke._octaves == 3
    assert "detail" not in smoke.to_dict() and "detail_strength" not in smoke.to_dict()
    said = vt.Scene(detail=1, detail_strength=0.5)
    assert said._octaves == 1
    assert vt.Scene.from_json(said.to_json()) == said != vt.Scene()
    for bad in (-1, 5, 1.5, "2"):
        with pytest.raises((ValueError, TypeError), match=r"Scene\.detail"):
            vt.Scene(detail=bad)
    with pytest.raises(ValueError, match="detail is 9; allowed is 0 to 4"):
        _core.Simulation(detail=9)
