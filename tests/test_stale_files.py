"""What was made of a bake, and is not of the bake that is there now: it is named, and replaced."""

import importlib.util
import os
import shutil
import warnings

import pytest
from bakes import content, quiet, small_scene
from marks import slow_but

import vorton as vt
from vorton.archive.stages import mark_of
from vorton.cli import main
from vorton.files import tracer_files
from vorton.film import make_film
from vorton.hosts.usd import make_stage
from vorton.hosts.vdb_points import encode, voxel_for, write_point_grids


def said(capsys, *command):
    """Status of the command, and its rows that tell of stale files or doubts."""
    status = main([str(word) for word in command])
    rows = capsys.readouterr().out.splitlines()
    return status, [row for row in rows if row.startswith(("stale", "warning"))]


def stage(folder):
    make_stage(folder, points=False, progress=False)
    write_point_grids(folder, progress=False)


@pytest.fixture
def staged(tmp_path):
    """A bake with a stage and points."""
    folder = tmp_path / "bake"
    quiet(small_scene(), folder, frames=(1, 3))
    stage(folder)
    return folder


def points_of(folder, number):
    columns = tracer_files.read(folder / f"ring_000{number}.npz")
    return encode(columns, voxel_for(columns["size"]))


def all_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


OTHERS = {
    "scene": lambda folder: quiet(small_scene(seed=4), folder, frames=(1, 2), overwrite=True),
    "voxels": lambda folder: quiet(
        small_scene(), folder, frames=(1, 2), volumes=vt.Volumes(voxel=0.2), overwrite=True
    ),
    "rate": lambda folder: quiet(small_scene(), folder, frames=(1, 2), fps=30, overwrite=True),
}


@pytest.mark.parametrize("other", slow_but(["rate"], OTHERS))
def test_files_of_another_bake_are_named_and_replaced(staged, other, capsys):
    """The bake is overwritten; what was made of it stays, and no longer passes for a part of it."""
    assert said(capsys, "info", staged, "--verify", "--quiet") == (0, [])
    old = (staged / "points" / "ring_0002.vdb").read_bytes()
    OTHERS[other](staged)
    for options in ([], ["--verify", "--quiet"]):
        status, rows = said(capsys, "info", staged, *options)
        assert status == 1 and len(rows) == 2
        assert rows[0].startswith("stale      ring.usda is of another bake")
        assert "points/ring_0001.vdb, points/ring_0002.vdb, points/ring_0003.vdb are of" in rows[1]
    stage(staged)
    assert said(capsys, "info", staged, "--verify", "--quiet") == (0, [])
    assert all_in(staged / "points") == ["ring_0001.vdb", "ring_0002.vdb"]
    new = (staged / "points" / "ring_0002.vdb").read_bytes()
    assert new != old
    assert points_of(staged, 2)[-10_000:] == new[-10_000:]  # but for what it says of itself


@pytest.mark.slow
@pytest.mark.parametrize("other", [{"offset": 0.5}, {"fps": 48}])
def test_points_of_other_times_are_named(staged, other, tmp_path, capsys):
    """Derived anew at another time, in a folder whose points are of the first."""
    folder = tmp_path / "derived"
    how = {"frames": (2, 2), "progress": False, "threads": 1, "volumes": None}
    vt.derive(staged, folder, **how)
    write_point_grids(folder, progress=False)
    assert said(capsys, "info", folder)[0] == 0
    vt.derive(staged, folder, **how, **other, overwrite=True)
    status, rows = said(capsys, "info", folder)
    assert status == 1 and "points/ring_0002.vdb" in "".join(rows)


def test_a_branch_in_place_makes_them_stale(staged, capsys):
    windy = small_scene()
    windy.add(vt.Wind((1, 0, 0)))
    vt.branch(windy, staged, staged, frame=2, overwrite=True, progress=False, threads=1)
    status, rows = said(capsys, "info", staged)
    assert status == 1 and [row[:10] for row in rows] == ["stale     "] * 2


def test_a_bake_that_goes_on_keeps_its_own(staged, capsys):
    """More frames of the same bake, which its stage lacks; then fewer, of which points of the
    others are left, and the stage shows what is not there."""
    quiet(small_scene(), staged, frames=(1, 4))
    lacking = "stale      ring.usda is of another bake, or of other frames than it has: "
    status, [row] = said(capsys, "info", staged, "--verify", "--quiet")
    assert status == 1 and row.startswith(lacking)
    stage(staged)
    assert said(capsys, "info", staged) == (0, [])
    vt.prune_bake(staged, frames=(2, 4))
    status, rows = said(capsys, "info", staged)
    assert status == 1 and rows[0].startswith(lacking) and len(rows) == 2
    assert rows[1].startswith("stale      points/ring_0001.vdb is of another bake, or of other")
    stage(staged)
    assert said(capsys, "info", staged) == (0, [])


def test_files_that_do_not_say_are_named(staged, capsys):
    """As earlier versions have made them: they may be of this bake, and of all its frames."""
    (staged / "points" / "ring_0001.vdb").write_bytes(points_of(staged, 1))
    (staged / "ring.abc").write_bytes(b"Ogawa" + mark_of(vt.Manifest.find(staged)).encode())
    status, rows = said(capsys, "info", staged)
    assert status == 0 and [row.split(" does not say")[0] for row in rows] == [
        "warning    ring.abc", "warning    points/ring_0001.vdb"
    ]  # fmt: skip


@pytest.mark.parametrize("transfer", slow_but([vt.move_bake], [vt.copy_bake, vt.move_bake]))
def test_current_files_go_with_a_bake(staged, tmp_path, transfer, capsys):
    before, names = content(staged / "points"), all_in(staged)
    transfer(staged, tmp_path / "new" / "place")
    out = tmp_path / "new" / "place"
    assert all_in(out) == names and content(out / "points") == before
    assert staged.exists() == (transfer is vt.copy_bake)
    assert said(capsys, "info", out) == (0, [])


@pytest.mark.parametrize("transfer", slow_but([vt.copy_bake], [vt.copy_bake, vt.move_bake]))
def test_stale_files_stay_behind(staged, tmp_path, transfer):
    quiet(small_scene(seed=4), staged, frames=(1, 2), overwrite=True)
    write_point_grids(staged, progress=False)
    stale = (staged / "ring.usda").read_bytes()
    with pytest.warns(vt.SceneWarning, match=r"stays behind in .*: ring\.usda is of another bake"):
        transfer(staged, tmp_path / "out")
    assert all_in(tmp_path / "out" / "points") == ["ring_0001.vdb", "ring_0002.vdb"]
    assert not (tmp_path / "out" / "ring.usda").exists()
    assert (staged / "ring.usda").read_bytes() == stale
    if transfer is vt.move_bake:
        assert all_in(staged) == ["ring.usda"] and not (staged / "points").exists()


@pytest.mark.parametrize("archive", slow_but([False], [False, True]))
def test_pictures_say_of_which_bake_they_are(tmp_path, archive, capsys):
    """Whatever they are called; one that says nothing is somebody's own."""
    pytest.importorskip("PIL")
    folder, other = tmp_path / "bake", tmp_path / "other"
    names = ["one.png", "film.webp", "film.gif"]
    names += ["film.mp4"] if importlib.util.find_spec("imageio_ffmpeg") else []
    quiet(small_scene(), folder, frames=(1, 2), tracers=not archive)
    quiet(small_scene("other", seed=4), other, frames=(1, 2))
    how = {"size": (32, 16), "progress": False, "threads": 1}
    for name in names:
        make_film(folder, folder / name, **how)
    make_film(small_scene(), folder / "own.png", frames=(1, 1), **how)
    make_film(other, folder / "other.png", **how)
    status, [row] = said(capsys, "info", folder)
    assert status == 1 and row == (
        "stale      other.png is of another bake, or of other frames than it has: "
        "`vorton preview` makes it of this one"
    )
    vt.copy_bake(other, folder, progress=False)  # now two bakes are there
    assert said(capsys, "info", folder / "ring.json") == (0, [])
    vt.copy_bake(folder / "ring.json", tmp_path / "copy", progress=False)
    assert {*names} <= {*all_in(tmp_path / "copy")} and "other.png" not in all_in(tmp_path / "copy")
    quiet(small_scene(seed=5), folder, frames=(1, 2), tracers=not archive, overwrite=True)
    status, [row] = said(capsys, "info", folder / "ring.json")
    assert status == 1 and row.startswith(f"stale      {sorted(names)[0]}, ")


@pytest.mark.slow
def test_stage_without_points_removes_clips_of_another_bake(staged):
    """They are told of by the layer that declares them."""
    text = (staged / "ring.usda").read_text()
    (staged / "ring.points.usda").write_text(mark_of(vt.Manifest.find(staged)))
    for n in (1, 2, 3):
        (staged / f"ring_000{n}.usdc").write_bytes(b"PXR-USDC")
    shutil.copytree(staged, staged.parent / "kept")
    quiet(small_scene(seed=4), staged, frames=(1, 2), overwrite=True)
    (staged / "own.usda").write_text(text)
    for folder in (staged, staged.parent / "kept"):
        make_stage(folder, points=False, progress=False)
    assert [n for n in all_in(staged) if ".usd" in n] == ["own.usda", "ring.usda"]
    assert len([n for n in os.listdir(staged.parent / "kept") if ".usd" in n]) == 5


# ---- derived bakes ----


@pytest.fixture
def derived(tmp_path):
    """A bake, and what is derived from it: at twice the rate, in another folder."""
    origin, out = tmp_path / "bake", tmp_path / "deep" / "out"
    quiet(small_scene(), origin, frames=(1, 3), volumes=None)
    vt.derive(origin, out, fps=48, volumes=None, progress=False, threads=1)
    return origin, out


MADE = {"usd": ["--no-points"], "vdb": ["--quiet"]}
if importlib.util.find_spec("alembic3d"):
    MADE["abc"] = ["--quiet"]


def branch_in_place(origin):
    scene = small_scene()
    scene.add(vt.Wind((1, 0, 0)))
    vt.branch(scene, origin, origin, frame=2, overwrite=True, progress=False, threads=1)


def overwrite(origin):
    quiet(small_scene(seed=4), origin, frames=(1, 3), volumes=None, overwrite=True)


@pytest.mark.parametrize(
    "change, frames",
    slow_but([(branch_in_place, "4-5")], [(branch_in_place, "4-5"), (overwrite, "1-5")]),
)
def test_a_derived_bake_whose_origin_has_changed(derived, tmp_path, change, frames, capsys):
    """It stays what it was; that the archive holds other states now is said wherever it is shown,
    and no more once it is derived again."""
    origin, out = derived
    picture = [str(out), str(tmp_path / "a.png"), "--size", "32x32", "--quiet"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert said(capsys, "info", out, "--verify", "--quiet") == (0, [])
        assert main(["preview", *picture]) == 0
    change(origin)
    text = f"frames {frames} are not of what ../../bake/ring.vta holds now, states of another scene"
    again = f"`vorton derive {origin / 'ring.vta'} {out} --frames 1-5 --fps 48 --no-volumes "
    for options in ([], ["--verify", "--quiet"]):
        status, [row] = said(capsys, "info", out, *options)
        assert status == 0 and row.startswith(f"warning    {text}")
    assert main(["preview", *picture]) == 0
    assert text in capsys.readouterr().err
    for form in MADE:
        shutil.copytree(out, out.parent / form)
        assert main(["stage", str(out.parent / form), "--format", form, *MADE[form]]) == 0
        assert text in capsys.readouterr().err
    assert f"{again}--overwrite` makes" in row
    with pytest.raises(ValueError, match="another scene"):
        vt.derive(origin, out, fps=48, volumes=None, progress=False, threads=1)
    vt.derive(origin, out, fps=48, volumes=None, progress=False, threads=1, overwrite=True)
    assert said(capsys, "info", out) == (0, [])


def test_a_derived_bake_knows_its_archive_where_it_goes(derived, tmp_path, capsys):
    """Its path is relative to the folder; where the archive is not there any more, that is said."""
    origin, out = derived
    vt.move_bake(out, tmp_path / "here")
    overwrite(origin)
    _, [row] = said(capsys, "info", tmp_path / "here")
    assert "not of what ../bake/ring.vta holds now" in row and "frames 1-5" in row
    shutil.rmtree(origin)
    assert main(["info", str(tmp_path / "here")]) == 0
    told = capsys.readouterr().out
    assert "derived    from ../bake/ring.vta, which is not there any more" in told


def test_frames_that_a_bake_adds_keep_the_origin(tmp_path):
    """Bake and derive go on with each other's frames, which are the same."""
    quiet(small_scene(), tmp_path / "bake", frames=(1, 2))
    vt.derive(tmp_path / "bake", tmp_path / "out", volumes=vt.Volumes(voxel=0.1), progress=False)
    told = vt.Manifest.find(tmp_path / "out").data["archived"]
    grown = quiet(small_scene(), tmp_path / "out", frames=(1, 3), archive=False)
    assert grown.frames == [1, 2, 3] and grown.data["archived"] == told


# ---- beside a bake that is under way ----


def test_files_that_are_being_written_are_said_to_be(tmp_path, capsys, monkeypatch):
    """Between the files of a frame and its record; somebody's file is still of no frame."""
    seen, add_frame = [], vt.Manifest.add_frame

    def look(manifest, record):
        seen.append(said(capsys, "info", tmp_path))
        add_frame(manifest, record)

    quiet(small_scene(), tmp_path, frames=(1, 1))
    (tmp_path / "ring_0009.vdb").write_bytes(b"mine")
    (tmp_path / "ring_\u00b2.vdb").write_bytes(b"mine")
    monkeypatch.setattr(vt.Manifest, "add_frame", look)
    quiet(small_scene(), tmp_path, frames=(1, 3))
    assert [status for status, _ in seen] == [3, 3]
    for number, (_, rows) in zip((2, 3), seen, strict=True):
        assert f"files of frame {number} are being written by a bake that is under way" in rows[1]
        assert "1 file beside it belongs to no frame of this bake: ring_0009.vdb" in rows[2]
        assert len(rows) == 3 and "missing" in rows[0]
    assert len(said(capsys, "info", tmp_path)[1]) == 1
