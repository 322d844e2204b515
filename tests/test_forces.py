"""Force fields on the fluid, against integrals, exact velocities and the books of momentum.

Those on tracers alone: test_effects.py."""

import dataclasses

import numpy as np
import pytest
from hand_made import simulation, state
from marks import slow_but
from scipy.integrate import quad
from test_impulse_books import both, own_books

import vorton as vt

FPS = 24
AIR = vt.Air().density


def forced(*items, fps=FPS, **scene):
    made = vt.Scene("forced", **{"spacing": 0.06, "gravity": (0, 0, 0), **scene})
    for item in items:
        made.add(item)
    return vt.Simulation(made, fps, threads=1)


def rise(depth, width):
    t = np.clip(depth / width, 0, 1)
    return t * t * (3 - 2 * t)


def ball_integral(radius, falloff):
    """Of what a force rises to over a ball, m^3."""
    return quad(lambda r: 4 * np.pi * r * r * rise(radius - r, falloff * radius), 0, radius)[0]


# ---- momentum ----


@pytest.mark.parametrize("falloff", [0.5, 1.0])
def test_a_force_gives_its_integral_over_the_fluid(falloff):
    """Linear impulse a V, angular impulse x cross a V."""
    center, push = np.array([0.3, -0.2, 0.5]), np.array([0, 3.0, 4.0])
    ball = vt.Sphere(center, 0.4)
    sim = forced(vt.UniformForce(push, strength=2.0, shape=ball, falloff=falloff))
    sim.step()
    exact = 2.0 * push / 5 * ball_integral(0.4, falloff) / FPS
    given = both(sim.health, "impulse")
    assert np.allclose(given[0], exact, atol=2e-3 * np.abs(exact).max())
    assert np.allclose(given[1], np.cross(center, exact), atol=2e-3 * np.abs(exact).max())
    assert sim.health.strength_share < 1e-6


def test_a_box_and_a_disk_fall_off_from_each_of_their_walls():
    """In a box of 1.2 x .8 x .6 the walls are .3 above the deepest point."""
    box = vt.Box((-0.6, -0.4, -0.3), (0.6, 0.4, 0.3))
    disk = vt.Disk(axis=(1, 0, 0), radius=0.4, thickness=1.2)

    def line(half):
        return quad(lambda x: rise(half - abs(x), 0.15), -half, half)[0]

    area = quad(lambda r: 2 * np.pi * r * rise(0.4 - r, 0.2), 0, 0.4)[0]
    length = quad(lambda x: rise(0.6 - abs(x), 0.2), -0.6, 0.6)[0]
    for shape, volume in ((box, line(0.6) * line(0.4) * line(0.3)), (disk, area * length)):
        sim = forced(vt.UniformForce((1, 0, 0), strength=1.0, shape=shape), spacing=0.03)
        sim.step()
        assert sim.health.impulse[0] == pytest.approx(volume / FPS, rel=3e-3)


@pytest.mark.slow
def test_momentum_is_closed_in_a_jet():
    """What the fluid has is what the force has given, to 1e-5 in each frame; and that is as much in
    each frame as in the first."""
    jet = vt.UniformForce((1, 0, 0), strength=3.0, shape=vt.Sphere(radius=0.4))
    sim = forced(jet, spacing=0.04)
    first = None
    for _ in range(20):
        before, given = both(sim.health, "impulse"), both(sim.health, "forced_impulse")
        sim.step()
        gain = both(sim.health, "impulse") - before
        given = both(sim.health, "forced_impulse") - given
        first = given if first is None else first
        assert np.abs(gain - given).max() < 1e-5 * np.linalg.norm(sim.health.impulse)
        assert np.allclose(given, first, atol=1e-3 * first[0, 0])
    assert sim.health.largest_speed > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("shedding", [0, 20])
def test_a_jet_moves_a_free_body_and_the_books_close(shedding):
    """Momentum of the ball and of the fluid together is what the force gives."""
    ball = vt.Body(vt.Sphere((0.9, 0, 0.05), 0.15), "ball", density=4.0, shedding=shedding)
    sim = forced(vt.UniformForce((1, 0, 0), strength=8.0, shape=vt.Sphere(radius=0.4)), ball)
    fastest = 0.0
    for _ in range(24):
        before = own_books(sim)
        sim.step()
        missing = np.abs(own_books(sim) - before).max()
        assert missing < 1e-5 * AIR * np.linalg.norm(sim.health.impulse)
        ball = sim.bodies["ball"]
        fastest = max(fastest, ball.velocity[0])
    # where it sheds nothing the ring that comes behind the jet draws it back
    assert fastest > (0.3 if shedding else 0.15)
    assert ball.position[0] > 0.905
    assert sim.health.forced_impulse[0] == pytest.approx(8.0 * ball_integral(0.4, 0.5), rel=3e-3)


# ---- vortices ----


def circulation(sim, radius, z=0.0, count=256):
    """Line integral of the velocity around the z axis."""
    angle = 2 * np.pi * np.arange(count) / count
    way = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle + z], axis=1)
    return 2 * np.pi * radius * np.mean(np.sum(sim.velocity_at(points) * way, axis=1))


@pytest.mark.slow
def test_a_vortex_spins_the_fluid_to_its_circulation_and_no_more():
    """Between the core and where the force falls off, and in the core as in a Lamb-Oseen vortex."""
    spin, core = 0.6, 0.3
    field = vt.Vortex(circulation=spin, core=core, shape=vt.Disk(radius=0.9, thickness=2.4))
    sim = forced(field, spacing=None)
    sim.step(18)
    radii = np.array([0.2, 0.3, 0.5, 0.6])
    exact = -spin * np.expm1(-((radii / core) ** 2))
    for _ in range(2):
        found = np.array([circulation(sim, r) for r in radii])
        assert np.allclose(found, exact, rtol=0.05)
        sim.step(6)
    h = sim.health
    assert h.angular_impulse[2] == pytest.approx(h.forced_angular_impulse[2], rel=1e-3)
    assert np.abs(h.impulse).max() < 1e-3 * h.angular_impulse[2]


@pytest.mark.parametrize("walls", [True, False])
def test_a_whirl_reaches_a_large_circulation_where_its_ends_are_held(walls):
    """Between the floor and the ceiling of a room; with free ends the fluid at rest around them
    streams in faster than it is spun up."""
    spin, core, half = 8.0, 0.25, np.array((0.8, 0.8, 0.5))
    length = 4.0 if walls else 1.0
    field = vt.Vortex(circulation=spin, core=core, shape=vt.Cylinder(radius=0.7, length=length))
    rooms = [vt.Container(vt.Box(tuple(-half), tuple(half)))] if walls else []
    sim = forced(field, *rooms, spacing=0.1)
    sim.step(18)
    found = np.array([circulation(sim, 0.4, z) for z in (0, 0.3)])
    exact = -spin * np.expm1(-((0.4 / core) ** 2))
    if walls:
        np.testing.assert_allclose(found, exact, rtol=0.03)
    else:
        assert np.all(found < 0.9 * exact) and np.all(found > 0.3 * exact)


@pytest.mark.slow
def test_a_whirl_that_ends_sucks_along_its_axis():
    """By Bernoulli at most sqrt(2 p / density), p being the lack of pressure on the axis: density
    times the integral of u^2 / r over r, of a Lamb-Oseen vortex (strength / core)^2 log(2) /
    (4 pi^2)."""
    circulation, core = 2.0, 0.2
    scene = vt.Scene()
    shape = vt.Cylinder(radius=0.5, length=2)
    scene.add(vt.Vortex(circulation=circulation, core=core, shape=shape))
    sim = vt.Simulation(scene, threads=1)
    sim.step(24)
    turn = quad(lambda r: (1 - np.exp(-((r / core) ** 2))) ** 2 / r**3, 0, np.inf)[0]
    bound = circulation / (2 * np.pi) * np.sqrt(2 * turn)
    assert bound == pytest.approx(1.18 * circulation / (2 * np.pi * core), rel=0.01)
    height = np.linspace(-1, 1, 41)
    along = sim.velocity_at(np.c_[np.zeros((41, 2)), height])[:, 2]
    assert 0.6 * bound < along[:20].max() < bound
    assert -bound < along[21:].min() < -0.6 * bound
    assert abs(along[20]) < 0.05 * bound


@pytest.mark.slow
def test_a_vortex_needs_its_time():
    """1 - exp(-t / time) of the circulation after t."""
    field = vt.Vortex(circulation=0.1, core=0.3, shape=vt.Disk(radius=0.8, thickness=0.8), time=0.5)
    sim = forced(field, spacing=0.03)
    for frames in (6, 12):
        sim.step(6)
        share = 1 - np.exp(-frames / FPS / 0.5)
        assert circulation(sim, 0.45) == pytest.approx(-0.1 * share * np.expm1(-2.25), rel=0.04)


def test_a_vortex_without_circulation_brakes_what_turns():
    """exp(-t / time) of it is left after t."""
    field = vt.Vortex(circulation=0.1, core=0.3, shape=vt.Disk(radius=0.8, thickness=0.8), time=0.2)
    sim = forced(field, spacing=0.06)
    sim.step(6)
    before = circulation(sim, 0.45)
    sim.change(field, dataclasses.replace(field, circulation=0))
    sim.step(3)
    assert before > 0.04
    assert circulation(sim, 0.45) / before == pytest.approx(np.exp(-3 / FPS / 0.2), rel=0.05)


def test_a_vortex_turns_and_grows_with_its_parent():
    """About z in a space that is turned about x and doubled: about -y, with twice the core."""
    space = vt.Transform(position=(1, 0, 0), angle=90, axis=(1, 0, 0), scale=2)
    small = vt.Disk(radius=0.4, thickness=1)
    large = vt.Disk((1, 0, 0), axis=(0, 1, 0), radius=0.8, thickness=2)
    placed = forced(vt.Vortex(core=0.15, shape=small, parent=space), spacing=0.1)
    direct = forced(vt.Vortex((1, 0, 0), (0, -1, 0), core=0.3, shape=large), spacing=0.1)
    points = np.random.default_rng(1).normal((1, 0, 0), 0.3, (50, 3))
    for sim in (placed, direct):
        sim.step(3)
    assert np.abs(direct.velocity_at(points)).max() > 0.05
    assert np.allclose(placed.velocity_at(points), direct.velocity_at(points), atol=2e-4)


# ---- drag ----


def test_drag_leads_fluid_to_its_velocity():
    """From rest a substep of dt gives fraction x (1 - exp(-dt / time)) of it, over the shape."""
    wind = np.array([0.2, 0, 0])
    field = vt.Drag((0.7, 0, 0), fraction=0.6, shape=vt.Sphere(radius=0.4), time=0.3)
    sim = forced(field, wind=tuple(wind), spacing=0.04)
    sim.step()
    assert sim.health.substeps == 1
    exact = 0.6 * 0.5 * -np.expm1(-1 / FPS / 0.3) * ball_integral(0.4, 0.5)
    assert sim.health.forced_impulse[0] == pytest.approx(exact, rel=3e-3)


@pytest.mark.slow
def test_drag_brakes_a_ring_and_takes_its_impulse():
    free, held = (
        forced(vt.VortexRing(radius=0.5, core=0.15), *effects)
        for effects in ((), (vt.Drag(fraction=1.0, shape=vt.Sphere(radius=1.2), time=0.2),))
    )
    for sim in (free, held):
        sim.step(12)
    assert held.health.energy < 0.1 * free.health.energy
    h = held.health
    whole = np.linalg.norm(free.health.impulse)
    assert h.impulse[2] < 0.4 * whole and h.forced_impulse[2] < -0.6 * whole


# ---- turbulence and gusts ----


@pytest.mark.slow
def test_turbulence_accelerates_at_its_rms_without_divergence():
    """Deep inside of a large shape the first step gives the fluid dt x the acceleration, which the
    cores smooth: a wave k by exp(-k^2 core^2 / 2)."""
    box = vt.Box((-1.5,) * 3, (1.5,) * 3)
    sim = forced(vt.Turbulence(strength=2.0, scale=0.5, shape=box, falloff=0.3), spacing=0.06)
    sim.step()
    points = np.random.default_rng(2).uniform(-0.9, 0.9, (2000, 3))
    speed = np.sqrt(np.mean(np.sum(sim.velocity_at(points) ** 2, axis=1)))
    k = np.geomspace(2 * np.pi / 1.6, 2 * np.pi / 0.625, 100)
    smoothed = np.sqrt(np.mean(np.exp(-((k * 1.5 * 0.06) ** 2))))
    assert speed == pytest.approx(2.0 / FPS * smoothed, rel=0.1)
    other = forced(vt.Turbulence(strength=2.0, scale=0.5, shape=box, falloff=0.3, seed=1))
    other.step()
    apart = sim.velocity_at(points) - other.velocity_at(points)
    assert np.sqrt(np.mean(np.sum(apart**2, axis=1))) == pytest.approx(2**0.5 * speed, rel=0.3)


def test_eddies_of_turbulence_move_with_their_velocity():
    """What acts at a point acts a step later where the velocity has brought it."""
    drift = np.array([0.9, 0.3, 0])
    box = vt.Box((-1,) * 3, (1,) * 3)
    points = np.random.default_rng(3).uniform(-0.4, 0.4, (500, 3))

    def gain(start, at):
        """Velocity that one step gives to fluid at rest until then."""
        field = vt.Turbulence(
            strength=vt.Keys([(start - 1e-6, 0.0), (start, 0.05)]), scale=0.5, shape=box,
            velocity=tuple(drift), time=1e6, falloff=0.2,
        )  # fmt: skip
        sim = forced(field, fps=8)
        sim.step(round(start * 8) + 1)
        return sim.velocity_at(at)

    first, later = gain(0.0, points), gain(0.125, points + drift * 0.125)
    assert np.abs(first).max() > 0.003
    assert np.corrcoef(first.ravel(), later.ravel())[0, 1] > 0.97


@pytest.mark.slow
@pytest.mark.parametrize("gusts", [0.3, 1.0])
def test_gusts_change_a_force_about_its_mean(gusts):
    """A lognormal factor of mean 1 and rms deviation `gusts`: the force never stops."""
    field = {"strength": 1e-3, "shape": vt.Sphere(radius=0.3), "time": 0.1, "seed": 3}
    sim = forced(vt.UniformForce((1, 0, 0), gusts=gusts, **field), fps=4, spacing=0.1)
    given = []
    for _ in range(200):
        before = sim.health.forced_impulse[0]
        sim.step()
        given.append(sim.health.forced_impulse[0] - before)
    steady = forced(vt.UniformForce((1, 0, 0), **field), fps=4, spacing=0.1)
    steady.step()
    share = np.array(given) / steady.health.forced_impulse[0]
    assert share.mean() == pytest.approx(1, abs=0.25 * gusts)
    spread = np.log(1 + gusts**2) ** 0.5
    assert np.log(share).mean() == pytest.approx(-(spread**2) / 2, abs=0.2 * spread)
    assert np.log(share).std() == pytest.approx(spread, rel=0.2)
    assert share.min() > np.exp(-(spread**2) / 2 - 4 * spread)


# ---- forces that are given ----


def bump(distance, radius=0.5):
    return np.clip(1 - (distance / radius) ** 2, 0, 1) ** 2


def given_on_nodes(push, center=(0, 0, 0), **options):
    """A bump of .5 m around a point, on nodes .05 m apart."""
    x = np.linspace(-0.5, 0.5, 21)
    z, y, x = np.meshgrid(x, x, x, indexing="ij")
    values = bump(np.sqrt(x**2 + y**2 + z**2))[..., None] * np.asarray(push)
    return vt.ForceGrid(values, origin=tuple(np.array(center) - 0.5), spacing=0.05, **options)


def given_at_points(push, center=(0, 0, 0), **options):
    return vt.ForcePoints([center], [push], radius=0.5, **options)


@pytest.mark.parametrize("make", [given_on_nodes, given_at_points])
def test_given_forces_give_their_integral(make):
    """Twice, with a factor, in a space that is turned about z by a right angle and moved."""
    space = vt.Transform(position=(0, 0, 1), angle=90)
    sim = forced(make((1.0, 0, 2.0), (0.2, 0, 0), strength=2.0, parent=space), spacing=0.05)
    sim.step()
    volume = quad(lambda r: 4 * np.pi * r * r * bump(r), 0, 0.5)[0]
    exact = 2.0 * volume / FPS * np.array([0, 1.0, 2.0])
    h = sim.health
    assert np.allclose(h.impulse, exact, atol=0.015 * exact[2])
    assert np.allclose(h.angular_impulse, np.cross((0, 0.2, 1), exact), atol=0.015 * exact[2])


def test_points_add_up_and_a_shape_bounds_them():
    two = [(-0.1, 0, 0), (0.2, 0, 0)], [(0, 0, 1.0), (0, 0, 3.0)]
    sims = [forced(vt.ForcePoints(*two, radius=0.4)), forced(vt.ForcePoints(*two, radius=0.4,
            shape=vt.Box((0, -1, -1), (1, 1, 1)), falloff=0))]  # fmt: skip
    for sim in sims:
        sim.step()
    volume = quad(lambda r: 4 * np.pi * r * r * bump(r, 0.4), 0, 0.4)[0]
    assert sims[0].health.impulse[2] == pytest.approx(4.0 * volume / FPS, rel=0.015)
    assert 0.5 < sims[1].health.impulse[2] / sims[0].health.impulse[2] < 0.85


@pytest.mark.slow
def test_a_given_field_that_is_a_gradient_drives_nothing():
    """f = grad of a bump of its own."""
    x = np.linspace(-0.6, 0.6, 49)
    z, y, x = np.meshgrid(x, x, x, indexing="ij")
    r2 = x**2 + y**2 + z**2
    slope = -4 / 0.25 * np.clip(1 - r2 / 0.25, 0, None)
    values = slope[..., None] * np.stack([x, y, z], axis=-1)
    sim = forced(vt.ForceGrid(values, origin=(-0.6,) * 3, spacing=0.025), spacing=0.025)
    sim.step(6)
    assert sim.health.largest_speed < 0.01 * np.abs(values).max() * 6 / FPS


def test_a_force_from_a_file(tmp_path):
    values = np.zeros((3, 3, 3, 3), np.float32)
    values[1, 1, 1] = (0, 0, 4)
    np.save(tmp_path / "force.npy", values)
    field = vt.ForceGrid(path=tmp_path / "force.npy", spacing=0.3)
    assert field == vt.ForceGrid(values, spacing=0.3) and "acceleration" not in field.to_dict()
    np.save(tmp_path / "force.npy", values + 1)
    with pytest.raises(ValueError, match=r"ForceGrid\.path = .*: the values have changed"):
        vt.ForceGrid(path=field.path, spacing=0.3, sha256=field.sha256)


# ---- where and when they act ----


@pytest.mark.slow
def test_a_force_that_moves_finds_fluid_wherever_it_is():
    """As much impulse in each frame, along its way and for one that is switched on or added."""
    way = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (3, 0, 0))]))
    ball = vt.Sphere(radius=0.3)
    moving = vt.UniformForce((0, 0, 1), strength=0.5, shape=ball, parent=way)
    switched = vt.Keys([(0, 0.0), (0.3, 0.0), (0.3 + 1e-6, 0.5)])
    late = vt.UniformForce((0, 1, 0), strength=switched, shape=vt.Sphere((0, 3, 0), 0.3))
    sim = forced(moving, late, spacing=0.05)
    exact = 0.5 * ball_integral(0.3, 0.5) / FPS
    for frame in range(16):
        if frame == 11:
            sim.add(vt.UniformForce((1, 0, 0), strength=0.5, shape=vt.Sphere((0, 0, 3), 0.3)))
        before = np.array(sim.health.forced_impulse)
        sim.step()
        given = np.array(sim.health.forced_impulse) - before
        expected = [frame >= 11, frame > 7, 1]
        if frame != 7:
            assert np.allclose(given, np.array(expected) * exact, atol=0.02 * exact)


@pytest.mark.slow
def test_a_wind_brings_no_fluid_that_a_force_does_not_push():
    """The same impulse in each frame when new air comes into the shape, and when two take turns."""
    first, second = (
        vt.Keys([(0, a), (0.25, a), (0.25 + 1e-6, 0.5 - a)]) for a in (0.5, 0.0)
    )
    here, there = vt.Sphere(radius=0.3), vt.Sphere((0, 3, 0), 0.3)
    sim = forced(
        vt.UniformForce((0, 0, 1), strength=first, shape=here),
        vt.UniformForce((0, 0, 1), strength=second, shape=there),
        vt.Wind((3.0, 0, 0)),
        spacing=0.05,
    )
    exact = 0.5 * ball_integral(0.3, 0.5) / FPS
    for frame in range(12):
        before = np.array(sim.health.forced_impulse)
        sim.step()
        given = np.array(sim.health.forced_impulse) - before
        if frame != 6:
            assert np.allclose(given, [0, 0, exact], atol=0.02 * exact), frame


def test_a_shape_that_grows_holds_more_fluid():
    growing = vt.Sphere(radius=vt.Keys([(0, 0.3), (1, 0.6)]))
    sim = forced(vt.UniformForce((0, 0, 1), strength=0.1, shape=growing), spacing=0.05)
    sim.step(12)
    exact = 0.1 * quad(lambda t: ball_integral(0.3 + 0.3 * t, 0.5), 0, 0.5)[0]
    assert sim.health.forced_impulse[2] == pytest.approx(exact, rel=3e-3)


@pytest.mark.slow
def test_without_a_shape_the_vortons_that_are_there_feel_a_force():
    ring = vt.VortexRing(radius=0.5, core=0.15)
    plain, stirred = forced(ring), forced(ring, vt.Turbulence(strength=5.0, scale=0.4))
    for sim in (plain, stirred):
        sim.step(4)
    assert stirred.vortons.count == plain.vortons.count
    assert np.abs(stirred.vortons.strength - plain.vortons.strength).max() > 1e-3
    alone = forced(vt.Turbulence(strength=5.0, scale=0.4))
    alone.step(2)
    assert alone.vortons.count == 0


def test_tracers_show_what_a_force_does_and_feel_none_of_it_themselves():
    field = vt.UniformForce((1, 0, 0), strength=3.0, shape=vt.Sphere(radius=0.4))
    sim = forced(field)
    sim.tracers.add([[0, 0, 0], [3, 0, 0]], density=1, size=0.1)
    sim.step(12)
    moved = sim.tracers.position[np.argsort(sim.tracers.id), 0] - [0, 3]
    assert moved[0] > 0.1 and abs(moved[1]) < 0.01


@pytest.mark.parametrize("field", [vt.UniformForce, vt.Turbulence, vt.Drag])
def test_a_force_of_no_strength_changes_nothing(field):
    name = "fraction" if field is vt.Drag else "strength"
    plain = simulation()
    scene = vt.Scene()
    scene.add(field(**{name: 0.0}, shape=vt.Sphere()))
    still = simulation(scene=scene)
    for sim in (plain, still):
        sim.step(5)
    assert state(plain) == state(still)


# ---- what is refused ----


@pytest.mark.parametrize("method", ["direct", "tree"])
def test_forces_on_the_fluid_need_the_grid(method):
    sim = forced(vt.Vortex(shape=vt.Sphere()), method=vt.Method(velocity=method), spacing=None)
    with pytest.raises(ValueError, match=r"method\.velocity .* whose acts_on is fluid"):
        sim.step()
    assert sim.time == 0


@pytest.mark.parametrize(
    ("kind", "acts_on"),
    [("attractor", "fluid"), *((kind, "tracers") for kind in ("uniform", "turbulence", "grid"))],
)
def test_what_a_kind_of_force_cannot_act_on_is_refused(kind, acts_on):
    core = forced()._core
    with pytest.raises(ValueError, match=rf"force\.acts_on is {acts_on}; allowed of"):
        core.add("force", kind=kind, acts_on=acts_on)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kind": "grid"}, r"force\.values is NULL"),
        ({"kind": "grid", "values": np.full((2, 2, 2, 3), 2e9, np.float32)}, r"values has 2e\+09"),
        ({"kind": "points"}, "point_count is 0"),
        ({"kind": "points", "positions": [(0, 0, 0)]}, "accelerations is NULL"),
        ({"kind": "points", "positions": [(0, 0, 0), (1, 1, 1)], "accelerations": [(0, 0, 0)] * 2,
          "radius": 1e-4}, "radius is 0.0001"),
    ],
)  # fmt: skip
def test_bad_given_forces_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        forced()._core.add("force", acts_on="fluid", **wrong)


# ---- same bits ----


def everything(frames, threads):
    """Every force on the fluid, some of which move, on a ring and beside a ball."""
    spin = vt.Transform(angle=vt.Keys([(0, 0), (1, 200)]), position=(0.2, 0, 0))
    growing = vt.Sphere((0, 0.3, 0), vt.Keys([(0, 0.2), (1, 0.5)]))
    scene = vt.Scene("forces", seed=2, spacing=0.1, wind=(0.2, 0, 0))
    for item in (
        vt.VortexRing((0, 0, 0.3), radius=0.4, core=0.15),
        vt.Tracers(vt.Sphere(radius=0.4), count=200),
        vt.Body(vt.Sphere((0, 0, 1.0), 0.2), "ball", density=20.0, panels=40, shedding=10),
        vt.UniformForce((0, 0, 1), strength=2.0, gusts=0.5, shape=growing, parent=spin),
        vt.Turbulence(strength=3.0, scale=0.4, velocity=(1, 0, 0), shape=vt.Box(), parent=spin),
        vt.Vortex((0, 0.2, 0), (0, 1, 1), circulation=0.8, core=0.2, shape=vt.Disk()),
        vt.Drag((0, 0, 0.2), fraction=0.3, shape=vt.Torus(radius=0.5, thickness=0.2)),
        given_on_nodes((0, 0, 1), (0.5, 0, 0), strength=vt.Keys([(0, 0), (1, 4)]), parent=spin),
        vt.ForcePoints([(-0.5, 0, 0), (-0.6, 0.2, 0)], [(0, 3, 0), (1, 0, 0)], radius=0.3),
        vt.Vortex(circulation=0.2, core=0.15, acts_on="tracers"),
    ):
        scene.add(item)
    sim = vt.Simulation(scene, FPS, threads=threads)
    sim.step(frames)
    return sim


@pytest.mark.slow
def test_same_bits_for_any_number_of_threads_and_after_a_copy():
    one = everything(8, 1)
    assert one.vortons.count > 2000 and np.isfinite(one.vortons.strength).all()
    for threads in (2, 3):
        assert state(everything(8, threads)) == state(one)
    begun = everything(3, 2)
    copied = begun.copy()
    for sim in (begun, copied):
        sim.step(5)
        assert state(sim) == state(one)


# ---- room ----


def around_a_flame(core, shape, **scene):
    made = vt.Scene("flame", **scene)
    made.add(vt.Emitter(vt.Disk(radius=0.1), temperature=500, core=core, lifetime=1))
    made.add(vt.Body(vt.Plane((0, 0, -1))))
    made.add(vt.UniformForce(shape=shape))
    return vt.Simulation(made, threads=1)


@pytest.mark.parametrize("size", slow_but([3], [3, 3e3, 3e6]))
def test_a_shape_that_cannot_be_filled_is_refused_at_once(size):
    """27 m^3 are 32 million vortons, .0094 m apart; of 6000 km, half lie in the ground."""
    sim = around_a_flame(0.01, vt.Box((-size / 2,) * 3, (size / 2,) * 3))
    before = state(sim)
    with pytest.raises(vt.CapacityError, match=r"effects\[0\], UniformForce.*max_") as caught:
        sim.step()
    number = float(str(caught.value).split("to fill it takes ")[1].split()[0])
    assert np.isclose(number, (size / 0.0094) ** 3, rtol=0.01)
    assert "of 0.01 m of sources[0], Emitter" in str(caught.value)
    assert state(sim) == before


@pytest.mark.parametrize("policy", slow_but(["stop"], ["error", "stop"]))
def test_what_lies_in_walls_needs_no_room(policy):
    """Of 1.2 million nodes 48 000 lie above the ground, and two layers around those."""
    deep = vt.Box((-5, -5, -10.5), (5, 5, -0.6))
    sim = around_a_flame(0.1, deep, max_vortons=100_000, at_capacity=policy)
    sim.step()
    assert sim.vortons.count == pytest.approx(10.4 * 10.4 * 0.6 / 0.094**3, rel=0.1)


def test_without_an_error_a_shape_is_filled_as_far_as_there_is_room():
    """Of one that would take 10^16 vortons."""
    endless = vt.Box((-0.3,) * 3, (2e4,) * 3)
    sim = around_a_flame(0.1, endless, max_vortons=2000, at_capacity="stop")
    sim.step()
    assert sim.vortons.count == 2000
