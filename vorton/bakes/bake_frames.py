"""Frames of a bake: what the simulation shows at a frame, encoded, hashed and written."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import _core
from ..archive.manifest import Manifest
from ..archive.writing import ArchiveWriter
from ..base.checks import check_vector, shown
from ..files import tracer_files, vdb_files
from ..files.disk import write_atomically
from ..simulations.simulation import Simulation

PARTS = ("simulation", "state", "rasterise", "tracers", "encode", "hash", "archive", "write")


class Parts:
    """Seconds that the parts of a bake took so far.

    Attributes
    ----------
    seconds : dict
        By the names in `PARTS`. Each part is timed by one thread.
    cpu_seconds : dict
        The same of the processor, without those of other threads that help.
    """

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self.cpu_seconds = dict.fromkeys(PARTS, 0.0)

    @contextlib.contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Adds what the block takes to a part."""
        begin, cpu = time.perf_counter(), time.thread_time()
        try:
            yield
        finally:
            self.seconds[part] += time.perf_counter() - begin
            self.cpu_seconds[part] += time.thread_time() - cpu


def frame_name(name: str, number: int, suffix: str) -> str:
    """Name of a frame's file: `ring_0001.vdb`."""
    return f"{name}_{number:04}{suffix}"


@dataclasses.dataclass(frozen=True, eq=False)
class Content:
    """A file of a frame, encoded.

    Attributes
    ----------
    suffix : str
    content : bytes-like
    values : function or None
        SHA-256 of what it holds, whatever the compression; None: that of the content.
    """

    suffix: str
    content: bytes | memoryview
    values: Callable[[], str] | None


@dataclasses.dataclass(eq=False)
class Frame:
    """A frame as it was taken from the simulation, of which it shares no memory.

    What has been encoded or written it gives up: the next frames, which are made beside that, take
    that memory.

    Attributes
    ----------
    record : dict
        What the manifest says of it; of its volume and its files only once it is written.
    volume : volume or None
        Of its tracers, where the bake has volumes.
    columns : dict or None
        Of its tracers, where the bake has them, in the simulation's order.
    state : memoryview or None
        Of the simulation, where the archive lacks it.
    contents : list of Content
        Its files, once it is encoded.
    """

    record: dict[str, Any]
    volume: _core.Volume | None
    columns: dict[str, np.ndarray] | None
    state: memoryview | None = None
    contents: list[Content] = dataclasses.field(default_factory=list)


# ---- from the simulation ----


def show_columns(sim: Simulation) -> None:
    """Keep all columns of the tracers that files may want, from the first frame on.

    A state has the columns that are kept: so it is the same whichever frames a bake writes.
    """
    for name in _columns_of(sim):
        getattr(sim.tracers, name)


def _columns_of(sim: Simulation) -> list[str]:
    carried = [name for name in tracer_files.CARRIED if sim._core.tracers_carry(name)]
    return [name for name in (*tracer_files.COLUMNS, *carried) if name != "velocity"]


def threads_of(sim: Simulation) -> int:
    """How many threads the simulation takes."""
    return sim._threads or _core.available_threads()


def take_frame(
    sim: Simulation, settings: Mapping[str, Any], number: int, threads: int, parts: Parts
) -> Frame:
    """What a bake of these settings (those of the manifest) shows of the simulation now.

    The volume is made by so many threads. Loops of few microseconds would each wait for a thread
    that has no processor of its own because a frame is being written.
    """
    with parts.timed("simulation"):
        sim.update_fields()
        crop(sim, settings.get("region"))
    time = (number - 1 + settings.get("offset", 0)) / settings["fps"]
    record: dict[str, Any] = {"frame": number, "time": time, "files": []}
    record["tracers"] = sim.tracers.count
    volume = columns = None
    if settings["volumes"] is not None:
        with parts.timed("rasterise"):
            volume = _take_volume(sim, settings["volumes"], threads)
    if settings["tracers"]:
        with parts.timed("tracers"):
            columns = _take_columns(sim)
    free = {n: body for n, body in enumerate(sim.bodies) if body.free}
    if free:  # of the others the scene says where they are
        record["bodies"] = {str(n): [*body.position, *body.rotation] for n, body in free.items()}
    record["health"] = sim.health
    return Frame(record, volume, columns)


def check_region(region: Any) -> list[list[float]]:
    """Two opposite corners of a box, the lower one first; TypeError or ValueError: it is none."""
    if isinstance(region, str) or not hasattr(region, "__len__") or len(region) != 2:
        raise TypeError(f"region = {shown(region)}: must be two corners of a box, m")
    corners = [list(check_vector("region", corner)) for corner in region]
    if not all(low < high for low, high in zip(*corners, strict=True)):
        raise ValueError(f"region = {shown(region)}: the first corner must be the lower one")
    return corners


def are_in(region: Sequence[Sequence[float]], position: np.ndarray) -> np.ndarray:
    """Whether each of the positions is in a box: lower <= position < upper."""
    lower, upper = (np.array(corner) for corner in region)
    return ((position >= lower) & (position < upper)).all(axis=1)


def crop(sim: Simulation, region: Sequence[Sequence[float]] | None) -> None:
    """Remove the tracers outside of a box: lower and upper corner, m."""
    if region is not None:
        sim.tracers.remove(~are_in(region, sim.tracers.position))


def _take_volume(sim: Simulation, settings: Mapping[str, Any], threads: int) -> _core.Volume:
    return sim._core.volume(
        voxel_size=settings["voxel"],
        velocity_margin=settings["margin"],
        threads=threads,
        sharp=settings["sharp"],
    )


def columns_of_volume(sim: Simulation) -> dict[str, np.ndarray]:
    """Copies of what a volume is made of, of the tracers as they are now."""
    carried = [name for name in tracer_files.CARRIED if sim._core.tracers_carry(name)]
    names = ["position", "density", "size", *carried]
    if sim.tracers.growth.any():
        names.append("growth")
    return {name: np.array(getattr(sim.tracers, name)) for name in names}


def mean_volume(
    sim: Simulation,
    moments: Sequence[Mapping[str, np.ndarray]],
    settings: Mapping[str, Any],
    threads: int,
) -> _core.Volume:
    """The mean of the volumes of a simulation at some moments, of which `columns_of_volume` told.

    It is made of the tracers of all of them together: each has its share of the mass, by which the
    means of what they carry are weighted, too. It has no velocity. Bodies are where they are now.
    """
    scene = sim.scene
    ambient = scene.ambient.temperature
    tracers = {}
    for name in dict.fromkeys(name for columns in moments for name in columns):
        lacking = np.float32(ambient if name == "temperature" else 0)
        parts = [m.get(name, np.full(len(m["density"]), lacking)) for m in moments]
        tracers[name] = np.concatenate(parts)
    tracers["density"] /= np.float32(len(moments))
    return _core.volume_from_tracers(
        bodies=sim._core,
        voxel_size=settings["voxel"],
        threads=threads,
        sharp=settings["sharp"],
        ambient_temperature=ambient,
        combustion=scene.combustion._core_combustion() if scene.combustion else {},
        **tracers,
    )


def _about_volume(volume: _core.Volume, moments: int) -> dict[str, Any]:
    """What a record tells of a volume, which is the mean of so many moments: each tracer is in it
    as often."""
    info = volume.info()
    active = info["active_voxels"]
    tracers = info["tracers"] / moments
    return {
        "active_voxels": active,
        "tracers_per_voxel": tracers / info["filled_voxels"] if active else None,
        "bounds": [info["lower"], info["upper"]] if active else None,
        "mass": info["mass"],
    }


def _take_columns(sim: Simulation) -> dict[str, np.ndarray]:
    """Copies of the tracer columns; velocities from the fields of now."""
    columns = {name: np.array(getattr(sim.tracers, name)) for name in _columns_of(sim)}
    columns["velocity"] = sim.velocity_at(columns["position"])
    return columns


# ---- to the disk ----


def encode_frame(frame: Frame, settings: Mapping[str, Any], parts: Parts) -> None:
    """Make the contents of the frame's files, as the settings of the manifest want them."""
    with parts.timed("encode"):
        if frame.volume is not None:
            frame.record.update(_about_volume(frame.volume, settings.get("samples", 1)))
            content, plain = _encode_volume(frame.volume, settings["volumes"])
            frame.volume = None
            values = None if plain is content else partial(_sha256, plain)
            frame.contents.append(Content(".vdb", content, values))
        if frame.columns is not None:
            columns = _in_id_order(frame.columns)
            frame.columns = None
            values = partial(tracer_files.values_sha256, columns)
            frame.contents.append(Content(".npz", tracer_files.encode(columns), values))


def write_frame(
    frame: Frame, manifest: Manifest, states: ArchiveWriter | None, parts: Parts
) -> None:
    """Append the state of a frame that was encoded, write its files, and then put its record into
    the manifest."""
    if frame.state is not None and states is not None:
        with parts.timed("archive"):
            states.append(frame.state)
            frame.state = None
    if "files" not in frame.record:  # it was passed on the way to others
        return
    write_files(frame, manifest, parts)
    with parts.timed("write"):
        manifest.add_frame(frame.record)


def write_files(frame: Frame, manifest: Manifest, parts: Parts) -> None:
    """Write the files of a frame that was encoded; its record then tells of them."""
    while frame.contents:
        file = frame.contents.pop(0)
        with parts.timed("hash"):
            digest = _sha256(file.content)
            values = digest if file.values is None else file.values()
        frame.record["files"].append(_write_file(manifest, frame, file, digest, values, parts))


def _encode_volume(
    volume: _core.Volume, settings: Mapping[str, Any]
) -> tuple[memoryview, memoryview]:
    """As the settings want it, and unpacked.

    What the file holds is told by the plain encoding, the same for whoever packs better. In most
    frames it is the one: smoke and its velocity are not packed, since it would hardly pay.
    """
    how = {f"{grid}_name": name for grid, name in settings["grids"].items()}
    how["half"] = settings["half"]
    content = volume.encode_vdb(**how, compress=settings["compress"])
    if not vdb_files.is_packed(content):
        return content, content
    return content, volume.encode_vdb(**how, compress=False)


def _in_id_order(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    order = _order(columns["id"])
    return {name: column.take(order, axis=0) for name, column in columns.items()}


def _order(ids: np.ndarray) -> np.ndarray:
    """Rows by id. Where most ids are taken each row is put where its id is: that is faster."""
    least = int(ids.min(initial=np.iinfo(np.int64).max))
    span = int(ids.max(initial=least)) - least + 1
    if span > 4 * len(ids):
        return np.argsort(ids, kind="stable")
    rows = np.full(span, -1, np.int32)
    rows[ids - least] = np.arange(len(ids), dtype=np.int32)
    return rows if span == len(ids) else rows[rows >= 0]


def _sha256(content: bytes | memoryview) -> str:
    return hashlib.sha256(content).hexdigest()


def _write_file(
    manifest: Manifest, frame: Frame, file: Content, digest: str, values: str, parts: Parts
) -> dict[str, Any]:
    """Write a file and give what the manifest says of it."""
    name = frame_name(manifest.data["name"], frame.record["frame"], file.suffix)
    with parts.timed("write"):
        manifest.check_place(name, file.content)
        write_atomically(manifest.folder / name, file.content)
    size = len(file.content)
    return {"name": name, "bytes": size, "sha256": digest, "values_sha256": values}
