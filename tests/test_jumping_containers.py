"""What is in a container that jumps goes with it, as it is."""

import functools

import numpy as np
import pytest
from marks import slow_but

import vorton as vt

SHAPES = {"box": vt.Box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)), "sphere": vt.Sphere(radius=0.5)}
HALF = np.sqrt(0.5)
QUARTER = (HALF, 0, HALF, 0)  # about y
JUMPS = {
    "by its size": dict(position=(1, 0, 0)),
    "across": dict(position=(1, 1, 1)),
    "far": dict(position=(100, 0, 0)),
    "turned": dict(rotation=QUARTER),
    "across and turned": dict(position=(1, 1, 1), rotation=QUARTER),
}


def transform(jump, time):
    here = {"position": (0, 0, 0), "rotation": (1, 0, 0, 0)}
    return vt.Transform(
        **{name: vt.Keys([(0, here[name]), (time, to)], "constant") for name, to in jump.items()}
    )


def filled(shape, parent=None, ring=True, items=(), **scene):
    """A container full of tracers, with a vortex ring in it."""
    exact = vt.Method(rounding=0)
    scene = vt.Scene(voxel=0.1, **{"gravity": (0, 0, 0), "method": exact, **scene})
    scene.add(vt.Container(SHAPES[shape], name="room", parent=parent))
    if ring:
        scene.add(vt.VortexRing(radius=0.25, core=0.08))
    scene.add(vt.Tracers(SHAPES[shape], count=2000))
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, threads=1)


def matrix(q):
    w, *v = q
    x = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * x + 2 * x @ x


def local(sim, values, places=True):
    """Places or directions seen from the container."""
    room = sim.bodies["room"]
    return (values - np.array(room.position) * places) @ matrix(room.rotation)


def by_id(particles):
    return np.argsort(particles.id)


def views(sim):
    v, t = sim.vortons, sim.tracers
    order = by_id(v)
    return (
        local(sim, t.position)[by_id(t)],
        local(sim, v.position)[order],
        local(sim, v.strength, places=False)[order],
        local(sim, v.velocity, places=False)[order],
    )


@pytest.mark.slow
@pytest.mark.parametrize("jump", JUMPS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_rests_in_a_container_stays_where_it_is_in_it(shape, jump):
    """Without a flow, within a frame."""
    sim = filled(shape, transform(JUMPS[jump], 0.19), ring=False)
    start = local(sim, sim.tracers.position)[by_id(sim.tracers)]
    sim.step(8)
    assert sim.bodies["room"].position == pytest.approx(JUMPS[jump].get("position", (0, 0, 0)))
    assert sim.tracers.count == len(start)
    found = local(sim, sim.tracers.position)[by_id(sim.tracers)]
    skin = 2**-20 * (100 if jump == "far" else 1)  # that is kept from the walls
    assert np.abs(found - start).max() < max(1e-5, skin)


@functools.cache
def at_rest(shape):
    """Views of a container that stays where it is, after 12 frames."""
    sim = filled(shape)
    sim.step(12)
    return views(sim)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "jump", "time"),
    [(shape, jump, 0.19) for shape in SHAPES for jump in ("by its size", "across and turned")]
        + [("box", "far", 5 / 24), ("sphere", "across", 5 / 24)],
)
def test_the_flow_in_a_container_lives_on(shape, jump, time):
    """As in one at rest: but for where the nodes of the grid lie, and the length of a substep."""
    moved = filled(shape, transform(JUMPS[jump], time))
    moved.step(12)
    assert (moved.body_distance("room", moved.tracers.position.astype(float))[0] >= 0).all()
    found, wanted = views(moved), at_rest(shape)
    assert [len(view) for view in found] == [len(view) for view in wanted]
    assert np.abs(found[0] - wanted[0]).mean() < 2e-3
    assert np.abs(found[1].mean(axis=0) - wanted[1].mean(axis=0)).max() < 2e-3
    assert np.abs(found[1].std(axis=0) - wanted[1].std(axis=0)).max() < 2e-3
    for after, before in zip(found[2:], wanted[2:], strict=True):
        error = np.linalg.norm(after - before, axis=1)
        assert error.mean() < 0.05 * np.linalg.norm(before, axis=1).mean()


@pytest.mark.parametrize(
    ("shape", "jump"),
    slow_but(
        [("sphere", "across")], zip(sorted(SHAPES) * 3, JUMPS, strict=False)
    ),
)
def test_a_container_that_is_put_elsewhere_takes_all_along_at_once(shape, jump):
    sim = filled(shape)
    sim.step(3)
    before = views(sim)
    sim.set_body("room", **JUMPS[jump])
    for after, was in zip(views(sim), before, strict=True):
        assert np.abs(after - was).max() < 1e-5
    sim.step(3)
    assert sim.tracers.count == len(before[0]) and sim.vortons.count == len(before[1])
    assert np.abs(views(sim)[0].std(axis=0) - before[0].std(axis=0)).max() < 0.02


@pytest.mark.slow
def test_balls_and_walls_go_along():
    """A ball that moves by itself, and a wall with the same keys."""
    parent = transform(JUMPS["across and turned"], 0.19)
    ball = vt.Body(vt.Sphere((0.2, 0.1, -0.1), 0.1), density=1.2041, name="ball")
    wall = vt.Body(vt.Box((-0.5, -0.5, -0.4), (0, 0.5, -0.35)), parent=parent, name="wall")
    sim = filled("box", parent, ring=False, items=(ball, wall))
    start = local(sim, sim.tracers.position)[by_id(sim.tracers)]
    place = local(sim, np.array(sim.bodies["ball"].position))
    sim.step(8)
    assert np.abs(local(sim, sim.tracers.position)[by_id(sim.tracers)] - start).max() < 1e-5
    assert np.abs(local(sim, np.array(sim.bodies["ball"].position)) - place).max() < 1e-5
    assert np.abs(sim.bodies["ball"].velocity).max() < 1e-5
    assert matrix(sim.bodies["ball"].rotation) == pytest.approx(matrix(QUARTER))


@pytest.mark.slow
def test_a_container_that_jumps_in_every_frame_and_moves_too():
    """Jumps at the ends of frames, within them, and several in one."""
    times = [0, 1 / 24, 2 / 24, 3 / 24, 0.13, 0.14, 0.15, 7 / 24]
    places = np.random.default_rng(1).uniform(-3, 3, (len(times), 3))
    places[0] = 0
    keys = vt.Keys([(t, tuple(x)) for t, x in zip(times, places, strict=True)], "constant")
    moves = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (1, 0, 0))]))
    sim = filled("box", vt.Transform(position=keys, parent=moves), ring=False)
    start = local(sim, sim.tracers.position)[by_id(sim.tracers)]
    for _ in range(12):
        sim.step()
        assert np.abs(local(sim, sim.tracers.position)[by_id(sim.tracers)] - start).max() < 1e-4


@pytest.mark.slow
def test_emitters_on_a_container_that_jumps_lose_nothing():
    parent = transform(JUMPS["far"], 0.19)
    scene = vt.Scene(voxel=0.1, gravity=(0, 0, 0))
    scene.add(vt.Container(SHAPES["box"], name="room", parent=parent))
    scene.add(vt.Tracers(vt.Sphere(radius=0.1), rate=2390, parent=parent))
    sim = vt.Simulation(scene, threads=1)
    sim.step(12)
    assert np.array_equal(np.sort(sim.tracers.id), np.arange(sim.tracers.count))
    assert sim.tracers.count > 1000
    assert np.linalg.norm(local(sim, sim.tracers.position), axis=1).max() < 0.1 + 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2])
def test_same_bits_for_any_number_of_threads(threads):
    bits = []
    for number in (1, threads):
        sim = filled("box", transform(JUMPS["across and turned"], 0.19))
        sim = vt.Simulation(sim.scene, threads=number)
        sim.step(8)
        bits.append((sim.vortons.strength.copy(), sim.tracers.position.copy()))
    assert all(np.array_equal(a, b) for a, b in zip(*bits, strict=True))


@pytest.mark.slow
def test_what_is_in_a_container_that_moves_and_turns_in_a_jump_goes_on_with_it():
    """The container goes along X all the time: so does what rests in it, however it was turned."""
    turned = transform(JUMPS["turned"], 0.19)
    moving = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (1, 0, 0))]))
    parent = vt.Transform(rotation=turned.rotation, parent=moving)
    ball = vt.Body(
        vt.Sphere((0.2, 0.1, -0.1), 0.1), density=1.2041, velocity=(1, 0, 0), name="ball"
    )
    sim = filled("box", parent, ring=False, items=(ball,))
    sim.step(8)
    assert sim.bodies["ball"].velocity == pytest.approx((1, 0, 0), abs=0.02)
    fluid = sim.tracers.velocity
    assert np.sqrt(((fluid - (1, 0, 0)) ** 2).sum(axis=1).mean()) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("frame", range(1, 24))
def test_what_is_born_when_a_container_jumps_is_born_in_it(frame):
    """Whatever the time of the frame is rounded to."""
    parent = transform(JUMPS["far"], frame / 24)
    born = vt.VortexRing(radius=0.2, core=0.1, circulation=0.01, time=frame / 24, parent=parent)
    sim = filled("box", parent, ring=False, items=(born,))
    sim.step(frame + 1)
    assert sim.vortons.count > 100 and sim.tracers.count == 2000


@pytest.mark.parametrize("way", ["keys", "set_body"])
def test_planes_take_nothing_along(way):
    up = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (0.19, (0, 0, -3))], "constant"))
    scene = vt.Scene(voxel=0.1, gravity=(0, 0, 0))
    floor = vt.Plane((0, 0, -1), (0, 0, -1))
    scene.add(vt.Container(floor, name="floor", parent=up if way == "keys" else None))
    scene.add(vt.Tracers(vt.Sphere(radius=0.3), count=100))
    sim = vt.Simulation(scene, threads=1)
    start = np.sort(sim.tracers.position[:, 2])
    if way == "set_body":
        sim.set_body("floor", position=(0, 0, -4))
    sim.step(8)
    assert np.sort(sim.tracers.position[:, 2]) == pytest.approx(start, abs=1e-6)


@pytest.mark.parametrize("options", [{"panels": 0}, {"bodies": "none"}])
def test_fluid_that_no_wall_takes_along_feels_no_acceleration(options):
    """A heavy ball of fluid in still water stays where it is, while the box moves around it."""
    parent = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (0.5, (0.2, 0, 0))], "smooth"))
    method = vt.Method(bodies=options.get("bodies", "panels"))
    scene = vt.Scene(voxel=0.1, gravity=(0, 0, 0), ambient=vt.Water(), method=method)
    scene.add(
        vt.Container(SHAPES["box"], parent=parent, **({"panels": 0} if "panels" in options else {}))
    )
    scene.add(vt.Emitter(vt.Sphere(radius=0.2), density=100, renew=0, core=0.1))
    sim = vt.Simulation(scene, threads=1)
    sim.step()
    start = sim.vortons.position[sim.vortons.density > 50].mean(axis=0)
    sim.step(8)
    heavy = sim.vortons.density > 50
    assert np.abs(sim.vortons.position[heavy].mean(axis=0) - start).max() < 1e-3


# ---- books ----


def with_ball(jump, time=0.19, **options):
    parent = transform(JUMPS[jump], time) if jump else None
    moves = {"density": 30.0} if options.pop("free", False) else {"parent": parent}
    way = options.pop("way", None)  # it jumps at the same time, but not as the container does
    if way:
        own = transform({"position": (0.02, 0, 0)}, time).position
        moves = {"parent": vt.Transform(position=own, parent=parent if way == "farther" else None)}
    ball = vt.Body(vt.Sphere((0.1, 0.05, 0.3), 0.12), name="ball", **moves, **options)
    return filled("box", parent, items=(ball,), spacing=0.05)


def angular(name):
    return name.replace("imp", "angular_imp")


def books(sim):
    """Momentum of bodies and fluid, less what is booked as given: linear, and about the origin."""
    h, air = sim.health, vt.Air().density

    def both(name):
        return np.array([getattr(h, name), getattr(h, angular(name))])

    fluid = both("impulse") + both("bound_impulse") - both("buoyant_impulse")
    own = np.array([h.momentum, h.angular_momentum]) - both("support_impulse")
    return own + air * (fluid - both("outer_impulse"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("jump", "options"),
    [
        ("by its size", {"shedding": 0}),
        ("by its size", {"way": "farther"}),
        ("turned", {}),
        ("turned", {"free": True}),
        ("across and turned", {"shedding": 0}),
        ("across and turned", {}),
        ("across and turned", {"free": True}),
        ("across and turned", {"way": "alone", "shedding": 0}),
        ("across and turned", {"way": "farther", "shedding": 0}),
        ("across and turned", {"way": "farther"}),
    ],
    ids=str,
)
def test_s4_the_books_of_momentum_close_in_a_jump(jump, options):
    """Of a ball that jumps along, of one that jumps otherwise, and of one that moves by itself: to
    1e-6 of the fluid's."""
    sim = with_ball(jump, **options)
    sim.step(2)
    for _ in range(6):
        before = books(sim)
        sim.step()
        whole = vt.Air().density * np.linalg.norm(sim.health.impulse)
        assert np.abs(books(sim) - before).max() < 1e-6 * whole


@pytest.mark.slow
@pytest.mark.parametrize("shedding", [0, 30])
def test_a_ball_that_jumps_along_receives_what_it_would_have_received_at_rest(shedding):
    """In the frame of the jump, too, and the vortons that it sheds."""
    moved, resting = (with_ball(jump, shedding=shedding) for jump in ("by its size", None))
    for sim in (moved, resting):
        sim.step(4)
    found, start = [], [list(sim.bodies["ball"].flow_impulse) for sim in (moved, resting)]
    for sim, before in zip((moved, resting), start, strict=True):
        sim.step(2)
        found.append(np.subtract(sim.bodies["ball"].flow_impulse, before))
    assert np.linalg.norm(found[0] - found[1]) < 0.05 * np.linalg.norm(found[1])


@pytest.mark.slow
def test_a_container_that_is_put_elsewhere_keeps_the_books():
    sim = with_ball(None, free=True)
    sim.step(3)
    before = books(sim)
    sim.set_body("room", **JUMPS["across and turned"])
    whole = vt.Air().density * np.linalg.norm(sim.health.impulse)
    assert np.abs(books(sim) - before).max() < 1e-6 * whole
