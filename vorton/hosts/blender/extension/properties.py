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
            made[key] = getattr(bpy.props, function)(**known(arguments))
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": made})


def known(arguments):
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


def fixed(kind, name, description, **more):
    """A property of so named a kind that is not animated."""
    make = getattr(bpy.props, f"{kind}Property")
    return make(name=name, description=description, options=set(), **more)


class VORTON_PG_object(bpy.types.PropertyGroup):
    """What an object is for vorton."""

    role: fixed("Enum", "Role", "What the object is for vorton", items=role_items())
    use_skin: fixed(
        "Bool", "Skin", "Born in a layer on the surface instead of inside: for open meshes, too"
    )
    skin: bpy.props.PointerProperty(type=SKIN)
    carries_smoke: fixed(
        "Bool",
        "Carries smoke",
        "Smoke that shows it: in the core of the ring, in the nozzle of the jet",
    )
    outside: fixed("Bool", "Outside", "Removes what is outside of the mesh instead of inside")
    definition: fixed("String", "Definition", "A definition of vorton as JSON")
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
    keep_archive: fixed(
        "Bool",
        "Keep archive",
        "Keep the state of each frame, from which a bake goes on: without it a bake "
        "that was cancelled simulates from the start again",
        default=True,
    )
    keep_points: fixed(
        "Bool",
        "Keep points",
        "Keep what carries the smoke of each frame as points, too, and show them: "
        "four times as large as the volumes",
    )
    subframes: fixed(
        "Int",
        "Subframes",
        "How often a frame what moves is looked at: more where an emitter or a body "
        "turns fast, whose smoke would have corners",
        default=1,
        min=1,
        max=8,
    )
    use_fields: fixed(
        "Bool",
        "Blender's force fields",
        "Wind, vortex, turbulence and drag fields of Blender act on the fluid, too",
        default=True,
    )
    use_colliders: fixed(
        "Bool",
        "Blender's colliders",
        "Objects with Blender's collision physics are bodies, too",
        default=True,
    )
    result: fixed("Pointer", "Volume", "The object that shows the bake", type=bpy.types.Object)
    points: fixed(
        "Pointer", "Points", "The object that shows the points of the bake", type=bpy.types.Object
    )
    ambient: fixed(
        "Enum",
        "Ambient",
        "The fluid at rest around everything",
        items=[(cls.__name__, cls.__name__, cls.__doc__.split("\n")[0]) for cls in AMBIENTS],
    )
    use_combustion: fixed("Bool", "Combustion", "Fuel burns, and hot fluid cools")
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


add_classes, remove_classes = bpy.utils.register_classes_factory(CLASSES)


def register():
    add_classes()
    bpy.types.Object.vorton = bpy.props.PointerProperty(type=VORTON_PG_object)
    bpy.types.Scene.vorton = bpy.props.PointerProperty(type=VORTON_PG_scene)


def unregister():
    del bpy.types.Scene.vorton, bpy.types.Object.vorton
    remove_classes()
