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

/* A ball in the world that holds such a region: a little larger, rounding must leave no point of it
 * out. */
static inline void vti_find_ball(const vt_region *region, const vt_pose *pose, double middle[3],
                                 double *square)
{
    double center[3], half2 = 0;
    for (int a = 0; a < 3; a++) {
        const double half = 0.5 * (region->upper[a] - region->lower[a]);
        center[a] = region->lower[a] + half;
        half2 += half * half;
    }
    vti_pose_point(pose, center, middle);
    *square = 1.001 * half2 * pose->scale * pose->scale;
}
