"""What `vorton info` prints: what a bake holds, how grainy it is, how healthy the flow was."""

from __future__ import annotations

import shlex
from pathlib import Path
from statistics import median
from typing import Any

from .. import _core
from ..archive.manifest import Manifest
from ..archive.reading import Archive, frames_text
from ..archive.stages import summary
from ..base.checks import counted, frames_named, ranges_text
from ..definitions.records import HEALTH_LIMITS, has_limit, why_unjudged
from ..simulations.saved import GOES_ON, loads_here, other_build
from .again import derive_again
from .bake_opening import is_cut_off, told_by_archive
from .origin import changed_origin, describe_origin

FEW_TRACERS = 1.0
"""Tracers per voxel of smoke below which grain shows.

Two previews of a ring that differ in the places of its tracers alone differ in what is finer than
9 pixels by 1.0 to 1.8 of 256 levels (rms in the smoke) at 2.6 tracers, which nobody sees, by 1.6 to
2.3 at 1.3, where soft lumps begin, and by 2.1 to 2.7 at .6, where they are plain: volumes spread
tracers that are far apart (`Simulation.volume`).

Voxels are weighted with their smoke ("filled_voxels" of a volume): the faint rim around a thin
body, where grain does not show, makes up half and more of its active voxels. A body filled with
`Tracers(per_voxel=6)` begins with 4 to 5.5, a plume of them ends with 3 to 4.5; a fire ends with
1.9 to 3 of 12, and would with 1 to 1.5 of 6 (`Emitter.per_voxel`).
"""

GOOD_TRACERS = 3.0

LITTLE_SMOKE = 0.1
"""Frames with less of the largest mass of smoke in the bake than that do not count: a source has
just begun, or the last wisps fade."""


def size_text(count: float) -> str:
    """Bytes as 12 B, 3.4 kB, 5.6 MB ..."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"


def tracers_per_voxel(manifest: Manifest) -> list[float]:
    """Tracers per voxel of smoke of the frames that have some (`LITTLE_SMOKE`)."""
    frames = [manifest.frame(n) for n in manifest.frames]
    least = LITTLE_SMOKE * max((frame.get("mass") or 0.0 for frame in frames), default=0.0)
    some = [frame for frame in frames if (frame.get("mass") or 0.0) >= least]
    values = [frame.get("tracers_per_voxel") for frame in some]
    return [value for value in values if value is not None]


def proposed_voxel(manifest: Manifest) -> float | None:
    """The voxel (m) at which the grainiest frame has the tracers that it should."""
    values = tracers_per_voxel(manifest)
    if not values or manifest.data["volumes"] is None:
        return None
    return manifest.data["volumes"]["voxel"] * (GOOD_TRACERS / min(values)) ** (1 / 3)


def describe(manifest: Manifest) -> str:
    """The whole report."""
    data = manifest.data
    sizes = [file["bytes"] for n in manifest.frames for file in manifest.frame(n)["files"]]
    seconds = (data["last"] - data["first"] + 1) / data["fps"]
    rows = [
        ("bake", str(manifest.path)),
        ("scene", f"{data['name']}, seed {data['seed']}, {data['scene_sha256'][:12]}"),
        ("sources", _kinds(data["scene"]["sources"]) or "none"),
        ("effects", _kinds(data["scene"].get("effects", []))),
        ("bodies", _bodies(data["scene"].get("bodies", []))),
        ("made by", f"vorton {data['vorton']}"),
        ("frames", f"{data['first']}-{data['last']} at {data['fps']:g} a second, {seconds:.2f} s"),
        ("shown", _times(data)),
        ("files", f"{len(sizes)}, {size_text(sum(sizes))}"),
        ("volumes", _volumes(data["volumes"])),
        ("tracers", _tracers(manifest)),
        ("archive", _archive(manifest)),
        ("derived", describe_origin(manifest)),
        ("again", derive_again(manifest)),
        ("branch", _branch(data.get("branch"))),
        ("per voxel", _per_voxel(manifest)),
        ("health", _health(manifest)),
        ("unchecked", _unchecked(manifest)),
    ]
    lines = [f"{name:10} {text}" for name, text in rows if text]
    lines += [f"stale      {text}" for text in summary(manifest, own=False)]
    return "\n".join(lines + [f"warning    {text}" for text in warnings(manifest)])


def describe_settings(manifest: Manifest) -> str:
    """With which frames and files a bake was made, in a line."""
    data = manifest.data
    parts = [
        f"frames {data['first']}-{data['last']} at {data['fps']:g} a second",
        f"volumes {_volumes(data['volumes'])}",
        *([] if data["tracers"] else ["no tracers"]),
        *([] if data["archive"] else ["no archive"]),
    ]
    return ", ".join(parts)


def _times(data: dict[str, Any]) -> str:
    """Of a derived bake at other times: when its frames are."""
    parts = []
    if "offset" in data:
        parts.append(f"{data['offset']:g} of a frame later")
    if "shutter" in data:
        parts.append(f"volumes over {data['shutter']:g} of a frame, {data['samples']} moments")
    return ", ".join(parts)


def _branch(branch: dict[str, Any] | None) -> str:
    if branch is None:
        return ""
    digest = branch["scene_sha256"][:12]
    return f"up to frame {branch['frame']} of another bake: scene {branch['name']}, {digest}"


def describe_archive(path: Path) -> str:
    """What a motion archive without a manifest holds."""
    with Archive(path) as archive:
        scene, fps, told = archive.scene(), archive.fps, told_by_archive(path)
        states, foreign = ranges_text(archive.frames) or "none", _foreign(archive)
    rows = [
        ("archive", f"{path}, {size_text(path.stat().st_size)}"),
        ("scene", f"{scene.name}, seed {scene.seed}"),
        ("sources", _kinds(scene.to_dict()["sources"]) or "none"),
        ("bodies", _bodies(scene.to_dict().get("bodies", []))),
        ("frames", f"states of {states} at {fps:g} a second{foreign}"),
        ("lost", frames_text(archive.lost)),
        ("volumes", "" if told is None else _volumes(told.data["volumes"])),
        ("manifest", "" if told is None else _manifest_lost(told)),
    ]
    return "\n".join(f"{name:10} {text}" for name, text in rows if text)


def _manifest_lost(told: Manifest) -> str:
    """How the manifest of a bake is made again, of which only the archive is known."""
    state = "cannot be read" if told.path.exists() else "is not there"
    if told.path.exists() and not is_cut_off(told.path):  # it may be something else
        state = f"{state}, and is no part of one that was cut off: move it away"
    if (told.data["vorton"], told.data["build"]) != (_core.version(), _core.build()):
        return f"{told.path.name} {state}; the build that made the archive makes it again"
    command = shlex.join(["vorton", "bake", str(told.archive), str(told.folder)])
    return f"{told.path.name} {state}; {command} makes it again"


def warnings(manifest: Manifest) -> list[str]:
    """What one should know before using the bake."""
    found = []
    if manifest.lacks:
        found.append(manifest.lacks)
    found += _strangers(manifest)
    found += summary(manifest, own=None)
    changed = changed_origin(manifest)
    found += [changed] if changed else []
    values = tracers_per_voxel(manifest)
    voxel = proposed_voxel(manifest)
    if values and voxel and min(values) < FEW_TRACERS:
        found.append(
            f"{min(values):.2g} tracers per voxel of smoke: grain will show; take more tracers, "
            f"or voxels of {voxel:.2g} m"
        )
    for name, (limit, meaning, remedy) in HEALTH_LIMITS.items():
        worst = worst_health(manifest, name)
        if worst and worst[1] > limit:
            text = (
                f"{name} {worst[1]:.2g} in frame {worst[0]} (above {limit:g}): {meaning}; {remedy}"
            )
            found.append(text)
    return found


def _strangers(manifest: Manifest) -> list[str]:
    """Files under its names that the manifest does not tell of: of frames that it is to have, which
    it tells of once they are whole, or of none."""
    stale, begun, missing = [], set(), set(manifest.missing)
    for name in manifest.strangers():
        number = int(Path(name).stem.rpartition("_")[2])
        if number in missing and Path(name).suffix in manifest.suffixes:
            begun.add(number)
        else:
            stale.append(name)
    found = []
    if begun:
        text = "are being written by a bake that is under way, or left by one that was interrupted"
        found.append(f"files of {frames_named(sorted(begun))} {text}")
    if stale:
        names = ", ".join(stale[:3]) + (" ..." if len(stale) > 3 else "")
        belong = "belongs" if len(stale) == 1 else "belong"
        found.append(
            f"{counted(len(stale), 'file')} beside it {belong} to no frame of this bake: {names}"
        )
    return found


def _kinds(definitions: list[dict[str, Any]]) -> str:
    kinds = [definition["type"] for definition in definitions]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def _bodies(definitions: list[dict[str, Any]]) -> str:
    """Each with its shape and its name."""
    return ", ".join(_body(definition) for definition in definitions)


def _body(definition: dict[str, Any]) -> str:
    shape = definition.get("shape")
    kind = shape.get("type") if isinstance(shape, dict) else "several shapes"
    name = definition.get("name")
    named = f" {name!r}" if name else ""
    return f"{definition.get('type', 'Body')}{named} ({kind})"


def _volumes(volumes: dict[str, Any] | None) -> str:
    if volumes is None:
        return "none"
    how = ["16-bit" if volumes["half"] else "32-bit"] + ["zlib"] * volumes["compress"]
    grids = ", ".join(volumes["grids"].values())
    return f"{volumes['voxel']:g} m, for {volumes['preset']}: {grids} ({', '.join(how)})"


def _tracers(manifest: Manifest) -> str:
    counts = [manifest.frame(n)["tracers"] for n in manifest.frames]
    if not counts:
        return ""
    files = "in .npz" if manifest.data["tracers"] else "no files"
    least, most = min(counts), max(counts)
    return f"{least} to {most}, {files}" if least != most else f"{most}, {files}"


def _archive(manifest: Manifest) -> str:
    path = manifest.archive
    if path is None:
        return ""
    try:
        with Archive(path) as archive:
            states, foreign = ranges_text(archive.frames) or "none", _foreign(archive)
            lost = f"; {frames_text(archive.lost)}" if archive.lost else ""
    except (OSError, ValueError):
        return f"{path.name} cannot be read: bake again to make it"
    return (
        f"{path.name}, states of frames {states}, {size_text(path.stat().st_size)}{lost}{foreign}"
    )


def _foreign(archive: Archive) -> str:
    """What to know of states that another build has saved, which this one may not load."""
    other = other_build(archive.about)
    if not loads_here(archive):
        other = other or f"another build (vorton {archive.about.get('vorton')})"
        return (
            f"; saved by {other}, which alone goes on from them: bake again to go on with this "
            "one; Archive.fields reads them"
        )
    return f"; saved by {other}: {GOES_ON}" if other else ""


def _per_voxel(manifest: Manifest) -> str:
    values = tracers_per_voxel(manifest)
    if not values:
        return ""
    low, middle, high = min(values), median(values), max(values)
    text = f"tracers per voxel of smoke {low:.2g} to {high:.2g}, median {middle:.2g}"
    return f"{text} ({FEW_TRACERS:g}: grain shows, {GOOD_TRACERS:g}: none)"


def worst_health(manifest: Manifest, name: str) -> tuple[int, float] | None:
    """The frame in which a number of health is largest, and how large; None where no frame has it.

    A number that was not finite, which a manifest cannot hold, counts as none; so does one of a
    flow that has hardly moved yet.
    """
    frames = {n: manifest.frame(n)["health"] for n in manifest.frames}
    known = [
        (n, health[name])
        for n, health in frames.items()
        if health.get(name) is not None and has_limit(name, health, (n - 1) / manifest.data["fps"])
    ]
    return max(known, key=lambda pair: pair[1]) if known else None


def _health(manifest: Manifest) -> str:
    parts = []
    for name, (limit, *_) in HEALTH_LIMITS.items():
        worst = worst_health(manifest, name)
        if worst:
            parts.append(f"{name} {worst[1]:.2g} (limit {limit:g})")
    return "at worst " + ", ".join(parts) if parts else ""


def _unchecked(manifest: Manifest) -> str:
    """The numbers of health that were not held against their limits: in which frames, and why."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in HEALTH_LIMITS:
        frames: dict[str, list[int]] = {}
        for n in manifest.frames:
            health = manifest.frame(n)["health"]
            why = why_unjudged(name, health, (n - 1) / manifest.data["fps"])
            if not why and health.get(name) is None:
                why = "it is not known"
            if why:
                frames.setdefault(why, []).append(n)
        for why, numbers in frames.items():
            found.setdefault((ranges_text(numbers), why), []).append(name)
    return "; ".join(
        f"{', '.join(names)} in frames {numbers}: {why}" for (numbers, why), names in found.items()
    )
