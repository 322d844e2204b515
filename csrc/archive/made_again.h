/* Columns of the particles that an archive leaves out, since whoever loads a state makes them
 * again.
 *
 * What tracers take from the vortons around them follows from both, bit for bit: looked at when a
 * state is saved, since a view of it may have been written. Velocities of tracers are found anew by
 * the next step before it asks for them: once loaded, they are those of the time of the state, not
 * those of the last substep before it. Those of vortons stay: accelerations follow from them. */
#pragma once

#include "archive/state_fields.h"

/* Whether a state may ever do without a field. */
int vti_can_be_made_again(const vt_simulation *simulation, const vt_state_field *field);

/* Marks the fields of a list (made_again) that the state, as it now is, may do without. */
void vti_mark_made_again(vt_simulation *simulation, vt_state_list *list);

/* Makes the marked fields again, of which the state that was loaded has no numbers. Velocities are
 * 0 where the flow is one that the next step will refuse. Winds are then those of the time. */
void vti_make_again(vt_simulation *simulation, const vt_state_list *list);
