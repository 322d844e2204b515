"""Frames of a derived bake, made by several processes at the same time.

Each is a Python of its own that takes one line of JSON for its setup, and then a line for each few
frames; it answers with a line that has their records, or what went wrong. It ends with its input.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..archive.manifest import Manifest, json_value
from ..archive.reading import Archive, DamageError
from ..simulations.simulation import Simulation
from .bake_frames import Parts, encode_frame, write_files
from .course import Course
from .retime import RetimedCourse, Times, course_of, take_derived

__all__ = ["make_in_processes"]

_ERRORS: dict[str, type[Exception]] = {
    error.__name__: error for error in (ValueError, TypeError, MemoryError)
}


def _told(error: Exception) -> dict[str, Any]:
    """An error as a line of JSON has it."""
    if isinstance(error, OSError):
        return {"error": "OSError", "errno": error.errno, "text": error.strerror or str(error)}
    return {"error": type(error).__name__, "text": str(error)}


def _made_of(told: dict[str, Any]) -> Exception:
    """The error that was told."""
    if told["error"] == "OSError":
        return OSError(told["errno"], told["text"])
    return _ERRORS.get(told["error"], RuntimeError)(told["text"])


# ---- in a process of its own ----


def work() -> None:
    """Answer each line of the standard input."""
    answers = sys.stdout
    sys.stdout = sys.stderr  # whatever is printed is no answer
    setup = json.loads(sys.stdin.readline())
    manifest = Manifest(Path(setup["manifest"]), setup["data"])
    manifest.others = frozenset(setup["others"])
    with Archive(setup["archive"]) as archive:
        sim = Simulation(archive.scene(), archive.fps, threads=setup["threads"])
        course = course_of(archive, sim, Times.of(manifest.data, archive.fps))
        for line in sys.stdin:
            try:
                answer = _make_all(course, archive, manifest, json.loads(line), sim._threads)
            except Exception as error:
                answer = _told(error)
            print(json.dumps(answer), file=answers, flush=True)


def _make_all(
    course: Course | RetimedCourse,
    archive: Archive,
    manifest: Manifest,
    numbers: Sequence[int],
    threads: int,
) -> dict[str, Any]:
    """How many frames it came to, the records of those that could be made, and which of the archive
    cannot be read."""
    records: list[dict[str, Any]] = []
    lost: dict[int, str] = {}
    for number in numbers:
        try:
            records.append(_make(course, archive, manifest, number, threads))
        except DamageError as error:
            lost |= error.frames
    return {"count": len(numbers), "records": records, "lost": list(lost.items())}


def _make(
    course: Course | RetimedCourse,
    archive: Archive,
    manifest: Manifest,
    number: int,
    threads: int,
) -> dict[str, Any]:
    parts = Parts()
    frame = take_derived(course, archive, manifest, number, threads, parts)
    encode_frame(frame, manifest.data, parts)
    write_files(frame, manifest, parts)
    return json_value(frame.record)


# ---- here ----


class _Worker:
    """A process, and the thread that speaks with it."""

    def __init__(self, setup: str, tasks: queue.SimpleQueue, answers: queue.SimpleQueue) -> None:
        root = str(Path(__file__).parents[2])
        code = f"import sys; sys.path.insert(0, {root!r}); "
        code += "from vorton.bakes.derive_jobs import work; work()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for us: it ends with its input
        )
        self._thread = threading.Thread(target=self._speak, args=(setup, tasks, answers))
        self._thread.start()

    def _speak(self, setup: str, tasks: queue.SimpleQueue, answers: queue.SimpleQueue) -> None:
        process, ended = self._process, False
        assert process.stdin is not None and process.stdout is not None
        try:
            with process.stdin as to, process.stdout as back:
                print(setup, file=to, flush=True)
                while (numbers := tasks.get()) is not None:
                    print(json.dumps(numbers), file=to, flush=True)
                    line = back.readline()
                    if not line:
                        ended = True
                        break
                    answers.put(json.loads(line))
        except (OSError, ValueError):
            ended = True  # it is gone, or talks nonsense
        if process.wait() != 0 or ended:
            text = f"a process that made frames ended with status {process.returncode}"
            answers.put({"error": "RuntimeError", "text": text})

    def end(self) -> None:
        self._thread.join()


def make_in_processes(
    archive: Archive,
    manifest: Manifest,
    numbers: Sequence[int],
    lost: dict[int, str],
    jobs: int,
    threads: int,
) -> Iterator[dict[str, Any] | None]:
    """Write the files of frames, in any order; yields the record of each, None: it cannot be made.

    `lost` takes the frames of the archive that cannot be read.

    Raises
    ------
    ValueError, TypeError, OSError, MemoryError
        As in one process. Frames of which the record was given are whole.
    RuntimeError
        A process has ended.
    """
    tasks, answers = queue.SimpleQueue(), queue.SimpleQueue()
    groups: dict[int, list[int]] = {}
    times = Times.of(manifest.data, archive.fps)
    for n in numbers:  # those between the same two frames follow each other
        groups.setdefault(times.needed(n)[0], []).append(n)
    for group in groups.values():
        tasks.put(group)
    jobs = min(jobs, len(groups))
    for _ in range(jobs):
        tasks.put(None)
    setup = json.dumps(
        {
            "archive": str(archive.path.absolute()),
            "manifest": str(manifest.path.absolute()),
            "data": {**manifest.data, "frames": []},
            "others": sorted(manifest.others),
            "threads": max(1, threads // jobs),
        }
    )
    workers: list[_Worker] = []
    try:
        for _ in range(jobs):
            workers.append(_Worker(setup, tasks, answers))
        for _ in groups:
            answer = answers.get()
            if "error" in answer:
                raise _made_of(answer)
            lost.update((n, why) for n, why in answer["lost"])
            yield from answer["records"]
            yield from [None] * (answer["count"] - len(answer["records"]))
    finally:
        while True:  # what was not begun is not begun any more
            try:
                tasks.get_nowait()
            except queue.Empty:
                break
        for _ in range(jobs):
            tasks.put(None)
        for worker in workers:
            worker.end()
