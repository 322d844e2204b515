/* The whole state of a simulation. Kernels get the arrays that they work on; all stages above them
 * see all of it. */
#pragma once

#include "base/timing.h"
#include "kernels/dispatch.h"
#include "model/warnings.h"
#include "state/kept_walls.h"
#include "state/force_field.h"
#include "state/kill.h"
#include "state/panels.h"
#include "state/sources.h"
#include "state/wind.h"

enum vt_timed_stage {
#define VT_TIMED_STAGE(name, description) VT_TIME_OF_##name,
#include "vorton/timings.def"
    VT_TIMED_STAGES
};

/* The vortons that a sum gathers from; none: those of the columns. */
typedef struct vt_pair_sources {
    int64_t count;
    float *position, *strength, *core; /* m, m^3/s, m */
} vt_pair_sources;

/* Heat of the vortons, J: see state/heat_budget.h. */
typedef struct vt_heat_books {
    double released, radiated, mixed; /* since creation */
    double bodies;                    /* given by bodies, less what they took */
    double brought;                   /* by those that came, less by those that went */
    double known;                     /* heat of the vortons when last looked at */
} vt_heat_books;

/* About the origin, since creation: see conservation/body_impulse_budget.h and
 * contact/article_impulse.h. */
typedef struct vt_impulse_books {
    vt_impulse buoyant, forced, outer; /* over density */
    vt_impulse support, hits;          /* N s, N m s */
} vt_impulse_books;

/* How the container moves that holds the fluid: see state/container_frame.h. */
typedef struct vt_container_frame {
    int32_t by;             /* its number among the bodies + 1, 0: none */
    int32_t moved;          /* whether moved_with is known */
    double velocity[3];     /* of its centre, at the end of the last step, m/s */
    double next[3];         /* and at the end of this one */
    double acceleration[3]; /* in this step, m/s^2 */
    double jumped_until;    /* its jumps up to this time have been taken, s */
    double jump;            /* when it jumps in this substep, s; INFINITY: it does not */
    double moved_with[3];   /* the wind of the last substep, where that was its velocity */
} vt_container_frame;

/* Particles that walls held, and pairs of a particle and a wall that were looked at for that. */
typedef struct vt_contact_counts {
    int64_t held, looks;
} vt_contact_counts;

struct vt_simulation {
    /* Plain values, which a copy of the simulation takes whole: nothing up to `vortons` may own
     * memory. First what is fixed at creation: the definition (threads resolved), the kernels for
     * this processor. */
    vt_simulation_def def;
    const vt_stage_table *stages;

    /* what evolves: with the definition, the particles and the sources, all that the next step
     * depends on; from `placement` to `viewed` step/undo.c puts it back */
    vt_placement placement;
    double time;          /* s */
    double smallest_core; /* of the vortons alive, m; 0: none */
    int64_t next_id[2];   /* of vortons and tracers */
    double last_substep;  /* its length, s; 0 before the first */
    double rates_at[2];   /* the times of both past_rates of the vortons, s */
    int32_t rates_known;  /* whether these are of this step */
    int64_t steps;        /* calls of vt_step that moved time */
    double born_until; /* after a step that failed half-way, who was due by then is born; or -1 */
    int64_t populated_id;    /* next id of vortons when the halo was last looked after */
    double strained;         /* since then: largest velocity gradient x time */
    double diffused;         /* since then: largest diffusivity x time of long steps, m^2 */
    int32_t shell_width;     /* of the halo that the last of them wanted, in spacings */
    int32_t automatic_cores; /* what they are: VT_CORES_FILTERED or VT_CORES_SHARP */
    int32_t cores_are_known; /* whether that is decided */
    double populated_at;     /* when that was, s */
    int32_t forces_filled;   /* and how many forces acted on the fluid then; -1: one has changed */
    double undiffused[2];    /* viscosity, thermal diffusivity x time that wait, m^2 */
    struct {
        double turned;        /* what times the renewals of their fields, rad */
        double renewed_at[2]; /* s */
        double time, angle;   /* since they last stirred the tracers, s, rad */
    } eddies;                 /* below the grid */
    int64_t substeps;         /* since creation: sets the cadence of sorting the columns */
    int wake_is_cut;          /* vortons that bodies have shed were removed */
    vt_heat_books heat;
    vt_impulse_books impulses;
    vt_container_frame carried;
    double tracers_burnt;       /* the time until which tracers have burnt, s */
    int64_t contact_checked[2]; /* rows of lower ids are known to lie outside of bodies at birth */
    uint32_t shown;     /* columns (bits) of vortons kept for views alone: step/shown_columns.h */
    uint32_t was_aside; /* those of them (bits) that steps have done without */
    uint32_t viewed[2]; /* columns (bits) of which views are out: they may be written any time */

    /* records */
    vt_extremes extremes;
    int32_t last_substeps, unbalanced; /* of those, in which the balance gave up */
    vt_contact_counts contacts;        /* of the last step */
    vt_blow_up blow_up;                /* of the last step that did; struct_size 0: none did */
    vt_warnings warnings;
    double unlit; /* time for which there was fuel and nothing to light it, s; -1: no matter */
    vt_timer timers[VT_TIMED_STAGES];

    /* What owns memory: vt_copy_simulation copies each by a function of its own. */
    vt_vortons vortons;
    vt_tracers tracers;
    vt_sources sources;
    vt_winds winds;
    vt_forces forces;
    vt_kills kills;
    vt_transforms transforms;
    vt_bodies bodies;
    vt_animations animations; /* of the definition, which holds what they are over this step */

    /* What a copy makes anew: the fields, whether they belong to the particles of now (and the
     * digest of those columns, where they were viewed; else 0), scratch. */
    vt_grid grid;
    vt_moments moments;
    vt_moments
        charges; /* of minus the sources of the scalar potential: see field/scalar_potential.h */
    vt_poisson_plan plan;
    vt_panels panels;
    vt_kept_lattice kept_lattice;
    int32_t fields_current, fields_exist;
    uint64_t fields_digest;
    void *grid_memory;
    size_t grid_bytes, grid_committed; /* base/reserve.h */
    void *shown_memory; /* of fields that are made for who asks: see field/shown_fields.h; NULL:
                           none was asked for yet */
    size_t shown_bytes;
    vt_pair_sources pairs; /* of sums inside a substep; at other times empty */
    double vorton_spacing; /* of this substep, m: see population/control.h */
    vt_arena arena;
    vt_progress_function *progress; /* called before each substep; NULL: none */
    void *progress_context;
    _Atomic int busy;
};

/* Whether a view of the column is out. */
static inline int vti_is_viewed(const vt_simulation *s, int set, int column)
{
    return s->viewed[set] >> column & 1;
}

/* What the fields of now hold of bodies and of their panels may be gone: all of it is made anew
 * when it is needed next. */
static inline void vti_forget_fields(vt_simulation *s)
{
    s->fields_current = s->fields_exist = 0;
    s->panels.exist = s->panels.body_count = 0;
    s->panels.near.body_count = 0;
    s->kept_lattice.count = 0;
}

/* Address space that only simulations with bodies need, for panels and for the lattice of contact:
 * before the first body is there, and at any time after. VT_OUT_OF_MEMORY: the system refuses, and
 * nothing has changed. */
vt_status vti_reserve_for_bodies(vt_simulation *simulation);
void vti_release_for_bodies(vt_simulation *simulation);

/* Makes the animated members of the definition what they are over the next dt seconds: their means.
 */
void vti_animate_definition(vt_simulation *simulation, double dt);

/* Enters a public function that works on the state: VT_INVALID_ARGUMENT for NULL, VT_BUSY when
 * another thread is inside. Leave with vti_leave, which returns `status`, on every way out. */
vt_status vti_enter(vt_simulation *simulation);
vt_status vti_leave(vt_simulation *simulation, vt_status status);

/* Does something with a definition inside of the simulation: what the public functions that take
 * one are made of. */
typedef vt_status vt_use_definition(vt_simulation *simulation, const void *def, void *result);
vt_status vti_accept_and_use(const vt_definition *definition, vt_simulation *simulation,
                             const void *def, vt_use_definition *use, void *result);
