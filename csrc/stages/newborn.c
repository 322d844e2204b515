/* The least vorticity that counts in the bound of stretching (stretch.c) of vortons that are born,
 *
 *   w_least = 2/3 sum_j |alpha_j| zeta(x - x_j; sigma):
 *
 * two thirds of what there were if all turned the same way, which is what a lone vorton has (the
 * rest of it has divergence). Where a flow has less, vortons cancel each other, and |alpha| / |w|
 * has no limit: those of noise, or of a sheet that is born against another, were stretched as if
 * nothing bounded them.
 *
 * Here |alpha| of the nodes is summed with Gaussian weights, twelve along each axis: the trilinear
 * weights of deposit are a part of the core. Without a grid strength_density (tree.c) makes it. */
#include "core/mathd.h"
#include "core/parallel.h"
#include "core/vec3.h"
#include "stages/stages.h"

enum {
    BLOCK = 512,
    BELOW = 5, /* nodes before that of the cell */
    TAPS = 12
};

/* Mean variance of the trilinear weights, cells^2. */
static const double deposit_variance = 1.0 / 6.0;

typedef struct context {
    const vt_grid *grid;
    vt_record *records;
    double variance; /* of the weights, cells^2 */
    double gauss[TAPS];
} context;

/* Along one axis, for a point in [0, 1) of its cell; their sum is 1. */
static void find_weights(const context *c, double part, float weight[TAPS])
{
    const double ratio = vt_exp(part / c->variance);
    double power = 1, sum = 0, w[TAPS];
    for (int t = 0; t < BELOW; t++)
        power /= ratio;
    for (int t = 0; t < TAPS; t++, power *= ratio)
        sum += w[t] = c->gauss[t] * power;
    for (int t = 0; t < TAPS; t++)
        weight[t] = (float)(w[t] / sum);
}

/* Of |strength| around a record, per cell. */
static double sum_around(const context *c, const vt_record *record)
{
    const vt_grid *const g = c->grid;
    int32_t first[3];
    float weight[3][TAPS], across[TAPS] = {0};
    for (int a = 0; a < 3; a++) {
        first[a] = (int32_t)record->position[a] - BELOW;
        find_weights(c, (double)record->position[a] - (first[a] + BELOW), weight[a]);
    }
    const int32_t low = first[0] < 0 ? -first[0] : 0;
    const int32_t most = g->cells[0] + 1 - first[0], high = most < TAPS ? most : TAPS;
    for (int k = 0; k < TAPS; k++)
        for (int j = 0; j < TAPS; j++) {
            const int64_t y = first[1] + j, z = first[2] + k;
            const float w = weight[1][j] * weight[2][k];
            if (!vt_is_filled(g, y, z))
                continue;
            const f4 *const node = g->nodes + z * g->node_plane + y * g->node_row;
            for (int32_t i = low; i < high; i++)
                across[i] += w * node[first[0] + i][3];
        }
    double sum = 0;
    for (int i = 0; i < TAPS; i++)
        sum += (double)across[i] * (double)weight[0][i];
    return sum;
}

static void mark_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    const double h = c->grid->spacing;
    for (int64_t i = begin; i < end; i++) {
        vt_record *const r = c->records + i;
        if (r->volume < 0)
            r->volume = vt_mark_of_newborn(
                vt_length_of(r->strength) > 0 ? sum_around(c, r) / (h * h * h) : 0);
    }
}

void VT_NAME(mark_newborn)(const vt_grid *grid, int64_t count, vt_record *records, int threads)
{
    const double core = grid->core / grid->spacing;
    context c = {.grid = grid, .records = records};
    c.variance = core * core - deposit_variance;
    for (int t = 0; t < TAPS; t++)
        c.gauss[t] = vt_exp(-0.5 * (t - BELOW) * (t - BELOW) / c.variance);
    vt_parallel_for(threads, count, BLOCK, mark_block, &c);
}
