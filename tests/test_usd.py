"""USD stages of bakes: read by usd-core and by Blender, and compared with the files of the bake."""

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from bakes import quiet, small_scene
from with_blender import blender_python, environment_of

import vorton as vt
from vorton import Manifest, Volumes
from vorton.bakes.baking import PRESETS as GRID_PRESETS
from vorton.cli import main
from vorton.files import tracer_files
from vorton.geometry import meshes
from vorton.hosts.usd import PRESETS, make_stage, text

Sdf = pytest.importorskip("pxr.Sdf")
from pxr import Gf, Usd, UsdGeom, UsdUtils, UsdVol  # noqa: E402

READER = Path(__file__).resolve().parent / "hosts" / "read_stage.py"
NAME = "ring 1.b"
FPS, DEGREES = 24, 360
PLATE = vt.Box((-0.5, -0.1, -0.02), (0.3, 0.1, 0.02))
HINGE = (0.0, 0.0, 1.5)


def make_bake(folder):
    """A ring of smoke, a plate that turns about Y off its centre, a ball that falls, a room."""
    scene = small_scene(NAME)
    angle = [DEGREES * n / FPS for n in range(5)]  # one value a frame
    turn = vt.Transform(position=HINGE, axis=(0, 1, 0), angle=angle)
    scene.add(vt.Body(PLATE, name="plate", parent=turn))
    scene.add(vt.Body(vt.Sphere((2, 0, 0), 0.2), density=500, velocity=(1, 0, 0), name="the ball"))
    scene.add(vt.Body((vt.Capsule((3, 0, 0), (3, 0, 1)), vt.Cylinder((3, 0, 2), 0.3, 2))))
    scene.add(vt.Container(vt.Box((-4, -4, -4), (4, 4, 4)), name="room", panels=0))
    return quiet(scene, folder, fps=FPS)


@pytest.fixture(scope="module")
def bake(tmp_path_factory):
    return make_bake(tmp_path_factory.mktemp("stage"))


@pytest.fixture(scope="module")
def copies(bake, tmp_path_factory):
    """Stages of other presets, each in a folder of its own."""
    folder, made = tmp_path_factory.mktemp("stages"), {}
    for preset in PRESETS:
        shutil.copytree(bake.folder, folder / preset)
        made[preset] = make_stage(folder / preset, preset=preset, progress=False)
    made["up"] = shutil.copytree(bake.folder, folder / "up") / f"{NAME}.usda"
    assert make_stage(folder / "up", up="y", progress=False) == made["up"]
    return {name: path.rename(path.with_name(f"{name}.usda")) for name, path in made.items()}


@pytest.fixture(scope="module")
def stage(copies):
    return Usd.Stage.Open(str(copies["usd"]))


def at(stage, path):
    return stage.GetPrimAtPath(f"/ring_1_b/{path}")


def plate_at(frame):
    """Corners of the plate, as a set of rows that are sorted."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.3) for y in (-0.1, 0.1) for z in (-0.02, 0.02)])
    angle = math.radians(DEGREES * (frame - 1) / FPS)
    cos, sin = math.cos(angle), math.sin(angle)
    return sorted_rows(corners @ np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]]).T + HINGE)


def sorted_rows(rows):
    rows = np.asarray(rows, float)
    return rows[np.lexsort(rows.round(4).T)]


def world_points(prim, frame):
    matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(frame))
    points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(frame), float)
    return points @ matrix[:3, :3] + matrix[3, :3]


# ---- usd-core ----


def objections(path):
    """What usd-core's own checks say of a stage: those of the versions from 25 on, or before."""
    try:
        from pxr import UsdValidation
    except ImportError:
        checker = UsdUtils.ComplianceChecker(rootPackageOnly=False, skipVariants=False)
        checker.CheckCompliance(str(path))
        return checker.GetErrors() + checker.GetFailedChecks() + checker.GetWarnings()
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 10
    errors = UsdValidation.ValidationContext(validators).Validate(Usd.Stage.Open(str(path)))
    return [error.GetMessage() for error in errors]


def test_nothing_is_objected_to(copies, tmp_path):
    for path in copies.values():
        assert objections(path) == []
    bad = Usd.Stage.CreateNew(str(tmp_path / "bad.usda"))
    UsdGeom.Xform.Define(bad, "/thing")
    bad.Save()
    assert objections(tmp_path / "bad.usda")  # no axis, no unit, no default prim


def test_stage_tells_units_axes_and_times(copies):
    for name, path in copies.items():
        stage = Usd.Stage.Open(str(path))
        host = PRESETS.get(name, PRESETS["usd"])
        up = "Y" if name == "up" else host.up.upper()
        assert UsdGeom.GetStageUpAxis(stage) == up
        assert UsdGeom.GetStageMetersPerUnit(stage) == host.unit
        assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == FPS
        assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (1, 4)
        assert stage.GetDefaultPrim().GetPath() == "/ring_1_b"
        assert not stage.GetCompositionErrors()


def test_points_are_the_tracers(stage, bake):
    points = UsdGeom.Points(at(stage, "tracers"))
    primvars = UsdGeom.PrimvarsAPI(points)
    for frame in bake.frames:
        tracers = tracer_files.read(bake.file(frame, ".npz"))
        for attribute, name in ((points.GetPointsAttr(), "position"), (points.GetIdsAttr(), "id"),
                                (points.GetVelocitiesAttr(), "velocity"),
                                (points.GetWidthsAttr(), "size"),
                                (primvars.GetPrimvar("id").GetAttr(), "id"),
                                (primvars.GetPrimvar("age").GetAttr(), "age"),
                                (primvars.GetPrimvar("density").GetAttr(), "density")):
            value = attribute.Get(frame)
            assert np.array_equal(np.array(value), tracers[name]), name
        low, high = np.array(points.GetExtentAttr().Get(frame))
        half = tracers["size"].max() / 2
        assert low == pytest.approx(tracers["position"].min(axis=0) - half)
        assert high == pytest.approx(tracers["position"].max(axis=0) + half)
    assert len({len(points.GetPointsAttr().Get(frame)) for frame in bake.frames}) > 1
    assert points.GetWidthsInterpolation() == primvars.GetPrimvar("id").GetInterpolation()
    assert points.GetWidthsInterpolation() == "vertex"


def test_fields_are_the_grids(copies, bake):
    stored = bake.data["volumes"]["grids"]
    for name, path in copies.items():
        stage = Usd.Stage.Open(str(path))
        volume = UsdVol.Volume(at(stage, "smoke"))
        names = GRID_PRESETS[PRESETS.get(name, PRESETS["usd"]).grids].grids
        paths = volume.GetFieldPaths()
        assert set(paths) == {names[grid] for grid in stored}
        for grid, fieldname in stored.items():
            field = UsdVol.OpenVDBAsset(stage.GetPrimAtPath(paths[names[grid]]))
            vector = grid == "velocity"
            assert field.GetFieldNameAttr().Get() == fieldname
            assert field.GetFieldClassAttr().Get() == ("unknown" if vector else "fogVolume")
            assert field.GetFieldDataTypeAttr().Get() == ("float3" if vector else "float")
            assert field.GetVectorDataRoleHintAttr().Get() == ("Vector" if vector else "None")
            for frame in bake.frames:
                found = Path(field.GetFilePathAttr().Get(frame).resolvedPath)
                assert found == path.parent / bake.file(frame, ".vdb").name and found.is_file()
        for frame in bake.frames:
            bounds = np.array(volume.GetExtentAttr().Get(frame))
            assert bounds == pytest.approx(np.array(bake.frame(frame)["bounds"]))


def test_bodies_are_where_they_were(stage, bake):
    assert [prim.GetName() for prim in at(stage, "bodies").GetChildren()] == [
        "plate", "the_ball", "body_2", "room"]
    for frame in bake.frames:
        plate = sorted_rows(world_points(at(stage, "bodies/plate"), frame))
        assert np.abs(plate - plate_at(frame)).max() < 1e-6
        ball = world_points(at(stage, "bodies/the_ball"), frame)
        place = bake.frame(frame)["bodies"]["1"][:3]
        assert np.linalg.norm(ball - place, axis=1) == pytest.approx(0.2, abs=1e-6)
    assert bake.frame(4)["bodies"]["1"][2] < -0.05
    union = world_points(at(stage, "bodies/body_2"), 1)
    assert union.min(axis=0) == pytest.approx((2.7, -0.3, -0.1))
    assert union.max(axis=0) == pytest.approx((3.3, 0.3, 3))
    assert UsdGeom.Imageable(at(stage, "bodies/room")).ComputePurpose() == "guide"


def test_bodies_turn_evenly_between_frames(stage):
    """Halfway between two frames the plate is as large as ever, and at half the angle."""
    plate = sorted_rows(world_points(at(stage, "bodies/plate"), 2.5))
    about = plate - plate.mean(axis=0)
    exact = plate_at(2.5) - plate_at(2.5).mean(axis=0)
    assert np.abs(about - exact).max() < 1e-6


def test_faces_look_outwards(stage):
    for prim in at(stage, "bodies").GetChildren():
        mesh = UsdGeom.Mesh(prim)
        points = np.array(mesh.GetPointsAttr().Get(), float)
        faces = np.split(np.array(mesh.GetFaceVertexIndicesAttr().Get()),
                         np.cumsum(mesh.GetFaceVertexCountsAttr().Get())[:-1])
        triangles = np.array([(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)])
        assert meshes.open_edges(triangles) == 0
        assert meshes.mesh_volume(points, triangles) > 0


def test_camera_sees_the_shot(copies, bake):
    boxes = np.array([bake.frame(n)["bounds"] for n in bake.frames])
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    for name in ("usd", "houdini", "maya"):
        stage = Usd.Stage.Open(str(copies[name]))
        frustum = UsdGeom.Camera(at(stage, "camera")).GetCamera(1).frustum
        root = UsdGeom.Xformable(stage.GetDefaultPrim()).ComputeLocalToWorldTransform(1)
        for corner in ((x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1])
                       for z in (low[2], high[2])):
            assert frustum.Intersects(root.Transform(Gf.Vec3d(*map(float, corner))))
        camera = UsdGeom.Camera(at(stage, "camera")).GetCamera(1)
        eye, middle = camera.frustum.position, root.Transform(Gf.Vec3d(*((low + high) / 2)))
        assert camera.focusDistance == pytest.approx((eye - middle).GetLength(), rel=0.2)
        assert camera.GetFieldOfView(Gf.Camera.FOVVertical) == pytest.approx(35, abs=1e-4)


def test_root_turns_and_scales(copies):
    """A point of the smoke in metres, Z up, as each stage has it."""
    for name, exact in (("usd", (1, 2, 3)), ("houdini", (1, 3, -2)), ("up", (1, 3, -2)),
                        ("maya", (100, 300, -200)), ("unreal", (100, 200, 300))):
        stage = Usd.Stage.Open(str(copies[name]))
        matrix = UsdGeom.Xformable(at(stage, "smoke")).ComputeLocalToWorldTransform(1)
        assert tuple(matrix.Transform(Gf.Vec3d(1, 2, 3))) == pytest.approx(exact)


def test_stage_may_be_referenced_from_elsewhere(copies, bake, tmp_path):
    """In a shot of another folder, moved in time: its default prim brings all along."""
    shot = Usd.Stage.CreateNew(str(tmp_path / "shot.usda"))
    shot.SetTimeCodesPerSecond(FPS)
    fire = UsdGeom.Xform.Define(shot, "/shot/fire").GetPrim()
    fire.GetReferences().AddReference(str(copies["usd"]), layerOffset=Sdf.LayerOffset(1000))
    tracers = tracer_files.read(bake.file(3, ".npz"))
    points = UsdGeom.Points(shot.GetPrimAtPath("/shot/fire/tracers"))
    assert np.array_equal(points.GetPointsAttr().Get(1003), tracers["position"])
    fields = UsdVol.Volume(shot.GetPrimAtPath("/shot/fire/smoke")).GetFieldPaths()
    field = UsdVol.OpenVDBAsset(shot.GetPrimAtPath(fields["density"]))
    file = field.GetFilePathAttr().Get(1003)
    assert Path(file.resolvedPath).samefile(copies["usd"].parent / bake.file(3, ".vdb").name)
    plate = world_points(shot.GetPrimAtPath("/shot/fire/bodies/plate"), 1003)
    assert np.abs(sorted_rows(plate) - plate_at(3)).max() < 1e-6


def test_gap_shows_nothing(tmp_path, bake):
    folder = shutil.copytree(bake.folder, tmp_path / "gap")
    path = folder / f"{NAME}.json"
    data = Manifest.load(path).data
    data["frames"] = [record for record in data["frames"] if record["frame"] != 2]
    Manifest(path, data).save()
    stage = Usd.Stage.Open(str(make_stage(folder, progress=False)))
    files = UsdVol.OpenVDBAsset(at(stage, "smoke/density")).GetFilePathAttr()
    assert [bool(files.Get(n)) for n in (1, 2, 3, 4)] == [True, False, True, True]
    assert len(at(stage, "tracers").GetAttribute("points").Get(3)) == data["frames"][1]["tracers"]


def test_text_is_read_as_it_was_meant():
    random = np.random.default_rng(4)
    doubles = np.concatenate([random.normal(size=200) * 10.0 ** random.integers(-300, 300, 200),
                              [0.1, 1e22, 5e-324, -0.0]])
    floats = doubles.clip(-1e38, 1e38).astype(np.float32)
    words = ["a", 'quoted "b"', "back\\slash", "naïve 水"]
    attributes = [
        text.Attribute("double[]", "doubles", doubles),
        text.Attribute("float[]", "floats", floats),
        text.Attribute("float3[]", "rows", floats[:201].reshape(-1, 3)),
        text.Attribute("string[]", "words", words),
        text.Attribute("asset", "file", text.Asset("./a b@c'd.vdb")),
        text.Attribute("bool", "flag", True),
        text.over_frames("int", "same", {1: 7, 2: 7}),
        text.over_frames("int", "other", {1: 7, 2: 8, 4: None}, displayName='x "y"'),
    ]
    prim = text.Prim("Scope", text.identifier("1 é-b"), attributes)
    layer = Sdf.Layer.CreateAnonymous(".usda")
    assert layer.ImportFromString(text.layer_text({"doc": words[1]}, [prim]))
    stage = Usd.Stage.Open(layer)
    found = stage.GetPrimAtPath("/_1___b")
    assert np.array_equal(found.GetAttribute("doubles").Get(), doubles)
    assert np.array_equal(found.GetAttribute("floats").Get(), floats)
    assert np.array_equal(found.GetAttribute("rows").Get(), floats[:201].reshape(-1, 3))
    assert list(found.GetAttribute("words").Get()) == words and layer.documentation == words[1]
    assert found.GetAttribute("file").Get().path == "./a b@c'd.vdb"
    assert found.GetAttribute("flag").Get() is True
    assert found.GetAttribute("same").GetNumTimeSamples() == 0
    other = found.GetAttribute("other")
    assert [other.Get(n) for n in (1, 2, 4)] == [7, 8, None] and other.GetDisplayName() == 'x "y"'


# ---- Blender ----


@pytest.fixture(scope="module")
def in_blender(copies, tmp_path_factory):
    """What Blender shows at frame 3 of stages of three kinds."""
    folder = tmp_path_factory.mktemp("blender")
    result = folder / "result.json"
    stages = [str(copies[name]) for name in ("usd", "up", "unreal")]
    done = subprocess.run([blender_python(), str(READER), str(result), "3", *stages], check=False,
                          capture_output=True, text=True, env=environment_of(folder))
    assert result.exists(), done.stdout + done.stderr
    return json.loads(result.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["usd", "up", "unreal"])
def test_blender_shows_it_in_place(in_blender, bake, name):
    found = in_blender[f"{name}.usda"]
    tracers = tracer_files.read(bake.file(3, ".npz"))
    middle = tracers["density"] @ tracers["position"] / tracers["density"].sum()
    (volume,), (points,), (camera,) = found["volume"], found["points"], found["camera"]
    assert volume["middle"] == pytest.approx(middle, abs=0.1 * bake.data["volumes"]["voxel"])
    assert volume["file"] == bake.file(3, ".vdb").name and volume["frames"] == [1, 4]
    assert np.array(points["position"]) == pytest.approx(tracers["position"], abs=1e-5)
    assert np.array(points["velocity"]) == pytest.approx(tracers["velocity"], abs=1e-5)
    assert points["id"] == tracers["id"].tolist()
    assert points["radius"] == pytest.approx(tracers["size"] / 2, rel=1e-5)
    assert np.abs(sorted_rows(found["meshes"]["plate"]) - plate_at(3)).max() < 1e-5
    ball = np.array(found["meshes"]["the_ball"]) - bake.frame(3)["bodies"]["1"][:3]
    assert np.linalg.norm(ball, axis=1) == pytest.approx(0.2, abs=1e-5)
    assert found["frames"] == [1, 4, FPS]
    assert np.linalg.norm(camera[0]) > 2


# ---- what is refused ----


def test_command(bake, tmp_path, capsys, monkeypatch):
    folder = shutil.copytree(bake.folder, tmp_path / "bake")
    assert main(["stage", str(folder), "--preset", "karma", "--quiet"]) == 0
    assert capsys.readouterr().out.strip() == str(folder / f"{NAME}.usda")
    stage = Usd.Stage.Open(str(folder / f"{NAME}.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and at(stage, "tracers")
    for name in ("pxr", "pxr.Sdf"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["stage", str(folder), "--quiet"]) == 1
    assert "pip install usd-core" in capsys.readouterr().err
    assert main(["stage", str(folder), "--no-points", "--quiet"]) == 0
    monkeypatch.undo()
    del stage  # it would be shown as it was read
    stage = Usd.Stage.Open(str(folder / f"{NAME}.usda"))
    assert not at(stage, "tracers") and at(stage, "smoke")


def test_bakes_with_less(tmp_path):
    """Without volumes the camera sees the tracers; without anything yet there is no stage."""
    scene = vt.Scene("few", seed=1)
    scene.add(vt.Tracers(vt.Sphere((9, 0, 0), 0.5), count=50))
    quiet(scene, tmp_path / "few", frames=(1, 1), volumes=None)
    stage = Usd.Stage.Open(str(make_stage(tmp_path / "few", progress=False)))
    assert [prim.GetName() for prim in stage.GetDefaultPrim().GetChildren()] == [
        "tracers", "camera"]
    frustum = UsdGeom.Camera(stage.GetPrimAtPath("/few/camera")).GetCamera(1).frustum
    assert frustum.Intersects(Gf.Vec3d(9, 0, 0)) and not frustum.Intersects(Gf.Vec3d(0, 0, 0))
    manifest = Manifest.find(tmp_path / "few")
    Manifest(manifest.path, {**manifest.data, "frames": []}).save()
    with pytest.raises(ValueError, match="no frame is baked"):
        make_stage(tmp_path / "few")
    with pytest.raises(ValueError, match="preset"):
        make_stage(tmp_path / "few", preset="max")
    with pytest.raises(ValueError, match="up = 'x'"):
        make_stage(tmp_path / "few", up="x")
    with pytest.raises(ValueError, match="holds no bake"):
        make_stage(tmp_path)


def test_empty_frames_stay_empty(tmp_path):
    """Before the first smoke there is a box without size, and points of none."""
    scene = vt.Scene("late", seed=1, voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(radius=0.5), count=50, start=1 / 24))
    quiet(scene, tmp_path, frames=(1, 3), volumes=Volumes(voxel=0.1))
    stage = Usd.Stage.Open(str(make_stage(tmp_path, progress=False)))
    points = UsdGeom.Points(stage.GetPrimAtPath("/late/tracers"))
    volume = UsdVol.Volume(stage.GetPrimAtPath("/late/smoke"))
    assert [len(points.GetPointsAttr().Get(n)) for n in (1, 3)] == [0, 50]
    assert np.ptp(np.array(volume.GetExtentAttr().Get(1))) == 0
    assert np.ptp(np.array(volume.GetExtentAttr().Get(3))) > 0.9


def test_layers_say_of_which_bake_they_are(tmp_path, capsys):
    """As usd-core reads them; clips of another bake are named, and replaced."""
    quiet(small_scene(), tmp_path, frames=(1, 3))
    make_stage(tmp_path, progress=False)
    layers = [str(tmp_path / f"ring{end}.usda") for end in ("", ".points")]
    told = {Sdf.Layer.OpenAsAnonymous(path).customLayerData["madeOf"] for path in layers}
    bake, frames = sorted(told, key=len)  # what declares the points of a frame is not of all
    assert bake.startswith("vorton bake ") and frames.startswith(f"{bake} frames ")
    assert main(["info", str(tmp_path)]) == 0
    quiet(small_scene(seed=4), tmp_path, frames=(1, 2), overwrite=True)
    capsys.readouterr()
    assert main(["info", str(tmp_path)]) == 1
    named = "ring.usda, ring.points.usda, ring_0001.usdc and 2 files more are of another bake"
    assert f"stale      {named}" in capsys.readouterr().out
    make_stage(tmp_path, progress=False)
    assert main(["info", str(tmp_path)]) == 0
    assert not (tmp_path / "ring_0003.usdc").exists()
