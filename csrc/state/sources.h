/* What bears particles, and what a step bears: the structs. */
#pragma once

#include "kernels/grid/filter_taps.h"
#include "model/birth_sequence.h"
#include "model/columns.h"

typedef struct vt_wave {
    double k[3], amplitude[3], curl[3], phase; /* curl = k x amplitude; phase in turns */
} vt_wave;

/* Tracers to be born; lifetime INFINITY: none. */
typedef struct vt_tracer_list {
    float *position, *density, *size, *lifetime, *growth, *fade;
    double *time; /* s */
    float
        *carried[VT_TAKEN_COLUMNS]; /* what is their own; temperature 0: nothing; NULL: none has */
} vt_tracer_list;

enum { VT_SWIRL_WAVES = 24 };

/* Of each wave one number in a row: sums over all of them go in vectors. */
typedef struct vt_random_eddies {
    double sweep[3];                      /* m/s */
    double wavenumber[3][VT_SWIRL_WAVES]; /* turns a metre */
    double frequency[VT_SWIRL_WAVES];     /* pace_n |k_n|, turns a second */
    double phase[VT_SWIRL_WAVES];         /* turns */
    double amplitude[3][VT_SWIRL_WAVES];
    double curl[VT_MOST_FILTERS][3][VT_SWIRL_WAVES]; /* k_n x a_n, 1/m, as strong as cores of so
                                                      * many filters, less 1, want it */
} vt_random_eddies;

typedef struct vt_fluid_emitter {
    vt_birth_stream stream; /* rate: over all of its region, 0: one filling at start */
    vt_region shape;        /* fluid that differs is born here, ambient fluid in the rest of the
                               stream's region */
    double core, spacing;   /* m; of points the smallest core, and no spacing */
    double swirl;           /* m/s */
    double taper, flicker;  /* shares, of fuel or smoke */
    /* Born at these instead, without shapes; the arrays are behind it in one block. */
    vt_vorton_points_def *points;
    vt_random_eddies *eddies; /* NULL without swirl and flicker; owned */
    float *fits;              /* sources/room_lattice.h: of a shape that does not change; owned */
} vt_fluid_emitter;

/* Parcels to be born, in the order of their times: temperature 0 is that of the ambient fluid. */
typedef struct vt_parcel_list {
    int64_t count;
    float *position, *strength, *core, *volume, *carried[VT_COMPOSITION_COLUMNS], *lifetime;
    double *time; /* s */
} vt_parcel_list;

/* Births of one source in one step: rows [next, end) of the list are still to come, in the order of
 * their times. */
typedef struct vt_birth_run {
    int64_t next, end;
    int32_t set;       /* VT_VORTONS or VT_TRACERS */
    int32_t neutral;   /* vortons without strength */
    int32_t is_vortex; /* vortons of a structure that brings no fluid */
    uint32_t flags;    /* of the newborn */
    uint32_t line;     /* of vt_vorton_list */
    int32_t source;    /* id */
} vt_birth_run;

/* Where vortons are written: count x 3, count x 3, count, count floats. */
typedef struct vt_vorton_list {
    float *position, *strength, *core, *volume;
    int64_t count;
    uint32_t line; /* flags: whether they are the pieces of one line, one after the other */
    double sum[3], sum_of_sizes;     /* of the strengths so far: sum, and sum of the lengths */
    const vt_simulation *simulation; /* whose vortons they will be, */
    double scale;                    /* so many times as large as the structure has them */
} vt_vorton_list;

typedef struct vt_structure_kind {
    const char *name; /* in messages */
    int64_t (*count)(const void *data, int64_t pulse);
    void (*fill)(const void *data, int64_t pulse, vt_vorton_list *list); /* count vortons */
    void (*destroy)(void *data); /* with the memory of data itself */
    /* what the fluid of the vortons of a pulse carries, the same for all of them; NULL: `carried`
     * says it, as many values, or NULL where it is as the ambient fluid */
    vt_fluid_def (*fluid)(const void *data, int64_t pulse);
    const float *(*carried)(const void *data, int column);
    const float *(*lifetimes)(const void *data); /* s; NULL, also as the function: endless */
    const vt_animations *(*animations)(const void *data); /* of its parameters; NULL: none change */
} vt_structure_kind;

/* Pulse n is born at start + n period, s, or where the integral of a rate from start is n, while
 * that is before end; with a period of 0 there is pulse 0 alone. */
typedef struct vt_structure {
    const vt_structure_kind *kind;
    void *data; /* from malloc; never changes, belongs to the structure and its copies */
    double start, period, end;
    const vt_rate_sum *sum; /* of a rate that changes, in data; else NULL */
    int32_t parent;         /* transform that places each birth, 0: none */
    _Atomic int32_t
        *owners;      /* how many simulations hold data; from malloc, NULL before it is kept */
    uint32_t members; /* what its fluid carries (vti_fluid_members), found when it is added; 0: it
                         brings none */
    int32_t id;       /* of the source */
} vt_structure;

/* One birth of a step. */
typedef struct vt_structure_birth {
    const vt_structure *structure;
    int64_t pulse, count;
    double time;
} vt_structure_birth;

/* Births of one step, in arena memory. */
/* The source that most of a set comes from in a step; count 0: none is born. */
typedef struct vt_most_births {
    int64_t count;
    int32_t source;
} vt_most_births;

typedef struct vt_births {
    vt_most_births most[2];
    int64_t vorton_count; /* of all structures and parcels */
    float *vorton_position, *vorton_strength, *vorton_core, *vorton_volume;
    float *vorton_composition[VT_COMPOSITION_COLUMNS]; /* temperature 0: ambient; these and the next
                                                  NULL where none are parcels */
    float *vorton_lifetime;
    double *vorton_time;  /* s */
    int64_t tracer_count; /* of all emitters */
    vt_tracer_list tracers;
    vt_structure_birth *structures; /* those due */
    int64_t structure_count;
    vt_parcel_list *parcels; /* of each emitter of parcels */
    vt_birth_run *runs;      /* structures, parcels, emitters */
    int32_t run_count;
    double until; /* who was due by then is born, s */
} vt_births;

/* Tracers from a shape, or from points. */
typedef struct vt_tracer_emitter {
    vt_birth_stream stream;       /* animations of vt_tracers_def or, at points, vt_point_numbers */
    int64_t count;                /* born at start, 0: none */
    double density;               /* smoke in the shape, kg/m^3 */
    double growth;                /* m/s */
    double fade;                  /* share of the lifetime */
    int32_t emitter;              /* whose taper and flicker thin the smoke, an id; -1: none */
    vt_tracer_points_def *points; /* the arrays are behind it in one block; NULL: a shape */
    int32_t filled;               /* its `count` are born */
    uint32_t members;             /* that it, or points, have (vti_fluid_members) */
} vt_tracer_emitter;

typedef struct vt_structures {
    vt_structure *item;
    int32_t count;
} vt_structures;

/* Which function made a source; VT_SOURCE_REMOVED: it was removed. */
enum {
    VT_SOURCE_REMOVED,
    VT_SOURCE_RING,
    VT_SOURCE_JET,
    VT_SOURCE_FILAMENT,
    VT_SOURCE_TUBE,
    VT_SOURCE_CLOUD,
    VT_SOURCE_VORTON_POINTS,
    VT_SOURCE_TRACERS,
    VT_SOURCE_EMITTER,
    VT_SOURCE_TRACER_POINTS
};

/* Where the vortons of a source were born last: all at once, or in one step; m. least[0] > most[0]:
 * none were yet. */
typedef struct vt_birth_box {
    float least[3], most[3];
} vt_birth_box;

/* Ids are 0, 1, ... over all sources, and never used again: what is born at once has one, too, but
 * is in none of the lists. */
typedef struct vt_sources {
    vt_structures structures; /* those to be born in time */
    vt_tracer_emitter *emitters;
    int32_t tracer_emitter_count;
    int32_t fluid_emitter_count;
    vt_fluid_emitter *parcels;
    uint8_t *made_by;                    /* VT_SOURCE_... of each id */
    vt_birth_box *born_in;               /* of each id */
    int32_t made;                        /* ids in use so far */
    int32_t emitters_made, parcels_made; /* in all: numbers of their random sequences */
} vt_sources;

/* What a source takes over of the one whose definition it replaces. */
typedef struct vt_predecessor {
    int32_t has_seed, has_filled; /* it has a sequence; what it bears at once is born */
    uint64_t seed;                /* key of the sequence */
    double start;                 /* s */
} vt_predecessor;
