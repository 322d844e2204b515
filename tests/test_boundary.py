"""Vector potential on the faces (stages `boundary_...`, VALIDATION V6, V11) and velocity beyond the
grid (stage `far_velocity`), against float64 sums over all vortons. What one target does, all do:
test_e1_same_bits.
"""

import ctypes
import itertools

import native
import numpy as np
import pytest
from marks import slow_but

from vorton import _core

SOURCES = [f"csrc/kernels/sums/boundary_potential{kind}.c" for kind in ("", "_article", "_tree")]
SOURCES += ["csrc/kernels/sums/cluster_moments.c", "csrc/kernels/sums/far_field.c"]
TARGETS = native.targets()
FACE_AXES = [(1, 2), (0, 2), (0, 1)]
BOUNDARIES = ["clusters", "tree", "decimated", "zero"]

CODE = """
#include "base/arena.h"
#include "base/reserve.h"
#include "kernels/dispatch.h"

typedef struct test_grid {
    vt_grid grid;
    vt_moments moments;
    vt_arena arena;
} test_grid;

static size_t node_bytes(const vt_grid *grid)
{
    return (size_t)(grid->node_plane * (grid->cells[2] + 2)) * sizeof(f4);
}

void test_destroy(test_grid *t)
{
    vti_release(t->grid.nodes, node_bytes(&t->grid));
    for (int face = 0; face < 6; face++)
        vti_release(t->grid.face[face], (size_t)t->grid.face_plane * 12);
    vti_moments_destroy(&t->moments);
    vti_arena_destroy(&t->arena);
}

/* All that may be read but means nothing is NaN: padding of rows, the plane after the last, and
 * the faces before they are written. */
int test_create(test_grid *t, const int32_t *cells, double spacing, const double *base)
{
    vt_grid *const g = &t->grid;
    memset(t, 0, sizeof *t);
    memcpy(g->cells, cells, sizeof g->cells);
    memcpy(g->base, base, sizeof g->base);
    g->spacing = spacing;
    vti_grid_pitches(g);
    g->nodes = vti_reserve(node_bytes(g));
    memset(g->nodes, 0xff, node_bytes(g));
    for (int64_t k = 0; k <= cells[2]; k++)
        for (int64_t j = 0; j <= cells[1]; j++)
            memset(g->nodes + k * g->node_plane + j * g->node_row, 0,
                   sizeof(f4) * (size_t)(cells[0] + 1));
    for (int face = 0; face < 6; face++) {
        g->face[face] = vti_reserve((size_t)g->face_plane * 12);
        memset(g->face[face], 0xff, (size_t)g->face_plane * 12);
    }
    const int64_t nodes = (int64_t)(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
    return vti_moments_create(&t->moments, nodes) | vti_arena_create(&t->arena, 1u << 28);
}

void test_deposit(test_grid *t, int64_t count, const float *position, const float *strength)
{
    const vt_grid *const g = &t->grid;
    for (int64_t n = 0; n < count; n++) {
        int64_t at[3];
        float part[3];
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = (int64_t)position[3 * n + axis];
            at[axis] -= at[axis] == g->cells[axis];
            part[axis] = position[3 * n + axis] - (float)at[axis];
        }
        const float *const a = strength + 3 * n, volume = 1e-6f * (float)(1 + n % 3);
        for (int o = 0; o < 8; o++) {
            const float w = (o & 1 ? part[0] : 1 - part[0]) * (o & 2 ? part[1] : 1 - part[1]) *
                            (o & 4 ? part[2] : 1 - part[2]);
            g->nodes[(at[2] + (o >> 2)) * g->node_plane + (at[1] + (o >> 1 & 1)) * g->node_row +
                     at[0] + (o & 1)] += (f4){a[0], a[1], a[2], volume} * f4_set(w);
        }
    }
}

/* Bytes that the kernel may take at most: of nodes on a face, and of rows for each thread. */
static size_t most_scratch(int32_t largest, int threads)
{
    const size_t side = (size_t)largest + 80;
    return 24 * side * side + 192 * side * (size_t)threads;
}

/* Returns the scratch that was not given back, or -1 when more was taken than that. */
int64_t test_boundary(test_grid *t, double angle, int threads)
{
    t->arena.peak = t->arena.used;
    VT_NAME(moments)(&t->grid, &t->moments, &t->arena, threads);
    VT_NAME(boundary_clusters)(&t->grid, &t->moments, angle, &t->arena, threads);
    const int32_t *const n = t->grid.cells;
    const int32_t most = n[0] > n[1] ? (n[0] > n[2] ? n[0] : n[2]) : (n[1] > n[2] ? n[1] : n[2]);
    return t->arena.peak <= most_scratch(most, threads) ? (int64_t)t->arena.used : -1;
}

/* The other choices, from vortons that need not be deposited; returns the scratch still taken. */
int64_t test_choice(test_grid *t, int boundary, int opening, double angle, int64_t count,
                    const float *position, const float *strength, int threads)
{
    const size_t mark = vti_arena_mark(&t->arena);
    vt_record *const records = vti_arena_push(&t->arena, sizeof(vt_record) * (size_t)(count + 1));
    for (int64_t n = 0; n < count; n++) {
        memcpy(records[n].position, position + 3 * n, 12);
        memcpy(records[n].strength, strength + 3 * n, 12);
    }
    if (boundary == VT_BOUNDARY_TREE)
        VT_NAME(boundary_tree)(&t->grid, count, records, opening, angle, &t->arena, threads);
    else if (boundary == VT_BOUNDARY_DECIMATED)
        VT_NAME(boundary_decimated)(&t->grid, count, records, &t->arena, threads);
    else
        VT_NAME(boundary_zero)(&t->grid);
    vti_arena_pop(&t->arena, mark);
    return (int64_t)t->arena.used;
}

void test_face(const test_grid *t, int face, int64_t nu, int64_t nv, float *values)
{
    for (int64_t c = 0; c < 3; c++)
        for (int64_t v = 0; v < nv; v++, values += nu)
            memcpy(values, t->grid.face[face] + c * t->grid.face_plane + v * t->grid.face_row,
                   sizeof(float) * (size_t)nu);
}

void test_far(const test_grid *t, double angle, int64_t count, const float *points,
              float *velocity, int threads)
{
    VT_NAME(far_velocity)(&t->grid, &t->moments, angle, count, points, velocity, threads);
}

int64_t test_records(const int32_t *cells)
{
    vt_moments moments = {0};
    return vti_moments_layout(&moments, cells);
}

int64_t test_size(void)
{
    return sizeof(test_grid);
}
"""


@pytest.fixture(scope="module")
def library():
    return load(TARGETS[-1])


def load(target, code=CODE):
    library = native.load(*SOURCES, target=target, code=code)
    for name in ("test_boundary", "test_choice", "test_records", "test_size", "vti_moments_bound"):
        getattr(library, name).restype = ctypes.c_int64
    library.vti_moments_bound.argtypes = [ctypes.c_int64]
    return library


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Grid:
    """A working grid with deposited vortons: positions in cells from the first node."""

    def __init__(self, library, cells, positions=(), strengths=(), spacing=1.0, base=(0, 0, 0)):
        self.library, self.spacing = library, spacing
        self.cells, self.base = np.array(cells, np.int32), np.array(base, float)
        self.memory = ctypes.create_string_buffer(library.test_size() + 64)
        address = ctypes.addressof(self.memory)
        self.pointer = ctypes.c_void_p(address + -address % 64)
        assert library.test_create(self.pointer, pointer(self.cells), ctypes.c_double(spacing),
                                   pointer(self.base)) == 0
        self.positions = np.ascontiguousarray(positions, np.float32).reshape(-1, 3)
        self.strengths = np.ascontiguousarray(strengths, np.float32).reshape(-1, 3)
        library.test_deposit(self.pointer, ctypes.c_int64(len(self.positions)),
                             pointer(self.positions), pointer(self.strengths))

    def __del__(self):
        self.library.test_destroy(self.pointer)

    def solve(self, angle=0.5, threads=1, boundary="clusters", opening="angle"):
        """The faces: six arrays (3, nv, nu)."""
        if boundary == "clusters":
            left = self.library.test_boundary(self.pointer, ctypes.c_double(angle), threads)
        else:
            left = self.library.test_choice(
                self.pointer, BOUNDARIES.index(boundary), opening == "article",
                ctypes.c_double(angle),
                ctypes.c_int64(len(self.positions)), pointer(self.positions),
                pointer(self.strengths), threads)
        assert left == 0
        faces = []
        for face in range(6):
            nu, nv = (int(self.cells[axis]) + 1 for axis in FACE_AXES[face // 2])
            faces.append(np.empty((3, nv, nu), np.float32))
            self.library.test_face(self.pointer, face, ctypes.c_int64(nu), ctypes.c_int64(nv),
                                   pointer(faces[-1]))
        return faces

    def far(self, points, angle=0.5, threads=1):
        points = np.ascontiguousarray(points, np.float32)
        velocity = np.full_like(points, np.nan)
        self.library.test_far(self.pointer, ctypes.c_double(angle), ctypes.c_int64(len(points)),
                              pointer(points), pointer(velocity), threads)
        return velocity

    def metres(self, places):
        return ((places + self.base) * self.spacing).astype(np.float32)

    def direct(self, places):
        """Potential (m^2/s) and velocity (m/s), float64, at places in cells."""
        potential, velocity = np.zeros((2, len(places), 3))
        positions, strengths = self.positions.astype(float), self.strengths.astype(float)
        for n, place in enumerate(places):
            d = place - positions
            r = np.sqrt((d * d).sum(1))
            potential[n] = (strengths / r[:, None]).sum(0)
            velocity[n] = (np.cross(strengths, d) / r[:, None] ** 3).sum(0)
        return potential / (4 * np.pi * self.spacing), velocity / (4 * np.pi * self.spacing**2)

    def face_error(self, faces, count=400, seed=1):
        """Relative rms error at random nodes of all faces."""
        rng = np.random.default_rng(seed)
        places, found = np.zeros((count, 3)), np.zeros((count, 3))
        for n in range(count):
            face = n % 6
            u, v = FACE_AXES[face // 2]
            i, j = rng.integers(self.cells[u] + 1), rng.integers(self.cells[v] + 1)
            places[n, [u, v]] = i, j
            places[n, face // 2] = self.cells[face // 2] * (face % 2)
            found[n] = faces[face][:, j, i]
        return relative_rms(found, self.direct(places)[0])


def relative_rms(found, exact):
    return np.sqrt(((found - exact) ** 2).sum() / (exact**2).sum())


def cloud(kind, cells, count, margin=4.5, seed=3):
    """Positions (cells) and strengths of a ball, torus, ring, sheet, or of random vortons."""
    rng, size = np.random.default_rng(seed), np.array(cells, float)
    if kind == "ring":
        t = np.arange(count) * 2 * np.pi / count
        x = np.stack([np.cos(t), np.sin(t), 0 * t], 1)
        return size / 2 + (size / 2 - margin) * x, np.stack([-np.sin(t), np.cos(t), 0 * t], 1)
    if kind in ("random", "sheet"):
        x = rng.uniform(margin, size - margin, (count, 3))
        wave = [1 + 0.3 * np.sin(x[:, 0] / 20), np.cos(x[:, 1] / 15), rng.normal(size=count)]
        return x, rng.normal(size=(count, 3)) if kind == "random" else np.stack(wave, 1)
    x = rng.uniform(-1, 1, (count * (3 if kind == "ball" else 12), 3))
    if kind == "ball":
        x = x[(x * x).sum(1) < 1][:count]
    else:
        x = x[(np.hypot(x[:, 0], x[:, 1]) - 0.75) ** 2 + x[:, 2] ** 2 < 0.0625][:count]
    swirl = 1 + 0.3 * np.sin(9 * x[:, 0]) * np.cos(7 * x[:, 2])
    noise = rng.uniform(-0.2, 0.2, x.shape)
    strengths = np.stack([-x[:, 1] * swirl, x[:, 0] * swirl, 0 * swirl], 1) + noise
    return size / 2 + (size / 2 - margin) * x, strengths


# ---- the faces ----


@pytest.mark.slow
@pytest.mark.parametrize("cells, kind, count, largest", [
    (16, "ball", 1200, 0.005), (16, "torus", 1200, 0.005), (16, "ring", 400, 0.005),
    (16, "random", 1500, 0.005), (32, "ball", 10000, 0.003), (32, "torus", 10000, 0.003),
    (64, "ball", 20000, 0.0004), (64, "torus", 20000, 0.001), (64, "ring", 400, 0.003),
    (64, "random", 1500, 0.003)])
def test_v6_faces(library, cells, kind, count, largest):
    margin = 4.5 if kind in ("ball", "torus") else 6
    grid = Grid(library, [cells] * 3, *cloud(kind, [cells] * 3, count, margin), spacing=0.03)
    assert grid.face_error(grid.solve()) < largest


@pytest.mark.slow
@pytest.mark.parametrize("cells", [(128, 120, 16), (16, 24, 90), (30, 54, 40), (10, 12, 250)])
def test_v6_boxes_that_are_not_cubes(library, cells):
    margin = 6 if min(cells) > 12 else 4
    grid = Grid(library, cells, *cloud("sheet", cells, 6000, margin))
    assert grid.face_error(grid.solve()) < 0.003


@pytest.mark.parametrize(
    "kind, count", slow_but([("random", 1500)], [("ring", 400), ("random", 1500)])
)
def test_v6_error_falls_with_the_angle(library, kind, count):
    grid = Grid(library, [64] * 3, *cloud(kind, [64] * 3, count, 12))
    errors = [grid.face_error(grid.solve(angle)) for angle in (0.9, 0.7, 0.5, 0.3)]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("margin", slow_but([1], [1, 6]))
@pytest.mark.parametrize(
    "kind, count", slow_but([("ring", 400)], [("ring", 400), ("random", 1500)])
)
def test_v6_tree_at_every_node(library, kind, count, margin):
    """The tree over the vortons; margin 1: the faces of the box around them, or nearly."""
    grid = Grid(library, [64] * 3, *cloud(kind, [64] * 3, count, margin))
    errors = [grid.face_error(grid.solve(angle, boundary="tree"))
              for angle in (0.9, 0.7, 0.5, 0.3, 0.0)]
    assert errors == sorted(errors, reverse=True)
    assert errors[2] < 0.015 and errors[4] < 2e-6


@pytest.mark.parametrize("margin", [1, 6])
@pytest.mark.parametrize(
    "kind, count", slow_but([("ring", 400)], [("ring", 400), ("random", 1500)])
)
def test_v6_rule_of_the_articles(library, kind, count, margin):
    grid = Grid(library, [64] * 3, *cloud(kind, [64] * 3, count, margin))
    assert 0.02 < grid.face_error(grid.solve(boundary="decimated")) < 0.3
    by_tree = grid.face_error(grid.solve(boundary="tree", opening="article"))
    assert 20 * grid.face_error(grid.solve(boundary="tree")) < by_tree < 0.3


def test_decimation_copies_odd_nodes(library):
    grid = Grid(library, (32, 40, 24), *cloud("random", (32, 40, 24), 500))
    for face, values in enumerate(grid.solve(boundary="decimated")):
        repeated = np.array_equal(values[..., 1::2], values[..., :-1:2])
        assert repeated == (face >= 2)  # x runs along all but the first two
        assert len(np.unique(values[0])) > 50


def test_zero_boundary(library):
    grid = Grid(library, (16, 20, 8), *cloud("random", (16, 20, 8), 50, 2))
    assert all(not face.any() for face in grid.solve(boundary="zero"))


@pytest.mark.parametrize(
    "cells", [(8, 8, 8), (10, 12, 18), pytest.param((36, 40, 30), marks=pytest.mark.slow)]
)
def test_every_node_counts_once(library, cells):
    """A vorton on a node, the outermost ones included, seen from the corner opposite to it."""
    for corner in itertools.product(*((0, 1, n // 2, n - 1, n) for n in cells)):
        grid = Grid(library, cells, [corner], [(1.0, -2.0, 3.0)])
        faces = grid.solve()
        far = [0 if 2 * c > n else n for c, n in zip(corner, cells)]
        exact = grid.direct(np.array([far], float))[0][0]
        found = faces[0 if far[0] == 0 else 1][:, far[2], far[1]]
        assert found == pytest.approx(exact, rel=1e-5)
        assert all(np.isfinite(face).all() for face in faces)


def test_shared_edges_agree(library):
    grid = Grid(library, (32, 40, 24), *cloud("random", (32, 40, 24), 500))
    faces = grid.solve()
    assert faces[0][:, 0, :] == pytest.approx(faces[4][:, :, 0], rel=1e-4, abs=1e-3)
    assert faces[3][:, :, -1] == pytest.approx(faces[1][:, :, -1], rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_empty_grid(library, boundary):
    grid = Grid(library, (16, 20, 8))
    assert all(not face.any() for face in grid.solve(boundary=boundary))
    grid.solve()
    assert not grid.far([[100.0, 0, 0], [8, 8, 4]]).any()


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_deposit_on_a_face_stays_finite(library, boundary):
    grid = Grid(library, (16, 16, 16), [(0, 8, 8), (16, 16, 16)], [(1, 1, 1), (1, 2, 3)])
    assert all(np.isfinite(face).all() for face in grid.solve(boundary=boundary))


# ---- beyond them ----


def places_outside(cells, nearest, farthest, count=200, seed=5):
    """Points from nearest to farthest box lengths away from the faces."""
    rng, size = np.random.default_rng(seed), np.array(cells, float)
    places = rng.uniform(0, 1, (count, 3)) * size
    for n, place in enumerate(places):
        axis, distance = n // 2 % 3, rng.uniform(nearest, farthest) * size.max()
        place[axis] = -distance if n % 2 else size[axis] + distance
    return places


@pytest.mark.parametrize(
    "nearest, farthest",
    slow_but([(0, 0.02)], [(0, 0.02), (0.02, 0.5), (0.5, 2), (2, 10)]),
)
@pytest.mark.parametrize("cells, kind, count", [
    ((16, 16, 16), "ball", 1200), ((32, 32, 32), "torus", 4000), ((64, 64, 64), "ring", 400),
    ((64, 64, 64), "random", 4000), ((128, 120, 16), "sheet", 4000), ((16, 24, 90), "sheet", 2000)])
def test_v6_velocity_outside(library, cells, kind, count, nearest, farthest):
    grid = Grid(library, cells, *cloud(kind, cells, count, 6), spacing=0.05, base=(-40, 7, 100))
    grid.solve()
    points = grid.metres(places_outside(cells, nearest, farthest))
    exact = grid.direct(points.astype(float) / grid.spacing - grid.base)[1]
    assert relative_rms(grid.far(points), exact) < 0.01


def test_velocity_does_not_depend_on_other_points(library):
    grid = Grid(library, (32, 32, 32), *cloud("ball", (32, 32, 32), 3000))
    grid.solve()
    points = np.random.default_rng(2).uniform(-64, 96, (77, 3)).astype(np.float32)
    together = grid.far(points)
    for n in (0, 1, 40, 76):
        assert np.array_equal(grid.far(points[n:n + 1]), together[n:n + 1])
    assert np.array_equal(grid.far(points[::-1]), together[::-1])
    assert np.isfinite(together).all()


def test_velocity_at_a_cluster_is_finite(library):
    grid = Grid(library, (16, 16, 16), [(8, 8, 8)], [(0, 0, 1)])
    grid.solve()
    assert np.isfinite(grid.far([[8, 8, 8], [8.5, 8, 8], [7, 7, 7]])).all()
    assert not grid.far([[8, 8, 8]]).any()


def test_velocity_before_any_field(library):
    grid = Grid(library, (16, 16, 16), [(8, 8, 8)], [(0, 0, 1)])
    assert not grid.far([[30.0, 3, 3]]).any()


# ---- the same everywhere ----


@pytest.mark.slow
@pytest.mark.parametrize("cells", [(8, 8, 8), (30, 50, 40), (64, 64, 64), (12, 10, 250)])
def test_e1_same_bits(cells):
    positions, strengths = cloud("random", cells, 3000, 1)
    points = np.random.default_rng(5).uniform(-200, 300, (301, 3))
    expected = None
    for target in TARGETS:
        grid = Grid(load(target), cells, positions, strengths)
        for threads in (1, 2, 3, 8):
            results = [*grid.solve(threads=threads), grid.far(points, threads=threads)]
            for boundary in ("tree", "decimated"):
                results += grid.solve(threads=threads, boundary=boundary)
            results += grid.solve(threads=threads, boundary="tree", opening="article")
            expected = expected or results
            assert all(map(np.array_equal, results, expected)), (target, threads)


def test_records_fit_their_bound():
    library = load(TARGETS[-1])
    sizes = [n for n in range(8, 1025, 2) if 2**10 * 3**6 * 5**4 % n == 0]
    for cells in itertools.combinations_with_replacement(sizes[::2] + [8, 10, 1000, 1024], 3):
        nodes = int(np.prod([n + 1 for n in cells]))
        if nodes <= 2**30:
            records = library.test_records(pointer(np.array(cells, np.int32)))
            assert 0 < records <= library.vti_moments_bound(nodes), cells


# ---- in a simulation ----


def face_nodes(size, count, seed=1):
    nodes = np.random.default_rng(seed).integers(0, size, (count, 3))
    nodes[np.arange(count), np.arange(count) % 3] = 0
    nodes[::2] = np.where(nodes[::2] == 0, size - 1, nodes[::2])
    return nodes


def test_v6_in_a_simulation():
    """Faces of the working grid and velocity around it, against the sum over the same vortons."""
    rng, count = np.random.default_rng(1), 2000
    simulation = _core.Simulation(threads=2, spacing=0.05)
    simulation.add_vortons(rng.uniform(-1, 1, (count, 3)).astype(np.float32),
                           1e-3 * rng.normal(size=(count, 3)).astype(np.float32),
                           np.full(count, 0.075, np.float32), np.full(count, 1e-4, np.float32))
    simulation.update_fields()
    vortons = [np.array(simulation.column("vortons", name), float)
               for name in ("position", "strength", "core")]
    potential, origin, spacing = simulation.grid("vector_potential")
    size = np.array(potential.shape[2::-1])

    nodes = face_nodes(size, 300)
    exact = _core.direct_sum(origin + spacing * nodes, *vortons, potential=True)[2]
    assert relative_rms(potential[nodes[:, 2], nodes[:, 1], nodes[:, 0]], exact) < 0.003

    for nearest, farthest in ((0.02, 0.5), (0.5, 10)):
        points = origin + spacing * places_outside(size - 1, nearest, farthest)
        points = points.astype(np.float32)
        exact = _core.direct_sum(points.astype(float), *vortons)[0]
        assert relative_rms(simulation.velocity_at(points), exact) < 0.01


def tilted_ring(boundary, velocity="poisson"):
    """A resolved ring whose axis is a diagonal of the box: a grid of 33 nodes along each axis."""
    simulation = _core.Simulation(threads=1, spacing=0.1,
                                  method={"velocity": velocity, "boundary": boundary})
    simulation.add("ring", axis=(1, 1, 1), core=0.24, vorton_core=0.15)
    return simulation


def off_vortons(simulation, count=600, seed=4):
    """Points in the grid that lie two cores and more away from every vorton."""
    nodes, origin, spacing = simulation.grid("velocity")
    size = np.array(nodes.shape[2::-1])
    places = np.random.default_rng(seed).uniform(1, size - 2, (10 * count, 3))
    points = (np.array(origin) + spacing * places).astype(np.float32)
    position = simulation.column("vortons", "position")
    nearest = [((position - point) ** 2).sum(axis=1).min() for point in points]
    return points[np.sqrt(nearest) > 3 * spacing][:count], size


@pytest.mark.slow
def test_v11_off_vorton_field():
    """Figure 1 of part 20 as numbers: what the boundary does to the velocity inside."""
    errors = {}
    for boundary in BOUNDARIES:
        simulation = tilted_ring(boundary)
        points, size = off_vortons(simulation)
        assert list(size) == [33, 33, 33] and len(points) == 600
        vortons = [np.array(simulation.column("vortons", name), float)
                   for name in ("position", "strength", "core")]
        exact = _core.direct_sum(points.astype(float), *vortons, threads=1)[0]
        errors[boundary] = relative_rms(simulation.velocity_at(points), exact)
    assert errors["clusters"] < 0.1 and errors["tree"] < 0.1
    assert errors["clusters"] < errors["decimated"] < 0.14
    assert errors["zero"] > 0.3


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_far_field_with_every_boundary(boundary):
    """The moments are there for tracers outside the grid, whatever the faces are made of."""
    simulation, default = tilted_ring(boundary), tilted_ring("clusters")
    points = np.random.default_rng(3).normal(size=(50, 3))
    points *= 4 / np.linalg.norm(points, axis=1)[:, None]
    found = simulation.velocity_at(points)
    assert found.any() and np.array_equal(found, default.velocity_at(points))
