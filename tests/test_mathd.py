"""Our elementary functions against those of the machine (which are right to about one ulp)."""

import ctypes
import math

import native
import numpy as np
import pytest
from marks import slow_but

EXP_CODE = """
#include "base/math_vector.h"

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
    return native.load("csrc/base/math_double.c")


def call(c, name, values):
    function = getattr(c, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    return np.array([function(v) for v in values])


def reduced(x):
    """x less the nearest integer, which is exact, and whether that integer is odd."""
    whole = np.rint(x)
    return x - whole, whole % 2 == 1


@pytest.mark.parametrize("name, reference, values", [
    ("vti_exp", np.exp, np.concatenate([SMALL, RANDOM.uniform(-708, 709.7, 5000)])),
    ("vti_log", np.log, np.concatenate([RANDOM.uniform(.4, 2.5, 5000),
                                       10.0 ** RANDOM.uniform(-300, 300, 5000)])),
    ("vti_erf", np.vectorize(math.erf), np.concatenate([SMALL, RANDOM.uniform(-7, 7, 5000)])),
    ("vti_cbrt", np.cbrt, np.concatenate([SMALL, 10.0 ** RANDOM.uniform(-300, 300, 5000)]))])
def test_relative_error(c, name, reference, values):
    expected = reference(values)
    assert call(c, name, values) == pytest.approx(expected, rel=1e-15, abs=0)


def test_angles(c):
    c.vti_atan2.restype, c.vti_atan2.argtypes = ctypes.c_double, [ctypes.c_double] * 2
    x, y = RANDOM.normal(size=(2, 5000)) * 10.0 ** RANDOM.uniform(-9, 9, (2, 5000))
    found = [c.vti_atan2(*point) for point in zip(y, x, strict=True)]
    assert found == pytest.approx(np.arctan2(y, x), rel=1e-15, abs=0)
    exact = [c.vti_atan2(0, 1), c.vti_atan2(0, -1), c.vti_atan2(1, 0), c.vti_atan2(-1, 0)]
    assert exact == [0, np.pi, np.pi / 2, -np.pi / 2] and c.vti_atan2(0, 0) == 0
    assert math.isnan(c.vti_atan2(math.nan, 1)) and math.isnan(c.vti_atan2(1, math.nan))


@pytest.mark.parametrize("name, reference", [("vti_sin", np.sin), ("vti_cos", np.cos)])
def test_trigonometry_of_radians(c, name, reference):
    values = np.concatenate([SMALL, RANDOM.uniform(-1e5, 1e5, 5000)])
    assert abs(call(c, name, values) - reference(values)).max() < 5e-16
    assert np.isnan(call(c, name, [1e6, math.inf, math.nan])).all()


def test_trigonometry_of_half_turns(c):
    values = np.concatenate([SMALL, RANDOM.uniform(-1e6, 1e6, 5000)])
    rest, odd = reduced(values)
    sign = np.where(odd, -1, 1)
    assert abs(call(c, "vti_sin_pi", values) - sign * np.sin(np.pi * rest)).max() < 1e-15
    assert abs(call(c, "vti_cos_pi", values) - sign * np.cos(np.pi * rest)).max() < 1e-15
    quarters = np.arange(-9, 10) / 2
    assert np.array_equal(call(c, "vti_sin_pi", quarters), np.rint(np.sin(np.pi * quarters)))
    assert np.array_equal(call(c, "vti_cos_pi", quarters), np.rint(np.cos(np.pi * quarters)))
    assert np.isnan(call(c, "vti_sin_pi", [1e300, math.inf, math.nan])).all()


SINES_CODE = """
#include "base/math_double.h"

void call_sines(const double *x, double *result, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        result[i] = vti_sine_of_turns(x[i]);
}
"""


def test_sines_in_a_row():
    library = native.load(code=SINES_CODE)
    values = np.concatenate([SMALL, RANDOM.uniform(-1e6, 1e6, 5000), np.arange(-9, 10) / 4])
    found = np.empty_like(values)
    library.call_sines(values.ctypes.data_as(ctypes.c_void_p),
                       found.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(len(values)))
    rest, _ = reduced(values)
    assert abs(found - np.sin(2 * np.pi * rest)).max() < 1e-15
    assert np.array_equal(found[-19:], np.rint(np.sin(np.pi / 2 * np.arange(-9, 10))))


def test_ends_of_the_range(c):
    assert call(c, "vti_exp", [-709, -math.inf, 0, math.inf]).tolist() == [0, 0, 1, math.inf]
    assert call(c, "vti_exp", [709.78])[0] == pytest.approx(math.exp(709.78), rel=1e-15)
    assert call(c, "vti_log", [0, 1, math.inf]).tolist() == [-math.inf, 0, math.inf]
    assert np.isnan(call(c, "vti_log", [-1, math.nan])).all()
    assert call(c, "vti_erf", [-math.inf, 0, math.inf]).tolist() == [-1, 0, 1]
    for name in ("vti_exp", "vti_erf", "vti_cbrt"):
        assert np.isnan(call(c, name, [math.nan])[0])
    assert call(c, "vti_floor", [-2.5, -2, -.5, 0, .5, 2, 2.5]).tolist() == [-3, -2, -1, 0, 0, 2, 2]


def test_same_bits_as_ever(c):
    """Nothing but + - * / and sqrt: these bits may depend on no compiler and no machine."""
    x = np.linspace(.01, 5, 1000)
    names = ["sin_pi", "cos_pi", "sin", "cos", "exp", "log", "erf", "cbrt"]
    total = np.uint64(0)
    for name in names:
        for bits in call(c, f"vti_{name}", x).view(np.uint64):
            total = np.uint64((int(total) * 1099511628211 + int(bits)) % 2**64)
    assert hex(total) == "0x5f5ea7c567182b7b"


@pytest.mark.parametrize("target", slow_but(native.targets()[-1:], native.targets()))
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


LOG_CODE = """
#include "base/math_vector.h"

void call_log(const float *x, float *result, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL)
        vf_store(result + i, vf_log(vf_load(x + i)));
}

void call_root(const float *x, float *result, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL)
        vf_store(result + i, vf_inverse_root(vf_load(x + i)));
}

void call_rough_root(const float *x, float *result, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL)
        vf_store(result + i, vf_rough_inverse_root(vf_load(x + i)));
}

void call_angle(const float *y, const float *x, float *result, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL)
        vf_store(result + i, vf_upper_angle(vf_load(y + i), vf_load(x + i)));
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("target", native.targets())
def test_logarithms_roots_and_angles_of_kernels(target):
    kernel = native.load(target=target, code=LOG_CODE)

    def run(function, *arguments):
        result = np.empty_like(arguments[0])
        function(*(a.ctypes.data_as(ctypes.c_void_p) for a in (*arguments, result)),
                 ctypes.c_int64(len(result)))  # fmt: skip
        return result.astype(float)

    x = np.float32(10.0 ** RANDOM.uniform(-37, 37, 4096))
    x[::2] = 1 + np.float32(RANDOM.uniform(-0.5, 1, 2048))
    exact = np.log(x.astype(float))
    assert (np.abs(run(kernel.call_log, x) - exact) < 1e-7 + 1.5e-7 * np.abs(exact)).all()
    exact = 1 / np.sqrt(x.astype(float))
    assert np.abs(run(kernel.call_root, x) / exact - 1).max() < 2e-7
    assert np.abs(run(kernel.call_rough_root, x) / exact - 1).max() < 7e-6
    none = np.zeros(16, np.float32)
    assert (none * run(kernel.call_root, none) == 0).all()
    x, y = np.float32(RANDOM.normal(size=(2, 4096)) * 10.0 ** RANDOM.uniform(-6, 6, (2, 4096)))
    y = np.abs(y)
    y[:16] = 0
    exact = np.arctan2(y.astype(float), x.astype(float))
    assert np.abs(run(kernel.call_angle, y, x) - exact).max() < 3e-7
