"""Pictures of smoke: lit previews of volumes, and what a shot of them has in common.

>>> from vorton.preview import Camera
>>> picture = render(sim)                               # doctest: +SKIP
>>> camera = Camera.frame((-1, -1, 0), (1, 1, 3))       # bounds of the whole shot, m
>>> picture = render(volume, camera)                    # doctest: +SKIP
>>> write_film([picture], "smoke.png")                  # doctest: +SKIP
"""

from ..files.film_files import FORMATS, write_film
from .camera import Camera
from .rendering import (
    FIRE_LOOK,
    LOOK,
    SURROUNDINGS,
    Survey,
    carries_fire,
    check_dye,
    measure_emission,
    measure_extinction,
    render,
    render_shot,
    volume_bounds,
)

__all__ = [
    "FIRE_LOOK",
    "FORMATS",
    "LOOK",
    "SURROUNDINGS",
    "Camera",
    "Survey",
    "carries_fire",
    "check_dye",
    "measure_emission",
    "measure_extinction",
    "render",
    "render_shot",
    "volume_bounds",
    "write_film",
]
