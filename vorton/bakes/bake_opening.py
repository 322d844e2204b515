"""The manifest that a bake goes on with, or begins, in a folder that may hold anything."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..archive.branches import known_by, shared_frames, states_of
from ..archive.manifest import FORMAT, SCHEMA, UNITS, Manifest
from ..archive.manifest_form import check_whole
from ..archive.reading import SUFFIX, Archive, is_no_archive
from ..base.checks import ranges_text, shown
from ..files.disk import remove, remove_leftovers
from ..files.json_text import parse_json
from ..scenes.scene import Scene
from .again import derive_again

__all__ = [
    "bake_there",
    "check_states",
    "difference",
    "foreign_states",
    "is_cut_off",
    "open_archive",
    "open_manifest",
    "replace_after",
    "told_by_archive",
]


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
    if not any(manifest.path == path for manifest in earlier):
        told = told_by_archive(path.with_suffix(SUFFIX))
        if path.exists():
            _refuse_damaged(path, overwrite, told is not None)
        earlier += [] if told is None else [told]
    for manifest in earlier:
        other = difference(manifest.data, scene.name, settings)
        if not other:
            remove_leftovers(folder)
            taken = _take_over(manifest, scene, settings, frames)
            _refuse_foreign_states(taken, overwrite)
            if not overwrite:
                taken.others = frozenset(taken.strangers())
            return taken
        if not overwrite:
            raise ValueError(f"{folder}: holds a bake of {other}; {_remedy(manifest, settings)}")
    made = _new_manifest(path, scene, settings, frames)
    states = None if foreign_states(made) else made.archive  # whatever files were made of them
    for manifest in earlier:
        manifest.remove_files(kept=states)
    remove_leftovers(folder)
    _refuse_strangers(made, overwrite)
    _refuse_foreign_states(made, overwrite)
    return made


def _remedy(earlier: Manifest, settings: Mapping[str, Any]) -> str:
    """What to do about an earlier bake, and how a derived one was made; where other files of its
    states are wanted they are derived from its archive."""
    same_states = shared_frames(earlier.data, settings) == math.inf
    if earlier.archive and settings["archive"] and same_states:
        return (
            f"`vorton derive {shlex.quote(str(earlier.folder))} OTHER_FOLDER` makes such files of "
            "its archive, without simulating; or give overwrite=True (--overwrite) to make them in "
            "the place of its own"
        )
    again = derive_again(earlier)
    made = f"it was made by `{again}`; " if again else ""
    return f"{made}choose another folder, or give overwrite=True (--overwrite) to remove it"


def _take_over(
    earlier: Manifest, scene: Scene, settings: dict[str, Any], frames: tuple[int, int]
) -> Manifest:
    """The frames of an earlier manifest; all else is as it must be."""
    data, both = earlier.data, frames
    if data["frames"]:
        both = min(data["first"], frames[0]), max(data["last"], frames[1])
    settings = {**settings, "archived": settings["archived"] or data.get("archived")}
    manifest = _new_manifest(earlier.path, scene, settings, both)
    return Manifest(earlier.path, manifest.data | {"frames": data["frames"]})


def replace_after(
    earlier: Manifest, scene: Scene, settings: dict[str, Any], frame: int, last: int
) -> Manifest:
    """A manifest to take the place of an earlier one: it keeps the frames up to `frame`, and its
    `drop` removes the files of those after it. Not yet saved."""
    data, last = earlier.data, max(frame, last)
    manifest = _new_manifest(earlier.path, scene, settings, (min(data["first"], last), last))
    kept = [record for record in data["frames"] if record["frame"] <= frame]
    files = [f["name"] for r in data["frames"] if r["frame"] > frame for f in r["files"]]
    removing = [*files, *data.get("removing", [])]
    return Manifest(earlier.path, manifest.data | {"frames": kept, "removing": removing})


def told_by_archive(path: Path) -> Manifest | None:
    """The manifest of a bake as its archive tells it, without frames; None: that is no archive of a
    bake, or its head cannot be read."""
    try:
        with Archive(path) as archive:
            about, last = archive.about, max(archive.last, 1)
        if about["name"] != path.stem:  # it is not where its bake was
            return None
        keys = ("name", "vorton", "build", "scene_sha256", "fps", "volumes", "tracers", "scene")
        data: dict[str, Any] = {key: about[key] for key in keys}
        data |= {"branch": about["branch"]} if "branch" in about else {}
        data |= {"format": FORMAT, "schema": SCHEMA, "seed": data["scene"]["seed"], "units": UNITS}
        data |= {"first": 1, "last": last, "archive": path.name, "frames": []}
        check_whole(data)
    except (KeyError, OSError, ValueError):
        return None
    made = Manifest(path.with_suffix(".json"), data)
    numbers = (int(Path(name).stem.rpartition("_")[2]) for name in made.strangers())
    made.data["first"] = min((n for n in numbers if 1 <= n <= last), default=1)
    return made


def bake_there(folder: Path, scene: Scene) -> Manifest | None:
    """The bake of a scene that is in a folder, by its manifest or, where that is lost, its archive;
    None: there is none."""
    path = folder / f"{scene.name}.json"
    try:
        manifest: Manifest | None = Manifest.load(path)
    except (OSError, ValueError):
        manifest = told_by_archive(path.with_suffix(SUFFIX))
    same = manifest is not None and manifest.data["scene_sha256"] == scene.sha256
    return manifest if same else None


def foreign_states(manifest: Manifest) -> str | None:
    """What the archive of a bake holds that is not this bake's; None where all of it is, where it
    holds no states, or where it is an archive of which the head cannot be read."""
    path, data = manifest.archive, manifest.data
    if path is None:
        return None
    try:
        with Archive(path) as archive:
            about, numbers = archive.about, sorted({*archive.frames, *archive.lost})
    except (OSError, ValueError):
        return "something else than states" if is_no_archive(path) else None
    foreign = [n for n in numbers if n > shared_frames(about, data)]
    if not foreign:
        return None
    keys = ("vorton", "build", "scene_sha256", "fps", "branch")
    whose = difference(about, data["name"], {key: data.get(key) for key in keys})
    all_are = foreign == numbers
    return f"states{'' if all_are else f' {ranges_text(foreign)}'} of {whose or 'another run'}"


def open_archive(path: Path) -> Archive:
    """An archive that is read; frames of the bake beside one that was cut off are `lost`, too."""
    beside = Manifest.of_file(path)  # before the archive: a bake may go on meanwhile
    archive = Archive(path)
    if beside is not None:
        shared = shared_frames(archive.about, beside.data)
        for number in range(archive.last + 1, max(beside.frames, default=0) + 1):
            if number <= shared:
                archive.lost.setdefault(number, "the archive ends before it")
    return archive


def check_states(manifest: Manifest) -> None:
    """ValueError where the archive of a bake holds states of another."""
    if foreign := foreign_states(manifest):
        raise ValueError(
            f"{manifest.archive}: holds {foreign}, unlike {manifest.path.name} beside it; "
            "move it into a folder of its own"
        )


def _refuse_foreign_states(manifest: Manifest, overwrite: bool) -> None:
    """An archive of another bake in the place of ours."""
    foreign = foreign_states(manifest)
    if not foreign or manifest.archive is None:
        return
    if not overwrite:
        raise ValueError(
            f"{manifest.archive}: holds {foreign}; move it into another folder, or give "
            "overwrite=True (--overwrite) to remove it"
        )
    remove(manifest.archive)


def _refuse_damaged(path: Path, overwrite: bool, told: bool) -> None:
    """A file in the place of the manifest that is none, or no whole one. One that was cut off, or
    lost to zeros, is made again where the archive has `told` what it was."""
    try:
        Manifest.load(path)
    except ValueError as error:
        if not Manifest.may_replace(path):
            text = "exists and is not the manifest of a bake; choose another folder"
            raise ValueError(f"{path}: {text}") from error
        if not overwrite and not (told and is_cut_off(path)):
            text = "choose another folder, or give overwrite=True (--overwrite) to bake anew"
            if told:
                text = "its archive tells what it was: once it is moved away, it is made again"
            raise ValueError(f"{error}; {text}") from error


def is_cut_off(path: Path) -> bool:
    """Whether a file in the place of a manifest is the rest of one, with nothing of anybody's: a
    part, or zeros."""
    try:
        parse_json(path.read_text(encoding="utf-8"))
    except ValueError:
        return Manifest.may_replace(path)
    return False


def difference(old: Mapping[str, Any], name: str, settings: Mapping[str, Any]) -> str | None:
    """In what an older bake, by its manifest or the head of its archive, differs from this one, or
    None."""
    if old.get("name") != name:
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
        if key == "archived":  # wherever it lies
            own, new = (states_of(told) for told in (old, settings))
            if all(own.get(name) == new.get(name) for name in ("vorton", "build")):
                continue
            return f"this scene, simulated by another vorton (build {shown(own.get('build'))})"
        if key in ("vorton", "build"):
            return f"this scene by another vorton ({key} {shown(old.get(key))})"
        if key == "scene_sha256":
            return f"another scene, also named {name!r}"
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
            if digits.isdecimal() and data["first"] <= int(digits) <= data["last"]:
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
    optional = ("region", "archived", "archived_fps", "offset", "shutter", "samples", "branch")
    for key in optional:
        if data.get(key) is None:
            data.pop(key, None)
    return Manifest(path, data)
