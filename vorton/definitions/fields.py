"""Fields of definitions: default, unit, range and meaning in one place, checked on creation.

A definition (`Sphere`, `VortexRing`, `Volumes` ...) is a frozen dataclass whose fields are made by
the functions below. Creating one checks and normalises every value; what it holds afterwards is
plain immutable data that goes to JSON and back without change.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..base.checks import (
    Vector,
    check_choice,
    check_keys,
    check_number,
    check_vector,
    closest,
    shown,
)
from ..base.pickled import Pickled
from ..files.json_text import canonical_json
from .docstrings import fill_docstring

# ---- what other programs call it ----

_PLACED = "the shape lies where its own numbers say, in the space of `parent`, a Transform"

_MOVES = "a `parent` moves it, Transform(position=Keys(...)); a Jet blows"

_WORDS = (  # words of others; what has which field says where to give it
    ("mass", "density", "give `density`, kg/m^3"),
    ("position location translation", "shape", _PLACED),
    ("velocity", "shape", _MOVES),
    ("rotation", "shape", "a `parent` turns it, Transform(rotation=...)"),
    ("scale", "shape", "a `parent` scales it, Transform(scale=...)"),
    ("rate", "renew", "give `renew`, fillings of the shape a second"),
    ("color colour", "smoke", "volumes have none: it is of `vorton preview --albedo`, or the host"),
    ("start", "soot", "give `time`, s"),
    ("height depth", "length", "give `length`, m"),
    ("size center", "lower", "give `lower` and `upper`, opposite corners"),
    ("file filename", "path", "give `path`"),
    ("speed", "strength", "give `strength`"),
    (
        "gusts",
        "velocity",
        "a wind that changes has keys, Wind(Keys([(0, (2, 0, 0)), (1, (3, 0, 0))], 'smooth'))",
    ),
    ("fps", "at_capacity", "give it to Simulation(scene, fps=24), or to `bake`"),
    ("frames duration", "at_capacity", "give frames=(1, 96) to `bake`"),
    (
        "domain bounds resolution",
        "at_capacity",
        "fluid goes where it wants; `spacing` is its grid's",
    ),
)


def unknown(name: str, known: Iterable[str]) -> str:
    """Tail of a message about an argument that is not known: where to give what it means."""
    known = list(known)
    meant = (text for words, needed, text in _WORDS if name in words.split() and needed in known)
    return next(meant, None) or closest(name, known)


# ---- fields ----

Check = Callable[[str, Any], Any]


def field(
    default: Any, check: Check, text: str, unit: str = "", optional: bool = False, **kind: Any
) -> Any:
    """A dataclass field with its check; `optional` lets None through.

    `kind` is what a row of a table says of its type, range and choices, for those who show fields.
    """

    def checked(name: str, value: Any) -> Any:
        return None if optional and value is None else check(name, value)

    metadata = {"check": checked, "text": text, "unit": unit, "optional": optional, "kind": kind}
    return dataclasses.field(default=default, metadata=metadata)


def number(
    default: float | None, unit: str, text: str, *, optional: bool = False, **limits: float
) -> Any:
    """Field for a number in `unit`; limits as of `check_number`."""
    return field(
        default, lambda n, v: check_number(n, v, unit=unit, **limits), text, unit, optional,
        type="number", **limits,
    )  # fmt: skip


def vector(default: Vector, unit: str, text: str, *, nonzero: bool = False) -> Any:
    """Field for three numbers in `unit`."""
    return field(
        default, lambda n, v: check_vector(n, v, unit=unit, nonzero=nonzero), text, unit,
        type="direction" if nonzero else "vector",
    )  # fmt: skip


def choice(default: str | None, choices: Iterable[str], text: str, optional: bool = False) -> Any:
    """Field for one of the named choices."""
    choices = tuple(choices)
    return field(
        default, lambda n, v: check_choice(n, v, choices), text, "", optional,
        type="choice", choices=choices,
    )  # fmt: skip


def plain(value: Any) -> Any:
    """The value as JSON has it: tuples as lists, definitions as objects."""
    if isinstance(value, Definition):
        return value.to_dict()
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _told(value: Any) -> str:
    return f"<{value.shape} {value.dtype}>" if _is_array(value) else repr(value)


class Named(Pickled):
    """Base of classes with many named arguments: one that is not known is told what it may mean."""

    __slots__ = ()

    def __new__(cls, *_values: Any, **named: Any) -> Any:
        known = list(cls._arguments())
        for name in named:
            if name not in known:
                raise TypeError(
                    f"{cls.__name__}: unknown argument {name!r}; {unknown(name, known)}"
                )
        return super().__new__(cls)

    @classmethod
    def _arguments(cls) -> Iterable[str]:
        """Names of the arguments."""
        raise NotImplementedError


def _say_more_when_set(made: type[Definition]) -> None:
    """Gives the error of the dataclass, which says that a class is frozen, what helps."""
    cls = next(base for base in made.__mro__ if "__setattr__" in base.__dict__)
    refuse = cls.__setattr__
    if hasattr(refuse, "__wrapped__"):
        return

    @functools.wraps(refuse)
    def say_more(self: Definition, name: str, value: Any) -> None:
        try:
            refuse(self, name, value)
        except dataclasses.FrozenInstanceError:
            text = self._how_to_set(name, value)
            raise dataclasses.FrozenInstanceError(text) from None

    cls.__setattr__ = say_more  # type: ignore[method-assign]


@dataclasses.dataclass(frozen=True, eq=False)
class Definition(Named):
    """Base of all definitions: immutable, checked, equal when their contents are equal."""

    _may_be_changed: ClassVar[bool] = False
    """Whether `Simulation.change` takes it."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if "__repr__" not in cls.__dict__:  # else the dataclass makes one
            cls.__repr__ = Definition.__repr__  # type: ignore[method-assign]
        fill_docstring(cls)

    def __repr__(self) -> str:
        """What makes it again: values that differ from the default; of arrays shape and type."""
        told = sorted(dataclasses.fields(self), key=lambda item: item.kw_only is True)
        values = ((item, getattr(self, item.name)) for item in told)
        given = (f"{f.name}={_told(v)}" for f, v in values if _is_array(v) or v != f.default)
        return f"{type(self).__name__}({', '.join(given)})"

    @classmethod
    def _arguments(cls) -> Iterable[str]:
        return [field.name for field in dataclasses.fields(cls)]

    def __post_init__(self) -> None:
        _say_more_when_set(type(self))
        for item in dataclasses.fields(self):
            label = f"{type(self).__name__}.{item.name}"
            value = getattr(self, item.name)
            if hasattr(value, "_core_track") and not item.metadata.get("animatable"):
                text = "cannot change in time: must be a constant"
                if item.name == "parent":
                    text = "must be a Transform, as Transform(position=Keys(...))"
                raise TypeError(f"{label} = {shown(value)}: {text}")
            value = item.metadata["check"](label, value)
            object.__setattr__(self, item.name, value)
        self._check()

    def _check(self) -> None:
        """Checks that need several fields at once; derived classes say them."""

    def _how_to_set(self, name: str, value: Any) -> str:
        """What helps where somebody sets an attribute: definitions do not change."""
        known = list(self._arguments())
        if name not in known:
            return f"{type(self).__name__}: unknown argument {name!r}; {unknown(name, known)}"
        again = f"item.replace({name}={shown(value)})"
        live = f", and sim.change(item, {again}) puts it in the place of this one"
        return (
            f"{type(self).__name__}.{name} = {shown(value)}: cannot be set, a definition stays "
            f"what it is. {again} makes another{live if self._may_be_changed else ''}"
        )

    def replace(self, **changes: Any) -> Self:
        """A copy with other values for some of the parameters, checked as a new one is."""
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: `{"type": class name, field: value, ...}` with every field written out.

        But for a `parent` that is None: the format from before transforms.
        """
        values = {f.name: plain(getattr(self, f.name)) for f in dataclasses.fields(self)}
        if values.get("parent", self) is None:
            del values["parent"]
        return {"type": type(self).__name__, **values}

    def _identity(self) -> dict[str, Any]:
        """What decides equality: to_dict without where things lie on this machine."""
        data = self.to_dict()
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Definition):
                data[item.name] = value._identity()
        return data

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._identity() == other._identity()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(canonical_json(self._identity()))


def from_dict(data: Mapping[str, Any], types: Iterable[type[Definition]], what: str) -> Definition:
    """The definition that `to_dict` wrote, of one of `types`.

    Raises
    ------
    ValueError
        Missing or unknown type, unknown key, value out of range.
    TypeError
        A value of the wrong kind.
    """
    by_name = {t.__name__: t for t in types}
    if not isinstance(data, Mapping):
        raise TypeError(f"{what}: {shown(data)} is not an object with named values")
    if "type" not in data:
        raise ValueError(f"{what}: key 'type' is missing; one of {', '.join(by_name)}")
    name = data["type"]
    if name not in by_name:
        raise ValueError(f"{what}: unknown type {shown(name)}; {closest(str(name), by_name)}")
    cls = by_name[name]
    values = {key: value for key, value in data.items() if key != "type"}
    check_keys(values, [f.name for f in dataclasses.fields(cls)], f"{what} ({name})")
    required = [f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING]
    for key in required:
        if key not in values:
            raise ValueError(f"{what} ({name}): key {key!r} is missing")
    return cls(**values)


def one_of(types: tuple[type[Definition], ...], what: str, optional: bool = False) -> Any:
    """A check for definitions of `types`, or the plain data of one; `what` is "a shape", say."""

    def check(name: str, value: Any) -> Any:
        if optional and value is None:
            return None
        if isinstance(value, Mapping):
            return from_dict(value, types, name)
        if not isinstance(value, types):
            known = ", ".join(cls.__name__ for cls in types)
            if isinstance(value, (str, os.PathLike)) and "Mesh" in known:
                known += f"; a file is Mesh({str(value)!r})"
            raise TypeError(f"{name} = {shown(value)}: must be {what}: {known}")
        return value

    return check
