#include "population/brick_lattice.h"

#include "base/counting_sort.h"
#include "base/parallel.h"

enum { EDGE = VT_BRICK_EDGE, BLOCK = 8192, BRICK_BLOCK = 4, COLOURS = 8 };

/* ---- bricks ---- */

void vti_begin_shell_lattice(vt_shell_lattice *l, double spacing, int64_t vortons, vt_arena *arena)
{
    *l =
        (vt_shell_lattice){.spacing = spacing, .scale = 1 / spacing, .buckets = 64, .arena = arena};
    while (l->buckets < (uint64_t)vortons / 64)
        l->buckets *= 2;
    l->bucket = vti_arena_push(arena, sizeof *l->bucket * l->buckets);
    memset(l->bucket, 0, sizeof *l->bucket * l->buckets);
    l->end = &l->first;
}

static uint32_t bucket_of(const vt_shell_lattice *l, const int32_t at[3])
{
    const uint32_t h = (uint32_t)at[0] * 0x9e3779b1u ^ (uint32_t)at[1] * 0x85ebca6bu ^
                       (uint32_t)at[2] * 0xc2b2ae35u;
    return (h ^ h >> 15) & (l->buckets - 1);
}

vt_brick *vti_search_brick(const vt_shell_lattice *l, const int32_t at[3])
{
    vt_brick *b = l->bucket[bucket_of(l, at)];
    while (b && (b->at[0] != at[0] || b->at[1] != at[1] || b->at[2] != at[2]))
        b = b->chain;
    return b;
}

vt_brick *vti_need_brick(vt_shell_lattice *l, const int32_t at[3], float core, float lifetime,
                         vt_brick_hints *hints)
{
    vt_brick *b = vti_find_brick(l, at, hints);
    if (b)
        return b;
    if (l->arena->used > l->arena->capacity / 2) /* the other half is for the work on the bricks */
        return NULL;
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

vt_brick **vti_list_bricks(const vt_shell_lattice *l)
{
    vt_brick **const bricks = vti_arena_push(l->arena, sizeof *bricks * (size_t)l->bricks);
    for (vt_brick *b = l->first; b; b = b->next)
        bricks[b->number] = b;
    return bricks;
}

/* ---- volume ---- */

/* Vortons by the brick of the node below them. Bricks of one colour have no neighbours of the same
 * colour: what they fill is never theirs alone, but never that of two of them either. */
typedef struct filling {
    const vt_shell_lattice *lattice;
    const vt_vortons *vortons;
    vt_brick *const *of_colour;
    uint32_t *home, *start, *order;
} filling;

/* The bounds of the bricks, m. */
static void find_bounds(const vt_shell_lattice *l, float least[3], float most[3])
{
    for (int a = 0; a < 3; a++) {
        least[a] = (float)((double)(EDGE * l->low[a]) * l->spacing);
        most[a] = (float)((double)(EDGE * (l->high[a] + 1)) * l->spacing);
    }
}

static void find_homes(void *data, int64_t begin, int64_t end)
{
    const filling *const f = data;
    const uint32_t none = (uint32_t)f->lattice->bricks;
    float least[3], most[3];
    vt_brick_hints hints = {{NULL}};
    find_bounds(f->lattice, least, most);
    for (int64_t i = begin; i < end; i++) {
        const float *const x = f->vortons->position + 3 * i;
        int32_t node[3], at[3];
        int within = 1;
        for (int a = 0; a < 3; a++)
            within &= (x[a] >= least[a]) & (x[a] <= most[a]);
        f->home[i] = none;
        if (!within || !vti_find_node(f->lattice, x, 0, node))
            continue;
        vti_brick_of(node, at);
        const vt_brick *const home = vti_find_brick(f->lattice, at, &hints);
        if (home)
            f->home[i] = (uint32_t)home->number;
    }
}

/* The nodes of a brick and the next ones above it. */
enum { WIDE = EDGE + 1 };
typedef float wide_fill[WIDE * WIDE * WIDE];

static void fill_nodes(const filling *f, int64_t i, wide_fill fill)
{
    const double scale = f->lattice->scale;
    const float volume = (float)((double)f->vortons->volume[i] * (scale * scale * scale));
    const float *const position = f->vortons->position + 3 * i;
    float share[3][2];
    int32_t low[3];
    if (!vti_find_node(f->lattice, position, 0, low))
        return;
    for (int a = 0; a < 3; a++) {
        share[a][1] = (float)((double)position[a] * scale - low[a]);
        share[a][0] = 1 - share[a][1];
        low[a] &= EDGE - 1;
    }
    const float left = volume * share[0][0], right = volume * share[0][1];
    float *const here = fill + (low[2] * WIDE + low[1]) * WIDE + low[0];
    for (int n = 0; n < 4; n++) {
        float *const at = here + (n >> 1) * WIDE * WIDE + (n & 1) * WIDE;
        const float across = share[1][n & 1] * share[2][n >> 1];
        at[0] += left * across;
        at[1] += right * across;
    }
}

/* The part of the nodes that lies in the brick on one side (bits: above along x, y, z). */
static void add_part(const float *fill, int side, float *to)
{
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = side >> a & 1 ? EDGE : 0;
        high[a] = side >> a & 1 ? WIDE : EDGE;
    }
    for (int z = low[2]; z < high[2]; z++)
        for (int y = low[1]; y < high[1]; y++) {
            float *const row = to + ((z - low[2]) * EDGE + y - low[1]) * EDGE;
            for (int x = low[0]; x < high[0]; x++)
                row[x - low[0]] += fill[(z * WIDE + y) * WIDE + x];
        }
}

static void fill_brick(void *data, int64_t n)
{
    const filling *const f = data;
    const vt_brick *const b = f->of_colour[n];
    const uint32_t begin = f->start[b->number], end = f->start[b->number + 1];
    vt_brick_hints hints = {{NULL}};
    wide_fill fill = {0};
    if (begin == end)
        return;
    for (uint32_t t = begin; t < end; t++)
        fill_nodes(f, f->order[t], fill);
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
