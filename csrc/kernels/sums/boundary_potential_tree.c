#include "kernels/sums/boundary_potential_tree.h"

#include "kernels/sums/boundary_potential.h"
#include "kernels/sums/tree_sum.h"

enum { RECORD_FLOATS = sizeof(vt_record) / sizeof(float) };

/* The nodes of a face in cells, row by row. */
static int64_t place_nodes(const vt_grid *grid, int face, int u, int v, float *points)
{
    const int64_t nu = grid->cells[u] + 1, nv = grid->cells[v] + 1;
    for (int64_t n = 0; n < nu * nv; n++) {
        points[3 * n + u] = (float)(n % nu);
        points[3 * n + v] = (float)(n / nu);
        points[3 * n + face / 2] = face & 1 ? (float)grid->cells[face / 2] : 0.0f;
    }
    return nu * nv;
}

static void store_face(const vt_grid *grid, int face, int u, int64_t count, const float *potential)
{
    const int64_t nu = grid->cells[u] + 1;
    const float scale = (float)(1.0 / grid->spacing);
    for (int64_t n = 0; n < count; n++)
        for (int c = 0; c < 3; c++)
            grid->face[face][c * grid->face_plane + n / nu * grid->face_row + n % nu] =
                scale * potential[3 * n + c];
}

void VT_NAME(boundary_tree)(vt_grid *grid, int64_t count, const vt_record *records, int opening,
                            double opening_angle, vt_arena *arena, int threads)
{
    /* Vortons are many cores away from the faces; if they are not, half a cell keeps all finite. */
    const vt_tree_rows rows = {.count = count,
                               .stride = RECORD_FLOATS,
                               .position = records->position,
                               .strength = records->strength,
                               .same_core = 0.5f};
    const size_t mark = vti_arena_mark(arena);
    vt_tree tree;
    vti_build_tree(&tree, &rows, VT_KERNEL_BALL, opening, opening_angle, arena, threads);
    for (int face = 0; face < 6; face++) {
        const size_t mark_of_face = vti_arena_mark(arena), bytes = 12 * (size_t)grid->face_plane;
        float *const points = vti_arena_push(arena, bytes);
        float *const potential = vti_arena_push(arena, bytes);
        int u, v;
        vti_face_axes(face, &u, &v);
        const int64_t nodes = place_nodes(grid, face, u, v, points);
        VT_NAME(tree_potential)(&tree, nodes, points, potential, threads);
        store_face(grid, face, u, nodes, potential);
        vti_arena_pop(arena, mark_of_face);
    }
    vti_arena_pop(arena, mark);
}
