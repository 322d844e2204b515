/* What is born: structures of vortons, parcels of fluid and emitters of tracers, as definitions. */
#ifndef VORTON_STATE_SOURCES_H
#define VORTON_STATE_SOURCES_H

#include "core/arena.h"
#include "state/births.h"
#include "state/fluid_def.h"
#include "state/parcels.h"
#include "state/shapes.h"
#include "state/structures.h"
#include "vorton.h"

/* Numbers of tracers born at points: those of one birth. */
typedef struct vt_point_numbers {
    double rate, density, size, lifetime, growth, fade, jitter;
} vt_point_numbers;

/* Tracers from a shape, or from points. */
typedef struct vt_emitter {
    int64_t count;                /* born at start, 0: none */
    double rate, start, end;      /* 1/s, s */
    uint64_t seed;                /* key of its sequence */
    int32_t filled;               /* its `count` are born */
    int32_t parent;               /* transform that places its tracers, 0: none */
    vt_animations animations;     /* of vt_emitter_def or, at points, vt_point_numbers; rate is
                                     then the largest */
    vt_rate_sum rate_sum;         /* of an animated rate */
    vt_region region;             /* the shape, with a copy of its mesh */
    double density;               /* smoke in the shape, kg/m^3 */
    double lifetime;              /* s */
    double growth;                /* m/s */
    double fade;                  /* share of the lifetime */
    vt_fluid_def fluid;           /* of its tracers themselves */
    uint32_t members;             /* that it, or points, have (vt_fluid_members) */
    vt_tracer_points_def *points; /* the arrays are behind it in one block; NULL: a shape */
} vt_emitter;

typedef struct vt_sources {
    vt_structures structures; /* those to be born in time */
    vt_emitter *emitters;
    int32_t emitter_count;
    int32_t parcels_count;
    vt_parcels *parcels;
} vt_sources;

void vt_destroy_sources(vt_sources *sources);

/* What is the own of tracers from points, by its number VT_TAKEN_... */
const float **vt_own_of_points(vt_tracer_points_def *points, int taken);

/* Fills `to` with copies of all sources; on failure it is to be destroyed all the same. */
vt_status vt_copy_sources(const vt_sources *from, vt_sources *to);

#endif
