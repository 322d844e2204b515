"""The bodies of a bake as meshes of a USD stage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ... import _core
from ...animation import frame_rate
from ...baked_bodies import BakedBodies
from ...bodies import BodyBase, Container
from ...manifest import Manifest
from ...scene import Scene
from ..shape_meshes import mesh_of
from .text import Attribute, Prim, identifier, over_frames

OPS = ("xformOp:translate", "xformOp:orient")


def body_prims(manifest: Manifest, scene: Scene) -> list[Prim]:
    """One prim that holds a mesh for each body, none where there are no bodies.

    Each lies about its centre, and is moved and turned by samples at the frames, between which USD
    turns it the shorter way. Containers are there for guidance, and are not rendered.
    """
    baked = BakedBodies(manifest, manifest.frames, scene, containers=True)
    sim = baked.start()
    if sim is None:
        return []
    start = [(body.position, body.rotation) for body in sim.bodies]
    track: list[dict[int, Any]] = [{} for _ in start]
    for number in manifest.frames:
        baked.move(sim, number)
        for places, body in zip(track, sim.bodies):
            places[number] = tuple(body.position), tuple(body.rotation)
    names: set[str] = set()
    prims = []
    for body, places, rest in zip(baked.scene.bodies, track, start):
        told = scene.bodies[int(body.name)].name or f"body_{body.name}"
        prims.append(_body(body, _free_name(told, names), places, rest, manifest.data["fps"]))
    return [Prim("Xform", "bodies", children=prims)]


def _free_name(text: str, taken: set[str]) -> str:
    """A name for a prim that no other has yet."""
    name, number = identifier(text), 2
    while name in taken:
        name, number = f"{identifier(text)}_{number}", number + 1
    taken.add(name)
    return name


def _body(
    body: BodyBase, name: str, places: dict[int, Any], rest: tuple[Any, Any], fps: float
) -> Prim:
    vertices, faces = _mesh(body, fps)
    local = (vertices - rest[0]) @ matrix_of(rest[1])
    points = local.astype(np.float32)
    counts = [len(face) for face in faces]
    attributes = [
        Attribute("float3[]", "extent", np.stack([points.min(axis=0), points.max(axis=0)])),
        Attribute("int[]", "faceVertexCounts", counts),
        Attribute("int[]", "faceVertexIndices", [int(i) for face in faces for i in face]),
        Attribute("point3f[]", "points", points),
        Attribute("uniform token", "subdivisionScheme", "none"),
        over_frames("double3", OPS[0], {n: place for n, (place, _) in places.items()}),
        over_frames("quatd", OPS[1], _nearest(places)),
        Attribute("uniform token[]", "xformOpOrder", list(OPS)),
    ]
    if isinstance(body, Container):
        attributes.append(Attribute("uniform token", "purpose", "guide"))
    return Prim("Mesh", name, attributes)


def _nearest(places: dict[int, Any]) -> dict[int, Any]:
    """Rotations of the frames; of q and -q, which are the same, that nearer to the one before."""
    found: dict[int, Any] = {}
    before = np.array([1.0, 0.0, 0.0, 0.0])
    for number, (_, rotation) in places.items():
        near = np.array(rotation) if np.dot(rotation, before) >= 0 else -np.array(rotation)
        found[number] = tuple((near + 0.0).tolist())
        before = near
    return found


def _mesh(body: BodyBase, fps: float) -> tuple[np.ndarray, list[Any]]:
    """Vertices in the scene at frame 1, (n, 3), m, and faces of all shapes of a body."""
    pose = np.eye(3, 4)
    if body.parent is not None:
        core = _core.Simulation(max_vortons=1, max_tracers=1)
        with frame_rate(fps):
            pose = core.pose(body.parent._add_to(core), 0.0)
    vertices, faces, count = [], [], 0
    for shape in body.shapes:
        made = mesh_of(shape)
        placed = made.placed()
        vertices.append(placed @ pose[:, :3].T + pose[:, 3])
        faces += [[count + int(i) for i in face] for face in made.faces]
        count += len(placed)
    return np.concatenate(vertices), faces


def matrix_of(rotation: Iterable[float]) -> np.ndarray:
    """The (3, 3) matrix of a unit quaternion w x y z."""
    w, x, y, z = rotation
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
