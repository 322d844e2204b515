/* Diffusion of strength and of heat between the vortons: explicitly, by exchange
 * (kernels/particles/particle_strength_exchange.c has the kernels), or, over more time than two
 * steps of that would bear, implicitly (population/implicit_diffusion.h). With a step of its own:
 * where what a substep diffuses is little beside the spacing of the vortons, h,
 *
 *   diffusivity x time <= h^2 / 1000,
 *
 * up to eight substeps act at once; no value is ever behind by more than that. */
#pragma once

#include "vorton.h"

/* Largest diffusivity of what diffuses, m^2/s; 0: nothing does. The conductivity is that of ambient
 * fluid everywhere: in fluid that has expanded heat diffuses the faster. */
double vti_largest_diffusivity(vt_simulation *s);

/* The most that a substep may diffuse, diffusivity x time, m^2. */
double vti_diffusion_reach(const vt_simulation *s);

/* Counts a substep of dt seconds, and returns 1 when what has waited is to act now. */
int vti_await_diffusion(vt_simulation *s, double dt);

/* Diffuses strength and heat over all that time, in place; with a long way to go there may be more
 * neutral vortons afterwards, but `reserved` rows of the capacity are kept free. */
void vti_diffuse(vt_simulation *s, int64_t reserved);
