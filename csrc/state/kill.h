/* Regions, ages and speeds at which particles are removed: the structs. */
#pragma once

#include "geometry/region.h"

typedef struct vt_kill {
    vt_kill_def def; /* its shape is in the region */
    vt_animations animations;
    int32_t has_region, by_distance, by_speed; /* conditions */
    int32_t id;
    vt_region region;
} vt_kill;

void vti_destroy_kill(vt_kill *kill);

typedef struct vt_kills {
    vt_kill *kill;
    int32_t count;
    int32_t made; /* ids in use so far */
} vt_kills;

void vti_destroy_kills(vt_kills *kills);

/* Fills `to` with copies; on failure it is to be destroyed all the same. */
vt_status vti_copy_kills(const vt_kills *from, vt_kills *to);
