/* Bodies that touch and never move against each other, and the planes that they stand on. */
#pragma once

#include "geometry/panel_set.h"
#include "model/pose.h"
#include "state/simulation.h"

/* Panels that are solved for together: the time for the first frame grows with the third power of
 * their number. */
enum { VT_MOST_TOGETHER = 2400 };

/* One of them: its panels go by `pose` into the space in which they meet. */
typedef struct vt_member {
    const vt_body *body;
    vt_pose pose;
    int moves;             /* 0: the pose is that to the space itself */
    int32_t number, first; /* of the body; of its panels among those of all */
} vt_member;

/* A plane that they stand on: its wall, with the normal to the fluid, in the space in which they
 * meet. */
typedef struct vt_floor {
    vt_solid wall;
    vt_pose pose;   /* of its space to that */
    int32_t number; /* of the body */
} vt_floor;

/* The numbers of the planes. */
typedef struct vt_stand {
    int32_t plane[VT_MOST_MIRRORS], count;
} vt_stand;

typedef struct vt_joint {
    vt_member *members; /* in the order of the bodies; room for all of them */
    int32_t count;
    vt_floor floors[VT_MOST_MIRRORS]; /* at right angles to each other */
    int32_t floor_count;
    vt_stand *stands; /* of the first body of each group, by its number; room for all bodies */
} vt_joint;

/* Gives each body the number of the first of those that it touches, over others, too: alone is also
 * one that is hidden, which lies wholly within the others. j is for the work, hidden is all 0
 * before; < 0: no memory. */
int vti_group_touching(const vt_simulation *s, vt_joint *j, int32_t *group, uint8_t *hidden);

/* The bodies of the group of which `first` is the first, and the planes that they stand on; count 0
 * where there is one alone, and none of these. */
void vti_list_members(const vt_simulation *s, const int32_t *group, int32_t first, vt_joint *j);

/* Triangles of a member from its own space into that in which they meet, or back. */
void vti_pose_triangles(const vt_member *m, int back, vt_triangles *t);

/* Cuts off what of triangles of member number n, in its space, the others cover, each with
 * `divided` times fewer panels than it asks for, and what lies behind the planes. */
void vti_cut_by_others(const vt_joint *j, int32_t n, int32_t divided, vt_triangles *t);

/* To be called with the number of a body that was added, or is about to be placed for the first
 * time or to be taken away: which bodies touch is looked for anew when panels are needed next, and
 * vortons grow no longer at its panels, nor at those of bodies that it may touch, over others, too,
 * for these may have others then. */
void vti_part_body(vt_simulation *s, int32_t number);
