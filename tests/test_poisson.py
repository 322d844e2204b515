"""The direct Poisson solver: vt_solve_poisson, with the stage `poisson` of every target behind it.
The solvers that iterate: test_multigrid.py.

References: exact solutions, and a float64 solution of the same linear system by SciPy's transforms.
"""

import ctypes
import functools
import hashlib
import os
import subprocess
import sys

import native
import numpy as np
import pytest
from scipy.fft import dstn, idstn

SOURCES = ["csrc/api/solve_poisson.c", "csrc/kernels/poisson/poisson_direct.c"]

# The table of stages with this one stage, of the target that is tested.
STAGES = """
#include "kernels/dispatch.h"

const vt_stage_table *vti_stages(void)
{
    static const vt_stage_table table = {.poisson = VT_NAME(poisson)};
    return &table;
}
"""

BEST_TARGET = native.targets()[-1]

OK, INVALID_ARGUMENT, NOT_FINITE = 0, 1, 5

NON_CUBIC = [(8, 8, 8), (8, 20, 54), (6, 6, 6), (40, 6, 16), (16, 40, 6),
             (30, 36, 50), (48, 64, 90), (10, 12, 18), (90, 8, 10), (128, 16, 32), (250, 24, 8),
             (18, 162, 12), (8, 8, 1024), (1024, 8, 8), (8, 1000, 10), (810, 10, 8), (24, 72, 40),
             (100, 60, 30), (8, 16, 486)]


@functools.cache
def library(target):
    lib = native.load(*SOURCES, target=target, code=STAGES)
    lib.vt_solve_poisson.argtypes = [ctypes.POINTER(ctypes.c_int32), ctypes.c_double,
                                     ctypes.POINTER(ctypes.c_float), ctypes.c_void_p,
                                     ctypes.c_int32]
    lib.vt_error_message.restype = ctypes.c_char_p
    return lib


def call(cells, spacing, field, threads=1, target=BEST_TARGET):
    """Status of vt_solve_poisson, and the field that it overwrote."""
    field = np.array(field, np.float32, order="C")
    status = library(target).vt_solve_poisson(
        (ctypes.c_int32 * 3)(*cells), spacing,
        field.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), None, threads)
    return status, field


def solve(field, spacing, **options):
    cells = [nodes - 1 for nodes in field.shape[2::-1]]
    status, solution = call(cells, spacing, field, **options)
    assert status == OK
    return solution


def inner(a):
    return a[1:-1, 1:-1, 1:-1]


def laplacian(a):
    """Of the nodes inside, times spacing^2, in float64."""
    a = a.astype(float)
    around = (a[2:, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1] + a[1:-1, 2:, 1:-1] + a[1:-1, :-2, 1:-1]
              + a[1:-1, 1:-1, 2:] + a[1:-1, 1:-1, :-2])
    return around - 6 * inner(a)


def solve_float64(field, spacing):
    """The same linear system by SciPy's sine transforms along all three axes."""
    solution = field.astype(float)
    faces = solution.copy()
    inner(faces)[:] = 0
    right = inner(solution) * spacing**2 + laplacian(faces)
    axes = (0, 1, 2)
    eigenvalues = 0
    for axis, count in enumerate(right.shape[:3]):
        k = np.arange(1, count + 1).reshape([-1 if a == axis else 1 for a in range(4)])
        eigenvalues = eigenvalues + 4 * np.sin(np.pi * k / (2 * (count + 1)))**2
    inner(solution)[:] = idstn(dstn(right, 1, axes=axes) / eigenvalues, 1, axes=axes)
    return solution


def random_field(cells, seed=1):
    shape = [n + 1 for n in reversed(cells)] + [3]
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def gaussian(cells, center=(0, 0, 0), sigma=.3):
    """V7 on [-1, 1]^3: the exact A and the field that the solver is given, one component each at
    another place and with another sign."""
    exact = []
    given = []
    x = np.linspace(-1, 1, cells + 1)
    for axis in range(3):
        shift = np.roll(center, axis)
        r2 = ((x[:, None, None] - shift[2])**2 + (x[:, None] - shift[1])**2 + (x - shift[0])**2)
        a = (1, -1, .5)[axis] * np.exp(-r2 / (2 * sigma**2))
        source = a * (3 / sigma**2 - r2 / sigma**4)
        field = a.copy()
        inner(field)[:] = inner(source)
        exact.append(a)
        given.append(field)
    return np.stack(exact, -1), np.stack(given, -1).astype(np.float32)


# ---- V7 ----

V7_ERRORS = {16: 2.66e-2, 32: 6.5e-3, 64: 1.62e-3}

# float32 floor of the relative residual (LIMITS): what rounding A to float32 leaves by itself.
RESIDUAL_FLOOR = {32: 3.5e-6, 64: 1.4e-5}


def v7_error(cells):
    exact, given = gaussian(cells)
    return np.abs(solve(given, 2 / cells) - exact).max()


@pytest.mark.slow
@pytest.mark.parametrize("cells", V7_ERRORS)
def test_v7_error_against_the_exact_solution(cells):
    assert v7_error(cells) < 1.2 * V7_ERRORS[cells]


def test_v7_second_order():
    errors = [v7_error(cells) for cells in V7_ERRORS]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all((orders > 1.9) & (orders < 2.1)), orders


@pytest.mark.parametrize("cells", V7_ERRORS)
@pytest.mark.parametrize("center", [(0, 0, 0), (.4, -.3, .1)])
def test_v7_against_float64(cells, center):
    _, given = gaussian(cells, center)
    reference = solve_float64(given, 2 / cells)
    error = np.abs(solve(given, 2 / cells) - reference).max()
    assert error < 1e-5 * np.abs(reference).max()


@pytest.mark.parametrize("cells", RESIDUAL_FLOOR)
def test_v7_residual_near_the_float32_floor(cells):
    _, given = gaussian(cells)
    solution = solve(given, 2 / cells)
    right = inner(given).astype(float) * (2 / cells)**2
    residual = laplacian(solution) + right
    assert np.linalg.norm(residual) < 2 * RESIDUAL_FLOOR[cells] * np.linalg.norm(right)


# ---- sizes ----

@pytest.mark.parametrize("cells", NON_CUBIC)
def test_sizes_with_factors_2_3_5(cells):
    field = random_field(cells)
    solution = solve(field, .5)
    reference = solve_float64(field, .5)
    assert np.abs(solution - reference).max() < 1e-5 * np.abs(reference).max()


@pytest.mark.slow
@pytest.mark.parametrize("axis", range(3))
def test_every_length_that_is_liked(axis):
    likes = library(BEST_TARGET).vti_poisson_likes
    likes.argtypes = [ctypes.c_int64]
    lengths = [n for n in range(-2, 1100) if likes(n)]
    assert lengths == [n for n in range(6, 1025, 2) if is_smooth(n)]
    for n in lengths:
        cells = [8, 8, 8]
        cells[axis] = n
        field = random_field(cells, seed=n)
        reference = solve_float64(field, 1.)
        error = np.abs(solve(field, 1.) - reference).max()
        assert error < 1e-5 * np.abs(reference).max(), cells


def is_smooth(n):
    for factor in (2, 3, 5):
        while n % factor == 0:
            n //= factor
    return n == 1


def test_faces_keep_their_values():
    field = random_field((12, 18, 10))
    solution = solve(field, 2.)
    inner(field)[:] = 0
    inner(solution)[:] = 0
    assert np.array_equal(solution, field)


def test_a_linear_function_without_source_is_reproduced():
    z, y, x = np.meshgrid(np.arange(31), np.arange(21), np.arange(25), indexing="ij")
    exact = np.stack([x + 2. * y - z, 3. - x, .5 * z], -1)
    given = exact.copy()
    inner(given)[:] = 0
    assert np.abs(solve(given, .1) - exact).max() < 1e-6 * np.abs(exact).max()


# ---- the same bits ----

@pytest.mark.slow
@pytest.mark.parametrize("cells", [(16, 16, 16), (36, 40, 30), (50, 24, 18), (64, 64, 64)])
def test_e1_same_bits_for_threads_and_targets(cells):
    field = random_field(cells)
    first = solve(field, .7, threads=1)
    for target in native.targets():
        for threads in (1, 2, 3, 8):
            assert np.array_equal(solve(field, .7, threads=threads, target=target), first), \
                (target, threads)


FRESH_PROCESS = """
import hashlib, numpy, sys
from vorton import _core
field = numpy.load(sys.argv[1])
for threads in (1, 2, 3, 8):
    print(_core.simd(), hashlib.sha256(_core.solve_poisson(field, .7, threads)).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.parametrize("simd", native.targets())
@pytest.mark.parametrize("backend", ["openmp", "pthread"])
def test_e1_same_bits_in_the_package(simd, backend, tmp_path):
    field = random_field((36, 40, 30))
    np.save(tmp_path / "field.npy", field)
    settings = {"VORTON_SIMD": simd, "VORTON_BACKEND": backend}
    run = subprocess.run([sys.executable, "-c", FRESH_PROCESS, tmp_path / "field.npy"],
                         env=os.environ | settings, capture_output=True, text=True, check=True)
    expected = hashlib.sha256(solve(field, .7)).hexdigest()
    assert run.stdout.split() == [simd, expected] * 4


def test_components_do_not_mix():
    field = random_field((20, 16, 12))
    whole = solve(field, 1.)
    for component in range(3):
        alone = np.zeros_like(field)
        alone[..., component] = field[..., component]
        solution = solve(alone, 1.)
        assert np.array_equal(solution[..., component], whole[..., component])
        solution[..., component] = 0
        assert not solution.any()


# ---- bad input ----

@pytest.mark.parametrize("cells, spacing, threads, words", [
    ((7, 8, 8), 1., 1, [b"cells[0]", b"7"]),
    ((8, 14, 8), 1., 1, [b"cells[1]", b"14"]),
    ((8, 8, 2048), 1., 1, [b"cells[2]", b"2048", b"1024"]),
    ((8, -8, 8), 1., 1, [b"cells[1]", b"-8"]),
    ((8, 8, 8), 0., 1, [b"spacing", b"0"]),
    ((8, 8, 8), -1., 1, [b"spacing", b"-1"]),
    ((8, 8, 8), np.nan, 1, [b"spacing", b"nan"]),
    ((8, 8, 8), np.inf, 1, [b"spacing", b"inf"]),
    ((8, 8, 8), 1., -1, [b"threads", b"-1"]),
    ((8, 8, 8), 1., 65, [b"threads", b"65", b"64"]),
])
def test_bad_arguments(cells, spacing, threads, words):
    field = random_field((8, 8, 8))
    status, after = call(cells, spacing, field, threads)
    assert status == INVALID_ARGUMENT
    message = library(BEST_TARGET).vt_error_message()
    assert all(word in message for word in words), message
    assert np.array_equal(after, field)


@pytest.mark.parametrize("node", [(4, 4, 4, 0), (0, 3, 2, 1), (8, 8, 8, 2)])
@pytest.mark.parametrize("value, spacing", [(np.nan, 1.), (np.inf, 1.), (1e38, 1e3)])
def test_values_that_are_not_finite(node, value, spacing):
    field = random_field((8, 8, 8))
    field[node] = value
    status, after = call((8, 8, 8), spacing, field)
    assert status == NOT_FINITE
    assert b"field" in library(BEST_TARGET).vt_error_message()
    assert np.array_equal(after, field, equal_nan=True)


def test_null_pointers():
    lib = library(BEST_TARGET)
    assert lib.vt_solve_poisson(None, 1., (ctypes.c_float * 1)(), None, 1) == INVALID_ARGUMENT
    cells = (ctypes.c_int32 * 3)(8, 8, 8)
    assert lib.vt_solve_poisson(cells, 1., None, None, 1) == INVALID_ARGUMENT
