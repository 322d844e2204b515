/* A simulation: created, stepped, copied, destroyed. */
#ifndef VORTON_SIMULATION_H
#define VORTON_SIMULATION_H

#include "vorton/method.h"
#include "vorton/animation.h"

VT_BEGIN_C

typedef struct vt_simulation vt_simulation;

enum { VT_AT_CAPACITY_ERROR, VT_AT_CAPACITY_OLDEST, VT_AT_CAPACITY_STOP };

enum { VT_GAS, VT_LIQUID };

/* The fluid at rest around everything: ambient.def. */
typedef struct vt_ambient {
    size_t struct_size;
#include "vorton/ambient.def"
} vt_ambient;

enum { VT_BURN_NONE, VT_BURN_SIMPLE, VT_BURN_ARRHENIUS };

/* How fluid burns and cools: combustion.def. */
typedef struct vt_combustion {
    size_t struct_size;
#include "vorton/combustion.def"
} vt_combustion;

/* What a simulation is created from: simulation.def. */
typedef struct vt_simulation_def {
    size_t struct_size;
#include "vorton/simulation.def"
} vt_simulation_def;

VT_API vt_status vt_create_simulation(const vt_simulation_def *def, vt_simulation **simulation);

/* A second simulation in the same state: from here on the same calls give the same bits in both,
 * and neither sees the other. max_vortons and max_tracers are the room of the copy, at least for
 * those alive; 0: as in the original. */
VT_API vt_status vt_copy_simulation(vt_simulation *simulation, int64_t max_vortons,
                                    int64_t max_tracers, vt_simulation **copy);

/* NULL is allowed; no thread may be inside the simulation. */
VT_API void vt_destroy_simulation(vt_simulation *simulation);

/* Advances by dt > 0 seconds (0 changes nothing), in as many substeps as the flow needs, at most
 * 4096. Arguments, capacity and all values that were written are looked at before anything moves:
 * then a failure has changed nothing but the room made for births (VT_AT_CAPACITY_OLDEST). A flow
 * may still blow up in a later substep (VT_BLOWN_UP), or vortons that split or diffuse find no
 * room (VT_OVER_CAPACITY), or a body that sheds may go farther through the wind in dt, or in 1/24 s
 * of it, than 32 of its radii and 128 cores (VT_INVALID_ARGUMENT): the substeps before it stay
 * done, vt_time says how far they came, vt_step_count is as before, what was due by vt_time is
 * born, later births are not lost, and another vt_step, a shorter one say, goes on from there. */
VT_API vt_status vt_step(vt_simulation *simulation, double dt);

/* How far a step has come: before each of its substeps. */
typedef struct vt_progress {
    double step;      /* length of the step, s */
    double done;      /* of it, s: 0 at its beginning */
    double time;      /* vt_time would be, s */
    int32_t substeps; /* of this step so far, >= 0 */
} vt_progress;

/* Anything but 0 ends the step. It must not call functions of the simulation, which answer VT_BUSY,
 * but may those of others. */
typedef int vt_progress_function(void *context, const vt_progress *progress);

/* From now on vt_step calls `function` (NULL: none, the default) before each substep, the first
 * too, in the thread that called vt_step. Where it ends the step, vt_step returns VT_CANCELLED, and
 * it is as after any failure in a substep (see vt_step): the whole substeps before it stay done,
 * vt_time says how far they came, vt_step_count is as before, and another vt_step goes on from
 * there, with the births that are still due. Copies of the simulation have no such function.
 * VT_BUSY from inside of a step. */
VT_API vt_status vt_set_progress(vt_simulation *simulation, vt_progress_function *function,
                                 void *context);

VT_API double vt_time(const vt_simulation *simulation); /* s since creation */
VT_API int64_t vt_step_count(const vt_simulation *simulation);

/* Goes on with another method: between two steps, however often. All that evolves stays as it is;
 * what the new method alone needs begins now: vortons of which it counts what they were born with
 * (split) count as born with the strength that they have, those that it lets expand have their
 * volume at their temperature of now, bodies get the panels that it asks for, or lose them, and the
 * grid is placed anew. The memory that was reserved does for every method. Setting the method that
 * the simulation has changes nothing. VT_INVALID_ARGUMENT: a value out of range, or gas that would
 * burn in a closed container. */
VT_API vt_status vt_set_method(vt_simulation *simulation, const vt_method *method);

/* The method of now. */
VT_API vt_status vt_get_method(const vt_simulation *simulation, vt_method *method);

VT_END_C

#endif
