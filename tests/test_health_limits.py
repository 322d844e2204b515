"""Limits of health: good flows keep below them, bad ones go above; health_table.py has more."""

import dataclasses
import warnings

import numpy as np
import pytest
from health_table import BAD, GOOD, follow
from marks import slow_but

import vorton as vt

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


def told_by(sim, frames):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sim.step(frames)
    return [str(warning.message) for warning in told]


@pytest.mark.parametrize("noise", slow_but([3], [0, 3]))
def test_a_grainy_wake_is_told_once_with_its_body(noise):
    """In a frame in which steps look, whose bits do not depend on the look."""
    scene = vt.Scene("wake", wind=(1, 0, 0), spacing=0.1)
    scene.add(vt.Body(vt.Sphere((1.9, 0, 0), radius=0.2), name="still", shedding=0))
    fan = vt.Body(vt.Box((1, -0.2, -0.2), (1.2, 0.2, 0.2)), name="fan", panels=160)
    scene.add(fan)
    sim = vt.Simulation(scene, threads=1)
    sim.step(13)
    strength = sim.vortons.strength
    size = np.linalg.norm(strength, axis=1).mean()
    strength += noise * size * np.random.default_rng(1).normal(size=strength.shape)
    unseen, without = sim.copy(), sim.copy()
    without.remove(fan)
    assert not any("wake of" in text for text in told_by(without, 3))
    told = [text for text in told_by(sim, 20) if "strength_excess" in text]
    assert len(told) == bool(noise)
    for text in told:
        assert "at 0.667 s " in text
        assert "bodies[1], Body 'fan': give that a smaller shedding" in text
    for _ in range(20):
        unseen.advance(1 / 24)
    assert unseen.vortons.position.tobytes() == sim.vortons.position.tobytes()


@pytest.mark.parametrize("own", slow_but([None], [None, 0.03]))
def test_wide_vortons_beside_a_narrow_source_are_told_with_their_source(own):
    """They keep no impulse where they do not touch; with cores as wide as the cells they do."""
    scene = vt.Scene("two", seed=1)
    scene.add(vt.VortexRing((0, 0, 0.3), radius=0.1, core=0.06, circulation=1e-4))
    scene.add(vt.VortexRing(radius=0.3, core=0.2, circulation=4.0, vorton_core=own))
    sim = vt.Simulation(scene, threads=2)
    before = np.linalg.norm(sim.health.impulse)
    told = told_by(sim, 17)
    kept = np.linalg.norm(sim.health.impulse) / before
    if own:
        assert told == [] and kept == pytest.approx(1, abs=1e-3)
        return
    (text,) = told
    assert "the vortons of sources[1], VortexRing, have cores of 0.1 m" in text
    assert "give it vorton_core=0.03" in text and kept < 0.9
