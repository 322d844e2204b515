#include "base/block_sums.h"
#include "state/heat_budget.h"

#include "state/predicates.h"

enum { BLOCK = 8192 };

typedef struct heat_job {
    const vt_vortons *vortons;
    vt_fluid fluid;
} heat_job;

static double excess_heat(const vt_vortons *v, const vt_fluid *fluid, int64_t row)
{
    return vti_excess_heat(fluid, v->volume[row], vti_volume_temperature(v, row),
                           v->temperature[row]);
}

/* kg K */
static void sum_block(void *data, int64_t begin, int64_t end, double *sum)
{
    const heat_job *const job = data;
    for (int64_t i = begin; i < end; i++)
        *sum += excess_heat(job->vortons, &job->fluid, i);
}

int vti_keeps_heat_books(const vt_simulation *s)
{
    return vti_burns(s) || vti_has_warm_bodies(s);
}

double vti_find_heat(vt_simulation *s)
{
    if (!vti_keeps_heat_books(s))
        return 0;
    heat_job job = {&s->vortons, vti_fluid_of(&s->def)};
    double sum;
    vti_sum_blocks(&s->arena, s->def.threads, s->vortons.set.count, BLOCK, sum_block, &job, 1,
                   &sum);
    return vti_heat_capacity(s) * sum;
}

void vti_open_heat_books(vt_simulation *s)
{
    if (!vti_keeps_heat_books(s))
        return;
    const double heat = vti_find_heat(s);
    s->heat.brought += heat - s->heat.known;
    s->heat.known = heat;
}

void vti_close_heat_books(vt_simulation *s)
{
    if (vti_keeps_heat_books(s))
        s->heat.known = vti_find_heat(s);
}

void vti_count_heat(vt_simulation *s, int64_t first, int64_t count, const uint8_t *mask,
                    double sign)
{
    const vt_vortons *const v = &s->vortons;
    double sum = 0;
    if (!vti_keeps_heat_books(s))
        return;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    for (int64_t i = first; i < first + count; i++)
        if (!mask || mask[i])
            sum += excess_heat(v, &fluid, i);
    sum *= sign * vti_heat_capacity(s);
    s->heat.brought += sum;
    s->heat.known += sum;
}

void vti_react(vt_simulation *s, double dt)
{
    const vt_combustion *const c = &s->def.combustion;
    const vt_vortons *const v = &s->vortons;
    const int64_t count = v->set.count, blocks = (count + VT_REACT_BLOCK - 1) / VT_REACT_BLOCK;
    const vt_react_rows rows = {
        v->position,    v->volume, v->age,   vti_expands(s) ? v->volume_temperature : NULL,
        v->temperature, v->fuel,   v->flame, v->smoke,
        v->mixture};
    const vt_fluid fluid = vti_fluid_of(&s->def);
    vt_burning law = vti_burning_of(c);
    const size_t mark = vti_arena_mark(&s->arena);
    law.euler = s->def.method.burning == VT_BURNING_EULER;
    vt_reacted *const block = vti_arena_push(&s->arena, sizeof *block * (size_t)(blocks + 1));
    s->stages->react(&fluid, &law, dt, count, &rows, block, s->def.threads);
    for (int64_t b = 0; b < blocks; b++) {
        s->heat.released += c->heat * block[b].burnt;
        s->heat.radiated += c->heat_capacity * block[b].radiated;
        s->heat.mixed += c->heat_capacity * block[b].mixed;
    }
    vti_arena_pop(&s->arena, mark);
}
