"""Bakes are copied, moved and thinned out, and their manifests stay true."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from .archive import Archive, head_block
from .archive_writer import begins_with, write_frames
from .baking import check_frames, prepare_folder
from .branches import Branch, scene_of
from .fields import check_flag, ranges_text, shown
from .files import TEMPORARY, explain, locked
from .manifest import Manifest

__all__ = ["copy_bake", "link", "move_bake", "prune_bake"]


def link(source: Path, target: Path, copy: bool = False) -> None:
    """Give a file a second name, atomically; where the disk has no links, or on demand, copy it.

    Files of bakes are replaced as a whole, never written into: a link stays what it is.
    """
    part = target.with_name(f".{target.name}.{os.getpid()}{TEMPORARY}")
    part.unlink(missing_ok=True)
    try:
        try:
            if copy:
                raise OSError
            os.link(source, part)
        except OSError:
            shutil.copyfile(source, part)
        os.replace(part, target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise explain(error, target) from error


def copy_bake(place: str | os.PathLike[str], out: str | os.PathLike[str]) -> Manifest:
    """Copy a bake into another folder: its files, its archive and its manifest.

    Paths of meshes in its scene are then relative to the new folder. `bake` and `derive` go on from
    the copy as from the bake.

    Parameters
    ----------
    place : path
        Folder of the bake, or its manifest.
    out : path
        Another folder, without a bake of this name; made if it is not there.

    Returns
    -------
    Manifest
        Of the copy.

    Raises
    ------
    ValueError
        Not a bake; a frame of it is missing or damaged; the folder holds a bake of this name.
    OSError
        A file cannot be read or written. BlockingIOError: a bake is under way in one of both.
    """
    return _transfer(Manifest.find(place), prepare_folder(out), shown(out), copy=True)


def move_bake(place: str | os.PathLike[str], out: str | os.PathLike[str]) -> Manifest:
    """Move a bake into another folder, as `copy_bake` copies it; a folder left empty goes, too."""
    manifest = Manifest.find(place)
    moved = _transfer(manifest, prepare_folder(out), shown(out), copy=False)
    with locked(manifest.folder):
        manifest.remove_files()
    if not any(manifest.folder.iterdir()):
        manifest.folder.rmdir()
    return moved


def _transfer(manifest: Manifest, folder: Path, out: str, copy: bool) -> Manifest:
    if folder.resolve() == manifest.folder.resolve():
        raise ValueError(f"out = {out}: is where the bake is; choose another folder")
    path = folder / manifest.path.name
    with locked(manifest.folder), locked(folder):
        if path.exists():
            raise ValueError(f"{path}: exists; choose another folder")
        for text in _damages(manifest):
            raise ValueError(f"{manifest.folder}: {text}: bake again to repair it")
        for number in manifest.frames:
            for file in manifest.frame(number)["files"]:
                link(manifest.file(number, Path(file["name"]).suffix), folder / file["name"], copy)
        if manifest.archive is not None:
            _transfer_archive(manifest.archive, folder, copy)
        made = Manifest(path, manifest.data | _relative_to(manifest.data, manifest.folder, folder))
        made.save()
    return made


def _damages(manifest: Manifest) -> list[str]:
    found = [text for n in manifest.frames if (text := manifest.damage(n))]
    if manifest.archive is not None:
        with Archive(manifest.archive) as archive:
            found += [text for n in archive.frames if (text := archive.damage(n))]
            lacking = set(range(1, max(manifest.frames, default=0) + 1)) - set(archive.frames)
        if lacking:
            found.append(f"{manifest.archive.name} lacks frames {ranges_text(sorted(lacking))}")
    return found


def _relative_to(about: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """The members of a manifest or a head that hold paths, for another folder."""
    found = {"scene": scene_of(about, old).to_dict(folder=new)}
    branch = Branch.from_dict(about.get("branch"), old)
    return found if branch is None else found | {"branch": branch.to_dict(new)}


def _transfer_archive(path: Path, folder: Path, copy: bool) -> None:
    with Archive(path) as archive:
        about = archive.about | _relative_to(archive.about, path.parent, folder)
        if begins_with(path, head_block(about)):
            link(path, folder / path.name, copy)  # a copy shares nothing: bakes write into it
        else:
            write_frames(folder / path.name, about, (archive.block(n) for n in archive.frames))


def prune_bake(
    place: str | os.PathLike[str],
    *,
    frames: tuple[int, int] | None = None,
    archive: bool = True,
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
        start from, and a bake of more frames simulates from the start.

    Returns
    -------
    Manifest

    Raises
    ------
    ValueError, TypeError
        Not a bake; no frame of it would be left.
    OSError
        A file cannot be removed. BlockingIOError: a bake is under way there.
    """
    manifest = Manifest.find(place)
    check_flag("archive", archive)
    kept = None if frames is None else check_frames(frames)
    with locked(manifest.folder):
        manifest = Manifest.load(manifest.path)
        if kept is not None:
            manifest.keep(*kept)
        if not archive and manifest.archive is not None:
            path = manifest.archive
            manifest.data["archive"] = None
            manifest.save()
            path.unlink(missing_ok=True)
    return manifest
