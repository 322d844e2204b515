"""What is there for some frames alone: sources from when to when, effects of strength 0 else."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.checks import begin_of
from ...definitions.animation import Keys, value_at
from ...scenes.effects import Kill
from ...sources.source_base import Source

STRENGTHS = ("circulation", "fraction", "strength", "velocity")
"""What an effect does nothing without, by its name: the first of these that it has."""

Spans = list[tuple[float, float]]


def while_there(made: Any, there: Sequence[bool], rate: float) -> Iterator[Any]:
    """A source or an effect as long as its object is there: several where that comes back, none
    where it is not there any more when it would be born.

    Parameters
    ----------
    made : Source or Effect
    there : sequence of bool
        Of each sample, the first at time 0.
    rate : float, 1/s
        Of the samples.
    """
    if all(there):
        yield made
    elif isinstance(made, Kill) or (isinstance(made, Source) and made._goes_on()):
        yield from _from_to(made, spans(there, rate))
    elif isinstance(made, Source):
        yield from _born(made, spans(there, rate))
    else:
        name = next(name for name in STRENGTHS if hasattr(made, name))
        yield dataclasses.replace(made, **{name: switched(getattr(made, name), there, rate)})


def spans(there: Sequence[bool], rate: float) -> Spans:
    """From when to when something is there, s; without beginning or end where it is so in the first
    or the last sample.
    """
    edges = np.flatnonzero(np.diff(np.array([False, *there, False], int))).reshape(-1, 2)
    last = len(there)
    return [
        (a / rate if a else -math.inf, b / rate if b < last else math.inf)
        for a, b in edges.tolist()
    ]


def _from_to(made: Any, parts: Spans) -> Iterator[Any]:
    begin = begin_of(made)
    for first, last in parts:
        first = max(getattr(made, begin), first)
        last = min(math.inf if made.end is None else made.end, last)
        if first < last:
            end = None if last == math.inf else last
            yield dataclasses.replace(made, **{begin: first}, end=end)


def _born(made: Any, parts: Spans) -> Iterator[Any]:
    """What is born at once: at its time, or as soon as its object is there afterwards."""
    begin = begin_of(made)
    time = getattr(made, begin)
    found = next((max(time, first) for first, last in parts if last > time), None)
    if found is not None:
        yield dataclasses.replace(made, **{begin: found})


def switched(value: Any, there: Sequence[bool], rate: float) -> Keys:
    """A number, or several: 0 as long as something is not there, and at once what it is when that
    comes.

    Parameters
    ----------
    value : number, tuple of numbers, Keys or Samples
        Between the samples it runs straight.
    there, rate
        As of `while_there`.
    """
    values = [value_at(value, number / rate) for number in range(len(there))]
    nothing = (0.0,) * len(values[0]) if isinstance(values[0], tuple) else 0.0
    keys: list[tuple[Any, ...]] = []
    for number, (now, shown) in enumerate(zip(values, there, strict=True)):
        goes_on = shown and number + 1 < len(there) and there[number + 1]
        kind = "linear" if goes_on and values[number + 1] != now else "constant"
        key = (number / rate, now if shown else nothing, kind)
        if not keys or key[1:] != keys[-1][1:] or kind == "linear":
            keys.append(key)
    return Keys(keys)
