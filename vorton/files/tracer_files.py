"""Tracer frames: NPZ files with one array per column, in id order. Nothing in them is executed.

    position (n, 3) float32, m        velocity (n, 3) float32, m/s
    density (n,) float32, kg: the smoke that the tracer stands for
    size (n,) float32, m: spacing at birth          age (n,) float32, s
    id (n,) int64
    temperature (n,) float32, K; fuel, flame, smoke (n,) float32, shares of the fluid's mass there:
    each only where the simulation carries it

`numpy.load(path, allow_pickle=False)` reads them. The same values give the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Mapping

import numpy as np

from .. import _core
from ..base.checks import check_place
from .told import read_as_told

COLUMNS = ("position", "velocity", "density", "size", "age", "id")
CARRIED = _core.CARRIED[1:]  # tracers weigh nothing

_VECTORS = ("position", "velocity")
_EPOCH = (1980, 1, 1, 0, 0, 0)


def _names(columns: Mapping[str, np.ndarray]) -> list[str]:
    return [*COLUMNS, *(name for name in CARRIED if name in columns)]


class _Packer:
    """Takes the place of zlib's in a file of a ZipFile: twice as fast, about as good for ids, sizes
    and ages, and packs positions, too."""

    def compress(self, data: bytes | memoryview) -> memoryview:
        return _core.pack_numbers(data)

    def flush(self) -> bytes:
        return b"\x03\x00"


def encode(columns: Mapping[str, np.ndarray]) -> bytes:
    """The NPZ file as bytes. Each column is packed as far as that is fast."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", allowZip64=True) as archive:
        for name in _names(columns):
            array = np.ascontiguousarray(columns[name])
            entry = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.file_size = array.nbytes  # so that ZIP64 is used where it must be
            with archive.open(entry, "w") as file:
                file._compressor = _Packer()  # type: ignore[attr-defined]
                header = np.lib.format.header_data_from_array_1_0(array)
                np.lib.format.write_array_header_1_0(file, header)
                file.write(memoryview(array).cast("B") if array.size else b"")
    return buffer.getvalue()


def values_sha256(columns: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of names, types, shapes and values, whatever the compression."""
    digest = hashlib.sha256()
    for name in _names(columns):
        array = np.ascontiguousarray(columns[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(memoryview(array).cast("B") if array.size else b"")
    return digest.hexdigest()


def read(path: str | os.PathLike[str], *, as_told: bool = True) -> dict[str, np.ndarray]:
    """The columns of a tracer frame.

    Where a manifest lies beside the file, it must be as that tells, unless `as_told` is False.

    Raises
    ------
    ValueError
        When the file is not a whole tracer frame, or has changed since it was baked.
    OSError
        When it cannot be read.
    MemoryError
        When there is no room for as many values as it says it has.
    """
    path = check_place("path", path)
    content = read_as_told(path, "tracer frame") if as_told else path.read_bytes()
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            names = [*COLUMNS, *(name for name in CARRIED if name in file)]
            columns = {name: file[name] for name in names}
    except Exception as error:  # whatever zipfile, its packers and the reader of headers find wrong
        if isinstance(error, MemoryError):
            raise MemoryError(f"{path}: cannot read: {error}") from error
        why = "it is no .npz file" if "pickle" in str(error) else error
        raise ValueError(f"{path}: is not a whole tracer frame: {why}") from error
    count = len(columns["id"])
    for name, array in columns.items():
        shape = (count, 3) if name in _VECTORS else (count,)
        dtype = np.int64 if name == "id" else np.float32
        if array.shape != shape or array.dtype != dtype:
            raise ValueError(f"{path}: {name} has shape {array.shape} and dtype {array.dtype}")
    return columns
