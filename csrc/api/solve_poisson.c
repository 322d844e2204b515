#include <stdatomic.h>

#include "animation/definition.h"
#include "animation/parameters.h"
#include "base/reserve.h"
#include "base/status.h"
#include "field/poisson_choice.h"
#include "kernels/poisson/multigrid_levels.h"

/* Floats that kernels may read before and after a field. */
enum { MARGIN = VT_LANES };

typedef struct job {
    vt_grid grid;
    vt_poisson_plan plan;
    vt_arena arena;
    float *memory; /* fields and faces */
    size_t bytes;
    float *nodes; /* of the caller */
    double scale; /* spacing^2: the grid counts in cells */
    _Atomic int not_finite;
} job;

/* Bytes that any of them pushes on the arena. */
static size_t scratch_bytes(const int32_t cells[3], int threads)
{
    const size_t direct = vti_poisson_scratch(cells, threads);
    const size_t levels = vti_levels_scratch(cells, threads);
    return direct > levels ? direct : levels;
}

static vt_status check_arguments(const int32_t cells[3], double spacing, const float *field,
                                 const vt_method *method, int32_t threads)
{
    if (!cells || !field)
        return vti_fail(VT_INVALID_ARGUMENT, "%s must not be NULL", cells ? "field" : "cells");
    for (int axis = 0; axis < 3; axis++)
        if (!vti_poisson_likes(cells[axis]))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "cells[%d] must be even, 2^a 3^b 5^c, from 6 to 1024, got %d", axis,
                            cells[axis]);
    if (!(spacing > 0.0 && spacing <= 1e15))
        return vti_fail(VT_INVALID_ARGUMENT, "spacing must be positive and at most 1e15, got %g",
                        spacing);
    if (threads < 0 || threads > VT_MAX_THREADS)
        return vti_fail(VT_INVALID_ARGUMENT, "threads must be 0 (all) to %d, got %d",
                        VT_MAX_THREADS, threads);
    return vti_check_definition(&vti_method_definition, method);
}

/* Every value must be a number, also as the grid counts it. */
static void check_layers(void *context, int64_t begin, int64_t end)
{
    job *const j = context;
    const int64_t layer = 3 * (int64_t)(j->grid.cells[0] + 1) * (j->grid.cells[1] + 1);
    int bad = 0;
    for (int64_t i = begin * layer; i < end * layer; i++) {
        const float scaled = (float)(j->nodes[i] * j->scale);
        bad |= !(j->nodes[i] - j->nodes[i] == 0.0f) | !(scaled - scaled == 0.0f);
    }
    if (bad)
        j->not_finite = 1;
}

static float *node_row(const job *j, int component, int64_t y, int64_t z)
{
    return j->grid.field[component] + z * j->grid.plane + y * j->grid.row;
}

static float *caller_row(const job *j, int64_t y, int64_t z)
{
    const int64_t x_nodes = j->grid.cells[0] + 1, y_nodes = j->grid.cells[1] + 1;
    return j->nodes + 3 * x_nodes * (y_nodes * z + y);
}

static float *face_node(const job *j, int face, int component, int64_t u, int64_t v)
{
    return j->grid.face[face] + component * j->grid.face_plane + v * j->grid.face_row + u;
}

/* One row of the caller's nodes to the field and to those faces that it meets. */
static void copy_row_in(job *j, int c, int64_t y, int64_t z)
{
    const int32_t *const n = j->grid.cells;
    const float *const in = caller_row(j, y, z) + c;
    float *const out = node_row(j, c, y, z);
    for (int64_t x = 0; x <= n[0]; x++)
        out[x] = (float)(in[3 * x] * j->scale);
    *face_node(j, 0, c, y, z) = in[0];
    *face_node(j, 1, c, y, z) = in[3 * (int64_t)n[0]];
    for (int64_t x = 0; x <= n[0]; x++) {
        if (y == 0 || y == n[1])
            *face_node(j, y ? 3 : 2, c, x, z) = in[3 * x];
        if (z == 0 || z == n[2])
            *face_node(j, z ? 5 : 4, c, x, y) = in[3 * x];
    }
}

static void copy_in(void *context, int64_t begin, int64_t end)
{
    job *const j = context;
    for (int64_t z = begin; z < end; z++)
        for (int64_t y = 0; y <= j->grid.cells[1]; y++)
            for (int c = 0; c < 3; c++)
                copy_row_in(j, c, y, z);
}

static void copy_out(void *context, int64_t begin, int64_t end)
{
    job *const j = context;
    for (int64_t z = begin; z < end; z++)
        for (int64_t y = 0; y <= j->grid.cells[1]; y++)
            for (int c = 0; c < 3; c++) {
                const float *const in = node_row(j, c, y, z);
                float *const out = caller_row(j, y, z) + c;
                for (int64_t x = 0; x <= j->grid.cells[0]; x++)
                    out[3 * x] = in[x];
            }
}

static int reserve(job *j, int threads)
{
    const int32_t *const n = j->grid.cells;
    const int64_t nodes = (int64_t)(n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    const int64_t field = j->grid.plane * (n[2] + 1) + 2 * MARGIN;
    const int64_t face = 3 * j->grid.face_plane;
    j->bytes = sizeof(float) * (size_t)(3 * field + 6 * face);
    j->memory = vti_reserve(j->bytes);
    if (!j->memory || vti_poisson_plan_create(&j->plan, nodes) != 0 ||
        vti_arena_create(&j->arena, scratch_bytes(n, threads)) != 0)
        return -1;
    vti_reserve_huge(j->memory, j->bytes);
    for (int c = 0; c < 3; c++)
        j->grid.field[c] = j->memory + c * field + MARGIN;
    for (int f = 0; f < 6; f++)
        j->grid.face[f] = j->memory + 3 * field + f * face;
    return 0;
}

static void release(job *j)
{
    vti_arena_destroy(&j->arena);
    vti_poisson_plan_destroy(&j->plan);
    vti_release(j->memory, j->bytes);
}

static vt_status solve(const int32_t cells[3], double spacing, float *field,
                       const vt_method *method, int walled, int32_t threads)
{
    const vt_status checked = check_arguments(cells, spacing, field, method, threads);
    if (checked != VT_OK)
        return checked;
    job j = {.grid = {.walled = walled}, .nodes = field, .scale = spacing * spacing};
    const int used = threads ? threads : vt_available_threads();
    const int64_t layers = cells[2] + 1;
    memcpy(j.grid.cells, cells, sizeof j.grid.cells);
    vti_grid_pitches(&j.grid);
    vti_parallel_for(used, layers, 1, check_layers, &j);
    if (j.not_finite)
        return vti_fail(VT_NOT_FINITE, "field (times spacing^2) has a NaN or an infinity");
    if (reserve(&j, used) != 0) {
        release(&j);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d x %d x %d cells", cells[0], cells[1],
                        cells[2]);
    }
    vti_parallel_for(used, layers, 1, copy_in, &j);
    vti_run_poisson(vti_stages(), method, &j.grid, &j.plan, NULL, &j.arena, used);
    vti_parallel_for(used, layers, 1, copy_out, &j);
    release(&j);
    return VT_OK;
}

vt_status vt_solve_poisson(const int32_t cells[3], double spacing, float *field,
                           const vt_method *method, int32_t threads)
{
    vt_method usual;
    vt_accepted accepted;
    vt_default_method(&usual);
    vt_status status = vti_accept(&vti_method_definition, method ? method : &usual, &accepted);
    if (!status)
        status = solve(cells, spacing, field, accepted.def, 0, threads);
    vti_give_back(&accepted);
    return status;
}

vt_status vt_solve_poisson_in_box(const int32_t cells[3], double spacing, float *field,
                                  int32_t threads)
{
    vt_method direct;
    vt_default_method(&direct);
    return solve(cells, spacing, field, &direct, 1, threads);
}
