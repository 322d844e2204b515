"""Frames of a bake at other times than those that its archive has: slow motion, open shutters."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ..archive.branches import Branch
from ..archive.manifest import Manifest
from ..archive.reading import Archive
from ..scenes.scene import Scene
from ..simulations.saved import go_on_from
from ..simulations.simulation import Simulation
from .bake_frames import (
    Frame,
    Parts,
    columns_of_volume,
    crop,
    mean_volume,
    show_columns,
    take_frame,
)
from .course import Course, carry_over

__all__ = ["RetimedCourse", "Times", "course_of", "numbers_of", "take_derived"]

_SAME = 1e-9
"""Frames are this near to each other, in frames, where rounding of the rates alone parts them."""


@dataclasses.dataclass(frozen=True)
class Times:
    """When the frames of a derived bake are, among those of its archive.

    Attributes
    ----------
    fps, archived_fps : number, 1/s
        Of the derived bake and of the archive.
    offset : number, frames
        How far behind (n - 1) / fps frame n is.
    shutter : number, frames
        For how long the shutter is open around each frame, 0: it shows one moment.
    samples : whole number
        At how many moments meanwhile its volume is looked at.
    """

    fps: float
    archived_fps: float
    offset: float = 0.0
    shutter: float = 0.0
    samples: int = 0

    @classmethod
    def of(cls, settings: Mapping[str, Any], archived_fps: float | None = None) -> Self:
        """Those that a manifest tells of; where it tells of no other rate the archive has its."""
        fps = settings["fps"]
        given = {key: settings.get(key) for key in ("offset", "shutter", "samples")}
        known = {key: value for key, value in given.items() if value is not None}
        return cls(fps, archived_fps or settings.get("archived_fps") or fps, **known)

    @property
    def are_archived(self) -> bool:
        """Whether each frame is that of the archive which has its number."""
        return self.fps == self.archived_fps and not self.offset and not self.shutter

    def time_of(self, number: float) -> float:
        """When a frame is, s; a part of a frame more is a moment behind it."""
        return (number - 1 + self.offset) / self.fps

    def place_of(self, number: float) -> tuple[int, float]:
        """The frame of the archive at or before a frame, and how far it lies behind, 0 to 1."""
        place = (number - 1 + self.offset) * self.archived_fps / self.fps
        whole = round(place)
        if abs(place - whole) <= _SAME * max(1.0, place):
            return whole + 1, 0.0
        return math.floor(place) + 1, place - math.floor(place)

    def exposures(self, number: int) -> list[float]:
        """The moments at which the shutter of a frame is looked through, as `time_of` has them:
        those in the middle of equal parts of the time for which it is open."""
        parts = [(2 * k + 1 - self.samples) / (2 * self.samples) for k in range(self.samples)]
        return [number + self.shutter * part for part in parts]

    def needed(self, number: int) -> list[int]:
        """The frames of the archive that a frame is made of, ascending."""
        found: set[int] = set()
        for moment in (number, *self.exposures(number)):
            frame, share = self.place_of(moment)
            found |= {frame, frame + 1} if share else {frame}
        return sorted(found)

    def reached(self, first: int, last: int) -> list[int]:
        """The frames that can be made of those of an archive, from its first to its last."""
        if self.are_archived:
            return list(range(first, last + 1))
        end = int((last - 1) * self.fps / self.archived_fps * (1 + _SAME) + _SAME) + 1
        needed = {n: self.needed(n) for n in range(1, end + 1)}
        return [n for n, of in needed.items() if first <= of[0] and of[-1] <= last]


def numbers_of(archive: Archive, wanted: tuple[int, int] | None, times: Times) -> list[int]:
    """The frames that are to be made: all that the archive reaches, or those wanted, for which it
    must have had what they are made of."""
    had = {*archive.frames, *archive.lost}
    if wanted is None:
        numbers = times.reached(min(had, default=1), max(had, default=0))
    else:
        numbers = list(range(wanted[0], wanted[1] + 1))
    used = {a for n in numbers for a in times.needed(n)}
    if not numbers or not archive.frames or not used <= had:
        raise archive.lacks(sorted(used))
    return numbers


@dataclasses.dataclass
class _Moment:
    """A simulation at a frame of the archive, and the velocities at its particles."""

    number: int
    sim: Simulation
    shown: Simulation
    """What it is a moment of: of the same scene."""
    velocities: tuple[np.ndarray, np.ndarray]


class RetimedCourse:
    """The simulation at each frame of a bake that is derived at other times.

    At the times of archived frames it is at these; between them its particles are interpolated
    (vorton/retime.h). Parameters as of `Course`.
    """

    def __init__(self, own: Simulation, branch: Branch | None, times: Times) -> None:
        self._course = Course(own, branch)
        self._times = times
        self._moments: dict[int, _Moment] = {}

    def show(self, number: float, states: Archive, parts: Parts) -> Simulation:
        """As `Course.show`, for a frame at these times, or a moment of `Times.exposures`."""
        frame, share = self._times.place_of(number)
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
            velocities: Any = (*earlier.velocities, *later.velocities)
            time = self._times.time_of(number)
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


def course_of(archive: Archive, sim: Simulation, times: Times) -> Course | RetimedCourse:
    """How to come to the frames of a derived bake; `sim` is new, of the archive's scene."""
    if times.are_archived:
        return Course(sim, archive.branch)
    return RetimedCourse(sim, archive.branch, times)


# ---- frames ----


def take_derived(
    course: Course | RetimedCourse,
    archive: Archive,
    manifest: Manifest,
    number: int,
    threads: int,
    parts: Parts,
) -> Frame:
    """A frame of a derived bake; raises as `Course.show`.

    With a shutter its volume is the mean of those at the moments of `Times.exposures`, and has no
    velocity: hosts would blur it once more. The rest of the frame is as without one.
    """
    settings = manifest.data
    if not settings.get("shutter"):
        return _take(course, archive, settings, number, threads, parts)
    assert isinstance(course, RetimedCourse)
    moments = Times.of(settings, archive.fps).exposures(number)
    seen: list[dict[str, np.ndarray]] = []
    made: Frame | None = None
    for moment in moments:
        if made is None and moment >= number:  # in their order, so that each state is loaded once
            made = _take(course, archive, {**settings, "volumes": None}, number, threads, parts)
        sim = course.show(moment, archive, parts)
        show_columns(sim)
        with parts.timed("rasterise"):
            crop(sim, settings.get("region"))
            seen.append(columns_of_volume(sim))
    assert made is not None
    sim = course.show(number, archive, parts)  # its bodies
    with parts.timed("rasterise"):
        made.volume = mean_volume(sim, seen, settings["volumes"], threads)
    return made


def _take(
    course: Course | RetimedCourse,
    archive: Archive,
    settings: Mapping[str, Any],
    number: int,
    threads: int,
    parts: Parts,
) -> Frame:
    sim = course.show(number, archive, parts)
    show_columns(sim)
    return take_frame(sim, settings, number, threads, parts)
