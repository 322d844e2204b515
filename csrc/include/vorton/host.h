/* What a host program may give to the library: threads to work in, and an ear for its messages. */
#ifndef VORTON_HOST_H
#define VORTON_HOST_H

#include <stddef.h>

#include "vorton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- threads ---- */

/* A pool of threads that belongs to the host, to work in instead of the library's own. */
typedef struct vt_tasks {
    size_t struct_size; /* sizeof(vt_tasks) */
    int32_t threads;    /* 1 .. 64: how many calls of `task` may run at the same time at most */
    /* Calls task(data, n) once for each n = 0 .. count - 1, with count <= threads, in any order, on
     * any threads, the caller among them or not, at the same time or one after the other; returns
     * when all calls have returned. Where several simulations are stepped at the same time, each in
     * a thread of its own, it is called from all of these. `task` never waits for another one. */
    void (*run)(void *context, int32_t count, void (*task)(void *data, int32_t n), void *data);
    void *context; /* first argument of run */
} vt_tasks;

/* All loops of the library run in the host's pool from now on; NULL: in the library's own again.
 * No other function of the library may run meanwhile. Results have the same bits wherever the loops
 * run. VT_INVALID_ARGUMENT, and nothing has changed: threads out of range, run NULL, no
 * struct_size. */
VT_API vt_status vt_set_tasks(const vt_tasks *tasks);

/* ---- messages ---- */

/* One sentence about what went another way than was asked for, though nothing failed: births that
 * at_capacity cut off (VT_AT_CAPACITY_STOP), say. `message` lives for the call only. It is called
 * in the thread that called into the library, which it must not do itself. */
typedef void vt_log_function(void *context, const char *message);

/* From now on messages of all simulations go to `function`; NULL (default): nowhere. The library
 * prints nothing. No other function of the library may run meanwhile. */
VT_API void vt_set_log(vt_log_function *function, void *context);

#ifdef __cplusplus
}
#endif

#endif
