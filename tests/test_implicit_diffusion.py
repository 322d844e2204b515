"""Diffusion of strength and heat through nodes, in steps of any length (VALIDATION H1-H3)."""

import ctypes

import numpy as np
import pytest
from native import load, targets
from scipy import sparse
from scipy.sparse.linalg import spsolve
from test_diffusion import BEST_TARGET, columns, rate

import vorton as vt
from vorton.validation.diffusion import A0, ALONG, AMBIENT, TURN, heat_of, lattice
from vorton.validation.diffusion import blob_of_heat as heat_blob
from vorton.validation.diffusion import blob_of_vorticity as strength_blob
from vorton.validation.diffusion import moment_of_heat as heat_moment

H = 0.1

# ---- the rate ----


@pytest.mark.parametrize(
    "number, case",
    [
        *[(number, {}) for number in (0.1, 1.0, 10.0)],
        *[(number, {"jitter": 0.5, "turn": TURN}) for number in (0.1, 1.0, 10.0)],
        *[(number, {"radius": 0.5}) for number in (1.0, 10.0)],  # the halo takes over beyond
        (1.0, {"velocity": "direct"}),
    ],
    ids=str,
)
def test_h1_strength_spreads_at_4_nu(number, case):
    """diffusivity x time / spacing^2 in one step; the halo grows as far as it goes."""
    sim = strength_blob(diffusion="implicit", **case)
    grown, drift = rate(sim, time=number * H**2 / 0.01)
    assert sim.health()["substeps"] <= np.ceil(number / 4)
    assert 0.98 < grown < 1.02
    assert drift < 1e-6


@pytest.mark.parametrize("number", [0.1, 1.0, 10.0])
def test_h1_heat_spreads_at_4_kappa(number):
    sim = heat_blob(radius=0.9, method={"diffusion": "implicit"})
    square, total = heat_moment(sim)
    time = number * H**2 / 0.01
    sim.advance(time)
    later, kept = heat_moment(sim)
    assert 0.98 < (later - square) / (4 * 0.01 * time) < 1.02
    assert kept == pytest.approx(total, rel=1e-5)


@pytest.mark.parametrize("number, steps, most", [(1, 1, 0.03), (4, 1, 0.05), (4, 5, 0.02)])
def test_h1_against_the_heat_equation(number, steps, most):
    """The vorticity itself; long steps have longer tails than the Gaussian, several have not."""
    square = A0**2 + 4 * number * H**2
    sim = strength_blob(radius=3.2 * np.sqrt(square), diffusion="implicit", halo=0)
    sim.step(number * H**2 / 0.01 / steps, steps)
    x, strength, volume = columns(sim, "position", "strength", "volume")
    exact = 1e-6 * (A0**2 / square) ** 1.5 * np.exp(-(x**2).sum(axis=1) / square)
    error = strength @ ALONG / volume - exact
    assert np.sqrt(volume @ error**2 / (volume @ exact**2)) < most


def test_as_particle_strength_exchange_in_short_steps():
    """Heat spreads the faster where it makes the fluid thin."""
    values = {}
    for diffusion in ("pse", "implicit"):
        method = {"diffusion": diffusion, "halo": 0, "expansion": 1.0}
        sim = heat_blob(radius=1.1, warmth=900.0, viscosity=0.02, method=method)
        sim.vortons.strength[:, 2] = 1e-9 * heat_of(sim)
        for _ in range(3):
            sim.advance(0.25)
        order = np.argsort(sim.vortons.id)
        values[diffusion] = [
            a[order].astype(float) for a in (sim.vortons.temperature, sim.vortons.strength[:, 2])
        ]
    for exchanged, spread in zip(*values.values(), strict=True):
        change = np.sqrt(((exchanged - exchanged.min()) ** 2).sum())
        assert np.sqrt(((spread - exchanged) ** 2).sum()) < 0.06 * change


# ---- what is kept ----


def test_strength_and_impulse_are_kept():
    """Of a ring that hardly moves, and of vortons strewn about in it, for steps of any length."""
    for number in (0.3, 5.0):
        sim = vt.Simulation(vt.Scene(viscosity=0.01, method=vt.Method(diffusion="implicit")))
        ring = vt.VortexRing((0.3, 0.2, 0.1), (0.6, 0.0, 0.8), core=0.2, circulation=1e-9)
        sim.add(ring)
        x = sim.vortons.position
        x += np.random.default_rng(1).uniform(-0.02, 0.02, x.shape)
        before = invariants(sim)
        spacing = np.cbrt(sim.vortons.volume.mean())
        sim.advance(number * spacing**2 / 0.01)
        after = invariants(sim)
        size = np.linalg.norm(before[1])
        assert np.abs(after[0] - before[0]).max() < 1e-6 * before[3]
        assert np.abs(after[1] - before[1]).max() < 1e-5 * size
        assert np.abs(after[2] - before[2]).max() < 1e-4 * size


def invariants(sim):
    """Sum of the strengths, linear and angular impulse, sum of their sizes."""
    x, a = sim.vortons.position.astype(float), sim.vortons.strength.astype(float)
    turn = np.cross(x, a)
    return a.sum(0), turn.sum(0) / 2, np.cross(x, turn).sum(0) / 3, np.linalg.norm(a, axis=1).sum()


def core_of_ring(sim):
    """Mean square core radius and impulse of a ring about the z axis."""
    x, strength = sim.vortons.position.astype(float), sim.vortons.strength.astype(float)
    rho = np.hypot(x[:, 0], x[:, 1])
    along = (x[:, 0] * strength[:, 1] - x[:, 1] * strength[:, 0]) / np.maximum(rho, 1e-9)
    middle = [along @ rho / along.sum(), along @ x[:, 2] / along.sum()]
    square = along @ ((rho - middle[0]) ** 2 + (x[:, 2] - middle[1]) ** 2) / along.sum()
    return square, 0.5 * rho @ along


def test_h2_viscous_ring_in_long_steps():
    """The ring of H2 at two steps where exchange takes dozens of substeps."""
    sim = vt.Simulation(vt.Scene(viscosity=0.5, method=vt.Method(diffusion="implicit")))
    sim.add(vt.VortexRing(radius=1.0, core=0.1))
    square, impulse = core_of_ring(sim)
    time = (0.3**2 - 0.1**2) / (4 * 0.5)
    for _ in range(2):
        sim.advance(time / 2)
    later, kept = core_of_ring(sim)
    assert later - square == pytest.approx(4 * 0.5 * time, rel=0.05)
    assert kept == pytest.approx(impulse, rel=1e-3)


@pytest.mark.parametrize("number", [0.5, 4.0, 40.0])
def test_h3_no_value_leaves_the_range_of_the_old_ones(number):
    rng = np.random.default_rng(3)
    sim = heat_blob(h=0.15, radius=0.6, jitter=1.0, method={"halo": 0, "diffusion": "implicit"})
    sim.vortons.temperature[:] = AMBIENT + rng.uniform(0, 100, sim.vortons.count)
    total = heat_of(sim).sum()
    spread = sim.vortons.temperature.std()
    sim.advance(number * 0.15**2 / 0.01)
    assert sim.vortons.temperature.min() >= AMBIENT - 1e-3
    assert sim.vortons.temperature.max() <= AMBIENT + 100 + 1e-3
    assert heat_of(sim).sum() == pytest.approx(total, rel=1e-6)
    assert sim.vortons.temperature.std() < 0.7 * spread  # not the differences inside a cell, either


def test_a_lone_vorton_keeps_what_it_has():
    scene = vt.Scene(viscosity=1e-3, method=vt.Method(diffusion="implicit", halo=0, exchange=0))
    sim = vt.Simulation(scene)
    sim.vortons.add([[0.3, 0, 0]], [[0, 0, 1e-6]], core=0.1, volume=1e-3)
    sim.advance(3.0)
    assert sim.vortons.strength[0] == pytest.approx([0, 0, 1e-6], rel=1e-6)


# ---- when ----


def test_automatic_is_exchange_in_short_steps_and_implicit_in_long_ones():
    for time, same in ((0.08, "pse"), (0.4, "implicit")):
        results = {}
        for diffusion in ("automatic", "pse", "implicit"):
            sim = strength_blob(diffusion=diffusion, halo=0)
            sim.step(time)
            results[diffusion] = columns(sim, "strength")[0]
        for diffusion in ("pse", "implicit"):
            equal = np.array_equal(results["automatic"], results[diffusion])
            assert equal == (diffusion == same)


@pytest.mark.slow
@pytest.mark.parametrize("viscosity", [1.0, 5.0])
def test_thick_fluid_takes_few_substeps(viscosity):
    scene = vt.Scene(viscosity=viscosity)
    scene.add(vt.VortexRing(radius=0.5, core=0.15))
    sim = vt.Simulation(scene)
    before = np.linalg.norm(sim.vortons.strength, axis=1).max() if sim.vortons.count else np.inf
    sim.step()
    assert sim.health.substeps <= 6
    assert np.linalg.norm(sim.vortons.strength, axis=1).max() < before


def test_halo_as_far_as_there_is_room():
    """A step that has begun is not refused; nothing is lost."""
    scene = vt.Scene(viscosity=0.01, max_vortons=2300, method=vt.Method(diffusion="implicit"))
    sim = vt.Simulation(scene, threads=1)
    x = lattice(0.1, 0.5)
    strength = np.exp(-(x**2).sum(axis=1) / A0**2)[:, None] * ALONG * 1e-9
    sim.vortons.add(x, strength, core=0.12, volume=1e-3)
    sim.advance(3.0)
    assert sim.vortons.count == 2300
    kept = sim.vortons.strength.astype(float).sum(0)
    assert kept == pytest.approx(strength.sum(0), rel=1e-6)


# ---- the same bits ----


@pytest.mark.parametrize("threads", [2, 4])
def test_e1_same_bits_for_any_number_of_threads(threads):
    states = []
    for count in (1, threads):
        sim = heat_blob(h=0.12, threads=count, viscosity=0.05, method={"diffusion": "implicit"})
        sim.vortons.strength[:, 2] = 1e-3 * heat_of(sim)
        sim.advance(0.2)
        states.append([sim.vortons.temperature.copy(), sim.vortons.strength.copy()])
    assert all(np.array_equal(a, b) for a, b in zip(*states, strict=True))


# ---- the stage by itself ----

STAGE = """
#include "kernels/dispatch.h"
void spread(const int *cells, float *nodes, const float *mixing, const unsigned char *filled,
            int components, int capacity, double reach, int parts, double mixed, int threads)
{
    vt_arena arena;
    vt_grid grid = {.cells = {cells[0], cells[1], cells[2]}};
    vti_grid_pitches(&grid);
    grid.nodes = (f4 *)nodes;
    grid.filled = (unsigned char *)filled;
    const vt_node_diffusion d = {.components = components, .capacity_lane = capacity, .cell = 1,
                                 .reach = reach, .parts = parts, .mixed = mixed,
                                 .mixing = (const f4 *)mixing};
    vti_arena_create(&arena, 1 << 28);
    VT_NAME(diffuse_nodes)(&grid, &d, &arena, threads);
    vti_arena_destroy(&arena);
}
"""
SOURCES = ["csrc/kernels/grid/node_diffusion.c"]


def row_length(cells):
    row = (cells + 5) // 4 * 4
    return row + 4 if row % 16 == 0 else row


def spread(sums, mixing, components, capacity, reach, parts, mixed, target=BEST_TARGET, threads=1):
    """sums, mixing: (nz, ny, nx, 4). What the stage leaves in the lanes that diffuse."""
    library = load(*SOURCES, target=target, code=STAGE)
    nz, ny, nx, _ = sums.shape
    nodes = np.full((nz + 1, ny, row_length(nx - 1), 4), np.nan, np.float32)
    beside = nodes.copy()
    filled = sums[..., 3].any(axis=2)
    nodes[:nz, :, :nx][filled] = sums[filled]  # rows without any are not looked at
    beside[:nz, :, :nx] = mixing
    aligned = []
    for array in (nodes, beside):
        memory = np.empty(array.nbytes + 64, np.uint8)
        start = -memory.ctypes.data % 64
        aligned.append(memory[start : start + array.nbytes].view(np.float32).reshape(array.shape))
        aligned[-1][...] = array
    rows = np.ascontiguousarray(filled, np.uint8)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*aligned, rows)]
    library.spread(
        (ctypes.c_int * 3)(nx - 1, ny - 1, nz - 1), *pointers,
        components, capacity, ctypes.c_double(reach), parts, ctypes.c_double(mixed), threads,
    )  # fmt: skip
    result = aligned[0][:nz, :, :nx, :components].astype(float)
    result[~filled] = 0
    return result


def strewn(shape=(11, 14, 19), seed=5):
    """Sums of nodes of which a third are empty, some rows as a whole; how far each mixes."""
    rng = np.random.default_rng(seed)
    volume = rng.uniform(0.2, 1.5, shape) * (rng.random(shape) > 0.3)
    volume[3, 5:8] = 0
    volume[9] = 0
    mass = volume * rng.uniform(0.2, 1, shape)
    sums = np.stack([volume * rng.normal(size=shape), mass, rng.normal(size=shape), volume], -1)
    places = rng.uniform(0, 0.25, (*shape, 3)) * volume[..., None]
    mixing = np.concatenate([places, volume[..., None]], -1)
    return np.float32(sums), np.float32(mixing)


def solve_lines(value, capacity, flow, axis):
    """Backward Euler along one axis, as one sparse system."""
    index = np.arange(value.size).reshape(value.shape)
    low = np.take(index, np.arange(value.shape[axis] - 1), axis).ravel()
    high = np.take(index, np.arange(1, value.shape[axis]), axis).ravel()
    f = flow.ravel()
    matrix = sparse.csr_matrix((-f, (low, high)), (value.size, value.size))
    matrix = matrix + matrix.T
    diagonal = capacity.ravel() - np.asarray(matrix.sum(axis=1)).ravel()
    matrix = matrix + sparse.diags(np.where(diagonal > 0, diagonal, 1))
    return spsolve(matrix.tocsc(), (capacity * value).ravel()).reshape(value.shape)


def brute_force(sums, mixing, lane, capacity_lane, reach, parts, mixed):
    sums, mixing = sums.astype(float), mixing.astype(float)
    capacity, volume = sums[..., capacity_lane], sums[..., 3]
    full = volume > 1e-3
    safe = np.where(volume > 0, volume, 1)
    before = np.where(volume > 0, sums[..., lane] / np.where(volume > 0, capacity, 1), 0)
    value = before
    for part in range(parts):
        for axis in (2, 1, 0) if part % 2 == 0 else (0, 1, 2):  # x, y, z and back
            q = mixing[..., 2 - axis] / safe * (capacity / safe)
            low = [slice(None)] * 3
            high = [slice(None)] * 3
            low[axis], high[axis] = slice(None, -1), slice(1, None)
            low, high = tuple(low), tuple(high)
            flow = np.maximum(reach - mixed * (q[low] + q[high]) / 2, 0) / parts
            value = solve_lines(value, capacity, flow * full[low] * full[high], axis)
    return np.where(volume > 0, value - (1 - mixed) * before, 0)


@pytest.mark.slow
@pytest.mark.parametrize("reach, parts, mixed", [(0.2, 1, 0.8), (3.0, 4, 1.0), (100.0, 3, 1.0)])
def test_stage_against_sparse_systems(reach, parts, mixed):
    sums, mixing = strewn()
    strength = spread(sums, mixing, 3, 3, reach, parts, mixed)
    heat = spread(sums, mixing, 1, 1, reach, parts, mixed)
    cases = ((strength[..., 0], 0, 3), (strength[..., 2], 2, 3), (heat[..., 0], 0, 1))
    for found, lane, capacity in cases:
        exact = brute_force(sums, mixing, lane, capacity, reach, parts, mixed)
        assert np.abs(found - exact).max() < 2e-5 * np.abs(exact).max()


@pytest.mark.slow
def test_stage_spreads_a_hundred_cells_at_the_right_rate():
    n, reach = 129, 100.0
    z, y, x = np.meshgrid(*[np.arange(n) - n // 2] * 3, indexing="ij", sparse=True)
    square = x**2 + y**2 + z**2
    sums = np.ones((n, n, n, 4), np.float32)
    sums[..., 0] = np.exp(-square / 6.25)
    mixing = np.zeros_like(sums)
    mixing[..., 3] = 1
    later = spread(sums, mixing, 1, 3, reach, 8, 1.0)[..., 0]
    before = sums[..., 0].astype(float)
    assert later.sum() == pytest.approx(before.sum(), rel=1e-5)
    for axis in (x, y, z):
        moments = [(w * axis**2).sum() / w.sum() for w in (before, later)]
        assert moments[1] - moments[0] == pytest.approx(2 * reach, rel=0.01)


@pytest.mark.slow
def test_e1_stage_has_the_same_bits_everywhere():
    sums, mixing = strewn()
    expected = spread(sums, mixing, 3, 3, 2.0, 5, 1.0)
    for target in targets():
        for threads in (1, 3):
            found = spread(sums, mixing, 3, 3, 2.0, 5, 1.0, target=target, threads=threads)
            assert np.array_equal(found, expected), (target, threads)
