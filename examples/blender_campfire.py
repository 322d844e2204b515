"""The campfire at night by Blender's Cycles, a .png for each frame.

python examples/campfire.py                                # bakes cache/campfire
python examples/blender_campfire.py cache/campfire night   # by a Python that has the module bpy
blender --background --python examples/blender_campfire.py -- cache/campfire night --frames 84

Blender's own Python must have vorton installed.
"""

import argparse
import math
import sys
from pathlib import Path

import bpy

from vorton.cli import frame_range, picture_size
from vorton.hosts import blender

NIGHT = (0.006, 0.009, 0.014, 1)
EARTH = (0.03, 0.026, 0.023, 1)


def set_stage(eye=(0, -6, 0.4), low=-0.2, high=3.0):
    """Night, a weak moon, dark ground, and a camera that sees the Z axis from low to high, m."""
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("night")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = NIGHT

    add("moon", bpy.data.lights.new("moon", "SUN"), angles=(50, 0, -55)).data.energy = 3

    bpy.ops.mesh.primitive_plane_add(size=100)
    earth = bpy.data.materials.new("earth")
    earth.use_nodes = True
    surface = earth.node_tree.nodes["Principled BSDF"].inputs
    surface["Base Color"].default_value, surface["Specular IOR Level"].default_value = EARTH, 0
    bpy.context.object.data.materials.append(earth)

    scene.camera = add("camera", bpy.data.cameras.new("camera"), angles=(90, 0, 0), location=eye)
    lens = scene.camera.data
    lens.sensor_fit = "VERTICAL"
    lens.angle = 2 * math.atan((high - low) / 2 / -eye[1])
    lens.shift_y = ((high + low) / 2 - eye[2]) / (high - low)


def add(name, data, angles, location=(0, 0, 0)):
    thing = bpy.data.objects.new(name, data)
    thing.location, thing.rotation_euler = location, [math.radians(a) for a in angles]
    bpy.context.scene.collection.objects.link(thing)
    return thing


def set_cycles(size, samples):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.cycles.samples = samples
    scene.cycles.use_denoising = True
    scene.cycles.volume_bounces = 4  # with none, smoke looks sooty
    scene.cycles.volume_step_rate = 4  # voxels a step: looks as 1 does, in less than half the time
    blender.set_filmic(scene)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bake", help="folder of a bake of campfire.py")
    parser.add_argument("out", type=Path, help="folder for the pictures")
    parser.add_argument("--frames", type=frame_range, default=(1, 96), metavar="A-B")
    parser.add_argument("--size", type=picture_size, default=(480, 720), metavar="WxH")
    parser.add_argument("--samples", type=int, default=48, metavar="N", help="rays a pixel")
    chosen = parser.parse_args(arguments)

    bpy.ops.wm.read_factory_settings(use_empty=True)
    blender.add_bake(chosen.bake)
    set_stage()
    set_cycles(chosen.size, chosen.samples)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = chosen.frames
    scene.render.filepath = f"{chosen.out.absolute()}/"
    bpy.ops.render.render(animation=True)


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:])
