"""Benchmarks: how long a frame takes, where the time goes, and how exact the velocity is.

    python -m vorton.bench [SCENE ...] [--compare | --solve] [--threads N] [--seconds S] [--json]

Every scene runs in a process of its own. A frame is one `step` with one
substep: midpoint rule with two field solves for the vortons, midpoint rule for
the tracers. The velocity at vortons is held against the direct float64 sum with
the cores that the method gives them, in the same run. Measure on an idle machine.

`--compare` runs each scene through the methods side by side: the default, every
other choice of its solvers (velocity, boundary, poisson), and `Method.article()`,
whose frame has one field solve. Each is judged by its own cores: Gaussian of 1.5
spacings on the grid by default, .66 for the points of the articles, those of the
vortons without a grid. `--solve` prints what each part of one solve takes.
`part13`, `smoke-bodies` (the same with two spheres and a box) and `part20` are
scenes of the size of those in the articles, whose figures stand beside ours. In
`smoke-panels` the flow goes round the bodies.
`bodies-200` is for the cost of contact: 200 bodies, half of them on orbits, among a
million tracers. `ring-panels` is `ring-100k` around a sphere of 320 panels:
`--solve ring-100k ring-panels` shows what panels add.
`campfire` burns: its frames are those of a film, 1/24 s, with as many substeps as
each needs.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import platform
import resource
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from .animation import Keys, Transform
from .bench_scenes import ARTICLES, SCENES, BenchScene, FilmScene, lattice, region
from .bench_tables import article_table, comparison_table, scene_table, solve_table
from .method import Method
from .simulation import Simulation

__all__ = ["SCENES", "main", "run"]

MARGIN = 5  # free cells between the vortons and each face of the grid
JUDGED = 200  # vortons whose velocity is held against the direct sum
SORT_EVERY = 8  # substeps between sorting the particles: frames are measured in such rounds
SLOW = 1e3  # ms for a round of frames
WIND, DIFFUSIVITY = (0.1, 0.0, 0.0), 1e-8  # of full scenes, m/s; of vorticity and heat, m^2/s
GRAVITY = (0.0, 0.0, -1e-4)  # m/s^2: the frames of full scenes are like those of the others
CARRIED = ("temperature", "fuel", "flame", "smoke")  # in full scenes
NEUTRAL = 2  # full scenes have room for so many times their vortons
ORBITS = 1e6  # s: for so long bodies go on
MOST_PAIRS = 1e9  # of a frame, up to which the sum over all pairs takes part in a comparison

USUAL = ("ring-1k", "ring-10k", "ring-100k")  # scenes that run when none is named
USUALLY_COMPARED = ("ring-1k", "ring-10k")
USUALLY_SOLVED = ("ring-10k", "ring-100k", "ring-1m")
SOLVED = 3  # scenes beside each other
COMPARED = ("velocity", "boundary", "poisson")  # rows of the method whose choices are compared


def _build(
    scene: BenchScene, threads: int | None, method: Method | None = None
) -> _core.Simulation:
    """The simulation, spacing 1 cm."""
    spacing = 0.01
    core = 1.5 * spacing
    half = 0.5 * (scene.nodes - 1 - 2 * MARGIN) * spacing * 0.98  # room to move in
    simulation = _core.Simulation(
        spacing=spacing,
        threads=threads or 0,
        max_vortons=(NEUTRAL if scene.full else 1) * scene.vortons,
        max_tracers=scene.tracers,
        max_nodes=scene.nodes**3,
        method=(method or _method_of(scene)).to_dict(),
        viscosity=DIFFUSIVITY if scene.full else 0.0,
        thermal_diffusivity=DIFFUSIVITY if scene.full else 0.0,
        wind=WIND if scene.full else (0.0, 0.0, 0.0),
        gravity=GRAVITY,
    )
    volume = scene.volume * half**3 / scene.vortons
    vortons = [lattice(scene, seed=1)] if scene.full else region(scene, scene.vortons, seed=1)
    for points, vorticity in vortons:
        one = np.ones(len(points))
        simulation.add_vortons(half * points, volume * vorticity, core * one, volume * one)
    for points, _ in region(scene, scene.tracers, seed=2):
        one = np.ones(len(points))
        simulation.add_tracers(half * points, one, spacing / 2 * one)
    if scene.full:
        _fill(simulation, half)
    turning = Transform(angle=Keys([(0, 0), (ORBITS, ORBITS * scene.orbit)]))
    orbit = turning._add_to(simulation) if scene.orbit else 0
    for n, body in enumerate(scene.bodies):
        shape, parent = _scaled(body, half), orbit if n % 2 else 0
        simulation.add_body(shapes=[shape], parent=parent, panels=scene.panels, shedding=0.0)
    return simulation


def _method_of(scene: BenchScene | FilmScene) -> Method:
    return Method(**scene.method)


def _scaled(shape: Mapping[str, Any], length: float) -> dict[str, Any]:
    """A shape whose lengths are given in this one."""
    return {
        name: value if name == "kind" else (length * np.array(value)).tolist()
        for name, value in shape.items()
    }


def _fill(simulation: _core.Simulation, half: float) -> None:
    """What a full scene has: warmer upwards, and some of everything that vortons carry."""
    height = simulation.column("vortons", "position")[:, 2] / half
    simulation.column("vortons", "temperature")[...] = 320 + 20 * height
    for name in CARRIED[1:]:
        simulation.column("vortons", name)[...] = 0.2 + 0.1 * height
    for name in CARRIED:
        simulation.column("tracers", name)


def _effective_cores(simulation: _core.Simulation, method: Method) -> np.ndarray:
    """Of the vortons as the method sees them; those of a grid are all alike, and health knows them
    by the overlap."""
    core = simulation.column("vortons", "core").astype(float)
    if method.velocity != "poisson":
        return core
    edge = np.cbrt(simulation.column("vortons", "volume").astype(float)).mean()
    return np.full(len(core), edge / simulation.health()["overlap"])


def _velocity_error(
    simulation: _core.Simulation, method: Method, wind: tuple[float, ...]
) -> tuple[float, float]:
    """Relative rms error at some vortons against the direct sum with the same cores; their mean
    radius."""
    position = simulation.column("vortons", "position")
    strength = simulation.column("vortons", "strength").astype(float)
    targets = position[:: max(1, len(position) // JUDGED)]
    found = simulation.velocity_at(targets) - np.array(wind)
    cores = _effective_cores(simulation, method)
    kernel = method.kernel if method.velocity != "poisson" else "gaussian"
    exact, *_ = _core.direct_sum(
        targets.astype(float), position.astype(float), strength, cores, kernel
    )
    return float(np.sqrt(((found - exact) ** 2).sum() / (exact**2).sum())), float(cores.mean())


def _resident_mib() -> float:
    """Resident memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


class _Start:
    """The particles as they were: every round of frames starts from them.

    `carried` names what of vortons changes beside position and strength.
    """

    def __init__(self, simulation: _core.Simulation, carried: Sequence[str]) -> None:
        self.simulation = simulation
        self.saved = {}
        changing = {"vortons": ("position", "strength", *carried), "tracers": ("position",)}
        for particles, names in changing.items():
            ids = simulation.column(particles, "id")
            for name in names:
                values = simulation.column(particles, name)
                by_id = np.full((ids.max() + 1, *values.shape[1:]), np.nan, np.float32)
                by_id[ids] = values
                self.saved[particles, name] = by_id

    @property
    def mib(self) -> float:
        """Memory of the copies."""
        return sum(values.nbytes for values in self.saved.values()) / 2**20

    def restore(self) -> None:
        """Neutral vortons born since then go again."""
        for (particles, name), by_id in self.saved.items():
            simulation = self.simulation
            simulation.remove(particles, simulation.column(particles, "id") >= len(by_id))
            ids = simulation.column(particles, "id")
            simulation.column(particles, name)[...] = by_id[ids]


class _Rounds:
    """Frames of one substep, always from the same start."""

    def __init__(self, scene: BenchScene, threads: int | None, method: Method) -> None:
        self.scene, self.threads, self.method = scene, threads, method
        self.simulation = _build(scene, threads, method)
        self.simulation.step(1e-9)
        self.dt = scene.turn / self.simulation.health()["largest_gradient"]
        self.start = _Start(self.simulation, CARRIED if scene.full else ())

    def settle(self) -> float:
        """Makes what was reserved up front be in use. Returns the resident memory then, MiB."""
        for _ in range(2 * SORT_EVERY):
            self.simulation.step(self.dt)
        gc.collect()
        resident = _resident_mib() - self.start.mib
        self.frames(0.0)
        return resident

    def frames(self, seconds: float) -> list[float]:
        """Times of frames, ms, in whole rounds of the sorting cadence: at least two of them, or one
        of slow frames."""
        times: list[float] = []
        while (sum(times) < 1e3 * seconds and len(times) < 400) or (
            sum(times) < SLOW and len(times) < 2 * SORT_EVERY
        ):
            self.start.restore()
            times += [_timed_step(self.simulation, self.dt) for _ in range(SORT_EVERY)]
        return times

    def velocity_error(self) -> tuple[float, float]:
        """At the start, of vortons alone: the sum over them knows nothing of bodies."""
        self.start.restore()
        judged = self.simulation
        if self.scene.bodies:
            alone = dataclasses.replace(self.scene, bodies=())
            judged = _build(alone, self.threads, self.method)
        return _velocity_error(judged, self.method, WIND if self.scene.full else (0, 0, 0))


class _Film:
    """Frames of a film, one after the other."""

    def __init__(self, scene: FilmScene, threads: int | None, method: Method) -> None:
        self.scene, self.threads, self.method = scene, threads, method
        self.simulation = self._open(method)

    def _open(self, method: Method) -> _core.Simulation:
        scene = self.scene
        return Simulation(scene.make(), fps=scene.fps, threads=self.threads, method=method)._core

    def settle(self) -> float:
        """Goes on until as much dies as is born. Returns the resident memory then, MiB."""
        for _ in range(self.scene.settled):
            self.simulation.step(1 / self.scene.fps)
        gc.collect()
        return _resident_mib()

    def frames(self, seconds: float) -> list[float]:
        """Times of frames, ms."""
        times: list[float] = []
        while sum(times) < 1e3 * seconds or len(times) < 2:
            times.append(_timed_step(self.simulation, 1 / self.scene.fps))
        return times

    def velocity_error(self) -> tuple[float, float]:
        """Once settled, and without expansion, of which the sum over vortons knows nothing."""
        judged = self._open(self.method.replace(expansion=0))
        for _ in range(self.scene.settled):
            judged.step(1 / self.scene.fps)
        return _velocity_error(judged, self.method, (0, 0, 0))


def _timed_step(simulation: _core.Simulation, dt: float) -> float:
    begin = time.perf_counter()
    simulation.step(dt)
    return 1e3 * (time.perf_counter() - begin)


def run(
    name: str, threads: int | None = None, seconds: float = 2.0, method: Method | None = None
) -> dict[str, Any]:
    """Measure one scene in this process.

    Parameters
    ----------
    name : one of SCENES
    threads : whole number, optional
        1 to 64; default: all processors of the process.
    seconds : number, s
        Time to spend on measured frames, default 2.
    method : Method, optional
        Default: that of the scene.

    Returns
    -------
    dict
        The record that ``--json`` prints.
    """
    scene = SCENES[name]
    np.random.default_rng()  # is loaded when first used: not of the simulation
    before = _resident_mib()
    method = method or _method_of(scene)
    measured = (_Film if isinstance(scene, FilmScene) else _Rounds)(scene, threads, method)
    simulation = measured.simulation
    peak = measured.settle()
    before_them = {row["name"]: row for row in simulation.timings()}
    times = measured.frames(seconds)
    spent = {
        row["name"]: (row["total"] - earlier["total"], row["calls"] - earlier["calls"])
        for row in simulation.timings()
        for earlier in (before_them[row["name"]],)
        if row["calls"] > earlier["calls"]
    }
    stages = {stage: 1e3 * spent_there / len(times) for stage, (spent_there, _) in spent.items()}
    used = threads or _core.available_threads()
    error, core = measured.velocity_error()
    health = simulation.health()
    return {
        "scene": name,
        "method": method.to_dict(),
        "threads": used,
        "vortons": simulation.count("vortons"),
        "tracers": simulation.count("tracers"),
        "grid": list(health["grid"]),
        "spacing": health["spacing"],
        "substeps": spent["domain"][1] / len(times),
        "contacts": health["contacts"],
        "frames": len(times),
        "median_ms": float(np.median(times)),
        "mean_ms": float(np.mean(times)),
        "p10_ms": float(np.percentile(times, 10)),
        "p90_ms": float(np.percentile(times, 90)),
        "stages": stages,
        "article": _article(name, used),
        "velocity_error_rms": error,
        "effective_core": core,
        "poisson_residual": health["poisson_residual"],
        "peak_rss_mib": peak,
        "beyond_interpreter_mib": peak - before,
        **_machine(),
    }


def _article(name: str, threads: int) -> dict[str, Any] | None:
    """The figures of the article that has such a scene."""
    if name not in ARTICLES:
        return None
    article = ARTICLES[name]
    used, times = article.nearest(threads)
    stages = {s: {"routine": article.names[s], "ms": ms} for s, ms in times.items()}
    return {"machine": article.machine, "threads": used, "stages": stages}


def _machine() -> dict[str, Any]:
    compiler, _, flags = _core.build().partition(" | ")
    return {
        "version": _core.version(),
        "commit": _commit(),
        "compiler": compiler,
        "flags": flags,
        "cpu": _processor(),
        "simd": _core.simd(),
        "backend": _core.backend(),
    }


def _commit() -> str | None:
    """Of the checkout that this file lies in, if it lies in one."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return found.stdout.strip() or None


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()


def _run_apart(
    name: str, threads: int | None, seconds: float, method: Method | None = None
) -> dict[str, Any]:
    command = [sys.executable, "-m", "vorton.bench", "--here", "--json", name]
    command += ["--seconds", str(seconds)] + (["--threads", str(threads)] if threads else [])
    if method:
        command += ["--method", json.dumps(method.to_dict())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


# ---- methods side by side ----


def _methods(usual: Method) -> dict[str, Method]:
    """The usual one, all that differ from it in one choice of a compared row, and the articles'."""
    methods = {"default": usual}
    for row in _core.METHOD_FIELDS:
        if row["name"] in COMPARED:
            for choice in row["choices"]:
                if choice != row["default"]:
                    name = f"{row['name']} {choice}"
                    methods[name] = usual.replace(**{row["name"]: choice})
    return methods | {"article": Method.article()}


def compare(name: str, threads: int | None = None, seconds: float = 2.0) -> list[dict[str, Any]]:
    """Run one scene through the methods, each in a process of its own.

    Parameters
    ----------
    name, threads, seconds
        As for `run`; the time is for each method.

    Returns
    -------
    list of dict
        The record of `run` for each method, with its name as ``choice``. Where the sum over all
        pairs would take too long there is the reason, ``skipped``, in place of the measurements.
    """
    scene = SCENES[name]
    pairs = 2 * (scene.vortons + scene.tracers) * scene.vortons
    records = []
    for choice, method in _methods(_method_of(scene)).items():
        record = {"scene": name, "choice": choice, "method": method.to_dict()}
        if method.velocity == "direct" and pairs > MOST_PAIRS:
            records.append(record | {"skipped": f"{pairs:.1e} pairs a frame: too many"})
        else:
            records.append(record | _run_apart(name, threads, seconds, method))
    return records


# ---- the command ----


def _stages() -> str:
    """What the rows of the tables mean."""
    wrap = textwrap.TextWrapper(width=80, subsequent_indent=" " * 14).fill
    rows = (f"{row['name']:13} {row['description']}" for row in _core.TIMED_STAGES)
    return "\n".join(["stages:", *map(wrap, rows)])


def _parser() -> argparse.ArgumentParser:
    what, _, more = __doc__.partition("\n")
    parser = argparse.ArgumentParser(
        prog="vorton bench",
        description=what,
        epilog=f"{more.partition('[--json]')[2].strip()}\n\n{_stages()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "scenes",
        nargs="*",
        metavar="SCENE",
        help=f"of {', '.join(SCENES)}; default: {', '.join(USUAL)}, "
        f"with --compare {', '.join(USUALLY_COMPARED)}",
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="the methods side by side: time, error against the direct float64 sum with the "
        "cores of each, residual of the Poisson equation, and memory",
    )
    parser.add_argument(
        "--solve",
        action="store_true",
        help=f"the parts of one solve of the field, default scenes {', '.join(USUALLY_SOLVED)}",
    )
    parser.add_argument("--threads", type=int, help="1 to 64; default: all processors")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measured frames (default 2)")
    parser.add_argument("--json", action="store_true", help="one JSON object a scene (and method)")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--method", type=json.loads, default={}, help=argparse.SUPPRESS)
    return parser


def _measure(options: argparse.Namespace, names: Sequence[str]) -> list[list[dict[str, Any]]]:
    """Records that belong together: of the scenes, or of the methods for each scene."""
    if options.compare:
        return [compare(name, options.threads, options.seconds) for name in names]
    measure = run if options.here else _run_apart
    method = Method.from_dict(options.method) if options.method else None
    return [[measure(name, options.threads, options.seconds, method) for name in names]]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: see the module's docstring."""
    parser = _parser()
    options = parser.parse_args(arguments)
    usual = USUALLY_SOLVED if options.solve else USUALLY_COMPARED if options.compare else USUAL
    names = options.scenes or usual
    if options.compare and options.solve:
        parser.error("--compare and --solve exclude each other")
    for name in names:
        if name not in SCENES:
            parser.error(f"no scene {name!r}; allowed are {', '.join(SCENES)}")
    if options.threads is not None and not 1 <= options.threads <= 64:
        parser.error(f"--threads is {options.threads}; allowed is 1 to 64")
    for records in _measure(options, names):
        if options.json:
            print("\n".join(json.dumps(record) for record in records))
        elif options.compare:
            print(comparison_table(records), end="\n\n")
        elif options.solve:
            for first in range(0, len(records), SOLVED):
                print(solve_table(records[first : first + SOLVED]), end="\n\n")
        else:
            print(scene_table(records))
            for record in records:
                if record["article"]:
                    print("", article_table(record), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
