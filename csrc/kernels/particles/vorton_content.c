#include "kernels/particles/vorton_content.h"

#include "base/parallel.h"
#include "kernels/grid/trilinear.h"

enum { PARTS = VT_LANES / VL, BLOCK = 2048 };

typedef struct context {
    const vt_content_rows *rows;
    const vt_fluid *fluid;
    const vt_content_limits *limits;
    double *sum;
    uint8_t *part;
} context;

/* Some vortons: their strength, |rho'|, and whether something in them burns, or they differ from
 * the ambient fluid at all (all bits, or none). */
typedef struct content {
    float strength[3][VT_LANES], volume[VT_LANES], contrast[VT_LANES];
    int32_t burns[VT_LANES], differs[VT_LANES];
} content;

/* Their |rho'|, and whether they are warmer or colder. */
VT_INLINE void compare_density(const context *c, int64_t i, int at, content *to)
{
    const vt_content_rows *const rows = c->rows;
    const vi sign = vi_set(INT32_MAX);
    const vf own = rows->density ? vf_load(rows->density + i) : (vf){0};
    vf position[3], deviation = own;
    vi differs = own != (vf){0};
    if (rows->temperature) {
        vti_load_rows(rows->position + 3 * i, position);
        const vf temperature = vf_load(rows->temperature + i);
        const vf ambient = vti_ambient_of_lanes(c->fluid, position);
        deviation = vti_deviation_of_lanes(c->fluid, ambient, temperature, own);
        if (c->limits)
            differs |=
                (vf)((vi)(temperature - ambient) & sign) > vf_set(c->limits->warmth) * ambient;
    }
    vf_store(to->contrast + at, (vf)((vi)deviation & sign));
    vi_store(to->differs + at, differs);
}

VT_INLINE void find_burning(const context *c, int64_t i, int at, content *to)
{
    const vf least = vf_set(c->limits->burning);
    vi burns = {0};
    if (c->rows->fuel)
        burns |= vf_load(c->rows->fuel + i) > least;
    if (c->rows->flame)
        burns |= vf_load(c->rows->flame + i) > least;
    vi_store(to->burns + at, burns);
}

VT_INLINE void load(const context *c, int64_t i, content *to)
{
    for (int p = 0; p < PARTS; p++) {
        const int at = VL * p;
        vf strength[3];
        vti_load_rows(c->rows->strength + 3 * (i + at), strength);
        for (int a = 0; a < 3; a++)
            vf_store(to->strength[a] + at, strength[a]);
        compare_density(c, i + at, at, to);
        if (c->limits)
            find_burning(c, i + at, at, to);
    }
    memcpy(to->volume, c->rows->volume + i, sizeof to->volume);
}

VT_INLINE double square_of(const content *of, int lane)
{
    const double x = (double)of->strength[0][lane], y = (double)of->strength[1][lane],
                 z = (double)of->strength[2][lane];
    return x * x + y * y + z * z;
}

/* ---- sums ---- */

static void sum_block(void *data, int64_t begin, int64_t end)
{
    const context c = *(const context *)data;
    double sum[VT_CONTENT_SUMS] = {0};
    for (int64_t i = begin; i < end; i += VT_LANES) {
        content now;
        double term[VT_CONTENT_SUMS][VT_LANES];
        const int64_t left = end - i < VT_LANES ? end - i : VT_LANES;
        load(&c, i, &now);
        for (int l = 0; l < VT_LANES; l++) {
            const double square = square_of(&now, l), size = __builtin_sqrt(square),
                         volume = (double)now.volume[l], contrast = (double)now.contrast[l];
            term[0][l] = size;
            term[1][l] = size * volume;
            term[2][l] = square / volume;
            term[3][l] = volume * contrast;
            term[4][l] = volume * contrast * contrast;
        }
        for (int64_t l = 0; l < left; l++)
            for (int n = 0; n < VT_CONTENT_SUMS; n++)
                sum[n] += term[n][l];
    }
    memcpy(c.sum + begin / VT_CONTENT_BLOCK * VT_CONTENT_SUMS, sum, sizeof sum);
}

void VT_NAME(sum_content)(int64_t count, const vt_content_rows *rows, const vt_fluid *fluid,
                          double *block, int threads)
{
    context c = {.rows = rows, .fluid = fluid, .sum = block};
    vti_parallel_for(threads, count, VT_CONTENT_BLOCK, sum_block, &c);
}

/* ---- which ---- */

static void find_block(void *data, int64_t begin, int64_t end)
{
    const context c = *(const context *)data;
    const vt_content_limits limits = *c.limits;
    for (int64_t i = begin; i < end; i += VT_LANES) {
        content now;
        uint8_t part[VT_LANES];
        const int64_t left = end - i < VT_LANES ? end - i : VT_LANES;
        load(&c, i, &now);
        for (int l = 0; l < VT_LANES; l++) {
            const double least = limits.vorticity * (double)now.volume[l];
            const int carries = square_of(&now, l) > least * least;
            const int other = ((double)now.contrast[l] > limits.contrast) | (now.burns[l] != 0);
            const int source =
                (carries & limits.strength_counts) | (other & limits.contrast_counts);
            const int any = carries | ((now.differs[l] | now.burns[l]) != 0);
            part[l] = (uint8_t)(source * VT_CONTENT_SOURCE | any * VT_CONTENT_ANY);
        }
        memcpy(c.part + i, part, (size_t)left);
    }
}

void VT_NAME(find_content)(int64_t count, const vt_content_rows *rows, const vt_fluid *fluid,
                           const vt_content_limits *limits, uint8_t *part, int threads)
{
    context c = {.rows = rows, .fluid = fluid, .limits = limits, .part = part};
    vti_parallel_for(threads, count, BLOCK, find_block, &c);
}
