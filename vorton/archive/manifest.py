"""The manifest of a bake: what was made, how, and the hash of every file.

`FOLDER/name.json` is plain JSON, rewritten atomically after each frame. It holds nothing of the
moment or the machine (no date, no thread count), so that the same bake has the same manifest.

    format, schema          "vorton-bake", 1
    name, seed              of the scene
    scene, scene_sha256     the scene as data (mesh paths relative to the folder), and its digest
    vorton, build           version; compiler, flags and digest of the sources
    units                   of everything below
    region                  only of a derived bake of a part: corners of the box that it has, m
    archived                only of a derived bake: its archive (path relative to the folder), and
                            what the head of that says of who has simulated it
    archived_fps            only of a derived bake with another frame rate: that of its archive, 1/s
    offset                  only of a derived bake at other times: how much later its frames are,
                            frames
    shutter, samples        only of a derived bake with an open shutter: for how long, frames, and
                            at how many moments it was looked through
    fps, first, last        frame range; frame 1 is the start, frame n is at time (n - 1) / fps, or
                            (n - 1 + offset) / fps
    volumes, tracers        settings of the volumes or null; whether there are tracer files
    branch                  only of a branch, or derived from one: of which bake it has the first
                            frames (frame of the archive, name, scene_sha256, scene, and its own
                            branch or null)
    archive                 name of the motion archive with the state at each frame, or null
    removing                only where a call that removes files was interrupted: their names, for
                            the next one to end it
    frames                  list by frame number: frame, time, files (name, bytes, sha256 of the
                            file, values_sha256 of what it holds, whatever the compression),
                            tracers, active_voxels, tracers_per_voxel (voxels weighted with
                            their smoke), bounds, mass, health
    manifest_sha256         digest of all of the above (`Manifest._digest`), so that nothing
                            changes unseen: a manifest in which this line is missing, or has another
                            name, is refused, too
"""

from __future__ import annotations

import errno
import glob
import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.checks import check_place, frames_are, frames_named, ranges_text, shown
from ..base.progress import Callback, Progress
from ..files.disk import explain, file_sha256, gone, remove, write_atomically
from ..files.json_text import canonical_json, parse_json, readable_json
from .manifest_form import check_whole

FORMAT = "vorton-bake"
SCHEMA = 1
FRAMES, FPS = (1, 96), 24.0
"""Of a bake or a film of a scene that does not say them."""
OF_BAKES = (".vta", ".vdb", ".npz")
"""Endings of the files that manifests tell of."""
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


def _sha256(data: Any) -> bytes:
    return hashlib.sha256(canonical_json(data).encode()).digest()


_BEGIN = readable_json({"format": FORMAT}, indent=1).encode().rstrip(b"}\n ")
"""What every manifest begins with."""
_NO_FRAMES = '\n "frames": []'
"""That line of a manifest without frames; no string in it has a line of its own."""
_DIGEST = "manifest_sha256"


class Manifest:
    """A bake as its manifest tells it.

    Parameters
    ----------
    path : path
        `FOLDER/name.json`.
    data : dict
        The content, see the head of this module.

    Attributes
    ----------
    path, data
        As given, the path as `Path`.
    others : frozenset of str
        Names of files of frames that were there before, and that it does not tell of: none of them
        is replaced by other bytes (`check_place`). Those that a killed bake had written hold what
        it writes again, and may be.
    """

    def __init__(self, path: str | os.PathLike[str], data: dict[str, Any]) -> None:
        self.path = check_place("path", path)
        if not isinstance(data, dict):
            raise TypeError(f"data = {shown(data)}: must be a dict, what a manifest holds")
        check_whole(data)
        self.data = data
        self._frames = {int(record["frame"]): record for record in data["frames"]}
        self._texts: dict[int, tuple[str, bytes]] = {}  # of frames, and the digests of their data
        self.others: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        held = frames_named(self.frames) if self._frames else "no frames"
        return f"<vorton.Manifest {str(self.path)!r}: {held}>"

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
        path = check_place("path", path)
        try:
            data = parse_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise explain(error, path, "cannot read") from error
        except ValueError as error:
            raise ValueError(f"{path}: is not the manifest of a bake: {error}") from error
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(f"{path}: is not the manifest of a bake")
        if not isinstance(data.get("schema"), int) or data["schema"] > SCHEMA:
            text = f"schema {data.get('schema')}, this vorton reads {SCHEMA}: update vorton"
            raise ValueError(f"{path}: {text}")
        told = data.pop(_DIGEST, None)
        try:
            manifest = cls(path, data)
            if told != manifest._digest():
                how = f"{_DIGEST} is missing" if told is None else "its digest differs"
                text = f"it was changed, or is damaged: {how}; move it away, and bake again"
                raise ValueError(text)
        except ValueError as error:
            raise ValueError(f"{path}: is not the whole manifest of a bake: {error}") from error
        return manifest

    @staticmethod
    def may_replace(path: Path) -> bool:
        """Whether a file that cannot be loaded was a manifest, as far as it says, or says nothing.

        A file of which the beginning was written, or that was lost to zeros, may have been one.
        """
        try:
            with open(path, "rb") as file:
                begin = file.read(len(_BEGIN))
        except OSError:
            return False
        return _BEGIN.startswith(begin) or not begin.strip(b"\0")

    @classmethod
    def all_in(cls, folder: str | os.PathLike[str]) -> list[Manifest]:
        """The manifests in a folder, by name; other JSON files are passed over."""
        found = []
        for path in sorted(check_place("folder", folder).glob("*.json")):
            try:
                found.append(cls.load(path))
            except (OSError, ValueError):
                continue
        return found

    @classmethod
    def find(cls, place: str | os.PathLike[str]) -> Manifest:
        """The manifest of a bake folder, the one at this path, or that of a file of a bake.

        Raises
        ------
        ValueError
            When the folder holds none, or several; a file that no manifest beside it names.
        OSError
            When there is no such folder or file.
        """
        place = check_place("place", place)
        if not place.is_dir():
            return cls._beside(place) if place.suffix in OF_BAKES else cls.load(place)
        found = cls.all_in(place)
        if not found:
            raise ValueError(f"{place}: holds no bake{cls._what_is_left_in(place)}")
        if len(found) > 1:
            names = ", ".join(str(manifest.path) for manifest in found)
            raise ValueError(f"{place}: holds several bakes, name one: {names}")
        return found[0]

    @classmethod
    def _what_is_left_in(cls, folder: Path) -> str:
        """Of a bake whose manifest is lost."""
        damaged = [path.name for path in sorted(folder.glob("*.json")) if cls.may_replace(path)]
        archives = [path.name for path in sorted(folder.glob("*.vta"))]
        text = f"; damaged: {', '.join(damaged)}" if damaged else ""
        if archives:
            text += f"; `vorton info {folder}` tells what {', '.join(archives)} holds"
        return text

    @classmethod
    def _beside(cls, path: Path) -> Manifest:
        if not path.exists():
            raise explain(FileNotFoundError(errno.ENOENT, ""), path, "cannot read")
        manifest = cls.of_file(path)
        if manifest is None:
            text = "no manifest (.json) beside it names it; give the folder of its bake"
            raise ValueError(f"{path}: {text}")
        return manifest

    @classmethod
    def of_file(cls, path: str | os.PathLike[str]) -> Manifest | None:
        """The manifest beside a volume, a tracer file or an archive that names it; None: none."""
        path = check_place("path", path)
        return next((m for m in cls.all_in(path.parent) if m._names(path.name)), None)

    def _names(self, name: str) -> bool:
        files = (file["name"] for record in self._frames.values() for file in record["files"])
        return name == self.data.get("archive") or name in files

    @property
    def folder(self) -> Path:
        """Where the files lie."""
        return self.path.parent

    @property
    def archive(self) -> Path | None:
        """Path of the motion archive, None: there is none."""
        name = self.data.get("archive")
        return self.folder / Path(name).name if name else None

    @property
    def no_archive(self) -> str:
        """Why it has none, as the end of a message."""
        archived = self.data.get("archived")
        if archived is not None:
            return f"no archive: it is derived from {archived['archive']}, take that"
        return "no archive: it was baked without one, or pruned of it"

    @property
    def suffixes(self) -> list[str]:
        """What the names of the files of a frame end with, in their order."""
        return [".vdb"] * (self.data["volumes"] is not None) + [".npz"] * self.data["tracers"]

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

    @property
    def lacks(self) -> str | None:
        """Which frames were not baked, as a sentence, or None: all were."""
        if not self.missing:
            return None
        made_by = "derive" if "archived" in self.data else "bake"
        return f"{frames_are(self.missing)} missing: {made_by} again to go on"

    def check_complete(self) -> None:
        """Raise ValueError for a bake that lacks frames."""
        if self.lacks:
            raise ValueError(f"{self.path}: {self.lacks}")

    def frame(self, number: int) -> dict[str, Any]:
        """The record of a frame; KeyError where it was not baked."""
        return self._frames[number]

    def file(self, number: int, suffix: str) -> Path:
        """Path of a frame's file by its suffix (".vdb", ".npz"); KeyError where there is none."""
        for file in self._frames[number]["files"]:
            if file["name"].endswith(suffix):
                return self.folder / Path(file["name"]).name
        raise KeyError(suffix)

    def damage(self, number: int, content: bool = True) -> str | None:
        """What is wrong with the files of a baked frame, or None: they are whole.

        Without `content` only whether they are there, with their sizes.
        """
        kinds = [Path(file["name"]).suffix for file in self._frames[number]["files"]]
        if kinds != self.suffixes:
            return f"frame {number} has files {kinds} instead of {self.suffixes}"
        for file in self._frames[number]["files"]:
            path = self.folder / Path(file["name"]).name
            if not path.is_file():
                return f"{path.name} is missing"
            size = path.stat().st_size
            if size != file["bytes"]:
                return f"{path.name} has {size} bytes instead of {file['bytes']}"
            try:
                if content and file_sha256(path) != file["sha256"]:
                    return f"{path.name} has changed"
            except OSError as error:
                return str(explain(error, path, "cannot read").strerror)
        return None

    def is_whole(self, number: int) -> bool:
        """Whether the frame was baked and its files are as they were written."""
        return number in self._frames and self.damage(number) is None

    def strangers(self) -> list[str]:
        """Names of files that look like those of its frames, and are not: somebody's, or stale."""
        known = {file["name"] for record in self._frames.values() for file in record["files"]}
        name, found = self.data["name"], []
        for path in sorted(self.folder.glob(f"{glob.escape(name)}_*")):
            digits, suffix = path.stem[len(name) + 1 :], path.suffix
            if digits.isdecimal() and suffix in (".vdb", ".npz") and path.name not in known:
                found.append(path.name)
        return found

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
                raise gone(path)

    # ---- writing ----

    def check_place(self, name: str, content: bytes | memoryview) -> None:
        """Raise FileExistsError where a file of that name is somebody else's (`others`)."""
        path = self.folder / name
        if name not in self.others or not path.is_file():
            return
        try:
            same = path.read_bytes() == content
        except OSError as error:
            raise explain(error, path, "cannot read") from error
        if not same:
            text = "holds something else than this bake writes there: it is damaged, or somebody's"
            more = "move it away, or give overwrite=True (--overwrite) to make it again"
            raise FileExistsError(errno.EEXIST, f"{path}: {text}; {more}")

    def add_frame(self, record: dict[str, Any]) -> None:
        """Put in (or replace) the record of a frame, and write the manifest."""
        self._frames[record["frame"]] = json_value(record)
        self._texts.pop(record["frame"], None)
        self.save()

    def save(self) -> None:
        """Write the manifest atomically; OSError where it cannot be written."""
        self.data["frames"] = [self._frames[n] for n in self.frames]
        write_atomically(self.path, self._text().encode())

    def _text(self) -> str:
        """`readable_json` of the data; a frame's text is made once, not at each save again."""
        for n in self._frames.keys() - self._texts.keys():
            text = readable_json(self._frames[n], indent=1).rstrip().replace("\n", "\n  ")
            self._texts[n] = text, _sha256(self._frames[n])
        data = {**self.data, "frames": [], _DIGEST: self._digest()}
        begin, end = readable_json(data, indent=1).split(_NO_FRAMES)
        frames = ",".join(f"\n  {self._texts[n][0]}" for n in self.frames)
        return begin + _NO_FRAMES[:-1] + frames + ("\n ]" if frames else "]") + end

    def _digest(self) -> str:
        """SHA-256 of the SHA-256 of the data without frames, and of that of each frame, as
        `canonical_json` spells them: a frame's is made once, and a file that was only laid out in
        another way has the same."""
        whole = hashlib.sha256(_sha256({**self.data, "frames": []}))
        for n in self.frames:
            whole.update(self._texts[n][1] if n in self._texts else _sha256(self._frames[n]))
        return whole.hexdigest()

    def keep(self, first: int, last: int, progress: bool | Callback = False) -> None:
        """Remove the files of all frames but these, and their records: these are the range then.

        Raises
        ------
        ValueError
            When none would be left.
        """
        if not any(first <= n <= last for n in self._frames):
            has = ranges_text(self.frames) or "none"
            raise ValueError(f"{self.path}: has frames {has}: none of {first} to {last} is left")
        self.data["first"] = max(self.data["first"], first)
        self.data["last"] = min(self.data["last"], last)
        self.remove_frames([n for n in self.frames if not first <= n <= last], progress)

    def remove_frames(self, numbers: Sequence[int], progress: bool | Callback = False) -> None:
        """Remove the files of frames, and their records; they are missing then, unless the range
        ends before."""
        names = [file["name"] for n in numbers for file in self._frames.pop(n)["files"]]
        self.drop(names, progress)

    def drop(self, names: Sequence[str] = (), progress: bool | Callback = False) -> None:
        """Save the manifest, and remove files that it tells of no more; also those that an earlier
        call could not remove, which it remembers."""
        pending = sorted({*self.data.get("removing", []), *names})
        if pending:
            self.data["removing"] = pending
            self.save()
            with Progress(len(pending), f"remove files of {self.data['name']}", progress) as steps:
                for name in pending:
                    remove(self.folder / Path(name).name)
                    steps.advance()
            del self.data["removing"]
        self.save()

    def remove_files(self, kept: Path | None = None) -> None:
        """Remove the files of all frames, its archive, unless it is to be kept, and then the
        manifest."""
        names = [file["name"] for record in self._frames.values() for file in record["files"]]
        for name in (*names, *self.data.get("removing", [])):
            remove(self.folder / Path(name).name)
        if self.archive and self.archive != kept:
            remove(self.archive)
        remove(self.path)
