#include "heat.h"

#include "body_heat.h"
#include "core/parallel.h"
#include "expand.h"
#include "state/ambient.h"
#include "state/combustion.h"

enum { BLOCK = 8192 };

typedef struct heat_job {
    const vt_vortons *vortons;
    vt_fluid fluid;
    double *block; /* kg K */
} heat_job;

static double excess_heat(const vt_vortons *v, const vt_fluid *fluid, int64_t row)
{
    return vt_excess_heat(fluid, v->volume[row], vt_volume_temperature(v, row),
                          v->temperature[row]);
}

static void sum_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const heat_job *const job = data;
    double sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += excess_heat(job->vortons, &job->fluid, i);
    job->block[begin / BLOCK] = sum;
}

int vt_keeps_heat_books(const vt_simulation *s)
{
    return vt_burns(s) || vt_has_warm_bodies(s);
}

double vt_find_heat(vt_simulation *s)
{
    if (!vt_keeps_heat_books(s))
        return 0;
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    const size_t mark = vt_arena_mark(&s->arena);
    heat_job job = {&s->vortons, vt_fluid_of(&s->def),
                    vt_arena_push(&s->arena, sizeof(double) * (size_t)(blocks + 1))};
    double sum = 0;
    vt_parallel_for(s->def.threads, count, BLOCK, sum_block, &job);
    for (int64_t b = 0; b < blocks; b++)
        sum += job.block[b];
    vt_arena_pop(&s->arena, mark);
    return vt_heat_capacity(s) * sum;
}

void vt_open_heat_books(vt_simulation *s)
{
    if (!vt_keeps_heat_books(s))
        return;
    const double heat = vt_find_heat(s);
    s->heat.brought += heat - s->heat.known;
    s->heat.known = heat;
}

void vt_close_heat_books(vt_simulation *s)
{
    if (vt_keeps_heat_books(s))
        s->heat.known = vt_find_heat(s);
}

void vt_count_heat(vt_simulation *s, int64_t first, int64_t count, const uint8_t *mask, double sign)
{
    const vt_vortons *const v = &s->vortons;
    const vt_fluid fluid = vt_fluid_of(&s->def);
    double sum = 0;
    if (!vt_keeps_heat_books(s))
        return;
    for (int64_t i = first; i < first + count; i++)
        if (!mask || mask[i])
            sum += excess_heat(v, &fluid, i);
    sum *= sign * vt_heat_capacity(s);
    s->heat.brought += sum;
    s->heat.known += sum;
}

void vt_react(vt_simulation *s, double dt)
{
    const vt_combustion *const c = &s->def.combustion;
    const vt_vortons *const v = &s->vortons;
    const int64_t count = v->set.count, blocks = (count + VT_REACT_BLOCK - 1) / VT_REACT_BLOCK;
    const vt_react_rows rows = {
        v->position,    v->volume, v->age,   vt_expands(s) ? v->volume_temperature : NULL,
        v->temperature, v->fuel,   v->flame, v->smoke,
        v->mixture};
    const vt_fluid fluid = vt_fluid_of(&s->def);
    vt_burning law = vt_burning_of(c);
    const size_t mark = vt_arena_mark(&s->arena);
    law.euler = s->def.method.burning == VT_BURNING_EULER;
    vt_reacted *const block = vt_arena_push(&s->arena, sizeof *block * (size_t)(blocks + 1));
    s->stages->react(&fluid, &law, dt, count, &rows, block, s->def.threads);
    for (int64_t b = 0; b < blocks; b++) {
        s->heat.released += c->heat * block[b].burnt;
        s->heat.radiated += c->heat_capacity * block[b].radiated;
        s->heat.mixed += c->heat_capacity * block[b].mixed;
    }
    vt_arena_pop(&s->arena, mark);
}
