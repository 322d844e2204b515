#include "population/thermal_expansion.h"

#include "state/particles.h"
#include "state/predicates.h"

enum { BLOCK = 512 };

/* Of a volume, in a substep: what is heated at once pushes the fluid away in parts. With 1.02 the
 * volume comes behind the temperature (tests/test_expansion.py). */
static const double most_growth = 1.2;

typedef struct expand_context {
    const vt_vortons *vortons;
    vt_fluid fluid;
    double dt;
} expand_context;

static void note_block(void *data, int64_t begin, int64_t end)
{
    const vt_vortons *const v = ((const expand_context *)data)->vortons;
    for (int64_t i = begin; i < end; i++)
        if (!(v->volume_temperature[i] > 0)) {
            v->volume_temperature[i] = v->temperature[i];
            v->birth_volume[i] = v->volume[i];
        }
}

/* Growth of the volume, at most as far as a substep goes; *noted becomes its temperature then. */
static double find_growth(const vt_fluid *f, double temperature, double *noted)
{
    const double before = vti_relative_volume(f, *noted);
    const double change = vti_relative_volume(f, temperature) / before;
    const double part = change > most_growth       ? most_growth
                        : change < 1 / most_growth ? 1 / most_growth
                                                   : change;
    *noted = part == change ? temperature : vti_temperature_of_volume(f, before * part);
    return vti_swollen(f, part);
}

/* Whether a volume follows its temperature now. Less of a change than counts waits until more has
 * come to it: step by step single precision would make noise of it, and of every vorton a source of
 * that noise. */
static int is_due(const vt_vortons *v, int64_t row)
{
    const float noted = v->volume_temperature[row];
    return fabsf(v->temperature[row] - noted) > (float)VT_LEAST_CONTRAST * noted;
}

/* What fluid that an emitter has just made has more of volume than the ambient fluid of which it is
 * made had, m^3. */
static double gained_at_birth(const expand_context *c, int64_t row)
{
    const vt_vortons *const v = c->vortons;
    if (!(v->flags[row] & VT_FLAG_NEWBORN_FLUID))
        return 0;
    v->flags[row] &= ~(uint32_t)VT_FLAG_NEWBORN_FLUID;
    return (double)v->volume[row] *
           (1 - vti_ambient_share(&c->fluid, v->position + 3 * row, v->volume_temperature[row]));
}

static void expand_block(void *data, int64_t begin, int64_t end)
{
    const expand_context *const c = data;
    const vt_vortons *const v = c->vortons;
    for (int64_t i = begin; i < end; i++) {
        const double gained = gained_at_birth(c, i);
        v->swelling[i] = (float)(gained / c->dt);
        if (!is_due(v, i))
            continue;
        double noted = (double)v->volume_temperature[i];
        const double before = (double)v->volume[i];
        const float growth = (float)find_growth(&c->fluid, (double)v->temperature[i], &noted);
        v->volume[i] *= growth;
        v->bound_volume[i] *= growth; /* strength stays, vorticity falls */
        v->volume_temperature[i] = (float)noted;
        v->swelling[i] = (float)((gained + (double)v->volume[i] - before) / c->dt);
    }
}

void vti_note_volumes(vt_simulation *s)
{
    expand_context c = {&s->vortons, vti_fluid_of(&s->def), 0};
    vti_use_vorton_column(s, VT_VORTON_volume_temperature);
    vti_use_vorton_column(s, VT_VORTON_birth_volume);
    vti_parallel_for(s->def.threads, s->vortons.set.count, BLOCK, note_block, &c);
}

void vti_expand(vt_simulation *s, double dt)
{
    expand_context c = {&s->vortons, vti_fluid_of(&s->def), dt};
    vti_use_vorton_column(s, VT_VORTON_swelling);
    vti_parallel_for(s->def.threads, s->vortons.set.count, BLOCK, expand_block, &c);
}
