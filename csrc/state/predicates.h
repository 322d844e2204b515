/* Questions to the method, the fluid and the bodies, of a few lines each. */
#pragma once

#include "kernels/grid/filter_taps.h"
#include "state/simulation.h"

/* Whether vortons beside bodies take their vorticity from them. */
int vti_has_article_walls(const vt_simulation *s);

/* Whether the sum of the strengths is to be kept: not where winds are given on grids, whose fluid
 * turns, nor where fluid that differs in density fills a container, where vortex lines end at walls
 * and the sum changes. */
int vti_has_sums(const vt_simulation *s);

/* Whether impulse is to be kept, as far as forces go: all forces on the vortons are known. Not in
 * containers and beside planes, whose forces nobody sums, nor without stretching or the potential
 * at the boundary, when the method itself does not keep impulse. */
int vti_knows_forces(const vt_simulation *s);

/* Whether nothing but bodies and gravity gives impulse to vortons, and the method keeps it. */
int vti_keeps_impulse(const vt_simulation *s);

/* Whether the panels of a body shed. */
int vti_sheds(const vt_body *body);

/* Share per second of its layer that a body sheds. */
double vti_shedding_rate(const vt_body *body);

int vti_exchanges_heat(const vt_body *body);

/* Whether a body is a solid of finite size that exchanges heat: ambient fluid is kept around it. */
int vti_wants_fluid_around(const vt_body *body);

/* Whether any body exchanges heat. */
int vti_has_warm_bodies(const vt_simulation *s);

/* The smallest core that suits a force on the fluid, m, or infinity. */
double vti_core_in_forces(const vt_simulation *s);

/* Smallest core of the fluid that emitters will give, m, or infinity: what a body sheds, or has
 * born around it, before that should not make the grid finer than the scene asks for. */
double vti_core_to_come(const vt_simulation *s);

/* Whether the volumes would follow temperatures. */
static inline int vti_may_expand(const vt_simulation *s)
{
    return s->def.method.expansion > 0 && s->def.method.velocity == VT_VELOCITY_POISSON;
}

/* Whether the volumes follow the temperatures. */
static inline int vti_expands(const vt_simulation *s)
{
    return vti_may_expand(s) && s->vortons.set.used[VT_VORTON_temperature];
}

/* The temperature at which a vorton has its volume, K. */
static inline float vti_volume_temperature(const vt_vortons *v, int64_t row)
{
    const float *const noted = vti_used_column(&v->set, VT_VORTON_volume_temperature);
    const float *const now = vti_used_column(&v->set, VT_VORTON_temperature);
    return noted && noted[row] > 0 ? noted[row] : now ? now[row] : 1;
}

/* The cores that deposit, stencils and sampling make by themselves: their variance, cells^2 (the
 * value at which the velocity of clouds is nearest to the direct sum). */
static const double vt_point_variance = 0.44;

int vti_has_point_cores(const vt_simulation *s);

/* The core that the grid gives at its default spacing, in cells: the velocity of waves of four
 * cores is then wrong by .5 % at vortons, of second order by 1.1 %. */
double vti_usual_core(const vt_simulation *s);

/* Whether the grid works to fourth order (vt_grid.fourth). */
int vti_is_of_fourth_order(const vt_simulation *s);

/* Whether there are emitters, those of points left out. */
int vti_has_emitters(const vt_simulation *s);

/* Automatic cores are as the scene is when it is first stepped, and stay so. */
void vti_settle_cores(vt_simulation *s);

/* Whether the filter of the cores works on modes, not node by node. */
int vti_filters_modes(const vt_simulation *s);

/* Whether cores are sharp, by the method or, where it leaves that open, by the scene. */
int vti_has_sharp_cores(const vt_simulation *s);

/* Of how many Gaussians a core of so many cells is made on the grid: 1, or up to VT_MOST_FILTERS
 * where cores are sharp. */
int vti_core_filters(const vt_simulation *s, double cells);

/* The same of one that is born with that radius, m, whose cells are as wide, or as was given. */
int vti_filters_at_birth(const vt_simulation *s, double core);

/* The filter that makes Gaussian cores of s->grid.core x sqrt(variance); of second order it is the
 * same for all values. */
vt_filter_taps vti_core_filter(const vt_simulation *s, vt_node_values values, double variance,
                               int reach);

/* The column of accelerations where the method needs it, else NULL: viewed, it is then 0. */
static inline float *vti_accelerations(const vt_simulation *s)
{
    return s->def.method.buoyancy == VT_BUOYANCY_FULL ? s->vortons.acceleration : NULL;
}

/* Whether the velocity comes from a grid: else from sums over the vortons. */
static inline int vti_has_grid(const vt_simulation *s)
{
    return s->def.method.velocity == VT_VELOCITY_POISSON;
}

/* Whether something may burn. */
static inline int vti_burns(const vt_simulation *s)
{
    return s->def.combustion.law != VT_BURN_NONE;
}

/* Heat capacity of the fluid, J/(kg K): where something may burn that of the law of combustion,
 * else of air or water. */
static inline double vti_heat_capacity(const vt_simulation *s)
{
    const double capacity[] = {[VT_GAS] = 1005, [VT_LIQUID] = 4182};
    return vti_burns(s) ? s->def.combustion.heat_capacity : capacity[s->def.ambient.kind];
}

/* Whether bodies are moved by that. */
int vti_has_article_impulse(const vt_simulation *s);

/* Whether the flow sees body number n: by its panels or, of a room (field/room.h), by the walls of
 * the grid. */
int vti_wants_panels(const vt_simulation *s, int32_t n);

/* Whether bodies would move fluid that carries nothing: with wind, or where they move. */
int vti_panels_stir(const vt_simulation *s);

/* Whether body number n has panels that act. */
int vti_panels_act(const vt_simulation *s, int32_t n);

/* Whether any body has panels that act. */
int vti_has_panels(const vt_simulation *s);

/* Of fuel and flame, from which on they may make heat, and of smoke. */
static const float vt_least_share = 1e-5f;

/* Rounding: what differs by less, as a share of the temperature or the density, does not differ. */
#define VT_LEAST_CONTRAST 1e-5

/* |rho'| of a vorton, kg/m^3: fluid is that of s->def. */
double vti_contrast_of(const vt_simulation *s, const vt_fluid *fluid, int64_t row);

/* How much warmer a vorton is than the ambient fluid beside it, K. */
static inline float vti_warmth(const vt_vortons *v, const vt_fluid *fluid, int64_t row)
{
    return v->temperature[row] - vti_ambient_temperature(fluid, v->position + 3 * row);
}

/* Whether a vorton has fuel or flame. */
int vti_may_burn(const vt_simulation *s, int64_t row);

/* Whether the fluid of a vorton is lighter or heavier than the ambient fluid beside it, or burns
 * and soon will be: such vortons are kept, however weak. fluid is that of s->def. */
int vti_has_contrast(const vt_simulation *s, const vt_fluid *fluid, int64_t row);

/* Whether strength diffuses. */
static inline int vti_diffuses(const vt_simulation *s)
{
    return s->def.viscosity > 0 && s->def.method.diffusion != VT_DIFFUSION_NONE;
}

/* Whether heat diffuses. */
static inline int vti_conducts(const vt_simulation *s)
{
    return s->def.thermal_diffusivity > 0 && s->def.method.diffusion != VT_DIFFUSION_NONE &&
           s->vortons.set.used[VT_VORTON_temperature];
}

/* Whether strength and heat go from vorton to vorton whatever it takes, by substeps as short as
 * that needs. */
static inline int vti_diffuses_by_exchange(const vt_simulation *s)
{
    const int kind = s->def.method.diffusion;
    return kind == VT_DIFFUSION_PSE || kind == VT_DIFFUSION_EXCHANGE;
}

/* Whether cleaning may act: the divergence of the vorticity is known at the vortons. Sums over WL
 * or ball cores as far apart as they are wide leave an error of it there that lies along each
 * strength: a plain ring lost half its impulse in a second to it. */
static inline int vti_cleans(const vt_simulation *s)
{
    return vti_has_grid(s) || s->def.method.kernel == VT_KERNEL_GAUSSIAN;
}

/* Whether vortons carry density or temperature, which make vorticity on the grid. */
int vti_is_buoyant(const vt_simulation *simulation);

/* Whether any force field acts on tracers, or on the fluid. */
int vti_has_forces_on(const vt_simulation *s, int acts_on);

/* Whether neutral vortons are kept around others. */
static inline int vti_has_shell(const vt_simulation *s)
{
    return s->def.method.halo > 0 &&
           (vti_diffuses(s) || vti_conducts(s) || vti_is_buoyant(s) || vti_has_warm_bodies(s) ||
            vti_has_forces_on(s, VT_FORCE_ON_FLUID));
}

/* Whether any vorton is a charge. */
int vti_has_charges(const vt_simulation *s);

/* Whether there are bodies whose flow is known: without them there are no books. */
int vti_has_known_flow(const vt_simulation *s);

/* Whether the impulse that buoyancy gives is taken as that of the vorticity which it generates, and
 * not as weight: beside bodies whose flow is known, in whose place fluid has none, and in
 * stratified fluid, where vortons at the edge of others weigh something, too, but have fluid
 * without vortons on their far side, which no node knows of. */
int vti_counts_generation(const vt_simulation *s);

/* Whether such an emitter may be among the sources. */
static inline int vti_inflow_may_ignite(const vt_simulation *s)
{
    return s->sources.fluid_emitter_count > 0;
}

/* Whether tracers burn by themselves. */
static inline int vti_tracers_burn(const vt_simulation *s)
{
    return vti_burns(s) && s->def.method.flames == VT_FLAMES_OWN;
}
