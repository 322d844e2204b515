# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview: points of a coarse simulation in the 3D views, which follows what is changed."""

import contextlib

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from vorton.base.checks import counted
from vorton.files.disk import one_line
from vorton.hosts.blender.export import export_scene, outline
from vorton.hosts.blender.live import Live
from vorton.hosts.blender.sampling import frame_rate, metres

from .bakes import ERRORS, refused
from .places import find_scene

EVERY = 0.04  # s, between two frames
SIZE = 3.0  # pixels, of a point
COLD, HOT = np.array((0.75, 0.78, 0.82, 0.7)), np.array((1.0, 0.45, 0.1, 0.9))
SHADERS = "POINT_FLAT_COLOR", "FLAT_COLOR", "3D_FLAT_COLOR"  # from Blender 4.5, 4.0 and before


class Preview:
    """The preview that is on, if any."""

    live = None
    handler = None
    scene = ""
    points = None
    changed = True
    outline = None
    said = ""

    @classmethod
    def begin(cls, scene):
        """Switch it on; ExportError where the scene cannot be taken."""
        with followed(scene) as now:
            cls.live = Live(now, frame_rate(scene))
        cls.scene, cls.points, cls.changed, cls.said = scene.name, None, False, ""
        cls.handler = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")
        bpy.app.handlers.depsgraph_update_post.append(note_change)
        bpy.app.timers.register(tick, first_interval=EVERY)

    @classmethod
    def end(cls):
        """Switch it off."""
        if cls.live is None:
            return
        cls.live, cls.points, cls.said = None, None, ""
        bpy.types.SpaceView3D.draw_handler_remove(cls.handler, "WINDOW")
        bpy.app.handlers.depsgraph_update_post.remove(note_change)
        if bpy.app.timers.is_registered(tick):
            bpy.app.timers.unregister(tick)

    @classmethod
    def text(cls):
        """What the panel shows of it."""
        if cls.said or cls.live is None:
            return cls.said
        return f"{counted(cls.live.vortons, 'vorton')}, {1000 * cls.live.seconds:.0f} ms a frame"


@contextlib.contextmanager
def followed(scene):
    """The scene as it is now; what is then wrong with it is told with the names of its objects."""
    made = export_scene(scene, "preview", still=True)
    try:
        yield made.scene
    except ERRORS as error:
        raise RuntimeError(made.named(one_line(error))) from error


@bpy.app.handlers.persistent
def note_change(*_):
    """Something has changed, which may be a mesh: the next frame looks what."""
    Preview.changed = True


def tick():
    """A frame; the seconds until the next one, or None at the end."""
    scene = find_scene(Preview.scene)
    if Preview.live is None or scene is None:
        Preview.end()
        return None
    Preview.scene = scene.name
    try:
        now = outline(scene)
        if Preview.changed or now != Preview.outline:
            with followed(scene) as changed:
                Preview.live.follow(changed)
            Preview.changed, Preview.outline = False, now
        Preview.live.step()
        Preview.said = ""
    except ERRORS as error:  # while a number is typed, say; what was there stays
        Preview.said = str(error)
    positions, heat = Preview.live.points()
    colors = COLD + heat[:, None] * (HOT - COLD)
    Preview.points = positions / np.float32(metres(scene)), colors.astype(np.float32)
    redraw()
    return EVERY


def redraw():
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def make_shader():
    for name in SHADERS:
        try:
            return gpu.shader.from_builtin(name)
        except ValueError:
            continue
    raise RuntimeError(f"Blender {bpy.app.version_string} knows none of {', '.join(SHADERS)}")


def draw():
    """Draw the points into a 3D view."""
    if Preview.points is None or not len(Preview.points[0]):
        return
    positions, colors = Preview.points
    shader = make_shader()
    batch = batch_for_shader(shader, "POINTS", {"pos": positions, "color": colors})
    gpu.state.point_size_set(SIZE)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


class VORTON_OT_live(bpy.types.Operator):
    """A coarse simulation, shown as points, that goes on while you change what is set up"""

    bl_idname = "vorton.live"
    bl_label = "Live preview"

    def execute(self, context):
        if Preview.live is not None:
            Preview.end()
            redraw()
            return {"FINISHED"}
        if bpy.app.background:
            return refused(self, RuntimeError("there is no window to show it in"))
        try:
            Preview.begin(context.scene)
        except ERRORS as error:
            return refused(self, error)
        return {"FINISHED"}


@bpy.app.handlers.persistent
def end_before_load(*_):
    """It belongs to the file that is open."""
    Preview.end()


def register():
    bpy.utils.register_class(VORTON_OT_live)
    bpy.app.handlers.load_pre.append(end_before_load)


def unregister():
    Preview.end()
    bpy.app.handlers.load_pre.remove(end_before_load)
    bpy.utils.unregister_class(VORTON_OT_live)
