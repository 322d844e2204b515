"""Motion archives (.vta): the state of a simulation at each frame, exact to the bit, in one file.

The file is described byte by byte in csrc/archive/block.h. Frames are appended; a whole frame is
one whose checksums agree, whatever lies behind it. The head is JSON::

    format                  "vorton-archive"
    name, scene_sha256      of the scene
    scene                   the scene as data; mesh paths relative to the folder of the archive
    branch                  of a branch of another bake: which frames belong to which scene
                            (`branches.Branch.to_dict`)
    fps                     frame 1 is the start, frame n is at time (n - 1) / fps
    made_with_fps           what animated numbers without fps of their own were made with, where fps
                            was changed later
    made_with_method        the method at the start, where it was changed later: how often emitters
                            are renewed may follow from it
    vorton, build           version; compiler, flags and sources: a state goes on in the same build
    volumes, tracers        only of a bake: the settings of its files, as its manifest has them; a
                            manifest that was lost is made again with them (`bake_opening`)
"""

from __future__ import annotations

import io
import itertools
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np

from .. import _core
from ..base.checks import check_place, frames_named, ranges_text
from ..files.disk import explain
from ..files.json_text import parse_json, readable_json
from ..scenes.scene import Scene
from .branches import Branch, scene_of
from .manifest_form import check_branch

FORMAT = "vorton-archive"
SUFFIX = ".vta"

BLOCK = struct.Struct("<4sIQQ")  # kind, checksum, length, how far that checksum goes
_HEAD = struct.Struct("<8sII")  # magic, version, size of the text
FRAME = struct.Struct("<qdQQII")  # number, time, layout, definition, fields, 0
_FIELD = struct.Struct("<40s4sIQQII")  # name, type, columns, rows, bytes, checksum, packing
_TYPES = (b"B", b"i", b"I", b"f", b"q", b"Q", b"d")
_PLACE = struct.Struct("<qQQ")  # number, offset, length
_BEGIN = struct.Struct("<4sIQQq")  # of a frame: its block, its number
_MOST_DIRECTORY = 1 << 20
_SEARCHED_AT_ONCE = 1 << 20
_MOST_LOST = 100_000  # frames in one gap: numbers farther apart are none that damage leaves
_MAGIC, _END, _VERSION = b"vortonA\n", b"vortonE\n", 4


class DamageError(ValueError):
    """Frames of an archive that cannot be read.

    Attributes
    ----------
    path : Path
        Of the archive.
    frames : dict
        Number of each frame, and what is wrong with it.
    """

    def __init__(self, path: Path, frames: Mapping[int, str], more: str = "") -> None:
        self.path, self.frames = path, dict(sorted(frames.items()))
        super().__init__(f"{path}: {frames_text(self.frames)}{more}")


def frames_text(frames: Mapping[int, str]) -> str:
    """What is wrong with frames: "frame 2: ...; frames 5-9: ..."."""
    parts: list[tuple[list[int], str]] = []
    for number, why in sorted(frames.items()):
        if not parts or parts[-1][1] != why:
            parts.append(([], why))
        parts[-1][0].append(number)
    return "; ".join(f"{frames_named(numbers)}: {why}" for numbers, why in parts)


# ---- blocks ----


def _block(kind: bytes, content: bytes) -> bytes:
    """A block that its checksum covers whole."""
    content += bytes(-len(content) % 8)
    length = BLOCK.size + len(content)
    summed = struct.pack("<QQ", length, length) + content
    return kind + struct.pack("<I", zlib.crc32(summed)) + summed


def head_block(about: Mapping[str, Any]) -> bytes:
    text = readable_json(about).encode()
    return _block(b"HEAD", _HEAD.pack(_MAGIC, _VERSION, len(text)) + text)


def index_block(frames: Mapping[int, tuple[int, int]], at: int) -> bytes:
    places = b"".join(_PLACE.pack(number, *place) for number, place in frames.items())
    content = struct.pack("<Q", len(frames)) + places + struct.pack("<Q", at) + _END
    return _block(b"INDX", content)


def describe_scene(scene: Scene, fps: float, folder: Path | None) -> dict[str, Any]:
    """The head of an archive that lies in a folder; None: in none, paths are absolute."""
    return {
        "format": FORMAT,
        "name": scene.name,
        "scene_sha256": scene.sha256,
        "fps": fps,
        "vorton": _core.version(),
        "build": _core.build(),
        "scene": scene.to_dict(folder=folder),
    }


def encode_archive(about: Mapping[str, Any], block: bytes | memoryview) -> bytes:
    """A whole archive of one frame."""
    head = head_block(about)
    number = FRAME.unpack_from(block, BLOCK.size)[0]
    places = {number: (len(head), len(block))}
    return head + block + index_block(places, len(head) + len(block))


def is_no_archive(path: Path) -> bool:
    """Whether a file of which the head cannot be read has never been an archive, by its beginning:
    one that was cut off, lost to zeros, or of which one byte has changed may have been one."""
    try:
        with open(path, "rb") as file:
            begin = file.read(BLOCK.size + len(_MAGIC))
    except OSError:
        return False
    if not begin.strip(b"\0") or b"HEAD".startswith(begin[:4]):
        return False
    return begin[BLOCK.size :] != _MAGIC


# ---- reading ----


class Placed:
    """What has frames, and knows where each lies in a file: its offset and length."""

    _places: dict[int, tuple[int, int]]

    @property
    def frames(self) -> list[int]:
        """Numbers of the whole frames, ascending."""
        return list(self._places)

    @property
    def last(self) -> int:
        """Number of the last frame, 0: there is none."""
        return next(reversed(self._places), 0)


class Archive(Placed):
    """A motion archive that is read; one that is being written has the frames that are whole.

    Parameters
    ----------
    path : path
        Of a .vta file.

    Attributes
    ----------
    path : Path
    about : dict
        The head: see the top of this module.
    lost : dict
        Numbers of frames that the file had or has in part, ascending, and why each cannot be read.

    Raises
    ------
    ValueError
        Not an archive, or one of a newer vorton.
    OSError
        It cannot be read.

    Examples
    --------
    >>> with Archive("bake/ring.vta") as archive:  # doctest: +SKIP
    ...     for number in archive.frames:
    ...         height = archive.fields(number)["tracers.position"][:, 2].max()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = check_place("path", path)
        try:
            file = open(self.path, "rb")
        except OSError as error:
            raise explain(error, self.path, "cannot read") from error
        self._open(file)

    @classmethod
    def of_bytes(cls, content: bytes) -> Self:
        """An archive that lies in memory."""
        archive = object.__new__(cls)
        archive.path = Path("archive")
        archive._open(io.BytesIO(content))
        return archive

    def _open(self, file: BinaryIO) -> None:
        self._file = file
        self._places = {}
        self.lost: dict[int, str] = {}
        try:
            self._size = file.seek(0, os.SEEK_END)
            self.about, self._begin = self._read_head()
            if not self._follow_index():
                self._scan(self._begin)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def scene(self, number: int | None = None) -> Scene:
        """The scene that a frame belongs to, None: the last one, or the next.

        Raises
        ------
        ValueError, TypeError
            It cannot be made again: a mesh file has changed, say.
        """
        branch = self.branch if number is not None else None
        if branch is not None:
            for last, scene in branch.pieces:
                if number <= last:
                    return scene
        try:
            return scene_of(self.about, self.path.parent)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.path}: {error}") from error

    @property
    def branch(self) -> Branch | None:
        """Whose branch it is, None: nobody's; raises as `scene`."""
        try:
            return Branch.from_dict(self.about.get("branch"), self.path.parent)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{self.path}: {error}") from error

    @property
    def fps(self) -> float:
        """Frames a second."""
        return float(self.about["fps"])

    def select(self, frames: tuple[int, int] | None) -> list[int]:
        """The frames from the first to the last of two, None: all.

        Raises
        ------
        ValueError
            Frames that the archive lacks; none at all.
        """
        numbers = self.frames if frames is None else list(range(frames[0], frames[1] + 1))
        if not numbers or not self._places.keys() >= set(numbers):
            raise self.lacks(numbers)
        return numbers

    def lacks(self, numbers: Iterable[int]) -> ValueError:
        """What frames it has, which of these it lacks, and why those that are lost are."""
        lacking = [n for n in numbers if n not in self._places]
        text = f"{self.path}: has {frames_named(self.frames) if self.frames else 'no frame'}"
        text += f", and lacks {ranges_text(lacking)}" if lacking else ""
        return ValueError(f"{text}; {frames_text(self.lost)}" if self.lost else text)

    def block(self, number: int) -> bytes:
        """A frame as it lies in the file: what `Simulation` of the core loads.

        Raises
        ------
        KeyError
            The archive has no such frame.
        OSError
            It cannot be read.
        """
        return self._read(*self._places[number])

    def layout(self, number: int) -> int:
        """Digest of the names and sizes of the fields that the build knows which saved a frame."""
        head = self._read(self._places[number][0], BLOCK.size + FRAME.size)
        return int(FRAME.unpack_from(head, BLOCK.size)[2])

    def fields(self, number: int) -> dict[str, np.ndarray]:
        """The state at a frame, its checksums compared: each field by its name.

        ``tracers.position`` (n, 3) and so on, as the views of a simulation show them, in the order
        of the simulation; and all else that evolves. Columns that are made again where a state is
        loaded are not among them: velocities of tracers, and what they take from vortons;
        `Simulation.load` has these, too.

        Raises
        ------
        KeyError
            The archive has no such frame.
        ValueError
            The frame is damaged.
        OSError
            It cannot be read.
        """
        try:
            return dict(fields_of(_core.unpack_state(self.block(number))))
        except ValueError as error:
            raise ValueError(f"{self.path}: frame {number}: {error}") from error

    def damage(self, number: int) -> str | None:
        """What is wrong with a frame, or None: it is as it was written."""
        try:
            _check_fields(self.block(number))
        except (ValueError, OSError) as error:
            return str(error)
        return None

    # ---- where the frames lie ----

    def _read(self, at: int, size: int) -> bytes:
        try:
            self._file.seek(at)
            content = self._file.read(size)
        except OSError as error:
            raise explain(error, self.path, "cannot read") from error
        if len(content) < size:
            raise ValueError(f"{self.path}: ends early")
        return content

    def _find(self, at: int, kind: bytes, most: int = 1 << 62) -> tuple[int, bytes] | None:
        """Length of the block of that kind that begins there, and what its checksum covers."""
        if not 0 <= at <= self._size - BLOCK.size:
            return None
        found, crc, length, summed = BLOCK.unpack(self._read(at, BLOCK.size))
        if found != kind or length % 8 or summed > most:
            return None
        if not BLOCK.size <= summed <= length <= self._size - at:
            return None
        content = self._read(at + 8, summed - 8)
        return (length, content[16:]) if zlib.crc32(content) == crc else None

    def _read_head(self) -> tuple[dict[str, Any], int]:
        found = self._find(0, b"HEAD")
        if found is None or len(found[1]) < _HEAD.size or found[1][:8] != _MAGIC:
            raise ValueError(f"{self.path}: is not a motion archive")
        length, content = found
        _, version, size = _HEAD.unpack_from(content)
        if BLOCK.size + len(content) != length or size > len(content) - _HEAD.size:
            raise ValueError(f"{self.path}: is not a motion archive")
        if version != _VERSION:
            text = f"version {version} of the format, this vorton reads {_VERSION}"
            what = "it is of an older one, bake again" if version < _VERSION else "update vorton"
            raise ValueError(f"{self.path}: {text}: {what}")
        try:
            about = parse_json(content[_HEAD.size : _HEAD.size + size])
        except ValueError as error:
            raise ValueError(f"{self.path}: is not a motion archive: {error}") from error
        known = {"scene": dict, "scene_sha256": str, "name": str, "fps": float}
        whole = isinstance(about, dict) and about.get("format") == FORMAT
        if not whole or not all(isinstance(about.get(key), kind) for key, kind in known.items()):
            raise ValueError(f"{self.path}: is not a motion archive")
        try:
            check_branch(about.get("branch"), "branch")
        except ValueError as error:
            raise ValueError(f"{self.path}: is not a motion archive: {error}") from error
        return about, length

    def _note(self, at: int) -> int | None:
        """Note the frame that begins there, with a larger number than the last; where it ends."""
        found = self._find(at, b"FRAM", _MOST_DIRECTORY)
        if found is None or len(found[1]) < FRAME.size:
            return None
        length, content = found
        number = FRAME.unpack_from(content)[0]
        if self._places and number <= next(reversed(self._places)):
            return None
        self._places[number] = at, length
        return at + length

    def _scan(self, begin: int) -> None:
        """Note the frames from there on, one behind the other, or behind what is damaged."""
        self._places, self.lost = {}, {}
        at: int | None = begin
        while at is not None:
            end = self._note(at)
            at = self._search(at + 8) if end is None else end
        known = self.frames
        if known:
            first = 1 if self._places[known[0]][0] > begin else known[0]
            for before, after in itertools.pairwise([first - 1, *known]):
                if after - before <= _MOST_LOST:
                    self._lose(range(before + 1, after))
        self._look_behind(sum(self._places[self.last]) if known else begin)

    def _lose(self, numbers: Iterable[int]) -> None:
        self.lost |= dict.fromkeys(numbers, "its head is damaged, or gone")

    def _look_behind(self, end: int) -> None:
        """Whether a frame is lost behind the last whole one, which ends there."""
        kind, _, length, _, number = _BEGIN.unpack(
            self._read(end, min(_BEGIN.size, self._size - end)).ljust(_BEGIN.size, b"\0")
        )
        rest = self._size - end
        if b"INDX".startswith(kind[:rest]):
            return
        if not self.last < number <= self.last + _MOST_LOST:
            number = self.last + 1
        if rest < _BEGIN.size or (kind == b"FRAM" and length > rest):
            self.lost[number] = "the archive ends in the middle of it"
        else:
            self._lose([number])

    def _search(self, at: int) -> int | None:
        """The next place from there on where a frame may begin."""
        while at < self._size:
            content = self._read(at, min(_SEARCHED_AT_ONCE, self._size - at))
            place = content.find(b"FRAM")
            while place >= 0 and place % 8:
                place = content.find(b"FRAM", place + 1)
            if place >= 0:
                return at + place
            at += len(content)
        return None

    def _follow_index(self) -> bool:
        if self._size < 16:
            return False
        at, end = struct.unpack("<Q8s", self._read(self._size - 16, 16))
        found = self._find(at, b"INDX") if end == _END else None
        if found is None:
            return False
        length, content = found
        if BLOCK.size + len(content) != length or len(content) < 24:
            return False
        places = content[8:-16]
        count = struct.unpack_from("<Q", content)[0]
        if len(places) != count * _PLACE.size:
            return False
        for _, place, _ in _PLACE.iter_unpack(places):
            self._note(place)
        self._lose(n for n, _, _ in _PLACE.iter_unpack(places) if n not in self._places)
        return True


def _directory(
    block: bytes | memoryview,
) -> Iterator[tuple[str, np.dtype, int, int, int, int, int]]:
    """(name, type, columns, rows, offset, bytes, checksum) of each field of a frame.

    ValueError where none can have such a name, type or length.
    """
    fields = FRAME.unpack_from(block, BLOCK.size)[4]
    begin = BLOCK.size + FRAME.size
    at = begin + fields * _FIELD.size
    if at > len(block):
        raise ValueError("its directory ends early")
    for n, entry in enumerate(_FIELD.iter_unpack(block[begin:at])):
        name, kind, columns, rows, size, crc, _ = entry
        known = kind.rstrip(b"\0") in _TYPES and name.endswith(b"\0") and name.isascii()
        if not known or size > len(block) - at:
            raise ValueError(f"field {n} does not fit")
        dtype = np.dtype("<" + kind[:1].decode())
        yield name.rstrip(b"\0").decode(), dtype, columns, rows, at, size, crc
        at += size


def fields_of(state: memoryview) -> Iterator[tuple[str, np.ndarray]]:
    """The fields of a state that is not packed, of which they share the memory."""
    for name, dtype, columns, rows, at, size, _ in _directory(state):
        if size == 0 and rows:  # a column that is made again where the state is loaded
            continue
        array = np.frombuffer(state[at : at + size], dtype)
        yield name, array.reshape(rows, columns) if columns > 1 else array


def _check_fields(block: bytes) -> None:
    """ValueError where the checksum of a field differs, or what lies behind the fields is not 0;
    the checksum of the head has been compared."""
    view, end = memoryview(block), 0
    for name, _, _, _, at, size, crc in _directory(view):
        if zlib.crc32(view[at : at + size]) != crc:
            raise ValueError(f"the checksum of {name} differs")
        end = at + size
    if any(view[end:]):
        raise ValueError("there is something behind its fields")
