/* A lit picture of smoke: march of one ray per pixel through bricks of density and light, front to
 * back, then a filmic curve (Narkowicz 2015, fit of the ACES tone curve) and sRGB (IEC 61966-2-1).
 * Lengths of the march are in cells (preview.h). */
#include <stdlib.h>

#include "core/mathd.h"
#include "core/parallel.h"
#include "core/status.h"
#include "io/preview.h"

#define TILE 16            /* pixels along the edge of a tile, the unit of parallel work */
#define TRANSPARENT 0.003f /* transmittance below which nothing behind is seen */
#define TYPICAL_DEPTH 9.0  /* optical depth of the 95th percentile of rays */
#define PROBES 160         /* rays across the picture that measure it */
#define SOFT_FROM 2.0f     /* pixels per cell where the cubic lookup begins to mix in */
#define SOFT_OVER 2.0f     /* and how many more until it is alone */
#define CURVE 2048         /* intervals of the sRGB table */

vt_preview_def vt_default_preview(void)
{
    return (vt_preview_def){.width = 640,
                            .height = 480,
                            .eye = {0.0, -5.0, 1.0},
                            .target = {0.0, 0.0, 1.0},
                            .up = {0.0, 0.0, 1.0},
                            .field_of_view = 35.0,
                            .extinction = 0.0,
                            .exposure = 0.6,
                            .albedo = {0.88, 0.87, 0.86},
                            .key_direction = {-0.55, -0.35, 0.75},
                            .key_color = {1.5, 1.46, 1.38},
                            .sky_color = {0.13, 0.16, 0.21},
                            .ground_color = {0.05, 0.05, 0.05},
                            .background = {{0.035, 0.04, 0.045}, {0.08, 0.105, 0.14}},
                            .step = 0.8,
                            .threads = 0};
}

/* ---- arguments ---- */

/* `count` numbers of one name, each from least to most. */
static vt_status check_range(const char *name, const double *value, int count, double least,
                             double most)
{
    for (int i = 0; i < count; i++)
        if (!(value[i] >= least && value[i] <= most))
            return vt_fail(VT_INVALID_ARGUMENT, "preview %s must be from %g to %g, got %g", name,
                           least, most, value[i]);
    return VT_OK;
}

static vt_status check_numbers(const vt_preview_def *def)
{
    const double far = 1e9, bright = 1e6, size[2] = {def->width, def->height};
    const double threads = def->threads;
    const struct {
        const char *name;
        const double *value;
        int count;
        double least, most;
    } rows[] = {{"width and height", size, 2, 16, 8192},
                {"eye", def->eye, 3, -far, far},
                {"target", def->target, 3, -far, far},
                {"up", def->up, 3, -far, far},
                {"field_of_view", &def->field_of_view, 1, 5, 120},
                {"extinction", &def->extinction, 1, 0, 1e30},
                {"exposure", &def->exposure, 1, 0, bright},
                {"albedo", def->albedo, 3, 0, 1},
                {"key_direction", def->key_direction, 3, -far, far},
                {"key_color", def->key_color, 3, 0, bright},
                {"sky_color", def->sky_color, 3, 0, bright},
                {"ground_color", def->ground_color, 3, 0, bright},
                {"background", def->background[0], 6, 0, bright},
                {"step", &def->step, 1, 0.25, 2},
                {"threads", &threads, 1, 0, VT_MAX_THREADS}};
    vt_status status = VT_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == VT_OK; i++)
        status =
            check_range(rows[i].name, rows[i].value, rows[i].count, rows[i].least, rows[i].most);
    return status;
}

/* ---- camera ---- */

typedef struct camera {
    double eye[3], forward[3]; /* m; forward has length 1 */
    double right[3], down[3];  /* from pixel to pixel at distance 1 */
    double corner[3];          /* from the eye to the centre of the first pixel */
} camera;

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* To the given length; 0 when the vector is (nearly) zero. */
static _Bool scale_to(double v[3], double length)
{
    const double now = vt_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(now > 1e-12))
        return 0;
    for (int i = 0; i < 3; i++)
        v[i] *= length / now;
    return 1;
}

static vt_status aim(const vt_preview_def *def, int32_t width, int32_t height, camera *c)
{
    double up[3];
    for (int i = 0; i < 3; i++) {
        c->eye[i] = def->eye[i];
        c->forward[i] = def->target[i] - def->eye[i];
        up[i] = def->up[i];
    }
    if (!scale_to(c->forward, 1.0))
        return vt_fail(VT_INVALID_ARGUMENT, "preview eye and target must differ, both are %g %g %g",
                       def->eye[0], def->eye[1], def->eye[2]);
    if (!scale_to(up, 1.0))
        return vt_fail(VT_INVALID_ARGUMENT, "preview up must not be zero");
    const double angle = def->field_of_view / 360.0;
    const double pixel = 2.0 * vt_sin_pi(angle) / vt_cos_pi(angle) / height;
    cross(c->forward, up, c->right);
    if (!(c->right[0] * c->right[0] + c->right[1] * c->right[1] + c->right[2] * c->right[2] >
          1e-12))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "preview up (%g %g %g) must not be along the view from eye to target",
                       def->up[0], def->up[1], def->up[2]);
    scale_to(c->right, pixel);
    cross(c->forward, c->right, c->down);
    for (int i = 0; i < 3; i++)
        c->corner[i] =
            c->forward[i] - 0.5 * (width - 1) * c->right[i] - 0.5 * (height - 1) * c->down[i];
    return VT_OK;
}

static vt_status check_preview(const vt_preview_def *def)
{
    camera unused;
    double key[3];
    const vt_status status = check_numbers(def);
    if (status != VT_OK)
        return status;
    memcpy(key, def->key_direction, sizeof key);
    if (!scale_to(key, 1.0))
        return vt_fail(VT_INVALID_ARGUMENT, "preview key_direction must not be zero");
    return aim(def, def->width, def->height, &unused);
}

/* ---- lookups ---- */

/* Where in a brick: the cell at or below the point, the rest in [0, 1]. */
typedef struct spot {
    int32_t cell[3];
    float rest[3];
} spot;

/* local: cells from the brick's first cell, 0 .. BRICK up to rounding. */
static inline spot spot_at(const float local[3], int32_t most)
{
    spot s;
    for (int i = 0; i < 3; i++) {
        const int32_t cell = (int32_t)local[i];
        s.cell[i] = cell < 0 ? 0 : cell > most ? most : cell;
        s.rest[i] = local[i] - (float)s.cell[i];
    }
    return s;
}

static inline float mix(float a, float b, float share)
{
    return a + share * (b - a);
}

static inline float linear_lookup(const float *brick, const spot *s)
{
    const float *const low = brick + vt_brick_cell(s->cell[0], s->cell[1], s->cell[2]);
    const float *const high = low + BRICK_SIDE * BRICK_SIDE;
    const float y = s->rest[1], z = s->rest[2];
    const float near = mix(mix(low[0], low[1], z), mix(low[BRICK_SIDE], low[BRICK_SIDE + 1], z), y);
    const float far =
        mix(mix(high[0], high[1], z), mix(high[BRICK_SIDE], high[BRICK_SIDE + 1], z), y);
    return mix(near, far, s->rest[0]);
}

/* Weights of four cells: between those of the linear (softness 0) and of the cubic B-spline (1). */
static inline f4 soft_weights(float x, float softness)
{
    const float y = 1.0f - x, x2 = x * x, y2 = y * y;
    const f4 cubic = {y2 * y, 4.0f - 3.0f * x2 * (2.0f - x), 4.0f - 3.0f * y2 * (2.0f - y), x2 * x};
    const f4 linear = {0.0f, y, x, 0.0f};
    return linear + f4_set(softness) * (cubic * f4_set(1.0f / 6.0f) - linear);
}

static float soft_lookup(const float *brick, const spot *s, float softness)
{
    const f4 x = soft_weights(s->rest[0], softness), y = soft_weights(s->rest[1], softness);
    const f4 z = soft_weights(s->rest[2], softness);
    const float *corner = brick + vt_brick_cell(s->cell[0] - 1, s->cell[1] - 1, s->cell[2] - 1);
    f4 sum = f4_set(0.0f);
    for (int i = 0; i < 4; i++, corner += BRICK_SIDE * BRICK_SIDE) {
        f4 plane = f4_set(0.0f);
        for (int j = 0; j < 4; j++)
            plane += f4_set(y[j]) * f4_load(corner + j * BRICK_SIDE);
        sum += f4_set(x[i]) * plane;
    }
    sum *= z;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline f4 mix4(f4 a, f4 b, f4 share)
{
    return a + share * (b - a);
}

static inline f4 light_lookup(const f4 *light, const float local[3])
{
    const float node[3] = {0.5f * local[0], 0.5f * local[1], 0.5f * local[2]};
    const spot s = spot_at(node, LIGHT_SIDE - 2);
    const f4 *const low = light + (s.cell[2] * LIGHT_SIDE + s.cell[1]) * LIGHT_SIDE + s.cell[0];
    const f4 *const high = low + LIGHT_SIDE * LIGHT_SIDE;
    const f4 x = f4_set(s.rest[0]), y = f4_set(s.rest[1]);
    const f4 near = mix4(mix4(low[0], low[1], x), mix4(low[LIGHT_SIDE], low[LIGHT_SIDE + 1], x), y);
    const f4 far =
        mix4(mix4(high[0], high[1], x), mix4(high[LIGHT_SIDE], high[LIGHT_SIDE + 1], x), y);
    return mix4(near, far, f4_set(s.rest[2]));
}

/* ---- march ---- */

typedef struct march {
    const vt_bricks *bricks;
    camera camera;
    int32_t width, height;
    double step;           /* cells */
    float pixels_per_cell; /* at a distance of one cell */
    float depth;           /* optical depth of a step per kg/m^3; 0 only measures */
} march;

/* Points of a ray: start + n step, n from 0 to last, in cells from the first cell of the bricks. */
typedef struct ray {
    float start[3], step[3], distance, stride;
    int32_t last;
} ray;

typedef struct seen {
    f4 light;
    float transmittance, column; /* column: sum of density over the steps */
} seen;

/* Starts of the march are spread over a step by the additive recurrence of the plastic number
 * (Roberts 2018): neighbouring pixels differ most, every frame alike. */
static double start_share(int64_t x, int64_t y)
{
    const uint32_t bits = (uint32_t)x * 3242174889u + (uint32_t)y * 2447445414u;
    return bits * 0x1p-32;
}

/* 0 when the ray misses the bricks. Steps are counted from the eye, whatever the box. */
static _Bool enter(const march *m, int64_t x, int64_t y, ray *r)
{
    const vt_bricks *const bricks = m->bricks;
    double origin[3], way[3], from = 0.0, to = 1e30;
    for (int i = 0; i < 3; i++) {
        way[i] =
            m->camera.corner[i] + (double)x * m->camera.right[i] + (double)y * m->camera.down[i];
        origin[i] = (m->camera.eye[i] - bricks->origin[i]) / bricks->cell;
    }
    scale_to(way, 1.0);
    for (int i = 0; i < 3; i++) {
        const double size = BRICK * (double)bricks->count[i];
        if (vt_abs(way[i]) < 1e-12) {
            if (origin[i] < 0.0 || origin[i] >= size)
                return 0;
            continue;
        }
        const double a = -origin[i] / way[i], b = (size - origin[i]) / way[i];
        from = a < b ? (a > from ? a : from) : (b > from ? b : from);
        to = a < b ? (b < to ? b : to) : (a < to ? a : to);
    }
    if (!(from < to))
        return 0;
    const double share = start_share(x, y);
    const double first = vt_floor(from / m->step - share) + 1.0;
    const double t = (first + share) * m->step;
    r->last = (int32_t)vt_floor((to - t) / m->step);
    r->distance = (float)t;
    r->stride = (float)m->step;
    for (int i = 0; i < 3; i++) {
        r->start[i] = (float)(origin[i] + t * way[i]);
        r->step[i] = (float)(m->step * way[i]);
    }
    return r->last >= 0;
}

/* The first point after n that is in another brick, and the low corner of this brick. */
static inline int32_t leave(const ray *r, const int32_t brick[3], int32_t n)
{
    float least = (float)r->last + 1.0f;
    for (int i = 0; i < 3; i++) {
        if (r->step[i] == 0.0f)
            continue;
        const float face = (float)((brick[i] + (r->step[i] > 0.0f)) * BRICK);
        const float at = (face - r->start[i]) / r->step[i];
        least = at < least ? at : least;
    }
    const int32_t next = (int32_t)least + 1;
    return next <= n ? n + 1 : next > r->last + 1 ? r->last + 1 : next;
}

static inline float softness_at(const march *m, float distance)
{
    const float pixels = m->pixels_per_cell / (distance > 1e-3f ? distance : 1e-3f);
    const float share = (pixels - SOFT_FROM) * (1.0f / SOFT_OVER);
    return share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
}

/* Adds the points n .. end - 1, all in brick number b whose low corner is `corner`. */
static void march_brick(const march *m, const ray *r, int64_t b, const int32_t brick[3], int32_t n,
                        int32_t end, seen *s)
{
    const float *const density = m->bricks->density + b * BRICK_VALUES;
    const f4 *const light = m->bricks->light + b * LIGHT_NODES;
    const float softness = softness_at(m, r->distance + (float)n * r->stride);
    for (; n < end; n++) {
        float local[3];
        for (int i = 0; i < 3; i++)
            local[i] = (r->start[i] + (float)n * r->step[i]) - (float)(brick[i] * BRICK);
        const spot at = spot_at(local, BRICK - 1);
        const float value =
            softness > 0.0f ? soft_lookup(density, &at, softness) : linear_lookup(density, &at);
        if (!(value > 0.0f))
            continue;
        s->column += value;
        if (m->depth == 0.0f)
            continue;
        const float pass = vt_decay(-m->depth * value);
        s->light += f4_set(s->transmittance * (1.0f - pass)) * light_lookup(light, local);
        s->transmittance *= pass;
        if (s->transmittance < TRANSPARENT)
            return;
    }
}

static seen march_ray(const march *m, int64_t x, int64_t y)
{
    const vt_bricks *const bricks = m->bricks;
    seen s = {.transmittance = 1.0f};
    ray r;
    if (bricks->stored == 0 || !enter(m, x, y, &r))
        return s;
    for (int32_t n = 0; n <= r.last && s.transmittance >= TRANSPARENT;) {
        int32_t brick[3];
        for (int i = 0; i < 3; i++) {
            const float point = r.start[i] + (float)n * r.step[i];
            const int32_t cell = point > 0.0f ? (int32_t)point / BRICK : 0;
            brick[i] = cell < bricks->count[i] ? cell : bricks->count[i] - 1;
        }
        const int32_t end = leave(&r, brick, n);
        const int64_t place =
            ((int64_t)brick[2] * bricks->count[1] + brick[1]) * bricks->count[0] + brick[0];
        if (bricks->index[place] >= 0)
            march_brick(m, &r, bricks->index[place], brick, n, end, &s);
        n = end;
    }
    return s;
}

static vt_status start_march(const vt_bricks *bricks, const vt_preview_def *def, int32_t width,
                             int32_t height, march *m)
{
    *m = (march){.bricks = bricks, .width = width, .height = height};
    const double angle = def->field_of_view / 360.0;
    m->step = def->step;
    m->pixels_per_cell = (float)(0.5 * def->height * vt_cos_pi(angle) / vt_sin_pi(angle));
    return aim(def, width, height, &m->camera);
}

/* ---- extinction ---- */

typedef struct probing {
    march march;
    float *column; /* of every probe ray, kg/m^2 */
} probing;

static void probe_rows(void *context, int64_t begin, int64_t end, int thread)
{
    const probing *const p = context;
    const int32_t width = p->march.width;
    const float length = (float)(p->march.step * p->march.bricks->cell);
    (void)thread;
    for (int64_t y = begin; y < end; y++)
        for (int64_t x = 0; x < width; x++)
            p->column[y * width + x] = march_ray(&p->march, x, y).column * length;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* 9 / p95 of the columns above a thousandth of the largest; 0 without smoke. */
static double typical_extinction(float *column, int64_t count)
{
    qsort(column, (size_t)count, sizeof *column, compare_floats);
    int64_t first = 0;
    while (first < count && !(column[first] > 1e-3f * column[count - 1]))
        first++;
    if (first == count)
        return 0.0;
    return TYPICAL_DEPTH / (double)column[first + (int64_t)(0.95 * (double)(count - 1 - first))];
}

static vt_status measure(const vt_bricks *bricks, const vt_preview_def *def, int threads,
                         double *extinction)
{
    probing p;
    int32_t height = (int32_t)((int64_t)PROBES * def->height / def->width);
    height = height < 2 ? 2 : height > 8 * PROBES ? 8 * PROBES : height;
    const vt_status status = start_march(bricks, def, PROBES, height, &p.march);
    if (status != VT_OK)
        return status;
    p.column = malloc((size_t)PROBES * (size_t)height * sizeof(float));
    if (!p.column)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for the probe rays of a preview");
    vt_parallel_for(threads, height, 4, probe_rows, &p);
    *extinction = typical_extinction(p.column, (int64_t)PROBES * height);
    free(p.column);
    return VT_OK;
}

static int thread_count(const vt_preview_def *def)
{
    return def->threads > 0 ? def->threads : vt_available_threads();
}

vt_status vt_preview_extinction(const vt_volume *volume, const vt_preview_def *def,
                                double *extinction)
{
    vt_bricks bricks;
    vt_status status = check_preview(def);
    if (status != VT_OK)
        return status;
    const int threads = thread_count(def);
    status = vt_create_bricks(volume, threads, &bricks);
    if (status != VT_OK)
        return status;
    status = measure(&bricks, def, threads, extinction);
    vt_destroy_bricks(&bricks);
    return status;
}

/* ---- pixels ---- */

typedef struct picture {
    march march;
    f4 albedo, background[2];
    float exposure;
    float srgb[CURVE + 1]; /* 255 x sRGB of (i / CURVE)^2 */
    uint8_t *pixels;
} picture;

/* x^(5/12) = cbrt(x^(5/4)), so the power 1 / 2.4 of sRGB needs roots only. */
static void fill_curve(float *srgb)
{
    for (int i = 0; i <= CURVE; i++) {
        const double root = (double)i / CURVE, x = root * root;
        const double power = vt_cbrt(x * vt_sqrt(root));
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
        const float level = mix(p->srgb[i], p->srgb[i + 1], place - (float)i);
        pixel[c] = (uint8_t)(level + threshold < 255.0f ? level + threshold : 255.0f);
    }
}

static void draw_tiles(void *context, int64_t begin, int64_t end, int thread)
{
    const picture *const p = context;
    const int64_t width = p->march.width, height = p->march.height;
    const int64_t across = (width + TILE - 1) / TILE;
    (void)thread;
    for (int64_t tile = begin; tile < end; tile++) {
        const int64_t left = tile % across * TILE, top = tile / across * TILE;
        for (int64_t y = top; y < top + TILE && y < height; y++) {
            const float lift = 1.0f - ((float)y + 0.5f) / (float)height;
            const f4 behind = mix4(p->background[0], p->background[1], f4_set(lift));
            for (int64_t x = left; x < left + TILE && x < width; x++) {
                const seen s = march_ray(&p->march, x, y);
                write_pixel(p, x, y, s.light * p->albedo + f4_set(s.transmittance) * behind);
            }
        }
    }
}

static f4 color_of(const double color[3])
{
    return (f4){(float)color[0], (float)color[1], (float)color[2], 0.0f};
}

static vt_status draw(vt_bricks *bricks, const vt_preview_def *def, int threads, uint8_t *pixels)
{
    double extinction = def->extinction;
    vt_status status = VT_OK;
    if (extinction == 0.0)
        status = measure(bricks, def, threads, &extinction);
    if (status == VT_OK)
        status = vt_light_bricks(bricks, def, extinction, threads);
    if (status != VT_OK)
        return status;
    picture p = {
        .albedo = color_of(def->albedo), .exposure = (float)def->exposure, .pixels = pixels};
    p.background[0] = color_of(def->background[0]);
    p.background[1] = color_of(def->background[1]);
    fill_curve(p.srgb);
    start_march(bricks, def, def->width, def->height, &p.march);
    p.march.depth = (float)(extinction * def->step * bricks->cell);
    const int64_t across = (def->width + TILE - 1) / TILE, down = (def->height + TILE - 1) / TILE;
    vt_parallel_for(threads, across * down, 1, draw_tiles, &p);
    return VT_OK;
}

vt_status vt_render_preview(const vt_volume *volume, const vt_preview_def *def, uint8_t *pixels)
{
    vt_bricks bricks;
    vt_status status = check_preview(def);
    if (status != VT_OK)
        return status;
    const int threads = thread_count(def);
    status = vt_create_bricks(volume, threads, &bricks);
    if (status != VT_OK)
        return status;
    status = draw(&bricks, def, threads, pixels);
    vt_destroy_bricks(&bricks);
    return status;
}
