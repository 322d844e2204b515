"""Bodies that move by themselves (VALIDATION S4, S7): mass, motion, forces, impulses, bad input."""

import json
import math

import numpy as np
import pytest
from marks import slow_but
from scipy.integrate import solve_ivp
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

import vorton as vt

THIN = vt.Gas(density=1e-9)  # kg/m^3: as good as nothing
WATER = vt.Liquid(density=1000.0)


def simulation(*items, gravity=(0, 0, -9.81), ambient=WATER, fps=24, panels="none"):
    method = vt.Method(bodies=panels)
    scene = vt.Scene("rigid", gravity=gravity, ambient=ambient, method=method)
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, fps, threads=1)


def momentum(body):
    """Linear, and angular about the centre."""
    linear = body.mass * np.array(body.velocity)
    return linear, np.array(body.inertia) @ body.angular_velocity


# ---- mass ----

POINTS = np.random.default_rng(8).normal(0, 0.3, (20, 3)).astype(np.float32).astype(float)
TILT = Rotation.from_euler("xyz", (0.4, 1.0, -0.3))


def of_samples(inside, low, high, along=120):
    """Volume, centre, moments of inertia (density 1) of where `inside` holds: a point a cell."""
    low, high = np.array(low), np.array(high)
    cells = np.stack(np.meshgrid(*3 * [np.arange(along)]), axis=-1).reshape(-1, 3)
    shares = (cells + np.random.default_rng(5).random(cells.shape)) / along
    x = low + shares * (high - low)
    x = x[inside(x)]
    volume = np.prod(high - low) * len(x) / along**3
    d = x - x.mean(axis=0)
    spread = volume * (d.T @ d) / len(x)
    return volume, x.mean(axis=0), np.trace(spread) * np.eye(3) - spread


def of_tetrahedra(points):
    parts = points[Delaunay(points).simplices]
    volumes = np.abs(np.linalg.det(parts[:, 1:] - parts[:, :1])) / 6
    center = volumes @ parts.mean(axis=1) / volumes.sum()
    d = parts - center
    s = d.sum(axis=1)
    pairs = np.einsum("ti,tj->tij", s, s) + np.einsum("tni,tnj->tij", d, d)
    spread = np.einsum("t,tij->ij", volumes, pairs) / 20
    return volumes.sum(), center, np.trace(spread) * np.eye(3) - spread


def of_cylinder(radius, length, axis):
    volume = math.pi * radius**2 * length
    along = np.outer(axis, axis)
    across = volume * (radius**2 / 4 + length**2 / 12)
    return volume, np.zeros(3), volume * radius**2 / 2 * along + across * (np.eye(3) - along)


AXIS = TILT.apply((0, 0, 1))


def of_capsule(radius, length, axis):
    """A cylinder and two half balls, whose centres lie 3/8 of the radius from their flat side."""
    volume, center, inertia = of_cylinder(radius, length, axis)
    ball, along = 4 / 3 * math.pi * radius**3, np.outer(axis, axis)
    offset = length**2 / 4 + 3 / 8 * radius * length
    across = ball * (0.4 * radius**2 + offset)
    inertia = inertia + 0.4 * ball * radius**2 * along + across * (np.eye(3) - along)
    return volume + ball, center, inertia


EXACT = {
    "sphere": (
        vt.Sphere((1, 2, 3), 0.5),
        (4 / 3 * math.pi / 8, (1, 2, 3), 4 / 3 * math.pi / 8 * 0.4 * 0.25 * np.eye(3)),
    ),
    "box": (
        vt.Box((0, 0, 0), (1, 2, 3)),
        (6, (0.5, 1, 1.5), 6 / 12 * np.diag([4 + 9, 1 + 9, 1 + 4])),
    ),
    "cylinder": (
        vt.Cylinder(radius=0.3, length=0.8, axis=tuple(AXIS)),
        of_cylinder(0.3, 0.8, AXIS),
    ),
    "capsule": (
        vt.Capsule(tuple(-0.4 * AXIS), tuple(0.4 * AXIS), 0.2),
        of_capsule(0.2, 0.8, AXIS),
    ),
    "polytope": (vt.Polytope(POINTS), of_tetrahedra(POINTS)),
}


@pytest.mark.parametrize("name", EXACT)
def test_mass_of_one_shape(name):
    shape, (volume, center, inertia) = EXACT[name]
    body = simulation(vt.Body(shape, density=3.0, held=True)).bodies[0]
    assert body.mass == pytest.approx(3 * volume, rel=1e-6)
    np.testing.assert_allclose(body.position, center, atol=1e-6)
    np.testing.assert_allclose(body.inertia, 3 * inertia, atol=3e-6 * np.abs(inertia).max())
    turned = vt.Transform(rotation=tuple(np.roll(TILT.as_quat(), 1)), scale=2.0, position=(1, 0, 0))
    body = simulation(vt.Body(shape, density=3.0, held=True, parent=turned)).bodies[0]
    matrix = TILT.as_matrix()
    assert body.mass == pytest.approx(24 * volume, rel=1e-6)
    np.testing.assert_allclose(body.position, 2 * TILT.apply(center) + (1, 0, 0), atol=1e-5)
    expected = 96 * matrix @ inertia @ matrix.T
    np.testing.assert_allclose(body.inertia, expected, atol=1e-4 * np.abs(inertia).max())


@pytest.mark.slow
def test_mass_of_compounds():
    """Apart: the sum, exactly. Overlapping: what both share counts once, against random points."""
    a, b = vt.Sphere((-1, 0, 0), 0.5), vt.Box((0, 0, 0), (1, 1, 1))
    apart = simulation(vt.Body([a, b], density=1.0, held=True)).bodies[0]
    masses, centers = [math.pi / 6, 1.0], np.array([[-1, 0, 0], [0.5, 0.5, 0.5]])
    assert apart.mass == pytest.approx(sum(masses), rel=1e-12)
    np.testing.assert_allclose(apart.position, masses @ centers / sum(masses), atol=1e-12)
    c = vt.Capsule((0, 0, 0.2), (1, 1.2, 0.2), 0.3)
    together = simulation(vt.Body([b, c], density=1.0, held=True)).bodies[0]

    def inside(x):
        along = np.clip(((x - (0, 0, 0.2)) @ (1, 1.2, 0)) / 2.44, 0, 1)[:, None]
        near = np.linalg.norm(x - (0, 0, 0.2) - along * (1, 1.2, 0), axis=1) < 0.3
        return near | ((x > 0) & (x < 1)).all(axis=1)

    volume, center, inertia = of_samples(inside, (-0.3, -0.3, -0.1), (1.3, 1.5, 1.0))
    assert together.mass == pytest.approx(volume, rel=2e-3)
    np.testing.assert_allclose(together.position, center, atol=2e-3)
    np.testing.assert_allclose(together.inertia, inertia, atol=4e-3 * np.abs(inertia).max())


# ---- motion ----


def test_a_projectile_falls_as_galileo_says():
    sim = simulation(vt.Body(vt.Sphere(), density=100.0, velocity=(3, 0, 4)), ambient=THIN, fps=7.3)
    sim.step(5)
    t = sim.time
    np.testing.assert_allclose(sim.bodies[0].velocity, (3, 0, 4 - 9.81 * t), atol=1e-9)
    np.testing.assert_allclose(
        sim.bodies[0].position, (3 * t, 0, 4 * t - 9.81 / 2 * t**2), rtol=1e-9, atol=1e-9
    )


def test_force_and_torque_act_with_their_exact_integral():
    force = vt.Keys([(0, (0, 0, 0)), (0.3, (60, 0, 0)), (0.5, (0, 20, 0))], "smooth")
    torque = vt.Samples([(0, 0, 1), (0, 0, 5), (0, 0, 2)], fps=4)
    ball = vt.Body(vt.Sphere(radius=0.5), density=10.0, force=force, torque=torque)
    sim = simulation(ball, gravity=(0, 0, 0), ambient=THIN, fps=9)
    sim.step(7)
    linear, angular = momentum(sim.bodies[0])
    np.testing.assert_allclose(linear, force.integral(0, sim.time), atol=1e-7)
    np.testing.assert_allclose(angular, torque.integral(0, sim.time), atol=1e-7)


@pytest.mark.slow
def test_free_spin_about_the_middle_axis():
    """The tumbling of a book against Euler's equations, by SciPy; angular momentum stays."""
    spin = (0.1, 6.0, 0.2)
    book = vt.Body(vt.Box((-0.5, -0.3, -0.1), (0.5, 0.3, 0.1)), density=50.0, angular_velocity=spin)
    sim = simulation(book, gravity=(0, 0, 0), ambient=THIN, fps=60)
    inertia = np.diag(sim.bodies[0].inertia)

    def euler(_, state):
        x, y, z, s = state[:4]
        a, b, c = w = state[4:]
        turn = [s * a + y * c - z * b, s * b + z * a - x * c, s * c + x * b - y * a]
        rate = np.cross(inertia * w, w) / inertia
        return np.array([*turn, -x * a - y * b - z * c, *(2 * rate)]) / 2

    start = np.array([0, 0, 0, 1, *spin])
    first = momentum(sim.bodies[0])[1]
    for _ in range(4):
        sim.step(45)
        exact = solve_ivp(euler, (0, sim.time), start, rtol=1e-11, atol=1e-12).y[:, -1]
        body = sim.bodies[0]
        difference = Rotation.from_quat(np.roll(body.rotation, -1)).inv() * Rotation.from_quat(
            exact[:4]
        )
        assert difference.magnitude() < 0.02
        np.testing.assert_allclose(momentum(body)[1], first, atol=1e-11 * np.abs(first).max())
        assert np.linalg.norm(body.rotation) == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.99, 2.0, 8.0])
def test_s7_a_released_sphere(share):
    """g (s - 1) / (s + 1/2) with the added mass of the fluid, at any length of the step."""
    sim = simulation(vt.Body(vt.Sphere((0, 0, 5), 0.5), density=1000 * share), fps=3)
    sim.step(4)
    a, body = -9.81 * (share - 1) / (share + 0.5), sim.bodies[0]
    assert body.velocity[2] == pytest.approx(a * sim.time, rel=1e-6)
    assert body.position[2] - 5 == pytest.approx(a / 2 * sim.time**2, rel=1e-6)
    assert np.abs(body.angular_velocity).max() < 1e-12
    # books: what body and fluid have got is what weight and buoyancy gave
    given = (body.mass - body.mass / share) * -9.81 * sim.time
    assert body.weight_impulse[2] == pytest.approx(given, rel=1e-6)
    own = body.weight_impulse[2] + body.flow_impulse[2]
    assert own == pytest.approx(body.mass * body.velocity[2], rel=1e-9)


@pytest.mark.parametrize("share", slow_but([0.5], [0.05, 0.5, 3.0]))
def test_s7_a_released_sphere_with_panels(share):
    """The same in the flow that it makes; where fluid slips, for what a layer takes along is more
    than the added mass. With one, as long as it is thin: until a thirtieth of it has been shed."""
    for shedding, frames, fps in ((0.0, 4, 48), (30.0, 2, 1000)):
        ball = vt.Body(vt.Sphere((0, 0, 5), 0.5), density=1000 * share, shedding=shedding)
        sim = simulation(ball, fps=fps, panels="panels")
        sim.step(frames)
        a = -9.81 * (share - 1) / (share + 0.5)
        assert sim.bodies[0].velocity[2] == pytest.approx(a * sim.time, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 3.0])
def test_s7_a_released_sphere_that_sheds(share):
    """On the way to the speed at which drag balances weight and buoyancy: faster in every frame,
    in a straight line, and slower than where fluid slips."""
    ball = vt.Body(vt.Sphere((0, 0, 5), 0.5), density=1000 * share)
    sim = simulation(ball, fps=48, panels="panels")
    a, speed = 9.81 * (share - 1) / (share + 0.5), 0
    for _ in range(32):
        sim.step()
        body = sim.bodies[0]
        now = -body.velocity[2] * np.sign(a)
        assert speed < now < 1.01 * abs(a) * sim.time
        assert np.abs(body.velocity[:2]).max() < 0.02 * now
        assert np.abs(body.angular_velocity).max() < 0.1 * now / 0.5
        speed = now
    assert sim.vortons.count > 500 and 0.3 < speed / (abs(a) * sim.time) < 0.95


def small_ball(speed, x=0.0, **numbers):
    """A ball of three cells, and air that passes it."""
    scene = vt.Scene("ball", spacing=0.05, seed=2, wind=(0, 0, speed))
    scene.add(vt.Body(vt.Sphere((x, 0, 0.6), radius=0.15), "ball", **numbers))
    return vt.Simulation(scene, fps=24, threads=1)


@pytest.mark.slow
def test_a_ball_of_few_cells_that_falls_or_stands_in_a_wind_stays_calm():
    """It comes to 5 m/s (5.6 with a drag of .4), and spun 70 rad/s by then, or blew up. In a
    wind of that the flow about it turns no faster than 3 U / R and a half more; in substeps of a
    core it did ten times that. Its wake turns aside by the end, as the next test says."""
    falling, held = small_ball(0, density=5.0, shedding=30), small_ball(4.0)
    for _ in range(36):
        falling.step()
        held.step()
        assert held.health.largest_gradient < 1.5 * 3 * 4 / 0.15
    ball = falling.bodies["ball"]
    assert -6 < ball.velocity[2] < -3.5 and np.abs(ball.velocity[:2]).max() < 1
    assert np.linalg.norm(ball.angular_velocity) < 7


@pytest.mark.slow
def test_the_wake_of_a_ball_pushes_it_aside_hardly_more_than_real_ones_do():
    """After two seconds, from four places between the nodes: by a side force of a tenth of the
    pressure of the stream on its disk in the mean (.06 and less of balls in wind tunnels, Willmarth
    and Enk 1969); the layer turns its wall by half of the speed. With what the far wake loses as a
    force on the ball it was .14, and the wall as fast as the ball."""
    mass, aside, spin = 4 / 3 * np.pi * 0.15**3 * (5 + 1.2 / 2), [], []
    for place in range(4):
        sim, push = small_ball(0, 0.013 * place, density=5.0), 0.0
        for _ in range(48):
            sim.step()
            ball = sim.bodies["ball"]
            push += 0.6 * ball.velocity[2] ** 2 * np.pi * 0.15**2 / mass / 24
        assert -6.5 < ball.velocity[2] < -3.5
        aside.append(np.linalg.norm(ball.velocity[:2]) / push)
        spin.append(0.15 * np.linalg.norm(ball.angular_velocity) / abs(ball.velocity[2]))
    assert np.mean(aside) < 0.12 and np.max(aside) < 0.17
    assert np.mean(spin) < 0.6


@pytest.mark.slow
def test_nothing_spins_a_ball_up():
    sim = small_ball(0, density=5.0, angular_velocity=(0, 20, 0), damping=0.5)
    for _ in range(28):
        sim.step()
        assert np.linalg.norm(sim.bodies["ball"].angular_velocity) < 1.1 * 20


@pytest.mark.slow
def test_added_mass_of_a_cube_is_that_of_its_panels():
    """.638 of the displaced mass (Brennen 1982, from experiments and sums over panels)."""
    cube = vt.Body(vt.Box(), density=1000.0, panels=1000)
    sim = simulation(cube, gravity=(0, 0, 0), panels="panels")
    sim.apply_impulse(0, (0, 0, 1))
    assert 1e-3 / sim.bodies[0].velocity[2] - 1 == pytest.approx(0.638, abs=0.02)


def kirchhoff(inertia, added, start, seconds):
    """Momenta in the axes of a body of revolution about z, by SciPy: Lamb, article 124."""

    def rates(_, state):
        p, m = state[:3], state[3:]
        return np.concatenate(
            [np.cross(p, m / inertia), np.cross(m, m / inertia) + np.cross(p, p / added)]
        )

    return solve_ivp(rates, (0, seconds), start, rtol=1e-11, atol=1e-12).y[:, -1]


@pytest.mark.slow
def test_a_spheroid_swings_about_its_broad_side():
    """Kirchhoff's equations: a disk thrown askew is turned by the fluid that it takes along."""
    v = np.random.default_rng(2).normal(size=(400, 3))
    shape = vt.Polytope((0.4, 0.4, 0.1) * v / np.linalg.norm(v, axis=1)[:, None])
    disk = vt.Body(shape, density=1000.0)
    sim = simulation(disk, gravity=(0, 0, 0), fps=48)
    push = np.array([200.0, 0, 60.0])
    masses = []
    for axis in np.eye(3):
        other = sim.copy()
        other.apply_impulse(0, axis)
        masses.append(1 / (np.array(other.bodies[0].velocity) @ axis))
        other = sim.copy()
        other.apply_impulse(0, (0, 0, 0), angular_impulse=axis)
        masses.append(1 / (np.array(other.bodies[0].angular_velocity) @ axis))
    linear, angular = np.array(masses[::2]), np.array(masses[1::2])
    assert linear[2] > 1.5 * linear[0]
    sim.apply_impulse(0, push)
    sim.step(96)
    body = sim.bodies[0]
    exact = kirchhoff(angular, linear, [*push, 0, 0, 0], sim.time)
    turned = Rotation.from_quat(np.roll(body.rotation, -1))
    found = linear * turned.inv().apply(body.velocity)
    np.testing.assert_allclose(found, exact[:3], atol=0.02 * np.linalg.norm(push))
    np.testing.assert_allclose(turned.apply(found), push, atol=0.02 * np.linalg.norm(push))
    assert abs(body.angular_velocity[1]) > 0.1


# ---- somebody else moves it ----


def test_impulses():
    sim = simulation(vt.Body(vt.Sphere(radius=0.5), density=10.0), gravity=(0, 0, 0), ambient=THIN)
    sim.apply_impulse(0, (2, 0, 0), point=(0, 0.5, 0), angular_impulse=(0, 1, 0))
    linear, angular = momentum(sim.bodies[0])
    np.testing.assert_allclose(linear, (2, 0, 0), atol=1e-8)
    np.testing.assert_allclose(angular, (0, 1, -1), atol=1e-8)


def smoke(sim):
    x = np.random.default_rng(1).uniform(-1, 1, (20_000, 3)).astype(np.float32)
    x = x[np.abs(x[:, 0]) < 0.5]
    sim.tracers.add(x, density=1.0, size=0.05)


def test_a_body_that_is_led_sweeps_and_one_that_jumps_does_not():
    """A thin plate goes through smoke in a step: led, it takes all along; put there, none."""
    plate = vt.Body(vt.Box((-0.001, -1, -1), (0.001, 1, 1)), name="plate", panels=0)
    for over, swept in ((1 / 24, True), (0.0, False)):
        sim = simulation(plate)
        sim.set_body("plate", position=(-0.8, 0, 0))
        smoke(sim)
        count = sim.tracers.count
        inner = (np.abs(sim.tracers.position[:, 1:]) < 0.9).all(axis=1)
        sim.set_body("plate", position=(0.8, 0, 0), over=over)
        sim.step()
        assert sim.bodies[0].position == pytest.approx((0.8, 0, 0), abs=1e-12)
        x = sim.tracers.position[inner, 0]
        assert sim.tracers.count == count
        assert (x > 0.8).all() if swept else (x < 0.5).all()


def test_a_led_body_arrives_and_keeps_its_velocity():
    sim = simulation(vt.Body(vt.Box((0, 0, 0), (1, 1, 1)), density=500.0, held=True), fps=10)
    goal = tuple(np.roll(TILT.as_quat(), 1))
    sim.set_body(0, (2, 1, 0), goal, over=0.4)
    sim.step(4)
    body = sim.bodies[0]
    np.testing.assert_allclose(body.position, (2, 1, 0), atol=1e-12)
    np.testing.assert_allclose(np.abs(np.dot(body.rotation, goal)), 1, atol=1e-12)
    np.testing.assert_allclose(body.velocity, np.array((1.5, 0.5, -0.5)) / 0.4, atol=1e-12)
    sim.set_body(0, velocity=(0, 0, 0), angular_velocity=(0, 0, 0))
    sim.step(2)
    assert sim.bodies[0].position == body.position and sim.bodies[0].rotation == body.rotation
    # what it would have received
    lift = (1000 - 500) * 9.81 * sim.time
    assert body.free is False
    assert sim.bodies[0].weight_impulse[2] == pytest.approx(lift, rel=1e-6)


def test_free_bodies_hold_particles_back():
    """A heavy ball falls through smoke: none of it is ever inside."""
    sim = simulation(vt.Body(vt.Sphere((0, 0, 1.5), 0.4), density=5000.0), ambient=THIN)
    smoke(sim)
    count = sim.tracers.count
    for _ in range(20):
        sim.step()
        assert sim.body_distance(0, sim.tracers.position)[0].min() > -1e-6
    assert sim.tracers.count == count and sim.bodies[0].position[2] < -1


# ---- definitions ----


def test_round_trip_and_copy():
    force = vt.Keys([(0, (0, 0, 0)), (1, (1, 2, 3))])
    ball = vt.Body(
        vt.Sphere(), density=3.0, velocity=(1, 2, 3), restitution=0.1, friction=0.2, force=force
    )
    scene = vt.Scene("rigid", method=vt.Method(bodies="none"))
    scene.add(ball)
    scene.add(vt.Body(vt.Box(), density=3.0, held=True))
    scene.add(vt.Container(vt.Box((-9, -9, -9), (9, 9, 9)), restitution=0.0))
    again = vt.Scene.from_json(scene.to_json())
    assert again == scene and again.sha256 == scene.sha256
    assert "density" not in vt.Body(vt.Sphere()).to_dict()
    assert json.loads(scene.to_json())["bodies"][0]["density"] == 3
    sim = vt.Simulation(scene)
    sim.step(3)
    other = sim.copy()
    for each in (sim, other):
        each.apply_impulse(0, (0, 100, 0), point=(0, 0, 1))
        each.step(5)
    assert list(sim.bodies) == list(other.bodies)
    assert other.bodies[0].position != (0, 0, 0)


MOVING = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (1, 0, 0))]))
NAN = math.nan
BAD = [
    (lambda: vt.Body(vt.Sphere(), density=0), ["Body.density = 0", "> 0"]),
    (lambda: vt.Body(vt.Sphere(), density=-1.0), ["Body.density = -1.0", "> 0"]),
    (lambda: vt.Body(vt.Sphere(), density=math.nan), ["Body.density = nan"]),
    (lambda: vt.Body(vt.Sphere(), name="ball", velocity=(1, 0, 0)), ["'ball'.velocity", "density"]),
    (lambda: vt.Body(vt.Sphere(), held=True), ["Body.held = True", "density"]),
    (lambda: vt.Body(vt.Sphere(), density=1, friction=-0.1), ["Body.friction = -0.1", "0 to 100"]),
    (lambda: vt.Body(vt.Sphere(), density=1, restitution=1.5), ["restitution = 1.5", "0 to 1"]),
    (lambda: vt.Body(vt.Plane(), name="floor", density=1), ["'floor'.density = 1", "Plane"]),
    (lambda: vt.Body(vt.Sphere(), density=1, parent=MOVING), ["density = 1", "parent moves"]),
    (lambda: vt.Body(vt.Sphere(), density=1, force=vt.Keys([(0, 1.0)])), ["force", "3 finite"]),
    (lambda: vt.Body(vt.Sphere(), density=1, velocity=(math.inf, 0, 0)), ["velocity[0] = inf"]),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_definitions(number):
    make, words = BAD[number]
    with pytest.raises((ValueError, TypeError)) as error:
        make()
    for word in words:
        assert word in str(error.value), error.value


def test_bad_changes():
    parent = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (1, 0, 0))]))
    sim = simulation(
        vt.Body(vt.Sphere(), name="wall"),
        vt.Body(vt.Sphere((3, 0, 0)), name="ball", density=10.0),
        vt.Body(vt.Sphere((6, 0, 0)), name="cart", parent=parent),
    )
    before = list(sim.bodies)
    for words, call in [
        (["'wall'", "does not move by itself"], lambda: sim.apply_impulse("wall", (1, 0, 0))),
        (["'cart'", "parent moves it"], lambda: sim.set_body("cart", position=(0, 0, 0))),
        (["'ball'", "over is 1 s", "held"], lambda: sim.set_body("ball", (0, 0, 0), over=1)),
        (["'wall'", "0 0 0 0"], lambda: sim.set_body("wall", rotation=(0, 0, 0, 0))),
        (["'wall'", "position[1]"], lambda: sim.set_body("wall", (0, 2e9, 0))),
        (["'wall'", "velocity[0]"], lambda: sim.set_body("wall", velocity=(2e6, 0, 0))),
        (["'wall'", "over is -1"], lambda: sim.set_body("wall", (0, 0, 0), over=-1)),
        (["'wall'", "position must be", "nan"], lambda: sim.set_body("wall", (0, NAN, 0))),
        (["'wall'", "rotation must be"], lambda: sim.set_body("wall", rotation=(1, NAN, 0, 0))),
        (["'wall'", "velocity must be"], lambda: sim.set_body(0, velocity=(1, NAN, 0))),
        (["'wall'", "position", "(3,)"], lambda: sim.set_body(0, (1, 2))),
        (["'ball'", "impulse must be", "nan"], lambda: sim.apply_impulse("ball", (NAN, 0, 0))),
        (["'ball'", "point must be"], lambda: sim.apply_impulse(1, (1, 0, 0), (0, 0, NAN))),
        (["velocity or over"], lambda: sim.set_body("wall", (0, 0, 0), None, (1, 0, 0), None, 1)),
    ]:
        with pytest.raises(ValueError) as error:
            call()
        for word in words:
            assert word in str(error.value), error.value
    assert list(sim.bodies) == before
