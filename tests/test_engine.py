"""An engine of rigid bodies that owns the motion: examples/engine.py, against a pendulum's law."""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import vorton as vt

EXAMPLE = Path(__file__).parents[1] / "examples" / "engine.py"


def test_a_pendulum_in_water_by_mujoco():
    """Small swings: restoring force of weight less buoyancy, inertia of ball and added mass."""
    example = runpy.run_path(str(EXAMPLE))
    sim = vt.Simulation(example["make_scene"](vt.Method(bodies="none")), example["FPS"])
    body = sim.bodies["ball"]
    angles = np.array(list(example["swing"](sim, 5 * example["FPS"], angle=0.1)))
    arm, radius = example["ARM"], example["RADIUS"]
    displaced = body.fluid_density * 4 / 3 * math.pi * radius**3
    inert = body.mass + displaced / 2
    stiffness = (body.mass - displaced) * 9.81 * arm
    period = 2 * math.pi * math.sqrt(inert * (arm**2 + 0.4 * radius**2) / stiffness)
    downward = np.flatnonzero((angles[:-1] > 0) & (angles[1:] <= 0))
    at = downward + angles[downward] / (angles[downward] - angles[downward + 1])
    assert np.diff(at).mean() / example["FPS"] == pytest.approx(period, rel=0.01)
    assert np.abs(angles[-96:]).max() == pytest.approx(0.1, rel=0.15)
    # vorton's ball is where the engine has it
    where = (-arm * math.sin(angles[-1]), 0, -arm * math.cos(angles[-1]))
    np.testing.assert_allclose(sim.bodies["ball"].position, where, atol=1e-9)
