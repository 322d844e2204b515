"""Renders moving smoke by Cycles with and without motion blur; run by a Python that can import bpy.

    python blur_smoke.py RESULT FOLDER SHUTTER

FOLDER holds smoke.vdb. RESULT is a JSON file with the opacity of each column of both pictures, of
a strip 4 m wide that an orthographic camera sees along +Y.
"""

import json
import os
import sys

import bpy
import numpy as np

from vorton.hosts import blender
from vorton.hosts.blender import stage

SIZE = 128, 32


def opacities(path):
    """Of the columns of a picture."""
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    width, height = image.size
    pixels = np.array(image.pixels[:]).reshape(height, width, 4)
    bpy.data.images.remove(image)
    return pixels[:, :, 3].sum(axis=0).tolist()


def main(result, folder, shutter):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    shown = blender.load_sequence(os.path.join(folder, "smoke.vdb"))
    shown.data.materials.append(blender.make_material(blender.Look(0.05), name="smoke"))
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.location, camera.rotation_euler = (0, -5, 0), (np.pi / 2, 0, 0)
    camera.data.type, camera.data.ortho_scale = "ORTHO", 4.0
    scene.camera = camera
    stage.set_day(scene)  # where nothing shines, Blender 5.2 renders nothing, no opacity either
    stage.set_cycles(samples=64)
    scene.cycles.use_denoising, scene.cycles.volume_step_rate = False, 0.5
    render = scene.render
    render.resolution_x, render.resolution_y = SIZE
    render.film_transparent, render.motion_blur_shutter = True, float(shutter)
    render.image_settings.file_format, render.image_settings.color_mode = "OPEN_EXR", "RGBA"
    render.filepath = os.path.join(folder, "smoke.exr")
    report = {"fps": render.fps / render.fps_base, "velocity_grid": shown.data.velocity_grid}
    for key in (False, True):
        render.use_motion_blur = key
        report["blurred" if key else "still"] = opacities(render.filepath)
    with open(result + ".part", "w", encoding="utf-8") as file:
        json.dump(report, file)
    os.replace(result + ".part", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
