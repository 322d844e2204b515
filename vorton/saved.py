"""Simulations into archives, and back: what `Simulation.save`, `load` and pickles are made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from . import _core
from .animation import frame_rate
from .archive import Archive, describe_scene, encode_archive
from .archive_writer import ArchiveWriter
from .fields import ranges_text, shown
from .opening import make_core

if TYPE_CHECKING:
    from .simulation import Simulation

S = TypeVar("S", bound="Simulation")

__all__ = ["encode", "go_on_from", "open_archive", "unpickle"]


def encode(sim: Simulation, folder: Path | None) -> bytes:
    """An archive with the state of now; paths in the scene are relative to the folder.

    Raises
    ------
    ValueError
        The scene does not make this simulation again.
    """
    state = sim._core.save_state(sim.frame + 1)
    if sim._altered:
        _check_made_again(sim, state)
    threads = sim._threads or _core.available_threads()
    about = describe_scene(sim.scene, sim.fps, folder)
    if sim._made_with_fps != sim.fps:
        about["made_with_fps"] = sim._made_with_fps
    return encode_archive(about, _core.pack_state(state, threads))


def _check_made_again(sim: Simulation, state: memoryview) -> None:
    with frame_rate(sim._made_with_fps):
        core, _ = make_core(sim.scene, sim._threads)
    try:
        core.load_state(state)
    except ValueError as error:
        raise ValueError(
            "this simulation cannot be saved: what was added, changed or removed while it ran is "
            f"not what its scene makes ({error})"
        ) from error


def open_archive(cls: type[S], archive: Archive, frame: int | None, threads: int | None) -> S:
    """The simulation at a frame of an archive, None: the last.

    Raises
    ------
    ValueError, TypeError
        No such frame, damaged, not for this version; a scene that cannot be made again.
    """
    numbers = archive.frames
    number = numbers[-1] if frame is None and numbers else frame
    if number not in numbers:
        has = ranges_text(numbers) or "none"
        raise ValueError(f"frame = {shown(frame)}: {archive.path} has frames {has}")
    from .simulation import Simulation

    # the initialiser of the base: a derived class may have one with other parameters
    sim = object.__new__(cls)
    made_with = archive.about.get("made_with_fps", archive.fps)
    Simulation.__init__(sim, archive.scene(number), made_with, threads=threads)
    sim.fps = archive.fps
    go_on_from(sim, archive, number)
    return sim


def go_on_from(sim: Simulation, archive: Archive | ArchiveWriter, number: int) -> None:
    """Take the state of a frame of an archive of the same scene.

    Raises
    ------
    ValueError
        A damaged frame, or one of another version, naming it.
    """
    try:
        sim._core.load_state(archive.block(number))
    except ValueError as error:
        raise ValueError(f"{archive.path}, frame {number}: {error}") from error
    sim.frame = number - 1
    sim._warned = len(sim._core.warnings())


def unpickle(cls: type[S], content: bytes, threads: int) -> S:
    """What was pickled: `encode` with its class and its number of threads."""
    with Archive.of_bytes(content) as archive:
        return open_archive(cls, archive, None, threads)
