"""What a step rounds (csrc/step/rounding.h): that it does not matter."""

import numpy as np

import vorton as vt

CORE = 0.1


def ring(**method):
    """A ring; nothing has weight, so that no form of buoyancy does anything."""
    scene = vt.Scene(spacing=CORE, gravity=(0, 0, 0), method=vt.Method(halo=0, **method))
    scene.add(vt.VortexRing(radius=0.5, core=0.15, circulation=1.0))
    scene.add(vt.VortexRing(center=(0, 0, 4), radius=0.5, core=0.15, circulation=1e-3))
    return vt.Simulation(scene)


def test_velocities_are_rounded_and_the_way_hardly_bends_otherwise():
    """Against the same without: where accelerations are kept velocities have all their digits. A
    slow vorton far from fast ones keeps as many as these."""
    rounded, exact = ring(), ring(buoyancy="full")
    for sim in (rounded, exact):
        sim.advance(0.05)
    np.testing.assert_array_equal(rounded.vortons.position, exact.vortons.position)
    digits = exact.vortons.velocity.astype(float)
    multiple = 2.0 ** (np.floor(np.log2(np.abs(digits).max(axis=1))) - 10)[:, None]
    error = (rounded.vortons.velocity - digits) / multiple
    assert np.all(rounded.vortons.velocity / multiple % 1 == 0)
    assert 0.45 < np.abs(error).max() <= 0.5
    assert abs(error.mean()) < 4 / np.sqrt(12 * error.size)
    for sim in (rounded, exact):
        before = sim.vortons.position.copy()
        sim.advance(0.05)
        assert sim.health["substeps"] == 1
    apart = np.abs(rounded.vortons.position - exact.vortons.position).max()
    way = np.abs(rounded.vortons.position - before).max()
    assert way > 0.2 * CORE
    assert 0 < apart < way / 4096
