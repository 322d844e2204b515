"""The Poisson equation of a vector potential in a box, with its walls in the transforms.

References: a cellular flow that is exact, and a float64 solution of the same linear system by
SciPy's transforms.
"""

import hashlib
import os
import subprocess
import sys

import native
import numpy as np
import pytest
from scipy.fft import dct, dst, idct, idst

from vorton import _core

SIZES = [(8, 8, 8), (16, 16, 16), (8, 20, 54), (30, 36, 50), (32, 64, 48), (10, 12, 18),
         (250, 24, 8), (18, 162, 12), (128, 16, 32), (8, 16, 486), (6, 40, 16),
         (16, 6, 40), (40, 16, 6)]


def random_source(cells, seed=1):
    shape = [n + 1 for n in reversed(cells)] + [3]
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def is_even(array_axis, component):
    return 2 - array_axis == component


def component_in_float64(source, component, spacing):
    """By cosines along its own axis, and sines along the two others."""
    values, eigenvalues = source.astype(float) * spacing**2, 0
    inside = tuple(slice(None) if is_even(axis, component) else slice(1, -1) for axis in range(3))
    values = values[inside]
    for axis in range(3):
        n = source.shape[axis] - 1
        even = is_even(axis, component)
        values = (dct if even else dst)(values, 1, axis=axis)
        k = np.arange(n + 1) if even else np.arange(1, n)
        shape = [-1 if a == axis else 1 for a in range(3)]
        eigenvalues = eigenvalues + (4 * np.sin(np.pi * k / (2 * n))**2).reshape(shape)
    values = values / eigenvalues
    for axis in range(3):
        values = (idct if is_even(axis, component) else idst)(values, 1, axis=axis)
    whole = np.zeros(source.shape)
    whole[inside] = values
    return whole


@pytest.mark.parametrize("cells", SIZES)
def test_against_float64(cells):
    source = random_source(cells)
    found = _core.solve_poisson_in_box(source, 0.5, 1)
    exact = np.stack([component_in_float64(source[..., c], c, 0.5) for c in range(3)], -1)
    assert np.abs(found - exact).max() < 1e-5 * np.abs(exact).max()
    assert np.array_equal(found, _core.solve_poisson_in_box(source, 0.5, 3))


@pytest.mark.parametrize("axis", range(3))
def test_a_cellular_flow_between_walls_is_exact(axis):
    """A = cos(l a) sin(m b) sin(n c) along its axis a, in cells of a box of other sides: whose
    curl has no component across any wall. The stencil's eigenvalue in place of l^2 + m^2 + n^2."""
    cells, sides = (16, 24, 20), np.array((1.6, 2.4, 2.0))
    waves = np.roll((2, 3, 1), axis) * np.pi / sides
    nodes = np.meshgrid(*(np.linspace(0, sides[a], cells[a] + 1) for a in range(3)), indexing="ij")
    exact = np.ones_like(nodes[0])
    for a in range(3):
        exact = exact * (np.cos if a == axis else np.sin)(waves[a] * nodes[a])
    eigenvalue = ((2 - 2 * np.cos(0.1 * waves)) / 0.1**2).sum()
    source = np.zeros((*exact.T.shape, 3))
    source[..., axis] = eigenvalue * exact.T
    found = _core.solve_poisson_in_box(source, 0.1)
    assert np.abs(found[..., axis] - exact.T).max() < 2e-6
    assert not np.delete(found, axis, axis=-1).any()


def test_what_lies_along_a_wall_is_zero_there_and_does_not_count():
    source = random_source((12, 18, 10))
    found = _core.solve_poisson_in_box(source, 2.0)
    for component in range(3):
        for axis in range(3):
            if not is_even(axis, component):
                for side in (0, -1):
                    at = tuple(side if a == axis else slice(None) for a in range(3))
                    assert not found[(*at, component)].any()
                    source[(*at, component)] = 0
    assert np.array_equal(found, _core.solve_poisson_in_box(source, 2.0))


FRESH_PROCESS = """
import hashlib, numpy, sys
from vorton import _core
field = numpy.load(sys.argv[1])
for threads in (1, 2, 3, 8):
    found = _core.solve_poisson_in_box(field, .7, threads)
    print(_core.simd(), hashlib.sha256(found).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.parametrize("simd", native.targets())
def test_e1_same_bits_for_threads_and_targets(simd, tmp_path):
    field = random_source((36, 40, 30))
    np.save(tmp_path / "field.npy", field)
    run = subprocess.run([sys.executable, "-c", FRESH_PROCESS, tmp_path / "field.npy"],
                         env=os.environ | {"VORTON_SIMD": simd}, capture_output=True, text=True,
                         check=True)
    expected = hashlib.sha256(_core.solve_poisson_in_box(field, 0.7)).hexdigest()
    assert run.stdout.split() == [simd, expected] * 4


@pytest.mark.parametrize(("shape", "spacing", "words"), [
    ((9, 9, 8, 3), 1.0, ["cells[0]", "7"]),
    ((9, 9, 9, 3), -1.0, ["spacing", "-1"]),
])
def test_bad_arguments(shape, spacing, words):
    with pytest.raises(ValueError, match=".*".join(w.replace("[", r"\[") for w in words)):
        _core.solve_poisson_in_box(np.zeros(shape), spacing)
