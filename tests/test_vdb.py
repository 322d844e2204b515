"""Files that vt_encode_vdb makes, read by OpenVDB and by Blender.

Both come with the bpy wheel. Set VORTON_BLENDER_PYTHON to a Python that can import bpy 4.5 or later
(python3.11 -m venv V; V/bin/pip install 'bpy==4.5.*'); without it these tests are skipped. With bpy
4.2, which has no module of OpenVDB, those of what Blender shows run.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from marks import slow_but
from volumes import INVALID_ARGUMENT, Volume, VolumeError

import vorton as vt

H = 0.05
CENTER = np.array([1.0, -2.0, 0.5])
FAR = [(x * H, y * H, z * H)  # in leaves and nodes on both sides of 0, 128, -4096 and 4096 voxels
       for x in (-20, 3) for y in (-20, 3) for z in (-4100, 125, 4100)]
MARGIN = 2.5
READER = Path(__file__).resolve().parent / "hosts" / "read_vdb.py"


def flow(points):
    return points * np.float32([1, -2, 3]) + np.float32([0.25, 0, -7])


def ball(center, count=4000, seed=3):
    """Tracers in a ball of radius 8 voxels, each with its own mass."""
    random = np.random.default_rng(seed)
    direction = random.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    position = center + 8 * H * direction * random.uniform(0, 1, (count, 1)) ** (1 / 3)
    return (position.astype(np.float32), random.uniform(1e-5, 1e-4, count).astype(np.float32),
            np.full(count, H, np.float32))


def far_balls():
    parts = [ball(np.array(center), 500, seed) for seed, center in enumerate(FAR)]
    return tuple(np.concatenate(arrays) for arrays in zip(*parts))


def no_tracers():
    return np.zeros((0, 3)), [], []


SCENES = {"ball": lambda: ball(CENTER), "far": far_balls, "empty": no_tracers}
ENCODINGS = {f"{'half' if half else 'float'}-{'zip' if zipped else 'raw'}":
             {"half": half, "compress": zipped} for half in (0, 1) for zipped in (0, 1)}
FILES = {f"{scene}-{encoding}": (scene, options)
         for scene in SCENES for encoding, options in ENCODINGS.items()}
FILES["density-alone"] = ("ball", {"velocity_name": None})
FILES["other-names"] = ("ball", {"density_name": "Rauch 1", "velocity_name": "vel"})
FILES["nothing"] = ("ball", {"density_name": None, "velocity_name": None})
FILES["without-velocity"] = ("still", {})
FILES |= {f"fire-{name}": ("fire", {**options, "heat_name": "heat", "fuel_name": "Brennstoff"})
          for name, options in ENCODINGS.items()}
FILES["warm-float-raw"] = ("warm", {**ENCODINGS["float-raw"], "heat_name": "heat"})
FILES["fire-empty"] = ("cold ashes", {})
FIRE = ["density", "velocity", "temperature", "heat", "flame", "Brennstoff"]
AMBIENT = 288.0


def fire(count=4000):
    random = np.random.default_rng(5)
    shares = random.dirichlet((1, 1, 1, 2), count)
    shares[ball(CENTER, count)[0][:, 0] > CENTER[0], :2] = 0  # on one side nothing burns
    return {"temperature": random.uniform(300, 2800, count), "fuel": shares[:, 0],
            "flame": shares[:, 1], "smoke": shares[:, 2], "ambient_temperature": AMBIENT}


def make_volume(scene, **options):
    if scene == "fire":
        return Volume(*ball(CENTER), H, velocity=flow, margin=MARGIN, **fire(), **options)
    if scene == "warm":
        return Volume(*ball(CENTER), H, velocity=flow, ambient_temperature=AMBIENT,
                      temperature=fire()["temperature"], **options)
    if scene == "cold ashes":
        return Volume(*no_tracers(), H, velocity=flow, **fire(0), **options)
    velocity = None if scene == "still" else flow
    arrays = SCENES["ball" if scene == "still" else scene]()
    return Volume(*arrays, H, velocity=velocity, margin=MARGIN, **options)


@pytest.fixture(scope="module")
def volumes():
    return {scene: make_volume(scene) for scene in (*SCENES, "still", "fire", "warm", "cold ashes")}


@pytest.fixture(scope="module")
def simulation():
    """A ring that has carried smoke along for some frames."""
    scene = vt.Scene("ring")
    scene.add(vt.VortexRing(radius=0.5, core=0.1, circulation=2.0))
    scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.1), count=20_000))
    sim = vt.Simulation(scene, fps=24)
    sim.step(3)
    return sim


@pytest.fixture(scope="module")
def others(simulation):
    """A ring around a ball in a wind, one between the walls of a room, one on a grid of second
    order, and smoke that lies partly outside the grid."""
    found = {}
    for name in ("ball", "room", "second", "far"):
        method = vt.Method(order="second") if name == "second" else vt.Method()
        scene = vt.Scene(name, method=method, wind=(0.5, 0, 0) if name == "ball" else (0, 0, 0))
        scene.add(vt.VortexRing(radius=0.5, core=0.1, circulation=2.0))
        wide = 0.5 if name == "far" else 0.1
        scene.add(vt.Tracers(vt.Torus(radius=0.6, thickness=wide), count=20_000))
        if name == "ball":
            scene.add(vt.Body(vt.Sphere(radius=0.35)))
        if name == "room":
            scene.add(vt.Container(vt.Box((-1.1, -1, -0.6), (1.1, 1, 0.6))))
        found[name] = vt.Simulation(scene, fps=24)
        found[name].step(3)
    return found


@pytest.fixture(scope="module")
def python():
    """Of the host: asked for before there are files for it to read."""
    found = os.environ.get("VORTON_BLENDER_PYTHON")
    if not found:
        pytest.skip("VORTON_BLENDER_PYTHON is not set: no Blender to read the files")
    if not Path(found).exists():
        pytest.skip(f"VORTON_BLENDER_PYTHON: {found} does not exist")
    return found


@pytest.fixture(scope="module")
def read(python, volumes, simulation, others, tmp_path_factory):
    """What the host says of all files, and the voxels that it read."""
    folder = tmp_path_factory.mktemp("vdb")
    for name, (scene, options) in FILES.items():
        (folder / f"{name}.vdb").write_bytes(volumes[scene].encode(**options))
    stepped = {"simulation": simulation, **others}
    for name, sim in stepped.items():
        (folder / f"{name}.vdb").write_bytes(sim.volume(H).encode_vdb(half=False, compress=False))
    sequence = [folder / "sequence" / f"smoke_{frame:04d}.vdb" for frame in (1, 2, 3)]
    sequence[0].parent.mkdir()
    for frame, path in enumerate(sequence):
        path.write_bytes(Volume(*ball(CENTER + [0, 0, frame]), H, velocity=flow).encode())
    result = folder / "result.npz"
    done = subprocess.run([python, str(READER), str(result),
                           *(str(folder / f"{name}.vdb") for name in (*FILES, *stepped)),
                           "--sequence", *map(str, sequence)],
                          check=False, capture_output=True, text=True)
    assert result.exists(), done.stdout + done.stderr  # the exit status may tell of other things
    arrays = np.load(result)
    report = json.loads(str(arrays["report"]))
    files = dict(zip((*FILES, *stepped), report["files"]))
    for number, entry in enumerate(files.values()):
        for g, grid in enumerate(entry["openvdb"]["grids"] if entry["openvdb"] else ()):
            grid["index"] = arrays[f"index_{number}_{g}"]
            grid["values"] = arrays[f"values_{number}_{g}"]
    return {"files": files, "sequence": report["sequence"]}


def by_openvdb(read, name):
    """What OpenVDB says of a file."""
    found = read["files"][name]["openvdb"]
    if found is None:
        pytest.skip("this Blender brings no module of OpenVDB")
    return found


def grids_of(read, name):
    return {grid["name"]: grid for grid in by_openvdb(read, name)["grids"]}


def names_in(name):
    """Names of the grids of a file, and that of the velocity."""
    scene, options = FILES[name]
    names = [options.get("density_name", "density"), options.get("velocity_name", "velocity")]
    if scene == "still":
        names[1] = None
    if scene == "fire":
        names = FIRE
    if scene == "warm":
        names = FIRE[:4]
    if scene == "cold ashes":
        names = ["density", "velocity", "temperature", "flame", "fuel"]
    return [name for name in names if name], names[1]


def stored(values, name):
    return values.astype(np.float16).astype(np.float32) if "half" in name else values


STEPS = (2**42, 2**21, 1)


def codes(index):
    """Voxels as sorted numbers, each once; one voxel along an axis is a step of STEPS."""
    return np.unique((index.astype(np.int64) + 2**20) @ STEPS)


# ---- OpenVDB ----

@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_names_types_and_metadata(read, volumes, name):
    options, file = FILES[name][1], by_openvdb(read, name)
    assert file["metadata"] == {"creator": "vorton 0.1.0"}
    names, velocity = names_in(name)
    assert sorted(grid["name"] for grid in file["grids"]) == sorted(names)
    for grid in file["grids"]:
        is_scalar = grid["name"] != velocity
        assert grid["type"] == ("float" if is_scalar else "vec3s")
        assert grid["class"] == ("fog volume" if is_scalar else "unknown")
        assert grid["vector_type"] == ("invariant" if is_scalar else "contravariant relative")
        assert grid["creator"] == "vorton 0.1.0"
        assert grid["half"] == bool(options.get("half", True))
        background = AMBIENT if grid["name"] == "temperature" else 0
        assert np.all(np.array(grid["background"]) == background)
        assert grid["metadata"]["file_voxel_count"] == grid["active"]
        if grid["active"]:
            assert grid["metadata"]["file_bbox_min"] == grid["low"]
            assert grid["metadata"]["file_bbox_max"] == grid["high"]


@pytest.mark.parametrize("name", FILES)
def test_transform(read, name):
    for grid in by_openvdb(read, name)["grids"]:
        assert grid["transform"] == "UniformScaleTranslateMap" and grid["uniform"]
        assert grid["origin"] == [0, 0, 0]
        assert np.allclose(grid["corner"], [H, 2 * H, 3 * H], rtol=1e-15)


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith(("ball", "far"))])
def test_every_density_voxel(read, volumes, name):
    volume = volumes[FILES[name][0]]
    grid = grids_of(read, name)["density"]
    low, shape = np.array(grid["low"]), np.array(grid["high"]) - grid["low"] + 1
    info = volume.info
    assert grid["active"] == info.active_voxels and grid["leaves"] == info.leaves
    assert np.allclose((low - 0.5) * H, info.lower)
    assert np.allclose((low + shape - 0.5) * H, info.upper)
    dense = volume.density(low, shape)
    expected = dense[tuple((grid["index"] - low).T)]
    assert len(codes(grid["index"])) == np.count_nonzero(dense) == grid["active"]
    assert (expected > 0).all() and grid["tiles"] == 0
    assert np.array_equal(grid["values"], stored(expected, name))


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith(("ball", "far"))])
def test_every_velocity_voxel(read, name):
    density, velocity = (grids_of(read, name)[g] for g in ("density", "velocity"))
    radius = 3  # MARGIN, rounded up
    reached = codes(density["index"])
    for step in STEPS:
        reached = np.unique(reached[:, None] + step * np.arange(-radius, radius + 1))
    assert np.array_equal(codes(velocity["index"]), reached)
    assert len(velocity["index"]) == velocity["active"] > density["active"]
    expected = flow((H * velocity["index"].astype(np.float64)).astype(np.float32))
    assert np.array_equal(velocity["values"], stored(expected, name))


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("fire-")][:-1])
def test_every_voxel_of_what_tracers_carry(read, volumes, name):
    grids = grids_of(read, name)
    low = np.array(grids["density"]["low"])
    shape = np.array(grids["density"]["high"]) - low + 1
    at = tuple((grids["density"]["index"] - low).T)
    fields = {FIRE[2]: "temperature", FIRE[3]: "glow", FIRE[4]: "flame", FIRE[5]: "fuel"}
    for grid, field in fields.items():
        values = stored(volumes["fire"].values(field, low, shape)[at], name)
        shown = np.ones(len(values), bool) if field == "temperature" else values != 0
        assert np.array_equal(grids[grid]["index"], grids["density"]["index"][shown])
        assert np.array_equal(grids[grid]["values"], values[shown])
        assert shown.mean() == 1 if field == "temperature" else 0.5 < shown.mean() < 0.98
    assert grids["heat"]["values"].max() > 0.5


def test_without_flame_what_is_hot_glows(read):
    grids = grids_of(read, "warm-float-raw")
    temperature = grids["temperature"]["values"]
    assert temperature.min() < 800 and temperature.max() > 2000
    wanted = np.clip((temperature - 800) / 1700, 0, 1)
    hot = wanted > 0
    assert not hot.all()
    assert np.array_equal(grids["heat"]["index"], grids["temperature"]["index"][hot])
    assert np.abs(grids["heat"]["values"] - wanted[hot]).max() < 1e-6


def test_far_leaves_lie_in_several_nodes(read):
    grid = grids_of(read, "far-float-raw")["density"]
    assert grid["low"][2] < -4096 and grid["low"][0] < 0 < grid["high"][0]
    assert grid["high"][2] > 4096


@pytest.mark.parametrize("name", ENCODINGS)
def test_empty_volume(read, name):
    for grid in grids_of(read, f"empty-{name}").values():
        assert (grid["active"], grid["leaves"]) == (0, 0)


def test_centroid_is_that_of_the_tracers(read):
    position, density, _ = ball(CENTER)
    centroid = (position.astype(float) * density[:, None]).sum(0) / density.sum(dtype=float)
    for name in ENCODINGS:
        grid = grids_of(read, f"ball-{name}")["density"]
        weight = grid["values"].astype(float)
        found = H * (grid["index"] * weight[:, None]).sum(0) / weight.sum()
        assert np.abs(found - centroid).max() < 0.01 * H


def test_volume_of_a_simulation(read, simulation):
    density, velocity = (grids_of(read, "simulation")[g] for g in ("density", "velocity"))
    tracers = simulation.tracers
    mass = tracers.density.sum(dtype=float)
    found = density["values"].sum(dtype=float) * H**3
    assert abs(found / mass - 1) < 1e-6
    centroid = (tracers.position * tracers.density.astype(float)[:, None]).sum(0) / mass
    weight = density["values"].astype(float)[:, None]
    assert np.abs(H * (density["index"] * weight).sum(0) / weight.sum() - centroid).max() < 0.01 * H
    check_velocity(velocity, simulation)


def check_velocity(grid, sim):
    points = (H * grid["index"].astype(np.float64)).astype(np.float32)
    wanted = sim.velocity_at(points)
    assert np.abs(wanted).max() > 1
    # sums of the same splines, in another order
    assert np.abs(grid["values"] - wanted).max() <= 4e-6 * np.abs(wanted).max()


@pytest.mark.parametrize("name", ["ball", "room", "second", "far"])
def test_velocity_where_the_nodes_alone_do_not_give_it(read, others, name):
    check_velocity(grids_of(read, name)["velocity"], others[name])


# ---- Blender ----

@pytest.mark.parametrize("name", FILES)
def test_blender_loads(read, name):
    blender = read["files"][name]["blender"]
    names, velocity = names_in(name)
    frame = blender["frames"][0]
    assert not blender["is_sequence"] and blender["location"] == [0, 0, 0]
    assert frame["loaded"] and frame["error"] == ""
    assert sorted(grid["name"] for grid in frame["grids"]) == sorted(names)
    if by_reader := read["files"][name]["openvdb"]:  # Blender keeps the order of the file
        in_file = [grid["name"] for grid in by_reader["grids"]]
        assert [grid["name"] for grid in frame["grids"]] == in_file
    for seen in frame["grids"]:
        kind = ("VECTOR_FLOAT", 3) if seen["name"] == velocity else ("FLOAT", 1)
        assert (seen["type"], seen["channels"]) == kind
        assert np.allclose(seen["matrix"], np.diag([H, H, H, 1]), rtol=1e-6)


def test_blender_finds_the_velocity(read):
    assert read["files"]["ball-half-zip"]["blender"]["velocity_grid"] == "velocity"


def shows_ball(bounds, center, reach):
    """Blender's bounds are those of the leaves of the ball (to one voxel: versions differ)."""
    low, high = (8 * np.floor((center + sign * reach) / H / 8) for sign in (-1, 1))
    return (np.abs(np.array(bounds[0]) / H - low).max() <= 1
            and np.abs(np.array(bounds[1]) / H - (high + 7)).max() <= 1)


def test_blender_shows_it_where_the_emitter_is(read):
    frame = read["files"]["density-alone"]["blender"]["frames"][0]
    assert shows_ball(frame["bounds"], CENTER, 9.5 * H)


def test_blender_finds_the_sequence(read):
    sequence = read["sequence"]
    assert sequence["is_sequence"] and sequence["objects"] == 1
    assert (sequence["frame_start"], sequence["frame_duration"]) == (1, 3)
    for number, frame in enumerate(sequence["frames"]):
        assert frame["loaded"] and frame["error"] == ""
        assert [grid["name"] for grid in frame["grids"]] == ["density", "velocity"]
        assert shows_ball(frame["bounds"], CENTER + [0, 0, number], 12.5 * H)


# ---- without a host ----

@pytest.mark.parametrize("name", slow_but(list(FILES)[::4], FILES))
def test_same_input_same_bytes(volumes, name):
    scene, options = FILES[name]
    expected = volumes[scene].encode(**options)
    assert volumes[scene].encode(**options) == expected
    for threads in (1, 2, 8):
        assert make_volume(scene, threads=threads).encode(**options) == expected


def test_the_identifier_follows_the_content(volumes):
    identifiers = {volume.encode()[21:57] for volume in volumes.values()}
    assert len(identifiers) == len(volumes)
    for text in identifiers:
        assert [len(part) for part in text.split(b"-")] == [8, 4, 4, 4, 12]


def test_compression_shrinks_the_file(volumes):
    sizes = {name: len(volumes["ball"].encode(**options)) for name, options in ENCODINGS.items()}
    assert sizes["half-zip"] < sizes["half-raw"] < sizes["float-raw"]
    assert sizes["float-zip"] < sizes["float-raw"]


def test_a_value_too_large_for_half_is_refused():
    position, density, size = ball(CENTER, count=100)
    volume = Volume(position, density * 1e6, size, H)
    with pytest.raises(VolumeError, match="grid density holds .*; half floats end at 65504"):
        volume.encode()
    assert len(volume.encode(half=False)) > 1000


@pytest.mark.parametrize("options, message", [
    ({"density_name": ""}, "density_name must have 1 .. 255 bytes, got 0"),
    ({"velocity_name": "v" * 256}, "velocity_name must have 1 .. 255 bytes, got 256"),
    ({"density_name": "a\x1e1"}, "density_name must not hold control characters, got 30"),
    ({"density_name": "velocity"}, "must differ, both are velocity"),
    ({"fuel_name": "flame"}, "flame_name and fuel_name must differ, both are flame"),
    ({"heat_name": ""}, "heat_name must have 1 .. 255 bytes, got 0"),
])
def test_bad_names_are_refused(volumes, options, message):
    with pytest.raises(VolumeError) as error:
        volumes["ball"].encode(**options)
    assert error.value.status == INVALID_ARGUMENT and message in str(error.value)
