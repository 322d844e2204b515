#include "walls.h"

#include <math.h>
#include <string.h>

#include "core/vec3.h"

enum {
    MOST_PARTS = 32,
    PASSES = 8,
    LEAST_CELLS = 4,
    MOST_CELLS = 60,
    PER_CELL = 8,
    MOST_PAIRS = 1 << 20
};

/* A body turns at most so far from one pose to the next, radians. */
static const double most_turn = 0.2;

/* ---- bodies on their way ---- */

static double square_between(const double a[3], const double b[3])
{
    double way[3];
    for (int c = 0; c < 3; c++)
        way[c] = a[c] - b[c];
    return vt_dot(way, way);
}

static double distance_between(const double a[3], const double b[3])
{
    return vt_sqrt(square_between(a, b));
}

/* How far the points of the body move from one pose to another: its centre, and the others more by
 * at most |difference of the matrices| x reach. */
static double way_between(const vt_body *body, const vt_pose *a, const vt_pose *b)
{
    double from[3], to[3], square = 0;
    vt_pose_point(a, body->center, from);
    vt_pose_point(b, body->center, to);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            square += (a->matrix[r][c] - b->matrix[r][c]) * (a->matrix[r][c] - b->matrix[r][c]);
    const double turned = square > 0 ? vt_sqrt(square) * body->reach : 0;
    return distance_between(from, to) + turned;
}

/* Parts of a span of time in which the body turns little; less for slower ones. */
static int32_t count_parts(double angular_speed, double span)
{
    const double parts = ceil(angular_speed * span / most_turn);
    return parts > MOST_PARTS ? MOST_PARTS : parts > 1 ? (int32_t)parts : 1;
}

/* Poses at parts + 1 equal times. */
static void fill_poses(const vt_walls *walls, const vt_body *body, double from, int32_t parts,
                       vt_pose *pose)
{
    for (int32_t k = 0; k <= parts; k++) {
        const double share = (double)k / (double)parts;
        const double time = k == parts ? walls->to : from + share * (walls->to - from);
        pose[k] = vt_pose_at(walls->transforms, body->parent, time);
    }
}

static void make_wall(const vt_walls *walls, const vt_body *body, vt_arena *arena, vt_wall *wall)
{
    const double middle = 0.5 * (walls->from + walls->to), span = walls->to - walls->from;
    const vt_motion motion = vt_motion_at(walls->transforms, body->parent, middle);
    const int jumped =
        body->moves && vt_pose_jumps(walls->transforms, body->parent, walls->from, walls->to);
    const double speed = vt_sqrt(vt_dot(motion.angular, motion.angular));
    *wall = (vt_wall){.body = body,
                      .parts = jumped || body->hole ? 1 : count_parts(speed, span),
                      .swept = !body->hole && !jumped};
    vt_pose *const pose = vt_arena_push(arena, sizeof *pose * (size_t)(wall->parts + 1));
    wall->pose = pose;
    fill_poses(walls, body, walls->from, wall->parts, pose);
    if (!wall->swept)
        pose[0] = pose[wall->parts];
    for (int32_t k = 0; k < wall->parts; k++)
        wall->step = fmax(wall->step, way_between(body, &pose[k], &pose[k + 1]));
    vt_pose_point(&pose[wall->parts], body->center, wall->center);
    memcpy(wall->velocity, motion.velocity, sizeof motion.velocity);
    memcpy(wall->angular, motion.angular, sizeof motion.angular);
    memcpy(wall->pivot, vt_pose_at(walls->transforms, body->parent, middle).position,
           sizeof wall->pivot);
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
    const double around = 2 * (double)lattice->reach;
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
static void place_lattice(vt_walls *walls, span box, int64_t particles)
{
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
    const double along = vt_cbrt((double)particles / PER_CELL);
    const double cell = longest / fmax(LEAST_CELLS, fmin(along, MOST_CELLS));
    lattice->per_cell = (float)(1 / cell);
    lattice->reach = (float)(0.25 * cell);
    for (int c = 0; c < 3; c++) {
        /* and one more on each side, for those that end beside what they pass */
        const double cells = ceil((box.upper[c] - box.lower[c]) / cell) + 2;
        lattice->cells[c] = cells > 3 ? (int32_t)cells : 3;
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
    double cell;   /* m */
    double margin; /* how far from where a particle ends it may meet the wall, m */
    pair *pairs;
    int64_t count;
} search;

/* Room in the middle of a cube of `side` cells, m. */
static double room_in(const search *s, const int32_t first[3], int32_t side)
{
    double middle[3];
    for (int c = 0; c < 3; c++)
        middle[c] = (double)s->lattice->lower[c] + (first[c] + 0.5 * side) * s->cell;
    return room_at(s->wall, middle);
}

/* A cube of cells: none of them, all, or each by itself. */
static void search_cube(search *s, const int32_t first[3], int32_t side)
{
    const int32_t *const cells = s->lattice->cells;
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
                if (whole || room_in(s, at, 1) <= s->margin + 0.5 * 1.74 * s->cell)
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
        /* a way of `reach` along each axis, and as far aside, counts for solids */
        const double way = s.wall->swept ? 1.74 * (double)walls->lattice.reach : 0;
        s.margin = 0.5 * s.wall->step + way + 1e-3 * s.cell;
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
                   const double lower[3], const double upper[3], int64_t particles, vt_arena *arena,
                   vt_walls *walls)
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
    span box;
    memcpy(box.lower, lower, sizeof box.lower);
    memcpy(box.upper, upper, sizeof box.upper);
    place_lattice(walls, box, particles);
    walls->lattice.marked_outside = walls->far_count > 0;
    if (walls->lattice.cells[0] > 0)
        fill_cells(walls, arena);
}

/* ---- a particle and the walls that it may meet ---- */

typedef struct planes {
    int count;
    double normal[3][3], offset[3]; /* of walls that it came up against in this pass, m */
} planes;

/* A wall that the particle came up against first, in the space of the body. */
typedef struct impact {
    const vt_wall *wall;
    double share; /* of the way */
    double point[3], normal[3];
} impact;

typedef struct encounter {
    const vt_walls *walls;
    const int32_t *list;
    int32_t count;
    vt_traveller *traveller;
    planes planes;
    impact first;
} encounter;

static double skin_of(const vt_wall *wall, const double world[3])
{
    return vt_contact_skin(wall->body, world);
}

/* Without what of the velocity leads into the wall at a point of the world. */
static void stop(const vt_wall *wall, const double normal[3], vt_traveller *t)
{
    double arm[3], carried[3];
    for (int c = 0; c < 3; c++)
        arm[c] = t->end[c] - wall->pivot[c];
    vt_cross(wall->angular, arm, carried);
    double approach = 0;
    for (int c = 0; c < 3; c++)
        approach += (t->velocity[c] - wall->velocity[c] - carried[c]) * normal[c];
    if (approach < 0)
        vt_add_scaled(t->velocity, -approach, normal);
}

/* Moves the end to the outer side of a plane of the world and, along it, to that of the planes met
 * before. */
static void hold_beyond(encounter *e, const vt_wall *wall, const double normal[3], double offset)
{
    planes *const planes = &e->planes;
    double *const end = e->traveller->end;
    vt_add_scaled(end, offset - vt_dot(normal, end), normal);
    stop(wall, normal, e->traveller);
    for (int p = 0; p < planes->count; p++) {
        const double missing = planes->offset[p] - vt_dot(planes->normal[p], end);
        double along[3];
        memcpy(along, planes->normal[p], sizeof along);
        vt_add_scaled(along, -vt_dot(along, normal), normal);
        const double square = vt_dot(along, along);
        if (missing > 0 && square > 1e-4)
            vt_add_scaled(end, missing / square, along);
    }
    if (planes->count < 3) {
        memcpy(planes->normal[planes->count], normal, sizeof(double) * 3);
        planes->offset[planes->count++] = offset;
    }
}

/* The poses that the particle sees: of its own life, where it was born in the substep. */
static const vt_pose *poses_for(const encounter *e, const vt_wall *wall, vt_pose own[])
{
    if (!(e->traveller->birth > e->walls->from) || !wall->body->moves || !wall->swept)
        return wall->pose;
    fill_poses(e->walls, wall->body, e->traveller->birth, wall->parts, own);
    return own;
}

/* Whether a segment in the space of the body comes near enough to look at its solids. */
static int comes_near(const vt_body *body, const double from[3], const double to[3])
{
    double way[3], start[3];
    for (int c = 0; c < 3; c++) {
        way[c] = to[c] - from[c];
        start[c] = from[c] - body->center[c];
    }
    const double square = vt_dot(way, way);
    const double share = square > 0 ? fmax(0, fmin(1, -vt_dot(start, way) / square)) : 0;
    vt_add_scaled(start, share, way);
    return body->scale * vt_sqrt(vt_dot(start, start)) <= body->reach;
}

/* The first of the solids that a segment enters. */
static int enter_body(const vt_body *body, const double from[3], const double to[3], impact *found)
{
    int enters = 0;
    if (!comes_near(body, from, to))
        return 0;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double share, normal[3];
        if (!vt_solid_enter(&body->solids[n], from, to, &share, normal) ||
            (enters && share >= found->share))
            continue;
        enters = 1;
        found->share = share;
        memcpy(found->normal, normal, sizeof normal);
        for (int c = 0; c < 3; c++)
            found->point[c] = from[c] + share * (to[c] - from[c]);
    }
    return enters;
}

/* Follows the particle in the space of the body, from pose to pose. */
static int find_impact(const encounter *e, const vt_wall *wall, impact *found)
{
    vt_pose own[MOST_PARTS + 1];
    const vt_pose *const pose = poses_for(e, wall, own);
    const vt_traveller *const t = e->traveller;
    double from[3], to[3], world[3];
    vt_pose_point_back(&pose[0], t->start, from);
    for (int32_t k = 1; k <= wall->parts; k++) {
        const double share = (double)k / (double)wall->parts;
        for (int c = 0; c < 3; c++)
            world[c] =
                k == wall->parts ? t->end[c] : t->start[c] + share * (t->end[c] - t->start[c]);
        vt_pose_point_back(&pose[k], world, to);
        *found = (impact){.wall = wall};
        if (enter_body(wall->body, from, to, found)) {
            found->share = (k - 1 + found->share) / wall->parts;
            return 1;
        }
        memcpy(from, to, sizeof from);
    }
    return 0;
}

/* Back to the side of the wall that it came from. */
static int sweep(encounter *e, const vt_wall *wall)
{
    impact found;
    if (!wall->swept || !find_impact(e, wall, &found))
        return 0;
    if (!e->first.wall || found.share < e->first.share)
        e->first = found;
    const vt_pose *const pose = &wall->pose[wall->parts];
    double point[3], normal[3];
    vt_pose_point(pose, found.point, point);
    vt_pose_direction(pose, found.normal, normal);
    const double offset = vt_dot(normal, point) + skin_of(wall, e->traveller->end);
    if (!(vt_dot(normal, e->traveller->end) < offset))
        return 0;
    hold_beyond(e, wall, normal, offset);
    return 1;
}

/* Out of the wall by the shortest way, where the particle ends in it. */
static int push_out(encounter *e, const vt_wall *wall)
{
    const vt_pose *const pose = &wall->pose[wall->parts];
    double *const end = e->traveller->end;
    int moved = 0;
    for (int n = 0; n < PASSES; n++) {
        double local[3], away[3], normal[3];
        vt_pose_point_back(pose, end, local);
        if (!wall->body->hole && !comes_near(wall->body, local, local))
            return moved;
        const double room = wall->body->scale * vt_body_room(wall->body, local, away);
        const double skin = skin_of(wall, end);
        if (!(room < 0.25 * skin))
            return moved;
        vt_pose_direction(pose, away, normal);
        hold_beyond(e, wall, normal, vt_dot(normal, end) - room + skin);
        moved = 1;
    }
    return 1;
}

/* ---- where that does not end ---- */

static int is_free(const encounter *e, const double world[3])
{
    for (int32_t n = 0; n < e->count; n++) {
        const vt_wall *const wall = &e->walls->wall[e->list[n]];
        double local[3], normal[3];
        vt_pose_point_back(&wall->pose[wall->parts], world, local);
        if (wall->body->scale * vt_body_room(wall->body, local, normal) <
            0.25 * skin_of(wall, world))
            return 0;
    }
    return 1;
}

static int settle(encounter *e, const double world[3])
{
    if (!is_free(e, world))
        return 0;
    memcpy(e->traveller->end, world, 3 * sizeof *world);
    return 1;
}

/* Where it met the first wall. */
static int settle_at_impact(encounter *e)
{
    double local[3], normal[3], world[3];
    if (!e->first.wall)
        return 0;
    const vt_pose *const pose = &e->first.wall->pose[e->first.wall->parts];
    memcpy(local, e->first.point, sizeof local);
    vt_pose_point(pose, local, world);
    vt_pose_direction(pose, e->first.normal, normal);
    vt_add_scaled(world, skin_of(e->first.wall, world), normal);
    return settle(e, world);
}

/* Where it started, carried along by one of the bodies. */
static int settle_carried(encounter *e)
{
    for (int32_t n = 0; n < e->count; n++) {
        const vt_wall *const wall = &e->walls->wall[e->list[n]];
        vt_pose own[MOST_PARTS + 1];
        double local[3], world[3];
        vt_pose_point_back(&poses_for(e, wall, own)[0], e->traveller->start, local);
        vt_pose_point(&wall->pose[wall->parts], local, world);
        if (settle(e, world))
            return 1;
    }
    return 0;
}

/* On the way to the middle of a container, as near to the end as there is room. */
static int settle_inside(encounter *e)
{
    for (int32_t n = 0; n < e->count; n++) {
        const vt_wall *const wall = &e->walls->wall[e->list[n]];
        double inside[3], world[3], near = 0, far = 1;
        if (!wall->body->hole)
            continue;
        vt_pose_point(&wall->pose[wall->parts], wall->body->inside, inside);
        for (int step = 0; step < 40; step++) {
            const double share = 0.5 * (near + far);
            for (int c = 0; c < 3; c++)
                world[c] = inside[c] + share * (e->traveller->end[c] - inside[c]);
            if (is_free(e, world))
                near = share;
            else
                far = share;
        }
        for (int c = 0; c < 3; c++)
            world[c] = inside[c] + near * (e->traveller->end[c] - inside[c]);
        if (near > 0 && settle(e, world))
            return 1;
    }
    return 0;
}

/* Whether all that the particle passes lies clear of the wall. Room changes by no more than one
 * goes: between two points that are apart by less than their room together, there is some. */
static int is_clear(const vt_walls *walls, const vt_wall *wall, const vt_traveller *t)
{
    const vt_body *const body = wall->body;
    const double skin = skin_of(wall, t->end);
    const double way = wall->swept ? distance_between(t->start, t->end) : 0;
    const double most = way + wall->parts * wall->step + skin;
    double start[3], end[3], normal[3];
    if (!body->hole &&
        square_between(t->end, wall->center) > (body->reach + most) * (body->reach + most))
        return 1;
    vt_pose_point_back(&wall->pose[wall->parts], t->end, end);
    const double room = body->scale * vt_body_room(body, end, normal);
    if (room > most || room < skin || wall->parts > 1 || !wall->swept || t->birth > walls->from)
        return room > most;
    vt_pose_point_back(&wall->pose[0], t->start, start);
    return body->scale * (vt_body_room(body, start, normal) - distance_between(start, end)) >
           skin - room;
}

static int hold_by(const vt_walls *walls, const int32_t *list, int32_t count, vt_traveller *t)
{
    encounter e = {.walls = walls, .list = list, .count = count, .traveller = t};
    int held = VT_UNHINDERED;
    for (int pass = 0; pass < PASSES; pass++) {
        int moved = 0;
        e.planes.count = 0;
        for (int32_t n = 0; n < count; n++) {
            const vt_wall *const wall = &walls->wall[list[n]];
            if (is_clear(walls, wall, t))
                continue;
            moved |= sweep(&e, wall);
            moved |= push_out(&e, wall);
        }
        if (!moved)
            return held;
        held = VT_HELD;
    }
    if (settle_at_impact(&e) || settle_carried(&e) || settle(&e, t->start) || settle_inside(&e))
        return VT_HELD;
    return VT_SQUEEZED;
}

/* The cell of a point, or -1. */
static int64_t cell_of(const vt_lattice *lattice, const double point[3])
{
    int64_t cell = 0;
    for (int c = 2; c >= 0; c--) {
        const float at = ((float)point[c] - lattice->lower[c]) * lattice->per_cell;
        if (!(at >= 0 && at < (float)lattice->cells[c]))
            return -1;
        cell = cell * lattice->cells[c] + (int64_t)at;
    }
    return cell;
}

static int is_near(const double a[3], const double b[3], double reach)
{
    for (int c = 0; c < 3; c++)
        if (!(vt_abs(a[c] - b[c]) <= reach))
            return 0;
    return 1;
}

static int is_clear_of_all(const vt_walls *walls, const int32_t *list, int32_t count,
                           const vt_traveller *t)
{
    for (int32_t n = 0; n < count; n++)
        if (!is_clear(walls, &walls->wall[list[n]], t))
            return 0;
    return 1;
}

/* Of a particle that the list of its cell does not clear. Once it is moved aside, holes and planes
 * may be met that are not in the list; moved far, any. */
static int hold_near(const vt_walls *walls, const int32_t *list, int32_t count, vt_traveller *t)
{
    enum { MOST = 256 };
    const vt_traveller before = *t;
    int32_t both[MOST];
    if (count + walls->far_count <= MOST) {
        memcpy(both, list, sizeof *both * (size_t)count);
        memcpy(both + count, walls->far, sizeof *both * (size_t)walls->far_count);
        const int held = hold_by(walls, both, count + walls->far_count, t);
        if (held == VT_HELD && is_near(t->end, before.end, (double)walls->lattice.reach))
            return held;
        *t = before;
    }
    return hold_by(walls, walls->all, walls->count, t);
}

/* The list of a cell says what a particle that ends there may have met, if it comes from near. */
int vt_hold(const vt_walls *walls, vt_traveller *t)
{
    const vt_lattice *const lattice = &walls->lattice;
    const int64_t cell =
        is_near(t->start, t->end, (double)lattice->reach) ? cell_of(lattice, t->end) : -1;
    if (cell < 0)
        return is_clear_of_all(walls, walls->all, walls->count, t)
                   ? VT_UNHINDERED
                   : hold_by(walls, walls->all, walls->count, t);
    const uint32_t first = walls->first[cell];
    const int32_t *const list = walls->near + first;
    const int32_t count = (int32_t)(walls->first[cell + 1] - first);
    return is_clear_of_all(walls, list, count, t) ? VT_UNHINDERED
                                                  : hold_near(walls, list, count, t);
}
