#include "sources/source_list.h"

#include <math.h>

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

/* Where a source is: its index in one of the lists, -1 in the others. */
typedef struct place {
    int32_t structure, emitter, parcels;
} place;

static place find_place(const vt_sources *sources, int32_t id)
{
    place at = {-1, -1, -1};
    for (int32_t n = 0; n < sources->structures.count; n++)
        if (sources->structures.item[n].id == id)
            at.structure = n;
    for (int32_t n = 0; n < sources->tracer_emitter_count; n++)
        if (sources->emitters[n].id == id)
            at.emitter = n;
    for (int32_t n = 0; n < sources->fluid_emitter_count; n++)
        if (sources->parcels[n].id == id)
            at.parcels = n;
    return at;
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
    int is_over = 0;
    *before = (vt_predecessor){.has_seed = 0};
    if (at.emitter >= 0) {
        const vt_tracer_emitter *const e = &sources->emitters[at.emitter];
        *before =
            (vt_predecessor){1, e->count > 0 && (e->filled || e->start < from), e->seed, e->start};
    } else if (at.parcels >= 0) {
        const vt_fluid_emitter *const p = &sources->parcels[at.parcels];
        *before = (vt_predecessor){1, p->rate == 0 && p->start < from, p->seed, p->start};
    } else {
        const vt_structure *const one =
            at.structure < 0 ? NULL : &sources->structures.item[at.structure];
        is_over = !one || (one->period == 0 && one->start < from);
    }
    if (is_over)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "id is %d, a source that has been born whole; allowed are those that have "
                        "still to bear",
                        id);
    return VT_OK;
}

static void remove_at(vt_sources *sources, const place *at)
{
    if (at->structure >= 0) {
        vti_release_structure(&sources->structures.item[at->structure]);
        vti_close_gap(sources->structures.item, at->structure, &sources->structures.count,
                      sizeof *sources->structures.item);
    }
    if (at->emitter >= 0) {
        vti_destroy_tracer_emitter(&sources->emitters[at->emitter]);
        vti_close_gap(sources->emitters, at->emitter, &sources->tracer_emitter_count,
                      sizeof *sources->emitters);
    }
    if (at->parcels >= 0) {
        vti_destroy_fluid_emitter(&sources->parcels[at->parcels]);
        vti_close_gap(sources->parcels, at->parcels, &sources->fluid_emitter_count,
                      sizeof *sources->parcels);
    }
}

void vti_drop_source(vt_sources *sources, int32_t id)
{
    const place at = find_place(sources, id);
    remove_at(sources, &at);
    sources->made_by[id] = VT_SOURCE_REMOVED;
}

/* The last item moves to place n. */
static void move_last(void *items, int32_t n, int32_t count, size_t item)
{
    char *const last = (char *)items + item * (size_t)(count - 1);
    char *const at = (char *)items + item * (size_t)n;
    char held[sizeof(vt_tracer_emitter) > sizeof(vt_fluid_emitter) ? sizeof(vt_tracer_emitter)
                                                                   : sizeof(vt_fluid_emitter)];
    memcpy(held, last, item);
    memmove(at + item, at, (size_t)(last - at));
    memcpy(at, held, item);
}

void vti_replace_source(vt_sources *sources, int32_t id)
{
    const place old = find_place(sources, id);
    remove_at(sources, &old);
    const place now = find_place(sources, sources->made);
    if (now.structure >= 0)
        sources->structures.item[now.structure].id = id;
    if (now.emitter >= 0)
        sources->emitters[now.emitter].id = id;
    if (now.parcels >= 0)
        sources->parcels[now.parcels].id = id;
    if (now.structure >= 0 && old.structure >= 0)
        move_last(sources->structures.item, old.structure, sources->structures.count,
                  sizeof *sources->structures.item);
    if (now.emitter >= 0 && old.emitter >= 0)
        move_last(sources->emitters, old.emitter, sources->tracer_emitter_count,
                  sizeof *sources->emitters);
    if (now.parcels >= 0 && old.parcels >= 0)
        move_last(sources->parcels, old.parcels, sources->fluid_emitter_count,
                  sizeof *sources->parcels);
}
