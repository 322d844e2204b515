/* Status, messages, version: what every call has. */
#ifndef VORTON_BASE_H
#define VORTON_BASE_H

#include <stddef.h>
#include <stdint.h>

#define VORTON_VERSION_MAJOR 0
#define VORTON_VERSION_MINOR 1
#define VORTON_VERSION_PATCH 0
#define VORTON_VERSION "0.1.0"
#define VORTON_VERSION_NUMBER                                                                      \
    (VORTON_VERSION_MAJOR * 10000 + VORTON_VERSION_MINOR * 100 + VORTON_VERSION_PATCH)

#if defined(_WIN32) && defined(VT_BUILDS_LIBRARY) /* programs need no word for functions */
#define VT_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define VT_API __attribute__((visibility("default")))
#else
#define VT_API
#endif

#ifdef __cplusplus
#define VT_BEGIN_C extern "C" {
#define VT_END_C }
#else
#define VT_BEGIN_C
#define VT_END_C
#endif

VT_BEGIN_C

typedef enum vt_status {
    VT_OK = 0,
    VT_INVALID_ARGUMENT = 1, /* an argument is out of its range */
    VT_OUT_OF_MEMORY = 2,    /* the system refused memory or address space */
    VT_OVER_CAPACITY = 3,    /* more vortons or tracers than the simulation has room for */
    VT_BUSY = 4,             /* another thread is inside this simulation */
    VT_NOT_FINITE = 5,       /* a NaN or an infinity in the state */
    VT_IO = 6,               /* a file could not be written */
    VT_CANCELLED = 7,        /* the progress callback ended the step */
    VT_BLOWN_UP = 8          /* a step would need too many substeps: see vt_get_blow_up */
} vt_status;

/* What went wrong in the last failed call of this thread; "" before any. */
VT_API const char *vt_error_message(void);

/* Version of the library that runs, to compare with the header's: "0.1.0". */
VT_API const char *vt_version(void);

/* Instruction set of the kernels in use: "scalar", "avx2" or "avx512". The best that the processor
 * has; the environment variable VORTON_SIMD, read at the first call, forces a lower one. */
VT_API const char *vt_simd(void);

/* Threads backend in use: "host" after vt_set_tasks (vorton/host.h); else "openmp" (default, where
 * the build has it), or "pthread", a pool of the library's own: for programs with another OpenMP
 * runtime, by VORTON_OPENMP=0 when it is built, or by the environment variable
 * VORTON_BACKEND=pthread, read at the first parallel loop. The results have the same bits, so the
 * library takes to the pool by itself in a forked process, and, for a second at a time, where
 * OpenMP's threads wait for processors that other programs have. A call from a parallel region of
 * the program runs on the thread that makes it. The environment and the settings of the OpenMP
 * runtime stay as they are. */
VT_API const char *vt_backend(void);

/* Processors that this process may use, 1 .. 64: what a `threads` of 0 stands for. */
VT_API int vt_available_threads(void);

/* Compiler, flags and digest of the sources of this build, "compiler | flags | digest": what may
 * change a bit of a result, but for VORTON_SIMD and the processor, which do not. */
VT_API const char *vt_build(void);

/* How fast the machine is now, apart from what a simulation does, by the threads that a step uses.
 * To tell benchmarks of several machines, or hours, apart. */
typedef struct vt_probe {
    size_t struct_size; /* set by the program */
    double loop;  /* what a parallel loop takes beyond its blocks, one of 20 us a thread: threads
                     come together, or are late; the median, s */
    double triad; /* a = b + c / 2 over 8 Mi floats, three arrays of 32 MiB: the shortest of
                     eight, s */
    double bytes; /* that it reads and writes: 12 a number */
} vt_probe;

/* Takes some .2 s. threads: 0 (all) .. 64. */
VT_API vt_status vt_probe_machine(int32_t threads, vt_probe *probe);

VT_END_C

#endif
