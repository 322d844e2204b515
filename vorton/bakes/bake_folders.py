"""Bakes are copied, moved and thinned out, and their manifests stay true."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..archive.branches import Branch, scene_of
from ..archive.manifest import Manifest, json_value
from ..archive.reading import Archive, head_block
from ..archive.stages import FOLDER, stage_files, summary
from ..archive.writing import begins_with, write_frames
from ..base.checks import check_flag, check_place, shown
from ..base.progress import Callback, Progress
from ..files.disk import (
    file_sha256,
    flush_file,
    flush_folder,
    gone,
    locked,
    make_folder,
    new_folders_removed,
    remove,
    remove_leftovers,
    replaced,
)
from ..scenes.scene_warning import warn
from .bake_opening import check_states
from .baking import check_frames, prepare_folder
from .damages import damages
from .origin import origin_in

__all__ = ["copy_bake", "frame_files", "link", "link_all", "move_bake", "prune_bake"]


def link(source: Path, target: Path, copy: bool = False) -> None:
    """Give a file a second name, atomically; where the disk has no links, or on demand, copy it.

    Only for files that are replaced as a whole, never written into, as those of frames: a link
    stays what it is. An archive is written into.
    """
    if not copy and target.exists() and os.path.samefile(source, target):
        return  # by an earlier try: a second name cannot take the place of the first
    with replaced(target, flush=False) as part:
        part.unlink(missing_ok=True)
        if copy or not _have_linked(source, part):  # the original may be removed afterwards
            shutil.copyfile(source, part)
            flush_file(part)


def frame_files(manifest: Manifest, folder: Path) -> list[tuple[Path, Path]]:
    """The files of all frames, each with its place in another folder."""
    names = [
        Path(file["name"]).name for n in manifest.frames for file in manifest.frame(n)["files"]
    ]
    return [(manifest.folder / name, folder / name) for name in names]


def link_all(
    pairs: Sequence[tuple[Path, Path]], what: str, progress: bool | Callback, copy: bool = False
) -> None:
    """Give each file another name, as `link`; tells how far it is."""
    for folder in dict.fromkeys(target.parent for _, target in pairs):
        make_folder(folder)
    with Progress(len(pairs), what, progress) as steps:
        for source, target in pairs:
            link(source, target, copy)
            steps.advance()


def _have_linked(source: Path, target: Path) -> bool:
    """Give a file a second name; False where the disk cannot."""
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def copy_bake(
    place: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    progress: bool | Callback = True,
) -> Manifest:
    """Copy a bake into another folder: its files, its archive, its manifest, and the stages, points
    and pictures of it that lie there.

    Paths of meshes in its scene are then relative to the new folder. `bake` and `derive` go on from
    the copy as from the bake.

    Parameters
    ----------
    place : path
        Folder of the bake, or its manifest.
    out : path
        Another folder, without a bake of this name; made if it is not there.
    progress : bool or function
        As for `bake`: of the frames that are looked at, and then of the files that are copied.

    Returns
    -------
    Manifest
        Of the copy.

    Raises
    ------
    ValueError
        Not a bake; a frame of it is missing or damaged; the folder holds a bake of this name, or
        files of these names that belong to no bake.
    OSError
        A file cannot be read or written. BlockingIOError: a bake is under way in one of both.

    Warns
    -----
    vorton.SceneWarning
        Stages, points or pictures are of another bake, and stay behind.
    """
    with _both_folders(place, out, _locked_where_possible) as (manifest, made):
        if made.path.exists():
            raise ValueError(f"{made.path}: exists; choose another folder")
        _link_files(manifest, made, progress, copy=True)
        _copy_archive(manifest, made)
        made.save()
    return made


def move_bake(
    place: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    progress: bool | Callback = True,
) -> Manifest:
    """Move a bake into another folder, as `copy_bake` copies it; a folder left empty goes, too.

    A move that was interrupted is ended by the same call. What is of another bake stays.
    """
    with _both_folders(place, out, locked) as (manifest, made):
        if made.path.exists():
            _check_begun(made)
        else:
            _link_files(manifest, made, progress, copy=False)
            made.save()
        _move_archive(manifest, made)
        for folder in (made.folder / FOLDER, made.folder):
            flush_folder(folder)  # first: what is removed must be there
        remove_leftovers(manifest.folder)
        for path in _staged(manifest):
            remove(path)
        with contextlib.suppress(OSError):  # it is not there, or not empty
            (manifest.folder / FOLDER).rmdir()
        manifest.remove_files()
    with contextlib.suppress(OSError):  # it is not empty, or given as "."
        manifest.folder.rmdir()
    return made


@contextlib.contextmanager
def _both_folders(
    place: str | os.PathLike[str],
    out: str | os.PathLike[str],
    lock: Callable[[Path], contextlib.AbstractContextManager[None]],
) -> Iterator[tuple[Manifest, Manifest]]:
    """A bake, and what it is in another folder, with both locked; where that fails no new folder
    stays."""
    manifest = _other_than(place, out)
    with new_folders_removed(check_place("out", out)):
        folder = prepare_folder(out)
        with lock(manifest.folder), locked(folder):
            remove_leftovers(folder)
            manifest = Manifest.load(manifest.path)
            yield manifest, _at(manifest, folder)


def _other_than(place: str | os.PathLike[str], out: str | os.PathLike[str]) -> Manifest:
    """The manifest of a bake that is not in that folder."""
    manifest, target = Manifest.find(place), check_place("out", out)
    if out != "" and target.resolve() == manifest.folder.resolve():
        raise ValueError(f"out = {shown(out)}: is where the bake is; choose another folder")
    return manifest


@contextlib.contextmanager
def _locked_where_possible(folder: Path) -> Iterator[None]:
    """As `locked`; a folder that nobody here can write into needs no lock."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(folder))
        except OSError as error:
            if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
                raise
        yield


def _at(manifest: Manifest, folder: Path) -> Manifest:
    """What the manifest is in another folder; not saved."""
    data = manifest.data | relative_to(manifest.data, manifest.folder, folder)
    data.pop("removing", None)
    return Manifest(folder / manifest.path.name, data)


def _check_begun(made: Manifest) -> None:
    """Raise ValueError where the manifest that is there is not that of a move that has begun."""
    try:
        there = Manifest.load(made.path).data
    except ValueError:
        there = None
    if there != json_value(made.data) or any(map(made.damage, made.frames)):
        raise ValueError(f"{made.path}: exists; choose another folder")


def _link_files(
    manifest: Manifest, made: Manifest, progress: bool | Callback, *, copy: bool
) -> None:
    """The files of frames and stages, none of which takes the place of another file."""
    for text in damages(manifest, progress=progress):
        raise ValueError(f"{manifest.folder}: {text}: bake again to repair it")
    pairs = frame_files(manifest, made.folder)
    staged = _staged(manifest)
    pairs += [(path, made.folder / path.relative_to(manifest.folder)) for path in staged]
    taken = [made.folder / name for name in made.strangers()]
    taken += [
        target for source, target in pairs if target.exists() and not same_file(source, target)
    ]
    if made.archive is not None and made.archive.exists() and not _is_archive_of(manifest, made):
        taken.append(made.archive)
    for path in taken:
        raise ValueError(f"{path}: exists and belongs to no bake; choose another folder")
    for text in summary(manifest, own=False):
        warn(f"stays behind in {manifest.folder}: {text}")
    what = f"{'copy' if copy else 'move'} files of {manifest.data['name']}"
    link_all(pairs, what, progress, copy)


def _staged(manifest: Manifest) -> list[Path]:
    """The files of stages that go with a bake: those that do not say that they are another's."""
    return [file.path for file in stage_files(manifest) if file.own is not False]


def same_file(source: Path, target: Path) -> bool:
    """Whether both hold the same: an earlier copy, or a move, was interrupted."""
    return os.path.samefile(source, target) or file_sha256(source) == file_sha256(target)


def relative_to(about: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """The members of a manifest or a head that hold paths, for another folder."""
    found = {"scene": scene_of(about, old).to_dict(folder=new)}
    if "archived" in about:
        found["archived"] = origin_in(about["archived"], old, new)
    branch = Branch.from_dict(about.get("branch"), old)
    return found if branch is None else found | {"branch": branch.to_dict(new)}


def _head_of(manifest: Manifest, made: Manifest) -> dict[str, Any]:
    assert manifest.archive is not None
    with Archive(manifest.archive) as archive:
        return archive.about | relative_to(archive.about, manifest.folder, made.folder)


def _is_archive_of(manifest: Manifest, made: Manifest) -> bool:
    """Whether the archive that is there has the states of that of the manifest, all whole."""
    assert manifest.archive is not None and made.archive is not None
    head = _head_of(manifest, made)
    try:
        with Archive(made.archive) as there, Archive(manifest.archive) as archive:
            return (
                there.about == head
                and there.frames == archive.frames
                and all(there.block(n) == archive.block(n) for n in archive.frames)
            )
    except ValueError:
        return False


def _copy_archive(manifest: Manifest, made: Manifest) -> None:
    """A copy shares nothing with the archive: bakes write into it."""
    if manifest.archive is None or made.archive is None:
        return
    head = _head_of(manifest, made)
    if begins_with(manifest.archive, head_block(head)):
        link(manifest.archive, made.archive, copy=True)
    else:
        with Archive(manifest.archive) as archive:
            write_frames(made.archive, head, (archive.block(n) for n in archive.frames))


def _move_archive(manifest: Manifest, made: Manifest) -> None:
    """The archive to where its manifest is by now; at no time do both folders share one."""
    if manifest.archive is None or made.archive is None:
        return
    if not manifest.archive.exists():
        if not made.archive.exists():
            raise gone(manifest.archive)
    elif made.archive.exists():
        if not _is_archive_of(manifest, made):
            raise ValueError(f"{made.archive}: exists; choose another folder")
    elif begins_with(manifest.archive, head_block(_head_of(manifest, made))):
        try:
            os.replace(manifest.archive, made.archive)
        except OSError:  # another disk
            _copy_archive(manifest, made)
    else:
        _copy_archive(manifest, made)


def prune_bake(
    place: str | os.PathLike[str],
    *,
    frames: tuple[int, int] | None = None,
    archive: bool = True,
    progress: bool | Callback = True,
) -> Manifest:
    """Remove files of a bake that nobody needs any more.

    Parameters
    ----------
    place : path
        Folder of the bake, or its manifest.
    frames : two whole numbers, optional
        The first and last frame whose volumes and tracers stay; default: all of them. The archive
        keeps the states of all frames: `bake` makes what was removed again, without simulating.
    archive : bool
        Whether the archive stays, default True. Without it `derive` and `branch` have nothing to
        start from. `bake` of this scene is then refused unless it is also without an archive; it
        simulates from the start.
    progress : bool or function
        As for `bake`, of the files that are removed.

    Returns
    -------
    Manifest

    Raises
    ------
    ValueError, TypeError
        Not a bake; no frame of it would be left; the archive is to go, and is another bake's.
    OSError
        A file cannot be removed. BlockingIOError: a bake is under way there.
    """
    manifest = Manifest.find(place)
    check_flag("archive", archive)
    kept = None if frames is None else check_frames(frames)
    with locked(manifest.folder):
        manifest = Manifest.load(manifest.path)
        if not archive:
            check_states(manifest)  # those of another bake are not ours to remove
        if kept is not None:
            manifest.keep(*kept, progress)
        if not archive and manifest.archive is not None:
            path, manifest.data["archive"] = manifest.archive, None
            manifest.drop([path.name], progress)
        elif "removing" in manifest.data:
            manifest.drop(progress=progress)
    return manifest
