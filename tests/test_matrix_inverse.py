"""The inverse of the panels' matrix (csrc/base/matrix_inverse.c)."""

import ctypes

import numpy as np
import pytest
from marks import slow_but
from native import load

library = load("csrc/base/matrix_inverse.c")


def invert(matrix, threads=1):
    """The status, and the inverse."""
    found = np.array(matrix, dtype=np.float64, order="C")
    at = found.ctypes.data_as(ctypes.c_void_p)
    return library.vti_invert(at, ctypes.c_int64(len(found)), threads), found


def by_steps(matrix):
    """By one step of Gauss and Jordan after the other."""
    m, swapped = np.array(matrix), []
    for k in range(len(m)):
        best = k + np.argmax(np.abs(m[k:, k]))
        swapped.append(best)
        m[[k, best]] = m[[best, k]]
        pivot, m[k, k] = m[k, k], 1
        m[k] /= pivot
        factor = m[:, k].copy()
        factor[k], m[np.arange(len(m)) != k, k] = 0, 0
        m -= factor[:, None] * m[k]
    for k in range(len(m) - 1, -1, -1):
        m[:, [k, swapped[k]]] = m[:, [swapped[k], k]]
    return m


@pytest.mark.parametrize("count", slow_but([1, 2, 15, 16, 17, 133], [1, 2, 15, 16, 17, 133, 300]))
def test_inverse_to_the_bit_by_blocks_of_steps_or_one_by_one(count):
    matrix = np.random.default_rng(count).normal(size=(count, count))
    status, found = invert(matrix)
    assert status == 0 and np.array_equal(found, by_steps(matrix))
    assert found == pytest.approx(np.linalg.inv(matrix), rel=1e-7, abs=1e-7)
    assert np.array_equal(found, invert(matrix, threads=3)[1])


@pytest.mark.parametrize("row", [0, 20, 39])
def test_singular_matrices_are_told(row):
    matrix = np.random.default_rng(1).normal(size=(40, 40))
    assert invert(matrix)[0] == 0
    matrix[row] = 0
    assert invert(matrix)[0] != 0
