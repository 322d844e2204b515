"""Volumes beside bodies: what lies where, against the geometry of the walls in NumPy."""

import numpy as np
import pytest
from test_volume import H

import vorton as vt
from vorton import _core
from vorton.files import vdb_files
from vorton.preview import Camera, render
from vorton.preview.shots import open_shot

TILTS = [(0, 0, 1), (1, 1, 1), (0.2, -0.5, 1)]


def plate_of(normal, thickness, size=4.0):
    """A plate about the origin across a normal, and the normal of length 1."""
    normal = np.array(normal, float) / np.linalg.norm(normal)
    across = np.linalg.svd(normal[None])[2][1:]
    corners = np.array(list(np.ndindex(2, 2, 2))) - 0.5
    return vt.Polytope(corners * (size, size, thickness) @ np.array([*across, normal])), normal


def simulation_of(*bodies):
    scene = vt.Scene("walls", method=vt.Method(bodies="none"))
    for body in bodies:
        scene.add(body)
    return vt.Simulation(scene)


def volume_of(position, bodies=None, **how):
    count = len(position)
    how = {"density": np.full(count, 1e-3, np.float32), "size": np.full(count, H, np.float32),
           "voxel_size": H, "threads": 2} | how
    return _core.volume_from_tracers(position=np.asarray(position, np.float32),
                                     bodies=bodies._core if bodies else None, **how)


def box_of(volume):
    info = volume.info()
    first = np.round(np.array(info["lower"]) / H + 0.5).astype(int) - 2
    return first, np.round(np.array(info["upper"]) / H - 0.5).astype(int) + 3 - first


def voxels_of(volume):
    """Densities, kg/m^3, and the middles of the voxels, m."""
    first, shape = box_of(volume)
    values = volume.density(first, shape).astype(float)
    index = np.stack(np.indices(values.shape)[::-1], -1)  # values are z, y, x
    return values, H * (first + index)


def scattered(count, low, high, seed=1):
    return np.random.default_rng(seed).uniform(low, high, (count, 3))


@pytest.mark.parametrize("sharp", [False, True])
@pytest.mark.parametrize("thickness", [0.05, 0.6, 1.0, 1.5, 2.5])
@pytest.mark.parametrize("normal", TILTS)
def test_nothing_comes_through_a_plate(normal, thickness, sharp):
    shape, normal = plate_of(normal, thickness * H)
    position = scattered(20_000, -1, 1)
    position = position[(position @ normal < -0.5 * thickness * H) &
                        (np.linalg.norm(position, axis=1) < 1)]
    volume = volume_of(position, simulation_of(vt.Body(shape)), sharp=sharp)
    values, middle = voxels_of(volume)
    height = middle @ normal
    assert values[height > 0.5 * thickness * H].sum() == 0
    deep = np.abs(height) < 0.5 * thickness * H - 0.501 * H
    assert values[deep].sum() == 0
    assert values.sum() * H**3 == pytest.approx(1e-3 * len(position), rel=1e-6)
    assert volume.info()["mass"] == pytest.approx(1e-3 * len(position), rel=1e-6)
    free, middle = voxels_of(volume_of(position, sharp=sharp))
    assert thickness > 2 or free[middle @ normal > 0.5 * thickness * H].sum() > 0  # it would


@pytest.mark.parametrize("sharp", [False, True])
@pytest.mark.parametrize("spacing", [0.5, 2.0])
def test_a_closed_container_keeps_its_smoke(sharp, spacing):
    radius = 0.83
    count = int(4.2 * (radius / H / spacing) ** 3)
    position = scattered(2 * count, -radius, radius)
    position = position[np.linalg.norm(position, axis=1) < radius - 1e-5]
    hot = np.full(len(position), 500, np.float32)
    room = simulation_of(vt.Container(vt.Sphere((0, 0, 0), radius)))
    volume = volume_of(position, room, sharp=sharp, temperature=hot, ambient_temperature=290.0,
                       flame=np.full(len(position), 0.3, np.float32),
                       size=np.full(len(position), H * spacing, np.float32))
    first, shape = box_of(volume)
    values, middle = voxels_of(volume)
    outside = np.linalg.norm(middle, axis=-1) > radius + 0.501 * H
    assert outside.any()
    for name, nothing in [("temperature", 290), ("flame", 0), ("glow", 0), ("coverage", 0)]:
        field = volume.values(name, first, shape)
        assert np.all(field[outside] == nothing), name
        assert field[~outside].max() > nothing
    assert values[outside].max() == 0


@pytest.mark.parametrize("height", np.array([0, 0.2, 0.49, 0.51, 0.8]) * H)
def test_smoke_that_fills_a_room_reaches_its_floor(height):
    """Between the voxels the density at the floor is half of that above it, as that of a full voxel
    of which half is in the floor: there is no gap."""
    points = (np.arange(40) + 0.5) / 4 * H
    x, y, z = np.meshgrid(points, points, points + height, indexing="ij")
    position = np.stack([x, y, z], -1).reshape(-1, 3)
    floor = simulation_of(vt.Body(vt.Plane((0, 0, height), (0, 0, 1))))
    values, middle = voxels_of(volume_of(position, floor))
    column = values[:, values.shape[1] // 2, values.shape[2] // 2]
    z = middle[:, 0, 0, 2]
    full = 64 * 1e-3 / H**3
    assert np.interp(height + 3 * H, z, column) == pytest.approx(full, rel=1e-3)
    assert 0.4 < np.interp(height, z, column) / full < 0.6
    assert column[z < height - 0.501 * H].max() == 0


def test_in_a_corner_of_bodies_that_touch():
    """Two boxes make one wall: where they touch is no way through."""
    boxes = [vt.Body(vt.Box((-1, -1, 0), (0.013, 1, 2.4 * H))),
             vt.Body(vt.Box((0.013, -1, 0), (1, 1, 2.4 * H)))]
    position = scattered(20_000, (-0.6, -0.6, -0.4), (0.6, 0.6, -1e-4))
    values, middle = voxels_of(volume_of(position, simulation_of(*boxes)))
    inside = np.abs(middle[..., :2]).max(-1) < 0.9
    assert values[inside & (middle[..., 2] > 0.501 * H)].max() == 0
    assert values.sum() * H**3 == pytest.approx(20, rel=1e-6)


def test_far_bodies_and_threads_change_no_bit():
    position = scattered(30_000, -1, 1)
    far = simulation_of(vt.Body(vt.Sphere((5, 0, 0), 1)))
    first, shape = (-15, -15, -15), (31, 31, 31)
    alone = volume_of(position).density(first, shape)
    assert np.array_equal(alone, volume_of(position, far).density(first, shape))
    near = simulation_of(vt.Body(vt.Sphere((0.3, 0, 0), 0.4)), vt.Body(plate_of((1, 1, 1), H)[0]))
    position = position[np.linalg.norm(position - (0.3, 0, 0), axis=1) > 0.4]
    for sharp in (False, True):
        every = [volume_of(position, near, sharp=sharp, threads=n).density(first, shape)
                 for n in (1, 2, 5)]
        assert np.array_equal(every[0], every[1]) and np.array_equal(every[0], every[2])


# ---- bakes ----


def hut():
    """A fire below a thin roof; voxels of H."""
    scene = vt.Scene("hut", seed=3, combustion=vt.Combustion(rate=4, flame_time=0.2), voxel=H)
    scene.add(vt.Body(vt.Box((-3, -3, 1.03), (3, 3, 1.03 + 1.5 * H))))
    scene.add(vt.Emitter(vt.Box((-0.4, -0.4, 0.4), (0.4, 0.4, 1.0)), temperature=800, fuel=0.6,
                         core=0.2, per_voxel=8, renew=2))
    return scene


def above_roof(values, first):
    """Values of voxels (z, y, x) above the middle of the roof."""
    z = H * (first[2] + np.arange(values.shape[0]))
    return values[z > 1.03 + 0.75 * H]


@pytest.mark.slow
def test_bakes_and_what_is_made_of_them_keep_fire_below_a_roof(tmp_path):
    vt.bake(hut(), tmp_path / "bake", frames=(1, 3), progress=False)
    vt.derive(tmp_path / "bake", tmp_path / "derived", progress=False)
    vt.derive(tmp_path / "bake", tmp_path / "slower", fps=48, progress=False)
    for folder, count in [("bake", 3), ("derived", 3), ("slower", 5)]:
        paths = sorted((tmp_path / folder).rglob("*.vdb"))
        assert len(paths) == count
        for path in paths:
            for name, grid in vdb_files.read(path).items():
                height = H * grid.index[:, 2]
                if name != "velocity" and len(height):
                    assert 0.9 < height.max() < 1.03 + 0.75 * H, (path, name)
    for frames, volume in enumerate(open_shot(tmp_path / "bake"), start=1):
        first, shape = box_of(volume)
        assert above_roof(volume.density(first, shape), first).sum() == 0, frames
        assert above_roof(volume.values("flame", first, shape), first).sum() == 0
    assert frames == 3


# ---- pictures ----


def test_thin_smoke_on_a_ball_has_no_pattern():
    """Whole steps of the march up to the ball were one more or less from pixel to pixel."""
    ball = simulation_of(vt.Body(vt.Sphere((0, 0, 0), 0.8)))
    position = scattered(300_000, -1.2, 1.2)
    far = np.linalg.norm(position, axis=1)
    volume = volume_of(position[(far > 0.8) & (far < 1.1)], ball)
    camera = Camera((0, -6, 0), (0, 0, 0), field_of_view=8)

    def levels(**how):
        how = {"extinction": 0.1} | how
        return render(volume, camera, (160, 160), bodies=ball, **how).astype(float).mean(2)

    fine = levels(step=0.25)
    assert np.abs(fine - levels(extinction=1e-9)).mean() > 10
    error = levels(step=1.0) - fine
    assert np.abs(error - error.mean()).max() < 1.5  # it was 5.6
    assert error.std() < 0.4  # it was 1.8


def test_pictures_show_no_smoke_outside_of_a_container():
    room = simulation_of(vt.Container(vt.Sphere((0, 0, 0), 0.83)))
    position = scattered(40_000, -0.83, 0.83)
    position = position[np.linalg.norm(position, axis=1) < 0.829]
    camera = Camera((0, -4, 0), (0, 0, 0), field_of_view=40)
    smoke, empty = (render(volume_of(p, room), camera, (160, 160), bodies=room, extinction=5.0)
                    for p in (position, np.full((1, 3), 0.8)))
    x, z = np.meshgrid(*[(np.arange(160) - 79.5) / 80 * np.tan(np.radians(20))] * 2)
    misses = 4 * np.sin(np.arctan(np.hypot(x, z))) > 0.83 + 0.02
    assert np.abs(smoke.astype(int) - empty)[misses].max() <= 1
    assert np.abs(smoke.astype(int) - empty)[~misses].mean() > 30


def test_smoke_below_a_roof_casts_no_shadow_on_it():
    roof = simulation_of(vt.Body(vt.Box((-2, -2, 0), (2, 2, 2.5 * H))))
    position = scattered(40_000, (-1, -1, -0.5), (1, 1, -1e-3))
    camera = Camera((0, -2, 5), (0, 0, 0), field_of_view=20)
    smoke, none = (render(volume_of(position, roof), camera, (96, 96), bodies=roof,
                          extinction=e) for e in (50.0, 1e-9))
    assert np.array_equal(smoke, none)
