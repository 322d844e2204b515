#include "population/diffusion.h"

#include <math.h>
#include <string.h>

#include "kernels/particles/particle_strength_exchange.h"
#include "population/control.h"
#include "population/implicit_diffusion.h"

enum {
    BLOCK = 2048,
    TOGETHER = VT_POPULATION_EVERY, /* substeps, at most, that act at once ... */
    TURN = TOGETHER / 2             /* ... not in that in which the population is looked after */
};

/* Steps of particle strength exchange that are worth taking. */
static const double most_exchanges = 2;

/* The longest substep, diffusivity x time over the square of the spacing of the vortons: in it
 * things spread by some three spacings, and the halo is at most seven wide. */
static const double longest = 4;

/* Of the square of the spacing of the vortons: less than this need not act at once. */
static const double least_reach2 = 1e-3;

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

typedef struct heat_job {
    const vt_vortons *vortons;
    vt_fluid fluid;
    float *hottest;       /* of each block, K: the most expanded */
    float *before, *heat; /* before and after it has diffused */
    double most;          /* the largest of all */
} heat_job;

static void find_hottest(void *data, int64_t begin, int64_t end)
{
    const heat_job *const job = data;
    const vt_vortons v = *job->vortons; /* a copy: stores cannot change it */
    float most = 0;
    for (int64_t i = begin; i < end; i++) {
        const float temperature = vti_volume_temperature(&v, i);
        most = temperature > most ? temperature : most;
    }
    job->hottest[begin / BLOCK] = most;
}

/* Of the hottest: volume over mass grows with temperature. */
static double largest_relative_volume(vt_simulation *s)
{
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    const size_t mark = vti_arena_mark(&s->arena);
    heat_job job = {.vortons = &s->vortons, .fluid = vti_fluid_of(&s->def)};
    float most = 0;
    if (!vti_expands(s) || count == 0)
        return 1;
    job.hottest = vti_arena_push(&s->arena, sizeof(float) * (size_t)blocks);
    vti_parallel_for(s->def.threads, count, BLOCK, find_hottest, &job);
    for (int64_t b = 0; b < blocks; b++)
        most = fmaxf(most, job.hottest[b]);
    vti_arena_pop(&s->arena, mark);
    return fmax(1, vti_volume_over_mass(&job.fluid, most));
}

double vti_largest_diffusivity(vt_simulation *s)
{
    const double viscosity = vti_diffuses(s) ? s->def.viscosity : 0;
    if (!vti_conducts(s))
        return viscosity;
    return fmax(viscosity, s->def.thermal_diffusivity * largest_relative_volume(s));
}

static void add_amount(vt_diffused *amounts, float *value, int64_t stride, double reach2)
{
    const int32_t c = amounts->components++;
    amounts->value[c] = value;
    amounts->stride[c] = stride;
    amounts->reach2[c] = reach2;
}

/* Volume times how much warmer than the ambient fluid, so that its sum is conserved. */
static void gather_heat(void *data, int64_t begin, int64_t end)
{
    const heat_job job = *(const heat_job *)data; /* copies: stores cannot change them */
    const vt_vortons v = *job.vortons;
    for (int64_t i = begin; i < end; i++)
        job.heat[i] = job.before[i] = v.volume[i] * vti_warmth(&v, &job.fluid, i);
}

/* Adds what changed: vortons that nothing reached keep every bit. Heat went at the rate of the most
 * expanded fluid; others, whose mass is larger, become less warm by it, so that the sum of mass
 * times temperature is conserved. */
static void spread_heat(void *data, int64_t begin, int64_t end)
{
    const heat_job job = *(const heat_job *)data; /* copies: stores cannot change them */
    const vt_vortons v = *job.vortons;
    const int alike = job.fluid.swell == 0; /* volume over mass */
    for (int64_t i = begin; i < end && alike; i++)
        v.temperature[i] += (job.heat[i] - job.before[i]) / v.volume[i];
    for (int64_t i = begin; i < end && !alike; i++) {
        const double over_mass = vti_volume_over_mass(&job.fluid, vti_volume_temperature(&v, i));
        const float share = (float)(over_mass / job.most);
        v.temperature[i] += share * ((job.heat[i] - job.before[i]) / v.volume[i]);
    }
}

int vti_await_diffusion(vt_simulation *s, double dt)
{
    double *const reach2 = s->undiffused;
    const double wait = least_reach2 * s->vorton_spacing * s->vorton_spacing;
    reach2[0] += vti_diffuses(s) ? s->def.viscosity * dt : 0;
    reach2[1] += vti_conducts(s) ? s->def.thermal_diffusivity * dt : 0;
    if (s->substeps % TOGETHER == TURN || reach2[0] > wait)
        return 1;
    return reach2[1] * (vti_conducts(s) ? largest_relative_volume(s) : 1) > wait;
}

double vti_diffusion_reach(const vt_simulation *s)
{
    const int kind = s->def.method.diffusion;
    const double h = s->vorton_spacing;
    return vti_diffuses_by_exchange(s) ? vti_diffusion_limit(kind, h) : longest * h * h;
}

/* Whether that much is more than particle strength exchange should do; m^2. */
static int is_far(const vt_simulation *s, double reach2)
{
    const double each = vti_diffusion_limit(VT_DIFFUSION_PSE, s->vorton_spacing);
    return s->def.method.diffusion == VT_DIFFUSION_IMPLICIT ||
           (!vti_diffuses_by_exchange(s) && reach2 > most_exchanges * each);
}

static void exchange(vt_simulation *s, const double reach2[2], double relative_volume,
                     const double least[3], const double most[3])
{
    const vt_vortons *const v = &s->vortons;
    const int kind =
        s->def.method.diffusion == VT_DIFFUSION_EXCHANGE ? VT_DIFFUSION_EXCHANGE : VT_DIFFUSION_PSE;
    vt_partition cells;
    vti_make_partition(&cells, vti_diffusion_side(kind, s->vorton_spacing),
                       vti_diffusion_slices(kind), least, most, v->set.count, v->position,
                       &s->arena, s->def.threads);
    vt_diffused amounts = {.components = 0};
    for (int c = 0; c < 3 && reach2[0] > 0; c++)
        add_amount(&amounts, v->strength + c, 3, reach2[0]);
    heat_job job = {.vortons = v, .fluid = vti_fluid_of(&s->def), .most = relative_volume};
    if (reach2[1] > 0) {
        job.before = vti_arena_push(&s->arena, sizeof(float) * (size_t)v->set.count);
        job.heat = vti_arena_push(&s->arena, sizeof(float) * (size_t)v->set.count);
        vti_parallel_for(s->def.threads, v->set.count, BLOCK, gather_heat, &job);
        add_amount(&amounts, job.heat, 1, reach2[1] * job.most);
    }
    if (amounts.components > 0)
        s->stages->diffuse(&cells, kind, v->position, v->volume, &amounts, &s->arena,
                           s->def.threads);
    if (reach2[1] > 0)
        vti_parallel_for(s->def.threads, v->set.count, BLOCK, spread_heat, &job);
}

void vti_diffuse(vt_simulation *s, int64_t reserved)
{
    const double reach2[2] = {s->undiffused[0], s->undiffused[1]};
    const size_t mark = vti_arena_mark(&s->arena);
    double least[3], most[3];
    memset(s->undiffused, 0, sizeof s->undiffused);
    const double relative_volume = reach2[1] > 0 ? largest_relative_volume(s) : 1;
    const double farthest = fmax(reach2[0], reach2[1] * relative_volume);
    const int far = is_far(s, farthest);
    if (far)
        vti_widen_shell(s, farthest, reserved);
    if (!find_bounds(s, least, most)) /* the next look at the vortons reports it */
        return;
    if (far)
        vti_diffuse_implicitly(s, reach2, least, most);
    else
        exchange(s, reach2, relative_volume, least, most);
    vti_arena_pop(&s->arena, mark);
}
