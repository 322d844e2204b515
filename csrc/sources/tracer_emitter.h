/* What an emitter of tracers gives: those of its start, and those of its rate. */
#pragma once

#include "state/sources.h"

/* With room for count; `carries`: also for what is their own, which is none at first. */
vt_tracer_list vti_new_tracer_list(vt_arena *arena, int64_t count, int carries);

/* The list from a row on. */
vt_tracer_list vti_tracer_list_from(const vt_tracer_list *list, int64_t row);

/* The first `count` of those that are born at start. */
void vti_emit_at_start(const vt_simulation *s, const vt_tracer_emitter *emitter, int64_t count,
                       vt_tracer_list *list);

/* How many of the rate are born in [from, to); about, where that is far beyond the capacity. */
int64_t vti_count_stream(const vt_tracer_emitter *emitter, double from, double to,
                         int64_t capacity);

/* The first `room` of them; returns how many. */
int64_t vti_emit_stream(const vt_simulation *s, const vt_tracer_emitter *emitter, double from,
                        double to, int64_t room, vt_tracer_list *list);

/* Minus the time that a particle born inside a substep has still to go, s. */
float vti_age_at_birth(const vt_simulation *s, double time);

/* Rows of the list join the columns. */
void vti_append_tracer_list(vt_simulation *s, const vt_tracer_list *list, int64_t count);

/* What is the own of tracers from points, by its number VT_TAKEN_... */
const float *vti_own_of_points(const vt_tracer_points_def *points, int taken);
