/* The vortons on their way through a substep: records from stage to stage of the scheme. */
#ifndef VORTON_WORK_H
#define VORTON_WORK_H

#include "reaction.h"
#include "scheme.h"
#include "stages/baroclinic.h"
#include "state/plan.h"
#include "state/simulation.h"
#include "tracers.h"

/* The vortons of a substep, in arena memory while it lasts. */
typedef struct vt_work {
    vt_record *records, *sorted; /* sorted: by grid row, after a solve */
    vt_rate *rates;              /* where the records are */
    vt_record *base;             /* in the order of the columns; NULL: not needed */
    vt_rate *first;              /* rates of the first stage, likewise */
    float *core;                 /* of a later stage, likewise; NULL: those of the columns */
    float *velocity, *gradient, *divergence; /* of sums without a grid, else NULL */
    uint32_t *row_start;
    int64_t count;
    int32_t newborn, born; /* whether the next solve, or one before, is the first of some of them */
    vt_grid space;         /* the grid; without one space itself, in metres */
    vt_buoyancy buoyancy;
    vt_field field;
    vt_tracer_work tracers;
} vt_work;

enum { VT_SORT_EVERY = 8 }; /* substeps between sorting the columns themselves */

/* The records of now, in s->arena, with room for the births of the step. */
void vt_open_work(vt_simulation *s, const vt_births *births, const vt_scheme *scheme, vt_work *w);

/* The field of the records, which are what the vortons are at a time, s. */
void vt_solve_work(vt_simulation *s, double time, vt_work *w);

/* After a solve, now and then the columns themselves take the order of the grid, for the sake of
 * the caches. */
void vt_sort_columns(vt_simulation *s, vt_work *w);

/* Velocity and stretching at the records of this stage. */
void vt_find_rates(vt_simulation *s, vt_work *w);

/* From the rates of a stage to the records of the next, in a substep of dt seconds. */
void vt_reach(vt_simulation *s, const vt_scheme *scheme, int stage, double dt, vt_work *w);

/* Vortons that are born join the records of the last stage: the rows from `first` on. */
void vt_add_newborn(vt_simulation *s, vt_work *w, int64_t first);

/* The columns at the end of a substep of dt seconds; what bodies owe to vortons for it. */
void vt_finish(vt_simulation *s, const vt_scheme *scheme, vt_work *w, double dt,
               vt_reaction *reaction);

#endif
