/* A smooth curve through given points: the cubic spline whose curvature is continuous (de Boor, A
 * Practical Guide to Splines, ch. IV), with the chord length as parameter; without curvature at
 * open ends. */
#pragma once

#include "vorton.h"

/* How much longer a line grows a unit of its parameter, m. */
typedef double vt_speed_function(const void *line, double at);

/* Arc length of a line between two values of its parameter, by Gauss's rule with four points. */
double vti_arc_length(vt_speed_function *speed, const void *line, double from, double to);

typedef struct vt_curve {
    int64_t pieces;
    int32_t closed;
    double *point;  /* (pieces + 1) x 3, m; the last of a closed curve is the first again */
    double *slope;  /* (pieces + 1) x 3: derivative by chord length */
    double *chord;  /* of each piece, m */
    double *before; /* arc length before each part of a piece, m: VT_CURVE_PARTS pieces + 1 */
} vt_curve;

enum { VT_CURVE_PARTS = 8 };

/* points: count x 3, m, neighbours different. On failure there is nothing to destroy. */
vt_status vti_create_curve(const double *points, int64_t count, int32_t closed, vt_curve *curve);
void vti_destroy_curve(vt_curve *curve);

double vti_curve_length(const vt_curve *curve);

/* Place at an arc length, unit tangent, and curvature vector (1/m). part is where the search
 * begins: 0, or what the call for a smaller length left there. */
void vti_curve_at(const vt_curve *curve, double length, int64_t *part, double place[3],
                  double tangent[3], double curvature[3]);
