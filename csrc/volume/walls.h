/* The walls of bodies as tracers meet them on their way into a volume: every solid of now, with its
 * place in the world. */
#pragma once

#include "geometry/convex_solid.h"
#include "model/pose.h"

typedef struct vt_wall {
    const vt_solid *solid;
    vt_pose pose;
    double scale;            /* from its space to the world */
    int32_t hole;            /* 1: the fluid is inside, and fills the whole of it */
    double center[3], reach; /* of a ball that holds the solid, m; infinite for a plane */
} vt_wall;

typedef struct vt_walls {
    vt_wall *items;
    int32_t count;
} vt_walls;

/* Of a simulation (NULL: none) whose bodies stay as they are while the walls are used. */
vt_status vti_list_walls(const vt_simulation *simulation, vt_walls *walls);
void vti_destroy_walls(vt_walls *walls);

/* How a point lies to a wall. */
typedef struct vt_side {
    double room;      /* distance, m: below 0 in the solid, from outside perhaps too little */
    double normal[3]; /* away from the wall, in the world */
} vt_side;

vt_side vti_side_of_wall(const vt_wall *wall, const double point[3]);

/* Whether the solid may be within so many m of a point; seldom so of one that is farther. */
int vti_is_near_wall(const vt_wall *wall, const double point[3], double within);

/* Whether the solid parts two points beside it, `way` (m) from the first to the second: the wall
 * nearest to each is on the other's side, and faces away from it. A hole parts none. */
int vti_wall_parts(const vt_wall *wall, const vt_side *first, const vt_side *second,
                   const double way[3]);

/* Whether a point is in a solid by more than `depth`, m. */
int vti_is_in_solid(const vt_walls *walls, const double point[3], double depth);

/* Brings `to` halfway to `from` until no wall parts them and it is in no solid; at last to it. */
void vti_keep_on_side(const vt_walls *walls, const double from[3], double to[3]);
