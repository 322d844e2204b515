#include "api/body_ids.h"

#include "base/growing_array.h"
#include "base/status.h"
#include "conservation/vortex_shedding.h"
#include "state/simulation.h"

int32_t vt_body_count(const vt_simulation *s)
{
    return s->bodies.count;
}

vt_status vt_get_body_id(const vt_simulation *s, int32_t index, int32_t *id)
{
    if (index < 0 || index >= s->bodies.count || !id)
        return vti_fail(VT_INVALID_ARGUMENT, "index is %d; allowed are 0 to %d, and an id", index,
                        s->bodies.count - 1);
    *id = s->bodies.items[index].id;
    return VT_OK;
}

vt_status vti_find_body(const vt_simulation *s, int32_t id, int32_t *index)
{
    for (*index = 0; *index < s->bodies.count; ++*index)
        if (s->bodies.items[*index].id == id)
            return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "id is %d; allowed are ids of bodies that were added and not removed: there are "
        "%d",
        id, s->bodies.count);
}

/* ---- removing ---- */

/* What is known of the container that carried the fluid, by its number among the bodies. */
static void forget_carrier(vt_carrying *carried, int32_t index)
{
    if (carried->by == index + 1)
        *carried = (vt_carrying){.by = 0};
    else if (carried->by > index + 1)
        carried->by--;
}

/* All that holds the bodies by their numbers or addresses is made anew when it is needed next. */
static void remove_at(vt_simulation *s, int32_t index)
{
    vti_forget_shedding(s, index);
    forget_carrier(&s->carried, index);
    vti_destroy_body(&s->bodies.items[index]);
    vti_close_gap(s->bodies.items, index, &s->bodies.count, sizeof *s->bodies.items);
    s->kept_lattice.count = 0;
    s->panels.exist = s->panels.body_count = 0;
    s->populated_id = 0; /* neutral vortons are looked after at once */
    s->fields_current = s->fields_exist = 0;
}

vt_status vt_remove_body(vt_simulation *s, int32_t id)
{
    int32_t index;
    if (!s)
        return vti_fail(VT_INVALID_ARGUMENT, "simulation must not be NULL");
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = vti_find_body(s, id, &index);
    if (!status)
        remove_at(s, index);
    vti_leave(s);
    return status;
}
