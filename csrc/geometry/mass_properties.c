/* Integrals over polytopes are sums over tetrahedra from the centre to triangles of the faces, each
 * V / 20 (s s^T + sum of u u^T) with u its three edges from there and s their sum. Points are those
 * of the additive sequence of the plastic number's kin (Roberts 2018), which fill a box evenly. */
#include "geometry/mass_properties.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

enum { OVERLAP_TRIES = 1 << 16, MOST_TRIES = 1 << 20 };

/* ---- one solid ---- */

/* spread += factor a a^T */
static void add_square(double spread[3][3], double factor, const double a[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            spread[i][j] += factor * a[i] * a[j];
}

static void add_tetrahedron(vt_mass_properties *bulk, const double u[3][3])
{
    double normal[3], sum[3] = {0, 0, 0};
    vti_cross(u[1], u[2], normal);
    const double volume = vti_dot(u[0], normal) / 6;
    for (int n = 0; n < 3; n++) {
        add_square(bulk->spread, volume / 20, u[n]);
        vti_add_scaled(sum, 1, u[n]);
    }
    add_square(bulk->spread, volume / 20, sum);
}

static void add_polytope(vt_mass_properties *bulk, const vt_polytope *p)
{
    for (int32_t f = 0; f < p->face_count; f++)
        for (int32_t n = p->first[f] + 1; n + 1 < p->first[f + 1]; n++) {
            const int32_t corners[3] = {p->corner[p->first[f]], p->corner[n], p->corner[n + 1]};
            double u[3][3];
            for (int e = 0; e < 3; e++)
                for (int c = 0; c < 3; c++)
                    u[e][c] = p->vertex[corners[e]][c] - bulk->center[c];
            add_tetrahedron(bulk, (const double (*)[3])u);
        }
}

/* Of a ball, a capsule (cylinder and two half balls at its ends) or a disk: integrals of the square
 * of the way along the axis, and of that along one direction across. */
static void add_round(vt_mass_properties *bulk, const vt_solid *solid)
{
    const double r = solid->radius, h = solid->half;
    const double ball = solid->kind == VT_SHAPE_DISK ? 0 : 4.0 / 3 * VT_PI * r * r * r;
    const double tube = solid->kind == VT_SHAPE_SPHERE ? 0 : 2 * VT_PI * r * r * h;
    const double end = solid->kind == VT_SHAPE_CAPSULE ? h : 0;
    const double along = tube * h * h / 3 + ball * (end * end + 0.75 * end * r + r * r / 5);
    const double across = tube * r * r / 4 + ball * r * r / 5;
    for (int c = 0; c < 3; c++)
        bulk->spread[c][c] += across;
    add_square(bulk->spread, along - across, solid->axis);
}

/* Of a solid of finite size: exact. */
static vt_mass_properties mass_properties_of_solid(const vt_solid *solid)
{
    vt_mass_properties bulk = {.volume = solid->volume};
    memcpy(bulk.center, solid->center, sizeof bulk.center);
    if (solid->kind == VT_SHAPE_POLYTOPE)
        add_polytope(&bulk, &solid->polytope);
    else
        add_round(&bulk, solid);
    return bulk;
}

/* ---- points ---- */

static int is_in(const vt_solid *solid, const double point[3])
{
    const double far = solid->circumscribed * solid->circumscribed;
    return vti_square_between(point, solid->center) <= far &&
           vti_solid_distance(solid, point, NULL) < 0;
}

static int is_in_any(const vt_solid *solids, int32_t count, const double point[3])
{
    for (int32_t n = 0; n < count; n++)
        if (is_in(&solids[n], point))
            return 1;
    return 0;
}

static void bound_solid(const vt_solid *solid, double lower[3], double upper[3])
{
    for (int c = 0; c < 3; c++) {
        const double a = solid->axis[c], r = solid->radius;
        double reach = r;
        if (solid->kind == VT_SHAPE_CAPSULE)
            reach = r + vti_abs(a) * solid->half;
        else if (solid->kind == VT_SHAPE_DISK)
            reach = r * vti_sqrt(fmax(0, 1 - a * a)) + vti_abs(a) * solid->half;
        lower[c] = solid->center[c] - reach;
        upper[c] = solid->center[c] + reach;
        for (int32_t v = 0; v < solid->polytope.vertex_count; v++) {
            const double at = solid->polytope.vertex[v][c];
            lower[c] = v == 0 ? at : fmin(lower[c], at);
            upper[c] = v == 0 ? at : fmax(upper[c], at);
        }
    }
}

static void bound_union(const vt_solid *solids, int32_t count, double lower[3], double upper[3])
{
    bound_solid(&solids[0], lower, upper);
    for (int32_t n = 1; n < count; n++) {
        double least[3], most[3];
        bound_solid(&solids[n], least, most);
        vti_add_to_box(least, lower, upper);
        vti_add_to_box(most, lower, upper);
    }
}

/* The next point of the sequence in a unit cube, which begins in its middle. */
static void step_on(double at[3])
{
    static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    for (int c = 0; c < 3; c++) {
        at[c] += step[c];
        at[c] -= at[c] >= 1 ? 1 : 0;
    }
}

static void place_in_box(const double at[3], const double lower[3], const double upper[3],
                         double point[3])
{
    for (int c = 0; c < 3; c++)
        point[c] = lower[c] + at[c] * (upper[c] - lower[c]);
}

/* Points in the union, at most `most`. */
static int32_t find_points(const vt_solid *solids, int32_t count, int32_t most, double (*points)[3])
{
    double lower[3], upper[3], at[3] = {0.5, 0.5, 0.5};
    int32_t found = 0;
    bound_union(solids, count, lower, upper);
    for (int32_t tries = 0; tries < MOST_TRIES && found < most; tries++) {
        step_on(at);
        place_in_box(at, lower, upper, points[found]);
        found += is_in_any(solids, count, points[found]);
    }
    return found;
}

/* ---- several solids ---- */

/* From sums over a volume about the origin of the centre and back. */
static void shift(vt_mass_properties *bulk, double sign)
{
    add_square(bulk->spread, sign * bulk->volume, bulk->center);
}

static int overlaps_any(const vt_solid *solids, int32_t n)
{
    for (int32_t m = 0; m < n; m++) {
        const double touch = solids[m].circumscribed + solids[n].circumscribed;
        if (vti_square_between(solids[m].center, solids[n].center) < touch * touch)
            return 1;
    }
    return 0;
}

/* Takes from sums about the origin what solid n shares with those before it. */
static void subtract_shared(const vt_solid *solids, int32_t n, vt_mass_properties *sum,
                            double first[3])
{
    double lower[3], upper[3], at[3] = {0.5, 0.5, 0.5};
    double shared_first[3] = {0}, shared_second[3][3] = {{0}};
    int32_t in = 0, shared = 0;
    if (!overlaps_any(solids, n))
        return;
    bound_solid(&solids[n], lower, upper);
    for (int32_t tries = 0; tries < OVERLAP_TRIES; tries++) {
        double point[3];
        step_on(at);
        place_in_box(at, lower, upper, point);
        if (!is_in(&solids[n], point))
            continue;
        in++;
        if (!is_in_any(solids, n, point))
            continue;
        shared++;
        vti_add_scaled(shared_first, 1, point);
        add_square(shared_second, 1, point);
    }
    const double weight = -solids[n].volume / (in > 0 ? in : 1);
    sum->volume += weight * shared;
    vti_add_scaled(first, weight, shared_first);
    for (int i = 0; i < 3; i++)
        vti_add_scaled(sum->spread[i], weight, shared_second[i]);
}

vt_mass_properties vti_mass_properties_of_union(const vt_solid *solids, int32_t count)
{
    double first[3] = {0, 0, 0};
    vt_mass_properties sum = {.volume = 0};
    if (count == 1)
        return mass_properties_of_solid(solids);
    for (int32_t n = 0; n < count; n++) {
        vt_mass_properties own = mass_properties_of_solid(&solids[n]);
        shift(&own, 1);
        sum.volume += own.volume;
        vti_add_scaled(first, own.volume, own.center);
        for (int i = 0; i < 3; i++)
            vti_add_scaled(sum.spread[i], 1, own.spread[i]);
        subtract_shared(solids, n, &sum, first);
    }
    for (int c = 0; c < 3; c++)
        sum.center[c] = first[c] / sum.volume;
    shift(&sum, -1);
    return sum;
}

/* ---- points that stand for the volume ---- */

/* Lower triangle l with l l^T = m; 0 where m is not positive. */
static int factor(const double m[3][3], double l[3][3])
{
    memset(l, 0, 9 * sizeof(double));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double rest = m[i][j];
            for (int k = 0; k < j; k++)
                rest -= l[i][k] * l[j][k];
            if (i == j && !(rest > 1e-12 * m[i][i]))
                return 0;
            l[i][j] = i == j ? vti_sqrt(rest) : rest / l[j][j];
        }
    return 1;
}

/* From ways with the second moments of one factor to those of another. */
static void stretch_way(const double from[3][3], const double to[3][3], double way[3])
{
    double unit[3];
    for (int i = 0; i < 3; i++) {
        unit[i] = way[i];
        for (int k = 0; k < i; k++)
            unit[i] -= from[i][k] * unit[k];
        unit[i] /= from[i][i];
    }
    for (int i = 0; i < 3; i++) {
        way[i] = 0;
        for (int k = 0; k <= i; k++)
            way[i] += to[i][k] * unit[k];
    }
}

int32_t vti_fill_union(const vt_solid *solids, int32_t count, const vt_mass_properties *bulk,
                       int32_t most, double (*points)[3])
{
    double mean[3] = {0, 0, 0}, have[3][3] = {{0}}, want[3][3], from[3][3], to[3][3];
    const int32_t found = find_points(solids, count, most, points);
    if (found == 0) {
        memcpy(points[0], bulk->center, sizeof points[0]);
        return 1;
    }
    for (int32_t i = 0; i < found; i++)
        vti_add_scaled(mean, 1.0 / found, points[i]);
    for (int32_t i = 0; i < found; i++) {
        vti_add_scaled(points[i], -1, mean);
        add_square(have, 1.0 / found, points[i]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            want[i][j] = bulk->spread[i][j] / bulk->volume;
    const int both =
        factor((const double (*)[3])have, from) && factor((const double (*)[3])want, to);
    for (int32_t i = 0; i < found; i++) {
        if (both)
            stretch_way((const double (*)[3])from, (const double (*)[3])to, points[i]);
        vti_add_scaled(points[i], 1, bulk->center);
    }
    return found;
}
