#include "state/check_columns.h"

#include <float.h>

#include "base/status.h"
#include "state/simulation.h"

enum { SUMS = 8192 };

typedef struct range {
    int column;
    float least, most;
    const char *allowed;
} range;

enum { CORE, SWELLING }; /* their places in the table */

static const range vorton_ranges[] = {
    [CORE] = {VT_VORTON_core, FLT_MIN, FLT_MAX, "finite values > 0"},
    [SWELLING] = {VT_VORTON_swelling, -FLT_MAX, FLT_MAX, "finite values"},
    {VT_VORTON_volume, FLT_MIN, FLT_MAX, "finite values > 0"},
    {VT_VORTON_bound_volume, 0, FLT_MAX, "finite values >= 0"},
#define VT_CARRIED(name, least, most, allowed) {VT_VORTON_##name, least, most, allowed},
#include "vorton/columns.def"
    {VT_VORTON_age, -FLT_MAX, FLT_MAX, "finite values"},
    {VT_VORTON_lifetime, -INFINITY, INFINITY, "numbers"},
};

/* Of shares that the library has found itself: of means, and of burning through thousands of
 * steps, 6e-8 in each. */
#define ROUNDING 1e-3f

static const range tracer_ranges[] = {
    {VT_TRACER_position, -FLT_MAX, FLT_MAX, "finite values"},
    {VT_TRACER_density, 0, FLT_MAX, "finite values >= 0"},
    {VT_TRACER_size, 0, FLT_MAX, "finite values >= 0"},
    {VT_TRACER_age, -FLT_MAX, FLT_MAX, "finite values"},
    {VT_TRACER_lifetime, -INFINITY, INFINITY, "numbers"},
    {VT_TRACER_growth, 0, FLT_MAX, "finite values >= 0"},
    {VT_TRACER_fade, 0, 1, "0 to 1"},
    {VT_TRACER_warmth, -FLT_MAX, FLT_MAX, "finite values"},
    {VT_TRACER_fuel, -ROUNDING, 1 + ROUNDING, "0 to 1"},
    {VT_TRACER_flame, -ROUNDING, 1 + ROUNDING, "0 to 1"},
    {VT_TRACER_smoke, -ROUNDING, 1 + ROUNDING, "0 to 1"},
};

static int is_allowed(float value, float least, float most)
{
    return value >= least && value <= most;
}

static vt_status report(const vt_simulation *s, int set, const range *r, const float *values,
                        int components)
{
    const vt_set *const rows = set == VT_VORTONS ? &s->vortons.set : &s->tracers.set;
    const int64_t *const id = set == VT_VORTONS ? s->vortons.id : s->tracers.id;
    vt_column_field field = {.struct_size = sizeof field};
    vt_describe_column(set, r->column, &field);
    for (int64_t i = 0; i < rows->count * components; i++)
        if (!is_allowed(values[i], r->least, r->most))
            return vti_fail(VT_NOT_FINITE, "%s.%s has %g in row %lld (id %lld); allowed are %s",
                            set == VT_VORTONS ? "vortons" : "tracers", field.name,
                            (double)values[i], (long long)(i / components),
                            (long long)id[i / components], r->allowed);
    return VT_OK;
}

static vt_status check_column(const vt_simulation *s, int set, const range *r)
{
    const vt_set *const rows = set == VT_VORTONS ? &s->vortons.set : &s->tracers.set;
    const int components = (int)(rows->row_bytes[r->column] / 4);
    const float *const values = rows->column[r->column];
    int32_t beyond;
    s->stages->limits(rows->count * components, values, r->least, r->most, &beyond, s->def.threads);
    return beyond ? report(s, set, r, values, components) : VT_OK;
}

static vt_status check_if_viewed(const vt_simulation *s, int set, const range *r)
{
    return vti_is_viewed(s, set, r->column) ? check_column(s, set, r) : VT_OK;
}

vt_status vti_check_cores(const vt_simulation *s)
{
    return check_if_viewed(s, VT_VORTONS, &vorton_ranges[CORE]);
}

vt_status vti_check_swelling(const vt_simulation *s)
{
    return check_if_viewed(s, VT_VORTONS, &vorton_ranges[SWELLING]);
}

typedef struct shares {
    const float *share[3]; /* fuel, flame, smoke; NULL: not used */
    _Atomic int32_t bad;
} shares;

static double sum_shares(const shares *c, int64_t row)
{
    double sum = 0;
    for (int n = 0; n < 3; n++)
        sum += c->share[n] ? (double)c->share[n][row] : 0;
    return sum;
}

/* Together they are no more than all, but for the rounding of their sum. */
static int is_too_much(double sum)
{
    return sum > 1 + 1e-6;
}

static void check_sums(void *data, int64_t begin, int64_t end)
{
    shares *const c = data;
    int32_t bad = 0;
    for (int64_t i = begin; i < end; i++)
        bad |= is_too_much(sum_shares(c, i));
    if (bad)
        c->bad = 1;
}

static vt_status check_shares(const vt_simulation *s)
{
    static const int columns[] = {VT_VORTON_fuel, VT_VORTON_flame, VT_VORTON_smoke};
    const vt_set *const rows = &s->vortons.set;
    shares c = {.bad = 0};
    int viewed = 0;
    for (int n = 0; n < 3; n++) {
        c.share[n] = vti_used_column(rows, columns[n]);
        viewed |= vti_is_viewed(s, VT_VORTONS, columns[n]);
    }
    if (viewed)
        vti_parallel_for(s->def.threads, rows->count, SUMS, check_sums, &c);
    for (int64_t i = 0; c.bad && i < rows->count; i++)
        if (is_too_much(sum_shares(&c, i)))
            return vti_fail(VT_NOT_FINITE,
                            "vortons.fuel + flame + smoke is %g in row %lld (id %lld); allowed are "
                            "0 to 1",
                            sum_shares(&c, i), (long long)i, (long long)s->vortons.id[i]);
    return VT_OK;
}

static vt_status check_flags(const vt_simulation *s)
{
    const uint32_t known = 0
#define VT_FLAG(name, bit, description) | 1u << bit
#include "vorton/columns.def"
        ;
    if (!vti_is_viewed(s, VT_VORTONS, VT_VORTON_flags))
        return VT_OK;
    for (int64_t i = 0; i < s->vortons.set.count; i++)
        if (s->vortons.flags[i] & ~known)
            return vti_fail(VT_INVALID_ARGUMENT,
                            "vortons.flags has %#x in row %lld (id %lld); allowed are bits of %#x",
                            s->vortons.flags[i], (long long)i, (long long)s->vortons.id[i], known);
    return VT_OK;
}

vt_status vti_check_columns(const vt_simulation *s, int set)
{
    const range *const ranges = set == VT_VORTONS ? vorton_ranges : tracer_ranges;
    const size_t count = set == VT_VORTONS ? sizeof vorton_ranges / sizeof *ranges
                                           : sizeof tracer_ranges / sizeof *ranges;
    vt_status status = VT_OK;
    for (size_t n = 0; !status && n < count; n++)
        status = check_if_viewed(s, set, &ranges[n]);
    if (!status && set == VT_VORTONS)
        status = check_flags(s);
    return status || set != VT_VORTONS ? status : check_shares(s);
}

vt_status vti_check_warmth(const vt_simulation *s)
{
    const float *const temperature = vti_used_column(&s->vortons.set, VT_VORTON_temperature);
    const double most = vti_hottest(&s->def);
    if (!temperature || !isfinite(most))
        return VT_OK;
    for (int64_t i = 0; i < s->vortons.set.count; i++)
        if (!((double)temperature[i] < most))
            return vti_fail(
                VT_INVALID_ARGUMENT,
                "vortons.temperature has %g K in row %lld (id %lld), where the density of "
                "the liquid would be %g kg/m^3; allowed is less than %g K",
                (double)temperature[i], (long long)i, (long long)s->vortons.id[i],
                vti_liquid_density(&s->def.ambient, (double)temperature[i]), most);
    return VT_OK;
}
