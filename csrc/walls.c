#include "walls.h"

#include <math.h>
#include <string.h>

#include "core/vec3.h"

enum { LEAST_CELLS = 4, MOST_CELLS = 60, PER_CELL = 3, MOST_PAIRS = 1 << 20, MOST_BOX_CELLS = 16 };

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
        wall->bow = fmax(wall->bow, vt_square_from_line(wall->start, wall->center, center));
    }
    wall->bow = vt_sqrt(wall->bow);
    wall->still = wall->parts == 1 && memcmp(&pose[0], &pose[1], sizeof pose[0]) == 0;
    wall->simple = wall->swept && wall->parts == 1 && body->solid_count == 1;
    const double farthest = body->reach + wall->parts * wall->step;
    const double grown = (1 + 0x1p-20) * body->reach + wall->bow + wall->turn * farthest;
    for (int c = 0; c < 3; c++) {
        wall->lower[c] = fmin(wall->start[c], wall->center[c]) - grown;
        wall->upper[c] = fmax(wall->start[c], wall->center[c]) + grown;
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
        double local[3];
        vt_pose_point_back(&wall->pose[k], point, local);
        least = fmin(least, body->scale * vt_body_room(body, local, NULL));
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
    uint8_t *free_way;
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
    return vt_is_beside(s->wall, middle, s->way, (0.5 * 1.74 * side + 1e-3) * s->cell);
}

/* Room in the middle of a cube of `side` cells, m. */
static double room_in(const search *s, const int32_t first[3], int32_t side)
{
    double middle[3];
    find_middle(s, first, side, middle);
    return room_at(s->wall, middle);
}

static void add_pair(search *s, const int32_t at[3], double room)
{
    const int32_t *const cells = s->lattice->cells;
    const int32_t cell = (at[2] * cells[1] + at[1]) * cells[0] + at[0];
    /* what is left in the corner where there is least, without what the wall itself moves: seen
     * from one that moves, a way in the world is up to half as much again */
    const double left = room - 0.5 * 1.74 * s->cell - (s->margin - s->way);
    const double way = s->wall->still ? left : 0.5 * left;
    const double unit = way > 0 && s->wall->swept ? way * (double)s->lattice->per_unit : 0;
    const uint8_t least = unit < VT_NO_WALL - 1 ? (uint8_t)unit : VT_NO_WALL - 1;
    s->free_way[cell] = least < s->free_way[cell] ? least : s->free_way[cell];
    s->pairs[s->count++] = (pair){cell, s->number};
}

/* A cube of cells: none of them, or each by itself. */
static void search_cube(search *s, const int32_t first[3], int32_t side)
{
    if (is_beside(s, first, side) ||
        room_in(s, first, side) > s->margin + 0.5 * 1.74 * side * s->cell)
        return;
    int32_t at[3], end[3];
    for (int c = 0; c < 3; c++)
        end[c] = first[c] + side - 1 < s->most[c] ? first[c] + side - 1 : s->most[c];
    for (at[2] = first[2]; at[2] <= end[2]; at[2]++)
        for (at[1] = first[1]; at[1] <= end[1]; at[1]++)
            for (at[0] = first[0]; at[0] <= end[0]; at[0]++) {
                if (is_beside(s, at, 1))
                    continue;
                const double room = room_in(s, at, 1);
                if (room <= s->margin + 0.5 * 1.74 * s->cell)
                    add_pair(s, at, room);
            }
}

/* Walls by cells, in the order of the walls; returns how many pairs there are. */
static int64_t find_pairs(const vt_walls *walls, pair *pairs, uint8_t *free_way)
{
    enum { SIDE = 4 };
    search s = {.lattice = &walls->lattice, .free_way = free_way, .pairs = pairs};
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

/* Lists of the cells, and how far particles may go without a look. */
static void fill_cells(vt_walls *walls, vt_arena *arena)
{
    vt_lattice *const lattice = &walls->lattice;
    while (lattice->cells[0] > 1 && most_pairs(walls) > MOST_PAIRS)
        coarsen(lattice);
    const size_t cells =
        (size_t)lattice->cells[0] * (size_t)lattice->cells[1] * (size_t)lattice->cells[2];
    uint8_t *const free_way = vt_arena_push(arena, cells);
    pair *const pairs = vt_arena_push(arena, sizeof *pairs * (size_t)most_pairs(walls));
    memset(free_way, VT_NO_WALL, cells);
    lattice->free_way = free_way;
    lattice->per_unit = (VT_NO_WALL - 1) / (1.74f * lattice->reach);
    const int64_t count = find_pairs(walls, pairs, free_way);
    walls->first = vt_arena_push(arena, sizeof(uint32_t) * (cells + 1));
    walls->near = vt_arena_push(arena, sizeof(int32_t) * (size_t)count);
    memset(walls->first, 0, sizeof(uint32_t) * (cells + 1));
    for (int64_t n = 0; n < count; n++)
        walls->first[pairs[n].cell + 1]++;
    for (size_t c = 0; c < cells; c++)
        walls->first[c + 1] += walls->first[c];
    /* filled from the last on, so that each cell is left at its first */
    for (int64_t n = count - 1; n >= 0; n--)
        walls->near[--walls->first[pairs[n].cell + 1]] = pairs[n].wall;
    memmove(walls->first, walls->first + 1, sizeof(uint32_t) * cells);
    walls->first[cells] = (uint32_t)count;
}

/* ---- boxes ---- */

/* Coarse cells of which a box has a part; those beyond the last ones count as these. */
static void cells_of_box(const vt_wall_boxes *boxes, const double lower[3], const double upper[3],
                         int32_t least[3], int32_t most[3])
{
    for (int c = 0; c < 3; c++) {
        const double last = boxes->cells[c] - 1;
        const double low = (lower[c] - boxes->lower[c]) * boxes->per_cell;
        const double high = (upper[c] - boxes->lower[c]) * boxes->per_cell;
        least[c] = !(low > 0) ? 0 : low < last ? (int32_t)low : (int32_t)last;
        most[c] = !(high < last) ? (int32_t)last : high > 0 ? (int32_t)high : 0;
    }
}

/* Cells about as large as the boxes are on average. */
static void place_boxes(vt_walls *walls)
{
    vt_wall_boxes *const boxes = &walls->boxes;
    double lower[3], upper[3], extent = 0, longest = 0;
    int32_t count = 0;
    for (int c = 0; c < 3; c++) {
        lower[c] = INFINITY;
        upper[c] = -INFINITY;
    }
    for (int32_t n = 0; n < walls->count; n++) {
        const vt_wall *const wall = &walls->wall[n];
        if (wall->body->hole || !is_bounded(wall))
            continue;
        count++;
        for (int c = 0; c < 3; c++) {
            lower[c] = fmin(lower[c], wall->lower[c]);
            upper[c] = fmax(upper[c], wall->upper[c]);
            extent += (wall->upper[c] - wall->lower[c]) / 3;
        }
    }
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, upper[c] - lower[c]);
    *boxes = (vt_wall_boxes){.cells = {1, 1, 1}};
    if (count == 0 || !(longest > 0 && longest < 1e12))
        return;
    const double cell = fmax(extent / count, longest / MOST_BOX_CELLS);
    boxes->per_cell = 1 / cell;
    for (int c = 0; c < 3; c++) {
        boxes->lower[c] = lower[c];
        boxes->cells[c] = (int32_t)fmax(1, ceil((upper[c] - lower[c]) / cell));
    }
}

/* Counts the entries of each cell, or with `fill` writes them, from the last on. */
static void enter_boxes(const vt_walls *walls, int fill)
{
    const vt_wall_boxes *const b = &walls->boxes;
    for (int32_t n = walls->count - 1; n >= 0; n--) {
        const vt_wall *const wall = &walls->wall[n];
        int32_t least[3], most[3];
        if (wall->body->hole || !is_bounded(wall))
            continue;
        cells_of_box(b, wall->lower, wall->upper, least, most);
        for (int32_t k = least[2]; k <= most[2]; k++)
            for (int32_t j = least[1]; j <= most[1]; j++)
                for (int32_t i = least[0]; i <= most[0]; i++) {
                    uint32_t *const at = b->first + (k * b->cells[1] + j) * b->cells[0] + i + 1;
                    if (fill)
                        b->wall[--*at] = n;
                    else
                        ++*at;
                }
    }
}

static void fill_boxes(vt_walls *walls, vt_arena *arena)
{
    vt_wall_boxes *const b = &walls->boxes;
    place_boxes(walls);
    const size_t cells = (size_t)b->cells[0] * (size_t)b->cells[1] * (size_t)b->cells[2];
    b->first = vt_arena_push(arena, sizeof *b->first * (cells + 1));
    memset(b->first, 0, sizeof *b->first * (cells + 1));
    enter_boxes(walls, 0);
    for (size_t c = 0; c < cells; c++)
        b->first[c + 1] += b->first[c];
    const uint32_t count = b->first[cells];
    b->wall = vt_arena_push(arena, sizeof *b->wall * (size_t)count);
    enter_boxes(walls, 1);
    memmove(b->first, b->first + 1, sizeof *b->first * cells);
    b->first[cells] = count;
}

/* Adds a number to those in rising order. */
static void insert(int32_t *list, int32_t count, int32_t number)
{
    for (; count > 0 && list[count - 1] > number; count--)
        list[count] = list[count - 1];
    list[count] = number;
}

int32_t vt_walls_around(const vt_walls *walls, const double end[3], double way, double around,
                        int32_t most, int32_t *list)
{
    const vt_wall_boxes *const b = &walls->boxes;
    double reach = way * (1 + 2 * walls->most_turn) + around;
    double lower[3], upper[3];
    int32_t low[3], high[3], count = walls->far_count;
    if (count > most)
        return most + 1;
    memcpy(list, walls->far, sizeof *list * (size_t)count);
    for (int c = 0; c < 3; c++) /* the skin */
        reach += 0x1p-20 * vt_abs(end[c]);
    for (int c = 0; c < 3; c++) {
        lower[c] = end[c] - reach;
        upper[c] = end[c] + reach;
    }
    cells_of_box(b, lower, upper, low, high);
    for (int32_t k = low[2]; k <= high[2]; k++)
        for (int32_t j = low[1]; j <= high[1]; j++)
            for (int32_t i = low[0]; i <= high[0]; i++) {
                const int32_t cell = (k * b->cells[1] + j) * b->cells[0] + i;
                for (uint32_t n = b->first[cell]; n < b->first[cell + 1]; n++) {
                    const vt_wall *const wall = &walls->wall[b->wall[n]];
                    int32_t least[3], last[3];
                    int apart = 0;
                    for (int c = 0; c < 3; c++)
                        apart |= wall->lower[c] > upper[c] || wall->upper[c] < lower[c];
                    if (apart)
                        continue;
                    /* of the cells that both reach into, in the first alone */
                    cells_of_box(b, wall->lower, wall->upper, least, last);
                    if (i != (least[0] > low[0] ? least[0] : low[0]) ||
                        j != (least[1] > low[1] ? least[1] : low[1]) ||
                        k != (least[2] > low[2] ? least[2] : low[2]))
                        continue;
                    if (count == most)
                        return most + 1;
                    insert(list, count++, b->wall[n]);
                }
            }
    return count;
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
        else
            walls->most_turn = fmax(walls->most_turn, wall->turn);
    }
    fill_boxes(walls, arena);
    place_lattice(walls, crowd);
    walls->lattice.near_outside = walls->far_count > 0;
    if (walls->lattice.cells[0] > 0)
        fill_cells(walls, arena);
}
