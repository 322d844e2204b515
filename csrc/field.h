/* The fields of a simulation: the grid that follows the vortons, and the velocity on it. */
#ifndef VORTON_FIELD_H
#define VORTON_FIELD_H

#include "content.h"
#include "stages/baroclinic.h"
#include "state/simulation.h"

/* Adds to *total the seconds since `since`: times a stage of simulation s. */
#define VT_TIMED(s, stage, call)                                                                   \
    do {                                                                                           \
        const double since_ = vt_now();                                                            \
        call;                                                                                      \
        vt_timer_add(&(s)->timers[VT_TIME_OF_##stage], since_);                                    \
    } while (0)

/* Distance between the nodes at the finest level, m; 0: nothing says it yet. */
double vt_base_spacing(const vt_simulation *s);

/* Distance between the nodes of the grid as it is placed now, or would be around the first vortons
 * beside warm bodies, m. */
double vt_grid_spacing(const vt_simulation *s);

/* Radius of the finest cores that the method sees, m: on the grid those at its finest level. */
double vt_finest_core(const vt_simulation *s);

/* Places the grid around the content, starting from placement. */
vt_status vt_place_grid(const vt_simulation *s, const vt_content *content, vt_placement *placement);

/* The arrays of s->grid for the placement. */
void vt_lay_out_grid(vt_simulation *s, const vt_placement *placement);

/* Variance that the filter adds to make cores of s->grid.core, cells^2. */
double vt_filter_variance(const vt_simulation *s);

/* Records of the rows from `first` on, positions in cells of the grid. */
void vt_collect_records(const vt_simulation *s, const vt_grid *grid, int64_t first, int64_t count,
                        vt_record *records);

/* Velocity at the nodes from records in any order; leaves them sorted by grid row. sorted has room
 * for count, row_start for cells[1] x cells[2] + 1. newborn: whether there may be any,
 * whose records are then marked for the rates that come next. */
void vt_solve_field(vt_simulation *s, int64_t count, const vt_record *records, vt_record *sorted,
                    uint32_t *row_start, int newborn);

/* Means of what the vortons carry (scalars.c), in means->nodes, from records that are sorted by the
 * rows of that grid. Without a fourth lane the nodes have 1 there, or 0 where no vorton is near. */
void vt_find_means(vt_simulation *s, int64_t count, const vt_record *sorted,
                   const uint32_t *row_start, const vt_scalar_lane lanes[4], vt_grid *means);

/* What the vortons feel of the density around them, from the records that vt_solve_field sorted,
 * beside the bodies as they are at a time, s. */
void vt_solve_scalars(vt_simulation *s, int64_t count, const vt_record *sorted,
                      const uint32_t *row_start, double time, vt_buoyancy *buoyancy);

/* The column of accelerations where the method needs it, else NULL: viewed, it is then 0. */
static inline float *vt_accelerations(const vt_simulation *s)
{
    return s->def.method.buoyancy == VT_BUOYANCY_FULL ? s->vortons.acceleration : NULL;
}

/* Whether the velocity comes from a grid: else from sums over the vortons. */
static inline int vt_has_grid(const vt_simulation *s)
{
    return s->def.method.velocity == VT_VELOCITY_POISSON;
}

/* Velocity (count x 3), gradient (count x 9; may be NULL) and, with it, that of div A (count x 3)
 * at targets, by the sum over all pairs or by the tree, as the method says. */
void vt_sum_vortons(vt_simulation *s, int64_t count, const float *targets,
                    const vt_pair_sources *from, float *velocity, float *gradient,
                    float *divergence);

#endif
