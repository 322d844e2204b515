"""Shapes made of triangles or of points: tori, meshes, polytopes."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np

from ..base.checks import check_digest, check_each_axis, check_path, check_unchanged
from ..definitions.fields import choice, field, number, vector
from .meshes import (
    box_around,
    check_faces,
    check_vertices,
    load_mesh,
    mesh_shape,
    mesh_volume,
    open_edges,
)
from .shape_base import Shape

WEDGES, WEDGE_SIDES = 24, 8
"""Of a torus that is a body. Wedges of 12 sides and more have more than the 40 triangles up to
which their panels lie on them (csrc/geometry/panel_mesh.c): then their ends would have some, too,
and the added mass of a slender ring is half as large again as it should be."""


@dataclasses.dataclass(frozen=True, eq=False)
class Torus(Shape):
    """A ring-shaped tube: what one dyes a vortex ring with.

    The core sees it as a closed mesh of 128 x 32 quadrilaterals; `volume` is that of the mesh,
    about 1 % below the exact one. As a body it is a chain of 24 wedges, eight-sided, with the exact
    volume to 0.05 %: its surface is up to 5.4 % of `thickness` and 1.16 % of `radius` off.
    """

    center: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "centre")
    axis: tuple[float, float, float] = vector((0.0, 0.0, 1.0), "", "axis", nonzero=True)
    radius: float = number(1.0, "m", "radius of the centreline", above=0)
    thickness: float = number(0.2, "m", "radius of the tube, less than the other", above=0)

    def _check(self) -> None:
        if self.thickness >= self.radius:
            raise ValueError(
                f"Torus.thickness = {self.thickness}: must be < radius = {self.radius} (m)"
            )

    def tessellate(self, around: int = 128, across: int = 32) -> tuple[np.ndarray, np.ndarray]:
        """Vertices ((around * across, 3) float32, m) and faces ((2 * ..., 3) int32), outward."""
        i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
        here, there = i * across, (i + 1) % around * across
        up = (j + 1) % across
        quads = np.stack([here + j, there + j, there + up, here + up], axis=-1).reshape(-1, 4)
        faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
        points = self._sections(self.radius, self.thickness, around, across)
        return points.reshape(-1, 3), faces.astype(np.int32)

    def _sections(self, radius: float, thickness: float, around: int, across: int) -> np.ndarray:
        """Polygons around a tube along its axis, (around, across, 3) float32, m."""
        z = np.array(self.axis) / np.linalg.norm(self.axis)
        x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
        x /= np.linalg.norm(x)
        y = np.cross(z, x)
        a = np.arange(around)[:, None, None] * (2 * math.pi / around)
        b = np.arange(across)[None, :, None] * (2 * math.pi / across)
        outward = np.cos(a) * x + np.sin(a) * y
        points = (radius + thickness * np.cos(b)) * outward
        points = np.array(self.center) + points + thickness * np.sin(b) * z
        return points.astype(np.float32)

    def _wedges(self) -> list[dict[str, Any]]:
        """Convex pieces side by side with the volume of the torus: fields of vt_shape.

        Those of a torus nearly as thick as its radius reach across the axis by a hair.
        """
        round_trip, turn = 2 * math.pi / WEDGES, 2 * math.pi / WEDGE_SIDES
        wider = round_trip / math.sin(round_trip)  # what a polygon lacks of the circle around it
        thickness = self.thickness * math.sqrt(turn / math.sin(turn))
        rings = self._sections(wider * self.radius, thickness, WEDGES, WEDGE_SIDES)
        return [
            {"kind": "polytope", "vertices": np.concatenate([rings[n - 1], rings[n]])}
            for n in range(WEDGES)
        ]

    def _core_shape(self) -> dict[str, Any]:
        return mesh_shape(*self.tessellate())

    def _grown(self, rim: float) -> dict[str, Any]:
        return box_around(self.tessellate()[0], rim)


# ---- meshes ----


@dataclasses.dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A mesh: a file (OBJ, STL, PLY, glTF; through trimesh) or arrays.

    Give `path`, or `vertices` and `faces`. A file is read when the Mesh is made. In a scene's JSON
    a file stands as its path, relative to the folder of the JSON file, with the SHA-256 of the
    vertices and faces that were read: loading such a scene fails when the mesh has changed
    (delete the "sha256" line to accept the new one). Arrays stand in the JSON as they are.

    A mesh where a volume is asked for must be closed: two faces at every edge, turned alike; and
    the faces of a closed one look outwards. One that is inside out is refused where it is used, as
    is one that is open.

    Parameters
    ----------
    scale : number or three numbers
        > 0, default 1: the file's unit in metres.
    up : "y" or "z", optional
        The file's up axis; y is turned to z. Default: y for glTF, as its standard says; z for all
        others, that is, coordinates as the file has them.

    Raises
    ------
    ValueError, TypeError
        Not finite, wrong shape or dtype, an index without a vertex, another digest.
    FileNotFoundError, ModuleNotFoundError
        No such file; trimesh is not installed.
    """

    path: str | None = field(
        None, lambda n, v: check_path(n, v, "mesh"), "mesh file", optional=True, form="str or path"
    )
    vertices: np.ndarray | None = field(
        None, check_vertices, "places of the vertices", "m", optional=True, form="(n, 3) numbers"
    )
    faces: np.ndarray | None = field(
        None, check_faces, "indices of vertices, counter-clockwise seen from outside",
        optional=True, form="(m, 3) whole numbers",
    )  # fmt: skip
    scale: float | tuple[float, float, float] = field(
        1.0, lambda n, v: check_each_axis(n, v, above=0), "unit of the file", "m"
    )
    translate: tuple[float, float, float] = vector(
        (0.0, 0.0, 0.0), "m", "added after scaling and turning"
    )
    up: str | None = choice(None, ("y", "z"), "up axis of the file", optional=True)
    sha256: str | None = field(
        None, check_digest, "expected digest of what the file holds", optional=True, form="str"
    )

    def _check(self) -> None:
        arrays = self.vertices is not None and self.faces is not None
        if (self.path is not None) == arrays or (self.vertices is None) != (self.faces is None):
            raise ValueError("Mesh: give either path, or both vertices and faces")
        if self.path is not None:
            self._read(Path(self.path))
        elif self.sha256 is not None:
            raise ValueError("Mesh.sha256: goes with path, not with vertices and faces")
        assert self.vertices is not None and self.faces is not None
        low, high = int(self.faces.min()), int(self.faces.max())
        if low < 0 or high >= len(self.vertices):
            bad = low if low < 0 else high
            text = f"must be an index of a vertex, 0 to {len(self.vertices) - 1}"
            raise ValueError(f"Mesh.faces: {bad} {text}")

    def _read(self, path: Path) -> None:
        vertices, faces = load_mesh(path)
        values: dict[str, Any] = {
            "vertices": check_vertices("Mesh.vertices", vertices),
            "faces": check_faces("Mesh.faces", faces),
            "sha256": hashlib.sha256(vertices.tobytes() + faces.tobytes()).hexdigest(),
            "up": self.up or ("y" if path.suffix.lower() in (".gltf", ".glb") else "z"),
        }
        check_unchanged(f"Mesh.path = {str(path)!r}: the mesh has", values["sha256"], self.sha256)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def placed(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices ((n, 3) float32, m) and faces ((m, 3) int32) in the scene."""
        assert self.vertices is not None and self.faces is not None
        points = self.vertices.astype(np.float64) * np.asarray(self.scale)
        if self.up == "y":
            points = np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)
        return (points + np.asarray(self.translate)).astype(np.float32), self.faces

    @property
    def closed(self) -> bool:
        """Whether the mesh bounds a volume."""
        assert self.faces is not None
        return open_edges(self.faces) == 0

    def _solid(self) -> tuple[np.ndarray, np.ndarray]:
        """As `placed`; ValueError for a mesh that is open or inside out."""
        assert self.faces is not None
        what, edges = f"Mesh {self.path or 'of arrays'}", open_edges(self.faces)
        if edges:
            raise ValueError(
                f"{what}: is open, {edges} edges lack a face on one side or join faces that are "
                "turned differently; a volume needs a closed mesh"
            )
        mesh = self.placed()
        volume = mesh_volume(*mesh)
        if volume < 0:
            placed = "scale=mesh.scale, translate=mesh.translate, up=mesh.up"
            rest = ", or turn them in the program that wrote the file" if self.path else ""
            raise ValueError(
                f"{what}: is inside out, its faces look inwards (volume {volume:g} m^3); turn "
                f"them: Mesh(vertices=mesh.vertices, faces=mesh.faces[:, ::-1], {placed}){rest}"
            )
        return mesh

    @property
    def volume(self) -> float:
        """Volume in m^3; ValueError for a mesh that is open or inside out."""
        return mesh_volume(*self._solid())

    def _core_shape(self) -> dict[str, Any]:
        return mesh_shape(*self._solid())

    def _surface_shape(self) -> dict[str, Any]:
        return self._core_shape() if self.closed else mesh_shape(*self.placed())

    def _grown(self, rim: float) -> dict[str, Any]:
        return box_around(self.placed()[0], rim)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; a mesh from a file without its arrays."""
        data = super().to_dict()
        for name in ("vertices", "faces") if self.path is not None else ("path", "sha256"):
            del data[name]
        return data

    def _identity(self) -> dict[str, Any]:
        data = self.to_dict()
        data.pop("path", None)
        return data


# ---- hulls ----


@dataclasses.dataclass(frozen=True, eq=False)
class Polytope(Shape):
    """The convex hull of points. For bodies."""

    points: np.ndarray = field(
        dataclasses.MISSING, check_vertices, "at least 4 that do not lie in one plane", "m",
        form="(n, 3) numbers",
    )  # fmt: skip

    def _check(self) -> None:
        try:
            _ = self.volume
        except ValueError as error:
            raise ValueError(f"Polytope.points: {error}") from error

    def _core_shape(self) -> dict[str, Any]:
        return {"kind": "polytope", "vertices": self.points}
