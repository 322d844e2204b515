/* The table of stages, one per instruction set; vt_stages() gives the one for this processor. */
#ifndef VORTON_STAGES_STAGES_H
#define VORTON_STAGES_STAGES_H

#include "core/arena.h"
#include "stages/boundary.h"
#include "stages/contact.h"
#include "stages/diffuse.h"
#include "stages/force.h"
#include "stages/invariants.h"
#include "stages/masked_slope.h"
#include "stages/motion.h"
#include "stages/patches.h"
#include "stages/poisson.h"
#include "stages/react.h"
#include "stages/scalars.h"
#include "state/grid.h"
#include "vorton.h"

typedef struct vt_stage_table {
#define VT_STAGE(name, parameters) void(*name) parameters;
#include "stages/stages.def"
#undef VT_STAGE
} vt_stage_table;

const vt_stage_table *vt_stages(void);

#define VT_STAGE(name, parameters)                                                                 \
    void VT_PASTE(scalar, name) parameters;                                                        \
    void VT_PASTE(avx2, name) parameters;                                                          \
    void VT_PASTE(avx512, name) parameters;
#include "stages/stages.def"
#undef VT_STAGE

#endif
