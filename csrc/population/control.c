#include "population/control.h"

#include "base/block_sums.h"
#include "field/extent.h"
#include "field/solve.h"
#include "population/kept_sums.h"
#include "population/redistribute.h"
#include "population/split_merge.h"
#include "state/force_at_time.h"
#include "state/container_frame.h"
#include "state/wind_at_time.h"

enum {
    BLOCK = 2048,
    FEW = 16 /* where newborn are not less than this part of all, */
};

/* or where this has passed of largest velocity gradient x time: after .4 a plume would lose 2 % of
 * its impulse. */
static const double most_strain = 0.25;

/* ---- the population ---- */

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

/* How many forces act on the fluid in a shape of their own. */
static int32_t count_acting(const vt_simulation *s)
{
    int32_t count = 0;
    for (int32_t n = 0; n < s->forces.count; n++) {
        const vt_force *const force = &s->forces.force[n];
        if (force->def.acts_on != VT_FORCE_ON_FLUID || !force->has_region)
            continue;
        const vt_acting_force acting = vti_force_at(s, force, s->time);
        count += vti_does_act(&acting);
    }
    return count;
}

/* Whether a force has begun to act since then, or moved or grown by more than a cell in the air,
 * which has gone its way (m) with the winds. */
static int has_moved(const vt_simulation *s, const vt_force *force, const double way[3])
{
    const vt_acting_force now = vti_force_at(s, force, s->time);
    const vt_acting_force then = vti_force_at(s, force, s->populated_at);
    double low[2][3], high[2][3];
    int moved = vti_does_act(&now) && !vti_does_act(&then);
    vti_acting_box(&now, low[0], high[0]);
    vti_acting_box(&then, low[1], high[1]);
    for (int a = 0; a < 3; a++)
        moved |= fmax(fabs(low[0][a] - low[1][a] - way[a]),
                      fabs(high[0][a] - high[1][a] - way[a])) > vti_grid_spacing(s);
    return moved;
}

static int forces_have_moved(const vt_simulation *s)
{
    double way[3];
    vti_integrate_winds(s, s->populated_at, s->time, way);
    for (int32_t n = 0; n < s->forces.count; n++) {
        const vt_force *const force = &s->forces.force[n];
        if (force->def.acts_on == VT_FORCE_ON_FLUID && force->has_region &&
            has_moved(s, force, way))
            return 1;
    }
    return 0;
}

/* Whether diffusion, births or the flow may have brought vortons to where they lack others, or
 * forces act where there are none. */
static int lacks_shell(const vt_simulation *s)
{
    return is_due(s) || s->strained > most_strain || are_many_new(s) ||
           count_acting(s) != s->forces_filled || forces_have_moved(s);
}

/* Diffusivity x time that the shell bears before it is looked after, over the square of its width:
 * as much as eight substeps of particle strength exchange. */
static const double least_room = 0.17;

/* How far strength and heat go, over the rms way along an axis: what goes farther stays on this
 * side. */
static const double spreads_to = 2.2;

/* V |T'|, and that times V. */
typedef struct sum_job {
    const vt_simulation *simulation;
    vt_fluid fluid;
} sum_job;

static void sum_heat(void *data, int64_t begin, int64_t end, double *sum)
{
    const sum_job *const job = data;
    const vt_vortons *const v = &job->simulation->vortons;
    for (int64_t i = begin; i < end; i++) {
        const double volume = (double)v->volume[i];
        const double heat = volume * fabs((double)vti_warmth(v, &job->fluid, i));
        sum[0] += heat;
        sum[1] += heat * volume;
    }
}

static void sum_all_heat(vt_simulation *s, double all[2])
{
    sum_job job = {.simulation = s, .fluid = vti_fluid_of(&s->def)};
    vti_sum_blocks(&s->arena, s->def.threads, s->vortons.set.count, BLOCK, sum_heat, &job, 2, all);
}

static void sum_content(vt_simulation *s, double all[VT_CONTENT_SUMS])
{
    const int64_t count = s->vortons.set.count;
    const int64_t blocks = (count + VT_CONTENT_BLOCK - 1) / VT_CONTENT_BLOCK;
    const vt_content_rows rows = vti_content_rows(&s->vortons);
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const size_t mark = vti_arena_mark(&s->arena);
    double *const sum = vti_arena_push(&s->arena, sizeof *sum * (size_t)(blocks * VT_CONTENT_SUMS));
    s->stages->sum_content(count, &rows, &fluid, sum, s->def.threads);
    memset(all, 0, sizeof *all * VT_CONTENT_SUMS);
    for (int64_t n = 0; n < blocks; n++)
        for (int t = 0; t < VT_CONTENT_SUMS; t++)
            all[t] += sum[n * VT_CONTENT_SUMS + t];
    vti_arena_pop(&s->arena, mark);
}

/* The second sum over the first; 0 where there is nothing. */
static double mean_of(const double all[2])
{
    return all[0] > 0 ? all[1] / all[0] : 0;
}

/* `halo`: whether it is looked after now. */
static void measure(vt_simulation *s, int halo, vt_population *population)
{
    double all[VT_CONTENT_SUMS], weighed[2];
    sum_content(s, all);
    *population = (vt_population){.strength = all[0]};
    memcpy(weighed, all, sizeof weighed);
    if (halo && all[0] > 0)
        population->vorticity = all[2] / all[0];
    if (!(all[0] > 0) && vti_conducts(s))
        sum_all_heat(s, weighed);
    population->spacing = vti_cbrt(mean_of(weighed));
    if (halo && (vti_is_buoyant(s) || vti_conducts(s)))
        population->contrast = mean_of(all + 3);
}

/* Sums over fixed blocks: the same bits for any number of threads. */
static void measure_population(vt_simulation *s, vt_population *population)
{
    measure(s, vti_has_shell(s) && lacks_shell(s), population);
}

/* ---- control ---- */

/* Weak vortons hand on what they have; the neutral ones of diffusion have a rule of their own. */
static void prune(vt_simulation *s, double spacing)
{
    const vt_vortons *const v = &s->vortons;
    const size_t mark = vti_arena_mark(&s->arena);
    uint8_t *const mask = vti_arena_push(&s->arena, (size_t)v->set.count);
    double *const square = vti_arena_push(&s->arena, sizeof *square * (size_t)v->set.count);
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < v->set.count; i++) {
        square[i] = 0;
        for (int c = 0; c < 3; c++)
            square[i] += (double)v->strength[3 * i + c] * (double)v->strength[3 * i + c];
        if (v->flags[i] & VT_FLAG_NEUTRAL) {
            square[i] = INFINITY;
        } else {
            sum += square[i];
            count++;
        }
    }
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const double least = s->def.method.prune * s->def.method.prune * sum / (double)count;
    const float *const smoke = vti_used_column(&v->set, VT_VORTON_smoke);
    for (int64_t i = 0; i < v->set.count; i++)
        mask[i] = square[i] < least && !vti_has_contrast(s, &fluid, i) &&
                  !(smoke && smoke[i] > vt_least_share);
    vti_redistribute(s, 2 * spacing, mask);
    vti_arena_pop(&s->arena, mark);
}

/* Fewer vortons, with the same strength and impulse. */
static void merge_and_prune(vt_simulation *s, const vt_extent *content, double spacing)
{
    const int64_t count = s->vortons.set.count;
    vt_balance balance;
    vti_open_sums(s, content, &balance);
    const vt_method *const method = &s->def.method;
    if (vti_merges_emitted(s)) {
        vti_merge_vortons(s, VT_FLAG_EMITTED, method->merge_emitted);
        vti_merge_vortons(s, VT_FLAG_NEUTRAL, method->merge_emitted);
    }
    if (method->merge > 0)
        vti_merge_vortons(s, 0, method->merge);
    if (method->prune > 0)
        prune(s, spacing);
    if (s->vortons.set.count < count)
        vti_close_sums(s, &balance);
}

static vt_status split_and_merge(vt_simulation *s, const vt_extent *content,
                                 vt_population *population, int64_t reserved)
{
    const vt_method *const method = &s->def.method;
    vt_status status = VT_OK;
    const int splits = method->split > 0 || vti_expands(s);
    const int thins = vti_merges_emitted(s) || method->merge > 0 || method->prune > 0;
    if (!(splits || thins))
        return VT_OK;
    if (splits)
        status = vti_split_vortons(s, reserved);
    if (!status && thins)
        merge_and_prune(s, content, population->spacing);
    measure_population(s, population);
    return status;
}

/* Whether anything needs neutral vortons around it. */
static int wants_shell(const vt_simulation *s, const vt_population *population)
{
    return vti_has_shell(s) && (population->spacing > 0 || vti_has_warm_bodies(s) ||
                                vti_has_forces_on(s, VT_FORCE_ON_FLUID) ||
                                (population->contrast > 0 && vti_is_lifted(s)));
}

/* The shell as wide as the last long spread wanted it. */
static int32_t shell_width(const vt_simulation *s)
{
    return s->shell_width > s->def.method.halo ? s->shell_width : s->def.method.halo;
}

static vt_status renew_shell(vt_simulation *s, const vt_population *population, int64_t reserved,
                             int removes)
{
    const vt_shell_wish wish = {
        .reserved = reserved, .width = s->def.method.halo, .kept = removes ? shell_width(s) : 0};
    const vt_status status = vti_keep_shell(s, population, &wish);
    if (status)
        return status;
    s->diffused = 0;
    s->populated_id = s->next_id[VT_VORTONS];
    s->strained = 0;
    s->populated_at = s->time;
    s->forces_filled = count_acting(s);
    return VT_OK;
}

vt_status vti_control_population(vt_simulation *s, int64_t reserved)
{
    vt_extent content;
    vt_population population;
    vt_status status = vti_find_extent(s, NULL, &content);
    if (status || !(content.exists || vti_is_buoyant(s) || vti_conducts(s) || vti_expands(s) ||
                    vti_has_warm_bodies(s) || vti_has_forces_on(s, VT_FORCE_ON_FLUID)))
        return status;
    measure_population(s, &population);
    const int carried = population.spacing > 0;
    const int halo = wants_shell(s, &population) && lacks_shell(s);
    if (is_due(s) && carried)
        status = split_and_merge(s, &content, &population, reserved);
    else if (is_due(s) && vti_expands(s))
        status = vti_split_vortons(s, reserved);
    if (!status && halo)
        status = renew_shell(s, &population, reserved, 1);
    s->vorton_spacing = carried ? vti_lattice_spacing(s, &population) : 0;
    return status;
}

vt_status vti_surround_newborn(vt_simulation *s, int64_t reserved)
{
    vt_population population;
    if (!vti_has_shell(s) || !are_many_new(s))
        return VT_OK;
    measure_population(s, &population);
    return wants_shell(s, &population) ? renew_shell(s, &population, reserved, 0) : VT_OK;
}

/* Nodes of the shell that a spread by reach2 wants. */
static int32_t width_for(const vt_simulation *s, double reach2)
{
    const double nodes = 1 + spreads_to * sqrt(2 * reach2) / s->vorton_spacing;
    return (int32_t)fmax(fmin(nodes, VT_WIDEST_SHELL), s->def.method.halo);
}

void vti_widen_shell(vt_simulation *s, double reach2, int64_t reserved)
{
    const double way = s->vorton_spacing * shell_width(s);
    vt_population population;
    if (!vti_has_shell(s))
        return;
    s->diffused += reach2;
    s->shell_width = width_for(s, reach2);
    if (s->diffused <= least_room * way * way)
        return;
    const vt_shell_wish wish = {.reserved = reserved, .width = s->shell_width, .yields = 1};
    measure(s, 1, &population);
    if (wants_shell(s, &population) && !vti_keep_shell(s, &population, &wish))
        s->diffused = reach2;
}
