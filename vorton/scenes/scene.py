"""Scenes: plain data that says what happens, saved as JSON and equal after a round trip."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..base.checks import check_file_name, check_keys, check_place, shown
from ..definitions.ambient import AMBIENTS, Air, Ambient
from ..definitions.combustion import Combustion
from ..definitions.docstrings import with_parameters
from ..definitions.fields import Named, from_dict, number, one_of, plain
from ..definitions.method import Method
from ..definitions.tables import Table
from ..files.disk import write_atomically
from ..files.json_text import canonical_json, parse_json, readable_json
from ..sources.emitter import Emitter
from ..sources.points import Points, VortonPoints
from ..sources.ring_and_tracers import Tracers, VortexRing
from ..sources.source_base import Source
from ..sources.vortices import Filament, Jet, RandomCloud, VortexTube
from .bodies import BODIES, BodyBase
from .effects import Effect
from .forces import EFFECTS
from .scene_json import (
    SCHEMA,
    absolute_paths,
    check_schema,
    give_parent,
    list_in,
    make_transforms,
    refuse_constant,
    relate_paths,
    share_transforms,
)

SOURCES: tuple[type[Source], ...] = (
    VortexRing,
    Filament,
    VortexTube,
    Jet,
    RandomCloud,
    VortonPoints,
    Tracers,
    Points,
    Emitter,
)

VOXEL_PER_CORE = 1.0 / 3.0
"""Nominal voxel over the smallest core, where the scene does not say: half a flow cell."""


def _check_method(name: str, value: Any) -> Method:
    if isinstance(value, Mapping):
        return Method.from_dict(value)
    if not isinstance(value, Method):
        raise TypeError(f"{name} = {shown(value)}: must be a Method")
    return value


_SIMULATION = Table("simulation")

# What a scene takes from the table of a simulation; its wind may change, as an effect may.
OF_SIMULATION = {
    name: _SIMULATION(name)
    for name in (
        "seed", "gravity", "viscosity", "thermal_diffusivity", "dissipation", "max_vortons",
        "max_tracers", "max_nodes", "at_capacity", "detail_strength",
    )
} | {"wind": _SIMULATION("wind", animatable=True)}  # fmt: skip

# What a scene may leave to what is in it.
UP_TO_SCENE = {
    "voxel": number(None, "m", "nominal voxel", above=0, optional=True),
    "spacing": number(None, "m", "grid spacing", above=0, optional=True),
    "detail": _SIMULATION("detail", optional=True),
}

_DEFAULT = {name: item.default for name, item in OF_SIMULATION.items()}

_CHECKS = {
    "name": check_file_name,
    "ambient": one_of(AMBIENTS, "an ambient fluid, as Air() or Water()"),
    "combustion": one_of((Combustion,), "a law of combustion", optional=True),
    **{name: item.metadata["check"] for name, item in UP_TO_SCENE.items()},
    "method": _check_method,
    **{name: item.metadata["check"] for name, item in OF_SIMULATION.items()},
}


_ONLY_WHERE_SET = (
    "thermal_diffusivity", "dissipation", "detail", "detail_strength", "max_vortons", "max_tracers",
)  # fmt: skip

_OBJECTS = ("ambient", "combustion", "method")
_ITEMS: dict[str, tuple[type, ...]] = {"sources": SOURCES, "effects": EFFECTS, "bodies": BODIES}
_ONE = {"sources": "source", "effects": "effect", "bodies": "body"}


class Scene(Named):
    """What is simulated: sources, effects, bodies, method and room. SI units, Z up.

    Every value is checked when it is set; sources, effects and bodies are immutable.

    Parameters
    ----------
    name : str
        Begins the names of baked files, default "scene".
    ambient : Air, Gas or Liquid
        The fluid at rest around everything, default Air().
    combustion : Combustion, optional
        How fuel burns and hot fluid cools; default: neither does.
    voxel : number, m, optional
        Nominal voxel: what volumes are made of by default and what `Tracers(per_voxel=...)` fills.
        Default: a third of the smallest core.
    spacing : number, m, optional
        Grid spacing; default: the smallest core, with method.order "second" core / 1.5, with
        method.cores "point" core / .66. Cores narrower than the spacing become as wide as it is
        ("second": 1.5 times). Where bodies alone make vortons it follows their panels, be they warm
        or not, and finer cells need more of them: .45 of the width of the finest, or, where a grid
        around all bodies would have more than a million nodes, what gives so many. Of warm bodies
        that are at rest in still air, as of those without panels, it suits cores of a fifth of the
        cube root of the volume of the smallest.
    detail : int, 0 to 4, optional
        Octaves of eddies below the grid, which stir tracers alone; with velocity "poisson".
        Default: 3 in scenes with an `Emitter` (smoke, fire), else none. They know nothing of
        `viscosity`: give 0 for what that keeps smooth, a candle or the thread of a cigarette.
    method : Method
        Default `Method()`.

    Raises
    ------
    ValueError, TypeError
        For a value out of range or of the wrong kind, naming the argument and what is allowed.

    Examples
    --------
    >>> scene = Scene("ring", seed=7)
    >>> ring = scene.add(VortexRing(radius=0.5, core=0.05))
    >>> Scene.from_json(scene.to_json()) == scene
    True
    """

    name: str
    seed: int
    gravity: Any
    ambient: Ambient
    combustion: Combustion | None
    wind: Any
    voxel: float | None
    spacing: float | None
    detail: int | None
    detail_strength: float
    viscosity: Any
    thermal_diffusivity: Any
    dissipation: float
    method: Method
    max_vortons: int | None
    max_tracers: int | None
    max_nodes: int
    at_capacity: str

    @classmethod
    def _arguments(cls) -> Iterable[str]:
        return _CHECKS

    def __init__(
        self,
        name: str = "scene",
        *,
        seed: int = _DEFAULT["seed"],
        gravity: Any = _DEFAULT["gravity"],
        ambient: Ambient | None = None,
        combustion: Combustion | None = None,
        wind: Any = _DEFAULT["wind"],
        voxel: float | None = None,
        spacing: float | None = None,
        detail: int | None = None,
        detail_strength: float = _DEFAULT["detail_strength"],
        viscosity: Any = _DEFAULT["viscosity"],
        thermal_diffusivity: Any = _DEFAULT["thermal_diffusivity"],
        dissipation: float = _DEFAULT["dissipation"],
        method: Method | None = None,
        max_vortons: int | None = None,
        max_tracers: int | None = None,
        max_nodes: int = _DEFAULT["max_nodes"],
        at_capacity: str = _DEFAULT["at_capacity"],
    ) -> None:
        given = {
            **locals(),
            "ambient": Air() if ambient is None else ambient,
            "method": Method() if method is None else method,
        }
        del given["self"]
        self._sources: list[Source] = []
        self._effects: list[Effect] = []
        self._bodies: list[BodyBase] = []
        for key, value in given.items():
            setattr(self, key, value)

    def __setattr__(self, name: str, value: Any) -> None:
        self._check_open(name)
        if name in _CHECKS:
            value = _CHECKS[name](f"Scene.{name}", value)
        elif name not in ("_sources", "_effects", "_bodies", "_closed"):
            check_keys({name: value}, _CHECKS, "Scene")
        super().__setattr__(name, value)

    def _close(self) -> None:
        """From now on nothing of it can be changed: it is that of a simulation."""
        self.__dict__["_closed"] = True

    def _check_open(self, name: str) -> None:
        if self.__dict__.get("_closed"):
            text = "this scene is that of a simulation, which would not notice; change a copy of it"
            raise AttributeError(f"Scene.{name}: {text} (copy.copy) and make a simulation of that")

    def __copy__(self) -> Scene:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("_closed", None)
        for items in ("_sources", "_effects", "_bodies"):  # what is in them is immutable
            setattr(other, items, list(getattr(self, items)))
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Scene:
        return self.__copy__()

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources in the order in which they were added."""
        return tuple(self._sources)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The effects in the order in which they were added."""
        return tuple(self._effects)

    @property
    def bodies(self) -> tuple[BodyBase, ...]:
        """The bodies and containers in the order in which they were added."""
        return tuple(self._bodies)

    def add(self, item: Any) -> Any:
        """Add a source, an effect or a body and return it.

        Raises
        ------
        TypeError
            When it is none of these.
        ValueError
            A body with a name that another one has.
        """
        self._check_open("add")
        if isinstance(item, Effect):
            self._effects.append(item)
        elif isinstance(item, Source):
            self._sources.append(item)
        elif isinstance(item, BodyBase):
            self._check_name(item)
            self._bodies.append(item)
        else:
            known = ", ".join(cls.__name__ for cls in (*SOURCES, *EFFECTS, *BODIES))
            text = f"is not a source, an effect or a body: {known}"
            raise TypeError(f"Scene.add: {shown(item)} {text}")
        return item

    def _replace(self, item: Any, *new: Any) -> None:
        """Put others, or nothing, in the place of an item."""
        for items in (self._sources, self._effects, self._bodies):
            for index, other in enumerate(items):
                if other is item:
                    items[index : index + 1] = new
                    return

    def _check_name(self, body: BodyBase) -> None:
        """Bodies are told apart by their names; the number is that of one without."""
        names = [other.name or str(index) for index, other in enumerate(self._bodies)]
        name = body.name or str(len(names))
        if name in names:
            what = f"Scene.add: {type(body).__name__} {name!r}"
            text = f"bodies[{names.index(name)}] has this name; allowed is one that no other has"
            raise ValueError(f"{what}: {text}")

    @property
    def nominal_voxel(self) -> float:
        """`voxel`, or where that is None a third of the smallest vortex core, m.

        Raises
        ------
        ValueError
            When the scene says neither.
        """
        if self.voxel is not None:
            return self.voxel
        cores = [source._placed_core() for source in self._sources]
        known = [core for core in cores if core is not None]
        if not known:
            text = "no source has a core of which it were a third; give Scene(voxel=...) (m)"
            raise ValueError(f"Scene.voxel = None: {text}")
        return min(known) * VOXEL_PER_CORE

    @property
    def _octaves(self) -> int:
        """`detail`, or what stands for None."""
        if self.detail is not None:
            return self.detail
        return 3 if any(isinstance(source, Emitter) for source in self._sources) else 0

    # ---- plain data ----

    def to_dict(self, folder: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Plain data, everything written out; "effects", "bodies", "combustion",
        "thermal_diffusivity" and "dissipation" only where there are some, "detail", its strength,
        "max_vortons" and "max_tracers" only where they are not the default.

        Paths are relative to `folder` where it is given.
        """
        values = {key: plain(getattr(self, key)) for key in _CHECKS if key not in _OBJECTS}
        for key in _ONLY_WHERE_SET:
            if values[key] == _DEFAULT.get(key):  # the digest of older scenes stays what it was
                del values[key]
        lists = {key: [item.to_dict() for item in getattr(self, key)] for key in _ITEMS}
        items = [item for items in lists.values() for item in items]
        if folder is not None:
            for data in items:
                relate_paths(data, Path(folder).absolute())
        transforms = share_transforms(items)
        found = {key: getattr(self, key) for key in _OBJECTS}
        objects = {key: item.to_dict() for key, item in found.items() if item is not None}
        data = {"schema": SCHEMA, **values, **objects}
        if transforms:
            data["transforms"] = transforms
        return data | {key: items for key, items in lists.items() if items or key == "sources"}

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], folder: str | os.PathLike[str] | None = None
    ) -> Scene:
        """The scene that `to_dict` wrote; missing keys take their defaults.

        Raises
        ------
        ValueError
            A newer schema, an unknown key (with the closest known one), a value out of range.
        TypeError
            A value of the wrong kind.
        """
        check_keys(data, ["schema", *_CHECKS, "transforms", *_ITEMS], "scene")
        check_schema(data)
        values = {key: data[key] for key in _CHECKS if key in data}
        scene = cls(**values)
        transforms = make_transforms(list_in(data, "transforms"))
        for key, types in _ITEMS.items():
            for index, item in enumerate(list_in(data, key)):
                if folder is not None and isinstance(item, Mapping):
                    item = absolute_paths(item, Path(folder).absolute())
                try:
                    scene.add(from_dict(give_parent(item, transforms), types, _ONE[key]))
                except (TypeError, ValueError) as error:
                    raise type(error)(f"scene: {key}[{index}]: {error}") from error
                except RecursionError:
                    raise ValueError(f"scene: {key}[{index}]: is nested too deeply") from None
        return scene

    def to_json(self) -> str:
        """The scene as JSON; numbers come back bit for bit."""
        return readable_json(self.to_dict())

    @classmethod
    def from_json(cls, text: str, folder: str | os.PathLike[str] | None = None) -> Scene:
        """The scene in a JSON text; raises as `from_dict`, and ValueError where it is not JSON."""
        try:
            data = parse_json(text, parse_constant=refuse_constant)
        except json.JSONDecodeError as error:
            raise ValueError(f"scene: not valid JSON: {error}") from error
        return cls.from_dict(data, folder)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scene to a JSON file; paths in it become relative to its folder.

        Raises
        ------
        OSError
            When the file cannot be written; an older file is then as it was.
        """
        path = check_place("path", path)
        text = readable_json(self.to_dict(folder=path.parent))
        write_atomically(path, text.encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scene:
        """The scene in a JSON file; raises as `from_json`, and OSError for the file."""
        path = check_place("path", path)
        try:
            return cls.from_json(path.read_text(encoding="utf-8"), folder=path.parent)
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: not a text in UTF-8") from error
        except (TypeError, ValueError) as error:
            raise type(error)(f"{path}: {error}") from error

    # ---- identity ----

    def _identity(self) -> dict[str, Any]:
        data = self.to_dict()
        lists = {key: [item._identity() for item in getattr(self, key)] for key in _ITEMS}
        return data | {key: items for key, items in lists.items() if key in data}

    @property
    def sha256(self) -> str:
        """Digest of the content: equal scenes have equal ones, wherever their files lie."""
        return hashlib.sha256(canonical_json(self._identity()).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scene):
            return NotImplemented
        return self._identity() == other._identity()

    __hash__ = None  # type: ignore[assignment]  # a scene can change: use sha256

    def __repr__(self) -> str:
        items = [*self._sources, *self._effects, *self._bodies]
        kinds = ", ".join(type(item).__name__ for item in items) or "no sources"
        return f"<vorton.Scene {self.name!r}: {kinds}>"


_OF_CORE = {name: OF_SIMULATION.get(name) for name in inspect.signature(Scene).parameters}
Scene.__doc__ = with_parameters(Scene.__doc__ or "", _OF_CORE)
