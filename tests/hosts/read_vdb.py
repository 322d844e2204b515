"""Reads .vdb files with OpenVDB and with Blender; run by a Python that can import bpy.

    python read_vdb.py RESULT FILE [FILE ...]

RESULT is an .npz: ``report`` is a JSON text (one entry a file), and for each file number f and grid
number g ``values_f_g``: the voxels from the grid's file_bbox_min to its file_bbox_max, and
``active_f_g``: 1 where OpenVDB says active.
"""

import json
import os
import sys

import bpy
import numpy as np

bpy.utils.expose_bundled_modules()
import openvdb  # noqa: E402  (bundled with bpy, hidden until now)


def plain(value):
    """A metadata value as JSON has it."""
    return list(value) if isinstance(value, (tuple, list)) else value


def read_grid(grid, arrays, name):
    entry = {"name": grid.name, "type": grid.valueTypeName, "class": grid.gridClass,
             "vector_type": grid.vectorType, "creator": grid.creator,
             "half": grid.saveFloatAsHalf, "background": plain(grid.background),
             "active": grid.activeVoxelCount(), "leaves": grid.leafCount(),
             "metadata": {key: plain(grid.metadata[key]) for key in grid.metadata},
             "transform": grid.transform.typeName,
             "origin": plain(grid.transform.indexToWorld((0, 0, 0))),
             "corner": plain(grid.transform.indexToWorld((1, 2, 3))),
             "uniform": grid.transform.isLinear and len(set(grid.transform.voxelSize())) == 1}
    low, high = grid.evalActiveVoxelBoundingBox() if entry["active"] else ((0,) * 3, (-1,) * 3)
    entry["low"], entry["high"] = plain(low), plain(high)
    shape = [b - a + 1 for a, b in zip(low, high)]
    if entry["active"] and np.prod(shape) <= 2**26:
        components = 3 if grid.valueTypeName == "vec3s" else 1
        values = np.zeros(shape + [3] * (components == 3), np.float32)
        grid.copyToArray(values, ijk=low)
        mask = np.zeros(shape, bool)
        for value in grid.citerOnValues():
            a = [p - q for p, q in zip(value.min, low)]
            b = [p - q + 1 for p, q in zip(value.max, low)]
            mask[a[0]:b[0], a[1]:b[1], a[2]:b[2]] = True
        arrays["values_" + name], arrays["active_" + name] = values, mask
    return entry


def read_openvdb(path, arrays, number):
    grids, metadata = openvdb.readAll(path)
    return {"metadata": {key: plain(value) for key, value in metadata.items()},
            "grids": [read_grid(grid, arrays, f"{number}_{g}") for g, grid in enumerate(grids)]}


def read_blender(path):
    """What volume_import makes of the file (and of others of its sequence)."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    folder, name = os.path.split(path)
    bpy.ops.object.volume_import(filepath=path, directory=folder, files=[{"name": name}],
                                 use_sequence_detection=True, align="WORLD", location=(0, 0, 0))
    scene_object = bpy.context.object
    volume = scene_object.data
    loaded = volume.grids.load()
    bpy.context.view_layer.update()
    shown = scene_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {"loaded": loaded, "error": volume.grids.error_message,
            "is_sequence": volume.is_sequence, "frame_start": volume.frame_start,
            "frame_duration": volume.frame_duration, "velocity_grid": volume.velocity_grid,
            "location": list(scene_object.location),
            "bounds": [list(corner) for corner in shown.bound_box],
            "grids": [{"name": grid.name, "type": grid.data_type, "channels": grid.channels,
                       "matrix": [list(row) for row in grid.matrix_object]}
                      for grid in volume.grids]}


def main(result, paths):
    arrays = {}
    report = [{"openvdb": read_openvdb(path, arrays, number), "blender": read_blender(path)}
              for number, path in enumerate(paths)]
    arrays["report"] = np.array(json.dumps(
        {"openvdb": list(openvdb.LIBRARY_VERSION), "blender": bpy.app.version_string,
         "files": report}))
    part = result + ".part.npz"
    np.savez(part, **arrays)
    os.replace(part, result)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
