/* Health of the flow: invariants of the vortons and books of the fields, computed when asked for.
 * Sums run over fixed blocks and are merged in their order: the same bits for any thread count. */
#include <float.h>

#include "base/block_sums.h"
#include "base/status.h"
#include "conservation/body_forces.h"
#include "field/sample.h"
#include "field/solve.h"
#include "field/spline_values.h"
#include "kernels/grid/mirror.h"
#include "state/heat_budget.h"
#include "state/predicates.h"
#include "state/simulation.h"
#include "state/strength_sums.h"

enum {
    BLOCK = 8192,
    FAR = 6 /* from here on inwards the velocity, and differences of it, are of sixth order */
};

/* ---- over the vortons ---- */

typedef struct size_sums {
    double total, edge;
    double enstrophy; /* sum |alpha|^2 / V, m^3/s^2 */
    float farthest;   /* largest coordinate, m */
} size_sums;

typedef struct size_job {
    const vt_vortons *vortons;
    size_sums *block;
} size_job;

static void sum_sizes(void *data, int64_t begin, int64_t end)
{
    const size_job *const job = data;
    size_sums sums = {0, 0, 0, 0};
    for (int64_t i = begin; i < end; i++) {
        double alpha[3];
        for (int a = 0; a < 3; a++) {
            alpha[a] = (double)job->vortons->strength[3 * i + a];
            sums.farthest = fmaxf(sums.farthest, fabsf(job->vortons->position[3 * i + a]));
        }
        const double size = vti_sqrt(vti_dot(alpha, alpha));
        const double volume = (double)job->vortons->volume[i];
        sums.total += size;
        sums.edge += vti_cbrt(volume);
        sums.enstrophy += size * size / volume;
    }
    job->block[begin / BLOCK] = sums;
}

/* Returns the enstrophy that the vortons carry, 1/2 sum |alpha|^2 / V. */
static double add_vorton_sums(vt_simulation *s, vt_health *h)
{
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    const size_t mark = vti_arena_mark(&s->arena);
    size_job job = {&s->vortons,
                    vti_arena_push(&s->arena, sizeof(size_sums) * (size_t)(blocks + 1))};
    double total = 0, edge = 0, enstrophy = 0;
    float farthest = 0;
    const vt_strengths strengths = vti_sum_strengths(s, (const double[3]){0, 0, 0});
    const vt_impulse impulse = vti_impulse_of(&strengths);
    memcpy(h->strength, strengths.sum, sizeof h->strength);
    vti_split_impulse(&impulse, h->impulse, h->angular_impulse);
    vti_parallel_for(s->def.threads, count, BLOCK, sum_sizes, &job);
    for (int64_t b = 0; b < blocks; b++) {
        total += job.block[b].total;
        edge += job.block[b].edge;
        enstrophy += job.block[b].enstrophy;
        farthest = fmaxf(farthest, job.block[b].farthest);
    }
    h->strength_share = total > 0 ? vti_sqrt(vti_dot(h->strength, h->strength)) / total : 0;
    h->core_order = s->fields_exist ? 2 * vti_count_core_filters(s) : 0;
    const double core = s->fields_exist ? s->grid.core : s->smallest_core;
    if (count > 0 && core > 0) {
        h->overlap = edge / (double)count / core;
        h->rounding = ((double)nextafterf(farthest, FLT_MAX) - (double)farthest) / core;
    }
    vti_arena_pop(&s->arena, mark);
    return enstrophy / 2;
}

static void add_body_books(const vt_simulation *s, vt_health *h)
{
    vt_body_books books;
    vti_find_body_books(s, &books);
    memcpy(h->open_lines, books.open_lines, sizeof h->open_lines);
    vti_split_impulse(&books.bound, h->bound_impulse, h->bound_angular_impulse);
    vti_split_impulse(&books.momentum, h->momentum, h->angular_momentum);
    vti_split_impulse(&books.support, h->support_impulse, h->support_angular_impulse);
    vti_split_impulse(&s->impulses.buoyant, h->buoyant_impulse, h->buoyant_angular_impulse);
    vti_split_impulse(&s->impulses.forced, h->forced_impulse, h->forced_angular_impulse);
    vti_split_impulse(&s->impulses.outer, h->outer_impulse, h->outer_angular_impulse);
    vti_split_impulse(&s->impulses.hits, h->hit_impulse, h->hit_angular_impulse);
}

/* ---- over the nodes ---- */

typedef struct node_sums {
    double enstrophy, divergence, gradient, speed, velocity_divergence;
} node_sums;

typedef struct node_job {
    const vt_grid *grid;
    float *vorticity[3]; /* laid out as grid->field */
    node_sums *plane;
} node_job;

/* A component of A or of the vorticity at the node before (way -1) or after another; beyond a wall
 * it is that of the mirror image, which turns what lies along the wall. */
static inline double value_beside(const vt_grid *g, int walled, const float *values, int component,
                                  const int64_t node[3], int axis, int64_t way)
{
    int64_t n[3] = {node[0], node[1], node[2]};
    n[axis] += way;
    const int is_beyond = walled && (n[axis] < 0 || n[axis] > g->cells[axis]);
    if (is_beyond)
        n[axis] = vti_mirrored(n[axis], g->cells[axis]);
    const double value = (double)values[n[2] * g->plane + n[1] * g->row + n[0]];
    return is_beyond && axis != component ? -value : value;
}

/* Twice the slope of a component of the velocity across its own axis, by the differences of which
 * the velocity is made; what passes a wall turns in its image. */
static inline double flow_along(const vt_grid *g, int walled, int64_t m, const int64_t node[3],
                                int axis)
{
    static const double second[3] = {1, 0, 0}, sixth[3] = {1.5, -0.3, 1.0 / 30};
    const int64_t step[3] = {1, g->node_row, g->node_plane}, cells = g->cells[axis];
    const double *const weight = g->fourth ? sixth : second;
    double flow = 0;
    for (int64_t d = 1; d <= (g->fourth ? 3 : 1); d++)
        for (int64_t way = -1; way <= 1; way += 2) {
            const int64_t wanted = node[axis] + way * d;
            const int64_t found = walled ? vti_mirrored(wanted, cells) : wanted;
            const double u = (double)g->nodes[m + (found - node[axis]) * step[axis]][axis];
            flow += (double)way * weight[d - 1] * (found == wanted ? u : -u);
        }
    return flow;
}

/* Of a room (walled), or of free space, where nothing within reach is mirrored. */
static inline void sum_node(const node_job *job, int walled, int64_t k, int64_t j, int64_t i,
                            node_sums *sums)
{
    const vt_grid *const g = job->grid;
    const int64_t n = k * g->plane + j * g->row + i, node[3] = {i, j, k};
    const int64_t m = k * g->node_plane + j * g->node_row + i;
    double divergence = 0, flow = 0, speed = 0, share = 1; /* of the cell around the node */
    int is_far = 1;
    for (int c = 0; c < 3; c++) {
        share *= walled ? vti_share_before_walls(node[c], g->cells[c]) : 1;
        is_far &= walled || !g->fourth || (node[c] >= FAR && node[c] <= g->cells[c] - FAR);
    }
    for (int c = 0; c < 3; c++) {
        const double vorticity = job->vorticity[c][n];
        sums->enstrophy += share * vorticity * vorticity;
        for (int a = 0; a < 3; a++) {
            const double d = value_beside(g, walled, job->vorticity[c], c, node, a, 1) -
                             value_beside(g, walled, job->vorticity[c], c, node, a, -1);
            sums->gradient += share * d * d;
            divergence += a == c ? d : 0;
        }
        if (is_far)
            flow += flow_along(g, walled, m, node, c);
        speed += (double)g->nodes[m][c] * (double)g->nodes[m][c];
    }
    sums->divergence += share * divergence * divergence;
    sums->velocity_divergence = fmax(sums->velocity_divergence, fabs(flow) / 2);
    sums->speed = fmax(sums->speed, speed);
}

/* Two cells and more inside, where all differences are central (those of the velocity of fourth
 * order: FAR); in a room they are so up to the walls. */
static void sum_plane(void *data, int64_t k)
{
    const node_job *const job = data;
    const vt_grid *const g = job->grid;
    const int64_t from = g->walled ? 0 : 2;
    node_sums sums = {0};
    if (k >= from && k <= g->cells[2] - from)
        for (int64_t j = from; j <= g->cells[1] - from; j++)
            for (int64_t i = from; i <= g->cells[0] - from; i++)
                g->walled ? sum_node(job, 1, k, j, i, &sums) : sum_node(job, 0, k, j, i, &sums);
    job->plane[k] = sums;
}

/* The vorticity at a place, between the nodes around it; the arrays of a node_job. */
static void vorticity_at(const node_job *job, const double place[3], double vorticity[3])
{
    const vt_grid *const g = job->grid;
    const int64_t step[3] = {1, g->row, g->plane};
    int64_t node = 0;
    double part[3];
    for (int a = 0; a < 3; a++) {
        const double x = place[a] / g->spacing - g->base[a];
        const double cell = fmin(fmax(floor(x), 0), g->cells[a] - 1);
        part[a] = fmin(fmax(x - cell, 0), 1);
        node += (int64_t)cell * step[a];
    }
    memset(vorticity, 0, 3 * sizeof *vorticity);
    for (int corner = 0; corner < 8; corner++) {
        int64_t n = node;
        double weight = 1;
        for (int a = 0; a < 3; a++) {
            const int above = corner >> a & 1;
            n += above ? step[a] : 0;
            weight *= above ? part[a] : 1 - part[a];
        }
        for (int c = 0; c < 3; c++)
            vorticity[c] += weight * (double)job->vorticity[c][n];
    }
}

typedef struct resolved_job {
    const node_job *nodes;
    const vt_vortons *vortons;
} resolved_job;

/* |alpha|, volume x |omega| at the vorton, and |alpha| x the share of omega that is its own: that
 * in the middle of a Gaussian core, |alpha| / ((2 pi)^1.5 core^3). */
static void sum_resolved(void *data, int64_t begin, int64_t end, double *sum)
{
    const resolved_job *const job = data;
    const double middle = vti_core_volume(job->nodes->grid->core);
    for (int64_t i = begin; i < end; i++) {
        double place[3], alpha[3], omega[3];
        for (int a = 0; a < 3; a++) {
            place[a] = (double)job->vortons->position[3 * i + a];
            alpha[a] = (double)job->vortons->strength[3 * i + a];
        }
        const double size = vti_sqrt(vti_dot(alpha, alpha));
        vorticity_at(job->nodes, place, omega);
        const double resolved = vti_sqrt(vti_dot(omega, omega));
        sum[0] += size;
        sum[1] += (double)job->vortons->volume[i] * resolved;
        sum[2] += size < middle * resolved ? size * size / (middle * resolved) : size;
    }
}

static void compare_with_grid(vt_simulation *s, const node_job *nodes, vt_health *h)
{
    resolved_job job = {nodes, &s->vortons};
    double sum[3];
    vti_sum_blocks(&s->arena, s->def.threads, s->vortons.set.count, BLOCK, sum_resolved, &job, 3,
                   sum);
    h->strength_excess = sum[1] > 0 ? sum[0] / sum[1] : 0;
    h->own_vorticity = sum[0] > 0 ? sum[2] / sum[0] : 0;
}

typedef struct energy_job {
    const vt_grid *grid;
    const float *potential, *vorticity; /* one component of each */
} energy_job;

/* A . omega over the nodes of a plane. */
static void sum_energy(void *data, int64_t k, int64_t end, double *sum)
{
    const energy_job *const job = data;
    const vt_grid *const g = job->grid;
    const int64_t from = g->walled ? 0 : 2;
    (void)end;
    for (int64_t j = from; j <= g->cells[1] - from && k >= from && k <= g->cells[2] - from; j++) {
        const int64_t row = k * g->plane + j * g->row;
        const double share =
            vti_share_before_walls(j, g->cells[1]) * vti_share_before_walls(k, g->cells[2]);
        for (int64_t i = from; i <= g->cells[0] - from; i++)
            sum[0] += share * vti_share_before_walls(i, g->cells[0]) *
                      (double)job->potential[row + i] * (double)job->vorticity[row + i];
    }
}

/* 1/2 integral of A . omega, from the potential itself. */
static double find_energy(vt_simulation *s, float *const vorticity[3])
{
    const vt_grid *const g = &s->grid;
    const int64_t planes = g->cells[2] + 1;
    const size_t mark = vti_arena_mark(&s->arena);
    float *const values =
        g->fourth ? vti_arena_push(&s->arena, sizeof *values * (size_t)(g->plane * planes)) : NULL;
    double energy = 0;
    for (int c = 0; c < 3; c++) {
        energy_job job = {g, values ? values : g->field[c], vorticity[c]};
        double sum[1];
        if (values)
            vti_find_potential_values(s, g, c, values);
        vti_sum_blocks(&s->arena, s->def.threads, planes, 1, sum_energy, &job, 1, sum);
        energy += sum[0];
    }
    vti_arena_pop(&s->arena, mark);
    return energy / 2;
}

static void add_node_sums(vt_simulation *s, vt_health *h)
{
    const vt_grid *const g = &s->grid;
    const int64_t planes = g->cells[2] + 1;
    const size_t mark = vti_arena_mark(&s->arena);
    const double volume = g->spacing * g->spacing * g->spacing;
    node_job job = {.grid = g};
    node_sums all = {0};
    for (int c = 0; c < 3; c++)
        job.vorticity[c] = vti_arena_push(&s->arena, sizeof(float) * (size_t)(g->plane * planes));
    vti_find_source(s, VT_NODES_VORTICITY, 1 / volume, job.vorticity);
    job.plane = vti_arena_push(&s->arena, sizeof(node_sums) * (size_t)planes);
    vti_parallel_each(s->def.threads, planes, 1, sum_plane, &job);
    for (int64_t k = 0; k < planes; k++) {
        all.enstrophy += job.plane[k].enstrophy;
        all.divergence += job.plane[k].divergence;
        all.gradient += job.plane[k].gradient;
        all.speed = fmax(all.speed, job.plane[k].speed);
        all.velocity_divergence = fmax(all.velocity_divergence, job.plane[k].velocity_divergence);
    }
    h->energy = find_energy(s, job.vorticity) * volume;
    h->enstrophy = all.enstrophy / 2 * volume;
    h->largest_divergence = all.speed > 0 ? all.velocity_divergence / sqrt(all.speed) : 0;
    h->vorticity_divergence = all.gradient > 0 ? sqrt(all.divergence / all.gradient) : 0;
    compare_with_grid(s, &job, h);
    vti_arena_pop(&s->arena, mark);
}

/* ---- the residual of the last solution ---- */

typedef struct residual_job {
    const vt_grid *grid;
    float *source[3];
} residual_job;

/* a at the two nodes so many steps away. */
static inline double both_sides(const float *a, int64_t step)
{
    return (double)a[-step] + (double)a[step];
}

/* What the solver makes the source of (kernels/poisson/poisson_direct.c): D_x + D_y + D_z, minus
 * the second differences, and (D_x D_x + D_y D_y + D_x D_y) / 6 where they are of fourth order. */
static inline double minus_laplacian(const vt_grid *g, int fourth, const float *a)
{
    const int64_t x = 1, y = g->row, z = g->plane;
    const double flat = both_sides(a, x) + both_sides(a, y), upright = both_sides(a, z);
    if (!fourth)
        return 6 * (double)a[0] - flat - upright;
    const double far =
        both_sides(a, 2 * x) + both_sides(a, 2 * y) + both_sides(a, x + y) + both_sides(a, x - y);
    return 26.0 / 3 * (double)a[0] - 2 * flat - upright + far / 6;
}

enum { LINE = 64 }; /* nodes whose residuals are found in vectors before they are summed */

/* Squares of the residual and of the source at `count` nodes of a line. */
static inline void sum_line(const vt_grid *g, int fourth, const float *a, const float *source,
                            int64_t count, double *sum)
{
    double residual[LINE];
    for (int64_t i = 0; i < count; i++)
        residual[i] = (double)source[i] - minus_laplacian(g, fourth, a + i);
    for (int64_t i = 0; i < count; i++) {
        sum[0] += residual[i] * residual[i];
        sum[1] += (double)source[i] * (double)source[i];
    }
}

/* Squares of the residual and of the source, of the nodes of a plane. */
static void sum_residuals(void *data, int64_t k, int64_t end, double *sum)
{
    const residual_job *const job = data;
    const vt_grid *const g = job->grid;
    const int64_t from = 1 + g->fourth, last = g->cells[0] - from;
    (void)end;
    for (int c = 0; c < 3 && k > 0 && k < g->cells[2]; c++)
        for (int64_t j = from; j <= g->cells[1] - from; j++)
            for (int64_t i = from; i <= last; i += LINE) {
                const int64_t n = k * g->plane + j * g->row + i;
                const int64_t count = last + 1 - i < LINE ? last + 1 - i : LINE;
                const float *const a = g->field[c] + n, *const source = job->source[c] + n;
                g->fourth ? sum_line(g, 1, a, source, count, sum)
                          : sum_line(g, 0, a, source, count, sum);
            }
}

static double find_residual(vt_simulation *s)
{
    const vt_grid *const g = &s->grid;
    const size_t mark = vti_arena_mark(&s->arena);
    residual_job job = {.grid = g};
    double sum[2];
    for (int c = 0; c < 3; c++)
        job.source[c] =
            vti_arena_push(&s->arena, sizeof(float) * (size_t)(g->plane * (g->cells[2] + 1)));
    vti_find_source(s, VT_NODES_SPLINES, 1 / g->spacing, job.source);
    vti_sum_blocks(&s->arena, s->def.threads, s->grid.cells[2] + 1, 1, sum_residuals, &job, 2, sum);
    vti_arena_pop(&s->arena, mark);
    return sum[1] > 0 ? sqrt(sum[0] / sum[1]) : 0;
}

vt_status vt_get_health(vt_simulation *s, vt_health *health)
{
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = vti_solve_current(s);
    if (!status) {
        vt_health h = {.vortons = s->vortons.set.count,
                       .tracers = s->tracers.set.count,
                       .substeps = s->last_substeps,
                       .unbalanced = s->unbalanced,
                       .contacts = s->contacts.held,
                       .contact_looks = s->contacts.looks,
                       .heat = vti_find_heat(s),
                       .heat_released = s->heat.released,
                       .heat_radiated = s->heat.radiated,
                       .heat_mixed = s->heat.mixed,
                       .heat_bodies = s->heat.bodies,
                       .heat_brought = s->heat.brought};
        if (vti_keeps_heat_books(s)) /* what a user has changed since the last step */
            h.heat_brought += h.heat - s->heat.known;
        const vt_largest most = vti_find_largest(&s->extremes);
        h.largest_gradient = most.gradient;
        h.largest_speed = most.speed;
        h.bounded_share = h.vortons > 0 ? (double)most.bounded / (double)h.vortons : 0;
        const double carried = add_vorton_sums(s, &h);
        add_body_books(s, &h);
        if (s->fields_exist) {
            for (int a = 0; a < 3; a++)
                h.grid[a] = s->grid.cells[a] + 1;
            h.spacing = s->grid.spacing;
            add_node_sums(s, &h);
            h.noise = h.enstrophy > 0 ? carried / h.enstrophy : 0;
            h.poisson_residual = find_residual(s);
        } else if (!vti_has_grid(s)) {
#define VT_HEALTH(name, type, unit, description)
#define VT_HEALTH_VECTOR(name, type, unit, description)
#define VT_HEALTH_OF_GRID(name) h.name = NAN;
#include "vorton/health.def"
        }
        status = vti_hand_out(health, &h, sizeof h);
    }
    return vti_leave(s, status);
}
