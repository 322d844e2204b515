"""Tracers of a bake as points of Blender: a mesh of those that the bake has at a frame."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...files import tracer_files

RADIUS = 0.25
"""Of a point that is rendered, in spacings of the tracers where they were born."""

SCALARS = ("density", "temperature", "fuel", "flame", "smoke", "age")
"""What points have as attributes, beside velocity and radius, where the bake has it."""


def add_points(name: str, scene: Any) -> Any:
    """An object without points, that shows its vertices as balls.

    Parameters
    ----------
    name : str
    scene : bpy.types.Scene
        It is put into.

    Returns
    -------
    bpy.types.Object
        Not rendered, for the volume of the same smoke is.
    """
    import bpy

    shown = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    scene.collection.objects.link(shown)
    shown.modifiers.new("points", "NODES").node_group = _make_balls()
    shown.hide_render = True
    return shown


def _make_balls() -> Any:
    """Nodes: each vertex as a point of its radius, with all of its attributes."""
    import bpy

    group = bpy.data.node_groups.new("vorton points", "GeometryNodeTree")
    kind = "NodeSocketGeometry"
    for way in ("INPUT", "OUTPUT"):
        if hasattr(group, "interface"):
            group.interface.new_socket("Geometry", in_out=way, socket_type=kind)
        else:  # Blender 3
            getattr(group, f"{way.lower()}s").new(kind, "Geometry")
    given, made = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    balls = group.nodes.new("GeometryNodeMeshToPoints")
    radius = group.nodes.new("GeometryNodeInputNamedAttribute")
    radius.data_type = "FLOAT"
    radius.inputs["Name"].default_value = "radius"
    group.links.new(given.outputs[0], balls.inputs["Mesh"])
    group.links.new(radius.outputs["Attribute"], balls.inputs["Radius"])
    group.links.new(balls.outputs[0], made.inputs[0])
    return group


def set_points(mesh: Any, path: str | os.PathLike[str] | None, length: float = 1.0) -> None:
    """Let a mesh have the points of a tracer frame, with attributes; None: no points.

    Parameters
    ----------
    mesh : bpy.types.Mesh
    path : path or None
        A .npz file of a bake.
    length : float
        How many metres a unit of Blender is, default 1: velocity, a second, is in units, too.

    Raises
    ------
    ValueError, OSError
        The file is not a whole tracer frame; the mesh is as it was.
    """
    columns = {} if path is None else tracer_files.read(path)
    mesh.clear_geometry()
    if not columns:
        return
    mesh.vertices.add(len(columns["id"]))
    mesh.vertices.foreach_set("co", np.ravel(columns["position"] / np.float32(length)))
    values = {name: columns[name] for name in SCALARS if name in columns}
    values["radius"] = columns["size"] * np.float32(RADIUS / length)
    values["velocity"] = columns["velocity"] / np.float32(length)
    for name, value in values.items():
        kind, key = ("FLOAT_VECTOR", "vector") if value.ndim == 2 else ("FLOAT", "value")
        mesh.attributes.new(name, kind, "POINT").data.foreach_set(key, np.ravel(value))
    mesh.update()
