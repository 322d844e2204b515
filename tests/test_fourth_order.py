"""Method.order fourth against direct float64 sums, near the faces too, and its bits."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from marks import slow_but
from native import targets
from test_grid_velocity import waves

import vorton as vt
from vorton.validation.biot_savart import circle, direct

CORE = 0.1


def flow(position, strength, order, cells, core=CORE, **method):
    """Of vortons whose cores are so many cells wide, not yet stepped."""
    sim = vt.Simulation(vt.Scene(spacing=core / cells, method=vt.Method(order=order, **method)))
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
    assert found["fourth", 1.0] < 0.006 < found["second", 1.5] < found["second", 1.0]
    assert found["fourth", 1.0] < found["second", 1.0] / 4
    assert found["fourth", 1.5] < 0.0015


@pytest.mark.parametrize(
    ("cells", "order", "most"),
    slow_but(
        [(1.9, 4, 0.001)],
        [(1.0, 16, 0.008), (1.3, 8, 0.004), (1.5, 6, 0.002), (1.9, 4, 0.001)],
    ),
)
def test_sharp_cores_are_a_sum_of_wider_ones(cells, order, most):
    """Waves that a Gaussian core leaves the share g keep 1 - (1 - g)^n, n half of the order; g^k is
    a Gaussian of sqrt(k) times the core; `vorton.testing.exact_velocity` knows it, too."""
    x, strength = waves(CORE, 0.5, seed=1)
    some = np.float32(x[::16])
    sim = flow(x, strength, "fourth", cells, cores="sharp")
    n = order // 2
    exact = sum(
        (-1) ** (k + 1) * math.comb(n, k) * direct(some, x, strength, math.sqrt(k) * CORE)
        for k in range(1, n + 1)
    )
    gaussian = flow(x, strength, "fourth", cells).velocity_at(some)
    assert (np.linalg.norm(gaussian - exact) > 0.1 * np.linalg.norm(exact)) == (n > 1)
    assert error_at(sim, some, exact) < most  # of what the sharper leave, the grid knows less
    assert sim.health.core_order == order
    judged = vt.testing.exact_velocity(sim, some)
    assert np.abs(judged - exact).max() < 1e-6 * np.abs(exact).max()


def fog(*others, **method):
    """An emitter, and others."""
    scene = vt.Scene("fog", method=vt.Method(**method))
    fog = vt.Emitter(vt.Sphere((0, 0, -1), 0.2), temperature=400, core=0.1, renew=2, lifetime=1)
    for source in (fog, *others):
        scene.add(source)
    return vt.Simulation(scene, fps=24)


RING = vt.VortexRing(circulation=1, radius=0.5, core=0.2)
POINTS = vt.VortonPoints([[0, 0, 0.0]], [[0, 0, 0.1]], core=0.1, volume=1e-3, rate=10)


@pytest.mark.parametrize(
    ("others", "method", "order"),
    [
        ((), {}, 16),
        ((), {"cores": "filtered"}, 2),
        ((RING,), {}, 2),
        ((RING,), {"cores": "sharp"}, 16),
        ((POINTS,), {}, 2),
        ((vt.Tracers(vt.Sphere(), count=5),), {}, 16),
    ],
)
def test_cores_are_sharp_by_themselves_where_emitters_bear_all_vortons(others, method, order):
    """A vortex keeps the core that it was given."""
    sim = fog(*others, **method)
    sim.step()
    assert sim.health.core_order == order


def test_cores_stay_as_they_were_at_the_first_step():
    """In copies, archives and where sources come and go; a ring moves as it does without an emitter
    2 m away."""
    sim = fog()
    sim.step()
    sim.remove(sim.scene.sources[0])
    sim.add(RING)
    other = sim.copy()
    for each in (sim, other):
        each.step()
        assert each.health.core_order == 16
    assert sim.same_state(other)
    places = []
    for beside in (False, True):
        scene = vt.Scene("ring", spacing=0.1)
        scene.add(RING)
        if beside:
            scene.add(vt.Emitter(vt.Sphere((2.5, 0, 0), 0.2), temperature=293.2, core=0.1, renew=0))
        alone = vt.Simulation(scene, fps=24)
        alone.step(12)
        strong = np.linalg.norm(alone.vortons.strength, axis=1)
        strong *= np.abs(alone.vortons.position[:, 0]) < 1
        places.append(np.average(alone.vortons.position[:, 2], weights=strong))
    assert places[1] == pytest.approx(places[0], rel=0.02)


def test_sharp_cores_stop_at_walls():
    """In a room nothing passes the walls."""
    position, strength = circle(300)
    scene = vt.Scene(spacing=CORE, method=vt.Method(cores="sharp"))
    scene.add(vt.Container(vt.Box((-1, -1, -1), (1, 1, 1))))
    sim = vt.Simulation(scene)
    sim.vortons.add(0.4 * position, 0.4 * strength, core=CORE, volume=(CORE / 2) ** 3)
    u = sim.grids.velocity
    fastest = np.abs(u).max()
    for c, axis in enumerate((2, 1, 0)):
        faces = np.take(u[..., c], [0, -1], axis)
        assert np.abs(faces).max() < 2e-5 * fastest


def test_cores_too_wide_for_the_taps_are_refused():
    with pytest.raises(ValueError, match="spacing 0.0454545 m is too fine for the smallest"):
        flow(*circle(50), "fourth", 2.2, cores="sharp").velocity_at([[0, 0, 0]])


def test_cores_are_as_wide_wherever_in_a_cell_vortons_lie():
    """A ring in a plane of nodes, and between two; of second order it is narrower there."""
    position, strength = circle(400)
    points = position[::8] + np.random.default_rng(1).normal(0, 0.1, (50, 3))
    for plane in (0, 0.05):
        moved = position + [0, 0, plane]
        exact = direct(points, moved, strength, 0.2)
        assert error_at(flow(moved, strength, "fourth", 2.0, 0.2), points, exact) < 0.004


def tilted_circle(count):
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
    sim = flow(x, 1e-4 * strength, "fourth", 1.0, rounding=0)
    order = sim.vortons.id.copy()
    sim.tracers.add(sim.vortons.position, density=1, size=0.1)
    sim.advance(1e-6)
    vortons = sim.vortons.velocity[np.argsort(sim.vortons.id)]
    tracers = sim.tracers.velocity[np.argsort(sim.tracers.id)][np.argsort(order)]
    assert np.abs(vortons - tracers).max() < 1e-5 * np.abs(vortons).max()


def error_beside_a_wall(order):
    """Of a ring near a wall of a wide room, against it and its mirror image: beside the ring and in
    the last cell before the wall, where a vorton or a point takes nodes of the image."""
    position, strength = circle(300)
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    position, strength = 0.4 * position @ turn, 0.4 * strength @ turn
    position[:, 2] += 0.05 - position[:, 2].min()
    scene = vt.Scene(spacing=CORE, method=vt.Method(order=order))
    scene.add(vt.Container(vt.Box((-3, -3, 0), (3, 3, 6))))
    sim = vt.Simulation(scene)
    sim.vortons.add(position, strength, core=CORE, volume=(CORE / 2) ** 3)
    random = np.random.default_rng(1)
    beside = position[::4] + random.normal(0, CORE, (75, 3))
    low = np.hstack([random.uniform(-0.5, 0.5, (100, 2)), random.uniform(0, CORE, (100, 1))])
    points = np.concatenate([beside, low])
    points[:, 2] = np.abs(points[:, 2])
    both = np.concatenate([position, position * (1, 1, -1)])
    exact = direct(points, both, np.concatenate([strength, strength * (-1, -1, 1)]), CORE)
    assert sim.grids.shape == (61, 61, 61)  # that of the room
    return error_at(sim, points, exact)


def test_walls_of_a_room_are_mirrors():
    assert error_beside_a_wall("fourth") < 0.018 < 0.04 < error_beside_a_wall("second")


@pytest.mark.parametrize("cells", slow_but([20], [16, 20, 24, 32]))
def test_a_room_is_the_same_on_both_sides(cells):
    """Its last nodes take images as its first do, whatever the vectors that hold them."""
    half = cells / 20
    scene = vt.Scene(spacing=0.1, method=vt.Method(order="fourth"))
    scene.add(vt.Container(vt.Box((-half,) * 3, (half,) * 3)))
    sim = vt.Simulation(scene)
    position, strength = circle(64)
    sim.vortons.add((half - 0.03) * position, strength, core=0.1, volume=1e-3)
    velocity = sim.grids.velocity
    assert velocity.shape == (cells + 1,) * 3 + (3,)
    for axis in (0, 1):  # a mirror turns the component across it
        turned = np.flip(velocity, 2 - axis) * np.where(np.arange(3) == axis, -1, 1)
        assert np.abs(turned - velocity).max() < 1e-5 * np.abs(velocity).max()


def test_views_show_velocities_and_potentials_themselves():
    """What a point takes at a node is what the node shows; its curl is that of the potential."""
    position, strength = tilted_circle(256)
    grid = flow(position, strength, "fourth", 1.2, 0.2).grids
    velocity, h = grid.velocity, grid.spacing
    k, j, i = (n // 2 for n in grid.shape)
    nodes = grid.origin + h * np.array([[i + n, j, k] for n in range(-8, 8)])
    sim = flow(position, strength, "fourth", 1.2, 0.2)
    assert sim.velocity_at(np.float32(nodes)) == pytest.approx(
        velocity[k, j, i - 8 : i + 8], abs=2e-6 * float(np.abs(velocity).max())
    )
    exact = direct(nodes, position, strength, 0.2)
    assert np.linalg.norm(velocity[k, j, i - 8 : i + 8] - exact) < 0.02 * np.linalg.norm(exact)


FRESH = """
import hashlib, sys
import vorton as vt
found = hashlib.sha256()
wide = vt.Container(vt.Box((-2, -2, -2), (2, 2, 2)))
tight = vt.Container(vt.Box((-1.1, -1.1, -0.9), (1.1, 1.1, 1.3)))  # half a cell from the ring
for solid in None, vt.Body(vt.Sphere((0.1, 0, 0.8), 0.3)), wide, tight:
    scene = vt.Scene(seed=3, spacing=0.1375, method=vt.Method(order="fourth"))
    scene.add(vt.VortexRing(core=0.15, wobble=0.1))
    scene.add(vt.Emitter(vt.Disk(radius=0.3, thickness=0.1), temperature=500, core=0.12))
    if solid:
        scene.add(solid)
    sim = vt.Simulation(scene, threads=int(sys.argv[1]))
    sim.step(3)
    found.update(sim.vortons.position.tobytes() + sim.tracers.position.tobytes())
print(vt._core.simd(), found.hexdigest())
"""


@pytest.mark.slow
def test_e1_same_bits_by_every_instruction_set_and_number_of_threads():
    found = set()
    for n, simd in enumerate(targets()):
        done = subprocess.run([sys.executable, "-c", FRESH, str(n + 1)], capture_output=True,
                              env=os.environ | {"VORTON_SIMD": simd}, text=True, check=True)
        name, digest = done.stdout.split()
        assert name == simd
        found.add(digest)
    assert len(found) == 1
