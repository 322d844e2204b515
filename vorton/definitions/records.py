"""Records that a simulation hands out: numbers by name, attributes and items, shown as a table."""

from __future__ import annotations

import contextlib
import dataclasses
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .. import _core

__all__ = ["HEALTH_LIMITS", "Bodies", "BodyState", "Health", "HealthLimit", "StageTime", "Timings"]


class Record(Mapping[str, Any]):
    """Base of the records: a frozen dataclass that is also a mapping from the names of its fields.

    Fields have their unit and what they mean in their metadata, `unit` and `description`.
    """

    def __getitem__(self, name: str) -> Any:
        if name in self.__dataclass_fields__:
            return getattr(self, name)
        known = ", ".join(self)
        raise KeyError(f"{type(self).__name__} has no {name!r}; it has {known}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dataclass_fields__)

    def __len__(self) -> int:
        return len(self.__dataclass_fields__)

    def __repr__(self) -> str:
        rows = [
            (field.name, _shown(self[field.name]), field.metadata["unit"])
            for field in dataclasses.fields(self)
        ]
        return _table(type(self).__name__, rows)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return "  ".join(_shown(item) for item in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _table(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Columns under each other: the first to the left, the others too, as wide as they must be."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)) for row in rows]
    return "\n".join([title, *(f"  {line}".rstrip() for line in lines)])


def _field(kind: Any, unit: str, description: str) -> Any:
    return kind, dataclasses.field(metadata={"unit": unit, "description": description})


def _make(name: str, head: str, fields: Mapping[str, tuple[Any, Any]]) -> Any:
    lines = [head, "", "Attributes", "----------"]
    for key, (kind, field) in fields.items():
        unit = field.metadata["unit"]
        lines.append(f"{key} : {kind}{f', {unit}' if unit else ''}")
        lines.append(f"    {field.metadata['description']}.")
    made = dataclasses.make_dataclass(
        name,
        [(key, kind, field) for key, (kind, field) in fields.items()],
        bases=(Record,),
        namespace={"__doc__": "\n".join(lines), "__module__": __name__},
        frozen=True,
        repr=False,
        eq=False,  # as mappings
    )
    made.__module__ = "vorton.records"  # pickles name it
    return made


_KINDS = {
    "int32": "int",
    "int64": "int",
    "double": "float",
    "int32 x 3": "(int, int, int)",
    "double x 3": "(float, float, float)",
    "flag": "bool",
    "number": "float",
    "vector": "(float, float, float)",
    "quaternion": "(float, float, float, float)",
    "matrix": "3 x 3 floats",
}


class HealthLimit(NamedTuple):
    """Where a number of health becomes bad."""

    limit: float
    """Above it the flow is doubtful."""
    meaning: str
    """What is wrong then."""
    remedy: str
    """What to change."""


HEALTH_LIMITS: dict[str, HealthLimit] = {
    row["name"]: HealthLimit(row["limit"], row["meaning"], row["remedy"])
    for row in _core.HEALTH_LIMITS
}
"""The limits of `Health` by name; the others of its numbers have none."""


TURNED = 10.0
"""Largest velocity gradient x time from which the numbers of the grid have limits: before the fluid
has turned by so much (radians), a flow that starts from rest is all noise, and it does not matter.
"""

OWN_FIELD = 0.1
"""Poisson residual up to which they have: above it walls or forces make much of the field, which
then is not that of the vortons alone, or the solver (nested, of few steps) has left it unsolved.
"""


def _number(health: Mapping[str, Any], name: str) -> float | None:
    """None: not finite, as null in a manifest, or no number at all."""
    value = health.get(name)
    return value if isinstance(value, (int, float)) else None


def why_unjudged(name: str, health: Mapping[str, Any], time: float) -> str:
    """Why a number with a limit, of a frame at a time (s), need not be below it; "": it must."""
    if name not in _core.HEALTH_OF_GRID:
        return ""
    grid = health.get("grid")
    if isinstance(grid, (list, tuple)) and not any(grid):
        return "there was no grid"
    turned, residual = (_number(health, n) for n in ("largest_gradient", "poisson_residual"))
    if turned is not None and turned * time < TURNED:
        return "the flow had hardly moved"
    if residual is not None and residual > OWN_FIELD:
        return "walls or forces made much of the flow, or Method.poisson left it unsolved"
    return ""


def has_limit(name: str, health: Mapping[str, Any], time: float) -> bool:
    """Whether a number of a frame at a time (s) is to be below its limit."""
    return name in HEALTH_LIMITS and not why_unjudged(name, health, time)


def _with_limit(name: str, description: str) -> str:
    if name not in HEALTH_LIMITS:
        return description
    limit = HEALTH_LIMITS[name]
    return f"{description}; above {limit.limit:g} {limit.meaning}"


Health: Any = _make(
    "Health",
    "Health of the flow, ``sim.health``: invariants, and how good the numerical solution is.",
    {
        row["name"]: _field(
            _KINDS[row["type"]], row["unit"], _with_limit(row["name"], row["description"])
        )
        for row in _core.HEALTH_FIELDS
    },
)

StageTime: Any = _make(
    "StageTime",
    "Time spent in one stage of the frame: an entry of ``sim.timings``.",
    {
        "last": _field("float", "s", "in the last step"),
        "total": _field("float", "s", "since the simulation was made"),
        "calls": _field("int", "", "how often the stage has run"),
    },
)


BodyState: Any = _make(
    "BodyState",
    "A body as it is now: an entry of ``sim.bodies``.",
    {
        "name": _field("str", "", "its name, or its number"),
        "id": _field("int", "", "its id: its number until a body is removed"),
        **{
            row["name"]: _field(_KINDS[row["type"]], row["unit"], row["description"])
            for row in _core.BODY_FIELDS
        },
    },
)


class Bodies(Sequence[Any]):
    """The bodies as they are now, ``sim.bodies``: a `BodyState` by number or by name."""

    def __init__(self, states: Sequence[Any]) -> None:
        self._states = tuple(states)

    def index_of(self, body: int | str) -> int:
        """Number of a body, from its number (which may count from the end) or its name.

        Raises
        ------
        IndexError, KeyError, TypeError
            There is no such body; neither a number nor a name.
        """
        if isinstance(body, str):
            names = [state.name for state in self._states]
            if body not in names:
                raise KeyError(f"there is no body {body!r}; there are {names}")
            return names.index(body)
        if not -len(self) <= operator.index(body) < len(self):
            raise IndexError(f"there is no body {body}; there are {len(self)}")
        return operator.index(body) % len(self)

    @contextlib.contextmanager
    def _naming(self, body: int | str) -> Iterator[int]:
        """Id of a body, found as by `index_of`; errors that are raised with it name the body."""
        index = self.index_of(body)
        what = f"body '{self._states[index].name}'"
        try:
            yield self._states[index].id
        except (TypeError, ValueError) as error:
            if what in str(error):
                raise
            raise type(error)(f"{what}: {error}") from error

    def __getitem__(self, body: Any) -> Any:
        if isinstance(body, slice):
            return Bodies(self._states[body])
        return self._states[self.index_of(body)]

    def __len__(self) -> int:
        return len(self._states)

    def __repr__(self) -> str:
        return "\n".join(["Bodies", *(repr(state) for state in self._states)])


_STAGES = _core.TIMED_STAGES


class Timings(Mapping[str, Any]):
    __module__ = "vorton.records"
    __doc__ = "\n".join(
        [
            "Time spent in each stage, ``sim.timings``: a `StageTime` by name, attribute and item.",
            "",
            "Stages come in the order of a substep, and run once a substep where they apply,",
            "unless what is said of one says otherwise. Times are of the wall clock, s.",
            "",
            "Attributes",
            "----------",
            *(f"{row['name']} : StageTime\n    {row['description']}." for row in _STAGES),
        ]
    )

    def __init__(self, stages: Mapping[str, Any]) -> None:
        self._stages = dict(stages)

    def __getitem__(self, name: str) -> Any:
        return self._stages[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._stages:
            raise AttributeError(f"there is no stage {name!r}; there are {', '.join(self)}")
        return self._stages[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stages)

    def __len__(self) -> int:
        return len(self._stages)

    def __repr__(self) -> str:
        rows = [("stage", "last, ms", "total, ms", "calls")]
        for name, stage in self._stages.items():
            rows.append(
                (name, *(f"{1e3 * s:9.3f}" for s in (stage.last, stage.total)), str(stage.calls))
            )
        return _table("Timings", rows)
