"""vorton.hosts.houdini without Houdini: what it puts into a frame, and which calls it makes.

The calls go to a stand-in of the module hou, and mypy compares them with SideFX's stubs.
"""

import importlib.util
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
import pytest
from bakes import quiet, small_scene

import vorton as vt
from vorton.files import tracer_files, vdb_files
from vorton.geometry import meshes
from vorton.hosts import houdini
from vorton.hosts.houdini import frames, sop
from vorton.hosts.houdini import scene as nodes

HERE = Path(__file__).resolve().parent
FOLDER = Path(houdini.__file__).resolve().parent
FPS = 24


@pytest.fixture(scope="module")
def bake(tmp_path_factory):
    """Smoke and fire around a plate that turns about Y, and a ball that falls."""
    scene = small_scene("a ring-1")
    turn = vt.Transform(position=(0, 0, 1.5), axis=(0, 1, 0), angle=vt.Keys([(0, 0), (1, 360)]))
    scene.add(vt.Body(vt.Box((-0.5, -0.1, -0.02), (0.3, 0.1, 0.02)), name="plate", parent=turn))
    scene.add(vt.Body(vt.Sphere((2, 0, 0), 0.2), density=500, name="ball"))
    scene.add(vt.Container(vt.Box((-4, -4, -4), (4, 4, 4)), panels=0))
    scene = vt.Scene.from_dict({**scene.to_dict(), "combustion": {"type": "Combustion"}})
    return quiet(scene, tmp_path_factory.mktemp("houdini"), fps=FPS)


@pytest.fixture
def hou(monkeypatch):
    spec = importlib.util.spec_from_file_location("hou", HERE / "hosts" / "fake_hou.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "hou", module)
    return module


def test_matrix_turns_z_up_to_y_up():
    matrix = np.array(houdini.Y_UP)
    assert np.array_equal(matrix @ matrix.T, np.eye(4)) and np.linalg.det(matrix) == 1
    points = np.random.default_rng(1).normal(size=(20, 3))
    turned = np.column_stack([points, np.ones(20)]) @ matrix
    assert np.array_equal(turned[:, :3].astype(np.float32), frames.to_y_up(points))
    assert frames.to_y_up([(0, 0, 1)]).tolist() == [[0, 1, 0]]
    assert frames.to_y_up([(1, 0, 0)]).tolist() == [[1, 0, 0]]
    # As Mesh(up="y") reads it back.
    triangle = vt.Mesh(vertices=frames.to_y_up(points[:3]), faces=[(0, 1, 2)], up="y")
    assert np.array_equal(triangle.placed()[0], points[:3].astype(np.float32))


def test_volumes(hou, bake):
    geometry = hou.Geometry()
    sop.load_volumes(geometry, bake.folder, 3)
    stored = vdb_files.read(bake.file(3, ".vdb"))
    assert {"velocity", "heat", "flame", "temperature"} <= set(stored)
    found = {prim.attributes["name"]: prim.grid for prim in geometry.prims()}
    assert set(found) == {"density", "vel", "temperature", "heat", "flame", "fuel"}
    assert np.array_equal(found["vel"].values, stored["velocity"].values)
    # Voxels of the smoke in Houdini's space lie around its tracers there.
    smoke = found["density"]
    places = smoke.voxel * np.column_stack([smoke.index, np.ones(len(smoke.index))])
    places[:, 3] = 1
    middle = (smoke.values @ (places @ geometry.matrix)[:, :3]) / smoke.values.sum()
    tracers = houdini.frame_points(bake.folder, 3)
    exact = tracers.floats["mass"] @ tracers.position / tracers.floats["mass"].sum()
    assert middle == pytest.approx(exact, abs=0.1 * smoke.voxel)
    # It is by this that Houdini turns the vectors with the grid.
    assert b"contravariant relative" in bake.file(3, ".vdb").read_bytes()


def test_points(hou, bake):
    geometry = hou.Geometry()
    for number in (1, 4):  # replaces what was there
        sop.load_points(geometry, bake.path, number)
    tracers = tracer_files.read(bake.file(4, ".npz"))
    x, y, z = tracers["position"].T
    assert np.array_equal(np.array(geometry.points, np.float32), np.stack([x, z, -y], 1))
    x, y, z = tracers["velocity"].T
    assert np.array_equal(geometry.values["v"], np.stack([x, z, -y], 1))
    assert geometry.attributes["point", "v"].options == {"type": "vector"}
    assert np.array_equal(geometry.values["id"], tracers["id"])
    assert geometry.values["pscale"] == pytest.approx(tracers["size"] / 2)
    for name, column in (("mass", "density"), ("age", "age"), ("temperature", "temperature"),
                         ("fuel", "fuel"), ("flame", "flame"), ("smoke", "smoke")):
        assert np.array_equal(geometry.values[name], tracers[column])
    assert geometry.values["Cd"].shape == (len(geometry.points), 3)


def test_bodies(hou, bake):
    geometry = hou.Geometry()
    sop.load_bodies(geometry, bake.folder, 4)
    points = np.array(geometry.points)
    named = {name: np.unique([i for prim in geometry.polygons if prim.attributes["name"] == name
                              for i in prim.corners]) for name in ("plate", "ball")}
    assert sum(map(len, named.values())) == len(points)  # nothing of the container
    x, y, z = bake.frame(4)["bodies"]["1"][:3]
    away = points[named["ball"]] - (x, z, -y)
    assert np.linalg.norm(away, axis=1) == pytest.approx(0.2, abs=1e-6) and z < -0.05
    angle = 2 * np.pi * 3 / FPS
    exact = [(a * np.cos(angle) + c * np.sin(angle), 1.5 - a * np.sin(angle) + c * np.cos(angle), b)
             for a in (-0.5, 0.3) for b in (-0.1, 0.1) for c in (-0.02, 0.02)]
    for corner in exact:
        assert np.linalg.norm(points[named["plate"]] - corner, axis=1).min() < 1e-6
    # Clockwise seen from outside, as Houdini's polygons are.
    turned = [prim.corners for prim in geometry.polygons]
    triangles = np.array([(f[0], f[i + 1], f[i]) for f in turned for i in range(1, len(f) - 1)])
    assert meshes.mesh_volume(points, triangles) > 0


def test_colours():
    grey = np.float32(frames.SMOKE)
    assert np.array_equal(frames.color_of(None, 3), [grey] * 3)
    kelvin = np.array([300.0, 700, 1000, 1500, 2400, 6500, 12000])
    colours = frames.color_of(kelvin, len(kelvin)).astype(float)
    assert np.array_equal(colours[:2], [grey] * 2)
    red, green, blue = colours[4]
    assert red == 1 and 0 < blue < green < red  # a lamp
    assert np.ptp(colours[5]) < 0.2  # the sun is white
    assert colours[6].argmax() == 2  # what is hotter is blue
    # Wien's law, of which Planck's differs by a millionth at 2400 K.
    length = frames.WAVELENGTHS[:2]
    wien = np.exp(-1.438777e-2 / 2400 / length) / length**5
    assert green / red == pytest.approx(wien[1] / wien[0], rel=1e-3)
    assert frames.color_of(np.zeros(0), 0).shape == (0, 3)


def test_frames_that_are_not_there(hou, bake, tmp_path):
    geometry = hou.Geometry()
    for load in (sop.load_points, sop.load_volumes, sop.load_bodies):
        for number in (0, 5):
            geometry.points = [(0, 0, 0)]
            load(geometry, bake.folder, number)
            assert not geometry.points and not geometry.polygons
    with pytest.raises(ValueError, match="holds no bake"):
        sop.load_points(geometry, tmp_path, 1)
    few = vt.Scene("few", seed=1)
    few.add(vt.Tracers(vt.Sphere(radius=0.5), count=50, start=1 / FPS))
    quiet(few, tmp_path / "few", volumes=None, fps=FPS)
    with pytest.raises(ValueError, match="without volumes"):
        sop.load_volumes(geometry, tmp_path / "few", 1)
    sop.load_points(geometry, tmp_path / "few", 1)  # before the first birth
    assert not geometry.points and ("point", "id") in geometry.attributes
    sop.load_bodies(geometry, tmp_path / "few", 1)
    quiet(few, tmp_path / "none", tracers=False, fps=FPS)
    with pytest.raises(ValueError, match="without tracers"):
        sop.load_points(geometry, tmp_path / "none", 1)


def test_a_bake_that_grows_is_read_again(tmp_path):
    few = vt.Scene("few", seed=1)
    few.add(vt.Tracers(vt.Sphere(radius=0.5), count=50))
    quiet(few, tmp_path, frames=(1, 1), volumes=None)
    assert houdini.frame_points(tmp_path, 2) is None
    quiet(few, tmp_path, frames=(1, 2), volumes=None)
    assert len(houdini.frame_points(tmp_path, 2).position) == 50


# ---- the shelf and the package ----


def test_shelf_makes_nodes_that_cook(hou, bake):
    document = xml.parse(FOLDER / "toolbar" / "vorton.shelf").getroot()
    assert document.tag == "shelfDocument"
    (tool,) = document.iter("tool")
    assert [member.get("name") for member in document.iter("memberTool")] == [tool.get("name")]
    script = tool.find("script")
    assert script.get("scriptType") == "python"
    code = compile(script.text, "shelf", "exec")
    exec(code, {"hou": hou})  # the dialog is cancelled
    assert not hou.session.obj.children
    hou.session.job, hou.session.chosen = str(bake.folder), f"$JOB/{bake.path.name}"
    exec(code, {"hou": hou})
    (node,) = hou.session.obj.children
    assert node.name == "vorton_a_ring_1"
    assert node.parms == {"bake": str(bake.path.absolute()), "bake_start": 1001}
    assert [sop.name for sop in node.children] == ["smoke", "tracers", "bodies"]
    assert [sop.flags for sop in node.children] == [{"display", "render"}, set(), set()]
    hou.session.frame = 1003
    shown = {sop.name: hou.cook(sop) for sop in node.children}
    assert len(shown["tracers"].points) == bake.frame(3)["tracers"]
    assert len(shown["smoke"].prims()) == 6 and shown["bodies"].polygons
    hou.session.frame = 1000
    assert not hou.cook(node.children[1]).points
    with pytest.raises(ValueError, match="parent = '/out': there is no such node"):
        nodes.load_bake(bake.folder, parent="/out")


def test_package_file(tmp_path):
    done = subprocess.run([sys.executable, "-m", "vorton.hosts.houdini", str(tmp_path / "new")],
                          check=True, capture_output=True, text=True)
    path = tmp_path / "new" / "vorton.json"
    assert done.stdout.strip() == str(path)
    package = json.loads(path.read_text())
    (library,) = package["env"][0]["PYTHONPATH"]["value"]
    assert Path(package["hpath"], "toolbar", "vorton.shelf").is_file()
    found = subprocess.run([sys.executable, "-c", "import vorton; print(vorton.__file__)"],
                           check=True, capture_output=True, text=True, cwd=tmp_path,
                           env={**os.environ, "PYTHONPATH": library}).stdout.strip()
    assert Path(found).samefile(vt.__file__)


@pytest.mark.slow
def test_calls_are_those_of_houdini(tmp_path):
    """SideFX's stubs know all that is called, and refuse what they do not know."""
    pytest.importorskip("mypy")
    (tmp_path / "vorton").symlink_to(FOLDER.parents[1])  # without what is installed beside it
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import hou\nhou.Geometry().createPoint(3)\nhou.pwd().geometri()\n")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--check-untyped-defs",
               "--cache-dir", str(tmp_path / "cache")]
    files = [f"vorton/hosts/houdini/{path.name}" for path in sorted(FOLDER.glob("*.py"))]
    done = subprocess.run([*command, *files, wrong.name], check=False, capture_output=True,
                          text=True, cwd=tmp_path)
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(lines) == 2 and all("wrong.py" in line for line in lines), done.stdout + done.stderr
