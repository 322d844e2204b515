"""What a scene with fire, or smoke that lacks in places, is warned of before its first step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.checks import shown
from ..definitions.ambient import Liquid
from ..definitions.combustion import Combustion
from ..sources.emitter import Emitter
from .scene import Scene
from .scene_warning import warn

__all__ = ["has_share", "warn_of_fires"]


def has_share(*shares: Any) -> bool:
    """Whether one of the shares of a fluid (fuel, flame) is given, and is not 0."""
    return any(
        bool(np.any(share > 0)) if isinstance(share, np.ndarray) else share not in (None, 0)
        for share in shares
    )


WIDE, WARM = 1.6, 0.5
"""Cores of a flame over the cube root of the volume in which it is born: from which one may hardly
burn, and up to which it keeps nine tenths of its heat. Of a ball of .1 m, fuel .8 born at 800 K, 95
% of the smoke is less than 1019 K above the ambient temperature for .3, 923 K for .5, 850 K for
.75, 763 K for 1, 812 K for 1.25, 753 K for 1.6, 671 K for 1.9 and 600 K for 2.2, in the mean of
twelve seeds; these differ by 3, 8, 12, 38, 50, 63, 123 and 220 K (rms)."""


def _warn_of_wide_cores(scene: Scene) -> None:
    """A flame narrower than its cores is thinned out by the air that they reach into."""
    for index, source in enumerate(scene.sources):
        if not isinstance(source, Emitter) or not (has_share(source.fuel, source.flame)):
            continue
        scale = source.parent.scale_at(source.start) if source.parent else 1.0
        size = scale * source.shape.volume ** (1 / 3)
        core = max(scale * source.vorton_core, scene.spacing or 0.0)
        if core <= WIDE * size:
            continue
        said = "Scene.spacing" if core == scene.spacing else "its cores"
        warn(
            f"sources[{index}], Emitter: {said} of {core:.2g} m are too wide for its fire, "
            f"{size:.2g} m across (the cube root of its volume): the flame is thinned out, looks "
            f"cold and gives less heat. With {WARM * size:.2g} m it is nine tenths as hot as it "
            f"can be, {size / 5:.2g} m shows its form; or give it a larger shape"
        )


USUAL_FIRE = 0.5
"""m across: a fire for which the default rates of Combustion are right. Flames of another width are
alike where their times go as its root (Froude), those in which they cool, too: with rate and
flame_time alone 95 % of the flame of a fire of 5 m lies below 1.8 widths, not 3.2."""

OTHER_PACE = 3.0
"""Times too long or too short by that look wrong."""


_COOLING = ("mixing", "radiation")
"""Rates by which flames cool; given ones are meant."""


def _short(number: float) -> str:
    """A number to be typed, of three digits, without an exponent where that is as short."""
    return f"{float(f'{number:.3g}'):g}"


def _width_of_fire(source: Emitter) -> float:
    """Of the two longer sides of a box around it, m: it may burn at any side."""
    lower, upper = source.shape._span()
    scale = source.parent.scale_at(source.start) if source.parent else 1.0
    return scale * math.sqrt(np.prod(np.sort(upper - lower)[1:]))


def _warn_of_pace(scene: Scene) -> None:
    """A small fire with the times of a campfire has flames many times as high as it is wide."""
    law, usual = scene.combustion, Combustion()
    if law is None or law.rate is not None or law.flame_time != usual.flame_time:
        return
    for index, source in enumerate(scene.sources):
        goes_on = isinstance(source, Emitter) and source._goes_on()
        if not goes_on or not has_share(source.fuel):
            continue
        width = _width_of_fire(source)
        pace = math.sqrt(width / USUAL_FIRE)
        if 1 / OTHER_PACE <= pace <= OTHER_PACE:
            continue
        cooling = [name for name in _COOLING if getattr(law, name) == getattr(usual, name)]
        rates = "".join(f", {name}={_short(getattr(law, name) / pace)}" for name in cooling)
        warn(
            f"sources[{index}], Emitter: its fire is {width:.2g} m across, and Combustion has the "
            f"times of one of {USUAL_FIRE:g} m: its flames will be far too "
            f"{'high' if pace < 1 else 'low'}. Combustion(rate={_short(law.burn_rate / pace)}, "
            f"flame_time={_short(law.flame_time * pace)}{rates}) makes them what those are, "
            f"{'smaller' if pace < 1 else 'larger'}; fires of other sizes need scenes of their own"
        )


GAS_AT_MOST = 100.0
"""kg/m^3: no gas in which things burn is so dense, and no liquid so light."""


def _warn_of_fire_in_liquid(scene: Scene) -> None:
    """Nothing burns under water: there is no air, and it would boil."""
    ambient = scene.ambient
    if scene.combustion is None or not (
        isinstance(ambient, Liquid) or ambient.density > GAS_AT_MOST
    ):
        return
    for index, source in enumerate(scene.sources):
        if not has_share(getattr(source, "fuel", None)):
            continue
        warn(
            f"sources[{index}]: {type(source).__name__}.fuel = {shown(source.fuel)}: burns, as in "
            f"air, in the ambient fluid {type(ambient).__name__} of {ambient.density:g} kg/m^3, "
            "where fires go out; for a fire leave Scene.ambient as it is, Air(), and for hot or "
            "light fluid in a liquid leave fuel out and give temperature or density"
        )
        return


def _warn_of_nothing_to_thin(scene: Scene) -> None:
    """What says how the fuel or smoke of an emitter is spread, of one that has neither."""
    for index, source in enumerate(scene.sources):
        if not isinstance(source, Emitter) or has_share(source.fuel, source.smoke):
            continue
        given = [name for name in ("taper", "flicker") if has_share(getattr(source, name))]
        if given:
            warn(
                f"sources[{index}]: Emitter.{given[0]} = {shown(getattr(source, given[0]))}: says "
                "where fuel or smoke lacks, and this emitter has neither, so it does nothing; "
                "swirl makes fluid uneven"
            )


def warn_of_fires(scene: Scene) -> None:
    """All that can be seen of its fires before the first step."""
    _warn_of_nothing_to_thin(scene)
    _warn_of_wide_cores(scene)
    _warn_of_pace(scene)
    _warn_of_fire_in_liquid(scene)
