#include "field/thin_walls.h"

#include "base/parallel.h"
#include "state/distance_to_bodies.h"
#include "state/rigid_body.h"

enum { BLOCK = 512 };

/* A solid, where nodes in it may have neighbours on both of its sides. */
typedef struct thin_wall {
    const vt_solid *solid;
    const vt_pose *pose;
    double center[3]; /* m */
    double reach;     /* from there, of what is near, m */
    double half;      /* of the thickness, as nodes count it, cells */
    double inscribed; /* m, in the world */
    double scale;
} thin_wall;

typedef struct keeping {
    const vt_grid *grid;
    const thin_wall *walls;
    int32_t count;
    const vt_record *sorted;
    float *felt;
    vt_record *given;
    int32_t near[VT_MAX_THREADS]; /* whether any record of the thread is */
} keeping;

int vti_is_thin_wall(const vt_body *body, const vt_solid *solid, double spacing, double thickness)
{
    if (body->hole || !isfinite(solid->circumscribed) ||
        2 * body->scale * solid->inscribed >= thickness)
        return 0;
    return body->scale * vti_solid_breadth(solid) >= 2 * spacing;
}

/* Of which nodes may have neighbours on both sides. */
static int is_thin(const vt_simulation *s, const vt_body *body, const vt_solid *solid)
{
    return vti_is_thin_wall(body, solid, s->grid.spacing, 2 * s->grid.spacing);
}

static int32_t count_walls(const vt_simulation *s)
{
    int32_t count = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        for (int32_t k = 0; k < s->bodies.items[n].solid_count; k++)
            count += is_thin(s, &s->bodies.items[n], &s->bodies.items[n].solids[k]);
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

static void list_walls(const vt_simulation *s, const vt_pose *pose, thin_wall *walls)
{
    int32_t count = 0;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        for (int32_t k = 0; k < body->solid_count; k++)
            if (is_thin(s, body, &body->solids[k]))
                walls[count++] = make_wall(body, &body->solids[k], &pose[n], s->grid.spacing);
    }
}

/* Moves a place until it is so many cells, less half of the thickness, from the middle of each
 * wall; returns whether it was nearer to one. */
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
        const double enough = (cells - wall->half) * h - wall->inscribed;
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

static void keep_block(void *data, int64_t begin, int64_t end, int thread)
{
    keeping *const k = data;
    const vt_grid *const grid = k->grid;
    for (int64_t i = begin; i < end; i++) {
        const vt_record *const record = &k->sorted[i];
        float *const felt = k->felt + 3 * i;
        double given[3], at[3];
        float cells[3];
        k->given[i] = *record;
        memset(felt, 0, 12);
        for (int a = 0; a < 3; a++)
            given[a] = at[a] = (grid->base[a] + (double)record->position[a]) * grid->spacing;
        if (!keep_off(k, 2, at))
            continue;
        k->near[thread] = 1;
        to_cells(grid, at, cells);
        for (int a = 0; a < 3; a++)
            felt[a] = cells[a] - record->position[a];
        if (keep_off(k, 1, given))
            to_cells(grid, given, k->given[i].position);
    }
}

float *vti_make_room_for_felt(vt_simulation *s, size_t rows)
{
    return count_walls(s) > 0 ? vti_arena_push(&s->arena, 12 * (rows + VT_LANES)) : NULL;
}

int vti_keep_off_thin_walls(vt_simulation *s, double time, int64_t count, const vt_record *sorted,
                            float *felt, vt_record *given)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_pose *const pose = vti_poses_at(s, time);
    keeping k = {
        .grid = &s->grid, .count = count_walls(s), .sorted = sorted, .felt = felt, .given = given};
    thin_wall *const walls = vti_arena_push(&s->arena, sizeof *walls * (size_t)k.count);
    int near = 0;
    list_walls(s, pose, walls);
    k.walls = walls;
    memset(felt + 3 * count, 0, 12 * VT_LANES);
    vti_parallel_for_numbered(s->def.threads, count, BLOCK, keep_block, &k);
    for (int t = 0; t < VT_MAX_THREADS; t++)
        near |= k.near[t];
    vti_arena_pop(&s->arena, mark);
    return near;
}
