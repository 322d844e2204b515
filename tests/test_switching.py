"""Another method for a simulation under way (ARTICLES A11); what cannot be set says so."""

import dataclasses
import functools
import pickle

import everything
import numpy as np
import pytest
from marks import slow_but

import vorton as vt

DIRECT = vt.Method(velocity="direct")
METHODS = {
    "poisson": vt.Method(),
    "direct": DIRECT,
    "tree": vt.Method(velocity="tree", time="rk3"),
    "article": vt.Method.article(),
    "viscous": vt.Method(split=1.2, merge=5, prune=0.01, halo=1, buoyancy="full"),
    "multigrid": vt.Method(
        poisson="multigrid", boundary="tree", bodies="none", flames="mean", expansion=0
    ),
}


def scene(method):
    """A ring that meets a ball with panels, fire below it, smoke."""
    made = vt.Scene("switch", seed=3, viscosity=1e-4, combustion=vt.Combustion(), voxel=0.05)
    made.method = METHODS[method]
    made.add(vt.VortexRing(radius=0.4, core=0.15, wobble=0.05, sections=24, layers=1))
    made.add(vt.Tracers(vt.Sphere(radius=0.4), count=300))
    fire = {"temperature": 800, "fuel": 0.5, "core": 0.12, "lifetime": 0.5, "per_voxel": 1}
    made.add(vt.Emitter(vt.Sphere((0, 0, -0.8), 0.2), **fire))
    made.add(vt.Body(vt.Sphere((0.5, 0, 0.5), 0.15), density=3.0, panels=60))
    return made


def same(first, second, but=()):
    """All that can be seen; of `but` the two may differ."""
    expected, found = everything.arrays(first), everything.arrays(second)
    for name in expected.keys() - set(but):
        assert expected[name].tobytes() == found[name].tobytes(), name


@functools.cache
def made_with(method):
    """Four frames by one method: what is looked at, not changed."""
    sim = vt.Simulation(scene(method), threads=2)
    _ = sim.tracers.fuel
    sim.step(4)
    return sim


@pytest.mark.slow
@pytest.mark.parametrize("first", ["direct", "multigrid", "viscous"])
@pytest.mark.parametrize("then", ["poisson", "article", "tree", "viscous", "multigrid"])
def test_nothing_is_left_over_from_the_method_before(first, then):
    """Switched before anything moves, it is the simulation that was made with this method."""
    sim, made = vt.Simulation(scene(first), threads=2), made_with(then)
    sim.method = METHODS[then]
    _ = sim.tracers.fuel
    sim.step(4)
    assert sim.scene == made.scene
    # vortices that were born already have the mark of the method of their birth
    same(sim, made, but=["vortons.flags"] if then == "article" else [])


@pytest.mark.parametrize("then", ["poisson", "article", "tree", "direct"])
def test_on_the_way_it_is_a_simulation_made_with_it_in_the_same_state(then):
    """Rows written into a new one, of what flows alone: its clock and its numbers begin anew.

    After 8 substeps, as every eighth sorts the rows; by a scheme without a past, as rk2 bends ways
    with the acceleration, which new rows have not.
    """
    method = dataclasses.replace(METHODS[then], rounding=0)  # whose chances follow from the clock
    if method.time == "rk2":
        method = dataclasses.replace(method, time="rk3")
    old = vt.Scene("ring", seed=3, method=METHODS["multigrid"], voxel=0.05)
    old.add(vt.VortexRing(radius=0.4, core=0.15, wobble=0.05, sections=24, layers=1))
    old.add(vt.Tracers(vt.Sphere(radius=0.4), count=300))
    sim = vt.Simulation(old, fps=60)
    sim.step(8)
    assert sim._core.step_count == 8 and sim.health.substeps == 1
    sim.method = method
    made = vt.Simulation(vt.Scene("ring", seed=3, method=method, voxel=0.05), fps=60)
    v, t = sim.vortons, sim.tracers
    made.vortons.add(v.position, v.strength, core=v.core, volume=v.volume)
    made.vortons.bound_volume, made.vortons.flags = v.bound_volume, v.flags
    made.vortons.age = v.age
    made.tracers.add(t.position, density=t.density, size=t.size)
    for each in (sim, made):
        each.step(12)
    for name in ("position", "strength", "core", "volume", "velocity"):
        assert np.array_equal(getattr(sim.vortons, name), getattr(made.vortons, name)), name
    assert np.array_equal(sim.tracers.position, made.tracers.position)


@pytest.mark.slow
@pytest.mark.parametrize("then", ["direct", "poisson", "viscous"])
def test_a_copy_may_go_on_with_another_method(then):
    sim = vt.Simulation(scene("multigrid"))
    sim.step(6)
    before = everything.digests(sim)
    branch, kept = sim.copy(method=METHODS[then]), sim.copy()
    assert branch.method == METHODS[then] != kept.method
    assert everything.digests(sim) == before
    same(sim, kept)
    sim.method = METHODS[then]
    for each in (sim, branch, kept):
        each.step(4)
    same(sim, branch)
    again = branch.copy()  # what a copy of it needs is with it, too
    for each in (branch, again):
        each.step(2)
    same(branch, again)


def test_what_flows_goes_on():
    """One flow, three solvers: the particles stay, velocities agree, as the articles show it."""
    made = vt.Scene(voxel=0.05)
    made.add(vt.VortexRing(radius=0.5, core=0.15, wobble=0.05))
    sim = vt.Simulation(made)
    sim.step(6)
    points = np.random.default_rng(1).normal(0, 0.4, (200, 3))
    position, ids = np.array(sim.vortons.position), np.array(sim.vortons.id)
    impulse = sim.health.impulse
    u = sim.velocity_at(points)
    for method in ("tree", "direct", "multigrid", "poisson"):
        sim.method = METHODS[method]
        assert np.array_equal(sim.vortons.position, position)
        assert np.array_equal(sim.vortons.id, ids) and sim.health.impulse == impulse
        error = np.linalg.norm(sim.velocity_at(points) - u, axis=1)
        assert np.sqrt((error**2).mean() / (u**2).sum(axis=1).mean()) < 0.05, method
    frame, time = sim.frame, sim.time
    sim.step()
    assert (sim.frame, sim.time) == (frame + 1, pytest.approx(time + 1 / 24))


def test_panels_come_and_go():
    sim = vt.Simulation(scene("direct"))
    sim.step(2)
    assert len(sim._core.panels(0)["area"]) == 0
    sim.method = vt.Method()
    sim.step(2)
    panels = sim._core.panels(0)
    assert len(panels["area"]) > 40 and np.abs(panels["density"]).max() > 0.01
    sim.method = vt.Method(bodies="none")
    assert len(sim._core.panels(0)["area"]) == 0


def test_a_method_that_cannot_be_is_refused_and_changes_nothing():
    made = vt.Scene(combustion=vt.Combustion(), method=vt.Method(expansion=0), voxel=0.1)
    made.add(vt.Emitter(vt.Sphere(radius=0.2), temperature=800, fuel=0.5, core=0.2))
    made.add(vt.Container(vt.Sphere(radius=2)))
    sim = vt.Simulation(made)
    sim.step()
    before = everything.digests(sim)
    with pytest.raises(ValueError, match="burning gas expands, which it cannot"):
        sim.method = vt.Method()
    with pytest.raises(ValueError, match="could not expand"):
        sim._core.set_method(vt.Method().to_dict())
    with pytest.raises(TypeError, match=r"^method = 'direct': must be a Method"):
        sim.method = "direct"
    with pytest.raises(ValueError, match=r"method.opening_angle is 9"):
        sim._core.set_method({"opening_angle": 9.0})
    assert sim.method == sim.scene.method == vt.Method(expansion=0)
    assert everything.digests(sim) == before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("viscosity", "Simulation.viscosity belongs to the scene"),
        ("wind", "Simulation.wind belongs to the scene"),
        ("gravity", "Simulation.gravity belongs to the scene"),
        ("scene", "Simulation.scene is read-only"),
        ("tracers", "Simulation.tracers is read-only"),
        ("time", "Simulation.time is read-only"),
        ("colour", "Simulation.colour is no attribute"),
        ("metod", "did you mean 'method'"),
    ],
)
def test_what_would_go_unheard_is_refused(name, said):
    sim = vt.Simulation()
    with pytest.raises(AttributeError, match=said):
        setattr(sim, name, (0, 0, 0))


def test_nor_may_views_and_the_scene_of_a_simulation_be_given_what_they_have_not():
    scene = vt.Scene()
    sim = vt.Simulation(scene)
    for item, name in ((sim.vortons, "colour"), (sim.tracers, "count"), (sim.grids, "velocity")):
        with pytest.raises(AttributeError, match=name):
            setattr(item, name, 1)
    with pytest.raises(AttributeError, match=r"Scene.wind: this scene is that of a simulation"):
        sim.scene.wind = (1, 0, 0)
    with pytest.raises(AttributeError, match=r"Scene.add: this scene is that of a simulation"):
        sim.scene.add(vt.Wind())
    scene.wind = (1, 0, 0)  # that of the author may change
    with pytest.raises(ValueError, match=r"fps = -1: must be"):
        sim.fps = -1


@pytest.mark.parametrize(
    "then", slow_but([{"buoyancy": "none"}], [{"buoyancy": "none"}, {"buoyancy_scale": 1.5}])
)
def test_what_was_switched_can_be_saved(then, tmp_path):
    """From the first method follows how often an emitter is renewed; with the second it would be
    another number, or none."""
    plume = vt.Scene("plume", voxel=0.2, max_vortons=3000)
    plume.add(vt.Emitter(vt.Sphere(radius=0.2), temperature=500, core=0.15, lifetime=1))
    sim = vt.Simulation(plume, threads=1)
    sim.step(2)
    sim.method = sim.method.replace(**then)
    sim.save(tmp_path / "now.vta")
    loaded = vt.Simulation.load(tmp_path / "now.vta")
    assert loaded.method == sim.method and loaded.same_state(sim)
    again = pickle.loads(pickle.dumps(loaded))
    for each in (sim, again):
        each.step(2)
    assert again.vortons.count > 0 and again.same_state(sim)
