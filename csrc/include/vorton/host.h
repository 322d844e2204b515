/* What a host program may give to the library: threads to work in, memory, an ear for messages. */
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

/* ---- memory ---- */

/* Where the library's blocks of memory come from: definitions, meshes, tables, and what a call
 * needs for a while, up to hundreds of MB in a bake or a preview. The columns of simulations are
 * not among them: these lie in ranges of addresses that are reserved once and never move. The
 * functions are called from any thread of the library, from several at the same time. */
typedef struct vt_memory {
    size_t struct_size; /* sizeof(vt_memory) */
    /* `bytes` uninitialised bytes, 1 or more, a multiple of the alignment, which is a power of 2,
     * 16 to 2 MiB; NULL: there are none, which fails the call with VT_OUT_OF_MEMORY. */
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    /* A block of allocate or resize with any other size of 1 or more, aligned to 16 bytes, with
     * what it held; NULL: there is no memory, and the block is as it was. */
    void *(*resize)(void *context, void *block, size_t bytes);
    void (*release)(void *context, void *block); /* a block of theirs, never NULL */
    void *context;                               /* first argument of all three */
} vt_memory;

/* All blocks come from here from now on; NULL: from the C library again, as by default. For the
 * time before the first object is made or after the last is destroyed, and no other function of the
 * library may run meanwhile. VT_INVALID_ARGUMENT, and nothing has changed: a function is NULL, no
 * struct_size, blocks are in use. */
VT_API vt_status vt_set_memory(const vt_memory *memory);

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
