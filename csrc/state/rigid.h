/* Bodies that have mass, or whose place is kept here instead of coming from a transform: those that
 * move by themselves, and those that somebody outside places. */
#ifndef VORTON_STATE_RIGID_H
#define VORTON_STATE_RIGID_H

#include "state/animation.h"
#include "state/pose.h"

/* Where the centre is, m, and how the body is turned: unit quaternion w x y z. */
typedef struct vt_place {
    double position[3], rotation[4];
} vt_place;

/* What a body has received since creation: linear, N s, and about its centre, N m s. */
typedef struct vt_received {
    double impulse[3], angular[3];
} vt_received;

typedef struct vt_rigid {
    int32_t placed;                 /* its place is kept here */
    int32_t free;                   /* it moves by itself: it is placed, and has mass */
    vt_place before, now;           /* at the times `from` and `to`: now is the state */
    double from, to;                /* of the substep under way, or of the last; s */
    double velocity[3], angular[3]; /* of the centre, m/s; in the world, rad/s */
    double turned[3];               /* mean angular velocity of that substep, rad/s */

    double mass;          /* kg; 0: it has none */
    double inertia[3][3]; /* about the centre, in the axes of its space, kg m^2 */
    double added[6][6];   /* see added_mass.h */
    double restitution, friction;
    double damping;             /* 1/s */
    double force[3], torque[3]; /* constants: N, N m */
    vt_animations animations;   /* of force and torque */

    double fluid_density;    /* mean of the fluid that it displaces, kg/m^3; as last found */
    double driven_density;   /* of the fluid that it sets in motion: that, or by Boussinesq that of
                                the ambient fluid */
    double pushed[6];        /* impulse and angular impulse of the flow, not yet given to it */
    double hit[6];           /* the same, now, of particles that ran into it: see hits.h */
    double own[6], given[6]; /* in a substep: its own momentum at first, and what but the flow has
                                changed of it */
    vt_received from_flow, from_weight, from_contacts;
} vt_rigid;

/* Between `before` and `now`, the state before and after. */
vt_place vt_place_at(const vt_rigid *rigid, double time);

/* The pose of a body whose centre is at center in its space. */
vt_pose vt_pose_of_place(const vt_place *place, const double center[3], double scale);

/* Turns a unit quaternion by a rotation vector of the world, radians. */
void vt_turn(double rotation[4], const double by[3]);

#endif
