/* Burning (part 11) and cooling of the fluid of each vorton by itself:
 *
 *   dY/dt = -k Y                     fuel, with k = A (simple) or A exp(-Ta / T) (Arrhenius)
 *   dF/dt = k Y - F / tau            flame
 *   dS/dt = soot F / tau             smoke; the rest of what has burnt out is clear
 *   dT/dt = -(G / c) dY/dt - (m + b (T + Ta)(T^2 + Ta^2)) (T - Ta)
 *
 * The last term is b (T^4 - Ta^4), grey radiation, with m (T - Ta), mixing with the ambient fluid
 * at Ta, which takes heat alone: fuel and smoke would be lost to fluid that no vorton follows. Of
 * the chain fuel -> flame -> smoke each part of the time takes the exact solution for its k
 * (Bateman 1910); cooling takes that for its own rate in the middle of its time, so it never passes
 * the ambient temperature. Cooling is halved around burning (Strang 1968), and what depends on the
 * temperature is found in the middle: second order. A vorton whose temperature changes its rates in
 * the time takes several parts, as many as it needs by itself: an exothermic reaction runs away.
 * The way of the articles (part 11) is one explicit step of Euler instead, cut off where it would
 * take more than there is. */
#include "kernels/particles/combustion.h"

#include "base/math_vector.h"
#include "base/parallel.h"

enum { MOST_PARTS = 64 };

/* Most of ln k that heating may change in one part, and of the excess temperature that cooling may.
 */
static const float most_growth = 0.25f, most_cooling = 0.125f;

typedef struct fluid_state {
    vf temperature, fuel, flame, smoke;
    vf radiated, mixed; /* K */
} fluid_state;

typedef struct react_context {
    const vt_fluid *fluid;
    const vt_burning *law;
    const vt_react_rows *rows;
    float dt;
    vt_reacted *block;
} react_context;

/* (1 - e^-z) / z for z >= 0. */
VT_INLINE vf mean_decay(vf z)
{
    const vf one = vf_set(1.0f);
    vf sum = vf_fma(z, vf_set(-1.0f / 5040), vf_set(1.0f / 720));
    sum = vf_fma(z, -sum, vf_set(1.0f / 120));
    sum = vf_fma(z, -sum, vf_set(1.0f / 24));
    sum = vf_fma(z, -sum, vf_set(1.0f / 6));
    sum = vf_fma(z, -sum, vf_set(1.0f / 2));
    sum = vf_fma(z, -sum, one);
    const vf large = vf_max(z, vf_set(0.25f));
    return vf_select(z < 0.25f, sum, (one - vf_exp(-large)) / large);
}

/* Rate of burning, 1/s. The quotient in the exponent, some tens, with what its rounding left: else
 * the rate would have an error of 1e-6. */
VT_INLINE vf burn_rate(const vt_burning *law, vf temperature)
{
    const vf rate = vf_set(law->rate), activation = vf_set(law->activation);
    const vf quotient = activation / temperature;
    const vf left = vf_fma(-quotient, temperature, activation) / temperature;
    const vf factor = vf_exp(-quotient);
    const vf k = rate * vf_fma(factor, -left, factor);
    const vi cold = (temperature < vf_set(law->ignition)) | (temperature <= vf_set(0));
    return vf_select(cold, vf_set(0), k);
}

VT_INLINE vf radiation_rate(const vt_burning *law, vf t, vf ambient)
{
    return vf_set(law->radiation) * (t + ambient) * vf_fma(t, t, ambient * ambient);
}

/* The length of the next part, of what is left, when parts - 1 more may follow it. */
VT_INLINE vf choose_part(const vt_burning *law, const fluid_state *s, vf ambient, vf left,
                         int parts)
{
    const vf k = burn_rate(law, s->temperature);
    const vf warming = k * s->fuel * vf_set(law->heating);
    const vf growth = vf_set(law->activation) / (s->temperature * s->temperature) * warming;
    const vf cooling = vf_set(law->mixing) + radiation_rate(law, s->temperature, ambient);
    const vf pace = vf_max(growth / vf_set(most_growth), cooling / vf_set(most_cooling));
    const vf part = vf_select(left * pace > 1.0f, 1.0f / vf_max(pace, vf_set(1e-30f)), left);
    return vf_min(left, vf_max(part, left / vf_set((float)parts)));
}

VT_INLINE void cool(const vt_burning *law, fluid_state *s, vf ambient, vf time)
{
    const vf excess = s->temperature - ambient, half = vf_set(0.5f) * time;
    const vf first = radiation_rate(law, s->temperature, ambient) + vf_set(law->mixing);
    const vf middle = ambient + excess / (1.0f + half * first);
    const vf radiation = time * radiation_rate(law, middle, ambient);
    const vf all = vf_fma(time, vf_set(law->mixing), radiation);
    const vf after = vf_fma(excess, vf_exp(-all), ambient);
    const vf fall = s->temperature - after;
    const vf radiated = vf_select(all > 0.0f, fall * (radiation / all), vf_set(0));
    s->radiated += radiated;
    s->mixed += fall - radiated;
    s->temperature = after;
}

/* The rate when a mean rate has acted for the time. */
VT_INLINE vf rate_after(const vt_burning *law, const fluid_state *s, vf time, vf mean)
{
    const vf burnt = s->fuel * (1.0f - vf_exp(-time * mean));
    return burn_rate(law, vf_fma(vf_set(law->heating), burnt, s->temperature));
}

/* The rate in the middle of the time. */
VT_INLINE vf middle_rate(const vt_burning *law, const fluid_state *s, vf time)
{
    const vf half = vf_set(0.5f) * time, first = burn_rate(law, s->temperature);
    if (!(law->activation > 0))
        return first;
    const vf guess = rate_after(law, s, half, first);
    return rate_after(law, s, half, vf_set(0.5f) * (first + guess));
}

/* Fuel to flame to smoke at the rate k, which stays. */
VT_INLINE void burn_at(const vt_burning *law, vf k, vf time, vf *fuel, vf *flame, vf *smoke)
{
    const vf w = vf_set(law->flame_rate), zero = vf_set(0);
    const vf kept = *fuel * vf_exp(-k * time);
    const vf slow = vf_min(k, w), apart = vf_max(k, w) - slow;
    const vf made = *fuel * (k * time) * vf_exp(-slow * time) * mean_decay(apart * time);
    const vf left = vf_fma(*flame, vf_exp(-w * time), made);
    const vf gone = vf_max(*fuel - kept + *flame - left, zero);
    *smoke = vf_fma(vf_set(law->soot), gone, *smoke);
    *flame = left;
    *fuel = kept;
}

VT_INLINE void burn(const vt_burning *law, fluid_state *s, vf time)
{
    const vf before = s->fuel, k = middle_rate(law, s, time);
    burn_at(law, k, time, &s->fuel, &s->flame, &s->smoke);
    /* no more than there is room for: what rounding would add */
    s->smoke = vf_max(vf_min(s->smoke, 1.0f - (s->fuel + s->flame)), vf_set(0));
    s->temperature = vf_fma(vf_set(law->heating), before - s->fuel, s->temperature);
}

/* Lanes that have no time left stay as they are. */
VT_INLINE void keep_done(vi active, const fluid_state *before, fluid_state *s)
{
    s->temperature = vf_select(active, s->temperature, before->temperature);
    s->fuel = vf_select(active, s->fuel, before->fuel);
    s->flame = vf_select(active, s->flame, before->flame);
    s->smoke = vf_select(active, s->smoke, before->smoke);
    s->radiated = vf_select(active, s->radiated, before->radiated);
    s->mixed = vf_select(active, s->mixed, before->mixed);
}

/* All by the rates at the beginning. */
VT_INLINE void step_explicitly(const vt_burning *law, fluid_state *s, vf ambient, vf time)
{
    const vf one = vf_set(1.0f), excess = s->temperature - ambient;
    const vf radiation = radiation_rate(law, s->temperature, ambient);
    const vf cooling = vf_set(law->mixing) + radiation;
    const vf fall = excess * vf_min(time * cooling, one);
    const vf radiated = vf_select(cooling > 0.0f, fall * (radiation / cooling), vf_set(0));
    const vf burnt = s->fuel * vf_min(time * burn_rate(law, s->temperature), one);
    const vf gone = s->flame * vf_min(time * vf_set(law->flame_rate), one);
    s->radiated += radiated;
    s->mixed += fall - radiated;
    s->temperature = vf_fma(vf_set(law->heating), burnt, s->temperature - fall);
    s->fuel -= burnt;
    s->flame += burnt - gone;
    s->smoke = vf_fma(vf_set(law->soot), gone, s->smoke);
}

VT_INLINE void react(const vt_burning *law, fluid_state *s, vf ambient, vf left)
{
    if (law->euler) {
        step_explicitly(law, s, ambient, left);
        return;
    }
    for (int parts = MOST_PARTS; parts > 0; parts--) {
        const vi active =
            (left > 0.0f) & ((s->fuel > 0.0f) | (s->flame > 0.0f) | (s->temperature != ambient));
        if (!vi_any(active)) /* neutral neighbours have nothing to do */
            return;
        const fluid_state before = *s;
        const vf time = choose_part(law, s, ambient, left, parts), half = vf_set(0.5f) * time;
        cool(law, s, ambient, half);
        burn(law, s, time);
        cool(law, s, ambient, half);
        keep_done(active, &before, s);
        left = parts == 1 ? vf_set(0) : left - time;
    }
}

/* Rows [i, i + count), count <= VL. */
VT_INLINE vf load_rows(const float *column, int64_t i, int64_t count)
{
    float values[VL] = {0};
    if (count >= VL)
        return vf_load(column + i);
    memcpy(values, column + i, sizeof(float) * (size_t)count);
    return vf_load(values);
}

VT_INLINE void store_rows(float *column, int64_t i, int64_t count, vf a)
{
    float values[VL];
    vf_store(values, a);
    memcpy(column + i, values, sizeof(float) * (size_t)(count < VL ? count : VL));
}

static void react_rows(const react_context *c, int64_t i, int64_t count, vt_reacted *sums)
{
    const vt_fluid fluid = *c->fluid;
    const vt_react_rows *const rows = c->rows;
    fluid_state s = {.temperature = load_rows(rows->temperature, i, count),
                     .fuel = load_rows(rows->fuel, i, count),
                     .flame = load_rows(rows->flame, i, count),
                     .smoke = load_rows(rows->smoke, i, count)};
    const vf fuel = s.fuel, before = s.temperature;
    const vf mixture = vf_max(load_rows(rows->mixture, i, count), s.fuel + s.flame + s.smoke);
    vf ambient = vf_set(fluid.temperature);
    for (int64_t l = 0; l < count && fluid.stratification > 0; l++)
        ambient[l] = vti_ambient_temperature(&fluid, rows->position + 3 * (i + l));
    /* ages have moved on: the newborn have lived for less than dt; who is not there has no time */
    const vf age = load_rows(rows->age, i, count);
    const vf left = vf_first(vf_max(vf_min(age, vf_set(c->dt)), vf_set(0)), count);
    react(c->law, &s, ambient, left);
    store_rows(rows->temperature, i, count, s.temperature);
    store_rows(rows->fuel, i, count, s.fuel);
    store_rows(rows->flame, i, count, s.flame);
    store_rows(rows->smoke, i, count, s.smoke);
    store_rows(rows->mixture, i, count, mixture);
    const vf burnt = fuel - s.fuel;
    for (int64_t l = 0; l < count; l++) {
        const float at = rows->volume_temperature ? rows->volume_temperature[i + l] : before[l];
        const double mass = (double)vti_vorton_mass(&fluid, rows->volume[i + l], at);
        sums->burnt += mass * (double)burnt[l];
        sums->radiated += mass * (double)s.radiated[l];
        sums->mixed += mass * (double)s.mixed[l];
    }
}

static void react_block(void *data, int64_t begin, int64_t end)
{
    const react_context *const c = data;
    vt_reacted sums = {0, 0, 0};
    for (int64_t i = begin; i < end; i += VL)
        react_rows(c, i, end - i < VL ? end - i : VL, &sums);
    c->block[begin / VT_REACT_BLOCK] = sums;
}

void VT_NAME(react)(const vt_fluid *fluid, const vt_burning *law, double dt, int64_t count,
                    const vt_react_rows *rows, vt_reacted *block, int threads)
{
    react_context c = {fluid, law, rows, (float)dt, block};
    vti_parallel_for(threads, count, VT_REACT_BLOCK, react_block, &c);
}

/* ---- tracers that burn by themselves ---- */

typedef struct burn_context {
    const vt_burning *law;
    const vt_burn_rows *rows;
    float dt;
} burn_context;

/* Where less of the mass around a tracer came as fuel, it does not become part of the fire; air
 * that fuel finds in its own midst. */
static const float least_mixture = 0.01f, least_air = 0.05f;

static void burn_rows(const burn_context *c, int64_t i, int64_t count)
{
    const vt_burn_rows *const rows = c->rows;
    const vf mixture = load_rows(rows->mixture, i, count), zero = vf_set(0);
    const vf air = vf_max(1.0f - mixture, vf_set(least_air));
    const vf time = vf_max(vf_min(load_rows(rows->age, i, count), vf_set(c->dt)), zero);
    const vf k = burn_rate(c->law, load_rows(rows->temperature, i, count)) * air;
    vf share[VT_BURNT_SHARES], own = zero;
    for (int n = 0; n < VT_BURNT_SHARES; n++) {
        share[n] = load_rows(rows->share[n], i, count);
        own += share[n];
    }
    const vi joins = ~(own > zero) & (mixture > least_mixture);
    const vi burns = (own > zero) & (time > zero);
    vf after[VT_BURNT_SHARES];
    memcpy(after, share, sizeof after);
    burn_at(c->law, k, time, &after[0], &after[1], &after[2]);
    for (int n = 0; n < VT_BURNT_SHARES; n++) {
        const vf stays = vf_select(burns, after[n], share[n]);
        store_rows(rows->share[n], i, count,
                   vf_select(joins, load_rows(rows->mean[n], i, count), stays));
    }
}

static void burn_block(void *data, int64_t begin, int64_t end)
{
    const burn_context *const c = data;
    for (int64_t i = begin; i < end; i += VL)
        burn_rows(c, i, end - i < VL ? end - i : VL);
}

void VT_NAME(burn)(const vt_burning *law, double dt, int64_t count, const vt_burn_rows *rows,
                   int threads)
{
    burn_context c = {law, rows, (float)dt};
    vti_parallel_for(threads, count, VT_REACT_BLOCK, burn_block, &c);
}

/* ---- fluid that nothing but its own burning and cooling has changed ---- */

enum { LONE_PARTS = 8 /* of an age: temperatures are then off by 1e-5 to 1e-4 */ };

static vf lone_temperature(const vt_lone_fluid *fluid, vf mixture, vf age)
{
    const vf time = age * (1.0f / LONE_PARTS), half = 0.5f * time, ambient = vf_set(fluid->ambient);
    const vf stays = vf_exp(-vf_set(fluid->law.rate) * time);
    fluid_state s = {.temperature = vf_set(fluid->birth), .fuel = mixture};
    for (int part = 0; part < LONE_PARTS; part++) {
        const vf before = s.fuel;
        cool(&fluid->law, &s, ambient, half);
        s.fuel *= stays;
        s.temperature = vf_fma(vf_set(fluid->law.heating), before - s.fuel, s.temperature);
        cool(&fluid->law, &s, ambient, half);
    }
    return s.temperature;
}

/* The way back through the last substep: as volumes follow temperatures, so does what they gained.
 */
static vf lone_swelling(const vt_lone_fluid *fluid, const vt_lone_rows *rows, int64_t i,
                        int64_t count)
{
    const vf dt = vf_set(fluid->dt), back = -0.5f * dt, ambient = vf_set(fluid->ambient);
    const vf temperature = load_rows(rows->temperature, i, count);
    const vf fuel = load_rows(rows->fuel, i, count);
    fluid_state s = {.temperature = temperature};
    cool(&fluid->law, &s, ambient, back);
    const vf burnt = fuel * (vf_exp(vf_set(fluid->law.rate) * dt) - 1.0f);
    s.temperature = vf_fma(vf_set(-fluid->law.heating), burnt, s.temperature);
    cool(&fluid->law, &s, ambient, back);
    const vf share = (temperature - s.temperature) / vf_max(temperature, vf_set(1));
    return load_rows(rows->volume, i, count) * share / dt;
}

static vf find_lone_rows(const vt_lone_fluid *fluid, enum vt_lone_value value,
                         const vt_lone_rows *rows, int64_t i, int64_t count)
{
    const vf k = vf_set(fluid->law.rate);
    if (value == VT_LONE_swelling)
        return lone_swelling(fluid, rows, i, count);
    const vf mixture = load_rows(rows->mixture, i, count), age = load_rows(rows->age, i, count);
    if (value == VT_LONE_temperature)
        return lone_temperature(fluid, mixture, age);
    if (value == VT_LONE_fuel)
        return mixture * vf_exp(-k * age);
    vf fuel = mixture, flame = vf_set(0), smoke = vf_set(0);
    burn_at(&fluid->law, k, age, &fuel, &flame, &smoke);
    return flame;
}

void VT_NAME(find_lone)(const vt_lone_fluid *fluid, enum vt_lone_value value, int64_t count,
                        const vt_lone_rows *rows, float *to)
{
    for (int64_t i = 0; i < count; i += VL) {
        const vf found = find_lone_rows(fluid, value, rows, i, count - i);
        const vf size = vf_max(found, -found);
        const vi known = (size >= 1e-30f) & (size <= 1e30f); /* neither tiny nor no number */
        store_rows(to, i, count - i, vf_select(known, found, vf_set(0)));
    }
}
