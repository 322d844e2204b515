#include "state/force_field.h"

#include "base/growing_array.h"
#include "base/memory.h"
#include "base/status.h"
#include "geometry/region_points.h"
#include "state/wind.h"

void vti_destroy_force(vt_force *force)
{
    vti_destroy_animations(&force->animations);
    vti_free(force->eddies);
    vti_destroy_wind_grid(&force->grid);
    vti_destroy_region(&force->region);
}

void vti_destroy_forces(vt_forces *forces)
{
    for (int32_t n = 0; n < forces->count; n++)
        vti_destroy_force(&forces->force[n]);
    vti_free(forces->force);
    *forces = (vt_forces){0};
}

/* ---- adding ---- */

/* `to` has the plain values of `from` already; on failure there is nothing to destroy. */
static vt_status copy_force(const vt_force *from, vt_force *to)
{
    to->region = (vt_region){0};
    to->eddies = vti_copy_of(from->eddies, sizeof *from->eddies);
    to->grid.values = NULL;
    vt_status status = vti_copy_animations(&vti_force_definition, from->animations.count,
                                           from->animations.items, &to->animations);
    if (!status && vti_copy_region(&from->region, &to->region))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for the copy of a shape");
    if (!status && !to->eddies != !from->eddies)
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for the copy of eddies");
    if (!status && from->grid.values)
        status = vti_copy_wind_grid("force", &from->grid, &to->grid);
    if (status)
        vti_destroy_force(to);
    return status;
}

/* What owns memory in it is copied above: whoever adds a member looks there, too. */
_Static_assert(sizeof(vt_force) == sizeof(vt_force_def) + sizeof(vt_animations) +
                                       sizeof(vt_region) + 8 + sizeof(double) + sizeof(void *) +
                                       sizeof(vt_wind_grid),
               "copy_force copies every member");

vt_status vti_copy_forces(const vt_forces *from, vt_forces *to)
{
    vt_status status = VT_OK;
    *to = (vt_forces){.made = from->made,
                      .force = vti_copy_grown(from->force, from->count, sizeof *from->force)};
    if (!to->force)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d forces", from->count);
    for (int32_t n = 0; n < from->count && !status; n++) {
        status = copy_force(&from->force[n], &to->force[n]);
        to->count = n + !status;
    }
    return status;
}
