/* Impulse of the flow at a body: see body_flow.h. */
#ifndef VORTON_STATE_FLOW_H
#define VORTON_STATE_FLOW_H

#include "core/vec3.h"

#include <stdint.h>

/* Linear, and about a point: over the density of the fluid, m^4/s and m^5/s. */
typedef struct vt_impulse {
    double linear[3], angular[3];
} vt_impulse;

static inline void vt_add_impulse(vt_impulse *a, double factor, const vt_impulse *b)
{
    vt_add_scaled(a->linear, factor, b->linear);
    vt_add_scaled(a->angular, factor, b->angular);
}

/* The same about another point, the one before being `arm` from it. */
static inline void vt_move_moment(vt_impulse *impulse, const double arm[3])
{
    double moment[3];
    vt_cross(arm, impulse->linear, moment);
    vt_add_scaled(impulse->angular, 1, moment);
}

/* Source of `charge` m^3/s at r from the point: what flow of that velocity pulls at it with. */
static inline void vt_add_pull(const double r[3], double charge, const float velocity[3],
                               vt_impulse *sum)
{
    double force[3], moment[3];
    for (int c = 0; c < 3; c++)
        force[c] = -charge * (double)velocity[c];
    vt_cross(r, force, moment);
    vt_add_scaled(sum->linear, 1, force);
    vt_add_scaled(sum->angular, 1, moment);
}

/* Strength at r from the point, in the form that the vortons have: factor times 1/2 r cross alpha
 * and 1/3 r cross (r cross alpha). */
static inline void vt_add_turns(double factor, const double r[3], const double strength[3],
                                vt_impulse *sum)
{
    double turn[3], twist[3];
    vt_cross(r, strength, turn);
    vt_cross(r, turn, twist);
    vt_add_scaled(sum->linear, 0.5 * factor, turn);
    vt_add_scaled(sum->angular, factor / 3.0, twist);
}

/* What strength adds that lies at r from the point. */
static inline void vt_add_strength(const double r[3], const double strength[3], vt_impulse *sum)
{
    double moment[3];
    vt_cross(r, strength, moment);
    vt_add_scaled(sum->linear, 0.5, moment);
    vt_add_scaled(sum->angular, -0.5 * vt_dot(r, r), strength);
}

/* Of that what 1/3 r cross (r cross alpha) leaves out: the same where vortex lines close. */
static inline void vt_add_line(const double r[3], const double strength[3], double sum[3])
{
    vt_add_scaled(sum, -1.0 / 3.0 * vt_dot(r, strength), r);
    vt_add_scaled(sum, -1.0 / 6.0 * vt_dot(r, r), strength);
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
    vt_impulse pull;  /* what pulls at it, m^4/s^2 */
    vt_impulse late;  /* what pulled at it in the substep before, over what the vortons lost then */
    double load;      /* what it would take to stop what passes it: u^2 over its area, m^4/s^2 */
    vt_impulse shed;  /* of what it has shed since */
    vt_impulse owed;  /* what the vortons have gained since that is not theirs: see reaction.h */
} vt_flow;

#endif
