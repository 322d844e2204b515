/* The table of kernels, one per instruction set; vti_stages() gives the one for this processor. */
#pragma once

#include "kernels/bodies/contact_broad_phase.h"
#include "kernels/bodies/panel_velocity.h"
#include "kernels/grid/curl.h"
#include "kernels/grid/deposit.h"
#include "kernels/grid/gaussian_filter.h"
#include "kernels/grid/half_floats.h"
#include "kernels/grid/leaf_filter.h"
#include "kernels/grid/leaf_sample.h"
#include "kernels/grid/masked_gradient.h"
#include "kernels/grid/node_diffusion.h"
#include "kernels/grid/scalar_means.h"
#include "kernels/grid/strain_rate.h"
#include "kernels/grid/walled_gradient.h"
#include "kernels/particles/advect_tracers.h"
#include "kernels/particles/combustion.h"
#include "kernels/particles/force_field.h"
#include "kernels/particles/gather_records.h"
#include "kernels/particles/invariant_sums.h"
#include "kernels/particles/lattice_places.h"
#include "kernels/particles/lattice_rounding.h"
#include "kernels/particles/particle_strength_exchange.h"
#include "kernels/particles/range_check.h"
#include "kernels/particles/sort_by_row.h"
#include "kernels/particles/stir_tracers.h"
#include "kernels/particles/strength_filter.h"
#include "kernels/particles/strength_moments.h"
#include "kernels/particles/stretching.h"
#include "kernels/particles/stretching_bound.h"
#include "kernels/particles/vorton_content.h"
#include "kernels/poisson/poisson_direct.h"
#include "kernels/poisson/poisson_multigrid.h"
#include "kernels/sums/boundary_potential.h"
#include "kernels/sums/boundary_potential_article.h"
#include "kernels/sums/boundary_potential_tree.h"
#include "kernels/sums/cluster_moments.h"
#include "kernels/sums/direct_sum.h"
#include "kernels/sums/far_field.h"
#include "kernels/sums/tree_sum.h"

typedef struct vt_stage_table {
#define VT_KERNEL_ROW(name) vt_##name##_kernel *name;
#include "kernels/kernels.def"
} vt_stage_table;

const vt_stage_table *vti_stages(void);
