"""Bodies that touch and never move against each other have their panels together."""

import copy
import pickle

import numpy as np
import pytest
from beside_walls import rms

import vorton as vt
from vorton.validation.boards import duct


def boards_around(half, thickness, gap=0.0):
    """Six boards around a cube, inside half x 2 wide, that do not quite meet."""
    inner, outer = half, half + thickness
    for axis in range(3):
        for side in (-1, 1):
            low, high = np.full(3, -outer), np.full(3, outer)
            low, high = low + gap, high - gap
            low[:axis], high[:axis] = -inner + gap, inner - gap
            low[axis], high[axis] = sorted((side * inner, side * outer))
            yield vt.Box(tuple(low), tuple(high))


def ring(**changes):
    given = {"radius": 0.18, "core": 0.05, "circulation": 0.2} | changes
    return vt.VortexRing((0.05, 0, 0.02), axis=(0.3, 0.2, 1), **given)


def simulated(items, fps=1000, threads=1, steps=1, **options):
    scene = vt.Scene("joined", seed=1, **options)
    for item in items:
        scene.add(item)
    sim = vt.Simulation(scene, fps=fps, threads=threads)
    sim.step(steps)
    return sim


def mean_along(sim, half, heights):
    """The mean of the velocity along z over the sections of a square hole."""
    g = half * (2 * (np.arange(24) + 0.5) / 24 - 1)
    x, y = (a.ravel() for a in np.meshgrid(g, g))
    return [sim.velocity_at(np.c_[x, y, 0 * x + z])[:, 2].mean() for z in heights]


@pytest.mark.slow
def test_what_flows_into_a_duct_of_boards_flows_out_of_it():
    """The same through each of its sections. Of boards that are solved for one by one, and see
    little of those beside them, the last one has .56 of the first."""
    path = vt.Keys([(0, (0, 0, 0.2)), (1, (0, 0, 0.7))])
    piston = vt.Body(vt.Box((-0.24, -0.24, -0.1), (0.24, 0.24, 0.1)), shedding=0,
                     parent=vt.Transform(position=path))  # fmt: skip
    walls = [vt.Body(board, shedding=0) for board in duct(0.25, 0.2, 1.2)]
    far = vt.VortexRing((0, 0, 1.7), radius=0.1, core=0.05, circulation=1e-4)
    sim = simulated([*walls, piston, far], fps=24, steps=6)
    means = mean_along(sim, 0.25, (0.6, 0.75, 0.9, 1.05, 1.18))
    assert min(means) > 0.15
    assert max(means) - min(means) < 0.12 * max(means)


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0, 0.003])
def test_a_room_of_six_boards_is_as_a_container(gap):
    """Whose walls are mirrors in the transforms. Off the ring, whose cores lie otherwise on each
    grid; before the boards were joined .0074 m/s."""
    g = (2 * (np.arange(13) + 0.5) / 13 - 1) * 0.37
    points = np.stack(np.meshgrid(g, g, g), -1).reshape(-1, 3)
    points = points[np.abs(points).max(axis=1) > 0.25]
    boards = [vt.Body(board, shedding=0) for board in boards_around(0.4, 0.2, gap)]
    room = vt.Container(vt.Box((-0.4, -0.4, -0.4), (0.4, 0.4, 0.4)))
    found, mirrored = (
        simulated([ring(), *walls], spacing=0.03).velocity_at(points) for walls in (boards, [room])
    )
    assert rms(found - mirrored) < 0.004
    assert rms(mirrored) > 0.05


def flow_past(*bodies):
    sim = simulated(bodies, wind=(0.3, 0.5, 0.4), spacing=0.06)
    points = np.random.default_rng(2).uniform(-0.8, 0.8, (2000, 3))
    return sim.velocity_at(points[(np.abs(points) > 0.45).any(axis=1)]) - (0.3, 0.5, 0.4)


@pytest.mark.slow
def test_quarters_of_a_block_are_as_the_block():
    whole = flow_past(vt.Body(vt.Box((-0.4, -0.4, -0.4), (0.4, 0.4, 0.4)), shedding=0, panels=800))
    quarters = flow_past(*(
        vt.Body(vt.Box((min(a, 0), min(b, 0), -0.4), (max(a, 0), max(b, 0), 0.4)), shedding=0)
        for a in (-0.4, 0.4) for b in (-0.4, 0.4)
    ))  # fmt: skip
    assert rms(quarters - whole) < 0.02 * rms(whole)


def test_a_body_inside_another_flush_with_its_wall_has_no_panels():
    """Corners of polytopes are rounded to floats, so that its sides stick out by 6e-8 m: of these
    4 panels were left, of 5e-9 m^2."""
    cube = np.stack(np.meshgrid(*3 * [(-1, 1)], indexing="ij"), axis=-1).reshape(-1, 3)
    turn, _ = np.linalg.qr([(1, 2, 3), (4, 5, 6), (7, 8, 10)])
    inner = cube * 0.25 + (0, 0, 0.75)
    outer, inner = (vt.Polytope(np.float32(corners @ turn)) for corners in (cube, inner))
    bodies = [vt.Body(shape, shedding=0, panels=100) for shape in (outer, inner)]
    sim = simulated(bodies, wind=(1, 0.3, 0))
    assert not sim._core.panels(1)["density"].any()
    assert sim._core.panels(0)["density"].any()


def test_no_wind_blows_in_a_closed_room_of_boards():
    """Of each one on its own .37."""
    boards = [vt.Body(board, shedding=0, panels=120) for board in boards_around(0.4, 0.1)]
    sim = simulated(boards, wind=(1, 0.3, 0.2), spacing=0.05)
    points = np.random.default_rng(5).uniform(-0.33, 0.33, (500, 3))
    assert rms(sim.velocity_at(points)) < 0.12


@pytest.mark.slow
def test_what_no_flow_sets_in_a_cavity_stays_small():
    """Even sources of all its walls do nothing, inside or outside: what rounding leaves of them
    blew up in the fifth frame."""
    boards = [vt.Body(board, panels=120) for board in boards_around(0.35, 0.08)]
    sim = simulated(boards, fps=24, steps=6, wind=(1, 0, 0), spacing=0.07)
    assert np.linalg.norm(sim.vortons.velocity, axis=1).max() < 3
    for n in range(6):
        assert np.abs(sim._core.panels(n)["density"]).max() < 5


@pytest.mark.slow
def test_a_steady_wind_without_vortices_pulls_at_nothing():
    """D'Alembert: at an open room with walls of a third of a panel."""
    boards = [vt.Body(board, shedding=0, panels=120) for board in boards_around(0.4, 0.05)]
    sim = simulated(boards[1:], fps=24, steps=4, wind=(1, 0.3, 0), spacing=0.07)
    force = sum(np.array(body.flow_impulse) for body in sim.bodies)
    assert np.abs(force).max() < 1e-6


@pytest.mark.slow
def test_where_the_boards_come_from_does_not_matter():
    """Each led by a transform of its own, or all by one that stands still."""
    boards = list(boards_around(0.4, 0.1))
    alone = simulated([ring(), *(vt.Body(board, shedding=0, panels=100) for board in boards)])
    led = [ring()]
    for n, board in enumerate(boards):
        middle = np.array([0.1 * n, -0.2, 0.3])
        turned = vt.Transform(position=tuple(middle), axis=(0, 0, 1), angle=90)
        low, high = (np.array(corner) - middle for corner in (board.lower, board.upper))
        corners = np.array([[low[1], -low[0], low[2]], [high[1], -high[0], high[2]]])
        moved = vt.Box(tuple(corners.min(axis=0)), tuple(corners.max(axis=0)))
        led.append(vt.Body(moved, parent=turned, shedding=0, panels=100))
    points = np.random.default_rng(3).uniform(-0.35, 0.35, (500, 3))
    expected = alone.velocity_at(points)
    found = simulated(led).velocity_at(points)
    assert rms(found - expected) < 0.02 * rms(expected)
    assert rms(found - expected) > 0  # not the same panels


BED = vt.Emitter(vt.Disk((0, 0, 0.3), radius=0.12, thickness=0.1), temperature=400, core=0.06)
FALLING = vt.VortexRing((0.03, 0, 0.4), radius=0.12, core=0.06, circulation=-0.2)


def crate(source, **options):
    boards = [*duct(0.3, 0.1, 0.6), vt.Box((-0.4, -0.4, -0.1), (0.4, 0.4, 0))]
    return [*(vt.Body(board, panels=80, **options) for board in boards), source]


def columns(sim):
    v = sim.vortons
    return np.c_[v.position, v.strength, v.core].tobytes()


@pytest.mark.slow
def test_e1_same_bits_for_threads_and_copies():
    sims = [simulated(crate(BED), fps=24, threads=n, steps=4) for n in (1, 3)]
    sims += [copy.copy(sims[0]), pickle.loads(pickle.dumps(sims[0]))]
    for sim in sims:
        sim.step(3)
    assert len({columns(sim) for sim in sims}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("way", ["removed", "placed"])
def test_bodies_part_where_one_is_taken_away(way):
    """The flow is that of what is left, and what grows at panels that are no more grows no
    longer."""
    sim = simulated(crate(FALLING), fps=24, steps=4)
    alone = simulated(crate(FALLING)[1:-1], fps=24, steps=0)
    count = sim._core.panels(2)["area"].size
    if way == "removed":
        sim.remove(sim.scene.bodies[0])
    else:
        sim.set_body(0, position=(5, 5, 5))
    n = sim.vortons.count
    alone.vortons.add(sim.vortons.position, sim.vortons.strength, core=sim.vortons.core,
                      volume=sim.vortons.volume)  # fmt: skip
    points = np.random.default_rng(4).uniform((-0.25, -0.25, 0.05), (0.25, 0.25, 0.55), (300, 3))
    found, expected = sim.velocity_at(points), alone.velocity_at(points)
    assert rms(found - expected) < 0.01 * rms(expected)
    assert sim._core.panels(2)["area"].size != count  # it has touched the first
    sim.step()
    assert sim.vortons.count >= n
