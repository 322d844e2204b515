"""What a step rounds (csrc/step/rounding.h): that it does not matter."""

import numpy as np

import vorton as vt

CORE = 0.1


def ring(**method):
    """A ring; nothing has weight, so that no form of buoyancy does anything."""
    scene = vt.Scene(spacing=CORE, gravity=(0, 0, 0), method=vt.Method(halo=0, **method))
    scene.add(vt.VortexRing(radius=0.5, core=0.15, circulation=1.0))
    return vt.Simulation(scene)


def lattice_of(values):
    """The widest lattice of powers of 2 that all of them lie on."""
    values = np.abs(values[values != 0]).astype(float)
    fraction, exponent = np.frexp(values)
    whole = (fraction * 2**24).astype(np.int64)
    return float((2.0 ** (exponent - 24) * (whole & -whole)).min())


def test_velocities_are_rounded_and_the_way_hardly_bends_otherwise():
    """Against the same without: where accelerations are kept velocities have all their digits."""
    rounded, exact = ring(), ring(buoyancy="full")
    for sim in (rounded, exact):
        sim.advance(0.05)
    np.testing.assert_array_equal(rounded.vortons.position, exact.vortons.position)
    error = rounded.vortons.velocity.astype(float) - exact.vortons.velocity
    lattice = lattice_of(rounded.vortons.velocity)
    assert lattice_of(exact.vortons.velocity) < lattice / 1000
    assert lattice / 5 < np.abs(error).max() <= lattice / 2
    assert abs(error.mean()) < 4 * lattice / np.sqrt(12 * error.size)
    for sim in (rounded, exact):
        before = sim.vortons.position.copy()
        sim.advance(0.05)
        assert sim.health["substeps"] == 1
    apart = np.abs(rounded.vortons.position - exact.vortons.position).max()
    assert 0 < apart < 1e-3 * CORE
    assert np.abs(rounded.vortons.position - before).max() > 0.2 * CORE


def test_shares_of_tracers_keep_their_sum():
    scene = vt.Scene(spacing=CORE, combustion=vt.Combustion())
    sim = vt.Simulation(scene)
    rng = np.random.default_rng(5)
    shares = rng.dirichlet((0.3, 0.3, 0.3), 20000).astype("f")
    shares[:, 2] = np.float32(1) - shares[:, 0] - shares[:, 1]
    shares = np.maximum(shares, 0)
    sim.tracers.add(rng.uniform(-1, 1, (20000, 3)), density=1, size=0.05)
    for column in range(3):
        getattr(sim.tracers, ("fuel", "flame", "smoke")[column])[:] = shares[:, column]
    sim.advance(1e-9)
    found = np.stack([sim.tracers.fuel, sim.tracers.flame, sim.tracers.smoke], 1).astype(float)
    order = np.argsort(sim.tracers.id)
    error = found[order] - shares
    assert np.all(found * 2**21 % 1 == 0) and found.min() >= 0
    assert found.sum(axis=1).max() <= 1
    assert 2**-23 < np.abs(error).max() <= 2**-21
    assert np.all(np.abs(error.mean(axis=0)) < 4 * 2**-21 / np.sqrt(6 * len(error)))
