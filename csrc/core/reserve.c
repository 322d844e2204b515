#define _GNU_SOURCE
#include "core/reserve.h"

#include <stdint.h>
#include <sys/mman.h>

void *vt_reserve(size_t bytes)
{
    void *const range = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

void vt_reserve_huge(void *range, size_t bytes)
{
    /* A wish: where it is refused everything still works, more slowly. */
    (void)madvise(range, bytes, MADV_HUGEPAGE);
}

void vt_release(void *range, size_t bytes)
{
    if (range)
        munmap(range, bytes ? bytes : 1);
}
