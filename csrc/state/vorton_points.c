/* Vortons at given points: born at once, as a structure, or one after the other, as parcels. */
#include "state/vorton_points.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/status.h"
#include "state/births.h"
#include "state/liquid.h"
#include "state/simulation.h"

enum { SCATTER = 0x73636174 };

vt_vorton_points_def vt_default_vorton_points(void)
{
    return (vt_vorton_points_def){.end = INFINITY};
}

/* ---- checks ---- */

/* Of the definition, in the order of the columns. */
static const float **carried_of_points(vt_vorton_points_def *def, int column)
{
    static const size_t offset[VT_CARRIED_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) offsetof(vt_vorton_points_def, name),
#include "vorton/columns.def"
#undef VT_CARRIED
    };
    return (const float **)((char *)def + offset[column]);
}

const float *vt_points_carry(const vt_vorton_points_def *def, int column)
{
    return *carried_of_points((vt_vorton_points_def *)(uintptr_t)def, column);
}

static const float *points_carry(const void *data, int column)
{
    return vt_points_carry(data, column);
}

static const vt_parameter point_parameters[] = {
    {"rate", offsetof(vt_vorton_points_def, rate), {1, 0, 1e9, 0, "vortons a second"}}, {0}};

static vt_status check_points(const vt_vorton_points_def *def)
{
    vt_status status;
    if (!def)
        return vt_fail(VT_INVALID_ARGUMENT, "vorton points must not be NULL");
    if (def->count < 1 || def->count > vt_most_structure_vortons)
        return vt_fail(VT_INVALID_ARGUMENT, "vorton points: count must be 1 .. 2^30, got %lld",
                       (long long)def->count);
    if ((status = vt_check_number("vorton points", "time", def->time, 0.0, 1e12, " s")) ||
        (status = vt_check_number("vorton points", "rate", def->rate, 0.0, 1e9, " 1/s")) ||
        (status = vt_check_number("vorton points", "end", def->end, def->time, INFINITY, " s")) ||
        (status = vt_check_number("vorton points", "jitter", def->jitter, 0.0, 1e9, " m")) ||
        (status = vt_check_animations(point_parameters, "vorton points", def->animation_count,
                                      def->animations)))
        return status;
    for (int64_t i = 0; i < def->count && def->lifetime; i++)
        if (!(def->lifetime[i] > 0))
            return vt_fail(VT_INVALID_ARGUMENT,
                           "vorton points: lifetime has %g in row %lld; allowed is > 0",
                           (double)def->lifetime[i], (long long)i);
    return vt_check_vorton_rows(def->count, def->position, def->strength, def->core, def->volume);
}

/* What they carry: ranges as of the columns, shares of no more than all, fuel that can burn. */
static vt_status check_carried(const vt_simulation *s, const vt_vorton_points_def *def)
{
    static const struct {
        const char *name, *allowed;
        double least, most;
    } ranges[VT_CARRIED_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) {#name, allowed, (double)(least), (double)(most)},
#include "vorton/columns.def"
#undef VT_CARRIED
    };
    for (int64_t i = 0; i < def->count; i++) {
        double sum = 0;
        for (int c = 0; c < VT_CARRIED_COLUMNS; c++) {
            const float *const values = vt_points_carry(def, c);
            const double value = values ? (double)values[i] : 0;
            if (values && !(value >= ranges[c].least && value <= ranges[c].most))
                return vt_fail(VT_INVALID_ARGUMENT,
                               "vorton points: %s of row %lld is %g; allowed are %s",
                               ranges[c].name, (long long)i, value, ranges[c].allowed);
            sum += c == VT_CARRIED_density || c == VT_CARRIED_temperature ? 0 : value;
        }
        const vt_status status =
            def->temperature
                ? vt_check_temperature(&s->def, "vorton points", (double)def->temperature[i])
                : VT_OK;
        if (status)
            return status;
        if (sum > 1 + 1e-6)
            return vt_fail(VT_INVALID_ARGUMENT,
                           "vorton points: fuel + flame + smoke of row %lld are %g of the mass; "
                           "allowed is 1 in all",
                           (long long)i, sum);
        if (def->fuel && def->fuel[i] > 0 && s->def.combustion.law == VT_BURN_NONE)
            return vt_fail(VT_INVALID_ARGUMENT,
                           "vorton points: fuel of row %lld is %g of the mass; allowed is 0 "
                           "without a law by which it burns (combustion)",
                           (long long)i, (double)def->fuel[i]);
    }
    return VT_OK;
}

vt_vorton_points_def *vt_copy_vorton_points(const vt_vorton_points_def *def)
{
    const size_t rows = (size_t)def->count;
    vt_vorton_points_def *const block =
        malloc(sizeof *block + (36 + 4 * VT_CARRIED_COLUMNS) * rows);
    if (!block)
        return NULL;
    float *const arrays = (float *)(block + 1);
    *block = *def;
    block->animations = NULL;
    block->position = memcpy(arrays, def->position, 12 * rows);
    block->strength = memcpy(arrays + 3 * rows, def->strength, 12 * rows);
    block->core = memcpy(arrays + 6 * rows, def->core, 4 * rows);
    block->volume = memcpy(arrays + 7 * rows, def->volume, 4 * rows);
    if (def->lifetime)
        block->lifetime = memcpy(arrays + 8 * rows, def->lifetime, 4 * rows);
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++) {
        const float **const values = carried_of_points(block, c);
        if (*values)
            *values = memcpy(arrays + (9 + (size_t)c) * rows, *values, 4 * rows);
    }
    return block;
}

/* ---- at once: the definition, with the arrays behind it in the same block, scattered ---- */

static void scatter_points(const vt_simulation *s, vt_vorton_points_def *block)
{
    const uint64_t seed = vt_random_bits(s->def.seed, SCATTER, 0);
    float *const position = (float *)(block + 1);
    for (int64_t i = 0; i < block->count; i++)
        vt_scatter(seed, (uint64_t)i, block->jitter, position + 3 * i, position + 3 * i);
}

static int64_t count_points(const void *data, int64_t pulse)
{
    (void)pulse;
    return ((const vt_vorton_points_def *)data)->count;
}

static void fill_points(const void *data, int64_t pulse, vt_vorton_list *list)
{
    (void)pulse;
    const vt_vorton_points_def *const def = data;
    const size_t rows = (size_t)def->count;
    memcpy(list->position, def->position, 12 * rows);
    memcpy(list->strength, def->strength, 12 * rows);
    memcpy(list->core, def->core, 4 * rows);
    memcpy(list->volume, def->volume, 4 * rows);
    list->count = def->count;
}

static const float *lifetimes_of(const void *data)
{
    return ((const vt_vorton_points_def *)data)->lifetime;
}

static const vt_structure_kind points_kind = {
    "set of vortons", count_points, fill_points, free, NULL, points_carry, lifetimes_of};

/* ---- one after the other ---- */

static void scale_vector(const vt_pose *pose, const float vector[3], float result[3])
{
    double before[3], after[3];
    for (int c = 0; c < 3; c++)
        before[c] = (double)vector[c];
    vt_pose_direction(pose, before, after);
    for (int c = 0; c < 3; c++)
        result[c] = (float)(pose->scale * after[c]);
}

/* Birth number n, at its point, becomes row `to` of the list. */
static void bear_point(const vt_simulation *s, const vt_parcels *p, int64_t n, double time,
                       int64_t to, vt_parcel_list *list)
{
    const vt_vorton_points_def *const d = p->points;
    const int64_t point = n % d->count;
    const vt_pose pose = vt_pose_at(&s->transforms, p->parent, time);
    const float scale = (float)pose.scale;
    double place[3], world[3];
    float *const position = list->position + 3 * to;
    vt_scatter(p->seed, (uint64_t)n, d->jitter, d->position + 3 * point, position);
    for (int c = 0; c < 3; c++)
        place[c] = (double)position[c];
    vt_pose_point(&pose, place, world);
    for (int c = 0; c < 3; c++)
        position[c] = (float)world[c];
    scale_vector(&pose, d->strength + 3 * point, list->strength + 3 * to);
    list->core[to] = d->core[point] * scale;
    list->volume[to] = d->volume[point] * scale * scale * scale;
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++) {
        const float *const values = vt_points_carry(d, c);
        list->carried[c][to] = values ? values[point] : 0;
    }
    list->lifetime[to] = d->lifetime ? d->lifetime[point] : INFINITY;
    list->time[to] = time;
}

vt_parcel_list vt_list_points(vt_simulation *s, const vt_parcels *p, double from, double to,
                              int64_t room)
{
    const vt_rate_sum *const sum = p->rate_sum.track ? &p->rate_sum : NULL;
    const double spacing = 1 / p->rate, last = fmin(to, p->end);
    const int64_t first = vt_first_event_of(sum, p->start, spacing, from);
    const int64_t end = vt_first_event_of(sum, p->start, spacing, last);
    const int64_t born = from < p->end && to > p->start && end > first ? end - first : 0;
    vt_parcel_list list = vt_new_parcel_list(&s->arena, born < room ? born : room);
    for (list.count = 0; list.count < born && list.count < room; list.count++)
        bear_point(s, p, first + list.count,
                   vt_event_time(sum, p->start, spacing, first + list.count), list.count, &list);
    return list;
}

int vt_parcels_are_neutral(const vt_parcels *p)
{
    for (int64_t i = 0; p->points && i < 3 * p->points->count; i++)
        if (p->points->strength[i] != 0)
            return 0;
    return 1;
}

int vt_parcels_are_vortices(const vt_parcels *p)
{
    int fluid = p->points == NULL;
    for (int c = 0; c < VT_CARRIED_COLUMNS && !fluid; c++)
        fluid = vt_points_carry(p->points, c) != NULL;
    return !fluid;
}

static vt_status keep_stream(vt_simulation *s, const vt_vorton_points_def *def)
{
    vt_parcels p = {.rate = def->rate,
                    .start = def->time,
                    .end = def->end,
                    .lifetime = (double)INFINITY,
                    .parent = def->parent};
    vt_status status =
        vt_copy_animations(point_parameters, def->animation_count, def->animations, &p.animations);
    const vt_track *const rate = vt_find_animation(&p.animations, "rate");
    double least;
    if (!status && rate) {
        vt_track_extremes(rate, 0, &least, &p.rate);
        status = vt_create_rate_sum(rate, p.start, &p.rate_sum);
    }
    if (!status && !(p.points = vt_copy_vorton_points(def)))
        status = vt_fail(VT_OUT_OF_MEMORY, "no memory for %lld points", (long long)def->count);
    for (int c = 0; c < VT_CARRIED_COLUMNS; c++) /* says which there are */
        *vt_fluid_member(&p.fluid, c) = vt_points_carry(def, c) != NULL;
    if (!status)
        status = vt_keep_parcels(s, &p);
    if (status)
        vt_destroy_parcels(&p);
    return status;
}

/* ---- adding ---- */

static vt_status add_stream(vt_simulation *s, const vt_vorton_points_def *def)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_check_parent(&s->transforms, def->parent);
    if (!status)
        status = keep_stream(s, def);
    vt_leave(s);
    return status;
}

vt_status vt_add_vorton_points(vt_simulation *s, const vt_vorton_points_def *def)
{
    vt_status status = check_points(def);
    if (!status && !s)
        status = vt_fail(VT_INVALID_ARGUMENT, "simulation must not be NULL");
    if (!status)
        status = check_carried(s, def);
    if (status)
        return status;
    if (def->rate > 0 || def->animation_count > 0)
        return add_stream(s, def);
    vt_vorton_points_def *const block = vt_copy_vorton_points(def);
    if (!block)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for %lld vortons", (long long)def->count);
    scatter_points(s, block);
    return vt_add_structure(s, &(vt_structure){.kind = &points_kind,
                                               .data = block,
                                               .start = def->time,
                                               .end = INFINITY,
                                               .parent = def->parent});
}
