/* Buoyancy of bodies (part 9, by quadrature over the volume; the articles' method takes the mean of
 * three samples instead: at the centre, and as far above and below as the body reaches): by
 * Archimedes the pressure of fluid at rest bears the weight of the fluid that would be in the
 * body's place. That is, at each height, the fluid beside the body: the density field inside of it
 * means nothing, since no vorton is there. It is read level by level, in eight directions, a little
 * way off the surface. */
#include "bodies/body_buoyancy.h"

#include "state/rigid_body.h"
#include "state/simulation.h"

enum { DIRECTIONS = 8, LEAST_LEVELS = 8 };

/* From the surface to where the field is read: no node of that cell lies deep in the body. */
static const double stand_off = 1.5; /* spacings */

typedef struct look {
    vt_simulation *simulation;
    vt_surroundings *around;
    double dt;
} look;

/* The bodies near one body. */
typedef struct neighbours {
    const vt_body *body;
    int32_t count;
    int32_t *list;
    const vt_simulation *simulation;
} neighbours;

/* ---- the field ---- */

/* Deviation of the density at a point, kg/m^3; 0 outside the grid. */
static double deviation_at(const vt_grid *grid, const double point[3])
{
    double share[3], sum = 0;
    int64_t first = 0;
    const int64_t step[3] = {1, grid->node_row, grid->node_plane};
    for (int c = 0; c < 3; c++) {
        const double at = point[c] / grid->spacing - grid->base[c];
        if (!(at >= 0 && at < grid->cells[c]))
            return 0;
        first += (int64_t)at * step[c];
        share[c] = at - floor(at);
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int64_t node = first;
        for (int c = 0; c < 3; c++) {
            const int upper = corner >> c & 1;
            weight *= upper ? share[c] : 1 - share[c];
            node += upper ? step[c] : 0;
        }
        sum += weight * (double)grid->scalars[node][3];
    }
    return sum;
}

/* ---- around one body ---- */

static void find_neighbours(neighbours *near, double reach)
{
    const vt_simulation *const s = near->simulation;
    near->count = 0;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const other = &s->bodies.items[n];
        double center[3];
        if (other == near->body)
            continue;
        const vt_pose pose = vti_pose_now(&s->transforms, other, s->time);
        vti_pose_point(&pose, other->center, center);
        const double most = reach + other->reach;
        if (other->hole ||
            !(vti_square_between(center, near->body->rigid.now.position) > most * most))
            near->list[near->count++] = n;
    }
}

/* Whether fluid may be at a point, as far as the other bodies let it. */
static int is_open(const neighbours *near, const double point[3])
{
    const vt_simulation *const s = near->simulation;
    for (int32_t n = 0; n < near->count; n++) {
        const vt_body *const other = &s->bodies.items[near->list[n]];
        const vt_pose pose = vti_pose_now(&s->transforms, other, s->time);
        double local[3], normal[3];
        vti_pose_point_back(&pose, point, local);
        if (vti_distance_to_body(other, local, normal) < 0)
            return 0;
    }
    return 1;
}

/* How far the body reaches from a point in a direction of the world, m. */
static double reach_along(const vt_body *body, const vt_pose *pose, const double point[3],
                          const double direction[3])
{
    double far[3], from[3], to[3], farthest = 0;
    memcpy(far, point, sizeof far);
    vti_add_scaled(far, 2.1 * body->reach, direction);
    vti_pose_point_back(pose, far, from);
    vti_pose_point_back(pose, point, to);
    for (int32_t n = 0; n < body->solid_count; n++) {
        double share, normal[3];
        if (vti_solid_enter(&body->solids[n], from, to, &share, normal))
            farthest = fmax(farthest, (1 - share) * 2.1 * body->reach);
    }
    return farthest;
}

/* Mean, slopes and range of what is beside the body at one level; 0 where nothing can be read. */
static int look_level(const neighbours *near, const vt_pose *pose, vt_surroundings *a,
                      int32_t level)
{
    const vt_grid *const grid = &near->simulation->grid;
    double center[3], value[DIRECTIONS], way[DIRECTIONS][2], sum = 0, square[2] = {0, 0};
    int32_t count = 0;
    memcpy(center, a->center, sizeof center);
    vti_add_scaled(center, a->lowest + level * a->spacing, a->up);
    for (int32_t d = 0; d < DIRECTIONS; d++) {
        const double along[2] = {vti_cos_pi(2.0 * d / DIRECTIONS),
                                 vti_sin_pi(2.0 * d / DIRECTIONS)};
        double direction[3] = {0, 0, 0}, point[3];
        for (int c = 0; c < 2; c++)
            vti_add_scaled(direction, along[c], a->across[c]);
        const double off =
            reach_along(near->body, pose, center, direction) + stand_off * grid->spacing;
        memcpy(point, center, sizeof point);
        vti_add_scaled(point, off, direction);
        if (!is_open(near, point))
            continue;
        value[count] = deviation_at(grid, point);
        for (int c = 0; c < 2; c++)
            way[count][c] = off * along[c];
        sum += value[count++];
    }
    if (count == 0)
        return 0;
    a->mean[level] = sum / count;
    a->least[level] = a->most[level] = a->mean[level];
    a->slope[level][0] = a->slope[level][1] = 0;
    for (int32_t d = 0; d < count; d++) {
        a->least[level] = fmin(a->least[level], value[d]);
        a->most[level] = fmax(a->most[level], value[d]);
        for (int c = 0; c < 2 && count == DIRECTIONS; c++) {
            a->slope[level][c] += (value[d] - a->mean[level]) * way[d][c];
            square[c] += way[d][c] * way[d][c];
        }
    }
    for (int c = 0; c < 2 && count == DIRECTIONS; c++)
        a->slope[level][c] /= square[c];
    return 1;
}

static void copy_level(vt_surroundings *a, int32_t from, int32_t to)
{
    a->mean[to] = a->mean[from];
    a->least[to] = a->least[from];
    a->most[to] = a->most[from];
    memcpy(a->slope[to], a->slope[from], sizeof a->slope[to]);
}

/* Levels where nothing could be read are as the nearest one that could, first that below. */
static void look_levels(const neighbours *near, vt_surroundings *a)
{
    const vt_simulation *const s = near->simulation;
    const vt_pose pose = vti_pose_now(&s->transforms, near->body, s->time);
    int32_t known = -1;
    for (int32_t l = 0; l < a->levels; l++) {
        if (!look_level(near, &pose, a, l)) {
            if (known >= 0)
                copy_level(a, known, l);
            continue;
        }
        for (int32_t m = known < 0 ? 0 : l; m < l; m++)
            copy_level(a, l, m);
        known = l;
    }
    if (known < 0)
        a->levels = 0;
}

/* As the articles do: everywhere the mean of what the field says at three places. */
static void take_three_samples(const vt_grid *grid, const vt_body *body, vt_surroundings *a)
{
    double sum = 0;
    for (int32_t n = -1; n <= 1; n++) {
        double point[3];
        memcpy(point, a->center, sizeof point);
        vti_add_scaled(point, n * body->reach, a->up);
        sum += deviation_at(grid, point);
    }
    a->levels = 2;
    a->lowest = -body->reach;
    a->spacing = 2 * body->reach;
    a->mean[0] = a->least[0] = a->most[0] = sum / 3;
    a->slope[0][0] = a->slope[0][1] = 0;
    copy_level(a, 0, 1);
}

static void look_around_body(const look *job, int32_t n, int32_t *list)
{
    static const double x_axis[3] = {1, 0, 0};
    const vt_simulation *const s = job->simulation;
    const vt_body *const body = &s->bodies.items[n];
    vt_surroundings *const a = &job->around[n];
    const double *const g = s->def.gravity;
    for (int c = 0; c < 3; c++)
        a->up[c] = -g[c];
    if (!(body->rigid.mass > 0 && vti_normalise(a->up) > 0))
        return;
    vti_normal_to(a->up, x_axis, a->across[0]);
    vti_cross(a->up, a->across[0], a->across[1]);
    memcpy(a->center, body->rigid.now.position, sizeof a->center);
    if (s->def.method.bodies == VT_BODIES_ARTICLE) {
        take_three_samples(&s->grid, body, a);
        return;
    }
    const double speed = vti_sqrt(vti_dot(body->rigid.velocity, body->rigid.velocity));
    const double fall = vti_sqrt(vti_dot(g, g)) * job->dt;
    const double high = body->reach + fmin((speed + fall) * job->dt, body->reach);
    const double wanted = ceil(4 * high / s->grid.spacing);
    a->levels = (int32_t)fmin(fmax(wanted, LEAST_LEVELS), VT_MOST_LEVELS);
    a->lowest = -high;
    a->spacing = 2 * high / (a->levels - 1);
    neighbours near = {.body = body, .list = list, .simulation = s};
    find_neighbours(&near, high + body->reach + 2 * stand_off * s->grid.spacing);
    look_levels(&near, a);
}

static void look_around_one(void *data, int64_t n)
{
    int32_t list[4096]; /* room for as many bodies as a simulation may have */
    look_around_body(data, (int32_t)n, list);
}

vt_surroundings *vti_look_around(vt_simulation *s, int has_field, double dt)
{
    const int32_t count = s->bodies.count;
    vt_surroundings *const around = vti_arena_push(&s->arena, sizeof *around * (size_t)count);
    for (int32_t n = 0; n < count; n++)
        around[n].levels = 0;
    look job = {s, around, dt};
    if (has_field)
        vti_parallel_each(s->def.threads, count, 1, look_around_one, &job);
    return around;
}

/* ---- the fluid in the place of the body ---- */

/* Deviation of the density in the place of the body, at a way from the centre of the levels. */
static double deviation_beside(const vt_surroundings *a, const double way[3])
{
    const double at = (vti_dot(way, a->up) - a->lowest) / a->spacing, last = a->levels - 1;
    const double held = at > 0 ? (at < last ? at : last) : 0;
    const int32_t level = held < last ? (int32_t)held : a->levels - 2;
    const double x = vti_dot(way, a->across[0]), y = vti_dot(way, a->across[1]);
    double value[2];
    for (int32_t n = 0; n < 2; n++) {
        const int32_t l = level + n;
        const double linear = a->mean[l] + a->slope[l][0] * x + a->slope[l][1] * y;
        value[n] = fmin(fmax(linear, a->least[l]), a->most[l]);
    }
    return value[0] + (held - level) * (value[1] - value[0]);
}

vt_body_buoyancy vti_find_body_buoyancy(const vt_simulation *s, const vt_body *body,
                                        const vt_surroundings *around)
{
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const vt_pose pose = vti_pose_of_place(&body->rigid.now, body->center, body->scale);
    const double scale = body->scale, weight = scale * scale * scale * body->bulk.volume;
    vt_body_buoyancy sum = {.mass = 0};
    for (int32_t n = 0; n < body->point_count; n++) {
        double world[3], way[3];
        vti_pose_point(&pose, body->points[n], world);
        vti_subtract(world, around->center, way);
        const double ambient = vti_ambient_density(&fluid, world);
        double density = ambient;
        if (around->levels > 0)
            density = fmax(0, density + deviation_beside(around, way));
        const double mass = weight / body->point_count * density;
        const double more = weight / body->point_count * (density - ambient);
        sum.mass += mass;
        sum.more += more;
        vti_add_scaled(world, -1, body->rigid.now.position);
        vti_add_scaled(sum.moment, mass, world);
        vti_add_scaled(sum.more_moment, more, world);
    }
    /* whatever presses on a sphere presses towards its centre */
    if (body->solid_count == 1 && body->solids[0].kind == VT_SHAPE_SPHERE)
        for (int c = 0; c < 3; c++)
            sum.moment[c] = sum.more_moment[c] = 0;
    return sum;
}
