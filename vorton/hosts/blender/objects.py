"""Scenes of vorton as objects of Blender: what the Add menu makes of its presets.

The way back of `export`: what an object of Blender can be marked as becomes one, with keyframes
where numbers change in time; anything else becomes an empty that carries its definition as text.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...definitions.animation import Animation, Keys
from ...definitions.fields import plain
from ...definitions.transform import Transform
from ...geometry.shapes import Capsule, Polytope, Shape, Surface
from ...scenes.bodies import BodyBase
from ...scenes.effects import Kill
from ...scenes.scene import Scene
from ...sources.ring_and_tracers import VortexRing
from ..shape_meshes import ShapeMesh, mesh_of
from . import roles
from .sampling import frame_rate, metres
from .settings import Setting

STILL = (1.0, 0.0, 0.0, 0.0)
"""The quaternion of no rotation."""

EASED = {"constant": "CONSTANT", "linear": "LINEAR", "smooth": "BEZIER"}
"""Interpolations of keyframes: a Bezier curve with flat handles a third of the way is "smooth"."""


@dataclasses.dataclass
class _Builder:
    scene: Any
    collection: Any
    origin: Any
    length: float
    parents: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def fps(self) -> float:
        return frame_rate(self.scene)


def build_scene(made: Scene, scene: Any, place: Sequence[float] = (0, 0, 0)) -> list[Any]:
    """Add the objects of a scene of vorton to a Blender scene, in a collection of its name.

    Parameters
    ----------
    made : Scene
    scene : bpy.types.Scene
        Its settings become those of `made`, but for its gravity.
    place : three numbers
        Where the origin of `made` comes to lie, in units of Blender.

    Returns
    -------
    list of bpy.types.Object
        One for each source, effect and body.
    """
    import bpy

    collection = bpy.data.collections.new(made.name)
    scene.collection.children.link(collection)
    origin = None
    if any(place):
        origin = bpy.data.objects.new(made.name, None)
        origin.location = place
        collection.objects.link(origin)
    builder = _Builder(scene, collection, origin, metres(scene))
    _tell_scene(builder, made)
    return [_build(builder, item) for item in (*made.sources, *made.effects, *made.bodies)]


def _tell_scene(builder: _Builder, made: Scene) -> None:
    scene, about = builder.scene, builder.scene.vorton
    about.ambient = type(made.ambient).__name__
    ambient = getattr(about, about.ambient.lower())
    _write_settings(builder, scene, about.simulation, roles.SCENE_SETTINGS, made)
    _write_settings(builder, scene, about.method, roles.METHOD_SETTINGS, made.method)
    _write_settings(builder, scene, ambient, roles.AMBIENT_SETTINGS[about.ambient], made.ambient)
    about.use_combustion = made.combustion is not None
    if made.combustion is not None:
        law = roles.COMBUSTION_SETTINGS
        _write_settings(builder, scene, about.combustion, law, made.combustion)


# ---- one object for each definition ----


def _build(builder: _Builder, item: Any) -> Any:
    role = next((r for r in roles.ROLES.values() if type(item) is r.cls), None)
    mesh = None if role is None else _mesh_of(item)
    if role is None or mesh is NotImplemented or not _fits(item, role):
        thing = _empty(builder, type(item).__name__)
        thing.vorton.role = roles.DEFINITION
        data = {key: value for key, value in item.to_dict().items() if key != "parent"}
        thing.vorton.definition = json.dumps(data)
        thing.parent = _parent(builder, item.parent)
        return thing
    name = getattr(item, "name", "") or role.label
    wire = not isinstance(item, BodyBase)  # what is born in it is to be seen, not the shape
    thing = _empty(builder, name) if mesh is None else _meshed(builder, name, wire)
    thing.vorton.role = role.name
    _write_settings(builder, thing, getattr(thing.vorton, role.group), role.settings, item)
    if isinstance(item, Kill):
        thing.vorton.outside = item.outside is not None
    _place(builder, thing, item, mesh)
    return thing


def _shape_in(item: Any) -> Shape | None:
    if isinstance(item, Kill):
        return item.inside or item.outside
    return getattr(item, "shape", None)


def _fits(item: Any, role: roles.Role) -> bool:
    """Whether all that a definition says can be set here."""
    for name, setting in role.settings.items():
        value = getattr(item, name)
        if setting.kind == "number" and isinstance(value, tuple):
            return False  # an elliptic ring
        if setting.kind == "whole" and value is not None and value > (setting.most or value):
            return False
    if isinstance(item, VortexRing) and item.major != type(item).major:
        return False
    return not any(isinstance(getattr(item, name, None), Animation) for name in roles.PLACED)


def _write_settings(
    builder: _Builder, owner: Any, group: Any, settings: Mapping[str, Setting], item: Any
) -> None:
    """Set what a definition says in a group of an object or of the scene, with keyframes."""
    for name, setting in settings.items():
        value = getattr(item, name)
        if not isinstance(value, Animation):
            _remove_curves(owner, group.path_from_id(name))
            setting.write(group, value, builder.length)
            continue

        def show(now: Any, setting: Setting = setting) -> None:
            setting.write(group, now, builder.length)

        _animate(builder, owner, group, name, value, show)


def _place(builder: _Builder, thing: Any, item: Any, mesh: ShapeMesh | None) -> None:
    """Put an object where its definition lies, with its mesh about that, in its parent's space."""
    center, axis = (np.zeros(3), None) if mesh is None else (mesh.center, mesh.axis)
    for name in ("center", "point"):
        center = np.array(getattr(item, name, center), float)
    for name in ("axis", "direction"):
        axis = getattr(item, name, axis)
    turn = _rotation_to((0, 0, 1) if axis is None else axis)
    if mesh is not None:
        own = mesh.vertices @ np.array(_rotation_to(mesh.axis or (0, 0, 1)).to_matrix()).T
        own = (own + mesh.center - center) @ np.array(turn.to_matrix())
        thing.data.from_pydata((own / builder.length).tolist(), [], mesh.faces)
        skin = _shape_in(item)
        if isinstance(skin, Surface):
            thing.vorton.use_skin = True
            for name, setting in roles.SKIN_SETTINGS.items():
                setting.write(thing.vorton.skin, getattr(skin, name), builder.length)
    thing.location = center / builder.length
    thing.rotation_euler = turn.to_euler()
    thing.parent = _parent(builder, item.parent)


def _rotation_to(axis: Sequence[float]) -> Any:
    """The rotation that turns z to an axis."""
    from mathutils import Vector

    return Vector((0, 0, 1)).rotation_difference(Vector(axis))


def _empty(builder: _Builder, name: str) -> Any:
    import bpy

    thing = bpy.data.objects.new(name, None)
    thing.empty_display_type, thing.empty_display_size = "SINGLE_ARROW", 0.5 / builder.length
    builder.collection.objects.link(thing)
    return thing


# ---- meshes ----


def _mesh_of(item: Any) -> Any:
    """The mesh of a definition's shape; None without one, NotImplemented for what has none."""
    shape = _shape_in(item)
    if shape is None:
        return None
    if isinstance(shape, (tuple, Capsule, Polytope)) or shape._moving():
        return NotImplemented
    return mesh_of(shape.shape if isinstance(shape, Surface) else shape)


def _meshed(builder: _Builder, name: str, wire: bool) -> Any:
    import bpy

    thing = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    if wire:
        thing.display_type, thing.hide_render = "WIRE", True
    builder.collection.objects.link(thing)
    return thing


# ---- what moves ----


def _parent(builder: _Builder, transform: Transform | None) -> Any:
    """The empty that stands for a transform; the same for all that lie in it."""
    import bpy

    if transform is None:
        return builder.origin
    if transform.rotation != STILL and transform.angle != 0.0:  # an empty for each
        outer = dataclasses.replace(transform, angle=0.0)
        transform = Transform(axis=transform.axis, angle=transform.angle, parent=outer)
    key = json.dumps(plain(transform), sort_keys=True)
    if key not in builder.parents:
        thing = bpy.data.objects.new("Transform", None)
        builder.collection.objects.link(thing)
        builder.parents[key] = thing
        thing.parent = _parent(builder, transform.parent)
        _move(builder, thing, transform)
    return builder.parents[key]


def _move(builder: _Builder, thing: Any, transform: Transform) -> None:
    def place(now: Any) -> None:
        thing.location = np.array(now) / builder.length

    def grow(now: Any) -> None:
        thing.scale = (now,) * 3

    def turn(now: Any) -> None:
        thing.rotation_axis_angle = (math.radians(now), *transform.axis)

    def rotate(now: Any) -> None:
        thing.rotation_quaternion = now

    _set(builder, thing, "location", transform.position, place)
    _set(builder, thing, "scale", transform.scale, grow)
    if transform.rotation == STILL:
        thing.rotation_mode = "AXIS_ANGLE"
        _set(builder, thing, "rotation_axis_angle", transform.angle, turn)
    else:
        thing.rotation_mode = "QUATERNION"
        _set(builder, thing, "rotation_quaternion", transform.rotation, rotate)


def _set(builder: _Builder, thing: Any, path: str, value: Any, show: Any) -> None:
    if isinstance(value, Animation):
        _animate(builder, thing, thing, path, value, show)
    else:
        show(value)


def _animate(
    builder: _Builder, thing: Any, group: Any, path: str, value: Animation, show: Any
) -> None:
    """Keyframes of a property at the keys of a value."""
    first, fps = builder.scene.frame_start, builder.fps
    kinds = _kinds(value)
    where = group.path_from_id(path) if group != thing else path
    _remove_curves(thing, where)
    for time, now in zip(value._times(), value._values()):
        show(now)
        group.keyframe_insert(path, frame=first + time * fps)
    for curve in curves_of(thing):
        if curve.data_path == where:
            _ease(curve, kinds)


def _kinds(value: Animation) -> list[str]:
    if isinstance(value, Keys):
        return [key[2] if len(key) == 3 else value.interpolation for key in value.keys]
    return ["linear"] * len(value._values())


def _ease(curve: Any, kinds: Sequence[str]) -> None:
    """Interpolations of the keyframes of a curve, one for each."""
    points = sorted(curve.keyframe_points, key=lambda point: point.co.x)
    for index, (point, kind) in enumerate(zip(points, kinds)):
        point.interpolation = EASED[kind]
        point.handle_left_type = point.handle_right_type = "FREE"
        x, y = point.co
        before = points[index - 1].co.x if index else x - 3
        after = points[index + 1].co.x if index + 1 < len(points) else x + 3
        point.handle_left, point.handle_right = (x - (x - before) / 3, y), (x + (after - x) / 3, y)


def curves_of(thing: Any) -> Iterator[Any]:
    """The animation curves of an object, wherever its version of Blender keeps them."""
    for curves in _lists_of_curves(thing):
        yield from curves


def _lists_of_curves(thing: Any) -> Iterator[Any]:
    action = thing.animation_data.action if thing.animation_data else None
    if action is None:
        return
    if not getattr(action, "layers", None):
        yield action.fcurves
        return
    slot = thing.animation_data.action_slot
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag is not None:
                yield bag.fcurves


def _remove_curves(thing: Any, path: str) -> None:
    """Remove the keyframes of a property."""
    for curves in _lists_of_curves(thing):
        for curve in [curve for curve in curves if curve.data_path == path]:
            curves.remove(curve)


def mark(thing: Any, start: roles.Start, length: float = 1.0) -> None:
    """Make an object what a `Start` says; `length`: metres of a unit of Blender."""
    role = roles.ROLES[start.role]
    thing.vorton.role = start.role
    group = getattr(thing.vorton, role.group)
    for name, value in start.values.items():
        role.settings[name].write(group, value, length)
