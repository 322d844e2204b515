"""What the benchmark measures of a bake: frames of a film, with their files."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..bakes.bake_frames import Parts
from ..bakes.baking import Volumes, bake_timed
from .scenes import BakeScene

__all__ = ["bake_frames"]


def bake_frames(scene: BakeScene, threads: int | None) -> dict[str, Any]:
    """Bake the frames of a scene into a temporary folder, which is removed.

    Returns
    -------
    dict
        ``tracers``, ``active_voxels`` and ``across`` (voxels along the longest side of the volume)
        of the last frame; ``bytes`` of files and archive, the mean of the frames; times of frames,
        ms: ``frames``, ``median_ms``, ``mean_ms``, ``p10_ms``, ``p90_ms``; ``cpu_ms``, of all
        threads together, a frame; ``parts``, ms a frame.
    """
    first, last = scene.settled, scene.settled + scene.frames
    done: list[float] = []
    cpu: list[float] = []
    spent: list[dict[str, float]] = []
    parts = Parts()

    def note(*_: object) -> None:
        done.append(time.perf_counter())
        cpu.append(time.process_time())
        spent.append(dict(parts.seconds))

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
        record, voxel = manifest.frame(last), manifest.data["volumes"]["voxel"]
        archive = manifest.archive.stat().st_size / last
        baked = [manifest.frame(n)["files"] for n in range(first, last + 1)]
        files = sum(file["bytes"] for frame in baked for file in frame) / len(baked)
    times = 1e3 * np.diff(done[first - 1 :])
    lower, upper = np.array(record["bounds"])
    before, after = spent[first - 1], spent[-1]
    return {
        "tracers": record["tracers"],
        "active_voxels": record["active_voxels"],
        "across": round((upper - lower).max() / voxel),
        "bytes": round(files + archive),
        "frames": len(times),
        "median_ms": float(np.median(times)),
        "mean_ms": float(np.mean(times)),
        "p10_ms": float(np.percentile(times, 10)),
        "p90_ms": float(np.percentile(times, 90)),
        "cpu_ms": 1e3 * (cpu[-1] - cpu[first - 1]) / len(times),
        "parts": {part: 1e3 * (after[part] - before[part]) / len(times) for part in after},
    }
