/* Neutral vortons around those that carry strength, because strength diffuses only to where vortons
 * are, and around fluid that differs in density, because buoyancy makes half of its vorticity in
 * the ambient fluid beside it.
 *
 * The places are the nodes of a lattice, fixed in the world, kept in bricks of 8 x 8 x 8 wherever
 * there are such vortons, the sources. It is as wide as the vortons are apart or, where nothing
 * diffuses, nearly as a grid cell, so that every node of the grid gets some. Vortons fill the nodes
 * around them with their volume (trilinear); a node near strength that is not full gets a vorton of
 * what is missing.
 */
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "field.h"
#include "population.h"

enum { EDGE = 8, NODES = EDGE * EDGE * EDGE, FARTHEST = 1 << 28 };

/* A vorton carries strength from this fraction of the mean vorticity on: with a hundredth the
 * Gaussian tail beyond has a thousandth of the strength, and the halo is a third of what it would
 * be with a thousandth. */
static const double least_vorticity = 1e-2;

/* A node that is filled to less gets a vorton: below .75 the seam between what was there and what
 * is added slows diffusion by several per cent. */
static const float least_fill = 0.75f;

/* Of the lattice where nothing diffuses, in cells of the grid. */
static const double cells_apart = 0.94;

/* Bit x of row [z * EDGE + y] stands for node (x, y, z). */
typedef uint8_t node_bits[EDGE * EDGE];

typedef struct brick {
    struct brick *chain, *next;   /* of the same bucket; in the order of their making */
    int32_t at[3];                /* node / EDGE */
    float core, lifetime;         /* of the vorton for which it was made, m, s */
    node_bits source, near, wide; /* within the halo of a source; one node farther */
    float fill[NODES];            /* volume of vortons in it / volume of a node */
} brick;

typedef struct lattice {
    double spacing;
    double vorticity;           /* that counts as carrying strength, 1/s */
    int32_t width;              /* of the halo, nodes */
    int32_t strength, contrast; /* whether what carries strength, what differs is a source */
    vt_fluid fluid;             /* from which it differs */
    brick **bucket, *first, **end, *last_found;
    uint32_t buckets; /* a power of 2 */
    vt_arena *arena;
} lattice;

/* ---- bricks ---- */

static uint32_t bucket_of(const lattice *l, const int32_t at[3])
{
    const uint32_t h = (uint32_t)at[0] * 0x9e3779b1u ^ (uint32_t)at[1] * 0x85ebca6bu ^
                       (uint32_t)at[2] * 0xc2b2ae35u;
    return (h ^ h >> 15) & (l->buckets - 1);
}

static brick *find_brick(lattice *l, const int32_t at[3])
{
    brick *b = l->last_found;
    if (b && memcmp(b->at, at, sizeof b->at) == 0)
        return b;
    for (b = l->bucket[bucket_of(l, at)]; b; b = b->chain)
        if (memcmp(b->at, at, sizeof b->at) == 0)
            return l->last_found = b;
    return NULL;
}

static brick *need_brick(lattice *l, const int32_t at[3], float core, float lifetime)
{
    brick *b = find_brick(l, at);
    if (b)
        return b;
    if (l->arena->used > l->arena->capacity / 2) /* the rest is for what works on the bricks */
        return NULL;
    b = vt_arena_push(l->arena, sizeof *b);
    if (!b)
        return NULL;
    memset(b, 0, sizeof *b);
    memcpy(b->at, at, sizeof b->at);
    b->core = core;
    b->lifetime = lifetime;
    brick **const bucket = &l->bucket[bucket_of(l, at)];
    b->chain = *bucket;
    *bucket = b;
    *l->end = b;
    l->end = &b->next;
    return l->last_found = b;
}

static int32_t brick_of(int32_t node)
{
    return (node >= 0 ? node : node - EDGE + 1) / EDGE;
}

static int bit_index(const int32_t node[3])
{
    return (node[2] & (EDGE - 1)) * EDGE + (node[1] & (EDGE - 1));
}

/* ---- what the vortons are to the lattice ---- */

/* The node at or below the position plus `shift` spacings; 0 where that is too far away. */
static int find_node(const lattice *l, const float *position, double shift, int32_t node[3])
{
    for (int a = 0; a < 3; a++) {
        const double at = floor((double)position[a] / l->spacing + shift);
        if (!(fabs(at) < FARTHEST))
            return 0;
        node[a] = (int32_t)at;
    }
    return 1;
}

static int carries(const lattice *l, const vt_vortons *v, int64_t i)
{
    const float *const a = v->strength + 3 * i;
    double square = 0;
    for (int c = 0; c < 3; c++)
        square += (double)a[c] * (double)a[c];
    return sqrt(square) > l->vorticity * (double)v->volume[i];
}

static int needs_halo(const vt_simulation *s, const lattice *l, int64_t i)
{
    return (l->strength && carries(l, &s->vortons, i)) ||
           (l->contrast && vt_has_contrast(s, &l->fluid, i));
}

/* Bricks for all that is near the node. */
static int mark_source(lattice *l, const int32_t node[3], float core, float lifetime)
{
    const int32_t far = l->width + 1;
    int32_t at[3], low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = brick_of(node[a] - far);
        high[a] = brick_of(node[a] + far);
    }
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
                if (!need_brick(l, at, core, lifetime))
                    return 0;
    const int32_t own[3] = {brick_of(node[0]), brick_of(node[1]), brick_of(node[2])};
    find_brick(l, own)->source[bit_index(node)] |= (uint8_t)(1 << (node[0] & (EDGE - 1)));
    return 1;
}

static int is_source(lattice *l, const int32_t node[3])
{
    const int32_t own[3] = {brick_of(node[0]), brick_of(node[1]), brick_of(node[2])};
    const brick *const b = find_brick(l, own);
    return b && b->source[bit_index(node)] >> (node[0] & (EDGE - 1)) & 1;
}

static vt_status mark_sources(lattice *l, const vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    const int ends = v->set.used[VT_VORTON_lifetime];
    for (int64_t i = 0; i < v->set.count; i++) {
        int32_t node[3];
        if (!find_node(l, v->position + 3 * i, 0.5, node) || is_source(l, node) ||
            !needs_halo(s, l, i))
            continue;
        if (!mark_source(l, node, v->core[i], ends ? v->lifetime[i] : INFINITY))
            return vt_fail(VT_OUT_OF_MEMORY, "no memory for the halo of %lld vortons",
                           (long long)v->set.count);
    }
    return VT_OK;
}

static void fill_nodes(lattice *l, const vt_vortons *v, int64_t i)
{
    const double cube = l->spacing * l->spacing * l->spacing;
    const float volume = (float)((double)v->volume[i] / cube);
    float share[3][2];
    int32_t low[3];
    if (!find_node(l, v->position + 3 * i, 0, low))
        return;
    for (int a = 0; a < 3; a++) {
        share[a][1] = (float)((double)v->position[3 * i + a] / l->spacing - low[a]);
        share[a][0] = 1 - share[a][1];
    }
    for (int corner = 0; corner < 8; corner++) {
        const int up[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        const int32_t node[3] = {low[0] + up[0], low[1] + up[1], low[2] + up[2]};
        const int32_t at[3] = {brick_of(node[0]), brick_of(node[1]), brick_of(node[2])};
        brick *const b = find_brick(l, at);
        if (b)
            b->fill[bit_index(node) * EDGE + (node[0] & (EDGE - 1))] +=
                volume * share[0][up[0]] * share[1][up[1]] * share[2][up[2]];
    }
}

/* ---- near the sources ---- */

enum { WIDE = 3 * EDGE }; /* a brick and its neighbours */
typedef uint32_t wide_bits[WIDE][WIDE];

static void gather_sources(lattice *l, const brick *b, wide_bits rows)
{
    memset(rows, 0, sizeof(wide_bits));
    for (int n = 0; n < 27; n++) {
        const int side[3] = {n % 3, n / 3 % 3, n / 9};
        const int32_t at[3] = {b->at[0] + side[0] - 1, b->at[1] + side[1] - 1,
                               b->at[2] + side[2] - 1};
        const brick *const other = find_brick(l, at);
        for (int z = 0; other && z < EDGE; z++)
            for (int y = 0; y < EDGE; y++)
                rows[side[2] * EDGE + z][side[1] * EDGE + y] |=
                    (uint32_t)other->source[z * EDGE + y] << (side[0] * EDGE);
    }
}

/* One node farther: along the axes and in their planes, not along the diagonals of space, so that
 * repeated it comes close to a ball. */
static void widen(wide_bits rows)
{
    wide_bits before;
    memcpy(before, rows, sizeof before);
    for (int z = 1; z < WIDE - 1; z++)
        for (int y = 1; y < WIDE - 1; y++) {
            const uint32_t here = before[z][y];
            const uint32_t beside =
                before[z - 1][y] | before[z + 1][y] | before[z][y - 1] | before[z][y + 1];
            const uint32_t across = before[z - 1][y - 1] | before[z - 1][y + 1] |
                                    before[z + 1][y - 1] | before[z + 1][y + 1];
            const uint32_t along = here | beside;
            rows[z][y] = along | along << 1 | along >> 1 | across;
        }
}

static void keep_middle(const wide_bits rows, node_bits kept)
{
    for (int z = 0; z < EDGE; z++)
        for (int y = 0; y < EDGE; y++)
            kept[z * EDGE + y] = (uint8_t)(rows[EDGE + z][EDGE + y] >> EDGE);
}

static void find_near(lattice *l)
{
    for (brick *b = l->first; b; b = b->next) {
        wide_bits rows;
        gather_sources(l, b, rows);
        for (int32_t n = 0; n < l->width; n++)
            widen(rows);
        keep_middle((const uint32_t (*)[WIDE])rows, b->near);
        widen(rows);
        keep_middle((const uint32_t (*)[WIDE])rows, b->wide);
    }
}

/* ---- births and deaths ---- */

typedef struct newborn {
    int64_t count;
    float *position, *strength, *core, *volume, *lifetime;
} newborn;

static int is_missing(const brick *b, int n)
{
    return (b->near[n / EDGE] >> n % EDGE & 1) && b->fill[n] < least_fill;
}

static int64_t count_missing(const lattice *l)
{
    int64_t count = 0;
    for (const brick *b = l->first; b; b = b->next)
        for (int n = 0; n < NODES; n++)
            count += is_missing(b, n);
    return count;
}

static void fill_missing(const lattice *l, int64_t room, newborn *born)
{
    const double cube = l->spacing * l->spacing * l->spacing;
    for (const brick *b = l->first; b; b = b->next)
        for (int n = 0; n < NODES; n++) {
            if (!is_missing(b, n) || born->count == room)
                continue;
            const int node[3] = {n % EDGE, n / EDGE % EDGE, n / EDGE / EDGE};
            for (int a = 0; a < 3; a++) {
                const double at = (double)(b->at[a] * EDGE + node[a]) * l->spacing;
                born->position[3 * born->count + a] = (float)at;
                born->strength[3 * born->count + a] = 0;
            }
            born->core[born->count] = b->core;
            born->lifetime[born->count] = b->lifetime;
            born->volume[born->count++] = (float)(cube * (1 - (double)b->fill[n]));
        }
}

static vt_status bear_missing(vt_simulation *s, const lattice *l, int64_t reserved)
{
    const int64_t missing = count_missing(l);
    const int64_t room = s->vortons.set.capacity - s->vortons.set.count - reserved;
    if (missing > room && s->def.at_capacity == VT_AT_CAPACITY_ERROR)
        return vt_fail(
            VT_OVER_CAPACITY,
            "%lld more vortons, %s, do not fit: %lld of max_vortons %lld are alive; raise "
            "max_vortons, choose another at_capacity or a smaller method.halo",
            (long long)missing,
            l->strength ? "for strength to diffuse to" : "neutral ones around others",
            (long long)s->vortons.set.count, (long long)s->vortons.set.capacity);
    const size_t rows = (size_t)(missing < room ? missing : room > 0 ? room : 0);
    newborn born = {.position = vt_arena_push(&s->arena, 12 * rows),
                    .strength = vt_arena_push(&s->arena, 12 * rows),
                    .core = vt_arena_push(&s->arena, 4 * rows),
                    .volume = vt_arena_push(&s->arena, 4 * rows),
                    .lifetime = vt_arena_push(&s->arena, 4 * rows)};
    if (!born.position || !born.strength || !born.core || !born.volume || !born.lifetime)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %lld neutral vortons", (long long)rows);
    fill_missing(l, (int64_t)rows, &born);
    const int64_t first =
        vt_append_vortons(s, born.count, born.position, born.strength, born.core, born.volume);
    for (int64_t i = 0; i < born.count; i++)
        s->vortons.halo[first + i] = 1;
    if (s->vortons.set.used[VT_VORTON_lifetime])
        memcpy(s->vortons.lifetime + first, born.lifetime, 4 * (size_t)born.count);
    vt_count_heat(s, first, born.count, NULL, 1);
    return VT_OK;
}

/* Neutral vortons that no source is near to any more hand on what they were given. */
static void remove_idle(vt_simulation *s, lattice *l)
{
    const vt_vortons *const v = &s->vortons;
    uint8_t *const mask = vt_arena_push(&s->arena, (size_t)v->set.count);
    if (!mask)
        return;
    for (int64_t i = 0; i < v->set.count; i++) {
        int32_t node[3];
        mask[i] = 0;
        if (!(v->halo[i] > 0) || carries(l, v, i) || vt_has_contrast(s, &l->fluid, i) ||
            !find_node(l, v->position + 3 * i, 0.5, node))
            continue;
        const int32_t at[3] = {brick_of(node[0]), brick_of(node[1]), brick_of(node[2])};
        const brick *const b = find_brick(l, at);
        mask[i] = !(b && b->wide[bit_index(node)] >> (node[0] & (EDGE - 1)) & 1);
    }
    vt_hand_over(s, 2 * l->spacing, mask);
}

vt_status vt_keep_halo(vt_simulation *s, const vt_population *population, int64_t reserved)
{
    const vt_vortons *const v = &s->vortons;
    const size_t mark = vt_arena_mark(&s->arena);
    lattice l = {.spacing = population->spacing,
                 .vorticity = least_vorticity * population->vorticity,
                 .width = s->def.method.halo,
                 .strength = vt_diffuses(s),
                 .contrast = vt_is_buoyant(s) || vt_conducts(s),
                 .fluid = vt_fluid_of(&s->def),
                 .buckets = 64,
                 .arena = &s->arena};
    if (!l.strength)
        l.spacing = cells_apart * vt_grid_spacing(s);
    vt_use_vorton_column(s, VT_VORTON_halo);
    while (l.buckets < (uint64_t)v->set.count / 64)
        l.buckets *= 2;
    l.bucket = vt_arena_push(&s->arena, sizeof *l.bucket * l.buckets);
    memset(l.bucket, 0, sizeof *l.bucket * l.buckets);
    l.end = &l.first;
    vt_status status = mark_sources(&l, s);
    if (!status) {
        find_near(&l);
        for (int64_t i = 0; i < v->set.count; i++)
            fill_nodes(&l, v, i);
        status = bear_missing(s, &l, reserved);
    }
    if (!status)
        remove_idle(s, &l);
    vt_arena_pop(&s->arena, mark);
    return status;
}
