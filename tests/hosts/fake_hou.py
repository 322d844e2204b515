"""As much of Houdini's module hou as vorton.hosts.houdini calls, with the types that it takes.

It is no Houdini: what Houdini itself does with the calls cannot be seen here. That these calls
exist there with these arguments is checked with mypy against SideFX's own stubs.
"""

import types

import numpy as np

from vorton.files import vdb_files

attribType = types.SimpleNamespace(Point="point", Prim="prim")
numericData = types.SimpleNamespace(Int32=np.int32)
stringParmType = types.SimpleNamespace(FileReference="file")


class Matrix4:
    def __init__(self, rows):
        self.rows = np.array(rows)


class Attrib:
    def __init__(self, default):
        self.default, self.options = default, {}

    def setOption(self, name, value):
        self.options[name] = value


class Prim:
    def __init__(self, corners=(), grid=None, name=""):
        self.corners, self.grid, self.attributes = corners, grid, {"name": name}

    def attribValue(self, name):
        return self.attributes[name]

    def setAttribValue(self, name, value):
        assert isinstance(value, type(self.attributes[name]))
        self.attributes[name] = value


class Geometry:
    def __init__(self):
        self.clear()

    def clear(self):
        self.points, self.polygons, self.attributes, self.values = [], [], {}, {}
        self.matrix = np.eye(4)

    def prims(self):
        return tuple(self.polygons)

    def loadFromFile(self, path):
        assert isinstance(path, str)
        self.polygons = [Prim(grid=grid, name=name) for name, grid in vdb_files.read(path).items()]

    def transform(self, matrix):
        self.matrix = self.matrix @ matrix.rows

    def createPoints(self, positions):
        first = len(self.points)
        assert positions and all(len(place) == 3 for place in positions)
        self.points += positions
        return tuple(types.SimpleNamespace(number=lambda i=i: i)
                     for i in range(first, len(self.points)))

    def createPolygons(self, corners):
        made = [Prim(face) for face in corners]
        assert all(0 <= i < len(self.points) for face in corners for i in face)
        self.polygons += made
        return tuple(made)

    def addAttrib(self, kind, name, default):
        assert (kind, name) not in self.attributes and name != "P"
        self.attributes[kind, name] = Attrib(default)
        return self.attributes[kind, name]

    def setPointFloatAttribValuesFromString(self, name, values):
        default = self.attributes["point", name].default
        width = len(default) if isinstance(default, tuple) else 1
        array = np.frombuffer(values, np.float32).reshape(-1, width)
        assert len(array) == len(self.points)
        self.values[name] = array if width > 1 else array[:, 0]

    def setPointIntAttribValuesFromString(self, name, values, int_type):
        assert isinstance(self.attributes["point", name].default, int)
        self.values[name] = np.frombuffer(values, int_type)
        assert len(self.values[name]) == len(self.points)


class ParmTemplate:
    def __init__(self, name, label, components, default_value=(), string_type=None):
        self.name, self.default = name, default_value[0]


StringParmTemplate = IntParmTemplate = ParmTemplate


class Node:
    def __init__(self, kind, name, parent=None):
        self.kind, self.name, self.above = kind, name, parent
        self.children, self.templates, self.parms, self.flags = [], [], {}, set()
        self.shown = Geometry()

    def createNode(self, kind, name):
        assert kind == {"obj": "geo", "geo": "python"}[self.kind]
        self.children.append(Node(kind, name, self))
        return self.children[-1]

    def parmTemplateGroup(self):
        return list(self.templates)

    def setParmTemplateGroup(self, group):
        self.templates = group
        self.parms |= {template.name: template.default for template in group}

    def setParms(self, values):
        self.parms |= values

    def evalParm(self, name):
        return self.parms[name]

    def parent(self):
        return self.above

    def geometry(self):
        return self.shown

    def layoutChildren(self):
        pass

    def setDisplayFlag(self, on):
        self.flags.add("display")

    def setRenderFlag(self, on):
        self.flags.add("render")


class Session:
    """The state of a Houdini: its nodes, its frame, and what a user chooses in a dialog."""

    def __init__(self):
        self.obj, self.frame, self.chosen, self.now = Node("obj", "obj"), 1, "", None


session = Session()
ui = types.SimpleNamespace(selectFile=lambda title, pattern: session.chosen)
text = types.SimpleNamespace(expandString=lambda string: string.replace("$JOB", session.job))
playbar = types.SimpleNamespace(frameRange=lambda: (1001.0, 1096.0))


def node(path):
    return session.obj if path == "/obj" else None


def pwd():
    return session.now


def intFrame():
    return session.frame


def cook(sop):
    """What a Python SOP does."""
    session.now = sop
    import hou

    exec(sop.parms["python"], {"hou": hou})
    return sop.shown
