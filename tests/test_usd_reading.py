"""Bodies and cameras that are read from USD, compared with what usd-core says of the stage."""

import json
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from with_blender import blender_python, environment_of

import vorton as vt
from vorton.files import tracer_files
from vorton.geometry import meshes
from vorton.hosts.shape_meshes import mesh_of
from vorton.hosts.usd import make_stage, read_bodies, read_camera
from vorton.preview import Camera

pytest.importorskip("pxr")
from bakes import quiet  # noqa: E402
from pxr import Gf, Usd, UsdGeom  # noqa: E402

WRITER = Path(__file__).resolve().parent / "hosts" / "write_set.py"
FPS = 12
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def add_mesh(stage, path, points, faces, **options):
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr([Gf.Vec3f(*map(float, point)) for point in points])
    mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
    mesh.CreateFaceVertexIndicesAttr([i for face in faces for i in face])
    if options.get("left"):
        mesh.CreateOrientationAttr(UsdGeom.Tokens.leftHanded)
    return mesh


def make_set(path, up="Y", unit=0.01):
    """A wedge on a turntable that is mirrored, squeezed and lifted; a box that rests; a floor."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, up)
    UsdGeom.SetStageMetersPerUnit(stage, unit)
    stage.SetTimeCodesPerSecond(2 * FPS)
    stage.SetFramesPerSecond(FPS)
    stage.SetStartTimeCode(11)
    stage.SetEndTimeCode(19)
    table = UsdGeom.Xform.Define(stage, "/set/table")
    turn, lift = table.AddRotateXYZOp(), table.AddTranslateOp()
    for time in range(11, 20):
        turn.Set(Gf.Vec3f(10.0 * time, 45, 5.0 * time), time)
        lift.Set(Gf.Vec3d(0, 30 + time**1.5, 0), time)
    points = CUBE.copy()
    points[4:, 1:] *= 0.5  # no box any more
    wedge = add_mesh(stage, "/set/table/wedge", 20 * points, QUADS, left=False)
    wedge.AddScaleOp().Set(Gf.Vec3f(1, -0.5, 2))
    add_mesh(stage, "/set/box", [p * (10, 20, 30) + (100, 0, 0) for p in CUBE],
             [face[::-1] for face in QUADS], left=True)
    add_mesh(stage, "/set/floor", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2, 3)])
    hidden = add_mesh(stage, "/set/hidden", CUBE, QUADS)
    hidden.CreateVisibilityAttr(UsdGeom.Tokens.invisible)
    guide = add_mesh(stage, "/set/guide", CUBE, QUADS)
    guide.CreatePurposeAttr(UsdGeom.Tokens.guide)
    camera = UsdGeom.Camera.Define(stage, "/set/camera")
    camera.CreateFocalLengthAttr(40)
    camera.CreateVerticalApertureAttr(20)
    camera.CreateFocusDistanceAttr(300)
    place = camera.AddTransformOp()
    for time in (11, 19):
        turned = Gf.Matrix4d().SetRotate(Gf.Rotation(Gf.Vec3d(1, 1, 0), 10.0 * time))
        place.Set(turned * Gf.Matrix4d().SetTranslate(Gf.Vec3d(time, 200, 5)), time)
    stage.Save()
    return stage


def in_metres(stage, points):
    """Points of the world of a stage in metres, Z up."""
    points = np.asarray(points, float) * UsdGeom.GetStageMetersPerUnit(stage)
    if UsdGeom.GetStageUpAxis(stage) == "Z":
        return points
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def world_points(stage, path, time):
    prim = stage.GetPrimAtPath(path)
    matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time))
    points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(time), float)
    return in_metres(stage, points @ matrix[:3, :3] + matrix[3, :3])


def body_points(body, time):
    """Vertices of a body in the world."""
    core = vt._core.Simulation(max_vortons=1, max_tracers=1)
    pose = core.pose(body.parent._add_to(core), time) if body.parent else np.eye(3, 4)
    return mesh_of(body.shape).placed() @ pose[:, :3].T + pose[:, 3]


@pytest.mark.parametrize("up, unit", [("Y", 0.01), ("Z", 1.0)])
def test_bodies_are_where_the_stage_has_them(tmp_path, up, unit):
    stage = make_set(tmp_path / "set.usdc", up, unit)
    bodies = {body.name: body for body in read_bodies(tmp_path / "set.usdc")}
    assert list(bodies) == ["wedge", "box", "floor"]
    size = 100 * unit
    for n in range(5):  # a frame is two time codes
        exact = world_points(stage, "/set/table/wedge", 11 + 2 * n)
        assert np.abs(body_points(bodies["wedge"], n / FPS) - exact).max() < 1e-5 * size
        between = body_points(bodies["wedge"], (n + 0.5) / FPS)
        assert np.abs(np.ptp(between, axis=0)).max() < 5 * size
    box = bodies["box"].shape
    exact = world_points(stage, "/set/box", 11)
    assert isinstance(box, vt.Box) and bodies["box"].parent is not None or up == "Z"
    placed = body_points(bodies["box"], 0)
    assert placed.min(axis=0) == pytest.approx(exact.min(axis=0), abs=1e-6)
    assert placed.max(axis=0) == pytest.approx(exact.max(axis=0), abs=1e-6)
    assert isinstance(bodies["floor"].shape, vt.Plane)
    scene = vt.Scene("set", method=vt.Method(bodies="none"))
    for body in bodies.values():
        scene.add(body)
    sim = vt.Simulation(scene, FPS)
    sim.step(4)
    assert [body.name for body in sim.bodies] == ["wedge", "box", "floor"]
    triangles = [(f[0], f[i], f[i + 1]) for f in QUADS for i in (1, 2)]
    exact = abs(meshes.mesh_volume(world_points(stage, "/set/table/wedge", 11),
                                      np.array(triangles)))
    assert bodies["wedge"].shape.volume == pytest.approx(exact, rel=1e-5)


def test_shapes_without_a_mesh(tmp_path):
    stage = Usd.Stage.CreateNew(str(tmp_path / "shapes.usda"))
    UsdGeom.SetStageUpAxis(stage, "Y")
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    UsdGeom.Sphere.Define(stage, "/ball").CreateRadiusAttr(50)
    cube = UsdGeom.Cube.Define(stage, "/cube")
    cube.CreateSizeAttr(100)
    cube.AddScaleOp().Set(Gf.Vec3f(1, 2, 3))
    for axis in "XYZ":
        post = UsdGeom.Cylinder.Define(stage, f"/post{axis}")
        pill = UsdGeom.Capsule.Define(stage, f"/pill{axis}")
        for prim in (post, pill):
            prim.CreateAxisAttr(axis)
            prim.CreateRadiusAttr(10)
            prim.CreateHeightAttr(100)
            prim.AddTranslateOp().Set(Gf.Vec3d(0, 300, 0))
    stage.Save()
    found = {body.name: body for body in read_bodies(tmp_path / "shapes.usda")}
    assert found["ball"].shape == vt.Sphere(radius=0.5)
    assert type(found["cube"].shape) is vt.Box
    for axis, way in zip("XYZ", np.eye(3)):
        post, pill = found[f"post{axis}"].shape, found[f"pill{axis}"].shape
        assert post == vt.Cylinder(radius=0.1, length=1, axis=tuple(way))
        assert pill == vt.Capsule(tuple(-0.5 * way), tuple(0.5 * way), 0.1)
    ends = {"ball": (0.5, 0.5, 0.5), "cube": (0.5, 1.5, 1),
            "postX": (0.5, 0.1, 0.1), "postY": (0.1, 0.1, 0.5), "postZ": (0.1, 0.5, 0.1),
            "pillX": (0.6, 0.1, 0.1), "pillY": (0.1, 0.1, 0.6), "pillZ": (0.1, 0.6, 0.1)}
    assert set(found) == set(ends)
    for name, half in ends.items():
        height = 0 if name in ("ball", "cube") else 3
        points = body_points(found[name], 0) - (0, 0, height)
        assert points.max(axis=0) == pytest.approx(half, abs=1e-3), name
        assert points.min(axis=0) == pytest.approx(-np.array(half), abs=1e-3), name
    UsdGeom.Sphere.Get(stage, "/ball").GetRadiusAttr().Set(60, 5)
    UsdGeom.Sphere.Get(stage, "/ball").GetRadiusAttr().Set(70, 6)
    stage.Save()
    with pytest.raises(ValueError, match="/ball: its radius changes in time"):
        read_bodies(tmp_path / "shapes.usda")


def test_motion_of_a_stage_that_does_not_say_how_long_it_is(tmp_path):
    """From the first sample to the last; points that move are a deformation."""
    stage = Usd.Stage.CreateNew(str(tmp_path / "moves.usda"))
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    stage.SetTimeCodesPerSecond(12)
    ball = UsdGeom.Sphere.Define(stage, "/ball")
    way = ball.AddTranslateOp()
    way.Set(Gf.Vec3d(0, 0, 0), 3)
    way.Set(Gf.Vec3d(6, 0, 0), 9)
    box = add_mesh(stage, "/box", CUBE, QUADS)
    points = np.array(UsdGeom.Mesh(stage.GetPrimAtPath("/box")).GetPointsAttr().Get(), float)
    for code, factor in ((3, 1.0), (9, 2.0)):
        rows = [Gf.Vec3f(*map(float, row)) for row in factor * points]
        UsdGeom.Mesh(stage.GetPrimAtPath("/box")).GetPointsAttr().Set(rows, code)
    box.AddScaleOp().Set(Gf.Vec3f(1, 2, 1))
    stage.Save()
    found = {body.name: body for body in read_bodies(tmp_path / "moves.usda")}
    assert found["ball"].parent.position.at(0) == (0, 0, 0)
    assert found["ball"].parent.position.at(0.25) == pytest.approx((3, 0, 0))
    soft = found["box"].deformation
    assert soft.fps == 12 and len(soft.vertices) == 7 and found["ball"].deformation is None
    for frame, factor in ((0, 1), (3, 1.5), (6, 2)):
        wanted = factor * points * (1, 2, 1)
        assert np.abs(soft.vertices[frame] - wanted).max() < 1e-5
    late = read_bodies(tmp_path / "moves.usda", prims=["/ball"], start=6)[0]
    assert late.parent.position.at(0) == pytest.approx((3, 0, 0))


def test_only_what_is_asked_for(tmp_path):
    make_set(tmp_path / "set.usda")
    found = read_bodies(tmp_path / "set.usda", prims=["/set/box", "/set/table"])
    assert [body.name for body in found] == ["box", "wedge"]
    late = read_bodies(tmp_path / "set.usda", prims=["/set/table"], start=15)[0]
    whole = found[1]
    assert np.abs(body_points(late, 1 / FPS) - body_points(whole, 3 / FPS)).max() < 1e-6


def test_round_trip(tmp_path):
    """Bodies of a bake, written as a stage and read again."""
    still = vt.Method(bodies="none")
    scene = vt.Scene("trip", seed=1, method=still)
    turn = vt.Transform(position=(0, 0, 1), axis=(1, 2, 0), angle=vt.Keys([(0, 5), (1, 90)]))
    ball = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (0.25, (3, 1, 0))]))
    scene.add(vt.Body(vt.Box((-0.5, -0.1, 0.1), (0.3, 0.1, 0.2)), name="plate", parent=turn))
    scene.add(vt.Body(vt.Sphere((5, 0, 0), 0.2), name="ball", parent=ball))
    scene.add(vt.Body(vt.Cylinder((0, 5, 0), 0.5, 2), name="post"))
    scene.add(vt.Tracers(vt.Sphere((0, 9, 0), 0.5), count=5))
    quiet(scene, tmp_path, fps=FPS, volumes=None)
    for preset in ("usd", "maya"):
        path = make_stage(tmp_path, preset=preset, progress=False)
        found = read_bodies(path)
        assert [body.name for body in found] == ["plate", "ball", "post"]
        assert [type(body.shape) for body in found] == [vt.Box, vt.Sphere, vt.Cylinder]
        again = vt.Scene("again", method=still)
        for body in found:
            again.add(body)
        before, after = vt.Simulation(scene, FPS), vt.Simulation(again, FPS)
        start = [(a.rotation, b.rotation) for a, b in zip(before.bodies, after.bodies)]
        for _ in range(4):
            for a, b, (ra, rb) in zip(before.bodies, after.bodies, start):
                assert np.array(b.position) == pytest.approx(np.array(a.position), abs=2e-6)
                assert angle_between(turned(a.rotation, ra), turned(b.rotation, rb)) < 1e-5
            before.step()
            after.step()
        assert angle_between(before.bodies[0].rotation, start[0][0]) > 0.3


def turned(now, start):
    """The quaternion that turns from one rotation to another."""
    return Gf.Quatd(*now) * Gf.Quatd(*start).GetInverse()


def angle_between(a, b):
    a, b = (q if isinstance(q, Gf.Quatd) else Gf.Quatd(*q) for q in (a, b))
    return 2 * np.linalg.norm((a * b.GetInverse()).imaginary)


def test_cameras(tmp_path):
    stage = make_set(tmp_path / "set.usda")
    cameras = read_camera(tmp_path / "set.usda")
    assert len(cameras) == 5
    for n, time in ((0, 11), (4, 19)):  # keyed there
        axis, angle = np.array((1, 1, 0)) / math.sqrt(2), math.radians(10 * time)
        cross = np.cross(np.eye(3), axis)
        turn = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
        eye, view, up = in_metres(stage, [(time, 200, 5), -300 * turn[:, 2], 100 * turn[:, 1]])
        assert cameras[n].eye == pytest.approx(eye, abs=1e-6)
        assert np.subtract(cameras[n].target, eye) == pytest.approx(view, abs=1e-5)
        assert cameras[n].up == pytest.approx(up, abs=1e-6)
        exact = math.degrees(2 * math.atan(20 / 2 / 40))
        assert cameras[n].field_of_view == pytest.approx(exact)
    assert cameras[2].eye == pytest.approx(in_metres(stage, (15, 200, 5)))
    bake = vt.Scene("seen", seed=1)
    bake.add(vt.Tracers(vt.Sphere((9, 0, 0), 0.5), count=50))
    manifest = quiet(bake, tmp_path / "seen", volumes=None)
    (first, *others) = read_camera(make_stage(tmp_path / "seen", preset="maya", progress=False))
    tracers = tracer_files.read(manifest.file(1, ".npz"))
    half = tracers["size"].max() / 2
    ends = tracers["position"].min(axis=0) - half, tracers["position"].max(axis=0) + half
    exact = Camera.frame(*ends, (1920, 1080))
    for name in ("eye", "target", "up", "field_of_view"):
        found, wanted = np.array(getattr(first, name)), np.array(getattr(exact, name))
        if name == "up":  # straight up or upright in the picture: the same pictures
            view = np.subtract(exact.target, exact.eye)
            found, wanted = np.cross(view, found), np.cross(view, wanted)
            found, wanted = found / np.linalg.norm(found), wanted / np.linalg.norm(wanted)
        assert found == pytest.approx(wanted, abs=1e-5), name
    assert others == [first] * 3


def test_what_cannot_be_read(tmp_path):
    stage = make_set(tmp_path / "set.usda")
    path = tmp_path / "set.usda"
    with pytest.raises(FileNotFoundError, match="none.usda: no such file"):
        read_bodies(tmp_path / "none.usda")
    (tmp_path / "bad.usda").write_text("no stage")
    with pytest.raises(ValueError, match="bad.usda: is not a USD stage"):
        read_bodies(tmp_path / "bad.usda")
    for wrong in ("/nowhere", "not a path"):
        with pytest.raises(ValueError, match=f"prims: '{wrong}' is not the path of a prim"):
            read_bodies(path, prims=[wrong])
    with pytest.raises(ValueError, match="holds no visible mesh"):
        read_bodies(path, prims=["/set/hidden"])
    with pytest.raises(ValueError, match="must hold one camera.*none"):
        read_camera(path, prim="/set/box")
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/set/box"))
    points = mesh.GetPointsAttr()
    points.Set(points.Get(), 11)
    points.Set(list(points.Get())[:-1], 15)
    stage.Save()
    with pytest.raises(ValueError, match="/set/box: it has 7 points at time code 15, 8 at first"):
        read_bodies(path)
    for wrong in ("/set/box", 3):
        with pytest.raises(TypeError, match="prims = .*: must be a list of paths"):
            read_bodies(path, prims=wrong)
    points.Clear()
    points.Set([(0, 0, 0)] * 3)
    stage.Save()
    with pytest.raises(ValueError, match="/set/box: its faces have corners that are not among"):
        read_bodies(path)
    add_mesh(stage, "/set/box", CUBE, QUADS[1:])
    stage.Save()
    with pytest.raises(ValueError, match="/set/box: its mesh is open"):
        read_bodies(path)
    stage.GetPrimAtPath("/set/box").SetActive(False)
    UsdGeom.Xformable(stage.GetPrimAtPath("/set/table")).AddScaleOp().Set(Gf.Vec3f(1, 2, 1))
    turn = add_mesh(stage, "/set/table/leaning", CUBE, QUADS).AddRotateZOp()
    turn.Set(45)
    stage.Save()
    (leaning,) = read_bodies(path, prims=["/set/table/leaning"])
    away = np.linalg.norm(leaning.shape.vertices[:, None] - leaning.shape.vertices, axis=2)
    prism = np.ptp(CUBE, axis=0) * UsdGeom.GetStageMetersPerUnit(stage)
    ends = np.hypot(*prism[:2]) * np.array((1, 2))  # diagonals of a square, one twice as long
    assert away.max() == pytest.approx(np.hypot(ends[1], prism[2]), rel=1e-5)
    assert leaning.shape.volume == pytest.approx(2 * prism.prod(), rel=1e-5)
    turn.Set(45, 1)
    turn.Set(60, 24)
    stage.Save()
    with pytest.raises(ValueError, match="/set/table/leaning: it is sheared another way"):
        read_bodies(path, prims=["/set/table/leaning"])


# ---- Blender ----


@pytest.mark.slow
def test_what_blender_writes(tmp_path):
    """Bodies and the camera of a stage that another program has written."""
    result, path = tmp_path / "result.json", tmp_path / "set.usdc"
    command = [blender_python(), str(WRITER), str(result), str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True,
                          env=environment_of(tmp_path, library=False))
    assert result.exists(), done.stdout + done.stderr
    report = json.loads(result.read_text())
    found = {body.name: body for body in read_bodies(path)}
    assert set(found) == {"crate", "rock"}
    for name, points in report["vertices"].items():
        for n, matrices in enumerate(report["matrices"]):
            matrix = np.array(matrices[name])
            exact = np.array(points) @ matrix[:3, :3].T + matrix[:3, 3]
            placed = body_points(found[name], n / FPS)
            away = np.linalg.norm(placed[:, None] - exact, axis=2)
            assert away.min(axis=0).max() < 2e-5 and away.min(axis=1).max() < 2e-5, (name, n)
    cameras = read_camera(path)
    assert len(cameras) == len(report["matrices"])
    matrix = np.array(report["matrices"][0]["camera"])
    view = np.subtract(cameras[0].target, cameras[0].eye)
    assert cameras[0].eye == pytest.approx(matrix[:3, 3], abs=1e-5)
    assert view / np.linalg.norm(view) == pytest.approx(-matrix[:3, 2], abs=1e-5)
    assert cameras[0].field_of_view == pytest.approx(40, abs=1e-3)
