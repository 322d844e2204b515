#include "panels/near_nodes.h"

#include "panels/nearest_wall.h"
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
    const vt_patches *const patches = &p->near.patches;
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
                if (p->near.slot[n] || level + VT_BIN_EDGE * (normal[0] * (float)i + across) <= 0)
                    continue;
                p->near.listed_bin[p->near.listed_count++] = (uint32_t)n;
                p->near.slot[n] = (uint32_t)p->near.listed_count;
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

/* Copies of the patches, those of a bin one after the other. */
static void place_patches(vt_near_nodes *near, const vt_panels *p, int32_t count,
                          const vt_patch **reached, size_t bins)
{
    uint32_t *const first = vti_arena_push(&near->arena, 4 * (bins + 2));
    int32_t *const order = vti_arena_push(&near->arena, sizeof *order * (size_t)count);
    near->item = vti_arena_push(&near->arena, sizeof *near->item * (size_t)count);
    memset(first, 0, 4 * (bins + 2));
    /* counts lie two further on, so that placing leaves the beginnings where they belong */
    for (int32_t n = 0; n < count; n++)
        first[vti_bin_at(&near->patches, reached[n]->center) + 2]++;
    for (size_t bin = 0; bin < bins; bin++)
        first[bin + 2] += first[bin + 1];
    for (int32_t n = 0; n < count; n++) {
        const uint32_t at = first[vti_bin_at(&near->patches, reached[n]->center) + 1]++;
        const int is_image = reached[n] < p->patch || reached[n] >= p->patch + p->patch_count;
        near->item[at] = *reached[n];
        order[at] =
            is_image ? -1 - (int32_t)(reached[n] - p->image) : (int32_t)(reached[n] - p->patch);
    }
    near->item_count = count;
    near->order = order;
    near->patches.first = first;
    near->patches.item = near->item;
}

static void sort_patches(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    vt_near_nodes *const near = &p->near;
    const size_t mark = vti_arena_mark(&s->arena);
    const size_t most = (size_t)p->patch_count + (size_t)p->image_count;
    const vt_patch **const reached = vti_arena_push(&s->arena, sizeof *reached * most);
    size_t bins = 1;
    for (int c = 0; c < 3; c++) {
        near->patches.bins[c] = s->grid.cells[c] / VT_BIN_EDGE + 1;
        bins *= (size_t)near->patches.bins[c];
    }
    near->listed_bin = vti_arena_push(&near->arena, 4 * bins);
    near->slot = vti_arena_push(&near->arena, 4 * bins);
    memset(near->slot, 0, 4 * bins);
    near->listed_count = 0;
    const int32_t count = list_reached(s, reached);
    place_patches(near, p, count, reached, bins);
    for (int c = 0; c < 3; c++) {
        float *const center =
            vti_arena_push(&near->arena, sizeof *center * (size_t)(count + VT_LANES));
        for (int32_t n = 0; n < count; n++)
            center[n] = near->item[n].center[c];
        near->patches.center[c] = center;
    }
    vti_arena_pop(&s->arena, mark);
}

static void take_densities(vt_panels *p)
{
    vt_near_nodes *const near = &p->near;
    for (int32_t n = 0; n < near->item_count; n++) {
        const int32_t of = near->order[n];
        near->item[n].density = of < 0 ? p->image[-1 - of].density : p->patch[of].density;
    }
}

/* ---- nodes ---- */

enum { BIN_GHOSTS = 2 * VT_BIN_NODES, BIN_LIFTS = 3 * VT_BIN_NODES };

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

/* Lists with room for what each bin may have at most: those of bin b begin at b times that. */
typedef struct node_job {
    vt_simulation *s;
    const float *side;
    vt_near_bin *bins;
    vt_ghost *ghosts;
    float *image; /* of ghosts, cells */
    vt_lift *lifts;
    float *lifted; /* their points, cells */
    vt_open_node *open;
    float *open_at; /* cells */
    vt_deep_node *deep;
} node_job;

/* The node of place n in a bin, -1 beyond the grid; its place in cells. */
static int64_t node_of(const vt_simulation *s, uint32_t bin, int n, int32_t cell[3])
{
    const int32_t *const bins = s->panels.near.patches.bins;
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
static void mirror_node(const vt_simulation *s, const vt_paneled_body *of, double point[3],
                        double room, const double normal[3], vt_ghost *g, float image[3])
{
    const double h = s->grid.spacing;
    memcpy(g->normal[0], normal, sizeof g->normal[0]);
    for (int c = 0; c < 3; c++)
        g->foot[c] = point[c] - room * normal[c];
    for (g->mirrors = 1;; g->mirrors++) {
        const vt_paneled_body *body = NULL;
        vti_add_scaled(point, fmax(-room, on_wall * h) - room, g->normal[g->mirrors - 1]);
        if (!of->body->hole || g->mirrors == VT_GHOST_WALLS)
            break;
        room = vti_nearest_wall(s, point, 0, g->normal[g->mirrors], &body);
        if (!(room < 0 && body == of))
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

static int32_t number_of(const vt_simulation *s, const vt_paneled_body *b)
{
    return (int32_t)(b - s->panels.bodies);
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
    vt_lift *const l = &job->lifts[at];
    *l = (vt_lift){.body = number_of(s, body), .share = room / height};
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
    vt_ghost *const g = &job->ghosts[at];
    double place[3];
    memcpy(place, point, sizeof place);
    *g = (vt_ghost){.node = node, .body = number_of(job->s, body), .lift = -1};
    mirror_node(job->s, body, place, room, normal, g, job->image + 3 * at);
    if (g->mirrors == 1)
        g->lift = add_lift(job, bin, point, room, normal, body);
}

static void add_open(const node_job *job, int64_t bin, int64_t node, const int32_t cell[3],
                     int32_t lift)
{
    const int64_t at = bin * VT_BIN_NODES + job->bins[bin].open++;
    job->open[at] = (vt_open_node){node, lift};
    for (int c = 0; c < 3; c++)
        job->open_at[3 * at + c] = (float)cell[c];
}

static void add_deep(const node_job *job, int64_t bin, int64_t node, const double point[3],
                     const vt_paneled_body *body)
{
    job->deep[bin * VT_BIN_NODES + job->bins[bin].deep++] =
        (vt_deep_node){node, number_of(job->s, body), {point[0], point[1], point[2]}};
}

/* What a node near the surface is, of place n in a listed bin: outside of bodies, behind a surface,
 * or deep inside. */
static void look_at_node(const node_job *job, int64_t bin, int n)
{
    const vt_simulation *const s = job->s;
    const double h = s->grid.spacing;
    const float side = job->side[bin * VT_BIN_NODES + n];
    int32_t cell[3];
    const int64_t at = node_of(s, s->panels.near.listed_bin[bin], n, cell);
    if (at < 0 || side >= VT_FAR_FROM_PATCHES)
        return;
    double point[3], normal[3], other[3], room = INFINITY;
    const vt_paneled_body *body = NULL;
    for (int c = 0; c < 3; c++)
        point[c] = (cell[c] + s->grid.base[c]) * h;
    if (side < (float)(0.5 + lifted_within))
        room = vti_nearest_wall(s, point, lifted_within * h, normal, &body);
    if (!(room < on_wall * h)) {
        add_open(job, bin, at, cell, body ? add_lift(job, bin, point, room, normal, body) : -1);
    } else if (room < -deepest_ghost(&s->grid) * h) {
        add_deep(job, bin, at, point, body);
    } else {
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
    job->bins[bin] = (vt_near_bin){.ghosts = 0};
    for (int n = 0; n < VT_BIN_NODES; n++) /* cubes of cubes, again so that they are near */
        look_at_node(job, bin,
                     (n & 1) + (n >> 2 & 2) + EDGE * ((n >> 1 & 1) + (n >> 3 & 2)) +
                         EDGE * EDGE * ((n >> 2 & 1) + (n >> 4 & 2)));
}

/* ---- the lists of all ---- */

/* Where the parts of the bins begin; the counts of all to *all. */
static void find_beginnings(vt_near_nodes *near, vt_near_bin *all)
{
    *all = (vt_near_bin){.ghosts = 0};
    for (int64_t n = 0; n < near->listed_count; n++) {
        vt_near_bin *const bin = &near->bins[n];
        const int64_t points = bin->ghosts + bin->lifts + bin->open;
        bin->first_ghost = all->first_ghost;
        bin->first_lift = all->first_lift;
        bin->first_open = all->first_open;
        bin->first_deep = all->first_deep;
        bin->first_point = all->first_point;
        all->first_ghost += bin->ghosts;
        all->first_lift += bin->lifts;
        all->first_open += bin->open;
        all->first_deep += bin->deep;
        all->first_point += (points + VT_LANES - 1) / VT_LANES * VT_LANES;
    }
}

static void take_part(void *to, const void *from, size_t row, int64_t first, int64_t at,
                      int32_t count)
{
    memcpy((char *)to + row * (size_t)first, (const char *)from + row * (size_t)at,
           row * (size_t)count);
}

static void take_bin(void *data, int64_t n)
{
    const node_job *const job = data;
    vt_near_nodes *const near = &job->s->panels.near;
    const vt_near_bin *const bin = &near->bins[n];
    const int64_t ghost = n * BIN_GHOSTS, lift = n * BIN_LIFTS, node = n * VT_BIN_NODES;
    const size_t row = 3 * sizeof *near->point;
    int64_t point = bin->first_point;
    take_part(near->ghosts, job->ghosts, sizeof *job->ghosts, bin->first_ghost, ghost, bin->ghosts);
    take_part(near->lifts, job->lifts, sizeof *job->lifts, bin->first_lift, lift, bin->lifts);
    take_part(near->open, job->open, sizeof *job->open, bin->first_open, node, bin->open);
    take_part(near->deep, job->deep, sizeof *job->deep, bin->first_deep, node, bin->deep);
    take_part(near->point, job->image, row, point, ghost, bin->ghosts);
    take_part(near->point, job->lifted, row, point += bin->ghosts, lift, bin->lifts);
    take_part(near->point, job->open_at, row, point += bin->lifts, node, bin->open);
    for (point += bin->open; point % VT_LANES; point++)
        memcpy(near->point + 3 * point, near->point + 3 * point - 3, row);
}

static void list_nodes(vt_simulation *s)
{
    vt_near_nodes *const near = &s->panels.near;
    const int threads = s->def.threads;
    const size_t mark = vti_arena_mark(&s->arena);
    const size_t bins = (size_t)near->listed_count, nodes = bins * VT_BIN_NODES;
    const size_t ghosts = bins * BIN_GHOSTS, lifts = bins * BIN_LIFTS;
    float *const side = vti_arena_push(&s->arena, sizeof *side * nodes);
    near->bins = vti_arena_push(&near->arena, sizeof *near->bins * bins);
    node_job job = {.s = s, .side = side, .bins = near->bins};
    job.ghosts = vti_arena_push(&s->arena, sizeof *job.ghosts * ghosts);
    job.image = vti_arena_push(&s->arena, 3 * sizeof *job.image * ghosts);
    job.lifts = vti_arena_push(&s->arena, sizeof *job.lifts * lifts);
    job.lifted = vti_arena_push(&s->arena, 3 * sizeof *job.lifted * lifts);
    job.open = vti_arena_push(&s->arena, sizeof *job.open * nodes);
    job.open_at = vti_arena_push(&s->arena, 3 * sizeof *job.open_at * nodes);
    job.deep = vti_arena_push(&s->arena, sizeof *job.deep * nodes);
    s->stages->panel_sides(&near->patches, near->listed_count, near->listed_bin, side, threads);
    vti_parallel_each(threads, near->listed_count, LISTED_BLOCK, look_at_bin, &job);
    vt_near_bin all;
    find_beginnings(near, &all);
    near->ghosts = vti_arena_push(&near->arena, sizeof *near->ghosts * (size_t)all.first_ghost);
    near->lifts = vti_arena_push(&near->arena, sizeof *near->lifts * (size_t)all.first_lift);
    near->open = vti_arena_push(&near->arena, sizeof *near->open * (size_t)all.first_open);
    near->deep = vti_arena_push(&near->arena, sizeof *near->deep * (size_t)all.first_deep);
    near->point_count = all.first_point;
    near->point = vti_arena_push(&near->arena, 3 * sizeof *near->point * (size_t)all.first_point);
    vti_parallel_each(threads, near->listed_count, LISTED_BLOCK, take_bin, &job);
    vti_arena_pop(&s->arena, mark);
}

/* ---- what is known already ---- */

static vt_known_body what_is_known_of(const vt_paneled_body *b)
{
    vt_known_body known;
    memset(&known, 0, sizeof known); /* they are compared with what lies between the members */
    known.pose = b->pose;
    known.laid = b->laid;
    known.set = b->set;
    known.half_thickness = b->half_thickness;
    known.number = b->number;
    known.sheds = vti_sheds(b->body);
    return known;
}

/* Of a body that deforms nothing stays. */
static int is_known(const vt_simulation *s)
{
    const vt_panels *const p = &s->panels;
    const vt_grid *const g = &s->grid, *const then = &p->near.grid;
    int known = p->near.body_count == p->body_count && g->spacing == then->spacing &&
                g->fourth == then->fourth && g->walled == then->walled;
    for (int c = 0; c < 3; c++)
        known = known && g->cells[c] == then->cells[c] && g->base[c] == then->base[c];
    for (int32_t n = 0; n < p->body_count && known; n++) {
        const vt_known_body now = what_is_known_of(&p->bodies[n]);
        known = !p->bodies[n].body->form && memcmp(&now, &p->near.bodies[n], sizeof now) == 0;
    }
    return known;
}

static void begin_anew(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    vt_near_nodes *const near = &p->near;
    vti_arena_pop(&near->arena, 0);
    near->bodies = vti_arena_push(&near->arena, sizeof *near->bodies * (size_t)p->body_count);
    near->body_count = p->body_count;
    for (int32_t n = 0; n < p->body_count; n++)
        near->bodies[n] = what_is_known_of(&p->bodies[n]);
    near->grid = s->grid;
    near->near_cell = NULL;
    near->plan = (vt_pair_plan){NULL, NULL};
}

void vti_find_near_nodes(vt_simulation *s)
{
    if (!is_known(s)) {
        begin_anew(s);
        sort_patches(s);
        vti_list_near_bodies(s);
        list_nodes(s);
    }
    take_densities(&s->panels);
}
