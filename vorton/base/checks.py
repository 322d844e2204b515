"""Checks of values: each takes the name of an argument and its value, and returns the plain value.

Errors name the argument, its value and what is allowed: `TypeError` for the wrong kind of value,
`ValueError` for a value out of range or an unknown key.
"""

from __future__ import annotations

import base64
import binascii
import difflib
import itertools
import math
import numbers
import operator
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

Vector = tuple[float, float, float]

LARGEST = 1e12
"""Largest magnitude of any number: beyond it float32 positions and products have no meaning."""

ABOVE_0 = 5e-324
"""Least value of what must be larger than 0."""

ANY = LARGEST
"""A bound that is not less is none: no number of a definition is larger."""


def either(words: Iterable[str]) -> str:
    """Words as "A, B or C"."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def names_of(types: Iterable[type]) -> str:
    """Classes as "Sphere, Box or Mesh"."""
    return either(cls.__name__ for cls in types)


def shown(value: object, length: int = 60) -> str:
    """The value as an error message prints it: its repr, cut to `length` characters; a path as its
    text; of what has no repr, its type.
    """
    try:
        text = " ".join(repr(os.fspath(value) if isinstance(value, os.PathLike) else value).split())
    except Exception:  # whatever the object does
        text = f"<{type(value).__name__}>"
    return text if len(text) <= length else text[: length - 3] + "..."


def closest(name: str, known: Iterable[str]) -> str:
    """Tail of a message about an unknown name: the closest known one, or all of them."""
    known = list(known)
    match = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {match[0]!r}?" if match else f"known: {', '.join(known)}"


def check_keys(data: Mapping[str, Any], known: Iterable[str], what: str) -> None:
    """Raise ValueError for the first key of `data` that is not among `known`."""
    if not isinstance(data, Mapping):
        raise TypeError(f"{what}: {shown(data)} is not an object with named values")
    known = list(known)
    for key in data:
        if key not in known:
            raise ValueError(f"{what}: unknown key {key!r}; {closest(str(key), known)}")


def ranges_text(numbers: list[int]) -> str:
    """Ascending numbers as 1-4, 7, 9-12."""
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][-1] + 1:
            parts[-1][1:] = [n]
        else:
            parts.append([n])
    return ", ".join("-".join(map(str, part)) for part in parts)


def frames_named(numbers: list[int]) -> str:
    """Ascending frames as "frame 5" or "frames 1-4, 7"."""
    return f"frame{'' if len(numbers) == 1 else 's'} {ranges_text(numbers)}"


def frames_are(numbers: list[int]) -> str:
    """The same before what they are: "frame 5 is", "frames 1-4, 7 are"."""
    return f"{frames_named(numbers)} {'is' if len(numbers) == 1 else 'are'}"


def counted(count: int, word: str) -> str:
    """So many of a thing: "1 frame", "2 frames"."""
    return f"{count} {word}{'' if count == 1 else 's'}"


# ---- checks: each takes (argument name, value) and returns the plain value ----


def range_text(
    least: float | None = None, most: float | None = None, above: float | None = None
) -> str:
    """The range as messages say it, with a blank before it."""
    if above is not None:
        return f" > {above:g}" + (f" and <= {most:g}" if most is not None else "")
    if least is not None and most is not None:
        return f" from {least:g} to {most:g}"
    if least is not None:
        return f" >= {least:g}"
    return f" <= {most:g}" if most is not None else ""


def check_number(
    name: str,
    value: Any,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    gap: float = 0.0,
    unit: str = "",
) -> float:
    """A finite real number within its range, as float; none between 0 and gap."""
    kind = f"a finite number{range_text(gap or least, most, above)}"
    allowed = ("0, or " if gap else "") + kind + (f" ({unit})" if unit else "")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} = {shown(value)}: must be {allowed}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    except Exception as error:
        raise TypeError(f"{name} = {shown(value)}: must be {allowed}") from error
    out = (
        not math.isfinite(number)
        or abs(number) > LARGEST
        or (least is not None and number < least)
        or (most is not None and number > most)
        or (above is not None and number <= above)
        or 0 < number < gap
    )
    if out:
        unbounded = most is None and LARGEST < abs(number) < math.inf
        large = f", at most {LARGEST:g} in size" if unbounded else ""
        raise ValueError(f"{name} = {shown(value)}: must be {allowed}{large}")
    return number


def check_integer(name: str, value: Any, *, least: int, most: int) -> int:
    """A whole number within its range, as int; 3.0 is not a whole number here."""
    allowed = f"a whole number from {least} to {most}"
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} = {shown(value)}: must be {allowed}")
    try:
        number = operator.index(value)
    except Exception as error:
        raise TypeError(f"{name} = {shown(value)}: must be {allowed}") from error
    if not least <= number <= most:
        raise ValueError(f"{name} = {shown(value)}: must be {allowed}")
    return number


def check_vector(
    name: str, value: Any, *, count: int = 3, unit: str = "", nonzero: bool = False, **limits: Any
) -> tuple[float, ...]:
    """`count` finite numbers, as a tuple of floats."""
    what = f"{count} finite numbers" + (f" ({unit})" if unit else "")
    if isinstance(value, (str, bytes, Mapping, set)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} = {shown(value)}: must be {what}")
    try:
        items = list(itertools.islice(value, count + 1))
    except Exception as error:
        raise TypeError(f"{name} = {shown(value)}: must be {what}") from error
    if len(items) != count:
        shape = value.shape if isinstance(value, np.ndarray) else (len(items),)
        text = "more of them" if len(items) > count else f"shape {shape}"
        raise ValueError(f"{name} = {shown(value)} of {text}: must be {what}")
    vector = tuple(
        check_number(f"{name}[{i}]", item, unit=unit, **limits) for i, item in enumerate(items)
    )
    if nonzero and not any(vector):
        raise ValueError(f"{name} = {shown(value)}: must be {what}, not all 0")
    return vector


def freeze_floats(name: str, array: np.ndarray, most: float, what: str) -> np.ndarray:
    """The array as float32 that nobody can write, of finite numbers within +-most."""
    # Not by np.abs: the least int64 has no absolute value among those.
    far = np.float64(most)  # which float16 may not reach
    bad = np.argwhere(~((array >= -far) & (array <= far)))
    if len(bad):
        at = tuple(bad[0].tolist())
        raise ValueError(f"{name}[{', '.join(map(str, at))}] = {array[at]}: must be {what}")
    array = np.ascontiguousarray(array, dtype=np.float32)
    array.setflags(write=False)
    return array


def check_array(name: str, value: Any, kinds: str, what: str) -> np.ndarray:
    """The value as an array in its own memory, of one of the kinds of dtype ("fiu")."""
    try:
        array = np.array(value)
    except Exception:  # ragged, or whatever the object does
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in kinds:
        raise TypeError(f"{name} = {shown(value)} of dtype {array.dtype}: must be {what}")
    return array


def encode_floats(array: np.ndarray) -> dict[str, Any]:
    """An array as JSON holds it: its shape, and base64 of its floats."""
    data = base64.b64encode(array.astype("<f4").tobytes()).decode()
    return {"shape": list(array.shape), "float32": data}


def decode_floats(
    name: str, data: Mapping[str, Any], axes: int, what: str, most: int
) -> np.ndarray:
    """The array that `encode_floats` has written, of so many axes, which are `what`."""
    keys = ("shape", "float32")
    check_keys(data, keys, name)
    for key in keys:
        if key not in data:
            raise ValueError(f"{name}: key {key!r} is missing")
    if not isinstance(data["shape"], (list, tuple)) or len(data["shape"]) != axes:
        raise TypeError(f"{name}.shape = {shown(data['shape'])}: must be {what}")
    shape = [
        check_integer(f"{name}.shape[{axis}]", n, least=1, most=most)
        for axis, n in enumerate(data["shape"])
    ]
    if not isinstance(data["float32"], str):
        raise TypeError(f"{name}.float32 = {shown(data['float32'])}: must be a text in base64")
    try:
        values = np.frombuffer(base64.b64decode(data["float32"], validate=True), "<f4")
        return values.reshape(shape)
    except (ValueError, binascii.Error) as error:
        raise ValueError(f"{name}.float32: is not base64 of {shape} floats: {error}") from error


def check_flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} = {shown(value)}: must be True or False")
    return bool(value)


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """One of the named choices."""
    choices = list(choices)
    if not isinstance(value, str):
        raise TypeError(f"{name} = {shown(value)}: must be one of {', '.join(choices)}")
    if value not in choices:
        raise ValueError(f"{name} = {shown(value)}: {closest(value, choices)}")
    return value


def begin_of(item: Any) -> str:
    """Name of the time at which a source or an effect begins."""
    return "time" if hasattr(item, "time") else "start"


def check_end(item: Any, goes_with: str = "", goes_on: bool = True) -> None:
    """Raise ValueError for an `end` of what is born at once, or that is not after the beginning."""
    if item.end is None:
        return
    begin = begin_of(item)
    label, first = f"{type(item).__name__}.end = {item.end}", getattr(item, begin)
    if not goes_on:
        raise ValueError(f"{label}: goes with {goes_with}; these are born at once")
    if item.end <= first:
        raise ValueError(f"{label}: must be > {begin} = {first} (s)")


def is_array(value: Any) -> bool:
    """Whether it holds several values: a list, a tuple, an array that is not one number."""
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def check_each_axis(name: str, value: Any, count: int = 3, **limits: Any) -> Any:
    """A number, or `count` of them."""
    if is_array(value):
        return check_vector(name, value, count=count, **limits)
    return check_number(name, value, **limits)


def check_digest(name: str, value: Any) -> str:
    """A SHA-256."""
    if not isinstance(value, str):
        raise TypeError(f"{name} = {shown(value)}: must be 64 hexadecimal digits")
    if len(value) != 64 or any(c not in "0123456789abcdef" for c in value):
        raise ValueError(f"{name} = {shown(value)}: must be 64 hexadecimal digits")
    return value


def check_unchanged(what: str, now: str, expected: str | None) -> None:
    """ValueError for a file whose digest is not the one that the scene was saved with."""
    if expected not in (None, now):
        raise ValueError(
            f"{what} changed since the scene was saved "
            f"(sha256 {now[:12]}..., expected {str(expected)[:12]}...)"
        )


def check_place(name: str, value: Any) -> Path:
    """The path of a file or a folder, which need not be there."""
    allowed = "must be a path, as str or os.PathLike"
    try:
        place = Path(value)  # what it takes is what is allowed
        null = "\0" in str(place)
    except Exception as error:  # whatever the object does
        raise TypeError(f"{name} = {shown(value)}: {allowed}") from error
    if null:
        raise ValueError(f"{name} = {shown(value)}: {allowed}, without the character 0")
    return place


def check_path(name: str, value: Any, what: str) -> str:
    """The absolute path of a file, which need not be there."""
    if not isinstance(value, (str, os.PathLike)) or not str(value):
        raise TypeError(f"{name} = {shown(value)}: must be the path of a {what} file")
    return str(Path(value).absolute())


def check_file_name(name: str, value: Any) -> str:
    """A name that can begin a file name: letters, digits, `_`, `-`, `.` and blanks."""
    allowed = "1 to 64 letters, digits, _, -, . or blanks, beginning with a letter, digit or _"
    if not isinstance(value, str):
        raise TypeError(f"{name} = {shown(value)}: must be a text of {allowed}")
    fits = 1 <= len(value) <= 64 and (value[0].isalnum() or value[0] == "_")
    if not fits or not all(c.isalnum() or c in "_-. " for c in value) or value.endswith(" "):
        raise ValueError(f"{name} = {shown(value)}: must be {allowed}")
    return value
