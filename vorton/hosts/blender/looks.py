"""How strong the material of a bake must be to read as smoke and fire: measured in its files."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np

from ... import _core
from ...bakes.baking import PRESETS
from ...files import vdb_files
from .sequences import find_sequence

GRIDS = PRESETS["blender"].grids
"""Names of the grids of a bake for Blender."""

TYPICAL_DEPTH = 9.0
"""Optical depth of the 95th percentile of lines of sight through smoke that reads as smoke."""

TYPICAL_FLAME = 1.0
"""Radiance of the 95th percentile of lines of sight through a flame, at 2000 K: half of that
of `vorton.preview`, for Filmic with half a stop more shows it brighter."""

COOLEST = _core.CONSTANTS["coolest_fire"]
WARMER = _core.CONSTANTS["warmest_fire"] - COOLEST
"""Colour temperature of fire, K: COOLEST + WARMER x heat."""


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


def _columns(grid: vdb_files.Grid, values: np.ndarray) -> np.ndarray:
    """Sums along X, and those along Y, of a value of each voxel, times the voxel size."""
    index = grid.index - grid.index.min(axis=0)
    size = index.max(axis=0) + 1
    columns = []
    for axis in (0, 1):
        place = index[:, 1 - axis] * size[2] + index[:, 2]
        columns.append(np.bincount(place, values, size[1 - axis] * size[2]))
    return np.concatenate(columns) * grid.voxel


def _that_count(columns: np.ndarray) -> np.ndarray:
    """Whether columns are above a thousandth of the largest."""
    return columns > 1e-3 * columns.max()


def _amount_and_column(columns: np.ndarray, counted: np.ndarray) -> tuple[float, float]:
    """How much there is, and the 95th percentile of what counts of its columns."""
    return float(columns.sum()), float(np.percentile(counted, 95)) if counted.size else 0.0


def _measure_smoke(grid: vdb_files.Grid) -> tuple[float, float]:
    columns = _columns(grid, grid.values.astype(float))
    return _amount_and_column(columns, columns[_that_count(columns)])


def _measure_fire(grid: vdb_files.Grid) -> tuple[float, float]:
    """Of the power of the glow; a column counts for no less than a flame of dull_glow as long as
    its own, (the integral of its power)^2 / that of its square."""
    power = glow_power(grid.values.astype(float))
    columns, squares = _columns(grid, power), _columns(grid, power**2)
    count = _that_count(columns)
    length = columns[count] ** 2 / squares[count]
    dull = glow_power(_core.CONSTANTS["dull_glow"]) * length
    return _amount_and_column(columns, np.maximum(columns[count], dull))


def glow_power(heat: Any) -> Any:
    """Radiance of a metre of what glows, over that of what glows wholly at 2000 K."""
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
        (m, at 2000 K: about the width of the flame). A column's glow counts for no less than that
        of a flame of 1500 K as long, so that what is left of a fire looks it.

    Raises
    ------
    ValueError
        No file holds smoke, or one is not of a bake.
    """
    files = find_sequence(place).files
    chosen = sorted({round(i) for i in np.linspace(0, len(files) - 1, min(samples, len(files)))})
    measures = {density: _measure_smoke, heat: _measure_fire}
    best = dict.fromkeys(measures, (0.0, 0.0))
    for number in chosen:
        grids = vdb_files.read(files[number], measures)
        for name, measure in measures.items():
            if name in grids and len(grids[name].index):
                best[name] = max(best[name], measure(grids[name]))
    if not best[density][1] > 0:
        raise ValueError(f"{place}: no file holds smoke under the name {density!r}")
    column, glow = best[density][1], best[heat][1]
    return Look(TYPICAL_DEPTH / column, TYPICAL_FLAME / glow if glow > 0 else 0.0)
