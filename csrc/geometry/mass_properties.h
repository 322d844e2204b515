/* Volume, centre and second moments of solids and of what several fill together; points that stand
 * for the volume. All in the space of the body, m. */
#pragma once

#include "geometry/convex_solid.h"

typedef struct vt_mass_properties {
    double volume;       /* m^3 */
    double center[3];    /* m */
    double spread[3][3]; /* integral of d d^T with d the way from the centre, m^5 */
} vt_mass_properties;

/* Of the union: exact where solids do not overlap; what two of them share is found with some
 * 30 000 points, to some tenths of a percent of it. */
vt_mass_properties vti_mass_properties_of_union(const vt_solid *solids, int32_t count);

/* Fills points in the union, evenly spread, whose mean and second moments are those of the bulk:
 * equal weights then integrate quadratic functions exactly. Points beside the surface may lie a
 * little outside. Returns how many there are: fewer where the solids fill too little of the box
 * around them, at least 1. */
int32_t vti_fill_union(const vt_solid *solids, int32_t count, const vt_mass_properties *bulk,
                       int32_t most, double (*points)[3]);
