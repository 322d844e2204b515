"""Engineering (VALIDATION 6): order, degenerate scenes, resolution, births, room, bad values."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hand_made import ring, simulation, state
from marks import slow_but

import vorton as vt
from vorton import _core

METHODS = {
    "poisson": vt.Method(),
    "direct": vt.Method(velocity="direct"),
    "article": vt.Method.article(),
    "article direct": vt.Method.article().replace(velocity="direct"),
}
NAN, INF = float("nan"), float("inf")


def columns(sim):
    """Every column of both sets, rows in the order of the ids."""
    return {
        (particles._set, name): getattr(particles, name)[np.argsort(particles.id)]
        for particles in (sim.vortons, sim.tracers)
        for name in particles._columns
    }


def assert_same(one, other):
    """Of two such tables, bit for bit."""
    assert one.keys() == other.keys()
    for key in one:
        assert one[key].tobytes() == other[key].tobytes(), key


def random_vortons(count=400, seed=1):
    """Position and strength of a turbulent ball of radius .5 m."""
    random = np.random.default_rng(seed)
    position = random.normal(0, 0.25, (count, 3))
    strength = np.cross(position, random.normal(0, 1, (count, 3))) / count
    return position, strength - strength.mean(axis=0)


def build(position, strength, method="poisson", core=0.1, tracers=50, rounding=512, **options):
    made = replace(METHODS[method], rounding=rounding)
    sim = vt.Simulation(vt.Scene(method=made, voxel=0.05), **options)
    sim.vortons.add(position, strength, core=core, volume=1e-3)
    points = np.random.default_rng(2).normal(0, 0.2, (tracers, 3))
    sim.tracers.add(points, density=1e-3, size=0.05)
    return sim


def assert_all_finite(sim):
    for (_, name), values in columns(sim).items():
        if name != "lifetime":  # endless
            assert np.isfinite(values).all(), name


# ---- E2 ----


@pytest.mark.parametrize("method", slow_but(["poisson"], METHODS))
def test_e2_order_of_the_vortons_does_not_matter(method):
    position, strength = random_vortons(3000)
    strength = 40 * strength  # fast enough that they go a good way in one step
    order = np.random.default_rng(7).permutation(len(position))
    sorted_, shuffled = (
        build(position, strength, method, rounding=0),
        build(position[order], strength[order], method, rounding=0),
    )
    for sim in (sorted_, shuffled):
        sim.step()
    a, b = columns(sorted_), columns(shuffled)
    for name in ("position", "strength", "velocity"):
        first, second = a["vortons", name][order], b["vortons", name]
        start = position[order] if name == "position" else 0
        size = np.sqrt(((first - start) ** 2).sum(axis=1).mean())
        assert size > 0 and np.abs(first - second).max() < 1e-4 * size, name
    moved = a["tracers", "position"] - b["tracers", "position"]
    assert np.abs(moved).max() < 1e-4 * np.abs(a["tracers", "velocity"]).max() / 24


# ---- E3 ----


def unknown_numbers(method):
    """Numbers of health that nothing gives without a grid."""
    return _core.HEALTH_OF_GRID if "direct" in method else ()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "name, position, strength",
    [
        ("none", np.empty((0, 3)), np.empty((0, 3))),
        ("one", [[0, 0, 0]], [[0, 0, 1]]),
        ("coincident", np.zeros((100, 3)), random_vortons(100)[1]),
        ("cancelling", np.zeros((2, 3)), [[0, 0, 1], [0, 0, -1]]),
        ("flat", random_vortons()[0] * (1, 1, 0), random_vortons()[1]),
        ("straight", random_vortons()[0] * (1, 0, 0), random_vortons()[1]),
        ("without strength", random_vortons()[0], np.zeros((400, 3))),
        ("tiny strength", random_vortons()[0], 1e-38 * random_vortons()[1]),
        ("far away", random_vortons()[0] + 1e6, random_vortons()[1]),
        ("far apart", [[0, 0, 0], [1e4, 0, 0]], [[0, 0, 1], [0, 1, 0]]),
    ],
)
def test_e3_degenerate_scenes_run(method, name, position, strength):
    room = {"max_nodes": 100_000} if method == "article" else {}  # its box holds the tracers too
    sim = build(position, strength, method, threads=1, **room)
    sim.step(3)
    assert_all_finite(sim)
    assert sim.vortons.count == len(position)
    assert sim.volume().info()["mass"] == pytest.approx(0.05, rel=1e-5)
    health = sim.health
    known = {n: value for n, value in health.items() if n not in unknown_numbers(method)}
    assert all(np.isfinite(value).all() for value in known.values())
    if name == "one":  # it does not move itself
        assert np.abs(sim.vortons.position).max() < 1e-3
    if name in ("none", "cancelling", "without strength", "tiny strength"):
        assert np.abs(sim.velocity_at([[0.1, 0.2, 0.3]])).max() < 1e-30


@pytest.mark.slow
def test_e3_two_vortons_10_km_apart_make_a_coarse_grid():
    sim = build([[0, 0, 0], [1e4, 1e4, 1e4]], [[0, 0, 1], [0, 1, 0]], threads=1, max_nodes=10**6)
    sim.step()
    assert np.prod(sim.health["grid"]) <= 10**6
    assert sim.health["spacing"] > 90  # and health says so
    assert_all_finite(sim)


@pytest.mark.parametrize("distance", [1e30, 3e38])
def test_e3_vortons_too_far_apart_are_refused(distance):
    sim = build([[0, 0, 0], [distance, 0, 0]], [[0, 0, 1], [0, 1, 0]])
    before = state(sim)
    with pytest.raises(ValueError, match="vortons.position spans .* too far"):
        sim.step()
    assert state(sim) == before
    sim.vortons.remove(sim.vortons.position[:, 0] > 1)
    sim.step()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [1e7, 1e20, 3e38])
def test_e3_a_flow_too_fast_is_refused(method, factor):
    """4096 substeps are the most; a step that would need more does not begin."""
    position, strength = ring(300)[:2]
    sim = build(position, strength, method)
    sim.step()
    twin = build(position, strength, method)
    twin.step()
    slow = sim.vortons.strength.copy()
    sim.vortons.strength[:] = factor * slow / np.abs(slow).max()
    before = columns(sim)
    with pytest.raises(vt.BlowUpError, match="more than 4096 substeps.*blown up.*dt is too long"):
        sim.step()
    assert_same(columns(sim), before)
    sim.vortons.strength[:] = slow[:]
    for each in (sim, twin):
        each.step(2)
    assert sim.time == twin.time and sim.vortons.count == 300
    assert np.abs(sim.vortons.position).max() < 2


def test_e3_a_step_too_long_is_refused_and_may_be_tried_again():
    scene = vt.Scene("long", voxel=0.05)
    scene.add(vt.VortexRing(radius=0.5, core=0.1))
    scene.add(vt.VortexRing(radius=0.5, core=0.1, time=0.1))
    scene.add(vt.Tracers(vt.Sphere(), rate=100))
    sim, twin = vt.Simulation(scene), vt.Simulation(scene)
    for each in (sim, twin):
        each.step(2)
    assert_same(columns(sim), columns(twin))
    before = columns(sim)
    with pytest.raises(vt.BlowUpError, match="dt is too long"):
        sim.advance(1e4)
    assert sim.time == twin.time
    assert_same(columns(sim), before)
    for each in (sim, twin):
        each.step(3)
    assert_same(columns(sim), columns(twin))  # nothing was born twice


@pytest.mark.parametrize("wind", [1e6, 1e12])
def test_e3_storm(wind):
    scene = vt.Scene("storm", wind=(wind, 0, 0), voxel=0.05)
    scene.add(vt.VortexRing(radius=0.5, core=0.1))
    scene.add(vt.Tracers(vt.Sphere(), count=100))
    sim = vt.Simulation(scene)
    sim.step(2)
    assert_all_finite(sim)
    assert sim.tracers.position[:, 0].min() == pytest.approx(wind / 12, rel=1e-4)


@pytest.mark.parametrize("method", ["poisson", "direct"])
def test_e3_a_tracer_beyond_all_reach_stays_there(method):
    sim = simulation(method=vt.Method(velocity=method))
    sim.tracers.position[3] = 1e38
    sim.step(2)
    lost = sim.tracers.rows([3])[0]
    assert np.allclose(sim.tracers.position[lost], 1e38, rtol=1e-6)
    assert not sim.tracers.velocity[lost].any()
    assert_all_finite(sim)


# ---- E5 ----


@pytest.mark.parametrize("method", slow_but(["poisson"], ["poisson", "article"]))
def test_e5_voxels_of_any_size_hold_the_same_smoke(method):
    scene = vt.Scene("puff", seed=3, method=METHODS[method])
    scene.add(vt.VortexRing(radius=0.5, core=0.12))
    scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.15), count=40_000, density=1.3))
    sim = vt.Simulation(scene)
    sim.step(24)
    mass = float(sim.tracers.density.astype(float).sum())
    density = sim.tracers.density[:, None].astype(float)
    center = (density * sim.tracers.position).sum(axis=0) / mass
    for voxel in (0.08, 0.04, 0.02):
        info = sim.volume(voxel).info()
        assert info["mass"] == pytest.approx(mass, rel=0.01)
        assert info["mass"] == pytest.approx(1.3 * scene.sources[1].shape.volume, rel=0.01)
        assert np.abs(np.array(info["centroid"]) - center).max() < 0.01 * voxel
    assert center[2] > 0.2  # it has risen


# ---- births ----

QUIET = {"radius": 0.5, "core": 0.1, "circulation": 1e-9}


def births(fps, wind=(0.0, 0.0, 0.0), flow=None, method=None, time=0.5, **source):
    """Tracers of an emitter after some time, in the order of their ids."""
    scene = vt.Scene("births", wind=wind, voxel=0.05, method=vt.Method(**(method or {})))
    values = {"rate": 2000.0, "start": 0.03, **source}
    scene.add(vt.Tracers(vt.Sphere(radius=0.05), **values))
    if flow:
        scene.add(vt.VortexRing(**flow))
    sim = vt.Simulation(scene, fps)
    sim.step(round(time * fps))
    order = np.argsort(sim.tracers.id)
    return {name: getattr(sim.tracers, name)[order] for name in ("id", "position", "age", "size")}


@pytest.mark.slow
@pytest.mark.parametrize("flow", [None, QUIET])
@pytest.mark.parametrize(
    "source", [{}, {"end": 0.31}, {"lifetime": 0.2}, {"start": 0.0}]
)
def test_births_do_not_depend_on_the_frame_rate(flow, source):
    exact = {"rounding": 0}
    slow, fast = (births(fps, flow=flow, method=exact, **source) for fps in (24, 240))
    assert np.array_equal(slow["id"], fast["id"])
    assert np.abs(slow["position"] - fast["position"]).max() < 1e-6
    assert np.abs(slow["age"] - fast["age"]).max() < 1e-6
    assert np.array_equal(slow["size"], fast["size"])
    end, start = source.get("end", 0.5), source.get("start", 0.03)
    expected = 2000 * min(end - start, source.get("lifetime", INF))
    assert len(slow["id"]) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(
    "name, flow, method",
    [
        ("stillness", None, None),
        ("direct", QUIET, {"velocity": "direct"}),
        pytest.param("grid", QUIET, None, marks=pytest.mark.slow),
        pytest.param("euler", QUIET, {"time": "euler"}, marks=pytest.mark.slow),
        pytest.param("rk3", QUIET, {"time": "rk3"}, marks=pytest.mark.slow),
        pytest.param(
            "rk3 direct", QUIET, {"time": "rk3", "velocity": "direct"}, marks=pytest.mark.slow
        ),
    ],
)
def test_births_in_a_wind_make_no_clumps(name, flow, method):
    """4 m/s from a ball of 5 cm: 10 tracers in every 2 cm, though a frame goes 17 cm."""
    born = births(24, wind=(4.0, 0.0, 0.0), flow=flow, method=method)
    way = born["position"][:, 0] - 4.0 * born["age"]  # back to where it was born
    assert np.abs(way).max() < 0.0501
    x = np.sort(born["position"][:, 0])
    inside = (x > 0.1) & (x < 1.7)
    count = np.histogram(x[inside], bins=np.arange(0.1, 1.71, 0.02))[0]
    assert count.mean() == pytest.approx(10, rel=0.02)
    assert count.min() >= 5 and count.max() <= 15
    assert np.corrcoef(count[:-8], count[8:])[0, 1] < 0.5  # nothing comes back every frame, 8 bins


@pytest.mark.parametrize(
    "method",
    slow_but(
        [{"velocity": "direct"}, {"time": "euler"}],
        [
            {},
            {"velocity": "direct"},
            {"time": "euler"},
            {"time": "rk3"},
            {"velocity": "direct", "time": "rk3", "stretching": "rvpm"},
        ],
    ),
)
@pytest.mark.parametrize("first", slow_but([False], [False, True]))
def test_a_ring_born_inside_a_frame_is_as_old_as_it_should_be(method, first):
    """Its age and its way, at 24 and at 240 frames a second, with and without another ring."""
    scene = vt.Scene("late", method=vt.Method(**method))
    if not first:
        scene.add(vt.VortexRing(center=(0, 0, 50), radius=0.5, core=0.1, layers=0))
    scene.add(vt.VortexRing(radius=0.5, core=0.1, layers=0, time=2.3 / 24))
    ways = []
    for fps in (24, 240):
        sim = vt.Simulation(scene, fps)
        sim.step(fps // 6)
        ring = sim.vortons.position[:, 2] < 25
        assert np.allclose(sim.vortons.age[ring] * 24, 1.7, atol=1e-3)
        ways.append(sim.vortons.position[ring, 2].mean())
    exact = 1.7 / 24 / (4 * np.pi * 0.5) * (np.log(8 * 0.5 / 0.1) - 1.058)
    assert ways[0] == pytest.approx(ways[1], rel=0.02)
    assert ways[0] == pytest.approx(exact, rel=0.05)


# ---- room ----


def full_scene(at_capacity, **options):
    scene = vt.Scene("full", at_capacity=at_capacity, max_tracers=1000, voxel=0.05, **options)
    scene.add(vt.Tracers(vt.Box((-1, -1, -1), (1, 1, 1)), rate=4800))  # 200 a frame
    scene.add(vt.VortexRing(radius=0.5, core=0.1))
    return scene


def test_at_capacity_error():
    sim = vt.Simulation(full_scene("error"), threads=1)
    sim.step(5)
    assert sim.tracers.count == 1000
    before = state(sim)
    with pytest.raises(vt.CapacityError, match=r"200 more tracers.*max_tracers 1000"):
        sim.step()
    assert state(sim) == before
    sim.tracers.remove(sim.tracers.id < 500)
    sim.step(2)
    assert sorted(sim.tracers.id) == list(range(500, 1400))


def test_at_capacity_oldest():
    sim = vt.Simulation(full_scene("oldest"))
    for frame in sim.frames(12):
        born = 200 * frame
        assert sorted(sim.tracers.id) == list(range(max(0, born - 1000), born))
    assert np.abs(sim.tracers.age.max() - 5 / 24) < 1e-3


def test_at_capacity_stop():
    sim = vt.Simulation(full_scene("stop"))
    sim.step(12)
    assert sorted(sim.tracers.id) == list(range(1000))
    sim.tracers.remove(sim.tracers.id < 300)
    sim.step()
    assert sim.tracers.count == 900  # there is room again


@pytest.mark.parametrize(
    "policy, count, ids",
    [("oldest", 60, range(50, 100)), ("stop", 50, range(50))],  # "stop": no part of a ring is born
)
def test_at_capacity_of_vortons(policy, count, ids):
    scene = vt.Scene("rings", at_capacity=policy, max_vortons=60)
    for time in (0.0, 0.1):
        scene.add(vt.VortexRing(radius=0.5, core=0.1, layers=0, sections=50, time=time))
    sim = vt.Simulation(scene)
    sim.step(4)
    assert sim.vortons.count == count
    assert set(ids) <= set(sim.vortons.id)
    assert_all_finite(sim)


def test_at_capacity_error_of_vortons():
    scene = vt.Scene("rings", max_vortons=60, voxel=0.05)
    for time in (0.0, 0.1):
        scene.add(vt.VortexRing(radius=0.5, core=0.1, layers=0, sections=50, time=time))
    scene.add(vt.Tracers(vt.Sphere(), rate=1000))
    sim = vt.Simulation(scene)
    sim.step(2)
    before = state(sim)
    for _ in range(2):
        with pytest.raises(vt.CapacityError, match=r"50 more vortons.*max_vortons 60"):
            sim.step()
        assert state(sim) == before


# ---- values written into views ----

POSITIVE = [NAN, INF, -INF, 0.0, -1.0]
NOT_NEGATIVE = [NAN, INF, -INF, -1.0]
FINITE = [NAN, INF, -INF]
SHARE = [NAN, INF, -INF, -0.1, 1.1]
WRITABLE = {
    "vortons.position": FINITE,
    "vortons.strength": FINITE,
    "vortons.core": POSITIVE,
    "vortons.volume": POSITIVE,
    "vortons.bound_volume": NOT_NEGATIVE,
    "vortons.flags": [4096, 2**31],
    "vortons.age": FINITE,
    "vortons.density": FINITE,
    "vortons.temperature": POSITIVE,
    "vortons.fuel": SHARE,
    "vortons.flame": SHARE,
    "vortons.smoke": SHARE,
    "vortons.lifetime": [NAN],
    "vortons.swelling": FINITE,
    "tracers.position": FINITE,
    "tracers.density": NOT_NEGATIVE,
    "tracers.size": NOT_NEGATIVE,
    "tracers.age": FINITE,
    "tracers.lifetime": [NAN],
    "tracers.growth": NOT_NEGATIVE,
    "tracers.fade": SHARE,
    "tracers.warmth": FINITE,
    "tracers.temperature": POSITIVE,
    "tracers.fuel": SHARE,
    "tracers.flame": SHARE,
    "tracers.smoke": SHARE,
}


def test_every_writable_column_is_here():
    sim = simulation()
    writable = {
        f"{particles._set}.{name}"
        for particles in (sim.vortons, sim.tracers)
        for name in particles._columns
        if getattr(particles, name).flags.writeable
    }
    assert writable == WRITABLE.keys()


@functools.cache
def twins(method):
    """Two simulations that have stepped once, both the same."""
    options = {"vortons": 300, "tracers": 300, "method": vt.Method(velocity=method)}
    sims = simulation(**options), simulation(**options)
    for each in sims:
        each.tracers.lifetime[:] = 99.0
        _ = state(each)  # from now on all columns are kept up to date
        each.step()
    return sims


@pytest.mark.parametrize("method", slow_but(["direct"], ["poisson", "direct"]))
@pytest.mark.parametrize("column, value", [(c, v) for c, bad in WRITABLE.items() for v in bad])
def test_bad_value_written_into_a_view(method, column, value):
    """A clear error, nothing has changed, and once repaired it is as if it had not happened."""
    sim, twin = twins(method)
    set_name, name = column.split(".")
    view = getattr(getattr(sim, set_name), name)
    row = (123, 1) if view.ndim == 2 else 123
    good, view[row] = view[row], value
    id_ = getattr(sim, set_name).id[123]
    before = state(sim)
    with pytest.raises(ValueError, match=rf"{column} has \S+ in row 123 \(id {id_}\); allowed are"):
        sim.step()
    assert state(sim) == before
    view[row] = good
    for each in (sim, twin):
        each.step()
    assert state(sim) == state(twin)


@pytest.mark.parametrize("row", [0, 15, 4095, 4096, 20_000, 20_010])
@pytest.mark.parametrize("threads", [1, 2])
def test_bad_value_anywhere_in_a_long_column(row, threads):
    """Whole vectors, blocks and what is left at the end are all looked at."""
    sim = simulation(vortons=300, tracers=20_011, threads=threads)
    for name, value in (("position", np.nan), ("age", -np.inf), ("density", -1e-30)):
        view = getattr(sim.tracers, name)
        at = (row, 2) if view.ndim == 2 else row
        good, view[at] = view[at], value
        with pytest.raises(ValueError, match=rf"tracers.{name} has \S+ in row {row} "):
            sim.step()
        view[at] = good
    sim.step()
