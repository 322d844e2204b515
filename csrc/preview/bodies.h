/* Bodies in the preview: plain grey, lit by the key light, what surrounds the scene and fire, with
 * shadows on each other, and of the key light on smoke. Of containers the walls are drawn that lie
 * behind their room, as if those before it let sight and light in. What is not there at the moment
 * is not drawn. */
#pragma once

#include "preview/lamps.h"
#include "preview/march.h"
#include "preview/surroundings.h"

/* The bodies of a simulation as they are now, and their light. */
typedef struct vt_staged_body vt_staged_body;

typedef struct vt_stage {
    vt_staged_body *items;
    struct world_box *boxes; /* of their solids */
    int32_t count;
    f4 key;
    vt_surroundings surroundings;
    const struct vt_lamps *lamps; /* of the fire (preview/lamps.h); NULL (at first): none */
    const vt_bricks *smoke;       /* that is lit, and casts its shadow; NULL (at first): none */
    double haze;                  /* distance at which planes fade into the background, m */
} vt_stage;

/* simulation may be NULL: nothing is staged. VT_BUSY, VT_OUT_OF_MEMORY. To be destroyed unless it
 * fails; the simulation may go on meanwhile, but keeps its bodies. */
vt_status vti_create_stage(vt_simulation *simulation, const vt_preview_def *def, vt_stage *stage);
void vti_destroy_stage(vt_stage *stage);

/* The part of a way of length 1 from the eye in the rooms of all containers: no smoke is elsewhere,
 * whatever the voxels at their walls hold. */
vt_stretch vti_part_in_rooms(const vt_stage *stage, const double eye[3], const double way[3]);

/* Whether no body keeps the key light off a point; one in a wall stands for that before it, `off` m
 * from its surface. */
_Bool vti_key_comes_to(const vt_stage *stage, const double point[3], double off);

/* way: of length 1. */
vt_sight vti_see_body(const vt_stage *stage, const double eye[3], const double way[3]);

/* Light of the fire that a body sends back at a point off its surface, its normal of length 1. */
f4 vti_light_of_fire(const vt_stage *stage, const double point[3], const double normal[3]);
