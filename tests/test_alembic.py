"""Alembic archives of bakes, read by Blender and by Alembic itself."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from bakes import branch_with_other_bodies, quiet, small_scene
from with_blender import blender_python, environment_of

import vorton as vt
from vorton import Manifest
from vorton.cli import main
from vorton.files import tracer_files
from vorton.geometry import meshes
from vorton.hosts.alembic import write_alembic
from vorton.hosts.shape_meshes import mesh_of

pytest.importorskip("alembic3d")
from alembic3d import Abc, AbcGeom  # noqa: E402

READER = Path(__file__).resolve().parent / "hosts" / "read_alembic.py"
FPS = 25
SIZES = np.array([0.8, 0.2, 0.04])


@pytest.fixture(scope="module")
def bake(tmp_path_factory):
    """A ring of smoke, a plate that turns about Y, a ball that falls, a room."""
    scene = small_scene("ring 1")
    turn = vt.Transform(position=(0, 0, 1.5), axis=(0, 1, 0), angle=vt.Keys([(0, 0), (1, 360)]))
    scene.add(vt.Body(vt.Box(tuple(-SIZES / 2), tuple(SIZES / 2)), name="plate", parent=turn))
    scene.add(vt.Body(vt.Sphere((2, 0, 0), 0.2), density=500, name="plate 2"))
    scene.add(vt.Container(vt.Box((-4, -4, -4), (4, 4, 4)), panels=0))
    return quiet(scene, tmp_path_factory.mktemp("alembic"), fps=FPS, frames=(2, 4))


@pytest.fixture(scope="module")
def archive(bake):
    return write_alembic(bake.folder, progress=False)


def test_alembic_reads_the_tracers(archive, bake):
    top = Abc.IArchive(str(archive)).getTop()
    root = AbcGeom.IXform(top, "ring_1")
    matrix = np.array([list(row) for row in root.getSchema().getValue().getMatrix()])
    assert (np.array([1, 2, 3, 1]) @ matrix).tolist() == [1, 3, -2, 1]
    schema = AbcGeom.IPoints(root, "tracers").getSchema()
    parameters = schema.getArbGeomParams()
    assert schema.getNumSamples() == 3
    times = schema.getTimeSampling()
    for index, number in enumerate(bake.frames):
        assert times.getSampleTime(index) == pytest.approx(number / FPS, abs=1e-12)
        when = Abc.ISampleSelector(number / FPS)
        sample, tracers = schema.getValue(when), tracer_files.read(bake.file(number, ".npz"))
        assert np.array_equal(np.asarray(sample.getPositions()), tracers["position"])
        assert np.array_equal(np.asarray(sample.getVelocities()), tracers["velocity"])
        assert np.array_equal(np.asarray(sample.getIds()), tracers["id"])
        for name in ("age", "density"):
            parameter = AbcGeom.IFloatGeomParam(parameters, name)
            values = np.asarray(parameter.getExpandedValue(when).getVals())
            assert np.array_equal(values, tracers[name])
    assert len({bake.frame(n)["tracers"] for n in bake.frames}) > 1


@pytest.fixture(scope="module")
def in_blender(archive, bake, tmp_path_factory):
    result = tmp_path_factory.mktemp("blender") / "result.json"
    command = [blender_python(), str(READER), str(result), str(FPS), "2,4", str(archive)]
    done = subprocess.run(command, check=False, capture_output=True, text=True,
                          env=environment_of(result.parent, library=False))
    assert result.exists(), done.stdout + done.stderr
    return json.loads(result.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 4])
def test_blender_shows_it_in_place(in_blender, bake, number):
    found = in_blender[str(number)]
    tracers = tracer_files.read(bake.file(number, ".npz"))
    (points,) = found["points"]
    assert np.array(points["position"]) == pytest.approx(tracers["position"], abs=1e-5)
    assert np.array(points["velocity"]) == pytest.approx(tracers["velocity"], abs=1e-5)
    assert points["radius"] == pytest.approx(tracers["size"] / 2, rel=1e-5)
    assert len(found["meshes"]) == 2  # no container
    ball, plate = sorted(found["meshes"].values(), key=len, reverse=True)
    away = np.array(ball) - bake.frame(number)["bodies"]["1"][:3]
    assert np.linalg.norm(away, axis=1) == pytest.approx(0.2, abs=1e-5)
    angle = 2 * np.pi * (number - 1) / FPS
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0],
                     [-np.sin(angle), 0, np.cos(angle)]])
    corners = (np.array(plate) - (0, 0, 1.5)) @ turn
    assert np.abs(np.abs(corners) - SIZES / 2).max() < 1e-5


def test_faces_are_clockwise(archive):
    """Alembic's are, seen from outside."""
    root = AbcGeom.IXform(Abc.IArchive(str(archive)).getTop(), "ring_1")
    for name in ("plate", "plate_2"):
        mesh = AbcGeom.IPolyMesh(AbcGeom.IXform(root, name), f"{name}_mesh").getSchema().getValue()
        counts, index = (np.asarray(get()) for get in (mesh.getFaceCounts, mesh.getFaceIndices))
        faces = np.split(index, np.cumsum(counts)[:-1])
        triangles = np.array([(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)])
        assert meshes.open_edges(triangles) == 0
        assert meshes.mesh_volume(np.asarray(mesh.getPositions()), triangles) < 0


def test_bodies_that_deform_have_points_in_each_frame(tmp_path):
    """A ball that swells on its way, in a stage of USD, too."""
    from pxr import Usd, UsdGeom

    from vorton.hosts.usd import make_stage

    ball = mesh_of(vt.Sphere(radius=0.3))
    faces = [(f[0], f[k], f[k + 1]) for f in ball.faces for k in range(1, len(f) - 1)]
    swells = vt.Deformation([ball.vertices, 1.5 * ball.vertices], fps=5.0)
    way = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (0, 0, 5))], "linear"))
    scene = vt.Scene("soft", seed=1)
    mesh = vt.Mesh(vertices=ball.vertices, faces=faces)
    scene.add(vt.Body(mesh, name="ball", parent=way, deformation=swells, panels=0))
    scene.add(vt.Tracers(vt.Sphere((3, 0, 0), 0.1), count=9))
    bake = quiet(scene, tmp_path / "soft", fps=FPS, frames=(1, 4), volumes=None)
    archive = write_alembic(bake.folder, up="z", progress=False)
    root = AbcGeom.IXform(Abc.IArchive(str(archive)).getTop(), "soft")
    body = AbcGeom.IXform(root, "ball")
    schema = AbcGeom.IPolyMesh(body, "ball_mesh").getSchema()
    stage = Usd.Stage.Open(str(make_stage(bake.folder, progress=False)))
    [prim] = [p for p in stage.Traverse() if p.GetName() == "ball"]
    for number in bake.frames:
        time = (number - 1) / FPS if bake.frames[0] == 1 else number / FPS
        wanted = (1 + 0.5 * 5 * time) * ball.vertices + (0, 0, 5 * time)
        when = Abc.ISampleSelector(number / FPS)
        matrix = np.array([list(row) for row in body.getSchema().getValue(when).getMatrix()])
        points = np.asarray(schema.getValue(when).getPositions())
        assert np.abs(points @ matrix[:3, :3] + matrix[3, :3] - wanted).max() < 1e-5
        world = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(number))
        points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(number), float)
        assert np.abs(points @ world[:3, :3] + world[3, :3] - wanted).max() < 1e-5


def test_a_body_may_be_called_tracers(tmp_path):
    scene = small_scene()
    scene.add(vt.Body(vt.Sphere((3, 0, 0), 0.2), name="tracers"))
    bake = quiet(scene, tmp_path, frames=(1, 1))
    root = Abc.IArchive(str(write_alembic(bake.folder, progress=False))).getTop().getChild(0)
    names = [root.getChild(n).getName() for n in range(root.getNumChildren())]
    assert names == ["tracers", "tracers_2"]
    assert AbcGeom.IPoints(root, "tracers").getSchema().getNumSamples() == 1


def test_command(bake, capsys, monkeypatch, tmp_path):
    command = ["stage", str(bake.folder), "--format", "abc", "--quiet"]
    assert main([*command, "--preset", "maya", "--up", "z", "--no-points"]) == 0
    path = bake.folder / "ring 1.abc"
    assert capsys.readouterr().out.strip() == str(path)
    root = AbcGeom.IXform(Abc.IArchive(str(path)).getTop(), "ring_1")
    assert root.getNumChildren() == 2
    matrix = np.array([list(row) for row in root.getSchema().getValue().getMatrix()])
    assert np.array([1, 2, 3, 1]) @ matrix == pytest.approx([100, 200, 300, 1])
    monkeypatch.setitem(sys.modules, "alembic3d", None)
    assert main(command) == 1
    assert "pip install alembic3d" in capsys.readouterr().err
    monkeypatch.undo()
    smoke = vt.Scene("smoke", seed=1)
    smoke.add(vt.Tracers(vt.Sphere(radius=0.5), count=50))
    quiet(smoke, tmp_path / "smoke", tracers=False)
    with pytest.raises(ValueError, match="neither tracers nor bodies"):
        write_alembic(tmp_path / "smoke")
    with pytest.raises(ValueError, match="up = 'x'"):
        write_alembic(tmp_path / "smoke", up="x")
    data = Manifest.load(bake.path).data
    data["frames"] = [record for record in data["frames"] if record["frame"] != 3]
    Manifest(tmp_path / "gap.json", data).save()
    with pytest.raises(ValueError, match="frame 3 is missing"):
        write_alembic(tmp_path / "gap.json")
    assert sorted(tmp_path.iterdir()) == [tmp_path / "gap.json", tmp_path / "smoke"]


def test_alembic_hides_bodies_that_are_not_there(tmp_path):
    branch = branch_with_other_bodies(tmp_path)
    top = Abc.IArchive(str(write_alembic(branch.folder, progress=False))).getTop()
    root = AbcGeom.IXform(top, "balls")
    for name, wanted in (("ball_0", [1, 1, 0]), ("box", [0, 0, 1])):
        visible = AbcGeom.GetVisibilityProperty(AbcGeom.IXform(root, name))
        assert [visible.getValue(Abc.ISampleSelector(n / 24)) for n in (1, 2, 3)] == wanted
    assert not AbcGeom.GetVisibilityProperty(AbcGeom.IXform(root, "ball_1")).valid()


def test_an_archive_says_of_which_bake_it_is(tmp_path, capsys):
    """As Alembic reads it, and as `vorton info` finds it."""
    quiet(small_scene(), tmp_path, frames=(1, 2))
    path = write_alembic(tmp_path, progress=False)
    told = Abc.IArchive(str(path)).getTop().getChild(0).getMetaData().get("made of")
    assert told.startswith("vorton bake ") and main(["info", str(tmp_path)]) == 0
    quiet(small_scene(seed=4), tmp_path, frames=(1, 2), overwrite=True)
    capsys.readouterr()
    assert main(["info", str(tmp_path)]) == 1
    assert "stale      ring.abc is of another bake" in capsys.readouterr().out
    write_alembic(tmp_path, progress=False)
    assert main(["info", str(tmp_path)]) == 0
