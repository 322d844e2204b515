#include "sources/vortex_structures.h"

#include "base/growing_array.h"
#include "base/memory.h"
#include "base/status.h"
#include "model/birth_sequence.h"
#include "model/fluid_composition.h"
#include "state/closed_container.h"
#include "state/heat_budget.h"
#include "state/particles.h"
#include "state/simulation.h"

enum { MOST_STRUCTURES = 1 << 20, MOST_BIRTHS = 1 << 14 };

/* ---- what its fluid carries ---- */

void vti_fill_composition(const vt_structure_birth *birth, int column, float *values)
{
    const vt_structure *const structure = birth->structure;
    if (structure->kind->fluid) {
        vt_fluid_def fluid = structure->kind->fluid(structure->data, birth->pulse);
        const float value = (float)*vti_fluid_member(&fluid, column);
        for (int64_t i = 0; i < birth->count; i++)
            values[i] = value;
    } else {
        memcpy(values, structure->kind->carried(structure->data, column), 4 * (size_t)birth->count);
    }
}

const float *vti_structure_lifetimes(const vt_structure *structure)
{
    return structure->kind->lifetimes ? structure->kind->lifetimes(structure->data) : NULL;
}

static const vt_animations *animations_of(const vt_structure *structure)
{
    return structure->kind->animations ? structure->kind->animations(structure->data) : NULL;
}

int vti_structure_changes(const vt_structure *structure)
{
    const vt_animations *const animations = animations_of(structure);
    return animations && animations->count > 0;
}

static void use_composition(vt_simulation *s, const vt_structure *structure)
{
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
        if (structure->members >> c & 1)
            vti_use_vorton_column(s, vti_composition_column[c]);
    if (vti_structure_lifetimes(structure))
        vti_use_vorton_column(s, VT_VORTON_lifetime);
}

/* To the rows of a birth from `first`. */
static void give_composition(vt_simulation *s, const vt_structure_birth *birth, int64_t first)
{
    const size_t mark = vti_arena_mark(&s->arena);
    float *const values = vti_arena_push(&s->arena, 4 * (size_t)birth->count);
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++) {
        float *const column = s->vortons.set.column[vti_composition_column[c]];
        if (!(birth->structure->members >> c & 1))
            continue;
        vti_fill_composition(birth, c, values);
        for (int64_t i = 0; i < birth->count; i++)
            if (c != VT_CARRIED_temperature || values[i] > 0)
                column[first + i] = values[i];
    }
    vti_arena_pop(&s->arena, mark);
    vti_count_heat(s, first, birth->count, NULL, 1);
}

/* ---- births ---- */

static double pulse_time(const vt_structure *structure, int64_t pulse)
{
    return vti_event_time(structure->sum, structure->start, structure->period, pulse);
}

/* The first pulse not before the time. */
static int64_t first_pulse(const vt_structure *structure, double time)
{
    if (structure->period > 0.0)
        return vti_first_event_of(structure->sum, structure->start, structure->period, time);
    return time > structure->start;
}

int64_t vti_find_structure_births(const vt_structures *structures, double from, double to,
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

vt_vorton_list vti_new_vorton_list(vt_simulation *s, int64_t count)
{
    const size_t rows = (size_t)count;
    vt_arena *const arena = &s->arena;
    return (vt_vorton_list){.position = vti_arena_push(arena, 12 * rows),
                            .strength = vti_arena_push(arena, 12 * rows),
                            .core = vti_arena_push(arena, 4 * rows),
                            .volume = vti_arena_push(arena, 4 * rows),
                            .simulation = s,
                            .scale = 1};
}

void vti_fill_structure(const vt_structure_birth *birth, vt_vorton_list *list)
{
    const vt_structure *const structure = birth->structure;
    vt_pose pose = {.scale = 1};
    if (structure->parent)
        pose = vti_pose_at(&list->simulation->transforms, structure->parent, birth->time);
    list->scale = pose.scale;
    structure->kind->fill(structure->data, birth->pulse, list);
    if (structure->parent == 0)
        return;
    const float scale = (float)pose.scale;
    for (int64_t i = 0; i < birth->count; i++) {
        vti_pose_point_row(&pose, list->position + 3 * i);
        vti_pose_vector_row(&pose, list->strength + 3 * i);
        list->core[i] *= scale;
        list->volume[i] *= scale * scale * scale;
    }
}

/* The whole structure at once, into the columns. */
static vt_status emit_current(vt_simulation *s, const vt_structure *structure)
{
    const int64_t count = structure->kind->count(structure->data, 0);
    int64_t fits = count;
    const vt_status status = vti_check_capacity(s, VT_VORTONS, &fits);
    if (status || fits < count)
        return status;
    vti_make_capacity(s, VT_VORTONS, count);
    use_composition(s, structure);
    const size_t mark = vti_arena_mark(&s->arena);
    vt_vorton_list list = vti_new_vorton_list(s, count);
    const vt_structure_birth birth = {structure, 0, count, s->time};
    vti_fill_structure(&birth, &list);
    const int64_t first =
        vti_append_vortons(s, count, list.position, list.strength, list.core, list.volume);
    if (vti_structure_lifetimes(structure))
        memcpy(s->vortons.lifetime + first, vti_structure_lifetimes(structure), 4 * (size_t)count);
    vti_mark_line(s, first, count, list.line);
    if (structure->members)
        give_composition(s, &birth, first);
    else
        vti_mark_newborn_vortex(s, first, count);
    vti_arena_pop(&s->arena, mark);
    return VT_OK;
}

/* ---- adding ---- */

void vti_release_structure(const vt_structure *structure)
{
    if (atomic_fetch_sub(structure->owners, 1) > 1)
        return;
    structure->kind->destroy(structure->data);
    vti_free((void *)structure->owners);
}

void vti_destroy_structures(vt_structures *structures)
{
    for (int32_t i = 0; i < structures->count; i++)
        vti_release_structure(&structures->item[i]);
    vti_free(structures->item);
    *structures = (vt_structures){0};
}

/* Takes the structure over. */
static vt_status keep(vt_structures *structures, const vt_structure *structure)
{
    const int32_t n = structures->count;
    if (n == MOST_STRUCTURES)
        return vti_fail(VT_OUT_OF_MEMORY, "no room for more than %d structures", n);
    _Atomic int32_t *const owners = vti_allocate(sizeof *owners);
    if (!owners || vti_grow((void **)&structures->item, n, sizeof *structure)) {
        vti_free((void *)owners);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for structure %d", n);
    }
    atomic_init(owners, 1);
    structures->item[n] = *structure;
    structures->item[n].owners = owners;
    structures->count = n + 1;
    return VT_OK;
}

vt_status vti_copy_structures(const vt_structures *from, vt_structures *to)
{
    *to = (vt_structures){.item = vti_copy_grown(from->item, from->count, sizeof *from->item)};
    if (!to->item)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d structures", from->count);
    to->count = from->count;
    for (int32_t i = 0; i < from->count; i++)
        atomic_fetch_add(from->item[i].owners, 1);
    return VT_OK;
}

static vt_status add_inside(vt_simulation *s, const vt_structure *structure)
{
    const vt_status room = vti_check_space_to_burn(s, structure->members, structure->kind->name,
                                                   s->sources.structures.count);
    if (room)
        return room;
    const int64_t count = structure->kind->count(structure->data, 0);
    if (count > s->vortons.set.capacity)
        return vti_fail(VT_OVER_CAPACITY, "the %s has %lld vortons; max_vortons is %lld%s",
                        structure->kind->name, (long long)count, (long long)s->vortons.set.capacity,
                        vti_whose_room(s, VT_VORTONS));
    if (structure->period > 0.0 || structure->start > s->time) {
        const vt_status kept = keep(&s->sources.structures, structure);
        if (!kept)
            use_composition(s, structure);
        return kept;
    }
    const vt_status status = emit_current(s, structure);
    if (!status)
        structure->kind->destroy(structure->data);
    return status;
}

/* Which members the fluid has; what is the same for all vortons is checked, too. */
static vt_status find_members(const vt_simulation *s, vt_structure *structure)
{
    const vt_structure_kind *const kind = structure->kind;
    structure->members = 0;
    for (int c = 0; c < VT_COMPOSITION_COLUMNS && !kind->fluid; c++)
        structure->members |= (uint32_t)(kind->carried(structure->data, c) != NULL) << c;
    if (!kind->fluid)
        return VT_OK;
    const vt_fluid_def fluid = kind->fluid(structure->data, 0);
    const vt_animations *const animations = animations_of(structure);
    structure->members = vti_fluid_members(&fluid, animations);
    const vt_status status = vti_check_fluid(&s->def.combustion, kind->name, &fluid, animations);
    return status ? status
                  : vti_check_temperature(
                        &s->def, kind->name,
                        vti_most_of_fluid(&fluid, animations, VT_CARRIED_temperature, 1));
}

vt_status vti_keep_structure(vt_simulation *s, vt_structure *structure)
{
    structure->id = s->sources.made;
    vt_status status = find_members(s, structure);
    if (!status)
        status = add_inside(s, structure);
    if (status)
        structure->kind->destroy(structure->data);
    return status;
}
