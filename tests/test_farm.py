"""A bake in parts, as machines of a farm make it: gathered it is as if one had made all of it."""

import json
import re
import shutil
from pathlib import Path

import pytest
from bakes import content, quiet, small_scene

import vorton as vt
from vorton.bakes import bake_folders
from vorton.cli import main

TEMPLATE = Path(__file__).parents[1] / "examples" / "farm.template.json"


def tasks(step, params):
    """The parameters of each task of a step, by the rules of OpenJobDescription."""
    space = step.get("parameterSpace", {"taskParameterDefinitions": []})
    made = [params]
    for defined in space["taskParameterDefinitions"]:
        first, last = map(int, fill(defined["range"], params).split("-"))
        numbers = range(first, last + 1)
        made = [m | {f"Task.Param.{defined['name']}": str(n)} for m in made for n in numbers]
    return made


def fill(text, params):
    return re.sub(r"\{\{(.*?)\}\}", lambda found: params[found[1]], text)


@pytest.mark.slow
def test_the_template_of_a_farm_makes_what_one_machine_makes(tmp_path, capsys):
    small_scene().save(tmp_path / "ring.json")
    job = json.loads(TEMPLATE.read_text())
    params = {
        f"Param.{defined['name']}": str(defined.get("default", ""))
        for defined in job["parameterDefinitions"]
    }
    params |= {"Param.Scene": str(tmp_path / "ring.json"), "Param.Folder": str(tmp_path)}
    params |= {"Param.Last": "3", "Param.First": "2", "Param.Voxel": "0.1"}
    for step in job["steps"]:
        action = step["script"]["actions"]["onRun"]
        assert action["command"] == "vorton"
        for values in tasks(step, params):
            assert main([fill(word, values) for word in action["args"]]) == 0
    whole = vt.derive(
        tmp_path / "bake", tmp_path / "whole", frames=(2, 3), tracers=False,
        volumes=vt.Volumes(voxel=0.1), progress=False,
    )  # fmt: skip
    assert content(tmp_path / "frames") == content(whole.folder)
    assert main(["info", str(tmp_path / "frames"), "--verify", "--quiet"]) == 0
    assert "derived    from ../bake/ring.vta" in capsys.readouterr().out


@pytest.fixture
def parts(tmp_path):
    quiet(small_scene(), tmp_path / "bake", frames=(1, 3), volumes=None)
    for n in (1, 3):
        vt.derive(tmp_path / "bake", tmp_path / "parts" / str(n), frames=(n, n), progress=False)
    return tmp_path / "parts"


def test_parts_may_come_later(parts, tmp_path):
    out = tmp_path / "out"
    assert vt.gather(parts, out, progress=False).missing == [2]
    vt.derive(tmp_path / "bake", parts / "2", frames=(2, 2), progress=False)
    assert vt.gather(parts, out, progress=False).missing == []
    vt.derive(tmp_path / "bake", tmp_path / "whole", progress=False)
    assert content(out) == content(tmp_path / "whole")


@pytest.mark.slow
def test_parts_that_were_copied_are_not_copied_again(parts, tmp_path, monkeypatch):
    """On a disk without links. A file that has changed since is, as it is in its part."""
    monkeypatch.setattr(bake_folders, "_have_linked", lambda source, target: False)
    out, told = tmp_path / "out", []

    def gather():
        told.clear()
        made = vt.gather(parts, out, progress=lambda done, total, left: told.append((done, total)))
        return made, {path.name: path.stat().st_ino for path in out.glob("ring_*")}

    _, before = gather()
    assert told == [(n, 2) for n in (1, 2)] + [(n, 4) for n in (1, 2, 3, 4)]
    vt.derive(tmp_path / "bake", parts / "2", frames=(2, 2), progress=False)
    changed = (out / "ring_0003.vdb").read_bytes()
    (out / "ring_0003.vdb").write_bytes(changed[:-1] + b"?")
    made, after = gather()
    assert told == [(n, 3) for n in (1, 2, 3)] + [(n, 3) for n in (1, 2, 3)]
    assert {name for name, file in before.items() if after[name] != file} == {"ring_0003.vdb"}
    assert made.missing == [] and all(map(made.is_whole, (1, 2, 3)))


@pytest.mark.slow
def test_what_is_no_part_is_refused(parts, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ValueError, match="holds no folders with bakes"):
        vt.gather(parts / "1", out)
    vt.derive(tmp_path / "bake", parts / "9", frames=(2, 2), offset=0.5, progress=False)
    with pytest.raises(ValueError, match=r"9.ring\.json: is of another bake than .*1.ring\.json"):
        vt.gather(parts, out)
    shutil.rmtree(parts / "9")
    (parts / "3" / "ring_0003.npz").write_bytes(b"")
    with pytest.raises(ValueError, match=r"ring_0003\.npz has 0 bytes .*: derive it again"):
        vt.gather(parts, out)
    shutil.rmtree(parts / "3")
    assert not out.exists()
    out.mkdir()
    (out / "ring_0001.npz").write_bytes(b"mine")
    with pytest.raises(ValueError, match="belongs to no bake"):
        vt.gather(parts, out)
    assert [path.name for path in out.iterdir()] == ["ring_0001.npz"]


def test_a_gather_that_was_interrupted_goes_on(parts, tmp_path, capsys):
    """Its files are there, its manifest is not."""
    out = tmp_path / "out"
    vt.gather(parts, out, progress=False)
    (out / "ring.json").unlink()
    assert main(["gather", str(parts), str(out), "--quiet"]) == 3  # frame 2 is missing
    assert "frame 2 is missing: derive again to go on" in capsys.readouterr().out
    (parts / "3" / "ring.json").write_text("{")
    with pytest.warns(UserWarning, match=r"3: holds no manifest that can be read, and is left out"):
        vt.gather(parts, tmp_path / "other", progress=False)
    (out / "ring_0001.npz").unlink()
    with pytest.raises(ValueError, match=r"out: ring_0001\.npz .*: remove its manifest"):
        vt.gather(parts, out, progress=False)
