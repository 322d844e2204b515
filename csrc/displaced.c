/* Buoyancy of bodies (part 9, by quadrature over the volume instead of three samples): by
 * Archimedes the pressure of fluid at rest bears the weight of the fluid that would be in the
 * body's place. */
#include "displaced.h"

#include <string.h>

#include "core/vec3.h"
#include "state/ambient.h"

vt_displaced vt_find_displaced(const vt_simulation *s, const vt_body *body)
{
    const vt_fluid fluid = vt_fluid_of(&s->def);
    const vt_pose pose = vt_pose_of_place(&body->rigid.now, body->center, body->scale);
    const double scale = body->scale, weight = scale * scale * scale * body->bulk.volume;
    vt_displaced sum = {.mass = 0};
    for (int32_t n = 0; n < body->point_count; n++) {
        double world[3];
        float at[3];
        vt_pose_point(&pose, body->points[n], world);
        for (int c = 0; c < 3; c++)
            at[c] = (float)world[c];
        const double mass = weight / body->point_count *
                            (double)vt_density_at(&fluid, vt_ambient_temperature(&fluid, at));
        sum.mass += mass;
        vt_add_scaled(world, -1, body->rigid.now.position);
        vt_add_scaled(sum.moment, mass, world);
    }
    return sum;
}
