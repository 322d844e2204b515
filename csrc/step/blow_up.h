/* A step that would need too many substeps: where in space the flow has blown up, what is near
 * there, and what to change. */
#pragma once

#include "state/simulation.h"
#include "step/substep.h"

enum { VT_MOST_SUBSTEPS = 4096 }; /* most in one step: beyond, the flow has blown up */

/* What sets the length of a substep. */
typedef enum vt_substep_limit {
    VT_LIMIT_NONE,
    VT_LIMIT_GRADIENT,  /* turn of the vortons by the velocity gradient */
    VT_LIMIT_PULL,      /* fall by buoyancy */
    VT_LIMIT_FORCE,     /* push of a force on fluid at rest */
    VT_LIMIT_SPEED,     /* way of the vortons through the grid */
    VT_LIMIT_PANELS,    /* walls of bodies */
    VT_LIMIT_DIFFUSION, /* of vorticity or heat */
    VT_LIMIT_TURN       /* rotation of a body */
} vt_substep_limit;

/* A step with `remaining` seconds to go has blown up: VT_BLOWN_UP, the record of vt_get_blow_up,
 * and a message that names both. w: the substep, with the field of its records; NULL: between
 * two substeps. */
vt_status vti_blow_up(vt_simulation *s, const vt_substep *w, vt_substep_limit limit,
                      double remaining);

/* The same where a value of a column is no number any more, which the message of the thread
 * names. */
vt_status vti_blow_up_to_nan(vt_simulation *s);
