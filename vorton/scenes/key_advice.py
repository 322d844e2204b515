"""What a bake or a film of a scene is warned of: keys that it never comes to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from ..definitions.animation import Keys
from ..definitions.fields import Definition
from .scene import Scene
from .scene_warning import warn

__all__ = ["warn_of_keys_in_frames"]

FAR_KEYS = 5.0
"""Last key over the length of a film, from which keys that it never comes to are hardly those of a
longer one of which it is the beginning."""

LEAST_FRAMES = 12.0
"""Last key, below which it is hardly the number of a frame: of few frames nobody makes an
animation, but a picture, or a bake to look at, of a scene that goes on for some seconds."""

LATE_FRAMES = 1.5
"""Last key over the last frame, up to which it may be the number of a frame."""


def _keys_in(value: Any, name: str) -> Iterator[tuple[str, Keys]]:
    """Those of a definition and all that it is made of, by name."""
    if isinstance(value, Keys):
        yield name, value
    elif isinstance(value, Definition):
        for item in dataclasses.fields(value):
            yield from _keys_in(getattr(value, item.name), f"{name}.{item.name}")
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            if isinstance(item, Definition):
                yield from _keys_in(item, f"{name}[{index}]")


def _keys_of(scene: Scene) -> Iterator[tuple[str, Keys]]:
    for name in ("gravity", "wind", "viscosity", "thermal_diffusivity"):
        yield from _keys_in(getattr(scene, name), f"Scene.{name}")
    for group in ("sources", "effects", "bodies"):
        for index, item in enumerate(getattr(scene, group)):
            yield from _keys_in(item, f"{group}[{index}]: {type(item).__name__}")


def _are_frames(times: tuple[float, ...], end: float, last: int) -> bool:
    """Whether they may be numbers of frames of a film up to frame `last`, at `end` s."""
    far = len(times) > 1 and times[1] > end and times[-1] > FAR_KEYS * end
    may_be = LEAST_FRAMES <= times[-1] <= LATE_FRAMES * last
    return far and may_be and all(time.is_integer() for time in times)


def warn_of_keys_in_frames(scene: Scene, fps: float, last: int) -> None:
    """Keys whose times are the numbers of frames, and would be seconds, of a film up to `last`."""
    end = (last - 1) / fps
    found = [
        (name, keys) for name, keys in _keys_of(scene) if _are_frames(keys._times(), end, last)
    ]
    if not found:
        return
    name, keys = found[0]
    times = keys._times()
    others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    warn(
        f"{name}{others}: its keys after the first, from {times[1]:g} s to {times[-1]:g} s, are "
        f"never reached: frame {last}, the last, is at {end:.3g} s. Times of keys are in seconds: "
        f"that of frame n is (n - 1) / {fps:g}"
    )
