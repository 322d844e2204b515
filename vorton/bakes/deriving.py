"""Bakes that are derived from the archive of another, without simulating."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..archive.manifest import Manifest
from ..archive.manifest_form import MOST_FPS, MOST_SAMPLES
from ..archive.reading import SUFFIX, Archive, DamageError, frames_text
from ..base.checks import (
    check_flag,
    check_integer,
    check_number,
    check_place,
    frames_named,
    shown,
)
from ..base.progress import Callback, Progress
from ..files.disk import locked
from ..simulations.saved import warn_of_other_build
from ..simulations.simulation import Simulation
from .bake_frames import Parts, check_region, encode_frame, threads_of, write_frame
from .bake_opening import check_states, open_archive, open_manifest
from .bake_writer import FrameWriter
from .baking import (
    VOLUMES,
    Volumes,
    check_frames,
    check_volumes,
    prepare_folder,
    settings_of,
)
from .derive_jobs import make_in_processes
from .origin import origin_of
from .retime import Times, course_of, numbers_of, take_derived

__all__ = ["derive"]


def derive(
    place: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    frames: tuple[int, int] | None = None,
    fps: float | None = None,
    offset: float = 0.0,
    shutter: float = 0.0,
    samples: int = 8,
    region: Any = None,
    volumes: Volumes | None = VOLUMES,
    tracers: bool = True,
    jobs: int = 1,
    progress: bool | Callback = True,
    threads: int = 0,
    overwrite: bool = False,
) -> Manifest:
    """Write the frames of an archive with other settings, without simulating.

    OUT becomes what a bake of the scene with these settings writes, but without an archive: byte by
    byte, where the same build of vorton made the archive. Its manifest says of which archive, and
    who has simulated it. A second call goes on, or adds frames. The archive has the places of all
    bodies, whose walls keep smoke back in the volumes.

    Parameters
    ----------
    place : path
        Folder of a bake, its manifest, or a .vta file.
    out : path
        Another folder; made if it is not there.
    frames : two whole numbers, optional
        First and last frame; default: all that the archive has.
    fps : number, 1/s, optional
        Another frame rate, > 0 to 10000: frame n is at (n - 1) / fps seconds of the same motion, so
        that four times the rate, shown at the old one, is slow motion. Between the frames of the
        archive particles lie on cubics through their places and velocities in both; at its frames
        all is as without this. Default: that of the archive.
    offset : number, frames
        How much later each frame is, 0 (default) to 1: frame n is at (n - 1 + offset) /
        fps. With `frames` it gives single times: ``frames=(12, 12), offset=0.25``.
    shutter : number, frames
        How long the shutter is open, around the time of the frame; 0 (default) to 1, .5 is one of
        180 degrees. Volumes are then the mean over that time, density and what else they hold, and
        have no velocity, or hosts would blur them again; tracers, bodies and health are those of
        the frame. Frames for which the archive lacks a part of that time are not made: the first
        and the last one, where the frame rate is its own.
    samples : whole number
        At how many moments the shutter is looked through, 2 to 256, default 8: what moves by more
        than as many times its width shows them. The time to make a volume grows with them, and the
        memory by some 40 bytes for each tracer.
    region : (lower, upper), m, optional
        Two opposite corners of a box: only the tracers in it are written, lower <= position <
        upper, so that what the boxes of a partition hold adds up. Default: all tracers.
    jobs : whole number
        How many processes make frames at the same time, 1 (default) to 64, each with its share of
        the threads and the memory of a frame or, between frames, of four. The files do not depend
        on it. With as many as there are processors it takes about half as long.
    volumes, tracers, progress, threads, overwrite
        As of `bake`.

    Returns
    -------
    Manifest

    Raises
    ------
    ValueError, TypeError, OSError, KeyboardInterrupt
        As of `bake`; no archive there, a frame that it never had.
    DamageError
        Frames of the archive cannot be read: those of OUT that need them are missing, and all
        others are whole. Its `frames` says which, and why. (`vorton.archive`)

    Warns
    -----
    vorton.SceneWarning
        Another build of vorton has simulated the archive.
    """
    threads = check_integer("threads", threads, least=0, most=64)
    check_volumes(volumes, check_flag("tracers", tracers))
    jobs = check_integer("jobs", jobs, least=1, most=64)
    box = None if region is None else check_region(region)
    if fps is not None:
        fps = check_number("fps", fps, above=0, most=MOST_FPS, unit="1/s")
    offset = check_number("offset", offset, least=0, most=1, unit="frames")
    shutter = check_number("shutter", shutter, least=0, most=1, unit="frames")
    samples = check_integer("samples", samples, least=2, most=MOST_SAMPLES)
    if shutter and volumes is None:
        raise ValueError(f"shutter = {shown(shutter)}: it averages volumes, and volumes is None")
    path, out = _find_archive(check_place("place", place)), check_place("out", out)
    with open_archive(path) as archive:
        sim = Simulation(archive.scene(), archive.fps, threads=threads)
        rate = archive.fps if fps is None else fps
        times = Times(rate, archive.fps, offset, shutter, samples if shutter else 0)
        numbers = numbers_of(archive, None if frames is None else check_frames(frames), times)
        settings = settings_of(sim, volumes, tracers, False, archive.branch)
        if shutter:
            del settings["volumes"]["grids"]["velocity"]
        folder = prepare_folder(out)
        settings |= {
            "fps": rate,
            "region": box,
            "archived": origin_of(archive, folder),
            "archived_fps": archive.fps if rate != archive.fps else None,
            "offset": offset or None,
            "shutter": shutter or None,
            "samples": samples if shutter else None,
            "branch": None if archive.branch is None else archive.branch.to_dict(folder),
        }
        warn_of_other_build(archive, "what this one derives of them may differ from its files")
        if folder.resolve() == archive.path.resolve().parent:
            raise ValueError(f"out = {shown(out)}: holds the archive; choose another folder")
        with locked(folder):
            both = numbers[0], numbers[-1]
            manifest = open_manifest(folder, sim.scene, settings, both, overwrite)
            todo = [n for n in numbers if not manifest.is_whole(n)]
            manifest.save()
            lost = _make_all(archive, sim, manifest, times, todo, jobs, progress)
            if not lost:
                manifest.check_presence()
    if lost:
        made_not = [n for n in todo if not lost.keys().isdisjoint(times.needed(n))]
        text = f"; {folder} lacks {frames_named(made_not)}, all others are whole"
        raise DamageError(archive.path, lost, f"{text}: bake again to repair the archive")
    return manifest


def _make_all(
    archive: Archive,
    sim: Simulation,
    manifest: Manifest,
    times: Times,
    todo: Sequence[int],
    jobs: int,
    progress: bool | Callback,
) -> dict[int, str]:
    """Make frames, but for those made of frames of the archive that cannot be read: these, and
    why."""
    of = {n: times.needed(n) for n in todo}
    lost = {a: archive.lost[a] for n in todo for a in of[n] if a in archive.lost}
    plan = [n for n in todo if lost.keys().isdisjoint(of[n])]
    if not plan:
        return lost
    with (
        _told_of(archive, lost),
        Progress(len(plan), f"derive {sim.scene.name}", progress) as shown_progress,
    ):
        if jobs == 1:
            _make(archive, sim, manifest, times, plan, lost, shown_progress)
        else:
            made = make_in_processes(archive, manifest, plan, lost, jobs, threads_of(sim))
            for record in made:
                if record is not None:
                    manifest.add_frame(record)
                shown_progress.advance()
    return lost


@contextlib.contextmanager
def _told_of(archive: Archive, lost: Mapping[int, str]) -> Iterator[None]:
    """What ends the block before its time tells of the frames that were passed over, too."""
    try:
        yield
    except BaseException as error:
        if lost:
            error.add_note(f"but for those of damaged ones of {archive.path}: {frames_text(lost)}")
        raise


def _make(
    archive: Archive,
    sim: Simulation,
    manifest: Manifest,
    times: Times,
    numbers: Sequence[int],
    lost: dict[int, str],
    progress: Progress,
) -> None:
    """Come to each frame; it is written beside the way to the next ones. `lost` takes the frames of
    the archive that cannot be read."""
    course, parts = course_of(archive, sim, times), Parts()
    with FrameWriter(
        lambda frame: encode_frame(frame, manifest.data, parts),
        lambda frame: write_frame(frame, manifest, None, parts),
    ) as writer:
        for number in numbers:
            writer.number = number
            threads = writer.threads_beside(threads_of(sim))
            try:
                frame = take_derived(course, archive, manifest, number, threads, parts)
            except DamageError as error:
                lost |= error.frames
                progress.advance()
                continue
            for _ in writer.written():
                progress.advance()
            writer.give(frame)
        for _ in writer.written(0):
            progress.advance()


def _find_archive(place: Path) -> Path:
    """The archive of the bake in a folder, or the only one there; of a manifest; the one at this
    path."""
    if place.suffix == SUFFIX:
        return place
    manifests = Manifest.all_in(place) if place.is_dir() else [Manifest.load(place)]
    if len(manifests) == 1 and manifests[0].archive is not None:
        check_states(manifests[0])
        return manifests[0].archive
    if not place.is_dir():
        raise ValueError(f"{place}: has {manifests[0].no_archive}")
    found = sorted(place.glob(f"*{SUFFIX}"))
    if len(found) != 1:
        lacking = [manifest for manifest in manifests if manifest.archive is None]
        has = f"none: the bake has {lacking[0].no_archive}" if lacking else "none"
        if found:
            has = f"several archives, name one: {', '.join(map(str, found))}"
        raise ValueError(f"{place}: must hold a motion archive, and holds {has}")
    return found[0]
