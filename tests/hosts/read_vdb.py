"""Reads .vdb files with OpenVDB and with Blender; run by a Python that can import bpy.

    python read_vdb.py RESULT FILE [FILE ...] [--sequence FILE ...]

RESULT is an .npz: ``report`` is a JSON text; for grid g of file f, ``index_f_g`` are the voxels
that OpenVDB calls active and ``values_f_g`` what they hold. The module bpy 4.2 brings no module of
OpenVDB: then there is what Blender itself reads.
"""

import json
import os
import sys

import bpy
import numpy as np

openvdb = None
if hasattr(bpy.utils, "expose_bundled_modules"):  # bundled with bpy, hidden until now
    bpy.utils.expose_bundled_modules()
    import openvdb


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
    voxels = [(value.min, value.max, value.value) for value in grid.citerOnValues()]
    entry["tiles"] = sum(low != high for low, high, _ in voxels)
    arrays["index_" + name] = np.array([low for low, _, _ in voxels], np.int32).reshape(-1, 3)
    arrays["values_" + name] = np.array([value for _, _, value in voxels], np.float32)
    return entry


def read_openvdb(path, arrays, number):
    if openvdb is None:
        return None
    grids, metadata = openvdb.readAll(path)
    return {"metadata": {key: plain(value) for key, value in metadata.items()},
            "grids": [read_grid(grid, arrays, f"{number}_{g}") for g, grid in enumerate(grids)]}


def bounds(scene_object):
    """Bounding box of the volume that the scene shows now: least and largest corner, m."""
    shown = scene_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
    corners = np.array([list(corner) for corner in shown.bound_box])
    return corners.min(0).tolist(), corners.max(0).tolist()


def read_blender(paths):
    """What volume_import makes of one file, or of the files of a sequence."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.object.volume_import(
        filepath=paths[0], directory=os.path.dirname(paths[0]),
        files=[{"name": os.path.basename(path)} for path in paths],
        use_sequence_detection=True, align="WORLD", location=(0, 0, 0))
    scene_object = bpy.context.object
    volume = scene_object.data
    frames = []
    bpy.context.scene.frame_set(0)  # Blender 4.2 shows what it has imported once the frame changes
    for frame in range(1, len(paths) + 1):
        bpy.context.scene.frame_set(frame)
        loaded = volume.grids.load()
        frames.append({"loaded": loaded, "error": volume.grids.error_message,
                       "bounds": bounds(scene_object),
                       "grids": [{"name": grid.name, "type": grid.data_type,
                                  "channels": grid.channels,
                                  "matrix": [list(row) for row in grid.matrix_object]}
                                 for grid in volume.grids]})
    return {"is_sequence": volume.is_sequence, "frame_start": volume.frame_start,
            "frame_duration": volume.frame_duration, "velocity_grid": volume.velocity_grid,
            "objects": len(bpy.data.objects), "location": list(scene_object.location),
            "frames": frames}


def main(result, paths, sequence):
    arrays = {}
    report = {"blender": bpy.app.version_string,
              "files": [{"openvdb": read_openvdb(path, arrays, number),
                         "blender": read_blender([path])} for number, path in enumerate(paths)],
              "sequence": read_blender(sequence) if sequence else None}
    arrays["report"] = np.array(json.dumps(report))
    part = result + ".part.npz"
    np.savez(part, **arrays)
    os.replace(part, result)


if __name__ == "__main__":
    split = sys.argv.index("--sequence") if "--sequence" in sys.argv else len(sys.argv)
    main(sys.argv[1], sys.argv[2:split], sys.argv[split + 1:])
