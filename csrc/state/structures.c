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

/* Points: the definition, with the arrays behind it in the same block. */
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

/* Of the definition, in the order of the columns. */
static const float **carried_of_points(vt_vorton_points_def *def, int column)
{
    static const size_t offset[VT_CARRIED_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) offsetof(vt_vorton_points_def, name),
#include "vorton/columns.def"
#undef VT_CARRIED
    };
    return (const float **)((char *)def + offset[column]);
}

static const float *points_carry(const void *data, int column)
{
    return *carried_of_points((vt_vorton_points_def *)data, column);
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

static const vt_structure_kind ring_kind = {"ring", count_ring,    fill_ring,
                                            free,   fluid_of_ring, NULL};
static const vt_structure_kind jet_kind = {"ring of the jet", count_pulse,    fill_pulse,
                                           destroy_jet,       fluid_of_pulse, NULL};
static const vt_structure_kind filament_kind = {"filament",       count_filament,    fill_filament,
                                                destroy_filament, fluid_of_filament, NULL};
static const vt_structure_kind tube_kind = {"tube",           count_filament,    fill_filament,
                                            destroy_filament, fluid_of_filament, NULL};
static const vt_structure_kind cloud_kind = {"cloud",       count_cloud,    fill_cloud,
                                             destroy_cloud, fluid_of_cloud, NULL};
static const vt_structure_kind points_kind = {
    "set of vortons", count_points, fill_points, free, NULL, points_carry};

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

static void use_carried(vt_simulation *s, const vt_structure *structure)
{
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++)
        if (structure->members >> c & 1)
            vt_use_vorton_column(s, vt_carried_column[c]);
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
    return structure->start + (double)pulse * structure->period;
}

/* The first pulse not before the time. */
static int64_t first_pulse(const vt_structure *structure, double time)
{
    if (structure->period > 0.0)
        return vt_first_event(structure->start, structure->period, time);
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
    return vt_check_fluid(&s->def.combustion, kind->name, &fluid, animations);
}

/* Takes over a structure whose definition was checked: destroys it when that fails. */
static vt_status add(vt_simulation *s, vt_structure *structure)
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
    return copy ? add(s, &(vt_structure){kind, copy, time, 0.0, INFINITY, parent, NULL, 0})
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
        return add(s, &(vt_structure){&jet_kind, jet, def->start, 1.0 / vt_jet_rate(def), def->end,
                                      def->parent, NULL, 0});
    free(jet);
    return status;
}

static vt_status add_filament(vt_simulation *s, const vt_structure_kind *kind, vt_filament *made)
{
    void *const copy = copy_of(made, sizeof *made);
    if (copy)
        return add(s, &(vt_structure){kind, copy, made->def.time, 0.0, INFINITY, made->def.parent,
                                      NULL, 0});
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
        return add(
            s, &(vt_structure){&cloud_kind, cloud, def->time, 0.0, INFINITY, def->parent, NULL, 0});
    free(cloud);
    return status;
}

/* ---- vortons at given points ---- */

vt_vorton_points_def vt_default_vorton_points(void)
{
    return (vt_vorton_points_def){0};
}

static vt_status check_points(const vt_vorton_points_def *def)
{
    vt_status status;
    if (!def)
        return vt_fail(VT_INVALID_ARGUMENT, "vorton points must not be NULL");
    if (def->count < 1 || def->count > vt_most_structure_vortons)
        return vt_fail(VT_INVALID_ARGUMENT, "vorton points: count must be 1 .. 2^30, got %lld",
                       (long long)def->count);
    if ((status = vt_check_number("vorton points", "time", def->time, 0.0, 1e12, " s")))
        return status;
    return vt_check_vorton_rows(def->count, def->position, def->strength, def->core, def->volume);
}

/* What they carry: ranges as of the columns, shares of no more than all, fuel that can burn. */
static vt_status check_carried(const vt_simulation *s, const vt_vorton_points_def *def)
{
    static const struct {
        const char *name, *allowed;
        double least, most;
    } ranges[VT_CARRIED_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) {#name, allowed, (double)(least), (double)(most)},
#include "vorton/columns.def"
#undef VT_CARRIED
    };
    for (int64_t i = 0; i < def->count; i++) {
        double sum = 0;
        for (int c = 0; c < VT_CARRIED_COLUMNS; c++) {
            const float *const values = points_carry(def, c);
            const double value = values ? (double)values[i] : 0;
            if (values && !(value >= ranges[c].least && value <= ranges[c].most))
                return vt_fail(VT_INVALID_ARGUMENT,
                               "vorton points: %s of row %lld is %g; allowed are %s",
                               ranges[c].name, (long long)i, value, ranges[c].allowed);
            sum += c == VT_CARRIED_density || c == VT_CARRIED_temperature ? 0 : value;
        }
        if (sum > 1 + 1e-6)
            return vt_fail(VT_INVALID_ARGUMENT,
                           "vorton points: fuel + flame + smoke of row %lld are %g of the mass; "
                           "allowed is 1 in all",
                           (long long)i, sum);
        if (def->fuel && def->fuel[i] > 0 && s->def.combustion.law == VT_BURN_NONE)
            return vt_fail(VT_INVALID_ARGUMENT,
                           "vorton points: fuel of row %lld is %g of the mass; allowed is 0 "
                           "without a law by which it burns (combustion)",
                           (long long)i, (double)def->fuel[i]);
    }
    return VT_OK;
}

vt_status vt_add_vorton_points(vt_simulation *s, const vt_vorton_points_def *def)
{
    vt_status status = check_points(def);
    if (!status && !s)
        status = vt_fail(VT_INVALID_ARGUMENT, "simulation must not be NULL");
    if (!status)
        status = check_carried(s, def);
    if (status)
        return status;
    const size_t rows = (size_t)def->count;
    vt_vorton_points_def *const block =
        malloc(sizeof *block + (32 + 4 * VT_CARRIED_COLUMNS) * rows);
    if (!block)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %lld vortons", (long long)def->count);
    float *const arrays = (float *)(block + 1);
    *block = *def;
    block->position = memcpy(arrays, def->position, 12 * rows);
    block->strength = memcpy(arrays + 3 * rows, def->strength, 12 * rows);
    block->core = memcpy(arrays + 6 * rows, def->core, 4 * rows);
    block->volume = memcpy(arrays + 7 * rows, def->volume, 4 * rows);
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++) {
        const float **const values = carried_of_points(block, c);
        if (*values)
            *values = memcpy(arrays + (8 + (size_t)c) * rows, *values, 4 * rows);
    }
    return add(
        s, &(vt_structure){&points_kind, block, def->time, 0.0, INFINITY, def->parent, NULL, 0});
}
