"""Method and Simulation: defaults, copies, frames, records."""

import math
import pickle

import numpy as np
import pytest
from hand_made import simulation

import vorton as vt
from vorton import _core

NAN, INF = float("nan"), float("inf")


# ---- Method ----


def test_method_has_the_fields_of_the_table():
    method = vt.Method()
    for row in _core.METHOD_FIELDS:
        assert getattr(method, row["name"]) == row["default"]
        assert row["description"] in vt.Method.__doc__
    assert vt.Method.from_dict(method.to_dict()) == method
    assert vt.Method(velocity="direct") != method == vt.Method()
    assert method.replace(bound=2).bound == 2.0
    assert eval(repr(method), {"Method": vt.Method}) == method
    assert pickle.loads(pickle.dumps(method)) == method
    assert len({method, vt.Method(), vt.Method(time="euler")}) == 2


@pytest.mark.parametrize("row", _core.METHOD_FIELDS, ids=lambda row: row["name"])
def test_method_refuses(row):
    bad = [None, NAN, INF, [], 1j, "nothing"]
    bad += [0, 1] if row["choices"] else [row["least"] - 1, row["most"] + 1, "1", True]
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
        assert field.metadata == {"unit": row["unit"], "description": row["description"]}
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
