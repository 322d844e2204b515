/* Tracers that burn by themselves. The vortons are as large as a cell of the grid, flames are
 * thinner: a tracer keeps the fuel, flame and smoke of the fluid that it came with, at the
 * temperature of the vortons around it, and burns as fast as it finds air,
 *
 *   dY/dt = -k(T) (1 - Z) / Z Y
 *
 * with Z the mixture fraction, the share of the mass around it that came as fuel, burnt or not, and
 * (1 - Z) / Z the air that it meets: fuel burns in a shell that eats its way inward (Burke and
 * Schumann 1928), thin tongues at once, and not as a whole. Flame and smoke follow as in
 * kernels/particles/combustion.c.
 */
#include "tracers/combustion.h"

#include "state/simulation.h"

enum { BLOCK = 4096 };

/* Where less of the mass around a tracer came as fuel, it does not become part of the fire. */
static const float least_mixture = 0.01f;

/* Air that fuel finds in its own midst. */
static const double least_air = 0.05;

typedef struct burn_job {
    const vt_tracers *tracers;
    const vt_own_fire *own;
    vt_burning law;
    double dt;
} burn_job;

static double burn_rate(const vt_burning *law, double temperature)
{
    if (temperature < (double)law->ignition)
        return 0;
    const double quotient = (double)law->activation / temperature;
    return (double)law->rate * (quotient > 0 ? vti_exp(-quotient) : 1);
}

/* k t (e^-wt - e^-kt) / (k - w) / k: see kernels/particles/combustion.c. */
static double made_flame(double k, double w, double t)
{
    const double slow = k < w ? k : w, apart = ((k < w ? w : k) - slow) * t;
    const double mean = apart < 1e-4 ? 1 - apart / 2 : (1 - vti_exp(-apart)) / apart;
    return k * t * vti_exp(-slow * t) * mean;
}

static double air_at(double mixture)
{
    return 1 - mixture > least_air ? 1 - mixture : least_air;
}

static void burn(const burn_job *job, int64_t i, double time)
{
    const vt_tracers *const t = job->tracers;
    const double w = (double)job->law.flame_rate;
    const double k =
        burn_rate(&job->law, (double)t->temperature[i]) * air_at((double)job->own->mixture[i]);
    const double fuel = (double)t->fuel[i], before = (double)t->flame[i];
    const double kept = fuel * vti_exp(-k * time);
    const double flame = before * vti_exp(-w * time) + fuel * made_flame(k, w, time);
    const double gone = fuel - kept + before - flame;
    t->fuel[i] = (float)kept;
    t->flame[i] = (float)flame;
    t->smoke[i] += gone > 0 ? job->law.soot * (float)gone : 0;
}

static void burn_tracer(void *data, int64_t i)
{
    const burn_job *const job = data;
    const vt_tracers *const t = job->tracers;
    float *const *const mean = job->own->mean;
    const double age = (double)t->age[i], time = age < job->dt ? age : job->dt;
    const float own = t->fuel[i] + t->flame[i] + t->smoke[i];
    if (own > 0 && time > 0) {
        burn(job, i, time);
    } else if (!(own > 0) && job->own->mixture[i] > least_mixture) {
        t->fuel[i] = mean[VT_TAKEN_fuel][i];
        t->flame[i] = mean[VT_TAKEN_flame][i];
        t->smoke[i] = mean[VT_TAKEN_smoke][i];
    }
}

void vti_make_own_fire(vt_simulation *s, vt_own_fire *own)
{
    const size_t bytes = sizeof(float) * (size_t)s->tracers.set.count;
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++)
        own->mean[n] = n == VT_TAKEN_temperature ? NULL : vti_arena_push(&s->arena, bytes);
    own->mixture = vti_arena_push(&s->arena, bytes);
}

void vti_burn_tracers(vt_simulation *s, const vt_own_fire *own)
{
    burn_job job = {&s->tracers, own, vti_burning_of(&s->def.combustion),
                    s->time - s->tracers_burnt};
    s->tracers_burnt = s->time;
    vti_parallel_each(s->def.threads, s->tracers.set.count, BLOCK, burn_tracer, &job);
}
