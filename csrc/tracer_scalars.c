/* What tracers take from the vortons around them: the mean of the scalars at the nodes (scalars.c),
 * interpolated. Nodes that no vorton reaches, and all beyond the grid, are ambient. */
#include <string.h>

#include "core/status.h"
#include "field.h"
#include "tracers.h"

enum { PORTION = 1 << 20, LANES = 3 /* values in a node, beside their volume */ };

/* Columns of the tracers that are used, with what they are taken from: as many as lanes[n].kind is
 * not VT_SCALAR_NONE. */
typedef struct taking {
    vt_scalar_lane lanes[LANES];
    float *column[LANES];
} taking;

/* ---- the means at the nodes ---- */

/* The vortons of now, sorted by the rows of a grid. */
typedef struct sorted_vortons {
    vt_record *records;
    uint32_t *row_start;
} sorted_vortons;

static sorted_vortons sort_vortons(vt_simulation *s, const vt_grid *grid)
{
    const vt_vortons *const v = &s->vortons;
    const int64_t count = v->set.count;
    const size_t bytes = sizeof(vt_record) * (size_t)(count + VT_LANES);
    const size_t lines = (size_t)grid->cells[1] * (size_t)grid->cells[2];
    const sorted_vortons sorted = {vt_arena_push(&s->arena, bytes),
                                   vt_arena_push(&s->arena, 4 * (lines + 1))};
    const size_t mark = vt_arena_mark(&s->arena);
    vt_record *const records = vt_arena_push(&s->arena, bytes);
    s->stages->collect(grid, count, v->position, v->strength, v->bound_volume, records,
                       s->def.threads);
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

/* Adds what the means have at the tracers. */
static void add_means(vt_simulation *s, const vt_grid *means, const taking *t)
{
    const vt_set *const set = &s->tracers.set;
    for (int64_t from = 0; from < set->count; from += PORTION) {
        const int64_t left = set->count - from, count = left < PORTION ? left : PORTION;
        const size_t mark = vt_arena_mark(&s->arena);
        float *const scalars = vt_arena_push(&s->arena, 12 * (size_t)count);
        uint8_t *const inside = vt_arena_push(&s->arena, (size_t)count);
        s->stages->sample(means, count, s->tracers.position + 3 * from, scalars, inside,
                          s->def.threads);
        for (int n = 0; n < LANES && t->column[n]; n++)
            for (int64_t i = 0; i < count; i++)
                if (inside[i])
                    t->column[n][from + i] += scalars[3 * i + n];
        vt_arena_pop(&s->arena, mark);
    }
}

/* The next columns that are used by tracers and vortons, from number *n on; 0 where there are none.
 */
static int take_some(const vt_simulation *s, int *n, taking *t)
{
    int lane = 0;
    memset(t, 0, sizeof *t);
    for (; *n < VT_TAKEN_COLUMNS && lane < LANES; ++*n) {
        float *const to = vt_used_column(&s->tracers.set, vt_taken_column[*n]);
        const float *const from = vt_used_column(&s->vortons.set, vt_taken_from[*n]);
        if (!to || !from)
            continue;
        const int warm = *n == VT_TAKEN_temperature;
        t->lanes[lane] = (vt_scalar_lane){warm ? VT_SCALAR_TEMPERATURE : VT_SCALAR_COLUMN, from};
        t->column[lane++] = to;
    }
    return lane > 0;
}

void vt_fill_tracer_scalars(vt_simulation *s, int64_t first, int64_t count)
{
    const vt_fluid fluid = vt_fluid_of(&s->def);
    const vt_tracers *const t = &s->tracers;
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++) {
        float *const column = vt_used_column(&t->set, vt_taken_column[n]);
        for (int64_t i = first; i < first + count && column; i++)
            column[i] =
                n == VT_TAKEN_temperature ? vt_ambient_temperature(&fluid, t->position + 3 * i) : 0;
    }
}

void vt_find_tracer_scalars(vt_simulation *s)
{
    const int64_t tracers = s->tracers.set.count, vortons = s->vortons.set.count;
    vt_placement placement = s->placement;
    vt_content content;
    taking some;
    int next = 0;
    vt_fill_tracer_scalars(s, 0, tracers);
    /* bad values are reported by the next step */
    if (tracers == 0 || vortons == 0 || !vt_has_grid(s) || !take_some(s, &next, &some) ||
        vt_find_content(s, NULL, &content) || vt_place_grid(s, &content, &placement))
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    const vt_grid before = s->grid;
    vt_lay_out_grid(s, &placement);
    vt_grid means = s->grid;
    s->grid = before;
    const sorted_vortons sorted = sort_vortons(s, &means);
    means.nodes = make_nodes(s, &means);
    do {
        vt_find_means(s, vortons, sorted.records, sorted.row_start, some.lanes, &means);
        add_means(s, &means, &some);
    } while (take_some(s, &next, &some));
    vt_arena_pop(&s->arena, mark);
}
