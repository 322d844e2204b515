"""The material of smoke and fire."""

from __future__ import annotations

from typing import Any

from .looks import COOLEST, GRIDS, WARMER, Look

MEASURED = "vorton_measured"
"""Custom property of a material: its strengths as they were measured."""


def make_material(look: Look, *, name: str = "vorton", fire: bool | None = None) -> Any:
    """The material of smoke, and of fire where the look has emission.

    Principled Volume: density of the grid times `look.density`, colour .9 (soot .45 with fire),
    anisotropy .2. Fire: the grid `heat` gives the colour temperature, K = 700 + 1700 heat, and the
    strength, emission x (K / 2000)^4 x heat; the node's own black body is too weak for flames.

    Parameters
    ----------
    look : Look
        From `measure_look`, or by hand: emission about 1 / width of the flame in metres.
    name : str
        Of the material.
    fire : bool, optional
        Default: whether look.emission > 0.

    Returns
    -------
    bpy.types.Material
    """
    import bpy

    burns = look.emission > 0 if fire is None else fire
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    output = nodes.new("ShaderNodeOutputMaterial")
    output.location = (900, 0)
    volume = nodes.new("ShaderNodeVolumePrincipled")
    volume.location = (600, 0)
    grey = 0.45 if burns else 0.9
    volume.inputs["Color"].default_value = (grey, grey, grey, 1)
    volume.inputs["Anisotropy"].default_value = 0.2
    volume.inputs["Density"].default_value = look.density
    volume.inputs["Density Attribute"].default_value = GRIDS["density"]
    volume.inputs["Temperature Attribute"].default_value = ""
    volume.inputs["Blackbody Intensity"].default_value = 0
    links.new(volume.outputs["Volume"], output.inputs["Volume"])
    if burns:
        _add_fire(nodes, links, volume, look.emission)
    return material


def node_of(tree: Any, kind: str) -> Any:
    """The first node of a type, such as ShaderNodeEmission: names may be translated."""
    return next(node for node in tree.nodes if node.bl_idname == kind)


def _strengths(material: Any) -> list[Any]:
    """The sockets of a material that a `Look` sets, density and with fire emission, or none."""
    nodes = material.node_tree.nodes if material and material.node_tree else ()
    volumes = [node for node in nodes if node.bl_idname == "ShaderNodeVolumePrincipled"]
    sockets = [node.inputs["Density"] for node in volumes[:1]]
    return sockets + [nodes["emission"].inputs[1]] if sockets and "emission" in nodes else sockets


def look_of(shown: Any) -> Look | None:
    """The strengths of the material of an object as they are now; None where it is another one."""
    for material in shown.data.materials:
        strengths = [socket.default_value for socket in _strengths(material)]
        if strengths:
            return Look(*strengths)
    return None


def keep_measured(material: Any) -> None:
    """Note that the strengths of a material are measured, not somebody's choice."""
    material[MEASURED] = [socket.default_value for socket in _strengths(material)]


def is_measured(material: Any) -> bool:
    """Whether the strengths of a material are still those that were measured."""
    strengths = [socket.default_value for socket in _strengths(material)]
    return bool(strengths) and strengths == list(material.get(MEASURED, ()))


def set_measured(material: Any, look: Look) -> None:
    """Give a material of `make_material` the strengths of another look, and fire if it needs it."""
    nodes, links = material.node_tree.nodes, material.node_tree.links
    if look.emission > 0 and "emission" not in nodes:
        _add_fire(nodes, links, node_of(material.node_tree, "ShaderNodeVolumePrincipled"), 0.0)
    for socket, strength in zip(_strengths(material), (look.density, look.emission)):
        socket.default_value = strength
    keep_measured(material)


def _add_fire(nodes: Any, links: Any, volume: Any, emission: float) -> None:
    heat = nodes.new("ShaderNodeAttribute")
    heat.attribute_name = heat.name = heat.label = GRIDS["heat"]
    heat.location = (-600, -200)

    def math(label: str, operation: str, place: tuple[float, float], *inputs: Any) -> Any:
        node = nodes.new("ShaderNodeMath")
        node.operation, node.location, node.name, node.label = operation, place, label, label
        for socket, value in zip(node.inputs, inputs):
            if isinstance(value, (int, float)):
                socket.default_value = value
            else:
                links.new(value, socket)
        return node.outputs["Value"]

    share = heat.outputs["Fac"]
    kelvin = math("kelvin", "MULTIPLY_ADD", (-400, -100), share, WARMER, COOLEST)
    ratio = math("kelvin / 2000", "DIVIDE", (-200, -250), kelvin, 2000)
    power = math("power", "POWER", (0, -250), ratio, 4)
    glow = math("glow", "MULTIPLY", (200, -250), power, share)
    strength = math("emission", "MULTIPLY", (400, -250), glow, emission)
    color = nodes.new("ShaderNodeBlackbody")
    color.location = (0, -50)
    links.new(kelvin, color.inputs["Temperature"])
    links.new(color.outputs["Color"], volume.inputs["Emission Color"])
    links.new(strength, volume.inputs["Emission Strength"])


def set_filmic(scene: Any = None, *, exposure: float = 0.5) -> None:
    """Show a scene with Filmic, high contrast: AgX turns fire pink.

    Parameters
    ----------
    scene : bpy.types.Scene, optional
        Default: the current one.
    exposure : float
        Stops, default .5.
    """
    import bpy

    settings = (scene or bpy.context.scene).view_settings
    settings.view_transform = "Filmic"
    looks = ("High Contrast", "Filmic - High Contrast")  # the name has changed between versions
    for look in looks:
        try:
            settings.look = look
            break
        except TypeError:
            continue
    settings.exposure = exposure
