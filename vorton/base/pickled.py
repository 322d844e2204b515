"""Pickles name classes as users do: the modules in which they stand may move."""

from __future__ import annotations

import sys
from typing import Any


class Pickled:
    """Base of public classes: `vorton.Box` in a pickle, not the module that has it."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        cls, package = type(self), sys.modules[__name__.partition(".")[0]]
        if getattr(package, cls.__name__, None) is not cls:  # of a user
            return super().__reduce_ex__(protocol)
        return package._new, (cls.__name__,), self.__getstate__()
