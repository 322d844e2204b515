"""Shapes as meshes, for hosts that show them."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ..base.extras import load_extra
from ..geometry.shapes import (
    Box,
    Capsule,
    Cylinder,
    Disk,
    Mesh,
    Plane,
    Polytope,
    Shape,
    Sphere,
    Torus,
)

ROUND = 64
"""Vertices around a ball, cylinder, capsule or torus."""

FLOOR = 10.0
"""Edge of the square that stands for a floor without end, m."""


@dataclasses.dataclass
class ShapeMesh:
    """A mesh about the centre of a shape, and where that lies.

    Attributes
    ----------
    vertices : (n, 3) float, m
        In a space whose z lies along the axis.
    faces : list of sequences of int
        Polygons, counter-clockwise seen from outside.
    center : (3,) float, m
    axis : three numbers or None
        None: that of the space is that of the scene.
    """

    vertices: np.ndarray
    faces: list
    center: np.ndarray
    axis: tuple[float, ...] | None = None

    def placed(self) -> np.ndarray:
        """The vertices where the shape lies, (n, 3) float64, m."""
        own = np.asarray(self.vertices, float)
        return own @ rotation_to(self.axis or (0.0, 0.0, 1.0)).T + self.center


def rotation_to(axis: tuple[float, ...]) -> np.ndarray:
    """The (3, 3) rotation by the smallest angle that turns z to an axis of any length but 0."""
    x, y, z = np.array(axis, float) / np.linalg.norm(axis)
    if z < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    k = 1 / (1 + z)
    return np.array([[1 - k * x * x, -k * x * y, x], [-k * x * y, 1 - k * y * y, y], [-x, -y, z]])


def mesh_of(shape: Shape) -> ShapeMesh:
    """The mesh of a shape whose numbers do not change in time.

    Of a plane it is a square with an edge of `FLOOR` about its point.

    Raises
    ------
    ModuleNotFoundError
        A Polytope, without SciPy.
    """
    if isinstance(shape, Sphere):
        return ShapeMesh(*_capsule(shape.radius, 0.0), np.array(shape.center))
    if isinstance(shape, Box):
        lower, upper = np.array(shape.lower), np.array(shape.upper)
        return ShapeMesh(*_prism(4, (upper - lower) / 2), (lower + upper) / 2)
    if isinstance(shape, (Disk, Cylinder)):
        long = shape.thickness if isinstance(shape, Disk) else shape.length
        sizes = np.array([shape.radius, shape.radius, long / 2])
        return ShapeMesh(*_prism(ROUND, sizes), np.array(shape.center), shape.axis)
    if isinstance(shape, Torus):
        own = dataclasses.replace(shape, center=(0, 0, 0), axis=(0, 0, 1))
        vertices, faces = own.tessellate(ROUND, ROUND // 2)
        return ShapeMesh(vertices, faces.tolist(), np.array(shape.center), shape.axis)
    if isinstance(shape, Capsule):
        start, end = np.array(shape.start), np.array(shape.end)
        made = _capsule(shape.radius, float(np.linalg.norm(end - start)))
        return ShapeMesh(*made, (start + end) / 2, tuple(end - start))
    if isinstance(shape, Plane):
        half = FLOOR / 2
        corners = np.array([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)])
        return ShapeMesh(corners, [(0, 1, 2, 3)], np.array(shape.point), shape.normal)
    if isinstance(shape, Polytope):
        return ShapeMesh(*_hull(shape.points.astype(float)), np.zeros(3))
    assert isinstance(shape, Mesh)
    vertices, triangles = shape.placed()
    return ShapeMesh(vertices, triangles.tolist(), np.zeros(3))


def _hull(points: np.ndarray) -> tuple[np.ndarray, list]:
    """Triangles of the convex hull, and the points that are corners of it."""
    text = "a Polytope becomes a mesh through SciPy: pip install scipy"
    hull = load_extra("scipy.spatial", text).ConvexHull(points)
    a, b, c = (points[hull.simplices[:, i]] for i in range(3))
    inside = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces = np.where(inside[:, None], hull.simplices[:, ::-1], hull.simplices)
    corners, place = np.unique(faces, return_inverse=True)
    return points[corners], place.reshape(-1, 3).tolist()


def _prism(sides: int, sizes: np.ndarray) -> tuple[np.ndarray, list]:
    """A prism about z of radius and half length 1, times the sizes; of four sides a cube."""
    angle = (np.arange(sides) + (0.5 if sides == 4 else 0.0)) * (2 * math.pi / sides)
    reach = math.sqrt(2) if sides == 4 else 1.0
    rim = np.stack([reach * np.cos(angle), reach * np.sin(angle)], axis=1)
    ends = [np.column_stack([rim, np.full(sides, z)]) for z in (-1.0, 1.0)]
    there = np.roll(np.arange(sides), -1)
    faces = [(i, j, sides + j, sides + i) for i, j in zip(range(sides), there.tolist())]
    caps = [tuple(reversed(range(sides))), tuple(range(sides, 2 * sides))]
    return np.concatenate(ends) * sizes, [*faces, *caps]


def _capsule(radius: float, length: float) -> tuple[np.ndarray, list]:
    """Two half balls about z, their middles `length` apart, and what lies between: 0 for a ball."""
    rows = ROUND // 2
    around = np.arange(ROUND) * (2 * math.pi / ROUND)
    up = (np.arange(1, rows) / rows - 0.5) * math.pi
    if length:  # the equator twice
        up = np.insert(up, rows // 2, 0.0)
    z, r = np.sin(up)[:, None], np.cos(up)[:, None]
    body = np.stack([r * np.cos(around), r * np.sin(around), z + 0 * around], axis=2)
    vertices = np.concatenate([body.reshape(-1, 3), [(0, 0, -1), (0, 0, 1)]]) * radius
    half = [*np.repeat(np.where(np.arange(len(up)) < rows // 2, -1, 1), ROUND), -1, 1]
    vertices[:, 2] += 0.5 * length * np.array(half)
    south, north, last = len(vertices) - 2, len(vertices) - 1, (len(up) - 1) * ROUND
    faces: list[tuple[int, ...]] = []
    for i in range(ROUND):
        j = (i + 1) % ROUND
        faces += [(south, j, i), (north, i + last, j + last)]
        for row in range(len(up) - 1):
            a, b = row * ROUND, (row + 1) * ROUND
            faces.append((a + i, a + j, b + j, b + i))
    return vertices, faces
