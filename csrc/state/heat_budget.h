/* Burning, and the books of the heat that the vortons hold:
 *
 *   heat = released - radiated - mixed + bodies + brought
 *
 * Heat is sum of mass x heat capacity x (temperature - that of the ambient fluid at height 0). Only
 * kept where the simulation has a law of combustion, or a body that exchanges heat. */
#pragma once

#include "vorton.h"

/* Whether there are books. */
int vti_keeps_heat_books(const vt_simulation *s);

/* Of the vortons of now, J; 0 without books. */
double vti_find_heat(vt_simulation *s);

/* Around a step: what has changed since the last one was brought by the user. */
void vti_open_heat_books(vt_simulation *s);
void vti_close_heat_books(vt_simulation *s);

/* Burns and cools over dt seconds. */
void vti_react(vt_simulation *s, double dt);

/* Enters into the books of heat rows [first, first + count) of the vortons that came (sign 1) or go
 * (-1); where mask is not NULL those alone where it is not 0. */
void vti_count_heat(vt_simulation *simulation, int64_t first, int64_t count, const uint8_t *mask,
                    double sign);
