"""A real mouse in the window of Blender, by xdotool: where a button is seen, and clicks on it.

Blender does not tell where it draws a button. So it is drawn twice, once greyed out: what then has
another colour is where it is. What no pixel shows, or is greyed out in any case, is not found,
and cannot be clicked.
"""

import contextlib
import shutil
import subprocess
import time
import types

import bpy
import numpy as np
from bake_in_window import FOLDER, in_view

CHANGED = 0.05  # of a colour, that a button is another one
LEAST = 8  # pixels, of a button that can be hit
WAIT = 0.8  # s, in which Blender draws what a click has opened


def image_at(path):
    """The picture of a file, (height, width, 3) float, from its lowest row on."""
    image = bpy.data.images.load(str(path))
    width, height = image.size
    pixels = np.array(image.pixels[:]).reshape(height, width, -1)[:, :, :3]
    bpy.data.images.remove(image)
    return pixels


def screenshot(name):
    """The window as it is now, which stays as a file in FOLDER."""
    path = FOLDER / f"{name}.png"
    with in_view():
        bpy.ops.screen.screenshot(filepath=str(path))
    return image_at(path)


class Greying:
    """A layout that draws one button, or entry of a menu, as one that cannot be pressed."""

    def __init__(self, layout, kind, name, **values):
        self.__dict__.update(_layout=layout, _wanted=(kind, name, values))

    def __getattr__(self, kind):
        made = getattr(self._layout, kind)
        if not callable(made):
            return made
        return lambda *arguments, **keywords: self._draw(kind, arguments, keywords)

    def __setattr__(self, name, value):
        setattr(self._layout, name, value)

    def _draw(self, kind, arguments, keywords):
        wanted, name, values = self._wanted
        if kind in ("row", "column", "box", "split"):
            inner = getattr(self._layout, kind)(*arguments, **keywords)
            return Greying(inner, wanted, name, **values)
        layout = self._layout
        same = all(keywords.get(key) == value for key, value in values.items())
        if kind == wanted and arguments[:1] == (name,) and same:
            layout = layout.column(align=True)
            layout.enabled = False
        return getattr(layout, kind)(*arguments, **keywords)


@contextlib.contextmanager
def watched(menu, grey=None):
    """Within, how often a menu or header of Blender is drawn, as a list with that number; `grey`:
    the kind, name and values of an entry that is drawn as one that cannot be pressed."""
    functions = menu._dyn_ui_initialize()
    kept, drawn = list(functions), [0]

    def drawn_by(draw):
        def drawing(self, context):
            drawn[0] += 1
            if grey is not None:
                kind, name, values = grey
                self = types.SimpleNamespace(layout=Greying(self.layout, kind, name, **values))
            draw(self, context)

        return drawing

    functions[:] = map(drawn_by, kept)
    try:
        yield drawn
    finally:
        functions[:] = kept


def until_drawn(drawn, menu):
    """Gives Blender time; a busy machine takes long."""
    end = time.time() + 120
    while not drawn[0]:
        assert time.time() < end, f"{menu.__name__} is not drawn"
        yield 0.1
    yield WAIT


def redraw():
    for area in bpy.context.window_manager.windows[0].screen.areas:
        area.tag_redraw()


class Mouse:
    """The clicks that it has made since it was made.

    A way is a list of places, each with the menu that opens there: by a click on the first, the
    others under a mouse that rests on them.
    """

    def __init__(self):
        if shutil.which("xdotool") is None:
            raise FileNotFoundError("xdotool: not installed, which moves the mouse")
        self.clicks = 0

    @staticmethod
    def _do(*words):
        subprocess.run(["xdotool", *map(str, words)], check=True)

    def move(self, place):
        """To a place, in pixels from the upper left corner of the window."""
        self._do("mousemove", *place)

    def click(self, place):
        self.move(place)
        self._do("click", 1)
        self.clicks += 1

    def follow(self, way):
        """Opens menus: a generator, as steps are."""
        for number, ((x, y), menu) in enumerate(way):
            with watched(menu) as drawn:
                if number == 0:
                    self.click((x, y))
                else:
                    for step in (-8, -4, 0):  # a menu does not open under a mouse that jumps
                        self.move((x + step, y))
                        yield 0.1
                yield from until_drawn(drawn, menu)

    def _see(self, way, menu, name, grey=None):
        """A picture of what is seen at the end of a way, whose menus are closed again."""
        self.move((640, 400))
        yield WAIT
        with watched(menu, grey) as drawn:
            redraw()
            yield from self.follow(way)
            yield from until_drawn(drawn, menu)
            seen = screenshot(name)
        for _ in way:
            self._do("key", "Escape")
            yield 0.2
        return seen

    def find(self, way, menu, kind, name, **values):
        """The place of an entry of a menu that is opened by `way`, or of a header without one: a
        generator, as steps are. The clicks that it needs do not count.

        Raises
        ------
        AssertionError
            It is not seen.
        """
        clicks = self.clicks
        plain = yield from self._see(way, menu, "as it is")
        other = yield from self._see(way, menu, "where it is", (kind, name, values))
        self.clicks = clicks
        redraw()
        yield WAIT
        rows, columns = np.nonzero(np.abs(other - plain).max(axis=2) > CHANGED)
        assert len(rows), f"{kind} {name} is not to be seen"
        extent = np.ptp(columns) + 1, np.ptp(rows) + 1
        print(f"{kind} {name}: {extent[0]} x {extent[1]} pixels", flush=True)
        assert min(extent) >= LEAST, f"{kind} {name}: {extent} pixels of it are to be seen"
        middle = (columns.min() + columns.max()) // 2, (rows.min() + rows.max()) // 2
        return int(middle[0]), int(len(plain) - 1 - middle[1])
