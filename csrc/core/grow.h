/* Lists of definitions that grow one by one: their room doubles. */
#ifndef VORTON_CORE_GROW_H
#define VORTON_CORE_GROW_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more item in an array that holds count; 0 on success, else it is as it was. */
static inline int vt_grow(void **array, int32_t count, size_t item)
{
    if (count & (count - 1))
        return 0;
    void *const more = realloc(*array, item * (size_t)(count ? 2 * count : 1));
    if (!more)
        return -1;
    *array = more;
    return 0;
}

/* A copy of such an array, with the room that the next vt_grow counts on; NULL without memory. */
static inline void *vt_copy_grown(const void *array, int32_t count, size_t item)
{
    size_t room = 1;
    while (room < (size_t)count)
        room *= 2;
    void *const copy = malloc(room * item);
    if (copy && count)
        memcpy(copy, array, (size_t)count * item);
    return copy;
}

#endif
