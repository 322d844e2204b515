#include "sources/source_list.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/growing_array.h"
#include "base/status.h"
#include "sources/parcel_list.h"
#include "sources/sources.h"
#include "sources/vortex_structures.h"

static const char *const names[] = {"",        "ring",         "jet",           "filament",
                                    "tube",    "cloud",        "vorton_points", "tracers",
                                    "emitter", "tracer_points"};

const char *vti_name_of_source(const vt_sources *sources, int32_t id)
{
    return names[sources->made_by[id]];
}

/* The lists in which sources wait for births; what was born at once is in none. */
enum { IN_STRUCTURES, IN_EMITTERS, IN_PARCELS, LISTS, IN_NONE = LISTS };

typedef struct list {
    void *items;
    int32_t *count;
    size_t size, id; /* of an item, and where its id is in it, bytes */
} list;

static list list_of(vt_sources *s, int which)
{
    const list lists[LISTS] = {
        [IN_STRUCTURES] = {s->structures.item, &s->structures.count, sizeof(vt_structure),
                           offsetof(vt_structure, id)},
        [IN_EMITTERS] = {s->emitters, &s->tracer_emitter_count, sizeof(vt_tracer_emitter),
                         offsetof(vt_tracer_emitter, stream.id)},
        [IN_PARCELS] = {s->parcels, &s->fluid_emitter_count, sizeof(vt_fluid_emitter),
                        offsetof(vt_fluid_emitter, stream.id)}};
    return lists[which];
}

/* Where a source is. */
typedef struct place {
    int list;
    int32_t n;
} place;

static place find_place(const vt_sources *sources, int32_t id)
{
    for (int which = 0; which < LISTS; which++) {
        const list l = list_of((vt_sources *)(uintptr_t)sources, which);
        const int32_t n = vti_find_id(l.items, *l.count, l.size, l.id, id);
        if (n >= 0)
            return (place){which, n};
    }
    return (place){.list = IN_NONE};
}

vt_status vti_reserve_source_id(vt_sources *sources)
{
    if (sources->made == INT32_MAX || vti_grow((void **)&sources->made_by, sources->made, 1) ||
        vti_grow((void **)&sources->born_in, sources->made, sizeof *sources->born_in))
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for source %d", sources->made);
    return VT_OK;
}

int32_t vti_note_source(vt_sources *sources, int made_by)
{
    sources->made_by[sources->made] = (uint8_t)made_by;
    sources->born_in[sources->made] = (vt_birth_box){{1, 0, 0}, {0, 0, 0}};
    return sources->made++;
}

void vti_note_births(vt_sources *sources, int32_t id, int64_t count, const float *position)
{
    vt_birth_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int64_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) {
            box.least[a] = fminf(box.least[a], position[3 * i + a]);
            box.most[a] = fmaxf(box.most[a], position[3 * i + a]);
        }
    if (count > 0)
        sources->born_in[id] = box;
}

int32_t vti_nearest_source(const vt_sources *sources, const double point[3], double *distance)
{
    int32_t nearest = -1;
    *distance = INFINITY;
    for (int32_t id = 0; id < sources->made; id++) {
        const vt_birth_box *const box = &sources->born_in[id];
        double square = 0;
        for (int a = 0; a < 3; a++) {
            const double beyond =
                fmax((double)box->least[a] - point[a], point[a] - (double)box->most[a]);
            square += beyond > 0 ? beyond * beyond : 0;
        }
        if (box->least[0] > box->most[0] || sources->made_by[id] == VT_SOURCE_REMOVED ||
            !(sqrt(square) < *distance))
            continue;
        *distance = sqrt(square);
        nearest = id;
    }
    return nearest;
}

vt_status vti_check_source(const vt_sources *sources, int32_t id, int made_by)
{
    if (id < 0 || id >= sources->made || sources->made_by[id] == VT_SOURCE_REMOVED)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "id is %d; allowed are ids of sources that were added and not removed", id);
    if (made_by && sources->made_by[id] != made_by)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "id is %d, which vt_add_%s made; allowed are ids that vt_add_%s made", id,
                        names[sources->made_by[id]], names[made_by]);
    return VT_OK;
}

vt_status vti_find_predecessor(const vt_sources *sources, int32_t id, double from,
                               vt_predecessor *before)
{
    const place at = find_place(sources, id);
    int is_over = at.list == IN_NONE;
    *before = (vt_predecessor){.has_seed = 0};
    if (at.list == IN_EMITTERS) {
        const vt_tracer_emitter *const e = &sources->emitters[at.n];
        const vt_birth_stream *const stream = &e->stream;
        *before = (vt_predecessor){1, e->count > 0 && (e->filled || stream->start < from),
                                   stream->seed, stream->start};
    } else if (at.list == IN_PARCELS) {
        const vt_birth_stream *const stream = &sources->parcels[at.n].stream;
        *before = (vt_predecessor){1, stream->rate == 0 && stream->start < from, stream->seed,
                                   stream->start};
    } else if (at.list == IN_STRUCTURES) {
        const vt_structure *const one = &sources->structures.item[at.n];
        is_over = one->period == 0 && one->start < from;
    }
    if (is_over)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "id is %d, a source that has been born whole; allowed are those that have "
                        "still to bear",
                        id);
    return VT_OK;
}

static void remove_at(vt_sources *sources, place at)
{
    if (at.list == IN_NONE)
        return;
    if (at.list == IN_STRUCTURES)
        vti_release_structure(&sources->structures.item[at.n]);
    if (at.list == IN_EMITTERS)
        vti_destroy_tracer_emitter(&sources->emitters[at.n]);
    if (at.list == IN_PARCELS)
        vti_destroy_fluid_emitter(&sources->parcels[at.n]);
    const list l = list_of(sources, at.list);
    vti_close_gap(l.items, at.n, l.count, l.size);
}

void vti_drop_source(vt_sources *sources, int32_t id)
{
    remove_at(sources, find_place(sources, id));
    sources->made_by[id] = VT_SOURCE_REMOVED;
}

/* The last item moves to place n. */
static void move_last(const list *l, int32_t n)
{
    char held[sizeof(vt_tracer_emitter) > sizeof(vt_fluid_emitter) ? sizeof(vt_tracer_emitter)
                                                                   : sizeof(vt_fluid_emitter)];
    char *const last = (char *)l->items + l->size * (size_t)(*l->count - 1);
    char *const at = (char *)l->items + l->size * (size_t)n;
    memcpy(held, last, l->size);
    memmove(at + l->size, at, (size_t)(last - at));
    memcpy(at, held, l->size);
}

void vti_replace_source(vt_sources *sources, int32_t id)
{
    const place old = find_place(sources, id);
    remove_at(sources, old);
    const place now = find_place(sources, sources->made);
    if (now.list == IN_NONE)
        return;
    const list l = list_of(sources, now.list);
    memcpy((char *)l.items + l.size * (size_t)now.n + l.id, &id, sizeof id);
    if (now.list == old.list)
        move_last(&l, old.n);
}
