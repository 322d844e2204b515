"""The extension module: threads, signals, leaks, and what it says of itself."""

import inspect
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from hand_made import ROOT, listen_to_ctrl_c, run_python, simulation, state
from marks import slow_but

import vorton as vt
from vorton import _core

# ---- threads and signals ----


def slow_simulation():
    """One whose steps take a while: all pairs of many vortons."""
    return simulation(vortons=12_000, tracers=0, method=vt.Method(velocity="direct"))


def test_second_thread_gets_busy_error():
    sim = slow_simulation()
    stop, failures = threading.Event(), []

    def step_on():
        try:
            while not stop.is_set():
                sim.step()
        except (RuntimeError, ValueError) as error:  # shown below
            failures.append(error)

    thread = threading.Thread(target=step_on)
    thread.start()
    calls = [
        sim.step,
        sim.update_fields,
        lambda: sim.vortons.position,
        lambda: sim.time,
        lambda: sim.health,
        lambda: sim.timings,
        lambda: sim.velocity_at([[0, 0, 0]]),
        lambda: sim.vortons.count,
        lambda: sim.vortons.rows([0]),
        lambda: sim.volume(0.5),
        lambda: sim.tracers.add([[0, 0, 0]], density=1, size=1),
    ]
    seen = set()
    deadline = time.monotonic() + 60
    while len(seen) < len(calls) and time.monotonic() < deadline and thread.is_alive():
        for number, call in enumerate(calls):
            try:
                if number > 0 or number not in seen:
                    call()
            except vt.BusyError as error:
                assert "thread" in str(error)
                seen.add(number)
        repr(sim), repr(sim.vortons), repr(sim.grids)  # these tell instead of raising
        time.sleep(0.002)
    stop.set()
    thread.join()
    assert all(isinstance(error, vt.BusyError) for error in failures)
    assert len(seen) == len(calls)
    sim.step()


def test_simulations_step_side_by_side():
    alone = simulation()
    alone.step(20)
    sims = [simulation() for _ in range(3)]
    threads = [threading.Thread(target=sim.step, args=(20,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for sim in sims:
        assert state(sim) == state(alone)


def test_python_runs_while_c_steps():
    sim = slow_simulation()
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    while counted[0] == 0:
        time.sleep(0.001)
    before, start = counted[0], time.monotonic()
    sim._core.step(1 / 24)  # one call into C
    during, seconds = counted[0] - before, time.monotonic() - start
    stop.set()
    thread.join()
    # With the GIL held nothing could be counted but in the moments before and after.
    assert seconds > 0.05
    assert during > 20 + 100 * seconds


def test_ctrl_c_ends_a_long_run():
    code = """
        import time
        from hand_made import simulation
        sim = simulation()
        print("ready", flush=True)
        try:
            sim._core.step(1 / 24, 10**9)
        except KeyboardInterrupt:
            print("stopped after", sim._core.step_count, "steps", flush=True)
            sim.step()
            print("went on")
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT / "tests",
        preexec_fn=listen_to_ctrl_c,
    )
    assert process.stdout.readline().strip() == "ready"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "stopped after" in output and "went on" in output


# ---- references ----


@pytest.mark.slow
def test_nothing_leaks():
    """Every function, with good and with bad input, over and over: memory stays flat."""
    output = run_python(
        """
        import gc, sys
        import test_bad_input as t
        from pathlib import Path

        def resident():
            return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

        def work():
            for name in t.CALLS:
                sim = t.four()
                function, arguments = t.call_named(sim, name)
                good = {key: value for key, (_, value) in arguments.items()}
                function(**good)
                for key, (kind, _) in arguments.items():
                    for bad in t.BAD[kind][:5]:
                        try:
                            function(**{**good, key: bad})
                        except (TypeError, ValueError):
                            pass
            sim.vortons.position, sim.tracers.velocity, sim.health, sim.timings, sim.grids.velocity
            sim._core.volume(.5).info()

        for _ in range(3):
            work()
        gc.collect()
        blocks, bytes_ = sys.getallocatedblocks(), resident()
        none = sys.getrefcount(None)
        for _ in range(10):
            work()
        gc.collect()
        print(sys.getallocatedblocks() - blocks, resident() - bytes_, sys.getrefcount(None) - none)
    """,
        timeout=300,
    )
    blocks, resident, none = map(int, output.split()[-3:])
    assert blocks < 200 and none < 200  # 10 rounds of some 700 calls
    assert resident < 4 << 20


def test_types_and_modules_are_given_back():
    output = run_python("""
        import gc, importlib.util, sys, weakref
        import vorton._core as first
        reference = weakref.ref(first.Simulation)
        spec = importlib.util.spec_from_file_location("vorton._core", first.__file__)
        second = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(second)
        assert second.Simulation is not first.Simulation
        sim = second.Simulation(max_vortons=10)
        kind = weakref.ref(second.Simulation)
        del second, spec, sim
        gc.collect()
        print("gone" if kind() is None else sys.getrefcount(kind()))
        print(reference() is first.Simulation)
    """)
    assert output.split() == ["gone", "True"]


# ---- what the module says of itself ----


def test_version_and_build():
    assert vt.__version__ == _core.version() == "0.1.0"
    assert _core.simd() in ("scalar", "avx2", "avx512")
    assert _core.backend() in ("openmp", "pthread")
    compiler, flags, sources = _core.build().split(" | ")
    assert compiler and "-O3" in flags and re.fullmatch("[0-9a-f]{16}", sources)
    assert 1 <= _core.available_threads() <= 64
    assert "-ffp-contract=off" in flags


@pytest.mark.parametrize("simd", slow_but(["scalar"], ["scalar", "avx2", "avx512"]))
def test_simd_is_chosen_by_the_environment(simd, monkeypatch):
    from native import targets

    if simd not in targets():
        pytest.skip(f"this processor has no {simd}")
    monkeypatch.setenv("VORTON_SIMD", simd)
    assert run_python("from vorton import _core; print(_core.simd())").strip() == simd


def test_functions_have_signatures_and_documentation():
    for place in (_core, _core.Simulation, _core.Volume):
        for name, thing in vars(place).items():
            if name.startswith("_") or not callable(thing) or isinstance(thing, type):
                continue
            assert inspect.signature(thing) is not None
            assert inspect.getdoc(thing), name


def test_sub_interpreters_are_refused():
    output = (
        run_python("""
        import _xxsubinterpreters as sub, sys
        import vorton
        interpreter = sub.create()
        try:
            sub.run_string(interpreter, "import sys; sys.path[:] = %r\\nimport vorton" % sys.path)
            print("imported")
        except Exception as error:
            print("refused", error)
    """)
        if sys.version_info < (3, 13)
        else "refused"
    )
    assert output.startswith("refused")


def test_sources_that_are_not_built_say_so(tmp_path):
    """Python finds them before the installed package where they lie in its working folder."""
    package = tmp_path / "vorton"
    package.mkdir()
    for name in ("__init__.py", "first_moments.py"):
        (package / name).write_text((ROOT / "vorton" / name).read_text())
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, "-c", "import vorton"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        check=False,
    )
    said = done.stderr.splitlines()[-1]
    assert said.startswith("ModuleNotFoundError: no module vorton._core: ")
    assert str(package) in said and "run it from another folder" in said
