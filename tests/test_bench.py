"""The benchmark prints what it promises; how fast it is is not a matter of tests."""

import contextlib
import dataclasses
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import vorton as vt
from vorton import _core
from vorton.archive.scene_files import load_scene
from vorton.bench import command as vorton_bench
from vorton.bench import runs as bench_runs
from vorton.bench import scenes as bench_scenes

ROOT = Path(__file__).resolve().parents[1]

FIELDS = """scene threads vortons tracers grid median_ms p10_ms p90_ms cpu_ms stages
    velocity_error_rms peak_rss_mib commit compiler flags cpu simd""".split()


def bench(*arguments):
    """The command in this process; each scene is measured in one of its own all the same."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = vorton_bench.main(list(arguments))
        except SystemExit as end:
            code = end.code
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())


@pytest.mark.slow
def test_json_record():
    done = bench("ring-1k", "--threads", "1", "--seconds", "0.1", "--json")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    record = json.loads(line)
    assert set(FIELDS) <= set(record)
    assert record["scene"] == "ring-1k"
    assert record["vortons"] == 1_200 and record["tracers"] == 50_000
    assert record["grid"] == [17, 17, 17] and record["substeps"] == 1
    assert 0 < record["p10_ms"] <= record["median_ms"] <= record["p90_ms"]
    assert {"deposit", "boundary", "poisson", "tracers"} <= set(record["stages"])
    assert record["velocity_error_rms"] < 0.02


@pytest.mark.slow
def test_table():
    done = bench("ring-1k", "--threads", "1", "--seconds", "0.1")
    assert done.returncode == 0, done.stderr
    assert "ring-1k" in done.stdout and "poisson" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


@pytest.mark.slow
def test_parts_of_a_solve():
    done = bench("ring-1k", "--threads", "1", "--seconds", "0.1", "--solve")
    assert done.returncode == 0, done.stderr
    rows = [line.rsplit(None, 1) for line in done.stdout.strip().splitlines()]
    times = {name.strip(): float(ms) for name, ms in rows[3:]}
    assert {"sort", "filter and Poisson", "curl", "tracers, per frame"} <= set(times)
    assert times.pop("diffusion, per frame") <= 0.001 >= times.pop("panels")  # and rounded
    assert all(ms > 0 for ms in times.values())
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert bench("--solve", "--compare").returncode == 2


@pytest.mark.slow
def test_threads_beside_one():
    done = bench("--scaling", "ring-1k", "--threads", "2", "--seconds", "0.05", "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["threads"] == 2 and record["rounds"] >= 2
    assert 0 < record["ratio_p10"] <= record["ratio"] <= record["ratio_p90"]
    table = bench("--scaling", "ring-1k", "--threads", "2", "--seconds", "0.05")
    assert table.stdout.splitlines()[1].startswith("ring-1k ")
    refused = bench("--scaling", "campfire")
    assert refused.returncode == 2 and "campfire" in refused.stderr


def test_help_names_every_option_and_scene():
    done = bench("--help")
    assert done.returncode == 0, done.stderr
    options = "--compare --solve --scaling --threads --seconds --json --markdown".split()
    stages = (row["name"] for row in _core.TIMED_STAGES)
    for word in (*options, *bench_scenes.SCENES, *stages):
        assert word in done.stdout.replace("\n", " "), word
    assert "side by side" in done.stdout and "idle machine" in done.stdout
    assert all(len(line) <= 90 for line in done.stdout.splitlines())


def test_unknown_scene():
    done = bench("ring-2k")
    assert done.returncode == 2
    assert "ring-2k" in done.stderr and "ring-10k" in done.stderr


@pytest.mark.parametrize("threads", ["0", "65"])
def test_threads_out_of_range(threads):
    done = bench("ring-1k", "--threads", threads)
    assert done.returncode == 2
    assert threads in done.stderr and "1 to 64" in done.stderr


# ---- the probe of the machine ----


@pytest.mark.parametrize("threads", [1, 2])
def test_the_probe_has_times_and_what_they_mean(threads):
    probe = _core.probe_machine(threads)
    assert set(probe) == {"loop_us", "triad_ms", "triad_gb_per_s"}
    assert all(value > 0 for value in probe.values())
    moved = probe["triad_gb_per_s"] * probe["triad_ms"]  # MB: three arrays of 8 Mi float32
    assert moved == pytest.approx(1e-6 * 3 * 4 * 2**23)
    with pytest.raises(ValueError, match=r"threads is 65; allowed is 0 \(all\) to 64"):
        _core.probe_machine(65)


RECORD = {
    "scene": "ring", "threads": 2, "vortons": 46_120, "tracers": 75_400, "grid": [55, 49, 81],
    "median_ms": 43.0, "mean_ms": 50.0, "p10_ms": 20.0, "p90_ms": 97.0, "cpu_ms": 130.0,
    "velocity_error_rms": None, "stages": {"step": 43.0}, "substeps": 2.0, "cpu": "a processor",
    "simd": "avx2", "compiler": "gcc 12", "beyond_interpreter_mib": 5,
    "probe": {"loop_us": 1.5, "triad_ms": 4.0, "triad_gb_per_s": 25.165824},
}  # fmt: skip


def test_tables_tell_frames_in_triads():
    """Those of people by the fastest probe of all scenes, each frame by that of its own."""
    slower = {**RECORD, "probe": {"loop_us": 9.0, "triad_ms": 8.0, "triad_gb_per_s": 12.582912}}
    bake = {**RECORD, "scene": "bake", "bytes": 6e6, "parts": {"write": 1.0}}
    del bake["stages"]
    assert vorton_bench.probe_lines([slower, RECORD]) == (
        "probe of the machine: loop 1.5 us, triad 25.2 GB/s (4 ms)"
    )
    lines = vorton_bench.scene_table([RECORD, slower]).splitlines()
    assert next(line.split() for line in lines if "triads" in line) == ["triads", "10.75", "5.38"]
    *tables, told = vorton_bench.markdown_tables([RECORD, bake, slower]).splitlines()
    assert [line for line in tables if "`" in line] == [
        "| `bake` | 75 000 | 6 | 50 | 20 / 97 | 130 | 12.5 |",
        "| `ring` | 46 000 + 75 000 | 55 x 49 x 81 | 43 | 10.75 | - |",
        "| `ring` | 46 000 + 75 000 | 55 x 49 x 81 | 43 | 5.38 | - |",
    ]
    rows = [line.count("|") for line in tables if line]
    assert rows == [8] * 3 + [7] * 4
    assert told.startswith("a processor, avx2, gcc 12, 2 threads. Probe of the machine: loop 1.5 ")
    assert bench("ring-1k", "--markdown", "--json").returncode == 2


# ---- methods side by side ----


@pytest.fixture
def tiny(monkeypatch):
    """A scene that takes no time, run in this process."""
    scene = bench_scenes.BenchScene("tiny", 300, 400, 17, bench_scenes._ball, bench_scenes.BALL)
    monkeypatch.setitem(vorton_bench.SCENES, "tiny", scene)
    monkeypatch.setattr(vorton_bench, "_run_apart", vorton_bench.run)


@pytest.mark.slow
def test_full_scene_does_all_that_fluids_do(monkeypatch):
    scene = dataclasses.replace(
        bench_scenes.SCENES["ring-1k-full"], name="tiny", tracers=400, method={"diffusion": "pse"}
    )
    monkeypatch.setitem(vorton_bench.SCENES, "tiny", scene)
    record = vorton_bench.run("tiny", 1, 0.01)
    assert {"population", "scalars", "diffuse", "exchange", "tracers"} <= set(record["stages"])
    assert record["vortons"] == pytest.approx(1200, rel=0.15)  # neutral ones among them
    assert record["substeps"] == 1 and record["velocity_error_rms"] < 0.05
    simulation = bench_runs.build(scene, 1)
    simulation.step(0.01)
    v, t = (simulation.column(particles, "position") for particles in ("vortons", "tracers"))
    assert np.ptp(v, axis=0) == pytest.approx(np.ptp(t, axis=0), rel=0.2)
    inner = np.linalg.norm(t, axis=1) < 0.4 * np.abs(t).max()
    for name in ("temperature", "fuel", "flame", "smoke"):
        found = simulation.column("tracers", name)[inner]
        assert np.corrcoef(found, t[inner, 2])[0, 1] > 0.5


@pytest.mark.slow
def test_scenes_with_bodies_have_contacts_and_panels(monkeypatch, capsys):
    monkeypatch.setattr(vorton_bench, "_run_apart", vorton_bench.run)
    scenes = {
        "many": dataclasses.replace(bench_scenes.SCENES["bodies-200"], vortons=300, tracers=20_000),
        "panels": dataclasses.replace(
            bench_scenes.SCENES["ring-panels"], vortons=300, tracers=400, nodes=33
        ),
    }
    assert len(scenes["many"].bodies) == 200
    for name, scene in scenes.items():
        scene = dataclasses.replace(scene, name=name)
        monkeypatch.setitem(vorton_bench.SCENES, name, scene)
    assert vorton_bench.run("many", 1, 0.01)["contacts"] > 20
    assert vorton_bench.main(["--solve", "panels", "--threads", "1", "--seconds", "0.01"]) == 0
    rows = [line.rsplit(None, 1) for line in capsys.readouterr().out.strip().splitlines()]
    assert {name.strip(): ms for name, ms in rows}["panels"] != "0.000"


@pytest.mark.slow
def test_a_room_is_a_film_with_as_many_particles_as_it_says(capsys):
    assert vorton_bench.main(["room", "--threads", "1", "--seconds", "0.2", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    scene = bench_scenes.SCENES["room"]
    assert record["vortons"] == pytest.approx(scene.vortons, rel=0.2)
    assert record["tracers"] == pytest.approx(scene.tracers, rel=0.05)
    assert {"emit", "population", "scalars", "expand", "remove", "stir"} <= set(record["stages"])
    assert 1 <= record["substeps"] <= 4 and record["frames"] >= 2
    assert 0 < record["cpu_ms"] <= 1.05 * record["mean_ms"]  # one thread, and a coarser clock
    parts = sum(ms for stage, ms in record["stages"].items() if stage != "step")
    assert parts == pytest.approx(record["stages"]["step"], rel=0.1)
    assert record["velocity_error_rms"] is None
    lines = vorton_bench.scene_table([record]).splitlines()
    assert all(len(line) <= 80 for line in lines)
    rows = {words[0]: words for line in lines if len(words := line.split()) >= 3}
    vortons, tracers = record["vortons"], record["tracers"]
    counts = {"exchange": vortons, "expand": vortons, "tracers": tracers}
    for stage, count in counts.items():  # what each takes a particle and frame
        each = 1e6 * record["stages"][stage] / count
        assert float(rows[stage][-1]) == pytest.approx(each, abs=0.06)


def scene_of_readme():
    """The fire that README shows."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    block = next(block for block in blocks if "Combustion" in block)
    names = {}
    exec(block[: block.index("vt.bake(")], names)
    return names["scene"]


@pytest.mark.parametrize("name", ["campfire", "plume", "candle", "explosion"])
def test_scenes_that_users_run_are_those_of_the_readme_and_the_examples(name):
    example = ROOT / "examples" / f"{name}.py"
    shown = scene_of_readme() if name == "campfire" else load_scene(example)
    assert bench_scenes.SCENES[name].make().to_dict() == shown.to_dict()
    baked = bench_scenes.SCENES.get(f"bake-{name}")
    assert baked is None or baked.make().to_dict() == shown.to_dict()


def test_scenes_have_their_method_and_their_mesh():
    assert bench_runs.method_of(bench_scenes.SCENES["candle"]).merge == 3
    faces = bench_scenes.SCENES["mesh"].make().bodies[0].shape.faces
    assert 4500 < len(faces) < 5500


def compare(capsys, *arguments):
    assert vorton_bench.main(["--compare", "tiny", "--seconds", "0.01", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.slow
def test_compare_runs_every_choice_of_the_solvers(tiny, capsys):
    records = [
        json.loads(line) for line in compare(capsys, "--threads", "1", "--json").split("\n")[:-1]
    ]
    found = {record["choice"]: record for record in records}
    rows = _core.DEFINITIONS["method"]
    expected = {
        f"{name} {choice}": vt.Method(**{name: choice})
        for name in ("velocity", "boundary", "poisson")
        if name in rows
        for choice in rows[name]["choices"]
        if choice != rows[name]["default"]
    }
    expected |= {"default": vt.Method(), "article": vt.Method.article()}
    assert {name: record["method"] for name, record in found.items()} == {
        name: method.to_dict() for name, method in expected.items()
    }
    assert all(set(FIELDS) <= set(record) for record in records)
    default = found["default"]["velocity_error_rms"]
    assert found["velocity direct"]["velocity_error_rms"] < 1e-5 < default < 0.2
    assert default < found["poisson multigrid"]["velocity_error_rms"] < 0.03  # of second order
    # each against its own cores: points of .66 spacings are not those of 1.5
    cores = {name: record["effective_core"] for name, record in found.items()}
    assert cores["default"] == pytest.approx(0.015)
    assert cores["velocity direct"] == pytest.approx(0.015)
    assert cores["article"] / found["article"]["spacing"] == pytest.approx(np.sqrt(0.44))
    assert 0.5 * default < found["article"]["velocity_error_rms"] < 0.3
    residual = [found[name]["poisson_residual"] for name in
                ("default", "poisson multigrid", "poisson nested")]  # fmt: skip
    assert 0 < residual[0] < 0.1 * residual[1] < 0.01 * residual[2]


@pytest.mark.slow
def test_compare_prints_a_table(tiny, capsys, monkeypatch):
    monkeypatch.setattr(vorton_bench, "MOST_PAIRS", 1.0)
    lines = compare(capsys, "--threads", "1").splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert "300 vortons" in lines[0] and "17x17x17" in lines[0]
    assert {"ms", "error", "residual", "MiB"} <= set(lines[1].split())
    shown = {line[:24].strip(): line[24:].split() for line in lines[2:] if line}
    assert {"default", "velocity direct", "poisson multigrid", "poisson nested", "article"} <= set(
        shown
    )
    assert "pairs" in shown.pop("velocity direct")
    assert all(len(numbers) == 6 and float(numbers[0]) > 0 for numbers in shown.values())


@pytest.mark.slow
def test_a_method_reaches_its_own_process():
    method = vt.Method(poisson="nested", steps=2)
    record = vorton_bench._run_apart("ring-1k", 1, 0.01, method)
    assert record["method"] == method.to_dict()
    assert record["poisson_residual"] > 0.05


# ---- bakes ----


def cloud():
    scene = vt.Scene("cloud", seed=1, max_tracers=2000)
    scene.add(vt.VortexRing(core=0.2, sections=48, layers=1))
    scene.add(vt.Tracers(vt.Torus(thickness=0.2), count=2000))
    return scene


def measured(scene, monkeypatch, capsys):
    """The record of a scene, which is the benchmark `small` from here on."""
    monkeypatch.setitem(vorton_bench.SCENES, "small", scene)
    monkeypatch.setattr(vorton_bench, "_run_apart", vorton_bench.run)
    assert vorton_bench.main(["small", "--threads", "1", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_a_bake_is_taken_apart(monkeypatch, capsys):
    scene = bench_scenes.BakeScene("small", cloud, voxel=0.1, settled=3, frames=4)
    record = measured(scene, monkeypatch, capsys)
    assert record["tracers"] == 2000 and record["frames"] == 4 and record["threads"] == 1
    assert record["bytes"] > 2000 * 24 and record["active_voxels"] > 1000
    assert 20 < record["across"] < 32
    assert set(record["parts"]) == {
        "simulation", "state", "rasterise", "tracers", "encode", "hash", "archive", "write"
    }  # fmt: skip
    assert all(ms > 0 for ms in record["parts"].values())
    saved = record["parts"]["state"] + record["parts"]["archive"]
    assert record["archive_share"] == pytest.approx(saved / record["mean_ms"])
    assert 0 < record["archive_cpu_share"] < 1
    assert vorton_bench.main(["small", "ring-1k", "--seconds", "0.01"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[-2].startswith("archive share ") and lines[-2].endswith("%")
    assert lines[-1].startswith("- of the CPU ") and lines[-1].endswith("%")
    assert {"ring-1k", "small", "rasterise"} <= {line.split()[0] for line in lines if line}
    for mode in ("--solve", "--compare", "--scaling"):
        with pytest.raises(SystemExit):
            vorton_bench.main([mode, "small"])
        assert "small: is a bake" in capsys.readouterr().err


@pytest.mark.slow
def test_a_bake_is_derived_by_one_process_and_by_two(monkeypatch, capsys):
    scene = bench_scenes.DeriveScene("small", cloud, voxel=0.1, settled=1, frames=3)
    record = measured(scene, monkeypatch, capsys)
    assert record["tracers"] == 2000 and record["frames"] == 3 and 20 < record["across"] < 32
    assert record["jobs_ms"].keys() == {"1", "2"} and min(record["jobs_ms"].values()) > 0
    assert record["bytes"] > 1000
    assert vorton_bench.main(["small"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[-1].split()[0] == "small" and len(lines[-1].split()) == 8
    with pytest.raises(SystemExit):
        vorton_bench.main(["--solve", "small"])


# ---- the articles' scenes ----


@pytest.mark.slow
def test_the_articles_figures_stand_beside_ours():
    done = bench("part13", "part20", "--threads", "2", "--seconds", "0.05", "--json")
    assert done.returncode == 0, done.stderr
    part13, part20 = (json.loads(line) for line in done.stdout.splitlines())
    assert (part13["vortons"], part13["tracers"]) == (981, 49_000)
    assert part13["article"]["stages"]["step"]["ms"] == pytest.approx(2.52 - 1.606)
    assert part20["article"]["threads"] == 2 and "3770K" in part20["article"]["machine"]
    figures = {stage: row["ms"] for stage, row in part20["article"]["stages"].items()}
    assert figures == pytest.approx({"boundary": 1.36, "poisson": 0.148 + 0.0205, "step": 5.11})
    for record in (part13, part20):
        assert record["article"]["stages"].keys() <= record["stages"].keys()
    shown = vorton_bench.article_table(part20).splitlines()
    assert ["boundary", "1.360"] == [shown[3].split()[i] for i in (0, 2)]
    assert all(len(line) <= 80 for line in shown)


@pytest.mark.parametrize("threads, used", [(1, 1), (3, 3), (5, 4), (64, 8)])
def test_the_article_with_the_nearest_number_of_threads(threads, used):
    assert bench_scenes.ARTICLES["part20"].nearest(threads)[0] == used
