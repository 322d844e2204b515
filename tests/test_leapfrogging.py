"""Two rings that leapfrog (VALIDATION D2, L5), against the equations of coaxial filaments."""

import numpy as np
import pytest

from vorton import _core

RADIUS = DISTANCE = 0.7906
CORE = 0.1 * RADIUS
COUNT = 100


def velocity_of_filament(r, z, radius):
    """(u_r, u_z) of a circular filament of circulation 1 at the distance z from its plane."""
    from scipy.special import ellipe, ellipk

    far, near = (radius + r) ** 2 + z**2, (radius - r) ** 2 + z**2
    k, e = ellipk(4 * radius * r / far), ellipe(4 * radius * r / far)
    scale = 1 / (2 * np.pi * np.sqrt(far))
    along = scale * (k + (radius**2 - r**2 - z**2) / near * e)
    outward = scale * z / r * (-k + (radius**2 + r**2 + z**2) / near * e)
    return outward, along


def coaxial(_, state):
    """Borisov, Kilin and Mamaev (2013), for rings that move by themselves as WL cores do."""
    r1, z1, r2, z2 = state
    first, second = velocity_of_filament(r1, z1 - z2, r2), velocity_of_filament(r2, z2 - z1, r1)
    own = [(np.log(8 * r / CORE) - 0.5) / (4 * np.pi * r) for r in (r1, r2)]
    return [first[0], first[1] + own[0], second[0], second[1] + own[1]]


def columns(sim, name):
    return sim.column("vortons", name)[np.argsort(sim.column("vortons", "id"))].astype(float)


def impulse(sim):
    return 0.5 * np.cross(columns(sim, "position"), columns(sim, "strength")).sum(axis=0)


@pytest.mark.parametrize("bound", [0.0, 1.5])
@pytest.mark.parametrize("time", ["rk2", "rk3"])
def test_d2_l5_leapfrogging_rings(time, bound):
    from scipy.integrate import solve_ivp

    sim = _core.Simulation(
        method={"velocity": "direct", "kernel": "wl", "time": time, "bound": bound}, threads=1
    )
    for z in (0.0, -DISTANCE):
        sim.add_ring(center=(0, 0, z), radius=RADIUS, core=CORE, layers=0, sections=COUNT)
    start = impulse(sim)
    state = [RADIUS, 0, RADIUS, -DISTANCE]
    exact = solve_ivp(coaxial, (0, 2), state, rtol=1e-9, atol=1e-9, t_eval=[1, 2]).y.T
    for moment in exact:
        sim.step(0.02, 50)
        position = columns(sim, "position")
        radius, height = np.hypot(position[:, 0], position[:, 1]), position[:, 2]
        for ring, (r, z) in enumerate(moment.reshape(2, 2)):
            own = slice(ring * COUNT, (ring + 1) * COUNT)
            assert radius[own].mean() == pytest.approx(r, rel=0.01)
            assert height[own].mean() == pytest.approx(z, abs=0.01 * RADIUS)
            assert np.ptp(radius[own]) < 1e-3 * r  # still circles
    assert exact[1][2] < 0.7 * RADIUS < exact[1][0]  # one slips through the other
    assert np.linalg.norm(impulse(sim) - start) < 1e-5 * np.linalg.norm(start)
