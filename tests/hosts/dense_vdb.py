"""Takes grids out of a .vdb file; run by a Python that has OpenVDB's module (python3-openvdb).

    python dense_vdb.py RESULT NAME GRID FILE [NAME GRID FILE ...]

RESULT is an .npz: for each grid the box of its active voxels as an array NAME, ``low_NAME`` the
index of its first voxel, ``voxel_NAME`` their width by the file.
"""

import sys

import numpy as np

try:
    import openvdb
except ImportError:
    import pyopenvdb as openvdb

arrays = {}
for name, named, path in zip(sys.argv[2::3], sys.argv[3::3], sys.argv[4::3]):
    grid = openvdb.read(path, named)
    low, high = grid.evalActiveVoxelBoundingBox()
    shape = [1 + high[a] - low[a] for a in range(3)]
    vector = isinstance(grid.background, tuple)
    array = np.zeros([*shape, 3] if vector else shape, np.float32)
    grid.copyToArray(array, ijk=low)
    arrays |= {name: array, f"low_{name}": low, f"voxel_{name}": grid.transform.voxelSize()}
np.savez(sys.argv[1], **arrays)
