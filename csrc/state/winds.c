#include "state/winds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "carrier.h"
#include "core/grow.h"
#include "core/status.h"
#include "core/vec3.h"
#include "state/animation.h"
#include "state/simulation.h"

enum { MOST_WINDS = 1024, MOST_GRID_NODES = 1 << 28 };

static const double fastest = 1e9; /* m/s */

static const vt_parameter wind_parameters[] = {
    {"velocity", offsetof(vt_wind_def, velocity), {3, -1e9, 1e9, 0, "m/s"}}, {0}};

static const vt_parameter grid_parameters[] = {
    {"strength", offsetof(vt_wind_grid_def, strength), {1, -1e9, 1e9, 0, ""}}, {0}};

vt_wind_def vt_default_wind(void)
{
    return (vt_wind_def){.velocity = {0, 0, 0}};
}

vt_wind_grid_def vt_default_wind_grid(void)
{
    return (vt_wind_grid_def){.spacing = {1, 1, 1}, .strength = 1};
}

void vt_destroy_winds(vt_winds *winds)
{
    for (int32_t n = 0; n < winds->uniform_count; n++)
        vt_destroy_track(&winds->uniform[n].velocity);
    for (int32_t n = 0; n < winds->grid_count; n++) {
        free((void *)(uintptr_t)winds->grids[n].values);
        vt_destroy_track(&winds->strength[n]);
    }
    free(winds->uniform);
    free(winds->grids);
    free(winds->strength);
    *winds = (vt_winds){0};
}

static vt_status copy_wind_grid(const vt_winds *from, int32_t n, vt_winds *to)
{
    const vt_wind_grid *const grid = &from->grids[n];
    const size_t nodes = (size_t)grid->nodes[0] * (size_t)grid->nodes[1] * (size_t)grid->nodes[2];
    f4 *const values = aligned_alloc(16, sizeof *values * nodes);
    if (!values)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for a wind of %zu nodes", nodes);
    const vt_status status = vt_copy_track(&from->strength[n], &to->strength[n]);
    if (status) {
        free(values);
        return status;
    }
    memcpy(values, grid->values, sizeof *values * nodes);
    to->grids[n].values = values;
    to->grid_count = n + 1;
    return VT_OK;
}

/* What owns memory in it is copied here: whoever adds a member looks at this. */
_Static_assert(sizeof(vt_winds) == 3 * sizeof(void *) + 2 * sizeof(int32_t) + 6 * sizeof(double),
               "vt_copy_winds copies every member");

vt_status vt_copy_winds(const vt_winds *from, vt_winds *to)
{
    vt_status status = VT_OK;
    *to = *from;
    to->uniform_count = to->grid_count = 0;
    to->uniform = vt_copy_grown(from->uniform, from->uniform_count, sizeof *to->uniform);
    to->grids = vt_copy_grown(from->grids, from->grid_count, sizeof *to->grids);
    to->strength = vt_copy_grown(from->strength, from->grid_count, sizeof *to->strength);
    if (!to->uniform || !to->grids || !to->strength)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %d winds",
                       from->uniform_count + from->grid_count);
    for (int32_t n = 0; n < from->uniform_count && !status; n++) {
        status = vt_copy_track(&from->uniform[n].velocity, &to->uniform[n].velocity);
        to->uniform_count = n + !status;
    }
    for (int32_t n = 0; n < from->grid_count && !status; n++)
        status = copy_wind_grid(from, n, to);
    return status;
}

/* A parameter as a track of its own: a constant has one key. */
static vt_status make_track(const vt_parameter *parameter, const double *constant, int32_t count,
                            const vt_animation *animations, vt_track *track)
{
    const vt_track one_key = {
        .components = parameter->range.components, .count = 1, .values = constant, .rate = 1};
    for (int32_t a = 0; a < count; a++)
        if (strcmp(animations[a].parameter, parameter->name) == 0)
            return vt_copy_track(&animations[a].track, track);
    return vt_copy_track(&one_key, track);
}

/* ---- uniform ---- */

static vt_status keep_uniform(vt_simulation *s, const vt_wind_def *def)
{
    vt_winds *const winds = &s->winds;
    const int32_t n = winds->uniform_count;
    vt_status status = vt_check_parent(&s->transforms, def->parent);
    if (status)
        return status;
    if (n == MOST_WINDS || vt_grow((void **)&winds->uniform, n, sizeof *winds->uniform))
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for wind %d; allowed are %d", n, MOST_WINDS);
    vt_uniform_wind *const wind = &winds->uniform[n];
    *wind = (vt_uniform_wind){.parent = def->parent,
                              .turns = vt_parent_moves(&s->transforms, def->parent)};
    status = make_track(wind_parameters, def->velocity, def->animation_count, def->animations,
                        &wind->velocity);
    winds->uniform_count += status == VT_OK;
    s->fields_current = 0;
    return status;
}

vt_status vt_add_wind(vt_simulation *s, const vt_wind_def *def)
{
    vt_status status = vt_check_parameters(wind_parameters, def);
    if (!status)
        status =
            vt_check_animations(wind_parameters, "a wind", def->animation_count, def->animations);
    if (!status)
        status = vt_enter(s);
    if (status)
        return status;
    status = keep_uniform(s, def);
    vt_leave(s);
    return status;
}

/* ---- grids ---- */

static vt_status check_box(const vt_wind_grid_def *def)
{
    double nodes = 1;
    for (int a = 0; a < 3; a++) {
        nodes *= def->nodes[a];
        if (def->nodes[a] < 2 || nodes > MOST_GRID_NODES)
            return vt_fail(VT_INVALID_ARGUMENT,
                           "velocity: nodes[%d] is %d; allowed are 2 and more, together at most %d",
                           a, def->nodes[a], MOST_GRID_NODES);
        if (!(fabs(def->origin[a]) <= 1e9))
            return vt_fail(VT_INVALID_ARGUMENT, "origin[%d] is %g m; allowed is -1e9 to 1e9", a,
                           def->origin[a]);
        if (!(def->spacing[a] >= 1e-9 && def->spacing[a] <= 1e9))
            return vt_fail(VT_INVALID_ARGUMENT, "spacing[%d] is %g m; allowed is 1e-9 to 1e9", a,
                           def->spacing[a]);
    }
    return VT_OK;
}

static vt_status check_velocity(const vt_wind_grid_def *def)
{
    const int64_t count = 3 * (int64_t)def->nodes[0] * def->nodes[1] * def->nodes[2];
    if (!def->velocity)
        return vt_fail(VT_INVALID_ARGUMENT, "velocity is NULL; allowed are nz x ny x nx x 3 m/s");
    for (int64_t n = 0; n < count; n++)
        if (!(fabs((double)def->velocity[n]) <= fastest))
            return vt_fail(VT_INVALID_ARGUMENT,
                           "velocity has %g m/s in node %lld; allowed is -1e9 to 1e9",
                           (double)def->velocity[n], (long long)(n / 3));
    return VT_OK;
}

static vt_status check_grid(const vt_wind_grid_def *def)
{
    vt_status status = check_box(def);
    if (!status && def->outside != VT_WIND_ZERO && def->outside != VT_WIND_BORDER)
        status =
            vt_fail(VT_INVALID_ARGUMENT,
                    "outside is %d; allowed are VT_WIND_ZERO and VT_WIND_BORDER", def->outside);
    if (!status)
        status = vt_check_parameters(grid_parameters, def);
    if (!status)
        status =
            vt_check_animations(grid_parameters, "a wind", def->animation_count, def->animations);
    return status ? status : check_velocity(def);
}

/* Nodes of four floats, as the working grid has them. */
static vt_status copy_values(const vt_wind_grid_def *def, vt_wind_grid *grid)
{
    const size_t nodes = (size_t)def->nodes[0] * (size_t)def->nodes[1] * (size_t)def->nodes[2];
    f4 *const values = aligned_alloc(16, sizeof *values * nodes);
    if (!values)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for a wind of %zu nodes", nodes);
    for (size_t n = 0; n < nodes; n++) {
        const float *const v = def->velocity + 3 * n;
        values[n] = (f4){v[0], v[1], v[2], 0};
    }
    *grid = (vt_wind_grid){.border = def->outside == VT_WIND_BORDER,
                           .values = values,
                           .parent = def->parent,
                           .pose = {.matrix = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = 1}};
    for (int a = 0; a < 3; a++) {
        grid->nodes[a] = def->nodes[a];
        grid->origin[a] = def->origin[a];
        grid->per_spacing[a] = 1 / def->spacing[a];
    }
    grid->largest_gradient = vt_largest_wind_gradient(grid);
    return VT_OK;
}

static vt_status keep_grid(vt_simulation *s, const vt_wind_grid_def *def)
{
    vt_winds *const winds = &s->winds;
    const int32_t n = winds->grid_count;
    vt_track strength;
    vt_status status = vt_check_parent(&s->transforms, def->parent);
    if (status)
        return status;
    if (n == MOST_WINDS || vt_grow((void **)&winds->grids, n, sizeof *winds->grids) ||
        vt_grow((void **)&winds->strength, n, sizeof *winds->strength))
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for wind %d; allowed are %d", n, MOST_WINDS);
    status = make_track(grid_parameters, &def->strength, def->animation_count, def->animations,
                        &strength);
    if (status)
        return status;
    status = copy_values(def, &winds->grids[n]);
    if (status) {
        vt_destroy_track(&strength);
        return status;
    }
    winds->strength[n] = strength;
    winds->grid_count++;
    s->fields_current = 0;
    return VT_OK;
}

vt_status vt_add_wind_grid(vt_simulation *s, const vt_wind_grid_def *def)
{
    vt_status status = check_grid(def);
    if (!status)
        status = vt_enter(s);
    if (status)
        return status;
    status = keep_grid(s, def);
    vt_leave(s);
    return status;
}

/* ---- what blows ---- */

/* Gauss and Legendre's rule of five points in pieces of at most this length, s, for a wind that
 * turns. */
static const double longest_piece = 1.0 / 48;
enum { RULE = 5, MOST_PIECES = 4096 };
static const double rule_point[RULE] = {-0.9061798459386640, -0.5384693101056831, 0,
                                        0.5384693101056831, 0.9061798459386640};
static const double rule_weight[RULE] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                         0.4786286704993665, 0.2369268850561891};

static void add_wind_at(const vt_simulation *s, const vt_uniform_wind *wind, double time,
                        double weight, double sum[3])
{
    double own[3], turned[3];
    const vt_pose pose = vt_pose_at(&s->transforms, wind->parent, time);
    vt_evaluate_track(&wind->velocity, time, own);
    vt_pose_direction(&pose, own, turned);
    vt_add_scaled(sum, weight, turned);
}

static void integrate_wind(const vt_simulation *s, const vt_uniform_wind *wind, double from,
                           double to, double way[3])
{
    double own[3];
    if (!wind->turns) {
        vt_integrate_track(&wind->velocity, from, to, own);
        const vt_pose pose = vt_pose_at(&s->transforms, wind->parent, from);
        vt_pose_direction(&pose, own, way);
        return;
    }
    const double wanted = ceil(fabs(to - from) / longest_piece);
    const int pieces = wanted < MOST_PIECES ? (int)wanted : MOST_PIECES;
    way[0] = way[1] = way[2] = 0;
    for (int n = 0; n < pieces; n++) {
        const double half = 0.5 * (to - from) / pieces, middle = from + (2 * n + 1) * half;
        for (int k = 0; k < RULE; k++)
            add_wind_at(s, wind, middle + rule_point[k] * half, rule_weight[k] * half, way);
    }
}

void vt_integrate_winds(const vt_simulation *s, double from, double to, double way[3])
{
    for (int a = 0; a < 3; a++)
        way[a] = s->def.wind[a] * (to - from);
    if (to != from && vt_carry(s, from, to, way))
        return;
    for (int32_t n = 0; n < s->winds.uniform_count; n++) {
        double part[3];
        integrate_wind(s, &s->winds.uniform[n], from, to, part);
        for (int a = 0; a < 3; a++)
            way[a] += part[a];
    }
}

/* The mean from one time to another, or the value where they are equal. */
static void mean_of(const vt_simulation *s, const vt_uniform_wind *wind, double from, double to,
                    double mean[3])
{
    mean[0] = mean[1] = mean[2] = 0;
    if (!(to > from)) {
        add_wind_at(s, wind, from, 1, mean);
        return;
    }
    integrate_wind(s, wind, from, to, mean);
    for (int a = 0; a < 3; a++)
        mean[a] /= to - from;
}

void vt_set_wind(vt_simulation *s, double from, double to)
{
    double *const velocity = s->winds.velocity;
    if (vt_carry(s, from, to, velocity)) {
        for (int a = 0; a < 3 && to > from; a++)
            velocity[a] /= to - from;
        return;
    }
    memcpy(velocity, s->def.wind, sizeof s->def.wind);
    for (int32_t n = 0; n < s->winds.uniform_count; n++) {
        double mean[3];
        mean_of(s, &s->winds.uniform[n], from, to, mean);
        for (int a = 0; a < 3; a++)
            velocity[a] += mean[a];
    }
}

void vt_set_wind_grids(vt_simulation *s, double from, double to, const double shift[3])
{
    memcpy(s->winds.shift, shift, sizeof s->winds.shift);
    for (int32_t n = 0; n < s->winds.grid_count; n++) {
        vt_wind_grid *const grid = &s->winds.grids[n];
        vt_mean_of_track(&s->winds.strength[n], from, to, &grid->amplitude);
        if (grid->parent)
            grid->pose = vt_pose_at(&s->transforms, grid->parent, 0.5 * (from + to));
    }
}

void vt_add_winds_to_nodes(vt_simulation *s)
{
    for (int32_t n = 0; n < s->winds.grid_count; n++)
        vt_add_wind_to_nodes(&s->winds.grids[n], s->winds.shift, &s->grid, s->def.threads);
}

void vt_add_wind_grids(const vt_simulation *s, int64_t count, const float *points, float *velocity,
                       float *gradient)
{
    for (int32_t n = 0; n < s->winds.grid_count; n++)
        vt_add_wind_at(&s->winds.grids[n], s->winds.shift, count, points, velocity, gradient,
                       s->def.threads);
}

double vt_wind_gradient(const vt_simulation *s)
{
    double sum = 0;
    for (int32_t n = 0; n < s->winds.grid_count; n++)
        sum += s->winds.grids[n].largest_gradient * fabs(s->winds.grids[n].amplitude) /
               s->winds.grids[n].pose.scale;
    return sum;
}
