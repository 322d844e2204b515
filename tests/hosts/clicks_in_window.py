"""From an empty scene to a rendered campfire by the clicks that the manual tells, in a window of
Blender: at most five of them, of a real mouse on what is really seen.

    xvfb-run -a blender --factory-startup --python-use-system-env \\
        --python tests/hosts/clicks_in_window.py -- FOLDER [--seconds S]

A command of its own, as bake_in_window.py is; it needs xdotool. It leaves a screenshot after each
click, and the picture, in FOLDER; it prints what each click took, and "passed" or what was wrong.
All of it takes a minute on two processors that do nothing else, more on a busy machine, which
seconds of processors are longer on, too; with --seconds more than that is wrong.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import bpy
import numpy as np

bpy.context.preferences.view.show_splash = False
CLICKS = 5
HEADER = bpy.types.VIEW3D_MT_editor_menus  # of the 3D view

sys.path.insert(0, str(Path(__file__).parent))
from bake_in_window import FOLDER, main, names  # noqa: E402
from real_mouse import WAIT, Mouse, image_at, redraw, screenshot  # noqa: E402


def most_seconds():
    """What all of it may take, s; None: as long as it likes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float)
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1 :]).seconds


def seconds():
    """The time, and that of processors: of this Blender, and of the bakes that have ended."""
    who = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    used = map(resource.getrusage, who)
    return np.array([time.time(), *(use.ru_utime + use.ru_stime for use in used)])


def told(took):
    return "{:.1f} s; of processors {:.1f} s in Blender, {:.1f} s in the bake".format(*took)


class Notes:
    """What the clicks took, without the time in which places were looked for."""

    def __init__(self, mouse):
        self.mouse, self.all = mouse, np.zeros(3)
        self.begin()

    def begin(self):
        self.last = seconds()

    def note(self, what):
        took = seconds() - self.last
        self.all += took
        print(f"click {self.mouse.clicks}, {what}: {told(took)}", flush=True)

    def show(self):
        """Leave a screenshot, once all is drawn."""
        redraw()
        yield 2 * WAIT
        screenshot(f"click {self.mouse.clicks}")


def add_preset(mouse, notes):
    """Add > Vorton > Campfire, as a hand does it: two clicks, between which the mouse rests."""
    add, ours, way, menu = bpy.types.VIEW3D_MT_add, bpy.types.VORTON_MT_add, [], HEADER
    for below in (add, ours):
        place = yield from mouse.find(way, menu, "menu", below.__name__)
        way.append((place, below))
        menu = below
    entry = yield from mouse.find(way, ours, "operator", "vorton.add", text="Campfire")
    assert names() == [], "looking for it has changed the scene"
    notes.begin()
    yield from mouse.follow(way)
    notes.note("Add > Vorton")
    yield from notes.show()
    notes.begin()
    mouse.click(entry)
    yield WAIT
    notes.note("Campfire")
    yield from notes.show()
    assert names() == ["Emitter"], names()


def press(mouse, notes, name, what, done):
    """A click on a button of the 3D view's header, and what it takes until something is so."""
    place = yield from mouse.find([], HEADER, "operator", name)
    notes.begin()
    mouse.click(place)
    begun = time.time()
    while not done():
        assert time.time() < begun + 1800, f"{what}: nothing has come of it"
        yield 0.1
    notes.note(what)
    yield from notes.show()


def views():
    """What the 3D views look through."""
    areas = bpy.context.window_manager.windows[0].screen.areas
    spaces = [area.spaces.active for area in areas if area.type == "VIEW_3D"]
    return {space.region_3d.view_perspective for space in spaces}


def check(addon):
    """The steps; each yield gives Blender so many seconds for its events."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    yield WAIT
    tempfile.tempdir = str(FOLDER)  # where the bake of a scene goes that is not saved
    mouse, running, rendered = Mouse(), addon.bakes.Running, []
    notes = Notes(mouse)
    bpy.app.handlers.render_complete.append(lambda *_: rendered.append(True))
    yield from add_preset(mouse, notes)

    def is_baked():
        return running.job is None and bpy.context.scene.vorton.result is not None

    yield from press(mouse, notes, "vorton.bake", "Bake", is_baked)

    def is_set_up():
        return addon.operators.STAGE in bpy.context.scene

    yield from press(mouse, notes, "vorton.stage", "Set up render", is_set_up)
    assert views() == {"CAMERA"}, "the 3D view does not look through the camera"
    yield from press(mouse, notes, "render.render", "Render", lambda: rendered)
    path = FOLDER / "picture.png"
    bpy.data.images["Render Result"].save_render(str(path))
    picture = image_at(path)
    fire = picture[..., 0] - picture[..., 2] > 0.4
    print(f"{mouse.clicks} clicks, {told(notes.all)}")
    print(f"picture {picture.shape[1]} x {picture.shape[0]}, {fire.mean():.1%} of it fire")
    assert mouse.clicks <= CLICKS
    assert fire.mean() > 0.005 and picture[-20:].mean() < 0.2  # above it is night
    most = most_seconds()
    assert most is None or notes.all[0] <= most, f"{notes.all[0]:.0f} s, more than {most:g}"
    addon.unregister()


main(check)
