#include "bodies/body_heat.h"

#include "base/block_sums.h"
#include "base/memory.h"
#include "base/status.h"
#include "state/distance_to_bodies.h"
#include "state/predicates.h"
#include "state/rigid_body.h"

enum { BLOCK = 4096, SPOT_BLOCK = 256 };

/* Of fluid that moves by its own buoyancy, radiation between a gas and the wall included, W/(m^2
 * K).
 */
static const double usual_conductance[] = {[VT_GAS] = 25, [VT_LIQUID] = 500};

/* ---- making ---- */

/* One that deforms shows as much of its solids as at rest. */
static vt_status find_surface(vt_body *body)
{
    vt_warm_surface *const warm = &body->warm;
    if (!isfinite(body->volume)) {
        body->heat.area = INFINITY;
        return VT_OK;
    }
    if (vti_create_spots(body->solid_count, body->solids, body->hole, &warm->spots,
                         &warm->spot_count))
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for the surface of body '%s'", body->name);
    for (int32_t n = 0; n < warm->spot_count; n++)
        body->heat.area += body->scale * body->scale * warm->spots[n].area;
    warm->exposed = body->heat.area / vti_area_of_solids(body);
    if (body->form) {
        vti_free(warm->spots);
        *warm = (vt_warm_surface){.exposed = warm->exposed};
    }
    return VT_OK;
}

vt_status vti_make_body_heat(const vt_simulation *s, const vt_body_def *def, vt_body *body)
{
    const vt_status status = vti_check_temperature(&s->def, body->name, def->temperature);
    if (status)
        return status;
    body->heat =
        (vt_body_heat){.temperature = def->temperature,
                       .conductance = def->conductance < 0 ? usual_conductance[s->def.ambient.kind]
                                                           : def->conductance,
                       .capacity = body->rigid.mass * def->specific_heat};
    body->warm.exposed = 1;
    if (body->heat.capacity > 0 && !(def->temperature > 0)) {
        const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
        const vt_fluid fluid = vti_fluid_of(&s->def);
        double center[3];
        vti_pose_point(&pose, body->center, center);
        const float at[3] = {(float)center[0], (float)center[1], (float)center[2]};
        body->heat.temperature = (double)vti_ambient_temperature(&fluid, at);
    }
    return vti_exchanges_heat(body) ? find_surface(body) : VT_OK;
}

/* ---- the fluid beside a body ---- */

typedef struct exchange {
    vt_simulation *simulation;
    const vt_body *body;
    const vt_pose *poses; /* of all bodies */
    vt_pose pose;
    vt_fluid fluid;
    double center[3];     /* centre of the body in the world, m */
    double thickness;     /* thickness of the layer that exchanges heat, m */
    uint8_t *near;        /* by row */
    uint8_t *all_near;    /* by row: to how many of the bodies that exchange heat; NULL: there is
                             one */
    double heat_capacity; /* of the fluid, J/(kg K) */
    double toward, own;   /* what all of the fluid warms by, K; share of its own excess that each
                             keeps */
    double mean;          /* K above the temperature of the body */
} exchange;

static double mass_of(const exchange *e, int64_t row)
{
    const vt_vortons *const v = &e->simulation->vortons;
    return (double)vti_vorton_mass(&e->fluid, v->volume[row], vti_volume_temperature(v, row));
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
    vti_pose_point_back(&e->pose, world, local);
    return e->body->scale * vti_distance_to_body(e->body, local, normal) < e->thickness;
}

static void count_near(void *data, int64_t begin, int64_t end)
{
    const exchange *const e = data;
    for (int64_t i = begin; i < end; i++)
        e->all_near[i] =
            (uint8_t)(e->all_near[i] + (e->all_near[i] < UINT8_MAX &&
                                        is_near(e, e->simulation->vortons.position + 3 * i)));
}

/* Of a vorton near several bodies each has its share: between walls closer to each other than
 * their layers are thick these share the fluid that is there. */
static double share_of(const exchange *e, int64_t row)
{
    return e->all_near ? 1.0 / e->all_near[row] : 1;
}

/* Volume, m^3, mass, kg, and mass times temperature above that of the body, kg K. */
static void sum_near(void *data, int64_t begin, int64_t end, double *sum)
{
    const exchange *const e = data;
    const vt_vortons *const v = &e->simulation->vortons;
    for (int64_t i = begin; i < end; i++) {
        e->near[i] = (uint8_t)is_near(e, v->position + 3 * i);
        if (!e->near[i])
            continue;
        const double share = share_of(e, i), mass = share * mass_of(e, i);
        sum[0] += share * (double)v->volume[i];
        sum[1] += mass;
        sum[2] += mass * ((double)v->temperature[i] - e->body->heat.temperature);
    }
}

/* What that gives to the fluid, J. */
static void warm_near(void *data, int64_t begin, int64_t end, double *sum)
{
    const exchange *const e = data;
    const vt_vortons *const v = &e->simulation->vortons;
    double given = 0;
    for (int64_t i = begin; i < end; i++) {
        if (!e->near[i])
            continue;
        const double before = (double)v->temperature[i];
        const double excess = before - e->body->heat.temperature - e->mean;
        const double change = share_of(e, i) * (e->toward - (1 - e->own) * excess);
        v->temperature[i] = (float)(before + change);
        given += mass_of(e, i) * ((double)v->temperature[i] - before);
    }
    *sum = e->heat_capacity * given;
}

/* Of body number n. poses: of all bodies. */
static exchange exchange_of(vt_simulation *s, const vt_pose *poses, int32_t n, double thickness)
{
    const vt_body *const body = &s->bodies.items[n];
    exchange e = {.simulation = s,
                  .body = body,
                  .poses = poses,
                  .pose = poses[n],
                  .fluid = vti_fluid_of(&s->def),
                  .thickness = thickness,
                  .heat_capacity = vti_heat_capacity(s)};
    vti_pose_point(&e.pose, body->center, e.center);
    return e;
}

/* NULL: no two bodies exchange heat. */
static uint8_t *count_all_near(vt_simulation *s, const vt_pose *poses, double thickness)
{
    const int64_t count = s->vortons.set.count;
    int32_t warm = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        warm += vti_exchanges_heat(&s->bodies.items[n]);
    if (warm < 2)
        return NULL;
    uint8_t *const all_near = vti_arena_push(&s->arena, (size_t)count);
    memset(all_near, 0, (size_t)count);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        if (!vti_exchanges_heat(&s->bodies.items[n]))
            continue;
        exchange e = exchange_of(s, poses, n, thickness);
        e.all_near = all_near;
        vti_parallel_for(s->def.threads, count, BLOCK, count_near, &e);
    }
    return all_near;
}

/* ---- the area ---- */

/* Whether another body is there, so near that spots of the own one may lie in it. */
static int may_cover(const exchange *e, int32_t n, double center[3])
{
    const vt_body *const other = &e->simulation->bodies.items[n];
    const double reach = other->reach + e->body->reach;
    vti_pose_point(&e->poses[n], other->center, center);
    return other != e->body &&
           (other->hole || e->body->hole || vti_square_between(center, e->center) <= reach * reach);
}

static int covers(const exchange *e, int32_t n, const double center[3], const double world[3])
{
    const vt_body *const body = &e->simulation->bodies.items[n];
    double local[3];
    if (!body->hole && vti_square_between(world, center) > body->reach * body->reach)
        return 0;
    vti_pose_point_back(&e->poses[n], world, local);
    return vti_room_at_body(body, local, 0, NULL) < 0;
}

/* Area of spots that lie in other bodies, in the space of the own one, m^2. */
static void sum_covered(void *data, int64_t begin, int64_t end, double *sum)
{
    const exchange *const e = data;
    const vt_spot *const spots = e->body->warm.spots + begin;
    const int64_t count = end - begin;
    double world[SPOT_BLOCK][3], center[3];
    uint8_t covered[SPOT_BLOCK] = {0};
    for (int64_t i = 0; i < count; i++)
        vti_pose_point(&e->pose, spots[i].point, world[i]);
    for (int32_t n = 0; n < e->simulation->bodies.count; n++)
        if (may_cover(e, n, center))
            for (int64_t i = 0; i < count; i++)
                covered[i] = covered[i] || covers(e, n, center, world[i]);
    for (int64_t i = 0; i < count; i++)
        *sum += covered[i] ? spots[i].area : 0;
}

/* The area that exchanges heat: where fluid is kept around the body, all that no other body covers,
 * however the vortons lie. Elsewhere there may be little fluid: not more than a layer has that is
 * filled with it. */
static double area_of(exchange *e, double fluid_volume)
{
    vt_simulation *const s = e->simulation;
    const vt_body *const body = e->body;
    double covered;
    vti_sum_blocks(&s->arena, s->def.threads, body->warm.spot_count, SPOT_BLOCK, sum_covered, e, 1,
                   &covered);
    const double area = fmax(0, body->heat.area - body->scale * body->scale * covered);
    const int fluid_is_kept = vti_has_shell(s) && vti_wants_fluid_around(body);
    return fluid_is_kept ? area : fmin(area, fluid_volume / e->thickness);
}

/* ---- the exchange ---- */

static void exchange_with(vt_simulation *s, const vt_pose *poses, int32_t n, double thickness,
                          double dt, uint8_t *all_near)
{
    vt_body *const body = &s->bodies.items[n];
    const int64_t count = s->vortons.set.count;
    const double heat_capacity = vti_heat_capacity(s);
    exchange e = exchange_of(s, poses, n, thickness);
    e.near = vti_arena_push(&s->arena, (size_t)count);
    e.all_near = all_near;
    double sum[3], given;
    vti_sum_blocks(&s->arena, s->def.threads, count, BLOCK, sum_near, &e, 3, sum);
    const double mass = sum[1];
    if (!(mass > 0))
        return;
    const double rate = body->heat.conductance * area_of(&e, sum[0]) / (heat_capacity * mass);
    const double capacity = body->heat.capacity;
    const double ratio = capacity > 0 ? heat_capacity * mass / capacity : 0;
    e.mean = sum[2] / mass;
    e.own = vti_exp(-rate * dt);
    e.toward = -e.mean / (1 + ratio) * (1 - vti_exp(-rate * (1 + ratio) * dt));
    vti_sum_blocks(&s->arena, s->def.threads, count, BLOCK, warm_near, &e, 1, &given);
    s->heat.bodies += given;
    body->heat.given += given;
    if (capacity > 0)
        body->heat.temperature -= given / capacity;
}

void vti_exchange_body_heat(vt_simulation *s, double dt)
{
    const double thickness = fmax(s->smallest_core, s->fields_exist ? s->grid.core : 0);
    if (!(thickness > 0))
        return;
    const size_t start = vti_arena_mark(&s->arena);
    const vt_pose *const poses = vti_poses_at(s, s->time + dt);
    uint8_t *const all_near = count_all_near(s, poses, thickness);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const size_t mark = vti_arena_mark(&s->arena);
        if (vti_exchanges_heat(&s->bodies.items[n]))
            exchange_with(s, poses, n, thickness, dt, all_near);
        vti_arena_pop(&s->arena, mark);
    }
    vti_arena_pop(&s->arena, start);
}
