#include "field/far_lattice.h"

#include <math.h>

#include "base/parallel.h"
#include "panels/patches.h"
#include "state/predicates.h"

enum {
    BRICK = 8, /* nodes along a brick */
    BRICK_NODES = BRICK * BRICK * BRICK,
    MOST_BRICKS = 128,    /* points for each brick, and */
    WORTH = 2,            /* sums at them for each node, that are worth it */
    REACH = 3,            /* nodes from the nearest one to the farthest that a point needs */
    MOST_BOX = 1 << 22,   /* bricks, and */
    MOST_ALONG = 1 << 16, /* of them along an axis */
    MOST_LEVELS = 24,     /* farther away than the last one reaches each point has its own sum */
    BLOCK = 4096
};

/* Cells of the grid, which lie as far from the vortons and a cell more, or edges of a lattice, from
 * what the field comes from: nodes are twice as far apart where that distance has doubled. At 5 the
 * error at these is .0014 of the speed, at 6 .0009. */
static const float margin = VT_DOMAIN_MARGIN + 1;

/* What a node is for; a point is served by the lattice where the nearest node is NEAREST. */
enum { SUMMED = 1, MIXED = 2, NEAREST = 4, MARKED = 8 };

/* Nodes in bricks; those that a point needs have a number. */
typedef struct far_level {
    double edge;            /* between nodes, m */
    double corner[3];       /* node number 0 of the box, m */
    float low[3], per_edge; /* the same; 1/m */
    int32_t bricks[3];      /* of the box, along each axis */
    int32_t *brick;         /* of each brick in the box its number + 1; or 0 */
    int64_t brick_count;    /* of those with a number */
    uint8_t *clear;         /* of each of these the eighths that are far from outer walls: bits */
    uint8_t *use;           /* of each node in these; likewise: */
    f4 *summed, *mixed;     /* velocities; coefficients of the splines that have them */
    f4 *with_walls;         /* coefficients of the sums with those walls, for what is clear */
    int64_t node_count;     /* that are summed */
} far_level;

/* Those with points enough, the finest first. */
struct vt_far_lattice {
    int32_t count;
    far_level level[MOST_LEVELS];
};

static inline int64_t box_of(const far_level *l)
{
    return (int64_t)l->bricks[0] * l->bricks[1] * l->bricks[2];
}

/* The node nearest to a point, and how far the point is from it, in edges; 0 where nodes that it
 * needs lie outside of the box: of a point that is no number, or where floats tell nodes apart no
 * more. */
static inline int locate(const far_level *l, const float *point, int32_t node[3], float away[3])
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
static inline void node_of_brick(const far_level *l, int64_t brick, int32_t n, int32_t node[3])
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

static inline node_step step_along(const far_level *l, int axis, int32_t n)
{
    const int32_t row[3] = {l->bricks[1] * l->bricks[2], l->bricks[2], 1};
    const uint32_t node = (uint32_t)n;
    static const int32_t pitch[3] = {BRICK * BRICK, BRICK, 1};
    return (node_step){(int32_t)(node / BRICK) * row[axis], (int32_t)(node % BRICK) * pitch[axis]};
}

static inline int64_t slot_of(const far_level *l, node_step x, node_step y, node_step z)
{
    const int64_t brick = l->brick[x.brick + y.brick + z.brick] - 1;
    return brick * BRICK_NODES + x.within + y.within + z.within;
}

static inline int64_t slot_of_node(const far_level *l, const int32_t node[3])
{
    return slot_of(l, step_along(l, 0, node[0]), step_along(l, 1, node[1]),
                   step_along(l, 2, node[2]));
}

/* The box of the bricks around the points, whose nodes are some of those of the grid continued; 0
 * where it is too large for them. */
static int find_box(const vt_grid *grid, far_level *l, int64_t count, const float *points)
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
        const double first = floor(((double)low[axis] - origin) / l->edge) - REACH - 2;
        const double last = floor(((double)high[axis] - origin) / l->edge) + REACH + 3;
        const double along = floor((last - first) / BRICK) + 1;
        if (!(along >= 1 && along <= (double)count && along <= MOST_ALONG))
            return 0;
        l->bricks[axis] = (int32_t)along;
        l->corner[axis] = origin + first * l->edge;
        l->low[axis] = (float)l->corner[axis];
        bricks *= along;
    }
    l->per_edge = (float)(1 / l->edge);
    return bricks <= (double)count && bricks < MOST_BOX;
}

/* Numbers the bricks that a point needs; 0 where there are too many for the points. */
static int number_bricks(far_level *l, int64_t count, const float *points)
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
static void mark_around(far_level *l, const int32_t nearest[3])
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
static void mark_nodes(far_level *l, int64_t count, const float *points)
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
static void place_nodes(const far_level *l, float *places, uint32_t *slots)
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
                places[3 * found + axis] = (float)(l->corner[axis] + l->edge * (double)node[axis]);
            slots[found++] = (uint32_t)slot;
        }
    }
}

/* Velocities at nodes, and where their coefficients go. */
typedef struct mix_job {
    const far_level *level;
    const f4 *summed;
    f4 *mixed;
} mix_job;

/* The coefficients of a brick, to the third order: less an eighth of the second differences. */
static void mix_brick(void *context, int64_t b)
{
    const mix_job *const job = context;
    const far_level *const l = job->level;
    if (!l->brick[b])
        return;
    for (int32_t n = 0; n < BRICK_NODES; n++) {
        int32_t at[3];
        const int64_t slot = (l->brick[b] - 1) * (int64_t)BRICK_NODES + n;
        if (!(l->use[slot] & MIXED))
            continue;
        node_of_brick(l, b, n, at);
        f4 sum = f4_set(1.75f) * job->summed[slot];
        for (int side = 0; side < 6; side++) {
            int32_t beside[3];
            step_to_side(at, side, beside);
            sum -= f4_set(0.125f) * job->summed[slot_of_node(l, beside)];
        }
        job->mixed[slot] = sum;
    }
}

/* In which eighth of its brick a node lies. */
static inline int eighth_of(const int32_t node[3])
{
    int eighth = 0;
    for (int axis = 0; axis < 3; axis++)
        eighth |= (node[axis] % BRICK >= BRICK / 2) << axis;
    return eighth;
}

typedef struct serve_job {
    const vt_far_lattice *lattice;
    const float *points;
    float *velocity;
    uint8_t *left; /* what the lattice does not serve a point with */
} serve_job;

enum { SUMS_LEFT = 1, WALLS_LEFT = 2 };

/* By quadratic B-splines; returns what the level does not serve the point with. */
static inline int serve(const far_level *l, const float *point, float *velocity)
{
    int32_t node[3];
    float away[3], weight[3][3];
    node_step step[3][3];
    if (!locate(l, point, node, away))
        return SUMS_LEFT | WALLS_LEFT;
    for (int axis = 0; axis < 3; axis++) {
        const float low = 0.5f - away[axis], high = 0.5f + away[axis];
        weight[axis][0] = 0.5f * low * low;
        weight[axis][1] = 0.75f - away[axis] * away[axis];
        weight[axis][2] = 0.5f * high * high;
        for (int n = 0; n < 3; n++)
            step[axis][n] = step_along(l, axis, node[axis] + n - 1);
    }
    const int32_t brick = l->brick[step[0][1].brick + step[1][1].brick + step[2][1].brick];
    if (brick == 0 || !(l->use[slot_of(l, step[0][1], step[1][1], step[2][1])] & NEAREST))
        return SUMS_LEFT | WALLS_LEFT;
    const int clear = l->clear[brick - 1] >> eighth_of(node) & 1;
    const f4 *const mixed = clear ? l->with_walls : l->mixed;
    f4 sum = f4_set(0);
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++) {
            f4 row = f4_set(0);
            for (int z = 0; z < 3; z++)
                row += f4_set(weight[2][z]) * mixed[slot_of(l, step[0][x], step[1][y], step[2][z])];
            sum += f4_set(weight[0][x] * weight[1][y]) * row;
        }
    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = sum[axis];
    return clear ? 0 : WALLS_LEFT;
}

static void serve_points(void *context, int64_t begin, int64_t end)
{
    const serve_job *const job = context;
    const vt_far_lattice *const l = job->lattice;
    for (int64_t i = begin; i < end; i++) {
        int left = SUMS_LEFT | WALLS_LEFT;
        for (int32_t n = 0; n < l->count && left & SUMS_LEFT; n++)
            left = serve(&l->level[n], job->points + 3 * i, job->velocity + 3 * i);
        job->left[i] = (uint8_t)left;
    }
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

typedef struct clear_job {
    const vt_simulation *s;
    const far_level *level;
} clear_job;

/* Which eighths of a brick are far from the walls outside the grid, with the points to which their
 * nodes are the nearest. */
static void look_at_brick(void *context, int64_t b)
{
    const clear_job *const job = context;
    const far_level *const l = job->level;
    uint8_t clear = 0;
    int32_t node[3];
    if (!l->brick[b])
        return;
    for (int eighth = 0; eighth < 8; eighth++) {
        double low[3], high[3];
        node_of_brick(l, b, 0, node);
        for (int axis = 0; axis < 3; axis++) {
            node[axis] += (eighth >> axis & 1) * (BRICK / 2);
            low[axis] = l->corner[axis] + l->edge * (node[axis] - 0.5);
            high[axis] = low[axis] + l->edge * (BRICK / 2);
        }
        if (vti_is_far_from_outer_panels(job->s, low, high, (double)margin * l->edge))
            clear |= (uint8_t)(1 << eighth_of(node));
    }
    l->clear[l->brick[b] - 1] = clear;
}

/* Returns whether any brick is clear of walls that there are. */
static int find_clear_bricks(vt_simulation *s, far_level *l)
{
    clear_job job = {s, l};
    int64_t clear = 0;
    l->clear = vti_arena_push(&s->arena, (size_t)l->brick_count);
    vti_parallel_each(s->def.threads, box_of(l), 1, look_at_brick, &job);
    for (int64_t b = 0; b < l->brick_count; b++)
        clear += l->clear[b] != 0;
    return clear > 0 && vti_has_outer_panels(s);
}

/* Writes velocities at places to the slots of their nodes, and mixes them. */
static void set_nodes(vt_simulation *s, const far_level *l, const uint32_t *slots,
                      const float *velocity, f4 *mixed)
{
    for (int64_t n = 0; n < l->node_count; n++) {
        const float *const u = velocity + 3 * n;
        l->summed[slots[n]] = (f4){u[0], u[1], u[2], 0};
    }
    mix_job job = {l, l->summed, mixed};
    vti_parallel_each(s->def.threads, box_of(l), 1, mix_brick, &job);
}

static void sum_nodes(vt_simulation *s, far_level *l)
{
    const size_t coefficients = sizeof(f4) * BRICK_NODES * (size_t)l->brick_count;
    const int walls = find_clear_bricks(s, l);
    l->mixed = l->with_walls = vti_arena_push(&s->arena, coefficients);
    if (walls)
        l->with_walls = vti_arena_push(&s->arena, coefficients);
    const size_t mark = vti_arena_mark(&s->arena), count = (size_t)l->node_count;
    l->summed = vti_arena_push(&s->arena, coefficients);
    float *const places = vti_arena_push(&s->arena, 12 * count);
    float *const there = vti_arena_push(&s->arena, 12 * count);
    uint32_t *const slots = vti_arena_push(&s->arena, 4 * count);
    place_nodes(l, places, slots);
    sum_all(s, l->node_count, places, there);
    set_nodes(s, l, slots, there, l->mixed);
    if (walls) {
        vti_add_outer_panels(s, l->node_count, places, there);
        set_nodes(s, l, slots, there, l->with_walls);
    }
    vti_arena_pop(&s->arena, mark);
}

/* For points that all lie outside, at each of which there are so many looks; 0 where it would not
 * pay. */
static int make_level(vt_simulation *s, int looks, int64_t count, const float *points, far_level *l)
{
    if (!find_box(&s->grid, l, count, points))
        return 0;
    l->brick = vti_arena_push(&s->arena, (size_t)box_of(l) * sizeof *l->brick);
    if (!number_bricks(l, count, points))
        return 0;
    const size_t slots = BRICK_NODES * (size_t)l->brick_count;
    l->use = vti_arena_push(&s->arena, slots);
    mark_nodes(l, count, points);
    if (WORTH * l->node_count > looks * count)
        return 0;
    sum_nodes(s, l);
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

/* The level that suits a point: -1 inside the grid, MOST_LEVELS too far away or no number. */
static int level_of(const grid_box *grid, const float point[3])
{
    float away = 0, far = margin;
    int outside = 0, level = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float at = (point[axis] - grid->origin[axis]) * grid->per;
        const float beyond = at < 0 ? -at : at - grid->cells[axis];
        outside |= !(beyond <= 0);
        away = beyond > away || isnan(beyond) ? beyond : away;
    }
    for (; level < MOST_LEVELS && !(away < far); level++)
        far += far + margin;
    return outside ? level : -1;
}

/* The points of each level one after the other, in their order; `first` are MOST_LEVELS + 1. */
static void part_by_level(vt_simulation *s, int64_t count, const float *points, int64_t *first,
                          float *parted)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const grid_box box = box_of_grid(&s->grid);
    int8_t *const level = vti_arena_push(&s->arena, (size_t)count);
    int64_t end[MOST_LEVELS + 1] = {0};
    for (int64_t i = 0; i < count; i++) {
        level[i] = (int8_t)level_of(&box, points + 3 * i);
        if (level[i] >= 0)
            end[level[i]]++;
    }
    first[0] = 0;
    for (int n = 0; n < MOST_LEVELS; n++) {
        first[n + 1] = first[n] + end[n];
        end[n] = first[n];
    }
    for (int64_t i = 0; i < count; i++)
        if (level[i] >= 0 && level[i] < MOST_LEVELS)
            memcpy(parted + 3 * end[level[i]]++, points + 3 * i, 12);
    vti_arena_pop(&s->arena, mark);
}

const vt_far_lattice *vti_open_far_lattice(vt_simulation *s, int looks, int64_t count,
                                           const float *points)
{
    if (!s->fields_exist || !vti_has_grid(s) || s->grid.walled || s->grid.still)
        return NULL;
    vt_far_lattice *const l = vti_arena_push(&s->arena, sizeof *l);
    float *const parted = vti_arena_push(&s->arena, 12 * (size_t)count);
    int64_t first[MOST_LEVELS + 1];
    l->count = 0;
    part_by_level(s, count, points, first, parted);
    for (int n = 0; n < MOST_LEVELS; n++) {
        const size_t mark = vti_arena_mark(&s->arena);
        far_level *const level = &l->level[l->count];
        *level = (far_level){.edge = s->grid.spacing * (double)(1 << n)};
        if (first[n + 1] > first[n] &&
            make_level(s, looks, first[n + 1] - first[n], parted + 3 * first[n], level))
            l->count++;
        else
            vti_arena_pop(&s->arena, mark);
    }
    return l->count > 0 ? l : NULL;
}

const vt_far_lattice *vti_open_voxel_lattice(vt_simulation *s, double apart, int64_t count,
                                             const float *points)
{
    enum { LEAST = 4 }; /* points along a cell: with fewer there are more nodes than points */
    return apart * LEAST <= s->grid.spacing ? vti_open_far_lattice(s, 1, count, points) : NULL;
}

/* Adds what the lattice leaves, sums or walls. */
static void add_rest(vt_simulation *s, const serve_job *job, int what, int64_t count)
{
    int64_t rest = 0;
    for (int64_t i = 0; i < count; i++)
        rest += (job->left[i] & what) != 0;
    if (rest == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    float *const points = vti_arena_push(&s->arena, 12 * (size_t)rest);
    float *const velocity = vti_arena_push(&s->arena, 12 * (size_t)rest);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (job->left[i] & what) {
            memcpy(points + 3 * n, job->points + 3 * i, 12);
            memcpy(velocity + 3 * n++, job->velocity + 3 * i, 12);
        }
    if (what == SUMS_LEFT)
        sum_all(s, rest, points, velocity);
    else
        vti_add_outer_panels(s, rest, points, velocity);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (job->left[i] & what)
            memcpy(job->velocity + 3 * i, velocity + 3 * n++, 12);
    vti_arena_pop(&s->arena, mark);
}

void vti_far_velocity(vt_simulation *s, const vt_far_lattice *lattice, int64_t count,
                      const float *points, float *velocity)
{
    if (!lattice) {
        sum_all(s, count, points, velocity);
        vti_add_outer_panels(s, count, points, velocity);
        return;
    }
    const size_t mark = vti_arena_mark(&s->arena);
    serve_job job = {lattice, points, velocity, vti_arena_push(&s->arena, (size_t)count)};
    vti_parallel_for(s->def.threads, count, BLOCK, serve_points, &job);
    add_rest(s, &job, SUMS_LEFT, count);
    if (vti_has_outer_panels(s))
        add_rest(s, &job, WALLS_LEFT, count);
    vti_arena_pop(&s->arena, mark);
}
