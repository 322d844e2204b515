#include "state/particles.h"

#include "base/log.h"
#include "base/status.h"
#include "state/heat_budget.h"
#include "state/simulation.h"

vt_set *vti_set_of(const vt_simulation *s, int set)
{
    if (set == VT_VORTONS)
        return (vt_set *)&s->vortons.set;
    return set == VT_TRACERS ? (vt_set *)&s->tracers.set : NULL;
}

const char *vti_name_of_set(int set)
{
    return set == VT_VORTONS ? "vortons" : "tracers";
}

int vti_room_is_by_machine(const vt_simulation *s, int set)
{
    return (set == VT_VORTONS ? s->def.max_vortons : s->def.max_tracers) == 0;
}

const char *vti_whose_room(const vt_simulation *s, int set)
{
    return vti_room_is_by_machine(s, set) ? " (what this machine allows)" : "";
}

/* ---- columns ---- */

/* What newborn vortons carry: nothing, at the temperature of the ambient fluid. */
static void fill_vorton_column(vt_simulation *s, int column, int64_t first, int64_t count)
{
    vt_vortons *const v = &s->vortons;
    if (column == VT_VORTON_panel) {
        memset(v->panel + first, 0, 4 * (size_t)count);
        return;
    }
    if (column != VT_VORTON_temperature) {
        vti_fill_column(&v->set, column, first, count, column == VT_VORTON_lifetime ? INFINITY : 0);
        return;
    }
    const vt_fluid fluid = vti_fluid_of(&s->def);
    for (int64_t i = first; i < first + count; i++)
        v->temperature[i] = vti_ambient_temperature(&fluid, v->position + 3 * i);
}

void vti_use_vorton_column(vt_simulation *s, int column)
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
        const vt_fluid fluid = vti_fluid_of(&s->def);
        const float *const now = vti_used_column(&v->set, VT_VORTON_temperature);
        for (int64_t i = 0; i < count; i++) /* where a bad one is written, the next step says so */
            v->volume_temperature[i] = now && now[i] > 0 && isfinite(now[i])
                                           ? now[i]
                                           : vti_ambient_temperature(&fluid, v->position + 3 * i);
    }
}

/* ---- adding ---- */

int vti_compare_ids(const void *a, const void *b)
{
    const int64_t p = ((const vt_id_of_row *)a)->id, q = ((const vt_id_of_row *)b)->id;
    return p < q ? -1 : p > q;
}

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

void vti_cut_rows(vt_simulation *s, int set, const uint8_t *mask)
{
    if (set == VT_VORTONS && s->vortons.set.used[VT_VORTON_panel])
        for (int64_t i = 0; i < s->vortons.set.count && !s->wake_is_cut; i++)
            s->wake_is_cut = mask[i] && s->vortons.flags[i] & VT_FLAG_SHED;
    vti_remove_rows(s, set, mask);
}

static void remove_oldest(vt_simulation *s, int set, int64_t count)
{
    vt_set *const rows = vti_set_of(s, set);
    const float *const age = set == VT_VORTONS ? s->vortons.age : s->tracers.age;
    const size_t mark = vti_arena_mark(&s->arena);
    age_of_row *const ages = vti_arena_push(&s->arena, sizeof *ages * (size_t)rows->count);
    uint8_t *const mask = vti_arena_push(&s->arena, (size_t)rows->count);
    memset(mask, 0, (size_t)rows->count);
    for (int64_t i = 0; i < rows->count; i++)
        ages[i] = (age_of_row){age[i], (uint32_t)i};
    qsort(ages, (size_t)rows->count, sizeof *ages, compare_ages);
    for (int64_t i = 0; i < count; i++)
        mask[ages[i].row] = 1;
    vti_cut_rows(s, set, mask);
    vti_arena_pop(&s->arena, mark);
}

vt_status vti_check_room(const vt_simulation *s, int set, int64_t count, const char *owner)
{
    const int64_t capacity = vti_set_of(s, set)->capacity;
    if (count <= capacity)
        return VT_OK;
    const char *const name = vti_name_of_set(set);
    return vti_fail(VT_OVER_CAPACITY, "%s %lld %s; max_%s is %lld%s", owner, (long long)count, name,
                    name, (long long)capacity, vti_whose_room(s, set));
}

vt_status vti_check_capacity(const vt_simulation *s, int set, int64_t *count)
{
    const vt_set *const rows = vti_set_of(s, set);
    const int64_t left = rows->capacity - rows->count;
    if (s->def.at_capacity == VT_AT_CAPACITY_STOP && *count > left) {
        vti_tell("%lld of %lld %s are not born at %g s: max_%s is %lld%s",
                 (long long)(*count - left), (long long)*count, vti_name_of_set(set), s->time,
                 vti_name_of_set(set), (long long)rows->capacity, vti_whose_room(s, set));
        *count = left;
    }
    if (*count <= left)
        return VT_OK;
    if (s->def.at_capacity == VT_AT_CAPACITY_OLDEST && *count <= rows->capacity)
        return VT_OK;
    return vti_fail(
        VT_OVER_CAPACITY,
        "%lld more %s do not fit: %lld of max_%s %lld%s are alive; raise max_%s or choose "
        "another at_capacity",
        (long long)*count, vti_name_of_set(set), (long long)rows->count, vti_name_of_set(set),
        (long long)rows->capacity, vti_whose_room(s, set), vti_name_of_set(set));
}

void vti_make_capacity(vt_simulation *s, int set, int64_t count)
{
    const vt_set *const rows = vti_set_of(s, set);
    const int64_t missing = count - (rows->capacity - rows->count);
    if (missing > 0)
        remove_oldest(s, set, missing);
}

int64_t vti_append_vortons(vt_simulation *s, int64_t count, const float *position,
                           const float *strength, const float *core, const float *volume)
{
    vt_vortons *const v = &s->vortons;
    const int64_t first = v->set.count;
    (void)vti_grow_set(&v->set, first + count);
    memcpy(v->position + 3 * first, position, 12 * (size_t)count);
    memcpy(v->strength + 3 * first, strength, 12 * (size_t)count);
    memcpy(v->core + first, core, 4 * (size_t)count);
    memcpy(v->volume + first, volume, 4 * (size_t)count);
    memset(v->velocity + 3 * first, 0, 12 * (size_t)count);
    memset(v->age + first, 0, 4 * (size_t)count);
    memset(v->flags + first, 0, 4 * (size_t)count);
    if (v->set.used[VT_VORTON_panel])
        memset(v->panel + first, 0, 4 * (size_t)count);
    if (v->set.used[VT_VORTON_acceleration])
        memset(v->acceleration + 3 * first, 0, 12 * (size_t)count);
    memcpy(v->bound_volume + first, volume, 4 * (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        v->id[first + i] = s->next_id[VT_VORTONS]++;
        v->birth_strength[first + i] = (float)vti_length_of(strength + 3 * i);
        if (s->smallest_core == 0 || core[i] < s->smallest_core)
            s->smallest_core = core[i];
    }
    for (int c = VT_VORTON_density; c < VT_VORTON_ALL_COLUMNS; c++)
        if (v->set.used[c])
            fill_vorton_column(s, c, first, count);
    v->set.count += count;
    s->fields_current = 0;
    return first;
}

void vti_mark_newborn_vortex(vt_simulation *s, int64_t first, int64_t count)
{
    if (s->def.method.halo == 0 || s->def.method.buoyancy == VT_BUOYANCY_NONE)
        return;
    for (int64_t i = first; i < first + count; i++)
        s->vortons.flags[i] |= VT_FLAG_NEWBORN_VORTEX;
}

void vti_mark_line(vt_simulation *s, int64_t first, int64_t count, uint32_t line)
{
    uint32_t *const flags = s->vortons.flags + first;
    if (!line || count < 2)
        return;
    for (int64_t i = 0; i < count; i++)
        flags[i] |= line;
    flags[0] |= VT_FLAG_LINE_START;
    flags[count - 1] |= VT_FLAG_LINE_END;
}

/* ---- removing ---- */

void vti_update_smallest_core(vt_simulation *s)
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

void vti_remove_rows(vt_simulation *s, int set, const uint8_t *mask)
{
    vt_set *const rows = vti_set_of(s, set);
    if (vti_first_marked(mask, 0, rows->count) == rows->count)
        return;
    if (set == VT_VORTONS)
        vti_count_heat(s, 0, rows->count, mask, -1);
    vti_take_out_rows(rows, mask, &s->arena, s->def.threads);
    if (set == VT_VORTONS) {
        s->fields_current = 0;
        vti_update_smallest_core(s);
    }
}
