"""Bakes that go on from a frame of another bake, and bakes that are wound back."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import _core
from ..archive.branches import Branch, branch_of, known_by, shared_frames
from ..archive.manifest import Manifest
from ..archive.manifest_form import MOST_FRAMES
from ..archive.reading import Archive, DamageError
from ..archive.writing import blocks_of, cut_archive, write_frames
from ..base.checks import check_integer, check_place, frames_named, shown
from ..base.progress import Callback
from ..files.disk import locked
from ..scenes.scene import Scene
from ..simulations.saved import GOES_ON, go_on_from, warn_of_other_build
from ..simulations.simulation import Simulation
from .bake_folders import link
from .bake_frames import frame_name
from .bake_opening import check_states, difference, open_manifest, replace_after
from .baking import (
    Volumes,
    bake,
    check_frames,
    describe_bake,
    made_with,
    prepare_folder,
    settings_of,
)
from .course import carry_over

__all__ = ["branch", "rewind"]


def branch(
    scene: Scene,
    place: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    frame: int,
    frames: tuple[int, int] | None = None,
    progress: bool | Callback = True,
    threads: int = 0,
    overwrite: bool = False,
) -> Manifest:
    """Bake a changed scene from a frame of another bake on.

    OUT becomes a bake of its own, with all frames: up to `frame` those of the other bake (their
    files are linked, or copied where the disk has no links, and so are their states), from there on
    what the changed scene makes of them. Sources, effects and bodies may be added, changed and
    removed, and the method, gravity, viscosity and wind of the scene be others: all of it holds
    from `frame` on. What was born stays; a source whose time has passed bears at once. Voxels, host
    and frame rate are those of the other bake, which may be removed afterwards. There are the
    grids of both scenes: what was born warm still has a temperature where nothing warm is born any
    more. A branch that was
    interrupted goes on by `bake`, or by the same call; a second one may leave it in turn.

    OUT may be the folder of the other bake, if both scenes have one name. Its frames up to `frame`
    stay as they are, those after it are removed. None is where nothing changes: the scene is that
    of the bake, and `frame` does not come before the one at which the bake has left another scene.

    Parameters
    ----------
    scene : Scene
        The changed scene.
    place : path
        Folder of the other bake, or its manifest.
    out : path
        Another folder, made if it is not there; or that of the other bake.
    frame : whole number
        The last frame of the other bake, 1 to its last.
    frames : two whole numbers, optional
        First and last frame of OUT; default: those of the other bake, or to the last one of its
        archive. Where OUT is its folder, what stays belongs to it, too: then they begin no later
        than the bake and end no earlier than `frame`, and where no frame is removed those after
        the last one stay.
    overwrite : bool
        Remove another bake in OUT, or the frames after `frame` of the other bake where OUT is its
        folder; default False.
    progress, threads
        As of `bake`.

    Returns
    -------
    Manifest
        Its "branch" says whose branch it is.

    Raises
    ------
    ValueError, TypeError
        As of `bake`; no archive there, or not of this frame; OUT is the folder of the other bake,
        whose scene has another name, or frames of which `frames` would leave out; what cannot
        change from a frame on:
        the seed, the ambient fluid, spacing, detail, the law of combustion, a vortex that has been
        born, a body that moves freely.
    OSError, KeyboardInterrupt
        As of `bake`.

    Warns
    -----
    vorton.SceneWarning
        Another build of vorton has simulated the other bake.

    Examples
    --------
    >>> import vorton as vt
    >>> windy = vt.Scene.load("campfire.json")  # doctest: +SKIP
    >>> wind = windy.add(vt.Wind((1, 0, 0)))  # doctest: +SKIP
    >>> vt.branch(windy, "cache/campfire", "cache/windy", frame=40)  # doctest: +SKIP
    """
    if not isinstance(scene, Scene):
        raise TypeError(f"scene = {shown(scene)}: must be a Scene")
    frame = check_integer("frame", frame, least=1, most=MOST_FRAMES)
    threads = check_integer("threads", threads, least=0, most=64)
    target = check_place("out", out)
    origin = Manifest.find(place)
    if origin.archive is None:
        raise ValueError(f"{origin.path}: has {origin.no_archive}")
    first, last = check_frames(_frames_of(origin, frame) if frames is None else frames)
    check_states(origin)
    how = made_with(origin) | {"frames": (first, last), "archive": True}
    how["volumes"] = None if how["volumes"] is None else Volumes(**how["volumes"])
    with Archive(origin.archive) as archive:
        archive.select((1, frame))
        sim = Simulation(scene, how["fps"], threads=threads)
        _try(archive, frame, sim, threads)
        warn_of_other_build(archive, GOES_ON)
        left: Branch | None = Branch.off(frame, archive.scene(), archive.branch)
    in_place = target.resolve() == origin.folder.resolve()
    if in_place:
        _check_kept(origin, frame, (first, last))
        left = _left_in_place(left, scene, origin)
    settings = settings_of(sim, how["volumes"], how["tracers"], True, left)
    folder = prepare_folder(out)
    settings["branch"] = None if left is None else left.to_dict(folder)
    with locked(folder):
        if in_place:
            manifest = _leave_in_place(origin, scene, settings, frame, last, overwrite)
        else:
            _refuse_other(folder, scene, settings["branch"], overwrite)
            manifest = open_manifest(folder, scene, settings, (first, last), overwrite)
            manifest.save()
            _take_states(manifest, scene, origin.archive, frame)
            _link_frames(manifest, origin, frame)
    return bake(scene, folder, **how, progress=progress, threads=threads, overwrite=overwrite)


def _frames_of(origin: Manifest, frame: int) -> tuple[int, int]:
    """By default; of a bake that was pruned, to the last frame that its archive has."""
    last = _last_of(origin)
    if last == frame:
        raise ValueError(
            f"frame = {frame}: is the last one of {origin.folder}, after which the branch would "
            f"have none of its own; give frames, to {frame + 1} or later"
        )
    return origin.data["first"], last


def _last_of(manifest: Manifest) -> int:
    """The last frame of a bake; of one that was pruned, the last one of its archive."""
    return max(manifest.data["last"], _last_there(manifest))


def _last_there(manifest: Manifest) -> int:
    """The last frame that a bake or its archive has, 0: there is none."""
    last = max(manifest.frames, default=0)
    if manifest.archive is None:
        return last
    with Archive(manifest.archive) as archive:
        return max(last, archive.last)


def _try(archive: Archive, frame: int, sim: Simulation, threads: int) -> None:
    """Raise what is damaged, and what `carry_over` will raise, before anything is written."""
    for number in range(1, frame + 1):
        if damage := archive.damage(number):
            raise DamageError(archive.path, {number: damage}, ": bake it again to repair it")
    earlier = Simulation(archive.scene(frame), archive.fps, threads=threads)
    go_on_from(earlier, archive, frame)
    carry_over(earlier, sim)


def _check_kept(origin: Manifest, frame: int, frames: tuple[int, int]) -> None:
    """ValueError where frames that stay in the folder of the other bake would be left out."""
    first = origin.data["first"]
    if frames[0] > first or frames[1] < frame:
        raise ValueError(
            f"frames = {frames}: frames {first} to {frame} stay in {origin.folder}, the folder of "
            f"the other bake; begin at {first} or before and end at {frame} or later, or choose "
            "another folder"
        )


def _refuse_other(folder: Path, scene: Scene, off: Mapping[str, Any], overwrite: bool) -> None:
    """A bake of this scene that is not this branch."""
    for manifest in Manifest.all_in(folder):
        own = manifest.data.get("branch")
        if manifest.data["name"] != scene.name or known_by(own) == known_by(off):
            continue
        if not overwrite:
            what = f"a branch from frame {own['frame']}" if own else "no branch"
            raise ValueError(
                f"{folder}: holds a bake of {scene.name!r}, {what}; choose another folder, or give "
                "overwrite=True (--overwrite) to remove it"
            )
        manifest.remove_files()


def _left_in_place(left: Branch | None, scene: Scene, origin: Manifest) -> Branch | None:
    """The branch that goes on in the folder of the bake that it leaves, baked by this vorton: that
    of the bake itself where nothing changes, else without its last scenes where these are its own.
    """
    told = origin.data
    if (told["vorton"], told["build"]) != (_core.version(), _core.build()):
        return left
    own, same = branch_of(origin), told["scene_sha256"] == scene.sha256
    if same and left is not None and (own is None or own.frame <= left.frame):
        return own
    while left is not None and left.scene.sha256 == scene.sha256:
        left = left.before
    return left


def _leave_in_place(
    origin: Manifest,
    scene: Scene,
    settings: dict[str, Any],
    frame: int,
    last: int,
    overwrite: bool,
) -> Manifest:
    """The manifest of a branch in the folder of the bake that it leaves, of which it keeps the
    frames up to there: all of them where the bake is this branch already."""
    manifest, folder = Manifest.load(origin.path), origin.folder
    if manifest.data["name"] != scene.name:
        text = f"holds the other bake, {manifest.data['name']!r}; choose another folder, or give"
        raise ValueError(f"out = {shown(folder)}: {text} the scene this name to go on there")
    if not difference(manifest.data, scene.name, settings):
        return manifest
    lost = range(frame + 1, _last_there(manifest) + 1)
    if lost and not overwrite:
        raise ValueError(
            f"out = {shown(folder)}: holds the other bake, whose {frames_named(lost)} "
            "would be removed; choose another folder, or give overwrite=True (--overwrite)"
        )
    if manifest.archive is None:  # it was pruned of it meanwhile
        raise ValueError(f"{manifest.path}: has {manifest.no_archive}")
    cut_archive(manifest.archive, frame)  # first: it then has the states of this bake alone
    made = replace_after(manifest, scene, settings, frame, last)
    # before the manifest: where the disk is full, the other bake can still be left, or gone on with
    _take_states(made, scene, manifest.archive, frame)
    made.drop()
    return made


def _take_states(manifest: Manifest, scene: Scene, archive: Path, frame: int) -> None:
    """The states up to the frame into the archive of the branch, unless they are there."""
    path = manifest.archive
    assert path is not None
    about, numbers = describe_bake(manifest, scene), list(range(1, frame + 1))
    with contextlib.suppress(OSError, ValueError), Archive(path) as own:
        if own.frames[:frame] == numbers and frame <= shared_frames(own.about, about):
            return
    write_frames(path, about, blocks_of(archive, numbers))


def _link_frames(manifest: Manifest, origin: Manifest, frame: int) -> None:
    """The files of frames up to there, under the names of the branch."""
    for number in range(manifest.data["first"], min(frame, manifest.data["last"]) + 1):
        if manifest.is_whole(number) or not origin.is_whole(number):
            continue
        record = dict(origin.frame(number))
        record["files"] = []
        for file in origin.frame(number)["files"]:
            suffix = Path(file["name"]).suffix
            name = frame_name(manifest.data["name"], number, suffix)
            manifest.check_place(name, origin.file(number, suffix).read_bytes())
            link(origin.file(number, suffix), manifest.folder / name)
            record["files"].append({**file, "name": name})
        manifest.add_frame(record)


def rewind(
    place: str | os.PathLike[str], frame: int, *, progress: bool | Callback = True
) -> Manifest:
    """Remove the frames of a bake after one of them, and their states.

    It is then as if it had been interrupted there: `bake` goes on, to the same bytes where nothing
    has changed. `prune_bake` makes a bake shorter.

    Parameters
    ----------
    place : path
        Folder of the bake, or its manifest.
    frame : whole number
        The last frame that stays, one that the bake or its archive has.
    progress : bool or function
        As for `bake`, of the files that are removed.

    Returns
    -------
    Manifest

    Raises
    ------
    ValueError, TypeError
        Not a bake; a frame that it does not have.
    OSError
        A file cannot be removed or written. BlockingIOError: a bake is under way there.
    """
    manifest = Manifest.find(place)
    frame = check_integer("frame", frame, least=1, most=MOST_FRAMES)
    with locked(manifest.folder):
        manifest = Manifest.load(manifest.path)
        check_states(manifest)
        first, last = manifest.data["first"], _last_there(manifest)
        if not first <= frame <= last:
            raise ValueError(f"frame = {frame}: {manifest.folder} has frames {first} to {last}")
        manifest.remove_frames([n for n in manifest.frames if n > frame], progress)
        if manifest.archive is not None:
            cut_archive(manifest.archive, frame)
    return manifest
