"""Alembic: the tracers of a bake as points, and its bodies as meshes, in one .abc file.

`vorton stage BAKE --format abc` is `write_alembic`; README.md beside this file tells what is in it.
It needs alembic3d: `pip install "vorton[alembic]"`.
"""

from .writing import write_alembic

__all__ = ["write_alembic"]
