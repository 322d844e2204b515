/* Velocity of patches (patches.h): lanes are targets, every target adds the patches in the same
 * order. */
#include "core/mathf.h"
#include "core/parallel.h"
#include "stages/pairs.h"
#include "stages/patches.h"
#include "stages/stages.h"

enum { BIN_BLOCK = 4, POINT_BLOCK = 128, MOST_LISTED = 512 };

static const float per_sphere = (float)(1 / (4 * VT_PI));

/* The same with a vector that all lanes share. */
VT_INLINE vf project(const vf a[3], const float b[3])
{
    return vf_fma(a[2], vf_set(b[2]), vf_fma(a[1], vf_set(b[1]), a[0] * b[0]));
}

/* The flat triangle where the mask is set, density x 4 pi included. */
static __attribute__((noinline)) void add_exact(const vt_patch *p, const vf x[3], vi mask, vf u[3])
{
    vf way[3][3], length[3], sum[3];
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++)
            way[k][c] = p->corner[k][c] - x[c];
        length[k] = vf_sqrt(vf_dot(way[k], way[k]));
    }
    const vf cross[3] = {way[1][1] * way[2][2] - way[1][2] * way[2][1],
                         way[1][2] * way[2][0] - way[1][0] * way[2][2],
                         way[1][0] * way[2][1] - way[1][1] * way[2][0]};
    const vf triple = vf_dot(way[0], cross);
    vf below = length[0] * length[1] * length[2];
    below = vf_fma(vf_dot(way[0], way[1]), length[2], below);
    below = vf_fma(vf_dot(way[1], way[2]), length[0], below);
    below = vf_fma(vf_dot(way[2], way[0]), length[1], below);
    const vf angle = 2.0f * vf_upper_angle(vf_max(triple, -triple), below);
    const vf signed_angle = vf_select(project(way[0], p->normal) < (vf){0}, angle, -angle);
    for (int c = 0; c < 3; c++)
        sum[c] = signed_angle * p->normal[c];
    for (int k = 0; k < 3; k++) {
        const vf both = length[k] + length[(k + 1) % 3];
        const float size = p->length[k];
        const vf l = vf_log((both + size) / vf_max(both - size, vf_set(1e-6f * size)));
        for (int c = 0; c < 3; c++)
            sum[c] = vf_fma(l, vf_set(p->outward[k][c]), sum[c]);
    }
    const vf density = vf_select(mask, vf_set(p->density), (vf){0});
    for (int c = 0; c < 3; c++)
        u[c] = vf_fma(density, sum[c], u[c]);
}

/* What the targets have gathered, times 4 pi. */
typedef struct target {
    vf x[3], u[3], nearest, side; /* of the nearest: square of the distance, and from its plane */
} target;

VT_INLINE void add_patch(const vt_patch *p, int smooth, const vt_core_table *table, target *t)
{
    const vf d[3] = {t->x[0] - p->center[0], t->x[1] - p->center[1], t->x[2] - p->center[2]};
    const vf square = vf_dot(d, d);
    const vi near = square < p->near_square;
    const vf safe = vf_max(square, vf_set(1e-12f));
    vf factor = vf_select(near, (vf){0}, 1.0f / (safe * vf_sqrt(safe)));
    vi exact = near;
    if (smooth) {
        const float narrow = 1 / vt_panel_sigma;
        const vi within = square < vt_panel_reach * vt_panel_reach;
        const vf core = vt_look_up_quartic(table->velocity, square * (narrow * narrow));
        factor = vf_fma(core, vf_set(-narrow * narrow * narrow), factor);
        factor = vf_select(within, factor, (vf){0});
        exact &= within;
        const vi closer = square < t->nearest;
        t->nearest = vf_select(closer, square, t->nearest);
        t->side = vf_select(closer, project(d, p->normal), t->side);
    }
    factor *= p->density * p->area;
    for (int c = 0; c < 3; c++)
        t->u[c] = vf_fma(d[c], factor, t->u[c]);
    if (vi_any(exact))
        add_exact(p, t->x, exact, t->u);
}

/* ---- those within reach of a box ---- */

typedef struct box {
    float low[3], high[3];
} box;

static int32_t bin_of(float at, int32_t bins)
{
    return !(at > 0) ? 0 : at >= (float)(bins * VT_BIN_EDGE) ? bins - 1 : (int32_t)at / VT_BIN_EDGE;
}

/* Which of VL patches lie within reach. */
VT_INLINE vi are_within(const box *b, const vt_patches *patches, uint32_t i)
{
    vf square = {0};
    for (int c = 0; c < 3; c++) {
        const vf center = vf_load(patches->center[c] + i);
        const vf out = vf_max(vf_max(b->low[c] - center, center - b->high[c]), (vf){0});
        square = vf_fma(out, out, square);
    }
    return square < vf_set(vt_panel_reach * vt_panel_reach);
}

/* Patches one after the other, from a bin and a place in it on: they may be too many for one list.
 */
typedef struct cursor {
    int32_t low[3], high[3], j, k;
    uint32_t next;
} cursor;

static cursor start_at(const vt_patches *patches, const box *b)
{
    cursor c = {.next = 0};
    for (int a = 0; a < 3; a++) {
        c.low[a] = bin_of(b->low[a] - vt_panel_reach, patches->bins[a]);
        c.high[a] = bin_of(b->high[a] + vt_panel_reach, patches->bins[a]);
    }
    c.j = c.low[1];
    c.k = c.low[2];
    return c;
}

/* The next of them, at most MOST_LISTED; 0: there are no more. */
static int list_patches(const vt_patches *patches, const box *b, cursor *c,
                        const vt_patch *list[MOST_LISTED])
{
    int listed = 0;
    for (; c->k <= c->high[2]; c->k++, c->j = c->low[1])
        for (; c->j <= c->high[1]; c->j++, c->next = 0) {
            const int64_t row = ((int64_t)c->k * patches->bins[1] + c->j) * patches->bins[0];
            const uint32_t end = patches->first[row + c->high[0] + 1];
            if (c->next == 0)
                c->next = patches->first[row + c->low[0]];
            for (; c->next < end; c->next += VL) {
                if (listed > MOST_LISTED - VL)
                    return listed;
                const vi within = are_within(b, patches, c->next);
                for (uint32_t l = 0; l < VL && c->next + l < end && vi_any(within); l++)
                    if (within[l])
                        list[listed++] = &patches->item[c->next + l];
            }
        }
    return listed;
}

/* ---- nodes ---- */

typedef struct context {
    const vt_patches *patches;
    int64_t patch_count;
    const vt_patch *patch;
    const uint32_t *bins;
    f4 *correction;
    int64_t count;
    const float *points;
    float *velocity;
} context;

enum { TARGETS = VT_BIN_NODES / VL };

static void node_targets(const box *b, target t[TARGETS])
{
    for (int v = 0; v < TARGETS; v++) {
        t[v] = (target){.nearest = vf_set(1e12f), .side = vf_set(1e6f)};
        for (int l = 0; l < VL; l++) {
            const int n = v * VL + l;
            t[v].x[0][l] = b->low[0] + (float)(n % VT_BIN_EDGE);
            t[v].x[1][l] = b->low[1] + (float)(n / VT_BIN_EDGE % VT_BIN_EDGE);
            t[v].x[2][l] = b->low[2] + (float)(n / (VT_BIN_EDGE * VT_BIN_EDGE));
        }
    }
}

static void correct_bins(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    const vt_patches *const patches = c->patches;
    const vt_core_table *const table = vt_gaussian_table();
    const vt_patch *list[MOST_LISTED];
    for (int64_t n = begin; n < end; n++) {
        const int64_t bin = c->bins[n], bx = patches->bins[0], by = patches->bins[1];
        const int64_t at[3] = {bin % bx, bin / bx % by, bin / (bx * by)};
        box b;
        for (int a = 0; a < 3; a++) {
            b.low[a] = (float)(at[a] * VT_BIN_EDGE);
            b.high[a] = b.low[a] + (VT_BIN_EDGE - 1);
        }
        target t[TARGETS];
        node_targets(&b, t);
        cursor cursor = start_at(patches, &b);
        for (int listed; (listed = list_patches(patches, &b, &cursor, list)) > 0;)
            for (int v = 0; v < TARGETS; v++)
                for (int i = 0; i < listed; i++)
                    add_patch(list[i], 1, table, &t[v]);
        for (int v = 0; v < TARGETS; v++) {
            const vf lanes[4] = {t[v].u[0] * per_sphere, t[v].u[1] * per_sphere,
                                 t[v].u[2] * per_sphere, t[v].side};
            for (int l = 0; l < VL; l++)
                c->correction[n * VT_BIN_NODES + v * VL + l] =
                    (f4){lanes[0][l], lanes[1][l], lanes[2][l], lanes[3][l]};
        }
    }
}

void VT_NAME(panel_nodes)(const vt_patches *patches, int64_t count, const uint32_t *bins,
                          f4 *correction, int threads)
{
    context c = {.patches = patches, .bins = bins, .correction = correction};
    vt_parallel_for(threads, count, BIN_BLOCK, correct_bins, &c);
}

/* ---- points ---- */

enum { GROUP = VT_LANES, VECTORS = GROUP / VL };

/* Past the last point it is repeated. */
static box point_targets(const context *c, int64_t first, target t[VECTORS])
{
    box b;
    for (int a = 0; a < 3; a++)
        b.low[a] = b.high[a] = c->points[3 * first + a];
    for (int n = 0; n < GROUP; n++) {
        const int64_t row = first + n < c->count ? first + n : c->count - 1;
        for (int a = 0; a < 3; a++) {
            const float x = c->points[3 * row + a];
            b.low[a] = x < b.low[a] ? x : b.low[a];
            b.high[a] = x > b.high[a] ? x : b.high[a];
            t[n / VL].x[a][n % VL] = x;
        }
    }
    for (int v = 0; v < VECTORS; v++) {
        t[v].nearest = vf_set(1e12f);
        t[v].side = vf_set(1e6f);
        for (int a = 0; a < 3; a++)
            t[v].u[a] = (vf){0};
    }
    return b;
}

static void add_to_points(const context *c, int64_t first, const target t[VECTORS])
{
    for (int n = 0; n < GROUP && first + n < c->count; n++)
        for (int a = 0; a < 3; a++)
            c->velocity[3 * (first + n) + a] += t[n / VL].u[a][n % VL] * per_sphere;
}

static void correct_points(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    const vt_core_table *const table = vt_gaussian_table();
    const vt_patch *list[MOST_LISTED];
    for (int64_t first = begin; first < end; first += GROUP) {
        target t[VECTORS];
        const box b = point_targets(c, first, t);
        cursor cursor = start_at(c->patches, &b);
        for (int listed; (listed = list_patches(c->patches, &b, &cursor, list)) > 0;)
            for (int v = 0; v < VECTORS; v++)
                for (int i = 0; i < listed; i++)
                    add_patch(list[i], 1, table, &t[v]);
        add_to_points(c, first, t);
    }
}

void VT_NAME(panel_pairs)(const vt_patches *patches, int64_t count, const float *points,
                          float *velocity, int threads)
{
    context c = {.patches = patches, .count = count, .points = points, .velocity = velocity};
    vt_parallel_for(threads, count, POINT_BLOCK, correct_points, &c);
}

static void sum_at_points(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    for (int64_t first = begin; first < end; first += GROUP) {
        target t[VECTORS];
        point_targets(c, first, t);
        for (int v = 0; v < VECTORS; v++)
            for (int64_t i = 0; i < c->patch_count; i++)
                add_patch(&c->patch[i], 0, NULL, &t[v]);
        add_to_points(c, first, t);
    }
}

void VT_NAME(panel_field)(int64_t patch_count, const vt_patch *patch, int64_t count,
                          const float *points, float *velocity, int threads)
{
    context c = {.patch_count = patch_count,
                 .patch = patch,
                 .count = count,
                 .points = points,
                 .velocity = velocity};
    vt_parallel_for(threads, count, POINT_BLOCK, sum_at_points, &c);
}
