/* What is known of walls that rest: it stays the same from substep to substep. */
#pragma once

#include "base/arena.h"
#include "kernels/bodies/contact_broad_phase.h"
#include "kernels/bodies/panel_velocity.h"
#include "model/grid.h"
#include "model/pose.h"

/* ---- contact ---- */

typedef struct vt_kept_lattice {
    vt_arena arena; /* what it lies in */
    int32_t count;  /* of bodies, which are only ever added; 0: there is none */
    vt_pose *pose;  /* of each */
    vt_lattice placed, filled;
    int32_t *near; /* numbers of the walls of each cell */
} vt_kept_lattice;

/* ---- nodes ---- */

/* The nodes of the grid that lie near walls, and what each of them is: the same from field solve to
 * field solve while neither walls nor grid move (panels/near_nodes.h). Places in cells of the grid,
 * bodies by their numbers among those with panels. */

enum { VT_GHOST_WALLS = 3 };

/* From a node near a wall to the point above it where the velocity through the wall is read: at the
 * wall nothing flows through, and in between the velocity grows with the distance. */
typedef struct vt_lift {
    int32_t body;
    double foot[3], normal[3]; /* m */
    double share; /* height of the node above the wall, negative inside, over that of the point */
} vt_lift;

/* A node inside a body near its surface, and its image outside; behind the corner of a container
 * that is one in two or three walls. A node between two faces is two ghosts, one after the other.
 */
typedef struct vt_ghost {
    int64_t node; /* its number in grid.nodes */
    int32_t body, mirrors;
    int32_t lift;                              /* its number in the bin; -1: none */
    double foot[3], normal[VT_GHOST_WALLS][3]; /* foot on the first wall, m; normals of all */
} vt_ghost;

/* A node outside of bodies that is within reach of panels. */
typedef struct vt_open_node {
    int64_t node;
    int32_t lift;
} vt_open_node;

/* A node deep inside a body, which moves with it. */
typedef struct vt_deep_node {
    int64_t node;
    int32_t body;
    double point[3]; /* m */
} vt_deep_node;

/* What a bin has, and where it begins in the lists of all. Its points are the images of its ghosts,
 * what nodes near walls are lifted to, its open nodes, and the last of them again and again up to a
 * multiple of VT_LANES, so that no group is part of two bins. */
typedef struct vt_near_bin {
    int32_t ghosts, lifts, open, deep;
    int64_t first_ghost, first_lift, first_open, first_deep, first_point;
} vt_near_bin;

/* Where a body with panels was when they were found. */
typedef struct vt_known_body {
    vt_pose pose, laid;
    const void *set;       /* its panels */
    double half_thickness; /* m */
    int32_t number, sheds;
} vt_known_body;

typedef struct vt_near_nodes {
    vt_arena arena;     /* what all of it lies in */
    int32_t body_count; /* 0: nothing is known */
    vt_known_body *bodies;
    vt_grid grid; /* how it lay */

    vt_patches patches;
    vt_patch *item;       /* patches.item, whose densities change */
    const int32_t *order; /* of each the number of the patch, or minus that of the image, less 1 */
    int32_t item_count;
    uint32_t *first_body;
    int32_t *bin_body;
    uint32_t *listed_bin, *slot;
    int64_t listed_count;
    uint8_t *near_cell; /* NULL: not known yet */

    vt_near_bin *bins; /* of the listed ones */
    vt_ghost *ghosts;
    vt_lift *lifts;
    vt_open_node *open;
    vt_deep_node *deep;
    float *point; /* point_count x 3, cells */
    int64_t point_count;
    vt_pair_plan plan; /* first: NULL before words are counted, or where there is no room */
} vt_near_nodes;
