#include "population.h"

#include <math.h>

#include "core/mathd.h"
#include "core/parallel.h"
#include "field.h"

enum { BLOCK = 8192, HALO_EVERY = 4 /* substeps */ };

/* ---- the population ---- */

typedef struct sums {
    double strength, volume, vorticity;
} sums;

typedef struct sum_job {
    const vt_vortons *vortons;
    sums *block;
} sum_job;

static void sum_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sum_job *const job = data;
    sums sum = {0, 0, 0};
    for (int64_t i = begin; i < end; i++) {
        const float *const a = job->vortons->strength + 3 * i;
        const double volume = (double)job->vortons->volume[i];
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += (double)a[c] * (double)a[c];
        const double size = sqrt(square);
        sum.strength += size;
        sum.volume += size * volume;
        sum.vorticity += square / volume;
    }
    job->block[begin / BLOCK] = sum;
}

void vt_measure_population(vt_simulation *s, vt_population *population)
{
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    const size_t mark = vt_arena_mark(&s->arena);
    sum_job job = {&s->vortons, vt_arena_push(&s->arena, sizeof(sums) * (size_t)(blocks + 1))};
    sums all = {0, 0, 0};
    vt_parallel_for(s->def.threads, count, BLOCK, sum_block, &job);
    for (int64_t b = 0; b < blocks; b++) {
        all.strength += job.block[b].strength;
        all.volume += job.block[b].volume;
        all.vorticity += job.block[b].vorticity;
    }
    vt_arena_pop(&s->arena, mark);
    *population = (vt_population){.strength = all.strength};
    if (all.strength > 0) {
        population->spacing = vt_cbrt(all.volume / all.strength);
        population->vorticity = all.vorticity / all.strength;
    }
}

/* ---- control ---- */

vt_status vt_control_population(vt_simulation *s, int64_t reserved)
{
    vt_content content;
    vt_population population;
    s->vorton_spacing = 0;
    vt_status status = vt_find_content(s, NULL, &content);
    if (status || !content.exists)
        return status;
    vt_measure_population(s, &population);
    s->vorton_spacing = population.spacing;
    const int due = s->substeps % HALO_EVERY == 0 || s->populated_id != s->next_id[VT_VORTONS];
    if (s->vorton_spacing > 0 && due && vt_diffuses(s) && s->def.method.halo > 0)
        status = vt_keep_halo(s, &population, reserved);
    s->populated_id = s->next_id[VT_VORTONS];
    return status;
}

/* ---- diffusion ---- */

static int find_bounds(vt_simulation *s, double least[3], double most[3])
{
    const vt_vortons *const v = &s->vortons;
    vt_bounds bounds;
    int finite = 1;
    s->stages->bounds(v->set.count, v->position, v->strength, &bounds, s->def.threads);
    for (int a = 0; a < 3; a++) {
        least[a] = INFINITY;
        most[a] = -INFINITY;
        for (int t = 0; t < VT_MAX_THREADS; t++) {
            least[a] = fmin(least[a], (double)bounds.thread[t].least[a]);
            most[a] = fmax(most[a], (double)bounds.thread[t].most[a]);
        }
    }
    for (int t = 0; t < VT_MAX_THREADS; t++)
        finite &= bounds.thread[t].finite;
    return finite;
}

void vt_diffuse(vt_simulation *s, double dt)
{
    const vt_vortons *const v = &s->vortons;
    const int kind = s->def.method.diffusion;
    const size_t mark = vt_arena_mark(&s->arena);
    double least[3], most[3];
    if (!find_bounds(s, least, most)) /* the next look at the vortons reports it */
        return;
    vt_partition cells;
    vt_make_partition(&cells, vt_diffusion_side(kind, s->vorton_spacing), least, most, v->set.count,
                      v->position, &s->arena, s->def.threads);
    vt_diffused strength = {.components = 3};
    for (int c = 0; c < 3; c++) {
        strength.value[c] = v->strength + c;
        strength.stride[c] = 3;
        strength.reach2[c] = s->def.viscosity * dt;
    }
    s->stages->diffuse(&cells, kind, v->position, v->volume, &strength, &s->arena, s->def.threads);
    vt_arena_pop(&s->arena, mark);
}
