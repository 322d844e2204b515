"""A Blender scene as a scene of vorton: what its objects are marked as, frame by frame.

Frame 1 of a bake is the first frame of the scene, its time 0. Numbers and places that change over
the frames become `Samples`, one value a frame, or several where the scene asks for subframes; the
meshes of bodies are taken at each of them, where they change, all others as they are at the first.
Objects that are disabled in viewports, or whose collections are, are left out as long as they are,
the others go in the order of their names, so that one scene always gives one file.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...definitions.ambient import AMBIENTS
from ...definitions.combustion import Combustion
from ...definitions.fields import from_dict
from ...definitions.method import Method
from ...definitions.transform import Transform
from ...geometry.deformation import Deformation
from ...geometry.shapes import Box, Cylinder, Disk, Plane, Shape, Sphere, Torus
from ...scenes.bodies import Body, BodyBase, Container
from ...scenes.effects import Kill
from ...scenes.forces import EFFECTS
from ...scenes.scene import SOURCES, Scene
from ...sources.ring_and_tracers import Tracers, VortexRing
from ...sources.vortices import Jet
from .. import meshes
from ..poses import Pose, over_time, pose_of, short, transform_of
from . import effectors, roles
from .presence import while_there
from .sampling import FIELD, ExportError, Item, Samples, deforms, frame_rate, marked, metres, sample
from .watch import Watch

SMOKE_OF_RING = 1.5
"""Radius of the smoke that a ring carries, in core radii: what goes round with its core."""

GRAVITY = (0.0, 0.0, -9.81)
"""Gravity of a new scene in units of Blender a second squared, whatever these are."""

LISTS = {Body: "bodies", Container: "bodies"} | dict.fromkeys(EFFECTS, "effects")
"""Where a scene keeps what an object becomes; sources are all others."""


@dataclasses.dataclass
class Export:
    """A scene with what a bake has to know of where it comes from.

    Attributes
    ----------
    scene : Scene
    frames : int
        How many frames it has.
    first : int
        Frame of the Blender scene that is frame 1.
    fps : float, 1/s
    subframes : int
        How often a frame what moves is looked at.
    names : dict
        Name of the object that a source, effect or body comes from, by "sources[0]" ...
    warnings : list of str
    """

    scene: Scene
    frames: int
    first: int
    fps: float
    subframes: int = 1
    names: dict[str, str] = dataclasses.field(default_factory=dict)
    warnings: list[str] = dataclasses.field(default_factory=list)

    @property
    def rate(self) -> float:
        """Samples a second."""
        return self.fps * self.subframes

    def named(self, text: str) -> str:
        """A message of vorton, with the names of objects in place of numbers, and of settings as
        they are seen in place of `Class.field`."""

        def name(match: re.Match[str]) -> str:
            return repr(self.names[match[0]]) if match[0] in self.names else match[0]

        text = re.sub(r"(?:sources|effects|bodies)\[\d+\]", name, text)
        text = re.sub(r"\b[A-Z]\w+\.[a-z_]+\b", lambda m: roles.LABELS.get(m[0], m[0]), text)
        return re.sub(r"^('.+?'): \w+ \1:", r"\1:", text)  # bodies say their names themselves, too


def file_name(text: str) -> str:
    """A text as the name of a scene, which begins file names."""
    clean = "".join(c if c.isalnum() or c in "_-. " else "_" for c in text)[:64].strip(" .-")
    return clean or "scene"


def export_scene(
    scene: Any, name: str, still: bool = False, joined_at: int | None = None
) -> Export:
    """The scene of vorton that a Blender scene is.

    Parameters
    ----------
    scene : bpy.types.Scene
        With the properties of the extension.
    name : str
        Of the scene of vorton, and so of the files of its bake.
    still : bool
        As the scene is now: one frame, in which nothing moves; the scene is not touched.
    joined_at : int, optional
        Frame from which on a branch goes on; its bodies are those that are there then. Default: the
        first one.

    Returns
    -------
    Export

    Raises
    ------
    ExportError
        An object that vorton cannot take: its name, and why. No object is marked.
    """
    length, fps = metres(scene), frame_rate(scene)
    first, frames = scene.frame_start, 1 if still else scene.frame_end - scene.frame_start + 1
    parts = 1 if still else scene.vorton.subframes
    moments = [divmod(number, parts) for number in range((frames - 1) * parts + 1)]
    now, part = scene.frame_current, scene.frame_subframe
    watch = Watch()
    try:
        looks = [] if still else [(first + frame, part / parts) for frame, part in moments]
        samples = sample(scene, looks, length, watch)
    finally:
        if not still:
            scene.frame_set(now, subframe=part)
    made = _make_scene(scene, name, samples, fps * parts, length)
    export = Export(made, frames, first, fps, parts, warnings=[*watch.warnings()])
    joined = 0 if joined_at is None else min(max(joined_at - first, 0), frames - 1)
    for item in samples.items:
        _add(export, item, joined, length)
    if not any(cls is not VortexRing for cls in map(type, made.sources)):
        export.warnings.append("nothing shows: mark an object as an emitter, or as smoke")
    if length != 1 and scene.use_gravity and tuple(map(short, scene.gravity)) == GRAVITY:
        export.warnings.append(
            f"gravity is {-GRAVITY[2] * length:g} m/s^2, for Blender leaves its number as it is "
            "when the unit scale changes: set it to "
            f"{GRAVITY[2] / length:g} (Scene properties, Gravity)"
        )
    return export


def outline(scene: Any) -> list[Any]:
    """The numbers that are set now and where objects are, without meshes: quick to compare."""
    found: list[Any] = []
    for thing in marked(scene):
        role = roles.ROLES.get(thing.vorton.role)
        settings = role.settings if role else {}
        group = getattr(thing.vorton, role.group) if role else None
        found.append((thing.name, thing.vorton.role, [tuple(row) for row in thing.matrix_world]))
        found.append([setting.read(group) for setting in settings.values()])
    settings = roles.SCENE_SETTINGS.values()
    found.append([setting.read(scene.vorton.simulation) for setting in settings])
    return found


# ---- the scene ----


def _make_scene(scene: Any, name: str, samples: Samples, rate: float, length: float) -> Scene:
    about, told = scene.vorton, samples.told
    values = {key: over_time([now[key] for now in told], rate) for key in told[0]}
    ambient = {cls.__name__: cls for cls in AMBIENTS}[about.ambient]
    group = getattr(about, about.ambient.lower())
    settings = roles.AMBIENT_SETTINGS[about.ambient].items()
    burns, method = roles.COMBUSTION_SETTINGS.items(), roles.METHOD_SETTINGS.items()
    combustion = {n: s.read(about.combustion, length) for n, s in burns}
    try:
        return Scene(
            name,
            gravity=over_time(samples.gravity, rate),
            ambient=ambient(**{n: s.read(group, length) for n, s in settings}),
            combustion=Combustion(**combustion) if about.use_combustion else None,
            method=Method(**{n: s.read(about.method, length) for n, s in method}),
            **values,
        )
    except (TypeError, ValueError) as error:
        raise ExportError(f"{scene.name}: {error}") from error


def _add(export: Export, item: Item, joined: int, length: float) -> None:
    """Add what an object is to the scene, whose bodies are those of the frame `joined`, from 0."""
    try:
        poses = [pose_of(matrix, length) for matrix in item.matrices]
        for made in _present(export, item, joined, _definitions(export, item, poses, length)):
            if export.scene.combustion is None and getattr(made, "fuel", 0) not in (None, 0):
                text = "it has fuel, but Combustion is off (Scene properties, Vorton)"
                raise ValueError(text)
            export.scene.add(made)
            key = LISTS.get(type(made), "sources")
            place = len(getattr(export.scene, key)) - 1
            export.names[f"{key}[{place}]"] = item.name
    except (TypeError, ValueError, ModuleNotFoundError) as error:
        text = str(error).removeprefix(f"body {item.name!r}: ")
        text += " (it is a body by its Collision physics)" if item.collides else ""
        raise ExportError(f"{item.name}: {text}") from error


def _present(export: Export, item: Item, joined: int, definitions: Iterator[Any]) -> Iterator[Any]:
    """Definitions of an object as long as it is there: bodies wholly or not at all."""
    for made in definitions:
        if not isinstance(made, BodyBase):
            lasting = [*while_there(made, item.there, export.rate)]
            if not lasting:
                export.warnings.append(
                    f"{item.name}: its {type(made).__name__} is left out: it is disabled in "
                    "viewports all the while that it would act"
                )
            yield from lasting
            continue
        here = item.there[joined * export.subframes]
        if not all(item.there):
            taken = "there" if here else "left out"
            export.warnings.append(
                f"{item.name}: it is switched in viewports over the frames, but a body does not "
                f"come or go within a bake: it is {taken} as at frame {export.first + joined}. "
                "Let it do so by Bake from, at the frame where it does"
            )
        if here:
            yield made


def _definitions(export: Export, item: Item, poses: list[Pose], length: float) -> Iterator[Any]:
    rate = export.rate
    if item.field is not None:
        made, told = effectors.definitions(item.field, poses, item.there, export.fps, rate, length)
        export.warnings += told
        yield from made
    if item.role == FIELD:
        return
    if item.role == roles.DEFINITION:
        yield _from_text(item, transform_of(poses, rate, grows=True))
        return
    role = roles.ROLES[item.role]
    values = dict(item.values[0])
    for name in item.values[-1]:
        values[name] = over_time([now[name] for now in item.values], rate)
    frames = _deformed(item, poses, length)
    if frames is not None:
        yield role.cls(name=item.name, **_deforming(item, frames, poses, rate), **values)
        return
    shape = _shape(item, role, poses[0], length)
    export.warnings += _about_form(item, shape)
    parent = transform_of(poses, rate, grows=not role.shape or shape is None)
    if issubclass(role.cls, BodyBase):
        yield role.cls(shape, name=item.name, parent=parent, **values)
        return
    if parent is not None and is_still(parent):
        shape, parent = _folded(role, values, shape, parent)
    if shape is not None:
        where = "outside" if item.fixed["outside"] else "inside"
        values["shape" if role.cls is not Kill else where] = shape
    made = role.cls(**values, parent=parent)
    yield made
    if item.fixed["carries_smoke"]:
        yield from _carried(made)


def _about_form(item: Item, shape: Shape | None) -> Iterator[str]:
    """What the shape of an object leaves out of its mesh."""
    if item.deforms:
        yield (
            f"{item.name}: its mesh changes its form over the frames, which only a Body may do: it "
            "stays as at the first one"
        )
    if item.collides and isinstance(shape, Plane):
        yield (
            f"{item.name}: its mesh is flat, so it is a wall without end: give it a thickness "
            "where it shall end"
        )


def _deformed(item: Item, poses: list[Pose], length: float) -> np.ndarray | None:
    """Vertices of a body at each frame (m, in its space as it is scaled then), where they move in
    it by more than rounding; else None.
    """
    if not item.frames:
        return None
    if any(now.shape != item.frames[0].shape for now in item.frames):
        text = "its mesh has another number of vertices in other frames, which no body may have: "
        raise ValueError(text + "leave out modifiers that add or remove some")
    moved = [pose.stretched(now, length) for pose, now in zip(poses, item.frames)]
    frames = np.array(moved, np.float32)
    return frames if any(deforms(frames[0], now) for now in frames) else None


def _deforming(item: Item, frames: np.ndarray, poses: list[Pose], rate: float) -> dict[str, Any]:
    """Shape, motion and deformation of a body."""
    assert item.faces is not None
    faces = item.faces[:, ::-1] if poses[0].is_mirrored else item.faces
    mesh, kept = meshes.deforming(frames, faces)
    rigid = [dataclasses.replace(pose, stretch=poses[0].stretch) for pose in poses]
    return {
        "shape": mesh,
        "parent": transform_of(rigid, rate, grows=False),
        "deformation": Deformation(kept, fps=rate),
    }


def _shape(item: Item, role: roles.Role, pose: Pose, length: float) -> Shape | None:
    if not role.shape or (role.shape == "where" and item.vertices is None):
        return None
    if item.vertices is None or item.faces is None:
        raise ValueError(f"it has no mesh, which gives {role.cls.__name__} its shape")
    vertices, faces = pose.stretched(item.vertices, length), item.faces
    if pose.is_mirrored:
        faces = faces[:, ::-1]
    if role.shape == "solid":
        return meshes.solid(vertices, faces)
    if role.shape == "filled":
        return meshes.filled(vertices, faces, item.fixed["skin"])
    return meshes.inside(vertices, faces)


def _from_text(item: Item, parent: Transform | None) -> Any:
    """The definition of an object that carries one as text, in the object's space."""
    data = json.loads(item.fixed["definition"])
    types = (*SOURCES, *EFFECTS, Body, Container)
    made = from_dict(data, types, "definition")
    return dataclasses.replace(made, parent=parent)


def _carried(made: Any) -> Iterator[Tracers]:
    """The smoke that a ring or a jet brings along."""
    if isinstance(made, Jet):
        yield made.smoke()
    if isinstance(made, VortexRing):
        radius = min(made.radii)
        thickness = min(SMOKE_OF_RING * made.core, 0.9 * radius)
        torus = Torus(made.center, made.axis, radius, thickness)
        yield Tracers(torus, start=made.time, parent=made.parent)


def is_still(parent: Transform) -> bool:
    """Whether a transform only shifts and turns, always alike."""
    constant = isinstance(parent.position, tuple) and isinstance(parent.rotation, tuple)
    return constant and parent.scale == 1.0


def _folded(
    role: roles.Role, values: dict[str, Any], shape: Shape | None, parent: Transform
) -> tuple[Shape | None, Transform | None]:
    """Without the parent where the definition itself can say where it lies."""
    if shape is not None:
        made = folded(shape, parent) if role.shape == "filled" else None
        return (shape, parent) if made is None else (made, None)
    names = {field.name for field in dataclasses.fields(role.cls)}
    told = {"center": (0, 0, 0), "point": (0, 0, 0)} if role.shape == "" else {}
    if not names & set(told):
        return shape, parent
    values |= {name: placed(place, parent) for name, place in told.items() if name in names}
    values |= {name: turned((0, 0, 1), parent) for name in ("axis", "direction") if name in names}
    return shape, None


def folded(shape: Shape, parent: Transform) -> Shape | None:
    """The shape as it lies by a parent that is still; None where it cannot say so by itself."""
    if isinstance(shape, Sphere):
        return dataclasses.replace(shape, center=placed(shape.center, parent))
    if isinstance(shape, (Disk, Cylinder, Torus)):
        place, axis = placed(shape.center, parent), turned(shape.axis, parent)
        return dataclasses.replace(shape, center=place, axis=axis)
    if isinstance(shape, Box) and parent.rotation == (1.0, 0.0, 0.0, 0.0):
        return Box(placed(shape.lower, parent), placed(shape.upper, parent))
    return None


def placed(place: Sequence[float], parent: Transform) -> tuple[float, ...]:
    """A place in the space of a parent that is still, in the scene."""
    return _short(np.array(turned(place, parent)) + parent.position)


def turned(way: Sequence[float], parent: Transform) -> tuple[float, ...]:
    """A direction in the space of a parent that is still, in the scene."""
    (w, *q), v = parent.rotation, np.array(way, float)
    q = np.array(q)
    return _short(v + 2 * w * np.cross(q, v) + 2 * np.cross(q, np.cross(q, v)))


def _short(values: np.ndarray) -> tuple[float, ...]:
    clean = np.where(np.abs(values) < 1e-7, 0.0, values)
    return tuple(short(float(f"{x:.7g}")) for x in clean)
