/* The vortons on their way through a substep: records from stage to stage of the scheme. */
#pragma once

#include "conservation/body_impulse_budget.h"
#include "kernels/particles/stretching_bound.h"
#include "state/sources.h"
#include "tracers/advection.h"

/* The vortons of a substep, in arena memory while it lasts. */
typedef struct vt_substep {
    vt_record *records, *sorted; /* sorted: by grid row, after a solve */
    vt_rate *rates;              /* rates, in the memory of `records` */
    vt_record *base;             /* in the order of the columns; NULL: not needed */
    vt_rate *first;              /* rates of the first stage, likewise */
    f4 *bend;                    /* of vt_past, of the first `bent` columns */
    int64_t bent;
    int32_t extrapolates; /* rates of the substeps before stand for the first stage */
    int32_t continues;    /* a substep of the same step comes after it */
    float *core;          /* cores at a later stage, likewise; NULL: those of the columns */
    float *velocity, *gradient, *divergence; /* sums over vortons, without a grid; else NULL */
    uint32_t *row_start;
    int64_t count;
    /* whether the next solve, or one before, is the first of some of them: of these */
    int32_t is_first, born;
    vt_newborn newborn;
    vt_grid space; /* the grid; without a grid the world, in metres */
    vt_buoyancy buoyancy;
    float *felt; /* room for where vortons feel it */
    vt_velocity_source field;
    vt_tracer_substep tracers;
} vt_substep;

enum { VT_SORT_EVERY = 8 }; /* substeps between sorting the columns themselves */

/* The records of now, in s->arena, with room for the births of the step. Where rates are
 * extrapolated they are taken as sorted. */
void vti_open_substep(vt_simulation *s, const vt_births *births, const vt_scheme *scheme,
                      vt_substep *w);

/* The field of the records, which are what the vortons are at a time, s. */
void vti_solve_substep(vt_simulation *s, double time, vt_substep *w);

/* After a solve, now and then the columns themselves take the order of the grid, for the sake of
 * the caches. */
void vti_sort_columns(vt_simulation *s, vt_substep *w);

/* Velocity and stretching at the records of this stage. */
void vti_find_rates(vt_simulation *s, vt_substep *w);

/* The same for the first stage of a substep of dt seconds from the rates of those before it. */
void vti_extrapolate_rates(vt_simulation *s, double dt, vt_substep *w);

/* From the rates of a stage to the records of the next, in a substep of dt seconds. */
void vti_advance_to_stage(vt_simulation *s, const vt_scheme *scheme, int stage, double dt,
                          vt_substep *w);

/* Vortons that are born join the records of the last stage: the rows from `first` on. */
void vti_add_newborn(vt_simulation *s, vt_substep *w, int64_t first);

/* The columns at the end of a substep of dt seconds; what bodies owe to vortons for it. */
void vti_finish(vt_simulation *s, const vt_scheme *scheme, vt_substep *w, double dt,
                vt_reaction *reaction);
