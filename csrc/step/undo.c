#include "step/undo.h"

#include "population/control.h"
#include "sources/birth_plan.h"
#include "state/particles.h"
#include "step/container_jump.h"

/* Where in a simulation the plain values lie that evolve. */
enum {
    EVOLVING = offsetof(vt_simulation, placement),
    EVOLVING_BYTES = offsetof(vt_simulation, extremes) - EVOLVING
};

/* Whether vortons that are there may change, or go, before a substep is sure to be done. */
static int changes_vortons(const vt_simulation *s, const vt_births *births)
{
    const vt_set *const set = &s->vortons.set;
    return vti_controls_population(s) || vti_inflow_may_ignite(s) ||
           vti_has_unlooked(s, VT_VORTONS) ||
           vti_count_to_come(births, VT_VORTONS) > set->capacity - set->count;
}

static vt_set keep_rows(vt_simulation *s, const vt_set *set)
{
    vt_set kept = *set;
    kept.capacity = kept.count;
    for (int32_t c = 0; c < kept.column_count; c++)
        kept.column[c] = kept.used[c]
                             ? vti_arena_push(&s->arena, (size_t)(kept.row_bytes[c] * kept.count))
                             : NULL;
    vti_copy_rows(set, &kept);
    return kept;
}

vt_undo vti_keep_undo(vt_simulation *s, const vt_births *births, double step)
{
    vt_undo b = {.next_id = s->next_id[VT_VORTONS],
                 .evolving = vti_arena_push(&s->arena, EVOLVING_BYTES),
                 .bodies = s->bodies};
    const size_t bytes = sizeof(vt_body) * (size_t)s->bodies.count;
    memcpy(b.evolving, (const char *)s + EVOLVING, EVOLVING_BYTES);
    b.bodies.items = vti_arena_push(&s->arena, bytes);
    if (bytes)
        memcpy(b.bodies.items, s->bodies.items, bytes);
    const int jumps = vti_jumps_at_start(s, step);
    if (jumps || changes_vortons(s, births))
        b.vortons = keep_rows(s, &s->vortons.set);
    if (jumps)
        b.tracers = keep_rows(s, &s->tracers.set);
    return b;
}

/* Removes the particles born since; the order of the rows may have changed. */
static void remove_born(vt_simulation *s, int64_t first_id)
{
    const int64_t count = s->vortons.set.count;
    const size_t mark = vti_arena_mark(&s->arena);
    uint8_t *const mask = vti_arena_push(&s->arena, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        mask[i] = s->vortons.id[i] >= first_id;
    vti_remove_rows(s, VT_VORTONS, mask);
    vti_arena_pop(&s->arena, mark);
}

void vti_undo(vt_simulation *s, const vt_undo *b)
{
    if (b->vortons.column_count)
        vti_copy_rows(&b->vortons, &s->vortons.set);
    else
        remove_born(s, b->next_id);
    if (b->tracers.column_count)
        vti_copy_rows(&b->tracers, &s->tracers.set);
    if (b->bodies.count)
        memcpy(s->bodies.items, b->bodies.items, sizeof(vt_body) * (size_t)b->bodies.count);
    memcpy(s->bodies.open_lines, b->bodies.open_lines, sizeof s->bodies.open_lines);
    memcpy((char *)s + EVOLVING, b->evolving, EVOLVING_BYTES);
    s->fields_exist = 0;
}
