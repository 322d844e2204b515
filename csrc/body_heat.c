#include "body_heat.h"

#include <math.h>

#include "core/mathd.h"
#include "core/parallel.h"
#include "core/status.h"
#include "expand.h"
#include "heat.h"
#include "state/liquid.h"

enum { BLOCK = 4096 };

/* Of fluid that moves by its own buoyancy, radiation between a gas and the wall included, W/(m^2
 * K).
 */
static const double usual_conductance[] = {[VT_GAS] = 25, [VT_LIQUID] = 500};

/* ---- making ---- */

static vt_status check_number(const vt_body *body, const char *name, double value, double most,
                              const char *allowed)
{
    if (value >= 0 && value <= most)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "body '%s': %s is %g; allowed is %s", body->name, name,
                   value, allowed);
}

static vt_status check_body_heat(const vt_simulation *s, const vt_body_def *def,
                                 const vt_body *body)
{
    vt_status status =
        check_number(body, "temperature", def->temperature, 1e6, "> 0 to 1e6 (K), or 0 for none");
    if (!status)
        status =
            check_number(body, "specific_heat", def->specific_heat, 1e9, "0 to 1e9 (J/(kg K))");
    if (!status && def->conductance != -1)
        status = check_number(body, "conductance", def->conductance, 1e9,
                              "0 to 1e9 (W/(m^2 K)), or -1 for what is usual");
    if (!status)
        status = vt_check_temperature(&s->def, body->name, def->temperature);
    return status;
}

vt_status vt_make_body_heat(const vt_simulation *s, const vt_body_def *def, vt_body *body)
{
    const vt_status status = check_body_heat(s, def, body);
    if (status)
        return status;
    const double scale2 = body->scale * body->scale;
    body->heat =
        (vt_body_heat){.temperature = def->temperature,
                       .conductance = def->conductance < 0 ? usual_conductance[s->def.ambient.kind]
                                                           : def->conductance,
                       .capacity = body->rigid.mass * def->specific_heat};
    for (int32_t n = 0; n < body->solid_count; n++)
        body->heat.area += scale2 * vt_solid_area(&body->solids[n]);
    if (!isfinite(body->volume))
        body->heat.area = INFINITY;
    if (body->heat.capacity > 0 && !(def->temperature > 0)) {
        const vt_pose pose = vt_body_pose(&s->transforms, body, s->time);
        const vt_fluid fluid = vt_fluid_of(&s->def);
        double center[3];
        vt_pose_point(&pose, body->center, center);
        const float at[3] = {(float)center[0], (float)center[1], (float)center[2]};
        body->heat.temperature = (double)vt_ambient_temperature(&fluid, at);
    }
    return VT_OK;
}

static int exchanges(const vt_body *body)
{
    return body->heat.temperature > 0 && body->heat.conductance > 0;
}

int vt_wants_fluid_around(const vt_body *body)
{
    return exchanges(body) && !body->hole && isfinite(body->volume);
}

int vt_has_warm_bodies(const vt_simulation *s)
{
    int warm = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        warm |= exchanges(&s->bodies.items[n]);
    return warm;
}

/* Smallest core of the fluid that emitters will give, m, or infinity: what is born around a body
 * before it should not make the grid finer than the scene asks for. */
static double core_to_come(const vt_simulation *s)
{
    double least = INFINITY;
    for (int32_t n = 0; n < s->sources.parcels_count; n++) {
        const vt_parcels *const p = &s->sources.parcels[n];
        const vt_pose pose = vt_pose_at(&s->transforms, p->parent, s->time);
        if (p->rate > 0 ? p->end > s->time : p->start >= s->time)
            least = fmin(least, p->core * pose.scale);
    }
    return least;
}

double vt_core_around_bodies(const vt_simulation *s)
{
    double least = 0;
    if (s->smallest_core > 0)
        return s->smallest_core;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        const double core = 0.2 * body->scale * vt_cbrt(body->volume);
        if (vt_wants_fluid_around(body))
            least = least > 0 ? fmin(least, core) : core;
    }
    if (least > 0 && s->def.spacing > 0)
        return 1.5 * s->def.spacing;
    const double other = least > 0 ? core_to_come(s) : INFINITY;
    return isfinite(other) ? other : least;
}

/* ---- exchange ---- */

/* Sums over a block of vortons near the wall. */
typedef struct near_sums {
    double volume;       /* m^3 */
    double mass, warmth; /* kg; kg K, of temperatures above that of the body */
} near_sums;

typedef struct exchange {
    const vt_simulation *simulation;
    const vt_body *body;
    vt_pose pose;
    vt_fluid fluid;
    double center[3]; /* of the body in the world, m */
    double thickness; /* of the layer that exchanges, m */
    uint8_t *near;    /* by row */
    near_sums *block;
    double *given;      /* kg K, by block */
    double toward, own; /* what all of the fluid warms by, K; share of its own excess that each
                           keeps */
    double mean;        /* K above the temperature of the body */
} exchange;

static double mass_of(const exchange *e, int64_t row)
{
    const vt_vortons *const v = &e->simulation->vortons;
    return (double)vt_vorton_mass(&e->fluid, v->volume[row], vt_volume_temperature(v, row));
}

static int is_near(const exchange *e, const float position[3])
{
    const double reach = e->body->reach + e->thickness;
    double world[3], local[3], normal[3], square = 0;
    for (int c = 0; c < 3; c++) {
        world[c] = (double)position[c];
        square += (world[c] - e->center[c]) * (world[c] - e->center[c]);
    }
    if (!e->body->hole && square > reach * reach)
        return 0;
    vt_pose_point_back(&e->pose, world, local);
    return e->body->scale * vt_body_room(e->body, local, normal) < e->thickness;
}

static void sum_near(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const exchange *const e = data;
    const vt_vortons *const v = &e->simulation->vortons;
    near_sums sums = {0, 0, 0};
    for (int64_t i = begin; i < end; i++) {
        e->near[i] = (uint8_t)is_near(e, v->position + 3 * i);
        if (!e->near[i])
            continue;
        const double mass = mass_of(e, i);
        sums.volume += (double)v->volume[i];
        sums.mass += mass;
        sums.warmth += mass * ((double)v->temperature[i] - e->body->heat.temperature);
    }
    e->block[begin / BLOCK] = sums;
}

static void warm_near(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const exchange *const e = data;
    const vt_vortons *const v = &e->simulation->vortons;
    double given = 0;
    for (int64_t i = begin; i < end; i++) {
        if (!e->near[i])
            continue;
        const double before = (double)v->temperature[i];
        const double excess = before - e->body->heat.temperature - e->mean;
        const double change = e->toward - (1 - e->own) * excess;
        v->temperature[i] = (float)(before + change);
        given += mass_of(e, i) * ((double)v->temperature[i] - before);
    }
    e->given[begin / BLOCK] = given;
}

static near_sums add_blocks(const near_sums *block, int64_t blocks)
{
    near_sums all = {0, 0, 0};
    for (int64_t b = 0; b < blocks; b++) {
        all.volume += block[b].volume;
        all.mass += block[b].mass;
        all.warmth += block[b].warmth;
    }
    return all;
}

static void exchange_with(vt_simulation *s, vt_body *body, double thickness, double dt)
{
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    const double heat_capacity = vt_heat_capacity(s);
    exchange e = {.simulation = s,
                  .body = body,
                  .pose = vt_body_pose(&s->transforms, body, s->time + dt),
                  .fluid = vt_fluid_of(&s->def),
                  .thickness = thickness,
                  .near = vt_arena_push(&s->arena, (size_t)count),
                  .block = vt_arena_push(&s->arena, sizeof(near_sums) * (size_t)(blocks + 1)),
                  .given = vt_arena_push(&s->arena, sizeof(double) * (size_t)(blocks + 1))};
    vt_pose_point(&e.pose, body->center, e.center);
    vt_parallel_for(s->def.threads, count, BLOCK, sum_near, &e);
    const near_sums all = add_blocks(e.block, blocks);
    if (!(all.mass > 0))
        return;
    const double area = fmin(body->heat.area, all.volume / thickness);
    const double rate = body->heat.conductance * area / (heat_capacity * all.mass);
    const double capacity = body->heat.capacity;
    const double ratio = capacity > 0 ? heat_capacity * all.mass / capacity : 0;
    e.mean = all.warmth / all.mass;
    e.own = vt_exp(-rate * dt);
    e.toward = -e.mean / (1 + ratio) * (1 - vt_exp(-rate * (1 + ratio) * dt));
    vt_parallel_for(s->def.threads, count, BLOCK, warm_near, &e);
    double given = 0;
    for (int64_t b = 0; b < blocks; b++)
        given += heat_capacity * e.given[b];
    s->heat.bodies += given;
    body->heat.given += given;
    if (capacity > 0)
        body->heat.temperature -= given / capacity;
}

void vt_exchange_body_heat(vt_simulation *s, double dt)
{
    const double thickness = fmax(s->smallest_core, s->fields_exist ? s->grid.core : 0);
    for (int32_t n = 0; n < s->bodies.count && thickness > 0; n++) {
        const size_t mark = vt_arena_mark(&s->arena);
        if (exchanges(&s->bodies.items[n]))
            exchange_with(s, &s->bodies.items[n], thickness, dt);
        vt_arena_pop(&s->arena, mark);
    }
}
