"""vorton.hosts.blender in Blender: what it loads, the nodes that it makes, a small picture.

Needs VORTON_BLENDER_PYTHON as tests/test_vdb.py does; without it these tests are skipped. What
needs no Blender is tested everywhere.
"""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from with_blender import blender_python, environment_of

from vorton import _core
from vorton.hosts import blender

SCRIPT = Path(__file__).resolve().parent / "hosts" / "load_fire.py"
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "blender_campfire.py"
VOXEL = 0.05


def column_of(count=60_000, seed=4):
    """A column 1 m wide and 3 m high: it burns below, and is smoke above."""
    random = np.random.default_rng(seed)
    around, out, up = random.random((3, count))
    position = np.stack(
        [
            0.5 * np.sqrt(out) * np.cos(2 * np.pi * around),
            0.5 * np.sqrt(out) * np.sin(2 * np.pi * around),
            3 * up,
        ],
        1,
    )
    unburnt = np.clip(1.5 - 1.2 * position[:, 2], 0, 1)
    return {
        "position": position,
        "density": np.full(count, 2.4 / count),
        "size": np.full(count, (2.36 / count) ** (1 / 3)),
        "temperature": 300 + 1200 * np.exp(-position[:, 2]),
        "fuel": 0.3 * unburnt,
        "flame": 0.2 * unburnt,
        "smoke": 0.5 * (1 - unburnt),
    }


def write_frames(folder, numbers):
    volume = _core.volume_from_tracers(**column_of(), voxel_size=VOXEL, velocity=np.ones_like)
    folder.mkdir(exist_ok=True)
    (folder / "still.vdb").write_bytes(volume.encode_vdb(velocity_name="vel"))
    for number in numbers:
        path = folder / f"fire_{number:04d}.vdb"
        path.write_bytes(volume.encode_vdb(heat_name="heat", compress=False))
    return volume


@pytest.fixture(scope="module")
def in_blender(tmp_path_factory):
    """Runs a script in Blender: run(script, *arguments), its output."""
    python, environment = blender_python(), environment_of(tmp_path_factory.mktemp("library"))

    def run(script, *arguments):
        done = subprocess.run(
            [python, str(script), *map(str, arguments)],
            check=False,
            capture_output=True,
            text=True,
            env=environment,
        )
        return done.stdout + done.stderr

    return run


@pytest.fixture(scope="module")
def found(in_blender, tmp_path_factory):
    folder = tmp_path_factory.mktemp("blender")
    write_frames(folder / "bake", (7, 8, 9))
    result, picture = folder / "result.json", folder / "picture.png"
    output = in_blender(SCRIPT, result, folder / "bake", picture, "48x96", 12, 1)
    assert result.exists(), output
    return json.loads(result.read_text()), picture


@pytest.mark.slow
def test_sequence_plays_where_it_was_asked_to(found):
    report, _ = found
    assert report["sequence"] == [True, 101, 3, "CLIP"]
    assert report["velocity"] == ["velocity", "SECOND"]
    assert report["vel"] == "vel"
    assert report["frames"] == {
        "100": None,
        "101": "fire_0007.vdb",
        "102": "fire_0008.vdb",
        "103": "fire_0009.vdb",
        "104": None,
    }


def test_look_is_measured(found):
    """From columns along X and Y, of the volume itself."""
    volume = _core.volume_from_tracers(**column_of(), voxel_size=VOXEL)
    box = (-15, -15, -5), (31, 31, 75)
    glow = volume.values("glow", *box).astype(float)
    values = volume.density(*box).astype(float), glow * ((700 + 1700 * glow) / 2000) ** 4
    for strength, typical, dense in zip(found[0]["look"], (9, 1), values, strict=True):
        columns = VOXEL * np.concatenate([dense.sum(1).ravel(), dense.sum(2).ravel()])
        high = np.percentile(columns[columns > 1e-3 * columns.max()], 95)
        assert strength == pytest.approx(typical / high, rel=0.01)


def test_nodes(found):
    nodes = found[0]["nodes"]
    density, emission = found[0]["look"]
    volume = next(n for n in nodes.values() if n["kind"] == "ShaderNodeVolumePrincipled")
    assert volume["inputs"]["Density"] == pytest.approx(density)
    assert volume["inputs"]["Color"] == pytest.approx([0.45, 0.45, 0.45, 1])
    assert volume["inputs"]["Anisotropy"] == pytest.approx(0.2)
    assert volume["inputs"]["Blackbody Intensity"] == 0
    assert volume["linked"] == ["Emission Color", "Emission Strength"]
    assert nodes["emission"]["values"][1] == pytest.approx(emission)
    assert nodes["kelvin"]["values"][1:] == [1700, 700]
    assert nodes["kelvin / 2000"]["values"][1] == 2000 and nodes["power"]["values"][1] == 4
    kinds = [node["kind"] for node in nodes.values()]
    assert kinds.count("ShaderNodeBlackbody") == kinds.count("ShaderNodeAttribute") == 1
    smoke = found[0]["smoke"]
    volume = next(n for n in smoke.values() if n["kind"] == "ShaderNodeVolumePrincipled")
    assert volume["inputs"]["Density"] == 7 and volume["linked"] == []
    assert volume["inputs"]["Color"] == pytest.approx([0.9, 0.9, 0.9, 1])


def test_colour_management_only_when_asked(found):
    assert found[0]["unchanged"]
    assert found[0]["filmic"][0] == "Filmic" and "High Contrast" in found[0]["filmic"][1]


def test_flame_is_bright_and_redder_than_smoke(found):
    image = pytest.importorskip("PIL.Image")
    picture = np.asarray(image.open(found[1]).convert("RGB")).astype(float)
    middle = picture[:, 20:28].mean(1)
    flame, smoke = middle[55:75].mean(0), middle[15:30].mean(0)
    assert flame.max() > 120 and smoke.max() > 15
    assert flame[0] > 1.5 * flame[2]  # red over blue
    assert flame[0] / flame[2] > 1.3 * smoke[0] / smoke[2]


@pytest.mark.slow
def test_motion_blur_is_as_wide_as_speed_and_shutter_say(in_blender, tmp_path):
    """A ball of thin smoke at 24 m/s, half a frame open: a box filter as wide as its way adds a
    twelfth of its square to the variance along it."""
    random, count, speed, shutter = np.random.default_rng(1), 60_000, 24.0, 0.5
    place = random.normal(size=(count, 3))
    place *= (0.4 * random.random(count) ** (1 / 3) / np.linalg.norm(place, axis=1))[:, None]
    volume = _core.volume_from_tracers(
        position=place,
        density=np.full(count, 1 / count),
        size=np.full(count, (0.268 / count) ** (1 / 3)),
        voxel_size=0.04,
        velocity=lambda points: np.tile(np.float32([speed, 0, 0]), (len(points), 1)),
    )
    (tmp_path / "smoke.vdb").write_bytes(volume.encode_vdb())
    result = tmp_path / "result.json"
    output = in_blender(SCRIPT.parent / "blur_smoke.py", result, tmp_path, shutter)
    assert result.exists(), output
    report = json.loads(result.read_text())
    variances = []
    for key in ("still", "blurred"):
        opacity = np.array(report[key])
        x = (np.arange(len(opacity)) + 0.5) * 4 / len(opacity) - 2
        middle = opacity @ x / opacity.sum()
        assert abs(middle) < 0.03  # the frame is in the middle of the shutter
        variances.append(opacity @ (x - middle) ** 2 / opacity.sum())
    width = np.sqrt(12 * (variances[1] - variances[0]))
    assert width == pytest.approx(speed * shutter / report["fps"], rel=0.05)


def test_campfire_example(in_blender, tmp_path):
    """Fire above dark ground at frame 2 of 2 that are baked, and nothing at the next."""
    image = pytest.importorskip("PIL.Image")
    write_frames(tmp_path / "bake", (1, 2))
    arguments = "--frames", "2-3", "--size", "32x48", "--samples", "16"
    output = in_blender(EXAMPLE, "--", tmp_path / "bake", tmp_path / "out", *arguments)
    pictures = sorted((tmp_path / "out").glob("*"))
    assert [path.name for path in pictures] == ["0002.png", "0003.png"], output
    fire, night = (np.asarray(image.open(path).convert("RGB")).astype(int) for path in pictures)
    assert fire.shape == night.shape == (48, 32, 3)
    assert fire[28:38, 12:20].mean((0, 1))[0] > 150 and fire[28:38, 12:20, 0].min() > 100
    assert np.abs(fire - night)[:, :3].max() < 20 and night.max() < 40


# ---- without Blender ----


def test_sequences_are_found(tmp_path):
    for number in (3, 4, 5):
        (tmp_path / f"a_{number:04d}.vdb").touch()
    sequence = blender.find_sequence(tmp_path)
    assert sequence.first == 3
    assert [path.name for path in sequence.files] == ["a_0003.vdb", "a_0004.vdb", "a_0005.vdb"]
    assert blender.find_sequence(tmp_path / "a_0004.vdb") == sequence
    (tmp_path / "b_0001.vdb").touch()
    with pytest.raises(ValueError, match="a_, b_"):
        blender.find_sequence(tmp_path)
    (tmp_path / "a_0007.vdb").touch()
    with pytest.raises(ValueError, match="frame 6 of a_ is missing"):
        blender.find_sequence(tmp_path / "a_0003.vdb")
    (tmp_path / "alone.vdb").touch()
    assert blender.find_sequence(tmp_path / "alone.vdb").files == (tmp_path / "alone.vdb",)
    with pytest.raises(FileNotFoundError, match="no numbered"):
        (tmp_path / "empty").mkdir()
        blender.find_sequence(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="no such file"):
        blender.find_sequence(tmp_path / "c_0001.vdb")
