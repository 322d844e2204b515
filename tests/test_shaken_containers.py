"""Two fluids in a container that moves slosh as they do at rest under the gravity felt there."""

import numpy as np
import pytest
from marks import slow_but

import vorton as vt

SIDE, CELLS, BRINE, GRAVITY = 0.3, 24, 60.0, 9.81
RATE = 192  # of keys, 1/s
SHAKE, SWING = 0.02, np.pi  # m, rad/s
TIMES = np.arange(2 * RATE) / RATE


def shaken(t):
    return SHAKE * (1 - np.cos(SWING * t))


def track(x, z=0.0):
    return vt.Samples([(float(v), 0.0, z) for v in x], fps=RATE)


def fill(density, gravity=(0, 0, -GRAVITY), parent=None, items=(), panels=320, **method):
    """A box full of vortons; density is a function of their places in it."""
    spacing = SIDE / CELLS
    scene = vt.Scene(
        ambient=vt.Water(), spacing=spacing / 0.75, gravity=gravity, method=vt.Method(**method)
    )
    box = vt.Box((-SIDE / 2,) * 3, (SIDE / 2,) * 3)
    scene.add(vt.Container(box, name="box", parent=parent, panels=panels))
    for item in items:
        scene.add(item)
    sim = vt.Simulation(scene, threads=1)
    axis = (np.arange(CELLS) + 0.5) * spacing - SIDE / 2
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    x += np.random.default_rng(2).uniform(-0.25, 0.25, x.shape) * spacing
    sim.vortons.add(x, 0 * x, core=1.5 * scene.spacing, volume=spacing**3, density=density(x))
    return sim


def layers(x):
    return BRINE * (x[:, 2] < 0)


def leans(sim, frames):
    """Where the middles of the heavy and of the light fluid lie in the box, m."""
    ids, heavy = sim.vortons.id.copy(), sim.vortons.density > BRINE / 2
    found = []
    for _ in range(frames):
        sim.step()
        x = sim.vortons.position[sim.vortons.rows(ids)] - np.array(sim.bodies["box"].position)
        assert (np.abs(x) < SIDE / 2).all()
        found.append((x[heavy, 0].mean(), x[~heavy, 0].mean()))
    return np.array(found)


def agree(moving, resting, error):
    assert np.abs(moving - resting).max() < error * np.abs(resting).max()


@pytest.mark.slow
@pytest.mark.parametrize("buoyancy", ["local", "boussinesq", "full"])
def test_a_box_that_moves_is_a_box_at_rest_in_another_gravity(buoyancy):
    moving = fill(layers, parent=vt.Transform(position=track(shaken(TIMES))), buoyancy=buoyancy)
    pull = -SHAKE * SWING**2 * np.cos(SWING * TIMES)
    resting = fill(layers, gravity=track(pull, -GRAVITY), buoyancy=buoyancy)
    wanted = leans(resting, 40)
    assert np.abs(wanted).max() > 1e-4
    agree(leans(moving, 40), wanted, 0.04)


@pytest.mark.slow
@pytest.mark.parametrize("buoyancy", ["local", "full"])
def test_a_box_that_stops_lets_its_fluid_swing(buoyancy):
    """It speeds up for half a second, and then goes on as it is."""
    until, pull = 0.5, 1.0
    gone = np.where(TIMES < until, TIMES**2 / 2, until * TIMES - until**2 / 2) * pull
    parent = vt.Transform(position=track(gone))
    felt = track(np.where(TIMES < until, -pull, 0.0), -GRAVITY)
    moving = fill(layers, parent=parent, buoyancy=buoyancy)
    wanted = leans(fill(layers, gravity=felt, buoyancy=buoyancy), 40)
    agree(leans(moving, 40), wanted, 0.04)


@pytest.mark.slow
def test_a_velocity_that_changes_at_once_counts_as_one_push():
    """Straight keys: the fluid is pushed once, by the whole change of the velocity."""
    speed, pushed = 0.1, 5
    places = [(0, (0, 0, 0)), (pushed / 24, (0, 0, 0)), (2, (speed * (2 - pushed / 24), 0, 0))]
    moving = fill(layers, parent=vt.Transform(position=vt.Keys(places, "linear")))
    pull = vt.Keys(
        [(0, (0, 0, -GRAVITY)), ((pushed - 0.5) / 24, (-24 * speed, 0, -GRAVITY))]
        + [((pushed + 0.5) / 24, (0, 0, -GRAVITY))],
        "constant",
    )
    agree(leans(moving, 30), leans(fill(layers, gravity=pull), 30), 0.04)


@pytest.mark.slow
def test_a_container_that_is_placed_from_outside_makes_its_fluid_slosh():
    placed = fill(layers)
    resting = fill(layers, gravity=track(-SHAKE * SWING**2 * np.cos(SWING * TIMES), -GRAVITY))
    ids, heavy = placed.vortons.id.copy(), placed.vortons.density > 0
    lean = []
    for frame in range(40):
        placed.set_body("box", position=(shaken((frame + 1) / 24), 0, 0), over=1 / 24)
        placed.step()
        x = placed.vortons.position[placed.vortons.rows(ids), 0] - shaken((frame + 1) / 24)
        lean.append((x[heavy].mean(), x[~heavy].mean()))
    agree(np.array(lean), leans(resting, 40), 0.15)  # it is known but a frame later


@pytest.mark.parametrize("density", slow_but([BRINE], [0.0, BRINE]))
def test_one_fluid_goes_with_its_box_as_a_whole(density):
    """No vorticity, and every particle stays where it is in the box."""
    sim = fill(
        lambda x: density + 0 * x[:, 0], parent=vt.Transform(position=track(10 * shaken(TIMES)))
    )
    ids, start = sim.vortons.id.copy(), sim.vortons.position.copy()
    for _ in range(30):
        sim.step()
        x = sim.vortons.position[sim.vortons.rows(ids)] - np.array(sim.bodies["box"].position)
        assert np.abs(x - start).max() < 1e-3 * SIDE
    size = np.linalg.norm(sim.vortons.strength, axis=1)
    assert size.max() < 1e-4 * sim.vortons.volume.max() * SWING


@pytest.mark.slow
@pytest.mark.parametrize("panels", [320, 0])
def test_the_smallest_container_counts(panels):
    """One that stands still around it changes nothing."""
    room = vt.Container(vt.Box((-2, -2, -2), (2, 2, 2)), name="room", panels=0)
    alone, within = (
        leans(
            fill(
                layers,
                parent=vt.Transform(position=track(shaken(TIMES))),
                items=items,
                panels=panels,
            ),
            12,
        )
        for items in ((), (room,))
    )
    assert np.array_equal(alone, within)


@pytest.mark.slow
def test_a_ball_in_heavy_fluid_goes_with_the_box():
    """It learns of what the flow does a substep later. Without what the fluid is heavier by than
    water it would stay behind by a quarter of the way."""
    heavy = 400.0
    ball = vt.Body(vt.Sphere((0, 0, 0), 0.05), density=998.2 + heavy, name="ball", shedding=0)
    sim = fill(
        lambda x: heavy + 0 * x[:, 0],
        parent=vt.Transform(position=track(shaken(TIMES))),
        items=(ball,),
    )
    for _ in range(24):
        sim.step()
        gone = np.array(sim.bodies["ball"].position) - np.array(sim.bodies["box"].position)
        assert np.linalg.norm(gone) < 0.15 * 2 * SHAKE
