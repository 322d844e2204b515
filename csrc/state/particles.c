/* Adding, removing and finding vortons and tracers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "core/vec3.h"
#include "field_now.h"
#include "state/ambient.h"
#include "tracers.h"

static vt_set *set_of(const vt_simulation *s, int set)
{
    if (set == VT_VORTONS)
        return (vt_set *)&s->vortons.set;
    return set == VT_TRACERS ? (vt_set *)&s->tracers.set : NULL;
}

static const char *name_of(int set)
{
    return set == VT_VORTONS ? "vortons" : "tracers";
}

static vt_status check_set(int set)
{
    if (set == VT_VORTONS || set == VT_TRACERS)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "set is %d; allowed are VT_VORTONS and VT_TRACERS", set);
}

int64_t vt_count(const vt_simulation *s, int set)
{
    return check_set(set) ? 0 : set_of(s, set)->count;
}

int64_t vt_capacity(const vt_simulation *s, int set)
{
    return check_set(set) ? 0 : set_of(s, set)->capacity;
}

/* ---- columns ---- */

int vt_is_buoyant(const vt_simulation *s)
{
    const int32_t *const used = s->vortons.set.used;
    return (used[VT_VORTON_density] || used[VT_VORTON_temperature]) &&
           s->def.method.velocity == VT_VELOCITY_POISSON &&
           s->def.method.buoyancy != VT_BUOYANCY_NONE;
}

/* What newborn vortons carry: nothing, at the temperature of the ambient fluid. */
static void fill_vorton_column(vt_simulation *s, int column, int64_t first, int64_t count)
{
    vt_vortons *const v = &s->vortons;
    if (column != VT_VORTON_temperature) {
        vt_fill_column(&v->set, column, first, count, column == VT_VORTON_lifetime ? INFINITY : 0);
        return;
    }
    const vt_fluid fluid = vt_fluid_of(&s->def);
    for (int64_t i = first; i < first + count; i++)
        v->temperature[i] = vt_ambient_temperature(&fluid, v->position + 3 * i);
}

void vt_use_vorton_column(vt_simulation *s, int column)
{
    if (s->vortons.set.used[column])
        return;
    vt_vortons *const v = &s->vortons;
    const int64_t count = v->set.count;
    v->set.used[column] = 1;
    fill_vorton_column(s, column, 0, count);
    if (column == VT_VORTON_birth_volume)
        memcpy(v->birth_volume, v->volume, 4 * (size_t)count);
    if (column == VT_VORTON_volume_temperature) {
        const vt_fluid fluid = vt_fluid_of(&s->def);
        const float *const now = vt_used_column(&v->set, VT_VORTON_temperature);
        for (int64_t i = 0; i < count; i++) /* where a bad one is written, the next step says so */
            v->volume_temperature[i] = now && now[i] > 0 && isfinite(now[i])
                                           ? now[i]
                                           : vt_ambient_temperature(&fluid, v->position + 3 * i);
    }
}

/* What newborn tracers hold that nothing has been given, but for what they take from vortons. */
static void fill_tracer_column(vt_simulation *s, int column, int64_t first, int64_t count)
{
    vt_fill_column(&s->tracers.set, column, first, count,
                   column == VT_TRACER_lifetime ? (double)INFINITY
                                                : (double)s->tracers.set.alike[column]);
}

void vt_use_tracer_column(vt_simulation *s, int column)
{
    if (s->tracers.set.used[column])
        return;
    s->tracers.set.used[column] = 1;
    const int64_t count = s->tracers.set.count;
    fill_tracer_column(s, column, 0, count);
    if (vt_is_taken(column))
        vt_find_tracer_scalars(s, 0);
    if (column == VT_TRACER_velocity && count && !vt_solve_now(s)) {
        vt_velocity_of_points(s, count, s->tracers.position, s->tracers.velocity);
        for (int64_t i = 0; i < 3 * count; i++)
            s->tracers.velocity[i] += (float)s->winds.velocity[i % 3];
    }
}

int vt_tracers_carry(const vt_simulation *simulation, const char *name)
{
    vt_column_field field;
    if (simulation && name && strcmp(name, "temperature") == 0 &&
        simulation->tracers.set.used[VT_TRACER_warmth])
        return 1;
    for (int n = 0; simulation && name && n < VT_TAKEN_COLUMNS; n++)
        if (vt_describe_column(VT_TRACERS, vt_taken_column[n], &field) &&
            strcmp(field.name, name) == 0)
            return simulation->vortons.set.used[vt_taken_from[n]] != 0;
    return 0;
}

static vt_status describe_column(vt_simulation *s, int set, const char *name, vt_array *array)
{
    vt_column_field field;
    for (int c = 0; vt_describe_column(set, c, &field); c++) {
        if (strcmp(field.name, name) != 0)
            continue;
        if (set == VT_TRACERS)
            vt_use_tracer_column(s, c);
        else
            vt_use_vorton_column(s, c);
        s->viewed[set] |= 1u << c;
        const vt_set *const columns = set_of(s, set);
        const int64_t item = field.type == VT_INT64 ? 8 : 4;
        *array = (vt_array){.data = columns->column[c],
                            .type = field.type,
                            .dimensions = field.components > 1 ? 2 : 1,
                            .shape = {columns->count, field.components},
                            .strides = {columns->row_bytes[c], item}};
        return VT_OK;
    }
    return vt_fail(VT_INVALID_ARGUMENT, "%s have no column \"%s\"", name_of(set), name);
}

vt_status vt_column(vt_simulation *s, int set, const char *name, vt_array *array)
{
    vt_status status = check_set(set);
    if (!status)
        status = vt_enter(s);
    if (status)
        return status;
    status = describe_column(s, set, name, array);
    vt_leave(s);
    return status;
}

/* ---- adding ---- */

typedef struct age_of_row {
    float age;
    uint32_t row;
} age_of_row;

/* Oldest first; of equal age the smaller row. */
static int compare_ages(const void *a, const void *b)
{
    const age_of_row *const p = a, *const q = b;
    if (p->age != q->age)
        return p->age > q->age ? -1 : 1;
    return p->row < q->row ? -1 : 1;
}

void vt_cut_rows(vt_simulation *s, int set, const uint8_t *mask)
{
    if (set == VT_VORTONS && s->vortons.set.used[VT_VORTON_panel])
        for (int64_t i = 0; i < s->vortons.set.count && !s->wake_is_cut; i++)
            s->wake_is_cut = mask[i] && s->vortons.panel[i] != 0;
    vt_remove_rows(s, set, mask);
}

static void remove_oldest(vt_simulation *s, int set, int64_t count)
{
    vt_set *const rows = set_of(s, set);
    const float *const age = set == VT_VORTONS ? s->vortons.age : s->tracers.age;
    const size_t mark = vt_arena_mark(&s->arena);
    age_of_row *const ages = vt_arena_push(&s->arena, sizeof *ages * (size_t)rows->count);
    uint8_t *const mask = vt_arena_push(&s->arena, (size_t)rows->count);
    memset(mask, 0, (size_t)rows->count);
    for (int64_t i = 0; i < rows->count; i++)
        ages[i] = (age_of_row){age[i], (uint32_t)i};
    qsort(ages, (size_t)rows->count, sizeof *ages, compare_ages);
    for (int64_t i = 0; i < count; i++)
        mask[ages[i].row] = 1;
    vt_cut_rows(s, set, mask);
    vt_arena_pop(&s->arena, mark);
}

vt_status vt_check_room(const vt_simulation *s, int set, int64_t *count)
{
    const vt_set *const rows = set_of(s, set);
    const int64_t left = rows->capacity - rows->count;
    if (s->def.at_capacity == VT_AT_CAPACITY_STOP && *count > left)
        *count = left;
    if (*count <= left)
        return VT_OK;
    if (s->def.at_capacity == VT_AT_CAPACITY_OLDEST && *count <= rows->capacity)
        return VT_OK;
    return vt_fail(VT_OVER_CAPACITY,
                   "%lld more %s do not fit: %lld of max_%s %lld are alive; raise max_%s or choose "
                   "another at_capacity",
                   (long long)*count, name_of(set), (long long)rows->count, name_of(set),
                   (long long)rows->capacity, name_of(set));
}

void vt_make_room(vt_simulation *s, int set, int64_t count)
{
    const vt_set *const rows = set_of(s, set);
    const int64_t missing = count - (rows->capacity - rows->count);
    if (missing > 0)
        remove_oldest(s, set, missing);
}

int64_t vt_append_vortons(vt_simulation *s, int64_t count, const float *position,
                          const float *strength, const float *core, const float *volume)
{
    vt_vortons *const v = &s->vortons;
    const int64_t first = v->set.count;
    memcpy(v->position + 3 * first, position, 12 * (size_t)count);
    memcpy(v->strength + 3 * first, strength, 12 * (size_t)count);
    memcpy(v->core + first, core, 4 * (size_t)count);
    memcpy(v->volume + first, volume, 4 * (size_t)count);
    memset(v->velocity + 3 * first, 0, 12 * (size_t)count);
    memset(v->age + first, 0, 4 * (size_t)count);
    if (v->set.used[VT_VORTON_halo])
        memset(v->halo + first, 0, 4 * (size_t)count);
    if (v->set.used[VT_VORTON_panel])
        memset(v->panel + first, 0, 4 * (size_t)count);
    if (v->set.used[VT_VORTON_acceleration])
        memset(v->acceleration + 3 * first, 0, 12 * (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        v->bound_volume[first + i] = -volume[i]; /* until the first solve: see stretch.c */
        v->id[first + i] = s->next_id[VT_VORTONS]++;
        v->birth_strength[first + i] = (float)vt_length_of(strength + 3 * i);
        if (s->smallest_core == 0 || core[i] < s->smallest_core)
            s->smallest_core = core[i];
    }
    for (int c = VT_VORTON_density; c < VT_VORTON_COLUMNS; c++)
        if (v->set.used[c])
            fill_vorton_column(s, c, first, count);
    v->set.count += count;
    s->fields_current = 0;
    return first;
}

void vt_mark_newborn_vortex(vt_simulation *s, int64_t first, int64_t count)
{
    if (s->def.method.halo == 0 || s->def.method.buoyancy == VT_BUOYANCY_NONE)
        return;
    vt_use_vorton_column(s, VT_VORTON_halo);
    for (int64_t i = first; i < first + count; i++)
        s->vortons.halo[i] = -1;
}

/* The values of newborn tracers. */
static void append_values(vt_simulation *s, int column, const float *values, int64_t count)
{
    vt_set *const set = &s->tracers.set;
    if (vt_stay_alike(set, column, values, count))
        return;
    vt_use_tracer_column(s, column);
    memcpy((float *)set->column[column] + set->count, values, 4 * (size_t)count);
}

int64_t vt_append_tracers(vt_simulation *s, int64_t count, const float *position,
                          const float *density, const float *size)
{
    vt_tracers *const t = &s->tracers;
    const int64_t first = t->set.count;
    memcpy(t->position + 3 * first, position, 12 * (size_t)count);
    append_values(s, VT_TRACER_density, density, count);
    append_values(s, VT_TRACER_size, size, count);
    memset(t->age + first, 0, 4 * (size_t)count);
    for (int64_t i = 0; i < count; i++)
        t->id[first + i] = s->next_id[VT_TRACERS]++;
    static const int unless_given[] = {VT_TRACER_velocity, VT_TRACER_lifetime, VT_TRACER_growth,
                                       VT_TRACER_fade, VT_TRACER_warmth};
    for (size_t n = 0; n < sizeof unless_given / sizeof *unless_given; n++)
        if (t->set.used[unless_given[n]])
            fill_tracer_column(s, unless_given[n], first, count);
    vt_fill_tracer_scalars(s, first, count);
    t->set.count += count;
    return first;
}

static vt_status check_finite(const char *name, const float *values, int64_t count, int components)
{
    for (int64_t i = 0; i < count * components; i++)
        if (!isfinite(values[i]))
            return vt_fail(VT_NOT_FINITE, "%s has %g in row %lld; allowed are finite values", name,
                           (double)values[i], (long long)(i / components));
    return VT_OK;
}

/* zero: whether 0 is allowed. */
static vt_status check_positive(const char *name, const float *values, int64_t count, int zero)
{
    for (int64_t i = 0; i < count; i++)
        if (!(zero ? values[i] >= 0 : values[i] > 0) || !isfinite(values[i]))
            return vt_fail(VT_INVALID_ARGUMENT,
                           "%s has %g in row %lld; allowed are finite values %s 0", name,
                           (double)values[i], (long long)i, zero ? ">=" : ">");
    return VT_OK;
}

static vt_status check_count(int64_t count, const void *a, const void *b, const void *c)
{
    if (count < 0)
        return vt_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is >= 0", (long long)count);
    if (count > 0 && (!a || !b || !c))
        return vt_fail(VT_INVALID_ARGUMENT, "an array is NULL; allowed are count rows");
    return VT_OK;
}

static void copy_ids(const int64_t *from, int64_t count, int64_t *ids)
{
    if (ids)
        memcpy(ids, from, 8 * (size_t)count);
}

/* All or nothing: what the caller adds by hand never stops half way. */
static vt_status make_room_for_all(vt_simulation *s, int set, int64_t count)
{
    int64_t fits = count;
    const vt_status status = vt_check_room(s, set, &fits);
    if (!status && fits < count)
        return vt_fail(VT_OVER_CAPACITY, "%lld more %s do not fit: %lld of max_%s %lld are alive",
                       (long long)count, name_of(set), (long long)vt_count(s, set), name_of(set),
                       (long long)vt_capacity(s, set));
    if (!status)
        vt_make_room(s, set, count);
    return status;
}

vt_status vt_check_vorton_rows(int64_t count, const float *position, const float *strength,
                               const float *core, const float *volume)
{
    vt_status status = check_count(count, position, strength, core);
    if (!status && count > 0 && !volume)
        status = vt_fail(VT_INVALID_ARGUMENT, "volume is NULL; allowed are count rows");
    if (!status)
        status = check_finite("position", position, count, 3);
    if (!status)
        status = check_finite("strength", strength, count, 3);
    if (!status)
        status = check_positive("core", core, count, 0);
    if (!status)
        status = check_positive("volume", volume, count, 0);
    return status;
}

vt_status vt_check_tracer_rows(int64_t count, const float *position, const float *density,
                               const float *size)
{
    vt_status status = check_count(count, position, density, size);
    if (!status)
        status = check_finite("position", position, count, 3);
    if (!status)
        status = check_positive("density", density, count, 1);
    if (!status)
        status = check_positive("size", size, count, 0);
    return status;
}

vt_status vt_add_vortons(vt_simulation *s, int64_t count, const float *position,
                         const float *strength, const float *core, const float *volume,
                         int64_t *ids)
{
    vt_status status = vt_check_vorton_rows(count, position, strength, core, volume);
    if (!status)
        status = vt_enter(s);
    if (status)
        return status;
    status = make_room_for_all(s, VT_VORTONS, count);
    if (!status) {
        const int64_t first = vt_append_vortons(s, count, position, strength, core, volume);
        copy_ids(s->vortons.id + first, count, ids);
    }
    vt_leave(s);
    return status;
}

vt_status vt_add_tracers(vt_simulation *s, int64_t count, const float *position,
                         const float *density, const float *size, int64_t *ids)
{
    vt_status status = vt_check_tracer_rows(count, position, density, size);
    if (!status)
        status = vt_enter(s);
    if (status)
        return status;
    status = make_room_for_all(s, VT_TRACERS, count);
    if (!status) {
        const int64_t first = vt_append_tracers(s, count, position, density, size);
        copy_ids(s->tracers.id + first, count, ids);
    }
    vt_leave(s);
    return status;
}

/* ---- removing ---- */

void vt_update_smallest_core(vt_simulation *s)
{
    enum { LANES = 8 };
    const int64_t count = s->vortons.set.count;
    const float *const core = s->vortons.core;
    float least[LANES];
    /* in rVPM the flow changes them, and the grid keeps to what was authored */
    if (s->def.method.stretching == VT_STRETCHING_RVPM && count > 0)
        return;
    for (int l = 0; l < LANES; l++)
        least[l] = INFINITY;
    for (int64_t i = 0; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++)
            least[l] = core[i + l] < least[l] ? core[i + l] : least[l];
    for (int64_t i = count / LANES * LANES; i < count; i++)
        least[0] = fminf(least[0], core[i]);
    for (int l = 1; l < LANES; l++)
        least[0] = fminf(least[0], least[l]);
    s->smallest_core = count > 0 ? (double)least[0] : 0;
}

void vt_remove_rows(vt_simulation *s, int set, const uint8_t *mask)
{
    vt_set *const rows = set_of(s, set);
    const size_t mark = vt_arena_mark(&s->arena);
    uint32_t *const order = vt_arena_push(&s->arena, 4 * (size_t)rows->count);
    int64_t kept = 0;
    for (int64_t i = 0; i < rows->count; i++)
        if (!mask[i])
            order[kept++] = (uint32_t)i;
    if (set == VT_VORTONS && kept < rows->count)
        vt_count_heat(s, 0, rows->count, mask, -1);
    if (kept < rows->count) {
        vt_permute_set(rows, order, kept, &s->arena, s->def.threads);
        if (set == VT_VORTONS) {
            s->fields_current = 0;
            vt_update_smallest_core(s);
        }
    }
    vt_arena_pop(&s->arena, mark);
}

vt_status vt_remove(vt_simulation *s, int set, const uint8_t *mask)
{
    vt_status status = check_set(set);
    if (!status && !mask)
        status = vt_fail(VT_INVALID_ARGUMENT, "mask is NULL; allowed are count bytes");
    if (!status)
        status = vt_enter(s);
    if (status)
        return status;
    vt_cut_rows(s, set, mask);
    vt_leave(s);
    return VT_OK;
}

/* ---- finding ---- */

typedef struct id_of_row {
    int64_t id, row;
} id_of_row;

static int compare_ids(const void *a, const void *b)
{
    const int64_t p = ((const id_of_row *)a)->id, q = ((const id_of_row *)b)->id;
    return p < q ? -1 : p > q;
}

vt_status vt_find_rows(vt_simulation *s, int set, int64_t count, const int64_t *ids, int64_t *rows)
{
    vt_status status = check_set(set);
    if (!status)
        status = check_count(count, ids, rows, rows);
    if (!status)
        status = vt_enter(s);
    if (status)
        return status;
    const int64_t alive = set_of(s, set)->count;
    const int64_t *const id = set == VT_VORTONS ? s->vortons.id : s->tracers.id;
    const size_t mark = vt_arena_mark(&s->arena);
    id_of_row *const table = vt_arena_push(&s->arena, sizeof *table * (size_t)alive);
    for (int64_t i = 0; i < alive; i++)
        table[i] = (id_of_row){id[i], i};
    qsort(table, (size_t)alive, sizeof *table, compare_ids);
    for (int64_t i = 0; i < count; i++) {
        const id_of_row wanted = {ids[i], 0};
        const id_of_row *const found =
            alive ? bsearch(&wanted, table, (size_t)alive, sizeof wanted, compare_ids) : NULL;
        rows[i] = found ? found->row : -1;
    }
    vt_arena_pop(&s->arena, mark);
    vt_leave(s);
    return VT_OK;
}
