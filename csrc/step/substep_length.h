/* How long a substep may be. */
#pragma once

#include "step/substep.h"

/* The velocity gradient beyond which the fastest lie, 1/s. */
double vti_fast_gradient(const vt_simulation *s);

/* The rest of the step in equal substeps, so that no vortex turns too far and no vorton leaves the
 * free margin of the grid before the last stage of the substep. The whole step is `step` s long. */
vt_status vti_choose_substep(vt_simulation *s, const vt_scheme *scheme, const vt_substep *w,
                             double step, double remaining, double *dt);
