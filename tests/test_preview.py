"""Previews: light and shade of known smoke, cameras, and the files of films."""

import dataclasses
import hashlib
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from marks import slow_but

import vorton as vt
from vorton import preview
from vorton.preview import Camera, measure_extinction, render, render_shot, write_film

KEY_ALONE = {"sky_color": (0, 0, 0), "ground_color": (0, 0, 0), "bounce": 0}
DARK = {"key_color": (0, 0, 0), **KEY_ALONE}
FRONT = Camera((0, -6, 0), (0, 0, 0))


def volume_of(position, mass, voxel=0.05):
    """Volume of tracers that carry `mass` kg each."""
    sim = vt.Simulation(threads=1)
    if len(position):
        sim.tracers.add(np.asarray(position, np.float32), density=mass, size=voxel)
    return sim.volume(voxel)


def box_of_smoke(cells, voxel=0.05, centre=(0, 0, 0), density=1.0):
    """Uniform smoke: one tracer at the centre of each voxel of a box of cells[0] x ... voxels."""
    index = np.indices(cells).reshape(3, -1).T - np.array(cells) // 2
    return voxel * (index + np.round(np.array(centre) / voxel)), density * voxel**3


def ball_of_smoke(radius, centre=(0, 0, 0), voxel=0.05, density=1.0):
    position, mass = box_of_smoke((2 * round(radius / voxel) + 1,) * 3, voxel, density=density)
    inside = np.linalg.norm(position, axis=1) < radius
    return position[inside] + np.round(np.array(centre) / voxel) * voxel, mass


def ring_of_smoke(count=60_000, seed=3):
    rng = np.random.default_rng(seed)
    around, across, at = rng.random((3, count)) * [[2 * np.pi], [2 * np.pi], [1]]
    thick = 0.25 * np.sqrt(at) * (1 + 0.3 * np.sin(5 * around))
    reach = 0.8 + thick * np.cos(across)
    return np.stack([reach * np.cos(around), reach * np.sin(around), thick * np.sin(across)], 1)


@pytest.fixture(scope="module")
def ring():
    return volume_of(ring_of_smoke(), 1e-5, voxel=0.03)


def displayed(light, exposure=0.6):
    """sRGB levels of linear light: the tone curve of the preview, written down again."""
    x = np.asarray(light, float) * exposure
    y = np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1)
    return 255 * np.where(y <= 0.0031308, 12.92 * y, 1.055 * y ** (1 / 2.4) - 0.055)


def linear(picture, where, exposure=0.6):
    """Mean light of a part of a picture of equal channels: its levels through the tone curve."""
    light = np.linspace(0, 2.4 / exposure, 400_001)
    return np.interp(picture[where].astype(float).mean(), displayed(light, exposure), light)


def centre_of(picture, half=8):
    y, x = picture.shape[0] // 2, picture.shape[1] // 2
    return picture[y - half : y + half, x - half : x + half].astype(float)


# ---- light ----


def test_empty_volume_is_background():
    volume = volume_of([], 1.0)
    picture = render(volume, size=(64, 48))
    lift = 1 - (np.arange(48) + 0.5) / 48
    bottom, top = np.array([0.035, 0.04, 0.045]), np.array([0.08, 0.105, 0.14])
    wanted = displayed(bottom + lift[:, None] * (top - bottom))[:, None]
    assert np.abs(picture - wanted).max() < 1  # the dither rounds up or down
    error = (picture - wanted).reshape(6, 8, 8, 8, 3).mean((1, 3))  # and is fair
    assert np.abs(error).max() < 0.1
    assert measure_extinction(volume) is None


@pytest.fixture(scope="module")
def slab():
    """24 voxels of .05 m along y, 1 kg/m^3."""
    return volume_of(*box_of_smoke((48, 24, 48)))


@pytest.mark.parametrize("depth", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("distance", [6.0, 1.7])  # trilinear and B-spline lookup
@pytest.mark.parametrize("step", slow_but([2.0], [0.25, 0.8, 2.0]))
def test_slab_transmits_exp_of_optical_depth(slab, depth, distance, step):
    extinction = depth / (24 * 0.05)
    camera = Camera((0, -distance, 0), (0, 0, 0), field_of_view=20)
    picture = render(slab, camera, (160, 120), extinction, step=step,
                     background=[[1, 1, 1], [1, 1, 1]], **DARK)
    wanted = displayed(math.exp(-depth))
    assert abs(centre_of(picture).mean() - wanted) < 0.6, (centre_of(picture).mean(), wanted)


def test_slab_scatters_what_the_octaves_say(slab):
    """Thin smoke: light = albedo x depth x key x sum of a^n p(g^n), no shadow to speak of."""
    depth = 0.02
    look = {**DARK, "key_color": (400, 400, 400), "key_direction": (0, 0, 1)}
    picture = render(slab, Camera((0, -6, 0), (0, 0, 0), field_of_view=20), (160, 120),
                     depth / (24 * 0.05), albedo=(0.5, 0.5, 0.5),
                     background=[[0, 0, 0], [0, 0, 0]], exposure=0.05, **look)

    def phase(g):  # at right angles
        return (1 - g * g) / (1 + g * g) ** 1.5

    shadow = 0.98  # on average the smoke has half of the slab's height above it
    light = 0.5 * 400 * (1 - math.exp(-depth)) * (phase(0.2) + 0.4 * phase(0.1))
    low, high = displayed(np.array([shadow, 1.0]) * light, 0.05)
    assert low - 1 < centre_of(picture).mean() < high + 0.6


@pytest.mark.parametrize("lights", [{"sky_color": (300, 300, 300)},
                                    {"ground_color": (300, 300, 300)}, {"bounce": 0.7}])
def test_thin_smoke_scatters_the_mean_of_what_surrounds_it(slab, lights):
    """A half of all directions shines: half of its radiance, in two octaves."""
    depth, key = 0.02, (400, 400, 400) if "bounce" in lights else (0, 0, 0)
    look = {**DARK, "exposure": 0.05, "albedo": (0.5, 0.5, 0.5), "key_color": key,
            "background": [[0, 0, 0], [0, 0, 0]]}
    camera = Camera((0, -6, 0), (0, 0, 0), field_of_view=20)
    lit, dark = (
        linear(render(slab, camera, (160, 120), depth / (24 * 0.05), **{**look, **more}),
               (slice(54, 66), slice(74, 86)), 0.05)
        for more in (lights, {})
    )
    radiance = 0.7 * 400 if "bounce" in lights else 300
    wanted = 0.5 * (1 - math.exp(-depth)) * (1 + 0.4) * 0.5 * radiance
    assert lit - dark == pytest.approx(wanted, rel=0.05)


def test_far_side_is_in_shadow():
    volume = volume_of(*ball_of_smoke(0.8))
    extinction = 12 / 1.6
    for sign in (-1, 1):
        picture = render(volume, FRONT, (160, 120), extinction,
                         key_direction=(sign, 0, 0)).astype(float)
        left, right = picture[55:65, 55:65].mean(), picture[55:65, 95:105].mean()
        lit, shaded = (left, right) if sign < 0 else (right, left)
        assert lit > 2 * shaded


def test_smoke_casts_a_shadow_on_smoke():
    shaded, mass = ball_of_smoke(0.3, (0, 0, -0.7))
    caster, _ = ball_of_smoke(0.3, (0, 0, 0.7))
    look = {"extinction": 15.0, "key_direction": (0, 0, 1), "size": (160, 120), **KEY_ALONE}
    alone = render(volume_of(shaded, mass), FRONT, **look)
    both = render(volume_of(np.concatenate([shaded, caster]), mass), FRONT, **look)
    where = (slice(75, 95), slice(70, 90))
    assert both[where].mean() < 0.7 * alone[where].mean()
    assert np.abs(both[:30].astype(int) - alone[:30]).max() > 50  # the caster itself is seen


def test_ambient_light_is_occluded_and_has_sides():
    look = {**DARK, "sky_color": (1, 1, 1), "background": [[0, 0, 0], [0, 0, 0]]}
    picture = render(volume_of(*ball_of_smoke(0.8)), FRONT, (160, 120), 10.0, **look).astype(float)
    top, middle, bottom = (picture[row, 70:90].mean() for row in (40, 60, 80))
    assert top > middle > bottom > 0


def test_extinction_makes_the_95th_percentile_9():
    position, mass = box_of_smoke((40, 20, 40))
    extinction = measure_extinction(volume_of(position, mass), FRONT)
    assert extinction == pytest.approx(9 / (20 * 0.05), rel=0.05)  # oblique rays are longer
    double = measure_extinction(volume_of(position, 2 * mass), FRONT)
    assert double == pytest.approx(extinction / 2, rel=1e-5)


def test_extinction_is_measured_when_none_is_given(ring):
    camera = Camera.frame((-1, -1, -0.3), (1, 1, 0.3), (160, 120))
    measured = measure_extinction(ring, camera, (160, 120))
    given = render(ring, camera, (160, 120), measured)
    assert np.array_equal(render(ring, camera, (160, 120)), given)
    assert not np.array_equal(render(ring, camera, (160, 120), 3 * measured), given)


def test_smoke_elsewhere_changes_nothing():
    """The box of the smoke grows in a shot: what is seen must not shift with it."""
    position, mass = ball_of_smoke(0.5)
    far, _ = ball_of_smoke(0.1, (13.05, 0, -7.15))
    look = {"extinction": 10.0, "size": (160, 120)}
    alone = render(volume_of(position, mass), FRONT, **look)
    both = render(volume_of(np.concatenate([position, far]), mass), FRONT, **look)
    assert np.abs(both.astype(int) - alone).max() <= 1


def test_huge_box_is_read_with_merged_voxels():
    position, mass = ball_of_smoke(0.5)
    far, _ = ball_of_smoke(0.1, (70, 70, 70))
    look = {"extinction": 10.0, "size": (160, 120), **KEY_ALONE}
    alone = render(volume_of(position, mass), FRONT, **look).astype(float)
    both = render(volume_of(np.concatenate([position, far]), mass), FRONT, **look).astype(float)
    assert not np.array_equal(alone, both)
    assert np.abs(centre_of(both).mean() - centre_of(alone).mean()) < 12


def test_camera_inside_smoke():
    volume = volume_of(*ball_of_smoke(0.8))
    picture = render(volume, Camera((0, 0, 0), (1, 0, 0)), (64, 48), 100.0, **DARK,
                     background=[[1, 1, 1], [1, 1, 1]])
    assert picture.max() <= 1


# ---- the same bits ----


def test_same_bits_for_any_number_of_threads(ring):
    pictures = [render(ring, None, (163, 121), threads=n) for n in (1, 2, 3, 8, 1)]
    assert all(np.array_equal(picture, pictures[0]) for picture in pictures)
    assert pictures[0].std() > 20


SCALAR = {"VORTON_SIMD": "scalar"}


@pytest.mark.parametrize("setting", slow_but([SCALAR], [{"VORTON_BACKEND": "pthread"}, SCALAR]))
def test_same_bits_for_any_backend(ring, setting):
    code = (
        "import hashlib, test_preview as t\n"
        "ring = t.volume_of(t.ring_of_smoke(), 1e-5, voxel=0.03)\n"
        "print(hashlib.sha256(t.render(ring, None, (96, 72)).tobytes()).hexdigest())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={**os.environ, **setting})
    picture = render(ring, None, (96, 72))
    assert done.stdout.strip() == hashlib.sha256(picture.tobytes()).hexdigest()


# ---- refusals ----


@pytest.mark.parametrize("values, words", [
    ({"eye": (math.nan, 0, 0)}, "eye"),
    ({"target": (0, math.inf, 0)}, "target"),
    ({"eye": (0, 0, 0)}, "differ"),
    ({"up": (0, 0, 0)}, "up"),
    ({"up": (0, 2, 0)}, "along the view"),
    ({"field_of_view": 0}, "field_of_view"),
    ({"field_of_view": 121}, "field_of_view"),
    ({"eye": (0, 0)}, "eye"),
])
def test_bad_camera(values, words):
    with pytest.raises(ValueError, match=words):
        Camera(**{"eye": (0, -5, 0), "target": (0, 0, 0), **values})


CORE = {"eye": (0, -5, 0), "target": (0, 0, 0)}


@pytest.mark.parametrize("values, words", [
    ({"width": 0}, "width"),
    ({"height": 8193}, "height"),
    ({"width": -5}, "width"),
    ({"eye": (math.nan, 0, 0)}, "eye"),
    ({"eye": (0, 0, 0)}, "differ"),
    ({"up": (0, 1, 0)}, "up"),
    ({"up": (0, 0, 0)}, "up"),
    ({"field_of_view": math.nan}, "field_of_view"),
    ({"extinction": -1.0}, "extinction"),
    ({"albedo": (1, 1, 1.1)}, "albedo"),
    ({"key_direction": (0, 0, 0)}, "key_direction"),
    ({"key_direction": (1e-170, 0, 0)}, "key_direction"),
    ({"key_color": (-1, 0, 0)}, "key_color"),
    ({"background": [[0, 0, 0], [0, math.inf, 0]]}, "background"),
    ({"step": 0.1}, "step"),
    ({"threads": 65}, "threads"),
    ({"exposure": -1}, "exposure"),
])
def test_core_refuses(ring, values, words):
    for function in (ring.render, ring.extinction):
        with pytest.raises(ValueError, match=words):
            function(**{**CORE, **values})


@pytest.mark.parametrize("values, kind, words", [
    ({"size": (0, 480)}, ValueError, "size"),
    ({"size": 640}, TypeError, "size"),
    ({"size": (64.0, 48)}, TypeError, "size"),
    ({"camera": "front"}, TypeError, "camera"),
    ({"extinction": 0}, ValueError, "extinction"),
    ({"extinction": math.nan}, ValueError, "extinction"),
    ({"threads": 0}, ValueError, "threads"),
    ({"colour": 1}, ValueError, "colour"),
    ({"albedo": (math.nan, 1, 1)}, ValueError, "albedo"),
])
def test_render_refuses(ring, values, kind, words):
    with pytest.raises(kind, match=words):
        render(ring, **{"size": (64, 48), **values})


# ---- cameras and shots ----


def seen_at(camera, size, points):
    """Places of points in the picture: -1 .. 1 from left to right and from bottom to top."""
    back = np.subtract(camera.eye, camera.target)
    back /= np.linalg.norm(back)
    right = np.cross(camera.up, back)
    right /= np.linalg.norm(right)
    way = np.asarray(points) - camera.eye
    half = math.tan(math.radians(camera.field_of_view) / 2)
    across, above, depth = way @ right, way @ np.cross(back, right), -(way @ back)
    return across / depth / half * size[1] / size[0], above / depth / half


@pytest.mark.parametrize("size", [(640, 480), (300, 900)])
@pytest.mark.parametrize("upper", [(1, 1, 6), (5, 1, 0.5), (0, 0, 1)])
@pytest.mark.parametrize("elevation", [-5, 60])
def test_frame_fits_the_box(size, upper, elevation):
    lower = (-2.0, -1.0, 0.0)
    camera = Camera.frame(lower, upper, size, elevation=elevation, margin=0.1)
    corners = np.array([[(lower, upper)[n >> a & 1][a] for a in range(3)] for n in range(8)])
    x, y = seen_at(camera, size, corners)
    fill = max(np.abs(x).max(), np.abs(y).max())
    assert fill == pytest.approx(0.8, abs=0.01)
    tight = x if np.abs(x).max() > np.abs(y).max() else y
    assert tight.max() == pytest.approx(-tight.min(), abs=0.02)  # in the middle


def test_frame_of_a_point_and_refusals():
    camera = Camera.frame((1, 2, 3), (1, 2, 3))
    assert camera.target == pytest.approx((1, 2, 3), abs=1e-9)
    with pytest.raises(ValueError, match="upper"):
        Camera.frame((0, 0, 1), (1, 1, 0))
    with pytest.raises(ValueError, match="lower"):
        Camera.frame((0, math.nan, 1), (1, 1, 0))
    with pytest.raises(ValueError, match="margin"):
        Camera.frame((0, 0, 0), (1, 1, 1), margin=0.5)


def test_smoke_appears_where_the_camera_says():
    where = (0.6, 0.3, 0.8)
    camera = Camera((2, -6, 1), (0, 0, 0.3))
    picture = render(volume_of(*ball_of_smoke(0.2, where)), camera, (160, 120), 50.0,
                     background=[[0, 0, 0], [0, 0, 0]]).sum(2)
    rows, columns = np.nonzero(picture > 60)
    x, y = seen_at(camera, (160, 120), [where])
    assert columns.mean() == pytest.approx(79.5 + 80 * x[0], abs=1.0)
    assert rows.mean() == pytest.approx(59.5 - 60 * y[0], abs=1.0)


def test_shot_has_one_camera_and_one_extinction():
    volumes = [volume_of([], 1.0), volume_of(*ball_of_smoke(0.3)),
               volume_of(*ball_of_smoke(0.5, (0, 0, 1)))]
    pictures = list(render_shot(volumes, size=(80, 120)))
    bounds = preview.volume_bounds(volumes)
    camera = Camera.frame(*bounds, (80, 120))
    extinction = measure_extinction(volumes[2], camera, (80, 120))
    for volume, picture in zip(volumes, pictures, strict=True):
        assert np.array_equal(picture, render(volume, camera, (80, 120), extinction))
    assert preview.volume_bounds(volumes[:1]) is None


# ---- files ----


def pictures(count, height=32, width=48):
    rng = np.random.default_rng(5)
    first = rng.integers(0, 255, (height // 8, width // 8, 3), np.uint8).repeat(8, 0).repeat(8, 1)
    return [np.roll(first, 8 * i, 1) for i in range(count)]


def test_png_files(tmp_path):
    image = pytest.importorskip("PIL.Image")
    frames = pictures(3)
    assert write_film(frames[:1], tmp_path / "one.png") == [tmp_path / "one.png"]
    assert np.array_equal(np.asarray(image.open(tmp_path / "one.png")), frames[0])
    written = write_film(iter(frames), tmp_path / "many.png")
    assert [path.name for path in written] == [f"many_{i:04d}.png" for i in (1, 2, 3)]
    for path, frame in zip(written, frames, strict=True):
        assert np.array_equal(np.asarray(image.open(path)), frame)
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("ending, worst", [("webp", 12), ("gif", 6)])
def test_animations(tmp_path, ending, worst):
    image = pytest.importorskip("PIL.Image")
    frames = pictures(7)
    path = tmp_path / f"film.{ending}"
    assert write_film(frames, path, fps=24) == [path]
    first = path.read_bytes()
    write_film(frames, path, fps=24)
    assert path.read_bytes() == first
    total = 0
    with image.open(path) as film:
        assert film.n_frames == 7
        for i, frame in enumerate(frames):
            film.seek(i)
            film.load()
            total += film.info["duration"]
            shown = np.asarray(film.convert("RGB")).astype(int)
            assert np.abs(shown - frame).mean() < worst
    assert total == pytest.approx(7000 / 24, abs=5)


def test_a_dark_gradient_has_no_bands_in_a_gif(tmp_path):
    """Blocks of 8 x 8 keep their means; colours that are only nearest miss them by two levels."""
    image = pytest.importorskip("PIL.Image")
    frame = render(volume_of([], 1), FRONT, (160, 120))
    frame[:, 80:] = np.linspace(0, 255, 120).astype(np.uint8)[:, None, None]
    write_film([frame, frame], tmp_path / "film.gif")
    with image.open(tmp_path / "film.gif") as film:
        missed = np.asarray(film.convert("RGB")).astype(float) - frame
    means = missed.reshape(15, 8, 20, 8, 3).mean((1, 3))
    assert np.abs(means[:, :9]).max() < 1.5


def test_mp4(tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "film.mp4"
    frames = pictures(9, 40, 56)
    write_film([frame[:39, :55] for frame in frames], path, fps=12)
    reader = ffmpeg.read_frames(str(path))
    about = next(reader)
    shown = [np.frombuffer(data, np.uint8).reshape(40, 56, 3) for data in reader]
    assert about["size"] == (56, 40)
    assert about["fps"] == 12
    assert len(shown) == 9
    assert np.abs(shown[4][:39, :55].astype(int) - frames[4][:39, :55]).mean() < 12
    data = path.read_bytes()
    write_film([frame[:39, :55] for frame in frames], path, fps=12)
    assert path.read_bytes() == data
    assert [p.name for p in tmp_path.iterdir()] == ["film.mp4"]


@pytest.mark.parametrize("frames, path, fps, kind, words", [
    ([], "film.png", 24, ValueError, "at least one"),
    ([], "film.webp", 24, ValueError, "at least one"),
    ([], "film.mp4", 24, ValueError, "at least one"),
    (pictures(1), "film.avi", 24, ValueError, "film.avi"),
    (pictures(1), "film", 24, ValueError, "end in"),
    (pictures(1), "film.png", 0, ValueError, "fps"),
    (pictures(1), "film.png", math.nan, ValueError, "fps"),
    ([pictures(1)[0].astype(float)], "film.gif", 24, TypeError, "uint8"),
    ([pictures(1)[0][..., 0]], "film.gif", 24, ValueError, "shape"),
    ([*pictures(1), pictures(1)[0][:-1]], "film.gif", 24, ValueError, "frame 2"),
    ([None], "film.gif", 24, TypeError, "frame 1"),
])
def test_film_refuses(tmp_path, frames, path, fps, kind, words):
    if path.endswith("mp4"):
        pytest.importorskip("imageio_ffmpeg")
    pytest.importorskip("PIL.Image")
    with pytest.raises(kind, match=words):
        write_film(frames, tmp_path / path, fps)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path, module", [("a.png", "PIL"), ("a.mp4", "imageio_ffmpeg")])
def test_missing_packages_are_named(tmp_path, monkeypatch, path, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r'pip install "vorton\[all\]"'):
        write_film(pictures(1), tmp_path / path)


def test_film_into_no_folder(tmp_path):
    pytest.importorskip("PIL.Image")
    with pytest.raises(OSError, match="does not exist"):
        write_film(pictures(1), tmp_path / "absent" / "film.png")


@pytest.mark.parametrize("ending", ["png", "webp", "mp4"])
def test_a_folder_that_cannot_be_written_to_is_known_before_the_first_picture(tmp_path, ending):
    def pictures():
        pytest.fail("a picture was asked for")
        yield

    with pytest.raises(FileNotFoundError, match="cannot write into the folder .*absent"):
        write_film(pictures(), tmp_path / "absent" / f"film.{ending}")


# ---- bodies ----


def with_body(*bodies):
    scene = vt.Scene("bodies", method=vt.Method(bodies="none"))
    for body in bodies:
        scene.add(body)
    return vt.Simulation(scene, threads=1)


def test_a_body_covers_what_a_ball_covers():
    """A ball 6 m away fills a disk of tan(asin(R / 6)); nothing else of the picture changes."""
    sim, empty = with_body(vt.Body(vt.Sphere((0, 0, 0), 0.8))), volume_of([], 1)
    size = (200, 160)
    plain, seen = render(empty, FRONT, size), render(empty, FRONT, size, bodies=sim)
    changed = np.any(plain != seen, axis=2)
    pixel = 2 * math.tan(math.radians(FRONT.field_of_view / 2)) / size[1]
    radius = math.tan(math.asin(0.8 / 6)) / pixel
    assert changed.sum() == pytest.approx(math.pi * radius**2, rel=0.03)
    y, x = np.nonzero(changed)
    away = np.hypot(x - (size[0] - 1) / 2, y - (size[1] - 1) / 2)
    assert away.max() < radius + 1


@pytest.mark.parametrize("eye", [(1.5, -6, 2), (0.2, -0.9, 0.3)])
def test_rooms_show_the_walls_behind_them(eye):
    """A ray shows the wall by which it leaves the box, from outside and inside: the slabs."""
    sim = with_body(vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), panels=0))
    empty = volume_of([], 1)
    size, camera = (120, 90), Camera(eye, (0, 0, 0), field_of_view=40)
    plain, seen = render(empty, camera, size), render(empty, camera, size, bodies=sim)
    view = -np.array(eye) / np.linalg.norm(eye)
    right = np.cross(view, (0, 0, 1))
    right /= np.linalg.norm(right)
    pixel = 2 * math.tan(math.radians(20)) / size[1]
    x, y = np.meshgrid(np.arange(size[0]) - 59.5, 44.5 - np.arange(size[1]))
    way = view + pixel * (x[..., None] * right + y[..., None] * np.cross(right, view))
    ends = np.sort(np.stack([(s - np.array(eye)) / way for s in (-1, 1)]), axis=0)
    enter, leave = ends[0].max(-1), ends[1].min(-1)
    axis = ends[1].argmin(-1)
    beyond = np.take_along_axis(way, axis[..., None], -1)[..., 0] > 0
    wall = np.where(enter < leave, 2 * axis + beyond, -1)
    inner = np.zeros(wall.shape, bool)  # pixels whose neighbours show the same wall
    same = [np.roll(wall, shift, a) == wall for shift in (-1, 1) for a in (0, 1)]
    inner[1:-1, 1:-1] = np.logical_and.reduce(same)[1:-1, 1:-1]
    assert (plain[inner & (wall < 0)] == seen[inner & (wall < 0)]).all()
    shown = {n: seen[inner & (wall == n)].astype(int) for n in np.unique(wall[wall >= 0])}
    assert len(shown) >= 3 and 4 in shown
    for colors in shown.values():
        assert np.ptp(colors, axis=0).max() <= 1  # the dither
    floor = shown[4].mean()  # lit from above, and its ceiling is not
    assert all(floor > colors.mean() for n, colors in shown.items() if n != 4)


@pytest.mark.parametrize("shape", [vt.Sphere((0, 0, 0), 0.8), vt.Box((-1, -0.1, -1), (1, 0.1, 1))])
def test_bodies_hide_smoke_behind_them_and_not_before(shape):
    sim = with_body(vt.Body(shape))
    size, alone = (160, 120), volume_of([], 1)
    position, mass = ball_of_smoke(0.4)
    behind = volume_of(position + np.float32([0, 2, 0]), mass)
    before = volume_of(position - np.float32([0, 2, 0]), mass)
    body = centre_of(render(alone, FRONT, size, bodies=sim))
    hidden = centre_of(render(behind, FRONT, size, 5.0, bodies=sim))
    shown = centre_of(render(before, FRONT, size, 5.0, bodies=sim))
    assert np.array_equal(body, hidden)
    free = centre_of(render(before, FRONT, size, 5.0))
    assert np.abs(shown - free).max() < 12 and np.abs(shown - body).max() > 30


@pytest.mark.parametrize("depth", slow_but([1.0], [0.3, 1.0, 3.0]))
@pytest.mark.parametrize("way", [(0, 0, 1), (0.6, 0, 0.8)])
def test_smoke_shades_a_floor_by_exp_of_optical_depth(depth, way):
    """Of what opaque smoke takes from the floor, a slab leaves exp(-depth / cos), where it shades.

    Two levels of 255 that are lost by rounding the means of 192 pixels: .01.
    """
    floor = with_body(vt.Body(vt.Plane()))
    position, mass = box_of_smoke((48, 48, 12), centre=(0, 0, 1.2))
    camera = Camera((0, -4, 0.7), (0, 0, 0), field_of_view=60)
    look = {**DARK, "key_color": (4, 4, 4), "key_direction": way, "bodies": floor}

    def middles(extinction):
        """Of the shadow, and of the floor as far on the side of the light."""
        picture = render(volume_of(position, mass), camera, (240, 180), extinction, **look)
        pixels = 180 / (2 * math.tan(math.radians(30))) / math.hypot(4, 0.7)
        aside = round(1.2 * way[0] / way[2] * pixels)
        rows = slice(86, 94)
        centre = linear(picture, (rows, slice(108 - aside, 132 - aside)))
        return centre, linear(picture, (rows, slice(216, 240)))

    (shaded, far), (free, far_free), (dark, _) = (
        middles(tau / (12 * 0.05)) for tau in (depth, 1e-6, 50)
    )
    assert (shaded - dark) / (free - dark) == pytest.approx(
        math.exp(-depth / way[2]), abs=0.01
    )
    assert far == pytest.approx(far_free, rel=0.01)


def directions(count=200):
    """Rows of a sphere of unit vectors, and the solid angle of each."""
    cosine = (np.arange(count) + 0.5) * 2 / count - 1
    around = (np.arange(2 * count) + 0.5) * np.pi / count
    z, a = np.meshgrid(cosine, around, indexing="ij")
    flat = np.sqrt(1 - z * z)
    way = np.stack([flat * np.cos(a), flat * np.sin(a), z], -1).reshape(-1, 3)
    return way, 4 * np.pi / len(way)


def normals_of_a_ball(radius, size, distance=6.0):
    """Of a ball at the origin in the pixels of FRONT; NaN beside it and at its rim."""
    width, height = size
    pixel = 2 * math.tan(math.radians(FRONT.field_of_view / 2)) / height
    x, z = np.meshgrid(np.arange(width) - (width - 1) / 2, (height - 1) / 2 - np.arange(height))
    way = np.stack([pixel * x, np.ones_like(x), pixel * z], -1)
    way /= np.linalg.norm(way, axis=-1, keepdims=True)
    along = distance * way[..., 1]
    room = radius**2 - (distance**2 - along**2)
    room = np.where(room > 0.05 * radius**2, room, np.nan)
    point = (along - np.sqrt(room))[..., None] * way - np.array([0, distance, 0])
    return point / radius


@pytest.mark.parametrize("lights", [
    {"sky_color": (1, 2, 3)}, {"ground_color": (3, 2, 1)},
    {"bounce": 0.5, "key_color": (4, 5, 6)},
    {"sky_color": (1, 2, 3), "ground_color": (1, 1, 1), "bounce": 0.2, "key_color": (4, 5, 6)},
])
def test_shaded_side_of_a_ball_has_the_light_of_what_surrounds_it(lights):
    """1 / pi of the integral of radiance x cosine over what its surface sees, where no key comes.

    Above is the sky, below the ground; what is across from the lamp sends back `bounce` of it.
    """
    key, size = np.array([-0.55, -0.35, 0.75]) / np.linalg.norm([0.55, 0.35, 0.75]), (60, 45)
    look = {**DARK, **lights}
    ball, radius = with_body(vt.Body(vt.Sphere(radius=1.5))), 1.5
    picture = render(volume_of([], 1), FRONT, size, bodies=ball, key_direction=key, **look)
    way, solid_angle = directions()
    colors = {name: np.array(look[name]) for name in ("sky_color", "ground_color", "key_color")}
    radiance = np.where(way[:, 2:] > 0, colors["sky_color"], colors["ground_color"])
    radiance = radiance + np.where(way @ key < 0, look["bounce"], 0)[:, None] * colors["key_color"]
    normals = normals_of_a_ball(radius, size)
    shaded = normals @ key < -0.02
    assert shaded.sum() > 150
    seen = np.maximum(normals[shaded] @ way.T, 0) @ radiance * solid_angle / np.pi
    assert np.abs(picture[shaded] - displayed(0.18 * seen)).max() < 2


def test_faces_in_shade_are_a_quarter_to_a_half_as_bright_as_lit_ones():
    """Of the default look, one to two stops; and no face is lit to white."""
    box = with_body(vt.Body(vt.Box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))))
    empty, light = volume_of([], 1), {}
    for name, eye in {"left": (-6, 0, 0), "front": (0, -6, 0), "right": (6, 0, 0),
                      "below": (0, 0.01, -6), "above": (0, -0.01, 6)}.items():
        picture = render(empty, Camera(eye, (0, 0, 0)), (32, 24), bodies=box)
        light[name] = linear(picture, (slice(10, 14), slice(14, 18)))
    lit, shaded = light["left"], min(light["right"], light["below"])
    assert 0.25 * lit < shaded < 0.5 * lit < light["front"] < lit < light["above"] < 0.5


def test_bodies_shade_smoke_and_each_other_from_all_of_the_key_light():
    """A roof out of sight over the left half; a floor below: black there, and as before beside."""
    look = {**KEY_ALONE, "key_direction": (0, 0, 1), "background": [[0, 0, 0], [0, 0, 0]]}
    smoke = volume_of(*box_of_smoke((40, 8, 8)))
    floor = vt.Body(vt.Plane((0, 0, -1)))
    roof = vt.Body(vt.Box((-50, -50, 3), (0, 50, 3.2)))
    free, shaded = (
        render(smoke, FRONT, (160, 120), 10.0, bodies=with_body(*bodies), **look)
        for bodies in ([floor], [floor, roof])
    )
    assert free[56:60, 52:108].min() > 100 and free[110:, 10:150].min() > 60
    assert shaded[:, :74].max() <= 1
    np.testing.assert_array_equal(shaded[:, 87:], free[:, 87:])


@pytest.mark.parametrize("height", [0.2, 0.23, 0.27])
def test_no_key_light_comes_through_a_roof_on_smoke(height):
    look = {**KEY_ALONE, "key_direction": (0, 0, 1), "background": [[0, 0, 0], [0, 0, 0]]}
    smoke = volume_of(*box_of_smoke((40, 8, 8)))  # up to z = .2
    roof = with_body(vt.Body(vt.Box((-3, -3, height), (3, 3, height + 0.2))))
    camera = Camera((0, -6, -0.5), (0, 0, 0))
    assert render(smoke, camera, (160, 120), 10.0, bodies=roof, **look).max() <= 1


def test_hidden_bodies_are_as_if_they_were_not_there(ring):
    """In pictures: neither drawn, nor in the way of the light or of the camera."""
    floor, ball = vt.Body(vt.Plane((0, 0, -1)), "floor"), vt.Body(vt.Sphere((0, 0, 1.5), 0.6))
    wall = vt.Body(vt.Box((-2, -2, -1), (2, -1.8, 2)), "wall")
    room = vt.Container(vt.Box((-3, -3, -1), (3, 3, 3)), "room", panels=0)
    bodies, pictures = [floor, ball, wall, room], set()
    for hide, left in (("wall", [0, 1, 3]), (["1", "wall"], [0, 3]), (["room"], [0, 1, 2])):
        for camera in (None, FRONT):
            look = {"camera": camera, "size": (96, 64), "extinction": 8.0}
            hidden = render(ring, bodies=with_body(*bodies), hide=hide, **look)
            kept = [dataclasses.replace(bodies[n], name=str(n)) for n in left]
            wanted = render(ring, bodies=with_body(*kept), **look)
            np.testing.assert_array_equal(hidden, wanted)
            pictures.add(hidden.tobytes())
    pictures.add(render(ring, None, (96, 64), 8.0, bodies=with_body(*bodies)).tobytes())
    assert len(pictures) >= 5


def test_a_body_whose_name_is_empty_is_not_hidden_by_no_names(ring):
    """As C may have one: it was a line of an empty text, and of what ends in a line break."""
    sim = with_body(vt.Body(vt.Plane((0, 0, 5)), "far"))
    sim._core.add("body", shapes=[{"kind": "sphere"}], name="")
    shown = [ring.render(width=64, height=48, bodies=sim._core, hidden=text).tobytes()
             for text in (None, "", "nobody\n")]
    assert shown[0] == shown[1] == shown[2]


@pytest.mark.parametrize("hide, kind, words", [
    ("wal", ValueError, "hide = 'wal': did you mean 'wall'"),
    (["wall", 3], TypeError, "hide = 3"),
    (4, TypeError, "names of bodies"),
])
def test_unknown_bodies_cannot_be_hidden(ring, hide, kind, words):
    sim = with_body(vt.Body(vt.Sphere(), "wall"))
    with pytest.raises(kind, match=words):
        render(ring, FRONT, (96, 64), bodies=sim, hide=hide)
    with pytest.raises(ValueError, match="there are no bodies"):
        render(ring, FRONT, (96, 64), hide="wall")


def test_a_floor_fades_into_the_background_before_its_horizon():
    floor, empty, size = with_body(vt.Body(vt.Plane())), volume_of([], 1), (64, 240)
    camera = Camera((0, -6, 1), (0, 0, 1), field_of_view=40)
    plain, seen = render(empty, camera, size), render(empty, camera, size, bodies=floor)
    apart = np.abs(seen.astype(int) - plain).max(axis=(1, 2))
    assert apart[:122].max() <= 1  # the sky, and the two rows below it
    assert apart[-60:].min() > 40
    assert np.diff(apart[120:]).min() > -4  # the background changes, too
    assert np.abs(np.diff(seen.astype(int), axis=0)).max() < 12  # nowhere an edge


def test_a_picture_of_a_simulation():
    """That of its volume at the nominal voxel, with its bodies; one that is given stands."""
    scene = vt.Scene("ring", voxel=0.1)
    scene.add(vt.VortexRing(core=0.2))
    scene.add(vt.Tracers(vt.Torus(thickness=0.2)))
    scene.add(vt.Body(vt.Sphere((0, 0, 1), radius=0.3), panels=0))
    sim = vt.Simulation(scene, threads=1)
    other, volume = sim.copy(), sim.volume(0.1)
    other.set_body(0, position=(0, 0, 2))
    for bodies in (None, other):
        drawn = render(sim, FRONT, (96, 64), bodies=bodies)
        assert np.array_equal(drawn, render(volume, FRONT, (96, 64), bodies=bodies or sim))


def test_pictures_of_bodies_do_not_depend_on_threads_and_bad_ones_are_refused(ring):
    sim = with_body(vt.Body(vt.Cylinder(radius=0.5)))
    pictures = [render(ring, FRONT, (96, 64), bodies=sim, threads=n) for n in (1, 3)]
    assert np.array_equal(*pictures)
    with pytest.raises(TypeError, match="must be a Simulation"):
        render(ring, FRONT, (96, 64), bodies=4)


def test_a_picture_without_a_nominal_voxel_says_how_to_draw_it_all_the_same():
    sim = vt.Simulation(threads=1)
    sim.tracers.add(np.zeros((1, 3), np.float32), density=1.0, size=0.1)
    way = r"Scene\.voxel.*render\(sim\.volume\(voxel\), bodies=sim\)"
    with pytest.raises(ValueError, match=way):
        render(sim, FRONT, (96, 64))
    assert render(sim.volume(0.1), FRONT, (96, 64), bodies=sim).shape == (64, 96, 3)
