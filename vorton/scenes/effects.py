"""Effects: winds that blow, and what removes particles. Force fields: forces.py."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..base.checks import (
    Vector,
    check_array,
    check_digest,
    check_each_axis,
    check_end,
    check_path,
    check_unchanged,
    decode_floats,
    encode_floats,
    freeze_floats,
    names_of,
)
from ..definitions.animation import animatable, split
from ..definitions.fields import Definition, field, number
from ..definitions.tables import Table, limits
from ..definitions.transform import Transform, add_parent, parent_field
from ..geometry.shapes import BODIES, Shape, check_filled

_WIND, _GRID, _KILL = map(Table, ("wind", "wind_grid", "kill"))

FASTEST = 1e9
"""Largest speed, m/s, and acceleration, m/s^2."""

MOST_NODES = 2**28
"""Largest number of nodes of a grid of wind, or of a force."""


@dataclasses.dataclass(frozen=True, eq=False)
class Effect(Definition):
    """Base of all effects."""

    _may_be_changed = True

    def _add_to(self, core: Any) -> None:
        """Add to a `_core.Simulation`."""
        raise NotImplementedError


def shape_field(text: str) -> Any:
    """Field for a shape, or None for everywhere; a mesh must be closed."""
    return field(None, check_filled, text, optional=True, form=names_of(BODIES))


def core_shape(shape: Shape | None) -> dict[str, Any] | None:
    """What the core calls a shape."""
    return None if shape is None else shape._core_shape()


def core_growth(shape: Shape | None) -> dict[str, Any]:
    """The animations of a shape."""
    return {} if shape is None else shape._animations()


# ---- wind ----


@dataclasses.dataclass(frozen=True, eq=False)
class Wind(Effect):
    """A uniform wind, added to the scene's `wind` and to others.

    One that changes in time acts between two times as its exact mean. Gusts are keys of it for all
    at once, or a `Turbulence` with this velocity, which moves through the smoke.

    Examples
    --------
    >>> from vorton import Keys
    >>> Wind(Keys([(0, (0, 0, 0)), (2, (3, 0, 0))], "smooth")).velocity.at(1)
    (1.5, 0.0, 0.0)
    """

    velocity: Any = _WIND("velocity")
    parent: Transform | None = parent_field(
        "the direction turns with it; its motion and scale add nothing"
    )

    def _add_to(self, core: Any) -> None:
        core.add("wind", parent=add_parent(self.parent, core), **split(velocity=self.velocity))


def check_values(unit: str) -> Any:
    """Check of vectors on nodes, from an array or from what JSON holds: gives a read-only array."""
    what = f"finite numbers of shape (nz, ny, nx, 3), {unit}, at most {FASTEST:g} in size"

    def checked(name: str, value: Any) -> np.ndarray:
        if isinstance(value, Mapping):
            value = decode_floats(name, value, 4, "the nodes along z, y, x and 3", MOST_NODES)
        array = check_array(name, value, "fiu", what)
        if array.ndim != 4 or array.shape[3] != 3 or min(array.shape[:3]) < 2:
            raise ValueError(
                f"{name} of shape {array.shape}: must be {what}, 2 nodes along each axis"
            )
        if array.size > 3 * MOST_NODES:
            raise ValueError(
                f"{name} of shape {array.shape}: at most {MOST_NODES} nodes are allowed"
            )
        return freeze_floats(name, array, FASTEST, what)

    return checked


def values_field(check: Any, unit: str) -> Any:
    """Field for vectors on nodes."""
    text = "at least 2 nodes along each axis, at most 2^28 in all; values within 1e9"
    return field(None, check, text, unit, optional=True, form="(nz, ny, nx, 3) numbers")


def path_field() -> Any:
    """Field for the file that they may come from."""
    text = "a .npy file with such an array"
    return field(
        None, lambda n, v: check_path(n, v, ".npy"), text, optional=True, form="str or path"
    )


def digest_field() -> Any:
    """Field for the digest of that file."""
    text = "expected digest of the values in the file"
    return field(None, check_digest, text, optional=True, form="str")


def _load_values(kind: str, path: Path) -> np.ndarray:
    name = f"{kind}.path = {str(path)!r}"
    if not path.is_file():
        raise FileNotFoundError(f"{name}: no such file")
    try:
        values = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise ValueError(f"{name}: cannot be read as an array: {error}") from error
    if not isinstance(values, np.ndarray):
        values.close()
        raise ValueError(f"{name}: holds several arrays (.npz); must be a .npy file")
    return values


def check_spacing(name: str, value: Any) -> float | tuple[float, ...]:
    """The spacing of nodes, or one along each axis."""
    return check_each_axis(name, value, **limits(_GRID.rows["spacing"]), unit="m")


@dataclasses.dataclass(frozen=True, eq=False)
class OnNodes(Effect):
    """Base of effects whose values are given on the nodes of a box, or in a file."""

    _VALUES: ClassVar[str]
    _check_them: ClassVar[Any]
    if TYPE_CHECKING:  # what each has among its own
        path: str | None
        sha256: str | None
        spacing: float | Vector

    def _read(self) -> None:
        """Take the values from the file, where there is one."""
        kind, values = type(self).__name__, getattr(self, self._VALUES)
        path, digest = self.path, self.sha256
        if (path is None) == (values is None):
            raise ValueError(f"{kind}: give either path or {self._VALUES}")
        if path is None:
            if digest is not None:
                raise ValueError(f"{kind}.sha256: goes with path, not with {self._VALUES}")
            return
        values = type(self)._check_them(f"{kind}.{self._VALUES}", _load_values(kind, Path(path)))
        now = _digest(values)
        check_unchanged(f"{kind}.path = {path!r}: the values have", now, digest)
        object.__setattr__(self, self._VALUES, values)
        object.__setattr__(self, "sha256", now)

    def _check(self) -> None:
        self._read()

    def to_dict(self) -> dict[str, Any]:
        """Plain data; values from a file stand there as its path."""
        data = super().to_dict()
        if data["path"] is not None:
            del data[self._VALUES]
        else:
            del data["path"], data["sha256"]
            data[self._VALUES] = encode_floats(getattr(self, self._VALUES))
        return data

    def _identity(self) -> dict[str, Any]:
        values = getattr(self, self._VALUES)
        data = self.to_dict()
        data.pop("path", None)
        return {**data, self._VALUES: list(values.shape), "sha256": _digest(values)}

    def _nodes(self, table: Table) -> dict[str, Any]:
        """The numbers of a table, with a spacing along each axis."""
        spacing = self.spacing
        spacing = spacing if isinstance(spacing, tuple) else (spacing,) * 3
        return table.values(self) | {"spacing": spacing}


@dataclasses.dataclass(frozen=True, eq=False)
class WindGrid(OnNodes):
    """Wind that depends on the position: velocities on the nodes of a box that stands still.

    It is added to the velocity that the vortons induce. Everything that moves feels it, and its
    gradient stretches vortons. Between nodes it is linear along each axis; node [k, j, i] lies at
    origin + spacing * (i, j, k). Where there are vortons, detail finer than the grid of the flow
    is lost.

    Give `path` or `velocity`. A file is read when the WindGrid is made; in a scene's JSON it stands
    as its path, relative to the folder of the JSON file, with the SHA-256 of the values: loading
    such a scene fails when they have changed (delete the "sha256" line to accept the new ones). An
    array stands in the JSON as base64 of its floats.

    Raises
    ------
    ValueError, TypeError
        Not finite, wrong shape or dtype, another digest.
    FileNotFoundError
        No such file.

    Examples
    --------
    >>> shear = np.zeros((2, 2, 2, 3))
    >>> shear[1, :, :, 0] = 3.0                                   # u = z along x, m/s
    >>> WindGrid(shear, spacing=3.0, outside="border").strength
    1.0
    """

    _VALUES = "velocity"
    _check_them = staticmethod(check_values("m/s"))

    velocity: np.ndarray | None = values_field(_check_them, "m/s")
    path: str | None = path_field()
    origin: Vector = _GRID("origin")
    spacing: float | Vector = _GRID("spacing", check_spacing, default=1.0)
    outside: str = _GRID("outside")
    strength: Any = _GRID("strength")
    sha256: str | None = digest_field()
    parent: Transform | None = parent_field(
        "the box lies in its space and turns with it; velocities do not grow with its scale, nor "
        "with its motion"
    )

    def _add_to(self, core: Any) -> None:
        core.add(
            "wind_grid",
            velocity=self.velocity,
            parent=add_parent(self.parent, core),
            **split(**self._nodes(_GRID)),
        )


def _digest(values: np.ndarray) -> str:
    return hashlib.sha256(f"{values.shape}".encode() + values.astype("<f4").tobytes()).hexdigest()


# ---- removal ----


def _condition(unit: str, text: str) -> Any:
    """Field for a bound, or None, which may change in time."""
    return animatable(
        number(None, unit, f"condition: {text}", above=0, optional=True),
        keys=number(None, unit, f"condition: {text}", least=0),
    )


@dataclasses.dataclass(frozen=True, eq=False)
class Kill(Effect):
    """Removes, at the end of each step, the particles that fulfil all the conditions given.

    Several kills act independently. Vortons take their strength with them: its sum changes, and
    vortex lines that were closed may end. `Tracers(lifetime=...)` is the quicker way to remove the
    tracers of one source by age.

    Raises
    ------
    ValueError
        Also where no condition is given: it would remove everything.

    Examples
    --------
    >>> from vorton import Box
    >>> Kill(outside=Box((-5, -5, 0), (5, 5, 8)), what="both").what
    'both'
    """

    what: str = _KILL("what", doc="what is removed")
    inside: Shape | None = shape_field("condition: inside of that shape")
    outside: Shape | None = shape_field("condition: outside of that shape; not with inside")
    older_than: Any = _condition("s", "this age or more")
    point: Any = _KILL("point")
    nearer_than: Any = _condition("m", "this distance from point or less")
    farther_than: Any = _condition("m", "this distance or more; both: between them")
    slower_than: Any = _condition(
        "m/s",
        "this speed or less: that of the last substep, with winds and force fields; what has not "
        "moved yet has none and stays",
    )
    faster_than: Any = _condition("m/s", "this speed or more; both: between them")
    start: float = _KILL("start")
    end: float | None = _KILL("end")
    parent: Transform | None = parent_field("shape, point and distances lie in its space")

    def _check(self) -> None:
        conditions = (
            "inside", "outside", "older_than", "nearer_than", "farther_than", "slower_than",
            "faster_than",
        )  # fmt: skip
        if all(getattr(self, name) is None for name in conditions):
            raise ValueError(f"Kill: would remove everything; give one of {', '.join(conditions)}")
        if self.inside is not None and self.outside is not None:
            raise ValueError("Kill: inside and outside exclude each other; give one")
        for least, most in (("farther_than", "nearer_than"), ("faster_than", "slower_than")):
            low, high = getattr(self, least), getattr(self, most)
            constant = isinstance(low, float) and isinstance(high, float)
            if constant and low >= high:
                raise ValueError(f"Kill.{most} = {high}: must be > {least} = {low}")
        check_end(self)
        shape = self.inside or self.outside
        if shape is not None:
            shape._core_shape()  # an open mesh says so here

    def _add_to(self, core: Any) -> None:
        values = {
            "age": self.older_than,
            "least_distance": self.farther_than,
            "most_distance": self.nearer_than,
            "least_speed": self.faster_than,
            "most_speed": self.slower_than,
            **core_growth(self.inside or self.outside),
        }
        core.add(
            "kill",
            shape=core_shape(self.inside or self.outside),
            outside=self.outside is not None,
            parent=add_parent(self.parent, core),
            **split(**_KILL.values(self), **{k: v for k, v in values.items() if v is not None}),
        )
