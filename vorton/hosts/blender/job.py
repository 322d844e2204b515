"""A bake in a process of its own: Blender stays usable, and ends with it or without it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .worker import GO_ON, PAUSE

WORKER = "vorton.hosts.blender.worker"

# No console, and after Blender's own threads.
WINDOWS_FLAGS = sum(
    getattr(subprocess, name, 0) for name in ("CREATE_NO_WINDOW", "BELOW_NORMAL_PRIORITY_CLASS")
)


def python_path() -> list[str]:
    """Folders in which another Python finds vorton and NumPy."""
    found = [Path(__file__).absolute().parents[3], Path(np.__file__).absolute().parents[1]]
    return list(dict.fromkeys(map(str, found)))


class Job:
    """A bake that is under way.

    Parameters
    ----------
    scene : path
        JSON file of the scene.
    folder : path
        Where the frames go.
    frames : int
        How many.
    fps : float, 1/s
    archive : bool
        Keep the state of each frame, default True.
    points : bool
        Write the tracers of each frame, too, default False. A branch has those of its origin.
    overwrite : bool
        Remove what another bake has left in the folder.
    origin : path, optional
        Folder of another bake, or of this one, whose first frames stay: `vorton.branch`.
    kept : int
        Its last frame that stays.
    python : path, optional
        Default: the Python that runs this.

    Attributes
    ----------
    done, total : int
        Frames.
    left : float
        Seconds, as it seems now.
    warnings : list of str
    error : str
        Why it ended before its end; empty where it did not.
    paused : bool
    """

    def __init__(
        self,
        scene: str | os.PathLike[str],
        folder: str | os.PathLike[str],
        frames: int,
        fps: float,
        *,
        archive: bool = True,
        points: bool = False,
        overwrite: bool = False,
        origin: str | os.PathLike[str] | None = None,
        kept: int = 0,
        python: str | os.PathLike[str] | None = None,
    ) -> None:
        self.done, self.total, self.left = 0, frames, 0.0
        self.warnings: list[str] = []
        self.error = ""
        self.cancelled = self.paused = self._ended = False
        what: dict[str, Any] = {
            "scene": os.fspath(scene),
            "folder": os.fspath(folder),
            "frames": frames,
        }
        what |= {"fps": fps, "archive": archive, "points": points, "overwrite": overwrite}
        what |= {"origin": None if origin is None else os.fspath(origin), "kept": kept}
        arguments = json.dumps(what)
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [os.fspath(python or sys.executable), "-m", WORKER, arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, encoding="utf-8", errors="replace", env=_environment(),
            creationflags=WINDOWS_FLAGS,
        )  # fmt: skip
        self._stderr: list[str] = []
        self._threads = [
            threading.Thread(target=self._read_stdout, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        self._stderr.extend(self._process.stderr)

    def poll(self) -> bool:
        """Take in what the process has said; whether it is still at work."""
        while True:
            try:
                line = self._lines.get_nowait()
            except queue.Empty:
                return not self._ended
            if line is None:
                self._end()
                return False
            self._take(line)

    def wait(self) -> None:
        """Until it has ended."""
        while not self._ended:
            line = self._lines.get()
            if line is None:
                self._end()
            else:
                self._take(line)

    def _take(self, line: str) -> None:
        try:
            said = json.loads(line)
        except ValueError:
            return  # somebody else writes there, too
        if not isinstance(said, dict):
            return
        if "done" in said:
            self.done, self.total, self.left = said["done"], said["total"], said["left"]
        if "warning" in said:
            self.warnings.append(said["warning"])
        if "error" in said:
            self.error = said["error"]

    def _end(self) -> None:
        status, self._ended = self._process.wait(), True
        self._threads[1].join(5)
        if status and not self.error and not self.cancelled:
            tail: Sequence[str] = [line.strip() for line in self._stderr if line.strip()]
            self.error = f"the bake has ended with status {status}: {' '.join(tail[-1:])}"

    def pause(self, paused: bool = True) -> None:
        """Let it wait after the frame that it writes, or go on."""
        self.paused = paused
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(OSError):  # it has ended
                os.write(self._process.stdin.fileno(), PAUSE if paused else GO_ON)

    def cancel(self) -> None:
        """Let it end after the frame that it writes; all frames before it are whole."""
        self.cancelled = True
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()


def _environment() -> dict[str, str]:
    earlier = os.environ.get("PYTHONPATH")
    folders = [*python_path(), *([earlier] if earlier else [])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(folders),
        "PYTHONSAFEPATH": "1",  # not the folder where Blender was started
        "PYTHONIOENCODING": "utf-8",
    }
