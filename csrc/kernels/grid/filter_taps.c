#include "kernels/grid/filter_taps.h"

#include <string.h>

#include "base/math_double.h"

enum { REACH = VT_FILTER_REACH, WAVES = 64 /* wavenumbers that a cosine sum takes */ };

/* From taps in any scale to a sum of 1. */
static void scale_to_one(double weight[REACH + 1])
{
    double sum = weight[0];
    for (int r = 1; r <= REACH; r++)
        sum += 2.0 * weight[r];
    for (int r = 0; r <= REACH; r++)
        weight[r] /= sum;
}

vt_filter_taps vti_gaussian_taps(double variance, int reach)
{
    vt_filter_taps taps = {{{0}}};
    double *const weight = taps.weight[0];
    for (int r = 0; r <= reach; r++)
        weight[r] = r == 0 ? 1 : variance > 0 ? vti_exp(-(double)(r * r) / (2.0 * variance)) : 0;
    scale_to_one(weight);
    for (int a = 1; a < 3; a++)
        memcpy(taps.weight[a], weight, sizeof taps.weight[a]);
    return taps;
}

/* What a wave of s = 4 sin^2(k / 2) is multiplied with. k^2 is a series in s, so that taps far from
 * the middle vanish. */
static double transfer(double core, vt_node_values values, double s, int along_z)
{
    const double inverse = 1 + s / 12 + s * s / 90 + s * s * s / 560, sinc2 = 1 / inverse;
    const double sinc3 = sinc2 * vti_sqrt(sinc2);
    const double cos2 = s < 3.84 ? 1 - s / 4 : 0.04; /* of k / 2 */
    const double curl = (1 + s / 6 + s * s / 30) * vti_sqrt(cos2 * sinc2);
    const double potential = along_z ? sinc2 : (1 + s / 6) * sinc2;
    const double gaussian = vti_exp(-0.5 * core * core * s * inverse);
    const double all = 1 - s / 4 + s * s / 120; /* of sinc^6 */
    if (values == VT_NODES_VORTICITY)
        return gaussian / sinc3;
    return gaussian * potential / vti_sqrt(curl) *
           (values == VT_NODES_VELOCITY ? 1 / sinc3 : sinc3 * sinc3 / (all * all));
}

/* The taps along an axis: a sum of cosines for each. */
static void sum_waves(double core, vt_node_values values, int along_z, int reach,
                      double weight[REACH + 1])
{
    double cosine[2 * WAVES];
    for (int j = 0; j < 2 * WAVES; j++)
        cosine[j] = vti_cos_pi((double)j / WAVES);
    memset(weight, 0, (REACH + 1) * sizeof *weight);
    for (int wave = 0; wave <= WAVES; wave++) {
        const double s = 2 - 2 * cosine[wave];
        const double share = wave == 0 || wave == WAVES ? 0.5 : 1;
        const double part = share * transfer(core, values, s, along_z);
        for (int r = 0; r <= reach; r++)
            weight[r] += part * cosine[r * wave % (2 * WAVES)];
    }
    scale_to_one(weight);
}

vt_filter_taps vti_taps_of_fourth_order(double core, vt_node_values values, int reach)
{
    vt_filter_taps taps;
    sum_waves(core, values, 0, reach, taps.weight[0]);
    memcpy(taps.weight[1], taps.weight[0], sizeof taps.weight[1]);
    sum_waves(core, values, 1, reach, taps.weight[2]);
    return taps;
}
