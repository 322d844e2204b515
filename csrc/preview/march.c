#include "preview/march.h"

#include "base/decay.h"
#include "base/status.h"
#include "base/vec3.h"

#define TRANSPARENT 0.003f /* transmittance below which nothing behind is seen */
#define FARTHEST 1e15      /* cells; smoke beyond is less than a pixel */
#define GREY_AT 0.1f       /* glow up to which smoke scatters all its light */
#define BLACK_AT 0.4f      /* and from which on none */
#define SOFT_FROM 2.0f     /* pixels per cell where the cubic lookup begins to mix in */
#define SOFT_OVER 2.0f     /* and how many more until it is alone */

/* ---- camera ---- */

_Bool vti_scale_to(double v[3], double length)
{
    const double now = vti_sqrt(vti_dot(v, v));
    if (!(now > 1e-12))
        return 0;
    for (int i = 0; i < 3; i++)
        v[i] *= length / now;
    return 1;
}

/* The directions of the pixels. */
static vt_status aim(vt_march *m, const vt_preview_def *def)
{
    double forward[3], up[3];
    for (int i = 0; i < 3; i++) {
        m->eye[i] = def->eye[i];
        forward[i] = def->target[i] - def->eye[i];
        up[i] = def->up[i];
    }
    if (!vti_scale_to(forward, 1.0))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "preview eye and target must differ, both are %g %g %g", def->eye[0],
                        def->eye[1], def->eye[2]);
    if (!vti_scale_to(up, 1.0))
        return vti_fail(VT_INVALID_ARGUMENT, "preview up must not be zero");
    vti_cross(forward, up, m->right);
    if (!(vti_dot(m->right, m->right) > 1e-12))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "preview up (%g %g %g) must not be along the view from eye to target",
                        def->up[0], def->up[1], def->up[2]);
    const double angle = def->field_of_view / 360.0;
    vti_scale_to(m->right, 2.0 * vti_sin_pi(angle) / vti_cos_pi(angle) / m->height);
    vti_cross(forward, m->right, m->down);
    for (int i = 0; i < 3; i++)
        m->corner[i] =
            forward[i] - 0.5 * (m->width - 1) * m->right[i] - 0.5 * (m->height - 1) * m->down[i];
    return VT_OK;
}

vt_status vti_start_march(const vt_bricks *bricks, const vt_preview_def *def, int32_t width,
                          int32_t height, vt_march *m)
{
    const double angle = def->field_of_view / 360.0;
    *m = (vt_march){.bricks = bricks, .width = width, .height = height, .step = def->step};
    m->pixels_per_cell = (float)(0.5 * def->height * vti_cos_pi(angle) / vti_sin_pi(angle));
    return aim(m, def);
}

void vti_ray_of_pixel(const vt_march *m, double x, double y, double way[3])
{
    for (int i = 0; i < 3; i++)
        way[i] = m->corner[i] + x * m->right[i] + y * m->down[i];
    vti_scale_to(way, 1.0);
}

/* ---- lookups ---- */

/* Where in a brick: the cell at or below the point, the rest in [0, 1]. */
typedef struct spot {
    int32_t cell[3];
    float rest[3];
    f4 weight[3]; /* of four cells along each axis; only where the lookup is soft */
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
    const float *const low = brick + vti_brick_cell(s->cell[0], s->cell[1], s->cell[2]);
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

static float soft_lookup(const float *brick, const spot *s)
{
    const f4 x = s->weight[0], y = s->weight[1];
    const float *corner = brick + vti_brick_cell(s->cell[0] - 1, s->cell[1] - 1, s->cell[2] - 1);
    f4 sum = f4_set(0.0f);
    for (int i = 0; i < 4; i++, corner += BRICK_SIDE * BRICK_SIDE) {
        f4 plane = f4_set(0.0f);
        for (int j = 0; j < 4; j++)
            plane += f4_set(y[j]) * f4_load(corner + j * BRICK_SIDE);
        sum += f4_set(x[i]) * plane;
    }
    sum *= s->weight[2];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline float lookup(const float *brick, const spot *s, float softness)
{
    return softness > 0.0f ? soft_lookup(brick, s) : linear_lookup(brick, s);
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

/* Points of a ray: start + n step, n from 0 to last, in cells from the first cell of the bricks.
 * Each stands for a step around it, the first and the last for more or less: up to the ends. */
typedef struct ray {
    float start[3], step[3], steps[3]; /* steps: 1 / step, or 0 */
    float distance, stride;            /* of the first point from the eye; from point to point */
    int32_t last;
    float before, after; /* from the first end to the first point, from the last to the other end,
                            in steps */
} ray;

/* Starts of the march are spread over a step by the additive recurrence of the plastic number
 * (Roberts 2018): neighbouring pixels differ most, every frame alike. */
static double start_share(int64_t x, int64_t y)
{
    const uint32_t bits = (uint32_t)x * 3242174889u + (uint32_t)y * 2447445414u;
    return bits * 0x1p-32;
}

/* 0 when the ray misses the bricks. Steps are counted from the eye, whatever the box. */
static _Bool enter(const vt_march *m, int64_t x, int64_t y, vt_stretch stretch, ray *r)
{
    const vt_bricks *const bricks = m->bricks;
    double origin[3], way[3], from = stretch.from / bricks->cell;
    double to = stretch.to < 1e30 ? stretch.to / bricks->cell : 1e30;
    vti_ray_of_pixel(m, (double)x, (double)y, way);
    for (int i = 0; i < 3; i++)
        origin[i] = (m->eye[i] - bricks->origin[i]) / bricks->cell;
    for (int i = 0; i < 3; i++) {
        const double size = BRICK * (double)bricks->count[i];
        if (vti_abs(way[i]) < 1e-12) {
            if (origin[i] < 0.0 || origin[i] >= size)
                return 0;
            continue;
        }
        const double a = -origin[i] / way[i], b = (size - origin[i]) / way[i];
        from = a < b ? (a > from ? a : from) : (b > from ? b : from);
        to = a < b ? (b < to ? b : to) : (a < to ? a : to);
    }
    if (!(from < to && from < FARTHEST))
        return 0;
    const double share = start_share(x, y);
    const double first = vti_floor(from / m->step - share) + 1.0;
    const double t = (first + share) * m->step;
    r->last = (int32_t)vti_floor((to - t) / m->step);
    r->before = (float)((t - from) / m->step);
    r->after = (float)((to - t) / m->step - r->last);
    r->distance = (float)t;
    r->stride = (float)m->step;
    for (int i = 0; i < 3; i++) {
        r->start[i] = (float)(origin[i] + t * way[i]);
        r->step[i] = (float)(m->step * way[i]);
        r->steps[i] = vti_abs(way[i]) < 1e-12 ? 0.0f : (float)(1.0 / (m->step * way[i]));
    }
    return 1;
}

/* The first point after n that is in another brick. */
static inline int32_t leave(const ray *r, const int32_t brick[3], int32_t n)
{
    float least = (float)r->last + 1.0f;
    for (int i = 0; i < 3; i++) {
        if (r->steps[i] == 0.0f)
            continue;
        const float face = (float)((brick[i] + (r->step[i] > 0.0f)) * BRICK);
        const float at = (face - r->start[i]) * r->steps[i];
        least = at < least ? at : least;
    }
    const int32_t next = (int32_t)least + 1;
    return next <= n ? n + 1 : next > r->last + 1 ? r->last + 1 : next;
}

static inline float softness_at(const vt_march *m, float distance)
{
    const float pixels = m->pixels_per_cell / (distance > 1e-3f ? distance : 1e-3f);
    const float share = (pixels - SOFT_FROM) * (1.0f / SOFT_OVER);
    return share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
}

/* Adds what glows at a point behind `transmittance`, in smoke that lets `pass` through its steps.
 * Returns the share of light that the smoke there scatters: soot is black until it has cooled and
 * clotted. */
static float add_fire(const vt_march *m, int64_t b, const spot *at, float softness, float pass,
                      float steps, vt_seen *s)
{
    const float glow = lookup(m->bricks->glow + b * BRICK_VALUES, at, softness);
    if (!(glow > 1e-4f))
        return 1.0f;
    const float part = (BLACK_AT - glow) * (1.0f / (BLACK_AT - GREY_AT));
    const float ash = part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
    const float kelvin = lookup(m->bricks->warmth + b * BRICK_VALUES, at, softness) / glow;
    const float power = glow * vti_black_body_power(kelvin);
    s->power += steps * power;
    s->square += steps * power * power;
    if (!m->body)
        return ash;
    const float seen = s->transmittance * 0.5f * (1.0f + pass);
    s->fire += f4_set(seen * m->radiance * steps * power) * vti_black_body_color(m->body, kelvin);
    return ash;
}

/* Colour of dye at a share of its range: blue, cyan, green, yellow, red, as wide each. */
static f4 dye_color(float share)
{
    static const float stops[5][3] = {{0.05f, 0.12f, 0.9f},
                                      {0.0f, 0.6f, 0.85f},
                                      {0.1f, 0.75f, 0.15f},
                                      {0.95f, 0.8f, 0.05f},
                                      {0.9f, 0.06f, 0.03f}};
    const float place = share > 0.0f ? (share < 1.0f ? 4.0f * share : 4.0f) : 0.0f;
    const int32_t i = place < 3.0f ? (int32_t)place : 3;
    f4 color = f4_set(0.0f);
    for (int c = 0; c < 3; c++)
        color[c] = mix(stops[i][c], stops[i + 1][c], place - (float)i);
    return color;
}

/* Adds the points n .. end - 1, all in brick number b; each stands for `steps`. */
static void march_brick(const vt_march *m, const ray *r, int64_t b, const int32_t brick[3],
                        int32_t n, int32_t end, float steps, vt_seen *s)
{
    const float depth = m->depth * steps;
    const float *const density = m->bricks->density + b * BRICK_VALUES;
    const f4 *const light = m->bricks->light + b * LIGHT_NODES;
    const _Bool glows = m->bricks->glow && m->bricks->glows[b];
    const float softness = softness_at(m, r->distance + (float)n * r->stride);
    for (; n < end; n++) {
        float local[3];
        for (int i = 0; i < 3; i++)
            local[i] = (r->start[i] + (float)n * r->step[i]) - (float)(brick[i] * BRICK);
        spot at = spot_at(local, BRICK - 1);
        for (int i = 0; i < 3 && softness > 0.0f; i++)
            at.weight[i] = soft_weights(at.rest[i], softness);
        const float value = lookup(density, &at, softness);
        const float pass = depth > 0.0f && value > 0.0f ? vti_decay(-depth * value) : 1.0f;
        const float ash = glows ? add_fire(m, b, &at, softness, pass, steps, s) : 1.0f;
        if (!(value > 0.0f))
            continue;
        s->column += steps * value;
        if (depth == 0.0f)
            continue;
        f4 scattered = light_lookup(light, local);
        if (m->dye[0] != m->dye[1]) {
            const float kelvin =
                lookup(m->bricks->warmth + b * BRICK_VALUES, &at, softness) / value;
            scattered *= dye_color((kelvin - m->dye[0]) / (m->dye[1] - m->dye[0]));
        }
        s->light += f4_set(s->transmittance * (1.0f - pass) * ash) * scattered;
        s->transmittance *= pass;
        if (s->transmittance < TRANSPARENT)
            return;
    }
}

/* Adds the points n .. end - 1. */
static void march_points(const vt_march *m, const ray *r, int32_t n, int32_t end, float steps,
                         vt_seen *s)
{
    const vt_bricks *const bricks = m->bricks;
    while (n < end && s->transmittance >= TRANSPARENT) {
        int32_t brick[3];
        for (int i = 0; i < 3; i++) {
            const float point = r->start[i] + (float)n * r->step[i];
            const int32_t cell = point > 0.0f ? (int32_t)point / BRICK : 0;
            brick[i] = cell < bricks->count[i] ? cell : bricks->count[i] - 1;
        }
        const int32_t next = leave(r, brick, n), stop = next < end ? next : end;
        const int64_t place =
            ((int64_t)brick[2] * bricks->count[1] + brick[1]) * bricks->count[0] + brick[0];
        if (bricks->index[place] >= 0)
            march_brick(m, r, bricks->index[place], brick, n, stop, steps, s);
        n = stop;
    }
}

/* Adds a point in the middle of the part of the ray from one place on it to another, in steps from
 * its first point. Without it pixels beside each other, whose points lie differently, would see now
 * a step more before a body and now one less: a pattern as of a honeycomb. */
static void march_part(const vt_march *m, const ray *r, float from, float to, vt_seen *s)
{
    ray moved = *r;
    const float middle = 0.5f * (from + to);
    for (int i = 0; i < 3; i++)
        moved.start[i] += middle * r->step[i];
    moved.distance += middle * r->stride;
    moved.last = 0;
    march_points(m, &moved, 0, 1, to - from, s);
}

vt_seen vti_march_ray(const vt_march *m, int64_t x, int64_t y, vt_stretch stretch)
{
    vt_seen s = {.transmittance = 1.0f};
    ray r;
    if (m->bricks->stored == 0 || !enter(m, x, y, stretch, &r))
        return s;
    const float end = (float)r.last + r.after;
    if (r.last < 1) {
        march_part(m, &r, -r.before, end, &s);
    } else {
        march_part(m, &r, -r.before, 0.5f, &s);
        march_points(m, &r, 1, r.last, 1.0f, &s);
        march_part(m, &r, (float)r.last - 0.5f, end, &s);
    }
    s.transmittance = s.transmittance < TRANSPARENT ? 0.0f : s.transmittance;
    return s;
}
