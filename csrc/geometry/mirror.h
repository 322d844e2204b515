/* Images in flat walls that stand at right angles to each other: a flow and its images together do
 * not pass the walls. */
#pragma once

#include <string.h>

#include "base/vec3.h"

enum { VT_MOST_MIRRORS = 3 };

typedef struct vt_mirror {
    double normal[3], offset; /* of length 1; of its points along it, m */
    int32_t of;               /* which wall it is, for those who made it */
} vt_mirror;

typedef struct vt_mirrors {
    vt_mirror item[VT_MOST_MIRRORS];
    int32_t count;
} vt_mirrors;

/* How many images there are, with what they are images of: image 0 is that itself, and the bits of
 * each number say in which of the mirrors it is seen. */
static inline int vti_count_images(const vt_mirrors *m)
{
    return 1 << m->count;
}

static inline void vti_mirror_direction(const vt_mirrors *m, int image, double way[3])
{
    for (int32_t n = 0; n < m->count; n++)
        if (image >> n & 1)
            vti_add_scaled(way, -2 * vti_dot(way, m->item[n].normal), m->item[n].normal);
}

static inline void vti_mirror_point(const vt_mirrors *m, int image, double point[3])
{
    for (int32_t n = 0; n < m->count; n++) {
        const vt_mirror *const wall = &m->item[n];
        if (image >> n & 1)
            vti_add_scaled(point, -2 * (vti_dot(point, wall->normal) - wall->offset), wall->normal);
    }
}

/* Of the strengths of vortices the sum over all images, over their number: vorticity along a wall
 * turns round in it. */
static inline void vti_mean_strength(const vt_mirrors *m, double strength[3])
{
    const double *const normal = m->item[0].normal, along = vti_dot(strength, normal);
    for (int c = 0; c < 3 && m->count > 0; c++)
        strength[c] = m->count == 1 ? along * normal[c] : 0;
}

/* The corners of a triangle, in the order in which they are counter-clockwise again. */
static inline void vti_mirror_triangle(const vt_mirrors *m, int image, double corner[3][3])
{
    double kept[3];
    int odd = 0;
    for (int32_t n = 0; n < m->count; n++)
        odd ^= image >> n & 1;
    for (int k = 0; k < 3; k++)
        vti_mirror_point(m, image, corner[k]);
    if (!odd)
        return;
    memcpy(kept, corner[1], sizeof kept);
    memcpy(corner[1], corner[2], sizeof kept);
    memcpy(corner[2], kept, sizeof kept);
}
