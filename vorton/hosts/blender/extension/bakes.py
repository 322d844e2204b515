# SPDX-License-Identifier: GPL-3.0-or-later
"""What the buttons do that bake: the scene, what is left of it from a frame on, a branch of it."""

import time

import bpy

from vorton import Manifest, _core
from vorton.base.checks import counted
from vorton.base.progress import clock
from vorton.files.disk import one_line
from vorton.hosts.blender import volumes
from vorton.hosts.blender.bodies import show_bodies
from vorton.hosts.blender.export import export_scene
from vorton.hosts.blender.job import Job
from vorton.hosts.blender.sampling import metres
from vorton.hosts.blender.sequences import find_sequence

from .places import (
    RELATIVE,
    bake_folder,
    find_bake,
    find_scene,
    in_file,
    is_same,
    json_path,
    scene_name,
    shown_folder,
)
from .points import show_points
from .state import last_kept, read_bake

WAIT = 0.2  # s, between two looks at a bake
REDRAW = 1.0  # s, between two drawings of how far it is
ERRORS = (ValueError, TypeError, OSError, RuntimeError)


class Running:
    """The bake that is under way, if any."""

    job = None
    export = None
    scene = ""
    folder = None
    drawn = 0.0  # s, when the panels last were
    earlier = None  # what the scene had as its folder, where the bake goes to another

    @classmethod
    def text(cls):
        """How far it is, as the panel shows it."""
        job = cls.job
        if job is None:
            return ""
        left = f", {clock(job.left)} left" if job.done else ""
        done = f"{job.done} of {counted(job.total, 'frame')}"
        return f"{done}{', paused' if job.paused else left}"

    @classmethod
    def stop(cls):
        """End it without a look at what it has done."""
        if cls.job is not None:
            cls.job.cancel()
        cls.job = cls.export = cls.earlier = None


def refused(operator, error):
    """Report an error; what the operator then returns."""
    operator.report({"ERROR"}, one_line(error))
    return {"CANCELLED"}


def ask(operator, context, event, text):
    """Let an operator be confirmed."""
    manager = context.window_manager
    try:
        return manager.invoke_confirm(operator, event, title=operator.bl_label, message=text)
    except TypeError:  # Blender 3
        return manager.invoke_confirm(operator, event)


# ---- the scene as a file ----


def write_scene(scene, made=None):
    """Export a scene, unless that is done, and write its file."""
    made = made or export_scene(scene, scene_name(scene))
    path = json_path(scene)
    path.parent.mkdir(parents=True, exist_ok=True)
    made.scene.save(path)
    return made


class VORTON_OT_export(bpy.types.Operator):
    """Write the scene of vorton beside the .blend file, for vorton bake on another machine"""

    bl_idname = "vorton.export"
    bl_label = "Export scene"

    def execute(self, context):
        scene = context.scene
        try:
            made = write_scene(scene)
        except ERRORS as error:
            return refused(self, error)
        for text in made.warnings:
            self.report({"WARNING"}, text)
        name, fps = json_path(scene).name, repr(made.fps).removesuffix(".0")
        name = f'"{name}"' if " " in name else name
        text = f"vorton bake {name} OUT --frames 1-{made.frames} --fps {fps}"
        text += "" if scene.vorton.keep_points else " --no-tracers"
        text += "" if scene.vorton.keep_archive else " --no-archive"
        self.report({"INFO"}, text)
        return {"FINISHED"}


# ---- a bake in a process of its own ----


class Baking:
    """What the operators that bake have in common: they look after the process until its end."""

    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        return Running.job is None

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if Running.job is not None and Running.job.poll():
            if time.monotonic() > Running.drawn + REDRAW:
                redraw(context)
                Running.drawn = time.monotonic()
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self.timer)
        return self.finish(context)

    def cancel(self, context):
        """Blender ends it: another file is opened, or the window is closed."""
        context.window_manager.event_timer_remove(self.timer)
        Running.stop()

    def finish(self, context):
        """Report how the bake has ended and show what there is."""
        job, made = Running.job, Running.export
        Running.job = Running.export = None
        redraw(context)
        scene = find_scene(Running.scene)
        if job is None or scene is None:
            return {"CANCELLED"}
        settle_folder(scene)
        for text in dict.fromkeys([*made.warnings, *job.warnings]):
            self.report({"WARNING"}, made.named(text))
        if job.done or not job.error:  # what is whole is shown even if it has failed
            show_whole(self, scene, job, made.frames)
        if not bpy.data.filepath and not job.error:
            text = "the .blend file is not saved, so the bake is among temporary files, in "
            text += f"{Running.folder}: save it and bake again to have the bake beside it"
            self.report({"WARNING"}, text)
        return refused(self, RuntimeError(made.named(job.error))) if job.error else {"FINISHED"}


def begin(operator, context, folder, origin=None, kept=0):
    """Start a bake; where it is a branch, of the bake in `origin`, whose first frames it keeps."""
    scene = context.scene
    try:
        made = write_scene(scene, getattr(operator, "made", None))
        Running.job = Job(
            json_path(scene),
            folder,
            made.frames,
            made.fps,
            archive=scene.vorton.keep_archive,
            points=scene.vorton.keep_points,
            overwrite=operator.overwrite,
            origin=origin,
            kept=kept,
        )
    except ERRORS as error:
        return refused(operator, error)
    Running.export, Running.scene, Running.folder = made, scene.name, folder
    if bpy.app.background:
        Running.job.wait()
        return operator.finish(context)
    operator.timer = context.window_manager.event_timer_add(WAIT, window=context.window)
    context.window_manager.modal_handler_add(operator)
    return {"RUNNING_MODAL"}


def show_whole(operator, scene, job, frames):
    """Show what is baked, and say how many frames of all these are where it was cancelled."""
    try:
        shown = show_bake(scene, Running.folder)
    except ERRORS as error:
        operator.report({"WARNING"}, f"nothing to show: {one_line(error)}")
        return
    if scene.frame_current == scene.frame_start:  # where there is hardly anything to see
        scene.frame_set(scene.frame_start + 2 * (shown.data.frame_duration - 1) // 3)
    if lacking := volumes.unknown_grids(Running.folder):
        text = f"Blender remembers these files without {', '.join(lacking)}"
        operator.report({"WARNING"}, f"{text}: restart it, or bake into another Folder")
    if job.cancelled:
        whole = shown.data.frame_duration
        are = "is" if whole == 1 else "are"
        text = f"{whole} of {counted(frames, 'frame')} {are} baked; Bake goes on from there"
        operator.report({"INFO"}, text)


def holds_other(scene, made):
    """Whether the folder holds a bake of another scene, by another vorton, or a damaged one."""
    wanted = {
        "scene_sha256": made.scene.sha256,
        "fps": made.fps,
        "vorton": _core.version(),
        "build": _core.build(),
        "archive": f"{made.scene.name}.vta" if scene.vorton.keep_archive else None,
        "tracers": scene.vorton.keep_points,
    }
    found = Manifest.all_in(bake_folder(scene))
    path = bake_folder(scene) / f"{made.scene.name}.json"
    if path.exists() and all(manifest.path != path for manifest in found):
        return True
    return any(m.data.get(key) != value for m in found for key, value in wanted.items())


def export_to_go_on(scene):
    """The scene as a bake of all of it takes it, and whether its folder holds another one. Where
    the bake there has left an earlier scene at some frame, its bodies are those from there on."""
    for manifest in Manifest.all_in(bake_folder(scene)):
        branch = manifest.data.get("branch")
        if branch is not None:
            joined_at = scene.frame_start + branch["frame"]
            made = export_scene(scene, scene_name(scene), joined_at=joined_at)
            if not holds_other(scene, made):
                return made, False
    made = export_scene(scene, scene_name(scene))
    return made, holds_other(scene, made)


TELLING = {"VIEW_3D": ("HEADER", "UI"), "PROPERTIES": ("WINDOW",)}  # regions of an area


def redraw(context):
    """Let the regions that tell of the bake be drawn again, not the views beside them, which takes
    as long as the bake itself where no graphics processor does it."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions:
                if region.type in TELLING.get(area.type, ()):
                    region.tag_redraw()


def show_bake(scene, folder):
    """Show a bake of a scene: its volume in the object that did so before, or in a new one, the
    bodies that it has moved, and its points."""
    shown = scene.vorton.result
    again = shown is not None and shown.name in scene.objects and shown.type == "VOLUME"
    if again:
        volumes.show_sequence(shown.data, find_sequence(folder), scene.frame_start)
    else:
        start = scene.frame_start
        shown = volumes.add_bake(folder, frame_start=start, name=scene_name(scene), scene=scene)
        scene.vorton.result = shown
    shown.scale = (1 / metres(scene),) * 3
    shown.data.filepath = in_file(shown.data.filepath)
    if again:
        volumes.measure_again(shown, folder)
    show_bodies(Manifest.find(folder), f"{scene_name(scene)} bodies", scene, metres(scene))
    show_points(scene, folder)
    return shown


# ---- the buttons ----


def replaces(what):
    """The property of an operator that says whether it removes what is in its way."""
    return bpy.props.BoolProperty(name="Replace", description=what, options={"SKIP_SAVE"})


class VORTON_OT_bake(Baking, bpy.types.Operator):
    """Simulate the scene and show it. A bake that was cancelled goes on where it stopped"""

    bl_idname = "vorton.bake"
    bl_label = "Bake"

    overwrite: replaces("Remove an earlier bake of a scene that was different")

    def invoke(self, context, event):
        try:
            self.made, other = export_to_go_on(context.scene)
        except ERRORS as error:
            return refused(self, error)
        if not other:
            return self.execute(context)
        self.overwrite = True
        return ask(self, context, event, "Scene or vorton have changed: replace the earlier bake?")

    def execute(self, context):
        try:
            if getattr(self, "made", None) is None:
                self.made, _ = export_to_go_on(context.scene)
        except ERRORS as error:
            return refused(self, error)
        return begin(self, context, bake_folder(context.scene))


def prepare(operator, scene):
    """Export the scene, unless the operator has done so; the last frame of its bake that stays."""
    if getattr(operator, "made", None) is None:
        operator.made = export_scene(scene, scene_name(scene), joined_at=scene.frame_current)
    return last_kept(scene, read_bake(find_bake(shown_folder(scene)).folder))


def leaves_earlier(manifest, kept):
    """Whether a bake that has left another scene goes on from a frame before it did so."""
    branch = manifest.data.get("branch")
    return branch is not None and kept < branch["frame"]


class VORTON_OT_bake_from(Baking, bpy.types.Operator):
    """Simulate the scene as it stands from the current frame on; the frames before it stay"""

    bl_idname = "vorton.bake_from"
    bl_label = "Bake from here"

    overwrite: replaces("Remove the frames of the earlier bake from the current one on")

    def invoke(self, context, event):
        scene = context.scene
        try:
            kept, changed = prepare(self, scene), holds_other(scene, self.made)
            origin = find_bake(shown_folder(scene))
        except ERRORS as error:
            return refused(self, error)
        lost = [scene.frame_start + n - 1 for n in origin.frames if n > kept]
        if not is_same(origin.folder, bake_folder(scene)):
            text = f"{bake_folder(scene)} holds another bake: replace it?"
        else:
            changed = changed or leaves_earlier(origin, kept)
            text = "are baked anew by the scene as it is: replace them?"
            text = f"Frames {lost[0]} to {lost[-1]} {text}" if lost else ""
            if not changed:
                self.report({"INFO"}, "the scene is that of the bake: all of its frames stay")
        if not changed or not text:
            return self.execute(context)
        self.overwrite = True
        return ask(self, context, event, text)

    def execute(self, context):
        scene = context.scene
        try:
            kept = prepare(self, scene)
        except ERRORS as error:
            return refused(self, error)
        return begin(self, context, bake_folder(scene), shown_folder(scene), kept)


class VORTON_OT_branch(Baking, bpy.types.Operator):
    """Simulate the scene as it stands from the current frame on, into another folder"""

    bl_idname = "vorton.branch"
    bl_label = "Branch"

    folder: bpy.props.StringProperty(
        name="Folder",
        description="Where the branch goes, with all of its frames; it becomes the scene's Folder",
        subtype="DIR_PATH",
        options=RELATIVE | {"SKIP_SAVE"},
    )
    overwrite: replaces("Remove another bake that is there")

    def invoke(self, context, event):
        scene = context.scene
        try:
            prepare(self, scene)
        except ERRORS as error:
            return refused(self, error)
        self.folder = free_folder(scene)
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        scene = context.scene
        try:
            kept = prepare(self, scene)
        except ERRORS as error:
            return refused(self, error)
        text = self.folder or free_folder(scene)
        origin = shown_folder(scene)
        if is_same(bake_folder(scene, text), origin):
            error = ValueError(f"{text}: holds the bake itself; choose another folder")
            return refused(self, error)
        Running.earlier, scene.vorton.folder = scene.vorton.folder, text
        begun = begin(self, context, bake_folder(scene), origin, kept)
        if Running.job is None and begun == {"CANCELLED"}:
            settle_folder(scene)
        return begun


def free_folder(scene):
    """A folder for a branch from the current frame, beside that of the scene."""
    text = scene.vorton.folder.rstrip("/\\")
    beside = f"{text or '//vorton'} from {scene.frame_current}"
    found, number = beside, 2
    while bake_folder(scene, found).exists():
        found, number = f"{beside} {number}", number + 1
    return found


def settle_folder(scene):
    """A branch of which there is nothing leaves the scene its folder."""
    if Running.earlier is not None and not Manifest.all_in(bake_folder(scene)):
        scene.vorton.folder = Running.earlier
    Running.earlier = None


class WhileBaking:
    """What acts on the bake that runs."""

    @classmethod
    def poll(cls, context):
        return Running.job is not None


class VORTON_OT_cancel(WhileBaking, bpy.types.Operator):
    """Stop the bake; its frames stay, and Bake goes on from there"""

    bl_idname = "vorton.cancel"
    bl_label = "Cancel"

    def execute(self, context):
        Running.job.cancel()
        return {"FINISHED"}


class VORTON_OT_pause(WhileBaking, bpy.types.Operator):
    """Let the bake wait after the frame that it writes, with the processors free, or go on"""

    bl_idname = "vorton.pause"
    bl_label = "Pause"

    def execute(self, context):
        Running.job.pause(not Running.job.paused)
        redraw(context)
        return {"FINISHED"}


class VORTON_OT_show(bpy.types.Operator):
    """Show the frames that are baked"""

    bl_idname = "vorton.show"
    bl_label = "Show bake"
    bl_options = {"REGISTER", "UNDO"}

    folder: bpy.props.StringProperty(
        name="Folder",
        description="Where that bake is; it becomes the scene's Folder. Empty: as it is",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def execute(self, context):
        scene = context.scene
        text = self.folder or scene.vorton.folder
        try:
            show_bake(scene, find_bake(bake_folder(scene, text)).folder)
        except ERRORS as error:
            return refused(self, error)
        if text != scene.vorton.folder:
            scene.vorton.folder = text
        return {"FINISHED"}


CLASSES = (
    VORTON_OT_export,
    VORTON_OT_bake,
    VORTON_OT_bake_from,
    VORTON_OT_branch,
    VORTON_OT_cancel,
    VORTON_OT_pause,
    VORTON_OT_show,
)


@bpy.app.handlers.persistent
def stop_before_load(*_):
    """A bake belongs to the file that is open."""
    Running.stop()


add_classes, remove_classes = bpy.utils.register_classes_factory(CLASSES)


def register():
    add_classes()
    bpy.app.handlers.load_pre.append(stop_before_load)


def unregister():
    Running.stop()
    bpy.app.handlers.load_pre.remove(stop_before_load)
    remove_classes()
