#include "sources/parcel_list.h"

#include "animation/definition.h"
#include "base/memory.h"
#include "geometry/region_points.h"
#include "model/birth_sequence.h"
#include "state/simulation.h"

void vti_destroy_fluid_emitter(vt_fluid_emitter *parcels)
{
    vti_destroy_stream(&parcels->stream);
    vti_destroy_region(&parcels->shape);
    vti_free(parcels->eddies);
    vti_free(parcels->fits);
    vti_free(parcels->points);
}

vt_parcel_list vti_new_parcel_list(vt_arena *arena, int64_t room)
{
    const size_t rows = (size_t)room;
    vt_parcel_list list = {.position = vti_arena_push(arena, 12 * rows),
                           .strength = vti_arena_push(arena, 12 * rows),
                           .core = vti_arena_push(arena, 4 * rows),
                           .volume = vti_arena_push(arena, 4 * rows),
                           .lifetime = vti_arena_push(arena, 4 * rows),
                           .time = vti_arena_push(arena, 8 * rows)};
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
        list.carried[c] = vti_arena_push(arena, 4 * rows);
    return list;
}

const float *vti_points_carry(const vt_vorton_points_def *def, int column)
{
    const float *const values[VT_COMPOSITION_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) def->name,
#include "vorton/columns.def"
    };
    return values[column];
}

vt_vorton_points_def *vti_copy_vorton_points(const vt_vorton_points_def *def)
{
    vt_vorton_points_def *const copy =
        vti_copy_with_rows(&vti_vorton_points_definition, def, def->count);
    if (copy)
        copy->animations = NULL;
    return copy;
}

/* Birth number n, at its point, becomes row `to` of the list. */
static void emit_point(const vt_simulation *s, const vt_fluid_emitter *p, int64_t n, double time,
                       int64_t to, vt_parcel_list *list)
{
    const vt_vorton_points_def *const d = p->points;
    const int64_t point = n % d->count;
    const vt_pose pose = vti_pose_at(&s->transforms, p->stream.parent, time);
    const float scale = (float)pose.scale;
    float *const position = list->position + 3 * to, *const strength = list->strength + 3 * to;
    vti_scatter(p->stream.seed, (uint64_t)n, d->jitter, d->position + 3 * point, position);
    vti_pose_point_row(&pose, position);
    memcpy(strength, d->strength + 3 * point, 3 * sizeof *strength);
    vti_pose_vector_row(&pose, strength);
    list->core[to] = d->core[point] * scale;
    list->volume[to] = d->volume[point] * scale * scale * scale;
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++) {
        const float *const values = vti_points_carry(d, c);
        list->carried[c][to] = values ? values[point] : 0;
    }
    list->lifetime[to] = d->lifetime ? d->lifetime[point] : INFINITY;
    list->time[to] = time;
}

vt_parcel_list vti_list_points(vt_simulation *s, const vt_fluid_emitter *p, double from, double to,
                               int64_t room)
{
    int64_t first;
    const int64_t born = vti_stream_events(&p->stream, from, to, &first);
    vt_parcel_list list = vti_new_parcel_list(&s->arena, born < room ? born : room);
    for (list.count = 0; list.count < born && list.count < room; list.count++)
        emit_point(s, p, first + list.count, vti_stream_time(&p->stream, first + list.count),
                   list.count, &list);
    return list;
}
