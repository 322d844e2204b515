"""The sum over all pairs: vt_direct_sum (float64) and the stage `direct` (float32, every target).

References are formulas of VALIDATION, evaluated with SciPy's or Python's own special functions.
"""

import ctypes
import math

import native
import numpy as np
import pytest
from marks import slow_but

from vorton import _core

GAUSSIAN, WL, BALL = range(3)
KERNELS = [GAUSSIAN, WL, BALL]
NAMES = _core.DEFINITIONS["method"]["kernel"]["choices"]
STAGE_CODE = """
#include "base/arena.h"
#include "kernels/dispatch.h"

int call_direct(int kernel, int64_t count, const float *targets, int64_t source_count,
                const float *positions, const float *strengths, const float *cores,
                float *velocity, float *gradient, float *divergence, int threads)
{
    vt_arena arena;
    if (vti_arena_create(&arena, (size_t)source_count * 32 + 4096))
        return -1;
    VT_NAME(direct)(kernel, count, targets, source_count, positions, strengths, cores, velocity,
                    gradient, divergence, &arena, threads);
    const int left = (int)vti_arena_mark(&arena);
    vti_arena_destroy(&arena);
    return left;
}
"""


def pointer(array):
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


@pytest.fixture(scope="module")
def judge():
    library = native.load("csrc/api/direct_sum.c")
    library.vt_error_message.restype = ctypes.c_char_p
    return library


def call_judge(library, kernel, targets, positions, strengths, cores, velocity, gradient,
               potential, threads=1):
    return library.vt_direct_sum(
        ctypes.c_int32(kernel), ctypes.c_int64(len(targets)), pointer(targets),
        ctypes.c_int64(len(positions)), pointer(positions), pointer(strengths), pointer(cores),
        pointer(velocity), pointer(gradient), pointer(potential), ctypes.c_int32(threads))


def direct_sum(library, kernel, targets, positions, strengths, cores, threads=1):
    """Velocity, gradient and potential."""
    targets, positions, strengths = (
        np.ascontiguousarray(a, float).reshape(-1, 3) for a in (targets, positions, strengths))
    cores = np.ascontiguousarray(np.broadcast_to(cores, len(positions)), float)
    n = len(targets)
    out = np.full((n, 3), np.nan), np.full((n, 3, 3), np.nan), np.full((n, 3), np.nan)
    assert call_judge(library, kernel, targets, positions, strengths, cores, *out, threads) == 0
    return out


def direct_stage(target, kernel, targets, positions, strengths, cores, gradient=True, threads=1):
    """Velocity, gradient and the gradient of div A."""
    library = native.load("csrc/kernels/sums/direct_sum.c", target=target, code=STAGE_CODE)
    targets, positions, strengths = (
        np.ascontiguousarray(a, np.float32).reshape(-1, 3)
        for a in (targets, positions, strengths))
    cores = np.ascontiguousarray(np.broadcast_to(cores, len(positions)), np.float32)
    n = len(targets)
    u = np.full((n, 3), np.nan, np.float32)
    g = np.full((n, 3, 3), np.nan, np.float32) if gradient else None
    d = np.full((n, 3), np.nan, np.float32) if gradient else None
    left = library.call_direct(
        kernel, ctypes.c_int64(n), pointer(targets), ctypes.c_int64(len(positions)),
        pointer(positions), pointer(strengths), pointer(cores), pointer(u), pointer(g), pointer(d),
        threads)
    assert left == 0
    return u, g, d


def q(kernel, p):
    if kernel == GAUSSIAN:
        return math.erf(p / math.sqrt(2)) - math.sqrt(2 / math.pi) * p * math.exp(-p * p / 2)
    if kernel == WL:
        return p**3 * (p * p + 2.5) / (p * p + 1) ** 2.5
    return min(p, 1.0) ** 3


def random_vortons(count, seed=3):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(count, 3)), rng.normal(size=(count, 3)),
            rng.uniform(.05, .4, size=count))


def grad_div_potential(judge, kernel, targets, positions, strengths, cores):
    """By differences of the vector potential of the judge, of the fourth order."""
    step = 2e-3 * cores.min()
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    gradient = np.zeros(targets.shape)
    for i in range(3):
        for j in range(3):
            for m, of_i in weights.items():
                for n, of_j in weights.items():
                    moved = targets.astype(float)
                    moved[:, i] += m * step
                    moved[:, j] += n * step
                    potential = direct_sum(judge, kernel, moved, positions, strengths, cores)[2]
                    gradient[:, i] += of_i * of_j * potential[:, j] / step**2
    return gradient


def ring(count, core):
    angle = 2 * np.pi * np.arange(count) / count
    zero = np.zeros(count)
    positions = np.stack([np.cos(angle), np.sin(angle), zero], 1)
    strengths = np.stack([-np.sin(angle), np.cos(angle), zero], 1) * 2 * np.pi / count
    return positions, strengths, np.full(count, core)


# ---- V1: one vorton ----


@pytest.mark.parametrize("kernel", KERNELS)
def test_v1_velocity_of_one_vorton(judge, kernel):
    core, strength = .3, 1.7
    for p in (.2, .5, 1, 2, 10):
        u, _, _ = direct_sum(judge, kernel, [p * core, 0, 0], [0, 0, 0], [0, 0, strength], core)
        expected = q(kernel, p) * strength / (4 * math.pi * (p * core) ** 2)
        assert u[0, 1] == pytest.approx(expected, rel=1e-12)
        assert u[0, 0] == 0 and u[0, 2] == 0


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_v1_velocity_is_zero_at_the_vorton(judge, kernel):
    x, a = [.1, -2, 3], [1, 2, 3]
    u, g, potential = direct_sum(judge, kernel, x, x, a, .2)
    assert (u == 0).all() and np.isfinite(g).all() and np.isfinite(potential).all()
    for target in native.targets():
        u, g, d = direct_stage(target, kernel, x, x, a, .2)
        assert (u == 0).all() and np.isfinite(g).all() and np.isfinite(d).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_v1_curl_of_potential_is_velocity(judge, kernel):
    """Central differences of A, inside the core and outside; the ball's edge has a kink."""
    rng = np.random.default_rng(1)
    core, a, h = .3, np.array([.3, -1, .8]), 1e-4
    points = rng.normal(size=(200, 3)) * .4
    radius = np.linalg.norm(points, axis=1)
    points = points[abs(radius - core) > 2 * h]
    steps = np.concatenate([points + s * h * np.eye(3)[axis] for axis in range(3)
                            for s in (1, -1)])
    _, _, potential = direct_sum(judge, kernel, steps, [0, 0, 0], a, core)
    potential = potential.reshape(3, 2, len(points), 3)
    d = (potential[:, 0] - potential[:, 1]) / (2 * h)  # axis, point, component
    curl = np.stack([d[1, :, 2] - d[2, :, 1], d[2, :, 0] - d[0, :, 2],
                     d[0, :, 1] - d[1, :, 0]], 1)
    u, _, _ = direct_sum(judge, kernel, points, [0, 0, 0], a, core)
    assert abs(curl - u).max() < 1e-6 * abs(u).max()


@pytest.mark.parametrize("kernel", KERNELS)
def test_gradient_is_the_derivative_of_the_velocity(judge, kernel):
    rng = np.random.default_rng(2)
    positions, strengths, cores = random_vortons(5)
    points, h = rng.normal(size=(100, 3)), 1e-5
    distance = np.linalg.norm(points[:, None] - positions[None], axis=2)
    points = points[(abs(distance - cores) > 2 * h).all(1)]
    _, gradient, _ = direct_sum(judge, kernel, points, positions, strengths, cores)
    for axis in range(3):
        step = h * np.eye(3)[axis]
        high, _, _ = direct_sum(judge, kernel, points + step, positions, strengths, cores)
        low, _, _ = direct_sum(judge, kernel, points - step, positions, strengths, cores)
        error = (high - low) / (2 * h) - gradient[:, :, axis]
        assert abs(error).max() < 1e-7 * abs(gradient).max()


def test_v1_gaussian_core_near_its_centre(judge):
    """q / p^3 must not cancel: compared with its series in exact fractions."""
    from fractions import Fraction

    for p in (1e-6, 1e-3, .03, .3, .999, 1.001, 1.4):
        s = Fraction(p) ** 2
        terms = (Fraction(-1) ** k * s**k / (2**k * math.factorial(k) * (2 * k + 3))
                 for k in range(30))
        expected = math.sqrt(2 / math.pi) * float(sum(terms)) * p / (4 * math.pi)
        u, _, _ = direct_sum(judge, GAUSSIAN, [p, 0, 0], [0, 0, 0], [0, 0, 1], 1)
        assert u[0, 1] == pytest.approx(expected, rel=1e-13)


# ---- the float32 stage ----


@pytest.mark.parametrize("target", slow_but(native.targets()[-1:], native.targets()))
@pytest.mark.parametrize("kernel", KERNELS)
def test_v1_stage_one_vorton(target, kernel):
    """1e-6 at every distance, the ends of the table's intervals included."""
    core = .25
    p = np.concatenate([np.linspace(.01, 8, 4001), [.2, .5, 1, 2, 10, 100]])
    targets = np.zeros((len(p), 3), np.float32)
    targets[:, 0] = p * core
    u, _, _ = direct_stage(target, kernel, targets, [0, 0, 0], [0, 0, 1], core)
    p = targets[:, 0].astype(float) / core
    expected = [q(kernel, x) / (4 * math.pi * (x * core) ** 2) for x in p]
    assert abs(u[:, 1] / expected - 1).max() < 1e-6
    assert (u[:, [0, 2]] == 0).all()


@pytest.mark.parametrize("target", slow_but(native.targets()[-1:], native.targets()))
@pytest.mark.parametrize("kernel", KERNELS)
def test_stage_agrees_with_the_judge(judge, target, kernel):
    positions, strengths, cores = (a.astype(np.float32) for a in random_vortons(1500))
    targets = np.concatenate([positions[:301], 3 * positions[301:403]])
    u, g, _ = direct_stage(target, kernel, targets, positions, strengths, cores)
    exact_u, exact_g, _ = direct_sum(judge, kernel, targets, positions, strengths, cores)
    for found, exact in ((u, exact_u), (g, exact_g)):
        assert np.sqrt(((found - exact) ** 2).mean() / (exact**2).mean()) < 2e-6
    alone, _, _ = direct_stage(target, kernel, targets, positions, strengths, cores, gradient=False)
    assert np.array_equal(alone, u)


@pytest.mark.parametrize("target", slow_but(native.targets()[-1:], native.targets()))
@pytest.mark.parametrize("kernel", [GAUSSIAN, WL])
def test_stage_gives_the_gradient_of_the_divergence(judge, target, kernel):
    """The ball, whose edge has no such differences, is in test_tree."""
    positions, strengths, cores = (a.astype(np.float32) for a in random_vortons(500))
    targets = np.concatenate([positions[:20], 1.5 * positions[20:40]])
    _, _, found = direct_stage(target, kernel, targets, positions, strengths, cores)
    expected = grad_div_potential(judge, kernel, targets, positions, strengths, cores)
    assert np.sqrt(((found - expected) ** 2).mean() / (expected**2).mean()) < 2e-6


@pytest.mark.parametrize("kernel", slow_but([GAUSSIAN], KERNELS))
def test_e1_stage_has_the_same_bits_everywhere(kernel):
    positions, strengths, cores = random_vortons(1537)
    results = [direct_stage(target, kernel, positions[:1003], positions, strengths, cores,
                            threads=threads)
               for target in native.targets() for threads in (1, 2, 3, 8)]
    for result in results[1:]:
        for found, first in zip(result, results[0], strict=True):
            assert np.array_equal(found, first)


@pytest.mark.parametrize("target", slow_but(native.targets()[-1:], native.targets()))
def test_e3_stage_without_sources_or_targets(target):
    none = np.zeros((0, 3))
    u, g, d = direct_stage(target, GAUSSIAN, np.ones((5, 3)), none, none, np.zeros(0))
    assert (u == 0).all() and (g == 0).all() and (d == 0).all()
    u, _, _ = direct_stage(target, GAUSSIAN, none, np.ones((5, 3)), np.ones((5, 3)), np.ones(5))
    assert u.shape == (0, 3)


# ---- V2: a ring one vorton thick ----


@pytest.mark.parametrize("kernel, count, speed, tolerance", [
    (BALL, 128, .320048, .02), (GAUSSIAN, 64, .264370, 1e-5), (WL, 100, .308846, 1e-3)])
def test_v2_thin_ring(judge, kernel, count, speed, tolerance):
    positions, strengths, cores = ring(count, .1)
    u, _, _ = direct_sum(judge, kernel, positions, positions, strengths, cores)
    assert u[:, 2].mean() == pytest.approx(speed, rel=tolerance)
    assert np.ptp(u[:, 2]) < 1e-6 * speed
    assert abs(u[:, :2]).max() < 1e-6 * speed


# ---- V4, V5: continuous fields ----


def manufactured_error(judge, cells, a=1.0):
    """Largest error of the velocity over largest velocity; lattice of spacing a / cells."""
    h = a / cells
    axis = (np.arange(-int(3.5 * cells), int(3.5 * cells)) + .5) * h
    x, y, z = (c.ravel() for c in np.meshgrid(axis, axis, axis, indexing="ij"))
    inside = x * x + y * y + z * z < (3.5 * a) ** 2
    x, y, z = x[inside], y[inside], z[inside]
    bell = np.exp(-(x * x + y * y + z * z) / a**2)
    vorticity = bell * np.stack([4 * x * z / a**4, 4 * y * z / a**4,
                                 4 / a**2 * (1 - (x * x + y * y) / a**2)])
    rng = np.random.default_rng(5)
    points = rng.uniform(-1.5, 1.5, size=(60, 3)) * a
    points[:8, 2] = 0  # where the velocity is largest
    points[:8, :2] *= (a / math.sqrt(2) / np.linalg.norm(points[:8, :2], axis=1))[:, None]
    u, _, _ = direct_sum(judge, GAUSSIAN, points, np.stack([x, y, z], 1),
                         vorticity.T * h**3, h, threads=0)
    px, py, _ = points.T
    exact = 2 / a**2 * np.exp(-(points**2).sum(1) / a**2) * np.stack([-py, px, 0 * px])
    return np.linalg.norm(u - exact.T, axis=1).max() / np.linalg.norm(exact, axis=0).max()


@pytest.mark.slow
def test_v4_manufactured_field(judge):
    cells = [4, 6, 9]
    errors = [manufactured_error(judge, n) for n in cells]
    orders = [math.log(errors[i] / errors[i + 1]) / math.log(cells[i + 1] / cells[i])
              for i in range(2)]
    assert min(orders) > 1.6, errors
    assert errors[-1] < .06, errors


@pytest.mark.parametrize("spacing", [.5, 1.0, 1.5])
def test_v5_straight_tube(judge, spacing):
    length, sigma, circulation = 20.0, .2, 1.3
    count = round(length / (spacing * sigma))
    z = (np.arange(count) + .5) * length / count - length / 2
    positions = np.stack([0 * z, 0 * z, z], 1)
    strengths = np.tile([0, 0, circulation * length / count], (count, 1))
    distance, shift = np.meshgrid(sigma * np.array([.1, .5, 1, 1.6, 2.5, 4, 8]),
                                  spacing * sigma * np.array([0, .2, .5]))
    targets = np.stack([distance, 0 * distance, shift], -1).reshape(-1, 3)
    u, _, _ = direct_sum(judge, GAUSSIAN, targets, positions, strengths, sigma)
    d = targets[:, 0]
    exact = (circulation / (2 * np.pi * d) * (1 - np.exp(-d**2 / (2 * sigma**2)))
             * length / np.sqrt(length**2 + 4 * d**2))
    assert abs(u[:, 1] / exact - 1).max() < 1e-3


# ---- arguments and threads ----


def test_e1_judge_has_the_same_bits_for_all_threads(judge):
    positions, strengths, cores = random_vortons(333)
    results = [direct_sum(judge, GAUSSIAN, positions, positions, strengths, cores, threads)
               for threads in (1, 2, 3, 8, 0)]
    for result in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(result, results[0]))


def test_judge_leaves_out_what_is_not_asked_for(judge):
    positions, strengths, cores = random_vortons(20)
    u = np.zeros((20, 3))
    assert call_judge(judge, GAUSSIAN, positions, positions, strengths, cores, u, None, None) == 0
    expected, _, _ = direct_sum(judge, GAUSSIAN, positions, positions, strengths, cores)
    assert np.array_equal(u, expected)


@pytest.mark.parametrize("change, message", [
    ({"kernel": len(NAMES)},
     f"kernel is {len(NAMES)}; allowed is the index of one of: {' '.join(NAMES)}"),
    ({"threads": -1}, "threads must be 0 (all) .. 64, got -1"),
    ({"threads": 65}, "threads must be 0 (all) .. 64, got 65"),
    ({"targets": np.array([[0, 0, 0], [0, np.nan, 0]])},
     "targets must be finite, got nan in row 1"),
    ({"positions": np.array([[np.inf, 0, 0]])}, "positions must be finite, got inf in row 0"),
    ({"strengths": np.array([[0, np.nan, 0]])}, "strengths must be finite, got nan in row 0"),
    ({"cores": np.array([0.0])}, "cores must be positive and finite, got 0 in row 0"),
    ({"cores": np.array([-1.0])}, "cores must be positive and finite, got -1 in row 0"),
    ({"strengths": None}, "strengths must not be NULL"),
    ({"velocity": None}, "velocity must not be NULL")])
def test_judge_refuses_bad_arguments(judge, change, message):
    arguments = {"kernel": 0, "targets": np.zeros((2, 3)), "positions": np.ones((1, 3)),
                 "strengths": np.ones((1, 3)), "cores": np.ones(1),
                 "velocity": np.full((2, 3), 7.0), "gradient": None,
                 "potential": None, "threads": 1}
    velocity = arguments["velocity"]
    assert call_judge(judge, **(arguments | change)) == 1
    assert message in judge.vt_error_message().decode().replace("-nan", "nan")
    assert (velocity == 7).all()


def test_judge_refuses_a_negative_count(judge):
    assert judge.vt_direct_sum(0, ctypes.c_int64(-1), *[None] * 9) == 1
    assert b"target_count must be 0 .. 2^40, got -1" in judge.vt_error_message()
