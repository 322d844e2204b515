/* How far points are from the walls of all bodies. */
#pragma once

#include "model/pose.h"

/* How far a point is from the walls of now, m, at least: below 0 where no particle may be; INFINITY
 * without bodies. */
double vti_distance_at(const vt_simulation *s, const double point[3]);

/* The same from the walls of body number n alone. */
double vti_distance_to_one(const vt_simulation *s, int32_t n, const double point[3]);

/* Where each body is at a time, s, in arena memory; and the same room from that, for many points.
 */
const vt_pose *vti_poses_at(vt_simulation *s, double time);
double vti_distance_near(const vt_simulation *s, const vt_pose *pose, const double point[3]);
