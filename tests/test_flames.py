"""Tracers that burn by themselves, as air mixes in; fuel that tapers and flickers at its source."""

import functools

import numpy as np
import pytest
from test_combustion import chain as chain_of_rates

import vorton as vt
from vorton.bakes.report import FEW_TRACERS

RATE, FLAME_RATE, SOOT = 10.0, 8.0, 0.6
STILL = {"heat": 0.0, "radiation": 0.0, "mixing": 0.0}
LAW = {"rate": RATE, "flame_time": 1 / FLAME_RATE, "soot": SOOT}


def chain(k, start, time):
    return chain_of_rates(k, FLAME_RATE, SOOT, start, time)


def still_fire(fuel, temperature=900.0, count=9, h=0.1, **tracers):
    """Vortons at rest that fill a cube with fuel, and tracers: one in it, one far from it."""
    burns, exact = vt.Combustion(**LAW, **STILL), vt.Method(rounding=0)
    scene = vt.Scene(gravity=(0, 0, 0), combustion=burns, method=exact)
    sim = vt.Simulation(scene, fps=20, threads=1)
    index = np.stack(np.meshgrid(*3 * [np.arange(count)]), axis=-1).reshape(-1, 3)
    x = h * (index - count // 2)
    carried = {"fuel": fuel, "temperature": temperature}
    sim.vortons.add(x, 0.0 * x, core=1.5 * h, volume=h**3, **carried)
    sim.tracers.add([[0.02, 0.01, -0.03], [5.0, 0, 0]], density=1.0, size=0.1)
    return sim


def shares(sim, row=0):
    order = np.argsort(sim.tracers.id)
    names = ("fuel", "flame", "smoke")
    return np.array([getattr(sim.tracers, name)[order][row] for name in names], float)


@pytest.mark.parametrize("mixture", [0.25, 0.6, 0.9])
@pytest.mark.parametrize("substeps", [1, 7])
def test_tracers_burn_as_fast_as_they_find_air(mixture, substeps):
    """Against the exact chain at the rate (1 - Z) k, in any number of steps."""
    sim = still_fire(mixture)
    sim.advance(0.01)
    first = shares(sim)
    np.testing.assert_allclose(first, chain(RATE, [mixture, 0, 0], 0.01), atol=1e-6)
    for _ in range(substeps):
        sim.advance(0.3 / substeps)
    exact = chain(RATE * (1 - mixture), first, 0.3)
    np.testing.assert_allclose(shares(sim), exact, atol=1e-6)
    assert np.all(shares(sim, 1) == 0)


def test_fuel_in_its_own_midst_burns_slowly_and_cold_fuel_not():
    sim = still_fire(1.0)
    sim.advance(0.01)
    first = shares(sim)
    sim.advance(0.4)
    np.testing.assert_allclose(shares(sim), chain(0.05 * RATE, first, 0.4), atol=1e-6)
    cold = still_fire(0.5, temperature=450.0)
    cold.advance(0.2)
    cold.advance(0.2)
    np.testing.assert_allclose(shares(cold), [0.5, 0, 0], atol=1e-6)


def test_tracers_burn_no_longer_than_they_have_lived():
    sim = still_fire(0.5)
    sim.advance(0.1)
    before = shares(sim)
    sim.tracers.age[:] = -0.07  # 30 ms old after the next step
    sim.advance(0.1)
    np.testing.assert_allclose(shares(sim), chain(0.5 * RATE, before, 0.03), atol=1e-6)


def campfire(**emitter):
    scene = vt.Scene(seed=3, combustion=vt.Combustion(), voxel=0.05)
    disk = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
    values = {"temperature": 700, "fuel": 1.0, "renew": 4, "core": 0.08, "lifetime": 1.0}
    scene.add(vt.Emitter(disk, **values | emitter))
    return vt.Simulation(scene, fps=24, threads=1)


def test_shares_of_tracers_do_not_depend_on_who_looks():
    """Also volumes asked for late, or often, are the same."""
    looked, blind = campfire(swirl=0.5), campfire(swirl=0.5)
    for _ in range(10):
        looked.step()
        _ = looked.tracers.fuel, looked.tracers.temperature, looked.volume(0.05)
    blind.step(10)
    for name in looked.tracers._columns:
        assert np.array_equal(getattr(looked.tracers, name), getattr(blind.tracers, name)), name
    fuel, flame, smoke = (getattr(blind.tracers, n) for n in ("fuel", "flame", "smoke"))
    assert min(fuel.min(), flame.min(), smoke.min()) >= 0
    assert (fuel + flame + smoke).max() <= 1 + 1e-6
    assert fuel.max() > 0.5 and flame.max() > 0.2 and smoke.max() > 0.2


@pytest.mark.slow
def test_flames_are_thinner_than_the_vortons():
    """In the fire tracers side by side differ more than the mean that they would take."""
    own = campfire(swirl=0.5)
    mean_scene = vt.Scene(
        seed=3, combustion=vt.Combustion(), voxel=0.05, method=vt.Method(flames="mean")
    )
    mean_scene.add(own.scene.sources[0])
    mean = vt.Simulation(mean_scene, fps=24, threads=1)
    own.step(18)
    mean.step(18)
    assert np.array_equal(own.vortons.position, mean.vortons.position)
    assert own.tracers.count == mean.tracers.count

    def difference_of_neighbours(sim):
        from scipy.spatial import cKDTree

        tree = cKDTree(sim.tracers.position.astype(float))
        distance, other = tree.query(tree.data, k=2)
        near = distance[:, 1] < 0.02  # a third of a cell
        assert near.sum() > 500
        fuel = sim.tracers.fuel.astype(float)
        return np.abs(fuel - fuel[other[:, 1]])[near].mean()

    assert difference_of_neighbours(own) > 2 * difference_of_neighbours(mean)


# ---- the source ----


def test_fuel_tapers_to_the_sides():
    """As 1 - taper (r / R)^2, where it is born and where fluid flows in."""
    sim = campfire(taper=0.75, swirl=0.0)
    sim.advance(2e-3)
    v = sim.vortons
    r2 = (v.position[:, 0] ** 2 + v.position[:, 1] ** 2) / 0.25**2
    born = v.fuel > 0
    assert born.sum() > 5
    share = v.fuel + v.flame + v.smoke / sim.scene.combustion.soot
    np.testing.assert_allclose(share[born], 1 - 0.75 * r2[born], atol=5e-3)


@pytest.mark.slow
def test_fuel_flickers_in_patches():
    """Never by more than the share; near in place and time alike; as its seed says."""
    law = vt.Combustion(rate=1e-9)
    disk = vt.Disk(radius=1.0, thickness=0.2)

    def fill(**changes):
        scene = vt.Scene(seed=5, combustion=law, gravity=(0, 0, 0))
        fire = {"temperature": 700, "fuel": 0.8, "renew": 0, "core": 0.08, "smoke": 0}
        scene.add(vt.Emitter(disk, **fire | changes))
        sim = vt.Simulation(scene, threads=1)
        sim.advance(1e-4)
        hot = sim.vortons.temperature > 500
        return sim.vortons.position[hot].astype(float), sim.vortons.fuel[hot].astype(float)

    x, fuel = fill(flicker=0.6)
    assert 0.8 * 0.4 - 1e-6 <= fuel.min() < 0.4 and 0.75 < fuel.max() <= np.float32(0.8)
    assert 0.8 * 0.62 < fuel.mean() < 0.8 * 0.78
    distance = np.linalg.norm(x[:, None] - x[None, :500], axis=-1)
    difference = np.abs(fuel[:, None] - fuel[None, :500])
    near, far = difference[(distance > 0) & (distance < 0.05)], difference[distance > 0.5]
    assert near.mean() < 0.35 * far.mean()
    assert np.array_equal(fill(flicker=0.6)[1], fuel)
    assert np.all(fill(flicker=0.0)[1] == np.float32(0.8))


@pytest.mark.parametrize("name", ["taper", "flicker"])
@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan])
def test_bad_taper_and_flicker(name, value):
    with pytest.raises(ValueError, match=name):
        vt.Emitter(vt.Sphere(), temperature=500, **{name: value})
    sim = vt.Simulation(vt.Scene())
    with pytest.raises(ValueError, match=name):
        sim._core.add("emitter", fluid={"temperature": 500.0}, **{name: value})


# ---- what flows through a fire ----


def released(frames=36, seed=7, **changes):
    """Heat of a fire like that of examples/campfire.py, of wider cores, J, and its vortons."""
    scene = vt.Scene(seed=seed, combustion=vt.Combustion(rate=8), **changes)
    bed = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
    fire = {"temperature": 800, "fuel": 1.0, "taper": 0.4, "flicker": 0.7, "swirl": 1.4, "renew": 3}
    scene.add(vt.Emitter(bed, **fire, core=0.13, lifetime=0.9, smoke=0))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(frames)
    return sim.health.heat_released, sim.vortons.count


@functools.cache
def released_unchanged(seed=7, balance="impulse"):
    return released(seed=seed, method=vt.Method(balance=balance))


@pytest.mark.slow
@pytest.mark.parametrize(
    "change, balance",
    [
        ({"thermal_diffusivity": 2.1e-5}, "impulse"),  # of air
        ({"thermal_diffusivity": 1e-3}, "impulse"),
        ({"ambient": vt.Air(stratification=0.1)}, "sum"),  # weight is no measure there
    ],
    ids=str,
)
def test_a_little_diffusion_or_stratification_leaves_a_fire_its_fuel(change, balance):
    """Air that comes a little warmer into the bed burns as well: what the flow is like may differ,
    not by how much fuel is born. Fires of the same kind differ by 8 % (rms of eight seeds)."""
    seeds = range(1, 7)
    method = vt.Method(balance=balance)
    changed = np.mean([released(seed=n, method=method, **change)[0] for n in seeds])
    unchanged = np.mean([released_unchanged(n, balance)[0] for n in seeds])
    assert changed == pytest.approx(unchanged, rel=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"thermal_diffusivity": 2.1e-5}, {"stratification": 1.0}])
def test_neutral_vortons_are_not_kept_around_every_trace_of_warmth(change):
    """What differs by less than a hundredth of the mean contrast needs none."""
    if "stratification" in change:
        change = {"ambient": vt.Air(**change)}
    assert released(**change)[1] < 1.35 * released_unchanged()[1]


def test_what_the_emitter_takes_for_ambient_fluid():
    """Up to a tenth of its own warmth and fuel; not what has burnt, nor heavier fluid."""
    scene = vt.Scene(gravity=(0, 0, 0), combustion=vt.Combustion(rate=1e-9, **STILL))
    box = vt.Box((-2, -2, -2), (2, 2, 2))
    ambient = vt.Air().temperature
    scene.add(vt.Emitter(box, temperature=ambient + 500, fuel=0.8, core=0.5, renew=1e-3, smoke=0))
    cases = [  # warmth, fuel, flame, smoke, density, taken
        (0, 0, 0, 0, 0, True),
        (40, 0.05, 0, 0, 0, True),
        (-40, 0, 0, 0.05, 0, True),
        (60, 0, 0, 0, 0, False),
        (0, 0.1, 0, 0, 0, False),
        (0, 0, 0.1, 0, 0, False),
        (0, 0, 0.05, 0.05, 0, False),
        (0, 0, 0, 0, 0.1, False),
    ]
    warmth, fuel, flame, smoke, density, taken = np.array(cases).T
    sim = vt.Simulation(scene, threads=1)
    x = np.zeros((len(cases), 3))
    x[:, 0] = np.linspace(-1, 1, len(cases))
    shares = {"fuel": fuel, "flame": flame, "smoke": smoke}
    carried = {"temperature": ambient + warmth, "density": density, **shares}
    ids = sim.vortons.add(x, 0 * x, core=0.5, volume=1e-3, **carried)
    sim.advance(1e-6)
    rows = sim.vortons.rows(ids)
    assert np.array_equal(sim.vortons.fuel[rows] == np.float32(0.8), taken.astype(bool))


@pytest.mark.parametrize("fuel, least", [(0.0, 2.0), (1.0, 1.5)])
def test_emitters_have_tracers_enough_by_default(fuel, least):
    """Above what `vorton info` warns of, also where gas that burns spreads them."""
    scene = vt.Scene(combustion=vt.Combustion())
    bed = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
    scene.add(vt.Emitter(bed, temperature=800, fuel=fuel, core=0.1, lifetime=1.0))
    sim = vt.Simulation(scene, threads=1)
    found = []
    for _ in range(5):
        sim.step(5)
        info = sim.volume().info()
        found.append(info["tracers"] / info["filled_voxels"])
    assert min(found) > least > FEW_TRACERS
