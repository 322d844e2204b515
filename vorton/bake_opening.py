"""The manifest that a bake goes on with, or begins, in a folder that may hold anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .branches import known_by
from .fields import shown
from .files import remove_leftovers
from .manifest import FORMAT, SCHEMA, UNITS, Manifest
from .scene import Scene

__all__ = ["difference", "open_manifest", "replace_after"]


def open_manifest(
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
        other = difference(manifest, scene, settings)
        if not other:
            remove_leftovers(folder)
            return _take_over(manifest, scene, settings, frames)
        if not overwrite:
            raise ValueError(
                f"{folder}: holds a bake of {other}; choose another folder, or give "
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
    kept = {key: data[key] for key in ("branch", "frames") if key in data}
    return Manifest(earlier.path, manifest.data | kept)


def replace_after(
    earlier: Manifest, scene: Scene, settings: dict[str, Any], frame: int, last: int
) -> Manifest:
    """A manifest in the place of an earlier one: it keeps the frames up to `frame`, and the files
    of those after it are removed. OSError where one of them cannot be."""
    data, last = earlier.data, max(frame, last)
    manifest = _new_manifest(earlier.path, scene, settings, (min(data["first"], last), last))
    kept = [record for record in data["frames"] if record["frame"] <= frame]
    files = [f["name"] for r in data["frames"] if r["frame"] > frame for f in r["files"]]
    made = Manifest(earlier.path, manifest.data | {"frames": kept})
    made.drop([*files, *data.get("removing", [])])
    return made


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


def difference(manifest: Manifest, scene: Scene, settings: dict[str, Any]) -> str | None:
    """In what an older bake differs from this one, or None."""
    old = manifest.data
    if old.get("name") != scene.name:
        return f"another scene, {old.get('name')!r}"
    for key, value in settings.items():
        if old.get(key) == value:
            continue
        if key == "branch":  # paths of meshes in it may be others
            own = old.get(key)
            if known_by(own) == known_by(value):
                continue
            how = f"branched at frame {own['frame']}" if own else "not a branch"
            return f"this scene, {how}"
        if key in ("vorton", "build"):
            return f"this scene by another vorton ({key} {shown(old.get(key))})"
        if key == "scene_sha256":
            return f"another scene, also named {scene.name!r}"
        if key == "archive":
            if value is None:
                return f"this scene with an archive, {old.get(key)}"
            return "this scene that has no archive; archive=False (--no-archive) goes on with it"
        if key == "volumes" and value and old.get(key):
            parts = [part for part in value if old[key].get(part) != value[part]]
            said = ", ".join(
                f"{part} = {shown(old[key].get(part))}, not {shown(value[part])}" for part in parts
            )
            return f"this scene with other volumes: {said}"
        return f"this scene with {key} = {shown(old.get(key))}, not {shown(value)}"
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
    for key in ("region", "archived_fps", "branch"):
        if data.get(key) is None:
            data.pop(key, None)
    return Manifest(path, data)
