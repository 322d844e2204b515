"""Births on surfaces, at points, and in thin meshes."""

import os
import threading
import time

import numpy as np
import pytest
from marks import slow_but
from scipy.special import chdtri

import vorton as vt
from vorton import _core
from vorton.bakes.report import tracers_per_voxel, warnings

NAN = float("nan")


def born(*sources, **scene):
    made = vt.Scene(**{"voxel": 0.1, **scene})
    for source in sources:
        made.add(source)
    return vt.Simulation(made, fps=24, threads=1)


def places(shape, count=20000):
    return born(vt.Tracers(shape, count=count)).tracers.position.astype(float)


def is_uniform(counts, shares):
    """Chi-square at 99.9 %; a low-discrepancy sequence lies far below it."""
    counts, shares = np.asarray(counts, float), np.asarray(shares, float)
    expected = counts.sum() * shares / shares.sum()
    return ((counts - expected) ** 2 / expected).sum() < chdtri(len(counts) - 1, 0.001)


def corner(*sides):
    """A box of one eighth of the space as a number, by the signs."""
    return sum((side > 0) << n for n, side in enumerate(sides))


@pytest.mark.parametrize("count", [2000, 20000, 200000])
def test_births_are_even_in_every_two_coordinates_and_time(count):
    """Far more even than random ones, whose mean square over the mean is 1."""
    sim = born(vt.Tracers(vt.Box((0, 0, 0), (1, 1, 1)), rate=count, end=1))
    sim.advance(1)
    x = np.column_stack([sim.tracers.position, 1 - sim.tracers.age])
    for a in range(4):
        for b in range(a):
            found = np.histogram2d(x[:, a], x[:, b], (10, 12), [(0, 1), (0, 1)])[0]
            assert ((found - found.mean()) ** 2).mean() < 0.3 * found.mean(), (a, b)


# ---- surfaces ----


def test_surface_of_a_sphere():
    center, radius = np.array([1, 2, 3]), 0.7
    layer = vt.Surface(vt.Sphere(center, radius), thickness=0.02, offset=0.05)
    assert layer.volume == pytest.approx(4 * np.pi * radius**2 * 0.02, rel=1e-12)
    x = places(layer) - center
    r = np.linalg.norm(x, axis=1)
    assert r.min() == pytest.approx(0.74, abs=1e-4) and r.max() == pytest.approx(0.76, abs=1e-4)
    assert is_uniform(np.histogram(r, 10, (0.74, 0.76))[0], np.ones(10))
    height = np.floor((x[:, 2] / r + 1) / 2 * 10).clip(0, 9)
    turn = np.floor((np.arctan2(x[:, 1], x[:, 0]) / (2 * np.pi) + 0.5) * 12).clip(0, 11)
    assert is_uniform(np.bincount((height * 12 + turn).astype(int), minlength=120), np.ones(120))


def test_surface_of_a_box():
    size = np.array([1.0, 2.0, 0.5])
    layer = vt.Surface(vt.Box(tuple(-size / 2), tuple(size / 2)), thickness=1e-4)
    area = np.array([size[1] * size[2], size[2] * size[0], size[0] * size[1]])
    assert layer.volume == pytest.approx(2 * area.sum() * 1e-4, rel=1e-12)
    x = places(layer)
    share = np.abs(x) / (size / 2)
    face = share.argmax(axis=1)
    assert share.max(axis=1) == pytest.approx(1, abs=1e-3)
    counts, shares = [], []
    for axis in range(3):
        others = [a for a in range(3) if a != axis]
        mine = x[face == axis]
        signs = corner(*(mine[:, a] for a in (axis, *others)))
        counts += list(np.bincount(signs, minlength=8))
        shares += [area[axis]] * 8
    assert is_uniform(counts, shares)


def test_surface_of_a_disk():
    axis = np.array([1, 2, -2]) / 3
    layer = vt.Surface(vt.Disk((1, 0, 0), 2, tuple(axis), thickness=0.5), thickness=1e-4)
    assert layer.volume == pytest.approx((2 * np.pi * 4 + 2 * np.pi * 2 * 0.5) * 1e-4, rel=1e-12)
    x = places(layer) - [1, 0, 0]
    height = x @ axis
    r = np.linalg.norm(x - height[:, None] * axis, axis=1)
    rim = np.abs(height) < 0.2499
    assert r[rim] == pytest.approx(2, abs=1e-3) and abs(height).max() < 0.2501
    counts = [np.sum(~rim & (height > 0) & (r < np.sqrt(2))), np.sum(~rim & (height < 0)),
              np.sum(~rim & (height > 0) & (r >= np.sqrt(2))),
              *np.histogram(height[rim], 4, (-0.25, 0.25))[0]]  # fmt: skip
    assert is_uniform(counts, [2 * np.pi, 4 * np.pi, 2 * np.pi, *[2 * np.pi * 0.25] * 4])


def test_surface_of_a_torus():
    layer = vt.Surface(vt.Torus(radius=1, thickness=0.4), thickness=1e-4, offset=0.1)
    x = places(layer)
    r = np.hypot(x[:, 0], x[:, 1]) - 1
    assert np.hypot(r, x[:, 2]) == pytest.approx(0.5, abs=4e-3)  # a mesh of 32 sides
    around = np.floor((np.arctan2(x[:, 2], r) / (2 * np.pi) + 0.5) * 16).clip(0, 15)
    middle = (np.arange(16) + 0.5) / 16 * 2 * np.pi - np.pi
    slice_ = np.sin(np.pi / 16) / (np.pi / 16)
    assert is_uniform(np.bincount(around.astype(int)), 1 + 0.4 * slice_ * np.cos(middle))


def test_surface_of_an_open_mesh():
    vertices = [[0, 0, 0], [3, 0, 0], [0, 1, 0], [3, 1, 4]]
    mesh = vt.Mesh(vertices=vertices, faces=[[0, 1, 2], [1, 3, 2]])
    layer = vt.Surface(mesh, 0.2)
    areas = [1.5, np.linalg.norm(np.cross([0, 1, 4], [-3, 1, 0])) / 2]
    assert layer.volume == pytest.approx(0.2 * sum(areas), rel=1e-6)
    x = places(layer)
    first = np.abs(x[:, 2]) <= 0.1
    normal = np.cross([0, 1, 4], [-3, 1, 0])
    height = (x - [3, 0, 0]) @ (normal / np.linalg.norm(normal))
    assert (first | (np.abs(height) <= 0.1001)).all()
    clear = ~(first & (np.abs(height) <= 0.1))
    share = np.sum(first & clear) / len(x)
    assert share == pytest.approx(areas[0] / sum(areas), abs=0.05)
    line = x[first & (np.abs(height) > 0.1)]
    assert (line[:, 0] / 3 + line[:, 1] <= 1 + 1e-6).all() and (line[:, :2] >= -1e-6).all()
    with pytest.raises(ValueError, match="open"):
        vt.Tracers(mesh, count=1)


def test_births_of_a_surface_in_time():
    layer = vt.Surface(vt.Sphere(), thickness=0.01)
    found = []
    for divided in (1, 4):
        sim = born(vt.Tracers(layer, rate=999, start=0.01, end=0.21, density=3))
        for _ in range(12 * divided):
            sim.advance(1 / 48 / divided)
        order = np.lexsort(sim.tracers.position.T)
        found.append(sim.tracers.position[order])
    assert np.array_equal(*found)
    assert len(found[0]) == 200
    assert sim.tracers.density.sum() == pytest.approx(3 * layer.volume * 200 / 999, rel=1e-5)


# ---- points ----


def test_points_are_exact():
    rng = np.random.default_rng(1)
    x, size, density = rng.normal(size=(500, 3)), rng.uniform(0.1, 1, 500), rng.uniform(0, 2, 500)
    scene = vt.Scene(voxel=0.1)
    source = scene.add(vt.Points(x, size=size, density=density, lifetime=0.25))
    again = vt.Scene.from_json(scene.to_json())
    assert again == scene and np.array_equal(again.sources[0].positions, x.astype(np.float32))
    assert hash(again.sources[0]) == hash(source)
    sim = vt.Simulation(again, fps=24, threads=1)
    assert np.array_equal(sim.tracers.position, x.astype(np.float32))
    assert np.array_equal(sim.tracers.size, size.astype(np.float32))
    assert sim.tracers.density == pytest.approx(density * size**3, rel=1e-5)
    sim.step(7)
    assert sim.tracers.count == 0
    changed = vt.Scene(voxel=0.1)
    changed.add(vt.Points(x, size=size, density=np.nextafter(density, 3, dtype="f4")))
    assert changed != scene


def test_points_born_later_and_by_turns():
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0]])
    sim = born(vt.Points(x, size=[1, 2, 3], start=0.1, lifetime=[9, 8, 7]))
    assert sim.tracers.count == 0
    sim.step(4)
    assert np.array_equal(np.sort(sim.tracers.size), [1, 2, 3])
    assert sim.tracers.age == pytest.approx(sim.time - 0.1, abs=1e-6)
    found = []
    for divided in (1, 4):
        sim = born(vt.Points(x, size=[1, 2, 3], rate=30, start=0.1, end=0.5, jitter=0.3))
        for _ in range(24 * divided):
            sim.advance(1 / 24 / divided)
        assert sim.tracers.count == 12
        order = np.argsort(-sim.tracers.age)
        assert sim.tracers.size[order].tolist() == [1, 2, 3] * 4
        assert (sim.time - sim.tracers.age[order]) == pytest.approx(
            0.1 + np.arange(12) / 30, abs=1e-5
        )
        found.append(sim.tracers.position[order])
    assert np.array_equal(*found)
    away = np.linalg.norm(found[0] - np.tile(x, (4, 1)), axis=1)
    assert away.max() <= 0.3 and len(np.unique(away)) == 12


def test_jitter_fills_a_ball():
    x = born(vt.Points([[1, 2, 3]], size=1, rate=1e4, jitter=0.5, end=1))
    x.advance(1)
    offset = x.tracers.position.astype(float) - [1, 2, 3]
    r = np.linalg.norm(offset, axis=1)
    assert is_uniform(np.histogram((r / 0.5) ** 3, 10, (0, 1))[0], np.ones(10))
    assert is_uniform(np.bincount(corner(*offset.T), minlength=8), np.ones(8))


def test_vorton_points():
    rng = np.random.default_rng(2)
    x, s = rng.normal(size=(2, 50, 3)).astype(np.float32)
    source = vt.VortonPoints(x, s, core=rng.uniform(0.1, 0.2, 50), volume=0.01)
    sim = born(source)
    assert np.array_equal(sim.vortons.position, x) and np.array_equal(sim.vortons.strength, s)
    assert np.array_equal(sim.vortons.core, source.core)
    assert sim.vortons.volume == pytest.approx(0.01)
    late = born(vt.VortonPoints(x, s, core=0.1, volume=0.01, time=0.05))
    assert late.vortons.count == 0
    late.step(2)
    assert late.vortons.count == 50 and (late.vortons.age > 0).all()


ONE = [[0, 0, 0]]


@pytest.mark.parametrize(("make", "words"), [
    (lambda: vt.Surface(vt.Sphere()), ["thickness"]),
    (lambda: vt.Surface(vt.Sphere(), 0), ["Surface.thickness = 0", "> 0"]),
    (lambda: vt.Surface(1, 1), ["Surface.shape = 1", "must be a body"]),
    (lambda: vt.Surface(vt.Surface(vt.Sphere(), 1), 1), ["Surface.shape", "must be a body"]),
    (lambda: vt.Surface(vt.Sphere(), 1, NAN), ["Surface.offset = nan"]),
    (lambda: vt.Points([], size=1), ["Points.positions"]),
    (lambda: vt.Points([[0, 0]], size=1), ["Points.positions", "(1, 2)"]),
    (lambda: vt.Points([[0, 0, NAN]], size=1), ["Points.positions[0]", "finite"]),
    (lambda: vt.Points([[0, 0, 1e39]], size=1), ["Points.positions", "float32"]),
    (lambda: vt.Points("abc", size=1), ["Points.positions"]),
    (lambda: vt.Points(np.zeros((2**20 + 1, 3)), size=1), ["1048577 points", "1048576"]),
    (lambda: vt.Points(ONE, size=0), ["Points.size = 0", "> 0"]),
    (lambda: vt.Points(ONE, size=[0]), ["Points.size[0] = 0", "> 0"]),
    (lambda: vt.Points(ONE, size=[1, 2]), ["Points.size has 2 values for 1 point"]),
    (lambda: vt.Points(ONE, size=[[1]]), ["Points.size", "(1, 1)"]),
    (lambda: vt.Points(ONE, size=["a"]), ["Points.size"]),
    (lambda: vt.Points(ONE, size=None), ["Points.size"]),
    (lambda: vt.Points(ONE, size=1, density=-1), ["Points.density = -1"]),
    (lambda: vt.Points(ONE, size=1, density=[NAN]), ["Points.density[0] = nan"]),
    (lambda: vt.Points(ONE, size=1, lifetime=0), ["Points.lifetime = 0"]),
    (lambda: vt.Points(ONE, size=1, rate=0), ["Points.rate = 0"]),
    (lambda: vt.Points(ONE, size=1, end=1), ["Points.end = 1", "goes with rate"]),
    (lambda: vt.Points(ONE, size=1, rate=1, start=1, end=1), ["Points.end = 1", "> start"]),
    (lambda: vt.Points(ONE, size=1, jitter=-1), ["Points.jitter = -1"]),
    (lambda: vt.VortonPoints(ONE, [[0, 0, 1]] * 2, core=1, volume=1), ["strengths has 2 rows"]),
    (lambda: vt.VortonPoints(ONE, [[0, 0, NAN]], core=1, volume=1), ["strengths[0]", "finite"]),
    (lambda: vt.VortonPoints(ONE, ONE, core=0, volume=1), ["VortonPoints.core = 0"]),
    (lambda: vt.VortonPoints(ONE, ONE, core=1, volume=[-1]), ["VortonPoints.volume[0] = -1"]),
    (lambda: vt.VortonPoints(ONE, ONE, core=1, volume=1, time=-1), ["VortonPoints.time = -1"]),
])  # fmt: skip
def test_bad_definitions_are_refused(make, words):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    for word in words:
        assert word in str(error.value), str(error.value)


# ---- thin meshes ----


def slab(thickness, turn=True):
    """A square plate, along the diagonal of its bounding box."""
    t, s = thickness / 2, np.sqrt(0.5)
    axes = np.array([[s, 0, s], [0, 1, 0], [-s, 0, s]]) if turn else np.eye(3)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-t, t)])
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip
    return vt.Mesh(vertices=corners @ axes, faces=faces), axes


@pytest.mark.parametrize("thickness", slow_but([0.02], [0.02, 1e-4]))
def test_thin_plate_is_filled_evenly_and_soon(thickness):
    mesh, axes = slab(thickness)
    start = time.process_time()
    x = places(mesh, 20000) @ axes.T
    if "VORTON_SANITIZE" not in os.environ:  # which takes several times as long
        assert time.process_time() - start < 3
    assert abs(x[:, :2]).max() < 1.001 and abs(x[:, 2]).max() < thickness / 2 * 1.01
    cells = np.floor((x[:, :2] + 1) * 5).clip(0, 9).astype(int)
    assert is_uniform(np.bincount(cells[:, 0] * 10 + cells[:, 1], minlength=100), np.ones(100))
    height = np.histogram(x[:, 2] / thickness, 5, (-0.5, 0.5))[0]
    assert is_uniform(height, np.ones(5))


@pytest.mark.slow
def test_thin_wire_is_filled_evenly():
    wire = vt.Torus(axis=(1, 1, 1), radius=1, thickness=0.002)
    x = places(wire, 5000)
    axis = np.ones(3) / np.sqrt(3)
    first = np.cross(axis, [1, 0, 0]) / np.linalg.norm(np.cross(axis, [1, 0, 0]))
    turn = np.arctan2(x @ np.cross(axis, first), x @ first) / (2 * np.pi) + 0.5
    assert is_uniform(np.histogram(turn, 40, (0, 1))[0], np.ones(40))
    sim = born(vt.Tracers(wire, rate=5000, end=1))
    sim.advance(1)
    assert sim.tracers.count == pytest.approx(5000, abs=100)


@pytest.mark.slow
def test_a_mesh_too_thin_is_refused_and_its_surface_taken():
    mesh, _ = slab(1e-6)
    with pytest.raises(ValueError, match="too thin to be filled.*layer on its surface"):
        places(mesh)
    assert len(places(vt.Surface(mesh, 1e-3), 100)) == 100


# ---- other threads ----


def test_other_threads_run_while_a_source_is_filled():
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    core = _core.Simulation(threads=1)
    other = threading.Thread(target=tick)
    other.start()
    try:
        time.sleep(0.01)
        start = time.perf_counter()
        core.add("cloud", shape={"kind": "sphere"}, count=40000)
        core.add("tracers", shape={"kind": "sphere"}, count=1000000)
        end = time.perf_counter()
    finally:
        done.set()
        other.join()
    assert sum(start < t < end for t in ticks) > 5


# ---- how many tracers ----


@pytest.mark.parametrize("shape", [
    vt.Sphere(radius=0.5), vt.Box(), vt.Torus(radius=0.6, thickness=0.13),
    vt.Torus(radius=0.5, thickness=0.06),
])  # fmt: skip
def test_default_number_of_tracers_does_not_warn_about_itself(shape, tmp_path):
    """Six tracers a voxel in the body; never more than that in a voxel of smoke."""
    scene = vt.Scene("body", voxel=0.04)
    scene.add(vt.Tracers(shape))
    manifest = vt.bake(scene, tmp_path / "cache", frames=(1, 1), threads=1, progress=False)
    (found,) = tracers_per_voxel(manifest)
    assert 3.5 < found < 6.3
    assert warnings(manifest) == []
    volume = vt.Simulation(scene, threads=1).volume()
    info = volume.info()
    first = np.floor(np.array(info["lower"]) / 0.04).astype(int)
    size = np.ceil(np.array(info["upper"]) / 0.04).astype(int) + 1 - first
    density = volume.density(first, size).astype(float)
    assert info["filled_voxels"] == pytest.approx(density.sum() ** 2 / (density**2).sum())


def test_a_rate_whose_tries_cannot_be_counted_is_refused():
    sim = _core.Simulation()
    mesh = {"vertices": np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
            "faces": np.int32([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])}  # fmt: skip
    with pytest.raises(ValueError, match=r"rate is 1e\+09; allowed for a shape that fills 0\.167"):
        sim.add("tracers", shape={"kind": "mesh", **mesh}, rate=1e9)
    sim.add("tracers", shape={"kind": "mesh", **mesh}, rate=1e5)
