"""Fire in previews: colours of a black body, radiance, light on smoke, dye; against formulas."""

import ctypes
import math

import native
import numpy as np
import pytest
from marks import slow_but
from test_preview import DARK, displayed

import vorton as vt
from vorton import _core
from vorton.hosts.blender.looks import measure_look
from vorton.preview import Camera, Survey, carries_fire, measure_emission, render, render_shot

VOXEL = 0.05
NIGHT = {**DARK, "exposure": 0.6, "background": [[0, 0, 0], [0, 0, 0]], "bloom": 0.0}
FRONT = Camera((0, -6, 0), (0, 0, 0), field_of_view=20)


def box_of_tracers(low, high, per_axis=2, mass=1.0):
    """Tracers on a lattice in a box, `mass` kg/m^3."""
    step = VOXEL / per_axis
    axes = [np.arange(a + step / 2, b, step) for a, b in zip(low, high, strict=True)]
    position = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    count = len(position)
    return {
        "position": position,
        "density": np.full(count, mass * step**3),
        "size": np.full(count, step),
    }


def volume_of(*parts):
    """Each part: tracers, and the shares of fuel, flame and smoke in them."""
    arrays = {name: np.concatenate([part[0][name] for part in parts]) for name in parts[0][0]}
    for n, name in enumerate(("fuel", "flame", "smoke")):
        arrays[name] = np.concatenate([np.full(len(t["size"]), share[n]) for t, share in parts])
    return _core.volume_from_tracers(voxel_size=VOXEL, **arrays)


def middle(picture, half=6):
    y, x = picture.shape[0] // 2, picture.shape[1] // 2
    return picture[y - half : y + half, x - half : x + half].astype(float).mean((0, 1))


# ---- colour ----

# CIE 1931 chromaticities of the black body (2 degree observer), from tables of the locus
LOCUS = {1000: (0.6528, 0.3444), 1500: (0.5857, 0.3931), 2000: (0.5267, 0.4133),
         2500: (0.4770, 0.4137), 3000: (0.4369, 0.4041)}  # fmt: skip
TO_RGB = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415],
                   [0.0557, -0.2040, 1.0570]])  # fmt: skip


@pytest.fixture(scope="module")
def colours():
    """Colours of a black body in the table: kelvin -> linear sRGB."""
    library = native.load(
        "csrc/preview/fire.c",
        code="""
        #include "preview/fire.h"
        void colour_of(float kelvin, float *rgb)
        {
            vt_black_body body;
            vti_fill_black_body(&body);
            const f4 colour = vti_black_body_color(&body, kelvin);
            for (int c = 0; c < 3; c++)
                rgb[c] = colour[c];
        }
        """)  # fmt: skip

    def colour(kelvin):
        rgb = (ctypes.c_float * 3)()
        library.colour_of(ctypes.c_float(kelvin), rgb)
        return np.array(rgb)

    return colour


@pytest.mark.parametrize("kelvin", LOCUS)
def test_colours_of_a_black_body(colours, kelvin):
    """Four digits of x and y, through the matrix: 7 x 5e-5 / y; the table of 40 K adds as much."""
    x, y = LOCUS[kelvin]
    rgb = np.maximum(TO_RGB @ [x / y, 1, (1 - x - y) / y], 0)
    assert np.abs(colours(kelvin) - rgb / rgb.max()).max() < 14 * 5e-5 / y


# CIE 1931 matching functions (2 degree observer), x y z at 380, 400 ... 780 nm
MATCHING = np.array([
    [.0014, 0, .0065], [.0143, .0004, .0679], [.1344, .0040, .6456], [.3483, .0230, 1.7471],
    [.2908, .0600, 1.6692], [.0956, .1390, .8130], [.0049, .3230, .2720], [.0633, .7100, .0782],
    [.2904, .9540, .0203], [.5945, .9950, .0039], [.9163, .8700, .0017], [1.0622, .6310, .0008],
    [.8544, .3810, .0002], [.4479, .1750, 0], [.1649, .0610, 0], [.0468, .0170, 0],
    [.0114, .0041, 0], [.0029, .0010, 0], [.0007, .0003, 0], [.0002, .0001, 0],
    [0, 0, 0]])  # fmt: skip


def test_colours_agree_with_an_integral(colours):
    """Planck's law times splines through the matching functions, in float64.

    .004: what every other value of the functions leaves open (splines through all of them: .001).
    """
    interpolate = pytest.importorskip("scipy.interpolate")
    integrate = pytest.importorskip("scipy.integrate")
    constants = pytest.importorskip("scipy.constants")
    second = constants.h * constants.c / constants.k
    match = interpolate.CubicSpline(np.arange(380, 781, 20), MATCHING)
    for kelvin in (1010, 1410, 1790, 2215, 2830):
        xyz = integrate.quad_vec(
            lambda nm, k=kelvin: match(nm) * nm**-5 / math.expm1(second / (nm * 1e-9) / k), 380, 780
        )[0]
        rgb = np.maximum(TO_RGB @ xyz, 0)
        assert np.abs(colours(kelvin) - rgb / rgb.max()).max() < 0.004


def test_colours_go_from_red_to_yellow(colours):
    found = [colours(kelvin) for kelvin in range(500, 3400, 100)]
    assert all(colour[0] == 1 for colour in found)
    assert all((b[1:] >= a[1:] - 1e-6).all() for a, b in zip(found, found[1:], strict=False))
    assert np.array_equal(colours(100), colours(600)) and np.isfinite(colours(9000)).all()


# ---- radiance ----


def power_of(volume):
    """Glow x (K / 2000)^4 of the voxels around the origin, (x, y, z): the formula again."""
    box = (-40, -40, -40), (81, 81, 81)
    glow = volume.values("glow", *box).astype(float).T
    return glow * ((700 + 1700 * glow) / 2000) ** 4, 700 + 1700 * glow


def oblique_share():
    """p95 of the ways of 160 x 120 rays from (0, -6, 0) through the slab below, m."""
    pixel = 2 * math.tan(math.radians(10)) / 120
    x, z = np.meshgrid(pixel * (np.arange(160) - 79.5), pixel * (np.arange(120) - 59.5))
    aside = np.maximum(np.maximum(np.abs(x), np.abs(z)), 1e-9)
    deep = np.minimum(6.5, 1.2 / aside) - 5.5  # along y, from the face to the back or a side
    ways = np.sort((np.maximum(deep, 0) * np.sqrt(1 + x**2 + z**2)).ravel())
    ways = ways[ways > 1e-3 * ways[-1]]
    return ways[int(0.95 * (len(ways) - 1))]


def of_1500_kelvin(power):
    """Glow of a flame as long as the one whose power along a line this is, m at 2000 K."""
    ends = np.concatenate([[0], power, [0]])
    square = (ends[1:] ** 2 + ends[1:] * ends[:-1] + ends[:-1] ** 2).sum() / 3  # linear between
    return VOXEL * power.sum() ** 2 / square * (1500 - 700) / 1700 * (1500 / 2000) ** 4


@pytest.mark.parametrize("flame", [0.02, 0.3])
@pytest.mark.parametrize("step", slow_but([0.8], [0.4, 0.8]))
def test_slab_of_fire_has_the_radiance_of_its_glow(colours, flame, step):
    """Emission x power x thickness; what is not smoke does not hide it."""
    slab = box_of_tracers((-1.2, -0.5, -1.2), (1.2, 0.5, 1.2), mass=1e-6)
    volume = volume_of((slab, (1 - flame, flame, 0)))
    power, kelvin = power_of(volume)
    column = power[40, :, 40].sum() * VOXEL
    emission = 1.5 / column
    picture = render(volume, FRONT, (96, 72), 1e-3, emission, step=step, **NIGHT)
    wanted = displayed(1.5 * colours(kelvin[40, 40, 40]))
    assert np.abs(middle(picture) - wanted).max() < 4
    found = measure_emission(volume, FRONT, (96, 72))
    counted = max(column, of_1500_kelvin(power[40, :, 40]))
    assert (counted == column) == (flame == 0.3)
    # half a step of rays that leave through a side, of 20 voxels
    assert found == pytest.approx(3 / (counted * oblique_share()), rel=0.01)


@pytest.mark.parametrize("flame", [0.005, 0.02, 0.3])
def test_the_material_of_a_dull_fire_is_that_of_one_of_1500_kelvin(tmp_path, flame):
    """In Blender, too: the longest lines along X or Y are those along X."""
    volume = volume_of((box_of_tracers((-1.2, -0.5, -1.2), (1.2, 0.5, 1.2)), (1 - flame, flame, 0)))
    path = tmp_path / "slab_0001.vdb"
    path.write_bytes(volume.encode_vdb(heat_name="heat"))
    line = power_of(volume)[0][:, 40, 40]
    length, dull = line.sum() ** 2 / (line**2).sum(), (1500 - 700) / 1700 * (1500 / 2000) ** 4
    counted = VOXEL * max(line.sum(), dull * length)
    assert measure_look(path).emission == pytest.approx(1 / counted, rel=0.01)


@pytest.mark.slow
def test_fire_that_dies_gets_darker():
    """Each picture by its own light, from the end of the fuel until nothing is left."""
    scene = vt.Scene(seed=7, combustion=vt.Combustion(), voxel=0.06)
    bed = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
    fire = {"temperature": 800, "fuel": 1.0, "core": 0.1, "lifetime": 1.3, "end": 1.0}
    scene.add(vt.Emitter(bed, **fire))
    sim = vt.Simulation(scene, threads=1)
    camera, size = Camera((0, -5.5, 1.3), (0, 0, 1.2), field_of_view=32), (80, 100)
    light, frames = [], (24, 28, 32, 40, 48)
    for before, frame in zip((0, *frames), frames, strict=False):
        sim.step(frame - before)
        volume = sim.volume()
        own, dark = (render(volume, camera, size, emission=e).astype(float) for e in (None, 1e-9))
        light.append((own - dark)[..., 0].mean())
    assert light[0] > 10 and (np.diff(light) < 0).all() and light[-1] < 0.01 * light[0]


def test_smoke_in_front_hides_fire():
    burning = box_of_tracers((-0.6, 0, -0.6), (0.6, 0.4, 0.6))
    front = box_of_tracers((-0.6, -0.6, -0.6), (0.6, -0.2, 0.6))
    parts = (burning, (0.5, 0.5, 0)), (front, (0, 0, 1))
    look = {"size": (96, 72), "extinction": 5.0, "emission": 4.0, "albedo": (0, 0, 0), **NIGHT}
    alone, hidden = (middle(render(volume_of(*parts[:n]), FRONT, **look)) for n in (1, 2))
    through = math.exp(-5 * 0.4)
    assert displayed_inverse(hidden[0]) == pytest.approx(
        through * displayed_inverse(alone[0]), rel=0.15
    )


@pytest.mark.parametrize("flame", slow_but([0.05, 0.2], [0.01, 0.05, 0.1, 0.2, 0.3]))
def test_smoke_that_glows_is_black(flame):
    """By daylight, its own light left out: grey up to a glow of .1, black from .4 on."""
    slab = box_of_tracers((-1.2, -0.5, -1.2), (1.2, 0.5, 1.2))
    day = {**NIGHT, "sky_color": (2, 2, 2), "ground_color": (2, 2, 2)}
    lit = []
    for shares in ((flame, 0, 1 - flame), (0, flame, 1 - flame)):
        volume = volume_of((slab, shares))
        picture = render(volume, FRONT, (96, 72), 5.0, 1e-9, albedo=(0.8, 0.8, 0.8), **day)
        lit.append(displayed_inverse(middle(picture)[0]))
    glow = volume.values("glow", (0, 0, 0), (1, 1, 1)).item()
    assert lit[0] > 0.05
    assert lit[1] / lit[0] == pytest.approx(np.clip((0.4 - glow) / 0.3, 0, 1), abs=0.03)


def displayed_inverse(level):
    light = np.linspace(0, 40, 400_001)
    return float(np.interp(level, displayed(light), light))


def test_fire_lights_smoke_as_one_over_distance_squared():
    """A small flame, and thin puffs at r and 2 r: no other light."""
    flame = box_of_tracers((-0.2, -0.2, -0.2), (0.2, 0.2, 0.2))
    puffs = [box_of_tracers((x - 0.1, -0.1, -0.1), (x + 0.1, 0.1, 0.1), mass=0.1)
             for x in (1.0, 2.0)]  # fmt: skip
    volume = volume_of((flame, (0.5, 0.5, 0)), *((puff, (0, 0, 1)) for puff in puffs))
    camera = Camera((1.5, -9, 0), (1.5, 0, 0), field_of_view=20)
    picture = render(volume, camera, (320, 240), 0.3, 3e4, albedo=(1, 1, 1), **NIGHT)
    scale = 240 / (2 * 9 * math.tan(math.radians(10)))
    light = []
    for x in (1.0, 2.0):
        column = round(160 + (x - 1.5) * scale)
        level = picture[119:122, column - 1 : column + 2, 0].astype(float).mean()
        light.append(displayed_inverse(level))
    assert light[0] / light[1] == pytest.approx(4, rel=0.3)
    # radiance of a metre x volume of the flame / (4 pi r^2), of which .4 is let through
    shining = power_of(volume)[0].sum() * VOXEL**3
    depth = 0.3 * 0.1 * 0.2
    wanted = 0.4 * 3e4 * shining / (4 * math.pi) * depth
    assert light[0] == pytest.approx(wanted, rel=0.3)


def plate_at(y):
    """A body whose face looks at the camera."""
    scene = vt.Scene(method=vt.Method(bodies="none"))
    scene.add(vt.Body(vt.Box((-2, y, -2), (2, y + 0.1, 2))))
    return vt.Simulation(scene, threads=1)


def light_on_plate(volume, points):
    """Red light that grey of .18 sends back: the integral over the volume, voxel by voxel.

    sum of radiance x volume x cos / (pi d^2), the normal along -y.
    """
    power, _ = power_of(volume)
    place = VOXEL * np.stack(np.meshgrid(*[np.arange(-40, 41)] * 3, indexing="ij"), -1)
    place, power = place[power > 0], power[power > 0]
    found = []
    for point in points:
        way = place - point
        square = (way**2).sum(1)
        found.append((power * -way[:, 1] / square**1.5).sum())
    return 0.18 / math.pi * VOXEL**3 * np.array(found)


def red_on_plate(picture, point):
    """Of FRONT, 320 x 240 pixels, at a point of the plane y = .5."""
    scale = 240 / (2 * 6.5 * math.tan(math.radians(10)))
    x, y = round(159.5 + scale * point[0]), round(119.5 - scale * point[2])
    return displayed_inverse(picture[y - 1 : y + 2, x - 1 : x + 2, 0].astype(float).mean())


@pytest.mark.parametrize(
    ("half", "at"),
    slow_but(
        [((0.1, 0.1, 0.1), (-1.0, -0.6, 0.0))],
        [((0.1, 0.1, 0.1), (-1.0, -0.6, 0.0)), ((0.3, 0.3, 1.3), (-1.2, -0.9, 0.3))],
    ),
)
def test_fire_lights_bodies(half, at):
    """As its voxels would, one by one.

    A lamp is a brick, .4 m wide, at the centre of its light, whose light is harmonic: the first
    error is of the second moments, (.4^2 / 12) / 1.1^2 = 1 % of a brick that glows half; and a
    level of 255 is up to 1 % of the light.
    """
    low, high = np.subtract(at, half), np.add(at, half)
    volume = volume_of((box_of_tracers(low, high), (0.5, 0.5, 0)))
    points = np.array([(x, 0.5, z) for x in (-0.1, 0.3, 0.7) for z in (-0.3, 0.0, 0.4)])
    wanted = light_on_plate(volume, points)
    emission = 0.6 / wanted.max()
    picture = render(volume, FRONT, (320, 240), 1e-3, emission, bodies=plate_at(0.5), **NIGHT)
    for point, light in zip(points, emission * wanted, strict=True):
        assert red_on_plate(picture, point) == pytest.approx(light, rel=0.03)


@pytest.mark.slow
def test_fire_lights_bodies_nearby():
    """At .4 m from the middle of a flame .6 m high: as far as a brick is wide."""
    low, high = (-1.1, 0.1, -0.3), (-0.9, 0.3, 0.3)
    volume = volume_of((box_of_tracers(low, high), (0.5, 0.5, 0)))
    points = np.array([(x, 0.5, z) for x in (-0.7, -0.5, -0.3) for z in (-0.4, 0.0, 0.4)])
    wanted = light_on_plate(volume, points)
    emission = 0.6 / wanted.max()
    picture = render(volume, FRONT, (320, 240), 1e-3, emission, bodies=plate_at(0.5), **NIGHT)
    for point, light in zip(points, emission * wanted, strict=True):
        assert red_on_plate(picture, point) == pytest.approx(light, rel=0.05)


@pytest.mark.slow
def test_bodies_cast_shadows_by_firelight():
    """A ball between a small flame and the plate: dark in its umbra, all light outside."""
    flame = box_of_tracers((-1.05, -0.65, -0.05), (-0.95, -0.55, 0.05))
    volume = volume_of((flame, (0.5, 0.5, 0)))
    scene = vt.Scene(method=vt.Method(bodies="none"))
    scene.add(vt.Body(vt.Box((-2, 0.5, -2), (2, 0.6, 2))))
    scene.add(vt.Body(vt.Sphere((-0.5, -0.05, 0), radius=0.2)))  # half-way to (0, .5, 0)
    points = np.array([(0.0, 0.5, 0.0), (0.1, 0.5, 0.1), (0.0, 0.5, 0.75), (0.85, 0.5, 0.0)])
    emission = 0.6 / light_on_plate(volume, points).max()
    shaded, free = (
        render(volume, FRONT, (320, 240), 1e-3, emission, bodies=bodies, **NIGHT)
        for bodies in (vt.Simulation(scene, threads=1), plate_at(0.5))
    )
    red = np.array([[red_on_plate(picture, x) for x in points] for picture in (shaded, free)])
    assert red[0, :2].max() < 0.003 < 0.1 < red[1].min()
    np.testing.assert_array_equal(red[0, 2:], red[1, 2:])


def slabs(count, of_one_body):
    """Before the plate, one behind the other; the nearest to the camera is always the same."""
    low = [0.3 + 0.2 * n / count for n in range(count)]
    shapes = [vt.Box((-0.6, y, -0.4), (0.6, y + 0.1 / count, 0.5)) for y in low]
    scene = vt.Scene(method=vt.Method(bodies="none"))
    scene.add(vt.Body(vt.Box((-2, 0.5, -2), (2, 0.6, 2))))
    for body in [shapes] if of_one_body else reversed(shapes):
        scene.add(vt.Body(body))
    return vt.Simulation(scene, threads=1)


def test_solids_that_rays_pass_by_leave_firelight_as_it_is():
    """Ten slabs, of which nine are not seen, show the same picture be they one body or ten."""
    flame = box_of_tracers((-1.0, -0.6, -0.8), (-0.4, 0.0, 0.9))
    volume = volume_of((flame, (0.5, 0.5, 0)))
    apart, joint = (
        render(volume, FRONT, (160, 120), 1e-3, 1.0, bodies=slabs(10, apart), threads=1)
        for apart in (True, False)
    )
    assert np.array_equal(apart, joint)


def test_light_on_bodies_has_the_same_bits_for_any_number_of_threads():
    flame = box_of_tracers((-1.0, -0.6, -0.8), (-0.4, 0.0, 0.9))
    volume, plate = volume_of((flame, (0.5, 0.5, 0))), plate_at(0.5)
    pictures = [render(volume, FRONT, (97, 71), bodies=plate, threads=n) for n in (1, 2, 5)]
    assert all(np.array_equal(picture, pictures[0]) for picture in pictures)


def test_bloom_keeps_to_its_share():
    """It spreads a share of the fire's light over the picture, and adds none elsewhere."""
    flame = box_of_tracers((-0.2, -0.2, -0.2), (0.2, 0.2, 0.2))
    volume = volume_of((flame, (0.5, 0.5, 0)))
    look = {**NIGHT, "size": (160, 120), "extinction": 1.0, "emission": 5.0}
    without = render(volume, FRONT, **look).astype(float)
    bloomed = render(volume, FRONT, **{**look, "bloom": 0.3}).astype(float)
    assert (bloomed >= without - 1).all()
    y, x = 60, 80
    assert bloomed[y, x + 16, 0] > without[y, x + 16, 0] + 2
    assert bloomed[3, 3].max() <= 2 and without[3, 3].max() <= 1


# ---- shots ----


def test_shot_has_one_emission_and_one_look():
    volumes = [
        volume_of((box_of_tracers((-s, -s, -s), (s, s, s)), share))
        for s, share in ((0.2, (0.5, 0.5, 0)), (0.4, (0.3, 0.3, 0.4)), (0.5, (0, 0, 1)))
    ]
    pictures = list(render_shot(volumes, size=(80, 60)))
    survey = Survey()
    for volume in volumes:
        survey.add(volume)
    assert survey.brightest is volumes[1] and survey.densest is volumes[2] and survey.fire
    camera = Camera.frame(survey.lower, survey.upper, (80, 60))
    light = survey.light(camera, (80, 60))
    for volume, picture in zip(volumes, pictures, strict=True):
        assert np.array_equal(picture, render(volume, camera, (80, 60), **light))
    assert carries_fire(volumes[2])


def test_fire_changes_nothing_where_there_is_none():
    """Smoke that carries shares of nothing looks as smoke that carries none."""
    tracers = box_of_tracers((-0.4, -0.4, -0.4), (0.4, 0.4, 0.4))
    plain = _core.volume_from_tracers(voxel_size=VOXEL, **tracers)
    none = volume_of((tracers, (0, 0, 0)))
    look = {"size": (80, 60), "extinction": 10.0, "fire": False}
    assert np.array_equal(render(plain, FRONT, **look), render(none, FRONT, **look))
    assert measure_emission(none, FRONT) is None and measure_emission(plain, FRONT) is None


@pytest.mark.slow
def test_same_bits_for_any_number_of_threads():
    flame = box_of_tracers((-0.4, -0.4, -0.4), (0.4, 0.4, 0))
    smoke = box_of_tracers((-0.4, -0.4, 0), (0.4, 0.4, 0.6))
    volume = volume_of((flame, (0.3, 0.4, 0.2)), (smoke, (0, 0.02, 0.5)))
    pictures = [render(volume, None, (97, 71), threads=n) for n in (1, 2, 3, 8)]
    assert all(np.array_equal(picture, pictures[0]) for picture in pictures)
    assert pictures[0].max() > 200


# ---- dye ----


def test_dye_shows_temperature():
    cold = box_of_tracers((-0.8, -0.2, -0.4), (-0.1, 0.2, 0.4))
    hot = box_of_tracers((0.1, -0.2, -0.4), (0.8, 0.2, 0.4))
    arrays = {name: np.concatenate([cold[name], hot[name]]) for name in cold}
    temperature = np.repeat([300.0, 340.0], [len(cold["size"]), len(hot["size"])])
    volume = _core.volume_from_tracers(voxel_size=VOXEL, temperature=temperature, **arrays)
    look = {"size": (160, 120), "extinction": 10.0}

    def sides(dye):
        picture = render(volume, FRONT, dye=dye, **look).astype(float)
        return picture[55:65, 45:60].mean((0, 1)), picture[55:65, 100:115].mean((0, 1))

    left, right = sides((300, 340))
    assert left.argmax() == 2 and right.argmax() == 0
    assert left[2] > 2 * left[0] and right[0] > 2 * right[2]
    left, right = sides((340, 300))  # and the other way round
    assert left.argmax() == 0 and right.argmax() == 2
    middling = sides((260, 340))[0]  # half-way: green
    assert middling.argmax() == 1


@pytest.mark.parametrize("dye, kind, words", [
    ((300, 300), ValueError, "must differ"), ((0, 300), ValueError, r"dye\[0\]"),
    ((300, math.inf), ValueError, r"dye\[1\]"), (300, TypeError, "two temperatures"),
    ("ab", TypeError, "dye"), ((300, 400), ValueError, "carry none"),
])  # fmt: skip
def test_bad_dye(dye, kind, words):
    volume = volume_of((box_of_tracers((0, 0, 0), (0.1, 0.1, 0.1)), (0, 0, 1)))
    with pytest.raises(kind, match=words):
        render(volume, FRONT, (64, 48), dye=dye)


@pytest.mark.parametrize("values, kind, words", [
    ({"emission": 0}, ValueError, "emission"), ({"emission": math.nan}, ValueError, "emission"),
    ({"bloom": 2}, ValueError, "bloom"), ({"fire": 1}, TypeError, "fire"),
])  # fmt: skip
def test_bad_settings_of_fire(values, kind, words):
    volume = volume_of((box_of_tracers((0, 0, 0), (0.1, 0.1, 0.1)), (0, 0.5, 0)))
    with pytest.raises(kind, match=words):
        render(volume, FRONT, (64, 48), **values)


def test_fuel_glows_where_it_burns_alone():
    """Neither what is still to burn nor what has burnt; thin flame is dull."""
    box = box_of_tracers((-0.4, -0.4, -0.4), (0.4, 0.4, 0.4))
    for dark in ((1, 0, 0), (0.4, 0, 0.6), (0, 0, 1)):
        assert measure_emission(volume_of((box, dark)), FRONT, (96, 72)) is None
    dull, bright = (power_of(volume_of((box, (0.5, f, 0))))[0][40, 40, 40] for f in (0.01, 0.1))
    assert bright > 20 * dull  # 1 - e^-1/6 against 1 - e^-10/6, by the fourth power of K


def glow_in(volume, along=0):
    """Glow of the voxels along an axis through the middle, from -40 to 40."""
    low, shape = [0, 0, 0], [1, 1, 1]
    low[along], shape[along] = -40, 81
    return volume.values("glow", tuple(low), tuple(shape)).astype(float).ravel()


def test_half_of_a_flame_glows_a_quarter():
    """It makes half of the heat and is half as hot; so does a flame in twice the air."""
    box = box_of_tracers((-0.4, -0.4, -0.4), (0.4, 0.4, 0.4))
    thin = {**box, "size": box["size"] * 0.003 ** (1 / 3)}  # of .003 of the fluid alone
    thinner = {**box, "size": box["size"] * 0.0015 ** (1 / 3)}
    for one, other in (((box, 0.005), (box, 0.0025)), ((thin, 0.2), (thinner, 0.2))):
        parts = ((tracers, (0.1, flame, 0)) for tracers, flame in (one, other))
        glow = [glow_in(volume_of(part))[40] for part in parts]
        assert glow[0] / glow[1] == pytest.approx(4, rel=0.03)  # less e^-x - 1 + x: x / 2 of it
        assert glow[0] < 0.04


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_flame_ends_where_its_tracers_end(axis):
    """A wall of flame: beyond its face the glow falls to a tenth within two and a half voxels."""
    wall = box_of_tracers((-0.525, -0.525, -0.525), (0.525, 0.525, 0.525))
    glow = glow_in(volume_of((wall, (0.3, 0.3, 0))), axis)
    inside, beyond = glow[31:50], glow[53:]  # the face is half-way from 50 to 51
    assert inside.min() > 0.99 and beyond.max() < 0.1
