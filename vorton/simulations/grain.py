"""What a flow is warned of while it is stepped, that its health alone shows: grain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core
from ..definitions.records import HEALTH_LIMITS, has_limit
from ..scenes.scene import Scene
from .views import VortonFlag

__all__ = ["FRAMES_APART", "describe_grain"]

FRAMES_APART = 16
"""Frames from one look to the next: a look takes up to half as long as a step."""


def _who_shed_most(core: _core.Simulation, scene: Scene) -> str:
    """The body whose wake makes most of a flow; "": none does."""
    strength = np.linalg.norm(core.column("vortons", "strength"), axis=1)
    shed = (core.column("vortons", "flags") & int(VortonFlag.SHED)) != 0
    if strength[shed].sum() <= strength.sum() / 2:
        return ""
    at = core.column("vortons", "position")[np.argmax(np.where(shed, strength, 0))]
    states = core.bodies()
    away = [np.maximum(0, np.maximum(s["lower"] - at, at - s["upper"])) for s in states]
    nearest = int(np.argmin(np.linalg.norm(away, axis=1)))
    return f"bodies[{nearest}], {scene.bodies[nearest]._what()}"


def describe_grain(core: _core.Simulation, scene: Scene, frame: int) -> str:
    """A flow whose vortons carry much more strength than the grid resolves, and what to change; "":
    all is well, or it is not known."""
    name = "strength_excess"
    try:
        health: Mapping[str, Any] = core.health()
    except (ValueError, RuntimeError):  # the next step says what is wrong
        return ""
    limit, meaning, remedy = HEALTH_LIMITS[name]
    excess = health[name]
    if not has_limit(name, health, core.time) or not excess > limit:
        return ""
    body = _who_shed_most(core, scene)
    if body:
        remedy = (
            f"most of it is the wake of {body}: give that a smaller shedding (1 a second, say; "
        )
        remedy += "0: none), let it move more slowly, or give the scene Method(exchange=1)"
    return f"frame {frame}: {meaning} (health.{name} is {excess:.2g}, above {limit:g}): {remedy}"
