"""Frames of a bake are encoded and written beside the next steps, each by a thread of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from .bake_frames import Frame

MOST_UNDER_WAY = 2
"""Frames: one is encoded while the one before it is written."""


class FrameWriter:
    """Encodes frames in one thread and writes them in another, each one frame after the other, in
    the order in which they are given; to be used in a `with` block.

    An error leaves the block once the frames that are under way have been written, with a note of
    the first frame that was not: behind it none is written. Where one of these fails, too, its
    error is raised in place of the later one; but an interruption stays what it is, and tells of
    both.

    Parameters
    ----------
    encode : function of a frame
        What needs no disk.
    write : function of a frame
        Of one that was encoded. Returns when the frame is whole.
    """

    def __init__(self, encode: Callable[[Frame], None], write: Callable[[Frame], None]) -> None:
        self.number = 1
        """Of the frame that is made in the block; what goes wrong there goes wrong with it."""
        self._encode, self._write = encode, write
        self._encoder = ThreadPoolExecutor(1, thread_name_prefix="vorton-encode")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="vorton-write")
        self._under_way: deque[tuple[int, Future[None]]] = deque()
        self._failed = False

    def __enter__(self) -> Self:
        return self

    def give(self, frame: Frame) -> None:
        """Have a frame encoded and written, for which `written` must have made room."""
        assert len(self._under_way) < MOST_UNDER_WAY
        encoded = self._encoder.submit(self._encode, frame)
        written = self._writer.submit(self._write_next, frame, encoded)
        self._under_way.append((frame.record["frame"], written))

    def _write_next(self, frame: Frame, encoded: Future[None]) -> None:
        try:
            encoded.result()
            if not self._failed:
                self._write(frame)
        except BaseException:
            self._failed = True
            raise

    @property
    def busy(self) -> bool:
        """Whether a frame is under way now."""
        return any(not written.done() for _, written in self._under_way)

    def threads_beside(self, threads: int) -> int:
        """Of so many those for the next frame: one less, but at least one, while a frame is under
        way, or both would wait for each other."""
        return max(threads - self.busy, 1)

    def written(self, most: int = MOST_UNDER_WAY - 1) -> Iterator[int]:
        """Wait until at most so many frames are under way; gives the numbers of those that are
        found to be written.

        Raises
        ------
        BaseException
            What went wrong with one of those.
        """
        while len(self._under_way) > most or (self._under_way and self._under_way[0][1].done()):
            number, written = self._under_way[0]
            written.result()
            self._under_way.popleft()
            yield number

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        first, failure = self._settle()
        told = error
        if failure is not None and (error is None or isinstance(error, Exception)):
            told = failure
        elif failure is not None and failure is not error:
            error.add_note(f"frame {first} could not be written: {failure}")
        if told is not None:
            told.add_note(f"while baking frame {first}; all frames before it are whole")
        if told is not error:
            raise told

    def _settle(self) -> tuple[int, BaseException | None]:
        """Let the threads end. The first frame that is not whole, and why its writing failed."""
        for thread in (self._encoder, self._writer):
            _let_end(thread)
        for number, written in self._under_way:
            failure = written.exception()
            if failure is not None:
                return number, failure
        return self.number, None


def _let_end(thread: ThreadPoolExecutor) -> None:
    while True:
        try:
            thread.shutdown()
            return
        except KeyboardInterrupt:  # on the way out already
            continue
