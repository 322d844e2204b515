"""Progress of long work: a bar where tqdm is installed, lines with the time left where not."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Self

LEAST_SECONDS_BETWEEN_LINES = 1.0

Callback = Callable[[int, int, float], None]
"""Called with (frames done, frames in all, seconds left) after each frame."""


def clock(seconds: float) -> str:
    """The time as 0:05, 12:34 or 1:23:45."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Progress:
    """Shows how far `total` frames are; to be used in a `with` block.

    Parameters
    ----------
    total : int
        Frames in all.
    what : str
        What is going on: "bake ring".
    show : bool or callback
        True: a tqdm bar in a terminal or a notebook, lines on stderr elsewhere (logs) and where
        tqdm is missing; False: nothing; a function: called with (done, total, seconds left).
    """

    def __init__(self, total: int, what: str, show: bool | Callback = True) -> None:
        self.total, self.what, self.show = total, what, show
        self.done = 0
        self.started = self.last_line = time.monotonic()
        self.bar = _tqdm_bar(total, what) if show is True else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def say(self, text: str) -> None:
        """A line of its own, where progress is shown."""
        if self.bar is not None:
            self.bar.write(f"{self.what}: {text}", file=sys.stderr)
        elif self.show is True:
            print(f"{self.what}: {text}", file=sys.stderr)

    def advance(self) -> None:
        """One more frame is done."""
        self.done += 1
        now = time.monotonic()
        left = (now - self.started) / self.done * (self.total - self.done)
        if self.bar is not None:
            self.bar.update()
        elif callable(self.show):
            self.show(self.done, self.total, left)
            self.started += time.monotonic() - now  # it may have waited: that is not to come again
        elif self.show and (
            self.done == self.total or now - self.last_line >= LEAST_SECONDS_BETWEEN_LINES
        ):
            self.last_line = now
            print(f"{self.what}: {self.done} of {self.total}, {clock(left)} left", file=sys.stderr)


def _tqdm_bar(total: int, what: str) -> Any:
    if not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=what, unit="frame")
