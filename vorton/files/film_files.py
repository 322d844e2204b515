"""Pictures as files: numbered .png, and films as .webp, .gif and .mp4.

>>> write_film([picture], "smoke.png")                  # doctest: +SKIP
"""

from __future__ import annotations

import io
import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..base.checks import check_number, check_place, shown
from ..base.extras import load_extra
from .disk import check_folder, write_atomically

FORMATS = (".png", ".webp", ".gif", ".mp4")
"""Endings of the files that `write_film` writes."""


def write_film(
    frames: Iterable[np.ndarray],
    path: str | os.PathLike[str],
    fps: float = 24.0,
    *,
    comment: str = "",
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
    comment : str
        ASCII text that the files carry, as viewers show it; default: none.

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
    path = check_place("path", path)
    rate = check_number("fps", fps, above=0, most=1000, unit="1/s")
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise ValueError(f"path = {str(path)!r}: must end in one of {', '.join(FORMATS)}")
    check_folder(path.parent)  # before the frames are made
    pictures = _checked(frames)
    if ending == ".png":
        return _write_pngs(pictures, path, comment)
    if ending == ".mp4":
        data = _encode_mp4(pictures, rate, comment)
    else:
        data = _encode_animation(pictures, rate, ending[1:].upper(), comment)
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
    return _load_pillow("PIL.Image")


def _load_pillow(module: str) -> Any:
    return load_extra(module, 'pictures need Pillow: pip install "vorton[all]"')


def _write_pngs(pictures: Iterator[np.ndarray], path: Path, comment: str) -> list[Path]:
    image = load_images()
    told = _load_pillow("PIL.PngImagePlugin").PngInfo()
    if comment:
        told.add_text("Comment", comment)
    first = list(itertools.islice(pictures, 2))
    written = []
    for number, picture in enumerate(itertools.chain(first, pictures), 1):
        target = path if len(first) == 1 else path.with_stem(f"{path.stem}_{number:04d}")
        data = io.BytesIO()
        image.fromarray(picture).save(data, "PNG", pnginfo=told)
        write_atomically(target, data.getvalue())
        written.append(target)
    return written


def _durations(count: int, fps: float, unit: int) -> list[int]:
    """Milliseconds of each frame, multiples of `unit`, so that no frame drifts from its time."""
    ticks = [round(i * 1000 / fps / unit) for i in range(count + 1)]
    return [unit * max(1, b - a) for a, b in itertools.pairwise(ticks)]


_DESCRIPTION = 0x010E
"""Of a picture, in Exif."""


def _encode_animation(pictures: Iterator[np.ndarray], fps: float, kind: str, comment: str) -> bytes:
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
        options |= {"comment": comment.encode()} if comment else {}
    else:
        options = {"quality": 90, "method": 4}
        if comment:
            options["exif"] = image.Exif()
            options["exif"][_DESCRIPTION] = comment
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


def _encode_mp4(pictures: Iterator[np.ndarray], fps: float, comment: str) -> bytes:
    ffmpeg = load_extra("imageio_ffmpeg", '.mp4 needs ffmpeg: pip install "vorton[all]"')
    first = _even(next(pictures))
    scaling = "scale=out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int"
    color = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1"]
    quality = ["-crf", "17", "-preset", "medium", "-movflags", "+faststart"]
    same_bytes = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
    told = ["-metadata", f"comment={comment}"] if comment else []
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        writer = ffmpeg.write_frames(
            str(film),
            (first.shape[1], first.shape[0]),
            fps=fps,
            codec="libx264",
            quality=None,
            macro_block_size=2,
            output_params=[*quality, "-vf", scaling, *color, *same_bytes, *told],
        )
        writer.send(None)
        try:
            for picture in itertools.chain([first], map(_even, pictures)):
                writer.send(picture)
        finally:
            writer.close()
        return film.read_bytes()
