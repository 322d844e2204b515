/* What tracers take from the vortons around them: the mean of the scalars at the nodes (scalars.c),
 * interpolated. Nodes that no vorton reaches, and all beyond the grid, are ambient. */
#include <string.h>

#include "core/parallel.h"
#include "core/status.h"
#include "field.h"
#include "tracer_burning.h"
#include "tracers.h"

enum {
    LANES = 3,     /* values in a node, beside their volume */
    MOST_LANES = 4 /* with the volumes apart: sampling nodes costs more than making them */
};
enum { WARM_BLOCK = 1024 };
enum { FIELDS = (VT_TAKEN_COLUMNS + 1 + LANES - 1) / LANES }; /* and the mixture */

/* ---- the means at the nodes ---- */

/* The vortons of now, sorted by the rows of a grid. */
typedef struct sorted_vortons {
    vt_record *records;
    uint32_t *row_start;
} sorted_vortons;

static sorted_vortons sort_vortons(vt_simulation *s, const vt_grid *grid)
{
    const int64_t count = s->vortons.set.count;
    const size_t bytes = sizeof(vt_record) * (size_t)(count + VT_LANES);
    const size_t lines = (size_t)grid->cells[1] * (size_t)grid->cells[2];
    const sorted_vortons sorted = {vt_arena_push(&s->arena, bytes),
                                   vt_arena_push(&s->arena, 4 * (lines + 1))};
    const size_t mark = vt_arena_mark(&s->arena);
    vt_record *const records = vt_arena_push(&s->arena, bytes);
    vt_collect_records(s, grid, 0, count, records);
    s->stages->sort(grid, count, records, sorted.records, sorted.row_start, &s->arena,
                    s->def.threads);
    vt_arena_pop(&s->arena, mark);
    return sorted;
}

static f4 *make_nodes(vt_simulation *s, const vt_grid *grid)
{
    /* sampling on the far faces looks, with no weight, a plane and a row further */
    const size_t nodes = (size_t)(grid->node_plane * (grid->cells[2] + 1));
    const size_t beyond = 2 * (size_t)grid->node_plane;
    f4 *const made = vt_arena_push(&s->arena, (nodes + beyond) * sizeof(f4));
    memset(made + nodes, 0, beyond * sizeof(f4));
    return made;
}

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
    const vt_fluid fluid = vt_fluid_of(&s->def);
    const float *const x = s->tracers.position;
    for (int64_t i = first; i < first + count && w->to; i++)
        w->to[i] = w->warm ? vt_ambient_temperature(&fluid, x + 3 * i) : 0;
}

static wish wish_of(const vt_simulation *s, int taken)
{
    return (wish){vt_used_column(&s->tracers.set, vt_taken_column[taken]),
                  vt_used_column(&s->vortons.set, vt_taken_from[taken]),
                  taken == VT_TAKEN_temperature};
}

void vt_fill_tracer_scalars(vt_simulation *s, int64_t first, int64_t count)
{
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++) {
        const wish all = wish_of(s, n);
        fill_values(s, &all, first, count);
    }
}

/* Where the tracers burn by themselves, what they take goes beside their columns. */
static int list_wishes(vt_simulation *s, vt_own_fire *own, wish list[FIELDS * LANES])
{
    int wishes = 0;
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++) {
        wish next = wish_of(s, n);
        if (vt_tracers_burn(s) && n != VT_TAKEN_temperature)
            next.to = own ? own->mean[n] : NULL;
        if (next.to && next.from)
            list[wishes++] = next;
        else
            fill_values(s, &next, 0, s->tracers.set.count);
    }
    if (own && vt_tracers_burn(s))
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
                          vt_scalar_lane lanes[FIELDS][MOST_LANES])
{
    memset(take, 0, sizeof *take * FIELDS);
    memset(lanes, 0, sizeof *lanes * FIELDS);
    for (int n = 0; n < wishes; n++) {
        const int field = n / lanes_for(wishes), lane = n % lanes_for(wishes);
        lanes[field][lane] =
            (vt_scalar_lane){list[n].warm ? VT_SCALAR_TEMPERATURE : VT_SCALAR_COLUMN, list[n].from};
        take[field].column[lane] = list[n].to;
        take[field].warm[lane] = list[n].warm;
    }
}

/* The grid of the vortons of now; 0 where there is none. */
static int find_grid(vt_simulation *s, vt_grid *grid)
{
    vt_placement placement = s->placement;
    vt_content content;
    /* bad values are reported by the next step */
    if (s->vortons.set.count == 0 || !vt_has_grid(s) || vt_find_content(s, NULL, &content) ||
        vt_place_grid(s, &content, &placement))
        return 0;
    const vt_grid before = s->grid;
    vt_lay_out_grid(s, &placement);
    *grid = s->grid;
    s->grid = before;
    return 1;
}

static void take(vt_simulation *s, const wish *list, int wishes)
{
    const int64_t tracers = s->tracers.set.count;
    const vt_fluid fluid = vt_fluid_of(&s->def);
    vt_taking take[FIELDS];
    vt_scalar_lane lanes[FIELDS][MOST_LANES];
    vt_grid means;
    const int fields = count_fields(wishes);
    if (fields == 0)
        return;
    choose_fields(list, wishes, take, lanes);
    if (!find_grid(s, &means)) {
        for (int n = 0; n < wishes; n++)
            fill_values(s, &list[n], 0, tracers);
        return;
    }
    const size_t mark = vt_arena_mark(&s->arena);
    const sorted_vortons sorted = sort_vortons(s, &means);
    for (int n = 0; n < fields; n++) {
        take[n].nodes = means.nodes = make_nodes(s, &means);
        vt_find_means(s, s->vortons.set.count, sorted.records, sorted.row_start, lanes[n], &means);
    }
    s->stages->take(&means, fields, take, &fluid, tracers, s->tracers.position, s->def.threads);
    vt_arena_pop(&s->arena, mark);
}

/* A temperature of its own shows where it differs more than that of the vortons around. */
static void show_warm_block(void *context, int64_t begin, int64_t end, int thread)
{
    const vt_simulation *const s = context;
    const vt_tracers *const t = &s->tracers;
    const vt_fluid fluid = vt_fluid_of(&s->def);
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const float ambient = vt_ambient_temperature(&fluid, t->position + 3 * i);
        const float taken = t->temperature[i] - ambient;
        if (t->warmth[i] * t->warmth[i] > taken * taken)
            t->temperature[i] = ambient + t->warmth[i];
    }
}

static void show_warmth(vt_simulation *s)
{
    const vt_set *const set = &s->tracers.set;
    if (vt_used_column(set, VT_TRACER_warmth) && set->used[VT_TRACER_temperature])
        vt_parallel_for(s->def.threads, set->count, WARM_BLOCK, show_warm_block, s);
}

void vt_find_tracer_scalars(vt_simulation *s, int burn)
{
    const size_t mark = vt_arena_mark(&s->arena);
    wish list[FIELDS * LANES];
    vt_own_fire own;
    if (s->tracers.set.count == 0)
        return;
    if (burn && vt_tracers_burn(s))
        vt_make_own_fire(s, &own);
    take(s, list, list_wishes(s, burn ? &own : NULL, list));
    show_warmth(s);
    if (burn && vt_tracers_burn(s))
        vt_burn_tracers(s, &own);
    vt_arena_pop(&s->arena, mark);
}
