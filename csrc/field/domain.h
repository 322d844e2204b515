/* Where the working grid lies: it follows the vortons on a world lattice, or is a box that does not
 * care where it was. */
#pragma once

#include "model/grid.h"

enum { VT_COARSEST_LEVEL = 400 };

/* The spacing at a level, -8 and more; the domain has level 0 and more. */
double vti_domain_spacing(double spacing, int32_t level);

/* Memory for max_nodes nodes is enough for grids that pass this test. */
int vti_domain_fits(const int32_t cells[3], int64_t max_nodes);

/* Moves, grows or shrinks the placement as little as possible, so that the bounds [least, most] (m)
 * lie inside with the margin. VT_INVALID_ARGUMENT when no grid of max_nodes can hold them. */
vt_status vti_place_domain(vt_placement *placement, const double least[3], const double most[3],
                           double spacing, int64_t max_nodes);

/* The smallest grid of the finest spacing around the bounds and the margin, with the bounds in its
 * middle, off the lattice. Errors as above. */
vt_status vti_place_box(vt_placement *placement, const double least[3], const double most[3],
                        double spacing, int64_t max_nodes);
