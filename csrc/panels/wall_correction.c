#include "panels/wall_correction.h"

#include "model/quadratic_spline.h"
#include "panels/near_cells.h"
#include "panels/nearest_wall.h"
#include "panels/panels.h"
#include "panels/private.h"
#include "state/predicates.h"

/* Than a width, by more than rounding. */
#define VT_MORE 1.000001

enum { HOLD_BLOCK = 512, NEAR_BLOCK = 16384 };

/* ---- particles near walls ---- */

/* A point near a wall. */
typedef struct wall_point {
    int64_t row;
    const vt_paneled_body *body; /* the nearest body; NULL: none is near after all */
    double room, normal[3];
    float cell[3];
} wall_point;

typedef struct response_job {
    const vt_simulation *s;
    const float *points;
    float *velocity;
    const uint8_t *near_cell;
    float per_cell, base[3]; /* cell = point x per_cell - base */
    uint8_t *near;           /* for each of all points: whether it is near a wall */
    int64_t *first; /* first point of each block in `wall`; before that, how many points are near */
    wall_point *wall;
    double reach;  /* how far from a wall it matters to a point in the grid, m */
    int32_t *cell; /* of each of them the number of the cell where it takes the pairs itself; -1: it
                      does not */
    /* these, in the order of cells: in wall; their places, m and cells, the flow there, and whether
     * the grid has it */
    uint32_t *close;
    float *point, *place, *flow;
    uint8_t *inside;
} response_job;

/* The place of a point (m) in cells; returns whether it is in the grid. */
static inline int find_place(const response_job *job, const int32_t cells[3], const float point[3],
                             float place[3])
{
    int inside = 1;
    for (int c = 0; c < 3; c++) {
        place[c] = point[c] * job->per_cell - job->base[c];
        inside &= place[c] >= 0 && place[c] < (float)cells[c];
    }
    return inside;
}

static void find_near(void *data, int64_t begin, int64_t end)
{
    const response_job job = *(const response_job *)data; /* copies: stores cannot change them */
    const vt_grid grid = job.s->grid;
    const uint8_t outside = job.s->panels.outer_count > 0;
    int64_t found = 0;
    for (int64_t n = begin; n < end; n++) {
        float at[3];
        uint8_t near = outside;
        if (find_place(&job, grid.cells, job.points + 3 * n, at))
            near = job.near_cell[(int64_t)at[2] * grid.node_plane + (int64_t)at[1] * grid.node_row +
                                 (int64_t)at[0]];
        job.near[n] = near;
        found += near;
    }
    job.first[begin / NEAR_BLOCK] = found;
}

static void list_near(void *data, int64_t begin, int64_t end)
{
    const response_job *const job = data;
    int64_t w = job->first[begin / NEAR_BLOCK];
    for (int64_t n = begin; n < end; n++)
        if (job->near[n])
            job->wall[w++] = (wall_point){.row = n};
}

/* Returns how many points are near a wall. */
static int64_t find_wall_points(vt_simulation *s, response_job *job, int64_t count)
{
    const int64_t blocks = (count + NEAR_BLOCK - 1) / NEAR_BLOCK;
    int64_t found = 0;
    job->near = vti_arena_push(&s->arena, (size_t)count);
    job->first = vti_arena_push(&s->arena, sizeof *job->first * (size_t)blocks);
    vti_parallel_for(s->def.threads, count, NEAR_BLOCK, find_near, job);
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t here = job->first[b];
        job->first[b] = found;
        found += here;
    }
    job->wall = vti_arena_push(&s->arena, sizeof *job->wall * (size_t)found);
    job->cell = vti_arena_push(&s->arena, sizeof *job->cell * (size_t)found);
    vti_parallel_for(s->def.threads, count, NEAR_BLOCK, list_near, job);
    return found;
}

/* The first node that sampling meets along an axis. */
static int32_t first_node(const vt_simulation *s, int axis, float at)
{
    const int32_t cells = s->grid.cells[axis];
    const float inside = fminf(fmaxf(at, 0), (float)cells - 0.5f);
    return s->grid.fourth ? (int32_t)vti_spline_place((double)inside, cells).first
                          : (int32_t)inside;
}

/* Whether all nodes that sampling meets at a place in cells are kept, which it rounds in its own
 * way. */
static int is_kept(const vt_simulation *s, const float at[3])
{
    const float rounding = 1e-3f;
    const vt_panels *const p = &s->panels;
    const int32_t *const bins = p->near.patches.bins;
    const int32_t last = s->grid.fourth ? 2 : 1;
    int32_t low[3], high[3];
    for (int c = 0; c < 3; c++) {
        low[c] = first_node(s, c, at[c] - rounding) / VT_BIN_EDGE;
        high[c] = (first_node(s, c, at[c] + rounding) + last) / VT_BIN_EDGE;
    }
    for (int32_t k = low[2]; k <= high[2]; k++)
        for (int32_t j = low[1]; j <= high[1]; j++)
            for (int32_t i = low[0]; i <= high[0]; i++)
                if (p->near.slot[((int64_t)k * bins[1] + j) * bins[0] + i] == 0)
                    return 0;
    return 1;
}

/* Cells of listed bins, those of a bin one after the other: next to each other they are near. */
static int32_t number_of_cell(const vt_panels *p, int64_t bin, const float cell[3])
{
    int32_t within = 0;
    for (int c = 0; c < 3; c++) {
        const int32_t at = (int32_t)cell[c] % VT_BIN_EDGE;
        within |= (at & 1) << c | (at >> 1 & 1) << (3 + c);
    }
    return (int32_t)(p->near.slot[bin] - 1) * VT_BIN_NODES + within;
}

static void look_at_wall(void *data, int64_t n)
{
    const response_job *const job = data;
    const vt_simulation *const s = job->s;
    wall_point *const w = &job->wall[n];
    const float *const at = job->points + 3 * w->row;
    const double point[3] = {(double)at[0], (double)at[1], (double)at[2]};
    job->cell[n] = -1;
    const int inside = find_place(job, s->grid.cells, at, w->cell);
    const double within = inside ? job->reach : (double)INFINITY;
    const int64_t bin = vti_bin_at(&s->panels.near.patches, w->cell);
    w->room = vti_nearest_wall_of(s, bin, point, within, w->normal, &w->body);
    if (w->body && w->room < vt_pairs_within * s->grid.spacing && inside && is_kept(s, w->cell))
        job->cell[n] = number_of_cell(&s->panels, bin, w->cell);
}

/* Width of the bell at a point, m: outside the grid it grows with the patches there. */
static double width_at(const vt_simulation *s, const vt_paneled_body *b, const float point[3])
{
    const vt_grid *const g = &s->grid;
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double at = (double)point[c] / g->spacing - g->base[c];
        const double away = fmax(fmax(-at, at - g->cells[c]), 0);
        square += away * away;
    }
    const double most =
        square > 0 ? fmax(vt_widest_wall, vt_width_of_wall * vti_sqrt(square) / 2) : vt_widest_wall;
    return fmin(vt_width_of_wall * b->laid.scale * b->set->side, most * g->spacing);
}

/* Takes the velocity that passes the wall away from points beside it. */
static void respond_at_point(void *data, int64_t n)
{
    const response_job *const job = data;
    const vt_simulation *const s = job->s;
    const wall_point *const w = &job->wall[n];
    if (!w->body)
        return;
    const double width = width_at(s, w->body, job->points + 3 * w->row);
    if (w->room > 3 * width)
        return;
    double point[3], wall[3], through = 0;
    float *const velocity = job->velocity + 3 * w->row;
    for (int c = 0; c < 3; c++)
        point[c] = (double)job->points[3 * w->row + c];
    vti_wall_velocity(w->body, point, wall);
    for (int c = 0; c < 3; c++)
        through += ((double)velocity[c] - wall[c]) * w->normal[c];
    const double ratio = w->room > 0 ? w->room / width : 0;
    const double share = vti_exp(-ratio * ratio);
    for (int c = 0; c < 3; c++)
        velocity[c] -= (float)(through * share * w->normal[c]);
}

/* Points that take the pairs themselves, in the order of cells. Returns how many. */
static int64_t sort_by_cell(vt_simulation *s, int64_t count, const int32_t *cell, uint32_t *close)
{
    const size_t all = (size_t)s->panels.near.listed_count * VT_BIN_NODES;
    const size_t mark = vti_arena_mark(&s->arena);
    uint32_t *const first = vti_arena_push(&s->arena, 4 * (all + 1));
    memset(first, 0, 4 * (all + 1));
    for (int64_t n = 0; n < count; n++)
        if (cell[n] >= 0)
            first[cell[n] + 1]++;
    for (size_t n = 0; n < all; n++)
        first[n + 1] += first[n];
    const int64_t found = first[all];
    for (int64_t n = 0; n < count; n++)
        if (cell[n] >= 0)
            close[first[cell[n]]++] = (uint32_t)n;
    vti_arena_pop(&s->arena, mark);
    return found;
}

static void get_close(void *data, int64_t begin, int64_t end)
{
    const response_job *const job = data;
    for (int64_t n = begin; n < end; n++) {
        const wall_point *const w = &job->wall[job->close[n]];
        memcpy(job->point + 3 * n, job->points + 3 * w->row, sizeof w->cell);
        memcpy(job->place + 3 * n, w->cell, sizeof w->cell);
    }
}

static void put_close(void *data, int64_t begin, int64_t end)
{
    const response_job *const job = data;
    for (int64_t n = begin; n < end; n++)
        if (job->inside[n])
            memcpy(job->velocity + 3 * job->wall[job->close[n]].row, job->flow + 3 * n,
                   3 * sizeof *job->flow);
}

/* Close to a wall the velocity is that of the grid and of pairs, not what nodes on both sides give.
 */
static void take_pairs(vt_simulation *s, int64_t count, response_job *job)
{
    const int threads = s->def.threads;
    job->close = vti_arena_push(&s->arena, sizeof *job->close * (size_t)count);
    const int64_t close = sort_by_cell(s, count, job->cell, job->close);
    const size_t bytes = 3 * sizeof(float) * (size_t)close;
    job->point = vti_arena_push(&s->arena, bytes);
    job->place = vti_arena_push(&s->arena, bytes);
    job->flow = vti_arena_push(&s->arena, bytes);
    job->inside = vti_arena_push(&s->arena, (size_t)close);
    vt_grid smooth = s->grid;
    smooth.nodes = s->panels.smooth;
    memset(job->flow, 0, bytes); /* sampling leaves what lies outside */
    vti_parallel_for(threads, close, HOLD_BLOCK, get_close, job);
    s->stages->sample(&smooth, close, job->point, job->flow, job->inside, threads);
    s->stages->panel_pairs(&s->panels.near.patches, close, job->place, job->flow, threads);
    vti_parallel_for(threads, close, HOLD_BLOCK, put_close, job);
}

/* Rows of those of `count` wall points whose velocity may have changed, to *changed. */
static int64_t list_changed(int64_t count, const wall_point *wall, uint32_t *changed)
{
    int64_t found = 0;
    for (int64_t n = 0; n < count; n++)
        if (wall[n].body)
            changed[found++] = (uint32_t)wall[n].row;
    return found;
}

int64_t vti_cancel_normal_velocities(vt_simulation *s, int64_t count, const float *points,
                                     float *velocity, uint32_t *changed)
{
    if (!s->panels.exist)
        return 0;
    const size_t mark = vti_arena_mark(&s->arena);
    const int threads = s->def.threads;
    response_job job = {.s = s, .points = points, .velocity = velocity};
    job.near_cell = vti_cells_near_panels(s);
    job.per_cell = (float)(1 / s->grid.spacing);
    for (int c = 0; c < 3; c++)
        job.base[c] = (float)s->grid.base[c];
    job.reach = vt_pairs_within * s->grid.spacing;
    for (int32_t n = 0; n < s->panels.body_count; n++)
        job.reach = fmax(job.reach,
                         3 * vti_wall_width(s, &s->panels.bodies[n]) * s->grid.spacing * VT_MORE);
    const int64_t found = find_wall_points(s, &job, count);
    vti_parallel_each(threads, found, HOLD_BLOCK, look_at_wall, &job);
    take_pairs(s, found, &job);
    vti_parallel_each(threads, found, HOLD_BLOCK, respond_at_point, &job);
    const int64_t near = changed ? list_changed(found, job.wall, changed) : 0;
    vti_arena_pop(&s->arena, mark);
    return near;
}
