/* The one parallel layer: a loop over fixed blocks. The block size never depends on the number of
 * threads and every block does the same arithmetic wherever it runs, so results have the same bits
 * for any number of threads and for both backends: a small pool of POSIX threads, whose workers
 * sleep 50 us after the last loop, or OpenMP, whose threads may spin for as long as its runtime
 * likes (where other programs want the processors, frames then take many times as long). */
#ifndef VORTON_CORE_PARALLEL_H
#define VORTON_CORE_PARALLEL_H

#include <stdint.h>

#include "vorton.h" /* vt_available_threads */

#define VT_MAX_THREADS 64

/* What one thread writes lies so far from what another does, bytes: processors fetch lines in
 * pairs, and, where lines are taken one after the other, some ahead. */
enum { VT_APART = 128, VT_STREAMS_APART = 2048 };

/* Handles [begin, end) of the range; thread is 0 .. threads - 1 and names scratch, nothing else. */
typedef void vt_block_function(void *context, int64_t begin, int64_t end, int thread);

/* Runs body over [0, count) in blocks of `block`, in no order, on at most `threads` threads (1 ..
 * VT_MAX_THREADS), of which each has at least a whole block to begin with. A forked process may
 * call it too: it has a pool of its own. Inside a block denormals are flushed to zero and rounding
 * is to nearest, whatever the caller's floating-point environment is; that environment is restored
 * afterwards. */
void vt_parallel_for(int threads, int64_t count, int64_t block, vt_block_function *body,
                     void *context);

/* "pthread" or "openmp": the backend in use (built with VORTON_OPENMP=0, only "pthread"; else the
 * environment variable VORTON_BACKEND, read at the first loop, chooses; default pthread). */
const char *vt_parallel_backend(void);

#endif
