"""Blender: load a bake as a volume that moves, with the material of smoke and fire.

For scripts that run in Blender 4.2 or later, or with the module bpy. Nothing here changes the
scene's render settings, but for `set_filmic`, which is there to be asked.

>>> from vorton.hosts import blender
>>> smoke = blender.add_bake("cache/campfire")              # doctest: +SKIP
>>> blender.set_filmic()                                    # doctest: +SKIP
"""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from ..bake import PRESETS

GRIDS = PRESETS["blender"].grids
"""Names of the grids of a bake for Blender."""

TYPICAL_DEPTH = 9.0
"""Optical depth of the 95th percentile of lines of sight through smoke that reads as smoke."""

TYPICAL_FLAME = 1.0
"""Radiance of the 95th percentile of lines of sight through a flame, at 2000 K: half of that
of `vorton.preview`, for Filmic with half a stop more shows it brighter."""

COOLEST, WARMER = 700.0, 1700.0
"""Colour temperature of fire, K: COOLEST + WARMER x heat."""


# ---- files ----


@dataclasses.dataclass(frozen=True)
class Sequence:
    """Numbered .vdb files without a gap.

    Attributes
    ----------
    files : tuple of Path
    first : int
        Number of the first.
    """

    files: tuple[Path, ...]
    first: int


def find_sequence(place: str | os.PathLike[str]) -> Sequence:
    """The .vdb files of a bake folder, or those that one of its files belongs to.

    Parameters
    ----------
    place : path
        A folder with one sequence, or one of its .vdb files.

    Raises
    ------
    FileNotFoundError
        No such file, or no numbered .vdb file in the folder.
    ValueError
        More than one sequence in the folder, or a gap in the numbers.
    """
    place = Path(place).absolute()
    if place.is_dir():
        names = sorted({_split(p)[0] for p in place.glob("*.vdb") if _split(p)[1] is not None})
        if not names:
            raise FileNotFoundError(f"{place}: holds no numbered .vdb file")
        if len(names) > 1:
            raise ValueError(f"{place}: holds {', '.join(names)}; give one of their files")
        folder, name = place, names[0]
    else:
        if not place.is_file():
            raise FileNotFoundError(f"{place}: no such file")
        folder, (name, number) = place.parent, _split(place)
        if number is None:
            return Sequence((place,), 1)
    found = [
        (number, path)
        for path in folder.glob("*.vdb")
        for text, number in [_split(path)]
        if text == name and number is not None
    ]
    found.sort()
    numbers = [number for number, _ in found]
    for before, after in zip(numbers, numbers[1:]):
        if after != before + 1:
            raise ValueError(f"{folder}: frame {before + 1} of {name} is missing")
    return Sequence(tuple(path for _, path in found), numbers[0])


def _split(path: Path) -> tuple[str, int | None]:
    """Name and number of `name_0001.vdb`; the number is None where there is none."""
    match = re.fullmatch(r"(.*?)(\d+)", path.stem)
    return (match[1], int(match[2])) if match else (path.stem, None)


# ---- volume ----


def load_sequence(
    place: str | os.PathLike[str], *, name: str | None = None, frame_start: int = 1
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
    grids = _grid_names(first)
    volume = bpy.data.volumes.new(name or _split(first)[0].rstrip("_") or first.stem)
    volume.filepath = str(first)
    if "vel" in grids and volume.grids.load():  # a sequence may show nothing at this frame
        volume.velocity_grid = "vel"
    if len(sequence.files) > 1 or _split(first)[1] is not None:
        volume.is_sequence = True
        volume.frame_duration = len(sequence.files)
        volume.frame_start = frame_start
        volume.frame_offset = sequence.first - 1
        volume.sequence_mode = "CLIP"
    volume.velocity_unit = "SECOND"
    shown = bpy.data.objects.new(volume.name, volume)
    bpy.context.scene.collection.objects.link(shown)
    return shown


def _openvdb() -> Any:
    import bpy

    if hasattr(bpy.utils, "expose_bundled_modules"):
        bpy.utils.expose_bundled_modules()
    try:
        import openvdb
    except ImportError:  # Blender 4.2 and older
        import pyopenvdb as openvdb  # type: ignore[no-redef]
    return openvdb


def _grid_names(path: Path) -> set[str]:
    try:
        return {grid.name for grid in _openvdb().readAllGridMetadata(str(path))}
    except Exception as error:  # OpenVDB's own kinds
        raise ValueError(f"{path}: OpenVDB cannot read it: {error}") from error


# ---- what the material needs to know ----


@dataclasses.dataclass(frozen=True)
class Look:
    """Strengths of the material, to be kept for the whole shot.

    Attributes
    ----------
    density : float
        Of Principled Volume: optical depth of a metre of the grid's 1 kg/m^3, m^2/kg.
    emission : float
        Radiance of a metre of what glows wholly, at 2000 K, 1/m; 0: no fire.
    """

    density: float
    emission: float = 0.0


def _dense(path: Path, name: str) -> tuple[np.ndarray, float] | None:
    """A grid as an array, and its voxel size; None where the file has none, or it is empty."""
    openvdb = _openvdb()
    if name not in _grid_names(path):
        return None
    grid = openvdb.read(str(path), name)
    if grid.activeVoxelCount() == 0:
        return None
    low, high = grid.evalActiveVoxelBoundingBox()
    values = np.zeros([b - a + 1 for a, b in zip(low, high)], np.float32)
    grid.copyToArray(values, ijk=low)
    return values, float(grid.transform.voxelSize()[0])


def _high_percentile(columns: np.ndarray) -> float:
    """The 95th percentile of the columns above a thousandth of the largest."""
    columns = columns[columns > 1e-3 * columns.max()] if columns.size else columns
    return float(np.percentile(columns, 95)) if columns.size else 0.0


def _power(heat: np.ndarray) -> np.ndarray:
    return heat * ((COOLEST + WARMER * heat) / 2000) ** 4


def measure_look(
    place: str | os.PathLike[str],
    *,
    samples: int = 8,
    density: str = GRIDS["density"],
    heat: str = GRIDS["heat"],
) -> Look:
    """Strengths that make a bake read as smoke and fire, measured along X and Y.

    Parameters
    ----------
    place : path
        As for `find_sequence`.
    samples : int
        Files to look at, evenly over the sequence; the one with the most smoke and the one with the
        most fire count. Default 8.
    density, heat : str
        Names of the grids.

    Returns
    -------
    Look
        density = 9 / p95 of the columns of smoke (kg/m^2), emission = 1 / p95 of those of the glow
        (m, at 2000 K: about the width of the flame).

    Raises
    ------
    ValueError
        No file holds smoke.
    """
    files = find_sequence(place).files
    chosen = sorted({round(i) for i in np.linspace(0, len(files) - 1, min(samples, len(files)))})
    best = {density: (0.0, 0.0), heat: (0.0, 0.0)}  # how much there is; percentile of its columns
    for number in chosen:
        for name in best:
            found = _dense(files[number], name)
            if found is None:
                continue
            values, size = found
            values = _power(values) if name == heat else values
            columns = np.concatenate([values.sum(axis).ravel() for axis in (0, 1)]) * size
            amount = float(values.sum())
            if amount > best[name][0]:
                best[name] = (amount, _high_percentile(columns))
    if not best[density][1] > 0:
        raise ValueError(f"{place}: no file holds smoke under the name {density!r}")
    column, glow = best[density][1], best[heat][1]
    return Look(TYPICAL_DEPTH / column, TYPICAL_FLAME / glow if glow > 0 else 0.0)


# ---- material ----


def make_material(look: Look, *, name: str = "vorton", fire: bool | None = None) -> Any:
    """The material of smoke, and of fire where the look has emission.

    Principled Volume: density of the grid times `look.density`, colour .9 (soot .45 with fire),
    anisotropy .2. Fire: the grid `heat` gives the colour temperature, K = 700 + 1700 heat, and the
    strength, emission x (K / 2000)^4 x heat; the node's own black body is too weak for flames.

    Parameters
    ----------
    look : Look
        From `measure_look`, or by hand: emission about 1 / width of the flame in metres.
    name : str
        Of the material.
    fire : bool, optional
        Default: whether look.emission > 0.

    Returns
    -------
    bpy.types.Material
    """
    import bpy

    burns = look.emission > 0 if fire is None else fire
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    output = nodes.new("ShaderNodeOutputMaterial")
    output.location = (900, 0)
    volume = nodes.new("ShaderNodeVolumePrincipled")
    volume.location = (600, 0)
    grey = 0.45 if burns else 0.9
    volume.inputs["Color"].default_value = (grey, grey, grey, 1)
    volume.inputs["Anisotropy"].default_value = 0.2
    volume.inputs["Density"].default_value = look.density
    volume.inputs["Density Attribute"].default_value = GRIDS["density"]
    volume.inputs["Temperature Attribute"].default_value = ""
    volume.inputs["Blackbody Intensity"].default_value = 0
    links.new(volume.outputs["Volume"], output.inputs["Volume"])
    if burns:
        _add_fire(nodes, links, volume, look.emission)
    return material


def _add_fire(nodes: Any, links: Any, volume: Any, emission: float) -> None:
    heat = nodes.new("ShaderNodeAttribute")
    heat.attribute_name = heat.name = heat.label = GRIDS["heat"]
    heat.location = (-600, -200)

    def math(label: str, operation: str, place: tuple[float, float], *inputs: Any) -> Any:
        node = nodes.new("ShaderNodeMath")
        node.operation, node.location, node.name, node.label = operation, place, label, label
        for socket, value in zip(node.inputs, inputs):
            if isinstance(value, (int, float)):
                socket.default_value = value
            else:
                links.new(value, socket)
        return node.outputs["Value"]

    share = heat.outputs["Fac"]
    kelvin = math("kelvin", "MULTIPLY_ADD", (-400, -100), share, WARMER, COOLEST)
    ratio = math("kelvin / 2000", "DIVIDE", (-200, -250), kelvin, 2000)
    power = math("power", "POWER", (0, -250), ratio, 4)
    glow = math("glow", "MULTIPLY", (200, -250), power, share)
    strength = math("emission", "MULTIPLY", (400, -250), glow, emission)
    color = nodes.new("ShaderNodeBlackbody")
    color.location = (0, -50)
    links.new(kelvin, color.inputs["Temperature"])
    links.new(color.outputs["Color"], volume.inputs["Emission Color"])
    links.new(strength, volume.inputs["Emission Strength"])


def add_bake(
    place: str | os.PathLike[str],
    *,
    frame_start: int = 1,
    look: Look | None = None,
    name: str | None = None,
) -> Any:
    """Load a bake and give it its material: `load_sequence`, `measure_look`, `make_material`.

    Parameters
    ----------
    place : path
        As for `find_sequence`.
    frame_start : int
        Frame of the scene at which the first file is shown, default 1.
    look : Look, optional
        Default: measured.
    name : str, optional
        Of object and material; default: that of the files.

    Returns
    -------
    bpy.types.Object
    """
    shown = load_sequence(place, name=name, frame_start=frame_start)
    look = measure_look(place) if look is None else look
    shown.data.materials.append(make_material(look, name=shown.name))
    return shown


# ---- colour management, only when asked ----


def set_filmic(scene: Any = None, *, exposure: float = 0.5) -> None:
    """Show a scene with Filmic, high contrast: AgX turns fire pink.

    Parameters
    ----------
    scene : bpy.types.Scene, optional
        Default: the current one.
    exposure : float
        Stops, default .5.
    """
    import bpy

    settings = (scene or bpy.context.scene).view_settings
    settings.view_transform = "Filmic"
    looks = ("High Contrast", "Filmic - High Contrast")  # the name has changed between versions
    for look in looks:
        try:
            settings.look = look
            break
        except TypeError:
            continue
    settings.exposure = exposure
