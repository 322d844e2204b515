"""Which cases of a parametrized test run always; the others carry the mark `slow`. Which tests need
what not every system has."""

import os
import sys

import pytest

# Some tests take fewer examples of what takes long then: five times as long under a sanitizer.
SANITIZED = "VORTON_SANITIZE" in os.environ

limits_address_space = pytest.mark.skipif(
    sys.platform != "linux" or SANITIZED,
    reason="limits the address space, of which a sanitizer takes all",
)


def slow_but(quick, cases):
    """The cases for ``pytest.mark.parametrize``, all marked as slow but those in ``quick``.

    A case that is a tuple holds the values of several parameters.
    """
    quick, cases = list(quick), list(cases)
    assert quick and all(case in cases for case in quick), "a quick case is none of the cases"
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if case in quick else pytest.mark.slow,
        )
        for case in cases
    ]
