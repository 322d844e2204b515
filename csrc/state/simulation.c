#include "state/simulation.h"

#include "animation/definition.h"
#include "base/status.h"
#include "state/transform.h"

/* ---- copies ---- */

/* What owns memory, as copy_memory knows it: whoever adds to it adds there, too. */
_Static_assert(offsetof(vt_simulation, grid) - offsetof(vt_simulation, vortons) ==
                   sizeof(vt_vortons) + sizeof(vt_tracers) + sizeof(vt_sources) + sizeof(vt_winds) +
                       sizeof(vt_forces) + sizeof(vt_kills) + sizeof(vt_transforms) +
                       sizeof(vt_bodies) + sizeof(vt_animations),
               "copy_memory copies every member between vortons and grid");

/* ---- address space for bodies ---- */

#define PANEL_BYTES ((size_t)4 << 30)
#define LATTICE_BYTES ((size_t)4 << 30)
#define NODE_BYTES ((size_t)2 << 30)

/* Bytes that a node near a wall takes, as two ghosts with three lifts. */
enum { MOST_OF_NODE = 640 };

vt_status vti_reserve_for_bodies(vt_simulation *s)
{
    const size_t nodes = (size_t)s->def.max_nodes, panel_bytes = PANEL_BYTES + 10 * nodes;
    const size_t node_bytes = NODE_BYTES + MOST_OF_NODE * nodes;
    if (s->panels.arena.base)
        return VT_OK;
    if (!vti_arena_create(&s->panels.arena, panel_bytes) &&
        !vti_arena_create(&s->panels.near.arena, node_bytes) &&
        !vti_arena_create(&s->kept_lattice.arena, LATTICE_BYTES))
        return VT_OK;
    vti_release_for_bodies(s);
    return vti_fail(VT_OUT_OF_MEMORY,
                    "no address space for bodies: %.0f GiB more, of which little becomes memory; "
                    "ulimit -v tells what is allowed",
                    (double)(panel_bytes + node_bytes + LATTICE_BYTES) / (1 << 30));
}

void vti_release_for_bodies(vt_simulation *s)
{
    vti_arena_destroy(&s->panels.arena);
    vti_arena_destroy(&s->panels.near.arena);
    vti_arena_destroy(&s->kept_lattice.arena);
}

/* ---- what changes in time ---- */

void vti_animate_definition(vt_simulation *s, double dt)
{
    char *const def = (char *)&s->def;
    for (int32_t a = 0; a < s->animations.count; a++) {
        const vt_track *const track = &s->animations.items[a].track;
        double *const mean = (double *)(void *)(def + s->animations.offsets[a]);
        vti_mean_of_track(track, s->time, s->time + dt, mean);
    }
}

/* ---- entering ---- */

vt_status vti_enter(vt_simulation *s)
{
    if (!s)
        return vti_fail(VT_INVALID_ARGUMENT, "simulation must not be NULL");
    if (atomic_exchange_explicit(&s->busy, 1, memory_order_acquire))
        return vti_fail(VT_BUSY, "another thread is inside this simulation; wait until it is done");
    return VT_OK;
}

vt_status vti_leave(vt_simulation *s, vt_status status)
{
    atomic_store_explicit(&s->busy, 0, memory_order_release);
    return status;
}

/* By its table, and that its parent is there. */
static vt_status check_definition(const vt_simulation *s, const vt_definition *d, const void *def)
{
    const vt_status status = vti_check_definition(d, def);
    const vt_row *const parent = vti_row_named(d, "parent");
    int32_t id;
    if (status || !parent)
        return status;
    memcpy(&id, (const char *)def + parent->offset, sizeof id);
    return vti_check_parent(&s->transforms, id);
}

vt_status vti_accept_and_use(const vt_definition *d, vt_simulation *s, const void *def,
                             vt_use_definition *use, void *result)
{
    vt_accepted accepted;
    vt_status status = vti_accept(d, def, &accepted);
    if (status)
        return status;
    status = vti_enter(s);
    if (!status) {
        status = check_definition(s, d, accepted.def);
        status = vti_leave(s, status ? status : use(s, accepted.def, result));
    }
    vti_give_back(&accepted);
    return status;
}
