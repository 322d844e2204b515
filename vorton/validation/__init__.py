"""Cases with exact answers: what `vorton validate` runs and the tests of vorton repeat.

Each case simulates something that has an exact solution, a conserved quantity or a sum in float64,
and gives one number with the value that it should have. The cases stand in files by subject.

>>> from vorton.validation import CASES
>>> len(CASES) > 60
True
"""

from . import (  # noqa: F401  (each enters its cases)
    biot_savart,
    boards,
    books,
    buoyancy,
    diffusion,
    fire,
    motion,
    potential_flow,
    rings,
)
from .case import CASES, Case, Line, Result

__all__ = ["CASES", "Case", "Line", "Result"]
