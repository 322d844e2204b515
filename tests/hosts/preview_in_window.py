"""The live preview in the window of a real Blender: points are seen, and follow what is dragged.

    xvfb-run -a blender --factory-startup --python-use-system-env \\
        --python tests/hosts/preview_in_window.py -- FOLDER

A command of its own, as bake_in_window.py is. It leaves screenshots in FOLDER, prints what it saw,
and "passed" or what was wrong.
"""

import sys
import time
from pathlib import Path

import bpy
import numpy as np

bpy.context.preferences.view.show_splash = False
BUDGET = 0.05  # s, the most that a frame may take of one processor

sys.path.insert(0, str(Path(__file__).parent))
from bake_in_window import FOLDER, in_view, main  # noqa: E402


def picture(name):
    """The window as it is, (height, width, 3) float."""
    path = FOLDER / f"{name}.png"
    with in_view():
        bpy.ops.screen.screenshot(filepath=str(path))
    image = bpy.data.images.load(str(path))
    width, height = image.size
    pixels = np.array(image.pixels[:]).reshape(height, width, -1)[:, :, :3]
    bpy.data.images.remove(image)
    return pixels


def preview_state():
    """What there is to say where a step fails."""
    from vorton_extension.preview import Preview

    return Preview.said, Preview.changed, Preview.live and Preview.live.time


def until(met, seconds=120):
    """Gives Blender time until something is so."""
    end = time.time() + seconds
    while not met():
        assert time.time() < end, f"not in time: {preview_state()}"
        yield 0  # at most a frame of the preview between two looks


def frames_until(met, took):
    """As `until`, and gives the frames of the preview that it took."""
    before = len(took)
    yield from until(met)
    return len(took) - before


def is_told(preview, name, value):
    """Whether the preview has a number of the first source."""
    return abs(getattr(preview.live._scene.sources[0], name) - value) < 1e-5


def count_frames(module):
    """The seconds of the processor that each frame of the preview takes, in a list that grows; what
    a view takes to be drawn, and what else this machine does, is not in them."""
    tick, took = module.tick, []

    def timed():
        begun = time.thread_time()
        again = tick()
        took.append(time.thread_time() - begun)
        return again

    module.tick = timed
    return took


def undoes_and_deletes(preview, took):
    """Undo; the last source is deleted and comes back; the scene has another name."""
    with in_view():
        bpy.ops.ed.undo_push(message="before")
        bpy.context.object.vorton.emitter.swirl = 2.5
        bpy.ops.ed.undo_push(message="swirl")
    yield from until(lambda: is_told(preview, "swirl", 2.5))
    with in_view():
        bpy.ops.ed.undo()
    late = yield from frames_until(lambda: is_told(preview, "swirl", 4), took)
    print("undone; frames", late)
    assert late == 1
    with in_view():
        bpy.context.object.select_set(True)
        bpy.ops.object.delete()
        bpy.ops.ed.undo_push(message="deleted")
    yield from until(lambda: preview.said)
    time_then = preview.live.time
    print("deleted:", preview.said, preview_state())
    yield 0.5
    with in_view():
        bpy.ops.ed.undo()
    yield from until(lambda: not preview.said and preview.live.time > time_then)
    print("undone:", preview_state())
    bpy.context.scene.name, time_then = "renamed", preview.live.time
    yield from until(lambda: preview.live.time > time_then)


def names_what_is_wrong(preview):
    """A body around the source, which lies inside of it for good: told by the names of objects."""
    with in_view():
        bpy.ops.mesh.primitive_cube_add("EXEC_DEFAULT", size=4)
    bpy.context.object.vorton.role = "BODY"
    yield from until(lambda: preview.said)
    print("enclosed:", preview.said)
    assert "'Emitter'" in preview.said and "'Cube'" in preview.said, preview.said
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.context.view_layer.objects.active = bpy.data.objects["Emitter"]
    yield from until(lambda: not preview.said)


def check(addon):
    """The steps; each yield gives Blender so many seconds for its events."""
    preview, took = addon.preview.Preview, count_frames(addon.preview)
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    with in_view():
        bpy.ops.vorton.add("INVOKE_DEFAULT", True, preset="campfire", frames=40)
        bpy.ops.view3d.view_all()
    yield 0.5
    before = picture("before")
    with in_view():
        assert bpy.ops.vorton.live() == {"FINISHED"}
    yield from until(lambda: preview.live.time > 0.15 and preview.points is not None)
    assert preview.live is not None and not preview.said, preview.said
    print("shown:", preview.text(), "factor", preview.live.factor, "time", preview.live.time)
    seen = picture("shown")
    points = preview.points[0]
    assert len(points) > 50 and preview.live.time > 0.1
    restarts = preview.live.restarts
    off = np.abs(seen - before).max(axis=2) > 0.1
    print("pixels that differ:", int(off.sum()))
    assert off.sum() > 100
    emitter = bpy.context.object.vorton.emitter
    late = []
    for name, values in (("swirl", np.linspace(1.5, 4, 6)), ("core", np.linspace(0.05, 0.1, 6))):
        for value in values:  # as if dragged
            setattr(emitter, name, value)
            told = frames_until(lambda n=name, v=value: is_told(preview, n, v), took)
            late.append((yield from told))
    print("dragged; restarts", preview.live.restarts - restarts, "frames", late)
    assert max(late) == 1, late
    print("ms of the processor for a frame:", np.round(1000 * np.percentile(took, (50, 90, 100))))
    assert np.median(took) < BUDGET, took
    yield from names_what_is_wrong(preview)
    bpy.context.object.location.x = 1.0
    yield from until(lambda: preview.points[0].mean(axis=0)[0] > 0.2)
    picture("moved")
    yield from undoes_and_deletes(preview, took)
    preview.said = "the last error"
    with in_view():
        bpy.ops.vorton.live()
    yield 0.5
    assert preview.live is None and preview.points is None and not preview.said
    gone = np.abs(picture("after") - before).max(axis=2) > 0.1
    print("pixels that differ at the end:", int(gone.sum()))
    with in_view():
        assert bpy.ops.vorton.live() == {"FINISHED"}
    yield from until(lambda: preview.points is not None)
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield 0.5
    assert preview.live is None and not bpy.app.timers.is_registered(addon.preview.tick)
    assert addon.preview.note_change not in bpy.app.handlers.depsgraph_update_post
    addon.unregister()
    assert not [name for name in dir(bpy.types) if name.startswith("VORTON_")]


main(check)
