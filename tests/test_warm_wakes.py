"""What bodies shed into fluid that differs from the ambient one: a wake as in cold fluid."""

import numpy as np
import pytest

import vorton as vt

AMBIENT, AIR, CAPACITY = float(np.float32(293.15)), vt.Air().density, 1005.0


def test_a_balloon_hardly_warmer_than_the_air_rises_as_one_without_a_temperature():
    speed = []
    for warmth in ({}, {"temperature": AMBIENT + 0.85}):
        scene = vt.Scene("balloon", voxel=0.2)
        scene.add(vt.Body(vt.Sphere((0, 0, 3.2), 3.0), "balloon", density=0.9, **warmth))
        sim = vt.Simulation(scene, fps=24, threads=1)
        sim.step(48)
        speed.append(sim.bodies["balloon"].velocity[2])
    assert speed[1] == pytest.approx(speed[0], rel=0.02)


def test_a_ball_hardly_warmer_than_the_wind_has_the_drag_of_one_without_a_temperature():
    """The coefficient of drag, in the second in which its wake begins and in the next."""
    drag = np.zeros((2, 2))
    for row, warmth in zip(drag, ({}, {"temperature": AMBIENT + 0.5}), strict=True):
        scene = vt.Scene("ball", wind=(1, 0, 0), spacing=0.0625)
        scene.add(vt.Body(vt.Sphere((0.013, 0.007, 0.003), 0.5), "ball", panels=320, **warmth))
        sim = vt.Simulation(scene, fps=12, threads=1)
        given = [0.0]
        for _ in range(2):
            sim.step(12)
            given.append(sim.bodies["ball"].flow_impulse[0])
        row[:] = np.diff(given) / (0.5 * AIR * np.pi * 0.5**2)
    np.testing.assert_allclose(*drag, atol=0.1)


def test_a_hot_ball_in_a_wind_gives_the_fluid_the_heat_that_it_loses():
    """By the columns of the vortons, shed ones and others; what mixes with none is none's."""
    scene = vt.Scene("ball", wind=(1, 0, 0), method=vt.Method(expansion=0))
    scene.add(vt.Body(vt.Sphere(radius=0.5), "ball", panels=80, temperature=AMBIENT + 100))
    sim = vt.Simulation(scene, fps=12, threads=1)
    sim.step(12)
    v = sim.vortons
    heat = CAPACITY * AIR * (v.volume * (v.temperature.astype(float) - AMBIENT)).sum()
    shed = (sim._core.column("vortons", "flags") & vt.VortonFlag.SHED) != 0
    assert v.temperature[shed].max() > AMBIENT + 5
    assert heat == pytest.approx(sim.bodies["ball"].heat_given, rel=1e-3)


def hot_cube(**options):
    """Hot fluid at rest in a cube of 1 m, a vorton a cell."""
    x = (np.mgrid[:10, :10, :10].reshape(3, -1).T - 4.5) * 0.1
    return vt.VortonPoints(x, 0 * x, core=0.1, volume=1e-3, temperature=AMBIENT + 100, **options)


STILL = {"spacing": 0.1, "gravity": (0, 0, 0), "method": vt.Method(expansion=0)}


def test_a_vortex_takes_up_no_fluid_from_behind_a_wall():
    """Of a plate thinner than a cell, beside hot fluid: a ring above it stays cold."""
    scene = vt.Scene(**STILL)
    scene.add(hot_cube())
    scene.add(vt.Body(vt.Box((-0.6, -0.6, 0.5), (0.6, 0.6, 0.53)), "plate", shedding=0))
    scene.add(vt.VortexRing((0, 0, 0.58), radius=0.25, core=0.1, circulation=0.01))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step()
    above = sim.vortons.position[:, 2] > 0.53
    assert above.sum() > 50
    assert sim.vortons.temperature[above].max() < AMBIENT + 1
    assert sim.vortons.temperature[~above].max() > AMBIENT + 50


@pytest.mark.parametrize("lifetime", [0.2, None])
def test_a_vortex_ends_with_the_fluid_that_it_has_taken_up(lifetime):
    scene = vt.Scene(**STILL)
    scene.add(hot_cube(lifetime=lifetime))
    scene.add(vt.VortexRing((0, 0, 0), radius=0.25, core=0.1, circulation=0.01))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(2)
    assert np.abs(sim.vortons.strength).max() > 0
    sim.step(6)
    assert np.any(sim.vortons.strength) == (lifetime is None)
