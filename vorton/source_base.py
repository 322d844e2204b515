"""What all sources share."""

from __future__ import annotations

import dataclasses
from typing import Any

from .animation import Transform, add_parent, parent_field, without_no_parent
from .fields import Definition


@dataclasses.dataclass(frozen=True, eq=False)
class Source(Definition):
    """Base of all sources: each may have a `parent`, a `Transform` in whose space it lies.

    A vortex structure is placed by where the parent is at its birth; the parent's scale acts on all
    lengths, the circulation stays.
    """

    parent: Transform | None = parent_field()

    def to_dict(self) -> dict[str, Any]:
        """Plain data, a transform inside."""
        return without_no_parent(super().to_dict())

    def _parent_id(self, core: Any) -> int:
        return add_parent(self.parent, core)

    def _placed_core(self) -> float | None:
        """`_core_radius` as the parent scales it at the first birth, m."""
        core = self._core_radius()
        if core is None or self.parent is None:
            return core
        born = getattr(self, "time", getattr(self, "start", 0.0))
        return core * self.parent.scale_at(born if isinstance(born, float) else 0.0)

    def _core_radius(self) -> float | None:
        """Radius of the thinnest vortex core that it makes, m: what a voxel should resolve."""
        return None

    def _add_to(self, core: Any, voxel: float) -> None:
        """Add to a `_core.Simulation`; `voxel` is the scene's nominal voxel, m."""
        raise NotImplementedError
