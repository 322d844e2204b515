/* A simulation is stepped, watched while it is, and given another method. */

#include "base/status.h"
#include "step/step.h"
#include "step/switch_method.h"

vt_status vt_set_progress(vt_simulation *s, vt_progress_function *function, void *context)
{
    const vt_status status = vti_enter(s);
    if (status)
        return status;
    s->progress = function;
    s->progress_context = context;
    return vti_leave(s, VT_OK);
}

vt_status vt_step(vt_simulation *s, double dt)
{
    if (!(dt >= 0) || !isfinite(dt))
        return vti_fail(VT_INVALID_ARGUMENT, "dt is %g s; allowed is a finite time >= 0", dt);
    vt_status status = vti_enter(s);
    if (status)
        return status;
    if (s->time + dt > VT_LATEST_TIME)
        status =
            vti_fail(VT_INVALID_ARGUMENT, "dt is %g s; allowed is up to %g s, to the time %g s", dt,
                     VT_LATEST_TIME - s->time, VT_LATEST_TIME);
    else if (dt > 0)
        status = vti_advance(s, dt);
    return vti_leave(s, status);
}

vt_status vt_set_method(vt_simulation *s, const vt_method *method)
{
    return vti_accept_and_use(&vti_method_definition, s, method, vti_switch_method, NULL);
}

vt_status vt_get_method(const vt_simulation *s, vt_method *method)
{
    return vti_hand_out(method, &s->def.method, sizeof s->def.method);
}

vt_status vt_get_blow_up(const vt_simulation *s, vt_blow_up *blow_up)
{
    if (!s || s->blow_up.struct_size == 0)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "simulation %s; allowed is one of which a step has blown up",
                        s ? "has not blown up" : "is NULL");
    return vti_hand_out(blow_up, &s->blow_up, sizeof s->blow_up);
}
