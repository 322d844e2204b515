#include "step/rounding.h"

#include "base/parallel.h"
#include "state/predicates.h"
#include "step/substep_length.h"

enum { BLOCK = 4096 /* rows */ };

static const double multiples_in_change = 0x1p9, share_lattice = 0x1p-21;

/* The largest power of 2 that is not above a size; 0: there is none worth rounding to. */
static double power_below(double size)
{
    uint64_t bits;
    if (!(size >= 0x1p-60 && size <= 0x1p60))
        return 0;
    memcpy(&bits, &size, sizeof bits);
    bits &= UINT64_C(0x7ff0000000000000);
    memcpy(&size, &bits, sizeof bits);
    return size;
}

/* The nearest multiple of a power of 2; what has no digits below it stays as it is. */
static inline double nearest(double value, double lattice)
{
    const double large = 0x1.8p52 * lattice;
    return __builtin_fabs(value) < 0x1p30 * lattice ? (value + large) - large : value;
}

/* ---- velocities ---- */

typedef struct velocities {
    float *rows;
    double lattice;
} velocities;

/* A velocity of 0 says that there was none: one that is not 0 keeps a multiple where it is largest.
 */
static void round_velocities(void *data, int64_t begin, int64_t end)
{
    const velocities *const v = data;
    for (int64_t i = begin; i < end; i++) {
        float *const row = v->rows + 3 * i;
        int largest = 0;
        for (int a = 1; a < 3; a++)
            if (fabsf(row[a]) > fabsf(row[largest]))
                largest = a;
        const float before = row[largest];
        for (int a = 0; a < 3; a++)
            row[a] = (float)nearest((double)row[a], v->lattice);
        if (before != 0 && row[largest] == 0)
            row[largest] = copysignf((float)v->lattice, before);
    }
}

void vti_round_velocities(vt_simulation *s)
{
    const double core = s->fields_exist ? s->grid.core : 0;
    velocities v = {s->vortons.velocity,
                    power_below(core * vti_fast_gradient(s) / multiples_in_change)};
    if (v.lattice > 0 && !vti_accelerations(s))
        vti_parallel_for(s->def.threads, s->vortons.set.count, BLOCK, round_velocities, &v);
}

/* ---- shares of the mass ---- */

typedef struct shares {
    float *share[3]; /* NULL: not used */
} shares;

static void round_shares(void *data, int64_t begin, int64_t end)
{
    const shares *const c = data;
    for (int64_t i = begin; i < end; i++) {
        double sum = 0, rounded = 0;
        for (int n = 0; n < 3; n++) {
            if (!c->share[n])
                continue;
            sum += (double)c->share[n][i];
            const double next = nearest(sum, share_lattice);
            c->share[n][i] = (float)(next - rounded);
            rounded = next;
        }
    }
}

void vti_round_tracer_shares(vt_simulation *s)
{
    const vt_set *const set = &s->tracers.set;
    if (!vti_tracers_burn(s))
        return;
    shares c = {{vti_used_column(set, VT_TRACER_fuel), vti_used_column(set, VT_TRACER_flame),
                 vti_used_column(set, VT_TRACER_smoke)}};
    vti_parallel_for(s->def.threads, set->count, BLOCK, round_shares, &c);
}
