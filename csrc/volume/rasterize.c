#include "volume/rasterize.h"

#include "base/decay.h"
#include "base/math_double.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "volume/sharp.h"
#include "volume/smooth.h"
#include "volume/tracer_source.h"
#include "volume/walled_voxels.h"

enum {
    SIDE = VT_LEAF_SIDE + 1, /* of a leaf with its margin */
    MARGINED = SIDE * SIDE * SIDE,
    PITCH = 736, /* floats from one such leaf to the next */
    AHEAD = 16,  /* points that are asked for before their turn */
    ALL_OPEN = 255
};

typedef double pair __attribute__((vector_size(16)));

typedef struct raster {
    const vt_tracer_source *source;
    const float *amount; /* what is deposited: of each tracer, times value where that is not NULL;
                            NULL: 1 */
    const float *value;
    double scale; /* 1 / voxel volume, 1/m^3, of each of its points */
    int threads;
    vt_spread *spread; /* of each tracer, where the volume is to be sharp */
    vt_sorted_points points;
    vt_walls walls;
    vt_walled_voxels walled;
    uint8_t *open;    /* of each sorted point, corners that it gives to; NULL: all, of all points */
    float *margined;  /* leaves x PITCH: deposit with margin, kg/m^3 */
    uint8_t *touched; /* bit d: reaches the upper neighbour (d >> 2, d >> 1 & 1, d & 1) */
    vt_leaves hat;    /* the deposit, margins gathered */
    double variance;  /* of the filter, voxels^2 */
    float *share;     /* of the hat that is spread by a voxel instead; NULL: none */
    float *wide;      /* that part of it */
    _Bool marked;     /* the hat knows its active voxels: those with density */
    _Atomic int infinite; /* whether there is a density that is */
    float *amounts;       /* of the tracers, where they are none of the source's columns */
    float *mass;          /* of all tracers, filtered, where that is not the density */
    vt_volume *volume;
} raster;

static vt_status no_memory(const raster *r)
{
    return vti_fail(VT_OUT_OF_MEMORY, "no memory for the density of %lld tracers",
                    (long long)r->source->count);
}

/* ---- walls ---- */

static void open_corners_of_leaf(void *context, int64_t leaf)
{
    const raster *const r = context;
    const int64_t first = leaf ? r->points.ends[leaf - 1] : 0;
    const vt_walled_leaf *const walled = vti_walled_leaf(&r->walled, r->points.leaves.keys[leaf]);
    memset(r->open + first, ALL_OPEN, (size_t)(r->points.ends[leaf] - first));
    for (int64_t i = first; i < r->points.ends[leaf] && walled; i++) {
        double place[3];
        vti_locate_point(&r->points, r->points.sorted[i], place);
        r->open[i] = vti_open_corners(&r->walled, walled, place);
    }
}

/* What the walls shut around each point, where they come near. */
static vt_status look_at_walls(raster *r)
{
    const vt_status status = vti_find_walled_voxels(&r->walls, r->volume->voxel_size,
                                                    &r->points.leaves, r->threads, &r->walled);
    if (status != VT_OK || r->walled.keys.count == 0)
        return status;
    r->open = vti_borrow((size_t)r->points.count);
    if (!r->open)
        return no_memory(r);
    vti_parallel_each(r->threads, r->points.leaves.count, 4, open_corners_of_leaf, r);
    return VT_OK;
}

/* NULL: none comes near. */
static const vt_walled_voxels *walled_voxels(const raster *r)
{
    return r->open ? &r->walled : NULL;
}

/* ---- hat deposit ---- */

static const int corner_offset[8] = {
    0, 1, SIDE, SIDE + 1, SIDE * SIDE, SIDE * SIDE + 1, SIDE * SIDE + SIDE, SIDE * SIDE + SIDE + 1};

/* Adds an amount to the 8 voxels around a point. */
static inline void add_to_corners(double amount, const double part[3], double *sums)
{
    const double upper = amount * part[2];
    const pair along_z = {amount - upper, upper};
    const pair x1 = along_z * part[0], x0 = along_z - x1;
    const pair x1y1 = x1 * part[1], x0y1 = x0 * part[1];
    const pair parts[4] = {x0 - x0y1, x0y1, x1 - x1y1, x1y1};
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        double *const at = sums + corner_offset[2 * i];
        pair sum;
        memcpy(&sum, at, sizeof sum);
        sum += parts[i];
        memcpy(at, &sum, sizeof sum);
    }
}

/* The same where walls shut some of them: the others take all, each by its share; where these are
 * rounding alone, in equal parts. */
static void add_to_open_corners(double amount, const double part[3], unsigned open, double *sums)
{
    double share[8], all = 0.0;
    for (int c = 0; c < 8; c++) {
        share[c] = open >> c & 1 ? 1.0 : 0.0;
        for (int axis = 0; axis < 3; axis++)
            share[c] *= c >> (2 - axis) & 1 ? part[axis] : 1.0 - part[axis];
        all += share[c];
    }
    const int even = !(all > 1e-9);
    const double scale = amount / (even ? __builtin_popcount(open) : all);
    for (int c = 0; c < 8; c++)
        if (open >> c & 1)
            sums[corner_offset[c]] += even ? scale : scale * share[c];
}

/* Adds a point to those of the 8 voxels around it that are open; returns which upper faces of the
 * leaf it reaches over. Sums are double: a voxel may receive a million tracers. */
static inline int deposit_point(const raster *r, int64_t point, unsigned open, double *sums)
{
    int32_t voxel[3];
    double part[3];
    const int64_t tracer = point >> r->points.shift;
    vti_locate_point(&r->points, point, part);
    for (int axis = 0; axis < 3; axis++) {
        voxel[axis] = (int32_t)part[axis];
        part[axis] -= voxel[axis];
    }
    const int x = voxel[0] & 7, y = voxel[1] & 7, z = voxel[2] & 7;
    const double amount = r->amount ? (double)r->amount[tracer] : 1.0;
    const double weight = r->value ? amount * (double)r->value[tracer] : amount;
    double *const at = sums + (x * SIDE + y) * SIDE + z;
    if (open == ALL_OPEN)
        add_to_corners(weight, part, at);
    else
        add_to_open_corners(weight, part, open, at);
    return (x + 1) >> 3 << 2 | (y + 1) >> 3 << 1 | (z + 1) >> 3;
}

/* The tracers of a leaf lie anywhere in their columns, which the processor does not foresee. */
static inline void prefetch_point(const raster *r, int64_t i)
{
    const int64_t tracer = r->points.sorted[i < r->points.count ? i : 0] >> r->points.shift;
    __builtin_prefetch(r->source->position + 3 * tracer);
    if (r->amount)
        __builtin_prefetch(r->amount + tracer);
    if (r->value)
        __builtin_prefetch(r->value + tracer);
}

static void deposit_leaf(void *context, int64_t leaf)
{
    raster *const r = context;
    double sums[MARGINED] = {0.0};
    float *const out = r->margined + leaf * PITCH;
    unsigned over = 0;
    for (int64_t i = leaf ? r->points.ends[leaf - 1] : 0; i < r->points.ends[leaf]; i++) {
        prefetch_point(r, i + AHEAD);
        over |= 1u << deposit_point(r, r->points.sorted[i], r->open ? r->open[i] : ALL_OPEN, sums);
    }
    for (int i = 0; i < MARGINED; i++)
        out[i] = (float)(sums[i] * r->scale);
    /* Over two faces is also over each of them. */
    for (unsigned d = 7; d > 0; d--)
        for (unsigned part = 1; over >> d & 1 && part < d; part++)
            over |= (part & ~d) == 0 ? 1u << part : 0u;
    r->touched[leaf] = (uint8_t)over;
}

/* One leaf of the hat deposit: its own part and the margins of its lower neighbours. */
static void gather_margins(const raster *r, uint64_t key, float *values)
{
    const vt_neighbourhood around = vti_neighbours(key);
    for (int d = 0; d < 8; d++) {
        const int step[3] = {d >> 2, d >> 1 & 1, d & 1};
        const int64_t leaf =
            vti_leaf_row(&r->points.leaves, vti_neighbour(&around, -step[0], -step[1], -step[2]));
        if (leaf < 0)
            continue;
        const float *const from = r->margined + leaf * PITCH +
                                  VT_LEAF_SIDE * ((step[0] * SIDE + step[1]) * SIDE + step[2]);
        const int nx = step[0] ? 1 : 8, ny = step[1] ? 1 : 8, nz = step[2] ? 1 : 8;
        for (int x = 0; x < nx; x++)
            for (int y = 0; y < ny; y++)
                for (int z = 0; z < nz; z++)
                    values[64 * x + 8 * y + z] += from[(x * SIDE + y) * SIDE + z];
    }
}

static void gather_leaf(void *context, int64_t row)
{
    raster *const r = context;
    float *const values = r->hat.values + row * VT_LEAF_VOXELS;
    memset(values, 0, VT_LEAF_VOXELS * sizeof *values);
    gather_margins(r, r->hat.keys[row], values);
    if (!r->marked && !vti_mark_active(&r->hat, row))
        r->infinite = 1;
}

static int add_touched(const raster *r, vt_key_set *keys)
{
    for (int64_t leaf = 0; leaf < r->points.leaves.count; leaf++) {
        const vt_neighbourhood around = vti_neighbours(r->points.leaves.keys[leaf]);
        for (int d = 0; d < 8; d++)
            if ((d == 0 || r->touched[leaf] >> d & 1) &&
                vti_key_set_add(keys, vti_neighbour(&around, d >> 2, d >> 1 & 1, d & 1)) < 0)
                return -1;
    }
    return 0;
}

static vt_status check_finite(const raster *r, const char *what)
{
    if (r->infinite)
        return vti_fail(VT_NOT_FINITE, "%s of a voxel of %g m is too large for a float32", what,
                        r->volume->voxel_size);
    return VT_OK;
}

static vt_status deposit(raster *r)
{
    vt_key_set keys = {0};
    r->margined = vti_borrow((size_t)r->points.leaves.count * PITCH * sizeof *r->margined);
    r->touched = vti_allocate((size_t)r->points.leaves.count);
    if (!r->margined || !r->touched)
        return no_memory(r);
    vti_parallel_each(r->threads, r->points.leaves.count, 4, deposit_leaf, r);
    const vt_status status =
        add_touched(r, &keys) == 0 ? vti_create_leaves(&r->hat, 1, 1, &keys) : no_memory(r);
    vti_key_set_destroy(&keys);
    if (status != VT_OK)
        return status;
    vti_parallel_each(r->threads, r->hat.count, 16, gather_leaf, r);
    r->marked = 1;
    return check_finite(r, "density");
}

/* Deposits another amount of the tracers into the same leaves. */
static void deposit_again(raster *r, const float *amount, const float *value)
{
    r->amount = amount;
    r->value = value;
    vti_parallel_each(r->threads, r->points.leaves.count, 4, deposit_leaf, r);
    vti_parallel_each(r->threads, r->hat.count, 16, gather_leaf, r);
}

/* ---- filter ---- */

#define SPLINE (1.0 / 12.0) /* variance that makes a quadratic B-spline of the hat */
#define WIDEST 1.0          /* variance above which detail goes */

/* With few tracers in a voxel (n), the variance of a Gaussian of half of their spacing, which is
 * n^(-1/3) voxels, as a mixture of the two filters. */
static void find_shares(void *context, int64_t begin, int64_t end)
{
    const raster *const r = context;
    const double h = r->volume->voxel_size;
    for (int64_t i = begin * VT_LEAF_VOXELS; i < end * VT_LEAF_VOXELS; i++) {
        const double spacing = 1.0 / vti_cbrt((double)r->share[i] * h * h * h + 1e-9);
        const double share = (0.25 * spacing * spacing - SPLINE) / (WIDEST - SPLINE);
        r->share[i] = share > 0.0 ? (share < 1.0 ? (float)share : 1.0f) : 0.0f;
    }
}

/* Tracers that were born close together may have come apart: how far, says their number around each
 * voxel. Leaves the density in the hat. */
static vt_status share_by_count(raster *r)
{
    const size_t bytes = (size_t)r->hat.count * VT_LEAF_VOXELS * sizeof(float);
    float *const density = r->hat.values;
    r->share = vti_borrow(bytes);
    r->wide = vti_borrow(bytes);
    if (!r->share || !r->wide)
        return no_memory(r);
    r->hat.values = r->wide;
    deposit_again(r, NULL, NULL);
    vti_smooth_values(&r->hat, walled_voxels(r), WIDEST, r->threads, &r->hat, r->share);
    vti_parallel_for(r->threads, r->hat.count, 16, find_shares, r);
    r->hat.values = density;
    return VT_OK;
}

static void take_share(void *context, int64_t begin, int64_t end)
{
    const raster *const r = context;
    for (int64_t i = begin * VT_LEAF_VOXELS; i < end * VT_LEAF_VOXELS; i++) {
        r->wide[i] = r->hat.values[i] * r->share[i];
        r->hat.values[i] -= r->wide[i];
    }
}

/* The part of the hat that is spread widely; the rest of it stays there. */
static vt_leaves wide_part(const raster *r)
{
    vt_leaves wide = r->hat;
    wide.values = r->wide;
    vti_parallel_for(r->threads, r->hat.count, 16, take_share, (void *)r);
    return wide;
}

static vt_status smooth_density(raster *r, vt_leaves *density)
{
    const vt_walled_voxels *const walled = walled_voxels(r);
    if (!r->share)
        return vti_smooth_leaves(&r->hat, walled, r->variance, r->threads, density);
    const vt_leaves wide = wide_part(r);
    const vt_status status = vti_smooth_leaves(&wide, walled, WIDEST, r->threads, density);
    if (status == VT_OK)
        vti_add_smoothed_values(&r->hat, walled, r->variance, r->threads, density, density->values);
    return status;
}

/* No smoke comes to some of the voxels that the filter reaches, where walls are. */
static vt_status filter_density(raster *r)
{
    vt_leaves *const density = &r->volume->density;
    const vt_status status = smooth_density(r, density);
    return status == VT_OK && r->open ? vti_drop_zeros(density, r->threads) : status;
}

/* As the density, into values on its leaves. */
static void filter_hat(raster *r, float *values)
{
    const vt_leaves *const density = &r->volume->density;
    const vt_walled_voxels *const walled = walled_voxels(r);
    if (r->share) {
        const vt_leaves wide = wide_part(r);
        vti_smooth_values(&wide, walled, WIDEST, r->threads, density, values);
        vti_add_smoothed_values(&r->hat, walled, r->variance, r->threads, density, values);
    } else {
        vti_smooth_values(&r->hat, walled, r->variance, r->threads, density, values);
    }
}

/* ---- fields ---- */

/* Another amount of the tracers, filtered as the density, in values on its leaves. */
static void rasterize_again(raster *r, const float *amount, const float *value, float *values)
{
    deposit_again(r, amount, value);
    filter_hat(r, values);
}

typedef struct division {
    raster *raster;
    const float *mass;
    float *sums; /* become means */
    float outside;
} division;

static void divide_leaves(void *context, int64_t begin, int64_t end)
{
    const division *const d = context;
    for (int64_t i = begin * VT_LEAF_VOXELS; i < end * VT_LEAF_VOXELS; i++) {
        d->sums[i] = d->mass[i] > 0.0f ? d->sums[i] / d->mass[i] : d->outside;
        if (d->sums[i] - d->sums[i] != 0.0f)
            d->raster->infinite = 1;
    }
}

static float *allocate_values(const raster *r)
{
    return vti_borrow((size_t)r->volume->density.count * VT_LEAF_VOXELS * sizeof(float));
}

static vt_status make_mean(raster *r, int field, const float *value, float outside)
{
    const vt_leaves *const density = &r->volume->density;
    float *const values = r->volume->field[field] = allocate_values(r);
    division d = {r, r->mass ? r->mass : density->values, values, outside};
    if (!values)
        return no_memory(r);
    rasterize_again(r, r->source->density, value, values);
    vti_parallel_for(r->threads, density->count, 16, divide_leaves, &d);
    return check_finite(r, vt_volume_field_name(field));
}

/* Of the mass only what is smoke by now stays density; the rest is kept to divide by. */
static vt_status keep_smoke(raster *r)
{
    const vt_tracer_source *const s = r->source;
    const float ignition = vti_tracers_ignite_at(s);
    vt_leaves *const density = &r->volume->density;
    r->mass = density->values;
    density->values = allocate_values(r);
    if (!density->values)
        return no_memory(r);
    for (int64_t i = 0; i < s->count; i++)
        r->amounts[i] = vti_smoke_share(s, ignition, i);
    rasterize_again(r, s->density, r->amounts, density->values);
    return VT_OK;
}

/* Values smoothed by a voxel, in the voxels that tracers reach. */
static void smooth_inside(const raster *r, double variance, float *values, float *smoothed)
{
    vt_leaves from = r->volume->density;
    from.values = values;
    vti_smooth_values(&from, walled_voxels(r), variance, r->threads, &r->volume->density, smoothed);
    for (int64_t i = 0; i < from.count * VT_LEAF_VOXELS; i++)
        smoothed[i] = r->mass[i] > 0.0f ? smoothed[i] : 0.0f;
}

/* Smoothed by a voxel more: what the births have of a pattern, stretched by the flow, must not show
 * in a flame. */
static vt_status make_coverage(raster *r)
{
    const float *const size = r->source->size;
    float *const values = allocate_values(r);
    float *const smoothed = r->volume->field[VT_VOLUME_coverage] = allocate_values(r);
    const _Bool enough = values && smoothed;
    if (enough) {
        for (int64_t i = 0; i < r->source->count; i++)
            r->amounts[i] = size[i] * size[i] * size[i];
        rasterize_again(r, r->amounts, NULL, values);
        smooth_inside(r, 1.0, values, smoothed);
    }
    vti_return_borrowed(values);
    return enough ? VT_OK : no_memory(r);
}

/* How much it glows where this share of the mass burns at the moment: fuel that is still to burn is
 * dark. Both shares count as their squares: half of a flame, or a flame in twice the air, makes
 * half of the heat and is half as hot. */
static float glow_of(float flame, float coverage)
{
    const float burning = flame * (1.0f / 0.08f), covered = coverage * 60.0f;
    return (1.0f - vti_decay(-burning * burning)) * (1.0f - vti_decay(-covered * covered));
}

/* Tracers beside each other are not of one age: of a smooth flame each shows another moment, so
 * that the mean is taken over a voxel more than the others. */
static vt_status make_glow(raster *r)
{
    float *const *const field = r->volume->field;
    const int64_t count = r->volume->density.count * VT_LEAF_VOXELS;
    float *const mass = allocate_values(r), *const burning = allocate_values(r);
    float *const glow = r->volume->field[VT_VOLUME_glow] = allocate_values(r);
    const double half = 0.5;
    const _Bool enough = mass && burning && glow;
    if (enough) {
        for (int64_t i = 0; i < count; i++)
            mass[i] = r->mass[i] * field[VT_VOLUME_flame][i];
        smooth_inside(r, half, mass, burning);
        smooth_inside(r, half, r->mass, mass);
    }
    for (int64_t i = 0; i < count && enough; i++)
        glow[i] = mass[i] > 0.0f ? glow_of(burning[i] / mass[i], field[VT_VOLUME_coverage][i]) : 0;
    vti_return_borrowed(mass);
    vti_return_borrowed(burning);
    return enough ? VT_OK : no_memory(r);
}

static vt_status make_fields(raster *r)
{
    const vt_tracer_source *const s = r->source;
    const int burns = s->fuel || s->flame || s->smoke;
    vt_status status = VT_OK;
    if (r->volume->density.count == 0)
        return VT_OK;
    if (burns) {
        r->amounts = vti_borrow((size_t)s->count * sizeof *r->amounts);
        status = r->amounts ? keep_smoke(r) : no_memory(r);
    }
    if (status == VT_OK && s->temperature)
        status = make_mean(r, VT_VOLUME_temperature, s->temperature, (float)s->ambient_temperature);
    if (status == VT_OK && s->fuel)
        status = make_mean(r, VT_VOLUME_fuel, s->fuel, 0.0f);
    if (status == VT_OK && s->flame)
        status = make_mean(r, VT_VOLUME_flame, s->flame, 0.0f);
    if (status == VT_OK && s->flame)
        status = make_coverage(r);
    if (status == VT_OK && s->flame)
        status = make_glow(r);
    return status;
}

/* ---- together ---- */

/* With 4 tracers or more in an active voxel, or tracers that are spread already, the variance of
 * the spline; with fewer that of a Gaussian of half the spacing at birth, but not above a voxel;
 * where that is less, by their number around each voxel. */
static vt_status choose_filter(raster *r)
{
    int64_t active = 0;
    for (int64_t row = 0; row < r->hat.count; row++)
        active += vti_leaf_active(&r->hat, row);
    const double d = r->points.size * r->points.per_voxel, gaussian = 0.25 * d * d;
    r->variance = SPLINE;
    if (r->spread || r->source->count >= 4 * active)
        return VT_OK;
    if (gaussian < SPLINE)
        return share_by_count(r);
    r->variance = gaussian < WIDEST ? gaussian : WIDEST;
    return VT_OK;
}

static vt_status rasterize(raster *r)
{
    const double h = r->volume->voxel_size, per_voxel = 1.0 / h;
    vt_status status = vti_list_walls(r->source->bodies, &r->walls);
    if (status == VT_OK && r->volume->sharp)
        status = vti_find_spreads(r->source, &r->walls, h, r->threads, &r->spread);
    if (status == VT_OK)
        status = vti_sort_points(r->source, r->spread, h, r->threads, &r->points);
    if (status == VT_OK)
        status = look_at_walls(r);
    r->scale = per_voxel * per_voxel * per_voxel / (double)(1 << r->points.shift);
    if (status == VT_OK)
        status = deposit(r);
    if (status == VT_OK)
        status = choose_filter(r);
    if (status == VT_OK)
        status = filter_density(r);
    return status == VT_OK ? make_fields(r) : status;
}

static void destroy_raster(raster *r)
{
    vti_destroy_sorted_points(&r->points);
    vti_destroy_walled_voxels(&r->walled);
    vti_destroy_walls(&r->walls);
    vti_return_borrowed(r->open);
    vti_destroy_leaves(&r->hat);
    vti_return_borrowed(r->spread);
    vti_return_borrowed(r->margined);
    vti_return_borrowed(r->share);
    vti_return_borrowed(r->wide);
    vti_free(r->touched);
    vti_return_borrowed(r->amounts);
    vti_return_borrowed(r->mass);
}

vt_status vti_rasterize(const vt_tracer_source *source, vt_volume *volume)
{
    volume->density = (vt_leaves){.components = 1};
    if (source->count == 0)
        return VT_OK;
    raster r = {
        .source = source, .amount = source->density, .threads = volume->threads, .volume = volume};
    const vt_status status = rasterize(&r);
    destroy_raster(&r);
    return status;
}
