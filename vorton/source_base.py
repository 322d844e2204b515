"""What all sources share."""

from __future__ import annotations

import dataclasses
from typing import Any

from .fields import Definition


@dataclasses.dataclass(frozen=True, eq=False)
class Source(Definition):
    """Base of all sources."""

    def _core_radius(self) -> float | None:
        """Radius of the thinnest vortex core that it makes, m: what a voxel should resolve."""
        return None

    def _add_to(self, core: Any, voxel: float) -> None:
        """Add to a `_core.Simulation`; `voxel` is the scene's nominal voxel, m."""
        raise NotImplementedError
