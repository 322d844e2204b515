/* What an emitter of tracers gives: those of its start, and those of its rate. */
#ifndef VORTON_STATE_EMISSION_H
#define VORTON_STATE_EMISSION_H

#include "state/sources.h"

/* Tracers to be born; lifetime INFINITY: none. */
typedef struct vt_tracer_list {
    float *position, *density, *size, *lifetime, *growth, *fade;
    double *time; /* s */
    float
        *carried[VT_TAKEN_COLUMNS]; /* what is their own; temperature 0: nothing; NULL: none has */
} vt_tracer_list;

/* With room for count; `carries`: also for what is their own, which is none at first. */
vt_tracer_list vt_new_tracer_list(vt_arena *arena, int64_t count, int carries);

/* The list from a row on. */
vt_tracer_list vt_tracer_list_from(const vt_tracer_list *list, int64_t row);

/* The first `count` of those that are born at start. */
void vt_emit_at_start(const vt_simulation *s, const vt_emitter *emitter, int64_t count,
                      vt_tracer_list *list);

/* How many of the rate are born in [from, to); about, where that is far beyond the capacity. */
int64_t vt_count_stream(const vt_emitter *emitter, double from, double to, int64_t capacity);

/* The first `room` of them; returns how many. */
int64_t vt_emit_stream(const vt_simulation *s, const vt_emitter *emitter, double from, double to,
                       int64_t room, vt_tracer_list *list);

/* Minus the time that a particle born inside a substep has still to go, s. */
float vt_age_at_birth(const vt_simulation *s, double time);

/* Rows of the list join the columns. */
void vt_append_tracer_list(vt_simulation *s, const vt_tracer_list *list, int64_t count);

#endif
