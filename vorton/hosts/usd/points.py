"""The tracers of a bake as USD points: a .usdc file a frame, of which value clips make one prim."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...archive.manifest import Manifest
from ...archive.stages import mark_of
from ...bakes.bake_frames import frame_name
from ...base.extras import load_extra
from ...base.progress import Progress
from ...files import tracer_files
from ...files.disk import write_atomically
from . import text
from .text import Attribute, Prim

SUFFIX = ".usdc"

BUILT_IN = {
    "extent": "float3[]",
    "ids": "int64[]",
    "points": "point3f[]",
    "velocities": "vector3f[]",
    "widths": "float[]",
}
CARRIED = ("age", "density", *tracer_files.CARRIED)
"""Columns that become primvars of their name. So does `id`, for hosts that drop `ids`."""


def clip_name(manifest: Manifest, number: int) -> str:
    """Name of the file with the points of a frame."""
    return frame_name(manifest.data["name"], number, SUFFIX)


def topology_name(manifest: Manifest) -> str:
    """Name of the layer that declares what the points have."""
    return f"{manifest.data['name']}.points.usda"


def load_usd() -> Any:
    """The module pxr, or ModuleNotFoundError."""
    needs = "points, and all that is read from USD, need usd-core: pip install usd-core"
    return load_extra("pxr", f"{needs}; or a stage without points: --no-points")


def write_points(manifest: Manifest, steps: Progress) -> list[Any]:
    """Write the points of all frames; the bounds of each frame that has any, m.

    Raises
    ------
    ModuleNotFoundError
        Without usd-core.
    ValueError, OSError
        A tracer frame that is not whole; a file that cannot be read or written.
    """
    load_usd()
    types: dict[str, str] = {}
    bounds = []
    for number in manifest.frames:
        columns = tracer_files.read(manifest.file(number, ".npz"))
        carried = [name for name in CARRIED if name in columns]
        types = _types(carried)
        values = _attributes(columns, carried)
        if len(columns["id"]):
            bounds.append(values["extent"].tolist())
        _write_frame(manifest, number, values, types)
        steps.advance()
    declared = [_declare(name, type) for name, type in types.items()]
    about = {"customLayerData": {"string madeOf": mark_of(manifest)}, "defaultPrim": "tracers"}
    layer = text.layer_text(about, [Prim("Points", "tracers", declared)])
    write_atomically(manifest.folder / topology_name(manifest), layer.encode())
    return bounds


def _types(carried: list[str]) -> dict[str, str]:
    primvars = {f"primvars:{name}": "float[]" for name in carried}
    return BUILT_IN | primvars | {"primvars:id": "int[]"}


def _declare(name: str, type: str) -> Attribute:
    vertex = name == "widths" or name.startswith("primvars:")
    return Attribute(type, name, metadata={"interpolation": "vertex"} if vertex else None)


def _attributes(columns: Mapping[str, np.ndarray], carried: list[str]) -> dict[str, np.ndarray]:
    """Values by attribute. A tracer is as wide as its share of the smoke was at its birth."""
    position = columns["position"]
    extent = np.zeros((2, 3), np.float32)
    if len(position):
        extent[:] = position.min(axis=0), position.max(axis=0)
    half = 0.5 * columns["size"].max(initial=0.0)
    extent += np.array([[-half], [half]], np.float32)
    return {
        "extent": extent,
        "ids": columns["id"],
        "points": position,
        "velocities": columns["velocity"],
        "widths": columns["size"],
        **{f"primvars:{name}": columns[name] for name in carried},
        "primvars:id": columns["id"].astype(np.int32),
    }


def _write_frame(
    manifest: Manifest, number: int, values: Mapping[str, np.ndarray], types: Mapping[str, str]
) -> None:
    from pxr import Sdf, Vt

    arrays = {
        "float3[]": Vt.Vec3fArray,
        "point3f[]": Vt.Vec3fArray,
        "vector3f[]": Vt.Vec3fArray,
        "int64[]": Vt.Int64Array,
        "int[]": Vt.IntArray,
        "float[]": Vt.FloatArray,
    }
    layer = Sdf.Layer.CreateAnonymous(SUFFIX)
    prim = Sdf.PrimSpec(layer, "tracers", Sdf.SpecifierOver)
    for name, value in values.items():
        made = Sdf.AttributeSpec(prim, name, Sdf.ValueTypeNames.Find(types[name]))
        array = arrays[types[name]].FromNumpy(np.ascontiguousarray(value))
        layer.SetTimeSample(made.path, number, array)
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / f"frame{SUFFIX}"
        if not layer.Export(str(part)):
            raise OSError(f"cannot write into {folder}")
        write_atomically(manifest.folder / clip_name(manifest, number), part.read_bytes())
