"""Parts of a derived bake that were made apart, by the machines of a farm, as one bake."""

from __future__ import annotations

import os
from pathlib import Path

from ..archive.branches import bake_sha256
from ..archive.manifest import Manifest
from ..base.checks import check_place
from ..base.progress import Callback, Progress
from ..files.disk import locked, new_folders_removed, remove_leftovers
from ..scenes.scene_warning import warn
from .bake_folders import frame_files, link_all, relative_to, same_file
from .baking import prepare_folder
from .damages import damages

__all__ = ["gather"]


def gather(
    place: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    progress: bool | Callback = True,
) -> Manifest:
    """Make one bake of parts of it that were derived into folders of their own.

    OUT becomes what `derive` of all their frames writes, byte by byte. The parts stay; files are
    linked where the disk can. A second call adds parts that have come since. All parts are read
    each time: what is gathered is what they say.

    Parameters
    ----------
    place : path
        A folder with a folder for each part.
    out : path
        Another folder; made if it is not there.
    progress : bool or function
        As for `bake`: of the frames that are looked at, and then of the files that are added.

    Returns
    -------
    Manifest

    Raises
    ------
    ValueError
        No parts there; one of another bake, or of other files, damaged, or with an archive; a
        folder that holds another bake, or files of these names that belong to no bake.
    OSError
        A file cannot be read or written. BlockingIOError: another bake into OUT is under way.
    """
    parts = _parts_in(check_place("place", place), progress)
    with new_folders_removed(check_place("out", out)):
        folder = prepare_folder(out)
        with locked(folder):
            remove_leftovers(folder)
            there = _gathered_before(parts[0], folder)
            made = _made_of(parts, there, folder)
            files = [pair for part in parts for pair in frame_files(part, folder)]
            lacking = _lacking(there, files)
            link_all(lacking, f"gather files of {made.data['name']}", progress)
            made.save()
    return made


def _parts_in(folder: Path, progress: bool | Callback) -> list[Manifest]:
    """All of one bake, and whole. A folder may be one that is still derived into, or damaged."""
    folders = sorted(path for path in folder.iterdir() if path.is_dir())
    found = {path: Manifest.all_in(path) for path in folders}
    parts = [manifest for manifests in found.values() for manifest in manifests]
    if not parts:
        raise ValueError(f"{folder}: holds no folders with bakes")
    for path, manifests in found.items():
        if not manifests and any(path.iterdir()):
            warn(f"{path}: holds no manifest that can be read, and is left out")
    for part in parts:
        if part.archive is not None:
            raise ValueError(f"{part.path}: has an archive; parts are made by derive")
        if _kind_of(part) != _kind_of(parts[0]):
            raise ValueError(f"{part.path}: is of another bake than {parts[0].path}")
    count = sum(len(part.frames) for part in parts)
    with Progress(count, f"verify parts of {parts[0].data['name']}", progress) as steps:
        for part in parts:
            for text in damages(part, progress=lambda *_: steps.advance()):
                raise ValueError(f"{part.folder}: {text}: derive it again")
    return parts


def _kind_of(manifest: Manifest) -> tuple[str, str]:
    return manifest.data["name"], bake_sha256(manifest.data)


def _gathered_before(part: Manifest, folder: Path) -> list[Manifest]:
    """The manifest in the folder of what is gathered; none where this is the first time."""
    path = folder / part.path.name
    if not path.exists():
        return []
    there = Manifest.load(path)
    if _kind_of(there) != _kind_of(part):
        raise ValueError(f"{path}: is of another bake; choose another folder")
    for text in damages(there, content=False):
        raise ValueError(f"{folder}: {text}: remove its manifest, or choose another folder")
    return [there]


def _made_of(parts: list[Manifest], there: list[Manifest], folder: Path) -> Manifest:
    """The manifest of all, with what is in the folder already; not saved."""
    first, all_of = parts[0], there + parts
    records = {n: manifest.frame(n) for manifest in all_of for n in manifest.frames}
    data = first.data | relative_to(first.data, first.folder, folder)
    data |= {
        "first": min(manifest.data["first"] for manifest in all_of),
        "last": max(manifest.data["last"] for manifest in all_of),
        "frames": [records[n] for n in sorted(records)],
    }
    data.pop("removing", None)
    return Manifest(folder / first.path.name, data)


def _lacking(there: list[Manifest], files: list[tuple[Path, Path]]) -> list[tuple[Path, Path]]:
    """The files that are not there yet, also after a gather that was interrupted. ValueError where
    another file has the name of one, and is of no bake."""
    known = {file for manifest in there for file, _ in frame_files(manifest, manifest.folder)}
    lacking = [pair for pair in files if not (pair[1].exists() and same_file(*pair))]
    for _, target in lacking:
        if target.exists() and target not in known:
            raise ValueError(f"{target}: exists and belongs to no bake; choose another folder")
    return lacking
