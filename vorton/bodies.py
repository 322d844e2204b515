"""Bodies that vortons and tracers do not enter, and containers that they do not leave."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import _core
from .animation import (
    Animation,
    Transform,
    add_parent,
    animatable,
    parent_field,
    split,
    without_no_parent,
)
from .fields import (
    Definition,
    check_integer,
    check_one_of,
    check_vector,
    field,
    flag,
    number,
    shown,
)
from .shapes import SOLIDS, Mesh, Plane, Shape, Torus, mesh_volume

CONVEX = 1e-3
"""A mesh is convex whose volume differs from that of its hull by no more than this share."""

LEAST_PANELS, MOST_PANELS = 20, 2048
"""Fewest and most panels of a body."""

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


def _limited(unit: str, most: float) -> Any:
    return lambda name, value: check_vector(name, value, unit=unit, least=-most, most=most)


def _keyword(made: Any) -> Any:
    """The field, by keyword alone."""
    return dataclasses.field(default=made.default, metadata=made.metadata, kw_only=True)


def _vector(unit: str, text: str, most: float) -> Any:
    return field((0.0, 0.0, 0.0), _limited(unit, most), text, unit)


def _check_panels(name: str, value: Any) -> int:
    count = check_integer(name, value, least=0, most=MOST_PANELS)
    if 0 < count < LEAST_PANELS:
        raise ValueError(f"{name} = {shown(value)}: must be 0, or {LEAST_PANELS} to {MOST_PANELS}")
    return count


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
    restitution: float = _keyword(number(0.3, "", "speed kept in a contact", least=0, most=1))
    friction: float = _keyword(
        number(0.5, "", "force along a wall over that on it", least=0, most=100)
    )
    temperature: float | None = _keyword(
        number(None, "K", "at first", above=0, most=1e6, optional=True)
    )
    conductance: float | None = _keyword(
        number(None, "W/(m^2 K)", "of the surface", least=0, most=1e9, optional=True)
    )
    panels: int = _keyword(field(320, _check_panels, "source panels, 0: none"))

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
        data = without_no_parent(super().to_dict())
        if data.get("density") is None:  # the format from before bodies had mass
            for item in dataclasses.fields(self):
                if item.name in _RIGID and getattr(self, item.name) == item.default:
                    del data[item.name]
        for name in _HEAT:  # and from before they had heat
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

    def _heat(self) -> dict[str, Any]:
        """What says how it exchanges heat, as the core takes it."""
        values = {name: getattr(self, name, None) for name in _HEAT}
        return {name: value for name, value in values.items() if value is not None}

    def _rigid(self) -> dict[str, Any]:
        """What says how it moves, as the core takes it."""
        return {"restitution": self.restitution, "friction": self.friction}

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
            **self._rigid(),
            panels=self.panels,
            shedding=getattr(self, "shedding", 0.0),
            **self._heat(),
        )


_RIGID = ("restitution", "friction", "density", "held", "velocity", "angular_velocity")
_RIGID += ("damping", "force", "torque")
_HEAT = ("temperature", "conductance", "specific_heat")


@dataclasses.dataclass(frozen=True, eq=False)
class Body(BodyBase):
    """A solid that vortons and tracers do not enter.

    A particle that comes up against it stays on the side that it came from, however thin the body
    is and however fast either moves, and loses its velocity towards the wall. What is born inside
    is removed at once; so is what bodies that close in leave no room.

    Parameters
    ----------
    shape : Sphere, Box, Disk, Cylinder, Capsule, Plane, Polytope, Mesh or Torus, or several
        Several are one body, the union of them. A mesh must be closed, its faces looking outwards;
        one that is not convex is split into convex pieces by coacd, if that is installed.
    name : str
        For messages and `Simulation.bodies`, up to 63 bytes, another one for each body of a scene;
        default: its number.
    parent : Transform, optional
        The shapes lie in its space and move with it: `Transform(position=Keys(...))` moves the
        body, through the wall of a container, too: as a piston it pushes the fluid as far as it is
        inside, and a little through the wall when it comes near. The scale of it and of its parents
        must not change.
    density : number, kg/m^3, optional
        > 0 to 1e9: the body has mass, and moves by itself: under gravity, buoyancy, `force` and
        `torque`, what the flow gives it, `Simulation.apply_impulse`, and contact with other bodies
        and containers. The fluid that it has to set in motion makes it more inert (added mass). Its
        parent, if it has one, must not move. Default: none, it is fixed or moves with its parent.
    held : bool
        It keeps its place though it has mass, or goes where `Simulation.set_body` sends it; default
        False.
    velocity, angular_velocity : three numbers, m/s and rad/s
        Of its centre, and in the world, at first; within 1e6 and 1e5, default 0.
    restitution : number
        Speed after over speed before a contact with another body, 0 to 1, default 0.3: of two the
        larger one.
    friction : number
        Most force along the wall over force against it, 0 to 100, default 0.5: of two the geometric
        mean.
    damping : number, 1/s
        Rate at which its velocity relative to the scene's wind (in a container with panels to the
        container), and its spin, fade, 0 to 1e6, default 0: for what of the drag the flow that is
        simulated does not give.
    force, torque : three numbers, N and N m; animatable
        On its centre, in the world; default 0.
    panels : whole number
        About how many source panels keep the fluid from flowing through, 20 to 2048 (default 320);
        0: none, then particles stop at the wall but the flow does not know of the body. More follow
        the shape more closely; the time for the first frame grows with the third power. Those of a
        Plane alone lie where the vortons are, as far as half of the extent of these from it, and a
        few cells farther along it; it sheds nothing. Among several shapes a Plane has none. Within
        panels wider than some cells of the grid, as those of a floor, the flow is kept from a face
        cell by cell, as far as no other face is near: to 5 or 10 % of what the wall does where the
        body is thicker than vortices are far, in a floor half as thick to a third of it. A step has
        up to 8 substeps for what panels need: the flow about a body that goes farther than about
        its radius in a frame is coarse (contact holds at any speed); more frames a second resolve
        it.
    shedding : number, 1/s
        Fluid does not slip along the body: of the layer between its velocity and that of the wall
        this share per second goes into the flow, as vortons just above the panels; so smoke
        rolls up behind it, a ball that spins drives the fluid round, and the flow drags at it. The
        layer is as wide as a core: a body acts as if it were about half a core larger all round,
        which is too much for one that is only a few cores wide. 0 to 1e6, default 30; 0: the fluid
        slips, and no vortons are born.
    temperature : number, K, optional
        > 0 to 1e6: the body exchanges heat with the vortons no farther from it than a core, and
        neutral ones are kept around it (`Method.halo` cells wide; not around a Plane), so that warm
        air rises from it in an empty scene, too. Their cores are the smallest that the scene has;
        where it has none, 1.5 `Scene.spacing`, or without that a fifth of the cube root of the
        body's volume. Default: that of the ambient fluid where
        `specific_heat` is given, else it exchanges no heat.
    specific_heat : number, J/(kg K), optional
        >= 0 to 1e9, with `density`: the body cools and warms. Default: its temperature is held. Air
        has 1005, water 4182, a gas that burns what `Combustion` says.
    conductance : number, W/(m^2 K), optional
        Heat transfer coefficient of the surface, 0 to 1e9: the flow of heat is it x area x
        difference of the temperatures. Default: 25 in a gas, 500 in a liquid, as where fluid moves
        by its own buoyancy.

    Raises
    ------
    ValueError, TypeError
        Not a shape, a value out of range, what only a body with a density can have. What is wrong
        with a mesh, a source that lies inside the body as a whole, a place outside of a container
        where no keys lead in, or deep in another body with a density, `Simulation` says, with the
        name of the body.
        Shapes, keys and transforms are made before the body: theirs are the errors about them, and
        do not name it.

    Examples
    --------
    >>> from vorton.animation import Keys
    >>> from vorton.shapes import Box
    >>> swing = Transform(axis=(0, 1, 0), angle=Keys([(0, -40), (1, 40), (2, -40)], "smooth"))
    >>> Body(Box((-0.5, -0.5, -0.01), (0.5, 0.5, 0.01)), name="plate", parent=swing).name
    'plate'
    >>> Body(Box(), density=400, velocity=(1, 0, 0)).held
    False
    """

    density: float | None = _keyword(
        number(None, "kg/m^3", "it has mass", above=0, most=1e9, optional=True)
    )
    held: bool = _keyword(flag(False, "it keeps its place though it has mass"))
    velocity: Any = _keyword(_vector("m/s", "at first", 1e6))
    angular_velocity: Any = _keyword(_vector("rad/s", "at first", 1e5))
    damping: float = _keyword(number(0.0, "1/s", "rate of braking", least=0, most=1e6))
    force: Any = _keyword(animatable(_vector("N", "on its centre", 1e12)))
    shedding: float = _keyword(
        number(30.0, "1/s", "rate at which the layer that slips becomes vortons", least=0, most=1e6)
    )
    torque: Any = _keyword(animatable(_vector("N m", "in the world", 1e12)))
    specific_heat: float | None = _keyword(
        number(
            None, "J/(kg K)", "with density it warms and cools", least=0, most=1e9, optional=True
        )
    )

    def _check(self) -> None:
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
        parent = self.parent
        while parent is not None:
            animated = (parent.position, parent.rotation, parent.angle, parent.scale)
            if any(isinstance(value, Animation) for value in animated):
                text = "its parent moves; a body with mass moves by itself, or leave density out"
                raise ValueError(f"{what}: {text}")
            parent = parent.parent

    def _rigid(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in _RIGID if name != "density"}
        return split(**values, density=0.0 if self.density is None else self.density)


@dataclasses.dataclass(frozen=True, eq=False)
class Container(BodyBase):
    """Walls that vortons and tracers do not leave: a body inside out.

    What is born outside is removed at once: an emitter that juts out bears only inside. Particles
    go with a container that moves or turns. Where it jumps, at a key with interpolation "constant"
    or put elsewhere by `Simulation.set_body`, all that it holds goes with it as it is: particles,
    the flow, and bodies that move by themselves; keyed bodies go where their own keys say.

    Fluid in a container feels gravity less the acceleration of its centre (over a step: the change
    of its velocity over the time; jumps count as none), so that two fluids slosh in a box that
    moves, and no uniform wind. Both are so where the container has panels: without, the fluid does
    not go with it. Of several containers the smallest counts, for that and for jumps; a container
    of Planes alone takes nothing along.

    Parameters
    ----------
    shape : as of `Body`, or several
        Several are what they have in common. A mesh must be closed and convex: the walls of a
        concave room are bodies.
    name, parent, restitution, friction, conductance
        As of `Body`.
    panels : whole number
        As of `Body`: the fluid inside flows along the walls, without friction, instead of towards
        and through them, and goes with a container that moves. A container thinner than a panel is
        wide, and one of several Planes alone, have none; make those Planes bodies each.
    temperature : number, K, optional
        > 0 to 1e6, held: the walls exchange heat with the vortons beside them. Default: none, they
        do not.

    Examples
    --------
    >>> from vorton.shapes import Box
    >>> Container(Box((-2, -2, 0), (2, 2, 4)), name="room").name
    'room'
    """

    def _concave(self, data: dict[str, Any]) -> list[dict[str, Any]]:
        text = "a container must be; make the walls of a concave room bodies: Body([box, box, ...])"
        raise ValueError(f"{self._what()}: the mesh is not convex; {text}")


BODIES: tuple[type[BodyBase], ...] = (Body, Container)
