"""Sources of vorticity other than the ring: filament, tube, jet, random cloud."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .. import _core
from ..base.checks import Vector, check_end, counted, names_of, shown
from ..definitions.animation import Animation, largest, mapped, scaled, smallest, value_at
from ..definitions.fields import field
from ..definitions.tables import Table
from ..definitions.transform import Transform
from ..geometry.meshes import check_rows
from ..geometry.shapes import BODIES, Disk, Shape, Surface, check_shape
from .ring_and_tracers import Tracers
from .source_base import ChangingFluidSource, FluidSource, Sectioned, around

MOST_POINTS = 2**20

_FILAMENT, _TUBE, _JET, _CLOUD = map(Table, ("filament", "tube", "jet", "cloud"))


def _check_curve(name: str, value: Any) -> np.ndarray:
    points = check_rows(name, value, "fiu", np.float64, "finite numbers of shape (n, 3), m")
    if len(points) > MOST_POINTS:
        raise ValueError(f"{name}: {len(points)} points; at most {MOST_POINTS} are allowed")
    return points


@dataclasses.dataclass(frozen=True, eq=False)
class Filament(Sectioned, FluidSource):
    """A vortex line along a smooth curve through given points, with a Gaussian core.

    The curve is the cubic spline with continuous curvature; it has no curvature at open ends. The
    swirl is right-handed about the direction of the points.

    A closed line behaves as vortex lines do in nature. One that ends in the fluid does not exist
    there: an open line moves the fluid as its part of a longer one would, its ends are worn away
    while it moves, unless it is one vorton thick (`VortexRing`), and
    `sim.health["strength_share"]` is above 0. Put the ends outside the picture, or close the line.

    Examples
    --------
    >>> Filament([(0, 0, 0), (1, 0, 0), (0, 1, 0)], closed=True, core=0.05).core
    0.05
    """

    points: np.ndarray = field(
        dataclasses.MISSING, _check_curve,
        "2 (closed: 3) to 2^20 points, neighbours different. Spacing need not be even", "m",
        form="(n, 3) numbers",
    )  # fmt: skip
    closed: bool = _FILAMENT("closed")
    circulation: float = _FILAMENT("circulation")
    core: float = _FILAMENT("core")
    time: float = _FILAMENT("time")
    vorton_core: float | None = _FILAMENT("vorton_core")
    sections: int | None = _FILAMENT("sections")
    layers: int | None = _FILAMENT("layers")

    def _check(self) -> None:
        least = 3 if self.closed else 2
        if len(self.points) < least:
            text = f"at least {least} are needed" + (" to close a line" if self.closed else "")
            raise ValueError(f"Filament.points: {counted(len(self.points), 'point')}; {text}")
        ways = np.diff(self.points, axis=0, append=self.points[:1])
        same = np.flatnonzero(np.linalg.norm(ways, axis=1) < 1e-9)
        if not self.closed:
            same = same[same < len(ways) - 1]
        if len(same):
            i, j = int(same[0]), (int(same[0]) + 1) % len(self.points)
            raise ValueError(f"Filament.points: points {i} and {j} are at the same place")
        if self.sections is not None and self.closed and self.sections < 8:
            text = "must be >= 8 for a closed line"
            raise ValueError(f"Filament.sections = {self.sections}: {text}")
        self._check_section()

    def _span(self) -> tuple[Any, Any]:
        return self.points.min(axis=0), self.points.max(axis=0)

    def _add_to(self, core: Any, voxel: float) -> None:
        self._add(core, _FILAMENT, points=self.points)


@dataclasses.dataclass(frozen=True, eq=False)
class VortexTube(Sectioned, FluidSource):
    """A straight vortex tube with a Gaussian core: a whirl from `start` to `end`.

    An open `Filament`: what is said there about ends holds here too. In the middle of a tube of
    length L it turns at Gamma / (2 pi d) (1 - exp(-d^2 / core^2)) L / sqrt(L^2 + 4 d^2).
    """

    start: Vector = _TUBE("start")
    end: Vector = _TUBE("end")
    circulation: float = _TUBE("circulation")
    core: float = _TUBE("core")
    wobble: float = _TUBE("wobble")
    seed: int = _TUBE("seed")
    time: float = _TUBE("time")
    vorton_core: float | None = _TUBE("vorton_core")
    sections: int | None = _TUBE("sections")
    layers: int | None = _TUBE("layers")

    def _check(self) -> None:
        if self.start == self.end:
            raise ValueError(f"VortexTube.end = {self.end}: must differ from start")
        self._check_section()

    def _span(self) -> tuple[Any, Any]:
        return np.minimum(self.start, self.end), np.maximum(self.start, self.end)

    def _add_to(self, core: Any, voxel: float) -> None:
        self._add(core, _TUBE)


@dataclasses.dataclass(frozen=True, eq=False)
class Jet(Sectioned, ChangingFluidSource):
    """A jet: pulses of fluid from a nozzle, each of which makes a vortex ring.

    A pulse pushes out a slug of fluid of length L = speed x duty / rate and makes a ring of
    circulation speed L / 2 (the slug model of vortex rings: Gharib, Rambod & Shariff 1998). Many
    pulses a second with duty 1 are the shear layer of a steady jet; few make single rings, which
    take up no more than a slug of about eight nozzle radii.

    Parameters
    ----------
    temperature, fuel, flame, soot, density : animatable
        What the fluid of its rings carries, each as it is at the ring's birth, as of
        `source_base.FluidSource`. The rings are the shear layer around the jet: for hot
        fluid or fuel in the middle, too, give an `Emitter` in the nozzle. A jet of fire is an
        `Emitter` in a `UniformForce` without a Jet, as in the example dragon.

    Examples
    --------
    A jet that carries smoke:

    >>> from vorton import Scene
    >>> scene = Scene("jet")
    >>> jet = scene.add(Jet(radius=0.25, speed=2.5, end=2))
    >>> smoke = scene.add(jet.smoke())
    """

    center: Any = _JET("center")
    axis: Any = _JET("axis")
    radius: Any = _JET("radius")
    speed: Any = _JET("speed")
    rate: Any = _JET("rate")
    duty: Any = _JET("duty")
    circulation: Any = _JET("circulation")
    start: float = _JET("start")
    end: float | None = _JET("end")
    core: Any = _JET("core")
    wobble: Any = _JET("wobble")
    tilt: Any = _JET("tilt")
    seed: int = _JET("seed")
    vorton_core: float | None = _JET("vorton_core")
    sections: int | None = _JET("sections")
    layers: int | None = _JET("layers")

    def _check(self) -> None:
        if self.core is not None and largest(self.core) >= smallest(self.radius):
            text = f"must be < radius, {smallest(self.radius):g} (m)"
            raise ValueError(f"Jet.core = {shown(self.core)}: {text}")
        if self.rate is not None and largest(self.rate) == 0:
            raise ValueError(f"Jet.rate = {shown(self.rate)}: must not always be 0")
        if self.rate is None and largest(self.speed) == 0:
            raise ValueError(f"Jet.speed = {self.speed}: must not always be 0")
        if self.circulation == 0:
            raise ValueError("Jet.circulation = 0.0: must not be 0; None takes that of the slug")
        check_end(self)
        if self.rate is None and self._own_rate() > 1e4:
            text = f"must be given, by default it is {self._own_rate():.3g}, more than 10000 (1/s)"
            raise ValueError(f"Jet.rate = None: {text}")
        self._check_section()

    def _goes_on(self) -> bool:
        return True

    def _core_radius(self) -> float:
        return smallest(self._cores())

    def _widest_core(self) -> float:
        """Largest core radius of its rings, m, in the space of its parent."""
        return largest(self._cores())

    def _cores(self) -> Any:
        return scaled(self.radius, _core.CONSTANTS["jet_core"]) if self.core is None else self.core

    def _span(self) -> tuple[Any, Any]:
        return around(value_at(self.center, self.start), largest(self.radius))

    def _own_rate(self) -> float:
        """Pulses a second where the definition does not say."""
        usual, radius = _core.CONSTANTS, smallest(self.radius)
        core = usual["jet_core"] * radius if self.core is None else largest(self.core)
        return largest(self.speed) / max(radius / 2, usual["jet_slug"] * core)

    def smoke(self, **arguments: Any) -> Tracers:
        """Tracers for this jet: a slab in its nozzle, refilled as fast as the jet carries it off.

        At the exit the rings move the fluid at about half the speed of the jet further down.

        Parameters
        ----------
        **arguments
            As of `Tracers`, for which `shape`, `renew`, `start`, `end` and `parent` are set.

        Raises
        ------
        ValueError
            The axis changes in time, which no disk follows: turn the jet by a `parent`.
        """
        if isinstance(self.axis, Animation):
            text = "a nozzle whose axis changes has no smoke of its own; turn the jet by a parent"
            raise ValueError(f"Jet.axis = {shown(self.axis)}: {text}")
        center, parent = self.center, self.parent
        if isinstance(center, Animation):
            center, parent = (0.0, 0.0, 0.0), Transform(position=center, parent=parent)
        slab = Disk(center, scaled(self.radius, 0.95), self.axis, 0.4 * largest(self.radius))
        values: dict[str, Any] = {"start": self.start, "end": self.end, "parent": parent}
        values["renew"] = mapped(
            lambda speed, duty: speed * duty * (0.6 / slab.thickness), self.speed, self.duty
        )
        return Tracers(slab, **{**values, **arguments})

    def _add_to(self, core: Any, voxel: float) -> None:
        self._add(core, _JET, rate=self._own_rate() if self.rate is None else self.rate)


def _check_body(name: str, value: Any) -> Shape:
    shape = check_shape(name, value)
    if isinstance(shape, Surface):
        raise ValueError(f"{name} = {shape}: must be a body, not a layer on its surface")
    return shape


@dataclasses.dataclass(frozen=True, eq=False)
class RandomCloud(FluidSource):
    """A cloud of random eddies inside a shape: turbulence to begin with.

    Its vorticity is free of divergence and adds up to nothing: random waves of wavelengths 1.25 to
    3.2 eddies, under a smooth window that ends at the surface of the shape.
    """

    shape: Shape = field(
        dataclasses.MISSING, _check_body, "thicker than an eddy; a mesh must be closed",
        form=names_of(BODIES),
    )  # fmt: skip
    speed: float = _CLOUD("speed")
    eddy: float = _CLOUD("eddy")
    core: float | None = _CLOUD("core")
    count: int | None = _CLOUD("count")
    seed: int = _CLOUD("seed")
    time: float = _CLOUD("time")

    def _check(self) -> None:
        if self.core is not None and 4 * self.core > self.eddy:
            text = f"must be <= eddy / 4, {self.eddy / 4:g} (m)"
            raise ValueError(f"RandomCloud.core = {self.core}: {text}")
        _ = self.shape.volume  # an open mesh says so here

    def _core_radius(self) -> float:
        # Its vortons are as those of a ring twice as thick.
        return 2.0 * (self.core or self.eddy / 5)

    def _least_core(self) -> float:
        return self.core or self.eddy / 5

    def _span(self) -> tuple[Any, Any]:
        return self.shape._span()

    def _add_to(self, core: Any, voxel: float) -> None:
        self._add(core, _CLOUD, shape=self.shape._at(self.time)._core_shape())
