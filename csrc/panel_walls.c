/* What walls take from the velocities of particles beside them. */
#include <math.h>
#include <string.h>

#include "core/counting_sort.h"
#include "core/parallel.h"
#include "core/vec3.h"
#include "panel_parts.h"

enum { HOLD_BLOCK = 512, NEAR_BLOCK = 16384, PLANE_BLOCK = 4 };

/* How far from a wall, in cells, what passes it is taken away at most. */
static const double widest = 1.3;

/* Particles nearer than this to a wall sum over the panels themselves, in cells. */
static const double pairs_within = 1.5;

/* Of the side of a panel. */
static const double width_of_wall = 0.25;

/* ---- where the walls are ---- */

/* Bins of points as far from the centre of a body as a look at its walls may start. */
static void bins_of(const vt_simulation *s, const vt_paneled_body *b, int32_t low[3],
                    int32_t high[3])
{
    const double around = b->reach / s->grid.spacing + 3 * widest + 0.1; /* cells */
    double center[3];
    vt_to_cells(&s->grid, b->center, center);
    for (int c = 0; c < 3; c++) {
        const double last = s->panels.patches.bins[c] - 1;
        low[c] = (int32_t)fmin(fmax((center[c] - around) / VT_BIN_EDGE, 0), last);
        high[c] = (int32_t)fmin(fmax((center[c] + around) / VT_BIN_EDGE, 0), last);
    }
}

/* Counts the bodies of each bin, or with `fill` writes them, from the last on. */
static void enter_bodies(const vt_simulation *s, int fill)
{
    const vt_panels *const p = &s->panels;
    const int32_t *const bins = p->patches.bins;
    for (int32_t n = p->body_count - 1; n >= 0; n--) {
        int32_t low[3], high[3];
        bins_of(s, &p->bodies[n], low, high);
        for (int32_t k = low[2]; k <= high[2]; k++)
            for (int32_t j = low[1]; j <= high[1]; j++)
                for (int32_t i = low[0]; i <= high[0]; i++) {
                    uint32_t *const at = p->first_body + (k * bins[1] + j) * bins[0] + i;
                    if (fill)
                        p->bin_body[--*at] = n;
                    else
                        ++*at;
                }
    }
}

void vt_list_near_bodies(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    const int32_t *const bins = p->patches.bins;
    const size_t count = (size_t)bins[0] * (size_t)bins[1] * (size_t)bins[2];
    p->first_body = vt_arena_push(&p->arena, sizeof *p->first_body * (count + 1));
    memset(p->first_body, 0, sizeof *p->first_body * (count + 1));
    enter_bodies(s, 0);
    const uint32_t entries = vt_end_lists(p->first_body, count);
    p->bin_body = vt_arena_push(&p->arena, sizeof *p->bin_body * (size_t)entries);
    enter_bodies(s, 1);
}

double vt_nearest_wall(const vt_simulation *s, const double point[3], double within,
                       double normal[3], const vt_paneled_body **body)
{
    const vt_panels *const p = &s->panels;
    double least = INFINITY, nearest[3], place[3];
    vt_to_cells(&s->grid, point, place);
    const float cell[3] = {(float)place[0], (float)place[1], (float)place[2]};
    const int64_t bin = vt_bin_at(&p->patches, cell);
    for (uint32_t i = p->first_body[bin]; i < p->first_body[bin + 1]; i++) {
        const vt_paneled_body *const b = &p->bodies[p->bin_body[i]];
        const double limit = b->reach + within;
        double local[3], outward[3];
        if (vt_square_between(b->center, point) > limit * limit)
            continue;
        vt_pose_point_back(&b->pose, point, local);
        const double room = b->pose.scale * vt_body_room(b->body, local, outward);
        if (room < least) {
            least = room;
            memcpy(nearest, outward, sizeof nearest);
            *body = b;
        }
    }
    if (*body)
        vt_pose_direction(&(*body)->pose, nearest, normal);
    return least;
}

/* ---- cells near walls ---- */

/* Within how many cells of a wall of the body what passes it is taken away: width of the bell. */
static double wall_width(const vt_simulation *s, const vt_paneled_body *b)
{
    return fmin(width_of_wall * b->laid.scale * b->set->side / s->grid.spacing, widest);
}

/* How far inside the surface the centres of panels lie, m: those of round bodies are flat. A
 * plane's panels go where the grid is. */
static double find_bulge(const vt_paneled_body *b)
{
    double most = 0;
    for (int32_t i = 0; i < b->count && !b->set->open; i++)
        most = fmax(most, vt_abs(vt_body_room(b->body, b->set->center[i], NULL)));
    return b->pose.scale * most;
}

/* Beside edges and corners room is less than the distance from there, by as much at most. */
static float find_corner(const vt_body *body)
{
    int round = 1;
    for (int32_t n = 0; n < body->solid_count; n++)
        round &=
            body->solids[n].kind == VT_SHAPE_SPHERE || body->solids[n].kind == VT_SHAPE_CAPSULE;
    return round ? 1 : 1.74f;
}

/* Patches of a body, and how far from their planes points matter, in cells; from themselves,
 * `corner` times as far. */
typedef struct margins {
    const vt_patch *patch;
    int32_t count;
    float bulge, held, near, corner;
    int32_t (*range)[2]; /* planes of cells, the first and the last, of each */
} margins;

typedef struct mark_job {
    const vt_grid *grid;
    const margins *bodies;
    int32_t body_count;
    uint8_t *held, *near;
} mark_job;

/* Without the care that fminf and fmaxf take of what is no number. */
static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

/* Cells of a row (its place relative to the centre of the patch along y and z) that reach within a
 * distance of a patch and its plane. */
static void mark_row(const vt_grid *g, const vt_patch *p, float around, float most, float y,
                     float z, uint8_t *row)
{
    const float square = around * around - y * y - z * z;
    const float rest = p->normal[1] * y + p->normal[2] * z, along = p->normal[0];
    if (!(square > 0) || fabsf(rest) > most + fabsf(along) * around)
        return;
    float low = -sqrtf(square), high = -low;
    if (fabsf(along) > 1e-3f) {
        const float a = (-most - rest) / along, b = (most - rest) / along;
        low = larger(low, lesser(a, b));
        high = lesser(high, larger(a, b));
    }
    const float last = (float)g->cells[0] - 1;
    low = larger(p->center[0] - 0.51f + low, 0);
    high = lesser(p->center[0] - 0.49f + high, last);
    if (low <= high)
        memset(row + (int32_t)low, 1, (size_t)((int32_t)high - (int32_t)low) + 1);
}

/* How far along an axis cells may lie that reach within `beside` of the centre of a patch and
 * `above` of its plane: little across a wide one that is square to the axis. */
static float reach_along(const vt_patch *p, int axis, float beside, float above)
{
    const float along = fabsf(p->normal[axis]);
    const float across = fabsf(p->normal[(axis + 1) % 3]) + fabsf(p->normal[(axis + 2) % 3]);
    const float reach = above + across * beside;
    return 0.51f + (reach < along * beside ? reach / along : beside);
}

/* Half the diagonal of a cell. */
static const float half_cell = 0.87f;

/* How far from the centre of a patch cells may lie that are near it. */
static float reach_of(const margins *m, const vt_patch *p)
{
    const float size = larger(larger(p->length[0], p->length[1]), p->length[2]);
    return m->corner * (m->held + m->bulge) + m->near - m->held + 0.6f * size + half_cell;
}

/* The first and the last of `cells` along an axis within reach of a place. */
static void find_range(float center, float reach, int32_t cells, int32_t range[2])
{
    range[0] = (int32_t)larger(center - reach, 0);
    range[1] = (int32_t)lesser(larger(center + reach, -1), (float)cells - 1);
}

/* Those of a patch in the planes [begin, end) of cells. */
static void mark_patch(const mark_job *job, const margins *m, const vt_patch *p, int64_t begin,
                       int64_t end)
{
    const vt_grid *const g = job->grid;
    const float near = reach_of(m, p), held = near - (m->near - m->held);
    const float above = m->near + m->bulge + half_cell;
    int32_t range[2];
    find_range(p->center[1], reach_along(p, 1, near, above), g->cells[1], range);
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = range[0]; j <= range[1]; j++) {
            const int64_t row = k * g->node_plane + j * g->node_row;
            const float y = (float)j + 0.5f - p->center[1], z = (float)k + 0.5f - p->center[2];
            mark_row(g, p, near, above, y, z, job->near + row);
            mark_row(g, p, held, above - (m->near - m->held), y, z, job->held + row);
        }
}

/* The planes of cells in which something is near each patch. */
static void find_ranges(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const mark_job *const job = data;
    for (int64_t n = begin; n < end; n++) {
        const margins *const m = &job->bodies[n];
        for (int32_t i = 0; i < m->count; i++) {
            const vt_patch *const p = &m->patch[i];
            const float above = m->near + m->bulge + half_cell;
            find_range(p->center[2], reach_along(p, 2, reach_of(m, p), above), job->grid->cells[2],
                       m->range[i]);
        }
    }
}

static void mark_planes(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const mark_job *const job = data;
    const int64_t plane = job->grid->node_plane;
    memset(job->held + begin * plane, 0, (size_t)((end - begin) * plane));
    memset(job->near + begin * plane, 0, (size_t)((end - begin) * plane));
    for (int32_t n = 0; n < job->body_count; n++) {
        const margins *const m = &job->bodies[n];
        for (int32_t i = 0; i < m->count; i++) {
            const int64_t first = m->range[i][0], last = m->range[i][1];
            if (first < end && last >= begin)
                mark_patch(job, m, &m->patch[i], first > begin ? first : begin,
                           last + 1 < end ? last + 1 : end);
        }
    }
}

static void mark_cells(vt_simulation *s)
{
    enum { STEP = 1 }; /* cells that a particle may go before it is looked at again */
    vt_panels *const p = &s->panels;
    const vt_grid *const g = &s->grid;
    const int64_t planes = g->cells[2] + 1;
    if (p->near_cell)
        return;
    p->held_cell = vt_arena_push(&p->arena, (size_t)(planes * g->node_plane));
    p->near_cell = vt_arena_push(&p->arena, (size_t)(planes * g->node_plane));
    const size_t mark = vt_arena_mark(&s->arena);
    margins *const bodies = vt_arena_push(&s->arena, sizeof *bodies * (size_t)p->body_count);
    for (int32_t n = 0; n < p->body_count; n++) {
        const vt_paneled_body *const b = &p->bodies[n];
        const float held = (float)fmax(3 * wall_width(s, b), pairs_within);
        bodies[n] = (margins){.patch = p->patch + b->first_patch,
                              .count = b->patch_count,
                              .bulge = (float)(find_bulge(b) / g->spacing),
                              .held = held,
                              .near = held + STEP,
                              .corner = find_corner(b->body),
                              .range = vt_arena_push(&s->arena, 8 * (size_t)b->patch_count)};
    }
    mark_job job = {g, bodies, p->body_count, p->held_cell, p->near_cell};
    vt_parallel_for(s->def.threads, p->body_count, 1, find_ranges, &job);
    vt_parallel_for(s->def.threads, planes, PLANE_BLOCK, mark_planes, &job);
    vt_arena_pop(&s->arena, mark);
}

const uint8_t *vt_cells_near_panels(vt_simulation *s)
{
    if (!s->panels.exist)
        return NULL;
    mark_cells(s);
    return s->panels.near_cell;
}

/* ---- particles near walls ---- */

typedef struct mask_job {
    const vt_simulation *s;
    const float *points;
    uint8_t *near;
} mask_job;

/* The cell of a point (m); -1 outside the grid. */
static int64_t cell_of_point(const vt_simulation *s, const float point[3])
{
    const int32_t *const cells = s->grid.cells;
    int64_t cell[3];
    for (int c = 0; c < 3; c++) {
        const float at = point[c] * (float)(1 / s->grid.spacing) - (float)s->grid.base[c];
        if (!(at >= 0 && at < (float)cells[c]))
            return -1;
        cell[c] = (int64_t)at;
    }
    return cell[2] * s->grid.node_plane + cell[1] * s->grid.node_row + cell[0];
}

static void find_near(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const mask_job *const job = data;
    for (int64_t n = begin; n < end; n++) {
        const int64_t cell = cell_of_point(job->s, job->points + 3 * n);
        job->near[n] = cell >= 0 && job->s->panels.held_cell[cell];
    }
}

/* A point near a wall. */
typedef struct wall_point {
    int64_t row;
    const vt_paneled_body *body; /* the nearest; NULL: there is none after all */
    double room, normal[3];
    int32_t cell_number; /* where it takes the pairs itself; -1: it does not */
    float smooth[3];     /* what the grid alone has there */
    float cell[3];
} wall_point;

typedef struct hold_job {
    const vt_simulation *s;
    const float *points;
    float *velocity;
    wall_point *wall;
} hold_job;

/* The grid's own velocity at a point in cells; 0 where it is not kept. */
static int sample_smooth(const vt_simulation *s, const float at[3], float velocity[3])
{
    const vt_panels *const p = &s->panels;
    const int32_t *const bins = p->patches.bins;
    int32_t low[3];
    float weight[3];
    f4 sum = {0, 0, 0, 0};
    for (int c = 0; c < 3; c++) {
        low[c] = (int32_t)at[c];
        weight[c] = at[c] - (float)low[c];
    }
    for (int n = 0; n < 8; n++) {
        const int32_t i = low[0] + (n & 1), j = low[1] + (n >> 1 & 1), k = low[2] + (n >> 2);
        const int64_t bin =
            ((int64_t)(k / VT_BIN_EDGE) * bins[1] + j / VT_BIN_EDGE) * bins[0] + i / VT_BIN_EDGE;
        const int64_t slot = p->slot[bin];
        if (slot == 0)
            return 0;
        const int within =
            (k % VT_BIN_EDGE * VT_BIN_EDGE + j % VT_BIN_EDGE) * VT_BIN_EDGE + i % VT_BIN_EDGE;
        const float share = (n & 1 ? weight[0] : 1 - weight[0]) *
                            (n >> 1 & 1 ? weight[1] : 1 - weight[1]) *
                            (n >> 2 ? weight[2] : 1 - weight[2]);
        sum += share * p->smooth[(slot - 1) * VT_BIN_NODES + within];
    }
    memcpy(velocity, &sum, 3 * sizeof *velocity);
    return 1;
}

/* Cells of listed bins, those of a bin one after the other: next to each other they are near. */
static int32_t number_of_cell(const vt_simulation *s, const float cell[3])
{
    const vt_panels *const p = &s->panels;
    const int64_t bin = vt_bin_at(&p->patches, cell);
    int32_t within = 0;
    for (int c = 0; c < 3; c++) {
        const int32_t at = (int32_t)cell[c] % VT_BIN_EDGE;
        within |= (at & 1) << c | (at >> 1 & 1) << (3 + c);
    }
    return (int32_t)(p->slot[bin] - 1) * VT_BIN_NODES + within;
}

static void look_at_walls(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const hold_job *const job = data;
    const vt_simulation *const s = job->s;
    const double h = s->grid.spacing;
    for (int64_t n = begin; n < end; n++) {
        wall_point *const w = &job->wall[n];
        const float *const at = job->points + 3 * w->row;
        const double point[3] = {(double)at[0], (double)at[1], (double)at[2]};
        w->room = vt_nearest_wall(s, point, 3 * widest * h, w->normal, &w->body);
        if (!w->body || !(w->room < pairs_within * h))
            continue;
        for (int c = 0; c < 3; c++)
            w->cell[c] = at[c] * (float)(1 / h) - (float)s->grid.base[c];
        if (sample_smooth(s, w->cell, w->smooth))
            w->cell_number = number_of_cell(s, w->cell);
    }
}

/* Takes away what passes the wall. */
static void hold_points(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const hold_job *const job = data;
    const vt_simulation *const s = job->s;
    for (int64_t n = begin; n < end; n++) {
        const wall_point *const w = &job->wall[n];
        if (!w->body)
            continue;
        const double width = s->grid.spacing * wall_width(s, w->body);
        if (w->room > 3 * width)
            continue;
        double point[3], wall[3], through = 0;
        float *const velocity = job->velocity + 3 * w->row;
        for (int c = 0; c < 3; c++)
            point[c] = (double)job->points[3 * w->row + c];
        vt_rigid_velocity(w->body, point, wall);
        for (int c = 0; c < 3; c++)
            through += ((double)velocity[c] - wall[c]) * w->normal[c];
        const double ratio = w->room > 0 ? w->room / width : 0;
        const double share = vt_exp(-ratio * ratio);
        for (int c = 0; c < 3; c++)
            velocity[c] -= (float)(through * share * w->normal[c]);
    }
}

/* Points that take the pairs themselves, in the order of cells: to list. Returns how many. */
static int64_t sort_by_cell(vt_simulation *s, int64_t count, const wall_point *wall, uint32_t *list)
{
    const size_t all = (size_t)s->panels.listed_count * VT_BIN_NODES;
    const size_t mark = vt_arena_mark(&s->arena);
    uint32_t *const first = vt_arena_push(&s->arena, 4 * (all + 1));
    memset(first, 0, 4 * (all + 1));
    for (int64_t n = 0; n < count; n++)
        if (wall[n].cell_number >= 0)
            first[wall[n].cell_number + 1]++;
    for (size_t cell = 0; cell < all; cell++)
        first[cell + 1] += first[cell];
    const int64_t close = first[all];
    for (int64_t n = 0; n < count; n++)
        if (wall[n].cell_number >= 0)
            list[first[wall[n].cell_number]++] = (uint32_t)n;
    vt_arena_pop(&s->arena, mark);
    return close;
}

/* Close to a wall the velocity is that of the grid and of pairs, not what nodes on both sides give.
 */
static void take_pairs(vt_simulation *s, int64_t count, const wall_point *wall, float *velocity)
{
    const size_t mark = vt_arena_mark(&s->arena);
    uint32_t *const list = vt_arena_push(&s->arena, 4 * (size_t)count);
    const int64_t close = sort_by_cell(s, count, wall, list);
    float *const cells = vt_arena_push(&s->arena, 12 * (size_t)close);
    float *const u = vt_arena_push(&s->arena, 12 * (size_t)close);
    for (int64_t n = 0; n < close; n++) {
        memcpy(cells + 3 * n, wall[list[n]].cell, sizeof wall->cell);
        memcpy(u + 3 * n, wall[list[n]].smooth, sizeof wall->smooth);
    }
    s->stages->panel_pairs(&s->panels.patches, close, cells, u, s->def.threads);
    for (int64_t n = 0; n < close; n++)
        memcpy(velocity + 3 * wall[list[n]].row, u + 3 * n, 12);
    vt_arena_pop(&s->arena, mark);
}

void vt_hold_velocities(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    if (!s->panels.exist)
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    const int threads = s->def.threads;
    uint8_t *const near = vt_arena_push(&s->arena, (size_t)count);
    int64_t found = 0;
    mark_cells(s);
    mask_job mask = {.s = s, .points = points, .near = near};
    vt_parallel_for(threads, count, NEAR_BLOCK, find_near, &mask);
    for (int64_t n = 0; n < count; n++)
        found += near[n];
    hold_job job = {s, points, velocity,
                    vt_arena_push(&s->arena, sizeof *job.wall * (size_t)found)};
    for (int64_t n = 0, w = 0; n < count; n++)
        if (near[n])
            job.wall[w++] = (wall_point){.row = n, .cell_number = -1};
    vt_parallel_for(threads, found, HOLD_BLOCK, look_at_walls, &job);
    take_pairs(s, found, job.wall, velocity);
    vt_parallel_for(threads, found, HOLD_BLOCK, hold_points, &job);
    vt_arena_pop(&s->arena, mark);
}
