"""Writing motion archives: frames are added, put back, or cut off."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..files.disk import explain, gone, replaced, write_atomically
from .branches import shared_frames
from .reading import BLOCK, FRAME, Archive, Placed, head_block, index_block


class ArchiveWriter(Placed):
    """An archive that grows; one that is there is gone on with.

    The whole frames of an archive are kept; one that is damaged or missing may be put back. Where
    its head tells of the same states in other words, this one takes its place. An archive of which
    the head cannot be read is begun anew. It holds no states of another bake
    (`bake_opening.foreign_states`): the caller has seen to that.

    Parameters
    ----------
    path : path
    about : dict
        The head: `describe_scene`.

    Raises
    ------
    OSError
        It cannot be read or written.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self._places = {}
        self._about = about
        self._busy = threading.Lock()  # frames are read while others are written
        head = head_block(about)
        self._begin = self._end = len(head)
        if path.exists() and not begins_with(path, head):
            _renew_head(path, about)
        self._take_over(head)
        if not self._places and not begins_with(path, head):
            write_atomically(path, head)
        self._closed = _ends_with(path, self._end, index_block(self._places, self._end))

    def _take_over(self, head: bytes) -> None:
        """The whole frames of an archive with the same head."""
        if not begins_with(self.path, head):
            return
        with Archive(self.path) as earlier:
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
        number = FRAME.unpack_from(block, BLOCK.size)[0]
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
            self._put(index_block(self._places, self._end))
            self._closed = True

    def _put(self, content: bytes | memoryview) -> None:
        """Write behind the last frame; nothing is left of what does not get there whole."""
        self._write(content, self._end, cut=True)

    def _write(self, content: bytes | memoryview, at: int, cut: bool = False) -> None:
        try:
            with open(self.path, "r+b", buffering=0) as file:  # nothing is kept to be written later
                try:
                    if cut:
                        file.truncate(at)
                    file.seek(at)
                    rest = memoryview(content)
                    while rest:
                        rest = rest[file.write(rest) :]
                    os.fsync(file.fileno())
                except BaseException:
                    if cut:
                        with contextlib.suppress(OSError):  # readers pass over it
                            file.truncate(at)
                    raise
        except FileNotFoundError as error:
            raise gone(self.path) from error
        except OSError as error:
            raise explain(error, self.path) from error


def write_frames(path: Path, about: Mapping[str, Any], blocks: Iterable[bytes]) -> None:
    """Write a whole archive, atomically; OSError where it cannot be written."""
    head = head_block(about)
    places, end = {}, len(head)
    with replaced(path) as part, open(part, "wb") as file:
        file.write(head)
        for block in blocks:
            file.write(block)
            places[FRAME.unpack_from(block, BLOCK.size)[0]] = end, len(block)
            end += len(block)
        file.write(index_block(places, end))


def cut_archive(path: Path, frame: int) -> None:
    """Remove the frames after one; OSError where it cannot be written."""
    with Archive(path) as archive:
        places = {n: place for n, place in archive._places.items() if n <= frame}
        end = max((at + length for at, length in places.values()), default=archive._begin)
    index = index_block(places, end)
    if _ends_with(path, end, index):
        return
    try:
        with open(path, "r+b") as file:
            file.truncate(end)
            file.seek(end)
            file.write(index)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise explain(error, path) from error


def _renew_head(path: Path, about: Mapping[str, Any]) -> None:
    """Put a head in the place of another that tells of the same states."""
    try:
        with Archive(path) as archive:
            earlier, frames = archive.about, archive.frames
    except ValueError:  # it is damaged, or none
        return
    assert all(n <= shared_frames(earlier, about) for n in frames)
    write_frames(path, about, blocks_of(path, frames))


def blocks_of(path: Path, frames: Iterable[int]) -> Iterator[bytes]:
    """Frames of an archive, which is closed behind the last one: what they go to may then take its
    place, on Windows, too."""
    with Archive(path) as archive:
        yield from map(archive.block, frames)


def _ends_with(path: Path, at: int, content: bytes) -> bool:
    """Whether a file has that from there on, and nothing behind."""
    with open(path, "rb") as file:
        file.seek(at)
        return file.read(len(content) + 1) == content


def begins_with(path: Path, head: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(head)) == head
    except FileNotFoundError:
        return False
    except OSError as error:
        raise explain(error, path, "cannot read") from error
