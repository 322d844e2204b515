"""Pictures and films of a scene or of a bake: what `vorton preview` does.

The smoke is looked at twice: first to find the camera that sees all of the shot and the extinction
with which smoke of 1 kg/m^3 would read well in its largest frame, then to render. So camera and
light stand still, and thinner smoke is thinner in the picture.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..bakes.origin import warn_of_changed_origin
from ..base.checks import (
    check_keys,
    check_number,
    check_place,
    check_vector,
)
from ..base.progress import Callback, Progress
from ..definitions.animation import largest
from ..files.film_files import FORMATS, write_film
from ..scenes.key_advice import warn_of_keys_in_frames
from ..scenes.scene import Scene
from ..scenes.scene_warning import warn
from ..simulations.simulation import Simulation
from ..sources.emitter import Emitter
from ..sources.points import Points
from ..sources.ring_and_tracers import Tracers
from .camera import Camera, check_size
from .rendering import LOOK, Survey, check_dye, check_hidden, render
from .shots import BakeShot, SceneShot, open_shot
from .viewpoint import present

_NOTHING_TO_DYE = "dye: shows temperature, and nothing in this scene differs in it"


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
    hide: str | Iterable[str] = (),
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
    hide : name, or several
        Bodies and containers that are left out, to look into a room: neither drawn nor in the way
        of light or of the default camera, as of `render`; of one without a name its number. The
        smoke is as before. Default: none.
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
        No frame holds smoke; keys of a scene whose times seem to be numbers of frames; frames of a
        derived bake are not those of what its archive holds now.
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
    if isinstance(shot, SceneShot):
        warn_of_keys_in_frames(shot.scene, shot.fps, shot.numbers[-1])
    hide = check_hidden(hide, shot.names_of_bodies())
    if dye is not False and dye is not True:
        dye = check_dye(dye)
    if dye is not False and isinstance(shot, SceneShot) and not shot.may_differ_in_temperature():
        raise ValueError(_NOTHING_TO_DYE)
    volumes: Iterable[Any] = list(shot) if picture else shot
    passes = 1 if picture else 2
    with Progress(passes * len(shot), f"preview {shot.scene.name}", progress) as steps:
        survey = Survey()
        for volume in volumes:
            survey.add(volume, present(shot.simulation, shot.hidden(hide)))
            if passes == 2:
                steps.advance()
        there = shot.simulation, shot.hidden(hide)
        camera = _camera(survey, *there, size, eye, target, field_of_view, around)
        light = _light(survey, camera, size, threads, shot.scene, extinction)
        if dye is not False:
            light |= {"fire": False, "dye": _dye(dye, survey)}
        light |= look

        def pictures() -> Iterator[np.ndarray]:
            for volume in volumes:
                seen = {"bodies": shot.simulation, "hide": shot.hidden(hide)}
                yield render(volume, camera, size, threads=threads or None, **seen, **light)
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
    camera = _camera(Survey(), None, (), size, eye, target, field_of_view, around)
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
    hidden: Sequence[str],
    size: tuple[int, int],
    eye: Sequence[float] | None,
    target: Sequence[float] | None,
    field_of_view: float,
    around: dict[str, float],
) -> Camera:
    if eye is None:
        return survey.camera(size, bodies, hidden, field_of_view=field_of_view, **around)
    if target is None:
        low, high = survey.bounds() or ((-1.0,) * 3, (1.0,) * 3)
        target = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    x, y, z = check_vector("eye", eye, unit="m")
    u, v, w = check_vector("target", target, unit="m")
    return Camera((x, y, z), (u, v, w), field_of_view=field_of_view)
