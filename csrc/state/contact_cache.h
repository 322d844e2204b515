/* The lattice of contact for bodies that all rest: the same from substep to substep. */
#pragma once

#include "base/arena.h"
#include "kernels/bodies/contact_broad_phase.h"
#include "model/pose.h"

typedef struct vt_kept_lattice {
    vt_arena arena; /* what it lies in */
    int32_t count;  /* of bodies, which are only ever added; 0: there is none */
    vt_pose *pose;  /* of each */
    vt_lattice placed, filled;
    int32_t *near; /* numbers of the walls of each cell */
} vt_kept_lattice;
