"""Source panels on planes, alone or as walls of a container (S8): against the mirror image."""

import numpy as np
import pytest
from beside_walls import directions, rms, track
from marks import slow_but
from scipy.spatial import cKDTree

import vorton as vt

TURNED = vt.Transform(position=(0.1, -0.2, 0.3), axis=(1, 2, 0), angle=35.0)
CORE = 0.1


def simulation(*items, fps=10_000, **scene):
    scene = vt.Scene("floor", voxel=0.1, gravity=(0, 0, 0), **scene)
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, fps=fps, threads=1)


def stepped(*items, **scene):
    sim = simulation(*items, **scene)
    sim.step()
    return sim


def ring(z, parent=None, circulation=1.0, axis=(0, 0, 1), core=CORE):
    return vt.VortexRing(
        center=(0, 0, z), axis=axis, radius=0.4, core=core, circulation=circulation, parent=parent
    )


def floor(kind, parent=None, **values):
    """The fluid is above z = 0 in its space."""
    if kind == "body":
        return vt.Body(vt.Plane(), parent=parent, **values)
    return vt.Container(vt.Plane((0, 0, 0), (0, 0, -1)), parent=parent, **values)


def frame(parent):
    """Columns: the axes of the space of a transform in the world; its origin."""
    if parent is None:
        return np.eye(3), np.zeros(3)
    axis = np.array(parent.axis) / np.linalg.norm(parent.axis)
    a, cross = np.radians(parent.angle), np.cross(np.eye(3), axis)
    turn = np.cos(a) * np.eye(3) + np.sin(a) * cross + (1 - np.cos(a)) * np.outer(axis, axis)
    return turn, np.array(parent.position)


def velocity(sim, x, parent=None):
    """At points of the space of a transform, in its axes."""
    turn, origin = frame(parent)
    return sim.velocity_at(np.float32(x @ turn.T + origin)) @ turn


def points(count=200, low=0.05, high=0.6):
    x = np.random.default_rng(3).uniform(-0.7, 0.7, (count, 3))
    x[:, 2] = np.random.default_rng(4).uniform(low, high, count)
    return x


# ---- S8 ----


@pytest.mark.parametrize("parent", [None, TURNED])
@pytest.mark.parametrize("kind", ["body", "container"])
def test_s8_no_flow_through_a_plane(kind, parent):
    x = points(low=1e-4, high=2e-4)
    alone, above = stepped(ring(0.3, parent)), stepped(ring(0.3, parent), floor(kind, parent))
    flow = np.linalg.norm(velocity(above, x, parent), axis=1).max()
    before, after = (rms(velocity(sim, x, parent)[:, 2:]) for sim in (alone, above))
    assert before > 0.1 * flow
    assert after < 0.02 * flow


@pytest.mark.parametrize(("kind", "panels"), [("body", 20), ("body", 320), ("container", 320)])
@pytest.mark.parametrize("height", slow_but([0.3], [0.3, 0.45]))
def test_s8_a_ring_above_a_plane_has_its_image(height, kind, panels):
    """What the plane adds is the flow of the ring below it, reflected; panels of any number."""
    x = points()
    alone, above = stepped(ring(height)), stepped(ring(height), floor(kind, panels=panels))
    image = velocity(alone, x * (1, 1, -1)) * (1, 1, -1)
    assert rms(velocity(above, x) - velocity(alone, x) - image) < 0.06 * rms(image)


@pytest.mark.parametrize(("height", "error"), [(0.3, 0.05), (0.45, 0.06), (1.2, 0.2)])
def test_s8_a_slab_far_larger_than_the_ring_above_it_acts_as_a_plane(height, error):
    """The grid takes of it what is near, and the rest acts from beyond; as where none of it is in
    the grid. A grid around the slab would have sixteen million nodes."""
    slab = vt.Body(vt.Box((-10, -10, -1), (10, 10, 0)))
    fine = vt.VortexRing(
        center=(0, 0, height), radius=0.4, core=CORE, vorton_core=CORE / 2, circulation=1.0
    )
    alone, above = stepped(fine), stepped(fine, slab)
    assert np.prod(above.health.grid) < 4 * np.prod(alone.health.grid)
    x = points(low=-0.15, high=0.15) + (0, 0, height)
    image = velocity(alone, x * (1, 1, -1)) * (1, 1, -1)
    assert rms(velocity(above, x) - velocity(alone, x) - image) < error * rms(image)
    x = points(low=1e-4, high=2e-4)
    assert rms(velocity(above, x)[:, 2:]) < 0.02 * rms(velocity(alone, x)[:, 2:])


def test_s8_no_flow_through_a_wall_beside_an_upright_ring():
    """The panels reach a little farther than the vortons: there the wall is whole."""
    x = points(low=1e-4, high=2e-4) * (0.35, 0.7, 1)
    upright = ring(0.55, axis=(1, 0, 0))
    alone, above = stepped(upright), stepped(upright, floor("body"))
    flow = np.linalg.norm(velocity(above, x), axis=1).max()
    before, after = (rms(velocity(sim, x)[:, 2:]) for sim in (alone, above))
    assert before > 0.1 * flow
    assert after < 0.02 * flow


@pytest.mark.parametrize("kind", ["body", "container"])
def test_half_a_ring_that_stands_on_a_plane_flows_as_a_whole_one(kind):
    """Its lines go on in the image."""
    whole, half = stepped(ring(0.0, axis=(1, 0, 0))), simulation(floor(kind))
    v = whole.vortons
    upper = v.position[:, 2] > 0
    half.vortons.add(
        v.position[upper], v.strength[upper], core=v.core[upper], volume=v.volume[upper]
    )
    x = points() * (0.5, 0.6, 1)
    wanted = velocity(whole, x)
    alone = simulation()
    alone.vortons.add(
        v.position[upper], v.strength[upper], core=v.core[upper], volume=v.volume[upper]
    )
    lacks, differs = (rms(velocity(sim, x) - wanted) for sim in (alone, half))
    assert lacks > 0.15 * rms(wanted)
    assert differs < 0.35 * lacks


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["body", "container"])
def test_s8_a_ring_that_comes_down_on_a_floor_does_as_with_its_image(kind):
    """It stays off the floor and grows: the floor gives it impulse."""
    method, frames = vt.Method(halo=0), 16
    first = ring(0.7, circulation=-1.0, core=0.15)
    on_floor = track(simulation(first, floor(kind), method=method, fps=24), frames)
    second = ring(-0.7, core=0.15)
    image = track(simulation(first, second, method=method, fps=24), frames)
    alone = track(simulation(first, method=method, fps=24), frames)
    effect, error = (np.abs(way - image).max(axis=0) for way in (alone, on_floor))
    assert effect.min() > 0.1
    assert (error < np.array((0.02, 0.08)) * effect).all()


def test_s8_no_flow_through_a_body_nor_through_the_floor_below_it():
    ball = vt.Sphere((0, 0, 0.35), 0.25)
    sim = stepped(ring(0.8), vt.Body(ball, shedding=0), floor("body"))
    d = directions()
    on_ball = velocity(sim, (0, 0, 0.35) + 0.2502 * d)
    on_floor = velocity(sim, points(low=1e-4, high=2e-4))
    flow = max(np.linalg.norm(u, axis=1).max() for u in (on_ball, on_floor))
    assert rms((on_ball * d).sum(axis=1)[:, None]) < 0.02 * flow
    assert rms(on_floor[:, 2:]) < 0.02 * flow


# ---- planes that cut a container ----

BOX = vt.Box((-1, -0.8, -0.7), (1, 0.8, 0.7))


@pytest.mark.slow
def test_s8_a_plane_as_the_floor_of_a_box():
    """As in the box that is left."""
    x = points(low=-0.35, high=0.6)
    cut = BOX, vt.Plane((0, 0, -0.4), (0, 0, -1))
    rest = vt.Box((-1, -0.8, -0.4), (1, 0.8, 0.7))
    alone, one, other = (
        stepped(ring(0.0), vt.Container(shape, panels=panels))
        for shape, panels in ((BOX, 0), (rest, 700), (cut, 700))
    )
    effect = rms(velocity(alone, x) - velocity(one, x))
    assert rms(velocity(other, x) - velocity(one, x)) < 0.05 * effect


@pytest.mark.slow
def test_s8_no_flow_through_a_slanting_plane_in_a_box():
    normal = np.array((0.4, 0.2, -1)) / np.linalg.norm((0.4, 0.2, -1))
    shapes = BOX, vt.Plane((0, 0, -0.4), tuple(normal))
    with_panels, without = (
        stepped(ring(0.1), vt.Container(shapes, panels=panels)) for panels in (500, 0)
    )
    x = points() * (0.8, 0.8, 0)
    x[:, 2] = -0.4 + (x[:, :2] @ normal[:2]) / -normal[2] + 2e-4
    flow = np.linalg.norm(velocity(with_panels, x), axis=1).max()
    after, before = (rms(velocity(sim, x) @ normal[:, None]) for sim in (with_panels, without))
    assert before > 0.1 * flow
    assert after < 0.02 * flow


CORNER = vt.Plane((0, 0, 0), (0, 0, -1)), vt.Plane((-0.3, 0, 0), (-1, 0, 0))


def test_s8_a_container_of_planes_alone_is_refused():
    """Nothing would hold the flow there; the same walls as bodies do."""
    with pytest.raises(ValueError, match=r"bodies\[0\].*'pit'.*2 planes.*make each plane a body"):
        simulation(vt.Container(CORNER, name="pit"))
    for choice in {"velocity": "direct"}, {"bodies": "none"}:
        simulation(vt.Container(CORNER), method=vt.Method(**choice))
    sims = [stepped(ring(0.3), vt.Container(CORNER, panels=0))]
    walls = [vt.Body(vt.Plane(p.point, tuple(-x for x in p.normal)), panels=500) for p in CORNER]
    sims.append(stepped(ring(0.3), *walls))
    x = points()[points()[:, 0] > -0.25] * (1, 1, 0) + (0, 0, 2e-4)
    flow = np.linalg.norm(velocity(sims[1], x), axis=1).max()
    through = [rms(velocity(sim, x)[:, 2:]) for sim in sims]
    assert through[0] > 0.1 * flow and through[1] < 0.02 * flow


# ---- bounds ----


def test_planes_far_from_the_fluid_and_planes_without_fluid():
    """A plane asks for no room where there is no fluid near it, and acts from afar as the image of
    the ring does; it moves none by itself."""
    far, alone = stepped(ring(3.0), floor("body")), stepped(ring(3.0))
    assert far.health.grid == alone.health.grid
    x = points() + (0, 0, 2.6)
    image = velocity(alone, x * (1, 1, -1)) * (1, 1, -1)
    assert rms(velocity(far, x) - velocity(alone, x) - image) < 0.2 * rms(image)
    empty = simulation(floor("body"), wind=(1.0, 0, 0), fps=24)
    empty.step(2)
    np.testing.assert_allclose(velocity(empty, points()), np.tile((1, 0, 0), (200, 1)))


TILTING = vt.Transform(axis=(0, 1, 0), angle=vt.Keys([(0, 0), (1, 20)]))
ROOM = [vt.Cylinder((0, 0, 0.5), radius=1.0, length=2.0), vt.Plane((0, 0, 0), (0, 0.1, -1))]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(
    "walls",
    [
        floor("container", TILTING),
        vt.Container(ROOM, parent=TILTING),
    ],
    ids=["a plane", "a room cut by a plane"],
)
def test_e1_same_bits_above_a_plane_that_moves(threads, walls):
    states = []
    for count in (1, threads):
        scene = vt.Scene("floor", voxel=0.1, gravity=(0, 0, 0))
        for item in (
            ring(0.4),
            walls,
            vt.Body(vt.Sphere((0.3, 0, 0.2), 0.1)),
        ):
            scene.add(item)
        sim = vt.Simulation(scene, threads=count)
        sim.step(3)
        states.append((sim.vortons.position.copy(), sim.vortons.strength.copy()))
    for one, many in zip(*states, strict=True):
        assert np.array_equal(one, many)


@pytest.mark.parametrize("order, most", [("fourth", 0.06), ("second", 0.15)])
@pytest.mark.parametrize("cells", [0.0, 0.25, 0.75])
def test_vortons_at_a_floor_move_as_beside_their_image(order, most, cells):
    """Wherever the floor lies between nodes; what would press them on the floor is what
    the flow of the panels does across it."""
    level = 0.0225 * cells
    ring = {"radius": 0.15, "core": 0.045, "wobble": 0.0}
    above = vt.VortexRing((0, 0, level + 0.055), circulation=0.3, **ring)
    below = vt.VortexRing((0, 0, level - 0.055), circulation=-0.3, **ring)
    sims = [
        simulation(above, other, fps=200) for other in (vt.Body(vt.Plane((0, 0, level))), below)
    ]
    before, after = [], []
    for sim in sims:
        sim.method = vt.Method(order=order)
        sim.step()
        before.append(dict(zip(sim.vortons.id.tolist(), np.array(sim.vortons.position))))
        sim.step()
        after.append(dict(zip(sim.vortons.id.tolist(), np.array(sim.vortons.position))))
    near = [i for i, x in before[0].items() if x[2] < level + 0.008]
    ids = list(before[1])
    twin = cKDTree([before[1][i] for i in ids]).query([before[0][i] for i in near])[1]
    rise = np.array([after[0][i] - before[0][i] for i in near])[:, 2:] * 200
    want = np.array([after[1][ids[n]] - before[1][ids[n]] for n in twin])[:, 2:] * 200
    assert len(near) > 40 and rms(want) > 0.1
    assert rms(rise - want) < most * rms(want)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["body", "container", "slab"])
def test_no_vortons_gather_under_a_jet_on_a_floor(kind):
    """Fluid takes no place on a surface: of what is born there most leaves again. Vortons that
    stay at the stagnation point are stretched for ever, until the flow blows up."""
    walls = {
        "body": vt.Body(vt.Plane()),
        "container": vt.Container(vt.Box((-1, -1, 0), (1, 1, 3))),
        "slab": vt.Body(vt.Box((-0.6, -0.6, -0.3), (0.6, 0.6, 0))),
    }
    jet = vt.Jet((0, 0, 0.02), radius=0.15, core=0.045, speed=3.0, temperature=400.0)
    sim = simulation(walls[kind], jet, fps=24)
    sim.step(14)
    height = sim.vortons.position[:, 2]
    assert (height < 1e-2).sum() > 100  # of 300 by the thickness of the layer
    assert (height < 1e-4).sum() < 0.05 * (height < 1e-2).sum()
    assert sim.health.largest_speed < 2 * 3.0
