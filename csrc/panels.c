#include "panels.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "core/status.h"
#include "core/vec3.h"
#include "field.h"
#include "potential.h"

enum { ROUNDS = 4, PANEL_BLOCK = 32, ROW_BLOCK = 64, MOST_CUTS = 64, MOST_PATCHES = 1 << 20 };

/* Nodes of a grid that bodies alone may ask for, and up to which they are always in it whole. */
enum { LARGE_GRID = 1 << 20, SMALL_GRID = 1 << 18 };

/* A panel is cut into patches no longer than this, in cells. */
static const double longest_patch = 2.5;

/* Spacings to a panel where there are no vortons that set the spacing. */
static const double cells_in_panel = 2.24;

/* Panels narrower than this many cells give way to the coarse ones. */
static const double least_panel = 1.2;

/* Bodies farther apart than their reaches x this see of each other no panels but dipoles, and
 * farther than that nothing. */
static const double near_bodies = 1.25, far_bodies = 4;

/* Of the densities, by which they may change in the last round. */
static const double settled = 1e-3;

/* A patch is near within this many times sqrt(2 x area). */
static const double near_patch = 1.5;

/* ---- who has panels ---- */

static int acts(const vt_simulation *s, int32_t n)
{
    return s->bodies.items[n].panels != NULL && s->def.method.bodies == VT_BODIES_PANELS &&
           vt_has_grid(s);
}

int vt_has_panels(const vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (acts(s, n))
            return 1;
    return 0;
}

int vt_panels_stir(const vt_simulation *s)
{
    const double *const w = s->def.wind;
    const int blows = w[0] != 0 || w[1] != 0 || w[2] != 0 || s->winds.uniform_count > 0 ||
                      s->winds.grid_count > 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (acts(s, n) && (blows || s->bodies.items[n].moves || s->bodies.items[n].rigid.placed))
            return 1;
    return 0;
}

/* A box; empty where least > most. */
typedef struct box {
    double least[3], most[3];
} box;

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void add_box(box *to, const box *b)
{
    for (int c = 0; c < 3; c++) {
        to->least[c] = fmin(to->least[c], b->least[c]);
        to->most[c] = fmax(to->most[c], b->most[c]);
    }
}

static box box_of_body(const vt_simulation *s, const vt_body *body)
{
    const vt_pose pose = vt_body_pose(&s->transforms, body, s->time);
    box b = nothing;
    for (int corner = 0; corner < 8; corner++) {
        double local[3];
        box point;
        for (int c = 0; c < 3; c++)
            local[c] = corner >> c & 1 ? body->panels->high[c] : body->panels->low[c];
        vt_pose_point(&pose, local, point.least);
        memcpy(point.most, point.least, sizeof point.most);
        add_box(&b, &point);
    }
    return b;
}

static box box_of_bodies(const vt_simulation *s)
{
    box all = nothing;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (acts(s, n)) {
            const box b = box_of_body(s, &s->bodies.items[n]);
            add_box(&all, &b);
        }
    return all;
}

/* Nodes of a grid around a box. */
static double count_nodes(const box *b, double spacing)
{
    double nodes = 1;
    for (int c = 0; c < 3; c++)
        nodes *= (b->most[c] - b->least[c]) / spacing + 2 * VT_DOMAIN_MARGIN + 1;
    return nodes;
}

/* The part of each body that lies within half of the extent of the bounds from them. */
static void add_near_parts(const vt_simulation *s, const box *bounds, box *all)
{
    double extent = 0;
    for (int c = 0; c < 3; c++)
        extent = fmax(extent, bounds->most[c] - bounds->least[c]);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        if (!acts(s, n))
            continue;
        box b = box_of_body(s, &s->bodies.items[n]);
        int meets = 1;
        for (int c = 0; c < 3; c++) {
            b.least[c] = fmax(b.least[c], bounds->least[c] - 0.5 * extent);
            b.most[c] = fmin(b.most[c], bounds->most[c] + 0.5 * extent);
            meets &= b.least[c] <= b.most[c];
        }
        if (meets)
            add_box(all, &b);
    }
}

void vt_add_panel_bounds(const vt_simulation *s, double spacing, double least[3], double most[3],
                         int *any)
{
    if (!vt_has_panels(s))
        return;
    box bounds = nothing, all = box_of_bodies(s);
    if (*any) {
        memcpy(bounds.least, least, sizeof bounds.least);
        memcpy(bounds.most, most, sizeof bounds.most);
        add_box(&all, &bounds);
        const double few = fmax(SMALL_GRID, 4 * count_nodes(&bounds, spacing));
        if (count_nodes(&all, spacing) > few) {
            all = bounds;
            add_near_parts(s, &bounds, &all);
        }
    }
    memcpy(least, all.least, sizeof all.least);
    memcpy(most, all.most, sizeof all.most);
    *any = 1;
}

double vt_panel_spacing(const vt_simulation *s)
{
    double least = INFINITY;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (acts(s, n)) {
            const vt_body *const body = &s->bodies.items[n];
            least = fmin(least, body->scale * body->panels->side / cells_in_panel);
        }
    if (!isfinite(least))
        return 0;
    /* small bodies far from each other, or beside a huge one, are not worth a grid without end */
    const box all = box_of_bodies(s);
    while (count_nodes(&all, least) > LARGE_GRID)
        least *= 1.25;
    return least;
}

/* ---- posing ---- */

/* Panels narrower than the cells only cost time. */
static const vt_panel_set *choose_set(const vt_simulation *s, const vt_body *body)
{
    const int fine = body->shedding > 0; /* its slip is kept panel by panel */
    return !fine && body->coarse && body->scale * body->panels->side < least_panel * s->grid.spacing
               ? body->coarse
               : body->panels;
}

static vt_paneled_body pose_body(const vt_simulation *s, int32_t n, double time)
{
    const vt_body *const body = &s->bodies.items[n];
    const vt_motion motion = vt_body_motion(&s->transforms, body, time);
    const vt_panel_set *const set = choose_set(s, body);
    vt_paneled_body b = {.body = body,
                         .set = set,
                         .number = n,
                         .count = set->count,
                         .pose = vt_body_pose(&s->transforms, body, time),
                         .reach = body->reach};
    vt_add_scaled(b.pose.position, -1, s->panels.way);
    vt_pose_point(&b.pose, body->center, b.center);
    memcpy(b.velocity, motion.velocity, sizeof b.velocity);
    vt_add_scaled(b.velocity, -1, s->panels.wind);
    memcpy(b.angular, motion.angular, sizeof b.angular);
    return b;
}

void vt_rigid_velocity(const vt_paneled_body *b, const double point[3], double velocity[3])
{
    double arm[3];
    memcpy(arm, point, sizeof arm);
    vt_add_scaled(arm, -1, b->pose.position);
    vt_cross(b->angular, arm, velocity);
    vt_add_scaled(velocity, 1, b->velocity);
}

static void pose_panels(vt_panels *p, const vt_paneled_body *b)
{
    const vt_panel_set *const set = b->set;
    const double scale = b->pose.scale;
    for (int32_t i = 0; i < b->count; i++) {
        vt_pose_point(&b->pose, set->center[i], p->center[b->first + i]);
        vt_pose_direction(&b->pose, set->normal[i], p->normal[b->first + i]);
        p->area[b->first + i] = (float)(scale * scale * set->area[i]);
    }
}

void vt_pose_panels(vt_simulation *s, double time, const double way[3])
{
    vt_panels *const p = &s->panels;
    p->exist = vt_has_panels(s);
    if (!p->exist)
        return;
    vt_arena_pop(&p->arena, 0);
    memcpy(p->way, way, sizeof p->way);
    memcpy(p->wind, s->winds.velocity, sizeof p->wind);
    p->bodies = vt_arena_push(&p->arena, sizeof *p->bodies * (size_t)s->bodies.count);
    p->body_count = p->count = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (acts(s, n)) {
            vt_paneled_body b = pose_body(s, n, time);
            b.first = p->count;
            p->count += b.count;
            p->bodies[p->body_count++] = b;
        }
    const size_t count = (size_t)p->count;
    p->center = vt_arena_push(&p->arena, sizeof *p->center * count);
    p->normal = vt_arena_push(&p->arena, sizeof *p->normal * count);
    p->area = vt_arena_push(&p->arena, sizeof *p->area * count);
    p->density = vt_arena_push(&p->arena, sizeof *p->density * count);
    p->onset = vt_arena_push(&p->arena, 3 * sizeof *p->onset * count);
    for (int32_t n = 0; n < p->body_count; n++)
        pose_panels(p, &p->bodies[n]);
}

const vt_paneled_body *vt_panels_of(const vt_simulation *s, int32_t body)
{
    for (int32_t n = 0; s->panels.exist && n < s->panels.body_count; n++)
        if (s->panels.bodies[n].number == body)
            return &s->panels.bodies[n];
    return NULL;
}

/* ---- patches ---- */

/* To cells of the grid. */
static void to_cells(const vt_grid *grid, const double point[3], double cell[3])
{
    for (int c = 0; c < 3; c++)
        cell[c] = point[c] / grid->spacing - grid->base[c];
}

/* Whether a panel lies where the grid does not see it. */
static int is_far(const vt_simulation *s, const vt_paneled_body *b, int32_t i)
{
    enum { AWAY = 8 };
    box cells = nothing;
    for (int k = 0; k < 3; k++) {
        double point[3];
        box at;
        vt_pose_point(&b->pose, b->set->corner[i][k], point);
        to_cells(&s->grid, point, at.least);
        memcpy(at.most, at.least, sizeof at.most);
        add_box(&cells, &at);
    }
    int far = 0;
    for (int c = 0; c < 3; c++)
        far |= cells.most[c] < -AWAY || cells.least[c] > s->grid.cells[c] + AWAY;
    return far;
}

static int cuts_of(const vt_simulation *s, const vt_paneled_body *b, int32_t i, double cell)
{
    const double (*const corner)[3] = (const double (*)[3])b->set->corner[i];
    double square = 0;
    for (int k = 0; k < 3; k++)
        square = fmax(square, vt_square_between(corner[k], corner[(k + 1) % 3]));
    if (is_far(s, b, i))
        return 1;
    const double cuts = ceil(b->pose.scale * vt_sqrt(square) / (longest_patch * cell));
    return cuts > MOST_CUTS ? MOST_CUTS : cuts > 1 ? (int)cuts : 1;
}

/* Corners in cells of the grid, and what follows from them. */
static void make_patch(double corner[3][3], const double normal[3], vt_patch *patch)
{
    double a[3], b[3], cross[3];
    for (int c = 0; c < 3; c++) {
        a[c] = corner[1][c] - corner[0][c];
        b[c] = corner[2][c] - corner[0][c];
        patch->center[c] = (float)((corner[0][c] + corner[1][c] + corner[2][c]) / 3);
        patch->normal[c] = (float)normal[c];
    }
    vt_cross(a, b, cross);
    const double area = 0.5 * vt_sqrt(vt_dot(cross, cross));
    patch->area = (float)area;
    patch->near_square = (float)(near_patch * near_patch * 2 * area);
    for (int k = 0; k < 3; k++) {
        double side[3], outward[3];
        memcpy(side, corner[(k + 1) % 3], sizeof side);
        vt_add_scaled(side, -1, corner[k]);
        patch->length[k] = (float)vt_normalise(side);
        vt_cross(side, normal, outward);
        for (int c = 0; c < 3; c++) {
            patch->corner[k][c] = (float)corner[k][c];
            patch->outward[k][c] = (float)outward[c];
        }
    }
}

/* A place in a panel that is cut n times along each side. */
static void cut_at(double corner[3][3], int i, int j, int n, double place[3])
{
    for (int c = 0; c < 3; c++)
        place[c] = corner[0][c] + (corner[1][c] - corner[0][c]) * i / n +
                   (corner[2][c] - corner[0][c]) * j / n;
}

static int32_t cut_panel(double corner[3][3], const double normal[3], int n, vt_patch *patch)
{
    int32_t made = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - i; j++) {
            double at[3][3];
            cut_at(corner, i, j, n, at[0]);
            cut_at(corner, i + 1, j, n, at[1]);
            cut_at(corner, i, j + 1, n, at[2]);
            make_patch(at, normal, &patch[made++]);
            if (i + j == n - 1)
                continue;
            cut_at(corner, i + 1, j + 1, n, at[0]);
            make_patch((double[3][3]){{at[1][0], at[1][1], at[1][2]},
                                      {at[0][0], at[0][1], at[0][2]},
                                      {at[2][0], at[2][1], at[2][2]}},
                       normal, &patch[made++]);
        }
    return made;
}

static void cut_body(vt_simulation *s, vt_paneled_body *b, double cell)
{
    vt_panels *const p = &s->panels;
    b->first_patch = p->patch_count;
    for (int32_t i = 0; i < b->count; i++) {
        double corner[3][3];
        for (int k = 0; k < 3; k++) {
            double point[3];
            vt_pose_point(&b->pose, b->set->corner[i][k], point);
            to_cells(&s->grid, point, corner[k]);
        }
        const int32_t made = cut_panel(corner, p->normal[b->first + i], cuts_of(s, b, i, cell),
                                       p->patch + p->patch_count);
        for (int32_t n = 0; n < made; n++)
            p->panel[p->patch_count + n] = (uint32_t)(b->first + i);
        p->patch_count += made;
    }
    b->patch_count = p->patch_count - b->first_patch;
}

static void cut_panels(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    double cell = s->grid.spacing;
    int64_t count = (int64_t)MOST_PATCHES + 1;
    /* where a body is huge for the grid, coarser than it should be */
    for (int tries = 0; count > MOST_PATCHES && tries < 8; tries++, cell *= 2) {
        count = 0;
        for (int32_t n = 0; n < p->body_count; n++)
            for (int32_t i = 0; i < p->bodies[n].count; i++) {
                const int64_t cuts = cuts_of(s, &p->bodies[n], i, cell);
                count += cuts * cuts;
            }
    }
    p->patch = vt_arena_push(&p->arena, sizeof *p->patch * (size_t)count);
    p->panel = vt_arena_push(&p->arena, sizeof *p->panel * (size_t)count);
    p->patch_count = 0;
    for (int32_t n = 0; n < p->body_count; n++)
        cut_body(s, &p->bodies[n], cell / 2);
}

/* ---- onset ---- */

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

/* Interpolated along each axis; points near the faces take what is a little farther in. */
static void sample_potentials(const vt_grid *g, const double point[3], float velocity[3])
{
    double cell[3], weight[3];
    int64_t node[3];
    to_cells(g, point, cell);
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

void vt_vortical_velocity(const vt_simulation *s, const double point[3], float velocity[3])
{
    vt_grid grid = s->grid;
    grid.has_potential = 0;
    sample_potentials(&grid, point, velocity);
}

static void sample_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const vt_simulation *const s = data;
    for (int64_t i = begin; i < end; i++)
        sample_potentials(&s->grid, s->panels.center[i], s->panels.onset + 3 * i);
}

static void find_onset(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    const size_t mark = vt_arena_mark(&s->arena);
    float *const points = vt_arena_push(&s->arena, 12 * (size_t)p->count);
    vt_parallel_for(s->def.threads, p->count, PANEL_BLOCK, sample_block, s);
    for (int64_t i = 0; i < 3 * (int64_t)p->count; i++)
        points[i] = (float)p->center[i / 3][i % 3];
    vt_add_wind_grids(s, p->count, points, p->onset, NULL);
    vt_arena_pop(&s->arena, mark);
}

/* ---- densities ---- */

/* A body whose densities are found. */
typedef struct density_job {
    const vt_panel_set *set;
    const double *condition; /* what is to flow out of each panel, m/s */
    float *density;
} density_job;

static void multiply_rows(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const density_job *const job = data;
    const int64_t count = job->set->count, rows = end - begin;
    float sum[ROW_BLOCK] = {0};
    for (int64_t j = 0; j < count; j++) {
        const float *const column = job->set->inverse + j * count + begin;
        const float factor = (float)job->condition[j];
        for (int64_t i = 0; i < rows; i++)
            sum[i] += column[i] * factor;
    }
    memcpy(job->density + begin, sum, sizeof *sum * (size_t)rows);
}

/* How two bodies see each other. */
typedef enum sight { UNSEEN, DIPOLE, PANELS } sight;

static sight sight_of(const vt_paneled_body *a, const vt_paneled_body *b)
{
    const double reach = a->reach + b->reach;
    const double distance = vt_sqrt(vt_square_between(a->center, b->center));
    return distance < near_bodies * reach  ? PANELS
           : distance < far_bodies * reach ? DIPOLE
                                           : UNSEEN;
}

static void add_dipole(const vt_paneled_body *from, const double point[3], float velocity[3])
{
    double way[3];
    memcpy(way, point, sizeof way);
    vt_add_scaled(way, -1, from->center);
    const double square = vt_dot(way, way), cube = square * vt_sqrt(square) * 4 * VT_PI;
    const double along = 3 * vt_dot(from->dipole, way) / square;
    for (int c = 0; c < 3; c++)
        velocity[c] += (float)((along * way[c] - from->dipole[c]) / cube);
}

/* Velocity (count x 3) of all other bodies at the panels of b. */
static void add_neighbours(vt_simulation *s, const vt_paneled_body *b, const float *cells,
                           float *velocity)
{
    const vt_panels *const p = &s->panels;
    for (int32_t n = 0; n < p->body_count; n++) {
        const vt_paneled_body *const other = &p->bodies[n];
        const sight seen = other == b ? UNSEEN : sight_of(b, other);
        if (seen == PANELS)
            s->stages->panel_field(other->patch_count, p->patch + other->first_patch, b->count,
                                   cells, velocity, s->def.threads);
        for (int32_t i = 0; i < b->count && seen == DIPOLE; i++)
            add_dipole(other, p->center[b->first + i], velocity + 3 * (int64_t)i);
    }
}

static int has_neighbours(const vt_panels *p)
{
    for (int32_t m = 0; m < p->body_count; m++)
        for (int32_t n = 0; n < m; n++)
            if (sight_of(&p->bodies[m], &p->bodies[n]) != UNSEEN)
                return 1;
    return 0;
}

/* Without sources or sinks inside it nothing flows out of a body as a whole. */
static void balance_conditions(const vt_panels *p, const vt_paneled_body *b, double *condition)
{
    double flux = 0, area = 0;
    for (int32_t i = 0; i < b->count; i++) {
        flux += condition[i] * (double)p->area[b->first + i];
        area += (double)p->area[b->first + i];
    }
    for (int32_t i = 0; i < b->count; i++)
        condition[i] -= flux / area;
}

static void balance_densities(const vt_panels *p, const vt_paneled_body *b)
{
    double flux = 0, area = 0;
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        flux += (double)p->density[i] * (double)p->area[i];
        area += (double)p->area[i];
    }
    for (int32_t i = b->first; i < b->first + b->count; i++)
        p->density[i] -= (float)(flux / area);
}

/* What follows from the densities of a body. */
static void take_densities(vt_panels *p, vt_paneled_body *b)
{
    memset(b->dipole, 0, sizeof b->dipole);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        const double charge = (double)p->density[i] * (double)p->area[i];
        for (int c = 0; c < 3; c++)
            b->dipole[c] += charge * (p->center[i][c] - b->center[c]);
    }
    for (int32_t n = b->first_patch; n < b->first_patch + b->patch_count; n++)
        p->patch[n].density = p->density[p->panel[n]];
}

static void solve_body(vt_simulation *s, vt_paneled_body *b, int sees_others)
{
    vt_panels *const p = &s->panels;
    const size_t mark = vt_arena_mark(&s->arena), count = (size_t)b->count;
    double *const condition = vt_arena_push(&s->arena, sizeof *condition * count), square = 0;
    float *const cells = vt_arena_push(&s->arena, 12 * count);
    float *const velocity = vt_arena_push(&s->arena, 12 * count);
    memcpy(velocity, p->onset + 3 * (int64_t)b->first, 12 * count);
    for (int32_t i = 0; i < b->count && sees_others; i++) {
        double cell[3];
        to_cells(&s->grid, p->center[b->first + i], cell);
        for (int c = 0; c < 3; c++)
            cells[3 * i + c] = (float)cell[c];
    }
    if (sees_others)
        add_neighbours(s, b, cells, velocity);
    for (int32_t i = 0; i < b->count; i++) {
        double through[3];
        vt_rigid_velocity(b, p->center[b->first + i], through);
        for (int c = 0; c < 3; c++)
            through[c] -= (double)velocity[3 * i + c];
        condition[i] = vt_dot(through, p->normal[b->first + i]);
        square += vt_dot(through, through);
    }
    b->stream = vt_sqrt(square / b->count);
    balance_conditions(p, b, condition);
    density_job job = {b->set, condition, p->density + b->first};
    vt_parallel_for(s->def.threads, b->count, ROW_BLOCK, multiply_rows, &job);
    balance_densities(p, b);
    take_densities(p, b);
    vt_arena_pop(&s->arena, mark);
}

static int has_settled(const vt_panels *p, const float *before)
{
    double change = 0, size = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const double now = (double)p->density[i], way = now - (double)before[i];
        change += way * way;
        size += now * now;
    }
    return change <= settled * settled * size;
}

void vt_solve_densities(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    cut_panels(s);
    find_onset(s);
    memset(p->density, 0, sizeof *p->density * (size_t)p->count);
    for (int32_t n = 0; n < p->body_count; n++)
        take_densities(p, &p->bodies[n]);
    const int sees_others = has_neighbours(p);
    const size_t mark = vt_arena_mark(&s->arena), bytes = sizeof *p->density * (size_t)p->count;
    float *const before = vt_arena_push(&s->arena, bytes);
    for (int round = 0; round < (sees_others ? ROUNDS : 1); round++) {
        memcpy(before, p->density, bytes);
        for (int32_t n = 0; n < p->body_count; n++)
            solve_body(s, &p->bodies[n], sees_others);
        if (has_settled(p, before))
            break;
    }
    vt_arena_pop(&s->arena, mark);
}

/* ---- charges ---- */

int64_t vt_count_panel_charges(const vt_simulation *s)
{
    return s->panels.exist ? s->panels.patch_count : 0;
}

/* A body that moves may have come near the face since the grid was placed; what is beyond it does
 * not act. */
static int place_charge(const vt_grid *grid, const float center[3], float at[3])
{
    for (int c = 0; c < 3; c++) {
        const float last = (float)grid->cells[c];
        if (!(center[c] > -2 && center[c] < last + 2))
            return 0;
        at[c] = fminf(fmaxf(center[c], 3), last - 3);
    }
    return 1;
}

int64_t vt_collect_panel_charges(const vt_simulation *s, vt_record *charges)
{
    const vt_panels *const p = &s->panels;
    const float h = (float)s->grid.spacing;
    int64_t found = 0;
    for (int32_t n = 0; n < p->patch_count; n++) {
        const vt_patch *const patch = &p->patch[n];
        float at[3];
        if (place_charge(&s->grid, patch->center, at))
            charges[found++] = vt_charge(at, patch->density * patch->area * h * h);
    }
    return found;
}

/* ---- the flow at the surface, and for the length of a substep ---- */

void vt_find_passing_velocity(vt_simulation *s, const vt_paneled_body *b, float *velocity)
{
    const vt_panels *const p = &s->panels;
    const size_t mark = vt_arena_mark(&s->arena);
    float *const cells = vt_arena_push(&s->arena, 12 * (size_t)b->count);
    for (int32_t i = 0; i < b->count; i++) {
        double cell[3];
        to_cells(&s->grid, p->center[b->first + i], cell);
        for (int c = 0; c < 3; c++)
            cells[3 * i + c] = (float)cell[c];
    }
    memcpy(velocity, p->onset + 3 * (int64_t)b->first, 12 * (size_t)b->count);
    add_neighbours(s, b, cells, velocity);
    vt_arena_pop(&s->arena, mark);
}

void vt_find_surface_velocity(vt_simulation *s, const vt_paneled_body *b, float *velocity)
{
    const vt_panels *const p = &s->panels;
    const size_t mark = vt_arena_mark(&s->arena);
    float *const cells = vt_arena_push(&s->arena, 12 * (size_t)b->count);
    memcpy(velocity, p->onset + 3 * (int64_t)b->first, 12 * (size_t)b->count);
    for (int32_t i = 0; i < b->count; i++) {
        const double above = 1e-3 * vt_sqrt((double)p->area[b->first + i]);
        double point[3], cell[3];
        memcpy(point, p->center[b->first + i], sizeof point);
        vt_add_scaled(point, above, p->normal[b->first + i]);
        to_cells(&s->grid, point, cell);
        for (int c = 0; c < 3; c++) {
            cells[3 * i + c] = (float)cell[c];
            velocity[3 * i + c] += (float)p->wind[c];
        }
    }
    s->stages->panel_field(b->patch_count, p->patch + b->first_patch, b->count, cells, velocity,
                           s->def.threads);
    add_neighbours(s, b, cells, velocity);
    /* with a diagonal for the panel as a whole the condition holds, not the velocity at the
     * centroid */
    for (int32_t i = 0; i < b->count; i++) {
        const double *const n = p->normal[b->first + i];
        double wall[3], through = 0;
        vt_rigid_velocity(b, p->center[b->first + i], wall);
        for (int c = 0; c < 3; c++)
            through += ((double)velocity[3 * i + c] - wall[c] - p->wind[c]) * n[c];
        for (int c = 0; c < 3; c++)
            velocity[3 * i + c] -= (float)(through * n[c]);
    }
    vt_arena_pop(&s->arena, mark);
}

/* About a sphere in a stream U the gradient is up to 3 U / R. */
double vt_panel_gradient(const vt_simulation *s)
{
    const vt_panels *const p = &s->panels;
    double most = 0;
    for (int32_t n = 0; p->exist && n < p->body_count; n++) {
        const vt_paneled_body *const b = &p->bodies[n];
        most = fmax(most, 3 * b->stream / (b->pose.scale * b->set->length));
    }
    return most;
}

double vt_panel_speed(const vt_simulation *s)
{
    const vt_panels *const p = &s->panels;
    double most = 0;
    for (int32_t n = 0; p->exist && n < p->body_count; n++) {
        const vt_paneled_body *const b = &p->bodies[n];
        double velocity[3];
        vt_rigid_velocity(b, b->center, velocity);
        most = fmax(most, vt_sqrt(vt_dot(velocity, velocity)) +
                              b->reach * vt_sqrt(vt_dot(b->angular, b->angular)));
    }
    return most;
}

/* ---- for programs ---- */

static vt_status check_body_id(const vt_simulation *s, int32_t id)
{
    if (id >= 0 && id < s->bodies.count)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "id is %d; there are %d bodies, from 0 on", id,
                   s->bodies.count);
}

vt_status vt_count_panels(vt_simulation *s, int32_t id, int32_t *count)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = check_body_id(s, id);
    if (!status)
        status = vt_solve_now(s);
    if (!status)
        *count = vt_panels_of(s, id) ? vt_panels_of(s, id)->count : 0;
    vt_leave(s);
    return status;
}

/* Geometry and, where there is a flow, what it does at the panels. */
static void fill_panels(vt_simulation *s, const vt_paneled_body *b, const vt_panel_arrays *to)
{
    const vt_panels *const p = &s->panels;
    const double scale = b->pose.scale;
    for (int32_t i = 0; i < b->count; i++)
        for (int c = 0; c < 3; c++) {
            if (to->center)
                to->center[3 * i + c] = p->center[b->first + i][c];
            if (to->normal)
                to->normal[3 * i + c] = p->normal[b->first + i][c];
            if (to->velocity)
                to->velocity[3 * i + c] = (float)p->wind[c];
            if (to->area)
                to->area[i] = scale * scale * b->set->area[i];
            if (to->density)
                to->density[i] = s->fields_exist ? p->density[b->first + i] : 0;
        }
    if (to->velocity && s->fields_exist)
        vt_find_surface_velocity(s, b, to->velocity);
    for (int n = 0; to->added_mass && n < 36; n++) {
        const int turns = (n / 6 > 2) + (n % 6 > 2);
        to->added_mass[n] = b->set->added_mass[n / 6][n % 6] * scale * scale * scale *
                            (turns > 0 ? scale : 1) * (turns > 1 ? scale : 1);
    }
}

vt_status vt_get_panels(vt_simulation *s, int32_t id, const vt_panel_arrays *arrays)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = check_body_id(s, id);
    if (!status)
        status = vt_solve_now(s);
    if (!status && vt_panels_of(s, id))
        fill_panels(s, vt_panels_of(s, id), arrays);
    vt_leave(s);
    return status;
}
