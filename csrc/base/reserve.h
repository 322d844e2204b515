/* Address ranges that never move: the whole capacity is reserved when a simulation is made, the
 * system commits pages (zeroed) as they are first touched. A view into one stays valid until
 * release. */
#pragma once

#include <stddef.h>

/* A zero-filled range of at least bytes, aligned to 64 bytes; NULL when the system refuses. */
void *vti_reserve(size_t bytes);

/* Asks for huge pages behind the range: for arrays that are swept whole every step. */
void vti_reserve_huge(void *range, size_t bytes);

/* Gives the range back; NULL is allowed. bytes as reserved. */
void vti_release(void *range, size_t bytes);

/* Memory to be freed like malloc's: behind huge pages where it is large; on cache lines of its own.
 */
void *vti_allocate(size_t bytes);
void *vti_allocate_lines(size_t bytes);
