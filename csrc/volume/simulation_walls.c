#include "base/memory.h"
#include "base/status.h"
#include "state/rigid_body.h"
#include "state/simulation.h"
#include "volume/walls.h"

static void add_walls(const vt_simulation *s, const vt_body *body, vt_walls *walls)
{
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
    for (int32_t k = 0; k < body->solid_count; k++) {
        const vt_solid *const solid = &body->solids[k];
        vt_wall *const wall = &walls->items[walls->count++];
        *wall = (vt_wall){.solid = solid,
                          .pose = pose,
                          .scale = body->scale,
                          .hole = body->hole,
                          .reach = body->scale * solid->circumscribed};
        vti_pose_point(&pose, solid->center, wall->center);
    }
}

vt_status vti_list_walls(const vt_simulation *s, vt_walls *walls)
{
    size_t count = 0;
    *walls = (vt_walls){.items = NULL};
    for (int32_t n = 0; s && n < s->bodies.count; n++)
        count += (size_t)s->bodies.items[n].solid_count;
    if (count == 0)
        return VT_OK;
    walls->items = vti_allocate(count * sizeof *walls->items);
    if (!walls->items)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for the walls of %zu solids", count);
    for (int32_t n = 0; n < s->bodies.count; n++)
        add_walls(s, &s->bodies.items[n], walls);
    return VT_OK;
}
