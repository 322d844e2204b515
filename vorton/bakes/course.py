"""The simulations of the frames of a bake, and how a simulation goes on with another scene."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ..archive.branches import Branch
from ..archive.reading import Archive
from ..archive.writing import ArchiveWriter
from ..base.checks import shown
from ..definitions.animation import Animation
from ..files.json_text import canonical_json
from ..scenes.bodies import BodyBase
from ..scenes.scene import Scene
from ..simulations.opening import REMOVED_AS
from ..simulations.saved import go_on_from
from ..simulations.simulation import Simulation
from .bake_frames import Parts

__all__ = ["Course", "carry_over"]


# ---- what a scene has become ----


def _key(item: Any) -> str:
    return type(item).__name__ + canonical_json(item._identity())


def _pair(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[Any, Any]]:
    """(before, now) of each item: equal ones, then those of a class in their order; or None."""
    left = list(old)
    before: dict[int, Any] = {}
    for same in (lambda a, b: _key(a) == _key(b), lambda a, b: type(a) is type(b)):
        for index, item in enumerate(new):
            if index not in before:
                found = next((n for n, other in enumerate(left) if same(other, item)), None)
                if found is not None:
                    before[index] = left.pop(found)
    pairs = [(before.get(index), item) for index, item in enumerate(new)]
    return pairs + [(item, None) for item in left]


def _name(scene: Scene, item: Any) -> str:
    for group in ("sources", "effects", "bodies"):
        for index, other in enumerate(getattr(scene, group)):
            if other is item:
                return f"{group}[{index}], {type(item).__name__}"
    return type(item).__name__


_FIXED = {
    "seed": "the random sequences have begun",
    "ambient": "all temperatures and densities are those of this fluid",
    "spacing": "the cores were made for it",
    "_octaves": "the tracers are stirred by so many octaves (Scene.detail)",
}
"""What a scene cannot change once it is in motion, and why."""


def _check_scene(old: Scene, new: Scene) -> None:
    for name, why in _FIXED.items():
        before, now = (getattr(scene, name) for scene in (old, new))
        if before != now:
            text = f"Scene.{name.replace('_octaves', 'detail')} = {shown(now)}: was {shown(before)}"
            if name == "_octaves" and new.detail is None:
                why += f"; None follows from what is in the scene: give detail={before}"
            raise ValueError(f"{text}, and cannot change from a frame on: {why}")
    before, now = (scene.combustion and scene.combustion.law for scene in (old, new))
    if before != now:
        text = f"Scene.combustion: law {shown(now)}, was {shown(before)}"
        why = "what the fluid carries follows from it"
        raise ValueError(f"{text}, and cannot change from a frame on: {why}")


def _apply(sim: Simulation, new: Scene) -> list[Any]:
    """Make the items of a simulation those of another scene; for each of these which one it is."""
    old = sim.scene
    is_now = []
    pairs = _pair(old.sources, new.sources) + _pair(old.effects, new.effects)
    bodies = _pair(old.bodies, new.bodies)
    for before, item in [*pairs, *bodies]:
        if item is None:
            sim.remove(before)
    for before, item in bodies:
        if before is not None and item is not None and _key(before) != _key(item):
            _replace_body(sim, new, before, item)
    for before, item in [*pairs, *bodies]:
        if item is None:
            continue
        stays = before is not None and _key(before) == _key(item)
        is_now.append(before if stays else item)
        if stays:
            continue
        try:
            if before is None or isinstance(item, BodyBase):
                sim.add(item)
            else:
                sim.change(before, item)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"{_name(new, item)}: cannot change from a frame on: {error}"
            ) from error
    return is_now


def _replace_body(sim: Simulation, new: Scene, before: BodyBase, item: BodyBase) -> None:
    """A body that is another one now: it begins where its definition says."""
    if getattr(before, "density", None) is not None:
        text = "moves freely, and cannot change from a frame on; give it another name to begin anew"
        if before.name == item.name:
            raise ValueError(f"{_name(new, item)} {item.name!r}: {text}")
    sim.remove(before)


def _check_order(sim: Simulation, new: Scene) -> None:
    """Bodies are numbered: those that stay come first, as they were."""
    for index, (has, wanted) in enumerate(zip(sim.scene.bodies, new.bodies, strict=True)):
        if _key(has) != _key(wanted):
            text = "bodies that stay as they are come first, in the order in which they were"
            raise ValueError(f"bodies[{index}], {wanted._what()}: {text}")


def _ids(earlier: Simulation, sim: Simulation, is_now: Sequence[Any], what: str) -> bytes:
    """For each source or wind of `sim`, by its id, the id in the earlier one, or -1."""
    found: dict[int, int] = {}
    left = list(earlier._added)
    for (_, ids), item in zip(sim._added, is_now, strict=True):
        _, before = left.pop(next(n for n, (other, _) in enumerate(left) if other is item))
        for (kind, number), (_, old) in zip(ids, before, strict=True):
            if REMOVED_AS.get(kind, "source") == what:
                found[number] = old
    unlisted = what == "wind" and isinstance(sim.scene.wind, Animation)  # the first of the winds
    count = 1 + max(found, default=0 if unlisted else -1)
    return np.array([found.get(n, -1) for n in range(count)], "i").tobytes()


def carry_over(earlier: Simulation, sim: Simulation) -> None:
    """Let a new simulation go on from an earlier one, of another scene, which stays as it is.

    From there on the sources, effects and bodies are those of the new scene, as if they had been
    added, changed and removed while the earlier one ran; what they have borne stays. What was to
    come before, and the earlier scene lacks, comes at once.

    Raises
    ------
    ValueError, TypeError
        What cannot change, naming it.
    """
    _check_scene(earlier.scene, sim.scene)
    scene = sim.scene
    edited = earlier.copy()
    edited.method = scene.method
    is_now = _apply(edited, scene)
    _check_order(edited, scene)
    sources, winds = (_ids(edited, sim, is_now, what) for what in ("source", "wind"))
    sim._core.take_over(edited._core, sources, winds)
    sim.frame = earlier.frame


# ---- a bake ----


@dataclasses.dataclass
class Course:
    """The simulation at each frame of a bake; in a branch its first frames are of other scenes.

    Parameters
    ----------
    own : Simulation
        Of the bake's scene, new.
    branch : Branch or None
    """

    own: Simulation
    branch: Branch | None = None

    def __post_init__(self) -> None:
        self._pieces = self.branch.pieces if self.branch else []
        self._piece = len(self._pieces)
        self.sim = self.own
        """At the frame of now."""

    def piece_of(self, number: int) -> int:
        """How many scenes came before that of a frame."""
        return sum(number > last for last, _ in self._pieces)

    def enter(self, number: int) -> Simulation:
        """The simulation of the scene that a frame belongs to."""
        piece = self.piece_of(number)
        if piece != self._piece:
            own = self.own
            at_end = piece == len(self._pieces)
            self._piece = piece
            self.sim = own if at_end else self._make(self._pieces[piece][1])
        return self.sim

    def _make(self, scene: Scene) -> Simulation:
        return Simulation(scene, self.own.fps, threads=self.own._threads)

    def show(self, number: int, states: Archive | ArchiveWriter, parts: Parts) -> Simulation:
        """The simulation at a frame of an archive; raises as `go_on_from`."""
        with parts.timed("state"):
            sim = self.enter(number)
            go_on_from(sim, states, number)
        return sim

    def come_to(
        self,
        at: int,
        number: int,
        states: ArchiveWriter | Archive | None,
        archived: Collection[int],
        parts: Parts,
    ) -> Simulation:
        """From frame `at`, 0: none yet, to frame `number`: the next one, or one that `states` has,
        or the one behind. `archived` are the frames that `states` has."""
        wanted = number if number in archived else number - 1
        if wanted != at:
            assert states is not None
            self.show(wanted, states, parts)
        if wanted == at == 0:
            self.enter(1)
        if number > 1 and number not in archived:
            with parts.timed("simulation"):
                before = self.sim
                if self.enter(number) is not before:
                    carry_over(before, self.sim)
                self.sim.step()
        return self.sim
