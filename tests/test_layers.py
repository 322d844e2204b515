"""The rules of the house (.ci/layers.py) are kept, and each of them refuses what breaks it."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("layers", ROOT / ".ci" / "layers.py")
layers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(layers)

HOUSE = {
    "README.md": "".join(f"| `{name}/` | |\n" for name in ("include", "low", "high")),
    "include/vorton.h": "int vt_top(void);\n",
    "low/a.h": "int vti_a(void);\n",
    "low/a.c": '#include "low/a.h"\n\nint vti_a(void)\n{\n    return 1;\n}\n',
    "low/b.h": "int vti_b(void);\n",
    "low/b.c": '#include "low/a.h"\n\nint vti_b(void)\n{\n    return vti_a();\n}\n',
    "low/c.h": "",
    "high/d.c": '#include "low/b.h"\n\nint vt_top(void)\n{\n    return vti_b();\n}\n',
    "high/e.h": "int vti_e(void);\n",
    "high/f.h": "",
}


@pytest.fixture
def house(tmp_path):
    """check(changes): the faults of a small house with some files written anew."""

    def check(changes=(), compiled=True):
        source, objects = tmp_path / "csrc", tmp_path / "objects"
        for name, text in {**HOUSE, **dict(changes)}.items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(text)
        objects.mkdir(exist_ok=True)
        for path in sorted(source.rglob("*.c")) if compiled else []:
            made = objects / f"{path.stem}.o"
            command = ["gcc", "-c", "-MMD", "-MF", made.with_suffix(".d"), "-o", made, path]
            subprocess.run([*command, f"-I{source}", f"-I{source}/include"], check=True)
        return layers.check(source, objects if compiled else None)

    return check


def test_this_house():
    assert layers.check(ROOT / "csrc") == []


@pytest.mark.slow
def test_modules_of_this_house():
    assert layers.check_modules(ROOT / "vorton") == []


PACKAGE = {
    "README.md": "".join(f"| `{name}/` | |\n" for name in ("low", "high", "pack")),
    "__init__.py": "",
    "_core.pyi": "",
    "low/__init__.py": "from .a import A\n",
    "low/a.py": "from typing import TYPE_CHECKING\nfrom .. import _core\n"
    "if TYPE_CHECKING:\n    from ..top import TOP\nA = 1\n",
    "low/b.py": "from .a import A\n",
    "low/c.py": "C = 1\n",
    "high/__init__.py": "",
    "high/d.py": "from ..low import a\n",
    "high/e.py": "",
    "high/f.py": "",
    "top.py": "from .high import d\nTOP = 1\n",
    "other.py": "",
    "third.py": "",
}


@pytest.fixture
def package(tmp_path):
    """check(changes): the faults of a small package with some files written anew."""

    def check(changes=()):
        for name, text in {**PACKAGE, **dict(changes)}.items():
            path = tmp_path / "pack" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return layers.check_modules(tmp_path / "pack")

    return check


def test_a_package_without_fault(package):
    assert package() == []


@pytest.mark.parametrize(
    "changes, fault",
    [
        ({"low/c.py": "def later():\n    from . import b\n"}, None),
        (
            {"low/c.py": "def later():\n    from ..high import e\n    return e\n"},
            "pack.low.c imports pack.high.e: upward, from low/ to high/",
        ),
        ({"low/c.py": "from .. import TOP\n"}, "pack.low.c imports pack: upward"),
        (
            {"low/a.py": "def later():\n    from . import b\n"},
            "circle of modules: low/a - low/b",
        ),
        ({"new/x.py": "import pack.low.a\n"}, "new/ is not in the table of pack/README.md"),
        ({f"low/x{n}.py": "" for n in range(23)}, "low/: 26 units; allowed are 3 to 25"),
        ({"low/deep/x.py": ""}, "low/deep/: 1 units; allowed are 3 to 25"),
        ({"high/e.py": "\n" * 601}, "pack/high/e.py: 601 lines; at most 600"),
        (
            {"high/e.py": "def f():\n" + "    g = 1\n" * 80},
            "pack/high/e.py:1: 81 lines: f",
        ),
        ({"high/e.py": 'def f():\n    """A\n' + "    b\n" * 80 + '    """\n'}, None),
    ],
    ids=["downward", "upward", "to the top", "circle", "no folder", "many", "lonely", "file"]
    + ["function", "docstring"],
)
def test_each_fault_of_a_package_is_found(package, changes, fault):
    faults = package(changes)
    assert any(fault in line for line in faults) if fault else faults == []


def test_no_tracked_file_is_large(tmp_path):
    assert list(layers.check_bytes(layers.list_tracked(ROOT))) == []
    path = tmp_path / "film.webp"
    path.write_bytes(bytes(layers.MOST_BYTES + 1))
    assert list(layers.check_bytes([path])) == [f"{path}: 1000001 bytes; at most 1000000"]


def test_what_git_tracks_is_seen(tmp_path):
    (tmp_path / "a").write_text("")
    assert layers.list_tracked(tmp_path) == []
    for words in (["init", "-q"], ["add", "a"]):
        subprocess.run(["git", "-C", tmp_path, *words], check=True)
    (tmp_path / "b").write_text("")
    assert layers.list_tracked(tmp_path) == [tmp_path / "a"]


def test_a_house_without_fault(house):
    assert house() == []


@pytest.mark.parametrize(
    "changes, fault",
    [
        ({"low/c.h": '#include "high/e.h"\n'}, "low/c.h:1 includes high/e.h: upward"),
        (
            {"low/c.c": "int vt_top(void);\nint vti_c(void)\n{\n    return vt_top();\n}\n"},
            "low/c needs vt_top of high/d: upward",
        ),
        ({"low/a.h": '#include "low/b.h"\nint vti_a(void);\n'}, "circle: low/a - low/b"),
        (
            {"low/a.c": "int vti_b(void);\nint vti_a(void)\n{\n    return vti_b();\n}\n"},
            "circle: low/a - low/b",
        ),
        ({f"low/x{n}.h": "" for n in range(23)}, "low/: 26 units; allowed are 3 to 25"),
        ({"high/e.h": "\n" * 601}, "high/e.h: 601 lines; at most 600"),
        (
            {"low/c.c": "int vti_c(void)\n{\n" + "    ;\n" * 80 + "    return 1;\n}\n"},
            "low/c.c:2: 82 lines: int vti_c(void)",
        ),
        (
            {"low/c.c": "int vt_c(void)\n{\n    return 1;\n}\n"},
            "low/c exports vt_c, with the public prefix",
        ),
        ({"low/c.c": "int c(void)\n{\n    return 1;\n}\n"}, "low/c exports c, without vti_"),
        (
            {"low/c.c": "#include <stdlib.h>\nvoid *vti_c(void)\n{\n    return malloc(9);\n}\n"},
            "low/c needs malloc; memory comes from base/memory",
        ),
        ({"c.h": ""}, "c.h lies at the root of csrc"),
        ({"low/c.h": '#include "low/g.h"\n'}, "there is no such header"),
        ({"low/deep/c.h": ""}, "low/deep/: 1 units; allowed are 3 to 25"),
    ],
    ids=["include", "symbol", "circle of includes", "circle of symbols", "folder", "file"]
    + ["function", "public prefix", "no prefix", "memory", "root", "no header", "lonely"],
)
def test_each_fault_is_found(house, changes, fault):
    compiled = any(name.endswith(".c") for name in changes)
    assert any(line.startswith(fault) or fault in line for line in house(changes, compiled))
