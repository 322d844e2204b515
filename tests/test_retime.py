"""Frames between those of an archive: cubics through places and velocities."""

import errno
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
from bakes import VOLUMES, content, quiet, small_scene, spoil
from hand_made import simulation

import vorton as vt
from vorton import _core
from vorton.archive import DamageError
from vorton.cli import main


def exact_scene():
    """Places keep all their digits: what lies between two frames is nearer than a multiple."""
    scene = small_scene()
    scene.method = vt.Method(rounding=0)
    return scene


OMEGA = np.array([0.3, -0.2, 2.0])  # rad/s


def turned(points, angle):
    """Rodrigues' formula, about OMEGA."""
    axis = OMEGA / np.linalg.norm(OMEGA)
    across = np.cross(axis, points)
    return (
        points * np.cos(angle)
        + across * np.sin(angle)
        + np.outer(points @ axis, axis) * (1 - np.cos(angle))
    )


def moments(dt, count=200):
    """Two simulations of tracers that turn as a solid body, dt apart, and where they begin."""
    rng = np.random.default_rng(1)
    start = rng.normal(size=(count, 3))
    sims = []
    for time in (0.0, dt):
        sim = vt.Simulation(threads=2)
        sim.tracers.add(start, density=1.0, size=0.1)
        if time:
            sim.advance(time)
        sim.tracers.position[:] = turned(start, np.linalg.norm(OMEGA) * time)
        sims.append(sim)
    return sims, start


def velocities(*sims, omega=OMEGA):
    found = []
    for sim in sims:
        position = sim.tracers.position.astype(float)
        found += [np.zeros((sim.vortons.count, 3), "f"), np.cross(omega, position).astype("f")]
    return tuple(found)


def between(sims, time, speeds=None):
    shown = vt.Simulation(threads=1)
    speeds = velocities(*sims) if speeds is None else speeds
    shown._core.show_between(sims[0]._core, sims[1]._core, time, speeds)
    return shown


def test_solid_rotation_has_an_error_of_fourth_order():
    """Half the time between frames: a sixteenth of it; Hermite's bound is h^4 max|x(4)| / 384."""
    errors = []
    for dt in (0.4, 0.2, 0.1):
        sims, start = moments(dt)
        exact = turned(start, np.linalg.norm(OMEGA) * dt / 2)
        shown = between(sims, dt / 2)
        assert shown.time == dt / 2
        errors.append(np.abs(shown.tracers.position - exact).max())
        rate = np.linalg.norm(OMEGA)
        assert errors[-1] < dt**4 / 384 * rate**4 * np.linalg.norm(start, axis=1).max() + 3e-7
    assert 14 < errors[0] / errors[1] < 18 and errors[1] / errors[2] > 8


def test_it_ends_at_both_moments():
    sims, start = moments(0.2)
    for time, sim in zip((0.0, 0.2), sims, strict=True):
        shown = between(sims, time)
        assert np.array_equal(shown.tracers.id, sims[0].tracers.id)
        np.testing.assert_allclose(shown.tracers.position, sim.tracers.position, atol=1e-7)
        np.testing.assert_allclose(shown.tracers.age, sim.tracers.age, atol=1e-6)


def test_births_and_deaths():
    """In another order of rows, too: who is who is told by the ids."""
    sims, _ = moments(0.2, count=10)
    earlier, later = sims
    later.tracers.add([[1, 0, 0], [2, 0, 0]], density=1.0, size=0.1)
    later.tracers.age[-2:] = 0.05, 0.15
    earlier.tracers.lifetime[:] = np.inf
    earlier.tracers.lifetime[0] = earlier.tracers.age[0] + 0.06
    mask = np.zeros(12, bool)
    mask[[0, 3]] = True  # number 3 was removed, nobody knows when
    later.tracers.remove(mask)
    speeds = list(velocities(*sims))
    speeds[3][-2:] = 1.0, 0.0, 0.0
    counts = {}
    for time in (0.02, 0.1, 0.18):
        shown = between(sims, time, tuple(speeds))
        counts[time] = set(shown.tracers.id.tolist())
        ages = dict(zip(shown.tracers.id.tolist(), shown.tracers.age.tolist(), strict=True))
        assert min(ages.values()) >= 0
        if 11 in ages:
            assert ages[11] == pytest.approx(0.15 - (0.2 - time), abs=1e-6)
            row = shown.tracers.id.tolist().index(11)
            np.testing.assert_allclose(
                shown.tracers.position[row], [2 - (0.2 - time), 0, 0], atol=1e-6
            )
    all_ten = set(range(10))
    assert counts[0.02] == all_ten
    assert counts[0.1] == all_ten - {0} | {11}
    assert counts[0.18] == all_ten - {0} | {10, 11}


def test_vortons_that_split_or_merge_fade():
    earlier = simulation(vortons=3, threads=1)
    later = earlier.copy()
    later.advance(0.1)
    gone = int(later.vortons.id[0])
    later.vortons.remove(np.array([True, False, False]))
    speeds = (earlier.vortons.velocity, np.zeros((earlier.tracers.count, 3), "f"),
              later.vortons.velocity, np.zeros((later.tracers.count, 3), "f"))  # fmt: skip
    shown = earlier.copy()
    shown._core.show_between(earlier._core, later._core, 0.025 + earlier.time, speeds)
    assert shown.vortons.count == 3
    was, now = (sim.vortons.strength[sim.vortons.id == gone] for sim in (earlier, shown))
    np.testing.assert_allclose(now, 0.75 * was, rtol=1e-6)


def test_what_does_not_fit_is_refused():
    sims, _ = moments(0.2)
    speeds = velocities(*sims)
    for time in (-0.1, 0.3, np.nan):
        with pytest.raises(ValueError, match="allowed is one between the moments"):
            between(sims, time)
    with pytest.raises(ValueError, match=r"velocities\[1\] has"):
        between(sims, 0.1, (speeds[0], speeds[1][1:], *speeds[2:]))
    with pytest.raises(ValueError, match="belong to another simulation"):
        vt.Simulation(exact_scene())._core.show_between(*(s._core for s in sims), 0.1, speeds)
    with pytest.raises(_core.BusyError):
        sims[0]._core.show_between(*(s._core for s in sims), 0.1, speeds)
    with pytest.raises(TypeError):
        between((sims[0], sims[1]), "1")


# ---- bakes ----


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("bake")
    quiet(exact_scene(), out)
    return out


def positions(path):
    frame = np.load(path)
    return dict(zip(frame["id"].tolist(), frame["position"].astype(float), strict=True))


@pytest.mark.slow
def test_a_derived_bake_of_twice_the_rate(folder, tmp_path):
    """Frames of the archive keep their bytes; those between are near to those of a bake that
    simulates them, much nearer than the middle of both sides."""
    manifest = vt.derive(folder, tmp_path / "slow", fps=48, volumes=VOLUMES, progress=False)
    assert manifest.frames == list(range(1, 8)) and manifest.data["fps"] == 48
    assert manifest.frame(4)["time"] == 3 / 48
    ours, theirs = content(tmp_path / "slow"), content(folder)
    for n in range(1, 5):
        for suffix in (".vdb", ".npz"):
            assert ours[f"ring_{2 * n - 1:04}{suffix}"] == theirs[f"ring_{n:04}{suffix}"]
    quiet(exact_scene(), tmp_path / "fine", fps=48, frames=(5, 7), volumes=None, archive=False)
    before, exact, after = (positions(tmp_path / "fine" / f"ring_000{n}.npz") for n in (5, 6, 7))
    shown = [positions(tmp_path / "slow" / f"ring_000{n}.npz") for n in (5, 6, 7)]
    assert len(set(exact) ^ set(shown[1])) <= 0.02 * len(exact)

    def mean_error(found, wanted):
        off = np.array([found(n) - wanted[n] for n in range(2000)])  # there from the start
        return np.linalg.norm(off, axis=1).mean()

    # longer steps alone part both bakes at the frames
    steps = mean_error(shown[0].get, before) + mean_error(shown[2].get, after)
    middle = mean_error(lambda n: (shown[0][n] + shown[2][n]) / 2, exact)
    between = mean_error(shown[1].get, exact)
    assert between < 1.05 * steps / 2 and between < 0.5 * middle


def shown_frames(manifest):
    """Of each frame: centroid and extent (m) of the tracers that were there from the start, and the
    mass of all (kg)."""
    found = []
    for n in manifest.frames:
        columns = np.load(manifest.file(n, ".npz"))
        position = columns["position"][columns["id"] < 2000].astype(float)
        assert len(position) == 2000
        found.append([*position.mean(axis=0), *position.std(axis=0), columns["density"].sum()])
    return np.array(found)


@pytest.mark.slow
def test_slow_motion_does_not_flicker(folder, tmp_path):
    """Mass, centroid and extent go on at the simulated frames as between them: what changes in the
    speed of their change, from one shown frame to the next, is no more there than elsewhere, where
    the turns of the flow are the same; a jump of a thousandth of a cell would be seen."""
    times = 6
    manifest = vt.derive(
        folder, tmp_path, fps=times * 24, volumes=VOLUMES, progress=False, threads=1
    )
    found = shown_frames(manifest)
    assert len(found) == 3 * times + 1
    speed = np.diff(found[:, :6], axis=0)
    turns = np.abs(np.diff(speed, axis=0))  # number n is around shown frame n + 2
    simulated = np.arange(len(turns)) % times == times - 1
    assert simulated.sum() == 2
    assert np.abs(speed[:, 2]).min() > 1e-3  # it moves
    assert turns.max() < 0.03 * np.abs(speed).max()
    for column in range(6):
        there, elsewhere = turns[simulated, column], turns[~simulated, column]
        assert there.max() < 2 * elsewhere.max() + 1e-6
    # 5000 tracers a second are born from .05 s on, and live to .11 s at least: 7.2 to 15.8 frames
    more = np.diff(found[:, 6])
    assert np.all(more[:7] == 0)
    assert more[8:15] == pytest.approx(np.full(7, more[8:15].mean()), rel=0.2)


def test_frames_in_between_do_not_depend_on_those_made_before(folder, tmp_path):
    """In a second call another frame is the first."""
    settings = {"fps": 48, "volumes": None, "progress": False, "threads": 1}
    vt.derive(folder, tmp_path / "once", **settings)
    for last in (3, 7):
        vt.derive(folder, tmp_path / "twice", frames=(1, last), **settings)
    assert content(tmp_path / "twice") == content(tmp_path / "once")


def test_frames_that_the_archive_does_not_reach_are_refused(folder, tmp_path):
    with pytest.raises(ValueError, match="has frames 1-4, and lacks 5"):
        vt.derive(folder, tmp_path, fps=48, frames=(1, 8), progress=False)
    with pytest.raises(ValueError, match="fps = 0"):
        vt.derive(folder, tmp_path, fps=0, progress=False)


def test_the_command_and_a_slower_rate(folder, tmp_path, capsys):
    options = ["--fps", "12", "--voxel", "0.1", "--quiet", "--no-volumes"]
    assert main(["derive", str(folder), str(tmp_path), *options]) == 0
    assert "frames     1-2 at 12 a second" in capsys.readouterr().out
    ours, theirs = content(tmp_path), content(folder)
    assert ours["ring_0002.npz"] == theirs["ring_0003.npz"]


@pytest.mark.slow
def test_between_the_frames_where_a_branch_leaves(folder, tmp_path):
    """The last frame of the scene before is a moment of both scenes."""
    scene = exact_scene()
    scene.add(vt.Tracers(vt.Sphere(radius=0.1), rate=48_000))
    vt.branch(scene, folder, tmp_path / "branch", frame=2, progress=False, threads=1)
    manifest = vt.derive(tmp_path / "branch", tmp_path / "slow", fps=96, volumes=None,
                         progress=False)  # fmt: skip
    plain = vt.derive(folder, tmp_path / "plain", fps=96, volumes=None, progress=False)
    more = [manifest.frame(n)["tracers"] - plain.frame(n)["tracers"] for n in manifest.frames]
    assert more[:5] == [0] * 5  # frame 2 is frame 5 of the faster rate
    # births at random times: two standard deviations of a quarter of 2000
    assert more[5:] == pytest.approx([500 * n for n in range(1, 9)], abs=39)


# ---- parts of a shot, and processes ----


def test_the_boxes_of_a_partition_add_up(folder, tmp_path):
    cut = 0.1
    boxes = (((-9, -9, -9), (cut, 9, 9)), ((cut, -9, -9), (9, 9, 9)))
    halves = [
        vt.derive(
            folder, tmp_path / f"{n}", region=box, frames=(4, 4), volumes=VOLUMES, progress=False
        )
        for n, box in enumerate(boxes)
    ]
    whole = vt.Manifest.find(folder).frame(4)
    assert sum(half.frame(4)["mass"] for half in halves) == pytest.approx(whole["mass"], rel=1e-6)
    everywhere = positions(folder / "ring_0004.npz")
    left, right = (positions(tmp_path / f"{n}" / "ring_0004.npz") for n in (0, 1))
    assert left.keys() == {n for n, x in everywhere.items() if x[0] < np.float32(cut)}
    assert right.keys() == everywhere.keys() - left.keys()
    assert halves[1].data["region"] == [[0.1, -9.0, -9.0], [9.0, 9.0, 9.0]]
    assert "region" not in vt.Manifest.find(folder).data
    with pytest.raises(ValueError, match="holds a bake of this scene with region"):
        vt.derive(folder, tmp_path / "0", frames=(4, 4), volumes=VOLUMES, progress=False)


@pytest.mark.parametrize("region", ["here", [1, 2, 3], ((0, 0, 0), (0, 1, 1)), ((0, 0), (1, 1))])
def test_what_is_no_box_is_refused(folder, tmp_path, region):
    with pytest.raises((TypeError, ValueError), match="region"):
        vt.derive(folder, tmp_path / "out", region=region, progress=False)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_processes_write_the_same_files(folder, tmp_path):
    values = {"fps": 48, "volumes": VOLUMES, "progress": False}
    vt.derive(folder, tmp_path / "one", **values)
    options = ["--jobs", "2", "--fps", "48", "--voxel", "0.1", "--quiet"]
    assert main(["derive", str(folder), str(tmp_path / "two"), *options]) == 0
    assert content(tmp_path / "one") == content(tmp_path / "two")
    # a damaged one costs those that are made of it
    shutil.copytree(folder, tmp_path / "copy")
    spoil(tmp_path / "copy" / "ring.vta", 4)
    with pytest.raises(DamageError, match=r"ring\.vta: frame 4: the checksum of ") as caught:
        vt.derive(tmp_path / "copy", tmp_path / "three", **values | {"volumes": None}, jobs=2)
    three = vt.Manifest.find(tmp_path / "three")
    all_frames = vt.Manifest.find(tmp_path / "one").frames
    assert list(caught.value.frames) == [4]
    assert three.frames == [n for n in all_frames if n not in (6, 7, 8)]
    assert all(three.is_whole(n) for n in three.frames)


# ---- several processes ----


@pytest.mark.slow
def test_processes_that_end_early_or_do_not_begin(tmp_path, monkeypatch):
    """That is said, at once, and nobody goes on writing."""
    quiet(exact_scene(), tmp_path / "bake", frames=(1, 2))
    values = {"volumes": None, "progress": False, "threads": 1, "jobs": 2}
    popen, begun, raised = subprocess.Popen, [], []

    def derive(out):
        try:
            vt.derive(tmp_path / "bake", tmp_path / out, **values)
        except Exception as error:
            raised.append(error)

    def second_fails(*words, **named):
        if begun:
            raise OSError(errno.EAGAIN, "no more processes")
        begun.append(popen(*words, **named))
        return begun[0]

    monkeypatch.setattr(subprocess, "Popen", second_fails)
    derive("first")
    assert "no more processes" in str(raised.pop()) and begun[0].poll() is not None

    monkeypatch.setattr(
        subprocess, "Popen", lambda words, **named: popen([sys.executable, "-c", ""], **named)
    )
    thread = threading.Thread(target=derive, args=("second",), daemon=True)  # or it waits for ever
    thread.start()
    thread.join(60)
    assert not thread.is_alive() and "ended with status 0" in str(raised.pop())
