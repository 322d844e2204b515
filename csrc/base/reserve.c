#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "base/reserve.h"

#include <stdint.h>

#if defined(_WIN32)

#include <windows.h>

void *vti_reserve(size_t bytes)
{
    return VirtualAlloc(NULL, bytes ? bytes : 1, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void *vti_reserve_vast(size_t bytes)
{
    return VirtualAlloc(NULL, bytes ? bytes : 1, MEM_RESERVE, PAGE_READWRITE);
}

int vti_commit(void *part, size_t bytes)
{
    return bytes == 0 || VirtualAlloc(part, bytes, MEM_COMMIT, PAGE_READWRITE) ? 0 : -1;
}

void vti_reserve_huge(void *range, size_t bytes)
{
    (void)range, (void)bytes; /* a privilege that users do not have */
}

void vti_release(void *range, size_t bytes)
{
    (void)bytes;
    if (range)
        VirtualFree(range, 0, MEM_RELEASE);
}

#else

#include <sys/mman.h>

#ifndef MAP_NORESERVE /* nor does macOS count them */
#define MAP_NORESERVE 0
#endif

void *vti_reserve(size_t bytes)
{
    void *const range = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

void *vti_reserve_vast(size_t bytes)
{
    return vti_reserve(bytes);
}

int vti_commit(void *part, size_t bytes)
{
    (void)part, (void)bytes;
    return 0;
}

void vti_reserve_huge(void *range, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    /* A wish: where it is refused everything still works, more slowly. */
    (void)madvise(range, bytes, MADV_HUGEPAGE);
#else
    (void)range, (void)bytes;
#endif
}

void vti_release(void *range, size_t bytes)
{
    if (range)
        munmap(range, bytes ? bytes : 1);
}

#endif
