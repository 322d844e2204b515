"""The light of a fire: a lamp where it burns, as bright as what glows in each frame.

Cycles finds a glowing volume by chance alone, which leaves the ground around a fire dark and
grainy. The lamp has the power of the glow, 4 pi emission x the integral of (K / 2000)^4 heat, and
lies in its middle; the volume is then hidden from what diffuse surfaces reflect, so that nothing is
lit twice but the smoke itself.
"""

from __future__ import annotations

import dataclasses
import math
import os
from typing import Any

import numpy as np

from ...files import vdb_files
from .looks import COOLEST, GRIDS, WARMER, Look, glow_power
from .materials import node_of
from .sequences import find_sequence


@dataclasses.dataclass(frozen=True)
class Glow:
    """What glows in a frame.

    Attributes
    ----------
    power : float, m^3
        Integral of the glow at 2000 K.
    center : three numbers, m
        Its middle.
    radius : float, m
        Its radius of gyration.
    kelvin : float, K
        Its colour temperature: the mean, as it shines.
    """

    power: float
    center: tuple[float, ...]
    radius: float
    kelvin: float


def measure_glow(path: str | os.PathLike[str]) -> Glow | None:
    """The glow of a file of a bake, or None where nothing glows."""
    grid = vdb_files.read(path, [GRIDS["heat"]]).get(GRIDS["heat"])
    if grid is None or not len(grid.index):
        return None
    heat = grid.values.astype(float)
    power = glow_power(heat)
    total = power.sum()
    if not total > 0:
        return None
    places = grid.index * grid.voxel
    center = power @ places / total
    spread = math.sqrt(power @ ((places - center) ** 2).sum(axis=1) / total)
    kelvin = COOLEST + WARMER * float(power @ heat / total)
    return Glow(float(total) * grid.voxel**3, tuple(center.tolist()), spread, kelvin)


def add_firelight(
    place: str | os.PathLike[str],
    look: Look,
    shown: Any,
    *,
    frame_start: int = 1,
    every: int = 3,
    length: float = 1.0,
    scene: Any = None,
) -> Any:
    """Add the lamp of a bake, with keyframes, to the object that shows it.

    Parameters
    ----------
    place : path
        As for `find_sequence`.
    look : Look
        That of the material.
    shown : bpy.types.Object
        From `add_bake`: what the lamp is bound to.
    frame_start : int
        Frame of the scene at which the first file is shown, default 1.
    every : int
        A keyframe at each so many files, default 3, and the last; a file takes a tenth of a second.
    length : float
        Metres of a unit of Blender, default 1.
    scene : bpy.types.Scene, optional
        Default: the current one.

    Returns
    -------
    bpy.types.Object or None
        None where nothing glows.
    """
    import bpy

    files = find_sequence(place).files
    numbers = sorted({*range(0, len(files), every), len(files) - 1})
    glows = [(number, measure_glow(files[number])) for number in numbers]
    burning = [glow for _, glow in glows if glow is not None]
    if not burning or not look.emission > 0:
        return None
    lamp = bpy.data.lights.new("firelight", "POINT")
    power = np.array([glow.power for glow in burning])
    lamp.shadow_soft_size = float(np.median([glow.radius for glow in burning])) / length
    _set_color(lamp, float(power @ [glow.kelvin for glow in burning] / power.sum()))
    light = bpy.data.objects.new("firelight", lamp)
    (scene or bpy.context.scene).collection.objects.link(light)
    light.parent, shown.visible_diffuse = shown, False
    for number, glow in glows:
        frame = frame_start + number
        lamp.energy = 0.0
        if glow is not None:
            lamp.energy = 4 * math.pi * look.emission * glow.power / length**2
            light.location = glow.center
            light.keyframe_insert("location", frame=frame)
        lamp.keyframe_insert("energy", frame=frame)
    return light


def _set_color(lamp: Any, kelvin: float) -> None:
    """The colour of a black body, as in the material of the flame."""
    lamp.use_nodes = True
    nodes, links = lamp.node_tree.nodes, lamp.node_tree.links
    color = nodes.new("ShaderNodeBlackbody")
    color.inputs["Temperature"].default_value = kelvin
    emission = node_of(lamp.node_tree, "ShaderNodeEmission")
    links.new(color.outputs["Color"], emission.inputs["Color"])
