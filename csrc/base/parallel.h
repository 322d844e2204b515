/* The one parallel layer: a loop over fixed blocks. The block size never depends on the number of
 * threads and every block does the same arithmetic wherever it runs, so results have the same bits
 * for any number of threads and for all backends: a pool of the host, OpenMP, or a small pool of
 * the library's own, for programs that have another OpenMP runtime, for wheels, and for the thread
 * sanitizer, which does not understand OpenMP's. With both, threads that wait for the next loop of
 * a step sleep after 50 us, whatever OMP_WAIT_POLICY says; after a step those of OpenMP wait as its
 * runtime likes. */
#pragma once

#include <stdint.h>

#define VT_MAX_THREADS 64

/* What one thread writes lies so far from what another does, bytes: processors fetch lines in
 * pairs, and, where lines are taken one after the other, some ahead. */
enum { VT_APART = 128, VT_STREAMS_APART = 2048 };

/* Handles [begin, end) of the range. */
typedef void vt_block_function(void *context, int64_t begin, int64_t end);

/* Handles one of the things that the range counts. */
typedef void vt_item_function(void *context, int64_t item);

/* The same; thread is 0 .. threads - 1 and names scratch, nothing else. */
typedef void vt_numbered_function(void *context, int64_t begin, int64_t end, int thread);

/* Runs body over [0, count) in blocks of `block`, in no order, on at most `threads` threads (1 ..
 * VT_MAX_THREADS), of which each has at least a whole block to begin with. A forked process may
 * call it too: it has a pool of its own. Inside a block denormals are flushed to zero and rounding
 * is to nearest, whatever the caller's floating-point environment is; that environment is restored
 * afterwards. */
void vti_parallel_for(int threads, int64_t count, int64_t block, vt_block_function *body,
                      void *context);
void vti_parallel_each(int threads, int64_t count, int64_t block, vt_item_function *body,
                       void *context);
void vti_parallel_for_numbered(int threads, int64_t count, int64_t block,
                               vt_numbered_function *body, void *context);

/* Calls work(context) once. Loops in it share threads that come together once, not for each of
 * them: for whatever has many short loops, such as a step. */
typedef void vt_work_function(void *context);
void vti_with_team(int threads, vt_work_function *work, void *context);

/* "host" (vt_set_tasks), "openmp", or "pthread" for the pool: the backend in use. Where the build
 * has OpenMP, the pool is used when the environment variable VORTON_BACKEND, read at the first
 * loop, is pthread. */
const char *vti_parallel_backend(void);
