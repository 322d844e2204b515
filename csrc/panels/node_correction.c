#include "panels/node_correction.h"

#include "model/quadratic_spline.h"
#include "panels/nearest_wall.h"
#include "panels/panels.h"
#include "state/predicates.h"
#include "state/simulation.h"

enum { LISTED_BLOCK = 8 /* bins */ };

/* How far inside a node may lie whose value particles outside still meet, in cells. */
static double deepest_ghost(const vt_grid *grid)
{
    return grid->fourth ? 2.6 : 1.8;
}

/* Nodes as near to a wall, in cells, are taken as inside: of one that lies on a panel nobody could
 * say on which side of the jump in the velocity it is. */
static const double on_wall = 0.05;

/* A node in the middle of a thin body, to within so many cells, belongs to both of its faces: with
 * one of them the flow would not be the mirror image of itself. */
static const double middle = 1e-3;

/* ---- bins ---- */

/* Lists the bin of a patch and those beside it, but for those that lie deeper behind its plane than
 * that. */
static void list_bins_near(vt_panels *p, const vt_patch *patch, float depth)
{
    const vt_patches *const patches = &p->patches;
    const float half = 0.5f * (VT_BIN_EDGE - 1), *const normal = patch->normal;
    int32_t bin[3], low[3], high[3];
    float level = depth; /* of the middle of bin (0, 0, 0) */
    vti_find_bin(patches, patch->center, bin);
    for (int c = 0; c < 3; c++) {
        low[c] = bin[c] > 0 ? bin[c] - 1 : 0;
        high[c] = bin[c] < patches->bins[c] - 1 ? bin[c] + 1 : bin[c];
        level += half * fabsf(normal[c]) + normal[c] * (half - patch->center[c]);
    }
    for (int32_t k = low[2]; k <= high[2]; k++)
        for (int32_t j = low[1]; j <= high[1]; j++)
            for (int32_t i = low[0]; i <= high[0]; i++) {
                const int64_t n = vti_number_of_bin(patches, i, j, k);
                const float across = normal[1] * (float)j + normal[2] * (float)k;
                if (p->slot[n] || level + VT_BIN_EDGE * (normal[0] * (float)i + across) <= 0)
                    continue;
                p->listed_bin[p->listed_count++] = (uint32_t)n;
                p->slot[n] = (uint32_t)p->listed_count;
            }
}

/* Whether anything in the grid may be within reach of a patch. */
static int is_in_reach(const vt_grid *grid, const vt_patch *patch)
{
    int within = 1;
    for (int c = 0; c < 3; c++)
        within &= patch->center[c] > -vt_panel_reach &&
                  patch->center[c] < (float)grid->cells[c] + vt_panel_reach;
    return within;
}

/* The patches within reach, to a list, and the bins near them: listed one after the other they are
 * near each other, as the patches are. Images act on what is near others, too. Returns how many
 * patches. */
static int32_t list_reached(vt_simulation *s, const vt_patch **list)
{
    vt_panels *const p = &s->panels;
    int32_t found = 0;
    for (int32_t b = 0; b < p->body_count; b++) {
        const vt_paneled_body *const body = &p->bodies[b];
        const int32_t first = body->first_patch;
        const double depth = deepest_ghost(&s->grid) + 0.2 + vti_find_bulge(body) / s->grid.spacing;
        for (int32_t n = first; n < first + body->patch_count; n++)
            if (is_in_reach(&s->grid, &p->patch[n])) {
                list_bins_near(p, &p->patch[n], (float)depth);
                list[found++] = &p->patch[n];
            }
    }
    for (int32_t n = 0; n < p->image_count; n++)
        if (is_in_reach(&s->grid, &p->image[n]))
            list[found++] = &p->image[n];
    return found;
}

static void sort_patches(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    vt_patches *const patches = &p->patches;
    const size_t mark = vti_arena_mark(&s->arena);
    const size_t most = (size_t)p->patch_count + (size_t)p->image_count;
    const vt_patch **const reached = vti_arena_push(&s->arena, sizeof *reached * most);
    int64_t bins = 1;
    for (int c = 0; c < 3; c++) {
        patches->bins[c] = s->grid.cells[c] / VT_BIN_EDGE + 1;
        bins *= patches->bins[c];
    }
    p->listed_bin = vti_arena_push(&p->arena, 4 * (size_t)bins);
    p->slot = vti_arena_push(&p->arena, 4 * (size_t)bins);
    memset(p->slot, 0, 4 * (size_t)bins);
    p->listed_count = 0;
    const int32_t count = list_reached(s, reached);
    uint32_t *const first = vti_arena_push(&p->arena, 4 * ((size_t)bins + 2));
    vt_patch *const item = vti_arena_push(&p->arena, sizeof *item * (size_t)count);
    memset(first, 0, 4 * ((size_t)bins + 2));
    /* counts lie two further on, so that placing leaves the beginnings where they belong */
    for (int32_t n = 0; n < count; n++)
        first[vti_bin_at(patches, reached[n]->center) + 2]++;
    for (int64_t bin = 0; bin < bins; bin++)
        first[bin + 2] += first[bin + 1];
    for (int32_t n = 0; n < count; n++) {
        item[first[vti_bin_at(patches, reached[n]->center) + 1]++] = *reached[n];
    }
    patches->first = first;
    patches->item = item;
    for (int c = 0; c < 3; c++) {
        float *const center =
            vti_arena_push(&p->arena, sizeof *center * (size_t)(count + VT_LANES));
        for (int32_t n = 0; n < count; n++)
            center[n] = item[n].center[c];
        patches->center[c] = center;
    }
    const size_t nodes = (size_t)(s->grid.node_plane * (s->grid.cells[2] + 2));
    p->smooth = vti_arena_push(&p->arena, sizeof *p->smooth * nodes);
    vti_arena_pop(&s->arena, mark);
}

/* ---- nodes inside ---- */

enum { MOST_MIRRORS = 3, BIN_GHOSTS = 2 * VT_BIN_NODES, BIN_LIFTS = 3 * VT_BIN_NODES };

/* Within how many cells of a wall the velocity through it is interpolated. Nearer, flat panels let
 * fluid through between their centres, and vortons gather on the wall for ever; farther away the
 * velocity no longer grows as the distance. Beside a floor the vortons of a ring miss the velocity
 * by the image of the flow by .018 m/s of .85 with 0, .006 with 1, .003 with 1.2, .010 with 1.5;
 * not a number that lies on the lattice, at which rounding would choose between exact panels and
 * points.
 */
static const double lifted_within = 1.2;

/* Half of the thickness, in those, from which it is done. Beside a ball of this radius the velocity
 * is .04 of the wind off where it is interpolated, as much as panels let through; a plate of three
 * cells, of which each face is near an edge, would lose half of its lift, and the wake of a ball of
 * three cells would get weaker (tests/test_body_flow.py, tests/test_newborn.py). Where
 * fluid slips along a wall nothing is lifted or shed: cold fog on a slab of ten cells gathered
 * there until it blew up (tests/test_buoyancy.py). */
static const double least_half_thickness = 5, least_where_it_slips = 1;

/* From a node near a wall to the point above it where the velocity through the wall is read: at the
 * wall nothing flows through, and in between the velocity grows with the distance. */
typedef struct lift {
    const vt_paneled_body *body;
    double foot[3], normal[3];
    double share; /* height of the node above the wall, negative inside, over that of the point */
} lift;

/* A node inside a body near its surface, and its image outside; behind the corner of a container
 * that is one in two or three walls. A node between two faces is two ghosts, one after the other.
 */
typedef struct ghost {
    int64_t node; /* its number in grid.nodes */
    const vt_paneled_body *body;
    int32_t mirrors;
    int32_t lift;                            /* its number in the bin; -1: none */
    double foot[3], normal[MOST_MIRRORS][3]; /* foot on the first wall; normals of all walls */
} ghost;

/* Points of a bin: images of ghosts, what nodes near walls are lifted to, then nodes outside of
 * bodies that are within reach of panels. */
typedef struct bin_points {
    int32_t ghosts, lifts, open;
    int64_t first; /* number in the list of all points: a multiple of VT_LANES */
} bin_points;

typedef struct node_job {
    vt_simulation *s;
    const float *side;
    bin_points *bins;
    /* those of bin b from b x BIN_GHOSTS on, and their images, cells */
    ghost *ghosts;
    float *image;
    /* those of bin b from b x BIN_LIFTS on, and their points, cells */
    lift *lifts;
    float *lifted;
    /* those of bin b from b x VT_BIN_NODES on: in grid.nodes, their lifts (-1: none), and cells */
    int64_t *open;
    int32_t *open_lift;
    float *open_at;
    /* all points, and the flow there, m/s */
    float *point, *velocity;
} node_job;

/* The node of place n in a bin, -1 beyond the grid; its place in cells. */
static int64_t node_of(const vt_simulation *s, uint32_t bin, int n, int32_t cell[3])
{
    const int32_t *const bins = s->panels.patches.bins;
    const int32_t low[3] = {(int32_t)bin % bins[0], (int32_t)bin / bins[0] % bins[1],
                            (int32_t)bin / (bins[0] * bins[1])};
    const int32_t within[3] = {n % VT_BIN_EDGE, n / VT_BIN_EDGE % VT_BIN_EDGE,
                               n / (VT_BIN_EDGE * VT_BIN_EDGE)};
    for (int c = 0; c < 3; c++) {
        cell[c] = low[c] * VT_BIN_EDGE + within[c];
        if (cell[c] > s->grid.cells[c])
            return -1;
    }
    return cell[2] * s->grid.node_plane + cell[1] * s->grid.node_row + cell[0];
}

/* Makes a ghost of the node at a point (m), with that room and normal. */
static void mirror_node(const vt_simulation *s, double point[3], double room,
                        const double normal[3], ghost *g, float image[3])
{
    const double h = s->grid.spacing;
    memcpy(g->normal[0], normal, sizeof g->normal[0]);
    for (int c = 0; c < 3; c++)
        g->foot[c] = point[c] - room * normal[c];
    for (g->mirrors = 1;; g->mirrors++) {
        const vt_paneled_body *body = NULL;
        vti_add_scaled(point, fmax(-room, on_wall * h) - room, g->normal[g->mirrors - 1]);
        if (!g->body->body->hole || g->mirrors == MOST_MIRRORS)
            break;
        room = vti_nearest_wall(s, point, 0, g->normal[g->mirrors], &body);
        if (!(room < 0 && body == g->body))
            break;
    }
    for (int c = 0; c < 3; c++)
        image[c] = (float)(point[c] / h - s->grid.base[c]);
}

/* Whether a point of that room and normal is in the middle of a body; normal of the other face. */
static int is_between(const vt_simulation *s, const vt_paneled_body *b, const double point[3],
                      double room, const double normal[3], double other[3])
{
    const double h = s->grid.spacing;
    const vt_paneled_body *body = NULL;
    double beyond[3];
    if (-room < b->half_thickness - middle * h)
        return 0;
    memcpy(beyond, point, sizeof beyond);
    vti_add_scaled(beyond, -2 * middle * h, normal);
    vti_nearest_wall(s, beyond, INFINITY, other, &body);
    return body == b && vti_dot(other, normal) < 0;
}

/* Lifts a node at a point (m) off the wall of that room and normal; returns the number of its lift
 * in the bin, -1 where it needs none, or another wall is as near to what it would be lifted to. */
static int32_t add_lift(const node_job *job, int64_t bin, const double point[3], double room,
                        const double normal[3], const vt_paneled_body *body)
{
    const vt_simulation *const s = job->s;
    const double h = s->grid.spacing, height = lifted_within * h, free = 0.9 * height;
    double above[3], other[3];
    const vt_paneled_body *near = NULL;
    memcpy(above, point, sizeof above);
    vti_add_scaled(above, height - room, normal);
    const double thick = vti_sheds(body->body) ? least_half_thickness : least_where_it_slips;
    if (!(vti_abs(room) < height) || body->half_thickness < thick * height ||
        vti_nearest_wall(s, above, free, other, &near) < free)
        return -1;
    const int32_t number = job->bins[bin].lifts++;
    const int64_t at = bin * BIN_LIFTS + number;
    lift *const l = &job->lifts[at];
    *l = (lift){.body = body, .share = room / height};
    for (int c = 0; c < 3; c++) {
        l->normal[c] = normal[c];
        l->foot[c] = point[c] - room * normal[c];
        job->lifted[3 * at + c] = (float)(above[c] / h - s->grid.base[c]);
    }
    return number;
}

static void add_ghost(const node_job *job, int64_t bin, int64_t node, const double point[3],
                      double room, const double normal[3], const vt_paneled_body *body)
{
    const int64_t at = bin * BIN_GHOSTS + job->bins[bin].ghosts++;
    ghost *const g = &job->ghosts[at];
    double place[3];
    memcpy(place, point, sizeof place);
    *g = (ghost){.node = node, .body = body, .lift = -1};
    mirror_node(job->s, place, room, normal, g, job->image + 3 * at);
    if (g->mirrors == 1)
        g->lift = add_lift(job, bin, point, room, normal, body);
}

static void add_open(const node_job *job, int64_t bin, int64_t node, const int32_t cell[3],
                     int32_t lift)
{
    const int64_t at = bin * VT_BIN_NODES + job->bins[bin].open++;
    job->open[at] = node;
    job->open_lift[at] = lift;
    for (int c = 0; c < 3; c++)
        job->open_at[3 * at + c] = (float)cell[c];
}

/* What a node near the surface is, of place n in a listed bin: outside of bodies, behind a surface,
 * or deep inside, where it moves with the body. */
static void look_at_node(const node_job *job, int64_t bin, int n)
{
    vt_simulation *const s = job->s;
    const vt_panels *const p = &s->panels;
    const double h = s->grid.spacing;
    const float side = job->side[bin * VT_BIN_NODES + n];
    int32_t cell[3];
    const int64_t at = node_of(s, p->listed_bin[bin], n, cell);
    if (at < 0)
        return;
    f4 *const node = &s->grid.nodes[at];
    p->smooth[at] = *node;
    if (side >= VT_FAR_FROM_PATCHES)
        return;
    double point[3], normal[3], room = INFINITY;
    const vt_paneled_body *body = NULL;
    for (int c = 0; c < 3; c++)
        point[c] = (cell[c] + s->grid.base[c]) * h;
    if (side < (float)(0.5 + lifted_within))
        room = vti_nearest_wall(s, point, lifted_within * h, normal, &body);
    if (!(room < on_wall * h)) {
        add_open(job, bin, at, cell, body ? add_lift(job, bin, point, room, normal, body) : -1);
    } else if (room < -deepest_ghost(&s->grid) * h) {
        double velocity[3];
        vti_wall_velocity(body, point, velocity);
        for (int c = 0; c < 3; c++)
            (*node)[c] = (float)velocity[c];
    } else {
        double other[3];
        add_ghost(job, bin, at, point, room, normal, body);
        if (is_between(s, body, point, room, normal, other))
            add_ghost(job, bin, at, point, room, other, body);
    }
}

static void look_at_bin(void *data, int64_t bin)
{
    enum { EDGE = VT_BIN_EDGE };
    _Static_assert(EDGE == 4, "two bits for each axis");
    const node_job *const job = data;
    job->bins[bin] = (bin_points){.ghosts = 0};
    for (int n = 0; n < VT_BIN_NODES; n++) /* cubes of cubes, again so that they are near */
        look_at_node(job, bin,
                     (n & 1) + (n >> 2 & 2) + EDGE * ((n >> 1 & 1) + (n >> 3 & 2)) +
                         EDGE * EDGE * ((n >> 2 & 1) + (n >> 4 & 2)));
}

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

/* Adds the points of bins to the list of all, with the flow there that the grid has; the last point
 * of a bin is repeated up to the beginning of the next, so that no group is part of two. */
static void list_points_of_bin(void *data, int64_t bin)
{
    const node_job *const job = data;
    const vt_grid *const g = &job->s->grid;
    const bin_points *const b = &job->bins[bin];
    const int64_t open = bin * VT_BIN_NODES;
    const size_t ghosts = (size_t)b->ghosts, between = ghosts + (size_t)b->lifts;
    const size_t others = (size_t)b->open;
    float *const point = job->point + 3 * b->first, *velocity = job->velocity + 3 * b->first;
    memcpy(point, job->image + 3 * bin * BIN_GHOSTS, 3 * sizeof *point * ghosts);
    memcpy(point + 3 * ghosts, job->lifted + 3 * bin * BIN_LIFTS,
           3 * sizeof *point * (size_t)b->lifts);
    memcpy(point + 3 * between, job->open_at + 3 * open, 3 * sizeof *point * others);
    for (size_t n = 0; n < between; n++, velocity += 3)
        vti_sample_nodes(g, point + 3 * n, velocity);
    for (size_t n = 0; n < others; n++, velocity += 3)
        memcpy(velocity, &g->nodes[job->open[open + (int64_t)n]], 3 * sizeof *velocity);
    for (size_t n = between + others; n % VT_LANES; n++, velocity += 3) {
        memcpy(point + 3 * n, point + 3 * n - 3, 3 * sizeof *point);
        memset(velocity, 0, 3 * sizeof *velocity);
    }
}

/* The flow at the image of a ghost, its velocity towards the wall turned round. */
static void mirror_flow(const ghost *g, const float velocity[3], double value[3])
{
    double wall[3], flow[3];
    vti_wall_velocity(g->body, g->foot, wall);
    for (int c = 0; c < 3; c++)
        flow[c] = (double)velocity[c] - wall[c];
    for (int32_t m = 0; m < g->mirrors; m++)
        vti_add_scaled(flow, -2 * vti_dot(flow, g->normal[m]), g->normal[m]);
    for (int c = 0; c < 3; c++)
        value[c] = wall[c] + flow[c];
}

/* What flows through the wall at a node, by the flow that it is lifted to; the rest of its own
 * value stays. */
static void interpolate_to_wall(const lift *l, const float above[3], double value[3])
{
    double wall[3], change = 0;
    vti_wall_velocity(l->body, l->foot, wall);
    for (int c = 0; c < 3; c++) {
        const double there = (double)above[c] - wall[c], here = value[c] - wall[c];
        change += (l->share * there - here) * l->normal[c];
    }
    vti_add_scaled(value, change, l->normal);
}

static void find_ghost_flow(const node_job *job, int64_t bin, int32_t n, double value[3])
{
    const bin_points *const b = &job->bins[bin];
    const ghost *const g = &job->ghosts[bin * BIN_GHOSTS + n];
    const float *const velocity = job->velocity + 3 * b->first;
    mirror_flow(g, velocity + 3 * n, value);
    if (g->lift >= 0)
        interpolate_to_wall(&job->lifts[bin * BIN_LIFTS + g->lift],
                            velocity + 3 * (b->ghosts + g->lift), value);
}

/* Of a node that is two ghosts the mean. */
static void write_ghosts(const node_job *job, int64_t bin)
{
    const bin_points *const b = &job->bins[bin];
    const ghost *const ghosts = job->ghosts + bin * BIN_GHOSTS;
    for (int32_t n = 0, next; n < b->ghosts; n = next) {
        double value[3];
        find_ghost_flow(job, bin, n, value);
        next = n + 1;
        if (next < b->ghosts && ghosts[next].node == ghosts[n].node) {
            double other[3];
            find_ghost_flow(job, bin, next, other);
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
    const bin_points *const b = &job->bins[bin];
    const float *const lifted = job->velocity + 3 * (b->first + b->ghosts);
    const float *const velocity = lifted + 3 * b->lifts;
    write_ghosts(job, bin);
    for (int32_t n = 0; n < b->open; n++) {
        const int64_t at = bin * VT_BIN_NODES + n;
        const int32_t lift = job->open_lift[at];
        f4 *const node = &job->s->grid.nodes[job->open[at]];
        double value[3];
        vti_widen(velocity + 3 * n, value);
        if (lift >= 0)
            interpolate_to_wall(&job->lifts[bin * BIN_LIFTS + lift], lifted + 3 * lift, value);
        for (int c = 0; c < 3; c++)
            (*node)[c] = (float)value[c];
    }
}

void vti_correct_nodes(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    const int threads = s->def.threads;
    sort_patches(s);
    vti_list_near_bodies(s);
    p->near_cell = NULL;
    const size_t mark = vti_arena_mark(&s->arena);
    const size_t bins = (size_t)p->listed_count, nodes = bins * VT_BIN_NODES;
    const size_t most = bins * BIN_GHOSTS, most_lifts = bins * BIN_LIFTS;
    float *const side = vti_arena_push(&s->arena, sizeof *side * nodes);
    node_job job = {.s = s,
                    .side = side,
                    .bins = vti_arena_push(&s->arena, sizeof *job.bins * bins),
                    .ghosts = vti_arena_push(&s->arena, sizeof *job.ghosts * most),
                    .image = vti_arena_push(&s->arena, 3 * sizeof *job.image * most),
                    .lifts = vti_arena_push(&s->arena, sizeof *job.lifts * most_lifts),
                    .lifted = vti_arena_push(&s->arena, 3 * sizeof *job.lifted * most_lifts),
                    .open = vti_arena_push(&s->arena, sizeof *job.open * nodes),
                    .open_lift = vti_arena_push(&s->arena, sizeof *job.open_lift * nodes),
                    .open_at = vti_arena_push(&s->arena, 3 * sizeof *job.open_at * nodes)};
    s->stages->panel_sides(&p->patches, p->listed_count, p->listed_bin, side, threads);
    vti_parallel_each(threads, p->listed_count, LISTED_BLOCK, look_at_bin, &job);
    int64_t points = 0;
    for (int32_t bin = 0; bin < p->listed_count; bin++) {
        job.bins[bin].first = points;
        const bin_points *const b = &job.bins[bin];
        const int64_t here = b->ghosts + b->lifts + b->open;
        points += (here + VT_LANES - 1) / VT_LANES * VT_LANES;
    }
    job.point = vti_arena_push(&s->arena, 3 * sizeof *job.point * (size_t)points);
    job.velocity = vti_arena_push(&s->arena, 3 * sizeof *job.velocity * (size_t)points);
    vti_parallel_each(threads, p->listed_count, LISTED_BLOCK, list_points_of_bin, &job);
    s->stages->panel_pairs(&p->patches, points, job.point, job.velocity, threads);
    vti_parallel_each(threads, p->listed_count, LISTED_BLOCK, write_bin, &job);
    vti_arena_pop(&s->arena, mark);
}
