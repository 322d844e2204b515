#include "archive/take_over.h"

#include <stddef.h>
#include <string.h>

#include "archive/block.h"
#include "base/growing_array.h"
#include "base/memory.h"
#include "base/status.h"
#include "state/particles.h"
#include "tracers/scalars.h"

/* ---- which row is which ---- */

static vt_status make_maps(const vt_simulation *s, const vt_simulation *from,
                           const int32_t *sources, const int32_t *winds, vt_row_maps *maps)
{
    const vt_sources *const own = &s->sources, *const theirs = &from->sources;
    const size_t count = (size_t)own->made + (size_t)own->tracer_emitter_count +
                         (size_t)own->fluid_emitter_count + (size_t)s->winds.grid_count;
    int32_t *at = vti_allocate((count + 1) * sizeof *at);
    *maps = (vt_row_maps){.of = {[VT_ROWS_OF_SOURCES] = at}};
    if (!at)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory to compare sources");
    for (int32_t id = 0; id < own->made; id++)
        *at++ = sources[id];
    maps->of[VT_ROWS_OF_TRACER_EMITTERS] = at;
    for (int32_t n = 0; n < own->tracer_emitter_count; n++)
        *at++ = vti_find_id(theirs->emitters, theirs->tracer_emitter_count,
                            sizeof *theirs->emitters, offsetof(vt_tracer_emitter, stream.id),
                            sources[own->emitters[n].stream.id]);
    maps->of[VT_ROWS_OF_FLUID_EMITTERS] = at;
    for (int32_t n = 0; n < own->fluid_emitter_count; n++)
        *at++ =
            vti_find_id(theirs->parcels, theirs->fluid_emitter_count, sizeof *theirs->parcels,
                        offsetof(vt_fluid_emitter, stream.id), sources[own->parcels[n].stream.id]);
    maps->of[VT_ROWS_OF_WIND_GRIDS] = at;
    for (int32_t n = 0; n < s->winds.grid_count; n++)
        *at++ = vti_find_id(from->winds.grid_id, from->winds.grid_count,
                            sizeof *from->winds.grid_id, 0, winds[s->winds.grid_id[n]]);
    return VT_OK;
}

/* ---- checks ---- */

static vt_status check_count(const char *what, int64_t count, int64_t has)
{
    if (count == has)
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT, "%s are %lld; allowed is %lld, as many as were added",
                    what, (long long)count, (long long)has);
}

static vt_status check_ids(const char *what, int64_t count, const int32_t *ids, int32_t made)
{
    for (int64_t n = 0; n < count; n++)
        if (ids[n] < -1 || ids[n] >= made)
            return vti_fail(VT_INVALID_ARGUMENT, "%s[%lld] is %d; allowed is -1 to %d", what,
                            (long long)n, ids[n], made - 1);
    return VT_OK;
}

static vt_status check(const vt_simulation *s, const vt_simulation *from, int64_t source_count,
                       const int32_t *sources, int64_t wind_count, const int32_t *winds)
{
    if (!sources || !winds)
        return vti_fail(VT_INVALID_ARGUMENT, "%s is NULL; allowed is an array of ids",
                        sources ? "winds" : "sources");
    vt_status status = check_count("sources", source_count, s->sources.made);
    if (status || (status = check_count("winds", wind_count, s->winds.made)) ||
        (status = check_ids("sources", source_count, sources, from->sources.made)) ||
        (status = check_ids("winds", wind_count, winds, from->winds.made)) ||
        (status = vti_check_room(s, VT_VORTONS, from->vortons.set.count, "the state has")) ||
        (status = vti_check_room(s, VT_TRACERS, from->tracers.set.count, "the state has")))
        return status;
    if (s->bodies.count != from->bodies.count)
        return vti_fail(VT_INVALID_ARGUMENT, "there are %d bodies; allowed is %d, those of from",
                        s->bodies.count, from->bodies.count);
    return VT_OK;
}

/* ---- taking ---- */

static void take_field(const vt_state_field *field, const vt_state_field *from, const int32_t *map)
{
    const size_t row = vti_bytes_of_type((uint32_t)field->type) * (size_t)field->components;
    for (int64_t n = 0; n < field->rows; n++) {
        const int64_t source = map ? map[n] : n;
        if (source >= 0)
            memcpy(field->data + n * field->stride, from->data + source * from->stride, row);
    }
}

void vti_take_state(vt_simulation *s, vt_simulation *from, const vt_row_maps *maps,
                    vt_state_list lists[2])
{
    const uint32_t viewed[2] = {s->viewed[0], s->viewed[1]};
    (void)vti_grow_set(&s->vortons.set, from->vortons.set.count);
    (void)vti_grow_set(&s->tracers.set, from->tracers.set.count);
    s->vortons.set.count = from->vortons.set.count;
    s->tracers.set.count = from->tracers.set.count;
    memcpy(s->vortons.set.used, from->vortons.set.used, sizeof s->vortons.set.used);
    memcpy(s->tracers.set.used, from->tracers.set.used, sizeof s->tracers.set.used);
    vti_list_state(s, &lists[0]);
    vti_list_state(from, &lists[1]);
    for (int32_t f = 0; f < lists[0].count; f++) {
        const vt_state_field *const field = &lists[0].field[f];
        if (!field->absent && field->items != VT_ROWS_STAY)
            take_field(field, &lists[1].field[f], maps->of[field->items]);
    }
    for (int set = 0; set < 2; set++) /* views of before are still out */
        s->viewed[set] |= viewed[set];
    vti_forget_fields(s);
    s->bodies.joined = 0;
}

/* The columns that only sources, bodies or views of `s` ask for: their newborn fill them. */
static void take_all(vt_simulation *s, vt_simulation *from, const vt_row_maps *maps,
                     vt_state_list lists[2])
{
    int32_t used[2][VT_MOST_COLUMNS];
    for (int set = 0; set < 2; set++)
        memcpy(used[set], vti_set_of(s, set)->used, sizeof used[set]);
    vti_take_state(s, from, maps, lists);
    for (int c = 0; c < VT_MOST_COLUMNS; c++) /* tracers take values from vortons, so these first */
        if (used[VT_VORTONS][c])
            vti_use_vorton_column(s, c);
    for (int c = 0; c < VT_MOST_COLUMNS; c++)
        if (used[VT_TRACERS][c])
            vti_use_tracer_column(s, c);
}

vt_status vt_take_over(vt_simulation *s, vt_simulation *from, int64_t source_count,
                       const int32_t *sources, int64_t wind_count, const int32_t *winds)
{
    vt_row_maps maps = {.of = {NULL}};
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = vti_enter(from); /* busy where it is the same one */
    if (status)
        return vti_leave(s, status);
    vt_state_list *const lists = vti_allocate(2 * sizeof *lists);
    status = check(s, from, source_count, sources, wind_count, winds);
    if (!status && !lists)
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for a state");
    if (!status)
        status = make_maps(s, from, sources, winds, &maps);
    if (!status)
        take_all(s, from, &maps, lists);
    vti_free(maps.of[VT_ROWS_OF_SOURCES]); /* the block of all of them */
    vti_free(lists);
    vti_leave(from, VT_OK);
    return vti_leave(s, status);
}
