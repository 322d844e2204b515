"""Viscous diffusion (VALIDATION H1-H3) by particle strength exchange, and its neutral halo."""

import ctypes

import numpy as np
import pytest
from hand_made import is_neutral
from marks import slow_but
from native import load, targets
from scipy.spatial import cKDTree

import vorton as vt
from vorton import _core
from vorton.validation.diffusion import A0, ALONG, TURN, lattice
from vorton.validation.diffusion import blob_of_vorticity as blob
from vorton.validation.diffusion import core_columns as columns
from vorton.validation.diffusion import moment_of_vorticity as second_moment

BEST_TARGET = targets()[-1]


def rate(sim, time=1.0, steps=1, viscosity=0.01):
    """Growth of the second moment over 4 nu T, and how well the sum is kept."""
    square, total = second_moment(sim)
    sim.step(time / steps, steps)
    later, kept = second_moment(sim)
    drift = np.abs(kept - total).max() / np.linalg.norm(total)
    return (later - square) / (4 * viscosity * time), drift


# ---- H1 ----


@pytest.mark.slow
def test_h1_substeps_that_diffuse_little_act_together():
    """At the right rate, and no value is behind by more than diffusion over h^2 / 1000."""
    h, time, steps = 0.1, 0.25, 2500
    sim = blob(h)
    grown, drift = rate(sim, time, steps)
    assert 0.98 < grown < 1.02
    assert drift < 1e-6
    squares = [second_moment(sim)[0]]
    for _ in range(32):
        sim.step(time / steps)
        squares.append(second_moment(sim)[0])
    each = 4 * 0.01 * time / steps
    behind = each * np.arange(33) - (np.array(squares) - squares[0])
    assert np.abs(behind).max() < 4 * h**2 / 1000
    assert np.count_nonzero(np.diff(squares) > each) == 4


def test_h1_without_a_halo_strength_stays_where_vortons_are():
    sim = blob(radius=0.5, halo=0)
    count = sim.count("vortons")
    assert rate(sim)[0] < 0.8
    assert sim.count("vortons") == count


@pytest.mark.parametrize("velocity", ["poisson", "direct"])
def test_h1_a_lone_vorton_keeps_its_strength(velocity):
    for halo in (0, 2):
        sim = _core.Simulation(
            viscosity=1e-3, method={"velocity": velocity, "halo": halo, "exchange": 0}
        )
        sim.add_vortons([[0, 0, 0]], [[0, 0, 1e-6]], [0.1], [1e-3])
        sim.step(0.1, 3)
        strength = sim.column("vortons", "strength").astype(float)
        if halo == 0:
            assert np.array_equal(strength, np.float32([[0, 0, 1e-6]]))
        else:  # its neutral neighbours are born to take from it
            assert len(strength) > 30 and strength[:, 2].max() < 0.99e-6
        assert abs(strength[:, 2].sum() / 1e-6 - 1) < 1e-6


def test_h1_scheme_of_the_articles():
    """Blind to distance: twice too fast on a lattice, and dependent on where the cells lie."""
    grown, drift = rate(blob(diffusion="exchange"), time=0.3)
    assert 1.5 < grown < 2.5 and drift < 1e-6
    assert rate(blob(diffusion="none", rounding=0))[0] == pytest.approx(0, abs=1e-6)


# ---- H2 ----


# ---- H3 ----


@pytest.mark.parametrize("diffusion", slow_but(["exchange"], ["pse", "exchange"]))
def test_h3_long_steps_are_cut(diffusion):
    """nu dt V sum eta would be far above 1/2: values stay between the old ones, and fall off."""
    sim = blob(h=0.1, diffusion=diffusion, halo=1)
    sim.step(3.0)
    substeps = sim.health()["substeps"]
    assert substeps >= 3.0 * 0.01 * 5 / 0.1**2
    x, strength, volume = columns(sim, "position", "strength", "volume")
    w = strength @ ALONG / volume
    assert w.min() > -1e-12 and w.max() < 1e-6
    middle = (x**2).sum(axis=1) < 0.2**2
    assert w[middle].min() > 0.5 * w.max()


def test_h3_crowded_vortons_are_cut_inside_the_stage():
    """Sixty vortons where one should be: their exchange is faster than the substep foresees."""
    rng = np.random.default_rng(2)
    x = np.concatenate([lattice(0.1, 0.4), rng.uniform(-0.01, 0.01, (60, 3))])
    strength = np.zeros((len(x), 3))
    strength[:, 2] = rng.uniform(0, 1e-9, len(x))
    sim = _core.Simulation(viscosity=0.01, method={"halo": 0, "diffusion": "pse"})
    sim.add_vortons(x, strength, np.full(len(x), 0.12), np.full(len(x), 1e-3))
    total = strength.sum()
    sim.step(1.0)
    after = sim.column("vortons", "strength").astype(float)[:, 2]
    assert after.min() >= 0 and after.max() <= 1e-9
    assert np.std(after[-60:]) < 0.1 * np.std(strength[-60:, 2])
    assert after.sum() == pytest.approx(total, rel=1e-6)


def test_h3_endless_substeps_are_refused():
    sim = blob(viscosity=1e5)
    before = columns(sim, "strength")[0]
    with pytest.raises(ValueError, match=r"viscosity \(100000 m"):
        sim.step(1.0)
    rows = sim.find_rows("vortons", np.arange(len(before)))  # neutral ones may have come
    assert np.array_equal(columns(sim, "strength")[0][rows], before)
    assert columns(sim, "strength")[0].sum() == pytest.approx(before.sum(), rel=1e-12)
    assert sim.time == 0


# ---- the stage by itself ----

STAGE = """
#include "kernels/dispatch.h"
void diffuse(int kind, double spacing, long count, const float *position, const float *volume,
             int components, float *values, const double *reach2, int threads)
{
    vt_arena arena;
    vt_partition cells;
    vt_diffused d = {.components = components};
    double least[3], most[3];
    for (int a = 0; a < 3; a++) {
        least[a] = most[a] = position[a];
        for (long i = 0; i < count; i++) {
            least[a] = position[3 * i + a] < least[a] ? position[3 * i + a] : least[a];
            most[a] = position[3 * i + a] > most[a] ? position[3 * i + a] : most[a];
        }
    }
    for (int c = 0; c < components; c++) {
        d.value[c] = values + c;
        d.stride[c] = components;
        d.reach2[c] = reach2[c];
    }
    vti_arena_create(&arena, 1 << 26);
    vti_make_partition(&cells, vti_diffusion_side(kind, spacing), vti_diffusion_slices(kind), least,
                      most, count, position,
                      &arena, threads);
    VT_NAME(diffuse)(&cells, kind, position, volume, &d, &arena, threads);
    vti_arena_destroy(&arena);
}
"""
SOURCES = ["csrc/kernels/particles/particle_strength_exchange.c"]


def diffuse(x, volume, values, reach2, kind=0, spacing=0.1, target=BEST_TARGET, threads=1):
    library = load(*SOURCES, target=target, code=STAGE)
    x, volume = np.float32(x), np.float32(volume)
    result = np.array(values, np.float32, copy=True)
    reach2 = np.broadcast_to(np.float64(reach2), result.shape[1:]).copy()
    pointer = [ctypes.c_void_p(array.ctypes.data) for array in (x, volume, result, reach2)]
    library.diffuse(
        kind, ctypes.c_double(spacing), ctypes.c_long(len(x)), *pointer[:2],
        result.shape[1], *pointer[2:], threads,
    )  # fmt: skip
    return result


def cloud(count=700, seed=4):
    """Vortons of unequal volume in a ball that leaves holes, and one far away."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-0.5, 0.5, (count, 3))
    x[-1] = 30, -40, 500
    return x, rng.uniform(0.5, 1.5, count) * 1e-3, rng.normal(size=(count, 6)) * 1e-3


def brute_force(x, volume, values, reach2, spacing=0.1):
    """One explicit step of the scheme as it is written down, in float64."""
    x, volume, values = (np.float32(a).astype(float) for a in (x, volume, values))
    reach = np.sqrt(4.5) * spacing
    i, j = cKDTree(x).query_pairs(reach, output_type="ndarray").T
    d2 = ((x[i] - x[j]) ** 2).sum(axis=1)
    constant = 6 / (4 * np.pi * 0.0085248)  # so that the second moment is 6
    eta = constant / reach**5 * (1 - d2 / reach**2) ** 4
    n = len(x)
    moment = (np.bincount(i, volume[j] * eta * d2, n) + np.bincount(j, volume[i] * eta * d2, n)) / 6
    c = 1 / np.maximum(moment, 0.5)
    eta *= (c[i] + c[j]) / 2
    change = np.zeros_like(values)
    flow = reach2 * (volume[i, None] * values[j] - volume[j, None] * values[i]) * eta[:, None]
    np.add.at(change, i, flow)
    np.add.at(change, j, -flow)
    return change


@pytest.mark.slow
def test_stage_against_brute_force():
    """Vorticity with scalars beside it, each with its own diffusivity, one of them 0."""
    x, volume, values = cloud()
    reach2 = np.array([1, 1, 1, 2, 0, 0.5]) * 1e-5
    change = diffuse(x, volume, values, reach2) - np.float32(values).astype(float)
    exact = brute_force(x, volume, values, reach2)
    assert np.abs(change - exact).max() < 1e-4 * np.abs(exact).max()
    assert np.all(change[:, 4] == 0) and np.all(change[-1] == 0)
    assert np.abs(change.sum(axis=0)).max() < 1e-5 * np.abs(change).sum(axis=0).max()


def test_h1_heat_diffuses_by_the_same_stage():
    """One scalar for each vorton, alone: the same rate as vorticity."""
    h = 0.1
    for turn in (0.0, TURN):
        x = lattice(h, 0.9, turn)
        heat = np.exp(-(x**2).sum(axis=1) / A0**2)[:, None]
        later = diffuse(x, np.full(len(x), h**3), heat, 0.01, spacing=h)[:, 0].astype(float)
        squares = [2 / 3 * (q @ (x**2).sum(axis=1)) / q.sum() for q in (heat[:, 0], later)]
        assert 0.98 < (squares[1] - squares[0]) / 0.04 < 1.02
        assert later.sum() == pytest.approx(heat.sum(), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [0, 1])
def test_e1_stage_has_the_same_bits_everywhere(kind):
    x, volume, values = cloud(2500)
    expected = diffuse(x, volume, values, 1e-3, kind)
    assert np.abs(expected - np.float32(values)).max() > 1e-4
    for target in targets():
        for threads in (1, 3):
            found = diffuse(x, volume, values, 1e-3, kind, target=target, threads=threads)
            assert np.array_equal(found, expected), (target, threads)


# ---- the halo ----


def test_halo_surrounds_what_carries_strength_and_goes_with_it():
    sim = blob(radius=0.4, viscosity=1e-4)
    first = sim.count("vortons")
    sim.step(0.01)
    x, volume = columns(sim, "position", "volume")
    neutral = is_neutral(sim.column("vortons", "flags"))
    assert not neutral[np.argsort(sim.column("vortons", "id"))][:first].any()
    assert sim.count("vortons") > 2 * first and neutral.sum() == sim.count("vortons") - first
    radius = np.sqrt((x**2).sum(axis=1))
    assert 0.55 < radius.max() < 0.75  # two spacings and a bit
    assert volume[neutral].max() <= 1.001e-3 and volume[neutral].min() > 0.2e-3
    inside = volume[radius < 0.5].sum() / (4 / 3 * np.pi * 0.5**3)
    assert 0.9 < inside < 1.1  # space is filled once

    total = columns(sim, "strength")[0].sum(axis=0)
    moved = ~is_neutral(sim.column("vortons", "flags"))
    sim.column("vortons", "position")[moved] += [3, 0, 0]
    sim.step(0.01, 8)
    (x,) = columns(sim, "position")
    assert x[:, 0].min() > 1.5  # a new halo over there, nothing here
    drift = columns(sim, "strength")[0].sum(axis=0) - total
    assert np.abs(drift).max() < 1e-6 * np.linalg.norm(total)


def test_halo_respects_the_capacity():
    def run(at_capacity, room):
        sim = vt.Simulation(
            viscosity=0.01, max_vortons=room, at_capacity=at_capacity, fps=50, threads=1
        )
        x = lattice(0.1, 0.4)
        strength = np.exp(-(x**2).sum(axis=1) / A0**2)[:, None] * ALONG * 1e-9
        sim.vortons.add(x, strength, core=0.12, volume=1e-3)
        return sim, len(x)

    sim, authored = run("error", 400)
    before = sim.vortons.strength.copy()
    with pytest.raises(vt.CapacityError, match=r"for strength to diffuse to.*max_vortons 400"):
        sim.step()
    assert sim.vortons.count == authored and sim.time == 0
    assert np.array_equal(sim.vortons.strength, before)
    for policy in ("stop", "oldest"):
        sim, authored = run(policy, 400)
        sim.step(5)
        assert sim.vortons.count == 400
        others = ~is_neutral(sim.vortons.flags)
        assert others.sum() == authored  # neutral ones never drive them out


def test_halo_leaves_room_for_the_births_of_the_step():
    scene = vt.Scene("two", viscosity=1e-3, max_vortons=700, at_capacity="stop")
    for time in (0.0, 0.05):
        scene.add(vt.VortexRing(radius=0.5, core=0.1, layers=0, sections=50, time=time))
    sim = vt.Simulation(scene, threads=1)
    sim.step(1)
    assert sim.vortons.count <= 700
    sim.step(1)  # the second ring is born only where the halo left room, whole or not at all
    assert (~is_neutral(sim.vortons.flags)).sum() in (50, 100) and sim.vortons.count <= 700


def test_no_viscosity_no_halo():
    sim = vt.Simulation(threads=1)
    sim.vortons.add(
        lattice(0.1, 0.4), np.ones((len(lattice(0.1, 0.4)), 3)) * 1e-9, core=0.1, volume=1e-3
    )
    count = sim.vortons.count
    sim.step(2)
    assert sim.vortons.count == count and not is_neutral(sim.vortons.flags).any()
