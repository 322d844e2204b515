/* Values that a user may have written through views: looked at before a step moves anything. */
#pragma once

#include "vorton.h"

/* VT_NOT_FINITE names column, row, id and value of the first one that is out of its range, in the
 * columns of the set of which views are out. Position and strength of the vortons are left to
 * vti_find_extent, which reads them anyway. */
vt_status vti_check_columns(const vt_simulation *s, int set);

/* The same for the cores of the vortons alone, or for their swelling. */
vt_status vti_check_cores(const vt_simulation *s);
vt_status vti_check_swelling(const vt_simulation *s);

/* The same of all vortons: names the first. */
vt_status vti_check_warmth(const vt_simulation *s);
