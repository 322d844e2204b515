"""Dissipation of smoke, and fluid that is the tracers' own."""

import numpy as np
import pytest
from marks import slow_but

import vorton as vt
from vorton import Keys, _core

AMBIENT = 293.15


def smoke(threads=1, **scene):
    made = vt.Scene(voxel=0.1, **scene)
    made.add(vt.Tracers(vt.Sphere(radius=0.5), count=500, density=2.0))
    made.add(vt.Tracers(vt.Sphere(radius=0.2), rate=200.0))
    made.add(vt.VortexRing(radius=0.5, core=0.15, soot=0.5))
    return vt.Simulation(made, fps=24, threads=threads)


@pytest.mark.parametrize("steps", slow_but([1, 7], [1, 7, 50]))
def test_smoke_falls_exponentially_whatever_the_steps(steps):
    sim, still = smoke(dissipation=1.5), smoke()
    for each in (sim, still):
        each.advance(0.5)  # the streams have the same ages
        for _ in range(steps):
            each.advance(1.0 / steps)
    rows = sim.tracers.rows(still.tracers.id)
    age = sim.tracers.age[rows].astype(float)
    left = sim.tracers.density[rows] / still.tracers.density
    np.testing.assert_allclose(left, np.exp(-1.5 * age), rtol=1e-5)
    own = sim.vortons.id[sim.vortons.smoke > 0]
    assert len(own) and len(np.unique(age)) > 100
    share = sim.vortons.smoke[sim.vortons.rows(own)]
    np.testing.assert_allclose(share, 0.5 * np.exp(-1.5 * 1.5), rtol=1e-5)


def test_no_dissipation_leaves_all_as_it_is_and_moves_nothing():
    sim, still = smoke(dissipation=2.0), smoke()
    for each in (sim, still):
        each.step(4)
    np.testing.assert_array_equal(sim.tracers.position, still.tracers.position)
    own = still.tracers.id < 500  # those that were born at once
    assert np.ptp(still.tracers.density[own]) == 0
    assert sim.tracers.density.sum() < 0.8 * still.tracers.density.sum()


def test_dissipation_takes_no_heat():
    law = vt.Combustion(radiation=0, mixing=0)
    books = []
    for rate in (0.0, 5.0):
        scene = vt.Scene(combustion=law, dissipation=rate)
        scene.add(vt.VortexRing(radius=0.5, core=0.15, temperature=900, fuel=0.5, soot=0.3))
        sim = vt.Simulation(scene, threads=1, method=vt.Method(halo=0))
        sim.step(6)
        books.append((sim.health.heat, sim.health.heat_released))
        assert sim.health.heat == pytest.approx(
            sim.health.heat_released + sim.health.heat_brought, rel=1e-4
        )
    assert books[0] == pytest.approx(books[1], rel=1e-6)


def test_scenes_keep_dissipation():
    scene = vt.Scene(dissipation=0.25)
    assert vt.Scene.from_json(scene.to_json()) == scene
    assert "dissipation" not in vt.Scene().to_dict()  # as before there was any
    for bad in (-1.0, float("nan"), 1e10, "fast"):
        with pytest.raises((ValueError, TypeError), match=r"Scene\.dissipation"):
            vt.Scene(dissipation=bad)
    with pytest.raises(ValueError, match="dissipation is -1; allowed is 0 to 1e.09 1/s"):
        _core.Simulation(dissipation=-1.0)


@pytest.mark.parametrize("threads", [2, 5])
def test_e1_the_same_bits_for_any_number_of_threads(threads):
    found = []
    for count in (1, threads):
        sim = smoke(count, dissipation=1.0)
        sim.step(5)
        found.append(sim.tracers.density[np.argsort(sim.tracers.id)])
    np.testing.assert_array_equal(*found)


# ---- fluid that is the tracers' own ----


def embers(combustion=True, **values):
    law = {"rate": 4.0, "radiation": 0.0, "mixing": 0.5, "ignition": 500.0, "flame_time": 0.2}
    scene = vt.Scene(voxel=0.1, combustion=vt.Combustion(**law) if combustion else None)
    scene.add(vt.Tracers(vt.Sphere(radius=0.2), count=50, **values))
    return vt.Simulation(scene, fps=24, threads=1)


def test_tracers_burn_and_cool_by_themselves():
    """Fuel by e^(-k t), flame by the chain, the warmth by e^(-mixing t)."""
    sim = embers(temperature=1200.0, fuel=0.6, soot=0.1)
    sim.tracers.temperature  # noqa: B018
    sim.step(12)
    t, k, w = 0.5, 4.0, 5.0
    np.testing.assert_allclose(sim.tracers.fuel, 0.6 * np.exp(-k * t), rtol=1e-4)
    flame = 0.6 * k / (w - k) * (np.exp(-k * t) - np.exp(-w * t))
    np.testing.assert_allclose(sim.tracers.flame, flame, rtol=1e-4)
    gone = 0.6 - 0.6 * np.exp(-k * t) - flame
    np.testing.assert_allclose(sim.tracers.smoke, 0.1 + 0.6 * gone, rtol=1e-4)
    warmth = (1200 - AMBIENT) * np.exp(-0.5 * t)
    np.testing.assert_allclose(sim.tracers.temperature, AMBIENT + warmth, rtol=1e-5)
    assert sim.health.heat == 0  # they have no weight


def test_without_combustion_they_keep_their_temperature():
    sim = embers(False, temperature=400.0)
    sim.tracers.temperature  # noqa: B018
    sim.step(3)
    np.testing.assert_allclose(sim.tracers.temperature, 400.0, rtol=1e-6)
    assert sim._core.tracers_carry("temperature")


def two_bundles(temperature=None):
    """Tracers in a bubble of hot fluid, and others three metres away."""
    scene = vt.Scene(voxel=0.1)
    scene.add(vt.Emitter(vt.Sphere(radius=0.5), temperature=600, renew=0, core=0.15, smoke=0))
    sim = vt.Simulation(scene, threads=1)
    sim.advance(1e-4)
    for x in (0, 3):
        places = (x, 0, 0) + np.random.default_rng(3).normal(0, 0.05, (30, 3))
        sim.tracers.add(places, density=1.0, size=0.1, temperature=temperature)
    return sim


def test_a_temperature_that_is_written_is_the_tracers_own():
    """As one that is given to tracers that are added: it shows where that of the fluid around
    differs less, through sorting and removal; writing the ambient one takes it away."""
    sim, given = two_bundles(), two_bundles(450.0)
    sim.tracers.temperature[:30] = 450.0  # a part of a view
    sim.tracers.temperature[30:] += 450.0 - AMBIENT
    sim.tracers.remove(sim.tracers.id % 5 == 0)
    given.tracers.remove(given.tracers.id % 5 == 0)
    for _ in range(10):
        sim.advance(1e-3)
        given.advance(1e-3)
        _ = sim.tracers.temperature, given.tracers.temperature
    order = np.argsort(sim.tracers.id), np.argsort(given.tracers.id)
    np.testing.assert_allclose(
        sim.tracers.temperature[order[0]], given.tracers.temperature[order[1]], rtol=1e-6
    )
    far = sim.tracers.position[:, 0] > 1.5
    assert far.sum() == 24
    np.testing.assert_allclose(sim.tracers.temperature[far], 450.0, rtol=1e-6)
    assert sim.tracers.temperature[~far].min() > 550
    sim.tracers.temperature[far] = AMBIENT
    sim.advance(1e-3)
    np.testing.assert_allclose(sim.tracers.temperature[far], AMBIENT, rtol=1e-6)


def test_written_temperatures_are_shown_at_once_and_in_copies():
    sim = embers(False)
    sim.step()
    sim.tracers.temperature = 500.0
    assert sim._core.tracers_carry("temperature")
    assert sim.volume(0.1).info()["hottest"] == pytest.approx(500, rel=2e-2)
    _ = sim.tracers.fuel  # the first look at another column leaves it alone
    twin = sim.copy()
    for each in (sim, twin):
        np.testing.assert_array_equal(each.tracers.temperature, 500.0)
        each.step(2)
        np.testing.assert_allclose(each.tracers.temperature, 500.0, rtol=1e-6)


def test_reading_temperatures_writes_nothing():
    """The step knows what it left itself: a view that is out gives nobody a warmth."""
    sim, blind = (two_bundles() for _ in range(2))
    _ = sim.tracers.temperature
    for each in (sim, blind):
        each.step(12)
    assert sim.tracers.temperature.max() > 400 and not sim.tracers.warmth.any()
    assert np.array_equal(sim.tracers.position, blind.tracers.position)
    assert np.array_equal(sim.tracers.temperature, blind.tracers.temperature)


def test_written_fuel_burns_on_where_tracers_burn():
    """As that of tracers that were born with it."""
    sim, born = embers(), embers(temperature=1200.0, fuel=0.6, soot=0.1)
    for each in (sim, born):
        each.advance(1e-6)  # they are born
    sim.tracers.temperature, sim.tracers.fuel, sim.tracers.smoke = 1200.0, 0.6, 0.1
    sim.tracers.flame[:] = 0
    for each in (sim, born):
        each.advance(0.3)
    for name in ("fuel", "flame", "smoke", "temperature"):
        mine, theirs = getattr(sim.tracers, name), getattr(born.tracers, name)
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-6, err_msg=name)
    assert 0.1 < sim.tracers.fuel.max() < 0.3


@pytest.mark.parametrize("combustion", [False, True])
def test_written_shares_last_a_step_where_tracers_have_those_of_the_fluid(combustion):
    sim = embers(combustion)
    sim.method = vt.Method(flames="mean")
    sim.step()
    sim.tracers.smoke = 0.5
    assert sim.tracers.smoke.min() == 0.5
    sim.step()
    assert not sim.tracers.smoke.any()


def test_hot_fluid_around_shows_where_it_is_hotter():
    scene = vt.Scene(voxel=0.1)
    scene.add(vt.Emitter(vt.Sphere(radius=0.5), temperature=600, renew=0, core=0.15, smoke=0))
    scene.add(vt.Tracers(vt.Sphere(radius=0.2), count=20, temperature=350.0))
    scene.add(vt.Tracers(vt.Sphere((3, 0, 0), radius=0.2), count=20, temperature=250.0))
    sim = vt.Simulation(scene, threads=1)
    sim.advance(1e-4)
    inside = sim.tracers.position[:, 0] < 1
    assert sim.tracers.temperature[inside].min() > 550
    np.testing.assert_allclose(sim.tracers.temperature[~inside], 250.0, rtol=1e-6)


def test_streams_and_points_and_added_rows_have_it_too():
    keys = Keys([(0, 300.0), (1, 500.0)])
    scene = vt.Scene(voxel=0.1, combustion=vt.Combustion(mixing=0, radiation=0, rate=1e-9))
    scene.add(vt.Tracers(vt.Sphere(radius=0.2), rate=100.0, temperature=keys, fuel=0.25))
    rows = {"size": 0.1, "temperature": [400, 500], "fuel": [0.5, 0.0], "smoke": 0.25}
    scene.add(vt.Points([(1, 0, 0), (2, 0, 0)], **rows))
    sim = vt.Simulation(scene, threads=1)
    ids = sim.tracers.add([[0, 5, 0]], density=1.0, size=0.1, temperature=700.0, flame=0.5)
    sim.tracers.temperature  # noqa: B018
    sim.advance(0.5)
    t = sim.tracers
    stream = t.position[:, 0] < 0.5
    stream[t.rows(ids)] = False
    born = 0.5 - t.age[stream].astype(float)
    np.testing.assert_allclose(t.temperature[stream], 300 + 200 * born, rtol=1e-5)
    np.testing.assert_allclose(t.fuel[stream], 0.25, rtol=1e-5)
    order = np.argsort(t.position[:, 0])[-2:]
    np.testing.assert_allclose(t.temperature[order], [400, 500], rtol=1e-6)
    np.testing.assert_allclose(t.fuel[order], [0.5, 0], rtol=1e-5)
    np.testing.assert_allclose(t.smoke[order], 0.25, rtol=1e-5)
    assert t.temperature[t.rows(ids)] == pytest.approx(700.0)
    assert t.flame[t.rows(ids)] == pytest.approx(0.5 * np.exp(-5), rel=1e-4)


@pytest.mark.slow
def test_own_fluid_in_scenes():
    scene = vt.Scene(combustion=vt.Combustion(), voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(), temperature=900.0, fuel=0.5, flame=0.1, soot=0.2))
    scene.add(vt.Points([(0, 0, 0)], size=0.1, temperature=900.0, fuel=[0.5]))
    scene.add(vt.Tracers(vt.Sphere()))
    again = vt.Scene.from_json(scene.to_json())
    assert again == scene and again.sources == scene.sources
    assert "fuel" not in scene.sources[2].to_dict()
    room = vt.Container(vt.Box((-3, -3, -3), (3, 3, 3)))
    scene.add(room)
    vt.Simulation(scene)  # embers do not expand


@pytest.mark.parametrize(
    "values, words",
    [
        ({"temperature": 0}, "temperature = 0: .*> 0"),
        ({"fuel": 1.5}, "fuel = 1.5: .*0 to 1"),
        ({"flame": -0.1}, "flame = -0.1: .*0 to 1"),
    ],
)
def test_bad_input_names_the_source(values, words):
    with pytest.raises(ValueError, match=rf"Tracers\.{words}"):
        vt.Tracers(vt.Sphere(), **values)
    with pytest.raises(ValueError, match=rf"Points\.{words.split(' ', maxsplit=1)[0]}"):
        vt.Points([(0, 0, 0)], size=0.1, **values)


def test_shares_that_are_too_much_or_cannot_burn():
    with pytest.raises(ValueError, match=r"Tracers: fuel \+ flame \+ soot are up to"):
        vt.Tracers(vt.Sphere(), fuel=0.6, soot=0.6)
    with pytest.raises(ValueError, match=r"Points: fuel \+ flame \+ smoke are 1\.2"):
        vt.Points([(0, 0, 0)], size=0.1, fuel=0.6, smoke=0.6)
    with pytest.raises(ValueError, match=r"sources\[0\]: Tracers\.fuel = 0\.5: .*no law"):
        embers(False, fuel=0.5)
    sim = embers(False)
    with pytest.raises(ValueError, match=r"fuel = 0\.5: .*no law"):
        sim.tracers.add([[0, 0, 0]], density=1.0, size=0.1, fuel=0.5)
    core = _core.Simulation()
    shape = vt.Sphere()._core_shape()
    point = {"position": [[0, 0, 0]], "density": [1.0], "size": [0.1]}
    with pytest.raises(ValueError, match="temperature is -1; allowed is"):
        core.add("tracers", shape=shape, count=5, fluid={"temperature": -1.0})
    with pytest.raises(ValueError, match="density of the fluid is 1 kg"):
        core.add("tracers", shape=shape, count=5, fluid={"density": 1.0})
    with pytest.raises(ValueError, match="temperature has -1 in row 0"):
        core.add("tracer_points", **point, temperature=[-1.0])
    with pytest.raises(ValueError, match="tracer_points.smoke has 2 in row 0"):
        core.add("tracer_points", **point, smoke=[2.0])
    assert core.count("tracers") == 0
