"""Long runs of the default method (VALIDATION 2b)."""

import numpy as np

import vorton as vt

RADIUS, CORE, LATTICE = 14.0, 5.0, 0.94  # in spacings of 1 m; peak vorticity 1/s


def thick_ring(wobble, seed):
    """A Gaussian ring on a jittered lattice, its centreline waving by modes 2 to 13.

    Positions, strengths, and the volume of each vorton. The cores of the grid are left out of the
    vorticity that is sampled.
    """
    random = np.random.default_rng(seed)
    square = CORE**2 - 2 * 1.5**2
    reach = 2.2 * np.sqrt(square)
    wide = int((RADIUS * (1 + 3 * wobble) + reach) / LATTICE) + 2
    high = int((3 * RADIUS * wobble + reach) / LATTICE) + 2
    axes = [np.arange(-n, n + 1) for n in (wide, wide, high)]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    x = LATTICE * (x + random.uniform(-0.25, 0.25, x.shape))
    angle, r = np.arctan2(x[:, 1], x[:, 0]), np.hypot(x[:, 0], x[:, 1])

    amplitude = wobble * RADIUS / np.sqrt(6)
    mode = np.arange(2, 14)[:, None]
    phase = mode * angle + random.uniform(0, 2 * np.pi, (2, len(mode), 1))
    radial, axial = amplitude * np.cos(phase).sum(axis=1)
    slopes = -amplitude * (mode * np.sin(phase)).sum(axis=1) / (RADIUS + radial)

    square_distance = (r - RADIUS - radial) ** 2 + (x[:, 2] - axial) ** 2
    vorticity = CORE**2 / square * np.exp(-square_distance / square)
    zero = np.zeros(len(x))
    along = np.stack([-x[:, 1] / r, x[:, 0] / r, zero], axis=1)
    outwards = np.stack([x[:, 0] / r, x[:, 1] / r, zero], axis=1)
    tangent = along + slopes[0][:, None] * outwards + slopes[1][:, None] * [0, 0, 1]
    inside = square_distance < reach**2
    strength = (vorticity[:, None] * tangent)[inside] * LATTICE**3
    return x[inside], strength, LATTICE**3


def shape(sim):
    """Centre, impulse of what is within two radii of it, circulation of 12 sectors."""
    x = sim.vortons.position.astype(float)
    strength = sim.vortons.strength.astype(float)
    weight = (strength**2).sum(axis=1)
    centre = (weight[:, None] * x).sum(axis=0) / weight.sum()
    near = np.abs(x[:, 2] - centre[2]) < 2 * RADIUS
    x, strength = x[near] - centre, strength[near]
    angle, r = np.arctan2(x[:, 1], x[:, 0]), np.hypot(x[:, 0], x[:, 1])
    along = strength[:, 1] * np.cos(angle) - strength[:, 0] * np.sin(angle)
    sector = ((angle / (2 * np.pi) + 0.5) * 12).astype(int) % 12
    circulation = np.bincount(sector, along / r, 12) * 12 / (2 * np.pi)
    return centre, 0.5 * np.cross(x, strength).sum(axis=0), circulation


def test_l2_thick_ring_with_a_wobble_over_eight_radii():
    """Stays one ring and keeps its speed, its way and its impulse.

    Its first eight radii; VALIDATION L2 follows it over twenty.
    """
    position, strength, volume = thick_ring(wobble=0.03, seed=7)
    sim = vt.Simulation(vt.Scene(spacing=1.0), fps=1 / 2.5)
    sim.vortons.add(position, strength, core=1.5, volume=volume)
    energy, (_, impulse, circulation) = sim.health["energy"], shape(sim)
    whole = circulation.mean()
    way, impulses = [0.0], [impulse[2]]
    while way[-1] < 8 * RADIUS:
        sim.step()
        centre, now, circulation = shape(sim)
        way.append(centre[2])
        impulses.append(now[2])
        assert sim.time < 130
        assert sim.health["energy"] < 1.02 * energy
    way = np.array(way)
    at_start, at_end = way[24] / 24, (way[-1] - way[24]) / (len(way) - 25)
    assert abs(at_end / at_start - 1) < 0.07
    assert np.hypot(*centre[:2]) < 2 * RADIUS
    assert abs(impulses[np.searchsorted(way, 6 * RADIUS)] / impulses[0] - 1) < 0.10
    assert circulation.min() > 0.85 * whole and circulation.max() < 1.1 * whole
