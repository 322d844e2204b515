#include "kernels/grid/leaf_filter.h"

#include "base/simd.h"

enum { SIDE = 8, WINDOW = VT_LEAF_FILTER_WINDOW };

VT_INLINE f8 five_taps(f8 lower2, f8 lower, f8 centre, f8 upper, f8 upper2, const f8 taps[3])
{
    return centre * taps[0] + (lower + upper) * taps[1] + (lower2 + upper2) * taps[2];
}

/* Along z, then y, then x, 8 voxels along z at once. */
void VT_NAME(filter_leaf)(const float window[WINDOW][WINDOW][WINDOW], const float taps[3], int add,
                          float *values)
{
    const f8 by[3] = {f8_set(taps[0]), f8_set(taps[1]), f8_set(taps[2])};
    f8 y_done[WINDOW][SIDE];
    for (int x = 0; x < WINDOW; x++) {
        f8 z_done[WINDOW];
        for (int y = 0; y < WINDOW; y++) {
            const float *const at = window[x][y];
            z_done[y] = five_taps(f8_load(at), f8_load(at + 1), f8_load(at + 2), f8_load(at + 3),
                                  f8_load(at + 4), by);
        }
        for (int y = 0; y < SIDE; y++) {
            const f8 *const at = &z_done[y];
            y_done[x][y] = five_taps(at[0], at[1], at[2], at[3], at[4], by);
        }
    }
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++) {
            float *const to = values + 64 * x + 8 * y;
            const f8 done = five_taps(y_done[x][y], y_done[x + 1][y], y_done[x + 2][y],
                                      y_done[x + 3][y], y_done[x + 4][y], by);
            f8_store(to, add ? f8_load(to) + done : done);
        }
}
