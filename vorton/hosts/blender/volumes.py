"""A bake as a volume object of Blender: a sequence of files that plays where it was baked."""

from __future__ import annotations

import os
from typing import Any

from ...archive.manifest import Manifest
from ...bakes.baking import PRESETS
from .looks import Look, measure_look
from .materials import is_measured, keep_measured, look_of, make_material, set_measured
from .sequences import Sequence, find_sequence, split_number

VELOCITIES = {preset.velocity for preset in PRESETS.values()}
"""Names that hosts give the grid of the velocity."""

FOLLOWED = "vorton_density"
"""Custom property of a volume: the density in solid 3D views as it was set from the material."""

NEW = 1.0
"""Density in solid 3D views of a volume that Blender has made."""


def show_sequence(volume: Any, sequence: Sequence, frame_start: int = 1) -> None:
    """Let a volume show a sequence, with its velocity for motion blur.

    Parameters
    ----------
    volume : bpy.types.Volume
        Linked to the scene: the grids of others cannot be looked into.
    sequence : Sequence
    frame_start : int
        Frame of the scene at which the first file is shown, default 1. Before it and after the
        last nothing is.

    Raises
    ------
    ValueError
        A file that Blender cannot read.
    """
    import bpy

    first = sequence.files[0]
    _forget_files()
    volume.is_sequence = False
    volume.filepath = str(first)
    bpy.context.view_layer.update()  # else the frames of before are looked for
    if not volume.grids.load():
        raise ValueError(f"{first}: Blender cannot read it: {volume.grids.error_message}")
    names = VELOCITIES & {grid.name for grid in volume.grids}
    if names:
        volume.velocity_grid = min(names)
    volume.velocity_unit = "SECOND"
    if split_number(first)[1] is not None:
        volume.is_sequence = True
        volume.frame_duration = len(sequence.files)
        volume.frame_start = frame_start
        volume.frame_offset = sequence.first - 1
        volume.sequence_mode = "CLIP"


def _forget_files() -> None:
    """Let Blender read files again: what it has read of a path it keeps, though another bake has
    written it anew. A memory cache of no size keeps nothing."""
    import bpy

    preferences = bpy.context.preferences
    system, unsaved = preferences.system, preferences.is_dirty
    limit = system.memory_cache_limit
    system.memory_cache_limit = 0
    system.memory_cache_limit = limit
    preferences.is_dirty = unsaved


def unknown_grids(place: str | os.PathLike[str]) -> list[str]:
    """Names of grids that a bake has, and Blender does not know of before it is started again.

    The names of the grids in a file it never reads twice: a bake with fire in the place of one
    that was smoke alone is shown as smoke.

    Parameters
    ----------
    place : path
        Folder of the bake.
    """
    import bpy

    manifest = Manifest.find(place)
    probe = bpy.data.volumes.new("probe")
    try:
        probe.filepath = str(manifest.file(manifest.frames[-1], ".vdb").absolute())
        probe.grids.load()
        known = {grid.name for grid in probe.grids}
    finally:
        bpy.data.volumes.remove(probe)
    return [name for name in manifest.data["volumes"]["grids"].values() if name not in known]


def load_sequence(
    place: str | os.PathLike[str],
    *,
    name: str | None = None,
    frame_start: int = 1,
    scene: Any = None,
) -> Any:
    """Make a volume object of a sequence, and put it into the scene.

    Parameters
    ----------
    place : path
        As for `find_sequence`.
    name : str, optional
        Of the object; default: that of the files.
    frame_start : int
        Frame of the scene at which the first file is shown, default 1. Before it and after the
        last nothing is.
    scene : bpy.types.Scene, optional
        Default: the current one.

    Returns
    -------
    bpy.types.Object
        At the origin, where it lies on the emitters; velocities are metres a second.

    Raises
    ------
    FileNotFoundError, ValueError
        As `find_sequence`; a file that Blender cannot read.
    """
    import bpy

    sequence = find_sequence(place)
    first = sequence.files[0]
    volume = bpy.data.volumes.new(name or split_number(first)[0].rstrip("_") or first.stem)
    shown = bpy.data.objects.new(volume.name, volume)
    (scene or bpy.context.scene).collection.objects.link(shown)
    try:
        show_sequence(volume, sequence, frame_start)
    except ValueError:
        bpy.data.volumes.remove(volume)
        raise
    return shown


def add_bake(
    place: str | os.PathLike[str],
    *,
    frame_start: int = 1,
    look: Look | None = None,
    name: str | None = None,
    scene: Any = None,
) -> Any:
    """Load a bake and give it its material: `load_sequence`, `measure_look`, `make_material`.

    The solid 3D view shows the smoke as dense as a render does.

    Parameters
    ----------
    place, frame_start, name, scene
        As for `load_sequence`; the name is that of the material, too.
    look : Look, optional
        Default: measured.

    Returns
    -------
    bpy.types.Object
    """
    look = measure_look(place) if look is None else look  # may find nothing to show
    shown = load_sequence(place, name=name, frame_start=frame_start, scene=scene)
    material = make_material(look, name=shown.name)
    keep_measured(material)
    shown.data.materials.append(material)
    _show_density(shown)
    return shown


def measure_again(shown: Any, place: str | os.PathLike[str]) -> None:
    """Fit the material of `add_bake` to what a bake has become, unless its strengths were changed;
    the density in solid 3D views follows that of the material, unless somebody has set it.

    Parameters
    ----------
    shown : bpy.types.Object
    place : path
        As for `find_sequence`.
    """
    measured = [material for material in shown.data.materials if material and is_measured(material)]
    views_follow = _views_follow(shown)
    if measured:
        look = measure_look(place)
        for material in measured:
            set_measured(material, look)
    if views_follow:
        _show_density(shown)


def _show_density(shown: Any) -> None:
    """Let solid 3D views show smoke as dense as the material makes it, and note that they do."""
    look, volume = look_of(shown), shown.data
    if look is not None:
        volume.display.density = look.density
        volume[FOLLOWED] = volume.display.density


def _views_follow(shown: Any) -> bool:
    """Whether the density in solid 3D views is not somebody's choice: it is the one that was noted.
    Where none was, an earlier vorton has left it as Blender makes it, or has set the material's."""
    volume, look = shown.data, look_of(shown)
    noted, density = volume.get(FOLLOWED), volume.display.density
    if noted is not None:
        return density == noted
    return density == NEW or (look is not None and density == look.density)
