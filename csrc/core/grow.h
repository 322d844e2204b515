/* Lists of definitions that grow one by one: their room doubles. */
#ifndef VORTON_CORE_GROW_H
#define VORTON_CORE_GROW_H

#include <stdint.h>
#include <stdlib.h>

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

#endif
