# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels: what an object is (Physics), what the scene tells, and the bake (sidebar and Scene)."""

import textwrap

import bpy

from vorton.hosts.blender import roles

from .bakes import Running
from .operators import STAGE, grouped_presets, label_of
from .places import bake_folder, bakes_beside, is_same
from .preview import Preview
from .state import Told, tell


def draw_settings(layout, group, settings):
    """All settings of a group; optional ones behind a box to tick."""
    layout.use_property_split = True
    layout.use_property_decorate = True
    for name, setting in settings.items():
        if not setting.optional:
            layout.prop(group, name)
            continue
        row = layout.row(heading=setting.label)
        row.prop(group, setting.switch, text="")
        part = row.row()
        part.active = getattr(group, setting.switch)
        part.prop(group, name, text="")
        if setting.animatable:
            row.prop_decorator(group, name)


class ObjectPanel:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context):
        return context.object is not None


class VORTON_PT_object(ObjectPanel, bpy.types.Panel):
    bl_idname = "VORTON_PT_object"
    bl_label = "Vorton"

    def draw(self, context):
        layout, about = self.layout, context.object.vorton
        if about.role == "NONE":
            layout.operator_menu_enum("vorton.mark", "start", text="Add to simulation")
            return
        layout.use_property_split = True
        layout.prop(about, "role")
        if about.role == roles.DEFINITION:
            layout.prop(about, "definition")
            return
        role = roles.ROLES[about.role]
        if role.name in ("RING", "JET"):
            layout.prop(about, "carries_smoke")
        if role.name == "KILL":
            layout.prop(about, "outside")
        if role.shape == "filled":
            layout.prop(about, "use_skin")
            if about.use_skin:
                draw_settings(layout.column(), about.skin, roles.SKIN_SETTINGS)
        draw_settings(layout.column(), getattr(about, role.group), role.settings)


LETTER = 6.5  # pixels, of a mean letter where the interface is not scaled
BESIDE = 4  # letters as wide as what is beside a text: margins, an icon


def draw_text(layout, context, text, icon="NONE"):
    """A text in as many lines as it needs: of a longer label Blender shows the beginning alone."""
    letters = len(text)
    if context.region is not None:  # a script may draw it
        wide = context.region.width / context.preferences.system.ui_scale
        letters = max(int(wide / LETTER) - BESIDE, 12)
    lines = layout.column(align=True)
    lines.scale_y = 0.7
    for line in textwrap.wrap(text, letters):
        lines.label(text=line, icon=icon)
        icon = "NONE" if icon == "NONE" else "BLANK1"


def draw_bake(layout, context):
    """The buttons of the bake."""
    scene = context.scene
    about, told = scene.vorton, Told() if Running.job else tell(scene)
    column = layout.column(align=True)
    column.scale_y = 1.4
    if Running.job is None:
        column.operator("vorton.bake", icon="PLAY")
    else:
        job = Running.job
        if hasattr(column, "progress"):
            column.progress(factor=job.done / max(job.total, 1), text=Running.text())
        else:  # Blender 3
            column.label(text=Running.text())
        row = column.row(align=True)
        text, icon = ("Go on", "PLAY") if job.paused else ("Pause", "PAUSE")
        row.operator("vorton.pause", text=text, icon=icon)
        row.operator("vorton.cancel", icon="CANCEL")
    shown = Preview.live is not None
    column.operator("vorton.live", icon="HIDE_OFF" if shown else "HIDE_ON", depress=shown)
    if Preview.text():
        draw_text(column, context, Preview.text())
    then = column.column(align=True)
    then.enabled = bool(told.baked or about.result)
    then.operator("vorton.stage", icon="OUTLINER_OB_CAMERA")
    last = column.column(align=True)
    last.enabled = scene.camera is not None  # without one Blender refuses
    last.operator_context = "INVOKE_DEFAULT"
    last.operator("render.render", text="Render", icon="RENDER_STILL")
    if told.baked:
        draw_from_here(layout, scene, told)
    layout.separator()
    row = layout.row(align=True)
    row.prop(about, "folder")
    if told.baked:
        row.menu("VORTON_MT_bakes", text="", icon="DOWNARROW_HLT")
    draw_text(layout, context, str(bake_folder(scene)), icon="FILE_FOLDER")
    layout.prop(about, "keep_archive")
    layout.prop(about, "keep_points")
    row = layout.row(align=True)
    row.operator("vorton.show")
    row.operator("vorton.export")


def draw_from_here(layout, scene, told):
    """What is baked, and the buttons that keep the frames before the current one of it."""
    lines = layout.column(align=True)
    for line in filter(None, (told.baked, told.changed)):
        lines.label(text=line)
    here = scene.frame_current
    buttons = layout.column(align=True)
    buttons.enabled = told.may_leave
    buttons.operator("vorton.bake_from", text=f"Bake from {here}", icon="RECOVER_LAST")
    buttons.label(text=told.here)
    if told.may_leave:
        buttons.operator("vorton.branch", text=f"Branch from {here}...", icon="DUPLICATE")
        buttons.label(text="this bake stays")


class VORTON_MT_bakes(bpy.types.Menu):
    """Show another bake of the scene"""

    bl_idname = "VORTON_MT_bakes"
    bl_label = "Bakes of this scene"

    def draw(self, context):
        scene = context.scene
        for text in bakes_beside(scene):
            chosen = is_same(bake_folder(scene, text), bake_folder(scene))
            icon = "RADIOBUT_ON" if chosen else "RADIOBUT_OFF"
            self.layout.operator("vorton.show", text=text, icon=icon).folder = text


class VORTON_PT_bake(bpy.types.Panel):
    bl_idname = "VORTON_PT_bake"
    bl_label = "Bake"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Vorton"

    def draw(self, context):
        draw_bake(self.layout, context)


class ScenePanel:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "scene"


class VORTON_PT_scene(ScenePanel, bpy.types.Panel):
    bl_idname = "VORTON_PT_scene"
    bl_label = "Vorton"

    def draw(self, context):
        draw_bake(self.layout, context)
        about = context.scene.vorton
        self.layout.use_property_split = True
        self.layout.prop(about, "subframes")
        self.layout.prop(about, "use_fields")
        self.layout.prop(about, "use_colliders")
        draw_settings(self.layout.column(), about.simulation, roles.SCENE_SETTINGS)


class VORTON_PT_ambient(ScenePanel, bpy.types.Panel):
    bl_label = "Ambient fluid"
    bl_parent_id = "VORTON_PT_scene"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        about = context.scene.vorton
        self.layout.prop(about, "ambient", text="")
        group = getattr(about, about.ambient.lower())
        draw_settings(self.layout.column(), group, roles.AMBIENT_SETTINGS[about.ambient])


class VORTON_PT_combustion(ScenePanel, bpy.types.Panel):
    bl_label = "Combustion"
    bl_parent_id = "VORTON_PT_scene"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context):
        self.layout.prop(context.scene.vorton, "use_combustion", text="")

    def draw(self, context):
        about = context.scene.vorton
        self.layout.active = about.use_combustion
        draw_settings(self.layout.column(), about.combustion, roles.COMBUSTION_SETTINGS)


class VORTON_PT_method(ScenePanel, bpy.types.Panel):
    bl_label = "Method"
    bl_parent_id = "VORTON_PT_scene"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_settings(self.layout.column(), context.scene.vorton.method, roles.METHOD_SETTINGS)


class VORTON_MT_add(bpy.types.Menu):
    bl_idname = "VORTON_MT_add"
    bl_label = "Vorton"

    def draw(self, context):
        first, others = grouped_presets()
        for name in [*first, None, *others]:
            if name is None:
                self.layout.separator()
            else:
                self.layout.operator("vorton.add", text=label_of(name)).preset = name


def draw_menu(self, context):
    self.layout.menu("VORTON_MT_add", icon="OUTLINER_OB_VOLUME")


def draw_header(self, context):
    """The next steps in the header of the 3D view, where no tab hides them."""
    scene = context.scene
    if Running.job is not None:
        self.layout.label(text=Running.text())
        return
    if all(thing.vorton.role == "NONE" for thing in scene.objects):
        return
    row = self.layout.row(align=True)
    row.operator_context = "INVOKE_DEFAULT"
    row.operator("vorton.bake", icon="PLAY")
    if scene.vorton.result is not None:
        row.operator("vorton.stage", icon="OUTLINER_OB_CAMERA")
    if STAGE in scene:
        row.operator("render.render", text="Render", icon="RENDER_STILL")


CLASSES = (
    VORTON_PT_object,
    VORTON_PT_bake,
    VORTON_PT_scene,
    VORTON_PT_ambient,
    VORTON_PT_combustion,
    VORTON_PT_method,
    VORTON_MT_add,
    VORTON_MT_bakes,
)


add_classes, remove_classes = bpy.utils.register_classes_factory(CLASSES)


def register():
    add_classes()
    bpy.types.VIEW3D_MT_add.append(draw_menu)
    bpy.types.VIEW3D_MT_editor_menus.append(draw_header)


def unregister():
    bpy.types.VIEW3D_MT_editor_menus.remove(draw_header)
    bpy.types.VIEW3D_MT_add.remove(draw_menu)
    remove_classes()
