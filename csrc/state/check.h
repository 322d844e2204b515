/* Values that a user may have written through views: looked at before a step moves anything. */
#ifndef VORTON_STATE_CHECK_H
#define VORTON_STATE_CHECK_H

#include "state/simulation.h"

/* VT_NOT_FINITE names column, row, id and value of the first one that is out of its range, in the
 * columns of the set of which views are out. Position and strength of the vortons are left to
 * vt_find_content, which reads them anyway. */
vt_status vt_check_columns(const vt_simulation *s, int set);

/* The same for the cores of the vortons alone, or for their swelling. */
vt_status vt_check_cores(const vt_simulation *s);
vt_status vt_check_swelling(const vt_simulation *s);

#endif
