"""Docstrings of definitions: the section Parameters, of what the fields say of themselves.

An entry that is written in the docstring of a class stays; of every other field, of a table, of the
class or of its bases, one is made.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Mapping
from typing import Any

from ..base.checks import ABOVE_0, ANY, either


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(_shown(v) for v in value) + ")"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e6:
        return str(int(value))
    text = f"{value:g}" if isinstance(value, float) else repr(value)
    return re.sub(r"e([+-])0*(\d)", lambda m: f"e{m[1].strip('+')}{m[2]}", text)


def _whole(value: int) -> str:
    """2^24 for 16777216; small numbers as they are."""
    power = value.bit_length() - 1
    for extra, text in ((0, ""), (-1, " - 1")):
        if value - extra == 2 ** (power - extra) and value > 9999:
            return f"2^{power - extra}{text}"
    return str(value)


def _row_of(made: Any) -> Mapping[str, Any]:
    """The row that a field comes from, or what it says of itself in the form of a row."""
    about = made.metadata
    if "row" in about:
        return about["row"]
    least = ABOVE_0 if about["kind"].get("above") == 0 else -ANY
    row = {"type": "", "least": least, "most": ANY, "or_0": False, **about["kind"]}
    names = {"unit": "unit", "optional": "optional", "doc": "text"}
    row |= {key: about[name] for key, name in names.items()}
    return row | {name: bool(about.get(name)) for name in ("animatable", "keys_from_0")}


def _kind_text(row: Mapping[str, Any]) -> str:
    if "form" in row:
        return row["form"]
    if row["type"] == "choice":
        return either(f'"{word}"' for word in row["choices"])
    kinds = {"flag": "bool", "whole": "whole number", "count": "whole number"}
    kinds |= {"seed": "whole number", "pair": "number or two numbers", "quaternion": "four numbers"}
    kinds |= {"vector": "three numbers", "direction": "three numbers"}
    return kinds.get(row["type"], "number")


def _range_text(row: Mapping[str, Any]) -> str:
    if row["type"] == "seed":
        return "0 to 2^64 - 1"
    if row["type"] in ("choice", "flag"):
        return ""
    least, most = row["least"], row["most"]
    has_least, has_most = least > -ANY, most < ANY
    low = "> 0" if least == ABOVE_0 else _shown(least)
    if row["type"] in ("whole", "count"):
        text = f"{int(least)} to {_whole(int(most))}"
    elif has_least and has_most and least == -most:
        text = f"within {_shown(most)}"
    elif has_most:
        text = f"{low} to {_shown(most)}" if has_least else f"<= {_shown(most)}"
    else:
        text = low if least == ABOVE_0 else f">= {low}" if has_least else ""
    if row["or_0"]:
        text += ", or 0"
    if row["keys_from_0"]:
        text += " (keys: >= 0)"
    return "any length but 0" if row["type"] == "direction" else text


def document(name: str, made: Any) -> str:
    """Entry of a NumPy docstring for a field."""
    row = _row_of(made)
    head = f"{name} : {_kind_text(row)}"
    if row["unit"]:
        head += f", {row['unit']}"
    if row["optional"]:
        head += ", optional"
    if row["animatable"]:
        head += "; animatable"
    parts = [_range_text(row)]
    value = made.default
    if not row["optional"] and value is not dataclasses.MISSING:
        parts.append(f"default {value if isinstance(value, str) else _shown(value)}")
    rest = ", ".join(part for part in parts if part)
    text = row["doc"][:1].upper() + row["doc"][1:] + "."
    if rest:
        text += f" {rest[0].upper()}{rest[1:]}."
    return "\n".join([head, *textwrap.wrap(text, 88, initial_indent="    ",
                                           subsequent_indent="    ")])  # fmt: skip


def entries(fields: Mapping[str, Any], written: str = "") -> str:
    """Entries of a docstring, in the order of the fields: those that are written, of one or several
    fields, and for all others what the fields say of themselves. Of one that is written without a
    kind the field says that.
    """
    own: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", written):
        name, _, text = entry.partition("\n")
        if name in fields and text:
            entry = f"{document(name, fields[name]).partition(chr(10))[0]}\n{text}"
        own |= dict.fromkeys(re.split(r" :|\n", entry)[0].split(", "), entry)
    texts = [own.get(name) or document(name, item) for name, item in fields.items()]
    return "\n".join(dict.fromkeys(texts))


def _fields_of(cls: type) -> dict[str, Any]:
    """Fields of what is about to be a dataclass, in the order of its arguments."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        if dataclasses.is_dataclass(base):
            found |= {made.name: made for made in dataclasses.fields(base)}
    found |= {name: made for name, made in vars(cls).items() if isinstance(made, dataclasses.Field)}
    return dict(sorted(found.items(), key=lambda item: item[1].kw_only is True))


_PARAMETERS = "Parameters\n----------\n"


def with_parameters(text: str, fields: Mapping[str, Any]) -> str:
    """A docstring, without the indentation that it has before Python 3.13, with the section of all
    fields, before its other sections; entries that it has in that section already are put in their
    places.
    """
    text = inspect.cleandoc(text)
    before, found, after = text.partition(_PARAMETERS)
    written, _, after = after.partition("\n\n")
    if not found:
        other = re.search(r"^[A-Z]\w+\n-{4,}\n", text, re.MULTILINE)
        before, after = (text[: other.start()], text[other.start() :]) if other else (text, "")
    section = f"{before.rstrip()}\n\n{_PARAMETERS}{entries(fields, written.rstrip())}\n"
    return f"{section}\n{after}" if after.strip() else section


def fill_docstring(cls: type) -> None:
    """Writes the fields of what is about to be a dataclass into its docstring."""
    fields = _fields_of(cls)
    if cls.__doc__ and fields:
        cls.__doc__ = with_parameters(cls.__doc__, fields)
