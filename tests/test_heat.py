"""Diffusion of heat (VALIDATION H1, H3 for heat) by particle strength exchange."""

import numpy as np
import pytest

import vorton as vt
from vorton.validation.diffusion import AMBIENT, heat_of, lattice, moment_of_heat
from vorton.validation.diffusion import blob_of_heat as blob


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


@pytest.mark.parametrize(
    ("diffusion", "pace"), [("exchange", 2.0), ("pse", 1.0), ("implicit", 1.0)]
)
def test_heat_spreads_as_fast_as_the_docstring_says(diffusion, pace):
    """The square of a Gaussian's radius grows by 4 kappa t; by the articles' exchange twice."""
    sim = blob(kappa=0.01, method={"diffusion": diffusion})
    before, heat = moment_of_heat(sim)
    sim.advance(0.2)
    after, left = moment_of_heat(sim)
    assert (after - before) / (4 * 0.01 * 0.2) == pytest.approx(pace, rel=0.03)
    assert left == pytest.approx(heat, rel=1e-5)


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
        method=vt.Method(rounding=0),
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
