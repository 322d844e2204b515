#include "tracers/subgrid_eddies.h"

#include "base/math_double.h"
#include "base/random.h"
#include "base/vec3.h"
#include "field/sample.h"
#include "state/simulation.h"

/* Between two renewals of a field the fast parts of the flow turn by this, rad. Until then the
 * flow has drawn the waves out, of which their velocity knows nothing: where it turns twice as far,
 * tracers gather (by a tenth after two turns of a cloud); half as far, and eddies have no time to
 * roll anything up. */
static const double most_turned = 2;

/* Each wave acts exactly as a shear, however far: what is done too seldom is only that the waves
 * follow the flow. Tracers are stirred once its fast parts have turned by this, rad, and at the end
 * of each step: by then they have gone up to .6 cores, and the shortest waves are one core long. */
static const double least_turned = 1.5;

/* In cores of the grid. Where waves are seven cores long the grid has half of the energy that it
 * should have, and next to none at half of that. */
static const double first_wave = 4;

/* Speed of the first octave over strain rate x core. Lilly's balance, with the filter as wide as
 * half a wave of seven cores, has .8 (Pope, Turbulent Flows, 13.4): with that the lobes that the
 * grid resolves dissolve in pictures, with half of it they stay. */
static const double speed_share = 0.4;

/* Places are kept on multiples of this, at most a 64th of a core and a power of 2: the phases of
 * the shortest waves of three octaves are then off by .006 turns rms, and archives take 2 to 4
 * bytes for the places of a tracer instead of 9 to 16. 0: with all digits. */
static double find_lattice(const vt_simulation *s)
{
    return s->def.method.rounding == 0 ? 0 : vti_power_below(s->grid.core / 64);
}

void vti_begin_in_eddies(vt_simulation *s, int64_t first, int64_t count)
{
    const vt_tracers *const t = &s->tracers;
    if (!t->set.used[VT_TRACER_eddy_place])
        return;
    for (int64_t i = 6 * first; i < 6 * (first + count); i++)
        t->eddy_place[i] = t->position[i / 6 * 3 + i % 3];
}

/* A unit vector, from the numbers of a key that come after n. */
static void choose_direction(uint64_t seed, uint64_t stream, uint64_t *n, double direction[3])
{
    double square = 0;
    while (!(square > 0.01 && square < 1)) {
        for (int a = 0; a < 3; a++)
            direction[a] = 2 * vti_random(seed, stream, (*n)++) - 1;
        square = vti_dot(direction, direction);
    }
    for (int a = 0; a < 3; a++)
        direction[a] /= sqrt(square);
}

/* A wave of an octave, whose wavelengths are about `length`, and whose waves together have the rms
 * speed `speed`. Each number is rounded to float once: gcc 12 leaves out roundings on the way when
 * it makes vectors of this, clang does not. */
static vt_eddy_wave choose_wave(uint64_t seed, uint64_t stream, uint64_t *n, double length,
                                double speed)
{
    /* The mean square of a wave is 8/15. */
    const double size = sqrt(15.0 / 8.0 / VT_EDDY_WAVES);
    double k[3], other[3], across[3], square = 0;
    choose_direction(seed, stream, n, k);
    while (!(square > 0.01)) {
        choose_direction(seed, stream, n, other);
        vti_cross(k, other, across);
        square = vti_dot(across, across);
    }
    const double number = 0.75 + 0.6 * vti_random(seed, stream, (*n)++);
    vt_eddy_wave wave = {.phase = (float)vti_random(seed, stream, (*n)++)};
    for (int a = 0; a < 3; a++) {
        wave.k[a] = (float)(number * k[a] / length);
        wave.amplitude[a] = (float)(size / sqrt(square) * across[a] * speed);
    }
    return wave;
}

/* b = a x k / k^2 */
static void find_potential(vt_eddy_wave *w)
{
    const float *const a = w->amplitude, *const k = w->k;
    const float square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    for (int n = 0; n < 3; n++) {
        const int m = (n + 1) % 3, o = (n + 2) % 3;
        w->potential[n] = (a[m] * k[o] - a[o] * k[m]) / square;
    }
}

/* The waves of a field since its renewal number `renewal`. Kolmogorov: speeds fall as the cube root
 * of lengths. */
static void make_waves(const vt_simulation *s, uint64_t renewal, double weight,
                       vt_eddy_field *field)
{
    const double cube_root_of_2 = 1.2599210498948732;
    double length = first_wave * s->grid.core, speed = weight;
    uint64_t n = 0;
    for (int32_t octave = 0; octave < s->def.detail; octave++) {
        for (int w = 0; w < VT_EDDY_WAVES; w++) {
            vt_eddy_wave wave = choose_wave(s->def.seed ^ 0x65646479u, renewal, &n, length, speed);
            find_potential(&wave);
            field->wave[octave * VT_EDDY_WAVES + w] = wave;
        }
        length /= 2;
        speed /= cube_root_of_2;
    }
}

/* Field f is renewed each time the clock passes a whole number of half periods that is f more than
 * an even one; its weight is then 0. */
static void turn_clock(vt_simulation *s, double time, vt_eddies_of_substep *e)
{
    const double turned = s->eddies.angle;
    const double half = most_turned / 2, before = s->eddies.turned / half;
    s->eddies.turned += turned;
    const double now = s->eddies.turned / half;
    for (int f = 0; f < VT_EDDY_FIELDS; f++) {
        const double number = floor((now - f) / 2);
        e->field[f].renewed = s->eddies.turned == turned || number > floor((before - f) / 2);
        if (e->field[f].renewed)
            s->eddies.renewed_at[f] = time;
        e->field[f].age = (float)(time - s->eddies.renewed_at[f]);
        /* sin and cos of a quarter turn, by parabolas: the squares of both have the sum 1 */
        const double part = (now - f) / 2 - number, hump = 4 * part * (1 - part);
        const double away = vti_abs(part - 0.5), other = 4 * away * (1 - away);
        make_waves(s, (uint64_t)(int64_t)(2 * number + f + 4),
                   hump / sqrt(hump * hump + other * other), &e->field[f]);
    }
}

static void use_columns(vt_simulation *s)
{
    vt_set *const set = &s->tracers.set;
    if (set->used[VT_TRACER_eddy_place])
        return;
    set->used[VT_TRACER_eddy_place] = 1;
    vti_begin_in_eddies(s, 0, set->count);
}

/* By the strain of now, at `time`. */
static void stir(vt_simulation *s, double time)
{
    vt_eddies_of_substep e = {.waves = s->def.detail * VT_EDDY_WAVES,
                              .share = speed_share * s->def.detail_strength * s->grid.core,
                              .dt = s->eddies.time,
                              .lattice = find_lattice(s)};
    memcpy(e.wind, s->winds.velocity, sizeof e.wind);
    use_columns(s);
    turn_clock(s, time, &e);
    const vt_tracers *const t = &s->tracers;
    const vt_stirred_rows rows = {t->position, t->age, t->eddy_place};
    const size_t mark = vti_arena_mark(&s->arena);
    f4 *const strain = vti_make_nodes(s, &s->grid);
    s->stages->strain(&s->grid, strain, s->def.threads);
    e.strain = strain;
    s->stages->stir(&s->grid, &e, t->set.count, &rows, s->def.threads);
    vti_arena_pop(&s->arena, mark);
    s->eddies.time = s->eddies.angle = 0;
}

void vti_stir_tracers(vt_simulation *s, double dt, double turned, int is_last)
{
    if (s->def.detail == 0 || !s->fields_exist || s->tracers.set.count == 0)
        return;
    s->eddies.time += dt;
    s->eddies.angle += turned;
    if (is_last || s->eddies.angle >= least_turned)
        stir(s, s->time + dt);
}
