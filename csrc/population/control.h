/* Which vortons there are, beside those of the scene: neutral ones where strength diffuses to,
 * halves of those that grew long; and which go: crowded, weak and idle ones. */
#pragma once

#include "population/neutral_particles.h"
#include "state/predicates.h"

/* Adds and removes vortons before a substep, as the method asks; sets s->vorton_spacing. Of the
 * capacity, `reserved` rows are kept free. VT_NOT_FINITE for a bad position or strength;
 * VT_OVER_CAPACITY where the policy refuses what does not fit, VT_OUT_OF_MEMORY: then none of those
 * was born. */
vt_status vti_control_population(vt_simulation *s, int64_t reserved);

/* Where many were born since, a halo around them: buoyancy needs it in the first substep, which may
 * still be undone, so that nothing is removed. Errors as above.
 */
vt_status vti_surround_newborn(vt_simulation *s, int64_t reserved);

/* Before strength or heat spreads by reach2, diffusivity x time, m^2: a halo as wide as that, where
 * the one that is there does not reach; as far as there is room. */
void vti_widen_shell(vt_simulation *s, double reach2, int64_t reserved);

/* Substeps from one look at all to the next, at most. */
enum { VT_POPULATION_EVERY = 8 };

/* Whether vortons of emitters merge, if there are any. */
static inline int vti_merges_emitted(const vt_simulation *s)
{
    return s->def.method.merge_emitted > 0 && vti_has_emitters(s);
}

/* Whether vortons come and go beside those of the scene. */
static inline int vti_controls_population(const vt_simulation *s)
{
    const vt_method *const method = &s->def.method;
    return vti_diffuses(s) || vti_conducts(s) || vti_expands(s) || vti_has_shell(s) ||
           vti_merges_emitted(s) || method->split > 0 || method->merge > 0 || method->prune > 0;
}
