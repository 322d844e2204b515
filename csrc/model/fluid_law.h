/* The fluid at rest around everything, and the density of what differs from it.
 *
 *   gas      rho = rho0 T0 / T                    (ideal, at constant pressure: part 10)
 *   liquid   rho = rho0 (1 - expansion (T - T0))
 *
 * rho0 and T0 are the density and the temperature of the ambient fluid at height 0; its temperature
 * grows by `stratification` a metre against gravity. What pulls is the deviation from the ambient
 * density at the same height, rho' = rho - rho_ambient: the rest is balanced by the pressure. */
/* Liquids: the density falls in a straight line with temperature, to less than nothing. The law
 * holds for some tens of kelvin; from where it leaves a twentieth of the density on (the volume
 * would be that of twenty, model/fluid_law.h) temperatures are refused. */
#pragma once

#include "base/math_double.h"
#include "base/simd.h"
#include "model/columns.h"

/* The law of the ambient fluid as kernels need it, in single precision. */
typedef struct vt_fluid {
    float density, temperature;  /* rho0, kg/m^3; T0, K */
    float expansion;             /* 1/K; 0: a gas */
    float stratification, least; /* K/m; the temperature below which the ambient never falls, K */
    float up[3];                 /* unit vector against gravity; zero without gravity */
    float gravity[3];            /* m/s^2, times the scale of buoyancy */
    float swell;   /* power of relative volumes that those of vortons follow: method.expansion */
    int32_t local; /* divide by the local density instead of rho0 */
} vt_fluid;

vt_fluid vti_fluid_of(const vt_simulation_def *def);

/* Temperature of the ambient fluid at a point, K. */
VT_INLINE float vti_ambient_temperature(const vt_fluid *f, const float position[3])
{
    if (!(f->stratification > 0))
        return f->temperature;
    float height = position[0] * f->up[0];
    height = f1_fma(position[1], f->up[1], height);
    height = f1_fma(position[2], f->up[2], height);
    const float t = f1_fma(f->stratification, height, f->temperature);
    return t > f->least ? t : f->least;
}

/* Density of the fluid at a temperature, kg/m^3. */
VT_INLINE float vti_density_at(const vt_fluid *f, float temperature)
{
    if (f->expansion > 0)
        return f->density * f1_fma(f->expansion, f->temperature - temperature, 1.0f);
    return f->density * (f->temperature / temperature);
}

/* Density of the ambient fluid at a point, kg/m^3. */
static inline double vti_ambient_density(const vt_fluid *f, const double point[3])
{
    const float at[3] = {(float)point[0], (float)point[1], (float)point[2]};
    return (double)vti_density_at(f, vti_ambient_temperature(f, at));
}

/* Volume of a mass of the fluid at a temperature over that at T0, and the temperature at which it
 * is that. A liquid, far out of the range of its law, has at most 20. */
static inline double vti_relative_volume(const vt_fluid *f, double temperature)
{
    const double t0 = (double)f->temperature;
    if (!(f->expansion > 0))
        return temperature / t0;
    const double density = 1 - (double)f->expansion * (temperature - t0);
    return density > 0.05 ? 1 / density : 20;
}

static inline double vti_temperature_of_volume(const vt_fluid *f, double volume)
{
    const double t0 = (double)f->temperature;
    return f->expansion > 0 ? t0 + (1 - 1 / volume) / (double)f->expansion : t0 * volume;
}

/* By how much the volume of a vorton follows the relative one: to the power `swell`. */
static inline double vti_swollen(const vt_fluid *f, double relative_volume)
{
    if (f->swell == 0 || f->swell == 1)
        return f->swell == 0 ? 1 : relative_volume;
    return vti_exp((double)f->swell * vti_log(relative_volume));
}

/* Volume over mass of fluid that has its volume at a temperature, in that of ambient fluid. */
static inline double vti_volume_over_mass(const vt_fluid *f, float volume_temperature)
{
    return vti_swollen(f, vti_relative_volume(f, (double)volume_temperature));
}

/* Volume that fluid of a temperature had at a point while it was ambient fluid, over its own. */
static inline double vti_ambient_share(const vt_fluid *f, const float position[3],
                                       float temperature)
{
    return vti_volume_over_mass(f, vti_ambient_temperature(f, position)) /
           vti_volume_over_mass(f, temperature);
}

/* The inverse of vti_swollen: the relative volume whose power is given, 1 where volumes do not
 * follow. */
static inline double vti_relative_of_swollen(const vt_fluid *f, double swollen)
{
    if (f->swell == 0 || f->swell == 1)
        return f->swell == 0 ? 1 : swollen;
    return vti_exp(vti_log(swollen) / (double)f->swell);
}

/* Mass of the fluid of a vorton, kg, that has its volume at a temperature, its volume_temperature:
 * what temperature does to the volume leaves it as it is. */
VT_INLINE float vti_vorton_mass(const vt_fluid *f, float volume, float volume_temperature)
{
    const double relative = vti_relative_volume(f, (double)volume_temperature);
    return (float)((double)f->density * (double)volume / vti_swollen(f, relative));
}

/* Mass of a vorton x (temperature - that of the ambient fluid at height 0), kg K. */
static inline double vti_excess_heat(const vt_fluid *f, float volume, float volume_temperature,
                                     float temperature)
{
    return (double)vti_vorton_mass(f, volume, volume_temperature) *
           ((double)temperature - (double)f->temperature);
}

/* rho', kg/m^3, of fluid at a point with a temperature and a deviation of its own. */
VT_INLINE float vti_density_deviation(const vt_fluid *f, const float position[3], float temperature,
                                      float deviation)
{
    const float ambient = vti_ambient_temperature(f, position);
    if (f->expansion > 0)
        return f1_fma(f->density * f->expansion, ambient - temperature, deviation);
    return f1_fma(vti_density_at(f, temperature), (ambient - temperature) / ambient, deviation);
}

double vti_liquid_density(const vt_ambient *a, double temperature);

/* The temperature from which on the ambient fluid has no density, K: infinite for a gas. */
double vti_hottest(const vt_simulation_def *def);

/* VT_INVALID_ARGUMENT where a temperature, K, is not below that; `what` has it, as in "body 'x'".
 */
vt_status vti_check_temperature(const vt_simulation_def *def, const char *what, double temperature);
