#include "kernels/grid/strain_rate.h"

#include "base/parallel.h"
#include "base/simd_rearrange.h"

typedef struct context {
    const vt_grid *grid;
    f4 *strain;
} context;

/* Differences over two cells of VL nodes that follow one another. */
VT_INLINE void differ(const f4 *below, const f4 *above, vf slope[4])
{
    for (int n = 0; n < 4; n++) {
        const size_t at = (size_t)n * VL / 4;
        slope[n] = vf_load(above + at) - vf_load(below + at);
    }
    vf_deinterleave(slope);
}

VT_INLINE vf strain_of(vf slope[3][4], vf scale)
{
    vf square = {0};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const vf shear = slope[i][j] + slope[j][i];
        square = vf_fma(slope[i][i] + slope[i][i], slope[i][i], vf_fma(shear, shear, square));
    }
    return vf_sqrt(square) * scale;
}

static void strain_row(const context *c, int64_t at)
{
    const int64_t step[3] = {1, c->grid->node_row, c->grid->node_plane};
    const int64_t cells = c->grid->cells[0];
    const vf scale = vf_set((float)(0.5 / c->grid->spacing));
    for (int64_t i = 1; i < cells; i += VL) {
        const f4 *const here = c->grid->nodes + at + i;
        vf slope[3][4];
        for (int a = 0; a < 3; a++)
            differ(here - step[a], here + step[a], slope[a]);
        const vf strain = strain_of(slope, scale);
        for (int l = 0; l < VL && i + l < cells; l++)
            c->strain[at + i + l] = (f4){strain[l]};
    }
}

static void strain_planes(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const vt_grid *const g = c->grid;
    const int64_t row = g->node_row;
    for (int64_t k = begin; k < end; k++) {
        f4 *const plane = c->strain + k * g->node_plane;
        const int inside = k > 0 && k < g->cells[2];
        for (int64_t j = 0; j <= g->cells[1]; j++) {
            if (inside && j > 0 && j < g->cells[1]) {
                f4 *const end = plane + j * row + g->cells[0];
                plane[j * row] = end[0] = end[1] = (f4){0};
                strain_row(c, k * g->node_plane + j * row);
            } else {
                memset(plane + j * row, 0, sizeof(f4) * ((size_t)g->cells[0] + 2));
            }
        }
    }
}

void VT_NAME(strain)(const vt_grid *grid, f4 *strain, int threads)
{
    context c = {grid, strain};
    vti_parallel_for(threads, grid->cells[2] + 1, 1, strain_planes, &c);
}
