"""Numbers that change in time, wherever an artist may key them, and emission from points."""

import re

import everything
import numpy as np
import pytest

import vorton as vt
from vorton import Keys, Samples, Transform

STILL = {"velocity": "direct"}
RAMP = Keys([(0, 0.2), (1, 1.0)])


def still(*items, seconds=1.0, steps=12, **scene):
    """A simulation of what does not stir by itself."""
    made = vt.Scene(method=vt.Method(**STILL), voxel=0.1, **scene)
    for item in items:
        made.add(item)
    sim = vt.Simulation(made, fps=steps / seconds)
    sim.step(steps)
    return sim


def grid_of_points(n=9, half=1.0):
    axis = np.linspace(-half, half, n)
    return np.stack(np.meshgrid(axis, axis, axis), -1).reshape(-1, 3)


# ---- the scene ----


def test_gravity_acts_as_its_integral():
    g = Keys([(0, (0, 0, -10)), (0.7, (3, 0, -2)), (1.5, (0, 5, 0))], "smooth")
    scene = vt.Scene(gravity=g, voxel=0.1)
    scene.add(vt.Body(vt.Sphere(radius=0.1), density=1e6, panels=0))
    sim = vt.Simulation(scene, fps=10)
    sim.step(13)
    assert np.allclose(sim.bodies[0].velocity, g.integral(0, 1.3), rtol=1e-5, atol=1e-5)
    constant = vt.Simulation(vt.Scene(gravity=Keys([(0, (0, 0, -9.81))])))
    assert constant.scene.gravity.at(3) == (0, 0, -9.81)


def test_what_is_warm_rises_with_the_gravity_of_the_moment():
    """Without gravity nothing rises; from when there is some it does."""
    heights = {}
    for name, keys in (("late", [(0, (0, 0, 0), "constant"), (0.5, (0, 0, -9.81))]), ("none", 0)):
        gravity = Keys(keys) if keys else (0, 0, 0)
        scene = vt.Scene(gravity=gravity, voxel=0.1)
        scene.add(vt.Emitter(vt.Sphere(radius=0.3), temperature=500, renew=0, core=0.12))
        sim = vt.Simulation(scene)
        sim.step(12)
        before = sim.tracers.position[:, 2].mean()
        sim.step(12)
        heights[name] = before, sim.tracers.position[:, 2].mean()
    assert abs(heights["late"][0]) < 0.01 and heights["late"][1] > 0.05
    assert np.abs(heights["none"]).max() < 0.01


def test_wind_of_the_scene_carries_as_its_integral():
    wind = Keys([(0, (0, 0, 0)), (0.4, (2, -1, 0)), (1, (0, 0, 3))], "smooth")
    sim = still(vt.Tracers(vt.Sphere(radius=0.1), count=50), wind=wind, seconds=1.2)
    start = vt.Simulation(sim.scene).tracers.position
    assert np.allclose(sim.tracers.position - start, wind.integral(0, 1.2), atol=1e-5)


@pytest.mark.slow
def test_viscosity_spreads_as_its_integral():
    """A ramp loses the enstrophy that its mean loses, to second order in the ramp."""
    lost = {}
    cases = {"none": 0.0, "mean": 4e-3, "key": Keys([(0, 4e-3)]), "ramp": Keys([(0, 0), (1, 8e-3)])}
    for name, viscosity in cases.items():
        scene = vt.Scene(viscosity=viscosity, voxel=0.1)
        scene.add(vt.VortexRing(radius=0.5, core=0.2, circulation=0.1))
        sim = vt.Simulation(scene, fps=8)
        start = sim.health.enstrophy
        sim.step(8)
        lost[name] = 1 - sim.health.enstrophy / start
    assert lost["mean"] == lost["key"] > lost["none"] + 0.1
    assert lost["ramp"] - lost["none"] == pytest.approx(lost["mean"] - lost["none"], rel=0.06)


@pytest.mark.slow
def test_heat_spreads_from_when_its_diffusivity_says():
    def spread(kappa, frames):
        scene = vt.Scene(thermal_diffusivity=kappa, gravity=(0, 0, 0), voxel=0.1)
        ring = vt.VortexRing(radius=0.5, core=0.2, circulation=1e-6)
        scene.add(ring)  # something that makes a grid
        scene.add(vt.Emitter(vt.Sphere(radius=0.3), temperature=400, renew=0, core=0.12))
        sim = vt.Simulation(scene)
        sim.step(frames)
        excess = sim.vortons.temperature - 293.15
        return (excess * sim.vortons.volume).sum(), excess.max()

    late = Keys([(0, 0, "constant"), (0.25, 0.02)])
    assert spread(late, 6)[1] == spread(0.0, 6)[1]
    assert spread(late, 12)[1] < spread(0.0, 12)[1] - 5


# ---- removal ----


@pytest.mark.parametrize(
    ("kill", "goes"),
    [
        (lambda: vt.Kill(nearer_than=RAMP), lambda x, t: x <= 0.2 + 0.8 * t),
        (lambda: vt.Kill(farther_than=Keys([(0, 1.7), (1, 0.5)])), lambda x, t: x >= 1.7 - 1.2 * t),
        (lambda: vt.Kill(inside=vt.Sphere(radius=RAMP)), lambda x, t: x <= 0.2 + 0.8 * t),
        (lambda: vt.Kill(outside=vt.Sphere(radius=RAMP), older_than=0.9), lambda x, t: x > 1),
    ],
)
def test_a_kill_reaches_as_far_as_its_keys_say(kill, goes):
    points = grid_of_points()
    sim = still(vt.Points(points, size=0.1), kill(), steps=4, seconds=0.5)
    assert 0 < sim.tracers.count <= len(points)
    for _ in range(4):
        left = np.linalg.norm(sim.tracers.position, axis=1)
        assert not goes(left * 1.0001, sim.time).any() or sim.time < 0.9
        sim.step()
    distance = np.linalg.norm(points, axis=1)
    assert sim.tracers.count == (~goes(distance, 1.0)).sum()


def test_a_kill_follows_its_point_and_its_age():
    points = grid_of_points(5)
    path = Keys([(0, (-2, 0, 0)), (1, (2, 0, 0))])
    sim = still(vt.Points(points, size=0.1), vt.Kill(nearer_than=0.6, point=path), steps=64)
    swept = np.hypot(points[:, 1], points[:, 2]) < 0.55
    left = sim.tracers.position
    assert len(left) == (~swept).sum() and np.hypot(left[:, 1], left[:, 2]).min() > 0.55
    late = vt.Kill(older_than=Keys([(0, 10, "constant"), (0.5, 0.3)]))
    sim = still(vt.Points(points, size=0.1), late, steps=5, seconds=0.4)
    assert sim.tracers.count == len(points)
    sim.step(3)
    assert sim.tracers.count == 0


# ---- shapes that grow ----

SHAPES = {
    "sphere": (vt.Sphere((1, 0, 0), RAMP), lambda x, r: np.linalg.norm(x - (1, 0, 0), axis=1) <= r),
    "disk": (
        vt.Disk((0, 0, 1), RAMP, (0, 0, 2), 0.2),
        lambda x, r: (np.hypot(x[:, 0], x[:, 1]) <= r) & (np.abs(x[:, 2] - 1) <= 0.1),
    ),
    "slab": (
        vt.Disk((0, 0, 1), 0.5, (0, 0, 2), RAMP),
        lambda x, r: (np.hypot(x[:, 0], x[:, 1]) <= 0.5) & (np.abs(x[:, 2] - 1) <= r / 2),
    ),
    "cylinder": (
        vt.Cylinder((0, 0, 0), 0.3, Samples([0.2, 0.6, 1.0], fps=2)),
        lambda x, r: (np.hypot(x[:, 0], x[:, 1]) <= 0.3) & (np.abs(x[:, 2]) <= r / 2),
    ),
}
POWER = {"sphere": 3, "disk": 2, "slab": 1, "cylinder": 1}


@pytest.mark.parametrize("name", SHAPES)
def test_births_fill_a_shape_as_it_is_at_their_time(name):
    shape, holds = SHAPES[name]
    sim = still(vt.Tracers(shape, rate=20_000, density=3), steps=7)
    born = 1 - sim.tracers.age
    extent = 0.2 + 0.8 * born
    assert holds(sim.tracers.position, extent * 1.0001).all()
    assert holds(sim.tracers.position, extent * 0.98).mean() < 0.98  # it is full to its edge
    times = (np.arange(1000) + 0.5) / 1000
    expected = 20_000 * ((0.2 + 0.8 * times) ** POWER[name]).mean()
    assert sim.tracers.count == pytest.approx(expected, rel=0.01)
    assert np.allclose(sim.tracers.density, 3 * shape.volume / 20_000)
    finer = still(vt.Tracers(shape, rate=20_000, density=3), steps=16)
    assert sorted(finer.tracers.position[:, 0]) == sorted(sim.tracers.position[:, 0])


def test_births_at_once_take_the_shape_of_their_time():
    shape = vt.Sphere(radius=RAMP)
    sim = still(vt.Tracers(shape, count=500, start=0.5), vt.Tracers(shape, per_voxel=6, start=0.25))
    reach = np.linalg.norm(sim.tracers.position, axis=1)
    old = sim.tracers.age > 0.6
    assert 0.55 < reach[~old].max() <= 0.6001 and 0.36 < reach[old].max() <= 0.4001
    filling = 6 * 4 / 3 * np.pi * 0.4**3 / 0.1**3
    assert old.sum() == pytest.approx(filling, abs=1)


@pytest.mark.filterwarnings("ignore::vorton.SceneWarning")
def test_an_emitter_grows_with_its_rim():
    rim = Keys([(0, 0), (1, 0.4)])
    fire = vt.Emitter(vt.Sphere(radius=RAMP), temperature=600, renew=20, core=0.2, rim=rim, smoke=0)
    scene = vt.Scene(gravity=(0, 0, 0), method=vt.Method(expansion=0), voxel=0.1)
    scene.add(fire)
    sim = vt.Simulation(scene)
    sim.step(24)
    v = sim.vortons
    born = np.array(1 - v.age)
    reach, warm = np.linalg.norm(v.position, axis=1), np.array(v.temperature) > 300
    assert warm.sum() > 500 and (~warm).sum() > 100
    assert (reach[warm] <= (0.2 + 0.8 * born[warm]) * 1.001).all()
    assert (reach[~warm] > (0.2 + 0.8 * born[~warm]) * 0.999).all()
    assert (reach[~warm] <= (0.2 + 1.2 * born[~warm]) * 1.001).all()
    assert reach[~warm].max() > 1.1


@pytest.mark.filterwarnings("ignore::vorton.SceneWarning")
def test_fuel_lifetime_and_fade_are_those_of_birth():
    scene = vt.Scene(gravity=(0, 0, 0), combustion=vt.Combustion(), voxel=0.1)
    values = {"taper": Keys([(0, 0), (1, 1)]), "lifetime": Keys([(0, 2), (1, 4)])}
    values |= {"fade": Keys([(0, 0), (1, 0.8)]), "renew": 10, "rim": 0}
    scene.add(vt.Emitter(vt.Sphere(radius=0.4), fuel=0.5, temperature=300, core=0.1, **values))
    sim = vt.Simulation(scene, fps=24)
    sim.step(20)
    v, t = sim.vortons, sim.tracers
    born = sim.time - v.age
    assert np.allclose(v.lifetime, 2 + 2 * born, atol=1e-4)
    assert np.allclose(t.lifetime, 2 + 2 * (sim.time - t.age), atol=1e-4)
    assert np.allclose(t.fade, 0.8 * (sim.time - t.age), atol=1e-4)
    assert v.fuel[born < 0.1].min() > 0.4 and v.fuel[born > 0.7].min() < 0.25


def test_a_force_acts_inside_a_shape_that_grows():
    points = grid_of_points()
    ball = vt.Sphere(radius=Keys([(0, 0), (1, 0.8)]))
    pull = vt.Drag((1, 0, 0), fraction=1.0, shape=ball, acts_on="tracers")
    sim = still(vt.Points(points, size=0.1), pull, steps=40)
    moved = np.linalg.norm(sim.tracers.position - points, axis=1) > 1e-4
    distance = np.linalg.norm(points, axis=1)
    assert moved[distance < 0.5].all() and not moved[points[:, 0] < -0.85].any()


# ---- jets ----


def test_a_jet_takes_all_its_numbers_at_each_pulse():
    rate = Keys([(0, 2), (2, 6)])
    path = Keys([(0, (0, 0, 0)), (2, (8, 0, 0))])
    axis = Keys([(0, (0, 0, 1)), (2, (0, 1, 0))])
    numbers = {"radius": Keys([(0, 0.4), (2, 1.2)]), "core": Keys([(0, 0.1), (2, 0.3)])}
    jet = vt.Jet(path, axis, rate=rate, speed=1e-4, wobble=0, tilt=0, layers=0, **numbers)
    sim = still(jet, steps=39, seconds=1.95)
    born = sim.time - sim.vortons.age
    pulses = np.unique(np.round(born, 5))
    # pulse n is where 2 t + t^2 = n
    exact = np.sqrt(1 + np.arange(8)) - 1
    assert np.allclose(pulses, exact, atol=1e-4)
    for n, t in enumerate(exact):
        ring = np.abs(born - t) < 1e-3
        x = sim.vortons.position[ring]
        direction = np.array((0, t / 2, 1 - t / 2))
        direction /= np.linalg.norm(direction)
        assert np.allclose(x.mean(axis=0), (4 * t, 0, 0), atol=2e-3)
        arm = x - x.mean(axis=0)
        assert np.allclose(arm @ direction, 0, atol=2e-3)
        assert np.allclose(np.linalg.norm(arm, axis=1), 0.4 + 0.4 * t, atol=2e-3)
        assert np.allclose(sim.vortons.core[ring], 0.1 + 0.1 * t, rtol=1e-5)
        # a slug that flows until the next pulse
        circulation = 1e-4**2 * (np.sqrt(2 + n) - np.sqrt(1 + n)) / 2
        total = np.linalg.norm(sim.vortons.strength[ring], axis=1).sum()
        assert total == pytest.approx(circulation * 2 * np.pi * (0.4 + 0.4 * t), rel=0.02)


def test_the_smoke_of_a_jet_follows_its_nozzle():
    jet = vt.Jet(Keys([(0, (0, 0, 0)), (1, (4, 0, 0))]), radius=Keys([(0, 0.2), (1, 0.6)]), speed=1)
    sim = still(jet.smoke(per_voxel=2), steps=6)
    born = 1 - sim.tracers.age
    x = sim.tracers.position - np.stack([4 * born, 0 * born, 0 * born], 1)
    assert (np.hypot(x[:, 0], x[:, 1]) <= 0.95 * (0.2 + 0.4 * born) * 1.001).all()
    with pytest.raises(ValueError, match="turn the jet by a parent"):
        vt.Jet(axis=Keys([(0, (0, 0, 1)), (1, (0, 1, 0))])).smoke()


# ---- winds with parents ----


def test_a_wind_turns_with_its_parent():
    turn = Keys([(0, 0), (1, 250)], "smooth")
    gust = Keys([(0, (1, 0, 0)), (1, (3, 0, 0.5))])
    spin = Transform(position=Keys([(0, (0, 0, 0)), (1, (9, 9, 9))]), angle=turn, scale=2)
    start = [[0.1, 0.2, 0.3]]
    sim = still(vt.Points(start, size=0.1), vt.Wind(gust, parent=spin), steps=5)
    t = (np.arange(4000) + 0.5) / 4000
    angle = np.radians([turn.at(time) for time in t])
    u = np.array([gust.at(time) for time in t])
    way = np.stack([u[:, 0] * np.cos(angle), u[:, 0] * np.sin(angle), u[:, 2]], 1).mean(axis=0)
    assert np.allclose(sim.tracers.position - start, way, atol=2e-6)


def rotation(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_a_grid_of_wind_lies_in_the_space_of_its_parent():
    """Linear in its box: what a rotated, scaled and shifted linear field is."""
    gradient = np.array([[0.3, -0.5, 0.1], [0.2, 0.1, 0.4], [-0.6, 0.2, -0.4]])
    nodes = np.stack(np.meshgrid(*[[-3.0, 3.0]] * 3, indexing="ij"), -1).transpose(2, 1, 0, 3)
    values = nodes @ gradient.T
    place = Transform(position=(0.5, 0, -0.2), angle=Keys([(0, 30), (1, 30)]), scale=1.5)
    wind = vt.WindGrid(values, origin=(-3, -3, -3), spacing=6, parent=place)
    points = np.random.default_rng(2).uniform(-1, 1, (50, 3))
    r = rotation(30)
    local = (points - (0.5, 0, -0.2)) @ r / 1.5
    expected = local @ gradient.T @ r.T
    for method in ("direct", "poisson"):
        scene = vt.Scene(method=vt.Method(velocity=method), voxel=0.1)
        scene.add(wind)
        scene.add(vt.VortexRing(radius=0.3, core=0.1, circulation=1e-9))
        sim = vt.Simulation(scene)
        assert np.allclose(sim.velocity_at(points), expected, atol=1e-5), method


def test_a_turned_grid_of_wind_stretches_vortons():
    g = 0.7
    strain = np.diag([g, -g / 2, -g / 2])
    nodes = np.stack(np.meshgrid(*[[-3.0, 3.0]] * 3, indexing="ij"), -1).transpose(2, 1, 0, 3)
    place = Transform(angle=40, scale=0.5)
    made = vt.Scene(method=vt.Method(velocity="direct", bound=0, cleaning=0), voxel=0.1)
    made.add(vt.WindGrid(nodes @ strain.T, origin=(-3, -3, -3), spacing=6, parent=place))
    sim = vt.Simulation(made, fps=30 * g)
    strength = np.array([[0.03, 0.02, -0.05]])
    sim.vortons.add([[0.01, 0.02, 0.03]], strength, core=0.1, volume=1e-3)
    sim.step(15)
    r = rotation(40)
    factor = np.exp(np.array([1, -0.5, -0.5]) * 2 * 0.5)  # twice the strain in half the space
    assert np.allclose(sim.vortons.strength, strength @ r * factor @ r.T, rtol=2e-3)


# ---- points ----


def test_points_grow_and_fade_each_in_its_way():
    spots = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    source = vt.Points(spots, size=0.1, lifetime=2, growth=[0, 0.1, 0.2], fade=[0, 0.5, 1])
    sim = still(source, steps=6)
    assert np.allclose(sim.tracers.growth, [0, 0.1, 0.2]) and np.allclose(
        sim.tracers.fade, [0, 0.5, 1]
    )
    assert np.allclose(sim.tracers.size, [0.1, 0.2, 0.3], atol=1e-6)
    assert np.allclose(sim.tracers.density, [1e-3, 1e-3, 5e-4])  # half way through its fade


def test_points_take_their_numbers_at_birth():
    numbers = {
        "rate": Keys([(0, 0), (1, 400)]),
        "jitter": Keys([(0, 0), (1, 0.5)]),
        "density": Keys([(0, 1), (1, 3)]),
        "size": Keys([(0, 0.1), (1, 0.2)]),
        "lifetime": Keys([(0, 2), (1, 3)]),
        "growth": Keys([(0, 0), (1, 0.1)]),
        "fade": Samples([0, 1], fps=1),
    }
    spots = np.array([(0, 0, 0), (5.0, 0, 0)])
    sim = still(vt.Points(spots, **numbers), steps=5)
    t = sim.tracers
    born = 1 - t.age
    assert t.count == 200
    assert np.allclose(np.sort(born), np.sqrt(np.arange(200) / 200), atol=1e-5)
    away = np.minimum(*[np.linalg.norm(t.position - spot, axis=1) for spot in spots])
    assert (away <= 0.5 * born + 1e-6).all() and away.max() > 0.4
    assert np.allclose(t.lifetime, 2 + born, atol=1e-5) and np.allclose(t.fade, born, atol=1e-5)
    assert np.allclose(t.growth, 0.1 * born, atol=1e-6)
    assert np.allclose(t.size - t.growth * t.age, 0.1 + 0.1 * born, atol=1e-5)
    assert np.allclose(t.density, (1 + 2 * born) * (0.1 + 0.1 * born) ** 3, rtol=1e-4)


def test_the_smoke_at_points_fills_their_size_at_all_times():
    source = vt.Points([(0, 0, 0)], size=Keys([(0, 0.1), (1, 0.3)]), density=2, rate=24)
    t = still(source).tracers
    assert t.count == 24 and t.size.max() > 0.25
    assert np.allclose(t.density, 2 * t.size.astype(float) ** 3, rtol=1e-5)


def test_points_at_a_rate_that_stays_0_bear_nothing():
    never = Keys([(0, 0), (1, 0)])
    vortons = vt.VortonPoints([(0, 0, 0)], [(0, 0, 1e-6)], core=0.1, volume=1e-3, rate=never)
    sim = still(vt.Points([(0, 0, 0)], size=0.1, rate=never), vortons)
    assert sim.tracers.count == sim.vortons.count == 0


def test_the_seed_of_the_scene_scatters_vortons_at_points():
    source = vt.VortonPoints([(0, 0, 0)], [(0, 0, 1e-9)], core=0.1, volume=1e-3, jitter=0.2)
    one, other, again = (still(source, seed=s).vortons.position for s in (1, 2, 1))
    assert (one == again).all() and (one != other).any()
    assert max(np.linalg.norm(one), np.linalg.norm(other)) <= 0.2 + 1e-6


def test_vortons_from_points_at_a_rate():
    spots = np.array([(0, 0, 0), (2.0, 0, 0), (4.0, 0, 0)])
    strengths = 1e-9 * np.eye(3)
    place = Transform(position=Keys([(0, (0, 0, 0)), (1, (0, 0, 3))]), angle=90, scale=2)
    fluid = {"temperature": [400, 500, 600], "density": 0.1}
    source = vt.VortonPoints(
        spots, strengths, core=0.1, volume=1e-3, rate=60, lifetime=[0.5, 0.7, 5], jitter=0.2,
        parent=place, time=0.2, end=0.9, **fluid,
    )  # fmt: skip
    sim = still(source, steps=8, seconds=0.8)
    v = sim.vortons
    born = sim.time - v.age
    times = 0.2 + np.arange(36) / 60
    for kind, (temperature, lifetime) in enumerate(((400, 0.5), (500, 0.7), (600, 5))):
        mine = v.temperature == temperature
        expected = times[kind::3]
        expected = expected[0.8 - expected <= lifetime]
        assert np.allclose(np.sort(born[mine]), expected, atol=1e-5)
        at = np.stack([0 * born[mine], 2 * spots[kind, 0] + 0 * born[mine], 3 * born[mine]], 1)
        assert np.linalg.norm(v.position[mine] - at, axis=1).max() <= 0.4001
        turned = 2e-9 * np.array([(0, 1, 0), (-1, 0, 0), (0, 0, 1)])[kind]
        assert np.allclose(v.strength[mine], turned, atol=1e-12)
    assert np.allclose(v.core, 0.2) and np.allclose(v.volume, 8e-3)
    assert np.allclose(v.density, 0.1)


def test_vortons_at_once_live_as_long_as_they_are_told():
    spots, strengths = [(0, 0, 0), (1, 0, 0)], [(0, 0, 1e-6), (0, 0, 1e-6)]
    for time in (0.0, 0.3):
        source = vt.VortonPoints(
            spots, strengths, core=0.1, volume=1e-3, lifetime=[0.4, 5], time=time
        )
        sim = still(source, steps=6, seconds=0.6)
        assert sim.vortons.count == 2 - (time == 0)
        sim.step(3)
        assert sim.vortons.count == 1 and sim.vortons.lifetime[0] == 5


def test_fluid_comes_from_the_skin_of_a_body():
    layer = vt.Surface(vt.Sphere((0, 0, 1), 0.5), thickness=0.06)
    source = vt.Emitter(layer, temperature=500, renew=10, smoke=2, per_voxel=1)
    assert source.vorton_core == 0.12
    scene = vt.Scene(gravity=(0, 0, 0), method=vt.Method(halo=0, expansion=0), voxel=0.05)
    scene.add(source)
    sim = vt.Simulation(scene)
    sim.step(12)
    distance = np.linalg.norm(sim.vortons.position - (0, 0, 1), axis=1)
    assert np.abs(distance - 0.5).max() < 0.0301
    assert np.allclose(sim.vortons.temperature, 500) and sim.tracers.count > 100
    expected = layer.volume / 0.06**3 * 10 * 0.5
    assert sim.vortons.count == pytest.approx(expected, rel=0.02)
    up = sim.vortons.position[:, 2] - 1
    assert abs(up.mean()) < 0.02  # all around
    with pytest.raises(ValueError, match="the fluid of a Surface has no rim"):
        vt.Emitter(layer, temperature=500, rim=0.1)


# ---- arrays per frame ----


def test_a_bare_array_has_a_value_for_each_frame_of_the_simulation():
    rate = np.linspace(100, 2000, 13)
    path = np.linspace((0, 0, 0), (3, 0, 1), 13)

    def run(rate, path, fps=12):
        scene = vt.Scene(method=vt.Method(**STILL), voxel=0.1)
        place = Transform(position=path)
        scene.add(vt.Tracers(vt.Sphere(radius=0.1), rate=rate, parent=place))
        scene = vt.Scene.from_json(scene.to_json())
        sim = vt.Simulation(scene, fps=fps)
        sim.step(12)
        return everything.digests(sim)["all"], sim.tracers.count

    bare = run(rate, path)
    assert bare == run(Samples(rate, fps=12), Samples(path, fps=12))
    assert bare == run(list(rate), path.tolist())
    # twice the frame rate, half the time
    assert run(rate, path, fps=24)[1] == pytest.approx(bare[1] / 2, rel=0.02)


def test_the_voxel_of_a_scene_with_bare_arrays_is_known_where_it_runs(tmp_path):
    scene = vt.Scene("bare", method=vt.Method(**STILL))
    ring = vt.VortexRing(core=0.2, layers=0, parent=Transform(scale=[1.0, 2.0, 3.0]), time=0.5)
    scene.add(ring)
    scene.add(vt.Tracers(vt.Sphere(radius=0.2)))
    sim = vt.Simulation(scene, fps=2)
    assert sim.nominal_voxel == pytest.approx(0.4 / 3)
    manifest = vt.bake(scene, tmp_path, frames=(1, 2), fps=2, progress=False)
    assert manifest.data["volumes"]["voxel"] == sim.nominal_voxel
    assert manifest.data["scene"]["transforms"][0]["scale"]["fps"] is None


# ---- what holds for all of them ----


def scene_of_all():
    made = vt.Scene("all", seed=4, voxel=0.1, combustion=vt.Combustion())
    made.gravity = Keys([(0, (0, 0, -9.81)), (1, (2, 0, -5))])
    made.wind = [(0.1, 0, 0), (0.2, 0, 0), (0.1, 0.1, 0)]
    made.viscosity = Keys([(0, 0), (1, 1e-3)])
    made.thermal_diffusivity = Samples([0, 1e-3], fps=2)
    jet = {"radius": Keys([(0, 0.3), (1, 0.4)]), "rate": RAMP, "core": 0.12, "layers": 0}
    made.add(vt.Jet(Keys([(0, (0, 0, 0)), (1, (1, 0, 0))]), **jet))
    fire = {"taper": RAMP, "flicker": RAMP, "fade": RAMP, "lifetime": RAMP, "rim": Keys([(0, 0.2)])}
    shape = vt.Disk((0, 0, -0.5), Keys([(0, 0.3), (1, 0)]), thickness=Keys([(0, 0.2), (1, 0.3)]))
    made.add(vt.Emitter(shape, fuel=0.5, temperature=700, core=0.15, per_voxel=2, **fire))
    made.add(vt.Points([(1, 1, 1)], size=RAMP, rate=RAMP, growth=RAMP, fade=0.5, lifetime=2))
    made.add(
        vt.VortonPoints([(0, 1, 0)], [(0, 0, 0.01)], 0.15, 1e-3, rate=Keys([(0, 20), (1, 40)]))
    )
    skin = vt.Surface(vt.Box((1, 0, 0), (1.2, 0.3, 0.2)), 0.1)
    made.add(vt.Emitter(skin, temperature=500, core=0.15, renew=3, smoke=0))
    made.add(vt.Kill("both", outside=vt.Sphere(radius=Keys([(0, 3), (1, 1.5)])), older_than=RAMP))
    spin = Transform(angle=Keys([(0, 0), (1, 90)]))
    made.add(vt.Wind((0.2, 0, 0), parent=spin))
    values = np.random.default_rng(1).normal(0, 0.2, (3, 3, 3, 3))
    made.add(vt.WindGrid(values, origin=(-1, -1, -1), parent=spin))
    made.add(vt.Attractor(strength=0.2, shape=vt.Sphere(radius=RAMP)))
    return made


def test_scenes_with_all_of_it_come_back_equal():
    made = scene_of_all()
    assert vt.Scene.from_json(made.to_json()) == made
    assert vt.Scene.from_json(made.to_json()).sha256 == made.sha256


@pytest.mark.slow
def test_e1_same_bits_for_threads_and_copies():
    first, second = (vt.Simulation(scene_of_all(), fps=8, threads=n) for n in (1, 3))
    for sim in (first, second):
        sim.step(5)
    third = second.copy()
    for sim in (first, second, third):
        sim.step(3)
    expected = everything.digests(first)
    assert everything.digests(second) == expected == everything.digests(third)
    assert first.vortons.count > 100 and first.tracers.count > 10


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: vt.Emitter(vt.Sphere(), fuel=1, core=RAMP), TypeError, "Emitter.core = Keys"),
        (lambda: vt.Emitter(vt.Sphere(), fuel=1, core=RAMP), TypeError, "cannot change in time"),
        (lambda: vt.Surface(vt.Sphere(radius=RAMP), 0.1), TypeError, "Surface.shape"),
        (lambda: vt.Sphere(center=RAMP), TypeError, "Sphere.center"),
        (lambda: vt.Sphere(radius=Keys([(0, -1)])), ValueError, "Sphere.radius: key 0"),
        (lambda: vt.Jet(core=Keys([(0, 0.1), (1, 0.6)])), ValueError, "Jet.core"),
        (lambda: vt.Jet(rate=Keys([(0, 0)])), ValueError, "must not always be 0"),
        (lambda: vt.Kill(older_than=Keys([(0, -1)])), ValueError, "Kill.older_than: key 0"),
        (lambda: vt.Points([(0, 0, 0)], size=0.1, fade=2), ValueError, "Points.fade = 2"),
        (lambda: vt.Points([(0, 0, 0)], size=0.1, fade=[0.1, 2]), ValueError, "Points.fade[1]"),
        (lambda: vt.Points([(0, 0, 0)], size=[0.1], density=RAMP), ValueError, "Points.size"),
        (
            lambda: vt.VortonPoints([(0, 0, 0)], [(0, 0, 1)], 0.1, 1e-3, end=1),
            ValueError,
            "goes with rate",
        ),
        (
            lambda: vt.VortonPoints([(0, 0, 0)], [(0, 0, 1)], 0.1, 1e-3, lifetime=0),
            ValueError,
            "VortonPoints.lifetime = 0",
        ),
        (lambda: vt.Scene(viscosity=Keys([(0, -1)])), ValueError, "Scene.viscosity: key 0"),
        (lambda: vt.Scene(wind=RAMP), TypeError, "Scene.wind: key 0"),
    ],
)
def test_bad_values_are_refused(make, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        make()


def test_bodies_are_rigid():
    scene = vt.Scene()
    scene.add(vt.Body(vt.Sphere(radius=RAMP), name="balloon"))
    with pytest.raises(TypeError, match="'balloon'.*a body is rigid"):
        vt.Simulation(scene)


TRACK = {"values": [[1.0], [2.0]], "times": [0, 1]}
DEFAULTS = {
    "tracers": {"rate": 10.0},
    "kill": {"age": 1.0},
    "force": {},
    "emitter": {"fluid": {"temperature": 400.0}},
}


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("tracers", {"shape": {"kind": "box"}, "animations": {"shape.radius": TRACK}}, "box"),
        ("tracers", {"count": 5, "animations": {"shape.radius": TRACK}}, "one of them"),
        ("kill", {"animations": {"shape.radius": TRACK}}, "shape is NULL"),
        ("kill", {"animations": {"start": TRACK}}, "start of a kill cannot be animated"),
        ("force", {"animations": {"shape.size": TRACK}}, "components is 1; allowed is 3"),
        ("emitter", {"animations": {"core": TRACK}}, "core of an emitter cannot be animated"),
        (
            "emitter",
            {"shape": {"kind": "sphere", "layer": 0.1}, "around": {"kind": "sphere"}},
            "around is given",
        ),
    ],
)
def test_the_core_refuses_what_cannot_change(name, values, words):
    core = vt.Simulation()._core
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        core.add(name, **{**DEFAULTS[name], **values})
    with pytest.raises(ValueError, match="wind of a simulation cannot be animated"):
        type(core)(animations={"wind": {"values": [[1.0, 0, 0]], "times": [0]}})
