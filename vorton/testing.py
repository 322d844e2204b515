"""Tests of your own scenes with pytest: health, bakes that stay the same, exact velocities.

Register the fixture once, in conftest.py or in a test file, and take the functions from here::

    pytest_plugins = ["vorton.testing"]

    from vorton.testing import assert_healthy, assert_same_bake, exact_velocity

    def test_campfire_is_healthy(stepped):
        assert_healthy(stepped("scenes/campfire.py", frames=24))

The fixture needs pytest; nothing else in vorton does. (PYTEST_DONT_REWRITE: the asserts say by
themselves what is wrong.)
"""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

try:
    import pytest
except ImportError:  # the fixture alone needs it
    pytest = None

from .archive.manifest import Manifest
from .archive.scene_files import load_scene
from .base.checks import check_integer, check_number, closest, shown
from .definitions.records import HEALTH_LIMITS, Health, has_limit
from .files import tracer_files, vdb_files
from .files.disk import file_sha256
from .scenes.scene import Scene
from .simulations.judge import induced_velocity, wind_velocity
from .simulations.simulation import Simulation

__all__ = [
    "HEALTH_LIMITS",
    "Stepped",
    "assert_healthy",
    "assert_same_bake",
    "exact_velocity",
    "stepped",
]


# ---- health ----


def assert_healthy(sim: Simulation | Manifest, **limits: float | None) -> None:
    """Assert that no number of health is above its limit.

    Parameters
    ----------
    sim : Simulation or Manifest
        A simulation as it is now, or all frames of a bake.
    **limits : number or None
        Limits by the names of `sim.health` ("noise", "energy" ...), in the units there: instead of
        those of `HEALTH_LIMITS`, or in addition to them. None: this number may be anything.

    Raises
    ------
    AssertionError
        One number or several are above their limit, or not finite. The text names each of them,
        its value, its limit, the frame (of a bake the worst one), and what to change. What is not
        known without a grid (Method.velocity direct or tree), is of a flow that has hardly moved
        yet, or of one of which walls or forces make much, is passed over (`vorton info` says what),
        unless a limit for it is given here: that is not held.
    TypeError, ValueError
        Neither a simulation nor a manifest; a limit that is not a number, or is given for what is
        none.

    Examples
    --------
    >>> import vorton as vt
    >>> scene = vt.Scene("ring")
    >>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1))
    >>> sim = vt.Simulation(scene)
    >>> assert_healthy(sim, noise=4, largest_speed=5)
    """
    __tracebackhide__ = True
    given = _checked(limits)
    limits = {**{name: row.limit for name, row in HEALTH_LIMITS.items()}, **given}
    if isinstance(sim, Manifest):
        what, frames = f"bake {sim.path}", {n: sim.frame(n)["health"] for n in sim.frames}
        times = {n: (n - 1) / sim.data["fps"] for n in frames}
    elif isinstance(sim, Simulation):
        what, frames = f"simulation {sim.scene.name!r}", {sim.frame: sim.health}
        times = {sim.frame: sim.time}
    else:
        raise TypeError(f"sim = {shown(sim)}: must be a Simulation or a Manifest")
    bad = []
    for name, limit in limits.items():
        judged = {
            n: health
            for n, health in frames.items()
            if name in given or has_limit(name, health, times[n])
        }
        frame, value = _worst(judged, name)
        if limit is not None and not value <= limit:
            bad.append(_complaint(name, frame, value, limit))
    if bad:
        raise AssertionError("\n    ".join([f"{what} is not healthy:", *bad]))


def _checked(limits: Mapping[str, float | None]) -> dict[str, float | None]:
    numbers = [name for name, field in Health.__dataclass_fields__.items() if "(" not in field.type]
    for name in limits:
        if name not in numbers:
            text = f"{name}: is not a number of health that can have a limit"
            raise ValueError(f"{text}; {closest(name, numbers)}")
    return {n: None if x is None else check_number(n, x) for n, x in limits.items()}


def _worst(frames: Mapping[int, Mapping[str, Any]], name: str) -> tuple[int, float]:
    """The frame where a number is largest, or not finite, and the number."""
    found = [(n, health[name]) for n, health in frames.items() if name in health]
    # A manifest has null for what is not finite.
    values = [(n, math.nan if value is None else float(value)) for n, value in found]
    return max(values, key=lambda row: (math.isnan(row[1]), row[1]), default=(0, -math.inf))


def _complaint(name: str, frame: int, value: float, limit: float) -> str:
    unit = Health.__dataclass_fields__[name].metadata["unit"]
    unit = f" {unit}" if unit else ""
    above = f"above {limit:g}{unit}" if math.isfinite(value) else "not finite"
    text = f"{name} is {value:.4g}{unit} in frame {frame}, {above}"
    if name not in HEALTH_LIMITS:
        return f"{text}: {Health.__dataclass_fields__[name].metadata['description']}"
    return f"{text}: {HEALTH_LIMITS[name].meaning}; {HEALTH_LIMITS[name].remedy}"


# ---- bakes ----

_SETTINGS = ("name", "seed", "scene_sha256", "units", "fps", "first", "last", "volumes", "tracers")
"""What two manifests must agree in; they may tell of another version, compiler or folder."""


def assert_same_bake(a: Any, b: Any) -> None:
    """Assert that two bakes hold the same: settings, frames, and every value of every file.

    Files are compared by their bytes and, where these differ, by what they hold: how it is packed
    makes no difference, nor do the version and the compiler of vorton that wrote it, nor where the
    scene's meshes lie. Numbers of health that one version alone knows are passed over.

    Parameters
    ----------
    a, b : path or Manifest
        Bake folders, or their manifests; `a` the one that is known to be right.

    Raises
    ------
    AssertionError
        The text names what differs first: the setting or the frame, the file, the grid and voxel
        or the column and tracer, both values, and by how much they differ at most.
    ValueError, OSError
        No bake is there.

    Examples
    --------
    >>> import tempfile, vorton as vt
    >>> scene = vt.Scene("ring")
    >>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1))
    >>> smoke = scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.1), count=1000))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two = (vt.bake(scene, f"{folder}/{n}", frames=(1, 2), threads=n,
    ...                         progress=False) for n in (1, 2))
    ...     assert_same_bake(one, two)
    """
    __tracebackhide__ = True
    a, b = (place if isinstance(place, Manifest) else Manifest.find(place) for place in (a, b))
    difference = next(_differences(a, b), None)
    if difference:
        raise AssertionError(f"{a.path} and {b.path} differ: {difference}")


def _differences(a: Manifest, b: Manifest) -> Iterator[str]:
    for key in _SETTINGS:
        yield from _compare(key, _plain(a, key), _plain(b, key))
    yield from _compare("frames", a.frames, b.frames)
    for number in a.frames:
        yield from _compare_files(a, b, number)
    for number in a.frames:
        one, two = a.frame(number), b.frame(number)
        for key in {**one, **two}:
            if key != "files":
                yield from _compare(f"frame {number}: {key}", one.get(key), two.get(key))


def _plain(manifest: Manifest, key: str) -> Any:
    """A setting without what says how files are packed."""
    value = manifest.data.get(key)
    if key == "volumes" and value is not None:
        return {name: part for name, part in value.items() if name != "compress"}
    return value


def _compare(what: str, one: Any, two: Any) -> Iterator[str]:
    """The parts in which two values of a manifest differ."""
    if isinstance(one, dict) and isinstance(two, dict):
        names = [n for n in one if n in two] if what.endswith(": health") else {**one, **two}
        for name in names:
            yield from _compare(f"{what}: {name}", one.get(name), two.get(name))
    elif one != two:
        yield f"{what} is {shown(one)} and {shown(two)}{_by(one, two)}"


def _by(one: Any, two: Any) -> str:
    numbers = all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in (one, two))
    return f", {abs(one - two):.3g} apart" if numbers else ""


def _compare_files(a: Manifest, b: Manifest, number: int) -> Iterator[str]:
    names = [[Path(f["name"]).name for f in m.frame(number)["files"]] for m in (a, b)]
    yield from _compare(f"frame {number}: files", *names)
    for name in names[0]:
        for manifest in (a, b):
            if not (manifest.folder / name).is_file():
                yield f"{manifest.folder / name} is missing"
        if file_sha256(a.folder / name) != file_sha256(b.folder / name):
            read: Any = vdb_files.read if name.endswith(".vdb") else tracer_files.read
            try:
                one, two = (read(m.folder / name, as_told=False) for m in (a, b))
            except ValueError as error:
                yield str(error)
                return
            compare = _compare_grids if name.endswith(".vdb") else _compare_columns
            changed = [str(m.path) for m in (a, b) if m.damage(number)]
            note = f" (no longer as written: frame {number} of {' and '.join(changed)})"
            yield from (f"{name}: {text}{note * bool(changed)}" for text in compare(one, two))


def _compare_grids(one: dict[str, Any], two: dict[str, Any]) -> Iterator[str]:
    yield from _compare("grids", list(one), list(two))
    for name in one:
        for key in ("voxel", "half", "background"):
            yield from _compare(f"grid {name}: {key}", *(getattr(g[name], key) for g in (one, two)))
        yield from _compare_voxels(name, one[name], two[name])


def _compare_voxels(name: str, one: vdb_files.Grid, two: vdb_files.Grid) -> Iterator[str]:
    index, place = np.unique(np.concatenate([one.index, two.index]), axis=0, return_inverse=True)
    place, split = place.ravel(), len(one.index)
    shape = (len(index), *one.values.shape[1:])
    both = [np.full(shape, grid.background, np.float32) for grid in (one, two)]
    active = np.zeros((2, len(index)), bool)
    for n, (rows, grid) in enumerate(((place[:split], one), (place[split:], two))):
        both[n][rows] = grid.values
        active[n, rows] = True
    where = [f"voxel {tuple(map(int, voxel))}" for voxel in index[_rows(*both)[:1]]]
    yield from _compare_values(f"grid {name}", "voxels", where, *both)
    only = np.flatnonzero(active[0] != active[1])
    if only.size:
        voxel = tuple(map(int, index[only[0]]))
        which = "first" if active[0, only[0]] else "second"
        yield (
            f"grid {name}: voxel {voxel} is active in the {which} alone; {only.size} voxels are"
            " in one of them"
        )


def _compare_columns(one: dict[str, Any], two: dict[str, Any]) -> Iterator[str]:
    yield from _compare("columns", list(one), list(two))
    yield from _compare("number of tracers", len(one["id"]), len(two["id"]))
    for name in one:
        where = [f"tracer {one['id'][row]}" for row in _rows(one[name], two[name])[:1]]
        yield from _compare_values(f"column {name}", "tracers", where, one[name], two[name])


def _rows(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """The rows in which two arrays differ; NaN is NaN."""
    different = (one != two) & ~((one != one) & (two != two))
    return np.flatnonzero(different.reshape(len(one), -1).any(axis=1))


def _compare_values(
    what: str, items: str, where: list[str], one: np.ndarray, two: np.ndarray
) -> Iterator[str]:
    """The first of the rows that differ, named by `where`, how many do, and by how much."""
    rows = _rows(one, two)
    if rows.size:
        first = [_text(array[rows[0]]) for array in (one, two)]
        with np.errstate(invalid="ignore"):
            apart = np.abs(one[rows].astype(float) - two[rows].astype(float)).max()
        yield (
            f"{what}: {where[0]} holds {first[0]} and {first[1]}; {rows.size} of {len(one)} {items}"
            f" differ, by at most {apart:.3g}"
        )


def _text(value: Any) -> str:
    if np.ndim(value):
        return f"({', '.join(map(_text, value))})"
    return f"{value:.9g}" if isinstance(value, np.floating) else str(value)


# ---- velocity ----


def exact_velocity(sim: Simulation, points: Any) -> np.ndarray:
    """Velocity at points by the direct sum in float64: the judge of `Simulation.velocity_at`.

    The sum is that of Biot and Savart over all vortons, sum q(r / core) alpha x (x - x_j) / (4 pi
    r^3), with the kernel of `Method.kernel` and each vorton's own core; for velocity poisson with
    Gaussian cores as wide as those of the grid, or the sharp ones that `Method.cores` makes of
    them. Where `Method.cores` is point, the cores of the
    grid are not Gaussian, and the sum is of vortons about as wide.

    The winds are in it as they are in `velocity_at` (from float32). What is not: the flow that
    bodies and walls cause (sources on panels, what holds the fluid at walls), and the expansion of
    fluid that is warmed. To judge a simulation with these, judge it without: take a copy with
    ``Method(bodies="none", expansion=0)``.

    Parameters
    ----------
    sim : Simulation
        With few vortons, or few points: each pair takes some 2 ns.
    points : (n, 3) numbers, m

    Returns
    -------
    (n, 3) float64, m/s

    Raises
    ------
    TypeError, ValueError
        Not a simulation; points that are not finite or of another shape.
    vorton.BusyError
        Another thread is inside this simulation.

    Examples
    --------
    >>> import numpy as np, vorton as vt
    >>> scene = vt.Scene("ring")
    >>> ring = scene.add(vt.VortexRing(radius=0.5, core=0.1, circulation=1))
    >>> sim = vt.Simulation(scene)
    >>> bool(np.allclose(sim.velocity_at([[0, 0, 1]]), exact_velocity(sim, [[0, 0, 1]]), atol=1e-3))
    True
    """
    if not isinstance(sim, Simulation):
        raise TypeError(f"sim = {shown(sim)}: must be a Simulation")
    points = np.asarray(points, dtype=np.float64)
    wind = wind_velocity(sim._core, sim.method, points)
    return induced_velocity(sim._core, sim.method, points) + wind


# ---- scenes that several tests look at ----


class Stepped:
    """Simulations that have been stepped, kept for the tests of a session: the fixture `stepped`.

    Each scene with the same settings is stepped once; a test that asks for more frames than another
    goes on from where that one stopped, with the same bits.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, float, int, int], Simulation] = {}

    def __call__(
        self,
        scene: Scene | str | os.PathLike[str],
        frames: int,
        fps: float = 24.0,
        *,
        threads: int = 0,
        shared: bool = False,
        **settings: Any,
    ) -> Simulation:
        """The simulation of a scene after some frames.

        Parameters
        ----------
        scene : Scene or path
            A scene, or a .py or .json file of one.
        frames : whole number
            Frames that have been stepped, >= 0.
        fps : number, 1/s
            Frames a second, default 24.
        threads : whole number
            As of `Simulation`.
        shared : bool
            False (default): a copy, with which the test may do what it likes. True: the one that is
            kept, for tests that only look: it is the same for all of them.
        **settings
            What the scene has instead, as `Scene` names it: method, spacing, gravity ...

        Returns
        -------
        Simulation
        """
        scene = copy.copy(scene) if isinstance(scene, Scene) else load_scene(scene)
        for name, value in settings.items():
            setattr(scene, name, value)
        frames = check_integer("frames", frames, least=0, most=2**31 - 1)
        key = scene.sha256, float(fps), threads
        if (*key, frames) not in self._kept:
            earlier = [kept for kept in self._kept if kept[:3] == key and kept[3] < frames]
            sim = self._kept[max(earlier)].copy() if earlier else None
            sim = sim or Simulation(scene, fps, threads=threads)
            sim.step(frames - sim.frame)
            self._kept[*key, frames] = sim
        sim = self._kept[*key, frames]
        return sim if shared else sim.copy()

    def clear(self) -> None:
        """Forget all simulations, and free their memory."""
        self._kept.clear()


def stepped() -> Iterator[Stepped]:
    """Fixture: ``stepped(scene, frames, fps=24, ...)`` is a simulation, stepped once a session.

    See `Stepped`. Simulations stay in memory until the session ends; processes that share the
    tests (pytest-xdist) keep their own.
    """
    kept = Stepped()
    yield kept
    kept.clear()


if pytest is not None:
    stepped = pytest.fixture(scope="session")(stepped)
