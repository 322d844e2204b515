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


def test_modules_of_this_house():
    assert layers.check_modules(ROOT / "vorton") == []


def test_a_circle_of_modules_is_found(tmp_path):
    """By an import within a function, too; not by one for types alone."""
    package = tmp_path / "pack"
    (package / "low").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "low" / "__init__.py").write_text("from .a import A\n")
    (package / "low" / "a.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..b import B\nA = 1\n"
    )
    (package / "b.py").write_text("from .low import a\nfrom .c import C\nB = 1\n")
    (package / "c.py").write_text("C = 1\n")
    assert layers.check_modules(package) == []
    (package / "c.py").write_text("C = 1\ndef later():\n    from . import b\n    return b\n")
    assert layers.check_modules(package) == ["circle of modules: pack.b - pack.c"]


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
