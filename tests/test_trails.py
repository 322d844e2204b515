"""Trails of emitters that move: even along the way, and told of where they are thin."""

import warnings

import numpy as np
import pytest

import vorton as vt

FPS = 24


def trail(speed, renew, wind=0.0, frames=12):
    way = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (10, (10 * speed, 0, 0))]))
    scene = vt.Scene("trail", seed=1, voxel=0.1, wind=(wind, 0, 0))
    ball = vt.Sphere(radius=0.25)
    scene.add(vt.Emitter(ball, temperature=400, parent=way, renew=renew, core=0.1, per_voxel=1))
    sim = vt.Simulation(scene, fps=FPS, threads=1)
    sim.step(frames)
    return sim


def stripes(sim, speed, frames=12):
    """Amplitude of the volume of warm fluid at the period of a frame's way, over its mean; and what
    as many vortons have by chance."""
    v = sim.vortons
    x = v.position[:, 0].astype(float)
    x -= x.max() if speed > 0 else x.min()
    period = abs(speed) / FPS
    there = (v.temperature > 300) & (np.abs(x) > 2 * period) & (np.abs(x) < (frames - 2) * period)
    assert there.sum() > 200
    volume = v.volume[there].astype(float)
    waves = volume * np.exp(2j * np.pi * x[there] / period)
    return 2 * abs(waves.sum()) / volume.sum(), 2 / np.sqrt(there.sum())


@pytest.mark.parametrize(("speed", "wind"), [(5.0, 0.0), (20.0, 0.0), (0.0, 20.0), (10.0, -10.0)])
def test_the_trail_of_a_fast_emitter_has_no_stripes(speed, wind):
    """Renewed twice while it goes its own width. Of a ball that does so in each frame fluid lay
    there once a frame alone: .6 to 1."""
    sim = trail(speed, 2 * abs(speed - wind) / 0.5, wind)
    amplitude, chance = stripes(sim, speed - wind)
    assert amplitude < 0.1 + chance
    swept = np.pi * 0.25**2 * abs(speed - wind) * sim.time  # what a ball goes through
    fluid = sim.vortons.volume[sim.vortons.temperature > 300].sum(dtype=float)
    assert fluid == pytest.approx(swept, rel=0.1)  # it was .4 to .6 of it


def test_a_thin_trail_is_told_of():
    with pytest.warns(vt.SceneWarning, match=r"sources\[0\], Emitter goes its own length of 0\.5 m"
                      r".*has 0.05 of .*Give it renew = 20") as told:  # fmt: skip
        trail(10.0, 1.0, frames=2)
    assert len(told) == 1


def test_a_full_trail_is_not(recwarn):
    trail(10.0, 20.0, frames=2)
    trail(0.5, None, frames=2)
    assert not [w for w in recwarn if issubclass(w.category, vt.SceneWarning)]


def in_a_wind(walls):
    """An emitter that is filled once a second, in a wind that goes its length in a tenth."""
    scene = vt.Scene("stack", seed=1, voxel=0.1, wind=(3, 0, 0))
    sides = [vt.Box((-0.3, -0.3, -1), (-0.2, 0.3, 1)), vt.Box((0.2, -0.3, -1), (0.3, 0.3, 1))]
    sides += [vt.Box((-0.2, -0.3, -1), (0.2, -0.2, 1)), vt.Box((-0.2, 0.2, -1), (0.2, 0.3, 1))]
    if walls:
        scene.add(vt.Body([*sides, vt.Box((-0.3, -0.3, -1.1), (0.3, 0.3, -1))], shedding=0))
    disk = vt.Disk((0, 0, 0), radius=0.15, thickness=0.2)
    scene.add(vt.Emitter(disk, temperature=400, renew=1, core=0.1, per_voxel=1))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        vt.Simulation(scene, fps=FPS, threads=1).step(6)
    return [w for w in told if "its trail" in str(w.message)]


def test_walls_that_keep_the_wind_from_an_emitter():
    """A chimney: what counts is the fluid that goes through it, not the wind outside."""
    assert in_a_wind(walls=False) and not in_a_wind(walls=True)
