"""The bodies of a bake as meshes of a USD stage."""

from __future__ import annotations

import numpy as np

from ...archive.manifest import Manifest
from ...scenes.scene import Scene
from ..body_meshes import BodyMesh, body_meshes
from .text import Attribute, Prim, free_identifier, over_frames

OPS = ("xformOp:translate", "xformOp:orient")


def body_prims(manifest: Manifest, scene: Scene) -> list[Prim]:
    """One prim that holds a mesh for each body, none where there are no bodies.

    Each lies about its centre, and is moved and turned by samples at the frames, between which USD
    turns it the shorter way. Containers are there for guidance, and are not rendered. What a branch
    has added or removed is invisible where it is not.
    """
    found = body_meshes(manifest, scene, manifest.frames)
    names: set[str] = set()
    frames = manifest.frames
    prims = [_body(body, free_identifier(body.name, names), frames) for body in found]
    return [Prim("Xform", "bodies", children=prims)] if prims else []


def _extent(points: np.ndarray) -> np.ndarray:
    return np.stack([points.min(axis=0), points.max(axis=0)])


def _body(body: BodyMesh, name: str, frames: list[int]) -> Prim:
    forms = {n: form.astype(np.float32) for n, form in body.forms.items()}
    points = body.vertices.astype(np.float32)
    extents = {n: _extent(form) for n, form in forms.items()}
    attributes = [
        over_frames("float3[]", "extent", extents)
        if forms
        else Attribute("float3[]", "extent", _extent(points)),
        Attribute("int[]", "faceVertexCounts", [len(face) for face in body.faces]),
        Attribute("int[]", "faceVertexIndices", [i for face in body.faces for i in face]),
        over_frames("point3f[]", "points", forms)
        if forms
        else Attribute("point3f[]", "points", points),
        Attribute("uniform token", "subdivisionScheme", "none"),
        over_frames("double3", OPS[0], {n: place for n, (place, _) in body.places.items()}),
        over_frames("quatd", OPS[1], {n: rotation for n, (_, rotation) in body.places.items()}),
        Attribute("uniform token[]", "xformOpOrder", list(OPS)),
    ]
    if len(body.places) < len(frames):
        shown = {n: "inherited" if n in body.places else "invisible" for n in frames}
        attributes.append(over_frames("token", "visibility", shown))
    if body.container:
        attributes.append(Attribute("uniform token", "purpose", "guide"))
    return Prim("Mesh", name, attributes)
