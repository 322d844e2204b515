"""Method: one choice for each stage of a frame."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .. import _core
from ..base.checks import check_keys
from .fields import Definition
from .tables import Table

__all__ = ["Method"]


@dataclasses.dataclass(frozen=True, eq=False)
class _Method(Definition):
    """What a Method can do; its fields come from the one list in vorton/method.def."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data: every field by name."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> _Method:
        """The method that `to_dict` wrote; missing keys take their defaults.

        Raises
        ------
        ValueError, TypeError
            Unknown key, value out of range or of the wrong kind.
        """
        check_keys(data, [field.name for field in dataclasses.fields(cls)], "method")
        return cls(**data)

    @classmethod
    def article(cls) -> _Method:
        """The scheme of the articles, to compare with: Euler steps, classical stretching without
        bound or cleaning, points without cores on a grid around all particles.

        What to expect of it on the grid; with ``velocity="direct"`` where that is said:

        - Speed of rings within 12 % in the mean, 20 % at worst: it depends on where in a cell a
          vorton lies, also when the flow is turned, or a tracer widens the box. Direct: 2 %. That
          is with ``stretching_factor=1``; with the articles' 1/2 rings with a cross-section are
          another 5 % slower, and leapfrogging rings another 3 % out.
        - Two vortons that orbit each other spiral out, 1 to 10 % in half a turn of 64 steps.
        - Impulse and total strength of a ring within 5 % over two seconds. Direct: 1 %.
        - A viscous core grows at .4 to .8 of the rate that the viscosity says.
        - The field off the vortons within 14 %.
        - The force on bodies counts tracers: those that run into them give up their momentum, each
          in every substep. Its direction is right (a plate is lifted), its size a matter of how
          many tracers there are, of which size, and how many substeps.
        - A spinning body in a wind is pushed to the wrong side: tracers hit its windward half
          alone, which turns across the wind and drags them along.
        - Heat, by the exchange alone, spreads twice as fast as the diffusivity says.
        - Bodies shed nothing, and no fluid is kept in the shapes of forces: what starts without
          vortons (a plate, an airfoil, a whirl) has none.
        - Nothing bounds stretching. With the articles' factor 1/2 (`stretching_factor`) smoke
          rings, jets and fires last some seconds; with that of the vorticity equation, 1, two
          rings blow up within one, and the step says so. Shorter steps do not help;
          ``.replace(bound=1.5)`` does.
        - In a container full of vortons the rule for walls makes vorticity without end, and blows
          up within a second or two; ``.replace(bodies="none")`` lasts a second longer, and with
          ``stretching="none"`` too it goes on.

        Returns
        -------
        Method

        Examples
        --------
        >>> Method.article().time
        'euler'
        """
        return cls(**_core.ARTICLE_METHOD)


_TABLE = Table("method")
_TYPES = {"choice": str, "whole": int, "number": float}

Method: Any = dataclasses.make_dataclass(
    "Method",
    [(name, _TYPES[row["type"]], _TABLE(name)) for name, row in _TABLE.rows.items()],
    bases=(_Method,),
    namespace={
        "__doc__": """One choice for each stage of a frame; immutable.

    Raises
    ------
    ValueError, TypeError
        Value out of range or of the wrong kind.

    Examples
    --------
    >>> Method(velocity="direct").velocity
    'direct'
    """,
        "__module__": __name__,
    },
    frozen=True,
    eq=False,
    kw_only=True,
)
