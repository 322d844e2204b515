"""Method.order fourth against direct float64 sums, near the faces too, and its bits."""

import os
import subprocess
import sys

import numpy as np
from native import targets
from test_grid_velocity import waves

import vorton as vt
from vorton.validation.biot_savart import circle, direct

CORE = 0.1


def flow(position, strength, order, cells, core=CORE):
    """Of vortons whose cores are so many cells wide, not yet stepped."""
    sim = vt.Simulation(vt.Scene(spacing=core / cells, method=vt.Method(order=order)))
    sim.vortons.add(position, strength, core=core, volume=(core / 2) ** 3)
    return sim


def error_at(sim, points, exact):
    found = sim.velocity_at(np.float32(points))
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)


def test_waves_of_four_cores_need_cells_no_finer_than_cores():
    """With cores of one cell fourth order is better than second with one and a half."""
    x, strength = waves(CORE, 0.5, seed=1)
    some = x[::16]
    exact = direct(some, x, strength, CORE)
    found = {(order, cells): error_at(flow(x, strength, order, cells), some, exact)
             for order in ("second", "fourth") for cells in (1.5, 1.0)}
    assert found["fourth", 1.0] < 0.0085 < found["second", 1.5] < found["second", 1.0]
    assert found["fourth", 1.0] < found["second", 1.0] / 3
    assert found["fourth", 1.5] < 0.0025


def tilted_circle(count):
    """Not along the lattice: in a plane of nodes the deposit spreads nothing across it."""
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    position, strength = circle(count)
    return position @ turn + 0.123, strength @ turn


def test_it_holds_up_to_the_faces():
    """Values at faces and edges enter the solution: points one to two cells inside of each face."""
    position, strength = tilted_circle(256)
    sim = flow(position, strength, "fourth", 1.5, 0.2)
    grid = sim.grids
    extent = grid.spacing * (np.array(grid.velocity.shape[2::-1]) - 1)
    random = np.random.default_rng(3)
    for axis in range(3):
        for high in (False, True):
            points = random.uniform(0, 1, (300, 3)) * (extent - 2 * grid.spacing) + grid.spacing
            points[:, axis] = random.uniform(1, 2, 300) * grid.spacing
            if high:
                points[:, axis] = extent[axis] - points[:, axis]
            points += grid.origin
            exact = direct(points, position, strength, 0.2)
            assert error_at(sim, points, exact) < 0.011


def test_vortons_and_tracers_take_the_same_velocity():
    x, strength = waves(CORE, 0.3, seed=2)
    sim = flow(x, 1e-4 * strength, "fourth", 1.0)
    order = sim.vortons.id.copy()
    sim.tracers.add(sim.vortons.position, density=1, size=0.1)
    sim.advance(1e-6)
    vortons = sim.vortons.velocity[np.argsort(sim.vortons.id)]
    tracers = sim.tracers.velocity[np.argsort(sim.tracers.id)][np.argsort(order)]
    assert np.abs(vortons - tracers).max() < 1e-5 * np.abs(vortons).max()


def test_bodies_and_rooms_are_of_second_order():
    for container in (False, True):
        scenes = []
        for order in ("second", "fourth"):
            scene = vt.Scene(spacing=0.1, method=vt.Method(order=order))
            scene.add(vt.VortexRing(core=0.15))
            kind, shape = ((vt.Container, vt.Box((-2, -2, -2), (2, 2, 2))) if container else
                           (vt.Body, vt.Sphere((0, 0, 2), radius=0.3)))
            scene.add(kind(shape))
            sim = vt.Simulation(scene)
            sim.step(2)
            scenes.append(np.array(sim.vortons.position))
        assert np.array_equal(*scenes)


FRESH = """
import hashlib, sys
import vorton as vt
scene = vt.Scene(seed=3, method=vt.Method(order="fourth"))
scene.add(vt.VortexRing(core=0.15, wobble=0.1))
scene.add(vt.Emitter(vt.Disk(radius=0.3, thickness=0.1), temperature=500, core=0.12))
sim = vt.Simulation(scene, threads=int(sys.argv[1]))
sim.step(5)
both = sim.vortons.position.tobytes() + sim.tracers.position.tobytes()
print(vt._core.simd(), hashlib.sha256(both).hexdigest())
"""


def test_e1_same_bits_by_every_instruction_set_and_number_of_threads():
    found = set()
    for n, simd in enumerate(targets()):
        done = subprocess.run([sys.executable, "-c", FRESH, str(n + 1)], capture_output=True,
                              env=os.environ | {"VORTON_SIMD": simd}, text=True, check=True)
        name, digest = done.stdout.split()
        assert name == simd
        found.add(digest)
    assert len(found) == 1
