/* The ambient light: what comes from far around a scene to its smoke and its bodies. The sky is the
 * half above, the ground the half below; and the half across from the lamp, which faces the key
 * light, sends some of that back. */
#pragma once

#include "base/vec3.h"
#include "preview/fire.h"

typedef struct vt_surroundings {
    double key_direction[3]; /* of length 1 */
    f4 sky, ground, bounce;  /* bounce: of what faces the key light */
} vt_surroundings;

/* Light that a white matt surface sends back, its normal of length 1: a half that shines everywhere
 * gives (1 + cos) / 2 of its radiance, where cos is that of the normal and its middle. */
static inline f4 vti_surrounding_light(const vt_surroundings *s, const double normal[3])
{
    const float up = (float)(0.5 + 0.5 * normal[2]);
    const float across = (float)(0.5 - 0.5 * vti_dot(normal, s->key_direction));
    return s->ground + f4_set(up) * (s->sky - s->ground) + f4_set(across) * s->bounce;
}

/* Of a definition whose key_direction has a length. */
static inline vt_surroundings vti_surroundings_of(const vt_preview_def *def)
{
    vt_surroundings s = {.sky = vti_color(def->sky_color, 1.0),
                         .ground = vti_color(def->ground_color, 1.0),
                         .bounce = vti_color(def->key_color, def->bounce)};
    memcpy(s.key_direction, def->key_direction, sizeof s.key_direction);
    vti_normalise(s.key_direction);
    return s;
}
