"""Diffusion of heat (VALIDATION H1, H3 for heat) by particle strength exchange."""

import numpy as np
import pytest
from test_diffusion import A0, TURN, lattice

import vorton as vt

KAPPA = 0.01
AMBIENT = float(np.float32(293.15))


def blob(h=0.1, radius=0.75, turn=0.0, jitter=0.0, kappa=KAPPA, warmth=100.0, threads=1, **scene):
    """A Gaussian blob of warm fluid at rest, T' = warmth exp(-r^2 / a^2), without gravity; volumes
    stay, so that the sum of volume times temperature is kept (test_expansion.py has the other)."""
    x = lattice(h, radius, turn, jitter)
    method = vt.Method(**{"expansion": 0.0, **scene.pop("method", {})})
    made = vt.Scene(thermal_diffusivity=kappa, gravity=(0, 0, 0), spacing=h, method=method, **scene)
    sim = vt.Simulation(made, threads=threads)
    temperature = AMBIENT + warmth * np.exp(-(x**2).sum(axis=1) / A0**2)
    sim.vortons.add(x, 0 * x, core=1.5 * h, volume=h**3, temperature=temperature)
    return sim


def heat_of(sim):
    """Volume times how much warmer than the ambient fluid."""
    return sim.vortons.volume.astype(float) * (sim.vortons.temperature.astype(float) - AMBIENT)


def second_moment(sim):
    x, heat = sim.vortons.position.astype(float), heat_of(sim)
    middle = heat @ x / heat.sum()
    return 2 / 3 * (heat @ ((x - middle) ** 2).sum(axis=1)) / heat.sum(), heat.sum()


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"h": 0.05, "radius": 0.65},
        {"turn": TURN},
        {"radius": 0.5},  # the halo takes over where the blob was cut off
        {"jitter": 0.5, "turn": TURN},
        {"ambient": vt.Water()},
        {"method": {"velocity": "direct"}, "h": 0.125},
    ],
    ids=str,
)
def test_h1_second_moment_of_heat_grows_at_4_kappa(case):
    sim = blob(**case)
    square, total = second_moment(sim)
    sim.advance(1.0)
    later, kept = second_moment(sim)
    assert 0.98 < (later - square) / (4 * KAPPA) < 1.02
    assert kept == pytest.approx(total, rel=1e-6)


def test_h1_against_the_heat_equation():
    sim = blob(h=0.05, radius=0.6)
    sim.advance(0.5)
    r2 = (sim.vortons.position.astype(float) ** 2).sum(axis=1)
    square = A0**2 + 4 * KAPPA * 0.5
    exact = 100 * (A0**2 / square) ** 1.5 * np.exp(-r2 / square)
    volume = sim.vortons.volume.astype(float)
    error = sim.vortons.temperature - AMBIENT - exact
    assert np.sqrt(volume @ error**2 / (volume @ exact**2)) < 0.02


def test_heat_and_vorticity_diffuse_together_as_each_alone():
    """The same sweep over the neighbours takes both, at a rate of its own."""
    strengths, temperatures = [], []
    for viscosity, kappa in ((0.02, 0.01), (0.02, 0.0), (0.0, 0.01)):
        sim = blob(kappa=kappa, viscosity=viscosity, method={"halo": 0})
        sim.vortons.strength[:, 2] = 1e-9 * heat_of(sim)
        sim.advance(0.04)
        assert sim.health["substeps"] == 1
        order = np.argsort(sim.vortons.id)
        strengths.append(sim.vortons.strength[order].astype(float))
        temperatures.append(sim.vortons.temperature[order].astype(float))
    assert np.abs(strengths[0] - strengths[1]).max() < 1e-5 * np.abs(strengths[0]).max()
    assert np.abs(temperatures[0] - temperatures[2]).max() < 1e-3  # of 100 K
    assert np.abs(temperatures[0] - temperatures[1]).max() > 1
    assert np.abs(strengths[0] - strengths[2]).max() > 0.01 * np.abs(strengths[0]).max()


def test_h3_long_steps_never_oscillate():
    """However much is asked of one step: no vorton becomes colder than the ambient fluid, none
    warmer than the warmest was."""
    sim = blob(kappa=1.0, h=0.15, radius=0.6, method={"halo": 0, "diffusion": "pse"})
    sim.advance(0.05)
    assert sim.health["substeps"] > 1
    assert sim.vortons.temperature.min() >= AMBIENT - 1e-4
    assert sim.vortons.temperature.max() < AMBIENT + 100


def test_h3_endless_substeps_are_refused():
    sim = blob(kappa=1e5)
    with pytest.raises(ValueError, match=r"thermal diffusivity \(100000 m"):
        sim.advance(1.0)


def test_stratified_fluid_at_rest_conducts_nothing():
    """What diffuses is the difference from the ambient fluid beside each vorton: no edge shows."""
    x = lattice(0.1, 0.5, jitter=0.3)
    scene = vt.Scene(
        thermal_diffusivity=0.01,
        ambient=vt.Air(stratification=50.0),
        spacing=0.1,
        gravity=(0, 0, -1),
    )
    sim = vt.Simulation(scene)
    sim.vortons.add(x, 0 * x, core=0.15, volume=1e-3, temperature=AMBIENT + 50.0 * x[:, 2])
    before = sim.vortons.temperature[np.argsort(sim.vortons.id)].astype(float)
    sim.advance(0.5)
    after = sim.vortons.temperature[np.argsort(sim.vortons.id)].astype(float)
    assert np.abs(after[: len(x)] - before).max() < 1e-3


def test_none_and_zero_conduct_nothing():
    for case in ({"kappa": 0.0}, {"method": {"diffusion": "none"}}):
        sim = blob(**case)
        before = sim.vortons.temperature[np.argsort(sim.vortons.id)].copy()
        sim.advance(0.2)
        after = sim.vortons.temperature[np.argsort(sim.vortons.id)]
        assert np.array_equal(after[: len(before)], before)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_e1_same_bits_for_any_number_of_threads(threads):
    states = []
    for count in (1, threads):
        sim = blob(h=0.12, threads=count, viscosity=0.005)
        sim.vortons.strength[:, 2] = 1e-3 * heat_of(sim)
        sim.advance(0.1)
        states.append([sim.vortons.temperature.copy(), sim.vortons.strength.copy()])
    assert all(np.array_equal(a, b) for a, b in zip(*states, strict=True))


def test_scenes_keep_it():
    scene = vt.Scene(thermal_diffusivity=2e-5)
    assert vt.Scene.from_json(scene.to_json()) == scene != vt.Scene()
    assert "thermal_diffusivity" not in vt.Scene().to_dict()
    assert vt.Simulation(scene, thermal_diffusivity=1e-4).scene.thermal_diffusivity == 1e-4
