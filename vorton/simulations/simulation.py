"""Simulation: a scene in motion, its particles and fields as NumPy views on the live memory."""

from __future__ import annotations

import copy
import operator
import os
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from .. import _core
from ..archive.reading import Archive
from ..base.checks import check_flag, check_integer, check_number, check_place, counted, shown
from ..base.pickled import Pickled
from ..definitions.animation import frame_rate
from ..definitions.records import Health, StageTime, Timings
from ..files.disk import write_atomically
from ..scenes.scene import Scene
from ..scenes.scene_warning import warn
from .body_motion import BodyMotion
from .flow_advice import FRAMES_APART, describe_faults
from .live_changes import LiveChanges
from .opening import check_method, explain_capacity, make_core, name_items, name_nearest
from .saved import encode, open_archive, same_state
from .views import Grids, Tracers, Vortons, set_known

__all__ = ["Simulation"]


class Simulation(LiveChanges, BodyMotion, Pickled):
    """A scene in motion.

    Parameters
    ----------
    scene : Scene, optional
        What happens; it is copied. Default: an empty scene.
    fps : number, 1/s
        Frames a second, > 0, default 24.
    threads : whole number, optional
        0 to 64; 0, the default: all processors of the process. The result does not depend on it.
    spacing : number, m, optional
    viscosity, thermal_diffusivity : number, m^2/s, optional; animatable
    method : Method, optional
    max_vortons, max_tracers, max_nodes : whole number, optional
    at_capacity : "error", "oldest" or "stop", optional
        Instead of what the scene says.

    Attributes
    ----------
    frame : int
        Frames that have been stepped, >= 0; may be set, which changes the number alone.

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

    __slots__ = (
        "_added",
        "_altered",
        "_core",
        "_fps",
        "_grids",
        "_made_with_fps",
        "_made_with_method",
        "_scene",
        "_threads",
        "_told",
        "_tracers",
        "_vortons",
        "_warned",
        "frame",
    )

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
        given = dict(locals())  # a copy: a debugger that looks at the frame adds to it
        if scene is not None and not isinstance(scene, Scene):
            raise TypeError(f"scene = {shown(scene)}: must be a Scene")
        self._scene = Scene() if scene is None else copy.copy(scene)
        self.fps = fps
        for name, value in given.items():
            if name in Scene.__annotations__ and value is not None:
                setattr(self._scene, name, value)
        threads = 0 if threads is None else threads
        self._threads = check_integer("threads", threads, least=0, most=64)
        self.frame = self._warned = 0
        self._altered = False
        self._told: set[str] = set()
        self._made_with_fps, self._made_with_method = self._fps, self._scene.method
        with frame_rate(self.fps):
            core, self._added = make_core(self._scene, self._threads)
            self._open(core)

    def _open(self, core: _core.Simulation) -> None:
        """Make this the simulation of a core."""
        self._scene._close()
        self._core = core
        self._vortons = Vortons(core, self._scene.combustion is not None)
        self._tracers = Tracers(core, self._scene.combustion is not None)
        self._grids = Grids(core)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "frame":
            value = check_integer("frame", value, least=0, most=2**53)
        set_known(self, name, value)

    @property
    def scene(self) -> Scene:
        """The scene, with what was given instead and the method of now; it cannot be changed: copy
        it (``copy.copy``) to make another one of it."""
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
        """Frames a second: `step` goes on by 1 / fps; may be set."""
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
        check_method(scene)
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
        for name in set(Simulation.__slots__) - {"_core", "_grids", "_tracers", "_vortons"}:
            setattr(other, name, copy.copy(getattr(self, name)))
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

    def same_state(self, other: Simulation) -> bool:
        """Whether another simulation has the same scene and is in the same state, bit by bit.

        Then the same calls give the same bits in both. Views, timings and threads do not matter,
        nor, with `Scene.at_capacity` "error", room for particles. (``sim == other`` asks whether
        they are one and the same.)

        Raises
        ------
        TypeError
            Not a simulation.

        Examples
        --------
        >>> sim = Simulation()
        >>> sim.same_state(sim.copy())
        True
        """
        if not isinstance(other, Simulation):
            raise TypeError(f"other = {shown(other)}: must be a Simulation")
        return same_state(self, other)

    # ---- files ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write scene and state into a motion archive (.vta) of one frame.

        `Simulation.load` reads it, and goes on with the same bits. ``pickle.dumps(sim)`` holds the
        same.

        Raises
        ------
        ValueError
            A simulation that its scene does not make again, since something was removed, or changed
            late, while it ran.
        OSError
            When the file cannot be written; an older file is then as it was.

        Examples
        --------
        >>> sim = Simulation()
        >>> sim.save("now.vta")  # doctest: +SKIP
        >>> again = Simulation.load("now.vta")  # doctest: +SKIP
        """
        path = check_place("path", path)
        write_atomically(path, encode(self, path.parent))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        frame: int | None = None,
        *,
        threads: int | None = None,
    ) -> Self:
        """The simulation that an archive holds: a saved one, or a frame of a bake.

        Parameters
        ----------
        path : path
            A .vta file.
        frame : whole number, optional
            Number of a frame, as a bake counts them: 1 is the start, `frame` is then 0. Default:
            the last one.
        threads : whole number, optional
            As of a new simulation.

        Raises
        ------
        ValueError, TypeError
            Not an archive; damaged; no such frame; of a version of vorton whose state has other
            parts; a scene that cannot be made again.
        OSError
            When it cannot be read.

        Warns
        -----
        vorton.SceneWarning
            Another build of vorton has saved it: what follows is not the same to the bit.
        """
        with Archive(path) as archive:
            sim = object.__new__(cls)
            open_archive(sim, Simulation.__init__, archive, frame, threads)
            return sim

    def __getstate__(self) -> tuple[bytes, int, dict[str, Any]]:
        """For pickle: as `save`, with what a class derived from this one has of its own."""
        return encode(self, None), self._threads, getattr(self, "__dict__", {})

    def __setstate__(self, state: tuple[bytes, int, dict[str, Any]]) -> None:
        content, threads, own = state
        with Archive.of_bytes(content) as archive:
            open_archive(self, Simulation.__init__, archive, None, threads)
        if own:
            self.__dict__.update(own)

    # ---- time ----

    @property
    def time(self) -> float:
        """Seconds since the beginning."""
        return self._core.time

    def step(
        self, frames: int = 1, *, progress: Callable[[float, float, int], Any] | None = None
    ) -> None:
        """Advance by whole frames of 1 / fps seconds.

        Other Python threads run meanwhile; Ctrl-C is seen between two substeps of a frame.

        Parameters
        ----------
        frames : whole number
            >= 0, default 1.
        progress : function of (fraction, time, substeps), optional
            Called before each substep of a frame, the first too: how much of the frame is done, 0
            to below 1; the time so far, s; how many substeps that were. What it returns does not
            matter. It must not use this simulation. An exception in it ends the run, as Ctrl-C
            does, and is raised: whole substeps then stay, `time` says how far it came, the frame is
            not counted, and another step goes on from there.

        Raises
        ------
        ValueError
            NaN or infinity written into the state: nothing has changed then. A body that sheds and
            in the step, or 1/24 s of it, passes the fluid by more than 32 of its radii and 128
            cores: the message names it and how fast it may be; the substeps before it stay.
        vorton.BlowUpError
            The flow has blown up, or a frame is too long for it: the message says where, which
            source and which body are nearest, and what to change. The substeps before it stay,
            `time` says how far it came.
        vorton.CapacityError
            Births that do not fit, for at_capacity="error": nothing has changed then. What bodies
            shed, splits or is kept as a halo in a later substep may not fit either: the substeps
            before it stay.

        Warns
        -----
        vorton.SceneWarning
            Once each: fuel that nothing sets on fire; substeps by the hundred for diffusion alone;
            a body that sheds and in the step, or 1/24 s of it, passes the fluid by more than 16 of
            its radii; a source of which more than 100 000 vortons are there after a second, or as
            many that bodies have shed, or a force whose shape is filled and surrounded with more
            than 500 000; vortons, or tracers, that fill three quarters of their room and become
            more, with what they come from and how long the rest lasts (at_capacity "error");
            bodies whose panels are too wide for what their walls enclose, or too many to be solved
            for together, and one that has fewer than the `panels` that it was given; in every
            sixteenth frame, each number of `health` that is above its limit.
        """
        for _ in range(_frame_count(frames)):
            self.advance(1.0 / self.fps, progress=progress)
            self.frame += 1
            if self.frame % FRAMES_APART == 0:
                self._look_at_health()

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

    def advance(
        self, dt: float, *, progress: Callable[[float, float, int], Any] | None = None
    ) -> None:
        """Advance by dt seconds, > 0 (0 changes nothing); `progress` and errors as of `step`."""
        try:
            self._core.step(dt, progress=progress)
        except _core.BlowUpError as error:
            error.args = (f"{error}{name_nearest(self._scene, self._added, error)}",)
            raise
        except _core.CapacityError as error:
            error.args = (explain_capacity(self._scene, self._added, str(error)),)
            raise
        finally:
            self._pass_warnings_on()

    def _pass_warnings_on(self) -> None:
        """Those that the core has given since the last step, in Python's way."""
        given = self._core.warnings()
        for _, text in given[self._warned :]:
            self._warned += 1
            warn(name_items(self._scene, self._added, text))

    def _look_at_health(self) -> None:
        """Warns of each number of it that is bad, once."""
        found = describe_faults(self._core, self._scene, self._told)
        self._told |= found.keys()
        for text in found.values():
            warn(text)

    # ---- fields ----

    def update_fields(self) -> None:
        """Bring views of `grids` up to date with the particles as they are now."""
        self._core.update_fields()

    def velocity_at(self, points: Any) -> np.ndarray:
        """Velocity at points anywhere, from the fields of now.

        Inside of a body, or outside of a container, it is that of no fluid: near the wall it goes
        on as before it, deeper it may be that of the body or what its panels make there. Leave
        such points out.

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

        What a tracer gives stays on its side of the walls of all bodies: beyond them is none of it,
        and in them, or outside of a container, it is less than half a voxel deep, so that no gap
        shows between smoke and wall.

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
        try:
            size = self.nominal_voxel if voxel is None else voxel
        except ValueError as error:
            way = "sim.volume(voxel), and for a picture render(sim.volume(voxel), bodies=sim)"
            raise ValueError(f"{error}, or say it here: {way}") from error
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
            vortons, tracers = self.vortons.count, self.tracers.count
            content = f"{counted(vortons, 'vorton')}, {counted(tracers, 'tracer')}"
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
