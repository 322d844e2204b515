#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "base/status.h"
#include "vorton/host.h"

enum { LEAST_ALIGNMENT = 16, LINE = 64, HUGE_PAGE = 2 << 20 };

static vt_memory host;
static _Atomic int64_t in_use; /* blocks that are not free yet */

vt_status vt_set_memory(const vt_memory *memory)
{
    const int64_t blocks = atomic_load(&in_use);
    if (memory && memory->struct_size < sizeof host)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "memory: struct_size is %zu; allowed is sizeof(vt_memory)",
                        memory->struct_size);
    if (memory && (!memory->allocate || !memory->resize || !memory->release))
        return vti_fail(VT_INVALID_ARGUMENT, "memory: allocate, resize or release is NULL");
    if (blocks != 0)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "memory: %lld blocks are in use; it is set while nothing of the library is",
                        (long long)blocks);
    host = memory ? *memory : (vt_memory){.struct_size = 0};
    return VT_OK;
}

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add_explicit(&in_use, 1, memory_order_relaxed);
    return block;
}

static void *allocate_aligned(size_t bytes, size_t alignment)
{
    if (bytes > SIZE_MAX - alignment)
        return NULL;
    const size_t whole = bytes ? (bytes + alignment - 1) / alignment * alignment : alignment;
    if (host.allocate)
        return counted(host.allocate(host.context, whole, alignment));
#if !defined(_WIN32) /* which has nothing aligned for what free() takes back */
    if (alignment > LEAST_ALIGNMENT)
        return counted(aligned_alloc(alignment, whole));
#endif
    return counted(malloc(bytes ? bytes : 1));
}

void *vti_allocate(size_t bytes)
{
    return allocate_aligned(bytes, LEAST_ALIGNMENT);
}

void *vti_allocate_zeroed(size_t count, size_t item)
{
    if (item && count > SIZE_MAX / item)
        return NULL;
    if (!host.allocate)
        return counted(calloc(count ? count : 1, item ? item : 1));
    void *const block = vti_allocate(count * item);
    return block ? memset(block, 0, count * item) : NULL;
}

void *vti_allocate_lines(size_t bytes)
{
    return allocate_aligned(bytes, LINE);
}

void *vti_allocate_huge(size_t bytes)
{
    if (bytes < HUGE_PAGE)
        return vti_allocate(bytes);
    void *const block = allocate_aligned(bytes, HUGE_PAGE);
    if (block)
        vti_reserve_huge(block, bytes);
    return block;
}

void *vti_resize(void *block, size_t bytes)
{
    if (!block)
        return vti_allocate(bytes);
    return host.resize ? host.resize(host.context, block, bytes ? bytes : 1)
                       : realloc(block, bytes ? bytes : 1);
}

void vti_free(void *block)
{
    if (!block)
        return;
    atomic_fetch_sub_explicit(&in_use, 1, memory_order_relaxed);
    if (host.release)
        host.release(host.context, block);
    else
        free(block);
}
