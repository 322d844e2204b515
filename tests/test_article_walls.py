"""Boundary vorticity by the rule of the articles (VALIDATION S8, T1)."""

import numpy as np
import pytest

import vorton as vt

RADIUS, WIND = 1.0, 1.0


def ball_in_the_wind(spacing, threads=1, steps=12, **body):
    """Vortons on a jittered lattice around a ball, and the wind that begins to blow."""
    scene = vt.Scene(
        spacing=spacing / 0.75,
        gravity=(0, 0, 0),
        wind=(WIND, 0, 0),
        method=vt.Method(bodies="article"),
    )
    scene.add(vt.Body(vt.Sphere(radius=RADIUS), **body))
    sim = vt.Simulation(scene, threads=threads)
    axis = np.arange(-1.6, 1.6, spacing)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    x += spacing * np.random.default_rng(1).uniform(-0.25, 0.25, x.shape)
    sim.vortons.add(x, 0 * x, core=2 * spacing, volume=spacing**3)
    for _ in range(steps):
        sim.advance(0.05 * spacing)
    return sim


def surface(count=200):
    """Normals of points spread evenly over a sphere."""
    n = np.arange(count) + 0.5
    z, turn = 1 - 2 * n / count, np.pi * (1 + 5**0.5) * n
    r = np.sqrt(1 - z**2)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


def leak(sim, velocity=0.0):
    """rms of the flow through the surface, in units of the wind."""
    n = surface()
    through = ((sim.velocity_at(RADIUS * n) - velocity) * n).sum(axis=1)
    return np.sqrt((through**2).mean()) / WIND


def test_s8_less_flows_through_a_ball_the_more_vortons_there_are():
    leaks = [leak(ball_in_the_wind(spacing)) for spacing in (0.32, 0.2, 0.125)]
    assert leaks[0] < 0.5 and leaks[0] > leaks[1] > leaks[2]


def test_a_spinning_ball_takes_the_fluid_with_it():
    spin = vt.Transform(angle=vt.Keys([(0, 0), (10, 3600)]))  # 2 pi rad/s about z
    scene = vt.Scene(spacing=0.25, gravity=(0, 0, 0), method=vt.Method(bodies="article"))
    scene.add(vt.Body(vt.Sphere(radius=RADIUS), parent=spin))
    sim = vt.Simulation(scene, threads=1)
    axis = np.arange(-1.5, 1.5, 0.18)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    sim.vortons.add(x, 0 * x, core=0.375, volume=0.18**3)
    for _ in range(6):
        sim.advance(0.01)
    u = sim.velocity_at([[1.1, 0, 0], [0, -1.1, 0], [0, 0, 1.1]])
    assert u[0, 1] > 0.5 and u[1, 0] > 0.5 and np.abs(u[2]).max() < 0.3


@pytest.mark.parametrize("threads", [2, 3])
def test_e1_article_walls_have_the_same_bits_for_any_number_of_threads(threads):
    one, many = (ball_in_the_wind(0.25, threads=count, steps=5) for count in (1, threads))
    assert np.array_equal(one.vortons.position, many.vortons.position)
    assert np.array_equal(one.vortons.strength, many.vortons.strength)
