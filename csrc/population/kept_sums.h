/* Sums over the strengths that merging keeps, and that the impulse correction restores. */
#pragma once

#include "kernels/particles/invariant_sums.h"
#include "model/impulse.h"

/* Sums of |alpha|. */
typedef struct vt_strength_sizes {
    double all, shed; /* shed: of vortons that bodies have shed */
} vt_strength_sizes;

vt_strength_sizes vti_sum_sizes(vt_simulation *s);

vt_invariants vti_sum_invariants(vt_simulation *s, const vt_frame *frame, int degree);

/* Makes the sums over other strengths of the vortons (by row, m^3/s) those given, by the least
 * change, where that is less than `most` of them in the mean. The frame needs no cap. */
void vti_make_sums(vt_simulation *s, float *strength, const vt_frame *frame, double most,
                   const double sum[VT_INVARIANTS]);

/* Frame of the sums: that of the grid, or, without a grid, around the vortons. */
vt_frame vti_frame_of_now(vt_simulation *s);

/* Sums over the vortons before a change, which are to be restored after it. */
typedef struct vt_balance {
    int kept;      /* how many of the sums are kept: 0, 3 (of strengths) or all */
    double share;  /* of the impulse that is missing the vortons get back; bodies owe the rest */
    double closed; /* how much of the strength is that of closed vortex lines, 0 to 1 */
    const vt_impulse *buoyant; /* impulse by density differences in the substep, about the
                                  origin; NULL: the weight of the vortons is summed */
    int restored; /* all sums that are kept were restored, not that of strengths alone */
    vt_frame frame;
    double sum[VT_INVARIANTS];    /* m^3/s, x in units of the length of the frame */
    double weight[VT_INVARIANTS]; /* of these what the weight of the vortons gives in the substep */
} vt_balance;

void vti_share_out(vt_simulation *s, double most, vt_balance *balance, const vt_invariants *now);

void vti_note_sums(vt_simulation *s, vt_balance *balance);

/* Around a change of the population, which moves nothing: whatever the method, the vortons that are
 * left get all the sums back, as long as that changes them by less than a tenth in the mean. */
void vti_open_sums(vt_simulation *s, const vt_extent *content, vt_balance *balance);
void vti_close_sums(vt_simulation *s, vt_balance *balance);
