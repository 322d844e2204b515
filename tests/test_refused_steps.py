"""A step that is refused leaves nothing behind: the next one has the bits of a flow without it.

What is refused here are steps too long for the flow, which is known only once vortons were born,
split, merged, surrounded by neutral ones, soaked with fuel or removed for others, and the flow was
given to bodies.
"""

import numpy as np
import pytest
from hand_made import state

import vorton as vt

TOO_LONG = 1e6  # s


def ring(**arguments):
    return vt.VortexRing(radius=0.5, core=0.12, wobble=0.05, **arguments)


def cloud_of_tracers():
    return vt.Tracers(vt.Sphere(radius=0.6), count=300)


def scene_of(*items, **method):
    scene = vt.Scene("refused", seed=2, voxel=0.1, method=vt.Method(**method))
    for item in items:
        scene.add(item)
    return scene


def viscous():
    scene = scene_of(ring(), cloud_of_tracers())
    scene.viscosity = 1e-3
    return scene


def split_merged_and_pruned():
    return scene_of(ring(), cloud_of_tracers(), split=1.01, merge=3, prune=0.3)


def warm():
    return scene_of(
        ring(), vt.Emitter(vt.Sphere(radius=0.3), end=0.2, core=0.15, temperature=400.0)
    )


def soaked():
    fuel = {"fuel": 0.5, "temperature": 900.0, "per_voxel": 2, "core": 0.15}
    scene = scene_of(ring(), vt.Emitter(vt.Sphere(radius=0.3), end=0.2, **fuel))
    scene.combustion = vt.Combustion()
    return scene


def beside_bodies():
    ball = vt.Body(vt.Sphere((0, 0, 0.6), 0.2), "ball", density=2.0, panels=60, shedding=60)
    scene = scene_of(ring(), cloud_of_tracers(), ball)
    scene.viscosity = 1e-3
    return scene


def in_a_shaken_container():
    """Its fluid, of two densities, feels that."""
    keys = vt.Keys([(0, (0, 0, 0)), (0.4, (0.2, 0, 0.1)), (1, (-0.1, 0, 0))])
    spin = vt.Transform(angle=vt.Keys([(0, 0), (1, 200)]), axis=(0.2, 0, 1), position=keys)
    room = vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), "room", parent=spin, panels=60)
    scene = scene_of(ring(density=0.1), cloud_of_tracers(), room)
    scene.viscosity = vt.Keys([(0, 1e-3), (1, 2e-3)])
    return scene


def beside_a_warm_body():
    plate = vt.Box((-0.3, -0.3, -0.02), (0.3, 0.3, 0.02))
    path = vt.Transform(position=vt.Keys([(0, (0, 0, -0.5)), (1, (0, 0, 0.5))]))
    scene = scene_of(ring(), vt.Body(plate, "plate", parent=path, temperature=400.0, panels=60))
    scene.add(vt.Wind(vt.Keys([(0, (0.5, 0, 0)), (1, (-0.5, 0.2, 0))])))
    return scene


SCENES = [
    viscous,
    split_merged_and_pruned,
    warm,
    soaked,
    beside_bodies,
    in_a_shaken_container,
    beside_a_warm_body,
]


def inside_a_body(sim):
    """Vortons and tracers added where a body is: they go with the next step."""
    sim.vortons.add(np.zeros((5, 3)), np.ones((5, 3)), core=0.1, volume=1e-3)
    sim.tracers.add(np.zeros((5, 3)), density=1, size=0.1)


@pytest.mark.slow
def test_what_is_in_a_container_has_not_jumped_with_it():
    """A jump so soon that it counts as one at the start of the step, for that is long."""
    keys = vt.Keys([(0, (0, 0, 0)), (0.0004, (0.5, 0, 0))], "constant")
    room = vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), "room", parent=vt.Transform(position=keys))
    scene = scene_of(ring(), cloud_of_tracers(), room)
    sims = [vt.Simulation(scene, threads=1) for _ in range(2)]
    for sim in sims:
        sim.advance(1e-6)
        state(sim)
    refuse_a_step(sims[0])
    for sim in sims:
        sim.advance(0.01)
    assert whole_state(sims[0]) == whole_state(sims[1])
    assert abs(sims[0].tracers.position[:, 0].mean() - 0.5) < 0.1


def whole_state(sim):
    return state(sim), [tuple(body.items()) for body in sim.bodies], repr(sim.health)


def refuse_a_step(sim):
    before = state(sim)
    with pytest.raises(vt.BlowUpError, match="more than 4096 substeps"):
        sim.advance(TOO_LONG)
    assert state(sim) == before


@pytest.mark.slow
@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_nothing_is_left_of_it(make):
    sims = [vt.Simulation(make(), threads=2) for _ in range(2)]
    for sim in sims:
        for _ in range(3):
            sim.advance(1 / 24)
        state(sim)  # takes views of all columns: from here on each is kept up to date
    refuse_a_step(sims[0])
    counts = [sim.vortons.count for sim in sims]
    for _ in range(3):
        for sim in sims:
            sim.advance(1 / 24)
    assert whole_state(sims[0]) == whole_state(sims[1])
    assert make is split_merged_and_pruned or sims[0].vortons.count > counts[0]


def test_what_lies_in_a_body_is_not_removed_by_it():
    scene = scene_of(vt.Body(vt.Sphere(radius=0.2), panels=0))
    scene.add(vt.VortexRing((0, 0, -1), radius=0.5, core=0.12))
    sim = vt.Simulation(scene, threads=1)
    counts = sim.vortons.count, sim.tracers.count
    inside_a_body(sim)
    refuse_a_step(sim)
    assert (sim.vortons.count, sim.tracers.count) == (counts[0] + 5, counts[1] + 5)
    sim.advance(1 / 24)
    assert (sim.vortons.count, sim.tracers.count) == counts


@pytest.mark.slow
def test_the_oldest_are_not_removed_by_it():
    scene = scene_of(ring(), ring(time=0.01), vt.Tracers(vt.Sphere(radius=0.6), rate=1000, end=1))
    sim = vt.Simulation(scene, max_vortons=2500, max_tracers=1100, at_capacity="oldest")
    alive = sim.vortons.count
    sim.tracers.add(np.ones((500, 3)), density=1, size=0.1)
    sim.vortons.age[:] = 0.5
    refuse_a_step(sim)
    assert (sim.vortons.count, sim.tracers.count) == (alive, 500)
    sim.advance(1.0)
    assert (sim.vortons.count, sim.tracers.count) == (2500, 1100)


def test_no_room_for_what_bodies_shed_leaves_no_neutral_vortons():
    """Those of the halo come first."""
    sim = vt.Simulation(beside_bodies(), max_vortons=2300, at_capacity="error")
    before = state(sim)
    with pytest.raises(vt.CapacityError):
        sim.advance(1 / 24)
    assert state(sim) == before


def test_rows_keep_their_order():
    """Every eighth substep sorts them by the grid, and nothing else changes them."""
    sim = vt.Simulation(scene_of(ring(), split=0, merge=0), threads=1)
    for _ in range(8):
        sim.advance(0.01)
    ids = sim.vortons.id.copy()
    with pytest.raises(vt.BlowUpError):
        sim.advance(TOO_LONG)
    assert np.array_equal(sim.vortons.id, ids)
    sim.advance(0.01)
    assert not np.array_equal(sim.vortons.id, ids)


def test_what_was_written_is_not_taken_by_it():
    """A temperature: what makes it the tracer's own shows once a step is done."""
    sim = vt.Simulation(scene_of(ring(), cloud_of_tracers()), threads=1)
    assert not sim.tracers.warmth.any()
    sim.tracers.temperature[:100] = 400
    refuse_a_step(sim)
    sim.advance(0.01)
    assert (sim.tracers.warmth > 100).sum() == 100
