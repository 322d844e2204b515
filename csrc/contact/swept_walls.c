#include "contact/swept_walls.h"

#include "base/counting_sort.h"
#include "base/parallel.h"
#include "state/rigid_body.h"

enum { MOST_BOX_CELLS = 16, WALL_BLOCK = 8, FEW = 8 };

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
    return vti_sqrt(square);
}

/* How far the points of the body move from one pose to another: its centre, and the others more by
 * at most |difference of the matrices| x reach. */
static double way_between(const vt_body *body, const vt_pose *a, const vt_pose *b)
{
    double from[3], to[3];
    vti_pose_point(a, body->center, from);
    vti_pose_point(b, body->center, to);
    const double turn = turn_between(a, b), turned = turn > 0 ? turn * body->reach : 0;
    return vti_sqrt(vti_square_between(from, to)) + turned;
}

/* Parts of a span of time in which the body turns little; less for slower ones. */
static int32_t count_parts(double angular_speed, double span)
{
    const double parts = ceil(angular_speed * span / most_turn);
    return parts > VT_MOST_PARTS ? VT_MOST_PARTS : parts > 1 ? (int32_t)parts : 1;
}

void vti_fill_poses(const vt_walls *walls, const vt_body *body, double from, int32_t parts,
                    vt_pose *pose)
{
    for (int32_t k = 0; k <= parts; k++) {
        const double share = (double)k / (double)parts;
        const double time = k == parts ? walls->to : from + share * (walls->to - from);
        pose[k] = vti_body_pose(walls->transforms, body, time);
    }
}

static void make_wall(const vt_walls *walls, const vt_body *body, vt_pose *pose, vt_wall *wall)
{
    const double middle = 0.5 * (walls->from + walls->to), span = walls->to - walls->from;
    const vt_motion motion = vti_body_motion(walls->transforms, body, middle);
    const int jumped =
        body->moves && vti_body_jumps(walls->transforms, body, walls->from, walls->to);
    const double speed = vti_sqrt(vti_dot(motion.angular, motion.angular));
    *wall = (vt_wall){.body = body,
                      .parts = jumped || body->hole ? 1 : count_parts(speed, span),
                      .swept = !body->hole && !jumped};
    wall->pose = pose;
    vti_fill_poses(walls, body, walls->from, wall->parts, pose);
    if (!wall->swept)
        pose[0] = pose[wall->parts];
    for (int32_t k = 0; k < wall->parts; k++)
        wall->step = fmax(wall->step, way_between(body, &pose[k], &pose[k + 1]));
    for (int32_t k = 0; k < wall->parts; k++)
        wall->turn = fmax(wall->turn, turn_between(&pose[k], &pose[k + 1]));
    vti_pose_point(&pose[0], body->center, wall->start);
    vti_pose_point(&pose[wall->parts], body->center, wall->center);
    for (int32_t k = 1; k < wall->parts; k++) {
        double center[3];
        vti_pose_point(&pose[k], body->center, center);
        wall->bow = fmax(wall->bow, vti_square_from_line(wall->start, wall->center, center));
    }
    wall->bow = vti_sqrt(wall->bow);
    wall->still = wall->parts == 1 && memcmp(&pose[0], &pose[1], sizeof pose[0]) == 0;
    wall->simple = wall->swept && wall->parts == 1 && body->solid_count == 1 && !body->form;
    const double farthest = body->reach + wall->parts * wall->step;
    const double grown = (1 + 0x1p-20) * body->reach + wall->bow + wall->turn * farthest;
    for (int c = 0; c < 3; c++) {
        wall->lower[c] = fmin(wall->start[c], wall->center[c]) - grown;
        wall->upper[c] = fmax(wall->start[c], wall->center[c]) + grown;
        wall->middle[c] = 0.5 * (wall->start[c] + wall->center[c]);
    }
    wall->around = grown + 0.5 * vti_sqrt(vti_square_between(wall->start, wall->center));
    memcpy(wall->velocity, motion.velocity, sizeof motion.velocity);
    memcpy(wall->angular, motion.angular, sizeof motion.angular);
    memcpy(wall->pivot, vti_body_pose(walls->transforms, body, middle).position,
           sizeof wall->pivot);
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
    vti_empty_box(lower, upper);
    for (int32_t n = 0; n < walls->count; n++) {
        const vt_wall *const wall = &walls->wall[n];
        if (wall->body->hole || !vti_is_bounded(wall))
            continue;
        count++;
        vti_add_to_box(wall->lower, lower, upper);
        vti_add_to_box(wall->upper, lower, upper);
        for (int c = 0; c < 3; c++)
            extent += (wall->upper[c] - wall->lower[c]) / 3;
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
        if (wall->body->hole || !vti_is_bounded(wall))
            continue;
        cells_of_box(b, wall->lower, wall->upper, least, most);
        for (int32_t k = least[2]; k <= most[2]; k++)
            for (int32_t j = least[1]; j <= most[1]; j++)
                for (int32_t i = least[0]; i <= most[0]; i++) {
                    uint32_t *const at = b->first + (k * b->cells[1] + j) * b->cells[0] + i;
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
    b->first = vti_arena_push(arena, sizeof *b->first * (cells + 1));
    memset(b->first, 0, sizeof *b->first * (cells + 1));
    enter_boxes(walls, 0);
    const uint32_t count = vti_end_lists(b->first, cells);
    b->wall = vti_arena_push(arena, sizeof *b->wall * (size_t)count);
    enter_boxes(walls, 1);
}

/* Inserts a number into a list in rising order. */
static void insert(int32_t *list, int32_t count, int32_t number)
{
    for (; count > 0 && list[count - 1] > number; count--)
        list[count] = list[count - 1];
    list[count] = number;
}

/* A straight way with room around it. */
typedef struct strip {
    double from[3], to[3], width; /* m */
    double lower[3], upper[3];    /* a box that holds it, m */
} strip;

/* Seen from a body that turns, a way is bent by as much as that takes. */
static strip make_strip(const vt_walls *walls, const double start[3], const double end[3],
                        double around)
{
    strip s;
    const double way = vti_sqrt(vti_square_between(start, end));
    s.width = 2 * around + 2 * walls->most_turn * (way + around);
    for (int c = 0; c < 3; c++) /* the skin */
        s.width += 0x1p-20 * vti_abs(end[c]);
    for (int c = 0; c < 3; c++) {
        s.from[c] = start[c];
        s.to[c] = end[c];
        s.lower[c] = fmin(start[c], end[c]) - s.width;
        s.upper[c] = fmax(start[c], end[c]) + s.width;
    }
    return s;
}

/* Whether a wall lies outside of a strip. */
static inline int lies_apart(const vt_wall *wall, const strip *s)
{
    int apart = 0;
    for (int c = 0; c < 3; c++)
        apart |= (wall->lower[c] > s->upper[c]) | (wall->upper[c] < s->lower[c]);
    const double limit = wall->around + s->width;
    return apart || vti_square_from_line(s->from, s->to, wall->middle) > limit * limit;
}

/* Lists the walls without the cells, where there are few. */
static int32_t list_of_few(const vt_walls *walls, const strip *s, int32_t *list)
{
    int32_t count = 0;
    for (int32_t n = 0; n < walls->count; n++) {
        const vt_wall *const wall = &walls->wall[n];
        list[count] = n;
        count += wall->body->hole || !vti_is_bounded(wall) || !lies_apart(wall, s);
    }
    return count;
}

int32_t vti_walls_around(const vt_walls *walls, const double start[3], const double end[3],
                         double around, int32_t list[VT_MOST_AROUND])
{
    const vt_wall_boxes *const b = &walls->boxes;
    const strip s = make_strip(walls, start, end, around);
    int32_t low[3], high[3], count = walls->far_count;
    if (count > VT_MOST_AROUND)
        return VT_MOST_AROUND + 1;
    if (walls->count <= FEW)
        return list_of_few(walls, &s, list);
    memcpy(list, walls->far, sizeof *list * (size_t)count);
    cells_of_box(b, s.lower, s.upper, low, high);
    for (int32_t k = low[2]; k <= high[2]; k++)
        for (int32_t j = low[1]; j <= high[1]; j++)
            for (int32_t i = low[0]; i <= high[0]; i++) {
                const int32_t cell = (k * b->cells[1] + j) * b->cells[0] + i;
                for (uint32_t n = b->first[cell]; n < b->first[cell + 1]; n++) {
                    const vt_wall *const wall = &walls->wall[b->wall[n]];
                    int32_t least[3], last[3];
                    if (lies_apart(wall, &s))
                        continue;
                    /* a wall is listed in the first alone of the cells that it and the strip reach
                     * into */
                    cells_of_box(b, wall->lower, wall->upper, least, last);
                    if (i != (least[0] > low[0] ? least[0] : low[0]) ||
                        j != (least[1] > low[1] ? least[1] : low[1]) ||
                        k != (least[2] > low[2] ? least[2] : low[2]))
                        continue;
                    if (count == VT_MOST_AROUND)
                        return VT_MOST_AROUND + 1;
                    insert(list, count++, b->wall[n]);
                }
            }
    return count;
}

typedef struct make_job {
    vt_walls *walls;
    const vt_bodies *bodies;
    vt_pose *pose; /* VT_MOST_PARTS + 1 for each */
} make_job;

static void make_one(void *data, int64_t n)
{
    const make_job *const job = data;
    make_wall(job->walls, &job->bodies->items[n], job->pose + n * (VT_MOST_PARTS + 1),
              &job->walls->wall[n]);
}

void vti_make_walls(const vt_bodies *bodies, const vt_transforms *transforms, double from,
                    double to, vt_arena *arena, int threads, vt_walls *walls)
{
    const size_t count = (size_t)bodies->count;
    *walls = (vt_walls){.transforms = transforms, .from = from, .to = to, .count = bodies->count};
    walls->wall = vti_arena_push(arena, sizeof *walls->wall * count);
    walls->all = vti_arena_push(arena, sizeof(int32_t) * count);
    walls->far = vti_arena_push(arena, sizeof(int32_t) * count);
    make_job job = {walls, bodies,
                    vti_arena_push(arena, sizeof *job.pose * count * (VT_MOST_PARTS + 1))};
    vti_parallel_each(threads, bodies->count, WALL_BLOCK, make_one, &job);
    for (int32_t n = 0; n < bodies->count; n++) {
        const vt_wall *const wall = &walls->wall[n];
        walls->all[n] = n;
        if (wall->body->hole || !vti_is_bounded(wall))
            walls->far[walls->far_count++] = n;
        else
            walls->most_turn = fmax(walls->most_turn, wall->turn);
    }
    fill_boxes(walls, arena);
}
