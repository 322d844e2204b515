"""Copies of a simulation: the same bits afterwards, nothing shared, more room."""

import copy
import threading

import everything
import numpy as np
import pytest
from hand_made import simulation, state
from marks import slow_but

import vorton as vt
from vorton import _core

TETRAHEDRON = vt.Mesh(
    vertices=np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float),
    faces=np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]),
)


def scene(method):
    """Everything that moves, a source of smoke in the shape of a mesh, and animated ones."""
    made = everything.scene(method)
    made.add(vt.Tracers(TETRAHEDRON, rate=300))
    made.add(vt.Tracers(TETRAHEDRON, count=300, start=0.6))
    turned = vt.Keys([(0, (1, 0, 0, 0)), (0.3, (1, 1, 0, 0)), (0.8, (1, 0, 1, 0))], "smooth")
    outer = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (0, 0.5, 1))]))
    inner = vt.Transform(rotation=turned, parent=outer)
    rate = vt.Keys([(0, 100), (0.5, 900), (0.9, 50)])
    made.add(vt.Tracers(vt.Sphere(radius=0.2), rate=rate, lifetime=0.5, parent=inner))
    made.add(vt.Tracers(vt.Surface(vt.Sphere(radius=0.3), 0.05), rate=200))
    made.add(vt.Points([(0, 0, 0), (0.3, 0.1, 0)], size=0.1, lifetime=[0.2, 0.6], rate=50))
    add_vortices(made)
    return made


def add_vortices(made):
    """Of each kind one that is still to be born when the copy is made."""
    few = {"layers": 0, "core": 0.15, "circulation": 0.05, "time": 0.45}
    square = [(0, 0, 0), (0.5, 0, 0), (0.5, 0.5, 0), (0, 0.5, 0)]
    made.add(vt.Filament(square, closed=True, **few))
    made.add(vt.VortexTube(**few))
    speed = vt.Keys([(0, 0.1), (1, 0.3)])
    made.add(vt.Jet((0, 0, 0.4), radius=0.3, core=0.1, speed=speed, rate=4, layers=0))
    made.add(vt.RandomCloud(vt.Sphere(radius=0.3), speed=0.05, eddy=0.3, count=100, time=0.5))
    spots = {"positions": square[:2], "strengths": [(0, 0, 1e-3), (0, 1e-3, 0)]}
    made.add(vt.VortonPoints(**spots, core=0.15, volume=1e-3, time=0.55))


@pytest.mark.parametrize(
    "method", slow_but(["direct"], ["poisson", "direct", "viscous", "options"])
)
def test_a_copy_goes_on_with_the_same_bits(method):
    """Nine steps are no multiple of the cadence of sorting; births and a ring are still to come."""
    sim = vt.Simulation(scene(method), everything.FPS, threads=2)
    _ = sim.tracers.velocity
    sim.step(9)
    other = sim.copy()
    assert (other.time, other.frame) == (sim.time, sim.frame)
    again = copy.deepcopy(copy.copy(other))
    for each in (sim, other):
        each.step(5)
    expected = everything.digests(sim)
    assert everything.digests(other) == expected
    del sim, other  # what the third holds is its own
    again.step(5)
    assert everything.digests(again) == expected


def test_bodies_that_rest_are_met_where_they_are():
    """What is known of walls at rest is kept; a copy knows nothing, and meets them all the same."""
    made = vt.Scene("rests and moves", wind=(0.6, 0, 0))
    places = [(0, (0.2, 0, 0)), (0.25, (0.2, 0, 0)), (0.3, (-0.1, 0.1, 0)), (1, (-0.1, 0.1, 0))]
    path = vt.Transform(position=vt.Keys(places))
    made.add(vt.Body(vt.Box((-0.2, -0.3, -0.3), (0.2, 0.3, 0.3)), panels=0, parent=path))
    made.add(vt.Body(vt.Sphere((0.4, 0, 0.4), 0.2), panels=0))
    made.add(vt.Tracers(vt.Box((-0.6, -0.5, -0.5), (-0.01, 0.5, 0.5)), count=4000))
    sim = vt.Simulation(made, 24, threads=2)
    met = []
    for _ in range(14):
        other = sim.copy()
        for each in (sim, other):
            each.step()
        met.append(sim.health["contacts"])
        assert other.health["contact_looks"] == sim.health["contact_looks"]
        assert np.array_equal(other.tracers.position, sim.tracers.position)
    assert min(met[1:]) > 10


def test_a_copy_over_a_floor_gives_bodies_the_same():
    """What merging changes of the impulse no body owes where a plane takes some; a copy merges
    before it has solved for the plane, gave the change to the bodies, and they went elsewhere."""
    made = vt.Scene("cold over a floor", seed=8, voxel=0.1)
    made.add(vt.Body(vt.Plane()))
    made.add(vt.Body(vt.Box((-0.3, -0.3, 0.3), (0.3, 0.3, 0.5)), panels=40, density=1.3))
    cold = vt.Box((-0.3, -0.3, 0.55), (0.3, 0.3, 0.75))
    made.add(vt.Emitter(cold, temperature=263, core=0.1, swirl=0.2, per_voxel=1))
    sim = vt.Simulation(made, threads=1)
    for _ in range(10):  # merged in the ninth
        other = sim.copy()
        for each in (sim, other):
            each.step()
        assert sim.same_state(other)


def test_a_copy_does_not_see_the_other():
    sim = simulation()
    sim.step()
    views = [sim.vortons.position, sim.vortons.core, sim.tracers.position, sim.tracers.density]
    fields = sim.grids.velocity
    other = sim.copy()
    before, start = state(other), state(sim)
    for view in views:
        view += 1
    sim.step()
    sim.vortons.remove(np.ones(sim.vortons.count, bool))
    sim.method = sim.method.replace(relaxation=0.1)
    assert state(other) == before and other.method != sim.method
    assert not np.shares_memory(fields, other.grids.velocity)
    again = other.copy()
    for name in other.vortons._columns:
        assert not np.shares_memory(getattr(again.vortons, name), getattr(other.vortons, name))
    other.step()
    assert state(again)[2:] == before[2:] == start[2:]


def test_ids_go_on_where_the_original_was():
    sim = simulation(vortons=20, tracers=30)
    sim.tracers.remove(sim.tracers.id > 9)
    other = sim.copy()
    for each in (sim, other):
        assert each.tracers.add([[0, 0, 0]], density=1, size=0.1) == [30]
        assert each.vortons.add([[0, 0, 0]], [[0, 0, 1]], core=0.1, volume=1e-3) == [20]


def test_a_copy_with_more_room():
    sim = simulation(vortons=200, tracers=500, max_vortons=200, max_tracers=500)
    with pytest.raises(vt.CapacityError):
        sim.tracers.add([[0, 0, 0]], density=1, size=0.1)
    other = sim.copy(max_vortons=300, max_tracers=100_000)
    assert (other.vortons.capacity, other.tracers.capacity) == (300, 100_000)
    assert (other.scene.max_vortons, other.scene.max_tracers) == (300, 100_000)
    points = np.random.default_rng(3).normal(0, 0.3, (99_500, 3))
    other.tracers.add(points, density=1e-3, size=0.05)
    for each in (sim, other):
        each.step(2)
    assert sim.vortons.position.tobytes() == other.vortons.position.tobytes()
    smaller = other.copy(max_vortons=200)
    assert (smaller.vortons.capacity, smaller.tracers.capacity) == (200, 100_000)


@pytest.mark.parametrize("name, alive", [("max_vortons", 200), ("max_tracers", 500)])
@pytest.mark.parametrize("bad", [0, -1, 199, 2**40, 1.5, "many", True, float("nan")])
def test_a_copy_refuses_room(name, alive, bad):
    sim = simulation()
    before = state(sim)
    with pytest.raises((TypeError, ValueError), match=name):
        sim.copy(**{name: bad})
    if bad == 199:
        with pytest.raises(ValueError, match=rf"{name} is 199.*{alive} are alive"):
            sim._core.copy(**{name: bad})
    assert state(sim) == before


def test_a_bad_value_that_was_written_is_refused_by_the_copy_too():
    sim = simulation()
    sim.vortons.age[3] = np.nan
    other = sim.copy()
    for each in (sim, other):
        with pytest.raises(ValueError, match="vortons.age has nan in row 3"):
            each.step()


@pytest.mark.slow
def test_no_copy_while_another_thread_is_inside():
    sim = simulation(vortons=4000, threads=1)
    start, found = threading.Event(), []

    def step():
        start.set()
        sim.step(20)

    thread = threading.Thread(target=step)
    thread.start()
    start.wait()
    while thread.is_alive():
        try:
            sim._core.copy()
        except vt.BusyError as error:
            found.append(error)
    thread.join()
    assert found and isinstance(sim._core.copy(), _core.Simulation)
