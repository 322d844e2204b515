/* The force of the fluid on bodies as the articles have it (parts 4 and 13): by what runs into
 * them.
 *
 * A tracer has the mass m of ambient fluid in size^3. Where it comes up against a wall, with a
 * velocity u relative to it, it bounces, all but inelastically, and the body receives
 *
 *   m (1 + e) (u . n) n   at that point of the wall,   n its normal, u . n < 0, e = .01.
 *
 * Vortons leave that to the tracers, which are more; as balls that turn with half their vorticity
 * they give what the walls (bodies/article_wall_vorticity.h) take of their angular momentum, of
 * fluid with mass m in a ball of radius r
 *
 *   2/5 m r^2 x half the vorticity that is lost.
 *
 * Each hit counts whole, in a substep however short: the force grows with the number of tracers and
 * with that of the substeps. It is what the articles do, not what fluid does. */
#pragma once

#include "contact/swept_walls.h"

/* What bodies receive: N s, and N m s about their centres at the end of the substep. */
typedef struct vt_hit_sum {
    int32_t body;
    double impulse[6];
} vt_hit_sum;

/* Hits of a block of particles, in the order in which bodies are first hit. */
typedef struct vt_hit_sums {
    int32_t count;
    vt_hit_sum *sum; /* one for each body that is hit; there is room for all of them */
} vt_hit_sums;

/* Adds the hits of a tracer of a mass, kg, and a velocity, m/s. */
void vti_sum_article_impulse(const vt_simulation *s, const vt_article_impulse *hits, double mass,
                             const double velocity[3], vt_hit_sums *sums);

/* Gives a body the sum of its hits; center: the centre of the body, m. */
void vti_take_article_impulse(vt_simulation *s, const vt_hit_sum *sum, const double center[3]);
