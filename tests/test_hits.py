"""The force on bodies by the rule of the articles: what particles that run into them give."""

import numpy as np
import pytest

import vorton as vt

AIR, BOUNCE = vt.Air().density, 1.01
R = 0.5


def simulation(*items, threads=1, **scene):
    method = vt.Method(bodies="article")
    scene = vt.Scene("hits", **{"spacing": 0.1, "gravity": (0, 0, 0), "method": method, **scene})
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, threads=threads)


def exact(values):
    """What is left of them in single precision."""
    return np.float32(values).astype(float)


def given(sim):
    """To all bodies, and to the first of them about its centre: linear, angular."""
    body, health = sim.bodies[0], sim.health
    return (
        np.array([health.hit_impulse, health.hit_angular_impulse]),
        np.array([body.flow_impulse, body.flow_angular_impulse]),
    )


def hits_on_ball(x, size, velocity, time):
    """Straight ways that enter a ball about the origin, one after the other."""
    total, hits = np.zeros(3), 0
    for start, width in zip(exact(x), exact(size), strict=True):
        a, b, c = velocity @ velocity, start @ velocity, start @ start - R**2
        if b * b < a * c or c < 0 or b > 0:
            continue
        t = (-b - np.sqrt(b * b - a * c)) / a
        if t < time:
            n = (start + t * velocity) / R
            total += AIR * width**3 * BOUNCE * (velocity @ n) * n
            hits += 1
    return total, hits


def crowd(count=4000, seed=1):
    x = np.random.default_rng(seed).uniform(-1, 1, (count, 3))
    x = x[np.linalg.norm(x, axis=1) > R + 1e-3]
    return x, np.random.default_rng(seed + 1).uniform(0.02, 0.06, len(x))


def test_tracers_that_a_wind_blows_at_a_ball():
    """The sum over all of them; a ball is hit towards its centre and does not turn."""
    wind = np.array([2.0, -1.0, 0.5])
    sim = simulation(vt.Body(vt.Sphere(radius=R)), wind=tuple(wind))
    x, size = crowd()
    sim.tracers.add(x, density=1e-3, size=size)
    sim.advance(0.1)
    expected, hits = hits_on_ball(x, size, wind, 0.1)
    (linear, angular), body = given(sim)
    assert hits == sim.health.contacts > 50
    np.testing.assert_allclose(linear, expected, rtol=2e-6)
    np.testing.assert_allclose(body[0], linear, rtol=1e-12)
    assert np.abs(angular).max() < 1e-12 and np.abs(body[1]).max() < 1e-12
    assert np.array_equal(sim.health.support_impulse, -linear)


def test_a_plate_that_moves_against_tracers_at_rest():
    """Tilted, off the origin, and with a wind: linear and angular, about its centre and the
    origin."""
    velocity, wind, turn = np.array([1.0, 0.4, -0.3]), np.array([0.2, 0, 0.1]), np.deg2rad(30)
    n = np.array([np.cos(turn), 0, np.sin(turn)])
    along, time = np.array([-np.sin(turn), 0, np.cos(turn)]), 0.125
    center = np.array([1.0, -2.0, 0.5])
    keys = vt.Keys([(0, tuple(center)), (1, tuple(center + velocity))])
    plate = vt.Body(
        vt.Box((-0.02, -0.5, -0.4), (0.02, 0.5, 0.4)),
        parent=vt.Transform(position=keys, axis=(0, 1, 0), angle=-30.0),
    )
    sim = simulation(plate, wind=tuple(wind))
    generator = np.random.default_rng(3)
    a, b = generator.uniform(-0.2, 0.2, (2, 300))
    d = generator.uniform(0.03, 0.2, 300)
    x = center + d[:, None] * n + a[:, None] * along + b[:, None] * (0, 1, 0)
    size = generator.uniform(0.02, 0.06, 300)
    sim.tracers.add(x, density=1e-3, size=size)
    sim.advance(time)
    x, relative = exact(x), wind - velocity
    closing = relative @ n
    t = -((x - center) @ n - 0.02) / closing
    hit = (t > 0) & (t < time)
    assert 50 < hit.sum() < 250
    impulse = (AIR * exact(size) ** 3 * BOUNCE * closing)[:, None] * n
    seen = (x - center) + t[:, None] * relative  # where they touch it, from its centre
    at = center + time * velocity + seen
    (linear, angular), body = given(sim)
    np.testing.assert_allclose(linear, impulse[hit].sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(angular, np.cross(at, impulse)[hit].sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(body[0], linear, rtol=1e-12)
    scale = 1e-5 * np.abs(np.cross(seen, impulse)[hit]).sum()
    np.testing.assert_allclose(body[1], np.cross(seen, impulse)[hit].sum(axis=0), atol=scale)


def test_a_plate_that_turns_meets_tracers_with_the_speed_that_it_has_there():
    rate, time, size = 2.0, 0.05, 0.05
    keys = vt.Keys([(0, 0), (10, np.rad2deg(10 * rate))])
    plate = vt.Body(
        vt.Box((-0.6, -0.01, -0.3), (0.6, 0.01, 0.3)), parent=vt.Transform(angle=keys), panels=0
    )
    sim = simulation(plate)
    x = np.array([(0.3, 0.02, 0.1), (0.5, 0.03, -0.2), (-0.4, -0.03, 0)])
    sim.tracers.add(x, density=1e-3, size=size)
    sim.advance(time)
    body = given(sim)[1]
    each = AIR * size**3 * BOUNCE * rate
    assert sim.health.contacts == 3
    lever = np.abs(x[:, 0])
    assert body[1][2] == pytest.approx(-each * (lever**2).sum(), rel=0.01)
    n = np.array([-np.sin(rate * time), np.cos(rate * time)])
    np.testing.assert_allclose(body[0][:2], -each * x[:, 0].sum() * n, rtol=0.02)


def test_bodies_that_move_by_themselves_follow():
    """With the fluid that they set in motion: half of what a ball displaces; a plate turns, too."""
    wind, density = np.array([1.5, 0, 0]), 3.0
    x, size = crowd(seed=5)
    ball = vt.Body(vt.Sphere(radius=R), density=density, panels=0)
    sim = simulation(ball, wind=tuple(wind))
    sim.tracers.add(x, density=1e-3, size=size)
    sim.advance(0.05)
    expected, _ = hits_on_ball(x, size, wind, 0.05)
    volume = 4 / 3 * np.pi * R**3
    np.testing.assert_allclose(
        sim.bodies[0].velocity, expected / (volume * (density + AIR / 2)), rtol=2e-5
    )
    np.testing.assert_allclose(sim.health.hit_impulse, expected, rtol=2e-5)
    assert sim.health.support_impulse == (0, 0, 0)
    plate = vt.Body(vt.Box((-0.02, -0.5, -0.5), (0.02, 0.5, 0.5)), density=30.0, panels=0)
    sim = simulation(plate, wind=tuple(wind))
    sim.tracers.add([(-0.05, 0.4, 0.1)], density=1e-3, size=0.2)
    sim.advance(0.05)
    assert sim.bodies[0].velocity[0] > 0 > sim.bodies[0].angular_velocity[2]
    assert sim.bodies[0].angular_velocity[1] > 0


def test_the_force_grows_with_the_number_of_tracers_and_of_substeps():
    """What the articles' way cannot do (VALIDATION S5): each tracer counts, at each hit."""
    wind, size, steps = 1.0, 0.05, 6
    wall = vt.Body(vt.Box((0, -1, -1), (0.2, 1, 1)))
    x = np.column_stack([np.full(40, -0.01), *np.random.default_rng(2).uniform(-0.5, 0.5, (2, 40))])
    found = []
    for times, count in ((1, steps), (2, steps), (1, 2 * steps)):
        sim = simulation(wall, wind=(wind, 0, 0))
        for _ in range(times):
            sim.tracers.add(x, density=1e-3, size=size)
        for _ in range(count):
            sim.advance(0.6 / count)
        found.append(sim.health.hit_impulse[0])
    one = 40 * AIR * size**3 * BOUNCE * wind
    np.testing.assert_allclose(found, one * np.array([steps, 2 * steps, 2 * steps]), rtol=1e-4)


def test_no_other_method_knows_of_hits():
    for bodies in ("panels", "none"):
        method = vt.Method(bodies=bodies)
        sim = simulation(vt.Body(vt.Sphere(radius=R)), wind=(1, 0, 0), method=method)
        sim.tracers.add(crowd()[0], density=1e-3, size=0.05)
        sim.advance(0.1)
        assert sim.health.hit_impulse == sim.health.hit_angular_impulse == (0, 0, 0)


def test_vortons_brake_a_ball_that_spins():
    """What they gain of angular momentum, each as a ball that turns, it loses."""
    spin = vt.Transform(angle=vt.Keys([(0, 0), (10, 3600)]))
    sim = simulation(vt.Body(vt.Sphere(radius=R), parent=spin), spacing=0.12)
    axis = np.arange(-0.8, 0.8, 0.09)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    sim.vortons.add(x, 0 * x, core=0.18, volume=0.09**3)
    sim.advance(0.01)
    strength = sim.vortons.strength.astype(float).sum(axis=0)
    assert strength[2] > 0.1
    radius = (0.09**3 * 3 / (4 * np.pi)) ** (1 / 3)
    body = given(sim)[1]
    np.testing.assert_allclose(body[1], -0.2 * AIR * radius**2 * strength, rtol=1e-5, atol=1e-9)
    assert np.array_equal(body[0], np.zeros(3))


def plate_in_the_wind(angle, threads=1, density=None, steps=16):
    """A plate that a wind meets with its nose up by so many degrees, in vortons and tracers."""
    plate = vt.Body(
        vt.Box((-0.5, -0.5, -0.03), (0.5, 0.5, 0.03)),
        name="plate",
        parent=vt.Transform(axis=(0, 1, 0), angle=float(angle)),
        density=density,
    )
    sim = simulation(plate, wind=(1, 0, 0), spacing=0.2, threads=threads)
    axis = np.linspace(-0.9, 0.9, 16)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    sim.vortons.add(x, 0 * x, core=0.3, volume=0.12**3)
    half = np.random.default_rng(4).uniform((-2, -0.8, 0), (0.8, 0.8, 0.8), (10_000, 3))
    sim.tracers.add(np.concatenate([half, half * (1, 1, -1)]), density=1e-4, size=0.06)
    for _ in range(steps):
        sim.advance(0.02)
    return sim


def test_t1_a_plate_held_at_an_angle_feels_lift():
    """Up with its nose up, down with its nose down, as much; none when it lies along the wind or
    across."""
    force = {
        angle: plate_in_the_wind(angle).bodies[0].flow_impulse for angle in (-20, 0, 20, 45, 90)
    }
    lift = {angle: f[2] for angle, f in force.items()}
    assert lift[20] > 0 and lift[20] == pytest.approx(-lift[-20], rel=0.1)
    assert max(abs(lift[0]), abs(lift[90])) < 0.1 * lift[20]
    assert force[90][0] > force[45][0] > force[20][0] > 0
    assert lift[45] > lift[20]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_e1_hits_have_the_same_bits_for_any_number_of_threads(threads):
    one, many = (plate_in_the_wind(60, count, density=2.0, steps=8) for count in (1, threads))
    assert one.health.contacts > 300 and np.abs(one.health.hit_angular_impulse).min() > 0
    assert one.health == many.health and list(one.bodies) == list(many.bodies)
    assert np.array_equal(one.tracers.position, many.tracers.position)


def test_a_copy_goes_on_with_what_bodies_were_given():
    sim = plate_in_the_wind(20, density=2.0, steps=3)
    copy = sim.copy()
    for each in (sim, copy):
        each.advance(0.02)
    assert list(copy.bodies) == list(sim.bodies) and copy.health == sim.health
    assert sim.health.hit_impulse[2] > 0
