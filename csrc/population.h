/* Which vortons there are, beside those of the scene: neutral ones where strength diffuses to,
 * halves of those that grew long; and which go: crowded, weak and idle ones. */
#ifndef VORTON_POPULATION_H
#define VORTON_POPULATION_H

#include "body_heat.h"
#include "expand.h"
#include "state/ambient.h"
#include "state/simulation.h"

/* The vortons as a population, weighted by their strength; where they have none and heat diffuses,
 * by the heat that they carry. */
typedef struct vt_population {
    double strength; /* sum of |alpha|, m^3/s */
    double spacing;  /* cube root of their mean volume, m; 0 where nothing is carried */
    /* of those alone that a halo is looked after for now; else 0 */
    double vorticity; /* mean |alpha| / volume, 1/s */
    double contrast;  /* mean |rho'| weighted by volume x |rho'|, kg/m^3 */
} vt_population;

/* Sums over fixed blocks: the same bits for any number of threads. */
void vt_measure_population(vt_simulation *s, vt_population *population);

/* Adds and removes vortons before a substep, as the method asks; sets s->vorton_spacing. Of the
 * capacity, `reserved` rows are kept free. VT_NOT_FINITE for a bad position or strength;
 * VT_OVER_CAPACITY where the policy refuses what does not fit, VT_OUT_OF_MEMORY: then none of those
 * was born. */
vt_status vt_control_population(vt_simulation *s, int64_t reserved);

/* Where many were born since, a halo around them: buoyancy needs it in the first substep, which may
 * still be undone, so that nothing is removed. Errors as above.
 */
vt_status vt_surround_newborn(vt_simulation *s, int64_t reserved);

/* Keeps `method.halo` spacings full of neutral vortons around those that carry strength, where that
 * diffuses, around those that differ in density from the ambient fluid, and around bodies that
 * exchange heat; where `removes`, removes the neutral ones that nobody needs any more. */
vt_status vt_keep_halo(vt_simulation *s, const vt_population *population, int64_t reserved,
                       int removes);

/* Halves the vortons whose strength has grown to method.split times that of their birth, and those
 * that expanded until the grid sees gaps between them. Room and errors as above. */
vt_status vt_split_vortons(vt_simulation *s, int64_t reserved);

/* In each cell as wide as the finest cores with more than method.merge vortons, merges the weakest
 * with the nearest of the same cell with which it does not stand for too much fluid. */
void vt_merge_vortons(vt_simulation *s);

/* Removes the rows where mask is not 0. What each carries goes to those that stay within `reach`
 * (m, > 0) of it, in shares that keep its strength and, where they lie around it, its impulse; rows
 * without such neighbours stay, and their mask becomes 0. */
void vt_hand_over(vt_simulation *s, double reach, uint8_t *mask);

/* Rounding: what differs by less, as a share of the temperature or the density, does not differ. */
#define VT_LEAST_CONTRAST 1e-5

/* |rho'| of a vorton, kg/m^3: fluid is that of s->def. */
double vt_contrast_of(const vt_simulation *s, const vt_fluid *fluid, int64_t row);

/* Substeps from one look at all to the next, at most. */
enum { VT_POPULATION_EVERY = 8 };

/* How much warmer a vorton is than the ambient fluid beside it, K. */
static inline float vt_warmth(const vt_vortons *v, const vt_fluid *fluid, int64_t row)
{
    return v->temperature[row] - vt_ambient_temperature(fluid, v->position + 3 * row);
}

/* Whether a vorton has fuel or flame. */
int vt_may_burn(const vt_simulation *s, int64_t row);

/* Whether the fluid of a vorton is lighter or heavier than the ambient fluid beside it, or burns
 * and soon will be: such vortons are kept, however weak. fluid is that of s->def. */
int vt_has_contrast(const vt_simulation *s, const vt_fluid *fluid, int64_t row);

/* Whether strength diffuses. */
static inline int vt_diffuses(const vt_simulation *s)
{
    return s->def.viscosity > 0 && s->def.method.diffusion != VT_DIFFUSION_NONE;
}

/* Whether heat diffuses. */
static inline int vt_conducts(const vt_simulation *s)
{
    return s->def.thermal_diffusivity > 0 && s->def.method.diffusion != VT_DIFFUSION_NONE &&
           s->vortons.set.used[VT_VORTON_temperature];
}

/* Whether neutral vortons are kept around others. */
static inline int vt_has_halo(const vt_simulation *s)
{
    return s->def.method.halo > 0 &&
           (vt_diffuses(s) || vt_conducts(s) || vt_is_buoyant(s) || vt_has_warm_bodies(s));
}

/* Whether vortons come and go beside those of the scene. */
static inline int vt_controls_population(const vt_simulation *s)
{
    const vt_method *const method = &s->def.method;
    return vt_diffuses(s) || vt_conducts(s) || vt_expands(s) || vt_has_halo(s) ||
           method->split > 0 || method->merge > 0 || method->prune > 0;
}

#endif
