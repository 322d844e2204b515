"""The form of a manifest: what it must have, of which types and within which ranges."""

from __future__ import annotations

from typing import Any

from ..base.checks import shown
from ..definitions.records import HEALTH_LIMITS

MOST_FRAMES = 9_999_999
MOST_FPS = 10_000
"""Frames a second."""
MOST_SAMPLES = 256

_NUMBER, _NOTHING = (int, float), type(None)
_ITEM = {"type": str}
_FILE = {"name": str, "bytes": int, "sha256": str, "values_sha256": str}
_RECORD = {"frame": int, "time": _NUMBER, "files": [_FILE], "tracers": int, "health": dict}
_VOLUMES = {"voxel": _NUMBER, "preset": str, "grids": dict, "half": bool, "compress": bool}
_BRANCH = {"frame": int, "name": str, "scene_sha256": str, "scene": {"sources": [_ITEM]}}
_WHOLE: dict[str, Any] = {
    "name": str,
    "seed": int,
    "scene": {"sources": [_ITEM]},
    "scene_sha256": str,
    "vorton": str,
    "build": str,
    "fps": _NUMBER,
    "first": int,
    "last": int,
    "volumes": (dict, _NOTHING),
    "tracers": bool,
    "archive": (str, _NOTHING),
    "frames": [_RECORD],
}
"""What a manifest has, at least; in brackets what each entry of a list has."""
_TIMES: dict[str, tuple[Any, float, float]] = {
    "fps": (_NUMBER, 1e-9, MOST_FPS),
    "archived_fps": (_NUMBER, 1e-9, MOST_FPS),
    "offset": (_NUMBER, 0, 1),
    "shutter": (_NUMBER, 0, 1),
    "samples": (int, 2, MOST_SAMPLES),
}
"""Numbers that say when frames are, those of a derived bake where it has them, and their range."""


def _check(value: Any, wanted: Any, where: str) -> None:
    """ValueError where a value is not what `_WHOLE` says."""
    kind = list if isinstance(wanted, list) else dict if isinstance(wanted, dict) else wanted
    boolean = isinstance(value, bool) and kind is not bool
    if not isinstance(value, kind) or boolean:
        raise ValueError(f"{where} = {shown(value)}")
    if isinstance(wanted, list):
        for index, item in enumerate(value):
            _check(item, wanted[0], f"{where}[{index}]")
    elif isinstance(wanted, dict):
        for key, item in wanted.items():
            if key not in value:
                raise ValueError(f"{where}: {key!r} is missing")
            _check(value[key], item, f"{where}.{key}")


def check_whole(data: dict[str, Any]) -> None:
    """ValueError where a manifest is not whole, saying where."""
    data.setdefault("archive", None)  # there were none
    _check(data, _WHOLE, "manifest")
    if data["volumes"] is not None:
        _check(data["volumes"], _VOLUMES, "manifest.volumes")
        _check_values(data["volumes"]["grids"], str, "manifest.volumes.grids")
    _check(data["scene"].get("effects", []), [_ITEM], "manifest.scene.effects")
    _check(data.get("removing", []), [str], "manifest.removing")
    check_branch(data.get("branch"), "manifest.branch")
    if data.get("archived") is not None:
        _check(data["archived"], {"archive": str}, "manifest.archived")
    for key, (kind, least, most) in _TIMES.items():
        value = data.get(key, most)
        _check(value, kind, f"manifest.{key}")
        if not least <= value <= most:
            raise ValueError(f"manifest.{key} = {value}")
    if not 1 <= data["first"] <= data["last"] <= MOST_FRAMES:
        raise ValueError(f"manifest.first = {data['first']}, last = {data['last']}")
    seen: set[int] = set()
    for index, record in enumerate(data["frames"]):
        where = f"manifest.frames[{index}]"
        if not 1 <= record["frame"] <= MOST_FRAMES or record["frame"] in seen:
            twice = ", a second time" if record["frame"] in seen else ""
            raise ValueError(f"{where}.frame = {record['frame']}{twice}")
        seen.add(record["frame"])
        limited = {name: record["health"].get(name) for name in HEALTH_LIMITS}
        _check_values(limited, (*_NUMBER, _NOTHING), f"{where}.health")
        for name in ("tracers_per_voxel", "mass"):
            _check(record.get(name), (*_NUMBER, _NOTHING), f"{where}.{name}")
        _check(record.get("bodies", {}), dict, f"{where}.bodies")


def check_branch(branch: Any, where: str) -> None:
    """ValueError where what tells of a branch (`branches.Branch.to_dict`) is not whole."""
    while branch is not None:
        _check(branch, _BRANCH, where)
        branch, where = branch.get("branch"), f"{where}.branch"


def _check_values(values: dict[str, Any], kind: Any, where: str) -> None:
    for key, value in values.items():
        _check(value, kind, f"{where}.{key}")
