# SPDX-License-Identifier: GPL-3.0-or-later
"""What the buttons do: mark objects, add presets, export, bake, show, set up a render."""

import contextlib
import tempfile
from pathlib import Path

import bpy
from mathutils import Vector

from vorton import _core
from vorton.hosts.blender import objects, roles, stage, volumes
from vorton.hosts.blender.export import export_scene, file_name, marked, metres
from vorton.hosts.blender.firelight import add_firelight
from vorton.hosts.blender.job import Job
from vorton.hosts.blender.materials import look_of
from vorton.hosts.blender.sequences import find_sequence
from vorton.manifest import Manifest
from vorton.progress import clock
from vorton.scene import Scene

PRESETS = Path(__file__).parent / "presets"
FRAMES = 96  # of a preset
BORN_IN = [role.name for role in roles.ROLES.values() if role.shape == "filled"]
WAIT = 0.2  # s, between two looks at a bake
ERRORS = (ValueError, TypeError, OSError, RuntimeError)


class Running:
    """The bake that is under way, if any."""

    job = None
    export = None
    scene = ""
    folder = None

    @classmethod
    def text(cls):
        """How far it is, as the panel shows it."""
        job = cls.job
        if job is None:
            return ""
        left = f", {clock(job.left)} left" if job.done else ""
        return f"{job.done} of {job.total} frames{left}"

    @classmethod
    def stop(cls):
        """End it without a look at what it has done."""
        if cls.job is not None:
            cls.job.cancel()
        cls.job = cls.export = None


# ---- places ----


def scene_name(scene):
    """Of the scene of vorton, and so of its files: that of the .blend file."""
    stem = Path(bpy.data.filepath).stem or "untitled"
    return file_name(stem if len(bpy.data.scenes) == 1 else f"{stem}_{scene.name}")


def base_folder():
    """Where // leads: a folder for temporary files as long as the .blend is not saved."""
    if bpy.data.filepath:
        return Path(bpy.data.filepath).parent
    return Path(tempfile.gettempdir()) / "vorton-blender"


def bake_folder(scene):
    """Where the frames of a scene are."""
    text = scene.vorton.folder or "//"
    where = base_folder() / text[2:] if text.startswith("//") else Path(bpy.path.abspath(text))
    return where / scene_name(scene)


def json_path(scene):
    """Where the scene of vorton is written: beside the .blend file."""
    return base_folder() / f"{scene_name(scene)}.vorton.json"


def presets():
    """The scenes that the Add menu offers, by name."""
    return {path.stem: path for path in sorted(PRESETS.glob("*.json"))}


def label_of(name):
    return name.replace("_", " ").capitalize()


# ---- operators ----


def refused(operator, error):
    """Report an error; what the operator then returns."""
    operator.report({"ERROR"}, str(error))
    return {"CANCELLED"}


class VORTON_OT_mark(bpy.types.Operator):
    """Make the selected objects part of the simulation"""

    bl_idname = "vorton.mark"
    bl_label = "Mark for vorton"
    bl_options = {"REGISTER", "UNDO"}

    start: bpy.props.EnumProperty(
        name="As", items=[(key, start.label, "") for key, start in roles.STARTS.items()]
    )

    @classmethod
    def poll(cls, context):
        return context.object is not None

    def execute(self, context):
        start = roles.STARTS[self.start]
        chosen = {context.object, *context.selected_objects}
        for thing in sorted(chosen, key=lambda thing: thing.name):
            objects.mark(thing, start, metres(context.scene))
        if start.burns:
            context.scene.vorton.use_combustion = True
        return {"FINISHED"}


class VORTON_OT_add(bpy.types.Operator):
    """Add a scene of vorton at the 3D cursor, ready to bake"""

    bl_idname = "vorton.add"
    bl_label = "Add vorton scene"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.StringProperty(name="Preset", default="campfire", options={"HIDDEN"})
    frames: bpy.props.IntProperty(
        name="Frames",
        description="Length of the scene from its first frame on; 0 leaves it as it is",
        default=FRAMES,
        min=0,
        max=100_000,
    )

    def execute(self, context):
        known = presets()
        if self.preset not in known:
            return refused(self, f"{self.preset}: no such preset; there are {', '.join(known)}")
        scene = context.scene
        made = Scene.load(known[self.preset])
        added = objects.build_scene(made, scene, tuple(scene.cursor.location))
        if self.frames:
            scene.frame_end = scene.frame_start + self.frames - 1
        for thing in context.selected_objects:
            thing.select_set(False)
        context.view_layer.objects.active = added[0]
        added[0].select_set(True)
        open_sidebar(context)
        return {"FINISHED"}


def open_sidebar(context):
    """Show the panel with the Bake button beside the 3D view."""
    area = context.area
    if area is None or area.type != "VIEW_3D":
        return
    area.spaces.active.show_region_ui = True

    def choose_tab():
        for region in area.regions:
            if region.type == "UI":
                try:
                    region.active_panel_category = "Vorton"
                except (AttributeError, TypeError, ValueError):  # Blender 4.2 may not let us
                    pass

    bpy.app.timers.register(choose_tab, first_interval=0.1)  # the sidebar must be drawn first


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
        self.report({"INFO"}, text)
        return {"FINISHED"}


def write_scene(scene, made=None):
    """Export a scene, unless that is done, and write its file."""
    made = made or export_scene(scene, scene_name(scene))
    path = json_path(scene)
    path.parent.mkdir(parents=True, exist_ok=True)
    made.scene.save(path)
    return made


class VORTON_OT_bake(bpy.types.Operator):
    """Simulate the scene and show it. A bake that was cancelled goes on where it stopped"""

    bl_idname = "vorton.bake"
    bl_label = "Bake"
    bl_options = {"UNDO"}

    overwrite: bpy.props.BoolProperty(
        name="Replace",
        description="Remove an earlier bake of a scene that was different",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        return Running.job is None

    def invoke(self, context, event):
        try:
            self.made = export_scene(context.scene, scene_name(context.scene))
            other = holds_other(context.scene, self.made)
        except ERRORS as error:
            return refused(self, error)
        if not other:
            return self.execute(context)
        self.overwrite = True
        manager, text = (
            context.window_manager,
            "Scene or vorton have changed: replace the earlier bake?",
        )
        try:
            return manager.invoke_confirm(self, event, title="Bake", message=text)
        except TypeError:  # Blender 3
            return manager.invoke_confirm(self, event)

    def execute(self, context):
        scene, folder = context.scene, bake_folder(context.scene)
        try:
            made = write_scene(scene, getattr(self, "made", None))
            Running.job = Job(
                json_path(scene),
                folder,
                made.frames,
                made.fps,
                archive=scene.vorton.keep_archive,
                overwrite=self.overwrite,
            )
        except ERRORS as error:
            return refused(self, error)
        Running.export, Running.scene, Running.folder = made, scene.name, folder
        if bpy.app.background:
            Running.job.wait()
            return self.finish(context)
        self.timer = context.window_manager.event_timer_add(WAIT, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if Running.job is not None and Running.job.poll():
            redraw(context)
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
        for text in dict.fromkeys([*made.warnings, *job.warnings]):
            self.report({"WARNING"}, made.named(text))
        if job.done or not job.error:  # what is whole is shown even if it has failed
            show_whole(self, scene, job)
        if not bpy.data.filepath:
            text = f"save the .blend file to keep the bake: it is in {Running.folder}"
            self.report({"WARNING"}, text)
        return refused(self, made.named(job.error)) if job.error else {"FINISHED"}


def show_whole(operator, scene, job):
    """Show the frames that a job has made, and say how many where it was cancelled."""
    try:
        shown = show_bake(scene, Running.folder)
    except ERRORS as error:
        operator.report({"WARNING"}, f"nothing to show: {error}")
        return
    if job.cancelled:
        whole = shown.data.frame_duration
        text = f"{whole} of {job.total} frames are baked; Bake goes on from there"
        operator.report({"INFO"}, text)


def find_scene(name):
    """The scene of a name; the only one there is may have been given another one meanwhile."""
    scenes = bpy.data.scenes
    return scenes.get(name) or (scenes[0] if len(scenes) == 1 else None)


def holds_other(scene, made):
    """Whether the folder holds a bake of another scene, by another vorton, or a damaged one."""
    wanted = {
        "scene_sha256": made.scene.sha256,
        "fps": made.fps,
        "vorton": _core.version(),
        "build": _core.build(),
        "archive": f"{made.scene.name}.vta" if scene.vorton.keep_archive else None,
    }
    found = Manifest.all_in(bake_folder(scene))
    path = bake_folder(scene) / f"{made.scene.name}.json"
    if path.exists() and all(manifest.path != path for manifest in found):
        return True
    return any(m.data.get(key) != value for m in found for key, value in wanted.items())


def redraw(context):
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in ("VIEW_3D", "PROPERTIES"):
                area.tag_redraw()


def show_bake(scene, folder=None):
    """Show the bake of a scene: in the volume that did so before, or in a new one."""
    folder = folder or bake_folder(scene)
    shown = scene.vorton.result
    again = shown is not None and shown.name in scene.objects and shown.type == "VOLUME"
    if again:
        volumes.show_sequence(shown.data, find_sequence(folder), scene.frame_start)
    else:
        start = scene.frame_start
        shown = volumes.add_bake(folder, frame_start=start, name=scene_name(scene), scene=scene)
        scene.vorton.result = shown
    shown.scale = (1 / metres(scene),) * 3
    if bpy.data.filepath:
        try:
            shown.data.filepath = bpy.path.relpath(shown.data.filepath)
        except ValueError:  # on another drive
            pass
    if again:
        volumes.measure_again(shown, folder)
    return shown


class VORTON_OT_cancel(bpy.types.Operator):
    """Stop the bake; its frames stay, and Bake goes on from there"""

    bl_idname = "vorton.cancel"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, context):
        return Running.job is not None

    def execute(self, context):
        Running.job.cancel()
        return {"FINISHED"}


class VORTON_OT_show(bpy.types.Operator):
    """Show the frames that are baked"""

    bl_idname = "vorton.show"
    bl_label = "Show bake"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            show_bake(context.scene)
        except ERRORS as error:
            return refused(self, error)
        return {"FINISHED"}


class VORTON_OT_stage(bpy.types.Operator):
    """A camera that sees the whole bake, light, ground, and Cycles set up for smoke and fire"""

    bl_idname = "vorton.stage"
    bl_label = "Set up render"
    bl_options = {"REGISTER", "UNDO"}

    samples: bpy.props.IntProperty(name="Samples", default=48, min=1, max=100_000)

    def execute(self, context):
        scene = context.scene
        try:
            with as_stage(scene):
                set_stage(scene, self.samples)
        except ERRORS as error:
            return refused(self, error)
        return {"FINISHED"}


@contextlib.contextmanager
def as_stage(scene):
    """What is added within goes to a collection of its own, in the place of an earlier stage."""
    name = f"{scene_name(scene)} stage"
    before, camera, world = set(scene.collection.objects), scene.camera, scene.world

    def added():
        return [t for t in scene.collection.objects if t not in before and t.type != "VOLUME"]

    try:
        yield
    except BaseException:  # the earlier stage stays as it was
        scene.camera, scene.world = camera, world
        for thing in added():
            bpy.data.objects.remove(thing)
        raise
    collection = bpy.data.collections.get(name)
    if collection is None or name not in scene.collection.children:
        collection = bpy.data.collections.new(name)
        scene.collection.children.link(collection)
    for thing in list(collection.objects):
        bpy.data.objects.remove(thing)
    for thing in added():
        collection.objects.link(thing)
        scene.collection.objects.unlink(thing)


def bottoms(scene):
    """The height of the lowest point of what smoke and fire are born in, if anything is."""
    things = [thing for thing in marked(scene) if thing.vorton.role in BORN_IN and thing.data]
    heights = [(thing.matrix_world @ Vector(c)).z for thing in things for c in thing.bound_box]
    return [min(heights)] if heights else []


def set_stage(scene, samples):
    """The stage of a bake: as large as what its frames show."""
    frames = Manifest.find(bake_folder(scene)).data["frames"]
    bounds = [frame["bounds"] for frame in frames if frame.get("bounds")]
    if not bounds:
        raise ValueError("no frame shows smoke: bake first")
    unit = metres(scene)
    lower = [min(low[axis] for low, _ in bounds) / unit for axis in range(3)]
    upper = [max(high[axis] for _, high in bounds) / unit for axis in range(3)]
    lower[2] = max([lower[2], *bottoms(scene)])
    render = scene.render
    aspect = render.resolution_x / render.resolution_y
    eye, low, high = stage.look_from(lower, upper, aspect)
    stage.set_camera(eye, low, high, (lower[1] + upper[1]) / 2, scene)
    if scene.vorton.use_combustion:
        stage.set_night(scene, ground=lower[2], size=40 * (high - low))
        shown, start = show_bake(scene), scene.frame_start
        look = look_of(shown)
        if look is not None:
            add_firelight(
                bake_folder(scene), look, shown, frame_start=start, length=unit, scene=scene
            )
    else:
        stage.set_day(scene)
    stage.set_cycles(scene, samples=samples)


CLASSES = (
    VORTON_OT_mark,
    VORTON_OT_add,
    VORTON_OT_export,
    VORTON_OT_bake,
    VORTON_OT_cancel,
    VORTON_OT_show,
    VORTON_OT_stage,
)


@bpy.app.handlers.persistent
def stop_before_load(*_):
    """A bake belongs to the file that is open."""
    Running.stop()


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.app.handlers.load_pre.append(stop_before_load)


def unregister():
    Running.stop()
    bpy.app.handlers.load_pre.remove(stop_before_load)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
