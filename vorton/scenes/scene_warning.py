"""How users are told that a scene does as it was told, but hardly what was meant."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

__all__ = ["SceneWarning", "warn"]


class SceneWarning(UserWarning):
    """A scene or a bake does as it was told, but hardly what was meant: the text says what to
    change."""


_PACKAGE = str(Path(__file__).parents[1]) + os.sep


def warn(text: str) -> None:
    """Give a `SceneWarning` of the line outside of this package from which it was called."""
    depth, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, SceneWarning, stacklevel=depth)
