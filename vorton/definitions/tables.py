"""Fields of definitions from the tables of the core: default, range, unit and meaning stand there.

`csrc/include/vorton/ring.def` is the table of a ring; `_core.DEFINITIONS["ring"]` is what Python
sees of it. A definition takes its fields from it, and what its docstring says of them.

>>> ring = Table("ring")
>>> ring.default("core")
0.1
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .. import _core
from ..base.checks import (
    ABOVE_0,
    ANY,
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_vector,
    shown,
)
from .animation import animatable
from .fields import field

MOST_SEED = 2**64 - 1

NUMBERS = {"number": 1, "limit": 1, "pair": 2, "vector": 3, "direction": 3, "quaternion": 4}
"""Types of rows that are numbers, and how many of them."""


def limits(row: Mapping[str, Any]) -> dict[str, float]:
    """Range of a row as `check_number` takes it."""
    found: dict[str, float] = {}
    if row["or_0"]:
        found |= {"least": 0, "gap": row["least"]}
    elif row["least"] == ABOVE_0:
        found["above"] = 0
    elif row["least"] > -ANY:
        found["least"] = row["least"]
    if row["most"] < ANY:
        found["most"] = row["most"]
    return found


def _check_or_0(name: str, value: Any, least: int, most: int) -> int:
    number = check_integer(name, value, least=0, most=most)
    if 0 < number < least:
        raise ValueError(f"{name} = {shown(value)}: must be 0, or {least} to {most}")
    return number


def check_row(row: Mapping[str, Any]) -> Any:
    """Check of one value of a row: takes (argument name, value)."""
    kind, unit = row["type"], row["unit"]
    if kind in ("number", "limit"):
        return lambda n, v: check_number(n, v, unit=unit, **limits(row))
    if kind in NUMBERS:
        nonzero = kind in ("direction", "quaternion")
        return lambda n, v: check_vector(
            n, v, count=NUMBERS[kind], unit=unit, nonzero=nonzero, **limits(row)
        )
    if kind == "seed":
        return lambda n, v: check_integer(n, v, least=0, most=MOST_SEED)
    if kind in ("whole", "count"):
        least, most = int(row["least"]), int(row["most"])
        if row["or_0"]:
            return lambda n, v: _check_or_0(n, v, least, most)
        return lambda n, v: check_integer(n, v, least=least, most=most)
    if kind == "choice":
        return lambda n, v: check_choice(n, v, row["choices"])
    if kind == "flag":
        return check_flag
    raise TypeError(f"row {row['name']}: a {kind} has no check of its own")


class Table:
    """The rows of one definition of the core."""

    def __init__(self, definition: str) -> None:
        self.definition = definition
        self.rows = _core.DEFINITIONS[definition]

    def row(self, name: str, **changes: Any) -> dict[str, Any]:
        """A row, with what is different in Python."""
        return {**self.rows[name], **changes}

    def default(self, name: str) -> Any:
        """Default of a row; None where it stands for what the text says."""
        row = self.rows[name]
        return None if row["optional"] else row["default"]

    def __call__(self, name: str, check: Any = None, **changes: Any) -> Any:
        """A dataclass field of a row; `check` is used instead of that of the row's type."""
        row = self.row(name, **changes)
        optional = row["optional"]
        default = None if optional else row["default"]
        made = field(default, check or check_row(row), row["doc"], row["unit"], optional)
        if row["animatable"]:
            least = {"least": 0.0} if row["keys_from_0"] else {}
            keys = field(default, check or check_row({**row, **least}), row["doc"], row["unit"])
            made = animatable(made, keys=keys)
        metadata = {**made.metadata, "row": row, "definition": self.definition}
        return dataclasses.field(default=default, metadata=metadata)

    def values(self, item: Any) -> dict[str, Any]:
        """What a definition says of these rows, by name; for None the default of the core."""
        found = {}
        for member in dataclasses.fields(item):
            if member.metadata.get("definition") == self.definition:
                row, value = member.metadata["row"], getattr(item, member.name)
                found[row["name"]] = row["default"] if value is None else value
        return found


def by_keyword(made: Any) -> Any:
    """The field, by keyword alone."""
    return dataclasses.field(default=made.default, metadata=made.metadata, kw_only=True)
