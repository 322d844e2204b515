#include "kernels/grid/filter_taps.h"

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

vt_filter_taps vti_gaussian_taps(double variance)
{
    vt_filter_taps taps;
    for (int a = 0; a < 3; a++) {
        double *const weight = taps.weight[a];
        for (int r = 0; r <= REACH; r++)
            weight[r] = r == 0         ? 1
                        : variance > 0 ? vti_exp(-(double)(r * r) / (2.0 * variance))
                                       : 0;
        scale_to_one(weight);
    }
    return taps;
}

/* What a wave of s = 4 sin^2(k / 2) is multiplied with. k^2 is a series in s, so that taps far from
 * the middle vanish. */
static double transfer(double core, double s, int along_z)
{
    const double inverse = 1 + s / 12 + s * s / 90 + s * s * s / 560, sinc2 = 1 / inverse;
    const double cos2 = s < 3.84 ? 1 - s / 4 : 0.04; /* of k / 2 */
    const double curl = (1 + s / 6) * vti_sqrt(cos2 * sinc2);
    const double gaussian = vti_exp(-0.5 * core * core * s * inverse);
    const double potential = along_z ? sinc2 : (1 + s / 6) * sinc2;
    return gaussian * potential / (sinc2 * sinc2 * vti_sqrt(sinc2) * vti_sqrt(curl));
}

vt_filter_taps vti_taps_of_fourth_order(double core)
{
    vt_filter_taps taps;
    for (int a = 0; a < 3; a++)
        for (int r = 0; r <= REACH; r++) {
            double sum = 0;
            for (int wave = 0; wave <= WAVES; wave++) {
                const double s = 2 - 2 * vti_cos_pi((double)wave / WAVES);
                const double share = wave == 0 || wave == WAVES ? 0.5 : 1;
                sum += share * transfer(core, s, a == 2) * vti_cos_pi((double)(r * wave) / WAVES);
            }
            taps.weight[a][r] = sum;
        }
    for (int a = 0; a < 3; a++)
        scale_to_one(taps.weight[a]);
    return taps;
}
