/* Vectors of three doubles for geometry that runs once: shapes, rings. */
#pragma once

#include <math.h>

#include "base/math_double.h"

/* Lengths and coordinates may be this small and this large, m. */
#define VT_LEAST_LENGTH 1e-9
#define VT_MOST_LENGTH 1e9

/* Half the diagonal of a cube of side 1, rounded up: all of a cell is that near to its centre. */
#define VT_HALF_DIAGONAL 0.87

static inline double vti_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void vti_cross(const double a[3], const double b[3], double result[3])
{
    const double x = a[1] * b[2] - a[2] * b[1];
    const double y = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
    result[0] = x;
    result[1] = y;
}

/* The cross product of the sides of a triangle from a to b and to c: normal to it, and twice its
 * area long. */
static inline void vti_cross_of_sides(const double a[3], const double b[3], const double c[3],
                                      double result[3])
{
    const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double ac[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    vti_cross(ab, ac, result);
}

static inline double vti_triangle_area(double (*corner)[3])
{
    double normal[3];
    vti_cross_of_sides(corner[0], corner[1], corner[2], normal);
    return 0.5 * vti_sqrt(vti_dot(normal, normal));
}

/* Square of the distance between two points. */
static inline double vti_square_between(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static inline void vti_subtract(const double a[3], const double b[3], double result[3])
{
    for (int c = 0; c < 3; c++)
        result[c] = a[c] - b[c];
}

/* The point of the straight line from a to b at a share of the way. */
static inline void vti_point_between(const double a[3], const double b[3], double share,
                                     double result[3])
{
    for (int c = 0; c < 3; c++)
        result[c] = a[c] + share * (b[c] - a[c]);
}

/* a += factor b */
static inline void vti_add_scaled(double a[3], double factor, const double b[3])
{
    for (int c = 0; c < 3; c++)
        a[c] += factor * b[c];
}

/* Makes a a unit vector and returns its length; a vector of length 0 stays as it is. Scaled first,
 * so that no finite length over- or underflows. */
static inline double vti_normalise(double a[3])
{
    double largest = 0.0;
    for (int c = 0; c < 3; c++)
        largest = vti_abs(a[c]) > largest ? vti_abs(a[c]) : largest;
    if (!(largest > 0.0))
        return 0.0;
    for (int c = 0; c < 3; c++)
        a[c] /= largest;
    const double length = vti_sqrt(vti_dot(a, a));
    for (int c = 0; c < 3; c++)
        a[c] /= length;
    return largest * length;
}

/* A unit vector normal to the unit vector axis: hint without its part along axis or, where nothing
 * is left of that (then 0 is returned, else 1), the same of the coordinate axis farthest from it.
 */
static inline int vti_normal_to(const double axis[3], const double hint[3], double normal[3])
{
    int least = 0;
    for (int c = 0; c < 3; c++) {
        least = vti_abs(axis[c]) < vti_abs(axis[least]) ? c : least;
        normal[c] = hint[c];
    }
    if (vti_normalise(normal) > 0.0) {
        vti_add_scaled(normal, -vti_dot(normal, axis), axis);
        if (vti_normalise(normal) > 1e-6)
            return 1;
    }
    for (int c = 0; c < 3; c++)
        normal[c] = c == least;
    vti_add_scaled(normal, -vti_dot(normal, axis), axis);
    vti_normalise(normal);
    return 0;
}

/* A box that holds nothing, from one corner to the other; and one that holds a point, too. */
static inline void vti_empty_box(double lower[3], double upper[3])
{
    for (int c = 0; c < 3; c++) {
        lower[c] = INFINITY;
        upper[c] = -INFINITY;
    }
}

static inline void vti_add_to_box(const double point[3], double lower[3], double upper[3])
{
    for (int c = 0; c < 3; c++) {
        lower[c] = fmin(lower[c], point[c]);
        upper[c] = fmax(upper[c], point[c]);
    }
}

/* A row of three floats as doubles, and back. */
static inline void vti_widen(const float *row, double vector[3])
{
    for (int c = 0; c < 3; c++)
        vector[c] = (double)row[c];
}

static inline void vti_narrow(const double vector[3], float *row)
{
    for (int c = 0; c < 3; c++)
        row[c] = (float)vector[c];
}

/* |a| of a row of three floats. */
static inline double vti_length_of(const float *a)
{
    const double x = (double)a[0], y = (double)a[1], z = (double)a[2];
    return vti_sqrt(x * x + y * y + z * z);
}

/* x with matrix x = right, by Cramer's rule; 0: the matrix is singular, and x as it was. */
int vti_solve_three(const double matrix[3][3], const double right[3], double x[3]);

/* The rotation of a unit quaternion. */
void vti_quaternion_matrix(const double q[4], double m[3][3]);
