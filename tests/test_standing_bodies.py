"""Bodies that stand on planes, against themselves with their mirror images in free space."""

import functools
import pickle

import numpy as np
import pytest
from beside_walls import rms
from scipy.spatial.transform import Rotation

import vorton as vt

TURNED = vt.Transform(position=(0.1, -0.2, 0.3), axis=(1, 2, 0), angle=35.0)
TURN = Rotation.from_rotvec(np.radians(35) * np.array((1, 2, 0)) / 5**0.5).as_matrix()


def walls(low, thick=0.05, half=0.6):
    """Four walls that end at 1 m."""
    a, b = half, half - thick
    return [
        vt.Box((-a, -a, low), (-b, a, 1)),
        vt.Box((b, -a, low), (a, a, 1)),
        vt.Box((-b, -a, low), (b, -b, 1)),
        vt.Box((-b, b, low), (b, a, 1)),
    ]


ROOF = vt.Box((-0.6, -0.6, 1), (0.6, 0.6, 1.05))
UNDER = vt.Box((-0.6, -0.6, -1.05), (0.6, 0.6, -1))
HUT = [*walls(0), ROOF]
INSIDE = np.random.default_rng(1).uniform((-0.5, -0.5, 0.05), (0.5, 0.5, 0.95), (400, 3))
AROUND = np.random.default_rng(2).uniform((-1.2, -1.2, 0.02), (1.2, 1.2, 1.4), (2000, 3))
OUTSIDE = AROUND[(np.abs(AROUND[:, :2]).max(axis=1) > 0.7) | (AROUND[:, 2] > 1.15)]


def bodies(shapes, panels=120, **values):
    return [vt.Body(shape, panels=panels, **values) for shape in shapes]


def simulated(items, steps=1, threads=1, wind=(1, 0, 0), **scene):
    scene = vt.Scene("on a plane", seed=1, wind=wind, **scene)
    for item in items:
        scene.add(item)
    sim = vt.Simulation(scene, fps=24, threads=threads)
    sim.step(steps)
    return sim


@functools.cache
def around_hut_and_image():
    boards = bodies([*walls(-1), ROOF, UNDER], 160, shedding=0)
    return simulated(boards).velocity_at(OUTSIDE)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*panels are.*wide")
@pytest.mark.parametrize("kind", ["boards", "one body", "in its space", "buried"])
def test_a_wind_blows_around_a_hut_on_a_plane_as_around_it_and_its_image(kind):
    """With panels of the plane in place of the image .28 to .30 m/s were inside, and outside .07
    to .08 was wrong."""
    parent = TURNED if kind == "in its space" else None
    turn, origin = (TURN, TURNED.position) if parent else (np.eye(3), (0, 0, 0))
    floor = vt.Body(vt.Plane(), parent=parent)
    hut = bodies(HUT, shedding=0, parent=parent)
    if kind == "buried":  # walls go on below the plane, and all of a slab is there
        slab = vt.Box((-0.5, -0.5, -0.4), (0.5, 0.5, -0.2))
        hut = bodies([*walls(-0.1), ROOF, slab], shedding=0)
    if kind == "one body":
        hut = bodies([HUT], 600, shedding=0)
    on_plane = simulated([*hut, floor], wind=tuple(turn[:, 0]))
    inside, outside = (
        on_plane.velocity_at(np.float32(x @ turn.T + origin)) @ turn for x in (INSIDE, OUTSIDE)
    )
    wanted = around_hut_and_image()
    assert rms(inside) < 0.18
    assert rms(outside - wanted) < 0.15 * rms(wanted - (1, 0, 0))


@pytest.mark.filterwarnings("ignore:.*panels are.*wide")
def test_planes_are_walls_of_a_room_in_a_corner():
    """Four boards and two planes: .39 with their panels in place of images."""
    west = vt.Plane((-0.55, 0, 0), (1, 0, 0))
    boards = bodies(HUT[1:], shedding=0)
    sim = simulated([*boards, vt.Body(vt.Plane()), vt.Body(west)], wind=(0, 1, 0))
    assert rms(sim.velocity_at(INSIDE)) < 0.2


def test_a_wind_pulls_a_dome_onto_the_plane():
    """U (R^3 / (2 r^3) + 1) past it: its sources are pulled with 11/32 pi less 5/8 pi, in rho U^2
    R^2, where the flow within them, 3/2 U, presses on the base."""
    dome = vt.Body(vt.Sphere((0, 0, 0), 0.5), panels=320, shedding=0)
    sim = simulated([dome, vt.Body(vt.Plane())], steps=2)
    pull = 24 * np.array(sim.bodies[0].flow_impulse)
    wanted = (11 / 32 - 5 / 8) * np.pi * 0.5**2
    assert pull[2] == pytest.approx(wanted, rel=0.15)
    assert np.abs(pull[:2]).max() < 1e-3


@pytest.mark.parametrize("mirrors", [1, 2])
def test_vortex_lines_that_a_block_sheds_go_on_in_its_image(mirrors):
    """They sum to nothing only together with those of the image: a half of a block twice as high,
    or a quarter, sheds as large a share of its layer one way. A larger block takes its time."""
    low = (-0.3, 0 if mirrors == 2 else -0.3, 0)
    planes = [vt.Plane(), vt.Plane((0, 0, 0), (0, 1, 0))][:mirrors]
    block = vt.Body(vt.Box(low, (0.3, 0.3, 0.5)), panels=200)
    whole = vt.Body(vt.Box((-0.3, -0.3, -0.5), (0.3, 0.3, 0.5)), panels=400)
    part, free = (
        simulated(items, spacing=0.06) for items in ([block, *map(vt.Body, planes)], [whole])
    )
    x = free.vortons.position
    beside = (x[:, 2] > 0) & (x[:, 1] > (0 if mirrors == 2 else -1))
    wanted, found = (
        strength.sum(axis=0) / np.linalg.norm(strength, axis=1).sum()
        for strength in (free.vortons.strength[beside], part.vortons.strength)
    )
    assert np.linalg.norm(wanted) > 0.3
    assert np.linalg.norm(found - wanted) < 0.1 * np.linalg.norm(wanted)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*panels are.*wide")
def test_same_bits_on_a_floor_that_moves():
    """By any number of threads, and after a pickle."""
    moves = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (0.3, 0, 0.6))]))
    items = [*bodies(HUT, 60, parent=moves), vt.Body(vt.Plane(), parent=moves)]
    one, many = (simulated(items, threads=threads) for threads in (1, 3))
    again = pickle.loads(pickle.dumps(one))
    states = []
    for sim in one, many, again:
        sim.step()
        states.append(sim.vortons.strength.copy())
    assert len(states[0]) > 100
    assert np.array(one._core.panels(0)["normal"])[:, 2].min() > -0.5  # none on the floor
    assert np.array_equal(states[0], states[1]) and np.array_equal(states[0], states[2])


@pytest.mark.parametrize("whole", [False, True])
def test_a_lid_on_a_plane_is_told_to_have_too_wide_panels(whole):
    """The plane is the wall that it faces, and none that it touches."""
    lid = [
        vt.Box((-0.6, -0.6, 0), (-0.55, 0.6, 0.2)),
        vt.Box((0.55, -0.6, 0), (0.6, 0.6, 0.2)),
        vt.Box((-0.55, -0.6, 0), (0.55, -0.55, 0.2)),
        vt.Box((-0.55, 0.55, 0), (0.55, 0.6, 0.2)),
        vt.Box((-0.6, -0.6, 0.2), (0.6, 0.6, 0.25)),
    ]
    shapes = bodies([lid] if whole else lid, 200 if whole else 40, shedding=0)
    advice = r"panels=\d+$" if whole else r"as many to the 4 that it touches"
    with pytest.warns(vt.SceneWarning, match=r"across 0.2 m.*" + advice):
        simulated([*shapes, vt.Body(vt.Plane())])


def test_a_block_stands_no_longer_on_a_plane_that_was_placed_elsewhere():
    """It had no panels below, and its image in the plane where that is now: a tenth was wrong."""

    def around_block(height):
        block = vt.Body(vt.Box((-0.3, -0.3, 0), (0.3, 0.3, 0.5)), panels=160, shedding=0)
        sim = simulated([block, vt.Body(vt.Plane((0, 0, height)), name="floor")])
        sim.set_body("floor", position=(0, 0, -1))
        return sim.velocity_at(OUTSIDE)

    assert np.array_equal(around_block(0), around_block(-1))
