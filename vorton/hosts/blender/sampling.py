"""What the objects of a Blender scene are, frame by frame and subframe by subframe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..poses import short
from . import effectors, roles
from .watch import Watch

DEFORMS = 1e-5
"""A mesh deforms whose vertices move by more than this share of its extent in its own space."""

FIELD = "FIELD"
"""Role of an object that is a force field of Blender, and no collider."""


class ExportError(ValueError):
    """What is wrong with an object; the message begins with its name."""


@dataclasses.dataclass
class Item:
    """An object over time: while it is not there, as it was last, or else as it will be first.

    Attributes
    ----------
    name, role : str
    vertices, faces : array or None
        Of its mesh where it is there first.
    there : list of bool
        At each sample.
    matrices : list of (4, 4) float
        Of the world, at each sample.
    values : list of dict
        What is set: at the first sample all of it, then what may change.
    fixed : dict
        What is set of the object that is no setting of its role.
    frames : list of array
        Vertices at each sample, of a body.
    deforms : bool
        Whether its mesh changes its form, where it is no body.
    collides : bool
        Whether it is a body by Blender's Collision physics.
    field : Field or None
        Where it is a force field of Blender.
    """

    name: str
    role: str
    vertices: np.ndarray | None
    faces: np.ndarray | None
    there: list[bool] = dataclasses.field(default_factory=list)
    matrices: list[np.ndarray] = dataclasses.field(default_factory=list)
    values: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    fixed: dict[str, Any] = dataclasses.field(default_factory=dict)
    frames: list[np.ndarray] = dataclasses.field(default_factory=list)
    deforms: bool = False
    collides: bool = False
    field: effectors.Field | None = None

    @property
    def is_shaped(self) -> bool:
        """Whether its mesh gives its definition a shape."""
        return self.role in roles.ROLES and bool(roles.ROLES[self.role].shape)

    def look(self, thing: Any, placed: Any, length: float) -> None:
        """Add a sample: of the object, and of its evaluated copy."""
        self.there.append(True)
        self.matrices.append(np.array(placed.matrix_world))
        # Keyframes and drivers write to the object itself, too; its copy may lack what was set by
        # hand.
        self.values.append(_values(self, thing.vorton, length))
        if self.field is not None:
            self.field.values.append(effectors.look(thing))
        if self.role == "BODY" and self.vertices is not None:
            self.frames.append(_mesh(placed)[0])
        elif self.is_shaped and not self.deforms:
            self.deforms = deforms(self.vertices, _mesh(placed)[0])

    def miss(self) -> None:
        """Add a sample in which it is not there."""
        self.there.append(False)
        for values in self._lists():
            values += values[-1:]

    def missed(self, count: int) -> None:
        """So many samples came before the first one, in which it was not there."""
        self.there[:0] = [False] * count
        for values in self._lists():
            values[:0] = values[:1] * count

    def _lists(self) -> list[list[Any]]:
        own = [] if self.field is None else [self.field.values]
        return [self.matrices, self.values, self.frames, *own]


@dataclasses.dataclass
class Samples:
    """What a scene holds over time.

    Attributes
    ----------
    items : list of Item
        By name; those that are there at no time are left out.
    gravity : list of three numbers, m/s^2
        At each sample.
    told : list of dict
        What the scene is told at each sample, by the names of vorton.
    """

    items: list[Item]
    gravity: list[Any]
    told: list[dict[str, Any]]


def frame_rate(scene: Any) -> float:
    """Frames a second of a Blender scene."""
    return scene.render.fps / short(scene.render.fps_base)


def metres(scene: Any) -> float:
    """How many metres a unit of Blender is."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else short(settings.scale_length)


def marked(scene: Any) -> list[Any]:
    """The objects that vorton takes now, by name, but for Blender's own fields and colliders."""
    return [t for t in _linked(scene) if t.vorton.role != "NONE" and not t.hide_viewport]


def deforms(first: np.ndarray | None, now: np.ndarray | None) -> bool:
    """Whether vertices are not those of the first sample."""
    if first is None or now is None:
        return False
    if first.shape != now.shape:
        return True
    if not len(first):
        return False
    least = DEFORMS * float(np.ptp(first, axis=0).max())
    return bool(np.abs(now - first).max() > least)


# ---- what is there ----


def _linked(scene: Any) -> list[Any]:
    """The objects whose collections are neither disabled nor left out of the layer, by name."""
    found = {thing.name: thing for thing in _held(_layer(scene).layer_collection)}
    return [found[name] for name in sorted(found)]


def _layer(scene: Any) -> Any:
    """The view layer in use, of another scene than the current one the first."""
    import bpy

    return bpy.context.view_layer if scene == bpy.context.scene else scene.view_layers[0]


def _held(layer: Any) -> Iterator[Any]:
    if layer.collection.hide_viewport:
        return
    if not layer.exclude:
        yield from layer.collection.objects
    for child in layer.children:  # may be there where the one around is left out
        yield from _held(child)


def _is_taken(scene: Any, thing: Any) -> bool:
    """Whether vorton takes an object: it is marked, or a field or collider of Blender."""
    about = scene.vorton
    return (
        thing.vorton.role != "NONE"
        or (about.use_fields and effectors.is_field(thing))
        or (about.use_colliders and effectors.is_collider(thing))
    )


# ---- sample by sample ----


def sample(scene: Any, frames: Sequence[tuple[int, float]], length: float, watch: Watch) -> Samples:
    """Look at a scene at some frames and the parts of frames after them, one after the other.

    Parameters
    ----------
    scene : bpy.types.Scene
        It is left at the last of them.
    frames : sequence of (frame, subframe)
        Empty: as the scene is now.
    length : float
        How many metres a unit of Blender is.
    watch : Watch
        Is shown each of them.

    Raises
    ------
    ExportError
        No object is marked, or none of them is there at any time.
    """
    made, things = Samples([], [], []), []
    items: dict[Any, Item] = {}
    for number, frame in enumerate(frames or [None]):  # as it is now
        if frame is not None:
            scene.frame_set(frame[0], subframe=frame[1])
        layer = _layer(scene)
        layer.update()
        graph = layer.depsgraph
        if not number:  # Blender knows the collections of a layer once it is updated
            things = [thing for thing in _linked(scene) if _is_taken(scene, thing)]
        there = [thing for thing in things if not thing.hide_viewport]
        shown = {thing: thing.evaluated_get(graph) for thing in there}
        for thing, placed in shown.items():
            if thing in items:
                items[thing].look(thing, placed, length)
                continue
            items[thing] = item = _begin(scene, thing, placed, length)
            item.look(thing, placed, length)
            item.missed(number)
        for thing in items.keys() - shown.keys():
            items[thing].miss()
        if frames and not number:
            watch.look_at_instances(graph, there)
        watch.look_at_renders(there)
        watch.look_at_turns(shown.values())
        pull = scene.gravity if scene.use_gravity else (0, 0, 0)
        made.gravity.append(tuple(short(x) * length + 0.0 for x in pull))
        group = scene.vorton.simulation
        settings = roles.SCENE_SETTINGS.items()
        made.told.append({name: setting.read(group, length) for name, setting in settings})
    if not any(thing.vorton.role != "NONE" for thing in items):
        if any(thing.vorton.role != "NONE" for thing in things):
            raise ExportError("every object that is marked is disabled in viewports: enable one")
        raise ExportError("no object is marked: choose what it is in its Physics properties")
    made.items = [items[thing] for thing in things if thing in items]
    return made


def _begin(scene: Any, thing: Any, placed: Any, length: float) -> Item:
    about = thing.vorton
    role, field, collides = about.role, None, False
    if role == "NONE":
        if scene.vorton.use_fields and effectors.is_field(thing):
            field = effectors.begin(thing)
        collides = scene.vorton.use_colliders and effectors.is_collider(thing)
        role = "BODY" if collides else FIELD
    mesh = (None, None) if role == FIELD else _mesh(placed)
    item = Item(thing.name, role, *mesh, collides=collides, field=field)
    skin = {name: s.read(about.skin, length) for name, s in roles.SKIN_SETTINGS.items()}
    item.fixed = {
        "definition": about.definition,
        "carries_smoke": about.carries_smoke,
        "outside": about.outside,
        "skin": tuple(skin.values()) if about.use_skin else None,
    }
    return item


def _values(item: Item, about: Any, length: float) -> dict[str, Any]:
    """What is set, at the first frame all of it, then what may change."""
    if item.role in (roles.DEFINITION, FIELD):
        return {}
    role = roles.ROLES[item.role]
    group = getattr(about, role.group)
    return {
        name: setting.read(group, length)
        for name, setting in role.settings.items()
        if setting.animatable or not item.values
    }


def _mesh(thing: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Vertices and triangles of an evaluated object in its own space; None without a mesh."""
    if thing.type not in ("MESH", "CURVE", "SURFACE", "FONT", "META"):
        return None, None
    mesh = thing.to_mesh()
    try:
        mesh.calc_loop_triangles()
        vertices = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", vertices)
        faces = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("vertices", faces)
    finally:
        thing.to_mesh_clear()
    return vertices.reshape(-1, 3).astype(float), faces.reshape(-1, 3)
