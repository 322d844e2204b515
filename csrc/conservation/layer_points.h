/* Where bodies shed their layers: at the centroids of panels, or of equal parts of wide ones.
 *
 * A panel sheds its layer as vortons. One vorton for a panel wider than some cores is a lump that
 * turns faster than the layer would, drives what is around it away, and feeds on the slip that it
 * makes beside itself: of more square cores than 16 it turns as fast as the layer slips. Where
 * bodies or a wind stir the fluid, wakes are needed: panels are cut as often along each side as
 * keeps the parts within that, unless the body would have more points than vortons can tell
 * (VT_PANEL_NUMBERS). Where nothing stirs it, the flow is small beside such a wall: its points are
 * the centroids of its panels. */
#pragma once

#include "vorton.h"

typedef struct vt_layer_point {
    double place[3]; /* in the space of the body */
    double area;     /* of the part of its panel around it, m^2 */
    int32_t panel;
} vt_layer_point;

/* Area, m^2, of a part as large as parts may be to shed all of their layer; of a part of twice that
 * nothing is left (conservation/surface_slip.h). */
double vti_widest_point(const vt_simulation *s);

/* The area, m^2, that parts of the panels of a body do not exceed; INFINITY: they are not cut. */
double vti_area_of_points(const vt_simulation *s, int32_t body);

/* How often each side of a panel of so many m^2 is cut: the square is the number of its points. */
int vti_cuts_of_layer(double area, double area_of_points);

/* How many points a body has in all. */
int64_t vti_count_points(const vt_simulation *s, int32_t body);

/* Fills the points of a body, panel by panel. */
void vti_find_points(const vt_simulation *s, int32_t body, vt_layer_point *point);
