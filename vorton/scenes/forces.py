"""Force fields, which act on the fluid or on tracers alone."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..base.checks import Vector, counted
from ..definitions.animation import split
from ..definitions.tables import Table
from ..definitions.transform import Transform, add_parent, parent_field
from ..geometry.shapes import Shape
from ..sources.points import vectors_field
from .effects import (
    Effect,
    Kill,
    OnNodes,
    Wind,
    WindGrid,
    check_spacing,
    check_values,
    core_growth,
    core_shape,
    digest_field,
    path_field,
    shape_field,
    values_field,
)

_FORCE = Table("force")

_INSIDE = "acts inside alone; default everywhere, on the fluid wherever there are vortons"
_ON = {"default": "fluid", "doc": "what moves: the fluid, or tracers alone, which get a velocity"}
_TIME = {"doc": "on the fluid: within which the velocity is approached, to 1/e"}


def _add_force(kind: str, item: Any, core: Any, **values: Any) -> None:
    core.add(
        "force",
        kind=kind,
        shape=core_shape(item.shape),
        parent=add_parent(item.parent, core),
        **split(**(_FORCE.values(item) | core_growth(item.shape) | values)),
    )


@dataclasses.dataclass(frozen=True, eq=False)
class UniformForce(Effect):
    """Accelerates the fluid along one direction: a fan, a jet, an updraft, gusts.

    An acceleration f (m/s^2), which makes vorticity: d omega/dt = curl f. So it acts where it
    begins and ends: give it a `shape`, for the same acceleration everywhere moves all fluid alike
    (that is a `Wind`). Inside the shape the fluid gets what vortons it needs (`Method.halo`), and
    gains the momentum density x volume x acceleration each second.

    Raises
    ------
    ValueError
        Also as a simulation runs, with a `Method.velocity` other than "poisson".

    Examples
    --------
    >>> from vorton import Disk
    >>> UniformForce((1, 0, 0), strength=20.0, shape=Disk(axis=(1, 0, 0), radius=0.3)).falloff
    0.5
    """

    direction: Any = _FORCE("axis", doc="where it pushes to")
    strength: Any = _FORCE("strength", unit="m/s^2", doc="acceleration; negative pushes back")
    shape: Shape | None = shape_field(
        "acts inside alone; default everywhere, where it moves nothing"
    )
    falloff: float = _FORCE("falloff")
    gusts: float = _FORCE("gusts")
    time: float = _FORCE("time", default=0.5, doc="within which gusts change")
    seed: int = _FORCE("seed", doc="key of the gusts")
    parent: Transform | None = parent_field(
        "shape and direction lie in its space; the strength stays"
    )

    def _add_to(self, core: Any) -> None:
        _add_force("uniform", self, core, acts_on="fluid")


@dataclasses.dataclass(frozen=True, eq=False)
class Turbulence(Effect):
    """Stirs the fluid with random eddies that come and go.

    An acceleration f (m/s^2) made of waves in random directions without divergence (curl noise).
    With a `velocity` its pattern drifts through the shape, as gusts do.

    Raises
    ------
    ValueError
        Also as a simulation runs, with a `Method.velocity` other than "poisson".

    Examples
    --------
    >>> Turbulence(strength=5.0, scale=0.4).time
    0.5
    """

    strength: Any = _FORCE(
        "strength",
        unit="m/s^2",
        doc="acceleration, rms; substeps are so short that it moves fluid at rest by a tenth of a "
        "core: with fine cores a frame takes many",
    )
    scale: Any = _FORCE("radius", doc="size of the eddies: waves are 1.25 to 3.2 times as long")
    shape: Shape | None = shape_field("acts inside alone; default wherever there are vortons")
    falloff: float = _FORCE("falloff")
    velocity: Any = _FORCE("velocity", animatable=False, doc="with which the eddies move on")
    time: float = _FORCE("time", default=0.5, doc="within which the eddies change")
    seed: int = _FORCE("seed", doc="key of the eddies")
    parent: Transform | None = parent_field("all of it lies in its space; the strength stays")

    def _add_to(self, core: Any) -> None:
        _add_force("turbulence", self, core, acts_on="fluid")


@dataclasses.dataclass(frozen=True, eq=False)
class ForceGrid(OnNodes):
    """Accelerates the fluid by values on the nodes of a box: a field from another program.

    Between nodes it is linear along each axis; node [k, j, i] lies at origin + spacing * (i, j, k).
    Outside the box there is no force: let the values fall to 0 towards its walls. Give `path` or
    `acceleration`, as for a `WindGrid`. Where the field is a gradient it does nothing: pressure
    balances it.

    Raises
    ------
    ValueError, TypeError
        Not finite, wrong shape or dtype, another digest. ValueError also as a simulation runs, with
        a `Method.velocity` other than "poisson".
    FileNotFoundError
        No such file.

    Examples
    --------
    >>> import numpy as np
    >>> push = np.zeros((5, 5, 5, 3))
    >>> push[1:-1, 1:-1, 1:-1, 2] = 3.0                           # upwards
    >>> ForceGrid(push, spacing=0.25).strength
    1.0
    """

    _VALUES = "acceleration"
    _check_them = staticmethod(check_values("m/s^2"))

    acceleration: np.ndarray | None = values_field(_check_them, "m/s^2")
    path: str | None = path_field()
    origin: Vector = _FORCE("origin", doc="place of the first node")
    spacing: float | Vector = _FORCE(
        "spacing", check_spacing, default=1.0, doc="between neighbouring nodes along x, y, z"
    )
    strength: Any = _FORCE("strength", doc="factor of the acceleration")
    shape: Shape | None = shape_field("acts inside alone; default in all of the box")
    falloff: float = _FORCE("falloff")
    sha256: str | None = digest_field()
    parent: Transform | None = parent_field(
        "the box lies in its space and turns with it; the acceleration stays"
    )

    def _add_to(self, core: Any) -> None:
        nodes = self._nodes(_FORCE)
        _add_force("grid", self, core, acts_on="fluid", values=self.acceleration, **nodes)


@dataclasses.dataclass(frozen=True, eq=False)
class ForcePoints(Effect):
    """Accelerates the fluid around points: a field from particles of another program.

    Each gives (1 - d^2 / radius^2)^2 of its acceleration at the distance d < radius; what several
    give is added up. They stand still in the space of `parent`. Made on nodes a quarter of `radius`
    apart, as is a `ForceGrid`.

    Raises
    ------
    ValueError
        Also where the numbers of rows differ, and, as a simulation runs, with a `Method.velocity`
        other than "poisson".

    Examples
    --------
    >>> ForcePoints([(0, 0, 0), (1, 0, 0)], [(0, 0, 5), (0, 0, -5)], radius=0.3).strength
    1.0
    """

    positions: np.ndarray = vectors_field(
        "within 1e9; the box around them may hold 2^28 nodes", "m"
    )
    accelerations: np.ndarray = vectors_field("one for each position; within 1e9", "m/s^2")
    radius: float = _FORCE("radius", animatable=False, doc="as far as each acts")
    strength: Any = _FORCE("strength", doc="factor of the accelerations")
    shape: Shape | None = shape_field("acts inside alone; default wherever the points do")
    falloff: float = _FORCE("falloff")
    parent: Transform | None = parent_field(
        "the points lie in its space and turn with it; the acceleration stays"
    )

    def _check(self) -> None:
        if len(self.positions) != len(self.accelerations):
            raise ValueError(
                f"ForcePoints.accelerations: {counted(len(self.accelerations), 'row')}; must be as "
                f"many as positions, {len(self.positions)}"
            )

    def _add_to(self, core: Any) -> None:
        points = {"positions": self.positions, "accelerations": self.accelerations}
        _add_force("points", self, core, acts_on="fluid", **points)


@dataclasses.dataclass(frozen=True, eq=False)
class Vortex(Effect):
    """Spins the fluid around a straight axis.

    The velocity around the axis approaches that of a Lamb-Oseen vortex: at the distance r from the
    axis circulation / (2 pi r) (1 - exp(-r^2 / core^2)), right-handed about it, relative to the
    uniform wind. So the fluid reaches the circulation and no more: within 2 % in a shape five times
    as long as its radius, or between walls at its ends; in a short one, where fluid at rest streams
    in from the ends before it is spun up, .5 to .9 of it if that is large. Along the axis, and
    towards it or away from it, it is free to move. Where the shape ends, the force falls off, and
    around it the fluid stays at rest until the swirl drags it along.

    On the fluid (`acts_on` "fluid", the default) fluid at rest inside of the shape is spun up
    within `time`. Without a shape it turns the fluid where there are vortons alone, and its whirl
    breaks off where these end: for smoke and fire give it a shape. A whirl sucks: pressure is low
    on its axis, but not beyond the ends of the shape, so fluid streams in along the axis from both
    ends, at up to 1.2 circulation / (2 pi core), twice as fast as it turns anywhere, and leaves
    sideways in the middle. Over a floor that ends the shape it streams down from above. Let the
    ends lie out of the picture, or lift the fluid faster, by heat or a `UniformForce`. With
    `acts_on` "tracers" the velocity around the axis alone is added to that of tracers, also at
    rest: nothing is sucked in, and the fluid knows nothing of it.

    Raises
    ------
    ValueError
        Also as a simulation runs, on the fluid with a `Method.velocity` other than "poisson".

    Examples
    --------
    >>> Vortex(axis=(0, 0, 1), circulation=2.0, core=0.3).core
    0.3
    """

    center: Any = _FORCE("center", doc="any point of the axis")
    axis: Any = _FORCE("axis", doc="what it turns around, right-handed")
    circulation: Any = _FORCE(
        "strength", unit="m^2/s", doc="circulation; 0 brakes fluid that turns"
    )
    core: Any = _FORCE("radius", default=0.1, doc="radius of the core, which turns like a solid")
    shape: Shape | None = shape_field(_INSIDE)
    parent: Transform | None = parent_field("all of it lies in its space; the circulation stays")
    acts_on: str = _FORCE("acts_on", **_ON)
    time: float = _FORCE("time", **_TIME)
    falloff: float = _FORCE("falloff")

    def _add_to(self, core: Any) -> None:
        _add_force("vortex", self, core)


@dataclasses.dataclass(frozen=True, eq=False)
class Drag(Effect):
    """Makes the fluid follow a given velocity, or brakes it.

    The difference between `velocity` and that of the fluid, wind included, shrinks by a factor e
    within time / fraction: an acceleration fraction (velocity - u) / time. On the fluid it leads to
    a `velocity` inside of a shape; without one it only brakes what turns. With `acts_on` "tracers"
    it is a blend: a tracer moves with (1 - fraction) of its velocity, wind and other fields
    included, and fraction of `velocity`; with fraction 1 and velocity 0 tracers stand still. Drags
    act after all other force fields, several one after the other.

    Raises
    ------
    ValueError
        Also as a simulation runs, on the fluid with a `Method.velocity` other than "poisson".

    Examples
    --------
    >>> Drag(fraction=0.8).velocity
    (0.0, 0.0, 0.0)
    """

    velocity: Any = _FORCE("velocity", doc="what they follow")
    fraction: Any = _FORCE("strength", default=0.5, least=0.0, most=1.0, doc="how much of it")
    shape: Shape | None = shape_field(_INSIDE)
    parent: Transform | None = parent_field(
        "the shape and the direction of the velocity lie in its space. The velocity is not "
        "relative to its motion"
    )
    acts_on: str = _FORCE("acts_on", **_ON)
    time: float = _FORCE("time", **_TIME)
    falloff: float = _FORCE("falloff")

    def _add_to(self, core: Any) -> None:
        _add_force("drag", self, core)


@dataclasses.dataclass(frozen=True, eq=False)
class Attractor(Effect):
    """Draws tracers towards a point; the fluid knows nothing of it.

    A velocity in addition to the fluid's: at the distance d
    strength d / radius exp((1 - d^2 / radius^2) / 2) towards the centre. It is largest, `strength`,
    at the distance `radius`, and gone (1 %) at four times that. On fluid such a pull would do
    nothing: it has no curl, so pressure balances it, and what cannot be compressed stays where it
    is. What drives fluid to a place is a jet (`UniformForce`) or what takes it away from there.

    Examples
    --------
    >>> Attractor((0, 0, 2), strength=0.5).radius
    1.0
    """

    center: Any = _FORCE("center", doc="centre")
    strength: Any = _FORCE("strength", unit="m/s", doc="largest speed; negative drives away")
    radius: Any = _FORCE("radius", doc="where it is largest")
    shape: Shape | None = shape_field("acts inside alone; default everywhere")
    parent: Transform | None = parent_field("all of it lies in its space; the strength stays")

    def _add_to(self, core: Any) -> None:
        _add_force("attractor", self, core, acts_on="tracers")


EFFECTS: tuple[type[Effect], ...] = (
    Wind, WindGrid, Attractor, Vortex, Drag, UniformForce, Turbulence, ForceGrid, ForcePoints, Kill,
)  # fmt: skip
"""All effects that a scene may have."""
