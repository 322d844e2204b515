"""Meshes that hosts show of shapes lie on the shapes, and look outwards."""

import sys

import numpy as np
import pytest

import vorton as vt
from vorton.base.extras import load_extra
from vorton.geometry import meshes
from vorton.hosts.shape_meshes import FLOOR, mesh_of, rotation_to

POINTS = np.random.default_rng(2).normal(size=(60, 3))
SHAPES = {
    "ball": vt.Sphere((1, -2, 3), 0.7),
    "box": vt.Box((-1, 0, 2), (0.5, 1, 4)),
    "disk": vt.Disk((0, 1, 0), 0.8, (1, 2, -2), 0.3),
    "cylinder": vt.Cylinder((3, 0, 1), 0.5, 2, (0, 0, -1)),
    "capsule": vt.Capsule((1, 1, 0), (3, 0, -1), 0.4),
    "hull": vt.Polytope(POINTS),
}


def triangles_of(faces):
    return np.array([(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)])


@pytest.mark.parametrize("name", SHAPES)
def test_mesh_lies_on_its_shape(name):
    """As the solver measures distances from the shape itself."""
    if name == "hull":
        pytest.importorskip("scipy")
    shape = SHAPES[name]
    made = mesh_of(shape)
    points, triangles = made.placed(), triangles_of(made.faces)
    assert meshes.open_edges(triangles) == 0
    volume = meshes.mesh_volume(points, triangles)
    assert 0.99 * shape.volume < volume <= shape.volume * (1 + 1e-6)
    scene = vt.Scene("one", method=vt.Method(bodies="none"))
    scene.add(vt.Body(shape, name=name))
    sim = vt.Simulation(scene)
    away, _, _ = sim.body_distance(name, points)
    assert np.abs(away).max() < 1e-5
    assert len(points) == len(np.unique(points.round(9), axis=0))


def test_torus_and_mesh_are_as_they_are():
    torus = mesh_of(vt.Torus((1, 0, 0), (0, 1, 0), 1.0, 0.2))
    points = torus.placed() - (1, 0, 0)
    around = np.hypot(points[:, 0], points[:, 2]) - 1
    assert np.hypot(around, points[:, 1]) == pytest.approx(0.2, abs=1e-6)
    given = vt.Mesh(vertices=POINTS[:3], faces=[(0, 1, 2)], scale=2, translate=(0, 0, 1))
    assert np.array_equal(mesh_of(given).placed(), given.placed()[0])


def test_plane_is_a_square():
    made = mesh_of(vt.Plane((1, 2, 3), (1, -1, 2)))
    corners = made.placed() - (1, 2, 3)
    normal = np.array((1, -1, 2)) / np.sqrt(6)
    assert np.abs(corners @ normal).max() < 1e-12
    a, b = corners[1] - corners[0], corners[2] - corners[0]
    assert np.cross(a, b) == pytest.approx(FLOOR**2 * normal)


def test_rotation_to_any_axis():
    for axis in [*np.eye(3), *-np.eye(3), *POINTS[:20], (0, 1e-8, -1)]:
        turn = rotation_to(tuple(axis))
        assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-9)
        assert np.linalg.det(turn) == pytest.approx(1)
        assert turn[:, 2] == pytest.approx(axis / np.linalg.norm(axis), abs=1e-7)


def test_hull_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(ModuleNotFoundError, match="pip install scipy"):
        mesh_of(SHAPES["hull"])


@pytest.mark.parametrize("code, kind, text", [
    ("import gone_astray", ModuleNotFoundError, "gone_astray"),
    ("raise ImportError('DLL load failed')", ImportError, "DLL load failed"),
])  # fmt: skip
def test_packages_that_are_broken_are_not_called_missing(tmp_path, monkeypatch, code, kind, text):
    (tmp_path / "broken_package.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(kind, match=text):
        load_extra("broken_package", "install it")
    with pytest.raises(ModuleNotFoundError, match="install it"):
        load_extra("no_such_package.part", "install it")
