"""Bodies that touch are joined: which do, and what holds the state until then."""

import copy
import pickle

import numpy as np
import pytest
from beside_walls import rms
from marks import slow_but

import vorton as vt
from vorton.bakes.course import carry_over

SLAB = vt.Box((-0.4, -0.3, -0.1), (0, 0.3, 0))
BESIDE = vt.Box((0, -0.3, -0.1), (0.4, 0.3, 0))


def started(steps=5):
    scene = vt.Scene("joined", seed=1, spacing=0.08, wind=(1, 0.3, 0))
    scene.add(vt.Body(SLAB, panels=80, name="slab"))
    scene.add(vt.Body(vt.Box((-0.1, -0.1, 0), (0, 0.1, 0.3)), panels=80, name="post"))
    scene.add(vt.Body(vt.Sphere((1.2, 0, 0.4), 0.15), panels=80, name="ball"))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(steps)
    return sim


def add(sim):
    sim.add(vt.Body(BESIDE, panels=80))


def place(sim):
    sim.set_body("post", position=(2, 2, 2))


def push(sim):
    sim.set_body("post", velocity=(0, 0, 1))


def switch(sim):
    sim.method = vt.Method(bodies="none")
    sim.method = vt.Method()


@pytest.mark.parametrize("change", slow_but([place], [add, place, push, switch]))
def test_saved_before_they_are_joined_or_parted_anew(change):
    """The vortons that grow at panels of before are those that do so after."""
    sim = started()
    assert (sim.vortons.panel > 0).any()
    change(sim)
    again = pickle.loads(pickle.dumps(sim))
    for one in (sim, again):
        one.step(2)
    assert again.same_state(sim)


@pytest.mark.parametrize("change", [add, place, push, switch])
@pytest.mark.parametrize("way", [copy.copy, lambda sim: pickle.loads(pickle.dumps(sim))])
def test_changed_after_it_was_saved(change, way):
    """Before its bodies are joined again. Panels of a lone ball are those of before."""
    sim = started()
    again = way(sim)
    growing = (sim.vortons.panel // 8192 == 2).sum()
    assert growing > 0
    for one in (sim, again):
        change(one)
        assert (one.vortons.panel // 8192 == 2).sum() == (0 if change is switch else growing)
        one.step(2)
    assert again.same_state(sim)


def test_taken_over_by_a_simulation_that_has_not_joined_its_own():
    sim, other = started(), started(steps=0)
    carry_over(sim, other)
    for one in (sim, other):
        one.step(2)
    assert other.vortons.count == sim.vortons.count
    assert (other.vortons.position == sim.vortons.position).all()
    assert (other.vortons.panel == sim.vortons.panel).all()


# ---- which are joined ----


def flow_about(*bodies, **options):
    """Without the wind, at points around a block that is turned, or not."""
    scene = vt.Scene("block", seed=1, spacing=0.06, **options)
    for body in bodies:
        scene.add(body)
    sim = vt.Simulation(scene, fps=1000, threads=1)
    sim.step()
    points = np.random.default_rng(2).uniform(-1, 1, (1000, 3))
    points = points[(np.abs(points) > (0.45, 0.45, 0.35)).any(axis=1)]
    return sim.velocity_at(points) - options.get("wind", 0)


def block(low, high, **options):
    box = vt.Box((low, -0.4, -0.3), (high, 0.4, 0.3))
    return vt.Body(box, **{"shedding": 0, "panels": 400, **options})


TURNING = vt.Transform(axis=(0.2, 0.1, 1), angle=vt.Keys([(0, 0), (1, 90)]))
WITHIN = vt.Transform(axis=(0, 0, 1), angle=90, parent=TURNING)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["in the same space", "in one within it"])
def test_halves_that_turn_as_one_are_as_the_whole(way):
    far = vt.VortexRing((0, 0, 3), radius=0.1, core=0.06, circulation=1e-4)
    halves = [block(low, low + 0.4, parent=TURNING) for low in (-0.4, 0)]
    if way == "in one within it":
        turned = vt.Box((-0.4, -0.4, -0.3), (0.4, 0, 0.3))  # by 90 degrees the right half
        halves[1] = vt.Body(turned, parent=WITHIN, shedding=0, panels=400)
    found = flow_about(*halves, far)
    whole = flow_about(block(-0.4, 0.4, parent=TURNING, panels=800), far)
    assert rms(found - whole) < 0.025 * rms(whole)


@pytest.mark.slow
def test_a_body_within_the_others_does_not_part_them():
    wind = {"wind": (0.3, 0.5, 0.4)}
    ball = vt.Body(vt.Sphere((0.2, 0, 0), 0.05), shedding=0, panels=20)
    halves = [block(-0.4, 0), block(0, 0.4)]
    found, without = flow_about(*halves, ball, **wind), flow_about(*halves, **wind)
    assert rms(found - without) < 0.002 * rms(without)


@pytest.mark.parametrize(
    "look", slow_but(["at a point"], ["at a point", "at a copy", "at a state"])
)
def test_a_look_between_two_changes_changes_nothing(look):
    plain, watched = started(), started()
    for sim in plain, watched:
        added = sim.add(vt.Body(BESIDE, panels=80))
        if sim is watched and look == "at a point":
            sim.velocity_at([(0, 0, 1)])
        elif sim is watched and look == "at a copy":
            copy.copy(sim).step()
        elif sim is watched:
            pickle.dumps(sim)
        sim.remove(added)
        sim.step(2)
    assert watched.same_state(plain)
