"""Meshes: files through trimesh, arrays, open and closed, in a scene and back."""

import json
import math
import re
import sys

import numpy as np
import pytest

from vorton import Emitter, Mesh, Scene, Simulation, Surface, Torus, Tracers
from vorton.geometry.meshes import MESH_FORMATS, load_mesh, mesh_volume, open_edges

VERTICES, FACES = Torus(radius=1, thickness=0.3).tessellate(32, 16)
VOLUME = mesh_volume(VERTICES, FACES)


@pytest.fixture
def torus_file(tmp_path):
    """Writes the torus in a format by an independent library, and gives the path."""
    trimesh = pytest.importorskip("trimesh")

    def write(name: str, faces: np.ndarray = FACES):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        trimesh.Trimesh(VERTICES, faces, process=False).export(path)
        return path

    return write


def test_tessellation_is_closed_and_outward():
    assert open_edges(FACES) == 0
    exact = 2 * math.pi**2 * 0.3**2
    assert 0.95 * exact < VOLUME < exact
    fine = mesh_volume(*Torus(radius=1, thickness=0.3).tessellate(256, 128))
    assert math.isclose(fine, exact, rel_tol=1e-3)


@pytest.mark.parametrize("suffix", MESH_FORMATS)
def test_format(torus_file, suffix):
    mesh = Mesh(torus_file("torus" + suffix), up="z")
    assert mesh.closed
    assert len(mesh.vertices) == len(VERTICES) and len(mesh.faces) == len(FACES)
    assert math.isclose(mesh.volume, VOLUME, rel_tol=1e-5)
    vertices, faces = mesh.placed()
    assert vertices.dtype == np.float32 and faces.dtype == np.int32
    assert np.allclose(vertices.max(axis=0), (1.3, 1.3, 0.3), atol=1e-5)


def test_gltf_is_turned_to_z_up(torus_file):
    """The standard says that y is up: what lay along z in the file lies along -y here."""
    assert Mesh(torus_file("torus.obj")).up == "z"
    turned = Mesh(torus_file("torus.glb"))
    assert turned.up == "y"
    assert np.allclose(turned.placed()[0].max(axis=0), (1.3, 0.3, 1.3), atol=1e-5)
    assert turned.volume > 0


def test_scale_and_translate(torus_file):
    mesh = Mesh(torus_file("torus.ply"), scale=0.5, translate=(0, 0, 5))
    assert math.isclose(mesh.volume, VOLUME * 0.125, rel_tol=1e-5)
    assert np.allclose(mesh.placed()[0].mean(axis=0), (0, 0, 5), atol=1e-6)
    stretched = Mesh(torus_file("torus.ply"), scale=(1, 1, 2))
    assert math.isclose(stretched.volume, VOLUME * 2, rel_tol=1e-5)


def test_obj_with_seams_is_joined(tmp_path):
    """Vertices split by texture coordinates or normals are one point of the surface."""
    pytest.importorskip("trimesh")
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    lines += [f"vt {i / 30} {j / 30}" for i in range(6) for j in range(4)]
    lines += [
        "f " + " ".join(f"{v + 1}/{4 * i + j + 1}" for j, v in enumerate(quad))
        for i, quad in enumerate(quads)
    ]
    (tmp_path / "cube.obj").write_text("\n".join(lines))
    mesh = Mesh(tmp_path / "cube.obj")
    assert len(mesh.vertices) == 8 and mesh.closed and math.isclose(mesh.volume, 1)


@pytest.mark.parametrize("source", ["arrays", "file"])
def test_inside_out_is_refused_and_can_be_turned(torus_file, source):
    """Where a volume or its outer side counts."""
    placed = {"scale": 0.5, "translate": (0, 0, 3), "up": "y"}
    if source == "file":
        mesh = Mesh(torus_file("inverted.ply", FACES[:, ::-1]), **placed)
    else:
        mesh = Mesh(vertices=VERTICES, faces=FACES[:, ::-1], **placed)
    assert mesh.closed
    for use in (Tracers, lambda m: Tracers(Surface(m, 0.1)), Emitter, lambda m: m.volume):
        with pytest.raises(ValueError, match=r"inside out.*inwards.*faces\[:, ::-1\]") as error:
            use(mesh)
        assert ("inverted.ply" if source == "file" else "Mesh of arrays") in str(error.value)
    advice = re.search(r"Mesh\(vertices=.*?\)", str(error.value))[0]
    turned = eval(advice, {"Mesh": Mesh, "mesh": mesh})
    assert math.isclose(turned.volume, 0.125 * VOLUME, rel_tol=1e-6)
    assert np.array_equal(turned.placed()[0], mesh.placed()[0])
    Tracers(turned), Tracers(Surface(turned, 0.1))


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_mirrored_part_of_a_file_is_not_inside_out(tmp_path, suffix):
    """Mirroring turns faces; the import turns them back."""
    trimesh = pytest.importorskip("trimesh")
    part = trimesh.Trimesh(VERTICES, FACES, process=False)
    parts = trimesh.Scene()
    parts.add_geometry(part, transform=np.diag([-1.0, 1, 1, 1]))
    parts.export(tmp_path / ("mirrored" + suffix))
    mesh = Mesh(tmp_path / ("mirrored" + suffix))
    assert mesh.closed and math.isclose(mesh.volume, VOLUME, rel_tol=1e-5)


@pytest.mark.parametrize(
    "faces",
    [FACES[1:], np.concatenate([FACES[:1, ::-1], FACES[1:]]), np.concatenate([FACES, FACES[:1]])],
    ids=["hole", "turned face", "double face"],
)
def test_open_mesh_is_refused_where_a_volume_is_asked_for(torus_file, faces):
    arrays = Mesh(vertices=VERTICES, faces=faces)
    assert not arrays.closed
    with pytest.raises(ValueError, match=r"Mesh of arrays: is open, \d+ edges .* closed mesh"):
        Tracers(arrays)
    with pytest.raises(ValueError, match="open"):
        _ = arrays.volume
    file = Mesh(torus_file("open.ply", faces))
    if not file.closed:  # trimesh drops the double face
        with pytest.raises(ValueError, match=r"open\.ply: is open"):
            Tracers(file)


def test_scene_keeps_path_relative_to_itself(torus_file, tmp_path, monkeypatch):
    torus_file("assets/torus.obj")
    monkeypatch.chdir(tmp_path)
    scene = Scene()
    scene.add(Tracers(Mesh("assets/torus.obj", scale=0.5), count=10))
    (tmp_path / "shots").mkdir()
    scene.save("shots/scene.json")
    shape = json.loads((tmp_path / "shots/scene.json").read_text())["sources"][0]["shape"]
    assert shape["path"] == "../assets/torus.obj"
    assert len(shape["sha256"]) == 64 and "vertices" not in shape
    monkeypatch.chdir("/")
    assert Scene.load(tmp_path / "shots/scene.json") == scene

    (tmp_path / "moved").mkdir()
    (tmp_path / "assets").rename(tmp_path / "moved/assets")
    (tmp_path / "shots").rename(tmp_path / "moved/shots")
    moved = Scene.load(tmp_path / "moved/shots/scene.json")
    assert moved == scene and moved.sha256 == scene.sha256


def test_changed_mesh_is_noticed(torus_file, tmp_path):
    path = torus_file("torus.ply")
    scene = Scene()
    scene.add(Tracers(Mesh(path), count=10))
    scene.save(tmp_path / "scene.json")
    torus_file("torus.ply", FACES[::-1])
    with pytest.raises(ValueError, match=r"sources\[0\].*has changed since the scene was saved"):
        Scene.load(tmp_path / "scene.json")
    text = (tmp_path / "scene.json").read_text()
    data = json.loads(text)
    del data["sources"][0]["shape"]["sha256"]
    accepted = Scene.from_dict(data, folder=tmp_path)
    assert accepted != scene


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({}, ValueError, ["either path, or both"]),
        ({"vertices": VERTICES}, ValueError, ["either path, or both"]),
        ({"path": "a.obj", "vertices": VERTICES, "faces": FACES}, ValueError, ["either path"]),
        ({"path": 3}, TypeError, ["Mesh.path = 3"]),
        ({"path": "none.obj"}, FileNotFoundError, ["none.obj", "no such file"]),
        ({"path": "scene.blend"}, ValueError, ["scene.blend", ".obj, .stl, .ply, .gltf"]),
        ({"vertices": VERTICES[:, :2], "faces": FACES}, ValueError, ["vertices", "(512, 2)"]),
        ({"vertices": [["a"] * 3], "faces": FACES}, TypeError, ["Mesh.vertices", "dtype"]),
        ({"vertices": VERTICES.astype(complex), "faces": FACES}, TypeError, ["complex128"]),
        ({"vertices": [[0, 0], [1]], "faces": FACES}, TypeError, ["Mesh.vertices"]),
        ({"vertices": [[0, 0, np.nan]], "faces": FACES}, ValueError, ["vertices[0]", "finite"]),
        ({"vertices": [[0, 0, 1e39]], "faces": FACES}, ValueError, ["too large for float32"]),
        (
            {"vertices": VERTICES, "faces": FACES.astype(float)},
            TypeError,
            ["Mesh.faces", "float64"],
        ),
        ({"vertices": VERTICES, "faces": FACES + 1}, ValueError, ["faces: 512", "0 to 511"]),
        ({"vertices": VERTICES, "faces": FACES - 1}, ValueError, ["faces: -1", "0 to 511"]),
        ({"vertices": VERTICES, "faces": FACES, "scale": 0}, ValueError, ["Mesh.scale = 0"]),
        ({"vertices": VERTICES, "faces": FACES, "scale": (1, 2)}, ValueError, ["Mesh.scale"]),
        ({"vertices": VERTICES, "faces": FACES, "up": "x"}, ValueError, ["Mesh.up", "y, z"]),
        ({"vertices": VERTICES, "faces": FACES, "sha256": "0" * 64}, ValueError, ["with path"]),
    ],
)
def test_bad_mesh(values, error, words):
    with pytest.raises(error) as caught:
        Mesh(**values)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("name", ["garbage.obj", "garbage.stl", "garbage.ply", "garbage.glb"])
def test_file_that_is_no_mesh(tmp_path, name):
    pytest.importorskip("trimesh")
    (tmp_path / name).write_bytes(b"this is not a mesh")
    with pytest.raises(ValueError, match=name):
        Mesh(tmp_path / name)


def test_without_trimesh(tmp_path, monkeypatch):
    (tmp_path / "a.obj").write_text("v 0 0 0")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ModuleNotFoundError, match="pip install"):
        load_mesh(tmp_path / "a.obj")


@pytest.mark.parametrize("up", ["z", "y"])
def test_tracers_are_born_inside_the_mesh(torus_file, up):
    mesh = Mesh(torus_file("torus.stl"), up=up, scale=0.5, translate=(3, 0, 0))
    scene = Scene(voxel=0.1)
    scene.add(Tracers(mesh, count=5000, density=2))
    sim = Simulation(scene)
    x, y, z = (sim.tracers.position - (3, 0, 0)).T
    along, across = (z, y) if up == "z" else (y, z)
    # Flat faces bulge inwards where the torus is saddle-shaped: at most by the sagitta there.
    reach = 0.5 - 0.35 * math.cos(math.pi / 32)
    assert np.hypot(np.hypot(x, across) - 0.5, along).max() <= reach + 1e-6
    assert math.isclose(sim.tracers.density.sum(), 2 * mesh.volume, rel_tol=1e-4)
