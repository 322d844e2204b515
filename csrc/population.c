#include "population.h"

#include <math.h>
#include <string.h>

#include "balance.h"
#include "carrier.h"
#include "content.h"
#include "core/mathd.h"
#include "core/parallel.h"

enum {
    BLOCK = 2048,
    CONTROL_EVERY = 4, /* substeps, or earlier: */
    FEW = 16           /* where newborn are not less than this part of all, */
};

/* or where this has passed of largest velocity gradient x time: after .4 a plume would lose 2 % of
 * its impulse. */
static const double most_strain = 0.25;

/* ---- the population ---- */

double vt_contrast_of(const vt_simulation *s, const vt_fluid *fluid, int64_t row)
{
    const vt_vortons *const v = &s->vortons;
    const float *const x = v->position + 3 * row;
    const float own = v->set.used[VT_VORTON_density] ? v->density[row] : 0;
    if (!v->set.used[VT_VORTON_temperature])
        return (double)fabsf(own);
    return fabs((double)vt_density_deviation(fluid, x, v->temperature[row], own));
}

/* How much warmer a vorton is than the ambient fluid beside it, K. */
static inline float warmth_of(const vt_vortons *v, const vt_fluid *fluid, int64_t row)
{
    return v->temperature[row] - vt_ambient_temperature(fluid, v->position + 3 * row);
}

/* Whether it is time to look at all. */
static int is_due(const vt_simulation *s)
{
    return s->substeps % CONTROL_EVERY == 0;
}

/* Whether many have been born since the halo was last looked after. */
static int are_many_new(const vt_simulation *s)
{
    return s->next_id[VT_VORTONS] - s->populated_id > s->vortons.set.count / FEW;
}

/* Whether diffusion, births or the flow may have brought vortons to where they lack others. */
static int lacks_halo(const vt_simulation *s)
{
    return is_due(s) || s->strained > most_strain || are_many_new(s);
}

/* Of a block of vortons, or of all. */
typedef struct sums {
    double sum[2];
} sums;

typedef struct sum_job {
    const vt_simulation *simulation;
    vt_fluid fluid;
    sums *block;
} sum_job;

static double square_of(const float a[3])
{
    double square = 0;
    for (int c = 0; c < 3; c++)
        square += (double)a[c] * (double)a[c];
    return square;
}

/* |alpha|, and that times the volume. */
static void sum_strengths(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sum_job *const job = data;
    const float *const strength = job->simulation->vortons.strength;
    const float *const volume = job->simulation->vortons.volume;
    sums sum = {{0}};
    for (int64_t i = begin; i < end; i++) {
        const double size = sqrt(square_of(strength + 3 * i));
        sum.sum[0] += size;
        sum.sum[1] += size * (double)volume[i];
    }
    job->block[begin / BLOCK] = sum;
}

/* |alpha| times the vorticity. */
static void sum_vorticity(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sum_job *const job = data;
    const vt_vortons *const v = &job->simulation->vortons;
    sums sum = {{0}};
    for (int64_t i = begin; i < end; i++)
        sum.sum[0] += square_of(v->strength + 3 * i) / (double)v->volume[i];
    job->block[begin / BLOCK] = sum;
}

/* V |T'|, and that times V. */
static void sum_heat(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sum_job *const job = data;
    const vt_vortons *const v = &job->simulation->vortons;
    sums sum = {{0}};
    for (int64_t i = begin; i < end; i++) {
        const double volume = (double)v->volume[i];
        const double heat = volume * fabs((double)warmth_of(v, &job->fluid, i));
        sum.sum[0] += heat;
        sum.sum[1] += heat * volume;
    }
    job->block[begin / BLOCK] = sum;
}

/* V |rho'|, and that times |rho'|. */
static void sum_contrast(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sum_job *const job = data;
    const float *const volume = job->simulation->vortons.volume;
    sums sum = {{0}};
    for (int64_t i = begin; i < end; i++) {
        const double contrast = vt_contrast_of(job->simulation, &job->fluid, i);
        const double weight = (double)volume[i] * contrast;
        sum.sum[0] += weight;
        sum.sum[1] += weight * contrast;
    }
    job->block[begin / BLOCK] = sum;
}

static sums sum_all(vt_simulation *s, vt_block_function *sum_block)
{
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    const size_t mark = vt_arena_mark(&s->arena);
    sum_job job = {.simulation = s, .fluid = vt_fluid_of(&s->def)};
    sums all = {{0}};
    job.block = vt_arena_push(&s->arena, sizeof(sums) * (size_t)(blocks + 1));
    vt_parallel_for(s->def.threads, count, BLOCK, sum_block, &job);
    for (int64_t b = 0; b < blocks; b++)
        for (int n = 0; n < 2; n++)
            all.sum[n] += job.block[b].sum[n];
    vt_arena_pop(&s->arena, mark);
    return all;
}

/* The second sum over the first; 0 where there is nothing. */
static double mean_of(const sums *all)
{
    return all->sum[0] > 0 ? all->sum[1] / all->sum[0] : 0;
}

void vt_measure_population(vt_simulation *s, vt_population *population)
{
    const int halo = vt_has_halo(s) && lacks_halo(s);
    sums all = sum_all(s, sum_strengths);
    *population = (vt_population){.strength = all.sum[0]};
    if (halo && all.sum[0] > 0)
        population->vorticity = sum_all(s, sum_vorticity).sum[0] / all.sum[0];
    if (!(all.sum[0] > 0) && vt_conducts(s))
        all = sum_all(s, sum_heat);
    population->spacing = vt_cbrt(mean_of(&all));
    if (halo && (vt_is_buoyant(s) || vt_conducts(s))) {
        const sums contrasts = sum_all(s, sum_contrast);
        population->contrast = mean_of(&contrasts);
    }
}

/* ---- control ---- */

/* Of fuel and flame, from which on they may make heat, and of smoke. */
static const float least_share = 1e-5f;

int vt_may_burn(const vt_simulation *s, int64_t row)
{
    const vt_vortons *const v = &s->vortons;
    const int32_t *const used = v->set.used;
    return (used[VT_VORTON_fuel] && v->fuel[row] > least_share) ||
           (used[VT_VORTON_flame] && v->flame[row] > least_share);
}

int vt_has_contrast(const vt_simulation *s, const vt_fluid *fluid, int64_t row)
{
    const vt_vortons *const v = &s->vortons;
    const int32_t *const used = v->set.used;
    if ((used[VT_VORTON_density] && v->density[row] != 0) || vt_may_burn(s, row))
        return 1;
    if (!used[VT_VORTON_temperature])
        return 0;
    const float ambient = vt_ambient_temperature(fluid, v->position + 3 * row);
    return fabsf(v->temperature[row] - ambient) > (float)VT_LEAST_CONTRAST * ambient;
}

/* Weak vortons hand on what they have; the neutral ones of diffusion have a rule of their own. */
static void prune(vt_simulation *s, double spacing)
{
    const vt_vortons *const v = &s->vortons;
    const size_t mark = vt_arena_mark(&s->arena);
    uint8_t *const mask = vt_arena_push(&s->arena, (size_t)v->set.count);
    double *const square = vt_arena_push(&s->arena, sizeof *square * (size_t)v->set.count);
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < v->set.count; i++) {
        square[i] = 0;
        for (int c = 0; c < 3; c++)
            square[i] += (double)v->strength[3 * i + c] * (double)v->strength[3 * i + c];
        if (v->halo[i] > 0) {
            square[i] = INFINITY;
        } else {
            sum += square[i];
            count++;
        }
    }
    const vt_fluid fluid = vt_fluid_of(&s->def);
    const double least = s->def.method.prune * s->def.method.prune * sum / (double)count;
    const float *const smoke = vt_used_column(&v->set, VT_VORTON_smoke);
    for (int64_t i = 0; i < v->set.count; i++)
        mask[i] = square[i] < least && !vt_has_contrast(s, &fluid, i) &&
                  !(smoke && smoke[i] > least_share);
    vt_hand_over(s, 2 * spacing, mask);
    vt_arena_pop(&s->arena, mark);
}

/* Fewer vortons, with the same strength and impulse. */
static void merge_and_prune(vt_simulation *s, const vt_content *content, double spacing)
{
    const int64_t count = s->vortons.set.count;
    vt_balance balance;
    vt_open_sums(s, content, &balance);
    if (s->def.method.merge > 0)
        vt_merge_vortons(s);
    if (s->def.method.prune > 0)
        prune(s, spacing);
    if (s->vortons.set.count < count)
        vt_close_sums(s, &balance);
}

static vt_status split_and_merge(vt_simulation *s, const vt_content *content,
                                 vt_population *population, int64_t reserved)
{
    const vt_method *const method = &s->def.method;
    vt_status status = VT_OK;
    const int splits = method->split > 0 || vt_expands(s);
    if (!(splits || method->merge > 0 || method->prune > 0))
        return VT_OK;
    if (splits)
        status = vt_split_vortons(s, reserved);
    if (!status && (method->merge > 0 || method->prune > 0))
        merge_and_prune(s, content, population->spacing);
    vt_measure_population(s, population);
    return status;
}

/* Whether differences of density may set fluid at rest in motion. */
static int is_pulled(const vt_simulation *s)
{
    const vt_fluid fluid = vt_carried_fluid(s);
    return vt_is_buoyant(s) &&
           (fluid.gravity[0] != 0 || fluid.gravity[1] != 0 || fluid.gravity[2] != 0);
}

/* Whether anything needs neutral vortons around it. */
static int wants_halo(const vt_simulation *s, const vt_population *population)
{
    return vt_has_halo(s) && (population->spacing > 0 || vt_has_warm_bodies(s) ||
                              (population->contrast > 0 && is_pulled(s)));
}

static vt_status renew_halo(vt_simulation *s, const vt_population *population, int64_t reserved,
                            int removes)
{
    const vt_status status = vt_keep_halo(s, population, reserved, removes);
    if (status)
        return status;
    s->populated_id = s->next_id[VT_VORTONS];
    s->strained = 0;
    return VT_OK;
}

vt_status vt_control_population(vt_simulation *s, int64_t reserved)
{
    vt_content content;
    vt_population population;
    s->vorton_spacing = 0;
    vt_status status = vt_find_content(s, NULL, &content);
    if (status || !(content.exists || vt_is_buoyant(s) || vt_conducts(s) || vt_expands(s) ||
                    vt_has_warm_bodies(s)))
        return status;
    vt_measure_population(s, &population);
    const int carried = population.spacing > 0;
    const int halo = wants_halo(s, &population) && lacks_halo(s);
    if (is_due(s) && carried)
        status = split_and_merge(s, &content, &population, reserved);
    else if (is_due(s) && vt_expands(s))
        status = vt_split_vortons(s, reserved);
    if (!status && halo)
        status = renew_halo(s, &population, reserved, 1);
    s->vorton_spacing = population.spacing;
    return status;
}

vt_status vt_surround_newborn(vt_simulation *s, int64_t reserved)
{
    vt_population population;
    if (!vt_has_halo(s) || !are_many_new(s))
        return VT_OK;
    vt_measure_population(s, &population);
    return wants_halo(s, &population) ? renew_halo(s, &population, reserved, 0) : VT_OK;
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

/* Of a vorton, in that of ambient fluid. */
static double volume_over_mass(const vt_fluid *fluid, float volume_temperature)
{
    return vt_swollen(fluid, vt_relative_volume(fluid, (double)volume_temperature));
}

typedef struct heat_job {
    const vt_vortons *vortons;
    vt_fluid fluid;
    float *hottest;       /* of each block, K: the most expanded */
    float *before, *heat; /* before and after it has diffused */
    double most;          /* the largest of all */
} heat_job;

static void find_hottest(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const heat_job *const job = data;
    const vt_vortons v = *job->vortons; /* a copy: stores cannot change it */
    float most = 0;
    for (int64_t i = begin; i < end; i++) {
        const float temperature = vt_volume_temperature(&v, i);
        most = temperature > most ? temperature : most;
    }
    job->hottest[begin / BLOCK] = most;
}

/* Of the hottest: volume over mass grows with temperature. */
static double largest_relative_volume(vt_simulation *s)
{
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    const size_t mark = vt_arena_mark(&s->arena);
    heat_job job = {.vortons = &s->vortons, .fluid = vt_fluid_of(&s->def)};
    float most = 0;
    if (!vt_expands(s) || count == 0)
        return 1;
    job.hottest = vt_arena_push(&s->arena, sizeof(float) * (size_t)blocks);
    vt_parallel_for(s->def.threads, count, BLOCK, find_hottest, &job);
    for (int64_t b = 0; b < blocks; b++)
        most = fmaxf(most, job.hottest[b]);
    vt_arena_pop(&s->arena, mark);
    return fmax(1, volume_over_mass(&job.fluid, most));
}

double vt_largest_diffusivity(vt_simulation *s)
{
    const double viscosity = vt_diffuses(s) ? s->def.viscosity : 0;
    if (!vt_conducts(s))
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
static void gather_heat(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const heat_job job = *(const heat_job *)data; /* copies: stores cannot change them */
    const vt_vortons v = *job.vortons;
    for (int64_t i = begin; i < end; i++)
        job.heat[i] = job.before[i] = v.volume[i] * warmth_of(&v, &job.fluid, i);
}

/* Adds what changed: vortons that nothing reached keep every bit. Heat went at the rate of the most
 * expanded fluid; others, whose mass is larger, become less warm by it, so that the sum of mass
 * times temperature is conserved. */
static void spread_heat(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const heat_job job = *(const heat_job *)data; /* copies: stores cannot change them */
    const vt_vortons v = *job.vortons;
    const int alike = job.fluid.swell == 0; /* volume over mass */
    for (int64_t i = begin; i < end && alike; i++)
        v.temperature[i] += (job.heat[i] - job.before[i]) / v.volume[i];
    for (int64_t i = begin; i < end && !alike; i++) {
        const double over_mass = volume_over_mass(&job.fluid, vt_volume_temperature(&v, i));
        const float share = (float)(over_mass / job.most);
        v.temperature[i] += share * ((job.heat[i] - job.before[i]) / v.volume[i]);
    }
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
    vt_make_partition(&cells, vt_diffusion_side(kind, s->vorton_spacing), vt_diffusion_slices(kind),
                      least, most, v->set.count, v->position, &s->arena, s->def.threads);
    vt_diffused amounts = {.components = 0};
    for (int c = 0; c < 3 && vt_diffuses(s); c++)
        add_amount(&amounts, v->strength + c, 3, s->def.viscosity * dt);
    heat_job job = {.vortons = v, .fluid = vt_fluid_of(&s->def), .most = 1};
    if (vt_conducts(s)) {
        job.before = vt_arena_push(&s->arena, sizeof(float) * (size_t)v->set.count);
        job.heat = vt_arena_push(&s->arena, sizeof(float) * (size_t)v->set.count);
        job.most = largest_relative_volume(s);
        vt_parallel_for(s->def.threads, v->set.count, BLOCK, gather_heat, &job);
        add_amount(&amounts, job.heat, 1, s->def.thermal_diffusivity * job.most * dt);
    }
    s->stages->diffuse(&cells, kind, v->position, v->volume, &amounts, &s->arena, s->def.threads);
    if (vt_conducts(s))
        vt_parallel_for(s->def.threads, v->set.count, BLOCK, spread_heat, &job);
    vt_arena_pop(&s->arena, mark);
}
