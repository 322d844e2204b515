/* The tracers of a simulation: their motion, and their order in memory. */
#pragma once

#include "model/time_scheme.h"

/* What a scheme whose last field does not do for all of it keeps of the tracers, in arena memory:
 * the rates (m/s) of the first stage and of the last one so far, for rows [0, count); those born
 * inside the substep have none. */
typedef struct vt_tracer_substep {
    int64_t count;
    float *first, *last; /* count x 3; NULL: nothing is kept */
} vt_tracer_substep;

void vti_make_tracer_substep(vt_simulation *s, vt_tracer_substep *work);

/* Rates of a stage, from the fields of now, at the places that lie a time `way` along the rates of
 * the stage before; 0: of the first stage. Without room for them nothing happens. */
void vti_keep_tracer_rates(vt_simulation *s, double way, vt_tracer_substep *work);

/* Advances all tracers by dt with the fields of the last stage of the substep and the rates that
 * are kept: inside the grid by the stage advect, outside it with the far field. Without rates the
 * last field, whose error is of second order, stands for the earlier ones. Without fields only the
 * wind moves them. start: a copy of their positions (count x 3, m); NULL where there are no bodies.
 */
void vti_move_tracers(vt_simulation *s, const vt_scheme *scheme, double dt, const float *start,
                      const vt_tracer_substep *work);

/* Puts the rows in the order of tiles of 8^3 cells, so that neighbours in memory sample the same
 * nodes; leaves them as they are while that order is good enough. Stable: rows of one tile keep
 * their order. */
void vti_sort_tracers(vt_simulation *s);
