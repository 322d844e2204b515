#include "state/wind_at_time.h"

#include "state/container_frame.h"

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
    const vt_pose pose = vti_pose_at(&s->transforms, wind->parent, time);
    vt_evaluate_track(&wind->velocity, time, own);
    vti_pose_direction(&pose, own, turned);
    vti_add_scaled(sum, weight, turned);
}

static void integrate_wind(const vt_simulation *s, const vt_uniform_wind *wind, double from,
                           double to, double way[3])
{
    double own[3];
    if (!wind->turns) {
        vt_integrate_track(&wind->velocity, from, to, own);
        const vt_pose pose = vti_pose_at(&s->transforms, wind->parent, from);
        vti_pose_direction(&pose, own, way);
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

void vti_integrate_winds(const vt_simulation *s, double from, double to, double way[3])
{
    for (int a = 0; a < 3; a++)
        way[a] = s->def.wind[a] * (to - from);
    if (to != from && vti_carry(s, from, to, way))
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

void vti_set_wind(vt_simulation *s, double from, double to)
{
    double *const velocity = s->winds.velocity;
    if (vti_carry(s, from, to, velocity)) {
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

void vti_set_wind_grids(vt_simulation *s, double from, double to, const double shift[3])
{
    memcpy(s->winds.shift, shift, sizeof s->winds.shift);
    for (int32_t n = 0; n < s->winds.grid_count; n++) {
        vt_wind_grid *const grid = &s->winds.grids[n];
        vti_mean_of_track(&s->winds.strength[n], from, to, &grid->amplitude);
        if (grid->parent)
            grid->pose = vti_pose_at(&s->transforms, grid->parent, 0.5 * (from + to));
    }
}

void vti_add_winds_to_nodes(vt_simulation *s)
{
    for (int32_t n = 0; n < s->winds.grid_count; n++)
        vti_add_wind_to_nodes(&s->winds.grids[n], s->winds.shift, &s->grid, s->def.threads);
}

void vti_add_wind_grids(const vt_simulation *s, int64_t count, const float *points, float *velocity,
                        float *gradient)
{
    for (int32_t n = 0; n < s->winds.grid_count; n++)
        vti_add_wind_at(&s->winds.grids[n], s->winds.shift, count, points, velocity, gradient,
                        s->def.threads);
}

double vti_wind_gradient(const vt_simulation *s)
{
    double sum = 0;
    for (int32_t n = 0; n < s->winds.grid_count; n++)
        sum += s->winds.grids[n].largest_gradient * fabs(s->winds.grids[n].amplitude) /
               s->winds.grids[n].pose.scale;
    return sum;
}
