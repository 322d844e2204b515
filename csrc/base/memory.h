/* Blocks of memory: from the host (vt_set_memory), else from the C library. Whatever the library
 * takes for a while comes from here; what never moves comes from base/reserve.h. */
#pragma once

#include <stddef.h>

/* Uninitialised, aligned to 16 bytes; NULL: there is none. For vti_free. */
void *vti_allocate(size_t bytes);
void *vti_allocate_zeroed(size_t count, size_t item);

/* The block with this many bytes and what it held of them, perhaps elsewhere; of NULL a new one.
 * NULL: there is no memory, and the block is as it was. */
void *vti_resize(void *block, size_t bytes);

/* As vti_allocate: behind huge pages where it is large; on cache lines of its own. */
void *vti_allocate_huge(size_t bytes);
void *vti_allocate_lines(size_t bytes);

/* NULL is allowed. */
void vti_free(void *block);
