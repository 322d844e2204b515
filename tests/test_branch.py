"""Bakes that leave another one at a frame, and bakes that are wound back."""

import copy
import os
import shutil

import everything
import numpy as np
import pytest
from bakes import VOLUMES, branch_with_other_bodies, content, quiet, small_scene
from marks import slow_but
from test_bake_interrupted import count_steps

import vorton as vt
from vorton import Manifest, _core
from vorton.archive import Archive
from vorton.bakes.course import carry_over
from vorton.cli import main
from vorton.hosts.body_meshes import body_meshes
from vorton.hosts.usd.bodies import body_prims
from vorton.preview.shots import BakeShot

AT = 2


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    folder = tmp_path_factory.mktemp("origin")
    quiet(small_scene(), folder)
    return folder


def windy(name="windy"):
    """The small scene with a wind, and other smoke."""
    scene = small_scene(name)
    scene._replace(scene.sources[2])
    scene.add(vt.Wind((1, 0, 0)))
    scene.add(vt.Tracers(vt.Sphere((0, 0, 1), 0.1), rate=3000))
    return scene


def branch(scene, origin, out, frame=AT, **values):
    values = {"progress": False, "threads": 1, **values}
    return vt.branch(scene, origin, out, frame=frame, **values)


@pytest.fixture(scope="module")
def branched(origin, tmp_path_factory):
    folder = tmp_path_factory.mktemp("branched")
    branch(windy(), origin, folder)
    return folder


def own_scene(manifest):
    return vt.Scene.from_dict(manifest.data["scene"], manifest.folder)


def fields(folder, name="windy"):
    with Archive(folder / f"{name}.vta") as archive:
        return {n: archive.fields(n) for n in archive.frames}


# ---- what a branch holds ----


def test_it_has_the_frames_of_the_other_bake_and_goes_on_by_hand(origin, branched):
    """Frames before are the other bake's; those after are of a simulation that was changed."""
    for n in (1, 2):
        for suffix in (".vdb", ".npz"):
            ours, theirs = branched / f"windy_000{n}{suffix}", origin / f"ring_000{n}{suffix}"
            assert ours.read_bytes() == theirs.read_bytes()
            assert os.stat(ours).st_ino == os.stat(theirs).st_ino
    sim = vt.Simulation(small_scene(), 24, threads=1)
    sim.step()
    sim.change(sim.scene.sources[2], windy().sources[-1])  # of two of a class one became the other
    sim.add(windy().effects[0])
    state = fields(branched)
    assert list(state) == [1, 2, 3, 4]
    for n in (3, 4):
        sim.step()
        for column in ("position", "strength", "id"):
            assert state[n][f"vortons.{column}"].tobytes() == getattr(sim.vortons, column).tobytes()
        for column in ("position", "id", "age"):
            assert state[n][f"tracers.{column}"].tobytes() == getattr(sim.tracers, column).tobytes()
    manifest = Manifest.find(branched)
    assert manifest.data["branch"]["frame"] == 2
    assert manifest.data["branch"]["scene_sha256"] == small_scene().sha256


def test_an_unchanged_scene_gives_the_bytes_of_the_other_bake(origin, tmp_path):
    branch(small_scene(), origin, tmp_path)
    for number, state in fields(tmp_path, "ring").items():
        for name, values in fields(origin, "ring")[number].items():
            assert state[name].tobytes() == values.tobytes(), (number, name)
    ours, theirs = content(tmp_path), content(origin)
    assert all(ours[n] == theirs[n] for n in theirs if n.endswith((".vdb", ".npz")))


@pytest.mark.parametrize("overwrite", slow_but([False], [False, True]))
def test_what_was_warm_may_be_removed(tmp_path, overwrite):
    """What was born has a temperature, in volumes and tracers, and in what is derived."""

    def scene(warm):
        made = vt.Scene("smoke", voxel=0.1, detail=0, max_tracers=10000)
        made.add(vt.Tracers(vt.Sphere((0, 0, 0), 0.2), count=50))
        if warm:
            made.add(vt.Emitter(vt.Sphere((0, 0, 0), 0.2), temperature=400))
        return made

    quiet(scene(True), tmp_path / "warm", frames=(1, 3))
    manifest = branch(scene(False), tmp_path / "warm", tmp_path / "out", overwrite=overwrite)
    assert manifest.data["branch"]["frame"] == AT and manifest.frames == [1, 2, 3]
    assert {"temperature", "heat"} <= manifest.data["volumes"]["grids"].keys()
    assert b"heat" in manifest.file(3, ".vdb").read_bytes()
    warm = Manifest.find(tmp_path / "warm")
    assert manifest.file(2, ".vdb").read_bytes() == warm.file(2, ".vdb").read_bytes()
    with np.load(manifest.file(3, ".npz")) as tracers:
        assert tracers["temperature"].max() > 300  # the ambient fluid has 293.15 K
    ours, theirs = content(tmp_path / "out"), content(tmp_path / "warm")
    assert ours["smoke_0003.vdb"] != theirs["smoke_0003.vdb"]
    manifest.file(3, ".vdb").unlink()
    quiet(scene(False), tmp_path / "out", frames=(1, 3))
    assert content(tmp_path / "out") == ours
    made = vt.derive(tmp_path / "out", tmp_path / "derived", volumes=VOLUMES, progress=False)
    assert made.data["volumes"] == manifest.data["volumes"]
    again = content(made.folder)
    assert all(again[n] == ours[n] for n in ours if n.endswith((".vdb", ".npz")))
    if overwrite:  # by what is no branch, and was never warm
        made = quiet(scene(False), tmp_path / "out", frames=(1, 1), fps=30, overwrite=True)
        assert "branch" not in made.data and "heat" not in made.data["volumes"]["grids"]


@pytest.mark.parametrize("stop", slow_but([2], [1, 2, 3]))
def test_one_that_was_interrupted_goes_on_with_the_same_bytes(
    origin, branched, tmp_path, monkeypatch, stop
):
    """By `bake`, and without the other bake."""
    if stop < 3:
        branch(windy(), origin, tmp_path, frames=(1, stop))
    else:
        branch(windy(), origin, tmp_path, frames=(1, 4))
        (tmp_path / "windy.vta").unlink()
        (tmp_path / "windy_0002.vdb").unlink()
    steps = count_steps(monkeypatch)
    quiet(windy(), tmp_path)
    assert steps == ([2, 3, 4] if stop == 3 else [3, 4])
    assert content(tmp_path) == content(branched)


@pytest.mark.slow
def test_a_branch_of_a_branch(origin, branched, tmp_path):
    calm = windy("calm")
    calm._replace(calm.effects[0])
    branch(calm, branched, tmp_path / "late", frame=3)
    early = tmp_path / "early"
    branch(calm, branched, early, frame=2)
    branch(calm, origin, tmp_path / "direct", frame=2)
    assert content(early) == content(tmp_path / "direct")
    states = fields(tmp_path / "late", "calm")
    theirs = fields(branched)[3]["tracers.position"]
    assert states[3]["tracers.position"].tobytes() == theirs.tobytes()
    (tmp_path / "late" / "calm.vta").unlink()
    before = content(tmp_path / "early")
    quiet(calm, tmp_path / "late")
    again = fields(tmp_path / "late", "calm")
    for n, state in states.items():
        assert all(again[n][name].tobytes() == values.tobytes() for name, values in state.items())
    assert content(tmp_path / "early") == before


@pytest.mark.slow
def test_derived_and_loaded_frames_are_those_of_their_scene(branched, tmp_path):
    derived = tmp_path / "out"
    vt.derive(branched, derived, volumes=VOLUMES, progress=False, threads=1)
    ours, theirs = content(derived), content(branched)
    assert all(ours[n] == theirs[n] for n in theirs if n.endswith((".vdb", ".npz")))
    for frame, scene in ((2, small_scene()), (3, windy())):
        assert vt.Simulation.load(branched / "windy.vta", frame).scene == scene


@pytest.mark.slow
def test_frames_of_another_history_are_not_mixed(origin, branched, tmp_path):
    """Of another branch, or of another frame rate of the archive: the scene is the same."""
    values = {"volumes": None, "progress": False, "threads": 1, "frames": (1, 2)}
    branch(windy(), origin, tmp_path / "early", frame=1)
    vt.derive(branched, tmp_path / "out", **values)
    assert vt.derive(branched, tmp_path / "out", **values).data["branch"]["frame"] == AT
    with pytest.raises(ValueError, match="this scene, branched at frame 2; it was made"):
        vt.derive(tmp_path / "early", tmp_path / "out", **values)
    quiet(windy(), tmp_path / "straight", frames=(1, 2), volumes=None)
    with pytest.raises(ValueError, match="this scene, branched at frame 2; it was made"):
        vt.derive(tmp_path / "straight", tmp_path / "out", **values)
    vt.derive(origin, tmp_path / "whole", **values)
    branch(small_scene(), origin, tmp_path / "same", frame=1)
    with pytest.raises(ValueError, match="this scene, not a branch; it was made"):
        vt.derive(tmp_path / "same", tmp_path / "whole", **values)

    vt.derive(origin, tmp_path / "slow", fps=48, **values)
    simulated = {"fps": 48, "volumes": None, "frames": (1, 2), "archive": False}
    with pytest.raises(ValueError, match="this scene with archived_fps = 24.0, not None"):
        quiet(small_scene(), tmp_path / "slow", **simulated)
    quiet(small_scene(), tmp_path / "fast", **simulated)
    with pytest.raises(ValueError, match="this scene with archived_fps = None, not 24.0"):
        vt.derive(origin, tmp_path / "fast", fps=48, **values)


@pytest.fixture(scope="module")
def dropped(tmp_path_factory):
    return branch_with_other_bodies(tmp_path_factory.mktemp("dropped"))


@pytest.mark.slow
def test_bodies_are_those_of_the_scene_of_a_frame(dropped):
    bodies = {b.name: b for b in body_meshes(dropped, own_scene(dropped), dropped.frames)}
    there = {name: list(body.places) for name, body in bodies.items()}
    assert there == {"ball 0": [1, 2], "ball 1": [1, 2, 3], "box": [3]}
    x = {name: {at[0] for at, _ in body.places.values()} for name, body in bodies.items()}
    assert all(abs(place) < 0.1 for place in x["ball 0"])
    assert all(abs(place - 1) < 0.1 for place in x["ball 1"])
    heights = [at[2] for at, _ in bodies["ball 1"].places.values()]
    assert heights[0] > heights[1] > heights[2]
    recorded = dropped.frame(3)["bodies"]["0"]  # the first that is left
    assert bodies["ball 1"].places[3][0] == pytest.approx(recorded[:3], abs=1e-6)
    assert bodies["box"].placed(3).min(axis=0) == pytest.approx([-3, 0, 0], abs=1e-5)
    shot = BakeShot(dropped)
    centres = [sorted(body.position[0] for body in shot.simulation.bodies) for _ in shot]
    assert [len(places) for places in centres] == [2, 2, 2]
    assert centres[1] == pytest.approx([0, 1], abs=0.1)
    assert centres[2] == pytest.approx([-2.75, 1], abs=0.1)


@pytest.mark.slow
def test_bodies_follow_the_archive_in_slow_motion(dropped, tmp_path):
    slow = vt.derive(dropped.folder, tmp_path, fps=48, volumes=None, progress=False, threads=1)
    bodies = {b.name: b for b in body_meshes(slow, own_scene(slow), slow.frames)}
    there = {name: list(body.places) for name, body in bodies.items()}
    assert there == {"ball 0": [1, 2, 3], "ball 1": [1, 2, 3, 4, 5], "box": [4, 5]}


@pytest.mark.slow
def test_stages_hide_bodies_that_are_not_there(dropped):
    prims = {prim.name: prim for prim in body_prims(dropped, own_scene(dropped))[0].children}
    shown = {
        name: next((a.samples for a in prim.attributes if a.name == "visibility"), None)
        for name, prim in prims.items()
    }
    hidden, visible = "invisible", "inherited"
    assert shown == {
        "ball_0": {1: visible, 2: visible, 3: hidden},
        "ball_1": None,
        "box": {1: hidden, 2: hidden, 3: visible},
    }


def test_a_bake_of_an_older_version_may_be_left(origin, tmp_path):
    """Its manifest does not say all of the volumes: the rest is the default."""
    shutil.copytree(origin, tmp_path / "old")
    manifest = Manifest.find(tmp_path / "old")
    del manifest.data["volumes"]["margin"], manifest.data["volumes"]["sharp"]
    manifest.save()
    made = branch(windy(), tmp_path / "old", tmp_path / "out", frame=1, frames=(1, 1))
    assert made.data["volumes"]["margin"] == vt.Volumes().margin
    assert made.data["volumes"]["sharp"] == vt.Volumes().sharp
    assert made.data["volumes"]["voxel"] == VOLUMES.voxel


def test_a_damaged_origin_leaves_nothing_behind(origin, tmp_path):
    shutil.copytree(origin, tmp_path / "bad")
    with Archive(tmp_path / "bad" / "ring.vta") as archive:
        at, length = archive._places[1]
    with open(tmp_path / "bad" / "ring.vta", "r+b") as file:
        file.seek(at + length - 50)
        file.write(b"x" * 20)
    with pytest.raises(ValueError, match=r"ring\.vta: frame 1: .*: bake it again to repair it"):
        branch(windy(), tmp_path / "bad", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_all_branches_of_a_manifest_are_checked(branched, tmp_path):
    manifest = Manifest(tmp_path / "windy.json", Manifest.find(branched).data)
    manifest.data["branch"]["branch"] = {"frame": 1, "name": "first", "scene": {"sources": []}}
    manifest.save()
    with pytest.raises(ValueError, match="manifest.branch.branch: 'scene_sha256' is missing"):
        Manifest.load(tmp_path / "windy.json")


# ---- what goes over ----


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::vorton.SceneWarning")
def test_a_rich_scene_goes_over_whole():
    """Into the same scene with its sources in another order: all fields are then as they were."""
    scene = everything.scene("fire")
    sim = vt.Simulation(scene, 30, threads=2)
    sim.step(2)
    turned = copy.copy(scene)
    turned._sources.reverse()
    other = vt.Simulation(turned, 30, threads=2)
    carry_over(sim, other)
    same = vt.Simulation(scene, 30, threads=2)
    carry_over(sim, same)
    back = vt.Simulation(scene, 30, threads=2)
    carry_over(other, back)
    for each in (sim, same, back):
        each.step(2)
    assert everything.digests(same) == everything.digests(sim)
    assert everything.digests(back) == everything.digests(sim)


@pytest.mark.slow
def test_a_body_and_a_method_come_from_a_frame_on():
    sim = vt.Simulation(small_scene(), 24, threads=1)
    sim.step()
    scene = copy.copy(small_scene())
    scene.add(vt.Body(vt.Sphere((0, 0, 1.0), 0.2), name="ball"))
    scene.method = vt.Method(relaxation=0.2)
    scene.viscosity = 0.001
    other = vt.Simulation(scene, 24, threads=1)
    carry_over(sim, other)
    before = sim.copy(method=scene.method)
    before.add(scene.bodies[0])
    assert other.time == sim.time and other.vortons.count == before.vortons.count
    distance, *_ = other._core.body_distance(0, other.tracers.position)
    assert distance.min() >= -1e-6
    other.step()
    assert other.scene.method.relaxation == 0.2 and other.bodies["ball"].position == (0, 0, 1.0)


def test_a_source_that_was_to_come_before_comes_at_once():
    sim = vt.Simulation(small_scene(), 24, threads=1)
    sim.step(2)
    scene = small_scene()
    scene.add(vt.VortexRing((0, 0, 2), core=0.2, sections=48, layers=1, time=0.01))
    scene.wind = vt.Samples([(0, 0, 0), (1, 0, 0)])
    other = vt.Simulation(scene, 24, threads=1)
    carry_over(sim, other)
    assert other.vortons.count > sim.vortons.count
    assert np.any(other.vortons.position[:, 2] > 1.9)
    twice = vt.Scene("twice", voxel=0.1)
    smoke = vt.Tracers(vt.Sphere(radius=0.1), rate=500)
    for _ in range(2):  # the same object
        twice.add(smoke)
    sims = [vt.Simulation(twice, threads=1) for _ in range(2)]
    sims[0].step(2)
    carry_over(*sims)
    for sim in sims:
        sim.step(2)
    assert sims[0].tracers.position.tobytes() == sims[1].tracers.position.tobytes()


def changed(change):
    scene = small_scene()
    change(scene)
    return scene


def seeded(scene):
    scene.seed = 4


def fluid(scene):
    scene.ambient = vt.Water()


def wide(scene):
    scene.spacing = 0.3


def stirred(scene):
    scene.detail = 2


def burning(scene):
    scene.combustion = vt.Combustion()


def test_detail_that_follows_from_the_scene_is_said_to():
    warm, cold = vt.Scene("a", voxel=0.1), vt.Scene("a", voxel=0.1)
    warm.add(vt.Emitter(vt.Sphere(radius=0.2), temperature=400))
    text = r"Scene.detail = 0: was 3, .* follows from what is in the scene: give detail=3"
    with pytest.raises(ValueError, match=text):
        carry_over(vt.Simulation(warm, threads=1), vt.Simulation(cold, threads=1))


def larger(scene):
    scene._replace(scene.sources[0], vt.VortexRing(radius=0.7, core=0.2, sections=48, layers=1))


@pytest.mark.parametrize(
    "change, text",
    [
        (seeded, "Scene.seed = 4: was 3"),
        (fluid, "Scene.ambient = "),
        (wide, "Scene.spacing = 0.3"),
        (stirred, "Scene.detail = 2: was 0"),
        (burning, "Scene.combustion: law 'simple', was None"),
        (larger, r"sources\[0\], VortexRing: cannot change from a frame on: .* born whole"),
    ],
)
def test_what_cannot_change_is_refused_by_name(origin, tmp_path, change, text):
    with pytest.raises(ValueError, match=text):
        branch(changed(change), origin, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_bodies_that_are_free_or_out_of_order_are_refused():
    scene = vt.Scene("a")
    for n in range(2):
        scene.add(vt.Body(vt.Sphere((n, 0, 0), 0.2), density=100.0, name=f"ball {n}"))
    sim = vt.Simulation(scene, threads=1)
    heavier = vt.Scene("a")
    heavier.add(vt.Body(vt.Sphere((0, 0, 0), 0.2), density=200.0, name="ball 0"))
    heavier.add(scene.bodies[1])
    turned = vt.Scene("a")
    for body in reversed(scene.bodies):
        turned.add(body)
    for other, text in ((heavier, "moves freely"), (turned, "come first, in the order")):
        with pytest.raises(ValueError, match=r"bodies\[0\], .*" + text):
            carry_over(sim, vt.Simulation(other, threads=1))


# ---- in the place of the other bake ----


def copy_of(origin, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(origin, out)
    return out


@pytest.mark.slow
def test_in_place_it_is_as_it_is_elsewhere(origin, tmp_path):
    """The frames before are not touched; the way back to the earlier scene gives its bake."""
    out = copy_of(origin, tmp_path)
    changed = windy("ring")
    stay = [out / f"ring_000{n}{suffix}" for n in (1, 2) for suffix in (".vdb", ".npz")]
    before = [path.stat() for path in stay]
    with pytest.raises(ValueError, match="frames 3-4 would be removed; .*overwrite=True"):
        branch(changed, out, out)
    assert content(out) == content(origin)
    branch(changed, out, out, overwrite=True)
    branch(changed, origin, tmp_path / "elsewhere")
    made = content(out)
    assert made == content(tmp_path / "elsewhere")
    assert made["ring_0003.vdb"] != content(origin)["ring_0003.vdb"]
    after = [path.stat() for path in stay]
    assert [(a.st_ino, a.st_mtime_ns) for a in after] == [(b.st_ino, b.st_mtime_ns) for b in before]
    branch(small_scene(), out, out, overwrite=True)
    assert content(out) == content(origin) and "branch" not in Manifest.find(out).data


def test_in_place_frames_may_be_added(origin, tmp_path):
    """Behind the last frame nothing is removed, and nobody has to allow it."""
    out = copy_of(origin, tmp_path)
    manifest = branch(windy("ring"), out, out, frame=4, frames=(1, 6))
    assert manifest.frames == list(range(1, 7)) and manifest.data["branch"]["frame"] == 4
    assert all(content(out)[name] == digest for name, digest in content(origin).items()
               if name.endswith((".vdb", ".npz")))  # fmt: skip


def test_in_place_an_unchanged_scene_loses_nothing(origin, tmp_path, monkeypatch):
    out = copy_of(origin, tmp_path)
    steps = count_steps(monkeypatch)
    branch(small_scene(), out, out)
    assert steps == [] and content(out) == content(origin)


@pytest.mark.parametrize("made", slow_but([small_scene], [windy, small_scene]))
def test_in_place_a_branch_loses_nothing_from_where_it_left_on(
    origin, tmp_path, monkeypatch, made
):
    """Before that its frames are another scene's, or are told to be so."""
    out, scene = tmp_path / "out", made("ring")
    branch(scene, origin, out)
    before = content(out)
    steps = count_steps(monkeypatch)
    for frame in (2, 3):
        branch(scene, out, out, frame=frame)
    assert steps == [] and content(out) == before
    with pytest.raises(ValueError, match="frames 2-4 would be removed; .*overwrite=True"):
        branch(scene, out, out, frame=1)
    assert content(out) == before
    branch(scene, out, out, frame=1, overwrite=True)
    if made is windy:
        branch(scene, origin, tmp_path / "elsewhere", frame=1)
        assert content(out) == content(tmp_path / "elsewhere")
    else:
        assert content(out) == content(origin)


@pytest.mark.parametrize("frames", [(2, 4), pytest.param((1, 1), marks=pytest.mark.slow)])
def test_in_place_frames_that_stay_are_not_left_out(origin, tmp_path, frames):
    out = copy_of(origin, tmp_path)
    text = rf"frames = \({frames[0]}, {frames[1]}\): frames 1 to 2 stay in .*begin at 1 or before"
    for scene in (windy("ring"), small_scene()):
        with pytest.raises(ValueError, match=text):
            branch(scene, out, out, frames=frames, overwrite=True)
    assert content(out) == content(origin)
    branch(windy("ring"), out, out, frames=(1, 3), overwrite=True)
    assert Manifest.find(out).frames == [1, 2, 3]


@pytest.mark.parametrize("stop", slow_but(["frame"], ["remove", "states", "frame"]))
def test_in_place_it_goes_on_where_it_was_interrupted(origin, tmp_path, monkeypatch, stop):
    """By the same call, and once the manifest is that of the branch by `bake`, too. States are
    copied where another build has made them."""
    from vorton.archive import manifest
    from vorton.bakes import bake_branch

    out, changed = copy_of(origin, tmp_path), windy("ring")
    if stop == "states":
        monkeypatch.setattr(_core, "build", lambda: "another")
    branch(changed, origin, tmp_path / "elsewhere")

    def fail(*_, **__):
        raise OSError("now")

    with monkeypatch.context() as patched:
        if stop == "remove":
            patched.setattr(manifest, "remove", fail)
        elif stop == "states":
            patched.setattr(bake_branch, "write_frames", fail)
        else:
            patched.setattr(bake_branch, "bake", fail)
        with pytest.raises(OSError, match="now"):
            branch(changed, out, out, overwrite=True)
    steps = count_steps(monkeypatch)
    if stop == "frame":
        quiet(changed, out)
    else:
        branch(changed, out, out, overwrite=True)
    assert steps == [3, 4] and content(out) == content(tmp_path / "elsewhere")


@pytest.mark.parametrize("by", slow_but(["files"], ["files", "archive", "build"]))
def test_what_is_baked_in_its_place_is_the_branch(origin, tmp_path, monkeypatch, by):
    """From its states where they serve, else from the start by both scenes."""
    out, wide = tmp_path / "out", vt.Volumes(voxel=0.15)
    how = {"volumes": wide, "archive": by != "archive"}
    branch(windy("ring"), origin, out, frame=3)
    vt.derive(out, tmp_path / "derived", volumes=wide, progress=False, threads=1)
    if by == "build":
        monkeypatch.setattr(_core, "build", lambda: "another")
    with pytest.raises(ValueError, match="holds a bake of this scene"):
        quiet(windy("ring"), out, **how)
    steps = count_steps(monkeypatch)
    manifest = quiet(windy("ring"), out, overwrite=True, **how)
    assert manifest.data["branch"]["frame"] == 3 and manifest.frames == [1, 2, 3, 4]
    assert steps == ([] if by == "files" else [2, 3, 4])
    ours, derived = content(out), content(tmp_path / "derived")
    assert all(ours[n] == derived[n] for n in derived if n.endswith((".vdb", ".npz")))
    if manifest.archive:
        with Archive(manifest.archive) as archive:
            assert archive.about["branch"] == manifest.data["branch"]
            assert archive.frames == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "whose", slow_but(["text"], ["later branch", "other branch", "origin", "text"])
)
def test_an_archive_that_was_swapped_by_hand_is_told_and_not_replaced(
    origin, tmp_path, capsys, whose
):
    """A branch's archive beside the manifest of a bake with which it shares frames, or none."""
    out, calm = tmp_path / "out", windy("ring")
    branch(calm, origin, out, frame=2)
    calm._replace(calm.effects[0], vt.Wind((0, 1, 0)))
    if whose == "text":
        (tmp_path / "ring.vta").write_text("precious notes")
    elif whose == "origin":
        shutil.copyfile(origin / "ring.vta", tmp_path / "ring.vta")
    else:
        scene, frame = (windy("ring"), 3) if whose == "later branch" else (calm, 2)
        branch(scene, origin, tmp_path / "of", frame=frame)
        shutil.copyfile(tmp_path / "of" / "ring.vta", tmp_path / "ring.vta")
    shutil.copyfile(tmp_path / "ring.vta", out / "ring.vta")
    before, words = content(out), "states 3-4 of "
    words = "something else than states" if whose == "text" else words
    for command in (["info"], ["info", "--verify"], ["bake"], ["derive"]):
        target = [str(tmp_path / "none")] if command == ["derive"] else []
        arguments = [*command[:1], str(out), *target, *command[1:]]
        if command == ["bake"]:
            with pytest.raises(ValueError, match=rf"ring\.vta: holds {words}.*--overwrite"):
                quiet(windy("ring"), out)
        else:
            assert main(arguments) == 1
            said = capsys.readouterr()
            assert f"holds {words}" in said.out + said.err
    with pytest.raises(ValueError, match=rf"ring\.vta: holds {words}"):
        vt.rewind(out, 1)
    with pytest.raises(ValueError, match=rf"ring\.vta: holds {words}"):
        vt.prune_bake(out, frames=(1, 2), archive=False)
    assert content(out) == before and not (tmp_path / "none").exists()
    quiet(windy("ring"), out, overwrite=True)
    with Archive(out / "ring.vta") as archive:
        assert archive.scene() == windy("ring") and archive.frames == [1, 2, 3, 4]
    assert main(["info", str(out), "--verify"]) == 0


def test_bad_arguments(origin, branched, tmp_path):
    out = tmp_path / "out"
    for values, text in (
        ({"frame": 5}, "has frames 1-4, and lacks 5"),
        ({"frame": 0}, "frame = 0"),
        ({"frames": (3, 1)}, "frames"),
    ):
        with pytest.raises(ValueError, match=text):
            branch(windy(), origin, out, **values)
    with pytest.raises(TypeError, match="must be a Scene"):
        branch(1, origin, out)
    with pytest.raises(ValueError, match="holds the other bake"):
        branch(windy(), origin, origin)
    shutil.copytree(branched, out)
    with pytest.raises(ValueError, match="a branch from frame 2; choose another folder"):
        branch(windy(), origin, out, frame=3)
    branch(windy(), origin, out, frame=3, overwrite=True)
    assert Manifest.find(out).data["branch"]["frame"] == 3


def test_the_core_refuses_what_does_not_fit():
    sims = [vt.Simulation(small_scene(), threads=1)._core for _ in range(2)]
    good, none = np.arange(3, dtype="i").tobytes(), b""
    sims[0].take_over(sims[1], good, none)
    wrong = good[:8] + b"\7\0\0\0"
    for sources, text in ((none, "sources are 0; allowed is 3"), (wrong, r"\[2\] is 7")):
        with pytest.raises(ValueError, match=text):
            sims[0].take_over(sims[1], sources, none)
    with pytest.raises(_core.BusyError):
        sims[0].take_over(sims[0], good, none)
    with pytest.raises(TypeError):
        sims[0].take_over(None, good, none)


def test_what_the_core_adds_to_a_cold_state_is_hot():
    """Newborn fluid is as its emitter says, what was there stays ambient."""
    scenes = [small_scene() for _ in range(2)]
    hot = {"temperature": 400, "renew": 0, "lifetime": 3, "start": 0.1}
    scenes[0].add(vt.Emitter(vt.Sphere((0, 0, 2), 0.3), core=0.2, **hot))
    new, old = (vt.Simulation(scene, threads=1) for scene in scenes)
    old.step(2)
    added = np.r_[np.arange(3), -1, -1].astype("i")  # its vortons and its tracers
    new._core.take_over(old._core, added.tobytes(), b"")
    before = len(new.vortons)
    new.step(2)
    assert before == len(old.vortons)
    here = new.vortons.position[:, 2] > 1.5
    assert here.sum() > 20 and new.vortons.temperature[here].max() == pytest.approx(400, abs=0.5)
    np.testing.assert_allclose(new.vortons.temperature[~here], scenes[0].ambient.temperature)
    here = new.tracers.position[:, 2] > 1.5
    assert here.sum() > 20 and set(new.tracers.lifetime[here]) == {np.float32(3)}


# ---- rewinding, and the commands ----


def test_a_bake_that_was_wound_back_goes_on(origin, tmp_path, monkeypatch):
    out = tmp_path / "out"
    shutil.copytree(origin, out)
    manifest = vt.rewind(out, 2)
    assert manifest.frames == [1, 2] and manifest.missing == [3, 4]
    names = [f"ring_000{n}{suffix}" for n in (1, 2) for suffix in (".npz", ".vdb")]
    assert sorted(content(out)) == ["ring.json", "ring.vta", *names]
    with Archive(out / "ring.vta") as archive:
        assert archive.frames == [1, 2] and archive._follow_index()
    steps = count_steps(monkeypatch)
    quiet(small_scene(), out)
    assert steps == [3, 4] and content(out) == content(origin)
    assert not vt.prune_bake(out, frames=(1, vt.rewind(out, 3).frames[-1])).missing
    with pytest.raises(ValueError, match="frame = 4: .*out has frames 1 to 3"):
        vt.rewind(out, 4)
    quiet(small_scene(), out)
    with pytest.raises(ValueError, match="frame = 0"):
        vt.rewind(out, 0)
    with pytest.raises(ValueError, match="frame = 5: .*out has frames 1 to 4"):
        vt.rewind(out, 5)
    assert vt.rewind(out, 4).frames == [1, 2, 3, 4] and content(out) == content(origin)


def test_the_commands(origin, tmp_path, capsys):
    scene, out = tmp_path / "windy.json", tmp_path / "out"
    windy().save(scene)
    command = ["branch", str(scene), "--from", str(origin), "--frame", "2", "-o", str(out)]
    assert main([*command, "--quiet", "--threads", "1"]) == 0
    assert "branch     up to frame 2 of another bake: scene ring, " in capsys.readouterr().out
    assert main(["info", str(out), "--verify"]) == 0
    assert main(["rewind", str(out), "--frame", "3"]) == 0
    said = capsys.readouterr().out
    assert "states of frames 1-3" in said and "frame 4 is missing: bake again" in said
    assert main(["rewind", str(out), "--frame", "99"]) == 1
    assert "frame = 99: " in capsys.readouterr().err
    assert main([*command[:5], "9", *command[6:], "--quiet"]) == 1
    assert "lacks 5-9" in capsys.readouterr().err
