"""Sharp volumes: tracers spread as their neighbours lie, in a sheet that a flow stretches."""

import numpy as np
import pytest

import vorton as vt
from vorton import _core

H = 0.02  # voxel, m
COUNT = 2500
LINEAR = (2.0, 2.0, 0.25)  # what the flow does to lengths along x, y, z: it keeps volumes


def block(count=COUNT, seed=3):
    """Tracers anywhere in a block, and the spacing at which they are born."""
    edges = np.array([0.4, 0.4, 0.16])
    positions = (np.random.default_rng(seed).random((count, 3)) - 0.5) * edges
    return positions, (edges.prod() / count) ** (1 / 3)


def stretched(**how):
    positions, spacing = block(**how)
    return (positions * LINEAR).astype(np.float32), spacing


def volume_of(positions, spacing, sharp=True, voxel=H, **values):
    count = len(positions)
    mass = np.full(count, 1 / max(count, 1), np.float32)
    size = np.full(count, spacing, np.float32)
    values = {"density": mass, "size": size, "voxel_size": voxel, "sharp": sharp, **values}
    return _core.volume_from_tracers(position=positions, **values)


def density_of(volume, half):
    """Values of the voxels -half .. half along x, y, z."""
    half = np.array(half)
    return volume.density(tuple(-half), tuple(2 * half + 1)).transpose(2, 1, 0).astype(float)


def box_around(positions, spacing):
    return np.ceil((np.abs(positions).max(0) + 4 * spacing) / H).astype(int) + 3


def moments(density, half):
    """Mass, and the variance of density along each axis, m^2."""
    at = [H * np.arange(-n, n + 1) for n in half]
    mass = density.sum() * H**3
    along = [density.sum(tuple({0, 1, 2} - {axis})) * H**3 / mass for axis in range(3)]
    means = [(along[axis] * at[axis]).sum() for axis in range(3)]
    return mass, np.array([(along[a] * (at[a] - means[a]) ** 2).sum() for a in range(3)])


def window_weights(positions, cell):
    """Weights of all pairs in a window that is a hat of a hat: sums over nodes, axis by axis."""
    weights = np.ones((len(positions), len(positions)))
    for axis in range(3):
        x = positions[:, axis].astype(float) / cell
        nodes = np.arange(np.floor(x.min()) - 1, np.floor(x.max()) + 3)
        hats = np.maximum(1 - np.abs(x[:, None] - nodes), 0)
        weights *= hats @ hats.T
    return weights


def expected_spread(positions, spacing):
    """Mean covariance of the points of a tracer, by the definition, from all pairs."""
    cell, prior = 4 * spacing, 0.25
    weights = window_weights(positions, cell)
    x = positions.astype(float)
    count = weights.sum(1)
    mean = weights @ x / count[:, None]
    spread = np.zeros((3, 3))
    for i in range(len(x)):
        apart = x - mean[i]
        around = (weights[i, :, None] * apart).T @ apart + prior * spacing**2 * np.eye(3)
        spread += around / (count[i] + prior) * min(0.25, 3 / count[i])
    return spread / len(x)


def test_mass_is_kept_and_the_sheet_is_as_thin_as_the_flow_makes_it():
    for positions, spacing in (stretched(), block()):
        positions = positions.astype(np.float32)
        half = box_around(positions, spacing)
        volume = volume_of(positions, spacing)
        mass, variance = moments(density_of(volume, half), half)
        assert mass == pytest.approx(1, abs=1e-5)
        own = positions.astype(float).var(0)
        # The hat of a point between two voxels adds f (1 - f) voxels^2, in the mean 1/6 +- .075 /
        # sqrt(points); the filter adds 1/12.
        wanted = own + np.diag(expected_spread(positions, spacing)) + H**2 / 4
        slack = 5 * 0.075 / np.sqrt(16 * len(positions)) * H**2
        # and that of tracer with spread is not 0 in a sample: but the points of each have mean 0
        assert np.abs(variance - wanted).max() < slack + 1e-5 * variance.max()
        # by its definition the spread is at most a quarter of what lies around, and of the prior
        most = 0.25 * own[2] + 0.25 * 0.25 * spacing**2
        assert 0 < wanted[2] - own[2] - H**2 / 4 < most


def exact_density(half):
    """Of the stretched block: 1 / its volume inside, 0 outside, and the share of voxels across."""
    edges = np.array([0.4, 0.4, 0.16]) * LINEAR
    exact = 1.0
    for axis in range(3):
        at = H * np.arange(-half[axis], half[axis] + 1)
        inside = np.clip((edges[axis] / 2 - np.abs(at)) / H + 0.5, 0, 1)
        exact = np.multiply.outer(exact, inside / edges[axis])
    assert exact.sum() * H**3 == pytest.approx(1, abs=1e-12)
    return exact


def rms_error(count, sharp):
    positions, spacing = stretched(count=count)
    half = box_around(positions, spacing)
    return np.sqrt(
        ((density_of(volume_of(positions, spacing, sharp), half) - exact_density(half)) ** 2).sum()
    )


@pytest.mark.parametrize("count", [750, 1500, 3000])
def test_a_sheet_is_nearer_to_the_exact_one_than_with_twice_the_tracers(count):
    """0.2 to 0.75 tracers in a voxel of the sheet."""
    assert rms_error(count, True) < rms_error(2 * count, False) < rms_error(count, False)


def test_a_lone_tracer_is_round_and_a_pair_is_no_needle():
    one = np.zeros((1, 3), np.float32)
    half = (14, 14, 14)
    _, variance = moments(density_of(volume_of(one, 4 * H), half), half)
    assert variance.max() < 1.05 * variance.min()
    assert variance.min() > (0.2 * 4 * H) ** 2
    two = np.array([[-0.5, 0, 0], [0.5, 0, 0]], np.float32) * 4 * H
    _, variance = moments(density_of(volume_of(two, 4 * H), half), half)
    assert min(variance[1:]) > (0.1 * 4 * H) ** 2


def test_fields_stay_means():
    """A temperature that all tracers have is that of all voxels."""
    positions, spacing = stretched()
    warm = np.full(len(positions), 700, np.float32)
    half = box_around(positions, spacing)
    volume = volume_of(positions, spacing, temperature=warm, ambient_temperature=300.0)
    values = volume.values("temperature", tuple(-half), tuple(2 * half + 1)).transpose(2, 1, 0)
    inside = density_of(volume, half) > 1e-3
    assert inside.sum() > 1000
    assert np.abs(values[inside] - 700).max() < 700 * 1e-5


@pytest.mark.slow
def test_e1_same_bits_for_any_number_of_threads():
    random = np.random.default_rng(1)
    positions = random.normal(0, 0.2, (70_000, 3)).astype(np.float32)  # more than one chunk
    first = volume_of(positions, 0.01, threads=1).encode_vdb(compress=False)
    for threads in (2, 3, 8):
        assert volume_of(positions, 0.01, threads=threads).encode_vdb(compress=False) == first
    assert volume_of(positions, 0.01, False).encode_vdb(compress=False) != first


def test_extremes():
    """All in one place, sizes of nothing, far apart, none at all."""
    one_place = np.zeros((1000, 3), np.float32)
    for spacing in (0.0, 1e-6, H, 1e3 * H):
        info = volume_of(one_place, spacing).info()
        assert info["mass"] == pytest.approx(1, abs=1e-4)
    far = np.array([[-1e4, 0, 0], [1e4, 0, 0]], np.float32)
    assert volume_of(far, H).info()["mass"] == pytest.approx(1, abs=1e-4)
    assert volume_of(np.zeros((0, 3), np.float32), H).info()["active_voxels"] == 0
    bad = np.array([[0, 0, 0], [0, np.nan, 0]], np.float32)
    with pytest.raises(ValueError, match="position must be finite"):
        volume_of(bad, H)
    with pytest.raises(ValueError, match="tracer row 0 is -1"):
        volume_of(one_place, -1.0)
    with pytest.raises(ValueError, match="size must be finite"):
        volume_of(one_place, np.nan)


def test_a_simulation_makes_sharp_volumes():
    scene = vt.Scene("sheet", voxel=H)
    scene.add(vt.Tracers(vt.Box((-0.2, -0.2, 0), (0.2, 0.2, 0.02)), per_voxel=0.5))
    sim = vt.Simulation(scene)
    plain, sharp = sim.volume(), sim.volume(sharp=True)
    assert sharp.info()["mass"] == pytest.approx(plain.info()["mass"], rel=1e-4)
    assert sharp.encode_vdb() != plain.encode_vdb()
    with pytest.raises(TypeError, match="sharp"):
        sim.volume(sharp=1)


def test_sharp_says_how_far_it_reaches():
    """Its own cells are finer than the voxels where tracers are."""
    position = np.array([[0, 0, 0], [9e3, 0, 0]], np.float32)
    values = {"density": np.ones(2), "size": np.full(2, 1e-3), "voxel_size": 8e-3}
    assert (
        _core.volume_from_tracers(position=position, sharp=False, **values).info()["active_voxels"]
        > 0
    )
    words = r"row 1 is \(9000, 0, 0\) m, but sharp reaches 8388.61 m .* tracers are 0.002 m apart"
    with pytest.raises(ValueError, match=words):
        _core.volume_from_tracers(position=position, sharp=True, **values)
    with pytest.raises(ValueError, match="more than 2.23 voxels of 0.008 m"):
        _core.volume_from_tracers(position=10 * position, sharp=True, **values)
