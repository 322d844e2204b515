/* Heat between bodies and the fluid beside them (part 10), by Newton's law of cooling:
 *
 *   dT_i/dt = k (T_b - T_i),   C dT_b/dt = -sum m_i c k (T_b - T_i)
 *
 * for the vortons i no farther than a core from the wall. c is the heat capacity of the fluid, C
 * that of the body, infinite where its temperature is held. With h the conductance and A the area
 * of the body that faces the fluid, k = h A / (c sum m_i): the flow of heat does not depend on how
 * fine the vortons are, nor on how they lie. What lies inside or against its other shapes, or other
 * bodies, does not face the fluid. Where no fluid is kept around the body (holes, planes,
 * method.halo 0), A is at most the area of a layer as thick as a core that has the volume of those
 * vortons. All of them together have the mean T_m = sum m_i T_i / sum m_i, and with r = c sum m_i /
 * C
 *
 *   T_b - T_m ~ exp(-k (1 + r) t),   T_i - T_m ~ exp(-k t)
 *
 * exactly: none overshoots, however long t is. What the body loses is the sum of what the vortons
 * gain as they are stored. */
#pragma once

#include "state/body.h"

/* Fills body->heat from a definition whose shapes were made. The error names the body. */
vt_status vti_make_body_heat(const vt_simulation *s, const vt_body_def *def, vt_body *body);

/* Exchanges heat over the dt seconds until s->time + dt, with the vortons as they are then, one
 * body after the other. */
void vti_exchange_body_heat(vt_simulation *s, double dt);
