#include "field/far_lattice.h"

#include <math.h>

#include "base/parallel.h"

enum {
    FINER = 2, /* nodes of the lattice along a cell of the grid */
    LEAST = 2, /* points along a cell of the lattice: with fewer there are more nodes than points */
    WORTH = 4, /* points for each node that is evaluated */
    MOST_ROOM = 8, /* nodes of the box around the points, for each of them */
    BLOCK = 4096
};

typedef struct lattice {
    float origin[3], per_edge; /* m, 1/m */
    int32_t low[3];            /* node in the corner of the box */
    int64_t size[3];           /* of the box, nodes */
    int32_t *number;           /* of each node in the box that is evaluated, + 1; or 0 */
    const float *nodes;        /* velocity at those */
    const float *points;
    float *velocity;
} lattice;

/* Where a point is, in edges from the origin. */
static inline void locate(const lattice *l, const float *point, float place[3])
{
    for (int axis = 0; axis < 3; axis++)
        place[axis] = (point[axis] - l->origin[axis]) * l->per_edge;
}

/* The node below a place in the numbers of the box. */
static inline int64_t node_below(const lattice *l, const float place[3], float part[3])
{
    int64_t node = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float whole = floorf(place[axis]);
        part[axis] = place[axis] - whole;
        node = node * l->size[axis] + ((int32_t)whole - l->low[axis]);
    }
    return node;
}

/* The box of the nodes around the points; 0 where it is too large for them. */
static int find_box(lattice *l, int64_t count)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < count; i++) {
        float place[3];
        locate(l, l->points + 3 * i, place);
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = place[axis] < low[axis] ? place[axis] : low[axis];
            high[axis] = place[axis] > high[axis] ? place[axis] : high[axis];
        }
    }
    double nodes = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (!(low[axis] > -1e9f && high[axis] < 1e9f))
            return 0;
        l->low[axis] = (int32_t)floorf(low[axis]);
        l->size[axis] = (int32_t)floorf(high[axis]) - l->low[axis] + 2;
        nodes *= (double)l->size[axis];
    }
    return nodes <= (double)MOST_ROOM * (double)count;
}

/* Gives those nodes a number that a point needs; returns how many. */
static int64_t number_nodes(const lattice *l, int64_t count)
{
    const int64_t row = l->size[2], plane = row * l->size[1], all = plane * l->size[0];
    int64_t before = -1, numbered = 0;
    memset(l->number, 0, (size_t)all * sizeof *l->number);
    for (int64_t i = 0; i < count; i++) {
        float place[3], part[3];
        locate(l, l->points + 3 * i, place);
        const int64_t node = node_below(l, place, part);
        if (node == before)
            continue;
        before = node;
        for (int corner = 0; corner < 8; corner++)
            l->number[node + (corner >> 2) * plane + (corner >> 1 & 1) * row + (corner & 1)] = 1;
    }
    for (int64_t n = 0; n < all; n++)
        if (l->number[n])
            l->number[n] = (int32_t)++numbered;
    return numbered;
}

static void place_nodes(const lattice *l, double edge, float *places)
{
    const int64_t row = l->size[2], all = l->size[0] * l->size[1] * row;
    for (int64_t n = 0; n < all; n++) {
        if (!l->number[n])
            continue;
        const int64_t at[3] = {n / row / l->size[1], n / row % l->size[1], n % row};
        float *const place = places + 3 * ((int64_t)l->number[n] - 1);
        for (int axis = 0; axis < 3; axis++)
            place[axis] =
                (float)((double)l->origin[axis] + edge * (double)(l->low[axis] + at[axis]));
    }
}

static void interpolate(void *context, int64_t begin, int64_t end)
{
    const lattice *const l = context;
    const int64_t row = l->size[2], plane = row * l->size[1];
    for (int64_t i = begin; i < end; i++) {
        float place[3], part[3], sum[3] = {0, 0, 0};
        locate(l, l->points + 3 * i, place);
        const int64_t below = node_below(l, place, part);
        for (int corner = 0; corner < 8; corner++) {
            const int x = corner >> 2, y = corner >> 1 & 1, z = corner & 1;
            const int32_t number = l->number[below + x * plane + y * row + z];
            const float *const u = l->nodes + 3 * ((int64_t)number - 1);
            const float weight = (x ? part[0] : 1 - part[0]) * (y ? part[1] : 1 - part[1]) *
                                 (z ? part[2] : 1 - part[2]);
            for (int axis = 0; axis < 3; axis++)
                sum[axis] += weight * u[axis];
        }
        memcpy(l->velocity + 3 * i, sum, sizeof sum);
    }
}

static void sum_clusters(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    s->stages->far_velocity(&s->grid, &s->moments, s->def.method.opening_angle, count, points,
                            velocity, s->def.threads);
    if (s->grid.has_potential)
        s->stages->far_gradient(&s->grid, &s->charges, s->def.method.opening_angle, count, points,
                                velocity, s->def.threads);
}

/* By way of the lattice; 0 where that would not pay. */
static int sum_by_lattice(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    const double edge = s->grid.spacing / FINER;
    lattice l = {.per_edge = (float)(1 / edge), .points = points, .velocity = velocity};
    for (int axis = 0; axis < 3; axis++)
        l.origin[axis] = vti_grid_origin(&s->grid, axis);
    if (!find_box(&l, count))
        return 0;
    l.number = vti_arena_push(&s->arena, (size_t)(l.size[0] * l.size[1] * l.size[2]) * 4);
    const int64_t nodes = number_nodes(&l, count);
    if (WORTH * nodes > count)
        return 0;
    float *const places = vti_arena_push(&s->arena, 12 * (size_t)nodes);
    float *const there = vti_arena_push(&s->arena, 12 * (size_t)nodes);
    place_nodes(&l, edge, places);
    sum_clusters(s, nodes, places, there);
    l.nodes = there;
    vti_parallel_for(s->def.threads, count, BLOCK, interpolate, &l);
    return 1;
}

void vti_far_velocity(vt_simulation *s, double apart, int64_t count, const float *points,
                      float *velocity)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const int fine = apart > 0 && apart * (LEAST * FINER) <= s->grid.spacing;
    if (!fine || !sum_by_lattice(s, count, points, velocity))
        sum_clusters(s, count, points, velocity);
    vti_arena_pop(&s->arena, mark);
}
