"""Frames of a bake as Houdini wants them: Y up, metres, its names of attributes and grids."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import numpy as np

from ... import _core
from ...archive.manifest import Manifest
from ...bakes.baking import PRESETS
from ...files import tracer_files
from ...scenes.scene import Scene
from ..body_meshes import body_meshes

Y_UP = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
"""From Z up to Y up, as a `hou.Matrix4`: a row of coordinates times the matrix."""

SMOKE = (0.5, 0.5, 0.5)
"""Colour of a tracer that does not glow, in the viewport."""

COOLEST, WHOLLY = _core.CONSTANTS["coolest_fire"], _core.CONSTANTS["warmest_fire"]
"""Where a tracer begins to glow, and where it shows the colour of its glow alone, K."""

WAVELENGTHS = np.array([611e-9, 549e-9, 464e-9])
"""Of red, green and blue, m: the dominant ones of the primaries of sRGB."""

SECOND_RADIATION = 1.438777e-2
"""Planck's second radiation constant, m K."""


@dataclasses.dataclass(frozen=True, eq=False)
class FramePoints:
    """Points of a frame, and their attributes.

    Attributes
    ----------
    position : (n, 3) float32, m
    floats : dict
        By name (n,) or (n, 3) float32: v (m/s), pscale (m, half the width of what the tracer stands
        for), Cd, age (s), mass (kg of smoke), and of fire temperature (K), fuel, flame, smoke.
    id : (n,) int32
    """

    position: np.ndarray
    floats: dict[str, np.ndarray]
    id: np.ndarray


def to_y_up(vectors: np.ndarray) -> np.ndarray:
    """Vectors (n, 3) of a bake, Z up, as float32 with Y up."""
    x, y, z = np.asarray(vectors).reshape(-1, 3).T
    return np.stack([x, z, -y], axis=1).astype(np.float32)


def color_of(temperature: np.ndarray | None, count: int) -> np.ndarray:
    """Colours of tracers, (n, 3) float32: smoke is grey, what is hot shines as a black body.

    That is Planck's law at three wavelengths, the brightest of them 1; from 700 K on it takes the
    place of the grey, at 2400 K all of it.
    """
    if temperature is None:
        return np.tile(np.array(SMOKE, np.float32), (count, 1))
    kelvin = np.maximum(np.asarray(temperature, float), COOLEST)[:, None]
    glow = WAVELENGTHS**-5 / np.expm1(SECOND_RADIATION / (WAVELENGTHS * kelvin))
    glow /= glow.max(axis=1, keepdims=True) if count else 1.0
    share = np.clip((kelvin - COOLEST) / (WHOLLY - COOLEST), 0, 1)
    return ((1 - share) * np.array(SMOKE) + share * glow).astype(np.float32)


def frame_points(place: str | os.PathLike[str], number: int) -> FramePoints | None:
    """The tracers of a frame; None where it is not baked.

    Parameters
    ----------
    place : path
        Bake folder, or its manifest.
    number : int
        1 is the start.

    Raises
    ------
    ValueError, OSError
        No bake there; one without tracers; a file that is not whole.
    """
    manifest = Manifest.find(place)
    if not manifest.data["tracers"]:
        raise ValueError(f"{manifest.path}: was baked without tracers")
    if number not in manifest.frames:
        return None
    columns = tracer_files.read(manifest.file(number, ".npz"))
    carried = {name: columns[name] for name in tracer_files.CARRIED if name in columns}
    floats = {
        "v": to_y_up(columns["velocity"]),
        "pscale": columns["size"] / np.float32(2),
        "Cd": color_of(columns.get("temperature"), len(columns["id"])),
        "age": columns["age"],
        "mass": columns["density"],
        **carried,
    }
    return FramePoints(to_y_up(columns["position"]), floats, columns["id"].astype(np.int32))


def frame_volume(place: str | os.PathLike[str], number: int) -> tuple[Path, dict[str, str]] | None:
    """The .vdb file of a frame, and what Houdini calls each of its grids; None: it is not baked.

    Raises
    ------
    ValueError, OSError
        No bake there; one without volumes.
    """
    manifest = Manifest.find(place)
    if manifest.data["volumes"] is None:
        raise ValueError(f"{manifest.path}: was baked without volumes")
    if number not in manifest.frames:
        return None
    names = PRESETS["houdini"].grids
    stored = manifest.data["volumes"]["grids"]
    wanted = {name: names.get(grid, name) for grid, name in stored.items()}
    return manifest.file(number, ".vdb").absolute(), wanted


def frame_bodies(
    place: str | os.PathLike[str], number: int
) -> list[tuple[str, np.ndarray, list[list[int]]]] | None:
    """Name, vertices ((n, 3) float32, m) and polygons of each body; None: it is not baked.

    Polygons are counter-clockwise seen from outside. Containers are left out.

    Raises
    ------
    ValueError, OSError
        No bake there.
    ModuleNotFoundError
        A Polytope, without SciPy.
    """
    manifest = Manifest.find(place)
    if number not in manifest.frames:
        return None
    scene = Scene.from_dict(manifest.data["scene"], manifest.folder)
    found = [body for body in body_meshes(manifest, scene, [number]) if not body.container]
    return [(body.name, to_y_up(body.placed(number)), body.faces) for body in found]
