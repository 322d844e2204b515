#include "state/swirl.h"

#include <stdlib.h>
#include <string.h>

#include "core/mathd.h"

/* The least that they resolve. */
static const double cores_in_eddy = 4;

vt_swirl *vt_create_swirl(uint64_t seed, double core, const double sweep[3])
{
    vt_swirl *const swirl = malloc(sizeof *swirl);
    if (!swirl)
        return NULL;
    memcpy(swirl->sweep, sweep, sizeof swirl->sweep);
    for (uint64_t n = 0; n < VT_SWIRL_WAVES; n++)
        swirl->wave[n] = vt_make_wave(seed, cores_in_eddy * core, core, n);
    return swirl;
}

void vt_find_swirl(const vt_swirl *swirl, const vt_pose *pose, const double point[3], double time,
                   double speed, double volume, float strength[3])
{
    const double scale = speed * vt_sqrt(2.0 / VT_SWIRL_WAVES);
    double at[3], turned[3], curl[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++)
        at[a] = point[a] - swirl->sweep[a] * time;
    for (int n = 0; n < VT_SWIRL_WAVES; n++)
        vt_add_wave(&swirl->wave[n], at, NULL, curl);
    vt_pose_direction(pose, curl, turned);
    for (int a = 0; a < 3; a++) /* the speed is one of the world, over lengths that have grown */
        strength[a] = (float)(scale * turned[a] * volume / pose->scale);
}

double vt_swirl_noise(const vt_swirl *swirl, const double point[3], double time)
{
    double at[3], v[3] = {0, 0, 0}, curl[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++)
        at[a] = point[a] - swirl->sweep[a] * time;
    for (int n = 0; n < VT_SWIRL_WAVES; n++)
        vt_add_wave(&swirl->wave[n], at, v, curl);
    return vt_sqrt(2.0 / VT_SWIRL_WAVES) * (v[0] + v[1] + v[2]);
}
