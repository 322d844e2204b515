"""What `import vorton` brings in, and what it leaves until it is asked for."""

import ast
import pickle
import pickletools
import subprocess
import sys
from pathlib import Path

import pytest

import vorton

NEW_MODULES = """
import sys, numpy
before = set(sys.modules)
import vorton
print(*sorted(set(sys.modules) - before))
"""


def test_import_brings_in_the_core_alone():
    """Each module more is time of everyone who imports vorton, for help or a version say."""
    done = subprocess.run(
        [sys.executable, "-c", NEW_MODULES], capture_output=True, text=True, check=True
    )
    new = set(done.stdout.split())
    assert {name for name in new if name.startswith("vorton")} == {
        "vorton", "vorton._core", "vorton.first_moments"
    }  # fmt: skip
    heavy = {"concurrent", "dataclasses", "difflib", "hashlib", "inspect", "json", "logging",
             "pathlib", "shutil", "tempfile", "urllib", "zipfile"}  # fmt: skip
    assert not new & heavy


TIME = """
import time, numpy
begin = time.process_time()
import vorton
print(time.process_time() - begin)
"""


def test_import_takes_little_beside_that_of_numpy():
    """Of a processor: what else the machine does is not in it. It is about 5 ms."""
    command = [sys.executable, "-c", TIME]
    said = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(3)]
    assert min(map(float, said)) < 0.05


def test_stub_says_what_the_package_gives():
    tree = ast.parse(Path(vorton.__file__).with_suffix(".pyi").read_text())
    said, modules = {}, []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module is None:
            modules += [name.asname for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            said |= {name.asname: f"vorton.{node.module}" for name in node.names}
    assert sorted(said) == vorton.__all__
    assert {"archive", "film", "preview", "testing"} <= set(modules)
    code = "import vorton\nfor name in {0}: assert getattr(vorton, name) and name in dir(vorton)"
    subprocess.run([sys.executable, "-c", code.format(modules)], check=True)
    for name, home in said.items():
        assert getattr(vorton, name) is getattr(sys.modules[home], name), name
        assert name in dir(vorton)


def test_modules_are_there_and_nothing_else_is():
    assert vorton.preview.Camera and vorton.sdk.get_include is vorton.get_include
    assert callable(vorton.bake)  # no module of this name takes its place
    with pytest.raises(AttributeError, match="module 'vorton' has no attribute 'Tours'"):
        vorton.Tours  # noqa: B018


def test_pickles_name_no_module_that_may_move():
    """By protocol 2 names stand as text; definitions, scenes, simulations and records."""
    scene = vorton.Scene("ring", voxel=0.1)
    scene.add(vorton.VortexRing(core=0.2, sections=12, layers=0))
    scene.add(vorton.Wind(vorton.Keys([(0, (0, 0, 0)), (1, (1, 0, 0))])))
    scene.add(vorton.Body(vorton.Sphere((0, 0, 1), 0.2), parent=vorton.Transform()))
    sim = vorton.Simulation(scene)
    for thing in (scene, vorton.Method(), vorton.Volumes(), sim, sim.health, sim.timings):
        content = pickle.dumps(thing, 2)
        named = {arg.split()[0] for code, arg, _ in pickletools.genops(content)
                 if code.name == "GLOBAL" and arg.startswith("vorton")}  # fmt: skip
        assert named and named <= {"vorton", "vorton.records"}, thing
        again = pickle.loads(content)
        assert again.same_state(sim) if thing is sim else again == thing
