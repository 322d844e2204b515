"""Sources, winds, force fields, kills and bodies come, change and go while a simulation runs."""

import signal
import threading

import numpy as np
import pytest

import vorton as vt


def small(*items, **options):
    """A small simulation of these, with a vortex ring."""
    scene = vt.Scene()
    scene.add(vt.VortexRing(radius=0.5, core=0.2, sections=32, layers=0))
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, max_vortons=20000, max_tracers=20000, **{"threads": 1, **options})


def state(sim):
    """Where all particles are, and the ids."""
    parts = (sim.vortons.position, sim.vortons.strength, sim.vortons.id)
    tracers = (sim.tracers.position, sim.tracers.density, sim.tracers.id)
    return b"".join(np.ascontiguousarray(part).tobytes() for part in (*parts, *tracers))


def smoke(x=0.0, **values):
    return vt.Tracers(vt.Sphere((x, 0, 0), 0.1), **{"rate": 480, **values})


def test_dragged_emitter_bears_where_it_is():
    source = smoke()
    sim = small(source)
    for n in range(3):
        source = sim.change(source, smoke(float(n)))
        sim.step()
        newborn = sim.tracers.position[sim.tracers.age <= 1 / 24]
        assert 10 < len(newborn) < 30 and abs(newborn[:, 0].mean() - n) < 0.1
    assert sim.scene.sources[1] is source
    sim.remove(source)
    count = sim.tracers.count
    sim.step()
    assert sim.tracers.count == count and len(sim.scene.sources) == 1


def test_same_definition_again_changes_nothing():
    items = [
        smoke(),
        smoke(rate=None, count=40),
        vt.Wind((0.5, 0, 0)),
        vt.Attractor((0, 0, 1), strength=0.2),
        vt.Kill(older_than=0.1),
        vt.Jet((3, 0, 0), radius=0.3, speed=1.0, rate=30.0, sections=16, layers=0),
        vt.Emitter(vt.Sphere((0, 0, -1), 0.2), core=0.1, temperature=400.0, renew=4.0),
    ]
    still, restless = small(*items), small(*items)
    for _ in range(3):
        for item in items:
            restless.change(item, item)
        still.step()
        restless.step()
    assert still.tracers.count > 40
    assert state(still) == state(restless)


@pytest.mark.parametrize("threads", [1, 4])
def test_changes_have_the_same_bits_for_every_number_of_threads_and_in_copies(threads):
    def run(sim, source):
        sim.step()
        source = sim.change(source, smoke(1.0))
        sim.step()
        twin = sim.copy()
        for one in (sim, twin):
            one.remove(source)
            one.add(vt.Wind((0, 1, 0)))
            one.step()
        assert state(sim) == state(twin)
        return state(sim)

    first, second = smoke(), smoke()
    assert run(small(first, threads=threads), first) == run(small(second), second)


def test_removed_wind_is_one_that_ends():
    wind = vt.Wind((1, 0, 0))
    times = vt.Keys([(0, (1.0, 0, 0)), (2 / 24, (0.0, 0, 0))], "constant")
    removed, ended = small(wind, smoke()), small(vt.Wind(times), smoke())
    for sim in (removed, ended):
        sim.step(2)
    assert state(removed) == state(ended)
    removed.remove(wind)
    for sim in (removed, ended):
        sim.step(2)
    assert state(removed) == state(ended)


def test_removed_force_and_kill_leave_what_was_never_there():
    force, kill = vt.Vortex((0, 0, 0), circulation=3.0), vt.Kill(older_than=0.01)
    sim, twin = small(force, kill, smoke()), small(smoke())
    sim.remove(force)
    sim.remove(kill)
    sim.step(2)
    twin.step(2)
    assert state(sim) == state(twin)


def test_removed_body_leaves_no_influence():
    ball = vt.Body(vt.Sphere((1.5, 0, 0), 0.4), panels=40)
    with_it, removed, without = small(ball), small(ball), small()
    removed.remove(ball)
    for sim in (with_it, removed, without):
        sim.step(2)
    assert state(removed) == state(without) != state(with_it)
    assert len(removed.bodies) == 0


def test_body_goes_in_mid_flow_and_the_others_keep_their_places():
    wind = vt.Wind((1, 0, 0))
    bodies = [
        vt.Body(vt.Sphere((x, 0, 0), 0.4), panels=40, name=name)
        for x, name in ((1.0, "a"), (2.5, "b"), (4.0, "c"))
    ]
    sim = small(wind, *bodies)
    sim.step(4)
    shed, strength = sim.vortons.count, np.array(sim.vortons.strength)
    assert shed > 32
    sim.remove(bodies[1])
    assert [body.name for body in sim.bodies] == ["a", "c"]
    assert [body.id for body in sim.bodies] == [0, 2]
    assert sim.bodies["c"].position[0] == 4.0
    assert sim.vortons.count == shed and np.array_equal(sim.vortons.strength, strength)
    distance, _, _ = sim.body_distance("c", [(5.0, 0, 0)])
    assert distance[0] == pytest.approx(0.6)
    # the vortons that grow at panels of "c" still do
    panel = sim.vortons.panel[sim.vortons.panel > 0]
    assert set(panel // 8192) == {0, 2}
    for number in (0, 2):
        count = len(sim._core.panels(id=number)["area"])
        assert (panel[panel // 8192 == number] % 8192 - 1 < count).all()
    twin = sim.copy()
    for one in (sim, twin):
        one.step(3)
        assert np.isfinite(one.vortons.position).all()
    assert state(sim) == state(twin)
    assert sim.health.energy > 0
    sim.add(bodies[1])
    assert [body.id for body in sim.bodies] == [0, 2, 3]


def test_refused_changes_change_nothing():
    source = smoke()
    sim, twin = small(source), small(source)
    ring = sim.scene.sources[0]
    with pytest.raises(ValueError, match="born whole"):
        sim.change(ring, vt.VortexRing(radius=1.0, core=0.2))
    with pytest.raises(TypeError, match="same class"):
        sim.change(source, vt.Wind((1, 0, 0)))
    with pytest.raises(ValueError, match="not in this simulation"):
        sim.remove(smoke())
    with pytest.raises(ValueError, match="fuel"):
        sim.change(source, smoke(fuel=0.5))
    with pytest.raises(ValueError, match="fuel"):
        sim.add(smoke(fuel=0.5))
    with pytest.raises(TypeError, match="same class"):
        sim.change(sim.add(vt.Body(vt.Sphere((9, 0, 0), 0.1))), vt.Body(vt.Sphere()))
    sim.remove(sim.scene.bodies[0])
    sim.step(2)
    twin.step(2)
    assert state(sim) == state(twin) and sim.scene.sources[1] is source
    for what, number in (("source", 9), ("wind", 0), ("body", 5), ("room", 0)):
        with pytest.raises(ValueError, match=r"id is|what is"):
            sim._core.remove_added(what, number)


# ---- progress ----


def test_progress_tells_how_far_a_frame_has_come():
    sim = small()
    sim.fps = 0.5
    seen = []
    sim.step(progress=lambda *values: seen.append(values))
    assert len(seen) > 2
    fractions, times, counts = zip(*seen, strict=True)
    assert list(counts) == list(range(len(seen)))
    assert fractions[0] == 0 and np.all(np.diff(fractions) > 0) and fractions[-1] < 1
    np.testing.assert_allclose(np.divide(times, 2), fractions)


def test_exception_in_progress_ends_the_run_and_is_raised():
    class Enough(Exception):
        pass

    def stop(fraction, time, substeps):
        if substeps == 2:
            raise Enough(time)

    sim = small(smoke())
    sim.fps = 0.25
    with pytest.raises(Enough) as caught:
        sim.step(progress=stop)
    assert sim.time == caught.value.args[0] and 0 < sim.time < 4
    assert sim.frame == 0 and sim._core.step_count == 0
    sim.advance(4.0 - sim.time)
    whole = small(smoke())
    whole.advance(4.0)
    assert sim.time == pytest.approx(4.0) and sim.tracers.count == whole.tracers.count > 400
    with pytest.raises(TypeError, match="callable"):
        sim.step(progress=3)


def test_progress_is_called_in_a_step_of_one_substep_and_may_end_it():
    """At its beginning: then nothing has changed."""

    def stop(fraction, time, substeps):
        raise InterruptedError

    sim, twin = small(smoke()), small(smoke())
    sim.step()
    twin.step()
    assert sim.health.substeps == 1
    seen = []
    sim.step(2, progress=lambda *values: seen.append(values))
    twin.step(2)
    assert seen == [(0.0, pytest.approx(1 / 24), 0), (0.0, pytest.approx(2 / 24), 0)]
    for error, function in ((InterruptedError, stop), (TypeError, lambda fraction: None)):
        with pytest.raises(error):
            sim.step(progress=function)
        assert sim.same_state(twin) and sim.frame == 3
    sim.step()
    twin.step()
    assert sim.same_state(twin)


def test_progress_may_not_use_the_simulation():
    sim = small()
    with pytest.raises(vt.BusyError):
        sim.step(progress=lambda *values: sim.vortons.count)


def test_ctrl_c_is_seen_between_substeps():
    sim = small()
    sim.fps = 0.25
    main = threading.get_ident()

    def interrupt(fraction, time, substeps):
        if substeps:
            signal.pthread_kill(main, signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sim.step(progress=interrupt)
    assert 0 < sim.time < 4 and sim.frame == 0


def test_a_look_after_a_body_was_set_or_pushed_sees_the_flow_around_it():
    """As where it is from the beginning, and as where all is looked at anew; a ring 5 cm away has
    gone as far in its first millisecond as it would have there, but for 3 %."""

    def box(x, z, **options):
        return vt.Body(vt.Box((x - 0.2, -0.2, z - 0.2), (x + 0.2, 0.2, z + 0.2)), panels=80,
                       shedding=0, **options)  # fmt: skip

    points = np.random.default_rng(1).uniform(-0.6, 0.6, (200, 3))
    ring = vt.VortexRing((0, 0, 0.3), radius=0.2, core=0.08, circulation=0.3)
    sims = []
    for body in (box(0, -0.3), box(0.45, 0.3), box(0.45, 0.3, density=100.0)):
        scene = vt.Scene(seed=1, spacing=0.06, gravity=(0, 0, 0))
        scene.add(ring)
        scene.add(body)
        sims.append(vt.Simulation(scene, fps=1000, threads=1))
        sims[-1].step()
    moved, there, free = sims
    before, expected = moved.velocity_at(points), there.velocity_at(points)
    moved.set_body(0, position=(0.45, 0, 0.3))
    found = moved.velocity_at(points)
    assert np.linalg.norm(found - expected) < 0.03 * np.linalg.norm(expected)
    assert np.linalg.norm(before - expected) > 0.15 * np.linalg.norm(expected)
    moved.update_fields()
    assert np.array_equal(found, moved.velocity_at(points))
    before = free.velocity_at(points)
    free.apply_impulse(0, (2.0, 0, 0))
    found = free.velocity_at(points)
    free.update_fields()
    assert np.array_equal(found, free.velocity_at(points)) and (found != before).any()
