# SPDX-License-Identifier: GPL-3.0-or-later
"""The points of a bake, where they are kept: at each frame those that the bake has there."""

from pathlib import Path

import bpy

from vorton import Manifest
from vorton.hosts.blender.points import add_points, set_points
from vorton.hosts.blender.sampling import metres

from .places import in_file, scene_name

FILES, START = "vorton_files", "vorton_start"
"""Custom properties of what shows points: how the names of the files begin, and the frame of the
scene that is frame 1."""


def show_points(scene, folder):
    """Show the points of a bake, or no more, where it keeps none."""
    manifest, shown = Manifest.find(folder), scene.vorton.points
    if not manifest.data["tracers"]:
        if shown is not None:
            bpy.data.objects.remove(shown)
        return
    if shown is None or shown.name not in scene.objects:
        shown = scene.vorton.points = add_points(f"{scene_name(scene)} points", scene)
    first = manifest.frames[0]
    path = in_file(str(manifest.file(first, ".npz").absolute()))
    shown[FILES], shown[START] = path.removesuffix(f"{first:04d}.npz"), scene.frame_start
    follow(scene)


@bpy.app.handlers.persistent
def follow(scene, *_):
    """The points of the frame that the scene is at."""
    shown = scene.vorton.points
    if shown is None or FILES not in shown or shown.type != "MESH":
        return
    number = scene.frame_current - shown[START] + 1
    path = Path(f"{bpy.path.abspath(shown[FILES])}{number:04d}.npz")
    try:
        set_points(shown.data, path if path.exists() else None, metres(scene))
    except (ValueError, OSError):  # being written, or damaged: nothing is shown
        set_points(shown.data, None)


def register():
    bpy.app.handlers.frame_change_pre.append(follow)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(follow)
