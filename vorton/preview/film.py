"""Pictures and films of a scene or of a bake: what `vorton preview` does.

The smoke is looked at twice: first to find the camera that sees all of the shot and the extinction
with which smoke of 1 kg/m^3 would read well in its largest frame, then to render. So camera and
light stand still, and thinner smoke is thinner in the picture.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..archive.manifest import FPS, FRAMES, MOST_FPS, Manifest
from ..archive.reading import SUFFIX, Archive, DamageError
from ..archive.scene_files import load_scene
from ..archive.stages import mark_of
from ..bakes.bake_frames import Parts, are_in, check_region, crop
from ..bakes.bake_opening import open_archive
from ..bakes.baked_bodies import BakedBodies
from ..bakes.origin import warn_of_changed_origin
from ..bakes.retime import Times, course_of, numbers_of
from ..base.checks import (
    check_flag,
    check_keys,
    check_number,
    check_place,
    check_vector,
    frames_are,
    ranges_text,
)
from ..base.progress import Callback, Progress
from ..definitions.animation import largest
from ..files import tracer_files
from ..files.film_files import FORMATS, write_film
from ..scenes.scene import Scene
from ..scenes.scene_advice import warn, warn_of_coarse_voxel
from ..simulations.simulation import Simulation
from ..sources.emitter import Emitter
from ..sources.points import Points
from ..sources.ring_and_tracers import Tracers
from .camera import Camera, check_size
from .rendering import LOOK, Survey, check_dye, render
from .viewpoint import see

_NOTHING_TO_DYE = "dye: shows temperature, and nothing in this scene differs in it"


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
            self.simulation = self._bodies.start(piece)
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
        super().__init__(scene, numbers, self._times.fps, **how)
        manifest = Manifest.of_file(path)
        self.mark = "" if manifest is None else mark_of(manifest)

    def _select(self, archive: Archive, frames: tuple[int, int] | None) -> list[int]:
        if not self._times.are_archived:
            return numbers_of(archive, frames, self._times)
        try:
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


def make_film(
    place: Scene | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    frames: tuple[int, int] | None = None,
    fps: float | None = None,
    retime: float | None = None,
    offset: float = 0.0,
    size: tuple[int, int] = (640, 480),
    voxel: float | None = None,
    sharp: bool | None = None,
    eye: Sequence[float] | None = None,
    target: Sequence[float] | None = None,
    azimuth: float | None = None,
    elevation: float | None = None,
    field_of_view: float = 35.0,
    extinction: float | None = None,
    dye: bool | tuple[float, float] = False,
    region: Any = None,
    threads: int = 0,
    progress: bool | Callback = True,
    **look: Any,
) -> Path:
    """Render lit smoke and fire of a scene or a bake to a picture or a film.

    Also the bodies, in plain grey, and of containers the walls behind their room, with no smoke
    outside of it; of a bake as its scene and its frames have them, but for those that
    `Simulation.set_body` moved: these keep smoke back where the scene says that they are. From an
    archive all are where they were.

    Parameters
    ----------
    place : Scene or path
        Scene, scene file (a .py is run: see `load_scene`), bake folder, manifest or motion archive
        (.vta).
    out : path
        .png: one frame; .webp, .gif, .mp4: a film.
    frames : two whole numbers, optional
        Default: all frames of a bake, 1 to 96 of a scene; of those a picture takes the last. One
        that is damaged or missing between them is an error: no film leaves it out.
    fps : number, 1/s, optional
        Default: `retime`, that of the bake, or 24.
    retime : number, 1/s, optional
        Another frame rate of the same motion, `fps` of `derive`: what a bake has between its frames
        is made from its archive as there, and frames are counted at this rate. Four times that of
        the bake, shown with its `fps`, is slow motion.
    offset : number, frames
        How much later each frame of a bake is, 0 (default) to 1, as of `derive`.
    size : two whole numbers
        Width and height in pixels, default 640 x 480.
    voxel : number, m, optional
        Default: that of the bake, or the scene's.
    sharp : bool, optional
        Thin sheets of few tracers are sheets and not dots, see `Simulation.volume`; default: as the
        bake has it, or False.
    eye, target : three numbers, m, optional
        Default: a camera that sees the smoke of the whole shot, and the bodies and rooms that are
        not much larger (`preview.SURROUNDINGS`), with no body before them as far as it can; target
        alone cannot be given.
    azimuth, elevation : number, degrees, optional
        Instead of eye: from where the default camera looks, see `Camera.frame`. Default elevation:
        -5, or where there are bodies 10, so that floors are seen from above; both differ where
        bodies would hide the smoke in the last frame (`viewpoint.see`).
    field_of_view : number, degrees
        Vertical, default 35.
    extinction : number, m^2/kg, optional
        Optical depth per kg/m^2, > 0. Default: with which smoke that is born with 1 kg/m^3 has the
        optical depth 9 in the frame with most voxels (`measure_extinction`), where it is neither
        fog nor plaster; born with 0.1 it has 0.9. Two scenes are comparable with the same number.
    dye : bool or two numbers, K
        Smoke dyed by its temperature, instead of fire: from blue at the first of two temperatures
        to red at the second; True: those of the coldest and the hottest smoke of the shot.
    region : (lower, upper), m, optional
        Only the tracers in this box, as of `derive`; default: all.
    threads : whole number
        0 (default): all processors.
    progress : bool or function
        As for `bake`.
    **look
        Instead of the default look, or that of fire: as of `render`. White ink shows before a dark
        background, black ink (albedo=(0.02, 0.02, 0.03)) before a bright one.

    Returns
    -------
    Path
        `out`.

    Raises
    ------
    ValueError, TypeError, OSError, ImportError
        A bad argument; a file that cannot be read or written; Pillow or ffmpeg is missing.

    Warns
    -----
    SceneWarning
        No frame holds smoke; frames of a derived bake are not those of what its archive holds now.
    """
    out = check_place("out", out)
    if extinction is not None:
        extinction = check_number("extinction", extinction, above=0, unit="m^2/kg")
    picture = _check_ending(out)
    check_keys(look, LOOK, "preview")
    if eye is None and target is not None:
        raise ValueError(f"target = {tuple(target)}: goes with eye")
    asked = {"azimuth": azimuth, "elevation": elevation}
    around = {name: angle for name, angle in asked.items() if angle is not None}
    if eye is not None and around:
        raise ValueError(f"{' and '.join(around)}: cannot be given together with eye")
    _try(size, eye, target, field_of_view, around, threads, look)
    how: dict[str, Any] = {"fps": fps, "voxel": voxel, "sharp": sharp}
    how |= {"threads": threads, "region": region, "retime": retime, "offset": offset}
    shot = open_shot(place, frames=frames, **how)
    if isinstance(shot, BakeShot):
        warn_of_changed_origin(shot.manifest)
    if picture and len(shot) > 1:
        if frames is not None:
            raise ValueError(f"frames = {frames}: {out.name} is one picture; give one frame")
        shot = open_shot(place, frames=(shot.numbers[-1],) * 2, **how)
    if dye is not False and dye is not True:
        dye = check_dye(dye)
    if dye is not False and isinstance(shot, SceneShot) and not shot.may_differ_in_temperature():
        raise ValueError(_NOTHING_TO_DYE)
    volumes: Iterable[Any] = list(shot) if picture else shot
    passes = 1 if picture else 2
    with Progress(passes * len(shot), f"preview {shot.scene.name}", progress) as steps:
        survey = Survey()
        for volume in volumes:
            survey.add(volume, shot.simulation.bodies if shot.simulation else ())
            if passes == 2:
                steps.advance()
        camera = _camera(survey, shot.simulation, size, eye, target, field_of_view, around)
        light = _light(survey, camera, size, threads, shot.scene, extinction)
        if dye is not False:
            light |= {"fire": False, "dye": _dye(dye, survey)}
        light |= look

        def pictures() -> Iterator[np.ndarray]:
            for volume in volumes:
                bodies = shot.simulation
                yield render(volume, camera, size, bodies=bodies, threads=threads or None, **light)
                steps.advance()

        write_film(pictures(), out, shot.fps, comment=shot.mark)
    return out


def _try(
    size: tuple[int, int],
    eye: Sequence[float] | None,
    target: Sequence[float] | None,
    field_of_view: float,
    around: dict[str, float],
    threads: int,
    look: dict[str, Any],
) -> None:
    """Raise what the pictures would, by one of nothing, before their frames are made."""
    check_size(size)
    if eye is not None and target is None:  # it will be where the smoke is
        x, y, z = check_vector("eye", eye, unit="m")
        target = (x, y - 1 if y > 0 else y + 1, z)
    camera = _camera(Survey(), None, size, eye, target, field_of_view, around)
    none = np.zeros(0, np.float32)
    nothing = _core.volume_from_tracers(
        voxel_size=1.0, position=none.reshape(0, 3), density=none, size=none
    )
    render(nothing, camera, (16, 16), fire=False, threads=threads or None, **look)


def _check_ending(out: Path) -> bool:
    """Whether it is a picture; ValueError when it is no film either."""
    if out.suffix.lower() not in FORMATS:
        raise ValueError(f"{out}: must end in one of {', '.join(FORMATS)}")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"{out.parent}: no such folder")
    return out.suffix.lower() == ".png"


def _light(
    survey: Survey,
    camera: Camera,
    size: tuple[int, int],
    threads: int,
    scene: Scene,
    extinction: float | None,
) -> dict[str, Any]:
    """Light for smoke as dense as its sources say; where there is none nothing is measured."""
    light = survey.light(camera, size, threads or None)
    if survey.densest is None:
        text = (
            "no frame holds smoke: nothing but bodies is seen. Add Tracers(...) where it should "
            "be, or give the Emitter smoke > 0"
        )
        warn(text)
    elif extinction is not None:
        light["extinction"] = extinction
    elif light["extinction"] is not None:
        light["extinction"] *= _density_at_birth(scene)
    return light


def _density_at_birth(scene: Scene) -> float:
    """The largest with which smoke of the scene is born, kg/m^3; 1 where no source bears any."""
    born = [
        source.smoke if isinstance(source, Emitter) else source.density
        for source in scene.sources
        if isinstance(source, (Emitter, Points, Tracers))
    ]
    return max((float(np.max(largest(value))) for value in born), default=0.0) or 1.0


def _dye(dye: bool | tuple[float, float], survey: Survey) -> tuple[float, float] | None:
    if not isinstance(dye, bool):
        return dye
    if survey.densest is not None and not survey.hottest:
        raise ValueError(_NOTHING_TO_DYE)
    return (survey.coldest, survey.hottest) if survey.hottest > survey.coldest else None


def _camera(
    survey: Survey,
    bodies: Simulation | None,
    size: tuple[int, int],
    eye: Sequence[float] | None,
    target: Sequence[float] | None,
    field_of_view: float,
    around: dict[str, float],
) -> Camera:
    low, high = survey.bounds() or ((-1.0,) * 3, (1.0,) * 3)
    if eye is None:
        return see(low, high, size, bodies, field_of_view=field_of_view, **around)
    if target is None:
        target = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    x, y, z = check_vector("eye", eye, unit="m")
    u, v, w = check_vector("target", target, unit="m")
    return Camera((x, y, z), (u, v, w), field_of_view=field_of_view)
