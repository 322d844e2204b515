"""Files that are made of a bake for hosts: stages of USD, archives of Alembic, points of OpenVDB;
and pictures and films of it.

No manifest tells of them. Each says itself of which bake it is (`mark_of`), and a file of the whole
bake of which frames, so that those that another bake has left behind are found, or the same one
before it had other frames; the clips of USD say it in the layer that declares them. Pictures say it
in their comment: under any name, so that only those that say something are found.
"""

from __future__ import annotations

import dataclasses
import glob
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..base.checks import counted, ranges_text
from ..files.disk import remove
from ..files.film_files import FORMATS as PICTURES
from .branches import bake_sha256
from .manifest import Manifest

__all__ = ["FOLDER", "StageFile", "mark_of", "remove_stale", "stage_files", "summary"]

FOLDER = "points"
"""Where the points of OpenVDB lie, beside the volumes: so that no host takes them for these."""

FORMATS = {"usd": ".usda", "abc": ".abc", "vdb": None}
"""Endings of the files of all frames of a bake, by the format that `vorton stage` makes them of."""

_COMMANDS = {kind: f"vorton stage --format {kind}" for kind in FORMATS} | {"film": "vorton preview"}
"""What makes files of each kind."""

_DECLARED, _CLIP = ".points.usda", ".usdc"
_MARK = re.compile(rb"vorton bake [0-9a-f]{64}(?: frames [0-9a-f]{16})?")
_HEAD, _TAIL = 4096, 65536
"""Bytes at the beginning and at the end of a file between which no mark lies."""
_HEAD_OF_MP4 = 1 << 20
"""Its frames have a table before the mark."""


def mark_of(manifest: Manifest, all_frames: bool = False) -> str:
    """What a file that is made of a bake says of it, wherever it has room for a text; one that
    shows `all_frames` says by their digest which there were."""
    mark = f"vorton bake {bake_sha256(manifest.data)}"
    if not all_frames:
        return mark
    frames = hashlib.sha256(ranges_text(manifest.frames).encode()).hexdigest()
    return f"{mark} frames {frames[:16]}"


@dataclasses.dataclass(frozen=True)
class StageFile:
    """A file under a name that `vorton stage` gives, or a picture.

    Attributes
    ----------
    path : Path
    format : "usd", "abc", "vdb" or "film"
    own : bool or None
        Whether it is of this bake, and of a frame of it, or of all; None: it does not say.
    """

    path: Path
    format: str
    own: bool | None


def stage_files(manifest: Manifest) -> list[StageFile]:
    """Those that lie beside a manifest under its name, and the pictures there."""
    own, whole = mark_of(manifest), mark_of(manifest, all_frames=True)
    name, folder = manifest.data["name"], manifest.folder
    found = []
    for kind, suffix in FORMATS.items():
        path = folder / f"{name}{suffix}"
        if suffix and path.is_file():
            found.append(StageFile(path, kind, _same(_mark_in(path), whole)))
    declared = folder / f"{name}{_DECLARED}"
    clips = _mark_in(declared) if declared.is_file() else None
    if declared.is_file():
        found.append(StageFile(declared, "usd", _same(clips, own)))
    numbered = [("usd", n, path, clips) for n, path in _numbered(folder, name, _CLIP)]
    numbered += [
        ("vdb", n, path, _mark_in(path)) for n, path in _numbered(folder / FOLDER, name, ".vdb")
    ]
    frames = set(manifest.frames)
    for kind, number, path, told in numbered:
        same = _same(told, own)
        found.append(StageFile(path, kind, same and number in frames))
    return found + _pictures_beside(manifest, own)


def _pictures_beside(manifest: Manifest, own: str) -> list[StageFile]:
    """Those that say of which bake they are, but for those of another one that lies there, too."""
    paths = [path for path in sorted(manifest.folder.iterdir()) if path.suffix.lower() in PICTURES]
    told = {path: _mark_in(path) for path in paths if path.is_file()}
    marked = {path: mark for path, mark in told.items() if mark}
    others = {mark_of(other) for other in Manifest.all_in(manifest.folder)} if marked else set()
    others.discard(own)
    return [
        StageFile(path, "film", mark == own) for path, mark in marked.items() if mark not in others
    ]


def _same(told: str | None, own: str) -> bool | None:
    """None, too, for a file of older versions, which do not say of which frames of a bake it is."""
    return None if told is None or (told != own and own.startswith(told)) else told == own


def _numbered(folder: Path, name: str, suffix: str) -> Iterator[tuple[int, Path]]:
    """The files of frames in a folder, and the numbers in their names."""
    for path in sorted(folder.glob(f"{glob.escape(name)}_*{suffix}")):
        digits = path.name[len(name) + 1 : -len(suffix)]
        if digits.isdecimal() and path.is_file():
            yield int(digits), path


def _mark_in(path: Path) -> str | None:
    """The mark in a file, None: it has none, or cannot be read."""
    head = _HEAD_OF_MP4 if path.suffix.lower() == ".mp4" else _HEAD
    try:
        with open(path, "rb") as file:
            found = _MARK.search(file.read(head))
            if not found:  # Alembic and WebP have their texts at the end
                file.seek(max(head, file.seek(0, os.SEEK_END) - _TAIL))
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
    for kind, command in _COMMANDS.items():
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
        how = f"`{command}` makes {'it' if one else 'them'} of this one"
        if own is None:
            lines.append(f"{named} {'does' if one else 'do'} not say of which bake: {how}")
        else:
            are = "is" if one else "are"
            lines.append(f"{named} {are} of another bake, or of other frames than it has: {how}")
    return lines
