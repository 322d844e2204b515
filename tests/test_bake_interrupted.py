"""Bakes that are interrupted, killed, or meet a full disk: whole frames or none, the same bytes."""

import errno
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest
from bakes import content, quiet, small_scene
from marks import slow_but

from vorton import Manifest, Scene, Simulation, Torus, Tracers, VortexRing, _core
from vorton.archive import Archive
from vorton.bakes import bake_frames, baking
from vorton.bakes.bake_folders import link
from vorton.bakes.bake_frames import Frame
from vorton.bakes.bake_writer import FrameWriter
from vorton.files import disk


def count_steps(monkeypatch) -> list[int]:
    """The frames that are simulated from now on, in a list that grows."""
    begun, step = [], Simulation.step

    def counted(sim):
        step(sim)
        begun.append(sim.frame + 1)

    monkeypatch.setattr(Simulation, "step", counted)
    return begun


# ---- interruption and resume ----


def interrupted(monkeypatch, out: Path, when: int, error: BaseException) -> None:
    """Bake until the `when`-th file is to be written; there the error strikes."""
    calls = []

    def write(path, data):
        calls.append(path)
        if len(calls) == when:
            raise error
        disk.write_atomically(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(bake_frames, "write_atomically", write)
        with pytest.raises(type(error)) as caught:
            quiet(small_scene(), out)
    assert any("all frames before it are whole" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("when", slow_but([1], [1, 2, 3, 6, 8]))
def test_interrupted_bake_goes_on_to_the_same_bytes(reference, tmp_path, monkeypatch, when):
    interrupted(monkeypatch, tmp_path, when, KeyboardInterrupt())
    manifest = Manifest.find(tmp_path)
    assert manifest.frames == list(range(1, (when - 1) // 2 + 1))
    assert all(manifest.is_whole(n) for n in manifest.frames)
    assert manifest.missing == [n for n in range(1, 5) if n not in manifest.frames]
    kept = {n: (tmp_path / f"ring_{n:04}.vdb").stat().st_mtime_ns for n in manifest.frames}
    quiet(small_scene(), tmp_path)
    assert content(tmp_path) == content(reference)
    for number, then in kept.items():
        assert (tmp_path / f"ring_{number:04}.vdb").stat().st_mtime_ns == then, "was rewritten"


def test_complete_bake_does_not_simulate_again(reference, tmp_path, monkeypatch):
    shutil.copytree(reference, tmp_path / "copy")
    monkeypatch.setattr(baking, "_run", lambda *_: pytest.fail("simulated"))
    assert quiet(small_scene(), tmp_path / "copy").frames == [1, 2, 3, 4]
    assert content(tmp_path / "copy") == content(reference)


@pytest.mark.parametrize("damage", ["changed", "short", "gone"])
def test_damaged_frame_is_baked_again(reference, tmp_path, monkeypatch, damage):
    out = tmp_path / "copy"
    shutil.copytree(reference, out)
    victim = out / "ring_0002.npz"
    raw = bytearray(victim.read_bytes())
    raw[100] ^= 1
    if damage == "changed":
        victim.write_bytes(raw)
    elif damage == "short":
        victim.write_bytes(raw[:-1])
    else:
        victim.unlink()
    assert not Manifest.find(out).is_whole(2)
    assert "ring_0002.npz" in Manifest.find(out).damage(2)
    steps = count_steps(monkeypatch)
    quiet(small_scene(), out)
    assert content(out) == content(reference)
    assert steps == [], "the archive has the frame"


def test_range_grows(reference, tmp_path):
    quiet(small_scene(), tmp_path, frames=(1, 2))
    assert Manifest.find(tmp_path).missing == []
    manifest = quiet(small_scene(), tmp_path, frames=(3, 4))
    assert (manifest.data["first"], manifest.data["last"]) == (1, 4)
    assert content(tmp_path) == content(reference)
    quiet(small_scene(), tmp_path, frames=(1, 1))
    assert content(tmp_path) == content(reference)


@pytest.mark.slow
def test_the_archive_does_not_depend_on_the_frames_that_were_written(reference, tmp_path):
    quiet(small_scene(), tmp_path, frames=(3, 3))
    quiet(small_scene(), tmp_path, frames=(2, 4))
    quiet(small_scene(), tmp_path)
    assert content(tmp_path) == content(reference)
    quiet(small_scene(), tmp_path / "other", volumes=None)
    with Archive(tmp_path / "other" / "ring.vta") as other, Archive(reference / "ring.vta") as one:
        assert [other.block(n) for n in other.frames] == [one.block(n) for n in one.frames]
        differ = {key for key in one.about if one.about[key] != other.about[key]}
    assert differ == {"volumes"}  # the head tells of them


def test_killed_process_leaves_nothing_half_written(reference, tmp_path):
    """What a kill -9 in the middle of a write leaves is cleared away by the next bake."""
    (tmp_path / f".ring_0001.vdb.123{disk.TEMPORARY}").write_bytes(b"half")
    quiet(small_scene(), tmp_path)
    assert content(tmp_path) == content(reference)


# ---- written beside the next step ----


@pytest.fixture
def slow_disk(monkeypatch):
    """Every file takes a while; tells which files were written, and may do more with them."""

    def slow(path, data):
        slowed.before(path)
        time.sleep(0.05)
        disk.write_atomically(path, data)
        slowed.written.append(path.name)

    slowed = types.SimpleNamespace(written=[], before=lambda path: None)
    monkeypatch.setattr(bake_frames, "write_atomically", slow)
    return slowed


@pytest.mark.slow
def test_a_frame_is_written_beside_the_next_step(reference, tmp_path, monkeypatch, slow_disk):
    """Two behind and no more; the files hold the state at their time, not that of later. The last
    file of a frame waits here for the next step but one."""
    begun, step, stepped = [], Simulation.step, threading.Condition()

    def noted(sim):
        step(sim)
        with stepped:
            begun.append(list(slow_disk.written))
            stepped.notify()

    def wait(path):
        frame = int(path.stem[-4:])
        with stepped:
            if path.suffix == ".npz" and frame < 3:
                assert stepped.wait_for(lambda: len(begun) >= frame + 1, timeout=60)

    slow_disk.before = wait
    monkeypatch.setattr(Simulation, "step", noted)
    quiet(small_scene(), tmp_path)
    assert content(tmp_path) == content(reference)
    assert len(begun) == 3
    assert "ring_0001.npz" not in begun[1], "the step to frame 3 waits for no file"
    assert "ring_0001.npz" in begun[2] and "ring_0002.npz" not in begun[2]


@pytest.mark.slow
def test_progress_is_told_of_frames_that_are_whole(tmp_path, slow_disk):
    seen = []

    def tell(done, *_):
        seen.append((done, Manifest.find(tmp_path).frames))

    quiet(small_scene(), tmp_path, progress=tell)
    assert [done for done, _ in seen] == [1, 2, 3, 4]
    assert all(frames[:done] == list(range(1, done + 1)) for done, frames in seen)


def way_on(folder, frame):
    return (
        f"branch(scene, {str(folder)!r}, {str(folder)!r}, frame={frame}), or vorton branch SCENE "
        f"--from {folder} -o {folder} --frame {frame}, of the scene with a larger max_vortons or "
        "max_tracers"
    )


@pytest.mark.parametrize("broken", slow_but([2], [0, 2]))
def test_a_step_fails_while_a_frame_is_written(tmp_path, slow_disk, broken):
    """The frame under way is finished first. If it cannot be, that comes first, too."""

    def strike(path):
        if path.name == f"crowd_{broken:04}.npz":
            raise OSError(errno.EIO, "io")

    slow_disk.before = strike
    scene = Scene("crowd", voxel=0.1, max_tracers=100)
    scene.add(VortexRing(core=0.2))
    scene.add(Tracers(Torus(), rate=1600))
    error, words, frame = (OSError, "io", 2) if broken else (_core.CapacityError, "max_tracers", 3)
    with pytest.raises(error, match=words) as caught:
        quiet(scene, tmp_path)
    notes = [f"while baking frame {frame}; all frames before it are whole"]
    if not broken:
        notes.append(f"with more room the bake goes on from there: {way_on(tmp_path, 2)}")
    assert caught.value.__notes__ == notes
    assert isinstance(caught.value.__context__, _core.CapacityError) == bool(broken)
    manifest = Manifest.find(tmp_path)
    assert manifest.frames == list(range(1, frame))
    assert all(manifest.is_whole(n) for n in manifest.frames)


@pytest.mark.parametrize("broken", slow_but([True], [False, True]))
def test_ctrl_c_while_a_frame_is_written(reference, tmp_path, slow_disk, broken):
    """Even twice: the frames under way are finished, or the error told of."""
    signals = []

    def strike(path):
        if path.name.startswith("ring_0002"):
            signals.append(path.name)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        if broken and path.name == "ring_0002.npz":
            time.sleep(0.05)
            raise OSError(errno.EIO, "io")

    slow_disk.before = strike
    with pytest.raises(KeyboardInterrupt) as caught:
        quiet(small_scene(), tmp_path)
    assert signals == ["ring_0002.vdb", "ring_0002.npz"]
    told = ["frame 2 could not be written: [Errno 5] io"] if broken else []
    frame = len(Manifest.find(tmp_path).frames) + 1
    assert frame == 2 if broken else frame in (3, 4)
    assert caught.value.__notes__[-1].startswith(f"while baking frame {frame}; all frames before")
    assert caught.value.__notes__[:-1] == told
    assert Manifest.find(tmp_path).frames == list(range(1, frame))
    assert not list(tmp_path.glob(".*")), "lock and half-written files are gone"
    slow_disk.before = lambda path: None
    quiet(small_scene(), tmp_path)
    assert content(tmp_path) == content(reference)


@pytest.mark.parametrize("broken", [1, 3, 5])
@pytest.mark.parametrize("part", ["encode", "write"])
def test_behind_a_frame_that_fails_none_is_written(part, broken):
    """Whether it cannot be encoded or not be written: found once the next one is given, too."""
    written, told, next_is_given = [], [], threading.Event()

    def strike(name):
        def do(frame):
            if part == name and frame.record["frame"] == broken:
                assert next_is_given.wait(60)
                raise OSError(errno.EIO, "io")
            if name == "write":
                written.append(frame.record["frame"])

        return do

    with (
        pytest.raises(OSError, match="io") as caught,
        FrameWriter(strike("encode"), strike("write")) as writer,
    ):
        for number in range(1, 6):
            writer.number = number
            told += writer.written()
            writer.give(Frame({"frame": number}, None, None))
            if number == min(broken + 1, 5):
                next_is_given.set()
        told += writer.written(0)
    assert written == told == list(range(1, broken))
    note = f"while baking frame {broken}; all frames before it are whole"
    assert caught.value.__notes__ == [note]


def test_another_file_that_is_missing_is_told_by_its_name(tmp_path):
    source, target = tmp_path / "source.vdb", tmp_path / "target.vdb"
    with pytest.raises(FileNotFoundError, match="read .*source.vdb: it does not exist"):
        link(source, target, copy=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("seed", slow_but([1], [1, 2, 3]))
def test_killed_at_any_time(reference, tmp_path, monkeypatch, seed):
    """What the manifest names is whole; the next bake ends with the same bytes."""
    code = f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from bakes import quiet, small_scene
        from vorton.bakes import bake_frames
        write = bake_frames.write_atomically
        def slow(path, data):
            write(path, data)
            time.sleep(0.02)
        bake_frames.write_atomically = slow
        told = lambda *_: print("frame", flush=True)
        quiet(small_scene(), Path({str(tmp_path)!r}), progress=told)
        """
    frames = np.random.default_rng(seed).integers(1, 4)
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    for _ in range(frames):
        assert process.stdout.readline() == "frame\n"
    time.sleep(np.random.default_rng(seed).uniform(0, 0.06))
    process.kill()
    process.communicate()
    manifest = Manifest.find(tmp_path)
    assert manifest.frames == list(range(1, len(manifest.frames) + 1))
    assert len(manifest.frames) >= frames
    assert all(manifest.is_whole(n) for n in manifest.frames)
    with Archive(tmp_path / "ring.vta") as archive:
        there = archive.frames
    assert there[: len(manifest.frames)] == manifest.frames
    steps = count_steps(monkeypatch)
    quiet(small_scene(), tmp_path)
    assert content(tmp_path) == content(reference)
    assert len(steps) == 4 - len(there), "what the archive has is not simulated again"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each bake is a forked child")
def test_killed_ten_times():
    """With the one that goes on, moves and gathers: `python tests/killed_bakes.py` kills more."""
    program = Path(__file__).with_name("killed_bakes.py")
    done = subprocess.run(
        [sys.executable, program, "10", "5"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = [line.split(", ")[1] for line in done.stdout.splitlines()]
    assert len(told) == 3 and all("of the same bytes" in line for line in told), done.stdout
    assert re.fullmatch(r"killed \d\d times: all of the same bytes", told[-1])


@pytest.mark.parametrize("archive", slow_but([True], [True, False]))
def test_a_folder_that_is_emptied_meanwhile(reference, tmp_path, archive):
    def remove(done, *_):
        for path in tmp_path.iterdir():
            if done == 2:
                path.unlink(missing_ok=True)  # files are written meanwhile

    with pytest.raises(FileNotFoundError, match=r"ring.*: was written, and is gone"):
        quiet(small_scene(), tmp_path, progress=remove, archive=archive)
    quiet(small_scene(), tmp_path, archive=archive, overwrite=True)
    if archive:
        assert content(tmp_path) == content(reference)


def test_a_folder_that_is_removed_meanwhile(reference, tmp_path):
    out = tmp_path / "out"

    def remove(done, *_):
        while done == 2 and out.exists():  # files are written meanwhile
            shutil.rmtree(out, ignore_errors=True)

    told = rf"{out}.*(is gone|folder does not exist)|no such folder"
    with pytest.raises(FileNotFoundError, match=told):
        quiet(small_scene(), out, progress=remove)
    quiet(small_scene(), out)
    assert content(out) == content(reference)


@pytest.mark.parametrize("touched", [0, 4e9])
def test_a_clock_that_is_set_back(reference, tmp_path, monkeypatch, touched):
    """While frames are baked, and after some were: files are then older or newer than they can
    be."""
    ticks = itertools.count(2e9, -3600)
    monkeypatch.setattr(time, "time", lambda: next(ticks))
    monkeypatch.setattr(time, "time_ns", lambda: int(1e9 * next(ticks)))
    quiet(small_scene(), tmp_path, frames=(1, 2))
    for path in tmp_path.iterdir():
        os.utime(path, (touched, touched))
    quiet(small_scene(), tmp_path)
    assert content(tmp_path) == content(reference)


# ---- disks ----


def test_out_is_a_file(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(OSError, match="out"):
        quiet(small_scene(), tmp_path / "out")
    with pytest.raises(OSError, match="a part of the path is a file"):
        quiet(small_scene(), tmp_path / "out" / "deeper")


def test_folder_that_cannot_be_written(tmp_path, monkeypatch):
    out = tmp_path / "out"
    out.mkdir()
    if os.geteuid() == 0:  # root may write anywhere: let the system say no

        def refuse(self, *_, **__):
            raise PermissionError(errno.EACCES, "Permission denied", str(self))

        monkeypatch.setattr(Path, "touch", refuse)
    else:
        out.chmod(0o555)
    with pytest.raises(OSError, match="cannot write into the folder .*out: no permission"):
        quiet(small_scene(), out)
    out.chmod(0o755)
    assert content(out) == {}


def test_disk_full_in_the_middle_of_a_file(reference, tmp_path, monkeypatch):
    """The third file meets a full disk after a part of it was written."""
    out = tmp_path / "out"
    opened = []

    class FullDisk:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, data):
            self.file.write(data[:100])
            self.file.flush()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def open_full(path, mode):
        file = open(path, mode)  # noqa: SIM115
        if not str(path).endswith(f".json.{os.getpid()}{disk.TEMPORARY}"):
            opened.append(path)
        return FullDisk(file) if len(opened) == 4 else file  # the head of the archive is one

    with monkeypatch.context() as patch:
        patch.setattr(disk, "open", open_full, raising=False)
        with pytest.raises(
            OSError, match=r"cannot write .*ring_0002\.vdb: the disk is full"
        ) as caught:
            quiet(small_scene(), out)
    assert caught.value.errno == errno.ENOSPC
    assert sorted(content(out)) == ["ring.json", "ring.vta", "ring_0001.npz", "ring_0001.vdb"]
    assert Manifest.find(out).frames == [1] and Manifest.find(out).is_whole(1)
    quiet(small_scene(), out)
    assert content(out) == content(reference)


@pytest.fixture
def tiny_disk(tmp_path):
    """A real file system of 1 MiB, where the process may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount command")
    if done.returncode:
        pytest.skip("this process may not mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_disk_really_full(reference, tiny_disk):
    out = tiny_disk / "out"
    with pytest.raises(OSError, match="the disk is full"):
        quiet(small_scene(), out, frames=(1, 40))
    manifest = Manifest.find(out)
    assert manifest.frames and all(manifest.is_whole(n) for n in manifest.frames)
    names = {file["name"] for n in manifest.frames for file in manifest.frame(n)["files"]}
    extra = set(content(out)) - names - {"ring.json", "ring.vta"}
    following = f"ring_{len(manifest.frames) + 1:04}"
    assert extra <= {f"{following}.vdb", f"{following}.npz"}, "only whole files of the next frame"
    with Archive(out / "ring.vta") as archive:
        assert archive.frames[: len(manifest.frames)] == manifest.frames
        assert not any(archive.damage(n) for n in archive.frames)
    for name in manifest.frames[:1]:
        assert content(out)[f"ring_{name:04}.vdb"] == content(reference)[f"ring_{name:04}.vdb"]


def test_write_atomically_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.bin"
    disk.write_atomically(path, b"old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.EIO, "io")))
    with pytest.raises(OSError, match=r"cannot write .*a\.bin: the disk reports an error"):
        disk.write_atomically(path, b"new")
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["a.bin"]
