/* Bodies: what particles run into, and where it is. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "animation/parameters.h"
#include "geometry/exposed_surface.h"
#include "geometry/mass_properties.h"
#include "geometry/surface_form.h"
#include "model/impulse.h"

/* See bodies/body_heat.h. */
typedef struct vt_body_heat {
    double temperature; /* K; 0: it exchanges none */
    double conductance; /* W/(m^2 K) */
    double capacity;    /* J/K; 0: the temperature is held */
    double area;        /* that faces the fluid, were it alone, m^2; infinite with a plane */
    double given;       /* to the fluid since it was made, J */
} vt_body_heat;

/* Where a body exchanges heat: the same for as long as it lives. */
typedef struct vt_warm_surface {
    vt_spot *spots; /* in the space of the body; NULL of one that deforms, or with a plane */
    int32_t spot_count;
    double exposed; /* area as a share of that of its solids one by one */
} vt_warm_surface;

/* Where the centre is, m, and how the body is turned: unit quaternion w x y z. */
typedef struct vt_place {
    double position[3], rotation[4];
} vt_place;

typedef struct vt_rigid {
    int32_t placed;                 /* its place is kept here */
    int32_t free;                   /* it moves by itself: it is placed, and has mass */
    vt_place before, now;           /* at the times `from` and `to`: now is the state */
    double from, to;                /* of the substep under way, or of the last; s */
    double velocity[3], angular[3]; /* of the centre, m/s; in the world, rad/s */
    double turned[3];               /* mean angular velocity of that substep, rad/s */

    double mass;          /* kg; 0: it has none */
    double inertia[3][3]; /* about the centre, in the axes of its space, kg m^2 */
    double added[6][6];   /* see state/added_mass.h */
    double restitution, friction;
    double damping;             /* 1/s */
    double force[3], torque[3]; /* constants: N, N m */
    vt_animations animations;   /* of force and torque */

    double fluid_density;  /* mean of the fluid that it displaces, kg/m^3; as last found */
    double driven_density; /* of the fluid that it sets in motion: that, or by Boussinesq that of
                              the ambient fluid */
    double pushed[6];      /* impulse and angular impulse of the flow, not yet given to it */
    double hit[6]; /* the same, now, of particles that ran into it: see contact/article_impulse.h */
    double own[6], given[6]; /* in a substep: its own momentum at first, and what but the flow has
                                changed of it */
    vt_impulse from_flow, from_weight, from_contacts; /* received since creation, N s, and about the
                                                         centre, N m s */
} vt_rigid;

typedef struct vt_body {
    char name[64];
    int32_t id, hole, parent;
    int32_t solid_count;
    int32_t moves;
    double since,
        until; /* s: of what a transform does at other times it has already done the
                  first, and not yet the last (step/container_jump.h); usually without end */
    vt_solid *solids;
    double scale;            /* from its space to the world */
    double center[3];        /* of its volume, in its space */
    vt_mass_properties bulk; /* of a body with mass */
    double (
        *points)[3]; /* of a body with mass: they stand for its volume, in its space; else NULL */
    int32_t point_count;
    vt_rigid rigid;
    double reach;           /* of its solids from there, in the world, m; infinite with a plane */
    double inside[3];       /* a point that all solids of a hole have in common */
    vt_panel_set *panels;   /* NULL: none */
    vt_panel_set *coarse;   /* fewer of them, for grids that see no more; NULL: there are none */
    vt_panel_set *alone[2]; /* both as they would be without the bodies that touch it, of one that
                               is part of a whole (panels/joint_panels.h); else NULL */
    int32_t hidden;         /* it lies within others that it touches: its panels do nothing */
    int32_t encloses;       /* the coarse ones are too wide for what its walls enclose */
    int32_t aimed_panels;   /* 0: none, whatever the method */
    double shedding;        /* 1/s; < 0: as fast as the flow passes it (vti_shedding_rate) */
    vt_flow flow;
    double shed_strength[3]; /* sum of what it has shed, m^3/s */
    double volume;           /* of its solids together, in its space, m^3; infinite with a plane */
    vt_body_heat heat;
    vt_warm_surface warm;
    vt_form
        *form; /* of one that deforms: it and its panels belong to the body; NULL: it is rigid */
} vt_body;

void vti_destroy_body(vt_body *body);

/* A failure with its message after the name of the body and the number of the shape (-1: none); or
 * VT_OK. */
vt_status vti_name_body_failure(vt_status status, const vt_body *body, int32_t shape);

typedef struct vt_bodies {
    vt_body *items;
    int32_t count;
    int32_t made;         /* ids in use so far */
    double open_lines[3]; /* see conservation/body_impulse_budget.h, m^5/s */
    int32_t joined;       /* those that touch have their panels together */
} vt_bodies;

/* Vortons know the point of a panel that they grow at (conservation/layer_points.h) by so many
 * times the id of its body, the number of the point and 1 (VT_VORTON_panel): more than
 * VT_MOST_PANELS. It bounds what a body sheds in a substep, too. */
enum { VT_PANEL_NUMBERS = 8192 };

void vti_destroy_bodies(vt_bodies *bodies);

/* Fills `to` with copies; on failure it is to be destroyed all the same. */
vt_status vti_copy_bodies(const vt_bodies *from, vt_bodies *to);

/* Of its thinnest solid, m in the space of the body: of a container and of a plane none is thin. */
double vti_half_thickness(const vt_body *body);

/* The number of the body with an id, -1: there is none; they lie in the order of their ids. */
int32_t vti_body_of_id(const vt_bodies *bodies, int64_t id);

/* Whether any of them is a hole. */
static inline int vti_has_container(const vt_bodies *bodies)
{
    int32_t holes = 0;
    for (int32_t n = 0; n < bodies->count; n++)
        holes |= bodies->items[n].hole;
    return holes;
}

/* Distance from the nearest wall in the space of the body, > 0 where particles may be: exact on the
 * forbidden side of one solid, a lower bound of its size elsewhere. normal (may be NULL) points
 * away from the wall. */
double vti_distance_to_body(const vt_body *body, const double point[3], double normal[3]);

/* The same where it is less than `within`; elsewhere any number that is not. */
double vti_room_at_body(const vt_body *body, const double point[3], double within,
                        double normal[3]);

/* The least distance that a float position keeps from a wall, m: more than it is rounded by. */
static inline double vti_contact_skin(const vt_body *body, const double world[3])
{
    const double least_length = 1e-3; /* m: of what has no size */
    double size = isfinite(body->reach) ? body->reach : least_length;
    for (int c = 0; c < 3; c++)
        size = vti_abs(world[c]) > size ? vti_abs(world[c]) : size;
    return 0x1p-20 * size;
}

/* Area of its solids one by one, in the world, m^2. */
double vti_area_of_solids(const vt_body *body);

/* The radius around the centre. */
void vti_bound_body(vt_body *body);

/* Volume, centre and radius by the solids. */
void vti_measure_body(vt_body *body);

/* Finds a point inside all shapes of a hole, by steps from wall to wall, and not just inside;
 * VT_INVALID_ARGUMENT: there is none. */
vt_status vti_find_inside(vt_body *body);

/* Gives a body that deforms the form of a time, s, but for its panels. */
void vti_form_body(vt_body *body, double time);
void vti_form_bodies(vt_bodies *bodies, double time);
