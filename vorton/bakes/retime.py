"""Frames of a bake at other times than those that its archive has: slow motion."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..archive.branches import Branch
from ..archive.reading import Archive
from ..scenes.scene import Scene
from ..simulations.saved import go_on_from
from ..simulations.simulation import Simulation
from .bake_frames import Parts
from .course import Course, carry_over

__all__ = ["RetimedCourse", "course_of", "last_frame", "needed", "place_of"]

_SAME = 1e-9
"""Frames are this near to each other, in frames, where rounding of the rates alone parts them."""


def place_of(number: int, fps: float, archived_fps: float) -> tuple[int, float]:
    """The frame of the archive at or before a frame, and how far it lies behind, 0 to 1."""
    place = (number - 1) * archived_fps / fps
    whole = round(place)
    if abs(place - whole) <= _SAME * max(1.0, place):
        return whole + 1, 0.0
    return int(place) + 1, place - int(place)


def last_frame(archived_last: int, archived_fps: float, fps: float) -> int:
    """Number of the last frame that an archive reaches with its last frame."""
    return int((archived_last - 1) * fps / archived_fps * (1 + _SAME) + _SAME) + 1


def needed(number: int, fps: float, archived_fps: float) -> list[int]:
    """The frames of the archive that a frame is made of."""
    frame, share = place_of(number, fps, archived_fps)
    return [frame, frame + 1] if share else [frame]


@dataclasses.dataclass
class _Moment:
    """A simulation at a frame of the archive, and the velocities at its particles."""

    number: int
    sim: Simulation
    shown: Simulation
    """What it is a moment of: of the same scene."""
    velocities: tuple[np.ndarray, np.ndarray]


class RetimedCourse:
    """The simulation at each frame of a bake that is derived with another frame rate.

    At the times of archived frames it is at these; between them its particles are interpolated
    (vorton/retime.h). Parameters as of `Course`; `fps` is the new rate.
    """

    def __init__(self, own: Simulation, branch: Branch | None, fps: float) -> None:
        self._course = Course(own, branch)
        self._fps, self._archived_fps = fps, own.fps
        self._moments: dict[int, _Moment] = {}

    def show(self, number: int, states: Archive, parts: Parts) -> Simulation:
        """As `Course.show`, for a frame of the new rate."""
        frame, share = place_of(number, self._fps, self._archived_fps)
        if not share:
            return self._course.show(frame, states, parts)
        with parts.timed("state"):
            sim = self._course.enter(frame + 1)
            both = (frame, frame + 1)
            old = [m for m in self._moments.values() if m.shown is sim]
            self._moments = {}  # where a frame is damaged they may be half of both
            kept = {m.number: m for m in old if m.number in both}
            spare = [m.sim for m in old if m.number not in both]
            self._moments = {
                n: kept.get(n) or self._load(n, frame + 1, sim, states, spare) for n in both
            }
            earlier, later = self._moments.values()
            time = (number - 1) / self._fps
            velocities: Any = (*earlier.velocities, *later.velocities)
            sim._core.show_between(earlier.sim._core, later.sim._core, time, velocities)
        return sim

    def _load(
        self, number: int, after: int, shown: Simulation, states: Archive, spare: list[Simulation]
    ) -> _Moment:
        """A frame as a moment of the scene that is shown, that of frame `after`.

        Simulations of that scene of which nobody needs the state may be taken.
        """

        def make(scene: Scene) -> Simulation:
            return Simulation(scene, shown.fps, threads=shown._threads)

        sim = spare.pop() if spare else make(shown.scene)
        if self._course.piece_of(number) != self._course.piece_of(after):
            before = make(states.scene(number))
            go_on_from(before, states, number)
            carry_over(before, sim)
        else:
            go_on_from(sim, states, number)
        at_vortons, at_tracers = (
            sim.velocity_at(each.position) for each in (sim.vortons, sim.tracers)
        )
        return _Moment(number, sim, shown, (at_vortons, at_tracers))


def course_of(archive: Archive, sim: Simulation, fps: float) -> Course | RetimedCourse:
    """How to come to the frames of an archive at a rate; `sim` is new, of its scene."""
    if fps == archive.fps:
        return Course(sim, archive.branch)
    return RetimedCourse(sim, archive.branch, fps)
