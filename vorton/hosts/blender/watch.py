"""What the frames of a Blender scene change that a scene of vorton does not: it is told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

HALF_TURN = 0.999 * math.pi
"""rad; from a turn of this from one sample to the next on, the other way round is as short."""


class Watch:
    """Looks at each sample of a scene, the first of them first."""

    def __init__(self) -> None:
        self._rendered: dict[str, set[bool]] = {}
        self._angles: dict[str, np.ndarray] = {}
        self._turns: dict[str, float] = {}
        self._instances: dict[str, str] = {}

    def look_at_renders(self, things: Iterable[Any]) -> None:
        """Objects of vorton that are there now: whether they are switched in renders meanwhile."""
        for thing in things:
            self._rendered.setdefault(thing.name, set()).add(thing.hide_render)

    def look_at_turns(self, shown: Iterable[Any]) -> None:
        """Evaluated objects: how far they, and what they are parented to, have turned since the
        look before, if they were there then."""
        last, self._angles = self._angles, {}
        for thing in shown:
            now = np.array([*_angles(thing)])
            before = last.get(thing.name, now)
            if before.shape == now.shape and now.size:
                turn = float(np.abs(now - before).max())
                self._turns[thing.name] = max(turn, self._turns.get(thing.name, 0.0))
            self._angles[thing.name] = now

    def look_at_instances(self, graph: Any, things: Iterable[Any]) -> None:
        """Instances of objects of vorton, and of anything by them."""
        names = {thing.name for thing in things}
        for instance in graph.object_instances:
            if not instance.is_instance or instance.parent is None:
                continue
            by, what = instance.parent.original, instance.object.original
            if by == what:  # the mesh of a curve, say
                continue
            if what.vorton.role != "NONE":
                self._instances[by.name] = f"the {what.name} that it instances is"
            elif by.name in names:
                self._instances.setdefault(by.name, "what it instances is")

    def warnings(self) -> Iterator[str]:
        """What was found, with the names of the objects."""
        for name, hidden in sorted(self._rendered.items()):
            if len(hidden) > 1:
                yield (
                    f"{name}: it is switched in renders over the frames, but is there where it is "
                    "not rendered, too: switch it in viewports"
                )
        for name, turn in sorted(self._turns.items()):
            if turn > HALF_TURN:
                yield (
                    f"{name}: it turns by {math.degrees(turn):.0f} degrees from one look at it to "
                    "the next, and is taken to go the shorter way round: use more Subframes (Scene "
                    "properties, Vorton)"
                )
        for name, what in sorted(self._instances.items()):
            yield f"{name}: {what} left out: make instances real"


def _angles(thing: Any) -> Iterator[float]:
    """Angles about axes by which an object and its parents are turned, rad."""
    while thing is not None:
        if thing.rotation_mode == "AXIS_ANGLE":
            yield thing.rotation_axis_angle[0]
        elif thing.rotation_mode != "QUATERNION":
            yield from thing.rotation_euler
        thing = thing.parent
