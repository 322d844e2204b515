"""What the benchmark prints for people: tables of at most 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "article_table",
    "bake_table",
    "comparison_table",
    "derive_table",
    "markdown_tables",
    "probe_lines",
    "scaling_table",
    "scene_table",
    "solve_table",
]

Record = Mapping[str, Any]

COLUMNS = 3  # scenes beside each other in the table of stages

OF_TRACERS = ("tracers", "tracer_sort")  # stages that work on tracers alone

SOLVES = 2  # of the field, in a substep of the default method
PARTS = {  # of a solve: the stages that they are made of
    "sort": ("sort",),
    "deposit": ("deposit",),
    "boundary": ("boundary",),
    "filter and Poisson": ("poisson",),
    "panels": ("panels", "potential"),
    "curl": ("velocity",),
    "velocity, gradient, stretch, move": ("stretch", "finish"),
}
ONCE = {"diffusion, per frame": ("diffuse",), "tracers, per frame": ("tracers",)}


def _grid(record: Record) -> str:
    return "x".join(map(str, record["grid"]))


def _nanoseconds(record: Record, stage: str) -> str:
    """Of each particle and frame; "-" where the stage has none."""
    count = record["tracers" if stage in OF_TRACERS else "vortons"]
    return f"{1e6 * record['stages'].get(stage, 0.0) / count:11.1f}" if count else f"{'-':>11}"


def _stages(records: Sequence[Record]) -> list[str]:
    names = list(dict.fromkeys(stage for r in records for stage in r["stages"]))
    lines = [
        f"{'a frame':14}" + "".join(f"{r['scene']:>21}" for r in records),
        f"{'':14}" + f"{'ms':>10}{'ns/vorton':>11}" * len(records),
    ]
    for stage in names:
        name = f"{stage} *" if stage in OF_TRACERS else stage
        numbers = [f"{r['stages'].get(stage, 0.0):10.3f}{_nanoseconds(r, stage)}" for r in records]
        lines.append(f"{name:14}{''.join(numbers)}")
    cpu = "".join(f"{r['cpu_ms']:10.3f}{'':11}" for r in records)
    lines.append(f"{'CPU':14}{cpu}".rstrip())
    substeps = "".join(f"{r['substeps']:10.1f}{'':11}" for r in records)
    lines.append(f"{'substeps':14}{substeps}".rstrip())
    triads = "".join(f"{_triads(r):10.2f}{'':11}" for r in records)
    lines.append(f"{'triads':14}{triads}".rstrip())
    if any(stage in OF_TRACERS for stage in names):
        lines.append("* ns/tracer")
    return lines


def _error(record: Record, form: str) -> str:
    """In percent; of films, which are not judged, a dash."""
    error = record["velocity_error_rms"]
    return "-" if error is None else format(100 * error, form)


def _digits(value: float, digits: int) -> str:
    """With so many digits, or all of those before the point."""
    return f"{value:.{digits}g}" if value < 10**digits else f"{value:.0f}"


def _triads(record: Record) -> float:
    """The time of a frame, the median or of bakes the mean, in triads of the probe."""
    return record["mean_ms" if "parts" in record else "median_ms"] / record["probe"]["triad_ms"]


def _probe(records: Sequence[Record]) -> str:
    """The fastest of what the scenes found."""
    probes = [record["probe"] for record in records]
    loop = min(probe["loop_us"] for probe in probes)
    fastest = min(probes, key=lambda probe: probe["triad_ms"])
    return (
        f"loop {_digits(loop, 2)} us, triad {_digits(fastest['triad_gb_per_s'], 3)} GB/s "
        f"({_digits(fastest['triad_ms'], 3)} ms)"
    )


def probe_lines(records: Sequence[Record]) -> str:
    """How fast the machine was."""
    return f"probe of the machine: {_probe(records)}"


def scene_table(records: Sequence[Record]) -> str:
    """Each scene in a line; then where the time goes, scenes beside each other."""
    lines = [
        f"threads {records[0]['threads']}",
        f"{'scene':20} {'vortons':>7} {'tracers':>7} {'grid':>11} "
        f"{'ms':>6} {'p10':>5} {'p90':>5} {'error%':>6} {'MiB':>4}",
    ]
    for r in records:
        lines.append(
            f"{r['scene']:20} {r['vortons']:7d} {r['tracers']:7d} {_grid(r):>11} "
            f"{_digits(r['median_ms'], 4):>6} {_digits(r['p10_ms'], 3):>5} "
            f"{_digits(r['p90_ms'], 3):>5} "
            f"{_error(r, '6.3f'):>6} {r['beyond_interpreter_mib']:4.0f}"
        )
    for first in range(0, len(records), COLUMNS):
        lines += ["", *_stages(records[first : first + COLUMNS])]
    return "\n".join(lines)


def solve_table(records: Sequence[Record]) -> str:
    """What one solve of the field takes, scenes beside each other."""
    width = max(map(len, PARTS))
    first = records[0]
    lines = [
        f"threads {first['threads']}",
        f"{'ms a solve':{width}}" + "".join(f"{r['scene']:>15}" for r in records),
        f"{'grid':{width}}" + "".join(f"{_grid(r):>15}" for r in records),
    ]
    for parts, solves in ((PARTS, SOLVES), (ONCE, 0)):
        for name, stages in parts.items():
            row = f"{name:{width}}"
            for r in records:
                ms = sum(r["stages"].get(stage, 0.0) for stage in stages)
                row += f"{ms / (solves * r['substeps'] or 1):15.3f}"
            lines.append(row)
    return "\n".join(lines)


def article_table(record: Record) -> str:
    """One scene beside the figures of the article that has such a scene."""
    article = record["article"]
    bodies = "" if "contact" in article["stages"] else ", without bodies"
    lines = [
        f"{record['scene']}: the article's figures are for a {article['machine']},",
        f"{article['threads']} of its threads; ours for {record['threads']}{bodies}",
        f"{'ms a frame':14}{'ours':>10}{'article':>10}   routine of the article",
    ]
    for stage, theirs in article["stages"].items():
        ours = record["stages"].get(stage, 0.0)
        lines.append(f"{stage:14}{ours:10.3f}{theirs['ms']:10.3f}   {theirs['routine']}")
    return "\n".join(lines)


def comparison_table(records: Sequence[Record]) -> str:
    """One scene through several methods, a line each."""
    first = records[0]
    lines = [
        f"{first['scene']}: {first['vortons']} vortons, {first['tracers']} tracers, "
        f"grid {_grid(first)}, threads {first['threads']}",
        f"{'method':24} {'ms a frame':>10} {'p10':>8} {'p90':>8} {'error %':>8} {'residual':>9} "
        f"{'MiB':>6}",
    ]
    for r in records:
        if "skipped" in r:
            lines.append(f"{r['choice']:24} {r['skipped']}")
            continue
        lines.append(
            f"{r['choice']:24} {r['median_ms']:10.3f} {r['p10_ms']:8.3f} {r['p90_ms']:8.3f} "
            f"{_error(r, '8.2g'):>8} {r['poisson_residual']:9.1e} "
            f"{r['beyond_interpreter_mib']:6.0f}"
        )
    return "\n".join(lines)


def scaling_table(records: Sequence[Record]) -> str:
    """Many threads beside one."""
    many = f"{records[0]['threads']} threads"
    lines = [f"{'ms a frame':20} {'1 thread':>10} {many:>10} {'ratio':>8} {'p10':>7} {'p90':>7}"]
    for r in records:
        lines.append(
            f"{r['scene']:20} {r['one_ms']:10.3f} {r['many_ms']:10.3f} "
            f"{r['ratio']:8.2f} {r['ratio_p10']:7.2f} {r['ratio_p90']:7.2f}"
        )
    return "\n".join(lines)


_FILES_HEAD = f"{'tracers':>8} {'voxels':>9} {'across':>6} {'MB':>6}"


def _files(r: Record) -> str:
    """Name of a scene, and what a frame of its files holds."""
    return (
        f"{r['scene']:13} {r['tracers']:8d} {r['active_voxels']:9d} {r['across']:6d} "
        f"{1e-6 * r['bytes']:6.1f}"
    )


def bake_table(records: Sequence[Record]) -> str:
    """What a frame of each bake takes, and its parts."""
    lines = [
        f"threads {records[0]['threads']}",
        f"{'bake':13} {_FILES_HEAD} {'mean ms':>7} {'p10':>7} {'p90':>7} {'CPU ms':>7}",
    ]
    for r in records:
        lines.append(
            f"{_files(r)} {r['mean_ms']:7.1f} {r['p10_ms']:7.1f} {r['p90_ms']:7.1f} "
            f"{r['cpu_ms']:7.1f}"
        )
    lines += ["", f"{'ms a frame':14}" + "".join(f"{r['scene']:>15}" for r in records)]
    lines.append(f"{'triads':14}" + "".join(f"{_triads(r):15.1f}" for r in records))
    for part in records[0]["parts"]:
        lines.append(f"{part:14}" + "".join(f"{r['parts'][part]:15.1f}" for r in records))
    for name, share in (("archive share", "archive_share"), ("- of the CPU", "archive_cpu_share")):
        lines.append(f"{name:14}" + "".join(f"{r[share]:15.1%}" for r in records))
    return "\n".join(lines)


def derive_table(records: Sequence[Record]) -> str:
    """What a derived frame takes by one process and by two."""
    lines = [
        f"threads {records[0]['threads']}",
        f"{'derived':13} {_FILES_HEAD} {'1 job ms':>9} {'2 jobs ms':>9} {'ratio':>6}",
    ]
    for r in records:
        one, two = (r["jobs_ms"][jobs] for jobs in ("1", "2"))
        lines.append(f"{_files(r)} {one:9.1f} {two:9.1f} {one / two:6.2f}")
    return "\n".join(lines)


# ---- for README.md ----


def _thousands(count: int) -> str:
    """Rounded to thousands, with a space before the last three digits."""
    return f"{round(count, -3):,}".replace(",", " ")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(head: Sequence[str], rows: Sequence[str]) -> list[str]:
    return [_row(*head), "|---" * len(head) + "|", *rows, ""] if rows else []


def _markdown_bake(r: Record) -> str:
    spread = f"{r['p10_ms']:.0f} / {r['p90_ms']:.0f}"
    return _row(
        f"`{r['scene']}`", _thousands(r["tracers"]), _digits(1e-6 * r["bytes"], 2),
        f"{r['mean_ms']:.0f}", spread, f"{r['cpu_ms']:.0f}", f"{_triads(r):.1f}",
    )  # fmt: skip


def _markdown_scene(r: Record) -> str:
    return _row(
        f"`{r['scene']}`", f"{_thousands(r['vortons'])} + {_thousands(r['tracers'])}",
        _grid(r).replace("x", " x "), _digits(r["median_ms"], 2), f"{_triads(r):.2f}",
        _error(r, ".3f"),
    )  # fmt: skip


def markdown_tables(records: Sequence[Record]) -> str:
    """The tables as README.md has them, and what they were measured by."""
    first = records[0]
    bakes = [_markdown_bake(r) for r in records if "parts" in r]
    scenes = [_markdown_scene(r) for r in records if "stages" in r]
    derived = [
        _row(
            f"`{r['scene']}`",
            _thousands(r["tracers"]),
            *(f"{v:.0f}" for v in r["jobs_ms"].values()),
        )
        for r in records
        if "jobs_ms" in r
    ]
    bake_head = (
        "bake", "tracers at the end", "MB a frame, mean", "ms a frame, mean",
        "tenth / nine tenths", "CPU ms a frame", "triads",
    )  # fmt: skip
    scene_head = "scene", "vortons + tracers", "grid", "ms a frame", "triads", "error %"
    lines = _markdown(bake_head, bakes)
    lines += _markdown(scene_head, scenes)
    lines += _markdown(("derived", "tracers", "ms by 1 job", "ms by 2"), derived)
    lines.append(
        f"{first['cpu']}, {first['simd']}, {first['compiler']}, {first['threads']} threads. Probe "
        f"of the machine: {_probe(records)}. Loop: what a parallel loop takes beyond its blocks, "
        "one of 20 us a thread. Triad: a = b + c / 2 over 8 Mi numbers, three arrays of 32 MiB; "
        "`triads`: the time of a frame in these."
    )
    return "\n".join(lines)
