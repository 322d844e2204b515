/* Bodies that have mass, or whose place is kept here instead of coming from a transform: those that
 * move by themselves, and those that somebody outside places. */
#pragma once

#include "model/pose.h"
#include "state/body.h"

/* Where a body is at a time, and how it moves: during a substep, of one that is placed, from where
 * it was to where it goes; before and after that it stays there. */
vt_pose vti_body_pose(const vt_transforms *transforms, const vt_body *body, double time);
vt_motion vti_body_motion(const vt_transforms *transforms, const vt_body *body, double time);

/* Where a body is at a time, of one that is placed where the substep under way has brought it. */
vt_pose vti_pose_now(const vt_transforms *transforms, const vt_body *body, double time);

/* Whether it jumps in (from, to] instead of moving there. */
int vti_body_jumps(const vt_transforms *transforms, const vt_body *body, double from, double to);

/* The pose of a body whose centre is at center in its space. */
vt_pose vti_pose_of_place(const vt_place *place, const double center[3], double scale);

/* Turns a unit quaternion by a rotation vector of the world, radians. */
void vti_turn(double rotation[4], const double by[3]);
