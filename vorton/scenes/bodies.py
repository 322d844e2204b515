"""Bodies that vortons and tracers do not enter, and containers that they do not leave."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .. import _core
from ..base.checks import names_of, shown
from ..base.extras import load_extra
from ..definitions.animation import split
from ..definitions.fields import Definition, field, one_of
from ..definitions.tables import Table, by_keyword
from ..definitions.transform import Transform, add_parent, parent_field
from ..geometry.deformation import Deformation
from ..geometry.meshes import mesh_volume
from ..geometry.shapes import SOLIDS, Mesh, Plane, Shape, Torus

CONVEX = 1e-3
"""A mesh is convex whose volume differs from that of its hull by no more than this share."""

CONCAVITY = 0.05
"""Largest concavity of the pieces that coacd makes of a mesh (its `threshold`)."""

OVERLAP = 2e-4
"""How far the faces of the pieces are moved outwards, over the size of the mesh. coacd shakes
vertices by 1e-4 of it, and leaves gaps of that width: fluid went through that of a thin bent plate
at 12 times the speed of the wind, and what its walls shed there blew up."""


_check_solid = one_of(SOLIDS, "a shape of a body")


def _check_shape(name: str, value: Any) -> Shape | tuple[Shape, ...]:
    """A shape, or several; or the plain data of them."""
    if not isinstance(value, (list, tuple)):
        return _check_solid(name, value)
    if not value:
        raise ValueError(f"{name} = {shown(value)}: must hold at least one shape")
    return tuple(_check_solid(f"{name}[{i}]", v) for i, v in enumerate(value))


def _check_name(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} = {shown(value)}: must be a text")
    if not value.isprintable() or len(value.encode()) > 63:
        raise ValueError(f"{name} = {shown(value)}: must be printable and at most 63 bytes long")
    return value


_BODY = Table("body")


def _hull_volume(vertices: np.ndarray) -> float:
    return _core.shape_volume(kind="polytope", vertices=vertices)


def _is_convex(shape: dict[str, Any]) -> bool:
    volume = mesh_volume(shape["vertices"], shape["faces"])
    return volume >= (1 - CONVEX) * _hull_volume(shape["vertices"])


def _decompose(shape: dict[str, Any], what: str) -> list[dict[str, Any]]:
    """Convex pieces of a concave mesh, through coacd."""
    text = "install coacd (pip install coacd), or give convex pieces: Body([piece, piece])"
    coacd = load_extra("coacd", f"{what}: the mesh is not convex; {text}")
    coacd.set_log_level("error")
    mesh = coacd.Mesh(shape["vertices"].astype(np.float64), shape["faces"])
    size = np.ptp(shape["vertices"], axis=0).max()
    pieces = coacd.run_coacd(mesh, CONCAVITY, seed=0)
    grown = [_grown(np.asarray(v), np.asarray(f), OVERLAP * size) for v, f in pieces]
    return [{"kind": "polytope", "vertices": v.astype(np.float32)} for v in grown]


def _grown(vertices: np.ndarray, faces: np.ndarray, distance: float) -> np.ndarray:
    """The vertices of a convex piece, each face of it `distance` or more farther out."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    way, least = np.zeros_like(vertices), np.ones(len(vertices))
    for k in range(3):
        np.add.at(way, faces[:, k], normal)
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-30)
    for k in range(3):
        np.minimum.at(least, faces[:, k], np.einsum("ij,ij->i", way[faces[:, k]], normal))
    return vertices + distance * way / np.maximum(least, 0.25)[:, None]


@dataclasses.dataclass(frozen=True, eq=False)
class BodyBase(Definition):
    """What bodies and containers share."""

    shape: Any = field(
        dataclasses.MISSING, _check_shape, "one or several", form=f"{names_of(SOLIDS)}, or several"
    )
    name: str = field("", _check_name, "for messages and records")
    parent: Transform | None = parent_field("the shapes lie in its space and move with it")
    restitution: float = by_keyword(_BODY("restitution"))
    friction: float = by_keyword(_BODY("friction"))
    temperature: float | None = by_keyword(_BODY("temperature"))
    conductance: float | None = by_keyword(_BODY("conductance"))
    panels: int = by_keyword(_BODY("panels"))

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Its shapes, also where there is one."""
        return self.shape if isinstance(self.shape, tuple) else (self.shape,)

    def _what(self) -> str:
        return f"{type(self).__name__} {self.name!r}" if self.name else type(self).__name__

    def _pieces(self, shape: Shape) -> list[dict[str, Any]]:
        """Convex pieces of a shape, as the core takes them."""
        if shape._moving():
            text = "a body is rigid: its numbers cannot change in time"
            raise TypeError(f"{self._what()}: {shown(shape)}: {text}")
        try:
            data = shape._core_shape()
            convex = not isinstance(shape, (Mesh, Torus)) or _is_convex(data)
        except ValueError as error:
            raise ValueError(f"{self._what()}: {error}") from error
        return [data] if convex else self._concave(shape, data)

    def _concave(self, shape: Shape, data: dict[str, Any]) -> list[dict[str, Any]]:
        if isinstance(shape, Torus):
            return shape._wedges()
        return _decompose(data, self._what())

    def to_dict(self) -> dict[str, Any]:
        """Plain data, a transform inside."""
        data = super().to_dict()
        if data.get("density") is None:  # the format from before bodies had mass
            for item in dataclasses.fields(self):
                if item.name in _RIGID and getattr(self, item.name) == item.default:
                    del data[item.name]
        for name in (*_HEAT, "deformation"):  # and from before they had heat, or a deformation
            if data.get(name, 0) is None:
                del data[name]
        return data

    def __post_init__(self) -> None:
        try:
            super().__post_init__()
        except (ValueError, TypeError) as error:
            name = getattr(self, "name", None)
            if not isinstance(name, str) or not name or repr(name) in str(error):
                raise
            raise type(error)(f"body {name!r}: {error}") from error

    def _identity(self) -> dict[str, Any]:
        data = super()._identity()
        if isinstance(self.shape, tuple):
            data["shape"] = [shape._identity() for shape in self.shape]
        return data

    def _add_to(self, core: Any) -> None:
        """Add to a `_core.Simulation`."""
        core.add(
            "body",
            shapes=[piece for shape in self.shapes for piece in self._pieces(shape)],
            name=self.name or None,
            hole=isinstance(self, Container),
            parent=add_parent(self.parent, core),
            **({"shedding": 0.0} | split(**_BODY.values(self))),
            **self._deformed(),
        )

    def _deformed(self) -> dict[str, Any]:
        """What the core takes of a deformation."""
        return {}

    def _filled_most(self) -> tuple[int, float]:
        """Where a single piece that deforms fills most, of some 32 frames, over the mesh."""
        return 0, 1.0


_RIGID = ("restitution", "friction", "density", "held", "velocity", "angular_velocity")
_RIGID += ("damping", "force", "torque")
_HEAT = ("temperature", "conductance", "specific_heat")


@dataclasses.dataclass(frozen=True, eq=False)
class Body(BodyBase):
    """A solid that vortons and tracers do not enter.

    A particle that comes up against it stays on the side that it came from, however thin the body
    is and however fast either moves, and loses its velocity towards the wall. What is born inside
    is removed at once; so is what bodies that close in leave no room.

    The drag of the flow that is simulated is there for the picture and no measure of the real one:
    a ball that is moved has the coefficient .3, .09 and .06 with 4, 6 and 8 cells a radius, real
    ones have .1 to .5. `damping` adds what is missing. With 3 or 4 cells the wake also pushes it to
    its sides, with a coefficient of about .8 and .5 (rms; real ones have less than .1), with 6 and
    more of .1 at most: with few cells a ball of a tenth of the fluid's density swings, and rises at
    a quarter of the speed.

    Bodies that lie against each other (with a gap of less than a fiftieth of the thickness of the
    thinner one), or in each other, and never move against each other, keep the fluid out together,
    as the shapes of one body do: through a closed cube of boards blow .04 to .06 of the wind around
    it, with 80 panels a board .11 to .22; through a room five times as long as wide .07 to .13 and
    .2 to .3: panels should be no wider than a fifth of a room, or a third of a duct. A step warns
    of wider ones, and says how many to give. One of two that touch has flat faces alone (`Box`,
    `Polytope`, a mesh), none has a `density` or was placed by `set_body`, and they may have up to
    2400 panels in all, if need be half of what each asks for. Of others that touch, or of more,
    each has its own, and some of the flow goes through where they meet (.2 to .6 of the wind around
    a closed room): make them shapes of one body, `Body([Box(...), Box(...)])`. So do bodies and a
    `Plane` that they stand on, or several at right angles, which need no board as a floor: in a hut
    of five boards of 120 to 320 panels are .10 to .15 of the wind, as with six. A wider gap holds
    as well as cells resolve it: of what a piston pushes, which moves in a duct, a half comes back
    along its sides where the gap is thinner than a cell.

    A step has up to 8 substeps for what panels need: the flow about a body that goes farther than
    about its radius in a frame is coarse (contact holds at any speed); more frames a second resolve
    it. What it sheds may take more, some five for each radius, and beyond 32 radii and 128 cores in
    a frame (or in 1/24 s of a longer step) the step is refused, unless `shedding=0`. Where bodies
    alone make vortons their panels set the cells of the grid, too (`Scene.spacing`). Of a plane,
    such as a floor, panels lie under the vortons, and it sheds nothing. Nor does a panel of another
    body, where it is wider than some cores, in a scene without wind whose bodies stand still: give
    more `panels`, if smoke is to roll up there. In a wind, or where bodies move, such a panel sheds
    as many vortons as it has parts of 16 square cores, up to 8191 in a body; of one that would have
    more the fluid slips, and a step warns. Its wake is as fine as the cells, and costs as much:
    wider cores make it cheaper, or `shedding=0`. Walls thinner than a core hold heavy or hot fluid
    for some seconds alone: give a crate or a tank thicker ones, or the fluid finer cores.

    Parameters
    ----------
    shape
        Several are one body, the union of them. A mesh must be closed, its faces looking outwards;
        one that is not convex is split into convex pieces by coacd, which must be installed for
        that. A Torus is made of convex wedges, without coacd.
    name : str
        For messages and `Simulation.bodies`, up to 63 bytes, another one for each body of a scene;
        default: its number.
    parent : Transform, optional
        The shapes lie in its space and move with it: `Transform(position=Keys(...))` moves the
        body, through the wall of a container, too: as a piston it pushes the fluid as far as it is
        inside, and a little through the wall when it comes near. The scale of it and of its parents
        must not change.
    deformation : Deformation, optional
        Its shape, one Mesh, is where the vertices are at rest, and goes with them; a density it
        cannot have. Each of the convex pieces that the mesh is split into at rest stays convex:
        give a pose in which joints are stretched. The panels are solved for again in each stage of
        a substep: 320 take some 40 ms. A wall that passes a particle by more than its own
        thickness in a substep may leave it behind. Default: none, the body is rigid.

    Raises
    ------
    ValueError, TypeError
        Not a shape, a value out of range, what only a body with a density can have, a deformation
        that does not fit the mesh. What is wrong
        with a mesh, a source that lies inside the body as a whole, a place outside of a container
        where no keys lead in, or deep in another body with a density, `Simulation` says, with the
        name of the body.
        Shapes, keys and transforms are made before the body: theirs are the errors about them, and
        do not name it.

    Examples
    --------
    >>> from vorton import Keys
    >>> from vorton import Box
    >>> swing = Transform(axis=(0, 1, 0), angle=Keys([(0, -40), (1, 40), (2, -40)], "smooth"))
    >>> Body(Box((-0.5, -0.5, -0.01), (0.5, 0.5, 0.01)), name="plate", parent=swing).name
    'plate'
    >>> Body(Box(), density=400, velocity=(1, 0, 0)).held
    False
    """

    density: float | None = by_keyword(_BODY("density"))
    held: bool = by_keyword(_BODY("held"))
    velocity: Any = by_keyword(_BODY("velocity"))
    angular_velocity: Any = by_keyword(_BODY("angular_velocity"))
    damping: float = by_keyword(_BODY("damping"))
    force: Any = by_keyword(_BODY("force"))
    shedding: float | None = by_keyword(_BODY("shedding"))
    torque: Any = by_keyword(_BODY("torque"))
    specific_heat: float | None = by_keyword(_BODY("specific_heat"))
    deformation: Deformation | None = by_keyword(
        field(
            None, one_of((Deformation,), "a deformation"), "where its vertices are", optional=True
        )
    )

    def _check_deformed(self, deformation: Deformation) -> None:
        what, mesh = f"{self._what()}.deformation", self.shape
        if not isinstance(mesh, Mesh):
            raise TypeError(f"{what}: goes with one Mesh, not with {shown(mesh)}")
        if self.density is not None:
            raise ValueError(f"{what}: a body that deforms has no density; leave it out")
        count, vertices = deformation.vertices.shape[1], len(mesh.placed()[0])
        if count != vertices:
            raise ValueError(
                f"{what}: has {count} vertices; must be as many as the mesh, {vertices}"
            )

    def _deformed(self) -> dict[str, Any]:
        if self.deformation is None:
            return {}
        vertices, faces = self.shape.placed()
        rows = self.deformation._core_rows()
        return {"mesh_vertices": vertices, "mesh_faces": faces, **rows}

    def _filled_most(self) -> tuple[int, float]:
        if self.deformation is None:
            return 0, 1.0
        faces, poses = self.shape.placed()[1], self.deformation.vertices
        looked = range(0, len(poses), len(poses) // 32 + 1)
        volumes = {n: abs(mesh_volume(poses[n], faces)) for n in looked}
        try:
            if not _is_convex(self.shape._core_shape()):
                return 0, 1.0
            shares = {n: _hull_volume(poses[n]) / volumes[n] for n in looked if volumes[n] > 0}
        except ValueError:  # the core refuses what is flat or open, with the body's name
            return 0, 1.0
        frame = max(shares, key=shares.__getitem__, default=0)
        return frame, shares.get(frame, 1.0)

    def _check(self) -> None:
        if self.deformation is not None:
            self._check_deformed(self.deformation)
        if self.density is not None:
            return self._check_massive()
        for name in (*_RIGID[3:], "specific_heat"):
            value, default = getattr(self, name), type(self).__dataclass_fields__[name].default
            if value != default:
                text = "a body without density has no mass; give density=... (kg/m^3)"
                raise ValueError(f"{self._what()}.{name} = {shown(value)}: {text}")
        return None

    def _check_massive(self) -> None:
        what = f"{self._what()}.density = {self.density:g}"
        if any(isinstance(shape, Plane) for shape in self.shapes):
            raise ValueError(
                f"{what}: a Plane has no size, so a body of it has no mass; leave it out"
            )
        if self.parent is not None and self.parent.is_animated():
            text = "its parent moves; a body with mass moves by itself, or leave density out"
            raise ValueError(f"{what}: {text}")


@dataclasses.dataclass(frozen=True, eq=False)
class Container(BodyBase):
    """Walls that vortons and tracers do not leave: a body inside out, a room or a tank.

    What is born outside is removed at once. The fluid goes with a container that moves or turns,
    and two fluids slosh in it. Fluid that fires or warm bodies heat cannot expand in a closed one:
    that needs `Method(expansion=0)`. Where it jumps (a key with interpolation "constant", or
    `Simulation.set_body`), all that it holds goes along, bodies that move by themselves too.

    Notes
    -----
    Cheapest is one box along the axes that does not turn, with no body in it: its walls are faces
    of the grid, if its sides are even numbers of cells near the scene's spacing, without prime
    factors above 5 (3 x 3 x 2 m: 48, 48 and 32 cells of 1/16 m), and the grid of the whole box has
    at most half a million nodes, or four times those that its flow needs. Others, and all with a
    `WindGrid`, `Method.halo` 0 or another `Method.poisson` or `Method.walls`, have panels: a frame
    takes up to ten times as long.

    In a container with panels fluid feels gravity less the acceleration of the container's centre,
    and no uniform wind. Of several containers the smallest counts.

    Parameters
    ----------
    shape : as of `Body`, or several
        Several are what they have in common. A mesh must be closed and convex: the walls of a
        concave room are bodies.
    name, parent, restitution, friction
        As of `Body`.
    temperature : number, K, optional
        > 0 to 1e6, held: the walls exchange heat with the vortons beside them. Default: none, they
        do not.
    conductance : number, optional
        As of `Body`.
    panels : whole number
        As of `Body`: the fluid flows along the walls, without friction. 0: the flow does not know
        of them. A container of Planes alone cannot have any, and is refused: make each Plane a
        body, with the normal towards the fluid.

    Examples
    --------
    >>> from vorton import Box
    >>> Container(Box((-2, -2, 0), (2, 2, 4)), name="room").name
    'room'
    """

    def _concave(self, shape: Shape, data: dict[str, Any]) -> list[dict[str, Any]]:
        text = "a container must be; make the walls of a concave room bodies: Body([box, box, ...])"
        raise ValueError(f"{self._what()}: the mesh is not convex; {text}")


BODIES: tuple[type[BodyBase], ...] = (Body, Container)
