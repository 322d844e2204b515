"""Pictures of smoke: cameras, lit previews of volumes, image sequences and films.

>>> from vorton.preview import Camera
>>> picture = render(sim)                               # doctest: +SKIP
>>> camera = Camera.frame((-1, -1, 0), (1, 1, 3))       # bounds of the whole shot, m
>>> picture = render(volume, camera)                    # doctest: +SKIP
>>> write_film([picture], "smoke.png")                  # doctest: +SKIP
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .extras import load_extra
from .fields import check_flag, check_integer, check_keys, check_number, check_vector, shown
from .files import check_folder, write_atomically
from .tables import Table, check_row

if TYPE_CHECKING:
    from ._core import Volume
    from .simulation import Simulation

_PREVIEW = Table("preview")
_FIELD_OF_VIEW: float = _PREVIEW.default("field_of_view")

LOOK = (
    "exposure",
    "albedo",
    "key_direction",
    "key_color",
    "sky_color",
    "ground_color",
    "background",
    "step",
    "bloom",
)
"""Names of the settings of the look: vorton.h (vt_preview_def) has units, ranges, defaults."""

FIRE_LOOK = {
    "albedo": (0.5, 0.48, 0.46),
    "key_color": (0.375, 0.365, 0.345),
    "sky_color": (0.05, 0.062, 0.08),
    "ground_color": (0.02, 0.02, 0.02),
    "background": ((0.01, 0.01, 0.01), (0.02, 0.025, 0.035)),
}
"""Settings of the look instead of the defaults where there is fire: soot, by night."""

SURROUNDINGS = 4.0
"""Bodies so many times as long as the smoke of a shot are not framed by its camera: a room that
smoke fills by a quarter is, the ground is not."""

FORMATS = (".png", ".webp", ".gif", ".mp4")
"""Endings of the files that `write_film` writes."""


# ---- camera ----


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


@dataclasses.dataclass(frozen=True)
class Camera:
    """A perspective camera.

    Parameters
    ----------
    eye, target : 3 numbers, m
        Where it is and what it looks at; they differ, and lie within 1e9.
    up : 3 numbers
        What is up in the picture, not along the view; default Z.
    field_of_view : number, degrees
        Vertical, 5 to 120, default 35.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, its value and what is allowed.
    """

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    up: tuple[float, float, float] = _PREVIEW.default("up")
    field_of_view: float = _FIELD_OF_VIEW

    def __post_init__(self) -> None:
        for name in ("eye", "target", "up", "field_of_view"):
            check = check_row(_PREVIEW.rows[name])
            object.__setattr__(self, name, check(f"Camera.{name}", getattr(self, name)))
        if self.eye == self.target:
            raise ValueError(f"Camera.target = {self.target}: must differ from eye")
        view = _unit(np.subtract(self.target, self.eye))
        if np.linalg.norm(np.cross(view, _unit(np.array(self.up)))) < 1e-5:
            raise ValueError(
                f"Camera.up = {self.up}: must not be along the view from eye to "
                f"target, {tuple(view.tolist())}"
            )

    @classmethod
    def frame(
        cls,
        lower: Any,
        upper: Any,
        size: tuple[int, int] = (640, 480),
        *,
        azimuth: float = -65.0,
        elevation: float = -5.0,
        margin: float = 0.08,
        field_of_view: float = _FIELD_OF_VIEW,
    ) -> Camera:
        """The camera that sees a whole box, from in front, a little aside and from below.

        Frame the bounds of a whole shot, not those of a frame: a camera that follows the smoke
        takes its motion away.

        Parameters
        ----------
        lower, upper : 3 numbers, m
            Corners of the box.
        size : 2 whole numbers
            Width and height of the picture in pixels: their ratio counts.
        azimuth : number, degrees
            Where the eye is around Z: 0 along +X, -90 (in front) along -Y; default -65.
        elevation : number, degrees
            How high the eye is, -80 to 80; default -5, from below, as one looks up at smoke.
        margin : number
            Free share of the picture on each side, 0 to .4, default .08.
        field_of_view : number, degrees
            Default 35.

        Returns
        -------
        Camera

        Examples
        --------
        >>> Camera.frame((-1, -1, 0), (1, 1, 2), azimuth=-90, elevation=0).target
        (0.0, 0.0, 1.0)
        """
        low = np.array(check_vector("lower", lower, unit="m"))
        high = np.array(check_vector("upper", upper, unit="m"))
        if np.any(low > high):
            raise ValueError(f"upper = {shown(upper)}: must not be below lower = {shown(lower)}")
        width, height = _check_size(size)
        around = math.radians(check_number("azimuth", azimuth))
        above = math.radians(check_number("elevation", elevation, least=-80, most=80))
        free = 1 - 2 * check_number("margin", margin, least=0, most=0.4)
        angle = check_row(_PREVIEW.rows["field_of_view"])("field_of_view", field_of_view)
        level = math.cos(above)
        back = np.array(
            [level * math.cos(around), level * math.sin(around), math.sin(above)],
        )
        right = _unit(np.cross((0.0, 0.0, 1.0), back))
        axes = np.stack([right, np.cross(back, right), back])
        half_height = free * math.tan(math.radians(angle) / 2)
        centre, distance = _fit(low, high, axes, half_height * width / height, half_height)
        return cls(tuple(centre + distance * back), tuple(centre), field_of_view=angle)


def _fit(
    low: np.ndarray, high: np.ndarray, axes: np.ndarray, half_width: float, half_height: float
) -> tuple[np.ndarray, float]:
    """Target and distance at which the corners of a box just fit a view along -axes[2].

    half_width and half_height are those of the view at distance 1.
    """
    half = np.array([half_width, half_height])
    centre = (low + high) / 2
    corners = np.array(list(itertools.product(*zip(low, high, strict=True)))) - centre
    across, towards = corners @ axes[:2].T, corners @ axes[2]
    # Left and right (bottom and top) corners lie at different depths: each wants its own shift.
    reach = towards[:, None]
    shift = ((across + reach * half).max(0) + (across - reach * half).min(0)) / 2
    distance = float((np.abs(across - shift) / half + reach).max())
    smallest = 1e-3 * max(1.0, float(np.abs(centre).max()))
    return centre + shift @ axes[:2], max(distance, smallest)


def _check_size(size: Any) -> tuple[int, int]:
    try:
        width, height = size
    except (TypeError, ValueError):
        raise TypeError(f"size = {shown(size)}: must be (width, height) in pixels") from None
    sides = enumerate({"width": width, "height": height}.items())
    width, height = (check_row(_PREVIEW.rows[name])(f"size[{i}]", n) for i, (name, n) in sides)
    return width, height


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


def _arguments(
    volume: Volume,
    camera: Camera | None,
    size: tuple[int, int],
    threads: int | None,
    look: dict[str, Any],
) -> dict[str, Any]:
    """Keyword arguments of _core.Volume.render, .extinction and .emission."""
    width, height = _check_size(size)
    check_keys(look, (*LOOK, "dye"), "preview")
    if camera is None:
        bounds = volume_bounds([volume])
        low, high = bounds or ((-1, -1, -1), (1, 1, 1))
        camera = Camera.frame(low, high, size)
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
        Default: frames this volume. Give one camera to all frames of a shot.
    size : 2 whole numbers
        Width and height in pixels, 16 to 8192, default 640 x 480.
    extinction : number, optional
        Optical depth per kg/m^2, > 0. Default: measured in this picture; for a shot measure one
        developed frame (`measure_extinction`) and give it to all, or the smoke pumps.
    emission : number, 1/m, optional
        Radiance of a metre of flame at 2000 K, > 0. Default: measured in this picture; for a shot
        measure one frame with much flame (`measure_emission`) and give it to all, or it pulses.
    fire : bool, optional
        Whether `FIRE_LOOK` takes the place of the default look; default: where the volume carries
        flame. What `look` names is as it says.
    dye : two numbers, K, optional
        Dye that shows temperature instead of fire: blue at the first or below, then cyan, green,
        yellow, and red at the second or above. The simulation must carry temperature.
    bodies : Simulation, optional
        Its solids are drawn where they are now, in plain grey, before and behind the smoke; of
        containers the walls behind their room. Default: none.
    threads : whole number, optional
        1 to 64, default all processors; the picture does not depend on it.
    **look
        exposure, albedo, key_direction, key_color, sky_color, ground_color, background, step,
        bloom: see vt_preview_def in vorton.h.

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
    arguments = _arguments(volume, camera, size, threads, {**(FIRE_LOOK if burns else {}), **look})
    if extinction is not None:
        arguments["extinction"] = check_number("extinction", extinction, above=0, unit="m^2/kg")
    if emission is not None:
        arguments["emission"] = check_number("emission", emission, above=0, unit="1/m")
    if bodies is not None:
        if not hasattr(bodies, "_core"):
            raise TypeError(f"bodies = {shown(bodies)}: must be a Simulation")
        arguments["bodies"] = bodies._core
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

    2 / the 95th percentile of the glow (m at 2000 K) along the rays that meet fire.

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

    def add(self, volume: Volume, bodies: Iterable[Any] = ()) -> None:
        """Look at one more frame, and at the bodies in it, `sim.bodies`."""
        info = volume.info()
        self.fire = self.fire or carries_fire(volume)
        self._boxes += [(np.array(b.lower), np.array(b.upper)) for b in bodies]
        if not info["active_voxels"]:
            return
        low, high = np.array(info["lower"]), np.array(info["upper"])
        self.lower = low if self.lower is None else np.minimum(self.lower, low)
        self.upper = high if self.upper is None else np.maximum(self.upper, high)
        if info["hottest"] > 0:
            self.coldest = min(self.coldest, info["coldest"])
            self.hottest = max(self.hottest, info["hottest"])
        if info["active_voxels"] > self._voxels:
            self.densest, self._voxels = volume, info["active_voxels"]
        if info["flame_volume"] > self._flame:
            self.brightest, self._flame = volume, info["flame_volume"]

    @property
    def has_bodies(self) -> bool:
        """Whether a frame has any."""
        return bool(self._boxes)

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
        Default: frames the smoke of all frames.
    extinction : number, m^2/kg, optional
        Default: measured in the frame with the most active voxels.
    emission : number, 1/m, optional
        Default: measured in the frame with the most flame.
    size, threads, look
        As for `render`; dye and fire as well.

    Yields
    ------
    (height, width, 3) uint8
    """
    survey = Survey()
    for volume in volumes:
        survey.add(volume)
    if camera is None and survey.lower is not None:
        camera = Camera.frame(survey.lower, survey.upper, size)
    light = survey.light(camera, size, threads) if camera is not None else {}
    given = {"extinction": extinction, "emission": emission}
    light.update({name: value for name, value in given.items() if value is not None})
    if look.get("dye") is not None:
        light["fire"] = False
    for volume in volumes:
        yield render(volume, camera, size, threads=threads, **{**light, **look})


# ---- files ----


def write_film(
    frames: Iterable[np.ndarray], path: str | os.PathLike[str], fps: float = 24.0
) -> list[Path]:
    """Write pictures as a film or as numbered files; the ending of `path` says which.

    ``.png``: one file, or with more than one frame ``name_0001.png`` and so on, written as the
    frames come. ``.webp``, ``.gif``: an animation that repeats. ``.mp4``: H.264, needs ffmpeg.
    Each file is written beside its target, flushed and renamed.

    Parameters
    ----------
    frames : iterable of (height, width, 3) uint8
        sRGB, at least one, all of one size.
    path : path
    fps : number, 1/s
        Frames a second, > 0, at most 1000, default 24; GIF players know steps of 1/100 s.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    ValueError
        No frame, frames of unequal size, an unknown ending.
    ImportError
        Pillow (or ffmpeg for .mp4) is missing: ``pip install "vorton[all]"``.
    OSError
        A file cannot be written.
    """
    path = Path(path)
    rate = check_number("fps", fps, above=0, most=1000, unit="1/s")
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise ValueError(f"path = {str(path)!r}: must end in one of {', '.join(FORMATS)}")
    check_folder(path.parent)  # before the frames are made
    pictures = _checked(frames)
    if ending == ".png":
        return _write_pngs(pictures, path)
    if ending == ".mp4":
        data = _encode_mp4(pictures, rate)
    else:
        data = _encode_animation(pictures, rate, ending[1:].upper())
    write_atomically(path, data)
    return [path]


def _checked(frames: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    shape = None
    for number, frame in enumerate(frames, 1):
        if not isinstance(frame, np.ndarray) or frame.dtype != np.uint8:
            raise TypeError(f"frame {number} = {shown(frame)}: must be an array of uint8")
        if frame.ndim != 3 or frame.shape[2] != 3 or 0 in frame.shape:
            raise ValueError(f"frame {number} of shape {frame.shape}: must be (height, width, 3)")
        if shape not in (None, frame.shape):
            raise ValueError(
                f"frame {number} of shape {frame.shape}: must be {shape} like the first"
            )
        shape = frame.shape
        yield np.ascontiguousarray(frame)
    if shape is None:
        raise ValueError("frames: must hold at least one picture")


def load_images() -> Any:
    """Pillow's Image; ImportError says how to get it."""
    return load_extra("PIL.Image", 'pictures need Pillow: pip install "vorton[all]"')


def _write_pngs(pictures: Iterator[np.ndarray], path: Path) -> list[Path]:
    image = load_images()
    first = list(itertools.islice(pictures, 2))
    written = []
    for number, picture in enumerate(itertools.chain(first, pictures), 1):
        target = path if len(first) == 1 else path.with_stem(f"{path.stem}_{number:04d}")
        data = io.BytesIO()
        image.fromarray(picture).save(data, "PNG")
        write_atomically(target, data.getvalue())
        written.append(target)
    return written


def _durations(count: int, fps: float, unit: int) -> list[int]:
    """Milliseconds of each frame, multiples of `unit`, so that no frame drifts from its time."""
    ticks = [round(i * 1000 / fps / unit) for i in range(count + 1)]
    return [unit * max(1, b - a) for a, b in itertools.pairwise(ticks)]


def _encode_animation(pictures: Iterator[np.ndarray], fps: float, kind: str) -> bytes:
    image = load_images()
    frames = [image.fromarray(picture) for picture in pictures]
    if kind == "GIF":
        # One palette for the shot: colours of its own for each frame would flicker. Without
        # diffusion of the error the nearest colours of Pillow make bands in dark gradients.
        strip = np.concatenate([np.asarray(frames[len(frames) * i // 4]) for i in range(4)])
        palette = image.fromarray(strip).quantize(256, image.Quantize.MAXCOVERAGE)
        dither = image.Dither.FLOYDSTEINBERG
        frames = [f.quantize(palette=palette, dither=dither) for f in frames]
        options: dict[str, Any] = {"optimize": False}
    else:
        options = {"quality": 90, "method": 4}
    durations = _durations(len(frames), fps, 10 if kind == "GIF" else 1)
    data = io.BytesIO()
    frames[0].save(
        data, kind, save_all=True, append_images=frames[1:], loop=0, duration=durations, **options
    )
    return data.getvalue()


def _even(picture: np.ndarray) -> np.ndarray:
    """With the last row and column repeated where their number is odd, as H.264 wants it."""
    height, width = picture.shape[:2]
    return np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")


def _encode_mp4(pictures: Iterator[np.ndarray], fps: float) -> bytes:
    ffmpeg = load_extra("imageio_ffmpeg", '.mp4 needs ffmpeg: pip install "vorton[all]"')
    first = _even(next(pictures))
    scaling = "scale=out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int"
    color = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1"]
    quality = ["-crf", "17", "-preset", "medium", "-movflags", "+faststart"]
    same_bytes = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        writer = ffmpeg.write_frames(
            str(film),
            (first.shape[1], first.shape[0]),
            fps=fps,
            codec="libx264",
            quality=None,
            macro_block_size=2,
            output_params=[*quality, "-vf", scaling, *color, *same_bytes],
        )
        writer.send(None)
        try:
            for picture in itertools.chain([first], map(_even, pictures)):
                writer.send(picture)
        finally:
            writer.close()
        return film.read_bytes()
