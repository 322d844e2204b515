/* Impulse of the flow at a body: see conservation/body_forces.h. */
#pragma once

#include <string.h>

#include "base/vec3.h"

/* Takes from lines (m^5/s) what such sums, being no longer 0, add to the angular impulse about a
 * point that is `arm` (m) away. */
void vti_take_open_lines(const double moment[3][3], const double arm[3], double lines[3]);

/* Linear impulse and angular impulse about a point, over the density of the fluid: m^4/s and m^5/s.
 */
typedef struct vt_impulse {
    double linear[3], angular[3];
} vt_impulse;

static inline void vti_add_impulse(vt_impulse *a, double factor, const vt_impulse *b)
{
    vti_add_scaled(a->linear, factor, b->linear);
    vti_add_scaled(a->angular, factor, b->angular);
}

/* Copies both parts to where records have them. */
static inline void vti_split_impulse(const vt_impulse *from, double linear[3], double angular[3])
{
    memcpy(linear, from->linear, sizeof from->linear);
    memcpy(angular, from->angular, sizeof from->angular);
}

/* Moves the angular impulse to another point, from which the one before is `arm` away. */
static inline void vti_move_moment(vt_impulse *impulse, const double arm[3])
{
    double moment[3];
    vti_cross(arm, impulse->linear, moment);
    vti_add_scaled(impulse->angular, 1, moment);
}

/* Source of `charge` m^3/s at r from the point: what flow of that velocity pulls at it with. */
static inline void vti_add_lagally_force(const double r[3], double charge, const float velocity[3],
                                         vt_impulse *sum)
{
    double force[3], moment[3];
    for (int c = 0; c < 3; c++)
        force[c] = -charge * (double)velocity[c];
    vti_cross(r, force, moment);
    vti_add_scaled(sum->linear, 1, force);
    vti_add_scaled(sum->angular, 1, moment);
}

/* Strength at r from the point, in the form that the vortons have: factor times 1/2 r cross alpha
 * and 1/3 r cross (r cross alpha). */
static inline void vti_add_turns(double factor, const double r[3], const double strength[3],
                                 vt_impulse *sum)
{
    double turn[3], twist[3];
    vti_cross(r, strength, turn);
    vti_cross(r, turn, twist);
    vti_add_scaled(sum->linear, 0.5 * factor, turn);
    vti_add_scaled(sum->angular, factor / 3.0, twist);
}

/* Adds the impulse of strength that lies at r from the point. */
static inline void vti_add_strength(const double r[3], const double strength[3], vt_impulse *sum)
{
    double moment[3];
    vti_cross(r, strength, moment);
    vti_add_scaled(sum->linear, 0.5, moment);
    vti_add_scaled(sum->angular, -0.5 * vti_dot(r, r), strength);
}

/* Adds to a line what 1/3 r cross (r cross alpha) lacks of -1/2 r^2 alpha; where vortex lines
 * close, the sums of both are the same. */
static inline void vti_add_line(const double r[3], const double strength[3], double sum[3])
{
    vti_add_scaled(sum, -1.0 / 3.0 * vti_dot(r, strength), r);
    vti_add_scaled(sum, -1.0 / 6.0 * vti_dot(r, r), strength);
}

/* BROKEN: the body has jumped since, and is not what the flow was noted for. */
enum { VT_FLOW_UNKNOWN, VT_FLOW_KNOWN, VT_FLOW_BROKEN };

/* What a body knows of the flow at the beginning of a substep; moments are about its centre then.
 */
typedef struct vt_flow {
    int32_t known;    /* VT_FLOW_... */
    double time;      /* s */
    double center[3]; /* m */
    double wind[3];   /* m/s */
    vt_impulse bound; /* the part of its surface, less that of its own motion if it is free */
    vt_impulse pull;  /* force of the flow on the body, m^4/s^2 */
    vt_impulse late;  /* force in the substep before, less that which the vortons lost then */
    double load;      /* what it would take to stop what passes it: u^2 over its area, m^4/s^2 */
    double passes;    /* how often a second what passes it goes by the radius of what it acts on */
    vt_impulse shed;  /* impulse of the strength that the body has shed since */
    vt_impulse owed;  /* what the vortons have gained since that is not theirs (see
                         conservation/body_impulse_budget.h), less what the body has still to take */
} vt_flow;
