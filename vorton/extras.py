"""Packages that vorton uses where they are installed."""

from __future__ import annotations

import importlib
from typing import Any


def load_extra(module: str, needs: str) -> Any:
    """The module of an optional package.

    Raises
    ------
    ModuleNotFoundError
        It is not there: `needs` is the message, what needs the package and how to install it.
    """
    try:
        importlib.import_module(module.partition(".")[0])
        return importlib.import_module(module)
    except ImportError as error:
        raise ModuleNotFoundError(needs) from error
