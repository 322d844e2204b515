#include "step/rounding.h"

#include "base/parallel.h"
#include "state/predicates.h"

enum { BLOCK = 4096 /* rows */ };

static const double share = 0x1p-10;

/* The largest power of 2 that is not above a size; 0: there is none worth rounding to. */
static inline double power_below(double size)
{
    uint64_t bits;
    if (!(size >= 0x1p-60 && size <= 0x1p60))
        return 0;
    memcpy(&bits, &size, sizeof bits);
    bits &= UINT64_C(0x7ff0000000000000);
    memcpy(&size, &bits, sizeof bits);
    return size;
}

/* A row that is not 0 stays so: its largest component is some thousand multiples. */
static void round_rows(void *data, int64_t begin, int64_t end)
{
    float *const rows = data;
    for (int64_t i = begin; i < end; i++) {
        float *const row = rows + 3 * i;
        const float most = fmaxf(fmaxf(fabsf(row[0]), fabsf(row[1])), fabsf(row[2]));
        const double large = 0x1.8p52 * share * power_below((double)most);
        for (int a = 0; a < 3 && large > 0; a++)
            row[a] = (float)(((double)row[a] + large) - large);
    }
}

void vti_round_velocities(vt_simulation *s)
{
    if (s->fields_exist && !vti_accelerations(s))
        vti_parallel_for(s->def.threads, s->vortons.set.count, BLOCK, round_rows,
                         s->vortons.velocity);
}
