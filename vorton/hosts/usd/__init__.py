"""USD: a bake as a stage of volumes, points, bodies and a camera; bodies and cameras from a stage.

`vorton stage FOLDER` is `make_stage`; README.md beside this file tells what is in the stage. Points
and all that is read need usd-core: `pip install "vorton[usd]"`.
"""

from .reading import read_bodies, read_camera
from .stage import PRESETS, UPS, make_stage

__all__ = ["PRESETS", "UPS", "make_stage", "read_bodies", "read_camera"]
