"""Bodies: shapes and their distances (VALIDATION S1), definitions, motion, bad input."""

import ctypes
import itertools
import json
import math

import numpy as np
import pytest
from marks import slow_but
from native import load
from scipy.spatial import ConvexHull, Delaunay
from scipy.spatial.transform import Rotation
from sheets import sheet

import vorton as vt

RNG = np.random.default_rng(11)
CUBE = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * 0.5
TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0.2, 1.1, 0), (0.3, 0.2, 0.9)])
HULLS = {
    "cube": CUBE,
    "tetrahedron": TETRAHEDRON,
    "plate": CUBE * (1.6, 1.6, 0.02),
    "random": RNG.normal(0, 0.4, (30, 3)),
}


def simulation(*items, panels="none"):
    """Of bodies that lie and move; by default without a flow that panels would make."""
    scene = vt.Scene("bodies", voxel=0.1, method=vt.Method(bodies=panels))
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, threads=1)


def planes_of(points):
    """Half-spaces of qhull: n . x <= d."""
    equations = ConvexHull(points.astype(np.float32).astype(np.float64)).equations
    return equations[:, :3], -equations[:, 3]


def around(points, count=20_000, seed=1):
    middle, size = points.mean(axis=0), np.ptp(points, axis=0).max()
    return middle + np.random.default_rng(seed).uniform(-1, 1, (count, 3)) * size


def project(normals, offsets, x):
    """Exact projection onto an intersection of half-spaces: Dykstra's algorithm for one point."""
    y, corrections = x.copy(), np.zeros_like(normals)
    for _ in range(20_000):
        before = y.copy()
        for k in range(len(offsets)):
            z = y + corrections[k]
            y = z - normals[k] * max(0.0, normals[k] @ z - offsets[k])
            corrections[k] = z - y
        if np.abs(y - before).max() < 1e-14:
            break
    return y


# ---- S1: geometry ----


@pytest.mark.parametrize("name", HULLS)
def test_s1_sign_and_depth_against_qhull(name):
    """20 000 points: the sign is never wrong, inside the distance is that of the nearest plane."""
    points = HULLS[name]
    normals, offsets = planes_of(points)
    x = np.concatenate([around(points), points.mean(axis=0) + 0.3 * (around(points) - 0)])
    expected = (x @ normals.T - offsets).max(axis=1)
    found, nearest, normal = simulation(vt.Body(vt.Polytope(points))).body_distance(0, x)
    clear = np.abs(expected) > 1e-9
    assert (expected < 0).sum() > 100
    assert ((found < 0) == (expected < 0))[clear].all()
    inside = expected < 0
    np.testing.assert_allclose(found[inside], expected[inside], atol=1e-9)
    assert (found[~inside] >= expected[~inside] - 1e-9).all()
    # the nearest point lies on the surface, at that distance, along the normal
    on_surface = (nearest @ normals.T - offsets).max(axis=1)
    np.testing.assert_allclose(on_surface, 0, atol=1e-9)
    np.testing.assert_allclose(nearest + normal * found[:, None], x, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("name", slow_but(HULLS.keys() - {"random"}, HULLS))
def test_s1_nearest_point_is_the_projection(name):
    points = HULLS[name]
    normals, offsets = planes_of(points)
    merged = np.unique(np.round(np.column_stack([normals, offsets]), 9), axis=0)
    x = around(points, 40, seed=2)
    x = x[(x @ normals.T - offsets).max(axis=1) > 0.01]
    found, nearest, _ = simulation(vt.Body(vt.Polytope(points))).body_distance(0, x)
    for point, distance, at in zip(x, found, nearest, strict=True):
        exact = project(merged[:, :3], merged[:, 3], point)
        assert distance == pytest.approx(np.linalg.norm(point - exact), abs=1e-6)
        np.testing.assert_allclose(at, exact, atol=1e-5)


def fine_hull(count=1500):
    """Points evenly spread on a ball of radius .5, cut flat below."""
    n = np.arange(count) + 0.5
    z, turn = 1 - 2 * n / count, np.pi * (1 + 5**0.5) * n
    side = np.sqrt(1 - z**2)
    points = 0.5 * np.column_stack([side * np.cos(turn), side * np.sin(turn), z])
    return np.maximum(points, (-1, -1, -0.3)).astype(np.float32).astype(float)


@pytest.mark.slow
def test_s1_a_hull_of_thousands_of_faces():
    """Those far from a point are not looked at. Beyond a convex body y is the point nearest to x
    where no corner v has (x - y) . (v - y) > 0."""
    points = fine_hull()
    normals, offsets = planes_of(points)
    assert len(offsets) > 2000
    spread = np.random.default_rng(8)
    x = np.concatenate([spread.uniform(-1, 1, (1500, 3)), spread.normal(0, 1e-3, (50, 3)),
                        points[:500] * spread.uniform(0.99, 1.01, (500, 1)), 40 * points[::10]])
    expected = (x @ normals.T - offsets).max(axis=1)
    found, nearest, normal = simulation(vt.Body(vt.Polytope(points))).body_distance(0, x)
    inside = expected < 0
    np.testing.assert_allclose(found[inside], expected[inside], atol=1e-9)
    assert (found[~inside] >= expected[~inside] - 1e-9).all()
    np.testing.assert_allclose((nearest @ normals.T - offsets).max(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(nearest + normal * found[:, None], x, atol=1e-12)
    away, foot = (x - nearest)[~inside], nearest[~inside]
    beyond = (away @ points.T).max(axis=1) - (away * foot).sum(axis=1)
    assert (beyond < 1e-9 * np.linalg.norm(away, axis=1)).all()


def test_the_search_for_a_face_begins_at_one_from_any_point():
    """Also where a share of the way from the middle is infinite, or no number."""
    code = """
        #include "geometry/face_tree.h"
        int32_t cell_of(const double *point)
        {
            int32_t behind[VT_CUBE];
            for (int32_t n = 0; n < VT_CUBE; n++)
                behind[n] = n;
            const vt_face_tree tree = {.behind = behind};
            return vti_guess_face(&tree, point);
        }
        """
    library = load("csrc/geometry/face_tree.c", code=code)
    sizes = [5e-324, 1e-310, 1e-300, 2e-300, 1e-9, 1.0, 1e300, math.inf]
    values = [0.0, math.nan, *sizes, *(-size for size in sizes)]
    cells = 6**3
    for point in itertools.product(values, repeat=3):
        assert 0 <= library.cell_of((ctypes.c_double * 3)(*point)) < cells, point
    middles = {library.cell_of((ctypes.c_double * 3)(*way)) for way in around(CUBE)}
    assert middles == set(range(cells))


def test_particles_meet_a_hull_of_thousands_of_faces_as_they_meet_a_ball():
    """A gale without a flow around it blows them against the one and the other."""
    found = []
    for shape in (vt.Polytope(fine_hull()), vt.Sphere(radius=0.5)):
        scene = vt.Scene(wind=(30, 0, 0), voxel=0.1)
        scene.add(vt.Body(shape, panels=0))
        scene.add(vt.Tracers(vt.Box((-3, -0.7, -0.2), (-2, 0.7, 0.7)), count=3000))
        sim = vt.Simulation(scene, fps=24, threads=1)
        start = np.array(sim.tracers.position, dtype=float)
        sim.step(2)
        found.append(np.array(sim.tracers.position, dtype=float))
        assert (sim.body_distance(0, found[-1])[0] > -1e-6).all()
    held = np.linalg.norm(found[1] - start - (2.5, 0, 0), axis=1) > 1e-3
    apart = np.linalg.norm(found[0] - found[1], axis=1)
    assert 500 < held.sum() < 2500
    assert np.quantile(apart[~held], 0.99) < 1e-3  # but for those that just touch
    assert apart[held].max() < 0.1 and np.median(apart[held]) < 0.02


def distance_to_round(kind, x):
    """Signed distances by the textbook."""
    if kind == "sphere":
        return np.linalg.norm(x - (0.1, 0.2, 0.3), axis=1) - 0.7
    if kind == "plane":
        n = np.array([1.0, 2.0, 2.0]) / 3
        return (x - (0.1, 0, 0)) @ n
    a, b = np.array([-0.3, 0.1, 0.0]), np.array([0.5, 0.4, 0.6])
    axis, length = (b - a) / np.linalg.norm(b - a), np.linalg.norm(b - a)
    along = (x - (a + b) / 2) @ axis
    across = np.linalg.norm(x - (a + b) / 2 - along[:, None] * axis, axis=1)
    if kind == "capsule":
        return np.hypot(across, np.maximum(np.abs(along) - length / 2, 0)) - 0.25
    side, end = across - 0.25, np.abs(along) - length / 2
    outside = np.hypot(np.maximum(side, 0), np.maximum(end, 0))
    return outside + np.minimum(np.maximum(side, end), 0)


A, B = (-0.3, 0.1, 0.0), (0.5, 0.4, 0.6)
MIDDLE = tuple((p + q) / 2 for p, q in zip(A, B))
ROUND = {
    "sphere": vt.Sphere((0.1, 0.2, 0.3), 0.7),
    "plane": vt.Plane((0.1, 0, 0), (1, 2, 2)),
    "capsule": vt.Capsule(A, B, 0.25),
    "cylinder": vt.Cylinder(MIDDLE, 0.25, math.dist(A, B), tuple(q - p for p, q in zip(A, B))),
}


@pytest.mark.parametrize("kind", ROUND)
def test_s1_round_shapes(kind):
    x = np.random.default_rng(3).uniform(-1.2, 1.2, (20_000, 3))
    expected = distance_to_round(kind, x)
    found, nearest, normal = simulation(vt.Body(ROUND[kind])).body_distance(0, x)
    assert 100 < (expected < 0).sum() < 19_900
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(distance_to_round(kind, nearest), 0, atol=1e-12)
    np.testing.assert_allclose(nearest + normal * found[:, None], x, atol=1e-12)


SHAPES = {
    **ROUND,
    "box": vt.Box((-0.5, -0.4, -0.3), (0.5, 0.6, 0.1)),
    "polytope": vt.Polytope(HULLS["random"]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_s1_holes_mirror_solids(name):
    x = np.random.default_rng(4).uniform(-1.5, 1.5, (4000, 3))
    sim = simulation(vt.Body(SHAPES[name]), vt.Container(SHAPES[name]))
    solid, hole = sim.body_distance(0, x), sim.body_distance(1, x)
    assert np.array_equal(hole[0], -solid[0])
    assert np.array_equal(hole[1], solid[1])
    assert np.array_equal(hole[2], -solid[2])


@pytest.mark.parametrize("name", SHAPES)
def test_s1_moved_bodies_equal_moved_points(name):
    rotation = Rotation.from_euler("xyz", (0.4, -1.1, 2.0))
    w = np.roll(rotation.as_quat(), 1)
    parent = vt.Transform(position=(0.7, -2, 0.3), rotation=tuple(w), scale=1.7)
    sim = simulation(vt.Body(SHAPES[name]), vt.Body(SHAPES[name], parent=parent))
    x = np.random.default_rng(5).uniform(-1.5, 1.5, (20_000, 3))

    def moved(points):
        return 1.7 * rotation.apply(points) + (0.7, -2, 0.3)

    at_rest, there = sim.body_distance(0, x), sim.body_distance(1, moved(x))
    np.testing.assert_allclose(there[0], 1.7 * at_rest[0], atol=1e-10)
    # where the nearest point is a question of rounding, distances agree all the same
    same = np.linalg.norm(there[2] - rotation.apply(at_rest[2]), axis=1) < 1e-6
    assert same.mean() > 0.999
    np.testing.assert_allclose(there[1][same], moved(at_rest[1][same]), atol=1e-6)


def test_s1_unions_and_intersections():
    ball, box = vt.Sphere((0.4, 0, 0), 0.5), vt.Box((-0.5, -0.3, -0.3), (0.3, 0.3, 0.3))
    sim = simulation(vt.Body(ball), vt.Body(box), vt.Body([ball, box]), vt.Container([ball, box]))
    x = np.random.default_rng(6).uniform(-1, 1, (20_000, 3))
    single = [sim.body_distance(n, x)[0] for n in range(2)]
    union, common = (sim.body_distance(n, x)[0] for n in (2, 3))
    assert np.array_equal(union, np.minimum(*single))
    assert ((common > 0) == (np.maximum(*single) < 0)).all()
    assert np.array_equal(common[common > 0], -np.maximum(*single)[common > 0])


def test_hull_of_awkward_points():
    """Points in faces and edges, repeated, on a sphere; a hull of hulls is the same hull."""
    rng = np.random.default_rng(7)
    grid = np.array(np.meshgrid(*3 * [np.linspace(0, 1, 6)])).reshape(3, -1).T
    turned = grid @ Rotation.from_euler("xyz", (0.3, 0.5, 0.7)).as_matrix().T
    ball = rng.normal(size=(500, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    for points in (grid, turned, np.repeat(CUBE, 4, axis=0), ball, 1e-6 * ball, 1e6 + 1e3 * ball):
        points = points.astype(np.float32).astype(float)
        assert vt.Polytope(points).volume == pytest.approx(ConvexHull(points).volume, rel=1e-6)


# ---- motion ----


def test_pose_and_velocity_come_from_the_keys():
    """Position, rotation and their rates against central differences of the transform itself."""
    turn = vt.Keys([(0, (1, 0, 0, 0)), (1, (0.6, 0.8, 0, 0)), (2, (0.6, 0, 0, 0.8))], "smooth")
    outer = vt.Transform(
        position=vt.Keys([(0, (0, 0, 0)), (2, (3, 1, -2))], "smooth"),
        angle=vt.Keys([(0, 0), (2, 500)]),
        axis=(1, 1, 0),
        scale=2.0,
    )
    inner = vt.Transform(position=(0.5, 0, 0.2), rotation=turn, parent=outer)
    sim = simulation(vt.Body(vt.Sphere((0.3, 0.1, 0), 0.2), name="ball", parent=inner))
    sim.advance(0.7)
    state = sim.bodies["ball"]
    pose = [sim._core.pose(2, sim.time + dt) for dt in (-1e-6, 0, 1e-6)]
    centre = [p[:, :3] @ (0.3, 0.1, 0) + p[:, 3] for p in pose]
    matrix = [p[:, :3] / 2 for p in pose]
    np.testing.assert_allclose(state.position, centre[1], rtol=1e-12)
    np.testing.assert_allclose(state.velocity, (centre[2] - centre[0]) / 2e-6, rtol=1e-6)
    w, x, y, z = state.rotation
    np.testing.assert_allclose(Rotation.from_quat((x, y, z, w)).as_matrix(), matrix[1], atol=1e-12)
    spin = (matrix[2] - matrix[0]) / 2e-6 @ matrix[1].T
    np.testing.assert_allclose(
        state.angular_velocity, (spin[2, 1], spin[0, 2], spin[1, 0]), rtol=1e-6
    )


def test_bodies_are_a_record():
    floor = vt.Body(vt.Plane(), name="floor")
    room = vt.Container(vt.Box((-1, -1, 0), (1, 1, 2)))
    sim = simulation(floor, room)
    assert len(sim.bodies) == 2 and sim.bodies[0] == sim.bodies["floor"]
    assert sim.bodies[-1].name == "1" and sim.bodies[1].hole and not sim.bodies[0].hole
    assert sim.bodies[1].position == pytest.approx((0, 0, 1))
    assert sim.bodies[0].velocity == (0, 0, 0) and sim.bodies[0].rotation == (1, 0, 0, 0)
    assert "floor" in repr(sim.bodies)
    with pytest.raises(AttributeError):
        sim.bodies[0].position = (1, 2, 3)
    with pytest.raises(KeyError, match="no body 'roof'"):
        sim.bodies["roof"]
    with pytest.raises(IndexError, match="there are 2"):
        sim.bodies[2]
    assert vt.Simulation().bodies[:] is not None and len(vt.Simulation().bodies) == 0


def test_boxes_around_bodies():
    """Against points all over their surfaces, turned by SciPy."""
    place = vt.Transform(position=(1, 2, 3), axis=(1, 2, -1), angle=40, scale=2)
    turn = Rotation.from_rotvec(np.radians(40) * np.array((1, 2, -1)) / 6**0.5)
    round_ = np.linspace(0, 2 * np.pi, 2001)
    rim = np.stack([0.3 * np.cos(round_), 0.3 * np.sin(round_), 0 * round_], 1)
    corners = np.array(list(itertools.product((-1, 1), (-2, 2), (-0.5, 0.5))), float)
    ends = [(0, 0, 0.1), (0, 0, -0.1)]
    cases = [
        (vt.Box((-1, -2, -0.5), (1, 2, 0.5)), corners),
        (vt.Disk(radius=0.3, thickness=0.2), np.concatenate([rim + end for end in ends])),
    ]
    for shape, points in cases:
        sim = simulation(vt.Body(shape, parent=place, panels=0))
        world = 2 * turn.apply(points) + (1, 2, 3)
        np.testing.assert_allclose(sim.bodies[0].lower, world.min(0), atol=1e-5)
        np.testing.assert_allclose(sim.bodies[0].upper, world.max(0), atol=1e-5)
    ball = vt.Sphere((0.5, 0, 0), 0.2)
    sim = simulation(vt.Body([ball, vt.Sphere((-1, 0, 0), 0.1)]), vt.Body(vt.Plane()))
    np.testing.assert_allclose(sim.bodies[0].lower, (-1.1, -0.2, -0.2), atol=1e-7)
    np.testing.assert_allclose(sim.bodies[0].upper, (0.7, 0.2, 0.2), atol=1e-7)
    assert sim.bodies[1].upper == (np.inf, np.inf, 0) and sim.bodies[1].lower[2] == -np.inf


def test_center_of_volume_of_a_hull():
    """Against the tetrahedra of qhull."""
    points = HULLS["tetrahedron"]
    sim = simulation(vt.Body(vt.Polytope(points)))
    np.testing.assert_allclose(sim.bodies[0].position, points.mean(axis=0), atol=1e-6)
    points = HULLS["random"].astype(np.float32).astype(float)
    parts = points[Delaunay(points).simplices]  # tetrahedra that fill it
    volumes = np.abs(np.linalg.det(parts[:, 1:] - parts[:, :1])) / 6
    expected = volumes @ parts.mean(axis=1) / volumes.sum()
    sim = simulation(vt.Body(vt.Polytope(points)))
    np.testing.assert_allclose(sim.bodies[0].position, expected, atol=1e-12)
    assert vt.Polytope(points).volume == pytest.approx(volumes.sum(), rel=1e-12)


# ---- definitions ----


def test_scene_round_trip():
    scene = vt.Scene("bodies")
    swing = vt.Transform(axis=(0, 1, 0), angle=vt.Keys([(0, -40), (1, 40)], "smooth"))
    scene.add(vt.Body(vt.Box(), name="plate", parent=swing))
    scene.add(vt.Body([vt.Sphere(), vt.Capsule(), vt.Polytope(TETRAHEDRON)], parent=swing))
    scene.add(vt.Container([vt.Cylinder(), vt.Plane((0, 0, 3))], name="silo"))
    data = json.loads(scene.to_json())
    assert len(data["transforms"]) == 1 and data["bodies"][0]["parent"] == 0
    again = vt.Scene.from_json(scene.to_json())
    assert again == scene and again.sha256 == scene.sha256
    assert [type(body) for body in again.bodies] == [vt.Body, vt.Body, vt.Container]
    scene.add(vt.Body(vt.Sphere(radius=2)))
    assert again != scene
    assert "bodies" not in vt.Scene().to_dict()


def test_meshes_in_compounds_keep_their_paths(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "meshes").mkdir()
    path = tmp_path / "meshes" / "box.stl"
    trimesh.creation.box((1, 2, 3)).export(path)
    scene = vt.Scene("bodies")
    scene.add(vt.Body([vt.Mesh(path), vt.Sphere((2, 0, 0), 0.5)], name="pair"))
    scene.save(tmp_path / "scene.json")
    assert '"meshes/box.stl"' in (tmp_path / "scene.json").read_text()
    assert vt.Scene.load(tmp_path / "scene.json") == scene
    assert vt.Simulation(scene).body_distance("pair", [(0, 0, 2.0)])[0] == pytest.approx([0.5])


def l_shape():
    """An L of two boxes, as one closed mesh."""
    trimesh = pytest.importorskip("trimesh")
    profile = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    bottom = [(x, y, 0) for x, y in profile]
    top = [(x, y, 1) for x, y in profile]
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    faces = [tuple(reversed(f)) for f in caps] + [tuple(i + 6 for i in f) for f in caps]
    for i in range(6):
        j = (i + 1) % 6
        faces += [(i, j, j + 6), (i, j + 6, i + 6)]
    mesh = trimesh.Trimesh(bottom + top, faces)
    assert mesh.is_watertight and mesh.volume == pytest.approx(3)
    return vt.Mesh(vertices=mesh.vertices, faces=mesh.faces)


def test_concave_meshes_are_split():
    pytest.importorskip("coacd")
    mesh = l_shape()
    sim = simulation(vt.Body(mesh, name="L"))
    x = np.random.default_rng(8).uniform((-0.5, -0.5, -0.5), (2.5, 2.5, 1.5), (4000, 3))
    found = sim.body_distance("L", x)[0]
    planes = ((x > 0) & (x < (2, 1, 1))).all(axis=1) | ((x > 0) & (x < (1, 2, 1))).all(axis=1)
    assert ((found < 0) == planes).mean() > 0.97  # coacd keeps to its threshold


@pytest.mark.slow
def test_no_fluid_goes_between_the_pieces_of_a_mesh():
    """A thin plate, bent to .22 m: pieces that left gaps had walls in them, along which it went at
    25 m/s in a breeze of 2 m/s, and BlowUpError in the second frame."""
    pytest.importorskip("coacd")
    vertices, faces = sheet(bend=0.6)
    scene = vt.Scene("bent", voxel=0.03, wind=(0, 0, 2))
    scene.add(vt.Body(vt.Mesh(vertices=vertices, faces=faces), name="plate"))
    sim = vt.Simulation(scene)
    for _ in range(3):
        sim.step()
        assert sim.health.largest_speed < 4 and sim.health.substeps <= 6
    assert sim.vortons.count > 500


def test_concave_meshes_without_the_library(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "coacd", None)
    scene = vt.Scene("bodies")
    scene.add(vt.Body(l_shape(), name="L"))
    with pytest.raises(ModuleNotFoundError, match="Body 'L'.*not convex.*coacd"):
        vt.Simulation(scene)


RING = {"center": (0.1, -0.2, 0.3), "axis": (1, 2, 2), "radius": 0.5}


@pytest.mark.parametrize("thickness", slow_but([0.2, 0.475], [0.2, 0.475, 0.499]))
def test_a_torus_is_a_body_of_convex_wedges(monkeypatch, thickness):
    """Without coacd: signed distances are those of a torus, but for the sides of its wedges."""
    monkeypatch.setitem(__import__("sys").modules, "coacd", None)
    sim = simulation(vt.Body(vt.Torus(**RING, thickness=thickness), name="ring", density=700.0))
    volume = 2 * np.pi**2 * 0.5 * thickness**2
    assert sim.bodies["ring"].mass == pytest.approx(700 * volume, rel=1e-3)
    x = np.random.default_rng(9).uniform(-0.9, 0.9, (4000, 3))
    along = x @ np.array(RING["axis"]) / 3
    across = np.sqrt((x**2).sum(axis=1) - along**2)
    exact = np.hypot(across - 0.5, along) - thickness
    found = sim.body_distance("ring", x + RING["center"])[0]
    near = (exact > 0) & (exact < 0.03)  # inside the walls between wedges count, too
    off = 0.054 * thickness + 0.0116 * 0.5
    assert near.sum() > 50 and np.abs(found - exact)[near].max() < off
    assert (found[exact < -off] <= 0).all() and (found[exact > off] > 0).all()


def test_a_ring_weighs_what_it_should_and_moves_the_fluid_around_it():
    """Added mass of a slender ring: that of a cylinder, along the axis of all of it, across the
    axis of half of it; it does not depend on the wedges that its panels lie on."""
    exact = 2 * np.pi**2 * 0.5 * 0.05**2
    ring = vt.Body(vt.Torus(radius=0.5, thickness=0.05), name="ring", density=700.0)
    sim = simulation(ring, panels="panels")
    sim.step()
    assert sim.bodies["ring"].mass == pytest.approx(700 * exact, rel=1e-2)
    added = np.diag(sim._core.panels(0)["added_mass"])[:3]
    assert added == pytest.approx(exact * np.array([0.5, 0.5, 1]), rel=0.07)


# ---- bad input ----

OPEN = vt.Mesh(vertices=CUBE, faces=[(0, 1, 2), (1, 3, 2), (4, 5, 6)])
GROWING = vt.Transform(scale=vt.Keys([(0, 1), (1, 2)]))
SMOKE = vt.Tracers(vt.Sphere(radius=0.1), count=100)
FLOW = vt.Tracers(vt.Sphere(radius=0.1), rate=100)
STARS = [vt.Sphere((i, j, 9), 0.1) for i in range(15) for j in range(15)]
NAN = float("nan")


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda: vt.Body("ball"), TypeError, ["Body.shape = 'ball'", "Sphere"]),
        (lambda: vt.Body([]), ValueError, ["Body.shape", "at least one"]),
        (lambda: vt.Body([vt.Box(), 3]), TypeError, ["Body.shape[1] = 3"]),
        (lambda: vt.Body(vt.Surface(vt.Box(), 0.1)), TypeError, ["Body.shape"]),
        (lambda: vt.Body(vt.Box(), name=3), TypeError, ["Body.name = 3"]),
        (lambda: vt.Body(vt.Box(), name="x" * 64), ValueError, ["Body.name", "63 bytes"]),
        (lambda: vt.Container(vt.Box(), parent=1), TypeError, ["Container.parent = 1"]),
        (lambda: vt.Capsule((0, 0, 0), (0, 0, 0)), ValueError, ["Capsule.end", "differ"]),
        (lambda: vt.Cylinder(length=0), ValueError, ["Cylinder.length = 0"]),
        (lambda: vt.Plane(normal=(0, 0, 0)), ValueError, ["Plane.normal"]),
        (lambda: vt.Polytope(CUBE[:3]), ValueError, ["Polytope.points", "4", "3"]),
        (lambda: vt.Polytope(CUBE * (1, 1, 0)), ValueError, ["Polytope.points", "one plane"]),
        (lambda: vt.Polytope(CUBE * 0), ValueError, ["Polytope.points", "one"]),
        (lambda: vt.Polytope([(0, 0, NAN)]), ValueError, ["Polytope.points", "finite"]),
        (
            lambda: vt.Transform(position=vt.Keys([(1, (0, 0, 0)), (0, (1, 0, 0))])),
            ValueError,
            ["time = 0 s", "later"],
        ),
        (lambda: vt.Transform(position=(0, NAN, 0)), ValueError, ["Transform.position[1] = nan"]),
    ],
)
def test_bad_definitions(make, error, words):
    with pytest.raises(error) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "items, words",
    [
        ([vt.Body(OPEN, name="shell")], ["bodies[0]", "Body 'shell'", "is open"]),
        (
            [vt.Body(vt.Box(), name="balloon", parent=GROWING)],
            ["Body 'balloon'", "1 to 2", "rigid"],
        ),
        ([vt.Body(vt.Box(), parent=GROWING)], ["bodies[0]: Body: "]),
        ([SMOKE, vt.Body(vt.Box(), name="lid")], ["Body 'lid'", "sources[0], Tracers lies inside"]),
        ([FLOW, vt.Body(vt.Box(), name="lid")], ["Body 'lid'", "sources[0], Tracers lies inside"]),
        (
            [FLOW, vt.Container(vt.Box((5, 5, 5), (6, 6, 6)), name="jar")],
            ["Container 'jar'", "sources[0], Tracers lies outside"],
        ),
        (
            [
                vt.Container(
                    [vt.Box((-5, -6.5, -9), (8.5, 4.5, 0)), vt.Sphere((0, 0, 0), 0.4)],
                    "jar",
                    panels=60,
                )
            ],
            ["Container 'jar'", "% of the surface open", "panels 0"],
        ),
        ([vt.Body(STARS, name="stars", panels=20)], ["Body 'stars'", "allowed are 4200"]),
        (
            [vt.Container([vt.Box(), vt.Sphere((3, 0, 0), 1)], name="jar")],
            ["Container 'jar'", "an inside in common"],
        ),
    ],
)
def test_bad_bodies_are_named(items, words):
    with pytest.raises(ValueError) as caught:
        simulation(*items, panels="panels")
    for word in words:
        assert word in str(caught.value), str(caught.value)


SMALL, LARGE = vt.Sphere(radius=0.1), vt.Box((-2, -2, -2), (2, 2, 2))


@pytest.mark.parametrize(
    "source, words",
    [
        (vt.VortexRing(radius=0.2, core=0.05), "sources[1], VortexRing, lies inside"),
        (vt.VortexTube((0, 0, -1), (0, 0, 1), core=0.05), "sources[1], VortexTube, lies inside"),
        (
            vt.VortonPoints([(0, 0, 0)], [(0, 0, 1)], core=0.1, volume=1e-3),
            "sources[1], VortonPoints",
        ),
        (vt.VortexRing(radius=0.2, core=0.05, time=1.0), "sources[1], VortexRing lies inside"),
        (vt.Jet(radius=0.2), "sources[1], Jet lies inside"),
        (vt.Emitter(SMALL, temperature=400, core=0.05), "sources[1], Emitter lies inside"),
        (vt.Emitter(SMALL, temperature=400, core=0.05, smoke=0), "[1], Emitter lies inside"),
    ],
)
def test_a_source_of_which_a_body_leaves_nothing(source, words):
    free = vt.VortexRing((0, 0, 5), radius=0.2, core=0.05)
    with pytest.raises(ValueError) as caught:
        simulation(free, source, vt.Body(LARGE, name="bob", panels=0))
    assert "'bob'" in str(caught.value) and words in str(caught.value), str(caught.value)
    assert "allowed are sources that lie outside in part" in str(caught.value)
    far = vt.Container(vt.Sphere((0, 0, 5), 1), name="jar", panels=0)
    with pytest.raises(ValueError, match=r"'jar'.*lies outside of it.*lie inside in part"):
        simulation(free, source, far)
    half = vt.Body(vt.Box((0, -2, -2), (2, 2, 2)), name="half", panels=0)
    if not isinstance(source, vt.VortonPoints):
        assert simulation(free, source, half).bodies["half"].name == "half"


def test_a_source_that_moves_out_of_a_body_is_none_that_it_covers():
    way = vt.Keys([(0, (0, 0, 0)), (1, (0, 0, 6))])
    for jet in (
        vt.Jet(radius=0.2, parent=vt.Transform(position=way)),
        vt.Jet(way, radius=0.2),
    ):
        sim = simulation(jet, vt.Body(LARGE, name="bob", panels=0))
        sim.step(6)
        assert sim.vortons.count == 0
        sim.step(8)
        assert sim.vortons.count > 0


def test_names_are_given_once():
    scene = vt.Scene()
    scene.add(vt.Body(vt.Sphere(), name="bob"))
    for other in (vt.Body(vt.Box(), name="bob"), vt.Container(LARGE, name="bob")):
        with pytest.raises(ValueError, match=r"'bob': bodies\[0\] has this name; allowed is"):
            scene.add(other)
    scene.add(vt.Body(vt.Box()))
    with pytest.raises(ValueError, match=r"'1': bodies\[1\] has this name"):
        scene.add(vt.Body(vt.Box(), name="1"))
    assert len(scene.bodies) == 2
    data = scene.to_dict()
    data["bodies"][1]["name"] = "bob"
    with pytest.raises(ValueError, match=r"bodies\[1\]: .*'bob': bodies\[0\] has this name"):
        vt.Scene.from_dict(data)


def test_concave_container_is_refused():
    with pytest.raises(ValueError, match="Container 'room'.*not convex"):
        simulation(vt.Container(l_shape(), name="room"))


@pytest.mark.parametrize("kind", [vt.Body, vt.Container])
def test_meshes_that_are_turned_inside_out(kind):
    """Refused with the name of the body and how to turn them; that helps. By the core, too."""
    box = vt.Mesh(vertices=CUBE, faces=[f[::-1] for f in faces_of_hull(CUBE)])
    with pytest.raises(ValueError) as error:
        simulation(kind([vt.Sphere(), box], name="bob"))
    for word in (f"{kind.__name__} 'bob'", "inside out", "-1 m^3", "mesh.faces[:, ::-1]"):
        assert word in str(error.value)
    turned = vt.Mesh(vertices=box.vertices, faces=box.faces[:, ::-1])
    sim = simulation(vt.Body(turned))
    assert sim.body_distance(0, [(0, 0, 0.75)])[0] == pytest.approx([0.25])
    shape = {"kind": "mesh", "vertices": CUBE, "faces": box.faces}
    with pytest.raises(ValueError, match="body 'a', shape 0.*inwards"):
        sim._core.add("body", shapes=[shape], name="a")
    assert len(sim.bodies) == 1


def faces_of_hull(points):
    """Triangles of a hull, counter-clockwise seen from outside."""
    hull = ConvexHull(points)
    faces = []
    for (a, b, c), equation in zip(hull.simplices, hull.equations):
        normal = np.cross(points[b] - points[a], points[c] - points[a])
        faces.append((a, b, c) if normal @ equation[:3] > 0 else (a, c, b))
    return faces


@pytest.mark.slow
def test_bodies_that_move_away_may_cover_an_emitter():
    lift = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (0, 0, 3))]))
    sim = simulation(FLOW, vt.Body(vt.Box(), parent=lift))
    sim.step(24)
    assert 0 < sim.tracers.count < 100


def test_an_emitter_around_its_container_fills_it():
    """A thousandth of its births have room: none of a few that are looked at needs to."""
    room = vt.Tracers(vt.Box((-2, -2, -2), (2, 2, 2)), rate=20_000)
    sim = simulation(room, vt.Container(vt.Sphere(radius=0.3), name="jar"))
    sim.step(12)
    assert 0 < sim.tracers.count < 100
    assert np.linalg.norm(sim.tracers.position, axis=1).max() < 0.3001


def test_copies_have_bodies_of_their_own():
    spin = vt.Transform(angle=vt.Keys([(0, 0), (2, 300)]))
    sim = simulation(vt.Body([vt.Box(), vt.Sphere((1, 0, 0), 0.3)], name="x", parent=spin))
    branch = sim.copy()
    sim.step(3)
    branch.step(3)
    assert branch.bodies["x"] == sim.bodies["x"]
    del sim
    x = np.random.default_rng(9).uniform(-1, 1, (50, 3))
    assert np.isfinite(branch.body_distance("x", x)[0]).all()


@pytest.mark.parametrize("points", [[(0, 0, NAN)], [(0, 0)], "x", [(0, 0, math.inf)]])
def test_bad_points(points):
    with pytest.raises((ValueError, TypeError), match="points"):
        simulation(vt.Body(vt.Box())).body_distance(0, points)


def test_points_that_are_strewn_about_a_body_are_allowed():
    """As long as some may lie outside of it, and where a stream is over."""
    pebble = vt.Body(vt.Sphere(radius=0.1))
    for strewn in ({"jitter": 1.0}, {"jitter": vt.Keys([(0, 0.0), (1, 1.0)])}):
        scene = vt.Scene()
        scene.add(pebble)
        scene.add(vt.Points([(0, 0, 0)], size=0.1, rate=100.0, **strewn))
        vt.Simulation(scene, threads=1).step(3)
    scene = vt.Scene()
    scene.add(pebble)
    scene.add(vt.Points([(0, 0, 0)], size=0.1, rate=100.0))
    with pytest.raises(ValueError, match="inside of it for good"):
        vt.Simulation(scene, threads=1)
