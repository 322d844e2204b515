#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "base/threads.h"

enum { STACK_BYTES = 8 << 20 }; /* kernels keep buffers there; macOS gives 512 KiB by itself */

#if defined(_WIN32)

#include <windows.h>

_Static_assert(sizeof(vt_mutex) == sizeof(SRWLOCK), "a lock is a pointer");
_Static_assert(sizeof(vt_condition) == sizeof(CONDITION_VARIABLE), "a condition is a pointer");
_Static_assert(sizeof(vt_once) == sizeof(INIT_ONCE), "INIT_ONCE is a pointer");

void vti_lock(vt_mutex *mutex)
{
    AcquireSRWLockExclusive((SRWLOCK *)mutex);
}

int vti_try_lock(vt_mutex *mutex)
{
    return TryAcquireSRWLockExclusive((SRWLOCK *)mutex) != 0;
}

void vti_unlock(vt_mutex *mutex)
{
    ReleaseSRWLockExclusive((SRWLOCK *)mutex);
}

void vti_wait(vt_condition *condition, vt_mutex *mutex)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)mutex, INFINITE, 0);
}

void vti_wake_one(vt_condition *condition)
{
    WakeConditionVariable((CONDITION_VARIABLE *)condition);
}

void vti_wake_all(vt_condition *condition)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)condition);
}

typedef struct once_call {
    vt_once_function *function;
} once_call;

static BOOL CALLBACK call_function(INIT_ONCE *once, void *data, void **unused)
{
    const once_call *const call = data;
    (void)once, (void)unused;
    call->function();
    return TRUE;
}

void vti_call_once(vt_once *once, vt_once_function *function)
{
    once_call call = {function};
    InitOnceExecuteOnce((INIT_ONCE *)once, call_function, &call, NULL);
}

static DWORD WINAPI run_thread(void *data)
{
    const vt_thread_start *const start = data;
    start->function(start->argument);
    return 0;
}

/* The library stays where the code of its threads is, whoever gives it back. */
static void stay_loaded(void)
{
    static const char here = 0;
    HMODULE module;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                       &here, &module);
}

int vti_start_thread(vt_thread_start *start)
{
    static vt_once once = VT_NEW_ONCE;
    vti_call_once(&once, stay_loaded);
    const HANDLE thread =
        CreateThread(NULL, STACK_BYTES, run_thread, start, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (!thread)
        return -1;
    CloseHandle(thread);
    return 0;
}

void vti_after_fork(vt_once_function *function)
{
    (void)function;
}

int64_t vti_clock_ns(void)
{
    LARGE_INTEGER frequency, ticks; /* 10 MHz or so; never refused since Windows XP */
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    const int64_t second = frequency.QuadPart, whole = ticks.QuadPart / second;
    return whole * 1000000000 + (ticks.QuadPart - whole * second) * 1000000000 / second;
}

int vti_count_processors(void)
{
    DWORD_PTR own, all;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all) || own == 0)
        return 1;
    return __builtin_popcountll((unsigned long long)own);
}

#else

#include <sched.h>
#include <time.h>
#include <unistd.h>

void vti_lock(vt_mutex *mutex)
{
    pthread_mutex_lock(mutex);
}

int vti_try_lock(vt_mutex *mutex)
{
    return pthread_mutex_trylock(mutex) == 0;
}

void vti_unlock(vt_mutex *mutex)
{
    pthread_mutex_unlock(mutex);
}

void vti_wait(vt_condition *condition, vt_mutex *mutex)
{
    pthread_cond_wait(condition, mutex);
}

void vti_wake_one(vt_condition *condition)
{
    pthread_cond_signal(condition);
}

void vti_wake_all(vt_condition *condition)
{
    pthread_cond_broadcast(condition);
}

void vti_call_once(vt_once *once, vt_once_function *function)
{
    pthread_once(once, function);
}

static void *run_thread(void *data)
{
    const vt_thread_start *const start = data;
    start->function(start->argument);
    return NULL;
}

int vti_start_thread(vt_thread_start *start)
{
    pthread_t id;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    const int failed = pthread_create(&id, &attributes, run_thread, start);
    pthread_attr_destroy(&attributes);
    return failed ? -1 : 0;
}

void vti_after_fork(vt_once_function *function)
{
    pthread_atfork(NULL, NULL, function);
}

int64_t vti_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int vti_count_processors(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (int)online;
}

#endif
