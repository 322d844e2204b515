# SPDX-License-Identifier: GPL-3.0-or-later
"""What the buttons do that set up a scene: mark objects, add presets, set up a render."""

import contextlib
from pathlib import Path

import bpy
from mathutils import Vector

from vorton import Scene
from vorton.hosts.blender import objects, roles, stage
from vorton.hosts.blender.firelight import add_firelight
from vorton.hosts.blender.made import add_made, remove_made
from vorton.hosts.blender.materials import look_of
from vorton.hosts.blender.sampling import marked, metres

from .bakes import ERRORS, refused, show_bake
from .places import find_bake, scene_name, shown_folder

PRESETS = Path(__file__).parent / "presets"
FRAMES = 96  # of a preset
FIRST = ("campfire", "plume", "ring", "explosion", "candle", "tornado", "jet")
LABELS = {"ring": "Smoke ring"}
STAGE = "vorton_stage"  # custom property of a scene: what its stage has added
MARGIN = 0.02  # of the distance of smoke, before and behind it
BORN_IN = [role.name for role in roles.ROLES.values() if role.shape == "filled"]


def presets():
    """The scenes that the Add menu offers, by name."""
    return {path.stem: path for path in sorted(PRESETS.glob("*.json"))}


def grouped_presets():
    """Names of the presets as the menu shows them: what one looks for first, then all others."""
    known = presets()
    return [name for name in FIRST if name in known], [name for name in known if name not in FIRST]


def label_of(name):
    return LABELS.get(name) or name.replace("_", " ").capitalize()


class VORTON_OT_mark(bpy.types.Operator):
    """Make the selected objects part of the simulation"""

    bl_idname = "vorton.mark"
    bl_label = "Mark for vorton"
    bl_options = {"REGISTER", "UNDO"}

    start: bpy.props.EnumProperty(
        name="As", items=[(key, start.label, start.text) for key, start in roles.STARTS.items()]
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
            there = ", ".join(known)
            return refused(self, ValueError(f"{self.preset}: no such preset; there are {there}"))
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


def may_choose_tab():
    """Whether this Blender lets a script choose the tab of a sidebar: 3.4 does not."""
    category = bpy.types.Region.bl_rna.properties.get("active_panel_category")
    return category is not None and not category.is_readonly


def open_sidebar(context):
    """Show the panel of the bake beside the 3D view, where its tab can be chosen, too; the header
    has the buttons of the next steps in any case."""
    area = context.area
    if area is None or area.type != "VIEW_3D" or not may_choose_tab():
        return
    area.spaces.active.show_region_ui = True
    [sidebar] = (region for region in area.regions if region.type == "UI")
    looks = iter(range(20))

    def choose_tab():
        try:
            sidebar.active_panel_category = "Vorton"
        except TypeError:  # it has no such tab before it is drawn
            return 0.1 if next(looks, None) is not None else None
        return None

    bpy.app.timers.register(choose_tab, first_interval=0.1)


class VORTON_OT_stage(bpy.types.Operator):
    """A camera that sees the whole bake, and a view through it; light, ground, Cycles for smoke"""

    bl_idname = "vorton.stage"
    bl_label = "Set up render"
    bl_options = {"REGISTER", "UNDO"}

    samples: bpy.props.IntProperty(name="Samples", default=24, min=1, max=100_000)
    size: bpy.props.IntProperty(
        name="Size",
        description="Of the picture, in percent of the scene's resolution",
        default=50,
        min=1,
        max=100,
        subtype="PERCENTAGE",
    )

    def execute(self, context):
        scene = context.scene
        try:
            with as_stage(scene):
                set_stage(scene, self.samples)
                scene.render.resolution_percentage = self.size
        except ERRORS as error:
            return refused(self, error)
        look_through_camera(context)
        if not scene.cycles.use_denoising:
            text = "this Blender was built without a denoiser: more Samples, less grain"
            self.report({"INFO"}, text)
        for name in rendered_around(scene):
            text = "is rendered, and may hide what is born in it: disable it in renders"
            self.report({"WARNING"}, f"{name}: it {text} (the camera in the Outliner)")
        return {"FINISHED"}


@contextlib.contextmanager
def as_stage(scene):
    """What is added within goes to a collection of its own, in the place of an earlier stage."""
    before, camera, world = set(scene.collection.objects), scene.camera, scene.world

    def added():
        own = {scene.vorton.result, scene.vorton.points}
        return [t for t in scene.collection.objects if t not in before and t not in own]

    try:
        yield
    except BaseException:  # the earlier stage stays as it was
        scene.camera, scene.world = camera, world
        for thing in added():
            bpy.data.objects.remove(thing)
        raise
    new = added()
    remove_made(scene, STAGE)
    for thing in new:
        add_made(thing, scene, STAGE, f"{scene_name(scene)} stage")
        scene.collection.objects.unlink(thing)


def bottoms(scene):
    """The height of the lowest point of what smoke and fire are born in, if anything is."""
    things = [thing for thing in marked(scene) if thing.vorton.role in BORN_IN and thing.data]
    heights = [(thing.matrix_world @ Vector(c)).z for thing in things for c in thing.bound_box]
    return [min(heights)] if heights else []


def look_through_camera(context):
    """Where a 3D view is on the screen: what will be rendered, not a ground as wide as the view."""
    areas = context.screen.areas if context.screen else ()
    views = [area for area in areas if area.type == "VIEW_3D"]
    if views:
        chosen = context.area if context.area in views else views[0]
        chosen.spaces.active.region_3d.view_perspective = "CAMERA"


def rendered_around(scene):
    """Names of the objects that are rendered though smoke or fire is born inside of them."""
    things = [thing for thing in marked(scene) if thing.vorton.role in BORN_IN]
    return [t.name for t in things if t.data and not t.vorton.use_skin and not t.hide_render]


def set_stage(scene, samples):
    """The stage of a bake: as large as what its frames show."""
    bake = find_bake(shown_folder(scene))
    frames = bake.data["frames"]
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
        shown, start = show_bake(scene, bake.folder), scene.frame_start
        look = look_of(shown)
        if look is not None:
            add_firelight(bake.folder, look, shown, frame_start=start, length=unit, scene=scene)
    else:
        stage.set_day(scene)
    near, far = (1 - MARGIN) * (lower[1] - eye[1]), (1 + MARGIN) * (upper[1] - eye[1])
    stage.set_eevee(scene, start=near, end=far)
    stage.set_cycles(scene, samples=samples)


CLASSES = (
    VORTON_OT_mark,
    VORTON_OT_add,
    VORTON_OT_stage,
)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
