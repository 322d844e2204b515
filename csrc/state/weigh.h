/* Mass of a body, and whether what its definition says of it can be. */
#ifndef VORTON_STATE_WEIGH_H
#define VORTON_STATE_WEIGH_H

#include "state/bodies.h"
#include "state/simulation.h"

/* Fills body->rigid, and where it has mass its bulk, points, centre and reach. */
vt_status vt_make_rigid(const vt_simulation *s, const vt_body_def *def, vt_body *body);

/* Copies what owns memory in it; 0, or -1 with nothing to destroy. */
int vt_copy_force(const vt_rigid *from, vt_rigid *to);

/* The radius around the centre. */
void vt_reach_body(vt_body *body);

/* The impulse and the angular impulse of force and torque from one time to another. */
void vt_integrate_force(const vt_rigid *rigid, double from, double to, double impulse[6]);

/* The place of a body as it is now is kept from here on: nothing else moves it any more. */
void vt_keep_place(const vt_simulation *s, vt_body *body);

/* VT_INVALID_ARGUMENT names the id. */
vt_status vt_check_body_id(const vt_simulation *s, int32_t id);

#endif
