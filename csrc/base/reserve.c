#define _GNU_SOURCE
#include "base/reserve.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void *vti_reserve(size_t bytes)
{
    void *const range = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

void vti_reserve_huge(void *range, size_t bytes)
{
    /* A wish: where it is refused everything still works, more slowly. */
    (void)madvise(range, bytes, MADV_HUGEPAGE);
}

void vti_release(void *range, size_t bytes)
{
    if (range)
        munmap(range, bytes ? bytes : 1);
}

void *vti_allocate(size_t bytes)
{
    const size_t huge = (size_t)2 << 20;
    if (bytes < huge || bytes > SIZE_MAX - huge)
        return malloc(bytes);
    const size_t whole = (bytes + huge - 1) / huge * huge;
    void *const memory = aligned_alloc(huge, whole);
    if (memory)
        vti_reserve_huge(memory, whole);
    return memory;
}

void *vti_allocate_lines(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
