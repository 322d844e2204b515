#include "state/predicates.h"

#include "state/force_at_time.h"

int vti_has_article_walls(const vt_simulation *s)
{
    return s->bodies.count > 0 && vti_has_grid(s) && s->def.method.bodies == VT_BODIES_ARTICLE;
}

/* The impulse that planes give the flow is not summed anywhere. Asked before the first field of a
 * copy, too, which has no posed panels yet. */
static int has_plane(const vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (vti_wants_panels(s, n) && s->bodies.items[n].panels->open)
            return 1;
    return 0;
}

int vti_has_sums(const vt_simulation *s)
{
    return s->def.method.balance != VT_BALANCE_NONE && s->winds.grid_count == 0 &&
           !(vti_has_container(&s->bodies) && vti_is_buoyant(s));
}

int vti_knows_forces(const vt_simulation *s)
{
    const vt_method *const m = &s->def.method;
    return m->balance == VT_BALANCE_IMPULSE && m->stretching != VT_STRETCHING_NONE &&
           m->boundary != VT_BOUNDARY_ZERO && !vti_has_container(&s->bodies) && !has_plane(s);
}

int vti_keeps_impulse(const vt_simulation *s)
{
    return vti_has_sums(s) && vti_knows_forces(s) && !(vti_is_buoyant(s) && !vti_has_known_flow(s));
}

int vti_exchanges_heat(const vt_body *body)
{
    return body->heat.temperature > 0 && body->heat.conductance > 0;
}

int vti_wants_fluid_around(const vt_body *body)
{
    return vti_exchanges_heat(body) && !body->hole && isfinite(body->volume);
}

int vti_has_warm_bodies(const vt_simulation *s)
{
    int warm = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        warm |= vti_exchanges_heat(&s->bodies.items[n]);
    return warm;
}

int vti_has_forces_on(const vt_simulation *s, int acts_on)
{
    for (int32_t n = 0; n < s->forces.count; n++)
        if (s->forces.force[n].def.acts_on == acts_on)
            return 1;
    return 0;
}

double vti_core_to_come(const vt_simulation *s)
{
    double least = INFINITY;
    for (int32_t n = 0; n < s->sources.fluid_emitter_count; n++) {
        const vt_fluid_emitter *const p = &s->sources.parcels[n];
        const vt_birth_stream *const stream = &p->stream;
        const vt_pose pose = vti_pose_at(&s->transforms, stream->parent, s->time);
        if (stream->rate > 0 ? stream->end > s->time : stream->start >= s->time)
            least = fmin(least, p->core * pose.scale);
    }
    return least;
}

double vti_core_in_forces(const vt_simulation *s)
{
    double least = INFINITY;
    for (int32_t n = 0; n < s->forces.count; n++) {
        const vt_force *const force = &s->forces.force[n];
        if (force->def.acts_on != VT_FORCE_ON_FLUID || !force->has_region)
            continue;
        const vt_acting_force acting = vti_force_at(s, force, s->time);
        const double core = vti_core_for_force(&acting);
        if (core > 0)
            least = fmin(least, core);
    }
    return least;
}

int vti_has_point_cores(const vt_simulation *s)
{
    return s->def.method.cores == VT_CORES_POINT;
}

double vti_usual_core(const vt_simulation *s)
{
    if (vti_has_point_cores(s))
        return sqrt(vt_point_variance);
    return vti_is_of_fourth_order(s) ? 1 : 1.5;
}

int vti_is_of_fourth_order(const vt_simulation *s)
{
    return s->def.method.order == VT_ORDER_FOURTH && !vti_has_point_cores(s) &&
           s->def.method.poisson == VT_POISSON_DIRECT;
}

/* Whether emitters are there, and nothing else that bears vortons. */
static int are_all_emitted(const vt_simulation *s)
{
    int others = s->vortons.set.count > 0;
    for (int32_t n = 0; n < s->sources.made; n++)
        switch (s->sources.made_by[n]) {
        case VT_SOURCE_REMOVED:
        case VT_SOURCE_TRACERS:
        case VT_SOURCE_TRACER_POINTS:
        case VT_SOURCE_EMITTER:
            break;
        default:
            others = 1;
        }
    return !others && vti_has_emitters(s);
}

int vti_has_emitters(const vt_simulation *s)
{
    int found = 0;
    for (int32_t n = 0; n < s->sources.made; n++)
        found |= s->sources.made_by[n] == VT_SOURCE_EMITTER;
    return found;
}

/* Whether bodies go on shedding layers in lumps that sharp cores see one by one: of panels that are
 * on average larger than a square core. The slip beside such a lump feeds it in turns of opposite
 * sign, until the flow blows up; Gaussian cores smooth lumps of 16 square cores. */
static int sheds_lumps(const vt_simulation *s)
{
    const double core =
        s->def.spacing > 0 ? vti_usual_core(s) * s->def.spacing : vti_core_to_come(s);
    if (!vti_panels_stir(s))
        return 0;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        const double side = vti_sheds(body) ? body->scale * body->panels->side : 0;
        if (side * side > 2 * core * core)
            return 1;
    }
    return 0;
}

static int automatic_cores(const vt_simulation *s)
{
    if (s->cores_are_known)
        return s->automatic_cores;
    return are_all_emitted(s) && !sheds_lumps(s) ? VT_CORES_SHARP : VT_CORES_FILTERED;
}

void vti_settle_cores(vt_simulation *s)
{
    s->automatic_cores = automatic_cores(s);
    s->cores_are_known = 1;
}

int vti_has_sharp_cores(const vt_simulation *s)
{
    const int cores = s->def.method.cores;
    return (cores == VT_CORES_AUTOMATIC ? automatic_cores(s) : cores) == VT_CORES_SHARP;
}

int vti_filters_modes(const vt_simulation *s)
{
    return s->def.method.poisson == VT_POISSON_DIRECT;
}

/* The widest filter of sharp cores, cells: its taps end where a Gaussian has 4 % of its height, or
 * .01 % where modes are filtered. So of waves that a Gaussian leaves the share g, 1 - (1 - g)^n is
 * left, n 8 where cores are a cell wide, 4 up to 1.42, 2 up to 2; node by node 4 up to 1.17 cells,
 * 2 up to 1.66. */
int vti_core_filters(const vt_simulation *s, double cells)
{
    const double widest = vti_filters_modes(s) ? 2.84 : 2.35;
    const double fit = widest * widest / (cells * cells);
    const int most = vti_filters_modes(s) ? VT_MOST_FILTERS : VT_MOST_NEAR_FILTERS;
    return !vti_has_sharp_cores(s) || fit < 2 ? 1 : fit < most ? (int)fit : most;
}

int vti_filters_at_birth(const vt_simulation *s, double core)
{
    const double least = vti_usual_core(s);
    if (!vti_has_grid(s))
        return 1;
    return vti_core_filters(s, s->def.spacing > 0 ? fmax(core / s->def.spacing, least) : least);
}

vt_filter_taps vti_core_filter(const vt_simulation *s, vt_node_values values, double variance,
                               int reach)
{
    const double cells = s->grid.core / s->grid.spacing;
    if (s->grid.fourth)
        return vti_taps_of_fourth_order(cells * vti_sqrt(variance), values, reach);
    return vti_gaussian_taps(
        vti_has_point_cores(s) ? 0 : variance * cells * cells - vt_point_variance, reach);
}

int vti_has_article_impulse(const vt_simulation *s)
{
    return vti_has_article_walls(s);
}

int vti_wants_panels(const vt_simulation *s, int32_t n)
{
    return s->bodies.items[n].panels != NULL && s->def.method.bodies == VT_BODIES_PANELS &&
           vti_has_grid(s);
}

int vti_panels_stir(const vt_simulation *s)
{
    const double *const w = s->def.wind;
    const int blows = w[0] != 0 || w[1] != 0 || w[2] != 0 || s->winds.uniform_count > 0 ||
                      s->winds.grid_count > 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (vti_wants_panels(s, n) && !s->bodies.items[n].panels->open &&
            (blows || s->bodies.items[n].moves || s->bodies.items[n].rigid.placed))
            return 1;
    return 0;
}

int vti_panels_act(const vt_simulation *s, int32_t n)
{
    return vti_wants_panels(s, n) && !s->grid.walled;
}

int vti_has_panels(const vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (vti_panels_act(s, n))
            return 1;
    return 0;
}

double vti_contrast_of(const vt_simulation *s, const vt_fluid *fluid, int64_t row)
{
    const vt_vortons *const v = &s->vortons;
    const float *const x = v->position + 3 * row;
    const float own = v->set.used[VT_VORTON_density] ? v->density[row] : 0;
    if (!v->set.used[VT_VORTON_temperature])
        return (double)fabsf(own);
    return fabs((double)vti_density_deviation(fluid, x, v->temperature[row], own));
}

int vti_may_burn(const vt_simulation *s, int64_t row)
{
    const vt_vortons *const v = &s->vortons;
    const int32_t *const used = v->set.used;
    return (used[VT_VORTON_fuel] && v->fuel[row] > vt_least_share) ||
           (used[VT_VORTON_flame] && v->flame[row] > vt_least_share);
}

int vti_has_contrast(const vt_simulation *s, const vt_fluid *fluid, int64_t row)
{
    const vt_vortons *const v = &s->vortons;
    const int32_t *const used = v->set.used;
    if ((used[VT_VORTON_density] && v->density[row] != 0) || vti_may_burn(s, row))
        return 1;
    if (!used[VT_VORTON_temperature])
        return 0;
    const float ambient = vti_ambient_temperature(fluid, v->position + 3 * row);
    return fabsf(v->temperature[row] - ambient) > (float)VT_LEAST_CONTRAST * ambient;
}

enum { SEARCH_BLOCK = 8192 };

typedef struct search {
    const float *swelling;
    _Atomic int32_t found;
} search;

static void search_block(void *data, int64_t begin, int64_t end)
{
    search *const c = data;
    const float *const swelling = c->swelling;
    int32_t found = 0;
    for (int64_t i = begin; i < end; i++)
        found |= swelling[i] != 0;
    if (found)
        c->found = 1;
}

int vti_has_charges(const vt_simulation *s)
{
    search c = {vti_used_column(&s->vortons.set, VT_VORTON_swelling), 0};
    if (c.swelling)
        vti_parallel_for(s->def.threads, s->vortons.set.count, SEARCH_BLOCK, search_block, &c);
    return c.found;
}

int vti_has_known_flow(const vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (s->bodies.items[n].flow.known)
            return 1;
    return 0;
}

int vti_counts_generation(const vt_simulation *s)
{
    return vti_has_known_flow(s) || s->def.ambient.stratification > 0;
}

int vti_sheds(const vt_body *body)
{
    return body->shedding != 0 && body->panels;
}

/* Of the layer along a body, while the flow passes its radius once, whatever its size and speed
 * are. The wake follows from it. Behind a ball real fluid runs after it at 1.3 to 1.4 of its speed,
 * at most; with a third of this it runs at twice the speed, with three times this nothing rolls up
 * any more and the drag is .02 (tests/test_wakes.py). */
static const double shed_in_passing = 10;

double vti_shedding_rate(const vt_body *body)
{
    return body->shedding < 0 ? shed_in_passing * body->flow.passes : body->shedding;
}

int vti_is_buoyant(const vt_simulation *s)
{
    const int32_t *const used = s->vortons.set.used;
    return (used[VT_VORTON_density] || used[VT_VORTON_temperature]) &&
           s->def.method.velocity == VT_VELOCITY_POISSON &&
           s->def.method.buoyancy != VT_BUOYANCY_NONE;
}
