# SPDX-License-Identifier: GPL-3.0-or-later
"""vorton in Blender: smoke and fire by vortex particles, baked from a Blender scene."""

from . import bakes, operators, panels, points, preview, properties


def register():
    properties.register()
    operators.register()
    bakes.register()
    points.register()
    preview.register()
    panels.register()


def unregister():
    panels.unregister()
    preview.unregister()
    points.unregister()
    bakes.unregister()
    operators.unregister()
    properties.unregister()
