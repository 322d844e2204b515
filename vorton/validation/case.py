"""What a case of validation is, and the list of all of them."""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np


class Line(NamedTuple):
    """A line of a figure: what the solver has found, or what is exact."""

    label: str
    x: np.ndarray
    y: np.ndarray


@dataclasses.dataclass(frozen=True)
class Result:
    """What a case has found: one number, and what it should be."""

    quantity: str
    exact: float
    computed: float
    tolerance: float
    """Largest error with which the case is passed."""
    unit: str = ""
    scale: float | None = None
    """The error is |computed - exact| over this; None: over |exact|."""
    axes: tuple[str, str] = ("", "")
    lines: tuple[Line, ...] = ()
    """Of the figure; a case may have none."""

    @property
    def error(self) -> float:
        """How far the number is from what it should be, over the scale."""
        return abs(self.computed - self.exact) / (self.scale or abs(self.exact))

    @property
    def passed(self) -> bool:
        """Whether the error is within the tolerance; a number that is not finite never is."""
        return bool(self.error <= self.tolerance)


@dataclasses.dataclass(frozen=True)
class Case:
    """A case: a function that gives a `Result`, and the values with which it is called."""

    function: Callable[..., Result]
    variant: dict[str, Any]
    source: str
    """Where the exact value comes from."""
    quick: bool
    needs: tuple[str, ...]
    """Packages without which it cannot run."""

    @property
    def subject(self) -> str:
        """Of the file that it stands in."""
        return self.function.__module__.rpartition(".")[2].replace("_", " ")

    @property
    def name(self) -> str:
        """Subject, function and values, as one line."""
        values = ", ".join(f"{key}={_shown(value)}" for key, value in self.variant.items())
        title = self.function.__name__.replace("_", " ")
        return f"{self.subject}: {title}" + (f" ({values})" if values else "")

    @property
    def description(self) -> str:
        """What is simulated and compared."""
        return " ".join((inspect.getdoc(self.function) or "").split())

    @property
    def missing(self) -> list[str]:
        """Packages that it needs and that are not installed."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]

    def run(self) -> Result:
        """Simulate, and compare."""
        return self.function(**self.variant)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


CASES: list[Case] = []
"""All cases, in the order in which their files are imported."""


def case(
    source: str, *variants: dict[str, Any], quick: int | None = None, needs: tuple[str, ...] = ()
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Decorator that enters a function in `CASES`, once for each of its variants.

    Parameters
    ----------
    source : str
        Where the exact value comes from.
    *variants : dict
        Keyword arguments of a call each; none: one call without arguments.
    quick : int, optional
        How many of the variants, from the first on, are quick (default all).
    needs : tuple of str
        Packages without which the function cannot run.
    """

    def enter(function: Callable[..., Result]) -> Callable[..., Result]:
        for n, variant in enumerate(variants or ({},)):
            CASES.append(Case(function, variant, source, quick is None or n < quick, needs))
        return function

    return enter


def both(x: Any, exact: Any, found: Any) -> tuple[Line, Line]:
    """The lines of a figure that compares two curves over the same x."""
    return Line("exact", x, exact), Line("vorton", x, np.array(found))


def farthest(
    quantity: str, curves: tuple[Any, Any, Any], tolerance: float, unit: str, axes: tuple[str, str],
    scale: float | None = None,
) -> Result:  # fmt: skip
    """Where a curve is farthest off; curves: x, exact and found values; `scale` as of `Result`."""
    _, exact, found = curves
    worst = np.abs((found - exact) / (scale or exact)).argmax()
    values = float(exact[worst]), float(found[worst])
    return Result(quantity, *values, tolerance, unit, scale, axes, both(*curves))


def product(**values: list[Any]) -> Iterator[dict[str, Any]]:
    """All combinations of values by name, the last name first."""
    found: list[dict[str, Any]] = [{}]
    for name, choices in values.items():
        found = [{**row, name: choice} for row in found for choice in choices]
    yield from found
