#include "state/simulation.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "core/reserve.h"
#include "core/status.h"
#include "state/ambient.h"
#include "state/combustion.h"

vt_simulation_def vt_default_simulation(void)
{
    return (vt_simulation_def){.max_vortons = INT64_C(1) << 20,
                               .max_tracers = INT64_C(1) << 23,
                               .max_nodes = INT64_C(1) << 24,
                               .gravity = {0, 0, -9.81},
                               .ambient = vt_default_ambient(),
                               .combustion = vt_default_combustion(VT_BURN_NONE),
                               .method = vt_default_method()};
}

/* ---- checks ---- */

#define MOST_VORTONS (INT64_C(1) << 30)
#define MOST_TRACERS ((int64_t)INT32_MAX)
#define PANEL_BYTES ((size_t)4 << 30)
#define LATTICE_BYTES ((size_t)4 << 30)

static vt_status check_range(const char *name, int64_t value, int64_t least, int64_t most)
{
    if (value >= least && value <= most)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "%s is %lld; allowed is %lld to %lld", name,
                   (long long)value, (long long)least, (long long)most);
}

#define MEMBER(member) offsetof(vt_simulation_def, member)
static const vt_parameter parameters[] = {
    {"gravity", MEMBER(gravity), {3, -1e6, 1e6, 0, "m/s^2"}},
    {"viscosity", MEMBER(viscosity), {1, 0, 1e6, 0, "m^2/s"}},
    {"thermal_diffusivity", MEMBER(thermal_diffusivity), {1, 0, 1e6, 0, "m^2/s"}},
    {0}};

static vt_status check_definition(const vt_simulation_def *def)
{
    vt_status status = check_range("max_vortons", def->max_vortons, 1, MOST_VORTONS);
    if (!status)
        status = check_range("max_tracers", def->max_tracers, 1, MOST_TRACERS);
    if (!status)
        status = check_range("max_nodes", def->max_nodes, 17 * 17 * 17, INT64_C(1) << 30);
    if (!status)
        status = check_range("threads", def->threads, 0, VT_MAX_THREADS);
    if (!status)
        status = check_range("at_capacity", def->at_capacity, 0, VT_AT_CAPACITY_STOP);
    if (!status && !(def->spacing >= 0 && isfinite(def->spacing)))
        status = vt_fail(VT_INVALID_ARGUMENT,
                         "spacing is %g m; allowed is a positive finite length, or 0 for the "
                         "smallest core / 1.5",
                         def->spacing);
    if (!status && !(def->viscosity >= 0 && def->viscosity <= 1e6))
        status = vt_fail(VT_INVALID_ARGUMENT, "viscosity is %g m^2/s; allowed is 0 to 1e6",
                         def->viscosity);
    if (!status && !(def->thermal_diffusivity >= 0 && def->thermal_diffusivity <= 1e6))
        status =
            vt_fail(VT_INVALID_ARGUMENT, "thermal_diffusivity is %g m^2/s; allowed is 0 to 1e6",
                    def->thermal_diffusivity);
    if (!status && !(def->dissipation >= 0 && def->dissipation <= 1e9))
        status = vt_fail(VT_INVALID_ARGUMENT, "dissipation is %g 1/s; allowed is 0 to 1e9",
                         def->dissipation);
    for (int a = 0; a < 3 && !status; a++)
        if (!isfinite(def->wind[a]))
            status = vt_fail(VT_INVALID_ARGUMENT, "wind[%d] is %g; allowed are finite m/s", a,
                             def->wind[a]);
    if (!status)
        status = vt_check_ambient(def);
    if (!status)
        status = vt_check_combustion(&def->combustion);
    if (!status)
        status =
            vt_check_animations(parameters, "a simulation", def->animation_count, def->animations);
    return status ? status : vt_check_method(&def->method);
}

/* ---- memory ---- */

/* Arrays of the grid, one after the other, for the largest layout that vt_domain_fits allows. */
static size_t grid_bytes_for(int64_t max_nodes)
{
    return (size_t)max_nodes * 4 * (2 * sizeof(f4) + 4 * sizeof(float)) +
           (size_t)1024 * 1024 * 6 * 16 + ((size_t)1 << 20);
}

static size_t arena_bytes_for(const vt_simulation_def *def)
{
    return 512 * (size_t)def->max_nodes + 1280 * (size_t)def->max_vortons +
           240 * (size_t)def->max_tracers + ((size_t)1 << 32);
}

static int reserve_memory(vt_simulation *s)
{
    s->grid_bytes = grid_bytes_for(s->def.max_nodes);
    s->grid_memory = vt_reserve(s->grid_bytes);
    if (!s->grid_memory || vt_create_vortons(&s->vortons, s->def.max_vortons) ||
        vt_create_tracers(&s->tracers, s->def.max_tracers) ||
        vt_arena_create(&s->arena, arena_bytes_for(&s->def)) ||
        vt_moments_create(&s->moments, s->def.max_nodes) ||
        vt_moments_create(&s->charges, s->def.max_nodes) ||
        vt_poisson_plan_create(&s->plan, s->def.max_nodes) ||
        vt_arena_create(&s->panels.arena, PANEL_BYTES + 10 * (size_t)s->def.max_nodes) ||
        vt_arena_create(&s->kept_lattice.arena, LATTICE_BYTES))
        return -1;
    vt_reserve_huge(s->grid_memory, s->grid_bytes);
    s->vortons.set.used[VT_VORTON_acceleration] = s->def.method.buoyancy == VT_BUOYANCY_FULL;
    s->vortons.set.used[VT_VORTON_halo] =
        s->def.viscosity > 0 || vt_find_animation(&s->animations, "viscosity");
    const int burns = s->def.combustion.law != VT_BURN_NONE;
    for (int c = 0; c < VT_CARRIED_COLUMNS && burns; c++)
        s->vortons.set.used[vt_carried_column[c]] |= c != VT_CARRIED_density;
    s->vortons.set.used[VT_VORTON_mixture] |= burns;
    for (int n = 0; n < VT_TAKEN_COLUMNS && burns; n++)
        s->tracers.set.used[vt_taken_column[n]] |= s->def.method.flames == VT_FLAMES_OWN;
    return 0;
}

static vt_status no_address_space(const vt_simulation_def *def)
{
    return vt_fail(
        VT_OUT_OF_MEMORY, "no address space for max_vortons %lld, max_tracers %lld, max_nodes %lld",
        (long long)def->max_vortons, (long long)def->max_tracers, (long long)def->max_nodes);
}

vt_status vt_create_simulation(const vt_simulation_def *def, vt_simulation **simulation)
{
    *simulation = NULL;
    const vt_status status = check_definition(def);
    if (status)
        return status;
    vt_simulation *const s = aligned_alloc(_Alignof(vt_simulation), sizeof *s);
    if (!s)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for a simulation");
    memset(s, 0, sizeof *s);
    s->def = *def;
    s->born_until = -1;
    if (s->def.threads == 0)
        s->def.threads = vt_available_threads();
    s->stages = vt_stages();
    s->def.animations = NULL;
    const vt_status copied =
        vt_copy_animations(parameters, def->animation_count, def->animations, &s->animations);
    if (copied) {
        vt_destroy_simulation(s);
        return copied;
    }
    vt_animate(&s->animations, 0, &s->def);
    if (reserve_memory(s)) {
        vt_destroy_simulation(s);
        return no_address_space(def);
    }
    *simulation = s;
    return VT_OK;
}

void vt_destroy_simulation(vt_simulation *s)
{
    if (!s)
        return;
    vt_destroy_set(&s->vortons.set);
    vt_destroy_set(&s->tracers.set);
    vt_destroy_sources(&s->sources);
    vt_destroy_winds(&s->winds);
    vt_destroy_forces(&s->forces);
    vt_destroy_kills(&s->kills);
    vt_destroy_transforms(&s->transforms);
    vt_destroy_bodies(&s->bodies);
    vt_destroy_animations(&s->animations);
    vt_moments_destroy(&s->moments);
    vt_moments_destroy(&s->charges);
    vt_poisson_plan_destroy(&s->plan);
    vt_arena_destroy(&s->panels.arena);
    vt_arena_destroy(&s->kept_lattice.arena);
    vt_arena_destroy(&s->arena);
    vt_release(s->grid_memory, s->grid_bytes);
    free(s);
}

/* ---- copies ---- */

/* Room in the copy: as asked for, enough for the rows alive. */
static vt_status choose_room(const char *name, int64_t asked, int64_t alive, int64_t most,
                             int64_t *room)
{
    if (asked == 0)
        return VT_OK;
    *room = asked;
    if (asked >= alive && asked >= 1 && asked <= most)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT,
                   "%s is %lld; allowed is %lld to %lld (%lld are alive), or 0: as much room as in "
                   "the original",
                   name, (long long)asked, (long long)(alive ? alive : 1), (long long)most,
                   (long long)alive);
}

/* What owns memory, as copy_memory knows it: whoever adds to it adds there, too. */
_Static_assert(offsetof(vt_simulation, grid) - offsetof(vt_simulation, vortons) ==
                   sizeof(vt_vortons) + sizeof(vt_tracers) + sizeof(vt_sources) + sizeof(vt_winds) +
                       sizeof(vt_forces) + sizeof(vt_kills) + sizeof(vt_transforms) +
                       sizeof(vt_bodies) + sizeof(vt_animations),
               "copy_memory copies every member between vortons and grid");

/* `to` holds the plain values of `from`, and nothing that owns memory. */
static vt_status copy_memory(const vt_simulation *from, vt_simulation *to)
{
    vt_status status = vt_copy_animations(parameters, from->animations.count,
                                          from->animations.items, &to->animations);
    if (status)
        return status;
    if (reserve_memory(to))
        return no_address_space(&to->def);
    status = vt_copy_sources(&from->sources, &to->sources);
    if (!status)
        status = vt_copy_winds(&from->winds, &to->winds);
    if (!status)
        status = vt_copy_forces(&from->forces, &to->forces);
    if (!status)
        status = vt_copy_kills(&from->kills, &to->kills);
    if (!status)
        status = vt_copy_transforms(&from->transforms, &to->transforms);
    if (!status)
        status = vt_copy_bodies(&from->bodies, &to->bodies);
    if (status)
        return status;
    vt_copy_rows(&from->vortons.set, &to->vortons.set);
    vt_copy_rows(&from->tracers.set, &to->tracers.set);
    return VT_OK;
}

static vt_status copy_inside(const vt_simulation *from, int64_t max_vortons, int64_t max_tracers,
                             vt_simulation **copy)
{
    vt_simulation_def def = from->def;
    vt_status status = choose_room("max_vortons", max_vortons, from->vortons.set.count,
                                   MOST_VORTONS, &def.max_vortons);
    if (!status)
        status = choose_room("max_tracers", max_tracers, from->tracers.set.count, MOST_TRACERS,
                             &def.max_tracers);
    if (status)
        return status;
    vt_simulation *const to = calloc(1, sizeof *to);
    if (!to)
        return vt_fail(VT_OUT_OF_MEMORY, "no memory for a simulation");
    memcpy(to, from, offsetof(vt_simulation, vortons));
    to->def = def;
    status = copy_memory(from, to);
    if (status)
        vt_destroy_simulation(to);
    else
        *copy = to;
    return status;
}

vt_status vt_copy_simulation(vt_simulation *s, int64_t max_vortons, int64_t max_tracers,
                             vt_simulation **copy)
{
    *copy = NULL;
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = copy_inside(s, max_vortons, max_tracers, copy);
    vt_leave(s);
    return status;
}

/* ---- what changes in time ---- */

void vt_animate_definition(vt_simulation *s, double dt)
{
    char *const def = (char *)&s->def;
    for (int32_t a = 0; a < s->animations.count; a++) {
        const vt_track *const track = &s->animations.items[a].track;
        double *const mean = (double *)(void *)(def + s->animations.offsets[a]);
        vt_mean_of_track(track, s->time, s->time + dt, mean);
    }
}

/* ---- entering ---- */

vt_status vt_enter(vt_simulation *s)
{
    if (atomic_exchange_explicit(&s->busy, 1, memory_order_acquire))
        return vt_fail(VT_BUSY, "another thread is inside this simulation; wait until it is done");
    return VT_OK;
}

void vt_leave(vt_simulation *s)
{
    atomic_store_explicit(&s->busy, 0, memory_order_release);
}

/* ---- what can be asked ---- */

double vt_time(const vt_simulation *s)
{
    return s->time;
}

int64_t vt_step_count(const vt_simulation *s)
{
    return s->steps;
}

static const char *const timing_names[] = {
#define VT_TIMED_STAGE(name, description) #name,
#include "vorton/timings.def"
};

int vt_get_timing(const vt_simulation *s, int index, vt_timing *timing)
{
    if (index < 0 || index >= VT_TIMED_STAGES)
        return 0;
    const vt_timer *const t = &s->timers[index];
    *timing = (vt_timing){timing_names[index], t->last, t->total, t->calls};
    return 1;
}

const char *vt_version(void)
{
    return VORTON_VERSION;
}

const char *vt_backend(void)
{
    return vt_parallel_backend();
}

const char *vt_build(void)
{
    return VT_BUILD_COMPILER " | " VT_BUILD_FLAGS;
}
