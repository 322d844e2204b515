/* What the grid lacks of the panels, at the nodes near the surfaces. */
#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "core/vec3.h"
#include "panel_parts.h"

enum { GHOST_BLOCK = 64, LISTED_BLOCK = 8 /* bins */ };

/* How far inside a node may lie whose value particles outside still meet, in cells. */
static const double deepest_ghost = 1.8;

/* Nodes as near to a wall, in cells, are taken as inside: of one that lies on a panel nobody could
 * say on which side of the jump in the velocity it is. */
static const double on_wall = 0.05;

/* A node in the middle of a thin body, to within so many cells, belongs to both of its faces: with
 * one of them the flow would not be the mirror image of itself. */
static const double middle = 1e-3;

/* ---- bins ---- */

int64_t vt_bin_at(const vt_patches *patches, const float cell[3])
{
    int64_t bin[3];
    for (int c = 0; c < 3; c++) {
        const int32_t bins = patches->bins[c];
        bin[c] = !(cell[c] > 0)                           ? 0
                 : cell[c] >= (float)(bins * VT_BIN_EDGE) ? bins - 1
                                                          : (int64_t)cell[c] / VT_BIN_EDGE;
    }
    return (bin[2] * patches->bins[1] + bin[1]) * patches->bins[0] + bin[0];
}

/* The bin of a patch and those beside it, but for those that lie deeper behind its plane than that.
 */
static void mark_near(const vt_patches *patches, const vt_patch *p, float depth, uint8_t *near)
{
    enum { EDGE = VT_BIN_EDGE };
    const int64_t bx = patches->bins[0], by = patches->bins[1], bz = patches->bins[2];
    const int64_t bin = vt_bin_at(patches, p->center);
    const int64_t i = bin % bx, j = bin / bx % by, k = bin / (bx * by);
    const float *const n = p->normal, *const at = p->center;
    const float middle = 0.5f * (EDGE - 1);
    const float most = depth + middle * (fabsf(n[0]) + fabsf(n[1]) + fabsf(n[2]));
    for (int64_t z = k > 0 ? k - 1 : 0; z <= k + 1 && z < bz; z++)
        for (int64_t y = j > 0 ? j - 1 : 0; y <= j + 1 && y < by; y++)
            for (int64_t x = i > 0 ? i - 1 : 0; x <= i + 1 && x < bx; x++) {
                const float height = n[0] * ((float)(EDGE * x) + middle - at[0]) +
                                     n[1] * ((float)(EDGE * y) + middle - at[1]) +
                                     n[2] * ((float)(EDGE * z) + middle - at[2]);
                if (height > -most)
                    near[(z * by + y) * bx + x] = 1;
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

/* Numbers of the patches within reach, to a list; marks the bins near them. Returns how many. */
static int32_t list_reached(const vt_simulation *s, int32_t *list)
{
    const vt_panels *const p = &s->panels;
    int32_t found = 0;
    for (int32_t b = 0; b < p->body_count; b++) {
        const vt_paneled_body *const body = &p->bodies[b];
        const int32_t first = body->first_patch;
        const double depth = deepest_ghost + 0.2 + vt_find_bulge(body) / s->grid.spacing;
        for (int32_t n = first; n < first + body->patch_count; n++)
            if (is_in_reach(&s->grid, &p->patch[n])) {
                mark_near(&p->patches, &p->patch[n], (float)depth, p->near_bin);
                list[found++] = n;
            }
    }
    return found;
}

static void sort_patches(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    vt_patches *const patches = &p->patches;
    const size_t mark = vt_arena_mark(&s->arena);
    int32_t *const reached = vt_arena_push(&s->arena, 4 * (size_t)p->patch_count);
    int64_t bins = 1;
    for (int c = 0; c < 3; c++) {
        patches->bins[c] = s->grid.cells[c] / VT_BIN_EDGE + 1;
        bins *= patches->bins[c];
    }
    p->near_bin = vt_arena_push(&p->arena, (size_t)bins);
    memset(p->near_bin, 0, (size_t)bins);
    const int32_t count = list_reached(s, reached);
    uint32_t *const first = vt_arena_push(&p->arena, 4 * ((size_t)bins + 2));
    vt_patch *const item = vt_arena_push(&p->arena, sizeof *item * (size_t)count);
    p->listed_bin = vt_arena_push(&p->arena, 4 * (size_t)bins);
    memset(first, 0, 4 * ((size_t)bins + 2));
    /* counts lie two further on, so that placing leaves the beginnings where they belong */
    for (int32_t n = 0; n < count; n++)
        first[vt_bin_at(patches, p->patch[reached[n]].center) + 2]++;
    for (int64_t bin = 0; bin < bins; bin++)
        first[bin + 2] += first[bin + 1];
    for (int32_t n = 0; n < count; n++) {
        const vt_patch *const patch = &p->patch[reached[n]];
        item[first[vt_bin_at(patches, patch->center) + 1]++] = *patch;
    }
    patches->first = first;
    patches->item = item;
    for (int c = 0; c < 3; c++) {
        float *const center = vt_arena_push(&p->arena, sizeof *center * (size_t)(count + VT_LANES));
        for (int32_t n = 0; n < count; n++)
            center[n] = item[n].center[c];
        patches->center[c] = center;
    }
    p->slot = vt_arena_push(&p->arena, 4 * (size_t)bins);
    p->listed_count = 0;
    for (int64_t bin = 0; bin < bins; bin++) {
        if (p->near_bin[bin])
            p->listed_bin[p->listed_count++] = (uint32_t)bin;
        p->slot[bin] = p->near_bin[bin] ? (uint32_t)p->listed_count : 0;
    }
    p->smooth =
        vt_arena_push(&p->arena, sizeof *p->smooth * (size_t)p->listed_count * VT_BIN_NODES);
    vt_arena_pop(&s->arena, mark);
}

/* ---- nodes inside ---- */

enum { MOST_MIRRORS = 3, BIN_GHOSTS = 2 * VT_BIN_NODES };

/* A node inside a body near its surface, and its image outside; behind the corner of a container
 * that is one in two or three walls. A node between two faces is two ghosts, one after the other.
 */
typedef struct ghost {
    int64_t node; /* in grid.nodes */
    const vt_paneled_body *body;
    int32_t mirrors;
    double foot[3], normal[MOST_MIRRORS][3]; /* of the first wall; of all */
} ghost;

typedef struct node_job {
    vt_simulation *s;
    const f4 *correction;
    int64_t *node; /* of each node of the bins, -1: beyond the grid */
    /* those of bin b from b x BIN_GHOSTS on, and how many they are */
    ghost *ghosts;
    float *found; /* their images, cells */
    int32_t *count;
    /* one after the other: places of ghosts, images and the flow there, m/s */
    int64_t ghost_count, *place;
    float *image, *velocity;
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

/* The node at a point (m), with that room and normal. */
static void mirror_node(const vt_simulation *s, double point[3], double room,
                        const double normal[3], ghost *g, float image[3])
{
    const double h = s->grid.spacing;
    memcpy(g->normal[0], normal, sizeof g->normal[0]);
    for (int c = 0; c < 3; c++)
        g->foot[c] = point[c] - room * normal[c];
    for (g->mirrors = 1;; g->mirrors++) {
        const vt_paneled_body *body = NULL;
        vt_add_scaled(point, fmax(-room, on_wall * h) - room, g->normal[g->mirrors - 1]);
        if (!g->body->body->hole || g->mirrors == MOST_MIRRORS)
            break;
        room = vt_nearest_wall(s, point, 0, g->normal[g->mirrors], &body);
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
    double beyond[3], least = INFINITY;
    for (int32_t n = 0; n < b->body->solid_count; n++)
        least = fmin(least, b->body->scale * b->body->solids[n].inscribed);
    if (b->body->hole || -room < least - middle * h)
        return 0;
    memcpy(beyond, point, sizeof beyond);
    vt_add_scaled(beyond, -2 * middle * h, normal);
    vt_nearest_wall(s, beyond, on_wall * h, other, &body);
    return body == b && vt_dot(other, normal) < 0;
}

static void add_ghost(const node_job *job, int64_t n, const double point[3], double room,
                      const double normal[3], const vt_paneled_body *body)
{
    const int64_t bin = n / VT_BIN_NODES, at = bin * BIN_GHOSTS + job->count[bin]++;
    double place[3];
    memcpy(place, point, sizeof place);
    job->ghosts[at] = (ghost){.node = job->node[n], .body = body};
    mirror_node(job->s, place, room, normal, &job->ghosts[at], job->found + 3 * at);
}

/* What a node near the surface is, of place n in the listed bins: outside of bodies, behind a
 * surface, or deep inside, where it moves with the body. */
static void look_at_node(const node_job *job, int64_t n)
{
    vt_simulation *const s = job->s;
    const vt_panels *const p = &s->panels;
    const double h = s->grid.spacing;
    const int64_t bin = n / VT_BIN_NODES;
    int32_t cell[3];
    job->node[n] = node_of(s, p->listed_bin[bin], (int)(n % VT_BIN_NODES), cell);
    if (job->node[n] >= 0)
        p->smooth[n] = s->grid.nodes[job->node[n]];
    if (job->node[n] < 0 || job->correction[n][3] > 0.5f)
        return;
    double point[3], normal[3];
    const vt_paneled_body *body = NULL;
    for (int c = 0; c < 3; c++)
        point[c] = (cell[c] + s->grid.base[c]) * h;
    const double room = vt_nearest_wall(s, point, on_wall * h, normal, &body);
    if (!(room < on_wall * h))
        return;
    f4 *const node = &s->grid.nodes[job->node[n]];
    if (room < -deepest_ghost * h) {
        double velocity[3];
        vt_rigid_velocity(body, point, velocity);
        for (int c = 0; c < 3; c++)
            (*node)[c] = (float)velocity[c];
    } else {
        double other[3];
        add_ghost(job, n, point, room, normal, body);
        if (is_between(s, body, point, room, normal, other))
            add_ghost(job, n, point, room, other, body);
    }
    job->node[n] = -1;
}

static void look_at_bins(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const node_job *const job = data;
    for (int64_t bin = begin; bin < end; bin++) {
        const int64_t first = bin * VT_BIN_NODES;
        job->count[bin] = 0;
        for (int64_t n = first; n < first + VT_BIN_NODES; n++)
            look_at_node(job, n);
    }
}

/* Returns how many ghosts there are. */
static int64_t list_ghosts(const node_job *job)
{
    int64_t ghosts = 0;
    for (int64_t bin = 0; bin < job->s->panels.listed_count; bin++)
        for (int32_t n = 0; n < job->count[bin]; n++, ghosts++) {
            const int64_t at = bin * BIN_GHOSTS + n;
            job->place[ghosts] = at;
            memcpy(job->image + 3 * ghosts, job->found + 3 * at, 3 * sizeof *job->image);
        }
    return ghosts;
}

void vt_sample_nodes(const vt_grid *g, const float cell[3], float value[3])
{
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
        sum += share *
               g->nodes[(low[2] + k) * g->node_plane + (low[1] + j) * g->node_row + low[0] + i];
    }
    memcpy(value, &sum, 3 * sizeof *value);
}

static void sample_images(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const node_job *const job = data;
    for (int64_t n = begin; n < end; n++)
        vt_sample_nodes(&job->s->grid, job->image + 3 * n, job->velocity + 3 * n);
}

/* The flow at the image of a ghost, its velocity towards the wall turned round. */
static void mirror_flow(const node_job *job, int64_t n, double value[3])
{
    const ghost *const g = &job->ghosts[job->place[n]];
    double wall[3], flow[3];
    vt_rigid_velocity(g->body, g->foot, wall);
    for (int c = 0; c < 3; c++)
        flow[c] = (double)job->velocity[3 * n + c] - wall[c];
    for (int32_t m = 0; m < g->mirrors; m++)
        vt_add_scaled(flow, -2 * vt_dot(flow, g->normal[m]), g->normal[m]);
    for (int c = 0; c < 3; c++)
        value[c] = wall[c] + flow[c];
}

static int64_t node_of_ghost(const node_job *job, int64_t n)
{
    return n >= 0 && n < job->ghost_count ? job->ghosts[job->place[n]].node : -1;
}

static void write_ghosts(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const node_job *const job = data;
    for (int64_t n = begin; n < end; n++) {
        const int64_t at = node_of_ghost(job, n);
        f4 *const node = &job->s->grid.nodes[at];
        double value[3], other[3];
        if (at == node_of_ghost(job, n - 1))
            continue;
        mirror_flow(job, n, value);
        if (at == node_of_ghost(job, n + 1)) {
            mirror_flow(job, n + 1, other);
            for (int c = 0; c < 3; c++)
                value[c] = 0.5 * (value[c] + other[c]);
        }
        for (int c = 0; c < 3; c++)
            (*node)[c] = (float)value[c];
    }
}

static void correct_bins(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const node_job *const job = data;
    for (int64_t n = begin * VT_BIN_NODES; n < end * VT_BIN_NODES; n++)
        for (int c = 0; c < 3 && job->node[n] >= 0; c++)
            job->s->grid.nodes[job->node[n]][c] += job->correction[n][c];
}

void vt_correct_nodes(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    const int threads = s->def.threads;
    sort_patches(s);
    vt_list_near_bodies(s);
    p->near_cell = p->held_cell = NULL;
    const size_t mark = vt_arena_mark(&s->arena);
    const size_t bins = (size_t)p->listed_count, nodes = bins * VT_BIN_NODES;
    const size_t most = bins * BIN_GHOSTS;
    f4 *const correction = vt_arena_push(&s->arena, sizeof *correction * nodes);
    node_job job = {.s = s,
                    .correction = correction,
                    .node = vt_arena_push(&s->arena, sizeof *job.node * nodes),
                    .ghosts = vt_arena_push(&s->arena, sizeof *job.ghosts * most),
                    .found = vt_arena_push(&s->arena, 12 * most),
                    .count = vt_arena_push(&s->arena, sizeof *job.count * bins),
                    .place = vt_arena_push(&s->arena, sizeof *job.place * most),
                    .image = vt_arena_push(&s->arena, 12 * most),
                    .velocity = vt_arena_push(&s->arena, 12 * most)};
    s->stages->panel_nodes(&p->patches, p->listed_count, p->listed_bin, correction, threads);
    vt_parallel_for(threads, p->listed_count, LISTED_BLOCK, look_at_bins, &job);
    const int64_t ghosts = list_ghosts(&job);
    job.ghost_count = ghosts;
    vt_parallel_for(threads, ghosts, GHOST_BLOCK, sample_images, &job);
    s->stages->panel_pairs(&p->patches, ghosts, job.image, job.velocity, threads);
    vt_parallel_for(threads, p->listed_count, LISTED_BLOCK, correct_bins, &job);
    vt_parallel_for(threads, ghosts, GHOST_BLOCK, write_ghosts, &job);
    vt_arena_pop(&s->arena, mark);
}
