/* Restores the sums over strengths that vorticity keeps and discrete vortons lose in a substep:
 * method.balance. */
#pragma once

#include "population/kept_sums.h"

/* Notes the sums before a substep. Until the close balance->buoyant may be given the impulse that
 * density differences give in it; without, the weight of the vortons is summed. */
void vti_open_balance(vt_simulation *s, vt_balance *balance);

/* After a substep of dt seconds: gives the vortons back the sums noted before, changed by the
 * impulse of buoyancy and bodies, and by that of fluid that swells, about the origin. */
void vti_close_balance(vt_simulation *s, double dt, const vt_impulse *swelling,
                       vt_balance *balance);
