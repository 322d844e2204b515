"""The extension module: bad input, errors, threads, signals, leaks, types."""

import copy
import inspect
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hand_made import ring, simulation, state

import vorton as vt
from vorton import _core

ROOT = Path(__file__).resolve().parent.parent
NAN, INF = float("nan"), float("inf")


def run_python(code, timeout=120):
    """Runs the code in a fresh interpreter; its output."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, cwd=ROOT / "tests", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# ---- bad input ----

# What each kind of argument must refuse, with TypeError or ValueError.
BAD = {
    "number": [None, "1", 1j, [1.0], NAN, np.zeros(2), object(), True],
    "finite": [None, "1", 1j, [1.0], NAN, INF, -INF, 10**400, np.zeros(2), True],
    "integer": [None, "1", 1.5, 1j, NAN, [1], 2**70, -(2**70), True],
    "seed": [None, "1", 1.5, -1, 2**64, NAN],
    "vector": [
        None,
        "abc",
        1.0,
        (1, 2),
        (1, 2, 3, 4),
        (1, 2, NAN),
        (1, INF, 3),
        (1j, 0, 0),
        ((1, 2, 3),),
        (1, "2", 3),
        (1, None, 3),
        (True, False, True),
    ],
    "pair": [None, "ab", (1, 2, 3), (1, NAN), NAN, INF, (1j, 2)],
    "choice": [None, 0, "nothing", "", b"error", NAN],
    "flag": [None, 0, 1, "yes", NAN],
    "text": [1, 1.5, b"density", ["a"], "nul\0inside"],
    "rows": [
        None,
        1.0,
        "abc",
        np.zeros(3),
        np.zeros((4, 2)),
        np.zeros((4, 4)),
        np.zeros((4, 3, 1)),
        np.full((4, 3), NAN),
        np.full((4, 3), INF),
        [[1, 2, "3"]] * 4,
        np.zeros((4, 3), complex),
        np.zeros((4, 3), object),
        np.zeros((4, 3), bool),
        [[1, 2, 3], [1, 2]],
        np.zeros((4, 3), "M8[s]"),
        {"a": 1},
    ],
    "values": [
        None,
        "abc",
        1.0,
        np.zeros((4, 1)),
        np.ones(3),
        np.ones(5),
        np.full(4, NAN),
        np.full(4, INF),
        np.ones(4, complex),
        np.ones(4, object),
        np.ones(4, bool),
    ],
    "mask": [
        None,
        "abc",
        1,
        np.zeros(4, int),
        np.zeros(4),
        np.zeros((4, 1), bool),
        np.zeros(3, bool),
        np.zeros(5, bool),
        [0, 1, 0, 1],
    ],
    "ids": [
        None,
        "abc",
        1,
        np.zeros(4),
        np.zeros((4, 1), int),
        [1.5],
        [NAN],
        np.zeros(4, bool),
        np.full(4, 2**63, np.uint64),
    ],
    "set": [None, 0, "particles", b"vortons", ""],
    "column": [None, 0, "nothing", b"position", ""],
    "points": [
        None,
        1.0,
        "abc",
        np.zeros(3),
        np.zeros((4, 2)),
        np.full((4, 3), NAN),
        np.zeros((4, 3), complex),
        np.zeros((4, 3), object),
    ],
    "triple": [None, 1, "abc", (1, 2), (1.5, 2, 3), (1, 2, 2**40), (NAN, 1, 1)],
    "dict": [None, 1, "sphere", [("kind", "sphere")], {"nothing": 1}, {1: 2}],
    "field": [
        None,
        1.0,
        "abc",
        np.zeros((9, 9, 9)),
        np.zeros((9, 9, 9, 2)),
        np.full((9, 9, 9, 3), NAN),
        np.zeros((9, 9, 9, 3), complex),
    ],
    "function": [1, "velocity", [1]],
}


def good_calls(sim):
    """(name, function, {argument: (kind, good value)}): every function and method of _core."""
    core = sim._core
    p, s, c, v = ring(4)
    volume = core.volume(0.1)
    ring_def = {
        "center": ("vector", (0, 0, 1)),
        "axis": ("vector", (0, 0, 1)),
        "radius": ("pair", 0.5),
        "major": ("vector", (1, 0, 0)),
        "circulation": ("finite", 1.0),
        "core": ("finite", 0.1),
        "vorton_core": ("finite", 0.1),
        "wobble": ("finite", 0.0),
        "wobble_seed": ("seed", 0),
        "sections": ("integer", 30),
        "layers": ("integer", 0),
        "time": ("finite", 0.0),
    }
    emitter_def = {
        "shape": ("dict", {"kind": "sphere"}),
        "count": ("integer", 1),
        "rate": ("finite", 0.0),
        "start": ("finite", 0.0),
        "end": ("number", INF),
        "density": ("finite", 1.0),
        "lifetime": ("number", INF),
    }
    shape = {
        "kind": ("choice", "box"),
        "center": ("vector", (0, 0, 0)),
        "axis": ("vector", (0, 0, 1)),
        "radius": ("finite", 1.0),
        "size": ("vector", (1, 1, 1)),
        "vertices": ("points", p),
        "faces": ("triple", [[0, 1, 2]]),
    }
    camera = {
        "width": ("integer", 16),
        "height": ("integer", 16),
        "eye": ("vector", (0, -3, 0)),
        "target": ("vector", (0, 0, 0)),
        "up": ("vector", (0, 0, 1)),
        "field_of_view": ("finite", 35),
        "extinction": ("finite", 1.0),
        "exposure": ("finite", 0.6),
        "albedo": ("vector", (1, 1, 1)),
        "key_direction": ("vector", (0, 0, 1)),
        "key_color": ("vector", (1, 1, 1)),
        "sky_color": ("vector", (1, 1, 1)),
        "ground_color": ("vector", (1, 1, 1)),
        "background": ("vector", ((0, 0, 0), (1, 1, 1))),
        "step": ("finite", 0.8),
        "threads": ("integer", 1),
    }
    create = {
        "max_vortons": ("integer", 10),
        "max_tracers": ("integer", 10),
        "max_nodes": ("integer", 17**3),
        "spacing": ("finite", 0.1),
        "wind": ("vector", (0, 0, 0)),
        "seed": ("seed", 0),
        "threads": ("integer", 1),
        "at_capacity": ("choice", "error"),
        "method": ("dict", {"velocity": "direct"}),
    }
    direct = {
        "targets": ("points", np.zeros((4, 3))),
        "positions": ("rows", p),
        "strengths": ("rows", s),
        "cores": ("values", c),
        "kernel": ("choice", "wl"),
        "threads": ("integer", 1),
    }
    from_tracers = {
        "position": ("rows", p),
        "density": ("values", np.ones(4)),
        "size": ("values", np.ones(4)),
        "voxel_size": ("finite", 0.5),
        "velocity": ("function", None),
        "velocity_margin": ("finite", 1.0),
        "threads": ("integer", 1),
    }
    return [
        ("step", core.step, {"dt": ("finite", 0.0), "count": ("integer", 1)}),
        (
            "add_vortons",
            core.add_vortons,
            {
                "position": ("rows", p),
                "strength": ("rows", s),
                "core": ("values", c),
                "volume": ("values", v),
            },
        ),
        (
            "add_tracers",
            core.add_tracers,
            {"position": ("rows", p), "density": ("values", c), "size": ("values", c)},
        ),
        ("remove", core.remove, {"set": ("set", "vortons"), "mask": ("mask", np.zeros(4, bool))}),
        ("find_rows", core.find_rows, {"set": ("set", "vortons"), "ids": ("ids", [0, 1])}),
        ("column", core.column, {"set": ("set", "tracers"), "name": ("column", "density")}),
        ("grid", core.grid, {"name": ("column", "velocity")}),
        ("velocity_at", core.velocity_at, {"points": ("points", p)}),
        (
            "volume",
            core.volume,
            {
                "voxel_size": ("finite", 0.1),
                "velocity_margin": ("finite", 1.0),
                "threads": ("integer", 1),
            },
        ),
        ("add_ring", core.add_ring, ring_def),
        ("add_emitter", core.add_emitter, emitter_def),
        (
            "density",
            volume.density,
            {"first": ("triple", (0, 0, 0)), "shape": ("triple", (2, 3, 4))},
        ),
        (
            "encode_vdb",
            volume.encode_vdb,
            {
                "density_name": ("text", "density"),
                "velocity_name": ("text", None),
                "half": ("flag", True),
                "compress": ("flag", False),
            },
        ),
        ("render", volume.render, camera),
        ("extinction", volume.extinction, camera),
        ("Simulation", _core.Simulation, create),
        ("shape_volume", _core.shape_volume, shape),
        ("direct_sum", _core.direct_sum, direct),
        (
            "solve_poisson",
            _core.solve_poisson,
            {
                "field": ("field", np.zeros((9, 9, 9, 3))),
                "spacing": ("finite", 0.1),
                "threads": ("integer", 1),
            },
        ),
        ("volume_from_tracers", _core.volume_from_tracers, from_tracers),
    ]


def four():
    """A simulation of four vortons and four tracers whose fields exist."""
    sim = simulation(vortons=4, tracers=4, threads=1)
    sim.update_fields()
    return sim


CALLS = [name for name, _, _ in good_calls(four())]


def call_named(sim, name):
    return next((f, a) for n, f, a in good_calls(sim) if n == name)


@pytest.mark.parametrize("name", CALLS)
def test_good_input_is_taken(name):
    function, arguments = call_named(four(), name)
    function(**{key: value for key, (_, value) in arguments.items()})


@pytest.mark.parametrize("name", CALLS)
def test_bad_input_is_refused_and_changes_nothing(name):
    sim = four()
    before = state(sim)
    function, arguments = call_named(sim, name)
    good = {key: value for key, (_, value) in arguments.items()}
    for key, (kind, _) in arguments.items():
        for bad in BAD[kind]:
            with pytest.raises((TypeError, ValueError)) as error:
                function(**{**good, key: bad})
                pytest.fail(f"{name}({key}={bad!r}) was taken")
            words = str(error.value)
            assert key in words or "argument" in words or name in words or kind == "dict", words
    assert state(sim) == before


@pytest.mark.parametrize("name", CALLS)
def test_unknown_arguments_are_refused(name):
    function, arguments = call_named(four(), name)
    good = {key: value for key, (_, value) in arguments.items()}
    with pytest.raises(TypeError, match="nothing_like_it|takes at most"):
        function(**good, nothing_like_it=1)
    with pytest.raises(TypeError):
        function(*[None] * 30)


def test_every_function_is_called_here():
    public = {n for n in dir(_core) if not n.startswith("_") and callable(getattr(_core, n))}
    for kind in (_core.Simulation, _core.Volume):
        public |= {n for n in vars(kind) if not n.startswith("_")}
    without_arguments = {
        "version",
        "simd",
        "backend",
        "available_threads",
        "build",
        "has_compression",
        "info",
        "health",
        "timings",
        "time",
        "step_count",
        "update_fields",
    }
    one_argument = {"count", "capacity"}
    types = {"BusyError", "CapacityError", "Volume"}
    assert public - without_arguments - one_argument - types == set(CALLS)


@pytest.mark.parametrize("name", ["count", "capacity"])
def test_names_of_sets(name):
    function = getattr(four()._core, name)
    assert function("vortons") >= 4
    for bad in BAD["set"]:
        with pytest.raises((TypeError, ValueError), match="vortons"):
            function(bad)


def test_volume_cannot_be_made_by_hand():
    with pytest.raises(TypeError):
        _core.Volume()


def test_numbers_of_other_types_are_taken():
    sim = vt.Simulation()
    position, strength, core, _volume = ring(4)
    for cast in (np.float16, np.float64, np.longdouble, list, np.asfortranarray):
        convert = (
            cast
            if callable(cast) and not isinstance(cast, type)
            else ((lambda x: x.tolist()) if cast is list else (lambda x, t=cast: x.astype(t)))
        )
        sim.vortons.add(
            convert(position), convert(strength), core=convert(core), volume=np.full(4, 1e-3)
        )
    sim.vortons.add(np.zeros((2, 3), int), np.zeros((2, 3), np.uint8), core=1, volume=np.int64(2))
    assert sim.vortons.count == 22
    assert np.allclose(sim.vortons.position[8:20:4], position[0])
    sim.vortons.add(position[::-2], strength[::-2], core=0.1, volume=0.1)
    assert np.array_equal(sim.vortons.position[22:], position[::-2].astype(np.float32))


def test_message_names_argument_value_and_range():
    sim = four()
    with pytest.raises(ValueError, match=r"position must have shape \(n, 3\), got \(4, 2\)"):
        sim.vortons.add(np.zeros((4, 2)), np.zeros((4, 2)), core=1, volume=1)
    with pytest.raises(ValueError, match=r"strength must have shape \(4, 3\), got \(5, 3\)"):
        sim.vortons.add(np.zeros((4, 3)), np.zeros((5, 3)), core=1, volume=1)
    with pytest.raises(TypeError, match="position must hold real numbers, got dtype complex128"):
        sim.vortons.add(np.zeros((4, 3), complex), np.zeros((4, 3)), core=1, volume=1)
    with pytest.raises(ValueError, match="points must be finite, got nan at flat index 5"):
        sim.velocity_at([[0, 0, 0], [0, 0, NAN]])
    with pytest.raises(ValueError, match="position must be finite in float32, got 1e\\+39"):
        sim.vortons.add([[0, 0, 1e39]], [[0, 0, 0]], core=1, volume=1)
    with pytest.raises(ValueError, match="core.*-1"):
        sim.vortons.add(np.zeros((1, 3)), np.zeros((1, 3)), core=-1, volume=1)
    with pytest.raises(ValueError, match=r"threads.*65.*64"):
        vt.Simulation(threads=65)
    with pytest.raises(ValueError, match="dt.*-1"):
        sim.advance(-1)
    with pytest.raises(ValueError, match="one of: vortons tracers; got 'x'"):
        sim._core.count("x")


# ---- errors of the library ----


@pytest.mark.parametrize("column", ["vortons.position", "vortons.strength", "tracers.position"])
@pytest.mark.parametrize("value", [NAN, INF])
def test_nan_written_into_a_view(column, value):
    sim = simulation()
    sim.step()
    set_name, name = column.split(".")
    view = getattr(getattr(sim, set_name), name)
    old = view[7, 1]
    view[7, 1] = value
    before = state(sim)
    with pytest.raises(ValueError, match=rf"{set_name}.{name}.*row 7"):
        sim.step()
    assert state(sim) == before
    view[7, 1] = old
    sim.step()
    assert sim.frame == 2


def test_dt():
    sim = simulation()
    before = state(sim)
    sim.advance(0)
    assert state(sim) == before
    for bad in (-1.0, NAN, INF, None, "1"):
        with pytest.raises((ValueError, TypeError), match="dt"):
            sim.advance(bad)
    assert state(sim) == before


def test_exceptions_have_their_place():
    assert issubclass(vt.BusyError, RuntimeError) and issubclass(vt.CapacityError, RuntimeError)
    assert vt.BusyError.__module__ == "vorton" and vt.CapacityError.__module__ == "vorton"


def test_no_memory():
    with pytest.raises((MemoryError, ValueError)):
        # 256 simulations of the largest size do not fit into any address space.
        [
            _core.Simulation(max_vortons=2**30, max_tracers=2**31 - 1, max_nodes=2**30)
            for _ in range(256)
        ]


def test_core_objects_cannot_be_copied():
    sim = four()
    for thing in (sim._core, sim._core.volume(0.1)):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                way(thing)


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
    )
    assert process.stdout.readline().strip() == "ready"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "stopped after" in output and "went on" in output


# ---- references ----


def test_nothing_leaks():
    """Every function, with good and with bad input, over and over: memory stays flat."""
    output = run_python(
        """
        import gc, sys
        import test_binding as t
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
        import gc, importlib, sys, weakref
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
    compiler, flags = _core.build().split(" | ")
    assert compiler and "-O3" in flags
    assert 1 <= _core.available_threads() <= 64
    assert "-ffp-contract=off" in flags


@pytest.mark.parametrize("simd", ["scalar", "avx2", "avx512"])
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


def test_stub_matches_the_module(tmp_path):
    pytest.importorskip("mypy")
    # Only the stub is on trial here, not the Python files of the package.
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\n[mypy-vorton.*]\nignore_errors = True\n")
    command = [sys.executable, "-m", "mypy.stubtest", "vorton._core", "--mypy-config-file", config]
    environment = dict(os.environ)
    package = Path(vt.__file__).parent
    if package.parent.name != "site-packages":  # where mypy looks by itself
        environment["MYPYPATH"] = str(package.parent)
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


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
