"""Shapes: where tracers are born, and what bodies are made of. SI units, Z up.

A shape is immutable plain data. `volume` is in m^3; `_core_shape` gives the fields of `vt_shape`
(csrc/include/vorton.h), from which the core samples.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from .animation import Animation, animatable, largest, mapped, value_at
from .fields import (
    Definition,
    check_digest,
    check_each_axis,
    check_one_of,
    check_path,
    check_unchanged,
    choice,
    field,
    number,
    shown,
    vector,
)
from .meshes import (
    box_around,
    check_faces,
    check_vertices,
    load_mesh,
    mesh_shape,
    mesh_volume,
    open_edges,
)


@dataclasses.dataclass(frozen=True, eq=False)
class Shape(Definition):
    """Base of all shapes."""

    @property
    def volume(self) -> float:
        """Volume in m^3, infinite of a plane; where the numbers change in time, the largest."""
        return _core.shape_volume(**self._core_shape())

    def _core_shape(self) -> dict[str, Any]:
        """Fields of vt_shape; `kind` by its name in lower case."""
        raise NotImplementedError

    def _surface_shape(self) -> dict[str, Any]:
        """The same where its surface alone matters, which may be open."""
        return self._core_shape()

    def _span(self) -> tuple[np.ndarray, np.ndarray]:
        """Opposite corners of a box around it at its largest, m."""
        data = self._surface_shape()
        if "vertices" in data:
            return np.min(data["vertices"], axis=0), np.max(data["vertices"], axis=0)
        radius, half = data.get("radius", 0.0), 0.5 * np.array(data.get("size", (0.0, 0.0, 0.0)))
        if "axis" in data:  # a slab
            normal = np.abs(data["axis"]) / np.linalg.norm(data["axis"])
            half = radius * np.sqrt(np.maximum(0.0, 1 - normal**2)) + half[2] * normal
            half += radius * normal * (data["kind"] == "capsule")
        elif "radius" in data:
            half = np.full(3, radius)
        return data["center"] - half, data["center"] + half

    def _grown(self, rim: float) -> dict[str, Any]:
        """Fields of vt_shape for the body with a rim of that width around it, m."""
        own = self._core_shape()
        return own | {key: _widened(own[key], rim) for key in ("radius", "size") if key in own}

    def _moving(self) -> dict[str, Animation]:
        """Which fields of vt_shape, `radius` or `size`, change in time; `_core_shape` has the
        largest.
        """
        return {}

    def _animations(self, name: str = "shape") -> dict[str, Animation]:
        """The same by the names that the core gives them."""
        return {f"{name}.{key}": value for key, value in self._moving().items()}

    def _animations_around(self, rim: Any) -> dict[str, Animation]:
        """Those of the body with a rim of a width that may change, too."""
        if not self._moving() and not isinstance(rim, Animation):
            return {}
        values = {k: v for k, v in self._grown(0.0).items() if k in ("radius", "size")}
        grown = {
            f"around.{key}": mapped(_widened, self._moving().get(key, value), rim)
            for key, value in values.items()
        }
        return {key: value for key, value in grown.items() if isinstance(value, Animation)}

    def _at(self, time: float) -> Any:
        """The shape as it is at a time, s."""
        if not self._moving():
            return self
        names = [item.name for item in dataclasses.fields(self)]
        return type(self)(**{name: value_at(getattr(self, name), time) for name in names})


def refuse_moving(name: str, shape: Shape, what: str) -> None:
    """Raise TypeError for a shape whose numbers change in time."""
    if shape._moving():
        text = f"the numbers of {what} cannot change in time; a moving parent can scale it"
        raise TypeError(f"{name} = {shown(shape)}: {text}")


def _widened(length: Any, rim: float) -> Any:
    """A radius, or the edges of a box, with a rim around."""
    if isinstance(length, tuple):
        return tuple(edge + 2 * rim for edge in length)
    return length + rim


def _length(default: float, text: str) -> Any:
    """Field for a length, m, > 0, that may change in time."""
    return animatable(number(default, "m", text, above=0), keys=number(default, "m", text, least=0))


def _thick(thickness: float) -> tuple[float, float, float]:
    """`size` of a disk."""
    return 1.0, 1.0, thickness


def _only_moving(**values: Any) -> dict[str, Animation]:
    return {key: value for key, value in values.items() if isinstance(value, Animation)}


@dataclasses.dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> Sphere((0, 0, 0.2), radius=0.25).radius
    0.25
    """

    center: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "centre")
    radius: Any = _length(1.0, "radius, constant of a body")

    def _core_shape(self) -> dict[str, Any]:
        return {"kind": "sphere", "center": self.center, "radius": largest(self.radius)}

    def _moving(self) -> dict[str, Animation]:
        return _only_moving(radius=self.radius)


@dataclasses.dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box with edges along x, y and z.

    Parameters
    ----------
    {parameters}
    """

    lower: tuple[float, float, float] = vector(
        (-0.5, -0.5, -0.5), "m", "corner below the other along each axis"
    )
    upper: tuple[float, float, float] = vector((0.5, 0.5, 0.5), "m", "opposite corner, above it")

    def _check(self) -> None:
        if not all(a < b for a, b in zip(self.lower, self.upper, strict=True)):
            raise ValueError(
                f"Box.upper = {self.upper}: must be greater than lower = {self.lower} along x, y, z"
            )

    @property
    def size(self) -> tuple[float, float, float]:
        """Edge lengths in m."""
        x, y, z = (b - a for a, b in zip(self.lower, self.upper, strict=True))
        return x, y, z

    def _core_shape(self) -> dict[str, Any]:
        center = tuple((a + b) / 2 for a, b in zip(self.lower, self.upper, strict=True))
        return {"kind": "box", "center": center, "size": self.size}


@dataclasses.dataclass(frozen=True, eq=False)
class Disk(Shape):
    """A flat round slab, centred on `center`.

    Parameters
    ----------
    {parameters}
    """

    center: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "centre")
    radius: Any = _length(1.0, "radius, constant of a body")
    axis: tuple[float, float, float] = vector(
        (0.0, 0.0, 1.0), "", "normal of the slab", nonzero=True
    )
    thickness: Any = _length(0.1, "thickness, constant of a body")

    def _core_shape(self) -> dict[str, Any]:
        return {
            "kind": "disk",
            "center": self.center,
            "axis": self.axis,
            "radius": largest(self.radius),
            "size": _thick(largest(self.thickness)),
        }

    def _moving(self) -> dict[str, Animation]:
        return _only_moving(radius=self.radius, size=mapped(_thick, self.thickness))


@dataclasses.dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """A solid cylinder, centred on `center`: a `Disk` of any length.

    Parameters
    ----------
    {parameters}
    """

    center: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "centre")
    radius: Any = _length(1.0, "radius, constant of a body")
    length: Any = _length(1.0, "length, constant of a body")
    axis: tuple[float, float, float] = vector((0.0, 0.0, 1.0), "", "axis", nonzero=True)

    def _disk(self) -> Disk:
        return Disk(self.center, self.radius, self.axis, self.length)

    def _core_shape(self) -> dict[str, Any]:
        return self._disk()._core_shape()

    def _moving(self) -> dict[str, Animation]:
        return self._disk()._moving()


@dataclasses.dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """All points nearer than `radius` to the straight line from `start` to `end`. For bodies.

    Parameters
    ----------
    {parameters}
    """

    start: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "middle of one round end")
    end: tuple[float, float, float] = vector(
        (0.0, 0.0, 1.0), "m", "middle of the other end, not the same"
    )
    radius: float = number(0.1, "m", "radius", above=0)

    def _check(self) -> None:
        if self.start == self.end:
            raise ValueError(f"Capsule.end = {self.end}: must differ from start")

    def _core_shape(self) -> dict[str, Any]:
        ends = list(zip(self.start, self.end, strict=True))
        return {
            "kind": "capsule",
            "center": tuple((a + b) / 2 for a, b in ends),
            "axis": tuple(b - a for a, b in ends),
            "radius": self.radius,
            "size": (1.0, 1.0, math.dist(self.start, self.end)),
        }


@dataclasses.dataclass(frozen=True, eq=False)
class Plane(Shape):
    """Half of space: all that lies behind a plane. For bodies: a floor, a wall, a ceiling.

    Parameters
    ----------
    {parameters}
    """

    point: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "any point of the plane")
    normal: tuple[float, float, float] = vector(
        (0.0, 0.0, 1.0), "", "away from the solid half; by default that of a floor", nonzero=True
    )

    def _core_shape(self) -> dict[str, Any]:
        return {"kind": "plane", "center": self.point, "axis": self.normal}


WEDGES, WEDGE_SIDES = 24, 8
"""Of a torus that is a body. Wedges of 12 sides and more have more than the 40 triangles up to
which their panels lie on them (csrc/geometry/panel_mesh.c): then their ends would have some, too,
and the added mass of a slender ring is half as large again as it should be."""


@dataclasses.dataclass(frozen=True, eq=False)
class Torus(Shape):
    """A ring-shaped tube: what one dyes a vortex ring with.

    The core sees it as a closed mesh of 128 x 32 quadrilaterals; `volume` is that of the mesh,
    about 1 % below the exact one. As a body it is a chain of 24 wedges, eight-sided, with the exact
    volume to 0.05 %: its surface is up to 5.4 % of `thickness` and 1.16 % of `radius` off. With
    panels `radius` must be at most some 65 times `thickness`, whose 3456 panels take a minute:
    thinner rings have `Body(panels=0)`.

    Parameters
    ----------
    {parameters}
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
    {parameters}
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
    vertices: np.ndarray | None = field(  # noqa: RUF009
        None, check_vertices, "places of the vertices", "m", optional=True, form="(n, 3) numbers"
    )
    faces: np.ndarray | None = field(  # noqa: RUF009
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
    """The convex hull of points. For bodies.

    Parameters
    ----------
    {parameters}
    """

    points: np.ndarray = field(  # noqa: RUF009
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


# ---- surfaces ----


def check_body(name: str, value: Any) -> Shape:
    """A shape that has an inside, or the plain data of one."""
    return check_one_of(name, value, BODIES, "a body")  # type: ignore[return-value]


@dataclasses.dataclass(frozen=True, eq=False)
class Surface(Shape):
    """A layer on the surface of a body: smoke that comes off its skin. `volume` is its area times
    its thickness.

    Births are spread evenly over the surface (a disk's is that of the whole slab) and over the
    layer's thickness.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> round(Surface(Sphere(radius=1), thickness=0.01).volume, 4)
    0.1257
    """

    shape: Shape = field(  # noqa: RUF009
        dataclasses.MISSING, check_body, "the body; a mesh may be open",
        form="Sphere, Box, Disk, Cylinder, Torus or Mesh",
    )  # fmt: skip
    thickness: float = number(dataclasses.MISSING, "m", "of the layer", above=0)  # type: ignore[arg-type]  # noqa: RUF009
    offset: float = number(0.0, "m", "from the surface to the middle of the layer, outward")

    def _check(self) -> None:
        refuse_moving("Surface.shape", self.shape, "the body of a layer")

    def _core_shape(self) -> dict[str, Any]:
        return {**self.shape._surface_shape(), "layer": self.thickness, "offset": self.offset}


BODIES: tuple[type[Shape], ...] = (Sphere, Box, Disk, Cylinder, Torus, Mesh)
SHAPES: tuple[type[Shape], ...] = (*BODIES, Surface)
SOLIDS: tuple[type[Shape], ...] = (*BODIES, Capsule, Plane, Polytope)


def check_shape(name: str, value: Any) -> Shape:
    """A shape, or the plain data of one."""
    return check_one_of(name, value, SHAPES, "a shape")  # type: ignore[return-value]


def check_filled(name: str, value: Any) -> Shape:
    """A shape that fills its inside, which a Surface does not; or the plain data of one."""
    return check_one_of(name, value, BODIES, "a filled shape")  # type: ignore[return-value]
