"""What the benchmark measures of bakes: frames of a film, with their files, and of those that are
derived."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..archive.manifest import Manifest
from ..bakes.bake_frames import Parts
from ..bakes.baking import Volumes, bake, bake_timed
from ..bakes.deriving import derive
from .scenes import BakeScene, DeriveScene

__all__ = ["bake_frames", "derive_frames"]


def bake_frames(scene: BakeScene, threads: int | None) -> dict[str, Any]:
    """Bake the frames of a scene into a temporary folder, which is removed.

    Returns
    -------
    dict
        ``tracers``, ``active_voxels`` and ``across`` (voxels along the longest side of the volume)
        of the last frame; ``bytes`` of files and archive, the mean of the frames; times of frames,
        ms: ``frames``, ``median_ms``, ``mean_ms``, ``p10_ms``, ``p90_ms``; ``cpu_ms``, of all
        threads together, a frame; ``parts``, ms a frame; ``archive_share``: what it takes to save
        the states, pack and append them, of the mean; ``archive_cpu_share``: the same of
        ``cpu_ms``, which does not depend on what waits for what, at least: threads that help to
        pack are left out.
    """
    first, last = scene.settled, scene.settled + scene.frames
    done: list[float] = []
    cpu: list[float] = []
    spent: list[dict[str, float]] = []
    archiving: list[float] = []  # CPU
    parts = Parts()

    def note(*_: object) -> None:
        done.append(time.perf_counter())
        cpu.append(time.process_time())
        spent.append(dict(parts.seconds))
        archiving.append(parts.cpu_seconds["state"] + parts.cpu_seconds["archive"])

    with tempfile.TemporaryDirectory(prefix="vorton-bench-") as folder:
        os.sync()  # what others have written is not to be waited for by us
        manifest = bake_timed(
            parts,
            scene.make(),
            Path(folder),
            frames=(first, last),
            fps=24,
            volumes=Volumes(voxel=scene.voxel),
            tracers=True,
            archive=True,
            progress=note,
            threads=threads or 0,
            overwrite=False,
        )
        archive = manifest.archive.stat().st_size / last
        baked = [manifest.frame(n)["files"] for n in range(first, last + 1)]
        files = sum(file["bytes"] for frame in baked for file in frame) / len(baked)
    times = 1e3 * np.diff(done[first - 1 :])
    before, after = spent[first - 1], spent[-1]
    taken = {part: 1e3 * (after[part] - before[part]) / len(times) for part in after}
    return {
        **_about(manifest, last),
        "bytes": round(files + archive),
        "frames": len(times),
        "median_ms": float(np.median(times)),
        "mean_ms": float(np.mean(times)),
        "p10_ms": float(np.percentile(times, 10)),
        "p90_ms": float(np.percentile(times, 90)),
        "cpu_ms": 1e3 * (cpu[-1] - cpu[first - 1]) / len(times),
        "parts": taken,
        "archive_share": float((taken["state"] + taken["archive"]) / np.mean(times)),
        "archive_cpu_share": (archiving[-1] - archiving[first - 1]) / (cpu[-1] - cpu[first - 1]),
    }


def derive_frames(scene: DeriveScene, threads: int | None) -> dict[str, Any]:
    """Bake a scene into a temporary folder, without volumes, and derive these from its archive, by
    one process and by two.

    Returns
    -------
    dict
        ``tracers``, ``active_voxels`` and ``across`` as of `bake_frames`; ``bytes`` of the .vdb
        files, the mean of the frames; ``frames``; ``jobs_ms``: ms a frame by number of processes,
        in the mean, their start included.
    """
    first, last = scene.settled + 1, scene.settled + scene.frames
    how: dict[str, Any] = {"frames": (first, last), "tracers": False, "progress": False}
    how |= {"volumes": Volumes(voxel=scene.voxel), "threads": threads or 0}
    taken: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="vorton-bench-") as folder:
        bake(
            scene.make(),
            Path(folder, "bake"),
            frames=(last, last),
            fps=24,
            volumes=None,
            progress=False,
            threads=threads or 0,
        )
        os.sync()
        for jobs in (1, 2):
            begin = time.perf_counter()
            manifest = derive(Path(folder, "bake"), Path(folder, f"by {jobs}"), jobs=jobs, **how)
            taken[str(jobs)] = 1e3 * (time.perf_counter() - begin) / scene.frames
    files = [file["bytes"] for n in manifest.frames for file in manifest.frame(n)["files"]]
    return {
        **_about(manifest, last),
        "bytes": round(sum(files) / len(files)),
        "frames": scene.frames,
        "jobs_ms": taken,
    }


def _about(manifest: Manifest, number: int) -> dict[str, Any]:
    """How large a frame is."""
    record, voxel = manifest.frame(number), manifest.data["volumes"]["voxel"]
    lower, upper = np.array(record["bounds"])
    return {
        "tracers": record["tracers"],
        "active_voxels": record["active_voxels"],
        "across": round((upper - lower).max() / voxel),
    }
