"""What a manifest beside a file tells of it, for readers that know no bakes."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from .json_text import parse_json

__all__ = ["read_as_told", "told_sha256"]


def read_as_told(path: Path, what: str) -> bytes:
    """A file of a frame, which `what` names; ValueError where the manifest beside it tells of other
    bytes, OSError where it cannot be read."""
    content, told = path.read_bytes(), told_sha256(path)
    if told is not None and hashlib.sha256(content).hexdigest() != told[1]:
        text = f"it is not as {told[0].name} tells: bake again to repair it"
        raise ValueError(f"{path}: is not a whole {what}: {text}")
    return content


def told_sha256(path: Path) -> tuple[Path, str] | None:
    """The manifest beside a file of a frame (`archive.manifest`), and the SHA-256 that it tells of
    that file; None: no manifest tells of it."""
    for beside in sorted(path.parent.glob("*.json")):
        try:
            about = beside.stat()
        except OSError:  # it has gone meanwhile
            continue
        digest = _digests(beside, about.st_mtime_ns, about.st_size).get(path.name)
        if digest is not None:
            return beside, digest
    return None


@functools.lru_cache(maxsize=8)
def _digests(manifest: Path, changed: int, size: int) -> dict[str, str]:
    """Those of the files of a manifest, read once until it changes; of another file none."""
    try:
        data = parse_json(manifest.read_text(encoding="utf-8"))
        return {file["name"]: file["sha256"] for n in data["frames"] for file in n["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
