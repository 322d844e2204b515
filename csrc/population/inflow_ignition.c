#include "population/inflow_ignition.h"

#include "model/fluid_composition.h"
#include "sources/fluid_emitter.h"
#include "state/heat_budget.h"
#include "state/placed_region.h"
#include "state/predicates.h"
#include "state/simulation.h"

enum { BLOCK = 4096 };

typedef struct soaking {
    const vt_simulation *simulation;
    const vt_fluid_emitter *parcels;
    const vt_emitter_def *now; /* what the emitter gives */
    vt_fluid fluid;
    vt_pose pose;
    vt_region shape;          /* as it is now */
    double middle[3], reach2; /* m, m^2: a ball that holds the shape */
    uint8_t *soaked;          /* of each vorton, whether it becomes one of the emitter's */
} soaking;

static double value_in(const vt_set *set, int column, int64_t row)
{
    const float *const values = vti_used_column(set, column);
    return values ? (double)values[row] : 0;
}

/* Whether a vorton is as warm as the ambient fluid; to an emitter without a temperature, which
 * leaves it to each vorton, that is all the same. */
static int is_cold(const soaking *k, int64_t row)
{
    const vt_vortons *const v = &k->simulation->vortons;
    const double ambient = (double)vti_ambient_temperature(&k->fluid, v->position + 3 * row);
    const double warmth = value_in(&v->set, VT_VORTON_temperature, row) - ambient;
    return !(k->now->fluid.temperature > 0) || !v->set.used[VT_VORTON_temperature] ||
           vti_abs(warmth) <= VT_FRESH_SHARE * vti_abs(k->now->fluid.temperature - ambient);
}

/* Whether a vorton is fluid that nothing has happened to. */
static int is_fresh(const soaking *k, int64_t row)
{
    const vt_set *const set = &k->simulation->vortons.set;
    const double burns = value_in(set, VT_VORTON_fuel, row) + value_in(set, VT_VORTON_flame, row) +
                         value_in(set, VT_VORTON_smoke, row);
    return burns <= VT_FRESH_SHARE * k->now->fluid.fuel &&
           vti_abs(value_in(set, VT_VORTON_density, row)) <=
               VT_FRESH_SHARE * vti_abs(k->now->fluid.density) &&
           is_cold(k, row);
}

/* Such a vorton becomes one of the emitter's. */
static void soak(vt_simulation *s, const vt_fluid_emitter *p, const vt_pose *pose,
                 const vt_emitter_def *all, int64_t row)
{
    const vt_set *const set = &s->vortons.set;
    vt_emitter_def fluid = *all, *const now = &fluid;
    double world[3], place[3];
    for (int a = 0; a < 3; a++)
        world[a] = (double)s->vortons.position[3 * row + a];
    vti_pose_point_back(pose, world, place);
    now->fluid.fuel *= vti_share_at_birth(s, p, now, pose, place, s->time);
    vti_count_heat(s, row, 1, NULL, -1);
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++) {
        float *const column = vti_used_column(set, vti_composition_column[c]);
        const float value = (float)*vti_fluid_member(&now->fluid, c);
        if (column && (c != VT_CARRIED_temperature || value > 0))
            column[row] = value;
    }
    if (set->used[VT_VORTON_lifetime])
        s->vortons.lifetime[row] = (float)now->lifetime;
    s->vortons.flags[row] &= ~(uint32_t)(VT_FLAG_NEUTRAL | VT_FLAG_NEWBORN_VORTEX);
    s->vortons.flags[row] |= VT_FLAG_EMITTED;
    s->vortons.age[row] = 0;
    vti_count_heat(s, row, 1, NULL, 1);
}

static void find_ignited(void *data, int64_t begin, int64_t end)
{
    const soaking *const k = data;
    const float *const position = k->simulation->vortons.position;
    for (int64_t i = begin; i < end; i++) {
        const double place[3] = {(double)position[3 * i], (double)position[3 * i + 1],
                                 (double)position[3 * i + 2]};
        k->soaked[i] = (uint8_t)(vti_square_between(place, k->middle) <= k->reach2 &&
                                 is_fresh(k, i) && vti_placed_contains(&k->shape, &k->pose, place));
    }
}

/* The books of heat are sums in the order of the rows: those of one thread. */
static void ignite_shape(vt_simulation *s, const vt_fluid_emitter *p)
{
    const int64_t count = s->vortons.set.count;
    const vt_emitter_def now = vti_parcels_at(p, s->time);
    const size_t mark = vti_arena_mark(&s->arena);
    soaking k = {.simulation = s,
                 .parcels = p,
                 .now = &now,
                 .fluid = vti_fluid_of(&s->def),
                 .pose = vti_pose_at(&s->transforms, p->stream.parent, s->time),
                 .shape = vti_region_at(&p->shape, s->time)};
    if (!(now.fluid.fuel > 0))
        return;
    vti_find_ball(&k.shape, &k.pose, k.middle, &k.reach2);
    k.soaked = vti_arena_push(&s->arena, (size_t)count);
    vti_parallel_for(s->def.threads, count, BLOCK, find_ignited, &k);
    for (int64_t i = 0; i < count; i++)
        if (k.soaked[i])
            soak(s, p, &k.pose, &now, i);
    vti_arena_pop(&s->arena, mark);
}

void vti_ignite_inflow(vt_simulation *s)
{
    for (int32_t n = 0; n < s->sources.fluid_emitter_count; n++) {
        const vt_fluid_emitter *const p = &s->sources.parcels[n];
        const int fills = !p->points && !(p->shape.shape.layer > 0);
        if (fills && p->stream.rate > 0 && s->time >= p->stream.start && s->time < p->stream.end)
            ignite_shape(s, p);
    }
}
