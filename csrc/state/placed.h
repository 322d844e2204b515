/* Regions that a transform places. */
#ifndef VORTON_STATE_PLACED_H
#define VORTON_STATE_PLACED_H

#include "state/pose.h"
#include "state/shapes.h"

/* Whether a point of the world lies in a region of the space of the pose. */
static inline int vt_placed_contains(const vt_region *region, const vt_pose *pose,
                                     const double world[3])
{
    double place[3];
    float point[3];
    vt_pose_point_back(pose, world, place);
    for (int a = 0; a < 3; a++)
        point[a] = (float)place[a];
    return vt_region_contains(region, point);
}

#endif
