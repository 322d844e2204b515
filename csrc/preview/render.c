/* A lit picture of smoke: one ray per pixel over a graded background, then a filmic curve
 * (Narkowicz 2015, fit of the ACES tone curve) and sRGB (IEC 61966-2-1). */
#include <math.h>
#include <stdlib.h>

#include "animation/definition_checks.h"
#include "animation/definition.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/vec3.h"
#include "preview/bodies.h"
#include "preview/light.h"

#define TILE 16           /* pixels along the edge of a tile, the unit of parallel work */
#define TYPICAL_DEPTH 9.0 /* optical depth of the 95th percentile of rays */
#define TYPICAL_FLAME 3.0 /* radiance of the 95th percentile of those that meet fire */
#define LEAST_PART 1e-3f  /* of the most that a ray meets, which counts */
#define PROBES 160        /* rays across the picture that measure it */
#define CURVE 2048        /* intervals of the sRGB table */

/* ---- arguments ---- */

static _Bool is_dyed(const vt_preview_def *def)
{
    return def->dye[0] != def->dye[1];
}

static vt_status check_preview(const vt_volume *volume, const vt_preview_def *def,
                               const void *result)
{
    vt_march unused;
    double key[3];
    if (!volume || !def || !result)
        return vti_fail(VT_INVALID_ARGUMENT, "preview %s must not be NULL",
                        !volume ? "volume"
                        : !def  ? "definition"
                                : "result");
    const vt_status status = vti_check_rows(&vti_preview_definition, "preview ", def);
    if (status != VT_OK)
        return status;
    if (is_dyed(def) && !vt_volume_carries(volume, VT_VOLUME_temperature))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "preview dye shows temperature; the tracers of this volume carry none");
    memcpy(key, def->key_direction, sizeof key);
    if (!vti_scale_to(key, 1.0))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "preview key_direction is (%g, %g, %g); allowed is a length above 1e-12",
                        def->key_direction[0], def->key_direction[1], def->key_direction[2]);
    return vti_start_march(NULL, def, def->width, def->height, &unused);
}

/* ---- extinction and emission ---- */

typedef struct probing {
    vt_march march;
    float *column; /* of every probe ray, kg/m^2 */
    float *power;  /* m of what glows wholly, at 2000 K */
    float *length; /* m of the flame: (the integral of its power)^2 / that of its square */
} probing;

static void probe_row(void *context, int64_t y)
{
    const probing *const p = context;
    const int32_t width = p->march.width;
    const float length = (float)(p->march.step * p->march.bricks->cell);
    for (int64_t x = 0; x < width; x++) {
        const vt_seen seen = vti_march_ray(&p->march, x, y, (vt_stretch){0, INFINITY});
        p->column[y * width + x] = seen.column * length;
        p->power[y * width + x] = seen.power * length;
        p->length[y * width + x] =
            seen.square > 0.0f ? length * seen.power * seen.power / seen.square : 0.0f;
    }
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The 95th percentile of the values above LEAST_PART of the largest; 0 without any. */
static double high_percentile(float *values, int64_t count)
{
    qsort(values, (size_t)count, sizeof *values, compare_floats);
    int64_t first = 0;
    while (first < count && !(values[first] > LEAST_PART * values[count - 1]))
        first++;
    if (first == count)
        return 0.0;
    return (double)values[first + (int64_t)(0.95 * (double)(count - 1 - first))];
}

static void raise_dull(const probing *p, int64_t count)
{
    const float dull = VT_DULL_GLOW * vti_black_body_power(vti_kelvin_of(VT_DULL_GLOW));
    float most = 0.0f;
    for (int64_t i = 0; i < count; i++)
        most = fmaxf(most, p->power[i]);
    for (int64_t i = 0; i < count; i++)
        p->power[i] =
            p->power[i] > LEAST_PART * most ? fmaxf(p->power[i], dull * p->length[i]) : 0.0f;
}

/* What the 95th percentile of rays wants; 0 where no ray meets smoke, or fire. */
static vt_status measure(const vt_bricks *bricks, const vt_preview_def *def, int threads,
                         double *extinction, double *emission)
{
    probing p;
    int32_t height = (int32_t)((int64_t)PROBES * def->height / def->width);
    height = height < 2 ? 2 : height > 8 * PROBES ? 8 * PROBES : height;
    const vt_status status = vti_start_march(bricks, def, PROBES, height, &p.march);
    const int64_t count = (int64_t)PROBES * height;
    if (status != VT_OK)
        return status;
    p.column = vti_allocate((size_t)count * 3 * sizeof(float));
    if (!p.column)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for the probe rays of a preview");
    p.power = p.column + count;
    p.length = p.power + count;
    vti_parallel_each(threads, height, 4, probe_row, &p);
    raise_dull(&p, count);
    const double column = high_percentile(p.column, count), power = high_percentile(p.power, count);
    *extinction = column > 0.0 ? TYPICAL_DEPTH / column : 0.0;
    *emission = power > 0.0 ? TYPICAL_FLAME / power : 0.0;
    vti_free(p.column);
    return VT_OK;
}

static int thread_count(const vt_preview_def *def)
{
    return def->threads > 0 ? def->threads : vt_available_threads();
}

static vt_status measure_volume(const vt_volume *volume, const vt_preview_def *def,
                                const void *result, double *extinction, double *emission)
{
    vt_bricks bricks;
    vt_accepted accepted;
    vt_status status = vti_accept(&vti_preview_definition, def, &accepted);
    if (status)
        return status;
    def = accepted.def;
    status = check_preview(volume, def, result);
    if (!status)
        status = vti_create_bricks(volume, is_dyed(def), thread_count(def), &bricks);
    if (!status) {
        status = measure(&bricks, def, thread_count(def), extinction, emission);
        vti_destroy_bricks(&bricks);
    }
    vti_give_back(&accepted);
    return status;
}

vt_status vt_preview_extinction(const vt_volume *volume, const vt_preview_def *def,
                                double *extinction)
{
    double emission;
    return measure_volume(volume, def, extinction, extinction, &emission);
}

vt_status vt_preview_emission(const vt_volume *volume, const vt_preview_def *def, double *emission)
{
    double extinction;
    return measure_volume(volume, def, emission, &extinction, emission);
}

/* ---- pixels ---- */

typedef struct picture {
    vt_march march;
    f4 albedo, background[2];
    float exposure;
    float srgb[CURVE + 1]; /* 255 x sRGB of (i / CURVE)^2 */
    uint8_t *pixels;
    const vt_stage *stage;
    f4 *light, *fire; /* of every pixel, where there is fire: all light; the fire alone */
} picture;

/* x^(5/12) = cbrt(x^(5/4)), so the power 1 / 2.4 of sRGB needs roots only. */
static void fill_curve(float *srgb)
{
    for (int i = 0; i <= CURVE; i++) {
        const double root = (double)i / CURVE, x = root * root;
        const double power = vti_cbrt(x * vti_sqrt(root));
        srgb[i] = (float)(255.0 * (x <= 0.0031308 ? 12.92 * x : 1.055 * power - 0.055));
    }
}

static float filmic(float x)
{
    const float y = x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
    return y > 0.0f ? (y < 1.0f ? y : 1.0f) : 0.0f;
}

/* Ordered dither of 8 x 8, in [0, 1): a dark gradient shows bands without it. */
static float dither(int64_t x, int64_t y)
{
    uint32_t bits = 0, a = (uint32_t)(x ^ y), b = (uint32_t)y;
    for (int i = 0; i < 3; i++)
        bits |= ((a >> i & 1u) << (5 - 2 * i)) | ((b >> i & 1u) << (4 - 2 * i));
    return ((float)bits + 0.5f) * (1.0f / 64.0f);
}

static void write_pixel(const picture *p, int64_t x, int64_t y, f4 color)
{
    uint8_t *const pixel = p->pixels + (y * p->march.width + x) * 3;
    const float threshold = dither(x, y);
    for (int c = 0; c < 3; c++) {
        const float place = f1_sqrt(filmic(color[c] * p->exposure)) * CURVE;
        const int32_t i = place < CURVE - 1 ? (int32_t)place : CURVE - 1;
        const float level = p->srgb[i] + (place - (float)i) * (p->srgb[i + 1] - p->srgb[i]);
        pixel[c] = (uint8_t)(level + threshold < 255.0f ? level + threshold : 255.0f);
    }
}

/* Sights of a pixel, thirds of it from its middle: where the first few see the same, the others
 * would, too. */
enum { SIGHTS = 9, FIRST_SIGHTS = 5 };
static const double sight_at[SIGHTS][2] = {{0, 0},  {-1, -1}, {1, -1}, {-1, 1}, {1, 1},
                                           {0, -1}, {-1, 0},  {1, 0},  {0, 1}};

/* Both of the surface of a body. */
static _Bool see_the_same(const vt_sight *a, const vt_sight *b)
{
    return vti_dot(a->normal, b->normal) > 0.95 &&
           vti_abs(a->distance - b->distance) < 0.02 * a->distance;
}

/* Whether the first sights, of which `seen` are of bodies, stand for the pixel. */
static _Bool stand_for_pixel(const vt_sight *sights, int seen)
{
    if (seen > 0 && seen < FIRST_SIGHTS)
        return 0;
    for (int n = 1; n < seen; n++)
        if (sights[n].shaded != sights[0].shaded || !see_the_same(&sights[0], &sights[n]))
            return 0;
    return 1;
}

/* Light of the fire from all sights of a pixel: of those that see much the same, once. */
static f4 fire_on_bodies(const picture *p, const vt_sight *sights, int seen)
{
    f4 sum = f4_set(0.0f);
    _Bool done[SIGHTS] = {0};
    for (int n = 0; n < seen; n++) {
        double point[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
        float clear = 0.0f;
        int count = 0;
        for (int k = n; k < seen; k++) {
            if (done[k] || !see_the_same(&sights[n], &sights[k]))
                continue;
            vti_add_scaled(point, 1.0, sights[k].point);
            vti_add_scaled(normal, 1.0, sights[k].normal);
            done[k] = 1;
            clear += sights[k].clear;
            count++;
        }
        if (count == 0)
            continue;
        for (int c = 0; c < 3; c++)
            point[c] /= count;
        vti_normalise(normal);
        sum += f4_set(clear) * vti_light_of_fire(p->stage, point, normal);
    }
    return sum;
}

/* Bodies in a pixel: the share of it that they cover, and the means of their distance and light,
 * where there is haze mixed with the background. */
static float look_for_bodies(const picture *p, int64_t x, int64_t y, f4 behind, double *distance,
                             f4 *light)
{
    vt_sight sights[SIGHTS];
    int seen = 0, looked = 0;
    *distance = 0;
    *light = f4_set(0.0f);
    while (p->stage->count > 0 && looked < SIGHTS) {
        double way[3];
        vti_ray_of_pixel(&p->march, (double)x + sight_at[looked][0] / 3,
                         (double)y + sight_at[looked][1] / 3, way);
        sights[seen] = vti_see_body(p->stage, p->march.eye, way);
        seen += !isinf(sights[seen].distance);
        looked++;
        if (looked == FIRST_SIGHTS && stand_for_pixel(sights, seen))
            break;
    }
    for (int n = 0; n < seen; n++) {
        *distance += sights[n].distance;
        *light += behind + f4_set(sights[n].clear) * (sights[n].light - behind);
    }
    if (seen == 0)
        return 0.0f;
    if (p->stage->lamps->count > 0)
        *light += fire_on_bodies(p, sights, seen);
    *distance /= seen;
    *light *= f4_set(1.0f / (float)seen);
    return (float)seen / (float)looked;
}

static vt_stretch part_with_smoke(const picture *p, int64_t x, int64_t y)
{
    double way[3];
    vti_ray_of_pixel(&p->march, (double)x, (double)y, way);
    return vti_part_in_rooms(p->stage, p->march.eye, way);
}

/* All light of a pixel before a background, and the fire in it alone. */
static f4 light_of_pixel(const picture *p, int64_t x, int64_t y, f4 behind, f4 *fire)
{
    double distance;
    f4 body, light = f4_set(0.0f);
    const float covered = look_for_bodies(p, x, y, behind, &distance, &body);
    vt_stretch stretch = part_with_smoke(p, x, y);
    *fire = light;
    if (covered < 1.0f) {
        const vt_seen s = vti_march_ray(&p->march, x, y, stretch);
        light = f4_set(1.0f - covered) *
                (s.light * p->albedo + f4_set(s.transmittance) * behind + s.fire);
        *fire = f4_set(1.0f - covered) * s.fire;
    }
    if (covered > 0.0f) {
        stretch.to = fmin(stretch.to, distance);
        const vt_seen s = vti_march_ray(&p->march, x, y, stretch);
        light += f4_set(covered) * (s.light * p->albedo + f4_set(s.transmittance) * body + s.fire);
        *fire += f4_set(covered) * s.fire;
    }
    return light;
}

static void draw_tile(void *context, int64_t tile)
{
    const picture *const p = context;
    const int64_t width = p->march.width, height = p->march.height;
    const int64_t across = (width + TILE - 1) / TILE;
    const int64_t left = tile % across * TILE, top = tile / across * TILE;
    for (int64_t y = top; y < top + TILE && y < height; y++) {
        const float lift = 1.0f - ((float)y + 0.5f) / (float)height;
        const f4 behind = p->background[0] + f4_set(lift) * (p->background[1] - p->background[0]);
        for (int64_t x = left; x < left + TILE && x < width; x++) {
            f4 fire;
            const f4 light = light_of_pixel(p, x, y, behind, &fire);
            if (!p->fire) {
                write_pixel(p, x, y, light);
                continue;
            }
            p->light[y * width + x] = light;
            p->fire[y * width + x] = fire;
        }
    }
}

static void write_row(void *context, int64_t y)
{
    const picture *const p = context;
    const int64_t width = p->march.width;
    for (int64_t x = 0; x < width; x++)
        write_pixel(p, x, y, p->light[y * width + x]);
}

/* Draws all tiles, and the bloom of the fire. */
static vt_status draw_picture(picture *p, const vt_preview_def *def, int threads)
{
    const int64_t across = (def->width + TILE - 1) / TILE, down = (def->height + TILE - 1) / TILE;
    const int64_t count = (int64_t)def->width * def->height;
    if (p->march.body) {
        p->light = vti_allocate_lines((size_t)count * 2 * sizeof(f4));
        if (!p->light)
            return vti_fail(VT_OUT_OF_MEMORY, "no memory for a preview of %d x %d pixels",
                            def->width, def->height);
        p->fire = p->light + count;
    }
    vti_parallel_each(threads, across * down, 1, draw_tile, p);
    if (!p->fire)
        return VT_OK;
    const _Bool enough = def->bloom == 0.0 || vti_add_bloom(def->width, def->height, def->bloom,
                                                            p->fire, p->light, threads);
    if (enough)
        vti_parallel_each(threads, def->height, 16, write_row, p);
    vti_free(p->light);
    return enough ? VT_OK : vti_fail(VT_OUT_OF_MEMORY, "no memory for the bloom of a preview");
}

/* Draws bricks that are lit. */
static vt_status draw_lit(const vt_bricks *bricks, const vt_stage *stage, const vt_preview_def *def,
                          double extinction, const vt_fire *fire, int threads, uint8_t *pixels)
{
    picture p = {.albedo = vti_color(def->albedo, 1.0),
                 .exposure = (float)def->exposure,
                 .pixels = pixels,
                 .stage = stage};
    p.background[0] = vti_color(def->background[0], 1.0);
    p.background[1] = vti_color(def->background[1], 1.0);
    fill_curve(p.srgb);
    vti_start_march(bricks, def, def->width, def->height, &p.march);
    p.march.depth = (float)(extinction * def->step * bricks->cell);
    p.march.radiance = (float)(fire->emission * def->step * bricks->cell);
    p.march.dye[0] = (float)def->dye[0];
    p.march.dye[1] = (float)def->dye[1];
    p.march.body = fire->emission > 0.0 ? &fire->body : NULL;
    return draw_picture(&p, def, threads);
}

static vt_status draw(vt_bricks *bricks, vt_stage *stage, const vt_preview_def *def, int threads,
                      uint8_t *pixels)
{
    double extinction = 0.0, emission = 0.0;
    vt_fire fire = {.emission = 0.0};
    vt_lamps lamps = {.items = NULL};
    vt_status status = VT_OK;
    if (def->extinction == 0.0 || (def->emission == 0.0 && bricks->glow))
        status = measure(bricks, def, threads, &extinction, &emission);
    if (def->extinction > 0.0)
        extinction = def->extinction;
    if (bricks->glow) {
        fire.emission = def->emission > 0.0 ? def->emission : emission;
        vti_fill_black_body(&fire.body);
    }
    if (status == VT_OK)
        status = vti_light_bricks(bricks, stage, def, extinction, &fire, threads);
    if (status == VT_OK && stage->count > 0)
        status = vti_create_lamps(bricks, &fire, threads, &lamps);
    if (status != VT_OK)
        return status;
    stage->lamps = &lamps;
    stage->smoke = bricks;
    status = draw_lit(bricks, stage, def, extinction, &fire, threads, pixels);
    stage->lamps = NULL;
    stage->smoke = NULL;
    vti_destroy_lamps(&lamps);
    return status;
}

static vt_status render_preview_now(const vt_volume *volume, const vt_preview_def *def,
                                    uint8_t *pixels)
{
    vt_bricks bricks;
    vt_stage stage;
    vt_status status = check_preview(volume, def, pixels);
    if (status == VT_OK)
        status = vti_create_stage(def->bodies, def, &stage);
    if (status != VT_OK)
        return status;
    const int threads = thread_count(def);
    status = vti_create_bricks(volume, is_dyed(def), threads, &bricks);
    if (status == VT_OK) {
        status = draw(&bricks, &stage, def, threads, pixels);
        vti_destroy_bricks(&bricks);
    }
    vti_destroy_stage(&stage);
    return status;
}

vt_status vt_render_preview(const vt_volume *volume, const vt_preview_def *def, uint8_t *pixels)
{
    vt_accepted accepted;
    vt_status status = vti_accept(&vti_preview_definition, def, &accepted);
    if (status)
        return status;
    status = render_preview_now(volume, accepted.def, pixels);
    vti_give_back(&accepted);
    return status;
}
