"""Uses the extension as an artist would; run by a Python that can import bpy.

    python use_extension.py scene RESULT ADDONS FOLDER
    python use_extension.py bake RESULT ADDONS FOLDER
    python use_extension.py bodies RESULT ADDONS FOLDER
    python use_extension.py presets RESULT ADDONS FOLDER
    python use_extension.py install RESULT ZIP FOLDER

ADDONS is a folder with the package vorton_extension, ZIP the extension as it is handed out. RESULT
is a JSON file of what was found; scenes and pictures go to FOLDER.
"""

import contextlib
import hashlib
import json
import os
import shutil
import sys
import types
import warnings
from pathlib import Path

if sys.argv[1] == "install":  # before Blender reads it
    os.environ["BLENDER_USER_RESOURCES"] = str(Path(sys.argv[4]) / "user")

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from read_stage import density_in  # noqa: E402


def fresh(frames=4, start=1):
    """An empty scene of so many frames."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = start, start + frames - 1
    return scene


def add_mesh(primitive, name, **arguments):
    getattr(bpy.ops.mesh, f"primitive_{primitive}_add")(**arguments)
    thing = bpy.context.object
    thing.name = name
    return thing


def mark(thing, start):
    bpy.context.view_layer.objects.active = thing
    for other in bpy.context.scene.objects:
        other.select_set(other == thing)
    assert bpy.ops.vorton.mark(start=start) == {"FINISHED"}


def traces():
    """What the extension has put into Blender."""
    classes = [name for name in dir(bpy.types) if name.startswith("VORTON_")]
    owners = [bpy.types.Object, bpy.types.Scene]
    properties = [o.__name__ for o in owners if hasattr(o, "vorton")]
    called = [*bpy.app.handlers.load_pre, *bpy.app.handlers.frame_change_pre]
    handlers = [f.__module__ for f in called if "vorton" in f.__module__]
    drawn = [*bpy.types.VIEW3D_MT_add._dyn_ui_initialize()]
    drawn += bpy.types.VIEW3D_MT_editor_menus._dyn_ui_initialize()
    menus = [f for f in drawn if "vorton" in f.__module__]
    return [*classes, *properties, *handlers, *map(repr, menus)]


@contextlib.contextmanager
def registered(addon):
    """Registered within, and not afterwards, whatever happens: the module bpy would not end."""
    addon.register()
    try:
        yield
    finally:
        addon.unregister()


# ---- scenes ----


def exported(name="scene"):
    from vorton.hosts.blender.export import export_scene

    return export_scene(bpy.context.scene, name)


def all_presets(addon, folder):
    for name in addon.operators.presets():
        fresh()
        assert bpy.ops.vorton.add(preset=name, frames=4) == {"FINISHED"}
        exported(name).scene.save(folder / f"{name}.json")


def rare():
    """What presets seldom have: a wind of the scene that changes, what has no settings here."""
    import vorton as vt
    from vorton.hosts.blender import build_scene

    fresh(frames=25)
    wind = vt.Keys([(0, (0, 0, 0)), (0.5, (3, 0, 0), "constant"), (1, (0, 1, 0))], "smooth")
    scene = vt.Scene("rare", wind=wind, voxel=0.1, seed=5)
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    scene.add(vt.Filament(points, closed=True, core=0.05))
    scene.add(vt.VortexRing(radius=(0.5, 0.7), core=0.1))
    scene.add(vt.Tracers(vt.Surface(vt.Box(), 0.1, 0.02), per_voxel=2))
    scene.add(vt.Kill(outside=vt.Sphere((0, 0, 1), 3), older_than=2, point=(1, 2, 3)))
    scene.add(vt.Vortex(axis=(0, 1, 0), shape=vt.Disk((0, 0, 2), radius=0.5, thickness=2)))
    turn = vt.Transform(rotation=(1, 0, 0, 1), axis=(1, 0, 0), angle=30, position=(0, 0, 1))
    scene.add(vt.Body(vt.Box((0, 0, 0), (1, 2, 3)), name="crate", parent=turn))
    build_scene(scene, bpy.context.scene)
    return {"there": scene.to_dict(), "back": exported("rare").scene.to_dict()}


def animated():
    """Keyframes, a driver and a moving object."""
    scene = fresh(frames=11)
    scene.render.fps, scene.render.fps_base = 30, 1.001
    thing = add_mesh("uv_sphere", "Ember", segments=32, ring_count=16, radius=0.3)
    mark(thing, "FIRE")
    emitter = thing.vorton.emitter
    for frame, kelvin in ((1, 600), (11, 900)):
        emitter.temperature = kelvin
        emitter.keyframe_insert("temperature", frame=frame)
        thing.location.x = frame
        thing.keyframe_insert("location", index=0, frame=frame)
    emitter.driver_add("fuel").driver.expression = "min(frame, 5) / 10"
    try:
        emitter.keyframe_insert("start", frame=1)
        refused = False
    except TypeError:
        refused = True
    scene.frame_set(7)
    made = exported()
    return {"refused": refused, "frame": scene.frame_current, "scene": made.scene.to_dict(),
            "fps": made.fps, "names": made.names}  # fmt: skip


def centimetres():
    """Shapes of a scene whose unit is a centimetre."""
    scene = fresh()
    scene.unit_settings.scale_length = 0.01
    scene.vorton.simulation.use_voxel = True
    scene.vorton.simulation.voxel = 5
    thing = add_mesh("cube", "Box", size=100, location=(200, 0, 50))
    thing.scale = (1, 2, 0.5)
    mark(thing, "TRACERS")
    mark(add_mesh("cylinder", "Pipe", radius=20, depth=300, rotation=(0, np.pi / 2, 0)), "TRACERS")
    mark(add_mesh("torus", "Tyre", major_radius=100, minor_radius=25), "TRACERS")
    mark(add_mesh("monkey", "Head", size=100), "BODY")
    mark(add_mesh("ico_sphere", "Ball", subdivisions=4, radius=50), "BODY")
    mark(add_mesh("plane", "Floor", size=100, location=(0, 0, -30)), "BODY")
    mark(add_mesh("ico_sphere", "Bumpy", subdivisions=1, radius=50), "TRACERS")
    bpy.data.objects["Head"].vorton.role = "NONE"  # open, and not convex
    wind = bpy.data.objects.new("Breeze", None)
    scene.collection.objects.link(wind)
    wind.rotation_euler = (0, np.pi / 2, 0)
    mark(wind, "WIND")
    made = exported()
    scene.gravity = (0, 0, -981)
    return {"scene": made.scene.to_dict(), "warnings": made.warnings,
            "then": exported().warnings}  # fmt: skip


def complaints():
    """What is said about scenes that cannot be."""
    found = {}

    def of(name):
        try:
            exported()
            found[name] = None
        except ValueError as error:
            found[name] = str(error)

    fresh()
    of("empty")
    scene = fresh()
    scene.vorton.simulation.use_voxel = True
    thing = bpy.data.objects.new("Spot", None)
    scene.collection.objects.link(thing)
    mark(thing, "SMOKE")
    of("no mesh")
    thing.hide_viewport = True
    of("disabled")
    fresh()
    mark(add_mesh("grid", "Sheet"), "SMOKE")
    of("open")
    fresh()
    mark(add_mesh("uv_sphere", "Glow"), "FIRE")
    bpy.context.scene.vorton.use_combustion = False
    of("no combustion")
    fresh()
    thing = add_mesh("uv_sphere", "Cold")
    mark(thing, "SMOKE")
    thing.vorton.emitter.use_temperature = False
    of("no difference")
    fresh()
    thing = add_mesh("uv_sphere", "Swelling")
    mark(thing, "SMOKE")
    for frame, scale in ((1, (1, 1, 1)), (4, (1, 2, 1))):
        thing.scale = scale
        thing.keyframe_insert("scale", frame=frame)
    of("uneven")
    fresh()
    thing, parent = add_mesh("cube", "Skewed"), add_mesh("cube", "Parent")
    mark(thing, "RING")
    thing.parent, parent.scale, thing.rotation_euler = parent, (1, 1, 3), (0.5, 0, 0)
    of("sheared")
    fresh()
    thing = add_mesh("grid", "Skin")
    mark(thing, "SMOKE")
    thing.vorton.use_skin = True
    of("skin")
    return found


def second():
    """A preset after another one: nothing of the first stays in the settings of the scene."""
    import vorton as vt
    from vorton.hosts.blender import build_scene

    scene = fresh(frames=25)
    wind = vt.Keys([(0, (0, 0, 0)), (1, (3, 0, 0))])
    build_scene(vt.Scene("first", wind=wind, combustion=vt.Combustion()), scene)
    burnt = scene.vorton.use_combustion
    build_scene(vt.Scene("second", voxel=0.1), scene)
    from vorton.hosts.blender.objects import curves_of

    scene.frame_set(25)
    found = [len(list(curves_of(scene))), list(scene.vorton.simulation.wind)]
    return {"burnt": burnt, "burns": scene.vorton.use_combustion, "winds": found}


def deforming(folder):
    """A ball with a shape key, a pipe on bones, a ball that is scaled, and what cannot be."""
    scene = fresh(frames=5)
    ball = add_mesh("ico_sphere", "Ball", subdivisions=3, radius=0.5, location=(0, 0, 3))
    mark(ball, "BODY")
    rest, wide = ball.shape_key_add(name="rest"), ball.shape_key_add(name="wide")
    for before, after in zip(rest.data, wide.data):
        after.co = before.co * 1.5
    for frame, value in ((1, 0.0), (5, 1.0)):
        wide.value = value
        wide.keyframe_insert("value", frame=frame)
    bpy.ops.object.armature_add(location=(0, 0, 0))
    bones = bpy.context.object
    pipe = add_mesh("cylinder", "Pipe", radius=0.2, depth=1.0, location=(0, 0, 0.5))
    mark(pipe, "BODY")
    modifier = pipe.modifiers.new("bones", "ARMATURE")
    modifier.object = bones
    group = pipe.vertex_groups.new(name="Bone")
    group.add(range(len(pipe.data.vertices)), 1.0, "REPLACE")
    bone = bones.pose.bones["Bone"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (5, 1.0)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    lung = add_mesh("ico_sphere", "Lung", subdivisions=2, radius=0.5, location=(3, 0, 0))
    mark(lung, "BODY")
    for frame, scale in ((1, (1, 1, 1)), (5, (1, 2, 1))):
        lung.scale = scale
        lung.keyframe_insert("scale", frame=frame)
    stone = add_mesh("ico_sphere", "Stone", radius=0.3, location=(-3, 0, 0))
    mark(stone, "BODY")
    scene.vorton.simulation.use_voxel, scene.vorton.simulation.voxel = True, 0.1
    mark(add_mesh("cube", "Smoke", size=0.5, location=(0, 3, 0)), "TRACERS")
    exported("deforming").scene.save(folder / "deforming.json")
    many = lung.modifiers.new("more", "SUBSURF")
    many.levels = 0
    many.keyframe_insert("levels", frame=1)
    many.levels = 1
    many.keyframe_insert("levels", frame=3)
    try:
        exported()
        return None
    except ValueError as error:
        return str(error)


def field(kind, name, **settings):
    bpy.ops.object.effector_add(type=kind, location=(1, 0, 0))
    thing = bpy.context.object
    thing.name = name
    for key, value in settings.items():
        setattr(thing.field, key, value)
    return thing


def effectors():
    """Blender's own force fields and colliders."""
    scene = fresh(frames=5)
    scene.vorton.simulation.use_voxel, scene.vorton.simulation.voxel = True, 0.1
    mark(add_mesh("cube", "Smoke", size=0.5), "TRACERS")
    field("WIND", "Breeze", strength=3.0, flow=2.0).rotation_euler = (0, np.pi / 2, 0)
    fan = field("WIND", "Fan", flow=0, falloff_type="TUBE", use_max_distance=True, distance_max=2,
                use_radial_max=True, radial_max=0.5, z_direction="POSITIVE")  # fmt: skip
    for frame, strength in ((1, 0.0), (5, 4.0)):
        fan.field.strength = strength
        fan.field.keyframe_insert("strength", frame=frame)
    from vorton.hosts.blender.objects import curves_of

    for curve in curves_of(fan):
        curve.keyframe_points[0].interpolation = "LINEAR"
    field("WIND", "Draught", strength=2.0, flow=1.0, use_max_distance=True, distance_max=3)
    field("VORTEX", "Whirl", strength=2.0, flow=0.5, use_max_distance=True, distance_max=1.5)
    field("TURBULENCE", "Stir", strength=5.0, size=0.7, seed=3, falloff_power=1.0, noise=0.5)
    field("DRAG", "Honey", linear_drag=0.5, quadratic_drag=0.0)
    field("WIND", "Line", shape="LINE", use_max_distance=True, distance_max=2.0)
    field("WIND", "Nowhere", use_max_distance=True, distance_max=0.0)
    field("MAGNET", "Magnet")
    field("FORCE", "Pull", strength=-1.0)
    field("VORTEX", "Endless", strength=1.0)
    field("WIND", "Hidden").hide_viewport = True
    wall = add_mesh("cube", "Wall", size=1, location=(0, 0, 3))
    wall.modifiers.new("Collision", "COLLISION")
    made = exported()
    scene.vorton.use_fields = scene.vorton.use_colliders = False
    without = exported().scene
    scene.vorton.use_fields = True
    scene.unit_settings.scale_length = 0.01
    small = [effect.to_dict() for effect in exported().scene.effects]
    return {"scene": made.scene.to_dict(), "warnings": made.warnings, "names": made.names,
            "without": [len(without.effects), len(without.bodies)], "small": small}  # fmt: skip


def keyframe(thing, path, frames):
    """Values of a property by frame, straight between them."""
    for frame, value in frames.items():
        setattr(thing, path, value)
        thing.keyframe_insert(path, frame=frame)
    from vorton.hosts.blender.objects import curves_of

    for curve in curves_of(thing.id_data):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def not_followed():
    """What a simulation does not follow: it is said, and the same from whichever frame."""
    scene = fresh(frames=6, start=101)
    things = {name: add_mesh("uv_sphere", name, radius=0.3) for name in ("Blob", "Seen", "Gone")}
    for name in ("Blob", "Seen"):
        mark(things[name], "TRACERS")
    mark(things["Gone"], "BODY")
    things["Blob"].shape_key_add(name="rest")
    wide = things["Blob"].shape_key_add(name="wide")
    for point in wide.data:
        point.co = point.co * 3
    keyframe(wide, "value", {101: 0.0, 106: 1.0})
    keyframe(things["Seen"], "hide_render", {101: True, 104: False})
    keyframe(things["Gone"], "hide_viewport", {101: False, 104: True})
    for name, turn in (("Fan", 300), ("Slow fan", 170)):
        fan = add_mesh("cube", name, size=0.5, location=(3, 0, 0))
        mark(fan, "BODY")
        keyframe(fan, "rotation_euler", {101: (0, 0, 0), 106: (0, 0, np.radians(5 * turn))})
    table = add_mesh("plane", "Table", size=0.5, location=(0, 0, -2))
    table.modifiers.new("Collision", "COLLISION")
    library = bpy.data.collections.new("library")
    inside = add_mesh("uv_sphere", "Inside", radius=0.3)
    scene.collection.objects.unlink(inside)
    library.objects.link(inside)
    inside.vorton.role = "SMOKE"
    instance = bpy.data.objects.new("Instance", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", library
    scene.collection.objects.link(instance)
    made = []
    for frame in (101, 105):
        scene.frame_set(frame)
        made.append(exported())
    sheet = add_mesh("grid", "Sheet", size=4)
    sheet.data.vertices[0].co.z = 1.0
    sheet.modifiers.new("Collision", "COLLISION")
    try:
        exported()
        refused = None
    except ValueError as error:
        refused = str(error)
    return {"same": made[0] == made[1], "names": sorted(made[0].names.values()),
            "warnings": made[0].warnings, "refused": refused}  # fmt: skip


def there_from_to(values):
    """Keyframes of what is disabled in viewports, by frame."""
    return {frame: not there for frame, there in values.items()}


def switched():
    """Objects that are there from frame 103 to 105 of 101 to 108 alone, each in its own way."""
    from vorton.hosts.blender.export import export_scene

    scene, frames = fresh(frames=8, start=101), there_from_to({101: False, 103: True, 106: False})
    for name, start in (("Fire", "SMOKE"), ("Ring", "RING"), ("Push", "PUSH"), ("Stone", "BODY")):
        thing = add_mesh("uv_sphere", name, segments=32, ring_count=16, radius=0.3)
        mark(thing, start)
        keyframe(thing, "hide_viewport", frames)
        keyframe(thing, "location", {101: (0, 0, 0), 108: (7, 0, 0)})
    keyframe(scene.objects["Push"].vorton.push, "strength", {101: 1.0, 108: 8.0})
    twice = add_mesh("uv_sphere", "Twice", segments=32, ring_count=16, radius=0.3)
    mark(twice, "TRACERS")
    twice.vorton.smoke.start, twice.vorton.smoke.use_end, twice.vorton.smoke.end = 0.05, True, 0.25
    keyframe(twice, "hide_viewport", there_from_to({101: True, 103: False, 106: True}))
    never = add_mesh("cube", "Never", size=0.5)
    mark(never, "BODY")
    never.hide_viewport = True
    plain, joined = exported(), export_scene(scene, "scene", joined_at=104)
    return {"scene": plain.scene.to_dict(), "warnings": plain.warnings, "names": plain.names,
            "joined": [body.to_dict() for body in joined.scene.bodies],
            "said": joined.warnings}  # fmt: skip


def turning(subframes):
    """Smoke on an arm of 1 m that turns by half a turn a frame, about the z axis."""
    scene = fresh(frames=5)
    scene.vorton.subframes = subframes
    scene.vorton.simulation.use_voxel, scene.vorton.simulation.voxel = True, 0.01
    hub = bpy.data.objects.new("hub", None)
    scene.collection.objects.link(hub)
    keyframe(hub, "rotation_euler", {1: (0, 0, 0), 5: (0, 0, 4 * np.pi)})
    nozzle = add_mesh("uv_sphere", "Nozzle", radius=0.02, location=(1, 0, 0))
    mark(nozzle, "TRACERS")
    nozzle.parent = hub
    breeze = field("WIND", "Breeze", strength=1.0, flow=0)
    keyframe(breeze.field, "strength", {1: 0.0, 5: 4.0})
    made = exported()
    return {"scene": made.scene.to_dict(), "warnings": made.warnings, "frames": made.frames}


def sheared(folder):
    """Vertices in the world, frame by frame, of objects that turn with uneven parents."""
    scene = fresh(frames=4)
    things = []
    for name, scale, start in (("Body", (1, 2, 3), "BODY"), ("Smoke", (1, -2, 1), "TRACERS")):
        parent = bpy.data.objects.new(f"above {name}", None)
        scene.collection.objects.link(parent)
        thing = add_mesh("ico_sphere", name, subdivisions=2, radius=0.5)
        mark(thing, start)
        thing.parent, parent.scale = parent, scale
        thing.rotation_euler, thing.location, thing.scale = (0.5, 0.3, 0.1), (1, 2, 3), (1, 1, 0.5)
        keyframe(parent, "rotation_euler", {1: (0, 0, 0), 4: (0.3, 0.9, 1.5)})
        keyframe(parent, "location", {1: (0, 0, 0), 4: (5, 0, 0)})
        things.append(thing)
    exported("sheared").scene.save(folder / "sheared.json")
    shown = [[], []]
    for frame in range(1, 5):
        scene.frame_set(frame)
        for found, thing in zip(shown, things):
            matrix = np.array(thing.matrix_world)
            vertices = np.array([tuple(v.co) for v in thing.data.vertices])
            found.append((vertices @ matrix[:3, :3].T + matrix[:3, 3]).tolist())
    return shown


def curves():
    """Volumes of a filled circle and of a text, whose faces share no vertices."""
    from vorton.geometry.meshes import mesh_volume

    fresh()
    bpy.ops.curve.primitive_bezier_circle_add(radius=1)
    circle = bpy.context.object
    circle.data.dimensions, circle.data.fill_mode, circle.data.extrude = "2D", "BOTH", 0.1
    circle.vorton.role = "BODY"
    bpy.ops.object.text_add(location=(0, 0, 3))
    text = bpy.context.object
    text.data.body, text.data.extrude, text.vorton.role = "-", 0.1, "SMOKE"
    made, size = exported().scene, [float(x) for x in text.dimensions]
    shapes = [made.bodies[0].shape, made.sources[0].shape]
    closed = [getattr(shape, "closed", True) for shape in shapes]
    volumes = [mesh_volume(shape.vertices, shape.faces) if hasattr(shape, "faces") else
               shape.volume for shape in shapes]
    return {"closed": closed, "volumes": volumes, "size": size}


def another_scene():
    """A scene that is not the one in the window: its objects move, too."""
    from vorton.hosts.blender.export import export_scene

    fresh()
    other = bpy.data.scenes.new("other")
    other.frame_start, other.frame_end = 1, 6
    thing = bpy.data.objects.new("There", None)
    other.collection.objects.link(thing)
    thing.vorton.role = "RING"
    keyframe(thing, "location", {1: (0, 0, 0), 6: (5, 0, 0)})
    made = export_scene(other, "other")
    return made.scene.sources[0].to_dict()["parent"]["position"]["values"]


def left_out():
    """Objects of collections that are disabled in viewports, or unticked; others inside of one."""
    scene, layer = fresh(), bpy.context.view_layer
    scene.vorton.simulation.use_voxel = True
    for name in ("There", "Disabled", "Unticked", "Inside", "Hidden", "Both"):
        collection = bpy.data.collections.new(name)
        above = bpy.data.collections["Unticked"] if name == "Inside" else scene.collection
        above.children.link(collection)
        thing = add_mesh("cube", name, size=0.5)
        scene.collection.objects.unlink(thing)
        collection.objects.link(thing)
        thing.vorton.role = "SMOKE"
    bpy.data.collections["There"].objects.link(bpy.data.objects["Both"])
    unticked = layer.layer_collection.children["Unticked"]
    unticked.exclude = True
    inside = sorted(exported().names.values())
    unticked.children["Inside"].exclude = False
    bpy.data.objects["Hidden"].hide_set(True)  # the eye, which is for a better view alone
    for name in ("Disabled", "Both"):
        bpy.data.collections[name].hide_viewport = True
    return {"ticked": inside, "names": sorted(exported().names.values())}


def stages(addon, folder):
    """The stage where there is no bake: once without an earlier stage, once with one."""
    scene, operators, said = fresh(), addon.operators, []
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "staged.blend"))
    scene = bpy.context.scene
    operator = types.SimpleNamespace(
        samples=2, size=50, report=lambda kind, text: said.append(text)
    )
    context = types.SimpleNamespace(scene=scene)
    operators.VORTON_OT_stage.execute(operator, context)
    none = "staged stage" not in bpy.data.collections
    with operators.as_stage(scene):
        scene.camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
        scene.collection.objects.link(scene.camera)
    camera = scene.camera
    assert operators.VORTON_OT_stage.execute(operator, context) == {"CANCELLED"}
    collection = bpy.data.collections["staged stage"]
    kept = list(collection.objects) == [camera]
    found = {"said": said[-1], "none": none, "kept": kept, "camera": scene.camera == camera}
    collection.objects.link(bpy.data.objects.new("own", None))
    with operators.as_stage(scene):
        scene.collection.objects.link(bpy.data.objects.new("another", None))
    found["again"] = [thing.name for thing in scene.objects]
    return found | {"around": rendered_around(addon, scene)}


def rendered_around(addon, scene):
    """Names of what the stage says hides smoke: of boxes around it, one of them not rendered, one
    with smoke on its skin; and of a body."""
    for name, role in (("Box", "SMOKE"), ("Gone", "SMOKE"), ("Log", "FIRE"), ("Ball", "BODY")):
        mark(add_mesh("cube", name, size=0.5), role)
    bpy.data.objects["Gone"].hide_render = bpy.data.objects["Log"].vorton.use_skin = True
    return addon.operators.rendered_around(scene)


def command(addon, folder):
    """What Export says, of a file with a blank in its name and a rate that is no whole number: with
    an archive, and with points in its place."""
    scene, said = fresh(), []
    scene.render.fps, scene.render.fps_base = 30, 1.001
    mark(add_mesh("cube", "Box", size=0.5), "SMOKE")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "zwei Worte.blend"))
    operator = types.SimpleNamespace(report=lambda kind, text: said.append(text))
    context = types.SimpleNamespace(scene=bpy.context.scene)
    for kept in (True, False):
        context.scene.vorton.keep_archive, context.scene.vorton.keep_points = kept, not kept
        assert addon.bakes.VORTON_OT_export.execute(operator, context) == {"FINISHED"}
    return said


def others(addon, folder):
    """Whether the folder is said to hold another bake, by what its manifest says."""
    import vorton as vt

    fresh(frames=1)
    thing = add_mesh("cube", "Box", size=0.2)
    mark(thing, "TRACERS")
    scene = bpy.context.scene
    scene.vorton.simulation.use_voxel, scene.vorton.simulation.voxel = True, 0.1
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "other.blend"))
    scene = bpy.context.scene
    made = exported("other")

    def holds(scene):
        return addon.bakes.holds_other(scene, made)

    found = {"empty": holds(scene)}
    place = addon.bakes.bake_folder(scene)
    vt.bake(made.scene, place, frames=(1, 1), fps=made.fps, tracers=False, progress=False)
    found["same"] = holds(scene)
    path = place / "other.json"
    whole = path.read_text()
    scene.vorton.keep_archive = False
    found["archive"] = holds(scene)
    scene.vorton.keep_archive, scene.vorton.keep_points = True, True
    found["points"] = holds(scene)
    scene.vorton.keep_points = False
    changes = {"vorton": "0.0.0", "build": "another", "fps": 12.5, "scene_sha256": "0"}
    for key, value in changes.items():
        path.write_text(json.dumps({**json.loads(whole), key: value}))
        found[key.removesuffix("_sha256")] = holds(scene)
    path.write_text(whole[: len(whole) // 2])
    found["damaged"] = holds(scene)
    asked = types.SimpleNamespace(invoke_confirm=lambda *_, **__: {"RUNNING_MODAL"})
    context = types.SimpleNamespace(scene=scene, window_manager=asked)
    operator = types.SimpleNamespace(overwrite=False, bl_label="Bake", report=print)
    began = addon.bakes.VORTON_OT_bake.invoke(operator, context, None)
    found["asked"] = began == {"RUNNING_MODAL"} and operator.overwrite
    found["once"] = operator.made.scene == made.scene
    return found


def what_scenes_are(addons, folder):
    sys.path.insert(0, addons)
    import vorton_extension as addon

    before, own = traces(), Path(bpy.app.tempdir).name
    with registered(addon):
        there = traces()
        all_presets(addon, folder)
        report = {"rare": rare(), "animated": animated()}
        report |= {"centimetres": centimetres(), "complaints": complaints()}
        report |= {"second": second(), "stages": stages(addon, folder)}
        report["others"] = others(addon, folder)
        report["left out"], report["commands"] = left_out(), command(addon, folder)
        report["deforming"] = deforming(folder)
        report["effectors"], report["not followed"] = effectors(), not_followed()
        report["another scene"], report["curves"] = another_scene(), curves()
        report["sheared"], report["switched"] = sheared(folder), switched()
        report["turning"] = {subframes: turning(subframes) for subframes in (1, 8)}
        fresh()
        report["unsaved"] = [str(addon.places.bake_folder(bpy.context.scene)), own]
    return report | {"before": before, "there": there, "after": traces()}


# ---- bakes ----


def shown_frames(scene, volume):
    """Which file the scene shows around its frames."""
    found = {}
    for frame in range(scene.frame_start - 1, scene.frame_end + 2):
        scene.frame_set(frame)
        volume.grids.load()
        found[frame] = Path(volume.grids.frame_filepath).name if len(volume.grids) else None
    return found


def center_of(thing):
    """Centroid of the density that is shown now, in the world."""
    volume = thing.data
    volume.grids.load()
    index, density = density_in(volume.grids.frame_filepath)
    center = density.astype(float) @ index / density.sum(dtype=float)
    placed = np.array(thing.matrix_world @ volume.grids["density"].matrix_object)
    return (placed @ [*center, 1])[:3]


def ball_of_smoke(start, length):
    """Smoke at rest in a ball off the middle: its volume must lie where the ball is."""
    scene = fresh(frames=2, start=start)
    scene.unit_settings.scale_length = length
    place = np.array((1.0, -2.0, 0.7)) / length
    thing = add_mesh("uv_sphere", "Ball", radius=0.4 / length, location=place)
    mark(thing, "TRACERS")
    thing.vorton.smoke.renew, thing.vorton.smoke.use_lifetime = 0, False
    settings = scene.vorton.simulation
    settings.use_voxel, settings.voxel = True, 0.1 / length
    return scene, place


def starts(folder):
    found = {}
    for start, length in ((1, 1.0), (0, 1.0), (101, 0.01)):
        scene, place = ball_of_smoke(start, length)
        path = folder / f"fängt an {start}" / "räuch.blend"
        path.parent.mkdir()
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        assert bpy.ops.vorton.bake() == {"FINISHED"}
        shown = scene.vorton.result
        found[start] = {"frames": shown_frames(scene, shown.data), "path": shown.data.filepath}
        scene.frame_set(start)
        bpy.context.view_layer.update()
        off = (center_of(shown) - place) * length / 0.1  # voxels
        found[start] |= {"off": off.tolist(), "objects": len(scene.objects)}
        scene.frame_set(start + 50)  # where the bake shows nothing
        with warnings.catch_warnings(record=True) as said:
            scene.vorton.folder = "//vorton"
        assert bpy.ops.vorton.bake() == {"FINISHED"}  # goes on with what is whole
        found[start] |= {"again": len(scene.objects), "said": list(map(str, said))}
        found[start]["velocity"] = shown.data.velocity_grid
    return found


def driven_by_hand(addon, folder):
    """The operator with a window, by stand-ins: it starts, passes events on, and can be ended."""
    scene, _ = ball_of_smoke(1, 1.0)
    scene.frame_end = 400
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "hand.blend"))
    bakes, said = addon.bakes, []
    timers = types.SimpleNamespace(
        event_timer_add=lambda *_, **__: "timer", event_timer_remove=said.append,
        modal_handler_add=lambda _: None, windows=[],
    )  # fmt: skip
    context = types.SimpleNamespace(scene=scene, window=None, window_manager=timers)
    operator = types.SimpleNamespace(overwrite=False, report=lambda *message: said.append(message))
    operator.finish = types.MethodType(bakes.VORTON_OT_bake.finish, operator)
    app, bakes.bpy.app = bpy.app, types.SimpleNamespace(background=False)
    try:
        began = bakes.VORTON_OT_bake.execute(operator, context)
    finally:
        bakes.bpy.app = app
    steps = [began]

    def event(kind):
        happened = types.SimpleNamespace(type=kind)
        steps.append(bakes.VORTON_OT_bake.modal(operator, context, happened))

    event("MOUSEMOVE")
    while bakes.Running.job.done < 3:
        event("TIMER")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "hand 2.blend"))  # as one does meanwhile
    scene.name = "renamed"
    refused = bakes.VORTON_OT_bake.poll(context)
    bakes.VORTON_OT_cancel.execute(operator, context)
    while bakes.Running.job is not None:
        event("TIMER")
    kinds = [sorted(step)[0] for step in steps]
    return {"began": kinds[0], "between": sorted(set(kinds[1:-1])), "ended": kinds[-1],
            "refused": not refused, "said": [str(text) for text in said],
            "frames": scene.vorton.result.data.frame_duration}  # fmt: skip


def redrawn(addon):
    """Which regions are drawn again while a bake goes on."""
    found = []

    def region(area, kind):
        tag = types.SimpleNamespace(type=kind)
        tag.tag_redraw = lambda: found.append([area, kind])
        return tag

    kinds = {"VIEW_3D": ("HEADER", "WINDOW", "UI"), "PROPERTIES": ("HEADER", "WINDOW")}
    kinds["INFO"] = ("WINDOW",)
    areas = [
        types.SimpleNamespace(type=area, regions=[region(area, kind) for kind in each])
        for area, each in kinds.items()
    ]
    window = types.SimpleNamespace(screen=types.SimpleNamespace(areas=areas))
    manager = types.SimpleNamespace(windows=[window])
    addon.bakes.redraw(types.SimpleNamespace(window_manager=manager))
    return found


def campfire(folder):
    """One click, a bake, a stage and a picture."""
    scene = fresh()
    bpy.ops.vorton.add(preset="campfire", frames=14)
    settings = scene.vorton.simulation
    settings.voxel = 0.04
    bpy.context.object.vorton.emitter.per_voxel = 8
    path = folder / "ein Feuer ä.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    looks, display = looks_of_bakes(scene)
    gone_to = scene.frame_current
    assert bpy.ops.vorton.export() == {"FINISHED"}
    for _ in range(2):  # in the place of the first
        assert bpy.ops.vorton.stage(samples=2, size=100) == {"FINISHED"}
    stage = bpy.data.collections[f"{path.stem} stage"].objects
    lamp = next(thing for thing in stage if thing.name.startswith("firelight")).data
    energies = []
    for frame in (scene.frame_start, scene.frame_end):
        scene.frame_set(frame)
        energies.append(lamp.energy)
    scene.render.resolution_x, scene.render.resolution_y = 60, 90
    scene.frame_set(scene.frame_end)
    scene.render.filepath = str(folder / "campfire.png")
    bpy.ops.render.render(write_still=True)
    shown = scene.vorton.result
    found = [path.name for path in (folder / "vorton" / "ein Feuer ä").iterdir()]
    names = sorted(thing.name.split(".")[0] for thing in stage)
    eevee = {name: getattr(scene.eevee, name) for name in dir(scene.eevee) if "volu" in name}
    return {"eevee": eevee, "eye": scene.camera.location.y,
            "velocity": [shown.data.velocity_grid, shown.data.velocity_unit],
            "files": sorted(found), "materials": len(shown.data.materials),
            "stage": names, "energies": energies, "looks": looks, "display": display,
            "frame": gone_to, "denoised": scene.cycles.use_denoising}  # fmt: skip


def looks_of_bakes(scene):
    """The strengths of the material after a bake of 3 frames, one that goes on to the end, and one
    more once somebody has set the density; the densities in solid views then, and once they were
    set, too."""
    from vorton.hosts.blender import volumes
    from vorton.hosts.blender.materials import look_of

    found, last, display = [], scene.frame_end, []
    for end in (3, last, last):
        scene.frame_end = end
        if len(found) == 2:
            material = scene.vorton.result.data.materials[0]
            volume = next(n for n in material.node_tree.nodes if "Density" in n.inputs)
            volume.inputs["Density"].default_value = 7
        assert bpy.ops.vorton.bake() == {"FINISHED"}
        look = look_of(scene.vorton.result)
        found.append([look.density, look.emission])
        display.append(scene.vorton.result.data.display.density)
    shown = scene.vorton.result.data
    for noted in (True, False):  # as somebody has set it; as a vorton of before has left it
        shown.display.density = 1
        if not noted:
            del shown[volumes.FOLLOWED]
        assert bpy.ops.vorton.show() == {"FINISHED"}
        display.append(shown.display.density)
    return found, display


def failing(addon, folder):
    """An error of the bake itself: it names the object."""
    scene = fresh()
    for name in ("Outer", "Inner"):
        thing = add_mesh("uv_sphere", name, radius=0.3)
        mark(thing, "BODY")
        thing.vorton.body.use_density = True
    scene.vorton.simulation.use_voxel = True
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "bad.blend"))
    said = []
    operator = types.SimpleNamespace(overwrite=True, report=lambda kind, text: said.append(text))
    operator.finish = types.MethodType(addon.bakes.VORTON_OT_bake.finish, operator)
    context = types.SimpleNamespace(
        scene=scene, window_manager=types.SimpleNamespace(windows=[]), window=None
    )
    ended = addon.bakes.VORTON_OT_bake.execute(operator, context)
    return {"ended": sorted(ended)[0], "said": said, "objects": len(scene.objects)}


def empty_at_first(folder):
    """Smoke from the third frame of 0 to 4 on: where it is, and what is shown before."""
    scene, place = ball_of_smoke(0, 1.0)
    bpy.data.objects["Ball"].vorton.smoke.start = 1.5 / 24
    scene.frame_end = 4
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "leer.blend"))
    assert bpy.ops.vorton.bake() == {"FINISHED"}
    shown, found = scene.vorton.result, {}
    for frame in range(5):
        scene.frame_set(frame)
        shown.data.grids.load()
        path = Path(shown.data.grids.frame_filepath)
        found[frame] = [path.name, [grid.name for grid in shown.data.grids]]
    bpy.context.view_layer.update()
    look = shown.data.materials[0].node_tree.nodes
    density = next(n for n in look if "Density" in n.inputs).inputs["Density"].default_value
    off = (center_of(shown) - place) / 0.1  # voxels
    return {"frames": found, "off": off.tolist(), "density": density,
            "velocity": shown.data.velocity_grid}  # fmt: skip


def nothing_yet(folder):
    """Bakes that show nothing, and no folder."""
    scene, _ = ball_of_smoke(1, 1.0)
    bpy.data.objects["Ball"].vorton.smoke.start = 9
    scene.vorton.folder = ""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "later.blend"))
    assert bpy.ops.vorton.bake() == {"FINISHED"}
    return {"objects": [thing.name for thing in scene.objects],
            "files": sorted(path.name for path in (folder / "later").iterdir())}  # fmt: skip


def failing_later(addon, folder):
    """A bake that fails at its fourth frame: what was whole before is shown."""
    scene, _ = ball_of_smoke(1, 1.0)
    scene.frame_end = 9
    bakes, said = addon.bakes, []
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "full.blend"))
    ball = bpy.data.objects["Ball"].vorton.smoke
    ball.renew = 1
    export, most = bakes.export_scene, 200

    def limited(*arguments):
        made = export(*arguments)
        made.scene.max_tracers = most
        return made

    operator = types.SimpleNamespace(overwrite=False, report=lambda kind, text: said.append(text))
    operator.finish = types.MethodType(bakes.VORTON_OT_bake.finish, operator)
    context = types.SimpleNamespace(
        scene=scene, window_manager=types.SimpleNamespace(windows=[]), window=None
    )
    bakes.export_scene = limited
    try:
        ended = bakes.VORTON_OT_bake.execute(operator, context)
    finally:
        bakes.export_scene = export
    shown = scene.vorton.result
    return {"ended": sorted(ended)[0], "said": said,
            "frames": shown and shown.data.frame_duration}  # fmt: skip


def box_of(thing, frame):
    """Least and largest corner of the volume that the scene shows at a frame."""
    bpy.context.scene.frame_set(frame)
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    corners = np.array(shown.bound_box)
    return corners.min(0).tolist(), corners.max(0).tolist()


def said_by(operator, **values):
    """What an operator that is called as a button calls it says where it refuses."""
    try:
        return sorted(operator(**values))
    except RuntimeError as error:
        return str(error)


class Layout:
    """A stand-in of Blender's: the texts of a panel in their order, those of what cannot be pressed
    in brackets. That what it shows is there, it takes from the data themselves."""

    def __init__(self, texts):
        self.texts, self.enabled = texts, True

    def column(self, **_):
        return Layout(self.texts)

    row = column

    def label(self, text, **_):
        self.texts.append(text if self.enabled else f"({text})")

    def operator(self, name, text="", **_):
        group, name = name.split(".")
        self.label(text or getattr(getattr(bpy.ops, group), name).get_rna_type().name)
        return types.SimpleNamespace()

    def prop(self, data, name, **_):
        getattr(data, name)

    def separator(self):
        pass

    def menu(self, name, **_):
        self.label(getattr(bpy.types, name).bl_label)


def panel_of(addon, frame=None):
    """What the panel of the bake says, at a frame."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    addon.panels.draw_bake(layout := Layout([]), bpy.context)
    return layout.texts


def folders_of(addon):
    """What the menu of bakes offers."""
    menu = types.SimpleNamespace(layout=Layout([]))
    addon.panels.VORTON_MT_bakes.draw(menu, bpy.context)
    return menu.layout.texts


def refused_by_both(addon, scene):
    """What keeps a bake from being gone on with: what the panel says below its button, and what the
    button does."""
    found, archive = {}, next(addon.bakes.bake_folder(scene).glob("*.vta"))

    def look(what):
        texts = panel_of(addon)
        button = next(n for n, text in enumerate(texts) if "Bake from" in text)
        found[what] = [texts[button : button + 2], said_by(bpy.ops.vorton.bake_from)]

    scene.render.fps = 25
    look("rate")
    scene.render.fps, scene.vorton.keep_points = 24, True
    look("points")
    scene.vorton.keep_points, scene.frame_start = False, 10
    look("start")
    scene.frame_start, whole = 11, archive.read_bytes()
    archive.unlink()
    archive.write_bytes(b"x" * 99)
    look("archive")
    archive.unlink()
    archive.write_bytes(whole)
    return found


def linked_folders(addon, scene, folder):
    """What the menu offers where another name leads to the bake that the scene shows, and where the
    text in Folder is not the shortest."""
    (folder / "latest").symlink_to(folder / "vorton from 14")
    found, before = [], scene.vorton.folder
    for text in ("//latest", "//latest/../vorton"):
        scene.vorton.folder = text
        found.append(folders_of(addon))
    scene.vorton.folder = before
    (folder / "latest").unlink()
    return found


def digests(place):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in place.iterdir()}


def from_here(addon, folder):
    """A bake whose scene is changed at frame 14 of 11 to 16: into a branch, and in its place."""
    scene, _ = ball_of_smoke(11, 1.0)
    scene.frame_end = 16
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "from here.blend"))
    scene.frame_set(14)
    found = {"nothing": said_by(bpy.ops.vorton.bake_from), "panels": {"before": panel_of(addon)}}
    scene.frame_end = 13
    assert bpy.ops.vorton.bake() == {"FINISHED"}
    scene.frame_end = 16
    found["panels"]["part"] = panel_of(addon, 14)
    assert bpy.ops.vorton.bake() == {"FINISHED"}
    found["panels"] |= {"first": panel_of(addon, 11), "whole": panel_of(addon, 14)}
    scene.vorton.keep_archive = False
    found["panels"]["no archive"] = panel_of(addon)
    scene.vorton.keep_archive = True
    found["both"] = refused_by_both(addon, scene)
    shown, place = scene.vorton.result, addon.bakes.bake_folder(scene)
    found |= {"before": digests(place), "box": box_of(shown, 16)}
    shutil.copytree(place, folder / "origin")
    scene.vorton.simulation.wind = (24, 0, 0)
    for frame in (11, 18, 14):
        scene.frame_set(frame)
        found[frame] = said_by(bpy.ops.vorton.bake_from)
    found["kept"] = digests(place) == found["before"]
    said = []
    operator = types.SimpleNamespace(overwrite=False, bl_label="", report=lambda *s: said.append(s))
    asked = types.SimpleNamespace(invoke_confirm=lambda *_, **how: said.append(how["message"]))
    context = types.SimpleNamespace(scene=scene, window_manager=asked)
    addon.bakes.VORTON_OT_bake_from.invoke(operator, context, None)
    found["asked"] = list(said)
    found["branch"] = said_by(bpy.ops.vorton.branch)
    found["folder"], branch = scene.vorton.folder, addon.bakes.bake_folder(scene)
    found["branched"] = digests(branch)
    found["moved"] = [box_of(shown, 13), box_of(shown, 16)]
    found["panels"]["branch"], found["menu"] = panel_of(addon, 14), folders_of(addon)
    found["links"] = linked_folders(addon, scene, folder)
    said_by(bpy.ops.vorton.show, folder="//vorton")
    found["chosen"] = [scene.vorton.folder, box_of(shown, 16), folders_of(addon)]
    found["chosen"] += [said_by(bpy.ops.vorton.show, folder="//none"), scene.vorton.folder]
    said_by(bpy.ops.vorton.show, folder="//vorton from 14")
    scene.frame_set(14)
    scene.vorton.folder = "//vorton"
    scene.vorton.simulation.seed = 7
    found["refused"] = [said_by(bpy.ops.vorton.branch), scene.vorton.folder]
    scene.vorton.simulation.seed = vt_default("seed")
    found["show"] = said_by(bpy.ops.vorton.show)
    found["back"] = box_of(shown, 16)
    scene.frame_set(14)
    found["again"] = said_by(bpy.ops.vorton.bake_from, overwrite=True)
    found |= {"after": digests(place), "here": box_of(shown, 16)}
    operator.execute = lambda _: said.append("runs")
    for frame in (13, 14):  # the bake has left the other scene at 14
        said.clear()
        scene.frame_set(frame)
        addon.bakes.VORTON_OT_bake_from.invoke(operator, context, None)
        found[f"unchanged {frame}"] = [s if isinstance(s, str) else s[1] for s in said]
    found["other"] = addon.bakes.holds_other(scene, exported("from here"))
    job = types.SimpleNamespace(cancelled=True, done=2, total=3)  # it had 3 frames to make
    addon.bakes.show_whole(operator, scene, job, 6)
    found["said"] = said[-1][1]
    return found | {"version": as_another_version(addon, folder, place)}


def vertices_of(thing):
    """In the world."""
    matrix = np.array(thing.matrix_world)
    vertices = np.array([tuple(vertex.co) for vertex in thing.data.vertices])
    return vertices @ matrix[:3, :3].T + matrix[:3, 3]


def falling_stone(folder, name):
    """A stone above the ground, which falls through air, 10 cm a unit, and its scene."""
    scene = fresh(frames=8, start=5)
    scene.unit_settings.scale_length, scene.gravity = 0.1, (0, 0, -98.1)
    scene.vorton.simulation.use_voxel, scene.vorton.simulation.voxel = True, 1
    parent = bpy.data.objects.new("above", None)
    scene.collection.objects.link(parent)
    parent.scale = (1, 1, 2)
    stone = add_mesh("cube", "Stone", size=5, location=(3, 4, 50), rotation=(0.3, 0.2, 0))
    stone.parent = parent
    stone.modifiers.new("Collision", "COLLISION")
    mark(stone, "BODY")
    stone.vorton.body.use_density, stone.vorton.body.density = True, 2500
    mark(add_mesh("uv_sphere", "Smoke", radius=2, location=(0, 0, 2)), "TRACERS")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{name}.blend"))
    return bpy.context.scene, stone


def places_of(stone, frames):
    """Where its copy and the stone itself are in some frames."""
    found = {"frames": frames, "shown": [], "marked": []}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found["shown"].append(vertices_of(bpy.data.objects["Stone baked"]).tolist())
        found["marked"].append(vertices_of(stone).tolist())
    return found


def falling(folder):
    """A stone that falls: what shows it, and where."""
    scene, stone = falling_stone(folder, "falling")
    said = said_by(bpy.ops.vorton.bake)
    found = places_of(stone, [5, 8, 12]) | {"said": said}
    shown = bpy.data.objects["Stone baked"]
    found["rendered"] = [thing.hide_render for thing in (stone, shown)]
    found["bodies"] = len(exported("falling").scene.bodies)
    scene.frame_set(7)
    assert bpy.ops.vorton.show() == {"FINISHED"}
    found["frame"] = scene.frame_current
    found["objects"] = sorted(thing.name for thing in scene.objects)
    stone.vorton.body.use_density = False
    assert bpy.ops.vorton.bake(overwrite=True) == {"FINISHED"}
    found |= {"then": sorted(thing.name for thing in scene.objects), "hidden": stone.hide_render}
    return found


def joining(addon, folder):
    """A stone that falls from frame 7 of 5 to 12 on: it is none of the bodies before, because it is
    disabled in viewports."""
    scene, stone = falling_stone(folder, "joining")
    for what in ("hide_viewport", "hide_render"):
        keyframe(stone, what, there_from_to({5: False, 8: True}))
    keyframe(stone, "location", {5: (9, 9, 9), 8: stone.location.copy()})
    before = said_by(bpy.ops.vorton.bake)
    scene.frame_set(8)
    said = said_by(bpy.ops.vorton.bake_from, overwrite=True)
    found = places_of(stone, [8, 10, 12]) | {"before": before, "said": said}
    scene.frame_set(5)
    place = addon.bakes.bake_folder(scene)
    files = digests(place)
    found["again"] = said_by(bpy.ops.vorton.bake)
    found["same"] = digests(place) == files
    scene.vorton.simulation.wind = (1, 0, 0)  # another scene, which is baked from the start
    made, other = addon.bakes.export_to_go_on(scene)
    found |= {"other": other, "bodies": len(made.scene.bodies), "hidden": {}}
    for frame in (5, 6, 8, 12):
        scene.frame_set(frame)
        shown = bpy.data.objects["Stone baked"]
        found["hidden"][frame] = [shown.hide_viewport, shown.hide_render, stone.hide_render]
    scene.frame_end = 6
    assert bpy.ops.vorton.bake(overwrite=True) == {"FINISHED"}
    scene.frame_set(8)
    return found | {"then": [stone.hide_render, stone.display_type]}


def look_of(thing):
    return [thing.hide_render, thing.display_type]


def delete_by_key(thing):
    with bpy.context.temp_override(selected_objects=[thing], active_object=thing):
        assert bpy.ops.object.delete() == {"FINISHED"}


def kept_things(folder):
    """Own things beside those that show a bake, and copies that are deleted."""
    scene, stone = falling_stone(folder, "kept")
    stone.display_type, scene.frame_end = "SOLID", 6
    own = bpy.data.collections.new("kept bodies")
    scene.collection.children.link(own)
    own.objects.link(bpy.data.objects.new("Statue", None))
    assert bpy.ops.vorton.bake() == {"FINISHED"}
    shown = bpy.data.objects["Stone baked"]
    collection, twin, kept = shown.users_collection[0], stone.copy(), shown.copy()
    collection.name, twin.name, kept.name = "mine", "Stone twin", "Stone kept"
    for thing in (bpy.data.objects.new("Own", None), stone, twin, kept):
        collection.objects.link(thing)
    scene.collection.objects.unlink(stone)
    twin.vorton.role = "NONE"
    twin.modifiers.clear()  # it is no collider
    assert bpy.ops.vorton.show() == {"FINISHED"}
    shown = bpy.data.objects["Stone baked"]
    found = {"again": [thing.name for thing in scene.objects], "deleted": []}
    found |= {"own": [thing.name for thing in own.objects], "twin": look_of(twin)}
    found["collection"] = shown.users_collection[0].name
    for delete in (delete_by_key, bpy.data.objects.remove):
        delete(bpy.data.objects["Stone baked"])
        assert bpy.ops.vorton.show() == {"FINISHED"}
        found["deleted"].append([look_of(bpy.data.objects["Stone baked"]), look_of(stone)])
    bpy.data.objects.remove(bpy.data.objects["Stone baked"])
    stone.vorton.body.use_density = False
    assert bpy.ops.vorton.bake(overwrite=True) == {"FINISHED"}
    found |= {"then": [thing.name for thing in scene.objects], "last": look_of(stone)}
    return found


def what_bodies_are(addons, folder):
    sys.path.insert(0, addons)
    import vorton_extension as addon

    with registered(addon):
        return {
            "falling": falling(folder),
            "joining": joining(addon, folder),
            "kept": kept_things(folder),
        }


def kept_points(addon, folder):
    """The points a scene of 10 cm a unit shows, frame by frame, and once it is opened again."""
    scene, _ = ball_of_smoke(101, 0.1)
    scene.vorton.keep_points, scene.vorton.simulation.wind = True, (3, 0, 0)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "points.blend"))
    scene = bpy.context.scene
    found = {"said": said_by(bpy.ops.vorton.bake)}

    def look(frame):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        mesh = scene.vorton.points.data
        data = {"co": np.array([tuple(vertex.co) for vertex in mesh.vertices])}
        for name, key in (("velocity", "vector"), ("radius", "value"), ("density", "value")):
            if name in mesh.attributes:
                layer = mesh.attributes[name].data
                data[name] = np.zeros(len(layer) * (3 if key == "vector" else 1), np.float32)
                layer.foreach_get(key, data[name])
        shown = scene.vorton.points.evaluated_get(graph)
        if hasattr(shown, "evaluated_geometry"):  # from Blender 4.5 on
            geometry = shown.evaluated_geometry()
            cloud = geometry.pointcloud
            data["balls"] = np.array(len(cloud.points) if cloud else 0)
        return {name: value.tolist() for name, value in data.items()}

    found["frames"] = {frame: look(frame) for frame in (100, 101, 102, 103)}
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(folder / "points.blend"))
    scene = bpy.context.scene
    found["again"] = look(102) == found["frames"][102]
    found["rendered"] = not scene.vorton.points.hide_render
    scene.frame_set(102)
    found["untick"] = [scene.vorton.keep_points]
    shutil.copytree(addon.bakes.bake_folder(scene), folder / "kept points")
    scene.vorton.keep_points = False
    found["untick"].append(said_by(bpy.ops.vorton.bake_from))
    assert bpy.ops.vorton.bake(overwrite=True) == {"FINISHED"}
    found["then"] = [thing.name for thing in scene.objects]
    return found


def new_grids(addon, folder):
    """Fire in the place of smoke: what Blender does not know of is said."""
    from vorton import Manifest

    scene, _ = ball_of_smoke(1, 1.0)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "warm.blend"))
    assert bpy.ops.vorton.bake() == {"FINISHED"}
    mark(bpy.data.objects["Ball"], "SMOKE")
    said = []
    operator = types.SimpleNamespace(overwrite=True, report=lambda kind, text: said.append(text))
    operator.finish = types.MethodType(addon.bakes.VORTON_OT_bake.finish, operator)
    manager = types.SimpleNamespace(windows=[])
    context = types.SimpleNamespace(scene=scene, window_manager=manager, window=None)
    assert addon.bakes.VORTON_OT_bake.execute(operator, context) == {"FINISHED"}
    scene.frame_set(2)
    shown = scene.vorton.result.data
    shown.grids.load()
    written = Manifest.find(addon.places.bake_folder(scene)).data["volumes"]["grids"]
    return {"shown": [grid.name for grid in shown.grids], "written": list(written.values()),
            "said": said}  # fmt: skip


def as_another_version(addon, folder, place):
    """The file under another name: its smoke is that of the first one, and is gone on from."""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "zweite Fassung.blend"))
    scene = bpy.context.scene
    before = digests(place)
    found = {"stage": said_by(bpy.ops.vorton.stage, samples=1)}
    scene.vorton.simulation.wind = (0, 0, 24)
    scene.frame_set(15)
    found["baked"] = said_by(bpy.ops.vorton.bake_from)
    new = addon.bakes.bake_folder(scene)
    found |= {"kept": digests(place) == before, "box": box_of(scene.vorton.result, 16)}
    found["same"] = [
        digests(new)[f"zweite Fassung_{n:04d}.vdb"] == before[f"from here_{n:04d}.vdb"]
        for n in range(1, 7)
    ]
    return found


def vt_default(name):
    import vorton as vt

    return getattr(vt.Scene(), name)


def what_bakes_are(addons, folder):
    sys.path.insert(0, addons)
    import vorton_extension as addon

    with registered(addon):
        report = {"starts": starts(folder), "campfire": campfire(folder)}
        return report | {
            "modal": driven_by_hand(addon, folder),
            "redrawn": redrawn(addon),
            "failing": failing(addon, folder),
            "failing later": failing_later(addon, folder),
            "nothing yet": nothing_yet(folder),
            "empty at first": empty_at_first(folder),
            "from here": from_here(addon, folder),
            "new grids": new_grids(addon, folder),
            "points": kept_points(addon, folder),
        }


BAKED = ("campfire", "explosion", "plume", "ring")


def what_presets_bake(addons, folder):
    """Three frames of presets that one looks for first, as they come: what the last one shows."""
    sys.path.insert(0, addons)
    import vorton_extension as addon

    found = {}
    with registered(addon):
        for name in BAKED:
            fresh()
            path = folder / f"{name}.blend"
            bpy.ops.wm.save_as_mainfile(filepath=str(path))
            assert bpy.ops.vorton.add(preset=name, frames=3) == {"FINISHED"}
            scene = bpy.context.scene
            assert bpy.ops.vorton.bake() == {"FINISHED"}, name
            scene.frame_set(3)
            grids = scene.vorton.result.data.grids
            grids.load()
            _, density = density_in(grids.frame_filepath)
            found[name] = {
                "frames": scene.vorton.result.data.frame_duration,
                "file": Path(grids.frame_filepath).name,
                "grids": sorted(grid.name for grid in grids),
                "smoke": float(density.sum(dtype=float)) * scene.vorton.simulation.voxel**3,
            }
    return found


def campfire_to_kill(addons, folder):
    """A bake of a file that is made, or was before; it takes some seconds."""
    sys.path.insert(0, addons)
    import vorton_extension as addon

    path = folder / "ein Feuer das ausgeht.blend"
    with registered(addon):
        if path.exists():
            bpy.ops.wm.open_mainfile(filepath=str(path))
        else:
            scene = fresh()
            bpy.ops.vorton.add(preset="campfire", frames=24)
            scene.vorton.simulation.voxel = 0.05
            bpy.ops.wm.save_as_mainfile(filepath=str(path))
        report = {"baked": sorted(bpy.ops.vorton.bake())}
        return report | {"frames": bpy.context.scene.vorton.result.data.frame_duration}


# ---- the zip ----


def what_is_installed(archive, folder):
    install = bpy.ops.extensions.package_install_files
    installed = install(repo="user_default", filepath=archive, enable_on_install=True)
    import vorton

    report = {"installed": sorted(installed), "vorton": vorton.__file__, "there": traces()}
    report["enabled"] = "bl_ext.user_default.vorton" in bpy.context.preferences.addons
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    report["clicks"] = [sorted(bpy.ops.vorton.add(preset="campfire", frames=10))]
    scene, emitter = bpy.context.scene, bpy.context.object.vorton.emitter
    scene.vorton.simulation.voxel, emitter.per_voxel = 0.04, 8
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "ein Feuer ä.blend"))
    report["clicks"] += [sorted(bpy.ops.vorton.bake()), sorted(bpy.ops.vorton.stage(samples=2))]
    report["frames"] = scene.vorton.result.data.frame_duration
    scene.render.resolution_x, scene.render.resolution_y = 120, 180  # of which a half
    scene.frame_set(scene.frame_end)
    scene.render.filepath = str(folder / "campfire.png")
    bpy.ops.render.render(write_still=True)
    repos = bpy.context.preferences.extensions.repos
    number = next(i for i, repo in enumerate(repos) if repo.module == "user_default")
    removed = bpy.ops.extensions.package_uninstall(repo_index=number, pkg_id="vorton")
    return report | {"removed": sorted(removed), "after": traces()}


def main(what, result, place, folder):
    works = {"scene": what_scenes_are, "bake": what_bakes_are, "bodies": what_bodies_are}
    works |= {"install": what_is_installed, "kill": campfire_to_kill}
    works |= {"presets": what_presets_bake}
    report = works[what](place, Path(folder))
    report["version"] = bpy.app.version_string
    with open(result + ".part", "w", encoding="utf-8") as file:
        json.dump(report, file)
    os.replace(result + ".part", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
