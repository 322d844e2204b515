"""Sources at given points: tracers or vortons with attributes of their own.

Arrays are kept as float32, and saved as lists: numbers come back bit for bit. More than `MOST_ROWS`
points do not belong into a scene: add them to the simulation (`sim.tracers.add`).
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .. import _core
from ..base.checks import check_array, check_end, check_number, counted, is_array, range_text
from ..definitions.animation import Animation, Keys, animatable, split
from ..definitions.fields import field, number
from ..definitions.tables import Table
from ..geometry.meshes import check_rows
from .source_base import Source

MOST_ROWS = 2**20

EACH = "number or (n,) numbers"

_TRACERS, _VORTONS = Table("tracer_points"), Table("vorton_points")

CARRIED = _core.CARRIED
"""What the fluid of vortons carries: density, temperature, and shares of the mass."""


def check_positions(name: str, value: Any) -> np.ndarray:
    """Vectors as float32, (n, 3)."""
    rows = check_rows(name, value, "fiu", np.float32, "finite numbers of shape (n, 3)")
    if not np.isfinite(rows).all():
        raise ValueError(f"{name}: must be finite numbers; some are too large for float32")
    if len(rows) > MOST_ROWS:
        text = f"at most {MOST_ROWS} go into a scene; add more to the simulation"
        raise ValueError(f"{name}: {len(rows)} points; {text}")
    return rows


def vectors_field(text: str, unit: str) -> Any:
    """Field for vectors as float32."""
    return field(dataclasses.MISSING, check_positions, text, unit, form="(n, 3) numbers")


def _check_each(name: str, value: Any, unit: str, **limits: float) -> float | np.ndarray:
    """One number for all points, or an array (n,) with one for each, as float32."""
    if not is_array(value):
        return check_number(name, value, unit=unit, **limits)
    allowed = f"finite numbers{range_text(**limits)}" + (f" ({unit})" if unit else "")
    values = _to_array(name, value, allowed)
    good = np.isfinite(values) & (values > limits.get("above", -np.inf))
    good &= (values >= limits.get("least", -np.inf)) & (values <= limits.get("most", np.inf))
    bad = np.flatnonzero(~good)
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] = {values[bad[0]]}: must be {allowed}")
    values.setflags(write=False)
    return values


def _to_array(name: str, value: Any, allowed: str) -> np.ndarray:
    values = check_array(name, value, "fiu", f"one number or an array of {allowed}")
    if values.ndim != 1:
        raise ValueError(f"{name} of shape {values.shape}: must be one number or have shape (n,)")
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def _values(text: str, unit: str, default: Any = dataclasses.MISSING, zero: bool = False) -> Any:
    """Field for one number or an array (n,)."""
    limits = {"least": 0} if zero else {"above": 0}
    return field(
        default, lambda n, v: _check_each(n, v, unit, **limits), text, unit, default is None,
        form=EACH, **limits,
    )  # fmt: skip


def _from_zero(text: str, unit: str, most: float) -> Any:
    """Field for one number or an array (n,) from 0 to `most`, default 0, which may change."""
    limits = {"least": 0, "most": most}
    made = field(
        0.0, lambda n, v: _check_each(n, v, unit, **limits), text, unit, form=EACH, **limits
    )
    return _each_or_moving(made, number(0.0, unit, text, least=0, most=most))


def _each_or_moving(constant: Any, keys: Any) -> Any:
    """One number or an array (n,) for the points, or one number for all that changes in time."""
    return animatable(constant, keys=keys, depth=99)  # an array is never one for the frames


def _refuse_mixed(definition: Any, moving: Any, names: tuple[str, ...]) -> None:
    for name in names:
        if isinstance(moving, Animation) and isinstance(getattr(definition, name), np.ndarray):
            text = "must be one number for all points where density or size changes in time"
            raise ValueError(f"{type(definition).__name__}.{name}: {text}")


def _carried(text: str, unit: str, least: float, most: float) -> Any:
    """Field for one number or an array (n,) of what fluid carries, or nothing."""
    limits = {"least": least, "most": most}
    return field(
        None, lambda n, v: _check_each(n, v, unit, **limits), text, unit, True, form=EACH, **limits
    )


def _check_lengths(definition: Any, names: tuple[str, ...], count: int) -> None:
    for name in names:
        value = getattr(definition, name)
        if isinstance(value, np.ndarray) and len(value) != count:
            label = f"{type(definition).__name__}.{name}"
            text = f"{counted(len(value), 'value')} for {counted(count, 'point')}"
            raise ValueError(f"{label} has {text}")


def _check_shares(definition: Any) -> None:
    given = [getattr(definition, name) for name in CARRIED[2:]]
    shares = [np.asarray(0.0 if value is None else value, float) for value in given]
    total = float(np.max(shares[0] + shares[1] + shares[2]))
    if total > 1 + 1e-6:
        text = f"are {total:g} of the mass; allowed is 1 in all"
        raise ValueError(f"{type(definition).__name__}: fuel + flame + smoke {text}")


def _carried_rows(definition: Any, names: tuple[str, ...], count: int) -> dict[str, np.ndarray]:
    """What is said of the fluid, a value for each point."""
    given = {name: getattr(definition, name) for name in names}
    return {name: _per_row(v, count) for name, v in given.items() if v is not None}


def _per_row(value: Any, count: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(value, np.float32), (count,))


@dataclasses.dataclass(frozen=True, eq=False)
class Points(Source):
    """Tracers born at given points, with attributes of their own.

    One at each point at `start`; or `rate` a second in all, the points in turn.

    Parameters
    ----------
    fuel, flame, smoke : number or (n,) numbers, optional
        The tracers' own, as `temperature`, `fuel`, `flame` and `soot` of `Tracers`.

    Notes
    -----
    What changes in time is taken at birth, and is one number for all points. Tracers have the fluid
    of the vortons around them: for warm smoke give the points to `VortonPoints`, too.

    Examples
    --------
    >>> Points([(0, 0, 0), (1, 0, 0)], size=0.1, density=[1, 2]).size
    0.1
    """

    positions: np.ndarray = vectors_field("1 to 2^20 points", "m")
    size: Any = _each_or_moving(
        _values("spacing of the points there", "m"), number(None, "m", "spacing", above=0, most=1e9)
    )
    density: Any = _each_or_moving(
        _values("smoke there: a tracer carries density x size^3", "kg/m^3", 1.0, zero=True),
        number(1.0, "kg/m^3", "smoke", least=0),
    )
    lifetime: Any = _each_or_moving(
        _values("age at which they are removed; default: never", "s", None),
        number(None, "s", "age at death", above=0),
    )
    rate: Any = _TRACERS("rate")
    start: float = _TRACERS("start")
    end: float | None = _TRACERS("end")
    jitter: Any = _TRACERS("jitter")
    growth: Any = _from_zero("rate at which the size of the tracers grows", "m/s", 1e9)
    fade: Any = _from_zero(
        "share of the lifetime, its last, in which the smoke thins out to nothing", "", 1
    )

    temperature: float | np.ndarray | None = _carried(
        "the tracers' own, as that of `Tracers`", "K", 1e-9, 1e6
    )
    fuel: float | np.ndarray | None = _carried("share of fuel", "", 0, 1)
    flame: float | np.ndarray | None = _carried("share of what burns", "", 0, 1)
    smoke: float | np.ndarray | None = _carried("share of smoke", "", 0, 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; growth, fade and what is their own only where there is some."""
        data = super().to_dict()
        for name in ("growth", "fade", *CARRIED[1:]):
            if data[name] in (None, 0):
                del data[name]
        return data

    def _check(self) -> None:
        names = ("size", "density", "lifetime", "growth", "fade", *CARRIED[1:])
        _check_lengths(self, names, len(self.positions))
        _check_shares(self)
        _refuse_mixed(self, self.density, ("size",))
        _refuse_mixed(self, self.size, ("density",))
        check_end(self, goes_with="rate", goes_on=self._goes_on())

    def _goes_on(self) -> bool:
        return self.rate is not None

    def _smoke(self) -> Any:
        """What each stands for, kg; where that changes its density, kg/m^3, for the core to take
        times size^3 at birth.
        """
        if isinstance(self.density, Animation):
            return self.density
        if isinstance(self.size, Animation):
            return Keys([(0.0, self.density)])
        return _mass(self.density, self.size)

    def _add_to(self, core: Any, voxel: float) -> None:
        count = len(self.positions)
        moving = _TRACERS.values(self)
        rows: dict[str, np.ndarray] = {}
        values = {"density": self._smoke(), "size": self.size, "lifetime": self.lifetime}
        for name, value in values.items():
            if isinstance(value, Animation):
                moving[name] = value
            if value is not None:  # of what changes any allowed value
                rows[name] = _per_row(1.0 if isinstance(value, Animation) else value, count)
        for name in ("growth", "fade"):
            value = getattr(self, name)
            if isinstance(value, Animation):
                moving[name] = value
            elif np.any(value):
                rows[name] = _per_row(value, count)
        core.add(
            "tracer_points",
            position=self.positions,
            parent=self._parent_id(core),
            **rows,
            **_carried_rows(self, CARRIED[1:], count),
            **split(**moving),
        )


def _mass(density: Any, size: Any) -> Any:
    """Smoke that a tracer stands for, kg."""
    if np.ndim(density) == 0 and np.ndim(size) == 0:
        return float(density) * float(np.float32(size)) ** 3
    return (
        np.asarray(density, np.float32).astype(float)
        * np.asarray(size, np.float32).astype(float) ** 3
    )


@dataclasses.dataclass(frozen=True, eq=False)
class VortonPoints(Source):
    """Vortons at given points: vorticity from elsewhere.

    Vorticity that is not free of divergence (vortex lines with ends) is none; see `Filament`.

    Parameters
    ----------
    fuel, flame, smoke : number or (n,) numbers, optional
        Shares of the mass, 0 to 1, together at most 1; fuel needs `Scene(combustion=...)`.

    Notes
    -----
    Default of what the fluid carries: as the ambient fluid, if others of these are given; if none
    is, the vortons take up the fluid that is there already. Tracers have the fluid of the vortons
    around them.
    """

    positions: np.ndarray = vectors_field("1 to 2^20 points", "m")
    strengths: np.ndarray = vectors_field("vorticity times volume", "m^3/s")
    core: float | np.ndarray = _values("core radius", "m")
    volume: float | np.ndarray = _values("the volume that each stands for", "m^3")
    time: float = _VORTONS("time")
    rate: Any = _VORTONS("rate")
    end: float | None = _VORTONS("end")
    lifetime: float | np.ndarray | None = _values(
        "age at which they are removed, with their strength; default: never", "s", None
    )
    jitter: float = _VORTONS("jitter")
    density: float | np.ndarray | None = _carried(
        "deviation of the density of their fluid that is not due to temperature",
        "kg/m^3",
        -1e6,
        1e6,
    )
    temperature: float | np.ndarray | None = _carried("temperature of their fluid", "K", 1e-9, 1e6)
    fuel: float | np.ndarray | None = _carried("share of fuel", "", 0, 1)
    flame: float | np.ndarray | None = _carried("share of what burns", "", 0, 1)
    smoke: float | np.ndarray | None = _carried("share of smoke", "", 0, 1)

    def _check(self) -> None:
        if len(self.strengths) != len(self.positions):
            rows, points = len(self.strengths), len(self.positions)
            text = f"has {counted(rows, 'row')} for {counted(points, 'point')}"
            raise ValueError(f"VortonPoints.strengths {text}")
        _check_lengths(self, ("core", "volume", "lifetime", *CARRIED), len(self.positions))
        check_end(self, goes_with="rate", goes_on=self._goes_on())
        _check_shares(self)

    def _goes_on(self) -> bool:
        return self.rate is not None

    def _core_radius(self) -> float:
        return 2.0 * self._least_core()

    def _least_core(self) -> float:
        return float(np.min(self.core))

    def _span(self) -> tuple[Any, Any]:
        return self.positions.min(axis=0), self.positions.max(axis=0)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what says how they go on only where it is given."""
        data = super().to_dict()
        for name, default in (("rate", None), ("end", None), ("lifetime", None), ("jitter", 0.0)):
            if data[name] == default:
                del data[name]
        return data

    def _add_to(self, core: Any, voxel: float) -> None:
        count = len(self.positions)
        rows = ("core", "volume", "lifetime", *CARRIED)
        core.add(
            "vorton_points",
            position=self.positions,
            strength=self.strengths,
            parent=self._parent_id(core),
            **split(**_VORTONS.values(self)),
            **_carried_rows(self, rows, count),
        )
