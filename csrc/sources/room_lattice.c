#include "sources/room_lattice.h"

#include <math.h>
#include <string.h>

#include "base/growing_array.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/region_points.h"
#include "model/birth_sequence.h"

enum { MOST_SAMPLES = 1 << 20, MOST_NODES = MOST_SAMPLES / 8 };

/* Width of the lattice, in spacings of births: eight of them in a cell. With four, a layer of .1 m
 * on a floor, under which nothing lies, was filled 1.23 times instead of .97. */
static const double width_in_spacings = 2;

static double nodes_along(const vt_region *region, int axis, double width)
{
    return ceil((region->upper[axis] - region->lower[axis]) / width) + 3;
}

/* Wider where there would be more nodes than there may be. */
static double choose_width(const vt_region *region, double spacing)
{
    double width = width_in_spacings * spacing;
    while (nodes_along(region, 0, width) * nodes_along(region, 1, width) *
               nodes_along(region, 2, width) >
           MOST_NODES)
        width *= 2;
    return width;
}

vt_room_lattice vti_lay_out_room(const vt_region *births, double spacing)
{
    vt_room_lattice l = {.width = choose_width(births, spacing)};
    for (int a = 0; a < 3; a++) {
        l.least[a] = births->lower[a] - l.width;
        l.size[a] = (int32_t)nodes_along(births, a, l.width);
    }
    return l;
}

void vti_find_what_fits(const vt_birth_stream *births, const vt_region *shape, int64_t filling,
                        const vt_room_lattice *lattice, vt_arena *arena, float *fits)
{
    const int64_t count = filling < MOST_SAMPLES ? filling : MOST_SAMPLES;
    const double cell = lattice->width * lattice->width * lattice->width;
    const float one = (float)(births->region.volume / (double)count / cell);
    const size_t mark = vti_arena_mark(arena);
    float *const point = vti_arena_push(arena, 3 * sizeof *point * (size_t)count);
    memset(fits, 0, sizeof *fits * (size_t)vti_room_nodes(lattice));
    vti_fill_region(&births->region, births->seed, count, point);
    for (int64_t i = 0; i < count; i++) {
        double place[3];
        vt_room_corners c;
        vti_widen(point + 3 * i, place);
        if (vti_region_contains(shape, point + 3 * i) && vti_find_room_corners(lattice, place, &c))
            for (int n = 0; n < 8; n++)
                fits[c.node[n]] += one * c.share[n];
    }
    vti_arena_pop(arena, mark);
}

static vt_status check(const vt_fluid_emitter *emitter)
{
    return emitter->fits ? VT_OK
                         : vti_fail(VT_OUT_OF_MEMORY, "no memory for the lattice of an emitter");
}

static int stays(const vt_fluid_emitter *p)
{
    return !p->points && !(p->shape.shape.layer > 0) && p->shape.growth.count == 0;
}

static size_t bytes_of(const vt_fluid_emitter *p)
{
    const vt_room_lattice lattice = vti_lay_out_room(&p->stream.region, p->spacing);
    return sizeof *p->fits * (size_t)vti_room_nodes(&lattice);
}

vt_status vti_keep_what_fits(vt_fluid_emitter *p, int64_t filling, vt_arena *arena)
{
    if (!stays(p))
        return VT_OK;
    const vt_room_lattice lattice = vti_lay_out_room(&p->stream.region, p->spacing);
    p->fits = vti_allocate(bytes_of(p));
    if (p->fits)
        vti_find_what_fits(&p->stream, &p->shape, filling, &lattice, arena, p->fits);
    return check(p);
}

vt_status vti_copy_what_fits(const vt_fluid_emitter *from, vt_fluid_emitter *to)
{
    if (!from->fits)
        return VT_OK;
    to->fits = vti_copy_of(from->fits, bytes_of(from));
    return check(to);
}
