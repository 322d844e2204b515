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


# C_k in the speed of a ring one vorton thick (VALIDATION 0), of each kernel
BALL, GAUSSIAN, WL = np.log(2) - 1 / 3, 1 + (np.log(2) - np.euler_gamma) / 2, 0.5


def coaxial(_, state, kernel, core=CORE):
    """Borisov, Kilin and Mamaev (2013), for rings that move by themselves as such cores do."""
    r1, z1, r2, z2 = state
    first, second = velocity_of_filament(r1, z1 - z2, r2), velocity_of_filament(r2, z2 - z1, r1)
    own = [(np.log(8 * r / core) - kernel) / (4 * np.pi * r) for r in (r1, r2)]
    return [first[0], first[1] + own[0], second[0], second[1] + own[1]]


def exact_rings(times, kernel, core=CORE):
    """(r, z) of the two at each of the times."""
    from scipy.integrate import solve_ivp

    state, most = [RADIUS, 0, RADIUS, -DISTANCE], max(times)
    found = solve_ivp(
        coaxial, (0, most), state, rtol=1e-9, atol=1e-9, t_eval=times, args=(kernel, core)
    )
    return found.y.T.reshape(len(times), 2, 2)


def columns(sim, name):
    return sim.column("vortons", name)[np.argsort(sim.column("vortons", "id"))].astype(float)


def impulse(sim):
    return 0.5 * np.cross(columns(sim, "position"), columns(sim, "strength")).sum(axis=0)


def rings(method):
    sim = _core.Simulation(method=method, threads=1)
    for z in (0.0, -DISTANCE):
        sim.add("ring", center=(0, 0, z), radius=RADIUS, core=CORE, layers=0, sections=COUNT)
    return sim


def radii_and_heights(sim):
    """Of the vortons of each ring."""
    position = columns(sim, "position")
    radius, height = np.hypot(position[:, 0], position[:, 1]), position[:, 2]
    return [(radius[own], height[own]) for own in (slice(0, COUNT), slice(COUNT, None))]


DIRECT = {"velocity": "direct", "kernel": "wl"}
WAYS = {  # method, kernel, roundness: spread of the radii of a ring
    "rk2": (DIRECT, WL, 1e-3),
    "rk3": (DIRECT | {"time": "rk3"}, WL, 1e-3),
    "rk2 without bound": (DIRECT | {"bound": 0.0}, WL, 1e-3),
    "rk3 without bound": (DIRECT | {"time": "rk3", "bound": 0.0}, WL, 1e-3),
    "default": ({}, GAUSSIAN, 0.02),
}


@pytest.mark.parametrize("way", WAYS)
def test_d2_l5_leapfrogging_rings(way):
    method, kernel, roundness = WAYS[way]
    sim = rings(method)
    start = impulse(sim)
    exact = exact_rings([1, 2], kernel)
    for moment in exact:
        sim.step(0.02, 50)
        for (radius, height), (r, z) in zip(radii_and_heights(sim), moment, strict=True):
            assert radius.mean() == pytest.approx(r, rel=0.01)
            assert height.mean() == pytest.approx(z, abs=0.01 * RADIUS)
            assert np.ptp(radius) < roundness * r  # still circles
    assert exact[1, 1, 0] < 0.7 * RADIUS < exact[1, 0, 0]  # one slips through the other
    assert np.linalg.norm(impulse(sim) - start) < 1e-5 * np.linalg.norm(start)
