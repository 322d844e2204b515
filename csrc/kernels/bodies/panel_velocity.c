#include "kernels/bodies/panel_velocity.h"

#include <stddef.h>

#include "base/math_vector.h"
#include "base/parallel.h"
#include "kernels/sums/pair_sums.h"

enum {
    BIN_BLOCK = 8,
    MOST_TARGETS = VT_PAIRED, /* at a time */
    MOST_LISTED = 512,
    GROUP = VT_LANES, /* targets that have a list of patches in common */
    PARTS = GROUP / VL,
    MOST_VECTORS = MOST_TARGETS / VL
};

#define NO_PATCH UINT32_MAX

static const float per_sphere = (float)(1 / (4 * VT_PI));

typedef struct box {
    float low[3], high[3];
} box;

/* Points that are looked at together, and what they have gathered, times 4 pi. */
typedef struct targets {
    int32_t count; /* a multiple of GROUP */
    box all, group[MOST_TARGETS / GROUP];
    _Alignas(64) float x[3][MOST_TARGETS], u[3][MOST_TARGETS];
} targets;

/* Some patches, whether any target is near them, and which: bits for each vector. */
typedef struct patch_list {
    int32_t count;
    const vt_patch *patch[MOST_LISTED];
    uint8_t is_near[MOST_LISTED];
    _Alignas(64) float center[3][MOST_LISTED + VT_LANES];
    uint32_t near[MOST_LISTED][MOST_VECTORS];
} patch_list;

/* vf_dot with a vector that all lanes share. */
VT_INLINE vf project(const vf a[3], const float b[3])
{
    return vf_fma(a[2], vf_set(b[2]), vf_fma(a[1], vf_set(b[1]), a[0] * b[0]));
}

/* ---- what is kept of them ---- */

/* Counts words, and writes them where there are any. */
typedef struct recorder {
    float *words;
    int64_t count;
} recorder;

VT_INLINE void keep_number(recorder *r, uint32_t number)
{
    if (r->words)
        memcpy(r->words + r->count, &number, sizeof number);
    r->count++;
}

VT_INLINE void keep_vector(recorder *r, vf vector)
{
    if (r->words)
        vf_store(r->words + r->count, vector);
    r->count += VL;
}

static uint32_t next_number(const float **words)
{
    uint32_t number;
    memcpy(&number, (*words)++, sizeof number);
    return number;
}

static vf next_vector(const float **words)
{
    const vf vector = vf_load(*words);
    *words += VL;
    return vector;
}

/* ---- near patches ---- */

/* The flat triangle, over its density / 4 pi. */
static void find_exact(const vt_patch *p, const vf x[3], vf u[3])
{
    vf way[3][3], length[3], sum[3];
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++)
            way[k][c] = p->corner[k][c] - x[c];
        const vf square = vf_dot(way[k], way[k]);
        length[k] = square * vf_inverse_root(square);
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
    vf least[3];
    for (int k = 0; k < 3; k++) {
        const vf both = length[k] + length[(k + 1) % 3];
        least[k] = vf_max(both - p->length[k], vf_set(1e-6f * p->length[k]));
    }
    const vf inverse = 1.0f / (least[0] * least[1] * least[2]); /* one division for three */
    for (int k = 0; k < 3; k++) {
        const vf both = length[k] + length[(k + 1) % 3];
        const vf others = least[(k + 1) % 3] * least[(k + 2) % 3];
        const vf l = vf_log((both + p->length[k]) * (others * inverse));
        for (int c = 0; c < 3; c++)
            sum[c] = vf_fma(l, vf_set(p->outward[k][c]), sum[c]);
    }
    memcpy(u, sum, sizeof sum);
}

static void note_near(patch_list *list, int i, int v, uint32_t bits)
{
    if (!list->is_near[i])
        memset(list->near[i], 0, sizeof list->near[i]);
    list->is_near[i] = 1;
    list->near[i][v] = bits;
}

/* Some numbers for all targets, or for those chosen one after the other. */
typedef struct packed {
    _Alignas(64) float of[3][MOST_TARGETS + VL];
} packed;

/* Adds it to the targets whose bits are set. */
static void add_packed(const uint32_t bits[MOST_VECTORS], const packed *sum, targets *t)
{
    const int vectors = t->count / VL;
    for (int v = 0, found = 0; v < vectors; v++) {
        if (!bits[v])
            continue;
        for (int c = 0; c < 3; c++) {
            float *const u = t->u[c] + v * VL;
            vf_store(u, vf_load(u) + vf_unpack(sum->of[c] + found, bits[v]));
        }
        found += __builtin_popcount(bits[v]);
    }
}

/* One patch at the targets whose bits are set. */
static void add_near(const vt_patch *p, const uint32_t bits[MOST_VECTORS], targets *t, recorder *r)
{
    packed at, sum;
    const int vectors = t->count / VL;
    int found = 0;
    for (int v = 0; v < vectors; v++) {
        if (r)
            keep_number(r, bits[v]);
        if (!bits[v])
            continue;
        for (int c = 0; c < 3; c++)
            vf_pack(at.of[c] + found, vf_load(t->x[c] + v * VL), bits[v]);
        found += __builtin_popcount(bits[v]);
    }
    for (int c = 0; c < 3; c++)
        vf_store(at.of[c] + found, vf_set(at.of[c][0]));
    for (int n = 0; n < found; n += VL) {
        const vf x[3] = {vf_load(at.of[0] + n), vf_load(at.of[1] + n), vf_load(at.of[2] + n)};
        vf u[3];
        find_exact(p, x, u);
        for (int c = 0; c < 3; c++) {
            if (r)
                keep_vector(r, u[c]);
            vf_store(sum.of[c] + n, u[c] * p->density);
        }
    }
    add_packed(bits, &sum, t);
}

/* The same by what is kept. */
static void add_kept_near(const vt_patch *p, const float **words, targets *t)
{
    packed sum;
    uint32_t bits[MOST_VECTORS];
    int found = 0;
    for (int v = 0; v < t->count / VL; v++) {
        bits[v] = next_number(words);
        found += __builtin_popcount(bits[v]);
    }
    for (int n = 0; n < found; n += VL)
        for (int c = 0; c < 3; c++)
            vf_store(sum.of[c] + n, next_vector(words) * p->density);
    add_packed(bits, &sum, t);
}

/* ---- patches one by one ---- */

/* VL of the targets. */
typedef struct target {
    vf x[3], u[3];
} target;

static void load_three(float (*from)[MOST_TARGETS], int v, vf to[3])
{
    for (int c = 0; c < 3; c++)
        to[c] = vf_load(from[c] + v * VL);
}

VT_INLINE void find_way(const vt_patch *p, const vf x[3], vf way[3])
{
    for (int c = 0; c < 3; c++)
        way[c] = x[c] - p->center[c];
}

VT_INLINE void add_point(const vt_patch *p, const vf way[3], vf factor, vf u[3])
{
    factor *= p->density * p->area;
    for (int c = 0; c < 3; c++)
        u[c] = vf_fma(way[c], factor, u[c]);
}

/* A point in the middle, unless it is near; returns bits: where it is. */
VT_INLINE uint32_t add_far(const vt_patch *p, int smooth, const vt_core_table *table, target *t,
                           recorder *r)
{
    vf d[3];
    find_way(p, t->x, d);
    const vf square = vf_dot(d, d);
    vi near = square < p->near_square;
    const vf safe = vf_max(square, vf_set(1e-12f));
    const vf inverse = smooth ? vf_rough_inverse_root(safe) : vf_inverse_root(safe);
    vf factor = vf_select(near, (vf){0}, inverse * inverse * inverse);
    if (smooth) {
        const float narrow = 1 / vt_panel_sigma;
        const vi within = square < vt_panel_reach * vt_panel_reach;
        const vf core = vti_look_up_quartic(table->velocity, square * (narrow * narrow));
        factor = vf_fma(core, vf_set(-narrow * narrow * narrow), factor);
        factor = vf_select(within, factor, (vf){0});
        near &= within;
    }
    if (r)
        keep_vector(r, factor);
    add_point(p, d, factor, t->u);
    return vi_bits(near);
}

/* Which of VL centres, from number i on, lie within reach. */
VT_INLINE uint32_t are_within(const box *b, const float *const center[3], int64_t i)
{
    vf square = {0};
    for (int c = 0; c < 3; c++) {
        const vf at = vf_load(center[c] + i);
        const vf out = vf_max(vf_max(b->low[c] - at, at - b->high[c]), (vf){0});
        square = vf_fma(out, out, square);
    }
    return vi_bits(square < vf_set(vt_panel_reach * vt_panel_reach));
}

/* Of a list those within reach of a box. */
static int choose(const patch_list *list, const box *b, uint16_t chosen[MOST_LISTED])
{
    const float *const center[3] = {list->center[0], list->center[1], list->center[2]};
    int found = 0;
    for (int32_t i = 0; i < list->count; i += VL) {
        uint32_t bits = are_within(b, center, i);
        if (list->count - i < VL)
            bits &= (1u << (list->count - i)) - 1;
        for (; bits; bits &= bits - 1)
            chosen[found++] = (uint16_t)(i + __builtin_ctz(bits));
    }
    return found;
}

/* All of a list, which are items from `first` on; smooth: without what the grid has of them. */
VT_INLINE void add_list(patch_list *list, int smooth, const vt_core_table *table, targets *t,
                        const vt_patch *first, recorder *r)
{
    uint16_t chosen[MOST_LISTED];
    memset(list->is_near, 0, (size_t)list->count);
    for (int g = 0; g < t->count / GROUP; g++) {
        const int count = smooth ? choose(list, &t->group[g], chosen) : list->count;
        for (int v = g * PARTS; v < (g + 1) * PARTS; v++) {
            target now;
            load_three(t->x, v, now.x);
            load_three(t->u, v, now.u);
            if (r)
                keep_number(r, (uint32_t)count);
            for (int n = 0; n < count; n++) {
                const int i = smooth ? chosen[n] : n;
                if (r)
                    keep_number(r, (uint32_t)(list->patch[i] - first));
                const uint32_t bits = add_far(list->patch[i], smooth, table, &now, r);
                if (bits)
                    note_near(list, i, v, bits);
            }
            for (int c = 0; c < 3; c++)
                vf_store(t->u[c] + v * VL, now.u[c]);
        }
    }
    for (int i = 0; i < list->count; i++)
        if (list->is_near[i]) {
            if (r)
                keep_number(r, (uint32_t)(list->patch[i] - first));
            add_near(list->patch[i], list->near[i], t, r);
        }
    if (r)
        keep_number(r, NO_PATCH);
}

/* A list by what is kept of it. */
static void add_kept_list(const vt_patch *first, const float **words, targets *t)
{
    for (int v = 0; v < t->count / VL; v++) {
        target now;
        load_three(t->x, v, now.x);
        load_three(t->u, v, now.u);
        for (uint32_t n = next_number(words); n > 0; n--) {
            const vt_patch *const p = first + next_number(words);
            vf way[3];
            find_way(p, now.x, way);
            add_point(p, way, next_vector(words), now.u);
        }
        for (int c = 0; c < 3; c++)
            vf_store(t->u[c] + v * VL, now.u[c]);
    }
    for (uint32_t i = next_number(words); i != NO_PATCH; i = next_number(words))
        add_kept_near(first + i, words, t);
}

/* ---- those within reach of a box ---- */

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
        c.low[a] = vti_bin_along(b->low[a] - vt_panel_reach, patches->bins[a]);
        c.high[a] = vti_bin_along(b->high[a] + vt_panel_reach, patches->bins[a]);
    }
    c.j = c.low[1];
    c.k = c.low[2];
    return c;
}

static void add_to_list(const vt_patches *patches, uint32_t i, patch_list *list)
{
    for (int a = 0; a < 3; a++)
        list->center[a][list->count] = patches->center[a][i];
    list->patch[list->count++] = &patches->item[i];
}

/* The next of them; returns whether there are any. Always cut off between the same two. */
static int list_patches(const vt_patches *patches, const box *b, cursor *c, patch_list *list)
{
    list->count = 0;
    for (; c->k <= c->high[2]; c->k++, c->j = c->low[1])
        for (; c->j <= c->high[1]; c->j++, c->next = 0) {
            const int64_t row = ((int64_t)c->k * patches->bins[1] + c->j) * patches->bins[0];
            const uint32_t end = patches->first[row + c->high[0] + 1];
            if (c->next == 0)
                c->next = patches->first[row + c->low[0]];
            for (; c->next < end; c->next += GROUP) {
                if (list->count > MOST_LISTED - GROUP)
                    return 1;
                for (uint32_t i = c->next; i < c->next + GROUP && i < end; i += VL) {
                    uint32_t bits = are_within(b, patches->center, i);
                    for (; bits && i + (uint32_t)__builtin_ctz(bits) < end; bits &= bits - 1)
                        add_to_list(patches, i + (uint32_t)__builtin_ctz(bits), list);
                }
            }
        }
    return list->count > 0;
}

VT_INLINE void add_patches(const vt_patches *patches, targets *t, recorder *r)
{
    const vt_core_table *const table = vti_gaussian_table();
    patch_list list;
    cursor cursor = start_at(patches, &t->all);
    while (list_patches(patches, &t->all, &cursor, &list)) {
        if (r)
            keep_number(r, 1);
        add_list(&list, 1, table, t, patches->item, r);
    }
    if (r)
        keep_number(r, 0);
}

/* ---- nodes ---- */

typedef struct context {
    const vt_patches *patches;
    int64_t patch_count;
    const vt_patch *patch;
    const uint32_t *bins;
    float *side;
    const float *points;
    float *velocity;
    const vt_pair_plan *plan;
} context;

static box box_of_bin(const vt_patches *patches, int64_t bin)
{
    const int64_t bx = patches->bins[0], by = patches->bins[1];
    const int64_t at[3] = {bin % bx, bin / bx % by, bin / (bx * by)};
    box b;
    for (int c = 0; c < 3; c++) {
        b.low[c] = (float)(at[c] * VT_BIN_EDGE);
        b.high[c] = b.low[c] + (VT_BIN_EDGE - 1);
    }
    return b;
}

/* The nearest patches of the nodes of a bin; nearest: squares of distances. */
static void look_at_bin(const patch_list *list, const box *bin, float nearest[VT_BIN_NODES],
                        float side[VT_BIN_NODES])
{
    enum { EDGE = VT_BIN_EDGE, PLANE = EDGE * EDGE };
    for (int n = 0; n < VT_BIN_NODES; n += VL) {
        const vi node = vi_lanes() + n;
        const vf x[3] = {vi_to_vf(node % EDGE) + bin->low[0],
                         vi_to_vf(node / EDGE % EDGE) + bin->low[1],
                         vi_to_vf(node / PLANE) + bin->low[2]};
        vf least = vf_load(nearest + n), height = vf_load(side + n);
        for (int i = 0; i < list->count; i++) {
            const vt_patch *const p = list->patch[i];
            const vf d[3] = {x[0] - p->center[0], x[1] - p->center[1], x[2] - p->center[2]};
            const vf square = vf_dot(d, d);
            const vi closer = square < least;
            least = vf_select(closer, square, least);
            height = vf_select(closer, project(d, p->normal), height);
        }
        vf_store(nearest + n, least);
        vf_store(side + n, height);
    }
}

static void look_at_one_bin(void *data, int64_t bin)
{
    const context *const c = data;
    patch_list list;
    const box b = box_of_bin(c->patches, c->bins[bin]);
    float *const side = c->side + bin * VT_BIN_NODES, nearest[VT_BIN_NODES];
    for (int n = 0; n < VT_BIN_NODES; n++) {
        nearest[n] = vt_panel_reach * vt_panel_reach;
        side[n] = VT_FAR_FROM_PATCHES;
    }
    cursor cursor = start_at(c->patches, &b);
    while (list_patches(c->patches, &b, &cursor, &list))
        look_at_bin(&list, &b, nearest, side);
}

void VT_NAME(panel_sides)(const vt_patches *patches, int64_t count, const uint32_t *bins,
                          float *side, int threads)
{
    context c = {.patches = patches, .bins = bins, .side = side};
    vti_parallel_each(threads, count, BIN_BLOCK, look_at_one_bin, &c);
}

/* ---- points ---- */

static void take_up(box *b, const float low[3], const float high[3])
{
    for (int c = 0; c < 3; c++) {
        b->low[c] = low[c] < b->low[c] ? low[c] : b->low[c];
        b->high[c] = high[c] > b->high[c] ? high[c] : b->high[c];
    }
}

/* Those from number `first` on; past the last it is repeated until the group is full. */
static int32_t set_points(const context *c, int64_t first, int64_t end, targets *t)
{
    const float most = 1e30f;
    const box nothing = {{most, most, most}, {-most, -most, -most}};
    const int64_t left = end - first, count = left < MOST_TARGETS ? left : MOST_TARGETS;
    t->count = (int32_t)((count + GROUP - 1) / GROUP * GROUP);
    t->all = nothing;
    for (int32_t g = 0; g < t->count / GROUP; g++) {
        box around = nothing;
        for (int32_t n = g * GROUP; n < (g + 1) * GROUP; n++) {
            const float *const point = c->points + 3 * (first + (n < count ? n : count - 1));
            take_up(&around, point, point);
            for (int a = 0; a < 3; a++) {
                t->x[a][n] = point[a];
                t->u[a][n] = 0;
            }
        }
        take_up(&t->all, around.low, around.high);
        t->group[g] = around;
    }
    return (int32_t)count;
}

static void add_to_points(const context *c, int64_t first, int32_t count, const targets *t)
{
    for (int n = 0; n < count; n++)
        for (int a = 0; a < 3; a++)
            c->velocity[3 * (first + n) + a] += t->u[a][n] * per_sphere;
}

static void correct_points(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    targets t;
    for (int64_t first = begin; first < end; first += MOST_TARGETS) {
        const int32_t count = set_points(c, first, end, &t);
        add_patches(c->patches, &t, NULL);
        add_to_points(c, first, count, &t);
    }
}

/* Of a block of MOST_TARGETS. */
static void plan_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    int64_t *const first = c->plan->first + begin / MOST_TARGETS;
    recorder r = {c->plan->words ? c->plan->words + *first : NULL, 0};
    targets t;
    const int32_t count = set_points(c, begin, end, &t);
    add_patches(c->patches, &t, &r);
    add_to_points(c, begin, count, &t);
    if (!r.words)
        first[1] = r.count;
}

static void add_kept_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const float *words = c->plan->words + c->plan->first[begin / MOST_TARGETS];
    targets t;
    const int32_t count = set_points(c, begin, end, &t);
    while (next_number(&words))
        add_kept_list(c->patches->item, &words, &t);
    add_to_points(c, begin, count, &t);
}

void VT_NAME(panel_pairs)(const vt_patches *patches, int64_t count, const float *points,
                          float *velocity, int threads)
{
    context c = {.patches = patches, .points = points, .velocity = velocity};
    vti_parallel_for(threads, count, MOST_TARGETS, correct_points, &c);
}

void VT_NAME(plan_pairs)(const vt_patches *patches, int64_t count, const float *points,
                         float *velocity, const vt_pair_plan *plan, int threads)
{
    context c = {.patches = patches, .points = points, .velocity = velocity, .plan = plan};
    vti_parallel_for(threads, count, MOST_TARGETS, plan_block, &c);
}

void VT_NAME(planned_pairs)(const vt_patches *patches, int64_t count, const float *points,
                            float *velocity, const vt_pair_plan *plan, int threads)
{
    context c = {.patches = patches, .points = points, .velocity = velocity, .plan = plan};
    vti_parallel_for(threads, count, MOST_TARGETS, add_kept_block, &c);
}

static void sum_at_points(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    targets t;
    patch_list list;
    for (int64_t first = begin; first < end; first += MOST_TARGETS) {
        const int32_t count = set_points(c, first, end, &t);
        for (int64_t i = 0; i < c->patch_count; i += list.count) {
            const int64_t left = c->patch_count - i;
            list.count = (int32_t)(left < MOST_LISTED ? left : MOST_LISTED);
            for (int32_t n = 0; n < list.count; n++)
                list.patch[n] = &c->patch[i + n];
            add_list(&list, 0, NULL, &t, c->patch, NULL);
        }
        add_to_points(c, first, count, &t);
    }
}

void VT_NAME(panel_field)(int64_t patch_count, const vt_patch *patch, int64_t count,
                          const float *points, float *velocity, int threads)
{
    context c = {
        .patch_count = patch_count, .patch = patch, .points = points, .velocity = velocity};
    vti_parallel_for(threads, count, MOST_TARGETS, sum_at_points, &c);
}
