/* Gas that burns needs room: in a closed container it cannot expand. */
#pragma once

#include "state/body.h"

/* VT_INVALID_ARGUMENT where gas of a source would burn and expand with method.expansion while a
 * container of the bodies is closed: the fluid within cannot be pressed together, and its pressure
 * is not simulated. A container is closed by any shape but planes. Gas that is born warm is let in:
 * it swells once, at birth, and what cools takes that back. The source carries `members`
 * (vti_fluid_members) and is number `number` of its kind, `what`. */
vt_status vti_check_space_to_burn(const vt_simulation *s, uint32_t members, const char *what,
                                  int32_t number);

/* The same of a body that is to be added, for all sources. */
vt_status vti_check_space_in_body(const vt_simulation *s, const vt_body *body);

/* The same of fuel that vortons have by now, whoever gave it to them; names the first. */
vt_status vti_check_fuel_in_containers(const vt_simulation *s);

/* The same of gas that becomes warmer without burning: a body that exchanges heat, or temperatures
 * that were written, by more than a thousandth of the volume. */
vt_status vti_check_heat_in_containers(const vt_simulation *s);
