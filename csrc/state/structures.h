/* Structures of vortons that are born whole: rings, filaments, clouds, points, and jets, which make
 * a ring for each pulse. Half of a vortex line would be none. */
#ifndef VORTON_STATE_STRUCTURES_H
#define VORTON_STATE_STRUCTURES_H

#include "core/arena.h"
#include "state/fluid_def.h"
#include "state/pose.h"
#include "state/rate.h"
#include "state/section.h"

typedef struct vt_structure_kind {
    const char *name; /* in messages */
    int64_t (*count)(const void *data, int64_t pulse);
    void (*fill)(const void *data, int64_t pulse, vt_vorton_list *list); /* count vortons */
    void (*destroy)(void *data);
    /* what the fluid of the vortons of a pulse carries, the same for all of them; NULL: `carried`
     * says it, as many values, or NULL where it is as the ambient fluid */
    vt_fluid_def (*fluid)(const void *data, int64_t pulse);
    const float *(*carried)(const void *data, int column);
    const float *(*lifetimes)(const void *data); /* s; NULL, also as the function: endless */
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
    uint32_t members; /* what its fluid carries (vt_fluid_members), found when it is added; 0: it
                         brings none */
} vt_structure;

typedef struct vt_structures {
    vt_structure *item;
    int32_t count;
} vt_structures;

void vt_destroy_structures(vt_structures *structures);

/* Makes `to` hold the same structures; VT_OUT_OF_MEMORY leaves nothing to destroy. */
vt_status vt_copy_structures(const vt_structures *from, vt_structures *to);

/* Takes over a structure whose definition was checked: destroys its data when that fails. */
vt_status vt_add_structure(vt_simulation *simulation, vt_structure *structure);

/* One birth of a step. */
typedef struct vt_structure_birth {
    const vt_structure *structure;
    int64_t pulse, count;
    double time;
} vt_structure_birth;

/* The births with time in [from, to), in the order of the structures: writes at most `room` of them
 * and returns how many there are; INT64_MAX for more than 2^14. */
int64_t vt_find_structure_births(const vt_structures *structures, double from, double to,
                                 int64_t room, vt_structure_birth *births);

/* The vortons of a birth (list: room for its count) where the parent has them at its time: lengths,
 * cores and strengths grow with its scale, so that circulations stay. */
void vt_fill_structure(const vt_transforms *transforms, const vt_structure_birth *birth,
                       vt_vorton_list *list);

/* What the fluid of the vortons of a birth carries in a column VT_CARRIED_... of its members: a
 * value for each; temperature 0 is that of the ambient fluid. */
void vt_fill_carried(const vt_structure_birth *birth, int column, float *values);

/* The lifetimes of its vortons, s; NULL: they have none. */
const float *vt_structure_lifetimes(const vt_structure *structure);

/* Whether its births may lie elsewhere than the first one. */
int vt_structure_changes(const vt_structure *structure);

/* A list of count vortons in arena memory. */
vt_vorton_list vt_new_vorton_list(vt_arena *arena, int64_t count, int threads);

#endif
