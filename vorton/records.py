"""Records that a simulation hands out: numbers by name, attributes and items, shown as a table."""

from .definitions.records import (
    HEALTH_LIMITS,
    Bodies,
    BodyState,
    Health,
    HealthLimit,
    StageTime,
    Timings,
)

__all__ = ["HEALTH_LIMITS", "Bodies", "BodyState", "Health", "HealthLimit", "StageTime", "Timings"]
