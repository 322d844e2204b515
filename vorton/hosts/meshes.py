"""Shapes from meshes: a ball, a box, a cylinder or a torus where a mesh is one, else the mesh."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..geometry.meshes import mesh_volume
from ..geometry.meshes import open_edges as count_open_edges
from ..geometry.shapes import Box, Cylinder, Disk, Mesh, Plane, Shape, Sphere, Surface, Torus
from .poses import short

CLOSE = 1e-4
"""How far vertices may be off a ball, cylinder or torus, in its size."""

LEAST_ROUND = 12
"""Vertices around something round: with fewer a mesh is meant to have edges."""

FULL = 0.85
"""Volume of a mesh over that of what its vertices lie on: below it something else is meant."""


def shape_of(vertices: np.ndarray, faces: np.ndarray) -> Shape:
    """The shape that a mesh stands for.

    Parameters
    ----------
    vertices : (n, 3) float, m
    faces : (m, 3) int
        Triangles, counter-clockwise seen from outside.

    Returns
    -------
    Box, Sphere, Disk, Cylinder, Torus or Mesh
        A box only with edges along x, y and z; what is round only about z, a cylinder that is
        wider than long as a disk. A mesh that is open, or anything else, is a Mesh. Vertices at
        one place are one where that closes it.
    """
    rows, faces = _welded(vertices[None], faces)
    vertices = vertices[rows]
    if len(faces) and count_open_edges(faces) == 0:
        lower, upper = vertices.min(axis=0), vertices.max(axis=0)
        center, size = (lower + upper) / 2, upper - lower
        volume, points = abs(mesh_volume(vertices, faces)), vertices - center
        for make in (_box, _sphere, _cylinder, _torus):
            shape = make(points, size, center)
            if shape is not None and FULL * shape.volume <= volume <= 1.001 * shape.volume:
                return shape
    return Mesh(vertices=vertices.astype(np.float32), faces=faces.astype(np.int32))


def _welded(frames: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which vertices stay, and the faces of these: of a mesh whose parts have vertices of their own
    where they meet in all of its frames (n, vertices, 3), as those of texts and curves do, one for
    each place; of any other mesh all.
    """
    whole = np.arange(frames.shape[1])
    if not len(faces) or count_open_edges(faces) == 0:
        return whole, faces
    places = frames.astype(np.float32) + np.float32(0)  # -0 is 0
    places = places.swapaxes(0, 1).reshape(len(whole), -1)
    _, first, number = np.unique(places, axis=0, return_index=True, return_inverse=True)
    joined = number.reshape(-1)[faces]
    joined = joined[(joined != np.roll(joined, 1, axis=1)).all(axis=1)]
    if not len(joined) or count_open_edges(joined):
        return whole, faces
    return first, joined


def _numbers(values: Any) -> tuple[float, ...]:
    """Free of the noise that float32 leaves."""
    clean = np.where(np.abs(values) < CLOSE * 1e-2, 0.0, values)
    return tuple(short(float(f"{value:.6g}")) for value in clean)


def _box(points: np.ndarray, size: np.ndarray, center: np.ndarray) -> Shape | None:
    if len(points) != 8 or np.abs(np.abs(points) - size / 2).max() > CLOSE * size.max():
        return None
    return Box(_numbers(center - size / 2), _numbers(center + size / 2))


def _sphere(points: np.ndarray, size: np.ndarray, center: np.ndarray) -> Shape | None:
    away = np.linalg.norm(points, axis=1)
    if len(points) < 2 * LEAST_ROUND or np.ptp(away) > CLOSE * size.max():
        return None
    return Sphere(_numbers(center), _numbers([away.max()])[0])


def _cylinder(points: np.ndarray, size: np.ndarray, center: np.ndarray) -> Shape | None:
    away = np.hypot(points[:, 0], points[:, 1])
    rim = away > CLOSE * size.max()  # caps may have a vertex in their middle
    ends = np.abs(np.abs(points[:, 2]) - size[2] / 2).max() <= CLOSE * size.max()
    if not ends or rim.sum() < 2 * LEAST_ROUND or np.ptp(away[rim]) > CLOSE * size.max():
        return None
    radius, length = _numbers([away.max(), size[2]])
    if length < 2 * radius:
        return Disk(_numbers(center), radius, thickness=length)
    return Cylinder(_numbers(center), radius, length)


def _torus(points: np.ndarray, size: np.ndarray, center: np.ndarray) -> Shape | None:
    thickness = size[2] / 2
    around = np.hypot(points[:, 0], points[:, 1])
    radius = around.max() - thickness
    if radius <= thickness or len(points) < LEAST_ROUND**2:
        return None
    off = np.hypot(around - radius, points[:, 2]) - thickness
    if np.abs(off).max() > CLOSE * size.max():
        return None
    radius, thickness = _numbers([radius, thickness])
    return Torus(_numbers(center), radius=radius, thickness=thickness)


def is_flat(vertices: np.ndarray) -> bool:
    """Whether a mesh lies in a plane."""
    points = vertices - vertices.mean(axis=0)
    across = np.linalg.eigh(points.T @ points)[1][:, 0]  # the direction of its least extent
    return np.ptp(points @ across) <= CLOSE * np.ptp(points, axis=0).max()


def inside(vertices: np.ndarray, faces: np.ndarray, remedy: str = "") -> Shape:
    """The inside of a mesh.

    Parameters
    ----------
    remedy : str
        What else than closing it helps, for the message.

    Raises
    ------
    ValueError
        A mesh without faces, or one that is open.
    """
    if not len(faces):
        raise ValueError("its mesh has no faces")
    shape = shape_of(vertices, faces)
    if isinstance(shape, Mesh) and not shape.closed:
        raise ValueError(f"its mesh is open: close it{remedy}")
    return shape


def filled(vertices: np.ndarray, faces: np.ndarray, skin: tuple[float, float] | None) -> Shape:
    """What fluid or smoke is born in: the inside of a mesh, or a layer on it.

    Parameters
    ----------
    skin : (thickness, offset) or None, m
        Of the layer.

    Raises
    ------
    ValueError
        A mesh without faces; one that is open, without a layer.
    """
    if skin is None:
        return inside(vertices, faces, ", or turn on Skin")
    if not len(faces):
        raise ValueError("its mesh has no faces")
    return Surface(shape_of(vertices, faces), *skin)


def solid(vertices: np.ndarray, faces: np.ndarray) -> Shape:
    """What a body is: a flat mesh is a floor, wall or ceiling without end."""
    if not len(faces):
        raise ValueError("its mesh has no faces")
    if is_flat(vertices):
        first, *others = (vertices[faces[:, corner]] for corner in range(3))
        normals = np.cross(*(other - first for other in others))
        sizes = np.linalg.norm(normals, axis=1)
        largest = int(sizes.argmax())
        normal = normals[largest] / (sizes[largest] or 1.0)
        return Plane(_numbers(vertices.mean(axis=0)), _numbers(normal))
    shape = shape_of(vertices, faces)
    return _checked(shape) if isinstance(shape, Mesh) else shape


def deforming(frames: np.ndarray, faces: np.ndarray) -> tuple[Mesh, np.ndarray]:
    """The mesh of a body at the first of some frames (n, vertices, 3), and the float32 positions
    of its vertices in all of them; ValueError where it is open."""
    rows, faces = _welded(frames, faces)
    kept = frames[:, rows].astype(np.float32)
    return _checked(Mesh(vertices=kept[0], faces=faces.astype(np.int32))), kept


def _checked(mesh: Mesh) -> Mesh:
    if not mesh.closed:
        raise ValueError("its mesh is open: a body must be closed, or flat for a floor or wall")
    return mesh
