"""Motion archives: what is in them, how they are damaged, and simulations that are saved."""

import copy
import ctypes as c
import errno
import os
import pickle
import shutil
import stat
import struct
import subprocess
import sys
import warnings
import zlib
from pathlib import Path

import everything
import numpy as np
import pytest
from bakes import VOLUMES, content, quiet, small_scene
from hand_made import simulation
from marks import SANITIZED, limits_address_space, slow_but
from test_bake_interrupted import count_steps
from test_c_library import build, needs_compiler

import vorton as vt
from vorton import _core
from vorton.archive import Archive, DamageError
from vorton.archive.branches import bake_sha256
from vorton.archive.reading import _directory
from vorton.archive.writing import ArchiveWriter, blocks_of, write_frames
from vorton.bakes.report import describe
from vorton.cli import main
from vorton.film import make_film

FRAMES = 4


@pytest.fixture(scope="module")
def states(reference):
    """The states that the frames should have."""
    with Archive(reference / "ring.vta") as archive:
        return {n: bytes(_core.unpack_state(archive.block(n))) for n in archive.frames}


# ---- what is in it ----


def test_the_fields_of_a_frame_are_those_of_the_simulation(reference):
    sim = vt.Simulation(small_scene(), 24, threads=1)
    with Archive(reference / "ring.vta") as archive:
        assert archive.frames == [1, 2, 3, 4] and archive.fps == 24
        assert archive.scene() == small_scene()
        for number in archive.frames:
            fields = archive.fields(number)
            for name in ("vortons.position", "vortons.strength", "tracers.position", "tracers.id"):
                views, column = name.split(".")
                expected = getattr(getattr(sim, views), column)
                assert fields[name].dtype == expected.dtype
                assert fields[name].tobytes() == expected.tobytes(), name
            assert fields["time"] == sim.time
            assert archive.damage(number) is None
            sim.step()


def test_read_while_it_is_written(reference, tmp_path):
    """After every frame, and with a part of the next one behind it."""
    path = tmp_path / "ring.vta"
    with Archive(reference / "ring.vta") as source:
        writer = ArchiveWriter(path, source.about)
        for number in source.frames:
            writer.append(source.block(number))
            raw = path.read_bytes()
            for torn in (b"", b"FRAM", bytes(300), source.block(number)[:-8]):
                path.write_bytes(raw + torn)
                with Archive(path) as archive:
                    assert archive.frames == list(range(1, number + 1))
                    assert archive.block(number) == source.block(number)
            path.write_bytes(raw)
        writer.close()
        writer.close()
    assert path.read_bytes() == (reference / "ring.vta").read_bytes()


def test_the_index_leads_past_a_frame_whose_head_is_damaged(reference, tmp_path):
    raw = bytearray((reference / "ring.vta").read_bytes())
    with Archive(reference / "ring.vta") as archive:
        raw[archive._places[2][0] + 30] ^= 1
    (tmp_path / "a.vta").write_bytes(raw)
    with Archive(tmp_path / "a.vta") as archive:
        assert archive.frames == [1, 3, 4]


def test_the_library_takes_paths_in_utf8(reference, tmp_path):
    path = tmp_path / "Wirbel \u00e4\u6e26.vta"
    shutil.copyfile(reference / "ring.vta", path)
    assert list(read_by_c(load_library(), path)[1]) == [1, 2, 3, 4]


@pytest.mark.parametrize("change", ["longer", "another count", "empty", "summed in part"])
def test_an_index_of_a_wrong_length_is_passed_over(reference, tmp_path, change):
    """Its checksum agrees; both readers then go from frame to frame."""
    raw = (reference / "ring.vta").read_bytes()
    at = struct.unpack("<Q", raw[-16:-8])[0]
    count, places, end = raw[at + 24 : at + 32], raw[at + 32 : -16], raw[-16:]
    content_of = {
        "longer": count + places + bytes(8) + end,
        "another count": struct.pack("<Q", 3) + places + end,
        "empty": end,
        "summed in part": count + places + end,
    }[change]
    length = 24 + len(content_of)
    summed = length - (8 if change == "summed in part" else 0)
    rest = struct.pack("<QQ", length, summed) + content_of
    crc = struct.pack("<I", zlib.crc32(rest[: summed - 8]))
    path = tmp_path / "a.vta"
    path.write_bytes(raw[:at] + b"INDX" + crc + rest)
    with Archive(path) as archive:
        assert archive.frames == [1, 2, 3, 4]
    assert list(read_by_c(load_library(), path)[1]) == [1, 2, 3, 4]


def test_a_head_that_its_text_does_not_fit_is_refused(reference, tmp_path):
    raw = (reference / "ring.vta").read_bytes()
    length = struct.unpack("<Q", raw[8:16])[0]
    rest = raw[8:36] + struct.pack("<I", length) + raw[40:length]
    head = b"HEAD" + struct.pack("<I", zlib.crc32(rest)) + rest
    (tmp_path / "a.vta").write_bytes(head + raw[length:])
    with pytest.raises(ValueError, match="is not a motion archive"):
        Archive(tmp_path / "a.vta")


def test_the_index_is_written_again_after_a_failed_append(reference, tmp_path, monkeypatch):
    path = tmp_path / "a.vta"
    shutil.copyfile(reference / "ring.vta", path)
    with Archive(path) as archive:
        writer = ArchiveWriter(path, archive.about)
        block = bytearray(archive.block(4))
    block[24:32] = struct.pack("<q", 5)

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="the disk is full"):
            writer.append(bytes(block))
    writer.close()
    assert path.read_bytes() == (reference / "ring.vta").read_bytes()


def test_states_of_another_layout_say_what_to_do(reference, tmp_path, capsys):
    """Their columns can be read; what loads them says who can."""
    path = tmp_path / "old.vta"
    raw = bytearray((reference / "ring.vta").read_bytes())
    with Archive(reference / "ring.vta") as archive:
        new = archive.fields(2)
        for at, _ in archive._places.values():
            raw[at + 40] ^= 1
            summed = struct.unpack_from("<Q", raw, at + 16)[0]
            struct.pack_into("<I", raw, at + 4, zlib.crc32(raw[at + 8 : at + summed]))
    path.write_bytes(raw)
    with Archive(path) as archive:
        old = archive.fields(2)
    assert old.keys() == new.keys()
    assert all(old[name].tobytes() == new[name].tobytes() for name in old)
    todo = r"old.vta, frame 2: .*another build.* go on with that build, or simulate again"
    with pytest.raises(ValueError, match=todo):
        vt.Simulation.load(path, frame=2)
    for folder in (None, tmp_path / "out"):
        if folder:
            shutil.copytree(reference, folder)
            shutil.copyfile(path, folder / "ring.vta")
        assert main(["info", str(folder or path)]) == 0
        said = capsys.readouterr().out
        assert "saved by another build (vorton" in said and "bake again" in said
    assert main(["info", str(reference / "ring.vta")]) == 0
    assert "another build" not in capsys.readouterr().out


def test_states_of_another_build_with_the_same_columns_may_go_on_otherwise(
    reference, tmp_path, capsys
):
    """They are loaded; that the build is another one is said."""
    for name in ("vorton", "build"):
        with Archive(reference / "ring.vta") as archive:
            about = {**archive.about, name: "another"}
            write_frames(tmp_path / "old.vta", about, blocks_of(archive.path, archive.frames))
        told = r"old\.vta: its states were saved by another build \(vorton .*may differ from there"
        with pytest.warns(vt.SceneWarning, match=told):
            assert vt.Simulation.load(tmp_path / "old.vta", frame=2).frame == 1
        assert main(["info", str(tmp_path / "old.vta")]) == 0
        said = capsys.readouterr().out
        assert "saved by another build" in said and "frames may differ from there on" in said
        assert "bake again" not in said


def test_a_derived_bake_says_who_has_simulated(reference, tmp_path, capsys):
    """Another build than the one that has derived it; where it has not, nothing is said."""
    how = {"volumes": None, "progress": False, "threads": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own = vt.derive(reference, tmp_path / "own", **how)
        vt.Simulation.load(reference / "ring.vta")
    assert "simulated by" not in describe(own)
    with Archive(reference / "ring.vta") as archive:
        about = {**archive.about, "vorton": "0.0.7", "build": "gcc"}
        write_frames(tmp_path / "old.vta", about, blocks_of(archive.path, archive.frames))
    for frames in ((1, 2), (1, 3)):  # the second call goes on
        with pytest.warns(vt.SceneWarning, match=r"its states were saved by another build"):
            vt.derive(tmp_path / "old.vta", tmp_path / "out", frames=frames, **how)
    told = vt.Manifest.find(tmp_path / "out").data
    assert (told["vorton"], told["build"]) == (_core.version(), _core.build())
    assert told["archived"] == {"archive": "../old.vta", "vorton": "0.0.7", "build": "gcc"}
    assert main(["info", str(tmp_path / "out"), "--verify", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "from ../old.vta; simulated by another build (vorton 0.0.7)" in said
    assert "warning" not in said and bake_sha256(told) != bake_sha256(own.data)
    text = r"holds a bake of this scene, simulated by another vorton \(build 'gcc'\)"
    with pytest.raises(ValueError, match=text):  # frames of both would be one bake
        quiet(small_scene(), tmp_path / "out", volumes=None, archive=False)
    with pytest.raises(ValueError, match=text):
        vt.derive(reference, tmp_path / "out", **how)


def test_the_layout_is_that_of_every_state():
    """Whatever the scene holds; it takes no room for particles and grids."""
    for scene in (vt.Scene("empty"), everything.fire_scene()):
        state = vt.Simulation(scene, threads=1)._core.save_state(1)
        assert struct.unpack_from("<Q", state, 40)[0] == _core.state_layout()


@limits_address_space
def test_info_needs_no_address_space(reference):
    """What a simulation reserves is far beyond what an archive takes to be described."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(reference)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "states of frames" in done.stdout


LIMITED = """
import resource, sys
from vorton import Scene, Simulation
from vorton.cli import main
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
try:
    Simulation(Scene())
except MemoryError:
    sys.exit(main(["info", sys.argv[1]]))
"""


# ---- damage ----


def damaged(content, rng, count):
    """Cut anywhere, and with one bit flipped anywhere."""
    for _ in range(count):
        yield content[: int(rng.integers(len(content)))]
        flipped = bytearray(content)
        at = int(rng.integers(8 * len(content)))
        flipped[at // 8] ^= 1 << at % 8
        yield bytes(flipped)


@pytest.mark.slow
def test_damage_never_gives_a_wrong_frame(reference, states, tmp_path):
    """Whatever is cut or flipped, and in whichever part of the file: an error, or right frames."""
    raw = (reference / "ring.vta").read_bytes()
    path, rng = tmp_path / "a.vta", np.random.default_rng(2)
    refused = 0
    for bad in damaged(raw, rng, 100):
        path.write_bytes(bad)
        try:
            with Archive(path) as archive:
                frames = {n: archive.damage(n) for n in archive.frames}
                for n, damage in frames.items():
                    if damage is None:
                        assert bytes(_core.unpack_state(archive.block(n))) == states[n]
                    else:
                        with pytest.raises(ValueError, match=f"frame {n}: .* is damaged"):
                            archive.fields(n)
                refused += frames != dict.fromkeys(states)
        except ValueError as error:
            assert "is not a motion archive" in str(error) or "version" in str(error)
            refused += 1
    assert refused > 150


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """An archive of few particles, and the states of its frames."""
    scene = vt.Scene("ring", voxel=0.3, max_tracers=100)
    scene.add(vt.VortexRing(core=0.3, layers=0, sections=8))
    scene.add(vt.Tracers(vt.Torus(thickness=0.2), count=12))
    folder = tmp_path_factory.mktemp("tiny")
    vt.bake(scene, folder, frames=(1, 3), volumes=None, progress=False, threads=1)
    with Archive(folder / "ring.vta") as archive:
        states = {n: bytes(_core.unpack_state(archive.block(n))) for n in archive.frames}
    return (folder / "ring.vta").read_bytes(), states


def frames_that_are_right(library, path, states):
    """Numbers of the frames that are there; both readers find the same, and what is no right state
    is said to be damaged. None: what is left is said to be no archive."""
    found = read_by_c(library, path)
    try:
        archive = Archive(path)
    except ValueError as error:
        assert found is None
        assert "is not a motion archive" in str(error) or "version" in str(error)
        return None
    with archive:
        assert found[1] == archive._places
        right = []
        for n in archive.frames:
            if archive.damage(n) is None:
                assert bytes(_core.unpack_state(archive.block(n))) == states[n]
                right.append(n)
            else:
                with pytest.raises(ValueError):
                    _core.unpack_state(archive.block(n))
    return right


@pytest.mark.slow
def test_an_archive_that_is_cut_off_at_every_length(tiny, tmp_path):
    """It has the frames that end before, no others, and is none without its head."""
    raw, states = tiny
    library, path = load_library(), tmp_path / "a.vta"
    path.write_bytes(raw)
    with Archive(path) as archive:
        ends = {n: at + size for n, (at, size) in archive._places.items()}
        begin = archive._begin
    for length in range(len(raw), -1, -7 if SANITIZED else -1):
        os.truncate(path, length)
        whole = [n for n, end in ends.items() if end <= length]
        assert frames_that_are_right(library, path, states) == (whole if length >= begin else None)


@pytest.mark.slow
def test_ten_thousand_bits_of_an_archive_flipped(tiny, tmp_path):
    raw, states = tiny
    library, path, rng = load_library(), tmp_path / "a.vta", np.random.default_rng(10)
    lost, count = 0, 1500 if SANITIZED else 10_000
    for at in rng.integers(8 * len(raw), size=count):
        flipped = bytearray(raw)
        flipped[at // 8] ^= 1 << at % 8
        path.write_bytes(flipped)
        right = frames_that_are_right(library, path, states)
        lost += right != list(states)
        assert right is None or len(right) >= len(states) - 1
    assert lost > 0.9 * count  # of the index a bit may be wrong, which the frames do not need


def with_directory(raw, at, change):
    """The archive with another directory of the frame that begins there, its checksum put right."""
    raw = bytearray(raw)
    (summed,) = struct.unpack_from("<Q", raw, at + 16)
    change(memoryview(raw)[at : at + summed])
    struct.pack_into("<I", raw, at + 4, zlib.crc32(raw[at + 8 : at + summed]))
    return bytes(raw)


@pytest.mark.parametrize(
    "offset, some, why",
    [
        (64 + 40, b"\0", "field 0 does not fit"),  # of the first field: no type
        (64 + 72 + 40, b"y", "field 1 does not fit"),  # of the next: none that there is
        (64 + 41, b"f", "field 0 does not fit"),
        (64, b"\xff", "field 0 does not fit"),  # its name
        (64 + 39, b"a", "field 0 does not fit"),  # has no end
        (64 + 56, b"\xff" * 8, "field 0 does not fit"),  # longer than the frame
        (56, b"\xff" * 4, "its directory ends early"),  # more fields than it has room for
    ],
)
def test_a_directory_that_nobody_wrote_is_damage(reference, tmp_path, offset, some, why):
    path, raw = tmp_path / "a.vta", (reference / "ring.vta").read_bytes()

    def change(directory):
        directory[offset : offset + len(some)] = some

    with Archive(reference / "ring.vta") as archive:
        at, _ = archive._places[2]
    path.write_bytes(with_directory(raw, at, change))
    with Archive(path) as archive:
        assert [archive.damage(n) for n in archive.frames] == [None, why, None, None]
        with pytest.raises(ValueError, match=r"a\.vta: frame 2: "):
            archive.fields(2)


def test_what_fills_a_frame_up_is_zero_to_all_readers(reference, tmp_path):
    path = tmp_path / "a.vta"
    shutil.copyfile(reference / "ring.vta", path)
    padded = []
    for n, (at, length) in places(path)[0].items():
        raw = bytearray((reference / "ring.vta").read_bytes())
        *_, (_, _, _, _, begin, size, _) = _directory(raw[at : at + length])
        if begin + size == length:
            continue
        padded.append(n)
        raw[at + length - 1] ^= 4
        path.write_bytes(raw)
        with Archive(path) as archive:
            assert archive.damage(n) == "there is something behind its fields"
            with pytest.raises(ValueError, match="there is something behind its fields"):
                archive.fields(n)
    assert padded


@pytest.mark.parametrize("seed", slow_but([1], [1, 2, 3]))
def test_a_bake_mends_its_archive(reference, tmp_path, monkeypatch, seed):
    """And simulates no frame that is whole, before the damage or behind it."""
    out = tmp_path / "out"
    shutil.copytree(reference, out)
    raw = (reference / "ring.vta").read_bytes()
    for bad in damaged(raw, np.random.default_rng(seed), 2):
        (out / "ring.vta").write_bytes(bad)
        lost = lost_frames(out / "ring.vta")
        with monkeypatch.context() as patch:
            steps = count_steps(patch)
            quiet(small_scene(), out)
        assert content(out) == content(reference)
        assert steps == [n for n in lost if n > 1]


def lost_frames(path):
    """Those that nobody can read, by an archive's own word."""
    try:
        with Archive(path) as archive:
            whole = [n for n in archive.frames if archive.damage(n) is None]
    except ValueError:
        whole = []
    return [n for n in range(1, FRAMES + 1) if n not in whole]


def places(path):
    with Archive(path) as archive:
        return dict(archive._places), archive._begin


def without_index(raw):
    return raw[: struct.unpack("<Q", raw[-16:-8])[0]]


@pytest.mark.parametrize("indexed", slow_but([True], [False, True]))
@pytest.mark.parametrize(
    "harm, lost",
    [
        ("head of 2", [2]),
        ("length of 2", [2]),
        ("data of 1", [1]),
        ("end of 2 to inside of 3", [2, 3]),
        ("2 is cut out", [2]),
        ("something more before 3", []),
        ("2 is a little shorter", [2]),
    ],
)
def test_damage_costs_the_frames_that_it_lies_in(
    reference, tmp_path, monkeypatch, capsys, harm, lost, indexed
):
    """Others are found by both readers, and a bake puts back what is lost, to the same bytes."""
    raw = bytearray((reference / "ring.vta").read_bytes())
    if not indexed:
        raw = bytearray(without_index(raw))
    at, begin = places(reference / "ring.vta")
    second, third = at[2][0], at[3][0]
    if harm == "head of 2":
        raw[second + 30] ^= 1
    elif harm == "length of 2":
        raw[second + 8] ^= 8
    elif harm == "data of 1":
        raw[begin + at[1][1] - 100] ^= 1
    elif harm == "end of 2 to inside of 3":
        raw[third - 500 : third + 500] = bytes(1000)
    elif harm == "2 is cut out":
        del raw[second:third]
    elif harm == "something more before 3":
        raw[third:third] = b"FRAM" + bytes(60)
    else:
        del raw[second + 2000 : second + 2040]
    out = tmp_path / "out"
    shutil.copytree(reference, out)
    (out / "ring.vta").write_bytes(raw)
    assert lost_frames(out / "ring.vta") == lost
    found = places(out / "ring.vta")[0]
    assert read_by_c(load_library(), out / "ring.vta")[1] == found
    assert main(["info", str(out), "--verify"]) == (1 if lost else 0)
    said = capsys.readouterr().out
    assert all(f"{n}" in said.split("damaged", 1)[1] for n in lost)
    steps = count_steps(monkeypatch)
    quiet(small_scene(), out)
    assert steps == [n for n in lost if n > 1]
    assert content(out) == content(reference)


def test_a_disk_that_neither_writes_nor_removes_is_told_of(tmp_path, monkeypatch):
    path = tmp_path / "a.vta"
    path.write_bytes(b"before")

    def fail(*_, **__):
        raise OSError(errno.EIO, "no")

    with monkeypatch.context() as disk:
        disk.setattr("os.replace", fail)
        disk.setattr(Path, "unlink", fail)
        with pytest.raises(OSError, match=r"cannot write .*a\.vta: the disk reports an error"):
            write_frames(path, {}, [])
    assert path.read_bytes() == b"before"
    flushed, flush = [], os.fsync
    monkeypatch.setattr("os.fsync", lambda file: flushed.append(os.fstat(file)) or flush(file))
    write_frames(path, {}, [])
    assert [stat.S_ISDIR(each.st_mode) for each in flushed] == [False, True]
    assert os.path.samestat(flushed[0], path.stat())
    assert os.path.samestat(flushed[1], tmp_path.stat())


def test_a_damaged_index_is_written_again(reference, tmp_path):
    shutil.copytree(reference, tmp_path / "out")
    raw = bytearray((reference / "ring.vta").read_bytes())
    for at in (-1, -20, -60):
        bad = raw.copy()
        bad[at] ^= 4
        (tmp_path / "out" / "ring.vta").write_bytes(bad)
        quiet(small_scene(), tmp_path / "out")
        assert content(tmp_path / "out") == content(reference)


def load_library():
    library = c.CDLL(vt.get_library())
    library.vt_error_message.restype = c.c_char_p
    library.vt_archive_text.restype = c.c_char_p
    return library


class Frame(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("number", c.c_int64), ("time", c.c_double),
                ("offset", c.c_uint64), ("bytes", c.c_uint64)]  # fmt: skip


def read_by_c(library, path):
    """(text, {number: (offset, bytes)}) as the library reads a file; None: it is no archive."""
    archive = c.c_void_p()
    if library.vt_open_archive(str(path).encode(), c.byref(archive)):
        assert b"archive" in library.vt_error_message() or b"version" in library.vt_error_message()
        return None
    frame, found = Frame(c.sizeof(Frame)), {}
    while library.vt_get_archive_frame(archive, c.c_int64(len(found)), c.byref(frame)):
        found[frame.number] = frame.offset, frame.bytes
    text = library.vt_archive_text(archive)
    library.vt_close_archive(archive)
    return text, found


def test_both_readers_find_the_same(reference, tmp_path):
    library, path = load_library(), tmp_path / "a.vta"
    raw = (reference / "ring.vta").read_bytes()
    bad = [raw, raw[:-24], *damaged(raw, np.random.default_rng(4), 60)]
    with Archive(reference / "ring.vta") as archive:
        blocks = [archive.block(number) for number in (1, 2, 2, 3)]
        bad.append(raw[: archive._begin] + b"".join(blocks))  # no index, and a frame twice
    for each in bad:
        path.write_bytes(each)
        found = read_by_c(library, path)
        try:
            with Archive(path) as archive:
                assert found[1] == archive._places
        except ValueError:
            assert found is None


@pytest.mark.parametrize("name", ["closed", "foretold", "open", "ways"])
def test_what_the_fuzzer_begins_with_is_read(name):
    """Of another format all that it makes of these would be refused by their heads."""
    path = Path(__file__).parent / "fuzz" / "corpus" / "archive" / name
    _, frames = read_by_c(load_library(), path)
    assert frames
    for begin, size in frames.values():
        _core.unpack_state(path.read_bytes()[begin : begin + size])


def with_version(raw, version):
    """The checksum of the head agrees."""
    length = struct.unpack_from("<Q", raw, 8)[0]
    head = raw[8:32] + struct.pack("<I", version) + raw[36:length]
    return raw[:4] + struct.pack("<I", zlib.crc32(head)) + head + raw[length:]


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda raw: b"", "is not a motion archive"),
        (lambda raw: b"something else, and longer than a head" * 9, "is not a motion archive"),
        (lambda raw: raw[:32] + struct.pack("<I", 5) + raw[36:], "is not a motion archive"),
        (lambda raw: with_version(raw, 3), "version 3 of the format, .* older .*bake again"),
        (lambda raw: with_version(raw, 5), "version 5 of the format, this"),
    ],
)
def test_what_is_no_archive_is_refused(reference, tmp_path, change, text):
    path = tmp_path / "a.vta"
    path.write_bytes(change((reference / "ring.vta").read_bytes()))
    with pytest.raises(ValueError, match=text):
        Archive(path)
    with pytest.raises(ValueError, match=text):
        vt.Simulation.load(path)
    assert read_by_c(load_library(), path) is None
    with pytest.raises(OSError, match="cannot read"):
        Archive(tmp_path / "none.vta")


# ---- simulations ----


def moved(scene, fps=24):
    sim = vt.Simulation(scene, fps, threads=2)
    sim.step(5)
    return sim


@pytest.mark.filterwarnings("ignore::vorton.SceneWarning")
@pytest.mark.parametrize("way", slow_but(["pickle"], ["pickle", "file"]))
def test_a_saved_simulation_goes_on_with_the_same_bits(tmp_path, way):
    sim = moved(everything.scene("fire"), 30)
    if way == "pickle":
        other = pickle.loads(pickle.dumps(sim))
        assert other._threads == 2
    else:
        sim.save(tmp_path / "now.vta")
        other = vt.Simulation.load(tmp_path / "now.vta", threads=1)
    assert (other.frame, other.time, other.fps) == (sim.frame, sim.time, sim.fps)
    assert other.scene == sim.scene
    for each in (sim, other):
        each.step(3)
    assert everything.digests(other) == everything.digests(sim)


def test_a_frame_of_a_bake_becomes_a_simulation(reference):
    sim = vt.Simulation(small_scene(), 24, threads=1)
    sim.step(3)
    for frame in (4, None):
        other = vt.Simulation.load(reference / "ring.vta", frame)
        assert other.frame == 3
        assert other.vortons.position.tobytes() == sim.vortons.position.tobytes()
    for bad in (0, 5, "1", 1.5):
        with pytest.raises(ValueError, match="has frames 1-4"):
            vt.Simulation.load(reference / "ring.vta", bad)


@pytest.mark.slow
def test_a_switched_method_and_a_body_that_was_set_are_saved():
    scene = small_scene()
    scene.add(vt.Body(vt.Sphere((0, 0, 1), 0.2), density=100.0, name="ball"))
    sim = moved(scene)
    sim.method = sim.method.replace(relaxation=0.2, split=1.5)
    sim.set_body("ball", velocity=(1, 0, 0), angular_velocity=(0, 2, 0))
    sim.step(2)
    other = pickle.loads(pickle.dumps(sim))
    for each in (sim, other):
        each.step(4)
    assert everything.digests(other) == everything.digests(sim)


@pytest.mark.slow
def test_what_was_added_while_it_ran_is_saved_where_the_scene_makes_it():
    sim = moved(small_scene())
    sim.add(vt.Wind((0.3, 0, 0)))
    sim.add(vt.Tracers(vt.Sphere(radius=0.1), rate=500, start=0.3))
    other = pickle.loads(pickle.dumps(sim))
    for each in (sim, other):
        each.step(4)
    assert everything.digests(other) == everything.digests(sim)
    sim.remove(sim.scene.sources[-1])
    with pytest.raises(ValueError, match="cannot be saved: what was added, changed or removed"):
        pickle.dumps(sim)
    assert copy.deepcopy(sim).time == sim.time


def test_a_class_of_its_own_is_pickled():
    sim = Derived(small_scene())
    sim.note = [1, 2]
    other = pickle.loads(pickle.dumps(sim))
    assert type(other) is Derived and other.note == [1, 2]


class Derived(vt.Simulation):
    pass


def test_a_class_with_a_constructor_of_its_own_is_pickled_and_loaded(tmp_path):
    sim = Ring(0.2)
    sim.step()
    sim.save(tmp_path / "a.vta")
    again, loaded = pickle.loads(pickle.dumps(sim)), Ring.load(tmp_path / "a.vta")
    assert type(again) is type(loaded) is Ring
    assert again.radius == 0.2 and again.time == loaded.time == sim.time


class Ring(vt.Simulation):
    def __init__(self, radius):
        super().__init__(small_scene(), 24, threads=1)
        self.radius = radius


def test_a_frame_rate_that_was_changed_is_saved():
    """Samples without a rate of their own keep that with which the simulation was made."""
    scene = small_scene()
    wind = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3), (1, 1, 0), (2, 0, 0)]
    scene.add(vt.Wind(vt.Samples(wind)))
    sim = vt.Simulation(scene, 24, threads=1)
    sim.step()
    sim.fps = 48
    other = pickle.loads(pickle.dumps(sim))
    other = pickle.loads(pickle.dumps(other.copy()))
    for each in (sim, other):
        each.step(2)
    assert other.fps == 48 and everything.digests(other) == everything.digests(sim)


@pytest.mark.slow
def test_a_bake_that_was_moved_goes_on(tmp_path, monkeypatch):
    """Its mesh stays where it is, so the path from the folder to it is another."""
    scene, path = small_scene(), tmp_path / "shape.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    scene.add(vt.Tracers(vt.Mesh(path=path), count=10))
    quiet(scene, tmp_path / "here", frames=(1, 3))
    (tmp_path / "deep" / "er").mkdir(parents=True)
    moved_to = tmp_path / "deep" / "er" / "here"
    shutil.move(tmp_path / "here", moved_to)
    steps = count_steps(monkeypatch)
    quiet(scene, moved_to)
    assert steps == [4]
    quiet(scene, tmp_path / "deep" / "straight")
    assert of_frames(moved_to) == of_frames(tmp_path / "deep" / "straight")
    assert vt.Simulation.load(moved_to / "ring.vta").frame == 3


def test_a_mesh_file_that_changed_is_refused(tmp_path):
    scene, path = vt.Scene(), tmp_path / "shape.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    scene.add(vt.Tracers(vt.Mesh(path=path), count=10))
    vt.Simulation(scene).save(tmp_path / "now.vta")
    shutil.move(tmp_path, tmp_path.with_name("moved"))
    tmp_path = tmp_path.with_name("moved")
    assert vt.Simulation.load(tmp_path / "now.vta").tracers.count == 10
    path = tmp_path / "shape.obj"
    path.write_text(path.read_text().replace("v 1 0 0", "v 2 0 0"))
    with pytest.raises(ValueError, match="has changed since the scene was saved"):
        vt.Simulation.load(tmp_path / "now.vta")


def test_an_error_while_saving_leaves_the_older_file(tmp_path):
    with pytest.raises(OSError, match="cannot write"):
        simulation().save(tmp_path / "none" / "a.vta")


# ---- derived bakes ----


def derived(source, out, **values):
    values = {"volumes": VOLUMES, "progress": False, "threads": 1, **values}
    return vt.derive(source, out, **values)


def of_frames(folder):
    return {n: d for n, d in content(folder).items() if n.endswith((".vdb", ".npz"))}


def test_derived_frames_are_those_of_a_bake(reference, tmp_path, monkeypatch):
    """Of other voxels, for another host, of some frames; byte by byte, and without a step."""
    other = vt.Volumes(voxel=0.13, preset="houdini", half=False)
    quiet(small_scene(), tmp_path / "baked", volumes=other, frames=(2, 4), archive=False)
    monkeypatch.setattr(vt.Simulation, "step", lambda *_: pytest.fail("simulated"))
    derived(reference, tmp_path / "out", volumes=other, frames=(2, 4))
    out, baked = content(tmp_path / "out"), content(tmp_path / "baked")
    told = [vt.Manifest.find(tmp_path / place) for place in ("out", "baked")]
    assert out.pop("ring.json") != baked.pop("ring.json") and out == baked
    archived = told[0].data.pop("archived")  # all else is the same
    assert told[0].data == told[1].data
    assert (tmp_path / "out" / archived["archive"]).resolve() == (reference / "ring.vta").resolve()
    manifest = derived(reference, tmp_path / "same")
    assert manifest.frames == [1, 2, 3, 4] and manifest.data["archive"] is None
    assert of_frames(tmp_path / "same") == of_frames(reference)
    derived(reference / "ring.vta", tmp_path / "one", frames=(3, 3), volumes=None)
    one = of_frames(tmp_path / "one")
    assert one == {"ring_0003.npz": content(reference)["ring_0003.npz"]}


def test_a_derived_bake_goes_on(reference, tmp_path):
    derived(reference, tmp_path, frames=(2, 2))
    (tmp_path / "ring_0002.vdb").unlink()
    derived(reference / "ring.json", tmp_path, frames=(2, 3))
    derived(reference, tmp_path)
    assert of_frames(tmp_path) == of_frames(reference)


def test_what_cannot_be_derived_is_refused(reference, tmp_path):
    out = tmp_path / "out"
    for values, text in (
        ({"frames": (3, 6)}, "has frames 1-4, and lacks 5-6"),
        ({"volumes": None, "tracers": False}, "there is nothing to bake"),
    ):
        with pytest.raises(ValueError, match=text):
            derived(reference, out, **values)
    with pytest.raises(ValueError, match="holds the archive; choose another folder"):
        derived(reference, reference, overwrite=True)
    with pytest.raises(ValueError, match="must hold a motion archive, and holds none"):
        derived(tmp_path, out)
    quiet(small_scene(), tmp_path / "bare", frames=(1, 1), archive=False)
    with pytest.raises(ValueError, match="has no archive: it was baked without"):
        derived(tmp_path / "bare" / "ring.json", out)
    assert not out.exists()
    shutil.copytree(reference, tmp_path / "copy")
    raw = bytearray((reference / "ring.vta").read_bytes())
    with Archive(reference / "ring.vta") as archive:
        raw[sum(archive._places[2]) - 100] ^= 1
    (tmp_path / "copy" / "ring.vta").write_bytes(raw)
    with pytest.raises(DamageError, match=r"ring\.vta: frame 2: the checksum of .* differs"):
        derived(tmp_path / "copy", out)
    assert vt.Manifest.find(out).frames == [1, 3, 4]


def test_an_archive_of_somebody_else_is_not_written_over(tmp_path):
    vt.Simulation(small_scene()).save(tmp_path / "ring.vta")
    before = content(tmp_path)
    with pytest.raises(ValueError, match=r"ring\.vta: exists and belongs to no bake"):
        quiet(small_scene(), tmp_path, frames=(1, 1))
    assert content(tmp_path) == before


def test_the_commands(reference, tmp_path, capsys):
    out = tmp_path / "out"
    options = ["--frames", "2-3", "--voxel", "0.2", "--no-tracers", "--quiet", "--threads", "1"]
    assert main(["derive", str(reference), str(out), *options]) == 0
    assert "frames     2-3 at 24 a second" in capsys.readouterr().out
    assert sorted(of_frames(out)) == ["ring_0002.vdb", "ring_0003.vdb"]
    assert main(["derive", str(tmp_path), str(out), "--quiet"]) == 1
    assert "must hold a motion archive" in capsys.readouterr().err


def test_info_tells_of_the_archive(reference, tmp_path, capsys):
    assert main(["info", str(reference), "--verify"]) == 0
    shown = capsys.readouterr().out
    assert "archive    ring.vta, states of frames 1-4, " in shown and "verified" in shown
    shutil.copytree(reference, tmp_path / "copy")
    path = tmp_path / "copy" / "ring.vta"
    raw = path.read_bytes()
    flipped = bytearray(raw)
    with Archive(path) as archive:
        flipped[sum(archive._places[2]) - 100] ^= 8
    for bad, text in (
        (flipped, "damaged    ring.vta, frame 2: "),
        (raw[: len(raw) // 2], "damaged    ring.vta lacks frames"),
        (b"", "ring.vta cannot be read: bake again"),
    ):
        path.write_bytes(bad)
        assert main(["info", str(path.parent), "--verify"]) == 1
        assert text in capsys.readouterr().out
    path.unlink()
    assert main(["info", str(path.parent), "--verify"]) == 1


def test_a_picture_of_an_archive_is_that_of_the_scene(reference, tmp_path):
    image = pytest.importorskip("PIL.Image")
    values = {"frames": (3, 3), "voxel": 0.1, "size": (64, 48), "threads": 1, "progress": False}
    pictures = [
        image.open(make_film(place, tmp_path / f"{n}.png", **values))
        for n, place in enumerate((reference / "ring.vta", small_scene()))
    ]
    assert pictures[0].tobytes() == pictures[1].tobytes()
    with pytest.raises(ValueError, match="has frames 1-4, and lacks 5"):
        make_film(reference / "ring.vta", tmp_path / "a.png", **values | {"frames": (5, 5)})


@needs_compiler
def test_a_program_without_python(tmp_path):
    sim = vt.Simulation()
    sim.vortons.add(np.eye(3), np.eye(3), core=0.5, volume=0.1)
    sim.step(2)
    sim.save(tmp_path / "now.vta")
    program = build(Path(__file__).parent / "c" / "archive.c", tmp_path / "archive")
    done = subprocess.run(
        [program, tmp_path / "now.vta"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
