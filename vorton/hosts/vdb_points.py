"""Tracers of a bake as points in OpenVDB files, one a frame, each with a PointDataGrid.

They lie in a folder of their own (`archive.stages`), and are written again in a moment.

Points lie in voxels, voxels in leaves of 8^3; each is written with its place against the middle of
its voxel, as `P`, and its other numbers. Nothing is packed, so that the same points give the same
bytes. The form is that of OpenVDB's own `PointDataGrid::writeBuffers`, pass by pass.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..archive.manifest import Manifest
from ..archive.stages import FOLDER, mark_of, remove_stale
from ..bakes.origin import warn_of_changed_origin
from ..base.checks import check_number
from ..base.progress import Callback, Progress
from ..files import tracer_files
from ..files.disk import make_folder, write_atomically
from ..files.vdb_files import EDGE, FORMAT_VERSION, INNER_NODE, LEAF, MAGIC, ROOT_CHILD

NAME = "points"
"""Of the grid."""

ATTRIBUTES = {"velocity": "v", "size": "pscale"}
"""Names of columns as hosts know them; all others keep their own."""

TREE = "Tree_ptdataidx32_5_4_3"
"""Type of the grid."""

KINDS = {("f", 1): "float", ("f", 3): "vec3s", ("i", 1): "int64"}
"""Of attributes, by kind of the numbers and how many of them a point has."""

PER_VOXEL = 8
"""Points in a voxel where they fill space, each as far from the next as its size."""

MASKED, CONSTANT_STRIDE, STORED = 2, 8, 65535
"""Of OpenVDB: only active values are there; a value for each point; voxels are not packed."""


def write_point_grids(
    place: str | os.PathLike[str],
    *,
    voxel: float | None = None,
    progress: bool | Callback = True,
) -> list[Path]:
    """Write the tracers of a bake into the folder `points` in its own: `points/name_0001.vdb` ...

    Parameters
    ----------
    place : path
        Bake folder, or its manifest.
    voxel : number, m, optional
        Edge of the voxels that points lie in, > 0: it decides how they are found again, not where
        they are. Default: so that about 8 lie in one.
    progress : bool or function
        As for `bake`.

    Returns
    -------
    list of Path

    Raises
    ------
    ValueError, TypeError, OSError
        A bad argument; no bake there, one that lacks frames, or has no tracers; a file in the place
        of one of them that is none of points; a file that cannot be read or written.

    Warns
    -----
    vorton.SceneWarning
        Frames of a derived bake are not those of what its archive holds now.
    """
    if voxel is not None:
        voxel = check_number("voxel", voxel, above=0, most=1e6, unit="m")
    manifest = Manifest.find(place)
    manifest.check_complete()
    if not manifest.data["tracers"]:
        raise ValueError(f"{manifest.path}: has no tracers: bake it with them")
    warn_of_changed_origin(manifest)
    name, folder = manifest.data["name"], manifest.folder / FOLDER
    made = [folder / f"{name}_{number:04d}.vdb" for number in manifest.frames]
    for path in made:
        if path.exists() and not _holds_points(path):
            raise ValueError(f"{path}: exists and holds no points; move it away")
    make_folder(folder)
    remove_stale(manifest, "vdb")
    mark = mark_of(manifest)
    with Progress(len(manifest.frames), f"stage {name}", progress) as steps:
        for number, path in zip(manifest.frames, made, strict=True):
            source = manifest.file(number, ".npz")
            columns = tracer_files.read(source)
            try:
                content = encode(columns, voxel or voxel_for(columns["size"]), mark)
            except ValueError as error:
                raise ValueError(f"{source}: {error}") from error
            write_atomically(path, content)
            steps.advance()
    return made


def _holds_points(path: Path) -> bool:
    with open(path, "rb") as file:
        return TREE.encode() in file.read(1000)


def voxel_for(size: np.ndarray) -> float:
    """Voxels in which about `PER_VOXEL` points of these spacings lie, m."""
    middle = float(np.median(size)) if len(size) else 0.0
    return middle * PER_VOXEL ** (1 / 3) if middle > 0 else 1.0


# ---- the file ----


def encode(columns: Mapping[str, np.ndarray], voxel: float, mark: str = "") -> bytes:
    """The .vdb file of points.

    Parameters
    ----------
    columns : dict
        By name arrays of one row a point, float or int64; `position` is (n, 3), m.
    voxel : float, m
    mark : str
        What the grid says of what it was made of; default: nothing.

    Raises
    ------
    ValueError
        A point that is nowhere, or farther away than 2^31 voxels.
    """
    place = np.asarray(columns["position"], float) / voxel
    if not np.isfinite(place).all():
        raise ValueError("a point has no finite place")
    cells = np.floor(place + 0.5)
    if not (np.abs(cells) < 2**31 - ROOT_CHILD * EDGE[ROOT_CHILD]).all():
        raise ValueError(f"voxel = {voxel:g} m: a point lies farther away than 2^31 of them")
    cells = cells.astype(np.int64)
    order = _order(cells)
    attributes = {"P": (place - cells).astype("<f4")[order]}
    for name, values in columns.items():
        if name != "position":
            kind = "<i8" if values.dtype.kind == "i" else "<f4"
            attributes[ATTRIBUTES.get(name, name)] = np.asarray(values).astype(kind)[order]
    head, values = _grid(cells[order], attributes, voxel, mark)
    start = len(_head(b"")) + len(_descriptor(0, 0, 0))
    offsets = start, start + len(head), start + len(head) + len(values)
    return _head(head + values) + _descriptor(*offsets) + head + values


def _order(cells: np.ndarray) -> np.ndarray:
    """Rows of points as the tree has them: node after node, voxel after voxel in it."""
    keys = [cells[:, axis] % LEAF for axis in (2, 1, 0)]
    for below, edge in ((LEAF, INNER_NODE), (EDGE[ROOT_CHILD], ROOT_CHILD)):
        keys += [cells[:, axis] // below % edge for axis in (2, 1, 0)]
    keys += [cells[:, axis] // (EDGE[ROOT_CHILD] * ROOT_CHILD) for axis in (2, 1, 0)]
    return np.lexsort(keys)


def _head(content: bytes) -> bytes:
    """What a file begins with; its identifier is a hash of the content, as a UUID of version 8."""
    digest = hashlib.sha256(content).hexdigest()
    parts = digest[:8], digest[8:12], "8" + digest[13:16], "8" + digest[17:20], digest[20:32]
    versions = struct.pack("<3IB", FORMAT_VERSION, 10, 0, 1)
    return MAGIC + versions + "-".join(parts).encode() + struct.pack("<II", 0, 1)


def _descriptor(start: int, values: int, end: int) -> bytes:
    texts = _text(NAME) + _text(TREE) + _text("")
    return texts + struct.pack("<3q", start, values, end)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def _grid(
    cells: np.ndarray, attributes: Mapping[str, np.ndarray], voxel: float, mark: str
) -> tuple[bytes, bytes]:
    """What comes before the values, and these, of points in the order of the tree."""
    corners, first = np.unique(cells // LEAF * LEAF, axis=0, return_index=True)
    rows = np.argsort(first)
    corners, first = corners[rows], np.append(first[rows], len(cells))
    within = cells % LEAF @ (LEAF * LEAF, LEAF, 1)
    leaf = np.repeat(np.arange(len(corners)), np.diff(first))
    counts = np.zeros((len(corners), LEAF**3), np.int64)
    np.add.at(counts, (leaf, within), 1)
    masks = np.packbits(counts > 0, axis=1, bitorder="little")
    steps = voxel, 1 / voxel, 1 / voxel**2, 0.5 / voxel
    numbers = [0.0, voxel, *steps]
    head = struct.pack("<I", MASKED) + _metadata(mark) + _text("UniformScaleTranslateMap")
    head += struct.pack("<18d", *np.repeat(numbers, 3)) + _topology(corners, masks)
    return head, _values(masks, counts, np.diff(first), attributes)


def _metadata(mark: str) -> bytes:
    texts = {"class": "unknown", "creator": "vorton", "made of": mark, "name": NAME}
    texts = {key: text for key, text in texts.items() if text}
    entries = [_text(key) + _text("string") + _text(text) for key, text in texts.items()]
    return struct.pack("<I", len(entries)) + b"".join(entries)


def _topology(corners: np.ndarray, masks: np.ndarray) -> bytes:
    """One buffer a leaf, the background 0, no tiles; then node by node which children it has."""
    size = ROOT_CHILD * EDGE[ROOT_CHILD]
    roots = _runs(corners // size)
    parts = [struct.pack("<4I", 1, 0, 0, len(roots))]
    for begin, end in roots:
        part = corners[begin:end]
        parts.append((part[0] // size * size).astype("<i4").tobytes())
        parts.append(_node(part % size // EDGE[ROOT_CHILD], ROOT_CHILD))
        for low, high in _runs(part // EDGE[ROOT_CHILD]):
            parts.append(_node(part[low:high] % EDGE[ROOT_CHILD] // LEAF, INNER_NODE))
            parts.append(masks[begin + low : begin + high].tobytes())
    return b"".join(parts)


def _runs(rows: np.ndarray) -> list[tuple[int, int]]:
    """Where rows that are the same begin and end."""
    changes = np.flatnonzero((np.diff(rows, axis=0) != 0).any(axis=1)) + 1
    edges = [0, *changes.tolist(), len(rows)]
    return list(zip(edges[:-1], edges[1:], strict=True)) if len(rows) else []


def _node(children: np.ndarray, edge: int) -> bytes:
    """Masks of the children that are there and of tiles, of which there are none; no values."""
    bits = np.zeros(edge**3, bool)
    bits[children @ (edge * edge, edge, 1)] = True
    mask = np.packbits(bits, bitorder="little").tobytes()
    return mask + bytes(len(mask)) + b"\0"


def _values(
    masks: np.ndarray, counts: np.ndarray, points: np.ndarray, attributes: Mapping[str, np.ndarray]
) -> bytes:
    """The passes: voxels' sizes, what attributes there are, where points end in each voxel, and
    the attributes one by one, each of all leaves."""
    leaves = len(masks)
    passes = [struct.pack("<H", 2 * len(attributes) + 4 if leaves else 0)]
    stored = np.full((leaves, 1), STORED, "<u2").view(np.uint8)
    passes.append(stored.tobytes())
    about = b"".join(
        struct.pack("<qBBI", 6 + int(n) * data[:1].nbytes, CONSTANT_STRIDE, 0, n)
        for n in points
        for data in attributes.values()
    )
    passes.append((b"\1" + _described(attributes) if leaves else b"") + about)
    ends = np.cumsum(counts, axis=1).astype("<u4").view(np.uint8).reshape(leaves, 4 * LEAF**3)
    passes.append(np.concatenate([masks, stored, ends], axis=1).tobytes())
    edges = np.append(0, np.cumsum(points))
    for data in attributes.values():
        passes += [b"\0" + data[a:b].tobytes() for a, b in zip(edges[:-1], edges[1:])]
    return b"".join(passes)


def _described(attributes: Mapping[str, np.ndarray]) -> bytes:
    """Kinds of the attributes, their names with their places, no groups, nothing more."""
    kinds = [KINDS[data.dtype.kind, data[0].size] for data in attributes.values()]
    places = sorted((name, place) for place, name in enumerate(attributes))
    data = [struct.pack("<Q", len(kinds)), *(_text(kind) + _text("null") for kind in kinds)]
    data += [_text(name) + struct.pack("<Q", place) for name, place in places]
    return b"".join(data) + struct.pack("<QI", 0, 0)
