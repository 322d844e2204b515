"""What an artist can set, from the definitions of vorton: name, range, unit, default and text.

A `Setting` says of a field of a definition what a property of Blender has to know. Nothing is said
twice: ranges, units and defaults come from the field, texts from the docstring of its class.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Collection, Mapping
from typing import Any

from ...base.checks import ABOVE_0, ANY
from ...definitions.tables import NUMBERS
from ..poses import short

LEAST_ABOVE_0 = 1e-9
"""What a slider of numbers > 0 may be set to at least."""

MOST_WHOLE = 2**31 - 1
"""Largest whole number of a property of Blender, also of seeds, which else have 64 bits."""

UNITS = {
    "m": "LENGTH",
    "m/s": "VELOCITY",
    "m/s^2": "ACCELERATION",
    "s": "TIME_ABSOLUTE",
    "K": "TEMPERATURE",
    "radians": "ROTATION",  # which Blender shows in degrees
}
"""Units that Blender shows as the scene wants them; of all others the name of the setting tells."""

PER_LENGTH = ("LENGTH", "VELOCITY", "ACCELERATION")
"""Units whose numbers are scaled with the unit of length of a scene."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """A field of a definition as something to set.

    Attributes
    ----------
    name : str
        Of the field.
    kind : "number", "whole", "flag", "choice" or "vector"
    default : number, text, flag or vector
        Where the field is optional: what the number begins with when it is switched on.
    optional : bool
        Whether it may be None, which is then its default.
    animatable : bool
        Whether it may change in time.
    unit : str
        As the tables of vorton say it.
    text : str
        What it means.
    least, most : number or None
        None: there is no bound.
    choices : tuple of str
        Of a choice.
    """

    name: str
    kind: str
    default: Any
    optional: bool
    animatable: bool
    unit: str
    text: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def blender_unit(self) -> str:
        """The unit by the name that Blender has for it, or NONE."""
        return UNITS.get(self.unit, "NONE")

    @property
    def words(self) -> str:
        """The name for people."""
        return self.name.replace("_", " ").capitalize()

    @property
    def label(self) -> str:
        """The words, with the unit where neither Blender nor they say it."""
        shown = self.unit and self.blender_unit == "NONE" and self.words.lower() not in self.unit
        return f"{self.words} ({self.unit})" if shown else self.words

    @property
    def switch(self) -> str:
        """Name of the flag that says whether an optional number is given."""
        return f"use_{self.name}"

    @property
    def count(self) -> int:
        """How many numbers a vector has."""
        return len(self.default) if self.kind == "vector" else 1

    def properties(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """The properties of Blender: by name the function of `bpy.props` and its arguments."""
        arguments: dict[str, Any] = {"name": self.label, "description": self.text}
        arguments["options"] = {"ANIMATABLE"} if self.animatable else set()
        made: dict[str, tuple[str, dict[str, Any]]] = {}
        if self.optional:
            text = f"Give {self.name.replace('_', ' ')} instead of leaving it to vorton"
            made[self.switch] = "BoolProperty", {"name": f"Set {self.label}", "description": text,
                                                 "options": set()}  # fmt: skip
        arguments["default"] = self.default
        if self.kind == "choice":
            items = [(word, word.replace("_", " ").capitalize(), "") for word in self.choices]
            made[self.name] = "EnumProperty", {**arguments, "items": items}
            return made
        bounds = {"min": self.least, "max": self.most}
        arguments |= {key: bound for key, bound in bounds.items() if bound is not None}
        kinds = {"flag": "BoolProperty", "whole": "IntProperty", "vector": "FloatVectorProperty"}
        if self.kind in ("number", "vector"):
            arguments |= {"unit": self.blender_unit, "precision": 3}
        if self.kind == "vector":
            arguments["size"] = self.count
        made[self.name] = kinds.get(self.kind, "FloatProperty"), arguments
        return made

    def read(self, group: Any, length: float = 1.0) -> Any:
        """The value in a group of properties, as the definition takes it.

        Parameters
        ----------
        group : bpy.types.PropertyGroup
        length : float
            Metres of a unit of Blender.
        """
        if self.optional and not getattr(group, self.switch):
            return None
        value = getattr(group, self.name)
        scale = length if self.blender_unit in PER_LENGTH else 1.0
        if self.kind == "vector":
            return tuple(short(number) * scale for number in value)
        return short(value) * scale if self.kind == "number" else value

    def write(self, group: Any, value: Any, length: float = 1.0) -> None:
        """Set the value in a group of properties; `read` gives it back."""
        if self.optional:
            setattr(group, self.switch, value is not None)
            if value is None:
                return
        scale = length if self.blender_unit in PER_LENGTH else 1.0
        if self.kind == "vector":
            value = tuple(number / scale for number in value)
        elif self.kind == "number":
            value = value / scale
        setattr(group, self.name, value)


def settings_of(cls: type, hidden: Collection[str] = ()) -> dict[str, Setting]:
    """What can be set of a definition, by name, in the order of its fields.

    Parameters
    ----------
    cls : type
        A class of definitions.
    hidden : names
        Fields to leave out. So are those that are no numbers, flags or choices.
    """
    texts = documentation(cls)
    return fields_settings({f.name: f for f in dataclasses.fields(cls)}, texts, hidden)


REFERENCE = re.compile(r"[:,]? ?\b[Aa]s of `[\w.]+`:? ?")
"""What says in a docstring that another class tells more."""

CODE = re.compile(r"`(?:\w+[.(])?(\w+)(?:=(?:\.\.\.|([^`)]+)))?\)?`|\b[Mm]ethod\.(\w+)")
"""Names of Python in a docstring: `name`, `Class.name`, `Class(name=value)`."""

LABELS = {"UniformForce": "Push", "Surface": "Skin"}
"""What artists call classes that the texts of settings name."""

JOINED = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
"""Names of several words as tables have them."""

FLAG = re.compile(r"\b([Dd]efault) (True|False)\b")


def for_artists(text: str, own: str) -> str:
    """A docstring for those who see the names of settings, and no classes of Python.

    Parameters
    ----------
    text : str
        What the docstring says of a field.
    own : str
        What the table of the field says, which takes the place of "as of `Class`".
    """
    rest = REFERENCE.sub("", text)
    if rest != text:
        text = ". ".join(part[:1].upper() + part[1:] for part in (own, rest) if part)
    text = CODE.sub(lambda found: _as_label(*found.groups()), text)
    text = JOINED.sub(lambda found: found[0].replace("_", " "), text).replace("2^64", "2^31")
    return FLAG.sub(lambda found: f"{found[1]} {'on' if found[2] == 'True' else 'off'}", text)


def _as_label(name: str | None, value: str | None, of_method: str | None) -> str:
    name = name or of_method or ""
    words = LABELS.get(name, name.replace("_", " "))
    words = words[:1].upper() + words[1:] + (f" {value}" if value else "")
    return f"{words} (Method)" if of_method else words


def fields_settings(
    fields: Mapping[str, Any], texts: Mapping[str, str], hidden: Collection[str] = ()
) -> dict[str, Setting]:
    """The settings of fields by name; `texts` says more of some than the field does."""
    found = {}
    for name, field in fields.items():
        made = None if name in hidden else _setting(name, field, texts.get(name))
        if made is not None:
            found[name] = made
    return found


def _setting(name: str, field: Any, text: str | None) -> Setting | None:
    metadata = field.metadata
    row = metadata.get("row") or {**metadata["kind"], "optional": metadata["optional"]}
    kind = _kind(row.get("type"), field.default)
    if kind is None:
        return None
    least, most = _bounds(row, kind)
    default = field.default
    if default is None or default is dataclasses.MISSING:
        default = _first(row, metadata["unit"], least, most)
    if kind == "vector":
        default = tuple(float(number) for number in default)
    if kind == "whole":
        default = int(default)
    return Setting(
        name, kind, default, row["optional"], bool(metadata.get("animatable")), metadata["unit"],
        for_artists(text or metadata["text"], metadata["text"]), least, most,
        tuple(row.get("choices") or ()),
    )  # fmt: skip


def _kind(kind: str | None, default: Any) -> str | None:
    if kind in ("number", "limit") or (kind == "pair" and isinstance(default, float)):
        return "number"
    if kind in NUMBERS:
        return "vector"
    if kind in ("whole", "count", "seed"):
        return "whole"
    return kind if kind in ("flag", "choice") else None


def _bounds(row: Mapping[str, Any], kind: str) -> tuple[float | None, float | None]:
    if kind not in ("number", "whole", "vector") or row["type"] == "direction":
        return None, None
    if row["type"] == "seed":
        return 0, MOST_WHOLE
    least, most = row.get("least"), row.get("most")
    if row.get("or_0") or row.get("keys_from_0"):
        least = 0
    if row.get("above") is not None or least == ABOVE_0:
        least = LEAST_ABOVE_0
    least = least if least is not None and least > -ANY else None
    most = most if most is not None and most < ANY else None
    if kind == "whole":
        return int(least or 0), int(min(most or MOST_WHOLE, MOST_WHOLE))
    return least, most


def _first(row: Mapping[str, Any], unit: str, least: float | None, most: float | None) -> float:
    """What an optional number begins with: the core's own default where that is in range."""
    default = row.get("default")
    if default is not None and (least or 0) <= default <= (most or 1.0) and default > 0:
        return default
    from ...definitions.ambient import Air

    first = {"K": Air().temperature, "m": 0.1}.get(unit, 1.0)
    return max(least or 0.0, min(first, first if most is None else most))


def documentation(cls: type) -> dict[str, str]:
    """What the docstring of a class says of each of its fields."""
    found: dict[str, str] = {}
    names: list[str] = []
    for base in reversed(cls.__mro__):
        lines = inspect.cleandoc(base.__doc__ or "").split("\n") if base is not object else []
        for line in lines:
            head = re.match(r"([a-z]\w*(?:, [a-z]\w*)*)(?: :.*)?$", line)
            if head:
                names = head[1].split(", ")
                found |= dict.fromkeys(names, "")
            elif line.startswith("    ") and names:
                for name in names:
                    found[name] = f"{found[name]} {line.strip()}".strip()
            else:
                names = []
    return {name: text.rstrip(".") for name, text in found.items() if text}
