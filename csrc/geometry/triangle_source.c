#include "geometry/triangle_source.h"

#include <math.h>

#include "base/vec3.h"

/* What velocity and potential share: of each side the logarithm and the normal within the plane, of
 * the whole the solid angle. */
typedef struct view {
    double way[3][3]; /* from x to the corners */
    double length[3]; /* of those */
    double logarithm[3], outward[3][3], angle;
} view;

static void look_at_corners(vt_triangle corner, const double x[3], view *v)
{
    for (int k = 0; k < 3; k++) {
        vti_subtract(corner[k], x, v->way[k]);
        v->length[k] = vti_sqrt(vti_dot(v->way[k], v->way[k]));
    }
}

/* Van Oosterom & Strackee 1983; > 0 where the normal points to. */
static double angle_of(const view *v, const double normal[3])
{
    const double *const length = v->length;
    double cross[3];
    vti_cross(v->way[1], v->way[2], cross);
    const double above = vti_abs(vti_dot(v->way[0], cross));
    const double below =
        length[0] * length[1] * length[2] + vti_dot(v->way[0], v->way[1]) * length[2] +
        vti_dot(v->way[1], v->way[2]) * length[0] + vti_dot(v->way[2], v->way[0]) * length[1];
    const double angle = 2 * vti_atan2(above, below);
    return vti_dot(v->way[0], normal) < 0 ? angle : -angle;
}

static view look_at(vt_triangle corner, const double normal[3], const double x[3])
{
    view v;
    look_at_corners(corner, x, &v);
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        double side[3];
        vti_subtract(corner[next], corner[k], side);
        const double size = vti_normalise(side), sum = v.length[k] + v.length[next];
        vti_cross(side, normal, v.outward[k]);
        v.logarithm[k] = vti_log((sum + size) / fmax(sum - size, 1e-9 * size));
    }
    v.angle = angle_of(&v, normal);
    return v;
}

double vti_triangle_flux(vt_triangle corner, const double normal[3], const double x[3])
{
    view v;
    look_at_corners(corner, x, &v);
    return -angle_of(&v, normal) / (4 * VT_PI);
}

void vti_triangle_velocity(vt_triangle corner, const double normal[3], const double x[3],
                           double u[3])
{
    const view v = look_at(corner, normal, x);
    for (int c = 0; c < 3; c++)
        u[c] = v.angle * normal[c];
    for (int k = 0; k < 3; k++)
        vti_add_scaled(u, v.logarithm[k], v.outward[k]);
    for (int c = 0; c < 3; c++)
        u[c] /= 4 * VT_PI;
}

double vti_triangle_potential(vt_triangle corner, const double normal[3], const double x[3])
{
    const view v = look_at(corner, normal, x);
    double sum = vti_dot(v.way[0], normal) * v.angle;
    for (int k = 0; k < 3; k++)
        sum += vti_dot(v.way[k], v.outward[k]) * v.logarithm[k];
    return -sum / (4 * VT_PI);
}
