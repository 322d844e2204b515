"""Bakes of which something is lost: it is said what, and all that is whole stays of use."""

import errno
import json
import os
import shutil
import struct

import numpy as np
import pytest
from bakes import FRAMES, VOLUMES, content, quiet, small_scene
from marks import slow_but
from test_bake_interrupted import count_steps

import vorton as vt
from vorton import Manifest
from vorton.archive import Archive, DamageError
from vorton.archive import manifest as manifest_module
from vorton.archive.reading import frames_text
from vorton.archive.writing import write_frames
from vorton.cli import main
from vorton.files.disk import file_sha256

DERIVE = ["--voxel", "0.1", "--quiet", "--threads", "1"]


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Of another scene of the same name."""
    out = tmp_path_factory.mktemp("other")
    quiet(small_scene(seed=4), out, frames=(1, 2))
    return out


@pytest.fixture
def out(reference, tmp_path):
    shutil.copytree(reference, tmp_path / "out")
    return tmp_path / "out"


def places(path):
    """(begin, end) of each frame, and where the index begins."""
    with Archive(path) as archive:
        return {n: (at, at + length) for n, (at, length) in archive._places.items()}


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 1]))


def of_frames(folder):
    return {n: d for n, d in content(folder).items() if n.endswith((".vdb", ".npz"))}


# ---- damaged archives ----


@pytest.mark.slow
def test_all_whole_frames_are_derived(reference, out, tmp_path, capsys):
    """Those behind damaged ones, too: of damaged content, and of a damaged head."""
    path, at = out / "ring.vta", places(out / "ring.vta")
    flip(path, at[2][1] - 100)
    flip(path, at[3][0] + 30)
    made = tmp_path / "made"
    assert main(["derive", str(out), str(made), *DERIVE]) == 3
    said = capsys.readouterr().err
    assert "ring.vta: frame 2: the checksum of " in said and "frame 3: its head is damaged" in said
    assert f"{made} lacks frames 2-3, all others are whole" in said
    whole = of_frames(reference)
    assert of_frames(made) == {n: d for n, d in whole.items() if "2." not in n and "3." not in n}
    assert Manifest.find(made).missing == [2, 3]
    # of a frame that was whole before, too, once its file is lost
    vt.derive(reference, tmp_path / "again", volumes=VOLUMES, progress=False, threads=1)
    (tmp_path / "again" / "ring_0002.npz").unlink()
    assert main(["derive", str(out), str(tmp_path / "again"), *DERIVE]) == 3
    assert "again lacks frame 2, all others" in capsys.readouterr().err
    # frames that are whole alone are no matter
    assert main(["derive", str(out), str(tmp_path / "one"), "--frames", "4", *DERIVE]) == 0
    # the bake repairs its archive, and then the rest follows
    capsys.readouterr()
    quiet(small_scene(), out)
    assert content(out) == content(reference)
    assert main(["derive", str(out), str(made), *DERIVE]) == 0
    assert of_frames(made) == whole and capsys.readouterr().err == ""


@pytest.mark.slow
def test_frames_between_damaged_ones_are_not_made_of_others(reference, out, tmp_path):
    """At twice the rate frame n lies at place (n + 1) / 2 of the archive."""
    flip(out / "ring.vta", places(out / "ring.vta")[2][1] - 100)
    how = {"fps": 48, "volumes": None, "progress": False, "threads": 1}
    vt.derive(reference, tmp_path / "whole", **how)
    for jobs in (1, 2):
        made = tmp_path / f"made {jobs}"
        with pytest.raises(DamageError) as caught:
            vt.derive(out, made, jobs=jobs, **how)
        assert list(caught.value.frames) == [2] and caught.value.path == out / "ring.vta"
        whole = of_frames(tmp_path / "whole")
        names = [f"ring_000{n}.npz" for n in (1, 5, 6, 7)]
        assert of_frames(made) == {name: whole[name] for name in names}


@pytest.mark.parametrize("share", slow_but([0.5], [0.0, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.7, 0.999]))
@pytest.mark.parametrize("alone", [False, True])
def test_an_archive_that_was_cut_off_says_so(out, tmp_path, capsys, share, alone):
    """It ends somewhere in frame 3; a manifest beside it knows how far it went."""
    path, at = out / "ring.vta", places(out / "ring.vta")
    begin, end = at[3]
    os.truncate(path, begin + max(round(share * (end - begin)), 1))
    if alone:
        (out / "ring.json").unlink()
    assert main(["info", str(out)]) == 1
    said = capsys.readouterr().out
    assert "frame 3: the archive ends in the middle of it" in said and "1-2" in said
    assert ("lacks frames 3-4" in said) == (not alone)
    assert main(["derive", str(path), str(tmp_path / "made"), *DERIVE]) == 3
    said = capsys.readouterr().err
    assert "frame 3: the archive ends in the middle of it" in said
    assert ("frame 4: the archive ends before it" in said) == (not alone)
    assert Manifest.find(tmp_path / "made").frames == [1, 2]
    with pytest.raises(ValueError, match="has frames 1-2, and lacks 5; frame 3: the archive ends"):
        vt.derive(path, tmp_path / "made", frames=(5, 5), volumes=VOLUMES, progress=False)
    with pytest.raises(ValueError, match="frame = 3: .* has frames 1-2; frame 3: the archive ends"):
        vt.Simulation.load(path, frame=3)


def test_what_lies_behind_the_last_frame(out):
    """Part of an index costs nothing; zeros in the place of a frame do."""
    path = out / "ring.vta"
    raw, end = path.read_bytes(), places(path)[4][1]
    for content_behind, lost in (
        (raw[end : end + 3], []),
        (raw[end:-1], []),
        (b"", []),
        (bytes(5000), [5]),
        (b"FRAM", [5]),
        (struct.pack("<4sIQQq", b"FRAM", 0, 1 << 40, 64, 7) + bytes(900), [7]),
    ):
        path.write_bytes(raw[:end] + content_behind)
        with Archive(path) as archive:
            assert archive.frames == [1, 2, 3, 4] and list(archive.lost) == lost


def test_the_archive_of_a_bake_is_the_one_that_its_manifest_names(reference, out, tmp_path, capsys):
    shutil.copyfile(out / "ring.vta", out / "ring (copy).vta")
    vt.derive(out, tmp_path / "made", volumes=VOLUMES, progress=False, threads=1)
    assert of_frames(tmp_path / "made") == of_frames(reference)
    (out / "ring.vta").unlink()
    with pytest.raises(FileNotFoundError, match=r"cannot read .*ring\.vta: it does not exist"):
        vt.derive(out, tmp_path / "none", progress=False)
    quiet(small_scene(), out)  # which is repaired, too
    (out / "ring.json").unlink()
    with pytest.raises(ValueError, match=r"several archives, name one: .*ring \(copy\)\.vta, "):
        vt.derive(out, tmp_path / "none", progress=False)
    assert main(["info", str(out)]) == 1
    assert capsys.readouterr().out.count("archive    ") == 2
    assert not (tmp_path / "none").exists()


# ---- files that are not there ----


@pytest.mark.parametrize("name", ["ring_0002.vdb", "ring_0003.npz", "ring.vta"])
def test_info_sees_what_is_missing(reference, out, capsys, name):
    assert main(["info", str(out)]) == 0 and "damaged" not in capsys.readouterr().out
    for harm in ("cut", "gone"):
        os.truncate(out / name, 100) if harm == "cut" else (out / name).unlink()
        assert main(["info", str(out)]) == 1
        assert f"{name}" in capsys.readouterr().out.split("damaged", 1)[1]
    quiet(small_scene(), out)
    assert content(out) == content(reference)


# ---- manifests that are lost ----


@pytest.mark.parametrize("harm", slow_but(["gone", 300], ["gone", 0, 1, 300, -10, "zeros"]))
def test_a_manifest_that_was_lost_is_made_again(reference, out, capsys, monkeypatch, harm):
    """By the archive alone, without a scene, a setting or a step."""
    path = out / "ring.json"
    raw = path.read_bytes()
    if harm == "gone":
        path.unlink()
    else:
        path.write_bytes(bytes(len(raw)) if harm == "zeros" else raw[:harm])
    (out / "ring_0002.vdb").unlink()
    assert main(["info", str(out)]) == 1
    said = capsys.readouterr().out
    command = f"vorton bake {out}/ring.vta {out}"
    assert f"; {command} makes it again" in said and "states of 1-4 at 24" in said
    assert "0.1 m, for blender" in said and "2 Tracers" in said
    for words in (["rewind", str(out), "--frame", "2"], ["preview", str(out), "a.png"]):
        assert main(words) == 1
        assert f"`vorton info {out}` tells what ring.vta holds" in capsys.readouterr().err
    steps = count_steps(monkeypatch)
    assert main([*command.split()[1:], "--quiet", "--threads", "1"]) == 0
    assert steps == [] and content(out) == content(reference)


def test_no_number_of_a_manifest_changes_unseen(reference, tmp_path):
    """Wherever one digit is another one: it is refused, or is the same number still. In another
    layout a manifest is read."""
    raw, path = (reference / "ring.json").read_text(), tmp_path / "ring.json"
    data = Manifest.find(reference).data
    digits = [n for n, c in enumerate(raw) if c.isdigit()]
    refused = 0
    for at in np.random.default_rng(5).choice(digits, 300, replace=False):
        path.write_text(f"{raw[:at]}{(int(raw[at]) + 1) % 10}{raw[at + 1:]}")
        try:
            assert Manifest.load(path).data == data
        except ValueError as error:
            assert "ring.json: " in str(error)
            refused += 1
    assert refused > 290
    path.write_text(json.dumps(json.loads(raw), sort_keys=True))
    assert Manifest.load(path).data == data


@pytest.mark.slow
def test_no_bit_of_a_manifest_flips_unseen(reference, tmp_path):
    """Each of the name of its digest, and some of all others: it is refused, or says the same."""
    raw, path = (reference / "ring.json").read_bytes(), tmp_path / "ring.json"
    data = Manifest.find(reference).data
    named = 8 * raw.index(b'"manifest_sha256": "')
    others = np.random.default_rng(6).choice(8 * len(raw), 250, replace=False)
    same = []
    for bit in (*range(named, named + 8 * 20), *others):
        flipped = bytearray(raw)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            assert Manifest.load(path).data == data
            same.append(bit)
        except ValueError as error:
            assert "ring.json: " in str(error)
    assert len(same) < 5, same


def test_a_manifest_without_its_digest_is_refused(out, capsys):
    told = json.loads((out / "ring.json").read_text())
    del told["manifest_sha256"]
    (out / "ring.json").write_text(json.dumps(told))
    with pytest.raises(ValueError, match="manifest_sha256 is missing; move it away, and bake"):
        Manifest.load(out / "ring.json")
    assert main(["info", str(out)]) == 1
    assert "move it away; vorton bake" in capsys.readouterr().out


def test_a_manifest_in_which_a_number_has_changed(reference, out, capsys, monkeypatch):
    """It may be somebody's work: moved away, it is made again from the archive."""
    path = out / "ring.json"
    path.write_text(path.read_text().replace('"seed": 3', '"seed": 8', 1))
    with pytest.raises(ValueError, match="its digest differs; move it away, and bake again"):
        Manifest.load(path)
    assert main(["info", str(out)]) == 1
    command = f"vorton bake {out}/ring.vta {out}"
    assert f"move it away; {command} makes it again" in capsys.readouterr().out
    before = content(out)
    assert main([*command.split()[1:], "--quiet"]) == 1
    said = capsys.readouterr().err
    assert "its digest differs" in said and "once it is moved away, it is made again" in said
    assert content(out) == before
    path.rename(out.parent / "moved.json")
    steps = count_steps(monkeypatch)
    assert main([*command.split()[1:], "--quiet", "--threads", "1"]) == 0
    assert steps == [] and content(out) == content(reference)


def test_frames_that_were_baked_are_the_range_again(tmp_path):
    out = tmp_path / "out"
    quiet(small_scene(), out, frames=(2, 3))
    (out / "ring_0003.usdc").touch()  # of a stage
    before = content(out)
    (out / "ring.json").unlink()
    assert main(["bake", str(out / "ring.vta"), str(out), "--quiet", "--threads", "1"]) == 0
    assert content(out) == before


@pytest.mark.slow
def test_the_manifest_of_a_branch_is_made_again(reference, tmp_path):
    scene, out = small_scene(), tmp_path / "out"
    scene.add(vt.Wind((1, 0, 0)))
    vt.branch(scene, reference, out, frame=2, progress=False, threads=1)
    before = content(out)
    (out / "ring.json").unlink()
    quiet(scene, out)
    assert content(out) == before


def test_nothing_of_another_bake_is_overwritten(reference, other, tmp_path, capsys):
    """An archive without a manifest, or beside one that does not tell of it."""
    for with_manifest in (False, True):
        out = tmp_path / f"out {with_manifest}"
        shutil.copytree(reference if with_manifest else other, out)
        if with_manifest:
            shutil.copyfile(other / "ring.vta", out / "ring.vta")
            for words in ([], ["--verify"]):
                assert main(["info", str(out), *words]) == 1
                assert "holds states of another scene" in capsys.readouterr().out
            with pytest.raises(ValueError, match=r"ring\.vta: holds states of another scene"):
                vt.derive(out, tmp_path / "none", progress=False)
            with pytest.raises(ValueError, match=r"ring\.vta: holds states of another scene"):
                vt.branch(small_scene("b"), out, tmp_path / "none", frame=2, progress=False)
            with pytest.raises(ValueError, match=r"ring\.vta holds states of another scene"):
                vt.copy_bake(out, tmp_path / "none")
        else:
            (out / "ring.json").unlink()
        before = content(out)
        with pytest.raises(ValueError, match="another scene, also named 'ring'.*overwrite=True"):
            quiet(small_scene(), out)
        assert content(out) == before and not (tmp_path / "none").exists()
        quiet(small_scene(), out, overwrite=True)
        assert content(out) == content(reference)


def test_states_outlive_the_files_that_were_made_of_them(reference, other, tmp_path, monkeypatch):
    """Where these are overwritten, or a manifest of another bake is in their place."""
    voxels, out = vt.Volumes(voxel=0.2), tmp_path / "out"
    quiet(small_scene(), tmp_path / "fresh", volumes=voxels, tracers=False)
    shutil.copytree(reference, out)
    steps = count_steps(monkeypatch)
    quiet(small_scene(), out, volumes=voxels, tracers=False, overwrite=True)
    assert steps == [] and content(out) == content(tmp_path / "fresh")
    shutil.copyfile(other / "ring.json", out / "ring.json")
    quiet(small_scene(), out, volumes=voxels, tracers=False, overwrite=True)
    assert steps == [] and content(out) == content(tmp_path / "fresh")


def test_files_that_only_look_like_those_of_a_bake(reference, tmp_path):
    """An archive of one frame tells of no files; other voxels are another bake."""
    out = tmp_path / "out"
    shutil.copytree(reference, out)
    (out / "ring.json").unlink()
    before = content(out)
    with pytest.raises(ValueError, match="with other volumes: voxel = 0.1, not 0.2.*--overwrite"):
        quiet(small_scene(), out, volumes=vt.Volumes(voxel=0.2))
    assert content(out) == before
    sim = vt.Simulation(small_scene())
    sim.save(out / "ring.vta")
    before = content(out)
    with pytest.raises(ValueError, match=r"ring\.vta: exists and belongs to no bake"):
        quiet(small_scene(), out)
    assert content(out) == before


def test_a_manifest_that_is_no_damaged_one_is_not_replaced(reference, tmp_path):
    """Of a newer version, or somebody's JSON."""
    for name, change in (("new", {"schema": 99}), ("own", {"format": "mine"})):
        out = tmp_path / name
        shutil.copytree(reference, out)
        data = json.loads((out / "ring.json").read_text())
        (out / "ring.json").write_text(json.dumps(data | change, indent=1))
        before = content(out)
        with pytest.raises(ValueError, match=r"ring\.json: "):
            quiet(small_scene(), out)
        assert content(out) == before


def test_states_of_another_bake_are_not_cut_by_rewind(reference, other, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(reference, out)
    shutil.copyfile(other / "ring.vta", out / "ring.vta")
    before = content(out)
    with pytest.raises(ValueError, match=r"ring\.vta: holds states of"):
        vt.rewind(out, 1)
    assert content(out) == before


def test_frames_that_lack_for_one_reason_are_named_together():
    words = frames_text({7: "cut", 3: "it differs", 6: "cut", 8: "cut", 9: "it differs"})
    assert words == "frame 3: it differs; frames 6-8: cut; frame 9: it differs"


# ---- going on without the flags ----


@pytest.mark.slow
def test_what_was_given_before_need_not_be_given_again(tmp_path, monkeypatch, capsys):
    scene, out = tmp_path / "ring.json", tmp_path / "out"
    small_scene().save(scene)
    flags = ["--frames", "2-4", "--fps", "12", "--voxel", "0.2", "--preset", "houdini"]
    bake = ["bake", str(scene), str(out), "--quiet", "--threads", "1"]
    assert main([*bake, *flags, "--no-half", "--no-tracers"]) == 0
    before = content(out)
    assert main(["rewind", str(out), "--frame", "2"]) == 0
    assert "frames 3-4 are missing: bake again" in capsys.readouterr().out
    steps = count_steps(monkeypatch)
    assert main(bake) == 0
    assert steps == [3, 4] and content(out) == before
    # what is given counts, and what is not is as it was, whatever is overwritten
    for flags, words in (
        (["--voxel", "0.3"], "voxel = 0.2, not 0.3; `vorton derive"),
        (["--tracers"], "tracers = False, not True; `vorton derive"),
    ):
        assert main([*bake, *flags]) == 1
        said = capsys.readouterr().err
        assert f"{words} {out} OTHER_FOLDER` makes such files" in said and content(out) == before
    steps.clear()
    assert main([*bake, "--overwrite"]) == 0 and content(out) == before
    assert main([*bake, "--voxel", "0.3", "--tracers", "--overwrite"]) == 0
    told = Manifest.find(out).data
    assert steps == [] and (told["first"], told["last"], told["fps"]) == (2, 4, 12)
    assert told["tracers"] and told["volumes"]["preset"] == "houdini"
    assert told["volumes"]["voxel"] == 0.3 and not told["volumes"]["half"]
    # a scene that has changed begins anew, which is said
    small_scene(seed=4).save(scene)
    capsys.readouterr()
    loud = [word for word in bake if word != "--quiet"]
    assert main([*loud, "--frames", "1", "--overwrite"]) == 0
    said = capsys.readouterr().err
    assert "another scene: frames 2-4 at 12 a second, volumes 0.3 m, for houdini: " in said
    told = Manifest.find(out).data
    assert told["fps"] == 24 and told["tracers"] and told["volumes"]["preset"] == "blender"


def test_links_to_folders_are_followed(reference, tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    shutil.copytree(reference, real)
    link.symlink_to(real, target_is_directory=True)
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere", target_is_directory=True)
    vt.rewind(link, 2)
    quiet(small_scene(), link)
    assert content(real) == content(reference) and link.is_symlink()
    with pytest.raises(OSError, match="cannot make the folder .*gone"):
        quiet(small_scene(), tmp_path / "gone")


def test_the_frames_of_a_damaged_archive_are_the_same(out):
    """What is read of a whole frame does not depend on those beside it."""
    with Archive(out / "ring.vta") as archive:
        before = {n: archive.fields(n)["tracers.position"] for n in archive.frames}
    flip(out / "ring.vta", places(out / "ring.vta")[1][0] + 30)
    with Archive(out / "ring.vta") as archive:
        assert archive.frames == list(range(2, FRAMES[1] + 1)) and list(archive.lost) == [1]
        for n in archive.frames:
            np.testing.assert_array_equal(archive.fields(n)["tracers.position"], before[n])


@pytest.mark.parametrize("jobs", slow_but([1], [1, 2]))
def test_a_frame_that_cannot_be_written(reference, tmp_path, jobs):
    """The error tells the file, and what the system said, whichever process met it."""
    (tmp_path / "made" / "ring_0003.vdb").mkdir(parents=True)
    with pytest.raises(IsADirectoryError) as caught:
        vt.derive(
            reference,
            tmp_path / "made",
            volumes=VOLUMES,
            jobs=jobs,
            progress=False,
            threads=1,
            overwrite=True,
        )
    file = tmp_path / "made" / "ring_0003.vdb"
    assert caught.value.errno == errno.EISDIR
    assert caught.value.strerror == f"cannot write {file}: it is a folder"


def test_a_file_that_cannot_be_read_is_damaged(reference, out, monkeypatch, capsys):
    """As one with other content is: it is told, and made again."""
    names = {"ring_0002.vdb"}

    def fails(path):
        if path.name in names:
            raise OSError(errno.EIO, "Input/output error", str(path))
        return file_sha256(path)

    monkeypatch.setattr(manifest_module, "file_sha256", fails)
    assert main(["info", str(out), "--verify"]) == 1
    said = capsys.readouterr().out
    path = out / "ring_0002.vdb"
    assert f"damaged    cannot read {path}: the disk reports an error: bake again" in said
    before = path.stat().st_ino
    quiet(small_scene(), out)
    assert path.stat().st_ino != before
    names.clear()
    assert main(["info", str(out), "--verify"]) == 0
    assert content(out) == content(reference)


@pytest.mark.slow
def test_heads_that_say_nonsense(reference, out, tmp_path, capsys):
    """Whatever a head says, in a block that is whole: an error that names the archive, or none."""
    path = out / "ring.vta"
    (out / "ring.json").unlink()
    with Archive(path) as archive:
        told, blocks = archive.about, [archive.block(n) for n in archive.frames]
    refused = 0
    for key in [*told, "branch"]:
        for odd in (None, 5, 2.5, "/x", [], {}, {"type": 3}, {"frame": 1, "branch": 5}, [{}]):
            write_frames(path, told | {key: odd}, blocks)
            commands = [
                ["info", str(out)],
                ["derive", str(out), str(tmp_path / "a"), "--frames", "9"],
                ["bake", str(path), str(out), "--frames", "1", "--quiet", "--threads", "1"],
            ]
            for words in commands:
                shutil.rmtree(tmp_path / "a", ignore_errors=True)
                (out / "ring.json").unlink(missing_ok=True)
                if main(words) != 1:
                    assert words[0] != "derive"
                    continue
                refused += 1
                error = capsys.readouterr().err.removeprefix("vorton: error: ")
                assert error == "" or error.startswith((str(path), f"{out}: ")), (key, odd, error)
    assert refused > 100


def test_a_damaged_file_beside_a_lost_manifest_is_made_again_where_that_is_allowed(
    reference, out, monkeypatch
):
    """Nothing tells whose it is; all else is told by the archive."""
    (out / "ring.json").unlink()
    flip(out / "ring_0002.vdb", 500)
    before = content(out)["ring_0002.vdb"]
    steps = count_steps(monkeypatch)
    text = r"ring_0002\.vdb: holds something else .*damaged, or somebody's; .*--overwrite\) to make"
    with pytest.raises(FileExistsError, match=text):
        quiet(small_scene(), out)
    assert content(out)["ring_0002.vdb"] == before
    quiet(small_scene(), out, overwrite=True)
    assert content(out) == content(reference) and steps == []


def test_a_frame_is_told_of_once(out):
    """The digest, made of the records by their frames, would not see another before it."""
    told = json.loads((out / "ring.json").read_text())
    told["frames"].insert(1, {**told["frames"][1], "mass": 5.0})
    (out / "ring.json").write_text(json.dumps(told))
    with pytest.raises(ValueError, match=r"manifest\.frames\[2\]\.frame = 2, a second time"):
        Manifest.find(out / "ring.json")


# ---- what looks at a bake ----


@pytest.mark.slow
def test_a_preview_of_a_damaged_bake_says_what_to_do(out, tmp_path, capsys):
    film = [str(tmp_path / "a.webp"), "--threads", "1"]
    path, at = out / "ring.vta", places(out / "ring.vta")
    flip(path, at[2][1] - 100)
    assert main(["preview", str(path), *film]) == 1
    said = capsys.readouterr().err
    assert "frame 2: the checksum of " in said and "bake again to repair it" in said
    assert "frames 1, 3-4 are whole" in said
    flip(path, at[3][0] + 30)  # no film goes past a frame that is lost as if it had never been
    assert main(["preview", str(path), *film]) == 1
    said = capsys.readouterr().err
    assert "frame 3: its head is damaged, or gone (bake again to repair it; frames 1, 4 are" in said
    assert main(["preview", str(path), *film, "--frames", "3-4"]) == 1
    said = capsys.readouterr().err
    assert "lacks 3" in said and "(bake again to repair it; frames 1, 4 are whole)" in said
    (out / "ring_0003.npz").unlink()
    assert main(["preview", str(out), *film]) == 1
    assert "(a file of frame 3: bake again to repair it)" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.webp"))
    assert main(["preview", str(path), str(tmp_path / "a.png"), "--threads", "1"]) == 0  # frame 4


@pytest.mark.slow
def test_no_film_leaves_frames_out(out, tmp_path, capsys):
    """At the beginning, at the end where the manifest knows of them, and of a derived bake."""
    film, path = [str(tmp_path / "a.webp"), "--threads", "1"], out / "ring.vta"
    whole, at = path.read_bytes(), places(path)

    def said(place, words):
        assert main(["preview", str(place), *film]) == 1
        assert words in capsys.readouterr().err and not list(tmp_path.glob("*.webp"))

    flip(path, at[1][0] + 30)
    said(path, "frame 1: its head is damaged, or gone (bake again to repair it; frames 2-4 are")
    path.write_bytes(whole[: at[3][0] + 900])
    said(path, "frame 3: the archive ends in the middle of it; frame 4: the archive ends before")
    for lost, kept in ((1, "2-4"), (3, "1-2, 4")):
        path.write_bytes(whole)
        flip(path, at[lost][0] + 30)
        made = tmp_path / f"without {lost}"
        assert main(["derive", str(out), str(made), *DERIVE]) == 3
        capsys.readouterr()
        said(made, f"frame {lost} is not in it; it holds {kept}; bake or derive")
    for n in ("2", "4"):
        picture = str(tmp_path / f"{n}.png")
        words = ["--frames", n] if n == "2" else []  # else the last one
        assert main(["preview", str(made), picture, "--threads", "1", *words]) == 0


@pytest.mark.parametrize("jobs", slow_but([1], [1, 2]))
def test_progress_counts_frames_that_cannot_be_made(out, tmp_path, jobs):
    flip(out / "ring.vta", places(out / "ring.vta")[2][1] - 100)
    told = []
    with pytest.raises(DamageError):
        vt.derive(out, tmp_path / "made", volumes=None, jobs=jobs, threads=1,
                  progress=lambda done, total, _: told.append((done, total)))  # fmt: skip
    assert told == [(n, 4) for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("jobs", slow_but([1], [0, 1, 2]))
def test_a_file_of_somebody_else_behind_the_range_is_not_replaced(reference, tmp_path, jobs):
    """By a bake or a derived one that grows: frames before it are whole, and it stays what it is,
    unless it may be overwritten. What a killed bake had written last is no stranger's."""
    made, whole = tmp_path / "made", of_frames(reference)

    def grow(last, **values):
        if jobs:
            values |= {"volumes": VOLUMES, "jobs": jobs, "progress": False, "threads": 1}
            return vt.derive(reference, made, frames=(1, last), **values)
        return quiet(small_scene(), made, frames=(1, last), **values)

    grow(2)
    stranger = made / "ring_0004.vdb"
    stranger.write_text("precious")
    shutil.copyfile(reference / "ring_0003.vdb", made / "ring_0003.vdb")
    with pytest.raises(FileExistsError, match=r"ring_0004\.vdb: holds something else"):
        grow(4)
    assert stranger.read_text() == "precious"
    told = Manifest.find(made)
    assert told.frames in ([1, 2, 3], [1, 2])  # of two processes either may come first
    assert all(map(told.is_whole, told.frames))
    grow(4, overwrite=True)
    assert of_frames(made) == whole
