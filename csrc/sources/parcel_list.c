#include "sources/parcel_list.h"

#include "geometry/region_points.h"
#include "model/birth_sequence.h"
#include "state/simulation.h"

void vti_destroy_fluid_emitter(vt_fluid_emitter *parcels)
{
    vti_destroy_region(&parcels->shape);
    vti_destroy_region(&parcels->around);
    vti_destroy_rate_sum(&parcels->rate_sum);
    vti_destroy_animations(&parcels->animations);
    free(parcels->eddies);
    free(parcels->points);
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

/* Of the definition, in the order of the columns. */
static const float **composition_of_points(vt_vorton_points_def *def, int column)
{
    static const size_t offset[VT_COMPOSITION_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) offsetof(vt_vorton_points_def, name),
#include "vorton/columns.def"
#undef VT_CARRIED
    };
    return (const float **)((char *)def + offset[column]);
}

const float *vti_points_carry(const vt_vorton_points_def *def, int column)
{
    return *composition_of_points((vt_vorton_points_def *)(uintptr_t)def, column);
}

vt_vorton_points_def *vti_copy_vorton_points(const vt_vorton_points_def *def)
{
    const size_t rows = (size_t)def->count;
    vt_vorton_points_def *const block =
        malloc(sizeof *block + (36 + 4 * VT_COMPOSITION_COLUMNS) * rows);
    if (!block)
        return NULL;
    float *const arrays = (float *)(block + 1);
    *block = *def;
    block->animations = NULL;
    block->position = memcpy(arrays, def->position, 12 * rows);
    block->strength = memcpy(arrays + 3 * rows, def->strength, 12 * rows);
    block->core = memcpy(arrays + 6 * rows, def->core, 4 * rows);
    block->volume = memcpy(arrays + 7 * rows, def->volume, 4 * rows);
    if (def->lifetime)
        block->lifetime = memcpy(arrays + 8 * rows, def->lifetime, 4 * rows);
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++) {
        const float **const values = composition_of_points(block, c);
        if (*values)
            *values = memcpy(arrays + (9 + (size_t)c) * rows, *values, 4 * rows);
    }
    return block;
}

static void scale_vector(const vt_pose *pose, const float vector[3], float result[3])
{
    double before[3], after[3];
    for (int c = 0; c < 3; c++)
        before[c] = (double)vector[c];
    vti_pose_direction(pose, before, after);
    for (int c = 0; c < 3; c++)
        result[c] = (float)(pose->scale * after[c]);
}

/* Birth number n, at its point, becomes row `to` of the list. */
static void emit_point(const vt_simulation *s, const vt_fluid_emitter *p, int64_t n, double time,
                       int64_t to, vt_parcel_list *list)
{
    const vt_vorton_points_def *const d = p->points;
    const int64_t point = n % d->count;
    const vt_pose pose = vti_pose_at(&s->transforms, p->parent, time);
    const float scale = (float)pose.scale;
    double place[3], world[3];
    float *const position = list->position + 3 * to;
    vti_scatter(p->seed, (uint64_t)n, d->jitter, d->position + 3 * point, position);
    for (int c = 0; c < 3; c++)
        place[c] = (double)position[c];
    vti_pose_point(&pose, place, world);
    for (int c = 0; c < 3; c++)
        position[c] = (float)world[c];
    scale_vector(&pose, d->strength + 3 * point, list->strength + 3 * to);
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
    const vt_rate_sum *const sum = p->rate_sum.track ? &p->rate_sum : NULL;
    const double spacing = 1 / p->rate, last = fmin(to, p->end);
    const int64_t first = vti_first_event_of(sum, p->start, spacing, from);
    const int64_t end = vti_first_event_of(sum, p->start, spacing, last);
    const int64_t born = from < p->end && to > p->start && end > first ? end - first : 0;
    vt_parcel_list list = vti_new_parcel_list(&s->arena, born < room ? born : room);
    for (list.count = 0; list.count < born && list.count < room; list.count++)
        emit_point(s, p, first + list.count,
                   vti_event_time(sum, p->start, spacing, first + list.count), list.count, &list);
    return list;
}
