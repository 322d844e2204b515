/* Mass of a body, and whether what its definition says of it can be. */
#pragma once

#include "state/body.h"

/* Fills body->rigid, and where it has mass its bulk, points, centre and reach. */
vt_status vti_make_rigid(const vt_simulation *s, const vt_body_def *def, vt_body *body);

/* The impulse and the angular impulse of force and torque from one time to another. */
void vti_integrate_force(const vt_rigid *rigid, double from, double to, double impulse[6]);

/* The place of a body as it is now is kept from here on: nothing else moves it any more. */
void vti_keep_place(const vt_simulation *s, vt_body *body);
