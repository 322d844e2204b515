"""Fuel, flame and smoke: what vortons carry and tracers take (VALIDATION H5, H6 and the books)."""

import numpy as np
import pytest

import vorton as vt
from vorton import _core

AMBIENT = 293.15
SHARES = ("fuel", "flame", "smoke")


def lattice(count=8, h=0.5):
    """Vortons on a jittered lattice of count^3 places, h apart."""
    index = np.stack(np.meshgrid(*3 * [np.arange(count)], indexing="ij"), axis=-1).reshape(-1, 3)
    rng = np.random.default_rng(2)
    return h * (index - (count - 1) / 2 + rng.uniform(-0.3, 0.3, index.shape)), h**3


# ---- the columns ----


def test_shares_are_there_when_somebody_asks():
    sim = vt.Simulation()
    x, volume = lattice(3)
    sim.vortons.add(x, 0 * x, core=0.5, volume=volume, fuel=0.25, smoke=np.linspace(0, 0.5, 27))
    sim.tracers.add(x, density=1.0, size=0.1)
    assert np.all(sim.vortons.fuel == 0.25) and np.all(sim.vortons.flame == 0)
    assert np.all(sim.vortons.smoke == np.linspace(0, 0.5, 27, dtype=np.float32))
    assert not any(getattr(sim.tracers, name).flags.writeable for name in SHARES)
    sim.vortons.add(x, 0 * x, core=0.5, volume=volume)
    assert np.all(sim.vortons.fuel[27:] == 0) and sim.vortons.fuel[:27].min() == 0.25


def test_tracers_take_the_mean_of_the_vortons_around_them():
    """Against the definition: trilinear sums at the nodes, weighted by volume, interpolated."""
    sim = vt.Simulation(vt.Scene(spacing=0.5, gravity=(0, 0, 0)), threads=1)
    x, volume = lattice()
    rng = np.random.default_rng(3)
    volumes = volume * rng.uniform(0.5, 2, len(x))
    carried = {name: rng.uniform(0, 0.3, len(x)) for name in SHARES}
    carried["temperature"] = rng.uniform(300, 900, len(x))
    spin = 1e-6 * rng.normal(size=x.shape)
    sim.vortons.add(x, spin, core=0.75, volume=volumes, **carried)
    points = rng.uniform(-3.5, 3.5, (2000, 3))
    sim.tracers.add(points, density=1.0, size=0.1)
    _ = [getattr(sim.tracers, name) for name in carried]
    sim.step()  # nothing moves far
    origin, h = np.array(sim.grids.origin), sim.grids.spacing
    nodes = sim.grids.velocity.shape[2::-1]

    def corners(places):
        cell, share = np.divmod((places - origin) / h, 1)
        cell = np.clip(cell.astype(int), 0, np.array(nodes) - 2)
        for corner in np.ndindex(2, 2, 2):
            weight = np.prod(np.where(corner, share, 1 - share), axis=1)
            yield tuple((cell + corner).T), weight

    reached = np.zeros(nodes)
    for at, weight in corners(sim.vortons.position.astype(float)):
        np.add.at(reached, at, weight * sim.vortons.volume)
    for name in carried:
        ambient = AMBIENT if name == "temperature" else 0.0
        total = np.zeros(nodes)
        for at, weight in corners(sim.vortons.position.astype(float)):
            value = getattr(sim.vortons, name) - ambient
            np.add.at(total, at, weight * sim.vortons.volume * value)
        mean = np.where(reached > 0, total / np.where(reached > 0, reached, 1), 0)
        here = sim.tracers.position.astype(float)
        inside = np.all((here > origin) & (here < origin + h * (np.array(nodes) - 1)), axis=1)
        taken = sum(weight * mean[at] for at, weight in corners(here)) * inside + ambient
        assert inside.sum() > 1500
        scale = np.abs(taken - ambient).max()
        np.testing.assert_allclose(getattr(sim.tracers, name), taken, atol=1e-4 * scale)


def test_tracers_take_what_is_the_same_everywhere_as_it_is():
    sim = vt.Simulation(threads=1)
    x, volume = lattice()
    sim.vortons.add(x, 0 * x, core=0.75, volume=volume, fuel=0.3, flame=0.2, smoke=0.1)
    sim.tracers.add(0.2 * x, density=1.0, size=0.1)
    sim.tracers.add([[50.0, 0, 0]], density=1.0, size=0.1)
    for name, share in zip(SHARES, (0.3, 0.2, 0.1), strict=True):
        np.testing.assert_allclose(getattr(sim.tracers, name)[:-1], share, rtol=2e-6)
        assert getattr(sim.tracers, name)[-1] == 0


def test_halves_and_sums_keep_the_shares():
    def one(**method):
        sim = _core.Simulation(threads=1, method={"stretching": "none", "halo": 0, **method})
        s = [[0, 0, 1e-6], [0, 0, 1e-9], [1e-6, 0, 0]]
        x = [[0, 0, 0], [0.02, 0, 0], [0, 0, 0.5]]
        sim.add_vortons(x, s, np.full(3, 0.1), np.float32([1e-3, 3e-3, 1e-3]))
        for n, name in enumerate(SHARES):
            sim.column("vortons", name)[:] = np.array([0.1, 0.3, 0]) / (n + 1)
        return sim

    merged, halved = one(merge=1), one(split=1.5)
    merged.step(1e-6)
    halved.column("vortons", "strength")[0] *= 2
    halved.step(1e-6)
    for n, name in enumerate(SHARES):
        sums = merged.column("vortons", name)
        assert sorted(sums) == pytest.approx([0, 0.25 / (n + 1)])
        halves = sorted(halved.column("vortons", name))
        assert halves == pytest.approx(sorted(np.array([0.1, 0.1, 0.3, 0]) / (n + 1)))


def test_weak_vortons_with_fuel_or_smoke_are_kept():
    for name in SHARES:
        sim = vt.Simulation(method=vt.Method(prune=0.5, halo=0), threads=1)
        strength = np.zeros((3, 3))
        strength[:, 0] = 1, 1e-3, 1e-3
        x = np.diag([1.0, 0.2, 0.3])
        sim.vortons.add(x, strength, core=0.1, volume=1e-3, **{name: [0.5, 0.5, 0]})
        sim.step()
        assert sim.vortons.count == 2 and getattr(sim.vortons, name).min() == 0.5


def test_bad_shares_are_refused():
    sim = vt.Simulation()
    one = np.zeros((2, 3))
    for name in SHARES:
        for bad in (-0.1, 1.1, np.nan):
            with pytest.raises(ValueError, match=f"{name} has .* in row 0; allowed are 0 to 1"):
                sim.vortons.add(one, one, core=0.1, volume=1e-3, **{name: bad})
    with pytest.raises(ValueError, match=r"fuel \+ flame \+ smoke is 1.2 in row 1"):
        sim.vortons.add(one, one, core=0.1, volume=1e-3, fuel=0.6, smoke=[0.2, 0.6])
    assert sim.vortons.count == 0
    sim.vortons.add(one, one, core=0.1, volume=1e-3, fuel=0.6, smoke=0.4)
    sim.vortons.flame[1] = 0.01
    with pytest.raises(ValueError, match=r"fuel \+ flame \+ smoke is 1.01 in row 1 \(id 1\)"):
        sim.step()
    sim.vortons.flame[1] = 0
    sim.step()
