"""Sources of vorticity other than the ring: filament, tube, jet, random cloud."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .animation import Animation, Transform, animatable, largest, mapped, scaled, smallest
from .fields import field, flag, integer, number, shown, vector
from .shapes import Disk, Shape, Surface, check_rows, check_shape
from .source_base import ChangingFluidSource, FluidSource, check_section
from .sources import Tracers

MOST_POINTS = 2**20


def _section(definition: Any) -> dict[str, Any]:
    """Arguments of the core that a ring, a filament, a tube and a jet have in common."""
    return {
        "vorton_core": definition.vorton_core or 0.0,
        "sections": definition.sections or 0,
        "layers": -1 if definition.layers is None else definition.layers,
    }


def _check_curve(name: str, value: Any) -> np.ndarray:
    points = check_rows(name, value, "fiu", np.float64, "finite numbers of shape (n, 3), m")
    if len(points) > MOST_POINTS:
        raise ValueError(f"{name}: {len(points)} points; at most {MOST_POINTS} are allowed")
    return points


@dataclasses.dataclass(frozen=True, eq=False)
class Filament(FluidSource):
    """A vortex line along a smooth curve through given points, with a Gaussian core.

    The curve is the cubic spline with continuous curvature; it has no curvature at open ends. The
    swirl is right-handed about the direction of the points.

    A closed line behaves as vortex lines do in nature. One that ends in the fluid does not exist
    there: an open line moves the fluid as its part of a longer one would, its ends are worn away
    while it moves, and `sim.health["strength_share"]` is above 0. Put the ends outside the picture,
    or close the line.

    Parameters
    ----------
    points : (n, 3) numbers, m
        2 (closed: 3) to 2^20 points, neighbours different. Spacing need not be even.
    closed : bool
        Joins the last point to the first (do not repeat it), default False.
    circulation : number, m^2/s
        Default 1.
    core : number, m
        Radius of the core, > 0 and below the least radius of curvature, default 0.1.
    time : number, s
        Birth, >= 0, default 0.
    vorton_core : number, m, optional
        Core radius of its vortons, > 0 and <= core / 1.5; default core / 2. For layers 0: core.
    sections : whole number, optional
        Vortons along the line, >= 1 (closed: 8); default: spaced by vorton_core.
    layers : whole number, optional
        Rings of vortons around the centreline, 0 (one vorton thick) to 64; default: as many as
        vorton_core asks for.
    temperature, density, fuel, flame, soot
        What the fluid of its vortons carries at birth, as of `vorton.source_base.FluidSource`.

    Examples
    --------
    >>> Filament([(0, 0, 0), (1, 0, 0), (0, 1, 0)], closed=True, core=0.05).core
    0.05
    """

    points: np.ndarray = field(dataclasses.MISSING, _check_curve, "points of the curve", "m")  # noqa: RUF009
    closed: bool = flag(False, "the last point is joined to the first")
    circulation: float = number(1.0, "m^2/s", "circulation")
    core: float = number(0.1, "m", "radius of the core", above=0)
    time: float = number(0.0, "s", "birth", least=0)
    vorton_core: float | None = number(None, "m", "core of its vortons", above=0, optional=True)
    sections: int | None = integer(None, "vortons along it", least=1, most=2**24, optional=True)
    layers: int | None = integer(None, "rings around it", least=0, most=64, optional=True)

    def _check(self) -> None:
        least = 3 if self.closed else 2
        if len(self.points) < least:
            text = f"at least {least} are needed" + (" to close a line" if self.closed else "")
            raise ValueError(f"Filament.points: {len(self.points)} points; {text}")
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
        check_section(self, self.core)

    def _core_radius(self) -> float:
        return self.core

    def _add_to(self, core: Any, voxel: float) -> None:
        core.add_filament(
            points=self.points,
            closed=self.closed,
            circulation=self.circulation,
            core=self.core,
            time=self.time,
            parent=self._parent_id(core),
            **_section(self),
            **self._fluid(),
        )


@dataclasses.dataclass(frozen=True, eq=False)
class VortexTube(FluidSource):
    """A straight vortex tube with a Gaussian core: a whirl from `start` to `end`.

    An open `Filament`: what is said there about ends holds here too. In the middle of a tube of
    length L it turns at Gamma / (2 pi d) (1 - exp(-d^2 / core^2)) L / sqrt(L^2 + 4 d^2).

    Parameters
    ----------
    start, end : three numbers, m
        Default (0, 0, -1) and (0, 0, 1).
    circulation : number, m^2/s
        Right-handed about start -> end, default 1.
    core : number, m
        Radius of the core, > 0, default 0.1.
    wobble : number
        Random waviness, rms in lengths of the tube, 0 to 0.1, default 0.
    seed : whole number
        Key of the waviness, 0 to 2^64 - 1, default 0.
    time, vorton_core, sections, layers, temperature, density, fuel, flame, soot
        As of `Filament`.
    """

    start: tuple[float, float, float] = vector((0.0, 0.0, -1.0), "m", "one end")
    end: tuple[float, float, float] = vector((0.0, 0.0, 1.0), "m", "other end")
    circulation: float = number(1.0, "m^2/s", "circulation")
    core: float = number(0.1, "m", "radius of the core", above=0)
    wobble: float = number(0.0, "lengths", "waviness", least=0, most=0.1)
    seed: int = integer(0, "key of the waviness", least=0, most=2**64 - 1)
    time: float = number(0.0, "s", "birth", least=0)
    vorton_core: float | None = number(None, "m", "core of its vortons", above=0, optional=True)
    sections: int | None = integer(None, "vortons along it", least=1, most=2**24, optional=True)
    layers: int | None = integer(None, "rings around it", least=0, most=64, optional=True)

    def _check(self) -> None:
        if self.start == self.end:
            raise ValueError(f"VortexTube.end = {self.end}: must differ from start")
        check_section(self, self.core)

    def _core_radius(self) -> float:
        return self.core

    def _add_to(self, core: Any, voxel: float) -> None:
        core.add_tube(
            start=self.start,
            end=self.end,
            circulation=self.circulation,
            core=self.core,
            wobble=self.wobble,
            wobble_seed=self.seed,
            time=self.time,
            parent=self._parent_id(core),
            **_section(self),
            **self._fluid(),
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Jet(ChangingFluidSource):
    """A jet: pulses of fluid from a nozzle, each of which makes a vortex ring.

    A pulse pushes out a slug of fluid of length L = speed x duty / rate and makes a ring of
    circulation speed L / 2 (the slug model of vortex rings: Gharib, Rambod & Shariff 1998). Many
    pulses a second with duty 1 are the shear layer of a steady jet; few make single rings, which
    take up no more than a slug of about eight nozzle radii.

    Parameters
    ----------
    center : three numbers, m; animatable
        Of the nozzle, default (0, 0, 0).
    axis : three numbers; animatable
        Where it blows, any length but 0, default (0, 0, 1).
    radius : number, m; animatable
        Of the nozzle, > 0, default 0.5.
    speed : number, m/s; animatable
        At the exit, > 0 (keys: >= 0), default 1.
    rate : number, 1/s, optional; animatable
        Pulses a second, > 0 (keys: >= 0) to 10 000; default 2 speed / radius, of the largest speed
        and the smallest radius. Of keys pulse n is where the integral of the rate is n, and flows
        until the next one.
    duty : number; animatable
        Share of the time in which fluid flows, > 0 to 1, default 1.
    circulation : number, m^2/s, optional; animatable
        Of each ring; default: that of its slug. Of keys a pulse at 0 makes no ring.
    start, end : number, s
        First pulse, default 0, and the time before which the last one starts; default: never ends.
    core : number, m, optional; animatable
        Radius of the rings' cores, > 0 and always < radius; default 0.18 radius.
    wobble : number; animatable
        Random waviness of each ring in radii, 0 to 0.5, default 0.03.
    tilt : number, radians; animatable
        Rms angle by which each ring is turned off the axis, 0 to 0.5, default 0.05.
    seed : whole number
        Key of wobble and tilt, 0 to 2^64 - 1, default 0.
    vorton_core, sections, layers
        As of `VortexRing`.
    temperature, density, fuel, flame, soot : animatable
        What the fluid of its rings carries, each as it is at the ring's birth, as of
        `vorton.source_base.FluidSource`. The rings are the shear layer around the jet: for hot
        fluid or fuel in the middle, too, give an `Emitter` in the nozzle.

    Examples
    --------
    A jet that carries smoke:

    >>> from vorton.scene import Scene
    >>> scene = Scene("jet")
    >>> jet = scene.add(Jet(radius=0.25, speed=2.5, end=2))
    >>> smoke = scene.add(jet.smoke())
    """

    center: Any = animatable(vector((0.0, 0.0, 0.0), "m", "nozzle"))
    axis: Any = animatable(vector((0.0, 0.0, 1.0), "", "direction", nonzero=True))
    radius: Any = animatable(number(0.5, "m", "radius of the nozzle", above=0))
    speed: Any = animatable(
        number(1.0, "m/s", "speed at the exit", above=0),
        keys=number(1.0, "m/s", "speed at the exit", least=0),
    )
    rate: Any = animatable(
        number(None, "1/s", "pulses a second", above=0, most=1e4, optional=True),
        keys=number(None, "1/s", "pulses a second", least=0, most=1e4),
    )
    duty: Any = animatable(
        number(1.0, "", "share of the time in which it flows", least=1e-6, most=1)
    )
    circulation: Any = animatable(
        number(None, "m^2/s", "of each ring", optional=True),
        keys=number(None, "m^2/s", "of each ring"),
    )
    start: float = number(0.0, "s", "first pulse", least=0)
    end: float | None = number(None, "s", "last pulse", above=0, optional=True)
    core: Any = animatable(
        number(None, "m", "radius of the core", above=0, optional=True),
        keys=number(None, "m", "radius of the core", above=0),
    )
    wobble: Any = animatable(number(0.03, "radii", "waviness of the rings", least=0, most=0.5))
    tilt: Any = animatable(number(0.05, "radians", "rms tilt of the rings", least=0, most=0.5))
    seed: int = integer(0, "key of wobble and tilt", least=0, most=2**64 - 1)
    vorton_core: float | None = number(None, "m", "core of its vortons", above=0, optional=True)
    sections: int | None = integer(None, "vortons along a ring", least=8, most=2**24, optional=True)
    layers: int | None = integer(None, "rings around it", least=0, most=64, optional=True)

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
        if self.end is not None and self.end <= self.start:
            raise ValueError(f"Jet.end = {self.end}: must be > start = {self.start} (s)")
        if self.rate is None and self._own_rate() > 1e4:
            text = "must be given, 2 speed / radius is more than 10000 (1/s)"
            raise ValueError(f"Jet.rate = None: {text}")
        check_section(self, self._core_radius())

    def _core_radius(self) -> float:
        return smallest(self.core) if self.core is not None else 0.18 * smallest(self.radius)

    def _own_rate(self) -> float:
        """Pulses a second where the definition does not say."""
        return 2 * largest(self.speed) / smallest(self.radius)

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
        values: dict[str, Any] = {} if self.end is None else {"end": self.end}
        names = ("center", "axis", "radius", "speed", "duty", "wobble", "tilt")
        moving = {name: getattr(self, name) for name in names}
        moving["rate"] = self._own_rate() if self.rate is None else self.rate
        moving["core"] = 0.0 if self.core is None else self.core
        if self.circulation is not None:
            moving["circulation"] = self.circulation
        core.add_jet(
            start=self.start,
            seed=self.seed,
            parent=self._parent_id(core),
            **self._fluid(**moving),
            **_section(self),
            **values,
        )


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

    Parameters
    ----------
    shape : Sphere, Box, Disk, Torus or Mesh
        Thicker than an eddy; a mesh must be closed.
    speed : number, m/s
        Rms speed of the eddies deep inside, >= 0, default 1.
    eddy : number, m
        Size of the eddies, half a wavelength, > 0, default 0.4.
    core : number, m, optional
        Core radius of its vortons, > 0 and <= eddy / 4; default eddy / 5.
    count : whole number, optional
        Vortons; default volume / core^3.
    seed : whole number
        0 to 2^64 - 1, default 0.
    time : number, s
        Birth, >= 0, default 0.
    temperature, density, fuel, flame, soot
        What the fluid of its vortons carries at birth, as of `vorton.source_base.FluidSource`.
    """

    shape: Shape = field(dataclasses.MISSING, _check_body, "where they are")  # noqa: RUF009
    speed: float = number(1.0, "m/s", "rms speed", least=0)
    eddy: float = number(0.4, "m", "size of the eddies", above=0)
    core: float | None = number(None, "m", "core of its vortons", above=0, optional=True)
    count: int | None = integer(None, "vortons", least=1, most=2**30, optional=True)
    seed: int = integer(0, "key of the waves", least=0, most=2**64 - 1)
    time: float = number(0.0, "s", "birth", least=0)

    def _check(self) -> None:
        if self.core is not None and 4 * self.core > self.eddy:
            text = f"must be <= eddy / 4, {self.eddy / 4:g} (m)"
            raise ValueError(f"RandomCloud.core = {self.core}: {text}")
        _ = self.shape.volume  # an open mesh says so here

    def _core_radius(self) -> float:
        # Its vortons are as those of a ring twice as thick.
        return 2.0 * (self.core or self.eddy / 5)

    def _add_to(self, core: Any, voxel: float) -> None:
        core.add_cloud(
            shape=self.shape._at(self.time)._core_shape(),
            speed=self.speed,
            eddy=self.eddy,
            core=self.core or 0.0,
            count=self.count or 0,
            seed=self.seed,
            time=self.time,
            parent=self._parent_id(core),
            **self._fluid(),
        )
