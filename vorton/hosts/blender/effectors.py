"""Blender's own force fields and colliders, as vorton has them.

What a field does to Blender's own smoke is an acceleration: each frame adds `SMOKE` m/s for each
unit of strength, and where Flow is not 0 the field becomes a stream of the velocity strength / flow
that the air comes up to. Particles of mass 1 get 1 m/s^2 for each unit instead, and the same
stream. Fluid of vorton does not give way: what has no curl, as a pull towards a point, pressure
balances, so it is left out, by name.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...definitions.transform import Transform
from ...geometry.shapes import Disk, Shape, Sphere
from ...scenes.effects import Wind
from ...scenes.forces import Drag, Turbulence, UniformForce, Vortex
from ..poses import Pose, over_time, short, transform_of

SMOKE = 0.2
"""m/s that a field of strength 1 gives to Blender's smoke in a frame."""

NOISE = 0.302
"""Root mean square of the force of a turbulence field of strength 1, as particles feel it."""

FARTHEST = 1e3
"""Units of Blender: what reaches farther acts as if it had no end, where vorton needs one."""

LEAST, MOST = 1e-6, 1e9
"""Lengths, m, and times, s, that vorton takes."""

NUMBERS = ("strength", "flow", "linear_drag", "quadratic_drag")
"""What may change in time; all else is that of the first frame."""

FIXED = (
    "type", "shape", "falloff_type", "falloff_power", "use_max_distance", "distance_max",
    "use_min_distance", "use_radial_max", "radial_max", "radial_falloff", "z_direction", "size",
    "seed", "noise",
)  # fmt: skip


@dataclasses.dataclass
class Field:
    """A force field over time.

    Attributes
    ----------
    name : str
    fixed : dict
        The settings of `FIXED`, as Blender names them, lengths in its units.
    values : list of dict
        Those of `NUMBERS` at each sample.
    """

    name: str
    fixed: dict[str, Any]
    values: list[dict[str, float]]

    def over(self, name: str) -> np.ndarray:
        """A number at each sample."""
        return np.array([now[name] for now in self.values])


def is_field(thing: Any) -> bool:
    """Whether an object is a force field of Blender."""
    return thing.field is not None and thing.field.type != "NONE"


def is_collider(thing: Any) -> bool:
    """Whether an object is a collider of Blender: it has the modifier, switched on."""
    return any(m.type == "COLLISION" and m.show_viewport for m in thing.modifiers)


def begin(thing: Any) -> Field:
    """The field of an object, without its frames."""
    return Field(thing.name, {name: getattr(thing.field, name) for name in FIXED}, [])


def look(thing: Any) -> dict[str, float]:
    """What changes of the field of an object, now."""
    return {name: short(getattr(thing.field, name)) for name in NUMBERS}


def definitions(
    field: Field,
    poses: Sequence[Pose],
    there: Sequence[bool],
    fps: float,
    rate: float,
    length: float,
) -> tuple[list[Any], list[str]]:
    """What a field is for vorton.

    Parameters
    ----------
    field : Field
    poses : sequence of Pose
        Of its object, at each sample; scales do not matter.
    there : sequence of bool
        Whether its object is there, at each sample.
    fps : float, 1/s
    rate : float, 1/s
        Of the samples.
    length : float
        Metres of a unit of Blender.

    Returns
    -------
    made : list of Effect
        Empty where it has no counterpart.
    told : list of str
        What is left out or is not quite the same, with the name of the object.
    """
    kind = field.fixed["type"]
    told: list[str] = []
    rigid = [dataclasses.replace(pose, stretch=tuple(map(tuple, np.eye(3)))) for pose in poses]
    parent = transform_of(rigid, rate, grows=True)
    if kind not in _MAKE:
        why = (
            "it has no curl, so pressure balances it: the role Attractor draws smoke alone"
            if kind in ("FORCE", "CHARGE", "HARMONIC", "LENNARDJ")
            else "it has no counterpart"
        )
        return [], [f"{field.name}: Blender's field {kind} is left out: {why}"]
    if not field.over("strength").any() and kind != "DRAG":
        return [], []
    if nowhere := _nowhere(field, length):
        return [], [f"{field.name}: its {nowhere} is 0, so it acts nowhere: it is left out"]
    shape, falloff = _shape(field, length, told)
    made = _MAKE[kind](field, _Place(shape, falloff, parent, np.array(there), fps, rate, length))
    _tell_ignored(field, told)
    return made, [f"{field.name}: {text}" for text in told]


@dataclasses.dataclass(frozen=True)
class _Place:
    shape: Shape | None
    falloff: float
    parent: Transform | None
    there: np.ndarray
    fps: float
    rate: float
    length: float

    @property
    def where(self) -> dict[str, Any]:
        """Arguments of a force."""
        return {"shape": self.shape, "falloff": self.falloff, "parent": self.parent}


# ---- where it acts ----


def _nowhere(field: Field, length: float) -> str:
    """The setting that leaves a field no room, or nothing."""
    fixed = field.fixed
    if fixed["use_max_distance"] and fixed["distance_max"] * length < LEAST:
        return "Max Distance"
    tube = fixed["falloff_type"] == "TUBE"
    if tube and fixed["use_radial_max"] and fixed["radial_max"] * length < LEAST:
        return "radial Max Distance"
    return ""


def _shape(field: Field, length: float, told: list[str]) -> tuple[Shape | None, float]:
    fixed = field.fixed
    along = fixed["distance_max"] * length if fixed["use_max_distance"] else math.inf
    soft = fixed["falloff_power"] > 0
    if soft and math.isinf(along) and fixed["type"] != "VORTEX":
        told.append("it acts everywhere alike: its Power needs a Max Distance")
    elif soft and fixed["type"] != "VORTEX":
        told.append("its Power becomes a falloff over all of the way to Max Distance")
    if fixed["falloff_type"] == "CONE":
        told.append("its cone becomes a ball")
    half = fixed["z_direction"] if fixed["z_direction"] != "BOTH" else None
    if fixed["falloff_type"] != "TUBE":
        if half:
            told.append(f"Z Direction {half} is that of a tube alone, and is left out")
        ball = None if math.isinf(along) else Sphere(radius=short(min(along, MOST)))
        return ball, 1.0 if soft else 0.0
    across = fixed["radial_max"] * length if fixed["use_radial_max"] else math.inf
    if math.isinf(along) and math.isinf(across):
        return None, 0.0
    along, across = min(along, FARTHEST * length), min(across, FARTHEST * length)
    depth = along if half else 2 * along
    middle = {"POSITIVE": along / 2, "NEGATIVE": -along / 2}.get(half or "", 0.0)
    made = Disk((0, 0, short(middle)), radius=short(across), thickness=short(depth))
    return made, 1.0 if soft or fixed["radial_falloff"] > 0 else 0.0


def _tell_ignored(field: Field, told: list[str]) -> None:
    fixed = field.fixed
    shape, fades = fixed["shape"], fixed["use_max_distance"] or fixed["falloff_power"] > 0
    if shape in ("SURFACE", "POINTS"):
        told.append(f"its Shape {shape} is left out: it acts as from its origin")
    elif shape in ("LINE", "PLANE") and fades and fixed["falloff_type"] != "TUBE":
        told.append(f"its Shape {shape} is left out: distances are those from its origin")
    if fixed["noise"] > 0:
        told.append("its Noise is left out")
    if fixed["use_min_distance"]:
        told.append("its Min Distance is left out")
    if field.over("flow").any() and fixed["type"] in ("TURBULENCE", "DRAG"):
        told.append("its Flow is left out")
    if fixed["type"] == "VORTEX" and math.isinf(_core(field)):
        told.append("it has no end: give it a Max Distance or a Power; it is left out")
    if fixed["type"] == "DRAG" and field.over("quadratic_drag").any():
        told.append("its Quadratic drag is left out")
    if fixed["type"] == "DRAG" and field.over("linear_drag").min() < 0:
        told.append("its negative Linear drag, which would speed the air up, is left out")


# ---- what it does ----


def _stream(field: Field) -> np.ndarray | None:
    """Velocity that a field with Flow leads to at each sample, in Blender's units, or None."""
    flow = field.over("flow")
    return field.over("strength") / flow if flow.min() > 0 else None


def _catch_up(field: Field, place: _Place) -> float:
    """Time within which the air comes up to the stream, s: as at the first frame."""
    return _time(SMOKE * place.fps * field.values[0]["flow"])


def _time(rate: float) -> float:
    """What goes with a rate, 1/s, as far as vorton takes it."""
    return short(min(max(1 / rate, LEAST), MOST))


def _numbers(values: np.ndarray, rate: float) -> Any:
    return over_time([short(float(f"{value:.7g}")) for value in values], rate)


def _along_z(values: np.ndarray, rate: float) -> Any:
    return over_time([(0.0, 0.0, short(float(f"{value:.7g}"))) for value in values], rate)


def _make_wind(field: Field, place: _Place) -> list[Any]:
    stream, rate = _stream(field), place.rate
    gain = SMOKE * place.fps * place.length * field.over("strength")  # m/s^2
    if place.shape is None:
        velocity = np.cumsum(np.concatenate([[0.0], (gain * place.there)[:-1] / rate]))
        if stream is not None:
            velocity = stream * place.length
        return [Wind(_along_z(velocity, rate), parent=place.parent)]
    if stream is None:
        return [UniformForce((0, 0, 1), _numbers(gain, rate), **place.where)]
    velocity = _along_z(stream * place.length, rate)
    return [Drag(velocity, 1.0, time=_catch_up(field, place), **place.where)]


def _make_vortex(field: Field, place: _Place) -> list[Any]:
    """It turns the air as a solid: with strength / flow rad/s; without Flow strength is the gain of
    that, and it ends with what it gives in a second.
    """
    stream = _stream(field)
    core = _core(field) * place.length
    if math.isinf(core):
        return []
    turn = SMOKE * place.fps * field.over("strength") if stream is None else stream
    time = 1.0 if stream is None else _catch_up(field, place)
    circulation = _numbers(2 * math.pi * core**2 * turn, place.rate)
    return [Vortex(circulation=circulation, core=short(core), time=time, **place.where)]


def _core(field: Field) -> float:
    """Radius of a core that turns about as fast as the field asks for, in Blender's units: that of
    its end, or by where half of the field is left.
    """
    fixed = field.fixed
    end = math.inf
    if fixed["use_max_distance"]:
        end = min(fixed["distance_max"], FARTHEST)
    if fixed["use_radial_max"] and fixed["falloff_type"] == "TUBE":
        end = min(end, fixed["radial_max"], FARTHEST)
    if fixed["falloff_power"] > 0:
        halved = 2 ** min(1 / fixed["falloff_power"], 99) - 1  # Power 0.01 hardly fades anywhere
        faded = halved / math.sqrt(HALF)
        end = min(end, faded) if faded <= FARTHEST else end
    return end


HALF = 1.5936
"""q at which (1 - exp(-q)) / q, the turn of a core over that of its centre, is one half."""


def _make_turbulence(field: Field, place: _Place) -> list[Any]:
    strength = NOISE * SMOKE * place.fps * place.length * np.abs(field.over("strength"))
    size = field.fixed["size"] or 1.0  # 0 means 1 there
    return [
        Turbulence(
            _numbers(strength, place.rate),
            scale=short(max(size * place.length, LEAST)),
            seed=field.fixed["seed"],
            **place.where,
        )
    ]


def _make_drag(field: Field, place: _Place) -> list[Any]:
    rate = SMOKE * place.fps * np.maximum(field.over("linear_drag"), 0)  # 1/s
    if not rate.any():
        return []
    share = _numbers(rate / rate.max(), place.rate)
    return [Drag(fraction=share, time=_time(rate.max()), **place.where)]


_MAKE = {
    "WIND": _make_wind,
    "VORTEX": _make_vortex,
    "TURBULENCE": _make_turbulence,
    "DRAG": _make_drag,
}
