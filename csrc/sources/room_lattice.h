/* The lattice of volumes around the births of an emitter, in the space of its pose. */
#pragma once

#include "base/arena.h"
#include "geometry/region.h"
#include "state/sources.h"

typedef struct vt_room_lattice {
    double width, least[3]; /* m */
    int32_t size[3];        /* nodes */
} vt_room_lattice;

/* The eight nodes around a place: bit a of their number says that one is the next along axis a. */
typedef struct vt_room_corners {
    int64_t node[8];
    float share[8];
} vt_room_corners;

/* Around the region of births that are so far apart, m. */
vt_room_lattice vti_lay_out_room(const vt_region *births, double spacing);

static inline int64_t vti_room_nodes(const vt_room_lattice *l)
{
    return (int64_t)l->size[0] * l->size[1] * l->size[2];
}

/* 0: the lattice does not reach there. */
static inline int vti_find_room_corners(const vt_room_lattice *l, const double place[3],
                                        vt_room_corners *corners)
{
    int64_t low[3];
    double part[3];
    for (int a = 0; a < 3; a++) {
        const double at = (place[a] - l->least[a]) / l->width;
        if (!(at >= 0 && at < l->size[a] - 1))
            return 0;
        low[a] = (int64_t)at;
        part[a] = at - (double)low[a];
    }
    for (int n = 0; n < 8; n++) {
        const int side[3] = {n & 1, n >> 1 & 1, n >> 2};
        double share = 1;
        int64_t node = 0;
        for (int a = 2; a >= 0; a--) {
            share *= side[a] ? part[a] : 1 - part[a];
            node = node * l->size[a] + low[a] + side[a];
        }
        corners->node[n] = node;
        corners->share[n] = (float)share;
    }
    return 1;
}

/* Volume of the shape around each node, in cells: how much of the fluid that is born fits there.
 * `filling` is how many births fill the region. */
void vti_find_what_fits(const vt_birth_stream *births, const vt_region *shape, int64_t filling,
                        const vt_room_lattice *lattice, vt_arena *arena, float *fits);

/* The same for an emitter whose shape stays as it is, once; VT_OUT_OF_MEMORY. */
vt_status vti_keep_what_fits(vt_fluid_emitter *emitter, int64_t filling, vt_arena *arena);
vt_status vti_copy_what_fits(const vt_fluid_emitter *from, vt_fluid_emitter *to);
