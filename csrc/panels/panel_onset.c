#include "panels/panel_onset.h"

#include "model/quadratic_spline.h"
#include "panels/panels.h"
#include "panels/patches.h"
#include "state/simulation.h"
#include "state/wind_at_time.h"

enum { PANEL_BLOCK = 32 };

/* curl A + grad phi at a node, times 2 h. */
static void node_velocity(const vt_grid *g, int64_t at, float u[3])
{
    const int64_t apart[3] = {1, g->row, g->plane};
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        const float *const y = g->field[c] + at, *const z = g->field[b] + at;
        u[a] = y[apart[b]] - y[-apart[b]] - (z[apart[c]] - z[-apart[c]]);
        if (g->has_potential)
            u[a] += g->field[3][at + apart[a]] - g->field[3][at - apart[a]];
    }
}

/* Adds the slopes of a field along x, y and z that three nodes of a row make. */
static void add_row(const float *field, const vt_spline_place x[3], int j, int k, double slope[3])
{
    const double *const w = x[0].weight, *const d = x[0].slope;
    const double f[3] = {(double)field[0], (double)field[1], (double)field[2]};
    const double value = w[0] * f[0] + w[1] * f[1] + w[2] * f[2];
    slope[0] += x[1].weight[j] * x[2].weight[k] * (d[0] * f[0] + d[1] * f[1] + d[2] * f[2]);
    slope[1] += x[1].slope[j] * x[2].weight[k] * value;
    slope[2] += x[1].weight[j] * x[2].slope[k] * value;
}

/* curl A + grad phi of the splines whose coefficients the nodes hold. */
static void differentiate_splines(const vt_grid *g, const double cell[3], float velocity[3])
{
    vt_spline_place x[3];
    double slope[4][3] = {{0}}; /* of each field */
    const int fields = g->has_potential ? 4 : 3;
    for (int c = 0; c < 3; c++)
        x[c] = vti_spline_place(fmin(fmax(cell[c], 0), g->cells[c]), g->cells[c]);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) {
            const int64_t at = (x[2].first + k) * g->plane + (x[1].first + j) * g->row + x[0].first;
            for (int f = 0; f < fields; f++)
                add_row(g->field[f] + at, x, j, k, slope[f]);
        }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        velocity[a] = (float)((slope[c][b] - slope[b][c] + slope[3][a]) / g->spacing);
    }
}

/* Curl A + grad phi: interpolated along each axis; points near the faces take the value a little
 * farther in. */
static void sample_potentials(const vt_grid *g, const double point[3], float velocity[3])
{
    double cell[3], weight[3];
    int64_t node[3];
    vti_to_cells(g, point, cell);
    if (g->fourth) {
        differentiate_splines(g, cell, velocity);
        return;
    }
    for (int c = 0; c < 3; c++) {
        const double inside = fmin(fmax(cell[c], 1), g->cells[c] - 2);
        node[c] = (int64_t)inside;
        weight[c] = inside - (double)node[c];
    }
    double sum[3] = {0, 0, 0};
    for (int n = 0; n < 8; n++) {
        const int64_t i = n & 1, j = n >> 1 & 1, k = n >> 2;
        const double share = (i ? weight[0] : 1 - weight[0]) * (j ? weight[1] : 1 - weight[1]) *
                             (k ? weight[2] : 1 - weight[2]);
        float u[3];
        node_velocity(g, (node[2] + k) * g->plane + (node[1] + j) * g->row + node[0] + i, u);
        for (int c = 0; c < 3; c++)
            sum[c] += share * (double)u[c];
    }
    for (int c = 0; c < 3; c++)
        velocity[c] = (float)(sum[c] / (2 * g->spacing));
}

static int is_outside(const vt_grid *g, const double point[3])
{
    double cell[3];
    int outside = 0;
    vti_to_cells(g, point, cell);
    for (int c = 0; c < 3; c++)
        outside |= !(cell[c] >= 0 && cell[c] <= g->cells[c]);
    return outside;
}

/* Velocity at those of the points (count x 3, m) that lie outside the grid, by the moments. */
static void look_outside(vt_simulation *s, int has_potential, int64_t count, const float *points,
                         float *velocity)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const double angle = s->def.method.opening_angle;
    const int threads = s->def.threads;
    uint32_t *const list = vti_arena_push(&s->arena, 4 * (size_t)count);
    float *const at = vti_arena_push(&s->arena, 12 * (size_t)count);
    float *const u = vti_arena_push(&s->arena, 12 * (size_t)count);
    int64_t found = 0;
    for (int64_t n = 0; n < count; n++) {
        const float *const x = points + 3 * n;
        if (!is_outside(&s->grid, (double[3]){(double)x[0], (double)x[1], (double)x[2]}))
            continue;
        memcpy(at + 3 * found, x, 12);
        list[found++] = (uint32_t)n;
    }
    if (found > 0)
        s->stages->far_velocity(&s->grid, &s->moments, angle, found, at, u, threads);
    if (found > 0 && has_potential)
        s->stages->far_gradient(&s->grid, &s->charges, angle, found, at, u, threads);
    for (int64_t n = 0; n < found; n++)
        memcpy(velocity + 3 * (int64_t)list[n], u + 3 * n, 12);
    vti_arena_pop(&s->arena, mark);
}

void vti_vortical_velocity(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    vt_grid grid = s->grid;
    grid.has_potential = 0;
    for (int64_t n = 0; n < count; n++) {
        double point[3];
        vti_widen(points + 3 * n, point);
        sample_potentials(&grid, point, velocity + 3 * n);
    }
    look_outside(s, 0, count, points, velocity);
}

static void sample_block(void *data, int64_t begin, int64_t end)
{
    const vt_simulation *const s = data;
    for (int64_t i = begin; i < end; i++)
        sample_potentials(&s->grid, s->panels.center[i], s->panels.onset + 3 * i);
}

void vti_find_onset(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    const size_t mark = vti_arena_mark(&s->arena);
    float *const points = vti_arena_push(&s->arena, 12 * (size_t)p->count);
    vti_parallel_for(s->def.threads, p->count, PANEL_BLOCK, sample_block, s);
    for (int64_t i = 0; i < 3 * (int64_t)p->count; i++)
        points[i] = (float)p->center[i / 3][i % 3];
    look_outside(s, s->grid.has_potential, p->count, points, p->onset);
    vti_add_wind_grids(s, p->count, points, p->onset, NULL);
    vti_arena_pop(&s->arena, mark);
}

/* ---- within panels that take means ---- */

enum { PATCH_BLOCK = 256 };

typedef struct patch_job {
    const vt_simulation *s;
    const uint32_t *patch; /* number of each patch of such panels */
    float *points, *velocity;
} patch_job;

static void look_at_patch(void *data, int64_t i)
{
    const patch_job *const job = data;
    const vt_grid *const g = &job->s->grid;
    const vt_patch *const patch = &job->s->panels.patch[job->patch[i]];
    double point[3];
    vti_from_cells(g, patch->center, point);
    for (int c = 0; c < 3; c++)
        job->points[3 * i + c] = (float)point[c];
    sample_potentials(g, point, job->velocity + 3 * i);
}

/* Numbers of the patches of panels that take means, panel by panel; returns how many. */
static int64_t list_patches(const vt_panels *p, uint32_t *list)
{
    int64_t found = 0;
    for (const vt_paneled_body *b = p->bodies; b < p->bodies + p->body_count; b++) {
        const int32_t all = b->first_patch + b->patch_count;
        for (int32_t n = b->first_patch, end; n < all; n = end) {
            end = vti_end_of_panel(p, n, all);
            for (int32_t k = n; k < end && vti_takes_mean(b, end - n); k++)
                list[found++] = (uint32_t)k;
        }
    }
    return found;
}

/* By how much the velocity of the vortons at a point `depth` (m) under a panel differs from that at
 * the panel. */
static void find_change_below(const vt_simulation *s, const double point[3], const double normal[3],
                              double depth, double change[3])
{
    vt_grid grid = s->grid;
    double below[3];
    float inside[3], outside[3];
    memcpy(below, point, sizeof below);
    vti_add_scaled(below, -depth, normal);
    grid.has_potential = 0;
    memset(change, 0, 3 * sizeof *change);
    if (is_outside(&grid, point))
        return;
    sample_potentials(&grid, below, inside);
    sample_potentials(&grid, point, outside);
    for (int c = 0; c < 3; c++)
        change[c] = (double)inside[c] - (double)outside[c];
}

/* The first patch of a body that is not of a panel before that. */
static int32_t find_patch(const vt_panels *p, const vt_paneled_body *b, int32_t panel)
{
    int32_t low = b->first_patch, high = b->first_patch + b->patch_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if ((int32_t)p->panel[middle] < panel)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void vti_change_under_panel(const vt_simulation *s, const vt_paneled_body *b, int32_t panel,
                            double depth, double change[3])
{
    const vt_panels *const p = &s->panels;
    const int32_t all = b->first_patch + b->patch_count, first = find_patch(p, b, panel);
    const int32_t end = first < all ? vti_end_of_panel(p, first, all) : first;
    double area = 0, sum[3] = {0};
    if (!vti_is_wide(b, end - first) || (int32_t)p->panel[first] != panel) {
        find_change_below(s, p->center[panel], p->normal[panel], depth, change);
        return;
    }
    for (int32_t i = first; i < end; i++) {
        double point[3], here[3];
        vti_from_cells(&s->grid, p->patch[i].center, point);
        find_change_below(s, point, p->normal[panel], depth, here);
        vti_add_scaled(sum, (double)p->patch[i].area, here);
        area += (double)p->patch[i].area;
    }
    for (int c = 0; c < 3; c++)
        change[c] = sum[c] / area;
}

/* A panel of count patches, with the velocities there: it takes the mean of these, as the matrix
 * has it that as much as is to passes it as a whole (geometry/panel_matrix.h). */
static void take_mean(vt_simulation *s, int64_t count, const patch_job *job)
{
    vt_panels *const p = &s->panels;
    const int64_t panel = p->panel[job->patch[0]];
    double area = 0, mean[3] = {0};
    for (int64_t i = 0; i < count; i++) {
        const double weight = (double)p->patch[job->patch[i]].area;
        area += weight;
        for (int c = 0; c < 3; c++)
            mean[c] += weight * (double)job->velocity[3 * i + c];
    }
    for (int c = 0; c < 3; c++)
        p->onset[3 * panel + c] = (float)(mean[c] / area);
}

/* Of a wide panel: what passes a patch beyond the mean a flat wall turns back by twice as much,
 * since others within the wall do nothing to it. */
static void spread_density(vt_simulation *s, vt_paneled_body *b, int64_t count,
                           const patch_job *job)
{
    vt_panels *const p = &s->panels;
    const uint32_t *const patch = job->patch;
    const double *const normal = p->normal[p->panel[patch[0]]];
    const double square = s->grid.spacing * s->grid.spacing;
    double sum = 0, area = 0;
    for (int64_t i = 0; i < count; i++) {
        const double weight = (double)p->patch[patch[i]].area;
        double point[3], through[3];
        for (int c = 0; c < 3; c++)
            point[c] = (double)job->points[3 * i + c];
        vti_wall_velocity(b, point, through);
        for (int c = 0; c < 3; c++)
            through[c] -= (double)job->velocity[3 * i + c];
        p->excess[patch[i]] = (float)vti_dot(through, normal);
        sum += weight * vti_dot(through, normal);
        area += weight;
    }
    for (int64_t i = 0; i < count; i++) {
        const double excess = 2 * ((double)p->excess[patch[i]] - sum / area);
        const double charge = excess * (double)p->patch[patch[i]].area * square;
        p->excess[patch[i]] = (float)excess;
        double arm[3];
        for (int c = 0; c < 3; c++)
            arm[c] = (double)job->points[3 * i + c] - b->center[c];
        vti_add_scaled(b->wide_dipole, charge, arm);
        vti_add_lagally_force(arm, charge, job->velocity + 3 * i, &b->wide_force);
    }
}

void vti_find_excess(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    const size_t mark = vti_arena_mark(&s->arena), room = (size_t)p->patch_count;
    uint32_t *const list = vti_arena_push(&s->arena, 4 * room);
    const int64_t found = list_patches(p, list);
    patch_job job = {s, list, vti_arena_push(&s->arena, 12 * (size_t)found),
                     vti_arena_push(&s->arena, 12 * (size_t)found)};
    memset(p->excess, 0, sizeof *p->excess * room);
    for (int32_t n = 0; n < p->body_count; n++) {
        p->bodies[n].wide_force = (vt_impulse){{0}, {0}};
        memset(p->bodies[n].wide_dipole, 0, sizeof p->bodies[n].wide_dipole);
    }
    vti_parallel_each(s->def.threads, found, PATCH_BLOCK, look_at_patch, &job);
    if (found > 0) {
        look_outside(s, s->grid.has_potential, found, job.points, job.velocity);
        vti_add_wind_grids(s, found, job.points, job.velocity, NULL);
    }
    int32_t body = 0;
    for (int64_t i = 0, end; i < found; i = end) {
        for (end = i + 1; end < found && p->panel[list[end]] == p->panel[list[i]];)
            end++;
        while (p->bodies[body].first_patch + p->bodies[body].patch_count <= (int32_t)list[i])
            body++;
        const patch_job panel = {s, list + i, job.points + 3 * i, job.velocity + 3 * i};
        take_mean(s, end - i, &panel);
        if (vti_is_wide(&p->bodies[body], end - i))
            spread_density(s, &p->bodies[body], end - i, &panel);
    }
    vti_arena_pop(&s->arena, mark);
}
