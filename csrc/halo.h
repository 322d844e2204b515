/* What the parts of the halo share: see halo.c. */
#ifndef VORTON_HALO_H
#define VORTON_HALO_H

#include "halo_lattice.h"
#include "state/simulation.h"

/* What a vorton is to the halo. */
enum {
    VT_HALO_SOURCE = 1, /* it needs one around it */
    VT_HALO_LASTING = 2 /* it stays without one */
};

typedef struct vt_halo {
    vt_simulation *simulation;
    vt_halo_lattice lattice;
    double vorticity;           /* that counts as carrying strength, 1/s */
    double least;               /* |rho'| that counts as differing, kg/m^3 */
    int32_t width;              /* nodes */
    int32_t strength, contrast; /* whether what carries strength, what differs is a source */
    vt_fluid fluid;             /* from which it differs */
    int64_t count;              /* vortons before any is born */
    uint8_t *part;              /* of each of them: VT_HALO_... */
    vt_brick **bricks;
    const vt_pose *pose; /* of each body */
} vt_halo;

/* Vortons of newborn vortices take up fluid from those around them; the lattice must be filled. */
void vt_take_up_fluid(const vt_halo *halo);

#endif
