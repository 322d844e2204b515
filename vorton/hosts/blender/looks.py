"""How strong the material of a bake must be to read as smoke and fire: measured in its files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable

import numpy as np

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

COOLEST, WARMER = 700.0, 1700.0
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


def _columns(grid: vdb_files.Grid, power: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Sums along X, and those along Y, of a function of the values, times the voxel size."""
    index = grid.index - grid.index.min(axis=0)
    values, size = power(grid.values.astype(float)), index.max(axis=0) + 1
    columns = []
    for axis in (0, 1):
        place = index[:, 1 - axis] * size[2] + index[:, 2]
        columns.append(np.bincount(place, values, size[1 - axis] * size[2]))
    return np.concatenate(columns) * grid.voxel


def _high_percentile(columns: np.ndarray) -> float:
    """The 95th percentile of the columns above a thousandth of the largest."""
    columns = columns[columns > 1e-3 * columns.max()] if columns.size else columns
    return float(np.percentile(columns, 95)) if columns.size else 0.0


def glow_power(heat: np.ndarray) -> np.ndarray:
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
        (m, at 2000 K: about the width of the flame).

    Raises
    ------
    ValueError
        No file holds smoke, or one is not of a bake.
    """
    files = find_sequence(place).files
    chosen = sorted({round(i) for i in np.linspace(0, len(files) - 1, min(samples, len(files)))})
    powers = {density: np.asarray, heat: glow_power}
    best = dict.fromkeys(powers, (0.0, 0.0))  # how much there is; percentile of its columns
    for number in chosen:
        grids = vdb_files.read(files[number], powers)
        for name, power in powers.items():
            if name not in grids or not len(grids[name].index):
                continue
            columns = _columns(grids[name], power)
            amount = float(columns.sum())
            if amount > best[name][0]:
                best[name] = (amount, _high_percentile(columns))
    if not best[density][1] > 0:
        raise ValueError(f"{place}: no file holds smoke under the name {density!r}")
    column, glow = best[density][1], best[heat][1]
    return Look(TYPICAL_DEPTH / column, TYPICAL_FLAME / glow if glow > 0 else 0.0)
