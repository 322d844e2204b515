"""Contact between bodies, and bodies that float (VALIDATION S6); against textbook formulas."""

import math

import numpy as np
import pytest

import vorton as vt

THIN = vt.Gas(density=1e-9)  # kg/m^3: as good as nothing
G = 9.81


def simulation(*items, ambient=THIN, fps=24, **values):
    still = {"method": vt.Method(bodies="none"), **values}  # the fluid stays as it is
    scene = vt.Scene("contact", ambient=ambient, **still)
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, fps, threads=1)


def ball(center, density=100.0, radius=0.5, **values):
    return vt.Body(vt.Sphere(center, radius), density=density, **values)


FLOOR = vt.Plane((0, 0, 0), (0, 0, 1))

# ---- planes ----


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_a_ball_bounces(restitution):
    """From 1.5 m: back to the square of the restitution of that, and it never sinks in."""
    sim = simulation(vt.Body(FLOOR, restitution=0.0), ball((0, 0, 2), restitution=restitution))
    heights = []
    for _ in range(110):
        sim.advance(1 / 96)
        heights.append(sim.bodies[1].position[2] - 0.5)
    first = int(np.argmin(heights[:70]))
    assert max(heights[first:]) == pytest.approx(1.5 * restitution**2, abs=0.03)
    assert min(heights) > -1e-3


def test_it_comes_to_rest_without_jitter():
    box = vt.Body(vt.Box((-0.5, -0.5, 0.1), (0.5, 0.5, 0.6)), density=100.0, restitution=0.2)
    sim = simulation(vt.Body(FLOOR), box, ball((3, 0, 1.0), restitution=0.5))
    sim.step(72)
    places = [np.array(body.position) for body in sim.bodies]
    for _ in range(24):
        sim.step()
        for body, place in zip(sim.bodies, places, strict=True):
            assert np.abs(body.velocity).max() < 1e-6
            assert np.abs(np.array(body.position) - place).max() < 1e-6
    assert places[1][2] == pytest.approx(0.25, abs=1e-3)
    assert places[2][2] == pytest.approx(0.5, abs=1e-3)
    # the floor bears it: contact gave what its weight took, and what it had
    body = sim.bodies[1]
    total = np.array(body.contact_impulse) + body.weight_impulse + body.flow_impulse
    np.testing.assert_allclose(total, 0, atol=1e-6 * body.mass)


@pytest.mark.parametrize("friction", [0.0, 0.2, 0.5])
def test_a_box_on_a_slope(friction):
    """Slides with g (sin - friction cos), or rests."""
    slope = math.radians(20)
    normal = (math.sin(slope), 0, math.cos(slope))
    parent = vt.Transform(axis=(0, 1, 0), angle=20)
    box = vt.Body(
        vt.Box((-0.5, -0.5, 0), (0.5, 0.5, 0.4)), density=100.0, friction=friction, parent=parent
    )
    sim = simulation(vt.Body(vt.Plane((0, 0, 0), normal), friction=friction), box)
    sim.step(24)
    a = max(0.0, G * (math.sin(slope) - friction * math.cos(slope)))
    assert np.linalg.norm(sim.bodies[1].velocity) == pytest.approx(a * sim.time, abs=1e-3)
    assert np.abs(sim.bodies[1].angular_velocity).max() < 1e-6


@pytest.mark.parametrize(
    ("shape", "inertia"),
    [
        (vt.Sphere((0, 0, 0.3), 0.3), 0.4),
        (vt.Cylinder((0, 0, 0.3), 0.3, 0.5, (0, 1, 0)), 0.5),
    ],
)
def test_rolling_down_a_slope(shape, inertia):
    """With friction enough: g sin / (1 + I / m r^2), and no slip."""
    slope = math.radians(15)
    normal = (math.sin(slope), 0, math.cos(slope))
    parent = vt.Transform(axis=(0, 1, 0), angle=15)
    sim = simulation(
        vt.Body(vt.Plane((0, 0, 0), normal), friction=1),
        vt.Body(shape, density=100.0, friction=1, parent=parent),
    )
    sim.step(24)
    speed = np.linalg.norm(sim.bodies[1].velocity)
    assert speed == pytest.approx(G * math.sin(slope) / (1 + inertia) * sim.time, rel=0.01)
    assert sim.bodies[1].angular_velocity[1] == pytest.approx(speed / 0.3, rel=0.01)


# ---- each other ----


def test_balls_of_different_mass_collide():
    """Head on, elastic: momentum and energy stay, so the velocities are those of the textbook."""
    a = ball((-1, 0, 0), 300.0, velocity=(2, 0, 0), restitution=1)
    b = ball((1, 0, 0), 100.0, restitution=1)
    sim = simulation(a, b, gravity=(0, 0, 0))
    sim.step(36)
    first, second = sim.bodies
    assert first.velocity[0] == pytest.approx((3 - 1) / (3 + 1) * 2, rel=1e-6)
    assert second.velocity[0] == pytest.approx(2 * 3 / (3 + 1) * 2, rel=1e-6)
    np.testing.assert_allclose(
        np.array(first.contact_impulse), -np.array(second.contact_impulse), atol=1e-9
    )


SHAPES = {
    "sphere": lambda c: vt.Sphere(c, 0.3),
    "box": lambda c: vt.Box(tuple(np.subtract(c, 0.25)), tuple(np.add(c, 0.25))),
    "capsule": lambda c: vt.Capsule((c[0] - 0.2, c[1], c[2]), (c[0] + 0.2, c[1] + 0.1, c[2]), 0.2),
    "cylinder": lambda c: vt.Cylinder(c, 0.25, 0.5, (1, 0.3, 0.2)),
    "hull": lambda c: vt.Polytope(np.random.default_rng(4).normal(0, 0.2, (20, 3)) + c),
}


@pytest.mark.parametrize("one", SHAPES)
@pytest.mark.parametrize("other", SHAPES)
def test_s4_collisions_keep_momentum(one, other):
    """Thrown at each other askew: both momenta stay, energy does not grow, they part again."""
    a = vt.Body(SHAPES[one]((0, 0, 0)), density=200.0, velocity=(3, 0, 0), restitution=0.6)
    b = vt.Body(
        SHAPES[other]((1.2, 0.15, 0.1)), density=400.0, angular_velocity=(1, 2, 3), restitution=0.6
    )
    sim = simulation(a, b, gravity=(0, 0, 0), fps=60)

    def totals():
        linear, angular, energy = np.zeros(3), np.zeros(3), 0.0
        for body in sim.bodies:
            v, w = np.array(body.velocity), np.array(body.angular_velocity)
            spin = np.array(body.inertia) @ w
            linear += body.mass * v
            angular += spin + body.mass * np.cross(body.position, v)
            energy += (body.mass * v @ v + w @ spin) / 2
        return linear, angular, energy

    before = totals()
    sim.step(40)
    after = totals()
    assert np.linalg.norm(sim.bodies[1].contact_impulse) > 1
    np.testing.assert_allclose(after[0], before[0], atol=1e-9 * np.linalg.norm(before[0]))
    np.testing.assert_allclose(after[1], before[1], atol=1e-5 * np.linalg.norm(before[0]))
    assert after[2] <= before[2] * (1 + 1e-3)
    approach = np.subtract(sim.bodies[1].velocity, sim.bodies[0].velocity)
    assert approach @ np.subtract(sim.bodies[1].position, sim.bodies[0].position) > 0


def test_a_fast_thin_plate_does_not_pass_a_thin_wall():
    wall = vt.Body(vt.Box((-0.005, -2, -2), (0.005, 2, 2)), restitution=0.5)
    plate = vt.Body(
        vt.Box((-1, -0.5, -0.5), (-0.99, 0.5, 0.5)), density=500.0, velocity=(200, 0, 0)
    )
    sim = simulation(wall, plate, gravity=(0, 0, 0))
    sim.step(2)
    assert sim.bodies[1].velocity[0] == pytest.approx(-100, rel=0.01)
    assert sim.bodies[1].position[0] < 0


@pytest.mark.slow
def test_a_pile_stays_in_its_container_and_settles():
    kinds, items = list(SHAPES.values()), []
    for n in range(12):
        place = (n % 3 * 0.62 - 0.6, n // 3 % 2 * 0.62 - 0.3, n // 6 * 0.7)
        items.append(vt.Body(kinds[n % 5](place), density=500.0, restitution=0.1))
    sim = simulation(vt.Container(vt.Box((-1.2, -0.8, -0.6), (1.2, 0.8, 1.4))), *items)
    for _ in range(5):
        sim.step(12)
        for body in sim.bodies[1:]:
            assert np.all(np.abs(body.position) < (1.2, 0.8, 1.4))
    heights = [body.position[2] for body in sim.bodies[1:]]
    assert min(heights) > -0.6 and max(heights) < 0.6
    assert max(np.linalg.norm(body.velocity) for body in sim.bodies) < 0.3


STACKS = {
    "one footprint": [((0, 0, 0), (0.3, 0.3, 0.3)), ((0, 0, 0.3), (0.3, 0.3, 0.6))],
    "a centimetre apart": [((0, 0, 0), (0.3, 0.3, 0.3)), ((0, 0, 0.31), (0.3, 0.3, 1.01))],
    "three flat ones": [((0, 0, 0.1 * n), (0.5, 0.2, 0.1 * n + 0.1)) for n in range(3)],
    "one side in line": [((0, 0, 0), (0.3, 0.3, 0.3)), ((0.1, 0, 0.3), (0.4, 0.3, 0.6))],
    "a smaller one": [((0, 0, 0), (0.4, 0.4, 0.3)), ((0, 0.1, 0.3), (0.3, 0.3, 0.6))],
}


@pytest.mark.parametrize("density", [3.0, 500.0])
@pytest.mark.parametrize("boxes", STACKS.values(), ids=STACKS)
def test_boxes_in_a_stack_stay(boxes, density):
    """Their sides lie in one plane: along it the nearest face is one that holds nothing."""
    crates = [vt.Body(vt.Box(*box), density=density) for box in boxes]
    sim = simulation(vt.Body(vt.Plane()), *crates)
    sim.step(24)
    bottom = 0
    for body, (low, high) in zip(sim.bodies[1:], boxes, strict=True):
        height = high[2] - low[2]
        wanted = (*np.add(low, high)[:2] / 2, bottom + height / 2)
        np.testing.assert_allclose(body.position, wanted, atol=2e-3)
        assert np.linalg.norm(body.velocity) < 0.02
        bottom += height


def beam(along, z):
    """A square beam on edge, 2 m long along x or y, its half diagonal .2 m."""
    across = 1 - along
    corners = []
    for end in (-1.0, 1.0):
        for side, height in ((0.2, 0), (-0.2, 0), (0, 0.2), (0, -0.2)):
            corner = [0.0, 0.0, z + height]
            corner[along], corner[across] = end, side
            corners.append(corner)
    return vt.Polytope(corners)


def test_beams_that_cross_on_edge_part_along_the_normal_of_both_edges():
    """Neither has a face that faces the other."""
    sim = simulation(
        vt.Body(beam(0, 0), restitution=1.0),
        vt.Body(beam(1, 0.42), density=500.0, velocity=(0, 0, -1), restitution=1.0),
        gravity=(0, 0, 0),
    )
    sim.step(6)
    np.testing.assert_allclose(sim.bodies[1].velocity, (0, 0, 1), atol=0.02)
    np.testing.assert_allclose(sim.bodies[1].angular_velocity, 0, atol=0.02)


def test_a_led_body_pushes_a_free_one():
    shove = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (1, 0, 0))]))
    wall = vt.Body(vt.Box((-1, -1, -1), (-0.6, 1, 1)), parent=shove, restitution=0)
    sim = simulation(wall, ball((0, 0, 0), restitution=0), gravity=(0, 0, 0))
    sim.step(24)
    assert sim.bodies[1].position[0] == pytest.approx(0.9, abs=2e-3)
    assert sim.bodies[1].velocity[0] == pytest.approx(1.0, rel=1e-3)


# ---- floating ----

SPACING = 0.2
STILL = vt.Method(halo=0, bodies="none")


def two_layers(share, ratio, z, method=STILL, **values):
    """A ball of radius 1 in a tank: below z = 0 water, above fluid of `ratio` of its density."""
    sim = simulation(
        vt.Container(vt.Box((-2.2, -2.2, -2.4), (2.2, 2.2, 2.4))),
        ball((0, 0, z), 1000 * share, 1.0, name="ball", **values),
        ambient=vt.Liquid(density=1000.0 * ratio),
        method=method,
        spacing=SPACING,
    )
    steps = [np.arange(-w + SPACING / 2, w, SPACING) for w in (2.2, 2.2, 2.4)]
    x = np.array(np.meshgrid(*steps)).reshape(3, -1).T
    x = x[np.linalg.norm(x - (0, 0, z), axis=1) > 1]
    zeros = np.zeros((len(x), 3))
    sim.vortons.add(x, zeros, core=1.5 * SPACING, volume=SPACING**3)
    sim.vortons.density = np.where(x[:, 2] < 0, 1000 * (1 - ratio), 0)
    return sim


def depth(share, ratio):
    """How deep a ball of radius 1 sinks in: h^2 (3 - h) / 4 = (s - r) / (1 - r)."""
    roots = np.roots([-0.25, 0.75, 0, -(share - ratio) / (1 - ratio)])
    return next(r.real for r in roots if 0 <= r.real <= 2 and abs(r.imag) < 1e-9)


@pytest.mark.parametrize(("share", "ratio"), [(0.8, 0.6), (0.65, 0.5), (0.9, 0.3)])
def test_s6_archimedes_in_two_layers(share, ratio):
    """Where weight and buoyancy of a held ball cancel: within .05 of its radius."""
    expected, found = 1 - depth(share, ratio), []
    for z in (expected - 0.1, expected + 0.1):
        sim = two_layers(share, ratio, z, held=True)
        sim.step()
        found.append(sim.bodies["ball"].weight_impulse[2])
    assert found[0] > 0 > found[1]
    z = expected - 0.1 + 0.2 * found[0] / (found[0] - found[1])
    assert z == pytest.approx(expected, abs=0.05)
    assert np.abs(sim.bodies["ball"].weight_angular_impulse).max() < 0.01 * abs(found[0])


def test_s6_three_samples_of_the_articles():
    """At its centre, where no vorton is, below and above: the level hardly matters, which is what
    makes a ball float up to a radius too high or too low."""
    ratio, found = 0.6, {}
    for bodies in ("article", "none"):
        for z in (0.5, 0.2, -0.4):
            sim = two_layers(0.8, ratio, z, STILL.replace(bodies=bodies), held=True)
            sim.step()
            found[bodies, z] = sim.bodies["ball"].fluid_density
    for z in (0.5, 0.2, -0.4):
        one_of_three = 1000 * (ratio + (1 - ratio) / 3)
        assert found["article", z] == pytest.approx(one_of_three, rel=0.01)
        wet = (2 + z) * (1 - z) ** 2 / 4  # a cap of the height 1 - z, over the ball
        assert found["none", z] == pytest.approx(1000 * (ratio + (1 - ratio) * wet), rel=0.03)


@pytest.mark.slow
def test_s6_a_floating_ball_settles():
    sim = two_layers(0.8, 0.6, 0.3, damping=3.0)
    sim.step(120)
    assert sim.bodies["ball"].position[2] == pytest.approx(0, abs=0.05)
    assert abs(sim.bodies["ball"].velocity[2]) < 0.02


@pytest.mark.slow
def test_s6_a_ball_floats_by_all_defaults():
    """Without damping it swings about where Archimedes says: over where both fluids met, by what it
    displaces more of the lower one than at the start. What it sheds takes from the swing."""
    share, ratio, start = 0.8, 0.6, 0.3
    sim = two_layers(share, ratio, start, vt.Method())
    heights = []
    for _ in range(82):
        sim.step(2)
        heights.append(sim.bodies["ball"].position[2])
    heights = np.array(heights)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(heights)))) + 1
    low, high, again = heights[turns[:3]]

    def sunk(h):
        return math.pi * h**2 * (3 - h) / 3

    rise = (sunk(depth(share, ratio)) - sunk(1 - start)) / 4.4**2
    expected = 1 - depth(share, ratio) + rise
    assert (low + 2 * high + again) / 4 == pytest.approx(expected, abs=0.05)
    assert expected - low < start - expected
    assert np.abs(sim.bodies["ball"].position[:2]).max() < 0.02


def test_a_body_in_a_stratified_fluid_finds_its_level():
    """Warmer above: it swings about the height of its own density, with the period of Brunt."""
    air = vt.Gas(density=1.2, temperature=300, stratification=30.0)
    sim = simulation(
        vt.Body(vt.Box((-0.1, -0.1, 0.1), (0.1, 0.1, 0.3)), density=1.2), ambient=air, fps=10
    )
    heights = []
    for _ in range(300):
        sim.step()
        heights.append(sim.bodies[0].position[2])
    heights = np.array(heights)
    crossings = np.flatnonzero((heights[:-1] > 0) & (heights[1:] <= 0))
    assert np.mean(heights[crossings[0] : crossings[-1]]) == pytest.approx(0, abs=0.01)
    assert np.max(heights[crossings[-2] :]) == pytest.approx(0.2, abs=0.005)
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1) / 10
    added = sim.copy()
    added.apply_impulse(0, (0, 0, 1e-3))
    inertia = 1e-3 / (added.bodies[0].velocity[2] - sim.bodies[0].velocity[2])
    stiffness = G * 1.2 * 30.0 / 300 * 0.008
    assert period == pytest.approx(2 * math.pi * math.sqrt(inertia / stiffness), rel=0.03)


# ---- bad input ----


def test_a_body_that_starts_outside_of_its_container():
    room = vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), name="room")
    for items in ([room, ball((0.8, 0, 0), name="stray")], [ball((3, 0, 0), name="stray"), room]):
        with pytest.raises(ValueError) as error:
            simulation(*items)
        for word in ("'stray'", "outside", "'room'"):
            assert word in str(error.value)
    assert len(simulation(room, ball((0.5, 0, 0))).bodies) == 2


FAR = [
    vt.Sphere((3, 0, 0), 0.2),
    vt.Box((-2, -2, -1.3), (2, 2, -1.1)),  # wider than the room, below it
    vt.Cylinder((0, 0, -1.3), radius=3, length=0.2),
    vt.Capsule((-3, 0, 1.5), (3, 0, 1.5), 0.2),
    [vt.Sphere((3, 0, 0), 0.2), vt.Sphere((-3, 0, 0), 0.2)],
]


@pytest.mark.parametrize("shape", FAR, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(
    "motion",
    [
        {},
        {"density": 10.0, "held": True},
        {"parent": vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (1, 0, 0))]))},
    ],
    ids=["fixed", "held", "keyframed"],
)
def test_a_body_that_is_outside_of_its_container_as_a_whole(shape, motion):
    for room in (vt.Box((-1, -1, -1), (1, 1, 1)), vt.Cylinder(length=2)):
        words = r"'stray'.*outside of bodies\[0\], Container 'room', all of it"
        with pytest.raises(ValueError, match=words):
            simulation(
                vt.Container(room, name="room"),
                vt.Body(shape, name="stray", panels=0, **motion),
            )


def keys(*places, times=(0, 0.5, 1), kind="linear"):
    return vt.Transform(position=vt.Keys(list(zip(times, places, strict=False)), kind))


IN = (-2.5, 0, 0)
LEADS_IN = {
    "keys": keys((0, 0, 0), IN),
    "passes": keys((0, 0, 0), (-6, 0, 0)),
    "flies through": keys((0, 0, 0), (-103, 0, 0)),
    "late": keys((0, 0, 0), (1, 0, 0), IN),
    "jumps": keys((0, 0, 0), IN, kind="constant"),
    "samples": vt.Transform(position=vt.Samples([(-0.05 * n, 0, 0) for n in range(60)], fps=24)),
    "parent": vt.Transform(parent=keys((0, 0, 0), IN)),
    "turns": vt.Transform(
        (-1.5, 0, 0), parent=vt.Transform((1.5, 0, 0), angle=vt.Keys([(0, 0), (9, 180)]))
    ),
}


@pytest.mark.parametrize("motion", LEADS_IN)
@pytest.mark.parametrize("first", ["room", "body"])
def test_a_body_that_keys_lead_into_a_container_may_start_outside(motion, first):
    room = vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), name="room")
    items = [room, vt.Body(vt.Sphere((3, 0, 0), 0.2), panels=0, parent=LEADS_IN[motion])]
    assert len(simulation(*items if first == "room" else items[::-1]).bodies) == 2


def test_a_container_that_keys_lead_over_a_body():
    room = vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), parent=keys((0, 0, 0), (3, 0, 0)))
    assert len(simulation(room, vt.Body(vt.Sphere((3, 0, 0), 0.2))).bodies) == 2
    with pytest.raises(ValueError, match=r"no keys lead it in"):
        simulation(room, vt.Body(vt.Sphere((3, 3, 0), 0.2), parent=keys((0, 0, 0), (1, 0, 0))))


@pytest.mark.slow
def test_a_piston_comes_in_through_the_wall():
    """It pushes the fluid before it, nothing is in its way or lost, and before it comes there is
    all but no flow."""
    scene = vt.Scene("piston", gravity=(0, 0, 0), spacing=0.1)
    scene.add(vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), name="room"))
    way = keys((0, 0, 0), (-1.5, 0, 0), times=(0, 1))
    scene.add(vt.Body(vt.Sphere((1.8, 0, 0), 0.3), name="piston", parent=way))
    scene.add(vt.Tracers(vt.Box((-1, -1, -1), (1, 1, 1)), count=3000))
    sim = vt.Simulation(scene, threads=1)
    axis = np.linspace(-0.9, 0.9, 14)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    sim.vortons.add(x, 0 * x + 1e-6, core=0.15, volume=0.138**3)
    probe = [(0.6, 0, 0)]
    sim.step(2)
    assert np.abs(sim.velocity_at(probe)).max() < 0.01 * 1.5
    for _ in range(10):
        sim.step()
        places = sim.tracers.position.astype(float)
        assert sim.body_distance("room", places)[0].min() > 0
        assert sim.body_distance("piston", places)[0].min() > 0
    assert sim.tracers.count == 3000 and sim.bodies["piston"].position[0] < 1.06
    assert sim.velocity_at(probe)[0, 0] < -0.3 * 1.5


@pytest.mark.parametrize(
    "shape",
    [
        vt.Sphere((1.1, 0, 0), 0.2),  # in part
        vt.Box((-2, -2, -1.2), (2, 2, -1)),  # under the floor, touching it
        vt.Plane((0, 0, -3)),
        [vt.Sphere((3, 0, 0), 0.2), vt.Sphere((0, 0, 0), 0.2)],  # one of two
    ],
    ids=["in part", "beside", "plane", "one of two"],
)
def test_a_body_that_is_inside_in_part(shape):
    room = vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), name="room")
    assert len(simulation(room, vt.Body(shape, panels=0)).bodies) == 2


def test_bodies_that_start_inside_of_each_other():
    box = vt.Box((-0.3, -0.3, -0.3), (0.3, 0.3, 0.3))
    for one, other, depth in [
        (vt.Sphere((0, 0, 0), 0.3), vt.Sphere((0.4, 0, 0), 0.3), "0.2"),
        (vt.Sphere((0, 0, 0.5), 0.3), box, "0.1"),
    ]:
        bodies = [vt.Body(one, name="a", density=9), vt.Body(other, name="bob", density=8)]
        with pytest.raises(ValueError) as error:
            simulation(*bodies)
        assert f"'bob': it starts {depth}" in str(error.value), error.value
        assert "inside of bodies[0], Body 'a'" in str(error.value) and "allowed" in str(error.value)
    for height in (0.6, 0.55):  # beside it, and so little in it that they are pushed apart
        near = vt.Body(vt.Sphere((0, 0, height), 0.3), density=9)
        assert len(simulation(near, vt.Body(box, density=9)).bodies) == 2


def test_a_body_over_an_emitter():
    smoke = vt.Tracers(vt.Sphere(radius=0.1), count=10)
    with pytest.raises(ValueError, match=r"'lid'.*sources\[0\], Tracers lies inside"):
        simulation(smoke, ball((0, 0, 0), name="lid"))
