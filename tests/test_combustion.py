"""Fuel, flame and smoke: what vortons carry and tracers take (VALIDATION H5, H6 and the books)."""

import ctypes

import numpy as np
import pytest
from hand_made import is_neutral, run_python
from marks import slow_but
from native import load, targets
from scipy.spatial import cKDTree

import vorton as vt
from vorton import _core
from vorton.bakes import bake_frames
from vorton.files import disk
from vorton.validation.fire import STILL, burning, shares_of

AMBIENT = 293.15
SHARES = ("fuel", "flame", "smoke")


def lattice(count=8, h=0.5):
    """Vortons on a jittered lattice of count^3 places, h apart."""
    index = np.stack(np.meshgrid(*3 * [np.arange(count)], indexing="ij"), axis=-1).reshape(-1, 3)
    rng = np.random.default_rng(2)
    return h * (index - (count - 1) / 2 + rng.uniform(-0.3, 0.3, index.shape)), h**3


# ---- the columns ----


def test_shares_are_there_when_somebody_asks():
    sim = vt.Simulation(vt.Scene(combustion=vt.Combustion()))
    x, volume = lattice(3)
    sim.vortons.add(x, 0 * x, core=0.5, volume=volume, fuel=0.25, smoke=np.linspace(0, 0.5, 27))
    sim.tracers.add(x, density=1.0, size=0.1)
    assert np.all(sim.vortons.fuel == 0.25) and np.all(sim.vortons.flame == 0)
    assert np.all(sim.vortons.smoke == np.linspace(0, 0.5, 27, dtype=np.float32))
    assert np.all(sim.tracers.fuel == 0) and sim.tracers.fuel.shape == (27,)
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
    sim.vortons.add(x, spin, core=0.75, volume=volumes)
    for name, values in carried.items():
        getattr(sim.vortons, name)[:] = values
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
    sim.vortons.add(x, 0 * x, core=0.75, volume=volume, flame=0.2, smoke=0.1)
    sim.vortons.fuel[:] = 0.3
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
        sim.add_vortons(x, s, np.full(3, 0.1), np.float32([4e-4, 1.2e-3, 4e-4]))
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
        sim.vortons.add(x, strength, core=0.1, volume=1e-3)
        getattr(sim.vortons, name)[:] = 0.5, 0.5, 0
        sim.step()
        assert sim.vortons.count == 2 and getattr(sim.vortons, name).min() == 0.5


def test_bad_shares_are_refused():
    sim = vt.Simulation(vt.Scene(combustion=vt.Combustion()))
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


# ---- the law: H6 ----


def chain(k, w, soot, start, time):
    """Fuel, flame, smoke after a time at constant rates (Bateman), as the matrix exponential."""
    from scipy.linalg import expm

    matrix = np.array([[-k, 0, 0], [k, -w, 0], [0, soot * w, 0]])
    return expm(matrix * time) @ start


def test_h6_flame_as_quick_as_the_fuel():
    """Where both rates are equal or nearly so, the formula is a quotient of nothings."""
    for rate in (4.0, 4.0 * (1 + 1e-7), 4.001, 4.2, 5.0, 1e-3, 1e5):
        sim = burning("simple", [900.0], 1.0, rate=rate, flame_time=0.25, soot=0.4, **STILL)
        sim.advance(0.2)
        exact = chain(rate, 4.0, 0.4, [1, 0, 0], 0.2)
        np.testing.assert_allclose([s[0] for s in shares_of(sim)], exact, rtol=0, atol=1e-6)


@pytest.mark.parametrize("law", ["simple", "arrhenius"])
def test_h6_shares_stay_shares_and_nothing_is_lost(law):
    rng = np.random.default_rng(4)
    shares = rng.dirichlet([1, 1, 1, 0.3], 3000)[:, :3]
    temperature = rng.uniform(200, 2500, 3000)
    sim = burning(law, temperature, *shares.T, soot=1.0)
    whole = sum(shares_of(sim))
    for dt in (1e-3, 0.02, 0.02, 0.3, 5.0):
        sim.advance(dt)
        assert all(share.min() >= 0 and share.max() <= 1 for share in shares_of(sim))
        np.testing.assert_allclose(sum(shares_of(sim)), whole, rtol=0, atol=1e-6)
    clear = burning(law, temperature, *shares.T, soot=0.25)
    fuel, flame, smoke = shares_of(clear)
    clear.advance(0.5)
    gone = fuel + flame - sum(shares_of(clear)[:2])
    np.testing.assert_allclose(shares_of(clear)[2] - smoke, 0.25 * gone, rtol=0, atol=1e-6)


def burnt_out(c, start, times):
    """Fuel, flame, smoke and temperature of the whole law, by SciPy."""
    from scipy.integrate import solve_ivp

    def rates(_, y):
        fuel, flame, _, t = y
        k = c.burn_rate * (np.exp(-c.activation / t) if c.law == "arrhenius" else t >= c.ignition)
        made = c.heat / c.heat_capacity * k * fuel
        cooling = c.radiation * (t**4 - AMBIENT**4) / 1500**4 + c.mixing * (t - AMBIENT)
        return [-k * fuel, k * fuel - flame / c.flame_time, c.soot * flame / c.flame_time,
                made - cooling]  # fmt: skip

    options = {"rtol": 1e-10, "atol": 1e-12, "method": "LSODA", "t_eval": np.sort(times)}
    return solve_ivp(rates, (0, times.max()), start, **options).y.T


RUNAWAY = {"rate": 1e8, "activation": 15000.0}


@pytest.mark.parametrize(
    "law, changes", [("simple", {}), ("arrhenius", {}), ("arrhenius", RUNAWAY)]
)
@pytest.mark.parametrize("dt", [1 / 24, 1 / 72])
def test_burning_and_cooling_together_against_an_integrator(law, changes, dt):
    """Thermal runaway too: the temperature rises by a thousand kelvin within one step."""
    temperature = [850.0, 900.0, 1000.0, 1200.0, 1800.0]
    fuels = [1.0, 1.0, 0.7, 0.5, 0.0]
    sim = burning(law, temperature, fuels, **changes)
    found = []
    for _ in range(round(1 / dt)):
        sim.advance(dt)
        found.append(np.array([*shares_of(sim), sim.vortons.temperature]).T)
    found = np.array(found)
    times = dt * np.arange(1, round(1 / dt) + 1)
    off = 2e-3 * np.linspace(-1, 1, 9)  # ignition may be early or late by a twentieth of a frame
    around = (times[:, None] + off).ravel()
    for row, (t, fuel) in enumerate(zip(temperature, fuels, strict=True)):
        exact = burnt_out(sim.scene.combustion, [fuel, 0, 0, t], around)
        exact = exact.reshape(len(times), len(off), 4)
        assert row == 4 or exact[..., 3].max() - t > 200
        scale = np.array([1, 1, 1, 1180.0])
        error = np.maximum(exact.min(axis=1) - found[:, row], found[:, row] - exact.max(axis=1))
        assert (error / scale).max() < 2e-3


def test_cooling_never_passes_the_ambient_temperature():
    scene = {"radiation": 5000.0, "mixing": 40.0}
    for dt in (1e-3, 0.1, 10.0):
        sim = burning("simple", [60.0, 250.0, 293.15, 300.0, 1500.0, 9000.0], 0.0, **scene)
        before = sim.vortons.temperature - np.float32(AMBIENT)
        for _ in range(20):
            sim.advance(dt)
            now = sim.vortons.temperature - np.float32(AMBIENT)
            assert np.all(now * np.sign(before) >= 0) and np.all(np.abs(now) <= np.abs(before))
            before = now.copy()
    assert np.abs(before).max() < 0.01


def test_mixing_takes_heat_alone_and_the_books_say_how_much():
    """(T - Ta) exp(-mixing t); what has not burnt stays, and its heat may still be released."""
    start = np.array([250.0, 400.0, 1200.0])
    sim = burning("simple", start, 0.5, smoke=0.2, mixing=3.0, radiation=0.0, ignition=5000.0)
    mass = 1e-3 * sim.scene.ambient.density
    sim.advance(0.4)
    left = (start - AMBIENT) * np.exp(-3 * 0.4)
    np.testing.assert_allclose(sim.vortons.temperature - AMBIENT, left, rtol=1e-5, atol=2e-4)
    lost = 1100 * mass * (start - AMBIENT - left).sum()
    assert sim.health.heat_mixed == pytest.approx(lost, rel=1e-5)
    assert sim.health.heat_radiated == 0 and sim.health.heat_released == 0
    assert np.all(sim.vortons.fuel == 0.5) and np.all(sim.vortons.smoke == np.float32(0.2))


def test_the_newborn_burn_for_as_long_as_they_have_lived():
    law = vt.Combustion(radiation=0, mixing=0)
    # each vorton as it was born
    scene = vt.Scene(combustion=law, method=vt.Method(merge_emitted=0))
    scene.add(vt.Emitter(vt.Sphere(radius=0.2), temperature=900, fuel=1.0, renew=20, smoke=0))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(3)
    inside = sim.vortons.temperature > 800
    fuel, age = sim.vortons.fuel[inside], sim.vortons.age[inside]
    assert inside.sum() > 300 and age.min() < 0.01
    np.testing.assert_allclose(fuel, np.exp(-10 * age.astype(float)), rtol=1e-5)


# ---- the books of heat ----


def fire(core=0.12, **changes):
    scene = vt.Scene("fire", seed=3, voxel=0.1, combustion=vt.Combustion(), **changes)
    bed = vt.Disk(radius=0.25, thickness=0.2)
    scene.add(vt.Emitter(bed, temperature=850, fuel=0.9, core=core, lifetime=0.5, renew=10))
    return scene


def test_without_a_law_nothing_burns_and_there_are_no_books():
    sim = vt.Simulation(threads=1)
    sim.vortons.add(np.zeros((1, 3)), np.zeros((1, 3)), core=0.1, volume=1, temperature=900)
    with pytest.raises(ValueError, match="fuel = 0.5: the scene has no law by which it burns"):
        sim.vortons.add(np.zeros((1, 3)), np.zeros((1, 3)), core=0.1, volume=1, fuel=0.5)
    sim.vortons.fuel[:] = 1
    sim.step()
    row = sim.vortons.temperature.argmax()  # among neutral ones
    assert sim.vortons.fuel[row] == 1 and sim.vortons.temperature[row] == 900
    assert sim.health.heat == 0 and sim.health.heat_released == 0 and sim.timings.react.calls == 0


# ---- emitters, scenes, ignition ----


def test_fuel_may_change_in_time():
    # each vorton as it was born
    scene = vt.Scene(combustion=vt.Combustion(rate=1e-9), method=vt.Method(merge_emitted=0))
    keys = vt.Keys([(0, 0.0), (0.5, 1.0)])
    ball = vt.Sphere(radius=0.2)
    scene.add(vt.Emitter(ball, temperature=400, fuel=keys, renew=10, smoke=0))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(6)
    v = sim.vortons
    inside = v.temperature > 350
    born = sim.time - v.age[inside].astype(float)
    np.testing.assert_allclose(v.fuel[inside], 2 * born, atol=1e-5)
    assert np.all(v.fuel[~inside] == 0)


@pytest.mark.filterwarnings("ignore::vorton.SceneWarning")
@pytest.mark.parametrize("law", ["simple", "arrhenius"])
def test_hot_fuel_ignites_and_cold_fuel_does_not(law):
    def after(temperature):
        scene = vt.Scene(combustion=vt.Combustion(law))
        ball = vt.Sphere(radius=0.2)
        scene.add(vt.Emitter(ball, temperature=temperature, fuel=1.0, renew=5, smoke=0))
        sim = vt.Simulation(scene, fps=24, threads=1)
        sim.step(12)
        return sim.vortons

    cold, hot = after(400.0), after(900.0)
    assert cold.flame.max() < 1e-4 and cold.fuel.max() > 0.99 and cold.temperature.max() <= 401
    assert hot.flame.max() > 0.3 and hot.temperature.max() > 1200 and hot.smoke.max() > 0.05


def test_what_flows_through_a_fire_takes_its_fuel():
    """An emitter in a wind that carries ambient vortons into it."""
    scene = vt.Scene(wind=(1.0, 0, 0), gravity=(0, 0, 0), combustion=vt.Combustion(rate=1e-9))
    box = vt.Box((0, -0.2, -0.2), (0.4, 0.2, 0.2))
    keys = vt.Keys([(0, 0.2), (1, 0.8)])
    scene.add(vt.Emitter(box, temperature=600, fuel=keys, core=0.1, renew=4, end=0.75, smoke=0))
    sim = vt.Simulation(scene, fps=24, threads=1)
    for _ in range(24):
        sim.step()
        v = sim.vortons
        x = v.position
        inside = np.all((x > [0.05, -0.19, -0.19]) & (x < [0.35, 0.19, 0.19]), axis=1)
        if sim.time < 0.75:
            assert inside.sum() > 50 and v.fuel[inside].min() >= 0.19
            assert not is_neutral(v.flags[inside]).any()
        assert np.all(v.fuel[is_neutral(v.flags)] == 0)
    assert v.fuel.max() < 0.66 and np.any(v.fuel[inside] == 0)
    h = sim.health
    books = h.heat_released - h.heat_radiated - h.heat_mixed + h.heat_brought
    assert h.heat == pytest.approx(books, rel=1e-5)


def test_fuel_without_a_law_names_the_emitter():
    scene = vt.Scene()
    scene.add(vt.Emitter(vt.Sphere(), temperature=400))
    scene.add(vt.Emitter(vt.Sphere(), temperature=900, fuel=0.5))
    with pytest.raises(ValueError, match=r"sources\[1\]: Emitter.fuel = 0.5: .*combustion"):
        vt.Simulation(scene)
    core = _core.Simulation()
    with pytest.raises(ValueError, match=r"fuel is up to 0.5 of the mass; allowed is 0 without"):
        core.add("emitter", fluid={"fuel": 0.5})


def test_bad_fuel_and_bad_laws():
    ball = vt.Sphere()
    for bad in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match=r"Emitter.fuel"):
            vt.Emitter(ball, temperature=900, fuel=bad)
    with pytest.raises(ValueError, match=r"Emitter.temperature = 0: must be .* > 0"):
        vt.Emitter(ball, temperature=0, fuel=1)
    for name, bad in [("rate", -1.0), ("ignition", -1.0), ("activation", -1.0), ("flame_time", 0.0),
                      ("heat", -1.0), ("heat_capacity", 0.0), ("soot", 1.5), ("radiation", -1.0),
                      ("mixing", np.inf)]:  # fmt: skip
        with pytest.raises(ValueError, match=f"Combustion.{name}"):
            vt.Combustion(**{name: bad})
        with pytest.raises(ValueError, match=f"combustion.{name}|{name}"):
            _core.Simulation(combustion={"law": "simple", name: bad})
    with pytest.raises(ValueError, match="Combustion.law"):
        vt.Combustion("explosion")
    core = _core.Simulation(combustion={"law": "simple"})
    with pytest.raises(ValueError, match=r"fuel \+ flame \+ smoke are up to 0.6 \+ 0.3 \+ 0.2"):
        core.add("emitter", fluid={"fuel": 0.6, "flame": 0.3, "smoke": 0.2}, rate=1.0)


def test_combustion_in_scenes():
    scene = fire()
    again = vt.Scene.from_json(scene.to_json())
    assert again == scene and again.combustion == vt.Combustion()
    assert "combustion" not in vt.Scene().to_dict()
    other = vt.Scene(combustion=vt.Combustion("arrhenius", rate=1e5))
    assert other != vt.Scene(combustion=vt.Combustion("arrhenius"))
    with pytest.raises(ValueError, match="heta"):
        vt.Scene(combustion={"type": "Combustion", "heta": 1.0})


H5_CODE = """
#include "model/fluid_law.h"
void vt_test_densities(int count, double expansion, const float *temperature, float *density,
                       float *deviation)
{
    const float origin[3] = {0, 0, 0};
    vt_fluid f = {.density = 1.2041f, .temperature = 293.15f, .expansion = (float)expansion};
    for (int i = 0; i < count; i++) {
        density[i] = vti_density_at(&f, temperature[i]);
        deviation[i] = vti_density_deviation(&f, origin, temperature[i], 0);
    }
}
"""


@pytest.mark.parametrize("target", slow_but(targets()[-1:], targets()))
def test_h5_density_and_temperature_of_a_gas(target):
    """T = rho0 T0 / (rho0 + rho') gives the temperature back, close to a vacuum, too."""
    library = load("csrc/base/status.c", target=target, code=H5_CODE)
    temperature = np.geomspace(20, 1e6, 4000).astype(np.float32)
    density, deviation = np.empty((2, len(temperature)), np.float32)
    pointers = [
        array.ctypes.data_as(ctypes.c_void_p) for array in (temperature, density, deviation)
    ]
    library.vt_test_densities(len(temperature), ctypes.c_double(0), *pointers)
    rho0, t0 = np.float32(1.2041).astype(float), np.float32(AMBIENT).astype(float)
    np.testing.assert_allclose(rho0 * t0 / density.astype(float), temperature, rtol=1e-6)
    np.testing.assert_allclose(rho0 + deviation.astype(float), density, atol=1e-6 * rho0)
    assert density.min() > 0 and np.all(np.diff(density) < 0) and np.all(np.diff(deviation) <= 0)
    back = rho0 * t0 / (rho0 + deviation.astype(float))
    error = np.abs(back / temperature - 1)
    assert error[temperature < 2500].max() < 1e-6  # a flame
    # beyond rho' has the digits of rho0, of which rho0 + rho' keeps the less
    share = np.minimum(density / rho0, 1)
    assert np.all(error * share < 2 * np.finfo(np.float32).eps)


@pytest.mark.slow
def test_h5_coincident_light_vortons_stay_finite():
    """Twenty in one place, with less density of their own than nothing: rho stays above 0."""
    sim = vt.Simulation(vt.Scene(spacing=0.1, combustion=vt.Combustion()), fps=24, threads=1)
    x, volume = lattice(6, 0.1)
    x = np.concatenate([np.zeros((20, 3)), x])
    temperature = np.r_[np.full(20, 3000.0), np.full(216, AMBIENT)]
    density = np.r_[np.full(20, -5.0), np.zeros(216)]
    sim.vortons.add(
        x, 0 * x, core=0.15, volume=volume, temperature=temperature, density=density, fuel=0.5
    )
    sim.tracers.add(0.1 * x, density=1.0, size=0.1)
    _ = sim.tracers.temperature
    for _ in range(12):  # with rho < 0 in grad rho x g / rho what is light would fall
        before = sim.health.impulse[2]
        sim.advance(0.002)
        assert sim.health.impulse[2] > before
    sim.step(12)
    assert all(np.isfinite(getattr(sim.vortons, name)).all() for name in ("position", "strength"))
    assert np.isfinite(sim.vortons.temperature).all() and sim.vortons.temperature.min() > 200
    assert np.isfinite(sim.tracers.temperature).all() and sim.tracers.temperature.max() < 4200


def test_a_bake_with_fire_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    def baked(folder):
        options = {"frames": (1, 4), "volumes": vt.Volumes(), "progress": False, "threads": 1}
        vt.bake(fire(), folder, **options)
        return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file()}

    whole = baked(tmp_path / "whole")
    assert len(whole) > 4
    write, left = disk.write_atomically, [4]

    def stopping(path, data):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(bake_frames, "write_atomically", stopping)
        with pytest.raises(KeyboardInterrupt):
            baked(tmp_path / "stopped")
    assert len(list((tmp_path / "stopped").iterdir())) < len(whole)
    assert baked(tmp_path / "stopped") == whole


# ---- E1 with fire ----


def everything_of(sim):
    columns = {f"vortons.{n}": getattr(sim.vortons, n) for n in sim.vortons._columns}
    columns |= {f"tracers.{n}": getattr(sim.tracers, n) for n in sim.tracers._columns}
    return {name: np.array(values) for name, values in columns.items()}, dict(sim.health)


def burn_for(frames, threads):
    # cores so narrow that there are more vortons than one block holds
    scene = fire(core=0.09, method=vt.Method(split=1.5, merge_emitted=8))
    sim = vt.Simulation(scene, fps=24, threads=threads)
    _ = sim.tracers.flame, sim.tracers.temperature
    sim.step(frames)
    return everything_of(sim)


@pytest.mark.slow
def test_e1_fire_has_the_same_bits_for_any_number_of_threads():
    columns, health = burn_for(12, 1)
    assert columns["vortons.flame"].max() > 0.3 and len(columns["vortons.flame"]) > 4096
    for threads in (2, 3):
        others, other_health = burn_for(12, threads)
        assert all(np.array_equal(others[name], columns[name]) for name in columns)
        assert other_health == health


@pytest.mark.slow
def test_e1_fire_has_the_same_bits_on_every_instruction_set(monkeypatch):
    code = """
        import hashlib, test_combustion
        columns, health = test_combustion.burn_for(6, 2)
        text = repr([(n, columns[n].tobytes()) for n in sorted(columns)]) + repr(health)
        print(hashlib.sha256(text.encode()).hexdigest())
    """
    digests = {}
    for simd in targets():
        monkeypatch.setenv("VORTON_SIMD", simd)
        digests[simd] = run_python(code)
    assert len(set(digests.values())) == 1, digests


def test_e1_a_copy_goes_on_with_the_same_bits():
    sim = vt.Simulation(fire(), fps=24, threads=1)
    sim.step(5)
    other = sim.copy()
    sim.step(3)
    other.step(3)
    columns, health = everything_of(sim)
    others, other_health = everything_of(other)
    assert all(np.array_equal(others[name], columns[name]) for name in columns)
    assert other_health == health


# ---- swirl ----


def swirling(speed=0.5, seed=1, parent=None, shape=None, gravity=(0, 0, 0), **values):
    """A box filled once with fluid that is hardly warmer, so that only the swirl moves it."""
    scene = vt.Scene(seed=seed, voxel=0.1, gravity=gravity)
    shape = shape or vt.Box((-0.75, -0.75, -0.75), (0.75, 0.75, 0.75))
    values = {"temperature": 293.2, "core": 0.08, "renew": 0, "smoke": 0, **values}
    scene.add(vt.Emitter(shape, swirl=speed, parent=parent, rim=0, **values))
    sim = vt.Simulation(scene, fps=24, threads=1, method=vt.Method(halo=0))
    sim.advance(1e-4)
    return sim


@pytest.mark.slow
def test_swirl_has_the_speed_that_it_says_and_no_divergence():
    rng = np.random.default_rng(5)
    points = rng.uniform(-0.35, 0.35, (3000, 3))
    speeds = []
    for seed in range(4):
        sim = swirling(seed=seed)
        speeds.append(np.sqrt((sim.velocity_at(points) ** 2).sum(axis=1).mean()))
        assert sim.health.vorticity_divergence < 0.3
        assert sim.health.strength_share < 0.05
    assert np.mean(speeds) == pytest.approx(0.5, rel=0.2)
    assert len(set(speeds)) == 4
    twice = swirling(speed=1.0, seed=3)
    np.testing.assert_allclose(
        np.sqrt((twice.velocity_at(points) ** 2).sum(axis=1).mean()), 2 * speeds[3], rtol=1e-2
    )


def test_eddies_turn_over():
    """What is born at one place long after has nothing of the eddies that were there."""
    renew = vt.Keys([(0, 10), (0.02, 10), (0.021, 0), (3, 0), (3.001, 10), (3.1, 10)])
    sim = swirling(renew=renew, lifetime=0.05)

    def births(start):
        sim.advance(max(start - sim.time, 0))
        before = sim.vortons.id.max(initial=-1)
        sim.advance(0.01)
        new = sim.vortons.id > before
        return sim.vortons.position[new], sim.vortons.strength[new]

    def correlation(one, other):
        distance, nearest = cKDTree(one[0]).query(other[0])
        a, b = one[1][nearest], other[1]
        near = distance < 0.1
        assert near.sum() > 100
        return (a[near] * b[near]).sum() / np.sqrt((a[near] ** 2).sum() * (b[near] ** 2).sum())

    first, soon = births(0), births(0.01)
    sim.advance(0.05)  # all have died
    late = births(3.01)
    assert correlation(first, soon) > 0.6
    assert abs(correlation(first, late)) < 0.3


@pytest.mark.slow
def test_swirl_turns_and_grows_with_its_parent():
    here = swirling()
    parent = vt.Transform(position=(1, 2, 3), axis=(0, 0, 1), angle=90, scale=2)
    there = swirling(parent=parent)
    order, other = np.argsort(here.vortons.id), np.argsort(there.vortons.id)
    x, a = here.vortons.position[order], here.vortons.strength[order]
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    moved = there.vortons.position[other]
    np.testing.assert_allclose(moved, [1, 2, 3] + 2 * x @ turn.T, atol=1e-3)
    # the same speeds over twice the length, in eight times the volume
    scale = np.abs(a).max()
    np.testing.assert_allclose(there.vortons.strength[other], 4 * a @ turn.T, atol=4e-3 * scale)


def test_swirl_is_carried_by_the_fluid_of_a_fire():
    bed = dict(temperature=850, fuel=0.9, core=0.12, lifetime=0.5, renew=10)
    aside = np.zeros(2)
    for seed in (3, 4, 5):  # how far from its axis chance alone brings the flame, and swirl
        for n, swirl in enumerate((0.0, vt.Keys([(0, 0.6), (0.4, 0.6), (0.5, 0.0)]))):
            scene = vt.Scene("fire", seed=seed, voxel=0.1, combustion=vt.Combustion())
            scene.add(vt.Emitter(vt.Disk(radius=0.25, thickness=0.2), swirl=swirl, **bed))
            assert vt.Scene.from_json(scene.to_json()) == scene
            stirred = vt.Simulation(scene, fps=24, threads=1)
            stirred.step(10)
            flame = stirred.vortons.flame * stirred.vortons.volume
            aside[n] += np.linalg.norm((flame @ stirred.vortons.position)[:2] / flame.sum())
    assert aside[1] > 4 * aside[0]
    branch = stirred.copy()
    for sim in (stirred, branch):
        sim.step(2)
    assert np.array_equal(stirred.vortons.strength, branch.vortons.strength)


def test_bad_swirl():
    with pytest.raises(ValueError, match=r"Emitter.swirl"):
        vt.Emitter(vt.Sphere(), temperature=400, swirl=-1.0)
    with pytest.raises(ValueError, match="swirl is -1; allowed is"):
        _core.Simulation().add("emitter", fluid={"temperature": 400.0}, swirl=-1.0)
