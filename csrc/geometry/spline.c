#include "geometry/spline.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"

#include <string.h>

/* Every sweep leaves at most a quarter of the error: the system is dominated by its diagonal. */
enum { SWEEPS = 40 };

double vti_arc_length(vt_speed_function *speed, const void *line, double from, double to)
{
    static const double node[2] = {0.33998104358485626480, 0.86113631159405257522};
    static const double weight[2] = {0.65214515486254614263, 0.34785484513745385737};
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = 0.0;
    for (int i = 0; i < 2; i++)
        sum += weight[i] *
               (speed(line, middle - half * node[i]) + speed(line, middle + half * node[i]));
    return sum * half;
}

/* Place on a piece at t = 0 .. 1, and both derivatives by chord length. */
static void piece_at(const vt_curve *curve, int64_t piece, double t, double place[3],
                     double slope[3], double second[3])
{
    const double *const p = curve->point + 3 * piece, *const m = curve->slope + 3 * piece;
    const double h = curve->chord[piece];
    for (int c = 0; c < 3; c++) {
        const double rise = p[3 + c] - p[c];
        const double b = 3.0 * rise - h * (2.0 * m[c] + m[3 + c]);
        const double a = h * (m[c] + m[3 + c]) - 2.0 * rise;
        place[c] = p[c] + t * (h * m[c] + t * (b + t * a));
        slope[c] = (h * m[c] + t * (2.0 * b + t * 3.0 * a)) / h;
        second[c] = (2.0 * b + t * 6.0 * a) / (h * h);
    }
}

static double speed_at(const vt_curve *curve, int64_t piece, double t)
{
    double place[3], slope[3], second[3];
    piece_at(curve, piece, t, place, slope, second);
    return curve->chord[piece] * vti_sqrt(vti_dot(slope, slope));
}

typedef struct curve_piece {
    const vt_curve *curve;
    int64_t piece;
} curve_piece;

static double speed_on_piece(const void *line, double t)
{
    const curve_piece *const on = line;
    return speed_at(on->curve, on->piece, t);
}

static double length_between(const vt_curve *curve, int64_t piece, double from, double to)
{
    const curve_piece on = {curve, piece};
    return vti_arc_length(speed_on_piece, &on, from, to);
}

/* ---- the spline ---- */

/* The slope at a point for which the curvature is continuous there, from those of its neighbours.
 */
static void balance_slope(vt_curve *curve, int64_t n)
{
    const int64_t pieces = curve->pieces, last = n == pieces ? pieces - 1 : n;
    const int64_t left = n > 0 ? n - 1 : curve->closed ? pieces - 1 : -1;
    double *const m = curve->slope;
    const double *const p = curve->point, *const h = curve->chord;
    for (int c = 0; c < 3; c++) {
        const double rise = (p[3 * (last + 1) + c] - p[3 * last + c]) / h[last];
        if (left < 0)
            m[c] = 0.5 * (3.0 * rise - m[3 + c]);
        else if (n == pieces)
            m[3 * n + c] = 0.5 * (3.0 * rise - m[3 * last + c]);
        else {
            const double fall = (p[3 * (left + 1) + c] - p[3 * left + c]) / h[left];
            m[3 * n + c] = (3.0 * (h[n] * fall + h[left] * rise) - h[n] * m[3 * left + c] -
                            h[left] * m[3 * (n + 1) + c]) /
                           (2.0 * (h[left] + h[n]));
        }
    }
}

static void find_slopes(vt_curve *curve)
{
    const int64_t pieces = curve->pieces, points = curve->closed ? pieces : pieces + 1;
    memset(curve->slope, 0, sizeof(double) * (size_t)(3 * (pieces + 1)));
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int64_t n = 0; n < points; n++) {
            balance_slope(curve, n);
            if (n == 0 && curve->closed)
                memcpy(curve->slope + 3 * pieces, curve->slope, sizeof(double[3]));
        }
}

static void find_lengths(vt_curve *curve)
{
    double sum = 0.0;
    for (int64_t part = 0; part < VT_CURVE_PARTS * curve->pieces; part++) {
        const double from = (double)(part % VT_CURVE_PARTS) / VT_CURVE_PARTS;
        curve->before[part] = sum;
        sum += length_between(curve, part / VT_CURVE_PARTS, from, from + 1.0 / VT_CURVE_PARTS);
    }
    curve->before[VT_CURVE_PARTS * curve->pieces] = sum;
}

vt_status vti_create_curve(const double *points, int64_t count, int32_t closed, vt_curve *curve)
{
    const int64_t pieces = closed ? count : count - 1;
    const size_t vectors = sizeof(double[3]) * (size_t)(pieces + 1);
    *curve = (vt_curve){.pieces = pieces, .closed = closed};
    curve->point = vti_allocate(vectors);
    curve->slope = vti_allocate(vectors);
    curve->chord = vti_allocate(sizeof(double) * (size_t)pieces);
    curve->before = vti_allocate(sizeof(double) * (size_t)(VT_CURVE_PARTS * pieces + 1));
    if (!curve->point || !curve->slope || !curve->chord || !curve->before) {
        vti_destroy_curve(curve);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a curve of %lld points", (long long)count);
    }
    memcpy(curve->point, points, sizeof(double[3]) * (size_t)count);
    if (closed)
        memcpy(curve->point + 3 * pieces, points, sizeof(double[3]));
    for (int64_t i = 0; i < pieces; i++) {
        double way[3] = {0};
        vti_add_scaled(way, 1.0, curve->point + 3 * (i + 1));
        vti_add_scaled(way, -1.0, curve->point + 3 * i);
        curve->chord[i] = vti_sqrt(vti_dot(way, way));
    }
    find_slopes(curve);
    find_lengths(curve);
    return VT_OK;
}

void vti_destroy_curve(vt_curve *curve)
{
    vti_free(curve->point);
    vti_free(curve->slope);
    vti_free(curve->chord);
    vti_free(curve->before);
    *curve = (vt_curve){0};
}

/* ---- along the curve ---- */

double vti_curve_length(const vt_curve *curve)
{
    return curve->before[VT_CURVE_PARTS * curve->pieces];
}

void vti_curve_at(const vt_curve *curve, double length, int64_t *part, double place[3],
                  double tangent[3], double curvature[3])
{
    double slope[3], second[3];
    while (*part + 1 < VT_CURVE_PARTS * curve->pieces && curve->before[*part + 1] <= length)
        ++*part;
    const int64_t piece = *part / VT_CURVE_PARTS;
    const double start = (double)(*part % VT_CURVE_PARTS) / VT_CURVE_PARTS;
    const double rest = length - curve->before[*part];
    double t = start + rest / (curve->before[*part + 1] - curve->before[*part]) / VT_CURVE_PARTS;
    for (int newton = 0; newton < 4; newton++)
        t -= (length_between(curve, piece, start, t) - rest) / speed_at(curve, piece, t);
    piece_at(curve, piece, t, place, slope, second);
    const double square = vti_dot(slope, slope), along = vti_dot(slope, second) / square;
    for (int c = 0; c < 3; c++) {
        tangent[c] = slope[c] / vti_sqrt(square);
        curvature[c] = (second[c] - along * slope[c]) / square;
    }
}
