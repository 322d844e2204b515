#include "walls.h"

#include <math.h>
#include <string.h>

#include "core/vec3.h"

enum { LEAST_CELLS = 4, MOST_CELLS = 60, PER_CELL = 3, MOST_PAIRS = 1 << 20 };

/* A body turns at most so far from one pose to the next, radians. */
static const double most_turn = 0.2;

/* ---- bodies on their way ---- */

/* At least the angle between two rotations: the norm of their difference. */
static double turn_between(const vt_pose *a, const vt_pose *b)
{
    double square = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            square += (a->matrix[r][c] - b->matrix[r][c]) * (a->matrix[r][c] - b->matrix[r][c]);
    return vt_sqrt(square);
}

/* Of a point from the straight line between two others. */
static double distance_from_line(const double from[3], const double to[3], const double point[3])
{
    double way[3], arm[3];
    for (int c = 0; c < 3; c++) {
        way[c] = to[c] - from[c];
        arm[c] = point[c] - from[c];
    }
    const double square = vt_dot(way, way), along = vt_dot(arm, way);
    const double share = along > 0 ? (along < square ? along / square : 1) : 0;
    vt_add_scaled(arm, -share, way);
    return vt_sqrt(vt_dot(arm, arm));
}

/* In the space of the body the particle runs straight from pose to pose; in the world that is its
 * way relative to the centre, but for the turn of what is as far from there as it may be. */
double vt_wall_gap(const vt_wall *wall, const double end[3], double way)
{
    const double farthest = wall->body->reach + wall->parts * wall->step + 2 * way;
    return distance_from_line(wall->start, wall->center, end) - wall->body->reach - wall->bow -
           way - wall->turn * farthest;
}

/* How far the points of the body move from one pose to another: its centre, and the others more by
 * at most |difference of the matrices| x reach. */
static double way_between(const vt_body *body, const vt_pose *a, const vt_pose *b)
{
    double from[3], to[3];
    vt_pose_point(a, body->center, from);
    vt_pose_point(b, body->center, to);
    const double turn = turn_between(a, b), turned = turn > 0 ? turn * body->reach : 0;
    return vt_sqrt(vt_square_between(from, to)) + turned;
}

/* Parts of a span of time in which the body turns little; less for slower ones. */
static int32_t count_parts(double angular_speed, double span)
{
    const double parts = ceil(angular_speed * span / most_turn);
    return parts > VT_MOST_PARTS ? VT_MOST_PARTS : parts > 1 ? (int32_t)parts : 1;
}

void vt_fill_poses(const vt_walls *walls, const vt_body *body, double from, int32_t parts,
                   vt_pose *pose)
{
    for (int32_t k = 0; k <= parts; k++) {
        const double share = (double)k / (double)parts;
        const double time = k == parts ? walls->to : from + share * (walls->to - from);
        pose[k] = vt_body_pose(walls->transforms, body, time);
    }
}

static void make_wall(const vt_walls *walls, const vt_body *body, vt_arena *arena, vt_wall *wall)
{
    const double middle = 0.5 * (walls->from + walls->to), span = walls->to - walls->from;
    const vt_motion motion = vt_body_motion(walls->transforms, body, middle);
    const int jumped =
        body->moves && vt_body_jumps(walls->transforms, body, walls->from, walls->to);
    const double speed = vt_sqrt(vt_dot(motion.angular, motion.angular));
    *wall = (vt_wall){.body = body,
                      .parts = jumped || body->hole ? 1 : count_parts(speed, span),
                      .swept = !body->hole && !jumped};
    vt_pose *const pose = vt_arena_push(arena, sizeof *pose * (size_t)(wall->parts + 1));
    wall->pose = pose;
    vt_fill_poses(walls, body, walls->from, wall->parts, pose);
    if (!wall->swept)
        pose[0] = pose[wall->parts];
    for (int32_t k = 0; k < wall->parts; k++)
        wall->step = fmax(wall->step, way_between(body, &pose[k], &pose[k + 1]));
    for (int32_t k = 0; k < wall->parts; k++)
        wall->turn = fmax(wall->turn, turn_between(&pose[k], &pose[k + 1]));
    vt_pose_point(&pose[0], body->center, wall->start);
    vt_pose_point(&pose[wall->parts], body->center, wall->center);
    for (int32_t k = 1; k < wall->parts; k++) {
        double center[3];
        vt_pose_point(&pose[k], body->center, center);
        wall->bow = fmax(wall->bow, distance_from_line(wall->start, wall->center, center));
    }
    memcpy(wall->velocity, motion.velocity, sizeof motion.velocity);
    memcpy(wall->angular, motion.angular, sizeof motion.angular);
    memcpy(wall->pivot, vt_body_pose(walls->transforms, body, middle).position, sizeof wall->pivot);
}

/* ---- the lattice ---- */

/* A box in space, empty where lower > upper. */
typedef struct span {
    double lower[3], upper[3];
} span;

static const span empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void cover(span *s, const double center[3], double radius)
{
    for (int c = 0; c < 3; c++) {
        s->lower[c] = fmin(s->lower[c], center[c] - radius);
        s->upper[c] = fmax(s->upper[c], center[c] + radius);
    }
}

/* All that the wall passes through. */
static span span_of(const vt_wall *wall)
{
    span s = empty;
    for (int32_t k = 0; k <= wall->parts; k++) {
        double center[3];
        vt_pose_point(&wall->pose[k], wall->body->center, center);
        cover(&s, center, wall->body->reach + 0.5 * wall->step);
    }
    return s;
}

static int is_bounded(const vt_wall *wall)
{
    return isfinite(wall->body->reach) && isfinite(wall->step);
}

/* Cells that a particle may end in and meet the wall: all, for a hole or a plane. */
static void cells_of(const vt_lattice *lattice, const vt_wall *wall, int32_t least[3],
                     int32_t most[3])
{
    const span s = span_of(wall);
    const double around = 4 * (double)lattice->reach;
    const int everywhere = wall->body->hole || !is_bounded(wall);
    for (int c = 0; c < 3; c++) {
        const double scale = (double)lattice->per_cell, last = lattice->cells[c] - 1;
        const double lower = (s.lower[c] - around - (double)lattice->lower[c]) * scale;
        const double upper = (s.upper[c] + around - (double)lattice->lower[c]) * scale;
        least[c] = everywhere || !(lower > 0) ? 0
                   : lower > last             ? (int32_t)last + 1
                                              : (int32_t)lower;
        most[c] = everywhere || !(upper < last) ? (int32_t)last : upper < 0 ? -1 : (int32_t)upper;
    }
}

/* Room at a point, the least at the poses of the wall, m: it changes by no more than one goes, and
 * between two poses is less by half a step at most. */
static double room_at(const vt_wall *wall, const double point[3])
{
    const vt_body *const body = wall->body;
    double least = INFINITY;
    for (int32_t k = wall->swept ? 0 : wall->parts; k <= wall->parts; k++) {
        double local[3], normal[3];
        vt_pose_point_back(&wall->pose[k], point, local);
        least = fmin(least, body->scale * vt_body_room(body, local, normal));
    }
    return least;
}

/* Where the lattice lies, and how fine it is: as many cells as keep the lists short. */
static void place_lattice(vt_walls *walls, const vt_crowd *crowd)
{
    span box;
    memcpy(box.lower, crowd->lower, sizeof box.lower);
    memcpy(box.upper, crowd->upper, sizeof box.upper);
    vt_lattice *const lattice = &walls->lattice;
    double longest = 0;
    for (int32_t n = 0; n < walls->count; n++)
        if (is_bounded(&walls->wall[n])) {
            const span s = span_of(&walls->wall[n]);
            for (int c = 0; c < 3; c++) {
                box.lower[c] = fmin(box.lower[c], s.lower[c]);
                box.upper[c] = fmax(box.upper[c], s.upper[c]);
            }
        }
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, box.upper[c] - box.lower[c]);
    *lattice = (vt_lattice){.cells = {0}};
    if (!(longest > 0 && longest < 1e12))
        return;
    const double along = vt_cbrt((double)crowd->count / PER_CELL);
    const double cell = longest / fmax(LEAST_CELLS, fmin(along, MOST_CELLS));
    lattice->per_cell = (float)(1 / cell);
    lattice->reach = (float)fmax(0.1 * cell, fmin(crowd->way, cell));
    for (int c = 0; c < 3; c++) {
        /* and two more on each side, for those that end beside what they pass */
        const double cells = ceil((box.upper[c] - box.lower[c]) / cell) + 4;
        lattice->cells[c] = cells > 5 ? (int32_t)cells : 5;
        lattice->lower[c] = (float)(0.5 * (box.lower[c] + box.upper[c] - lattice->cells[c] * cell));
    }
}

typedef struct pair {
    int32_t cell, wall;
} pair;

/* Cells by which a wall may be met, one after the other. */
typedef struct search {
    const vt_lattice *lattice;
    const vt_wall *wall;
    int32_t number; /* of the wall */
    int32_t least[3], most[3];
    double cell;     /* m */
    double margin;   /* how far from where a particle ends it may meet the wall, m */
    double way;      /* how far particles come, and are then moved aside, together, m */
    int32_t bounded; /* the wall is a solid of finite size that is swept */
    pair *pairs;
    int64_t count;
} search;

static void find_middle(const search *s, const int32_t first[3], int32_t side, double middle[3])
{
    for (int c = 0; c < 3; c++)
        middle[c] = (double)s->lattice->lower[c] + (first[c] + 0.5 * side) * s->cell;
}

/* Whether a cube of `side` cells lies beside all that the wall passes: cheaper than its room. */
static int is_beside(const search *s, const int32_t first[3], int32_t side)
{
    double middle[3];
    if (!s->bounded)
        return 0;
    find_middle(s, first, side, middle);
    return vt_wall_gap(s->wall, middle, s->way) > 0.5 * 1.74 * side * s->cell + 1e-3 * s->cell;
}

/* Room in the middle of a cube of `side` cells, m. */
static double room_in(const search *s, const int32_t first[3], int32_t side)
{
    double middle[3];
    find_middle(s, first, side, middle);
    return room_at(s->wall, middle);
}

static int is_near(const search *s, const int32_t cell[3])
{
    return !is_beside(s, cell, 1) && room_in(s, cell, 1) <= s->margin + 0.5 * 1.74 * s->cell;
}

/* A cube of cells: none of them, all, or each by itself. */
static void search_cube(search *s, const int32_t first[3], int32_t side)
{
    const int32_t *const cells = s->lattice->cells;
    if (is_beside(s, first, side))
        return;
    const double half = 0.5 * 1.74 * side * s->cell, room = room_in(s, first, side);
    const int whole = room < s->margin - half;
    int32_t at[3], end[3];
    if (room > s->margin + half)
        return;
    for (int c = 0; c < 3; c++)
        end[c] = first[c] + side - 1 < s->most[c] ? first[c] + side - 1 : s->most[c];
    for (at[2] = first[2]; at[2] <= end[2]; at[2]++)
        for (at[1] = first[1]; at[1] <= end[1]; at[1]++)
            for (at[0] = first[0]; at[0] <= end[0]; at[0]++)
                if (whole || is_near(s, at))
                    s->pairs[s->count++] =
                        (pair){(at[2] * cells[1] + at[1]) * cells[0] + at[0], s->number};
}

/* Walls by cells, in the order of the walls; returns how many pairs there are. */
static int64_t find_pairs(const vt_walls *walls, pair *pairs)
{
    enum { SIDE = 4 };
    search s = {.lattice = &walls->lattice, .pairs = pairs};
    s.cell = 1 / (double)walls->lattice.per_cell;
    for (s.number = 0; s.number < walls->count; s.number++) {
        int32_t at[3];
        s.wall = &walls->wall[s.number];
        /* Where it meets a solid, a particle that moves by `way`, and then as far aside, has no
         * more room at one of its ends than half of what both move; the other end is `way` off. */
        const double way = s.wall->swept ? 1.74 * (double)walls->lattice.reach : 0;
        s.way = 2 * way;
        s.bounded = s.wall->swept && is_bounded(s.wall);
        s.margin = 0.5 * s.wall->step + 2 * way + 1e-3 * s.cell;
        cells_of(s.lattice, s.wall, s.least, s.most);
        for (at[2] = s.least[2]; at[2] <= s.most[2]; at[2] += SIDE)
            for (at[1] = s.least[1]; at[1] <= s.most[1]; at[1] += SIDE)
                for (at[0] = s.least[0]; at[0] <= s.most[0]; at[0] += SIDE)
                    search_cube(&s, at, SIDE);
    }
    return s.count;
}

static int64_t most_pairs(const vt_walls *walls)
{
    int64_t sum = 0;
    for (int32_t n = 0; n < walls->count; n++) {
        int32_t least[3], most[3];
        int64_t cells = 1;
        cells_of(&walls->lattice, &walls->wall[n], least, most);
        for (int c = 0; c < 3; c++)
            cells *= most[c] >= least[c] ? most[c] - least[c] + 1 : 0;
        sum += cells;
    }
    return sum;
}

static void coarsen(vt_lattice *lattice)
{
    lattice->per_cell *= 0.5f;
    lattice->reach *= 2;
    for (int c = 0; c < 3; c++)
        lattice->cells[c] = (lattice->cells[c] + 1) / 2;
}

/* Lists of the cells, and marks. */
static void fill_cells(vt_walls *walls, vt_arena *arena)
{
    vt_lattice *const lattice = &walls->lattice;
    while (lattice->cells[0] > 1 && most_pairs(walls) > MOST_PAIRS)
        coarsen(lattice);
    const size_t cells =
        (size_t)lattice->cells[0] * (size_t)lattice->cells[1] * (size_t)lattice->cells[2];
    uint8_t *const marked = vt_arena_push(arena, cells);
    pair *const pairs = vt_arena_push(arena, sizeof *pairs * (size_t)most_pairs(walls));
    const int64_t count = find_pairs(walls, pairs);
    walls->first = vt_arena_push(arena, sizeof(uint32_t) * (cells + 1));
    walls->near = vt_arena_push(arena, sizeof(int32_t) * (size_t)count);
    memset(walls->first, 0, sizeof(uint32_t) * (cells + 1));
    for (int64_t n = 0; n < count; n++)
        walls->first[pairs[n].cell + 1]++;
    for (size_t c = 0; c < cells; c++) {
        marked[c] = walls->first[c + 1] > 0;
        walls->first[c + 1] += walls->first[c];
    }
    /* filled from the last on, so that each cell is left at its first */
    for (int64_t n = count - 1; n >= 0; n--)
        walls->near[--walls->first[pairs[n].cell + 1]] = pairs[n].wall;
    memmove(walls->first, walls->first + 1, sizeof(uint32_t) * cells);
    walls->first[cells] = (uint32_t)count;
    lattice->marked = marked;
}

void vt_make_walls(const vt_bodies *bodies, const vt_transforms *transforms, double from, double to,
                   const vt_crowd *crowd, vt_arena *arena, vt_walls *walls)
{
    const size_t count = (size_t)bodies->count;
    *walls = (vt_walls){.transforms = transforms, .from = from, .to = to, .count = bodies->count};
    walls->wall = vt_arena_push(arena, sizeof *walls->wall * count);
    walls->all = vt_arena_push(arena, sizeof(int32_t) * count);
    walls->far = vt_arena_push(arena, sizeof(int32_t) * count);
    for (int32_t n = 0; n < bodies->count; n++) {
        vt_wall *const wall = &walls->wall[n];
        make_wall(walls, &bodies->items[n], arena, wall);
        walls->all[n] = n;
        if (wall->body->hole || !is_bounded(wall))
            walls->far[walls->far_count++] = n;
    }
    place_lattice(walls, crowd);
    walls->lattice.marked_outside = walls->far_count > 0;
    if (walls->lattice.cells[0] > 0)
        fill_cells(walls, arena);
}
