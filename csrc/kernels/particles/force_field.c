/* Force fields for tracers: see kernels/particles/force_field.h. */
#include "kernels/particles/force_field.h"

#include "base/math_vector.h"
#include "base/parallel.h"
#include "kernels/grid/trilinear.h"

enum { POINT_BLOCK = 4096 };

typedef struct context {
    const vt_current_force *force;
    const uint8_t *inside;
    const float *points;
    float *velocity;
} context;

/* What all vectors of a block share. */
typedef struct field {
    int32_t kind;
    vf center[3], axis[3], target[3], scale, per_square;
} field;

static field make_field(const vt_current_force *force)
{
    const double root_e = 1.6487212707001282, two_pi = 6.283185307179586;
    const double r = force->radius;
    const double scale = force->kind == VT_FORCE_ATTRACTOR ? -root_e * force->strength / r
                         : force->kind == VT_FORCE_VORTEX  ? force->strength / (two_pi * r * r)
                                                           : force->strength;
    field f = {.kind = force->kind,
               .scale = vf_set((float)scale),
               .per_square = vf_set((float)(1 / (r * r)))};
    for (int a = 0; a < 3; a++) {
        f.center[a] = vf_set((float)force->center[a]);
        f.axis[a] = vf_set((float)force->axis[a]);
        f.target[a] = vf_set((float)force->target[a]);
    }
    return f;
}

VT_INLINE void attract(const field *f, const vf d[3], vf u[3])
{
    const vf speed = f->scale * vf_exp(vf_set(-0.5f) * vf_dot(d, d) * f->per_square);
    for (int a = 0; a < 3; a++)
        u[a] = vf_fma(d[a], speed, u[a]);
}

/* (1 - exp(-q)) / q: a series where the difference would lose its digits. */
VT_INLINE vf core_profile(vf q)
{
    const vf one = vf_set(1.0f);
    vf series = vf_fma(q, vf_set(-1.0f / 720.0f), vf_set(1.0f / 120.0f));
    series = vf_fma(q, series, vf_set(-1.0f / 24.0f));
    series = vf_fma(q, series, vf_set(1.0f / 6.0f));
    series = vf_fma(q, series, vf_set(-0.5f));
    series = vf_fma(q, series, one);
    const vi near = q < vf_set(0.25f);
    return vf_select(near, series, (one - vf_exp(-q)) / vf_select(near, one, q));
}

VT_INLINE void whirl(const field *f, const vf d[3], vf u[3])
{
    const vf along = vf_dot(d, f->axis);
    vf r[3];
    for (int a = 0; a < 3; a++)
        r[a] = vf_fma(-along, f->axis[a], d[a]);
    const vf turn = f->scale * core_profile(vf_dot(r, r) * f->per_square);
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        u[a] = vf_fma(turn, vf_fma(f->axis[b], r[c], -(f->axis[c] * r[b])), u[a]);
    }
}

VT_INLINE void drag(const field *f, vf u[3])
{
    for (int a = 0; a < 3; a++)
        u[a] = vf_fma(f->scale, f->target[a] - u[a], u[a]);
}

VT_INLINE void act(const field *f, const float *points, float *velocity, vi inside)
{
    vf x[3], u[3], d[3], before[3];
    vti_load_rows(points, x);
    vti_load_rows(velocity, u);
    for (int a = 0; a < 3; a++) {
        d[a] = x[a] - f->center[a];
        before[a] = u[a];
    }
    if (f->kind == VT_FORCE_ATTRACTOR)
        attract(f, d, u);
    else if (f->kind == VT_FORCE_VORTEX)
        whirl(f, d, u);
    else
        drag(f, u);
    for (int a = 0; a < 3; a++)
        u[a] = vf_select(inside, u[a], before[a]);
    vti_store_rows(velocity, u);
}

VT_INLINE vi load_inside(const uint8_t *inside)
{
    vi mask = vi_set(-1);
    for (int l = 0; inside && l < VL; l++)
        mask[l] = inside[l] ? -1 : 0;
    return mask;
}

/* The last rows: a padded copy of them takes the same way. */
static void act_on_rest(const field *f, const context *c, int64_t i, size_t left)
{
    float points[3 * VL] = {0}, velocity[3 * VL] = {0};
    uint8_t inside[VL] = {0};
    memcpy(points, c->points + 3 * i, 12 * left);
    memcpy(velocity, c->velocity + 3 * i, 12 * left);
    if (c->inside)
        memcpy(inside, c->inside + i, left);
    act(f, points, velocity, load_inside(c->inside ? inside : NULL));
    memcpy(c->velocity + 3 * i, velocity, 12 * left);
}

static void force_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const field f = make_field(c->force);
    int64_t i = begin;
    for (; i + VL <= end; i += VL)
        act(&f, c->points + 3 * i, c->velocity + 3 * i,
            load_inside(c->inside ? c->inside + i : NULL));
    if (i < end)
        act_on_rest(&f, c, i, (size_t)(end - i));
}

void VT_NAME(force)(const vt_current_force *force, const uint8_t *inside, int64_t count,
                    const float *points, float *velocity, int threads)
{
    context c = {force, inside, points, velocity};
    vti_parallel_for(threads, count, POINT_BLOCK, force_block, &c);
}
