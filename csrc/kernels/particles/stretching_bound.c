#include "kernels/particles/stretching_bound.h"

#include "base/parallel.h"
#include "base/vec3.h"
#include "kernels/grid/mirror.h"

enum {
    BLOCK = 512,
    BELOW = 5, /* nodes before that of the cell */
    TAPS = 12
};

/* Mean variance of the trilinear weights, cells^2. */
static const double deposit_variance = 1.0 / 6.0;

typedef struct context {
    const vt_grid *grid;
    const vt_record *records;
    const vt_newborn *newborn;
    double variance; /* of the weights, cells^2 */
    double gauss[TAPS];
} context;

/* Weights of the nodes along one axis, for a point in [0, 1) of its cell; their sum is 1. */
static void find_weights(const context *c, double part, float weight[TAPS])
{
    const double ratio = vti_exp(part / c->variance);
    double power = 1, sum = 0, w[TAPS];
    for (int t = 0; t < BELOW; t++)
        power /= ratio;
    for (int t = 0; t < TAPS; t++, power *= ratio)
        sum += w[t] = c->gauss[t] * power;
    for (int t = 0; t < TAPS; t++)
        weight[t] = (float)(w[t] / sum);
}

/* The node that a tap reads: behind walls the one whose image is there. */
static int64_t node_of(const vt_grid *g, int64_t index, int axis)
{
    return g->walled ? vti_mirrored(index, g->cells[axis]) : index;
}

/* Sum of |strength| around a record, per cell. */
static double sum_around(const context *c, const vt_record *record)
{
    const vt_grid *const g = c->grid;
    int32_t first[3];
    float weight[3][TAPS], across[TAPS] = {0};
    for (int a = 0; a < 3; a++) {
        first[a] = (int32_t)record->position[a] - BELOW;
        find_weights(c, (double)record->position[a] - (first[a] + BELOW), weight[a]);
    }
    const int32_t low = first[0] < 0 && !g->walled ? -first[0] : 0;
    const int32_t most = g->cells[0] + 1 - first[0], high = most < TAPS && !g->walled ? most : TAPS;
    for (int k = 0; k < TAPS; k++)
        for (int j = 0; j < TAPS; j++) {
            const int64_t y = node_of(g, first[1] + j, 1), z = node_of(g, first[2] + k, 2);
            const float w = weight[1][j] * weight[2][k];
            if (!vti_is_filled(g, y, z))
                continue;
            const f4 *const node = g->nodes + z * g->node_plane + y * g->node_row;
            for (int32_t i = low; i < high; i++)
                across[i] += w * node[node_of(g, first[0] + i, 0)][3];
        }
    double sum = 0;
    for (int i = 0; i < TAPS; i++)
        sum += (double)across[i] * (double)weight[0][i];
    return sum;
}

static void find_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const double h = c->grid->spacing;
    for (int64_t i = begin; i < end; i++) {
        const vt_record *const r = c->records + i;
        float least = 0;
        if (vti_is_newborn(c->newborn, r->home))
            least = vti_least_vorticity_in(
                vti_length_of(r->strength) > 0 ? sum_around(c, r) / (h * h * h) : 0);
        c->newborn->least_vorticity[i] = least;
    }
}

void VT_NAME(least_vorticity)(const vt_grid *grid, int64_t count, const vt_record *records,
                              const vt_newborn *newborn, int threads)
{
    const double core = grid->core / grid->spacing;
    context c = {.grid = grid, .records = records, .newborn = newborn};
    c.variance = core * core - deposit_variance;
    for (int t = 0; t < TAPS; t++)
        c.gauss[t] = vti_exp(-0.5 * (t - BELOW) * (t - BELOW) / c.variance);
    vti_parallel_for(threads, count, BLOCK, find_block, &c);
}
