#define _GNU_SOURCE
#include "interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- where the code of the library lies ---- */

static uintptr_t code_begin, code_end; /* 0 until it is known: then nothing counts */

static int note_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "libvorton"))
        return 0;
    for (int n = 0; n < info->dlpi_phnum; n++)
        if (info->dlpi_phdr[n].p_type == PT_LOAD && info->dlpi_phdr[n].p_flags & PF_X) {
            code_begin = info->dlpi_addr + info->dlpi_phdr[n].p_vaddr;
            code_end = code_begin + info->dlpi_phdr[n].p_memsz;
        }
    return 1;
}

__attribute__((constructor)) static void find_library(void)
{
    dl_iterate_phdr(note_library, NULL);
    if (!code_begin) {
        fputs("the program is not linked with the library\n", stderr);
        _exit(EXIT_FAILURE);
    }
}

#define FROM_LIBRARY ((uintptr_t)__builtin_return_address(0) - code_begin < code_end - code_begin)

/* ---- what fails ---- */

static _Atomic int64_t passing = INT64_MAX, made, refused;
static _Atomic int fails_on;

void fail_calls(int64_t after, int how)
{
    made = refused = 0;
    fails_on = how == ALL_FAIL;
    passing = after;
}

void fail_no_calls(void)
{
    passing = INT64_MAX;
}

int64_t calls_made(void)
{
    return made;
}

int64_t calls_refused(void)
{
    return refused;
}

static int refuses(void)
{
    const int64_t number = atomic_fetch_add(&made, 1), after = passing;
    if (number < after || (number > after && !fails_on))
        return 0;
    refused++;
    return 1;
}

/* ---- what the library holds: whoever gives it back, for the last call of a function of the
 * library seems to come from its caller ---- */

enum { PLACES = 1 << 16 };

static _Atomic uintptr_t place[PLACES]; /* by address; 0: empty, 1: given back */
static _Atomic int64_t held;

int64_t blocks_held(void)
{
    return held;
}

static void *hold(void *block)
{
    if (!block)
        return NULL;
    for (uintptr_t n = (uintptr_t)block >> 4;; n++) {
        uintptr_t there = place[n % PLACES];
        if (there <= 1 &&
            atomic_compare_exchange_strong(&place[n % PLACES], &there, (uintptr_t)block))
            break;
    }
    held++;
    return block;
}

/* Returns whether the library held it. */
static int let_go(void *block)
{
    for (uintptr_t n = (uintptr_t)block >> 4, end = n + PLACES; block && n < end; n++) {
        uintptr_t there = place[n % PLACES];
        if (there == 0)
            break;
        if (there == (uintptr_t)block) {
            place[n % PLACES] = 1;
            held--;
            return 1;
        }
    }
    return 0;
}

/* ---- memory. Looking for the functions behind this program takes memory itself: so they are
 * called by their other names, those of the address sanitizer where it is there ---- */

#define BEHIND(result, name, system, ...)                                                          \
    extern result __interceptor_##name(__VA_ARGS__) __attribute__((weak));                         \
    extern result system(__VA_ARGS__)

BEHIND(void *, malloc, __libc_malloc, size_t);
BEHIND(void *, calloc, __libc_calloc, size_t, size_t);
BEHIND(void *, realloc, __libc_realloc, void *, size_t);
BEHIND(void *, aligned_alloc, __libc_memalign, size_t, size_t);
BEHIND(void, free, __libc_free, void *);

#define NEXT(name, system) (__interceptor_##name ? __interceptor_##name : system)

/* Returned where the library is told that there is no memory. */
#define REFUSE_MEMORY                                                                              \
    if (FROM_LIBRARY && refuses())                                                                 \
    return errno = ENOMEM, NULL

void *malloc(size_t size)
{
    REFUSE_MEMORY;
    void *const block = NEXT(malloc, __libc_malloc)(size);
    return FROM_LIBRARY ? hold(block) : block;
}

void *calloc(size_t count, size_t size)
{
    REFUSE_MEMORY;
    void *const block = NEXT(calloc, __libc_calloc)(count, size);
    return FROM_LIBRARY ? hold(block) : block;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    REFUSE_MEMORY;
    void *const block = NEXT(aligned_alloc, __libc_memalign)(alignment, size);
    return FROM_LIBRARY ? hold(block) : block;
}

void *realloc(void *before, size_t size)
{
    REFUSE_MEMORY;
    const int was_held = let_go(before);
    void *const block = NEXT(realloc, __libc_realloc)(before, size);
    if (block)
        return was_held || FROM_LIBRARY ? hold(block) : block;
    return was_held ? hold(before), NULL : NULL;
}

void free(void *block)
{
    let_go(block);
    NEXT(free, __libc_free)(block);
}

void *mmap(void *wanted, size_t size, int protection, int flags, int file, off_t offset)
{
    if (FROM_LIBRARY && refuses())
        return errno = ENOMEM, MAP_FAILED;
    void *const range = (void *)syscall(SYS_mmap, wanted, size, protection, flags, file, offset);
    if (FROM_LIBRARY && range != MAP_FAILED)
        hold(range);
    return range;
}

int munmap(void *range, size_t size)
{
    let_go(range);
    return (int)syscall(SYS_munmap, range, size);
}

/* ---- threads and files ---- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *),
                   void *data)
{
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static create *next;
    if (FROM_LIBRARY && refuses())
        return EAGAIN;
    *(void **)&next = dlsym(RTLD_NEXT, __func__);
    return next(thread, attributes, work, data);
}

FILE *fopen(const char *path, const char *mode)
{
    typedef FILE *open(const char *, const char *);
    static open *next;
    if (FROM_LIBRARY && refuses())
        return errno = ENOMEM, NULL;
    *(void **)&next = dlsym(RTLD_NEXT, __func__);
    return next(path, mode);
}
