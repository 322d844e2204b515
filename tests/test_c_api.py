"""The library in a program without Python: tests/c/api.c, built against the installed header."""

from pathlib import Path

from test_c_library import build, needs_compiler, run

PROGRAM = Path(__file__).parent / "c" / "api.c"


@needs_compiler
def test_objects_progress_and_hooks(tmp_path):
    output = run(build(PROGRAM, tmp_path / "api"))
    passed, failed = output.splitlines()[-1].replace(",", "").split()[::2]
    assert int(passed) > 150 and int(failed) == 0, output
