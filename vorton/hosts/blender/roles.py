"""What an object of a Blender scene can be for vorton, and what a scene itself can be told.

A role names a definition of vorton; the object says where that is and which shape it has, its
properties say the rest. `STARTS` are roles with the numbers that they begin with.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ...definitions.ambient import AMBIENTS
from ...definitions.combustion import Combustion
from ...definitions.method import Method
from ...geometry.shapes import Surface
from ...scenes.bodies import Body, Container
from ...scenes.effects import Kill, Wind
from ...scenes.forces import Attractor, Drag, Turbulence, UniformForce, Vortex
from ...scenes.scene import OF_SIMULATION, UP_TO_SCENE, Scene
from ...sources.emitter import Emitter
from ...sources.ring_and_tracers import Tracers, VortexRing
from ...sources.vortices import Jet, RandomCloud
from .settings import Setting, documentation, fields_settings, settings_of

PLACED = ("center", "axis", "direction", "major", "point", "parent")
"""Arguments that an object gives by where it is: it lies at their default in its own space."""


@dataclasses.dataclass(frozen=True)
class Role:
    """What an object can be.

    Attributes
    ----------
    name : str
        Identifier, in capitals; in lower case that of its group of properties.
    cls : type
        The definition.
    label, icon : str
    shape : "filled", "solid", "where" or ""
        What its mesh is: filled with what is born; a solid; where an effect acts, everywhere
        without a mesh; or the object has none.
    """

    name: str
    cls: type
    label: str
    icon: str
    shape: str = ""

    @cached_property
    def settings(self) -> dict[str, Setting]:
        """What can be set, by name."""
        return settings_of(self.cls, (*PLACED, "name"))

    @property
    def group(self) -> str:
        """Name of its group of properties."""
        return self.name.lower()

    @property
    def text(self) -> str:
        """The first line of what vorton says of it."""
        return (self.cls.__doc__ or "").split("\n")[0].rstrip(".").replace("`", "")


ROLES: dict[str, Role] = {
    role.name: role
    for role in (
        Role("EMITTER", Emitter, "Emitter", "OUTLINER_OB_VOLUME", "filled"),
        Role("SMOKE", Tracers, "Smoke alone", "STICKY_UVS_DISABLE", "filled"),
        Role("RING", VortexRing, "Vortex ring", "MESH_TORUS"),
        Role("JET", Jet, "Jet", "FORCE_WIND"),
        Role("CLOUD", RandomCloud, "Turbulent cloud", "FORCE_TURBULENCE", "filled"),
        Role("BODY", Body, "Body", "MESH_UVSPHERE", "solid"),
        Role("CONTAINER", Container, "Container", "CUBE", "solid"),
        Role("WIND", Wind, "Wind", "FORCE_WIND"),
        Role("VORTEX", Vortex, "Vortex field", "FORCE_VORTEX", "where"),
        Role("PUSH", UniformForce, "Push", "FORCE_FORCE", "where"),
        Role("TURBULENCE", Turbulence, "Turbulence field", "FORCE_TURBULENCE", "where"),
        Role("DRAG", Drag, "Drag field", "FORCE_DRAG", "where"),
        Role("ATTRACTOR", Attractor, "Attractor of smoke", "FORCE_CHARGE", "where"),
        Role("KILL", Kill, "Kill", "X", "where"),
    )
}

DEFINITION = "DEFINITION"
"""Role of an object that carries a definition as text: of what has no properties here."""


@dataclasses.dataclass(frozen=True)
class Start:
    """A role as an artist asks for it, with what is not as by default."""

    label: str
    role: str
    values: Mapping[str, Any]
    burns: bool = False
    about: str = ""

    @property
    def text(self) -> str:
        """What it makes of an object: by default what its role says."""
        return self.about or ROLES[self.role].text


STARTS: dict[str, Start] = {
    "FIRE": Start(
        "Fire", "EMITTER",
        {"temperature": 700.0, "fuel": 0.9, "taper": 0.5, "flicker": 0.9, "swirl": 0.5,
         "renew": 3.0, "lifetime": 1.3, "per_voxel": 20.0},
        burns=True, about="Gas that burns: flames, the heat that lifts them, and their smoke",
    ),
    "SMOKE": Start(
        "Hot smoke", "EMITTER",
        {"temperature": 600.0, "taper": 0.5, "flicker": 0.8, "lifetime": 3.0},
        about="Smoke that rises, as its gas is hot",
    ),
    "TRACERS": Start(
        "Smoke alone", "SMOKE", {"renew": 6.0, "lifetime": 3.0},
        about="Smoke that goes where the fluid goes, and moves nothing itself",
    ),
    **{
        role.name: Start(role.label, role.name, {})
        for role in ROLES.values()
        if role.name not in ("EMITTER", "SMOKE")
    },
    "WIND": Start("Wind", "WIND", {"velocity": (0.0, 0.0, 2.0)}),
}  # fmt: skip
"""What the menu marks objects as."""


def scene_settings() -> dict[str, Setting]:
    """What a scene can be told, but for gravity, which Blender's own scene has."""
    fields = {n: field for n, field in (UP_TO_SCENE | OF_SIMULATION).items() if n != "gravity"}
    return fields_settings(fields, documentation(Scene))


AMBIENT_SETTINGS = {cls.__name__: settings_of(cls) for cls in AMBIENTS}
COMBUSTION_SETTINGS = settings_of(Combustion)
METHOD_SETTINGS = settings_of(Method)
SKIN_SETTINGS = settings_of(Surface)
SCENE_SETTINGS = scene_settings()


def _labels() -> dict[str, str]:
    scenes = [("Scene", SCENE_SETTINGS), *AMBIENT_SETTINGS.items()]
    panels = [("Combustion", COMBUSTION_SETTINGS), ("Method", METHOD_SETTINGS)]
    groups = [(role.cls.__name__, role.settings) for role in ROLES.values()] + scenes + panels
    return {
        f"{cls}.{setting.name}": setting.words + (f" ({cls})" if (cls, settings) in panels else "")
        for cls, settings in groups
        for setting in settings.values()
    }


LABELS = _labels()
"""What an artist sees of fields that messages name as `Class.field`."""
