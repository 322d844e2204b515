#include "population/brick_lattice.h"

#include "base/counting_sort.h"
#include "base/hash.h"
#include "base/parallel.h"

enum { EDGE = VT_BRICK_EDGE, BLOCK = 8192, BRICK_BLOCK = 4, COLOURS = 8 };
enum { MOST_PLACES = 1 << 22, FEW_PLACES = 4096 };

/* ---- bricks ---- */

void vti_begin_shell_lattice(vt_shell_lattice *l, double spacing, int64_t vortons,
                             const vt_stage_table *stages, vt_arena *arena)
{
    *l = (vt_shell_lattice){
        .spacing = spacing, .scale = 1 / spacing, .buckets = 64, .arena = arena, .stages = stages};
    while (l->buckets < (uint64_t)vortons / 64)
        l->buckets *= 2;
    l->bucket = vti_arena_push(arena, sizeof *l->bucket * l->buckets);
    memset(l->bucket, 0, sizeof *l->bucket * l->buckets);
    l->end = &l->first;
}

static uint32_t bucket_of(const vt_shell_lattice *l, const int32_t at[3])
{
    return vti_hash_place(at) & (l->buckets - 1);
}

vt_brick *vti_search_brick(const vt_shell_lattice *l, const int32_t at[3])
{
    vt_brick *b = l->bucket[bucket_of(l, at)];
    while (b && (b->at[0] != at[0] || b->at[1] != at[1] || b->at[2] != at[2]))
        b = b->chain;
    return b;
}

/* Chains stay short. */
static void add_buckets(vt_shell_lattice *l)
{
    l->buckets *= 4;
    l->bucket = vti_arena_push(l->arena, sizeof *l->bucket * l->buckets);
    memset(l->bucket, 0, sizeof *l->bucket * l->buckets);
    for (vt_brick *b = l->first; b; b = b->next) {
        vt_brick **const bucket = &l->bucket[bucket_of(l, b->at)];
        b->chain = *bucket;
        *bucket = b;
    }
}

int vti_has_room_for_bricks(const vt_shell_lattice *l)
{
    return l->arena->used <= l->arena->capacity / 2; /* the other half is for the work on them */
}

vt_brick *vti_need_brick(vt_shell_lattice *l, const int32_t at[3], float core, float lifetime,
                         vt_brick_hints *hints)
{
    vt_brick *b = vti_find_brick(l, at, hints);
    if (b)
        return b;
    if (!vti_has_room_for_bricks(l))
        return NULL;
    if (l->bricks >= 2 * (int64_t)l->buckets)
        add_buckets(l);
    b = vti_arena_push(l->arena, sizeof *b);
    memset(b, 0, sizeof *b);
    memcpy(b->at, at, sizeof b->at);
    for (int a = 0; a < 3; a++) {
        l->low[a] = l->bricks == 0 || at[a] < l->low[a] ? at[a] : l->low[a];
        l->high[a] = l->bricks == 0 || at[a] > l->high[a] ? at[a] : l->high[a];
    }
    b->number = l->bricks++;
    b->core = core;
    b->lifetime = lifetime;
    vt_brick **const bucket = &l->bucket[bucket_of(l, at)];
    b->chain = *bucket;
    *bucket = b;
    *l->end = b;
    l->end = &b->next;
    return hints->brick[at[0] & (VT_BRICK_HINTS - 1)] = b;
}

/* A table of the places that bricks have, unless most of them have none. */
static void lay_out_box(vt_shell_lattice *l)
{
    int64_t places = 1;
    for (int a = 0; a < 3 && places <= MOST_PLACES; a++) {
        l->box.low[a] = l->low[a];
        l->box.size[a] = l->high[a] - l->low[a] + 1;
        places *= l->box.size[a];
    }
    if (l->bricks == 0 || places > MOST_PLACES || places > 64 * l->bricks + FEW_PLACES)
        return;
    l->in_box = vti_arena_push(l->arena, sizeof *l->in_box * (size_t)(places + 1));
    for (int64_t n = 0; n <= places; n++)
        l->in_box[n] = (uint32_t)l->bricks;
    for (const vt_brick *b = l->first; b; b = b->next) {
        int64_t place = 0;
        for (int a = 2; a >= 0; a--)
            place = place * l->box.size[a] + b->at[a] - l->low[a];
        l->in_box[place] = (uint32_t)b->number;
    }
}

vt_brick **vti_list_bricks(vt_shell_lattice *l)
{
    vt_brick **const bricks = vti_arena_push(l->arena, sizeof *bricks * (size_t)l->bricks);
    for (vt_brick *b = l->first; b; b = b->next)
        bricks[b->number] = b;
    lay_out_box(l);
    return bricks;
}

void vti_find_lattice_nodes(const vt_shell_lattice *l, int64_t count, const float *position,
                            double shift, vt_lattice_nodes *nodes)
{
    l->stages->find_nodes(count, position, l->scale, shift, l->in_box ? &l->box : NULL, nodes);
}

/* ---- volume ---- */

/* Vortons by the brick of the node below them, and where they are between the nodes. Bricks of one
 * colour have no neighbours of the same colour: what they fill is never theirs alone, but never
 * that of two of them either. */
typedef struct filling {
    const vt_shell_lattice *lattice;
    const vt_vortons *vortons;
    vt_brick *const *of_colour;
    uint32_t *home, *start, *order;
    uint16_t *node; /* of wide_fill */
    f4 *share;
} filling;

/* The nodes of a brick and the next ones above it. */
enum { WIDE = EDGE + 1 };
typedef float wide_fill[WIDE * WIDE * WIDE];

/* Some of the vortons from row `first` on. */
static void find_some_homes(const filling *f, int64_t first, int64_t count, vt_brick_hints *hints)
{
    const vt_shell_lattice *const l = f->lattice;
    const float *const position = f->vortons->position + 3 * first;
    vt_lattice_nodes nodes;
    vti_find_lattice_nodes(l, count, position, 0, &nodes);
    l->stages->find_shares(count, position, f->vortons->volume + first, l->scale, &nodes,
                           f->share + first);
    for (int64_t i = 0; i < count; i++) {
        const int32_t x = nodes.node[0][i] & (EDGE - 1), y = nodes.node[1][i] & (EDGE - 1),
                      z = nodes.node[2][i] & (EDGE - 1);
        f->home[first + i] = vti_brick_number(l, &nodes, i, hints);
        f->node[first + i] = (uint16_t)((z * WIDE + y) * WIDE + x);
    }
}

static void find_homes(void *data, int64_t begin, int64_t end)
{
    const filling *const f = data;
    vt_brick_hints hints = {{NULL}};
    for (int64_t i = begin; i < end; i += VT_LATTICE_ROWS)
        find_some_homes(f, i, end - i < VT_LATTICE_ROWS ? end - i : VT_LATTICE_ROWS, &hints);
}

/* Two nodes beside each other along x. */
typedef float pair __attribute__((vector_size(8)));

static void fill_nodes(f4 share, float *here)
{
    const float part[3][2] = {
        {1 - share[0], share[0]}, {1 - share[1], share[1]}, {1 - share[2], share[2]}};
    const pair sides = {share[3] * part[0][0], share[3] * part[0][1]};
    for (int n = 0; n < 4; n++) {
        float *const at = here + (n >> 1) * WIDE * WIDE + (n & 1) * WIDE;
        const float across = part[1][n & 1] * part[2][n >> 1];
        pair sum;
        memcpy(&sum, at, sizeof sum);
        sum += sides * (pair){across, across};
        memcpy(at, &sum, sizeof sum);
    }
}

/* The part of the nodes that lies in the brick on one side (bits: above along x, y, z). */
static void add_part(const float *fill, int side, float *to)
{
    const int rows = side >> 1 & 1 ? 1 : EDGE, layers = side >> 2 ? 1 : EDGE;
    const float *const from =
        fill + ((side >> 2) * EDGE * WIDE + (side >> 1 & 1) * EDGE) * WIDE + (side & 1) * EDGE;
    for (int z = 0; z < layers; z++)
        for (int y = 0; y < rows; y++) {
            const float *const row = from + (z * WIDE + y) * WIDE;
            float *const sum = to + (z * EDGE + y) * EDGE;
            if (side & 1)
                sum[0] += row[0];
            for (int x = 0; !(side & 1) && x < EDGE; x++)
                sum[x] += row[x];
        }
}

static void fill_brick(void *data, int64_t n)
{
    const filling *const f = data;
    const vt_brick *const b = f->of_colour[n];
    const uint32_t begin = f->start[b->number], end = f->start[b->number + 1];
    vt_brick_hints hints = {{NULL}};
    wide_fill fill;
    if (begin == end)
        return;
    memset(fill, 0, sizeof fill);
    for (uint32_t t = begin; t < end; t++)
        fill_nodes(f->share[f->order[t]], fill + f->node[f->order[t]]);
    for (int side = 0; side < 8; side++) {
        const int32_t at[3] = {b->at[0] + (side & 1), b->at[1] + (side >> 1 & 1),
                               b->at[2] + (side >> 2)};
        vt_brick *const to = vti_find_brick(f->lattice, at, &hints);
        if (to)
            add_part(fill, side, to->fill);
    }
}

static int colour_of(const vt_brick *b)
{
    return (b->at[0] & 1) | (b->at[1] & 1) << 1 | (b->at[2] & 1) << 2;
}

void vti_fill_shell_lattice(vt_shell_lattice *l, vt_brick *const *bricks, const vt_vortons *vortons,
                            int threads)
{
    const int64_t count = vortons->set.count;
    filling f = {.lattice = l, .vortons = vortons};
    f.order = l->order = vti_arena_push(l->arena, sizeof *f.order * (size_t)count);
    f.start = l->start = vti_arena_push(l->arena, sizeof *f.start * (size_t)(l->bricks + 2));
    const size_t mark = vti_arena_mark(l->arena);
    vt_brick **const of_colour = vti_arena_push(l->arena, sizeof *of_colour * (size_t)l->bricks);
    f.of_colour = of_colour;
    f.home = vti_arena_push(l->arena, sizeof *f.home * (size_t)count);
    f.node = vti_arena_push(l->arena, sizeof *f.node * (size_t)count);
    f.share = vti_arena_push(l->arena, sizeof *f.share * (size_t)(count + VT_LANES));
    vti_parallel_for(threads, count, BLOCK, find_homes, &f);
    vti_counting_sort(f.home, count, l->bricks + 1, f.start, f.order, l->arena, threads);
    for (int colour = 0; colour < COLOURS; colour++) {
        int64_t found = 0;
        for (int64_t b = 0; b < l->bricks; b++)
            if (colour_of(bricks[b]) == colour)
                of_colour[found++] = bricks[b];
        vti_parallel_each(threads, found, BRICK_BLOCK, fill_brick, &f);
    }
    vti_arena_pop(l->arena, mark);
}
