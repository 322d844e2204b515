"""Vertices and faces: meshes from files, their volume, whether they are closed, their checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..base.checks import check_array
from ..base.extras import load_extra

MESH_FORMATS = (".obj", ".stl", ".ply", ".gltf", ".glb")


def mesh_shape(vertices: np.ndarray, faces: np.ndarray) -> dict[str, Any]:
    """Fields of vt_shape."""
    return {"kind": "mesh", "vertices": vertices, "faces": faces}


def box_around(vertices: np.ndarray, rim: float) -> dict[str, Any]:
    """The box around a mesh, wider by the rim: fields of vt_shape."""
    lower, upper = (np.asarray(f(vertices, axis=0), float) for f in (np.min, np.max))
    center = tuple((0.5 * (lower + upper)).tolist())
    return {"kind": "box", "center": center, "size": tuple((upper - lower + 2 * rim).tolist())}


def mesh_volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Signed volume (m^3) of a closed mesh: > 0 where the faces look outward."""
    corners = vertices.astype(np.float64)
    corners = corners - corners.mean(axis=0)
    a, b, c = (corners[faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def open_edges(faces: np.ndarray) -> int:
    """Edges that do not have exactly one face on each side, looking the same way; 0: closed."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).astype(np.int64)
    count = int(faces.max()) + 1 if faces.size else 1
    there, uses = np.unique(edges[:, 0] * count + edges[:, 1], return_counts=True)
    back = np.unique(edges[:, 1] * count + edges[:, 0])
    return int(np.setxor1d(there, back).size + (uses > 1).sum())


def load_mesh(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices ((n, 3) float32) and faces ((m, 3) int32) of a mesh file, through trimesh.

    All parts of the file become one mesh, placed as the file says; vertices that differ in their
    normals or texture coordinates alone are joined.

    Raises
    ------
    ModuleNotFoundError
        trimesh is not installed.
    FileNotFoundError, ValueError
        No such file; a format that is not supported; a file without faces.
    """
    if path.suffix.lower() not in MESH_FORMATS:
        known = ", ".join(MESH_FORMATS)
        raise ValueError(f"Mesh.path = {str(path)!r}: the format must be one of {known}")
    if not path.is_file():
        raise FileNotFoundError(f"Mesh.path = {str(path)!r}: no such file")
    text = 'reading mesh files needs trimesh: pip install "vorton[all]" or pip install trimesh'
    trimesh = load_extra("trimesh", text)
    try:
        mesh = trimesh.load_mesh(str(path))
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
        vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    except Exception as error:  # trimesh raises whatever its parsers raise
        raise ValueError(f"Mesh.path = {str(path)!r}: cannot be read as a mesh: {error}") from error
    degenerate = (faces == np.roll(faces, 1, axis=1)).any(axis=1) if faces.size else []
    faces = np.delete(faces, np.flatnonzero(degenerate), axis=0)
    if not faces.size:
        raise ValueError(f"Mesh.path = {str(path)!r}: the file holds no faces")
    return vertices.astype(np.float32), faces.astype(np.int32)


def check_rows(name: str, value: Any, kinds: str, dtype: type, what: str) -> np.ndarray:
    """The value as a read-only array of shape (n, 3) in its own memory."""
    array = check_array(name, value, kinds, what)
    if array.ndim != 2 or array.shape[1] != 3 or not len(array):
        raise ValueError(f"{name} of shape {array.shape}: must be {what}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise ValueError(f"{name}[{row}] = {array[row].tolist()}: must be finite")
    if array.dtype.kind in "iu" and int(array.max()) > np.iinfo(np.int32).max:
        raise ValueError(f"{name}: {int(array.max())} must be at most {np.iinfo(np.int32).max}")
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, dtype=dtype)
    array.setflags(write=False)
    return array


def check_vertices(name: str, value: Any) -> np.ndarray:
    """Vertices as float32, (n, 3)."""
    what = "finite numbers of shape (n, 3), m"
    vertices = check_rows(name, value, "fiu", np.float32, what)
    if not np.isfinite(vertices).all():
        raise ValueError(f"{name}: {what}; some are too large for float32")
    return vertices


def check_faces(name: str, value: Any) -> np.ndarray:
    """Faces as int32, (m, 3)."""
    return check_rows(name, value, "iu", np.int32, "whole numbers (vertex indices) of shape (m, 3)")
