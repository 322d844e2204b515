#include "state/kill.h"

#include "base/growing_array.h"
#include "base/memory.h"
#include "base/status.h"
#include "geometry/region_points.h"

void vti_destroy_kill(vt_kill *kill)
{
    vti_destroy_animations(&kill->animations);
    vti_destroy_region(&kill->region);
}

void vti_destroy_kills(vt_kills *kills)
{
    for (int32_t n = 0; n < kills->count; n++)
        vti_destroy_kill(&kills->kill[n]);
    vti_free(kills->kill);
    *kills = (vt_kills){0};
}

vt_status vti_copy_kills(const vt_kills *from, vt_kills *to)
{
    *to = (vt_kills){.made = from->made,
                     .kill = vti_copy_grown(from->kill, from->count, sizeof *from->kill)};
    if (!to->kill)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d kills", from->count);
    for (int32_t n = 0; n < from->count; n++) {
        const vt_kill *const kill = &from->kill[n];
        const vt_status status =
            vti_copy_animations(&vti_kill_definition, kill->animations.count,
                                kill->animations.items, &to->kill[n].animations);
        if (status)
            return status;
        if (vti_copy_region(&kill->region, &to->kill[n].region)) {
            vti_destroy_animations(&to->kill[n].animations);
            return vti_fail(VT_OUT_OF_MEMORY, "no memory for the copy of a shape");
        }
        to->count = n + 1;
    }
    return VT_OK;
}
