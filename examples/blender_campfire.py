"""The campfire at night by Blender's Cycles, a .png for each frame.

python examples/campfire.py                                # bakes cache/campfire
python examples/blender_campfire.py cache/campfire night   # by a Python that has the module bpy
blender --background --python examples/blender_campfire.py -- cache/campfire night --frames 84

Blender's own Python must have vorton installed.
"""

import argparse
import sys
from pathlib import Path

import bpy

from vorton.arguments import frame_range, picture_size
from vorton.hosts import blender
from vorton.hosts.blender import stage


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
    stage.set_night()
    stage.set_camera(eye=(0, -6, 0.4), low=-0.2, high=3.0)
    stage.set_cycles(samples=chosen.samples)
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = chosen.size
    scene.render.resolution_percentage = 100
    scene.frame_start, scene.frame_end = chosen.frames
    scene.render.filepath = f"{chosen.out.absolute()}/"
    bpy.ops.render.render(animation=True)


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:])
