#include "sources/birth_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "sources/fluid_emitter.h"
#include "sources/point_sources.h"
#include "sources/room_to_fill.h"
#include "sources/source_list.h"
#include "sources/tracer_emitter.h"
#include "sources/vortex_structures.h"
#include "state/heat_budget.h"
#include "state/particles.h"
#include "state/simulation.h"

static int fills(const vt_tracer_emitter *emitter, double from, double to)
{
    return emitter->count > 0 && !emitter->filled && emitter->stream.start >= from &&
           emitter->stream.start < to;
}

static void note_most(vt_most_births *most, int32_t source, int64_t count)
{
    if (count > most->count)
        *most = (vt_most_births){count, source};
}

/* What does not fit is refused with the name of the source that brings most of it. */
static vt_status check_births(const vt_simulation *s, int set, const vt_most_births *most,
                              int64_t *count)
{
    char refused[640];
    const vt_status status = vti_check_capacity(s, set, count);
    if (!status || !most->count)
        return status;
    snprintf(refused, sizeof refused, "%s", vt_error_message());
    return vti_fail(status, "%s. Most of these come from source %d (%s)", refused, most->source,
                    vti_name_of_source(&s->sources, most->source));
}

/* Counts of births, before anything is made of them: for at_capacity "stop" no more than fit. */
static vt_status count_vortons(vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_structures *const structures = &s->sources.structures;
    b->structure_count = vti_find_structure_births(structures, from, to, 0, NULL);
    if (b->structure_count == INT64_MAX)
        return vti_fail(VT_OVER_CAPACITY,
                        "more than 2^14 structures are born in one step; take shorter steps");
    b->structures = vti_arena_push(&s->arena, sizeof *b->structures * (size_t)b->structure_count);
    vti_find_structure_births(structures, from, to, b->structure_count, b->structures);
    vt_most_births *const most = &b->most[VT_VORTONS];
    for (int64_t n = 0; n < b->structure_count; n++) {
        b->vorton_count += b->structures[n].count;
        note_most(most, b->structures[n].structure->id, b->structures[n].count);
    }
    const vt_sources *const sources = &s->sources;
    b->parcels =
        vti_arena_push(&s->arena, sizeof *b->parcels * (size_t)sources->fluid_emitter_count);
    for (int32_t p = 0; p < sources->fluid_emitter_count; p++) {
        /* one more than there is ever room for, so that too many are refused */
        b->parcels[p] =
            vti_list_parcels(s, &sources->parcels[p], from, to, s->vortons.set.capacity + 1);
        b->vorton_count += b->parcels[p].count;
        note_most(most, sources->parcels[p].stream.id, b->parcels[p].count);
    }
    return check_births(s, VT_VORTONS, most, &b->vorton_count);
}

static vt_status count_tracers(const vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_sources *const sources = &s->sources;
    vt_most_births *const most = &b->most[VT_TRACERS];
    int64_t count = 0;
    for (int32_t e = 0; e < sources->tracer_emitter_count; e++) {
        const vt_tracer_emitter *const emitter = &sources->emitters[e];
        int64_t own = fills(emitter, from, to) ? emitter->count : 0;
        if (emitter->stream.rate > 0)
            own += vti_count_stream(emitter, from, to, s->tracers.set.capacity);
        note_most(most, emitter->stream.id, own);
        count += own;
    }
    const vt_status status = check_births(s, VT_TRACERS, most, &count);
    b->tracer_count = count;
    return status;
}

static uint32_t flags_of(const vt_simulation *s, const vt_fluid_emitter *p)
{
    if (p->points)
        return 0;
    return VT_FLAG_EMITTED | (vti_fluid_follows_eddies(p) ? VT_FLAG_STIRRED : 0) |
           (vti_is_heated_at_birth(s, p) ? VT_FLAG_NEWBORN_FLUID : 0);
}

/* Parcels follow the structures, as many as there is room for; returns how many vortons there are.
 */
static int64_t plan_fluid_emitter(const vt_simulation *s, int64_t at, vt_births *b)
{
    for (int32_t p = 0; p < s->sources.fluid_emitter_count; p++) {
        const vt_parcel_list *const list = &b->parcels[p];
        const int64_t left = b->vorton_count - at;
        const int64_t count = list->count < left ? list->count : left;
        const size_t rows = 4 * (size_t)count;
        if (count == 0)
            continue;
        memcpy(b->vorton_position + 3 * at, list->position, 3 * rows);
        memcpy(b->vorton_strength + 3 * at, list->strength, 3 * rows);
        memcpy(b->vorton_core + at, list->core, rows);
        memcpy(b->vorton_volume + at, list->volume, rows);
        for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
            memcpy(b->vorton_composition[c] + at, list->carried[c], rows);
        memcpy(b->vorton_lifetime + at, list->lifetime, rows);
        memcpy(b->vorton_time + at, list->time, 2 * rows);
        b->runs[b->run_count++] =
            (vt_birth_run){.next = at,
                           .end = at + count,
                           .set = VT_VORTONS,
                           .neutral = vti_parcels_are_neutral(&s->sources.parcels[p]),
                           .is_vortex = vti_parcels_are_vortices(&s->sources.parcels[p]),
                           .flags = flags_of(s, &s->sources.parcels[p]),
                           .source = s->sources.parcels[p].stream.id};
        at += count;
    }
    return at;
}

/* What most structures carry: nothing, for ever. */
static void make_composition(vt_simulation *s, vt_births *b)
{
    const size_t rows = (size_t)b->vorton_count;
    int some = s->sources.fluid_emitter_count > 0;
    for (int64_t n = 0; n < b->structure_count; n++)
        some |= b->structures[n].structure->members != 0 ||
                vti_structure_lifetimes(b->structures[n].structure);
    if (!some)
        return;
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++) {
        b->vorton_composition[c] = vti_arena_push(&s->arena, 4 * rows);
        memset(b->vorton_composition[c], 0, 4 * rows);
    }
    b->vorton_lifetime = vti_arena_push(&s->arena, 4 * rows);
    for (size_t i = 0; i < rows; i++)
        b->vorton_lifetime[i] = INFINITY;
}

static void plan_vortons(vt_simulation *s, vt_births *b)
{
    vt_vorton_list list = vti_new_vorton_list(s, b->vorton_count);
    b->vorton_position = list.position;
    b->vorton_strength = list.strength;
    b->vorton_core = list.core;
    b->vorton_volume = list.volume;
    b->vorton_time = vti_arena_push(&s->arena, 8 * (size_t)b->vorton_count);
    make_composition(s, b);
    int64_t at = 0;
    for (int64_t n = 0; n < b->structure_count; n++) {
        const vt_structure_birth *const birth = &b->structures[n];
        const int64_t end = at + birth->count;
        if (end > b->vorton_count) /* no part is born: it would be no vortex line */
            continue;
        list = (vt_vorton_list){.position = b->vorton_position + 3 * at,
                                .strength = b->vorton_strength + 3 * at,
                                .core = b->vorton_core + at,
                                .volume = b->vorton_volume + at,
                                .simulation = s};
        vti_fill_structure(birth, &list);
        const uint32_t members = birth->structure->members;
        const float *const lifetimes = vti_structure_lifetimes(birth->structure);
        for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
            if (members >> c & 1)
                vti_fill_composition(birth, c, b->vorton_composition[c] + at);
        if (lifetimes)
            memcpy(b->vorton_lifetime + at, lifetimes, 4 * (size_t)birth->count);
        b->runs[b->run_count++] = (vt_birth_run){.next = at,
                                                 .end = end,
                                                 .set = VT_VORTONS,
                                                 .is_vortex = members == 0,
                                                 .line = list.line,
                                                 .source = birth->structure->id};
        for (; at < end; at++)
            b->vorton_time[at] = birth->time;
    }
    b->vorton_count = plan_fluid_emitter(s, at, b);
}

static void plan_tracers(vt_simulation *s, double from, double to, vt_births *b)
{
    const vt_sources *const sources = &s->sources;
    int carries = 0;
    for (int32_t e = 0; e < sources->tracer_emitter_count; e++)
        carries |= sources->emitters[e].members != 0;
    b->tracers = vti_new_tracer_list(&s->arena, b->tracer_count, carries);
    int64_t at = 0;
    for (int32_t e = 0; e < sources->tracer_emitter_count; e++) {
        const vt_tracer_emitter *const emitter = &sources->emitters[e];
        for (int part = 0; part < 2; part++) {
            const int64_t left = b->tracer_count - at;
            int64_t count = emitter->count < left ? emitter->count : left;
            vt_tracer_list list = vti_tracer_list_from(&b->tracers, at);
            if (part == 0 ? !fills(emitter, from, to) : !(emitter->stream.rate > 0))
                continue;
            if (part == 0)
                vti_emit_at_start(s, emitter, count, &list);
            else
                count = vti_emit_stream(s, emitter, from, to, left, &list);
            b->runs[b->run_count++] = (vt_birth_run){
                .next = at, .end = at + count, .set = VT_TRACERS, .source = emitter->stream.id};
            at += count;
        }
    }
}

vt_status vti_plan_births(vt_simulation *s, double from, double to, vt_births *births)
{
    *births = (vt_births){0};
    vt_status status = count_vortons(s, from, to, births);
    if (!status)
        status = count_tracers(s, from, to, births);
    if (status)
        return status;
    const size_t most = (size_t)births->structure_count + (size_t)s->sources.fluid_emitter_count +
                        2 * (size_t)s->sources.tracer_emitter_count;
    births->runs = vti_arena_push(&s->arena, sizeof(vt_birth_run) * most);
    plan_vortons(s, births);
    plan_tracers(s, from, to, births);
    return VT_OK;
}

void vti_note_planned(vt_simulation *s, const vt_births *b)
{
    for (int32_t r = 0; r < b->run_count; r++) {
        const vt_birth_run *const run = &b->runs[r];
        if (run->set == VT_VORTONS)
            vti_note_births(&s->sources, run->source, run->end - run->next,
                            b->vorton_position + 3 * run->next);
    }
}

/* What newborn vortons carry, where it is not what all are born with. */
static void give_composition(vt_simulation *s, const vt_births *b, int64_t from, int64_t first,
                             int64_t count)
{
    const vt_set *const set = &s->vortons.set;
    if (!b->vorton_lifetime)
        return;
    if (set->used[VT_VORTON_lifetime])
        memcpy(s->vortons.lifetime + first, b->vorton_lifetime + from, 4 * (size_t)count);
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++) {
        float *const column = vti_used_column(set, vti_composition_column[c]);
        const float *const value = b->vorton_composition[c] + from;
        for (int64_t i = 0; i < count && column; i++)
            if (c != VT_CARRIED_temperature || value[i] > 0)
                column[first + i] = value[i];
    }
}

static int64_t emit_vortons(vt_simulation *s, vt_births *b, int64_t from, int64_t count)
{
    const int64_t first =
        vti_append_vortons(s, count, b->vorton_position + 3 * from, b->vorton_strength + 3 * from,
                           b->vorton_core + from, b->vorton_volume + from);
    for (int64_t i = 0; i < count; i++)
        s->vortons.age[first + i] = vti_age_at_birth(s, b->vorton_time[from + i]);
    give_composition(s, b, from, first, count);
    vti_count_heat(s, first, count, NULL, 1);
    return first;
}

/* What is born outside the shape, around it, has none of its eddies. */
static uint32_t flags_at_birth(const vt_simulation *s, const vt_birth_run *run, int64_t row)
{
    const uint32_t still = s->vortons.birth_strength[row] > 0 ? 0 : VT_FLAG_STIRRED;
    return run->flags & ~still;
}

/* Where the source moves in parts: what is born in one is there for the next. */
static void emit_run(vt_simulation *s, vt_births *b, vt_birth_run *run, int64_t due)
{
    while (run->next < due) {
        const int64_t end = vti_end_of_place(s, b, run, due);
        const int64_t kept = vti_strike_crowded(s, b, run, end);
        const int64_t first = emit_vortons(s, b, run->next, kept - run->next);
        for (int64_t i = first; i < s->vortons.set.count; i++)
            s->vortons.flags[i] |= flags_at_birth(s, run, i);
        vti_mark_line(s, first, kept - run->next, run->line);
        if (run->is_vortex)
            vti_mark_newborn_vortex(s, first, kept - run->next);
        run->next = end;
    }
}

void vti_emit(vt_simulation *s, int set, vt_births *b, double until)
{
    b->until = until;
    for (int32_t r = 0; r < b->run_count; r++) {
        vt_birth_run *const run = &b->runs[r];
        if (run->set != set)
            continue;
        const double *const time = run->set == VT_TRACERS ? b->tracers.time : b->vorton_time;
        int64_t end = run->next;
        while (end < run->end && time[end] <= until)
            end++;
        if (end == run->next)
            continue;
        if (run->set == VT_TRACERS) {
            const vt_tracer_list list = vti_tracer_list_from(&b->tracers, run->next);
            vti_append_tracer_list(s, &list, end - run->next);
            run->next = end;
        } else {
            emit_run(s, b, run, end);
        }
    }
}

int64_t vti_count_to_come(const vt_births *b, int set)
{
    int64_t count = 0;
    for (int32_t r = 0; r < b->run_count; r++)
        if (b->runs[r].set == set)
            count += b->runs[r].end - b->runs[r].next;
    return count;
}

double vti_next_vorton_time(const vt_births *b, int neutral, double otherwise)
{
    double next = otherwise;
    for (int32_t r = 0; r < b->run_count; r++)
        if (b->runs[r].set == VT_VORTONS && b->runs[r].next < b->runs[r].end &&
            (neutral || !b->runs[r].neutral))
            next = fmin(next, b->vorton_time[b->runs[r].next]);
    return next;
}
