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
    FEW = 16 /* where newborn are not less than this part of all, */
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

/* Whether it is time to look at all. */
static int is_due(const vt_simulation *s)
{
    return s->substeps % VT_POPULATION_EVERY == 0;
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
        const double heat = volume * fabs((double)vt_warmth(v, &job->fluid, i));
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
