"""Bakes: numbered frames of volumes (.vdb) and tracers (.npz) with a manifest, and an archive.

Frame 1 is the start, frame n the state at time (n - 1) / fps. Every bake simulates from the start,
frame by frame, so that frame n is the same whichever range it is baked in. A thread more encodes
frames, and another writes them, while the next ones are simulated: first the state is appended to
the motion archive (.vta), then each file is written beside its target, flushed and renamed, and
then the manifest. A bake that was killed goes on from the last whole frame of the archive when it
is started again, and ends with the same bytes; frames that the archive has are made from it,
without simulating.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import _core
from ..archive.branches import Branch, branch_of
from ..archive.manifest import FPS, FRAMES, Manifest
from ..archive.manifest_form import MOST_FPS, MOST_FRAMES
from ..archive.reading import SUFFIX, describe_scene
from ..archive.writing import ArchiveWriter
from ..base.checks import check_flag, check_integer, check_number, check_place, ranges_text, shown
from ..base.progress import Callback, Progress
from ..definitions.fields import Definition, choice, number
from ..definitions.tables import Table
from ..files.disk import locked, make_folder
from ..scenes.key_advice import warn_of_keys_in_frames
from ..scenes.scene import Scene
from ..scenes.scene_advice import warn_of_coarse_voxel
from ..simulations.simulation import Simulation
from .bake_frames import (
    Frame,
    Parts,
    encode_frame,
    show_columns,
    take_frame,
    threads_of,
    write_frame,
)
from .bake_opening import bake_there, open_manifest
from .bake_writer import FrameWriter
from .course import Course
from .report import describe_settings

_SHOWN = {"temperature": "temperature", "heat": "temperature", "flame": "flame", "fuel": "fuel"}
"""Grids that only some simulations have, and the column of the tracers that is in them."""


@dataclasses.dataclass(frozen=True)
class Preset:
    """What differs between hosts: names of the grids, and what one has to set there, be it for
    velocity alone."""

    density: str
    velocity: str
    hint: str
    temperature: str = "temperature"
    heat: str | None = None
    flame: str = "flame"
    fuel: str = "fuel"
    hint_of_velocity: bool = False

    @property
    def grids(self) -> dict[str, str]:
        """Name of each grid that the host may get."""
        names = dataclasses.asdict(self)
        return {grid: name for grid, name in names.items() if name and "hint" not in grid}


PRESETS = {
    "blender": Preset(
        "density",
        "velocity",
        "set the volume's Velocity Unit to Second",
        heat="heat",
        hint_of_velocity=True,
    ),
    "houdini": Preset("density", "vel", "axes are Z up: rotate by -90 degrees about X for Y up"),
    "arnold": Preset(
        "density", "vel", "Velocity Grids: vel, in units per second", hint_of_velocity=True
    ),
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


VOLUMES = Volumes()
"""The default."""


def bake(
    scene: Scene,
    out: str | os.PathLike[str],
    *,
    frames: tuple[int, int] = FRAMES,
    fps: float = FPS,
    volumes: Volumes | None = VOLUMES,
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
    simulated again. A manifest that was lost is made again where the archive tells of this bake.

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
        Remove what an earlier bake of something else has left in the folder, default False. States
        of this scene by this build are gone on from, whatever files were made of them; in the place
        of a branch of this scene at this frame rate that branch is baked.

    Returns
    -------
    Manifest

    Raises
    ------
    ValueError, TypeError
        A bad argument; a folder that holds another bake, or files that are not a bake's.
    OSError
        A file cannot be written. All frames before it are whole. BlockingIOError: another bake into
        this folder is under way. FileExistsError: a file of somebody else has the name of one of
        its frames.
    KeyboardInterrupt
        Ctrl-C. All frames before it are whole, that which was being written, too; call bake again
        to go on.

    Warns
    -----
    SceneWarning
        Of what a new simulation of the scene does, and each step of one; keys whose times seem to
        be numbers of frames, of which the last frame reaches only the first.
    """
    return bake_timed(Parts(), **locals())


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
    place = check_place("out", out)
    first, last = check_frames(frames)
    fps = check_number("fps", fps, above=0, most=MOST_FPS, unit="1/s")
    threads = check_integer("threads", threads, least=0, most=64)
    check_volumes(volumes, check_flag("tracers", tracers))
    sim = Simulation(scene, fps, threads=threads)
    warn_of_keys_in_frames(scene, fps, last)
    branch = _branch_there(place, sim, overwrite)
    settings = settings_of(sim, volumes, tracers, check_flag("archive", archive), branch)
    folder = prepare_folder(out)
    settings["branch"] = None if branch is None else branch.to_dict(folder)
    with locked(folder):
        other = _other_there(folder, scene)
        manifest = open_manifest(folder, scene, settings, (first, last), overwrite)
        todo = {n for n in range(first, last + 1) if not manifest.is_whole(n)}
        manifest.save()  # first: files that no manifest tells of would be somebody else's
        about = describe_bake(manifest, sim.scene)
        states = ArchiveWriter(manifest.archive, about) if archive else None
        plan = _plan(todo, last, states)
        if plan:
            with Progress(len(plan), f"bake {scene.name}", progress) as shown_progress:
                if other is not None:
                    shown_progress.say(
                        f"overwrites a bake of another scene: {other}; what is not given is as in "
                        "a new bake"
                    )
                course = Course(sim, branch_of(manifest))
                try:
                    _run(course, manifest, plan, todo, states, shown_progress, parts)
                except _core.CapacityError as error:
                    if states is not None and states.frames:
                        error.add_note(_way_to_more_room(manifest, max(states.frames)))
                    raise
        if states is not None:
            states.close()
        manifest.check_presence()
    return manifest


def _way_to_more_room(manifest: Manifest, frame: int) -> str:
    folder = manifest.folder
    return (
        f"with more room the bake goes on from there: branch(scene, {str(folder)!r}, "
        f"{str(folder)!r}, frame={frame}), or vorton branch SCENE --from {folder} -o {folder} "
        f"--frame {frame}, of the scene with a larger max_vortons or max_tracers"
    )


def prepare_folder(out: str | os.PathLike[str]) -> Path:
    folder = check_place("out", out)
    if out == "":
        raise ValueError(f"out = {shown(out)}: must be the path of a folder")
    make_folder(folder)
    return folder


def describe_bake(manifest: Manifest, scene: Scene) -> dict[str, Any]:
    """The head of the archive of a bake."""
    data = manifest.data
    about = describe_scene(scene, data["fps"], manifest.folder)
    about |= {"volumes": data["volumes"], "tracers": data["tracers"]}
    return about if data.get("branch") is None else about | {"branch": data["branch"]}


def made_with(manifest: Manifest) -> dict[str, Any]:
    """The arguments of `bake` with which a bake was made; "volumes" are those of `Volumes`, not yet
    checked, or None."""
    data, told = manifest.data, manifest.data["volumes"]
    names = {field.name for field in dataclasses.fields(Volumes)}  # of older versions: not all
    return {
        "frames": (data["first"], data["last"]),
        "fps": data["fps"],
        "volumes": None if told is None else {n: told[n] for n in names & told.keys()},
        "tracers": data["tracers"],
        "archive": data["archive"] is not None,
    }


def _other_there(folder: Path, scene: Scene) -> str | None:
    """With what the bake of another scene of the same name was made that is in a folder, if one is:
    that does not hold for this one."""
    try:
        manifest = Manifest.load(folder / f"{scene.name}.json")
    except (OSError, ValueError):
        return None
    other = manifest.data["scene_sha256"] != scene.sha256
    return describe_settings(manifest) if other else None


def _branch_there(folder: Path, sim: Simulation, overwrite: bool) -> Branch | None:
    """Of the bake of this scene at this frame rate that is in a folder: what is baked there, or in
    its place, is that branch, too. ValueError where an earlier scene of it cannot be made again;
    such a one may be overwritten, by a bake that is none."""
    manifest = bake_there(folder, sim.scene)
    if manifest is None or manifest.data["fps"] != sim.fps or "archived_fps" in manifest.data:
        return None
    try:
        return branch_of(manifest)
    except ValueError:
        if not overwrite:
            raise
        return None


def check_frames(frames: tuple[int, int]) -> tuple[int, int]:
    what = f"first and last frame, 1 <= first <= last <= {MOST_FRAMES}"
    if isinstance(frames, str) or not hasattr(frames, "__len__") or len(frames) != 2:
        raise TypeError(f"frames = {shown(frames)}: must be {what}")
    first, last = (check_integer("frames", n, least=1, most=MOST_FRAMES) for n in frames)
    if first > last:
        raise ValueError(f"frames = {shown(frames)}: must be {what}")
    return first, last


def check_volumes(volumes: Volumes | None, tracers: bool) -> None:
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
        "archived": None,
        "archived_fps": None,
        "offset": None,
        "shutter": None,
        "samples": None,
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
    course: Course,
    manifest: Manifest,
    plan: list[int],
    todo: set[int],
    states: ArchiveWriter | None,
    progress: Progress,
    parts: Parts,
) -> None:
    """Come to each frame of `plan`; it is written beside the way to the next ones."""
    archived = frozenset(() if states is None else states.frames)
    lacking = [n for n in plan if n not in archived]
    if archived and lacking:
        first = f"from frame {lacking[0] - 1} on" if lacking[0] > 1 else "from the start"
        progress.say(f"simulates {first}: {manifest.data['archive']} lacks {ranges_text(lacking)}")
    with FrameWriter(
        lambda frame: encode_frame(frame, manifest.data, parts),
        lambda frame: write_frame(frame, manifest, states, parts),
    ) as writer:
        at = 0
        for number in plan:
            writer.number = number
            sim = course.come_to(at, number, states, archived, parts)
            at = number
            with parts.timed("state"):
                show_columns(sim)
                save = states is not None and number not in archived
                state = sim._core.save_packed_state(number) if save else None
            frame = Frame({"frame": number}, None, None)
            if number in todo:
                threads = writer.threads_beside(threads_of(sim))
                frame = take_frame(sim, manifest.data, number, threads, parts)
            for _ in writer.written():
                progress.advance()
            writer.give(dataclasses.replace(frame, state=state))
        for _ in writer.written(0):
            progress.advance()
