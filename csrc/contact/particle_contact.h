/* Contact of vortons and tracers with bodies: none is ever inside a solid or outside a container.
 */
#pragma once

#include "vorton.h"

/* Where the rows of both sets were before they moved (count x 3, m), in arena memory; NULL: there
 * are no bodies. */
typedef struct vt_contacts {
    float *start[2];
} vt_contacts;

/* Removes what was born or added inside a solid or outside a container, of the rows of a set since
 * the last call; and all rows of both that the last body leaves no room. */
void vti_remove_embedded(vt_simulation *s, int set);
void vti_clear_last_body(vt_simulation *s);

/* Whether a set has rows that vti_remove_embedded has not looked at. */
int vti_has_unlooked(const vt_simulation *s, int set);

/* Before particles move by a substep, and after they have moved, with the wind: from s->time to
 * s->time + dt. */
void vti_begin_contact(vt_simulation *s, vt_contacts *contacts);
void vti_end_contact(vt_simulation *s, double dt, const vt_contacts *contacts);
