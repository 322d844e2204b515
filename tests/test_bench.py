"""The benchmark prints what it promises; how fast it is is not a matter of tests."""

import json
import subprocess
import sys

FIELDS = """scene threads vortons tracers grid median_ms p10_ms p90_ms stages velocity_error_rms
    peak_rss_mib commit compiler flags cpu simd""".split()


def bench(*arguments):
    command = [sys.executable, "-m", "vorton.bench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


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


def test_table():
    done = bench("ring-1k", "--threads", "1", "--seconds", "0.1")
    assert done.returncode == 0, done.stderr
    assert "ring-1k" in done.stdout and "poisson" in done.stdout


def test_unknown_scene():
    done = bench("ring-2k")
    assert done.returncode == 2
    assert "ring-2k" in done.stderr and "ring-10k" in done.stderr
