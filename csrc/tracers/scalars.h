/* What tracers take from the vortons around them: the mean of the scalars at the nodes
 * (kernels/grid/scalar_means.c), interpolated. Nodes that no vorton reaches, and all beyond the
 * grid, are ambient. */
#pragma once

#include "vorton.h"

int64_t vti_append_tracers(vt_simulation *simulation, int64_t count, const float *position,
                           const float *density, const float *size);

/* Begins to keep a column of the tracers up to date, filled with what it should hold now. */
void vti_use_tracer_column(vt_simulation *simulation, int column);

/* What the tracers take from the vortons of now, in those of these columns that are used:
 * temperature, fuel, flame and smoke of the fluid around them. Where tracers burn by themselves
 * (method.flames own) their shares burn on to the time of now. */
void vti_find_tracer_scalars(vt_simulation *s);

/* The same, but that nothing burns: shares that tracers have of their own stay as they are. */
void vti_take_tracer_scalars(vt_simulation *s);

/* What a user wrote into the temperature of tracers becomes their own (warmth): it shows until that
 * of the vortons around differs more from the ambient one. Checked before a step: VT_NOT_FINITE
 * names the first bad value; taken once its first substep is sure to be done. Temperatures are
 * compared with those that the library left, from when vti_note_temperature was first called. */
vt_status vti_check_written(const vt_simulation *s);
void vti_take_written(vt_simulation *s);
int vti_is_temperature_written(const vt_simulation *s);

/* Notes the temperatures of now as those that the library left; once called, what it writes itself
 * is noted as it is written. */
void vti_note_temperature(vt_simulation *s);
