#include "field/thin_walls.h"

#include "base/parallel.h"
#include "state/distance_to_bodies.h"

enum { BLOCK = 512 };

/* A solid, where nodes in it may have neighbours on both of its sides. */
typedef struct thin_wall {
    const vt_solid *solid;
    const vt_pose *pose;
    double center[3]; /* m */
    double reach;     /* from there, of what is near, m */
    double half;      /* of the thickness, as differences count it, cells */
    double inscribed; /* m, in the world */
    double scale;
} thin_wall;

typedef struct keeping {
    const vt_grid *grid;
    const thin_wall *walls;
    int32_t count;
    const vt_record *sorted;
    float *felt; /* differences; NULL: none, and no node in a wall is left out */
    vt_record *given;
    const float *from; /* points in place of records, m */
    float *look;
    int32_t near[VT_MAX_THREADS]; /* whether any record of the thread is */
} keeping;

int vti_is_thin_wall(const vt_body *body, const vt_solid *solid, double spacing, double thickness)
{
    if (body->hole || !isfinite(solid->circumscribed) ||
        2 * body->scale * solid->inscribed >= thickness)
        return 0;
    return body->scale * vti_solid_breadth(solid) >= 2 * spacing;
}

/* Of which nodes, h apart, may have neighbours on both sides. */
static int is_thin(const vt_body *body, const vt_solid *solid, double h)
{
    return vti_is_thin_wall(body, solid, h, 2 * h);
}

static int32_t count_walls(const vt_simulation *s, double h)
{
    int32_t count = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        for (int32_t k = 0; k < s->bodies.items[n].solid_count; k++)
            count += is_thin(&s->bodies.items[n], &s->bodies.items[n].solids[k], h);
    return count;
}

static thin_wall make_wall(const vt_body *body, const vt_solid *solid, const vt_pose *pose,
                           double h)
{
    thin_wall wall = {.solid = solid,
                      .pose = pose,
                      .reach = body->scale * solid->circumscribed + 2 * h,
                      .half = fmax(body->scale * solid->inscribed / h, 0.5),
                      .inscribed = body->scale * solid->inscribed,
                      .scale = body->scale};
    vti_pose_point(pose, solid->center, wall.center);
    return wall;
}

static void list_walls(const vt_simulation *s, const vt_pose *pose, double h, thin_wall *walls)
{
    int32_t count = 0;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        for (int32_t k = 0; k < body->solid_count; k++)
            if (is_thin(body, &body->solids[k], h))
                walls[count++] = make_wall(body, &body->solids[k], &pose[n], h);
    }
}

/* Moves a place until it is so many cells from the middle of each wall, less half of the thickness
 * that its nodes have where these stay apart; returns whether it was nearer to one. */
static int keep_off(const keeping *k, double cells, double place[3])
{
    const double h = k->grid->spacing;
    int near = 0;
    for (int32_t n = 0; n < k->count; n++) {
        const thin_wall *const wall = &k->walls[n];
        double local[3], nearest[3], away[3], normal[3];
        if (vti_square_between(place, wall->center) > wall->reach * wall->reach)
            continue;
        vti_pose_point_back(wall->pose, place, local);
        const double enough = (cells - (k->felt ? wall->half : 0)) * h - wall->inscribed;
        if (wall->scale * vti_solid_distance(wall->solid, local, NULL) >= enough)
            continue; /* that is a lower bound, and cheaper */
        const double room = wall->scale * vti_solid_nearest(wall->solid, local, nearest, away);
        if (room >= enough)
            continue;
        vti_pose_direction(wall->pose, away, normal);
        vti_add_scaled(place, enough - room, normal);
        near = 1;
    }
    return near;
}

static void to_cells(const vt_grid *grid, const double place[3], float cells[3])
{
    for (int a = 0; a < 3; a++) {
        const double most = (double)grid->cells[a] - 1.01;
        const double at = place[a] / grid->spacing - grid->base[a];
        cells[a] = (float)fmin(fmax(at, 1), most);
    }
}

/* Where record i, of which that is the place, feels differences; returns whether it is elsewhere.
 */
static int feel_off(const keeping *k, int64_t i, const double place[3])
{
    const float *const position = k->sorted[i].position;
    float *const felt = k->felt + 3 * i;
    double at[3];
    float cells[3];
    memcpy(at, place, sizeof at);
    memset(felt, 0, 12);
    if (!keep_off(k, 2, at))
        return 0;
    to_cells(k->grid, at, cells);
    for (int a = 0; a < 3; a++)
        felt[a] = cells[a] - position[a];
    return 1;
}

static void keep_block(void *data, int64_t begin, int64_t end, int thread)
{
    keeping *const k = data;
    const vt_grid *const grid = k->grid;
    for (int64_t i = begin; i < end; i++) {
        double place[3];
        k->given[i] = k->sorted[i];
        for (int a = 0; a < 3; a++)
            place[a] = (grid->base[a] + (double)k->sorted[i].position[a]) * grid->spacing;
        const int feels = k->felt && feel_off(k, i, place);
        const int gives = (feels || !k->felt) && keep_off(k, 1, place);
        k->near[thread] |= feels || gives;
        if (gives)
            to_cells(grid, place, k->given[i].position);
    }
}

static void look_block(void *data, int64_t begin, int64_t end, int thread)
{
    keeping *const k = data;
    for (int64_t i = begin; i < end; i++) {
        double at[3];
        for (int a = 0; a < 3; a++)
            at[a] = (double)k->from[3 * i + a];
        k->near[thread] |= keep_off(k, 1, at);
        for (int a = 0; a < 3; a++)
            k->look[3 * i + a] = (float)at[a];
    }
}

/* Returns whether any record or point is near a thin wall. */
static int keep_all_off(vt_simulation *s, double time, int64_t count, vt_numbered_function *block,
                        keeping *k)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_pose *const pose = vti_poses_at(s, time);
    thin_wall *const walls = vti_arena_push(&s->arena, sizeof *walls * (size_t)k->count);
    int near = 0;
    list_walls(s, pose, k->grid->spacing, walls);
    k->walls = walls;
    vti_parallel_for_numbered(s->def.threads, count, BLOCK, block, k);
    for (int t = 0; t < VT_MAX_THREADS; t++)
        near |= k->near[t];
    vti_arena_pop(&s->arena, mark);
    return near;
}

float *vti_make_room_for_felt(vt_simulation *s, size_t rows)
{
    return count_walls(s, s->grid.spacing) > 0 ? vti_arena_push(&s->arena, 12 * (rows + VT_LANES))
                                               : NULL;
}

int vti_give_off_thin_walls(vt_simulation *s, const vt_grid *grid, double time, int64_t count,
                            float *felt, const vt_record **sorted, const uint32_t **row_start)
{
    const size_t records = sizeof(vt_record) * (size_t)(count + VT_LANES);
    const size_t rows = (size_t)grid->cells[1] * (size_t)grid->cells[2];
    keeping k = {
        .grid = grid, .count = count_walls(s, grid->spacing), .sorted = *sorted, .felt = felt};
    if (k.count == 0)
        return 0;
    k.given = vti_arena_push(&s->arena, records);
    vt_record *const to = vti_arena_push(&s->arena, records);
    uint32_t *const start = vti_arena_push(&s->arena, 4 * (rows + 1));
    if (felt)
        memset(felt + 3 * count, 0, 12 * VT_LANES);
    if (!keep_all_off(s, time, count, keep_block, &k))
        return 0;
    s->stages->sort(grid, count, k.given, to, start, &s->arena, s->def.threads);
    *sorted = to;
    *row_start = start;
    return 1;
}

const float *vti_look_off_thin_walls(vt_simulation *s, const vt_grid *grid, double time,
                                     int64_t count, const float *position)
{
    keeping k = {.grid = grid, .count = count_walls(s, grid->spacing), .from = position};
    if (k.count == 0)
        return position;
    k.look = vti_arena_push(&s->arena, 12 * (size_t)count);
    return keep_all_off(s, time, count, look_block, &k) ? k.look : position;
}
