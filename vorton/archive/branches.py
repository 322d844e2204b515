"""Whose branch a bake is: the scene that its first frames belong to; and which states are whose."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from ..files.json_text import canonical_json
from ..scenes.scene import Scene
from .manifest import Manifest

__all__ = [
    "OF_STATES",
    "Branch",
    "bake_sha256",
    "branch_of",
    "known_by",
    "scene_of",
    "shared_frames",
    "states_of",
]


def scene_of(about: Mapping[str, Any], folder: Path | None) -> Scene:
    """The scene that a head or a branch tells of.

    Raises
    ------
    ValueError, TypeError
        It cannot be made again, or is another than the one that was saved.
    """
    scene = Scene.from_dict(about["scene"], folder=folder)
    if scene.sha256 != about["scene_sha256"]:
        raise ValueError(
            "the scene is not the one that was saved: a file that it names has changed"
        )
    return scene


@dataclasses.dataclass(frozen=True)
class Branch:
    """Where a bake has left another one.

    Attributes
    ----------
    frame : int
        Frames up to this one are those of the other bake.
    scene : Scene
        Of the other bake.
    before : Branch or None
        The other one was a branch itself, and left a third at an earlier frame.
    """

    frame: int
    scene: Scene
    before: Branch | None = None

    def to_dict(self, folder: Path | None) -> dict[str, Any]:
        """As manifest and archive have it: frame, name, scene, its digest, and its own branch."""
        return {
            "frame": self.frame,
            "name": self.scene.name,
            "scene_sha256": self.scene.sha256,
            "scene": self.scene.to_dict(folder=folder),
            "branch": None if self.before is None else self.before.to_dict(folder),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None, folder: Path | None) -> Self | None:
        """What `to_dict` gave; raises as `scene_of`."""
        if data is None:
            return None
        before = cls.from_dict(data.get("branch"), folder)
        return cls(data["frame"], scene_of(data, folder), before)

    @classmethod
    def off(cls, frame: int, scene: Scene, own: Branch | None) -> Branch:
        """The branch that leaves a bake of that scene, which may be one itself, at a frame."""
        if own is not None and frame <= own.frame:
            return cls.off(frame, own.scene, own.before)
        return cls(frame, scene, own)

    @property
    def pieces(self) -> list[tuple[int, Scene]]:
        """(last frame, scene), from the first on."""
        return [*(self.before.pieces if self.before else []), (self.frame, self.scene)]


def branch_of(manifest: Manifest) -> Branch | None:
    """The branch that a manifest tells of, None: it is none.

    Raises
    ------
    ValueError
        An earlier scene cannot be made again.
    """
    try:
        return Branch.from_dict(manifest.data.get("branch"), manifest.folder)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{manifest.path}: branch: {error}") from error


def known_by(data: Mapping[str, Any] | None) -> list[tuple[int, str]]:
    """What tells branches apart, wherever their files lie: frames, and digests of scenes."""
    if data is None:
        return []
    return [*known_by(data.get("branch")), (data["frame"], data["scene_sha256"])]


OF_STATES = ("vorton", "build", "fps", "made_with_fps", "made_with_method")
"""What states depend on besides the scene and its branch; the others of a manifest or the head of
an archive tell of the files that were made of them, or of the paths of meshes."""


def shared_frames(a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
    """Up to which frame two bakes, each told by its manifest or the head of its archive, have the
    same states: 0, to the frame at which one of them left the other, or without end.

    This decides whose the states in an archive are, wherever that is asked.
    """
    if any(a.get(key) != b.get(key) for key in OF_STATES):
        return 0
    shared: float = 0
    for (last, digest), (other_last, other_digest) in zip(_pieces(a), _pieces(b), strict=False):
        if digest != other_digest:
            break
        shared = min(last, other_last)
        if last != other_last:
            break
    return shared


def states_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest as one of the bake whose states its frames are made of: of a derived one that of
    its archive."""
    archived = data.get("archived")
    if archived is None:
        return dict(data)
    return {**data, **archived, "fps": data.get("archived_fps") or data["fps"]}


def _pieces(told: Mapping[str, Any]) -> list[tuple[float, str]]:
    """Last frame and digest of each scene of a bake, from the first on."""
    return [*known_by(told.get("branch")), (math.inf, told["scene_sha256"])]


_TIMES = ("fps", "archived_fps", "offset", "shutter", "samples")
_OF_FILES = (*_TIMES, "region", "volumes", "tracers", "vorton", "build")
"""What the files of frames depend on besides the states that they are made of."""


def bake_sha256(data: Mapping[str, Any]) -> str:
    """Digest of all that the files of a bake follow from, by its manifest: the same wherever they
    lie, and whichever frames there are."""
    states = states_of(data)
    told = [data.get(key) for key in _OF_FILES], [states.get(key) for key in OF_STATES]
    scenes = data["scene_sha256"], known_by(data.get("branch"))
    return hashlib.sha256(canonical_json([*told, *scenes]).encode()).hexdigest()
