"""Calls to the system that fail: allocations, new threads (tests/faults).

Here the calls that make most of them; `python tests/test_faults.py [-t THREADS] [WORD ...]` tries
every allocation of every call, in a few minutes.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

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


@needs_compiler
def test_a_call_that_gets_no_memory_changes_nothing(tmp_path):
    words = ["change", "transform", "add emitter", "body: sphere", "unpack", "open an archive"]
    done = subprocess.run(
        [build(tmp_path), *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cases, _, refused = done.stdout.splitlines()[-1].split(", ")[:3]
    assert int(cases.split()[0]) >= 18 and int(refused.split()[0]) > 250


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(subprocess.run([build(Path(place)), *sys.argv[1:]], cwd=place).returncode)
