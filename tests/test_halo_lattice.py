"""How full of vortons the nodes are around which neutral ones are born."""

import ctypes

import numpy as np
import pytest
from native import load

CODE = """
#include "population/brick_lattice.h"
void fill(double spacing, long count, float *position, float *volume, int threads, int low,
          int edge, float *nodes)
{
    vt_arena arena;
    vt_shell_lattice lattice;
    vt_brick_hints hints = {{0}};
    vt_vortons vortons = {.position = position, .volume = volume};
    const vt_stage_table stages = {.find_nodes = VT_NAME(find_nodes),
                                   .find_shares = VT_NAME(find_shares)};
    vortons.set.count = count;
    vti_arena_create(&arena, 1 << 28);
    vti_begin_shell_lattice(&lattice, spacing, count, &stages, &arena);
    for (int n = 0; n < edge * edge * edge; n++) {
        const int32_t at[3] = {low + n % edge, low + n / edge % edge, low + n / edge / edge};
        vti_need_brick(&lattice, at, 1, 1, &hints);
    }
    vt_brick **const bricks = vti_list_bricks(&lattice);
    vti_fill_shell_lattice(&lattice, bricks, &vortons, threads);
    for (long n = 0; n < lattice.bricks; n++)
        for (long m = 0; m < VT_BRICK_NODES; m++)
            nodes[n * VT_BRICK_NODES + m] = bricks[n]->fill[m];
    vti_arena_destroy(&arena);
}
"""
SOURCES = ["csrc/population/brick_lattice.c", "csrc/kernels/particles/lattice_places.c"]
SPACING, LOW, EDGE = 0.07, -2, 4  # bricks -2 .. 1 along each axis


def fill(x, volume, threads):
    nodes = np.zeros((EDGE,) * 3 + (8,) * 3, np.float32)
    count = len(x)
    x, volume = np.vstack([x, x[:16]]), np.append(volume, volume[:16])  # rows that may be read
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, volume, nodes)]
    load(*SOURCES, code=CODE).fill(
        ctypes.c_double(SPACING), ctypes.c_long(count), *pointers[:2], threads, LOW, EDGE,
        pointers[2],
    )  # fmt: skip
    return nodes.transpose(0, 3, 1, 4, 2, 5).reshape((8 * EDGE,) * 3)


def brute_force(x, volume):
    nodes = np.zeros((8 * EDGE,) * 3)
    at = x.astype(float) / SPACING - 8 * LOW
    low = np.floor(at).astype(int)
    for corner in np.ndindex(2, 2, 2):
        share = np.where(corner, at - low, 1 - (at - low)).prod(axis=1)
        node = low + corner
        inside = ((node >= 0) & (node < 8 * EDGE)).all(axis=1)
        np.add.at(nodes, tuple(node[inside, ::-1].T), (share * volume)[inside] / SPACING**3)
    return nodes


@pytest.mark.parametrize("reach", [0.4, 1.3, 4.0])
def test_volume_fills_the_nodes_around(reach):
    """Inside the bricks, across their faces and past them; the same bits for all threads."""
    rng = np.random.default_rng(1)
    x = np.float32(rng.uniform(-reach, reach, (3000, 3)))
    volume = np.float32(rng.uniform(0.1, 1, 3000) * SPACING**3)
    found, exact = fill(x, volume, 1), brute_force(x, volume)
    inner = np.s_[1:, 1:, 1:]  # whose next ones below lie in bricks, too
    assert exact[inner].max() > 0.05
    assert np.abs(found - exact)[inner].max() < 1e-4 * exact.max()
    assert np.array_equal(fill(x, volume, 3), found)
