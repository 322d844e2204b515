"""From an empty scene to a rendered campfire by the clicks that the manual tells, in a window of
Blender: at most five of them. What they take is told: a minute on two processors that do nothing
else, more on a busy machine, which seconds of processors are longer on, too.

    xvfb-run -a blender --factory-startup --python-use-system-env \\
        --python tests/hosts/clicks_in_window.py -- FOLDER

A command of its own, as bake_in_window.py is. It leaves a screenshot after each click, and the
picture, in FOLDER; it prints what each click took, and "passed" or what was wrong.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

import bpy
import numpy as np

bpy.context.preferences.view.show_splash = False
CLICKS = 5

sys.path.insert(0, str(Path(__file__).parent))
from bake_in_window import FOLDER, in_view, main  # noqa: E402


def seconds():
    """The time, and that of processors: of this Blender, and of the bakes that have ended."""
    who = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    used = map(resource.getrusage, who)
    return np.array([time.time(), *(use.ru_utime + use.ru_stime for use in used)])


def told(took):
    return "{:.1f} s; of processors {:.1f} s in Blender, {:.1f} s in the bake".format(*took)


class Clicks:
    """The clicks so far, and what they took."""

    def __init__(self):
        self.count, self.begun = 0, seconds()
        self.last = self.begun

    def note(self, what, clicks=1):
        """That so many clicks did something, which has come to its end."""
        took, self.last = seconds() - self.last, seconds()
        self.count += clicks
        print(f"click {self.count}, {what}: {told(took)}", flush=True)
        with in_view():
            bpy.ops.screen.screenshot(filepath=str(FOLDER / f"click {self.count}.png"))


def image_at(path):
    """The picture of a file, (height, width, 3) float, as it is shown."""
    image = bpy.data.images.load(str(path))
    width, height = image.size
    pixels = np.array(image.pixels[:]).reshape(height, width, -1)[:, :, :3]
    bpy.data.images.remove(image)
    return pixels


def check(addon):
    """The steps; each yield gives Blender so many seconds for its events."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    yield 0.5
    tempfile.tempdir = str(FOLDER)  # where the bake of a scene goes that is not saved
    clicks, running, rendered = Clicks(), addon.bakes.Running, []
    bpy.app.handlers.render_complete.append(lambda *_: rendered.append(True))
    with in_view():
        bpy.ops.vorton.add("INVOKE_DEFAULT", True, preset="campfire")
    yield 0.5
    clicks.note("Add > Vorton > Campfire", 2)
    with in_view():
        bpy.ops.vorton.bake("INVOKE_DEFAULT", True)
    while running.job is not None:
        yield 0.1
    yield 0.3
    clicks.note("Bake")
    with in_view():
        bpy.ops.vorton.stage("INVOKE_DEFAULT", True)
    yield 0.3
    clicks.note("Set up render")
    with in_view():
        bpy.ops.render.render("INVOKE_DEFAULT")
    while not rendered:
        yield 0.1
    yield 0.3
    clicks.note("Render")
    path = FOLDER / "picture.png"
    bpy.data.images["Render Result"].save_render(str(path))
    picture = image_at(path)
    fire = picture[..., 0] - picture[..., 2] > 0.4
    print(f"{clicks.count} clicks, {told(clicks.last - clicks.begun)}")
    print(f"picture {picture.shape[1]} x {picture.shape[0]}, {fire.mean():.1%} of it fire")
    assert clicks.count <= CLICKS
    assert fire.mean() > 0.005 and picture[-20:].mean() < 0.2  # above it is night
    addon.unregister()


main(check)
