"""Bodies that the flow has moved, as objects of Blender that move as they do in a bake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...baked_bodies import BakedBodies
from ...manifest import Manifest
from ...scene import Scene
from .objects import curves_of

ORIGINAL = "vorton_original"
"""Custom property of what shows a body: the object that it is a copy of."""

Places = dict[int, Sequence[float]]
"""By frame of the bake: place (three numbers, m) and unit quaternion (w, x, y, z)."""


def moved_bodies(manifest: Manifest) -> dict[str, Places]:
    """Where bodies that move by themselves are, by their names."""
    scene = Scene.from_dict(manifest.data["scene"], manifest.folder)
    found: dict[str, Places] = {}
    for piece in BakedBodies(manifest, manifest.frames, scene).pieces:
        for number in piece.numbers:
            for key, place in manifest.frame(number).get("bodies", {}).items():
                name = piece.whole.bodies[int(key)].name or f"bodies[{key}]"
                found.setdefault(name, {})[number] = place
    return found


def show_bodies(manifest: Manifest, name: str, scene: Any, length: float) -> None:
    """Let copies of the objects that were bodies move as in a bake, in a collection of their own.

    The objects themselves stay where the simulation begins, as wires that are not rendered, until
    another bake leaves them as they are. What an earlier call has made is removed.

    Parameters
    ----------
    manifest : Manifest
    name : str
        Of the collection.
    scene : bpy.types.Scene
        Its first frame is that of the bake.
    length : float
        How many metres a unit of Blender is.
    """
    import bpy

    collection = scene.collection.children.get(name)
    if collection is not None:
        _remove_copies(collection)
    moved = moved_bodies(manifest)
    if not moved:
        return
    if collection is None:
        collection = bpy.data.collections.new(name)
        scene.collection.children.link(collection)
    here, part = scene.frame_current, scene.frame_subframe
    scene.frame_set(scene.frame_start)
    for body, places in moved.items():
        if body in scene.objects:
            _show(scene.objects[body], places, collection, scene.frame_start, length)
    scene.frame_set(here, subframe=part)


def _remove_copies(collection: Any) -> None:
    """Their originals are again as they were."""
    import bpy

    for thing in list(collection.objects):
        original = thing.get(ORIGINAL)
        if original is not None:
            original.hide_render, original.display_type = thing.hide_render, thing.display_type
        bpy.data.objects.remove(thing)


def _show(thing: Any, places: Places, collection: Any, start: int, length: float) -> None:
    """A copy of an object, which lies at the first frame of the bake, carried by an empty in the
    middle of the body."""
    import bpy
    from mathutils import Matrix, Quaternion

    first = min(places)
    carrier = bpy.data.objects.new(f"{thing.name} motion", None)
    carrier.empty_display_size = 0.1 / length
    carrier.rotation_mode = "QUATERNION"
    collection.objects.link(carrier)
    before = Quaternion()
    for number, place in sorted(places.items()):
        turn = Quaternion(place[3:])
        before = -turn if turn.dot(before) < 0 else turn  # the shorter way
        carrier.location = np.array(place[:3]) / length
        carrier.rotation_quaternion = before
        for path in ("location", "rotation_quaternion"):
            carrier.keyframe_insert(path, frame=start + number - 1)
    for curve in curves_of(carrier):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    shown = thing.copy()  # with its mesh, materials and modifiers
    shown.name = f"{thing.name} baked"
    shown.animation_data_clear()
    shown.constraints.clear()
    shown.vorton.role = "NONE"
    if shown.field is not None:
        shown.field.type = "NONE"
    for modifier in [m for m in shown.modifiers if m.type == "COLLISION"]:
        shown.modifiers.remove(modifier)
    shown[ORIGINAL] = thing
    collection.objects.link(shown)
    place = places[first]
    turn = Quaternion(place[3:]).to_matrix().to_4x4()
    carried = Matrix.Translation(np.array(place[:3]) / length) @ turn
    shown.parent = carrier
    shown.matrix_parent_inverse = carried.inverted() @ thing.matrix_world
    shown.matrix_basis = Matrix()
    thing.hide_render, thing.display_type = True, "WIRE"
