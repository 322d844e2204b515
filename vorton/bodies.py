"""Bodies that vortons and tracers do not enter, and containers that they do not leave."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import _core
from .animation import Transform, add_parent, parent_field, without_no_parent
from .fields import Definition, check_one_of, field, shown
from .shapes import SOLIDS, Mesh, Shape, Torus, mesh_volume

CONVEX = 1e-3
"""A mesh is convex whose volume differs from that of its hull by no more than this share."""

CONCAVITY = 0.05
"""Largest concavity of the pieces that coacd makes of a mesh (its `threshold`)."""


def _check_shape(name: str, value: Any) -> Shape | tuple[Shape, ...]:
    """A shape, or several; or the plain data of them."""
    if not isinstance(value, (list, tuple)):
        return check_one_of(name, value, SOLIDS, "a shape of a body")  # type: ignore[return-value]
    if not value:
        raise ValueError(f"{name} = {shown(value)}: must hold at least one shape")
    checked = [
        check_one_of(f"{name}[{i}]", v, SOLIDS, "a shape of a body") for i, v in enumerate(value)
    ]
    return tuple(checked)  # type: ignore[arg-type]


def _check_name(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} = {shown(value)}: must be a text")
    if len(value.encode()) > 63 or not value.isprintable():
        raise ValueError(f"{name} = {shown(value)}: must be printable and at most 63 bytes long")
    return value


def _hull_volume(vertices: np.ndarray) -> float:
    return _core.shape_volume(kind="polytope", vertices=vertices)


def _is_convex(shape: dict[str, Any]) -> bool:
    volume = mesh_volume(shape["vertices"], shape["faces"])
    return volume >= (1 - CONVEX) * _hull_volume(shape["vertices"])


def _decompose(shape: dict[str, Any], what: str) -> list[dict[str, Any]]:
    """Convex pieces of a concave mesh, through coacd."""
    try:
        import coacd
    except ModuleNotFoundError as error:
        text = "install coacd (pip install coacd), or give convex pieces: Body([piece, piece])"
        raise ModuleNotFoundError(f"{what}: the mesh is not convex; {text}") from error
    coacd.set_log_level("error")
    mesh = coacd.Mesh(shape["vertices"].astype(np.float64), shape["faces"])
    pieces = coacd.run_coacd(mesh, threshold=CONCAVITY, seed=0)
    return [{"kind": "polytope", "vertices": np.asarray(v, np.float32)} for v, _ in pieces]


@dataclasses.dataclass(frozen=True, eq=False)
class BodyBase(Definition):
    """What bodies and containers share."""

    shape: Any = field(dataclasses.MISSING, _check_shape, "one shape or several")  # noqa: RUF009
    name: str = field("", _check_name, "for messages and records")
    parent: Transform | None = parent_field("the shapes lie in its space and move with it")

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Its shapes, also where there is one."""
        return self.shape if isinstance(self.shape, tuple) else (self.shape,)

    def _what(self) -> str:
        return f"{type(self).__name__} {self.name!r}" if self.name else type(self).__name__

    def _pieces(self, shape: Shape) -> list[dict[str, Any]]:
        """Convex pieces of a shape, as the core takes them."""
        try:
            data = shape._core_shape()
        except ValueError as error:
            raise ValueError(f"{self._what()}: {error}") from error
        if not isinstance(shape, (Mesh, Torus)):
            return [data]
        try:
            convex = _is_convex(data)
        except ValueError as error:
            raise ValueError(f"{self._what()}: {error}") from error
        return [data] if convex else self._concave(data)

    def _concave(self, data: dict[str, Any]) -> list[dict[str, Any]]:
        return _decompose(data, self._what())

    def to_dict(self) -> dict[str, Any]:
        """Plain data, a transform inside."""
        return without_no_parent(super().to_dict())

    def _identity(self) -> dict[str, Any]:
        data = super()._identity()
        if isinstance(self.shape, tuple):
            data["shape"] = [shape._identity() for shape in self.shape]
        return data

    def _add_to(self, core: Any) -> None:
        """Add to a `_core.Simulation`."""
        core.add_body(
            shapes=[piece for shape in self.shapes for piece in self._pieces(shape)],
            name=self.name or None,
            hole=isinstance(self, Container),
            parent=add_parent(self.parent, core),
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Body(BodyBase):
    """A solid that vortons and tracers do not enter.

    A particle that comes up against it stays on the side that it came from, however thin the body
    is and however fast either moves, and loses its velocity towards the wall. What is born inside
    is removed at once; so is what bodies that close in leave no room.

    Parameters
    ----------
    shape : Sphere, Box, Disk, Cylinder, Capsule, Plane, Polytope, Mesh or Torus, or several
        Several are one body, the union of them. A mesh must be closed; one that is not convex is
        split into convex pieces by coacd, if that is installed.
    name : str
        For messages and `Simulation.bodies`, up to 63 bytes; default: its number.
    parent : Transform, optional
        The shapes lie in its space and move with it: `Transform(position=Keys(...))` moves the
        body. The scale of it and of its parents must not change.

    Raises
    ------
    ValueError, TypeError
        Not a shape. What is wrong with a mesh or with an emitter that lies inside the body,
        `Simulation` says, with the name of the body.

    Examples
    --------
    >>> from vorton.animation import Keys
    >>> from vorton.shapes import Box
    >>> swing = Transform(axis=(0, 1, 0), angle=Keys([(0, -40), (1, 40), (2, -40)], "smooth"))
    >>> Body(Box((-0.5, -0.5, -0.01), (0.5, 0.5, 0.01)), name="plate", parent=swing).name
    'plate'
    """


@dataclasses.dataclass(frozen=True, eq=False)
class Container(BodyBase):
    """Walls that vortons and tracers do not leave: a body inside out.

    What is born outside is removed at once: an emitter that juts out bears only inside. Particles
    go with a container that moves, turns or jumps.

    Parameters
    ----------
    shape : as of `Body`, or several
        Several are what they have in common. A mesh must be closed and convex.
    name, parent
        As of `Body`.

    Examples
    --------
    >>> from vorton.shapes import Box
    >>> Container(Box((-2, -2, 0), (2, 2, 4)), name="room").name
    'room'
    """

    def _concave(self, data: dict[str, Any]) -> list[dict[str, Any]]:
        raise ValueError(f"{self._what()}: the mesh is not convex; a container must be")


BODIES: tuple[type[BodyBase], ...] = (Body, Container)
