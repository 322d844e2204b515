#include "step/substep_length.h"

#include "base/status.h"
#include "bodies/rigid_motion.h"
#include "conservation/fluid_forces.h"
#include "panels/panels.h"
#include "population/diffusion.h"
#include "state/predicates.h"
#include "step/advice.h"
#include "step/blow_up.h"

enum {
    MOST_FOR_PANELS = 8, /* of panels, in one step: contact holds beside faster bodies, too */
    MOST_FOR_WAKES = 24  /* faster ones leave lumps */
};

/* Most of the time that a density contrast needs to fall through a cell, or a force to move fluid
 * at rest through one, in a substep. */
static const double buoyancy_time = 0.45;

/* The velocity gradients beyond which the fastest lie, which hold this share of the squares of all:
 * they may turn as far as `most_turn` times the others, 2 rad by default. A handful of outliers
 * would set the step for all: in a developed fire a thousandth of the squares turns twice as fast
 * as the rest. */
static const double fastest_share = 0.01, most_turn = 1.25;

double vti_fast_gradient(const vt_simulation *s)
{
    const double most = vti_find_largest(&s->extremes).gradient;
    return fmin(fmax(vti_gradient_of_share(&s->extremes, fastest_share), most / most_turn), most);
}

/* How many equal substeps the rest of the step needs, and what for. */
typedef struct need {
    double count;
    vt_substep_limit limit;
} need;

static void raise_need(need *n, double count, vt_substep_limit limit)
{
    if (count > n->count)
        *n = (need){count, limit};
}

/* How many substeps a second a contrast needs that is pulled by so much, m/s^2. With viscosity no
 * wave of it grows faster than .5 (a^2 / viscosity)^(1/3), a half of the pull
 * (n^2 + 2 v k^2 n = a k; Chandrasekhar 1961, section 94, has the exact relation): by as much as a
 * vortex turns is fine. */
static double rate_of_pull(const vt_simulation *s, double pull)
{
    const double falls = sqrt(pull / s->grid.spacing) / buoyancy_time;
    const double viscosity = vti_diffuses(s) ? s->def.viscosity : 0;
    if (!(viscosity > 0))
        return falls;
    const double grows = 0.5 * vti_cbrt(0.25 * pull * pull / viscosity);
    return fmin(falls, grows / s->def.method.turn);
}

/* What a body sheds joins the flow at the end of a substep. Where it would have shed most of what
 * slips by then, as at 30 a second in 1/24 s, that comes late: the impulse that a plate in still
 * air gives in six such substeps falls short by a fifth, in twelve half as long by a tenth. Layers
 * that are shed sooner are no steadier in shorter substeps. */
static const double shed_in_substep = 0.65, usual_shedding = 30;

static double rate_of_shedding(const vt_simulation *s)
{
    double most = 0;
    for (int32_t n = 0; n < s->bodies.count && vti_has_panels(s); n++)
        if (vti_sheds(&s->bodies.items[n]))
            most = fmax(most, vti_shedding_rate(&s->bodies.items[n]));
    return fmin(most, usual_shedding) / shed_in_substep;
}

/* Cores that a body which sheds, or the flow, goes past the other in a substep. Layers of panels
 * that were shed farther apart are lumps: with 1 a ball of three cells that falls gains a sixth of
 * the spin that it has, with .8 a fourteenth (tests/test_rigid.py). */
static const double way_in_substep = 0.8;

/* How many substeps a second that takes. */
static double rate_of_wakes(const vt_simulation *s)
{
    const double speed = vti_wake_speed(s);
    return speed > 0 ? speed / (way_in_substep * s->grid.core) : 0;
}

vt_status vti_choose_substep(vt_simulation *s, const vt_scheme *scheme, const vt_substep *w,
                             double step, double remaining, double *dt)
{
    const double share = (remaining / step) * (1 - 1e-9), most_for_panels = MOST_FOR_PANELS * share;
    const vt_largest most = vti_find_largest(&s->extremes);
    need n = {remaining * vti_fast_gradient(s) / s->def.method.turn, VT_LIMIT_GRADIENT};
    const double push = vti_largest_force(s);
    if (most.pull > 0)
        raise_need(&n, remaining * rate_of_pull(s, most.pull), VT_LIMIT_PULL);
    if (push > 0)
        raise_need(&n, remaining * sqrt(push / s->grid.spacing) / buoyancy_time, VT_LIMIT_FORCE);
    if (vti_has_grid(s)) {
        const double way = (VT_DOMAIN_MARGIN - 2) * s->grid.spacing;
        raise_need(&n, remaining * most.speed * vti_last_fraction(scheme) / way, VT_LIMIT_SPEED);
        const double moved = remaining * vti_panel_speed(s) * vti_last_fraction(scheme) / way;
        const double turned = remaining * vti_panel_gradient(s) / s->def.method.turn;
        raise_need(&n, fmin(fmax(moved, turned), most_for_panels), VT_LIMIT_PANELS);
    }
    raise_need(&n, fmin(remaining * rate_of_shedding(s), most_for_panels), VT_LIMIT_PANELS);
    raise_need(&n, fmin(remaining * rate_of_wakes(s), MOST_FOR_WAKES * share), VT_LIMIT_PANELS);
    const double diffusivity = vti_largest_diffusivity(s);
    if (diffusivity > 0 && s->vorton_spacing > 0)
        raise_need(&n, remaining * diffusivity / vti_diffusion_reach(s), VT_LIMIT_DIFFUSION);
    raise_need(&n, remaining * vti_body_rate(s), VT_LIMIT_TURN);
    const vt_status status = vti_check_ways(s, step);
    if (status)
        return status;
    if (n.limit == VT_LIMIT_DIFFUSION)
        vti_look_at_diffusion(s, n.count * step / remaining, step);
    if (n.count > VT_MOST_SUBSTEPS && n.limit == VT_LIMIT_DIFFUSION)
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "the next %g s would need more than %d substeps: allowed are less viscosity "
            "(%g m^2/s) and thermal diffusivity (%g m^2/s) where vortons are %.3g m "
            "apart, larger cores or a shorter dt",
            remaining, VT_MOST_SUBSTEPS, s->def.viscosity, s->def.thermal_diffusivity,
            s->vorton_spacing);
    if (n.count > VT_MOST_SUBSTEPS)
        return vti_blow_up(s, w, n.limit, remaining);
    if (most.gradient >= VT_NO_EXTREME || most.speed >= VT_NO_EXTREME)
        return vti_blow_up(
            s, w, most.gradient >= VT_NO_EXTREME ? VT_LIMIT_GRADIENT : VT_LIMIT_SPEED, remaining);
    *dt = remaining / fmax(1, ceil(n.count));
    return VT_OK;
}
