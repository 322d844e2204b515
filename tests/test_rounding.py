"""What a step rounds (Method.rounding, csrc/step/rounding.h): that nobody sees it."""

import numpy as np
import pytest

import vorton as vt
from vorton.archive.reading import fields_of

CORE = 0.1
LATTICE = 2.0**-13  # the power of 2 below CORE / 512


def still_air(count, wind=(0, 0, 0), **options):
    """Tracers on the lattice near the origin, where float32 knows small parts of it, and a vorton
    that makes a grid and moves nothing."""
    scene = vt.Scene(spacing=CORE, wind=wind, method=vt.Method(**options))
    sim = vt.Simulation(scene, fps=24, threads=2)
    sim.vortons.add([(0, 0, 0)], [(1e-20, 0, 0)], core=CORE, volume=1e-3)
    start = np.random.default_rng(1).integers(-8, 9, (count, 3)) * LATTICE
    sim.tracers.add(start, density=1, size=0.1)
    return sim, start


def places(sim):
    return sim.tracers.position[np.argsort(sim.tracers.id)].astype(float)


@pytest.mark.slow
def test_what_is_slow_drifts_right_in_the_mean():
    """By a ten thousandth of the lattice a frame: a tracer in fifty has moved after 200 frames."""
    way = LATTICE * np.array([1e-4, -0.5e-4, 0])
    sim, start = still_air(100_000, wind=24 * way)
    sim.step(200)
    moved = (places(sim) - start) / LATTICE
    assert np.all(moved % 1 == 0) and np.abs(moved).max() <= 2
    np.testing.assert_allclose(moved.mean(axis=0)[:2], [0.02, -0.01], rtol=0.15)
    assert np.all(moved[:, 2] == 0)
    assert abs(np.corrcoef(moved[:, 0], moved[:, 1])[0, 1]) < 0.03


def test_what_is_between_two_multiples_becomes_one_of_both_by_its_nearness():
    sim, start = still_air(0)
    rng = np.random.default_rng(2)
    points = rng.uniform(-0.5, 0.5, (50_000, 3)).astype("f")
    sim.tracers.add(points, density=1, size=0.1)
    sim.advance(1e-9)
    error = (places(sim) - points) / LATTICE
    assert np.all(places(sim) / LATTICE % 1 == 0)
    assert np.abs(error).max() < 1
    assert abs(error.mean()) < 4 * np.sqrt(1 / 6 / error.size)
    assert (error**2).mean() == pytest.approx(1 / 6, rel=0.03)  # of even rests r (1 - r)
    rest = points / LATTICE % 1
    up = np.sign(error) > 0
    for low in (0.1, 0.5, 0.8):
        near = (rest > low) & (rest < low + 0.1)
        assert up[near].mean() == pytest.approx(low + 0.05, abs=0.02)
    before = places(sim)
    sim.advance(1e-9)
    assert np.array_equal(places(sim), before)


def ring(rounding):
    scene = vt.Scene("ring", seed=1, spacing=0.08, voxel=0.04, method=vt.Method(rounding=rounding))
    scene.add(vt.VortexRing(radius=0.5, core=0.08, circulation=1.0, wobble=0.03))
    scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.1), count=2000))
    return vt.Simulation(scene, fps=24, threads=2)


def test_a_ring_goes_its_way():
    """The rounded flow is the other one, and keeps its impulse as well."""
    sims = ring(0), ring(512)
    for sim in sims:
        sim.step(24)
    before, after = (np.array(sim.health.impulse) for sim in sims)
    assert np.abs(after - before).max() < 1e-5 * np.linalg.norm(before)
    exact, rounded = (s.vortons.position[np.argsort(s.vortons.id)].astype(float) for s in sims)
    assert np.linalg.norm((rounded - exact).mean(axis=0)) < 1e-4 * 0.08
    assert np.abs(rounded - exact).max() < 0.02 * 0.08
    assert np.abs(places(sims[1]) - places(sims[0])).max() < 0.05 * 0.08
    assert np.all(rounded * 2**19 % 1 == 0) and np.any(exact * 2**19 % 1 != 0)


def test_velocities_of_vortons_keep_their_first_digits():
    sims = ring(0), ring(512)
    for sim in sims:
        sim.advance(0.01)
    exact, rounded = (s.vortons.velocity[np.argsort(s.vortons.id)].astype(float) for s in sims)
    multiple = 2.0 ** (np.floor(np.log2(np.abs(exact).max(axis=1))) - 11)[:, None]
    assert np.all(rounded / multiple % 1 == 0)
    assert 0.4 < np.abs((rounded - exact) / multiple).max() <= 0.5


def test_shares_of_tracers_that_burn_keep_their_sum():
    scene = vt.Scene(spacing=CORE, combustion=vt.Combustion())
    sim = vt.Simulation(scene)
    sim.vortons.add([(0, 0, 0)], [(1e-9, 0, 0)], core=CORE, volume=1e-3)
    rng = np.random.default_rng(5)
    given = rng.dirichlet((0.3, 0.3, 0.3), 20000).astype("f")
    given[:, 2] = np.float32(1) - given[:, 0] - given[:, 1]
    given = np.maximum(given, 0)
    sim.tracers.add(rng.uniform(-1, 1, (20000, 3)), density=1, size=0.05)
    names = ("fuel", "flame", "smoke")
    for n, name in enumerate(names):
        setattr(sim.tracers, name, given[:, n])
    sim.advance(1e-9)
    order = np.argsort(sim.tracers.id)
    found = np.stack([getattr(sim.tracers, n) for n in names], axis=1).astype(float)[order]
    assert np.all(found * 512 % 1 == 0) and found.min() >= 0
    assert found.sum(axis=1).max() <= 1
    assert np.abs(found - given).max() < 2 / 512
    assert np.all(np.abs((found - given).mean(axis=0)) < 4 / 512 / np.sqrt(3 * len(found)))


@pytest.mark.parametrize("rounding, on_lattice", [(512, True), (64, True), (0, False)])
def test_places_in_eddies(rounding, on_lattice):
    """On a 64th of a core, whatever the rounding is; with all digits at 0."""
    scene = vt.Scene(
        "stirred", seed=1, spacing=0.08, voxel=0.04, detail=3, method=vt.Method(rounding=rounding)
    )
    scene.add(vt.Emitter(vt.Torus(radius=0.5, thickness=0.1), temperature=350, core=0.08))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(2)
    lattice = 2.0 ** np.floor(np.log2(sim.vortons.core.min() / 64))
    fields = dict(fields_of(bytes(sim._core.save_state(1))))
    for name in ("tracers.eddy_place", "tracers.second_eddy_place"):
        place = fields[name][sim.tracers.age > 1.5 / 24].astype(float)
        assert len(place) > 100
        assert np.all(place / lattice % 1 == 0) == on_lattice


def test_too_few_digits_are_refused():
    for few in (1, 16, 63.9):
        with pytest.raises(ValueError, match=r"rounding = .*must be 0, or .* from 64 to 65536"):
            vt.Method(rounding=few)
    sim, _ = still_air(0)
    with pytest.raises(ValueError, match=r"rounding is 16; allowed is 0, or 64 to 65536"):
        sim._core.set_method(vt.Method().to_dict() | {"rounding": 16.0})


def test_without_a_grid_and_at_0_all_digits_stay():
    for options in ({"rounding": 0}, {"velocity": "direct"}):
        sim, _ = still_air(0, **options)
        points = np.random.default_rng(2).uniform(-0.5, 0.5, (1000, 3)).astype("f")
        sim.tracers.add(points, density=1, size=0.1)
        sim.advance(1e-9)
        assert np.abs(places(sim) - points).max() < 1e-7
