/* The changes of the strengths that give their sums what these lack: the smallest ones, where each
 * is weighed by the square of its strength. */
#pragma once

#include "kernels/particles/invariant_sums.h"

/* How much there is to be of each kind of change, x: of the first `count` (3 or all) sums
 * missing[n] is made up for. moment: as in vt_invariants, the first > 0. */
void vti_find_changes(int count, const double moment[VT_MONOMIALS],
                      const double missing[VT_INVARIANTS], double x[VT_INVARIANTS]);
