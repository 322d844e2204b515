/* Where the working grid lies: it follows the vortons on a world lattice, or is a box that does not
 * care where it was. */
#ifndef VORTON_STAGES_DOMAIN_H
#define VORTON_STAGES_DOMAIN_H

#include <stdint.h>

#include "vorton.h"

/* Cells kept free between the vortons and the faces: the filtered core (1.5 cells) has decayed to
 * the far field there, and no later stage of a substep may leave the box. */
enum { VT_DOMAIN_MARGIN = 5 };

/* Part of the state: what the next placement starts from (hysteresis). */
typedef struct vt_placement {
    int32_t cells[3]; /* 0 before the first */
    double base[3];   /* first node, in spacings from the world's origin */
    int32_t level;    /* the spacing is spacing x 2^(level / 8) */
} vt_placement;

/* The spacing at a level, -8 and more; the domain has level 0 and more. */
double vt_domain_spacing(double spacing, int32_t level);

/* Memory for max_nodes nodes is enough for grids that pass this test. */
int vt_domain_fits(const int32_t cells[3], int64_t max_nodes);

/* Moves, grows or shrinks the placement as little as possible, so that the bounds [least, most] (m)
 * lie inside with the margin. VT_INVALID_ARGUMENT when no grid of max_nodes can hold them. */
vt_status vt_place_domain(vt_placement *placement, const double least[3], const double most[3],
                          double spacing, int64_t max_nodes);

/* The smallest grid of the finest spacing around the bounds and the margin, with the bounds in its
 * middle, off the lattice. Errors as above. */
vt_status vt_place_box(vt_placement *placement, const double least[3], const double most[3],
                       double spacing, int64_t max_nodes);

#endif
