"""Numbers that change in time.

Wherever a parameter says "animatable" it takes a constant, `Keys`, `Samples`, or a bare list or
array with a value for each frame of the simulation, from its beginning (`Samples` without `fps`);
but for points, where a list has a value for each point.

What says nothing of the kind stays what it is: how fine the flow is resolved (core radii of
emitters, spacing), which sizes memory and grid; how many there are at once, seeds, and times from
and to when; the numbers of what is born at one time (rings, filaments, tubes, clouds), since only
those of its birth would matter; centres and corners of shapes, which a moving `parent` places; and
the shapes of bodies, which are rigid.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .. import _core
from ..base.checks import check_choice, check_number, check_vector, is_array, shown
from .fields import Definition, choice, field, from_dict, number

INTERPOLATIONS = ("constant", "linear", "smooth")

LATEST = 1e9
"""Times lie within this many seconds, as in the core."""

Value = float | tuple[float, ...]


_frame_rate: contextvars.ContextVar[float | None] = contextvars.ContextVar("fps", default=None)


@contextlib.contextmanager
def frame_rate(fps: float) -> Iterator[None]:
    """Within it `Samples` that do not say their frame rate have that of a simulation, 1/s."""
    token = _frame_rate.set(fps)
    try:
        yield
    finally:
        _frame_rate.reset(token)


def _check_value(name: str, value: Any) -> Value:
    """A number or several: which of them, and their range, the parameter says later."""
    if not is_array(value):
        return check_number(name, value)
    if not 1 <= len(value) <= 16:
        raise ValueError(f"{name} = {shown(value)}: must be a number, or 1 to 16 numbers")
    return check_vector(name, value, count=len(value))


def _check_same_length(name: str, values: list[Value]) -> None:
    lengths = [np.shape(value) for value in values]
    for index, length in enumerate(lengths):
        if length != lengths[0]:
            text = f"must hold as many numbers as value 0, {shown(values[0])}"
            raise ValueError(f"{name}: value {index} = {shown(values[index])}: {text}")


@dataclasses.dataclass(frozen=True, eq=False)
class Animation(Definition):
    """Base of `Keys` and `Samples`: a function of time."""

    def _values(self) -> tuple[Value, ...]:
        raise NotImplementedError

    def _times(self) -> tuple[float, ...]:
        raise NotImplementedError

    def _where(self, index: int) -> str:
        """How errors call a value."""
        raise NotImplementedError

    def _with(self, values: list[Value]) -> Any:
        """The same with other values."""
        raise NotImplementedError

    def _core_track(self) -> dict[str, Any]:
        """Members of vt_track (csrc/include/vorton.h)."""
        raise NotImplementedError

    def _check_each(self, name: str, check: Callable[[str, Any], Any]) -> Any:
        """Itself, with every value passed through the check of a parameter."""
        return self._with(
            [check(f"{name}: {self._where(i)}", v) for i, v in enumerate(self._values())]
        )

    def at(self, time: float) -> Value:
        """Value at a time in s: the first key's before it, the last key's after it.

        Examples
        --------
        >>> Keys([(0, 1), (2, 5)]).at(0.5)
        2.0
        """
        return self._value(_core.evaluate_track(self._core_track(), check_number("time", time)))

    def integral(self, start: float, end: float) -> Value:
        """Exact integral from one time to another, s."""
        times = check_number("start", start), check_number("end", end)
        return self._value(_core.integrate_track(self._core_track(), *times))

    def _value(self, found: np.ndarray) -> Value:
        return tuple(found.tolist()) if isinstance(self._values()[0], tuple) else found.tolist()[0]


def _check_keys(name: str, value: Any) -> tuple[tuple[Any, ...], ...]:
    what = "a list of keys (time, value) or (time, value, interpolation)"
    if not is_array(value):
        raise TypeError(f"{name} = {shown(value)}: must be {what}")
    if not len(value):
        raise ValueError(f"{name} = {shown(value)}: must be {what}, at least one")
    keys = []
    for index, key in enumerate(value):
        label = f"{name}[{index}]"
        if not is_array(key) or not 2 <= len(key) <= 3:
            raise TypeError(f"{label} = {shown(key)}: must be {what}")
        time = check_number(f"{label}: time", key[0], least=-LATEST, most=LATEST, unit="s")
        if keys and not time > keys[-1][0]:
            text = f"must be later than that of the key before, {keys[-1][0]:g} s"
            raise ValueError(f"{label}: time = {time:g} s: {text}")
        kind = [check_choice(f"{label}: interpolation", k, INTERPOLATIONS) for k in key[2:]]
        keys.append((time, _check_value(f"{label}: value", key[1]), *kind))
    _check_same_length(name, [key[1] for key in keys])
    return tuple(keys)


@dataclasses.dataclass(frozen=True, eq=False)
class Keys(Animation):
    """Keyframes.

    Before the first key the value is the first, after the last the last. From a key to the next it
    stays (constant), runs straight (linear), or eases: smooth passes through the keys without a
    jerk, never leaves the range of the two keys that it is between, and starts and ends flat (the
    monotone cubic of Fritsch and Butland; between two keys alone it is a smoothstep).

    Parameters
    ----------
    keys : list of (time, value) or (time, value, interpolation)
        Times in s, each later than the one before, within 1e9; they count from the beginning of the
        simulation. Values are numbers, or tuples where the parameter has several. The interpolation
        is that from this key to the next.
    interpolation : "constant", "linear" or "smooth"
        Of the keys that do not say, default "linear".

    Raises
    ------
    ValueError, TypeError
        Times that do not grow, values that are not finite; what the parameter does not allow is
        refused where the keys are used, with the number of the key.

    Examples
    --------
    >>> Keys([(0, 0), (1, 100), (3, 100), (4, 0)], "smooth").at(0.5)
    50.0
    """

    keys: tuple[tuple[Any, ...], ...] = field(dataclasses.MISSING, _check_keys, "keyframes")
    interpolation: str = choice("linear", INTERPOLATIONS, "of keys that do not say")

    def _check(self) -> None:
        keys = tuple(k[:2] if k[2:] == (self.interpolation,) else k for k in self.keys)
        object.__setattr__(self, "keys", keys)

    def _values(self) -> tuple[Value, ...]:
        return tuple(key[1] for key in self.keys)

    def _times(self) -> tuple[float, ...]:
        return tuple(key[0] for key in self.keys)

    def _where(self, index: int) -> str:
        return f"key {index} (t = {self.keys[index][0]:g} s)"

    def _with(self, values: list[Value]) -> Keys:
        keys = [(k[0], v, *k[2:]) for k, v in zip(self.keys, values, strict=True)]
        return Keys(keys, self.interpolation)

    def _core_track(self) -> dict[str, Any]:
        kinds = [key[2] if len(key) == 3 else self.interpolation for key in self.keys]
        return {
            "times": np.array([key[0] for key in self.keys]),
            "values": np.array(self._values()).reshape(len(self.keys), -1),
            "interpolation": bytes(INTERPOLATIONS.index(kind) for kind in kinds),
        }


def _check_samples(name: str, value: Any) -> tuple[Value, ...]:
    if not is_array(value):
        raise TypeError(f"{name} = {shown(value)}: must be an array with a value for each frame")
    if not len(value):
        raise ValueError(f"{name} = {shown(value)}: must hold at least one value")
    values = [_check_value(f"{name}[{i}]", v) for i, v in enumerate(value)]
    _check_same_length(name, values)
    return tuple(values)


@dataclasses.dataclass(frozen=True, eq=False)
class Samples(Animation):
    """An array with a value for each frame, linear between the frames.

    Value n is that of the time start + n / fps; before the first the value is the first, after the
    last the last.

    Parameters
    ----------
    values : array, (frames,) or (frames, numbers of the parameter)
    fps : number, 1/s, optional
        Frames a second, > 0; default: that of the simulation or bake that they are used in.
    start : number, s
        Time of the first value, default 0.

    Examples
    --------
    >>> Samples([0, 10, 40], fps=2).at(0.75)
    25.0
    """

    values: tuple[Value, ...] = field(dataclasses.MISSING, _check_samples, "value of each frame")
    fps: float | None = number(None, "1/s", "frames a second", above=0, most=1e9, optional=True)
    start: float = number(0.0, "s", "time of the first value", least=-LATEST, most=LATEST)

    def _values(self) -> tuple[Value, ...]:
        return self.values

    def _rate(self) -> float:
        fps = _frame_rate.get() if self.fps is None else self.fps
        if fps is None:
            text = (
                "the frame rate is that of the simulation; give it here: Samples(values, fps=...)"
            )
            raise ValueError(f"Samples.fps = None: {text}")
        return fps

    def _times(self) -> tuple[float, ...]:
        return tuple(self.start + i / self._rate() for i in range(len(self.values)))

    def _where(self, index: int) -> str:
        if self.fps is None:
            return f"value {index}"
        return f"value {index} (t = {self.start + index / self.fps:g} s)"

    def _with(self, values: list[Value]) -> Samples:
        return Samples(values, self.fps, self.start)

    def _core_track(self) -> dict[str, Any]:
        values = np.array(self.values).reshape(len(self.values), -1)
        return {"values": values, "start": self.start, "rate": self._rate()}


ANIMATIONS: tuple[type[Animation], ...] = (Keys, Samples)


# ---- fields that may be animated ----


def animatable(constant: Any, keys: Any = None, depth: int | None = None) -> Any:
    """The field `constant` (of fields.py), made to take `Keys` and `Samples` too.

    Each of their values goes through the check of `constant`, or of the field `keys` where what
    they may be differs. A list that is nested deeper than the default, or than `depth`, has a value
    for each frame; a tuple in the place of a number has not.
    """
    check = constant.metadata["check"]
    check_key = (keys or constant).metadata["check"]
    depth = int(is_array(constant.default)) if depth is None else depth  # 0: a number, 1: several

    def checked(name: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            value = from_dict(value, ANIMATIONS, name)
        if depth == 0 and isinstance(value, tuple):  # a point that was meant for another parameter
            text = "must be a number; a list or an array has one for each frame"
            raise TypeError(f"{name} = {shown(value)}: {text}")
        if _are_keys(value, depth):
            what = (
                "a list or an array has a value for each frame; keys (time, value) are Keys([...])"
            )
            raise TypeError(f"{name} = {shown(value)}: {what}")
        if _is_deeper(value, depth):
            value = Samples(_check_samples(name, value))
        if isinstance(value, Animation):
            return value._check_each(name, check_key)
        return check(name, value)

    above = constant.metadata["kind"].get("above") == 0
    from_0 = above and keys is not None and keys.metadata["kind"].get("least") == 0
    metadata = {**constant.metadata, "check": checked, "animatable": True, "keys_from_0": from_0}
    return dataclasses.field(default=constant.default, metadata=metadata)


def _is_deeper(value: Any, depth: int) -> bool:
    """Whether it holds lists in lists: a number has depth 0, several numbers have depth 1."""
    for _ in range(depth):
        if not is_array(value) or not len(value):
            return False
        value = value[0]
    return is_array(value)


def _are_keys(value: Any, depth: int) -> bool:
    """Whether it holds (time, value) where a value for each frame would be, of that depth."""

    def is_key(item: Any) -> bool:
        is_pair = is_array(item) and (
            len(item) == 2 or (len(item) == 3 and isinstance(item[2], str))
        )
        return is_pair and not is_array(item[0]) and is_array(item[1]) == bool(depth)

    plain = type(value) in (list, tuple) and len(value) > 0
    return plain and _is_deeper(value, depth) and all(is_key(item) for item in value)


def value_at(value: Any, time: float) -> Any:
    """What a constant, `Keys` or `Samples` is at a time, s."""
    return value.at(time) if isinstance(value, Animation) else value


def largest(value: Any) -> float:
    """Largest number that a constant, `Keys` or `Samples` ever is."""
    return max(value._values()) if isinstance(value, Animation) else value


def smallest(value: Any) -> float:
    """Smallest number that a constant, `Keys` or `Samples` ever is."""
    return min(value._values()) if isinstance(value, Animation) else value


def mapped(function: Callable[..., Any], *values: Any) -> Any:
    """The function of constants, `Keys` and `Samples`; where several change, at the keys of the
    first of these.
    """
    moving = next((value for value in values if isinstance(value, Animation)), None)
    if moving is None:
        return function(*values)
    if sum(isinstance(value, Animation) for value in values) == 1:
        times: tuple[Any, ...] = (None,) * len(moving._values())
    else:
        times = moving._times()
    made = []
    for index, time in enumerate(times):
        now = [
            value._values()[index] if value is moving else value_at(value, time) for value in values
        ]
        made.append(function(*now))
    return moving._with(made)


def scaled(value: Any, factor: float) -> Any:
    """`factor` times a constant, `Keys` or `Samples` of numbers."""
    if isinstance(value, Animation):
        return value._with([v * factor for v in value._values()])
    return value * factor


def above_0(value: Animation, start: float) -> Keys:
    """From `start` on, s: 1 while numbers that are never below 0 are above it, else 0."""
    times, numbers = value._times(), value._values()
    kinds = value._core_track().get("interpolation", b"\1" * len(times))
    later = [
        INTERPOLATIONS[kind] != "constant" and n
        for kind, n in zip(kinds[:-1], numbers[1:], strict=True)
    ]
    keys = [(t, float(n > 0 or m > 0)) for t, n, m in zip(times, numbers, [*later, 0], strict=True)]
    if start < times[0]:
        keys.insert(0, (start, float(numbers[0] > 0)))
    return Keys(keys, "constant")


def split(**values: Any) -> dict[str, Any]:
    """Keyword arguments for the core: constants by name, `animations` in a dict of their own."""
    moving = {k: v._core_track() for k, v in values.items() if isinstance(v, Animation)}
    fixed = {k: v for k, v in values.items() if k not in moving}
    return {**fixed, "animations": moving} if moving else fixed
