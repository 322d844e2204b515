#include "sources/random_cloud.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/region_points.h"
#include "geometry/smooth_window.h"
#include "model/birth_sequence.h"
#include "sources/vortex_cross_section.h"
#include "state/predicates.h"

#include <math.h>

/* Keys of the random numbers. */
enum { DIRECTIONS = 0x636c64, PHASES, PLACES };

enum { BLOCK = 256, CLOUD_WAVES = 96 };

/* Wavelengths, in eddies. */
static const double shortest = 1.25, longest = 3.2;

typedef struct vt_cloud {
    vt_cloud_def def;
    vt_region region;
    vt_smooth_window window;
    vt_wave wave[CLOUD_WAVES];
} vt_cloud;

static double core_of(const vt_cloud_def *def)
{
    return def->core > 0.0 ? def->core : 0.2 * def->eddy;
}

/* ---- checks ---- */

static vt_status check_core(const vt_cloud_def *def)
{
    if (def->core != 0.0 && !(def->core >= 1e-9 && 4.0 * def->core <= def->eddy))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "cloud.core is %g m; allowed is 0 (eddy / 5), or 1e-9 m to eddy / 4, %g m",
                        def->core, 0.25 * def->eddy);
    return VT_OK;
}

static vt_status check_numbers(const vt_cloud_def *def)
{
    const vt_status status = check_core(def);
    if (status)
        return status;
    if (def->shape.layer != 0.0)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "cloud.shape.layer is %g m; allowed is 0: a cloud fills its shape",
                        def->shape.layer);
    return VT_OK;
}

static vt_status check_window(const vt_cloud *cloud)
{
    const vt_smooth_window *const w = &cloud->window;
    float largest = 0.0f;
    for (int64_t n = 0; n < (int64_t)w->nodes[0] * w->nodes[1] * w->nodes[2]; n++)
        largest = w->value[n] > largest ? w->value[n] : largest;
    if (!(largest >= 0.5f))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "cloud.eddy is %g m; allowed is less than its shape is thick",
                        cloud->def.eddy);
    return VT_OK;
}

/* ---- waves ---- */

vt_wave vti_make_wave(uint64_t seed, double eddy, double core, uint64_t n)
{
    vt_wave wave;
    double place[3], normal[2][3];
    const double x_axis[3] = {1, 0, 0};
    vti_sequence_point(vti_random_bits(seed, DIRECTIONS, 0), n, place);
    const double z = 2.0 * place[0] - 1.0, radius = vti_sqrt(1.0 - z * z);
    double direction[3] = {radius * vti_cos_pi(2.0 * place[1]), radius * vti_sin_pi(2.0 * place[1]),
                           z};
    vti_normal_to(direction, x_axis, normal[0]);
    vti_cross(direction, normal[0], normal[1]);
    const double length =
        eddy * longest * vti_exp(place[2] * (vti_log(shortest) - vti_log(longest)));
    const double k = 2.0 * VT_PI / length, angle = 2.0 * vti_random(seed, PHASES, 2 * n);
    const double sharpened = vti_exp(0.5 * k * k * core * core);
    for (int c = 0; c < 3; c++) {
        wave.k[c] = k * direction[c];
        wave.amplitude[c] =
            sharpened * (vti_cos_pi(angle) * normal[0][c] + vti_sin_pi(angle) * normal[1][c]);
    }
    vti_cross(wave.k, wave.amplitude, wave.curl);
    wave.phase = vti_random(seed, PHASES, 2 * n + 1);
    return wave;
}

double vti_share_by_filters(const double k[3], double core, int filters)
{
    const double g = vti_exp(-0.5 * vti_dot(k, k) * core * core);
    double lost = 1;
    for (int n = 0; n < filters; n++)
        lost *= 1 - g;
    return filters > 1 ? g / (1 - lost) : 1;
}

/* Adds value and curl of the wave at a point. */
static void add_wave(const vt_wave *wave, const double point[3], double v[3], double curl[3])
{
    const double angle = vti_dot(wave->k, point) / VT_PI + 2.0 * wave->phase;
    vti_add_scaled(v, vti_cos_pi(angle), wave->amplitude);
    vti_add_scaled(curl, -vti_sin_pi(angle), wave->curl);
}

static int64_t count(const void *data, int64_t pulse)
{
    const vt_cloud *const cloud = data;
    (void)pulse;
    if (cloud->def.count > 0)
        return cloud->def.count;
    const double core = core_of(&cloud->def);
    const double wanted = vti_floor(cloud->region.volume / (core * core * core) + 0.5);
    const double most = (double)vt_most_structure_vortons;
    return wanted < 1.0 ? 1 : wanted > most ? vt_most_structure_vortons + 1 : (int64_t)wanted;
}

/* ---- vortons ---- */

typedef struct fill_context {
    const vt_cloud *cloud;
    const vt_wave *wave;
    const float *position;
    float *strength; /* receives omega */
    float *window;   /* receives w^2 */
    float *speed;    /* receives w^2 v^2 */
} fill_context;

static void fill_one(void *context, int64_t i)
{
    const fill_context *const c = context;
    double point[3], v[3] = {0}, curl[3] = {0}, gradient[3], across[3];
    vti_widen(c->position + 3 * i, point);
    for (int n = 0; n < CLOUD_WAVES; n++)
        add_wave(&c->wave[n], point, v, curl);
    const double w = vti_smooth_window_at(&c->cloud->window, point, gradient);
    vti_cross(gradient, v, across);
    for (int a = 0; a < 3; a++)
        c->strength[3 * i + a] = (float)(w * curl[a] + across[a]);
    c->window[i] = (float)(w * w);
    c->speed[i] = (float)(w * w * vti_dot(v, v));
}

/* Rms amplitude of the waves: how much stronger they are before the blobs smooth them. */
static double sharpening(const vt_wave wave[CLOUD_WAVES])
{
    double sum = 0.0;
    for (int n = 0; n < CLOUD_WAVES; n++)
        sum += vti_dot(wave[n].amplitude, wave[n].amplitude);
    return vti_sqrt(sum / CLOUD_WAVES);
}

/* The waves that cores of so many filters smooth to those of the cloud. */
static void suit_waves(const vt_cloud *cloud, int filters, vt_wave wave[CLOUD_WAVES])
{
    for (int n = 0; n < CLOUD_WAVES; n++) {
        wave[n] = cloud->wave[n];
        const double share = vti_share_by_filters(wave[n].k, core_of(&cloud->def), filters);
        for (int c = 0; c < 3; c++) {
            wave[n].amplitude[c] *= share;
            wave[n].curl[c] *= share;
        }
    }
}

/* Cores that are still to be chosen are none of the sharp ones where there is a cloud. */
static int filters_of(const vt_simulation *s, double core)
{
    const int open = s->def.method.cores == VT_CORES_AUTOMATIC && !s->cores_are_known;
    return open ? 1 : vti_filters_at_birth(s, core);
}

static void fill(const void *data, int64_t pulse, vt_vorton_list *list)
{
    const vt_cloud *const cloud = data;
    const vt_cloud_def *const def = &cloud->def;
    const int64_t rows = count(cloud, pulse);
    const double volume = cloud->region.volume / (double)rows;
    double windows = 0.0, squares = 0.0;
    vti_fill_region(&cloud->region, vti_random_bits(def->seed, PLACES, 0), rows, list->position);
    /* Cores and volumes are scratch until they are known. */
    vt_wave wave[CLOUD_WAVES];
    suit_waves(cloud, filters_of(list->simulation, core_of(def) * list->scale), wave);
    fill_context context = {cloud, wave, list->position, list->strength, list->core, list->volume};
    vti_parallel_each(list->simulation->def.threads, rows, BLOCK, fill_one, &context);
    for (int64_t i = 0; i < rows; i++) {
        windows += (double)list->core[i];
        squares += (double)list->volume[i];
    }
    const double speed = def->speed * sharpening(wave);
    const double scale = squares > 0.0 ? speed * vti_sqrt(windows / squares) * volume : 0.0;
    for (int64_t i = 0; i < rows; i++) {
        double strength[3];
        for (int c = 0; c < 3; c++) {
            strength[c] = scale * (double)list->strength[3 * i + c];
            list->strength[3 * i + c] = (float)strength[c];
            list->sum[c] += (double)list->strength[3 * i + c];
        }
        list->sum_of_sizes += vti_sqrt(vti_dot(strength, strength));
        list->core[i] = (float)core_of(def);
        list->volume[i] = (float)volume;
    }
    list->count = rows;
    vti_remove_sum(list);
}

/* ---- as a structure ---- */

static void destroy(void *data)
{
    vt_cloud *const cloud = data;
    vti_destroy_smooth_window(&cloud->window);
    vti_destroy_region(&cloud->region);
    vti_free(cloud);
}

static vt_fluid_def fluid(const void *data, int64_t pulse)
{
    (void)pulse;
    return ((const vt_cloud *)data)->def.fluid;
}

/* Region, window and waves of a cloud that has its definition alone. */
static vt_status lay_out(vt_cloud *cloud)
{
    const vt_cloud_def *const def = &cloud->def;
    vt_status status = vti_create_region(&def->shape, &cloud->region);
    if (status)
        return status;
    cloud->def.shape = cloud->region.shape;
    status = vti_create_smooth_window(&cloud->region, def->eddy, &cloud->window);
    if (!status)
        status = check_window(cloud);
    if (!status && count(cloud, 0) > vt_most_structure_vortons)
        status = vti_fail(VT_INVALID_ARGUMENT,
                          "cloud.core is %g m; allowed is what takes up to 2^30 vortons in %g m^3",
                          core_of(def), cloud->region.volume);
    for (uint64_t n = 0; n < CLOUD_WAVES; n++)
        cloud->wave[n] = vti_make_wave(def->seed, def->eddy, core_of(def), n);
    return status;
}

vt_status vti_create_cloud(const void *data, vt_structure *made)
{
    static const vt_structure_kind kind = {
        .name = "cloud", .count = count, .fill = fill, .destroy = destroy, .fluid = fluid};
    const vt_cloud_def *const def = data;
    vt_status status = check_numbers(def);
    if (status)
        return status;
    vt_cloud *const cloud = vti_allocate(sizeof *cloud);
    if (!cloud)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a cloud");
    *cloud = (vt_cloud){.def = *def};
    status = lay_out(cloud);
    if (status) {
        destroy(cloud);
        return status;
    }
    *made = (vt_structure){
        .kind = &kind, .data = cloud, .start = def->time, .end = INFINITY, .parent = def->parent};
    return VT_OK;
}
