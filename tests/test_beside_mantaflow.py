"""What beside_mantaflow.py measures, on fields whose measures are known."""

import beside_mantaflow as beside
import numpy as np
import pytest
from marks import slow_but
from scipy.ndimage import gaussian_filter, map_coordinates

AXES = [beside.LOW[a] + (np.arange(beside.COUNT[a]) + 0.5) * beside.GRID for a in range(3)]


def test_between_rows_as_scipy_does_it():
    random = np.random.default_rng(1)
    rows, places = random.normal(size=(7, 3)), random.uniform(-2, 8, 40)
    at = np.meshgrid(places, np.arange(3), indexing="ij")
    exact = map_coordinates(rows, at, order=1, mode="grid-constant")
    assert beside.between(rows, places) == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize("staggered", slow_but([True], [False, True]))
def test_fields_lie_where_their_files_say(staggered):
    """A linear field of either kind of file comes out as it is, in m/s."""
    plume = object.__new__(beside.Plume)
    width, low, speed = np.full(3, 0.05), np.array([-17, -18, -6]), 2.0
    corner = np.array([0.01, 0.02, 0.03])
    plume.staggered, plume.speed = staggered, np.full(3, speed)
    plume.voxel, plume.first = {"velocity": width}, {"velocity": corner + width / 2}
    values = np.zeros((38, 38, 46, 3), np.float32)
    for a in range(3):
        shape = [1, 1, 1]
        shape[a] = -1
        shift = 0.0 if staggered else 0.5  # of component a along a: faces, or centres
        place = corner[a] + (low[a] + np.arange(values.shape[a]) + shift) * width[a]
        values[..., a] = place.reshape(shape)
    plume.arrays = {"velocity": values, "low_velocity": low}
    found = plume.velocity()
    for a in range(3):
        line = np.moveaxis(found[..., a], a, 0)[:, 80, 80]
        assert line == pytest.approx(speed * AXES[a], abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("length, share", [(0.08, 1.0), (0.2, 0.0), (0.04, 0.0)])
def test_flow_detail_is_the_vorticity_of_waves_of_that_length(length, share):
    """But for some percent of others, which the edge of the smoke cuts off."""
    density = np.zeros(beside.COUNT, np.float32)
    density[40:120, 40:120, 40:160] = 1
    velocity = np.zeros((*beside.COUNT, 3), np.float32)
    velocity[..., 0] = 0.3 * np.sin(2 * np.pi * AXES[2] / length)
    slope = 0.3 * np.sin(2 * np.pi * beside.GRID / length) / beside.GRID  # central differences
    found = beside.flow_detail(density, velocity) / (slope**2 / 2)
    assert found == pytest.approx(share, abs=0.03)


@pytest.mark.slow
def test_blobs_in_a_cubic_metre():
    """27 of them in a soft cloud: with these widths each stands out by .1, the cloud nowhere."""
    x, y, z = np.meshgrid(*AXES, indexing="ij", sparse=True)
    density = np.exp(-(x**2 + y**2 + (z - 0.8) ** 2) / 0.4**2)
    points = np.zeros(beside.COUNT)
    points[60:101:20, 60:101:20, 80:121:20] = 0.6 * (2 * np.pi) ** 1.5 * 1.5**3
    density += gaussian_filter(points, 1.5)
    radius = 0.4 * np.log(10) ** 0.5  # where the cloud is a tenth
    assert beside.count_blobs(density) == pytest.approx(27 / (4 / 3 * np.pi * radius**3), rel=0.02)


def test_growth_is_the_power_of_one_over_the_width():
    records = {
        f"case{width}": {"width": width, "cpu": 3 * width**-3, "detail": width**-2, "blobs": 7.0}
        for width in (0.04, 0.02, 0.015)
    }
    powers = beside.growth(records, [*records, "missing"])
    assert powers == pytest.approx({"cpu": 3, "detail": 2, "blobs": 0}, abs=1e-9)
    assert beside.growth(records, ["case0.04"]) is None
