"""Ends of ranges: full, far, strong, long, forked: an error and no change, or what is right."""

import numpy as np
import pytest
from hand_made import ring, simulation, state

import vorton as vt


def two_rings(at_capacity, max_vortons, max_tracers=100, time=0.01, **emitter):
    """Four rings of 64 vortons, two at once and two in the first step; perhaps an emitter."""
    sim = vt.Simulation(
        threads=1, max_vortons=max_vortons, max_tracers=max_tracers, at_capacity=at_capacity
    )
    for born in (0, 0, time, time):
        sim._core.add("ring", radius=1.0, core=0.2, layers=0, sections=64, time=born)
    if emitter:
        sim._core.add("tracers", **emitter)
    return sim


# ---- capacity ----


def test_births_over_capacity_refuse_the_step():
    sim = two_rings("error", max_vortons=200)
    before = state(sim)
    with pytest.raises(
        vt.CapacityError, match="128 more vortons do not fit: 128 of max_vortons 200"
    ):
        sim.advance(0.02)
    assert state(sim) == before


def test_births_over_capacity_replace_the_oldest():
    sim = two_rings("oldest", max_vortons=200)
    sim.advance(0.02)
    assert sim.vortons.count == 200
    assert sorted(sim.vortons.id) == list(range(56, 256))


def test_births_over_capacity_stop_and_no_part_of_a_ring_is_born():
    sim = two_rings("stop", max_vortons=200)
    sim.advance(0.02)
    assert sim.vortons.count == 192
    assert sim.health["strength_share"] < 1e-4
    sim._core.add("ring", radius=1.0, core=0.2, layers=0, sections=64)
    assert sim.vortons.count == 192


def test_emitter_over_capacity():
    def born(at_capacity):
        sim = vt.Simulation(threads=1, max_tracers=30, at_capacity=at_capacity)
        sim._core.add("tracers", count=20)
        sim._core.add("tracers", rate=1000.0)
        sim.advance(0.025)
        return sorted(sim.tracers.id)

    assert born("stop") == list(range(30))
    newest = born("oldest")
    assert newest == list(range(newest[0], newest[0] + 30)) and 10 < newest[0] < 20


def test_a_refusal_after_another_set_had_room_changes_nothing():
    sim = two_rings("oldest", max_vortons=200, max_tracers=10, count=8, start=0.01)
    sim._core.add("tracers", count=8, start=0.01)
    before = state(sim)
    with pytest.raises(vt.CapacityError, match="16 more tracers"):
        sim.advance(0.02)
    assert state(sim) == before


@pytest.mark.parametrize("at_capacity", ["error", "oldest"])
def test_far_too_many_births_are_refused_at_once(at_capacity):
    sim = vt.Simulation(threads=1, max_tracers=1000, at_capacity=at_capacity)
    sim._core.add("tracers", rate=1e9)
    before = state(sim)
    with pytest.raises(vt.CapacityError, match="50000000000 more tracers"):
        sim.advance(50.0)
    assert state(sim) == before


def test_far_too_many_births_stop_at_once():
    sim = vt.Simulation(threads=1, max_tracers=1000, at_capacity="stop")
    sim._core.add("tracers", rate=1e9)
    sim.advance(50.0)
    assert sim.tracers.count == 1000


# ---- time ----


def test_a_ring_born_after_a_drift_moves_as_if_it_were_there_first():
    late, early = vt.Simulation(threads=1), vt.Simulation(threads=1)
    late._core.add("ring", core=0.2, time=0.5)
    early._core.add("ring", core=0.2)
    late.advance(0.7)
    early.advance(0.2)
    assert late.vortons.age == pytest.approx(0.2, abs=1e-6)
    assert early.vortons.position[:, 2].mean() > 0.03
    assert late.vortons.position[:, 2].mean() == pytest.approx(
        early.vortons.position[:, 2].mean(), rel=0.01
    )


def test_endless_steps_are_refused():
    sim = simulation(vortons=30, tracers=5, threads=1)
    before = state(sim)
    with pytest.raises(ValueError, match="dt is 1e.30 s; allowed is up to 1e.09 s"):
        sim.advance(1e30)
    assert state(sim) == before


def test_a_flow_too_fast_for_the_step_is_refused_before_it_moves():
    sim = vt.Simulation(threads=1)
    sim._core.add("ring", circulation=1e12, layers=0, sections=64)
    before = np.sort(sim.vortons.position.copy(), axis=0)
    with pytest.raises(vt.BlowUpError, match="more than 4096 substeps"):
        sim.advance(0.04)
    assert sim.time == 0.0
    assert np.array_equal(np.sort(sim.vortons.position, axis=0), before)


# ---- space ----


def test_velocity_far_away_is_zero():
    sim = simulation(vortons=30, tracers=0, threads=1)
    points = np.array([[1e12, 0, 0], [1e20, 1, 0], [3e38, -3e38, 3e38], [0, 0, 0]])
    velocity = sim.velocity_at(points)
    assert np.isfinite(velocity).all()
    assert (velocity[:3] == 0).all() and (velocity[3] != 0).any()


@pytest.mark.parametrize("x", [1e5, 1.00001e6, 3.1234567e7, 1.00000512e8, 9e8])
def test_a_ring_far_from_the_origin_does_no_harm(x):
    sim = vt.Simulation(threads=1)
    sim._core.add("ring", center=(x, -x, 0), radius=1.0, core=0.2)
    sim.tracers.add([[x, -x, 0.0]], density=1, size=1)
    for _ in range(3):
        sim.advance(0.02)
    assert np.isfinite(sim.vortons.position).all()
    assert np.isfinite(sim.vortons.strength).all()


def test_the_grid_is_as_fine_as_before_when_a_far_vorton_is_gone():
    sim = vt.Simulation(threads=1, max_nodes=20_000)
    position, strength, core, volume = ring(100)
    sim.vortons.add(position, strength, core=core, volume=volume)
    sim.advance(1e-6)
    spacing = sim.health["spacing"]
    far = sim.vortons.add([[2.5, 2.5, 2.5]], [[1e-6, 0, 0]], core=0.1, volume=1e-3)
    sim.advance(1e-6)
    assert sim.health["spacing"] > 1.5 * spacing
    sim.vortons.remove(np.isin(sim.vortons.id, far))
    sim.advance(1e-6)
    assert sim.health["spacing"] == spacing


# ---- views ----


COLUMNS = [("vortons", name, np.nan) for name in ("core", "volume", "bound_volume", "age")]
COLUMNS += [("tracers", name, np.inf) for name in ("position", "density", "size", "age")]


@pytest.mark.parametrize("particles, column, value", COLUMNS)
def test_what_is_not_finite_in_any_column_is_refused(particles, column, value):
    sim = simulation(vortons=30, tracers=5, threads=1)
    getattr(getattr(sim, particles), column)[3] = value
    before = state(sim)
    with pytest.raises(ValueError, match=rf"{particles}\.{column} has -?{value} in row 3 \(id 3\)"):
        sim.step()
    assert state(sim) == before


@pytest.mark.parametrize("place", [(100, 0, 0), (-1e6, 5, 0)])
def test_the_grid_holds_vortons_without_circulation(place):
    sim = simulation(vortons=30, tracers=0, threads=1)
    sim.vortons.add([place], [[0, 0, 0]], core=0.1, volume=1e-3)
    sim.step()
    cells = (np.array(place) - sim.grids.origin) / sim.grids.spacing
    assert (cells > 0).all() and (cells < np.array(sim.grids.velocity.shape[2::-1]) - 1).all()
    assert np.isfinite(sim.vortons.position).all()


def test_tracers_that_do_not_fit_are_told_of_the_voxel():
    """With that voxel they fit."""

    def simulation(voxel):
        scene = vt.Scene(voxel=voxel, max_tracers=1000)
        scene.add(vt.Emitter(vt.Sphere(), temperature=400, core=0.5, renew=10))
        return vt.Simulation(scene, threads=1)

    with pytest.raises(vt.CapacityError, match=r"voxels of 0.1 m; of Scene\(voxel=") as caught:
        simulation(0.1).step()
    voxel = float(str(caught.value).split("Scene(voxel=")[1].split(")")[0])
    assert 0.1 < voxel < 0.5
    sim = simulation(voxel)
    sim.step()
    assert 700 < sim.tracers.count <= 1000
