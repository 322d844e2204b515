"""Of which archive a derived bake was made, and whether that archive still holds what it was."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..archive.branches import OF_STATES, shared_frames, states_of
from ..archive.manifest import Manifest
from ..archive.reading import Archive
from ..base.checks import frames_are
from ..scenes.scene_warning import warn
from .again import derive_again
from .bake_opening import difference
from .retime import Times

__all__ = [
    "changed_origin",
    "describe_origin",
    "origin_in",
    "origin_of",
    "warn_of_changed_origin",
]


def origin_of(archive: Archive, folder: Path) -> dict[str, Any]:
    """The member "archived" of the manifest of a bake in a folder that is derived from an archive:
    whose states they are, but for the frame rate, which is `archived_fps`."""
    told = {key: archive.about[key] for key in OF_STATES if key in archive.about and key != "fps"}
    return {"archive": _relative(archive.path, folder), **told}


def origin_in(archived: Mapping[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """That member of a bake which comes from one folder to another."""
    return {**archived, "archive": _relative(old / archived["archive"], new)}


def _relative(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return path.absolute().as_posix()


def describe_origin(manifest: Manifest) -> str:
    """From which archive a bake was derived, and by which other build that was simulated; "" where
    it was not derived."""
    data, archived = manifest.data, manifest.data.get("archived")
    if archived is None:
        return ""
    path = archived["archive"]
    there = "" if (manifest.folder / path).is_file() else ", which is not there any more"
    text = f"from {path}{there}"
    if all(archived.get(key) == data[key] for key in ("vorton", "build")):
        return text
    return f"{text}; simulated by another build (vorton {archived.get('vorton')})"


def changed_origin(manifest: Manifest) -> str | None:
    """Which frames of a derived bake are not those of what its archive holds now, as after a branch
    in place, or another bake there. None: all are, or the archive is not there any more, or cannot
    be read."""
    data, archived = manifest.data, manifest.data.get("archived")
    if archived is None:
        return None
    try:
        with Archive(manifest.folder / archived["archive"]) as archive:
            about = archive.about
    except (OSError, ValueError):
        return None
    told = states_of(data)
    shared = shared_frames(about, told)
    times = Times.of(data, told["fps"])
    other = [n for n in manifest.frames if times.needed(n)[-1] > shared]
    if not other:
        return None
    keys = ("vorton", "build", "scene_sha256", "fps", "branch")
    whose = difference(about, data["name"], {key: told.get(key) for key in keys})
    return (
        f"{frames_are(other)} not of what {archived['archive']} holds now, states of "
        f"{whose or 'another run'}: `{derive_again(manifest)} --overwrite` makes its frames"
    )


def warn_of_changed_origin(manifest: Manifest) -> None:
    """Of a derived bake from which something is made: where frames are not those of what its
    archive holds now."""
    if changed := changed_origin(manifest):
        warn(f"{manifest.path}: {changed}")
