"""Tracks (csrc/animation/track.c) against SciPy's splines and quadrature."""

import ctypes

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator, interp1d

import vorton as vt

CONSTANT, LINEAR, SMOOTH = 0, 1, 2
library = ctypes.CDLL(vt.get_library())
library.vt_error_message.restype = ctypes.c_char_p


class Track(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("components", ctypes.c_int32),
        ("count", ctypes.c_int64),
        ("times", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("interpolation", ctypes.c_void_p),
        ("start", ctypes.c_double),
        ("rate", ctypes.c_double),
    ]


def track(values, times=None, interpolation=None, start=0.0, rate=24.0):
    values = np.ascontiguousarray(values, float)
    times = None if times is None else np.ascontiguousarray(times, float)
    if interpolation is not None:
        interpolation = np.broadcast_to(interpolation, len(values)).astype(np.uint8)
    made = Track(
        ctypes.sizeof(Track),
        1 if values.ndim == 1 else values.shape[1],
        len(values),
        None if times is None else times.ctypes.data,
        values.ctypes.data,
        None if interpolation is None else interpolation.ctypes.data,
        start,
        rate,
    )
    made.kept = values, times, interpolation
    return made


def value(made, time):
    out = (ctypes.c_double * made.components)()
    library.vt_evaluate_track(ctypes.byref(made), ctypes.c_double(time), out)
    return np.array(out)


def integral(made, start, end):
    out = (ctypes.c_double * made.components)()
    library.vt_integrate_track(
        ctypes.byref(made), ctypes.c_double(start), ctypes.c_double(end), out
    )
    return np.array(out)


RANDOM = np.random.default_rng(3)
TIMES = np.cumsum(RANDOM.uniform(0.1, 1.0, 9)) - 1.0
VALUES = RANDOM.normal(0, 1, (9, 3))
BETWEEN = np.linspace(TIMES[0], TIMES[-1], 501)[:-1]


def smooth_spline():
    """The slopes of SciPy's monotone cubic, but flat at both ends."""
    slopes = PchipInterpolator(TIMES, VALUES).derivative()(TIMES)
    slopes[[0, -1]] = 0
    return CubicHermiteSpline(TIMES, VALUES, slopes)


@pytest.mark.parametrize(
    ("interpolation", "exact"),
    [
        (CONSTANT, interp1d(TIMES, VALUES, kind="previous", axis=0)),
        (LINEAR, interp1d(TIMES, VALUES, axis=0)),
        (SMOOTH, smooth_spline()),
    ],
)
def test_values_and_integrals_are_scipys(interpolation, exact):
    made = track(VALUES, TIMES, interpolation)
    found = np.array([value(made, t) for t in BETWEEN])
    assert np.abs(found - exact(BETWEEN)).max() < 1e-13
    for a, b in RANDOM.uniform(TIMES[0], TIMES[-1], (20, 2)):
        for c in range(3):
            inner = [t for t in TIMES if min(a, b) < t < max(a, b)]
            expected = quad(lambda t, c=c: exact(t)[c], a, b, points=inner or None)[0]
            assert integral(made, a, b)[c] == pytest.approx(expected, abs=1e-10)


def test_kinds_of_interpolation_mix():
    made = track([0.0, 1.0, 3.0, 3.5], [0.0, 1.0, 2.0, 4.0], [SMOOTH, CONSTANT, LINEAR, LINEAR])
    assert value(made, 0.25) == pytest.approx(3 / 16 - 2 / 64, abs=1e-15)  # eases in and out
    assert value(made, np.nextafter(2, 0)) == 1
    assert value(made, 3) == 3.25
    assert integral(made, 0, 4) == pytest.approx(0.5 + 1 + 6.5, abs=1e-14)


def test_first_and_last_value_hold_outside():
    made = track([2.0, 5.0], [1.0, 2.0])
    assert (value(made, -7), value(made, 1), value(made, 2), value(made, 99)) == (2, 2, 5, 5)
    assert integral(made, -3, 1) == 8
    assert integral(made, 2, 4) == 10
    assert integral(made, -1, 3) == 4 + 3.5 + 5
    assert integral(made, 3, -1) == -(4 + 3.5 + 5)
    assert integral(track([4.0], [1.0]), 0, 3) == 12


def test_smooth_never_leaves_the_range_of_its_keys():
    values = [0.0, 0.0, 1.0, 1e-9, 1e-9, 5.0, 4.99]
    made = track(values, range(7), SMOOTH)
    for t in np.linspace(0, 6, 2000):
        keys = values[int(t) : int(t) + 2]
        assert min(keys) <= value(made, t) <= max(keys)


def test_samples_are_linear_between_frames():
    values = RANDOM.normal(0, 1, 50)
    made = track(values, start=0.5, rate=25)
    times = RANDOM.uniform(0, 3, 200)
    exact = np.interp(times, 0.5 + np.arange(50) / 25, values)
    assert np.abs([value(made, t)[0] for t in times] - exact).max() < 1e-13


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"values": [1, 2], "times": [0, 0]}, "time of key 1 is 0 s; allowed is later"),
        ({"values": [1, 2], "times": [0, np.nan]}, "time of key 1"),
        ({"values": [1, np.inf], "times": [0, 1]}, r"key 1 \(t = 1 s\) = inf; allowed is finite"),
        ({"values": [1, 2], "times": [0, 1], "interpolation": 3}, "interpolation of key 0 is 3"),
        ({"values": [1, 2], "rate": 0}, "rate is 0 samples a second; allowed is > 0"),
        ({"values": [1, 2], "start": np.nan}, "allowed are times"),
        ({"values": np.zeros((2, 17))}, "components is 17; allowed is 1 to 16"),
        ({"values": []}, "count of keys is 0; allowed is 1"),
    ],
)
def test_bad_tracks_are_refused(arguments, words):
    made = track(**arguments)
    assert library.vt_validate_track(ctypes.byref(made)) != 0
    with pytest.raises(ValueError, match=words):
        raise ValueError(library.vt_error_message().decode())


def test_good_tracks_are_allowed():
    assert library.vt_validate_track(ctypes.byref(track(VALUES, TIMES, SMOOTH))) == 0
    assert library.vt_validate_track(ctypes.byref(track(VALUES))) == 0
