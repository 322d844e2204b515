#include "panels/node_correction.h"

#include "model/quadratic_spline.h"
#include "panels/near_nodes.h"
#include "panels/panels.h"
#include "state/simulation.h"

enum { LISTED_BLOCK = 8 /* bins */, DEEP_BLOCK = 512 };

/* ---- what the grid alone has ---- */

static void sample_splines(const vt_grid *g, const float cell[3], float value[3])
{
    vt_spline_place x[3];
    f4 sum = {0, 0, 0, 0};
    for (int c = 0; c < 3; c++)
        x[c] = vti_spline_place(fmin(fmax((double)cell[c], 0), g->cells[c]), g->cells[c]);
    for (int64_t k = 0; k < 3; k++)
        for (int64_t j = 0; j < 3; j++) {
            const float share = (float)(x[2].weight[k] * x[1].weight[j]);
            const f4 *const row = g->nodes + (x[2].first + k) * g->node_plane +
                                  (x[1].first + j) * g->node_row + x[0].first;
            for (int i = 0; i < 3 && vti_is_filled(g, x[1].first + j, x[2].first + k); i++)
                sum += share * (float)x[0].weight[i] * row[i];
        }
    memcpy(value, &sum, 3 * sizeof *value);
}

void vti_sample_nodes(const vt_grid *g, const float cell[3], float value[3])
{
    if (g->fourth) {
        sample_splines(g, cell, value);
        return;
    }
    int64_t low[3];
    float weight[3];
    f4 sum = {0, 0, 0, 0};
    for (int c = 0; c < 3; c++) {
        const float inside = fminf(fmaxf(cell[c], 0), (float)g->cells[c] - 0.001f);
        low[c] = (int64_t)inside;
        weight[c] = inside - (float)low[c];
    }
    for (int n = 0; n < 8; n++) {
        const int64_t i = n & 1, j = n >> 1 & 1, k = n >> 2;
        const float share = (i ? weight[0] : 1 - weight[0]) * (j ? weight[1] : 1 - weight[1]) *
                            (k ? weight[2] : 1 - weight[2]);
        if (vti_is_filled(g, low[1] + j, low[2] + k))
            sum += share *
                   g->nodes[(low[2] + k) * g->node_plane + (low[1] + j) * g->node_row + low[0] + i];
    }
    memcpy(value, &sum, 3 * sizeof *value);
}

/* ---- points ---- */

typedef struct node_job {
    vt_simulation *s;
    const vt_near_nodes *near;
    float *velocity; /* the flow at all points, m/s */
} node_job;

/* Keeps the velocities of a listed bin. */
static void keep_bin(void *data, int64_t bin)
{
    enum { EDGE = VT_BIN_EDGE };
    const node_job *const job = data;
    const vt_grid *const g = &job->s->grid;
    const int32_t *const bins = job->near->patches.bins;
    const int64_t number = job->near->listed_bin[bin], i = number % bins[0] * EDGE;
    const int64_t j = number / bins[0] % bins[1] * EDGE, k = number / bins[0] / bins[1] * EDGE;
    const int64_t row = g->cells[0] + 1 - i < EDGE ? g->cells[0] + 1 - i : EDGE;
    for (int64_t z = k; z < k + EDGE && z <= g->cells[2]; z++)
        for (int64_t y = j; y < j + EDGE && y <= g->cells[1]; y++) {
            const int64_t at = z * g->node_plane + y * g->node_row + i;
            memcpy(job->s->panels.smooth + at, g->nodes + at, sizeof *g->nodes * (size_t)row);
        }
}

static void move_deep_nodes(void *data, int64_t begin, int64_t end)
{
    const node_job *const job = data;
    const vt_deep_node *const deep = job->near->deep;
    for (int64_t n = begin; n < end; n++) {
        double velocity[3];
        vti_wall_velocity(&job->s->panels.bodies[deep[n].body], deep[n].point, velocity);
        for (int c = 0; c < 3; c++)
            job->s->grid.nodes[deep[n].node][c] = (float)velocity[c];
    }
}

/* The flow that the grid has at the points of a bin. */
static void sample_bin(void *data, int64_t bin)
{
    const node_job *const job = data;
    const vt_grid *const g = &job->s->grid;
    const vt_near_bin *const b = &job->near->bins[bin];
    const vt_open_node *const open = job->near->open + b->first_open;
    const float *const point = job->near->point + 3 * b->first_point;
    float *const velocity = job->velocity + 3 * b->first_point;
    const int32_t sampled = b->ghosts + b->lifts, all = sampled + b->open;
    for (int32_t n = 0; n < sampled; n++)
        vti_sample_nodes(g, point + 3 * n, velocity + 3 * n);
    for (int32_t n = sampled; n < all; n++)
        memcpy(velocity + 3 * n, &g->nodes[open[n - sampled].node], 3 * sizeof *velocity);
    for (int32_t n = all; n % VT_LANES; n++)
        memset(velocity + 3 * n, 0, 3 * sizeof *velocity);
}

/* ---- nodes ---- */

/* The flow at the image of a ghost, its velocity towards the wall turned round. */
static void mirror_flow(const vt_paneled_body *b, const vt_ghost *g, const float velocity[3],
                        double value[3])
{
    double wall[3], flow[3];
    vti_wall_velocity(b, g->foot, wall);
    for (int c = 0; c < 3; c++)
        flow[c] = (double)velocity[c] - wall[c];
    for (int32_t m = 0; m < g->mirrors; m++)
        vti_add_scaled(flow, -2 * vti_dot(flow, g->normal[m]), g->normal[m]);
    for (int c = 0; c < 3; c++)
        value[c] = wall[c] + flow[c];
}

/* What flows through the wall at a node, by the flow that it is lifted to; the rest of its own
 * value stays. */
static void interpolate_to_wall(const vt_paneled_body *b, const vt_lift *l, const float above[3],
                                double value[3])
{
    double wall[3], change = 0;
    vti_wall_velocity(b, l->foot, wall);
    for (int c = 0; c < 3; c++) {
        const double there = (double)above[c] - wall[c], here = value[c] - wall[c];
        change += (l->share * there - here) * l->normal[c];
    }
    vti_add_scaled(value, change, l->normal);
}

/* Takes a value to the wall by a lift of a bin; -1: there is none. */
static void take_to_wall(const node_job *job, const vt_near_bin *b, int32_t lift, double value[3])
{
    if (lift < 0)
        return;
    const vt_lift *const l = &job->near->lifts[b->first_lift + lift];
    const float *const above = job->velocity + 3 * (b->first_point + b->ghosts + lift);
    interpolate_to_wall(&job->s->panels.bodies[l->body], l, above, value);
}

static void find_ghost_flow(const node_job *job, const vt_near_bin *b, int32_t n, double value[3])
{
    const vt_ghost *const g = &job->near->ghosts[b->first_ghost + n];
    mirror_flow(&job->s->panels.bodies[g->body], g, job->velocity + 3 * (b->first_point + n),
                value);
    take_to_wall(job, b, g->lift, value);
}

/* Of a node that is two ghosts the mean. */
static void write_ghosts(const node_job *job, const vt_near_bin *b)
{
    const vt_ghost *const ghosts = job->near->ghosts + b->first_ghost;
    for (int32_t n = 0, next; n < b->ghosts; n = next) {
        double value[3];
        find_ghost_flow(job, b, n, value);
        next = n + 1;
        if (next < b->ghosts && ghosts[next].node == ghosts[n].node) {
            double other[3];
            find_ghost_flow(job, b, next, other);
            for (int c = 0; c < 3; c++)
                value[c] = 0.5 * (value[c] + other[c]);
            next++;
        }
        for (int c = 0; c < 3; c++)
            job->s->grid.nodes[ghosts[n].node][c] = (float)value[c];
    }
}

static void write_bin(void *data, int64_t bin)
{
    const node_job *const job = data;
    const vt_near_bin *const b = &job->near->bins[bin];
    const float *const velocity = job->velocity + 3 * (b->first_point + b->ghosts + b->lifts);
    write_ghosts(job, b);
    for (int32_t n = 0; n < b->open; n++) {
        const vt_open_node *const open = &job->near->open[b->first_open + n];
        double value[3];
        vti_widen(velocity + 3 * n, value);
        take_to_wall(job, b, open->lift, value);
        for (int c = 0; c < 3; c++)
            job->s->grid.nodes[open->node][c] = (float)value[c];
    }
}

static int64_t count_deep(const vt_near_nodes *near)
{
    const vt_near_bin *const last = near->bins + near->listed_count - 1;
    return near->listed_count > 0 ? last->first_deep + last->deep : 0;
}

/* ---- pairs ---- */

/* Of what bodies and nodes at rest have to do with each other at most so much is kept; a slab of 3
 * x 3 m below a fire, 54 cells across, takes 30 MB. */
static const size_t most_kept = (size_t)256 << 20;

static void begin_counting(vt_near_nodes *near)
{
    const size_t blocks = (size_t)(near->point_count + VT_PAIRED - 1) / VT_PAIRED;
    near->plan.first = vti_arena_push(&near->arena, sizeof *near->plan.first * (blocks + 1));
    near->plan.first[0] = 0;
}

/* Makes room for the words that were counted, if there is any. */
static void make_room_for_words(vt_near_nodes *near)
{
    const int64_t blocks = (near->point_count + VT_PAIRED - 1) / VT_PAIRED;
    int64_t *const first = near->plan.first;
    for (int64_t b = 0; b < blocks; b++)
        first[b + 1] += first[b];
    const size_t bytes = sizeof *near->plan.words * (size_t)first[blocks];
    if (bytes <= most_kept)
        near->plan.words = vti_arena_push(&near->arena, bytes);
}

/* Adds what the grid lacks of the panels at all points. What rests for the first time is only
 * counted, for it may never come again; for the second it is kept, and from then on used. */
static void add_pairs(vt_simulation *s, float *velocity)
{
    vt_near_nodes *const near = &s->panels.near;
    const vt_stage_table *const stages = s->stages;
    const int threads = s->def.threads, is_new = !near->plan.first;
    const int64_t count = near->point_count;
    if (near->plan.words) {
        stages->planned_pairs(&near->patches, count, near->point, velocity, &near->plan, threads);
        return;
    }
    if (is_new)
        begin_counting(near);
    else
        make_room_for_words(near);
    stages->plan_pairs(&near->patches, count, near->point, velocity, &near->plan, threads);
}

void vti_correct_nodes(vt_simulation *s)
{
    vt_near_nodes *const near = &s->panels.near;
    const int threads = s->def.threads;
    const size_t nodes = (size_t)(s->grid.node_plane * (s->grid.cells[2] + 2));
    vti_find_near_nodes(s);
    s->panels.smooth = vti_arena_push(&s->panels.arena, sizeof *s->panels.smooth * nodes);
    const size_t mark = vti_arena_mark(&s->arena);
    node_job job = {.s = s, .near = near};
    job.velocity = vti_arena_push(&s->arena, 3 * sizeof *job.velocity * (size_t)near->point_count);
    vti_parallel_each(threads, near->listed_count, LISTED_BLOCK, keep_bin, &job);
    vti_parallel_for(threads, count_deep(near), DEEP_BLOCK, move_deep_nodes, &job);
    vti_parallel_each(threads, near->listed_count, LISTED_BLOCK, sample_bin, &job);
    add_pairs(s, job.velocity);
    vti_parallel_each(threads, near->listed_count, LISTED_BLOCK, write_bin, &job);
    vti_arena_pop(&s->arena, mark);
}
