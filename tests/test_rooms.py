"""Rooms that are much larger than the flow in them: walls that the grid does not reach."""

import numpy as np
import pytest
from beside_walls import directions, rms, track

import vorton as vt

RADIUS, CORE = 0.5, 0.12


def simulation(*items, fps=10_000, threads=1, **scene):
    scene = vt.Scene("room", voxel=0.1, gravity=(0, 0, 0), **scene)
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, fps=fps, threads=threads)


def stepped(*items, **scene):
    sim = simulation(*items, **scene)
    sim.step()
    return sim


def ring(z=0.0, circulation=-1.0, **values):
    values = {"vorton_core": 0.06, "radius": RADIUS, "core": CORE} | values
    return vt.VortexRing(center=(0, 0, z), circulation=circulation, **values)


def room(side, low):
    """A cube on the floor z = low, around the z axis."""
    return vt.Box((-side / 2, -side / 2, low), (side / 2, side / 2, low + side))


def images_flow(vortons, x, side, low, across=2, along=8):
    """Velocity of the mirror images of vortons in the walls of a cube, without the vortons: they
    alternate along z, so that the sum over rows along z converges at once."""
    p, a = (np.asarray(v, float) for v in (vortons.position, vortons.strength))
    u = np.zeros_like(x)
    for i in range(-across, across + 1):
        for j in range(-across, across + 1):
            for k in range(-along, along + 1):
                q, b = p.copy(), a * (0.5 if abs(k) == along else 1)
                for c, (n, wall) in enumerate(((i, -side / 2), (j, -side / 2), (k, low))):
                    if n % 2:
                        q[:, c], b = 2 * wall - q[:, c] + side, -b
                        b[:, c] *= -1
                    q[:, c] += n * side
                if i or j or k:
                    way = x[:, None] - q
                    u += (np.cross(b, way) / np.linalg.norm(way, axis=2)[..., None] ** 3).sum(1)
    return u / (4 * np.pi)


# ---- S8 ----

FEW = {"layers": 1, "sections": 60, "vorton_core": None}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("side", "low"),
    [(2.0, -1.0), (2.5, -0.5), (5.0, -2.5), (10.0, -5.0)],
)
def test_s8_a_ring_in_a_room_has_its_lattice_of_images(side, low):
    """At its own place and around it, however far the walls are."""
    items = ring(**FEW), vt.Container(room(side, low), panels=320)
    scene = {"spacing": 0.05}  # the nodes of a small room are those of the ring alone
    inside, alone = stepped(*items, **scene), stepped(items[0], **scene)
    x = np.random.default_rng(1).uniform(-0.55, 0.55, (60, 3)) * (1, 1, 0.4)
    image = images_flow(alone.vortons, x, side, low)
    found = inside.velocity_at(np.float32(x)) - alone.velocity_at(np.float32(x))
    assert rms(found - image) < 0.02 * rms(image)


@pytest.mark.slow
@pytest.mark.parametrize("low", [-2.5, -0.5])
def test_s8_flow_along_walls_that_the_grid_does_not_reach(low):
    """Nothing passes them, and what flows before them is that of the images."""
    side = 5.0
    items = ring(**FEW), vt.Container(room(side, low), panels=320)
    scene = {"spacing": 0.8 * CORE / 2}
    inside, alone = stepped(*items, **scene), stepped(items[0], **scene)
    turn = np.random.default_rng(2).uniform(-1, 1, (60, 3)) * side / 2.2
    wall = np.arange(60) % 3
    at_wall, normal = turn.copy(), np.eye(3)[wall]
    at_wall[np.arange(60), wall] = side / 2 - 2e-3
    at_wall[:, 2] += low + side / 2
    u, free = inside.velocity_at(np.float32(at_wall)), alone.velocity_at(np.float32(at_wall))
    assert rms((free * normal).sum(axis=1)[:, None]) > 0.2 * rms(free)
    assert rms((u * normal).sum(axis=1)[:, None]) < 0.02 * rms(u)
    x = turn + (0, 0, low + side / 2)
    x = x[np.linalg.norm(x, axis=1) > 0.8]
    whole = images_flow(alone.vortons, x, side, low) + alone.velocity_at(np.float32(x))
    assert rms(inside.velocity_at(np.float32(x)) - whole) < 0.03 * rms(whole)


@pytest.mark.slow
def test_a_room_asks_for_grid_only_where_its_walls_are_near_the_flow():
    def cells(*walls):
        sim = stepped(ring(**FEW), *walls)
        sim.update_fields()
        return np.array(sim.grids.velocity.shape[2::-1]) - 1

    alone = cells()
    for shape in (room(10.0, -5.0), vt.Sphere((0, 0, 0), 5.0), vt.Cylinder(radius=4, length=9)):
        assert np.array_equal(cells(vt.Container(shape)), alone)
    on_floor = cells(vt.Container(room(10.0, -0.3)))
    assert (on_floor[:2] <= alone[:2] + 8).all()
    assert alone[2] < on_floor[2] <= alone[2] + 12


@pytest.mark.slow
def test_s8_a_ring_that_comes_down_in_a_large_room_does_as_with_its_image():
    """From where the floor is far outside the grid to where it is within it."""
    method, frames = vt.Method(halo=0), 18
    thick = {"core": 0.15, "radius": 0.4, "vorton_core": None}
    first, second = ring(0.85, **thick), ring(-0.85, 1.0, **thick)
    in_room = simulation(first, vt.Container(room(8.0, 0.0)), method=method, fps=24)
    both, alone = (
        simulation(*rings, method=method, fps=24) for rings in ([first, second], [first])
    )
    way, image, free = (track(sim, frames) for sim in (in_room, both, alone))
    effect, error = (np.abs(other - image).max(axis=0) for other in (free, way))
    assert effect.min() > 0.06
    assert (error < np.array((0.04, 0.12)) * effect).all()
    # nothing jumps where the floor comes into the grid
    turns = [np.abs(np.diff(other, 2, axis=0)).max(axis=0) for other in (way, image)]
    assert (turns[0] < 1.5 * turns[1]).all()


@pytest.mark.slow
def test_tracers_beside_walls_that_the_grid_does_not_reach_stay_inside():
    low, side = -1.0, 4.0
    strong = ring(circulation=-6.0, **FEW)
    layer = vt.Tracers(vt.Box((-1.9, -1.9, low + 1e-4), (1.9, 1.9, low + 0.05)), count=3000)
    sim = simulation(strong, layer, vt.Container(room(side, low)), fps=24)
    ids, before = sim.tracers.id.copy(), sim.tracers.position.copy()
    for _ in range(6):
        sim.step()
        x = sim.tracers.position
        assert (np.abs(x[:, :2]) < side / 2).all() and (x[:, 2] > low).all()
    way = sim.tracers.position[sim.tracers.rows(ids)] - before
    assert len(x) == 3000
    assert np.linalg.norm(way, axis=1).max() > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3])
def test_e1_same_bits_in_a_large_room_for_any_number_of_threads(threads):
    states = []
    for count in (1, threads):
        ball = vt.Body(vt.Sphere((0.3, 0, -0.6), 0.2), density=2.0, velocity=(0, 0, 1), panels=80)
        walls = vt.Container((room(6.0, -1.2), vt.Plane((0, 0, 2), (0, 0.3, 1))))
        sim = simulation(ring(), ball, walls, fps=24, threads=count)
        sim.step(3)
        far = 2.4 * directions(50) + (0, 0, 1.3)
        v = sim.vortons
        states.append((v.position.copy(), v.strength.copy(), sim.velocity_at(np.float32(far))))
    for one, many in zip(*states, strict=True):
        assert np.array_equal(one, many)
