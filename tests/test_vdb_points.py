"""Tracers as points in OpenVDB files, read by OpenVDB itself."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from with_blender import blender_python, environment_of

import vorton as vt
from vorton import Manifest
from vorton.archive.stages import mark_of
from vorton.cli import main
from vorton.files import tracer_files
from vorton.hosts import vdb_points

HERE = Path(__file__).parent / "hosts"
LIBRARIES = ("-lopenvdb", "-ltbb", "-lboost_iostreams")
NAMES = {"velocity": "v", "size": "pscale"}


def some(count):
    """Points in clumps near and far, on both sides of 0, and two at one place."""
    random = np.random.default_rng(5)
    place = random.normal(size=(count, 3)) * random.choice([0.02, 3.0, 400.0], count)[:, None]
    place[1::50] = place[::50][: len(place[1::50])]
    return {
        "position": place.astype(np.float32),
        "velocity": random.normal(size=(count, 3)).astype(np.float32),
        "density": random.random(count, np.float32),
        "size": np.full(count, 0.02, np.float32),
        "age": random.random(count, np.float32),
        "id": np.arange(count) + 2**40,
    }


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A program of OpenVDB's that prints points."""
    compiler, program = shutil.which("g++"), tmp_path_factory.mktemp("reader") / "read_points"
    if compiler is None or not Path("/usr/include/openvdb/points/PointConversion.h").exists():
        pytest.skip("no g++ or no headers of OpenVDB (Debian: libopenvdb-dev, libboost-dev)")
    command = [compiler, "-std=c++17", "-w", str(HERE / "read_points.cc"), "-o", str(program)]
    done = subprocess.run([*command, *LIBRARIES], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    def read(path):
        run = subprocess.run([program, path], check=True, capture_output=True, text=True)
        head, *lines = run.stdout.splitlines()
        return head.split(), [line.split() for line in lines]

    return read


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1, 4000])
def test_openvdb_reads_every_point(reader, tmp_path, count):
    """Places but for rounding of the voxel they lie in; all other numbers as they were."""
    columns = some(count)
    (tmp_path / "points.vdb").write_bytes(vdb_points.encode(columns, 0.25, "a bake"))
    head, lines = reader(tmp_path / "points.vdb")
    assert head == ["points", "0.25", str(count)] and len(lines) == count
    rows = [int(line[line.index("id") + 1]) - 2**40 for line in lines]
    assert sorted(rows) == list(range(count))
    for row, line in zip(rows, lines, strict=True):
        assert np.array(line[:3], float) == pytest.approx(columns["position"][row], abs=3e-8)
        for name in ("velocity", "density", "size", "age"):
            at = line.index(NAMES.get(name, name)) + 1
            value = columns[name][row]
            assert np.array_equal(np.array(line[at : at + value.size], np.float32), value.ravel())


def test_blender_sees_the_voxels_that_hold_points(in_blender_or_skip, tmp_path):
    columns = some(4000)
    (tmp_path / "points.vdb").write_bytes(vdb_points.encode(columns, 0.25))
    voxels = np.unique(np.floor(columns["position"].astype(float) / 0.25 + 0.5), axis=0)
    [[kind, name, count, box]] = in_blender_or_skip(tmp_path / "points.vdb")
    assert (kind, name, count) == ("PointDataGrid", "points", len(voxels))
    assert box == [voxels.min(axis=0).tolist(), voxels.max(axis=0).tolist()]


@pytest.fixture
def in_blender_or_skip(tmp_path):
    python, environment = blender_python(), environment_of(tmp_path, library=False)

    def count(path):
        result = tmp_path / "result.json"
        command = [python, str(HERE / "count_points.py"), str(result), str(path)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        if "expose_bundled_modules" in done.stderr or "No module named 'openvdb'" in done.stderr:
            pytest.skip("this Blender brings no OpenVDB for Python")
        assert result.exists(), done.stdout + done.stderr
        return json.loads(result.read_text())

    return count


@pytest.fixture(scope="module")
def bake(tmp_path_factory):
    scene = vt.Scene("puff", voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(radius=0.5), count=2000))
    out = tmp_path_factory.mktemp("bake") / "puff"
    vt.bake(scene, out, frames=(1, 2), volumes=None, progress=False)
    return out


def test_stage_writes_the_points_of_each_frame(bake, tmp_path, capsys):
    assert main(["stage", str(bake), "--format", "vdb", "--quiet"]) == 0
    names = ["puff_0001.vdb", "puff_0002.vdb"]
    assert [Path(line).name for line in capsys.readouterr().out.split()] == names
    columns = tracer_files.read(bake / "puff_0002.npz")
    voxel = vdb_points.voxel_for(columns["size"])
    content = (bake / "points" / names[1]).read_bytes()
    assert content == vdb_points.encode(columns, voxel, mark_of(Manifest.find(bake)))
    cells = np.floor(columns["position"] / voxel + 0.5)
    assert 4 < len(cells) / len(np.unique(cells, axis=0)) < 16  # about 8 in each voxel
    assert Manifest.find(bake).strangers() == []
    vt.copy_bake(bake, tmp_path / "copy")
    (tmp_path / "copy" / "points" / names[0]).unlink()
    (tmp_path / "copy" / "points" / names[1]).write_bytes(b"somebody's")
    with pytest.raises(ValueError, match=r"puff_0002\.vdb: exists and holds no points"):
        vdb_points.write_point_grids(tmp_path / "copy", progress=False)
    assert not (tmp_path / "copy" / "points" / names[0]).exists()
    vdb_points.write_point_grids(bake, progress=False)  # its own it replaces
    assert (bake / "points" / names[1]).read_bytes() == content


@pytest.mark.parametrize("option", [["--preset", "unreal"], ["--up", "y"], ["--no-points"]])
def test_stage_of_points_refuses_what_it_does_not_heed(bake, option, capsys):
    assert main(["stage", str(bake), "--format", "vdb", *option]) != 0
    assert "goes without --preset, --up and --no-points" in capsys.readouterr().err


def test_a_point_that_is_nowhere_is_named():
    columns = some(3)
    columns["position"][1, 2] = np.nan
    with pytest.raises(ValueError, match="a point has no finite place"):
        vdb_points.encode(columns, 0.25)


def test_what_has_no_points_is_said(bake, tmp_path):
    scene = vt.Scene("still", voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(radius=0.5), count=20))
    vt.bake(scene, tmp_path, frames=(1, 1), tracers=False, progress=False)
    with pytest.raises(ValueError, match="has no tracers: bake it with them"):
        vdb_points.write_point_grids(tmp_path)
    with pytest.raises(ValueError, match="voxel = 0"):
        vdb_points.write_point_grids(bake, voxel=0)
    with pytest.raises(ValueError, match="farther away than 2\\^31"):
        vdb_points.write_point_grids(bake, voxel=1e-10, progress=False)
