"""Simulations into archives, and back: what `Simulation.save`, `load` and pickles are made of."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from ..archive.reading import Archive, DamageError, describe_scene, encode_archive, fields_of
from ..archive.writing import ArchiveWriter
from ..base.checks import shown
from ..definitions.animation import frame_rate
from ..definitions.method import Method
from ..scenes.scene import Scene
from ..scenes.scene_warning import warn
from .opening import make_core

if TYPE_CHECKING:
    from .simulation import Simulation

__all__ = [
    "GOES_ON",
    "encode",
    "go_on_from",
    "loads_here",
    "open_archive",
    "other_build",
    "same_state",
    "warn_of_other_build",
]

GOES_ON = "this one goes on from them, but frames may differ from there on"
"""What to know of states that another build has saved, and this one loads."""


def encode(sim: Simulation, folder: Path | None) -> bytes:
    """An archive with the state of now; paths in the scene are relative to the folder.

    Raises
    ------
    ValueError
        The scene does not make this simulation again.
    """
    state = sim._core.save_packed_state(sim.frame + 1)
    if sim._altered:
        _check_made_again(sim, state)
    about = describe_scene(sim.scene, sim.fps, folder)
    if sim._made_with_fps != sim.fps:
        about["made_with_fps"] = sim._made_with_fps
    if sim._made_with_method != sim.method:
        about["made_with_method"] = sim._made_with_method.to_dict()
    return encode_archive(about, state)


def _check_made_again(sim: Simulation, state: memoryview) -> None:
    made_with = copy.copy(sim.scene)
    made_with.method = sim._made_with_method
    try:
        with frame_rate(sim._made_with_fps):
            core, _ = make_core(made_with, sim._threads)
        core.set_method(sim.method.to_dict())
        core.load_state(state)
    except ValueError as error:
        raise ValueError(
            "this simulation cannot be saved: what was added, changed or removed while it ran is "
            f"not what its scene makes ({error})"
        ) from error


def _but_for_room(scene: Scene) -> Scene:
    """Where what does not fit is refused how much would fit changes no bit."""
    scene = copy.copy(scene)
    if scene.at_capacity == "error":
        scene.max_vortons = scene.max_tracers = None
    return scene


def same_state(sim: Simulation, other: Simulation) -> bool:
    """Whether both have the same scene, and all that evolves has the same bits.

    Columns that only one of both keeps are passed over: they follow from others. So are velocities
    of tracers: the next step finds them anew, and what was loaded shows those of its time.
    """
    scenes = [_but_for_room(each.scene) for each in (sim, other)]
    if scenes[0] != scenes[1] or (sim.fps, sim.frame) != (other.fps, other.frame):
        return False
    fields = [dict(fields_of(each._core.save_state(0))) for each in (sim, other)]
    both = (fields[0].keys() & fields[1].keys()) - {"viewed", "shown", "was_aside"}
    both.discard("tracers.velocity")
    return all(
        fields[0][name].shape == fields[1][name].shape
        and fields[0][name].tobytes() == fields[1][name].tobytes()
        for name in both
    )


def open_archive(
    sim: Simulation,
    begin: Callable[..., None],
    archive: Archive,
    frame: int | None,
    threads: int | None,
) -> None:
    """Make of a blank object the simulation at a frame of an archive, None: the last.

    `begin(sim, scene, fps, threads=...)` is the initialiser: that of the base, as a derived class
    may have one with other parameters.

    Raises
    ------
    ValueError, TypeError
        No such frame, damaged, not for this version; a scene that cannot be made again.
    """
    numbers = archive.frames
    number = numbers[-1] if frame is None and numbers else frame
    if number not in numbers:
        raise ValueError(f"frame = {shown(frame)}: {archive.lacks([])}")
    fps = archive.about.get("made_with_fps", archive.fps)
    method = archive.about.get("made_with_method")
    scene = archive.scene(number)
    now = scene.method
    if method is not None:
        scene.method = Method.from_dict(method)
    begin(sim, scene, fps, threads=threads)
    if method is not None:
        sim.method = now
    sim.fps = archive.fps
    go_on_from(sim, archive, number)
    warn_of_other_build(archive, GOES_ON)


def go_on_from(sim: Simulation, archive: Archive | ArchiveWriter, number: int) -> None:
    """Take the state of a frame of an archive of the same scene.

    Raises
    ------
    DamageError
        A damaged frame.
    ValueError
        A frame of another version, naming it.
    """
    try:
        sim._core.load_state(archive.block(number))
    except ValueError as error:
        why = archive.damage(number) if isinstance(archive, Archive) else None
        if why is not None:
            raise DamageError(archive.path, {number: why}) from error
        raise ValueError(f"{archive.path}, frame {number}: {error}") from error
    sim.frame = number - 1
    sim._warned = len(sim._core.warnings())


def other_build(told: Mapping[str, Any]) -> str | None:
    """Which other build has saved states, by the head of their archive, None: this one."""
    if (told.get("vorton"), told.get("build")) == (_core.version(), _core.build()):
        return None
    return f"another build (vorton {told.get('vorton')})"


def warn_of_other_build(archive: Archive, then: str) -> None:
    """Warn where another build has saved the states of an archive; `then` says what follows."""
    if other := other_build(archive.about):
        warn(f"{archive.path}: its states were saved by {other}: {then}")


def loads_here(archive: Archive) -> bool:
    """Whether its states have the columns that this build knows, which alone loads them."""
    here = _core.state_layout()
    return all(archive.layout(number) == here for number in archive.frames)
