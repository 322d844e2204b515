"""What a flow is warned of while it is stepped, that its health alone shows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..definitions.records import HEALTH_LIMITS, has_limit
from ..scenes.scene import Scene
from .views import VortonFlag

__all__ = ["FRAMES_APART", "describe_faults"]

FRAMES_APART = 16
"""Frames from one look to the next: a look takes up to half as long as a step."""

WIDE_CORES = 2.0
"""Cells of the grid from which the vortons of a source do not touch there. A ring of .4 m radius
with cores of .14 m keeps its impulse, beside a source that sets cells of .031 m 63 % of it in 2 s.
"""


def _boxes_that_shed(core: _core.Simulation, scene: Scene) -> dict[int, NDArray[np.float64]]:
    """Lower and upper corners of the bodies that shed, by their numbers."""
    states = core.bodies()
    if len(states) != len(scene.bodies):  # some were removed
        return {}
    boxes = {
        n: np.array([state["lower"], state["upper"]])
        for n, (state, item) in enumerate(zip(states, scene.bodies, strict=True))
        if getattr(item, "shedding", 0) != 0
    }
    return {n: box for n, box in boxes.items() if np.isfinite(box).all()}


def _who_shed_most(core: _core.Simulation, scene: Scene) -> str:
    """The body whose wake makes most of a flow; "": none does, or it is gone."""
    strength = np.linalg.norm(core.column("vortons", "strength"), axis=1)
    shed = (core.column("vortons", "flags") & int(VortonFlag.SHED)) != 0
    boxes = _boxes_that_shed(core, scene)
    if not boxes or strength[shed].sum() <= strength.sum() / 2:
        return ""
    at = core.column("vortons", "position")[np.argmax(np.where(shed, strength, 0))]
    away = {n: np.linalg.norm(at - np.clip(at, *box)) for n, box in boxes.items()}
    nearest = min(away, key=lambda n: (away[n], n))
    return f"bodies[{nearest}], {scene.bodies[nearest]._what()}"


def _stop_grain(core: _core.Simulation, scene: Scene, spacing: float) -> str:
    body = _who_shed_most(core, scene)
    return body and (
        f"most of it is the wake of {body}: give that a smaller shedding (1 a second, say; 0: "
        "none), let it move more slowly, or give the scene Method(exchange=1)"
    )


def _stop_beads(core: _core.Simulation, scene: Scene, spacing: float) -> str:
    if body := _who_shed_most(core, scene):
        return f"most of them are the wake of {body}: give that more panels"
    widths = [source._least_core() or 0.0 for source in scene.sources]
    widest = int(np.argmax(widths)) if widths else 0
    if not widths or widths[widest] < WIDE_CORES * spacing:
        return ""
    source = scene.sources[widest]
    name = "vorton_core" if hasattr(source, "layers") else "core"
    return (
        f"the vortons of sources[{widest}], {type(source).__name__}, have cores of "
        f"{widths[widest]:.2g} m, and the narrowest of the scene set cells of {spacing:.2g} m for "
        f"all: give it {name}={spacing:.2g}, those wider cores, or each its own scene"
    )


_REMEDIES = {"strength_excess": _stop_grain, "own_vorticity": _stop_beads}


def describe_faults(core: _core.Simulation, scene: Scene, told: Collection[str]) -> dict[str, str]:
    """By the names of the numbers of health that are above their limits and have not been told of:
    what that means, and what to change."""
    try:
        health: dict[str, Any] = core.health()
    except (ValueError, RuntimeError):  # the next step says what is wrong
        return {}
    found = {}
    for name, (limit, meaning, remedy) in HEALTH_LIMITS.items():
        value = health[name]
        if name in told or not has_limit(name, health, core.time) or not value > limit:
            continue
        special = _REMEDIES[name](core, scene, health["spacing"]) if name in _REMEDIES else ""
        found[name] = (
            f"at {core.time:.3g} s {meaning} (health.{name} is {value:.2g}, above {limit:g}): "
            f"{special or remedy}"
        )
    if "own_vorticity" in {*told, *found}:  # the vorticity of beads diverges whatever cleans it
        found.pop("vorticity_divergence", None)
    return found
