# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of objects and scenes, made from the tables of vorton."""

import bpy

from vorton.definitions.ambient import AMBIENTS
from vorton.hosts.blender import roles

from .places import RELATIVE


def make_group(name, settings):
    """A class of property groups with the properties of all settings."""
    made = {}
    for setting in settings.values():
        for key, (function, arguments) in setting.properties().items():
            made[key] = getattr(bpy.props, function)(**known(function, arguments))
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": made})


def known(function, arguments):
    """The arguments that this version of Blender knows: it may lack a unit."""
    unit = arguments.get("unit", "NONE")
    if unit not in bpy.types.Property.bl_rna.properties["unit"].enum_items:
        arguments = {**arguments, "unit": "NONE"}
    return arguments


def role_items():
    """Items of the role of an object."""
    items = [("NONE", "Nothing", "vorton does not see it", "BLANK1", 0)]
    for number, role in enumerate(roles.ROLES.values(), 1):
        items.append((role.name, role.label, role.text, role.icon, number))
    text = "What has no settings here, in vorton's own words"
    items.append((roles.DEFINITION, "Definition as text", text, "TEXT", 99))
    return items


ROLE_GROUPS = {
    role.group: make_group(f"VORTON_PG_{role.group}", role.settings)
    for role in roles.ROLES.values()
}
SKIN = make_group("VORTON_PG_skin", roles.SKIN_SETTINGS)
AMBIENT_GROUPS = {
    name.lower(): make_group(f"VORTON_PG_{name.lower()}", settings)
    for name, settings in roles.AMBIENT_SETTINGS.items()
}
COMBUSTION = make_group("VORTON_PG_combustion", roles.COMBUSTION_SETTINGS)
METHOD = make_group("VORTON_PG_method", roles.METHOD_SETTINGS)
SIMULATION = make_group("VORTON_PG_simulation", roles.SCENE_SETTINGS)


class VORTON_PG_object(bpy.types.PropertyGroup):
    """What an object is for vorton."""

    role: bpy.props.EnumProperty(
        name="Role",
        description="What the object is for vorton",
        items=role_items(),
        options=set(),
    )
    use_skin: bpy.props.BoolProperty(
        name="Skin",
        description="Born in a layer on the surface instead of inside: for open meshes, too",
        options=set(),
    )
    skin: bpy.props.PointerProperty(type=SKIN)
    carries_smoke: bpy.props.BoolProperty(
        name="Carries smoke",
        description="Smoke that shows it: in the core of the ring, in the nozzle of the jet",
        options=set(),
    )
    outside: bpy.props.BoolProperty(
        name="Outside",
        description="Removes what is outside of the mesh instead of inside",
        options=set(),
    )
    definition: bpy.props.StringProperty(
        name="Definition", description="A definition of vorton as JSON", options=set()
    )
    __annotations__.update(
        {name: bpy.props.PointerProperty(type=group) for name, group in ROLE_GROUPS.items()}
    )


class VORTON_PG_scene(bpy.types.PropertyGroup):
    """What a scene tells vorton."""

    folder: bpy.props.StringProperty(
        name="Folder",
        description="Where frames go; // is the folder of the .blend file",
        default="//vorton",
        subtype="DIR_PATH",
        options=RELATIVE,
    )
    keep_archive: bpy.props.BoolProperty(
        name="Keep archive",
        description="Keep the state of each frame, from which a bake goes on: without it a bake "
        "that was cancelled simulates from the start again",
        default=True,
        options=set(),
    )
    keep_points: bpy.props.BoolProperty(
        name="Keep points",
        description="Keep what carries the smoke of each frame as points, too, and show them: "
        "four times as large as the volumes",
        options=set(),
    )
    subframes: bpy.props.IntProperty(
        name="Subframes",
        description="How often a frame what moves is looked at: more where an emitter or a body "
        "turns fast, whose smoke would have corners",
        default=1,
        min=1,
        max=8,
        options=set(),
    )
    use_fields: bpy.props.BoolProperty(
        name="Blender's force fields",
        description="Wind, vortex, turbulence and drag fields of Blender act on the fluid, too",
        default=True,
        options=set(),
    )
    use_colliders: bpy.props.BoolProperty(
        name="Blender's colliders",
        description="Objects with Blender's collision physics are bodies, too",
        default=True,
        options=set(),
    )
    result: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Volume",
        description="The object that shows the bake",
        options=set(),
    )
    points: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Points",
        description="The object that shows the points of the bake",
        options=set(),
    )
    ambient: bpy.props.EnumProperty(
        name="Ambient",
        description="The fluid at rest around everything",
        items=[(cls.__name__, cls.__name__, cls.__doc__.split("\n")[0]) for cls in AMBIENTS],
        options=set(),
    )
    use_combustion: bpy.props.BoolProperty(
        name="Combustion",
        description="Fuel burns, and hot fluid cools",
        options=set(),
    )
    combustion: bpy.props.PointerProperty(type=COMBUSTION)
    method: bpy.props.PointerProperty(type=METHOD)
    simulation: bpy.props.PointerProperty(type=SIMULATION)
    __annotations__.update(
        {name: bpy.props.PointerProperty(type=group) for name, group in AMBIENT_GROUPS.items()}
    )


CLASSES = (
    *ROLE_GROUPS.values(),
    SKIN,
    *AMBIENT_GROUPS.values(),
    COMBUSTION,
    METHOD,
    SIMULATION,
    VORTON_PG_object,
    VORTON_PG_scene,
)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.vorton = bpy.props.PointerProperty(type=VORTON_PG_object)
    bpy.types.Scene.vorton = bpy.props.PointerProperty(type=VORTON_PG_scene)


def unregister():
    del bpy.types.Scene.vorton, bpy.types.Object.vorton
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
