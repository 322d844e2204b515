"""Sources: what a scene is made of. Vortex rings carry the motion, tracers show it.

The other sources are in vortices.py and points.py; `SOURCES` lists all.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .animation import Animation, animatable, largest, scaled
from .fields import check_number, check_vector, field, integer, number, vector
from .shapes import Shape, check_shape
from .source_base import ChangingCarrier, FluidSource, check_section

MOST_TRACERS = 2**31 - 1


def _check_radius(name: str, value: Any) -> float | tuple[float, ...]:
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) > 0:
        return check_vector(name, value, count=2, unit="m", above=0)
    return check_number(name, value, above=0, unit="m")


@dataclasses.dataclass(frozen=True, eq=False)
class VortexRing(FluidSource):
    """A vortex ring with a Gaussian core; it moves along `axis` for circulation > 0.

    A ring of radius R and core a moves at circulation / (4 pi R) (ln(8 R / a) - 0.558).

    Parameters
    ----------
    center : three numbers, m
        Default (0, 0, 0).
    axis : three numbers
        Any length but 0, default (0, 0, 1).
    radius : number or two numbers, m
        > 0, default 1: radius of the centreline, or the semi-axes of an elliptic ring.
    circulation : number, m^2/s
        Default 1.
    core : number, m
        Radius of the core, > 0 and < the smaller radius, default 0.1.
    wobble : number
        Random waviness of the centreline in radii, 0 to 0.5, default 0.
    seed : whole number
        Key of the waviness, 0 to 2^64 - 1, default 0.
    time : number, s
        Birth, >= 0, default 0.
    major : three numbers
        Direction of the first semi-axis, made normal to `axis`; default (1, 0, 0).
    vorton_core : number, m, optional
        Core radius of the ring's vortons, > 0 and <= core / 1.5; default core / 2. For layers 0
        it is core.
    sections : whole number, optional
        Vortons along the centreline, >= 8; default: spaced by vorton_core.
    layers : whole number, optional
        Rings of vortons around the centreline, 0 (one vorton thick) to 64; default: as many as
        vorton_core asks for.
    temperature, density, fuel, flame, soot
        What the fluid of its vortons carries at birth, as of `vorton.source_base.FluidSource`.
    parent : Transform, optional
        What places it, where that is at its birth; its scale acts on all lengths.

    Examples
    --------
    >>> VortexRing(radius=0.5, core=0.05, circulation=2).radius
    0.5
    """

    center: tuple[float, float, float] = vector((0.0, 0.0, 0.0), "m", "centre")
    axis: tuple[float, float, float] = vector((0.0, 0.0, 1.0), "", "axis", nonzero=True)
    radius: float | tuple[float, float] = field(1.0, _check_radius, "radius or semi-axes", "m")
    circulation: float = number(1.0, "m^2/s", "circulation")
    core: float = number(0.1, "m", "radius of the core", above=0)
    wobble: float = number(0.0, "radii", "waviness of the centreline", least=0, most=0.5)
    seed: int = integer(0, "key of the waviness", least=0, most=2**64 - 1)
    time: float = number(0.0, "s", "birth", least=0)
    major: tuple[float, float, float] = vector((1.0, 0.0, 0.0), "", "semi-axis", nonzero=True)
    vorton_core: float | None = number(None, "m", "core of its vortons", above=0, optional=True)
    sections: int | None = integer(None, "vortons along it", least=8, most=2**30, optional=True)
    layers: int | None = integer(None, "rings around it", least=0, most=64, optional=True)

    @property
    def radii(self) -> tuple[float, float]:
        """Both semi-axes, m."""
        if isinstance(self.radius, tuple):
            return self.radius
        return self.radius, self.radius

    def _check(self) -> None:
        if self.core >= min(self.radii):
            text = f"must be < the smaller radius, {min(self.radii):g} (m)"
            raise ValueError(f"VortexRing.core = {self.core}: {text}")
        check_section(self, self.core)
        if self.radii[0] != self.radii[1] and self._major_lies_along_axis():
            text = f"must not lie along axis, {self.axis}, for an elliptic ring"
            raise ValueError(f"VortexRing.major = {self.major}: {text}")

    def _core_radius(self) -> float:
        return self.core

    def _add_to(self, core: Any, voxel: float) -> None:
        core.add_ring(
            center=self.center,
            axis=self.axis,
            radius=self.radii,
            major=self._major(),
            circulation=self.circulation,
            core=self.core,
            vorton_core=self.vorton_core or 0.0,
            wobble=self.wobble,
            wobble_seed=self.seed,
            sections=self.sections or 0,
            layers=-1 if self.layers is None else self.layers,
            time=self.time,
            parent=self._parent_id(core),
            **self._fluid(),
        )

    def _major_lies_along_axis(self) -> bool:
        a, m = self.axis, self.major
        cross = (a[1] * m[2] - a[2] * m[1], a[2] * m[0] - a[0] * m[2], a[0] * m[1] - a[1] * m[0])
        return max(map(abs, cross)) < 1e-6 * max(map(abs, a)) * max(map(abs, m))

    def _major(self) -> tuple[float, float, float]:
        """`major`, or for a circle about it another direction."""
        x, y, z = self.major
        return (y, z, x) if self._major_lies_along_axis() else (x, y, z)


@dataclasses.dataclass(frozen=True, eq=False)
class Tracers(ChangingCarrier):
    """Tracers born inside a shape; they carry the smoke.

    How many: one of `count`, `rate` and `per_voxel`, of which per_voxel=6 is the default. Grain in
    a volume depends on the tracers per voxel alone, so `per_voxel` asks for that: it takes the
    scene's nominal voxel (`Scene.nominal_voxel`).

    Parameters
    ----------
    shape : Sphere, Box, Disk, Torus, Mesh or Surface
        A mesh must be closed, unless it is a Surface's.
    count : whole number, optional
        Tracers born at once at `start`, 1 to 2^31 - 1.
    rate : number, 1/s, optional; animatable
        Tracers a second from `start` to `end`, > 0 (keys: >= 0). They carry density x volume of
        smoke a second, at the largest of animated rates: the smoke follows the rate. As many are
        born as the integral of the rate says, each at its own time.
    per_voxel : number, optional
        Tracers per nominal voxel, > 0 to 1000. With renew=0 they fill the shape at `start`;
        with renew > 0 they are born from `start` to `end`, renew times the shape's volume a second.
    renew : number, 1/s; animatable
        With per_voxel: how often a second the shape's volume is filled anew, >= 0, default 0.
    start : number, s
        >= 0, default 0.
    end : number, s, optional
        > start; default: never ends. Only with `rate` or `renew`.
    density : number, kg/m^3; animatable
        Smoke in the shape, >= 0, default 1; with renew, in each filling of it. Keys: at birth.
    lifetime : number, s, optional; animatable
        Tracers older than this are removed, > 0; default: never. Keys: at birth.
    growth : number, m/s; animatable
        Rate at which the size of its tracers grows, 0 to 1e9, default 0. A grown tracer that is
        larger than a voxel fills a cube of its size in volumes. Keys: at birth.
    fade : number; animatable
        Share of the lifetime, its last, in which its smoke thins out to nothing, 0 to 1, default
        0. Keys: at birth.
    temperature : number, K, optional; animatable
        Of the tracers themselves, > 0 to 1e6: shown where it differs more from the ambient one than
        that of the vortons around does; it cools as theirs. Default: that of the vortons. At birth.
    fuel, flame, soot : number; animatable
        Shares of the mass of the tracers themselves, 0 to 1, together at most 1, default 0. With
        `Scene(combustion=...)` and Method.flames "own" they burn on at the tracer's temperature,
        as embers do, without heat or weight for the flow; else the tracers soon have what the
        vortons around them have. At birth.
    parent : Transform, optional
        The shape lies in its space: each tracer is born where the shape is at its own time. With
        per_voxel the shape counts as large as its parent has it, with renew as it ever has it.

    Where a number of the shape changes, those born at once fill it as it is at `start`; `rate` is
    that of its largest extent, and falls with its volume: the smoke is as dense.

    Examples
    --------
    >>> from vorton.shapes import Sphere
    >>> Tracers(Sphere(), count=1000).count
    1000
    """

    shape: Shape = field(dataclasses.MISSING, check_shape, "where they are born")  # noqa: RUF009
    count: int | None = integer(None, "born at start", least=1, most=MOST_TRACERS, optional=True)
    rate: Any = animatable(
        number(None, "1/s", "born a second", above=0, optional=True),
        keys=number(None, "1/s", "born a second", least=0),
    )
    start: float = number(0.0, "s", "first birth", least=0)
    end: float | None = number(None, "s", "last birth", above=0, optional=True)
    density: Any = animatable(number(1.0, "kg/m^3", "smoke in the shape", least=0))
    lifetime: Any = animatable(
        number(None, "s", "age at death", above=0, optional=True),
        keys=number(None, "s", "age at death", above=0),
    )
    per_voxel: float | None = number(
        None, "tracers per voxel", "tracers per nominal voxel", above=0, most=1000, optional=True
    )
    renew: Any = animatable(number(0.0, "1/s", "fillings of the shape a second", least=0))
    growth: Any = animatable(number(0.0, "m/s", "growth of its tracers", least=0, most=1e9))
    fade: Any = animatable(number(0.0, "", "share of the lifetime", least=0, most=1))

    def _check(self) -> None:
        given = [n for n in ("count", "rate", "per_voxel") if getattr(self, n) is not None]
        if len(given) > 1:
            raise ValueError(f"Tracers: {' and '.join(given)} exclude each other; give one")
        if not given:
            object.__setattr__(self, "per_voxel", 6.0)
        if self.renew and self.per_voxel is None:
            raise ValueError(
                f"Tracers.renew = {self.renew}: goes with per_voxel, not with {given[0]}"
            )
        if self.end is not None:
            if self.rate is None and not self.renew:
                raise ValueError(
                    f"Tracers.end = {self.end}: goes with rate or renew; these are born at once"
                )
            if self.end <= self.start:
                raise ValueError(f"Tracers.end = {self.end}: must be > start = {self.start} (s)")
        volume = self.shape.volume  # an open mesh says so here
        if not volume > 0:
            raise ValueError(f"Tracers.shape: its volume is {volume:g} m^3, must be > 0")

    def births(self, voxel: float) -> tuple[int, Any]:
        """Tracers born at once and tracers born a second, for a nominal voxel in m."""
        if self.per_voxel is None:
            return self.count or 0, self.rate or 0.0
        scale = 1.0
        if self.parent is not None:
            at_start = self.parent.scale_at(self.start)
            scale = self.parent.largest_scale() if self.renew else at_start
        shape = self.shape if self.renew else self.shape._at(self.start)
        filling = self.per_voxel * shape.volume / voxel**3 * scale**3
        if filling > MOST_TRACERS or filling * largest(self.renew) > 1e12:
            text = f"asks for {filling:.3g} tracers at voxels of {voxel:g} m"
            raise ValueError(
                f"Tracers.per_voxel = {self.per_voxel}: {text}, at most {MOST_TRACERS}"
            )
        if self.renew:
            return 0, scaled(self.renew, filling)
        return max(1, round(filling)), 0.0

    def _add_to(self, core: Any, voxel: float) -> None:
        count, rate = self.births(voxel)
        density = scaled(self.density, largest(self.renew) or 1.0)
        values: dict[str, Any] = {"rate": rate, "density": density, "growth": self.growth}
        values["fade"] = self.fade
        if self.lifetime is not None:
            values["lifetime"] = self.lifetime
        if self.end is not None:
            values["end"] = self.end
        streams = isinstance(rate, Animation) or rate > 0
        shape = self.shape if streams else self.shape._at(self.start)
        core.add_emitter(
            shape=shape._core_shape(),
            count=count,
            start=self.start,
            parent=self._parent_id(core),
            **self._fluid(**values, **shape._animations()),
        )
