"""What pages and docstrings say: parameters that they name are there, examples give that."""

import contextlib
import dataclasses
import doctest
import importlib
import inspect
import io
import pkgutil
import re
from pathlib import Path

import pytest

import vorton as vt
from vorton.archive.scene_files import load_scene
from vorton.cli import main

PAGE = Path(__file__).resolve().parents[1] / "examples" / "FROM_OTHER_SOLVERS.md"


def parameters_of(cls):
    if dataclasses.is_dataclass(cls):
        return {field.name for field in dataclasses.fields(cls)}
    return set(inspect.signature(cls).parameters)


def test_terms_of_other_solvers_name_what_is_there():
    text = PAGE.read_text(encoding="utf-8")
    names = set(re.findall(r"`([A-Z]\w*)\.(\w+)`", text))
    assert len(names) > 40
    for name, parameter in sorted(names):
        cls = getattr(vt, name)
        assert parameter in parameters_of(cls), f"{name}.{parameter}"
    for name in re.findall(r"`([A-Z]\w+)`", text):
        assert inspect.isclass(getattr(vt, name)), name


def test_it_is_said_that_scenes_in_python_run_code():
    """Wherever one reads how they are given: README, the command's help, the function's."""
    readme = " ".join((PAGE.parents[1] / "README.md").read_text(encoding="utf-8").split())
    assert "is a program, which `vorton` runs: take only those that you trust" in readme
    for command in ("bake", "branch", "preview"):
        with pytest.raises(SystemExit), contextlib.redirect_stdout(io.StringIO()) as said:
            main([command, "--help"])
        assert "it is run: see that you trust it" in " ".join(said.getvalue().split()), command
    assert "load only those that you trust" in load_scene.__doc__


def test_it_is_said_where_the_extension_is_from():
    """A release page, and what to do without one for as long as no version is released."""
    root = PAGE.parents[1]
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    page = (root / "vorton/hosts/blender/README.md").read_text(encoding="utf-8")
    install = (root / "examples/site/pages/install.md").read_text(encoding="utf-8")
    assert "release page" in page and "release page" in install
    released = [line for line in changes.splitlines()
                if line.startswith("## ") and "unreleased" not in line]  # fmt: skip
    assert ("There is no release yet" in page) == (not released)
    assert ("until there is a release" in install) == (not released)


@pytest.mark.parametrize("host", ["houdini", "blender"])
def test_fields_have_their_names(host):
    text = PAGE.read_text(encoding="utf-8").split("## Fields in the files")[1]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")]
            for line in text.splitlines() if line.startswith("| `")]
    column = 2 if host == "blender" else 3
    shown = {re.match(r"`(\w+)`", row[column])[1] for row in rows if row[column].startswith("`")}
    from vorton.bakes.baking import PRESETS as KNOWN

    assert shown == set(KNOWN[host].grids.values())


OF_HOSTS = {"bpy", "hou", "mathutils", "bpy_extras"}


@pytest.mark.slow
def test_examples_of_docstrings_give_what_they_say():
    tried = 0
    for found in pkgutil.walk_packages(vt.__path__, "vorton."):
        if found.name.endswith("__main__") or ".extension" in found.name:
            continue
        try:
            module = importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            assert error.name.split(".")[0] in OF_HOSTS, found.name
            continue
        failed, attempted = doctest.testmod(module)
        assert failed == 0, found.name
        tried += attempted
    assert tried > 120
