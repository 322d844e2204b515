"""Volumes as they lie on the disk: reads the .vdb files that a bake writes, and no others.

The form is that of OpenVDB, format version 224: trees of 5-4-3 without tiles, floats or half
floats, values of active voxels alone, each leaf packed (a stream of zlib) or not. For files of
other programs take OpenVDB itself.
"""

from __future__ import annotations

import dataclasses
import os
import struct
import zlib
from collections.abc import Collection
from typing import Any

import numpy as np

from ..base.checks import check_place
from .told import read_as_told

MAGIC = b" BDV\0\0\0\0"
FORMAT_VERSION = 224
IDENTIFIER = 36
HEADER = 3 * 4 + 1 + IDENTIFIER  # after the magic: versions, whether grids have offsets
ZIP = 1  # bit of the compression
TRANSFORM_NUMBERS = 18  # three each of translation, scale, voxel size and what follows from it
ROOT_CHILD, INNER_NODE, LEAF = 32, 16, 8  # children or voxels along each edge
EDGE = {ROOT_CHILD: 128, INNER_NODE: 8, LEAF: 1}  # voxels along the edge of one child
ROOT_EDGE = ROOT_CHILD * EDGE[ROOT_CHILD]


@dataclasses.dataclass(frozen=True, eq=False)
class Grid:
    """A grid of a .vdb file.

    Attributes
    ----------
    voxel : float, m
        Edge of a voxel; voxel (i, j, k) is centred at voxel * (i, j, k).
    half : bool
        Whether the file holds 16-bit floats.
    background : float
        Value wherever no voxel is active, of each component.
    index : (n, 3) int32
        The active voxels, leaf by leaf.
    values : (n,) or (n, 3) float32
        What they hold.
    """

    voxel: float
    half: bool
    background: float
    index: np.ndarray
    values: np.ndarray


class _Reader:
    def __init__(self, data: bytes | memoryview) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        taken = bytes(self.data[self.at : self.at + count])
        if count < 0 or len(taken) != count:
            raise ValueError("it ends too early")
        self.at += count
        return taken

    def numbers(self, form: str) -> tuple[Any, ...]:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def text(self) -> str:
        return self.take(self.numbers("I")[0]).decode()

    def expect(self, form: str, value: int, what: str) -> None:
        found = self.numbers(form)[0]
        if found != value:
            raise ValueError(f"{what} is {found}, a bake writes {value}")

    def skip_metadata(self) -> None:
        for _ in range(self.numbers("I")[0]):
            self.text(), self.text()
            self.take(self.numbers("I")[0])


def _children(reader: _Reader, edge: int) -> np.ndarray:
    """Places, in voxels from the corner of the node, of the bits that are set in its mask."""
    bits = np.unpackbits(np.frombuffer(reader.take(edge**3 // 8), np.uint8), bitorder="little")
    return EDGE[edge] * np.stack(np.unravel_index(np.flatnonzero(bits), (edge,) * 3), axis=1)


def _node(reader: _Reader, edge: int, no_values: str) -> np.ndarray:
    children = _children(reader, edge)
    if reader.take(edge**3 // 8).strip(b"\0"):
        raise ValueError("it has tiles, a bake writes none")
    reader.expect("b", 0, "the kind of the inactive values of a node")
    reader.numbers(no_values)
    return children


def _leaf_corners(reader: _Reader, no_values: str) -> list[np.ndarray]:
    """Least voxel of each leaf in the order of the file; the topology of the tree."""
    reader.expect("I", 0, "the number of tiles of the root")
    corners = []
    for _ in range(reader.numbers("I")[0]):
        root = np.array(reader.numbers("3i"))
        if any(root % ROOT_EDGE):
            raise ValueError(f"a child of the root lies at {root.tolist()}, not on its lattice")
        for node in _node(reader, ROOT_CHILD, no_values):
            leaves = _node(reader, INNER_NODE, no_values)
            corners += list(root + node + leaves)
            reader.take(len(leaves) * LEAF**3 // 8)  # masks, which the values have once more
    return corners


def _inflate(packed: bytes, size: int) -> bytes:
    """Of a stream of zlib that holds so many bytes; what holds more is not unpacked to its end."""
    stream = zlib.decompressobj()
    content = stream.decompress(packed, size + 1)
    if not stream.eof and len(content) == size:
        raise ValueError("a leaf is packed in a stream without an end")
    return content


def _leaf_values(reader: _Reader, dtype: np.dtype[Any], count: int, zipped: bool) -> np.ndarray:
    size = dtype.itemsize * count
    # Of no values at all the size is there for floats alone.
    if zipped and (count or dtype.itemsize == 4):
        (stored,) = reader.numbers("q")
        content = _inflate(reader.take(stored), size) if stored > 0 else reader.take(-stored)
    else:
        content = reader.take(size)
    if len(content) != size:
        raise ValueError(f"a leaf has {len(content)} bytes of values instead of {size}")
    return np.frombuffer(content, dtype)


def _read_grid(reader: _Reader, names: Collection[str] | None) -> tuple[str, Grid | None]:
    """Name of the next grid, and the grid, or None where it is not among the names."""
    name, kind, _ = reader.text(), reader.text(), reader.text()
    half = kind.endswith("_HalfFloat")
    kinds = {"Tree_float_5_4_3": 1, "Tree_vec3s_5_4_3": 3}
    components = kinds.get(kind.removesuffix("_HalfFloat"))
    if components is None:
        raise ValueError(f"grid {name} is a {kind}, which no bake writes")
    dtype = np.dtype("<f2" if half else "<f4")
    start, values_at, end = reader.numbers("3q")
    if not reader.at <= start <= values_at <= end <= len(reader.data):
        raise ValueError(f"grid {name} lies at bytes {start}, {values_at} and {end}, out of order")
    if names is not None and name not in names:
        reader.at = end
        return name, None
    reader.at = start
    zipped = bool(reader.numbers("I")[0] & ZIP)
    reader.skip_metadata()
    reader.text()
    voxel = reader.numbers(f"{TRANSFORM_NUMBERS}d")[3]
    reader.expect("I", 1, "the number of buffers")
    background = reader.numbers(f"{components}f")[0]
    corners = _leaf_corners(reader, "q" if zipped and not half else "")
    reader.at = values_at
    index, values = [np.zeros((0, 3), int)], [np.zeros(0, np.float32)]
    for corner in corners:
        voxels = _children(reader, LEAF)
        reader.expect("b", 0, "the kind of the inactive values of a leaf")
        index.append(corner + voxels)
        values.append(_leaf_values(reader, dtype, components * len(voxels), zipped))
    if reader.at != end:
        raise ValueError(f"grid {name} ends at byte {reader.at} instead of {end}")
    shape = (-1, 3) if components == 3 else (-1,)
    stored = np.concatenate(values).astype(np.float32).reshape(shape)
    return name, Grid(voxel, half, background, np.concatenate(index).astype(np.int32), stored)


def is_packed(content: bytes | memoryview) -> bool:
    """Whether packing pays for a grid of a .vdb file that a bake has encoded."""
    reader = _Reader(content)
    reader.take(len(MAGIC) + HEADER)
    reader.skip_metadata()
    packed = False
    for _ in range(reader.numbers("I")[0]):
        reader.text(), reader.text(), reader.text()
        reader.at, _, end = reader.numbers("3q")
        packed |= bool(reader.numbers("I")[0] & ZIP)
        reader.at = end
    return packed


def read(
    path: str | os.PathLike[str], names: Collection[str] | None = None, *, as_told: bool = True
) -> dict[str, Grid]:
    """The grids of a .vdb file by name, in the order of the file: all, or of these names.

    The file has no checksums: where a manifest lies beside it, it must be as that tells, unless
    `as_told` is False.

    Raises
    ------
    ValueError
        When the file is not a whole .vdb file of a bake, or has changed since it was baked.
    OSError
        When it cannot be read.
    """
    path = check_place("path", path)
    content = read_as_told(path, "volume") if as_told else path.read_bytes()
    try:
        return decode(content, names)
    except (ValueError, zlib.error) as error:
        raise ValueError(f"{path}: is not a whole volume: {error}") from error


def decode(content: bytes, names: Collection[str] | None = None) -> dict[str, Grid]:
    """The grids of what such a file holds: all, or of these names.

    Raises
    ------
    ValueError, zlib.error
        When it is not whole.
    """
    reader = _Reader(content)
    if reader.take(len(MAGIC)) != MAGIC:
        raise ValueError("it is not a .vdb file")
    reader.expect("I", FORMAT_VERSION, "the format version")
    reader.numbers("2I")
    reader.expect("b", 1, "whether grids have offsets")
    reader.take(IDENTIFIER)
    reader.skip_metadata()
    found = [_read_grid(reader, names) for _ in range(reader.numbers("I")[0])]
    return {name: grid for name, grid in found if grid is not None}
