"""Velocity by the grid (VALIDATION V3, V8, V9, V10), against direct float64 sums."""

import numpy as np
import pytest

from vorton import _core


def circle(count, radius=1.0):
    """A ring one vorton thick: positions and strengths for circulation 1."""
    angle = 2 * np.pi * np.arange(count) / count
    zero = np.zeros(count)
    position = radius * np.stack([np.cos(angle), np.sin(angle), zero], axis=1)
    tangent = np.stack([-np.sin(angle), np.cos(angle), zero], axis=1)
    return position, tangent * 2 * np.pi * radius / count


def simulation_of(position, strength, core, **options):
    sim = _core.Simulation(**options)
    full = np.ones(len(position))
    sim.add_vortons(np.float32(position), np.float32(strength), core * full, core**3 * full)
    return sim


def direct(targets, positions, strengths, core):
    """Velocity by the float64 sum with one core radius for all."""
    positions = np.asarray(positions, float)
    cores = np.full(len(positions), core)
    return _core.direct_sum(
        np.asarray(targets, float), positions, np.asarray(strengths, float), cores
    )[0]


def travelled(sim, time, steps=10):
    """Mean speed of the centroid of vorticity times radius over a time."""

    def centroid():
        position = sim.column("vortons", "position").astype(float)
        strength = sim.column("vortons", "strength").astype(float)
        weight = np.cross(position, strength)[:, 2]
        return (weight * position[:, 2]).sum() / weight.sum()

    start = centroid()
    for _ in range(steps):
        sim.step(time / steps)
    return (centroid() - start) / time


@pytest.mark.parametrize("ratio, speed", [(0.10, 0.30431), (0.15, 0.27204), (0.20, 0.24915)])
def test_v3_resolved_ring(ratio, speed):
    """Speed of a ring with a Gaussian core, by the grid: Saffman's formula."""
    sim = _core.Simulation()
    sim.add_ring(core=ratio)
    assert travelled(sim, 1.0) == pytest.approx(speed, rel=0.02)


def test_v8_velocity_is_divergence_free():
    sim = _core.Simulation()
    sim.add_ring(core=0.15, wobble=0.05)
    assert sim.health()["largest_divergence"] < 1e-5


@pytest.mark.parametrize("cells", [10, 15, 20])
def test_v9_grid_route_against_direct_sum(cells):
    """A ring of 128 at six random places in its cells: speed, its spread, and its jitter."""
    spacing, offsets = 1 / cells, np.random.default_rng(3).uniform(-0.5, 0.5, (6, 3)) / cells
    position, strength = circle(128)
    core = 1.5 * spacing
    exact = direct(position, position, strength, core)[:, 2].mean()
    errors, jitters = [], []
    for offset in offsets:
        sim = simulation_of(position + offset, strength, core, spacing=spacing)
        axial = sim.velocity_at(np.float32(position + offset))[:, 2]
        errors.append(axial.mean() / exact - 1)
        jitters.append(axial.std() / exact)
    assert abs(np.mean(errors)) < 0.02
    assert np.ptp(errors) < 0.025
    assert max(jitters) < 0.03


def test_v10_lone_vorton_stays():
    spacing = 0.1
    for place in np.random.default_rng(5).uniform(-1, 1, (20, 3)):
        strength = np.array([[0.3, -0.5, 0.8]])
        sim = simulation_of(place[None], strength, 1.5 * spacing, spacing=spacing)
        speed = np.linalg.norm(sim.velocity_at(np.float32(place[None])))
        assert speed < 1e-3 * np.linalg.norm(strength) / (4 * np.pi * spacing**2)


def test_curl_of_potential_is_velocity():
    """The two grids agree with each other: u = curl A by central differences."""
    sim = _core.Simulation()
    sim.add_ring(core=0.2)
    potential, _, spacing = sim.grid("vector_potential")
    velocity, _, _ = sim.grid("velocity")

    def slope(component, axis):
        return np.gradient(potential[..., component].astype(float), spacing, axis=2 - axis)

    curl = np.stack(
        [slope(2, 1) - slope(1, 2), slope(0, 2) - slope(2, 0), slope(1, 0) - slope(0, 1)], axis=-1
    )
    inner = (slice(1, -1),) * 3
    scale = np.abs(velocity).max()
    assert np.abs(curl[inner] - velocity[inner]).max() < 1e-5 * scale


def test_far_field_outside_the_grid():
    """Points beyond the grid feel the same vortons."""
    position, strength = circle(128)
    sim = simulation_of(position, strength, 0.15, spacing=0.1)
    points = np.random.default_rng(1).normal(size=(200, 3))
    points *= (np.random.default_rng(2).uniform(2.5, 12, 200) / np.linalg.norm(points, axis=1))[
        :, None
    ]
    exact = direct(points, position, strength, 0.15)
    error = np.linalg.norm(sim.velocity_at(np.float32(points)) - exact, axis=1)
    speed = np.linalg.norm(exact, axis=1)
    near = np.linalg.norm(points, axis=1) < 4
    for group in (near, ~near):
        assert np.sqrt((error[group] ** 2).sum() / (speed[group] ** 2).sum()) < 0.01
