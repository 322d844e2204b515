"""Nodes of Houdini that show a bake: what the shelf makes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...archive.manifest import Manifest

if TYPE_CHECKING:
    import hou

CODE = """\
from vorton.hosts.houdini import sop

node = hou.pwd()
bake = node.parent()
frame = hou.intFrame() - bake.evalParm("bake_start") + 1
sop.{function}(node.geometry(), bake.evalParm("bake"), frame)
"""
"""Of a Python SOP; `hou` is known there."""


def load_bake(
    place: str | os.PathLike[str], *, start: int = 1, parent: str = "/obj"
) -> hou.ObjNode:
    """Make a geometry object that shows a bake, with the parameters `bake` and `bake_start`.

    In it are the Python SOPs `smoke`, `tracers` and `bodies`, as far as the bake has them; the
    first is displayed.

    Parameters
    ----------
    place : path
        Bake folder, or its manifest.
    start : int
        Frame of Houdini that shows frame 1 of the bake, default 1.
    parent : str
        Path of the network that it goes into.

    Raises
    ------
    ValueError, OSError
        No bake there; no such network.
    """
    import hou

    manifest = Manifest.find(place)
    network = hou.node(parent)
    if network is None:
        raise ValueError(f"parent = {parent!r}: there is no such node")
    name = re.sub(r"\W", "_", manifest.data["name"], flags=re.ASCII)
    node = cast("hou.ObjNode", network.createNode("geo", f"vorton_{name}"))
    group = node.parmTemplateGroup()
    where = str(Path(manifest.path).absolute()).replace(os.sep, "/")
    bake = hou.StringParmTemplate(
        "bake",
        "Bake",
        1,
        default_value=(where,),
        string_type=hou.stringParmType.FileReference,
    )
    group.append(bake)
    group.append(hou.IntParmTemplate("bake_start", "Start Frame", 1, default_value=(start,)))
    node.setParmTemplateGroup(group)
    made = [
        _add_sop(node, name, function)
        for name, function, there in (
            ("smoke", "load_volumes", manifest.data["volumes"] is not None),
            ("tracers", "load_points", manifest.data["tracers"]),
            ("bodies", "load_bodies", bool(manifest.data["scene"].get("bodies"))),
        )
        if there
    ]
    node.layoutChildren()
    if made:
        made[0].setDisplayFlag(True)
        made[0].setRenderFlag(True)
    return node


def _add_sop(parent: hou.ObjNode, name: str, function: str) -> hou.SopNode:
    node = cast("hou.SopNode", parent.createNode("python", name))
    node.setParms({"python": CODE.format(function=function)})
    return node
