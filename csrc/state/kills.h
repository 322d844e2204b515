/* What is removed at the end of a step: particles past their lifetime, and what a kill names. */
#ifndef VORTON_STATE_KILLS_H
#define VORTON_STATE_KILLS_H

#include "state/shapes.h"
#include "vorton.h"

typedef struct vt_kill {
    vt_kill_def def; /* its shape is in the region */
    vt_animations animations;
    int32_t has_region, by_distance, by_speed; /* conditions */
    vt_region region;
} vt_kill;

typedef struct vt_kills {
    vt_kill *kill;
    int32_t count;
} vt_kills;

void vt_destroy_kills(vt_kills *kills);

/* Fills `to` with copies; on failure it is to be destroyed all the same. */
vt_status vt_copy_kills(const vt_kills *from, vt_kills *to);

/* Removes them from both sets; the others keep their order. */
void vt_remove_dead(vt_simulation *simulation);

#endif
