"""Bodies that the flow has moved, as objects of Blender that move as they do in a bake."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...archive.manifest import Manifest
from ...bakes.baked_bodies import BakedBodies
from ...scenes.scene import Scene
from .made import add_made, remove_made
from .objects import curves_of

SHOWN = "vorton_bodies"
"""Custom property of a scene: what shows bodies."""

EARLIER = "vorton_earlier"
"""Custom property of an object that a copy stands for: how it was shown before."""

AS_SHOWN = "hide_render", "display_type"
"""What is changed of such an object."""

MUTED = "muted"
"""Key of `EARLIER`: the object has keyframes of whether it is rendered, which wait meanwhile."""

HIDDEN = "hide_viewport", "hide_render"
"""What hides a copy in the frames in which its body is not there."""


@dataclasses.dataclass
class Motion:
    """Where a body that moves by itself is; each place: three numbers, m, and a unit quaternion
    (w, x, y, z).

    Attributes
    ----------
    rest : sequence of float
        Where its scene has it at time 0, before it moves by itself.
    places : dict
        By frame of the bake.
    """

    rest: Sequence[float]
    places: dict[int, Sequence[float]] = dataclasses.field(default_factory=dict)


def moved_bodies(manifest: Manifest) -> dict[str, Motion]:
    """How bodies have moved by themselves, by their names."""
    scene = Scene.from_dict(manifest.data["scene"], manifest.folder)
    baked = BakedBodies(manifest, manifest.frames, scene)
    found: dict[str, Motion] = {}
    for piece in baked.pieces:
        sim = baked.start(piece)
        for alone, body in zip(piece.scene.bodies, sim.bodies if sim else (), strict=True):
            records = {n: manifest.frame(n).get("bodies", {}) for n in piece.numbers}
            places = {n: its[alone.name] for n, its in records.items() if alone.name in its}
            if not places:
                continue
            name = piece.whole.bodies[int(alone.name)].name or f"bodies[{alone.name}]"
            rest = *body.position, *body.rotation
            earlier = found[name].places if name in found else {}
            found[name] = Motion(rest, earlier | places)
    return found


def show_bodies(manifest: Manifest, name: str, scene: Any, length: float) -> None:
    """Let copies of the objects that were bodies move as in a bake, in a collection of their own.

    The objects themselves stay where the simulation begins, as wires that are not rendered, until
    another bake leaves them as they are. What an earlier call has made is removed, and nothing
    else, wherever it is.

    Parameters
    ----------
    manifest : Manifest
    name : str
        Of the collection, where there is none from an earlier call.
    scene : bpy.types.Scene
        Its first frame is that of the bake.
    length : float
        How many metres a unit of Blender is.
    """
    moved = moved_bodies(manifest)
    _remove_copies(scene)
    if not moved:
        return
    here, part = scene.frame_current, scene.frame_subframe
    for body, motion in moved.items():
        if body in scene.objects:
            thing = scene.objects[body]
            _go_to_first(thing, scene)
            copy = _show(thing, motion, name, scene, length)
            _hide_elsewhere(copy, motion, manifest.frames, scene)
    scene.frame_set(here, subframe=part)


def _go_to_first(thing: Any, scene: Any) -> None:
    """Go to the first frame at which an object is there: it lies where its body rests."""
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        if not thing.hide_viewport:
            return


def _remove_copies(scene: Any) -> None:
    """Remove what shows bodies, and let their objects be shown as before."""
    for thing in scene.objects:
        if EARLIER in thing:
            for what in AS_SHOWN:
                setattr(thing, what, thing[EARLIER][what])
            if thing[EARLIER].get(MUTED):
                _mute(thing, False)
            del thing[EARLIER]
    remove_made(scene, SHOWN)


def _mute(thing: Any, muted: bool) -> bool:
    """Whether there are keyframes of how an object is shown, which then wait or go on."""
    curves = [c for c in curves_of(thing) if c.data_path in AS_SHOWN and c.mute != muted]
    for curve in curves:
        curve.mute = muted
    return bool(curves)


def _hide_elsewhere(copy: Any, motion: Motion, frames: Sequence[int], scene: Any) -> None:
    """Hide a copy in the frames of a bake in which its body is not there."""
    first, last = min(motion.places), max(motion.places)
    shown = {what: getattr(copy, what) for what in HIDDEN}
    edges = [(first, first - 1)] if first > min(frames) else []
    edges += [(last, last + 1)] if last < max(frames) else []
    for there, gone in edges:
        for what in HIDDEN:
            for number, value in ((there, shown[what]), (gone, True)):
                setattr(copy, what, value)
                copy.keyframe_insert(what, frame=scene.frame_start + number - 1)
            setattr(copy, what, shown[what])


def _show(thing: Any, motion: Motion, name: str, scene: Any, length: float) -> Any:
    """A copy of an object, which is where its body rests, carried by an empty in the middle of the
    body."""
    import bpy
    from mathutils import Matrix, Quaternion

    carrier = bpy.data.objects.new(f"{thing.name} motion", None)
    carrier.empty_display_size = 0.1 / length
    carrier.rotation_mode = "QUATERNION"
    add_made(carrier, scene, SHOWN, name)
    before = Quaternion()
    for number, place in sorted(motion.places.items()):
        turn = Quaternion(place[3:])
        before = -turn if turn.dot(before) < 0 else turn  # the shorter way
        carrier.location = np.array(place[:3]) / length
        carrier.rotation_quaternion = before
        for path in ("location", "rotation_quaternion"):
            carrier.keyframe_insert(path, frame=scene.frame_start + number - 1)
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
    add_made(shown, scene, SHOWN, name)
    turn = Quaternion(motion.rest[3:]).to_matrix().to_4x4()
    carried = Matrix.Translation(np.array(motion.rest[:3]) / length) @ turn
    shown.parent = carrier
    shown.matrix_parent_inverse = carried.inverted() @ thing.matrix_world
    shown.matrix_basis = Matrix()
    thing[EARLIER] = {what: getattr(thing, what) for what in AS_SHOWN} | {MUTED: _mute(thing, True)}
    thing.hide_render, thing.display_type = True, "WIRE"
    return shown
