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

HERE = Path(__file__).resolve().parent
METHODS = list(everything.METHODS)


@pytest.fixture(scope="module", params=METHODS)
def reference(request):
    """The method, and everything that one thread makes with it."""
    sim = everything.run(request.param, threads=1)
    kept = {name: np.array(array) for name, array in everything.arrays(sim).items()}
    return request.param, sim, kept


@pytest.mark.slow
def test_everything_is_on(reference):
    method, sim, kept = reference
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
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_e1_same_bits_for_any_number_of_threads(reference, threads):
    """One thread stands for a repetition in the same process."""
    method, _, kept = reference
    again = everything.arrays(everything.run(method, threads))
    assert again.keys() == kept.keys()
    for name, array in again.items():
        assert np.array_equal(array, kept[name]), name


def elsewhere(method, threads, steps=None, **environment):
    """What a process of its own makes of it."""
    command = [sys.executable, str(HERE / "everything.py"), method, str(threads)]
    if steps is not None:
        command.append(str(steps))
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=HERE,
        env={**os.environ, "OMP_WAIT_POLICY": "passive", **environment},
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


@pytest.mark.parametrize("method", slow_but(["poisson"], METHODS))
def test_e1_the_first_frames_have_the_same_bits(method):
    """One thread here; three in a process that is held to the lowest instruction set."""
    steps = 1 if method == "room" else FEW
    sim = everything.run(method, threads=1, steps=steps)
    assert sim.vortons.strength.any() and sim.vortons.velocity.any()
    found = elsewhere(method, 3, steps, VORTON_SIMD=targets()[0], VORTON_BACKEND="pthread")
    assert found["simd"] == targets()[0]
    check(method, sim, found)


@pytest.mark.parametrize("method", ["poisson", "tree"])
def test_e1_the_first_frames_have_the_same_bits_from_openmp(method):
    sim = everything.run(method, threads=2, steps=FEW)
    found = elsewhere(method, 3, FEW, VORTON_BACKEND="openmp")
    if found["backend"] != "openmp":
        pytest.skip("this build has no OpenMP")
    check(method, sim, found)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["openmp", "pthread"])
def test_e1_same_bits_from_both_backends(reference, backend):
    method, sim, _ = reference
    found = elsewhere(method, 3, VORTON_BACKEND=backend)
    if backend == "openmp" and found["backend"] != backend:
        pytest.skip("this build has no OpenMP")
    assert found["backend"] == backend
    check(method, sim, found)


@pytest.mark.slow
@pytest.mark.parametrize("simd", ["scalar", "avx2", "avx512"])
def test_e1_same_bits_from_every_instruction_set(reference, simd):
    if simd not in targets():
        pytest.skip(f"this processor has no {simd}")
    method, sim, _ = reference
    found = elsewhere(method, 2, VORTON_SIMD=simd)
    assert found["simd"] == simd
    check(method, sim, found)
