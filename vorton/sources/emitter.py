"""Emitters of warm, cold, light or heavy fluid: plumes, thermals, drops."""

from __future__ import annotations

import dataclasses
from typing import Any

from .. import _core
from ..base.checks import check_end, names_of, shown
from ..definitions.animation import Animation, above_0, animatable, largest, scaled
from ..definitions.fields import field, number, plain
from ..definitions.tables import Table, limits
from ..geometry.shapes import SHAPES, Shape, Surface, check_shape
from .ring_and_tracers import Tracers
from .source_base import FLUID, ChangingFluidSource

_EMITTER = Table("emitter")


@dataclasses.dataclass(frozen=True, eq=False)
class Emitter(ChangingFluidSource):
    """Fluid that differs from the ambient one, with the smoke in it: it rises or sinks by itself.

    Vortons that carry temperature and density are born in the shape, and around it neutral ones of
    the ambient fluid: buoyancy is right only where vortons lie on both sides of a change. Where the
    fluid goes later `Method.halo` keeps such neighbours around it. All this needs the grid: with
    Method.velocity "direct" or "tree" nothing rises, and `Simulation` warns of it. The tracers of
    the smoke are born in the shape alone, as those of `Tracers` with `per_voxel`.

    It goes on from `start` to `end`: a plume, a fire. An explosion, a puff or a drop is filled
    once, at `start`, which `renew=0` says.

    Parameters
    ----------
    shape
        A mesh must be closed, unless it is a Surface's. From a Surface, the skin of a body, the
        fluid comes without a rim; give it a shape of its own where it should heat what flows by.
        Where a number of the shape changes, that of `renew` is of its largest extent, and fewer are
        born with its volume.
    temperature : number, K, optional; animatable
        > 0 to 1e6; default: that of the ambient fluid. At birth.
    density : number, kg/m^3; animatable
        Deviation of the density that is not due to temperature (salt, dust), more than minus that
        of the ambient fluid: below 0 it rises; default 0. At birth.
    fuel : number; animatable
        Share of the mass that is fuel, 0 to 1, default 0: needs `Scene(combustion=...)`. It burns
        once it is hot enough: give a `temperature` that ignites it. At birth. While the emitter
        goes on, ambient fluid that the flow carries into the shape takes its temperature and fuel,
        too: what flows through a fire burns. As ambient counts what differs by no more than a tenth
        of what the emitter's fluid does.
    flame, soot : number; animatable
        Shares of the mass that burn, and that are smoke, 0 to 1, default 0; with fuel at most 1
        together: flame glows, and becomes smoke. At birth. `smoke` is what the tracers show.
    renew : number, 1/s, optional; animatable
        How often a second the shape is filled anew, >= 0; 0: once, at `start`. Default: as fast as
        the fluid leaves it by itself, sqrt(g |density deviation| / ambient density / height) / 2.
        No more is born than there is room for: a filling leaves out what still holds fluid that
        differs, and ambient fluid of the same mass makes way: what is born warmer has more volume,
        and pushes the rest away by that, as heated air does (with `Method.expansion`). So fog does
        not well over a rim below which all of it is born: let the shape reach above the rim. Fuel,
        which swells, and smoke are born at this rate in any case.
    core : number, m, optional
        Core radius of its vortons, 1e-9 to 1e9: the resolution. A grid cell is as wide, vortons are
        born core / 2 apart; a `Transform.scale` above it scales all of that, too. Wide cores start
        late: a ball that is filled once falls or rises from rest by .85, .80, .69 (the default) and
        .63 of what it should for cores of .14, .2, .32 and .4 of its radius; a layer of fog on a
        floor spreads about half as fast with cores of half of its thickness as with a quarter, and
        slower still on a body that sheds (`Body(shedding=0)` lets it slip). Default: a fifth of the
        cube root of the shape's volume, whatever its form, of a `Surface` twice its thickness.
    rim : number, m, optional; animatable
        Width of the ambient fluid around the shape (of a Torus or Mesh: around its bounding box,
        and inside that), >= 0, default 2 core: two cells. Where it is renewed the rim lies beside
        the shape, and is not used where `Method.halo` keeps ambient fluid around it; where it is
        filled once, all around. Not of a `Surface`.
    smoke : number, kg/m^3; animatable
        Smoke in the shape, >= 0, default 1, in each filling of it; 0: no tracers. At birth. The
        smoke of a fire is there with its fuel: while keys leave that 0, none is born, unless there
        is flame or soot, or keys of `smoke` or `renew` say how much. Fog and steam have 0.05 to
        0.1: of 1 a wide low box shows its edges, as in the example fog.
    per_voxel : number, optional
        Tracers per nominal voxel of the scene, > 0 to 1000, default 6, with fuel or flame 12: gas
        that burns spreads them over about four times its volume.
    fade : number; animatable
        Share of the lifetime, its last, in which the smoke thins out to nothing, 0 to 1, default
        0.4: the smoke has no edge where it ends. At birth.
    parent : Transform, optional
        What places the shape: each vorton and tracer is born where that is at its own time.

    Raises
    ------
    ValueError, TypeError
        A value out of range or of the wrong kind; neither temperature, density nor fuel; fuel in a
        scene without combustion.

    Examples
    --------
    >>> from vorton import Scene
    >>> from vorton import Disk
    >>> scene = Scene("plume")
    >>> plume = scene.add(Emitter(Disk(radius=0.25), temperature=450, lifetime=3))
    >>> round(plume.vorton_core, 3)
    0.054
    """

    shape: Shape = field(
        dataclasses.MISSING, check_shape, "where it is born", form=names_of(SHAPES)
    )
    renew: Any = animatable(
        number(None, "1/s", "fillings of the shape a second", least=0, optional=True)
    )
    swirl: Any = _EMITTER("swirl")
    taper: Any = _EMITTER("taper")
    flicker: Any = _EMITTER("flicker")
    start: float = _EMITTER("start")
    end: float | None = _EMITTER("end")
    lifetime: Any = _EMITTER("lifetime")
    core: float | None = number(
        None, "m", "core of its vortons", **limits(_EMITTER.rows["core"]), optional=True
    )
    rim: Any = animatable(number(None, "m", "width of the ambient fluid", least=0, optional=True))
    smoke: Any = animatable(number(1.0, "kg/m^3", "smoke in the shape", least=0))
    per_voxel: float | None = number(
        None, "tracers per voxel", "tracers", above=0, most=1000, optional=True
    )
    fade: Any = animatable(number(0.4, "", "share of the lifetime", least=0, most=1))

    def _check(self) -> None:
        volume = self.shape.volume  # an open mesh says so here
        if not volume > 0:
            raise ValueError(f"Emitter.shape: its volume is {volume:g} m^3, must be > 0")
        if len(self._unsaid()) == len(FLUID):
            raise ValueError(
                "Emitter: neither temperature nor density differs from the ambient fluid, and "
                "there is no fuel, flame or soot; for smoke alone take Tracers"
            )
        if isinstance(self.shape, Surface) and self.rim not in (None, 0):
            text = "the fluid of a Surface has no rim"
            raise ValueError(f"Emitter.rim = {shown(self.rim)}: {text}")
        check_end(self, goes_with="renew", goes_on=self._goes_on())

    def to_dict(self) -> dict[str, Any]:
        """Plain data; flame and soot only where there are some: the format from before them."""
        always = ("temperature", "density", "fuel")
        return super().to_dict() | {name: plain(getattr(self, name)) for name in always}

    @property
    def tracers_per_voxel(self) -> float:
        """Tracers per nominal voxel: `per_voxel`, or what it is by default."""
        if self.per_voxel is not None:
            return self.per_voxel
        return 12.0 if {"fuel", "flame"} - set(self._unsaid()) else 6.0

    @property
    def vorton_core(self) -> float:
        """Core radius of its vortons, m: `core`, or what it is by default."""
        if self.core is not None:
            return self.core
        if isinstance(self.shape, Surface):
            return 2 * self.shape.thickness
        return 0.2 * self.shape.volume ** (1 / 3)

    def _goes_on(self) -> bool:
        return self.renew != 0

    def _rim(self) -> Any:
        if isinstance(self.shape, Surface):
            return 0.0
        return 2 * self.vorton_core if self.rim is None else self.rim

    def _core_radius(self) -> float:
        return self.vorton_core

    def _least_core(self) -> float:
        return self.vorton_core

    def _span(self) -> tuple[Any, Any]:
        return self.shape._span()

    def _add_to(self, core: Any, voxel: float) -> None:
        radius = self.vorton_core
        rim, once = self._rim(), self.renew == 0
        shape = self.shape._at(self.start) if once else self.shape
        wide = largest(rim)
        around = shape._grown(wide) if wide > 0 else shape._core_shape()
        values: dict[str, Any] = {}
        if self.renew is not None:
            filling = _core.shape_volume(**around) / (0.5 * radius) ** 3
            most = limits(_EMITTER.rows["rate"])["most"]
            rate = filling * largest(self.renew)
            if rate > most:
                raise ValueError(
                    f"renew = {shown(self.renew)}: that is {rate:.3g} vortons a second with cores "
                    f"of {radius:g} m; allowed are {most:g}: give wider cores or a smaller shape"
                )
            values["rate"] = scaled(self.renew, filling)
        values |= shape._animations()
        if wide > 0:
            values |= shape._animations_around(rim)
        values |= {"around": around if wide > 0 else None, "core": radius}
        source, renew = self._add(core, _EMITTER, shape=shape._core_shape(), **values)
        if self.smoke != 0:
            thins = not largest(self.fuel) and (largest(self.taper) or largest(self.flicker))
            self._smoke(renew)._add_in(source if thins else -1, core, voxel)

    def _smoke(self, renew: float) -> Tracers:
        """The tracers, renewed as the fluid is."""
        return Tracers(
            self.shape,
            start=self.start,
            end=self.end,
            density=self.smoke,
            lifetime=self.lifetime,
            per_voxel=self.tracers_per_voxel,
            renew=self._renew_of_smoke(renew),
            fade=self.fade,
            parent=self.parent,
        )

    def _renew_of_smoke(self, renew: float) -> Any:
        """That of the fluid; where fuel has keys, 0 while it is."""
        if isinstance(self.renew, Animation):
            return self.renew
        fuel = self.fuel
        says_more = isinstance(self.smoke, Animation) or largest(self.flame) or largest(self.soot)
        if not isinstance(fuel, Animation) or not largest(fuel) or not renew or says_more:
            return renew
        burns = above_0(fuel, self.start)
        return renew if all(burns._values()) else scaled(burns, renew)
