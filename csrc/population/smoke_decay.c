#include "population/smoke_decay.h"

#include "state/predicates.h"
#include "tracers/scalars.h"

enum { BLOCK = 8192 };

typedef struct decay_job {
    float *values;
    const float *age;
    double rate, dt;
    float whole; /* what is left after all of dt */
} decay_job;

/* Ages have moved on already: the newborn have lived for less than dt. */
static void decay_block(void *data, int64_t begin, int64_t end)
{
    const decay_job job = *(const decay_job *)data;
    for (int64_t i = begin; i < end; i++) {
        const double age = (double)job.age[i];
        if (age >= job.dt)
            job.values[i] *= job.whole;
        else if (age > 0)
            job.values[i] *= (float)vti_exp(-job.rate * age);
    }
}

static void decay(const vt_simulation *s, const vt_set *set, int column, const float *age,
                  double dt)
{
    const double rate = s->def.dissipation;
    decay_job job = {vti_used_column(set, column), age, rate, dt, (float)vti_exp(-rate * dt)};
    if (job.values)
        vti_parallel_for(s->def.threads, set->count, BLOCK, decay_block, &job);
}

typedef struct cool_job {
    const vt_tracers *tracers;
    vt_fluid fluid;
    vt_burning law;
    double dt;
} cool_job;

/* By the rate at its temperature, see kernels/particles/combustion.c. */
static void cool_block(void *data, int64_t begin, int64_t end)
{
    const cool_job *const job = data;
    const vt_tracers *const t = job->tracers;
    for (int64_t i = begin; i < end; i++) {
        const double age = (double)t->age[i], time = age < job->dt ? age : job->dt;
        const double a = (double)vti_ambient_temperature(&job->fluid, t->position + 3 * i);
        const double b = a + (double)t->warmth[i];
        const double radiation = (double)job->law.radiation * (a + b) * (a * a + b * b);
        if (t->warmth[i] != 0 && time > 0)
            t->warmth[i] *= (float)vti_exp(-time * ((double)job->law.mixing + radiation));
    }
}

void vti_dissipate(vt_simulation *s, double dt)
{
    const vt_tracers *const t = &s->tracers;
    if (t->set.used[VT_TRACER_warmth] && vti_burns(s)) {
        cool_job job = {t, vti_fluid_of(&s->def), vti_burning_of(&s->def.combustion), dt};
        vti_parallel_for(s->def.threads, t->set.count, BLOCK, cool_block, &job);
    }
    if (!(s->def.dissipation > 0))
        return;
    vti_use_tracer_column(s, VT_TRACER_density);
    decay(s, &t->set, VT_TRACER_density, t->age, dt);
    decay(s, &t->set, VT_TRACER_smoke, t->age, dt);
    decay(s, &s->vortons.set, VT_VORTON_smoke, s->vortons.age, dt);
}
