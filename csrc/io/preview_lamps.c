/* Fire as lamps. What glows in a brick goes to the eight nodes around it (trilinear: sum and centre
 * are kept, and a flame that moves changes them smoothly), and from those to nodes twice as far
 * apart, at the same places of the world, until few are left. A node of intensity I lights a matt
 * surface of albedo 1 at the way d, in the angle t from its normal, with
 *
 *   I cos t / (pi (d^2 + size^2))
 *
 * (Lambert; inverse square, of a ball as wide as half the way between nodes). */
#include "io/preview_lamps.h"

#include <stdlib.h>
#include <string.h>

#include "core/mathd.h"
#include "core/parallel.h"
#include "core/status.h"
#include "core/vec3.h"

enum { MOST_LAMPS = 64, CORNERS = 8 };

/* Nodes, x fastest; the first lies at `first` on the lattice of the world. */
typedef struct nodes {
    int64_t first[3], count[3];
    f4 *value;
} nodes;

typedef struct gathering {
    const vt_bricks *bricks;
    const vt_fire *fire;
    f4 *corner; /* CORNERS of each brick */
} gathering;

/* The radiance a metre of a cell. */
static f4 radiance_of(const gathering *g, int64_t at)
{
    const float glow = g->bricks->glow[at];
    if (!(glow > 1e-4f)) /* as in the march */
        return f4_set(0.0f);
    const float kelvin = g->bricks->warmth[at] / glow;
    const float power = (float)g->fire->emission * glow * vt_black_body_power(kelvin);
    return f4_set(power) * vt_black_body_color(&g->fire->body, kelvin);
}

static void gather_bricks(void *data, int64_t begin, int64_t end, int thread)
{
    const gathering *const g = data;
    const float step = 1.0f / BRICK;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        f4 *const corner = g->corner + CORNERS * b;
        for (int n = 0; n < CORNERS; n++)
            corner[n] = f4_set(0.0f);
        for (int32_t c = 0; c < BRICK * BRICK * BRICK; c++) {
            const int32_t x = c % BRICK, y = c / BRICK % BRICK, z = c / BRICK / BRICK;
            const f4 here = radiance_of(g, b * BRICK_VALUES + vt_brick_cell(x, y, z));
            if (!(here[0] > 0.0f))
                continue;
            for (int n = 0; n < CORNERS; n++) {
                const float along = n & 1 ? (float)x * step : 1.0f - (float)x * step;
                const float across = n & 2 ? (float)y * step : 1.0f - (float)y * step;
                const float up = n & 4 ? (float)z * step : 1.0f - (float)z * step;
                corner[n] += f4_set(along * across * up) * here;
            }
        }
    }
}

static f4 *node_at(const nodes *l, const int64_t at[3])
{
    return l->value + (at[2] * l->count[1] + at[1]) * l->count[0] + at[0];
}

/* Nodes at all corners of the bricks, in the order of the bricks: the same sum for any threads. */
static void collect_corners(const vt_bricks *bricks, const f4 *corner, nodes *l)
{
    for (int64_t b = 0; b < bricks->stored; b++)
        for (int n = 0; n < CORNERS; n++) {
            const int32_t *const place = bricks->place + 3 * b;
            const int64_t at[3] = {place[0] + (n & 1), place[1] + (n >> 1 & 1),
                                   place[2] + (n >> 2)};
            *node_at(l, at) += corner[CORNERS * b + n];
        }
}

static int64_t count_lit(const nodes *l)
{
    int64_t lit = 0;
    for (int64_t i = 0; i < l->count[0] * l->count[1] * l->count[2]; i++)
        lit += l->value[i][0] > 0.0f;
    return lit;
}

static int64_t half_down(int64_t a)
{
    return (a - (a & 1)) / 2;
}

/* Along an axis nodes of even places stay, half of each other one goes to either side. `spare` has
 * room for as many nodes and changes places with them. */
static void halve_axis(nodes *l, int axis, f4 **spare)
{
    nodes to = {.value = *spare};
    memcpy(to.first, l->first, sizeof to.first);
    memcpy(to.count, l->count, sizeof to.count);
    to.first[axis] = half_down(l->first[axis]);
    to.count[axis] = half_down(l->first[axis] + l->count[axis]) - to.first[axis] + 1;
    int64_t at[3];
    for (at[2] = 0; at[2] < to.count[2]; at[2]++)
        for (at[1] = 0; at[1] < to.count[1]; at[1]++)
            for (at[0] = 0; at[0] < to.count[0]; at[0]++) {
                f4 sum = f4_set(0.0f);
                for (int64_t side = -1; side <= 1; side++) {
                    int64_t from[3] = {at[0], at[1], at[2]};
                    from[axis] = 2 * (to.first[axis] + at[axis]) + side - l->first[axis];
                    if (from[axis] >= 0 && from[axis] < l->count[axis])
                        sum += f4_set(side ? 0.5f : 1.0f) * *node_at(l, from);
                }
                *node_at(&to, at) = sum;
            }
    *spare = l->value;
    *l = to;
}

/* Makes lamps of the nodes, which are `spacing` m apart; of each, cell^3 is the volume that its sum
 * of radiances a metre stands for. */
static _Bool light_lamps(const nodes *l, const vt_bricks *bricks, double spacing, vt_lamps *lamps)
{
    const double cell = bricks->cell, brick = BRICK * cell;
    lamps->items =
        aligned_alloc(64, ((size_t)(count_lit(l) + 1) * sizeof *lamps->items + 63) / 64 * 64);
    if (!lamps->items)
        return 0;
    lamps->size2 = (float)(0.25 * spacing * spacing);
    int64_t at[3];
    for (at[2] = 0; at[2] < l->count[2]; at[2]++)
        for (at[1] = 0; at[1] < l->count[1]; at[1]++)
            for (at[0] = 0; at[0] < l->count[0]; at[0]++) {
                const f4 value = *node_at(l, at);
                if (!(value[0] > 0.0f))
                    continue;
                vt_lamp *const lamp = &lamps->items[lamps->count++];
                for (int a = 0; a < 3; a++) {
                    const double world = bricks->origin[a] - bricks->first[a] / BRICK * brick;
                    lamp->position[a] = (float)(world + (double)(l->first[a] + at[a]) * spacing);
                }
                lamp->intensity = value * f4_set((float)(cell * cell * cell));
            }
    return 1;
}

static f4 *allocate_f4(int64_t count)
{
    return aligned_alloc(64, ((size_t)count * sizeof(f4) + 63) / 64 * 64);
}

/* Needs room for the nodes at all corners of the bricks, twice, and for the corners of each. */
static _Bool make_lamps(const gathering *g, nodes *l, f4 *spare, int threads, vt_lamps *lamps)
{
    const vt_bricks *const bricks = g->bricks;
    double spacing = BRICK * bricks->cell;
    vt_parallel_for(threads, bricks->stored, 16, gather_bricks, (void *)g);
    memset(l->value, 0, (size_t)(l->count[0] * l->count[1] * l->count[2]) * sizeof *l->value);
    collect_corners(bricks, g->corner, l);
    while (count_lit(l) > MOST_LAMPS) {
        for (int axis = 0; axis < 3; axis++)
            halve_axis(l, axis, &spare);
        spacing *= 2;
    }
    return light_lamps(l, bricks, spacing, lamps);
}

vt_status vt_create_lamps(const vt_bricks *bricks, const vt_fire *fire, int threads,
                          vt_lamps *lamps)
{
    nodes l = {.value = NULL};
    int64_t room = 1;
    *lamps = (vt_lamps){.items = NULL};
    if (!(fire->emission > 0.0) || bricks->stored == 0)
        return VT_OK;
    for (int a = 0; a < 3; a++) {
        l.first[a] = bricks->first[a] / BRICK;
        l.count[a] = bricks->count[a] + 1;
        room *= l.count[a];
    }
    f4 *const one = allocate_f4(room), *const other = allocate_f4(room);
    const gathering g = {bricks, fire, allocate_f4(CORNERS * bricks->stored)};
    l.value = one;
    const _Bool enough = one && other && g.corner && make_lamps(&g, &l, other, threads, lamps);
    free(one);
    free(other);
    free(g.corner);
    return enough ? VT_OK : vt_fail(VT_OUT_OF_MEMORY, "no memory for the lamps of a preview");
}

void vt_destroy_lamps(vt_lamps *lamps)
{
    free(lamps->items);
    *lamps = (vt_lamps){.items = NULL};
}

f4 vt_lamp_light(const vt_lamps *lamps, const double point[3], const double normal[3])
{
    const float x = (float)point[0], y = (float)point[1], z = (float)point[2];
    f4 sum = f4_set(0.0f);
    for (int32_t n = 0; n < lamps->count; n++) {
        const vt_lamp *const lamp = &lamps->items[n];
        const float way[3] = {lamp->position[0] - x, lamp->position[1] - y, lamp->position[2] - z};
        const float facing =
            way[0] * (float)normal[0] + way[1] * (float)normal[1] + way[2] * (float)normal[2];
        const float square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
        if (facing > 0.0f)
            sum += f4_set(facing / (f1_sqrt(square) * (square + lamps->size2))) * lamp->intensity;
    }
    return sum * f4_set((float)(1.0 / VT_PI));
}
