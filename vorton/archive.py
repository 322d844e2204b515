"""Motion archives (.vta): the state of a simulation at each frame, exact to the bit, in one file.

The file is described byte by byte in csrc/archive/block.h. Frames are appended; a whole frame is
one whose checksums agree, whatever lies behind it. The head is JSON:

    format                  "vorton-archive"
    name, scene_sha256      of the scene
    scene                   the scene as data; mesh paths relative to the folder of the archive
    branch                  of a branch of another bake: which frames belong to which scene
                            (`branches.Branch.to_dict`)
    fps                     frame 1 is the start, frame n is at time (n - 1) / fps
    made_with_fps           what animated numbers without fps of their own were made with, where fps
                            was changed later
    vorton, build           version; compiler, flags and sources: a state goes on in the same build
"""

from __future__ import annotations

import io
import json
import os
import struct
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np

from . import _core
from .branches import Branch, scene_of
from .fields import ranges_text, readable_json
from .files import TEMPORARY, explain, gone, write_atomically
from .scene import Scene

FORMAT = "vorton-archive"
SUFFIX = ".vta"

_BLOCK = struct.Struct("<4sIQQ")  # kind, checksum, length, how far that checksum goes
_HEAD = struct.Struct("<8sII")  # magic, version, size of the text
_FRAME = struct.Struct("<qdQQII")  # number, time, layout, definition, fields, 0
_FIELD = struct.Struct("<40s4sIQQII")  # name, type, columns, rows, bytes, checksum, packing
_PLACE = struct.Struct("<qQQ")  # number, offset, length
_MOST_DIRECTORY = 1 << 20
_SEARCHED_AT_ONCE = 1 << 20
_MAGIC, _END, _VERSION = b"vortonA\n", b"vortonE\n", 1


# ---- blocks ----


def _block(kind: bytes, content: bytes) -> bytes:
    """A block that its checksum covers whole."""
    content += bytes(-len(content) % 8)
    length = _BLOCK.size + len(content)
    summed = struct.pack("<QQ", length, length) + content
    return kind + struct.pack("<I", zlib.crc32(summed)) + summed


def _head_block(about: Mapping[str, Any]) -> bytes:
    text = readable_json(about).encode()
    return _block(b"HEAD", _HEAD.pack(_MAGIC, _VERSION, len(text)) + text)


def _index_block(frames: Mapping[int, tuple[int, int]], at: int) -> bytes:
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
    head = _head_block(about)
    number = _FRAME.unpack_from(block, _BLOCK.size)[0]
    places = {number: (len(head), len(block))}
    return head + block + _index_block(places, len(head) + len(block))


# ---- reading ----


class Archive:
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
        self.path = Path(path)
        try:
            file = open(self.path, "rb")  # noqa: SIM115
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
        self._places: dict[int, tuple[int, int]] = {}
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

    @property
    def frames(self) -> list[int]:
        """Numbers of the frames, ascending."""
        return list(self._places)

    @property
    def last(self) -> int:
        """Number of the last frame, 0: there is none."""
        return next(reversed(self._places), 0)

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
        has = f"{self.path}: has frames {ranges_text(self.frames) or 'none'}"
        numbers = self.frames if frames is None else list(range(frames[0], frames[1] + 1))
        lacking = [n for n in numbers if n not in self._places]
        if lacking or not numbers:
            raise ValueError(f"{has}, and lacks {ranges_text(lacking)}" if lacking else has)
        return numbers

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

    def fields(self, number: int) -> dict[str, np.ndarray]:
        """The state at a frame, its checksums compared: each field by its name.

        ``tracers.position`` (n, 3) and so on, as the views of a simulation show them, in the order
        of the simulation; and all else that evolves.

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
            state = _core.unpack_state(self.block(number))
        except ValueError as error:
            raise ValueError(f"{self.path}: frame {number}: {error}") from error
        return dict(_arrays(state))

    def damage(self, number: int) -> str | None:
        """What is wrong with a frame, or None: it is as it was written."""
        try:
            _check_fields(self.block(number))
        except (ValueError, OSError) as error:
            return f"{self.path.name}, frame {number}: {error}"
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
        if not 0 <= at <= self._size - _BLOCK.size:
            return None
        found, crc, length, summed = _BLOCK.unpack(self._read(at, _BLOCK.size))
        if found != kind or length % 8 or summed > most:
            return None
        if not _BLOCK.size <= summed <= length <= self._size - at:
            return None
        content = self._read(at + 8, summed - 8)
        return (length, content[16:]) if zlib.crc32(content) == crc else None

    def _read_head(self) -> tuple[dict[str, Any], int]:
        found = self._find(0, b"HEAD")
        if found is None or len(found[1]) < _HEAD.size or found[1][:8] != _MAGIC:
            raise ValueError(f"{self.path}: is not a motion archive")
        length, content = found
        _, version, size = _HEAD.unpack_from(content)
        if _BLOCK.size + len(content) != length or size > len(content) - _HEAD.size:
            raise ValueError(f"{self.path}: is not a motion archive")
        if version != _VERSION:
            text = f"version {version} of the format, this vorton reads {_VERSION}: update vorton"
            raise ValueError(f"{self.path}: {text}")
        try:
            about = json.loads(content[_HEAD.size : _HEAD.size + size])
        except ValueError as error:
            raise ValueError(f"{self.path}: is not a motion archive: {error}") from error
        known = {"scene": dict, "scene_sha256": str, "name": str, "fps": float}
        whole = isinstance(about, dict) and about.get("format") == FORMAT
        if not whole or not all(isinstance(about.get(key), kind) for key, kind in known.items()):
            raise ValueError(f"{self.path}: is not a motion archive")
        return about, length

    def _note(self, at: int) -> int | None:
        """Note the frame that begins there, with a larger number than the last; where it ends."""
        found = self._find(at, b"FRAM", _MOST_DIRECTORY)
        if found is None or len(found[1]) < _FRAME.size:
            return None
        length, content = found
        number = _FRAME.unpack_from(content)[0]
        if self._places and number <= next(reversed(self._places)):
            return None
        self._places[number] = at, length
        return at + length

    def _scan(self, at: int | None) -> None:
        """Note the frames from there on, one behind the other, or behind what is damaged."""
        while at is not None:
            end = self._note(at)
            at = self._search(at + 8) if end is None else end

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
        if _BLOCK.size + len(content) != length or len(content) < 24:
            return False
        places = content[8:-16]
        count = struct.unpack_from("<Q", content)[0]
        if len(places) != count * _PLACE.size:
            return False
        for _, place, _ in _PLACE.iter_unpack(places):
            self._note(place)
        return True


def _directory(
    block: bytes | memoryview,
) -> Iterator[tuple[str, np.dtype, int, int, int, int, int]]:
    """(name, type, columns, rows, offset, bytes, checksum) of each field of a frame."""
    fields = _FRAME.unpack_from(block, _BLOCK.size)[4]
    at = _BLOCK.size + _FRAME.size + fields * _FIELD.size
    for n in range(fields):
        name, kind, columns, rows, size, crc, _ = _FIELD.unpack_from(
            block, _BLOCK.size + _FRAME.size + n * _FIELD.size
        )
        dtype = np.dtype("<" + kind[:1].decode())
        yield name.rstrip(b"\0").decode(), dtype, columns, rows, at, size, crc
        at += size


def _arrays(state: memoryview) -> Iterator[tuple[str, np.ndarray]]:
    """The fields of a state that is not packed, of which they share the memory."""
    for name, dtype, columns, rows, at, size, _ in _directory(state):
        array = np.frombuffer(state[at : at + size], dtype)
        yield name, array.reshape(rows, columns) if columns > 1 else array


def _check_fields(block: bytes) -> None:
    """ValueError where the checksum of a field differs, or what lies behind the fields is not 0;
    the checksum of the head has been compared."""
    view, end = memoryview(block), 0
    for name, _, _, _, at, size, crc in _directory(view):
        if len(block) < at + size or zlib.crc32(view[at : at + size]) != crc:
            raise ValueError(f"the checksum of {name} differs")
        end = at + size
    if any(view[end:]):
        raise ValueError("there is something behind its fields")


# ---- writing ----


class ArchiveWriter:
    """An archive that grows; one that is there is gone on with.

    Of an archive with the same head the whole frames are kept; one that is damaged or missing may
    be put back. So they are where only the paths of the scene differ, since the folder was moved.
    One with another head is begun anew.

    Parameters
    ----------
    path : path
    about : dict
        The head: `describe_scene`.

    Attributes
    ----------
    frames : list of int
        Numbers of the whole frames, ascending.
    last : int
        Number of the last of them, 0: there is none.

    Raises
    ------
    OSError
        It cannot be read or written.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self._places: dict[int, tuple[int, int]] = {}
        self._about = about
        self._busy = threading.Lock()  # frames are read while others are written
        head = _head_block(about)
        self._begin = self._end = len(head)
        if path.exists() and not _begins_with(path, head):
            _renew_head(path, about)
        self._take_over(head)
        if not self._places and not _begins_with(path, head):
            write_atomically(path, head)
        self._closed = _ends_with(path, self._end, _index_block(self._places, self._end))

    def _take_over(self, head: bytes) -> None:
        """The whole frames of an archive with the same head."""
        if not _begins_with(self.path, head):
            return
        with Archive(self.path) as earlier:
            earlier._places.clear()
            earlier._scan(earlier._begin)
            whole = [n for n in earlier.frames if n >= 1 and earlier.damage(n) is None]
            self._places = {n: earlier._places[n] for n in whole}
        if self._places:
            self._end = sum(self._places[self.last])
        if any(self._room(n) not in (0, None) for n in self._places if n + 1 in self._places):
            self._rebuild({})

    def _room(self, number: int) -> int | None:
        """Bytes between the end of a frame, 0: of the head, and the next one; None: it is the
        last."""
        begin = sum(self._places[number]) if number else self._begin
        return next((at - begin for n, (at, _) in self._places.items() if n > number), None)

    @property
    def frames(self) -> list[int]:
        """Numbers of the whole frames, ascending."""
        return list(self._places)

    @property
    def last(self) -> int:
        """Number of the last frame, 0: there is none."""
        return next(reversed(self._places), 0)

    def block(self, number: int) -> bytes:
        """A frame that is there, as `Archive.block`."""
        with self._busy:
            return self._block(number)

    def _block(self, number: int) -> bytes:
        at, length = self._places[number]
        try:
            with open(self.path, "rb") as file:
                file.seek(at)
                return file.read(length)
        except OSError as error:
            raise explain(error, self.path, "cannot read") from error

    def append(self, block: bytes | memoryview) -> None:
        """Add the frame that follows the last, or one that is missing behind one that is there.

        It is flushed to the disk.

        Raises
        ------
        OSError
            When it cannot be written; the frames before it are then there, and no index: `close`
            writes it, and readers find the frames without it.
        """
        number = _FRAME.unpack_from(block, _BLOCK.size)[0]
        before = number - 1
        assert number not in self._places and (before == 0 or before in self._places)
        self._closed = False
        room = self._room(before)
        if room is None:
            self._put(block)
            self._places[number] = self._end, len(block)
            self._end += len(block)
        elif len(block) == room or (len(block) < room and number + 1 not in self._places):
            begin = sum(self._places[before]) if before else self._begin
            self._write(block, begin)
            self._places = dict(sorted([*self._places.items(), (number, (begin, len(block)))]))
        else:
            self._rebuild({number: bytes(block)})

    def _rebuild(self, new: Mapping[int, bytes]) -> None:
        """Write the file anew: one frame behind the other, with new ones among them."""
        with self._busy:
            numbers = sorted({*self._places, *new})
            write_frames(self.path, self._about, (new.get(n) or self._block(n) for n in numbers))
            self._end = self._begin
            for n in numbers:
                length = len(new[n]) if n in new else self._places[n][1]
                self._places[n] = self._end, length
                self._end += length
            self._places = dict(sorted(self._places.items()))

    def close(self) -> None:
        """Write the index, unless it is there."""
        if not self._closed:
            self._put(_index_block(self._places, self._end))
            self._closed = True

    def _put(self, content: bytes | memoryview) -> None:
        """Write behind the last frame; nothing is left of what does not get there whole."""
        self._write(content, self._end, cut=True)

    def _write(self, content: bytes | memoryview, at: int, cut: bool = False) -> None:
        try:
            with open(self.path, "r+b") as file:
                try:
                    if cut:
                        file.truncate(at)
                    file.seek(at)
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                except BaseException:
                    if cut:
                        file.truncate(at)
                    raise
        except FileNotFoundError as error:
            raise gone(self.path) from error
        except OSError as error:
            raise explain(error, self.path) from error


def write_frames(path: Path, about: Mapping[str, Any], blocks: Iterable[bytes]) -> None:
    """Write an archive without an index, atomically; OSError where it cannot be written."""
    part = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        with open(part, "wb") as file:
            file.write(_head_block(about))
            for block in blocks:
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise explain(error, path) from error
        raise


def cut_archive(path: Path, frame: int) -> None:
    """Remove the frames after one; OSError where it cannot be written."""
    with Archive(path) as archive:
        places = {n: place for n, place in archive._places.items() if n <= frame}
        end = max((at + length for at, length in places.values()), default=archive._begin)
    if places == archive._places:
        return
    try:
        with open(path, "r+b") as file:
            file.truncate(end)
            file.seek(end)
            file.write(_index_block(places, end))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise explain(error, path) from error


def _renew_head(path: Path, about: Mapping[str, Any]) -> None:
    """Put a head in the place of another that differs in nothing but the paths of its scene."""
    try:
        earlier = Archive(path)
    except ValueError:  # it is damaged, or none
        return
    with earlier:
        keys = (earlier.about.keys() | about.keys()) - {"scene"}
        if all(earlier.about.get(key) == about.get(key) for key in keys):
            write_frames(path, about, (earlier.block(number) for number in earlier.frames))


def _ends_with(path: Path, at: int, content: bytes) -> bool:
    """Whether a file has that from there on, and nothing behind."""
    with open(path, "rb") as file:
        file.seek(at)
        return file.read(len(content) + 1) == content


def _begins_with(path: Path, head: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(head)) == head
    except FileNotFoundError:
        return False
    except OSError as error:
        raise explain(error, path, "cannot read") from error
