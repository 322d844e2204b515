"""A coarse simulation of what is being set up, quick enough to go on while a number is dragged."""

from __future__ import annotations

import contextlib
import dataclasses
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..._core import BlowUpError, CapacityError
from ...scenes.bodies import Body, BodyBase
from ...scenes.scene import Scene
from ...scenes.scene_advice import warn_of_scene
from ...scenes.scene_warning import SceneWarning
from ...simulations.simulation import Simulation
from ...sources.emitter import Emitter
from ...sources.ring_and_tracers import Tracers

VORTONS = 4000
"""Most vortons, of which the oldest go."""

TRACERS = 8000
"""Most tracers, likewise."""

LIFETIME = 2.0
"""s, of smoke: it need not fill the view."""

FIRST, STEP = 2.0, 1.4
"""Cores and voxels are first so many times as large, and by STEP more where a frame is too slow."""

COARSEST = 16.0
"""No larger than that."""

BUDGET = 0.05
"""Seconds that a frame may take."""

SLOW = 3
"""Frames over the budget, one after the other, after which it becomes coarser."""

PANELS = 80
"""Most panels of a body."""


def coarse(scene: Scene, factor: float) -> Scene:
    """The scene with cores and voxels so many times as large, at most, and shorter lives."""
    made = Scene.from_dict({**scene.to_dict(), "sources": [], "bodies": [], "effects": []})
    made.voxel, made.detail = scene.voxel * factor, 0
    if scene.spacing is not None:
        made.spacing = scene.spacing * factor
    made.max_vortons, made.max_tracers, made.at_capacity = VORTONS, TRACERS, "oldest"
    for item in (*scene.sources, *scene.effects, *scene.bodies):
        made.add(_coarse(item, factor))
    return made


def _coarse(item: Any, factor: float) -> Any:
    changes: dict[str, Any] = {}
    if isinstance(item, Emitter):
        changes["core"] = item.vorton_core * factor
    if hasattr(item, "layers"):  # lines of vortons
        changes.update(layers=0, vorton_core=None)
    if isinstance(item, (Emitter, Tracers)):
        changes["lifetime"] = min(item.lifetime or LIFETIME, LIFETIME)
    if isinstance(item, BodyBase):
        changes["panels"] = min(item.panels, PANELS)
    if isinstance(item, Body):
        changes["deformation"] = None
    return dataclasses.replace(item, **changes) if changes else item


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what is said of cores that are as wide here alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SceneWarning)
        yield


def _too_many(error: Exception) -> bool:
    """Whether a scene asks for more vortons or tracers than there may be."""
    words = "too many vortons", "max_vortons", "max_tracers"
    return isinstance(error, CapacityError) or any(word in str(error) for word in words)


class Live:
    """A coarse simulation that follows a scene.

    Parameters
    ----------
    scene : Scene
        As it is now; what is animated in it goes on from its time 0.
    fps : float, 1/s
    clock : function
        The time, s, by which frames are held against the budget.

    Attributes
    ----------
    factor : float
        How many times as large cores and voxels are.
    seconds : float
        What the last frame took.
    restarts : int
        How often it began anew.
    """

    def __init__(
        self, scene: Scene, fps: float = 24.0, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._clock = clock
        self.fps, self.restarts, self.seconds = fps, 0, 0.0
        self._begin(scene, FIRST)

    def _begin(self, scene: Scene, factor: float) -> None:
        """Begin anew, at least so coarse; where the scene is refused all stays as it was. Warnings
        are of the scene as it is, not of how coarse it is here.
        """
        while True:
            try:
                with _quiet():
                    sim = Simulation(coarse(scene, factor), fps=self.fps)
                break
            except (CapacityError, ValueError) as error:
                if factor >= COARSEST or not _too_many(error):
                    raise
                factor = _coarser(factor)
        self._sim, self._scene, self.factor = sim, scene, factor
        self._items = _items(sim.scene)
        self._slow = 0
        warn_of_scene(scene)

    def _restart(self, scene: Scene, factor: float) -> None:
        self._begin(scene, factor)
        self.restarts += 1

    def follow(self, scene: Scene) -> bool:
        """Go on with a scene that has changed; whether it had.

        Where one source or effect alone is another of its class, what was born stays; else it
        begins anew.
        """
        now = _items(coarse(scene, self.factor))
        if scene == self._scene and now == self._items:
            return False
        if self._frame(scene) != self._frame(self._scene) or not self._exchange(now):
            self._restart(scene, self.factor)
        self._scene = scene
        return True

    @staticmethod
    def _frame(scene: Scene) -> dict[str, Any]:
        data = scene.to_dict()
        return {key: value for key, value in data.items() if key not in ("sources", "effects")}

    def _exchange(self, now: list[Any]) -> bool:
        if list(map(type, now)) != list(map(type, self._items)):
            return False
        for place, (old, new) in enumerate(zip(self._items, now)):
            if old == new:
                continue
            try:
                with _quiet():
                    self._items[place] = self._sim.change(old, new)
            except (TypeError, ValueError):  # it has been born whole
                return False
        return True

    def step(self) -> None:
        """One frame; after several that were too slow the simulation begins anew, coarser, as it
        does where it cannot go on.
        """
        begun, ended = self._clock(), False
        try:
            self._sim.step(1)
        except (CapacityError, BlowUpError):
            self._slow, ended = SLOW, True
        self.seconds = self._clock() - begun
        if self._slow < SLOW:
            self._slow = self._slow + 1 if self.seconds > BUDGET else 0
        if self._slow >= SLOW and (ended or self.factor < COARSEST):
            self._restart(self._scene, _coarser(self.factor))

    @property
    def time(self) -> float:
        """s since it began."""
        return self._sim.time

    @property
    def vortons(self) -> int:
        """How many there are."""
        return len(self._sim.vortons.position)

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """What to draw.

        Returns
        -------
        positions : (n, 3) float32, m
            Of tracers, or of vortons where there are none.
        heat : (n,) float32
            0 cold to 1 hot.
        """
        shown = self._sim.tracers if len(self._sim.tracers.position) else self._sim.vortons
        positions = np.array(shown.position, np.float32)
        heat = np.zeros(len(positions), np.float32)
        with contextlib.suppress(AttributeError, ValueError):
            kelvin = np.array(shown.temperature, np.float32)
            ambient = float(self._sim.scene.ambient.temperature)
            span = max(float(kelvin.max(initial=ambient)) - ambient, 1.0)
            heat = np.clip((kelvin - ambient) / span, 0, 1)
        return positions, heat


def _coarser(factor: float) -> float:
    return min(factor * STEP, COARSEST)


def _items(scene: Scene) -> list[Any]:
    return [*scene.sources, *scene.effects]
