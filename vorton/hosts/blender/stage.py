"""A stage for smoke and fire: camera, night, moon, ground, the light of the fire, the renderers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .materials import node_of, set_filmic

NIGHT = (0.006, 0.009, 0.014, 1)
DAY = (0.25, 0.32, 0.4, 1)
EARTH = (0.03, 0.026, 0.023, 1)


def look_from(
    lower: Sequence[float], upper: Sequence[float], aspect: float
) -> tuple[tuple[float, float, float], float, float]:
    """Where a camera stands, a little above the ground, that looks along +Y at a box.

    Parameters
    ----------
    lower, upper : three numbers, m
        Corners of the box; its bottom is the ground.
    aspect : float
        Width over height of the picture.

    Returns
    -------
    eye : three numbers, m
    low, high : float, m
        What it sees of the vertical through the middle of the box.
    """
    width, height = upper[0] - lower[0], upper[2] - lower[2]
    seen = 1.25 * max(height, width / aspect, 1e-3)
    low = lower[2] - 0.08 * seen
    middle = (lower[1] + upper[1]) / 2
    eye = ((lower[0] + upper[0]) / 2, middle - 1.9 * seen, lower[2] + 0.1 * seen)
    return eye, low, low + seen


def set_camera(
    eye: Sequence[float], low: float, high: float, middle: float = 0.0, scene: Any = None
) -> Any:
    """A camera that looks along +Y, and is that of the scene.

    Parameters
    ----------
    eye : three numbers
        Where it stands.
    low, high : float
        What it sees of the vertical at y = middle: heights.
    middle : float
        Where that vertical is, default 0.
    scene : bpy.types.Scene, optional
        Default: the current one.
    """
    import bpy

    scene = scene or bpy.context.scene
    camera = scene.camera = add("camera", bpy.data.cameras.new("camera"), (90, 0, 0), eye, scene)
    lens, away = camera.data, middle - eye[1]
    lens.sensor_fit = "VERTICAL"
    lens.angle = 2 * math.atan((high - low) / 2 / away)
    lens.shift_y = ((high + low) / 2 - eye[2]) / (high - low)
    lens.clip_start, lens.clip_end = 1e-3 * away, 100 * away
    return camera


def set_night(scene: Any = None, *, ground: float | None = 0.0, size: float = 100.0) -> None:
    """Night, a weak moon, and dark ground.

    Parameters
    ----------
    scene : bpy.types.Scene, optional
        Default: the current one.
    ground : float or None
        Height of the ground, default 0; None: there is none.
    size : float
        Edge of the ground, default 100.
    """
    scene = _set_sky(scene, "night", NIGHT, "moon", 3)
    if ground is not None:
        _add_ground(scene, ground, size)


def set_day(scene: Any = None) -> None:
    """An even sky and a sun, for smoke without fire."""
    _set_sky(scene, "sky", DAY, "sun", 6)


def _set_sky(scene: Any, name: str, color: Any, light: str, energy: float) -> Any:
    """An even sky and one light, of the scene that is returned."""
    import bpy

    scene = scene or bpy.context.scene
    scene.world = bpy.data.worlds.new(name)
    scene.world.use_nodes = True
    sky = node_of(scene.world.node_tree, "ShaderNodeBackground")
    sky.inputs["Color"].default_value = color
    add(light, bpy.data.lights.new(light, "SUN"), (50, 0, -55), scene=scene).data.energy = energy
    return scene


def _add_ground(scene: Any, height: float, size: float) -> None:
    import bpy

    mesh, half = bpy.data.meshes.new("ground"), size / 2
    corners = [(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    earth = bpy.data.materials.new("earth")
    earth.use_nodes = True
    surface = node_of(earth.node_tree, "ShaderNodeBsdfPrincipled").inputs
    surface["Base Color"].default_value = EARTH
    surface[
        "Specular IOR Level" if "Specular IOR Level" in surface else "Specular"
    ].default_value = 0
    mesh.materials.append(earth)
    add("ground", mesh, (0, 0, 0), (0, 0, height), scene)


def add(
    name: str,
    data: Any,
    angles: Sequence[float],
    location: Sequence[float] = (0, 0, 0),
    scene: Any = None,
) -> Any:
    """Add an object to a scene; angles in degrees."""
    import bpy

    thing = bpy.data.objects.new(name, data)
    thing.location, thing.rotation_euler = location, [math.radians(a) for a in angles]
    (scene or bpy.context.scene).collection.objects.link(thing)
    return thing


def can_denoise() -> bool:
    """Whether Cycles was built with a denoiser for all processors: those of Blender itself are,
    those of some distributions are not, and with `use_denoising` they refuse to render."""
    import _cycles

    return bool(_cycles.with_openimagedenoise)


def set_cycles(scene: Any = None, *, samples: int = 48) -> None:
    """Render by Cycles as smoke and fire need it, and show the picture by `set_filmic`.

    Parameters
    ----------
    scene : bpy.types.Scene, optional
        Default: the current one.
    samples : int
        Rays a pixel, default 48; the picture is denoised where Blender `can_denoise`.
    """
    import bpy

    scene = scene or bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = can_denoise()
    scene.cycles.volume_bounces = 4  # with none, smoke looks sooty
    scene.cycles.volume_step_rate = 4  # voxels a step: looks as 1 does, in less than half the time
    if hasattr(scene.cycles, "volume_biased"):
        scene.cycles.volume_biased = True  # Blender 5: steps, of less grain
    set_filmic(scene)


EEVEE = {
    "volumetric_tile_size": "2",  # pixels: with 8 flames are blocks
    "volumetric_samples": 128,  # slices of the depth between start and end
    "volumetric_sample_distribution": 0.0,  # as many behind as before, which end so near each other
    "use_volumetric_lights": True,
    "use_volumetric_shadows": True,  # without, smoke has no side that is dark
    "volumetric_shadow_samples": 64,
    "use_volume_custom_range": True,
    "taa_render_samples": 64,
}
"""What EEVEE needs for smoke and fire; each version of Blender has most of it."""


def set_eevee(scene: Any = None, *, start: float, end: float) -> None:
    """Prepare EEVEE for smoke and fire, whichever engine is chosen.

    Parameters
    ----------
    scene : bpy.types.Scene, optional
        Default: the current one.
    start, end : float
        From and to which distance before the camera smoke is, along its view: slices lie there.
    """
    import bpy

    eevee = (scene or bpy.context.scene).eevee
    for name, value in (EEVEE | {"volumetric_start": start, "volumetric_end": end}).items():
        if hasattr(eevee, name):
            setattr(eevee, name, value)
