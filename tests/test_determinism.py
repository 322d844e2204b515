"""Same bits (VALIDATION E1): threads, backends, instruction sets, again in the same process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import everything
import numpy as np
import pytest
from hand_made import is_neutral
from marks import slow_but
from native import targets

import vorton as vt

HERE = Path(__file__).resolve().parent
METHODS = list(everything.METHODS)


def last(method):
    """How many of the last frames the slowest instruction set takes, from a state."""
    return 2 if method == "room" else 6


@pytest.fixture(scope="module", params=METHODS)
def reference(request, tmp_path_factory):
    """The method, everything that one thread makes with it, and a file with the state before the
    last frames."""
    sim = everything.run(request.param, 1, everything.frames(request.param) - last(request.param))
    state = tmp_path_factory.mktemp("state") / request.param
    state.write_bytes(vt._core.pack_state(sim._core.save_state(1)))
    sim.step(last(request.param))
    kept = {name: np.array(array) for name, array in everything.arrays(sim).items()}
    return request.param, sim, kept, state


@pytest.mark.slow
def test_everything_is_on(reference):
    method, sim, kept, _ = reference
    assert sim.frame == everything.frames(method)
    assert sim.health["substeps"] > 1 if method != "direct" else sim.vortons.count > 300
    if method == "viscous":  # neutral vortons, halves, sums and some that have gone
        neutral = is_neutral(sim.vortons.flags)
        assert 100 < (~neutral).sum() and neutral.sum() > 1000
        assert (sim.vortons.birth_strength > 0).sum() > 100
        assert sim.vortons.id.max() > 1.01 * sim.vortons.count
    elif method == "fire":  # it burns, swells, warms what is around and has gone in part
        v = sim.vortons
        assert v.temperature.max() > 930 and v.fuel.max() > 0.1 and v.flame.max() > 0.01
        assert np.abs(v.swelling).max() > 0 and is_neutral(v.flags).sum() > 1000
        assert abs(sim.bodies[1].heat_given) > 0 and sim.health.heat_released > 0
    elif method == "room":  # walls push, a free ball sheds and meets them, a plate warms the air
        room, ball, plate = sim.bodies
        assert len(sim._core.panels(0)["area"]) > 200 and np.abs(sim.health.outer_impulse).max() > 0
        assert ball.free and np.abs(ball.shed_strength).max() > 0
        assert plate.heat_given > 0 and sim.vortons.density.max() > 0.1
    else:
        # two rings, one of them born inside a step, beside what bodies have shed
        ages = np.unique(np.round(sim.vortons.age, 4)) * everything.FPS
        assert len(ages) > 1 and (np.abs(ages % 1 - 0.3) < 0.01).any()
    assert sim.tracers.count < sim.tracers.id.max() + 1  # some have been removed
    numbers = [name for name, array in kept.items() if array.dtype == np.float32]
    numbers.remove("tracers.lifetime")  # endless for some
    numbers.remove("vortons.lifetime")  # and for all of these
    assert all(np.isfinite(kept[name]).all() for name in numbers)
    assert len(np.unique(kept["tracers.velocity"], axis=0)) > 0.9 * sim.tracers.count


@pytest.mark.slow
def test_e1_same_bits_again_in_the_same_process(reference):
    """By two threads."""
    method, _, kept, _ = reference
    again = everything.arrays(everything.run(method, threads=2))
    assert again.keys() == kept.keys()
    for name, array in again.items():
        assert np.array_equal(array, kept[name]), name


def elsewhere(method, threads, steps, *state, **environment):
    """What a process of its own makes of it."""
    numbers = [str(threads), str(steps)]
    done = subprocess.run(
        [sys.executable, str(HERE / "everything.py"), method, *numbers, *state],
        capture_output=True,
        text=True,
        cwd=HERE,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(method, sim, found):
    expected = everything.digests(sim)
    differing = [name for name in expected if found["digests"].get(name) != expected[name]]
    assert not differing, (
        f"{method}, {found['simd']}, {found['backend']}: {found['digests']['vortons']} vortons, "
        f"{found['digests']['tracers']} tracers, sha256 {found['digests']['all']}; here "
        f"{expected['vortons']} vortons, {expected['tracers']} tracers, sha256 {expected['all']}; "
        f"different: {', '.join(differing)}"
    )


# The whole way is slow.
FEW = 3


@pytest.mark.parametrize("method", slow_but(["fire"], METHODS))
def test_e1_the_first_frames_have_the_same_bits(method):
    """One thread here; three in a process that is held to the lowest instruction set."""
    steps = 1 if method == "room" else FEW
    sim = everything.run(method, threads=1, steps=steps)
    assert sim.vortons.strength.any() and sim.vortons.velocity.any()
    found = elsewhere(method, 3, steps, VORTON_SIMD=targets()[0], VORTON_BACKEND="pthread")
    assert found["simd"] == targets()[0]
    check(method, sim, found)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["poisson", "tree"])
def test_e1_the_first_frames_have_the_same_bits_from_openmp(method):
    sim = everything.run(method, threads=2, steps=FEW)
    found = elsewhere(method, 3, FEW, VORTON_BACKEND="openmp")
    if found["backend"] != "openmp":
        pytest.skip("this build has no OpenMP")
    check(method, sim, found)


# Every backend, instruction set and number of threads is in one of them. The slowest comes in for
# the last frames, when all is in motion; the first are above.
VARIANTS = [("pthread", "avx512", 3), ("openmp", "avx2", 8), ("pthread", "scalar", 2)]


@pytest.mark.slow
@pytest.mark.parametrize("backend, simd, threads", VARIANTS)
def test_e1_same_bits_from_every_build_and_processor(reference, backend, simd, threads):
    method, sim, _, state = reference
    if simd not in targets():
        pytest.skip(f"this processor has no {simd}")
    way = [last(method), state] if simd == targets()[0] else [everything.frames(method)]
    found = elsewhere(method, threads, *way, VORTON_BACKEND=backend, VORTON_SIMD=simd)
    assert found["simd"] == simd
    check(method, sim, found)
    if backend == "openmp" and found["backend"] != backend:
        pytest.skip("this build has no OpenMP")
    assert found["backend"] == backend
