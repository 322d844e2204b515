"""Benchmarks: how long a frame takes, where the time goes, and how exact the velocity is.

    python -m vorton.bench [SCENE ...] [--compare | --solve | --scaling]
                           [--threads N] [--seconds S] [--json | --markdown]

Every scene runs in a process of its own. A frame is one `step` with one
substep: midpoint rule with two field solves for the vortons, and three looks at
the last of them for the tracers. The velocity at vortons is held against the
direct float64 sum with the cores that the method gives them, in the same run.
Measure on an idle machine.

`--compare` runs each scene through the methods side by side: the default, every
other choice of its solvers (velocity, boundary, poisson), and `Method.article()`,
whose frame has one field solve. Each is judged by its own cores: Gaussian of 1.5
spacings on the grid by default, .66 for the points of the articles, those of the
vortons without a grid. `--solve` prints what each part of one solve takes.
`campfire` (README), `plume` (examples/plume.py), `plume-fine` and `plume-hero` (the
same with cores of .02 and .014 m), `mesh` (through a head of 5000 triangles), `candle`
and `explosion` (examples/) and `room` (a plume that fills 3 x 3 x 2 m between walls)
are what users run, developed: frames of a film, 1/24 s, with all that a frame does and
as many substeps as it needs. They are not judged: the sum over vortons has no bodies
and no expansion. Frames of other scenes are one substep. CPU is the time of all
threads together: where others are at work it says more than ms.
`part13`, `smoke-bodies-article` (the same with two spheres and a box, which act by the
articles' rule) and `part20` are scenes of the size of those in the articles, whose
figures stand beside ours. In `smoke-bodies` the flow goes round the bodies, in
`smoke-panels` on twice as fine a grid.
`bodies-200` is for the cost of contact: 200 bodies, half of them on orbits, among a
million tracers. `ring-panels` is `ring-100k` around a sphere of 320 panels:
`--solve ring-100k ring-panels` shows what panels add.
`bake-campfire` and `bake-plume` bake 96 frames as a user does, with volumes, tracers
and archive, `bake-256` a million tracers in volumes 256 voxels across, `bake-ring-100k`
a ring of 100 000 vortons in a million tracers, into a folder for temporary files. They
take as long as they take (--seconds is not for them), and stand in a table of their
own: a frame in the mean, what the parts of it take, and the archive's share of it.
`derive-256` makes the volumes of `bake-256` from an archive, by one process and by two.
After each scene the machine is probed, by the threads of a step: what a parallel loop
takes beyond its blocks, one of 20 us a thread (threads come together, or are late), the
median; and a triad, a = b + c / 2 over 8 Mi numbers of float32, three arrays of 32 MiB,
the shortest of eight; GB/s counts 12 bytes a number. Some 1.5 us are those of idle
processors, 20 those of a thread that has none. The probe stands above the table, of the
scenes the fastest; `triads` is the time of a frame (the median, of bakes the mean) in
triads of its scene, by which runs on other machines, or at other hours, compare.
`--markdown` prints the tables of README.md, and a line with processor, compiler, probe.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..definitions.method import Method
from .bakes import bake_frames, derive_frames
from .runs import Film, Rounds, method_of, resident_mib
from .scenes import ARTICLES, SCENES, BakeScene, DeriveScene, FilmScene
from .tables import (
    article_table,
    bake_table,
    comparison_table,
    derive_table,
    markdown_tables,
    probe_lines,
    scaling_table,
    scene_table,
    solve_table,
)

__all__ = ["SCENES", "main", "run"]

MOST_PAIRS = 1e9  # of a frame, up to which the sum over all pairs takes part in a comparison

USUAL = ("ring-1k", "ring-10k", "ring-100k")  # scenes that run when none is named
USUALLY_COMPARED = ("ring-1k", "ring-10k")
USUALLY_SOLVED = ("ring-10k", "ring-100k", "ring-1m")
USUALLY_SCALED = ("ring-10k", "ring-100k", "ring-1m")
SOLVED = 3  # scenes beside each other
COMPARED = ("velocity", "boundary", "poisson")  # rows of the method whose choices are compared


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
    used = threads or _core.available_threads()
    if isinstance(scene, BakeScene):
        return {"scene": name, "threads": used, **bake_frames(scene, threads), **_machine(used)}
    if isinstance(scene, DeriveScene):
        return {"scene": name, "threads": used, **derive_frames(scene, threads), **_machine(used)}
    np.random.default_rng()  # is loaded when first used: not of the simulation
    before = resident_mib()
    method = method or method_of(scene)
    measured = (Film if isinstance(scene, FilmScene) else Rounds)(scene, threads, method)
    simulation = measured.simulation
    peak = measured.settle()
    counts = {name: simulation.count(name) for name in ("vortons", "tracers")}
    before_them = {row["name"]: row for row in simulation.timings()}
    times, cpu = measured.frames(seconds).T
    spent = {
        row["name"]: (row["total"] - earlier["total"], row["calls"] - earlier["calls"])
        for row in simulation.timings()
        for earlier in (before_them[row["name"]],)
        if row["calls"] > earlier["calls"]
    }
    stages = {stage: 1e3 * spent_there / len(times) for stage, (spent_there, _) in spent.items()}
    error, core = measured.velocity_error()
    health = simulation.health()
    return {
        "scene": name,
        "method": method.to_dict(),
        "threads": used,
        **counts,
        "grid": list(health["grid"]),
        "spacing": health["spacing"],
        "substeps": spent["domain"][1] / len(times),
        "contacts": health["contacts"],
        "frames": len(times),
        "median_ms": float(np.median(times)),
        "mean_ms": float(np.mean(times)),
        "p10_ms": float(np.percentile(times, 10)),
        "p90_ms": float(np.percentile(times, 90)),
        "cpu_ms": float(np.mean(cpu)),
        "stages": stages,
        "article": _article(name, used),
        "velocity_error_rms": error,
        "effective_core": core,
        "poisson_residual": health["poisson_residual"],
        "peak_rss_mib": peak,
        "beyond_interpreter_mib": peak - before,
        **_machine(used),
    }


def _article(name: str, threads: int) -> dict[str, Any] | None:
    """The figures of the article that has such a scene."""
    if name not in ARTICLES:
        return None
    article = ARTICLES[name]
    used, times = article.nearest(threads)
    stages = {s: {"routine": article.names[s], "ms": ms} for s, ms in times.items()}
    return {"machine": article.machine, "threads": used, "stages": stages}


def _machine(threads: int) -> dict[str, Any]:
    """What it was measured by; `probe`: how fast that is now, after the frames."""
    compiler, flags, _ = _core.build().split(" | ")
    return {
        "version": _core.version(),
        "commit": _commit(),
        "compiler": compiler,
        "flags": flags,
        "cpu": _processor(),
        "simd": _core.simd(),
        "backend": _core.backend(),
        "probe": _core.probe_machine(threads),
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
    for name, row in _core.DEFINITIONS["method"].items():
        if name in COMPARED:
            for choice in row["choices"]:
                if choice != row["default"]:
                    methods[f"{name} {choice}"] = usual.replace(**{name: choice})
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
    for choice, method in _methods(method_of(scene)).items():
        record = {"scene": name, "choice": choice, "method": method.to_dict()}
        if method.velocity == "direct" and pairs > MOST_PAIRS:
            records.append(record | {"skipped": f"{pairs:.1e} pairs a frame: too many"})
        else:
            records.append(record | _run_apart(name, threads, seconds, method))
    return records


# ---- threads ----


def scaling(name: str, threads: int | None = None, seconds: float = 2.0) -> dict[str, Any]:
    """Hold a scene on many threads against the same on one, a round of frames each in turn.

    Parameters
    ----------
    name : one of SCENES whose frames have one substep
    threads, seconds
        As for `run`; the time is for all rounds of one number of threads.

    Returns
    -------
    dict
        ``scene``, ``threads``; ``one_ms`` and ``many_ms``, medians of a frame; ``ratio``, that of
        frames after each other: median, ``ratio_p10`` and ``ratio_p90``.
    """
    scene, used = SCENES[name], threads or _core.available_threads()
    method = method_of(scene)
    pair = [Rounds(scene, count, method) for count in (1, used)]
    for rounds in pair:
        rounds.settle()
    times: list[list[float]] = [[], []]
    spent = 0.0
    while spent < 1e3 * seconds or len(times[0]) < 2:
        for rounds, frames in zip(pair, times, strict=True):
            found = rounds.round()
            passed = [wall for wall, _ in found]
            frames.append(float(np.median(passed)))
            spent += sum(passed) / len(pair)
    one, many = (np.array(frames) for frames in times)
    ratio = one / many
    return {
        "scene": name,
        "threads": used,
        "rounds": len(one),
        "one_ms": float(np.median(one)),
        "many_ms": float(np.median(many)),
        "ratio": float(np.median(ratio)),
        "ratio_p10": float(np.percentile(ratio, 10)),
        "ratio_p90": float(np.percentile(ratio, 90)),
        **_machine(used),
    }


# ---- the command ----


def _stages() -> str:
    """What the rows of the tables mean."""
    wrap = textwrap.TextWrapper(width=80, subsequent_indent=" " * 14).fill
    rows = (f"{row['name']:13} {row['description']}" for row in _core.TIMED_STAGES)
    return "\n".join(["stages:", *map(wrap, rows)])


def make_parser() -> argparse.ArgumentParser:
    what, _, more = __doc__.partition("\n")
    parser = argparse.ArgumentParser(
        prog="vorton bench",
        description=what,
        epilog=f"{more.partition('[--json | --markdown]')[2].strip()}\n\n{_stages()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "scenes",
        nargs="*",
        metavar="SCENE",
        help=f"of {', '.join(SCENES)}; default: {', '.join(USUAL)}, "
        f"with --compare {', '.join(USUALLY_COMPARED)}",
    )
    compared = (
        "the methods side by side: time, error against the direct float64 sum with the cores of "
        "each, residual of the Poisson equation, and memory"
    )
    solved = f"the parts of one solve of the field, default scenes {', '.join(USUALLY_SOLVED)}"
    scaled = f"all threads against one, in turn, default scenes {', '.join(USUALLY_SCALED)}"
    for name, text in {"compare": compared, "solve": solved, "scaling": scaled}.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    parser.add_argument("--threads", type=int, help="1 to 64; default: all processors")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measured frames (default 2)")
    parser.add_argument("--json", action="store_true", help="one JSON object a scene (and method)")
    parser.add_argument("--markdown", action="store_true", help="the tables as README.md has them")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--method", type=json.loads, default={}, help=argparse.SUPPRESS)
    return parser


def _measure(options: argparse.Namespace, names: Sequence[str]) -> list[list[dict[str, Any]]]:
    """Records that belong together: of the scenes, or of the methods for each scene."""
    if options.compare:
        return [compare(name, options.threads, options.seconds) for name in names]
    if options.scaling:
        return [[scaling(name, options.threads, options.seconds) for name in names]]
    measure = run if options.here else _run_apart
    method = Method.from_dict(options.method) if options.method else None
    return [[measure(name, options.threads, options.seconds, method) for name in names]]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: see the module's docstring."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    modes = {"compare": USUALLY_COMPARED, "solve": USUALLY_SOLVED, "scaling": USUALLY_SCALED}
    chosen = [mode for mode in modes if getattr(options, mode)]
    if len(chosen) > 1:
        parser.error(f"{' and '.join('--' + mode for mode in chosen)} exclude each other")
    names = options.scenes or (modes[chosen[0]] if chosen else USUAL)
    for name in names:
        if name not in SCENES:
            parser.error(f"no scene {name!r}; allowed are {', '.join(SCENES)}")
        if chosen and isinstance(SCENES[name], (BakeScene, DeriveScene)):
            parser.error(f"{name}: is a bake; --{chosen[0]} is for simulations alone")
        if options.scaling and isinstance(SCENES[name], FilmScene):
            parser.error(
                f"{name}: its frames have as many substeps as they need; --scaling wants one"
            )
    if options.threads is not None and not 1 <= options.threads <= 64:
        parser.error(f"--threads is {options.threads}; allowed is 1 to 64")
    if options.markdown and (chosen or options.json):
        parser.error("--markdown is for the tables of scenes alone")
    for records in _measure(options, names):
        if options.json:
            print("\n".join(json.dumps(record) for record in records))
        elif options.compare:
            print(comparison_table(records), end="\n\n")
        elif options.scaling:
            print(scaling_table(records))
        elif options.solve:
            for first in range(0, len(records), SOLVED):
                print(solve_table(records[first : first + SOLVED]), end="\n\n")
        elif options.markdown:
            print(markdown_tables(records))
        else:
            _print_scenes(records)
    return 0


def _print_scenes(records: Sequence[dict[str, Any]]) -> None:
    simulated = [record for record in records if "stages" in record]
    bakes = [record for record in records if "parts" in record]
    print(probe_lines(records))
    if simulated:
        print(scene_table(simulated))
    for record in simulated:
        if record["article"]:
            print("", article_table(record), sep="\n")
    derived = [record for record in records if "jobs_ms" in record]
    if bakes:
        print(*([""] if simulated else []), bake_table(bakes), sep="\n")
    if derived:
        print(*([""] if simulated or bakes else []), derive_table(derived), sep="\n")
