"""Benchmarks: how long a frame takes, where the time goes, and how exact the velocity is.

    python -m vorton.bench [SCENE ...] [--threads N] [--json]

Every scene runs in a process of its own. A frame is one `step` with one substep: midpoint rule with
two field solves for the vortons, midpoint rule for the tracers. The velocity at vortons is held
against the direct float64 sum in the same run. Measure on an idle machine.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _core

__all__ = ["SCENES", "main", "run"]

MARGIN = 5  # free cells between the vortons and each face of the grid
TURN = 0.002  # largest velocity gradient times the length of a frame
PORTION = 2_000  # points made at a time
JUDGED = 200  # vortons whose velocity is held against the direct sum
SORT_EVERY = 8  # substeps between sorting the particles: frames are measured in such rounds


@dataclasses.dataclass(frozen=True)
class BenchScene:
    """Vortons and tracers in a region that makes a cubic grid of `nodes` a side."""

    name: str
    vortons: int
    tracers: int
    nodes: int
    make: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def _ball(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hill's spherical vortex, the fattest of vortex rings: azimuthal vorticity ~ radius."""
    inside = points[(points**2).sum(axis=1) < 1]
    return inside, np.stack([-inside[:, 1], inside[:, 0], 0 * inside[:, 0]], axis=1)


def _column(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A jet: a cylindrical shear layer, rolled up into rings along its axis."""
    radius = np.hypot(points[:, 0], points[:, 1])
    points, radius = points[radius < 1], radius[radius < 1]
    azimuth = np.stack([-points[:, 1], points[:, 0], 0 * radius], axis=1)
    layer = np.exp(-(((radius - 0.6) / 0.15) ** 2)) * (1 + 0.8 * np.sin(8 * np.pi * points[:, 2]))
    return points, azimuth * layer[:, None]


SCENES = {
    scene.name: scene
    for scene in (
        BenchScene("ring-1k", 1_200, 50_000, 17, _ball),
        BenchScene("ring-10k", 10_000, 200_000, 33, _ball),
        BenchScene("ring-100k", 100_000, 1_000_000, 65, _ball),
        BenchScene("ring-1m", 1_000_000, 4_000_000, 129, _ball),
        BenchScene("jet-4m", 4_000_000, 4_000_000, 257, _column),
    )
}


def _region(scene: BenchScene, count: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Exactly `count` random points of the region, in units of its half width, and vorticity.

    In small portions, so that what the process holds afterwards is the simulation.
    """
    generator = np.random.default_rng(seed)
    while count > 0:
        points, vorticity = scene.make(generator.uniform(-1, 1, (PORTION, 3)))
        points, vorticity = points[:count], vorticity[:count]
        count -= len(points)
        yield np.float32(points), np.float32(vorticity)


def _build(scene: BenchScene, threads: int | None) -> tuple[_core.Simulation, float]:
    """The simulation, spacing 1 cm, and its effective core radius."""
    spacing = 0.01
    core = 1.5 * spacing
    half = 0.5 * (scene.nodes - 1 - 2 * MARGIN) * spacing * 0.98  # room to move in
    simulation = _core.Simulation(
        spacing=spacing,
        threads=threads or 0,
        max_vortons=scene.vortons,
        max_tracers=scene.tracers,
        max_nodes=scene.nodes**3,
    )
    volume = (4 / 3 * np.pi if scene.make is _ball else 2 * np.pi) * half**3 / scene.vortons
    for points, vorticity in _region(scene, scene.vortons, seed=1):
        one = np.ones(len(points))
        simulation.add_vortons(half * points, volume * vorticity, core * one, volume * one)
    for points, _ in _region(scene, scene.tracers, seed=2):
        one = np.ones(len(points))
        simulation.add_tracers(half * points, one, spacing / 2 * one)
    return simulation, core


def _velocity_error(simulation: _core.Simulation, core: float) -> float:
    """Relative rms error at some vortons against the direct sum with the same core."""
    position = simulation.column("vortons", "position")
    strength = simulation.column("vortons", "strength").astype(float)
    targets = position[:: max(1, len(position) // JUDGED)]
    exact, *_ = _core.direct_sum(
        targets.astype(float), position.astype(float), strength, np.full(len(position), core)
    )
    error = simulation.velocity_at(targets) - exact
    return float(np.sqrt((error**2).sum() / (exact**2).sum()))


def _resident_mib() -> float:
    """Resident memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def _peak_mib(simulation: _core.Simulation, dt: float) -> float:
    """Resident memory after some frames: what was reserved up front is in use by then."""
    for _ in range(2 * SORT_EVERY):
        simulation.step(dt)
    gc.collect()
    return _resident_mib()


class _Start:
    """The particles as they were: every round of frames starts from them."""

    def __init__(self, simulation: _core.Simulation) -> None:
        self.simulation = simulation
        self.saved = {}
        for key in (("vortons", "position"), ("vortons", "strength"), ("tracers", "position")):
            order = np.argsort(simulation.column(key[0], "id"))
            self.saved[key] = simulation.column(*key)[order]

    def restore(self) -> None:
        for (particles, name), values in self.saved.items():
            ids = self.simulation.column(particles, "id")
            self.simulation.column(particles, name)[...] = values[ids]


def _frames(start: _Start, dt: float, seconds: float) -> list[float]:
    """Times of frames, ms, in whole rounds of the sorting cadence."""
    times: list[float] = []
    simulation = start.simulation
    while sum(times) < 1e3 * seconds and len(times) < 400 or len(times) < 2 * SORT_EVERY:
        start.restore()
        for _ in range(SORT_EVERY):
            begin = time.perf_counter()
            simulation.step(dt)
            times.append(1e3 * (time.perf_counter() - begin))
    return times


def run(name: str, threads: int | None = None, seconds: float = 2.0) -> dict[str, Any]:
    """Measure one scene in this process.

    Parameters
    ----------
    name : one of SCENES
    threads : whole number, optional
        1 to 64; default: all processors of the process.
    seconds : number, s
        Time to spend on measured frames, default 2.

    Returns
    -------
    dict
        The record that ``--json`` prints.
    """
    scene = SCENES[name]
    before = _resident_mib()
    simulation, core = _build(scene, threads)
    simulation.step(1e-9)
    health = simulation.health()
    dt = TURN / health["largest_gradient"]
    peak = _peak_mib(simulation, dt)
    start = _Start(simulation)
    _frames(start, dt, 0.0)
    before_them = {row["name"]: row["total"] for row in simulation.timings()}
    times = _frames(start, dt, seconds)
    stages = {
        row["name"]: 1e3 * (row["total"] - before_them[row["name"]]) / len(times)
        for row in simulation.timings()
        if row["total"] > before_them[row["name"]]
    }
    start.restore()
    return {
        "scene": name,
        "threads": threads or len(os.sched_getaffinity(0)),
        "vortons": simulation.count("vortons"),
        "tracers": simulation.count("tracers"),
        "grid": list(health["grid"]),
        "substeps": simulation.health()["substeps"],
        "frames": len(times),
        "median_ms": float(np.median(times)),
        "mean_ms": float(np.mean(times)),
        "p10_ms": float(np.percentile(times, 10)),
        "p90_ms": float(np.percentile(times, 90)),
        "stages": stages,
        "velocity_error_rms": _velocity_error(simulation, core),
        "peak_rss_mib": peak,
        "beyond_interpreter_mib": peak - before,
        **_machine(),
    }


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


def _run_apart(name: str, threads: int | None, seconds: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "vorton.bench", "--here", "--json", name]
    command += ["--seconds", str(seconds)] + (["--threads", str(threads)] if threads else [])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


def _table(records: Sequence[dict[str, Any]]) -> str:
    head = (
        f"{'scene':10} {'threads':>7} {'vortons':>9} {'tracers':>9} {'grid':>13} "
        f"{'median ms':>10} {'p10':>8} {'p90':>8} {'error %':>8} {'MiB':>6}"
    )
    lines = [head]
    for r in records:
        lines.append(
            f"{r['scene']:10} {r['threads']:7d} {r['vortons']:9d} {r['tracers']:9d} "
            f"{'x'.join(map(str, r['grid'])):>13} {r['median_ms']:10.3f} {r['p10_ms']:8.3f} "
            f"{r['p90_ms']:8.3f} {100 * r['velocity_error_rms']:8.3f} "
            f"{r['beyond_interpreter_mib']:6.0f}"
        )
    lines.append("")
    names = list(dict.fromkeys(stage for r in records for stage in r["stages"]))
    lines.append(f"{'ms a frame':14}" + "".join(f"{r['scene']:>12}" for r in records))
    for stage in names:
        row = "".join(f"{r['stages'].get(stage, 0.0):12.3f}" for r in records)
        lines.append(f"{stage:14}{row}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: see the module's docstring."""
    parser = argparse.ArgumentParser(prog="vorton bench", description=__doc__.split("\n")[0])
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"of {', '.join(SCENES)}")
    parser.add_argument("--threads", type=int, help="1 to 64; default: all processors")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measured frames (default 2)")
    parser.add_argument("--json", action="store_true", help="one JSON object a scene")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    names = options.scenes or ["ring-1k", "ring-10k", "ring-100k"]
    for name in names:
        if name not in SCENES:
            parser.error(f"no scene {name!r}; allowed are {', '.join(SCENES)}")
    measure = run if options.here else _run_apart
    records = [measure(name, options.threads, options.seconds) for name in names]
    if options.json:
        for record in records:
            print(json.dumps(record))
    else:
        print(_table(records))
    return 0


if __name__ == "__main__":
    sys.exit(main())
