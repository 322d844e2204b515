"""Random scenes that a user may make without a thought, a third of them close to walls: none fails
in a step."""

import numpy as np
import pytest
from innocent_scenes import make_wall_scene, run
from marks import slow_but

CHUNK = 5


@pytest.mark.parametrize("chunk", slow_but([15], range(200 // CHUNK)))
def test_they_step(chunk):
    ran = 0
    for seed in range(CHUNK * chunk, CHUNK * (chunk + 1)):
        try:
            sim = run(seed)
        except RuntimeError as error:
            raise AssertionError(f"innocent_scenes.make_scene({seed}): {error}") from error
        if sim is None:
            continue
        ran += 1
        assert np.isfinite(sim.vortons.position).all() and np.isfinite(sim.tracers.position).all()
        assert sim.health.largest_speed < 60, seed
    assert ran > CHUNK / 2


@pytest.mark.parametrize("chunk", slow_but([10], range(100 // CHUNK)))
def test_those_close_to_walls_step(chunk):
    ran = 0
    for seed in range(CHUNK * chunk, CHUNK * (chunk + 1)):
        try:
            sim = run(seed, frames=12, make=make_wall_scene)
        except RuntimeError as error:
            raise AssertionError(f"innocent_scenes.make_wall_scene({seed}): {error}") from error
        if sim is None:
            continue
        ran += 1
        assert np.isfinite(sim.vortons.position).all()
        assert sim.health.largest_speed < 30, seed
    assert ran > CHUNK / 2
