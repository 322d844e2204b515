"""Contact of particles with bodies: thin plates (S2), containers (S3), births inside (C5)."""

import numpy as np
import pytest
from marks import slow_but

import vorton as vt

TURN = vt.Keys([(0, 0), (10, 2500)])


def cloud(count, low, high, seed=1):
    x = np.random.default_rng(seed).uniform(low, high, (count, 3))
    return x.astype(np.float32)


def simulation(*items, points=None, fps=24.0, **scene):
    # contact alone: with panels the flow would go round what particles are to run into
    method = scene.pop("method", vt.Method()).replace(bodies="none")
    scene = vt.Scene("contact", voxel=0.1, gravity=(0, 0, 0), method=method, **scene)
    if points is not None:
        scene.add(vt.Points(points, density=1.0, size=0.1))
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, fps=fps, threads=2)


def by_id(sim, array):
    return np.array(array)[np.argsort(sim.tracers.id)]


def room(sim, body, particles=None):
    """Distances of particles from the walls of a body, m."""
    particles = sim.tracers if particles is None else particles
    return sim.body_distance(body, particles.position.astype(np.float64))[0]


def in_space_of(sim, body, points):
    """Points in the space of a body that turns about its centre."""
    state = sim.bodies[body]
    w, *v = state.rotation
    v = -np.array(v)
    x = points - np.array(state.position)
    return x + 2 * w * np.cross(v, x) + 2 * np.cross(v, np.cross(v, x))


# ---- S2: bullets and paper ----

THICKNESS = 0.01
PLATE = vt.Box((-3, -3, -THICKNESS / 2), (3, 3, THICKNESS / 2))
TILT = vt.Transform(rotation=(0.9, 0.3, -0.2, 0.1))


@pytest.mark.parametrize("thicknesses", [0.3, 1, 3, 10, 300])
@pytest.mark.parametrize("parent", [None, TILT], ids=["flat", "tilted"])
def test_s2_fast_particles_stay_on_their_side(thicknesses, parent):
    """Wind blows across a plate by up to 300 times its thickness a step."""
    matrix = vt.Simulation()._core
    id = parent._add_to(matrix) if parent else 0
    pose = matrix.pose(id, 0.0)[:, :3]
    local = cloud(3000, (-0.9, -0.9, -0.2), (0.9, 0.9, 0.2))
    local = local[np.abs(local[:, 2]) > THICKNESS]
    speed = thicknesses * THICKNESS * 24
    sim = simulation(
        vt.Body(PLATE, parent=parent),
        points=local @ pose.T,
        wind=tuple(pose @ (0.3 * speed / max(1, thicknesses), 0, -speed)),
    )
    above = local[:, 2] > 0
    for _ in sim.frames(6):
        assert sim.tracers.count == len(local)
        assert (room(sim, 0) >= 0).all()
        side = by_id(sim, in_space_of(sim, 0, sim.tracers.position)[:, 2] > 0)
        assert np.array_equal(side, above)


@pytest.mark.parametrize("speed", [0.5, 5.0, 60.0])
def test_s2_plates_that_move(speed):
    """The same with the plate on its way, and turning, through particles at rest."""
    way = vt.Keys([(0, (0, 0, -1)), (1, (0, 0, -1 + speed))])
    parent = vt.Transform(position=way)
    points = cloud(3000, (-0.5, -0.5, -0.9), (0.5, 0.5, 0.9))
    sim = simulation(vt.Body(PLATE, parent=parent), points=points, fps=24)
    assert len(sim.tracers.velocity) == len(points)  # kept from now on
    for _ in sim.frames(8):
        assert sim.tracers.count == len(points)
        z = sim.tracers.position[:, 2] - sim.bodies[0].position[2]
        assert (z >= THICKNESS / 2).all()  # in front of it: none is left behind
        pushed = z < THICKNESS / 2 + 1e-5
        if sim.time < 0.9 and pushed.any():
            np.testing.assert_allclose(sim.tracers.velocity[pushed, 2], speed, rtol=1e-5)


@pytest.mark.parametrize("rate", [100, 1500, 4000])
def test_s2_plates_that_turn(rate):
    """A plate turns by up to 167 degrees a step among particles at rest: it takes them along."""
    parent = vt.Transform(axis=(1, 0, 0), angle=vt.Keys([(0, 0), (10, 10 * rate)]))
    points = cloud(4000, (-0.9, -0.9, -0.9), (0.9, 0.9, 0.9))
    points = points[np.abs(points[:, 2]) > THICKNESS]
    sim = simulation(vt.Body(PLATE, parent=parent), points=points)
    side = points[:, 2] > 0
    for _ in sim.frames(10):
        assert sim.tracers.count == len(points)
        assert (room(sim, 0) >= 0).all()
        local = by_id(sim, in_space_of(sim, 0, sim.tracers.position))
        met = (np.abs(local[:, :2]) < 2.9).all(axis=1)
        assert met.sum() > 1000
        assert np.array_equal(local[met, 2] > 0, side[met])


def test_particles_slide_along_walls():
    """Free slip on a floor: the way along it is whole, the velocity into it is gone."""
    points = cloud(500, (-1, -1, 0.01), (1, 1, 0.5))
    sim = simulation(vt.Body(vt.Plane()), points=points, wind=(1.0, 0.5, -2.0))
    assert len(sim.tracers.velocity) == len(points)  # kept from now on
    sim.step(12)
    x, u = (by_id(sim, a) for a in (sim.tracers.position, sim.tracers.velocity))
    np.testing.assert_allclose(x[:, :2], points[:, :2] + (0.5, 0.25), atol=1e-5)
    free = points[:, 2] > 1.0
    assert not free.any()
    assert ((x[:, 2] >= 0) & (x[:, 2] < 1e-5)).all()
    np.testing.assert_allclose(u, np.broadcast_to((1.0, 0.5, 0.0), u.shape), atol=1e-6)


def test_particles_go_around_a_ball():
    """A wind on a ball: nothing enters, what passes it clear is not touched."""
    ball = vt.Sphere((0, 0, 0), 0.5)
    points = cloud(4000, (-2, -1, -1), (-0.8, 1, 1))
    sim = simulation(vt.Body(ball), points=points, wind=(1.5, 0, 0))
    for _ in sim.frames(40):
        assert (room(sim, 0) >= 0).all()
    x = by_id(sim, sim.tracers.position)
    clear = np.linalg.norm(points[:, 1:], axis=1) > 0.5001
    np.testing.assert_allclose(x[clear], points[clear] + (2.5, 0, 0), atol=1e-5)
    assert np.linalg.norm(x[~clear, 1:], axis=1).min() > 0.01


SHAPES = {
    "sphere": vt.Sphere((0.1, 0, 0), 0.5),
    "capsule": vt.Capsule((-0.4, 0, 0), (0.4, 0.2, 0), 0.2),
    "cylinder": vt.Cylinder((0, 0, 0), 0.4, 0.6, (1, 1, 0)),
    "plate": vt.Box((-0.6, -0.5, -0.01), (0.6, 0.5, 0.01)),
    "hull": vt.Polytope(np.random.default_rng(3).normal(0, 0.4, (30, 3))),
    "corner": (vt.Box((-0.6, -0.5, -0.1), (0.6, 0.5, 0)), vt.Box((-0.1, -0.5, 0), (0, 0.5, 0.6))),
}


@pytest.mark.parametrize("name", slow_but(["hull", "corner"], SHAPES))
@pytest.mark.parametrize("moves", slow_but([True], [False, True]))
def test_nothing_is_ever_inside_a_solid(name, moves):
    """Random winds, fast against the size of the bodies."""
    parent = None
    if moves:
        path = vt.Keys([(0, (0, 0, 0)), (1, (0.5, 0.2, 0)), (3, (-0.5, 0, 0.4))], "smooth")
        parent = vt.Transform(position=path, axis=(1, 2, 0), angle=TURN)
    wind = np.random.default_rng(2).normal(0, 6, (5, 5, 5, 3))
    sim = simulation(
        vt.Body(SHAPES[name], parent=parent),
        vt.WindGrid(wind, origin=(-1, -1, -1), spacing=0.5, outside="zero"),
        points=cloud(3000, (-1, -1, -1), (1, 1, 1)),
    )
    born = sim.tracers.count
    assert (room(sim, 0) >= -1e-6).all()
    for _ in sim.frames(40):
        assert (room(sim, 0) >= 0).all()
        assert sim.tracers.count == born


# ---- S3: containers ----

TETRAHEDRON = np.array([(-1, -1, -0.5), (1, -1, -0.5), (0, 1, -0.5), (0.1, 0.2, 1.2)])
NEEDLE = np.array([(-2, 0, 0), (2, 0.05, 0.05), (2, -0.05, 0.05), (2, 0, -0.05), (0, 0.1, 0)])
CONTAINERS = {
    "box": vt.Box((-1, -0.5, -0.25), (1, 0.5, 0.25)),
    "sphere": vt.Sphere(radius=0.8),
    "cylinder": vt.Cylinder(radius=0.5, length=1.2),
    "capsule": vt.Capsule((-0.5, 0, 0), (0.5, 0, 0), 0.4),
    "tetrahedron": vt.Polytope(TETRAHEDRON),
    "needle": vt.Polytope(NEEDLE),
    "lens": (vt.Sphere((0, 0, -0.7), 1.0), vt.Sphere((0, 0, 0.7), 1.0)),
    "wedge": (vt.Box((-1, -1, -1), (1, 1, 1)), vt.Plane((0, 0, 0), (0.3, 0, 1))),
}


def corners_and_inside(shape, count=400):
    """Points inside, many of them all but in the edges and corners."""
    probe = vt.Simulation(vt.Scene(voxel=1))
    pieces = [piece for s in vt.Container(shape).shapes for piece in [s._core_shape()]]
    probe._core.add("body", shapes=pieces, hole=True)
    x = np.random.default_rng(5).uniform(-2.1, 2.1, (200_000, 3))
    x = x[probe.body_distance(0, x)[0] > 0]
    towards = x[np.random.default_rng(6).integers(0, len(x), count)]
    far = x[np.argsort(-np.linalg.norm(x - x.mean(axis=0), axis=1))[: max(1, len(x) // 20)]]
    return np.concatenate([towards, far[:: max(1, len(far) // count)]]).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTAINERS)
def test_s3_containers_never_leak(name):
    """500 steps of fast random winds in a container that moves and turns."""
    path = vt.Samples(np.cumsum(np.random.default_rng(1).normal(0, 0.2, (600, 3)), axis=0), fps=24)
    parent = vt.Transform(position=path, axis=(1, 2, 3), angle=vt.Keys([(0, 0), (25, 20_000)]))
    wind = np.random.default_rng(2).normal(0, 8, (9, 9, 9, 3))
    points = corners_and_inside(CONTAINERS[name])
    assert len(points) > 400
    # the scene begins with the container at rest at the origin
    path = vt.Samples(np.array(path.values) - np.array(path.values[0]), fps=24)
    parent = vt.Transform(position=path, axis=parent.axis, angle=parent.angle)
    sim = simulation(
        vt.Container(CONTAINERS[name], parent=parent),
        vt.WindGrid(wind, origin=(-4, -4, -4), spacing=1.0, outside="border"),
        points=points,
    )
    assert sim.tracers.count == len(points)
    for _ in sim.frames(500):
        assert (room(sim, 0) >= 0).all()
        assert sim.tracers.count == len(points)
    assert np.isfinite(sim.tracers.position).all()


def test_a_container_that_jumps_loses_nothing():
    """By its own size, and by a hundred times that, in one step."""
    places = [(0, (0, 0, 0)), (0.2, (1, 0, 0)), (0.5, (1, 1, 1)), (0.7, (-90, 40, 0))]
    parent = vt.Transform(position=vt.Keys(places, "constant"))
    points = cloud(3000, (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))
    sim = simulation(vt.Container(vt.Box(), parent=parent), points=points)
    for _ in sim.frames(24):
        assert sim.tracers.count == len(points)
        assert (room(sim, 0) >= 0).all()
    assert sim.bodies[0].position == pytest.approx((-90, 40, 0), abs=1e-9)


def test_a_solid_that_jumps_takes_nothing_along():
    """What lies between the places is not touched; what it lands on is moved out."""
    places = [(0, (-5, 0, 0)), (0.2, (5, 0, 0))]
    parent = vt.Transform(position=vt.Keys(places, "constant"))
    points = np.concatenate([cloud(500, -0.4, 0.4), cloud(500, -0.4, 0.4) + np.float32((5, 0, 0))])
    sim = simulation(vt.Body(vt.Box(), parent=parent), points=points)
    sim.step(10)
    x = by_id(sim, sim.tracers.position)
    assert sim.tracers.count == 1000 and np.array_equal(x[:500], points[:500])
    assert (room(sim, 0) >= 0).all()


# ---- many bodies ----


@pytest.mark.slow
def test_bodies_inside_a_container():
    """Balls, some of them moving, in a room, with a floor: all hold at once."""
    rng = np.random.default_rng(4)
    bodies = [vt.Container(vt.Box((-1, -1, -1), (1, 1, 1))), vt.Body(vt.Plane((0, 0, -0.8)))]
    for n in range(30):
        centre = rng.uniform(-0.9, 0.9, 3)
        path = vt.Keys([(0, (0, 0, 0)), (2, tuple(rng.normal(0, 0.5, 3)))])
        parent = vt.Transform(position=path) if n % 2 else None
        bodies.append(vt.Body(vt.Sphere(tuple(centre), 0.12), parent=parent))
    wind = rng.normal(0, 3, (5, 5, 5, 3))
    grid = vt.WindGrid(wind, origin=(-1, -1, -1), spacing=0.5)
    sim = simulation(*bodies, grid, points=cloud(5000, -0.99, 0.99))
    born = sim.tracers.count
    assert 3000 < born < 5000
    for _ in sim.frames(36):
        for n in range(len(bodies)):
            assert (room(sim, n) >= 0).all()
    assert sim.tracers.count > 0.99 * born  # where two balls close in there is no room


@pytest.mark.slow
def test_lists_find_every_body():
    """300 bodies, far from each other or near, and fast particles: as one by one."""
    rng = np.random.default_rng(8)
    bodies = [
        vt.Body(vt.Sphere(tuple(rng.uniform(-3, 3, 3)), rng.uniform(0.02, 0.5))) for _ in range(60)
    ]
    wind = rng.normal(0, 20, (5, 5, 5, 3))
    grid = vt.WindGrid(wind, origin=(-4, -4, -4), spacing=2.0)
    sim = simulation(*bodies, grid, points=cloud(3000, -4, 4))
    for _ in sim.frames(12):
        for n in range(len(bodies)):
            assert (room(sim, n) >= 0).all()


def test_no_room_is_left():
    """Two walls close in: what is between them goes, and nothing is ever inside."""
    parent = vt.Transform(position=vt.Keys([(0, (0, 0, 1)), (1, (0, 0, -0.1))]))
    sim = simulation(
        vt.Body(vt.Plane()),
        vt.Body(vt.Plane((0, 0, 0), (0, 0, -1)), parent=parent),
        points=cloud(300, (-1, -1, 0.1), (1, 1, 0.9)),
    )
    for _ in sim.frames(24):
        assert (room(sim, 0) >= 0).all() and (room(sim, 1) >= 0).all()
        assert sim.tracers.count == (300 if sim.bodies[1].position[2] > 1e-3 else 0)


# ---- births ----


def test_c5_embedded_particles_are_removed_at_the_start():
    points = cloud(4000, -1, 1)
    inside = np.linalg.norm(points, axis=1) < 0.5
    sim = simulation(vt.Body(vt.Sphere(radius=0.5)), points=points)
    assert sim.tracers.count == (~inside).sum()
    vortons = vt.VortexRing(radius=0.5, core=0.1)
    sim = simulation(vortons, vt.Body(vt.Box((0, -1, -1), (1, 1, 1))))
    whole = simulation(vortons)
    assert sim.vortons.count == (whole.vortons.position[:, 0] < 0).sum()


def test_c5_what_is_added_inside_goes_with_the_next_step():
    sim = simulation(vt.Body(vt.Sphere(radius=0.5)))
    ids = sim.tracers.add([(0, 0, 0.1), (0, 0, 0.6)], density=1, size=0.1)
    sim.step()
    assert sim.tracers.rows(ids).tolist() == [-1, 0]


def test_c5_emitters_bear_outside_of_bodies_and_inside_of_containers():
    """Each at its own time of birth, also while the bodies move."""
    ball = vt.Transform(position=vt.Keys([(0, (-1, 0, 0)), (1, (1, 0, 0))]))
    walls = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (0, 0, 1))]))
    emitter = vt.Tracers(vt.Box((-1, -1, -1), (1, 1, 1)), rate=20_000)
    sim = simulation(
        emitter,
        vt.Body(vt.Sphere(radius=0.4), parent=ball),
        vt.Container(vt.Box((-0.8, -0.8, -0.8), (0.8, 0.8, 0.8)), parent=walls),
    )
    free = simulation(emitter)
    for _ in sim.frames(20):
        free.step()
        assert (room(sim, 0) >= 0).all() and (room(sim, 1) >= 0).all()
    kept = sim.tracers.count / free.tracers.count
    box, common = 1.6**3 / 8, 0
    for t in np.linspace(0, 20 / 24, 50):  # the box of births and that of the walls
        low, high = max(-1, t - 0.8), min(1, t + 0.8)
        common += 1.6**2 * (high - low) / 8 / 50
    ball = 4 / 3 * np.pi * 0.4**3 / 8
    assert common - ball < kept < common + 0.01 and kept < box


def test_emitters_on_a_moving_body():
    """Births just outside of a plate that flies, at any time of the step: none is lost or left."""
    parent = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (0, 0, 30))]))
    skin = vt.Tracers(vt.Box((-0.4, -0.4, 0.02), (0.4, 0.4, 0.03)), rate=5000, parent=parent)
    sim = simulation(skin, vt.Body(vt.Box((-0.5, -0.5, -0.01), (0.5, 0.5, 0.01)), parent=parent))
    for _ in sim.frames(12):
        assert (room(sim, 0) >= 0).all()
        assert (sim.tracers.position[:, 2] >= sim.bodies[0].position[2]).all()
    assert sim.tracers.count == pytest.approx(2500, abs=2)


# ---- vortons, on the grid and without ----


@pytest.mark.slow
@pytest.mark.parametrize("velocity", ["poisson", "direct"])
@pytest.mark.parametrize("time", ["rk2", "euler", "rk3"])
def test_a_ring_meets_a_plate(velocity, time):
    ring = vt.VortexRing(radius=0.5, core=0.12, layers=1, sections=40, circulation=2.0)
    smoke = vt.Tracers(vt.Torus(radius=0.5, thickness=0.15), count=3000)
    plate = vt.Body(vt.Box((-2, -2, 0.4), (2, 2, 0.45)), name="plate")
    sim = simulation(ring, smoke, plate, method=vt.Method(velocity=velocity, time=time))
    count = sim.vortons.count, sim.tracers.count
    for _ in sim.frames(20):
        for particles in (sim.vortons, sim.tracers):
            assert (room(sim, "plate", particles) >= 0).all()
            assert (particles.position[:, 2] < 0.4).all()
    assert (sim.vortons.count, sim.tracers.count) == count
    assert (sim.vortons.position[:, 2] > 0.3999).any()  # some of them are at the plate


@pytest.mark.slow
def test_a_ring_in_a_box_that_shakes():
    shake = vt.Keys([(0, (0, 0, 0)), (0.3, (0.4, 0, 0)), (0.6, (-0.4, 0.1, 0)), (1, (0, 0, 0))])
    box = vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), parent=vt.Transform(position=shake))
    ring = vt.VortexRing(radius=0.6, core=0.12, layers=1, sections=40, circulation=2.0)
    smoke = vt.Tracers(vt.Box((-1, -1, -1), (1, 1, 1)), count=5000)
    sim = simulation(ring, smoke, box)
    count = sim.vortons.count, sim.tracers.count
    for _ in sim.frames(30):
        for particles in (sim.vortons, sim.tracers):
            assert (room(sim, 0, particles) >= 0).all()
    assert (sim.vortons.count, sim.tracers.count) == count


def test_force_fields_respect_walls():
    """Tracers under force fields take another way through the step."""
    sim = simulation(
        vt.VortexRing(radius=0.5, core=0.12, layers=1, sections=40, center=(0, 0, 1)),
        vt.Attractor((0, 0, -1), strength=5.0, radius=1.0),
        vt.Body(vt.Plane()),
        points=cloud(2000, (-1, -1, 0.01), (1, 1, 1)),
    )
    sim.step(12)
    assert sim.tracers.count == 2000 and (sim.tracers.position[:, 2] >= 0).all()
    assert (sim.tracers.position[:, 2] < 1e-4).sum() > 100


def test_bodies_without_contact_change_nothing():
    """A body far away: the same bits as without."""
    ring = vt.VortexRing(radius=0.5, core=0.12, layers=1, sections=40)
    smoke = vt.Tracers(vt.Torus(radius=0.5, thickness=0.15), count=3000)
    with_body = simulation(ring, smoke, vt.Body(vt.Sphere((0, 0, 50), 1.0)))
    without = simulation(ring, smoke)
    for sim in (with_body, without):
        sim.step(5)
    assert np.array_equal(with_body.tracers.position, without.tracers.position)
    assert np.array_equal(with_body.vortons.position, without.vortons.position)
    assert with_body.timings.contact.total > 0 and without.timings.contact.last < 1e-3


# ---- what contact costs ----


def test_cost_follows_contacts_not_bodies():
    """With a hundred bodies more, that nothing comes near, a particle is looked at no more often
    than once; what is held stays the same."""
    points = cloud(4000, (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))
    ball = vt.Body(vt.Sphere((0, 0, 0), 0.3))
    rng = np.random.default_rng(5)
    away = [vt.Body(vt.Sphere(tuple(c), 0.3)) for c in rng.uniform(2, 6, (100, 3))]
    looks, contacts = [], []
    for bodies in ([ball], [ball, *away]):
        sim = simulation(*bodies, points=points, wind=(1, 0, 0))
        sim.step(3)
        looks.append(sim.health.contact_looks)
        contacts.append(sim.health.contacts)
    assert contacts[0] == contacts[1] > 20
    assert contacts[0] <= looks[0] <= len(points)
    assert looks[1] <= len(points)


def test_cost_beside_fast_bodies():
    """Among 200 bodies on fast orbits, which push particles far, each particle is looked at beside
    a few of them."""
    rng = np.random.default_rng(6)
    points = cloud(20_000, (-1, -1, -1), (1, 1, 1))
    turning = vt.Transform(angle=vt.Keys([(0, 0), (1, 700)]))
    places = rng.uniform(-0.9, 0.9, (200, 3))
    bodies = [vt.Body(vt.Sphere(tuple(c), 0.04), parent=turning) for c in places]
    sim = simulation(*bodies, points=points, fps=60.0)
    sim.step(3)
    health = sim.health
    assert health.contacts > 200
    assert health.contact_looks < 5 * len(points)
