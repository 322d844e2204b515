"""Calls to the system that fail: allocations, new threads, all that writes (tests/faults).

Here a part of them. `python tests/test_faults.py [-t THREADS] [WORD ...]` tries every allocation of
every call, `python tests/test_faults.py disk [JOB ...]` every call that writes, of bake, derive,
retime, save, branch, copy, move, gather, rewind and prune: minutes.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from marks import slow_but
from test_c_library import COMPILER, FOLDER, WARNINGS, needs_compiler, sanitizer_flags

import vorton as vt

SOURCES = Path(__file__).parent / "faults"


def build(folder):
    """The program in which every allocation can be made to fail, linked with the library. What
    comes between the two has no checks of a sanitizer, which calls it before it is ready."""
    program, between = folder / "allocations", folder / "interpose.o"
    compiler = [COMPILER, *WARNINGS, "-Wno-unused-function", "-g", "-I", vt.get_include()]
    subprocess.run([*compiler, "-c", SOURCES / "interpose.c", "-o", between], check=True)
    sources = [SOURCES / "allocations.c", SOURCES / "cases.c", between]
    libraries = [vt.get_library(), f"-Wl,-rpath,{FOLDER}", "-ldl", "-pthread"]
    command = [*compiler, *sanitizer_flags(), *sources, "-o", program, *libraries]
    subprocess.run(command, check=True)
    return program


@pytest.mark.slow
@needs_compiler
def test_a_call_that_gets_no_memory_changes_nothing(tmp_path):
    words = ["change", "transform", "add emitter", "body: sphere", "unpack", "open an archive"]
    words += ["remove a", "set a body", "take over", "show between", "touch"]
    done = subprocess.run(
        [build(tmp_path), *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cases, _, refused = done.stdout.splitlines()[-1].split(", ")[:3]
    assert int(cases.split()[0]) >= 18 and int(refused.split()[0]) > 250


def fail_disk(folder, stride, *jobs):
    """Runs failing_disk.py; what it says."""
    disk = folder / "disk.so"
    flags = ["-shared", "-fPIC", "-O1", "-o", disk, SOURCES / "disk.c", "-ldl"]
    subprocess.run([COMPILER, *flags], check=True)
    program = Path(__file__).with_name("failing_disk.py")
    command = [sys.executable, program, folder, str(stride), *jobs]
    loaded = f"{os.environ.get('LD_PRELOAD', '')} {disk}".strip()
    done = subprocess.run(
        command, env={**os.environ, "LD_PRELOAD": loaded}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


FEW = ("bake",)


@needs_compiler
@pytest.mark.skipif(sys.platform != "linux", reason="loads a library before all others")
@pytest.mark.parametrize(
    "jobs, stride, least", slow_but([(FEW, 200, 6)], [(FEW, 200, 6), ((), 200, 48), ((), 40, 80)])
)
def test_a_disk_that_fails_anywhere(tmp_path, jobs, stride, least):
    last = fail_disk(tmp_path, stride, *jobs).splitlines()[-1]
    disks, errors = [int(word) for word in last.split() if word.isdigit()]
    assert disks >= least and errors >= 0.75 * least


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        if sys.argv[1:2] == ["disk"]:
            sys.exit(print(fail_disk(Path(place), 1, *sys.argv[2:])))
        sys.exit(subprocess.run([build(Path(place)), *sys.argv[1:]], cwd=place).returncode)
