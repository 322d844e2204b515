"""Method and Simulation: defaults, copies, frames, records."""

import math
import pickle
import sys

import numpy as np
import pytest
from hand_made import simulation

import vorton as vt
from vorton import _core

NAN, INF = float("nan"), float("inf")


# ---- Method ----


def test_method_has_the_fields_of_the_table():
    method = vt.Method()
    for row in _core.DEFINITIONS["method"].values():
        assert getattr(method, row["name"]) == row["default"]
        assert row["doc"][1:] in " ".join(vt.Method.__doc__.split())
    assert vt.Method.from_dict(method.to_dict()) == method
    assert vt.Method(velocity="direct") != method == vt.Method()
    assert method.replace(bound=2).bound == 2.0
    assert eval(repr(method), {"Method": vt.Method}) == method
    assert pickle.loads(pickle.dumps(method)) == method
    assert len({method, vt.Method(), vt.Method(time="euler")}) == 2


@pytest.mark.parametrize("row", _core.DEFINITIONS["method"].values(), ids=lambda row: row["name"])
def test_method_refuses(row):
    bad = [None, NAN, INF, [], 1j, "nothing"]
    below = row["least"] - (0.5 if row["or_0"] else 1)
    bad += [0, 1] if row["choices"] else [below, row["most"] + 1, "1", True]
    for value in bad:
        with pytest.raises((TypeError, ValueError), match=row["name"]):
            vt.Method(**{row["name"]: value})
        with pytest.raises((TypeError, ValueError), match=row["name"]):
            _core.Simulation(method={row["name"]: value})
    with pytest.raises(ValueError, match="nothing"):
        vt.Method.from_dict({"nothing": 1})
    with pytest.raises(AttributeError):
        vt.Method().bound = 1.0


# ---- Simulation ----


def test_simulation_refuses():
    for bad in (1, "ring", {}, vt.Method()):
        with pytest.raises(TypeError, match="scene"):
            vt.Simulation(bad)
    for bad in (0, -24, NAN, INF, None, "24"):
        with pytest.raises((TypeError, ValueError), match="fps"):
            vt.Simulation(fps=bad)
    for name in (
        "max_vortons",
        "max_tracers",
        "max_nodes",
        "threads",
        "spacing",
        "viscosity",
        "thermal_diffusivity",
        "method",
        "at_capacity",
    ):
        for bad in (-1, NAN, "x", 1j, []):
            with pytest.raises((TypeError, ValueError), match=name):
                vt.Simulation(**{name: bad})
    sim = simulation()
    for bad in (-1, 1.5, None, "1", NAN, True):
        with pytest.raises((TypeError, ValueError), match="frames"):
            sim.step(bad)
        with pytest.raises((TypeError, ValueError), match="frames"):
            sim.frames(bad)


def test_simulation_copies_the_scene():
    scene = vt.Scene("mine", max_vortons=1000)
    sim = vt.Simulation(scene, max_tracers=2000)
    scene.seed = 8
    assert sim.scene.seed == 0 and scene.max_tracers != 2000
    assert (sim.vortons.capacity, sim.tracers.capacity) == (1000, 2000)


def test_frames_and_time():
    sim = simulation(fps=25)
    assert list(sim.frames(3)) == [1, 2, 3]
    sim.step(2)
    assert sim.frame == 5 and sim.time == pytest.approx(0.2)
    sim.advance(0.1)
    assert sim.time == pytest.approx(0.3) and sim._core.step_count == 6
    assert "frame 5" in repr(sim) and "200 vortons" in repr(sim)


def test_records():
    sim = simulation()
    sim.step()
    health = sim.health
    assert health["vortons"] == 200 and health["tracers"] == 500
    assert health["impulse"][2] == pytest.approx(np.pi * 0.25, rel=0.01)
    assert health["grid"] == sim.grids.velocity.shape[2::-1]
    timings = sim.timings
    assert timings["poisson"]["calls"] >= 2 and timings["step"]["last"] > 0


def test_health_has_the_fields_of_the_table():
    sim = simulation()
    sim.step()
    health = sim.health
    assert list(health) == [row["name"] for row in _core.HEALTH_FIELDS] == list(sim._core.health())
    assert dict(health) == sim._core.health() == health
    shown = {line.split()[0]: line for line in repr(health).splitlines()[1:]}
    for row in _core.HEALTH_FIELDS:
        name, kind = row["name"], row["type"]
        value = health[name]
        assert value == getattr(health, name)
        assert type(value) is (tuple if " x 3" in kind else float if kind == "double" else int)
        field = type(health).__dataclass_fields__[name]
        assert field.metadata["unit"] == row["unit"]
        assert field.metadata["description"].startswith(row["description"])
        assert row["description"] in type(health).__doc__
        assert shown[name].rstrip().endswith(row["unit"])
    with pytest.raises(KeyError, match="nothing.*energy"):
        health["nothing"]
    with pytest.raises(AttributeError):
        health.energy = 0.0
    assert {**health} == dict(health) and len(health) == len(_core.HEALTH_FIELDS)
    assert pickle.loads(pickle.dumps(health)) == health
    assert math.fsum(health.grid) == sum(sim.grids.velocity.shape[:3])


def test_timings_are_records():
    sim = simulation()
    sim.step(2)
    timings = sim.timings
    stages = [row["name"] for row in sim._core.timings()]
    assert list(timings) == stages and set(stages) <= set(dir(timings))
    assert stages == [row["name"] for row in _core.TIMED_STAGES]
    for row in _core.TIMED_STAGES:
        assert len(row["description"]) > 8
        assert f"{row['name']} : StageTime\n    {row['description']}." in type(timings).__doc__
    assert timings.step is timings["step"] and timings.step.calls == 2
    assert timings.step.total >= timings.step["last"] > 0
    others = sum(stage.total for name, stage in timings.items() if name != "step")
    assert 0 < others <= timings.step.total
    lines = repr(timings).splitlines()
    assert [line.split()[0] for line in lines[2:]] == stages and "ms" in lines[1]
    assert len({line.rfind(" ") for line in lines[2:]}) == 1  # in columns
    assert pickle.loads(pickle.dumps(timings)) == timings
    with pytest.raises(AttributeError, match="nothing.*poisson"):
        _ = timings.nothing
    with pytest.raises(KeyError):
        timings["nothing"]


def test_velocity_of_a_volume_of_foreign_tracers():
    points = np.random.default_rng(2).uniform(-0.2, 0.2, (2000, 3))
    asked = []

    def velocity(where):
        asked.append(len(where))
        return np.tile([1.0, 2.0, 3.0], (len(where), 1))

    arguments = {
        "position": points,
        "density": np.full(2000, 1e-3),
        "size": np.full(2000, 0.03),
        "voxel_size": 0.05,
    }
    volume = _core.volume_from_tracers(**arguments, velocity=velocity)
    assert volume.info()["mass"] == pytest.approx(2.0, rel=1e-5) and sum(asked) > 0
    assert _core.volume_from_tracers(**arguments).info()["mass"] == volume.info()["mass"]
    for bad in (lambda x: x[:1], lambda x: None, lambda x: x * NAN, lambda x: x.astype(complex)):
        with pytest.raises((TypeError, ValueError), match="velocity"):
            _core.volume_from_tracers(**arguments, velocity=bad)
    with pytest.raises(ZeroDivisionError):
        _core.volume_from_tracers(**arguments, velocity=lambda x: 1 / 0)


# ---- births ----


def by_id(core, name):
    return core.column("tracers", name)[np.argsort(core.column("tracers", "id"))].astype(float)


@pytest.mark.parametrize("method", [{}, {"time": "euler"}, {"velocity": "direct"}], ids=str)
def test_a_step_that_fails_half_way_bears_nobody_twice(method):
    """The flow blows up when a ring is born: the step ends there, and goes on from there."""
    core = _core.Simulation(threads=1, method=method)
    core.add("tracers", shape={"kind": "sphere", "radius": 0.1}, count=5, growth=0.2)
    core.add("tracers", shape={"kind": "sphere", "radius": 0.1}, count=10, start=0.5, growth=0.2)
    size = by_id(core, "size")[0]
    core.add("ring", circulation=1e9, layers=0, core=0.1, sections=50, time=0.5)
    with pytest.raises(_core.BlowUpError, match="blown up"):
        core.step(1.0)
    assert core.time == 0.5 and core.step_count == 0
    assert (core.count("vortons"), core.count("tracers")) == (50, 15)
    assert by_id(core, "size")[:5] == pytest.approx(size + 0.2 * 0.5, rel=1e-6)
    other = core.copy()
    for each in (core, other):
        for _ in range(2):
            each.step(1e-12)
            assert (each.count("vortons"), each.count("tracers")) == (50, 15)


@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_euler_bears_vortons_between_its_substeps(velocity):
    """Until the second ring is born, tracers feel the first alone."""

    def positions(late):
        method = {"time": "euler", "velocity": velocity, "balance": "none"}  # it counts both
        core = _core.Simulation(threads=1, method=method)
        core.add("ring", circulation=0.1, layers=0, core=0.1, sections=60)
        core.add("tracers", shape={"kind": "sphere", "radius": 0.1}, count=50)
        second = {"center": (0.5, 0, 0), "layers": 0, "core": 0.1, "sections": 60}
        half = 2.0**-6
        if late:
            core.step(half)
            core.add("ring", **second)
            core.step(half)
        else:
            core.add("ring", **second, time=half)
            core.step(2 * half)
        return by_id(core, "position")

    assert np.array_equal(positions(late=False), positions(late=True))


@pytest.mark.parametrize("method", [{}, {"time": "rk3"}, {"velocity": "direct"}], ids=str)
def test_a_strong_ring_born_beside_a_weak_one_gets_the_substeps_that_it_needs(method):
    """As one born into still air, at whose birth the drift ends."""

    def run(weak, steps=1):
        core = _core.Simulation(threads=1, method=method)
        if weak:
            core.add("ring", center=(4, 0, 0), circulation=1e-3, layers=0, core=0.1, sections=40)
        core.add("ring", circulation=10.0, layers=0, core=0.1, sections=80, time=0.02)
        core.step(0.0625 / steps, steps)
        ids = core.column("vortons", "id")
        assert core.column("vortons", "age").min() == pytest.approx(0.0425, abs=1e-6)
        return core.column("vortons", "position")[np.argsort(ids)][-80:].astype(float)

    once, often, alone = run(True), run(True, 40), run(False)
    way = often[:, 2].mean()
    assert way > 0.04
    assert np.abs(once - often).max() < 0.1 * way and np.abs(once - alone).max() < 0.1 * way


def test_no_vortons_with_a_temperature_are_none():
    sim = simulation()
    none = np.zeros((0, 3))
    assert len(sim.vortons.add(none, none, core=0.1, volume=1e-3, temperature=300.0)) == 0


@pytest.mark.parametrize("method", [{}, {"time": "euler", "velocity": "direct"}], ids=str)
@pytest.mark.parametrize("circulation", [0.0, 1e-9])
def test_late_steps_are_as_long_as_asked(method, circulation):
    """At 5000 s the time itself is rounded to 1e-12 s: no step may wait for what that leaves."""
    core = _core.Simulation(threads=1, method=method)
    core.add_tracers([[0, 0, 0]], [1], [0.1])
    if circulation:
        core.add("ring", circulation=circulation, layers=0, core=0.1, sections=10)
    core.step(5000.3)
    for dt in (0.03, 0.07, 0.1):
        before = core.time
        core.step(dt)
        assert core.time == before + dt and core.health()["substeps"] == 1


@pytest.mark.parametrize("bad", ["a", -5, 1.5, None, True])
def test_frame_is_a_whole_number(bad):
    sim = vt.Simulation()
    with pytest.raises((TypeError, ValueError), match=r"frame = .*a whole number from 0"):
        sim.frame = bad
    assert sim.frame == 0
    sim.frame = 7
    sim.step()
    assert sim.frame == 8


@pytest.mark.parametrize("bad", [-1, 65, 2.0, "all"])
def test_threads_are_from_0_to_64(bad):
    with pytest.raises((TypeError, ValueError), match=r"threads = .*from 0 to 64"):
        vt.Simulation(threads=bad)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rk2", "rk3"])
def test_tracers_move_as_they_do_where_there_is_more_room(method):
    """The oldest make room for the newborn: where these go does not depend on it."""

    def places(room):
        scene = vt.Scene(seed=2, voxel=0.1, method=vt.Method(time=method, velocity="direct"))
        scene.add(vt.VortexRing(radius=0.5, core=0.12, circulation=3))
        scene.add(vt.Tracers(vt.Sphere(radius=0.3), rate=4000, end=9))
        sim = vt.Simulation(scene, fps=10, threads=1, max_tracers=room, at_capacity="oldest")
        sim.step(4)
        return dict(zip(sim.tracers.id.tolist(), sim.tracers.position.tolist()))

    few, many = places(600), places(10_000)
    assert len(few) == 600 < len(many)
    assert few == {number: many[number] for number in few}


def test_a_debugger_that_looks_at_frames_changes_nothing():
    """Reading the locals of a frame adds to the dictionary that locals() gave there."""

    def look(frame, event, argument):
        assert len(frame.f_locals) >= 0
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        sim = vt.Simulation(max_nodes=100_000)
    finally:
        sys.settrace(before)
    assert sim.scene.max_nodes == 100_000
