"""Animated parameters and transforms, against SciPy: quadrature, Rotation and Slerp."""

import dataclasses
import json
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation, Slerp

import vorton as vt
from vorton import Keys, Samples, Tracers, Transform, VortexRing

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
BOX = vt.Box((-0.1, -0.2, -0.3), (0.2, 0.2, 0.1))
RATES = {
    "linear": Keys([(0, 0), (0.5, 3000), (1.2, 200), (2, 200)]),
    "smooth": Keys([(0.1, 0), (0.5, 3000), (1.2, 200), (2, 2500)], "smooth"),
    "constant": Keys([(0, 0), (0.31, 2000), (0.6, 0), (1.7, 5000)], "constant"),
    "mixed": Keys([(-1, 500), (0.2, 0, "smooth"), (0.7, 4000, "constant"), (1.9, 0)]),
    "samples": Samples(np.abs(np.sin(np.arange(60) * 0.3)) * 2000, fps=24, start=-0.2),
}


def simulate(*sources, time=2.0, steps=8, threads=1, **scene):
    """Steps of equal length, each an exact binary fraction."""
    made = vt.Scene("animated", seed=4, voxel=0.1, **scene)
    for source in sources:
        made.add(source)
    sim = vt.Simulation(made, threads=threads)
    for _ in range(steps):
        sim.advance(time / steps)
    return sim


def by_id(sim):
    """Position, time of birth, density, size of the tracers in the order of their ids."""
    order = np.argsort(sim.tracers.id)
    t = sim.tracers
    return (
        t.position[order].astype(float),
        sim.time - t.age[order].astype(float),
        t.density[order].astype(float),
        t.size[order].astype(float),
    )


# ---- rates ----


@pytest.mark.parametrize("name", RATES)
def test_births_are_as_many_as_the_integral_of_the_rate(name):
    rate = RATES[name]
    breaks = [0.1, 0.2, 0.31, 0.5, 0.6, 0.7, 1.2, 1.7, 1.9]
    if name == "samples":
        breaks = list(-0.2 + np.arange(60) / 24)
    inner = [t for t in breaks if 0 < t < 2]
    pieces = zip([0, *inner], [*inner, 2], strict=True)
    expected = sum(quad(rate.at, a, b, epsabs=1e-8, epsrel=1e-10)[0] for a, b in pieces)
    sim = simulate(Tracers(BOX, rate=rate))
    assert expected > 700
    assert 0 <= sim.tracers.count - expected < 1 + 1e-6
    # The n-th is born where the integral has come to n.
    birth = by_id(sim)[1]
    found = np.array([rate.integral(0, t) for t in birth])
    slack = 3e-7 * 5000  # times of birth go through float32 ages
    assert np.abs(found - np.arange(len(birth))).max() < slack


def test_births_in_a_ball_follow_the_rate_on_average():
    rate = Keys([(0, 0), (1, 40000), (2, 0)], "smooth")
    sim = simulate(Tracers(vt.Sphere(radius=0.3), rate=rate))
    birth = by_id(sim)[1]
    for t in (0.5, 1.0, 1.5, 2.0):
        assert (birth < t).sum() == pytest.approx(rate.integral(0, t), rel=0.01, abs=20)


@pytest.mark.parametrize("name", RATES)
def test_births_do_not_depend_on_how_time_is_cut(name):
    swing = Transform(position=Keys([(0, (0, 0, 0)), (1, (1, 2, 3)), (2, (0, 1, 0))], "smooth"))
    source = Tracers(vt.Sphere(radius=0.3), rate=RATES[name], parent=swing, start=0.13, end=1.87)
    runs = [simulate(source, steps=n) for n in (1, 16, 64)]
    assert runs[0].tracers.count > 500
    for sim in runs[1:]:
        for column in ("id", "position", "density", "size"):
            first, other = (
                getattr(s.tracers, column)[np.argsort(s.tracers.id)] for s in (runs[0], sim)
            )
            assert np.array_equal(first, other), column
        assert np.abs(by_id(sim)[1] - by_id(runs[0])[1]).max() < 3e-6


def test_a_rate_of_one_key_is_the_constant():
    constant = simulate(Tracers(BOX, rate=777.0, start=0.1, end=1.9))
    keyed = simulate(Tracers(BOX, rate=Keys([(0.5, 777.0)]), start=0.1, end=1.9))
    for a, b in zip(by_id(constant), by_id(keyed), strict=True):
        assert np.allclose(a, b, rtol=1e-6, atol=1e-6)


def test_smoke_follows_the_rate():
    volume = BOX.volume
    rate = Keys([(0, 0), (1, 10000), (2, 0)])
    density = Keys([(0, 1.0), (2, 3.0)])
    born = by_id(simulate(Tracers(BOX, rate=rate, density=density)))
    assert np.allclose(born[2], (1 + born[1]) * volume / 10000, rtol=1e-5)
    assert np.allclose(born[3], (volume / 10000) ** (1 / 3), rtol=1e-6)
    exact = quad(lambda t: rate.at(t) / 10000 * density.at(t) * volume, 0, 2, points=[1])[0]
    assert born[2].sum() == pytest.approx(exact, rel=1e-3)


def test_renew_follows_its_keys():
    renew = Keys([(0, 0), (0.5, 4), (2, 1)], "smooth")
    source = Tracers(BOX, per_voxel=60, renew=renew, density=2.0)
    sim = simulate(source)
    fillings = quad(renew.at, 0, 2, points=[0.5])[0]
    assert sim.tracers.count == pytest.approx(fillings * 60 * BOX.volume / 0.1**3, abs=1)
    mass = sim.tracers.density.astype(float).sum()
    assert mass == pytest.approx(2.0 * fillings * BOX.volume, rel=2e-3)


def test_lifetime_at_birth():
    source = Tracers(BOX, rate=1000, lifetime=Keys([(0, 0.25), (1, 1.25), (2, 0.25)]))
    sim = simulate(source, steps=64)
    birth = by_id(sim)[1]
    dies = birth + np.interp(birth, [0, 1, 2], [0.25, 1.25, 0.25])
    every = np.arange(0, 2, 1e-3)
    alive = every + np.interp(every, [0, 1, 2], [0.25, 1.25, 0.25]) > 2
    assert (dies > 2 - 1e-5).all()
    assert abs(len(birth) - alive.sum()) <= 1


# ---- transforms ----

QUATERNIONS = Rotation.random(5, random_state=7)
TIMES = np.array([0.0, 0.4, 0.7, 1.5, 2.0])


def wxyz(rotations):
    return [tuple(q) for q in rotations.as_quat()[:, [3, 0, 1, 2]]]


MOVING = {
    "position": Keys([(0, (0, 0, 0)), (0.8, (2, -1, 0.5)), (2, (-1, 1, 3))]),
    "rotation": Keys([*zip(TIMES, wxyz(QUATERNIONS), strict=True)]),
    "axis": (1, 2, -0.5),
    "angle": Keys([(0, 0), (2, 1000)]),
    "scale": Keys([(0, 0.5), (2, 2)]),
}


def exact_pose(t):
    """Matrix and position of Transform(**MOVING), by SciPy."""
    axis = np.array(MOVING["axis"]) / np.linalg.norm(MOVING["axis"])
    turn = Rotation.from_rotvec(np.radians(500 * t) * axis)
    matrix = (Slerp(TIMES, QUATERNIONS)(t) * turn).as_matrix()
    path = MOVING["position"].keys
    place = [np.interp(t, [k[0] for k in path], [k[1][c] for k in path]) for c in range(3)]
    return (0.5 + 0.75 * t) * matrix, np.array(place)


def pose(transform, t):
    core = vt.Simulation()._core
    return core.pose(transform._add_to(core), t)


@pytest.mark.parametrize("t", [0, 0.123, 0.4, 0.55, 0.7, 1.1, 1.99, 2])
def test_pose_is_scipys(t):
    matrix, place = exact_pose(t)
    found = pose(Transform(**MOVING), t)
    assert np.abs(found[:, :3] - matrix).max() < 1e-14
    assert np.abs(found[:, 3] - place).max() < 1e-14


@pytest.mark.parametrize("t", [0.3, 1.2, 1.9])
def test_nested_poses(t):
    base = Transform(position=(1, 2, 3), axis=(0, 1, 0), angle=Keys([(0, 30), (2, -200)]), scale=3)
    found = pose(Transform(**MOVING, parent=Transform(scale=0.5, parent=base)), t)
    matrix, place = exact_pose(t)
    turn = 1.5 * Rotation.from_euler("y", 30 - 115 * t, degrees=True).as_matrix()
    assert np.abs(found[:, :3] - turn @ matrix).max() < 1e-14
    assert np.abs(found[:, 3] - (turn @ place + (1, 2, 3))).max() < 1e-14


def test_right_angles_are_exact():
    found = pose(Transform(angle=-990), 0)
    assert found[:, :3].tolist() == [[0, -1, 0], [1, 0, 0], [0, 0, 1]]


def test_smooth_rotations_pass_their_keys_without_a_halt():
    keys = [(0, 0), (1, 100), (2, 150), (3, 300)]
    half = np.radians([a / 2 for _, a in keys])
    rotation = Keys(
        [(t, (np.cos(h), 0, 0, np.sin(h))) for (t, _), h in zip(keys, half, strict=True)], "smooth"
    )
    transform = Transform(rotation=rotation)
    times = np.linspace(0, 3, 301)
    core = vt.Simulation()._core
    name = transform._add_to(core)
    found = np.array([core.pose(name, t) for t in times])
    angle = np.degrees(np.unwrap(np.arctan2(found[:, 1, 0], found[:, 0, 0])))
    # One axis: what the angle alone does, smooth through the same keys.
    assert np.abs(angle - [Keys(keys, "smooth").at(t) for t in times]).max() < 1e-9
    assert np.diff(angle)[5:-5].min() > 0.1


def test_quaternions_take_the_shorter_way_and_any_length():
    there, back = np.array([1, 0, 0, 0]), -np.array([np.cos(0.5), np.sin(0.5), 0, 0])
    found = pose(Transform(rotation=Keys([(0, 5 * there), (1, 0.1 * back)])), 0.25)
    assert np.abs(found[:, :3] - Rotation.from_rotvec([0.25, 0, 0]).as_matrix()).max() < 1e-15
    same = Transform(rotation=Keys([(0, there), (1, there), (2, 3 * there)], "smooth"))
    assert np.array_equal(pose(same, 0.7)[:, :3], np.eye(3))


@pytest.mark.slow
def test_tracers_are_born_where_the_shape_is_at_their_own_time():
    source = {"shape": vt.Sphere((0.3, 0, 0), 0.2), "rate": RATES["smooth"]}
    local = by_id(simulate(Tracers(**source), steps=3))
    world = by_id(simulate(Tracers(**source, parent=Transform(**MOVING)), steps=3))
    assert len(local[0]) == len(world[0]) > 2000
    for p, q, t in zip(local[0], world[0], world[1], strict=True):
        matrix, place = exact_pose(t)
        # Times of birth are known to float32 here, and the shape moves at some 10 m/s.
        assert np.abs(matrix @ p + place - q).max() < 1e-5
        inside = np.linalg.solve(matrix, q - place) - (0.3, 0, 0)
        assert np.linalg.norm(inside) < 0.2 + 2e-5


def test_size_and_smoke_follow_the_scale():
    source = Tracers(BOX, rate=1000, parent=Transform(**MOVING))
    _, birth, density, size = by_id(simulate(source))
    volume = BOX.volume * (0.5 + 0.75 * birth) ** 3
    assert np.allclose(density, volume / 1000, rtol=1e-5)
    assert np.allclose(size, (volume / 1000) ** (1 / 3), rtol=1e-5)


def test_a_filling_is_placed_at_its_start():
    source = Tracers(vt.Sphere(radius=0.2), per_voxel=50, start=0.8, parent=Transform(**MOVING))
    sim = simulate(source, steps=7)
    matrix, place = exact_pose(0.8)
    scale = np.cbrt(np.linalg.det(matrix))
    inside = np.linalg.norm(sim.tracers.position - place, axis=1)
    assert sim.tracers.count == round(50 * vt.Sphere(radius=0.2 * scale).volume / 0.1**3)
    assert 0.95 * 0.2 * scale < inside.max() < 0.2 * scale + 1e-6
    assert np.abs(sim.tracers.position.mean(axis=0) - place).max() < 0.01
    assert sim.tracers.density.sum(dtype=float) == pytest.approx(4 / 3 * np.pi * (0.2 * scale) ** 3)


def test_a_ring_is_placed_at_its_birth():
    ring = {
        "center": (0.1, 0, 0),
        "axis": (0, 1, 2),
        "radius": (0.5, 0.4),
        "core": 0.1,
        "wobble": 0.05,
    }
    matrix, place = exact_pose(1.3)
    scale = np.cbrt(np.linalg.det(matrix))
    method = vt.Method(velocity="direct")
    free, moved = (vt.Simulation(vt.Scene(method=method)) for _ in range(2))
    VortexRing(**ring)._add_to(free._core, 1.0)
    source = VortexRing(**ring, time=1.3, parent=Transform(**MOVING))
    source._add_to(moved._core, 1.0)
    moved.advance(1.3)
    assert moved.vortons.count == 0
    moved.advance(1e-9)
    x, alpha = (getattr(free.vortons, n).astype(float) for n in ("position", "strength"))
    assert np.abs(moved.vortons.position - (x @ matrix.T + place)).max() < 2e-6
    assert np.abs(moved.vortons.strength - alpha @ matrix.T).max() < 1e-6 * np.abs(alpha).max() * 20
    assert np.allclose(moved.vortons.core, free.vortons.core * scale, rtol=1e-6)
    assert source._placed_core() == pytest.approx(0.1 * scale, rel=1e-12)


STRUCTURES = {
    "filament": vt.Filament([(0, 0, 0), (1, 0, 0), (0, 1, 0.3)], closed=True, core=0.1, time=1.3),
    "tube": vt.VortexTube(core=0.1, wobble=0.01, layers=1, time=1.3),
    "cloud": vt.RandomCloud(vt.Sphere(radius=0.5), eddy=0.3, count=200, time=1.3),
    "points": vt.VortonPoints(np.eye(3), np.ones((3, 3)), core=0.1, volume=0.01, time=1.3),
    "jet": vt.Jet(radius=0.3, layers=1, rate=1, start=1.3),
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_every_structure_is_placed_at_its_birth(name):
    source = STRUCTURES[name]
    sims = []
    for parent in (None, Transform(**MOVING)):
        sim = vt.Simulation(vt.Scene(method=vt.Method(velocity="direct")), threads=1)
        dataclasses.replace(source, parent=parent)._add_to(sim._core, 1.0)
        sim.advance(1.3)
        sim.advance(1e-9)
        sims.append(sim.vortons)
    matrix, place = exact_pose(1.3)
    scale = np.cbrt(np.linalg.det(matrix))
    x, alpha, core, volume = (
        getattr(sims[0], n).astype(float) for n in ("position", "strength", "core", "volume")
    )
    assert len(x) == len(sims[1]) > 0
    assert np.abs(sims[1].position - (x @ matrix.T + place)).max() < 3e-6
    assert np.abs(sims[1].strength - alpha @ matrix.T).max() < 3e-6 * np.abs(alpha).max()
    assert np.allclose(sims[1].core, core * scale, rtol=1e-6)
    assert np.allclose(sims[1].volume, volume * scale**3, rtol=1e-6)


def test_points_emit_where_their_parent_is():
    points = vt.Points(np.eye(3), size=0.1, density=2.0, rate=300)
    local = by_id(simulate(points, steps=3))
    world = by_id(simulate(dataclasses.replace(points, parent=Transform(**MOVING)), steps=3))
    assert len(local[0]) == len(world[0]) == 600
    for p, q, t in zip(local[0], world[0], world[1], strict=True):
        matrix, place = exact_pose(t)
        assert np.abs(matrix @ p + place - q).max() < 1e-5
    assert np.allclose(world[2], local[2])
    assert np.allclose(world[3], local[3] * (0.5 + 0.75 * world[1]), rtol=1e-5)


def test_a_jet_takes_its_numbers_at_each_pulse():
    speed = Keys([(0, 0), (1, 2), (2, 0)])
    jet = vt.Jet(radius=0.3, rate=8, duty=0.5, speed=speed, wobble=0, tilt=0, layers=0, end=2)
    scene = vt.Scene(method=vt.Method(velocity="direct", stretching="none"), voxel=0.1)
    scene.add(jet)
    sim = vt.Simulation(scene, threads=1)
    sim.advance(2.1)
    pulses = np.arange(1, 16) / 8  # that at 0 has no speed
    age = np.sort(np.unique(np.round(sim.vortons.age, 4)))[::-1]
    assert np.allclose(2.1 - age, pulses, atol=1e-3)
    strength = np.linalg.norm(sim.vortons.strength, axis=1)
    for t in pulses:
        mine = np.abs(2.1 - sim.vortons.age - t) < 1e-3
        u = 2 * min(t, 2 - t)
        # Strength over length: the circulation u L / 2 of a slug of length L = u duty / rate.
        found = strength[mine].sum(dtype=float) / (2 * np.pi * 0.3)
        assert found == pytest.approx(u * u * 0.5 / 8 / 2, rel=2e-3)
    constant = [vt.Jet(radius=0.3, rate=8, **v) for v in ({}, {"speed": Keys([(0, 1)])})]
    first, other = (simulate(j, time=0.5, steps=2).vortons for j in constant)
    assert np.array_equal(first.position, other.position)
    assert jet.smoke().renew.at(0.5) == pytest.approx(0.6 * 1 * 0.5 / (0.4 * 0.3))


@pytest.mark.slow
def test_e1_same_bits_for_any_number_of_threads():
    spin = Transform(**MOVING)
    arm = Transform(position=(0.5, 0, 0), scale=Samples([0.5, 1, 0.7], fps=2), parent=spin)
    sources = [
        VortexRing(core=0.2, layers=1, parent=Transform(angle=40, axis=(1, 0, 0))),
        VortexRing(core=0.2, layers=1, time=0.3, parent=arm),
        Tracers(vt.Sphere(radius=0.2), rate=RATES["mixed"], lifetime=Keys([(0, 1)]), parent=arm),
    ]
    one, many = (simulate(*sources, time=0.8, steps=6, threads=n) for n in (1, 3))
    assert one.tracers.count > 500 and one.vortons.count > 200
    for kind in ("vortons", "tracers"):
        a, b = getattr(one, kind), getattr(many, kind)
        for column in a._columns:
            assert np.array_equal(getattr(a, column), getattr(b, column)), column


# ---- plain data ----


def animated_scene():
    base = Transform(**MOVING)
    arm = Transform(position=(1, 0, 0), parent=base)
    scene = vt.Scene("plain", voxel=0.1)
    for name, rate in RATES.items():
        lifetime = None if name == "samples" else Keys([(0, 1), (1, 2, "smooth")])
        scene.add(Tracers(vt.Sphere(), rate=rate, lifetime=lifetime, parent=arm))
    scene.add(Tracers(BOX, renew=Keys([(0, 0), (1, 1)]), density=Samples([1, 2], 24), parent=base))
    scene.add(VortexRing(parent=Transform(position=Samples(np.eye(3), fps=24, start=1))))
    scene.add(VortexRing(center=(3, 0, 0)))
    return scene


def test_scenes_come_back_equal():
    scene = animated_scene()
    again = vt.Scene.from_json(scene.to_json())
    assert again == scene and again.sha256 == scene.sha256
    assert again.sources == scene.sources
    assert again.to_json() == scene.to_json()
    other = animated_scene()
    other.add(Tracers(BOX, rate=Keys([(0, 1)])))
    assert other != scene


def test_shared_transforms_stand_once():
    data = animated_scene().to_dict()
    assert [t.get("parent") for t in data["transforms"]] == [None, 0, None]
    assert [s.get("parent") for s in data["sources"]] == [1, 1, 1, 1, 1, 0, 2, None]


def test_scenes_without_animation_have_the_format_of_before():
    scene = vt.Scene("plain")
    scene.add(VortexRing())
    scene.add(Tracers(vt.Sphere(), rate=10))
    text = scene.to_json()
    assert "transforms" not in text and "parent" not in text and "Keys" not in text
    assert json.loads(text)["sources"][1]["rate"] == 10


def test_the_example_comes_back_equal_and_runs():
    scene = runpy.run_path(str(EXAMPLES / "spiral.py"))["scene"]
    assert vt.Scene.from_json(scene.to_json()) == scene
    assert len(scene.to_dict()["transforms"]) == 2
    sim = vt.Simulation(scene, threads=1)
    sim.step(3)
    # An eighth of a second at a turn a second: 45 degrees, and the ball sticks out by 6.3.
    angle = np.degrees(np.arctan2(*sim.tracers.position[:, 1::-1].T))
    assert -7 < angle.min() < 0 and 45 < angle.max() < 52


def test_equality_is_of_what_they_say():
    assert Keys([(0, 1, "linear"), (1, 2, "smooth")]) == Keys([(0, 1), (1, 2, "smooth")])
    assert Keys([(0, 1), (1, 2)]) != Keys([(0, 1), (1, 2)], "smooth")
    assert Samples(np.arange(3), 24) == Samples([0.0, 1.0, 2.0], fps=24.0)
    assert hash(Transform(angle=Keys([(0, 1)]))) == hash(Transform(angle=Keys([[0, 1]])))
    assert Transform() != Transform(parent=Transform())


# ---- bad input ----


def tracers(**values):
    return Tracers(vt.Sphere(), **values)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (
            lambda: tracers(rate=Keys([(0, 1), (1, 2), (1.5, -3)])),
            ValueError,
            "Tracers.rate: key 2 (t = 1.5 s) = -3",
        ),
        (
            lambda: tracers(rate=1, lifetime=Samples([1, 0], 10)),
            ValueError,
            "Tracers.lifetime: value 1 (t = 0.1 s) = 0",
        ),
        (lambda: tracers(rate=[1, -2, 3]), ValueError, "Tracers.rate: value 1 = -2"),
        (lambda: Transform(position=np.zeros((5, 2))), ValueError, "Transform.position: value 0"),
        (lambda: Samples([1, 2]).at(0), ValueError, "Samples(values, fps=...)"),
        (lambda: tracers(rate=Keys([(0, (1, 2, 3))])), TypeError, "key 0 (t = 0 s) = (1.0, 2.0"),
        (lambda: Transform(position=Keys([(0, 1)])), TypeError, "Transform.position: key 0"),
        (
            lambda: Transform(rotation=Keys([(0, (1, 0, 0, 0)), (1, (0, 0, 0, 0))])),
            ValueError,
            "Transform.rotation: key 1 (t = 1 s)",
        ),
        (lambda: Transform(scale=Keys([(0, 0)])), ValueError, "Transform.scale: key 0"),
        (lambda: Transform(axis=(0, 0, 0)), ValueError, "Transform.axis"),
        (lambda: Transform(parent=3), TypeError, "Transform.parent = 3"),
        (lambda: VortexRing(parent="arm"), TypeError, "VortexRing.parent = 'arm'"),
        (lambda: VortexRing(core=Keys([(0, 1)])), TypeError, "VortexRing.core"),
        (lambda: Keys([]), ValueError, "Keys.keys"),
        (lambda: Keys(3), TypeError, "Keys.keys = 3"),
        (lambda: Keys([(0, 1, "linear", 2)]), TypeError, "Keys.keys[0]"),
        (lambda: Keys([(0, 1), (0, 2)]), ValueError, "Keys.keys[1]: time = 0 s"),
        (lambda: Keys([(0, float("nan"))]), ValueError, "Keys.keys[0]: value"),
        (lambda: Keys([(float("inf"), 1)]), ValueError, "Keys.keys[0]: time"),
        (lambda: Keys([(0, 1), (1, (2, 3))]), ValueError, "Keys.keys: value 1"),
        (lambda: Keys([(0, 1, "cubic")]), ValueError, "Keys.keys[0]: interpolation"),
        (lambda: Keys([(0, 1)], "cubic"), ValueError, "Keys.interpolation"),
        (lambda: Samples([1, 2], 0), ValueError, "Samples.fps = 0"),
        (lambda: Samples([], 24), ValueError, "Samples.values"),
        (lambda: Samples([1, None], 24), TypeError, "Samples.values[1]"),
        (lambda: Samples(np.zeros((2, 17)), 24), ValueError, "Samples.values[0]"),
    ],
)
def test_bad_values_are_refused(make, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        make()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["sources"][0].update(parent=7), "sources[0]: parent = 7"),
        (lambda d: d["transforms"][1].update(parent=1), "transforms[1]: parent = 1"),
        (lambda d: d["transforms"][0].update(parent=0), "transforms[0]: parent = 0"),
        (lambda d: d["transforms"][0].update(turn=0), "transforms[0]: transform (Transform)"),
        (lambda d: d.update(transforms=3), "transforms = 3: must be a list"),
        (lambda d: d["sources"][0]["rate"].update(keys=[[0, -1]]), "Tracers.rate: key 0"),
        (lambda d: d["sources"][0]["rate"].update(type="Curve"), "unknown type 'Curve'"),
    ],
)
def test_bad_scenes_are_refused(change, words):
    data = json.loads(animated_scene().to_json())
    change(data)
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        vt.Scene.from_dict(data)


TRACK = {"values": [[1.0], [2.0]], "times": [0, 1]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"animations": {"start": TRACK}}, "start of tracers cannot be animated; allowed are"),
        ({"animations": {"rate": {**TRACK, "values": [[1, 2], [3, 4]]}}}, "rate: components is 2"),
        ({"animations": {"rate": {**TRACK, "times": [1, 1]}}}, "rate: time of key 1 is 1 s"),
        ({"animations": {"rate": {**TRACK, "values": [[1], [-1]]}}}, "key 1 (t = 1 s) = -1; allo"),
        ({"animations": {"rate": {**TRACK, "interpolation": b"\1"}}}, "one for each key"),
        ({"animations": {"rate": {**TRACK, "interpolation": b"\1\3"}}}, "key 1 is 3"),
        ({"animations": {"rate": {"times": [0]}}}, "rate: values are missing"),
        ({"animations": {"rate": {"values": [[1]], "rate": 0}}}, "rate is 0 samples"),
        ({"animations": {"rate": 3}}, "rate must be a dict"),
        ({"animations": {3: TRACK}}, "keys must be names"),
        ({"animations": 3}, "animations must be a dict"),
        ({"parent": 1}, "parent is 1; allowed is 0 or the id of a transform"),
        ({"parent": -1}, "parent is -1"),
        ({"density": -1.0}, "density is -1; allowed is finite >= 0 kg/m^3"),
        ({"rate": 2e9}, "rate is 2e+09; allowed is > 0 to 1e+09 1/s, or 0"),
        ({"lifetime": 0.0}, "lifetime is 0; allowed is > 0 s"),
    ],
)
def test_the_core_refuses_bad_animations(arguments, words):
    core = vt.Simulation()._core
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        core.add("tracers", **{"rate": 10.0, **arguments})
    core.step(1.0)
    assert core.count("tracers") == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"position": (2e9, 0, 0)}, "position[0] is 2e+09; allowed is -1e+09 to 1e+09 m"),
        ({"rotation": (0, 0, 0, 0)}, "rotation: constant 0 is 0 0 0 0"),
        ({"axis": (0, 0, 0)}, "axis is 0 0 0"),
        ({"scale": 0.0}, "scale is 0"),
        ({"parent": 3}, "parent is 3; allowed is 0 or the id of a transform, 1 to 2"),
        ({"scale": 1e6, "parent": 2}, "scale: with its parents the transform scales by 1e+12"),
        ({"position": (1e8, 0, 0), "parent": 2}, "position: the transform comes as far as 1e+14 m"),
        ({"animations": {"axis": TRACK}}, "axis of a transform cannot be animated; allowed are"),
        ({"animations": {"angle": {**TRACK, "values": [[1], [2e9]]}}}, "angle: key 1 (t = 1 s)"),
    ],
)
def test_the_core_refuses_bad_transforms(arguments, words):
    core = vt.Simulation()._core
    assert (
        core.add(
            "transform",
        )
        == 1
    )
    assert core.add("transform", scale=1e6) == 2
    with pytest.raises(ValueError, match=re.escape(words)):
        core.add("transform", **arguments)
    assert (
        core.add(
            "transform",
        )
        == 3
    )


def test_a_point_in_the_place_of_a_number_is_no_list_of_frames():
    with pytest.raises(TypeError, match=r"Cylinder.radius = \(0, 0, 1\): must be a number; a list"):
        vt.Cylinder((0, 0, 0), (0, 0, 1), 0.1)
    assert vt.Sphere(radius=[0.1, 0.2]).radius.values == (0.1, 0.2)


# ---- what an artist writes for keys and turns ----


@pytest.mark.parametrize(
    "make",
    [
        lambda: vt.Scene(wind=[(0, (0, 0, 0)), (1, (1, 0, 0))]),
        lambda: vt.Wind([(0, (0, 0, 0), "smooth"), (1, (1, 0, 0))]),
        lambda: vt.Emitter(vt.Sphere(), temperature=[(0, 400), (1, 500)]),
    ],
)
def test_bare_keys_are_told_of_keys(make):
    with pytest.raises(TypeError, match=r"keys \(time, value\) are Keys\("):
        make()


def test_a_value_for_each_frame_is_no_key():
    assert isinstance(vt.Wind([(0, 0, 1), (1, 0, 0)]).velocity, vt.Samples)
    assert isinstance(vt.Wind(np.eye(3)).velocity, vt.Samples)
    assert isinstance(vt.Emitter(vt.Sphere(), temperature=[400, 500]).temperature, vt.Samples)


def test_a_rotation_by_three_angles_is_told_of_quaternions():
    with pytest.raises(ValueError, match=r"quaternion \(w, x, y, z\).*`axis` and `angle`"):
        vt.Transform(rotation=(0, 90, 0))
