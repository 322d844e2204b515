/* Lists of definitions that grow one by one: their room doubles; and copies of what they own. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* A copy for vti_free(); NULL of NULL, and without memory. */
static inline void *vti_copy_of(const void *data, size_t bytes)
{
    void *const copy = data ? vti_allocate(bytes) : NULL;
    return copy ? memcpy(copy, data, bytes) : NULL;
}

/* Makes room for one more item in an array that holds count; 0 on success, else the array is as it
 * was. */
static inline int vti_grow(void **array, int32_t count, size_t item)
{
    if (count & (count - 1))
        return 0;
    void *const more = vti_resize(*array, item * (size_t)(count ? 2 * count : 1));
    if (!more)
        return -1;
    *array = more;
    return 0;
}

/* Takes item n out; the others keep their order, and the room stays. */
static inline void vti_close_gap(void *array, int32_t n, int32_t *count, size_t item)
{
    char *const at = (char *)array + item * (size_t)n;
    --*count;
    memmove(at, at + item, item * (size_t)(*count - n));
}

/* The index of the item whose id, an int32_t at `offset` in it, is this one; -1: there is none. */
static inline int32_t vti_find_id(const void *array, int32_t count, size_t item, size_t offset,
                                  int32_t id)
{
    for (int32_t n = 0; n < count; n++)
        if (memcmp((const char *)array + item * (size_t)n + offset, &id, sizeof id) == 0)
            return n;
    return -1;
}

/* A copy of such an array, with the room that the next vti_grow counts on; NULL without memory. */
static inline void *vti_copy_grown(const void *array, int32_t count, size_t item)
{
    size_t room = 1;
    while (room < (size_t)count)
        room *= 2;
    void *const copy = vti_allocate(room * item);
    if (copy && count)
        memcpy(copy, array, (size_t)count * item);
    return copy;
}
