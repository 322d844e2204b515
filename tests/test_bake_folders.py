"""Bakes are copied, moved and thinned out; simulations are compared."""

import errno
import os
import re
import shutil

import pytest
from bakes import VOLUMES, content, quiet, small_scene
from test_bake_interrupted import count_steps

import vorton as vt
from vorton import Manifest
from vorton.archive import Archive
from vorton.archive.stages import summary
from vorton.cli import main
from vorton.files import disk

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def meshed(folder):
    scene = small_scene()
    path = folder / "shape.obj"
    path.write_text(TETRAHEDRON)
    scene.add(vt.Tracers(vt.Mesh(path=path), count=10))
    return scene


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A bake of a scene with a mesh, and its scene."""
    top = tmp_path_factory.mktemp("made")
    scene = meshed(top)
    quiet(scene, top / "bake", frames=(1, 3))
    return top / "bake", scene


def duplicate(made, out):
    """By nothing of vorton; its mesh is found from there, too."""
    shutil.copytree(made[0], out)
    shutil.copyfile(made[0].parent / "shape.obj", out.parent / "shape.obj")


@pytest.mark.slow
@pytest.mark.parametrize("move", [False, True])
def test_a_copy_goes_on_as_the_bake(made, tmp_path, monkeypatch, move):
    """Where the path from the folder to the mesh is another; with the bytes of a bake there."""
    folder, scene = made
    place, out = folder, tmp_path / "deep" / "er" / "out"
    if move:
        place = folder.parent / "to move"
        shutil.copytree(folder, place)
    before = content(place)
    manifest = (vt.move_bake if move else vt.copy_bake)(place, out)
    assert manifest.frames == [1, 2, 3] and all(manifest.is_whole(n) for n in (1, 2, 3))
    assert not place.exists() if move else content(place) == before
    quiet(scene, tmp_path / "deep" / "er" / "straight", frames=(1, 3))
    assert content(out) == content(tmp_path / "deep" / "er" / "straight")
    assert vt.Simulation.load(out / "ring.vta").scene == scene
    steps = count_steps(monkeypatch)
    quiet(scene, out)
    assert steps == [4]


@pytest.mark.slow
def test_a_branch_is_moved_with_the_paths_of_both_scenes(made, tmp_path):
    folder, scene = made
    (tmp_path / "a").mkdir()
    other = meshed(tmp_path / "a")
    other.name = "other"
    other.add(vt.Wind((1, 0, 0)))
    vt.branch(other, folder, tmp_path / "branch", frame=2, progress=False, threads=1)
    vt.move_bake(tmp_path / "branch", tmp_path / "x" / "y" / "branch")
    path = tmp_path / "x" / "y" / "branch" / "other.vta"
    assert vt.Simulation.load(path, 2).scene == scene
    assert vt.Simulation.load(path, 3).scene == other


def test_what_cannot_be_moved_is_refused(made, tmp_path):
    folder, _ = made
    with pytest.raises(ValueError, match="is where the bake is"):
        vt.move_bake(folder, folder)
    vt.copy_bake(folder, tmp_path / "one")
    with pytest.raises(ValueError, match=r"ring\.json: exists; choose another folder"):
        vt.copy_bake(folder, tmp_path / "one")
    (tmp_path / "one" / "ring_0002.vdb").unlink()
    with pytest.raises(ValueError, match=r"ring_0002\.vdb is missing: bake again"):
        vt.move_bake(tmp_path / "one", tmp_path / "two")
    for transfer in (vt.copy_bake, vt.move_bake):
        with pytest.raises(ValueError, match=r"ring_0002\.vdb is missing: bake again"):
            transfer(tmp_path / "one" / "ring.vta", tmp_path / "two" / "three")
    assert (tmp_path / "one" / "ring.json").exists() and not (tmp_path / "two").exists()


@pytest.mark.parametrize("transfer", [vt.copy_bake, vt.move_bake])
@pytest.mark.parametrize("name", ["ring_0001.vdb", "ring.vta", "ring_0007.npz", "ring.usda"])
def test_nobodys_files_are_written_over(made, tmp_path, transfer, name):
    duplicate(made, tmp_path / "bake")
    (tmp_path / "bake" / "ring.usda").write_text("#usda 1.0")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("mine")
    before = content(tmp_path / "bake")
    with pytest.raises(ValueError, match=f"{name}: exists and belongs to no bake"):
        transfer(tmp_path / "bake", tmp_path / "out")
    assert content(tmp_path / "bake") == before and list(content(tmp_path / "out")) == [name]
    assert (tmp_path / "out" / name).read_text() == "mine"


class Stopped(BaseException):
    """As Ctrl-C."""


@pytest.mark.slow
@pytest.mark.parametrize("meshes", [False, True])
def test_a_move_that_was_interrupted_is_ended_by_another(made, tmp_path, monkeypatch, meshes):
    """At each call that changes a name; meanwhile no archive belongs to two bakes."""
    top = tmp_path / "deep" if meshes else tmp_path  # the head of the archive is then another
    bake, out, wanted = tmp_path / "bake", top / "out", top / "wanted"
    shutil.copyfile(made[0].parent / "shape.obj", tmp_path / "shape.obj")
    scene = meshed(tmp_path) if meshes else small_scene()
    quiet(scene, tmp_path / "whole", frames=(1, 2), volumes=None)
    for name in ("ring.usda", "ring_0002.usdc"):
        (tmp_path / "whole" / name).write_text(name)
    vt.copy_bake(tmp_path / "whole", wanted)
    calls = stop_at = 0

    def counted(call):
        def counting(*values, **named):
            nonlocal calls
            calls += 1
            if calls == stop_at:
                raise Stopped
            return call(*values, **named)

        return counting

    originals = {name: getattr(os, name) for name in ("link", "replace", "unlink")}
    stopped = True
    while stopped:
        shutil.copytree(tmp_path / "whole", bake)
        calls, stopped = 0, False
        stop_at += 1
        with monkeypatch.context() as patch:
            for name, call in originals.items():
                patch.setattr(os, name, counted(call))
            try:
                vt.move_bake(bake, out)
            except Stopped:
                stopped = True
        archives = [folder / "ring.vta" for folder in (bake, out)]
        if all(path.exists() for path in archives):
            assert not os.path.samefile(*archives)
        if (bake / "ring.json").exists():
            vt.move_bake(bake, out)
        found = content(out)
        assert {n: d for n, d in found.items() if not n.startswith(".")} == content(wanted), stop_at
        assert not bake.exists() or all(n.startswith(".") for n in content(bake)), stop_at
        shutil.rmtree(out)
        shutil.rmtree(bake, ignore_errors=True)
    assert stop_at > 15


def test_what_a_killed_move_left_half_written_goes(made, tmp_path):
    old, new = tmp_path / "a", tmp_path / "b"
    duplicate(made, old)
    new.mkdir()
    for folder in (old, new):
        (folder / ".ring.json.7.vorton-part").write_bytes(b"half")
    names = {path.name for path in old.iterdir() if not path.name.startswith(".")}
    vt.move_bake(old, new)
    assert not old.exists() and {path.name for path in new.iterdir()} == names


def test_a_move_from_the_folder_of_now(made, tmp_path, monkeypatch):
    duplicate(made, tmp_path / "bake")
    monkeypatch.chdir(tmp_path / "bake")
    vt.move_bake(".", tmp_path / "out")
    assert content(tmp_path / "bake") == {}
    assert content(tmp_path / "out").keys() == content(made[0]).keys()


def test_a_copy_from_a_disk_that_cannot_be_written(made, tmp_path, monkeypatch):
    take = disk._take_lock

    def refuse(folder):
        if folder == made[0]:
            raise OSError(errno.EROFS, "cannot write")
        return take(folder)

    monkeypatch.setattr(disk, "_take_lock", refuse)
    vt.copy_bake(made[0], tmp_path / "out")
    assert content(tmp_path / "out").keys() == content(made[0]).keys()
    with pytest.raises(OSError, match="cannot write"):
        vt.move_bake(made[0], tmp_path / "other")


def test_stages_go_with_their_bake(made, tmp_path):
    bake, out = tmp_path / "bake", tmp_path / "out"
    duplicate(made, bake)
    stages = ["ring.abc", "ring.points.usda", "ring.usda", "ring_0001.usdc", "ring_0003.usdc"]
    for name in stages:
        (bake / name).write_text(name)
    vt.copy_bake(bake, tmp_path / "copy")
    vt.move_bake(bake, out)
    assert not bake.exists() and content(tmp_path / "copy") == content(out)
    assert all((out / name).read_text() == name for name in stages)
    assert Manifest.find(out).strangers() == []
    assert vt.prune_bake(out, frames=(2, 3)).strangers() == []
    assert [text.split(" ")[0] for text in summary(Manifest.find(out), None)] == [
        "ring.usda,", "ring.abc"
    ]  # fmt: skip


def test_pruned_frames_come_back_from_the_archive(made, tmp_path, monkeypatch):
    folder, scene = made
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    manifest = vt.prune_bake(out, frames=(2, 2))
    assert manifest.frames == [2] and (manifest.data["first"], manifest.data["last"]) == (2, 2)
    assert not (out / "ring_0001.vdb").exists() and not (out / "ring_0003.npz").exists()
    with Archive(out / "ring.vta") as archive:
        assert archive.frames == [1, 2, 3]
    with pytest.raises(ValueError, match="none of 7 to 9 is left"):
        vt.prune_bake(out, frames=(7, 9))
    begun = Manifest.find(out)  # as one of a bake that ended early: its range is more than it has
    begun.data["last"] = 9
    begun.save()
    before = content(out)
    with pytest.raises(ValueError, match="has frames 2: none of 7 to 9 is left"):
        vt.prune_bake(out, frames=(7, 9))
    assert content(out) == before
    steps = count_steps(monkeypatch)
    shutil.copyfile(folder.parent / "shape.obj", tmp_path / "shape.obj")
    quiet(meshed(tmp_path), out, frames=(1, 3))
    assert steps == [] and content(out)["ring_0003.vdb"] == content(folder)["ring_0003.vdb"]
    steps.clear()
    vt.prune_bake(out, frames=(2, 2))
    windy = meshed(tmp_path)
    windy.add(vt.Wind((1, 0, 0)))
    grown = vt.branch(windy, out / "ring.vta", tmp_path / "on", frame=2, progress=False, threads=1)
    assert grown.frames == [2, 3] and len(steps) == 1
    with pytest.raises(ValueError, match=r"frame = 3: is the last one .* give frames, to 4 or"):
        vt.branch(windy, out, tmp_path / "not", frame=3, progress=False)
    assert vt.prune_bake(out, archive=False).archive is None
    assert not (out / "ring.vta").exists()
    with pytest.raises(ValueError, match="must hold a motion archive, and holds none"):
        vt.derive(out, tmp_path / "none", volumes=VOLUMES, progress=False)
    with pytest.raises(ValueError, match=r"that has no archive; archive=False \(--no-archive\)"):
        quiet(meshed(tmp_path), out, frames=(1, 3))
    with pytest.raises(ValueError, match="baked without one, or pruned of it"):
        vt.branch(windy, out, tmp_path / "not", frame=2, progress=False)
    with pytest.raises(FileNotFoundError, match=r"nothing\.vta: it does not exist"):
        vt.Simulation.load(out / "nothing.vta")


def test_stale_files_are_named(made, tmp_path, capsys):
    out = tmp_path / "out"
    vt.copy_bake(made[0], out)
    assert main(["info", str(out)]) == 0
    assert "of no frame" not in capsys.readouterr().out
    shutil.copyfile(out / "ring_0002.vdb", out / "ring_0007.vdb")
    assert main(["info", str(out)]) == 0
    said = capsys.readouterr().out
    assert "1 file beside it belongs to no frame of this bake: ring_0007.vdb" in said


def test_the_commands(made, tmp_path, capsys):
    """With what they do on stderr, or nothing."""
    a, b, c = (str(tmp_path / name) for name in "abc")
    assert main(["copy", str(made[0]), a]) == 0
    said = capsys.readouterr().err
    assert re.search(r"verify ring: .*\b(\d+)(/| of )\1\b.*[\r\n]+copy files of ring: ", said, re.S)
    assert main(["move", a, c]) == 0
    assert re.search(r"[\r\n]move files of ring: ", capsys.readouterr().err)
    assert main(["move", c, b, "--quiet"]) == 0
    assert main(["rewind", b, "--frame", "3", "--quiet"]) == 0
    assert main(["prune", b, "--frames", "1-2", "--no-archive", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert "frames     1-2 at 24" in out.split("bake ")[-1] and err == ""
    assert not (tmp_path / "a").exists() and not (tmp_path / "b" / "ring.vta").exists()


def test_the_same_state():
    sim = vt.Simulation(small_scene(), threads=1)
    sim.step()
    other = sim.copy()
    assert sim.same_state(other) and sim != other
    _ = other.tracers.velocity  # a view makes no difference
    assert sim.same_state(other)
    other.tracers.position[5, 1] += 1e-6
    assert not sim.same_state(other)
    later = sim.copy()
    later.step()
    assert not sim.same_state(later)
    again = vt.Simulation(small_scene(), threads=2)
    again.step()
    assert again.same_state(sim)
    assert not vt.Simulation(small_scene("other")).same_state(vt.Simulation(small_scene()))
    with pytest.raises(TypeError, match="other = 1: must be a Simulation"):
        sim.same_state(1)


@pytest.mark.parametrize("at_capacity", ["error", "oldest", "stop"])
def test_the_same_state_in_another_room(at_capacity):
    """Where that decides who lives on the same calls would not give the same bits."""
    sim = vt.Simulation(small_scene(), threads=1, at_capacity=at_capacity)
    assert sim.same_state(sim.copy(max_vortons=30_000)) == (at_capacity == "error")
