"""What sim.health says of a flow: integrals in closed form and sums by NumPy."""

import numpy as np
import pytest
from differences import curl

import vorton as vt

WIDTH = 1.0  # b of the vector potential exp(-r^2 / b^2) e_z, m


def smooth_field(spacing, core):
    """Vortons on a lattice whose field, with Gaussian cores, is that of exp(-r^2 / b^2) e_z (V4).

    A Gaussian of variance core^2 widens one of narrower width a to b and lowers it by (a / b)^3.
    Returns positions, strengths and a.
    """
    narrow = np.sqrt(WIDTH**2 - 2 * core**2)
    count = int(3.2 * WIDTH / spacing) + 1
    axis = spacing * (np.arange(-count, count + 1) + 0.13)
    x, y, z = (a.ravel() for a in np.meshgrid(axis, axis, axis, indexing="ij"))
    height = (WIDTH / narrow) ** 3 * np.exp(-(x**2 + y**2 + z**2) / narrow**2)
    curl = np.stack(
        [
            4 * x * z / narrow**4,
            4 * y * z / narrow**4,
            4 / narrow**2 * (1 - (x**2 + y**2) / narrow**2),
        ],
        axis=1,
    )
    position = np.stack([x, y, z], axis=1)
    near = (position**2).sum(axis=1) < (3.2 * WIDTH) ** 2
    return position[near], (height[:, None] * curl * spacing**3)[near], narrow


def simulation_of(position, strength, spacing, **method):
    sim = vt.Simulation(spacing=spacing, method=vt.Method(**method), threads=1)
    sim.vortons.add(position, strength, core=1.5 * spacing, volume=spacing**3)
    return sim


def test_energy_and_enstrophy_of_a_smooth_field():
    """1/2 integral u^2 = (pi/2)^1.5 b and 1/2 integral omega^2 = 5 (pi/2)^1.5 / b, order 2."""
    errors = []
    for spacing in (WIDTH / 4, WIDTH / 6, WIDTH / 9):
        position, strength, _ = smooth_field(spacing, 1.5 * spacing)
        health = simulation_of(position, strength, spacing).health
        exact = (np.pi / 2) ** 1.5 * WIDTH
        errors.append([health.energy / exact - 1, health.enstrophy * WIDTH**2 / (5 * exact) - 1])
    errors = np.abs(errors)
    assert (errors[-1] < 0.04).all()
    assert (np.log(errors[0] / errors[-1]) / np.log(9 / 4) > 1.6).all()


@pytest.mark.slow
def test_enstrophy_is_that_of_the_curl_of_the_velocity():
    """Of differences as good as those of the solver."""
    spacing = WIDTH / 9
    position, strength, _ = smooth_field(spacing, 1.5 * spacing)
    sim = simulation_of(position, strength, spacing)
    vorticity = curl(sim.grids.velocity, sim.grids.spacing)
    enstrophy = 0.5 * (vorticity**2).sum() * sim.grids.spacing**3
    assert sim.health.enstrophy == pytest.approx(enstrophy, rel=0.005)


def test_enstrophy_of_a_rough_field():
    """Minus the 7-point Laplacian of the vector potential, summed by NumPy."""
    random = np.random.default_rng(4)
    spacing, position = 0.1, random.uniform(-1, 1, (4000, 3)) * [1.0, 0.8, 0.6]
    sim = simulation_of(position, random.normal(size=(4000, 3)), spacing, order="second")
    potential = sim.grids.vector_potential.astype(float)
    inner = (slice(1, -1),) * 3
    vorticity = 6 * potential[inner]
    for axis in range(3):
        vorticity -= np.roll(potential, 1, axis)[inner] + np.roll(potential, -1, axis)[inner]
    vorticity /= sim.grids.spacing**2
    enstrophy = 0.5 * (vorticity**2).sum() * sim.grids.spacing**3
    assert sim.health.enstrophy == pytest.approx(enstrophy, rel=1e-4)


def test_noise_of_a_smooth_field():
    """The narrower Gaussian that the vortons carry has (b / a)^7 times the enstrophy."""
    spacing = WIDTH / 9
    position, strength, narrow = smooth_field(spacing, 1.5 * spacing)
    health = simulation_of(position, strength, spacing).health
    carried = 0.5 * (np.float32(strength).astype(float) ** 2).sum() / spacing**3
    assert health.noise * health.enstrophy == pytest.approx(carried, rel=1e-6)
    assert health.noise == pytest.approx((WIDTH / narrow) ** 7, rel=0.04)


def test_noise_that_the_grid_does_not_see():
    """Strengths that alternate from vorton to vorton: the grid stays, noise says how much it is."""
    spacing = WIDTH / 6
    position, strength, _ = smooth_field(spacing, 1.5 * spacing)
    clean = simulation_of(position, strength, spacing).health
    parity = 1 - 2 * (np.rint(position / spacing - 0.13).sum(axis=1) % 2)
    added = 5 * np.sqrt((strength**2).sum(axis=1).mean()) * parity[:, None] * [1.0, 0, 0]
    dirty = simulation_of(position, strength + added, spacing).health
    assert dirty.enstrophy == pytest.approx(clean.enstrophy, rel=0.02)
    carried = 0.5 * ((strength + added) ** 2).sum() / spacing**3
    assert dirty.noise == pytest.approx(carried / dirty.enstrophy, rel=1e-5)
    assert clean.noise < 2 and dirty.noise > 20


@pytest.mark.slow
def test_strength_over_what_the_grid_resolves():
    """Of the narrower Gaussian that the vortons carry and of the field, whose |curl| both are
    integrated by NumPy, and with noise the sum over the vortons."""
    spacing = WIDTH / 9
    position, strength, _ = smooth_field(spacing, 1.5 * spacing)
    sim = simulation_of(position, strength, spacing)
    x, y, z = position.T
    bell = np.exp(-(position**2).sum(axis=1) / WIDTH**2)
    omega = 4 * np.stack([x * z, y * z, 1 - x**2 - y**2], axis=1) * bell[:, None]  # width 1
    size = np.linalg.norm(np.float32(strength).astype(float), axis=1).sum()
    exact = size / (spacing**3 * np.linalg.norm(omega, axis=1).sum())
    assert sim.health.strength_excess == pytest.approx(exact, rel=0.02) and exact > 1.05
    parity = 1 - 2 * (np.rint(position / spacing - 0.13).sum(axis=1) % 2)
    noise = 5 * np.sqrt((strength**2).sum(axis=1).mean()) * parity[:, None] * [1.0, 0, 0]
    size = np.linalg.norm(np.float32(strength + noise).astype(float), axis=1).sum()
    dirty = simulation_of(position, strength + noise, spacing).health.strength_excess
    exact = size / (spacing**3 * np.linalg.norm(omega, axis=1).sum())
    assert dirty == pytest.approx(exact, rel=0.05) and dirty > 3


@pytest.mark.parametrize("apart", [1.0, 1.5, 2.0, 4.0])
def test_share_of_the_vorticity_that_is_a_vortons_own(apart):
    """On a line of Gaussian cores: 1 over the sum over all of exp(-(n apart)^2 / 2)."""
    core = 0.15
    z = apart * core * np.arange(-30, 31)
    position = np.stack([0.03 + 0 * z, 0.02 + 0 * z, z + 0.01], axis=1)
    sim = simulation_of(position, [0, 0, 1] * np.ones((len(z), 1)), core / 1.5)
    exact = 1 / np.exp(-((apart * np.arange(-30, 31)) ** 2) / 2).sum()
    assert sim.health.own_vorticity == pytest.approx(exact, rel=0.1)


def test_a_flow_without_vortons_has_no_enstrophy():
    health = vt.Simulation().health
    assert (health.energy, health.enstrophy, health.noise) == (0, 0, 0)


def ring_far_away(distance):
    """How far a ring flies in a second, and what health says of it."""
    center = distance * np.array([1, 1 / 3, 1 / 7])
    scene = vt.Scene("far")
    scene.add(vt.VortexRing(center=center, radius=0.5, core=0.1))
    sim = vt.Simulation(scene, fps=24, threads=1)
    start = sim.vortons.position.astype(float).mean(axis=0)
    sim.step(24)
    position = sim.vortons.position
    health = sim.health
    gap = np.spacing(np.abs(position).max())
    assert health.rounding == pytest.approx(gap / health.spacing, rel=0.01)
    return (position.astype(float).mean(axis=0) - start)[2], health.rounding


@pytest.mark.slow
def test_rounding_tells_where_a_scene_lies_too_far_from_the_origin():
    way = ring_far_away(0)[0]
    assert way > 0.4
    near, far = ring_far_away(2e4), ring_far_away(8e5)
    assert near[1] < 0.1 and near[0] == pytest.approx(way, rel=0.01)
    assert far[1] > 0.1 and abs(far[0] - way) > 0.1 * way
    assert vt.Simulation().health.rounding == 0


@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_what_only_a_grid_gives_is_not_known_without_one(velocity):
    scene = vt.Scene()
    scene.add(vt.VortexRing(radius=0.5, core=0.1))
    sim = vt.Simulation(scene, threads=1)
    with_grid = sim.health
    sim.method = sim.method.replace(velocity=velocity)
    without = sim.health
    unknown = {name for name in without if np.isnan(np.asarray(without[name], float)).any()}
    assert unknown == {
        "energy",
        "enstrophy",
        "largest_divergence",
        "vorticity_divergence",
        "noise",
        "poisson_residual",
        "strength_excess",
        "own_vorticity",
    }
    assert all(with_grid[name] > 0 for name in unknown)
