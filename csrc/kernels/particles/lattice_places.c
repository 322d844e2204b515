#include "kernels/particles/lattice_places.h"

#include "kernels/grid/trilinear.h"

enum { PARTS = VT_LANES / VL, DOUBLES = 8 };

typedef double d8 __attribute__((vector_size(64)));
typedef int64_t l8 __attribute__((vector_size(64)));
typedef int32_t i8 __attribute__((vector_size(32)));

VT_INLINE void load(const float *position, float place[3][VT_LANES])
{
    for (int p = 0; p < PARTS; p++) {
        vf x[3];
        vti_load_rows(position + 3 * VL * p, x);
        for (int a = 0; a < 3; a++)
            vf_store(place[a] + VL * p, x[a]);
    }
}

VT_INLINE d8 d8_set(double a)
{
    return a - (d8){0};
}

/* The nodes of DOUBLES places along one axis; those without one are added to `beyond`. */
VT_INLINE i8 floor_of(const float *place, double scale, double shift, i8 *beyond)
{
    const d8 at = __builtin_convertvector(f8_load(place), d8) * d8_set(scale) + d8_set(shift);
    const d8 farthest = d8_set(VT_LATTICE_FARTHEST);
    const l8 inside = (at < farthest) & (at > -farthest);
    const d8 safe = (d8)((l8)at & inside);
    const i8 whole = __builtin_convertvector(safe, i8);
    const l8 above = safe < __builtin_convertvector(whole, d8);
    *beyond |= __builtin_convertvector(~inside, i8);
    return whole + __builtin_convertvector(above, i8);
}

/* The brick of VL nodes. */
VT_INLINE vi brick_of(const vt_brick_box *box, const vt_lattice_nodes *nodes, int64_t i)
{
    vi index = {0}, inside = ~(vi){0};
    for (int a = 2; a >= 0; a--) {
        const vi at = (vi_load(nodes->node[a] + i) >> 3) - vi_set(box->low[a]);
        inside &= (at >= (vi){0}) & (at < vi_set(box->size[a]));
        index = index * vi_set(box->size[a]) + at;
    }
    const vi none = vi_set(box->size[0] * box->size[1] * box->size[2]);
    return (index & inside) | (none & ~inside);
}

void VT_NAME(find_nodes)(int64_t count, const float *position, double scale, double shift,
                         const vt_brick_box *box, vt_lattice_nodes *nodes)
{
    for (int64_t i = 0; i < count; i += VT_LANES) {
        float place[3][VT_LANES];
        load(position + 3 * i, place);
        for (int l = 0; l < VT_LANES; l += DOUBLES) {
            i8 node[3], beyond = {0};
            for (int a = 0; a < 3; a++)
                node[a] = floor_of(place[a] + l, scale, shift, &beyond);
            node[0] = (node[0] & ~beyond) | (beyond & (INT32_MIN - (i8){0}));
            for (int a = 0; a < 3; a++)
                memcpy(nodes->node[a] + i + l, &node[a], sizeof node[a]);
        }
    }
    for (int64_t i = 0; i < count && box; i += VL)
        vi_store(nodes->brick + i, brick_of(box, nodes, i));
}

void VT_NAME(find_shares)(int64_t count, const float *position, const float *volume, double scale,
                          const vt_lattice_nodes *nodes, f4 *shares)
{
    const double per_node = scale * scale * scale;
    for (int64_t i = 0; i < count; i += VT_LANES) {
        float place[4][VT_LANES];
        load(position + 3 * i, place);
        for (int a = 0; a < 3; a++)
            for (int l = 0; l < VT_LANES; l++)
                place[a][l] = (float)((double)place[a][l] * scale - nodes->node[a][i + l]);
        for (int l = 0; l < VT_LANES; l++)
            place[3][l] = (float)((double)volume[i + l] * per_node);
        for (int p = 0; p < PARTS; p++) {
            vf lanes[4];
            for (int a = 0; a < 4; a++)
                lanes[a] = vf_load(place[a] + VL * p);
            vti_lanes_to_nodes(lanes, shares + i + VL * p);
        }
    }
}
