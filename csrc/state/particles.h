/* Rows of the column sets, for the functions of state/ and step.c; all inside vt_enter. */
#ifndef VORTON_STATE_PARTICLES_H
#define VORTON_STATE_PARTICLES_H

#include "state/simulation.h"

/* Removes the rows where mask is not 0; the others keep their order. */
void vt_remove_rows(vt_simulation *simulation, int set, const uint8_t *mask);

/* Begins to keep a column of the tracers up to date, filled with what it should hold now. */
void vt_use_tracer_column(vt_simulation *simulation, int column);

#endif
