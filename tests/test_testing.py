"""vorton.testing: limits of health, bakes that differ, the exact velocity, scenes stepped once."""

import copy
import os
import re
import shutil
import struct
import subprocess
import sys
import textwrap
import tracemalloc
import zlib
from math import erf
from pathlib import Path

import numpy as np
import pytest
from hand_made import run_python, simulation, state

import vorton as vt
from vorton import Manifest, testing
from vorton.archive.manifest import json_value
from vorton.bakes import report
from vorton.files import vdb_files
from vorton.testing import HEALTH_LIMITS, Stepped, assert_healthy, assert_same_bake, exact_velocity

pytest_plugins = ["vorton.testing"]

EXAMPLE = Path(__file__).parents[1] / "examples" / "test_campfire.py"
HEALTH_DEF = Path(vt.get_include()) / "vorton" / "health.def"


def message(function, *arguments, **named):
    with pytest.raises(AssertionError) as caught:
        function(*arguments, **named)
    return str(caught.value)


def small_scene(seed=3):
    scene = vt.Scene("ring", seed=seed)
    scene.add(vt.VortexRing(radius=0.5, core=0.1, circulation=1.0))
    scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.12), count=2000))
    return scene


def test_all_but_the_fixture_is_there_without_pytest():
    """`help(vorton)` takes this module in."""
    run_python("""
        import pydoc, sys
        sys.modules["pytest"] = None
        import vorton as vt
        assert "assert_healthy" in vt.testing.__all__ and callable(vt.testing.assert_healthy)
        assert "Emitter" in pydoc.render_doc(vt)
    """)


# ---- health ----


def test_limits_stand_once():
    """In health.def, and from there in the documentation, `vorton info` and here."""
    rows = re.findall(r"VT_HEALTH_LIMIT\((\w+), ([\d.]+),", HEALTH_DEF.read_text())
    assert {name: row.limit for name, row in HEALTH_LIMITS.items()} == {
        name: float(limit) for name, limit in rows
    }
    assert set(HEALTH_LIMITS) >= {"strength_excess", "vorticity_divergence", "own_vorticity"}
    assert report.HEALTH_LIMITS is HEALTH_LIMITS
    documentation = " ".join(type(vt.Simulation().health).__doc__.split())
    for limit, meaning, remedy in HEALTH_LIMITS.values():
        assert f"above {limit:g} {meaning}." in documentation and remedy


def test_a_healthy_ring():
    sim = vt.Simulation(small_scene())
    sim.step(2)
    assert_healthy(sim)
    assert_healthy(vt.Simulation())


def noisy(time):
    """Strengths that have nothing to do with each other."""
    sim = vt.Simulation(spacing=0.1, method=vt.Method(exchange=0, cleaning=0, stretching="none"))
    random = np.random.default_rng(1)
    position, strength = random.uniform(-0.5, 0.5, (2000, 3)), random.normal(0, 1, (2000, 3))
    sim.vortons.add(position, strength, core=0.15, volume=1e-3)
    sim.advance(time)
    sim.frame = 7
    return sim


@pytest.mark.slow
def test_more_strength_than_the_grid_resolves():
    sim = noisy(0.1)
    text = message(assert_healthy, sim, vorticity_divergence=None)
    assert text.startswith("simulation 'scene' is not healthy:\n")
    (line,) = text.splitlines()[1:]
    limit = HEALTH_LIMITS["strength_excess"]
    found = sim.health.strength_excess
    assert line.split() == (
        f"strength_excess is {found:.4g} in frame 7, above 4: {limit.meaning}; {limit.remedy}"
    ).split()
    assert "raise Method.exchange" in line and found > 4
    assert_healthy(sim, vorticity_divergence=None, strength_excess=1.01 * found)


def test_a_flow_that_has_hardly_moved_has_no_such_limits():
    sim = noisy(1e-5)
    assert sim.health.strength_excess > 4 and sim.health.largest_gradient * sim.time < 0.1
    assert_healthy(sim)
    assert "strength_excess" in message(assert_healthy, sim, strength_excess=4)


def test_vortons_that_stand_alone():
    """On a line, five cores apart, in the middles of cells."""
    sim = vt.Simulation(spacing=0.05)
    position = np.full((12, 3), 0.025)
    position[:, 2] += 0.4 * np.arange(12)
    sim.vortons.add(position, [0, 0, 1] * np.ones((12, 1)), core=0.075, volume=6.6e-3)
    sim.advance(0.2)
    text = message(assert_healthy, sim, vorticity_divergence=None)
    assert re.search(r"own_vorticity is \S+ in frame 0, above 0.9: vortons stand alone", text)
    assert "larger cores" in text


def test_limits_of_other_numbers_and_several_at_once():
    sim = vt.Simulation(small_scene())
    sim.step(2)
    assert_healthy(sim, largest_speed=10)
    text = message(assert_healthy, sim, largest_speed=0.01, strength_excess=0)
    lines = text.splitlines()
    assert len(lines) == 3
    speed = sim.health.largest_speed
    assert any(f"largest_speed is {speed:.4g} m/s in frame 2, above 0.01 m/s" in x for x in lines)
    assert any("raise Method.exchange" in x for x in lines)


@pytest.mark.parametrize(
    ("limits", "error", "words"),
    [
        ({"nose": 1}, ValueError, "nose: is not .* did you mean 'noise'"),
        ({"impulse": 1}, ValueError, "impulse: is not a number of health"),
        ({"noise": "20"}, TypeError, "noise = '20': must be a finite number"),
        ({"noise": float("nan")}, ValueError, "noise = nan"),
    ],
)
def test_limits_that_are_none(limits, error, words):
    with pytest.raises(error, match=words):
        assert_healthy(vt.Simulation(), **limits)


def test_health_of_what_is_none():
    with pytest.raises(TypeError, match="must be a Simulation or a Manifest"):
        assert_healthy("bake")


# ---- bakes ----


@pytest.fixture(scope="module")
def bakes(tmp_path_factory):
    """The same twice, with other threads and with other packing."""
    folder = tmp_path_factory.mktemp("bakes")
    volumes = vt.Volumes(voxel=0.08, half=False)
    plain = vt.Volumes(voxel=0.08, half=False, compress=False)
    how = {"frames": (1, 3), "progress": False}
    vt.bake(small_scene(), folder / "a", volumes=volumes, threads=1, **how)
    vt.bake(small_scene(), folder / "b", volumes=plain, threads=2, **how)
    return folder


@pytest.fixture
def other(bakes, tmp_path):
    """A copy of the second, to be damaged."""
    shutil.copytree(bakes / "b", tmp_path / "b")
    return tmp_path / "b"


def rewrite(folder, change):
    """Changes the manifest of a bake."""
    path = folder / "ring.json"
    data = Manifest.load(path).data
    change(data)
    Manifest(path, data).save()


def test_the_same_bake_in_other_threads(bakes):
    assert_same_bake(bakes / "a", bakes / "b")
    assert_same_bake(Manifest.find(bakes / "a"), bakes / "b" / "ring.json")


def test_the_same_bake_however_packed(tmp_path):
    """Smoke at rest: its velocities are packed to nothing."""
    scene = vt.Scene("still", seed=3)
    scene.add(vt.Tracers(vt.Sphere(radius=0.5), count=2000))
    a, b = tmp_path / "a", tmp_path / "b"
    for folder, compress in (a, True), (b, False):
        volumes = vt.Volumes(voxel=0.08, compress=compress)
        vt.bake(scene, folder, volumes=volumes, frames=(1, 1), progress=False)
    packed, plain = ((folder / "still_0001.vdb").stat().st_size for folder in (a, b))
    assert packed < 0.8 * plain
    assert_same_bake(a, b)


def test_another_version_that_knows_more_numbers(bakes, other):
    def change(data):
        data["vorton"], data["build"] = "0.0.1", "cc | -O1"
        for record in data["frames"]:
            del record["health"]["noise"]

    rewrite(other, change)
    assert_same_bake(bakes / "a", other)


def test_a_voxel_that_differs(bakes, other):
    """The last float of the file: the last component of the last active voxel of velocity."""
    path = other / "ring_0002.vdb"
    data = bytearray(path.read_bytes())
    before = np.frombuffer(data[-4:], "<f4")[0]
    data[-4:] = np.float32(before + 0.5).tobytes()
    path.write_bytes(data)
    sim = vt.Simulation(small_scene())
    sim.step(1)
    text = message(assert_same_bake, bakes / "a", other)
    assert "ring_0002.vdb: grid velocity: voxel (" in text
    found = re.search(r"voxel \((.*?)\) holds \((.*?)\) and \((.*?)\);", text)
    voxel, one, two = (np.array(part.split(","), float) for part in found.groups())
    np.testing.assert_allclose(one, sim.velocity_at([0.08 * voxel])[0], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(two - one, [0, 0, 0.5], atol=1e-6)
    assert re.search(r"; 1 of \d+ voxels differ, by at most 0\.5 ", text)
    assert f"no longer as written: frame 2 of {other / 'ring.json'}" in text


def test_voxels_that_are_not_there(bakes, tmp_path):
    """A smaller margin around the smoke: fewer voxels have a velocity; and one that is 0."""
    volumes = vt.Volumes(voxel=0.08, half=False, margin=0)
    vt.bake(small_scene(), tmp_path / "c", frames=(1, 3), volumes=volumes, progress=False)
    rewrite(tmp_path / "c", lambda data: data["volumes"].update(margin=3.0))
    text = message(assert_same_bake, bakes / "a", tmp_path / "c")
    assert re.search(r"ring_0001\.vdb: grid velocity: voxel .* and \(0, 0, 0\); .* differ", text)
    index, values = np.array([[1, 2, 3], [-4, 5, 6]], np.int32), np.float32([2, 0])
    one = vdb_files.Grid(0.1, False, 0.0, index, values)
    two = vdb_files.Grid(0.1, False, 0.0, index[:1], values[:1])
    expected = "grid x: voxel (-4, 5, 6) is active in the {} alone; 1 voxels are in one of them"
    for first, second, which in ((one, two, "first"), (two, one, "second")):
        assert list(testing._compare_voxels("x", first, second)) == [expected.format(which)]
    assert not list(testing._compare_voxels("x", one, one))


def test_a_tracer_that_differs(bakes, other):
    path = other / "ring_0003.npz"
    columns = dict(np.load(path))
    columns["position"][17, 1] += 0.25
    columns["density"][5] = np.nan
    np.savez(path, **columns)
    text = message(assert_same_bake, bakes / "a", other)
    row = np.load(bakes / "a" / "ring_0003.npz")["position"][17]
    assert "ring_0003.npz: column position: tracer 17 holds (" in text
    assert f"({', '.join(f'{x:.9g}' for x in row)}) and" in text
    assert "1 of 2000 tracers differ, by at most 0.25" in text
    columns["position"] = np.load(bakes / "a" / "ring_0003.npz")["position"]
    np.savez(path, **columns)
    assert "column density: tracer 5 holds" in message(assert_same_bake, bakes / "a", other)


def test_files_that_are_not_whole(bakes, other):
    for name in ("ring_0001.vdb", "ring_0001.npz"):
        path = other / name
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        text = message(assert_same_bake, bakes / "a", other)
        assert f"{path}: is not a whole" in text
        path.unlink()
        assert f"{path} is missing" in message(assert_same_bake, bakes / "a", other)
        path.write_bytes(whole)
    assert_same_bake(bakes / "a", other)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(fps=25.0), "fps is 24.0 and 25.0, 1 apart"),
        (lambda data: data.update(seed=4), "seed is 3 and 4"),
        (lambda data: data["volumes"].update(voxel=0.1), "voxel is 0.08 and 0.1, 0.02 apart"),
        (lambda data: data["frames"].pop(), r"frames is \[1, 2, 3\] and \[1, 2\]"),
        (lambda data: data["frames"][1].update(mass=1.0), "frame 2: mass is .* and 1.0"),
        (lambda data: data["frames"][1]["health"].update(noise=99.0), "frame 2: health: noise is"),
        (lambda data: data["frames"][2]["files"].pop(), "frame 3: files is"),
    ],
)  # fmt: skip
def test_manifests_that_differ(bakes, other, change, words):
    rewrite(other, change)
    assert re.search(words, message(assert_same_bake, bakes / "a", other))


def test_no_bake(bakes, tmp_path):
    with pytest.raises(ValueError, match="holds no bake"):
        assert_same_bake(bakes / "a", tmp_path)


def test_health_of_a_bake_names_the_worst_frame(bakes, other):
    manifest = Manifest.find(bakes / "a")
    assert_healthy(manifest)

    def spoil(data):
        for record, excess in zip(data["frames"], (21.0, 30.0, 25.0)):
            record["health"]["strength_excess"] = excess
            record["health"]["largest_gradient"] = 1000.0  # 1/s

    rewrite(other, spoil)
    text = message(assert_healthy, Manifest.find(other))
    assert "ring.json is not healthy" in text
    assert "strength_excess is 30 in frame 2, above 4:" in text
    unknown = {"strength_excess": json_value(np.nan)}
    rewrite(other, lambda data: data["frames"][1]["health"].update(unknown))
    text = message(assert_healthy, Manifest.find(other))
    assert "strength_excess is nan in frame 2, not finite" in text


@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_health_without_a_grid(tmp_path, velocity):
    """What is not known is passed over, but where it is asked for; the rest is looked at."""
    scene = vt.Scene("ring", method=vt.Method(velocity=velocity))
    scene.add(vt.VortexRing(radius=0.5, core=0.1))
    sim = vt.Simulation(scene, threads=1)
    made = vt.bake(scene, tmp_path, frames=(1, 2), volumes=None, progress=False)
    for what in sim, made:
        assert_healthy(what)
        assert "energy is nan" in message(assert_healthy, what, energy=1e9)
        assert "overlap" in message(assert_healthy, what, overlap=0.01)


# ---- volumes from files ----


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("half", [False, True])
def test_volumes_are_read_as_they_were_written(tmp_path, half, compress):
    """Beside the values that the volume has in memory, and the velocity that it was given; far
    apart, in nodes on both sides of 0."""
    random = np.random.default_rng(2)
    corners = np.array([[-20, 3, -4100], [3, -20, 4100], [125, -129, 7]])
    position = 0.1 * (corners[:, None] + random.uniform(-4, 4, (3, 300, 3))).reshape(-1, 3)
    volume = vt._core.volume_from_tracers(
        position=position, density=random.uniform(1e-4, 1e-3, 900), size=np.full(900, 0.1),
        voxel_size=0.1, velocity=lambda x: x * np.float32([1, -2, 0.01]), velocity_margin=2,
        temperature=random.uniform(300, 900, 900), ambient_temperature=290,
    )  # fmt: skip
    path = tmp_path / "volume.vdb"
    path.write_bytes(volume.encode_vdb(half=half, compress=compress))
    grids = vdb_files.read(path)
    assert list(grids) == ["density", "velocity", "temperature"]
    assert [grid.background for grid in grids.values()] == [0, 0, 290]
    for grid in grids.values():
        assert grid.voxel == 0.1 and grid.half == half and grid.values.dtype == np.float32
        assert len(grid.index) == len(np.unique(grid.index, axis=0)) > 500
    velocity = grids["velocity"]
    exact = 0.1 * velocity.index * [1, -2, 0.01]
    np.testing.assert_allclose(velocity.values, exact, rtol=2**-11 if half else 1e-6, atol=1e-6)
    for name, block_of in (
        ("density", volume.density),
        ("temperature", lambda *box: volume.values("temperature", *box)),
    ):
        grid, seen = grids[name], 0
        for corner in corners:
            first = corner - 12
            block = block_of(first, (24, 24, 24)).transpose(2, 1, 0)
            near = ((grid.index >= first) & (grid.index < first + 24)).all(axis=1)
            read = np.zeros(block.shape, np.float32)
            read[tuple((grid.index[near] - first).T)] = grid.values[near]
            active = read > 0
            exact = block.astype(np.float16).astype(np.float32) if half else block
            np.testing.assert_array_equal(read[active], exact[active])
            if name == "density":
                np.testing.assert_array_equal(read, exact)
            seen += near.sum()
        assert seen == len(grid.index)
    assert len(grids["density"].index) == volume.info()["active_voxels"]
    (alone,) = vdb_files.read(path, ["temperature", "heat"]).items()
    assert alone[0] == "temperature"
    np.testing.assert_array_equal(alone[1].index, grids["temperature"].index)
    np.testing.assert_array_equal(alone[1].values, grids["temperature"].values)


def test_an_empty_volume_and_what_is_none(tmp_path):
    path = tmp_path / "empty.vdb"
    for half in (True, False):
        path.write_bytes(vt.Simulation(small_scene()).copy().volume(0.1).encode_vdb(half=half))
        assert len(vdb_files.read(path)["density"].index) > 0
    sim = vt.Simulation(small_scene())
    sim.tracers.remove(np.ones(sim.tracers.count, bool))
    path.write_bytes(sim.volume(0.1).encode_vdb())
    assert len(vdb_files.read(path)["density"].values) == 0
    older = b" BDV\0\0\0\0\xdf" + bytes(80)
    for content in (b"", b"PK\x03\x04" * 20, path.read_bytes()[:-1], older):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a whole volume"):
            vdb_files.read(path)


def one_leaf():
    """A volume of one leaf, packed, as a file; where the offsets of its grid and its root lie."""
    volume = vt._core.volume_from_tracers(
        position=[[50.75, 50.75, 50.75]], density=[1e-3], size=[0.1], voxel_size=0.1
    )
    content = bytes(volume.encode_vdb(half=False, compress=True))
    grids = vdb_files.decode(content)
    assert list(grids) == ["density"] and len(np.unique(grids["density"].index // 8, axis=0)) == 1
    kind = content.index(b"Tree_float_5_4_3") + len("Tree_float_5_4_3")
    offsets = kind + 4  # behind the name of the grid that it is an instance of, which is empty
    root = content.index(struct.pack("<2I", 0, 1), struct.unpack_from("<q", content, offsets)[0])
    return content, offsets, root + 8


def with_numbers(content, at, form, *numbers):
    changed = bytearray(content)
    struct.pack_into("<" + form, changed, at, *numbers)
    return bytes(changed)


def test_a_volume_that_would_be_read_for_ever_or_fill_the_memory_is_refused():
    content, offsets, root = one_leaf()
    start, values, end = struct.unpack_from("<3q", content, offsets)
    name = content.index(b"density") - 4
    assert struct.unpack_from("<I", content, name - 4) == (1,)  # grids
    many = with_numbers(content, name - 4, "I", 2**32 - 1)
    for wrong in ((start, values, name), (start, end, values), (name, values, end)):
        with pytest.raises(ValueError, match="out of order"):
            vdb_files.decode(with_numbers(many, offsets, "3q", *wrong))
    with pytest.raises(ValueError, match="not on its lattice"):
        vdb_files.decode(with_numbers(content, root, "3i", 2**31 - 1, 0, 0))
    mask = values + 64 + 1  # of the voxels, and the kind of the others
    (stored,) = struct.unpack_from("<q", content, mask)
    assert mask + 8 + stored == end
    packed = zlib.compress(bytes(10**8))
    large = content[:mask] + struct.pack("<q", len(packed)) + packed
    large = with_numbers(large, offsets, "3q", start, values, len(large))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="a leaf has"):
            vdb_files.decode(large)
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


# ---- velocity ----


def biot_savart(points, position, strength, core):
    """Gaussian cores: within r lies erf(s) - 2 s exp(-s^2) / sqrt pi of the vorticity of a vorton,
    s = r / (core sqrt 2)."""
    velocity = np.zeros((len(points), 3))
    for x, a, c in zip(position, strength, np.broadcast_to(core, len(position))):
        offset = points - x
        r = np.linalg.norm(offset, axis=1)
        s = r / (c * np.sqrt(2))
        share = np.array([erf(t) for t in s]) - 2 / np.sqrt(np.pi) * s * np.exp(-(s**2))
        velocity += (share / (4 * np.pi * r**3))[:, None] * np.cross(a, offset)
    return velocity


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(5).uniform(-1, 1, (40, 3))


def particles(sim):
    return [getattr(sim.vortons, name).astype(float) for name in ("position", "strength", "core")]


@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_the_judge_sums_own_cores(points, velocity):
    sim = simulation(tracers=0, method=vt.Method(velocity=velocity))
    sim.vortons.core[:50] *= 1.5
    sim.step(2)
    position, strength, core = particles(sim)
    exact = biot_savart(points, position, strength, core)
    found = exact_velocity(sim, points)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-12)
    tolerance = 1e-6 if velocity == "direct" else 2e-3
    assert np.abs(sim.velocity_at(points) - found).max() < tolerance * np.abs(found).max()


def test_the_judge_has_the_kernel_of_the_method(points):
    """The ball: inside it all vorticity lies evenly, outside of it the vorton is a point."""
    sim = simulation(vortons=20, tracers=0, method=vt.Method(velocity="direct", kernel="ball"))
    position, strength, core = particles(sim)
    exact = np.zeros((len(points), 3))
    for x, a, c in zip(position, strength, core):
        offset = points - x
        r = np.linalg.norm(offset, axis=1, keepdims=True)
        exact += np.cross(a, offset) / (4 * np.pi * np.maximum(r, c) ** 3)
    np.testing.assert_allclose(exact_velocity(sim, points), exact, rtol=1e-9, atol=1e-12)


def test_the_judge_of_the_grid_has_its_cores(points):
    """Those of the vortons, wider than a cell; the grid itself agrees within two percent."""
    sim = simulation(tracers=0, spacing=0.08)
    sim.step(2)
    position, strength, core = particles(sim)
    assert core.min() > sim.health.spacing
    exact = biot_savart(points, position, strength, core)
    found = exact_velocity(sim, points)
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-7)
    assert np.linalg.norm(sim.velocity_at(points) - found) < 0.02 * np.linalg.norm(found)


@pytest.mark.slow
def test_the_judge_has_the_winds(points):
    """A uniform wind that turns on, and a grid of wind that grows along x."""
    scene = vt.Scene("windy", wind=vt.Keys([(0, (0, 0, 0)), (1, (2, 0, 0))]))
    scene.add(vt.VortexRing(radius=0.5, core=0.1))
    x = np.arange(-8, 9, dtype=np.float32)
    blows = np.zeros((17, 17, 17, 3), np.float32)
    blows[..., 1] = 0.1 * x
    scene.add(vt.WindGrid(blows, origin=(-8, -8, -8), spacing=1))
    for velocity in ("poisson", "direct"):
        sim = vt.Simulation(scene, method=vt.Method(velocity=velocity), threads=1)
        sim.step(12)
        calm = biot_savart(points, *particles(sim)[:2], vt_cores(sim, velocity))
        wind = np.stack([np.ones(40), 0.1 * points[:, 0], np.zeros(40)], axis=1)
        np.testing.assert_allclose(exact_velocity(sim, points), calm + wind, rtol=1e-5, atol=1e-6)


def vt_cores(sim, velocity):
    return sim.health.spacing if velocity == "poisson" else sim.vortons.core.astype(float)


def test_the_judge_leaves_the_simulation_alone_and_knows_no_bodies(points):
    scene = vt.Scene("ball", wind=(1, 0, 0))
    scene.add(vt.VortexRing(radius=0.5, core=0.1))
    scene.add(vt.Body(vt.Sphere((0, 0, 1), 0.3), shedding=0))
    sim = vt.Simulation(scene, threads=1)
    sim.step(2)
    before = state(sim)
    found = exact_velocity(sim, points)
    assert state(sim) == before
    calm = biot_savart(points, *particles(sim)[:2], sim.health.spacing)
    np.testing.assert_allclose(found, calm + [1, 0, 0], rtol=1e-5, atol=1e-6)
    # potential flow around a ball: 1/2 (radius / r)^3 faster beside it, twice that slower ahead
    beside = np.array([[0, 0, 1.5], [0.5, 0, 1]])
    added = (sim.velocity_at(beside) - exact_velocity(sim, beside))[:, 0]
    np.testing.assert_allclose(added, [0.5 * 0.6**3, -(0.6**3)], atol=0.01)


def test_the_judge_of_nothing_and_bad_points(points):
    assert not exact_velocity(vt.Simulation(), points).any()
    assert exact_velocity(vt.Simulation(), np.zeros((0, 3))).shape == (0, 3)
    for bad in (np.zeros(3), [[np.nan, 0, 0]], None):
        with pytest.raises((ValueError, TypeError)):
            exact_velocity(vt.Simulation(), bad)
    with pytest.raises(TypeError, match="must be a Simulation"):
        exact_velocity(None, points)


# ---- scenes stepped once ----


def test_a_scene_is_stepped_once(monkeypatch):
    steps = []
    step = vt.Simulation.step
    monkeypatch.setattr(vt.Simulation, "step", lambda sim, n=1: (steps.append(n), step(sim, n)))
    stepped = Stepped()
    first, second = (stepped(small_scene(), 3, threads=1) for _ in range(2))
    assert steps == [3] and first is not second and first.frame == 3
    first.step()
    assert stepped(small_scene(), 3, threads=1).frame == 3
    shared = stepped(small_scene(), 3, threads=1, shared=True)
    assert shared is stepped(small_scene(), 3, threads=1, shared=True)
    further = stepped(small_scene(), 5, threads=1)
    assert steps == [3, 1, 2]
    alone = vt.Simulation(small_scene(), threads=1)
    step(alone, 5)
    assert state(further) == state(alone)
    stepped.clear()
    stepped(small_scene(), 3, threads=1)
    assert steps[3:] == [3]


@pytest.mark.slow
def test_other_settings_are_another_simulation(tmp_path):
    stepped = Stepped()
    path = tmp_path / "scene.json"
    small_scene().save(path)
    same = stepped(small_scene(), 1, shared=True)
    assert stepped(path, 1, shared=True) is same and stepped(str(path), 1, shared=True) is same
    others = [
        stepped(small_scene(seed=4), 1, shared=True),
        stepped(small_scene(), 1, 25, shared=True),
        stepped(small_scene(), 1, spacing=0.09, shared=True),
        stepped(small_scene(), 1, method=vt.Method(exchange=0), shared=True),
        stepped(small_scene(), 1, threads=1, shared=True),
        stepped(small_scene(), 2, shared=True),
    ]
    assert len({id(sim) for sim in [same, *others]}) == 7
    assert others[3].method.exchange == 0 and others[2].scene.spacing == 0.09
    scene = small_scene()
    stepped(scene, 1, spacing=0.09)
    assert scene.spacing is None
    with pytest.raises(ValueError, match="unknown key 'thickness'"):
        stepped(scene, 1, thickness=3)


def test_the_fixture_hands_out_the_same(stepped, request):
    assert isinstance(stepped, Stepped)
    assert stepped is request.getfixturevalue("stepped")


@pytest.mark.slow
def test_vorton_itself_needs_no_pytest():
    assert run_python("import sys, vorton, vorton.cli; print('pytest' in sys.modules)") == "False\n"


# ---- by pytest itself ----


def run_pytest(*arguments):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, arguments)]
    environment = {**os.environ, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=300
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_the_example_passes():
    status, text = run_pytest(EXAMPLE)
    assert status == 0 and "7 passed" in text and "warning" not in text, text


@pytest.mark.slow
def test_each_assert_fails_where_it_must(bakes, tmp_path):
    """A folder of tests as users have them: what each says stands in the report."""
    shutil.copytree(bakes / "b", tmp_path / "b")
    (tmp_path / "b" / "ring_0001.npz").unlink()
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["vorton.testing"]\n')
    (tmp_path / "test_shot.py").write_text(
        textwrap.dedent(
            f"""
            import vorton as vt
            from vorton.testing import assert_healthy, assert_same_bake, exact_velocity

            def far_away(stepped):
                scene = vt.Scene("far")
                scene.add(vt.VortexRing(center=(4e5, 0, 0), radius=0.5, core=0.1))
                return stepped(scene, 1)

            def test_health(stepped):
                assert_healthy(far_away(stepped))

            def test_bake():
                assert_same_bake({str(bakes / "a")!r}, "b")

            def test_velocity(stepped):
                sim = far_away(stepped)
                points = sim.vortons.position + 0.1
                error = abs(sim.velocity_at(points) - 2 * exact_velocity(sim, points)).max()
                assert error < 0.01

            def test_that_passes(stepped):
                assert far_away(stepped).frame == 1
            """
        )
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
    )  # fmt: skip
    text = done.stdout
    assert done.returncode == 1 and "3 failed, 1 passed" in text, text + done.stderr
    assert "simulation 'far' is not healthy" in text
    assert re.search(r"rounding is 0\.\d+ in frame 1, above 0\.1: .*; move the scene towards", text)
    assert f"{Path('b') / 'ring_0001.npz'} is missing" in text
    assert "assert error < 0.01" in text
    assert "vorton/testing.py" not in text  # the lines of the user alone


def test_copies_of_scenes_are_no_new_scenes():
    stepped = Stepped()
    scene = small_scene()
    assert stepped(scene, 1, shared=True) is stepped(copy.copy(scene), 1, shared=True)
