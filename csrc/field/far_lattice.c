#include "field/far_lattice.h"

#include <math.h>

#include "base/parallel.h"
#include "panels/patches.h"
#include "state/predicates.h"

enum {
    BRICK = 8, /* nodes along a brick */
    BRICK_NODES = BRICK * BRICK * BRICK,
    MOST_BRICKS = 128,    /* points for each brick, and */
    WORTH = 2,            /* for each node, that are worth it */
    REACH = 3,            /* nodes from the nearest one to the farthest that a point needs */
    MOST_BOX = 1 << 22,   /* bricks, and */
    MOST_ALONG = 1 << 16, /* of them along an axis */
    BLOCK = 4096
};

/* What a node is for; a point is served by the lattice where the nearest node is NEAREST. */
enum { SUMMED = 1, MIXED = 2, NEAREST = 4, MARKED = 8 };

/* Nodes in bricks; those that a point needs have a number. */
struct vt_far_lattice {
    double corner[3];       /* node number 0 of the box, m */
    float low[3], per_edge; /* the same; 1/m */
    int32_t bricks[3];      /* of the box, along each axis */
    int32_t *brick;         /* of each brick in the box its number + 1; or 0 */
    int64_t brick_count;    /* of those with a number */
    uint8_t *use;           /* of each node in these; likewise: */
    f4 *summed, *mixed;     /* velocities; coefficients of the splines that have them */
    int64_t node_count;     /* that are summed */
};

static inline int64_t box_of(const vt_far_lattice *l)
{
    return (int64_t)l->bricks[0] * l->bricks[1] * l->bricks[2];
}

/* The node nearest to a point, and how far the point is from it, in edges; 0 where nodes that it
 * needs lie outside of the box: of a point that is no number, or where floats tell nodes apart no
 * more. */
static inline int locate(const vt_far_lattice *l, const float *point, int32_t node[3],
                         float away[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const float place = (point[axis] - l->low[axis]) * l->per_edge;
        if (!(place >= REACH && place < (float)(l->bricks[axis] * BRICK - REACH - 1)))
            return 0;
        node[axis] = (int32_t)(place + 0.5f);
        away[axis] = place - (float)node[axis];
    }
    return 1;
}

/* The node beside another on one of its six sides. */
static inline void step_to_side(const int32_t node[3], int side, int32_t beside[3])
{
    memcpy(beside, node, 3 * sizeof *beside);
    beside[side / 2] += side % 2 ? 1 : -1;
}

/* Node number n of a brick, in the numbers of the box. */
static inline void node_of_brick(const vt_far_lattice *l, int64_t brick, int32_t n, int32_t node[3])
{
    const int64_t row = brick / l->bricks[2];
    node[0] = (int32_t)(row / l->bricks[1]) * BRICK + n / BRICK / BRICK;
    node[1] = (int32_t)(row % l->bricks[1]) * BRICK + n / BRICK % BRICK;
    node[2] = (int32_t)(brick % l->bricks[2]) * BRICK + n % BRICK;
}

/* What node number n along an axis adds to the number of the brick in the box, and of the node in
 * its brick. */
typedef struct node_step {
    int32_t brick, within;
} node_step;

static inline node_step step_along(const vt_far_lattice *l, int axis, int32_t n)
{
    const int32_t row[3] = {l->bricks[1] * l->bricks[2], l->bricks[2], 1};
    const uint32_t node = (uint32_t)n;
    static const int32_t pitch[3] = {BRICK * BRICK, BRICK, 1};
    return (node_step){(int32_t)(node / BRICK) * row[axis], (int32_t)(node % BRICK) * pitch[axis]};
}

static inline int64_t slot_of(const vt_far_lattice *l, node_step x, node_step y, node_step z)
{
    const int64_t brick = l->brick[x.brick + y.brick + z.brick] - 1;
    return brick * BRICK_NODES + x.within + y.within + z.within;
}

static inline int64_t slot_of_node(const vt_far_lattice *l, const int32_t node[3])
{
    return slot_of(l, step_along(l, 0, node[0]), step_along(l, 1, node[1]),
                   step_along(l, 2, node[2]));
}

/* The box of the bricks around the points, whose nodes are those of the grid continued; 0 where it
 * is too large for them. */
static int find_box(const vt_grid *grid, vt_far_lattice *l, int64_t count, const float *points)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float at = points[3 * i + axis];
            low[axis] = at < low[axis] ? at : low[axis];
            high[axis] = at > high[axis] ? at : high[axis];
        }
    double bricks = 1;
    for (int axis = 0; axis < 3; axis++) {
        const double origin = (double)vti_grid_origin(grid, axis);
        const double first = floor(((double)low[axis] - origin) / grid->spacing) - REACH - 2;
        const double last = floor(((double)high[axis] - origin) / grid->spacing) + REACH + 3;
        const double along = floor((last - first) / BRICK) + 1;
        if (!(along >= 1 && along <= (double)count && along <= MOST_ALONG))
            return 0;
        l->bricks[axis] = (int32_t)along;
        l->corner[axis] = origin + first * grid->spacing;
        l->low[axis] = (float)l->corner[axis];
        bricks *= along;
    }
    l->per_edge = (float)(1 / grid->spacing);
    return bricks <= (double)count && bricks < MOST_BOX;
}

/* Numbers the bricks that a point needs; 0 where there are too many for the points. */
static int number_bricks(vt_far_lattice *l, int64_t count, const float *points)
{
    const int64_t all = box_of(l);
    memset(l->brick, 0, (size_t)all * sizeof *l->brick);
    for (int64_t i = 0; i < count; i++) {
        int32_t node[3];
        float away[3];
        if (!locate(l, points + 3 * i, node, away))
            continue;
        for (int corner = 0; corner < 8; corner++) {
            int32_t brick = 0;
            for (int axis = 0; axis < 3; axis++)
                brick +=
                    step_along(l, axis, node[axis] + (corner >> axis & 1 ? REACH : -REACH)).brick;
            l->brick[brick] = 1;
        }
    }
    for (int64_t b = 0; b < all; b++)
        if (l->brick[b])
            l->brick[b] = (int32_t)++l->brick_count;
    return MOST_BRICKS * l->brick_count <= count;
}

/* Marks what points need that lie nearest to a node: the coefficients around it, which are mixed
 * from the velocities there and one node further along each axis. */
static void mark_around(vt_far_lattice *l, const int32_t nearest[3])
{
    uint8_t *const own = &l->use[slot_of_node(l, nearest)];
    if (*own & NEAREST)
        return;
    *own |= NEAREST;
    for (int n = 0; n < 27; n++) {
        const int32_t at[3] = {nearest[0] + n / 9 - 1, nearest[1] + n / 3 % 3 - 1,
                               nearest[2] + n % 3 - 1};
        uint8_t *const use = &l->use[slot_of_node(l, at)];
        if (*use & MIXED)
            continue;
        *use |= MIXED | SUMMED;
        for (int side = 0; side < 6; side++) {
            int32_t beside[3];
            step_to_side(at, side, beside);
            l->use[slot_of_node(l, beside)] |= SUMMED;
        }
    }
}

/* With the nodes beside the nearest one: by then points have moved. */
static void mark_nodes(vt_far_lattice *l, int64_t count, const float *points)
{
    const int64_t all = l->brick_count * BRICK_NODES;
    memset(l->use, 0, (size_t)all);
    for (int64_t i = 0; i < count; i++) {
        int32_t node[3];
        float away[3];
        if (!locate(l, points + 3 * i, node, away))
            continue;
        uint8_t *const use = &l->use[slot_of_node(l, node)];
        if (*use & MARKED)
            continue;
        *use |= MARKED;
        for (int n = 0; n < 27; n++)
            mark_around(l, (const int32_t[3]){node[0] + n / 9 - 1, node[1] + n / 3 % 3 - 1,
                                              node[2] + n % 3 - 1});
    }
    for (int64_t n = 0; n < all; n++)
        l->node_count += l->use[n] & SUMMED;
}

/* Where the nodes that are summed lie, and where they stand. */
static void place_nodes(const vt_far_lattice *l, double edge, float *places, uint32_t *slots)
{
    int64_t found = 0;
    for (int64_t b = 0; b < box_of(l); b++) {
        if (!l->brick[b])
            continue;
        for (int32_t n = 0; n < BRICK_NODES; n++) {
            const int64_t slot = (l->brick[b] - 1) * (int64_t)BRICK_NODES + n;
            int32_t node[3];
            if (!(l->use[slot] & SUMMED))
                continue;
            node_of_brick(l, b, n, node);
            for (int axis = 0; axis < 3; axis++)
                places[3 * found + axis] = (float)(l->corner[axis] + edge * (double)node[axis]);
            slots[found++] = (uint32_t)slot;
        }
    }
}

/* The coefficients of a brick, to the third order: less an eighth of the second differences. */
static void mix_brick(void *context, int64_t b)
{
    const vt_far_lattice *const l = context;
    if (!l->brick[b])
        return;
    for (int32_t n = 0; n < BRICK_NODES; n++) {
        int32_t at[3];
        const int64_t slot = (l->brick[b] - 1) * (int64_t)BRICK_NODES + n;
        if (!(l->use[slot] & MIXED))
            continue;
        node_of_brick(l, b, n, at);
        f4 sum = f4_set(1.75f) * l->summed[slot];
        for (int side = 0; side < 6; side++) {
            int32_t beside[3];
            step_to_side(at, side, beside);
            sum -= f4_set(0.125f) * l->summed[slot_of_node(l, beside)];
        }
        l->mixed[slot] = sum;
    }
}

typedef struct serve_job {
    const vt_far_lattice *lattice;
    const float *points;
    float *velocity;
    uint8_t *left; /* whether the lattice does not serve a point */
} serve_job;

/* By quadratic B-splines; returns whether the lattice serves the point. */
static inline int serve(const vt_far_lattice *l, const float *point, float *velocity)
{
    int32_t node[3];
    float away[3], weight[3][3];
    node_step step[3][3];
    if (!locate(l, point, node, away))
        return 0;
    for (int axis = 0; axis < 3; axis++) {
        const float low = 0.5f - away[axis], high = 0.5f + away[axis];
        weight[axis][0] = 0.5f * low * low;
        weight[axis][1] = 0.75f - away[axis] * away[axis];
        weight[axis][2] = 0.5f * high * high;
        for (int n = 0; n < 3; n++)
            step[axis][n] = step_along(l, axis, node[axis] + n - 1);
    }
    if (!l->brick[step[0][1].brick + step[1][1].brick + step[2][1].brick] ||
        !(l->use[slot_of(l, step[0][1], step[1][1], step[2][1])] & NEAREST))
        return 0;
    f4 sum = f4_set(0);
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++) {
            f4 row = f4_set(0);
            for (int z = 0; z < 3; z++)
                row +=
                    f4_set(weight[2][z]) * l->mixed[slot_of(l, step[0][x], step[1][y], step[2][z])];
            sum += f4_set(weight[0][x] * weight[1][y]) * row;
        }
    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = sum[axis];
    return 1;
}

static void serve_points(void *context, int64_t begin, int64_t end)
{
    const serve_job *const job = context;
    const vt_far_lattice *const l = job->lattice;
    for (int64_t i = begin; i < end; i++)
        job->left[i] = (uint8_t)!serve(l, job->points + 3 * i, job->velocity + 3 * i);
}

/* The far field of vortons and charges. */
static void sum_all(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    s->stages->far_velocity(&s->grid, &s->moments, s->def.method.opening_angle, count, points,
                            velocity, s->def.threads);
    if (s->grid.has_potential)
        s->stages->far_gradient(&s->grid, &s->charges, s->def.method.opening_angle, count, points,
                                velocity, s->def.threads);
}

static void sum_nodes(vt_simulation *s, vt_far_lattice *l)
{
    const size_t mark = vti_arena_mark(&s->arena), count = (size_t)l->node_count;
    float *const places = vti_arena_push(&s->arena, 12 * count);
    float *const there = vti_arena_push(&s->arena, 12 * count);
    uint32_t *const slots = vti_arena_push(&s->arena, 4 * count);
    place_nodes(l, s->grid.spacing, places, slots);
    sum_all(s, l->node_count, places, there);
    for (size_t n = 0; n < count; n++)
        l->summed[slots[n]] = (f4){there[3 * n], there[3 * n + 1], there[3 * n + 2], 0};
    vti_arena_pop(&s->arena, mark);
}

/* For points that all lie outside; 0 where it would not pay. */
static int make_lattice(vt_simulation *s, int64_t count, const float *points, vt_far_lattice *l)
{
    if (!find_box(&s->grid, l, count, points))
        return 0;
    l->brick = vti_arena_push(&s->arena, (size_t)box_of(l) * sizeof *l->brick);
    if (!number_bricks(l, count, points))
        return 0;
    const size_t slots = BRICK_NODES * (size_t)l->brick_count;
    l->use = vti_arena_push(&s->arena, slots);
    mark_nodes(l, count, points);
    if (WORTH * l->node_count > count)
        return 0;
    l->summed = vti_arena_push(&s->arena, sizeof(f4) * slots);
    l->mixed = vti_arena_push(&s->arena, sizeof(f4) * slots);
    sum_nodes(s, l);
    vti_parallel_each(s->def.threads, box_of(l), 1, mix_brick, l);
    return 1;
}

/* The grid as the points of a loop ask for it. */
typedef struct grid_box {
    float origin[3], cells[3], per; /* per: cells of a metre */
} grid_box;

static grid_box box_of_grid(const vt_grid *grid)
{
    grid_box box = {.per = (float)(1 / grid->spacing)};
    for (int axis = 0; axis < 3; axis++) {
        box.origin[axis] = vti_grid_origin(grid, axis);
        box.cells[axis] = (float)grid->cells[axis];
    }
    return box;
}

/* Whether a point lies outside the grid. */
static int is_outside(const grid_box *grid, const float point[3])
{
    int outside = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float at = (point[axis] - grid->origin[axis]) * grid->per;
        outside |= !(at >= 0 && at <= grid->cells[axis]);
    }
    return outside;
}

const vt_far_lattice *vti_open_far_lattice(vt_simulation *s, int64_t count, const float *points)
{
    if (!s->fields_exist || !vti_has_grid(s) || s->grid.walled || s->grid.still)
        return NULL;
    vt_far_lattice *const l = vti_arena_push(&s->arena, sizeof *l);
    float *const outside = vti_arena_push(&s->arena, 12 * (size_t)count);
    const grid_box box = box_of_grid(&s->grid);
    int64_t found = 0;
    *l = (vt_far_lattice){.brick_count = 0};
    for (int64_t i = 0; i < count; i++)
        if (is_outside(&box, points + 3 * i))
            memcpy(outside + 3 * found++, points + 3 * i, 12);
    return found && make_lattice(s, found, outside, l) ? l : NULL;
}

const vt_far_lattice *vti_open_voxel_lattice(vt_simulation *s, double apart, int64_t count,
                                             const float *points)
{
    enum { LEAST = 4 }; /* points along a cell: with fewer there are more nodes than points */
    return apart * LEAST <= s->grid.spacing ? vti_open_far_lattice(s, count, points) : NULL;
}

/* Those that the lattice leaves. */
static void sum_rest(vt_simulation *s, const serve_job *job, int64_t count)
{
    int64_t rest = 0;
    for (int64_t i = 0; i < count; i++)
        rest += job->left[i];
    if (rest == 0)
        return;
    float *const points = vti_arena_push(&s->arena, 12 * (size_t)rest);
    float *const velocity = vti_arena_push(&s->arena, 12 * (size_t)rest);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (job->left[i])
            memcpy(points + 3 * n++, job->points + 3 * i, 12);
    sum_all(s, rest, points, velocity);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (job->left[i])
            memcpy(job->velocity + 3 * i, velocity + 3 * n++, 12);
}

void vti_far_velocity(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                      const float *points, float *velocity)
{
    const size_t mark = vti_arena_mark(&s->arena);
    if (lattice) {
        serve_job job = {lattice, points, velocity, vti_arena_push(&s->arena, (size_t)count)};
        vti_parallel_for(s->def.threads, count, BLOCK, serve_points, &job);
        sum_rest(s, &job, count);
    } else {
        sum_all(s, count, points, velocity);
    }
    /* which jumps at a wall, and is no field to interpolate */
    vti_add_outer_panels(s, count, points, velocity);
    vti_arena_pop(&s->arena, mark);
}
