"""Filament, tube, jet and random cloud: V5, Stokes, the slug model, statistics, births, checks."""

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import vorton as vt
from vorton import _core
from vorton.scenes.scene import SOURCES

NAN, INF = float("nan"), float("inf")


def born(*sources, **scene):
    """A simulation of the sources that were born at once."""
    made = vt.Scene(**scene)
    for source in sources:
        made.add(source)
    return vt.Simulation(made, fps=24, threads=1)


def velocity(sim, points):
    """Direct float64 sum of its vortons at points."""
    v = sim.vortons
    arrays = (np.asarray(a, np.float64) for a in (points, v.position, v.strength, v.core))
    return _core.direct_sum(*arrays, threads=1)[0]


def trefoil(count=40):
    t = 2 * np.pi * np.arange(count) / count
    x, y = np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t)
    return np.stack([x, y, -np.sin(3 * t)], axis=1) / 3


# ---- tubes ----


def tube_speed(distance, circulation, length, width):
    """V5; width: of exp(-d^2 / 2 width^2)."""
    inside = 1 - np.exp(-(distance**2) / (2 * width**2))
    ends = length / np.sqrt(length**2 + 4 * distance**2)
    return circulation / (2 * np.pi * distance) * inside * ends


@pytest.mark.parametrize("spacing", [1.5, 1.0])
def test_v5_tube_one_vorton_thick(spacing):
    length, core = 20.0, 0.1
    tube = vt.VortexTube(
        (0, 0, -length / 2), (0, 0, length / 2), circulation=2, core=core, layers=0,
        sections=round(length / (spacing * core)),
    )  # fmt: skip
    distance = np.linspace(0.2, 30, 40) * core
    for along in (0, 0.25, 0.5):  # on a vorton and between two
        points = np.stack([0 * distance, distance, 0 * distance + along * spacing * core], axis=1)
        u = velocity(born(tube), points)
        exact = tube_speed(distance, 2, length, core)
        assert -u[:, 0] == pytest.approx(exact, rel=1e-3, abs=1e-3 * exact.max())
        assert abs(u[:, 1:]).max() < 1e-6


@pytest.mark.parametrize("vorton_core", [None, 0.025])
def test_v5_resolved_tube(vorton_core):
    """The core is the Gaussian exp(-d^2 / core^2), 3 % off inside it: a section keeps its second
    moment, which speed and impulse of a ring depend on, at the cost of its tail."""
    core, axis = 0.1, np.array([2, 1, 2]) / 3
    tube = vt.VortexTube(tuple(-4 * axis), tuple(4 * axis), core=core, vorton_core=vorton_core)
    distance = np.linspace(0.3, 10, 30) * core
    outward = np.array([1, -2, 0]) / math.sqrt(5)
    u = velocity(born(tube), distance[:, None] * outward)
    exact = tube_speed(distance, 1, 8, core / math.sqrt(2))
    around = u @ np.cross(axis, outward)
    assert abs(around - exact).max() < 0.03 * exact.max()
    far = distance > 3 * core
    assert around[far] == pytest.approx(exact[far], rel=1e-3)
    assert abs(u @ axis).max() < 1e-6 and abs(u @ outward).max() < 1e-3  # six corners


def test_wobble_of_a_tube():
    tube = {"start": (0, 0, -2), "end": (0, 0, 2), "core": 0.03, "layers": 0, "sections": 4000}
    position = born(vt.VortexTube(wobble=0.01, **tube)).vortons.position.astype(float)
    for c in (0, 1):
        assert np.sqrt(np.mean(position[:, c] ** 2)) == pytest.approx(0.04, rel=0.02)
    assert (np.diff(position[:, 2]) > 0).all()
    other = born(vt.VortexTube(wobble=0.01, seed=1, **tube)).vortons.position
    assert abs(position - other).max() > 0.02
    straight = born(vt.VortexTube(**tube)).vortons.position
    assert abs(straight[:, :2]).max() == 0


# ---- filaments ----


@pytest.mark.parametrize("core", [0.1, 0.3])
def test_ring_as_a_filament(core):
    angle = 2 * np.pi * np.arange(32) / 32
    points = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    line = born(vt.Filament(points, closed=True, core=core))
    ring = born(vt.VortexRing(core=core))
    x = np.random.default_rng(0).uniform(-1.5, 1.5, (200, 3))
    u = velocity(ring, x)
    assert abs(velocity(line, x) - u).max() < 0.01 * abs(u).max()
    assert line.vortons.count == ring.vortons.count
    volumes = [s.vortons.volume.astype(float).sum() for s in (line, ring)]
    assert volumes[0] == pytest.approx(volumes[1], rel=1e-3)


@pytest.mark.parametrize("closed", [True, False])
def test_curve_is_the_cubic_spline(closed):
    rng = np.random.default_rng(3)
    points = np.cumsum(rng.uniform(0.3, 1, (9, 3)), axis=0) * [1, 1, 0.2]
    points += rng.normal(0, 0.2, points.shape)
    if closed:  # and back on the other side
        points = np.concatenate([points, points[::-1] + [1, -1, 0.5]])
    whole = np.concatenate([points, points[:1]]) if closed else points
    knots = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(whole, axis=0), axis=1))])
    spline = CubicSpline(knots, whole, bc_type="periodic" if closed else "natural")
    fine = spline(np.linspace(0, knots[-1], 200001))
    arc = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    line = vt.Filament(points, closed=closed, core=1e-3, layers=0, sections=500)
    v = born(line).vortons
    place = (np.arange(500) + (0 if closed else 0.5)) / 500 * arc[-1]
    expected = np.stack([np.interp(place, arc, fine[:, c]) for c in range(3)], axis=1)
    assert v.position == pytest.approx(expected, abs=1e-5 * arc[-1])
    strength = np.linalg.norm(v.strength.astype(float), axis=1)
    assert strength == pytest.approx(arc[-1] / 500, rel=1e-3)
    total = v.strength.astype(float).sum(axis=0)
    way = points[-1] - points[0]
    assert total == pytest.approx(0 * way if closed else way, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("vorton_core", [None, 0.02])
def test_circulation_of_a_knot(vorton_core):
    """Stokes: the velocity around a wide loop about the line, wherever it is laid."""
    line = vt.Filament(trefoil(), closed=True, core=0.05, circulation=-3, vorton_core=vorton_core)
    sim = born(line)
    spline = CubicSpline(np.linspace(0, 1, 41), np.concatenate([trefoil(), trefoil()[:1]]),
                         bc_type="periodic")  # fmt: skip
    angle = 2 * np.pi * np.arange(200) / 200
    for t in (0.1, 0.43, 0.8):
        tangent = spline(t, 1) / np.linalg.norm(spline(t, 1))
        first = np.cross(tangent, [0.3, -0.5, 0.8])
        first /= np.linalg.norm(first)
        second = np.cross(tangent, first)
        loop = spline(t) + 0.16 * (np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * second)
        along = -np.sin(angle)[:, None] * first + np.cos(angle)[:, None] * second
        found = (velocity(sim, loop) * along).sum(axis=1).mean() * 2 * np.pi * 0.16
        assert found == pytest.approx(-3, rel=0.005)
    assert np.linalg.norm(sim.vortons.strength.astype(float).sum(axis=0)) < 1e-6
    assert sim.health["strength_share"] < 1e-6
    assert sim.health["vorticity_divergence"] < 0.05


def test_frames_of_a_knot_close():
    """Vortons with one place in their sections lie side by side, also where the curve closes."""
    line = vt.Filament(trefoil(), closed=True, core=0.05, sections=900, layers=2)
    lines = born(line).vortons.position.astype(float).reshape(900, 19, 3)
    step = np.linalg.norm(np.roll(lines, -1, axis=0) - lines, axis=2)
    seam = np.sort(np.linalg.norm(lines[-1][:, None] - lines[0][None], axis=2), axis=1)[:, 0]
    assert step[:-1].max() < 2 * np.median(step)
    assert seam.max() < 2 * np.median(step)  # a place of the first section, by sixths of a turn


def test_points_need_not_be_even():
    angle = np.sort(np.random.default_rng(2).uniform(0, 2 * np.pi, 60))
    points = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    v = born(vt.Filament(points, closed=True, core=0.05, layers=0)).vortons
    assert np.hypot(v.position[:, 0], v.position[:, 1]) == pytest.approx(1, abs=5e-3)


# ---- jets ----


def test_pulses_are_born_in_their_time():
    jet = vt.Jet(radius=0.3, speed=2, rate=10, start=0.13, end=0.56, sections=20, layers=0)
    ages = {}
    for divided in (1, 4):
        sim = born(jet)
        for _ in range(48 * divided):
            sim.advance(1 / 48 / divided)
        assert sim.vortons.count == 5 * 20  # .13, .23, .33, .43, .53
        first = sim.time - sim.vortons.age.reshape(-1)[np.argsort(sim.vortons.id)].reshape(5, 20)
        assert first == pytest.approx(np.repeat(0.13 + 0.1 * np.arange(5), 20).reshape(5, 20),
                                      abs=1e-5)  # fmt: skip
        ages[divided] = first
    assert ages[1] == pytest.approx(ages[4], abs=1e-5)


@pytest.mark.parametrize(("arguments", "slug"), [
    ({"speed": 2.0, "rate": 5}, 2 * 2 / 5 / 2),
    ({"speed": 2.0, "rate": 5, "duty": 0.25}, 2 * 0.25 * 2 / 5 / 2),
    ({"speed": 3.0}, 3 * 2.75 * 0.25 * 0.5 / 2),
    ({"speed": 3.0, "core": 0.09}, 3 * 3 / (2 * 3 / 0.5) / 2),
    ({"speed": 2.0, "circulation": -0.7}, -0.7),
])  # fmt: skip
def test_circulation_of_the_slug(arguments, slug):
    """The impulse of a flat ring is pi R^2 circulation, along the axis of the jet."""
    axis = np.array([1, 2, -2]) / 3
    jet = vt.Jet(axis=tuple(axis), wobble=0, tilt=0, end=1e-3, layers=0, **arguments)
    sim = born(jet)
    sim.advance(1e-4)
    v = sim.vortons
    impulse = np.cross(v.position.astype(float), v.strength.astype(float)).sum(axis=0) / 2
    assert impulse == pytest.approx(np.pi * 0.25 * slug * axis, rel=1e-3, abs=1e-6)


def test_rings_of_a_slow_jet_move_as_rings_do():
    """Gamma / (4 pi R) (ln(8 R / a) - .558), of a Gaussian core: Saffman, Vortex Dynamics, 10.2.

    The centroid is that of z r^2 d(circulation), the one of which the theorem speaks.
    """

    def centroid(sim):
        x, s = (a.astype(float) for a in (sim.vortons.position, sim.vortons.strength))
        weight = np.linalg.norm(s, axis=1) * np.hypot(x[:, 0], x[:, 1])
        return (weight * x[:, 2]).sum() / weight.sum()

    jet = vt.Jet(radius=0.5, speed=2, rate=0.5, duty=0.25, core=0.1, wobble=0, tilt=0)
    sim = born(jet)
    sim.advance(0.02)
    start = centroid(sim)
    for _ in range(20):
        sim.advance(0.02)
    circulation = 0.5 * 2**2 * 0.25 / 0.5
    speed = circulation / (4 * np.pi * 0.5) * (math.log(8 * 0.5 / 0.1) - 0.558)
    assert (centroid(sim) - start) / 0.4 == pytest.approx(speed, rel=0.03)


def test_a_jet_of_wide_cores_flows_at_its_speed():
    """Its pulses lie as far apart as its cores need: closer ones blow up after 12 radii / speed."""
    scene = vt.Scene("jet")
    scene.add(vt.Jet(axis=(0, 0, 1), radius=0.25, speed=2.5, core=0.15))
    sim = vt.Simulation(scene, threads=1)
    sim.step(48)
    z = np.linspace(0.4, 1.4, 6)
    along = sim.velocity_at(np.c_[0 * z, 0 * z, z])[:, 2]
    assert along.mean() == pytest.approx(2.5, rel=0.12)
    assert sim.health.largest_speed < 1.5 * 2.5


def test_the_usual_jet_flows_at_its_speed_and_makes_few_vortons():
    """Up to three radii from the nozzle, before it breaks up: as with cores of .18 radius, which
    are 5200 vortons in the time of a radius."""
    scene = vt.Scene("jet")
    scene.add(vt.Jet(radius=0.25, speed=2.5))
    sim = vt.Simulation(scene, threads=1)
    sim.step(24)
    z = np.linspace(0.25, 0.75, 6)
    along = sim.velocity_at(np.c_[0 * z, 0 * z, z])[:, 2]
    assert along.mean() == pytest.approx(2.5, rel=0.05)
    assert sim.vortons.id.max() / (2.5 / 0.25) < 0.6 * 5200


@pytest.mark.slow
def test_fast_jet_moves_at_its_speed():
    """A long train of rings is a cylinder of vorticity: speed inside, half of it at the shear."""
    rings = [
        vt.VortexRing((0, 0, z), radius=0.25, core=0.045, circulation=2.5**2 / 2 * 0.05)
        for z in (np.arange(160) - 80) * (2.5 / 2 * 0.05)
    ]
    assert vt.Jet(radius=0.25, speed=2.5).rate is None
    train = born(*rings)
    assert velocity(train, [[0, 0, 0]])[0, 2] == pytest.approx(2.5, rel=0.02)
    sim = born(vt.Jet(radius=0.25, speed=2.5, core=0.045, wobble=0, tilt=0, layers=1))
    sim.advance(1e-3)
    one = 2.5**2 / 2 * 0.05
    impulse = np.cross(sim.vortons.position, sim.vortons.strength).sum(axis=0)[2] / 2
    assert impulse == pytest.approx(one * np.pi * 0.25**2, rel=0.03)


@pytest.mark.slow
def test_wobble_and_tilt_differ_from_ring_to_ring():
    jet = vt.Jet(rate=200, tilt=0.1, wobble=0.02, end=0.5, sections=16, layers=0, seed=3,
                 circulation=1e-6)  # fmt: skip
    sim = born(jet)
    sim.advance(0.5)
    order = np.argsort(sim.vortons.id)
    ring = sim.vortons.position[order].astype(float).reshape(100, 16, 3)
    ring -= ring.mean(axis=1)[:, None]
    normal = np.cross(ring, np.roll(ring, -4, axis=1)).sum(axis=1)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    tilt = np.sqrt((normal[:, :2] ** 2).mean(axis=0))
    assert tilt == pytest.approx(0.1, rel=0.25)
    assert abs(normal[:, :2].mean(axis=0)).max() < 0.035
    radius = np.linalg.norm(ring, axis=2).std(axis=1)
    assert (radius > 1e-3).all() and len(np.unique(radius.round(7))) == 100
    same = born(jet)
    same.advance(0.5)
    assert np.array_equal(same.vortons.position, sim.vortons.position)


@pytest.mark.slow
def test_smoke_of_a_jet():
    jet = vt.Jet((1, 0, 0), (0, 1, 0), radius=0.25, speed=2, start=0.1, end=0.4)
    smoke = jet.smoke(density=2, per_voxel=4)
    assert (smoke.start, smoke.end, smoke.density, smoke.per_voxel) == (0.1, 0.4, 2, 4)
    sim = born(jet, smoke)
    sim.step(12)
    assert sim.tracers.count == pytest.approx(0.3 * smoke.births(0.25 * 0.25 / 3)[1], rel=3e-3)
    assert sim.tracers.position[:, 1].max() > 0.2
    mass = sim.tracers.density.astype(float).sum()
    assert mass == pytest.approx(2 * np.pi * (0.95 * 0.25) ** 2 * 0.6 * 2 * 0.3, rel=0.01)


# ---- clouds ----


def deep_points(eddy, count=120, seed=0):
    x = np.random.default_rng(seed).uniform(-1, 1, (8 * count, 3))
    return x[(x**2).sum(axis=1) < (1 - 0.7 * eddy) ** 2][:count]


@pytest.mark.slow
def test_cloud_statistics():
    """Rms speed as asked (10 %: the window's edge takes some), isotropic, without net strength."""
    eddy, speeds = 0.3, []
    for seed in range(4):
        sim = born(vt.RandomCloud(vt.Sphere(), speed=2, eddy=eddy, core=0.075, seed=seed))
        u = velocity(sim, deep_points(eddy))
        speeds.append((u**2).mean(axis=0))
        assert math.sqrt((u**2).sum(axis=1).mean()) == pytest.approx(2, rel=0.15)
        health = sim.health
        assert health["strength_share"] < 1e-6
        assert health["vorticity_divergence"] < 0.1  # noise of the points; the limit is 0.4
        assert health["overlap"] == pytest.approx(1, rel=0.01)
        assert sim.vortons.count == pytest.approx(4 / 3 * np.pi / 0.075**3, abs=1)
        assert (np.linalg.norm(sim.vortons.position, axis=1) <= 1 + 1e-6).all()
    whole = np.mean(speeds, axis=0)
    assert math.sqrt(whole.sum()) == pytest.approx(2, rel=0.1)
    assert whole / whole.mean() == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("cores", ["filtered", "sharp"])
def test_a_cloud_has_its_speed_whatever_its_cores(cores, scale):
    """Sharp cores leave more of its waves than Gaussian ones, for which they would be made too
    strong: 1.43 m/s instead of 1. In a space of scale 2 times go on and lengths have grown, so
    that circulations, which stay, give half of it."""
    eddy = 0.3
    scene = vt.Scene("cloud")
    parent = vt.Transform(scale=scale)
    scene.add(vt.RandomCloud(vt.Sphere(), speed=1, eddy=eddy, core=0.075, seed=1, parent=parent))
    sim = vt.Simulation(scene, fps=1e5, method=vt.Method(cores=cores))
    sim.step()
    u = sim.velocity_at(np.float32(scale * deep_points(eddy)))
    assert math.sqrt((u**2).sum(axis=1).mean()) == pytest.approx(1 / scale, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", [{"velocity": "tree"}, {"order": "second"}, {"poisson": "multigrid"}]
)
def test_a_cloud_has_its_speed_where_sharp_cores_are_fewer_or_none(method):
    eddy = 0.3
    scene = vt.Scene("cloud", detail=0)
    scene.add(vt.RandomCloud(vt.Sphere(), speed=1, eddy=eddy, core=0.075, seed=1))
    sim = vt.Simulation(scene, fps=1e5, method=vt.Method(cores="sharp", **method))
    sim.step()
    u = sim.velocity_at(np.float32(deep_points(eddy)))
    assert math.sqrt((u**2).sum(axis=1).mean()) == pytest.approx(1, rel=0.1)


def test_a_cloud_is_the_same_after_an_emitter_as_before_it():
    """Which makes both cores filtered ones."""
    cloud = vt.RandomCloud(vt.Sphere(radius=0.3), speed=1, core=0.075, seed=1)
    source = vt.Emitter(vt.Disk((2, 0, 0), radius=0.2), temperature=400, core=0.075)
    strengths = []
    for items in ((cloud, source), (source, cloud)):
        scene = vt.Scene("both")
        for item in items:
            scene.add(item)
        sim = vt.Simulation(scene)
        strengths.append(np.linalg.norm(sim.vortons.strength, axis=1).sum())
    assert strengths[0] == strengths[1] > 0


@pytest.mark.slow
def test_eddies_have_their_size():
    """The velocity at one eddy's distance along itself has turned: correlation below 0."""
    sim = born(vt.RandomCloud(vt.Sphere(), eddy=0.3, seed=5))
    x = deep_points(0.6, 200)
    here = velocity(sim, x)
    for share, least, most in ((0.1, 0.85, 1), (0.5, -0.2, 0.6), (1.0, -0.6, 0.05)):
        there = velocity(sim, x + [share * 0.3, 0, 0])
        found = (here * there)[:, 1:].mean() / (here**2)[:, 1:].mean()
        assert least < found < most


def test_cloud_in_a_mesh_and_its_scale():
    torus = vt.Torus(radius=1, thickness=0.5)
    one, three = (born(vt.RandomCloud(torus, speed=s, eddy=0.4, count=2000)) for s in (1, 3))
    assert np.allclose(three.vortons.strength, 3 * one.vortons.strength, rtol=1e-4, atol=1e-9)
    assert one.vortons.volume.astype(float).sum() == pytest.approx(torus.volume, rel=1e-5)
    radius = np.hypot(one.vortons.position[:, 0], one.vortons.position[:, 1]) - 1
    depth = 0.5 - np.hypot(radius, one.vortons.position[:, 2])
    size = np.linalg.norm(one.vortons.strength, axis=1)
    assert size[depth < 0.05].mean() < 0.3 * size[depth > 0.3].mean()
    assert (born(vt.RandomCloud(torus, speed=0)).vortons.strength == 0).all()


# ---- all of them ----


def everything(threads):
    scene = vt.Scene("all", seed=3, spacing=0.08)
    scene.add(vt.Filament(trefoil(), closed=True, core=0.06, time=0.031))
    scene.add(vt.VortexTube((2, 0, -1), (2, 0, 1), wobble=0.01, core=0.1))
    scene.add(vt.Jet((0, 0, -1), radius=0.3, speed=2, rate=20))
    scene.add(vt.RandomCloud(vt.Box(), eddy=0.5, time=0.05))
    scene.add(vt.VortonPoints(np.eye(3), np.eye(3), core=0.1, volume=1e-3, time=0.06))
    return vt.Simulation(scene, fps=24, threads=threads)


@pytest.mark.slow
def test_the_same_bits_for_any_number_of_threads():
    first, second = everything(1), everything(3)
    for sim in (first, second):
        sim.step(3)
    assert first.vortons.count > 10000
    for name in ("position", "strength", "core", "volume", "age", "id"):
        assert np.array_equal(getattr(first.vortons, name), getattr(second.vortons, name)), name


@pytest.mark.slow
def test_births_do_not_depend_on_the_steps():
    counts = []
    for divided in (1, 4):
        sim = everything(1)
        sim.step(1)
        for _ in range(2 * divided):
            sim.advance(1 / 24 / divided)
        order = np.lexsort((sim.vortons.core, sim.vortons.volume, sim.vortons.age))
        counts.append((sim.vortons.age[order], sim.vortons.volume[order]))
    assert counts[0][0] == pytest.approx(counts[1][0], abs=1e-6)
    assert np.array_equal(np.sort(counts[0][1]), np.sort(counts[1][1]))


def test_what_does_not_fit_is_refused_whole():
    scene = vt.Scene(max_vortons=1000)
    scene.add(vt.VortexTube())
    with pytest.raises(vt.CapacityError, match="the tube has .* vortons; max_vortons is 1000"):
        vt.Simulation(scene)
    scene = vt.Scene(max_vortons=1000, at_capacity="stop")
    scene.add(vt.Jet(rate=30, sections=300, layers=0))
    sim = vt.Simulation(scene, fps=10, threads=1)
    sim.step(3)
    assert sim.vortons.count == 900  # three rings and no part of a fourth


def test_too_many_pulses_in_a_step():
    sim = born(vt.Jet(rate=1e4, circulation=1e-9, sections=8, layers=0))
    with pytest.raises(vt.CapacityError, match="do not fit|more than 2\\^14 structures"):
        sim.advance(1e6)
    assert sim.vortons.count == 0 and sim.time == 0


LINE = [(0, 0, 0), (1, 0, 0)]


@pytest.mark.parametrize(("make", "words"), [
    (lambda: vt.Filament([(0, 0, 0)]), ["Filament.points", "1 point;", "at least 2"]),
    (lambda: vt.Filament(LINE, closed=True), ["Filament.points", "at least 3"]),
    (lambda: vt.Filament([(0, 0, NAN), (0, 0, 1)]), ["Filament.points[0]", "nan", "finite"]),
    (lambda: vt.Filament([(0, 0, 0), (0, 0, 0)]), ["points 0 and 1", "same place"]),
    (lambda: vt.Filament([*LINE, (0, 0, 0)], closed=True), ["points 2 and 0", "same place"]),
    (lambda: vt.Filament("abc"), ["Filament.points"]),
    (lambda: vt.Filament([(0, 0), (1, 1)]), ["Filament.points", "(2, 2)"]),
    (lambda: vt.Filament(LINE, core=0), ["Filament.core = 0", "from 1e-09"]),
    (lambda: vt.Filament(LINE, vorton_core=0.08), ["vorton_core = 0.08", "core / 1.5"]),
    (lambda: vt.Filament(LINE, layers=65), ["layers = 65"]),
    (lambda: vt.Filament(LINE, sections=0), ["sections = 0"]),
    (lambda: vt.Filament([*LINE, (0, 1, 0)], closed=True, sections=7), ["sections = 7", ">= 8"]),
    (lambda: vt.Filament(LINE, closed=1), ["Filament.closed = 1"]),
    (lambda: vt.Filament(LINE, time=-1), ["Filament.time = -1"]),
    (lambda: vt.VortexTube(end=(0, 0, -1)), ["VortexTube.end", "differ from start"]),
    (lambda: vt.VortexTube(wobble=0.2), ["VortexTube.wobble = 0.2", "0 to 0.1"]),
    (lambda: vt.VortexTube(circulation=INF), ["VortexTube.circulation = inf"]),
    (lambda: vt.Jet(speed=0), ["Jet.speed = 0", "from 1e-09"]),
    (lambda: vt.Jet(radius=-1), ["Jet.radius = -1"]),
    (lambda: vt.Jet(axis=(0, 0, 0)), ["Jet.axis", "not all 0"]),
    (lambda: vt.Jet(rate=2e4), ["Jet.rate = 20000", "10000"]),
    (lambda: vt.Jet(speed=1e5), ["Jet.rate = None", "must be given"]),
    (lambda: vt.Jet(duty=0), ["Jet.duty = 0"]),
    (lambda: vt.Jet(duty=1.1), ["Jet.duty = 1.1"]),
    (lambda: vt.Jet(circulation=0), ["Jet.circulation = 0", "must not be 0"]),
    (lambda: vt.Jet(core=0.5), ["Jet.core = 0.5", "< radius"]),
    (lambda: vt.Jet(start=1, end=1), ["Jet.end = 1", "> start"]),
    (lambda: vt.Jet(tilt=NAN), ["Jet.tilt = nan"]),
    (lambda: vt.Jet(sections=4), ["Jet.sections = 4"]),
    (lambda: vt.RandomCloud(1), ["RandomCloud.shape = 1", "must be a shape"]),
    (lambda: vt.RandomCloud(vt.Surface(vt.Sphere(), 0.1)), ["RandomCloud.shape", "body"]),
    (lambda: vt.RandomCloud(vt.Sphere(), eddy=0), ["RandomCloud.eddy = 0"]),
    (lambda: vt.RandomCloud(vt.Sphere(), core=0.2), ["RandomCloud.core = 0.2", "eddy / 4"]),
    (lambda: vt.RandomCloud(vt.Sphere(), speed=-1), ["RandomCloud.speed = -1"]),
    (lambda: vt.RandomCloud(vt.Sphere(), count=0), ["RandomCloud.count = 0"]),
])  # fmt: skip
def test_bad_definitions_are_refused(make, words):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    for word in words:
        assert word in str(error.value), str(error.value)


@pytest.mark.parametrize(("source", "words"), [
    (vt.Filament([(0, 0, 0), (1, 0, 0), (1, 1, 0)], core=0.6), ["filament.core", "curvature"]),
    (vt.VortexTube(wobble=0.1, core=0.5), ["tube.core", "curvature"]),
    (vt.VortexTube(vorton_core=1e-9), ["tube.vorton_core", "too many vortons"]),
    (vt.RandomCloud(vt.Disk(thickness=0.1)), ["cloud.eddy", "thick"]),
    (vt.RandomCloud(vt.Sphere(), core=1e-5), ["cloud.core", "2^30 vortons"]),
])  # fmt: skip
def test_what_the_geometry_forbids(source, words):
    scene = vt.Scene(voxel=0.1)
    scene.add(source)
    with pytest.raises(ValueError) as error:
        vt.Simulation(scene)
    for word in words:
        assert word in str(error.value), str(error.value)


@pytest.mark.parametrize("function", ["ring", "filament", "tube", "jet", "cloud"])
def test_bad_numbers_of_the_core(function):
    core = vt.Simulation(threads=1)._core
    good = {"points": LINE} if function == "filament" else {}
    bad = {"core": -1.0, "vorton_core": -1.0, "circulation": 1e13, "time": -1.0, "layers": 99,
           "sections": -3, "speed": -1.0, "eddy": 0.0, "count": -1, "duty": 0.0, "rate": -1.0,
           "tilt": 1.0, "wobble": -0.1, "radius": -1.0, "start": -1.0, "end": -1.0}  # fmt: skip
    if function == "tube":
        del bad["start"], bad["end"]
    known = {"ring": set("core vorton_core circulation time layers sections wobble radius".split()),
             "filament": set("core vorton_core circulation time layers sections".split()),
             "tube": set("core vorton_core circulation time layers sections wobble".split()),
             "jet": bad.keys() - {"time", "eddy", "count"},
             "cloud": set("core speed eddy count time".split())}[function]  # fmt: skip
    for name in sorted(known):
        with pytest.raises(ValueError, match=name):
            core.add(function, **good, **{name: bad[name]})
    assert core.count("vortons") == 0


def test_every_source_has_its_place_in_the_package():
    assert {cls.__name__ for cls in SOURCES} <= set(vt.__all__)
