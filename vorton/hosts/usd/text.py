"""USD layers as text (.usda): prims, attributes and their samples, as Pixar's grammar has them.

Numbers are written so that they are read back bit for bit.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np


class Asset(str):
    """A path to another file, relative to the layer: `./ring_0001.vdb`."""


class Path(str):
    """A path to a prim or an attribute: `/ring/smoke`."""


class Plain(str):
    """Text that is written as it is."""


def value_text(value: Any) -> str:
    """A value as the grammar has it: tuples are vectors, lists and arrays are arrays."""
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.ndim == 1 else [tuple(row) for row in value.tolist()]
    if isinstance(value, Plain):
        return str(value)
    if isinstance(value, Path):
        return f"<{value}>"
    if isinstance(value, Asset):
        return f"@@@{value}@@@" if "@" in value else f"@{value}@"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"({', '.join(map(value_text, value))})"
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    return repr(value.item() if isinstance(value, np.generic) else value)


@dataclasses.dataclass
class Attribute:
    """An attribute, or a relationship (its type is "rel").

    Parameters
    ----------
    type : str
        As USD names it, with what stands before: "uniform token", "point3f[]".
    name : str
    value : optional
        None: there is none, but for samples.
    samples : mapping, optional
        Values by time code; None: there is no value from there on.
    metadata : mapping, optional
    """

    type: str
    name: str
    value: Any = None
    samples: Mapping[int, Any] | None = None
    metadata: Mapping[str, Any] | None = None

    def lines(self) -> list[str]:
        """The lines of the layer."""
        head = f"{self.type} {self.name}"
        about = [f"    {key} = {value_text(value)}" for key, value in (self.metadata or {}).items()]
        tail = [" (", *about, ")"] if about else [""]
        found = []
        if self.value is not None or self.samples is None or about:
            given = "" if self.value is None else f" = {value_text(self.value)}"
            found += [head + given + tail[0], *tail[1:]]
        if self.samples is not None:
            rows = [f"    {time}: {value_text(value)}," for time, value in self.samples.items()]
            found += [f"{head}.timeSamples = {{", *rows, "}"]
        return found


def over_frames(type: str, name: str, values: Mapping[int, Any], **metadata: Any) -> Attribute:
    """An attribute with a sample for each frame, or with one value where all are the same."""
    texts = {value_text(value) for value in values.values()}
    if len(texts) == 1:
        return Attribute(type, name, next(iter(values.values())), metadata=metadata)
    return Attribute(type, name, samples=values, metadata=metadata)


@dataclasses.dataclass
class Prim:
    """A prim with all that is in it.

    Parameters
    ----------
    type : str
        Of its schema: "Xform", "Mesh" ...
    name : str
        As `identifier` makes them.
    attributes : list of Attribute
    children : list of Prim
    metadata : dict
        Mappings in it are dictionaries, their keys with types: {"string title": "x"}.
    """

    type: str
    name: str
    attributes: list[Attribute] = dataclasses.field(default_factory=list)
    children: list[Prim] = dataclasses.field(default_factory=list)
    metadata: dict[str, Any] = dataclasses.field(default_factory=dict)

    def lines(self) -> list[str]:
        """The lines of the layer."""
        about = _metadata_lines(self.metadata)
        head = f'def {self.type} "{self.name}"'
        found = [f"{head} (", *_indented(about), ")"] if about else [head]
        inside = [line for attribute in self.attributes for line in attribute.lines()]
        for child in self.children:
            inside += ["", *child.lines()] if inside else child.lines()
        return [*found, "{", *_indented(inside), "}"]


def layer_text(metadata: Mapping[str, Any], prims: list[Prim]) -> str:
    """A whole layer."""
    lines = ["#usda 1.0", "(", *_indented(_metadata_lines(metadata)), ")"]
    for prim in prims:
        lines += ["", *prim.lines()]
    return "\n".join(lines) + "\n"


def identifier(text: str) -> str:
    """A text as the name of a prim: ASCII letters, digits and underscores, no digit first."""
    clean = "".join(c if c.isascii() and c.isalnum() else "_" for c in text)
    return clean if clean and not clean[0].isdigit() else f"_{clean}"


def free_identifier(text: str, taken: set[str]) -> str:
    """The same, with a number behind where it is among those that are taken; takes it."""
    name, number = identifier(text), 2
    while name in taken:
        name, number = f"{identifier(text)}_{number}", number + 1
    taken.add(name)
    return name


def _metadata_lines(metadata: Mapping[str, Any]) -> list[str]:
    lines = []
    for key, value in metadata.items():
        if isinstance(value, Mapping):
            lines += [f"{key} = {{", *_indented(_metadata_lines(value)), "}"]
        else:
            lines.append(f"{key} = {value_text(value)}")
    return lines


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]
