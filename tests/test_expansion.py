"""Thermal expansion: volumes follow temperatures, and push the fluid around them away."""

import numpy as np
import pytest

import vorton as vt
from vorton import _core
from vorton.validation.fire import COLD, HOT, heat, in_order
from vorton.validation.fire import expanding as simulation_of
from vorton.validation.fire import warm_ball as ball


def masses(sim):
    """Density of an ideal gas times volume, kg."""
    air = sim.scene.ambient
    density = air.density * air.temperature / sim.vortons.volume_temperature.astype(float)
    return density * sim.vortons.volume.astype(float)


def directions(count, seed=3):
    d = np.random.default_rng(seed).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1)[:, None]


# ---- a ball of gas ----


@pytest.mark.parametrize("expansion", [0.0, 0.5, 1.0])
def test_method_expansion_is_the_power_of_the_change(expansion):
    x = ball(3.0)
    sim = simulation_of(x, 0.8**3, method={"expansion": expansion})
    heat(sim, sim.vortons.id.copy(), HOT)
    volume = sim.vortons.volume.astype(float).sum()
    assert volume == pytest.approx(len(x) * 0.8**3 * 2**expansion, rel=1e-5)
    moved = np.abs(in_order(sim, "position")[: len(x)] - x).max()
    assert (moved > 0.1) == (expansion > 0)
    assert vt.Method.article().expansion == 0


def test_a_sudden_heating_comes_in_parts():
    """A fifth a substep at most; in the end nothing is missing, and tracers were pushed by all."""
    x = ball(3.0)
    sim = simulation_of(x, 0.8**3)
    sim.tracers.add(20 * directions(100), density=1.0, size=1.0)
    sim.advance(1e-4)
    before = in_order(sim, "volume")
    sim.vortons.temperature[:] = 10 * COLD
    volumes = [before.sum()]
    for _ in range(40):
        sim.advance(0.01)
        assert sim.health["substeps"] < 10
        volumes.append(sim.vortons.volume.astype(float).sum())
    volumes = np.array(volumes)
    assert volumes[1] / volumes[0] == pytest.approx(1.2, rel=1e-5)
    assert volumes[-1] == pytest.approx(10 * volumes[0], rel=1e-5)
    assert np.abs(sim.vortons.swelling).max() == 0
    r = np.linalg.norm(sim.tracers.position.astype(float), axis=1)
    pushed = (4 / 3 * np.pi * (r**3 - 20.0**3)).mean()
    assert pushed == pytest.approx(volumes[-1] - volumes[0], rel=0.01)


@pytest.mark.slow
def test_what_is_heated_by_a_hair_a_step_keeps_its_law():
    """Three roundings of a temperature at a time: volumes wait until it makes 1e-5 of them, and
    nothing of it is lost; meanwhile no vorton is a source."""
    x = ball(3.0)
    sim = simulation_of(x, 0.8**3)
    sim.advance(1e-4)
    before, pushing, hair = (
        sim.vortons.volume.astype(float).sum(),
        0,
        3 * np.spacing(np.float32(COLD)),
    )
    for n in range(1, 601):
        sim.vortons.temperature[:] = COLD + n * hair
        sim.advance(1e-3)
        pushing += sim.vortons.swelling.any()
        wanted = before * (1 + n * hair / COLD)
        assert sim.vortons.volume.astype(float).sum() == pytest.approx(wanted, rel=1.1e-5)
    assert 0 < pushing < 60


def test_newborn_fluid_has_its_volume_at_its_temperature():
    """Hot gas that is born, or written before the first step, does not expand."""
    x = ball(3.0)
    sim = simulation_of(x, 0.8**3)
    sim.vortons.temperature[:] = HOT
    sim.advance(0.1)
    sim.vortons.add([[4.0, 0, 0]], [[0, 0, 0]], core=1.5, volume=0.5, temperature=900.0)
    sim.advance(0.1)
    np.testing.assert_array_equal(in_order(sim, "volume")[: len(x)], np.float32(0.8**3))
    assert in_order(sim, "volume")[-1] == 0.5
    assert in_order(sim, "volume_temperature")[-1] == 900.0


# ---- rotation ----


def test_circulation_is_kept_in_fluid_that_expands_evenly():
    """Vorticity that turns nothing yet: alpha = omega V grows as V^1/3."""
    x = ball()
    sim = simulation_of(x, 0.8**3, method={"cleaning": 0.0, "exchange": 0.0})
    before = 1e-6 * np.cross([0.0, 0.0, 1.0], x - x.mean(axis=0))
    sim.vortons.strength[:] = before
    heat(sim, sim.vortons.id.copy(), HOT)
    assert sim.vortons.count == len(x)
    inside = np.linalg.norm(x, axis=1) < 3.5
    before, after = before[inside], in_order(sim, "strength")[inside]
    growth = np.sqrt((after**2).sum() / (before**2).sum())
    assert growth == pytest.approx(2 ** (1 / 3), rel=0.01)
    assert np.linalg.norm(after - growth * before) < 0.02 * np.linalg.norm(after)


def test_circulation_and_impulse_of_a_heated_ring():
    """Circulation is kept. The impulse gains the momentum of the fluid that appears: with
    d(x cross alpha) / dt of each vorton, dI/dt = int u cross omega = int u div u."""
    method = vt.Method(halo=0, cleaning=0.0, exchange=0.0)
    air = vt.Air(temperature=COLD)
    scene = vt.Scene(spacing=0.12, ambient=air, gravity=(0, 0, 0), method=method)
    scene.add(vt.VortexRing(radius=1.0, core=0.2, circulation=0.5))
    sim = vt.Simulation(scene)
    sim.vortons.temperature[:] = COLD
    sim.advance(1e-4)
    found = [(sim.health["impulse"], np.linalg.norm(sim.vortons.strength, axis=1).sum())]
    dt, gained = 0.02, np.zeros(3)
    for n in range(13):
        swelling = sim.vortons.swelling.astype(float).copy()
        ids = sim.vortons.id.copy()
        sim.vortons.temperature[:] = min(COLD + 20.0 * (n + 1), 500.0)
        sim.advance(dt)
        gained += dt * swelling @ sim.vortons.velocity[sim.vortons.rows(ids)].astype(float)
    found.append((sim.health["impulse"], np.linalg.norm(sim.vortons.strength, axis=1).sum()))
    impulse, size = (np.array(list(both)) for both in zip(*found, strict=True))
    assert sim.health["substeps"] == 1 and sim.vortons.id.max() < sim.vortons.count
    assert impulse[1] - impulse[0] == pytest.approx(gained, rel=0.05, abs=1e-4)
    assert gained[2] > 0.01 * impulse[0, 2]
    circulation = size**2 / impulse[:, 2]  # of a ring: (2 pi R G)^2 / (pi R^2 G)
    assert circulation[1] == pytest.approx(circulation[0], rel=0.005)
    assert sim.health["strength_share"] < 1e-3


# ---- mass ----


def test_mass_is_conserved_in_a_heated_thermal():
    """Rising, diffusing, splitting, merging: sum of density times volume of those that were there;
    neutral vortons come and go with their own."""
    x = ball(4.0)
    sim = simulation_of(
        x, 0.8**3, gravity=(0, 0, -9.81), viscosity=0.02, thermal_diffusivity=0.02,
        method={"halo": 0, "merge": 3, "split": 1.5},
    )  # fmt: skip
    sim.advance(1e-3)
    before = masses(sim).sum()
    for _ in range(8):
        away = np.linalg.norm(sim.vortons.position - sim.vortons.position.mean(axis=0), axis=1)
        sim.vortons.temperature[away < 2] += 200.0
        sim.advance(0.05)
    assert sim.vortons.volume.astype(float).sum() > 1.05 * len(x) * 0.8**3
    assert sim.vortons.id.max() > len(x) and not np.isin(np.arange(len(x)), sim.vortons.id).all()
    assert masses(sim).sum() == pytest.approx(before, rel=1e-5)


def test_heat_that_diffuses_keeps_the_enthalpy():
    """Sum of mass times temperature, however hot and thin the fluid: and with it the volume."""
    x = ball(5.0)
    sim = simulation_of(x, 0.8**3, thermal_diffusivity=0.3, ambient=vt.Air(temperature=COLD))
    hot = np.linalg.norm(x, axis=1) < 2.5
    temperature = np.where(hot, 1500.0, COLD)
    sim.vortons.temperature[:] = temperature
    sim.advance(1e-4)
    enthalpy = masses(sim) @ sim.vortons.temperature.astype(float)
    volume = sim.vortons.volume.astype(float).sum()
    sim.advance(2.0)
    assert sim.vortons.temperature.max() < 1300 and sim.vortons.temperature.min() > COLD - 0.01
    assert masses(sim) @ sim.vortons.temperature.astype(float) == pytest.approx(enthalpy, rel=1e-5)
    for _ in range(12):  # volumes follow by a fifth a substep
        sim.advance(0.01)
    assert sim.vortons.volume.astype(float).sum() == pytest.approx(volume, rel=2e-3)


def test_hot_fluid_stays_without_gaps():
    """Volumes that grew tenfold are shared by more vortons: no cold ones in between, the grid finds
    the temperature everywhere."""
    x = ball(4.0)
    sim = simulation_of(x, 0.8**3, method={"halo": 2}, gravity=(0, 0, -1e-6))
    heat(sim, sim.vortons.id.copy(), 1000.0, steps=40, dt=0.02)
    r = np.linalg.norm(sim.vortons.position, axis=1)
    radius = 4.0 * (1000 / COLD) ** (1 / 3)
    inner = r < 0.8 * radius
    volume, cold = sim.vortons.volume[inner], sim.vortons.temperature[inner] < 900
    assert volume[cold].sum() < 0.01 * volume.sum()
    assert sim.vortons.count > 1.5 * len(x)
    points = 0.75 * radius * np.random.default_rng(1).uniform(0, 1, (500, 1)) ** (1 / 3)
    sim.tracers.add(points * directions(500), density=1.0, size=1.0)
    _ = sim.tracers.temperature
    sim.advance(1e-3)
    assert (sim.tracers.temperature > 900).mean() > 0.98


# ---- nothing to do ----


def test_no_change_of_temperature_changes_no_bit():
    columns = []
    for expansion in (0.0, 1.0):
        x = ball(3.0)
        sim = simulation_of(x, 0.8**3, gravity=(0, 0, -9.81), method={"expansion": expansion})
        sim.vortons.temperature[:] = COLD + 50 * np.random.default_rng(2).uniform(size=len(x))
        sim.step(5)
        columns.append([in_order(sim, name) for name in ("position", "strength", "volume")])
    assert all(np.array_equal(a, b) for a, b in zip(*columns, strict=True))


@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_without_a_grid_volumes_stay(velocity):
    x = ball(2.0)
    sim = simulation_of(x, 0.8**3, strength=1e-3, method={"velocity": velocity})
    heat(sim, sim.vortons.id.copy(), HOT, steps=3)
    np.testing.assert_array_equal(sim.vortons.volume, np.float32(0.8**3))


# ---- engineering ----


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_e1_same_bits_for_any_number_of_threads(threads):
    states = []
    for count in (1, threads):
        x = ball(4.0)
        sim = simulation_of(
            x, 0.8**3, threads=count, gravity=(0, 0, -9.81), thermal_diffusivity=0.01,
            viscosity=0.01, method={"halo": 1},
        )  # fmt: skip
        heat(sim, sim.vortons.id[: len(x) // 2].copy(), HOT, steps=4)
        states.append([getattr(sim.vortons, n).copy() for n in ("position", "volume", "swelling")])
    assert all(np.array_equal(a, b) for a, b in zip(*states, strict=True))


@pytest.mark.parametrize("bad", [-0.1, 1.5, np.nan, "much"])
def test_bad_expansion(bad):
    with pytest.raises((TypeError, ValueError), match="expansion"):
        vt.Method(expansion=bad)
    with pytest.raises((TypeError, ValueError), match="expansion"):
        _core.Simulation(method={"expansion": bad})


# ---- what an emitter heats ----


def outflow(sim, box=0.75, cells=20):
    """Volume a second through the faces of a box, m^3/s."""
    axis = ((np.arange(cells) + 0.5) / cells * 2 - 1) * box
    u, v = (a.ravel() for a in np.meshgrid(axis, axis))
    area = (2 * box / cells) ** 2
    total = 0.0
    for a in range(3):
        for side in (-1, 1):
            face = np.empty((u.size, 3))
            face[:, a], face[:, (a + 1) % 3], face[:, (a + 2) % 3] = side * box, u, v
            total += side * area * sim.velocity_at(face)[:, a].sum(dtype=float)
    return total


@pytest.mark.parametrize("mixing", [None, 0.0, 3.0])
@pytest.mark.parametrize("temperature", [600, 220])
def test_an_emitter_heats_ambient_fluid(mixing, temperature):
    """What it bears takes the place of ambient fluid of the same mass, and pushes the rest away by
    what it has more of volume; as it cools that comes back. Nothing flowed out at birth, and where
    fluid cools more flowed in than was ever out."""
    law = None if mixing is None else vt.Combustion(mixing=mixing, radiation=0)
    scene = vt.Scene("heats", combustion=law, ambient=vt.Air(), gravity=(0, 0, -1e-3), detail=0)
    ball = vt.Sphere(radius=0.25)
    scene.add(vt.Emitter(ball, temperature=temperature, renew=1.5, core=0.1, smoke=0))
    sim = vt.Simulation(scene, fps=24, threads=1)

    def excess():
        v = sim.vortons
        return (v.volume.astype(float) * (1 - 293.15 / v.temperature.astype(float))).sum()

    sim.step(6)
    before, out = excess(), [outflow(sim)]
    for _ in range(12):
        sim.step()
        out.append(outflow(sim))
    flowed = (np.sum(out) - 0.5 * (out[0] + out[-1])) / 24
    at_birth = 1.5 * 12 / 24 * ball.volume * abs(1 - 293.15 / temperature)
    assert flowed == pytest.approx(excess() - before, abs=0.05 * at_birth)


def test_fluid_without_a_temperature_is_not_heated_at_birth():
    """It kept the flag for ever, and a temperature that was written later counted once more: .6
    m^3/s flowed out."""
    scene = vt.Scene("heavy", ambient=vt.Air(), gravity=(0, 0, -1e-3), detail=0)
    scene.add(vt.Emitter(vt.Sphere(radius=0.25), density=0.3, renew=4, core=0.1, smoke=0, end=0.2))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(6)
    assert not (sim.vortons.flags & vt.VortonFlag.NEWBORN_FLUID).any()
    sim.vortons.temperature[:] = 600
    sim.step()
    assert abs(outflow(sim)) < 1e-6


def test_without_weight_no_more_is_heated_than_there_is_room_for():
    """As with a thousandth of it, where it was: 4.1 times the volume of the shape flowed out in a
    second, and as much in the next."""
    scene = vt.Scene("no weight", ambient=vt.Air(), gravity=(0, 0, 0), detail=0)
    ball = vt.Sphere(radius=0.25)
    scene.add(vt.Emitter(ball, temperature=600, renew=8, core=0.1, smoke=0))
    sim = vt.Simulation(scene, fps=24, threads=1)
    out = []
    for _ in range(24):
        sim.step()
        out.append(outflow(sim) / 24 / ball.volume)
    assert 0.5 < sum(out) < 1
    assert abs(sum(out[12:])) < 0.05
