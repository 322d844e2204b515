#include "state/structures.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/grow.h"
#include "core/status.h"
#include "state/births.h"
#include "state/closed.h"
#include "state/cloud.h"
#include "state/filament.h"
#include "state/jet.h"
#include "state/liquid.h"
#include "state/ring.h"
#include "state/simulation.h"

enum { MOST_STRUCTURES = 1 << 20, MOST_BIRTHS = 1 << 14 };

/* ---- kinds ---- */

static int64_t count_ring(const void *data, int64_t pulse)
{
    (void)pulse;
    return vt_ring_count(data);
}

static void fill_ring(const void *data, int64_t pulse, vt_vorton_list *list)
{
    (void)pulse;
    vt_fill_ring(data, list);
}

/* A pulse of no circulation makes no ring. */
static int64_t count_pulse(const void *data, int64_t pulse)
{
    const vt_ring_def ring = vt_jet_ring(data, pulse);
    return ring.circulation == 0.0 ? 0 : vt_ring_count(&ring);
}

static void fill_pulse(const void *data, int64_t pulse, vt_vorton_list *list)
{
    const vt_ring_def ring = vt_jet_ring(data, pulse);
    if (ring.circulation != 0.0)
        vt_fill_ring(&ring, list);
}

static void destroy_jet(void *data)
{
    vt_destroy_jet(data);
    free(data);
}

static int64_t count_filament(const void *data, int64_t pulse)
{
    (void)pulse;
    return vt_filament_count(data);
}

static void fill_filament(const void *data, int64_t pulse, vt_vorton_list *list)
{
    (void)pulse;
    vt_fill_filament(data, list);
}

static void destroy_filament(void *data)
{
    vt_destroy_filament(data);
    free(data);
}

static int64_t count_cloud(const void *data, int64_t pulse)
{
    (void)pulse;
    return vt_cloud_count(data);
}

static void fill_cloud(const void *data, int64_t pulse, vt_vorton_list *list)
{
    (void)pulse;
    vt_fill_cloud(data, list);
}

static void destroy_cloud(void *data)
{
    vt_destroy_cloud(data);
    free(data);
}

static vt_fluid_def fluid_of_ring(const void *data, int64_t pulse)
{
    (void)pulse;
    return ((const vt_ring_def *)data)->fluid;
}

static vt_fluid_def fluid_of_pulse(const void *data, int64_t pulse)
{
    return vt_jet_ring(data, pulse).fluid;
}

static vt_fluid_def fluid_of_filament(const void *data, int64_t pulse)
{
    (void)pulse;
    return ((const vt_filament *)data)->def.fluid;
}

static vt_fluid_def fluid_of_cloud(const void *data, int64_t pulse)
{
    (void)pulse;
    return ((const vt_cloud *)data)->def.fluid;
}

static const vt_structure_kind ring_kind = {"ring",        count_ring, fill_ring, free,
                                            fluid_of_ring, NULL,       NULL};
static const vt_structure_kind jet_kind = {"ring of the jet", count_pulse, fill_pulse, destroy_jet,
                                           fluid_of_pulse,    NULL,        NULL};
static const vt_structure_kind filament_kind = {
    "filament", count_filament, fill_filament, destroy_filament, fluid_of_filament, NULL, NULL};
static const vt_structure_kind tube_kind = {
    "tube", count_filament, fill_filament, destroy_filament, fluid_of_filament, NULL, NULL};
static const vt_structure_kind cloud_kind = {"cloud",        count_cloud, fill_cloud, destroy_cloud,
                                             fluid_of_cloud, NULL,        NULL};
void vt_fill_carried(const vt_structure_birth *birth, int column, float *values)
{
    const vt_structure *const structure = birth->structure;
    if (structure->kind->fluid) {
        vt_fluid_def fluid = structure->kind->fluid(structure->data, birth->pulse);
        const float value = (float)*vt_fluid_member(&fluid, column);
        for (int64_t i = 0; i < birth->count; i++)
            values[i] = value;
    } else {
        memcpy(values, structure->kind->carried(structure->data, column), 4 * (size_t)birth->count);
    }
}

const float *vt_structure_lifetimes(const vt_structure *structure)
{
    return structure->kind->lifetimes ? structure->kind->lifetimes(structure->data) : NULL;
}

int vt_structure_changes(const vt_structure *structure)
{
    return structure->kind == &jet_kind && ((const vt_jet *)structure->data)->animations.count > 0;
}

static void use_carried(vt_simulation *s, const vt_structure *structure)
{
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++)
        if (structure->members >> c & 1)
            vt_use_vorton_column(s, vt_carried_column[c]);
    if (vt_structure_lifetimes(structure))
        vt_use_vorton_column(s, VT_VORTON_lifetime);
}

/* To the rows of a birth from `first`. */
static void give_carried(vt_simulation *s, const vt_structure_birth *birth, int64_t first)
{
    const size_t mark = vt_arena_mark(&s->arena);
    float *const values = vt_arena_push(&s->arena, 4 * (size_t)birth->count);
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++) {
        float *const column = s->vortons.set.column[vt_carried_column[c]];
        if (!(birth->structure->members >> c & 1))
            continue;
        vt_fill_carried(birth, c, values);
        for (int64_t i = 0; i < birth->count; i++)
            if (c != VT_CARRIED_temperature || values[i] > 0)
                column[first + i] = values[i];
    }
    vt_arena_pop(&s->arena, mark);
    vt_count_heat(s, first, birth->count, NULL, 1);
}

/* ---- births ---- */

static double pulse_time(const vt_structure *structure, int64_t pulse)
{
    return vt_event_time(structure->sum, structure->start, structure->period, pulse);
}

/* The first pulse not before the time. */
static int64_t first_pulse(const vt_structure *structure, double time)
{
    if (structure->period > 0.0)
        return vt_first_event_of(structure->sum, structure->start, structure->period, time);
    return time > structure->start;
}

int64_t vt_find_structure_births(const vt_structures *structures, double from, double to,
                                 int64_t room, vt_structure_birth *births)
{
    int64_t found = 0;
    for (int32_t i = 0; i < structures->count; i++) {
        const vt_structure *const structure = &structures->item[i];
        const int64_t first = first_pulse(structure, from);
        const int64_t end = first_pulse(structure, fmin(to, structure->end));
        if (end > first && end - first > MOST_BIRTHS - found)
            return INT64_MAX;
        for (int64_t pulse = first; pulse < end; pulse++, found++)
            if (found < room)
                births[found] = (vt_structure_birth){structure, pulse,
                                                     structure->kind->count(structure->data, pulse),
                                                     pulse_time(structure, pulse)};
    }
    return found;
}

vt_vorton_list vt_new_vorton_list(vt_arena *arena, int64_t count, int threads)
{
    const size_t rows = (size_t)count;
    return (vt_vorton_list){.position = vt_arena_push(arena, 12 * rows),
                            .strength = vt_arena_push(arena, 12 * rows),
                            .core = vt_arena_push(arena, 4 * rows),
                            .volume = vt_arena_push(arena, 4 * rows),
                            .threads = threads};
}

static void place_vector(const vt_pose *pose, float vector[3], int is_point)
{
    double before[3], after[3];
    for (int c = 0; c < 3; c++)
        before[c] = (double)vector[c];
    if (is_point)
        vt_pose_point(pose, before, after);
    else
        vt_pose_direction(pose, before, after);
    for (int c = 0; c < 3; c++)
        vector[c] = (float)(is_point ? after[c] : pose->scale * after[c]);
}

void vt_fill_structure(const vt_transforms *transforms, const vt_structure_birth *birth,
                       vt_vorton_list *list)
{
    const vt_structure *const structure = birth->structure;
    structure->kind->fill(structure->data, birth->pulse, list);
    if (structure->parent == 0)
        return;
    const vt_pose pose = vt_pose_at(transforms, structure->parent, birth->time);
    const float scale = (float)pose.scale;
    for (int64_t i = 0; i < birth->count; i++) {
        place_vector(&pose, list->position + 3 * i, 1);
        place_vector(&pose, list->strength + 3 * i, 0);
        list->core[i] *= scale;
        list->volume[i] *= scale * scale * scale;
    }
}

/* The whole structure at once, into the columns. */
static vt_status bear_now(vt_simulation *s, const vt_structure *structure)
{
    const int64_t count = structure->kind->count(structure->data, 0);
    int64_t fits = count;
    const vt_status status = vt_check_room(s, VT_VORTONS, &fits);
    if (status || fits < count)
        return status;
    vt_make_room(s, VT_VORTONS, count);
    use_carried(s, structure);
    const size_t mark = vt_arena_mark(&s->arena);
    vt_vorton_list list = vt_new_vorton_list(&s->arena, count, s->def.threads);
    const vt_structure_birth birth = {structure, 0, count, s->time};
    vt_fill_structure(&s->transforms, &birth, &list);
    const int64_t first =
        vt_append_vortons(s, count, list.position, list.strength, list.core, list.volume);
    if (vt_structure_lifetimes(structure))
        memcpy(s->vortons.lifetime + first, vt_structure_lifetimes(structure), 4 * (size_t)count);
    if (structure->members)
        give_carried(s, &birth, first);
    else
        vt_mark_newborn_vortex(s, first, count);
    vt_arena_pop(&s->arena, mark);
    return VT_OK;
}

/* ---- adding ---- */

void vt_destroy_structures(vt_structures *structures)
{
    for (int32_t i = 0; i < structures->count; i++) {
        const vt_structure *const structure = &structures->item[i];
        if (atomic_fetch_sub(structure->owners, 1) > 1)
            continue;
        structure->kind->destroy(structure->data);
        free((void *)structure->owners);
    }
    free(structures->item);
    *structures = (vt_structures){0};
}

/* Takes the structure over. */
static vt_status keep(vt_structures *structures, const vt_structure *structure)
{
    const int32_t n = structures->count;
    if (n == MOST_STRUCTURES)
        return vt_fail(VT_OUT_OF_MEMORY, "no room for more than %d structures", n);
    _Atomic int32_t *const owners = malloc(sizeof *owners);
    if (!owners || vt_grow((void **)&structures->item, n, sizeof *structure)) {
        free((void *)owners);
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for structure %d", n);
    }
    atomic_init(owners, 1);
    structures->item[n] = *structure;
    structures->item[n].owners = owners;
    structures->count = n + 1;
    return VT_OK;
}

vt_status vt_copy_structures(const vt_structures *from, vt_structures *to)
{
    *to = (vt_structures){.item = vt_copy_grown(from->item, from->count, sizeof *from->item)};
    if (!to->item)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %d structures", from->count);
    to->count = from->count;
    for (int32_t i = 0; i < from->count; i++)
        atomic_fetch_add(from->item[i].owners, 1);
    return VT_OK;
}

static vt_status add_inside(vt_simulation *s, const vt_structure *structure)
{
    const vt_status parent = vt_check_parent(&s->transforms, structure->parent);
    if (parent)
        return parent;
    const vt_status room = vt_check_room_to_burn(s, structure->members, structure->kind->name,
                                                 s->sources.structures.count);
    if (room)
        return room;
    const int64_t count = structure->kind->count(structure->data, 0);
    if (count > s->vortons.set.capacity)
        return vt_fail(VT_OVER_CAPACITY, "the %s has %lld vortons; max_vortons is %lld",
                       structure->kind->name, (long long)count, (long long)s->vortons.set.capacity);
    if (structure->period > 0.0 || structure->start > s->time) {
        const vt_status kept = keep(&s->sources.structures, structure);
        if (!kept)
            use_carried(s, structure);
        return kept;
    }
    const vt_status status = bear_now(s, structure);
    if (!status)
        structure->kind->destroy(structure->data);
    return status;
}

/* Which members the fluid has; what is the same for all vortons is checked, too. */
static vt_status find_members(const vt_simulation *s, vt_structure *structure)
{
    const vt_structure_kind *const kind = structure->kind;
    structure->members = 0;
    for (int c = 0; c < VT_CARRIED_COLUMNS && !kind->fluid; c++)
        structure->members |= (uint32_t)(kind->carried(structure->data, c) != NULL) << c;
    if (!kind->fluid)
        return VT_OK;
    const vt_fluid_def fluid = kind->fluid(structure->data, 0);
    const vt_animations *const animations =
        kind == &jet_kind ? &((const vt_jet *)structure->data)->animations : NULL;
    structure->members = vt_fluid_members(&fluid, animations);
    const vt_status status = vt_check_fluid(&s->def.combustion, kind->name, &fluid, animations);
    return status ? status
                  : vt_check_temperature(
                        &s->def, kind->name,
                        vt_most_of_fluid(&fluid, animations, VT_CARRIED_temperature, 1));
}

vt_status vt_add_structure(vt_simulation *s, vt_structure *structure)
{
    vt_status status = vt_enter(s);
    if (!status) {
        status = find_members(s, structure);
        if (!status)
            status = add_inside(s, structure);
        vt_leave(s);
    }
    if (status)
        structure->kind->destroy(structure->data);
    return status;
}

static void *copy_of(const void *data, size_t size)
{
    void *const copy = malloc(size);
    if (!copy)
        vt_fail(VT_OUT_OF_MEMORY, "no memory for a structure");
    return copy ? memcpy(copy, data, size) : NULL;
}

static vt_status add_copy(vt_simulation *s, const vt_structure_kind *kind, const void *data,
                          size_t size, double time, int32_t parent)
{
    void *const copy = copy_of(data, size);
    return copy ? vt_add_structure(s, &(vt_structure){.kind = kind,
                                                      .data = copy,
                                                      .start = time,
                                                      .end = INFINITY,
                                                      .parent = parent})
                : VT_OUT_OF_MEMORY;
}

vt_status vt_add_ring(vt_simulation *s, const vt_ring_def *def)
{
    const vt_status status = vt_check_ring(def);
    return status ? status : add_copy(s, &ring_kind, def, sizeof *def, def->time, def->parent);
}

vt_status vt_add_jet(vt_simulation *s, const vt_jet_def *def)
{
    vt_status status = vt_check_jet(def);
    if (status)
        return status;
    vt_jet *const jet = malloc(sizeof *jet);
    if (!jet)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for a jet");
    status = vt_create_jet(def, jet);
    if (!status)
        return vt_add_structure(s,
                                &(vt_structure){.kind = &jet_kind,
                                                .data = jet,
                                                .start = def->start,
                                                .period = 1.0 / vt_jet_rate(def),
                                                .end = def->end,
                                                .sum = jet->rate_sum.track ? &jet->rate_sum : NULL,
                                                .parent = def->parent});
    free(jet);
    return status;
}

static vt_status add_filament(vt_simulation *s, const vt_structure_kind *kind, vt_filament *made)
{
    void *const copy = copy_of(made, sizeof *made);
    if (copy)
        return vt_add_structure(s, &(vt_structure){.kind = kind,
                                                   .data = copy,
                                                   .start = made->def.time,
                                                   .end = INFINITY,
                                                   .parent = made->def.parent});
    vt_destroy_filament(made);
    return VT_OUT_OF_MEMORY;
}

vt_status vt_add_filament(vt_simulation *s, const vt_filament_def *def)
{
    vt_filament filament;
    const vt_status status = vt_create_filament(def, &filament);
    return status ? status : add_filament(s, &filament_kind, &filament);
}

vt_status vt_add_tube(vt_simulation *s, const vt_tube_def *def)
{
    vt_filament filament;
    const vt_status status = vt_create_tube(def, &filament);
    filament.def.parent = def->parent;
    return status ? status : add_filament(s, &tube_kind, &filament);
}

vt_status vt_add_cloud(vt_simulation *s, const vt_cloud_def *def)
{
    vt_cloud *const cloud = malloc(sizeof *cloud);
    if (!cloud)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for a cloud");
    const vt_status status = vt_create_cloud(def, cloud);
    if (!status)
        return vt_add_structure(s, &(vt_structure){.kind = &cloud_kind,
                                                   .data = cloud,
                                                   .start = def->time,
                                                   .end = INFINITY,
                                                   .parent = def->parent});
    free(cloud);
    return status;
}
