/* Bodies: what particles run into, and where it is. */
#ifndef VORTON_STATE_BODIES_H
#define VORTON_STATE_BODIES_H

#include <math.h>

#include "state/bulk.h"
#include "state/flow.h"
#include "state/panel_set.h"
#include "state/rigid.h"

/* See body_heat.h. */
typedef struct vt_body_heat {
    double temperature; /* K; 0: it exchanges none */
    double conductance; /* W/(m^2 K) */
    double capacity;    /* J/K; 0: the temperature is held */
    double area;        /* of its shapes, m^2; infinite with a plane */
    double given;       /* to the fluid since it was made, J */
} vt_body_heat;

typedef struct vt_body {
    char name[64];
    int32_t hole, parent;
    int32_t solid_count;
    int32_t moves;
    double since, until; /* s: of what a transform does at other times it has already done the
                            first, and not yet the last (jumps.h); usually without end */
    vt_solid *solids;
    double scale;     /* from its space to the world */
    double center[3]; /* of its volume, in its space */
    vt_bulk bulk;     /* of a body with mass */
    double (
        *points)[3]; /* of a body with mass: they stand for its volume, in its space; else NULL */
    int32_t point_count;
    vt_rigid rigid;
    double reach;         /* of its solids from there, in the world, m; infinite with a plane */
    double inside[3];     /* a point that all solids of a hole have in common */
    vt_panel_set *panels; /* NULL: none */
    vt_panel_set *coarse; /* fewer of them, for grids that see no more; NULL: there are none */
    int32_t aimed_panels; /* 0: none, whatever the method */
    double shedding;      /* 1/s */
    vt_flow flow;
    double shed_strength[3]; /* sum of what it has shed, m^3/s */
    double volume;           /* of its solids together, in its space, m^3; infinite with a plane */
    vt_body_heat heat;
} vt_body;

typedef struct vt_bodies {
    vt_body *items;
    int32_t count;
    double open_lines[3]; /* see reaction.h, m^5/s */
} vt_bodies;

void vt_destroy_bodies(vt_bodies *bodies);

/* Fills `to` with copies; on failure it is to be destroyed all the same. */
vt_status vt_copy_bodies(const vt_bodies *from, vt_bodies *to);

/* Gives the bodies the panels that the method of now asks for, and takes them from all where it
 * does without. On failure nothing has changed. */
vt_status vt_fit_panels(vt_simulation *simulation);

/* Whether any of them is a hole. */
static inline int vt_has_container(const vt_bodies *bodies)
{
    int32_t holes = 0;
    for (int32_t n = 0; n < bodies->count; n++)
        holes |= bodies->items[n].hole;
    return holes;
}

/* Where a body is at a time, and how it moves: during a substep, of one that is placed, from where
 * it was to where it goes; before and after that it stays there. */
vt_pose vt_body_pose(const vt_transforms *transforms, const vt_body *body, double time);
vt_motion vt_body_motion(const vt_transforms *transforms, const vt_body *body, double time);

/* Whether it jumps in (from, to] instead of moving there. */
int vt_body_jumps(const vt_transforms *transforms, const vt_body *body, double from, double to);

/* Distance from the nearest wall in the space of the body, > 0 where particles may be: exact on the
 * forbidden side of one solid, a lower bound of its size elsewhere. normal (may be NULL) points
 * away from the wall. */
double vt_body_room(const vt_body *body, const double point[3], double normal[3]);

/* The least distance that a float position keeps from a wall, m: more than it is rounded by. */
static inline double vt_contact_skin(const vt_body *body, const double world[3])
{
    const double least_length = 1e-3; /* m: of what has no size */
    double size = isfinite(body->reach) ? body->reach : least_length;
    for (int c = 0; c < 3; c++)
        size = vt_abs(world[c]) > size ? vt_abs(world[c]) : size;
    return 0x1p-20 * size;
}

#endif
