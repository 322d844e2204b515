"""Smoke by EEVEE, which needs a window: a small picture of a bake, by the stage that Set up render
makes, before a world of one colour.

    xvfb-run -a blender --factory-startup --python-use-system-env \\
        --python tests/hosts/eevee_in_window.py -- FOLDER

A command of its own, as bake_in_window.py is. It leaves the picture in FOLDER, and prints what is
in it, and "passed" or what was wrong.
"""

import sys
from pathlib import Path

import bpy

bpy.context.preferences.view.show_splash = False
SIZE, WORLD = 48, 0.5
LEAST = 0.05  # by which smoke must differ from the world behind it

sys.path.insert(0, str(Path(__file__).parent))
from bake_in_window import FOLDER, in_view, main  # noqa: E402
from real_mouse import image_at  # noqa: E402


def bake_a_ball(running):
    """Smoke in a ball, a metre wide."""
    with in_view():
        bpy.ops.mesh.primitive_uv_sphere_add("EXEC_DEFAULT", radius=0.5)
        bpy.ops.vorton.mark("EXEC_DEFAULT", True, start="TRACERS")
    bpy.context.object.hide_render = True  # what is born in it is to be seen
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 2
    settings = scene.vorton.simulation
    settings.use_voxel, settings.voxel = True, 0.05
    with in_view():
        bpy.ops.vorton.bake("INVOKE_DEFAULT", True)
    while running.job is not None:
        yield 0.1
    yield 0.3


def picture(name):
    """Of the ball before the world, by EEVEE; red, green and blue as they are, not as they look."""
    scene, path = bpy.context.scene, FOLDER / f"{name}.png"
    engines = bpy.types.RenderSettings.bl_rna.properties["engine"].enum_items.keys()
    scene.render.engine = next(name for name in engines if "EEVEE" in name)
    scene.view_settings.view_transform = "Raw"
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.resolution_percentage, scene.render.filepath = 100, str(path)
    with in_view():
        bpy.ops.render.render("EXEC_DEFAULT", write_still=True)
    return image_at(path)


def check(addon):
    """The steps; each yield gives Blender so many seconds for its events."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / "smoke.blend"))
    yield 0.3
    yield from bake_a_ball(addon.bakes.Running)
    with in_view():
        bpy.ops.vorton.stage("EXEC_DEFAULT", True)
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("plain")
    scene.world.use_nodes = False
    scene.world.color = (WORLD,) * 3
    scene.frame_set(scene.frame_end)  # at the start no smoke has been born
    scene.vorton.result.hide_render = True
    bare = picture("without")
    scene.vorton.result.hide_render = False
    seen = picture("smoke")
    third = slice(SIZE // 3, 2 * SIZE // 3)
    middle, corner = seen[third, third].mean(), seen[:6, :6].mean()
    engine = scene.render.engine
    print(f"{engine}: middle {middle:.3f}, corner {corner:.3f}, bare {bare.mean():.3f}")
    assert abs(bare - bare[0, 0]).max() < 0.02, "the world is not of one colour"
    assert abs(corner - bare.mean()) < 0.02
    assert abs(middle - corner) > LEAST, "no smoke is to be seen"
    addon.unregister()


main(check)
