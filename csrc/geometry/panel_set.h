/* Source panels of a shape: the structs. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/vec3.h"

/* ---- images ---- */

/* In flat walls that stand at right angles to each other: a flow and its images together do not
 * pass them. */
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

/* Takes away that share of the strengths of vortices whose sum over all images is nothing:
 * vorticity along a wall turns round in it. */
static inline void vti_cancel_strength(const vt_mirrors *m, double share, double strength[3])
{
    const double *const normal = m->item[0].normal, along = vti_dot(strength, normal);
    for (int c = 0; c < 3 && m->count > 0; c++)
        strength[c] -= share * (strength[c] - (m->count == 1 ? along * normal[c] : 0));
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

/* ---- panels ---- */

/* Bodies of the same panels share one set, which then never changes; a body that deforms has one of
 * its own, which changes with it. */
typedef struct vt_panel_set {
    _Atomic int32_t users;
    int32_t count;
    double thickness;       /* of the thinnest solid, m */
    int32_t is_thin;        /* a side is thinner than panels are wide */
    int32_t hole;           /* they are those of a container */
    int32_t open;           /* of a plane: a square 2 m wide, to be laid where the fluid is */
    double (*corner)[3][3]; /* counter-clockwise seen from the fluid, m */
    double (*center)[3];    /* centroid, m */
    double (*normal)[3];    /* towards the fluid */
    double *area;           /* m^2 */
    float *inverse;         /* of M: entry (i, j) at [j * count + i] */
    float *beyond; /* of a container, laid out likewise: see panels/image_vorticity.h; else NULL */
    double side;   /* sqrt(2 x mean area), m */
    double low[3], high[3]; /* box around them, m */
    double length;          /* radius of the sphere of the same area, m */
    double volume;          /* inside, m^3; of a container < 0 */
    double origin[3];       /* centre of the body, about which added_mass turns, m */
    /* Impulse and angular impulse (-integral of phi n, of phi r x n; over the density) of the flow
     * around it where it moves (1 m/s; 0-2) and turns (1 rad/s; 3-5): m^3, m^4, m^5. 0 of a
     * container. */
    double added_mass[6][6];
    /* Of a body that others touch: the panels of all of them, whose matrix is one, and which of
     * those are its first; itself it has none then. NULL: it is on its own. */
    struct vt_panel_set *whole;
    int32_t first;
    int32_t divided;    /* of a whole: by what the panels that its bodies ask for are */
    int32_t is_whole;   /* such a set: its parts alone move, and have added masses */
    uint64_t key;       /* of a whole: of which bodies it is, and where they lie */
    vt_mirrors mirrors; /* of a whole: the planes that its bodies stand on, in its space */
} vt_panel_set;

/* Of all panels, m^2. */
static inline double vti_area_of_panels(const vt_panel_set *set)
{
    return set->count * set->side * set->side / 2;
}

typedef double vt_triangle[3][3];

/* Triangles one after the other; failed: no memory was left for one of them. */
typedef struct vt_triangles {
    vt_triangle *item;
    int32_t count, room, failed;
} vt_triangles;
