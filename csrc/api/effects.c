#include "base/growing_array.h"
#include "base/status.h"
#include "geometry/region_points.h"
#include "sources/random_eddies.h"
#include "sources/removal.h"
#include "state/force_grid.h"
#include "state/simulation.h"

/* ---- what all have in common ---- */

/* What is asked for with a definition. */
typedef struct request {
    int32_t changed; /* whose definition it replaces, -1: it is new */
    int32_t *id;     /* receives the id of what is new; NULL: nobody asks */
} request;

static vt_status fail_id(const char *what, int32_t id)
{
    return vti_fail(VT_INVALID_ARGUMENT,
                    "id is %d; allowed are ids of %s that were added and not removed", id, what);
}

enum { MOST = 1024 }; /* of each */

/* Room for one more. */
static vt_status make_room(void **items, int32_t count, size_t item, const char *what)
{
    if (count < MOST && vti_grow(items, count, item) == 0)
        return VT_OK;
    return vti_fail(VT_OUT_OF_MEMORY, "no memory for %s %d; allowed are %d", what, count, MOST);
}

/* The id of what was asked for: that of the one it replaces, or the next of those `made`. */
static int32_t take_id(const request *asked, int32_t *made)
{
    const int32_t id = asked->changed < 0 ? (*made)++ : asked->changed;
    if (asked->id)
        *asked->id = id;
    return id;
}

/* The public functions of what use_`name` adds or changes. */
#define EFFECT(name, what)                                                                         \
    vt_status vt_add_##name(vt_simulation *s, const vt_##name##_def *def, int32_t *id)             \
    {                                                                                              \
        request asked = {-1, id};                                                                  \
        return vti_accept_and_use(&vti_##name##_definition, s, def, use_##name, &asked);           \
    }                                                                                              \
    vt_status vt_change_##name(vt_simulation *s, int32_t id, const vt_##name##_def *def)           \
    {                                                                                              \
        request asked = {id, NULL};                                                                \
        return id < 0 ? fail_id(what, id)                                                          \
                      : vti_accept_and_use(&vti_##name##_definition, s, def, use_##name, &asked);  \
    }

/* ---- force fields ---- */

/* Drag is a share. */
static vt_status check_share(const vt_force_def *def)
{
    const vt_track *const track = vti_find_track(def->animation_count, def->animations, "strength");
    double least = def->strength, most = def->strength;
    if (track)
        vti_track_extremes(track, 0, &least, &most);
    if (def->kind != VT_FORCE_DRAG || (least >= 0 && most <= 1))
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT, "force.strength is %g; allowed of drag is 0 to 1",
                    least < 0 ? least : most);
}

/* An attractor is a gradient, which drives no fluid; tracers have no mass to be accelerated. */
static vt_status check_acts_on(const vt_force_def *def)
{
    static const char *const kind[] = {"an attractor", "a vortex", "drag",  "a uniform force",
                                       "turbulence",   "a grid",   "points"};
    const int fluid = def->acts_on == VT_FORCE_ON_FLUID;
    if (fluid ? def->kind != VT_FORCE_ATTRACTOR : def->kind <= VT_FORCE_DRAG)
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT, "force.acts_on is %s; allowed of %s is %s",
                    fluid ? "fluid" : "tracers", kind[def->kind], fluid ? "tracers" : "fluid");
}

/* Points are put on a grid of their radius once. */
static vt_status check_radius(const vt_force_def *def)
{
    if (def->kind != VT_FORCE_POINTS ||
        !vti_find_track(def->animation_count, def->animations, "radius"))
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT,
                    "force.radius is animated; allowed of points is a constant");
}

static vt_status check_fluid_force(const vt_force_def *def)
{
    if (def->acts_on != VT_FORCE_ON_FLUID)
        return VT_OK;
    if (def->shape && def->shape->layer > 0)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "force.shape.layer is %g; allowed of a force on the fluid is 0",
                        def->shape->layer);
    if (def->kind == VT_FORCE_TURBULENCE &&
        vti_find_track(def->animation_count, def->animations, "velocity"))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "force.velocity is animated; allowed of turbulence is a constant");
    return VT_OK;
}

static vt_status check_force(const vt_force_def *def)
{
    vt_status status;
    if ((status = check_share(def)) || (status = check_acts_on(def)) ||
        (status = check_radius(def)) || (status = check_fluid_force(def)))
        return status;
    return vti_check_shape_is_there(def->shape, def->animation_count, def->animations);
}

/* Of turbulence and gusts: of size 1, which turn over once in `time`. */
static vt_status make_eddies(vt_force *force)
{
    static const double nowhere[3] = {0, 0, 0};
    const vt_force_def *const def = &force->def;
    if (def->kind != VT_FORCE_TURBULENCE && !(def->kind == VT_FORCE_UNIFORM && def->gusts > 0))
        return VT_OK;
    force->eddies = vti_create_random_eddies(def->seed, 1, 0, nowhere, 1 / def->time);
    return force->eddies ? VT_OK
                         : vti_fail(VT_OUT_OF_MEMORY, "no memory for the eddies of a force");
}

/* The values of a grid or of points; without a shape, in their box. */
static vt_status make_grid_of_force(const vt_force_def *def, vt_force *force)
{
    if (def->kind != VT_FORCE_GRID && def->kind != VT_FORCE_POINTS)
        return VT_OK;
    vt_status status = vti_create_force_grid(def, &force->grid);
    if (status)
        return status;
    const int32_t *const nodes = force->grid.nodes;
    for (int64_t n = 0; n < (int64_t)nodes[0] * nodes[1] * nodes[2]; n++) {
        const f4 v = force->grid.values[n];
        const double square =
            (double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2];
        force->largest = fmax(force->largest, sqrt(square));
    }
    if (def->shape)
        return VT_OK;
    const vt_shape box = vti_box_of_grid(&force->grid);
    force->def.falloff = 0;
    status = vti_create_region(&box, &force->region);
    force->has_region = status == VT_OK;
    return status;
}

static vt_status make_shape_of_force(const vt_force_def *def, vt_force *force)
{
    if (!def->shape)
        return VT_OK;
    const vt_status status = vti_create_growing_region(
        def->shape, "shape", def->animation_count, def->animations, (double)NAN, &force->region);
    force->has_region = status == VT_OK;
    return status;
}

static vt_status make_force(const vt_force_def *def, vt_force *force)
{
    *force = (vt_force){.def = *def};
    force->def.shape = NULL;
    force->def.animations = NULL;
    force->def.values = force->def.positions = force->def.accelerations = NULL;
    vt_status status = make_shape_of_force(def, force);
    if (!status)
        status = make_grid_of_force(def, force);
    if (!status)
        status = vti_copy_animations(&vti_force_definition, def->animation_count, def->animations,
                                     &force->animations);
    if (!status)
        status = make_eddies(force);
    if (status)
        vti_destroy_force(force);
    return status;
}

/* Drags slow down what all others drive. There is room for one more. */
static void insert_force(vt_forces *forces, const vt_force *force)
{
    int32_t at = forces->count++;
    for (; force->def.kind != VT_FORCE_DRAG && at > 0 &&
           forces->force[at - 1].def.kind == VT_FORCE_DRAG;
         at--)
        forces->force[at] = forces->force[at - 1];
    forces->force[at] = *force;
}

static void drop_force(vt_forces *forces, int32_t n)
{
    vti_destroy_force(&forces->force[n]);
    vti_close_gap(forces->force, n, &forces->count, sizeof *forces->force);
}

static vt_status find_force(const vt_forces *forces, int32_t id, int32_t *n)
{
    *n = vti_find_id(forces->force, forces->count, sizeof(vt_force), offsetof(vt_force, id), id);
    return *n < 0 ? fail_id("force fields", id) : VT_OK;
}

/* Among those of its kind one that is changed keeps its place. */
static vt_status use_force(vt_simulation *s, const void *def, void *data)
{
    const request *const asked = data;
    vt_forces *const forces = &s->forces;
    vt_force force;
    int32_t n = -1;
    vt_status status = asked->changed < 0 ? make_room((void **)&forces->force, forces->count,
                                                      sizeof force, "force")
                                          : find_force(forces, asked->changed, &n);
    if (!status)
        status = check_force(def);
    if (!status)
        status = make_force(def, &force);
    if (status)
        return status;
    force.id = take_id(asked, &forces->made);
    s->forces_filled = -1;
    vt_force *const old = n < 0 ? NULL : &forces->force[n];
    if (old && (old->def.kind == VT_FORCE_DRAG) == (force.def.kind == VT_FORCE_DRAG)) {
        vti_destroy_force(old);
        *old = force;
        return VT_OK;
    }
    if (old)
        drop_force(forces, n);
    insert_force(forces, &force);
    return VT_OK;
}

EFFECT(force, "force fields")

vt_status vt_remove_force(vt_simulation *s, int32_t id)
{
    int32_t n;
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = find_force(&s->forces, id, &n);
    if (!status)
        drop_force(&s->forces, n);
    return vti_leave(s, status);
}

/* ---- kills ---- */

static vt_status find_kill(const vt_kills *kills, int32_t id, int32_t *n)
{
    *n = vti_find_id(kills->kill, kills->count, sizeof(vt_kill), offsetof(vt_kill, id), id);
    return *n < 0 ? fail_id("kills", id) : VT_OK;
}

static vt_status use_kill(vt_simulation *s, const void *def, void *data)
{
    const request *const asked = data;
    vt_kills *const kills = &s->kills;
    vt_kill kill;
    int32_t n = kills->count;
    vt_status status = asked->changed < 0 ? make_room((void **)&kills->kill, n, sizeof kill, "kill")
                                          : find_kill(kills, asked->changed, &n);
    if (!status)
        status = vti_check_kill(def);
    if (!status)
        status = vti_make_kill(def, &kill);
    if (status)
        return status;
    vti_use_kill_columns(s, &kill);
    if (n < kills->count)
        vti_destroy_kill(&kills->kill[n]);
    else
        kills->count++;
    kill.id = take_id(asked, &kills->made);
    kills->kill[n] = kill;
    return VT_OK;
}

EFFECT(kill, "kills")

vt_status vt_remove_kill(vt_simulation *s, int32_t id)
{
    int32_t n;
    vt_status status = vti_enter(s);
    if (status)
        return status;
    vt_kills *const kills = &s->kills;
    status = find_kill(kills, id, &n);
    if (!status) {
        vti_destroy_kill(&kills->kill[n]);
        vti_close_gap(kills->kill, n, &kills->count, sizeof *kills->kill);
    }
    return vti_leave(s, status);
}

/* ---- winds ---- */

/* A parameter as a track of its own: a constant has one key. */
static vt_status make_track(const char *name, int32_t components, const double *constant,
                            int32_t count, const vt_animation *animations, vt_track *track)
{
    const vt_track one_key = {.components = components, .count = 1, .values = constant, .rate = 1};
    const vt_track *const keys = vti_find_track(count, animations, name);
    return vti_copy_track(keys ? keys : &one_key, track);
}

static vt_status make_uniform(const vt_simulation *s, const vt_wind_def *def, vt_uniform_wind *wind)
{
    *wind = (vt_uniform_wind){.parent = def->parent,
                              .turns = vti_parent_moves(&s->transforms, def->parent)};
    return make_track("velocity", 3, def->velocity, def->animation_count, def->animations,
                      &wind->velocity);
}

/* The index of a wind in the list of its kind; in the other one -1. */
static vt_status find_wind(const vt_winds *winds, int32_t id, int32_t *uniform, int32_t *grid)
{
    *uniform = vti_find_id(winds->uniform, winds->uniform_count, sizeof *winds->uniform,
                           offsetof(vt_uniform_wind, id), id);
    *grid = vti_find_id(winds->grid_id, winds->grid_count, sizeof id, 0, id);
    return *uniform < 0 && *grid < 0 ? fail_id("winds", id) : VT_OK;
}

static vt_status fail_kind(int32_t id, const char *is, const char *allowed)
{
    return vti_fail(VT_INVALID_ARGUMENT,
                    "id is %d, which vt_add_%s made; allowed are ids that vt_add_%s made", id, is,
                    allowed);
}

static vt_status use_wind(vt_simulation *s, const void *def, void *data)
{
    const request *const asked = data;
    vt_winds *const winds = &s->winds;
    vt_uniform_wind wind;
    int32_t n = winds->uniform_count, grid;
    vt_status status = asked->changed < 0
                           ? make_room((void **)&winds->uniform, n, sizeof wind, "wind")
                           : find_wind(winds, asked->changed, &n, &grid);
    if (!status && n < 0)
        status = fail_kind(asked->changed, "wind_grid", "wind");
    if (!status)
        status = make_uniform(s, def, &wind);
    if (status)
        return status;
    if (n < winds->uniform_count)
        vti_destroy_track(&winds->uniform[n].velocity);
    else
        winds->uniform_count++;
    wind.id = take_id(asked, &winds->made);
    winds->uniform[n] = wind;
    s->fields_current = 0;
    return VT_OK;
}

EFFECT(wind, "winds")

vt_status vt_remove_wind(vt_simulation *s, int32_t id)
{
    int32_t uniform, grid;
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = find_wind(&s->winds, id, &uniform, &grid);
    if (!status && uniform >= 0)
        vti_drop_uniform_wind(&s->winds, uniform);
    else if (!status)
        vti_drop_wind_grid(&s->winds, grid);
    if (!status)
        s->fields_current = 0;
    return vti_leave(s, status);
}

/* On failure there is nothing to destroy. */
static vt_status make_grid(const vt_wind_grid_def *def, vt_wind_grid *grid, vt_track *strength)
{
    vt_status status =
        make_track("strength", 1, &def->strength, def->animation_count, def->animations, strength);
    if (status)
        return status;
    status = vti_make_wind_grid("wind", def->nodes, def->velocity, grid);
    if (status) {
        vti_destroy_track(strength);
        return status;
    }
    grid->border = def->outside == VT_WIND_BORDER;
    grid->parent = def->parent;
    grid->pose = (vt_pose){.matrix = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = 1};
    vti_place_wind_grid(def->origin, def->spacing, grid);
    grid->largest_gradient = vti_largest_wind_gradient(grid);
    return VT_OK;
}

static vt_status make_room_for_grid(vt_winds *winds)
{
    const int32_t n = winds->grid_count;
    vt_status status = make_room((void **)&winds->grids, n, sizeof *winds->grids, "wind");
    if (!status)
        status = make_room((void **)&winds->strength, n, sizeof *winds->strength, "wind");
    return status ? status : make_room((void **)&winds->grid_id, n, sizeof *winds->grid_id, "wind");
}

static vt_status use_wind_grid(vt_simulation *s, const void *def, void *data)
{
    const request *const asked = data;
    vt_winds *const winds = &s->winds;
    vt_wind_grid grid;
    vt_track strength;
    int32_t uniform, n = winds->grid_count;
    vt_status status = asked->changed < 0 ? make_room_for_grid(winds)
                                          : find_wind(winds, asked->changed, &uniform, &n);
    if (!status && n < 0)
        status = fail_kind(asked->changed, "wind", "wind_grid");
    if (!status)
        status = make_grid(def, &grid, &strength);
    if (status)
        return status;
    if (n < winds->grid_count) {
        vti_destroy_wind_grid(&winds->grids[n]);
        vti_destroy_track(&winds->strength[n]);
    } else {
        winds->grid_count++;
    }
    winds->grid_id[n] = take_id(asked, &winds->made);
    winds->grids[n] = grid;
    winds->strength[n] = strength;
    s->fields_current = 0;
    return VT_OK;
}

EFFECT(wind_grid, "winds")
