# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the files of a scene are: its bake, and the scene of vorton that is baked."""

import tempfile
from pathlib import Path

import bpy

from vorton import Manifest
from vorton.hosts.blender.export import file_name

RELATIVE = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()
"""Options of a path that may begin with //, which Blender 4.5 wants to be told."""

SESSION = Path(bpy.app.tempdir).name
"""What no other Blender has: the name of the folder that this one removes when it ends."""


def find_scene(name):
    """The scene of a name; the only one there is may have been given another one meanwhile."""
    scenes = bpy.data.scenes
    return scenes.get(name) or (scenes[0] if len(scenes) == 1 else None)


def scene_name(scene):
    """Of the scene of vorton, and so of its files: that of the .blend file."""
    stem = Path(bpy.data.filepath).stem or "untitled"
    return file_name(stem if len(bpy.data.scenes) == 1 else f"{stem}_{scene.name}")


def base_folder():
    """Where // leads: as long as the .blend is not saved, a folder for temporary files."""
    if bpy.data.filepath:
        return Path(bpy.data.filepath).parent
    return Path(tempfile.gettempdir()) / "vorton-blender" / SESSION


def bake_folder(scene, text=None):
    """Where the frames of a scene are, or would be by another text in its Folder."""
    text = text or scene.vorton.folder or "//"
    where = base_folder() / text[2:] if text.startswith("//") else Path(bpy.path.abspath(text))
    return where / scene_name(scene)


def shown_folder(scene, find=Manifest.all_in):
    """Where the bake is that the scene shows: not where it would bake if the .blend file has been
    saved under another name since, or for the first time. `find` says whether a folder has one."""
    shown = scene.vorton.result
    if shown is not None and shown.type == "VOLUME" and shown.data.filepath:
        folder = Path(bpy.path.abspath(shown.data.filepath)).parent
        if find(folder):
            return folder
    return bake_folder(scene)


def is_same(one, other):
    """Whether two paths lead to one place, however they are written."""
    return one.resolve() == other.resolve()


def bakes_beside(scene):
    """What Folder may say to have another bake of the scene: its own text, and those of the folders
    beside that one which hold a bake of the scene, as branches do. Each bake once."""
    text = scene.vorton.folder.rstrip("/\\")
    cut = max(text.rfind("/"), text.rfind("\\")) + 1
    head, name = (text[:cut] if cut else "//"), scene_name(scene)
    try:
        beside = [each.name for each in bake_folder(scene, head).parent.iterdir() if each.is_dir()]
    except OSError:
        beside = []
    texts = [text or "//", *(head + each for each in sorted(beside))]
    places = {}
    for each in texts:
        folder = bake_folder(scene, each)
        if (folder / f"{name}.json").exists():
            places.setdefault(folder.resolve(), each)
    return sorted(places.values())


def find_bake(folder):
    """The manifest of the bake in a folder; ValueError where there is none."""
    if not Manifest.all_in(folder):
        raise ValueError(f"no bake in {folder}: press Bake, or set Folder to where it is")
    return Manifest.find(folder)


def in_file(path):
    """A path as the .blend file keeps it: relative to its folder, where that can be."""
    try:
        return bpy.path.relpath(path) if bpy.data.filepath else path
    except ValueError:  # on another drive
        return path


def json_path(scene):
    """Where the scene of vorton is written: beside the .blend file."""
    return base_folder() / f"{scene_name(scene)}.vorton.json"
