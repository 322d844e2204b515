/* What vorticity that moves by itself keeps, and discrete vortons lose. */
#ifndef VORTON_BALANCE_H
#define VORTON_BALANCE_H

#include "content.h"
#include "stages/invariants.h"
#include "state/simulation.h"

/* What the vortons had before a substep. */
typedef struct vt_balance {
    int kept; /* how many of the sums are kept: 0, 3 (of strengths) or all */
    /* of what else is missing: strength that bodies have not shed gets it back, they owe the rest
     */
    double share;
    double closed;             /* how much of the strength is that of closed vortex lines, 0 to 1 */
    const vt_impulse *buoyant; /* what density differences give in the substep, about the origin;
                                  NULL: what the vortons weigh */
    int restored;              /* what is missing has been given back, as far as it is to be */
    vt_frame frame;
    double sum[VT_INVARIANTS]; /* m^3/s, x in units of the length of the frame */
} vt_balance;

/* Whether nothing but bodies and gravity gives impulse to vortons, and the method keeps it. */
int vt_keeps_impulse(const vt_simulation *s);

void vt_open_balance(vt_simulation *s, const vt_impulse *buoyant, vt_balance *balance);

/* Gives them that back after a substep of dt seconds, and what buoyancy and bodies have given. */
void vt_close_balance(vt_simulation *s, double dt, vt_balance *balance);

/* Around a change of the population, which moves nothing: whatever the method, the vortons that are
 * left get all the sums back, as long as that changes them by less than a tenth in the mean. */
void vt_open_sums(vt_simulation *s, const vt_content *content, vt_balance *balance);
void vt_close_sums(vt_simulation *s, vt_balance *balance);

#endif
