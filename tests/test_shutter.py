"""Bakes that are derived at other moments, and with an open shutter: against what is known of a
blob in a uniform wind."""

import shlex
import shutil

import numpy as np
import pytest
from bakes import content, spoil
from everything import fire_scene

import vorton as vt
from vorton import _core
from vorton.archive import DamageError
from vorton.bakes.bake_frames import columns_of_volume, mean_volume
from vorton.bakes.baked_bodies import BakedBodies
from vorton.cli import main
from vorton.files import vdb_files

SPEED, FPS, VOXEL, LAST = 12.0, 24, 0.02, 4  # half a metre in a frame
FINE = vt.Volumes(voxel=VOXEL, half=False, compress=False)


def blob_scene():
    """A blob of 8 cm in a wind, and a plane that comes along."""
    scene = vt.Scene("blob", seed=1, max_vortons=100, max_tracers=2000, voxel=VOXEL)
    scene.method = vt.Method(rounding=0)
    scene.add(vt.Wind(velocity=(SPEED, 0, 0)))
    scene.add(vt.Tracers(vt.Sphere(radius=0.04), count=1000))
    along = vt.Transform(position=vt.Keys([(0, (0, 0, -3)), (1, (SPEED, 0, -3))]))
    plate = vt.Box((-0.5, -0.5, 0), (0.5, 0.5, 0.1))
    scene.add(vt.Body(plate, name="plate", parent=along, panels=0))
    return scene


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("bake")
    vt.bake(blob_scene(), out, frames=(1, LAST), fps=FPS, volumes=FINE, progress=False)
    return out


def profile(path):
    """Mass (kg) in each layer of voxels across x, and where these lie."""
    grid = vdb_files.read(path)["density"]
    x = grid.index[:, 0]
    layers = np.arange(x.min(), x.max() + 1)
    mass = np.bincount(x - layers[0], grid.values.astype(float), len(layers)) * VOXEL**3
    return layers * VOXEL, mass


def moments(path):
    x, mass = profile(path)
    mean = (x * mass).sum() / mass.sum()
    return mass.sum(), mean, ((x - mean) ** 2 * mass).sum() / mass.sum()


@pytest.mark.parametrize("shutter, samples", [(1.0, 32), (0.5, 16), (0.5, 3)])
def test_a_blob_is_as_wide_as_it_moves(folder, tmp_path, shutter, samples):
    """Equal shares of the mass lie at `samples` places over the way, around where the blob is: its
    variance is that much larger, and it looks as long as the way where these are near together."""
    manifest = vt.derive(
        folder, tmp_path, shutter=shutter, samples=samples, volumes=FINE, progress=False
    )
    assert manifest.frames == [2, 3]
    way = SPEED * shutter / FPS
    for n in manifest.frames:
        still, blurred = (moments(place / f"blob_{n:04}.vdb") for place in (folder, tmp_path))
        assert blurred[0] == pytest.approx(still[0], rel=1e-5)
        assert blurred[1] == pytest.approx(still[1], abs=1e-4)
        wider = way**2 / 12 * (1 - samples**-2)
        assert blurred[2] - still[2] == pytest.approx(wider, rel=2e-3)
        assert manifest.frame(n)["mass"] == pytest.approx(still[0], rel=1e-5)
        if way / samples < VOXEL:
            x, mass = profile(tmp_path / f"blob_{n:04}.vdb")
            plateau = still[0] * VOXEL / way
            middle = mass[np.abs(x - still[1]) < 0.3 * way]
            assert middle == pytest.approx(np.full(len(middle), plateau), rel=0.05)
            assert (mass > plateau / 2).sum() * VOXEL == pytest.approx(way, abs=1.5 * VOXEL)


def test_what_has_an_open_shutter_has_no_velocity_and_all_else_is_as_without(folder, tmp_path):
    vt.derive(folder, tmp_path / "open", shutter=0.5, volumes=FINE, progress=False)
    vt.derive(folder, tmp_path / "plain", volumes=FINE, progress=False)
    names = [
        set(vdb_files.read(tmp_path / which / "blob_0002.vdb")) for which in ("open", "plain")
    ]
    assert names == [{"density"}, {"density", "velocity"}]
    ours, theirs = (vt.Manifest.find(tmp_path / which) for which in ("open", "plain"))
    assert ours.data["volumes"]["grids"] == {"density": "density"}
    assert (ours.data["shutter"], ours.data["samples"]) == (0.5, 8)
    assert not {"shutter", "samples", "offset"} & theirs.data.keys()
    for key in ("time", "tracers", "health"):
        assert ours.frame(2)[key] == theirs.frame(2)[key]
    assert content(tmp_path / "open")["blob_0002.npz"] == content(folder)["blob_0002.npz"]
    with pytest.raises(ValueError, match="holds a bake of this scene with"):
        vt.derive(folder, tmp_path / "open", shutter=0.25, volumes=FINE, progress=False)


def test_a_derived_bake_tells_the_command_that_makes_it_again(folder, tmp_path, capsys):
    """With all options that its files follow from, wherever it is told: byte by byte the same; and
    of velocity, which it has not, nothing."""
    odd = vt.Volumes(voxel=0.05, preset="blender", half=False, compress=False, margin=1, sharp=True)
    how: dict = {"frames": (2, 3), "fps": 1.5 * FPS, "offset": 1 / 3, "shutter": 0.5, "samples": 3}
    how |= {"region": ((-1e-5, -1, -1), (9, 1, 1)), "volumes": odd, "tracers": False}
    vt.derive(folder, tmp_path / "a", **how, progress=False)
    with pytest.raises(ValueError, match="it was made by `vorton derive .*; choose") as refused:
        vt.derive(folder, tmp_path / "a", progress=False)
    assert main(["info", str(tmp_path / "a")]) == 0
    rows = dict(row.split(None, 1) for row in capsys.readouterr().out.splitlines())
    assert rows["again"] in str(refused.value)
    first, *words = [word if word != str(tmp_path / "a") else str(tmp_path / "b")
                     for word in shlex.split(rows["again"])]  # fmt: skip
    assert first == "vorton" and main([*words, "--quiet"]) == 0
    assert content(tmp_path / "b") == content(tmp_path / "a")
    assert "Velocity" not in capsys.readouterr().out


def test_single_times(folder, tmp_path, capsys):
    """Tracers and bodies lie where the wind and the track have them then."""
    options = ["--offset", "0.25", "--frames", "2-2", "--quiet", "--voxel", str(VOXEL)]
    assert main(["derive", str(folder), str(tmp_path), *options]) == 0
    assert "shown      0.25 of a frame later" in capsys.readouterr().out
    manifest = vt.Manifest.find(tmp_path)
    assert manifest.frames == [2] and manifest.frame(2)["time"] == 1.25 / FPS
    then, before = (np.load(place / "blob_0002.npz") for place in (tmp_path, folder))
    moved = then["position"] - before["position"]
    np.testing.assert_allclose(moved, np.full((1000, 1), 0.25 / FPS) * [SPEED, 0, 0], atol=2e-6)
    still, later = (moments(place / "blob_0002.vdb") for place in (folder, tmp_path))
    assert later[1] - still[1] == pytest.approx(0.25 * SPEED / FPS, abs=1e-4)
    scene = vt.Scene.from_dict(manifest.data["scene"])
    bodies = BakedBodies(manifest, [2], scene, threads=1)
    (piece,) = bodies.pieces
    sim = bodies.start(piece)
    bodies.move(sim, 2)
    assert sim.bodies[0].position == pytest.approx([1.25 * SPEED / FPS, 0, -2.95])


def test_frames_that_are_reached(folder, tmp_path):
    """With an offset not the last one; between them the shutter may be open at its own rate."""
    values = {"volumes": FINE, "progress": False, "tracers": False}
    assert vt.derive(folder, tmp_path / "a", offset=0.5, **values).frames == [1, 2, 3]
    slow = vt.derive(folder, tmp_path / "b", fps=2 * FPS, shutter=1, **values)
    assert slow.frames == [2, 3, 4, 5, 6]
    both = vt.derive(folder, tmp_path / "c", offset=0.5, shutter=1, samples=4, **values)
    assert both.frames == [1, 2, 3]
    with pytest.raises(ValueError, match="has frames 1-4, and lacks 0"):
        vt.derive(folder, tmp_path / "d", shutter=0.5, frames=(1, 2), **values)


@pytest.mark.parametrize(
    "values",
    [
        {"offset": -0.1},
        {"offset": 1.1},
        {"shutter": 1.1},
        {"shutter": -0.1},
        {"shutter": np.nan},
        {"samples": 1},
        {"samples": 2.5},
        {"shutter": 0.5, "volumes": None},
    ],
)
def test_what_no_camera_does_is_refused(folder, tmp_path, values):
    with pytest.raises((TypeError, ValueError), match=f"^{next(iter(values))} = "):
        vt.derive(folder, tmp_path / "out", progress=False, **values)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_processes_and_calls_write_the_same_files(folder, tmp_path):
    values = {"shutter": 0.5, "samples": 5, "fps": 48, "volumes": FINE, "progress": False}
    vt.derive(folder, tmp_path / "one", threads=1, **values)
    vt.derive(folder, tmp_path / "two", jobs=2, threads=2, **values)
    vt.derive(folder, tmp_path / "late", frames=(4, 6), **values)
    one, two, late = (content(tmp_path / which) for which in ("one", "two", "late"))
    assert one == two and len(one) > 8
    assert all(one[name] == late[name] for name in late if name != "blob.json")


def test_a_damaged_frame_costs_those_whose_shutter_is_open_beside_it(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "bake")
    spoil(tmp_path / "bake" / "blob.vta", 4)
    values = {"fps": 2 * FPS, "shutter": 1, "samples": 2, "volumes": FINE, "progress": False}
    with pytest.raises(DamageError, match="lacks frames 5-6, all others are whole") as caught:
        vt.derive(tmp_path / "bake", tmp_path / "out", **values)
    assert list(caught.value.frames) == [4]
    assert vt.Manifest.find(tmp_path / "out").frames == [2, 3, 4]


@pytest.mark.filterwarnings("ignore::vorton.SceneWarning")
def test_the_mean_of_one_moment_is_its_volume():
    """Of fire, and of tracers that have grown; of two it has the mean of the densities."""
    scene = fire_scene()
    scene.add(vt.Tracers(vt.Sphere(radius=0.3), count=200, growth=2.0))
    sim = vt.Simulation(scene, threads=2)
    seen, wanted = [], []
    settings = {"voxel": 0.1, "sharp": False}
    for _ in range(2):
        sim.step(3)
        wanted.append(sim._core.volume(voxel_size=0.1, velocity_margin=0, threads=2, sharp=False))
        seen.append(columns_of_volume(sim))
        assert "growth" in seen[-1] and "flame" in seen[-1]
    place = (-30, -30, -30), (60, 60, 60)
    for columns, volume in zip(seen, wanted, strict=True):
        alone = mean_volume(sim, [columns], settings, 1)
        assert alone.info() == volume.info() and alone.fields() == volume.fields()
        for name in volume.fields():
            assert np.array_equal(alone.values(name, *place), volume.values(name, *place)), name
    both = mean_volume(sim, seen, settings, 2).density(*place)
    mean = sum(volume.density(*place).astype(float) for volume in wanted) / 2
    np.testing.assert_allclose(both, mean, atol=1e-5 * mean.max())
    assert isinstance(wanted[0], _core.Volume)
