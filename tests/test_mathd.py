"""Our elementary functions against those of the machine (which are right to about one ulp)."""

import ctypes
import math

import native
import numpy as np
import pytest

EXP_CODE = """
#include "core/mathf.h"

void call_exp(const float *x, float *result, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL)
        vf_store(result + i, vf_exp(vf_load(x + i)));
}
"""

RANDOM = np.random.default_rng(1)
SMALL = np.concatenate([RANDOM.uniform(-3, 3, 5000), 10.0 ** RANDOM.uniform(-12, 0, 500), [0.0]])


@pytest.fixture(scope="module")
def c():
    return native.load("csrc/core/mathd.c")


def call(c, name, values):
    function = getattr(c, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    return np.array([function(v) for v in values])


def reduced(x):
    """x less the nearest integer, which is exact, and whether that integer is odd."""
    whole = np.rint(x)
    return x - whole, whole % 2 == 1


@pytest.mark.parametrize("name, reference, values", [
    ("vt_exp", np.exp, np.concatenate([SMALL, RANDOM.uniform(-708, 709.7, 5000)])),
    ("vt_log", np.log, np.concatenate([RANDOM.uniform(.4, 2.5, 5000),
                                       10.0 ** RANDOM.uniform(-300, 300, 5000)])),
    ("vt_erf", np.vectorize(math.erf), np.concatenate([SMALL, RANDOM.uniform(-7, 7, 5000)])),
    ("vt_cbrt", np.cbrt, np.concatenate([SMALL, 10.0 ** RANDOM.uniform(-300, 300, 5000)]))])
def test_relative_error(c, name, reference, values):
    expected = reference(values)
    assert call(c, name, values) == pytest.approx(expected, rel=1e-15, abs=0)


@pytest.mark.parametrize("name, reference", [("vt_sin", np.sin), ("vt_cos", np.cos)])
def test_trigonometry_of_radians(c, name, reference):
    values = np.concatenate([SMALL, RANDOM.uniform(-1e5, 1e5, 5000)])
    assert abs(call(c, name, values) - reference(values)).max() < 5e-16
    assert np.isnan(call(c, name, [1e6, math.inf, math.nan])).all()


def test_trigonometry_of_half_turns(c):
    values = np.concatenate([SMALL, RANDOM.uniform(-1e6, 1e6, 5000)])
    rest, odd = reduced(values)
    sign = np.where(odd, -1, 1)
    assert abs(call(c, "vt_sin_pi", values) - sign * np.sin(np.pi * rest)).max() < 1e-15
    assert abs(call(c, "vt_cos_pi", values) - sign * np.cos(np.pi * rest)).max() < 1e-15
    quarters = np.arange(-9, 10) / 2
    assert np.array_equal(call(c, "vt_sin_pi", quarters), np.rint(np.sin(np.pi * quarters)))
    assert np.array_equal(call(c, "vt_cos_pi", quarters), np.rint(np.cos(np.pi * quarters)))
    assert np.isnan(call(c, "vt_sin_pi", [1e300, math.inf, math.nan])).all()


def test_ends_of_the_range(c):
    assert call(c, "vt_exp", [-709, -math.inf, 0, math.inf]).tolist() == [0, 0, 1, math.inf]
    assert call(c, "vt_exp", [709.78])[0] == pytest.approx(math.exp(709.78), rel=1e-15)
    assert call(c, "vt_log", [0, 1, math.inf]).tolist() == [-math.inf, 0, math.inf]
    assert np.isnan(call(c, "vt_log", [-1, math.nan])).all()
    assert call(c, "vt_erf", [-math.inf, 0, math.inf]).tolist() == [-1, 0, 1]
    for name in ("vt_exp", "vt_erf", "vt_cbrt"):
        assert np.isnan(call(c, name, [math.nan])[0])
    assert call(c, "vt_floor", [-2.5, -2, -.5, 0, .5, 2, 2.5]).tolist() == [-3, -2, -1, 0, 0, 2, 2]


def test_same_bits_as_ever(c):
    """Nothing but + - * / and sqrt: these bits may depend on no compiler and no machine."""
    x = np.linspace(.01, 5, 1000)
    names = ["vt_sin_pi", "vt_cos_pi", "vt_sin", "vt_cos", "vt_exp", "vt_log", "vt_erf", "vt_cbrt"]
    total = np.uint64(0)
    for name in names:
        for bits in call(c, name, x).view(np.uint64):
            total = np.uint64((int(total) * 1099511628211 + int(bits)) % 2**64)
    assert hex(total) == "0x5f5ea7c567182b7b"


@pytest.mark.parametrize("target", native.targets())
def test_vector_exp(target):
    x = np.concatenate([np.linspace(-90, 89, 200000), -(10.0 ** np.linspace(-20, 1.9, 100000)),
                        [0, -0.0, math.nan, math.inf, -math.inf]]).astype(np.float32)
    x = np.concatenate([x, np.zeros(-len(x) % 16, np.float32)])
    results = []
    for name in ("scalar", target):
        library = native.load(target=name, code=EXP_CODE)
        result = np.empty_like(x)
        library.call_exp(x.ctypes.data_as(ctypes.c_void_p),
                         result.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(len(x)))
        results.append(result)
    assert np.array_equal(results[0].view(np.int32), results[1].view(np.int32))
    inside = (x >= -87) & (x <= 88)
    expected = np.exp(x[inside].astype(float))
    assert abs(results[0][inside] / expected - 1).max() < 1e-7
    assert (results[0][x < -87] == 0).all()
