#include "step/rounding.h"

#include "base/math_double.h"
#include "base/random.h"
#include "state/predicates.h"

/* Parts of core / rounding. Finer for vortons, from which the flow follows: on an eighth of the
 * lattice of tracers a run differs by a thousandth of its way from one that is turned by 90 degrees
 * (tests/test_rotation.py), and a step moves the sum of impulses by 1.5e-4 of it. */
static const double vorton_part = 1.0 / 64, velocity_part = 1.0 / 4;

/* What the chances of a step are taken from, for each that rounds. */
enum { FOR_VORTONS, FOR_TRACERS, FOR_SHARES };

static uint32_t key_of(const vt_simulation *s, uint64_t purpose)
{
    const uint64_t rounding = 0x726f756e64;
    return (uint32_t)vti_random_bits(s->def.seed ^ rounding, purpose, (uint64_t)s->steps);
}

static int rounds(const vt_simulation *s)
{
    return s->def.method.rounding > 0 && s->fields_exist && vti_has_grid(s);
}

static void round_positions(vt_simulation *s, const vt_set *set, const int64_t *id, double size,
                            uint64_t purpose, float *position)
{
    s->stages->round_rows(set->count, 3, id, key_of(s, purpose), vti_power_below(size), position,
                          s->def.threads);
}

void vti_round_vortons(vt_simulation *s)
{
    const vt_vortons *const v = &s->vortons;
    if (rounds(s))
        round_positions(s, &v->set, v->id, vorton_part * s->grid.core / s->def.method.rounding,
                        FOR_VORTONS, v->position);
}

void vti_round_tracers(vt_simulation *s)
{
    const vt_tracers *const t = &s->tracers;
    if (rounds(s))
        round_positions(s, &t->set, t->id, s->grid.core / s->def.method.rounding, FOR_TRACERS,
                        t->position);
}

void vti_round_velocities(vt_simulation *s)
{
    if (rounds(s) && !vti_accelerations(s))
        s->stages->round_vectors(s->vortons.set.count,
                                 vti_power_below(velocity_part / s->def.method.rounding),
                                 s->vortons.velocity, s->def.threads);
}

void vti_round_tracer_shares(vt_simulation *s)
{
    const vt_set *const set = &s->tracers.set;
    float *const column[3] = {vti_used_column(set, VT_TRACER_fuel),
                              vti_used_column(set, VT_TRACER_flame),
                              vti_used_column(set, VT_TRACER_smoke)};
    if (rounds(s) && vti_tracers_burn(s))
        s->stages->round_shares(set->count, s->tracers.id, key_of(s, FOR_SHARES),
                                vti_power_below(1.0 / s->def.method.rounding), column,
                                s->def.threads);
}
