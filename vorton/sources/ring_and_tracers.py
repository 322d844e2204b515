"""Sources: what a scene is made of. Vortex rings carry the motion, tracers show it.

The other sources are in vortices.py and points.py; `SOURCES` lists all.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ..base.checks import Vector, check_each_axis, check_end, names_of
from ..definitions.animation import Animation, animatable, largest, scaled
from ..definitions.fields import field, number
from ..definitions.tables import Table
from ..geometry.shapes import SHAPES, Shape, check_shape
from .source_base import ChangingCarrier, FluidSource, Sectioned, around

MOST_TRACERS = 2**31 - 1

_RING, _TRACERS = Table("ring"), Table("tracers")


def _check_radius(name: str, value: Any) -> float | tuple[float, ...]:
    return check_each_axis(name, value, count=2, unit="m", above=0)


@dataclasses.dataclass(frozen=True, eq=False)
class VortexRing(Sectioned, FluidSource):
    """A vortex ring with a Gaussian core; it moves along `axis` for circulation > 0.

    A thin ring of radius R and core a moves at circulation / (4 pi R) (ln(8 R / a) - C). With a
    cross-section, which is the default, C is 0.558. With ``layers=0`` it is one vorton thick, and
    the core function of these vortons, of core radius a, decides: C is 1.058 for Gaussian cores
    (about 1.0 on the grid), 0.500 for wl and 0.360 for ball (`Method.kernel`).

    Each vorton of a line one vorton thick is a piece of it, whose strength is the circulation times
    the way between its neighbours: an ellipse of radii 1.2 and 0.83 m, core 0.1 m and circulation
    1 m^2/s switches its axes within 2 % of the time that a filament of these cores takes, 4.5 s
    (without a grid .1 %). Small waves of a fat line feel the cells: with radii that differ by 2 %
    it is off by up to 8 %, with a core of 0.2 m 15 %, with half the `Scene.spacing` 3 and 2 %.
    That holds with `Method.stretching` "transpose" until something else makes vorticity (gravity on
    fluid of another density, viscosity, bodies, forces on the fluid, expansion), the pieces are two
    cores apart, some are removed, or their strengths are written otherwise; from then on they are
    vortons like others, which turn in three quarters of that time.

    Examples
    --------
    >>> VortexRing(radius=0.5, core=0.05, circulation=2).radius
    0.5
    """

    center: Vector = _RING("center")
    axis: Vector = _RING("axis")
    radius: float | tuple[float, float] = _RING("radius", _check_radius, default=1.0)
    circulation: float = _RING("circulation")
    core: float = _RING("core")
    wobble: float = _RING("wobble")
    seed: int = _RING("seed")
    time: float = _RING("time")
    major: Vector = _RING("major", type="direction")
    vorton_core: float | None = _RING("vorton_core")
    sections: int | None = _RING("sections")
    layers: int | None = _RING("layers")

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
        self._check_section()
        if self.radii[0] != self.radii[1] and self._major_lies_along_axis():
            text = f"must not lie along axis, {self.axis}, for an elliptic ring"
            raise ValueError(f"VortexRing.major = {self.major}: {text}")

    def _span(self) -> tuple[Any, Any]:
        return around(self.center, max(self.radii))

    def _add_to(self, core: Any, voxel: float) -> None:
        self._add(core, _RING, radius=self.radii, major=self._major())

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
    >>> from vorton import Sphere
    >>> Tracers(Sphere(), count=1000).count
    1000
    """

    shape: Shape = field(
        dataclasses.MISSING, check_shape,
        "where they are born. A mesh must be closed, unless it is a Surface's",
        form=names_of(SHAPES),
    )  # fmt: skip
    count: int | None = _TRACERS("count")
    rate: Any = _TRACERS("rate")
    start: float = _TRACERS("start")
    end: float | None = _TRACERS("end")
    density: Any = _TRACERS("density")
    lifetime: Any = _TRACERS("lifetime")
    per_voxel: float | None = number(
        None, "tracers per voxel",
        "tracers per nominal voxel. With renew 0 they fill the shape at start; with renew > 0 they "
        "are born from start to end, renew times the shape's volume a second",
        above=0, most=1000, optional=True,
    )  # fmt: skip
    renew: Any = animatable(
        number(0.0, "1/s", "with per_voxel: how often a second the shape is filled anew", least=0)
    )
    growth: Any = _TRACERS("growth")
    fade: Any = _TRACERS("fade")

    def _check(self) -> None:
        given = [n for n in ("count", "rate", "per_voxel") if getattr(self, n) is not None]
        if len(given) > 1:
            raise ValueError(f"Tracers: {' and '.join(given)} exclude each other; give one")
        if self.renew and self.tracers_per_voxel is None:
            raise ValueError(
                f"Tracers.renew = {self.renew}: goes with per_voxel, not with {given[0]}"
            )
        check_end(self, goes_with="rate or renew", goes_on=self._goes_on())
        volume = self.shape.volume  # an open mesh says so here
        if not volume > 0:
            raise ValueError(f"Tracers.shape: its volume is {volume:g} m^3, must be > 0")

    def _goes_on(self) -> bool:
        return self.rate is not None or bool(self.renew)

    @property
    def tracers_per_voxel(self) -> float | None:
        """`per_voxel`, or what it is by default; None where count or rate is given."""
        if self.count is not None or self.rate is not None:
            return None
        return 6.0 if self.per_voxel is None else self.per_voxel

    def births(self, voxel: float) -> tuple[int, Any]:
        """Tracers born at once and tracers born a second, for a nominal voxel in m."""
        per_voxel = self.tracers_per_voxel
        if per_voxel is None:
            return self.count or 0, self.rate or 0.0
        scale = 1.0
        if self.parent is not None:
            at_start = self.parent.scale_at(self.start)
            scale = self.parent.largest_scale() if self.renew else at_start
        shape = self.shape if self.renew else self.shape._at(self.start)
        cube = voxel**3  # 0 where it is smaller than any number
        filling = per_voxel * shape.volume / cube * scale**3 if cube else math.inf
        if filling > MOST_TRACERS or filling * largest(self.renew) > 1e12:
            text = f"asks for {filling:.3g} tracers at voxels of {voxel:g} m"
            raise ValueError(f"Tracers.per_voxel = {per_voxel}: {text}, at most {MOST_TRACERS}")
        if self.renew:
            return 0, scaled(self.renew, filling)
        return max(1, round(filling)), 0.0

    def _add_to(self, core: Any, voxel: float) -> None:
        self._add_in(-1, core, voxel)

    def _add_in(self, emitter: int, core: Any, voxel: float) -> None:
        """Add it in the shape of an emitter that thins its smoke, of this id; -1: of none."""
        count, rate = self.births(voxel)
        density = scaled(self.density, largest(self.renew) or 1.0)
        values = _TRACERS.values(self) | {"count": count, "rate": rate, "density": density}
        streams = isinstance(rate, Animation) or rate > 0
        shape = self.shape if streams else self.shape._at(self.start)
        core.add(
            "tracers",
            shape=shape._core_shape(),
            parent=self._parent_id(core),
            emitter=emitter,
            **self._fluid(**values, **shape._animations()),
        )
