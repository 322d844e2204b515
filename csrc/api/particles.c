#include "animation/definition_checks.h"
#include "base/status.h"
#include "state/particles.h"
#include "state/simulation.h"
#include "step/shown_columns.h"
#include "tracers/scalars.h"

static vt_status check_set(int set)
{
    if (set == VT_VORTONS || set == VT_TRACERS)
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT, "set is %d; allowed are VT_VORTONS and VT_TRACERS", set);
}

int64_t vt_count(const vt_simulation *s, int set)
{
    return check_set(set) ? 0 : vti_set_of(s, set)->count;
}

int64_t vt_capacity(const vt_simulation *s, int set)
{
    return check_set(set) ? 0 : vti_set_of(s, set)->capacity;
}

int vt_tracers_carry(const vt_simulation *simulation, const char *name)
{
    vt_column_field field = {.struct_size = sizeof field};
    if (simulation && name && strcmp(name, "temperature") == 0 &&
        (simulation->tracers.set.used[VT_TRACER_warmth] || vti_is_temperature_written(simulation)))
        return 1;
    for (int n = 0; simulation && name && n < VT_TAKEN_COLUMNS; n++)
        if (vt_describe_column(VT_TRACERS, vti_taken_column[n], &field) &&
            strcmp(field.name, name) == 0)
            return simulation->vortons.set.used[vti_taken_from[n]] != 0;
    return 0;
}

static vt_status describe_column(vt_simulation *s, int set, const char *name, vt_array *array)
{
    vt_column_field field = {.struct_size = sizeof field};
    for (int c = 0; vt_describe_column(set, c, &field); c++) {
        if (strcmp(field.name, name) != 0)
            continue;
        if (set == VT_VORTONS)
            vti_show_column(s, c);
        else
            vti_use_tracer_column(s, c);
        if (set == VT_TRACERS && c == VT_TRACER_temperature)
            vti_note_temperature(s);
        s->viewed[set] |= 1u << c;
        const vt_set *const columns = vti_set_of(s, set);
        const int64_t item = columns->row_bytes[c] / field.components;
        const vt_array known = {.data = columns->column[c],
                                .type = field.type,
                                .dimensions = field.components > 1 ? 2 : 1,
                                .shape = {columns->count, field.components},
                                .strides = {columns->row_bytes[c], item}};
        return vti_hand_out(array, &known, sizeof known);
    }
    return vti_fail(VT_INVALID_ARGUMENT, "%s have no column \"%s\"", vti_name_of_set(set), name);
}

vt_status vt_column(vt_simulation *s, int set, const char *name, vt_array *array)
{
    vt_status status = check_set(set);
    if (!status)
        status = vti_enter(s);
    if (status)
        return status;
    status = describe_column(s, set, name, array);
    return vti_leave(s, status);
}

/* Enters, with room for all or none: what the caller adds by hand never stops half way. */
static vt_status enter_with_room(vt_simulation *s, int set, int64_t count)
{
    int64_t fits = count;
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = vti_check_capacity(s, set, &fits);
    if (!status && fits < count)
        status =
            vti_fail(VT_OVER_CAPACITY, "%lld more %s do not fit: %lld of max_%s %lld%s are alive",
                     (long long)count, vti_name_of_set(set), (long long)vt_count(s, set),
                     vti_name_of_set(set), (long long)vt_capacity(s, set), vti_whose_room(s, set));
    if (status)
        return vti_leave(s, status);
    vti_make_capacity(s, set, count);
    return VT_OK;
}

/* Tells the ids of rows that were added, and leaves. */
static vt_status leave_with_ids(vt_simulation *s, const int64_t *added, int64_t count, int64_t *ids)
{
    if (ids)
        memcpy(ids, added, 8 * (size_t)count);
    return vti_leave(s, VT_OK);
}

static vt_status check_count(int64_t count)
{
    return count >= 0
               ? VT_OK
               : vti_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is >= 0", (long long)count);
}

/* What is inserted is what points would bear: their table says what it may be. */
static vt_status check_rows(const vt_definition *points, int64_t count, const void *rows)
{
    const vt_status status = check_count(count);
    return status ? status : vti_check_arrays(points, "", rows);
}

vt_status vt_insert_vortons(vt_simulation *s, int64_t count, const float *position,
                            const float *strength, const float *core, const float *volume,
                            int64_t *ids)
{
    const vt_vorton_points_def rows = {
        .count = count, .position = position, .strength = strength, .core = core, .volume = volume};
    vt_status status = check_rows(&vti_vorton_points_definition, count, &rows);
    if (!status)
        status = enter_with_room(s, VT_VORTONS, count);
    if (status)
        return status;
    const int64_t first = vti_append_vortons(s, count, position, strength, core, volume);
    return leave_with_ids(s, s->vortons.id + first, count, ids);
}

vt_status vt_insert_tracers(vt_simulation *s, int64_t count, const float *position,
                            const float *density, const float *size, int64_t *ids)
{
    const vt_tracer_points_def rows = {
        .count = count, .position = position, .density = density, .size = size};
    vt_status status = check_rows(&vti_tracer_points_definition, count, &rows);
    if (!status)
        status = enter_with_room(s, VT_TRACERS, count);
    if (status)
        return status;
    const int64_t first = vti_append_tracers(s, count, position, density, size);
    return leave_with_ids(s, s->tracers.id + first, count, ids);
}

vt_status vt_remove(vt_simulation *s, int set, const uint8_t *mask)
{
    vt_status status = check_set(set);
    if (!status && !mask)
        status = vti_fail(VT_INVALID_ARGUMENT, "mask is NULL; allowed are count bytes");
    if (!status)
        status = vti_enter(s);
    if (status)
        return status;
    vti_cut_rows(s, set, mask);
    return vti_leave(s, VT_OK);
}

vt_status vt_find_rows(vt_simulation *s, int set, int64_t count, const int64_t *ids, int64_t *rows)
{
    vt_status status = check_set(set);
    if (!status)
        status = check_count(count);
    if (!status && count > 0 && (!ids || !rows))
        status = vti_fail(VT_INVALID_ARGUMENT, "%s is NULL; allowed are count numbers",
                          ids ? "rows" : "ids");
    if (!status)
        status = vti_enter(s);
    if (status)
        return status;
    const int64_t alive = vti_set_of(s, set)->count;
    const int64_t *const id = set == VT_VORTONS ? s->vortons.id : s->tracers.id;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_id_of_row *const table = vti_arena_push(&s->arena, sizeof *table * (size_t)alive);
    for (int64_t i = 0; i < alive; i++)
        table[i] = (vt_id_of_row){id[i], i};
    qsort(table, (size_t)alive, sizeof *table, vti_compare_ids);
    for (int64_t i = 0; i < count; i++) {
        const vt_id_of_row wanted = {ids[i], 0};
        const vt_id_of_row *const found =
            alive ? bsearch(&wanted, table, (size_t)alive, sizeof wanted, vti_compare_ids) : NULL;
        rows[i] = found ? found->row : -1;
    }
    vti_arena_pop(&s->arena, mark);
    return vti_leave(s, VT_OK);
}
