"""Loads a sequence with vorton.hosts.blender and renders it; run by a Python that can import bpy.

    python load_fire.py RESULT FOLDER [PICTURE WIDTHxHEIGHT SAMPLES FRAME]

RESULT is a JSON file of what was found; PICTURE a .png, rendered with Cycles.
"""

import json
import os
import sys

import bpy

from vorton.hosts import blender
from vorton.hosts.blender import stage


def nodes_of(material):
    return {
        node.name: {
            "kind": node.bl_idname,
            "inputs": {
                s.name: list(s.default_value)
                if hasattr(s.default_value, "__len__") and not isinstance(s.default_value, str)
                else s.default_value
                for s in node.inputs
                if hasattr(s, "default_value")
            },
            "values": [s.default_value for s in node.inputs if s.type == "VALUE"],
            "linked": sorted(s.name for s in node.inputs if s.is_linked),
        }
        for node in material.node_tree.nodes
    }


def shown_frames(volume, frames):
    """Which file the scene shows at its frames."""
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        volume.grids.load()
        found[frame] = os.path.basename(volume.grids.frame_filepath) if len(volume.grids) else None
    return found


def main(result, folder, picture=None, size="64x96", samples="8", frame="1"):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    before = (scene.view_settings.view_transform, scene.view_settings.look)
    shown = blender.add_bake(folder, frame_start=101)
    volume = shown.data
    look = blender.measure_look(folder)
    still = os.path.join(folder, "still.vdb")
    report = {
        "sequence": [
            volume.is_sequence,
            volume.frame_start,
            volume.frame_duration,
            volume.sequence_mode,
        ],
        "velocity": [volume.velocity_grid, volume.velocity_unit],
        "frames": shown_frames(volume, range(100, 105)),
        "look": [look.density, look.emission],
        "nodes": nodes_of(volume.materials[0]),
        "smoke": nodes_of(blender.make_material(blender.Look(7.0), name="smoke")),
        "vel": os.path.exists(still) and blender.load_sequence(still).data.velocity_grid,
        "unchanged": before == (scene.view_settings.view_transform, scene.view_settings.look),
    }
    if picture:
        scene.frame_set(100 + int(frame))
        stage.set_night()
        stage.set_camera(eye=(0, -6, 1.5), low=-0.4, high=3.4)
        stage.set_cycles(samples=int(samples))
        scene.render.resolution_x, scene.render.resolution_y = (int(n) for n in size.split("x"))
        scene.render.resolution_percentage = 100
        report["filmic"] = [scene.view_settings.view_transform, scene.view_settings.look]
        scene.render.filepath = picture
        scene.render.image_settings.file_format = "PNG"
        bpy.ops.render.render(write_still=True)
    with open(result + ".part", "w", encoding="utf-8") as file:
        json.dump(report, file)
    os.replace(result + ".part", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
