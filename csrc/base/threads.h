/* What programs with threads ask of the operating system: locks, threads, a clock, processors.
 * POSIX threads, or those of Windows; what is said here holds for both. */
#pragma once

#include <stdint.h>

#if defined(_WIN32)
typedef struct vt_mutex {
    void *state; /* SRWLOCK */
} vt_mutex;
typedef struct vt_condition {
    void *state; /* CONDITION_VARIABLE */
} vt_condition;
typedef struct vt_once {
    void *state; /* INIT_ONCE */
} vt_once;
#define VT_NEW_MUTEX {0}
#define VT_NEW_CONDITION {0}
#define VT_NEW_ONCE {0}
#else
#include <pthread.h>
typedef pthread_mutex_t vt_mutex;
typedef pthread_cond_t vt_condition;
typedef pthread_once_t vt_once;
#define VT_NEW_MUTEX PTHREAD_MUTEX_INITIALIZER
#define VT_NEW_CONDITION PTHREAD_COND_INITIALIZER
#define VT_NEW_ONCE PTHREAD_ONCE_INIT
#endif

/* Not recursive. vti_try_lock returns whether it took the lock. */
void vti_lock(vt_mutex *mutex);
int vti_try_lock(vt_mutex *mutex);
void vti_unlock(vt_mutex *mutex);

/* Gives the lock back while it waits; may return without having been woken. */
void vti_wait(vt_condition *condition, vt_mutex *mutex);
void vti_wake_one(vt_condition *condition);
void vti_wake_all(vt_condition *condition);

/* Calls function the first time; others that come meanwhile wait until it is done. */
typedef void vt_once_function(void);
void vti_call_once(vt_once *once, vt_once_function *function);

/* A thread with a stack of 8 MiB that nobody waits for; ends with the process at the latest. What
 * it is to do stays where it is while it lives. Returns 0, or -1 when the system refuses. */
typedef struct vt_thread_start {
    void (*function)(void *argument);
    void *argument;
} vt_thread_start;
int vti_start_thread(vt_thread_start *start);

/* Has `function` called in each process that is forked from now on; Windows knows no such. */
void vti_after_fork(vt_once_function *function);

/* Time since some moment of the past, ns: never goes back. */
int64_t vti_clock_ns(void);

/* Processors that this process may use; 1 where the system does not tell. */
int vti_count_processors(void);
