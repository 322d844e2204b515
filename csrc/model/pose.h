/* Transforms that move (vt_transform_def): where the space of one lies at a time.
 *
 * A point p of the space is at  position + scale Q T p  in the space of the parent, with T the turn
 * by `angle` about `axis` (Rodrigues) and Q the rotation of the unit quaternion. Between two keys
 * of `rotation` the quaternion runs along the shorter great arc (slerp, Shoemake 1985); how far it
 * is along all arcs together is a track of its own, so smooth keys are passed without a halt. */
#pragma once

#include "animation/parameters.h"
#include "base/vec3.h"

/* From a space to the world. */
typedef struct vt_pose {
    double matrix[3][3]; /* rotation without scale */
    double scale;
    double position[3];
} vt_pose;

typedef struct vt_transform {
    vt_transform_def def;     /* rotation and axis of length 1 */
    vt_animations animations; /* the values of `rotation` are of length 1, each turned towards the
                                 one before */
    vt_track arc;             /* of an animated rotation: length of the way so far, radians */
    int32_t moves;            /* whether the transform or one of its parents moves */
    double reach; /* bound of its distance from the origin of the world over all times, m */
    double least_scale, most_scale; /* least and largest scale to the world, over all times */
} vt_transform;

typedef struct vt_transforms {
    vt_transform *items;
    int32_t count;
} vt_transforms;

/* Whether the pose changes in time; id 0 is the world, which does not. */
int vti_parent_moves(const vt_transforms *transforms, int32_t id);

/* The pose of the transform with this id at a time; id 0 is the world. */
vt_pose vti_pose_at(const vt_transforms *transforms, int32_t id, double time);

/* How the space of a pose moves; its scale does not change. */
typedef struct vt_motion {
    double velocity[3]; /* of its origin, m/s */
    double angular[3];  /* rad/s, in the world */
} vt_motion;

/* The exact derivatives of the pose, at a key those towards later times; id 0 is at rest. */
vt_motion vti_motion_at(const vt_transforms *transforms, int32_t id, double time);

/* When the pose first jumps in (from, to]: a key of interpolation constant ends there; INFINITY:
 * it does not. */
double vti_next_jump(const vt_transforms *transforms, int32_t id, double from, double to);

/* The first key later than a time, of the transform and its parents; INFINITY: none. */
double vti_next_key(const vt_transforms *transforms, int32_t id, double time);

/* The unit quaternion w x y z of a rotation, w >= 0. */
void vti_pose_quaternion(const vt_pose *pose, double q[4]);

/* Angle between unit quaternions as vectors of four, at most a right one: half of that of the turn
 * from one to the other, radians. */
double vti_quaternion_angle(const double a[4], const double b[4]);

/* Makes q of length 1; 0 where it has none. */
int vti_normalise_quaternion(double q[4]);

/* From the space of the pose to the world; a direction keeps its length. */
void vti_pose_point(const vt_pose *pose, const double point[3], double world[3]);
void vti_pose_direction(const vt_pose *pose, const double direction[3], double world[3]);

/* The same of floats, in place: of a point, and of a vector, which is scaled, too. */
void vti_pose_point_row(const vt_pose *pose, float point[3]);
void vti_pose_vector_row(const vt_pose *pose, float vector[3]);

/* A direction of the world in the space of the pose; both may be the same. */
static inline void vti_pose_direction_back(const vt_pose *pose, const double world[3],
                                           double direction[3])
{
    const double x = world[0], y = world[1], z = world[2];
    for (int c = 0; c < 3; c++)
        direction[c] = pose->matrix[0][c] * x + pose->matrix[1][c] * y + pose->matrix[2][c] * z;
}

/* A point of the world in the space of the pose. */
static inline void vti_pose_point_back(const vt_pose *pose, const double world[3], double point[3])
{
    double way[3];
    vti_subtract(world, pose->position, way);
    vti_pose_direction_back(pose, way, point);
    for (int c = 0; c < 3 && pose->scale != 1; c++)
        point[c] /= pose->scale;
}
