"""Bakes in the window of a real Blender: undo, work during a bake, pause, cancel, going on; and
Blender's own smoke beside it, which the module bpy of 4.2 and 4.5 cannot bake even by itself.

    xvfb-run -a blender --factory-startup --python-use-system-env \\
        --python tests/hosts/bake_in_window.py -- FOLDER

A command of its own, for a Blender with a window, from 3.4 on; vorton must be on PYTHONPATH. It
prints what it saw, and "passed" or what was wrong. The module bpy has no events: what it can do
without them is in use_extension.py.
"""

import os
import re
import shutil
import sys
import time
import traceback
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(sys.argv[sys.argv.index("--") + 1]).resolve()


def load_addon():
    """The extension as it lies in the sources, with one preset."""
    from vorton.archive.scene_files import load_scene

    addon = FOLDER / "addons" / "vorton_extension"
    shutil.copytree(ROOT / "vorton" / "hosts" / "blender" / "extension", addon)
    (addon / "presets").mkdir()
    load_scene(ROOT / "examples" / "campfire.py").save(addon / "presets" / "campfire.json")
    sys.path.insert(0, str(addon.parent))
    import vorton_extension

    vorton_extension.register()
    return vorton_extension


def in_view():
    """The context of the 3D view."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region)


def names():
    return sorted(thing.name for thing in bpy.data.objects)


def expect(what, found, wanted):
    print(f"{what}: {found}", flush=True)
    assert found == wanted, f"{what}: {found}, expected {wanted}"


UNDONE = set()


def undo(operator):
    """Undo what an operator has done."""
    with in_view():
        bpy.ops.ed.undo()
    UNDONE.add(operator)


def operators_to_undo():
    """Names of all operators of the extension that change the scene."""
    all_types = {name: getattr(bpy.types, name) for name in dir(bpy.types)}
    found = [each for name, each in all_types.items() if name.startswith("VORTON_OT_")]
    return {each.bl_idname for each in found if "UNDO" in getattr(each, "bl_options", ())}


def is_another(addon):
    """Whether the folder holds the bake of another scene."""
    scene = bpy.context.scene
    return addon.bakes.holds_other(scene, addon.bakes.write_scene(scene))


def picture():
    """Width and height of what the stage renders, in pixels; no Blender may refuse it."""
    render, path = bpy.context.scene.render, FOLDER / "picture.png"
    render.resolution_x, render.resolution_y, render.filepath = 48, 32, str(path)
    with in_view():
        bpy.ops.render.render("EXEC_DEFAULT", write_still=True)
    image = bpy.data.images.load(str(path))
    size = tuple(image.size)
    bpy.data.images.remove(image)
    return size


def bake_fluid_of_blender():
    """Its smoke, in the scene of vorton; names of the files."""
    with in_view():
        bpy.ops.mesh.primitive_uv_sphere_add("EXEC_DEFAULT", radius=0.4)
        flow = bpy.context.object.modifiers.new("Fluid", "FLUID")
        bpy.ops.mesh.primitive_cube_add("EXEC_DEFAULT", size=2)
        fluid = bpy.context.object.modifiers.new("Fluid", "FLUID")
    flow.fluid_type, fluid.fluid_type = "FLOW", "DOMAIN"
    flow.flow_settings.flow_type, flow.flow_settings.flow_behavior = "SMOKE", "INFLOW"
    settings, cache = fluid.domain_settings, FOLDER / "cache of Blender"
    settings.domain_type, settings.resolution_max = "GAS", 16
    settings.cache_type, settings.cache_data_format = "ALL", "OPENVDB"
    settings.cache_frame_start, settings.cache_frame_end = 1, 4
    settings.cache_directory = str(cache)
    with in_view():
        bpy.ops.fluid.bake_all("EXEC_DEFAULT")
    return len(list((cache / "data").glob("*.vdb")))


def check(addon):
    """The steps; each yield gives Blender so many seconds for its events."""
    running = addon.bakes.Running
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / "im Fenster ü.blend"))
    yield 0.2
    bpy.ops.ed.undo_push(message="empty")
    with in_view():
        bpy.ops.vorton.add("INVOKE_DEFAULT", True, preset="campfire", frames=40)
    yield 0.2
    expect("added", names(), ["Emitter"])
    undo("vorton.add")
    yield 0.2
    expect("undone", names(), [])
    with in_view():
        bpy.ops.ed.redo()
    yield 0.2
    expect("redone", names(), ["Emitter"])
    with in_view():
        bpy.ops.vorton.mark("EXEC_DEFAULT", True, start="BODY")
    yield 0.2
    expect("marked", bpy.data.objects["Emitter"].vorton.role, "BODY")
    undo("vorton.mark")
    yield 0.2
    expect("unmarked", bpy.data.objects["Emitter"].vorton.role, "EMITTER")

    bpy.context.scene.vorton.simulation.voxel = 0.05
    with in_view():
        began = bpy.ops.vorton.bake("INVOKE_DEFAULT", True)
    expect("began", began, {"RUNNING_MODAL"})
    while running.job is not None and running.job.done < 5:
        yield 0.05
    told = running.text()
    print(told)
    assert re.fullmatch(r"\d+ of 40 frames, \d+:\d\d left", told), told
    with in_view():
        expect("a second bake", bpy.ops.vorton.bake.poll(), False)
        bpy.ops.vorton.pause()
    yield 1.0  # the frame that it was at
    stopped = running.job.done
    yield 1.0
    expect("paused at", running.job.done, stopped)
    expect("paused", running.text(), f"{stopped} of 40 frames, paused")
    with in_view():
        bpy.ops.vorton.pause()
    while running.job.done <= stopped:
        yield 0.05
    with in_view():
        bpy.ops.mesh.primitive_cube_add("EXEC_DEFAULT", True)  # Blender is usable
        bpy.ops.vorton.cancel()
    while running.job is not None:
        yield 0.05
    yield 0.3
    volume = "im Fenster ü"
    expect("cancelled", names(), ["Cube", "Emitter", volume])
    shown = bpy.context.scene.vorton.result.data
    part, files = shown.frame_duration, addon.bakes.bake_folder(bpy.context.scene)
    expect("files", len(list(files.glob("*.vdb"))), part)
    kept = {path: path.stat().st_mtime_ns for path in files.glob("*.vdb")}
    with in_view():
        bpy.ops.vorton.bake("INVOKE_DEFAULT", True)
    while running.job is not None:
        yield 0.05
    yield 0.3
    expect("gone on", bpy.context.scene.vorton.result.data.frame_duration, 40)
    expect("kept", all(path.stat().st_mtime_ns == then for path, then in kept.items()), True)
    undo("vorton.bake")
    yield 0.2
    expect("undone", bpy.context.scene.vorton.result.data.frame_duration, part)
    for operator, more in ((bpy.ops.vorton.stage, 4), (bpy.ops.vorton.show, 0)):
        before = names()
        with in_view():
            operator("EXEC_DEFAULT", True)
        yield 0.5
        expect(f"{operator.idname()} added", len(names()) - len(before), more)
        if more:
            expect("size of the picture", picture(), (24, 16))
        undo(operator.idname_py())
        yield 0.2
        expect(f"{operator.idname()} undone", names(), before)
    bpy.context.scene.vorton.simulation.voxel = 0.06
    expect("is another", is_another(addon), True)
    with in_view():  # what the question, whether to replace it, leads to
        began = bpy.ops.vorton.bake("EXEC_DEFAULT", True, overwrite=True)
    expect("began anew", began, {"RUNNING_MODAL"})
    while running.job is not None:
        yield 0.05
    yield 0.3
    expect("replaced", any(path.stat().st_mtime_ns == kept.get(path) for path in kept), False)
    expect("is another", is_another(addon), False)
    scene = bpy.context.scene
    then = {path.name: path.stat().st_mtime_ns for path in files.glob("*.vdb")}
    scene.frame_set(38)
    scene.vorton.simulation.wind = (1, 0, 0)
    bpy.ops.ed.undo_push(message="wind")  # as a click does
    with in_view():  # what its question leads to
        began = bpy.ops.vorton.bake_from("EXEC_DEFAULT", True, overwrite=True)
    expect("began from a frame", began, {"RUNNING_MODAL"})
    while running.job is not None:
        yield 0.05
    yield 0.3
    new = [p.name for p in sorted(files.glob("*.vdb")) if p.stat().st_mtime_ns != then[p.name]]
    expect("baked from 38 on", [name[-8:-4] for name in new], ["0038", "0039", "0040"])
    frame, wind = scene.frame_current, tuple(scene.vorton.simulation.wind)
    undo("vorton.bake_from")
    yield 0.2
    settings = bpy.context.scene.vorton.simulation
    expect("bake from a frame undone", tuple(settings.wind) == wind, True)
    expect("frame", bpy.context.scene.frame_current, frame)
    with in_view():
        bpy.ops.ed.redo()
    yield 0.2
    with in_view():
        bpy.ops.vorton.branch("EXEC_DEFAULT", True)
    while running.job is not None:
        yield 0.05
    yield 0.3
    expect("branched", bpy.context.scene.vorton.folder, "//vorton from 38")
    with in_view():  # as its menu does
        bpy.ops.vorton.show("EXEC_DEFAULT", True, folder="//vorton")
    yield 0.2
    expect("chosen", bpy.context.scene.vorton.folder, "//vorton")
    undo("vorton.show")
    yield 0.2
    expect("choice undone", bpy.context.scene.vorton.folder, "//vorton from 38")
    undo("vorton.branch")
    yield 0.2
    expect("branch undone", bpy.context.scene.vorton.folder, "//vorton")
    expect("all that change the scene are undone", operators_to_undo() - UNDONE, set())
    expect("files of Blender's own smoke", bake_fluid_of_blender(), 4)
    addon.unregister()
    expect("left", [name for name in dir(bpy.types) if name.startswith("VORTON_")], [])


def main(check):
    """Runs the steps that check(addon) yields between, and ends Blender."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    started = time.time()
    try:
        steps = check(load_addon())
    except Exception:  # without an end its window would wait for somebody
        traceback.print_exc()
        os._exit(1)

    def step():
        try:
            return next(steps)
        except StopIteration:
            print(f"passed, Blender {bpy.app.version_string}, {time.time() - started:.0f} s")
            status = 0
        except Exception:
            traceback.print_exc()
            status = 1
        sys.stdout.flush()
        os._exit(status)

    bpy.app.timers.register(step, first_interval=1, persistent=True)


if __name__ == "__main__":
    main(check)
