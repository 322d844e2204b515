"""Bakes: numbered frames of volumes (.vdb) and tracers (.npz) with a manifest, and an archive.

Frame 1 is the start, frame n the state at time (n - 1) / fps. Every bake simulates from the start,
frame by frame, so that frame n is the same whichever range it is baked in. A thread more encodes
and writes a frame while the next is simulated: first the state is appended to the motion archive
(.vta), then each file is written beside its target, flushed and renamed, and then the manifest. A
bake that was killed goes on from the last whole frame of the archive when it is started again, and
ends with the same bytes; frames that the archive has are made from it, without simulating.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _core
from .archive import SUFFIX, Archive, describe_scene
from .archive_writer import ArchiveWriter
from .bake_frames import (
    Frame,
    Parts,
    show_columns,
    take_frame,
    threads_of,
    write_frame,
)
from .bake_opening import open_manifest
from .bake_writer import FrameWriter
from .branches import Branch, branch_of
from .course import Course
from .derive_jobs import make_in_processes
from .fields import (
    Definition,
    check_flag,
    check_integer,
    check_number,
    check_vector,
    choice,
    number,
    ranges_text,
    shown,
)
from .files import locked, make_folder
from .manifest import FPS, FRAMES, MOST_FPS, MOST_FRAMES, NO_ARCHIVE, Manifest
from .progress import Callback, Progress
from .retime import RetimedCourse, course_of, last_frame, needed
from .scene import Scene
from .scene_advice import warn_of_coarse_voxel
from .simulation import Simulation
from .tables import Table

_SHOWN = {"temperature": "temperature", "heat": "temperature", "flame": "flame", "fuel": "fuel"}
"""Grids that only some simulations have, and the column of the tracers that is in them."""


@dataclasses.dataclass(frozen=True)
class Preset:
    """What differs between hosts: names of the grids, and what one has to set there."""

    density: str
    velocity: str
    hint: str
    temperature: str = "temperature"
    heat: str | None = None
    flame: str = "flame"
    fuel: str = "fuel"

    @property
    def grids(self) -> dict[str, str]:
        """Name of each grid that the host may get."""
        names = dataclasses.asdict(self)
        return {grid: name for grid, name in names.items() if name and grid != "hint"}


PRESETS = {
    "blender": Preset(
        "density", "velocity", "set the volume's Velocity Unit to Second", heat="heat"
    ),
    "houdini": Preset("density", "vel", "axes are Z up: rotate by -90 degrees about X for Y up"),
    "arnold": Preset("density", "vel", "Velocity Grids: vel, in units per second"),
    "unreal": Preset("density", "velocity", "lengths are metres: scale by 100"),
    "usd": Preset("density", "velocity", "set upAxis Z and metersPerUnit 1 on the stage"),
}


_VDB, _VOLUME = Table("vdb"), Table("volume")


@dataclasses.dataclass(frozen=True, eq=False)
class Volumes(Definition):
    """How volumes are baked.

    Parameters
    ----------
    preset : "blender", "houdini", "arnold", "unreal" or "usd"
        Names the grids as the host expects them, default "blender": density, velocity (or vel), and
        where the simulation carries them temperature (K), flame and fuel (shares of the mass). For
        Blender also heat, what glows, 0 to 1.
    {parameters}
    """

    voxel: float | None = number(
        None, "m", "voxel size; default: `Scene.nominal_voxel`", above=0, optional=True
    )
    preset: str = choice("blender", PRESETS, "host")
    half: bool = _VDB("half")
    compress: bool = _VDB("compress", doc="packing where it pays")
    margin: float = _VOLUME("velocity_margin")
    sharp: bool = _VOLUME("sharp")

    def settings(self, sim: Simulation, earlier: Sequence[Simulation] = ()) -> dict[str, Any]:
        """The settings as the manifest has them, with the grids that the simulation carries.

        In a branch it goes on from earlier ones, and carries what they carried.
        """
        voxel = sim.nominal_voxel if self.voxel is None else self.voxel
        if self.voxel is not None:
            warn_of_coarse_voxel(sim.scene, voxel, "Volumes.voxel")
        names = PRESETS[self.preset].grids
        shown = [name for name in names if name in _SHOWN]
        sims = (sim, *earlier)
        carried = {n for n in shown if any(s._core.tracers_carry(_SHOWN[n]) for s in sims)}
        return {
            "voxel": voxel,
            "preset": self.preset,
            "grids": {
                grid: name for grid, name in names.items() if grid in carried or grid not in shown
            },
            "half": self.half,
            "compress": self.compress,
            "margin": self.margin,
            "sharp": self.sharp,
        }


def bake(
    scene: Scene,
    out: str | os.PathLike[str],
    *,
    frames: tuple[int, int] = FRAMES,
    fps: float = FPS,
    volumes: Volumes | None = Volumes(),
    tracers: bool = True,
    archive: bool = True,
    progress: bool | Callback = True,
    threads: int = 0,
    overwrite: bool = False,
) -> Manifest:
    """Simulate a scene and write its frames.

    One simulation is made for it, with the scene's method, which stays the same for all frames, as
    the manifest says; for a run that switches (`Simulation.method`) step a simulation yourself.

    Writes `OUT/name_0001.vdb` and `OUT/name_0001.npz` ..., the archive `OUT/name.vta`, and the
    manifest `OUT/name.json`, where name is the scene's. Frames that an earlier bake of the same
    scene with the same settings by the same build of vorton has written, and whose hash still
    agrees, are kept; the range may grow. Where the archive has the state of a frame, it is not
    simulated again.

    Parameters
    ----------
    scene : Scene
    out : path
        Folder; made if it is not there.
    frames : two whole numbers
        First and last frame, 1 <= first <= last; default (1, 96). Frame n is at (n - 1) / fps s.
    fps : number, 1/s
        Frames a second, > 0 to 10000, default 24.
    volumes : Volumes or None
        Default `Volumes()`; None: no volumes.
    tracers : bool
        Write tracer frames, default True.
    archive : bool
        Write the state at each frame, from the first on, into the archive, default True: without it
        a bake that was interrupted simulates from the start again.
    progress : bool or function
        True (default): a bar, or lines on stderr; False: nothing; a function is called with
        (frames done, frames in all, seconds left), once a frame is on the disk.
    threads : whole number
        0 to 64; 0 (default): all processors. The result does not depend on it. One thread more
        writes the frames.
    overwrite : bool
        Remove what an earlier bake of something else has left in the folder, default False.

    Returns
    -------
    Manifest

    Raises
    ------
    ValueError, TypeError
        A bad argument; a folder that holds another bake, or files that are not a bake's.
    OSError
        A file cannot be written. All frames before it are whole. BlockingIOError: another bake into
        this folder is under way.
    KeyboardInterrupt
        Ctrl-C. All frames before it are whole, that which was being written, too; call bake again
        to go on.
    """
    return bake_timed(
        Parts(),
        scene,
        out,
        frames=frames,
        fps=fps,
        volumes=volumes,
        tracers=tracers,
        archive=archive,
        progress=progress,
        threads=threads,
        overwrite=overwrite,
    )


def bake_timed(
    parts: Parts,
    scene: Scene,
    out: str | os.PathLike[str],
    *,
    frames: tuple[int, int],
    fps: float,
    volumes: Volumes | None,
    tracers: bool,
    archive: bool,
    progress: bool | Callback,
    threads: int,
    overwrite: bool,
) -> Manifest:
    """`bake`, which tells what its parts take."""
    if not isinstance(scene, Scene):
        raise TypeError(f"scene = {shown(scene)}: must be a Scene")
    first, last = check_frames(frames)
    fps = check_number("fps", fps, above=0, most=MOST_FPS, unit="1/s")
    threads = check_integer("threads", threads, least=0, most=64)
    _check_volumes(volumes, check_flag("tracers", tracers))
    sim = Simulation(scene, fps, threads=threads)
    branch = _branch_there(Path(out), scene)
    settings = settings_of(sim, volumes, tracers, check_flag("archive", archive), branch)
    folder = prepare_folder(out)
    with locked(folder):
        manifest = open_manifest(folder, scene, settings, (first, last), overwrite)
        if branch is not None and "branch" not in manifest.data:  # it is overwritten
            manifest.data |= {
                "volumes": settings_of(sim, volumes, tracers, archive, None)["volumes"]
            }
        todo = {n for n in range(first, last + 1) if not manifest.is_whole(n)}
        manifest.save()  # first: files that no manifest tells of would be somebody else's
        states = _open_archive(manifest, sim) if archive else None
        plan = _plan(todo, last, states)
        if plan:
            with Progress(len(plan), f"bake {scene.name}", progress) as shown_progress:
                course = Course(sim, branch_of(manifest))
                _run(course, manifest, plan, todo, states, shown_progress, parts)
        if states is not None:
            states.close()
        manifest.check_presence()
    return manifest


def derive(
    place: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    frames: tuple[int, int] | None = None,
    fps: float | None = None,
    region: Any = None,
    volumes: Volumes | None = Volumes(),
    tracers: bool = True,
    jobs: int = 1,
    progress: bool | Callback = True,
    threads: int = 0,
    overwrite: bool = False,
) -> Manifest:
    """Write the frames of an archive with other settings, without simulating.

    OUT becomes what a bake of the scene with these settings writes, but without an archive: byte by
    byte, where the same build of vorton made the archive. A second call goes on, or adds frames.

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
        As of `bake`; no archive there, a frame that it lacks, a damaged one.
    """
    threads = check_integer("threads", threads, least=0, most=64)
    _check_volumes(volumes, check_flag("tracers", tracers))
    jobs = check_integer("jobs", jobs, least=1, most=64)
    box = None if region is None else _check_region(region)
    if fps is not None:
        fps = check_number("fps", fps, above=0, most=MOST_FPS, unit="1/s")
    with Archive(_find_archive(Path(place))) as archive:
        sim = Simulation(archive.scene(), archive.fps, threads=threads)
        course, numbers = _course_of(archive, sim, frames, fps)
        first, last = numbers[0], numbers[-1]
        settings = settings_of(sim, volumes, tracers, False, archive.branch)
        folder = prepare_folder(out)
        retimed = fps is not None and fps != archive.fps
        settings |= {
            "fps": fps if retimed else archive.fps,
            "region": box,
            "archived_fps": archive.fps if retimed else None,
            "branch": None if archive.branch is None else archive.branch.to_dict(folder),
        }
        if folder.resolve() == archive.path.resolve().parent:
            raise ValueError(f"out = {shown(out)}: holds the archive; choose another folder")
        with locked(folder):
            manifest = open_manifest(folder, sim.scene, settings, (first, last), overwrite)
            todo = {n for n in numbers if not manifest.is_whole(n)}
            manifest.save()
            if todo:
                with Progress(len(todo), f"derive {sim.scene.name}", progress) as shown_progress:
                    if jobs > 1:
                        made = make_in_processes(
                            archive, manifest, sorted(todo), jobs, threads_of(sim)
                        )
                        for record in made:
                            manifest.add_frame(record)
                            shown_progress.advance()
                    else:
                        _run(course, manifest, sorted(todo), todo, archive, shown_progress, Parts())
            manifest.check_presence()
    return manifest


def _course_of(
    archive: Archive, sim: Simulation, frames: tuple[int, int] | None, fps: float | None
) -> tuple[Course | RetimedCourse, list[int]]:
    """How to come to the frames that are to be derived, and their numbers."""
    wanted = None if frames is None else check_frames(frames)
    if fps is None or fps == archive.fps:
        return course_of(archive, sim, archive.fps), archive.select(wanted)
    first, last = wanted or (1, last_frame(archive, fps))
    numbers = list(range(first, last + 1))
    needed(archive, numbers, fps)
    return course_of(archive, sim, fps), numbers


def _check_region(region: Any) -> list[list[float]]:
    if isinstance(region, str) or not hasattr(region, "__len__") or len(region) != 2:
        raise TypeError(f"region = {shown(region)}: must be two corners of a box, m")
    corners = [list(check_vector("region", corner)) for corner in region]
    if not all(low < high for low, high in zip(*corners, strict=True)):
        raise ValueError(f"region = {shown(region)}: the first corner must be the lower one")
    return corners


def _find_archive(place: Path) -> Path:
    """The archive in a folder, of a manifest, or the one at this path."""
    if place.suffix == SUFFIX:
        return place
    if place.is_dir():
        found = sorted(place.glob(f"*{SUFFIX}"))
        if len(found) != 1:
            has = "none"
            if found:
                has = f"several archives, name one: {', '.join(map(str, found))}"
            elif any(manifest.archive is None for manifest in Manifest.all_in(place)):
                has = "none: the bake was made without one, or pruned of it"
            raise ValueError(f"{place}: must hold a motion archive, and holds {has}")
        return found[0]
    path = Manifest.load(place).archive
    if path is None:
        raise ValueError(f"{place}: {NO_ARCHIVE}")
    return path


def prepare_folder(out: str | os.PathLike[str]) -> Path:
    if not os.fspath(out):
        raise ValueError(f"out = {shown(out)}: must be the path of a folder")
    folder = Path(out)
    make_folder(folder)
    return folder


def _open_archive(manifest: Manifest, sim: Simulation) -> ArchiveWriter:
    return ArchiveWriter(manifest.archive, describe_bake(manifest, sim.scene))


def describe_bake(manifest: Manifest, scene: Scene) -> dict[str, Any]:
    """The head of the archive of a bake."""
    about = describe_scene(scene, manifest.data["fps"], manifest.folder)
    branch = manifest.data.get("branch")
    return about if branch is None else about | {"branch": branch}


def _branch_there(folder: Path, scene: Scene) -> Branch | None:
    """Of the bake of this scene that is in a folder, if there is one."""
    try:
        manifest = Manifest.load(folder / f"{scene.name}.json")
        return branch_of(manifest) if manifest.data["scene_sha256"] == scene.sha256 else None
    except (OSError, ValueError):  # said later, if it matters
        return None


def check_frames(frames: tuple[int, int]) -> tuple[int, int]:
    what = f"first and last frame, 1 <= first <= last <= {MOST_FRAMES}"
    if isinstance(frames, str) or not hasattr(frames, "__len__") or len(frames) != 2:
        raise TypeError(f"frames = {shown(frames)}: must be {what}")
    first, last = (check_integer("frames", n, least=1, most=MOST_FRAMES) for n in frames)
    if first > last:
        raise ValueError(f"frames = {shown(frames)}: must be {what}")
    return first, last


def _check_volumes(volumes: Volumes | None, tracers: bool) -> None:
    if volumes is not None and not isinstance(volumes, Volumes):
        raise TypeError(f"volumes = {shown(volumes)}: must be Volumes or None")
    if volumes is None and not tracers:
        raise ValueError("volumes = None, tracers = False: there is nothing to bake")


def settings_of(
    sim: Simulation, volumes: Volumes | None, tracers: bool, archive: bool, branch: Branch | None
) -> dict[str, Any]:
    """What must agree for an older bake to be gone on with."""
    scenes = [] if branch is None or volumes is None else [scene for _, scene in branch.pieces]
    earlier = [Simulation(scene, sim.fps, threads=sim._threads) for scene in scenes]
    return {
        "vorton": _core.version(),
        "build": _core.build(),
        "scene_sha256": sim.scene.sha256,
        "fps": sim.fps,
        "volumes": None if volumes is None else volumes.settings(sim, earlier),
        "tracers": tracers,
        "archive": f"{sim.scene.name}{SUFFIX}" if archive else None,
        "region": None,
        "archived_fps": None,
    }


# ---- frames ----


def _plan(todo: set[int], last: int, states: ArchiveWriter | None) -> list[int]:
    """The frames to come to, ascending: what the archive lacks, and of what it has those that are
    to be written."""
    if states is None:
        return list(range(1, max(todo) + 1)) if todo else []
    has = set(states.frames)
    lacking = set(range(1, max(last, states.last) + 1)) - has
    return sorted(lacking | (todo & has))


def _run(
    course: Course | RetimedCourse,
    manifest: Manifest,
    plan: list[int],
    todo: set[int],
    states: ArchiveWriter | Archive | None,
    progress: Progress,
    parts: Parts,
) -> None:
    """Come to each frame of `plan`; it is written beside the way to the next."""
    archived = frozenset(() if states is None else states.frames)
    lacking = [n for n in plan if n not in archived]
    if archived and lacking and isinstance(states, ArchiveWriter):
        first = f"from frame {lacking[0] - 1} on" if lacking[0] > 1 else "from the start"
        progress.say(f"simulates {first}: {manifest.data['archive']} lacks {ranges_text(lacking)}")
    with FrameWriter(lambda frame: write_frame(frame, manifest, states, parts)) as writer:
        at = 0
        for number in plan:
            writer.number = number
            sim = course.come_to(at, number, states, archived, parts)
            at = number
            with parts.timed("state"):
                show_columns(sim)
                save = isinstance(states, ArchiveWriter) and number not in archived
                state = sim._core.save_state(number) if save else None
            frame = Frame({"frame": number}, None, None)
            if number in todo:
                threads = threads_of(sim) - writer.busy  # or both would wait for each other
                frame = take_frame(sim, manifest.data, number, max(threads, 1), parts)
            if writer.wait():
                progress.advance()
            writer.give(dataclasses.replace(frame, state=state))
        if writer.wait():
            progress.advance()
