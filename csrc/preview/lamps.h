/* Fire as lamps that light the bodies of the preview. */
#pragma once

#include "preview/bricks.h"
#include "preview/fire.h"

enum { VT_MOST_LAMPS = 512, VT_MOST_LAMP_GROUPS = 32 };

typedef struct vt_lamp {
    float position[3]; /* m */
    int32_t group;
    f4 intensity; /* radiance x m^2: what it sends into a unit of solid angle; red green blue */
} vt_lamp;

typedef struct vt_lamps {
    vt_lamp *items; /* NULL: none */
    int32_t count, group_count;
    float radius;                         /* of a lamp, m: nearer than that it is no point */
    double group[VT_MOST_LAMP_GROUPS][3]; /* centres of lamps that are seen or hidden together, m */
    double center[3], reach;              /* of a ball around those centres, m */
} vt_lamps;

/* Of what glows in the bricks; none without fire. VT_OUT_OF_MEMORY; to be destroyed unless it
 * fails.
 */
vt_status vti_create_lamps(const vt_bricks *bricks, const vt_fire *fire, int threads,
                           vt_lamps *lamps);
void vti_destroy_lamps(vt_lamps *lamps);

/* Light that a white matt surface at a point (m) sends back, its normal of length 1. seen: share of
 * each group that nothing hides. */
f4 vti_lamp_light(const vt_lamps *lamps, const double point[3], const double normal[3],
                  const float *seen);
