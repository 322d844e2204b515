/* Bodies in the preview: plain grey, lit by the key light and the sky, with hard shadows on each
 * other, and by fire. Containers and what is not there at the moment are not drawn. */
#ifndef VORTON_IO_PREVIEW_BODIES_H
#define VORTON_IO_PREVIEW_BODIES_H

#include "core/simd.h"
#include "vorton.h"

/* The bodies of a simulation as they are now, and their light. */
typedef struct vt_staged_body vt_staged_body;

typedef struct vt_stage {
    vt_staged_body *items;
    int32_t count;
    double key_direction[3]; /* of length 1 */
    f4 key, sky, ground;
    const struct vt_lamps *lamps; /* of the fire (preview_lamps.h); NULL (at first): none */
} vt_stage;

/* simulation may be NULL: nothing is staged. VT_BUSY, VT_OUT_OF_MEMORY. To be destroyed unless it
 * fails; the simulation may go on meanwhile, but keeps its bodies. */
vt_status vt_create_stage(vt_simulation *simulation, const vt_preview_def *def, vt_stage *stage);
void vt_destroy_stage(vt_stage *stage);

/* Light (linear) of the first body along a way of length 1 from the eye, and its distance, m;
 * INFINITY: there is none. */
double vt_see_body(const vt_stage *stage, const double eye[3], const double way[3], f4 *light);

#endif
