"""Threads and processes: the default backend, idle pools, forks, a library that is closed again."""

import os

import pytest
from hand_made import run_python

import vorton as vt
from vorton import _core


def test_the_pool_of_posix_threads_is_the_default():
    code = "import vorton; print(vorton._core.backend())"
    environment = os.environ.pop("VORTON_BACKEND", None)
    try:
        assert run_python(code).strip() == "pthread"
    finally:
        if environment is not None:
            os.environ["VORTON_BACKEND"] = environment


@pytest.mark.parametrize("value", ["pthread", "openmp", "", "nothing"])
def test_the_environment_chooses_the_backend(value):
    code = f"""
        import os
        os.environ["VORTON_BACKEND"] = {value!r}
        import vorton
        print(vorton._core.backend())
        """
    openmp = value == "openmp" and "-fopenmp" in _core.build()
    assert run_python(code).strip() == ("openmp" if openmp else "pthread")


def test_the_pool_sleeps_when_there_is_nothing_to_do():
    """Half a second without a step costs four threads no more than the looks before they sleep."""
    text = run_python(
        """
        import os, time
        os.environ["VORTON_BACKEND"] = "pthread"
        from hand_made import simulation
        sim = simulation(vortons=3000, tracers=20000, threads=4)
        sim.step(3)
        print(len(os.listdir("/proc/self/task")))
        time.sleep(0.05)
        spent = time.process_time()
        time.sleep(0.5)
        print(time.process_time() - spent)
        """
    )
    threads, spent = text.split()
    assert int(threads) >= 4  # they are there
    assert float(spent) < 0.02


def test_processes_forked_after_a_step_go_on():
    """As multiprocessing does it, three at a time, with the pool of the parent at work."""
    text = run_python(
        """
        import hashlib, multiprocessing, os, threading
        os.environ["VORTON_BACKEND"] = "pthread"
        from hand_made import simulation

        sim = simulation(vortons=3000, tracers=3000, threads=3)
        other = simulation(vortons=3000, tracers=3000, threads=3)
        sim.step()

        def step_on(_):
            twin = sim.copy()
            twin.step(2)
            return hashlib.sha256(twin.tracers.position.tobytes()).hexdigest()

        busy = threading.Thread(target=other.step, args=(30,))
        busy.start()
        with multiprocessing.get_context("fork").Pool(3) as pool:
            found = pool.map_async(step_on, range(6), chunksize=1).get(60)
        busy.join()
        print(set(found) == {step_on(0)})
        """,
        timeout=120,
    )
    assert text.strip() == "True"


def test_the_library_may_be_closed_while_its_threads_sleep():
    """A host that unloads plug-ins does so; the threads of the pool must find their code."""
    text = run_python(
        f"""
        import _ctypes, ctypes, time
        library = ctypes.CDLL({vt.get_library()!r})
        cells = (ctypes.c_int32 * 3)(16, 16, 16)
        field = (ctypes.c_float * (3 * 17**3))()
        for _ in range(3):
            status = library.vt_solve_poisson(cells, ctypes.c_double(1.0), field, 4)
        _ctypes.dlclose(library._handle)
        time.sleep(0.1)
        print(status, "libvorton.so" in open("/proc/self/maps").read())
        """
    )
    assert text.split() == ["0", "True"]


def test_any_number_of_threads_gives_the_same_bits_from_a_busy_pool():
    """Two simulations at a time share one pool: the one that finds it taken runs alone."""
    text = run_python(
        """
        import threading
        from hand_made import simulation, state
        sims = [simulation(vortons=2000, tracers=2000, threads=n) for n in (1, 2, 3, 4)]
        threads = [threading.Thread(target=sim.step, args=(5,)) for sim in sims]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(len({hash(tuple(state(sim)[4])) for sim in sims}))
        """
    )
    assert text.strip() == "1"
