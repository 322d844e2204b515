"""Threads and processes: backends, idle threads, busy machines, forks, a library closed again."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import two_processes
from hand_made import run_python
from marks import slow_but

import vorton as vt
from vorton import _core

HAS_OPENMP = "-fopenmp" in _core.build()
needs_openmp = pytest.mark.skipif(not HAS_OPENMP, reason="this build has no OpenMP")
BACKENDS = [pytest.param("openmp", marks=[needs_openmp, pytest.mark.slow]), "pthread"]


def test_openmp_is_the_default():
    code = "import vorton; print(vorton._core.backend())"
    environment = os.environ.pop("VORTON_BACKEND", None)
    try:
        assert run_python(code).strip() == ("openmp" if HAS_OPENMP else "pthread")
    finally:
        if environment is not None:
            os.environ["VORTON_BACKEND"] = environment


@pytest.mark.parametrize(
    "value", slow_but(["pthread", "nothing"], ["pthread", "openmp", "", "nothing"])
)
def test_the_environment_chooses_the_backend(value):
    code = f"""
        import os
        os.environ["VORTON_BACKEND"] = {value!r}
        import vorton
        print(vorton._core.backend())
        """
    openmp = value != "pthread" and HAS_OPENMP
    assert run_python(code).strip() == ("openmp" if openmp else "pthread")


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_sleep_when_there_is_nothing_to_do(backend):
    """Half a second without a step costs four threads no more than the looks before they sleep."""
    text = run_python(
        f"""
        import os, time
        os.environ["VORTON_BACKEND"] = {backend!r}
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


@pytest.mark.slow
@needs_openmp
@pytest.mark.skipif(vt._core.available_threads() < 2, reason="one processor has no two threads")
def test_two_busy_processes_do_not_collapse(monkeypatch):
    """Threads of OpenMP that spin, as they do by default, would make a thirtieth of the frames that
    the pool makes beside another process; the library sees it and takes to the pool."""
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    together = {"openmp": [], "pthread": []}
    for _ in range(2):
        for backend, speeds in together.items():
            speeds.append(sum(two_processes.speeds(2, backend, seconds=0.7, threads=2)))
    openmp, pool = (np.mean(speeds) for speeds in together.values())
    assert openmp > 0.3 * pool, together


@needs_openmp
def test_calls_from_a_parallel_region_of_the_host(tmp_path):
    """Each on the thread that makes it, and with the same bits as alone."""
    source = tmp_path / "host.c"
    source.write_text(
        r"""
        #include <omp.h>
        #include <stdio.h>
        #include <string.h>
        #include <vorton.h>

        enum { CALLS = 6, MANY = 3000 };
        static double points[3 * MANY], cores[MANY], found[CALLS][3 * MANY], alone[3 * MANY];

        static int judge(double *velocity)
        {
            return vt_direct_sum(0, MANY, points, 50, points, points, cores, velocity, NULL, NULL,
                                 4) != VT_OK;
        }

        int main(void)
        {
            int failed = 0, threads = 0;
            for (int i = 0; i < 3 * MANY; i++)
                points[i] = i % 17 + 0.01 * (i % 101), cores[i / 3] = 0.1;
            failed += judge(alone);
        #pragma omp parallel for num_threads(3) reduction(+ : failed)
            for (int i = 0; i < CALLS; i++) {
                failed += judge(found[i]);
        #pragma omp atomic write
                threads = omp_get_num_threads();
            }
            for (int i = 0; i < CALLS; i++)
                failed += memcmp(found[i], alone, sizeof alone) != 0;
            printf("%d %d %s\n", failed, threads, vt_backend());
            return 0;
        }
        """
    )
    folder = str(Path(vt.get_library()).parent)
    command = ["gcc", "-std=c11", "-fopenmp", "-I", vt.get_include(), str(source), "-L", folder]
    command += [f"-l:{Path(vt.get_library()).name}", "-lm", f"-Wl,-rpath,{folder}"]
    command += ["-o", str(tmp_path / "host")]
    subprocess.run(command, check=True)
    environment = {name: v for name, v in os.environ.items() if name != "VORTON_BACKEND"}
    done = subprocess.run(
        [tmp_path / "host"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.split() == ["0", "3", "openmp"]


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_processes_forked_after_a_step_go_on(backend):
    """As multiprocessing does it, three at a time, with the threads of the parent at work."""
    text = run_python(
        f"""
        import hashlib, multiprocessing, os, threading
        os.environ["VORTON_BACKEND"] = {backend!r}
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
        print(set(found) == {{step_on(0)}})
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
        many, rows, cores = 4000, (ctypes.c_double * 12000)(), (ctypes.c_double * 4000)()
        velocity = (ctypes.c_double * 12000)()
        cores[:] = [0.1] * many
        count = ctypes.c_int64(many)
        for _ in range(3):
            status = library.vt_direct_sum(
                0, count, rows, ctypes.c_int64(1), rows, rows, cores, velocity, None, None, 4
            )
        _ctypes.dlclose(library._handle)
        time.sleep(0.1)
        print(status, "libvorton.so." in open("/proc/self/maps").read())
        """
    )
    assert text.split() == ["0", "True"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_any_number_of_threads_gives_the_same_bits_from_a_busy_pool(backend):
    """Two simulations at a time share one pool: the one that finds it taken runs alone; with OpenMP
    each has a team of its own."""
    text = run_python(
        f"""
        import os, threading
        os.environ["VORTON_BACKEND"] = {backend!r}
        from hand_made import simulation, state
        sims = [simulation(vortons=2000, tracers=2000, threads=n) for n in (1, 2, 3, 4)]
        threads = [threading.Thread(target=sim.step, args=(5,)) for sim in sims]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(len({{hash(tuple(state(sim)[4])) for sim in sims}}))
        """
    )
    assert text.strip() == "1"
