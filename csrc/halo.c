/* Neutral vortons around those that carry strength, because strength diffuses only to where vortons
 * are, around fluid that differs in density, because buoyancy makes half of its vorticity in the
 * ambient fluid beside it, and around bodies that exchange heat, for something to take it up.
 *
 * The places are the nodes of a lattice, fixed in the world, kept in bricks of 8 x 8 x 8 wherever
 * there are such vortons, or a body is near: the sources. It is as wide as the vortons are apart
 * or, where nothing diffuses, nearly as a grid cell, so that every node of the grid gets some.
 * Vortons fill the nodes around them with their volume (trilinear), and so do walls; a node near
 * strength that is not full gets a vorton of what is missing.
 */
#include <math.h>
#include <string.h>

#include "contacts.h"
#include "core/parallel.h"
#include "core/status.h"
#include "field.h"
#include "halo_bodies.h"
#include "population.h"

enum { EDGE = VT_BRICK_EDGE, BLOCK = 8192, BRICK_BLOCK = 4, FEW = 64 };

/* A vorton carries strength from this fraction of the mean vorticity on: with a hundredth the
 * Gaussian tail beyond has a thousandth of the strength, and the halo is a third of what it would
 * be with a thousandth. */
static const double least_vorticity = 1e-2;

/* In a container that holds all of the fluid a node filled to more than this, among others like it,
 * is where the vortons happen to lie farther apart: ambient fluid in it would only blur what
 * differs, and set off a flow. */
static const float empty_fill = 0.25f;

/* The least that counts as full, where a vortex takes up fluid. */
static const float least_fill = 0.75f;

/* Of the fluid around a newborn vortex, what must be of sources for it to become one. */
static const double least_share = 0.25;

/* Of the lattice where nothing diffuses, in cells of the grid. */
static const double cells_apart = 0.94;

/* What a vorton is to the halo. */
enum { SOURCE = 1 /* it needs one around it */, LASTING = 2 /* it stays without one */ };

typedef struct halo {
    vt_simulation *simulation;
    vt_halo_lattice lattice;
    double vorticity;           /* that counts as carrying strength, 1/s */
    int32_t width;              /* nodes */
    int32_t strength, contrast; /* whether what carries strength, what differs is a source */
    int32_t contained;          /* whether a container holds the fluid, and nothing diffuses */
    vt_fluid fluid;             /* from which it differs */
    int64_t count;              /* vortons before any is born */
    uint8_t *part;              /* of each of them */
    vt_brick **bricks;
    const vt_pose *pose; /* of each body */
} halo;

/* ---- sources ---- */

static int carries(const halo *h, const vt_vortons *v, int64_t i)
{
    const float *const a = v->strength + 3 * i;
    const double least = h->vorticity * (double)v->volume[i];
    double square = 0;
    for (int c = 0; c < 3; c++)
        square += (double)a[c] * (double)a[c];
    return square > least * least;
}

static void find_parts(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const halo *const h = data;
    for (int64_t i = begin; i < end; i++) {
        const int carrying = carries(h, &h->simulation->vortons, i);
        const int differs = vt_has_contrast(h->simulation, &h->fluid, i);
        const int is_source = (h->strength && carrying) || (h->contrast && differs);
        h->part[i] = (uint8_t)((is_source ? SOURCE : 0) | (carrying || differs ? LASTING : 0));
    }
}

static int mark_sources(halo *h)
{
    const vt_vortons *const v = &h->simulation->vortons;
    const int ends = v->set.used[VT_VORTON_lifetime];
    vt_brick_hints hints = {{NULL}};
    for (int64_t i = 0; i < h->count; i++) {
        int32_t node[3], at[3];
        if (!(h->part[i] & SOURCE) || !vt_find_node(&h->lattice, v->position + 3 * i, 0.5, node))
            continue;
        vt_brick_of(node, at);
        const float lifetime = ends ? v->lifetime[i] : INFINITY;
        vt_brick *const b = vt_need_brick(&h->lattice, at, v->core[i], lifetime, &hints);
        if (!b)
            return 0;
        b->source[vt_bit_row(node)] |= vt_bit(node);
    }
    return 1;
}

/* The range of the nodes of a brick that hold sources, from which all that is near is reached. */
static void find_span(const vt_brick *b, int32_t low[3], int32_t high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = EDGE;
        high[a] = -1;
    }
    for (int32_t row = 0; row < EDGE * EDGE; row++)
        for (int32_t x = 0; b->source[row] && x < EDGE; x++) {
            const int32_t node[3] = {x, row % EDGE, row / EDGE};
            for (int a = 0; a < 3 && b->source[row] >> x & 1; a++) {
                low[a] = node[a] < low[a] ? node[a] : low[a];
                high[a] = node[a] > high[a] ? node[a] : high[a];
            }
        }
}

/* Bricks for all that is near the sources of a brick. */
static int surround(halo *h, const vt_brick *b)
{
    int32_t at[3], low[3], high[3];
    vt_brick_hints hints = {{NULL}};
    find_span(b, low, high);
    for (int a = 0; a < 3; a++) {
        low[a] += b->at[a] * EDGE - h->width - 1;
        high[a] += b->at[a] * EDGE + h->width + 1;
    }
    vt_brick_of(low, low);
    vt_brick_of(high, high);
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
                if (!vt_need_brick(&h->lattice, at, b->core, b->lifetime, &hints))
                    return 0;
    return 1;
}

static vt_status make_bricks(halo *h)
{
    int room = mark_sources(h) && vt_mark_bodies(h->simulation, &h->lattice);
    const int64_t with_sources = h->lattice.bricks;
    for (const vt_brick *b = h->lattice.first; room && b && b->number < with_sources; b = b->next)
        room = surround(h, b);
    if (room)
        h->bricks = vt_list_bricks(&h->lattice);
    return room && h->bricks ? VT_OK
                             : vt_fail(VT_OUT_OF_MEMORY, "no memory for the halo of %lld vortons",
                                       (long long)h->count);
}

/* ---- near the sources ---- */

enum { WIDE = 3 * EDGE }; /* a brick and its neighbours */
typedef uint32_t wide_bits[WIDE][WIDE];

static void gather_sources(const vt_halo_lattice *l, const vt_brick *b, wide_bits rows)
{
    vt_brick_hints hints = {{NULL}};
    memset(rows, 0, sizeof(wide_bits));
    for (int n = 0; n < 27; n++) {
        const int side[3] = {n % 3, n / 3 % 3, n / 9};
        const int32_t at[3] = {b->at[0] + side[0] - 1, b->at[1] + side[1] - 1,
                               b->at[2] + side[2] - 1};
        const vt_brick *const other = vt_find_brick(l, at, &hints);
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

static void keep_middle(const wide_bits rows, vt_node_bits kept)
{
    for (int z = 0; z < EDGE; z++)
        for (int y = 0; y < EDGE; y++)
            kept[z * EDGE + y] = (uint8_t)(rows[EDGE + z][EDGE + y] >> EDGE);
}

static void find_near(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const halo *const h = data;
    for (int64_t n = begin; n < end; n++) {
        vt_brick *const b = h->bricks[n];
        wide_bits rows;
        gather_sources(&h->lattice, b, rows);
        for (int32_t w = 0; w < h->width; w++)
            widen(rows);
        keep_middle((const uint32_t (*)[WIDE])rows, b->near);
        widen(rows);
        keep_middle((const uint32_t (*)[WIDE])rows, b->wide);
    }
}

/* ---- births ---- */

typedef struct newborn {
    const halo *halo;
    int64_t room;
    float *position, *strength, *core, *volume, *lifetime;
} newborn;

/* Volume in the next node on a side, as a share of a node. */
static float fill_beside(const halo *h, const vt_brick *b, int n, int side, vt_brick_hints *hints)
{
    const int axis = side / 2, step = side % 2 ? 1 : -1;
    int node[3] = {n % EDGE, n / EDGE % EDGE, n / EDGE / EDGE};
    int32_t at[3] = {b->at[0], b->at[1], b->at[2]};
    node[axis] += step;
    if (node[axis] < 0 || node[axis] >= EDGE) {
        at[axis] += step;
        node[axis] &= EDGE - 1;
        b = vt_find_brick(&h->lattice, at, hints);
    }
    return b ? b->fill[(node[2] * EDGE + node[1]) * EDGE + node[0]] : 0;
}

/* Whether what a node lacks lies within fluid that a container holds. */
static int is_gap(const halo *h, const vt_brick *b, int n, vt_brick_hints *hints)
{
    int gap = h->contained && b->fill[n] > empty_fill;
    for (int side = 0; gap && side < 6; side++)
        gap = fill_beside(h, b, n, side, hints) > empty_fill;
    return gap;
}

static void add_walls(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const halo *const h = data;
    for (int64_t i = begin; i < end; i++)
        vt_fill_with_walls(h->simulation, h->pose, &h->lattice, h->bricks[i]);
}

static void count_missing(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const halo *const h = data;
    vt_brick_hints hints = {{NULL}};
    for (int64_t i = begin; i < end; i++) {
        vt_brick *const b = h->bricks[i];
        for (int row = 0; row < EDGE * EDGE; row++)
            for (int n = row * EDGE; b->near[row] && n < (row + 1) * EDGE; n++) {
                const int missing = vt_lacks_volume(b, b->near, n) && !is_gap(h, b, n, &hints);
                b->missing += missing;
                b->born[row] |= (uint8_t)(missing << n % EDGE);
            }
    }
}

/* The number of those to be born; `missing` of a brick becomes the first of its own. */
static int64_t number_missing(const halo *h)
{
    int64_t count = 0;
    for (vt_brick *b = h->lattice.first; b; b = b->next) {
        const int64_t here = b->missing;
        b->missing = count;
        count += here;
    }
    return count;
}

static void bear_at(const newborn *born, const vt_brick *b, int n, int64_t i)
{
    const double spacing = born->halo->lattice.spacing;
    double position[3];
    vt_place_node(&born->halo->lattice, b, n, position);
    for (int a = 0; a < 3; a++) {
        born->position[3 * i + a] = (float)position[a];
        born->strength[3 * i + a] = 0;
    }
    born->core[i] = b->core;
    born->lifetime[i] = b->lifetime;
    born->volume[i] = (float)(spacing * spacing * spacing * (1 - (double)b->fill[n]));
}

static void fill_missing(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const newborn *const born = data;
    for (int64_t k = begin; k < end; k++) {
        const vt_brick *const b = born->halo->bricks[k];
        int64_t next = b->missing;
        for (int row = 0; row < EDGE * EDGE; row++)
            for (int n = row * EDGE; b->near[row] && n < (row + 1) * EDGE; n++)
                if ((b->born[row] >> n % EDGE & 1) && next < born->room)
                    bear_at(born, b, n, next++);
    }
}

/* ---- the fluid of vortices ---- */

/* A vortex is born where fluid is already, or fluid where a vortex is: that turns, but is not there
 * twice. So each vorton of the vortex is made of what those around it are, volume and all: what
 * they carry, and how much of it, is the same before and after. Where nearly all is ambient they
 * give ambient fluid. */

enum { TAKEN = VT_CARRIED_COLUMNS + 1, REACH = 2 /* nodes */ };

/* Most of a vorton that another takes. */
static const double most_given = 0.25;

typedef struct giving {
    const halo *halo;
    const float *node;
    float *column[TAKEN]; /* NULL: not used */
    double sum[TAKEN];    /* by mass but for density; of temperature what it is above the ambient */
    double volume, mass, of_sources;
    double share;  /* that each gives, of its volume x weight */
    int32_t plain; /* sources give nothing */
} giving;

/* 0 of those that are still to take themselves. */
static double weight_at(const giving *g, int64_t row)
{
    if (g->halo->simulation->vortons.halo[row] < 0 || (g->plain && g->halo->part[row] & SOURCE))
        return 0;
    const float *const x = g->halo->simulation->vortons.position + 3 * row;
    double weight = 1;
    for (int a = 0; a < 3 && weight > 0; a++) {
        const double way = vt_abs((double)x[a] - (double)g->node[a]) * g->halo->lattice.scale;
        weight = way < REACH ? weight * (1 - way / REACH) : 0;
    }
    return weight;
}

static void count_one(giving *g, double weight, int64_t row)
{
    const vt_vortons *const v = &g->halo->simulation->vortons;
    const vt_fluid *const fluid = &g->halo->fluid;
    const double volume = weight * (double)v->volume[row];
    const double mass =
        weight * (double)vt_vorton_mass(fluid, v->volume[row], vt_volume_temperature(v, row));
    g->volume += volume;
    g->mass += mass;
    g->of_sources += g->halo->part[row] & SOURCE ? volume : 0;
    for (int c = 0; c < TAKEN; c++) {
        if (!g->column[c])
            continue;
        double value = (double)g->column[c][row];
        if (c == VT_CARRIED_temperature)
            value -= (double)vt_ambient_temperature(fluid, v->position + 3 * row);
        g->sum[c] += (c == VT_CARRIED_density ? volume : mass) * value;
    }
}

static void give_one(giving *g, double weight, int64_t row)
{
    vt_simulation *const s = g->halo->simulation;
    vt_count_heat(s, row, 1, NULL, -1);
    s->vortons.volume[row] *= (float)(1 - g->share * weight);
    vt_count_heat(s, row, 1, NULL, 1);
}

/* The vortons around the node: in the order of the bricks, and in each of their rows. */
static void visit(giving *g, void (*what)(giving *, double, int64_t))
{
    const vt_halo_lattice *const l = &g->halo->lattice;
    vt_brick_hints hints = {{NULL}};
    int32_t node[3], low[3], high[3], at[3];
    if (!vt_find_node(l, g->node, 0.5, node))
        return;
    for (int a = 0; a < 3; a++) {
        low[a] = node[a] - REACH;
        high[a] = node[a] + REACH - 1;
    }
    vt_brick_of(low, low);
    vt_brick_of(high, high);
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
                const vt_brick *const b = vt_find_brick(l, at, &hints);
                for (uint32_t n = b ? l->start[b->number] : 0; b && n < l->start[b->number + 1];
                     n++) {
                    const double weight = weight_at(g, l->order[n]);
                    if (weight > 0)
                        what(g, weight, l->order[n]);
                }
            }
}

/* Whether there is fluid around it already. */
static int is_full(const giving *g)
{
    const double width = REACH * g->halo->lattice.spacing;
    return g->volume > (double)least_fill * width * width * width;
}

/* The vorton in a row takes what those around it give. */
static void take(const halo *h, int64_t row)
{
    const vt_vortons *const v = &h->simulation->vortons;
    giving g = {.halo = h, .node = v->position + 3 * row};
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++)
        g.column[c] = vt_used_column(&v->set, vt_carried_column[c]);
    g.column[VT_CARRIED_COLUMNS] = vt_used_column(&v->set, VT_VORTON_mixture);
    visit(&g, count_one);
    if (!is_full(&g))
        return;
    if (g.of_sources < least_share * g.volume) { /* a halo would grow around a trace */
        g = (giving){.halo = h, .node = g.node, .plain = 1};
        visit(&g, count_one);
    }
    g.share = fmin((double)v->volume[row] / g.volume, most_given);
    visit(&g, give_one);
    v->volume[row] = (float)(g.share * g.volume);
    for (int c = 0; c < TAKEN; c++) {
        double value = g.sum[c] / (c == VT_CARRIED_density ? g.volume : g.mass);
        if (c == VT_CARRIED_temperature)
            value += (double)vt_ambient_temperature(&h->fluid, g.node);
        if (g.column[c] && !g.plain)
            g.column[c][row] = (float)value;
    }
    if (v->set.used[VT_VORTON_volume_temperature]) {
        const double swollen = (double)h->fluid.density * g.volume / g.mass;
        v->volume_temperature[row] =
            (float)vt_temperature_of_volume(&h->fluid, vt_relative_of_swollen(&h->fluid, swollen));
    }
    if (v->set.used[VT_VORTON_birth_volume])
        v->birth_volume[row] = v->volume[row];
}

static int any_differs(const halo *h)
{
    int differs = 0;
    for (int64_t i = 0; i < h->count && h->contrast && !differs; i++)
        differs = vt_has_contrast(h->simulation, &h->fluid, i);
    return differs;
}

static void take_vortices(const halo *h)
{
    vt_simulation *const s = h->simulation;
    const vt_vortons *const v = &s->vortons;
    if (!any_differs(h))
        return;
    for (int64_t i = 0; i < h->count; i++) {
        if (v->halo[i] >= 0)
            continue;
        vt_count_heat(s, i, 1, NULL, -1);
        take(h, i);
        vt_count_heat(s, i, 1, NULL, 1);
        v->halo[i] = 0;
    }
}

static vt_status bear_missing(halo *h, int64_t reserved)
{
    vt_simulation *const s = h->simulation;
    const int threads = s->def.threads;
    if (s->bodies.count > 0)
        h->pose = vt_poses_at(s, s->time);
    if (s->bodies.count > 0)
        vt_parallel_for(threads, h->lattice.bricks, BRICK_BLOCK, add_walls, (void *)h);
    vt_parallel_for(threads, h->lattice.bricks, BRICK_BLOCK, count_missing, (void *)h);
    const int64_t missing = number_missing(h);
    const int64_t room = s->vortons.set.capacity - s->vortons.set.count - reserved;
    if (missing > room && s->def.at_capacity == VT_AT_CAPACITY_ERROR)
        return vt_fail(
            VT_OVER_CAPACITY,
            "%lld more vortons, %s, do not fit: %lld of max_vortons %lld are alive; raise "
            "max_vortons, choose another at_capacity or a smaller method.halo",
            (long long)missing,
            h->strength ? "for strength to diffuse to"
                        : "neutral ones around others and warm bodies",
            (long long)s->vortons.set.count, (long long)s->vortons.set.capacity);
    const size_t rows = (size_t)(missing < room ? missing : room > 0 ? room : 0);
    newborn born = {.halo = h,
                    .room = (int64_t)rows,
                    .position = vt_arena_push(&s->arena, 12 * rows),
                    .strength = vt_arena_push(&s->arena, 12 * rows),
                    .core = vt_arena_push(&s->arena, 4 * rows),
                    .volume = vt_arena_push(&s->arena, 4 * rows),
                    .lifetime = vt_arena_push(&s->arena, 4 * rows)};
    if (!born.position || !born.strength || !born.core || !born.volume || !born.lifetime)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %lld neutral vortons", (long long)rows);
    vt_parallel_for(threads, h->lattice.bricks, BRICK_BLOCK, fill_missing, &born);
    const int64_t first =
        vt_append_vortons(s, born.room, born.position, born.strength, born.core, born.volume);
    for (int64_t i = 0; i < born.room; i++)
        s->vortons.halo[first + i] = 1;
    if (s->vortons.set.used[VT_VORTON_lifetime])
        memcpy(s->vortons.lifetime + first, born.lifetime, 4 * rows);
    vt_count_heat(s, first, born.room, NULL, 1);
    return VT_OK;
}

/* ---- deaths ---- */

typedef struct leaving {
    const halo *halo;
    uint8_t *mask;
} leaving;

static void find_idle(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const leaving *const l = data;
    const halo *const h = l->halo;
    const vt_vortons *const v = &h->simulation->vortons;
    vt_brick_hints hints = {{NULL}};
    for (int64_t i = begin; i < end; i++) {
        int32_t node[3], at[3];
        l->mask[i] = 0;
        if (!(v->halo[i] > 0) || h->part[i] & LASTING ||
            !vt_find_node(&h->lattice, v->position + 3 * i, 0.5, node))
            continue;
        vt_brick_of(node, at);
        const vt_brick *const b = vt_find_brick(&h->lattice, at, &hints);
        l->mask[i] = !(b && b->wide[vt_bit_row(node)] & vt_bit(node));
    }
}

/* Neutral vortons that no source is near to any more hand on what they were given, unless they are
 * too few to be worth it. */
static void remove_idle(const halo *h)
{
    vt_simulation *const s = h->simulation;
    const int64_t count = s->vortons.set.count;
    leaving l = {h, vt_arena_push(&s->arena, (size_t)count)};
    if (!l.mask)
        return;
    vt_parallel_for(s->def.threads, h->count, BLOCK, find_idle, &l);
    memset(l.mask + h->count, 0, (size_t)(count - h->count));
    int64_t idle = 0;
    for (int64_t i = 0; i < h->count; i++)
        idle += l.mask[i];
    if (idle > h->count / FEW)
        vt_hand_over(s, 2 * h->lattice.spacing, l.mask);
}

vt_status vt_keep_halo(vt_simulation *s, const vt_population *population, int64_t reserved)
{
    const size_t mark = vt_arena_mark(&s->arena);
    const int threads = s->def.threads;
    halo h = {.simulation = s,
              .vorticity = least_vorticity * population->vorticity,
              .width = s->def.method.halo,
              .strength = vt_diffuses(s),
              .contrast = vt_is_buoyant(s) || vt_conducts(s),
              .contained = vt_has_container(&s->bodies) && !vt_diffuses(s),
              .fluid = vt_fluid_of(&s->def),
              .count = s->vortons.set.count};
    vt_use_vorton_column(s, VT_VORTON_halo);
    vt_begin_halo_lattice(&h.lattice,
                          h.strength && population->spacing > 0 ? population->spacing
                                                                : cells_apart * vt_grid_spacing(s),
                          h.count, &s->arena);
    h.part = vt_arena_push(&s->arena, (size_t)h.count);
    vt_parallel_for(threads, h.count, BLOCK, find_parts, &h);
    vt_status status = make_bricks(&h);
    if (!status) {
        vt_parallel_for(threads, h.lattice.bricks, BRICK_BLOCK, find_near, &h);
        vt_fill_halo_lattice(&h.lattice, h.bricks, &s->vortons, threads);
        take_vortices(&h);
        status = bear_missing(&h, reserved);
    }
    if (!status)
        remove_idle(&h);
    vt_arena_pop(&s->arena, mark);
    return status;
}
