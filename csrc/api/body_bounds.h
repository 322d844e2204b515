/* The box along the axes around a body. */
#pragma once

#include "model/pose.h"
#include "state/body.h"

/* Corners of the smallest box that holds a body at a pose, m: of the union of its solids, and of a
 * container of the room that they have in common (of several solids at most as large as the common
 * part of their boxes). Infinite where a plane leaves it open. */
void vti_body_bounds(const vt_body *body, const vt_pose *pose, double lower[3], double upper[3]);
