"""Velocity by the grid (VALIDATION V3, V8, V9, V10), against direct float64 sums."""

import numpy as np
import pytest
from differences import curl, slope
from marks import slow_but

import vorton as vt
from vorton import _core
from vorton.files import vdb_files
from vorton.validation.biot_savart import circle, direct, simulation_of


def velocity_by_the_grid(method, position, strength, core, spacing):
    """A simulation whose field is that of the vortons, not yet stepped."""
    sim = vt.Simulation(vt.Scene(spacing=spacing, method=method))
    sim.vortons.add(position, strength, core=core, volume=spacing**3)
    return sim


METHODS = {"default": vt.Method(), "article": vt.Method.article()}


@pytest.mark.parametrize("method", METHODS)
def test_v8_velocity_is_divergence_free(method):
    """By differences of the nodes as those that made it, seven cells inside; and as health says."""
    ring = _core.Simulation()
    ring.add("ring", core=0.15, wobble=0.05)
    position, strength = ring.column("vortons", "position"), ring.column("vortons", "strength")
    sim = velocity_by_the_grid(METHODS[method], position, strength, 0.15, 0.1)
    velocity, h = sim.grids.velocity, sim.grids.spacing
    slopes = [slope(velocity[..., c], h, c, METHODS[method].order) for c in range(3)]
    inner = (slice(7, -7),) * 3
    scale = np.abs(velocity).max() / h
    assert np.abs(sum(slopes))[inner].max() < 1e-5 * scale
    assert sim.health.largest_divergence < 1e-5


def waves(core, radius, seed):
    """Vortons half a core apart, and their strengths in waves of four cores and more."""
    random = np.random.default_rng(seed)
    axis = np.arange(-radius, radius, 0.5 * core)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    x += random.uniform(-0.125, 0.125, x.shape) * core
    x = x[(x**2).sum(axis=1) < radius**2]
    strength = np.zeros_like(x)
    for _ in range(24):
        k = random.normal(size=3)
        k *= 2 * np.pi / (4 * core * random.uniform(1, 3)) / np.linalg.norm(k)
        along = np.cross(k, random.normal(size=3))
        along /= np.linalg.norm(along)
        strength += np.cos(x @ k + random.uniform(0, 2 * np.pi))[:, None] * along
    return x, strength * (1 - (x**2).sum(axis=1) / radius**2)[:, None]


@pytest.mark.slow
def test_velocity_in_clouds_of_cores_of_so_many_cells():
    """Against the sum in float64, at every fourth vorton."""
    core, second = 0.1, {"order": "second"}
    for seed in range(3):
        x, strength = waves(core, 0.7, seed)
        some = x[::4]
        exact = direct(some, x, strength, core)
        for cells, largest in (1.5, 0.014), (1.0, 0.035):
            sim = simulation_of(x, strength, core, spacing=core / cells, method=second)
            error = np.linalg.norm(sim.velocity_at(np.float32(some)) - exact)
            assert 0.4 * largest < error / np.linalg.norm(exact) < largest


def test_curl_of_potential_is_velocity():
    """The two grids agree with each other: u = curl A by the same differences."""
    sim = _core.Simulation()
    sim.add("ring", core=0.2)
    potential, _, spacing = sim.grid("vector_potential")
    velocity, _, _ = sim.grid("velocity")

    inner = (slice(4, -4),) * 3
    scale = np.abs(velocity).max()
    error = curl(potential, spacing) - velocity
    assert np.abs(error[inner]).max() < 1e-5 * scale


def test_far_field_outside_the_grid():
    """Points beyond the grid feel the same vortons."""
    position, strength = circle(128)
    sim = simulation_of(position, strength, 0.15, spacing=0.1)
    points = np.random.default_rng(1).normal(size=(200, 3))
    points *= (np.random.default_rng(2).uniform(2.5, 12, 200) / np.linalg.norm(points, axis=1))[
        :, None
    ]
    exact = direct(points, position, strength, 0.15)
    error = np.linalg.norm(sim.velocity_at(np.float32(points)) - exact, axis=1)
    speed = np.linalg.norm(exact, axis=1)
    near = np.linalg.norm(points, axis=1) < 4
    for group in (near, ~near):
        assert np.sqrt((error[group] ** 2).sum() / (speed[group] ** 2).sum()) < 0.01


def encoded(volume, tmp_path):
    (tmp_path / "volume.vdb").write_bytes(volume.encode_vdb(half=False, compress=False))
    return vdb_files.read(tmp_path / "volume.vdb")["velocity"]


@pytest.mark.parametrize("voxel, interpolated", [(0.016, True), (0.018, False)])
def test_fine_voxels_outside_the_grid_are_interpolated(tmp_path, voxel, interpolated):
    """In a lattice of half of the grid's spacing, from 4 voxels a cell on; a thousandth at most."""
    sim = _core.Simulation(spacing=0.065)
    sim.add("ring", core=0.2)
    points = np.random.default_rng(3).normal(size=(20_000, 3))
    points *= 0.25 / np.linalg.norm(points, axis=1)[:, None]
    points += [0.4, 0, -0.9]
    full = np.ones(len(points))
    sim.add_tracers(np.float32(points), full, voxel * full)
    far = sim.volume(voxel, threads=2)
    velocity = encoded(far, tmp_path)
    where = np.float32(velocity.voxel * velocity.index.astype(float))
    exact = sim.velocity_at(where)
    error = np.linalg.norm(velocity.values - exact, axis=1)
    _, corner, _ = sim.grid("vector_potential")
    outside = where[:, 2] < corner[2]
    assert len(where) > 40_000 and outside.mean() > 0.8
    mean = np.linalg.norm(exact, axis=1).mean()
    assert error[~outside].max() < 1e-6 * mean  # the same splines, summed in another order
    assert error[outside].any() == interpolated
    assert error.max() < 1e-3 * mean
    assert np.array_equal(encoded(sim.volume(voxel, threads=1), tmp_path).values, velocity.values)


def test_a_few_voxels_far_apart_are_not_interpolated(tmp_path):
    sim = _core.Simulation(spacing=0.065)
    sim.add("ring", core=0.2)
    places = np.float32([[2, 0, -3], [-2, 0, 3], [0.3, 2.5, 0], [0, 0, 900]])
    sim.add_tracers(places, np.ones(4), 0.01 * np.ones(4))
    velocity = encoded(sim.volume(0.01, 0), tmp_path)
    where = np.float32(velocity.voxel * velocity.index.astype(float))
    assert np.array_equal(velocity.values, sim.velocity_at(where))


@pytest.mark.parametrize("wide, count", [(0.25, 60_000), (30.0, 2_000)])
def test_tracers_outside_the_grid_go_with_the_far_field(wide, count):
    """Close together they share a lattice, else each has its own sum: as sums at their places say,
    to two thousandths."""
    ways, dt = [], 0.01
    for threads in (1, 2):
        scene = vt.Scene(spacing=0.065, seed=2, method=vt.Method(rounding=0))
        scene.add(vt.VortexRing(radius=1, circulation=10, core=0.2))
        low = np.array([0.4, 0, -1.2]) - [wide, wide, 2 * wide]
        scene.add(vt.Tracers(vt.Box(low, low + 2 * wide), count=count))
        sim = vt.Simulation(scene, fps=100, threads=threads)
        sim.step()
        before = np.float64(sim.tracers.position)[np.argsort(sim.tracers.id)]
        grids = sim.grids
        size = grids.spacing * (np.array(grids.velocity.shape[2::-1]) - 1)
        inside = np.all((before > grids.origin) & (before < grids.origin + size), axis=1)
        assert not inside.any()
        middle = before + dt / 2 * sim.velocity_at(before)
        flow = sim.velocity_at(middle).astype(float)
        sim.step()
        flow += sim.velocity_at(middle)
        ways.append(np.float64(sim.tracers.position)[np.argsort(sim.tracers.id)] - before)
    exact = dt / 2 * flow
    error = np.linalg.norm(ways[0] - exact, axis=1)
    assert error.max() < 2e-3 * np.linalg.norm(exact, axis=1).mean() + 2e-7 * np.abs(before).max()
    np.testing.assert_array_equal(*ways)


def ring_alone():
    scene = vt.Scene(spacing=0.065, seed=2, method=vt.Method(rounding=0))
    scene.add(vt.VortexRing(radius=1, circulation=10, core=0.2))
    return scene


def ball_over_a_floor():
    scene = vt.Scene(voxel=0.03, seed=2, method=vt.Method(rounding=0))
    scene.add(vt.Body(vt.Plane()))
    fall = vt.Transform(position=vt.Keys([(0, (0, 0, 1.5)), (0.1, (0, 0, 1.0))]))
    scene.add(vt.Body(vt.Sphere(radius=0.15), parent=fall, shedding=0))
    return scene


@pytest.mark.parametrize(
    "make, middle, half",
    slow_but(
        [(ring_alone, (0, 0, 0), 2.2)],
        [(ring_alone, (0, 0, 0), 2.2), (ball_over_a_floor, (0, 0, 0.5), 0.45)],
    ),
)
def test_tracers_farther_away_share_wider_lattices(make, middle, half):
    """One for three cells, too few for nodes as close as these: among many they go as when they are
    alone and have their own sums, but for a thousandth of the way; beside walls outside the grid,
    too."""
    count, few, dt = 100_000, 400, 0.02
    points = np.random.default_rng(1).uniform(-half, half, (count, 3)) + middle
    points = np.float32(points[np.abs(points - middle).max(axis=1) > 0.6 * half])
    ways = []
    for position, threads in ((points, 1), (points, 2), (points[:few], 1)):
        sim = vt.Simulation(make(), threads=threads, fps=1 / dt)
        sim.step(2)
        sim.tracers.add(position, density=1e-6, size=0.01)
        sim.step()
        order = np.argsort(sim.tracers.id)[:few]
        ways.append(np.float64(sim.tracers.position[order]) - points[:few])
    way = np.linalg.norm(ways[2], axis=1)
    error = np.linalg.norm(ways[0] - ways[2], axis=1)
    assert np.mean(error > 0) > 0.5
    assert np.all(error < 1.5e-3 * way + 3e-7)  # and rounding
    assert np.sqrt((error**2).sum() / (way**2).sum()) < 5e-4
    assert np.array_equal(ways[0], ways[1])
