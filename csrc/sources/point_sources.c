/* Vortons at given points: born at once, as a structure, or one after the other, as parcels. */
#include "sources/point_sources.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "model/birth_sequence.h"
#include "model/fluid_composition.h"
#include "sources/fluid_emitter.h"
#include "sources/parcel_list.h"
#include "state/simulation.h"

enum { SCATTER = 0x73636174 };

/* ---- checks ---- */

static const float *points_carry(const void *data, int column)
{
    return vti_points_carry(data, column);
}

vt_status vti_check_vorton_points(const vt_simulation *s, const vt_vorton_points_def *def)
{
    vt_status status = vti_check_shares(&s->def.combustion, "vorton_points", def->count, def->fuel,
                                        def->flame, def->smoke);
    for (int64_t i = 0; i < def->count && def->temperature && !status; i++)
        status = vti_check_temperature(&s->def, "vorton_points", (double)def->temperature[i]);
    return status;
}

/* ---- at once: the definition, with the arrays behind it in the same block, scattered ---- */

void vti_scatter_points(const vt_simulation *s, vt_vorton_points_def *block)
{
    const uint64_t seed = vti_random_bits(s->def.seed, SCATTER, 0);
    float *const position = (float *)(block + 1);
    for (int64_t i = 0; i < block->count; i++)
        vti_scatter(seed, (uint64_t)i, block->jitter, position + 3 * i, position + 3 * i);
}

static int64_t count_points(const void *data, int64_t pulse)
{
    (void)pulse;
    return ((const vt_vorton_points_def *)data)->count;
}

static void fill_points(const void *data, int64_t pulse, vt_vorton_list *list)
{
    (void)pulse;
    const vt_vorton_points_def *const def = data;
    const size_t rows = (size_t)def->count;
    memcpy(list->position, def->position, 12 * rows);
    memcpy(list->strength, def->strength, 12 * rows);
    memcpy(list->core, def->core, 4 * rows);
    memcpy(list->volume, def->volume, 4 * rows);
    list->count = def->count;
}

static const float *lifetimes_of(const void *data)
{
    return ((const vt_vorton_points_def *)data)->lifetime;
}

const vt_structure_kind vti_points_kind = {.name = "set of vortons",
                                           .count = count_points,
                                           .fill = fill_points,
                                           .destroy = vti_free,
                                           .carried = points_carry,
                                           .lifetimes = lifetimes_of};

/* ---- one after the other ---- */

int vti_parcels_are_neutral(const vt_fluid_emitter *p)
{
    for (int64_t i = 0; p->points && i < 3 * p->points->count; i++)
        if (p->points->strength[i] != 0)
            return 0;
    return 1;
}

int vti_parcels_are_vortices(const vt_fluid_emitter *p)
{
    int fluid = p->points == NULL;
    for (int c = 0; c < VT_COMPOSITION_COLUMNS && !fluid; c++)
        fluid = vti_points_carry(p->points, c) != NULL;
    return !fluid;
}

/* m */
static double find_smallest_core(const vt_vorton_points_def *def)
{
    float least = INFINITY;
    for (int64_t i = 0; i < def->count; i++)
        least = def->core[i] < least ? def->core[i] : least;
    return (double)least;
}

vt_status vti_keep_point_stream(vt_simulation *s, const vt_vorton_points_def *def,
                                const vt_predecessor *before)
{
    vt_fluid_emitter p = {.stream = {.lifetime = (double)INFINITY,
                                     .rate = def->rate,
                                     .start = def->time,
                                     .end = def->end,
                                     .parent = def->parent},
                          .core = find_smallest_core(def)};
    vt_status status = vti_animate_stream(&vti_vorton_points_definition, def->animation_count,
                                          def->animations, &p.stream);
    if (!status && !(p.points = vti_copy_vorton_points(def)))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for %lld points", (long long)def->count);
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++) /* says which there are */
        *vti_fluid_member(&p.stream.fluid, c) = vti_points_carry(def, c) != NULL;
    if (!status)
        status = vti_keep_fluid_emitter(s, &p, before);
    if (status)
        vti_destroy_fluid_emitter(&p);
    return status;
}
