"""A thin sheet as a closed mesh, flat or bent."""

import numpy as np

SIDES, THICKNESS = (1.2, 0.8), 0.06


def sheet(bend=0.0):
    """Vertices (36, 3) and faces of a sheet about the origin, at z = bend x^2."""
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(-0.6, 0.6, 9), (-0.4, 0.4)))
    middle = np.c_[x, y, bend * x**2]
    half = (0, 0, THICKNESS / 2)
    quads = [(i, i + 9, i + 10, i + 1) for i in range(8)]
    quads += [(i + 18, i + 19, i + 28, i + 27) for i in range(8)]
    quads += [(i, i + 1, i + 19, i + 18) for i in range(8)]
    quads += [(i, i + 18, i + 19, i + 1) for i in range(9, 17)]
    quads += [(0, 18, 27, 9), (8, 17, 35, 26)]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return np.r_[middle - half, middle + half], faces
