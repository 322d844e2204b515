"""A bake as a USD stage: one layer of text that ties its files together.

    /ring                 Xform: up axis and unit of the stage, against Z up and metres inside
    /ring/smoke           Volume, with an OpenVDBAsset for each grid of the .vdb files
    /ring/tracers         Points, a file a frame by value clips
    /ring/bodies/...      Mesh, what moves with translate, orient and scale
    /ring/camera          Camera that sees the whole shot

Time codes are the numbers of the frames. Paths are relative to the layer, which lies beside the
files, so that the folder can be moved.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ... import _core
from ...archive.manifest import Manifest
from ...archive.stages import mark_of, remove_stale
from ...bakes.baking import PRESETS as GRID_PRESETS
from ...bakes.origin import warn_of_changed_origin
from ...base.checks import check_choice, check_flag
from ...base.progress import Callback, Progress
from ...files.disk import write_atomically
from ...preview.rendering import Camera
from ...scenes.scene import Scene
from . import points as point_files
from . import text
from .bodies import body_prims
from .text import Attribute, Prim, identifier, over_frames


@dataclasses.dataclass(frozen=True)
class Preset:
    """What a host expects of a stage.

    Attributes
    ----------
    up : "y" or "z"
        Up axis.
    unit : float, m
        `metersPerUnit`.
    grids : str
        Preset of `vorton.bake` whose names the fields of the volume get.
    """

    up: str
    unit: float
    grids: str


PRESETS = {
    "usd": Preset("z", 1.0, "usd"),
    "houdini": Preset("y", 1.0, "houdini"),
    "karma": Preset("y", 1.0, "houdini"),
    "maya": Preset("y", 0.01, "arnold"),
    "unreal": Preset("z", 0.01, "unreal"),
}

UPS = ("y", "z")

PICTURE = (1920, 1080)
"""Size of the picture that the camera is for, pixels: of it only the ratio matters."""

APERTURE = 24.0
"""Height of the film of the camera, in tenths of a unit as USD wants it."""


def make_stage(
    place: str | os.PathLike[str],
    *,
    preset: str = "usd",
    up: str | None = None,
    points: bool = True,
    progress: bool | Callback = True,
) -> Path:
    """Write the stage of a bake into its folder: `name.usda`.

    Points also need `name.points.usda` and a file `name_0001.usdc` a frame. Those of another bake
    that was there before are removed.

    Parameters
    ----------
    place : path
        Bake folder, or its manifest.
    preset : "usd", "houdini", "karma", "maya" or "unreal"
        Host, default "usd": up axis, unit, and names of the fields. "usd" and "unreal" are Z up,
        the others Y up; "maya" and "unreal" have centimetres, the others metres.
    up : "y" or "z", optional
        Up axis instead of that of the preset.
    points : bool
        The tracers, too, where the bake has them; default True. They need usd-core.
    progress : bool or function
        As for `bake`.

    Returns
    -------
    Path
        Of the stage.

    Raises
    ------
    ValueError, TypeError, OSError
        A bad argument; no bake there, or one without a frame; a file that cannot be read or
        written.
    ModuleNotFoundError
        Points without usd-core; a body that is a Polytope without SciPy.

    Warns
    -----
    vorton.SceneWarning
        Frames of a derived bake are not those of what its archive holds now.
    """
    host = PRESETS[check_choice("preset", preset, tuple(PRESETS))]
    axis = host.up if up is None else check_choice("up", up, UPS)
    manifest = Manifest.find(place)
    if not manifest.frames:
        raise ValueError(f"{manifest.path}: no frame is baked yet")
    warn_of_changed_origin(manifest)
    folder, name = manifest.folder, manifest.data["name"]
    scene = Scene.from_dict(manifest.data["scene"], folder)
    remove_stale(manifest, "usd")
    prims = []
    if manifest.data["volumes"] is not None:
        prims.append(_volume(manifest, GRID_PRESETS[host.grids].grids))
    bounds = [manifest.frame(n)["bounds"] for n in manifest.frames if _has_smoke(manifest, n)]
    if check_flag("points", points) and manifest.data["tracers"]:
        with Progress(len(manifest.frames), f"stage {name}", progress) as steps:
            bounds += point_files.write_points(manifest, steps)
        prims.append(_points(manifest))
    prims += body_prims(manifest, scene)
    prims.append(_camera(bounds, host.unit))
    root = Prim("Xform", identifier(name), _placed(axis, host.unit), prims, {"kind": "component"})
    _complete_paths(root)
    path = folder / f"{name}.usda"
    write_atomically(
        path, text.layer_text(_about(manifest, root.name, axis, host), [root]).encode()
    )
    return path


def _has_smoke(manifest: Manifest, number: int) -> bool:
    return manifest.frame(number).get("bounds") is not None


def _about(manifest: Manifest, root: str, axis: str, host: Preset) -> dict[str, Any]:
    """What the layer says of itself."""
    numbers, fps = manifest.frames, manifest.data["fps"]
    return {
        "customLayerData": {"string madeOf": mark_of(manifest, all_frames=True)},
        "defaultPrim": root,
        "doc": f"vorton {_core.version()}: bake {manifest.path.name}",
        "endTimeCode": numbers[-1],
        "framesPerSecond": fps,
        "metersPerUnit": host.unit,
        "startTimeCode": numbers[0],
        "timeCodesPerSecond": fps,
        "upAxis": axis.upper(),
    }


def _placed(axis: str, unit: float) -> list[Attribute]:
    """From metres and Z up to the unit and the up axis of the stage."""
    made = []
    if axis == "y":
        made.append(Attribute("float", "xformOp:rotateX", -90.0))
    if unit != 1.0:
        made.append(Attribute("float3", "xformOp:scale", (1 / unit,) * 3))
    if made:
        made.append(Attribute("uniform token[]", "xformOpOrder", [op.name for op in made]))
    return made


# ---- what is in it ----


def _volume(manifest: Manifest, names: Mapping[str, str]) -> Prim:
    """The volume, with a field for each grid; where a frame is missing there is no file."""
    numbers = range(manifest.frames[0], manifest.frames[-1] + 1)
    baked = set(manifest.frames)
    files = {
        n: text.Asset(f"./{manifest.file(n, '.vdb').name}") if n in baked else None for n in numbers
    }
    fields, relations = [], []
    for grid, stored in manifest.data["volumes"]["grids"].items():
        vector = grid == "velocity"
        about = [
            Attribute("uniform token", "fieldClass", "unknown" if vector else "fogVolume"),
            Attribute("token", "fieldDataType", "float3" if vector else "float"),
            Attribute("token", "fieldName", stored),
            Attribute("asset", "filePath", samples=files),
        ]
        if vector:
            about.append(Attribute("token", "vectorDataRoleHint", "Vector"))
        name = names.get(grid, stored)
        fields.append(Prim("OpenVDBAsset", identifier(name), about))
        path = text.Path(f"smoke/{identifier(name)}")
        relations.append(Attribute("rel", f"field:{identifier(name)}", path))
    extents = {n: _extent(manifest.frame(n)["bounds"]) for n in manifest.frames}
    return Prim("Volume", "smoke", [over_frames("float3[]", "extent", extents), *relations], fields)


def _extent(bounds: Sequence[Sequence[float]] | None) -> list[tuple[float, ...]]:
    """Corners of a box; of nothing a box without size."""
    return [tuple(map(float, corner)) for corner in bounds or [(0, 0, 0), (0, 0, 0)]]


def _points(manifest: Manifest) -> Prim:
    """The tracers: what they have is declared in a layer of its own, their values are in clips."""
    topology = text.Asset(f"./{point_files.topology_name(manifest)}")
    files = [text.Asset(f"./{point_files.clip_name(manifest, n)}") for n in manifest.frames]
    clips = {
        "dictionary default": {
            "double2[] active": [(float(n), float(i)) for i, n in enumerate(manifest.frames)],
            "asset[] assetPaths": files,
            "asset manifestAssetPath": topology,
            "string primPath": "/tracers",
        }
    }
    reference = text.Plain(f"{text.value_text(topology)}</tracers>")
    return Prim("Points", "tracers", metadata={"clips": clips, "prepend references": reference})


def _camera(bounds: list[Any], unit: float) -> Prim:
    """The camera of `vorton preview`, which sees all the smoke of the shot.

    Its distances are in the unit of the stage, whatever scales the prim.
    """
    boxes = np.array(bounds or [[(-1.0,) * 3, (1.0,) * 3]])
    camera = Camera.frame(boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0), PICTURE)
    eye, target = np.array(camera.eye), np.array(camera.target)
    distance = float(np.linalg.norm(eye - target))
    back = (eye - target) / distance
    right = np.cross(camera.up, back)
    right /= np.linalg.norm(right)
    rows = [(*right, 0.0), (*np.cross(back, right), 0.0), (*back, 0.0), (*eye, 1.0)]
    matrix = tuple(tuple(float(x) for x in row) for row in rows)
    away = distance / unit
    focal = APERTURE / 2 / math.tan(math.radians(camera.field_of_view) / 2)
    return Prim(
        "Camera",
        "camera",
        [
            Attribute("float2", "clippingRange", (1e-3 * away, 100 * away)),
            Attribute("float", "focalLength", focal),
            Attribute("float", "focusDistance", away),
            Attribute("float", "horizontalAperture", APERTURE * PICTURE[0] / PICTURE[1]),
            Attribute("float", "verticalAperture", APERTURE),
            Attribute("matrix4d", "xformOp:transform", matrix),
            Attribute("uniform token[]", "xformOpOrder", ["xformOp:transform"]),
        ],
    )


def _complete_paths(prim: Prim) -> None:
    """Targets of relationships are told from the root prim on: make them whole."""
    root = f"/{prim.name}"
    for child in prim.children:
        for attribute in child.attributes:
            if isinstance(attribute.value, text.Path):
                attribute.value = text.Path(f"{root}/{attribute.value}")
