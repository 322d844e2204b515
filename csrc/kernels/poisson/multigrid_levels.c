#include "kernels/poisson/multigrid_levels.h"

enum { MARGIN = VT_LANES, PUSHED = 128 /* what rounding and guard add to a push, at most */ };

static int64_t padded(int64_t nodes)
{
    return (nodes + VT_LANES - 1) / VT_LANES * VT_LANES;
}

/* Whether the next level of these cells exists; makes them those of the next level. */
static int coarsen(int32_t cells[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (cells[axis] <= 2)
            return 0;
    for (int axis = 0; axis < 3; axis++)
        cells[axis] = (cells[axis] + 1) / 2;
    return 1;
}

/* ---- tables of one axis ---- */

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

/* Weights of linear interpolation from the coarse node, the other way round, with sum 1. */
static void make_taps(vt_transfer *t, int32_t node, int32_t fine, int32_t coarse)
{
    const double ratio = (double)fine / coarse, place = node * ratio;
    double weight[VT_TAPS] = {0}, sum = 0;
    int32_t index[VT_TAPS];
    int count = 0;
    for (int32_t i = (int32_t)(place - ratio); i < place + ratio; i++)
        if (i > 0 && i < fine && distance(i, place) < ratio - 1e-9 && count < VT_TAPS) {
            index[count] = i;
            weight[count] = 1 - distance(i, place) / ratio;
            sum += weight[count++];
        }
    for (int n = 0; n < VT_TAPS; n++) {
        t->tap[n][node] = count == 0 ? 0 : index[n < count ? n : count - 1];
        t->share[n][node] = count == 0 ? 0 : (float)(weight[n] / sum);
    }
}

static void make_transfer(vt_transfer *t, int32_t fine, int32_t coarse, vt_arena *arena)
{
    const int64_t fine_nodes = padded(fine + 1), coarse_nodes = padded(coarse + 1);
    for (int n = 0; n < VT_TAPS; n++) {
        t->tap[n] = vti_arena_push(arena, 4 * (size_t)coarse_nodes);
        t->share[n] = vti_arena_push(arena, 4 * (size_t)coarse_nodes);
    }
    t->nearest = vti_arena_push(arena, 4 * (size_t)coarse_nodes);
    t->base = vti_arena_push(arena, 4 * (size_t)fine_nodes);
    t->fraction = vti_arena_push(arena, 4 * (size_t)fine_nodes);
    for (int32_t i = 0; i < coarse_nodes; i++) {
        const int32_t node = i < coarse ? i : coarse;
        t->nearest[i] = (2 * node * fine + coarse) / (2 * coarse);
        for (int n = 0; n < VT_TAPS; n++) {
            t->tap[n][i] = 0;
            t->share[n][i] = 0;
        }
        if (i > 0 && i < coarse)
            make_taps(t, i, fine, coarse);
    }
    for (int32_t i = 0; i < fine_nodes; i++) {
        const int32_t node = i < fine ? i : fine, whole = node * coarse / fine;
        t->base[i] = whole < coarse ? whole : coarse - 1;
        t->fraction[i] = (float)((double)node * coarse / fine - t->base[i]);
    }
}

/* ---- levels ---- */

static void push_arrays(float *array[3], const vt_level *l, vt_arena *arena)
{
    const int64_t floats = l->plane * (l->cells[2] + 1) + 2 * MARGIN;
    for (int c = 0; c < 3; c++)
        array[c] = (float *)vti_arena_push(arena, sizeof(float) * (size_t)floats) + MARGIN;
}

static void make_level(vt_level *l, const int32_t cells[3], const vt_grid *grid, vt_arena *arena)
{
    const int64_t nodes = padded(cells[0] + 1);
    for (int axis = 0; axis < 3; axis++) {
        const double ratio = (double)cells[axis] / grid->cells[axis];
        l->cells[axis] = cells[axis];
        l->coupling[axis] = (float)(ratio * ratio);
    }
    l->row = padded(cells[0]) + VT_LANES;
    l->plane = l->row * (cells[1] + 1);
    for (int which = 0; which <= VT_ALL; which++) {
        l->inner[which] = vti_arena_push(arena, 4 * (size_t)nodes);
        for (int32_t i = 0; i < nodes; i++)
            l->inner[which][i] =
                i > 0 && i < cells[0] && (which == VT_ALL || i % 2 == which) ? -1 : 0;
    }
}

void vti_make_levels(vt_levels *levels, const vt_grid *grid, vt_arena *arena)
{
    int32_t cells[3];
    memcpy(cells, grid->cells, sizeof cells);
    *levels = (vt_levels){0};
    do {
        vt_level *const l = &levels->level[levels->count++];
        make_level(l, cells, grid, arena);
        if (levels->count == 1) {
            l->row = grid->row;
            l->plane = grid->plane;
            memcpy(l->potential, grid->field, sizeof l->potential);
        } else {
            for (int axis = 0; axis < 3; axis++)
                make_transfer(&l[-1].coarser[axis], l[-1].cells[axis], cells[axis], arena);
            push_arrays(l->potential, l, arena);
        }
        push_arrays(l->source, l, arena);
    } while (coarsen(cells));
}

size_t vti_levels_scratch(const int32_t cells[3], int threads)
{
    vt_grid grid = {.cells = {cells[0], cells[1], cells[2]}};
    int32_t n[3] = {cells[0], cells[1], cells[2]};
    vti_grid_pitches(&grid);
    size_t bytes = sizeof(float) * (size_t)(3 * grid.plane + grid.row) * (size_t)threads + PUSHED;
    do {
        const int first = n[2] == cells[2];
        const int64_t row = padded(n[0]) + VT_LANES;
        const int64_t plane = first ? grid.plane : row * (n[1] + 1);
        const int64_t nodes = padded(n[0] + 1) + padded(n[1] + 1) + padded(n[2] + 1);
        bytes +=
            (first ? 3 : 6) * (sizeof(float) * (size_t)(plane * (n[2] + 1) + 2 * MARGIN) + PUSHED);
        /* tables: 9 arrays for each axis, of at most so many nodes, and 3 masks */
        bytes += 4 * (size_t)(12 * nodes) + 30 * PUSHED;
    } while (coarsen(n));
    return bytes;
}
