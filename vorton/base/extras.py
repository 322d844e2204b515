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
    ImportError
        It is there and cannot be imported: what Python says.
    """
    package = module.partition(".")[0]
    try:
        importlib.import_module(package)
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name not in (package, module):  # something that the package needs
            raise
        raise ModuleNotFoundError(needs) from error
