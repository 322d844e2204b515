"""The command that makes the files of a derived bake again."""

from __future__ import annotations

import os
import shlex
from typing import Any

import numpy as np

from ..archive.manifest import Manifest

__all__ = ["derive_again"]

_TIMES = {"offset": "offset", "shutter": "shutter", "samples": "samples", "archived_fps": "fps"}
"""Options that a derived bake has where the member of its manifest is there."""


def derive_again(manifest: Manifest) -> str | None:
    """`vorton derive` with all options that the files of a bake follow from, for a shell in the
    folder from which the path of the manifest is told; None: it is no derived one."""
    data, archived = manifest.data, manifest.data.get("archived")
    if archived is None:
        return None
    words = ["vorton", "derive", os.path.normpath(manifest.folder / archived["archive"])]
    words += [str(manifest.folder), "--frames", f"{data['first']}-{data['last']}"]
    for member, option in _TIMES.items():
        if member in data:
            words += [f"--{option}", _number(data[option])]
    if data.get("region") is not None:
        words += ["--region", *(_number(x) for corner in data["region"] for x in corner)]
    words += _files(data)
    return shlex.join(words)


def _files(data: dict[str, Any]) -> list[str]:
    """Which files of a frame there are, and how they are made."""
    volumes = data["volumes"]
    words = [] if data["tracers"] else ["--no-tracers"]
    if volumes is None:
        return [*words, "--no-volumes"]
    words += ["--voxel", _number(volumes["voxel"]), "--preset", volumes["preset"]]
    for name, usual in {"half": True, "compress": True, "sharp": False}.items():
        if volumes.get(name, usual) != usual:
            words.append(f"--no-{name}" if usual else f"--{name}")
    if volumes.get("margin", 3) != 3:
        words += ["--margin", _number(volumes["margin"])]
    return words


def _number(value: float) -> str:
    """The shortest text that is the same number, without an exponent."""
    return np.format_float_positional(value, trim="-")
