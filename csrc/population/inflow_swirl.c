#include "population/inflow_swirl.h"

#include "sources/fluid_emitter.h"
#include "sources/random_eddies.h"
#include "state/container_frame.h"
#include "state/placed_region.h"
#include "state/predicates.h"
#include "state/simulation.h"

enum { BLOCK = 1024 };

/* An emitter at a time, as it is for all vortons but those that are younger than the substep. */
typedef struct moment {
    double time, swirl;
    vt_pose pose;
    vt_region shape;
} moment;

typedef struct stirring {
    vt_simulation *simulation;
    const vt_fluid_emitter *emitter;
    double lifetime;
    moment now, before;
    double middle[3], reach2; /* m, m^2: a ball that holds the shape */
} stirring;

static moment moment_at(const vt_simulation *s, const vt_fluid_emitter *p, double time)
{
    return (moment){time, vti_parcels_at(p, time).swirl,
                    vti_pose_at(&s->transforms, p->stream.parent, time),
                    vti_region_at(&p->shape, time)};
}

/* Strength that a vorton of a row has of the eddies at a place. */
static void find_strength(const stirring *k, const moment *m, int64_t row, const double world[3],
                          float strength[3])
{
    const vt_vortons *const v = &k->simulation->vortons;
    const int filters = vti_filters_at_birth(k->simulation, (double)v->core[row]);
    double place[3];
    vti_pose_point_back(&m->pose, world, place);
    vti_random_eddies_at(k->emitter->eddies, &m->pose, place, m->time - k->emitter->stream.start,
                         m->swirl, (double)v->volume[row], filters, strength);
}

/* What it is stirred with for the first time it has as the newborn have theirs. */
static void begin_to_swirl(const stirring *k, int64_t row)
{
    const vt_vortons *const v = &k->simulation->vortons;
    if (v->flags[row] & VT_FLAG_NEUTRAL && v->set.used[VT_VORTON_lifetime]) {
        v->lifetime[row] = (float)k->lifetime;
        v->age[row] = 0;
    }
    if (v->flags[row] & VT_FLAG_NEUTRAL)
        v->flags[row] |= VT_FLAG_EMITTED;
    v->flags[row] &= ~(uint32_t)(VT_FLAG_NEUTRAL | VT_FLAG_NEWBORN_VORTEX | VT_FLAG_BOUND_KNOWN);
    v->flags[row] |= VT_FLAG_STIRRED;
    v->bound_volume[row] = v->volume[row];
    v->birth_strength[row] = (float)vti_length_of(v->strength + 3 * row);
}

static void stir_row(const stirring *k, int64_t row, const double world[3])
{
    const vt_simulation *const s = k->simulation;
    const vt_vortons *const v = &s->vortons;
    float now[3], before[3] = {0};
    find_strength(k, &k->now, row, world, now);
    if (v->flags[row] & VT_FLAG_STIRRED) {
        const double age = (double)v->age[row], way = fmin(age, s->last_substep);
        const moment born =
            way < s->last_substep ? moment_at(s, k->emitter, s->time - fmax(way, 0)) : k->before;
        double was[3];
        for (int c = 0; c < 3; c++)
            was[c] = world[c] - way * (double)v->velocity[3 * row + c];
        if (!(way > 0) || !vti_placed_contains(&born.shape, &born.pose, was))
            return;
        find_strength(k, &born, row, was, before);
    }
    for (int c = 0; c < 3; c++)
        v->strength[3 * row + c] += now[c] - before[c];
    v->birth_strength[row] = fmaxf(v->birth_strength[row], (float)vti_length_of(now));
    if (!(v->flags[row] & VT_FLAG_STIRRED))
        begin_to_swirl(k, row);
}

static void stir_block(void *data, int64_t begin, int64_t end)
{
    const stirring *const k = data;
    for (int64_t i = begin; i < end; i++) {
        double world[3];
        vti_widen(k->simulation->vortons.position + 3 * i, world);
        if (vti_square_between(world, k->middle) <= k->reach2 &&
            vti_placed_contains(&k->now.shape, &k->now.pose, world))
            stir_row(k, i, world);
    }
}

static void stir_shape(vt_simulation *s, const vt_fluid_emitter *p)
{
    stirring k = {.simulation = s,
                  .emitter = p,
                  .lifetime = vti_parcels_at(p, s->time).lifetime,
                  .now = moment_at(s, p, s->time),
                  .before = moment_at(s, p, s->time - s->last_substep)};
    if (!(k.now.swirl > 0 || k.before.swirl > 0)) /* what it had before is taken back */
        return;
    vti_find_ball(&k.now.shape, &k.now.pose, k.middle, &k.reach2);
    vti_parallel_for(s->def.threads, s->vortons.set.count, BLOCK, stir_block, &k);
}

/* Where nothing is lifted, fluid that is born piles up: each has its own eddies. */
void vti_stir_inflow(vt_simulation *s)
{
    if (!(s->last_substep > 0) || !vti_is_lifted(s))
        return;
    for (int32_t n = 0; n < s->sources.fluid_emitter_count; n++) {
        const vt_fluid_emitter *const p = &s->sources.parcels[n];
        if (vti_fluid_follows_eddies(p) && s->time >= p->stream.start && s->time < p->stream.end &&
            vti_parcels_at(p, s->time).rate > 0)
            stir_shape(s, p);
    }
}
