"""Fluids at rest between walls (VALIDATION B6, B7, B8): still, and yet they feel their surface."""

import numpy as np
import pytest

import vorton as vt

GRAVITY, AIR = 9.81, 1.2041
CONTRAST = 0.02  # kg/m^3
MIDDLE = np.array([0.3, 0.2, 0.45])  # off the nodes of the grid, which are 1 m apart
PLAIN = {"cleaning": 0.0, "exchange": 0.0}


def turn(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def box_of_fluid(side, spacing, tilt, jitter, seed=0):
    """Vortons that fill a tilted box, and the volume of each: jitter is in spacings, each way."""
    n = round(side / spacing)
    axis = (np.arange(n) + 0.5) * side / n - side / 2
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    x = x + jitter * side / n * np.random.default_rng(seed).uniform(-1, 1, x.shape)
    return x @ turn(tilt).T, (side / n) ** 3


def two_layers(x, slope=0.0, level=0.0):
    return CONTRAST * (x[:, 2] + slope * x[:, 0] < level)


def linear(x, side):
    return -CONTRAST * x[:, 2] / side


def simulate(x, density, volume, bodies, threads=1, fps=24, **method):
    scene = vt.Scene(
        spacing=1.0, ambient=vt.Gas(density=AIR), method=vt.Method(**{**PLAIN, **method})
    )
    for body in bodies:
        scene.add(body)
    sim = vt.Simulation(scene, fps=fps, threads=threads)
    sim.vortons.add(x + MIDDLE, 0 * x, core=1.5, volume=volume, density=density)
    return sim


def container(side, tilt=0.0):
    placed = vt.Transform(position=MIDDLE, axis=(0, 1, 0), angle=tilt)
    return vt.Container(vt.Box((-side / 2,) * 3, (side / 2,) * 3), parent=placed)


def torque(sim, dt=1e-4):
    """grad rho x g / rho0 times volume at the vortons, m^3/s^2: what buoyancy adds a second."""
    sim.advance(dt)
    return sim.vortons.strength.astype(float) / dt


def rms_torque(sim, volume):
    """In units of contrast x g / (rho0 h)."""
    return np.sqrt((torque(sim) ** 2).sum(axis=1).mean()) / volume * AIR / (CONTRAST * GRAVITY)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("jitter", "side", "spacing"),
    [(0.0, 12.3, 0.75), (0.25, 12.3, 0.75), (0.5, 12.3, 0.75), (0.5, 16.0, 0.75), (0.5, 12.3, 0.9)],
)
@pytest.mark.parametrize("tilt", [0.0, 20.0])
def test_b6_container_at_rest_feels_nothing(tilt, jitter, side, spacing):
    """Wherever the surface lies between the rows of vortons: some of a row may be on either side,
    so that it is as rough as they are wide."""
    x, volume = box_of_fluid(side, spacing, tilt, jitter, seed=1)
    layers = [two_layers(x, level=level) for level in (-0.35, 0.1)]
    for density, most in [*((d, 0.03) for d in layers), (linear(x, side), 0.01)]:
        sim = simulate(x, density, volume, [container(side, tilt)])
        assert rms_torque(sim, volume) < most


@pytest.mark.slow
@pytest.mark.parametrize("tilt", [0.0, 20.0])
def test_b6_poisons_of_the_articles(tilt):
    """Of what walls do that count as ambient fluid, that of the nodes takes away less than half,
    that of the hits more; where the vortons lie on a lattice neither leaves the fluid at rest."""
    side = 16.0
    x, volume = box_of_fluid(side, 0.75, tilt, 0.25)
    density = two_layers(x, level=0.1)
    found = {}
    for walls in ("open", "nodes", "hits", "masked"):
        sim = simulate(x, density, volume, [container(side, tilt)], walls=walls, balance="none")
        found[walls] = rms_torque(sim, volume)
    assert found["masked"] < 0.5 * found["open"]
    for poison in ("nodes", "hits"):
        assert found[poison] < 0.95 * found["open"]
    assert found["nodes"] > 0.5 * found["open"] > found["hits"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("angle", "spacing"), [(10.0, 0.75), (20.0, 0.75), (20.0, 0.9)])
@pytest.mark.parametrize("jitter", [0.0, 0.5])
def test_b7_tilted_surface_feels_its_torque(angle, spacing, jitter):
    """With a lattice the surface is a staircase: the mean over where it lies in one step."""
    side, slope = 24.0, np.tan(np.radians(angle))
    x, volume = box_of_fluid(side, spacing, 0.0, jitter)
    share = []
    for level in spacing * np.arange(0.1, 1.0, 0.2):
        density = two_layers(x, slope, level)
        total = torque(simulate(x, density, volume, [container(side)])).sum(axis=0)
        wanted = CONTRAST * GRAVITY * side**2 * slope / AIR  # about -y: it swings back
        share.append(-total[1] / wanted)
        assert abs(total[0]) < 0.1 * wanted and abs(total[2]) < 1e-3 * wanted
    assert 0.9 < np.mean(share) < 1.1
    if jitter > 0 and angle > 15:
        assert min(share) > 0.9 and max(share) < 1.1


@pytest.mark.slow
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize(("tilt", "jitter"), [(0.0, 0.5), (20.0, 0.0), (20.0, 0.5)])
def test_b8_half_full_container_stays_at_rest(upper, tilt, jitter):
    """All of the default method, one fluid a third heavier; with the lighter one above the surface,
    and with nothing."""
    side = 16.0
    x, volume = box_of_fluid(side, 0.75, tilt, jitter)
    x = x if upper else x[x[:, 2] < 0]
    usual = {"cleaning": 0.8, "exchange": 0.3, "halo": 2}
    density = 20 * two_layers(x)  # .4 kg/m^3
    sim = simulate(x, density, volume, [container(side, tilt)], **usual)
    sim.step(100)
    speed = np.linalg.norm(sim.vortons.velocity, axis=1)
    assert speed.max() < 0.02 * np.sqrt(GRAVITY * side / 2)
    inside = (sim.vortons.position - MIDDLE) @ turn(tilt)
    assert np.abs(inside).max() < side / 2
    assert sim.vortons.count >= len(x)


@pytest.mark.slow
def test_tilted_surface_swings_back():
    """The heavy fluid, deeper on one side, moves to the other, and no particle leaves the box."""
    side, slope = 12.0, 0.25
    x, volume = box_of_fluid(side, 0.75, 0.0, 0.5)
    usual = {"cleaning": 0.8, "exchange": 0.3, "halo": 2}
    sim = simulate(x, 10 * two_layers(x, slope), volume, [container(side)], **usual)
    heavy = sim.vortons.id[sim.vortons.density > 0]
    way = []
    for _ in range(8):
        y = sim.vortons.position[sim.vortons.rows(heavy)] - MIDDLE
        way.append(y[:, 0].mean())
        assert np.abs(y).max() < side / 2
        sim.step(20)
    assert way[0] < -0.4 and way[-1] > 0.1
    assert (np.diff(way) > 0).all()


SOLIDS = {
    "sphere": vt.Sphere((0.4, 0.1, 0.2), radius=3.3),
    "capsule": vt.Capsule((-3, 0, -2), (3, 1, 2), radius=1.6),
    "cylinder": vt.Cylinder((0, 0.3, 0), axis=(0.3, 1, 0.5), radius=2.6, length=5.0),
    "box": vt.Box((-3, -2, -2.5), (2, 3, 3)),
    "polytope": vt.Polytope(4 * np.random.default_rng(5).normal(0, 0.6, (20, 3))),
    "plane": vt.Plane((0, 0, 0), (0.6, 0.2, 0.7)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOLIDS)
def test_b6_stratified_fluid_around_a_solid_feels_nothing(kind):
    """Behind the wall there is no fluid: what would be there does not matter."""
    side = 18.0
    x, volume = box_of_fluid(side, 0.75, 0.0, 0.25)
    placed = vt.Transform(position=MIDDLE, axis=(1, 2, 0), angle=25.0)
    body = vt.Body(SOLIDS[kind], parent=placed)
    sim = simulate(x, linear(x, side), volume, [container(side), body])
    assert rms_torque(sim, volume) < 0.01
    assert sim.vortons.count < len(x)  # none in the solid


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3])
def test_e1_same_bits_between_moving_walls(threads):
    states = []
    for count in (1, threads):
        x, volume = box_of_fluid(9.0, 0.75, 0.0, 0.5)
        shake = vt.Keys([(0, (0, 0, 0)), (0.4, (1, 0, 0.3))], "smooth")
        tank = vt.Container(vt.Box((-4.6,) * 3, (5.4,) * 3), parent=vt.Transform(position=shake))
        ball = vt.Body(vt.Sphere(MIDDLE, radius=1.5))
        usual = {"cleaning": 0.8, "exchange": 0.3, "halo": 2}
        sim = simulate(x, 10 * two_layers(x, 0.3), volume, [tank, ball], threads=count, **usual)
        sim.step(10)
        states.append((sim.vortons.position.copy(), sim.vortons.strength.copy()))
    for one, many in zip(*states, strict=True):
        assert np.array_equal(one, many)
