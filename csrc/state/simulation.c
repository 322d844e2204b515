#include "state/simulation.h"

#include "base/status.h"

/* ---- checks ---- */

/* ---- memory ---- */

/* ---- copies ---- */

/* What owns memory, as copy_memory knows it: whoever adds to it adds there, too. */
_Static_assert(offsetof(vt_simulation, grid) - offsetof(vt_simulation, vortons) ==
                   sizeof(vt_vortons) + sizeof(vt_tracers) + sizeof(vt_sources) + sizeof(vt_winds) +
                       sizeof(vt_forces) + sizeof(vt_kills) + sizeof(vt_transforms) +
                       sizeof(vt_bodies) + sizeof(vt_animations),
               "copy_memory copies every member between vortons and grid");

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
    if (atomic_exchange_explicit(&s->busy, 1, memory_order_acquire))
        return vti_fail(VT_BUSY, "another thread is inside this simulation; wait until it is done");
    return VT_OK;
}

void vti_leave(vt_simulation *s)
{
    atomic_store_explicit(&s->busy, 0, memory_order_release);
}
