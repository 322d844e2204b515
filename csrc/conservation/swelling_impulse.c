#include "conservation/swelling_impulse.h"

#include "state/predicates.h"

enum { BLOCK = 2048 };

typedef struct summing {
    const vt_simulation *simulation;
    const float *swelling;
    double dt, way[3];     /* of the wind in dt, m */
    const vt_apart *apart; /* of each vorton; or NULL */
    vt_swelling *block;
} summing;

static void add_charge(const summing *j, int64_t i, vt_swelling *sum)
{
    const vt_vortons *const v = &j->simulation->vortons;
    double x[3], along[3];
    vti_widen(v->position + 3 * i, x);
    vti_widen(v->velocity + 3 * i, along);
    for (int c = 0; c < 3; c++) {
        along[c] = j->dt * along[c] - j->way[c];
        x[c] -= along[c] / 2 + j->way[c];
    }
    vt_impulse given = {{0}, {0}};
    vti_add_scaled(given.linear, (double)j->swelling[i], along);
    vti_move_moment(&given, x);
    vti_add_impulse(&sum->all, 1, &given);
    if (j->apart)
        vti_add_scaled(sum->apart, (double)j->apart[i].share, given.linear);
}

static void sum_block(void *data, int64_t begin, int64_t end)
{
    const summing *const j = data;
    vt_swelling *const sum = &j->block[begin / BLOCK];
    *sum = (vt_swelling){0};
    for (int64_t i = begin; i < end; i++)
        if (j->swelling[i] != 0)
            add_charge(j, i, sum);
}

vt_swelling vti_sum_swelling(vt_simulation *s, double dt, const vt_reaction *reaction)
{
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    vt_swelling all = {0};
    summing j = {.simulation = s,
                 .swelling = vti_used_column(&s->vortons.set, VT_VORTON_swelling),
                 .dt = dt,
                 .apart = reaction->apart};
    if (!j.swelling || !vti_has_grid(s))
        return all;
    const size_t mark = vti_arena_mark(&s->arena);
    j.block = vti_arena_push(&s->arena, sizeof *j.block * (size_t)blocks);
    vti_add_scaled(j.way, dt, s->winds.velocity);
    vti_parallel_for(s->def.threads, count, BLOCK, sum_block, &j);
    for (int64_t b = 0; b < blocks; b++) {
        vti_add_impulse(&all.all, 1, &j.block[b].all);
        vti_add_scaled(all.apart, 1, j.block[b].apart);
    }
    vti_arena_pop(&s->arena, mark);
    return all;
}

void vti_note_swelling(vt_simulation *s, const vt_swelling *swelling, vt_reaction *reaction)
{
    if (!reaction->counts)
        return;
    vti_add_impulse(&reaction->given, 1, &swelling->all);
    vti_add_impulse(&s->impulses.outer, 1, &swelling->all);
    vti_add_scaled(reaction->wake, 1, swelling->apart);
}
