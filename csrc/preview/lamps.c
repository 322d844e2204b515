/* Fire as lamps: one for each brick that glows (or cube of bricks, where they are many), at the
 * centre of its light; as the lattice of bricks stands still in the world, a flame that moves
 * changes them smoothly. A lamp of intensity I lights a matt surface of albedo 1 at the way d, in
 * the angle t from its normal, with
 *
 *   I cos t / (pi d^2)
 *
 * (Lambert; outside of a ball that glows all over this is exact; within, d^2 is R^3 / d, and what
 * of the ball is below the horizon is dark). Lamps of a larger cube are seen or hidden together. */
#include "preview/lamps.h"

#include "base/math_double.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"

/* Radius of the ball of the volume of a cube, edges. */
#define BALL_OF_CUBE 0.62

/* What glows somewhere: its light, and its places (m) and 1, each times the sum of the colours. */
typedef struct heap {
    f4 light, moment;
} heap;

typedef struct gathering {
    const vt_bricks *bricks;
    const vt_fire *fire;
    heap *heaps; /* of each brick */
} gathering;

/* The radiance a metre of a cell. */
static f4 radiance_of(const gathering *g, int64_t at)
{
    const float glow = g->bricks->glow[at];
    if (!(glow > 1e-4f)) /* as in the march */
        return f4_set(0.0f);
    const float kelvin = g->bricks->warmth[at] / glow;
    const float power = (float)g->fire->emission * glow * vti_black_body_power(kelvin);
    return f4_set(power) * vti_black_body_color(&g->fire->body, kelvin);
}

static void gather_brick(void *data, int64_t b)
{
    const gathering *const g = data;
    const vt_bricks *const bricks = g->bricks;
    heap *const h = &g->heaps[b];
    *h = (heap){f4_set(0.0f), f4_set(0.0f)};
    for (int32_t c = 0; c < BRICK * BRICK * BRICK; c++) {
        const int32_t at[3] = {c % BRICK, c / BRICK % BRICK, c / BRICK / BRICK};
        const f4 here = radiance_of(g, b * BRICK_VALUES + vti_brick_cell(at[0], at[1], at[2]));
        f4 place = f4_set(1.0f);
        if (!(here[0] > 0.0f))
            continue;
        for (int a = 0; a < 3; a++)
            place[a] = (float)(bricks->origin[a] +
                               bricks->cell * (BRICK * bricks->place[3 * b + a] + at[a]));
        h->light += here;
        h->moment += f4_set(here[0] + here[1] + here[2]) * place;
    }
}

/* Of the cubes of 2^level bricks that the bricks lie in. */
typedef struct cubes {
    int level;
    int32_t first[3], count[3];
    int32_t *number; /* of the heap of a cube, x fastest; -1: dark */
} cubes;

static int64_t cube_of(const cubes *c, const vt_bricks *bricks, int64_t b)
{
    int32_t at[3];
    for (int a = 0; a < 3; a++)
        at[a] = ((bricks->first[a] / BRICK + bricks->place[3 * b + a]) >> c->level) - c->first[a];
    return ((int64_t)at[2] * c->count[1] + at[1]) * c->count[0] + at[0];
}

/* Adds the bricks' heaps up in the order of the bricks; returns how many cubes glow, or most + 1
 * if they are more. */
static int32_t add_up(const gathering *g, cubes *c, int32_t most, heap *sums)
{
    int32_t found = 0;
    for (int a = 0; a < 3; a++) {
        const int32_t first = g->bricks->first[a] / BRICK;
        c->first[a] = first >> c->level;
        c->count[a] = ((first + g->bricks->count[a] - 1) >> c->level) - c->first[a] + 1;
    }
    for (int64_t i = 0; i < (int64_t)c->count[0] * c->count[1] * c->count[2]; i++)
        c->number[i] = -1;
    for (int64_t b = 0; b < g->bricks->stored; b++) {
        int32_t *const number = &c->number[cube_of(c, g->bricks, b)];
        if (!(g->heaps[b].moment[3] > 0.0f))
            continue;
        if (*number < 0) {
            if (found == most)
                return most + 1;
            sums[found] = (heap){f4_set(0.0f), f4_set(0.0f)};
            *number = found++;
        }
        sums[*number].light += g->heaps[b].light;
        sums[*number].moment += g->heaps[b].moment;
    }
    return found;
}

/* The smallest cubes that are not too many. */
static int32_t choose_cubes(const gathering *g, cubes *c, int32_t most, heap *sums)
{
    int32_t count = add_up(g, c, most, sums);
    while (count > most) {
        c->level++;
        count = add_up(g, c, most, sums);
    }
    return count;
}

/* Needs room for as many lamps and their sums as there may be. */
static void light_lamps(const gathering *g, cubes *c, heap *sums, vt_lamps *lamps)
{
    heap groups[VT_MOST_LAMP_GROUPS];
    const double cell = g->bricks->cell;
    lamps->count = choose_cubes(g, c, VT_MOST_LAMPS, sums);
    lamps->radius = (float)(BALL_OF_CUBE * BRICK * cell * (double)(1 << c->level));
    for (int32_t n = 0; n < lamps->count; n++) {
        vt_lamp *const lamp = &lamps->items[n];
        for (int a = 0; a < 3; a++)
            lamp->position[a] = sums[n].moment[a] / sums[n].moment[3];
        lamp->intensity = sums[n].light * f4_set((float)(cell * cell * cell));
    }
    int32_t *const lamp_of = c->number + (int64_t)c->count[0] * c->count[1] * c->count[2];
    for (int64_t b = 0; b < g->bricks->stored; b++)
        lamp_of[b] = c->number[cube_of(c, g->bricks, b)];
    lamps->group_count = choose_cubes(g, c, VT_MOST_LAMP_GROUPS, groups);
    for (int32_t n = 0; n < lamps->group_count; n++)
        for (int a = 0; a < 3; a++)
            lamps->group[n][a] = (double)(groups[n].moment[a] / groups[n].moment[3]);
    for (int64_t b = 0; b < g->bricks->stored; b++)
        if (g->heaps[b].moment[3] > 0.0f)
            lamps->items[lamp_of[b]].group = c->number[cube_of(c, g->bricks, b)];
}

/* The ball around the box of the groups' centres. */
static void surround_groups(vt_lamps *lamps)
{
    double low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = high[a] = lamps->group[0][a];
        for (int32_t n = 1; n < lamps->group_count; n++) {
            const double at = lamps->group[n][a];
            low[a] = at < low[a] ? at : low[a];
            high[a] = at > high[a] ? at : high[a];
        }
        lamps->center[a] = 0.5 * (low[a] + high[a]);
        lamps->reach += 0.25 * (high[a] - low[a]) * (high[a] - low[a]);
    }
    lamps->reach = vti_sqrt(lamps->reach);
}

vt_status vti_create_lamps(const vt_bricks *bricks, const vt_fire *fire, int threads,
                           vt_lamps *lamps)
{
    const size_t stored = (size_t)bricks->stored;
    size_t boxes = 1;
    *lamps = (vt_lamps){.items = NULL};
    if (!(fire->emission > 0.0) || bricks->stored == 0)
        return VT_OK;
    for (int a = 0; a < 3; a++)
        boxes *= (size_t)bricks->count[a];
    const gathering g = {bricks, fire, vti_allocate_lines(stored * sizeof(heap))};
    heap *const sums = vti_allocate_lines(VT_MOST_LAMPS * sizeof *sums);
    cubes c = {.number = vti_allocate((boxes + stored) * sizeof *c.number)};
    lamps->items = vti_allocate_lines(VT_MOST_LAMPS * sizeof *lamps->items);
    const _Bool enough = g.heaps && sums && c.number && lamps->items;
    if (enough) {
        vti_parallel_each(threads, bricks->stored, 16, gather_brick, (void *)&g);
        light_lamps(&g, &c, sums, lamps);
        if (lamps->group_count > 0)
            surround_groups(lamps);
    } else {
        vti_destroy_lamps(lamps);
    }
    vti_free(g.heaps);
    vti_free(sums);
    vti_free(c.number);
    return enough ? VT_OK : vti_fail(VT_OUT_OF_MEMORY, "no memory for the lamps of a preview");
}

void vti_destroy_lamps(vt_lamps *lamps)
{
    vti_free(lamps->items);
    *lamps = (vt_lamps){.items = NULL};
}

f4 vti_lamp_light(const vt_lamps *lamps, const double point[3], const double normal[3],
                  const float *seen)
{
    const float x = (float)point[0], y = (float)point[1], z = (float)point[2];
    const float radius = lamps->radius, least = radius * radius;
    f4 sum = f4_set(0.0f);
    for (int32_t n = 0; n < lamps->count; n++) {
        const vt_lamp *const lamp = &lamps->items[n];
        const float way[3] = {lamp->position[0] - x, lamp->position[1] - y, lamp->position[2] - z};
        const float facing =
            way[0] * (float)normal[0] + way[1] * (float)normal[1] + way[2] * (float)normal[2];
        const float square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
        const float apart = square > least ? square : least, rise = facing + radius;
        const float above = facing > radius ? facing : rise * rise * (0.25f / radius);
        if (rise > 0.0f)
            sum += f4_set(seen[lamp->group] * above / (apart * f1_sqrt(apart))) * lamp->intensity;
    }
    return sum * f4_set((float)(1.0 / VT_PI));
}
