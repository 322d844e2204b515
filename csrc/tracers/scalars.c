#include "tracers/scalars.h"

#include "base/status.h"
#include "field/sample.h"
#include "field/shown_fields.h"
#include "field/solve.h"
#include "field/thin_walls.h"
#include "state/predicates.h"
#include "tracers/combustion.h"
#include "tracers/subgrid_eddies.h"

/* What newborn tracers hold that nothing has been given, but for what they take from vortons. */
static void fill_tracer_column(vt_simulation *s, int column, int64_t first, int64_t count)
{
    vti_fill_column(&s->tracers.set, column, first, count,
                    column == VT_TRACER_lifetime ? (double)INFINITY
                                                 : (double)s->tracers.set.alike[column]);
}

static void find_scalars(vt_simulation *s, int only, int burn);

void vti_use_tracer_column(vt_simulation *s, int column)
{
    if (s->tracers.set.used[column])
        return;
    s->tracers.set.used[column] = 1;
    const int64_t count = s->tracers.set.count;
    fill_tracer_column(s, column, 0, count);
    if (vti_is_taken(column))
        find_scalars(s, column, 0);
    if (column == VT_TRACER_velocity && count && !vti_solve_current(s)) {
        vti_velocity_of_points(s, count, s->tracers.position, s->tracers.velocity);
        for (int64_t i = 0; i < 3 * count; i++)
            s->tracers.velocity[i] += (float)s->winds.velocity[i % 3];
    }
}

enum {
    LANES = 3,     /* values in a node, beside their volume */
    MOST_LANES = 4 /* with the volumes apart: sampling nodes costs more than making them */
};
enum { WARM_BLOCK = 1024 };
enum { EVERY = -1 };                                          /* column */
enum { FIELDS = (VT_TAKEN_COLUMNS + 1 + LANES - 1) / LANES }; /* and the mixture */

/* ---- at the tracers ---- */

/* One thing that is taken. */
typedef struct wish {
    float *to;         /* NULL: nobody wants it */
    const float *from; /* a column of the vortons */
    int32_t warm;      /* whether it is a temperature */
} wish;

/* What it is where no vorton is. */
static void fill_values(const vt_simulation *s, const wish *w, int64_t first, int64_t count)
{
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const float *const x = s->tracers.position;
    for (int64_t i = first; i < first + count && w->to; i++)
        w->to[i] = w->warm ? vti_ambient_temperature(&fluid, x + 3 * i) : 0;
}

static wish wish_of(const vt_simulation *s, int taken)
{
    return (wish){vti_used_column(&s->tracers.set, vti_taken_column[taken]),
                  vti_used_column(&s->vortons.set, vti_taken_from[taken]),
                  taken == VT_TAKEN_temperature};
}

static void note_temperature(vt_simulation *s, int64_t first, int64_t count)
{
    const vt_tracers *const t = &s->tracers;
    if (t->set.used[VT_TRACER_left_temperature])
        memcpy(t->left_temperature + first, t->temperature + first, 4 * (size_t)count);
}

/* What tracers hold in these rows with no vorton around: ambient. */
static void fill_tracer_scalars(vt_simulation *s, int64_t first, int64_t count)
{
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++) {
        const wish all = wish_of(s, n);
        fill_values(s, &all, first, count);
    }
    note_temperature(s, first, count);
}

/* The values of newborn tracers. */
static void append_values(vt_simulation *s, int column, const float *values, int64_t count)
{
    vt_set *const set = &s->tracers.set;
    if (vti_stay_alike(set, column, values, count))
        return;
    vti_use_tracer_column(s, column);
    memcpy((float *)set->column[column] + set->count, values, 4 * (size_t)count);
}

int64_t vti_append_tracers(vt_simulation *s, int64_t count, const float *position,
                           const float *density, const float *size)
{
    vt_tracers *const t = &s->tracers;
    const int64_t first = t->set.count;
    (void)vti_grow_set(&t->set, first + count);
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
    fill_tracer_scalars(s, first, count);
    vti_begin_in_eddies(s, first, count);
    t->set.count += count;
    return first;
}

/* Of one column of the tracers, or all of them (EVERY). Where the tracers burn by themselves, what
 * they take goes beside their columns. */
static int list_wishes(vt_simulation *s, int only, vt_own_fire *own, wish list[FIELDS * LANES])
{
    int wishes = 0;
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++) {
        wish next = wish_of(s, n);
        if (only != EVERY && only != vti_taken_column[n])
            continue;
        if (vti_tracers_burn(s) && n != VT_TAKEN_temperature)
            next.to = own ? own->mean[n] : NULL;
        if (next.to && next.from)
            list[wishes++] = next;
        else
            fill_values(s, &next, 0, s->tracers.set.count);
    }
    if (own && vti_tracers_burn(s))
        list[wishes++] = (wish){own->mixture, s->vortons.mixture, 0};
    return wishes;
}

/* Values in each node. */
static int lanes_for(int wishes)
{
    return wishes == MOST_LANES ? MOST_LANES : LANES;
}

static int count_fields(int wishes)
{
    return (wishes + lanes_for(wishes) - 1) / lanes_for(wishes);
}

/* What the nodes hold that they are taken from. */
static void choose_fields(const wish *list, int wishes, vt_taking take[FIELDS],
                          vti_scalar_lane lanes[FIELDS][MOST_LANES])
{
    memset(take, 0, sizeof *take * FIELDS);
    memset(lanes, 0, sizeof *lanes * FIELDS);
    for (int n = 0; n < wishes; n++) {
        const int field = n / lanes_for(wishes), lane = n % lanes_for(wishes);
        lanes[field][lane] = (vti_scalar_lane){
            list[n].warm ? VT_SCALAR_TEMPERATURE : VT_SCALAR_COLUMN, list[n].from};
        take[field].column[lane] = list[n].to;
        take[field].warm[lane] = list[n].warm;
    }
}

static void take(vt_simulation *s, const wish *list, int wishes)
{
    const int64_t tracers = s->tracers.set.count, vortons = s->vortons.set.count;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    vt_taking take[FIELDS];
    vti_scalar_lane lanes[FIELDS][MOST_LANES];
    vt_grid means;
    const int fields = count_fields(wishes);
    if (fields == 0)
        return;
    choose_fields(list, wishes, take, lanes);
    if (!vti_find_grid(s, &means)) {
        for (int n = 0; n < wishes; n++)
            fill_values(s, &list[n], 0, tracers);
        return;
    }
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_sorted_vortons sorted = vti_sort_givers(s, &means);
    const float *const look =
        vti_look_off_thin_walls(s, &means, s->time, tracers, s->tracers.position);
    for (int n = 0; n < fields; n++) {
        take[n].nodes = means.nodes = vti_make_nodes(s, &means);
        vti_find_means(s, vortons, sorted.records, sorted.row_start, lanes[n], &means);
    }
    s->stages->take(&means, fields, take, &fluid, tracers, look, s->def.threads);
    vti_arena_pop(&s->arena, mark);
}

/* A temperature of its own shows where it differs more than that of the vortons around. */
static void show_warm_block(void *context, int64_t begin, int64_t end)
{
    const vt_simulation *const s = context;
    const vt_tracers *const t = &s->tracers;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    for (int64_t i = begin; i < end; i++) {
        const float ambient = vti_ambient_temperature(&fluid, t->position + 3 * i);
        const float taken = t->temperature[i] - ambient;
        if (t->warmth[i] * t->warmth[i] > taken * taken)
            t->temperature[i] = ambient + t->warmth[i];
    }
}

static void show_warmth(vt_simulation *s)
{
    const vt_set *const set = &s->tracers.set;
    if (vti_used_column(set, VT_TRACER_warmth) && set->used[VT_TRACER_temperature])
        vti_parallel_for(s->def.threads, set->count, WARM_BLOCK, show_warm_block, s);
}

static void find_scalars(vt_simulation *s, int only, int burn)
{
    const size_t mark = vti_arena_mark(&s->arena);
    wish list[FIELDS * LANES];
    vt_own_fire own;
    if (s->tracers.set.count == 0)
        return;
    if (burn && vti_tracers_burn(s))
        vti_make_own_fire(s, &own);
    take(s, list, list_wishes(s, only, burn ? &own : NULL, list));
    if (only == EVERY || only == VT_TRACER_temperature) {
        show_warmth(s);
        note_temperature(s, 0, s->tracers.set.count);
    }
    if (burn && vti_tracers_burn(s))
        vti_burn_tracers(s, &own);
    vti_arena_pop(&s->arena, mark);
}

void vti_find_tracer_scalars(vt_simulation *s)
{
    find_scalars(s, EVERY, 1);
}

void vti_take_tracer_scalars(vt_simulation *s)
{
    find_scalars(s, EVERY, 0);
}

/* ---- what is written ---- */

void vti_note_temperature(vt_simulation *s)
{
    vt_set *const set = &s->tracers.set;
    if (set->used[VT_TRACER_left_temperature])
        return;
    set->used[VT_TRACER_left_temperature] = 1;
    note_temperature(s, 0, set->count);
}

int vti_is_temperature_written(const vt_simulation *s)
{
    const vt_tracers *const t = &s->tracers;
    return t->set.used[VT_TRACER_left_temperature] &&
           memcmp(t->temperature, t->left_temperature, 4 * (size_t)t->set.count) != 0;
}

static int is_written(const vt_tracers *t, int64_t row)
{
    return memcmp(t->temperature + row, t->left_temperature + row, 4) != 0;
}

vt_status vti_check_written(const vt_simulation *s)
{
    const vt_tracers *const t = &s->tracers;
    if (!vti_is_temperature_written(s))
        return VT_OK;
    for (int64_t i = 0; i < t->set.count; i++)
        if (is_written(t, i) && !(t->temperature[i] > 0 && isfinite(t->temperature[i])))
            return vti_fail(VT_NOT_FINITE,
                            "tracers.temperature has %g in row %lld (id %lld); allowed are finite "
                            "values > 0",
                            (double)t->temperature[i], (long long)i, (long long)t->id[i]);
    return VT_OK;
}

void vti_take_written(vt_simulation *s)
{
    const vt_tracers *const t = &s->tracers;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    if (!vti_is_temperature_written(s))
        return;
    vti_use_tracer_column(s, VT_TRACER_warmth);
    for (int64_t i = 0; i < t->set.count; i++)
        if (is_written(t, i))
            t->warmth[i] = t->temperature[i] - vti_ambient_temperature(&fluid, t->position + 3 * i);
    note_temperature(s, 0, t->set.count);
}
