#include "animation/definition.h"
#include "base/reserve.h"
#include "base/spare_memory.h"
#include "base/status.h"
#include "model/capacity.h"
#include "sources/sources.h"
#include "state/particles.h"
#include "state/simulation.h"
#include "state/transform.h"

static vt_status check_definition(const vt_simulation_def *def)
{
    const uint32_t major = def->header_version / 10000;
    if (major != VORTON_VERSION_MAJOR)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "the program was built with vorton.h %u.%u.%u, this library is %s: allowed "
                        "is a header of the same major version",
                        major, def->header_version / 100 % 100, def->header_version % 100,
                        VORTON_VERSION);
    return vti_check_definition(&vti_simulation_definition, def);
}

/* Arrays of the grid, one after the other, for the largest layout that vti_domain_fits allows. */
static size_t grid_bytes_for(int64_t max_nodes)
{
    return (size_t)max_nodes * 4 * (2 * sizeof(f4) + 4 * sizeof(float)) +
           (size_t)1024 * 1024 * 6 * 16 + ((size_t)1 << 20);
}

static size_t arena_bytes_for(int64_t max_nodes, const int64_t rows[2])
{
    return 512 * (size_t)max_nodes + 1280 * (size_t)rows[VT_VORTONS] +
           320 * (size_t)rows[VT_TRACERS] + ((size_t)1 << 32);
}

static void release_memory(vt_simulation *s)
{
    vti_destroy_set(&s->vortons.set);
    vti_destroy_set(&s->tracers.set);
    vti_moments_destroy(&s->moments);
    vti_moments_destroy(&s->charges);
    vti_poisson_plan_destroy(&s->plan);
    vti_arena_destroy(&s->arena);
    vti_release(s->grid_memory, s->grid_bytes);
    s->grid_memory = NULL;
}

static int reserve_memory(vt_simulation *s, const int64_t rows[2])
{
    s->grid_bytes = grid_bytes_for(s->def.max_nodes);
    s->grid_memory = vti_reserve_vast(s->grid_bytes);
    if (!s->grid_memory || vti_create_vortons(&s->vortons, rows[VT_VORTONS]) ||
        vti_create_tracers(&s->tracers, rows[VT_TRACERS]) ||
        vti_arena_create(&s->arena, arena_bytes_for(s->def.max_nodes, rows)) ||
        vti_moments_create(&s->moments, s->def.max_nodes) ||
        vti_moments_create(&s->charges, s->def.max_nodes) ||
        vti_poisson_plan_create(&s->plan, s->def.max_nodes))
        return -1;
    vti_reserve_huge(s->grid_memory, s->grid_bytes);
    s->vortons.set.used[VT_VORTON_acceleration] = s->def.method.buoyancy == VT_BUOYANCY_FULL;
    const int burns = s->def.combustion.law != VT_BURN_NONE;
    for (int c = 0; c < VT_COMPOSITION_COLUMNS && burns; c++)
        s->vortons.set.used[vti_composition_column[c]] |= c != VT_CARRIED_density;
    s->vortons.set.used[VT_VORTON_mixture] |= burns;
    for (int n = 0; n < VT_TAKEN_COLUMNS && burns; n++)
        s->tracers.set.used[vti_taken_column[n]] |= s->def.method.flames == VT_FLAMES_OWN;
    return 0;
}

static vt_status no_address_space(int64_t max_nodes, const int64_t rows[2])
{
    const size_t least =
        grid_bytes_for(max_nodes) + arena_bytes_for(max_nodes, rows); /* and the columns */
    return vti_fail(VT_OUT_OF_MEMORY,
                    "no address space for max_vortons %lld, max_tracers %lld, max_nodes %lld: more "
                    "than %.0f GiB, of which little becomes memory; fewer take less, and ulimit -v "
                    "tells what is allowed",
                    (long long)rows[VT_VORTONS], (long long)rows[VT_TRACERS], (long long)max_nodes,
                    (double)least / (1 << 30));
}

/* Where addresses are short: less room in the sets that have as much as the machine allows, but for
 * so many rows. Returns 0 where that is no less. */
static int take_less_room(const vt_simulation *s, int64_t rows[2], const int64_t least[2])
{
    int less = 0;
    for (int set = 0; set < 2; set++) {
        const int64_t usual = rows[set] > VT_USUAL_ROWS ? VT_USUAL_ROWS : 0;
        const int64_t bound = least[set] > usual ? least[set] : usual;
        const int64_t fewer = rows[set] / 4 > bound ? rows[set] / 4 : bound;
        if (vti_room_is_by_machine(s, set) && fewer < rows[set]) {
            rows[set] = fewer;
            less = 1;
        }
    }
    return less;
}

static vt_status reserve_room(vt_simulation *s, int64_t rows[2], const int64_t least[2])
{
    while (reserve_memory(s, rows)) {
        release_memory(s);
        if (!take_less_room(s, rows, least))
            return no_address_space(s->def.max_nodes, rows);
    }
    return VT_OK;
}

static vt_status reserve_new(vt_simulation *s)
{
    const int64_t least[2] = {VT_FEWEST_ROWS, VT_FEWEST_ROWS};
    int64_t rows[2] = {s->def.max_vortons, s->def.max_tracers};
    for (int set = 0; set < 2; set++)
        if (vti_room_is_by_machine(s, set))
            rows[set] = vti_rows_in_memory(set, vti_machine_memory());
    return reserve_room(s, rows, least);
}

static vt_status create_simulation_now(const vt_simulation_def *def, vt_simulation **simulation)
{
    vt_status status = check_definition(def);
    if (status)
        return status;
    vt_simulation *const s = vti_reserve(sizeof *s); /* aligned as what threads write in it */
    if (!s)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a simulation");
    vti_keep_spares();
    s->def = *def;
    s->born_until = -1;
    if (s->def.threads == 0)
        s->def.threads = vt_available_threads();
    s->stages = vti_stages();
    s->def.animations = NULL;
    status = vti_copy_animations(&vti_simulation_definition, def->animation_count, def->animations,
                                 &s->animations);
    if (!status) {
        vti_animate(&s->animations, 0, &s->def);
        status = reserve_new(s);
    }
    if (status)
        vt_destroy_simulation(s);
    else
        *simulation = s;
    return status;
}

vt_status vt_create_simulation(const vt_simulation_def *def, vt_simulation **simulation)
{
    vt_accepted accepted;
    *simulation = NULL;
    vt_status status = vti_accept(&vti_simulation_definition, def, &accepted);
    if (!status)
        status = create_simulation_now(accepted.def, simulation);
    vti_give_back(&accepted);
    return status;
}

void vt_destroy_simulation(vt_simulation *s)
{
    if (!s)
        return;
    release_memory(s);
    vti_destroy_sources(&s->sources);
    vti_destroy_winds(&s->winds);
    vti_destroy_forces(&s->forces);
    vti_destroy_kills(&s->kills);
    vti_destroy_transforms(&s->transforms);
    vti_destroy_bodies(&s->bodies);
    vti_destroy_animations(&s->animations);
    vti_release_for_bodies(s);
    vti_release(s->shown_memory, s->shown_bytes);
    vti_release(s, sizeof *s);
    vti_drop_spares();
}

/* Room in the copy: as asked for, enough for the rows alive. */
static vt_status choose_room(const vt_simulation *s, int set, int64_t asked, int64_t *max,
                             int64_t *rows)
{
    const int64_t alive = vti_set_of(s, set)->count, most = vti_most_rows[set];
    *rows = vti_set_of(s, set)->capacity;
    if (asked == 0)
        return VT_OK;
    *max = *rows = asked;
    if (asked >= alive && asked >= 1 && asked <= most)
        return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "max_%s is %lld; allowed is %lld to %lld (%lld are alive), or 0: as much room as in "
        "the original",
        vti_name_of_set(set), (long long)asked, (long long)(alive ? alive : 1), (long long)most,
        (long long)alive);
}

/* `to` holds the plain values of `from`, and nothing that owns memory. */
static vt_status copy_memory(const vt_simulation *from, int64_t rows[2], vt_simulation *to)
{
    int64_t least[2];
    for (int set = 0; set < 2; set++) {
        const int64_t alive = vti_set_of(from, set)->count;
        least[set] = alive > VT_FEWEST_ROWS ? alive : VT_FEWEST_ROWS;
    }
    vt_status status = vti_copy_animations(&vti_simulation_definition, from->animations.count,
                                           from->animations.items, &to->animations);
    if (!status)
        status = reserve_room(to, rows, least);
    if (status)
        return status;
    if (from->bodies.count > 0 && (status = vti_reserve_for_bodies(to)))
        return status;
    if ((status = vti_copy_sources(&from->sources, &to->sources)) ||
        (status = vti_copy_winds(&from->winds, &to->winds)) ||
        (status = vti_copy_forces(&from->forces, &to->forces)) ||
        (status = vti_copy_kills(&from->kills, &to->kills)) ||
        (status = vti_copy_transforms(&from->transforms, &to->transforms)) ||
        (status = vti_copy_bodies(&from->bodies, &to->bodies)))
        return status;
    vti_copy_rows(&from->vortons.set, &to->vortons.set);
    vti_copy_rows(&from->tracers.set, &to->tracers.set);
    return VT_OK;
}

static vt_status copy_inside(const vt_simulation *from, int64_t max_vortons, int64_t max_tracers,
                             vt_simulation **copy)
{
    vt_simulation_def def = from->def;
    int64_t rows[2];
    vt_status status =
        choose_room(from, VT_VORTONS, max_vortons, &def.max_vortons, &rows[VT_VORTONS]);
    if (!status)
        status = choose_room(from, VT_TRACERS, max_tracers, &def.max_tracers, &rows[VT_TRACERS]);
    if (status)
        return status;
    vt_simulation *const to = vti_reserve(sizeof *to);
    if (!to)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a simulation");
    vti_keep_spares();
    memcpy(to, from, offsetof(vt_simulation, vortons));
    to->def = def;
    status = copy_memory(from, rows, to);
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
    const vt_status status = vti_enter(s);
    return status ? status : vti_leave(s, copy_inside(s, max_vortons, max_tracers, copy));
}

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
    const vt_timing known = {
        .name = timing_names[index], .last = t->last, .total = t->total, .calls = t->calls};
    return vti_hand_out(timing, &known, sizeof known) == VT_OK;
}

int vt_get_warning(const vt_simulation *s, int index, vt_warning *warning)
{
    if (index < 0 || index >= s->warnings.count)
        return 0;
    const vt_warning known = {.source = s->warnings.item[index].source,
                              .text = s->warnings.item[index].text};
    return vti_hand_out(warning, &known, sizeof known) == VT_OK;
}
