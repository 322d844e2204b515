"""Particles and fields of a simulation as NumPy views on the live memory."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..base.checks import closest, shown
from ..scenes.scene import Scene

__all__ = ["Grids", "Particles", "Tracers", "VortonFlag", "Vortons", "set_known"]


def set_known(self: Any, name: str, value: Any) -> None:
    """Set an attribute that can be set; nothing that would go unheard is taken."""
    try:
        object.__setattr__(self, name, value)
    except AttributeError:
        cls = type(self)
        if hasattr(cls, name):
            text = "is read-only"
        else:
            public = [n for n in dir(cls) if not n.startswith("_")]
            text = f"is no attribute; {closest(name, public)}"
            if name in Scene.__annotations__:
                text = "belongs to the scene, and is given before the simulation is made"
                text += "; what changes in time is animated there"
        raise AttributeError(f"{cls.__name__}.{name} {text}") from None


class Particles:
    """Columns of one set of particles: an attribute for each, with one row for each particle alive.

    A column is a NumPy view of the live memory, which never moves: one that was taken earlier stays
    valid (also after ``del sim``) and shows what the rows hold now; it has as many rows as there
    were particles when it was taken. A step may permute the rows, all columns together: `id` is
    identity, and `rows` finds it. Assigning to a column, or to a part of it, writes into the
    simulation; `id` and `velocity` are read-only. Values are checked when the next step begins.
    """

    __slots__ = ("_core", "_burns")

    _set: str
    _columns: tuple[str, ...]

    def __init__(self, core: _core.Simulation, burns: bool = True) -> None:
        self._core = core
        self._burns = burns

    def __setattr__(self, name: str, value: Any) -> None:
        set_known(self, name, value)

    @property
    def count(self) -> int:
        """Particles alive."""
        return self._core.count(self._set)

    @property
    def capacity(self) -> int:
        """Room for particles."""
        return self._core.capacity(self._set)

    def __len__(self) -> int:
        return self.count

    def remove(self, mask: Any) -> None:
        """Remove the particles where the mask is True; the others keep their order.

        Parameters
        ----------
        mask : (count,) bool

        Raises
        ------
        TypeError, ValueError
            Not bool; another shape.

        Examples
        --------
        >>> sim.tracers.remove(sim.tracers.position[:, 2] > 3)          # doctest: +SKIP
        """
        self._core.remove(self._set, mask)

    def rows(self, ids: Any) -> np.ndarray:
        """Rows where particles are now.

        Parameters
        ----------
        ids : (n,) integers

        Returns
        -------
        (n,) int64
            -1 for one that is not alive.
        """
        return self._core.find_rows(self._set, ids)

    def _append(self, position: Any, *required: Any, **carried: Any) -> np.ndarray:
        """Rows of the required columns and of those that are carried; their ids."""
        _check_law(self._burns, carried["fuel"])
        rows = [_per_row(value, position) for value in required]
        checked = _carried(position, **carried)
        add = self._core.add_vortons if self._set == "vortons" else self._core.add_tracers
        ids = add(position, *rows)
        for name, values in checked.items():
            self._core.column(self._set, name)[self.count - len(ids) :] = values
        return ids

    def __repr__(self) -> str:
        try:
            size = f"{self.count} of {self.capacity}"
        except _core.BusyError:
            size = "stepping"
        return f"<vorton {self._set}: {size}; {', '.join(self._columns)}>"


class VortonFlag(enum.IntFlag):
    """Bits of the column ``sim.vortons.flags``.

    Attributes
    ----------
    NEUTRAL
        It was added around others, without strength, to go when none of them is near.
    NEWBORN_VORTEX
        It is of a vortex that has not taken up the fluid around it yet.
    BOUND_KNOWN
        Its first solve is done: `bound_volume` is known.
    SHED
        A body shed it.
    EMITTED
        An emitter bore it, or it stands for several such.
    STIRRED
        It has the vorticity of the eddies of an emitter's swirl.
    FED
        A body shed it, or has added to it what it sheds.
    LINE
        It is a piece of a vortex line one vorton thick, whose pieces have numbers in a row.
    LINE_START
        It is the first piece of the line.
    LINE_END
        It is the last piece of the line.
    LINE_CLOSED
        The last piece of the line is beside the first.
    NEWBORN_FLUID
        An emitter that goes on has just made it of ambient fluid, which has not been pushed away
        yet.

    Examples
    --------
    >>> neutral = sim.vortons.flags & vt.VortonFlag.NEUTRAL != 0    # doctest: +SKIP
    """

    NEUTRAL = _core.VORTON_FLAGS["NEUTRAL"]
    NEWBORN_VORTEX = _core.VORTON_FLAGS["NEWBORN_VORTEX"]
    BOUND_KNOWN = _core.VORTON_FLAGS["BOUND_KNOWN"]
    SHED = _core.VORTON_FLAGS["SHED"]
    EMITTED = _core.VORTON_FLAGS["EMITTED"]
    STIRRED = _core.VORTON_FLAGS["STIRRED"]
    FED = _core.VORTON_FLAGS["FED"]
    LINE = _core.VORTON_FLAGS["LINE"]
    LINE_START = _core.VORTON_FLAGS["LINE_START"]
    LINE_END = _core.VORTON_FLAGS["LINE_END"]
    LINE_CLOSED = _core.VORTON_FLAGS["LINE_CLOSED"]
    NEWBORN_FLUID = _core.VORTON_FLAGS["NEWBORN_FLUID"]


class Vortons(Particles):
    """Particles that carry vorticity: ``sim.vortons``."""

    __slots__ = ()

    _set = "vortons"

    def add(
        self,
        position: Any,
        strength: Any,
        *,
        core: Any,
        volume: Any,
        density: Any = None,
        temperature: Any = None,
        fuel: Any = None,
        flame: Any = None,
        smoke: Any = None,
    ) -> np.ndarray:
        """Append vortons.

        Parameters
        ----------
        position : (n, 3) numbers, m
        strength : (n, 3) numbers, m^3/s
            Vorticity times volume.
        core : number or (n,) numbers, m
            Core radius, > 0.
        volume : number or (n,) numbers, m^3
            The volume that each stands for, > 0.
        density : number or (n,) numbers, kg/m^3, optional
            Deviation of the density that is not due to temperature, default 0.
        temperature : number or (n,) numbers, K, optional
            > 0, default that of the ambient fluid.
        fuel, flame, smoke : number or (n,) numbers, optional
            Shares of the mass, 0 to 1, together at most 1, default 0.

        Returns
        -------
        (n,) int64
            Their ids.

        Raises
        ------
        ValueError, TypeError
            Wrong shape, dtype or range, NaN, infinity; fuel in a scene without combustion; nothing
            has changed then.
        vorton.CapacityError
            No room for n more.
        """
        own = {"temperature": temperature, "fuel": fuel, "flame": flame, "smoke": smoke}
        return self._append(position, strength, core, volume, density=density, **own)


class Tracers(Particles):
    """Particles that show the flow: ``sim.tracers``.

    A step gives every tracer the `temperature`, `fuel`, `flame` and `smoke` of the fluid around it.
    A temperature that is written is the tracer's own: it shows as long as it differs more from the
    ambient one than that of the vortons around does, and where something burns it cools
    (`Combustion`); writing the ambient one takes it away. Fuel, flame and smoke are the tracer's
    own with `Method.flames` "own" in a scene with combustion: what is written burns on. Elsewhere
    what is written lasts until the end of the next step.
    """

    __slots__ = ()

    _set = "tracers"

    def add(
        self,
        position: Any,
        *,
        density: Any,
        size: Any,
        temperature: Any = None,
        fuel: Any = None,
        flame: Any = None,
        smoke: Any = None,
    ) -> np.ndarray:
        """Append tracers.

        Parameters
        ----------
        position : (n, 3) numbers, m
        density : number or (n,) numbers, kg
            How much smoke each stands for, >= 0.
        size : number or (n,) numbers, m
            Spacing of the tracers around it, > 0.
        temperature : number or (n,) numbers, K, optional
            > 0, the tracers' own: see `vorton.Tracers`.
        fuel, flame, smoke : number or (n,) numbers, optional
            Shares of the mass, 0 to 1, together at most 1, default 0: see `vorton.Tracers`.

        Returns
        -------
        (n,) int64
            Their ids; raises as `Vortons.add`.
        """
        own = {"temperature": temperature, "fuel": fuel, "flame": flame, "smoke": smoke}
        return self._append(position, density, size, **own)


def _check_law(burns: bool, fuel: Any) -> None:
    if not burns and fuel is not None and np.any(np.asarray(fuel) != 0):
        law = "the scene has no law by which it burns: Scene(combustion=Combustion())"
        raise ValueError(f"fuel = {shown(fuel)}: {law}")


def _per_row(value: Any, position: Any) -> Any:
    """A number as one for each row of position; anything else as it is, for the core to check."""
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return np.full(np.shape(position)[:1], value)
    return value


_SHARES = _core.CARRIED[2:]
_ALLOWED: dict[str, tuple[Callable[[np.ndarray], Any], str]] = {
    "density": (np.isfinite, "finite values"),
    "temperature": (lambda values: values > 0, "finite values > 0 (K)"),
    **dict.fromkeys(_SHARES, (lambda values: (values >= 0) & (values <= 1), "0 to 1")),
}


def _carried(position: Any, **columns: Any) -> dict[str, np.ndarray]:
    """Checked values of the columns that are given, one for each row of position."""
    checked: dict[str, np.ndarray] = {}
    for name, value in columns.items():
        if value is None:
            continue
        values = np.asarray(_per_row(value, position))
        count = np.shape(position)[:1]
        if values.dtype.kind not in "fiu" or values.shape != count:
            raise TypeError(f"{name}: must be a number or {count} numbers")
        good, text = _ALLOWED[name]
        bad = ~(np.isfinite(values) & good(values))
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(f"{name} has {values[row]} in row {row}; allowed are {text}")
        checked[name] = values
    shares = sum((checked[name] for name in _SHARES if name in checked), np.zeros(1))
    if np.any(shares > 1 + 1e-6):
        row = int(np.argmax(shares))
        raise ValueError(f"{' + '.join(_SHARES)} is {shares[row]} in row {row}; allowed are 0 to 1")
    return checked


_NOTES = ("birth_volume", "mixture", "eddy_place")
"""Columns in which the library notes something for itself."""


def _add_columns(particles: type[Particles], rows: Sequence[Mapping[str, Any]]) -> None:
    """One property for each row of the table of columns, but for notes."""
    rows = [row for row in rows if row["name"] not in _NOTES]
    particles._columns = tuple(row["name"] for row in rows)
    for row in rows:
        shape = "(count, 3)" if row["components"] == 3 else "(count,)"
        documentation = f"{row['description']}: {shape} {row['dtype']}."
        setattr(particles, row["name"], _column(row["name"], documentation))


def _column(name: str, documentation: str) -> property:
    def get(self: Particles) -> np.ndarray:
        return self._core.column(self._set, name)

    def put(self: Particles, value: Any) -> None:
        # `column += x` comes here with the view itself, which has been written already.
        self._core.column(self._set, name)[...] = value

    return property(get, put, doc=documentation)


_add_columns(Vortons, _core.VORTON_COLUMNS)
_add_columns(Tracers, _core.TRACER_COLUMNS)


class Grids:
    """Fields on the nodes of the working grid: ``sim.grids``, an attribute for each.

    Arrays are read-only views of shape (nz, ny, nx) or (nz, ny, nx, 3) on the live memory; node
    ``[k, j, i]`` lies at ``origin + spacing * (i, j, k)``. Asking for one brings it up to date with
    the particles and bodies as they are. A view is right until the next step, or until a field is
    asked for after something else has changed; later it stays valid memory (also after ``del sim``)
    that may hold other things: copy what is to be kept.

    Velocity, potentials and divergence are the memory of the solver itself; the others are made by
    the stages of the solver each time they are asked for, and are what it will use in its next
    solve. Means are taken over the vortons around a node, weighted by their volumes.

    Raises
    ------
    ValueError
        For a field that is not there: `Method.velocity` is not "poisson"; no vorton carries
        circulation (velocity, vector_potential, divergence, vorticity); no fluid appears and no
        panels act (scalar_potential); no vorton carries what the field is the mean of.

    Examples
    --------
    >>> import numpy as np
    >>> import vorton as vt
    >>> scene = vt.Scene()
    >>> ring = scene.add(vt.VortexRing(core=0.1))
    >>> sim = vt.Simulation(scene)
    >>> sim.step()
    >>> speed = np.linalg.norm(sim.grids.velocity, axis=-1)
    >>> k, j, i = np.unravel_index(speed.argmax(), speed.shape)
    >>> fastest = np.add(sim.grids.origin, sim.grids.spacing * np.array([i, j, k]))
    """

    __slots__ = ("_core",)

    _fields: tuple[str, ...]

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core

    def __setattr__(self, name: str, value: Any) -> None:
        set_known(self, name, value)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Nodes along z, y and x: (nz, ny, nx)."""
        nx, ny, nz = self._core.grid_place()[0]
        return nz, ny, nx

    @property
    def origin(self) -> tuple[float, float, float]:
        """Place of node [0, 0, 0], m."""
        return self._core.grid_place()[1]

    @property
    def spacing(self) -> float:
        """Distance between neighbouring nodes, m."""
        return self._core.grid_place()[2]

    def __repr__(self) -> str:
        try:
            shape, origin, spacing = self._core.grid_place()
        except (_core.BusyError, ValueError) as error:
            return f"<vorton grids: {error}>"
        nodes = " x ".join(str(n) for n in shape)
        corner = ", ".join(f"{x:g}" for x in origin)
        return f"<vorton grids: {nodes} nodes, {spacing:g} m apart, from ({corner}) m>"


def _add_fields(grids: type[Grids], rows: Sequence[Mapping[str, Any]]) -> None:
    """One property for each row of the table of fields."""
    grids._fields = tuple(row["name"] for row in rows)
    for row in rows:
        shape = "(nz, ny, nx, 3)" if row["components"] == 3 else "(nz, ny, nx)"
        unit = f", {row['unit']}" if row["unit"] else ""
        description = row["description"]
        text = f"{description[0].upper()}{description[1:]}{unit}: {shape} {row['dtype']}."
        setattr(grids, row["name"], _field(row["name"], text))


def _field(name: str, documentation: str) -> property:
    def get(self: Grids) -> np.ndarray:
        return self._core.grid(name)[0]

    return property(get, doc=documentation)


_add_fields(Grids, _core.GRID_FIELDS)
