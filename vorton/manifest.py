"""The manifest of a bake: what was made, how, and the hash of every file.

`FOLDER/name.json` is plain JSON, rewritten atomically after each frame. It holds nothing of the
moment or the machine (no date, no thread count), so that the same bake has the same manifest.

    format, schema          "vorton-bake", 1
    name, seed              of the scene
    scene, scene_sha256     the scene as data (mesh paths relative to the folder), and its digest
    vorton, build           version; compiler and flags
    units                   of everything below
    fps, first, last        frame range; frame 1 is the start, frame n is at time (n - 1) / fps
    volumes, tracers        settings of the volumes or null; whether there are tracer files
    archive                 name of the motion archive with the state at each frame, or null
    frames                  list by frame number: frame, time, files (name, bytes, sha256 of the
                            file, values_sha256 of what it holds, whatever the compression),
                            tracers, active_voxels, tracers_per_voxel (voxels weighted with
                            their smoke), bounds, mass, health
"""

from __future__ import annotations

import errno
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .fields import readable_json
from .files import explain, file_sha256, write_atomically

FORMAT = "vorton-bake"
SCHEMA = 1
UNITS = {
    "length": "m",
    "time": "s",
    "velocity": "m/s",
    "density": "kg/m^3",
    "mass": "kg",
    "up": "z",
}


def json_value(value: Any) -> Any:
    """The value as JSON has it; a number that is not finite becomes null."""
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    if hasattr(value, "tolist"):  # NumPy
        return json_value(value.tolist())
    return float(value) if math.isfinite(value) else None


class Manifest:
    """A bake as its manifest tells it.

    Parameters
    ----------
    path : path
        `FOLDER/name.json`.
    data : dict
        The content, see the head of this module.
    """

    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        self.path = path
        self.data = data
        self._frames = {int(record["frame"]): record for record in data["frames"]}

    # ---- reading ----

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Manifest:
        """Read a manifest.

        Raises
        ------
        ValueError
            When the file is not the manifest of a bake, or of a newer vorton.
        OSError
            When it cannot be read.
        """
        path = Path(path)
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise explain(error, path, "cannot read") from error
        except ValueError as error:
            raise ValueError(f"{path}: is not the manifest of a bake: {error}") from error
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(f"{path}: is not the manifest of a bake")
        if not isinstance(data.get("schema"), int) or data["schema"] > SCHEMA:
            text = f"schema {data.get('schema')}, this vorton reads {SCHEMA}: update vorton"
            raise ValueError(f"{path}: {text}")
        try:
            return cls(path, data)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: is not a whole manifest: {error!r}") from error

    @classmethod
    def all_in(cls, folder: str | os.PathLike[str]) -> list[Manifest]:
        """The manifests in a folder, by name; other JSON files are passed over."""
        found = []
        for path in sorted(Path(folder).glob("*.json")):
            try:
                found.append(cls.load(path))
            except (OSError, ValueError):
                continue
        return found

    @classmethod
    def find(cls, place: str | os.PathLike[str]) -> Manifest:
        """The manifest of a bake folder, or the one at this path.

        Raises
        ------
        ValueError
            When the folder holds none, or several.
        OSError
            When there is no such folder or file.
        """
        place = Path(place)
        if not place.is_dir():
            return cls.load(place)
        found = cls.all_in(place)
        if not found:
            raise ValueError(f"{place}: holds no bake")
        if len(found) > 1:
            names = ", ".join(str(manifest.path) for manifest in found)
            raise ValueError(f"{place}: holds several bakes, name one: {names}")
        return found[0]

    @property
    def folder(self) -> Path:
        """Where the files lie."""
        return self.path.parent

    @property
    def frames(self) -> list[int]:
        """Numbers of the frames that were baked, ascending."""
        return sorted(self._frames)

    @property
    def missing(self) -> list[int]:
        """Numbers in the range that were not baked."""
        return [
            n for n in range(self.data["first"], self.data["last"] + 1) if n not in self._frames
        ]

    def frame(self, number: int) -> dict[str, Any]:
        """The record of a frame; KeyError where it was not baked."""
        return self._frames[number]

    def file(self, number: int, suffix: str) -> Path:
        """Path of a frame's file by its suffix (".vdb", ".npz"); KeyError where there is none."""
        for file in self._frames[number]["files"]:
            if file["name"].endswith(suffix):
                return self.folder / Path(file["name"]).name
        raise KeyError(suffix)

    def damage(self, number: int) -> str | None:
        """What is wrong with the files of a baked frame, or None: they are whole."""
        for file in self._frames[number]["files"]:
            path = self.folder / Path(file["name"]).name
            if not path.is_file():
                return f"{path.name} is missing"
            size = path.stat().st_size
            if size != file["bytes"]:
                return f"{path.name} has {size} bytes instead of {file['bytes']}"
            if file_sha256(path) != file["sha256"]:
                return f"{path.name} has changed"
        return None

    def is_whole(self, number: int) -> bool:
        """Whether the frame was baked and its files are as they were written."""
        return number in self._frames and self.damage(number) is None

    def check_presence(self) -> None:
        """Make sure that all that was written is still there, if not unchanged.

        Raises
        ------
        FileNotFoundError
            Naming the first file that is not.
        """
        names = [file["name"] for n in self.frames for file in self._frames[n]["files"]]
        for path in (self.path, *(self.folder / Path(name).name for name in names)):
            if not path.is_file():
                text = "was written, and is gone: somebody removes files of the bake"
                raise FileNotFoundError(errno.ENOENT, f"{path}: {text}")

    # ---- writing ----

    def add_frame(self, record: dict[str, Any]) -> None:
        """Put in (or replace) the record of a frame, and write the manifest."""
        self._frames[record["frame"]] = json_value(record)
        self.save()

    def save(self) -> None:
        """Write the manifest atomically; OSError where it cannot be written."""
        self.data["frames"] = [self._frames[n] for n in self.frames]
        write_atomically(self.path, readable_json(self.data, indent=1).encode())

    def remove_files(self) -> None:
        """Remove the files of all frames, and then the manifest."""
        for record in self._frames.values():
            for file in record["files"]:
                (self.folder / Path(file["name"]).name).unlink(missing_ok=True)
        if self.data["archive"]:
            (self.folder / Path(self.data["archive"]).name).unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)
