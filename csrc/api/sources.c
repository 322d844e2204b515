#include "base/status.h"
#include "sources/fluid_emitter.h"
#include "sources/jet.h"
#include "sources/parcel_list.h"
#include "sources/point_sources.h"
#include "sources/random_cloud.h"
#include "sources/source_list.h"
#include "sources/sources.h"
#include "sources/vortex_filament.h"
#include "sources/vortex_ring.h"
#include "sources/vortex_structures.h"
#include "state/simulation.h"
#include "step/step.h"

/* What is asked for with a definition. */
typedef struct request {
    int made_by;
    int32_t changed;              /* whose definition it replaces, -1: it is a new source */
    int32_t *id;                  /* receives that of a new one; NULL: nobody asks */
    double *renew;                /* of an emitter; NULL: nobody asks */
    const vt_predecessor *before; /* of the definition that is replaced; NULL: none is */
} request;

/* Checks a definition and adds what it describes, with the id s->sources.made. On failure nothing
 * has changed. */
typedef vt_status keep_function(vt_simulation *s, const void *def, const request *asked);

/* ---- one function for each kind ---- */

static vt_status keep_emitter(vt_simulation *s, const void *def, const request *asked)
{
    vt_fluid_emitter parcels;
    vt_status status = vti_check_fluid_emitter(s, def);
    if (!status)
        status = vti_make_fluid_emitter(s, def, &parcels);
    if (status)
        return status;
    if (asked->renew)
        *asked->renew = parcels.stream.rate / (double)vti_filling(&parcels);
    status = vti_keep_fluid_emitter(s, &parcels, asked->before);
    if (status)
        vti_destroy_fluid_emitter(&parcels);
    return status;
}

static vt_status keep_tracers(vt_simulation *s, const void *def, const request *asked)
{
    const vt_tracers_def *const tracers = def;
    if (tracers->emitter >= 0 && vti_check_source(&s->sources, tracers->emitter, VT_SOURCE_EMITTER))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "emitter is %d; allowed is -1, or the id of an emitter that was added and "
                        "not removed",
                        tracers->emitter);
    const vt_status status = vti_check_tracer_emitter(s, def);
    return status ? status : vti_keep_tracer_emitter(s, def, asked->before);
}

static vt_status keep_tracer_points(vt_simulation *s, const void *def, const request *asked)
{
    const vt_status status = vti_check_tracer_points(s, def);
    return status ? status : vti_keep_tracer_points(s, def, asked->before);
}

static vt_status keep_vorton_points(vt_simulation *s, const void *data, const request *asked)
{
    const vt_vorton_points_def *const def = data;
    const vt_status status = vti_check_vorton_points(s, def);
    if (status)
        return status;
    if (def->rate > 0 || def->animation_count > 0)
        return vti_keep_point_stream(s, def, asked->before);
    vt_vorton_points_def *const block = vti_copy_vorton_points(def);
    if (!block)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %lld vortons", (long long)def->count);
    vti_scatter_points(s, block);
    return vti_keep_structure(s, &(vt_structure){.kind = &vti_points_kind,
                                                 .data = block,
                                                 .start = def->time,
                                                 .end = INFINITY,
                                                 .parent = def->parent});
}

/* ---- adding, changing, removing ---- */

/* Structures are made of their definition alone; what else a definition describes is kept by a
 * function of its own. */
static const struct {
    const vt_definition *definition;
    vt_status (*create)(const void *def, vt_structure *made);
    keep_function *keep;
} kinds[] = {
    [VT_SOURCE_RING] = {&vti_ring_definition, .create = vti_create_ring},
    [VT_SOURCE_JET] = {&vti_jet_definition, .create = vti_create_jet},
    [VT_SOURCE_FILAMENT] = {&vti_filament_definition, .create = vti_create_filament},
    [VT_SOURCE_TUBE] = {&vti_tube_definition, .create = vti_create_tube},
    [VT_SOURCE_CLOUD] = {&vti_cloud_definition, .create = vti_create_cloud},
    [VT_SOURCE_VORTON_POINTS] = {&vti_vorton_points_definition, .keep = keep_vorton_points},
    [VT_SOURCE_TRACERS] = {&vti_tracers_definition, .keep = keep_tracers},
    [VT_SOURCE_EMITTER] = {&vti_emitter_definition, .keep = keep_emitter},
    [VT_SOURCE_TRACER_POINTS] = {&vti_tracer_points_definition, .keep = keep_tracer_points}};

static vt_status keep(vt_simulation *s, const void *def, const request *asked)
{
    if (kinds[asked->made_by].keep)
        return kinds[asked->made_by].keep(s, def, asked);
    vt_structure structure;
    const vt_status status = kinds[asked->made_by].create(def, &structure);
    return status ? status : vti_keep_structure(s, &structure);
}

/* What was born at once are the rows of vortons from `first` on. */
static void note_born_at_once(vt_simulation *s, int32_t id, int64_t first)
{
    const vt_vortons *const v = &s->vortons;
    vti_note_births(&s->sources, id, v->set.count - first, v->position + 3 * first);
}

static vt_status add(vt_simulation *s, const void *def, const request *asked)
{
    const int64_t before = s->vortons.set.count;
    vt_status status = vti_reserve_source_id(&s->sources);
    if (!status)
        status = keep(s, def, asked);
    if (status)
        return status;
    const int32_t made = vti_note_source(&s->sources, asked->made_by);
    note_born_at_once(s, made, before);
    if (asked->id)
        *asked->id = made;
    return VT_OK;
}

static vt_status change(vt_simulation *s, const void *def, const request *asked)
{
    const int64_t count = s->vortons.set.count;
    vt_predecessor before;
    request now = *asked;
    now.before = &before;
    vt_status status = vti_check_source(&s->sources, asked->changed, asked->made_by);
    if (!status)
        status = vti_find_predecessor(&s->sources, asked->changed, vti_next_births(s), &before);
    if (!status)
        status = keep(s, def, &now);
    if (status)
        return status;
    vti_replace_source(&s->sources, asked->changed);
    note_born_at_once(s, asked->changed, count);
    return VT_OK;
}

static vt_status use(vt_simulation *s, const void *def, void *data)
{
    const request *const asked = data;
    return asked->changed < 0 ? add(s, def, asked) : change(s, def, asked);
}

static vt_status add_source(vt_simulation *s, int made_by, const void *def, int32_t *id,
                            double *renew)
{
    request asked = {made_by, -1, id, renew, NULL};
    return vti_accept_and_use(kinds[made_by].definition, s, def, use, &asked);
}

static vt_status change_source(vt_simulation *s, int made_by, int32_t id, const void *def,
                               double *renew)
{
    request asked = {made_by, id, NULL, renew, NULL};
    if (id < 0)
        return vti_fail(VT_INVALID_ARGUMENT, "id is %d; allowed are ids of sources, from 0 on", id);
    return vti_accept_and_use(kinds[made_by].definition, s, def, use, &asked);
}

vt_status vt_remove_source(vt_simulation *s, int32_t id)
{
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = vti_check_source(&s->sources, id, 0);
    if (!status)
        vti_drop_source(&s->sources, id);
    return vti_leave(s, status);
}

/* ---- the public names ---- */

#define SOURCE(name, made_by)                                                                      \
    vt_status vt_add_##name(vt_simulation *s, const vt_##name##_def *def, int32_t *id)             \
    {                                                                                              \
        return add_source(s, made_by, def, id, NULL);                                              \
    }                                                                                              \
    vt_status vt_change_##name(vt_simulation *s, int32_t id, const vt_##name##_def *def)           \
    {                                                                                              \
        return change_source(s, made_by, id, def, NULL);                                           \
    }

SOURCE(ring, VT_SOURCE_RING)
SOURCE(jet, VT_SOURCE_JET)
SOURCE(filament, VT_SOURCE_FILAMENT)
SOURCE(tube, VT_SOURCE_TUBE)
SOURCE(cloud, VT_SOURCE_CLOUD)
SOURCE(vorton_points, VT_SOURCE_VORTON_POINTS)
SOURCE(tracers, VT_SOURCE_TRACERS)
SOURCE(tracer_points, VT_SOURCE_TRACER_POINTS)

vt_status vt_add_emitter(vt_simulation *s, const vt_emitter_def *def, double *renew, int32_t *id)
{
    return add_source(s, VT_SOURCE_EMITTER, def, id, renew);
}

vt_status vt_change_emitter(vt_simulation *s, int32_t id, const vt_emitter_def *def, double *renew)
{
    return change_source(s, VT_SOURCE_EMITTER, id, def, renew);
}
