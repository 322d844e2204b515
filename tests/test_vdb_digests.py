"""Bits of .vdb files of bakes that have changed are found wherever such files are read."""

import hashlib
import json
import shutil

import numpy as np
import pytest
from bakes import quiet, small_scene

import vorton as vt
from vorton.files import told, vdb_files
from vorton.hosts.blender.firelight import measure_glow
from vorton.hosts.blender.looks import measure_look


@pytest.fixture
def bake(tmp_path, reference):
    return shutil.copytree(reference, tmp_path / "bake")


def same(a, b):
    return a.keys() == b.keys() and all(
        np.array_equal(getattr(a[name], part), getattr(b[name], part), equal_nan=True)
        for name in a
        for part in ("index", "values", "voxel", "background")
    )


def test_every_bit_that_flips_is_found(bake, tmp_path):
    """Beside a manifest; without one many of them give other grids, and nothing else tells."""
    path, alone = bake / "ring_0002.vdb", tmp_path / "alone.vdb"
    raw, whole = path.read_bytes(), vdb_files.read(path)
    [file] = [f for n in json.loads((bake / "ring.json").read_text())["frames"] for f in n["files"]
              if f["name"] == path.name]  # fmt: skip
    assert file["sha256"] == hashlib.sha256(raw).hexdigest()
    unseen = 0
    for at in np.random.default_rng(1).integers(0, 8 * len(raw), 60).tolist():
        flipped = bytearray(raw)
        flipped[at // 8] ^= 1 << at % 8
        for place in (path, alone):
            place.write_bytes(flipped)
        wanted = r"ring_0002\.vdb: is not a whole volume: it is not as ring\.json tells: bake again"
        for read in (vdb_files.read, measure_glow, measure_look):
            with pytest.raises(ValueError, match=wanted):
                read(path)
        try:
            unseen += not same(vdb_files.read(alone), whole)
        except ValueError:
            continue
    assert unseen > 5
    path.write_bytes(raw)
    assert same(vdb_files.read(path), whole) and measure_look(path).density > 0


def test_what_the_manifest_tells_may_change(bake):
    """Another bake in the folder, and files that it does not tell of."""
    before = vdb_files.read(bake / "ring_0001.vdb")
    shutil.copyfile(bake / "ring_0001.vdb", bake / "own.vdb")
    (bake / "notes.json").write_text('["frames"]')
    (bake / "more.json").write_text('{"frames": 3')
    quiet(small_scene(), bake, volumes=vt.Volumes(voxel=0.2), frames=(1, 1), overwrite=True)
    assert vdb_files.read(bake / "ring_0001.vdb")["density"].voxel == pytest.approx(0.2)
    assert same(vdb_files.read(bake / "own.vdb"), before)


def test_the_manifest_is_parsed_once(bake, monkeypatch):
    """However many files of a bake are read."""
    calls = []
    parse = told.parse_json
    monkeypatch.setattr(told, "parse_json", lambda text: calls.append(1) or parse(text))
    for n in (1, 2, 3, 4):
        vdb_files.read(bake / f"ring_000{n}.vdb")
    assert len(calls) == 1
