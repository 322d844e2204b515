/* The bodies with panels as the fields of now know them. */
#pragma once

#include "base/arena.h"
#include "kernels/bodies/panel_patches.h"
#include "kernels/sums/multipole_moments.h"
#include "model/pose.h"
#include "state/body.h"
#include "state/kept_walls.h"

/* In the frame of the working grid, which goes with the uniform wind. */
typedef struct vt_paneled_body {
    const vt_body *body;
    const vt_panel_set *set; /* of the body: fine or coarse */
    int32_t number;          /* of the body */
    int32_t group;           /* of bodies that touch and turn alike: the first of them here */
    int32_t first, count, first_patch, patch_count;
    int32_t first_image, image_count;
    double rise;        /* how far it, with what is joined to it, stands out of them, m */
    vt_mirrors mirrors; /* the planes that it stands on, of = the number of the body that each is */
    vt_patch *whole;    /* each panel as one, where there are others; or NULL */
    vt_pose pose, laid; /* of the space of the body; of that of the panels */
    double velocity[3], angular[3]; /* of the origin of its space, less the wind, m/s; rad/s */
    double center[3], reach;        /* a sphere around it, m */
    double root[3]; /* its centre; of one that is joined the middle of the surface of all, m */
    double
        half_thickness; /* of its thinnest solid, m; of a container and of a plane none is thin */
    double charge;      /* sum of its sources, m^3/s: 0 of a rigid body that is not joined */
    double dipole[3];   /* of its sources: what others see of it from far away, m^4/s */
    double wide_dipole[3]; /* of that what lies within wide panels: panels/source_densities.c */
    vt_impulse
        wide_force; /* what vortons and winds pull at those with, see conservation/body_forces.c */
    double parts;   /* that its panels are cut into where its layer slips: their area is at most
                       this, m^2 (conservation/layer_points.h) */
    double stream;  /* speed at which the fluid would pass it without panels, rms, m/s */
} vt_paneled_body;

/* Whether two of them are solved for together (panels/joint_panels.h). */
static inline int vti_are_joined(const vt_paneled_body *a, const vt_paneled_body *b)
{
    return a->set->whole && a->set->whole == b->set->whole;
}

/* Whether one of them stands on the other, a plane. */
static inline int vti_stands_on(const vt_paneled_body *b, const vt_paneled_body *plane)
{
    int stands = 0;
    for (int32_t n = 0; n < b->mirrors.count; n++)
        stands |= b->mirrors.item[n].of == plane->number;
    return stands;
}

typedef struct vt_panels {
    int32_t exist; /* the fields of now have panels */
    int32_t body_count, count, patch_count, image_count;
    double way[3], wind[3]; /* of the frame, m; of the uniform wind that it goes with, m/s */
    vt_paneled_body *bodies;
    double (*center)[3], (*normal)[3]; /* of each panel, m; outward */
    float *area, *density;             /* m^2, m/s */
    float *room;       /* of each to the nearest other body, m, as far as it matters */
    int32_t *beside;   /* the body there, among those with panels; -1: none */
    float *sees;       /* share of what bodies that are solved for apart make of the flow, 0 to 1 */
    float *onset;      /* count x 3: velocity without panels, but with what others emit beyond their
                          even densities, m/s */
    vt_patch *patch;   /* body by body */
    uint32_t *panel;   /* of each patch */
    float *excess;     /* of each: its density less that of the panel, m/s */
    vt_patch *image;   /* of those of bodies that stand on planes: body by body */
    int32_t *image_of; /* the patch that each is the image of; of a whole panel minus it, less 1 */
    vt_outer_charge *outer; /* of those that the nodes do not take, outer_count */
    vt_patch *outer_patch;  /* and their patches */
    int64_t outer_count;
    vt_near_nodes near; /* the same by bins, and the nodes that lack something of them */
    f4 *smooth;         /* velocity at the nodes of the listed bins as the grid alone has it */
    vt_arena arena;     /* what all of it lies in */
} vt_panels;
