"""The extension for Blender: what a scene becomes, what bakes are, the zip; by Blender itself.

Needs VORTON_BLENDER_PYTHON as tests/test_blender.py does; what needs no Blender is tested
everywhere.
"""

import dataclasses
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path

import numpy as np
import pytest
from extensions import PLATFORM, load_builder, write_addon, write_wheel
from marks import SANITIZED
from with_blender import blender_python, environment_of

import vorton as vt
from vorton import Manifest, _core
from vorton.archive.scene_files import ScriptError
from vorton.cli import make_parser
from vorton.files import vdb_files
from vorton.hosts import meshes, poses
from vorton.hosts.blender import (
    effectors,
    firelight,
    live,
    measure_look,
    presence,
    roles,
    stage,
)
from vorton.hosts.blender.export import Export
from vorton.hosts.blender.job import Job
from vorton.scenes.forces import EFFECTS
from vorton.scenes.scene import OF_SIMULATION

SCRIPT = Path(__file__).resolve().parent / "hosts" / "use_extension.py"
EXAMPLES = SCRIPT.parents[2] / "examples"


def command_of(folder, what, place, library=True):
    """The command that runs tests/hosts/use_extension.py in Blender, and its environment."""
    environment = environment_of(folder, library)
    command = [blender_python(), SCRIPT, what, folder / "result.json", place, folder]
    return list(map(str, command)), environment


def run_in_blender(folder, what, place, library=True):
    """The report of tests/hosts/use_extension.py."""
    command, environment = command_of(folder, what, place, library)
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, timeout=300
    )
    result = folder / "result.json"
    assert result.exists(), done.stdout + done.stderr
    return json.loads(result.read_text()) | {"status": done.returncode}


@pytest.fixture(scope="module")
def addons(tmp_path_factory):
    folder = tmp_path_factory.mktemp("addons")
    write_addon(folder)
    return folder


@pytest.fixture(scope="module")
def scenes(addons, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scenes")
    return run_in_blender(folder, "scene", addons), folder


@pytest.fixture(scope="module")
def bodies(addons, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bodies")
    return run_in_blender(folder, "bodies", addons)


@pytest.fixture(scope="module")
def bakes(addons, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bäkes with blanks")
    return run_in_blender(folder, "bake", addons), folder


# ---- scenes ----


@pytest.mark.slow
def test_it_leaves_nothing_behind(scenes):
    report, _ = scenes
    assert report["before"] == report["after"] == [] and report["status"] == 0
    assert {"VORTON_OT_bake", "VORTON_PT_object", "Object", "Scene"} <= set(report["there"])
    assert any("bakes" in text for text in report["there"])


SAME = {"campfire", "plume", "warm_ball", "warm_dye"}  # without a transform
AS_BEFORE = ("ring", "jet", pytest.param("fire_and_spheres", marks=pytest.mark.slow))


def test_presets_come_back(scenes, addons):
    """From a scene to objects of Blender and back: every example but those that are said not to be
    presets."""
    names = {path.stem for path in (addons / "vorton_extension" / "presets").iterdir()}
    examples = {path.stem for path in EXAMPLES.glob("*.py") if not path.stem.startswith("test_")}
    assert set(load_builder().NOT_ALONE) < examples
    assert names == examples - set(load_builder().NOT_ALONE)
    assert set(SAME) < names
    for name in names:
        there = vt.Scene.load(addons / "vorton_extension" / "presets" / f"{name}.json")
        back = vt.Scene.load(scenes[1] / f"{name}.json")
        assert name not in SAME or back == there, name
        kinds = [[type(item) for item in scene.sources] for scene in (there, back)]
        assert len(there.bodies) == len(back.bodies) and len(there.effects) == len(back.effects)
        assert sorted(map(str, kinds[0])) == sorted(map(str, kinds[1])), name


@pytest.mark.parametrize(
    ("text", "said"),
    [("import nowhere\n", "line 1: ModuleNotFoundError"), ("x = 1\n", "broken.py: makes no scene")],
)
def test_an_example_that_makes_no_scene_ends_the_making_of_the_extension(tmp_path, text, said):
    builder = load_builder()
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "broken.py").write_text(text)
    builder.ROOT = tmp_path
    with pytest.raises((TypeError, ScriptError), match=said):
        builder.write_presets(tmp_path / "presets")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit, match=said):
        patch.setattr(sys, "argv", ["extension.py", "--named", "--folder", str(tmp_path / "made")])
        builder.main()
    assert not (tmp_path / "made").exists()


@pytest.mark.slow
def test_presets_bake_the_smoke_that_they_have(addons, tmp_path):
    """Three frames of each in Blender; as much smoke as its scene has outside of it."""
    report = run_in_blender(tmp_path, "presets", addons)
    for name in ("campfire", "explosion", "plume", "ring"):
        found = report[name]
        assert (found["frames"], found["file"]) == (3, f"{name}_0003.vdb"), name
        burns = name in ("campfire", "explosion")
        assert ({"flame", "heat", "temperature"} <= set(found["grids"])) == burns, name
        scene = vt.Scene.load(addons / "vorton_extension" / "presets" / f"{name}.json")
        vt.bake(scene, tmp_path / "out" / name, frames=(3, 3), tracers=False, progress=False)
        [path] = (tmp_path / "out" / name).glob("*.vdb")
        grid = vdb_files.read(path, ["density"])["density"]
        smoke = grid.values.sum(dtype=float) * grid.voxel**3
        assert found["smoke"] == pytest.approx(smoke, rel=0.05) and smoke > 0, name


@pytest.mark.parametrize("name", AS_BEFORE)
def test_presets_do_what_they_did(scenes, addons, name):
    """The same particles but for rounding, in spite of turned axes and transforms."""
    paths = addons / "vorton_extension" / "presets" / f"{name}.json", scenes[1] / f"{name}.json"
    data = [{**vt.Scene.load(path).to_dict(), "voxel": 0.08} for path in paths]
    sims = [vt.Simulation(vt.Scene.from_dict(scene)) for scene in data]
    for sim in sims:
        sim.method = dataclasses.replace(sim.method, rounding=0)  # to either side by chance
        sim.step(2)
    for kind in ("vortons", "tracers"):
        there, back = (np.array(getattr(sim, kind).position) for sim in sims)
        assert len(there) and there.shape == back.shape
        assert np.abs(there - back).max() < 1e-5


def test_keyframes_and_drivers_become_tracks(scenes):
    report = scenes[0]["animated"]
    assert report["refused"] and report["frame"] == 7  # what cannot change; where the scene was
    scene = vt.Scene.from_dict(report["scene"])
    fire, fps = scene.sources[0], 30 / 1.001
    assert report["fps"] == pytest.approx(fps, rel=1e-12)
    assert fire.temperature.at(0) == 600 and fire.temperature.at(10 / fps) == 900
    assert fire.temperature.at(5 / fps) == pytest.approx(750)  # a curve of Bezier, by symmetry
    assert fire.temperature.at(2 / fps) < 660  # which begins flat
    assert fire.fuel.values == pytest.approx((0.1, 0.2, 0.3, 0.4, 0.5), rel=1e-6)
    assert fire.parent.position.at(0) == (1, 0, 0)
    assert fire.parent.position.at(5 / fps)[0] == pytest.approx(6)
    assert fire.shape == vt.Sphere(radius=0.3) and scene.combustion is not None
    assert report["names"] == {"sources[0]": "Ember"}


def only(items, cls):
    """The one item of a class."""
    [found] = [item for item in items if type(item) is cls]
    return found


def test_what_presets_seldom_have_comes_back(scenes):
    there, back = (vt.Scene.from_dict(scenes[0]["rare"][key]) for key in ("there", "back"))
    for frame in range(25):
        expected = there.wind.at(frame / 24)
        assert back.wind.at(frame / 24) == pytest.approx(expected, abs=1e-5), frame
    for cls in (vt.Filament, vt.VortexRing):  # as text
        assert only(back.sources, cls) == only(there.sources, cls)
    assert only(back.sources, vt.Tracers).shape == only(there.sources, vt.Tracers).shape
    for scene in (there, back):
        kill = only(scene.effects, vt.Kill)
        shift = np.array(kill.parent.position if kill.parent else (0, 0, 0))
        assert np.array(kill.point) + shift == pytest.approx((1, 2, 3))
        assert np.array(kill.outside.center) + shift == pytest.approx((0, 0, 1), abs=1e-5)
        assert kill.outside.radius == pytest.approx(3) and kill.older_than == 2
    crates = [vt.Simulation(bodies_of(scene)).bodies["crate"] for scene in (there, back)]
    assert crates[1].position == pytest.approx(crates[0].position, abs=1e-6)
    assert abs(np.dot(crates[1].rotation, crates[0].rotation)) == pytest.approx(1, abs=1e-6)


def bodies_of(scene):
    """Its bodies alone, with mass."""
    alone = vt.Scene(voxel=0.1)
    for body in scene.bodies:
        alone.add(dataclasses.replace(body, density=100))
    return alone


def test_shapes_in_centimetres(scenes):
    report = scenes[0]["centimetres"]
    scene = vt.Scene.from_dict(report["scene"])
    assert scene.gravity == pytest.approx((0, 0, -0.0981)) and report["then"] == []
    assert "gravity is 0.0981 m/s^2" in report["warnings"][0]
    assert "set it to -981" in report["warnings"][0]
    box, bumpy, pipe, tyre = (source.shape for source in scene.sources)
    assert box == vt.Box((1.5, -1, 0.25), (2.5, 1, 0.75))
    assert isinstance(bumpy, vt.Mesh) and bumpy.volume < 4 / 3 * np.pi * 0.5**3 * 0.85
    assert pipe == vt.Cylinder(radius=0.2, length=3, axis=(1, 0, 0))
    assert tyre == vt.Torus(radius=1, thickness=0.25)
    assert scene.voxel == 0.05
    ball, floor = scene.bodies
    assert (ball.name, ball.shape) == ("Ball", vt.Sphere(radius=0.5))
    assert floor.shape == vt.Plane() and floor.parent.position == (0, 0, -0.3)
    wind = scene.effects[0]  # 2 m/s along its own z, which is x
    assert wind.velocity == (0, 0, 2) and wind.parent.scale == 1
    assert wind.parent.rotation == pytest.approx((0.5**0.5, 0, 0.5**0.5, 0))


def test_fields_and_colliders_of_blender_are_taken(scenes):
    """Its smoke gets 0.2 m/s a frame for each unit of strength, or a stream of strength / flow."""
    report = scenes[0]["effectors"]
    scene = vt.Scene.from_dict(report["scene"])
    names = [report["names"][f"effects[{n}]"] for n in range(len(scene.effects))]
    assert names == ["Breeze", "Draught", "Fan", "Honey", "Line", "Stir", "Whirl"]
    breeze, draught, fan, honey, line, stir, whirl = scene.effects
    assert line.shape == vt.Sphere(radius=2)
    assert breeze == vt.Wind((0, 0, 1.5), parent=breeze.parent)
    assert breeze.parent.rotation == pytest.approx((0.5**0.5, 0, 0.5**0.5, 0))
    assert isinstance(draught, vt.Drag) and draught.velocity == (0, 0, 2)
    assert draught.shape == vt.Sphere(radius=3) and draught.time == pytest.approx(1 / 4.8)
    assert isinstance(fan, vt.UniformForce)
    assert [fan.strength.at(k / 24) for k in range(5)] == pytest.approx([0, 4.8, 9.6, 14.4, 19.2])
    assert fan.shape == vt.Disk((0, 0, 1), radius=0.5, thickness=2)
    assert fan.parent.position == (1, 0, 0)
    assert (honey.fraction, honey.time) == (1, pytest.approx(1 / 2.4)) and honey.shape is None
    assert stir.strength == pytest.approx(0.302 * 4.8 * 5) and (stir.scale, stir.seed) == (0.7, 3)
    assert stir.shape is None
    # in its middle it turns with strength / flow = 4 rad/s
    assert whirl.circulation / (2 * np.pi * whirl.core**2) == pytest.approx(4, rel=1e-6)
    assert whirl.core == 1.5 and whirl.time == pytest.approx(1 / 2.4)
    assert [body.name for body in scene.bodies] == ["Wall"]
    assert report["without"] == [0, 0]
    said = " | ".join(report["warnings"])
    for text in ("Magnet: Blender's field MAGNET is left out", "Pull: Blender's field FORCE is",
                 "Endless: it has no end", "Stir: its Noise", "Stir: it acts every",
                 "Line: its Shape LINE is left out", "Nowhere: its Max Distance is 0"):  # fmt: skip
        assert text in said
    small = {data["type"]: data for data in report["small"]}  # in centimetres
    assert small["Wind"]["velocity"] == pytest.approx((0, 0, 0.015))
    assert small["Turbulence"]["scale"] == pytest.approx(0.007)
    assert small["Vortex"]["circulation"] == pytest.approx(whirl.circulation * 1e-4)


def test_bodies_deform(scenes):
    """By shape keys, by bones, by their scale: where each vertex is, frame after frame."""
    report, folder = scenes
    scene = vt.Scene.load(folder / "deforming.json")
    ball, lung, pipe, stone = scene.bodies
    assert [body.name for body in scene.bodies] == ["Ball", "Lung", "Pipe", "Stone"]
    grown = [np.linalg.norm(frame, axis=1) for frame in ball.deformation.vertices]
    assert [away.max() for away in grown] == pytest.approx([away.min() for away in grown], rel=1e-5)
    assert grown[0].mean() == pytest.approx(0.5) and grown[4].mean() == pytest.approx(0.75)
    wide = np.ptp(lung.deformation.vertices, axis=1)
    assert wide[4] == pytest.approx(wide[0] * (1, 2, 1), rel=1e-5) and lung.parent.scale == 1
    first, last = pipe.deformation.vertices[0], pipe.deformation.vertices[4]
    foot = np.array((0, 0, -0.5))  # the bone turns there, about the x axis
    turn = np.array([[1, 0, 0], [0, np.cos(1), -np.sin(1)], [0, np.sin(1), np.cos(1)]])
    assert np.abs((first - foot) @ turn.T + foot - last).max() < 1e-5
    assert stone.deformation is None and scene.bodies[0].deformation.fps == 24
    assert report["deforming"].startswith("Lung: its mesh has another number of vertices")
    data = scene.to_dict()
    for body in data["bodies"]:
        body["panels"] = 40  # a tenth of the time
    sim = vt.Simulation(vt.Scene.from_dict(data))
    sim.step(2)
    assert sim.bodies["Ball"].upper[2] == pytest.approx(3 + grown[2].mean(), rel=1e-3)


def test_errors_name_the_object(scenes):
    said = scenes[0]["complaints"]
    assert "no object is marked" in said["empty"]
    assert "every object that is marked is disabled in viewports" in said["disabled"]
    assert said["no mesh"].startswith("Spot: it has no mesh")
    assert said["open"].startswith("Sheet: its mesh is open")
    assert said["no combustion"].startswith("Glow: it has fuel, but Combustion is off")
    assert said["no difference"].startswith("Cold: Emitter: neither temperature")
    assert said["uneven"].startswith("Swelling: its scale against that of the first frame")
    assert said["sheared"].startswith("Skewed: it is sheared")
    assert said["skin"] is None


# ---- bakes ----


def test_presets_replace_the_settings_of_a_scene(scenes):
    report = scenes[0]["second"]
    assert report["burnt"] and not report["burns"] and report["winds"] == [0, [0, 0, 0]]


def test_collections_are_left_out(scenes):
    found = scenes[0]["left out"]
    assert found["ticked"] == ["Both", "Disabled", "Hidden", "There"]
    assert found["names"] == ["Both", "Hidden", "Inside", "There"]


def test_what_is_not_followed_is_said(scenes):
    found = scenes[0]["not followed"]
    names = ["Blob", "Fan", "Gone", "Seen", "Slow fan", "Table"]
    assert found["same"] and found["names"] == names
    said = [
        "Seen: it is switched in renders over the frames, but is there where it is not rendered, "
        "too: switch it in viewports",
        "Fan: it turns by 300 degrees from one look at it to the next, and is taken to go the "
        "shorter way round: use more Subframes (Scene properties, Vorton)",
        "Instance: the Inside that it instances is left out: make instances real",
        "Blob: its mesh changes its form over the frames, which only a Body may do: it stays as at "
        "the first one",
        "Gone: it is switched in viewports over the frames, but a body does not come or go within "
        "a bake: it is there as at frame 101. Let it do so by Bake from, at the frame where it "
        "does",
        "Table: its mesh is flat, so it is a wall without end: give it a thickness where it shall "
        "end",
    ]
    assert found["warnings"] == said
    assert found["refused"].startswith("Sheet: its mesh is open")
    assert found["refused"].endswith("(it is a body by its Collision physics)")


def test_what_is_there_for_some_frames_is_born_and_acts_in_these(scenes):
    """Frames 103 to 105 of a scene that begins at 101: from 2/24 to 5/24 s."""
    found = scenes[0]["switched"]
    scene = vt.Scene.from_dict(found["scene"])
    by_name = {name: [] for name in found["names"].values()}
    for key, name in found["names"].items():
        kind, _, place = key.rstrip("]").partition("[")
        by_name[name].append(getattr(scene, kind)[int(place)])
    assert sorted(by_name) == ["Fire", "Push", "Ring", "Twice"]
    [fire], [ring], [push], twice = (by_name[name] for name in ("Fire", "Ring", "Push", "Twice"))
    assert (fire.start, fire.end) == pytest.approx((2 / 24, 5 / 24)) and ring.time == 2 / 24
    for item in (fire, push):
        along = [item.parent.position.at(frame / 24)[0] for frame in (2, 3, 4)]
        assert along == pytest.approx([2, 3, 4], abs=1e-5)
    assert ring.parent.position.at(ring.time)[0] == pytest.approx(2, abs=1e-5)
    strength = [push.strength.at(time / 48) for time in range(15)]  # of half frames
    assert strength == pytest.approx([0] * 4 + [3, 3.5, 4, 4.5, 5, 5] + [0] * 5)
    times = [(each.start, each.end) for each in twice]
    assert np.array(times) == pytest.approx(np.array([(0.05, 2 / 24), (5 / 24, 0.25)]))
    switched = "switched in viewports over the frames, but a body does not come or go within a bake"
    [said], [then] = ([w for w in found[key] if "Stone" in w] for key in ("warnings", "said"))
    assert f"Stone: it is {switched}: it is left out as at frame 101" in said
    assert f"Stone: it is {switched}: it is there as at frame 104" in then
    assert scene.bodies == () and [body["name"] for body in found["joined"]] == ["Stone"]


BORN_AT_ONCE = (
    vt.VortexRing(radius=0.5, core=0.1, circulation=1.0, time=0.5),
    vt.Tracers(vt.Sphere(), count=10, start=0.5),
    vt.Emitter(vt.Sphere(), temperature=400, renew=0, start=0.5),
    vt.VortonPoints(np.zeros((1, 3)), np.ones((1, 3)), core=0.1, volume=1.0, time=0.5),
)


@pytest.mark.parametrize("made", BORN_AT_ONCE, ids=lambda made: type(made).__name__)
def test_what_is_born_at_once_is_born_when_it_is_there(made):
    """Samples of a quarter of a second."""
    begin = "time" if hasattr(made, "time") else "start"
    cases = (("1111", 0.5), ("0011", 0.5), ("1001", 0.75), ("0110", 0.5), ("1100", None))
    for there, born in cases:
        [*lasting] = presence.while_there(made, [sample == "1" for sample in there], 4)
        assert [getattr(item, begin) for item in lasting] == ([] if born is None else [born]), there


STRONG = {
    vt.Wind: "velocity", vt.UniformForce: "strength", vt.Vortex: "circulation",
    vt.Drag: "fraction", vt.Attractor: "strength", vt.Turbulence: "strength",
}  # fmt: skip


@pytest.mark.parametrize("cls", [cls for cls in EFFECTS if cls is not vt.Kill])
def test_effects_that_are_not_there_do_nothing(cls):
    made = {
        vt.Wind: lambda: vt.Wind((1, 2, 3)),
        vt.Drag: lambda: vt.Drag((1, 0, 0), 0.25),
        vt.WindGrid: lambda: vt.WindGrid(np.ones((2, 2, 2, 3))),
        vt.ForceGrid: lambda: vt.ForceGrid(np.ones((2, 2, 2, 3))),
        vt.ForcePoints: lambda: vt.ForcePoints(np.zeros((1, 3)), np.ones((1, 3)), radius=1),
    }.get(cls, cls)()
    [item] = presence.while_there(made, [False, True, True, False], 4)
    name = STRONG.get(cls, "strength")
    now = [np.array(getattr(item, name).at(time)) for time in (0, 0.2, 0.25, 0.5, 0.7, 0.75, 2)]
    full = np.array(getattr(made, name))
    assert np.all(full != 0)
    for value, shown in zip(now, (0, 0, 1, 1, 1, 0, 0), strict=True):
        assert np.array_equal(value, shown * full)


def test_subframes_follow_an_arc(scenes):
    """Half a turn a frame on a circle of 1 m: chords of 22.5 degrees, and a line to and fro."""
    rough, fine = (scenes[0]["turning"][key] for key in ("1", "8"))
    assert rough["frames"] == fine["frames"] == 5
    assert "Nozzle: it turns by 180" in rough["warnings"][0] and not fine["warnings"]
    times = np.linspace(0, 4 / 24, 999)
    off = []
    for report in (rough, fine):
        parent = vt.Scene.from_dict(report["scene"]).sources[0].parent
        exact = np.exp(1j * np.pi * 24 * times)
        found = [complex(*parent.position.at(time)[:2]) for time in times]
        off.append(np.abs(np.array(found) - exact).max())
    chord = 1 - np.cos(np.pi / 16)  # in the middle of one
    assert off == pytest.approx([1, chord], rel=1e-3)
    sim = vt.Simulation(vt.Scene.from_dict(fine["scene"]), fps=24)
    sim.step(2)
    away = np.linalg.norm(np.array(sim.tracers.position)[:, :2], axis=1)
    assert len(away) > 5 and away.min() > 1 - chord - 0.03
    winds = [vt.Scene.from_dict(report["scene"]).effects[0] for report in (rough, fine)]
    speed = [wind.velocity.at(4 / 24)[2] for wind in winds]  # 4.8 m/s^2 from 0 to four times that
    assert speed[1] == pytest.approx(4.8 * 2 * 4 / 24, rel=0.05)  # its exact integral
    assert speed[0] == pytest.approx(4.8 * 1.5 * 4 / 24)  # by the sum over frames, as smoke has it


def test_texts_and_curves_have_an_inside(scenes):
    """A bar of text is a box."""
    found = scenes[0]["curves"]
    assert found["closed"] == [True, True]
    assert found["volumes"] == pytest.approx([np.pi * 0.2, np.prod(found["size"])], rel=0.01)


def test_sheared_objects_lie_where_blender_has_them(scenes):
    """A body and smoke, turned against parents that are scaled unevenly, one of them mirrored."""
    report, folder = scenes
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    scene = vt.Scene.load(folder / "sheared.json")
    for item, shown in zip((*scene.bodies, *scene.sources), report["sheared"], strict=True):
        vertices = np.array(item.shape.vertices)
        for number, expected in enumerate(shown):
            place, turn = ((value.at(number / 24) if hasattr(value, "at") else value) for value in
                           (item.parent.position, item.parent.rotation))  # fmt: skip
            moved = rotation.from_quat(np.roll(turn, -1)).apply(vertices) + place
            assert moved == pytest.approx(np.array(expected), abs=1e-5)
        assert item.shape.volume > 0


def test_another_scene_moves(scenes):
    moved = np.array(scenes[0]["another scene"])
    assert moved == pytest.approx(np.arange(6)[:, None] * (1.0, 0, 0), abs=1e-6)


def test_unsaved_files_of_two_blenders_go_to_two_folders(scenes):
    folder, own = scenes[0]["unsaved"]
    assert Path(folder).parts[-4:] == ("vorton-blender", own, "vorton", "untitled")


def test_export_says_a_command_that_bakes_the_same(scenes):
    for command, kept in zip(scenes[0]["commands"], (True, False), strict=True):
        words = shlex.split(command)
        told = make_parser().parse_args(words[1:])
        assert words[0] == "vorton" and told.fps == 30 / poses.short(np.float32(1.001))
        assert [value is False for value in (told.archive, told.tracers)] == [not kept, kept]
        assert vt.Scene.load(scenes[1] / words[2]).sources


def test_stage_without_a_bake_leaves_the_earlier_one(scenes):
    report = scenes[0]["stages"]
    assert "no bake in " in report["said"] and "press Bake" in report["said"]
    assert report["kept"] and report["camera"] and report["none"]


def test_another_stage_removes_nothing_else(scenes):
    """An own object in the collection of the earlier one."""
    assert sorted(scenes[0]["stages"]["again"]) == ["another", "own"]


def test_what_is_rendered_around_smoke_is_named(scenes):
    assert scenes[0]["stages"]["around"] == ["Box"]


def test_another_vorton_and_damage_are_asked_about(scenes):
    expected = {"empty": False, "same": False, "vorton": True, "build": True, "fps": True}
    expected |= dict.fromkeys(("scene", "damaged", "archive", "points", "asked", "once"), True)
    assert scenes[0]["others"] == expected


@pytest.mark.slow
def test_sequences_start_where_the_scene_does(bakes):
    for start, found in bakes[0]["starts"].items():
        first = int(start)
        files = {first - 1: None, first: "räuch_0001.vdb", first + 1: "räuch_0002.vdb"}
        assert {int(k): v for k, v in found["frames"].items()} == {**files, first + 2: None}
        assert found["path"] == "//vorton/räuch/räuch_0001.vdb"
        assert np.abs(found["off"]).max() < 0.5  # voxels
        assert found["objects"] == found["again"] == 2
        assert found["velocity"] == "velocity" and found["said"] == []


@pytest.mark.slow
def test_command_line_bakes_the_same(bakes, tmp_path):
    _, folder = bakes
    scene = folder / "ein Feuer ä.vorton.json"
    command = [sys.executable, "-m", "vorton", "bake", str(scene), str(tmp_path / "again")]
    command += ["--frames", "1-14", "--no-tracers", "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    theirs = folder / "vorton" / "ein Feuer ä"
    files = sorted(path.name for path in theirs.glob("*_00*"))
    assert len(files) == 14 and files == bakes[0]["campfire"]["files"][2:]
    for name in files:
        assert (theirs / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


@pytest.mark.slow
def test_campfire_is_seen(bakes):
    """Flames above the ground, in the middle; night above them."""
    image = pytest.importorskip("PIL.Image")
    report, folder = bakes
    assert report["campfire"]["velocity"] == ["velocity", "SECOND"]
    assert report["campfire"]["materials"] == 1
    assert report["campfire"]["frame"] == 2  # two thirds through the first bake, of 3 frames
    assert report["campfire"]["stage"] == ["camera", "firelight", "ground", "moon"]
    assert report["campfire"]["denoised"]
    assert report["campfire"]["energies"][-1] > report["campfire"]["energies"][0] == 0
    picture = np.asarray(image.open(folder / "campfire.png").convert("RGB")).astype(int)
    bright = np.argwhere(picture[:, :, 0] > 150)
    assert len(bright) > 50
    assert 20 < bright[:, 1].mean() < 40  # of 60
    assert picture[0].max() < 60
    flame = picture[picture[:, :, 0] > 150].mean(0)
    assert flame[0] > 1.5 * flame[2]  # red over blue


@pytest.mark.slow
def test_eevee_has_its_slices_where_smoke_is(bakes):
    found, eevee = bakes[0]["campfire"], bakes[0]["campfire"]["eevee"]
    files = (bakes[1] / "vorton" / "ein Feuer ä").glob("*.vdb")
    smoke = [grid for path in files if len((grid := vdb_files.read(path)["density"]).index)]
    depths = [grid.voxel * end - found["eye"] for grid in smoke
              for end in (grid.index[:, 1].min(), grid.index[:, 1].max())]  # fmt: skip
    wanted = {"volumetric_tile_size": "2", "volumetric_samples": 128}
    wanted["use_volumetric_shadows"] = True
    assert wanted.items() <= eevee.items()
    assert eevee.get("use_volume_custom_range", True)
    start, end = eevee["volumetric_start"], eevee["volumetric_end"]
    assert 0 < start < min(depths) < max(depths) < end
    assert end - start < max(depths) - min(depths) + 0.1 * max(depths)


@pytest.mark.slow
def test_bake_leaves_blender_usable_and_can_be_ended(bakes):
    report = bakes[0]["modal"]
    assert report["began"] == "RUNNING_MODAL" and report["between"] == ["PASS_THROUGH"]
    assert report["ended"] == "FINISHED" and report["refused"]
    assert 3 <= report["frames"] < 400
    assert f"{report['frames']} of 400 frames are baked" in report["said"][-1]
    failing = bakes[0]["failing"]
    assert failing["ended"] == "CANCELLED" and "'Outer'" in failing["said"][-1]


@pytest.mark.slow
def test_what_is_whole_is_shown_though_a_bake_fails(bakes):
    """There is room for 200 tracers, and 67 are born in a frame."""
    later = bakes[0]["failing later"]
    assert later["ended"] == "CANCELLED" and "max_tracers" in later["said"][-1]
    assert later["frames"] == 3


@pytest.mark.slow
def test_a_bake_without_smoke_leaves_nothing_behind(bakes):
    """And its frames lie beside the file where no folder is given."""
    found = bakes[0]["nothing yet"]
    assert found["objects"] == ["Ball"]
    assert {"later_0001.vdb", "later_0002.vdb", "later.vta"} <= set(found["files"])


@pytest.mark.slow
def test_smoke_that_comes_later_is_shown_where_it_is(bakes):
    """Frame 1 of the bake is the scene's frame 0, and smoke starts after the second frame."""
    report, folder = bakes
    found = report["empty at first"]
    names, grids = zip(*(found["frames"][str(n)] for n in range(5)), strict=True)
    files = [vdb_files.read(folder / "vorton" / "leer" / name) for name in names]
    counts = [len(file["density"].index) for file in files]
    assert names == tuple(f"leer_000{n}.vdb" for n in range(1, 6))
    assert [count > 0 for count in counts] == [False, False, True, True, True]
    assert all({"density", "velocity"} <= set(each) for each in grids)
    assert np.abs(found["off"]).max() < 0.5 and found["density"] > 0
    assert found["velocity"] == "velocity"


@pytest.mark.slow
def test_looks_are_measured_until_somebody_sets_them(bakes):
    report, folder = bakes
    first, whole, chosen = report["campfire"]["looks"]
    measured = measure_look(folder / "vorton" / "ein Feuer ä")
    assert whole == pytest.approx([measured.density, measured.emission], rel=1e-6)
    assert first[0] > 1.5 * whole[0] and chosen == [7, whole[1]]


@pytest.mark.slow
def test_solid_views_are_as_dense_as_the_material_until_somebody_sets_them(bakes):
    """Those of a file of before vorton set them, too."""
    found = bakes[0]["campfire"]
    densities = [look[0] for look in found["looks"]]
    assert found["display"] == [*densities, 1, densities[-1]]


@pytest.mark.slow
def test_a_changed_scene_is_baked_from_the_current_frame_on(bakes, tmp_path):
    """Frames before keep their files, those after are those of `vorton branch`, and are shown."""
    report, folder = bakes
    found = report["from here"]
    before, after = found["before"], found["after"]
    frames = [name for name in before if name.endswith(".vdb")]
    assert len(frames) == 6 and before.keys() == after.keys()
    for name in frames:
        assert (before[name] == after[name]) == (name[-8:-4] < "0004"), name
    assert found["branched"] == found["after"]
    scene, out = folder / "from here.vorton.json", tmp_path / "out"
    command = [sys.executable, "-m", "vorton", "branch", str(scene), "--frames", "1-6", "--quiet",
               "--from", str(folder / "origin"), "--frame", "3", "-o", str(out)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    theirs = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()}
    assert theirs == found["after"]
    manifest = Manifest.find(folder / "vorton" / "from here").data
    assert manifest["branch"]["frame"] == 3
    origin = Manifest.find(folder / "origin").data
    assert manifest["branch"]["scene_sha256"] == origin["scene_sha256"]
    box = np.array([found["box"], found["back"], *found["moved"], found["here"]])
    assert (box[1] == box[0]).all() and (box[2] == box[0]).all() and (box[4] == box[3]).all()
    assert box[3, 0, 0] - box[0, 0, 0] > 2  # three frames of a wind of 24 m/s, less its margin


@pytest.mark.slow
def test_the_panel_says_what_is_baked_and_what_stays(bakes):
    """Frames 11 to 16 of which 11 to 13 are baked first; at frame 14 the scene is changed."""
    found = bakes[0]["from here"]["panels"]
    stage, below = ["Set up render", "(Render)"], ["Show bake", "Export scene"]  # no camera
    for texts in found.values():
        assert texts[:2] == ["Bake", "Live preview"] and texts[-2:] == below
    middles = {when: texts[2:-4] for when, texts in found.items()}
    menu = [texts[-4] for when, texts in found.items() if when != "before"]
    assert middles.pop("before") == ["(Set up render)"] and set(menu) == {"Bakes of this scene"}
    from_14 = ["Branch from 14...", "this bake stays"]
    assert middles == {
        "part": [*stage, "Baked: 11 to 13 of 16", "Bake from 14", "replaces no frame", *from_14],
        "first": [*stage, "Baked: 11 to 16", "(Bake from 11)", "(go to frame 12 to 16)"],
        "whole": [*stage, "Baked: 11 to 16", "Bake from 14", "replaces 14 to 16", *from_14],
        "no archive": [*stage, "Baked: 11 to 16", "(Bake from 14)", "(needs Keep archive)"],
        "branch": [*stage, "Baked: 11 to 16", "By a changed scene from 14", "Bake from 14",
                   "replaces 14 to 16", *from_14],
    }  # fmt: skip


@pytest.mark.slow
def test_a_bake_that_goes_on_draws_its_panels_alone(bakes):
    told = [["VIEW_3D", "HEADER"], ["VIEW_3D", "UI"], ["PROPERTIES", "WINDOW"]]
    assert bakes[0]["redrawn"] == told


@pytest.mark.slow
def test_panel_and_button_refuse_the_same(bakes):
    """To go on from a bake, and for the same reason."""
    said = {
        "rate": ("has 24 frames a second", "24 frames a second, the scene 25: set the frame rate"),
        "points": ("has no points: untick Keep points", "has no points: untick Keep points, or"),
        "start": ("begins at frame 11", "begins at frame 11, the scene at 10: set its first frame"),
        "archive": ("cannot be gone on with", "from here.vta: is not a motion archive"),
    }
    found = bakes[0]["from here"]["both"]
    assert found.keys() == said.keys()
    for what, (brief, text) in said.items():
        assert found[what][0] == ["(Bake from 14)", f"({brief})"]
        assert text in found[what][1], found[what][1]


@pytest.mark.slow
def test_menu_names_a_bake_once_however_its_folder_is_written(bakes):
    found = bakes[0]["from here"]["links"]
    assert found == [["//latest", "//vorton"], ["//latest/../latest", "//latest/../vorton"]]


@pytest.mark.slow
def test_another_bake_of_the_scene_is_chosen(bakes):
    """Those in folders beside that of the scene; where there is none, the scene keeps its own."""
    found = bakes[0]["from here"]
    assert found["menu"] == ["//vorton", "//vorton from 14"]
    folder, box, menu, refused, then = found["chosen"]
    assert folder == then == "//vorton" and menu == found["menu"]
    assert box == found["back"] == found["box"]
    assert "no bake in" in refused


@pytest.mark.slow
def test_a_file_saved_as_another_goes_on_from_what_it_shows(bakes):
    found = bakes[0]["from here"]["version"]
    assert found["stage"] == found["baked"] == ["FINISHED"] and found["kept"]
    assert found["same"] == [True] * 4 + [False] * 2
    higher = found["box"][1][2] - bakes[0]["from here"]["here"][1][2]
    assert higher > 1  # two frames of a wind of 24 m/s upwards


@pytest.mark.slow
def test_grids_that_blender_does_not_know_of_are_named(bakes):
    found = bakes[0]["new grids"]
    lacking = [name for name in found["written"] if name not in found["shown"]]
    assert "heat" in found["written"]
    said = [text for text in found["said"] if "Blender remembers these files without" in text]
    assert len(said) == bool(lacking) and all(", ".join(lacking) in text for text in said)


@pytest.mark.slow
def test_bodies_that_the_flow_moves_move_in_blender(bodies):
    """A stone of 2500 kg/m^3 falls as in a vacuum; its parent, which shears it, stays."""
    found = bodies["falling"]
    shown, marked = (np.array(found[key]) for key in ("shown", "marked"))
    assert found["said"] == ["FINISHED"] and found["rendered"] == [True, False]
    assert np.abs(marked - marked[0]).max() == 0 and found["bodies"] == 1  # and no copy of it
    assert np.abs(shown - marked - fallen(found["frames"], 5)).max() < 0.01  # of 4.2 units
    names = ["Smoke", "Stone", "above", "falling"]
    assert sorted([*names, "Stone baked", "Stone motion"]) == found["objects"]
    assert found["frame"] == 7 and found["then"] == names and not found["hidden"]


def fallen(frames, start):
    """Units of .1 m, as in a vacuum."""
    times = np.maximum(np.array(frames) - start, 0) / 24
    return np.multiply.outer(-0.5 * 98.1 * times**2, (0, 0, 1))[:, None]


@pytest.mark.slow
def test_a_body_that_joins_in_a_branch_falls_from_its_place(bodies):
    """From frame 7 on, which is the last one of the bake that it leaves. Bake goes on with it."""
    found = bodies["joining"]
    shown, marked = (np.array(found[key]) for key in ("shown", "marked"))
    assert found["before"] == found["said"] == found["again"] == ["FINISHED"]
    assert found["frames"] == [8, 10, 12] and found["same"]
    assert (found["other"], found["bodies"]) == (True, 0)
    hidden = {int(frame): values for frame, values in found["hidden"].items()}
    gone, there = [True] * 3, [False, False, True]  # copies, and the stone in renders
    assert hidden == {5: gone, 6: gone, 8: there, 12: there}
    assert found["then"] == [False, "TEXTURED"]
    assert np.abs(shown - marked - fallen(found["frames"], 7)).max() < 0.01  # first by .085


@pytest.mark.slow
def test_showing_a_bake_removes_nothing_else(bodies):
    """An own object, the original and a copy of a copy in the collection, which has been renamed;
    an own collection of the name; a copy of the original is shown as that was."""
    found = bodies["kept"]
    assert found["own"] == ["Statue"] and found["collection"] == "mine"
    for when in ("again", "then"):
        assert {"Own", "Stone", "Stone twin", "Stone kept"} <= set(found[when])
    assert found["again"].count("Stone baked") == found["again"].count("Stone motion") == 1
    assert not {"Stone baked", "Stone motion"} & set(found["then"])
    assert found["twin"] == [False, "SOLID"]


@pytest.mark.slow
def test_a_body_comes_back_though_its_copy_is_deleted(bodies):
    """By the key, and by a script."""
    found = bodies["kept"]
    assert found["deleted"] == [[[False, "SOLID"], [True, "WIRE"]]] * 2
    assert found["last"] == [False, "SOLID"]


@pytest.mark.slow
def test_points_are_those_of_the_bake(bakes):
    """By the files themselves; nothing before the bake and after it."""
    report, folder = bakes
    found = report["points"]
    assert found["said"] == ["FINISHED"] and found["again"] and not found["rendered"]
    for number in (1, 2):
        shown = found["frames"][str(100 + number)]
        with np.load(folder / "kept points" / f"points_{number:04d}.npz") as file:
            count = len(file["id"])
            assert np.allclose(shown["co"], file["position"] / 0.1, atol=1e-5)
            assert np.allclose(shown["velocity"], (file["velocity"] / 0.1).ravel(), atol=1e-6)
            assert np.allclose(shown["radius"], file["size"] / 4 / 0.1, rtol=1e-5)
            assert np.allclose(shown["density"], file["density"])
        assert count > 100 and max(shown["velocity"]) > 2 and shown.get("balls", count) == count
    for frame in ("100", "103"):
        assert found["frames"][frame]["co"] == []
    assert found["untick"][0] and "the bake has points: tick Keep points" in found["untick"][1]
    assert "points" in found["then"] and "points points" not in found["then"]


@pytest.mark.slow
def test_what_cannot_be_baked_from_a_frame_on_is_said(bakes):
    found = bakes[0]["from here"]
    assert "no bake in " in found["nothing"] and "press Bake" in found["nothing"]
    for frame in ("11", "18"):
        assert f"frame {frame}: go to one of the frames 12 to 16" in found[frame]
    assert "frames 4-6 would be removed" in found["14"] and found["kept"]
    assert found["said"] == "6 of 6 frames are baked; Bake goes on from there"
    asked = "Frames 14 to 16 are baked anew by the scene as it is: replace them?"
    assert found["asked"] == [asked]
    assert found["unchanged 13"] == [asked.replace("14", "13")]
    stay = "the scene is that of the bake: all of its frames stay"
    assert found["unchanged 14"] == [stay, "runs"]
    assert found["folder"] == "//vorton from 14"
    assert "Seed = 7: was 0" in found["refused"][0] and found["refused"][1] == "//vorton"
    assert found["branch"] == found["show"] == found["again"] == ["FINISHED"] and not found["other"]


def built_by_blender(folder, wheel):
    """Its own zip of the add-on that names wheels, for this platform."""
    builder, version = load_builder(), vt.__version__
    made = builder.write_named(folder)
    (made / "wheels").mkdir()
    for name in builder.index_wheels(version):
        (made / "wheels" / name).write_bytes(wheel.read_bytes())
    [python, *_], _ = command_of(folder, "", "")
    program = "import bpy; print('>', bpy.utils.system_resource('SCRIPTS'))"
    said = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    scripts = Path(said.stdout.rpartition("> ")[2].strip())
    tool = [python, str(scripts / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py")]
    into = ["--source-dir", str(made), "--output-dir", str(folder)]
    for arguments in (["validate", str(made)], ["build", "--split-platforms", *into]):
        done = subprocess.run([*tool, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    zips = {path.name for path in folder.glob("*.zip")}
    systems = ("linux_x64", "linux_arm64", "macos_arm64", "macos_x64", "windows_x64")
    assert zips == {f"vorton-{version}-{system}.zip" for system in systems}
    [own] = {builder.PLATFORMS[PLATFORM].replace("-", "_")} & set(systems)
    return folder / f"vorton-{version}-{own}.zip"


def built_here(folder, wheel):
    return load_builder().write_zip(wheel, folder)


def handed_out(folder, wheel):
    """The zip that VORTON_EXTENSION_ZIP names, with the wheel that users get."""
    return Path(os.environ["VORTON_EXTENSION_ZIP"]).resolve()


BUILDS = [built_here, built_by_blender]
BUILDS += [handed_out] if os.environ.get("VORTON_EXTENSION_ZIP") else []


@pytest.mark.slow
@pytest.mark.parametrize("build", BUILDS)
def test_zip_is_installed_with_its_wheel(tmp_path, build):
    """Whether it is made with the wheel, or by Blender from an add-on that names those of all
    platforms. From a campfire by one click ten frames are baked and the last one is rendered."""
    image = pytest.importorskip("PIL.Image")
    archive = build(tmp_path / "zip", write_wheel(tmp_path / "wheels"))
    report = run_in_blender(tmp_path, "install", archive, library=False)
    assert report["installed"] == report["removed"] == ["FINISHED"] and report["enabled"]
    assert str(tmp_path / "user") in report["vorton"]
    assert report["clicks"] == [["FINISHED"]] * 3 and report["frames"] == 10
    picture = np.asarray(image.open(tmp_path / "campfire.png").convert("RGB")).astype(int)
    fire = picture[picture[:, :, 0] > 150]
    assert picture.shape == (90, 60, 3) and len(fire) > 20
    assert fire[:, 0].mean() > 1.5 * fire[:, 2].mean() and picture[0].max() < 60  # night above it
    assert "VORTON_OT_bake" in report["there"] and report["after"] == []


# ---- without Blender ----


@pytest.mark.parametrize("built", [True, False])
def test_pictures_are_denoised_where_cycles_can(built, monkeypatch):
    """Where it cannot, as in Debian's Blender, it would refuse to render."""
    cycles = types.SimpleNamespace(with_openimagedenoise=built)
    monkeypatch.setitem(sys.modules, "_cycles", cycles)
    assert stage.can_denoise() == built


def fire(**changes):
    scene = vt.Scene("fire", seed=1, combustion=vt.Combustion(), voxel=0.02)
    bed = {"temperature": 800.0, "fuel": 1.0, "swirl": 1.5, "renew": 3.0, "lifetime": 9.0}
    scene.add(vt.Emitter(vt.Disk(radius=0.25, thickness=0.1), **{**bed, "core": 0.05, **changes}))
    scene.add(vt.Body(vt.Sphere((0, 0, 1.2), 0.2)))
    return scene


def test_live_preview_follows_and_stays_quick():
    slower = 50 if SANITIZED else 1
    shown = live.Live(fire(), clock=lambda: time.process_time() / slower)
    took = []
    for swirl in np.linspace(1.5, 4.0, 12):  # as if dragged
        shown.follow(fire(swirl=swirl))
        shown.step()
        took.append(shown.seconds)
    positions, heat = shown.points()
    assert 100 < len(positions) <= live.TRACERS and 100 < shown.vortons <= live.VORTONS
    assert heat.max() == 1 and positions[:, 2].max() > 0.1 and np.isfinite(positions).all()
    assert np.median(took) < live.BUDGET
    assert shown.restarts == 0 and shown.time == pytest.approx(0.5)
    assert not shown.follow(fire(swirl=4.0))
    other = fire(swirl=4.0)
    other.add(vt.Wind((1, 0, 0)))
    assert shown.follow(other) and shown.restarts == 1 and shown.time == 0


def test_live_preview_becomes_coarser_where_it_is_slow():
    ticks = iter(range(1000))
    shown = live.Live(fire(), clock=lambda: 0.1 * next(ticks))  # each frame takes a tenth
    for _ in range(live.SLOW):
        shown.step()
    assert shown.restarts == 1 and shown.factor == live.FIRST * live.STEP and shown.time == 0
    many = vt.Scene("many", voxel=0.02)
    many.add(vt.Tracers(vt.Box((0, 0, 0), (2, 2, 2)), per_voxel=8))
    shown = live.Live(many)
    shown.step()
    assert 0 < len(shown.points()[0]) <= live.TRACERS and shown.factor > live.FIRST


def test_live_preview_outlives_a_scene_that_is_refused():
    right, wrong = fire(swirl=2.0), fire(swirl=3.0)
    wrong.add(vt.Body(vt.Box((-1, -1, -1), (1, 1, 1))))  # the bed lies inside of it for good
    shown = live.Live(right)
    for _ in range(2):  # said each time, until it is right again
        with pytest.raises(ValueError, match="lies inside of it"):
            shown.follow(wrong)
    assert (shown.factor, shown.restarts) == (live.FIRST, 0)
    shown.step()
    assert not shown.follow(right) and shown.time > 0


def test_live_preview_goes_back_from_half_a_change():
    """Of two sources the first is exchanged, the second refused: fuel without combustion."""
    def scene(rate, fuel):
        made = vt.Scene("two", voxel=0.1)
        made.add(vt.Tracers(vt.Sphere(), rate=rate))
        made.add(vt.Emitter(vt.Disk(radius=0.25, thickness=0.1), core=0.05, temperature=400.0,
                            fuel=fuel))
        return made

    shown = live.Live(scene(9.0, 0.0))
    with pytest.raises(ValueError, match="no law by which it burns"):
        shown.follow(scene(7.0, 1.0))
    assert shown.follow(scene(9.0, 0.0)) and shown._sim.scene.sources[0].rate == 9
    assert not shown.follow(scene(9.0, 0.0)) and shown.restarts == 0


def test_live_preview_takes_vortons_of_any_core():
    scene = vt.Scene("ring", voxel=0.02)
    scene.add(vt.VortexRing(radius=0.5, core=0.05, vorton_core=0.03))
    assert live.Live(scene).vortons > 10


@pytest.mark.parametrize(
    ("bed", "told"),
    [({"core": 0.25}, []), ({"core": 0.5}, ["cores of 0.5 m are too wide"]),
     ({"temperature": 60.0}, ["temperature = 60"])],
)  # fmt: skip
def test_live_preview_warns_of_the_scene_not_of_its_own_cores(bed, told):
    """Twice as wide all of these cores are too wide for the fire."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        shown = live.Live(fire(**bed))
        assert shown.follow(fire(**{**bed, "swirl": 2.0})) and shown.restarts == 0
    texts = [str(w.message) for w in given]
    assert len(texts) == len(told) and all(map(str.__contains__, texts, told))


def test_live_preview_begins_anew_where_it_blows_up(monkeypatch):
    shown = live.Live(fire())
    shown.factor = live.COARSEST

    def blow_up(sim, frames):
        raise vt.BlowUpError("the flow has blown up")

    with monkeypatch.context() as patched:
        patched.setattr(live.Simulation, "step", blow_up)
        shown.step()
    assert (shown.restarts, shown.factor, shown.time) == (1, live.COARSEST, 0)
    shown.step()
    assert shown.restarts == 1 and shown.time > 0


def blender_field(kind, frames=1, there=None, **settings):
    fixed = dict(type=kind, shape="POINT", falloff_type="SPHERE", falloff_power=0.0,
                 use_max_distance=False, distance_max=0.0, use_min_distance=False,
                 use_radial_max=False, radial_max=0.0, radial_falloff=0.0, z_direction="BOTH",
                 size=0.0, seed=1, noise=0.0)  # fmt: skip
    values = dict(strength=1.0, flow=0.0, linear_drag=0.0, quadratic_drag=0.0)
    moving = {name: settings.pop(name) for name in values if name in settings}
    now = [{n: moving.get(n, v)[k] if n in moving else v for n, v in values.items()}
           for k in range(frames)]  # fmt: skip
    field = effectors.Field("It", {**fixed, **settings}, now)
    where = [poses.pose_of(np.eye(4))] * frames
    return effectors.definitions(field, where, there or [True] * frames, 24.0, 24.0, 1.0)


@pytest.mark.parametrize("kind", ["WIND", "VORTEX", "TURBULENCE", "DRAG"])
def test_fields_without_room_are_named_and_left_out(kind):
    drags = {"linear_drag": [1.0]}
    none = blender_field(kind, use_max_distance=True, **drags)
    assert none == ([], ["It: its Max Distance is 0, so it acts nowhere: it is left out"])
    made, told = blender_field(kind, falloff_type="TUBE", use_radial_max=True, **drags)
    assert not made and "radial Max Distance is 0" in told[0]
    far = blender_field(kind, use_max_distance=True, distance_max=1e30, **drags)[0]
    assert len(far) == 1 and far[0].shape.radius == pytest.approx(1e9)


def test_a_wind_pushes_only_while_it_is_there():
    """Without Flow it is a push: what blows is the sum of what it gave while it was there."""
    there = [n >= 4 for n in range(12)]
    (always,), _ = blender_field("WIND", 12, strength=[1.0] * 12)
    (late,), _ = blender_field("WIND", 12, there, strength=[1.0] * 12)
    for n in range(12):
        assert late.velocity.at(n / 24) == pytest.approx(always.velocity.at(max(n - 4, 0) / 24))
    assert always.velocity.at(11 / 24)[2] > 0


def test_drag_that_speeds_up_is_left_out():
    for drag in ([-1.0, -2.0], [-1.0, 0.0]):
        made, told = blender_field("DRAG", 2, linear_drag=drag)
        assert not made and "negative Linear drag" in told[0]
    (made,), told = blender_field("DRAG", 2, linear_drag=[-1.0, 0.5])
    assert (made.fraction.at(0), made.fraction.at(1 / 24)) == (0, 1) and len(told) == 1
    assert made.time == pytest.approx(1 / (0.2 * 24 * 0.5))


def test_vortex_that_hardly_fades_has_no_end():
    for power in (5e-4, 0.01):
        made, told = blender_field("VORTEX", falloff_power=power)
        assert not made and any("it has no end" in text for text in told)
    (made,), told = blender_field("VORTEX", falloff_power=5e-4, use_max_distance=True,
                                  distance_max=2.0)  # fmt: skip
    assert made.core == 2 and not any("no end" in text for text in told)


@pytest.mark.parametrize("shape, told", [("POINT", 0), ("LINE", 1), ("PLANE", 1), ("SURFACE", 1),
                                         ("POINTS", 1)])  # fmt: skip
def test_shapes_of_fields_are_named(shape, told):
    near = blender_field("WIND", shape=shape, use_max_distance=True, distance_max=1.0)[1]
    assert [f"Shape {shape} is left out" in text for text in near] == [True] * told
    everywhere = blender_field("WIND", shape=shape)[1]  # a plane or a line make no difference
    assert len(everywhere) == (shape in ("SURFACE", "POINTS"))


def test_settings_say_what_the_tables_say():
    made = roles.ROLES["EMITTER"].settings
    field = vt.Emitter.__dataclass_fields__["swirl"].metadata["row"]
    swirl = made["swirl"]
    assert (swirl.least, swirl.most, swirl.default) == (
        field["least"], field["most"], field["default"],
    )  # fmt: skip
    assert swirl.text.lower().startswith(field["doc"][:40].lower())
    assert swirl.blender_unit == "VELOCITY" and swirl.animatable
    assert not made["start"].animatable and made["start"].blender_unit == "TIME_ABSOLUTE"
    assert made["temperature"].optional and made["temperature"].default == vt.Air().temperature
    assert set(roles.SCENE_SETTINGS) >= (set(OF_SIMULATION) - {"gravity"}) | {"voxel", "spacing"}
    assert roles.METHOD_SETTINGS["velocity"].choices == ("poisson", "direct", "tree")


def test_texts_are_for_those_who_see_labels():
    """No names of Python: a text that leaves the rest to another class says what that one says."""
    texts = [role.text for role in roles.ROLES.values()]
    texts += [start.text for start in roles.STARTS.values()]
    groups = [role.settings for role in roles.ROLES.values()]
    groups += [roles.SCENE_SETTINGS, roles.COMBUSTION_SETTINGS, roles.SKIN_SETTINGS]
    groups += [roles.METHOD_SETTINGS, *roles.AMBIENT_SETTINGS.values()]
    texts += [setting.text for group in groups for setting in group.values()]
    code = r"`|As of|\w_\w|\w=\w|\b[a-z]\w*\.[a-z]|[a-z]{2}[A-Z]|\b(Python|in C|True|False)\b"
    assert all(texts) and not [t for t in texts if re.search(code, t)]
    assert "in a Push without a Jet" in roles.ROLES["JET"].settings["fuel"].text
    assert roles.ROLES["PUSH"].cls is vt.UniformForce and roles.ROLES["PUSH"].label == "Push"
    told, body = roles.ROLES["CONTAINER"].settings, roles.ROLES["BODY"].settings
    assert body["friction"].text.startswith(told["friction"].text)
    assert "needs Combustion. It burns" in roles.ROLES["EMITTER"].settings["fuel"].text
    assert roles.ROLES["JET"].settings["tilt"].blender_unit == "ROTATION"  # shown in degrees


@dataclasses.dataclass
class Group:
    """A group of properties as Blender keeps it: floats of 32 bits."""

    def __setattr__(self, name, value):
        if isinstance(value, float):
            value = float(np.float32(value))
        if isinstance(value, tuple):
            value = tuple(float(np.float32(v)) for v in value)
        self.__dict__[name] = value


@pytest.mark.parametrize("length", [1.0, 0.01, 3.0])
def test_settings_are_read_as_they_were_written(length):
    group = Group()
    item = vt.Jet(radius=0.3, speed=1.7, core=0.021, wobble=0.1, seed=9, end=2.5)
    for name, setting in roles.ROLES["JET"].settings.items():
        setting.write(group, getattr(item, name), length)
        value = setting.read(group, length)
        expected = getattr(item, name)
        if length != 1 and setting.kind in ("number", "vector") and expected is not None:
            expected = pytest.approx(expected, rel=1e-6)
        assert value == expected, name


def test_every_default_is_allowed():
    """What Blender begins with can be made, with all optional numbers on or off."""
    for role in roles.ROLES.values():
        for setting in role.settings.values():
            field = role.cls.__dataclass_fields__[setting.name].metadata
            field["check"](setting.name, setting.default)
            keys_from_0 = field.get("row", {}).get("keys_from_0")
            for bound in (setting.most, None if keys_from_0 else setting.least):
                if bound is not None and setting.kind in ("number", "whole"):
                    field["check"](setting.name, bound)


def test_short_numbers_are_the_same_float32():
    for number in np.random.default_rng(1).normal(size=500).astype(np.float32):
        assert np.float32(poses.short(float(number))) == number
    assert poses.short(float(np.float32(0.1))) == 0.1


def cube(half=1.0):
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [corner for a, b, c, d in quads for corner in ((a, b, c), (a, c, d))]
    return corners.astype(float), np.array(faces)


def test_shapes_are_recognised():
    vertices, faces = cube()
    shift = np.array((1, 2, 3))
    assert meshes.shape_of(vertices * (1, 2, 3) + shift, faces) == vt.Box((0, 0, 0), (2, 4, 6))
    bent = vertices.copy()
    bent[0] *= 0.9
    assert isinstance(meshes.shape_of(bent, faces), vt.Mesh)
    turned = vertices @ [[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]]
    assert isinstance(meshes.shape_of(turned, faces), vt.Mesh)
    assert isinstance(meshes.shape_of(vertices, faces[:-1]), vt.Mesh)  # open
    with pytest.raises(ValueError, match="is open"):
        meshes.filled(vertices, faces[:-1], None)
    skin = meshes.filled(vertices, faces[:-1], (0.1, 0.0))
    assert isinstance(skin, vt.Surface)
    ring = vt.Torus(radius=2, thickness=0.5)
    assert meshes.shape_of(*ring.tessellate()) == ring
    squeezed = ring.tessellate()[0] * (1, 1, 0.8)
    assert isinstance(meshes.shape_of(squeezed, ring.tessellate()[1]), vt.Mesh)
    with pytest.raises(ValueError, match="close it$"):
        meshes.inside(vertices, faces[:-1])


def test_vertices_at_one_place_are_one():
    """A cube and a tetrahedron of separate triangles; one without a side stays as it is."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    cube = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    tetrahedron = np.array([(0, 1, 2), (0, 4, 1), (0, 2, 4), (1, 4, 2)])

    def apart(faces):
        return corners[faces].reshape(-1, 3), np.arange(faces.size).reshape(-1, 3)

    assert meshes.solid(*apart(cube)) == vt.Box((0, 0, 0), (1, 1, 1))
    mesh = meshes.inside(*apart(tetrahedron))
    assert mesh.closed and len(mesh.vertices) == 4 and mesh.volume == pytest.approx(1 / 6)
    for take in (meshes.solid, meshes.inside):
        with pytest.raises(ValueError, match="its mesh is open"):
            take(*apart(cube[:-1]))
    assert len(meshes.shape_of(*apart(cube[:-1])).vertices) == 33
    vertices, faces = apart(tetrahedron)
    mesh, frames = meshes.deforming(np.stack([vertices, 2 * vertices]), faces)
    assert mesh.closed and mesh.volume == pytest.approx(1 / 6) and frames.shape == (2, 4, 3)
    assert (frames[0] == mesh.vertices).all() and (frames[1] == 2 * frames[0]).all()
    vertices, faces = apart(cube[:-1])
    with pytest.raises(ValueError, match="its mesh is open"):
        meshes.deforming(vertices[None], faces)


def test_parts_that_come_apart_are_not_joined():
    """Two open halves of a cube that meet in the first frame only, and where both of them move."""
    corners, faces = cube()
    vertices = corners[faces].reshape(-1, 3)
    moves = np.zeros(vertices.shape)
    moves[18:, 2] = 3.0
    faces = np.arange(36).reshape(-1, 3)
    for meeting in (0, 1):
        frames = np.stack([vertices + moves, vertices + moves])
        frames[meeting] = vertices
        with pytest.raises(ValueError, match="its mesh is open: a body must be closed"):
            meshes.deforming(frames, faces)
    mesh, kept = meshes.deforming(np.stack([vertices, vertices + (0, 0, 3)]), faces)
    assert mesh.volume == pytest.approx(8) and (kept[1] - kept[0] == (0, 0, 3)).all()


def test_walls_are_flat_however_they_are_turned():
    """Four corners of a wall: the plane through them, with the side of its face."""
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    corners = np.array([(-2, -1, 0), (2, -1, 0), (2, 1, 0), (-2, 1, 0)], float)
    faces = np.array([(0, 1, 2), (0, 2, 3)])
    assert meshes.solid(corners + (0, 0, 3), faces) == vt.Plane((0, 0, 3), (0, 0, 1))
    assert meshes.solid(corners, faces[:, ::-1]).normal == (0, 0, -1)
    assert meshes.solid(corners[:, [0, 2, 1]], faces).normal == (0, -1, 0)
    for seed in range(20):
        turn, shift = rotation.random(random_state=seed), np.array((1, 2, 3)) * seed
        wall = meshes.solid(turn.apply(corners) + shift, faces)
        assert wall.normal == pytest.approx(turn.apply((0, 0, 1)), abs=1e-5)
        assert wall.point == pytest.approx(shift, abs=1e-5)
    bent = corners + [(0, 0, 0), (0, 0, 0), (0, 0, 0.01), (0, 0, 0)]
    with pytest.raises(ValueError, match="its mesh is open: a body must be closed, or flat"):
        meshes.solid(bent, faces)


def test_poses_are_those_of_scipy():
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    for seed in range(50):
        turn = rotation.random(random_state=seed)
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = turn.as_matrix() @ np.diag([2, 0.5, 1]), (1, 2, 3)
        pose = poses.pose_of(matrix, 10)
        q = np.roll(turn.as_quat(), 1)
        assert pose.rotation == pytest.approx(q * np.sign(q[0]), abs=1e-6)
        assert pose.place == (10, 20, 30) and pose.scale == pytest.approx((2, 0.5, 1))
        assert not pose.is_mirrored


@pytest.mark.parametrize("mirror", [1, -1])
def test_sheared_objects_are_split_as_by_scipy(mirror):
    """The rotation is that of the polar decomposition, which turns with the object."""
    linalg = pytest.importorskip("scipy.linalg")
    from scipy.spatial.transform import Rotation

    shear = np.array([[2, 0.8, 0], [0, 1, -0.3], [0.2, 0, 0.5]]) @ np.diag([mirror, 1, 1])
    points, made = np.random.default_rng(1).normal(size=(5, 3)), []
    for seed in range(20):
        turn = Rotation.random(random_state=seed).as_matrix()
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = turn @ shear, (seed, 2, 3)
        pose = poses.pose_of(matrix)
        rotation = Rotation.from_quat(np.roll(pose.rotation, -1))
        assert rotation.apply(pose.stretched(points)) == pytest.approx(
            points @ matrix[:3, :3].T, abs=2e-6
        )
        if mirror > 0:
            assert rotation.as_matrix() == pytest.approx(linalg.polar(turn @ shear)[0], abs=1e-6)
        assert pose.is_mirrored == (mirror < 0) and pose.scale is None
        made.append(pose)
    assert np.ptp([pose.stretch for pose in made], axis=0) == pytest.approx(0, abs=1e-6)
    assert poses.transform_of(made, 24, grows=False).scale == 1
    with pytest.raises(ValueError, match="sheared: a parent"):
        poses.transform_of(made, 24, grows=True)
    other = poses.pose_of(
        np.array([[1, 0.2, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], float)
    )
    with pytest.raises(ValueError, match="sheared: a parent"):
        poses.transform_of([other], 24, grows=True)
    plain = poses.pose_of(np.eye(4))
    with pytest.raises(ValueError, match="sheared another way than at the first frame: a parent"):
        poses.transform_of([plain, other], 24, grows=False)
    with pytest.raises(ValueError, match="flat"):
        poses.pose_of(np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], float))


def test_turns_take_the_shorter_way():
    """A full turn in steps: no jump where the sign of the quaternion could change."""
    angles = np.linspace(0, 2 * np.pi, 25)
    turns = []
    for angle in angles:
        matrix = np.eye(4)
        matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        turns.append(poses.pose_of(matrix))
    moved = poses.transform_of(turns, 24, grows=True).rotation
    for index, angle in enumerate(angles):
        expected = [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
        assert moved.at(index / 24) == pytest.approx(expected, abs=1e-6)


def test_camera_sees_the_whole_box():
    """By perspective: all corners of the box are in the picture."""
    lower, upper = np.array((-1, -2, 0)), np.array((2, 1, 5))
    for aspect in (0.5, 1.0, 2.0):
        eye, low, high = stage.look_from(lower, upper, aspect)
        middle = (lower[1] + upper[1]) / 2
        half = (high - low) / 2
        x, z = (lower[0] + upper[0]) / 2, (low + high) / 2
        for corner in np.array([lower, upper]):
            scale = (middle - eye[1]) / (corner[1] - eye[1])
            assert abs(corner[0] - x) * scale <= half * aspect * 1.5
            assert abs(corner[2] - z) <= half


def test_light_of_a_fire_is_where_it_glows(tmp_path):
    """Power, middle and colour of a ball that glows evenly."""
    random = np.random.default_rng(3)
    place = random.normal(size=(200_000, 3))
    place *= (0.3 * random.random(len(place)) ** (1 / 3) / np.linalg.norm(place, axis=1))[:, None]
    columns = {"position": place + (1, 2, 3), "density": np.full(len(place), 1e-6)}
    columns["size"] = np.full(len(place), 0.01)
    for name, value in (("temperature", 1500.0), ("fuel", 0.1), ("flame", 0.5), ("smoke", 0.1)):
        columns[name] = np.full(len(place), value)
    volume = _core.volume_from_tracers(**columns, voxel_size=0.03, velocity=np.ones_like)
    path = tmp_path / "ball_0001.vdb"
    path.write_bytes(volume.encode_vdb(heat_name="heat"))
    found = firelight.measure_glow(path)
    low, size = np.array(volume.info()["lower"]), np.array(volume.info()["upper"])
    low = np.floor(low / 0.03).astype(int) - 1
    size = np.ceil(size / 0.03).astype(int) + 2 - low
    glow = volume.values("glow", tuple(low.tolist()), tuple(size.tolist())).astype(float)
    power = (glow * ((700 + 1700 * glow) / 2000) ** 4).transpose(2, 1, 0)
    exact = power.sum() * 0.03**3
    assert found.power == pytest.approx(exact, rel=1e-3) and exact > 0.001
    assert found.center == pytest.approx((1, 2, 3), abs=0.01)
    axes = [0.03 * (first + np.arange(count)) for first, count in zip(low, size)]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    assert power.shape == x.shape[:3]
    away = ((x - (1, 2, 3)) ** 2).sum(-1)
    gyration = np.sqrt((power * away).sum() / power.sum())
    assert found.radius == pytest.approx(gyration, rel=0.01)
    assert 700 < found.kelvin < 2400
    path.write_bytes(volume.encode_vdb())
    assert firelight.measure_glow(path) is None


def test_messages_name_objects():
    made = Export(vt.Scene(), 1, 1, 24, names={"sources[1]": "Fire", "bodies[0]": "Log"})
    assert made.named("sources[1]: in bodies[0] and sources[0]") == (
        "'Fire': in 'Log' and sources[0]"
    )
    assert made.named("bodies[0]: Body 'Log': sources[1], Emitter lies inside of it") == (
        "'Log': 'Fire', Emitter lies inside of it"
    )
    seen = "sources[0]: Emitter.renew = -1, not of Scene.voxel, Method.turn or Combustion.ignition"
    assert made.named(seen) == (
        "sources[0]: Renew = -1, not of Voxel, Turn (Method) or Ignition (Combustion)"
    )
    path = "/Scene.vdb: Emitter.none, Scene.json"
    assert made.named(path) == path


def test_job_says_how_far_it_is_and_what_is_wrong(tmp_path):
    scene = vt.Scene("puff", voxel=0.2)
    scene.add(vt.Tracers(vt.Sphere(), count=100))
    scene.save(tmp_path / "puff.json")
    job = Job(tmp_path / "puff.json", tmp_path / "bäke", 40, 24)
    left = []
    while job.poll():
        if 0 < job.done < 40:
            left.append(job.left)
        time.sleep(0.001)
    assert (job.done, job.total, job.left, job.error) == (40, 40, 0, "")
    assert left and min(left) > 0
    assert len(list((tmp_path / "bäke").glob("*.vdb"))) == 40
    assert (tmp_path / "bäke" / "puff.vta").exists()
    job = Job(tmp_path / "puff.json", tmp_path / "without", 1, 24, archive=False)
    job.wait()
    assert job.error == "" and not (tmp_path / "without" / "puff.vta").exists()
    job = Job(tmp_path / "nowhere.json", tmp_path / "bäke", 3, 24)
    job.wait()
    assert "nowhere.json" in job.error and not job.poll()
    for line in ("7\n", "null\n", '["done"]\n', "done\n"):  # not ours
        job._take(line)
    assert job.done == 0


@pytest.mark.slow
def test_job_pauses(tmp_path):
    """It makes no frame meanwhile, has the bytes of one that did not pause, and can be cancelled,
    also while it waits."""
    scene = vt.Scene("puff", voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(), count=1000))
    scene.save(tmp_path / "puff.json")
    frames = 400  # none of the jobs that are stopped comes near its end, on no busy machine

    def until(job, met):
        end = time.monotonic() + 120
        while not met():
            assert time.monotonic() < end, (job.done, job.error)
            job.poll()
            time.sleep(0.01)

    def cancelled(job, folder):
        job.cancel()
        job.wait()
        assert job.error == ""
        return len(list((tmp_path / folder).glob("*.vdb")))

    job = Job(tmp_path / "puff.json", tmp_path / "paused", frames, 24)
    job.pause()
    until(job, lambda: job.done >= 1)
    time.sleep(0.5)  # the frame that it was at
    assert job.poll() and job.done < frames and job.paused
    stopped = job.done
    time.sleep(0.5)
    assert job.poll() and job.done == stopped
    job.pause(False)
    until(job, lambda: job.done >= stopped + 2)
    assert not job.paused and stopped + 2 <= cancelled(job, "paused") < frames
    other = Job(tmp_path / "puff.json", tmp_path / "not", stopped + 2, 24)
    other.wait()
    other.pause()  # it has ended: nothing happens
    assert (other.done, other.error) == (stopped + 2, "")
    for path in (tmp_path / "not").glob("*.vdb"):
        assert path.read_bytes() == (tmp_path / "paused" / path.name).read_bytes()
    job = Job(tmp_path / "puff.json", tmp_path / "ended", frames, 24)
    job.pause()
    until(job, lambda: job.done >= 1)
    assert 1 <= cancelled(job, "ended") < frames


def test_job_is_cancelled_though_the_signal_is_ignored(tmp_path):
    """As it is in what a script starts in the background, and all that this starts."""
    scene = vt.Scene("puff", voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(), count=1000))
    scene.save(tmp_path / "puff.json")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        job = Job(tmp_path / "puff.json", tmp_path / "out", 400, 24)
    finally:
        signal.signal(signal.SIGINT, before)
    end = time.monotonic() + 120
    while job.done < 1 and time.monotonic() < end:
        job.poll()
        time.sleep(0.01)
    job.cancel()
    job.wait()
    assert job.error == "" and 1 <= len(list((tmp_path / "out").glob("*.vdb"))) < 400


def is_running(process):
    """Whether a process of this machine, that is no child of ours, is at work."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_a_bake_of_a_killed_blender_goes_on_to_the_same_bytes(tmp_path):
    """The process of the bake ends with the one that began it, however that ends."""
    scene = vt.Scene("puff", voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(), count=1000))
    scene.add(vt.VortexRing(core=0.2))
    path = tmp_path / "puff.json"
    scene.save(path)
    program = (
        "import sys; from vorton.hosts.blender.job import Job\n"
        "job = Job(sys.argv[1], sys.argv[2], 30, 24)\n"
        "while job.poll():\n"
        "    if job.done: print(job._process.pid, flush=True); sys.stdin.read()"
    )
    killed = tmp_path / "killed"
    host = subprocess.Popen(
        [sys.executable, "-c", program, str(path), str(killed)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with host:
        worker = int(host.stdout.readline())
        host.kill()
    end = time.monotonic() + 60
    while is_running(worker):
        assert time.monotonic() < end
        time.sleep(0.05)
    whole = Manifest.find(killed).frames
    assert 1 <= len(whole) < 30
    kept = {n: (killed / f"puff_{n:04d}.vdb").stat().st_mtime_ns for n in whole}
    for folder in (killed, tmp_path / "whole"):
        job = Job(path, folder, 30, 24)
        job.wait()
        assert (job.error, len(Manifest.find(folder).frames)) == ("", 30)
    assert all((killed / f"puff_{n:04d}.vdb").stat().st_mtime_ns == t for n, t in kept.items())
    for file in (tmp_path / "whole").iterdir():
        assert file.read_bytes() == (killed / file.name).read_bytes(), file.name


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_a_killed_blender_goes_on_where_it_was(addons, tmp_path):
    """Bake in a Blender that is started again gives the files that the command line makes."""
    folder = tmp_path / "getötet, mit Blank"
    folder.mkdir()
    command, environment = command_of(folder, "kill", addons)
    place, name = folder / "vorton" / "ein Feuer das ausgeht", "ein Feuer das ausgeht"
    end = time.monotonic() + 120
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as blender:
        while not (place / f"{name}_0003.vdb").exists():
            assert blender.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        tasks = Path(f"/proc/{blender.pid}/task").glob("*/children")
        workers = " ".join(path.read_text() for path in tasks).split()
        blender.kill()
    while any(map(is_running, workers)):
        assert time.monotonic() < end
        time.sleep(0.05)
    kept = {path: path.stat().st_mtime_ns for path in place.glob("*.vdb")}
    assert workers and 3 <= len(kept) < 24 and not (folder / "result.json").exists()
    report = run_in_blender(folder, "kill", addons)
    assert (report["baked"], report["frames"]) == (["FINISHED"], 24)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
    again = [sys.executable, "-m", "vorton", "bake", str(folder / f"{name}.vorton.json"),
             str(tmp_path / "again"), "--frames", "1-24", "--no-tracers", "--quiet"]  # fmt: skip
    subprocess.run(again, check=True, capture_output=True)
    assert {path.name for path in place.iterdir()} == set(os.listdir(tmp_path / "again"))
    for path in place.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


def test_manifest_is_one(tmp_path):
    """Fields that extensions must have; the wheel that is named lies where it is said. Without
    wheels all of them are named, as the index has them."""
    import tomllib
    import zipfile

    wheel = tmp_path / "vorton-1.2.3-cp311-abi3-win_amd64.whl"
    wheel.write_bytes(b"wheel")
    with zipfile.ZipFile(load_builder().write_zip(wheel, tmp_path)) as archive:
        names = set(archive.namelist())
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        assert archive.read("LICENSE").startswith(b"                    GNU GENERAL PUBLIC LICENSE")
    assert manifest["version"] == "1.2.3" and manifest["platforms"] == ["windows-x64"]
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    assert [name.removeprefix("./") for name in manifest["wheels"]] == [f"wheels/{wheel.name}"]
    assert f"wheels/{wheel.name}" in names and "__init__.py" in names
    assert len(manifest["permissions"]["files"]) <= 64
    assert not manifest["permissions"]["files"].endswith(".")
    made = load_builder().write_named(tmp_path)
    named = tomllib.loads((made / "blender_manifest.toml").read_text())
    assert {path.relative_to(made).as_posix() for path in made.rglob("*.*")} == {
        name for name in names if not name.startswith("wheels/") and name != "LICENSE"
    }
    wheels = {name.removeprefix("./wheels/"): name for name in named["wheels"]}
    assert list(wheels) == load_builder().index_wheels(vt.__version__) and len(wheels) == 5
    assert len(set(named["platforms"])) == 5
    differs = {key for key in manifest if manifest[key] != named[key]}
    assert differs == {"version", "platforms", "wheels"} and manifest.keys() == named.keys()
    commands = "\n".join(load_builder().commands(made))
    assert all(f"--platform={load_builder().platform_of(name)}" in commands for name in wheels)
