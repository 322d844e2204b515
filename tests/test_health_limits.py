"""Limits of health: good flows keep below them, bad ones go above; health_table.py has more."""

import dataclasses

import pytest
from health_table import BAD, GOOD, follow
from marks import slow_but

QUICK_GOOD = ["ring, one vorton thick"]
SLOW_GOOD = ["README puff", "examples/thin_sheet", "tube", "viscous ring"]
KNOWN_BAD = {
    "cores apart on the grid": "own_vorticity",
    "far from the origin": "rounding",
    "too long steps": "strength_excess",
    "articles, factor 1, ring": "vorticity_divergence",
}


@pytest.mark.parametrize("name", slow_but(QUICK_GOOD, QUICK_GOOD + SLOW_GOOD))
def test_good_flows_keep_below(name):
    seen = follow(GOOD[name], every=6)
    assert seen.frames == GOOD[name].frames and not seen.end
    assert seen.above == []


@pytest.mark.parametrize("name", slow_but(["far from the origin"], KNOWN_BAD))
def test_bad_flows_go_above(name):
    flow = BAD[name]
    if name in list(KNOWN_BAD)[:2]:  # from the beginning on
        flow = dataclasses.replace(flow, frames=12)
    assert KNOWN_BAD[name] in follow(flow).above
