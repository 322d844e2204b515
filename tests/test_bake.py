"""Bakes: what a bake writes, and refuses; honest manifests."""

import errno
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import textwrap
import threading
import zipfile

import numpy as np
import pytest
from bakes import FRAMES, content, quiet, small_scene
from marks import slow_but

from vorton import (
    Combustion,
    Disk,
    Emitter,
    Manifest,
    Scene,
    Torus,
    Tracers,
    Volumes,
    VortexRing,
    _core,
    bake,
)
from vorton.bakes import bake_frames, report
from vorton.bakes.baking import PRESETS
from vorton.base.progress import clock
from vorton.files import disk, tracer_files, vdb_files
from vorton.files.json_text import readable_json
from vorton.film import make_film
from vorton.hosts.vdb_points import write_point_grids

# ---- what a bake writes ----


def test_files_and_manifest(reference):
    names = [f"ring_{n:04}{s}" for n in range(1, 5) for s in (".npz", ".vdb")]
    assert sorted(content(reference)) == sorted([*names, "ring.json", "ring.vta"])
    manifest = Manifest.find(reference)
    data = manifest.data
    assert data["vorton"] == _core.version() and data["build"] == _core.build()
    assert (data["name"], data["seed"], data["fps"]) == ("ring", 3, 24.0)
    assert (data["first"], data["last"]) == FRAMES and manifest.frames == [1, 2, 3, 4]
    assert data["units"]["length"] == "m" and data["units"]["up"] == "z"
    assert Scene.from_dict(data["scene"]) == small_scene()
    assert data["scene_sha256"] == small_scene().sha256
    for number in manifest.frames:
        record = manifest.frame(number)
        assert record["time"] == (number - 1) / 24.0
        assert manifest.is_whole(number)
        most = record["tracers"] / record["active_voxels"]  # rims count as whole voxels there
        assert record["tracers_per_voxel"] > most
        assert {"strength", "impulse", "overlap", "substeps"} <= record["health"].keys()
        for file in record["files"]:
            raw = (reference / file["name"]).read_bytes()
            assert file["bytes"] == len(raw)
            assert file["sha256"] == hashlib.sha256(raw).hexdigest()


def test_manifest_has_the_same_content_everywhere(reference):
    """Nothing of the moment or the machine: JSON numbers only, no NaN, no paths."""
    text = (reference / "ring.json").read_text()
    json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert str(reference) not in text


def test_a_notebook_shows_which_frames_a_bake_holds(reference):
    path = reference / "ring.json"
    data = json.loads(path.read_text())
    numbers = [record["frame"] for record in data["frames"]]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    text = f"<vorton.Manifest {str(path)!r}: frames {numbers[0]}-{numbers[-1]}>"
    assert repr(Manifest.load(path)) == text


def test_manifest_is_its_data_whatever_was_written_before(reference, tmp_path):
    """Frames that are added, replaced and removed, and none: as readable_json writes them."""
    data = json.loads((reference / "ring.json").read_text())
    del data["manifest_sha256"]
    manifest = Manifest(tmp_path / "ring.json", {**data, "frames": []})

    def check(*frames: dict) -> None:
        text = manifest.path.read_text()
        told = json.loads(text)
        assert text == readable_json(told, indent=1)
        parts = [{**data, "frames": []}, *sorted(frames, key=lambda frame: frame["frame"])]
        whole = b"".join(hashlib.sha256(json.dumps(
            part, sort_keys=True, separators=(",", ":")).encode()).digest() for part in parts)
        assert told.pop("manifest_sha256") == hashlib.sha256(whole).hexdigest()
        assert told == {**data, "frames": list(frames)}
        assert Manifest.load(manifest.path).data == told

    manifest.save()
    check()
    assert repr(manifest) == f"<vorton.Manifest {str(manifest.path)!r}: no frames>"
    first, second = data["frames"][:2]
    manifest.add_frame(second)
    check(second)
    manifest.add_frame(first)
    check(first, second)
    other = {**second, "bounds": [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], "note": '\n "frames": []'}
    manifest.add_frame(other)
    check(first, other)
    data["first"] = 2
    manifest.keep(2, data["last"])
    check(other)


def test_tracer_frames(reference):
    manifest = Manifest.find(reference)
    before = None
    for number in manifest.frames:
        with np.load(manifest.file(number, ".npz"), allow_pickle=False) as file:
            assert tuple(file) == tracer_files.COLUMNS
        columns = tracer_files.read(manifest.file(number, ".npz"))
        assert len(columns["id"]) == manifest.frame(number)["tracers"]
        assert (np.diff(columns["id"]) > 0).all()
        for array in columns.values():
            assert np.isfinite(array).all()
        digest = tracer_files.values_sha256(columns)
        assert [f["values_sha256"] for f in manifest.frame(number)["files"]][1] == digest
        if before is not None:  # the same tracer is where its velocity took it
            shared, old, new = np.intersect1d(before["id"], columns["id"], return_indices=True)
            assert len(shared) >= 2000
            mean = (before["velocity"][old] + columns["velocity"][new]) / 2
            moved = columns["position"][new] - before["position"][old]
            error = np.linalg.norm(moved - mean / 24, axis=1).max()
            assert error < 0.1 * np.linalg.norm(mean, axis=1).max() / 24
        before = columns


@pytest.mark.parametrize("ids", [[], [7], [3, 1, 2], [9, 4, 6, 5], [10**9, 5, 2**40]])
def test_tracers_are_put_in_the_order_of_their_ids(ids):
    ids = np.array(ids, np.int64)
    assert np.array_equal(bake_frames._order(ids), np.argsort(ids))


def test_frame_1_is_the_start(reference):
    columns = tracer_files.read(reference / "ring_0001.npz")
    assert len(columns["id"]) == 2000 and not columns["age"].any()
    distance = np.hypot(np.hypot(*columns["position"].T[:2]) - 1, columns["position"][:, 2])
    assert distance.max() <= 0.2 + 1e-5


def test_values_hash_does_not_depend_on_compression(reference, tmp_path):
    plain = quiet(small_scene(), tmp_path, volumes=Volumes(voxel=0.1, compress=False))
    coded = Manifest.find(reference)
    for number in coded.frames:
        one, two = coded.frame(number)["files"][0], plain.frame(number)["files"][0]
        assert one["values_sha256"] == two["values_sha256"] == two["sha256"]
        assert one["bytes"] <= two["bytes"]  # smoke and its velocity are noise: not packed


def burning_scene() -> Scene:
    """Fuel and flame are smooth: they are packed."""
    scene = Scene("fire", seed=7, combustion=Combustion(rate=8), voxel=0.05)
    bed = Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
    scene.add(Emitter(bed, temperature=800, fuel=1.0, core=0.13, lifetime=0.9))
    return scene


class Spy:
    """A volume that notes how it is encoded."""

    def __init__(self, volume, calls):
        self.volume, self.calls, self.info = volume, calls, volume.info

    def encode_vdb(self, **how):
        self.calls.append(how["compress"])
        return self.volume.encode_vdb(**how)


@pytest.mark.parametrize("scene, packed", [(small_scene(), False), (burning_scene(), True)])
def test_a_frame_is_encoded_once(tmp_path, monkeypatch, scene, packed):
    """Where a grid is packed also unpacked, for what is told of the values."""
    take, calls = bake_frames._take_volume, []
    monkeypatch.setattr(bake_frames, "_take_volume", lambda *of: Spy(take(*of), calls))
    manifest = quiet(scene, tmp_path / "a", frames=(6, 6))
    assert calls == [True, False][: 1 + packed]
    (file, _) = manifest.frame(6)["files"]
    assert vdb_files.is_packed((tmp_path / "a" / file["name"]).read_bytes()) == packed
    plain = quiet(scene, tmp_path / "b", frames=(6, 6), volumes=Volumes(voxel=0.1, compress=False))
    assert calls == [True, False][: 1 + packed] + [False]
    (raw, _) = plain.frame(6)["files"]
    assert file["values_sha256"] == raw["values_sha256"] == raw["sha256"]
    assert (file["sha256"] == raw["sha256"]) == (not packed)


def test_same_bytes_again_and_for_any_thread_count(reference, tmp_path):
    for threads in (1, 2, 3):
        quiet(small_scene(), tmp_path / str(threads), threads=threads)
        assert content(tmp_path / str(threads)) == content(reference)


def test_range_does_not_change_a_frame(reference, tmp_path):
    quiet(small_scene(), tmp_path, frames=(3, 4))
    for name in ("ring_0003.vdb", "ring_0003.npz", "ring_0004.vdb", "ring_0004.npz"):
        assert content(tmp_path)[name] == content(reference)[name]
    assert not (tmp_path / "ring_0001.vdb").exists()


def test_only_volumes_or_only_tracers(tmp_path):
    quiet(small_scene(), tmp_path / "a", frames=(1, 1), tracers=False, archive=False)
    assert sorted(content(tmp_path / "a")) == ["ring.json", "ring_0001.vdb"]
    quiet(small_scene(), tmp_path / "b", frames=(1, 1), volumes=None)
    assert sorted(content(tmp_path / "b")) == ["ring.json", "ring.vta", "ring_0001.npz"]
    assert "tracers_per_voxel" not in Manifest.find(tmp_path / "b").frame(1)


def test_empty_frame_gets_its_files(tmp_path):
    scene = Scene("late", voxel=0.1)
    scene.add(Tracers(Torus(), count=10, start=1.0))
    manifest = quiet(scene, tmp_path, frames=(1, 2))
    assert manifest.frames == [1, 2]
    assert manifest.frame(1)["tracers_per_voxel"] is None
    assert manifest.frame(1)["bounds"] is None
    assert tracer_files.read(tmp_path / "late_0001.npz")["position"].shape == (0, 3)
    assert (tmp_path / "late_0001.vdb").stat().st_size > 0


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_name_the_grids(tmp_path, preset):
    volumes = Volumes(voxel=0.2, preset=preset, compress=False)
    manifest = quiet(small_scene(), tmp_path, frames=(1, 1), volumes=volumes, tracers=False)
    raw = (tmp_path / "ring_0001.vdb").read_bytes()
    names = manifest.data["volumes"]["grids"]
    assert names["density"].encode() in raw and names["velocity"].encode() in raw
    assert (names["velocity"] == "vel") == (preset in ("houdini", "arnold"))


# ---- two at a time ----


def test_two_bakes_into_one_folder(reference, tmp_path):
    """The second is refused, by name of folder and process, and harms nothing."""
    refused = []

    def second(*_):
        if not refused:
            with pytest.raises(BlockingIOError) as error:
                quiet(small_scene(), tmp_path)
            refused.append(str(error.value))

    quiet(small_scene(), tmp_path, progress=second)
    assert str(tmp_path) in refused[0] and f"process {os.getpid()} is baking" in refused[0]
    assert content(tmp_path) == content(reference)


def test_lock_of_a_process_that_was_killed(reference, tmp_path):
    """The file that it left behind locks nothing; while it lives it keeps others out."""
    code = f"""
        import os, sys, time
        from pathlib import Path
        from vorton.files.disk import locked
        with locked(Path({str(tmp_path)!r})):
            print("locked", flush=True)
            time.sleep(60)
        """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(BlockingIOError, match=f"process {process.pid} is baking"):
            quiet(small_scene(), tmp_path)
    finally:
        process.kill()
        process.communicate()
    assert (tmp_path / disk.LOCK).exists()
    quiet(small_scene(), tmp_path)
    assert content(tmp_path) == content(reference)


def test_the_lock_is_held_by_one_at_a_time(tmp_path):
    """Many threads take and give it back, each removing the file: never two at once."""
    inside, most, taken = [], [], []

    def work():
        for _ in range(200):
            try:
                with disk.locked(tmp_path):
                    inside.append(1)
                    most.append(len(inside))
                    taken.append(1)
                    inside.pop()
            except BlockingIOError:
                pass

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1 and len(taken) > 10 and not list(tmp_path.iterdir())


def test_without_locks_on_the_file_system_bakes_go_on(reference, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(disk.fcntl, "flock", refuse)
    quiet(small_scene(), tmp_path)
    assert content(tmp_path) == content(reference)


# ---- refusals ----


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"scene": small_scene(seed=4)}, ["another scene, also named 'ring'"]),
        ({"scene": small_scene("other")}, ["another scene, 'ring'"]),
        ({"fps": 25}, ["fps = 24.0, not 25.0"]),
        ({"volumes": Volumes(voxel=0.2)}, ["other volumes", "voxel = 0.1, not 0.2"]),
        ({"volumes": None}, ["volumes = {", "not None"]),
        ({"volumes": Volumes(half=False)}, ["other volumes: half = True, not False;"]),
        ({"tracers": False}, ["tracers = True, not False"]),
    ],
)
def test_folder_with_another_bake_is_refused(reference, tmp_path, values, words):
    out = tmp_path / "copy"
    shutil.copytree(reference, out)
    values = dict(values)
    scene = values.pop("scene", None) or small_scene()
    with pytest.raises(ValueError) as caught:
        quiet(scene, out, frames=(1, 1), **values)
    for word in [*words, "holds a bake of", "--overwrite", str(out)]:
        assert word in str(caught.value)
    assert content(out) == content(reference)
    manifest = quiet(scene, out, frames=(1, 1), overwrite=True, **values)
    assert manifest.frames == [1] and Manifest.all_in(out)[0].data == manifest.data
    assert not (out / "ring_0002.vdb").exists(), "the other bake's frames are gone"


def test_foreign_files_are_not_overwritten(tmp_path):
    (tmp_path / "ring.json").write_text('{"schema": 1}')
    for overwrite in (False, True):
        with pytest.raises(ValueError, match=r"ring\.json: exists and is not the manifest"):
            quiet(small_scene(), tmp_path, overwrite=overwrite)
    (tmp_path / "ring.json").unlink()
    (tmp_path / "ring_0002.vdb").write_text("precious")
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(ValueError, match=r"ring_0002\.vdb: exists and belongs to no bake"):
        quiet(small_scene(), tmp_path)
    assert (tmp_path / "ring_0002.vdb").read_text() == "precious"
    assert sorted(content(tmp_path)) == ["other.json", "ring_0002.vdb"]


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"scene": "ring.json"}, TypeError, ["scene = 'ring.json'", "Scene"]),
        ({"frames": (0, 4)}, ValueError, ["frames = 0", "from 1"]),
        ({"frames": (4, 3)}, ValueError, ["frames = (4, 3)", "first <= last"]),
        ({"frames": 4}, TypeError, ["frames = 4"]),
        ({"frames": "14"}, TypeError, ["frames = '14'"]),
        ({"frames": (1.0, 2)}, TypeError, ["frames = 1.0", "whole number"]),
        ({"fps": 0}, ValueError, ["fps = 0", "> 0"]),
        ({"fps": NAN}, ValueError, ["fps = nan"]),
        ({"fps": INF}, ValueError, ["fps = inf"]),
        ({"fps": "24"}, TypeError, ["fps = '24'"]),
        ({"threads": -1}, ValueError, ["threads = -1", "from 0 to 64"]),
        ({"tracers": 1}, TypeError, ["tracers = 1", "True or False"]),
        ({"volumes": 0.1}, TypeError, ["volumes = 0.1", "Volumes or None"]),
        ({"volumes": None, "tracers": False}, ValueError, ["nothing to bake"]),
    ],
)
def test_bad_argument_leaves_no_folder(tmp_path, values, error, words):
    values = dict(values)
    scene = values.pop("scene", None) or small_scene()
    with pytest.raises(error) as caught:
        quiet(scene, tmp_path / "out", **values)
    for word in words:
        assert word in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"voxel": 0}, ValueError, ["Volumes.voxel = 0", "> 0", "(m)"]),
        ({"voxel": NAN}, ValueError, ["Volumes.voxel = nan"]),
        ({"preset": "maya"}, ValueError, ["Volumes.preset = 'maya'", "arnold"]),
        ({"preset": "Blender"}, ValueError, ["did you mean 'blender'"]),
        ({"half": 1}, TypeError, ["Volumes.half = 1"]),
        ({"margin": 17}, ValueError, ["Volumes.margin = 17", "from 0 to 16"]),
    ],
)
def test_bad_volumes(values, error, words):
    with pytest.raises(error) as caught:
        Volumes(**values)
    for word in words:
        assert word in str(caught.value)


def test_over_capacity(tmp_path):
    scene = Scene("crowd", voxel=0.1, max_tracers=100)
    scene.add(Tracers(Torus(), count=101))
    with pytest.raises(ValueError, match=r"count is 101; allowed is 0 to max_tracers, 100"):
        quiet(scene, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_over_capacity_in_the_middle(tmp_path):
    scene = Scene("crowd", voxel=0.1, max_tracers=100)
    scene.add(VortexRing(core=0.2))
    scene.add(Tracers(Torus(), rate=1000))
    with pytest.raises(_core.CapacityError, match="max_tracers") as caught:
        quiet(scene, tmp_path)
    assert any("while baking frame 4" in note for note in caught.value.__notes__)
    manifest = Manifest.find(tmp_path)
    assert manifest.frames == [1, 2, 3] and all(manifest.is_whole(n) for n in manifest.frames)


def test_scene_without_voxel(tmp_path):
    scene = Scene("no_voxel")
    scene.add(Tracers(Torus(), count=10))
    with pytest.raises(ValueError, match=r"Scene\.voxel = None"):
        quiet(scene, tmp_path / "out", volumes=Volumes())
    assert not (tmp_path / "out").exists()


# ---- manifests and tracer files from elsewhere ----


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not the manifest"),
        ("[]", "not the manifest"),
        ('{"format": "vorton-bake", "schema": 2}', "schema 2.*update vorton"),
        ('{"format": "vorton-bake", "schema": 1}', "not the whole .*'name' is missing"),
    ],
)
def test_bad_manifest(tmp_path, text, words):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(ValueError, match=words):
        Manifest.load(tmp_path / "a.json")
    with pytest.raises(ValueError, match="holds no bake"):
        Manifest.find(tmp_path)


def spoil(data, path, value):
    """The data with another value there, or without it."""
    data = json.loads(json.dumps(data))
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is None and path[-1] != "frames":
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


WORSE = [None, "x", -1, [], {}]


@pytest.mark.slow
def test_damaged_manifests_are_refused_or_do_not_matter(reference, tmp_path):
    """Whatever is missing or of another kind: one sentence that says where, and no other error."""
    data = Manifest.find(reference).data
    record, file = data["frames"][0], data["frames"][0]["files"][0]
    paths = [(key,) for key in data]
    paths += [("volumes", key) for key in data["volumes"]] + [("scene", "sources")]
    paths += [("frames", 0, key) for key in record]
    paths += [("frames", 0, "health", key) for key in record["health"]]
    paths += [("frames", 0, "files", 0, key) for key in file]
    path, refused = tmp_path / "ring.json", 0
    for place in paths:
        for value in WORSE:
            path.write_text(json.dumps(spoil(data, place, value)))
            try:
                manifest = Manifest.load(path)
                report.describe(manifest)
                assert all(manifest.damage(n) for n in manifest.frames)
            except ValueError as error:
                assert "ring.json: " in str(error)
                refused += 1
    assert refused > 120


@pytest.mark.parametrize("cut", slow_but([0.5, "kind"], [0, 1, 20, 300, 0.5, -10, "zeros", "kind"]))
def test_a_damaged_manifest_is_baked_over_where_that_is_asked_for(reference, tmp_path, cut):
    """Where no archive tells what it was."""
    out = tmp_path / "out"
    shutil.copytree(reference, out)
    (out / "ring.vta").unlink()
    path = out / "ring.json"
    raw = path.read_bytes()
    if cut == "zeros":
        path.write_bytes(bytes(len(raw)))
    elif cut == "kind":
        path.write_bytes(raw.replace(b'"files"', b'"elif"'))
    else:
        path.write_bytes(raw[: int(cut * len(raw)) if isinstance(cut, float) else cut])
    with pytest.raises(ValueError, match=r"ring\.json: .*--overwrite"):
        quiet(small_scene(), out)
    quiet(small_scene(), out, overwrite=True)
    assert content(out) == content(reference)


def test_only_the_same_build_goes_on(reference, tmp_path, monkeypatch):
    out = tmp_path / "out"
    shutil.copytree(reference, out)
    monkeypatch.setattr(_core, "build", lambda: "gcc | -O3 | 0123456789abcdef")
    with pytest.raises(ValueError, match=r"another vorton \(build .*--overwrite"):
        quiet(small_scene(), out)
    quiet(small_scene(), out, overwrite=True)
    assert Manifest.find(out).data["build"].endswith("0123456789abcdef")


def test_manifest_cannot_reach_outside_its_folder(reference, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(reference, out)
    (tmp_path / "precious").write_text("x")
    data = Manifest.find(out).data
    data["frames"][0]["files"][0]["name"] = "../precious"
    Manifest(out / "ring.json", data).save()
    Manifest.find(out).remove_files()
    assert (tmp_path / "precious").exists()


def test_columns_of_tracers_are_packed_where_that_pays(reference):
    """Random floats stay as they are, as does what is empty; numbers in order and what is the same
    everywhere shrink to a fraction. All are read again."""
    count = 20000
    random = np.random.default_rng(1)
    columns = {
        "position": random.normal(size=(count, 3)).astype(np.float32),
        "velocity": np.zeros((count, 3), np.float32),
        "density": random.random(count, np.float32),
        "size": np.full(count, 0.02, np.float32),
        "age": random.random(count, np.float32),
        "id": np.arange(count),
    }
    for rows in (columns, {name: column[:0] for name, column in columns.items()}):
        content = tracer_files.encode(rows)
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            assert file.testzip() is None
            left = {e.filename: e.compress_size / e.file_size for e in file.infolist()}
        with np.load(io.BytesIO(content)) as file:
            for name, column in rows.items():
                assert np.array_equal(file[name], column) and file[name].dtype == column.dtype
        if len(rows["id"]):
            packed = left
    for name in ("position", "density", "age"):
        assert 0.99 < packed[f"{name}.npy"] < 1.001
    for name in ("velocity", "size", "id"):
        assert packed[f"{name}.npy"] < 0.25


def test_bad_tracer_file(reference, tmp_path):
    raw = (reference / "ring_0001.npz").read_bytes()
    (tmp_path / "short.npz").write_bytes(raw[: len(raw) // 2])
    (tmp_path / "text.npz").write_bytes(b"hello")
    np.savez(tmp_path / "other.npz", position=np.zeros((2, 3)))
    np.savez(tmp_path / "pickle.npz", id=np.array([{}], dtype=object))
    packers = {"bzip2": 12, "lzma": 14, "unknown": 99}
    at = raw.index(b"PK\1\2") + 10  # where the directory says by which packer
    for name, packer in packers.items():
        (tmp_path / f"{name}.npz").write_bytes(raw[:at] + bytes([packer]) + raw[at + 1 :])
    for name in ("short", "text", "other", "pickle", *packers):
        with pytest.raises(ValueError, match=f"{name}.npz: is not a whole tracer frame"):
            tracer_files.read(tmp_path / f"{name}.npz")


def test_tracers_of_another_frame_are_not_taken_for_those_of_this_one(reference, tmp_path):
    """Both files are whole; the manifest tells which of them is which."""
    out, picture = shutil.copytree(reference, tmp_path / "bake"), tmp_path / "a.png"
    shutil.copyfile(out / "ring_0001.npz", out / "ring_0003.npz")
    wanted = r"ring_0003\.npz: is not a whole tracer frame: it is not as ring\.json tells"
    for show in (
        lambda: tracer_files.read(out / "ring_0003.npz"),
        lambda: make_film(out, picture, frames=(3, 3), size=(32, 32), progress=False),
        lambda: write_point_grids(out, progress=False),
    ):
        with pytest.raises(ValueError, match=wanted):
            show()
    found = tracer_files.read(out / "ring_0003.npz", as_told=False)
    assert found["id"].tobytes() == tracer_files.read(out / "ring_0001.npz")["id"].tobytes()


def test_tracers_for_which_there_is_no_room_are_named(reference, tmp_path):
    """Each header says that there are 10^15 of them."""
    path = tmp_path / "huge.npz"
    columns = tracer_files.read(reference / "ring_0001.npz")
    with zipfile.ZipFile(path, "w") as file:
        for name, column in columns.items():
            with file.open(f"{name}.npy", "w") as entry:
                shape = (10**15, *column.shape[1:])
                told = {"descr": column.dtype.str, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(entry, told)
                entry.write(column.tobytes())
    with pytest.raises(MemoryError, match=r"huge\.npz: cannot read: Unable to allocate"):
        tracer_files.read(path)


@pytest.mark.parametrize(
    "suffix, reader",
    slow_but([(".npz", tracer_files)], [(".npz", tracer_files), (".vdb", vdb_files)]),
)
def test_damaged_frames_are_refused_by_name(reference, tmp_path, suffix, reader):
    """Wherever bytes differ, or it is cut: what has checksums is refused or the same."""
    raw = (reference / f"ring_0001{suffix}").read_bytes()
    path, rng, refused = tmp_path / f"bad{suffix}", np.random.default_rng(8), 0
    bad = [raw[: int(rng.integers(len(raw)))] for _ in range(40)]
    bad += [raw.replace(b"), }", b"(, }", 1), raw.replace(b"density.npy", b"density.npz", 1)]
    for most in (3000, len(raw)):
        for _ in range(150):
            at = int(rng.integers(min(most, len(raw))))
            bad.append(raw[:at] + bytes([raw[at] ^ 1 << int(rng.integers(8))]) + raw[at + 1 :])
    for content_of_it in bad:
        path.write_bytes(content_of_it)
        try:
            found = reader.read(path)
        except ValueError as error:
            assert f"bad{suffix}: is not a whole " in str(error)
            refused += 1
            continue
        if suffix == ".npz":
            for name, column in tracer_files.read(reference / "ring_0001.npz").items():
                assert found[name].tobytes() == column.tobytes()
    assert refused > 150


# ---- progress ----


def test_progress_callback(tmp_path):
    seen = []
    quiet(small_scene(), tmp_path, frames=(2, 3), progress=lambda *state: seen.append(state))
    assert [state[:2] for state in seen] == [(1, 3), (2, 3), (3, 3)]
    assert all(state[2] >= 0 for state in seen) and seen[-1][2] == 0


def test_progress_lines_without_tqdm(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    monkeypatch.setattr("vorton.base.progress.LEAST_SECONDS_BETWEEN_LINES", 0)
    quiet(small_scene(), tmp_path, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "bake ring: 4 of 4, 0:00 left" and len(lines) == 4
    quiet(small_scene(), tmp_path / "quiet", progress=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (65.4, "1:05"), (3725, "1:02:05")])
def test_clock(seconds, text):
    assert clock(seconds) == text


def test_no_name_is_no_folder(tmp_path, monkeypatch):
    """An empty variable of a shell: not the folder one happens to be in."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="out = '': must be the path of a folder"):
        bake(small_scene(), "", frames=(1, 2), progress=False)
    assert not list(tmp_path.iterdir())
