"""What is shown of a scene, a bake or a motion archive: its volumes, frame by frame."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from .. import _core
from ..archive.manifest import FPS, FRAMES, Manifest
from ..archive.manifest_form import MOST_FPS
from ..archive.reading import SUFFIX, Archive, DamageError
from ..archive.scene_files import load_scene
from ..archive.stages import mark_of
from ..bakes.bake_frames import Parts, are_in, check_region, crop
from ..bakes.bake_opening import open_archive
from ..bakes.baked_bodies import BakedBodies
from ..bakes.retime import Times, course_of, numbers_of
from ..base.checks import check_flag, check_number, check_place, frames_are, ranges_text
from ..files import tracer_files
from ..scenes.scene import Scene
from ..scenes.scene_advice import warn_of_coarse_voxel
from ..simulations.simulation import Simulation


def _names_in(scene: Scene) -> list[str]:
    """Of its bodies, as a simulation of it has them."""
    return [body.name or str(number) for number, body in enumerate(scene.bodies)]


class Shot:
    """Volumes of a scene or a bake frame by frame; iterating makes them.

    Parameters
    ----------
    scene : Scene
    numbers : sequence of int
        Numbers of the frames.
    own_fps : float, 1/s
        The frame rate of what is shown; `fps` takes its place.
    voxel, threads, sharp, region
        As of `make_film`.

    Attributes
    ----------
    mark : str
        Which bake is shown (`stages.mark_of`), "": none.
    """

    mark = ""

    def __init__(
        self,
        scene: Scene,
        numbers: Sequence[int],
        own_fps: float,
        *,
        fps: float | None = None,
        voxel: float | None = None,
        threads: int = 0,
        sharp: bool | None = None,
        region: Any = None,
    ) -> None:
        self.region = None if region is None else check_region(region)
        self.scene, self.numbers, self.threads = scene, numbers, threads
        self.fps = own_fps if fps is None else check_number("fps", fps, above=0, unit="1/s")
        self.voxel = voxel
        if voxel is not None:
            self.voxel = check_number("voxel", voxel, least=1e-9, most=1e9, unit="m")
        self.sharp = sharp is not None and check_flag("sharp", sharp)
        self.simulation: Simulation | None = None  # of what is shown, at the frame asked for last

    def __len__(self) -> int:
        return len(self.numbers)

    def names_of_bodies(self) -> list[str]:
        """Of all frames, each once; of a body without a name its number."""
        named = (name for scene in self._scenes() for name in _names_in(scene))
        return list(dict.fromkeys(named))

    def hidden(self, hide: Collection[str]) -> list[str]:
        """Which of these `simulation` has, by the names that they have there."""
        there = self.simulation.bodies if self.simulation else ()
        return [body.name for body in there if self._name(body.name) in hide]

    def _scenes(self) -> Sequence[Scene]:
        """Whose frames these are: of a branch several."""
        return [self.scene]

    def _name(self, own: str) -> str:
        """The name in the scene of a body that has one of its own in `simulation`."""
        return own

    def __iter__(self) -> Iterator[_core.Volume]:
        raise NotImplementedError


class SceneShot(Shot):
    """Volumes of a scene frame by frame; iterating simulates from the start.

    Arguments are as of `make_film`.
    """

    def __init__(self, scene: Scene, frames: tuple[int, int] | None = None, **how: Any) -> None:
        first, last = frames or FRAMES
        super().__init__(scene, range(first, last + 1), FPS, **how)
        if self.voxel is None:
            self.voxel = scene.nominal_voxel
        else:
            warn_of_coarse_voxel(scene, self.voxel, "voxel")
        self._fresh: Simulation | None = None

    def may_differ_in_temperature(self) -> bool:
        """Whether tracers carry any; known before the first step, from which the shot goes on."""
        self._fresh = Simulation(self.scene, self.fps, threads=self.threads)
        return self._fresh._core.tracers_carry("temperature")

    def __iter__(self) -> Iterator[_core.Volume]:
        sim = self._fresh or Simulation(self.scene, self.fps, threads=self.threads)
        self.simulation, self._fresh = sim, None
        for frame in range(1, self.numbers[-1] + 1):
            if frame > 1:
                sim.step()
            if frame in self.numbers:
                shown = sim if self.region is None else sim.copy()
                crop(shown, self.region)
                yield shown.volume(self.voxel, sharp=self.sharp)


class BakeShot(Shot):
    """Volumes made from the tracers of a bake, frame by frame.

    Arguments are as of `make_film`; the default voxel is that of the bake's volumes, or the scene's
    nominal one.

    Raises
    ------
    ValueError
        A bake without tracers, or without some of these frames.
    """

    def __init__(
        self, manifest: Manifest, frames: tuple[int, int] | None = None, **how: Any
    ) -> None:
        data = manifest.data
        if not data["tracers"]:
            text = (
                f"was baked without tracers, there is no smoke in it, and has {manifest.no_archive}"
            )
            if "archived" in data:
                text += "; or derive it with tracers, where frames are in between or of a region"
            raise ValueError(f"{manifest.path}: {text}")
        first, last = frames or (data["first"], max(manifest.frames, default=0))
        wanted = list(range(first, last + 1))
        if not wanted:
            raise ValueError(f"{manifest.path}: it is empty; it holds none")
        self._lacking = [n for n in wanted if n not in manifest.frames]
        if frames is not None:
            self._refuse_gaps(manifest)
        scene = Scene.from_dict(data["scene"], manifest.folder)
        super().__init__(scene, wanted, data["fps"], **_as_baked(manifest, how))
        self.voxel = self.voxel or scene.nominal_voxel
        self.manifest, self.mark = manifest, mark_of(manifest)
        self.combustion = scene.combustion._core_combustion() if scene.combustion else {}
        baked = [n for n in wanted if n not in self._lacking]
        self._bodies = BakedBodies(manifest, baked, scene, threads=self.threads)

    def _scenes(self) -> Sequence[Scene]:
        return [piece.whole for piece in self._bodies.pieces]

    def _name(self, own: str) -> str:
        return _names_in(self._piece.whole)[int(own)]

    def _refuse_gaps(self, manifest: Manifest) -> None:
        if self._lacking:
            raise ValueError(
                f"{manifest.path}: {frames_are(self._lacking)} not in it; it holds "
                f"{ranges_text(manifest.frames) or 'none'}; bake or derive them, or give frames"
            )

    def __iter__(self) -> Iterator[_core.Volume]:
        self._refuse_gaps(self.manifest)
        wanted = ("position", "density", "size", *tracer_files.CARRIED)
        for piece in self._bodies.pieces:
            self.simulation, self._piece = self._bodies.start(piece), piece
            for number in piece.numbers:
                self._bodies.move(self.simulation, number)
                try:
                    columns = tracer_files.read(self.manifest.file(number, ".npz"))
                except (OSError, ValueError) as error:
                    error.add_note(f"a file of frame {number}: bake again to repair it")
                    raise
                if self.region is not None:
                    kept = are_in(self.region, columns["position"])
                    columns = {name: values[kept] for name, values in columns.items()}
                yield _core.volume_from_tracers(
                    bodies=self.simulation._core if self.simulation else None,
                    voxel_size=self.voxel,
                    threads=self.threads,
                    sharp=self.sharp,
                    ambient_temperature=self.scene.ambient.temperature,
                    combustion=self.combustion,
                    **{name: columns[name] for name in wanted if name in columns},
                )


class ArchiveShot(Shot):
    """Volumes of the frames of a motion archive, or between them, from the states in it.

    Arguments are as of `make_film`.

    Raises
    ------
    ValueError
        An archive without some of these frames.
    """

    def __init__(
        self,
        path: Path,
        frames: tuple[int, int] | None = None,
        *,
        retime: float | None = None,
        offset: float = 0.0,
        **how: Any,
    ) -> None:
        self.path = path
        with open_archive(path) as archive:
            self._archived_fps = archive.fps
            self._times = Times(retime or archive.fps, archive.fps, offset)
            scene, numbers = archive.scene(), self._select(archive, frames)
            earlier = archive.branch.pieces if archive.branch else []
            self._earlier = [piece for _, piece in earlier]
        super().__init__(scene, numbers, self._times.fps, **how)
        manifest = Manifest.of_file(path)
        self.mark = "" if manifest is None else mark_of(manifest)

    def _scenes(self) -> Sequence[Scene]:
        return [*self._earlier, self.scene]

    def _select(self, archive: Archive, frames: tuple[int, int] | None) -> list[int]:
        try:
            if not self._times.are_archived:
                return numbers_of(archive, frames, self._times)
            numbers = archive.select(frames)
        except ValueError as error:
            if archive.lost:
                _tell_what_is_whole(error, archive)
            raise
        if frames is None:
            had = {*archive.frames, *archive.lost}
            numbers = list(range(min(had), max(had) + 1))
        return numbers

    def __iter__(self) -> Iterator[_core.Volume]:
        sim = self.simulation = Simulation(self.scene, self._archived_fps, threads=self.threads)
        self.voxel = sim.nominal_voxel if self.voxel is None else self.voxel
        with open_archive(self.path) as archive:
            course = course_of(archive, sim, self._times)
            try:
                needed = {a for n in self.numbers for a in self._times.needed(n)}
                lost = {n: why for n, why in archive.lost.items() if n in needed}
                if lost:
                    raise DamageError(self.path, lost)
                for number in self.numbers:
                    self.simulation = course.show(number, archive, Parts())
                    crop(self.simulation, self.region)
                    yield self.simulation.volume(self.voxel, sharp=self.sharp)
            except DamageError as error:
                _tell_what_is_whole(error, archive)
                raise


def _tell_what_is_whole(error: ValueError, archive: Archive) -> None:
    """What to do about frames of an archive that are damaged, as a note."""
    whole = [n for n in archive.frames if archive.damage(n) is None]
    error.add_note(
        f"bake again to repair it; {frames_are(whole) if whole else 'no frame is'} whole"
    )


def open_shot(
    place: Scene | str | os.PathLike[str],
    *,
    retime: float | None = None,
    offset: float = 0.0,
    **values: Any,
) -> Shot:
    """The shot of a scene, or in a bake folder, a manifest, an archive or a scene file."""
    if retime is not None:
        retime = check_number("retime", retime, above=0, most=MOST_FPS, unit="1/s")
    offset = check_number("offset", offset, least=0, most=1, unit="frames")
    between = {} if retime is None and not offset else {"retime": retime, "offset": offset}
    if not isinstance(place, Scene):
        place = check_place("place", place)
        if place.suffix == SUFFIX:
            return ArchiveShot(place, **between, **values)
        manifest = _find_manifest(place)
        if manifest is not None:
            return _baked_shot(manifest, between, values)
        place = load_scene(place)
    if between:
        name, value = ("retime", retime) if retime is not None else ("offset", offset)
        raise ValueError(f"{name} = {value}: goes with a bake; a scene is simulated with any fps")
    return SceneShot(place, **values)


def _find_manifest(place: Path) -> Manifest | None:
    """Of a bake there; None: it is the file of a scene."""
    if place.is_dir():
        return Manifest.find(place)
    if place.suffix.lower() == ".json" and place.is_file():
        with contextlib.suppress(ValueError):
            return Manifest.load(place)
    return None


def _baked_shot(manifest: Manifest, between: dict[str, Any], values: dict[str, Any]) -> Shot:
    """From the tracers of a bake, or where it has none, and between its frames, from its
    archive."""
    if between and manifest.archive is None:
        text = f"{manifest.no_archive}; frames in between are made from one"
        raise ValueError(f"{manifest.path}: has {text}")
    if manifest.archive is None or (manifest.data["tracers"] and not between):
        return BakeShot(manifest, **values)
    return ArchiveShot(manifest.archive, **between, **_as_baked(manifest, values))


def _as_baked(manifest: Manifest, how: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a shot; the voxel and the form of tracers that are not given are the bake's."""
    volumes = manifest.data["volumes"] or {}
    return how | {name: volumes.get(name) for name in ("voxel", "sharp") if how.get(name) is None}
