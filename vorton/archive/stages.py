"""Files that are made of a bake for hosts: stages of USD, archives of Alembic, points of OpenVDB.

No manifest tells of them. Each says itself of which bake it is (`mark_of`), so that those that
another bake has left behind are found; the clips of USD say it in the layer that declares them.
"""

from __future__ import annotations

import dataclasses
import glob
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..base.checks import counted
from ..files.disk import remove
from .branches import bake_sha256
from .manifest import Manifest

__all__ = ["FOLDER", "StageFile", "mark_of", "remove_stale", "stage_files", "summary"]

FOLDER = "points"
"""Where the points of OpenVDB lie, beside the volumes: so that no host takes them for these."""

FORMATS = {"usd": (".usda", ".points.usda"), "abc": (".abc",), "vdb": ()}
"""Endings of the files of a whole bake, by the format that `vorton stage` makes them of."""

_CLIP = ".usdc"
_MARK = re.compile(rb"vorton bake ([0-9a-f]{64})")
_HEAD, _TAIL = 4096, 65536
"""Bytes at the beginning and at the end of a file between which no mark lies."""


def mark_of(manifest: Manifest) -> str:
    """What a file that is made of a bake says of it, wherever it has room for a text."""
    return f"vorton bake {bake_sha256(manifest.data)}"


@dataclasses.dataclass(frozen=True)
class StageFile:
    """A file under a name that `vorton stage` gives.

    Attributes
    ----------
    path : Path
    format : "usd", "abc" or "vdb"
    own : bool or None
        Whether it is of this bake, and of a frame of it; None: it does not say.
    """

    path: Path
    format: str
    own: bool | None


def stage_files(manifest: Manifest) -> list[StageFile]:
    """Those that lie beside a manifest under its name."""
    own, name, folder = mark_of(manifest), manifest.data["name"], manifest.folder
    found = []
    for kind, suffixes in FORMATS.items():
        for path in (folder / f"{name}{suffix}" for suffix in suffixes):
            if path.is_file():
                found.append(StageFile(path, kind, _same(_mark_in(path), own)))
    declared = folder / f"{name}.points.usda"
    clips = _mark_in(declared) if declared.is_file() else None
    numbered = [("usd", n, path, clips) for n, path in _numbered(folder, name, _CLIP)]
    numbered += [
        ("vdb", n, path, _mark_in(path)) for n, path in _numbered(folder / FOLDER, name, ".vdb")
    ]
    frames = set(manifest.frames)
    for kind, number, path, told in numbered:
        same = _same(told, own)
        found.append(StageFile(path, kind, same and number in frames))
    return found


def _same(told: str | None, own: str) -> bool | None:
    return None if told is None else told == own


def _numbered(folder: Path, name: str, suffix: str) -> Iterator[tuple[int, Path]]:
    """The files of frames in a folder, and the numbers in their names."""
    for path in sorted(folder.glob(f"{glob.escape(name)}_*{suffix}")):
        digits = path.name[len(name) + 1 : -len(suffix)]
        if digits.isdecimal() and path.is_file():
            yield int(digits), path


def _mark_in(path: Path) -> str | None:
    """The mark in a file, None: it has none, or cannot be read."""
    try:
        with open(path, "rb") as file:
            found = _MARK.search(file.read(_HEAD))
            if not found:  # Alembic has its texts at the end
                file.seek(max(_HEAD, file.seek(0, os.SEEK_END) - _TAIL))
                found = _MARK.search(file.read())
    except OSError:
        return None
    return found[0].decode() if found else None


def remove_stale(manifest: Manifest, kind: str) -> None:
    """Remove the files of a format that say that they are not of this bake; OSError where one
    cannot be removed."""
    for file in stage_files(manifest):
        if file.format == kind and file.own is False:
            remove(file.path)


def summary(manifest: Manifest, own: bool | None) -> list[str]:
    """A line for each format of which files are not of this bake (False), or do not say of which
    they are (None), with what to do about them."""
    lines = []
    files = [file for file in stage_files(manifest) if file.own is own]
    for kind in FORMATS:
        names = [
            file.path.relative_to(manifest.folder).as_posix()
            for file in files
            if file.format == kind
        ]
        if not names:
            continue
        named = ", ".join(names[:3])
        if len(names) > 3:
            named += f" and {counted(len(names) - 3, 'file')} more"
        one = len(names) == 1
        how = f"`vorton stage --format {kind}` makes {'it' if one else 'them'} of this one"
        if own is None:
            lines.append(f"{named} {'does' if one else 'do'} not say of which bake: {how}")
        else:
            lines.append(f"{named} {'is' if one else 'are'} of another bake, or of no frame: {how}")
    return lines
