"""What the benchmark measures: scenes in frames of one substep, and in those of a film."""

from __future__ import annotations

import dataclasses
import gc
import math
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..definitions.animation import Keys
from ..definitions.method import Method
from ..definitions.transform import Transform
from ..simulations.judge import effective_cores, induced_velocity
from ..simulations.simulation import Simulation
from .scenes import BenchScene, FilmScene, lattice, region

__all__ = ["Film", "Rounds", "build", "method_of", "resident_mib"]

JUDGED = 200  # vortons whose velocity is held against the direct sum
SORT_EVERY = 8  # substeps between sorting the particles: frames are measured in such rounds
SLOW = 1e3  # ms for a round of frames
WIND, DIFFUSIVITY = (0.1, 0.0, 0.0), 1e-8  # of full scenes, m/s; of vorticity and heat, m^2/s
GRAVITY = (0.0, 0.0, -1e-4)  # m/s^2: the frames of full scenes are like those of the others
CARRIED = _core.CARRIED[1:]  # in full scenes
NEUTRAL = 2  # full scenes have room for so many times their vortons
ORBITS = 1e6  # s: for so long bodies go on


def build(scene: BenchScene, threads: int | None, method: Method | None = None) -> _core.Simulation:
    """The simulation, spacing 1 cm."""
    spacing = 0.01
    core = 1.5 * spacing
    inner = scene.nodes - 1 - 2 * _core.CONSTANTS["grid_margin"]
    half = 0.5 * inner * spacing * 0.98  # room to move in
    simulation = _core.Simulation(
        spacing=spacing,
        threads=threads or 0,
        max_vortons=(NEUTRAL if scene.full else 1) * scene.vortons,
        max_tracers=scene.tracers,
        max_nodes=scene.nodes**3,
        method=(method or method_of(scene)).to_dict(),
        viscosity=DIFFUSIVITY if scene.full else 0.0,
        thermal_diffusivity=DIFFUSIVITY if scene.full else 0.0,
        wind=WIND if scene.full else (0.0, 0.0, 0.0),
        gravity=GRAVITY,
    )
    volume = scene.volume * half**3 / scene.vortons
    vortons = [lattice(scene, seed=1)] if scene.full else region(scene, scene.vortons, seed=1)
    for points, vorticity in vortons:
        one = np.ones(len(points))
        simulation.add_vortons(half * points, volume * vorticity, core * one, volume * one)
    for points, _ in region(scene, scene.tracers, seed=2):
        one = np.ones(len(points))
        simulation.add_tracers(half * points, one, spacing / 2 * one)
    if scene.full:
        _fill(simulation, half)
    turning = Transform(angle=Keys([(0, 0), (ORBITS, ORBITS * scene.orbit)]))
    orbit = turning._add_to(simulation) if scene.orbit else 0
    for n, body in enumerate(scene.bodies):
        shape, parent = _scaled(body, half), orbit if n % 2 else 0
        simulation.add("body", shapes=[shape], parent=parent, panels=scene.panels, shedding=0.0)
    return simulation


def method_of(scene: BenchScene | FilmScene) -> Method:
    """The choices that the scene makes by itself."""
    return scene.make().method if isinstance(scene, FilmScene) else Method(**scene.method)


def _scaled(shape: Mapping[str, Any], length: float) -> dict[str, Any]:
    """A shape whose lengths are given in this one."""
    return {
        name: value if name == "kind" else (length * np.array(value)).tolist()
        for name, value in shape.items()
    }


def _fill(simulation: _core.Simulation, half: float) -> None:
    """What a full scene has: warmer upwards, and some of everything that vortons carry."""
    height = simulation.column("vortons", "position")[:, 2] / half
    simulation.column("vortons", "temperature")[...] = 320 + 20 * height
    for name in CARRIED[1:]:
        simulation.column("vortons", name)[...] = 0.2 + 0.1 * height
    for name in CARRIED:
        simulation.column("tracers", name)


def _velocity_error(
    simulation: _core.Simulation, method: Method, wind: tuple[float, ...]
) -> tuple[float, float]:
    """Relative rms error at some vortons against the direct sum with the same cores; their mean
    radius."""
    targets = simulation.column("vortons", "position")
    targets = targets[:: max(1, len(targets) // JUDGED)]
    found = simulation.velocity_at(targets) - np.array(wind)
    exact = induced_velocity(simulation, method, targets.astype(float))
    error = float(np.sqrt(((found - exact) ** 2).sum() / (exact**2).sum()))
    return error, float(effective_cores(simulation, method).mean())


def resident_mib() -> float:
    """Resident memory now; NaN where the system does not tell as Linux does."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return math.nan
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class _Start:
    """The particles as they were: every round of frames starts from them.

    `carried` names what of vortons changes beside position and strength.
    """

    def __init__(self, simulation: _core.Simulation, carried: Sequence[str]) -> None:
        self.simulation = simulation
        self.saved = {}
        changing = {"vortons": ("position", "strength", *carried), "tracers": ("position",)}
        for particles, names in changing.items():
            ids = simulation.column(particles, "id")
            for name in names:
                values = simulation.column(particles, name)
                by_id = np.full((ids.max() + 1, *values.shape[1:]), np.nan, np.float32)
                by_id[ids] = values
                self.saved[particles, name] = by_id

    @property
    def mib(self) -> float:
        """Memory of the copies."""
        return sum(values.nbytes for values in self.saved.values()) / 2**20

    def restore(self) -> None:
        """Neutral vortons born since then go again."""
        for (particles, name), by_id in self.saved.items():
            simulation = self.simulation
            simulation.remove(particles, simulation.column(particles, "id") >= len(by_id))
            ids = simulation.column(particles, "id")
            simulation.column(particles, name)[...] = by_id[ids]


class Rounds:
    """Frames of one substep, always from the same start."""

    def __init__(self, scene: BenchScene, threads: int | None, method: Method) -> None:
        self.scene, self.threads, self.method = scene, threads, method
        self.simulation = build(scene, threads, method)
        self.simulation.step(1e-9)
        self.dt = scene.turn / self.simulation.health()["largest_gradient"]
        self.start = _Start(self.simulation, CARRIED if scene.full else ())

    def settle(self) -> float:
        """Makes what was reserved up front be in use. Returns the resident memory then, MiB."""
        for _ in range(2 * SORT_EVERY):
            self.simulation.step(self.dt)
        gc.collect()
        resident = resident_mib() - self.start.mib
        self.frames(0.0)
        return resident

    def frames(self, seconds: float) -> np.ndarray:
        """Times of frames, in whole rounds of the sorting cadence: at least two of them, or one of
        slow frames. (n, 2), see `_timed_step`."""
        times: list[tuple[float, float]] = []
        spent = 0.0
        while (spent < 1e3 * seconds and len(times) < 400) or (
            spent < SLOW and len(times) < 2 * SORT_EVERY
        ):
            times += self.round()
            spent = sum(passed for passed, _ in times)
        return np.array(times)

    def round(self) -> list[tuple[float, float]]:
        """Times of the frames of one round."""
        self.start.restore()
        return [_timed_step(self.simulation, self.dt) for _ in range(SORT_EVERY)]

    def velocity_error(self) -> tuple[float, float]:
        """At the start, of vortons alone: the sum over them knows nothing of bodies."""
        self.start.restore()
        judged = self.simulation
        if self.scene.bodies:
            alone = dataclasses.replace(self.scene, bodies=())
            judged = build(alone, self.threads, self.method)
        return _velocity_error(judged, self.method, WIND if self.scene.full else (0, 0, 0))


class Film:
    """Frames of a film, one after the other."""

    def __init__(self, scene: FilmScene, threads: int | None, method: Method) -> None:
        self.scene = scene
        opened = Simulation(scene.make(), fps=scene.fps, threads=threads, method=method)
        self.simulation: _core.Simulation = opened._core

    def settle(self) -> float:
        """Goes on until as much dies as is born. Returns the resident memory then, MiB."""
        for _ in range(self.scene.settled):
            self.simulation.step(1 / self.scene.fps)
        gc.collect()
        return resident_mib()

    def frames(self, seconds: float) -> np.ndarray:
        """Times of frames, as many as fit, at least those of the scene. (n, 2)."""
        times: list[tuple[float, float]] = []
        spent = 0.0
        while spent < 1e3 * seconds or len(times) < self.scene.frames:
            times.append(_timed_step(self.simulation, 1 / self.scene.fps))
            spent += times[-1][0]
        return np.array(times)

    def velocity_error(self) -> tuple[None, None]:
        """Not known: expansion and bodies move the fluid, and the sum over vortons has neither."""
        return None, None


def _timed_step(simulation: _core.Simulation, dt: float) -> tuple[float, float]:
    """Steps; the time that passes, and that of all threads together, ms."""
    begin, begin_of_threads = time.perf_counter(), time.process_time()
    simulation.step(dt)
    return (
        1e3 * (time.perf_counter() - begin),
        1e3 * (time.process_time() - begin_of_threads),
    )
