"""Buoyancy (VALIDATION 4, fluid part): density differences make vorticity and impulse."""

import numpy as np
import pytest

import vorton as vt
from vorton import _core

GRAVITY = 9.81
AIR = 1.2041
PLAIN = {"buoyancy": "boussinesq", "cleaning": 0.0, "exchange": 0.0}


def ball(radius, deviation, halo=0.3, jitter=0.25, smooth=False, seed=0):
    """Vortons of a ball with neutral ones around it: position, deviation of density, volume."""
    random = np.random.default_rng(seed)
    spacing = 0.94
    n = int(radius * (1 + halo) / spacing) + 2
    axis = np.arange(-n, n + 1)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    x = spacing * (x + random.uniform(-jitter, jitter, x.shape))
    r = np.linalg.norm(x, axis=1)
    x, r = x[r < radius * (1 + halo)], r[r < radius * (1 + halo)]
    density = np.exp(-((2.5 * r / radius) ** 2)) if smooth else r < radius
    return x, deviation * density, spacing**3


def simulate(position, density, volume, gravity=(0, 0, -GRAVITY), **method):
    scene = vt.Scene(
        spacing=1.0,
        gravity=gravity,
        ambient=vt.Gas(density=AIR),
        method=vt.Method(**{**PLAIN, **method}),
    )
    sim = vt.Simulation(scene, fps=10)
    sim.vortons.add(position, 0 * position, core=1.5, volume=volume, density=density)
    return sim


def force(density, volume, gravity=(0, 0, -GRAVITY)):
    """The integral of rho' / rho0 g, m^4/s^2."""
    return (density * volume).sum() / AIR * np.array(gravity)


@pytest.mark.parametrize("jitter", [0.0, 0.25])
@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("radius", [8.0, 12.0])
@pytest.mark.parametrize("gravity", [(0, 0, -GRAVITY), (3.0, -6.0, 2.0)])
def test_b1_impulse_grows_by_the_weight(jitter, smooth, radius, gravity):
    x, density, volume = ball(radius, -0.05, jitter=jitter, smooth=smooth)
    sim = simulate(x, density, volume, gravity)
    sim.advance(0.001)
    grown = np.array(sim.health["impulse"]) / 0.001
    wanted = force(density, volume, gravity)
    size = np.linalg.norm(wanted)
    assert 0.98 < grown @ wanted / size**2 < 1.02  # light fluid is pushed against gravity
    assert np.linalg.norm(grown - wanted) < 0.03 * size


@pytest.mark.parametrize("jitter", [0.0, 0.25])
@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("radius", [8.0, 12.0])
def test_b1_impulse_grows_from_the_first_step_where_nobody_gave_neutral_vortons(
    jitter, smooth, radius
):
    """They are made before buoyancy acts for the first time."""
    x, density, volume = ball(radius, -0.05, halo=0, jitter=jitter, smooth=smooth)
    sim = simulate(x, density, volume)
    wanted, before = force(density, volume)[2], 0
    for _ in range(3):
        sim.advance(0.001)
        grown = (sim.health["impulse"][2] - before) / 0.001
        assert 0.98 < grown / wanted < 1.02
        before = sim.health["impulse"][2]


@pytest.mark.parametrize("jitter", [0.0, 0.25])
@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("radius", [8.0, 12.0])
@pytest.mark.parametrize("gravity", [(0, 0, -GRAVITY), (3.0, -6.0, 2.0)])
def test_b1_impulse_where_nobody_keeps_neutral_vortons(jitter, smooth, radius, gravity):
    """All of the vorticity of the edge lies on the vortons inside: a little too far in."""
    x, density, volume = ball(radius, -0.05, halo=0, jitter=jitter, smooth=smooth)
    sim = simulate(x, density, volume, gravity, halo=0)
    sim.advance(0.001)
    assert sim.vortons.count == len(x)
    grown = np.array(sim.health["impulse"]) / 0.001
    wanted = force(density, volume, gravity)
    size = np.linalg.norm(wanted)
    assert 0.85 < grown @ wanted / size**2 < 1.02
    assert np.linalg.norm(grown - wanted) < 0.15 * size


def impulse_of_born(source):
    scene = vt.Scene(spacing=1.0, ambient=vt.Gas(density=AIR), method=vt.Method(**PLAIN))
    scene.add(source)
    sim = vt.Simulation(scene)
    sim.advance(0.001)
    return sim.health["impulse"][2] / 0.001


def test_b1_impulse_of_points_grows_from_the_first_step():
    x, density, volume = ball(8.0, -0.05, halo=0, jitter=0.0)
    grown = impulse_of_born(vt.VortonPoints(x, 0 * x, core=1.5, volume=volume, density=density))
    assert grown == pytest.approx(force(density, volume)[2], rel=0.02)


@pytest.mark.parametrize("rim", [0, None])
@pytest.mark.parametrize(
    "shape",
    [
        vt.Sphere(radius=8.0),
        vt.Sphere(center=(0.3, 0.2, 0.41), radius=8.3),
        vt.Sphere(center=(0.5, 0.5, 0.5), radius=6.0),
        vt.Sphere(radius=4.0),
        vt.Torus(radius=8.0, thickness=3.0),
        vt.Disk(radius=6.0, thickness=3.0),
    ],
    ids=lambda shape: f"{type(shape).__name__} {shape.radius:g}",
)
def test_b1_impulse_of_an_emitter_grows_from_the_first_step(shape, rim):
    """Wherever its vortons lie between those of the halo."""
    emitter = vt.Emitter(shape, density=-0.05, renew=0, rim=rim, core=1.5, smoke=0)
    wanted = 0.05 / AIR * GRAVITY * shape.volume
    assert impulse_of_born(emitter) == pytest.approx(wanted, rel=0.02)


def test_b1_a_weak_patch_beside_a_strong_one_feels_its_own_weight():
    """Neutral vortons are kept around what has a hundredth of the mean contrast."""
    x, strong, volume = ball(8.0, -0.5, halo=0, jitter=0.0)
    weak, far = 0.03 * strong, np.array([30.0, 0, 0])
    both = np.concatenate([x, x + far]), np.concatenate([strong, weak])
    sim = simulate(*both, volume, balance="none")
    sim.advance(0.001)
    place = sim.vortons.position.astype(float) - far
    near = place[:, 0] > -15
    impulse = np.cross(place[near], sim.vortons.strength[near]).sum(axis=0)[2] / 2
    assert impulse / 0.001 == pytest.approx(force(weak, volume)[2], rel=0.02)


def test_b2_run_of_a_thermal():
    radius, deviation = 10.0, -0.02
    x, density, volume = ball(radius, deviation, halo=0.5)
    sim = simulate(x, density, volume, cleaning=0.8, exchange=0.3)
    weight, fall = force(density, volume)[2], -deviation / AIR * GRAVITY
    until = 2 * np.sqrt(radius / fall)
    while sim.time < until:
        sim.advance(0.1 * np.sqrt(radius / fall))
        health = sim.health
        assert health["impulse"][2] / (weight * sim.time) == pytest.approx(1, abs=0.03)
        assert health["strength_share"] < 1e-2


@pytest.mark.parametrize("radius", [10.0, 12.0])
def test_b3_ball_starts_with_two_thirds_of_its_buoyancy(radius):
    """The fluid that it must push aside weighs half of what it displaces."""
    deviation = -0.02
    sim = simulate(*ball(radius, deviation))
    fall = -deviation / AIR * GRAVITY
    dt = 0.05 * np.sqrt(radius / fall)
    sim.advance(dt)
    at = sim.velocity_at(np.zeros((1, 3)))[0]
    assert at[2] / (fall * dt) == pytest.approx(2 / 3, rel=0.03)


@pytest.mark.parametrize("share", [0.6, 0.3, 0.15])
def test_b3_light_ball_with_the_inertia_of_its_own_fluid(share):
    """Of density rho it starts with g (rho0 - rho) / (rho + rho0 / 2)."""
    radius = 10.0
    unit = np.sqrt(radius / ((1 - share) * GRAVITY))
    starts = {}
    for form in ("boussinesq", "local", "full"):
        sim = simulate(*ball(radius, (share - 1) * AIR), buoyancy=form)
        speed = []
        for _ in range(8):
            sim.advance(0.02 * unit)
            speed.append(sim.velocity_at(np.zeros((1, 3)))[0][2])
        starts[form] = (speed[7] - speed[3]) / (0.08 * unit)
    wanted = GRAVITY * (1 - share) / (share + 0.5)
    error = {form: abs(start / wanted - 1) for form, start in starts.items()}
    assert error["full"] < 0.02
    assert error["boussinesq"] > error["local"] > error["full"]


@pytest.mark.slow
def test_b4_square_of_the_radius_of_a_buoyant_ring_grows_linearly():
    """Once the thermal has rolled up: dI/dt = F with I = Gamma pi R^2, Gamma constant (Turner)."""
    radius, deviation = 8.0, -0.02
    sim = simulate(*ball(radius, deviation, halo=0.6), cleaning=0.8, exchange=0.3)
    unit = np.sqrt(radius / (-deviation / AIR * GRAVITY))
    light = sim.vortons.id[sim.vortons.density < 0]
    square, time = [], []
    while sim.time < 9 * unit:
        sim.advance(0.15 * unit)
        x = sim.vortons.position[sim.vortons.rows(light)].astype(float)
        x -= x.mean(axis=0)
        square.append((x[:, 0] ** 2 + x[:, 1] ** 2).mean())
        time.append(sim.time / unit)
    square, time = np.array(square), np.array(time)
    late = time > 4
    slope, start = np.polyfit(time[late], square[late], 1)
    assert slope > 0.1 * square[0]
    left = square[late] - slope * time[late] - start
    assert 1 - left.var() / square[late].var() > 0.97


@pytest.mark.parametrize("kind", [vt.Air, vt.Liquid])
def test_warm_fluid_rises_and_cold_fluid_sinks(kind):
    x, share, volume = ball(8.0, 1.0)
    ambient = kind()
    for difference in (-20.0, 20.0):
        scene = vt.Scene(spacing=1.0, ambient=ambient, method=vt.Method(**PLAIN))
        sim = vt.Simulation(scene)
        temperature = ambient.temperature + difference * share
        sim.vortons.add(x, 0 * x, core=1.5, volume=volume, temperature=temperature)
        sim.advance(0.001)
        if kind is vt.Air:
            density = ambient.density * ambient.temperature / temperature
        else:
            density = ambient.density * (1 - ambient.expansion * difference * share)
        weight = ((density - ambient.density) / ambient.density).sum() * volume * -GRAVITY
        assert sim.health["impulse"][2] / 0.001 == pytest.approx(weight, rel=0.02)


def lifted_share(time, width, core):
    """Of the displacement of a Gaussian parcel what is left after a time, in units of 1 / N.

    Linear theory: each wave of the displacement turns at N sin(angle of its wave vector with the
    vertical) exp(-(k core)^2 / 4), the last as the cores blur the velocity that it makes.
    """
    k = (np.arange(400) + 0.5) * 5 / 400 / width
    cosine = (np.arange(200) + 0.5) / 200
    weight = (k**2 * np.exp(-((k * width) ** 2)))[:, None]
    turning = np.sqrt(1 - cosine**2) * np.exp(-((k[:, None] * core) ** 2) / 4)
    return (weight * np.cos(turning * time)).sum() / (weight.sum() * len(cosine))


@pytest.mark.parametrize("kind", [vt.Air, vt.Liquid])
def test_a_lifted_parcel_oscillates_as_linear_theory_has_it(kind):
    """In stratified fluid, about the height where it is at home: past the first half turn."""
    radius, stratification, lift = 12.0, 0.5, 0.5
    x, share, volume = ball(radius, 1.0, jitter=0.0, smooth=True)
    ambient = kind(stratification=stratification)
    method = vt.Method(**PLAIN, halo=0, expansion=0)
    sim = vt.Simulation(vt.Scene(spacing=1.0, ambient=ambient, method=method))
    carried = ambient.temperature + stratification * (x[:, 2] - lift * share)
    ids = sim.vortons.add(x, 0 * x, core=1.5, volume=volume, temperature=carried)
    expansion = 1 / ambient.temperature if kind is vt.Air else ambient.expansion
    frequency = np.sqrt(GRAVITY * expansion * stratification)  # of Brunt and Vaisala
    for turned in np.arange(1, 16) * 0.2:
        sim.advance(0.2 / frequency)
        at = sim.vortons.position[sim.vortons.rows(ids)][:, 2]
        left = (share * (lift * share + at - x[:, 2])).sum() / (lift * (share**2).sum())
        assert left == pytest.approx(lifted_share(turned, radius / 2.5 / 2**0.5, 1.5), abs=0.02)
    assert left < -0.45


def test_stratified_fluid_at_rest_stays_at_rest_and_a_parcel_sinks():
    """Vortons with the temperature of their height make nothing; lifted, they sink."""
    x, share, volume = ball(8.0, 1.0, halo=0.5)
    scene = vt.Scene(spacing=1.0, ambient=vt.Air(stratification=0.5), method=vt.Method(**PLAIN))
    sim = vt.Simulation(scene)
    sim.vortons.add(x, 0 * x, core=1.5, volume=volume)
    at_rest = sim.vortons.temperature.copy()
    np.testing.assert_allclose(at_rest, 293.15 + 0.5 * x[:, 2], rtol=1e-6)
    sim.advance(0.001)
    assert np.abs(sim.vortons.strength).max() < 1e-6 * 0.001 * volume
    lifted = at_rest - 2.0 * share  # as if it came from 4 m below
    sim.vortons.temperature[:] = lifted
    sim.advance(0.001)
    assert sim.health["impulse"][2] < 0


def test_local_density_makes_hot_gas_livelier_than_boussinesq():
    """Over a jump from r to 1, grad rho / rho integrates to ln r instead of r - 1; the neutral
    vortons are those of the ball: more of them would lie in the jump."""
    x, share, volume = ball(10.0, 1.0)
    grown = {}
    for buoyancy in ("local", "boussinesq"):
        sim = simulate(x, -0.75 * AIR * share, volume, buoyancy=buoyancy, halo=0)
        sim.advance(0.001)
        grown[buoyancy] = sim.health["impulse"][2]
    assert grown["local"] / grown["boussinesq"] == pytest.approx(np.log(0.25) / -0.75, rel=0.05)


def test_no_gravity_no_scale_no_buoyancy_no_vorticity():
    x, density, volume = ball(6.0, -0.1)
    for change in ({"gravity": (0, 0, 0)}, {"buoyancy_scale": 0.0}, {"buoyancy": "none"}):
        sim = simulate(x, density, volume, **change)
        sim.advance(0.01)
        assert np.abs(sim.vortons.strength).max() == 0
    sim = simulate(x, density, volume, buoyancy_scale=2.0)
    single = simulate(x, density, volume)
    sim.advance(0.001)
    single.advance(0.001)
    twice = sim.health["impulse"][2] / single.health["impulse"][2]
    assert twice == pytest.approx(2, rel=1e-3)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_e1_buoyancy_has_the_same_bits_for_any_number_of_threads(threads):
    states = []
    for count in (1, threads):
        x, density, volume = ball(6.0, -0.1)
        sim = vt.Simulation(vt.Scene(spacing=1.0), fps=20, threads=count)
        sim.vortons.add(x, 0 * x, core=1.5, volume=volume, density=density)
        sim.step(5)
        states.append((sim.vortons.position.copy(), sim.vortons.strength.copy()))
    for one, many in zip(*states, strict=True):
        assert np.array_equal(one, many)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"density": 0.0}, ["density", "> 0"]),
        ({"temperature": -5.0}, ["temperature", "> 0"]),
        ({"stratification": -0.1}, ["stratification", "0 to 1000"]),
        ({"expansion": 0.0}, ["expansion", "> 0"]),
        ({"density": float("nan")}, ["density", "finite"]),
        ({"kind": "plasma"}, ["kind", "gas"]),
    ],
)
def test_bad_ambient_fluids(arguments, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        _core.Simulation(ambient=arguments)
    assert all(word in str(caught.value) for word in words)
    if "kind" not in arguments:
        with pytest.raises(ValueError):
            vt.Liquid(**arguments)


def test_bad_values_of_what_vortons_carry():
    sim = vt.Simulation()
    one = np.zeros((2, 3))
    for name, value in (("temperature", 0.0), ("temperature", np.nan), ("density", np.inf)):
        with pytest.raises(ValueError, match=name):
            sim.vortons.add(one, one, core=0.1, volume=1e-3, **{name: value})
    with pytest.raises(TypeError, match="temperature"):
        sim.vortons.add(one, one, core=0.1, volume=1e-3, temperature=np.zeros(3))
    assert sim.vortons.count == 0
    sim.vortons.add(one, one, core=0.1, volume=1e-3, temperature=300.0)
    sim.vortons.temperature[1] = -1.0
    with pytest.raises(ValueError, match=r"vortons\.temperature has -1 in row 1"):
        sim.step()


def test_ambient_fluids_in_scenes():
    for ambient in (vt.Air(temperature=300.0), vt.Gas(density=2.0), vt.Water(stratification=0.1)):
        scene = vt.Scene(ambient=ambient, gravity=(0, -9.81, 0))
        assert vt.Scene.from_json(scene.to_json()) == scene
        assert scene.ambient == ambient
    assert vt.Air().density == pytest.approx(1.2041, rel=1e-3)
    with pytest.raises(TypeError, match=r"Scene\.ambient"):
        vt.Scene(ambient=3)


# ---- a vortex in fluid that differs ----


def test_a_vortex_within_heavy_fluid_takes_it_up():
    """The fluid of a ring that is born in a ball is not there twice; and the ball keeps its weight
    as impulse while the ring strains it."""
    scene = vt.Scene(ambient=vt.Water(), seed=3)
    ball = vt.Sphere(radius=0.05)
    scene.add(vt.Emitter(ball, density=10, renew=0, core=0.008, smoke=0))
    push = {"radius": 0.033, "core": 0.014, "circulation": 0.02}
    scene.add(vt.VortexRing(axis=(0, 0, -1), vorton_core=0.008, **push))
    sim = vt.Simulation(scene, fps=24, threads=1)
    v, weight = sim.vortons, 10 * ball.volume * 9.81 / scene.ambient.density
    sim.step()
    v = sim.vortons
    near = np.linalg.norm(v.position - [0, 0, v.position[v.density > 5, 2].mean()], axis=1) < 0.03
    assert v.volume[near].sum() == pytest.approx(4 / 3 * np.pi * 0.03**3, rel=0.1)
    before, grown = sim.health.impulse[2], []
    for _ in range(6):
        sim.step(4)
        grown.append((before - sim.health.impulse[2]) / (weight * 4 / 24))
        before = sim.health.impulse[2]
        heavy = (sim.vortons.density * sim.vortons.volume).sum(dtype=float)
        assert heavy == pytest.approx(10 * ball.volume, rel=1e-3)
    assert np.abs(np.array(grown) - 1).max() < 0.1
