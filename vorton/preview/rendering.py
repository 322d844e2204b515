"""Lit previews of volumes, and what a shot of them has in common."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.checks import (
    check_choice,
    check_flag,
    check_integer,
    check_keys,
    check_number,
    shown,
)
from .camera import Camera, check_size
from .viewpoint import MARKS, present, see, smoke_marks

if TYPE_CHECKING:
    from .._core import Volume
    from ..simulations.simulation import Simulation

LOOK = (
    "exposure",
    "albedo",
    "key_direction",
    "key_color",
    "sky_color",
    "ground_color",
    "bounce",
    "background",
    "step",
    "bloom",
)
"""Names of the settings of the look: vorton.h (vt_preview_def) has units, ranges, defaults."""

FIRE_LOOK = {
    "exposure": 1.0,
    "albedo": (0.5, 0.48, 0.46),
    "key_color": (0.19, 0.185, 0.175),
    "sky_color": (0.045, 0.054, 0.066),
    "ground_color": (0.014, 0.014, 0.014),
    "background": ((0.006, 0.006, 0.006), (0.012, 0.015, 0.021)),
}
"""Settings of the look instead of the defaults where there is fire: soot, by night, exposed so that
the light of the fire is seen on what stands around it."""

SURROUNDINGS = 4.0
"""Bodies so many times as long as the smoke of a shot are not framed by its camera: a room that
smoke fills by a quarter is, the ground is not."""

# ---- pictures ----


def volume_bounds(volumes: Iterable[Volume]) -> tuple[np.ndarray, np.ndarray] | None:
    """Lower and upper corner of the smoke of all the volumes, m; None when there is none."""
    infos = [info for info in (volume.info() for volume in volumes) if info["active_voxels"]]
    if not infos:
        return None
    return (
        np.min([info["lower"] for info in infos], axis=0),
        np.max([info["upper"] for info in infos], axis=0),
    )


def carries_fire(volume: Volume) -> bool:
    """Whether the tracers of the volume carry flame, be there any at the moment or not."""
    return "flame" in volume.fields()


def check_dye(dye: Any) -> tuple[float, float]:
    """Temperatures (K) of the first and the last colour of a dye."""
    try:
        low, high = dye
    except (TypeError, ValueError):
        raise TypeError(f"dye = {shown(dye)}: must be two temperatures in K") from None
    low = check_number("dye[0]", low, above=0, most=1e6, unit="K")
    high = check_number("dye[1]", high, above=0, most=1e6, unit="K")
    if low == high:
        raise ValueError(f"dye = {shown(dye)}: the two temperatures must differ")
    return low, high


def check_hidden(hide: Any, known: Iterable[str]) -> list[str]:
    """Names of bodies that are known."""
    if not isinstance(hide, Iterable):
        raise TypeError(f"hide = {shown(hide)}: must be names of bodies")
    names, known = [hide] if isinstance(hide, str) else list(hide), list(known)
    if names and not known:
        raise ValueError(f"hide = {shown(hide)}: there are no bodies in the picture")
    return [check_choice("hide", name, known) for name in names]


def _hidden_in(bodies: Any, hide: Any) -> list[str]:
    """The names of what is left out of a picture with the bodies of a simulation, or of none."""
    if bodies is not None and not hasattr(bodies, "_core"):
        raise TypeError(f"bodies = {shown(bodies)}: must be a Simulation")
    return check_hidden(hide, [body.name for body in bodies.bodies] if bodies else [])


def _arguments(
    volume: Volume,
    camera: Camera | None,
    size: tuple[int, int],
    threads: int | None,
    look: dict[str, Any],
    bodies: Simulation | None = None,
    hidden: Sequence[str] = (),
) -> dict[str, Any]:
    """Keyword arguments of _core.Volume.render, .extinction and .emission."""
    width, height = check_size(size)
    check_keys(look, (*LOOK, "dye"), "preview")
    if camera is None:
        survey = Survey()
        survey.add(volume, present(bodies, hidden))
        camera = survey.camera((width, height), bodies, hidden)
    elif not isinstance(camera, Camera):
        raise TypeError(f"camera = {shown(camera)}: must be a Camera")
    count = 0 if threads is None else check_integer("threads", threads, least=1, most=64)
    seen = {"width": width, "height": height, **dataclasses.asdict(camera)}
    return {**seen, "threads": count, **look}


def render(
    volume: Volume | Simulation,
    camera: Camera | None = None,
    size: tuple[int, int] = (640, 480),
    extinction: float | None = None,
    emission: float | None = None,
    *,
    fire: bool | None = None,
    dye: tuple[float, float] | None = None,
    bodies: Any = None,
    hide: str | Iterable[str] = (),
    threads: int | None = None,
    **look: Any,
) -> np.ndarray:
    """A lit picture of smoke and fire: shadows, scattering, light of the sky, a filmic curve.

    Flame glows with the colour of a black body of its temperature and lights the smoke.

    Parameters
    ----------
    volume : Volume or Simulation
        From `Simulation.volume`. A simulation: its volume at the nominal voxel, and its bodies.
    camera : Camera, optional
        Default: frames this volume and the bodies that are not much larger (`SURROUNDINGS`), from
        where no body stands before them, as far as there is such a place. Give one camera to all
        frames of a shot.
    size : 2 whole numbers
        Width and height in pixels, 16 to 8192, default 640 x 480.
    extinction : number, optional
        Optical depth per kg/m^2, > 0. Default: measured in this picture; for a shot measure one
        developed frame (`measure_extinction`) and give it to all, or the smoke pumps.
    emission : number, 1/m, optional
        Radiance of a metre of flame at 2000 K, > 0. Default: measured in this picture, where flames
        below 1500 K are dull; for a shot measure one frame with much flame (`measure_emission`) and
        give it to all, or it pulses.
    fire : bool, optional
        Whether `FIRE_LOOK` takes the place of the default look; default: where the volume carries
        flame. What `look` names is as it says.
    dye : two numbers, K, optional
        Dye that shows temperature instead of fire: blue at the first or below, then cyan, green,
        yellow, and red at the second or above. The simulation must carry temperature.
    bodies : Simulation, optional
        Its solids are drawn where they are now, in plain grey, before and behind the smoke; of
        containers the walls behind their room. Default: none.
    hide : name, or several
        Bodies (and containers) of `bodies` that are left out of the picture: neither drawn nor in
        the way of light or of the default camera. They keep smoke back as before. Default: none.
    threads : whole number, optional
        1 to 64, default all processors; the picture does not depend on it.
    **look
        exposure, albedo, key_direction, key_color, sky_color, ground_color, bounce,
        background, step, bloom: see vt_preview_def in vorton.h.

    Returns
    -------
    (height, width, 3) uint8, sRGB

    Raises
    ------
    TypeError, ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> picture = render(sim.volume(0.02), Camera((0, -5, 1), (0, 0, 1)))   # doctest: +SKIP
    """
    if hasattr(volume, "volume"):
        bodies = volume if bodies is None else bodies
        volume = volume.volume()
    if dye is not None:
        look = {**look, "dye": check_dye(dye)}
    burns = dye is None and carries_fire(volume) if fire is None else check_flag("fire", fire)
    hidden = _hidden_in(bodies, hide)
    look = {**(FIRE_LOOK if burns else {}), **look}
    arguments = _arguments(volume, camera, size, threads, look, bodies, hidden)
    if extinction is not None:
        arguments["extinction"] = check_number("extinction", extinction, above=0, unit="m^2/kg")
    if emission is not None:
        arguments["emission"] = check_number("emission", emission, above=0, unit="1/m")
    if bodies is not None:
        arguments |= {"bodies": bodies._core, "hidden": "\n".join(hidden)}
    return volume.render(**arguments)


def measure_extinction(
    volume: Volume,
    camera: Camera | None = None,
    size: tuple[int, int] = (640, 480),
    *,
    threads: int | None = None,
) -> float | None:
    """The extinction with which this frame reads as smoke, neither fog nor plaster.

    9 / the 95th percentile of the column density (kg/m^2) over the rays that meet smoke.

    Parameters
    ----------
    volume, camera, size, threads
        As for `render`; take a developed frame.

    Returns
    -------
    float, m^2/kg, or None where no ray meets smoke
    """
    return volume.extinction(**_arguments(volume, camera, size, threads, {})) or None


def measure_emission(
    volume: Volume,
    camera: Camera | None = None,
    size: tuple[int, int] = (640, 480),
    *,
    threads: int | None = None,
) -> float | None:
    """The emission with which this frame reads as fire, neither embers nor a white hole.

    3 / the 95th percentile of the glow (m at 2000 K) along the rays that meet fire, where each
    counts for no less than a flame of 1500 K that is as long: soot in flames that burn is hotter,
    and what is left of a fire that has died would else be shown as bright as the fire was.

    Parameters
    ----------
    volume, camera, size, threads
        As for `render`; take a frame with much flame.

    Returns
    -------
    float, 1/m, or None where no ray meets fire
    """
    return volume.emission(**_arguments(volume, camera, size, threads, {})) or None


@dataclasses.dataclass
class Survey:
    """What a shot holds, found frame by frame (`add`), to choose one camera and one light for it.

    Attributes
    ----------
    lower, upper : (3,) float64 or None
        Bounds of the smoke of all frames, m; None without smoke.
    densest, brightest : Volume or None
        The one with most voxels, and the one with most flame.
    coldest, hottest : float
        Range of temperatures, K; infinity and 0 where nothing carries temperature.
    fire : bool
        Whether a frame carries flame.
    """

    lower: Any = None
    upper: Any = None
    densest: Volume | None = None
    brightest: Volume | None = None
    coldest: float = math.inf
    hottest: float = 0.0
    fire: bool = False
    _voxels: int = 0
    _flame: float = 0.0
    _boxes: list[tuple[np.ndarray, np.ndarray]] = dataclasses.field(default_factory=list)
    _marks: list[np.ndarray] = dataclasses.field(default_factory=list)

    def add(self, volume: Volume, bodies: Iterable[Any] = ()) -> None:
        """Look at one more frame, and at the bodies in it, `sim.bodies`."""
        info = volume.info()
        self.fire = self.fire or carries_fire(volume)
        boxes = [(np.array(b.lower), np.array(b.upper)) for b in bodies]
        self._boxes += boxes
        if not info["active_voxels"]:
            return
        low, high = np.array(info["lower"]), np.array(info["upper"])
        self.lower = low if self.lower is None else np.minimum(self.lower, low)
        self.upper = high if self.upper is None else np.maximum(self.upper, high)
        if boxes:
            self._marks.append(smoke_marks(volume))
        if info["hottest"] > 0:
            self.coldest = min(self.coldest, info["coldest"])
            self.hottest = max(self.hottest, info["hottest"])
        if info["active_voxels"] > self._voxels:
            self.densest, self._voxels = volume, info["active_voxels"]
        if info["flame_volume"] > self._flame:
            self.brightest, self._flame = volume, info["flame_volume"]

    def bounds(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Corners of a box (m) around the smoke of all frames, and the bodies and rooms beside it.

        Bodies that are more than `SURROUNDINGS` times as long as the smoke of the shot, such as the
        ground, are what it happens on, and not framed. None where there is neither.
        """
        smoke = [] if self.lower is None else [(self.lower, self.upper)]
        longest = SURROUNDINGS * max((np.ptp(box, 0).max() for box in smoke), default=math.inf)
        seen = [box for box in self._boxes if np.ptp(box, 0).max() <= longest < math.inf]
        if not smoke:
            seen = [box for box in self._boxes if np.isfinite(box).all()]
        boxes = smoke + seen
        if not boxes:
            return None
        return np.min([low for low, _ in boxes], 0), np.max([high for _, high in boxes], 0)

    def camera(
        self,
        size: tuple[int, int],
        bodies: Simulation | None = None,
        hidden: Sequence[str] = (),
        **around: float,
    ) -> Camera:
        """The camera of all frames: sees `bounds`, and of the smoke as much as bodies let it.

        Arguments are those of `viewpoint.see`; without anything to see it frames 2 m around 0.
        """
        low, high = self.bounds() or ((-1.0,) * 3, (1.0,) * 3)
        smoke = None if self.lower is None else (self.lower, self.upper)
        marks = np.concatenate(self._marks) if self._marks else None
        if marks is not None and len(marks) > 4 * MARKS:
            marks = np.random.default_rng(0).permutation(marks)[: 4 * MARKS]
        return see(low, high, size, bodies, hidden, smoke, marks, **around)

    def light(
        self, camera: Camera, size: tuple[int, int], threads: int | None = None
    ) -> dict[str, Any]:
        """Arguments of `render` that are measured once for the shot."""
        found: dict[str, Any] = {"fire": self.fire}
        if self.densest is not None:
            found["extinction"] = measure_extinction(self.densest, camera, size, threads=threads)
        if self.brightest is not None:
            found["emission"] = measure_emission(self.brightest, camera, size, threads=threads)
        return found


def render_shot(
    volumes: Sequence[Volume],
    camera: Camera | None = None,
    size: tuple[int, int] = (640, 480),
    extinction: float | None = None,
    emission: float | None = None,
    *,
    threads: int | None = None,
    **look: Any,
) -> Iterator[np.ndarray]:
    """Pictures of a shot with one camera, one extinction and one emission.

    Parameters
    ----------
    volumes : sequence of Volume
        One a frame; a sequence that makes them when asked is enough, each is asked for twice and
        not kept, but for two of them.
    camera : Camera, optional
        Default: frames the smoke of all frames, and bodies as `render` does, where they are when
        each volume is asked for.
    extinction : number, m^2/kg, optional
        Default: measured in the frame with the most active voxels.
    emission : number, 1/m, optional
        Default: measured in the frame with the most flame.
    size, threads, look
        As for `render`; dye, fire, bodies and hide as well.

    Yields
    ------
    (height, width, 3) uint8
    """
    survey, bodies = Survey(), look.get("bodies")
    hidden = _hidden_in(bodies, look.get("hide", ()))
    for volume in volumes:
        survey.add(volume, present(bodies, hidden))
    if camera is None and survey.bounds() is not None:
        camera = survey.camera(size, bodies, hidden)
    light = survey.light(camera, size, threads) if camera is not None else {}
    given = {"extinction": extinction, "emission": emission}
    light.update({name: value for name, value in given.items() if value is not None})
    if look.get("dye") is not None:
        light["fire"] = False
    for volume in volumes:
        yield render(volume, camera, size, threads=threads, **{**light, **look})
