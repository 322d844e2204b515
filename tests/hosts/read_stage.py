"""What Blender shows of USD stages; run by a Python that can import bpy.

    python read_stage.py RESULT FRAME STAGE [STAGE ...]

RESULT is JSON: for each stage, by kind of object, where its content lies in metres at that frame.
"""

import json
import os
import re
import sys
from pathlib import Path

import bpy
import numpy as np


def density_in(path):
    """Indices of the voxels with density and what they hold; OpenVDB reads them."""
    if not hasattr(bpy.utils, "expose_bundled_modules"):  # the module bpy 4.2 is without it
        from vorton.files import vdb_files

        grid = vdb_files.read(path)["density"]
        return grid.index, grid.values
    bpy.utils.expose_bundled_modules()
    import openvdb

    voxels = openvdb.read(path, "density").citerOnValues()
    return map(np.array, zip(*((voxel.min, voxel.value) for voxel in voxels)))


def placed(points, matrix):
    matrix = np.array(matrix)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def read_volume(thing):
    """Middle of the smoke, weighted with its density, where Blender shows it."""
    grids = thing.data.grids
    assert grids.load(), grids.error_message
    path = grids.frame_filepath
    shown = {grid.name: np.array(grid.matrix_object) for grid in grids}
    index, mass = (values.astype(float) for values in density_in(path))
    middle = mass @ placed(placed(index, shown["density"]), thing.matrix_world) / mass.sum()
    return {"file": os.path.basename(path), "grids": sorted(shown), "middle": middle.tolist(),
            "frames": [thing.data.frame_start, thing.data.frame_duration]}


def column(thing, name, kind, width):
    attribute = thing.data.attributes[name].data
    values = np.zeros(width * len(attribute), np.int32 if name == "id" else np.float32)
    attribute.foreach_get(kind, values)
    return values.reshape(-1, width) if width > 1 else values


def read_points(thing):
    matrix = thing.matrix_world
    return {"position": placed(column(thing, "position", "vector", 3), matrix).tolist(),
            "velocity": (column(thing, "velocity", "vector", 3)
                         @ np.array(matrix)[:3, :3].T).tolist(),
            "id": column(thing, "id", "value", 1).tolist(),
            "radius": (column(thing, "radius", "value", 1) * matrix.to_scale()[0]).tolist()}


def read_mesh(thing):
    points = np.zeros(3 * len(thing.data.vertices), np.float32)
    thing.data.vertices.foreach_get("co", points)
    return placed(points.reshape(-1, 3), thing.matrix_world).tolist()


def unit_left(path):
    """Metres that a unit of an imported stage is: Blender 4.2 takes stages of centimetres as they
    are."""
    if "apply_unit_conversion_scale" in bpy.ops.wm.usd_import.get_rna_type().properties:
        return 1.0
    return float(re.search(r"metersPerUnit = ([^\s]+)", Path(path).read_text())[1])


def in_metres(found, unit):
    """What was found, with lengths that many times as large."""
    for kind, names in (("volume", ["middle"]), ("points", ["position", "velocity", "radius"])):
        for thing in found[kind]:
            thing.update({name: (unit * np.array(thing[name])).tolist() for name in names})
    meshes = {name: (unit * np.array(mesh)).tolist() for name, mesh in found["meshes"].items()}
    cameras = [[(unit * np.array(place)).tolist(), angle] for place, angle in found["camera"]]
    return {**found, "meshes": meshes, "camera": cameras}


def read_stage(path, frame):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=path)
    scene = bpy.context.scene
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    found = {"volume": [], "points": [], "meshes": {}, "camera": [],
             "frames": [scene.frame_start, scene.frame_end, scene.render.fps]}
    for thing in bpy.data.objects:
        shown = thing.evaluated_get(graph)
        if thing.type == "VOLUME":
            found["volume"].append(read_volume(thing))
        if thing.type == "POINTCLOUD":
            found["points"].append(read_points(shown))
        if thing.type == "MESH":
            found["meshes"][thing.name] = read_mesh(shown)
        if thing.type == "CAMERA":
            found["camera"].append([list(shown.matrix_world.translation),
                                    shown.data.angle_y if shown.data.sensor_fit == "VERTICAL"
                                    else shown.data.angle_x])
    return in_metres(found, unit_left(path))


def main(result, frame, *stages):
    report = {os.path.basename(path): read_stage(path, int(frame)) for path in stages}
    with open(result + ".part", "w") as file:
        json.dump(report, file)
    os.replace(result + ".part", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
