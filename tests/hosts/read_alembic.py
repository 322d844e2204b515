"""What Blender shows of an Alembic archive; run by a Python that can import bpy.

    python read_alembic.py RESULT FPS FRAME,FRAME... ARCHIVE

RESULT is JSON: for each frame the points with their velocities and widths, and the meshes by
name, in the world.
"""

import json
import os
import sys

import bpy
import numpy as np
from read_stage import column, placed, read_mesh


def main(result, fps, frames, path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = int(fps)
    bpy.ops.wm.alembic_import(filepath=path, as_background_job=False)
    report = {}
    for frame in map(int, frames.split(",")):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        found = report[frame] = {"points": [], "meshes": {}}
        for thing in (thing.evaluated_get(graph) for thing in bpy.data.objects):
            if thing.type == "MESH":
                found["meshes"][thing.name] = read_mesh(thing)
            if thing.type == "POINTCLOUD":
                matrix, radius = thing.matrix_world, column(thing, "radius", "value", 1)
                if bpy.app.version[:2] == (4, 2):  # it takes widths for radii
                    radius = radius / 2
                found["points"].append({
                    "position": placed(column(thing, "position", "vector", 3), matrix).tolist(),
                    "velocity": (column(thing, "velocity", "vector", 3)
                                 @ np.array(matrix)[:3, :3].T).tolist(),
                    "radius": radius.tolist()})
    with open(result + ".part", "w") as file:
        json.dump(report, file)
    os.replace(result + ".part", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
