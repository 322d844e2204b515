"""From the description of a scene to the simulation of the core."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from ..base.checks import shown
from ..definitions.ambient import Liquid
from ..definitions.animation import Animation, split
from ..geometry.shapes import Plane
from ..scenes.bodies import Container
from ..scenes.effects import Wind
from ..scenes.fire_advice import has_share
from ..scenes.scene import OF_SIMULATION, Scene
from ..scenes.scene_advice import warn_of_scene
from ..sources.points import Points, VortonPoints
from ..sources.ring_and_tracers import Tracers
from ..sources.source_base import FluidSource, Source

__all__ = [
    "Recorder",
    "add_source",
    "check_method",
    "explain_capacity",
    "make_core",
    "name_items",
    "name_nearest",
    "name_source",
    "remove_added",
]


def _check_density(index: int, source: Any, scene: Scene) -> None:
    """Fluid weighs something: less than the ambient fluid, but not less than nothing."""
    if not isinstance(source, (FluidSource, VortonPoints)) or source.density is None:
        return
    density = source.density
    values = density._values() if isinstance(density, Animation) else density
    if np.min(values) <= -scene.ambient.density:
        raise ValueError(
            f"sources[{index}]: {type(source).__name__}.density = {shown(density)}: must be > "
            f"-{scene.ambient.density:g}, minus that of the ambient fluid (kg/m^3)"
        )


def _check_room_to_burn(scene: Scene) -> None:
    """Gas that burns in a closed container could not expand."""
    closed = [
        (index, body)
        for index, body in enumerate(scene.bodies)
        if isinstance(body, Container) and not all(isinstance(s, Plane) for s in body.shapes)
    ]
    method, combustion = scene.method, scene.combustion
    expands = method.expansion > 0 and method.velocity == "poisson"
    if not (closed and expands) or isinstance(scene.ambient, Liquid):
        return
    number, body = closed[0]
    remedy = (
        f"expands, which it cannot in bodies[{number}], the closed {body._what()}; make its walls "
        "bodies, Body(Plane(...)), so that it is open somewhere, or set "
        "Scene(method=Method(expansion=0)): then hot gas is light and does not push"
    )
    for index, other in enumerate(scene.bodies):
        warm = other.temperature is not None or getattr(other, "specific_heat", None)
        if warm and other.conductance != 0:
            what = f"bodies[{index}]: {other._what()} exchanges heat"
            raise ValueError(f"{what}: gas that becomes warmer {remedy}")
    if not (combustion and combustion.heat > 0):
        return
    for index, source in enumerate(scene.sources):
        if has_share(getattr(source, "fuel", None)) and not isinstance(source, (Tracers, Points)):
            what = f"sources[{index}]: {type(source).__name__}.fuel = {shown(source.fuel)}"
            raise ValueError(f"{what}: burning gas {remedy}")


def check_method(scene: Scene) -> None:
    """Whether the scene can have its method, and what it is warned of.

    Raises
    ------
    ValueError
        Gas that would expand in a closed container.
    """
    _check_room_to_burn(scene)
    warn_of_scene(scene)


def _count_left(core: _core.Simulation, ends: list[int]) -> np.ndarray:
    """How many vortons are left of each source: the ids of its vortons end with that of `ends`."""
    sources = np.searchsorted(ends, core.column("vortons", "id"), side="right")
    return np.bincount(sources, minlength=len(ends))


class Recorder:
    """A core while one item of a scene is added to it, or changed: notes the ids.

    Parameters
    ----------
    core : _core.Simulation
    old : list of (kind, id)
        What the item before had added, and this one changes; default: nothing.
    """

    def __init__(self, core: _core.Simulation, old: Sequence[tuple[str, int]] = ()) -> None:
        self._core = core
        self._old = list(old)
        self.ids: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def add(self, kind: str, /, **parameters: Any) -> Any:
        """Add a definition, or change the old one of its kind."""
        if kind == "transform":
            return self._core.add(kind, **parameters)
        same = [entry for entry in self._old if entry[0] == kind]
        if same:
            self._old.remove(same[0])
            result = self._core.change(kind, same[0][1], **parameters)
        else:
            result = self._core.add(kind, **parameters)
        self.ids.append((kind, result[0] if isinstance(result, tuple) else result))
        return result

    def finish(self) -> list[tuple[str, int]]:
        """Remove what the new item has no more; the ids of what it has."""
        remove_added(self._core, self._old)
        return self.ids


REMOVED_AS = {name: name for name in ("wind", "force", "kill", "body")} | {"wind_grid": "wind"}


def remove_added(core: _core.Simulation, ids: Sequence[tuple[str, int]]) -> None:
    """Remove from a core what an item of a scene has added."""
    for kind, number in ids:
        core.remove_added(REMOVED_AS.get(kind, "source"), number)


def _place_of(items: Sequence[Any], wanted: Any) -> int | None:
    return next((index for index, item in enumerate(items) if item is wanted), None)


Added = Sequence[tuple[Any, Sequence[tuple[str, int]]]]
"""Items of a scene, each with what it has added to a core: kinds and ids."""


def name_source(scene: Scene, added: Added, number: int | None) -> str:
    """What the id of a source stands for in a scene: "sources[2], Jet", or nothing."""
    for item, ids in added:
        if ("source", number) in {(REMOVED_AS.get(kind, "source"), n) for kind, n in ids}:
            return f"sources[{_place_of(scene.sources, item)}], {type(item).__name__}"
    return ""


def name_bodies(scene: Scene, text: str) -> str:
    """A message of the core with its bodies by their place: "bodies[0], Body 'ball'"."""
    named = {body.name or str(index): index for index, body in enumerate(scene.bodies)}

    def place(match: re.Match[str]) -> str:
        index = named.get(match[2])
        return match[0] if index is None else f"bodies[{index}], {scene.bodies[index]._what()}"

    return re.sub(r"\b(body|container) '([^']*)'", place, text)


def _name_force(scene: Scene, added: Added, number: int) -> str:
    """What the id of a force stands for in a scene: "effects[2], Vortex", or nothing."""
    for item, ids in added:
        if ("force", number) in ids:
            return f"effects[{_place_of(scene.effects, item)}], {type(item).__name__}"
    return ""


def name_items(scene: Scene, added: Added, text: str) -> str:
    """A message of the core that names sources and forces by id and bodies by name, as the scene
    has them."""

    def source(match: re.Match[str]) -> str:
        return name_source(scene, added, int(match[1])) or match[0]

    def force(match: re.Match[str]) -> str:
        return _name_force(scene, added, int(match[1])) or match[0]

    text = re.sub(r"\bsource (\d+) \([a-z_]+\)", source, text)
    return name_bodies(scene, re.sub(r"\bforce (\d+)\b", force, text))


def explain_capacity(scene: Scene, added: Added, text: str) -> str:
    """The message of a `CapacityError` of a step, with its names as the scene has them; of tracers
    whose number follows from the voxel with one of which they fit."""
    text = name_items(scene, added, text)
    many = re.match(r"(\d+) more tracers do not fit: (\d+) of max_tracers (\d+)", text)
    by_voxel = any(getattr(source, "tracers_per_voxel", None) for source in scene.sources)
    if not (many and by_voxel):
        return text
    more, alive, most = map(int, many.groups())
    voxel = scene.nominal_voxel * ((alive + more) / most) ** (1 / 3)
    return (
        f"{text}. So many fill voxels of {scene.nominal_voxel:.3g} m; of Scene(voxel="
        f"{1.05 * voxel:.2g}) there is room for them"
    )


def name_nearest(scene: Scene, added: Added, error: Any) -> str:
    """What the ids of a `BlowUpError` stand for in a scene, as the end of its message."""
    source = name_source(scene, added, error.source)
    names = [f"source {error.source} is {source}"] if source else []
    for item, ids in added:
        if ("body", error.body) in ids:
            index = _place_of(scene.bodies, item)
            names.append(f"body {error.body} is bodies[{index}], {item._what()}")
    return f".\nIn the scene {', '.join(names)}" if names else ""


def add_source(scene: Scene, index: int, source: Source, recorder: Any) -> None:
    """Add source number `index` of a scene, checked, to the core of a recorder."""
    if has_share(getattr(source, "fuel", None)) and scene.combustion is None:
        what = f"sources[{index}]: {type(source).__name__}.fuel = {shown(source.fuel)}"
        law = "the scene has no law by which it burns: Scene(combustion=Combustion())"
        raise ValueError(f"{what}: {law}")
    _check_density(index, source, scene)
    # Only tracers that are asked for by the voxel need to know it.
    by_voxel = getattr(source, "tracers_per_voxel", None) is not None
    try:
        source._add_to(recorder, scene.nominal_voxel if by_voxel else math.nan)
    except (ValueError, _core.CapacityError) as error:
        what = f"sources[{index}]: {type(source).__name__}: "
        text = name_bodies(scene, str(error))
        if by_voxel and re.match("(count|tracers.rate|Tracers.per_voxel)", text):
            text += (
                f". Voxels are {scene.nominal_voxel:.3g} m wide (Scene.voxel, by default a third "
                f"of the smallest core), with {source.tracers_per_voxel:g} tracers each: give "
                "Scene.voxel, wider cores or a smaller per_voxel"
            )
        raise type(error)(what + text) from error


def _add_bodies(
    scene: Scene, core: _core.Simulation, ends: list[int], added: list[list[tuple[str, int]]]
) -> None:
    """The bodies, none of which may leave nothing of the vortons that a source has borne."""
    left = np.diff(ends, prepend=0)
    known = list(zip(scene.sources, added, strict=False))
    for index, body in enumerate(scene.bodies):
        recorder = Recorder(core)
        added.append(recorder.ids)
        try:
            body._add_to(recorder)
        except (TypeError, ValueError) as error:
            text = str(error).removeprefix(f"body '{body.name or index}': ")
            text = name_items(scene, known, text.removeprefix(f"{body._what()}: "))
            raise type(error)(f"bodies[{index}]: {body._what()}: {text}") from error
        if core.count("vortons") == left.sum():
            continue
        before, left = left, _count_left(core, ends)
        for source in np.flatnonzero((before > 0) & (left == 0)):
            hole = isinstance(body, Container)
            where, rest = ("outside", "inside") if hole else ("inside", "outside")
            raise ValueError(
                f"bodies[{index}]: {body._what()}: sources[{source}], "
                f"{type(scene.sources[source]).__name__}, lies {where} of it, and none of its "
                f"vortons is left; allowed are sources that lie {rest} in part"
            )


def make_core(
    scene: Scene, threads: int
) -> tuple[_core.Simulation, list[tuple[Any, list[tuple[str, int]]]]]:
    """All that the scene holds, checked, in the simulation of a core; the ids of each item.

    Raises
    ------
    ValueError, TypeError
        What cannot be, naming the source or the body.
    """
    values = {name: getattr(scene, name) for name in OF_SIMULATION}
    for name in ("max_vortons", "max_tracers"):
        values[name] = values[name] or 0  # by the machine
    if isinstance(scene.wind, Animation):
        del values["wind"]
    core = _core.Simulation(
        spacing=scene.spacing or 0.0,
        detail=scene._octaves,
        ambient=scene.ambient._core_ambient(),
        combustion=scene.combustion._core_combustion() if scene.combustion else {},
        threads=threads,
        method=scene.method.to_dict(),
        **split(**values),
    )
    if isinstance(scene.wind, Animation):
        Wind(scene.wind)._add_to(core)
    ends = []
    added: list[list[tuple[str, int]]] = []
    for index, source in enumerate(scene.sources):
        recorder = Recorder(core)
        added.append(recorder.ids)
        add_source(scene, index, source, recorder)
        ends.append(core.count("vortons"))
    check_method(scene)
    for effect in scene.effects:
        recorder = Recorder(core)
        added.append(recorder.ids)
        effect._add_to(recorder)
    _add_bodies(scene, core, ends, added)  # last: they look at what is there
    return core, list(zip((*scene.sources, *scene.effects, *scene.bodies), added, strict=True))
