"""Frames of a bake are written beside the next step: one thread, one frame at a time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from .bake_frames import Frame


class FrameWriter:
    """Writes frames one after the other in a thread of its own; to be used in a `with` block.

    An error leaves the block once the frame that is under way has been written, with a note of the
    first frame that was not. Where that frame fails, too, its error is raised in place of the later
    one; but an interruption stays what it is, and tells of both.

    Parameters
    ----------
    write : function of a frame
        Returns when the frame is whole.
    """

    def __init__(self, write: Callable[[Frame], None]) -> None:
        self.number = 1
        """Of the frame that is made in the block; what goes wrong there goes wrong with it."""
        self._write = write
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vorton-bake")
        self._given: tuple[int, Future[None]] | None = None

    def __enter__(self) -> Self:
        return self

    def give(self, frame: Frame) -> None:
        """Have a frame written, of which `wait` must be told before the next."""
        assert self._given is None
        self._given = frame.record["frame"], self._thread.submit(self._write, frame)

    @property
    def busy(self) -> bool:
        """Whether a frame is being written now."""
        return self._given is not None and not self._given[1].done()

    def threads_beside(self, threads: int) -> int:
        """Of so many those for the next frame: one less, but at least one, while a frame is being
        written, or both would wait for each other."""
        return max(threads - self.busy, 1)

    def wait(self) -> bool:
        """Wait until the frame that was given is written; False where there was none.

        Raises
        ------
        BaseException
            What went wrong with it.
        """
        if self._given is None:
            return False
        self._given[1].result()
        self._given = None
        return True

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
        """Let the thread end. The first frame that is not whole, and why its writing failed."""
        while True:
            try:
                self._thread.shutdown()
                break
            except KeyboardInterrupt:  # on the way out already
                continue
        if self._given is not None:
            number, written = self._given
            failure = written.exception()
            if failure is not None:
                return number, failure
        return self.number, None
