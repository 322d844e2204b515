"""Tests of a shot with pytest: run them before a bake is handed on, and when vorton is updated.

    pytest examples/test_campfire.py

Take it as it is for a scene of your own. `stepped` steps each scene once, however many tests ask
for it. Each assert has a test in which it must fail: so it is seen that it could.
"""

import copy
from pathlib import Path

import numpy as np
import pytest

import vorton as vt
from vorton.archive.scene_files import load_scene
from vorton.testing import assert_healthy, assert_same_bake, exact_velocity

pytest_plugins = ["vorton.testing"]  # the fixture `stepped`; may stand in conftest.py

SHOT = Path(__file__).parent / "campfire.py"
FRAMES = 12  # half a second: the fire stands


def bake(scene, folder, **settings):
    """Two frames with large voxels: enough to see that nothing has changed."""
    volumes = vt.Volumes(voxel=0.08)
    return vt.bake(scene, folder, frames=(5, 6), volumes=volumes, progress=False, **settings)


# ---- the shot ----


def test_the_flow_is_healthy(stepped):
    assert_healthy(stepped(SHOT, FRAMES), noise=8, largest_speed=10)  # and all that is usual


def test_the_fire_is_as_high_and_as_hot_as_the_shot_needs(stepped):
    tracers = stepped(SHOT, FRAMES).tracers
    assert 0.4 < np.percentile(tracers.position[:, 2], 99) < 2.0  # m
    assert 800 < tracers.temperature.max() < 1200  # K


def test_the_grid_is_fine_enough(stepped):
    """Beside the exact sum, which knows nothing of the expansion of what burns: without it."""
    method = load_scene(SHOT).method.replace(expansion=0)
    sim = stepped(SHOT, FRAMES, method=method, shared=True)
    points = sim.vortons.position[::50]
    exact = exact_velocity(sim, points)
    error = np.linalg.norm(sim.velocity_at(points) - exact) / np.linalg.norm(exact)
    assert error < 0.03


def test_the_bake_is_the_same_on_the_farm(tmp_path):
    """Here on one processor or on all; on a farm beside a bake that is kept: cache/approved."""
    scene = load_scene(SHOT)
    assert_same_bake(bake(scene, tmp_path / "a", threads=1), bake(scene, tmp_path / "b"))


# ---- what must fail ----


def test_the_fire_is_faster_than_a_candle(stepped):
    with pytest.raises(AssertionError, match=r"largest_speed is [2-9].* in frame 12, above 1"):
        assert_healthy(stepped(SHOT, FRAMES), largest_speed=1)


def test_another_seed_is_another_bake(tmp_path):
    scene = load_scene(SHOT)
    other = copy.copy(scene)
    other.seed += 1
    with pytest.raises(AssertionError, match="seed is 11 and 12"):
        assert_same_bake(bake(scene, tmp_path / "a"), bake(other, tmp_path / "b"))


def test_expansion_is_seen_beside_the_exact_velocity(stepped):
    sim = stepped(SHOT, FRAMES, shared=True)
    points = sim.vortons.position[::50]
    exact = exact_velocity(sim, points)
    assert np.linalg.norm(sim.velocity_at(points) - exact) > 0.05 * np.linalg.norm(exact)
