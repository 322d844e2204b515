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
from pathlib import Path
from typing import Any

from . import _core
from .archive import SUFFIX, Archive, ArchiveWriter, describe_scene
from .bake_frames import (
    Frame,
    Parts,
    show_columns,
    take_frame,
    threads_of,
    write_frame,
)
from .bake_writer import FrameWriter
from .fields import (
    Definition,
    check_flag,
    check_integer,
    check_number,
    choice,
    number,
    shown,
)
from .files import locked, make_folder, remove_leftovers
from .manifest import FORMAT, MOST_FRAMES, SCHEMA, UNITS, Manifest
from .progress import Callback, Progress
from .saved import go_on_from
from .scene import Scene
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
    voxel : number, m, optional
        Voxel size, > 0; default: `Scene.nominal_voxel`.
    preset : "blender", "houdini", "arnold", "unreal" or "usd"
        Names the grids as the host expects them, default "blender": density, velocity (or vel), and
        where the simulation carries them temperature (K), flame and fuel (shares of the mass). For
        Blender also heat, what glows, 0 to 1.
    {parameters}
    """

    voxel: float | None = number(None, "m", "voxel size", above=0, optional=True)
    preset: str = choice("blender", PRESETS, "host")
    half: bool = _VDB("half")
    compress: bool = _VDB("compress", doc="packing where it pays")
    margin: float = _VOLUME("velocity_margin")
    sharp: bool = _VOLUME("sharp")

    def settings(self, sim: Simulation) -> dict[str, Any]:
        """The settings as the manifest has them, with the grids that the simulation carries."""
        names = PRESETS[self.preset].grids
        carried = {n for n in names if n not in _SHOWN or sim._core.tracers_carry(_SHOWN[n])}
        return {
            "voxel": sim.nominal_voxel if self.voxel is None else self.voxel,
            "preset": self.preset,
            "grids": {grid: name for grid, name in names.items() if grid in carried},
            "half": self.half,
            "compress": self.compress,
            "margin": self.margin,
            "sharp": self.sharp,
        }


def bake(
    scene: Scene,
    out: str | os.PathLike[str],
    *,
    frames: tuple[int, int] = (1, 96),
    fps: float = 24.0,
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
    fps: float = 24.0,
    volumes: Volumes | None = Volumes(),
    tracers: bool = True,
    archive: bool = True,
    progress: bool | Callback = True,
    threads: int = 0,
    overwrite: bool = False,
) -> Manifest:
    """`bake`, which tells what its parts take."""
    if not isinstance(scene, Scene):
        raise TypeError(f"scene = {shown(scene)}: must be a Scene")
    first, last = _check_frames(frames)
    fps = check_number("fps", fps, above=0, most=10000, unit="1/s")
    threads = check_integer("threads", threads, least=0, most=64)
    _check_volumes(volumes, check_flag("tracers", tracers))
    sim = Simulation(scene, fps, threads=threads)
    settings = _settings(sim, volumes, tracers, check_flag("archive", archive))
    folder = _make_folder(out)
    with locked(folder):
        manifest = _open_manifest(folder, scene, settings, (first, last), overwrite)
        todo = {n for n in range(first, last + 1) if not manifest.is_whole(n)}
        manifest.save()  # first: files that no manifest tells of would be somebody else's
        states = _open_archive(manifest, sim) if archive else None
        plan = _plan(todo, last, states)
        if plan:
            with Progress(len(plan), f"bake {scene.name}", progress) as shown_progress:
                _run(sim, manifest, plan, todo, states, shown_progress, parts)
        if states is not None:
            states.close()
        manifest.check_presence()
    return manifest


def derive(
    place: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    frames: tuple[int, int] | None = None,
    volumes: Volumes | None = Volumes(),
    tracers: bool = True,
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
    with Archive(_find_archive(Path(place))) as archive:
        numbers = archive.select(None if frames is None else _check_frames(frames))
        first, last = numbers[0], numbers[-1]
        sim = Simulation(archive.scene(), archive.fps, threads=threads)
        settings = _settings(sim, volumes, tracers, archive=False)
        folder = _make_folder(out)
        if folder.resolve() == archive.path.resolve().parent:
            raise ValueError(f"out = {shown(out)}: holds the archive; choose another folder")
        with locked(folder):
            manifest = _open_manifest(folder, sim.scene, settings, (first, last), overwrite)
            todo = {n for n in numbers if not manifest.is_whole(n)}
            manifest.save()
            if todo:
                with Progress(len(todo), f"derive {sim.scene.name}", progress) as shown_progress:
                    _run(sim, manifest, sorted(todo), todo, archive, shown_progress, Parts())
            manifest.check_presence()
    return manifest


def _find_archive(place: Path) -> Path:
    """The archive in a folder, of a manifest, or the one at this path."""
    if place.suffix == SUFFIX:
        return place
    if place.is_dir():
        found = sorted(place.glob(f"*{SUFFIX}"))
        if len(found) != 1:
            has = f"several archives, name one: {', '.join(map(str, found))}" if found else "none"
            raise ValueError(f"{place}: must hold a motion archive, and holds {has}")
        return found[0]
    path = Manifest.load(place).archive
    if path is None:
        raise ValueError(f"{place}: was baked without an archive")
    return path


def _make_folder(out: str | os.PathLike[str]) -> Path:
    if not os.fspath(out):
        raise ValueError(f"out = {shown(out)}: must be the path of a folder")
    folder = Path(out)
    make_folder(folder)
    return folder


def _open_archive(manifest: Manifest, sim: Simulation) -> ArchiveWriter:
    return ArchiveWriter(manifest.archive, describe_scene(sim.scene, sim.fps, manifest.folder))


def _check_frames(frames: tuple[int, int]) -> tuple[int, int]:
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


def _settings(
    sim: Simulation, volumes: Volumes | None, tracers: bool, archive: bool
) -> dict[str, Any]:
    """What must agree for an older bake to be gone on with."""
    return {
        "vorton": _core.version(),
        "build": _core.build(),
        "scene_sha256": sim.scene.sha256,
        "fps": sim.fps,
        "volumes": None if volumes is None else volumes.settings(sim),
        "tracers": tracers,
        "archive": f"{sim.scene.name}{SUFFIX}" if archive else None,
    }


# ---- what the folder holds ----


def _open_manifest(
    folder: Path,
    scene: Scene,
    settings: dict[str, Any],
    frames: tuple[int, int],
    overwrite: bool,
) -> Manifest:
    """The manifest to go on with, or a new one; not yet saved."""
    path = folder / f"{scene.name}.json"
    earlier = Manifest.all_in(folder)
    if path.exists() and not any(manifest.path == path for manifest in earlier):
        _refuse_damaged(path, overwrite)
    for manifest in earlier:
        difference = _difference(manifest, scene, settings)
        if not difference:
            remove_leftovers(folder)
            return _take_over(manifest, scene, settings, frames)
        if not overwrite:
            raise ValueError(
                f"{folder}: holds a bake of {difference}; choose another folder, or give "
                "overwrite=True (--overwrite) to remove it"
            )
    for manifest in earlier:
        manifest.remove_files()
    remove_leftovers(folder)
    manifest = _new_manifest(path, scene, settings, frames)
    _refuse_strangers(manifest, overwrite)
    return manifest


def _take_over(
    earlier: Manifest, scene: Scene, settings: dict[str, Any], frames: tuple[int, int]
) -> Manifest:
    """The frames of an earlier manifest; all else is as it must be."""
    data = earlier.data
    both = min(data["first"], frames[0]), max(data["last"], frames[1])
    manifest = _new_manifest(earlier.path, scene, settings, both)
    return Manifest(earlier.path, manifest.data | {"frames": data["frames"]})


def _refuse_damaged(path: Path, overwrite: bool) -> None:
    """A file in the place of the manifest that is none, or no whole one."""
    try:
        Manifest.load(path)
    except ValueError as error:
        if not Manifest.may_replace(path):
            text = "exists and is not the manifest of a bake; choose another folder"
            raise ValueError(f"{path}: {text}") from error
        if not overwrite:
            text = "choose another folder, or give overwrite=True (--overwrite) to bake anew"
            raise ValueError(f"{error}; {text}") from error


def _difference(manifest: Manifest, scene: Scene, settings: dict[str, Any]) -> str | None:
    """In what an older bake differs from this one, or None."""
    old = manifest.data
    if old.get("name") != scene.name:
        return f"another scene, {old.get('name')!r}"
    for key, value in settings.items():
        if old.get(key) == value:
            continue
        if key in ("vorton", "build"):
            return f"this scene by another vorton ({key} {shown(old.get(key))})"
        if key == "scene_sha256":
            return f"another scene, also named {scene.name!r}"
        if key == "volumes" and value and old.get(key):
            parts = [part for part in value if old[key].get(part) != value[part]]
            said = ", ".join(f"{part} {shown(old[key].get(part))}" for part in parts)
            return f"this scene with other volumes: {said}"
        return f"this scene with {key} {shown(old.get(key))}"
    return None


def _refuse_strangers(manifest: Manifest, overwrite: bool) -> None:
    """Files under our names that no manifest tells of are somebody else's work."""
    data, folder = manifest.data, manifest.folder
    found = [manifest.archive] if manifest.archive else []
    for suffix in manifest.suffixes:
        for path in sorted(folder.glob(f"{data['name']}_*{suffix}")):
            digits = path.name[len(data["name"]) + 1 : -len(suffix)]
            if digits.isdigit() and data["first"] <= int(digits) <= data["last"]:
                found.append(path)
    for path in found:
        if path.exists() and not overwrite:
            raise ValueError(
                f"{path}: exists and belongs to no bake; choose another folder, or give "
                "overwrite=True (--overwrite)"
            )


def _new_manifest(
    path: Path, scene: Scene, settings: dict[str, Any], frames: tuple[int, int]
) -> Manifest:
    data = {
        "format": FORMAT,
        "schema": SCHEMA,
        "name": scene.name,
        "seed": scene.seed,
        **settings,
        "units": UNITS,
        "first": frames[0],
        "last": frames[1],
        "scene": scene.to_dict(folder=path.parent),
        "frames": [],
    }
    return Manifest(path, data)


# ---- frames ----


def _plan(todo: set[int], last: int, states: ArchiveWriter | None) -> list[int]:
    """The frames to come to, ascending: from the archive those that it has, then all others."""
    if states is None:
        return list(range(1, max(todo) + 1)) if todo else []
    return sorted(n for n in todo if n <= states.last) + list(range(states.last + 1, last + 1))


def _run(
    sim: Simulation,
    manifest: Manifest,
    plan: list[int],
    todo: set[int],
    states: ArchiveWriter | Archive | None,
    progress: Progress,
    parts: Parts,
) -> None:
    """Come to each frame of `plan`; it is written beside the way to the next."""
    archived = states.last if states is not None else 0
    if 0 < archived < plan[-1]:
        progress.say(f"goes on from frame {archived} of {manifest.data['archive']}")
    with FrameWriter(lambda frame: write_frame(frame, manifest, states, parts)) as writer:
        at = 0
        for number in plan:
            writer.number = number
            _come_to(sim, at, number, states, archived, parts)
            at = number
            with parts.timed("state"):
                show_columns(sim)
                save = states is not None and number > archived
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


def _come_to(
    sim: Simulation,
    at: int,
    number: int,
    states: ArchiveWriter | Archive | None,
    archived: int,
    parts: Parts,
) -> None:
    """From frame `at`, 0: none yet, to frame `number`, the next one unless the archive has it."""
    wanted = number if number <= archived else number - 1
    if 0 < wanted <= archived and wanted != at:
        with parts.timed("state"):
            go_on_from(sim, states, wanted)
    if number > max(archived, 1):
        with parts.timed("simulation"):
            sim.step()
