"""Tracers to voxels: the deposit and its filter, against the same sums in NumPy in float64."""

import ctypes
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import definitions
import native
import numpy as np
import pytest
from volumes import INVALID_ARGUMENT, NOT_FINITE, Volume, VolumeError, library

H = 0.1
ROOT = Path(__file__).resolve().parent.parent


def cloud(count, seed=1, center=(0.3, -0.7, 1.1), spread=1.0):
    """Tracers in a box, some of them on voxel centres, faces and corners."""
    random = np.random.default_rng(seed)
    position = random.uniform(-spread, spread, (count, 3)) + center
    position[: count // 10] = np.round(position[: count // 10] / (H / 2)) * (H / 2)
    return (position.astype(np.float32), random.uniform(0.5, 2, count).astype(np.float32),
            np.full(count, H, np.float32))


def hat(position, density, first, shape):
    """Trilinear deposit in kg/m^3 on the voxels first ... first + shape - 1."""
    x = position.astype(np.float64) / H - first
    base = np.floor(x).astype(int)
    part = x - base
    values = np.zeros(shape)
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(np.array(corner), part, 1 - part), axis=1)
        np.add.at(values, tuple((base + corner).T), weight * density.astype(np.float64) / H**3)
    return values


def smooth(values, taps):
    for axis in range(3):
        padded = [np.roll(values, shift, axis) for shift in range(-(len(taps) // 2),
                                                                  len(taps) // 2 + 1)]
        values = sum(tap * shifted for tap, shifted in zip(taps, padded))
    return values


def gaussian_taps(variance):
    """Two passes of b, 1 - 2 b, b: variance 4 b."""
    once = np.array([variance / 4, 1 - variance / 2, variance / 4])
    return np.convolve(once, once)


def box_around(position, margin=6):
    first = np.floor(position.min(0) / H).astype(int) - margin
    return first, np.ceil(position.max(0) / H).astype(int) + margin + 1 - first


SPLINE = np.array([1, 22, 1]) / 24


@pytest.mark.parametrize("count, size, taps", [
    (60_000, H, SPLINE),                               # 6 a voxel, whatever the size
    (60_000, 9 * H, SPLINE),
    (6_000, 1.2 * H, gaussian_taps(0.36)),
    (6_000, 50 * H, gaussian_taps(1.0)),               # never above a voxel
])
def test_density_is_the_filtered_deposit(count, size, taps):
    position, density, _ = cloud(count)
    volume = Volume(position, density, np.full(count, size), H)
    first, shape = box_around(position)
    expected = smooth(hat(position, density, first, shape), taps)
    values = volume.density(first, shape)
    assert np.abs(values - expected).max() <= 1e-6 * expected.max()
    active = values > 0
    assert volume.info.active_voxels == active.sum()
    squares = (values.astype(float) ** 2).sum()
    assert volume.info.filled_voxels == pytest.approx(values.sum(dtype=float) ** 2 / squares)
    assert active[expected > 1e-7 * expected.max()].all()
    assert not active[expected == 0].any()


def spread_by_count(position, density, first, shape):
    """Few tracers that were born close together: half of the spacing that they have by now.

    As a mixture of the spline and of a Gaussian of a voxel, by the mean number in a voxel around.
    """
    inside = hat(position, density, first, shape)
    wide = gaussian_taps(1.0)
    number = smooth(hat(position, np.ones(len(position)), first, shape) * H**3, wide)
    variance = np.clip(0.25 * np.maximum(number, 1e-9) ** (-2 / 3), 1 / 12, 1)
    share = (variance - 1 / 12) / (1 - 1 / 12)
    return smooth(inside * (1 - share), SPLINE) + smooth(inside * share, wide)


def test_tracers_that_came_apart_are_spread_by_their_number():
    """A dense half and a sparse one: 20 and .5 in a voxel, fewer than 4 in the mean."""
    low, high, other = cloud(2_000), cloud(3_000, seed=2, spread=0.25), cloud(1)
    position = np.concatenate([low[0], high[0], other[0]])
    density = np.concatenate([low[1], high[1], other[1]])
    volume = Volume(position, density, np.full(len(density), 0.1 * H), H)
    first, shape = box_around(position)
    expected = spread_by_count(position, density, first, shape)
    values = volume.density(first, shape)
    assert np.abs(values - expected).max() <= 1e-6 * expected.max()
    assert abs(volume.info.mass / density.sum(dtype=float) - 1) <= 1e-6


def grain(count, size):
    """Rms deviation from the mean of a uniform cloud of tracers, in a middle of 12 voxels cubed."""
    random = np.random.default_rng(3)
    position = random.uniform(-1, 1, (count, 3)).astype(np.float32)
    volume = Volume(position, np.ones(count), np.full(count, size), H)
    values = volume.density((-6, -6, -6), (12, 12, 12)).astype(float)
    assert values.mean() == pytest.approx(count / 8, rel=0.15)
    return values.std() / values.mean()


@pytest.mark.parametrize("count, share", [(2_000, 2 / 3), (800, 1 / 2)])
def test_sparse_smoke_is_not_grainy(count, share):
    """Born close together, now .25 and .1 in a voxel: of the noise of the spline this share.

    A Gaussian of the variance s^2, with that of the hat, has the relative noise
    (n (4 pi s^2)^1.5)^-.5: .85 and 1.34 of the spline (1/4), .27 and .42 of the widest (7/6), .46
    and .43 of the mixture; clumps of chance are spread less than the mean.
    """
    spline = (count / 8000 * math.pi**1.5) ** -0.5
    assert grain(count, 0.1 * H) < share * spline
    assert grain(count * 24, 0.1 * H) > 0.9 * spline / 24**0.5  # 6 and 2.4: as sharp as it was


@pytest.mark.parametrize("count, size", [(1, H), (7, 3 * H), (3_000, H), (3_000, 3 * H),
                                         (200_000, H)])
def test_mass_is_kept_and_the_centroid_stays(count, size):
    position, density, _ = cloud(count, seed=count)
    info = Volume(position, density, np.full(count, size), H).info
    mass = density.astype(np.float64).sum()
    centroid = (position.astype(np.float64) * density[:, None]).sum(0) / mass
    assert info.tracers == count
    assert abs(info.mass / mass - 1) <= 1e-6
    assert np.abs(np.array(info.centroid) - centroid).max() <= 1e-5 * H


def test_mass_of_a_million_tracers_in_one_voxel():
    count = 1_000_000
    position = np.tile(np.float32([0.512, 0.513, -0.517]), (count, 1))
    density = np.full(count, 0.1, np.float32)
    info = Volume(position, density, np.full(count, H), H).info
    assert abs(info.mass / (float(density[0]) * count) - 1) <= 1e-6


@pytest.mark.parametrize("place", [0.0, 0.8, -0.8, 0.75, -0.05, 0.799999, 6.4, 409.6, -409.6])
def test_a_single_tracer_at_the_border_of_leaves_and_nodes(place):
    position = np.full((1, 3), place, np.float32)
    volume = Volume(position, [2.0], [H], H)
    first, shape = box_around(position)
    expected = smooth(hat(position, np.float32([2.0]), first, shape), gaussian_taps(0.25))
    assert np.abs(volume.density(first, shape) - expected).max() <= 1e-6 * expected.max()
    assert abs(volume.info.mass / 2 - 1) <= 1e-6


def test_bounds_are_those_of_the_active_voxels():
    position, density, size = cloud(500)
    volume = Volume(position, density, size, H)
    first, shape = box_around(position)
    active = np.argwhere(volume.density(first, shape) > 0) + first
    assert np.allclose(volume.info.lower, (active.min(0) - 0.5) * H)
    assert np.allclose(volume.info.upper, (active.max(0) + 0.5) * H)


def test_tracers_far_apart_take_no_box():
    far = 8_000_000 * H
    position = np.float32([[-far, 0, 0], [far, far, -far], [0, 0, 0]])
    info = Volume(position, [1, 2, 3], [H] * 3, H, velocity=lambda x: x).info
    assert info.leaves <= 3 * 8
    assert abs(info.mass / 6 - 1) <= 1e-6


def test_no_tracers_and_no_density_make_an_empty_volume():
    empty = Volume(np.zeros((0, 3)), [], [], H, velocity=lambda x: x)
    weightless = Volume(np.zeros((5, 3)), np.zeros(5), np.full(5, H), H, velocity=lambda x: x)
    for volume in (empty, weightless):
        info = volume.info
        assert (info.leaves, info.active_voxels, info.mass) == (0, 0, 0)
        assert list(info.centroid) == list(info.lower) == list(info.upper) == [0, 0, 0]
        assert volume.calls == []
        assert (volume.density((-4, -4, -4), (8, 8, 8)) == 0).all()


def test_density_of_any_box():
    position, density, size = cloud(4_000)
    volume = Volume(position, density, size, H)
    first, shape = box_around(position, margin=20)
    everything = volume.density(first, shape)
    boxes = ((3, 5, 7), (1, 1, 1)), ((11, 0, 20), (9, 30, 17)), ((25, 25, 25), (5, 8, 2))
    for low, count in boxes:
        part = everything[tuple(slice(a, a + n) for a, n in zip(low, count))]
        assert np.array_equal(volume.density(first + low, count), part)
    assert volume.density((2**31 - 9, 0, -(2**31)), (8, 3, 5)).sum() == 0
    assert volume.density(first, (3, 0, 2)).size == 0


def test_velocity_is_asked_for_in_large_batches():
    position, density, size = cloud(150_000, spread=3.0)
    volume = Volume(position, density, size, H, velocity=lambda x: 2 * x)
    assert sum(volume.calls) > volume.info.active_voxels
    assert min(volume.calls[:-1]) > 60_000


def test_a_failing_velocity_function_ends_the_call():
    with pytest.raises(VolumeError) as error:
        Volume(*cloud(100), H, velocity=lambda x: 4)
    assert error.value.status == 4
    with pytest.raises(VolumeError, match="velocity is not finite in the 8 x 8 x 8 voxels from"):
        Volume(*cloud(100), H, velocity=lambda x: x * np.nan)


# ---- same bits ----

@pytest.mark.slow
def test_same_bits_for_any_number_of_threads():
    position, density, size = cloud(300_000, spread=2.0)
    first, shape = box_around(position)

    def values(threads):
        volume = Volume(position, density, size, H, velocity=np.sin, threads=threads)
        return volume.density(first, shape), volume.encode(), bytes(volume.info)

    expected = values(1)
    for threads in (1, 2, 3, 8, 64):
        dense, file, info = values(threads)
        assert np.array_equal(dense, expected[0])
        assert file == expected[1]
        assert info == expected[2]


@pytest.mark.slow
def test_same_bytes_from_both_backends():
    code = ("import hashlib, numpy as np, test_volume as t; "
            "v = t.Volume(*t.cloud(100_000), t.H, velocity=np.cos, threads=4); "
            "print(hashlib.sha256(v.encode()).hexdigest())")

    def digest(backend):
        environment = {**os.environ, "VORTON_BACKEND": backend,
                       "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tests", check=True,
                              text=True, capture_output=True, env=environment).stdout

    assert digest("openmp") == digest("pthread")


# ---- arguments ----

def bad(position=None, density=None, size=None, voxel_size=H, **more):
    arrays = [a.copy() for a in cloud(1000)]
    for array, change in zip(arrays, (position, density, size)):
        if change is not None:
            row, value = change
            array[row] = value
    with pytest.raises(VolumeError) as error:
        Volume(*arrays, voxel_size, **more)
    return error.value.status, str(error.value)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_named(value):
    for name in ("position", "density", "size"):
        status, message = bad(**{name: (417, value)})
        assert f"{name} of tracer row 417" in message and f"{value:g}" in message
        assert status == (INVALID_ARGUMENT if name != "position" and value < 0 else NOT_FINITE)


def test_the_first_bad_row_is_named_for_any_number_of_threads():
    position, density, size = cloud(200_000)
    position[[70_001, 150_000, 199_999]] = np.nan
    for threads in (1, 2, 8):
        with pytest.raises(VolumeError, match="row 70001 "):
            Volume(position, density, size, H, threads=threads)


@pytest.mark.parametrize("value", [1e6, -1e6, 1e30, 2.0**23 * H])
def test_a_tracer_out_of_reach_is_named(value):
    status, message = bad(position=(3, value))
    assert status == INVALID_ARGUMENT
    assert "position of tracer row 3 " in message and "2^23 voxels of 0.1 m" in message


def test_negative_amounts_are_refused():
    assert "density of tracer row 9 is -1" in bad(density=(9, -1))[1]
    assert "size of tracer row 9 is -1" in bad(size=(9, -1))[1]


def test_a_density_too_large_for_a_float_is_refused():
    status, message = bad(density=(0, 3e38))
    assert status == NOT_FINITE and "too large" in message


@pytest.mark.parametrize("more, message", [
    ({"voxel_size": 0.0}, "voxel_size is 0; allowed is 1e-09 to 1e.09 m"),
    ({"voxel_size": -1.0}, "voxel_size"),
    ({"voxel_size": np.nan}, "voxel_size is nan; allowed"),
    ({"voxel_size": np.inf}, "voxel_size"),
    ({"margin": -0.1}, "velocity_margin is -0.1; allowed is 0 to 16 voxels"),
    ({"margin": 16.1}, "velocity_margin"),
    ({"margin": np.nan}, "velocity_margin"),
    ({"threads": -1}, "threads is -1; allowed is 1 to 64, or 0"),
    ({"threads": 65}, "threads"),
])
def test_definitions_out_of_range_are_refused(more, message):
    status, text = bad(**more)
    assert status == INVALID_ARGUMENT and re.search(message, text)


def test_null_pointers_are_refused():
    assert library.vt_create_volume_from_tracers(None, None, None) == INVALID_ARGUMENT
    assert library.vt_create_volume(None, None, None) == INVALID_ARGUMENT
    assert library.vt_get_volume_info(None, None) == INVALID_ARGUMENT
    assert library.vt_volume_density(None, None, None, None) == INVALID_ARGUMENT
    assert library.vt_encode_vdb(None, None, None, None) == INVALID_ARGUMENT
    library.vt_destroy_volume(None)
    definition = definitions.default("volume")
    assert (definition.voxel_size, definition.velocity_margin) == (0, 3)
    assert (definition.threads, definition.sharp) == (0, 0)


# ---- memory ----

@pytest.mark.slow
def test_every_refused_allocation_is_reported_and_nothing_leaks(tmp_path):
    functions = ["malloc", "calloc", "realloc", "aligned_alloc"]
    sources = ["tests/c/volume_memory.c", *(f"csrc/volume/{name}.c" for name in (
        "bytes", "create", "deflate", "grown_tracers", "leaves", "prefix_code", "rasterize",
        "sharp", "smooth", "sorted_points", "tracer_source", "vdb", "vdb_leaves", "volume",
        "walled_voxels", "walls")),
        *(f"csrc/base/{name}.c" for name in ("math_double", "memory", "parallel", "reserve",
                                             "spare_memory", "status", "threads", "vec3")),
        *(f"csrc/kernels/grid/{name}.c" for name in ("half_floats", "leaf_filter")),
        *(f"csrc/animation/{name}.c" for name in ("definition", "definition_tables",
                                                  "definition_checks", "track")),
        "csrc/model/combustion.c"]
    program = tmp_path / "volume_memory"
    command = ["cc", "-std=c11", "-O1", "-g", "-fsanitize=address",
               "-fno-sanitize-recover=all", "-ffp-contract=off", "-fno-math-errno", "-Wno-psabi",
               "-pthread",
               "-Icsrc", "-Icsrc/include", "-o", str(program), *sources,
               *(f"-Wl,--wrap={name}" for name in functions)]
    command += ["-lm"]
    built = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if "cannot find" in built.stderr and "san" in built.stderr:
        pytest.skip("the compiler has no address sanitizer")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], check=False, capture_output=True, text=True,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1"})
    assert done.returncode == 0, done.stdout + done.stderr
    counts = [int(line.split()[0]) for line in done.stdout.splitlines()]
    assert len(counts) == 3 and min(counts) > 30


# ---- half floats ----

@pytest.mark.slow
@pytest.mark.parametrize("target", native.targets())
def test_half_floats_are_those_of_numpy(target):
    halve = native.load("csrc/kernels/grid/half_floats.c", target=target, code="""
        #include "kernels/grid/half_floats.h"
        float halves_of(int64_t count, const float *x, uint16_t *out)
        {
            return VT_NAME(halve)(count, x, out);
        }
        """).halves_of
    halve.restype = ctypes.c_float
    random = np.random.default_rng(5)
    bits = random.integers(0, 2**32, 4_000_000, dtype=np.uint64).astype(np.uint32)
    every_half = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32)
    with np.errstate(invalid="ignore"):
        around = [np.nextafter(every_half, np.float32(s)) for s in (-np.inf, np.inf)]
        between = (every_half[1:].astype(np.float64) + every_half[:-1]).astype(np.float32) / 2
    x = np.concatenate([bits.view(np.float32), every_half, *around, between])
    x = x[np.isfinite(x)]
    for count in [*range(40), len(x)]:
        out = np.full(count + 1, 12345, np.uint16)
        largest = halve(ctypes.c_int64(count), x.ctypes.data_as(ctypes.c_void_p),
                        out.ctypes.data_as(ctypes.c_void_p))
        with np.errstate(over="ignore"):
            expected = x[:count].astype(np.float16).view(np.uint16)
        assert np.array_equal(out, np.append(expected, np.uint16(12345)))
        assert largest == np.abs(x[:count]).max(initial=0)
