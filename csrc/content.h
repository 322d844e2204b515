/* Where the vortons of a simulation are, with births and all else that the grid must hold. */
#ifndef VORTON_CONTENT_H
#define VORTON_CONTENT_H

#include "state/plan.h"
#include "state/simulation.h"

/* Where the vortons are, with circulation or without. */
typedef struct vt_content {
    double least[3], most[3]; /* m */
    int32_t exists;           /* some alive vorton carries circulation or is a charge */
} vt_content;

/* Bounds of the vortons, births of this step included (NULL: none). VT_NOT_FINITE names the first
 * bad value of position or strength. */
vt_status vt_find_content(vt_simulation *s, const vt_births *births, vt_content *content);

#endif
