"""Undo and redo of a first bake, in a window of Blender: of all that it has added to the scene.

    xvfb-run -a blender --factory-startup --python-use-system-env \\
        --python tests/hosts/undo_in_window.py -- FOLDER

A command of its own, as bake_in_window.py is. It prints what it saw, and "passed" or what was
wrong.
"""

import sys
from pathlib import Path

import bpy

bpy.context.preferences.view.show_splash = False
FRAMES = 4

sys.path.insert(0, str(Path(__file__).parent))
from bake_in_window import FOLDER, expect, in_view, main, names  # noqa: E402


def set_up():
    """Smoke, and a ball that the flow moves; points are kept."""
    with in_view():
        bpy.ops.mesh.primitive_uv_sphere_add("EXEC_DEFAULT", True, radius=0.5)
        bpy.ops.vorton.mark("EXEC_DEFAULT", True, start="TRACERS")
        bpy.ops.object.select_all("EXEC_DEFAULT", action="DESELECT")
        bpy.ops.mesh.primitive_uv_sphere_add(
            "EXEC_DEFAULT", True, radius=0.3, location=(0, 0, 2)
        )
        bpy.context.object.name = "Ball"
        bpy.ops.vorton.mark("EXEC_DEFAULT", True, start="BODY")
    body = bpy.data.objects["Ball"].vorton.body
    body.use_density, body.density = True, 500
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    settings, scene.vorton.keep_points = scene.vorton.simulation, True
    settings.use_voxel, settings.voxel = True, 0.1
    bpy.ops.ed.undo_push(message="set up")


def shown():
    """What the scene knows of its bake, and how the ball is drawn."""
    scene = bpy.context.scene
    about = [t.name if t is not None else None for t in (scene.vorton.result, scene.vorton.points)]
    collections = sorted(each.name for each in bpy.data.collections if each.name != "Collection")
    return about, collections, bpy.data.objects["Ball"].display_type


def heights():
    """Of the copy of the ball at the first and the last frame."""
    scene, copy, found = bpy.context.scene, bpy.data.objects["Ball baked"], []
    for frame in (scene.frame_start, scene.frame_end):
        scene.frame_set(frame)
        found.append(round(copy.matrix_world.translation.z, 5))
    return found


def check(addon):
    """The steps; each yield gives Blender so many seconds for its events."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / "undone.blend"))
    yield 0.3
    set_up()
    yield 0.3
    before, bare = names(), shown()
    expect("before", (before, bare), (["Ball", "Sphere"], ([None, None], [], "TEXTURED")))
    with in_view():
        began = bpy.ops.vorton.bake("INVOKE_DEFAULT", True)
    expect("began", began, {"RUNNING_MODAL"})
    while addon.bakes.Running.job is not None:
        yield 0.1
    yield 0.5
    baked, about, fell = names(), shown(), heights()
    new = ["Ball baked", "Ball motion", "undone", "undone points"]
    expect("baked", baked, sorted([*before, *new]))
    expect("shown", about[0], ["undone", "undone points"])
    expect("the ball falls", fell[1] < fell[0] == 2, True)
    yield 0.3
    for turn in range(2):
        with in_view():
            bpy.ops.ed.undo()
        yield 0.5
        expect(f"undone, {turn}", (names(), shown()), (before, bare))
        with in_view():
            bpy.ops.ed.redo()
        yield 0.5
        expect(f"redone, {turn}", (names(), shown()), (baked, about))
        expect("the ball falls", heights(), fell)
        volume = bpy.context.scene.vorton.result.data
        expect("frames", (volume.frame_duration, volume.grids.load(), len(volume.grids) > 0),
               (FRAMES, True, True))  # fmt: skip
        bpy.context.scene.frame_set(FRAMES)
        points = bpy.context.scene.vorton.points.data
        expect("points", len(getattr(points, "points", ()) or points.vertices) > 0, True)
    addon.unregister()


main(check)
