"""Differences at the nodes of grids, those of the solver's curl (csrc/kernels/grid/curl.c)."""

import numpy as np

WEIGHTS = {"second": (1 / 2,), "fourth": (3 / 4, -3 / 20, 1 / 60)}


def slope(field, h, axis, order="fourth"):
    """Of a field along x, y or z (axis 0, 1 or 2); wrong within three nodes of the faces."""
    found = np.zeros(field.shape)
    for reach, weight in enumerate(WEIGHTS[order], 1):
        after = np.roll(field.astype(float), -reach, axis=2 - axis)
        found += weight / h * (after - np.roll(field.astype(float), reach, axis=2 - axis))
    return found


def slopes(field, h, order="fourth"):
    """Along x, y and z."""
    return [slope(field, h, axis, order) for axis in range(3)]


def curl(field, h, order="fourth"):
    d = [slopes(field[..., c], h, order) for c in range(3)]
    return np.stack([d[2][1] - d[1][2], d[0][2] - d[2][0], d[1][0] - d[0][1]], axis=-1)
