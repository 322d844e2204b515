"""Bodies that shed where their panels are much wider than the cells."""

import numpy as np
import pytest
from marks import slow_but

import vorton as vt

SIDE = 0.6  # of a box, m
WAY = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (0.5, (2, 0, 0))]))  # at 4 m/s


def moving_box(spacing, **options):
    scene = vt.Scene(gravity=(0, 0, 0), spacing=spacing)
    scene.add(vt.Body(vt.Box((0, 0, 0), (SIDE,) * 3), name="box", parent=WAY, panels=48))
    return vt.Simulation(scene, threads=1, **options)


def volumes_in_cores(sim):
    return sim.vortons.volume / sim.vortons.core**3


@pytest.mark.parametrize("spacing", slow_but([0.03], [0.02, 0.03]))
def test_wide_panels_shed_no_lumps(spacing):
    """Fluid around a bluff body is up to twice as fast as that. A panel of 50 square cores, as one
    vorton, turned fluid at 17 m/s within two frames."""
    sim = moving_box(spacing, fps=48)
    for _ in range(2):
        sim.step()
    assert np.linalg.norm(sim.grids.velocity, axis=-1).max() < 8
    assert volumes_in_cores(sim).max() < 16.001


def test_what_is_shed_before_an_emitter_begins_has_its_cells():
    """Else its first layer, as wide as its panels, would be lumps later."""
    scene = vt.Scene(gravity=(0, 0, 0))
    scene.add(vt.Body(vt.Box((0, 0, 0), (SIDE,) * 3), parent=WAY, panels=48))
    exhaust = vt.Sphere((-0.1, 0.3, 0.3), radius=0.06)
    options = {"temperature": 400, "core": 0.03, "start": 1, "renew": 24}
    scene.add(vt.Emitter(exhaust, parent=WAY, **options))
    sim = vt.Simulation(scene, fps=96)
    sim.step()
    assert sim.grids.spacing == pytest.approx(0.03)
    assert volumes_in_cores(sim).max() < 16.001


@pytest.mark.slow
def test_a_body_with_more_layer_than_vortons_says_so():
    """Of two faces of 220 x 220 cores parts of 16 square cores are 8 000 or more."""
    scene = vt.Scene(gravity=(0, 0, 0), spacing=1 / 110)
    scene.add(vt.Body(vt.Box((0, 0, 0), (0.1, 2, 2)), name="board", parent=WAY, panels=300))
    sim = vt.Simulation(scene, fps=960)
    with pytest.warns(vt.SceneWarning, match=r"Body 'board' is too large .* a part of it"):
        sim.step()
    assert 4000 < sim.vortons.count < 8192
