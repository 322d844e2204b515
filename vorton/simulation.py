"""Simulation: a scene in motion, its particles and fields as NumPy views on the live memory."""

from __future__ import annotations

import copy
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from .ambient import Liquid
from .animation import Animation, frame_rate, split
from .bodies import Container
from .effects import Wind
from .emitter import Emitter
from .fields import check_flag, check_number, closest, shown
from .points import Points
from .records import Bodies, BodyState, Health, StageTime, Timings
from .scene import Scene
from .shapes import Plane
from .source_base import FluidSource
from .sources import Tracers as TracerSource

__all__ = ["Grids", "Simulation", "Tracers", "Vortons"]


def _set_known(self: Any, name: str, value: Any) -> None:
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

    __slots__ = ("_core",)

    _set: str
    _columns: tuple[str, ...]

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core

    def __setattr__(self, name: str, value: Any) -> None:
        _set_known(self, name, value)

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

    def __repr__(self) -> str:
        try:
            size = f"{self.count} of {self.capacity}"
        except _core.BusyError:
            size = "stepping"
        return f"<vorton {self._set}: {size}; {', '.join(self._columns)}>"


class Vortons(Particles):
    """Particles that carry vorticity: ``sim.vortons``."""

    __slots__ = ("_burns",)

    _set = "vortons"

    def __init__(self, core: _core.Simulation, burns: bool = True) -> None:
        super().__init__(core)
        self._burns = burns

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
        _check_law(self._burns, fuel)
        core, volume = _per_row(core, position), _per_row(volume, position)
        carried = _carried(
            position,
            density=density,
            temperature=temperature,
            fuel=fuel,
            flame=flame,
            smoke=smoke,
        )
        ids = self._core.add_vortons(position, strength, core, volume)
        for name, values in carried.items():
            self._core.column(self._set, name)[self.count - len(ids) :] = values
        return ids


class Tracers(Particles):
    """Particles that show the flow: ``sim.tracers``."""

    __slots__ = ("_burns",)

    _set = "tracers"

    def __init__(self, core: _core.Simulation, burns: bool = True) -> None:
        super().__init__(core)
        self._burns = burns

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
            Their ids.

        Raises
        ------
        ValueError, TypeError
            Wrong shape, dtype or range, NaN, infinity; fuel in a scene without combustion; nothing
            has changed then.
        vorton.CapacityError
            No room for n more.
        """
        _check_law(self._burns, fuel)
        density, size = _per_row(density, position), _per_row(size, position)
        own = {"temperature": temperature, "fuel": fuel, "flame": flame, "smoke": smoke}
        carried = _carried(position, **own)
        ids = self._core.add_tracers(position, density, size)
        for name, values in carried.items():
            if name == "temperature":  # until now it is that of the ambient fluid
                new = self._core.column(self._set, name)[self.count - len(ids) :]
                self._core.give_tracers("warmth", values - new)
            self._core.give_tracers(name, values)
        return ids


def _check_law(burns: bool, fuel: Any) -> None:
    if not burns and fuel is not None and np.any(np.asarray(fuel) != 0):
        law = "the scene has no law by which it burns: Scene(combustion=Combustion())"
        raise ValueError(f"fuel = {shown(fuel)}: {law}")


def _per_row(value: Any, position: Any) -> Any:
    """A number as one for each row of position; anything else as it is, for the core to check."""
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return np.full(np.shape(position)[:1], value)
    return value


_SHARES = ("fuel", "flame", "smoke")
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


_NOTES = ("birth_volume", "mixture")
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
    """Fields on the nodes of the working grid: ``sim.grids``.

    Arrays are read-only views of shape (nz, ny, nx, 3) on the live memory; node ``[k, j, i]`` lies
    at ``origin + spacing * (i, j, k)``. Asking for one brings the fields up to date with the
    particles; a view taken earlier is right until the next step.
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core

    def __setattr__(self, name: str, value: Any) -> None:
        _set_known(self, name, value)

    @property
    def velocity(self) -> np.ndarray:
        """Velocity relative to the uniform wind, m/s: (nz, ny, nx, 3) float32."""
        return self._core.grid("velocity")[0]

    @property
    def vector_potential(self) -> np.ndarray:
        """Vector potential, m^2/s: (nz, ny, nx, 3) float32."""
        return self._core.grid("vector_potential")[0]

    @property
    def origin(self) -> tuple[float, float, float]:
        """Place of node [0, 0, 0], m."""
        return self._core.grid("velocity")[1]

    @property
    def spacing(self) -> float:
        """Distance between neighbouring nodes, m."""
        return self._core.grid("velocity")[2]

    def __repr__(self) -> str:
        try:
            view, origin, spacing = self._core.grid("velocity")
        except (_core.BusyError, ValueError) as error:
            return f"<vorton grids: {error}>"
        nodes = " x ".join(str(n) for n in view.shape[2::-1])
        corner = ", ".join(f"{x:g}" for x in origin)
        return f"<vorton grids: {nodes} nodes, {spacing:g} m apart, from ({corner}) m>"


class Simulation:
    """A scene in motion.

    Parameters
    ----------
    scene : Scene, optional
        What happens; it is copied. Default: an empty scene.
    fps : number, 1/s
        Frames a second, > 0, default 24.
    threads : whole number, optional
        1 to 64; default: all processors of the process. The result does not depend on it.
    spacing : number, m, optional
    viscosity, thermal_diffusivity : number, m^2/s, optional; animatable
    method : Method, optional
    max_vortons, max_tracers, max_nodes : whole number, optional
    at_capacity : "error", "oldest" or "stop", optional
        Instead of what the scene says.

    Attributes
    ----------
    vortons, tracers : Vortons, Tracers
        The particles as NumPy views.
    grids : Grids
        The fields as NumPy views.
    scene : Scene
        The scene, with what was given here instead, and the method of now. It does not change any
        more: copy it (``copy.copy``) to make another one of it.
    method : Method
        The method of now. Setting it switches: see `method`.
    fps : float
        Frames a second; may be set.
    frame : int
        Frames that have been stepped; may be set.

    Raises
    ------
    ValueError, TypeError
        A value out of range or of the wrong kind, naming the argument and what is allowed.

    Notes
    -----
    One thread at a time may use a simulation: a second one gets `vorton.BusyError`.

    Examples
    --------
    >>> import vorton as vt
    >>> scene = vt.Scene("ring")
    >>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1))
    >>> sim = vt.Simulation(scene, fps=24)
    >>> for frame in sim.frames(2):
    ...     highest = sim.vortons.position[:, 2].max()
    >>> round(sim.time * 24)
    2
    """

    __slots__ = ("_core", "_fps", "_grids", "_scene", "_threads", "_tracers", "_vortons", "frame")

    def __init__(
        self,
        scene: Scene | None = None,
        fps: float = 24.0,
        *,
        threads: int | None = None,
        spacing: float | None = None,
        viscosity: Any = None,
        thermal_diffusivity: Any = None,
        method: Any = None,
        max_vortons: int | None = None,
        max_tracers: int | None = None,
        max_nodes: int | None = None,
        at_capacity: str | None = None,
    ) -> None:
        if scene is not None and not isinstance(scene, Scene):
            raise TypeError(f"scene = {shown(scene)}: must be a Scene")
        self._scene = Scene() if scene is None else copy.copy(scene)
        self.fps = fps
        instead = {
            "spacing": spacing,
            "viscosity": viscosity,
            "thermal_diffusivity": thermal_diffusivity,
            "method": method,
            "max_vortons": max_vortons,
            "max_tracers": max_tracers,
            "max_nodes": max_nodes,
            "at_capacity": at_capacity,
        }
        for name, value in instead.items():
            if value is not None:
                setattr(self._scene, name, value)
        self._threads = 0 if threads is None else threads
        self.frame = 0
        with frame_rate(self.fps):
            self._open(_make_core(self._scene, self._threads))

    def _open(self, core: _core.Simulation) -> None:
        """Make this the simulation of a core."""
        self._scene._close()
        self._core = core
        self._vortons = Vortons(core, self._scene.combustion is not None)
        self._tracers = Tracers(core, self._scene.combustion is not None)
        self._grids = Grids(core)

    def __setattr__(self, name: str, value: Any) -> None:
        _set_known(self, name, value)

    @property
    def scene(self) -> Scene:
        """The scene, with what was given instead and the method of now; it cannot be changed."""
        return self._scene

    @property
    def vortons(self) -> Vortons:
        """Particles that carry vorticity."""
        return self._vortons

    @property
    def tracers(self) -> Tracers:
        """Particles that show the flow."""
        return self._tracers

    @property
    def grids(self) -> Grids:
        """Fields on the nodes of the working grid."""
        return self._grids

    @property
    def fps(self) -> float:
        """Frames a second: `step` goes on by 1 / fps."""
        return self._fps

    @fps.setter
    def fps(self, value: float) -> None:
        self._fps = check_number("fps", value, above=0, unit="1/s")

    @property
    def method(self) -> Any:
        """The method of now, a `Method`. Setting it goes on with another one from here.

        Between two steps, however often. All that evolves stays as it is; what the new method alone
        needs begins now: vortons count as born with the strength that they have (`Method.split`),
        bodies get the panels that it asks for or lose them, the grid is placed anew. From there on
        it is as if the simulation had been made with this method. `scene` has the method of now;
        a bake makes a simulation of its own with the method of its scene, and never switches.

        Raises
        ------
        TypeError, ValueError
            Not a Method; one that the scene does not allow (gas that would burn in a closed
            container): then nothing has changed.
        vorton.BusyError
            Another thread is inside this simulation.

        Examples
        --------
        >>> import vorton as vt
        >>> sim = Simulation()
        >>> sim.method = sim.method.replace(velocity="direct")
        >>> sim.scene.method.velocity
        'direct'
        """
        return self._scene.method

    @method.setter
    def method(self, value: Any) -> None:
        scene = copy.copy(self._scene)
        try:
            scene.method = value
        except TypeError as error:
            raise TypeError(str(error).replace("Scene.method", "method", 1)) from None
        _check_room_to_burn(scene)
        _warn_of_no_buoyancy(scene)
        self._core.set_method(scene.method.to_dict())
        scene._close()
        self._scene = scene

    def copy(
        self,
        *,
        method: Any = None,
        max_vortons: int | None = None,
        max_tracers: int | None = None,
    ) -> Simulation:
        """Branch: a second simulation in the same state.

        From here on the same calls give the same bits in both, and neither sees the other: a view
        belongs to the simulation that it was taken from. ``copy.copy(sim)`` does the same.

        Parameters
        ----------
        method : Method, optional
            The copy goes on with this one, as where `method` is set.
        max_vortons, max_tracers : whole number, optional
            Room in the copy, at least for those alive; default: as much as here. This is the way to
            more room, since columns never move.

        Returns
        -------
        Simulation

        Raises
        ------
        ValueError, TypeError
            Less room than there are particles alive; not a whole number; not a method for it.
        MemoryError
            No memory for it.
        vorton.BusyError
            Another thread is inside this simulation.

        Examples
        --------
        >>> sim = Simulation()
        >>> calm, gusty = sim.copy(), sim.copy(max_tracers=20_000_000)
        """
        room = {"max_vortons": max_vortons, "max_tracers": max_tracers}
        room = {name: value for name, value in room.items() if value is not None}
        other = object.__new__(type(self))
        if hasattr(self, "__dict__"):  # of a class derived from this one
            other.__dict__.update(copy.deepcopy(self.__dict__))
        for name in ("_fps", "_threads", "frame"):
            setattr(other, name, getattr(self, name))
        other._scene = copy.copy(self._scene)
        for name, value in room.items():
            setattr(other._scene, name, value)
        other._open(self._core.copy(**room))
        if method is not None:
            other.method = method
        return other

    def __copy__(self) -> Simulation:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        return self.copy()

    # ---- time ----

    @property
    def time(self) -> float:
        """Seconds since the beginning."""
        return self._core.time

    def step(self, frames: int = 1) -> None:
        """Advance by whole frames of 1 / fps seconds.

        Other Python threads run meanwhile; Ctrl-C is seen between two frames.

        Parameters
        ----------
        frames : whole number
            >= 0, default 1.

        Raises
        ------
        ValueError
            NaN or infinity in the state; the step then did not happen.
        vorton.CapacityError
            Births that do not fit, for at_capacity="error".
        vorton.BusyError
            Another thread is inside this simulation.
        """
        for _ in range(_frame_count(frames)):
            self._core.step(1.0 / self.fps)
            self.frame += 1

    def frames(self, count: int) -> Iterator[int]:
        """Step `count` frames; yields the number of each, `frame`, when it is there.

        Examples
        --------
        >>> for frame in Simulation().frames(2):
        ...     print(frame)
        1
        2
        """
        return self._frames(_frame_count(count))

    def _frames(self, count: int) -> Iterator[int]:
        for _ in range(count):
            self.step()
            yield self.frame

    def advance(self, dt: float) -> None:
        """Advance by dt seconds, > 0 (0 changes nothing); raises as `step`."""
        self._core.step(dt)

    # ---- fields ----

    def update_fields(self) -> None:
        """Bring views of `grids` up to date with the particles as they are now."""
        self._core.update_fields()

    def velocity_at(self, points: Any) -> np.ndarray:
        """Velocity at points anywhere, from the fields of now.

        Parameters
        ----------
        points : (n, 3) numbers, m

        Returns
        -------
        (n, 3) float32, m/s
        """
        return self._core.velocity_at(points)

    def volume(
        self,
        voxel: float | None = None,
        velocity_margin: float = 3.0,
        *,
        sharp: bool = False,
    ) -> _core.Volume:
        """Density and velocity on voxels, from the state of now.

        Parameters
        ----------
        voxel : number, m, optional
            Default: the scene's nominal voxel.
        velocity_margin : number
            Voxels beyond density in which velocity is stored, 0 to 16, default 3.
        sharp : bool
            Whether each tracer is drawn as an ellipsoid of the form in which those around it lie,
            so that thin sheets of few tracers are sheets and not dots; default False. It shows
            where there are fewer than 4 tracers in a voxel, and takes some 1 us a tracer instead of
            .05, and 170 bytes of memory while it works.
        """
        size = self.nominal_voxel if voxel is None else voxel
        return self._core.volume(
            voxel_size=size,
            velocity_margin=velocity_margin,
            threads=self._threads,
            sharp=check_flag("sharp", sharp),
        )

    @property
    def nominal_voxel(self) -> float:
        """`Scene.nominal_voxel`, m."""
        with frame_rate(self.fps):
            return self.scene.nominal_voxel

    # ---- records ----

    @property
    def health(self) -> Any:
        """Health of the flow, computed now: a `vorton.records.Health`.

        Examples
        --------
        >>> health = Simulation().health
        >>> health.energy == health["energy"] == 0.0
        True
        """
        return Health(**self._core.health())

    @property
    def bodies(self) -> Bodies:
        """Where the bodies and containers are now, and how they move from now on.

        A `vorton.records.BodyState` for each, by number in the order of `Scene.bodies` or by name.

        Examples
        --------
        >>> import vorton as vt
        >>> scene = vt.Scene()
        >>> ball = scene.add(vt.Body(vt.Sphere((0, 0, 2), 0.5), name="ball"))
        >>> Simulation(scene).bodies["ball"].position
        (0.0, 0.0, 2.0)
        """
        return Bodies([BodyState(**row) for row in self._core.bodies()])

    def set_body(
        self,
        body: int | str,
        position: Any = None,
        rotation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
        over: float = 0.0,
    ) -> None:
        """Set where a body is, or how it moves from now on.

        This is how somebody else owns the motion of a body, an engine of rigid bodies, say: give
        the body a density and ``held=True``, or no density, and before each step say where it will
        be when the step ends. What the fluid gives it is in its record: see `bodies`.

        Parameters
        ----------
        body : whole number or str
            As in `bodies`; not one that a moving parent moves. Containers, too.
        position : three numbers, m, optional
            Of its centre; default: as it is.
        rotation : four numbers, optional
            Quaternion (w, x, y, z) of any length but 0; default: as it is.
        velocity, angular_velocity : three numbers, m/s and rad/s, optional
            Default: as they are. A body that does not move by itself keeps them until it is set
            again.
        over : number, s
            0 (default): it is there at once, and particles in its way are put out of it by the
            shortest way. > 0: it sets out for that place, straight and turning the shorter way, so
            as to be there in that time; it sweeps along what it meets, however fast it is, and then
            keeps that velocity until it is set again. Not for a body that moves by itself.

        Raises
        ------
        ValueError, TypeError, IndexError, KeyError
            A value out of range, naming the body; no such body.

        Examples
        --------
        >>> import vorton as vt
        >>> scene = vt.Scene()
        >>> paddle = scene.add(vt.Body(vt.Box(), name="paddle"))
        >>> sim = Simulation(scene)
        >>> sim.set_body("paddle", position=(1, 0, 0), over=1 / 24)
        >>> sim.step()
        >>> round(sim.bodies["paddle"].position[0], 6)
        1.0
        """
        core = self._core
        core.set_body(
            self.bodies.index_of(body), position, rotation, velocity, angular_velocity, over
        )

    def apply_impulse(
        self, body: int | str, impulse: Any, point: Any = None, angular_impulse: Any = None
    ) -> None:
        """Push a body that moves by itself: its velocities change at once.

        Parameters
        ----------
        body : whole number or str
            As in `bodies`.
        impulse : three numbers, N s
        point : three numbers, m, optional
            Where it acts; default: at the centre.
        angular_impulse : three numbers, N m s, optional
            About the centre, in addition.

        Raises
        ------
        ValueError, TypeError, IndexError, KeyError
            A body that does not move by itself, values that are not finite; no such body.
        """
        self._core.apply_impulse(self.bodies.index_of(body), impulse, point, angular_impulse)

    def body_distance(
        self, body: int | str, points: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Signed distances of points from the walls of a body as it is now.

        Parameters
        ----------
        body : whole number or str
            As in `bodies`.
        points : (n, 3) numbers, m

        Returns
        -------
        distance : (n,) float64, m
            > 0 where particles may be: outside of a solid, inside of a container. Exact for one
            shape; where several shapes of a solid overlap, a lower bound of the depth.
        nearest : (n, 3) float64, m
            Nearest points of the walls.
        normal : (n, 3) float64
            Unit vectors along which the distance grows.

        Raises
        ------
        ValueError, TypeError, IndexError, KeyError
            Points that are not finite or of another shape; no such body.
        """
        return self._core.body_distance(self.bodies.index_of(body), points)

    @property
    def timings(self) -> Timings:
        """Time spent in each stage: a `vorton.records.Timings`.

        Examples
        --------
        >>> Simulation().timings.step.calls
        0
        """
        rows = {row.pop("name"): row for row in self._core.timings()}
        return Timings({name: StageTime(**row) for name, row in rows.items()})

    def __repr__(self) -> str:
        head = f"<vorton.Simulation {self.scene.name!r}: frame {self.frame}"
        try:
            content = f"{self.vortons.count} vortons, {self.tracers.count} tracers"
            return f"{head}, {self.time:.4g} s, {content}>"
        except _core.BusyError:
            return f"{head}, stepping>"


def _frame_count(value: Any) -> int:
    try:
        count = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        raise TypeError(f"frames = {shown(value)}: must be a whole number >= 0") from None
    if count < 0:
        raise ValueError(f"frames = {shown(value)}: must be a whole number >= 0")
    return count


def _has_fuel(source: Any) -> bool:
    fuel = getattr(source, "fuel", None)
    return bool(np.any(fuel > 0)) if isinstance(fuel, np.ndarray) else fuel not in (None, 0)


def _check_density(index: int, source: Any, scene: Scene) -> None:
    """Fluid weighs something: less than the ambient fluid, but not less than nothing."""
    if not isinstance(source, FluidSource):
        return
    density = source.density
    values = density._values() if isinstance(density, Animation) else (density,)
    if min(values) <= -scene.ambient.density:
        raise ValueError(
            f"sources[{index}]: {type(source).__name__}.density = {shown(density)}: must be > "
            f"-{scene.ambient.density:g}, minus that of the ambient fluid (kg/m^3)"
        )


def _check_room_to_burn(scene: Scene) -> None:
    """Gas that burns in a closed container could not expand."""
    closed = [
        (index, body)
        for index, body in enumerate(scene.bodies)
        if isinstance(body, Container) and not all(isinstance(s, Plane) for s in body.shapes)
    ]
    method, combustion = scene.method, scene.combustion
    expands = method.expansion > 0 and method.velocity == "poisson"
    if not (closed and expands) or isinstance(scene.ambient, Liquid):
        return
    number, body = closed[0]
    where = f"bodies[{number}], Container {body.name!r}" if body.name else f"bodies[{number}]"
    remedy = (
        f"expands, which it cannot in the closed container {where}; make that of planes (a floor, "
        "walls), so that it is open somewhere, or set Scene(method=Method(expansion=0)): then hot "
        "gas is light and does not push"
    )
    for index, other in enumerate(scene.bodies):
        warm = other.temperature is not None or getattr(other, "specific_heat", None)
        if warm and other.conductance != 0:
            what = f"bodies[{index}]: {type(other).__name__} {other.name!r} exchanges heat"
            raise ValueError(f"{what}: gas that becomes warmer {remedy}")
    if not (combustion and combustion.heat > 0):
        return
    for index, source in enumerate(scene.sources):
        if _has_fuel(source) and not isinstance(source, (TracerSource, Points)):
            what = f"sources[{index}]: {type(source).__name__}.fuel = {shown(source.fuel)}"
            raise ValueError(f"{what}: burning gas {remedy}")


def _warn_of_no_buoyancy(scene: Scene) -> None:
    """Without the grid nothing rises: for comparison that may be what is wanted."""
    method = scene.method
    moving = not isinstance(scene.gravity, tuple)
    pulled = moving or any(scene.gravity)
    rises = pulled and method.buoyancy != "none" and method.buoyancy_scale > 0
    emitters = [index for index, s in enumerate(scene.sources) if isinstance(s, Emitter)]
    if emitters and rises and method.velocity != "poisson":
        text = (
            f"sources[{emitters[0]}]: Emitter: with Method.velocity {method.velocity!r} its fluid "
            "neither rises nor sinks: that needs 'poisson'; Method(buoyancy='none') says that this "
            "is meant"
        )
        warnings.warn(text, stacklevel=3)


def _make_core(scene: Scene, threads: int) -> _core.Simulation:
    core = _core.Simulation(
        max_vortons=scene.max_vortons,
        max_tracers=scene.max_tracers,
        max_nodes=scene.max_nodes,
        spacing=scene.spacing or 0.0,
        ambient=scene.ambient._core_ambient(),
        combustion=scene.combustion._core_combustion() if scene.combustion else {},
        dissipation=scene.dissipation,
        seed=scene.seed,
        threads=threads,
        at_capacity=scene.at_capacity,
        method=scene.method.to_dict(),
        **split(
            gravity=scene.gravity,
            viscosity=scene.viscosity,
            thermal_diffusivity=scene.thermal_diffusivity,
            **({} if isinstance(scene.wind, Animation) else {"wind": scene.wind}),
        ),
    )
    if isinstance(scene.wind, Animation):
        Wind(scene.wind)._add_to(core)
    # Only tracers that are asked for by the voxel need to know it.
    by_voxel = any(getattr(source, "per_voxel", None) is not None for source in scene.sources)
    voxel = scene.nominal_voxel if by_voxel else math.nan
    for index, source in enumerate(scene.sources):
        if _has_fuel(source) and scene.combustion is None:
            what = f"sources[{index}]: {type(source).__name__}.fuel = {shown(source.fuel)}"
            law = "the scene has no law by which it burns: Scene(combustion=Combustion())"
            raise ValueError(f"{what}: {law}")
        _check_density(index, source, scene)
        try:
            source._add_to(core, voxel)
        except ValueError as error:
            raise type(error)(f"sources[{index}]: {type(source).__name__}: {error}") from error
    _check_room_to_burn(scene)
    _warn_of_no_buoyancy(scene)
    for effect in scene.effects:
        effect._add_to(core)
    for index, body in enumerate(scene.bodies):  # last: they look at what is there
        try:
            body._add_to(core)
        except (TypeError, ValueError) as error:
            raise type(error)(f"bodies[{index}]: {error}") from error
    return core
