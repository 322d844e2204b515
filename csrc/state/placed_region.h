/* Regions that a transform places. */
#pragma once

#include "geometry/region_points.h"
#include "model/pose.h"

/* Whether a point of the world lies in a region of the space of the pose. */
static inline int vti_placed_contains(const vt_region *region, const vt_pose *pose,
                                      const double world[3])
{
    double place[3];
    float point[3];
    vti_pose_point_back(pose, world, place);
    for (int a = 0; a < 3; a++)
        point[a] = (float)place[a];
    return vti_region_contains(region, point);
}
