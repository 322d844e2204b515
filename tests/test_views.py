"""Columns and grids as NumPy views of the live memory: never stale, never dangling."""

import gc
import re
from pathlib import Path

import numpy as np
import pytest
from hand_made import ring, simulation

import vorton as vt

METHODS = pytest.mark.parametrize(
    "method", [vt.Method(), vt.Method.article()], ids=["default", "article"]
)


def columns_of(particles):
    return [(name, getattr(particles, name)) for name in particles._columns]


@pytest.mark.parametrize("name", ["vortons", "tracers"])
def test_e4_columns_share_one_memory(name):
    sim = simulation()
    particles = getattr(sim, name)
    for column, view in columns_of(particles):
        again = getattr(particles, column)
        assert len(view) == particles.count
        assert view.__array_interface__["data"] == again.__array_interface__["data"], column
        assert not view.flags.owndata


def test_columns_have_the_types_of_their_table():
    sim = simulation()
    tables = (sim.vortons, vt._core.VORTON_COLUMNS), (sim.tracers, vt._core.TRACER_COLUMNS)
    for particles, table in tables:
        hidden = {row["name"] for row in table} - set(particles._columns)
        notes = {"birth_volume", "mixture", "eddy_place"}
        assert hidden <= notes  # the library's own
        for row in (row for row in table if row["name"] not in hidden):
            view = getattr(particles, row["name"])
            shape = (particles.count, 3) if row["components"] == 3 else (particles.count,)
            assert view.dtype == row["dtype"] and view.shape == shape
            assert row["description"] in getattr(type(particles), row["name"]).__doc__


def test_flags_have_the_names_and_meanings_of_their_table():
    """Each name is a bit of its own, and explained as in columns.def."""
    table = (Path(vt.get_include()) / "vorton" / "columns.def").read_text()
    rows = re.findall(r'^VT_FLAG\((\w+), (\d+), "(.*)"\)$', table, re.M)
    assert {name: 1 << int(bit) for name, bit, _ in rows} == vt._core.VORTON_FLAGS
    assert {flag.name: flag.value for flag in vt.VortonFlag} == vt._core.VORTON_FLAGS
    documentation = " ".join(vt.VortonFlag.__doc__.split()).lower().replace("`", "")
    for name, _, description in rows:
        assert f"{name.lower()} {description}" in documentation


def test_flags_of_a_vorton_from_birth_on():
    sim = simulation()
    flags, bound = sim.vortons.flags, sim.vortons.bound_volume
    assert flags.dtype == np.uint32 and not flags.any()
    assert np.array_equal(bound, sim.vortons.volume)  # the least that it can be
    sim.step()
    assert (sim.vortons.flags == vt.VortonFlag.BOUND_KNOWN).all()
    assert (sim.vortons.bound_volume >= sim.vortons.volume).all()
    assert sim.vortons.bound_volume.max() > 1.1 * sim.vortons.volume.max()
    neutral = sim.vortons.flags & vt.VortonFlag.NEUTRAL != 0
    assert neutral.shape == (200,) and not neutral.any()


def test_a_bound_that_is_written_with_its_flag_stays():
    """And without the flag the first solve finds another."""
    known, unknown = simulation(), simulation()
    for sim in (known, unknown):
        sim.vortons.bound_volume *= 2
    known.vortons.flags |= np.uint32(vt.VortonFlag.BOUND_KNOWN)
    written = known.vortons.bound_volume.copy()
    for sim in (known, unknown):
        sim.step()
    rows = known.vortons.rows(np.arange(200))
    assert np.array_equal(known.vortons.bound_volume[rows], written)
    rows = unknown.vortons.rows(np.arange(200))
    assert not np.array_equal(unknown.vortons.bound_volume[rows], written)


@pytest.mark.parametrize("looked_at", ["never", "early", "late"])
def test_values_that_are_all_alike_are_there_once_looked_at(looked_at):
    """Until then they take no memory: rows come, go and change places as if they did."""
    sim = simulation(tracers=0)
    density, size = {}, {}

    def add(count, amount, spacing):
        points = np.random.default_rng(count).normal(0, 0.3, (count, 3))
        for i in sim.tracers.add(points, density=amount, size=spacing):
            density[int(i)], size[int(i)] = np.float32(amount), np.float32(spacing)

    def is_right(each):
        ids = each.tracers.id.tolist()
        return each.tracers.density.tolist() == [density[i] for i in ids] and (
            each.tracers.size.tolist() == [size[i] for i in ids]
        )

    add(300, 1e-3, 0.05)
    assert looked_at != "early" or is_right(sim)
    add(200, 1e-3, 0.05)
    sim.step(2)
    sim.tracers.remove(sim.tracers.id % 3 == 0)
    twin = sim.copy()
    add(100, 1e-3, 0.07)  # other sizes, the same densities
    twin.tracers.remove(twin.tracers.id >= 0)
    assert twin.tracers.count == 0 and twin.volume(0.1).info()["mass"] == 0
    assert looked_at != "late" or is_right(sim)
    mass = sum(density[i] for i in np.unique(list(density)).tolist() if i >= 500 or i % 3)
    assert np.isclose(sim.volume(0.1).info()["mass"], mass, rtol=1e-5)
    add(50, 2e-3, 0.05)
    assert is_right(sim)


@METHODS
def test_e4_writing_moves_things(method):
    sim = simulation(method=method)
    still = simulation(method=method)
    sim.vortons.position += (2, 0, 0)
    sim.tracers.position[:] += np.float32([2, 0, 0])
    sim.step(3)
    still.step(3)
    shift = sim.tracers.position[sim.tracers.rows(range(500))]
    shift = shift - still.tracers.position[still.tracers.rows(range(500))]
    assert np.allclose(shift, (2, 0, 0), atol=2e-3)
    assert abs(sim.vortons.position[:, 0].mean() - 2) < 1e-3


@METHODS
def test_e4_writing_strength_changes_the_flow(method):
    sim, half = simulation(method=method), simulation(method=method)
    half.vortons.strength *= 0.5
    for each in (sim, half):
        each.update_fields()
    assert np.allclose(half.velocity_at([[0, 0, 0]]), sim.velocity_at([[0, 0, 0]]) / 2, rtol=1e-4)


def test_results_are_read_only():
    sim = simulation()
    for view in (sim.vortons.id, sim.vortons.velocity, sim.tracers.id, sim.tracers.velocity):
        with pytest.raises(ValueError, match="read-only"):
            view[:] = 0
    with pytest.raises(ValueError, match="read-only"):
        sim.vortons.id = 0
    sim.step()
    with pytest.raises(ValueError, match="read-only"):
        sim.grids.velocity[:] = 0


def test_e4_views_outlive_the_simulation():
    sim = simulation(vortons=2000, tracers=20_000)
    sim.step()
    views = columns_of(sim.vortons) + columns_of(sim.tracers)
    views += [("grid", sim.grids.velocity)]
    copies = [view.copy() for _, view in views]
    del sim
    gc.collect()
    others = [simulation(vortons=2000, tracers=20_000) for _ in range(3)]  # would take the memory
    for (name, view), copy in zip(views, copies, strict=True):
        assert np.array_equal(view, copy), name
    position = views[0][1]
    position[:] = 7
    assert position.min() == 7
    del others


@METHODS
def test_e4_views_are_not_stale_after_growth(method):
    room = {"max_vortons": 300_000, "max_tracers": 300_000}
    sim = simulation(vortons=10, tracers=10, method=method, **room)
    old = dict(columns_of(sim.vortons)), dict(columns_of(sim.tracers))
    position, strength, core, volume = ring(250_000)
    sim.vortons.add(position, strength, core=core, volume=volume)
    sim.tracers.add(position, density=0.0, size=0.1)
    for particles, views in zip((sim.vortons, sim.tracers), old, strict=True):
        assert particles.count == 250_010
        for name, view in views.items():
            now = getattr(particles, name)
            assert np.shares_memory(view, now) and np.array_equal(view, now[:10]), name
    old[0]["strength"][3] = (1, 2, 3)
    assert tuple(sim.vortons.strength[3]) == (1, 2, 3)


@pytest.mark.slow
@METHODS
def test_e4_view_held_across_1000_steps_with_births(method):
    scene = vt.Scene("births", max_tracers=200_000, method=method)
    weak = {"radius": 0.5, "core": 0.1, "layers": 0, "circulation": 0.1}
    scene.add(vt.VortexRing(**weak))
    scene.add(vt.Tracers(vt.Sphere(radius=0.2), rate=5_000))
    scene.add(vt.VortexRing(center=(0, 0, -1), **weak, time=2.0))
    sim = vt.Simulation(scene, fps=240, threads=1)
    sim.step(10)
    held = {("vortons", name): view for name, view in columns_of(sim.vortons)}
    held |= {("tracers", name): view for name, view in columns_of(sim.tracers)}
    first = sim.vortons.count, sim.tracers.count
    assert min(first) > 0
    for frame in sim.frames(1000):
        if frame % 50 == 0:
            for (set_name, name), view in held.items():
                now = getattr(getattr(sim, set_name), name)[: len(view)]
                assert np.array_equal(view, now), (set_name, name, frame)
    assert sim.vortons.count == 2 * first[0]  # the second ring has been born
    # births are tried in a box around the sphere: less scatter than random ones would have
    tried, inside = 5_000 * 1010 / 240 * 6 / np.pi, np.pi / 6
    scatter = np.sqrt(tried * inside * (1 - inside))
    assert abs(sim.tracers.count - tried * inside) < scatter
    assert len(held["tracers", "position"]) == first[1]


def test_ids_are_identity_while_rows_move():
    sim = simulation(vortons=3000, tracers=5000)
    start = sim.tracers.position[:, 2].copy()
    ids = sim.vortons.id.copy()
    sim.tracers.density = np.arange(5000)
    sim.step(12)
    for particles in (sim.vortons, sim.tracers):
        assert np.array_equal(np.sort(particles.id), np.arange(particles.count))
        rows = particles.rows(np.arange(particles.count))
        assert np.array_equal(particles.id[rows], np.arange(particles.count))
    assert not np.array_equal(sim.vortons.id, ids)  # this many are sorted in 12 steps
    assert np.array_equal(sim.tracers.density, sim.tracers.id)  # columns travel together
    moved = sim.tracers.position[sim.tracers.rows(range(5000)), 2] - start
    assert np.abs(moved).max() < 1  # none has taken another one's place far away


def test_rows_of_removed_particles():
    sim = simulation(tracers=100)
    mask = np.arange(100) % 3 == 0
    kept = sim.tracers.id[~mask].copy()
    sim.tracers.remove(mask)
    assert np.array_equal(sim.tracers.id, kept)  # in their order
    assert sim.tracers.rows([0, 1, 2, 3, 1000, -5]).tolist() == [-1, 0, 1, -1, -1, -1]
    new = sim.tracers.add([[0, 0, 0]], density=1, size=1)
    assert new.tolist() == [100]  # an id is never given twice


def test_adding_returns_ids_in_order():
    sim = simulation(vortons=5)
    ids = sim.vortons.add(*ring(3)[:2], core=0.1, volume=1e-3)
    assert ids.tolist() == [5, 6, 7] and ids.dtype == np.int64
    assert sim.vortons.add(np.empty((0, 3)), np.empty((0, 3)), core=1, volume=1).tolist() == []


def test_capacity():
    sim = simulation(vortons=8, tracers=0, max_vortons=10)
    assert (sim.vortons.count, sim.vortons.capacity) == (8, 10)
    position, strength, core, volume = ring(3)
    with pytest.raises(vt.CapacityError, match="max_vortons"):
        sim.vortons.add(position, strength, core=core, volume=volume)
    assert sim.vortons.count == 8
    oldest = simulation(vortons=8, tracers=0, max_vortons=10, at_capacity="oldest")
    oldest.vortons.add(position, strength, core=core, volume=volume)
    assert sorted(oldest.vortons.id) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_grid_lies_where_it_says():
    sim = simulation()
    sim.update_fields()
    velocity, h = sim.grids.velocity, sim.grids.spacing
    assert velocity.dtype == np.float32 and velocity.ndim == 4 and velocity.shape[3] == 3
    assert sim.grids.vector_potential.shape == velocity.shape
    k, j, i = (n // 2 for n in velocity.shape[:3])
    place = np.array(sim.grids.origin) + h * np.array([i, j, k])
    assert np.allclose(sim.velocity_at([place]), velocity[k, j, i], rtol=1e-3, atol=1e-4)


def test_grid_before_the_first_field():
    sim = vt.Simulation()
    with pytest.raises(ValueError, match="no"):
        _ = sim.grids.velocity
    assert "no" in repr(sim.grids)


def ring_and_ball(read):
    scene = vt.Scene("ring", seed=4)
    scene.add(vt.VortexRing(radius=0.3, core=0.08, wobble=0.01))
    scene.add(vt.Body(vt.Sphere((0.7, 0, 0.25), radius=0.15), panels=80))
    sim = vt.Simulation(scene)
    for frame in sim.frames(6):
        if frame == 2:
            for name in read:
                getattr(sim.vortons, name)
    return sim


def test_reading_changes_nothing():
    """Density and temperature make fluid buoyant where they are kept: for a view they are not."""
    plain, read = ring_and_ball(()), ring_and_ball(vt.Simulation(vt.Scene()).vortons._columns)
    assert read.same_state(plain)
    v = read.vortons
    assert (v.density == 0).all() and (v.temperature == np.float32(293.15)).all()
    held = v.temperature
    held[:] = 400
    read.step()
    assert read.vortons.temperature.max() > 390 and not read.same_state(plain)
    assert read.health.buoyant_impulse[2] > 0
