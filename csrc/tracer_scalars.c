/* What tracers take from the vortons around them: the mean of the scalars at the nodes (scalars.c),
 * interpolated. Nodes that no vorton reaches, and all beyond the grid, are ambient. */
#include <string.h>

#include "core/status.h"
#include "field.h"
#include "tracers.h"

enum { PORTION = 1 << 20 };

/* Means of what the vortons of now carry, in the nodes of a grid in arena memory. */
static void find_means(vt_simulation *s, const vt_fluid *fluid, vt_grid *means)
{
    const vt_vortons *const v = &s->vortons;
    const vt_scalar_rows rows = {v->volume, NULL, v->temperature};
    const int64_t count = v->set.count;
    const int threads = s->def.threads;
    const size_t bytes = sizeof(vt_record) * (size_t)(count + VT_LANES);
    const size_t lines = (size_t)means->cells[1] * (size_t)means->cells[2];
    /* sampling on the far faces looks, with no weight, a plane and a row further */
    const size_t nodes = (size_t)(means->node_plane * (means->cells[2] + 1));
    const size_t beyond = 2 * (size_t)means->node_plane;
    vt_record *const records = vt_arena_push(&s->arena, bytes);
    vt_record *const sorted = vt_arena_push(&s->arena, bytes);
    uint32_t *const row_start = vt_arena_push(&s->arena, 4 * (lines + 1));
    means->nodes = vt_arena_push(&s->arena, (nodes + beyond) * sizeof(f4));
    memset(means->nodes + nodes, 0, beyond * sizeof(f4));
    s->stages->collect(means, count, v->position, v->strength, v->bound_volume, records, threads);
    s->stages->sort(means, count, records, sorted, row_start, &s->arena, threads);
    s->stages->collect_scalars(means, count, sorted, &rows, fluid, records, threads);
    s->stages->deposit(means, records, row_start, threads);
    s->stages->normalise(means, row_start, threads);
}

/* Adds what the means have at the tracers. */
static void add_means(vt_simulation *s, const vt_grid *means)
{
    vt_tracers *const t = &s->tracers;
    for (int64_t from = 0; from < t->set.count; from += PORTION) {
        const int64_t left = t->set.count - from, count = left < PORTION ? left : PORTION;
        const size_t mark = vt_arena_mark(&s->arena);
        float *const scalars = vt_arena_push(&s->arena, 12 * (size_t)count);
        uint8_t *const inside = vt_arena_push(&s->arena, (size_t)count);
        s->stages->sample(means, count, t->position + 3 * from, scalars, inside, s->def.threads);
        for (int64_t i = 0; i < count; i++)
            if (inside[i])
                t->temperature[from + i] += scalars[3 * i + 1];
        vt_arena_pop(&s->arena, mark);
    }
}

void vt_find_tracer_temperatures(vt_simulation *s)
{
    const vt_fluid fluid = vt_fluid_of(&s->def);
    const vt_tracers *const t = &s->tracers;
    vt_placement placement = s->placement;
    vt_content content;
    for (int64_t i = 0; i < t->set.count; i++)
        t->temperature[i] = vt_ambient_temperature(&fluid, t->position + 3 * i);
    /* bad values are reported by the next step */
    if (t->set.count == 0 || s->vortons.set.count == 0 || !vt_has_grid(s) ||
        !s->vortons.set.used[VT_VORTON_temperature] || vt_find_content(s, NULL, &content) ||
        vt_place_grid(s, &content, &placement))
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    const vt_grid before = s->grid;
    vt_lay_out_grid(s, &placement);
    vt_grid means = s->grid;
    s->grid = before;
    find_means(s, &fluid, &means);
    add_means(s, &means);
    vt_arena_pop(&s->arena, mark);
}
