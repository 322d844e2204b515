"""What a wheel may hold, and what is not let through (.ci/wheels.py, .ci/skips.py)."""

import hashlib
import importlib.util
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

PATH = Path(__file__).resolve().parents[1] / ".ci" / "wheels.py"
PLATFORM = "macosx_11_0_arm64"
HELD = (
    "vorton/__init__.py vorton/_core.pyi vorton/py.typed vorton/_core.so vorton/libvorton.so "
    "vorton/vorton.pc vorton/cmake/vortonConfig.cmake vorton/cmake/vortonConfigVersion.cmake "
    "vorton/hosts/houdini/toolbar/vorton.shelf"
).split()
INCLUDE = PATH.parents[1] / "csrc" / "include"
HEADERS = [
    f"vorton/include/{path.relative_to(INCLUDE).as_posix()}"
    for path in sorted(INCLUDE.rglob("*.*")) if path.suffix != ".in"
]  # fmt: skip


@pytest.fixture
def wheels():
    spec = importlib.util.spec_from_file_location("wheels", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def check(wheels, tmp_path, monkeypatch):
    """Checks a wheel of empty files."""
    system = SimpleNamespace(import_suffix="", extension="_core.so")
    setup = SimpleNamespace(SYSTEMS={"darwin": system}, library_name=lambda _: "libvorton.so")
    monkeypatch.setattr(wheels, "load_setup", lambda: setup)
    monkeypatch.setattr(wheels, "run", lambda *command: None)

    def check(names):
        (tmp_path / "dist").mkdir()
        path = tmp_path / "dist" / f"vorton-1-cp311-abi3-{PLATFORM}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, "")
        wheels.check_wheel(PLATFORM, tmp_path)

    return check


def test_a_wheel_holds_the_files_that_belong_to_it(check):
    check(HELD + HEADERS)


@pytest.mark.parametrize("names", [HELD[:-1], [*HELD, "vorton/core"]], ids=["less", "more"])
def test_a_wheel_with_others_is_refused(check, names):
    with pytest.raises(SystemExit, match="holds .* expected are"):
        check(names + HEADERS)


def test_a_wheel_without_a_header_is_refused(check):
    assert len(HEADERS) > 20
    with pytest.raises(SystemExit, match=f"lacks .'{HEADERS[3]}'"):
        check(HELD + HEADERS[:3] + HEADERS[4:])


COMPILER = """
import pathlib, sys
rule, made = (sys.argv[sys.argv.index(option) + 1] for option in ("-MF", "-o"))
pathlib.Path(rule).write_text(made + ": " + sys.argv[sys.argv.index("-c") + 1])
pathlib.Path(made).write_text("{content}")
sys.exit({status})
"""


def test_empty_objects_are_not_taken(wheels, tmp_path):
    """Clang of zig leaves them, with the files that they would depend on, where it fails."""
    setup = wheels.load_setup()
    tools = setup.Toolchain(objects=tmp_path)
    tools.compiler = [sys.executable, str(tmp_path / "compiler.py")]
    source = setup.CSRC / "base" / "memory.c"
    for status in (0, 1, 0):
        (tmp_path / "compiler.py").write_text(COMPILER.format(content="", status=status))
        with pytest.raises(setup.CompileError, match="failed" if status else "made nothing"):
            tools.compile(source, [])
    (tmp_path / "compiler.py").write_text(COMPILER.format(content="object", status=0))
    assert tools.compile(source, []).read_text() == "object"


def signed_file(code, page=4096):
    """A Mach-O file of a header, a load command and code, with a signature behind that."""
    end = 48 + len(code)
    header = struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, 6, 1, 16, 0, 0)
    binary = header + struct.pack("<4I", 0x1D, 16, end, 0) + code
    pages = [binary[start : start + page] for start in range(0, end, page)]
    digests = b"".join(hashlib.sha256(part).digest() for part in pages)
    directory = struct.pack(
        ">9I4BI", 0xFADE0C02, 44 + len(digests), 0x20400, 0x20002, 44, 44, 0, len(pages), end,
        32, 2, 0, page.bit_length() - 1, 0,
    ) + digests  # fmt: skip
    return binary + struct.pack(">5I", 0xFADE0CC0, 20 + len(directory), 1, 0, 20) + directory


def test_signatures_hold_all_pages(wheels):
    code = bytes(range(256)) * 40  # three pages
    whole = signed_file(code)
    assert wheels.is_signed(whole)
    for place in (100, 5000, 48 + len(code) - 1):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        assert not wheels.is_signed(bytes(damaged))
    plain = bytearray(whole)
    struct.pack_into("<I", plain, 32, 0x1B)  # another load command
    assert not wheels.is_signed(bytes(plain))


@pytest.mark.parametrize(("minutes", "fails"), [("0", True), ("10", False), (None, False)])
def test_making_them_may_take_so_long(wheels, tmp_path, monkeypatch, capsys, minutes, fails):
    monkeypatch.setattr(wheels, "run", lambda *command: None)
    monkeypatch.setattr(wheels, "check", lambda *arguments: None)
    limit = [] if minutes is None else ["--minutes", minutes]
    monkeypatch.setattr(sys, "argv", ["wheels.py", "--folder", str(tmp_path), *limit, PLATFORM])
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", "")  # which it sets
    if fails:
        with pytest.raises(SystemExit, match="allowed are 0"):
            wheels.main()
    else:
        wheels.main()
    assert "1 wheels: 0 s" in capsys.readouterr().out


def results(folder, *reasons):
    """What pytest writes of tests that were skipped for these reasons, and of one that passed."""
    cases = [f'<testcase name="t{n}"><skipped message="{r}"/></testcase>'
             for n, r in enumerate(reasons)]  # fmt: skip
    path = folder / "tests.xml"
    path.write_text(f'<testsuites><testcase name="ran"/>{"".join(cases)}</testsuites>')
    return path


def test_skips_are_allowed_by_their_reason(tmp_path):
    script, reasons = PATH.with_name("skips.py"), ["no reader of it", "no reader of it", "no wind"]

    def says(path, *allowed):
        command = [sys.executable, str(script), str(path), *allowed]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = says(results(tmp_path, *reasons), "no reader", "no wind")
    assert done.returncode == 0 and "2 skipped: no reader of it" in done.stdout
    done = says(results(tmp_path, *reasons), "no reader")
    assert done.returncode != 0 and done.stderr.splitlines()[1:] == ["t2: no wind"]
    assert says(results(tmp_path, "no wind")).returncode != 0
    assert says(results(tmp_path)).returncode == 0
    (tmp_path / "tests.xml").write_text("<testsuites/>")
    assert says(tmp_path / "tests.xml").returncode != 0
