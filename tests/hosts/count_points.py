"""Tells of the point grids of a .vdb file what Blender's own OpenVDB sees of them.

    python count_points.py RESULT FILE

RESULT is a JSON file: type and name of each grid, voxels that hold points, least and largest voxel.
"""

import json
import os
import sys
from pathlib import Path

import bpy

bpy.utils.expose_bundled_modules()
import openvdb  # noqa: E402

grids, _ = openvdb.readAll(sys.argv[2])
found = [
    [type(grid).__name__, grid.name, grid.activeVoxelCount(), grid.evalActiveVoxelBoundingBox()]
    for grid in grids
]
Path(sys.argv[1] + ".part").write_text(json.dumps(found))
os.replace(sys.argv[1] + ".part", sys.argv[1])
