"""Motion archives (.vta): the state of a simulation at each frame, exact to the bit, in one file.

>>> with Archive("cache/ring/ring.vta") as archive:     # doctest: +SKIP
...     archive.frames
"""

from .reading import SUFFIX, Archive, DamageError

__all__ = ["SUFFIX", "Archive", "DamageError"]
