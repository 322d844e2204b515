"""Shapes: volume, checks, what is inside, and the births inside them."""

import ctypes
import math

import definitions
import native
import numpy as np
import pytest
from marks import slow_but
from scipy.spatial import ConvexHull

SPHERE, BOX, DISK, MESH = range(4)

CODE = """
#include "geometry/region_points.h"
#include "model/birth_sequence.h"
#include <stdlib.h>

vt_region *create(const vt_shape *shape)
{
    vt_region *const region = malloc(sizeof *region);
    if (vti_create_region(shape, region) == VT_OK)
        return region;
    free(region);
    return NULL;
}

void destroy(vt_region *region)
{
    vti_destroy_region(region);
    free(region);
}

void contains(const vt_region *region, int64_t count, const float *points, int8_t *inside)
{
    for (int64_t i = 0; i < count; i++)
        inside[i] = (int8_t)vti_region_contains(region, points + 3 * i);
}

void bounds(const vt_region *region, double *lower_upper_volume)
{
    for (int c = 0; c < 3; c++) {
        lower_upper_volume[c] = region->lower[c];
        lower_upper_volume[3 + c] = region->upper[c];
    }
    lower_upper_volume[6] = region->volume;
    lower_upper_volume[7] = region->box_volume;
}

int64_t births(const vt_region *region, uint64_t seed, double start, double end, double rate,
               double from, double to, int64_t room, float *position, double *time)
{
    const vt_birth_stream stream = {
        .region = *region, .seed = seed, .start = start, .end = end, .rate = rate};
    return vti_stream_births(&stream, from, to, room, position, time);
}
"""


@pytest.fixture(scope="module")
def c():
    library = native.load(
        "csrc/geometry/region_points.c", "csrc/model/birth_sequence.c", code=CODE
    )
    library.create.restype = ctypes.c_void_p
    library.births.restype = ctypes.c_int64
    library.vt_error_message.restype = ctypes.c_char_p
    return library


def pointer(array):
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


def make_shape(kind, mesh=None, **fields):
    shape = definitions.default("shape", kind=kind, **fields)
    if mesh:
        vertices = np.ascontiguousarray(mesh[0], np.float32)
        faces = np.ascontiguousarray(mesh[1], np.int32)
        shape.keep = vertices, faces
        shape.vertices, shape.faces = pointer(vertices), pointer(faces)
        shape.vertex_count, shape.face_count = len(vertices), len(faces)
    return shape


class Region:
    def __init__(self, c, kind, mesh=None, **fields):
        self.c = c
        shape = make_shape(kind, mesh, **fields)
        self.region = c.create(ctypes.byref(shape))
        assert self.region, c.vt_error_message()
        if mesh:  # the region has its own copy
            for array in shape.keep:
                array.fill(0)
        out = np.zeros(8)
        c.bounds(ctypes.c_void_p(self.region), pointer(out))
        self.lower, self.upper, self.volume, self.box_volume = out[:3], out[3:6], out[6], out[7]

    def __del__(self):
        self.c.destroy(ctypes.c_void_p(self.region))

    def contains(self, points):
        points = np.ascontiguousarray(points, np.float32)
        inside = np.zeros(len(points), np.int8)
        self.c.contains(ctypes.c_void_p(self.region), ctypes.c_int64(len(points)),
                        pointer(points), pointer(inside))
        return inside.astype(bool)

    def fill(self, count, seed=0):
        points = np.full((count, 3), np.nan, np.float32)
        self.c.vti_fill_region(ctypes.c_void_p(self.region), ctypes.c_uint64(seed),
                              ctypes.c_int64(count), pointer(points))
        return points

    def births(self, start, end, rate, begin, to, room=5000):
        points, times = np.zeros((room, 3), np.float32), np.zeros(room)
        count = self.c.births(
            ctypes.c_void_p(self.region), ctypes.c_uint64(7),
            *(ctypes.c_double(v) for v in (start, end, rate, begin, to)),
            ctypes.c_int64(room), pointer(points), pointer(times))
        return points[:count], times[:count], count

    def count_births(self, start, end, rate, begin, to, room):
        return self.c.births(
            ctypes.c_void_p(self.region), ctypes.c_uint64(7),
            *(ctypes.c_double(v) for v in (start, end, rate, begin, to)),
            ctypes.c_int64(room), None, None)


CUBE = (np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float),
        np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                  [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]))


def hull_mesh(points):
    """Closed outward mesh of the convex hull, and its half-spaces (n, d): n.x + d <= 0 inside."""
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    a, b, c = (points[faces[:, i]] for i in range(3))
    inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(1) < 0
    faces[inward] = faces[inward][:, ::-1]
    return (points, faces), hull.equations


def torus(rows, columns, radius=1.0, tube=.4):
    u, v = np.meshgrid(2 * np.pi * np.arange(rows) / rows,
                       2 * np.pi * np.arange(columns) / columns, indexing="ij")
    r = radius + tube * np.cos(v)
    points = np.stack([r * np.cos(u), r * np.sin(u), tube * np.sin(v)], -1).reshape(-1, 3)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"))
    at = [((i + a) % rows) * columns + (j + b) % columns for a in (0, 1) for b in (0, 1)]
    faces = np.concatenate([np.stack([at[0], at[2], at[3]], 1), np.stack([at[0], at[3], at[1]], 1)])
    return points, faces


# ---- volumes and bounds ----


@pytest.mark.parametrize("kind, fields, volume, lower, upper", [
    (SPHERE, {"center": (1, 2, 3), "radius": .5}, math.pi / 6, (.5, 1.5, 2.5), (1.5, 2.5, 3.5)),
    (BOX, {"center": (1, 2, 3), "size": (1, 2, 4)}, 8, (.5, 1, 1), (1.5, 3, 5)),
    (DISK, {"radius": 2, "size": (1, 1, .1)}, math.pi * .4, (-2, -2, -.05), (2, 2, .05)),
    (DISK, {"radius": 2, "size": (1, 1, .1), "axis": (3, 0, 0)}, math.pi * .4, (-.05, -2, -2),
     (.05, 2, 2)),
    (DISK, {"radius": 1, "size": (1, 1, .2), "axis": (0, 1e-5, 1e-5)}, math.pi * .2,
     (-1, -1.1 / math.sqrt(2), -1.1 / math.sqrt(2)), (1, 1.1 / math.sqrt(2), 1.1 / math.sqrt(2)))])
def test_volume_and_bounds(c, kind, fields, volume, lower, upper):
    region = Region(c, kind, **fields)
    assert region.volume == pytest.approx(volume, rel=1e-14)
    assert region.lower == pytest.approx(lower, abs=1e-14)
    assert region.upper == pytest.approx(upper, abs=1e-14)
    found = ctypes.c_double()
    shape = make_shape(kind, **fields)
    assert c.vt_shape_volume(ctypes.byref(shape), ctypes.byref(found)) == 0
    assert found.value == region.volume


def test_volume_of_meshes(c):
    assert Region(c, MESH, CUBE).volume == pytest.approx(1, rel=1e-14)
    moved = (CUBE[0] * [2, 3, 4] + [100, -200, 50], CUBE[1])
    assert Region(c, MESH, moved).volume == pytest.approx(24, rel=1e-14)
    points, faces = torus(200, 100)
    assert Region(c, MESH, (points, faces)).volume == pytest.approx(2 * math.pi**2 * .16, rel=1e-3)


# ---- inside ----


@pytest.mark.parametrize("kind, fields", [
    (SPHERE, {"center": (1, 2, 3), "radius": .5}), (BOX, {"center": (1, 2, 3), "size": (1, 2, 4)}),
    (DISK, {"center": (-1, 0, 0), "radius": 2, "size": (1, 1, .1), "axis": (1, 2, -3)})])
def test_inside_of_simple_shapes(c, kind, fields):
    region = Region(c, kind, **fields)
    rng = np.random.default_rng(1)
    points = rng.uniform(region.lower - .1, region.upper + .1, size=(20000, 3)).astype(np.float32)
    offset = points - np.array(fields["center"], float)
    if kind == SPHERE:
        expected = (offset**2).sum(1) <= .25
    elif kind == BOX:
        expected = (abs(offset) <= np.array(fields["size"]) / 2).all(1)
    else:
        axis = np.array(fields["axis"]) / math.sqrt(14)
        height = offset @ axis
        expected = (abs(height) <= .05) & ((offset**2).sum(1) - height**2 <= 4)
    assert np.array_equal(region.contains(points), expected)
    assert 0 < expected.sum() < len(points)


@pytest.mark.parametrize("seed, count", [(0, 4), (1, 30), (2, 2000)])
def test_inside_of_convex_meshes(c, seed, count):
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(count, 3)).astype(np.float32).astype(float)
    mesh, planes = hull_mesh(corners)
    region = Region(c, MESH, mesh)
    points = rng.uniform(corners.min(0), corners.max(0), size=(20000, 3)).astype(np.float32)
    depth = (points.astype(float) @ planes[:, :3].T + planes[:, 3]).max(1)
    clear = abs(depth) > 1e-9
    assert np.array_equal(region.contains(points)[clear], depth[clear] < 0)
    assert ConvexHull(corners).volume == pytest.approx(region.volume, rel=1e-12)


def test_no_point_leaks_over_edges_and_vertices(c):
    """A surface of lattice points: rays from lattice points meet edges and vertices exactly."""
    n = 4
    lattice = np.arange(n + 1) / n
    axes = np.meshgrid(lattice, lattice, lattice, indexing="ij")
    points = np.stack([a.ravel() for a in axes], 1)
    number = np.arange((n + 1) ** 3).reshape(n + 1, n + 1, n + 1)
    faces = []
    for axis in range(3):  # quads on both sides of the cube, cut along varying diagonals
        for side in (0, n):
            sheet = np.take(number, side, axis=axis)
            for i in range(n):
                for j in range(n):
                    a, b, d, e = sheet[i, j], sheet[i + 1, j], sheet[i + 1, j + 1], sheet[i, j + 1]
                    both = [[a, b, d], [a, d, e]] if (i + j) % 2 else [[a, b, e], [b, d, e]]
                    flip = (side == 0) == (axis != 1)
                    faces += [f[::-1] for f in both] if flip else both
    region = Region(c, MESH, (points, faces))
    assert region.volume == pytest.approx(1)
    fine = np.arange(-4, 4 * n + 5) / (4 * n)
    test = np.stack([a.ravel() for a in np.meshgrid(fine, fine, fine, indexing="ij")], 1)
    inside = region.contains(test)
    strictly_in = ((test > 0) & (test < 1)).all(1)
    strictly_out = ((test < 0) | (test > 1)).any(1)
    assert inside[strictly_in].all() and not inside[strictly_out].any()


@pytest.mark.parametrize("angle", [0, .3, math.pi / 2])
def test_inside_of_a_torus(c, angle):
    points, faces = torus(120, 60)
    turn = np.array([[1, 0, 0], [0, math.cos(angle), -math.sin(angle)],
                     [0, math.sin(angle), math.cos(angle)]])
    region = Region(c, MESH, (points @ turn.T, faces))
    rng = np.random.default_rng(3)
    test = rng.uniform(-1.5, 1.5, size=(20000, 3)).astype(np.float32)
    back = test @ turn
    distance = np.hypot(np.hypot(back[:, 0], back[:, 1]) - 1, back[:, 2])
    inside = region.contains(test)
    assert inside[distance < .395].all() and not inside[distance > .4001].any()


def test_parts_that_overlap_are_inside_and_inner_shells_are_holes(c):
    shifted = CUBE[0] + [.5, .25, .25]
    both = (np.concatenate([CUBE[0], shifted]), np.concatenate([CUBE[1], CUBE[1] + 8]))
    assert Region(c, MESH, both).contains([[.75, .5, .5], [.2, .5, .5], [1.4, .5, .5]]).all()
    inner = CUBE[0] * .5 + .25
    hollow = (np.concatenate([CUBE[0], inner]), np.concatenate([CUBE[1], CUBE[1][:, ::-1] + 8]))
    region = Region(c, MESH, hollow)
    assert region.contains([[.5, .5, .1], [.5, .5, .5]]).tolist() == [True, False]
    assert region.volume == pytest.approx(1 - 1 / 8)


# ---- checks ----


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("kind, fields, message", [
    (7, {}, "kind must be 0 (sphere), 1 (box), 2 (disk) or 3 (mesh), got 7"),
    (SPHERE, {"radius": -1.0}, "radius of a sphere must be 1e-09 .. 1e+09 m, got -1"),
    (SPHERE, {"radius": 0.0}, "radius of a sphere must be 1e-09 .. 1e+09 m, got 0"),
    (SPHERE, {"radius": NAN}, "radius of a sphere must be 1e-09 .. 1e+09 m, got nan"),
    (SPHERE, {"center": (0, INF, 0)}, "center[1] must be finite and within 1e+09 m, got inf"),
    (BOX, {"size": (1, 0, 1)}, "size[1] of a box must be 1e-09 .. 1e+09 m, got 0"),
    (DISK, {"radius": INF}, "radius of a disk must be 1e-09 .. 1e+09 m, got inf"),
    (DISK, {"axis": (0, 0, 0)}, "axis of a disk must not be 0 0 0"),
    (DISK, {"axis": (0, NAN, 0)}, "axis[1] must be finite, got nan"),
    (DISK, {"size": (1, 1, -2)}, "size[2], the thickness of a disk, must be"),
    (MESH, {}, "a mesh needs vertices, 4 .. 134217728 of them, got 0")])
def test_bad_shapes_are_refused(c, kind, fields, message):
    shape = make_shape(kind, **fields)
    assert not c.create(ctypes.byref(shape))
    assert message in c.vt_error_message().decode()
    assert c.vt_shape_volume(ctypes.byref(shape), pointer(np.zeros(1))) == 1


def changed(array, index, value):
    array = np.array(array, array.dtype)
    array[index] = value
    return array


@pytest.mark.parametrize("mesh, message", [
    ((CUBE[0], CUBE[1][1:]), "the mesh is not closed: edge 0-1 is used by 1 face "),
    ((CUBE[0], CUBE[1][:, ::-1]), "must be positive, got -1 m^3: its faces point inwards"),
    ((CUBE[0], np.concatenate([CUBE[1], CUBE[1][:1]])), "edge 0-1 is used by 3 faces"),
    ((CUBE[0], changed(CUBE[1], 0, [0, 3, 1])), "is used by 2 faces in the same direction"),
    ((CUBE[0], changed(CUBE[1], (3, 1), 8)), "face 3 of the mesh names vertex 8, there are 8"),
    ((CUBE[0], changed(CUBE[1], (3, 1), -1)), "face 3 of the mesh names vertex -1"),
    ((CUBE[0], changed(CUBE[1], (3, 1), 4)), "face 3 of the mesh names vertex 4 twice"),
    ((changed(CUBE[0], (2, 1), NAN), CUBE[1]), "vertex 2 of the mesh must be finite"),
    ((CUBE[0][:3], CUBE[1]), "a mesh needs vertices, 4 .. 134217728 of them, got 3"),
    ((CUBE[0], CUBE[1][:3]), "a mesh needs faces, 4 .. 134217728 of them, got 3"),
    ((CUBE[0] * [1, 1, 0], CUBE[1]), "volume of the mesh must be positive, got 0"),
    ((CUBE[0] * [1, 1, 1e-6] + [100, 0, 100], CUBE[1]), "must be positive, got 0"),
    ((CUBE[0] * [1, 1, 1e-9] @ np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]]), CUBE[1]),
     "the mesh is too thin")])
def test_bad_meshes_are_refused(c, mesh, message):
    shape = make_shape(MESH, mesh)
    assert not c.create(ctypes.byref(shape))
    assert message in c.vt_error_message().decode()


# ---- births ----

BIRTH_SHAPES = [
    (SPHERE, {"center": (5, 0, 0), "radius": .5}, None),
    (BOX, {"center": (0, 5, 0), "size": (1, 2, .5)}, None),
    (DISK, {"radius": 1, "size": (1, 1, 1e-3), "axis": (1, 1, 1)}, None),
    (MESH, {}, torus(60, 30))]


@pytest.mark.parametrize("kind, fields, mesh", BIRTH_SHAPES)
def test_fill_is_even_and_inside(c, kind, fields, mesh):
    region = Region(c, kind, mesh, **fields)
    points = region.fill(20000)
    assert np.isfinite(points).all()
    if kind == DISK:
        axis = np.ones(3) / math.sqrt(3)
        height = points @ axis
        assert abs(height).max() < 5.01e-4
        assert (np.linalg.norm(points - height[:, None] * axis, axis=1) < 1 + 1e-6).all()
        assert (height**2).mean() == pytest.approx(1e-6 / 12, rel=.01)
    else:
        grown = np.mean(points, 0) + (points - np.mean(points, 0)) * (1 - 1e-6)
        assert region.contains(points if kind == MESH else grown).all()
    # A low-discrepancy sequence: the mean is far closer than 1 / sqrt(count).
    middle = (region.lower + region.upper) / 2
    assert abs(points.mean(0) - middle).max() < 2e-3 * (region.upper - region.lower).max()
    assert np.array_equal(region.fill(500), points[:500])
    assert not np.array_equal(region.fill(500, seed=1), points[:500])


@pytest.mark.parametrize("kind, fields, mesh", slow_but(BIRTH_SHAPES[:1], BIRTH_SHAPES))
def test_births_do_not_depend_on_the_steps(c, kind, fields, mesh):
    region = Region(c, kind, mesh, **fields)
    start, end, rate = .25, 3.0, 1234.5
    points, times, count = region.births(start, end, rate, 0, 10)
    assert count == pytest.approx(rate * (end - start), rel=.01)
    assert times.min() >= start and times.max() < end and (np.diff(times) > 0).all()
    for steps in (7, 240, 1000):
        cuts = np.linspace(0, 10, steps + 1)
        pieces = [region.births(start, end, rate, a, b) for a, b in zip(cuts, cuts[1:])]
        assert np.array_equal(np.concatenate([p[0] for p in pieces]), points)
        assert np.array_equal(np.concatenate([p[1] for p in pieces]), times)
    # Cuts exactly at the times of births: each is born in the interval that it opens.
    cuts = np.concatenate([[0], times[100:200], [10]])
    pieces = [region.births(start, end, rate, a, b)[1] for a, b in zip(cuts, cuts[1:])]
    assert np.array_equal(np.concatenate(pieces), times)
    assert [len(p) for p in pieces[1:-1]] == [1] * 99


def test_births_beyond_the_room_are_left(c):
    region = Region(c, SPHERE)
    _, times, count = region.births(0, 1, 1000, 0, 1)
    assert region.count_births(0, 1, 1000, 0, 1, room=5000) == count > 900
    assert region.count_births(0, 1, 1000, 0, 1, room=10) == 10
    _, first, count = region.births(0, 1, 1000, 0, 1, room=10)
    assert count == 10 and np.array_equal(first, times[:10])
