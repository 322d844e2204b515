/* What tracers take from the vortons around them: the mean of the scalars at the nodes (scalars.c),
 * interpolated. Nodes that no vorton reaches, and all beyond the grid, are ambient. */
#include <string.h>

#include "core/status.h"
#include "field.h"
#include "tracers.h"

enum { LANES = 3 /* values in a node, beside their volume */ };
enum { FIELDS = (VT_TAKEN_COLUMNS + LANES - 1) / LANES };

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

/* Sets a column of the tracers, if it is used, to what it is where no vorton is. */
static void fill_column(vt_simulation *s, int n, int64_t first, int64_t count)
{
    const vt_fluid fluid = vt_fluid_of(&s->def);
    const vt_tracers *const t = &s->tracers;
    float *const column = vt_used_column(&t->set, vt_taken_column[n]);
    for (int64_t i = first; i < first + count && column; i++)
        column[i] =
            n == VT_TAKEN_temperature ? vt_ambient_temperature(&fluid, t->position + 3 * i) : 0;
}

void vt_fill_tracer_scalars(vt_simulation *s, int64_t first, int64_t count)
{
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++)
        fill_column(s, n, first, count);
}

/* Columns that are used by tracers and vortons, and what the nodes that they are taken from hold;
 * fills the others of the tracers. Returns how many fields they need. */
static int choose_fields(vt_simulation *s, vt_taking take[FIELDS],
                         vt_scalar_lane lanes[FIELDS][LANES])
{
    int chosen = 0;
    memset(take, 0, sizeof *take * FIELDS);
    memset(lanes, 0, sizeof *lanes * FIELDS);
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++) {
        float *const to = vt_used_column(&s->tracers.set, vt_taken_column[n]);
        const float *const from = vt_used_column(&s->vortons.set, vt_taken_from[n]);
        if (!to || !from) {
            fill_column(s, n, 0, s->tracers.set.count);
            continue;
        }
        const int field = chosen / LANES, lane = chosen++ % LANES, warm = n == VT_TAKEN_temperature;
        lanes[field][lane] =
            (vt_scalar_lane){warm ? VT_SCALAR_TEMPERATURE : VT_SCALAR_COLUMN, from};
        take[field].column[lane] = to;
        take[field].warm[lane] = warm;
    }
    return (chosen + LANES - 1) / LANES;
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

void vt_find_tracer_scalars(vt_simulation *s)
{
    const int64_t tracers = s->tracers.set.count;
    const vt_fluid fluid = vt_fluid_of(&s->def);
    vt_taking take[FIELDS];
    vt_scalar_lane lanes[FIELDS][LANES];
    vt_grid means;
    const int fields = tracers ? choose_fields(s, take, lanes) : 0;
    if (fields == 0)
        return;
    if (!find_grid(s, &means)) {
        vt_fill_tracer_scalars(s, 0, tracers);
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
